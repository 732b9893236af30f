"""The board with the notation below or beside it, whichever gives the board more room."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from cqlgui.ui.board import widget

BESIDE, UNDER = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class Stage(QSplitter):
    """Holds the board with its surroundings, and the notation. Until the user moves the divider, the notation
    gets the room that the board cannot use."""

    def __init__(self, board_side: QWidget, board: widget.BoardWidget, notation: QWidget, above: int) -> None:
        """`above` is the height that the board keeps free above its squares."""
        super().__init__(UNDER)
        self._board_side, self._board, self._above = board_side, board, above
        self._notation = notation
        self._drawing = False
        self.dragged = False
        self.setChildrenCollapsible(False)
        self.addWidget(board_side)
        self.addWidget(notation)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self.splitterMoved.connect(self._moved)
        board_side.installEventFilter(self)

    def set_drawing(self, drawing: bool) -> None:
        """Set whether the user draws on the board. While the user draws, the notation is hidden if the board
        is larger without it."""
        self._drawing = drawing
        self.fit()

    def reset(self) -> None:
        """Forget where the user put the divider."""
        self.dragged = False
        self.fit()

    def fit(self) -> None:
        """Give the board as much room as it can use."""
        width, height, around = self.width() - self._board.side_width, self.height(), self._around()
        orientation, notation = divide(width, height, around)
        taken = (notation, 0) if orientation is BESIDE else (0, notation)
        room = min(width - taken[0], height - taken[1] - around)
        self._notation.setVisible(not self._drawing or room >= min(width, height - around))
        if self.dragged:
            return
        if orientation is not self.orientation():
            self.setOrientation(orientation)
        whole = self.width() if orientation is BESIDE else self.height()
        self.setSizes([max(1, whole - self.handleWidth() - notation), notation])

    def state(self) -> QByteArray:
        """The place of the divider. The result is empty if the user has not moved the divider."""
        return self.saveState() if self.dragged else QByteArray()

    def restore(self, state: QByteArray) -> None:
        """Put the divider back where it was when `state` was called."""
        self.dragged = not state.isEmpty() and self.restoreState(state)
        self.fit()

    def _around(self) -> int:
        """The height of everything above and below the squares of the board."""
        column = self._board_side.layout()
        if column is None:
            return self._above
        margins = column.contentsMargins()
        found = self._above + margins.top() + margins.bottom()
        for place in range(column.count()):
            item = column.itemAt(place)
            if item is not None and item.widget() is not self._board and not item.isEmpty():
                found += item.sizeHint().height() + column.spacing()
        return found

    def _moved(self, _position: int, _index: int) -> None:
        self.dragged = True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # While the user draws, rows below the board are shown and hidden, so the room for the board changes.
        if event.type() is QEvent.Type.LayoutRequest and self._drawing:
            self.fit()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


def divide(width: int, height: int, around: int) -> tuple[Qt.Orientation, int]:
    """`BESIDE` and the width of the notation, or `UNDER` and the height of the notation. The board gets as
    large as possible. `around` is the height of everything above and below the squares. `width` does not
    include the widget to the left of the squares."""
    narrow, low = max(130, min(240, width * 28 // 100)), max(56, min(130, height * 23 // 200))
    beside = min(width - narrow, height - around)
    under = min(width, height - low - around)
    if beside > under:
        return BESIDE, max(narrow, min(width - beside, width * 2 // 5))
    return UNDER, max(low, height - around - width)
