"""Positions that the user marks while browsing, and the pattern that they have in common. This module draws
nothing."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from cqlgui.base.data import dataclass
from cqlgui.board.position import Position
from cqlgui.pattern import common, here, writing
from cqlgui.ui.loop import jobs
from cqlgui.ui.state import browser

COMMON = "Find what marked positions &share"
_NOTHING = "The marked positions have no man on the same square in common, however they are turned."
_JOB = "common pattern"


@dataclass(frozen=True, slots=True)
class Place:
    """A position of a game, and its place in words."""

    game: int
    positionid: int
    words: str
    position: Position


class Marked(QObject):
    """`changed` is emitted after each change of the marked positions. `common` carries the query for what the
    marked positions share, and the title of this query. `failed` carries a sentence."""

    changed = Signal()
    common = Signal(str, str)
    failed = Signal(str)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._places: dict[tuple[int, int], Place] = {}

    @property
    def all(self) -> tuple[Place, ...]:
        """The marked positions. The position that was marked first comes first."""
        return tuple(self._places.values())

    def toggle(self, shown: browser.Browser) -> None:
        """Mark the position that is shown, or remove its mark."""
        game, place = shown.game, shown.positionid
        if game is None:
            return
        if self._places.pop((game.game, place), None) is None:
            row = game.row
            words = f"{row.white or '?'} – {row.black or '?'}, {shown.move_text() or 'start'}"
            self._places[game.game, place] = Place(game.game, place, words, game.tree.positions[place])
        self.changed.emit()

    def clear(self) -> None:
        """Remove all marks."""
        if self._places:
            self._places.clear()
            self.changed.emit()

    def find_common(self) -> None:
        """Compute what the marked positions have in common."""
        positions = [place.position for place in self._places.values()]

        def done(text: str) -> None:
            if text:
                self.common.emit(text, f"What {len(positions)} positions share")
            else:
                self.failed.emit(_NOTHING)

        self._jobs.run(lambda _token, _sink: text_of_common(positions), done, name=_JOB)


def text_of_common(positions: list[Position]) -> str:
    """The query for what some positions have in common. The query finds each of these positions. The query is
    empty if the positions have nothing in common."""
    found = common.common(positions)
    return here.twins(writing.text_of(found)) if found.marks else ""
