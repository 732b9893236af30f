"""Small boards that compare an entry with a position of the base: the entry, the position turned into the
entry's frame, and the position as it stands, with the transform drawn."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from cqlgui.board import motions
from cqlgui.board.position import Position
from cqlgui.tasks.likeness import anticipation
from cqlgui.ui.board import geometry_painting, painting
from cqlgui.ui.look import canvas, theme, wording

_GAP: Final = 12
_LEAST_CELL: Final = 9
_MOST_CELL: Final = 34


class Boards(QWidget):
    """The boards beside each other, with a line of words below each. If nothing was transformed, the third
    board would be the same as the second one, and is left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._near: anticipation.Near | None = None
        self._entry = self._found = self._turned = Position()
        self.setAccessibleName("The entry and the position found")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        theme.theme().changed.connect(self.update)

    def show_near(self, near: anticipation.Near | None) -> None:
        """Show an entry beside a position that is near to it."""
        self._near = near
        if near is not None:
            self._entry = Position.from_fen(near.entry_fen)
            self._found = Position.from_fen(near.fen)
            self._turned = near.motion.inverse.position(self._found)
        self.setAccessibleDescription("" if near is None else ". ".join(self._captions()))
        self.update()

    @property
    def turned(self) -> Position:
        """The position that was found, in the entry's frame."""
        return self._turned

    @property
    def men(self) -> int:
        """The number of men of the position that was found."""
        return self._found.occupied.bit_count()

    @property
    def differing(self) -> int:
        """The squares on which the entry and the position in its frame have different men."""
        pairs = zip(self._entry.squares, self._turned.squares, strict=True)
        return sum(1 << square for square, (one, other) in enumerate(pairs) if one != other)

    @property
    def count(self) -> int:
        """The number of boards."""
        return 0 if self._near is None else 2 if self._near.motion == motions.STILL else 3

    def _captions(self) -> list[str]:
        near = self._near
        assert near is not None
        entry = f"the study{_at(near.entry_ply)}"
        if self.count == 2:
            return [entry, f"found{_at(near.ply)}"]
        return [entry, "found, turned to it", f"in the game{_at(near.ply)}"]

    def sizeHint(self) -> QSize:
        return QSize(3 * 8 * 17 + 4 * _GAP, 8 * 17 + self.fontMetrics().height() + 10)

    def minimumSizeHint(self) -> QSize:
        return QSize(3 * 8 * _LEAST_CELL, 8 * _LEAST_CELL + self.fontMetrics().height() + 8)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in canvas.DRESSED:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._near is None:
            return
        count = self.count
        words = self.fontMetrics().height() + 4
        cell = min((self.width() - (count + 1) * _GAP) // count // 8, (self.height() - words - 4) // 8)
        cell = max(1, min(cell, _MOST_CELL))
        side = 8 * cell
        left = (self.width() - count * side - (count - 1) * _GAP) // 2
        with canvas.Painter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            for place, caption in enumerate(self._captions()):
                frame = painting.Frame(left + place * (side + _GAP), 3, cell)
                self._draw(painter, frame, place)
                painter.setPen(theme.colours().colour("muted"))
                room = QRectF(frame.left - _GAP / 2, 3 + side + 2, side + _GAP, words)
                shown = self.fontMetrics().elidedText(caption, Qt.TextElideMode.ElideRight, int(room.width()))
                painter.drawText(room, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop), shown)

    def _draw(self, painter: QPainter, frame: painting.Frame, place: int) -> None:
        near, scheme = self._near, theme.colours()
        assert near is not None
        ratio = self.devicePixelRatioF()
        painting.draw_squares(painter, frame, scheme)
        if place < 2:
            painting.draw_tints(painter, frame, self.differing, scheme)
        else:
            geometry_painting.draw_way(painter, frame, near.motion, scheme)
        board = (self._entry, self._turned, self._found)[place].squares
        painting.draw_men(painter, frame, board, ratio)
        if place == 1:
            outside = sum(1 << square for square in range(64) if near.motion.square(square) < 0)
            geometry_painting.draw_outside(painter, frame, outside, scheme)
        if place == 2:
            geometry_painting.draw_motion(painter, frame, near.motion, scheme)


def _at(ply: int) -> str:
    return f", ply {wording.number(ply)}" if ply else ""
