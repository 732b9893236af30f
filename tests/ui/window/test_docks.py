"""Panes that are closed at first, in layouts that were kept before and after these panes existed; and how
panes are closed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QMenu,
    QTabBar,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from cqlgui.ui.look import wording
from cqlgui.ui.window import docks, layouts, main_window, start
from cqlgui.ui.window.layouts import Layout


@pytest.fixture
def main(qtbot: QtBot, qapp: QApplication) -> Iterator[main_window.MainWindow]:
    start.set_up(qapp)
    shown = main_window.MainWindow()
    # In a narrower window, the tabs have no buttons.
    shown.resize(1920, 1000)
    shown.show()
    shown.begin([])
    yield shown
    shown.close()
    shown.deleteLater()


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


def with_wide_pane(qtbot: QtBot) -> tuple[docks.Docks, QDockWidget]:
    """Panes with wide results, and one more wide pane."""
    made, content = arranged(qtbot), QWidget()
    content.setMinimumWidth(500)
    dock = made.add("more", "More", content)
    made.results.widget().setMinimumWidth(400)
    made.reset()
    return made, dock


def test_the_window_keeps_its_width_when_a_pane_opens_after_the_results_have_moved(qtbot: QtBot) -> None:
    made, dock = with_wide_pane(qtbot)
    main = made._main
    made.keep()
    kept = made.kept[made.name]
    # In a narrow window the results are a tab of the left column.
    main.resize(layouts.NARROW - 200, 600)
    assert made.restore(kept)
    for opens in (dock.toggleViewAction().trigger, lambda: made.show(dock)):
        opens()
        assert beside_results(made, dock)
        assert main.width() == layouts.NARROW - 200
        dock.close()
    # The user moves the results.
    main.resize(1366, 600)
    main.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, made.results)
    main.resize(layouts.NARROW, 600)
    qtbot.waitUntil(lambda: main.dockWidgetArea(dock) == Qt.DockWidgetArea.RightDockWidgetArea)
    dock.toggleViewAction().trigger()
    assert main.width() == layouts.NARROW


def test_columns_of_a_larger_window_do_not_widen_a_narrow_one(qtbot: QtBot) -> None:
    made, dock = with_wide_pane(qtbot)
    main = made._main
    made.show(dock)
    main.splitDockWidget(made.results, dock, Qt.Orientation.Horizontal)
    made.keep()
    kept = made.kept[made.name]
    made.reset()
    main.resize(800, 600)
    assert made.restore(kept)
    assert main.width() == 800
    assert dock.isVisible()
    assert beside_results(made, dock)
    main.resize(1366, 600)
    # A window with room for them keeps them.
    assert made.restore(kept)
    assert not beside_results(made, dock)


def test_panes_that_need_more_than_the_screen_go_back_beside_the_results(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    made, former = main.docks, QSize(1366, 768)
    main.resize(former)
    for dock in made.more:
        made.show(dock)
    # This is what Qt does when the user drops a pane at the right edge.
    for dock in made.more:
        main.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    assert not any(beside_results(made, dock) for dock in made.more)
    qtbot.waitUntil(lambda: all(beside_results(made, dock) for dock in made.more))
    qtbot.waitUntil(lambda: main.size() == former)


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
    made.show(dock)
    qtbot.waitUntil(lambda: bar().tabButton(place(), right) is not None)
    qtbot.mouseClick(bar(), Qt.MouseButton.LeftButton, pos=bar().tabRect(place()).center())
    assert dock.isVisible()
    qtbot.mouseClick(bar(), Qt.MouseButton.MiddleButton, pos=bar().tabRect(place()).center())
    qtbot.waitUntil(lambda: not dock.isVisible())


def test_the_pane_of_a_tab_becomes_a_window_with_a_title(qtbot: QtBot, main: main_window.MainWindow) -> None:
    made = main.docks
    bar = next(
        one
        for one in main.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if "Library" in [one.tabText(place) for place in range(one.count())]
    )
    tab = [bar.tabText(place) for place in range(bar.count())].index("Library")
    assert bar.tabToolTip(tab) == wording.plain_tip("Library")
    front = made.query
    assert main.rect().contains(front.geometry())
    assert not main.rect().contains(made.library.geometry())
    bar.customContextMenuRequested.emit(bar.tabRect(tab).center())
    (menu,) = bar.findChildren(QMenu)
    next(action for action in menu.actions() if "Float" in action.text()).trigger()
    assert made.library.isFloating()
    assert made.library.isVisible()
    assert made.library.titleBarWidget() is None
    # It stands where the front pane of its tabs stood.
    assert main.geometry().contains(made.library.geometry())
    assert made.library.size() == front.size()
    menu.close()


def test_a_pane_that_is_closed_in_any_way_is_told(qtbot: QtBot) -> None:
    made = arranged(qtbot)
    line = QLineEdit()
    dock = made.add("more", "More", line)
    made.reset()
    closed: list[str] = []
    opened: list[str] = []
    made.closed.connect(closed.append)
    made.opened.connect(opened.append)
    ways = (dock.close, dock.toggleViewAction().trigger, made.close_current)
    for number, close in enumerate(ways, 1):
        made.show(dock)
        line.setFocus()
        qtbot.waitUntil(line.hasFocus)
        assert opened[-1] == "More"
        close()
        assert closed == ["More"] * number
    # A pane that is closed already is not closed again, and other layouts close nothing.
    dock.close()
    made.choose(Layout.PRESENTING.value)
    made.leave_presenting()
    made.choose(Layout.WIDE.value)
    assert closed == ["More"] * len(ways)


def test_the_status_bar_says_which_pane_was_closed_last(qtbot: QtBot, main: main_window.MainWindow) -> None:
    panes = main.docks
    panes.show(panes.library)
    main.tell("Library was read")
    panes.library.close()
    told = "Library closed; the menu View opens it again"
    assert main.pointing.notice.text() == told
    dock = next(one for one in panes.more if one.widget() is main.duplicates)
    panes.show(dock)
    assert main.pointing.notice.text() == told
    right = QTabBar.ButtonPosition.RightSide

    def button() -> QAbstractButton | None:
        for bar in main.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            for place in range(bar.count()):
                found = bar.tabButton(place, right)
                if bar.tabText(place) == dock.windowTitle() and isinstance(found, QAbstractButton):
                    return found
        return None

    qtbot.waitUntil(lambda: button() is not None)
    shown = button()
    assert shown is not None
    shown.click()
    assert main.pointing.notice.text() == f"{dock.windowTitle()} closed; the menu View opens it again"
    # What is open again is no longer said to be closed.
    panes.show(dock)
    assert main.pointing.notice.text() == ""
