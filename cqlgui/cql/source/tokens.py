"""Tokens of the language: kinds for highlighting, and the values that the parser needs in addition to the
text."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from cqlgui.cql.source.diagnostics import Span


class Kind(StrEnum):
    """The kind of a token. The editor chooses the colour of a token by its kind, and the parser uses the
    kinds as coarse classes."""

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
    compare `word`.

    `number` holds the value of a number literal. `string` holds the text that a string or escape means. `men`
    and `squares` hold the masks of a designator. Two tokens are tied when the `end` of one is the `offset` of
    the next. `width` is usually -1. If a name replaces a function's parameter, `text` is the name, and
    `width` is the length of the parameter in the query text.
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

# Words that the lexer gives to tokens without an ASCII spelling of their own.
PIECE_DECLARATION = "piece-declaration"
REPETITION = "repetition"
STRING_LITERAL = "string-literal"
FILE_NAME = "file-name"
CAPTURE_GROUP = "capture-group"
END = "end-of-text"

# Words that the parser gives to signs at the top level of a path. These signs are no operators there (spec
# 10.3).
PATH_WORDS = {"+": "path +", "*": "path *", "--": "path --", "[x]": "path [x]"}

LOOSE_BEFORE_DASH = frozenset("({:+-―*/><,~=∊∈◎∙✵⬓|&")
"""A dash directly after one of these signs is not tied to the text before the dash (spec 9.1). The signs
include the characters of the dashes `--` and `――`."""
