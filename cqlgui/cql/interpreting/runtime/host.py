"""The interface through which the interpreter gets data from outside, as a Protocol. `tasks` implements
it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from cqlgui.base import errors
from cqlgui.board import tree


class RefusedError(errors.CqlguiError):
    """The query asked for a file that the user did not allow or that cannot be read; the message names the
    file and the reason."""


class Host(Protocol):
    """The game under evaluation, beyond its tree of positions."""

    @property
    def gamenumber(self) -> int:
        """1-based ordinal of the game in its source file (`gamenumber` counts per source)."""

    @property
    def game_count(self) -> int:
        """Number of games in the game's source file. Games without a White tag do not count."""

    @property
    def result(self) -> str | None:
        """The result at the end of the game's text. If the text ends without a result, the result in the
        game's tag. If text and tag differ, the reference uses the text."""

    def tag(self, name: str) -> str | None:
        """Value of a PGN tag, or None if the game lacks it."""

    def text(self) -> str:
        """The game's own text in its source, tags included; empty if there is none."""

    def comment(self, positionid: int) -> str | None:
        """The PGN comment at a position (the last one if there are several), or None.

        Lines are joined, and runs of blanks become one blank. The reference does the same with a comment, as
        its results on 450 annotated games show.
        """

    def nags(self, positionid: int) -> tuple[int, ...]:
        """Numeric annotation glyphs of the move that led to a position."""

    def other_games(self, name: str) -> Iterator[tree.GameTree | None]:
        """The games of another PGN file, in the order of the file. A game that cannot be played is given as
        None. Raises `RefusedError` unless the user allowed the file."""

    def read_file(self, name: str) -> str:
        """The text of a file that the user allowed queries to read. Raises `RefusedError` for any other
        file."""

    def write_file(self, name: str, text: str) -> None:
        """Append a text to a file that the user allowed queries to write. The first write of a search empties
        the file beforehand. Raises `RefusedError` for any other file."""
