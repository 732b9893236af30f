"""What the interpreter may ask of the world, as a Protocol; implemented in `tasks` and passed down."""

from __future__ import annotations

from typing import Protocol


class Host(Protocol):
    """The game under evaluation, beyond its tree of positions."""

    @property
    def gamenumber(self) -> int:
        """1-based ordinal of the game in its source file (`gamenumber` counts per source)."""

    @property
    def game_count(self) -> int:
        """Number of games in that source file."""

    @property
    def result(self) -> str | None:
        """The result at the end of the game's text, else that of its tag: where they differ the reference
        goes by the text.
        """

    def tag(self, name: str) -> str | None:
        """Value of a PGN tag, or None when the game lacks it."""

    def text(self) -> str:
        """The game's own text in its source, tags and all; empty where there is none."""

    def comment(self, positionid: int) -> str | None:
        """The text of the PGN at a position (comments joined by a blank), or None."""

    def nags(self, positionid: int) -> tuple[int, ...]:
        """Numeric annotation glyphs of the move that led to a position."""
