"""What a person runs into off the straight path, in a real window."""

from __future__ import annotations

import csv
import shlex
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from cqlgui.base import data, errors
from cqlgui.base.files.resources import resource
from cqlgui.tasks.analysis import facets
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import hit_table
from cqlgui.tasks.likeness import duplicates
from cqlgui.tasks.results import base_model, search_model
from cqlgui.ui.look import room, wording
from cqlgui.ui.panels import export_dialog
from cqlgui.ui.window import main_window
from tests import helpers

pytestmark = pytest.mark.xvfb

HELD_SECONDS = 120


def open_sample(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])


def ask(qtbot: QtBot, main: main_window.MainWindow, text: str) -> search_model.SearchResult:
    main.editor.set_text(text)
    with qtbot.waitSignal(main.searcher.finished) as ended:
        qtbot.keyClick(main, Qt.Key.Key_F5)
    found: search_model.SearchResult = ended.args[0]
    return found


def test_nothing_of_the_last_search_stays_on_the_board(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "flipcolor {Bh7 kh8}")
    qtbot.waitUntil(lambda: main.browser.hit is not None)
    # What to ring is told after the hits.
    qtbot.waitUntil(lambda: main.board.rings != 0)
    assert main.board.badge != ("", "")
    ask(qtbot, main, "flipcolor {Bh7 kh8 #k == 9}")
    assert main.hits.count == 0
    assert main.browser.hit is None
    assert not main.board.rings
    assert main.board.badge == ("", "")
    assert "hit" not in main.hitbar.text()


def test_walking_to_the_next_hit_of_a_game_takes_the_table_along(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "wtm or btm")
    qtbot.waitUntil(lambda: main.browser.hit is not None)
    assert main.hits.table.row == 0
    main.board.setFocus()
    for place in (1, 2):
        qtbot.keyClick(main.board, Qt.Key.Key_Right)
        assert main.hits.table.row == place
        assert f"hit {place + 1} of " in main.hitbar.text()
    qtbot.keyClick(main, Qt.Key.Key_F3)
    assert main.browser.positionid == 3


def test_a_query_that_sorts_lands_on_its_best_hit(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, 'flipcolor {Bh7 kg8 check}\nsort "men" #A')
    assert main.result is not None
    best = main.result.order[0]
    assert best != min(main.result.order), "the sample is to have a better hit than its first one"
    assert main.hits.table.row == 0
    assert main.hits.hit_at(0).game == best
    shown = main.browser
    qtbot.waitUntil(lambda: shown.game is not None and shown.game.game == best)
    assert f"hit 1 of {main.hits.count}" in main.hitbar.text()


def test_a_hit_chosen_while_a_query_that_sorts_runs_stays(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    # A game far back holds the search up until it is stopped.
    endless = "wtm sort gamenumber\n{gamenumber < 100 or {gamenumber > 400 x = 0 while (x >= 0) {x += 1}}}"
    main.editor.set_text(endless)
    qtbot.keyClick(main, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: main.browser.hit is not None and main.hits.count > 10)
    walked = main.browser.positionid + 1
    main.board.setFocus()
    qtbot.keyClick(main.board, Qt.Key.Key_Right)
    assert main.browser.positionid == walked
    game = main.browser.game
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_Escape)
    assert (main.browser.game, main.browser.positionid) == (game, walked)
    assert game is not None
    # Its row depends on how many games were found before the first hit was shown.
    assert main.hits.hit_at(main.hits.table.row).game == game.game


def test_a_chosen_element_is_shown_by_one_of_its_hits(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "flipcolor flipvertical {Bh7 kh8}")
    qtbot.waitUntil(lambda: main.browser.hit is not None)
    qtbot.waitUntil(lambda: main.picker.view.elements.rowCount() == 4)
    assert main.result is not None
    shown = main.hits.hit_at(0).matches[0].element
    other = next(
        place
        for place, element in enumerate(main.result.orbits[0].elements)
        if place != shown and element.positions
    )
    main.picker.element_hovered.emit(0, other)
    main.picker.view.choose(other)
    qtbot.waitUntil(lambda: main.hits.table.row == 0)
    words = main.result.orbits[0].elements[other].words
    qtbot.waitUntil(lambda: main.board.badge is not None and main.board.badge[0] == words)


