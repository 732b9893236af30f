"""While one types the table fills by itself, the board stays, and nothing else is stirred."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from cqlgui.base import progress
from cqlgui.base.data import replace
from cqlgui.base.files.resources import resource
from cqlgui.tasks.databases import history
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import foresight, searching
from cqlgui.ui.state import searcher, session
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb

EARLIER = "of an earlier query"


@pytest.fixture
def live(qtbot: QtBot, main: main_window.MainWindow) -> main_window.MainWindow:
    """The window with games, that searches while one asks."""
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    qtbot.waitUntil(lambda: main.browser.game is not None)
    main.live.switch(True)
    return main


def said(main: main_window.MainWindow) -> str:
    return main.hits._summary.text()


def settled(qtbot: QtBot, main: main_window.MainWindow) -> None:
    qtbot.waitUntil(lambda: not (main.live.busy or main.jobs.active("compare queries")))


def ask(qtbot: QtBot, main: main_window.MainWindow, text: str) -> None:
    with qtbot.waitSignal(main.searcher.finished):
        main.editor.set_text(text)
    settled(qtbot, main)


def test_the_table_fills_and_the_board_stays(qtbot: QtBot, live: main_window.MainWindow) -> None:
    game, place = live.browser.asked, live.browser.positionid
    live.editor.edit.setFocus()
    with qtbot.waitSignal(live.searcher.finished):
        qtbot.keyClicks(live.editor.edit, "Nf5 kg8")
    settled(qtbot, live)
    assert said(live) == "159 hits in 30 games"
    assert (live.browser.asked, live.browser.positionid) == (game, place)
    assert live.hits.table.row == -1
    assert live.editor.edit.hasFocus()
    assert live.infobar.shown is None
    qtbot.keyClick(live, Qt.Key.Key_F3)
    qtbot.waitUntil(lambda: live.browser.hit is not None)
    assert live.hitbar.text().count("hit 1 of 159") == 1


@pytest.mark.parametrize("text", ["Nf5 kg8 {", "matte", "", "// nothing yet", "Nf5 kg8\n)"])
def test_what_is_rejected_or_empty_changes_nothing(
    qtbot: QtBot, live: main_window.MainWindow, text: str
) -> None:
    ask(qtbot, live, "Nf5 kg8")
    live.editor.set_text(text)
    qtbot.waitUntil(lambda: EARLIER in said(live))
    assert said(live).startswith("159 hits in 30 games")
    assert live.infobar.shown is None
    live.editor.edit.undo()
    assert said(live) == "159 hits in 30 games"
    settled(qtbot, live)
    assert said(live) == "159 hits in 30 games"


def test_the_next_change_takes_its_place(qtbot: QtBot, live: main_window.MainWindow) -> None:
    for text in ("mate", "stalemate", "check", "Nf5 kg8"):
        live.editor.set_text(text)
    settled(qtbot, live)
    assert said(live) == "159 hits in 30 games"
    assert live.asked == "Nf5 kg8"


def test_a_hit_on_the_board_stays_there_and_is_the_current_one(
    qtbot: QtBot, live: main_window.MainWindow
) -> None:
    ask(qtbot, live, "Nf5 kg8")
    live.hits.select_row(100)
    qtbot.waitUntil(lambda: live.browser.hit is not None)
    place = live.browser.asked, live.browser.positionid
    ask(qtbot, live, "flipcolor {Nf5 kg8}")
    assert (live.browser.asked, live.browser.positionid) == place
    assert live.hits.is_current(*place)


def test_the_history_has_what_one_looked_at(qtbot: QtBot, live: main_window.MainWindow) -> None:
    def kept() -> list[str]:
        return [entry.text for entry in history.entries()]

    ask(qtbot, live, "mate")
    ask(qtbot, live, "Nf5 kg8")
    assert kept() == []
    with qtbot.waitSignal(live.live.remembered):
        live.showing.next_hit(1)
    live.showing.next_hit(1)
    assert kept() == ["Nf5 kg8"]


def test_what_would_take_long_waits_to_be_asked(
    qtbot: QtBot, live: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(qtbot, live, "mate")
    counts = said(live)
    monkeypatch.setattr(searcher, "LIVE_SECONDS", 0.0)
    with qtbot.waitSignal(live.searcher.declined):
        live.editor.set_text("Nf5 kg8")
    qtbot.waitUntil(lambda: EARLIER in said(live))
    assert said(live).startswith(counts)
    # The sample tells what it may find.
    qtbot.waitUntil(lambda: live.assistance.estimate._known == ("Nf5 kg8", "30 games"))
    with qtbot.waitSignal(live.searcher.finished):
        qtbot.keyClick(live, Qt.Key.Key_F5)
    assert said(live).startswith("159 hits in 30 games")


@pytest.mark.parametrize("text", ["persistent x += 1", "sort ply mate", 'message "seen" mate'])
def test_queries_that_remember_sort_or_speak_wait_to_be_asked(
    qtbot: QtBot, live: main_window.MainWindow, text: str
) -> None:
    with qtbot.waitSignal(live.searcher.declined):
        live.editor.set_text(text)
    assert said(live) == "No search yet"


def test_esc_stops_it(qtbot: QtBot, live: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[progress.CancelToken] = []

    def slowly(_plan: object, _sources: object, _within: object, **named: object) -> None:
        token = named["cancel"]
        assert isinstance(token, progress.CancelToken)
        reached.append(token)
        while True:
            token.raise_if_cancelled()

    ask(qtbot, live, "mate")
    counts = said(live)
    monkeypatch.setattr(foresight, "foresee", slowly)
    live.editor.set_text("Nf5 kg8")
    qtbot.waitUntil(lambda: bool(reached))
    with qtbot.waitSignal(live.searcher.declined):
        qtbot.keyClick(live, Qt.Key.Key_Escape)
    assert said(live).startswith(counts)


def test_a_search_that_was_asked_for_goes_on(qtbot: QtBot, live: main_window.MainWindow) -> None:
    live.editor.set_text("gamenumber <= 100 or {x = 0 while (x >= 0) {x += 1}}")
    qtbot.keyClick(live, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: live.hits.count > 0)
    live.editor.set_text("mate")
    qtbot.waitUntil(lambda: EARLIER in said(live))
    assert live.searcher.running
    with qtbot.waitSignal(live.searcher.finished):
        qtbot.keyClick(live, Qt.Key.Key_Escape)


def test_it_can_be_switched_off_and_the_next_start_knows(
    qtbot: QtBot, live: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Callable[..., object]] = []
    monkeypatch.setattr(searcher.Searcher, "run", lambda *arguments, **_named: runs.append(arguments[0]))
    action = live.actions_.live
    action.trigger()
    assert not action.isChecked()
    live.editor.set_text("mate")
    qtbot.waitUntil(lambda: not live.editor.checking)
    assert not live.live.busy
    assert runs == []
    live.close()
    assert session.load().live is False


def test_what_was_drawn_before_there_were_games_is_searched_when_they_are_there(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    main.begin([])
    main.live.switch(True)
    main.editor.set_text("Nf5 kg8")
    with qtbot.waitSignal(main.searcher.finished):
        main.opening.open_files([resource("sample/sample.pgn")])
    assert said(main) == "159 hits in 30 games"


def test_a_search_that_is_dropped_leaves_the_table_as_it_was(
    qtbot: QtBot, live: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def until_cancelled(*_: object, cancel: progress.CancelToken, **__: object) -> foresight.Foresight:
        # The search comes to its end with what it has, which is nothing.
        while not cancel.cancelled:
            time.sleep(0.001)
        return foresight.Foresight(0, 0, 0, 0.0)

    ask(qtbot, live, "Nf5 kg8")
    for leave in (lambda: live.editor.set_text(""), live.editor.edit.undo, live.searching.stop):
        with monkeypatch.context() as patched:
            patched.setattr(foresight, "foresee", until_cancelled)
            live.editor.set_text("mate")
            qtbot.waitUntil(lambda: live.searcher.running)
            leave()
            settled(qtbot, live)
            assert said(live).startswith("159 hits in 30 games")
        live.editor.set_text("Nf5 kg8")
        settled(qtbot, live)


def test_a_change_during_a_search_that_was_asked_for_is_searched_when_that_ends(
    qtbot: QtBot, live: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    going_on: list[bool] = []
    search = searching.search

    def slowly(*arguments: Any, **named: Any) -> search_model.SearchResult:
        while named["most_seconds"] is None and not going_on:
            time.sleep(0.001)
        return search(*arguments, **named)

    monkeypatch.setattr(searching, "search", slowly)
    live.editor.set_text("mate")
    qtbot.keyClick(live, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: live.searcher.running and not live.searcher.live)
    live.editor.set_text("Nf5 kg8")
    qtbot.waitUntil(lambda: not live.live.busy)
    assert live.searcher.text == "mate"
    going_on.append(True)
    qtbot.waitUntil(lambda: said(live) == "159 hits in 30 games")


def test_what_was_found_in_the_first_games_is_found_in_all_of_them(
    qtbot: QtBot, live: main_window.MainWindow
) -> None:
    whole = live.base
    assert whole is not None
    live.live.set_base(whole, anew=False)
    ask(qtbot, live, "Nf5 kg8")
    with qtbot.waitSignal(live.searcher.finished):
        live.live.set_base(whole, anew=True)
    settled(qtbot, live)
    assert live.live._missed is False


def test_a_game_that_is_left_out_is_told(
    qtbot: QtBot, live: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = searching.search

    def failing(*arguments: Any, **named: Any) -> search_model.SearchResult:
        found = search(*arguments, **named)
        return replace(
            found,
            failed_games=(base_model.BadGame(7, resource("sample/sample.pgn"), 0, 0, "It is damaged."),),
        )

    with monkeypatch.context() as patched:
        patched.setattr(searching, "search", failing)
        ask(qtbot, live, "Nf5 kg8")
    assert live.infobar.shown is not None
    assert "Game 7 was left out: It is damaged." in live.infobar.shown.text
    ask(qtbot, live, "mate")
    assert live.infobar.shown is None


@pytest.mark.parametrize("live_search", [True, False])
def test_hits_of_a_search_that_was_overtaken_are_never_taken_for_all(
    qtbot: QtBot, live: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch, live_search: bool
) -> None:
    going_on: list[bool] = []
    search = searching.search

    def halting(*arguments: Any, on_hits: Callable[[Any], None], **named: Any) -> search_model.SearchResult:
        def after_one(found: Any) -> None:
            on_hits(found)
            while not going_on and not named["cancel"].cancelled:
                time.sleep(0.001)

        return search(*arguments, on_hits=after_one, **named)

    live.live.switch(live_search)
    monkeypatch.setattr(searching, "search", halting)
    first = "Nf5 or Ng4"
    live.editor.set_text(first)
    if not live_search:
        qtbot.keyClick(live, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: live.hits.count > 0)
    live.editor.set_text("Nf5 kg8 mate")
    if not live_search:
        qtbot.keyClick(live, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: live.searcher.text != first)
    live.editor.set_text(first)
    going_on.append(True)
    if live_search:
        # It is searched again, to its end.
        qtbot.waitUntil(lambda: live.live._shown == first and not live.searcher.running)
        settled(qtbot, live)
        whole = search(live.base, first)
        assert said(live) == f"{whole.positions:,} hits in {len(whole.games)} games"
    else:
        settled(qtbot, live)
        assert not live.hits.running
        assert live.asked != first or "Stopped" in said(live)


def test_the_text_that_was_asked_for_is_not_searched_twice(
    qtbot: QtBot, live: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    going_on: list[bool] = []
    asked: list[str] = []
    search = searching.search

    def slowly(base: Any, text: str, *arguments: Any, **named: Any) -> search_model.SearchResult:
        asked.append(text)
        while not going_on:
            time.sleep(0.001)
        return search(base, text, *arguments, **named)

    monkeypatch.setattr(searching, "search", slowly)
    live.editor.set_text("Nf5 kg8")
    qtbot.keyClick(live, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: bool(asked))
    live.editor.set_text("mate")
    qtbot.waitUntil(lambda: not live.live.busy)
    live.editor.edit.undo()
    with qtbot.waitSignal(live.searcher.finished):
        going_on.append(True)
    settled(qtbot, live)
    assert asked == ["Nf5 kg8"]
    assert said(live) == "159 hits in 30 games"
