"""The pane with pictures over a real base: what it shows, narrows, copies and saves."""

from __future__ import annotations

import csv
import io
import itertools
import subprocess
import sys
import xml.etree.ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from cqlgui.base import errors
from cqlgui.jit import native
from cqlgui.tasks.pictures import histograms, square_maps, transitions
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import narrowing, searching
from cqlgui.ui.look import canvas as painting
from cqlgui.ui.look import labels, theme, wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.pictures import asking, drawings, loading, pane, table_model
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
Kind = asking.Kind
Narrowed = tuple[Callable[[search_model.SearchResult], search_model.SearchResult], str]
"""A narrowing without its term."""


@pytest.fixture
def shown(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base, result: search_model.SearchResult
) -> pane.PicturesPane:
    """The pane with a result, in the usual narrow size."""
    made = pane.PicturesPane(door)
    qtbot.addWidget(made)
    made.resize(470, 640)
    made.set_result(base, result)
    made.show()
    settle(qtbot, door)
    return made


@pytest.fixture
def narrowings(shown: pane.PicturesPane) -> list[Narrowed]:
    """What the pane narrows to, as it happens."""
    found: list[Narrowed] = []
    shown.narrowed.connect(lambda function, words, _term: found.append((function, words)))
    return found


@pytest.fixture(autouse=True)
def _drawing_code() -> None:
    """Load the drawing code at once, so that whoever waits for the jobs of a pane has its picture."""
    assert loading.load(60)


@pytest.fixture(autouse=True)
def _usual_theme(qapp: object) -> Iterator[None]:
    yield
    theme.theme().apply(theme.Choice.LIGHT)


def hidden(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base, result: search_model.SearchResult
) -> pane.PicturesPane:
    """A pane with a result that was not shown yet."""
    made = pane.PicturesPane(door)
    qtbot.addWidget(made)
    made.set_result(base, result)
    return made


def settle(qtbot: QtBot, door: jobs.Jobs) -> None:
    """Wait until all work has ended, and its outcome is shown."""
    qtbot.waitUntil(lambda: door.count == 0)
    qtbot.wait(1)
    qtbot.waitUntil(lambda: door.count == 0)


def choose(qtbot: QtBot, door: jobs.Jobs, shown: pane.PicturesPane, kind: asking.Kind) -> Any:
    shown.choose(kind)
    settle(qtbot, door)
    return shown.picture


def named(shown: pane.PicturesPane, name: str) -> QWidget:
    """The widget with this accessible name."""
    found = [child for child in shown.findChildren(QWidget) if child.accessibleName() == name]
    assert len(found) == 1, name
    return found[0]


def message(shown: pane.PicturesPane) -> str:
    label = named(shown, "Why there is no picture")
    assert isinstance(label, QLabel)
    return label.text() if label.isVisible() else ""


