"""Duplicates are listed, marked and left out in the window, and the numbers are those of the command line."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QListView
from pytestqt.qtbot import QtBot

from cqlgui.board import motions
from cqlgui.board.position import Position
from cqlgui.tasks.analysis import facets
from cqlgui.tasks.databases import importing
from cqlgui.tasks.likeness import duplicates
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import narrowing, searching
from cqlgui.ui.facets import pane as facets_pane
from cqlgui.ui.likeness import duplicates_pane, new_base, two_lines
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import games, narrow
from cqlgui.ui.state import narrower
from cqlgui.ui.window import layouts, main_window, start
from tests import helpers

LINE = (
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 d5 5. exd5 Na5 6. Bb5+ c6 7. dxc6 bxc6 8. Be2 h6 9. Nf3 e4 "
    "10. Ne5 Bd6"
)
STUDY = "8/2q5/8/8/3N4/1K6/7Q/k7 w - - 0 1"
MIRRORED = motions.Motion(2).position(Position.from_fen(STUDY)).fen()
GAMES = [
    f'[White "Short, N"]\n[Black "Adams, M"]\n\n{LINE} *',
    '[White "Other"]\n[Black "Player"]\n\n1. f3 e5 2. g4 Qh4# 0-1',
    f'[White "Nigel Short"]\n[Black "Michael Adams"]\n[Date "1990.??.??"]\n[Result "1-0"]\n\n'
    f"{LINE} 11. d4 exd3 1-0",
    f'[White "Short,Nigel"]\n[Black "ADAMS,M"]\n[Result "1-0"]\n\n{LINE} 11. d4 exd3 1-0',
    f'[White "Composer"]\n[FEN "{STUDY}"]\n[SetUp "1"]\n\n1. Qh1+ Qc1 *',
    f'[White "Later"]\n[FEN "{MIRRORED}"]\n[SetUp "1"]\n\n*',
]
"""Game 1 is the beginning of game 3, and game 4 a copy of it with other names."""
KEPT = [2, 3, 5, 6]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text("\n\n".join(GAMES) + "\n")
    return path


@pytest.fixture
def main(qtbot: QtBot, qapp: QApplication, source: Path) -> Iterator[main_window.MainWindow]:
    """The window with the games of the source."""
    start.set_up(qapp)
    shown = main_window.MainWindow()
    shown.resize(1366, 768)
    shown.show()
    with qtbot.waitSignal(shown.opener.opened):
        shown.begin([source])
    qtbot.waitUntil(lambda: not shown.opener.busy)
    yield shown
    shown.close()
    shown.deleteLater()


def listed(view: QListView) -> list[tuple[bool, str]]:
    """Whether the game of each row is kept, and the second line of the row without the game's headers."""
    model = view.model()
    found = []
    for row in range(model.rowCount()):
        index = model.index(row, 0)
        about = str(index.data(two_lines.ABOUT)).split(" · ")
        found.append((bool(index.data(two_lines.HEAD)), " ".join(about[:2])))
    return found


def hit_games(main: main_window.MainWindow) -> list[int]:
    assert main.result is not None
    return sorted(main.result.order)


