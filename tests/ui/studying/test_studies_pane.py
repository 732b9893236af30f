"""The pane of studies: its numbers are those of the command line, and nothing that is done is lost."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from cqlgui.cli import arguments
from cqlgui.cli.surveys import study as command
from cqlgui.jit import native
from cqlgui.tasks.databases import importing
from cqlgui.tasks.studies import study, study_table, study_text
from cqlgui.ui.loop import jobs
from cqlgui.ui.studying import model, pane, state
from cqlgui.ui.tables import view
from cqlgui.ui.window import main_window, start
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
THEMES = [f"{man} == {number}" for man in "QRBNP" for number in range(1, 4)] + [
    "check",
    "mate",
    "stalemate",
    "ply > 100",
    "Kg1 kg8",
]
BASES = 'bases = ["one.pgn", "other.pgn"]'


@pytest.fixture
def bases(tmp_path: Path) -> list[Path]:
    """Two bases of 40 games each."""
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text(encoding="utf-8")
    listed = text.split("\n[Event ")
    paths = [tmp_path / "one.pgn", tmp_path / "other.pgn"]
    for number, path in enumerate(paths):
        chosen = listed[1 + number * 40 : 41 + number * 40]
        path.write_text("".join(f"[Event {game.rstrip()}\n\n" for game in chosen), encoding="utf-8")
    return paths


def write(folder: Path, themes: list[str], head: str = BASES, end: str = "") -> Path:
    """A study of these queries. `head` and `end` are lines around them."""
    queries = "".join(f"\n[[query]]\nname = {json.dumps(one)}\ntext = {json.dumps(one)}\n" for one in themes)
    path = folder / "study.toml"
    path.write_text(f"{head}\nsamples = 2\n{queries}{end}")
    return path


@pytest.fixture
def shown(qtbot: QtBot, door: jobs.Jobs) -> pane.StudiesPane:
    made = pane.StudiesPane(door)
    qtbot.addWidget(made)
    made.resize(470, 620)
    with qtbot.waitExposed(made):
        made.show()
    return made


def open_study(qtbot: QtBot, shown: pane.StudiesPane, path: Path) -> None:
    with qtbot.waitSignal(shown.runner.opened):
        shown.open(path)


def run(qtbot: QtBot, shown: pane.StudiesPane, *, resume: bool = False) -> study.Report:
    (shown.resume if resume else shown.start).click()
    qtbot.waitUntil(lambda: not shown.runner.running, timeout=60_000)
    assert shown.runner.report is not None
    return shown.runner.report


def test_twenty_themes_over_two_bases_have_the_numbers_of_the_command_line(
    qtbot: QtBot, shown: pane.StudiesPane, bases: list[Path], tmp_path: Path, qtmodeltester: ModelTester
) -> None:
    source = write(tmp_path, THEMES, end="\n[groups]\nyears = 50\n")
    printed = tmp_path / "printed.json"
    asked = ["study", str(source), "-o", str(printed)]
    # The command runs in this process, because a process of its own would load everything again.
    assert command.run(arguments.parser("study").parse_args(asked)) == 0
    expected = json.loads(printed.read_text(encoding="utf-8"))["rows"]
    assert len({(row["query"], row["base"]) for row in expected}) == 40
    assert any(row["games"] for row in expected if row["group"])
    qtmodeltester.check(shown.model)
    open_study(qtbot, shown, source)
    assert [row.values for row in shown.model.rows] == [None] * 40
    report = run(qtbot, shown)
    assert shown.model.known == expected == study_table.rows(report)

    # The greatest number is first after a click, and the third click brings back the order of the study.
    head = shown.table.horizontalHeader()
    counts = []
    for _ in range(3):
        place = QPoint(head.sectionViewportPosition(model.GAMES) + 5, 8)
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=place)
        counts.append([row["games"] for row in shown.model.known])
    usual = [row["games"] for row in expected]
    assert counts == [sorted(usual, reverse=True), sorted(usual), usual]

    # Rows that are saved and rows that are copied have these numbers too.
    with qtbot.waitSignal(shown.told):
        shown.runner.save(tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        saved = list(csv.reader(file))
    assert len(saved) == len(expected) + 1
    shown.table.selectAll()
    shown.table.setFocus()
    QTest.keyClick(shown.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()] == saved


def test_the_column_of_queries_has_room_for_their_names_and_can_be_resized(
    qtbot: QtBot, shown: pane.StudiesPane, bases: list[Path], tmp_path: Path
) -> None:
    open_study(qtbot, shown, write(tmp_path, ["check or stalemate or mate"]))
    head, metrics = shown.table.horizontalHeader(), shown.table.fontMetrics()

    def room() -> int:
        return head.sectionSize(model.QUERY) - 2 * view.PADDING

    name = shown.model.rows[0].query
    assert metrics.horizontalAdvance(name) > pane._NARROWEST_QUERY
    assert room() >= metrics.horizontalAdvance(name)
    # A very long name leaves room for numbers, and its tooltip has the whole name.
    long = " or ".join(["check"] * 20)
    open_study(qtbot, shown, write(tmp_path, [long, "mate"]))
    assert room() < metrics.horizontalAdvance(long)
    assert head.sectionSize(model.QUERY) <= max(shown.table.viewport().width() * 0.4, pane._NARROWEST_QUERY)
    assert (shown.model.tip(0, model.QUERY) or "").startswith(long)
    # A wider pane gives more of the name.
    before = room()
    shown.resize(900, 620)
    qtbot.waitUntil(lambda: room() > before)
    # What the user has resized stays while a study runs, and in another width.
    head.resizeSection(model.QUERY, 90)
    head.resizeSection(model.SHARE, 150)
    run(qtbot, shown)
    shown.resize(470, 620)
    qtbot.waitUntil(lambda: shown.table.viewport().width() < 470)
    assert (head.sectionSize(model.QUERY), head.sectionSize(model.SHARE)) == (90, 150)
    shown.table.reset_columns()
    assert head.sectionSize(model.QUERY) > 150 > head.sectionSize(model.SHARE)


def test_a_base_that_is_listed_twice_has_one_row_and_a_note(
    qtbot: QtBot, shown: pane.StudiesPane, bases: list[Path], tmp_path: Path
) -> None:
    source = write(tmp_path, ["mate"], head='bases = ["one.pgn", "other.pgn", "./one.pgn"]')
    open_study(qtbot, shown, source)
    note = "one.pgn is left out, because it is listed twice."
    assert note in shown.notice.text
    assert [row.base for row in shown.model.rows] == ["one.pgn", "other.pgn"]
    report = run(qtbot, shown)
    assert [(part.query, part.base) for part in report.parts] == [("mate", "one.pgn"), ("mate", "other.pgn")]
    assert note in shown.notice.text


def test_a_cancelled_study_keeps_what_is_done_and_goes_on(
    qtbot: QtBot, shown: pane.StudiesPane, bases: list[Path], tmp_path: Path
) -> None:
    source = write(tmp_path, THEMES)
    open_study(qtbot, shown, source)
    assert not shown.resume.isEnabled()

    def stop(told: list[object]) -> None:
        if any(isinstance(one, study.Part) for one in told):
            shown.cancel.click()

    shown.runner.happened.connect(stop)
    stopped = run(qtbot, shown)
    shown.runner.happened.disconnect(stop)
    assert shown.runner.phase is state.Phase.STOPPED
    assert 0 < len(stopped.parts) < 40
    done = list(shown.model.known)
    assert done == study_table.rows(stopped)
    assert shown.model.row_searched() < 0

    # A study that is opened anew goes on too, for example after the next start.
    open_study(qtbot, shown, source)
    whole = run(qtbot, shown, resume=True)
    assert (whole.again, len(whole.parts)) == (len(stopped.parts), 40)
    assert shown.model.known[: len(done)] == done
    opened = [study.StudyBase(path.name, importing.open_base([path]).base) for path in bases]
    assert shown.model.known == study_table.rows(study.run(study_text.read(source), opened))


def test_faults_are_named_with_their_place_and_cost_nothing_else(
    qtbot: QtBot, shown: pane.StudiesPane, bases: list[Path], tmp_path: Path
) -> None:
    away = tmp_path / "away.txt"
    stranger = f'writefile("{away}" "x")'
    source = write(tmp_path, ["check", "R == ", stranger])
    open_study(qtbot, shown, source)
    report = run(qtbot, shown)
    assert len(report.parts) == 2
    known = list(shown.model.known)
    assert [row["query"] for row in known] == ["check", "check"]
    failed = [row.query for row in shown.model.rows if row.state is model.State.FAILED]
    assert failed == ["R == ", "R == ", stranger, stranger]
    assert not away.exists()
    line = source.read_text().splitlines().index('text = "R == "') + 1
    shown.table.go_to(shown.model.row_of("R == ", "one.pgn"))
    assert shown.details.faults.toPlainText().startswith(f"{source}:{line}:")

    # A file that cannot be read is named, and the table that is shown stays.
    bad = tmp_path / "bad.toml"
    bad.write_text('title = "T"\n[[query]]\nname = "a" text\n')
    with qtbot.waitSignal(shown.runner.failed):
        shown.open(bad)
    assert shown.notice.text.startswith("bad.toml:3:12: ")
    assert shown.model.known == known
    # The same holds for a study that was damaged after it was opened.
    source.write_text(source.read_text().replace("samples", "sample"))
    with qtbot.waitSignal(shown.runner.failed):
        shown.start.click()
    assert "has no key sample" in shown.notice.text
    assert shown.model.known == known


def test_an_existing_table_is_not_overwritten_unasked(
    qtbot: QtBot, shown: pane.StudiesPane, bases: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_study(qtbot, shown, write(tmp_path, ["mate"]))
    run(qtbot, shown)
    kept = tmp_path / "kept.csv"
    kept.write_text("mine")
    asked: list[str] = []

    def refuse(_parent: object, _title: str, words: str, **_: object) -> QMessageBox.StandardButton:
        asked.append(words)
        return QMessageBox.StandardButton.No

    monkeypatch.setattr(QMessageBox, "question", refuse)
    # The user left the ending out, so the dialog has asked about another file.
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "kept"), "CSV table (*.csv)")
    )
    shown.ask_save()
    assert len(asked) == 1
    # A base of the study is never overwritten.
    other_name = tmp_path / "one.csv"
    other_name.hardlink_to(bases[0])
    with qtbot.waitSignal(shown.runner.failed):
        shown.runner.save(other_name)
    assert kept.read_text() == "mine"


@pytest.fixture
def main(qtbot: QtBot, qapp: QApplication) -> Iterator[main_window.MainWindow]:
    start.set_up(qapp)
    made = main_window.MainWindow()
    made.live.switch(False)
    made.resize(1366, 768)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close()
    made.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # type: ignore[arg-type]  # None is all


def test_examples_and_themes_open_in_the_window(
    qtbot: QtBot, main: main_window.MainWindow, bases: list[Path], tmp_path: Path
) -> None:
    main.begin([bases[0]])
    qtbot.waitUntil(lambda: main.browser.game is not None and not main.opener.busy, timeout=60_000)
    assert main.study_dock.isHidden(), "the pane is closed at first"
    shown = main.studying
    with qtbot.waitSignal(shown.runner.opened):
        main.opening.open_files([write(tmp_path, ["check"])])
    assert main.study_dock.isVisible()
    run(qtbot, shown)

    # Enter opens an example in the base that is open.
    shown.table.go_to(shown.model.row_of("check", "one.pgn"))
    second = shown.details.model.samples[1]
    shown.details.table.go_to(1)
    QTest.keyClick(shown.details.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: main.browser.position is not None and main.browser.position.fen() == second.fen)
    assert main.browser.game is not None
    assert (main.browser.game.game, main.browser.positionid) == (second.game, second.positionid)

    # The game of another base: a button opens this base, and then the example.
    shown.table.go_to(shown.model.row_of("check", "other.pgn"))
    first = shown.details.model.samples[0]
    QTest.keyClick(shown.table, Qt.Key.Key_Return)
    assert (shown.notice.text, shown.notice.button.text()) == (
        "other.pgn is not the open base.",
        "Open other.pgn",
    )
    assert main.browser.position is not None
    assert main.browser.position.fen() == second.fen
    shown.notice.button.click()
    qtbot.waitUntil(lambda: main.browser.position is not None and main.browser.position.fen() == first.fen)
    assert main.base is not None
    assert [source.path for source in main.base.sources] == [bases[1]]

    # The theme is searched in this base, and finds what the table says. One undo brings the text back.
    main.editor.set_text("mine")
    shown.details.search.click()
    qtbot.waitUntil(lambda: main.result is not None and not main.searcher.running)
    assert main.result is not None
    row = shown.model.rows[shown.model.row_of("check", "other.pgn")].values
    assert row is not None
    assert (main.result.positions, len(main.result.games)) == (row["positions"], row["games"])
    assert main.editor.text() == "check"
    main.pointing.undo()
    assert main.editor.text() == "mine"

    # A study that names no bases searches the open base, and the games of a query narrow the hits.
    source = write(tmp_path, ["check"], head='games = "result:1-0"')
    with qtbot.waitSignal(shown.runner.opened):
        main.opening.open_files([source])
    assert run(qtbot, shown).bases[0].name == "other.pgn"
    shown.table.go_to(0)
    narrowed = shown.model.known[0]
    assert 0 < narrowed["games"] < row["games"]
    shown.details.search.click()
    qtbot.waitUntil(lambda: main.result is not None and len(main.result.games) == narrowed["games"])
    assert main.hits.line.text() == "result:1-0"