def test_a_refused_query_leaves_the_hits_of_the_last_one(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "mate")
    ended = main.hits._detail.text()
    found = main.hits.count
    main.editor.set_text("matte")
    with qtbot.waitSignal(main.searcher.rejected):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    assert main.infobar.shown is not None
    assert main.infobar.shown.kind == "error"
    assert (main.hits._detail.text(), main.hits.count) == (ended, found)


def test_the_latest_query_wins_over_one_that_is_being_searched(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    # A game far back holds the search up, so that it never ends by itself.
    endless = "flipcolor {Bh7 kh8} or {gamenumber > 400 x = 0 while (x >= 0) {x += 1}}"
    begun: list[str] = []
    main.searcher.started.connect(lambda _orbits: begun.append(main.asked))
    ended: list[str] = []
    main.searcher.finished.connect(lambda result: ended.append(result.query))
    main.editor.set_text(endless)
    qtbot.keyClick(main, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: main.hits.count > 0 and main.board.rings != 0)
    # The same again goes on.
    qtbot.keyClick(main, Qt.Key.Key_F5)
    assert begun == [endless]
    ask(qtbot, main, "mate")
    assert main.result is not None
    assert begun == [endless, "mate"]
    assert ended == ["mate"]
    assert (main.hits.count, main.hits.games) == (main.result.positions, len(main.result.order))
    assert not main.searcher.running
    # Nothing that the other one still had on its way comes afterwards.
    qtbot.waitUntil(lambda: not main.jobs.active("search") and main.jobs.count == 0)
    assert ended == ["mate"]
    assert main.hits.count == main.result.positions
    assert main.hits.hits.orbits == ()
    assert not main.hits.running
    # What is stopped and asked again at once begins anew, as does the same query in other games.
    main.editor.set_text(endless)
    with qtbot.waitSignal(main.searcher.found):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    with qtbot.waitSignal(main.searcher.started):
        main.searching.stop()
        qtbot.keyClick(main, Qt.Key.Key_F5)
    with qtbot.waitSignal(main.searcher.finished) as stopped:
        qtbot.keyClick(main, Qt.Key.Key_Escape)
    assert stopped.args[0].cancelled


def test_an_empty_query_is_asked_for_and_not_blamed(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    main.editor.set_text("  ")
    qtbot.keyClick(main, Qt.Key.Key_F5)
    assert main.infobar.shown is not None
    assert main.infobar.shown.kind == "info"
    assert "Type a query" in main.infobar.shown.text
    main.editor.set_text("mate")
    assert main.infobar.shown is None


def test_what_could_not_be_written_is_not_told_over_other_games(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    other = tmp_path / "other.pgn"
    other.write_text('[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n')
    nowhere = tmp_path / "nowhere"
    open_sample(qtbot, main)
    ask(qtbot, main, "mate")
    assert main.base is not None
    assert main.result is not None
    choice = export_dialog.ExportChoice(export_dialog.What.ALL, False, nowhere / "hits.pgn")
    with qtbot.waitSignal(main.exporter.ended):
        main.exporter.write(main.base, main.result, choice, [], None)
    main.tabs.setCurrentWidget(main.pictures)
    qtbot.waitUntil(lambda: main.pictures.picture is not None)
    with qtbot.waitSignal(main.pictures.failed):
        main.pictures.save(nowhere / "picture.png")
    assert main.infobar.shown is not None
    assert "picture.png cannot be written" in main.infobar.shown.text
    assert main.infobar.waiting == 1
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([other])
    assert main.infobar.shown is None


def test_a_file_that_holds_no_games_is_told_from_one_that_does(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    junk, whole = tmp_path / "junk.pgn", tmp_path / "whole.pgn"
    junk.write_bytes(bytes((n * 7919) % 251 for n in range(6_000)))
    whole.write_text('[Result "*"]\n\n1. e4 *\n')
    with qtbot.waitSignal(main.opener.opened):
        main.begin([junk])
    assert main.infobar.shown is not None
    assert "is this a PGN file?" in main.infobar.shown.text
    main.opening.show_bad_games()
    assert main.opening._bad_dialog is not None
    assert main.opening._bad_dialog.model.rowCount() > 0
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([whole])
    assert main.infobar.shown is None
    assert main.opening._bad_dialog.model.rowCount() == 0
    main.opening._bad_dialog.close()


def test_a_folder_is_opened_without_the_archive_in_it_that_is_damaged(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for name in ("a.pgn", "c.pgn"):
        (folder / name).write_text('[Result "*"]\n\n1. e4 *\n')
    (folder / "b.zip").write_bytes(b"PK\x03\x04 and nothing more")
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([folder])
    assert main.infobar.shown is not None
    assert "b.zip" in main.infobar.shown.text
    assert ask(qtbot, main, "Pe4").order == (1, 2)


def test_the_window_and_its_title_bar_fit_the_screen(qtbot: QtBot, main: main_window.MainWindow) -> None:
    fresh = main_window.MainWindow()
    qtbot.addWidget(fresh)
    screen = main.screen().availableSize()
    assert fresh.width() <= screen.width()
    assert fresh.height() + 30 <= screen.height()
    fresh.close()


@pytest.mark.parametrize("width", [1366, 1024])
def test_the_window_can_be_as_low_as_a_laptop_s_scaled_screen(
    qtbot: QtBot, main: main_window.MainWindow, width: int
) -> None:
    main.resize(width, 700)
    main.begin([])
    qtbot.waitUntil(lambda: len(main.library.titles()) > 60)
    for dock in (main.docks.library, main.docks.picker):
        main.docks.show(dock)
        # There is room for the whole pane. One behind others keeps an old size until it comes to the front.
        areas = [area for area in main.findChildren(room.Room) if dock.isAncestorOf(area)]
        assert areas
        qtbot.waitUntil(lambda areas=areas: not any(area.verticalScrollBar().isVisible() for area in areas))
    main.infobar.show_message("A message above the board.", "warning", key="test")
    # Qt counts the panes behind the one in front, too.
    qtbot.waitUntil(lambda: main.minimumSizeHint().height() < 520)
    main.resize(width, 520)
    main.docks.show(main.docks.library)
    last = main.library.preview.run
    qtbot.waitUntil(lambda: main.height() == 520 and main.library.isVisible())
    area = next(one for one in main.findChildren(room.Room) if one.isAncestorOf(last))
    area.ensureWidgetVisible(last)
    qtbot.waitUntil(lambda: not last.visibleRegion().isEmpty())


def test_hits_can_be_exported_as_soon_as_the_search_is_over(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    def offered() -> tuple[bool, bool]:
        return main.actions_.export.isEnabled(), main.hits._export.isEnabled()

    open_sample(qtbot, main)
    assert offered() == (False, False)
    ask(qtbot, main, "mate")
    assert offered() == (True, True)
    ask(qtbot, main, "mate not mate")
    assert offered() == (False, False)
    # A search that is stopped keeps what it found.
    main.editor.set_text("gamenumber == 1 or {gamenumber > 100 x = 0 while (x >= 0) {x += 1}}")
    main.searching.run()
    qtbot.waitUntil(lambda: main.hits.count > 0)
    assert offered() == (False, False)
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_Escape)
    assert offered() == (True, True)


def test_one_end_leaves_the_progress_of_other_work_in_view(
    qtbot: QtBot, main: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "mate")
    read = threading.Event()

    def slowly(*_arguments: object, **_named: object) -> base_model.ImportReport:
        read.wait(HELD_SECONDS)
        raise errors.SourceError("That was all.")

    monkeypatch.setattr(importing, "open_base", slowly)
    main.opening.open_files([tmp_path / "other.pgn"])
    choice = export_dialog.ExportChoice(export_dialog.What.ALL, False, tmp_path / "hits.pgn")
    monkeypatch.setattr(export_dialog.ExportDialog, "ask", lambda *_arguments, **_named: choice)
    with qtbot.waitSignal(main.exporter.written):
        main.output.ask_export()
    assert main.cancel_button.isVisible()
    with qtbot.waitSignal(main.opener.failed):
        read.set()
    assert not main.cancel_button.isVisible()


def test_what_is_exported_is_what_was_there_when_it_was_asked(
    qtbot: QtBot, main: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_sample(qtbot, main)
    mates = ask(qtbot, main, "mate")
    main.editor.set_text("check")

    def answer(*_arguments: object, **_named: object) -> export_dialog.ExportChoice:
        # A search that had begun before goes on while the dialog is open.
        main.searching.run()
        qtbot.waitUntil(lambda: main.result is None)
        return export_dialog.ExportChoice(export_dialog.What.ALL, False, tmp_path / "hits.pgn")

    monkeypatch.setattr(export_dialog.ExportDialog, "ask", answer)
    with qtbot.waitSignal(main.exporter.written) as written:
        main.output.ask_export()
    assert written.args[0].games == len(mates.order)


def test_hits_of_a_stopped_search_are_said_to_be_such_when_narrowed(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    main.editor.set_text("gamenumber <= 100 or {x = 0 while (x >= 0) {x += 1}}")
    main.searching.run()
    qtbot.waitUntil(lambda: main.hits.count > 0)
    with qtbot.waitSignal(main.searcher.finished):
        main.searching.stop()
    said = main.hits._detail.text()
    assert said.startswith("stopped after ")
    assert " of 500, " in said
    main.narrower._show(main.narrower._result, ())
    assert main.hits._detail.text() == said


def test_an_element_without_hits_leaves_the_others_to_be_exported(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "flipcolor {wtm mate}")
    main.hits.limit(0, 99)
    assert main.hits.count == 0
    main.changed.emit()
    assert main.actions_.export.isEnabled()
    assert main.hits._export.isEnabled()


def test_a_preview_ends_when_the_keyboard_leaves_the_elements_or_the_query_changes(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    main.editor.set_text("flipcolor {A attacks k}")
    view = main.picker.view
    qtbot.waitUntil(lambda: view.elements.rowCount() == 2)
    main.picker.remove_button.setFocus()
    main.picker.focusNextChild()
    assert view.hasFocus()
    assert main.board._ghost is not None
    qtbot.keyClick(view, Qt.Key.Key_Backtab)
    assert not view.hasFocus()
    assert main.board._ghost is None
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert main.board._ghost is not None, "coming back shows it again"
    main.editor.set_text("wtm")
    assert main.board._ghost is None
    qtbot.waitUntil(lambda: view.elements.rowCount() == 0)
    assert main.board._ghost is None


def test_a_query_that_cannot_be_read_is_told_once_and_not_for_ever(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    def told() -> list[str]:
        labels = main.findChildren(QLabel)
        return [label.text() for label in labels if label.isVisible() and "missing.cql" in label.text()]

    main.begin([])
    assert not main.editor.open_file(tmp_path / "missing.cql")
    assert main.infobar.shown is not None
    assert told() == [main.infobar.shown.text]
    main.editor.set_text("wtm")
    assert told() == []


def test_keys_go_round_the_areas_and_leave_the_editor(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "flipcolor mate")
    main.infobar.clear()
    edit = main.editor.edit
    edit.setFocus()
    before = edit.text()
    round_ = (main.board, main.notation, main.picker, main.tabs, main.editor)
    for area in round_:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
        focus = QApplication.focusWidget()
        assert focus is area or area.isAncestorOf(focus)
        assert main.areas.framed is area
        if area is main.picker:
            assert focus is main.picker.toggles["flipcolor"], "the first of what the area has"
    assert main.hits.table.row == 0
    assert edit.hasFocus()
    for area in (*round_[3::-1], main.editor):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
        assert main.areas.framed is area
    assert edit.text() == before

    # Panes in front count, those behind or closed do not; a message is an area while it is there.
    main.docks.show(main.docks.library)
    main.docks.picker.hide()
    main.infobar.show_message("One may answer this.", "warning", ("Answer", lambda: None), key="test")
    main.board.setFocus()
    qtbot.waitUntil(lambda: not main.library.visibleRegion().isEmpty())
    assert main.areas.framed is None, "who went elsewhere otherwise sees the focus there"
    found = []
    for _ in range(5):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
        found.append(main.areas.framed)
    asked = main.docks.library.widget()
    assert found == [main.notation, main.tabs, main.infobar, asked, main.board]
    main.docks.reset()


def test_a_name_without_end_in_a_message_leaves_the_window_as_wide_as_it_was(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    # As wide as a laptop's screen at 200 %.
    main.resize(683, 700)
    with qtbot.waitSignal(main.opener.failed):
        main.opening.open_files([tmp_path / f"{'long' * 60}.pgn"])
    qtbot.waitUntil(main.infobar.isVisible)
    assert main.infobar.shown is not None
    assert "long.pgn" in main.infobar.shown.text
    assert main.minimumSizeHint().width() <= 683
    main.editor.set_text(f"cql(input {'long' * 60}.pgn) mate")
    (tmp_path / f"{'long' * 60}.pgn").touch()
    main.folder = str(tmp_path)
    main.infobar.clear()
    main.searching.run()
    assert main.infobar.shown is not None
    assert main.infobar.shown.action is not None
    assert main.minimumSizeHint().width() <= 683


@pytest.mark.parametrize("rows", hit_table.Rows)
def test_a_table_is_told_by_its_rows(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path, rows: hit_table.Rows
) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "check")
    assert main.result is not None
    games, hits = len(main.result.order), main.result.positions
    path = tmp_path / "hits.csv"
    choice = export_dialog.ExportChoice(export_dialog.What.ALL, False, path, rows=rows)
    assert main.base is not None
    with qtbot.waitSignal(main.exporter.written):
        main.exporter.write(main.base, main.result, choice, [], None)
    amount = {
        hit_table.Rows.HITS: wording.hits(hits),
        hit_table.Rows.SPANS: f"{wording.hits(hits)} as runs of plies",
        hit_table.Rows.GAMES: f"{wording.games(games)}, one row each,",
    }[rows]
    assert main.infobar.shown is not None
    assert main.infobar.shown.text == f"{amount} written to {path}."


@pytest.mark.parametrize("state", ["limited", "element", "without duplicates", "facet and duplicates"])
def test_the_command_of_the_export_dialog_writes_the_same_file(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    source = tmp_path / "twice.pgn"
    source.write_bytes(resource("sample/sample.pgn").read_bytes() * 2)
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([source])
    ask(qtbot, main, "flipcolor {N attacks q check}")
    assert main.base is not None
    told: list[str] = []
    monkeypatch.setattr(main, "tell", told.append)
    main.tabs.setCurrentWidget(main.facets)
    qtbot.waitUntil(lambda: main.facets._sheet is not None and main.jobs.count == 0)
    unique = state == "facet and duplicates"
    what, element = export_dialog.What.ALL, None
    if state == "without duplicates":
        with qtbot.waitSignal(main.narrower.shown):
            main.narrower.leave_out(duplicates.find(main.base))
    elif unique:
        with qtbot.waitSignal(main.narrower.shown):
            main.facets.tree.asked.emit("alone", facets.RESULT, 0)
    else:
        main.showing._element_chosen(0, 1)
        qtbot.waitUntil(lambda: main.hits.limited_to == (0, 1))
        if state == "element":
            what, element = export_dialog.What.ELEMENT, (0, 1)
    qtbot.waitUntil(lambda: main.jobs.count == 0)
    choice = export_dialog.ExportChoice(what, False, tmp_path / "window.csv", unique=unique)
    assert main.result is not None
    with qtbot.waitSignal(main.exporter.written):
        main.exporter.write(main.base, main.result, choice, [], element)
    main.output._copy_export(data.replace(choice, path=tmp_path / "command.csv"))
    assert ("duplicates that only the narrowing leaves" in told[-1]) == unique
    run = helpers.cli(*shlex.split(QGuiApplication.clipboard().text())[1:])
    assert run.code == 0, run.err
    tables = []
    for name in ("window.csv", "command.csv"):
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            tables.append(list(csv.DictReader(file)))
    assert len(tables[0]) > 1
    if "this image where several match" in told[-1]:
        assert state == "element"
        tables = [[(row["game"], row["positionid"]) for row in rows] for rows in tables]
    assert tables[0] == tables[1]


def test_a_file_is_written_to_its_end_before_the_next(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = [tmp_path / "one.pgn", tmp_path / "two.pgn"]

    def answer(*_arguments: object, **_named: object) -> export_dialog.ExportChoice:
        return export_dialog.ExportChoice(export_dialog.What.ALL, False, written.pop(0))

    monkeypatch.setattr(export_dialog.ExportDialog, "ask", answer)
    open_sample(qtbot, main)
    ask(qtbot, main, "check")
    with qtbot.waitSignal(main.exporter.written):
        main.output.ask_export()
        main.output.ask_export()
        assert main.infobar.shown is not None
        assert "is being written" in main.infobar.shown.text
    assert (tmp_path / "one.pgn").exists()
    assert len(written) == 1
    with qtbot.waitSignal(main.exporter.written):
        main.output.ask_export()
    assert (tmp_path / "two.pgn").exists()


def test_the_answer_to_a_key_comes_before_an_older_error(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    """Else the key would seem to do nothing."""
    with qtbot.waitSignal(main.opener.failed):
        main.begin([tmp_path / "missing.pgn"])
    main.editor.set_text("mate")
    for answer, does in (
        ("Open a PGN file first", main.searching.run),
        ("There are no hits", main.output.ask_export),
    ):
        does()
        assert main.infobar.shown is not None
        assert main.infobar.shown.text.startswith(answer)
    assert main.infobar.waiting == 2
    main.infobar.close_message()
    main.infobar.close_message()
    assert main.infobar.shown is not None
    assert "missing.pgn" in main.infobar.shown.text
