"""Hits are narrowed, kept and combined; searches keep to the games of a result; an estimate goes first."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.jit import native
from cqlgui.tasks.analysis import attributes, facets
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import narrowing
from cqlgui.ui.look import wording
from cqlgui.ui.tables import hits_model
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb


def ask(qtbot: QtBot, main: main_window.MainWindow, text: str) -> search_model.SearchResult:
    main.editor.set_text(text)
    with qtbot.waitSignal(main.searcher.finished) as ended:
        qtbot.keyClick(main, Qt.Key.Key_F5)
    found: search_model.SearchResult = ended.args[0]
    return found


def menu_of(qtbot: QtBot, main: main_window.MainWindow, *titles: str) -> QMenu:
    """A submenu, filled as it would be on the way there."""
    menu = main.hits.narrow.menu()
    menu.aboutToShow.emit()
    for title in titles:
        menu = next(one.menu() for one in menu.actions() if one.text().replace("&", "").startswith(title))
        menu.aboutToShow.emit()
        qtbot.waitUntil(lambda menu=menu: [one.text() for one in menu.actions()] != ["counting..."])
    return menu


def choose(qtbot: QtBot, main: main_window.MainWindow, *titles: str) -> None:
    *above, last = titles
    menu = menu_of(qtbot, main, *above)
    next(one for one in menu.actions() if one.text().replace("&", "").startswith(last)).trigger()


def values_of(
    main: main_window.MainWindow, result: search_model.SearchResult, name: str
) -> tuple[facets.Value, ...]:
    """The values of a facet of a result."""
    assert main.base is not None
    sheet = facets.sheet(attributes.of_base(main.base), result)
    return next(facet.values for facet in facets.counts(sheet) if facet.name == name)


def open_sample(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])


def test_hits_are_narrowed_step_by_step_and_shown_whole_again(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    whole = ask(qtbot, main, "flipcolor flipvertical {Bh7 kh8}")
    narrow = main.hits.narrow
    qtbot.waitUntil(lambda: narrow._attributes is not None)
    value = values_of(main, whole, facets.RESULT)[0]
    with qtbot.waitSignal(main.narrower.shown):
        choose(qtbot, main, "Result", value.words)
    assert (main.hits.count, main.hits.games) == (value.positions, value.games)
    assert main.result is not None
    assert main.result.orbits[0].elements != whole.orbits[0].elements
    assert main.hits._narrowed.isVisible()
    qtbot.waitUntil(lambda: main.browser.hit is not None and main.browser.hit.squares != 0)
    with qtbot.waitSignal(main.narrower.shown):
        choose(qtbot, main, "Ply", values_of(main, main.result, facets.PLY)[0].words)
    assert 0 < main.hits.count < value.positions
    with qtbot.waitSignal(main.narrower.shown):
        main.hits._narrowed.click()
    assert main.hits.count == whole.positions
    assert not main.hits._narrowed.isVisible()


def test_seen_rows_stay_marked_when_hits_are_narrowed_and_until_the_next_search(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    whole = ask(qtbot, main, "check")
    for row in (2, 3, whole.positions - 1):
        main.hits.select_row(row)

    def seen() -> set[tuple[int, int]]:
        hits = (main.hits.hit_at(row) for row in range(main.hits.count) if main.hits.hits.is_seen(row))
        return {(hit.game, hit.positionid) for hit in hits}

    known = seen()
    assert len(known) == 4
    qtbot.waitUntil(lambda: main.hits.narrow._attributes is not None)
    with qtbot.waitSignal(main.narrower.shown):
        choose(qtbot, main, "Ply", values_of(main, whole, facets.PLY)[0].words)
    current = main.hits.current()
    assert current is not None
    assert seen() <= known | {(current.game, current.positionid)}
    with qtbot.waitSignal(main.narrower.shown):
        main.hits._narrowed.click()
    assert seen() == known | {(current.game, current.positionid)}
    main.hits.arrange.sort_by(hits_model.PLY)
    assert seen() == known | {(current.game, current.positionid)}
    ask(qtbot, main, "check")
    assert len(seen()) == 1


def test_keys_copy_the_selected_hits_and_go_to_the_first_and_the_last_one(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "mate")
    table = main.hits.table
    table.setFocus()
    main.hits.select_row(1)
    qtbot.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(main.hits.copying.told):
        qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[0] == [hits_model.TITLES[column] for column in table.shown_columns()]
    assert [line[0] for line in lines[1:]] == [str(main.hits.hit_at(row).game) for row in (1, 2)]
    assert main.pointing.notice.text() == "2 rows copied"
    assert table.has_two_lines
    qtbot.keyClick(table, Qt.Key.Key_End)
    assert table.row == main.hits.count - 1
    qtbot.keyClick(table, Qt.Key.Key_Home)
    assert table.row == 0


def test_kept_hits_meet_others_and_searches_keep_to_games(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    mates = ask(qtbot, main, "mate")
    choose(qtbot, main, "Keep")
    choose(qtbot, main, "Search in")
    assert main.hits._scope.isVisible()
    inside = ask(qtbot, main, "check")
    assert inside.order == tuple(sorted(mates.order))
    assert inside.games_searched == len(mates.order)
    with qtbot.waitSignal(main.narrower.shown):
        choose(qtbot, main, "With", "1 mate", "Hits in both")
    assert main.hits.count == mates.positions
    main.hits._scope.click()
    assert not main.hits._scope.isVisible()
    assert ask(qtbot, main, "check").games_searched == 500


def test_narrowing_stays_within_the_element_that_hits_are_limited_to(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    checks = ask(qtbot, main, "check")
    choose(qtbot, main, "Keep")
    whole = ask(qtbot, main, "flipcolor flipvertical {Bh7 kh8}")
    narrow = main.hits.narrow
    qtbot.waitUntil(lambda: narrow._attributes is not None)
    elements = whole.orbits[0].elements
    number = max(range(len(elements)), key=lambda place: elements[place].positions)
    element = elements[number]
    assert element.positions < whole.positions
    part = narrowing.matching(whole, 0, number)

    def limit() -> None:
        qtbot.waitUntil(lambda: main.picker.view.elements.rowCount() == 4)
        main.picker.view.choose(number)
        assert main.hits.count == element.positions
        qtbot.waitUntil(narrow.isEnabled)

    limit()
    # What is counted, chosen, searched in, kept and joined is what the table shows.
    values = values_of(main, part, facets.RESULT)
    titles = [action.text() for action in menu_of(qtbot, main, "Result").actions()]
    assert [title.split("\t")[0] for title in titles] == [value.words for value in values]
    assert titles[0].endswith(f"{wording.games(values[0].games)}, {wording.hits(values[0].positions)}")
    choose(qtbot, main, "Search in")
    assert main.narrower.within is not None
    assert main.narrower.within.tolist() == sorted(part.order)
    main.hits._scope.click()
    choose(qtbot, main, "Keep")
    for way, wanted in (
        ("Hits in both", narrowing.both(part, checks)),
        ("Hits not in these", narrowing.without(part, checks)),
        ("Hits in either", narrowing.either(part, checks)),
    ):
        with qtbot.waitSignal(main.narrower.shown):
            choose(qtbot, main, "With", "1 check", way)
        assert (main.hits.count, main.hits.games) == (wanted.positions, len(wanted.order))
        with qtbot.waitSignal(main.narrower.shown):
            main.hits._narrowed.click()
        assert main.hits.count == whole.positions
        limit()
    with qtbot.waitSignal(main.narrower.shown) as narrowed:
        choose(qtbot, main, "Result", values[0].words)
    assert (main.hits.count, main.hits.games) == (values[0].positions, values[0].games)
    # The element is a step like the others now.
    assert narrowed.args[1] == f"{element.words}, {values[0].words}"
    assert main.hits.limited_to is None
    with qtbot.waitSignal(main.narrower.shown):
        choose(qtbot, main, "With", "2 ", "Show these")
    assert (main.hits.count, main.hits.games) == (element.positions, element.games)
    # Without the limit it is all of the hits again.
    main.hits._narrowed.click()
    limit()
    main.hits._chip.click()
    assert main.hits.count == whole.positions
    choose(qtbot, main, "Search in")
    assert main.narrower.within.tolist() == sorted(whole.order)


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_an_estimate_goes_before_the_search(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    main.editor.set_text("mate")
    qtbot.waitUntil(lambda: main.editor._estimate.text().endswith("games"))
    found = ask(qtbot, main, "mate")
    # The sample base is small enough to be asked whole.
    assert main.editor._estimate.text() == f"{len(found.order)} games"
    main.editor.set_text("matte")
    qtbot.waitUntil(lambda: main.editor._estimate.text() == "")


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_an_estimate_is_of_the_query_and_the_games_that_are_searched(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    said = main.editor._estimate
    mates = len(ask(qtbot, main, "mate").order)
    qtbot.waitUntil(lambda: said.text() == f"{mates} games")
    # What was said of the former text goes with the first key and comes back with the text.
    main.editor.edit.setFocus()
    main.editor.go_to(len("mate"))
    qtbot.keyClicks(main.editor.edit, " ")
    assert said.text() == ""
    assert said.isVisible()
    qtbot.keyClick(main.editor.edit, Qt.Key.Key_Backspace)
    assert said.text() == f"{mates} games"
    main.editor.set_text("check")
    qtbot.waitUntil(lambda: said.text().endswith("games"))
    everywhere = said.text()
    choose(qtbot, main, "Search in")
    assert said.text() == ""
    qtbot.waitUntil(lambda: said.text() == f"{mates} games")
    main.hits._scope.click()
    qtbot.waitUntil(lambda: said.text() == everywhere)
    qtbot.waitUntil(lambda: said.width() >= said.fontMetrics().horizontalAdvance(everywhere))
    assert everywhere != f"{mates} games"
    # An estimate that stays away leaves its room to the name of the query.
    main.editor.set_text("")
    qtbot.waitUntil(lambda: not said.isVisible())
    main.editor.set_text("check")
    qtbot.waitUntil(said.isVisible)
