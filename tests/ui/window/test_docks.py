"""Panes that are closed at first, in layouts that were kept before and after these panes existed; and how
panes are closed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QTabBar,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from cqlgui.ui.window import docks
from cqlgui.ui.window.layouts import Layout


def arranged(qtbot: QtBot) -> docks.Docks:
    main = QMainWindow()
    main.setCentralWidget(QWidget())
    qtbot.addWidget(main)
    main.resize(1366, 768)
    main.show()
    return docks.Docks(main, QWidget(), QTabWidget(), QWidget(), QWidget(), QTabWidget())


def beside_results(made: docks.Docks, dock: QDockWidget) -> bool:
    return dock in made._main.tabifiedDockWidgets(made.results)


def test_a_further_pane_is_closed_at_first_and_opens_beside_the_results(qtbot: QtBot) -> None:
    made = arranged(qtbot)
    dock = made.add("more", "More", QWidget())
    made.reset()
    assert not dock.isVisible()
    made.show(dock)
    assert dock.isVisible()
    assert beside_results(made, dock)
    # It stays open in another layout, where the results are in another place.
    made.choose(Layout.WIDE.value)
    assert dock.toggleViewAction().isChecked()
    assert beside_results(made, dock)


def test_layouts_keep_whether_a_further_pane_is_open(qtbot: QtBot) -> None:
    made = arranged(qtbot)
    made.reset()
    made.keep()
    before = made.kept[made.name]
    dock = made.add("more", "More", QWidget())
    made.reset()
    made.show(dock)
    made.keep()
    opened = made.kept[made.name]
    # The first layout was kept when there was no such pane.
    assert made.restore(before)
    assert not dock.isVisible()
    made.show(dock)
    assert beside_results(made, dock)
    dock.hide()
    assert made.restore(opened)
    assert dock.isVisible()
    assert beside_results(made, dock)


def test_the_pane_of_a_tab_can_be_closed(qtbot: QtBot) -> None:
    made = arranged(qtbot)
    line = QLineEdit()
    dock = made.add("more", "More", line)
    made.reset()
    made.show(dock)
    right = QTabBar.ButtonPosition.RightSide

    def bar() -> QTabBar:
        bars = made._main.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return next(one for one in bars if "More" in [one.tabText(place) for place in range(one.count())])

    def place() -> int:
        return [bar().tabText(place) for place in range(bar().count())].index("More")

    qtbot.waitUntil(lambda: bar().tabButton(place(), right) is not None)
    # The tabs of the five usual panes have a menu for this, but no button.
    assert bar().tabButton(1 - place(), right) is None
    assert bar().contextMenuPolicy() is Qt.ContextMenuPolicy.CustomContextMenu
    button = bar().tabButton(place(), right)
    assert isinstance(button, QAbstractButton)
    button.click()
    assert not dock.isVisible()
    made.show(dock)
    line.setFocus()
    qtbot.waitUntil(line.hasFocus)
    assert made.close_current() == "More"
    assert not dock.isVisible()
