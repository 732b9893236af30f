"""Turns mouse and key events on the board into signals about squares. This module does not use patterns or
queries.

In Pattern mode this module handles all events that concern marks. The board handles all other events. For
example, a turn of the wheel beside the marks steps through the game. In Game mode this module handles only
Ctrl+click and a lasso with Ctrl or Shift.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip

from cqlgui.board import squares
from cqlgui.ui.board import widget
from cqlgui.ui.look import wording

_STEP = 120
"""The angle of one notch of the wheel, in eighths of a degree."""
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_DELETE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_LEFT, _RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
_SHIFT, _CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


class Gestures(QObject):
    """An event filter of the board. Its signals carry a square as a number, a place beside the board as
    `squares.NONE`, and a set of squares as a bitboard.

    - `pressed`: a click, with the point in the coordinates of the board's widget. `added`: a click with Ctrl.
    - `dragged`: a drag with the left button has ended. `dragging`: a drag with the left button goes on.
    - `removed`: a right click, with the point in the coordinates of the board's widget.
    - `arrow_drawn`: a drag with the right button has ended; the point is the end of the drag on the screen.
      `arrow_drawing`: a drag with the right button goes on. `arrow_wanted`: the key T.
    - `widened`: the wheel or the keys + and -; the number is +1 or -1. `role_wanted`: Space, for the next
      role.
    - `lassoed`: a lasso in Pattern mode is complete. `lifted`: a lasso in Game mode is complete.
      `lasso_drawn`: a lasso is being drawn.
    - `cursor_moved`: keys moved the square cursor; `hovered`: the pointer moved to another square.
    - `placed`: Enter; `deleted`: Delete; `typed`: a letter, digit or sign that chooses a tool; `left`: Esc.
    - `idle`: a click that has no meaning in Game mode.
    """

    pressed = Signal(int, QPointF)
    added = Signal(int)
    dragged = Signal(int, int)
    dragging = Signal(int, int)
    removed = Signal(int, QPointF)
    arrow_drawn = Signal(int, int, QPoint)
    arrow_drawing = Signal(int, int)
    arrow_wanted = Signal(int)
    widened = Signal(int, int)
    role_wanted = Signal(int)
    lassoed = Signal(object)
    lasso_drawn = Signal(object)
    lifted = Signal(object)
    cursor_moved = Signal(int)
    hovered = Signal(int)
    placed = Signal(int)
    deleted = Signal(int)
    typed = Signal(str)
    left = Signal()
    idle = Signal()

    def __init__(
        self,
        board: widget.BoardWidget,
        wheel_taken: Callable[[int], bool],
        tip_of: Callable[[int], str],
    ) -> None:
        super().__init__(board)
        self._tip_of = tip_of
        self._board = board
        self._wheel_taken = wheel_taken
        self._active = False
        self._button = Qt.MouseButton.NoButton
        self._lasso = False
        self._origin = self._over = squares.NONE
        self._wheel = 0
        # Whether an arrow key was pressed after the last movement of the mouse (see `_target`).
        self._by_keys = False
        self.cursor = squares.NONE
        board.installEventFilter(self)

    @property
    def active(self) -> bool:
        """Whether the board is in Pattern mode."""
        return self._active

    def set_active(self, active: bool) -> None:
        """Switch to Pattern mode, or to Game mode."""
        self._active = active
        self._button = Qt.MouseButton.NoButton
        self._board.setMouseTracking(active)
        self.cursor = self._over = squares.NONE

    # --- the mouse ------------------------------------------------------------------------------------------

    def _press(self, event: QMouseEvent) -> bool:
        if self._button is not Qt.MouseButton.NoButton:
            return True
        square = self._square(event)
        held = event.modifiers()
        self._lasso = event.button() == _LEFT and bool(held & (_SHIFT if self._active else _SHIFT | _CONTROL))
        if square < 0 or event.button() not in (_LEFT, _RIGHT):
            return False
        if not (self._active or self._lasso):
            self.idle.emit()
            return False
        self._button = event.button()
        self._origin = self._over = square
        self._by_keys = False
        self._board.setFocus(Qt.FocusReason.MouseFocusReason)
        if self._lasso:
            self.lasso_drawn.emit(squares.BIT[square])
        return True

    def _move(self, event: QMouseEvent) -> bool:
        square = self._square(event)
        if square == self._over:
            return self._button is not Qt.MouseButton.NoButton
        self._over = square
        self._by_keys = False
        if self._button is Qt.MouseButton.NoButton:
            self.hovered.emit(square)
            return False
        if self._lasso:
            self.lasso_drawn.emit(spanned(self._origin, square))
        elif self._button == _LEFT:
            self.dragging.emit(self._origin, square)
        else:
            self.arrow_drawing.emit(self._origin, square)
        return True

    def _release(self, event: QMouseEvent) -> bool:
        if event.button() != self._button:
            return self._button is not Qt.MouseButton.NoButton
        square, origin, lasso = self._square(event), self._origin, self._lasso
        button, self._button = self._button, Qt.MouseButton.NoButton
        if lasso:
            area = spanned(origin, square)
            self.lasso_drawn.emit(0)
            (self.lassoed if self._active else self.lifted).emit(area)
        elif button == _RIGHT:
            self.arrow_drawing.emit(squares.NONE, squares.NONE)
            if square == origin:
                self.removed.emit(origin, event.position())
            elif square >= 0:
                self.arrow_drawn.emit(origin, square, event.globalPosition().toPoint())
        else:
            self.dragging.emit(squares.NONE, squares.NONE)
            if square != origin:
                self.dragged.emit(origin, square)
            elif event.modifiers() & _CONTROL:
                self.added.emit(origin)
            else:
                self.pressed.emit(origin, event.position())
        return True

    def _cancel(self) -> None:
        """Cancel the running gesture. Releasing the mouse button afterwards does nothing."""
        self._button = Qt.MouseButton.NoButton
        self.lasso_drawn.emit(0)
        self.arrow_drawing.emit(squares.NONE, squares.NONE)
        self.dragging.emit(squares.NONE, squares.NONE)

    def _turn(self, event: QWheelEvent) -> bool:
        square = self._board.frame().at(event.position())
        if square < 0 or not self._wheel_taken(square):
            self._wheel = 0
            return False
        self._wheel += event.angleDelta().y()
        while abs(self._wheel) >= _STEP:
            step = 1 if self._wheel > 0 else -1
            self._wheel -= _STEP * step
            self.widened.emit(square, step)
        event.accept()
        return True

    def _square(self, event: QMouseEvent) -> int:
        return self._board.frame().at(event.position())

    # --- keys -----------------------------------------------------------------------------------------------

    def _key(self, event: QKeyEvent) -> bool:
        key = Qt.Key(event.key())
        if event.modifiers() & (_CONTROL | Qt.KeyboardModifier.AltModifier):
            return False
        if key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key in _ARROWS:
            self._walk(*_ARROWS[key])
        elif key in _ENTER:
            # The signal is emitted even if there is no square, because Enter also opens the menu of a
            # selected arrow.
            self.placed.emit(self._target())
        elif key in _DELETE:
            self.deleted.emit(self._target())
        elif key == Qt.Key.Key_Space:
            self._at_target(self.role_wanted.emit)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._at_target(lambda square: self.widened.emit(square, 1))
        elif key == Qt.Key.Key_Minus:
            self._at_target(lambda square: self.widened.emit(square, -1))
        elif key == Qt.Key.Key_T:
            self._at_target(self.arrow_wanted.emit)
        elif event.text() and event.text().upper() in _TYPED:
            self.typed.emit(event.text())
        else:
            return False
        return True

    def _target(self) -> int:
        """The square that a key acts on. If the mouse moved after the last arrow key and is on the board, the
        result is the square under the pointer. In all other cases, the result is the square of the cursor."""
        if self._by_keys or self._over < 0:
            return self.cursor
        return self._over

    def _at_target(self, say: Callable[[int], None]) -> None:
        square = self._target()
        if square >= 0:
            say(square)

    def _walk(self, right: int, up: int) -> None:
        if self._board.turned:
            right, up = -right, -up
        square = self._target()
        if square < 0:
            square = squares.parse_square("e4")
        else:
            file = min(7, max(0, squares.file_of(square) + right))
            rank = min(7, max(0, squares.rank_of(square) + up))
            square = squares.make_square(file, rank)
        self._by_keys = True
        self.cursor = square
        self.cursor_moved.emit(square)

    def _wants(self, event: QKeyEvent) -> bool:
        """Whether this module handles a key. Without this test, some of the keys would trigger shortcuts of
        the window."""
        if event.modifiers() & (_CONTROL | Qt.KeyboardModifier.AltModifier):
            return False
        key = Qt.Key(event.key())
        return key in _ARROWS or key in (Qt.Key.Key_Escape, Qt.Key.Key_Space, *_ENTER, *_DELETE) or (
            bool(event.text()) and event.text().upper() in _TYPED
        )  # fmt: skip

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if isinstance(event, QMouseEvent):
            if kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick):
                return self._press(event)
            if kind == QEvent.Type.MouseMove:
                return self._move(event)
            if kind == QEvent.Type.MouseButtonRelease:
                return self._release(event)
        held = self._button is not Qt.MouseButton.NoButton
        if held and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if kind == QEvent.Type.KeyPress:
                self._cancel()
            event.accept()
            return True
        if not self._active:
            return False
        if isinstance(event, QWheelEvent):
            return self._turn(event)
        if isinstance(event, QKeyEvent):
            if kind == QEvent.Type.ShortcutOverride and self._wants(event):
                event.accept()
                return True
            if kind == QEvent.Type.KeyPress:
                return self._key(event)
        if isinstance(event, QHelpEvent) and kind == QEvent.Type.ToolTip:
            square = self._board.frame().at(QPointF(event.pos()))
            words = self._tip_of(square) if square >= 0 else ""
            QToolTip.showText(event.globalPos(), wording.plain_tip(words), self._board)
            return True
        if kind == QEvent.Type.Leave:
            self._over = squares.NONE
            self.hovered.emit(squares.NONE)
        return False


_TYPED = frozenset("KQRBNPAEX_.123+-=T")


def spanned(origin: int, target: int) -> int:
    """The rectangle with the corners `origin` and `target`, as a bitboard. If `target` is beside the board,
    the result is only the square `origin`."""
    if target < 0:
        return squares.BIT[origin]
    files = sorted((squares.file_of(origin), squares.file_of(target)))
    ranks = sorted((squares.rank_of(origin), squares.rank_of(target)))
    return sum(
        squares.BIT[squares.make_square(file, rank)]
        for file in range(files[0], files[1] + 1)
        for rank in range(ranks[0], ranks[1] + 1)
    )
