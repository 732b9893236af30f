"""The pane of sets keeps, shows, combines, renames and drops."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from cqlgui.base import data
from cqlgui.db import journal
from cqlgui.tasks.analysis import kept_sets, sets
from cqlgui.tasks.databases import importing, workspace
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import narrowing, searching
from cqlgui.ui.facets import sets_pane
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import narrow
from cqlgui.ui.state import narrower


@pytest.fixture
def made(qtbot: QtBot, door: jobs.Jobs) -> narrower.Narrower:
    button = narrow.NarrowButton(door)
    qtbot.addWidget(button)
    return narrower.Narrower(door, button, button)


@pytest.fixture
def pane(qtbot: QtBot, made: narrower.Narrower) -> sets_pane.SetsPane:
    found = sets_pane.SetsPane()
    qtbot.addWidget(found)
    found.resize(330, 400)
    found.show()
    made.join_sets(found)
    return found


def names(pane: sets_pane.SetsPane) -> list[str]:
    return [pane.list.item(row).text() for row in range(pane.list.count())]


def trigger(menu: QMenu, title: str) -> None:
    next(one for one in menu.actions() if one.text().replace("&", "").startswith(title)).trigger()


def test_the_pane_says_to_what_the_hits_shown_are_narrowed(qtbot: QtBot, pane: sets_pane.SetsPane) -> None:
    pane.tell_narrowing("minus check")
    assert pane._narrowed.isVisible()
    with qtbot.waitSignal(pane.widened):
        pane._narrowed.button.click()
    with qtbot.waitSignal(pane.widened):
        qtbot.keyClick(pane.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    pane.tell_narrowing("")
    assert not pane._narrowed.isVisible()


def test_hits_are_kept_and_combined_with_others(
    qtbot: QtBot,
    made: narrower.Narrower,
    pane: sets_pane.SetsPane,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    assert not pane._keep.isEnabled()
    checks = searching.search(base, "check")
    made.take(base, checks)
    pane._keep.click()
    assert names(pane) == ["check"]
    made.take(base, result)
    pane._keep.click()
    assert names(pane)[1] == "check"
    pane.list.setCurrentRow(1)
    qtbot.waitUntil(lambda: not made._jobs.active("fingerprints"))
    for title, wanted in (
        ("Hits in both", narrowing.both(result, checks)),
        ("Hits in either", narrowing.either(result, checks)),
        ("Hits not in these", narrowing.without(result, checks)),
        ("Hits in only one", narrowing.only_one(result, checks)),
    ):
        with qtbot.waitSignal(made.shown) as shown:
            trigger(pane.menu_for(made._shelf.sets[0]), title)
        assert shown.args[0].positions == wanted.positions
        with qtbot.waitSignal(made.shown):
            made.undo()
    with qtbot.waitSignal(made.shown) as shown:
        pane._buttons[0].click()
    assert shown.args == [checks, "check"]
    with qtbot.waitSignal(made.scoped) as scoped:
        trigger(pane.menu_for(made._shelf.sets[0]), "Search in")
    assert scoped.args == [len(checks.order)]
    assert made.within is not None
    assert made.within.tolist() == sorted(checks.order)


def test_a_set_is_compared_with_the_hits_shown(
    qtbot: QtBot,
    made: narrower.Narrower,
    pane: sets_pane.SetsPane,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    checks = searching.search(base, "check or ply == 3")
    made.take(base, checks)
    pane._keep.click()
    made.take(base, result)
    assert not pane._changes.isVisible()
    pane.list.setCurrentRow(0)
    pane._buttons[2].click()
    qtbot.waitUntil(pane._changes.isVisible)
    one, other = (sets.NamedSet("", base, found, 0.0) for found in (checks, result))
    changes = sets.compare(one, other)
    assert changes.lost.order or changes.moved.order
    added, lost, moved = (button.text() for button in pane._changes.parts)
    assert added.startswith(f"{len(changes.added.order)} ")
    assert lost.startswith(f"{len(changes.lost.order)} ")
    assert moved.startswith(f"{len(changes.moved.order)} ")
    with qtbot.waitSignal(made.shown) as shown:
        pane._changes.parts[2].click()
    assert shown.args[0].order == changes.moved.order


def test_a_long_name_without_spaces_makes_the_comparison_no_wider(
    made: narrower.Narrower,
    pane: sets_pane.SetsPane,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    before = sets.NamedSet("W" * 200, base, searching.search(base, "check"), 0.0)
    after = sets.NamedSet("other", base, result, 0.0)
    width = pane.minimumSizeHint().width()
    pane.show_changes(before, after, sets.compare(before, after))
    assert pane._changes.isVisible()
    assert pane.minimumSizeHint().width() == width
    # What changed goes with its query, also if a live search of another query is no run of it.
    made.take(base, searching.search(base, "mate"), remember=False)
    assert not pane._changes.isVisible()


def test_sets_are_renamed_and_dropped(
    qtbot: QtBot,
    made: narrower.Narrower,
    pane: sets_pane.SetsPane,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    made.take(base, searching.search(base, "check"))
    pane._keep.click()
    made.take(base, result)
    pane._keep.click()
    pane.list.setCurrentRow(1)
    trigger(pane.menu_for(made._shelf.sets[0]), "Rename")
    box = pane.list.findChild(QLineEdit)
    assert box is not None
    box.setText("all checks")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: made._shelf.sets[0].name == "all checks")
    assert names(pane)[1] == "all checks"
    pane.list.setFocus()
    pane.list.setCurrentRow(1)
    qtbot.keyClick(pane.list, Qt.Key.Key_Delete)
    assert len(names(pane)) == 1
    made.leave_base()
    assert names(pane) == []
    assert pane._note.isVisible()


def test_queries_that_begin_alike_are_kept_side_by_side(
    made: narrower.Narrower, pane: sets_pane.SetsPane, base: base_model.Base
) -> None:
    begin = "[QRBNP]a-h1-8 attacks [qrbnpk]a-h1-8 ply > "
    for last in ("20", "30"):
        made.take(base, searching.search(base, begin + last))
        pane._keep.click()
    name = narrow.name_of(made._shelf.sets[0].result)
    assert names(pane) == [f"{name} (2)", name]
    assert [one.query for one in made._shelf.sets] == [f"{begin}20", f"{begin}30"]
    pane._keep.click()
    assert names(pane) == [f"{name} (2)", name]


def test_a_set_that_has_no_room_is_refused_and_none_is_lost(
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    made: narrower.Narrower,
    pane: sets_pane.SetsPane,
    base: base_model.Base,
) -> None:
    monkeypatch.setattr(sets, "MOST_SETS", 2)
    for query in ("check", "mate"):
        made.take(base, searching.search(base, query))
        pane._keep.click()
    made.take(base, searching.search(base, "ply == 3"))
    with qtbot.waitSignal(made.sets_wanted):
        pane._keep.click()
    assert names(pane) == ["mate", "check"]
    assert pane._refusal.isVisible()
    assert pane._refusal.text().startswith("2 sets are kept")
    pane.list.setFocus()
    pane.list.setCurrentRow(1)
    qtbot.keyClick(pane.list, Qt.Key.Key_Delete)
    assert not pane._refusal.isVisible()
    pane._keep.click()
    assert names(pane) == ["ply == 3", "mate"]


def test_sets_whose_hits_are_not_kept_for_the_next_start_are_named(
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    door: jobs.Jobs,
    made: narrower.Narrower,
    base: base_model.Base,
) -> None:
    made.take(base, searching.search(base, "check"))
    made._keep()
    qtbot.waitUntil(lambda: door.count == 0)
    monkeypatch.setattr(journal, "KEPT_BYTES", 0)
    made.take(base, searching.search(base, "mate"))
    with qtbot.waitSignal(made.told) as told:
        made._keep()
    assert told.args[0].endswith("these sets have only queries: “mate”, “check”.")


def test_sets_that_are_dropped_come_back_with_ctrl_z(
    qtbot: QtBot,
    door: jobs.Jobs,
    made: narrower.Narrower,
    pane: sets_pane.SetsPane,
    base: base_model.Base,
) -> None:
    told: list[str] = []
    made.dropped.connect(told.append)
    for query in ("check", "mate", "ply == 1", "ply == 2"):
        made.take(base, searching.search(base, query))
        pane._keep.click()
    qtbot.waitUntil(lambda: door.count == 0)
    pane.activateWindow()
    pane.list.setFocus()
    pane.list.setCurrentRow(1)
    for left in (["ply == 2", "mate", "check"], ["ply == 2", "check"], ["ply == 2"], []):
        qtbot.keyClick(pane.list, Qt.Key.Key_Delete)
        assert names(pane) == left
    assert told == [f"“{name}” was dropped" for name in ("ply == 1", "mate", "check", "ply == 2")]
    assert pane._note.isVisible()
    qtbot.waitUntil(lambda: door.count == 0)
    assert kept_sets.load(base).sets == ()
    # The list is empty, but the key is still meant for it.
    focus = pane.focusWidget()
    assert focus is pane._note
    qtbot.keyClick(focus, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert names(pane) == ["ply == 2"]
    assert told[-1] == ""
    for back, row in (
        (["ply == 2", "check"], 1),
        (["ply == 2", "mate", "check"], 1),
        (["ply == 2", "ply == 1", "mate", "check"], 1),
    ):
        qtbot.keyClick(pane.list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert names(pane) == back
        assert pane.list.currentRow() == row
    # Now the key is the window's again.
    assert not made._shelf.dropped
    qtbot.waitUntil(lambda: door.count == 0)
    workspace.close()
    assert [one.name for one in kept_sets.load(base).sets] == ["check", "mate", "ply == 1", "ply == 2"]


def test_a_set_of_games_that_have_changed_comes_back_with_all_it_had(
    qtbot: QtBot, door: jobs.Jobs, made: narrower.Narrower, pgn: Path, base: base_model.Base
) -> None:
    made.take(base, searching.search(base, "check"))
    made._keep()
    qtbot.waitUntil(lambda: door.count == 0)
    made.leave_base()
    workspace.close()
    pgn.write_text(pgn.read_text("utf-8") + '\n\n[White "New"]\n\n1. e4 f5 2. Qh5+ *\n', "utf-8")
    later = importing.open_base([pgn]).base
    again = narrower.Narrower(door, narrow.NarrowButton(door), made)
    again.open_base(later)
    qtbot.waitUntil(lambda: len(again._shelf.sets) == 1)
    former = again._shelf.sets[0]
    again._drop(former)
    qtbot.waitUntil(lambda: door.count == 0)
    again.bring_back()
    qtbot.waitUntil(lambda: door.count == 0)
    workspace.close()
    (kept,) = kept_sets.load(later).sets
    assert kept.key == former.key
    # Its games are still found by their fingerprints.
    assert sets.in_base(kept, later).order == former.result.order


def test_sets_stay_and_are_renewed_when_the_games_have_changed(
    qtbot: QtBot, door: jobs.Jobs, made: narrower.Narrower, pgn: Path, base: base_model.Base
) -> None:
    made.take(base, searching.search(base, "check"))
    made._keep()
    made.take(base, searching.search(base, "mate"))
    qtbot.waitUntil(lambda: door.count == 0)
    made.leave_base()
    workspace.close()
    pgn.write_text('[White "New"]\n\n1. e4 f5 2. Qh5+ *\n\n' + pgn.read_text("utf-8"), "utf-8")
    later = importing.open_base([pgn]).base
    # The program is started anew.
    again = narrower.Narrower(door, narrow.NarrowButton(door), made)
    pane = sets_pane.SetsPane()
    qtbot.addWidget(pane)
    pane.resize(330, 400)
    pane.show()
    again.join_sets(pane)
    again.open_base(later)
    qtbot.waitUntil(lambda: names(pane) == ["check"])
    assert "of an older state of the base" in pane.list.item(0).toolTip()
    show, *_others, renew = pane._buttons
    assert show.isEnabled()
    assert renew.isVisible()
    again.take(later, searching.search(later, "ply == 3"))
    with qtbot.waitSignal(again.failed) as failed:
        trigger(pane.menu_for(again._shelf.sets[0]), "Hits in both")
    assert "is of an older state of the base" in failed.args[0]
    with qtbot.waitSignal(again.failed):
        show.click()
    # A set of two queries cannot be searched again as it is.
    both = data.replace(again._shelf.sets[0], whole=False)
    with qtbot.waitSignal(again.told) as told:
        pane.again.emit(both)
    assert "searched as a whole" in told.args[0]
    with qtbot.waitSignal(again.again) as asked, qtbot.assertNotEmitted(again.told):
        renew.click()
    assert asked.args == ["check", "check"]
    result = searching.search(later, "check")
    with qtbot.waitSignal(again.changed) as changed:
        again.take(later, result)
    found = changed.args[0]
    assert (found.added.order, found.lost.order, found.moved.order, found.gone) == ((1,), (), (), 0)
    assert not renew.isVisible()
    assert names(pane) == ["check"]
    assert again._shelf.sets[0].result is result
    qtbot.waitUntil(lambda: door.count == 0)
    workspace.close()
    (kept,) = kept_sets.load(later).sets
    assert kept.result.order == result.order
