"""The Protocol that supplies the interpreter with data from outside. The package `tasks` implements this
Protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from cqlgui.base import errors
from cqlgui.board import tree


class RefusedError(errors.CqlguiError):
    """The query uses a file that the user did not allow, or a file that cannot be read. The message names
    the file and the reason."""


class Host(Protocol):
    """The data of the game under evaluation, apart from the game tree."""

    @property
    def gamenumber(self) -> int:
        """The number of the game in its source file. The games of each source file are numbered from 1."""

    @property
    def game_count(self) -> int:
        """Number of games in the game's source file. Games without a White tag do not count."""

    @property
    def result(self) -> str | None:
        """The result at the end of the game's text. If the text ends without a result, this property is the
        result in the Result tag. The text takes precedence over the tag, as in the reference program."""

    def tag(self, name: str) -> str | None:
        """Value of a PGN tag, or None if the game lacks the tag."""

    def text(self) -> str:
        """The text of the game in the source file, tags included; empty if the game has no text."""

    def comment(self, positionid: int) -> str | None:
        """The PGN comment at a position, or None if the position has no comment. If the position has several
        comments, the last comment is returned.

        The lines of a comment are joined, and runs of blanks become one blank. The reference program treats
        comments in this way, as its results on 450 annotated games show.
        """

    def all_comments(self, positionid: int) -> str:
        """All PGN comments at a position, in the order of the text, with blanks between them. Empty if the
        position has no comment. The white space of the text is kept."""

    def nags(self, positionid: int) -> tuple[int, ...]:
        """Numeric annotation glyphs of the move that led to a position."""

    def other_games(self, name: str) -> Iterator[tree.GameTree | None]:
        """The games of another PGN file, in the order of the file. If a game contains a move that cannot be
        played, the iterator yields None for the game. Raises `RefusedError` if the user did not allow the
        file."""

    def read_file(self, name: str) -> str:
        """The text of a file. Raises `RefusedError` if the user did not allow queries to read the file."""

    def write_file(self, name: str, text: str) -> None:
        """Append a text to a file. The first write of a search replaces the old contents of the file. Raises
        `RefusedError` if the user did not allow queries to write the file."""
