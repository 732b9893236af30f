"""The tabs of the results look at the same hits: rows, facets, moves, pictures, and the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cqlgui.base import data
from cqlgui.base.files.resources import resource
from cqlgui.jit import native
from cqlgui.tasks.analysis import facets
from cqlgui.tasks.databases import games
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.tasks.results import search_model
from cqlgui.ui.panels import export_dialog
from cqlgui.ui.pictures import asking
from cqlgui.ui.tables import hits_model
from cqlgui.ui.window import main_window
from tests import helpers

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code"),
]


def ask(qtbot: QtBot, main: main_window.MainWindow, text: str) -> search_model.SearchResult:
    main.editor.set_text(text)
    with qtbot.waitSignal(main.searcher.finished) as ended:
        qtbot.keyClick(main, Qt.Key.Key_F5)
    found: search_model.SearchResult = ended.args[0]
    return found


def open_sample(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])


def test_the_board_shows_the_current_row_when_rows_become_games_and_hits_again(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    result = ask(qtbot, main, "check")
    kinds = dict(zip(Rows, main.hits.arrange._kinds.actions(), strict=True))

    def on_board() -> tuple[int, int]:
        game = main.browser.game
        return (0, 0) if game is None else (game.game, main.browser.positionid)

    def current() -> tuple[int, int]:
        hit = main.hits.current()
        assert hit is not None
        return hit.game, hit.positionid

    def several(row: int) -> bool:
        return len(result.games[main.hits.hit_at(row).game].hits) > 2

    for column in (hits_model.GAME, hits_model.PLY, hits_model.RESULT):
        main.hits.arrange.sort_by(column)
        main.hits.arrange.sort_by(column)
        # The game has more hits, and its row may show another one.
        row = next(row for row in range(5, main.hits.count) if several(row))
        main.hits.select_row(row)
        qtbot.waitUntil(lambda: on_board() == current())
        for kind in (Rows.GAMES, Rows.SPANS, Rows.HITS, Rows.GAMES):
            game = current()[0]
            kinds[kind].trigger()
            assert current()[0] == game
            assert on_board() == current()
        # The user goes to the last hit of the game. It is the current one among all hits.
        game = current()[0]
        last = max(hit.positionid for hit in result.games[game].hits)
        main.browser.go(last)
        kinds[Rows.HITS].trigger()
        assert on_board() == current() == (game, last)
        # A position that is no hit stays on the board.
        hits = {hit.positionid for hit in result.games[game].hits}
        main.browser.go(0)
        assert 0 not in hits
        kinds[Rows.GAMES].trigger()
        assert on_board() == (game, 0)
        assert current()[0] == game
        kinds[Rows.HITS].trigger()


def test_all_tabs_show_the_hits_that_are_left(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    whole = ask(qtbot, main, "flipcolor {wtm check}")
    # A facet narrows the table.
    main.tabs.setCurrentWidget(main.facets)
    qtbot.waitUntil(lambda: main.facets._sheet is not None and main.facets._sheet.result is whole)
    with qtbot.waitSignal(main.narrower.shown) as shown:
        main.facets.tree.asked.emit("alone", facets.RESULT, 0)
    left: search_model.SearchResult = shown.args[0]
    assert 0 < left.positions < whole.positions
    assert main.hits.count == left.positions
    # The moves and the pictures are those of the hits that are left.
    main.tabs.setCurrentWidget(main.continuing)
    qtbot.waitUntil(lambda: main.continuing.tree.node is not None)
    node = main.continuing.tree.node
    assert node is not None
    assert sum(choice.count for choice in node.choices) + node.ended == left.positions
    main.tabs.setCurrentWidget(main.pictures)
    main.pictures.choose(asking.Kind.RESULT)
    qtbot.waitUntil(lambda: main.pictures._model.rowCount() > 0)
    # A move narrows further, and everything comes back.
    choice = node.choices[0]
    with qtbot.waitSignal(main.narrower.shown) as shown:
        main.continuing._narrow((choice.move,))
    assert shown.args[0].positions == choice.count
    assert main.hits.count == choice.count
    # Ctrl+Z brings the hits back, and the query stays.
    text = main.editor.text()
    panes: list[tuple[QWidget, QWidget]] = [
        (main.continuing, main.continuing.table),
        (main.pictures, main.pictures.table),
        (main.hits, main.hits.table),
    ]
    for pane, table in panes:
        main.tabs.setCurrentWidget(pane)
        table.setFocus()
        with qtbot.waitSignal(main.narrower.shown):
            qtbot.keyClick(table, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert (main.hits.count, main.editor.text()) == (whole.positions, text)
        main.tabs.setCurrentWidget(main.continuing)
        qtbot.waitUntil(lambda: (main.continuing.tree.node or node).count == whole.positions)
        qtbot.waitUntil(lambda: main.continuing.tree.narrowing((choice.move,)) is not None)
        with qtbot.waitSignal(main.narrower.shown):
            main.continuing._narrow((choice.move,))
    main.tabs.setCurrentWidget(main.hits)
    with qtbot.waitSignal(main.narrower.shown):
        main.hits.narrowing_removed.emit()
    assert main.hits.count == whole.positions
    # A line after a hit is shown in the frame of this hit, also in a game that is not on the board yet, and
    # at a position that is a hit of the other element.
    main.browser.set_normalised(True)
    hits = [hit for game in whole.order for hit in whole.games[game].hits]
    elements = {(hit.game, hit.positionid): hit.matches[0].element for hit in hits}
    swapped = next(hit for hit in hits if hit.matches[0].element == 1)
    other = next(hit for hit in hits if hit.matches[0].element == 0 and hit.game != swapped.game)
    far = next(
        (hit.game, hit.positionid, plies)
        for hit in hits
        for plies in range(1, 30)
        if elements.get((hit.game, hit.positionid + plies), hit.matches[0].element) != hit.matches[0].element
    )
    for game, place, plies in ((swapped.game, swapped.positionid, 1), far, (far[0], far[1], 0), far):
        main.browser.open(main.base, other.game, other.positionid, main.hits.hits.hits_of(other.game))
        qtbot.waitUntil(lambda: main.browser.game is not None and main.browser.game.game == other.game)
        main.continuing.line_wanted.emit(game, place, plies)
        qtbot.waitUntil(lambda game=game: main.browser.game is not None and main.browser.game.game == game)
        assert main.browser.positionid == place + plies
        assert main.browser.normal.element == whole.orbits[0].elements[elements[game, place]]
        # The same holds if the game is on the board already.
        main.continuing.line_previewed.emit(game, place, plies)
        assert main.browser.normal.element == whole.orbits[0].elements[elements[game, place]]


def test_what_the_copied_command_cannot_say_is_told(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    found = ask(qtbot, main, "mate")
    main.hits.narrow.within_changed.emit(True)
    assert main.narrower.within is not None
    again = ask(qtbot, main, "check")
    assert 0 < len(again.order) <= len(found.order)
    main.actions_.copy_command.trigger()
    lacks = f"it cannot have the limit to {len(found.order)} games"
    assert main.pointing.notice.text() == f"Command copied, but it gives other rows: {lacks}"


def run_of_the_copy(main: main_window.MainWindow, whole: search_model.SearchResult) -> list[str]:
    """Copy the command line, run it, and compare its rows with those of the table, which has some of the hits
    of `whole`. Returns the words of the command."""
    main.actions_.copy_command.trigger()
    assert main.pointing.notice.text() == "Command copied"
    words = shlex.split(QGuiApplication.clipboard().text())
    run = helpers.cli(*words[1:])
    assert run.code == 0, run.err
    places = [(row["game"], row["positionid"]) for row in map(json.loads, run.out.splitlines())]
    shown = [main.hits.hit_at(row) for row in range(main.hits.count)]
    assert places == [(hit.game, hit.positionid) for hit in shown]
    assert 0 < len(places) < whole.positions
    return words


@pytest.mark.parametrize("framed", [False, True])
def test_the_copied_command_has_what_was_narrowed_in_moves_and_pictures(
    qtbot: QtBot, main: main_window.MainWindow, *, framed: bool
) -> None:
    open_sample(qtbot, main)
    whole = ask(qtbot, main, "flipcolor {wtm check}")
    frame = "frame:" if framed else ""

    def narrow_to(row: int, kind: asking.Kind) -> None:
        main.pictures.choose(kind)
        qtbot.waitUntil(lambda: main.jobs.count == 0 and main.pictures.picture is not None)
        with qtbot.waitSignal(main.narrower.shown):
            main.pictures.table.chosen.emit(row)

    main.tabs.setCurrentWidget(main.pictures)
    main.pictures.set_normalised(framed)
    narrow_to(0, asking.Kind.ARRIVALS)
    assert any(word.startswith(f"--where={frame}arrivals=any 10 ") for word in run_of_the_copy(main, whole))
    narrow_to(0, asking.Kind.RESULT)
    assert f"--where={frame}result=1-0" in run_of_the_copy(main, whole)
    main.tabs.setCurrentWidget(main.continuing)
    main.continuing.set_normalised(framed)
    qtbot.waitUntil(lambda: main.jobs.count == 0 and main.continuing.table.model().rowCount() > 0)
    with qtbot.waitSignal(main.narrower.shown):
        main.continuing.table.narrowed.emit(0)
    steps = [word for word in run_of_the_copy(main, whole) if word.startswith("--where=")]
    assert [step.split("=")[1] for step in steps] == [
        f"{frame}{name}" for name in ("arrivals", "result", "then")
    ]
    # A line of games that was written before the other steps is a part of the command, too.
    main.narrower.undo()
    for line in ("-result:0-1", "eco:A-D"):
        main.hits.line.setText(line)
        with qtbot.waitSignal(main.narrower.shown):
            main.hits.line.apply_now()
        main.tabs.setCurrentWidget(main.continuing)
        qtbot.waitUntil(lambda: main.jobs.count == 0 and main.continuing.table.model().rowCount() > 0)
        with qtbot.waitSignal(main.narrower.shown):
            main.continuing.table.narrowed.emit(0)
    assert "--games=-result:0-1 eco:A-D" in run_of_the_copy(main, whole)
    # A set has no option, and the user reads that before the command runs.
    main.narrower.undo()
    main.hits.narrow.kept.emit()
    main.hits.narrow.set_kept(main.narrower._shelf.sets, main.base)
    other = main.narrower._shelf.sets[0]
    with qtbot.waitSignal(main.narrower.shown):
        main.hits.narrow._with("xor", other)()
    main.actions_.copy_command.trigger()
    assert f"it cannot have “xor {other.name}”" in main.pointing.notice.text()


def test_the_copied_command_has_what_was_chosen_in_the_facets(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    """Facets, the line of games, an image of the pattern and duplicates: the rows are those of the table."""
    open_sample(qtbot, main)
    whole = ask(qtbot, main, "flipcolor {wtm check}")

    def commanded() -> list[str]:
        return run_of_the_copy(main, whole)

    main.tabs.setCurrentWidget(main.facets)
    qtbot.waitUntil(lambda: main.facets._sheet is not None)
    for change in (
        lambda choice: choice.joined(facets.RESULT, 0),
        lambda choice: choice.joined(facets.RESULT, 2),
        lambda choice: choice.excluding(facets.PHASE, 0),
    ):
        with qtbot.waitSignal(main.narrower.shown):
            main.facets._choose(change(main.facets.choice))
    assert {"--facet=result=1-0", "--facet=result=0-1", "--facet=phase!=opening"} <= set(commanded())
    main.hits.line.setText("elo>2500")
    with qtbot.waitSignal(main.narrower.shown):
        main.hits.line.apply_now()
    assert {"--facet=result=1-0", "--games=elo>2500"} <= set(commanded())
    # An image of the pattern that is clicked is a value of the facet of elements.
    part = main.narrower.part
    assert part is not None
    element = next(key for key, one in enumerate(part.orbits[0].elements) if one.positions)
    with qtbot.waitSignal(main.hits.limited):
        main.picker.view.choose(element)
    qtbot.waitUntil(lambda: main.narrower.part is not None and main.narrower.part is not part)
    assert any(word.startswith("--facet=element=") for word in commanded())


def test_a_sorted_table_may_be_narrowed_to_nothing(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    ask(qtbot, main, "mate")
    main.hits.arrange.sort_by(hits_model.DATE)
    main.hits.table.go_to(4)
    main.hits.line.setText("-result:1-0 -result:0-1")
    with qtbot.waitSignal(main.narrower.shown):
        main.hits.line.apply_now()
    assert main.hits.count == 0
    assert main.hits.table.row == -1


def test_the_line_narrows_and_the_command_prints_the_same_rows(
    qtbot: QtBot, main: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    open_sample(qtbot, main)
    whole = ask(qtbot, main, "flipcolor {wtm check}")
    main.hits.line.setFocus()
    QTest.keyClicks(main.hits.line, "result:1-0")
    with qtbot.waitSignal(main.narrower.shown) as shown:
        QTest.keyClick(main.hits.line, Qt.Key.Key_Return)
    left = shown.args[0]
    assert main.base is not None
    fits = set(games.fitting(main.base, "result:1-0").tolist())
    assert set(left.order) == set(whole.order) & fits
    # A name that no game has leaves the hits as they are.
    main.hits.line.setText("result:1-0 nobody-at-all")
    with qtbot.waitSignal(main.narrower.line_failed) as failed:
        main.hits.line.apply_now()
    assert "No game has" in failed.args[0]
    assert main.hits.count == left.positions
    # The command has the line that holds, not what is written in its place.
    main.actions_.copy_command.trigger()
    assert "nobody" not in QGuiApplication.clipboard().text()
    assert "--games=result:1-0" in shlex.split(QGuiApplication.clipboard().text())
    main.hits.line.put("result:1-0")
    main.hits.arrange.wished.emit(main.hits.arrange.wish)
    main.hits.arrange._kinds.actions()[list(Rows).index(Rows.GAMES)].trigger()
    assert main.hits.count == len(left.order)
    main.actions_.copy_command.trigger()
    program, *words = shlex.split(QGuiApplication.clipboard().text())
    assert program == "cqlgui"
    run = helpers.cli(*words)
    assert run.code == 0, run.err
    rows = [json.loads(line) for line in run.out.splitlines()]
    assert [row["game"] for row in rows] == [main.hits.hit_at(row).game for row in range(main.hits.count)]
    assert sum(row["hits"] for row in rows) == left.positions
    # Sorted rows are printed in the order of the table.
    main.hits.arrange.sort_by(hits_model.DATE)
    main.hits.arrange.sort_by(hits_model.DATE)
    main.hits.arrange.sort_by(hits_model.PLY, more=True)
    main.actions_.copy_command.trigger()
    assert "--sort=-date,ply" in QGuiApplication.clipboard().text()
    run = helpers.cli(*shlex.split(QGuiApplication.clipboard().text())[1:])
    assert run.code == 0, run.err
    places = [(row["game"], row["positionid"]) for row in map(json.loads, run.out.splitlines())]
    shown = [main.hits.hit_at(row) for row in range(main.hits.count)]
    assert places == [(hit.game, hit.positionid) for hit in shown]
    assert places != [(row["game"], row["positionid"]) for row in rows]
    # The export dialog writes what its command line writes.
    copied: list[str] = []

    def asked(*_arguments: object, **named: Any) -> export_dialog.ExportChoice:
        choice = export_dialog.ExportChoice(
            export_dialog.What.ALL, False, folder / "window.csv", rows=named["rows"], unique=True
        )
        named["copy"](data.replace(choice, path=folder / "command.csv"))
        copied.append(QGuiApplication.clipboard().text())
        return choice

    monkeypatch.setattr(export_dialog.ExportDialog, "ask", asked)
    with qtbot.waitSignal(main.exporter.written):
        main.output.ask_export()
    program, *words = shlex.split(copied[0])
    assert {"--no-duplicates", "--group", "--sort=-date,ply"} <= set(words)
    run = helpers.cli(*words)
    assert run.code == 0, run.err
    written = (folder / "window.csv").read_bytes()
    assert written.count(b"\n") > 1
    assert (folder / "command.csv").read_bytes() == written
    # The command does not replace the file of its first run, unless the dialog says that it is replaced.
    assert "--overwrite" not in words
    assert "exists. Add --overwrite" in helpers.cli(*words).err
    choice = export_dialog.ExportChoice(
        export_dialog.What.ALL, False, folder / "command.csv", rows=Rows.GAMES, unique=True, overwrite=True
    )
    main.output._copy_export(choice)
    run = helpers.cli(*shlex.split(QGuiApplication.clipboard().text())[1:])
    assert run.code == 0, run.err
    # Esc in the line shows all hits again.
    with qtbot.waitSignal(main.narrower.shown):
        QTest.keyClick(main.hits.line, Qt.Key.Key_Escape)
    assert main.hits.hits.hits == whole.positions
