"""Tokens of the language: kinds for highlighting, and the values that the parser needs in addition to the
text."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from cqlgui.cql.source.diagnostics import Span


class Kind(StrEnum):
    """The kind of a token. The editor chooses the colour of a token by its kind, and the parser tests the
    kind where the exact word does not matter."""

    KEYWORD = "keyword"
    TRANSFORM = "transform"
    DIRECTION = "direction"
    NUMBER = "number"
    STRING = "string"
    DESIGNATOR = "designator"
    OPERATOR = "operator"
    COMMENT = "comment"
    NAME = "name"
    BRACKET = "bracket"
    RESULT = "result"
    ERROR = "error"
    WHITESPACE = "whitespace"


class Token(NamedTuple):
    """One token. `word` is the ASCII spelling of the token (`->` for an arrow sign). The grammar rules
    recognise a token by its `word`.

    `number` holds the value of a number literal. `string` holds the text that a string or escape means. `men`
    and `squares` hold the masks of a designator. Two tokens are tied when the second token begins at the
    `end` of the first token. `width` is usually -1. If a name replaces a function's parameter, `text` is the
    name, and `width` is the length of the parameter in the query text.
    """

    kind: Kind
    text: str
    offset: int
    word: str
    number: int = 0
    string: str = ""
    men: int = 0
    squares: int = 0
    width: int = -1

    @property
    def end(self) -> int:
        """Offset of the first code point after the token."""
        return self.offset + (len(self.text) if self.width < 0 else self.width)

    @property
    def span(self) -> Span:
        """The place of the token in the query text."""
        return Span(self.offset, self.end - self.offset)


TRIVIA = frozenset({Kind.WHITESPACE, Kind.COMMENT})

# Values of `Token.word` that the lexer gives to tokens without a fixed ASCII spelling.
PIECE_DECLARATION = "piece-declaration"
REPETITION = "repetition"
STRING_LITERAL = "string-literal"
FILE_NAME = "file-name"
CAPTURE_GROUP = "capture-group"
END = "end-of-text"

# At the top level of a path, these signs are no operators (spec 10.3). The parser replaces the usual
# `Token.word` of each sign (the key) by a special word (the value).
PATH_WORDS = {"+": "path +", "*": "path *", "--": "path --", "[x]": "path [x]"}

LOOSE_BEFORE_DASH = frozenset("({:+-―*/><,~=∊∈◎∙✵⬓|&")
"""A dash directly after one of these signs is not tied to the text before the dash (spec 9.1). The signs
include the characters of the dashes `--` and `――`."""
