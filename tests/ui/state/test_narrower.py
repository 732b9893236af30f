"""What is narrowed is what is shown: all hits of a result, or those of the element they are limited to."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import narrowing
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import narrow
from cqlgui.ui.state import narrower


@pytest.fixture
def button(qtbot: QtBot, door: jobs.Jobs) -> narrow.NarrowButton:
    made = narrow.NarrowButton(door)
    qtbot.addWidget(made)
    return made


def test_a_limit_chosen_during_a_search_holds_for_its_result(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    made = narrower.Narrower(door, button, button)
    made.clear()
    made.limit((0, 1, "colours swapped"))
    assert not button.isEnabled()
    made.take(base, result)
    # Nothing is done with hits that are not shown, while those that are shown are looked for.
    assert not button.isEnabled()
    qtbot.waitUntil(button.isEnabled)
    part = narrowing.matching(result, 0, 1)
    assert 0 < part.positions < result.positions
    button.within_changed.emit(True)
    assert made.within is not None
    assert made.within.tolist() == sorted(part.order)
    with qtbot.waitSignal(made.shown) as shown:
        button.chosen.emit(lambda hits: hits, "1-0")
    assert shown.args[0].positions == part.positions
    assert shown.args[1] == "colours swapped, 1-0"
    # That limit is spent, and leads no second time from all hits to these.
    with qtbot.waitSignal(made.shown) as shown:
        made.undo()
    assert shown.args == [result, ""]
    button.within_changed.emit(True)
    assert made.within.tolist() == sorted(result.order)


def test_kept_hits_that_are_shown_begin_anew(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    made = narrower.Narrower(door, button, button)
    made.take(base, result)
    button.kept.emit()
    name = narrow.name_of(result)
    with qtbot.waitSignal(made.shown):
        button.chosen.emit(lambda hits: hits, "1-0")
    with qtbot.waitSignal(made.shown) as shown:
        button.recalled.emit(button._others[0])
    # What was left of other hits is no longer among the steps.
    assert shown.args == [result, name]
    button.kept.emit()
    assert [kept.name for kept in button._others] == [name]
    with qtbot.waitSignal(made.shown) as shown:
        button.chosen.emit(lambda hits: hits, "0-1")
    assert shown.args[1] == f"{name}, 0-1"
    with qtbot.waitSignal(made.shown) as shown:
        made.undo()
    assert shown.args == [result, ""]


def test_what_is_still_narrowed_is_left_when_all_hits_are_wanted(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    made = narrower.Narrower(door, button, button)
    made.take(base, result)
    with qtbot.waitSignal(made.shown):
        button.chosen.emit(lambda hits: hits, "1-0")
    button.chosen.emit(lambda hits: hits, "decade")
    with qtbot.waitSignal(made.shown) as shown:
        made.undo()
    assert shown.args == [result, ""]
    with qtbot.assertNotEmitted(made.shown):
        qtbot.waitUntil(lambda: door.count == 0)
    # So it is when kept hits are wanted.
    button.kept.emit()
    button.chosen.emit(lambda hits: hits, "decade")
    with qtbot.waitSignal(made.shown) as shown:
        button.recalled.emit(button._others[0])
    with qtbot.assertNotEmitted(made.shown):
        qtbot.waitUntil(lambda: door.count == 0)


def test_the_latest_limit_counts(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    made = narrower.Narrower(door, button, button)
    made.take(base, result)
    assert button.isEnabled()
    made.limit((0, 1, "colours swapped"))
    made.limit((0, 0, "as written"))
    qtbot.waitUntil(button.isEnabled)
    button.within_changed.emit(True)
    assert made.within is not None
    assert made.within.tolist() == sorted(narrowing.matching(result, 0, 0).order)
    made.limit((0, 1, "colours swapped"))
    made.limit(None)
    assert button.isEnabled()
    qtbot.waitUntil(lambda: door.count == 0)
    button.within_changed.emit(True)
    assert made.within.tolist() == sorted(result.order)


def test_facets_of_many_hits_are_counted_beside(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(narrow, "FEW", 0)
    known = narrowing.attributes(base)
    button.set_attributes(known)
    button.set_result(result)

    def opened(name: str) -> QMenu:
        button.menu().aboutToShow.emit()
        menu = next(
            part
            for action in button.menu().actions()
            if isinstance(part := action.menu(), QMenu) and action.text() == f"&{name}"
        )
        menu.aboutToShow.emit()
        return menu

    def rows(menu: QMenu) -> list[str]:
        return [action.text().split("\t")[0] for action in menu.actions()]

    left, menu = opened(narrowing.DECADE), opened(narrowing.PLY)
    assert rows(left) == rows(menu) == ["counting..."]
    qtbot.waitUntil(lambda: rows(menu) != ["counting..."])
    assert rows(menu) == [value.words for value in narrowing.values(result, known, narrowing.PLY)]
    with qtbot.waitSignal(button.chosen):
        menu.actions()[0].trigger()
    # Once counted they are there at once; of other hits they are counted again.
    assert rows(opened(narrowing.PLY)) == rows(menu)
    button.set_result(narrowing.matching(result, 0, 1))
    menu = opened(narrowing.PLY)
    assert rows(menu) == ["counting..."]
    qtbot.waitUntil(lambda: rows(menu) != ["counting..."])
