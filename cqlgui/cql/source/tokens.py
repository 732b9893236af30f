"""Tokens of the language: kinds for highlighting, and the facts the parser needs beside the text."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from cqlgui.cql.source.diagnostics import Span


class Kind(StrEnum):
    """How a token is shown; also the coarse class the parser looks at."""

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
    """One token. `word` is its ASCII spelling (`->` for an arrow sign); grammar rules compare it.

    `number` holds the value of a literal, `string` the text that a string or escape means, `men` and
    `squares` the masks of a designator. Two tokens are tied when the `end` of one is the `offset` of the
    other. `width` is -1, except when a name was put in for a function's parameter. Then `text` is the name,
    and `width` is the length of the parameter in the query text.
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
        """Where the token stands."""
        return Span(self.offset, self.end - self.offset)


TRIVIA = frozenset({Kind.WHITESPACE, Kind.COMMENT})

# Words that the lexer gives to tokens without an ASCII spelling of their own.
PIECE_DECLARATION = "piece-declaration"
REPETITION = "repetition"
STRING_LITERAL = "string-literal"
FILE_NAME = "file-name"
CAPTURE_GROUP = "capture-group"
END = "end-of-text"

# Words that signs get at the top level of a path, where they are no operators (spec 10.3).
PATH_WORDS = {"+": "path +", "*": "path *", "--": "path --", "[x]": "path [x]"}

LOOSE_BEFORE_DASH = frozenset("({:+-―*/><,~=∊∈◎∙✵⬓|&")
"""A dash directly after one of these signs is not tied to what stands before it (spec 9.1). Both spellings of
a dash are among these signs."""
