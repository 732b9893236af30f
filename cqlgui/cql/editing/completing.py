"""What may complete the word before the caret: keywords from the registry, and names used in the query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.cql.source import tokens
from cqlgui.cql.vocabulary import registry

NEAR: Final = 200
"""The number of lines before and after the caret that are searched for names."""
USED: Final = "name used in this query"
"""The meaning of a name that is offered."""

_WORD_BEFORE = pattern(r"(?:(?<![A-Za-z0-9$_])pgn )?[A-Za-z$_][A-Za-z0-9$_-]*$")
_QUIET: Final = (tokens.Kind.STRING, tokens.Kind.COMMENT)


@dataclass(frozen=True, slots=True)
class Offer:
    """A word that may stand in the place of the typed letters, and its meaning in one line. `row` is the
    keyword's row; None for a name used in the query."""

    word: str
    meaning: str
    row: registry.Row | None


def prefix(before: str) -> str:
    """The part of a word at the end of `before`, which is the text of a line up to the caret. `pgn` and the
    letters behind it are one word, because keys such as `pgn clk` are listed as one."""
    found = _WORD_BEFORE.search(before)
    return found.group() if found else ""


def offers(typed: str, near: Iterable[tokens.Token]) -> tuple[Offer, ...]:
    """The words that begin with `typed`, in the order to be shown. Keywords come first, and then the names
    among the tokens `near` the caret."""
    rows = [row for row in registry.complete(typed) if row.kind != "internal"]
    found = [Offer(row.name, row.meaning, row) for row in rows]
    taken = {row.name for row in rows} | {typed}
    names = {token.text for token in near if token.kind is tokens.Kind.NAME}
    found += [Offer(name, USED, None) for name in sorted(names - taken) if name.startswith(typed)]
    return tuple(found)


def is_quiet(token: tokens.Token, start: int, end: int, caret: int) -> bool:
    """Whether the caret is inside a string or a comment. `start` and `end` are the limits of the token, in
    the units of `caret`."""
    if token.kind not in _QUIET:
        return False
    last = '"' if token.kind is tokens.Kind.STRING else "*/"
    closed = len(token.text) > len(last) and token.text.endswith(last)
    # A caret after an unterminated string or comment counts as inside, because text typed at the caret would
    # belong to the string or comment.
    return start < caret < end + (not closed)