def cells(shown: pane.PicturesPane) -> list[list[str]]:
    model = shown.table.model()
    return [
        [str(model.index(row, column).data()) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def press(
    shown: pane.PicturesPane,
    x: float,
    y: float,
    x2: float | None = None,
    y2: float = 0.0,
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """Click at a point of the axes, or draw a brush to another point."""
    canvas = shown.canvas
    assert canvas is not None
    begin = canvas.pixel(x, y)
    end = begin if x2 is None else canvas.pixel(x2, y2)
    QTest.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, keys, pos=begin)
    if x2 is not None:
        QTest.mouseMove(canvas.viewport(), (begin + end) / 2)
        QTest.mouseMove(canvas.viewport(), end)
    QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, keys, pos=end)


@pytest.mark.parametrize("kind", list(Kind))
def test_each_picture_is_shown_with_its_table_or_with_a_reason(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base, shown: pane.PicturesPane, kind: asking.Kind
) -> None:
    shown.set_others([("captures", searching.search(base, "move capture A"))])
    picture = choose(qtbot, door, shown, kind)
    if picture is None:
        # Half of the games have no ratings, but no picture is ever empty.
        assert message(shown)
        return
    assert not message(shown)
    assert shown.canvas is not None
    assert shown.canvas.isVisible()
    assert shown.canvas.accessibleName() == kind.value
    assert cells(shown) == [[table_model.shown(cell) for cell in row] for row in picture.table.rows]
    assert cells(shown)
    assert named(shown, "Sum of the picture").accessibleDescription()


def test_a_click_on_a_bar_narrows_to_its_hits(
    qtbot: QtBot,
    door: jobs.Jobs,
    shown: pane.PicturesPane,
    result: search_model.SearchResult,
    narrowings: list[Narrowed],
) -> None:
    picture = choose(qtbot, door, shown, Kind.PLY)
    bar = picture.shown[2]
    press(shown, sum(bar.keys) / 2, 0.5)
    ((function, words),) = narrowings
    assert function(result).positions == bar.positions
    assert words == f"ply {bar.words}"
    # The way back is beside the picture.
    narrowed = shown.findChild(labels.Narrowed)
    assert narrowed is not None
    with qtbot.assertNotEmitted(shown.widened):
        QTest.keyClick(shown.canvas, Qt.Key.Key_Escape)
    shown.tell_narrowing(words)
    assert narrowed.isVisible()
    for do in (lambda: QTest.keyClick(shown.canvas, Qt.Key.Key_Escape), narrowed.button.click):
        with qtbot.waitSignal(shown.widened):
            do()
    shown.tell_narrowing("")
    assert not narrowed.isVisible()


def test_a_bar_of_the_games_left_says_why_it_narrows_nothing(
    qtbot: QtBot, door: jobs.Jobs, shown: pane.PicturesPane, narrowings: list[Narrowed]
) -> None:
    choose(qtbot, door, shown, Kind.LEFT_OVER)
    assert "none narrows" in shown._summary.toolTip() + shown._summary.text()
    with qtbot.waitSignal(shown.told) as told:
        shown.table.chosen.emit(0)
    assert "cannot narrow" in told.args[0]
    assert not narrowings


def test_a_click_beside_the_bars_does_nothing(
    qtbot: QtBot, door: jobs.Jobs, shown: pane.PicturesPane, narrowings: list[Narrowed]
) -> None:
    picture = choose(qtbot, door, shown, Kind.PLY)
    empty = next(bar for bar in picture.bars if not bar.positions)
    press(shown, sum(empty.keys) / 2, 0.5)
    assert not narrowings


def test_a_brush_over_bars_narrows_to_all_of_them(
    qtbot: QtBot,
    door: jobs.Jobs,
    shown: pane.PicturesPane,
    result: search_model.SearchResult,
    narrowings: list[Narrowed],
) -> None:
    picture = choose(qtbot, door, shown, Kind.PLY)
    first, last = picture.shown[1], picture.shown[4]
    press(shown, sum(first.keys) / 2, 0.5, sum(last.keys) / 2, 0.5)
    ((function, words),) = narrowings
    assert function(result).positions == sum(bar.positions for bar in picture.shown[1:5])
    assert words == f"ply {first.keys[0]}-{last.keys[1] - 1}"


def test_esc_gives_a_brush_up(
    qtbot: QtBot,
    door: jobs.Jobs,
    shown: pane.PicturesPane,
    narrowings: list[Narrowed],
) -> None:
    picture = choose(qtbot, door, shown, Kind.PLY)
    canvas = shown.canvas
    assert canvas is not None
    begin, end = (canvas.pixel(sum(picture.shown[at].keys) / 2, 0.5) for at in (1, 4))
    field = canvas.viewport()
    QTest.mousePress(field, Qt.MouseButton.LeftButton, pos=begin)
    QTest.mouseMove(field, (begin + end) / 2)
    QTest.mouseMove(field, end)
    assert canvas._sheet._brush is not None
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas._sheet._brush is None
    QTest.mouseMove(field, begin)
    assert canvas._sheet._brush is None
    QTest.mouseRelease(field, Qt.MouseButton.LeftButton, pos=end)
    assert not narrowings


def test_a_board_keeps_its_place_when_the_hits_are_narrowed(
    qtbot: QtBot, door: jobs.Jobs, shown: pane.PicturesPane
) -> None:
    choose(qtbot, door, shown, Kind.ARRIVALS)
    assert shown.canvas is not None
    before = shown.canvas.mapTo(shown, shown.canvas.pixel(2.5, 5.5))
    shown.tell_narrowing("any man to c6 within 10 plies")
    qtbot.wait(50)
    assert shown.canvas.mapTo(shown, shown.canvas.pixel(2.5, 5.5)) == before


def test_bars_are_joined_by_ctrl_and_click(
    qtbot: QtBot,
    door: jobs.Jobs,
    shown: pane.PicturesPane,
    result: search_model.SearchResult,
    narrowings: list[Narrowed],
) -> None:
    picture = choose(qtbot, door, shown, Kind.PLY)
    chosen = [picture.shown[number] for number in (1, 3, 4)]
    ctrl = Qt.KeyboardModifier.ControlModifier
    for bar in [*chosen, chosen[-1]]:
        press(shown, sum(bar.keys) / 2, 0.5, keys=ctrl)
    assert not narrowings
    assert shown.table.selected() == [1, 3]
    press(shown, sum(chosen[-1].keys) / 2, 0.5, keys=ctrl)
    QTest.mouseClick(shown._narrow, Qt.MouseButton.LeftButton)
    ((function, words),) = narrowings
    assert function(result).positions == sum(bar.positions for bar in chosen)
    alone, first, last = (bar.keys for bar in chosen)
    assert words == f"ply {alone[0]}-{alone[1] - 1}, {first[0]}-{last[1] - 1}"


def test_a_click_on_a_square_narrows_to_the_hits_with_it(
    qtbot: QtBot,
    door: jobs.Jobs,
    shown: pane.PicturesPane,
    result: search_model.SearchResult,
    narrowings: list[Narrowed],
) -> None:
    picture = choose(qtbot, door, shown, Kind.ARRIVALS)
    square = picture.shown[0]
    press(shown, (square & 7) + 0.5, (square >> 3) + 0.5)
    ((function, words),) = narrowings
    assert function(result).positions == picture.hits[square]
    assert words == f"any man to {chess.square_name(square)} within 10 plies"


def test_a_click_on_a_band_narrows_to_the_games_of_the_flow(
    qtbot: QtBot,
    door: jobs.Jobs,
    base: base_model.Base,
    shown: pane.PicturesPane,
    result: search_model.SearchResult,
    narrowings: list[Narrowed],
) -> None:
    other = searching.search(base, "castle")
    shown.set_others([("castles", other)])
    picture = choose(qtbot, door, shown, Kind.TRANSITIONS)
    assert isinstance(picture, transitions.Transitions)
    canvas = shown.canvas
    assert canvas is not None
    assert canvas.drawing is not None
    row = next(row for row, flow in enumerate(picture.flows) if flow.other != transitions.END)
    area = canvas.viewport().rect()
    points = (QPoint(x, y) for y in range(0, area.height(), 2) for x in range(0, area.width(), 4))
    place = next(point for point in points if canvas._row_at(point) == row)
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    ((function, words),) = narrowings
    flow = picture.flows[row]
    named_results = [("this query", result), ("castles", other)]
    games = set(transitions.along(named_results, flow.stage, flow.one, flow.other).tolist())
    assert set(function(result).order) == games & set(result.order)
    assert words == f"{picture.names[flow.one]}, then {picture.names[flow.other]}"


def test_narrowed_hits_are_compared_in_their_own_games(
    qtbot: QtBot,
    door: jobs.Jobs,
    base: base_model.Base,
    shown: pane.PicturesPane,
    result: search_model.SearchResult,
) -> None:
    other = searching.search(base, "castle")
    shown.set_others([("castles", other)])
    whole = choose(qtbot, door, shown, Kind.TRANSITIONS)
    assert isinstance(whole, transitions.Transitions)
    flow = next(flow for flow in whole.flows if flow.other != transitions.END)
    games = transitions.along([("this query", result), ("castles", other)], flow.stage, flow.one, flow.other)
    shown.tell_narrowing("a flow")
    shown.set_result(base, narrowing.of_games(result, games))
    qtbot.waitUntil(lambda: not door.count)
    picture = shown.picture
    assert isinstance(picture, transitions.Transitions)
    # Only this flow is left, and no game has become one where the query does not match.
    assert picture.games == flow.games
    assert [one.games for one in picture.flows if one.stage == 0] == [flow.games]
    shown.tell_narrowing("")
    shown.set_result(base, result)
    qtbot.waitUntil(lambda: not door.count)
    assert shown.picture == whole


def test_a_flow_of_games_that_only_other_results_match_is_told(
    qtbot: QtBot,
    door: jobs.Jobs,
    base: base_model.Base,
    shown: pane.PicturesPane,
    result: search_model.SearchResult,
    narrowings: list[Narrowed],
) -> None:
    shown.set_others([("all", searching.search(base, "initial"))])
    picture = choose(qtbot, door, shown, Kind.TRANSITIONS)
    assert isinstance(picture, transitions.Transitions)
    flow = transitions.Flow(0, 1, transitions.END, base.games - len(set(result.order)))
    shown._row_opened(picture.flows.index(flow))
    ((function, _),) = narrowings
    with pytest.raises(errors.CqlguiError, match="no hits in these games"):
        function(result)


def test_enter_in_the_table_narrows_to_the_rows_selected(
    qtbot: QtBot,
    door: jobs.Jobs,
    shown: pane.PicturesPane,
    result: search_model.SearchResult,
    narrowings: list[Narrowed],
) -> None:
    picture = choose(qtbot, door, shown, Kind.RESULT)
    shown.table.setFocus()
    shown.table.go_to(0)
    QTest.keyClick(shown.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(shown.table, Qt.Key.Key_Return)
    ((function, words),) = narrowings
    assert function(result).positions == sum(bar.positions for bar in picture.shown[:2])
    assert words == f"{picture.shown[0].words}, {picture.shown[1].words}"


def test_the_arrow_keys_go_from_part_to_part_of_the_picture(
    qtbot: QtBot,
    door: jobs.Jobs,
    shown: pane.PicturesPane,
    result: search_model.SearchResult,
    narrowings: list[Narrowed],
) -> None:
    picture = choose(qtbot, door, shown, Kind.MEN)
    canvas = shown.canvas
    assert canvas is not None
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert shown.table.selected() == [1]
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    ((function, _words),) = narrowings
    assert function(result).positions == picture.hits[picture.shown[1]]


def test_the_switch_shows_the_frame_of_the_query(
    qtbot: QtBot,
    door: jobs.Jobs,
    base: base_model.Base,
    result: search_model.SearchResult,
    shown: pane.PicturesPane,
) -> None:
    told: list[bool] = []
    shown.normalised_changed.connect(told.append)
    as_played = choose(qtbot, door, shown, Kind.MEN)
    shown._frame.click()
    settle(qtbot, door)
    assert told == [True]
    assert shown.picture == square_maps.square_map(base, result, square_maps.Choice(), normalised=True)
    assert shown.picture != as_played
    # What the hits are narrowed to says so.
    for kind in (Kind.MEN, Kind.ARRIVALS, Kind.WAYS, Kind.RESULT):
        choose(qtbot, door, shown, kind)
        narrowing = shown._narrowing([0])
        assert narrowing is not None
        assert narrowing[1].endswith(" in the query's frame")
    choose(qtbot, door, shown, Kind.YEAR)
    narrowing = shown._narrowing([0])
    assert narrowing is None or "frame" not in narrowing[1]
    choose(qtbot, door, shown, Kind.MEN)
    # The window tells the pane about the key N. This must not come back as a wish of the user.
    shown.set_normalised(False)
    settle(qtbot, door)
    assert told == [True]
    assert shown.picture == as_played
    choose(qtbot, door, shown, Kind.YEAR)
    assert not shown._frame.isEnabled()


def test_options_change_the_picture(
    qtbot: QtBot,
    door: jobs.Jobs,
    base: base_model.Base,
    result: search_model.SearchResult,
    shown: pane.PicturesPane,
) -> None:
    usual = choose(qtbot, door, shown, Kind.WAYS)
    origin = usual.choice.origin
    shown._men.setCurrentIndex(shown._men.findText("White men"))
    shown._plies.setCurrentIndex(shown._plies.findData(6))
    shown._origin.setCurrentIndex(shown._origin.findText(f"from {chess.square_name(origin)}"))
    settle(qtbot, door)
    assert shown.picture == square_maps.ways(base, result, square_maps.WayChoice(origin, 0b1111110, 6))


def test_a_hidden_pane_counts_nothing(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base, result: search_model.SearchResult
) -> None:
    made = hidden(qtbot, door, base, result)
    assert door.count == 0
    assert made.canvas is None
    made.show()
    settle(qtbot, door)
    assert isinstance(made.picture, histograms.Histogram)
    made.hide()
    other = searching.search(base, "mate")
    made.set_result(base, other)
    assert door.count == 0
    made.show()
    settle(qtbot, door)
    assert made.picture == histograms.histogram(base, other, histograms.By.YEAR)


def test_a_picture_waits_for_the_drawing_code(
    qtbot: QtBot,
    door: jobs.Jobs,
    base: base_model.Base,
    result: search_model.SearchResult,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = [False, False, True]
    monkeypatch.setattr(loading, "load", lambda _seconds: steps.pop(0))
    monkeypatch.setattr(loading, "is_ready", lambda: not steps)
    made = hidden(qtbot, door, base, result)
    assert not made.is_loading, "it is hidden"
    made.show()
    assert made.is_loading
    assert message(made) == "Counting…"
    assert made.canvas is None
    qtbot.waitUntil(lambda: not made.is_loading)
    assert not steps
    settle(qtbot, door)
    assert made.canvas is not None
    assert isinstance(made.picture, histograms.Histogram)


@pytest.mark.allow_log("drawing code cannot be loaded")
@pytest.mark.parametrize("fault", [ImportError("No module named 'pyqtgraph'"), OSError("damaged")])
def test_drawing_code_that_cannot_be_loaded_is_told(
    fault: Exception,
    qtbot: QtBot,
    door: jobs.Jobs,
    base: base_model.Base,
    result: search_model.SearchResult,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_seconds: float) -> bool:
        raise fault

    monkeypatch.setattr(loading, "is_ready", lambda: False)
    monkeypatch.setattr(loading, "load", fail)
    made = hidden(qtbot, door, base, result)
    made.show()
    qtbot.waitUntil(lambda: not made.is_loading)
    assert message(made) == f"Pictures cannot be drawn: {fault}"
    monkeypatch.undo()
    made.choose(Kind.PLY)
    qtbot.waitUntil(lambda: not made.is_loading)
    settle(qtbot, door)
    assert isinstance(made.picture, histograms.Histogram), "it was mended meanwhile"


@pytest.mark.allow_log("drawing code cannot be loaded")
def test_drawing_code_that_nothing_needs_any_more_is_not_told(
    qtbot: QtBot,
    door: jobs.Jobs,
    base: base_model.Base,
    result: search_model.SearchResult,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_seconds: float) -> bool:
        raise ImportError("No module named 'pyqtgraph'")

    monkeypatch.setattr(loading, "is_ready", lambda: False)
    monkeypatch.setattr(loading, "load", fail)
    made = hidden(qtbot, door, base, result)
    made.show()
    assert made.is_loading
    # A search begins before the code is there.
    made.set_result(None, None)
    qtbot.waitUntil(lambda: not made.is_loading)
    assert message(made).startswith("No hits yet.")


def test_what_cannot_be_shown_is_said_in_words(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base, shown: pane.PicturesPane
) -> None:
    shown.set_result(base, searching.search(base, "ply > 5000"))
    settle(qtbot, door)
    assert message(shown) == "The result has no hits."
    choose(qtbot, door, shown, Kind.TRANSITIONS)
    assert "Keep the hits of another query" in message(shown)
    shown.set_result(None, None)
    assert message(shown).startswith("No hits yet.")
    assert not named(shown, "Copy or save the picture").isEnabled()


def test_a_wide_pane_has_the_table_beside_the_picture(shown: pane.PicturesPane) -> None:
    canvas = shown.canvas
    assert canvas is not None
    assert shown.table.geometry().top() >= canvas.geometry().bottom()
    shown.resize(900, 520)
    assert shown.table.geometry().left() >= canvas.geometry().right()


def test_the_picture_and_the_table_are_copied(shown: pane.PicturesPane) -> None:
    assert shown.picture is not None
    shown.copy_picture()
    image = QGuiApplication.clipboard().image()
    assert image.width() == 2 * shown.canvas.width()  # type: ignore[union-attr]  # it is shown
    shown.copy_table()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == list(shown.picture.table.heads)
    assert len(lines) == len(shown.picture.table.rows) + 1


def test_picture_and_table_are_saved(
    qtbot: QtBot, door: jobs.Jobs, shown: pane.PicturesPane, tmp_path: Path
) -> None:
    picture = choose(qtbot, door, shown, Kind.VOLUME)
    for ending in ("png", "svg", "csv"):
        shown.save(tmp_path / f"picture.{ending}")
        settle(qtbot, door)
    image = QImage(str(tmp_path / "picture.png"))
    colours = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in (40, 80, 120)}
    assert {theme.colours().base, theme.colours().accent} <= colours
    drawn = xml.etree.ElementTree.parse(tmp_path / "picture.svg")
    texts = {"".join(part.itertext()).strip() for part in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Hits", picture.shown[0].words} <= texts
    rows = list(csv.reader(io.StringIO((tmp_path / "picture.csv").read_text("utf-8"))))
    assert [row[0] for row in rows[1:]] == [bar.words for bar in picture.shown]


def test_a_file_that_cannot_be_written_is_named(
    qtbot: QtBot, door: jobs.Jobs, shown: pane.PicturesPane, tmp_path: Path
) -> None:
    told: list[str] = []
    shown.failed.connect(told.append)
    shown.save(tmp_path / "nowhere" / "picture.svg")
    settle(qtbot, door)
    (sentence,) = told
    assert "picture.svg cannot be written" in sentence
    assert not list(tmp_path.glob("nowhere*"))


def test_the_colours_follow_the_theme(shown: pane.PicturesPane) -> None:
    canvas = shown.canvas
    assert canvas is not None
    theme.theme().apply(theme.Choice.DARK)
    assert canvas.image().pixelColor(2, 2).name() == theme.DARK.base
    theme.theme().apply(theme.Choice.LIGHT)
    assert canvas.image().pixelColor(2, 2).name() == theme.LIGHT.base


def test_exact_numbers_are_in_the_tool_tip() -> None:
    table = square_maps.SquareMap(
        square_maps.Choice(), False, (12345, *(0,) * 63), (7, *(0,) * 63), 9, 50000
    ).table
    assert table_model.tip(table, 0) == "Square a1\nHits: 12,345\nShare: 24.7%\nGames: 7"


def test_pyqtgraph_is_not_loaded_before_the_pane_is_shown() -> None:
    program = (
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "application = QApplication([])\n"
        "from cqlgui.ui.loop import jobs\n"
        "from cqlgui.ui.pictures import pane\n"
        "door = jobs.Jobs()\n"
        "made = pane.PicturesPane(door)\n"
        "print('pyqtgraph' in sys.modules)\n"
        "made.deleteLater()\n"
        "door.close()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=helpers.ROOT, capture_output=True, text=True, timeout=60
    )
    assert run.stdout == "False\n", run.stderr


def test_drawings_fit_a_small_field(qtbot: QtBot) -> None:
    font = QFont()
    line = QFontMetricsF(font).height()
    bars = drawings.Lines([(f"name {number}", 900_000 - number) for number in range(20)], "Hits", "openings")
    assert (bars.bounds.height(), bars.caption) == (15, "the first 15 of 20 openings are drawn")
    bars.fit(300, 4.5 * line, font)
    # No name lies upon another one.
    assert bars.left is not None
    assert bars.left.ticks is not None
    assert (bars.bounds.height(), len(bars.left.ticks)) == (4, 4)
    assert bars.caption == "the first 4 of 20 openings are drawn"
    bars.fit(300, 99 * line, font)
    assert bars.bounds.height() == 15
    # The legend is where it makes the board smaller by less, and is not cut.
    board = drawings.Board([1] * 64, range(64), 64, "share of these hits")
    for width, height in ((400.0, 180.0), (180.0, 400.0)):
        board.fit(width, height, font)
        area = board.bounds
        side = min(width / area.width(), height / area.height())
        assert side * 8.65 > 0.99 * min(width, height)
        assert (area.width() > area.height()) == (width > height)


@pytest.mark.parametrize("choice", [theme.Choice.LIGHT, theme.Choice.DARK])
def test_arrows_do_not_run_through_the_numbers(choice: theme.Choice) -> None:
    theme.theme().apply(choice)
    colours = theme.colours()
    look = drawings.Look(colours, QFont("DejaVu Sans", 9), lambda _share: QColor("#3070c0"))
    # The arrow runs over the number in the square d2, which touches no other square with hits.
    counts = [0] * 64
    counts[11] = 50
    image = QImage(480, 480, QImage.Format.Format_RGB32)

    def drawn(steps: list[tuple[int, int, int]]) -> set[tuple[int, int]]:
        """The pixels of the square d2 that have the colour of the ground of the window."""
        board = drawings.Board(counts, [11], 100, "share", origin=3, steps=steps)
        image.fill(QColor("#808080"))
        with painting.Painter(image) as painter:
            painter.scale(60, 60)
            board.paint(painter, look)
        ground = colours.colour("base")
        return {
            (x, y)
            for x in range(180, 240)
            for y in range(60, 120)
            if max(
                abs(one - other)
                for one, other in zip(
                    QColor(image.pixel(x, y)).getRgb()[:3], ground.getRgb()[:3], strict=True
                )
            )
            < 12
        }

    along, aside = drawn([(3, 59, 50)]), drawn([(0, 7, 50)])
    assert len(along) > 40
    # The arrow takes no pixel of the ground around the letters.
    assert along == aside
    assert len(drawn([])) < 10


def test_long_captions_are_broken_into_lines(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base, shown: pane.PicturesPane
) -> None:
    shown.set_others([("castles", searching.search(base, "castle"))])
    choose(qtbot, door, shown, Kind.TRANSITIONS)
    summary = named(shown, "Sum of the picture")
    assert isinstance(summary, labels.Wrapped)
    assert "; = joins queries that hit at one position" in summary.text()
    metrics = summary.fontMetrics()
    for width in (470, 380, 1000):
        shown.resize(width, 640)
        qtbot.wait(1)
        flags = Qt.TextFlag.TextWordWrap
        needed = metrics.boundingRect(0, 0, summary.width(), 1000, flags, summary.text())
        assert needed.height() <= summary.height()
        assert needed.width() <= summary.width()
    assert metrics.horizontalAdvance(summary.text()) > 380
    assert summary.toolTip().replace("<qt>", "").startswith(summary.text()[:40])


def test_tooltips_have_the_whole_names_of_a_picture(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base, shown: pane.PicturesPane
) -> None:
    name = "a query with a name that is much too long for the picture"
    shown.set_others([(name, searching.search(base, "flipcolor {wtm check}"))])
    picture = choose(qtbot, door, shown, Kind.TRANSITIONS)
    canvas = shown.canvas
    assert canvas is not None
    drawing = canvas.drawing
    assert isinstance(drawing, drawings.Flows)
    tips = {
        canvas.tip_at(canvas.pixel(drawing._label(key).center().x(), drawing._label(key).center().y()))
        for key in drawing._blocks
    }
    tie = f"this query = {name}"
    assert picture.names[2:] == (tie,)
    assert any(tip.endswith(f" · {tie}") for tip in tips)
    choose(qtbot, door, shown, Kind.OPENING)
    axis = canvas.pixel(0, 0.5)
    assert canvas.tip_at(QPoint(axis.x() - 12, axis.y())) == ": ".join(cells(shown)[0][:2])
    assert not canvas.tip_at(QPoint(axis.x() - 12, canvas.height() - 2))


def test_many_ties_leave_room_for_all_blocks() -> None:
    members = (*((query,) for query in range(8)), (0, 1), (2, 3), (4, 5, 6), ())
    names = tuple(str(queries) for queries in members)
    nodes = tuple(transitions.Node(0, number, 10) for number in range(12))
    flows = tuple(transitions.Flow(0, number, transitions.END, 10) for number in range(12))
    drawing = drawings.Flows(transitions.Transitions(names, members, nodes, flows, 120))
    # The words of the last column end inside the picture, so they are elided and not cut.
    assert all(drawing._label(key).right() <= drawing.bounds.right() for key in drawing._blocks)
    blocks = list(drawing._blocks.values())
    assert all(block.height() > 0 for block in blocks)
    assert blocks[-1].bottom() <= 1.0
    assert all(one.bottom() < other.top() for one, other in itertools.pairwise(blocks))
    # The block of a tie has the colours of its queries, side by side.
    image = QImage(900, 600, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    with painting.Painter(image) as painter:
        painter.scale(500, 500)
        drawing.paint(painter, drawings.Look(theme.colours(), QFont(), lambda _share: QColor("red")))
    block = blocks[10]
    middle = round(block.center().y() * 500)
    seen = [QColor(image.pixel(round(x * 500), middle)).name() for x in (0.01, 0.0275, 0.045)]
    assert seen == list(drawings.QUERIES[4:7])


def test_a_query_without_transforms_has_one_frame(
    qtbot: QtBot,
    door: jobs.Jobs,
    shown: pane.PicturesPane,
    base: base_model.Base,
    result: search_model.SearchResult,
) -> None:
    choose(qtbot, door, shown, Kind.ARRIVALS)
    assert shown._frame.isEnabled()
    shown.set_result(base, searching.search(base, "mate"))
    assert not shown._frame.isEnabled()
    assert wording.ONE_FRAME in shown._frame.toolTip()
    shown.set_result(base, result)
    assert shown._frame.isEnabled()
    settle(qtbot, door)
