"""Panes that are closed at first, in layouts that were kept before and after these panes existed."""

from __future__ import annotations

from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget
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
