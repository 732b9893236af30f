"""Choices in the pane of facets change the hits in the window, and a changed file is compared with before."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.tasks.analysis import attributes, facets
from cqlgui.tasks.results import search_model
from cqlgui.ui.facets import pane as pane_module
from cqlgui.ui.look import wording
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb


def ask(qtbot: QtBot, main: main_window.MainWindow, text: str) -> search_model.SearchResult:
    main.editor.set_text(text)
    with qtbot.waitSignal(main.searcher.finished) as ended:
        qtbot.keyClick(main, Qt.Key.Key_F5)
    found: search_model.SearchResult = ended.args[0]
    return found


@pytest.fixture
def pane(main: main_window.MainWindow) -> pane_module.FacetsPane:
    """The pane of facets of the window's hits."""
    main.tabs.setCurrentWidget(main.facets)
    return main.facets


def test_the_table_shows_what_is_chosen(
    qtbot: QtBot, main: main_window.MainWindow, pane: pane_module.FacetsPane
) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    whole = ask(qtbot, main, "flipcolor {check}")
    qtbot.waitUntil(lambda: pane._sheet is not None and pane._sheet.result is whole)
    assert main.base is not None
    sheet = facets.sheet(attributes.of_base(main.base), whole)
    choice = facets.Choice()
    for name, how, change in (
        (facets.RESULT, "alone", facets.Choice.alone),
        (facets.PHASE, "excluded", facets.Choice.excluding),
        (facets.PLY, "alone", facets.Choice.alone),
    ):
        listed = {facet.name: facet for facet in facets.counts(sheet, choice)}
        value = max(listed[name].values, key=lambda one: one.positions)
        choice = change(choice, name, value.key)
        with qtbot.waitSignal(main.narrower.shown):
            pane.tree.asked.emit(how, name, value.key)
        wanted = facets.narrowed(sheet, choice)
        assert (main.hits.count, main.hits.games) == (wanted.positions, len(wanted.order))
    assert not main.hits._narrowed.isHidden()
    # The chip in the panel of hits shows all hits again, and the pane chooses nothing then.
    with qtbot.waitSignal(main.narrower.shown):
        main.hits._narrowed.click()
    assert main.hits.count == whole.positions
    assert not pane.choice
    # The next search begins without a choice.
    with qtbot.waitSignal(main.narrower.shown):
        pane.tree.asked.emit("alone", facets.RESULT, 0)
    other = ask(qtbot, main, "mate")
    assert main.hits.count == other.positions
    qtbot.waitUntil(lambda: pane._sheet is not None and pane._sheet.result is other)
    assert not pane.choice


def test_a_query_that_is_run_again_on_a_longer_file_tells_what_is_new(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    shelf = main.sets
    games = resource("sample/sample.pgn").read_text("utf-8").split("\n\n[Event ")
    path, longer = tmp_path / "some.pgn", tmp_path / "more.pgn"
    for place, count in ((path, 20), (longer, 26)):
        place.write_text("\n\n[Event ".join(games[:count]) + "\n", "utf-8")
    with qtbot.waitSignal(main.opener.opened):
        main.begin([path])
    before = ask(qtbot, main, "check")
    qtbot.waitUntil(lambda: main.narrower._prints is not None)
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([path, longer])
    with qtbot.waitSignal(main.narrower.changed) as changed:
        after = ask(qtbot, main, " check")
    found = changed.args[0]
    assert found.added.order == tuple(game for game in after.order if game > 20)
    assert not found.lost.order
    assert len(after.order) == len(before.order) + len(found.added.order)
    # The user learns of it whichever pane is shown.
    message = main.infobar.shown
    assert message is not None
    assert f"{found.hits_added:,} more hits and 0 fewer" in message.text
    assert message.action is not None
    assert main.tabs.currentWidget() is not shelf
    message.action[1]()
    assert main.tabs.currentWidget() is shelf
    with qtbot.waitSignal(main.narrower.shown):
        shelf._changes.parts[0].click()
    assert main.hits.games == len(found.added.order)
    # Another version of the query is compared with the kept hits of this one, from the menu of the hits.
    with qtbot.waitSignal(main.narrower.shown):
        main.narrower.undo()
    main.hits.narrow.kept.emit()
    version = ask(qtbot, main, "check not mate or ply == 1")
    main.tabs.setCurrentWidget(main.hits)
    main.hits.narrow._fill()
    menu = next(one for one in main.hits.narrow._menu.actions() if "With kept" in one.text()).menu()
    assert isinstance(menu, QMenu)
    part = menu.actions()[0].menu()
    assert isinstance(part, QMenu)
    with qtbot.waitSignal(main.narrower.sets_wanted):
        next(one for one in part.actions() if one.text() == "Compare with these").trigger()
    assert main.tabs.currentWidget() is shelf
    added, lost, moved = shelf._changes.parts
    new = set(version.order) - set(after.order)
    assert added.text() == wording.counted(len(new), "game added", "games added")
    both = set(version.order) & set(after.order)
    different = [game for game in both if version.games[game].hits != after.games[game].hits]
    assert moved.text() == wording.counted(len(different), "game moved", "games moved")
    assert lost.text() == wording.counted(len(set(after.order) - both), "game lost", "games lost")
    with qtbot.waitSignal(main.narrower.shown):
        moved.click()
    assert main.hits.games == len(different)


def test_a_dropped_set_comes_back_and_the_query_stays(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    shelf, notice = main.sets, main.pointing.notice

    def listed() -> list[str]:
        return [shelf.list.item(row).text() for row in range(shelf.list.count())]

    for query in ("check", "mate", "stalemate or ply == 1"):
        ask(qtbot, main, query)
        main.hits.narrow.kept.emit()
    text = main.editor.text()
    main.tabs.setCurrentWidget(shelf)
    shelf.list.setFocus()
    shelf.list.setCurrentRow(1)
    for left in (["stalemate or ply == 1", "check"], ["stalemate or ply == 1"], []):
        qtbot.keyClick(shelf.list, Qt.Key.Key_Delete)
        assert listed() == left
    assert notice.text() == "“stalemate or ply == 1” was dropped"
    # The button brings the last set back, and the key brings the others back.
    qtbot.mouseClick(notice.undo, Qt.MouseButton.LeftButton)
    assert listed() == ["stalemate or ply == 1"]
    assert notice.text() == ""
    for back in (["stalemate or ply == 1", "check"], ["stalemate or ply == 1", "mate", "check"]):
        shelf.list.setFocus()
        qtbot.keyClick(shelf.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert listed() == back
    assert main.editor.text() == text
    # After that, the key is for the query.
    qtbot.keyClick(shelf.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert main.editor.text() != text
    # The empty list keeps the focus in the pane, so the key never reaches the query by accident.
    main.editor.set_text(text)
    shelf.list.setFocus()
    for _ in range(3):
        qtbot.keyClick(shelf.list, Qt.Key.Key_Delete)
    focus = main.focusWidget()
    assert focus is not None
    assert shelf.isAncestorOf(focus)
    qtbot.keyClick(focus, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(listed()) == 1
    assert main.editor.text() == text
