"""The text between two games of a PGN file, so that every reader separates the games in the right place.

This program finds the ends of games by the rules of `pgn.split` and `pgn.braces`. Other programs read by the
PGN standard: a comment ends at its first `}` and nowhere else, and an empty line ends the moves (PGN standard
5 and 8.1).
"""

from __future__ import annotations

import enum
from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.pgn import split


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a game, or of several games. If the text is `clean`, every PGN reader finds the end of each
    game. `first` and `last` are the texts of the first and of the last game."""

    text: bytes
    clean: bool
    first: bytes
    last: bytes

    @classmethod
    def of(cls, text: bytes) -> Text:
        """The text of a game that need not be clean."""
        return cls(text, False, text, text)


def closing(current: Text, after: Text | None) -> bytes:
    """The text to write between two games, so that every reader separates the games in the right place. After
    a sound game, the text is a blank line. After a broken game, the text also ends the game, because an open
    comment would swallow the next game. If the next game has no tags and begins with a comment, the text also
    has a tag for the next game. Without the tag, a reader would take the comment for a part of the previous
    game."""
    if after is None:
        return b"\n"
    text, following = current.last, after.first
    if current.clean and after.clean and following.startswith(b"["):
        return b"\n\n"
    # If nothing suits all readers, it must at least suit this program.
    for for_all in (True, False):
        for head in (b"", b'[Event "?"]\n\n'):
            for end in _ENDS:
                if for_all and not is_between_games(text + end):
                    continue
                found = list(split.games(split.BytesSource(text + end + head + following)))
                if len(found) == 2 and found[1].data == (head + following).strip():
                    return end + head
    return b"\n\n"


_ENDS: Final = (b"\n\n", b" *\n\n", b"\n\n*\n\n", b"\n}\n\n", b"\n} *\n\n")
_LINE = pattern(rb"[^\r\n]*+(?:\r\n|\r|\n|\Z)")
_OF_LINE = rb"(?:[^{;\r\n]++|\{[^}]*+\})*+(?:;[^\r\n]*+)?+"
_MOVES = pattern(
    rb"(?:" + _OF_LINE + rb"(?:\r\n|\r(?!\n)|\n)(?![%;\s]|\Z))*+" + _OF_LINE + rb"(?:\r\n|\r|\n|\Z)"
)


class _Place(enum.Enum):
    BETWEEN = enum.auto()
    TAGS = enum.auto()
    MOVES = enum.auto()


def is_between_games(text: bytes) -> bool:
    """Whether a reader that follows the PGN standard is between two games at the end of `text`, so that the
    next line may begin a game. `text` begins with the beginning of a game."""
    place, empty, position = _Place.BETWEEN, 0, 0
    while position < len(text):
        line = _LINE.match(text, position)
        assert line is not None
        if line[0][:1] in (b"%", b";"):
            position = line.end()
            continue
        if line[0].isspace():
            # One empty line may stand between the tags, or between the tags and the moves.
            empty += 1
            if place is _Place.MOVES or empty > 1:
                place = _Place.BETWEEN
            position = line.end()
            continue
        empty = 0
        if place is not _Place.MOVES and line[0].startswith(b"["):
            place, position = _Place.TAGS, line.end()
            continue
        place = _Place.MOVES
        end = _moves_end(text, position)
        if end < 0:
            return False
        position = end
    return place is _Place.BETWEEN


def _moves_end(text: bytes, position: int) -> int:
    """The end of a line of moves, and of the lines that follow and are certainly lines of moves too; -1 if a
    comment is not closed. A comment may have several lines."""
    line = _MOVES.match(text, position)
    return -1 if line is None else line.end()
