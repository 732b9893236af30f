"""Somebody at the window, for the stories. `CQLGUI_SHOTS` names a folder for pictures of the window; without
it no pictures are taken.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QMenu, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from cqlgui.board import squares
from cqlgui.tasks.results import search_model
from cqlgui.ui.look import theme
from cqlgui.ui.window import main_window

LEFT = Qt.MouseButton.LeftButton
SHOTS = os.environ.get("CQLGUI_SHOTS", "")


class Person:
    """Somebody at the window: what they do is done by mouse and keys, on what is in view."""

    def __init__(self, main: main_window.MainWindow, bot: QtBot) -> None:
        self.main, self._bot = main, bot

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        self._bot.waitUntil(holds)

    def pose(self) -> None:
        """Make the window as large as its screen if there will be pictures, and dark if this is asked for."""
        if SHOTS:
            if os.environ.get("CQLGUI_DARK"):
                theme.theme().apply(theme.Choice.DARK)
            self.main.move(0, 0)
            # The columns are beside each other at first, and may need more room than there is.
            for _ in range(2):
                self.main.resize(self.main.screen().availableSize())
                self._bot.wait(300)

    def look(self, name: str) -> None:
        """Keep a picture of the window."""
        if SHOTS:
            self._bot.wait(300)
            screen = self.main.screen().availableSize()
            assert self.main.size() == screen, f"{self.main.size()} on a screen of {screen}"
            assert self.main.grab().save(str(Path(SHOTS) / f"{name}.png"))

    def press(self, name: str) -> None:
        """Click the button with this name, or the tab that brings it into view and then the button."""
        found = [one for one in self.main.findChildren(QAbstractButton) if name in _names(one)]
        assert found, f"there is no button {name!r}"
        button = next((one for one in found if one.isVisible()), found[0])
        self.bring(button)
        assert button.isEnabled()
        self._click(button, button.rect().center())

    def ask_for(self, condition: str) -> None:
        """Click the chip of a condition, or its line in the menu of the last one."""
        chips = self.main.pointing.chips.findChildren(QAbstractButton)
        if any(chip.isVisible() and condition in _names(chip) for chip in chips):
            self.press(condition)
            return
        self.press("More conditions")
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        action = next(one for one in menu.actions() if one.text() == condition)
        QTest.mouseClick(menu, LEFT, Qt.KeyboardModifier.NoModifier, menu.actionGeometry(action).center())

    def here(self, name: str, key: Qt.Key) -> None:
        """Click a button beside the board, or press its keys where there is no room for it."""
        bar = self.main.here_bar.findChildren(QAbstractButton)
        if any(button.isVisible() and name in _names(button) for button in bar):
            self.press(name)
        else:
            self.key(key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier)

    def bring(self, wanted: QWidget) -> None:
        """Bring the pane of a widget into view by a click on its tab."""
        if wanted.isVisible() and not wanted.visibleRegion().isEmpty():
            return
        pane = next(dock for dock in self.main.docks.all if dock.isAncestorOf(wanted))
        for bar in self.main.findChildren(QTabBar):
            for place in range(bar.count()):
                if bar.isVisible() and bar.tabText(place) == pane.windowTitle():
                    self._click(bar, bar.tabRect(place).center())
        self.until(wanted.isVisible)

    def click_square(self, name: str) -> None:
        """Click a square of the board."""
        square = self.main.board.frame().square(squares.parse_square(name))
        self._click(self.main.board, square.center().toPoint())

    def click_row(self, row: int) -> None:
        """Click a row of the hits."""
        table = self.main.hits.table
        self.bring(table)
        index = table.model().index(row, 0)
        area = table.visualRect(index)
        self._click(table.viewport(), QPoint(area.left() + 12, area.center().y()))

    def place(self, tool: str, *names: str) -> None:
        """Choose men of the palette and place them on squares."""
        self.press(tool)
        for name in names:
            self.click_square(name)

    def key(self, key: Qt.Key, *held: Qt.KeyboardModifier) -> None:
        """Press a key where the keyboard is."""
        held_keys = Qt.KeyboardModifier.NoModifier
        for one in held:
            held_keys |= one
        QTest.keyClick(self.main.focusWidget() or self.main, key, held_keys)

    def open_tab(self, name: str) -> None:
        """Click a tab of the results."""
        bar = self.main.tabs.tabBar()
        self.bring(bar)
        place = next(place for place in range(bar.count()) if bar.tabText(place) == name)
        self._click(bar, bar.tabRect(place).center())

    def choose(self, name: str, words: str) -> None:
        """Choose words in the box with this name."""
        box = next(one for one in self.main.findChildren(QComboBox) if one.accessibleName() == name)
        assert box.isVisible()
        place = box.findText(words)
        assert place >= 0, [box.itemText(row) for row in range(box.count())]
        box.setCurrentIndex(place)

    def ask(self, text: str) -> search_model.SearchResult:
        """Write a query in place of the one in the editor, run it, and wait for its hits."""
        with self._bot.waitSignal(self.main.searcher.finished) as ended:
            self.main.editor.set_text(text)
            self.key(Qt.Key.Key_F5)
        found: search_model.SearchResult = ended.args[0]
        return found

    def click(self, on: QWidget, at: QPoint) -> None:
        """Click a place of a widget that is in view."""
        self._click(on, at)

    def search_ends(self) -> None:
        """Wait for the hits of the query as it stands now."""
        main = self.main
        self.until(lambda: not (main.live.busy or main.searcher.running) and main.asked == main.editor.text())
        self.until(lambda: main.result is not None)

    def landed(self) -> bool:
        """Whether the current hit is on the board, with its squares ringed."""
        hit, game = self.main.hits.current(), self.main.browser.game
        shown = (game.game, self.main.browser.positionid) if game is not None else None
        return hit is not None and (hit.game, hit.positionid) == shown and bool(self.main.board.rings)

    def _click(self, on: QWidget, at: QPoint) -> None:
        inside = QRect(QPoint(), self.main.size()).contains(on.mapTo(self.main, at))
        assert inside, f"{on!r} is outside of the window"
        assert on.visibleRegion().contains(at), f"{on!r} is not in view"
        QTest.mouseClick(on, LEFT, Qt.KeyboardModifier.NoModifier, at)


def _names(button: QAbstractButton) -> tuple[str, str]:
    """What is read on a button, and what is heard of it before its figures."""
    return button.text(), button.accessibleName().partition(":")[0]
