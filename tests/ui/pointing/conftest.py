"""A real board and a real editor, bound to each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.base.data import dataclass
from cqlgui.board import position, squares
from cqlgui.ui.board import widget
from cqlgui.ui.editor import panel
from cqlgui.ui.look import theme
from cqlgui.ui.pointing import controller, tools

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
PLAIN = Qt.KeyboardModifier.NoModifier


@dataclass
class Hand:
    """Points and types as a user does."""

    board: widget.BoardWidget
    editor: panel.EditorPanel
    pointing: controller.Controller

    @property
    def text(self) -> str:
        """The query."""
        return self.editor.text()

    def write(self, text: str, caret: int | None = None) -> None:
        """Put a text into the editor."""
        self.editor.replace(0, len(self.text), text)
        place = len(text) if caret is None else caret
        self.editor.edit.select(place, place)
        self.pointing.follow()

    def place(self, name: str) -> QPoint:
        """The middle of a square."""
        return self.board.frame().square(squares.parse_square(name)).center().toPoint()

    def take(self, mask: int) -> None:
        """Choose men in the palette."""
        if tools.Tool(mask) in self.pointing.palette.choices:
            QTest.mouseClick(self.pointing.palette.button(tools.Tool(mask)), LEFT)
        else:
            self.pointing.palette.set_tool(tools.Tool(mask))

    def click(self, name: str, button: Qt.MouseButton = LEFT, held: Qt.KeyboardModifier = PLAIN) -> None:
        """Click on a square."""
        QTest.mouseClick(self.board, button, held, self.place(name))

    def drag(
        self,
        origin: str,
        target: str,
        button: Qt.MouseButton = LEFT,
        held: Qt.KeyboardModifier = PLAIN,
    ) -> None:
        """Drag from a square to another one; to the palette for an empty name."""
        end = self.place(target) if target else QPoint(1, 1)
        QTest.mousePress(self.board, button, held, self.place(origin))
        QTest.mouseMove(self.board, end)
        QTest.mouseRelease(self.board, button, held, end)

    def turn(self, name: str, notches: int) -> None:
        """Turn the wheel over a square, one notch after the other."""
        point = QPointF(self.place(name))
        step = 120 if notches > 0 else -120
        for _ in range(abs(notches)):
            event = QWheelEvent(
                point,
                self.board.mapToGlobal(point),
                QPoint(),
                QPoint(0, step),
                Qt.MouseButton.NoButton,
                PLAIN,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(self.board, event)

    def key(self, *keys: Qt.Key, held: Qt.KeyboardModifier = PLAIN) -> None:
        """Press keys on the board."""
        for one in keys:
            QTest.keyClick(self.board, one, held)


@pytest.fixture
def hand(qtbot: QtBot) -> Iterator[Hand]:
    """A board in Pattern mode beside an empty editor, with the men of a game at its start."""
    theme.theme().apply(theme.Choice.LIGHT)
    board, editor, parent = widget.BoardWidget(), panel.EditorPanel(), QObject()
    pointing = controller.Controller(board, editor, parent)
    for part in (board, editor, pointing.palette, pointing.chips, pointing.steps, pointing.notice):
        qtbot.addWidget(part)
    board.set_position(position.Position.start())
    board.resize(404, 432)
    pointing.chips.resize(700, 28)
    board.show()
    pointing.set_active(True)
    yield Hand(board, editor, pointing)
    editor.shut_down()
