"""What is narrowed is what is shown: all hits of a result, or those of the element they are limited to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from cqlgui.base.files import folders
from cqlgui.tasks.analysis import attributes, facets
from cqlgui.tasks.databases import games, importing, workspace
from cqlgui.tasks.likeness import duplicates
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import narrowing, searching
from cqlgui.ui.facets import pane, sets_pane
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
        button.chosen.emit(lambda hits: hits, "1-0", ())
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
        button.chosen.emit(lambda hits: hits, "1-0", ())
    with qtbot.waitSignal(made.shown) as shown:
        button.recalled.emit(button._others[0])
    # What was left of other hits is no longer among the steps.
    assert shown.args == [result, name]
    button.kept.emit()
    assert [kept.name for kept in button._others] == [name]
    with qtbot.waitSignal(made.shown) as shown:
        button.chosen.emit(lambda hits: hits, "0-1", ())
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
        button.chosen.emit(lambda hits: hits, "1-0", ())
    button.chosen.emit(lambda hits: hits, "decade", ())
    with qtbot.waitSignal(made.shown) as shown:
        made.undo()
    assert shown.args == [result, ""]
    with qtbot.assertNotEmitted(made.shown):
        qtbot.waitUntil(lambda: door.count == 0)
    # So it is when kept hits are wanted.
    button.kept.emit()
    button.chosen.emit(lambda hits: hits, "decade", ())
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


def test_facets_in_the_menu_are_counted_beside(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    known = attributes.of_base(base)
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

    def values(shown: search_model.SearchResult, name: str) -> list[str]:
        found = facets.counts(facets.sheet(known, shown))
        return [
            value.words
            for facet in found
            for value in facet.values
            if facet.name == name and value.parent == attributes.NO_PARENT
        ]

    left, menu = opened(facets.DECADE), opened(facets.PLY)
    assert rows(left) == rows(menu) == ["counting..."]
    qtbot.waitUntil(lambda: rows(menu) != ["counting..."])
    assert rows(menu) == values(result, facets.PLY)
    with qtbot.waitSignal(button.chosen) as chosen:
        menu.actions()[0].trigger()
    sheet = facets.sheet(known, result)
    assert chosen.args[0](result).order == facets.narrowed(sheet, facets.Choice().alone(facets.PLY, 0)).order
    # Once counted they are there at once; of other hits they are counted again.
    assert rows(opened(facets.PLY)) == rows(menu)
    assert rows(opened(facets.OPENING)) == values(result, facets.OPENING)
    part = narrowing.matching(result, 0, 1)
    button.set_result(part)
    menu = opened(facets.PLY)
    assert rows(menu) == ["counting..."]
    qtbot.waitUntil(lambda: rows(menu) != ["counting..."])
    assert rows(menu) == values(part, facets.PLY)


def pane_of(qtbot: QtBot, door: jobs.Jobs, made: narrower.Narrower) -> pane.FacetsPane:
    """A pane of facets that is shown and has counted."""
    found = pane.FacetsPane(door)
    qtbot.addWidget(found)
    found.show()
    made.join_facets(found)
    qtbot.waitUntil(lambda: found.tree.topLevelItemCount() > 0)
    return found


def test_the_same_step_twice_is_one_step(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    made = narrower.Narrower(door, button, button)
    made.take(base, result)

    def first(hits: search_model.SearchResult) -> search_model.SearchResult:
        return narrowing.of_games(hits, np.array(sorted(hits.order)[:5]))

    def second(hits: search_model.SearchResult) -> search_model.SearchResult:
        return narrowing.of_games(hits, np.array(sorted(hits.order)[1:3]))

    with qtbot.waitSignal(made.shown):
        made.narrow(first, "the first")
    with qtbot.assertNotEmitted(made.shown):
        made.narrow(first, "the first")
        qtbot.waitUntil(lambda: door.count == 0)
    with qtbot.waitSignal(made.shown) as shown:
        made.narrow(second, "the first")
    assert len(shown.args[0].order) == 2
    assert shown.args[1] == "the first, the first"


def test_choices_of_facets_replace_each_other_and_other_steps_follow(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    made = narrower.Narrower(door, button, button)
    made.take(base, result)
    found = pane_of(qtbot, door, made)
    sheet = facets.sheet(attributes.of_base(base), result)

    def left(choice: facets.Choice) -> search_model.SearchResult:
        return facets.narrowed(sheet, choice)

    white = facets.Choice().alone(facets.RESULT, 0)
    with qtbot.waitSignal(made.shown) as shown:
        found.tree.asked.emit("alone", facets.RESULT, 0)
    assert shown.args[0].order == left(white).order
    assert shown.args[1] == "1-0"
    with qtbot.waitSignal(made.shown) as shown:
        found.tree.asked.emit("joined", facets.RESULT, 1)
    assert shown.args[0].order == left(white.joined(facets.RESULT, 1)).order
    assert shown.args[1] == "1-0 or 1/2-1/2"
    # The limit of the picker holds for the counts, and becomes a step before the choice.
    made.limit((0, 1, "colours swapped"))
    qtbot.waitUntil(lambda: found._sheet is not None and found._sheet.result is not result)
    assert found.choice == white.joined(facets.RESULT, 1)
    with qtbot.waitSignal(made.shown) as shown:
        found.tree.asked.emit("alone", facets.RESULT, 0)
    assert shown.args[1] == "colours swapped, 1-0"
    assert shown.args[0].positions == left(white.alone(facets.ELEMENT, 1)).positions > 0
    with qtbot.waitSignal(made.shown) as shown:
        found.clear()
    assert shown.args[1] == "colours swapped"
    assert shown.args[0].positions == narrowing.matching(result, 0, 1).positions
    # Another way to narrow begins from the hits shown, and the pane chooses nothing of them.
    with qtbot.waitSignal(made.shown):
        found.tree.asked.emit("alone", facets.RESULT, 0)
    with qtbot.waitSignal(made.shown) as shown:
        button.chosen.emit(lambda hits: hits, "kept", ())
    assert shown.args[1] == "colours swapped, 1-0, kept"
    assert not found.choice
    with qtbot.waitSignal(made.shown) as shown:
        made.undo()
    assert shown.args == [result, ""]
    qtbot.waitUntil(lambda: found._sheet is not None and found._sheet.result is result)


@pytest.mark.parametrize("facet_first", [True, False])
def test_the_line_of_games_and_the_facets_hold_independently_of_each_other(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
    facet_first: bool,
) -> None:
    made = narrower.Narrower(door, button, button)
    made.take(base, result)
    found = pane_of(qtbot, door, made)
    white = facets.narrowed(
        facets.sheet(attributes.of_base(base), result), facets.Choice().alone(facets.RESULT, 0)
    )
    line = "plies>60"
    both = set(white.order) & set(games.fitting(base, line).tolist())
    assert both
    assert both < set(white.order)

    def after(do: Callable[[], None]) -> tuple[set[int], str]:
        with qtbot.waitSignal(made.shown) as caught:
            do()
        qtbot.waitUntil(lambda: found._counted is not None and not door.count)
        return set(caught.args[0].order), caught.args[1]

    steps: list[Callable[[], None]] = [
        lambda: found.tree.asked.emit("alone", facets.RESULT, 0),
        lambda: made.set_games(line),
    ]
    for do in steps if facet_first else reversed(steps):
        shown = after(do)
    assert shown == (both, f"{line}, 1-0")
    assert len(found._chips) == 1
    assert found._all.isVisible()
    # Without the line the choice holds.
    assert after(lambda: made.set_games("")) == (set(white.order), "1-0")
    assert len(found._chips) == 1
    assert found._all.isVisible()
    assert after(lambda: made.set_games(line)) == (both, f"{line}, 1-0")
    # Without the choice the line holds.
    assert after(found.clear)[1] == line
    assert after(lambda: made.set_games("")) == (set(result.order), "")

    def at_once() -> None:
        for do in steps if facet_first else reversed(steps):
            do()

    # The second step need not wait for the first one.
    assert after(at_once) == (both, f"{line}, 1-0")

    def emptied() -> None:
        found.clear()
        made.set_games("")

    assert after(emptied) == (set(result.order), "")


def test_a_second_run_on_other_games_tells_what_changed(
    qtbot: QtBot, door: jobs.Jobs, button: narrow.NarrowButton, pgn: Path, base: base_model.Base
) -> None:
    made = narrower.Narrower(door, button, button)
    shelf = sets_pane.SetsPane()
    qtbot.addWidget(shelf)
    made.join_sets(shelf)
    made.take(base, searching.search(base, "check"))
    qtbot.waitUntil(lambda: made._prints is not None)
    # Nothing is told of a run that cannot differ.
    with qtbot.assertNotEmitted(made.changed):
        made.take(base, searching.search(base, "check "))
        qtbot.waitUntil(lambda: door.count == 0)
        # A search in some games only is no run to compare with.
        some = search_model.SearchOptions(within=np.array([1, 2]))
        made.take(base, searching.search(base, "check", some))
        qtbot.waitUntil(lambda: door.count == 0)
        made.take(base, searching.search(base, "check"))
        qtbot.waitUntil(lambda: door.count == 0)
    made.leave_base()
    text = pgn.read_text("utf-8")
    pgn.write_text('[White "New"]\n\n1. e4 f5 2. Qh5+ *\n\n' + text, "utf-8")
    later = importing.open_base([pgn]).base
    assert later.games == base.games + 1
    result = searching.search(later, "check")
    with qtbot.waitSignal(made.changed) as changed:
        made.take(later, result)
    found = changed.args[0]
    assert (found.added.order, found.lost.order, found.moved.order) == ((1,), (), ())
    assert [button.text() for button in shelf._changes.parts] == [
        "1 game added", "0 games lost", "0 games moved",
    ]  # fmt: skip
    with qtbot.waitSignal(made.shown) as shown:
        shelf._changes.parts[0].click()
    assert shown.args[0].order == (1,)
    with qtbot.waitSignal(made.shown) as shown:
        made.undo()
    assert shown.args == [result, ""]


def test_what_changed_is_told_after_a_restart(
    qtbot: QtBot, door: jobs.Jobs, button: narrow.NarrowButton, pgn: Path, base: base_model.Base
) -> None:
    made = narrower.Narrower(door, button, button)
    made.take(base, searching.search(base, "check"))
    qtbot.waitUntil(lambda: door.count == 0)
    # The program is started anew, with the same games.
    workspace.close()
    again = narrower.Narrower(door, button, button)
    with qtbot.assertNotEmitted(again.changed):
        again.take(base, searching.search(base, "check"))
        qtbot.waitUntil(lambda: door.count == 0)
    workspace.close()
    pgn.write_text('[White "New"]\n\n1. e4 f5 2. Qh5+ *\n\n' + pgn.read_text("utf-8"), "utf-8")
    later = importing.open_base([pgn]).base
    last = narrower.Narrower(door, button, button)
    with qtbot.waitSignal(last.changed) as changed:
        last.take(later, searching.search(later, "check"))
    found = changed.args[0]
    assert (found.added.order, found.lost.order, found.moved.order) == ((1,), (), ())


NEW = '[White "New"]\n\n1. e4 f5 2. Qh5+ *\n\n'


def grown(pgn: Path) -> base_model.Base:
    pgn.write_text(NEW + pgn.read_text("utf-8"), "utf-8")
    return importing.open_base([pgn]).base


def added_in(
    qtbot: QtBot, door: jobs.Jobs, made: narrower.Narrower, base: base_model.Base, query: str
) -> list[tuple[int, ...]]:
    """What a run of a query tells as added."""
    told: list[tuple[int, ...]] = []
    made.changed.connect(lambda found, _before: told.append(found.added.order))
    made.open_base(base)
    made.take(base, searching.search(base, query))
    qtbot.waitUntil(lambda: door.count == 0)
    return told


def test_a_run_is_remembered_although_another_query_follows_at_once(
    qtbot: QtBot, door: jobs.Jobs, button: narrow.NarrowButton, pgn: Path, base: base_model.Base
) -> None:
    made = narrower.Narrower(door, button, button)
    for query in ("check", "mate", "check"):
        made.take(base, searching.search(base, query))
    qtbot.waitUntil(lambda: door.count == 0)
    workspace.close()
    later = grown(pgn)
    assert added_in(qtbot, door, made, later, "check") == [(1,)]
    again = narrower.Narrower(door, button, button)
    assert added_in(qtbot, door, again, grown(pgn), "mate") == []
    # Of three equal games, the first one is that of the run before.
    assert added_in(qtbot, door, again, grown(pgn), "check") == [(2, 3)]


def test_runs_on_other_games_do_not_replace_each_other(
    qtbot: QtBot, door: jobs.Jobs, button: narrow.NarrowButton, pgn: Path, tmp_path: Path
) -> None:
    base, path = importing.open_base([pgn]).base, tmp_path / "other.pgn"
    path.write_text(NEW, "utf-8")
    other = importing.open_base([path]).base
    made = narrower.Narrower(door, button, button)
    for one in (base, other):
        assert added_in(qtbot, door, made, one, "check") == []
        made.leave_base()
    assert added_in(qtbot, door, made, grown(pgn), "check") == [(1,)]


def test_runs_of_a_session_are_compared_although_none_can_be_kept(
    qtbot: QtBot, door: jobs.Jobs, button: narrow.NarrowButton, pgn: Path, base: base_model.Base
) -> None:
    (folders.data() / "runs.sqlite").mkdir(parents=True)
    made = narrower.Narrower(door, button, button)
    failed: list[str] = []
    made.failed.connect(failed.append)
    assert added_in(qtbot, door, made, base, "check") == []
    assert added_in(qtbot, door, made, grown(pgn), "check") == [(1,)]
    assert len(failed) == 1
    assert "runs.sqlite" in failed[0]


def test_the_line_of_games_replaces_itself_and_is_left_by_other_steps(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    made = narrower.Narrower(door, button, button)
    left: list[bool] = []
    faults: list[str] = []
    made.line_left.connect(lambda: left.append(True))
    made.line_failed.connect(faults.append)
    made.take(base, result)
    left.clear()

    def shown_after(line: str) -> tuple[search_model.SearchResult, str]:
        with qtbot.waitSignal(made.shown) as caught:
            made.set_games(line)
        return caught.args[0], caught.args[1]

    for line in ("result:1-0", "-result:1-0", "result:1/2-1/2"):
        part, words = shown_after(line)
        fits = set(games.fitting(base, line).tolist())
        assert set(part.order) == set(result.order) & fits
        assert words == line
    assert not left, "a line that is replaced was left"
    with qtbot.waitSignal(made.line_failed):
        made.set_games("result:no-such")
    assert "No game has “no-such” as result." in faults[-1]
    whole, words = shown_after("")
    assert (whole.order, words) == (result.order, "")
    assert left == [True]
    # Another step follows the line, and the line can then not be changed any more.
    part, _ = shown_after("result:1-0")
    left.clear()
    with qtbot.waitSignal(made.shown) as caught:
        made.narrow(lambda one: narrowing.kept(one, one.games.columns.hits % 2 == 0), "even")
    assert caught.args[1] == "result:1-0, even"
    assert left == [True]
    with qtbot.waitSignal(made.shown) as caught:
        made.undo()
    assert caught.args[0] is result


@pytest.mark.parametrize("at_once", [False, True])
def test_a_line_that_follows_the_duplicates_stays_when_they_are_shown_again(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
    at_once: bool,
) -> None:
    made = narrower.Narrower(door, button, button)
    left: list[bool] = []
    faults: list[str] = []
    made.take(base, result)
    made.line_left.connect(lambda: left.append(True))
    made.line_failed.connect(faults.append)
    out = np.array(result.order[:3], np.int64)
    out.sort()
    copies = duplicates.Duplicates(out, out + 1, np.zeros(3, np.bool_), np.zeros(3, np.int64), base.games)

    def after(*steps: Callable[[], None]) -> tuple[set[int], str]:
        """What is shown after some steps, which do not wait for each other if all of them are `at_once`."""
        for step in steps:
            if at_once:
                step()
            else:
                step()
                qtbot.waitUntil(lambda: not door.count)
        qtbot.waitUntil(lambda: not door.count)
        assert made.part is not None
        return set(made.part.order), ", ".join(step.words for step in made._shown_steps())

    whole, line, other = set(result.order), "result:1-0", "-result:1-0"
    fits = set(games.fitting(base, line).tolist())
    assert whole & fits & set(out.tolist())
    # The last step need not wait for the line.
    after(lambda: made.leave_out(copies))
    left.clear()
    shown = after(lambda: made.set_games(line), lambda: made.leave_out(None))
    assert shown == (whole & fits, line)
    assert not left
    # The line can still be replaced and left.
    assert after(lambda: made.set_games(other)) == (whole - fits, other)
    assert after(lambda: made.set_games("")) == (whole, "")
    # A line that was written before stays as it did, and so does one that replaces it.
    after(lambda: made.set_games(line))
    after(lambda: made.leave_out(copies))
    assert after(lambda: made.set_games(other), lambda: made.leave_out(None)) == (whole - fits, other)
    assert after(lambda: made.set_games("")) == (whole, "")
    # A line that is emptied does not come back.
    after(lambda: made.set_games(line))
    after(lambda: made.leave_out(copies))
    assert after(lambda: made.set_games(""), lambda: made.leave_out(None)) == (whole, "")
    # If no game has the name in the line, the duplicates come back all the same.
    after(lambda: made.leave_out(copies))
    left.clear()
    assert after(lambda: made.set_games("nobody-at-all"), lambda: made.leave_out(None)) == (whole, "")
    assert "No game has" in faults[-1] or not at_once
    assert after(lambda: made.set_games(line)) == (whole & fits, line)


@pytest.mark.parametrize("is_there", [True, False])
def test_duplicates_are_left_out_among_the_games_of_the_line(
    qtbot: QtBot,
    door: jobs.Jobs,
    button: narrow.NarrowButton,
    base: base_model.Base,
    result: search_model.SearchResult,
    is_there: bool,
) -> None:
    made = narrower.Narrower(door, button, button)
    made.take(base, result)
    line = "result:1-0"
    fits = set(games.fitting(base, line).tolist())
    inside = [game for game in result.order if game in fits]
    outside = [game for game in result.order if game not in fits]
    # A copy of a game of the line is left out, and a copy of another game stays.
    out, kept = (inside[2], inside[0]) if is_there else (inside[1], outside[0])
    copies = duplicates.Duplicates(
        np.array([out]), np.array([kept]), np.zeros(1, np.bool_), np.zeros(1, np.int64), base.games
    )
    for begin, then in (
        (lambda: made.leave_out(copies), lambda: made.set_games(line)),
        (lambda: made.set_games(line), lambda: made.leave_out(copies)),
    ):
        for step in (begin, then):
            step()
            qtbot.waitUntil(lambda: not door.count)
        assert made.part is not None
        assert sorted(made.part.order) == sorted(set(inside) - ({out} if is_there else set()))
        assert made.line == line
        made.leave_out(None)
        made.set_games("")
        qtbot.waitUntil(lambda: not door.count)
        assert sorted(made.part.order) == sorted(result.order)
        assert made.line == ""


def test_what_changed_is_told_only_of_the_query_that_is_shown(
    qtbot: QtBot, door: jobs.Jobs, button: narrow.NarrowButton, pgn: Path, base: base_model.Base
) -> None:
    made = narrower.Narrower(door, button, button)
    for query in ("check", "mate"):
        assert added_in(qtbot, door, made, base, query) == []
    workspace.close()
    later = grown(pgn)
    again = narrower.Narrower(door, button, button)
    told: list[str] = []
    again.changed.connect(lambda _found, before: told.append(before.query))
    for query in ("check", "mate"):
        again.take(later, searching.search(later, query))
    qtbot.waitUntil(lambda: door.count == 0)
    assert told == []
    # It is told when that query is shown again, and only once.
    for _ in range(2):
        again.take(later, searching.search(later, "check"))
    qtbot.waitUntil(lambda: door.count == 0)
    assert told == ["check"]


def test_a_set_of_these_games_is_compared_although_other_games_were_searched_since(
    qtbot: QtBot, door: jobs.Jobs, button: narrow.NarrowButton, pgn: Path, tmp_path: Path
) -> None:
    base, path = importing.open_base([pgn]).base, tmp_path / "other.pgn"
    path.write_text(NEW, "utf-8")
    made = narrower.Narrower(door, button, button)
    # A live search is no run, but its hits can be kept.
    made.take(base, searching.search(base, "check"), remember=False)
    made._keep()
    qtbot.waitUntil(lambda: door.count == 0)
    workspace.close()
    again = narrower.Narrower(door, button, button)
    assert added_in(qtbot, door, again, importing.open_base([path]).base, "check") == []
    again.leave_base()
    later = grown(pgn)
    again.open_base(later)
    qtbot.waitUntil(lambda: door.count == 0)
    assert added_in(qtbot, door, again, later, "check") == [(1,)]