def test_duplicates_are_left_out_of_games_and_hits(
    qtbot: QtBot, main: main_window.MainWindow, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = main.duplicates
    dock = next(one for one in main.docks.more if one.widget() is pane)
    assert not dock.isVisible()
    dock.toggleViewAction().trigger()
    qtbot.waitUntil(pane.isVisible)
    with qtbot.waitSignal(main.searcher.finished):
        main.searching.run_text("initial", "a query")
    assert hit_games(main) == [1, 2, 3, 4, 5, 6]
    with qtbot.waitSignal(pane.found):
        pane.page.begin.click()

    # The groups are those of the command line.
    said = json.loads(helpers.cli("duplicates", source, "--json").out)
    (group,) = said["groups"]
    reasons = {"beginning of game 3": "another game continues it", "same moves": "same moves"}
    assert listed(pane.list) == [
        (True, f"kept: {group['why_kept']} game 3"),
        *((False, f"{reasons[one['reason']]} game {one['game']}") for one in group["others"]),
    ]
    assert pane.summary.text() == (
        "2 of 6 games are duplicates: 1 with the same moves, 1 that another game continues."
    )

    # They are marked in the table of games.
    model = main.games.model
    qtbot.waitUntil(lambda: all(model.texts(row, (1,))[0] for row in range(6)))
    assert [model.texts(row, (0,))[0] for row in range(6)] == ["= 1", "2", "3", "= 4", "5", "6"]
    assert model.tip(0, 0) == "Game 3 continues this game."
    assert model.tip(3, 1) == "Game 3 has the same moves."

    # A row is opened on the board.
    pane.list.setCurrentIndex(pane.list.model().index(2, 0))
    qtbot.keyClick(pane.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: main.browser.game is not None and main.browser.game.game == 4)

    # The switch narrows both tables, also for the next search.
    with qtbot.waitSignal(main.narrower.shown):
        pane.leave_out.click()
    assert hit_games(main) == KEPT
    assert main.hits._narrowing == "without duplicates"
    qtbot.waitUntil(lambda: main.games.shown == 4)
    assert [model.game(row) for row in range(4)] == KEPT
    assert pane.summary.text().startswith("2 of 6 games are left out: ")
    main.output.copy_command()
    assert "--no-duplicates" in QGuiApplication.clipboard().text()
    with qtbot.waitSignal(main.narrower.shown):
        main.searching.run_text("ply == 2", "another query")
    assert hit_games(main) == [2, 3, 5]
    told = helpers.cli("search", source, "-e", "ply == 2", "--no-duplicates", "--count")
    assert told.out.split()[0] == "3"

    # The games of these hits become a base, and the message offers to open it.
    choice = new_base.Choice(tmp_path / "new.pgn", False)
    monkeypatch.setattr(new_base.NewBaseDialog, "ask", lambda *_arguments: choice)
    with qtbot.waitSignal(main.exporter.made):
        main.output.ask_new_base()
    message = main.infobar.shown
    assert message is not None
    assert message.text == f"3 games written to {choice.path}."

    # Whoever wants all hits back gets the duplicates, too.
    with qtbot.waitSignal(main.narrower.shown):
        main.narrower.undo()
    assert hit_games(main) == [1, 2, 3, 4, 5]
    assert not pane.leave_out.isChecked()
    qtbot.waitUntil(lambda: main.games.shown == 6)

    # On request a new base has no duplicates.
    choice = new_base.Choice(tmp_path / "other.pgn", True)
    with qtbot.waitSignal(main.exporter.made) as made:
        main.output.ask_new_base()
    assert made.args == [choice.path, 3, 2]
    message = main.infobar.shown
    assert message is not None
    assert message.text.endswith(" 2 duplicates are left out.")
    assert message.action is not None
    with qtbot.waitSignal(main.opener.opened) as opened:
        message.action[1]()
    assert opened.args[0].base.games == 3
    # What was found in the other base is forgotten.
    assert pane.known is None
    assert pane.page.isVisible()

    # A file that exists is not written over. This is no longer said when other games are opened.
    with qtbot.waitSignal(main.searcher.finished):
        main.searching.run_text("initial", "a query")
    with qtbot.waitSignal(main.exporter.ended):
        main.output.ask_new_base()
    assert main.infobar.shown is not None
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([source])
    assert main.infobar.shown is None


def test_the_position_on_the_board_is_looked_for(qtbot: QtBot, main: main_window.MainWindow) -> None:
    pane, panes = main.anticipation, main.docks
    dock = next(one for one in panes.more if one.widget() is pane)
    panes.show(dock)
    assert dock in main.tabifiedDockWidgets(panes.results)
    # It is a tab beside the results in other layouts, too, and goes with the results if the window becomes
    # narrow.
    panes.choose(layouts.Layout.WIDE.value)
    assert dock in main.tabifiedDockWidgets(panes.results)
    panes.choose(layouts.Layout.SEARCHING.value)
    assert dock in main.tabifiedDockWidgets(panes.results)
    main.resize(900, 700)
    qtbot.waitUntil(lambda: panes.query in main.tabifiedDockWidgets(panes.results))
    assert panes.query in main.tabifiedDockWidgets(dock)
    main.showing.show_game(5)
    qtbot.waitUntil(lambda: main.browser.game is not None and main.browser.game.game == 5)
    pane.here_wanted.emit()
    qtbot.waitUntil(lambda: pane.answer is not None)
    assert not pane.entries.isVisible()
    # Its own game is no anticipation.
    assert pane.nearest.count() == 1
    assert pane.nearest.item(0).text().startswith("1. 100%  Later")
    pane.nearest.itemActivated.emit(pane.nearest.item(0))
    qtbot.waitUntil(lambda: main.browser.game is not None and main.browser.game.game == 6)


@pytest.fixture
def base(source: Path) -> base_model.Base:
    return importing.open_base([source]).base


@pytest.fixture
def pane(qtbot: QtBot, door: jobs.Jobs, base: base_model.Base) -> duplicates_pane.DuplicatesPane:
    made = duplicates_pane.DuplicatesPane(door)
    qtbot.addWidget(made)
    made.show()
    made.set_base(base)
    return made


def test_a_search_is_narrowed_by_itself(qtbot: QtBot, door: jobs.Jobs, base: base_model.Base) -> None:
    button = narrow.NarrowButton(door)
    qtbot.addWidget(button)
    made = narrower.Narrower(door, button, button)
    seen: list[tuple[list[int], str, bool]] = []
    made.shown.connect(lambda result, words: seen.append((sorted(result.order), words, made.by_itself)))
    made.leave_out(duplicates.find(base))
    # A live search must not move the board, so the window has to know that nobody asked for this.
    made.take(base, searching.search(base, "initial"), remember=False)
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [(KEPT, "without duplicates", True)]
    made.narrow(lambda result: narrowing.of_games(result, np.array([2, 4])), "some")
    qtbot.waitUntil(lambda: len(seen) == 2)
    assert seen[1] == ([2], "without duplicates, some", False)
    assert made.spelt().besides == ("“some”",)
    made.leave_out(None)
    qtbot.waitUntil(lambda: len(seen) == 3)
    assert seen[2] == ([1, 2, 3, 4, 5, 6], "", False)


def test_the_facets_chosen_and_the_line_of_games_hold_without_duplicates(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base
) -> None:
    button = narrow.NarrowButton(door)
    qtbot.addWidget(button)
    made = narrower.Narrower(door, button, button)
    facets_of = facets_pane.FacetsPane(door)
    qtbot.addWidget(facets_of)
    facets_of.show()
    made.join_facets(facets_of)
    made.take(base, searching.search(base, "initial"))
    qtbot.waitUntil(lambda: facets_of.tree.topLevelItemCount() > 0)
    found = duplicates.find(base)

    def after(do: Callable[[], object]) -> tuple[list[int], str, int]:
        """The games shown, the narrowing in words, and the number of chips."""
        with qtbot.waitSignal(made.shown) as caught:
            do()
        qtbot.waitUntil(lambda: facets_of._counted is not None and not door.count)
        return sorted(caught.args[0].order), caught.args[1], len(facets_of._chips)

    left: list[bool] = []
    made.line_left.connect(lambda: left.append(True))
    white = (facets.RESULT, 0)
    assert after(lambda: facets_of.tree.asked.emit("alone", *white)) == ([3, 4], "1-0", 1)
    assert after(lambda: made.set_games("black:adams")) == ([3, 4], "black:adams, 1-0", 1)
    words = "black:adams, without duplicates, 1-0"
    assert after(lambda: made.leave_out(found)) == ([3], words, 1)
    assert made.spelt() == narrower.Spelt("black:adams", ("result=1-0",), (), ())
    # The duplicates stay away with another line, and without the choice.
    words = words.replace("black:adams", "white:short")
    assert after(lambda: made.set_games("white:short")) == ([3], words, 1)
    assert after(facets_of.clear) == ([3], "white:short, without duplicates", 0)
    assert after(lambda: facets_of.tree.asked.emit("alone", *white))[0] == [3]
    assert after(lambda: made.leave_out(None)) == ([3, 4], "white:short, 1-0", 1)
    assert not left


def test_all_games_and_hits_lack_the_same_duplicates(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base
) -> None:
    listed = games.GamesPanel(door)
    qtbot.addWidget(listed)
    listed.set_base(base)
    button = narrow.NarrowButton(door)
    qtbot.addWidget(button)
    made = narrower.Narrower(door, button, button)
    made.take(base, searching.search(base, "initial"))
    found = duplicates.find(base)

    def both(line: str) -> list[list[int]]:
        listed.filter.setText(line)
        made.set_games(line)
        listed.filter.apply_now()
        qtbot.waitUntil(lambda: not door.count)
        assert made.part is not None
        return [[listed.model.game(row) for row in range(listed.shown)], sorted(made.part.order)]

    listed.leave_out(found)
    made.leave_out(found)
    assert both("") == [KEPT, KEPT]
    # The game that stood for games 1 and 4 is narrowed away, so the better one of these stays.
    line = '-white:"Nigel Short"'
    assert both(line) == [[2, 4, 5, 6]] * 2
    with qtbot.waitSignal(listed.model.modelReset):
        listed.table.horizontalHeader().sectionClicked.emit(0)
    assert [listed.model.game(row) for row in range(listed.shown)] == [6, 5, 4, 2]
    listed.leave_out(None)
    made.leave_out(None)
    assert both(line) == [[6, 5, 4, 2, 1], [1, 2, 4, 5, 6]]


def test_the_work_can_be_stopped(qtbot: QtBot, base: base_model.Base) -> None:
    door, gate = jobs.Jobs(threads=1), threading.Event()
    pane = duplicates_pane.DuplicatesPane(door)
    qtbot.addWidget(pane)
    pane.set_base(base)
    # The only thread is taken, so that the work is stopped before it is done.
    door.run(lambda _token, _sink: gate.wait(10))
    pane.look()
    assert pane.busy
    assert not pane.page.cancel.isHidden()
    pane.page.cancel.click()
    gate.set()
    qtbot.waitUntil(lambda: pane.page.words().startswith("Stopped."))
    assert pane.page.begin.isEnabled()
    assert pane.known is None
    assert door.close()


def test_a_fault_is_said(qtbot: QtBot, pane: duplicates_pane.DuplicatesPane, source: Path) -> None:
    source.write_text(GAMES[1])
    importing.open_base([source])
    pane.look()
    qtbot.waitUntil(lambda: "games.pgn" in pane.page.words())
    assert pane.page.begin.isVisible()


def test_a_base_without_duplicates_says_so(
    qtbot: QtBot, pane: duplicates_pane.DuplicatesPane, tmp_path: Path
) -> None:
    path = tmp_path / "one.pgn"
    path.write_text(GAMES[1])
    pane.set_base(importing.open_base([path]).base)
    with qtbot.waitSignal(pane.found):
        pane.look()
    assert pane.page.words() == "None of the 1 game is there twice."
    pane.set_base(None)
    assert pane.page.words().endswith("Open games first.")
    assert not pane.page.begin.isEnabled()


def test_a_file_that_exists_is_not_offered_for_a_new_base(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = new_base.NewBaseDialog(None, 3, new_base._free(tmp_path))
    qtbot.addWidget(dialog)
    assert dialog.make.isEnabled()
    assert dialog.choice() == new_base.Choice(tmp_path / "new base.pgn", False)
    (tmp_path / "new base.pgn").touch()
    assert new_base._free(tmp_path) == tmp_path / "new base 2.pgn"
    for text, able in ((tmp_path / "new base", False), (tmp_path / "a.csv", False), (tmp_path / "b", True)):
        dialog.path.setText(str(text))
        assert dialog.make.isEnabled() == able
    assert dialog.choice().path == tmp_path / "b.pgn"
