"""The models behind the tables: rows that fill, grow and are limited; what they repaint; what they read."""

from __future__ import annotations

import dataclasses
import itertools
import threading
from array import array
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
)
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from cqlgui.base import progress
from cqlgui.tasks.databases import bases
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results.found import FoundGames
from cqlgui.ui.look import wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import bad_games
from cqlgui.ui.tables import fetch, games_model, hits_model, lines, ranges, rows, signs, text_model, view

SORTED = hit_model.SortKey("ply", descending=True, quiet=False)
Hits = tuple[hits_model.HitsModel, list[tuple[int, int, int, int]]]


@pytest.fixture
def hits(door: jobs.Jobs, base: base_model.Base) -> Hits:
    """The model of hits, and what it says has changed (first and last row, first and last column)."""
    cache, moves = rows.RowCache(door), lines.LineCache(door)
    cache.set_base(base)
    moves.set_base(base)
    made = hits_model.HitsModel(cache, moves)
    # Their owner is Python here, as no panel is.
    cache.setParent(made)
    moves.setParent(made)
    changed: list[tuple[int, int, int, int]] = []
    made.dataChanged.connect(
        lambda a, b, _roles=None: changed.append((a.row(), b.row(), a.column(), b.column()))
    )
    return made, changed


def cell(table: QAbstractItemModel, row: int, column: int, role: int = Qt.ItemDataRole.DisplayRole) -> str:
    return str(table.data(table.index(row, column), role) or "")


def in_order(result: search_model.SearchResult) -> list[hit_model.GameHits]:
    return [result.games[game] for game in result.order]


def test_the_models_obey_the_rules_of_qt(
    qtmodeltester: ModelTester,
    hits: Hits,
    result: search_model.SearchResult,
    door: jobs.Jobs,
    base: base_model.Base,
) -> None:
    table, _ = hits
    qtmodeltester.check(table)
    table.clear(result.orbits)
    for found in in_order(result):
        table.add(FoundGames.of([found]))
    table.limit((0, 1))
    table.limit(None)
    table.finish(result)
    qtmodeltester.check(table)
    cache = rows.RowCache(door)
    cache.set_base(base)
    games = games_model.GamesModel(cache)
    cache.setParent(games)
    qtmodeltester.check(games)
    games.set_ids(array("q", range(1, 6)))
    games.set_ids(array("q", range(1, base.games + 1)))
    games.set_ids(array("q", [3, 1]))
    qtmodeltester.check(games)
    bad = bad_games.BadGamesModel()
    bad.set_games(bases.bad_games(base))
    assert bad.rowCount() == 1
    qtmodeltester.check(bad)


def test_rows_stand_in_the_order_of_the_hits(hits: Hits, result: search_model.SearchResult) -> None:
    table, _ = hits
    table.add(result.games)
    expected = [(found.game, hit) for found in in_order(result) for hit in found.hits]
    assert [table.hit(row) for row in range(table.rowCount())] == expected
    assert (table.hits, table.games) == (result.positions, len(result.games))
    for row, (game, hit) in enumerate(expected):
        assert table.row_of(game, hit.positionid) == row
    assert table.hit(-1) is table.hit(len(expected)) is None
    assert table.row_of(10**6, 0) == -1
    assert table.hits_of(10**6) == {}


def test_a_limit_shows_one_element_and_goes_again(hits: Hits, result: search_model.SearchResult) -> None:
    table, _ = hits
    table.add(result.games)
    table.finish(result)
    whole = table.rowCount()
    table.limit((0, 1))
    element = table.element_at((0, 1))
    assert element is not None
    assert table.rowCount() == element.positions
    assert table.games == element.games
    assert 0 < table.rowCount() < whole
    assert table.games_in([(0, table.rowCount() - 1)]) == sorted(
        game
        for game, found in result.games.items()
        if any((match.orbit, match.element) == (0, 1) for hit in found.hits for match in hit.matches)
    )
    for row in range(table.rowCount()):
        found = table.hit(row)
        assert found is not None
        assert table.row_of(found[0], found[1].positionid) == row
        match = table.match_of(found[1])
        assert match is not None
        assert (match.orbit, match.element) == (0, 1)
        assert cell(table, row, hits_model.TRANSFORM) == element.words
        tip = cell(table, row, hits_model.TRANSFORM, Qt.ItemDataRole.ToolTipRole)
        assert tip == wording.plain_tip(element.transform)
    table.limit(None)
    assert table.rowCount() == whole


def test_a_limit_grows_with_the_hits(hits: Hits, result: search_model.SearchResult) -> None:
    table, _ = hits
    table.clear(result.orbits)
    table.limit((0, 1))
    for count, found in enumerate(in_order(result), 1):
        table.add(FoundGames.of([found]))
        expected = [
            (game.game, hit.positionid)
            for game in in_order(result)[:count]
            for hit in game.hits
            if any((match.orbit, match.element) == (0, 1) for match in hit.matches)
        ]
        assert (table.rowCount(), table.games) == (len(expected), len({game for game, _ in expected}))
        assert [table.row_of(*place) for place in expected] == list(range(len(expected)))
    table.limit(None)
    assert table.rowCount() == result.positions


def test_letters_typed_in_a_table_look_through_no_rows(qtbot: QtBot) -> None:
    class Many(text_model.TextModel):
        def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
            return 0 if parent.isValid() else 10_000_000

        def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
            return 0 if parent.isValid() else 1

        def texts(self, row: int, columns: Sequence[int]) -> list[str]:
            assert row < 1_000
            return [str(row)] * len(columns)

    table = view.TableView("Many")
    qtbot.addWidget(table)
    table.setModel(Many(table))
    table.set_widths((50,))
    table.show()
    table.go_to(0)
    qtbot.keyClicks(table, "z9")
    assert table.row == 0


def test_rows_of_many_hits_come_together(
    hits: Hits, result: search_model.SearchResult, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    table, _ = hits
    monkeypatch.setattr(hits_model, "MANY", 1)
    monkeypatch.setattr(hits_model, "HELD_SHARE", 0)
    came: list[int] = []
    table.rowsInserted.connect(lambda _parent, first, last: came.append(last - first + 1))
    games = [FoundGames.of([game]) for game in in_order(result)]
    first = len(games[0].columns)
    for found in games:
        table.add(found)
    assert (came, table.hits, table.games) == ([first], first, 1)
    with qtbot.waitSignal(table.released):
        pass
    assert came == [first, result.positions - first]
    assert (table.hits, table.games) == (result.positions, len(result.games))
    table.clear()
    table.add(games[0])
    table.add(games[1])
    table.clear()
    table.release()
    assert table.hits == 0
    for found in games:
        table.add(found)
    table.finish(result)
    assert (table.hits, table.games) == (result.positions, len(result.games))


def test_the_result_may_bring_another_order(hits: Hits, result: search_model.SearchResult) -> None:
    table, _ = hits
    table.add(result.games)
    reverse = dataclasses.replace(result, order=result.order[::-1], sort_keys=(SORTED,))
    table.finish(reverse)
    first = table.hit(0)
    assert first is not None
    assert first[0] == result.order[-1]
    assert table.row_of(result.order[-1], result.games[result.order[-1]].hits[0].positionid) == 0


def test_sort_keys_are_shown_in_the_order_of_the_query_and_in_another(
    hits: Hits, result: search_model.SearchResult
) -> None:
    table, _ = hits
    keyed = [dataclasses.replace(one, sort_keys=(one.game, None, "x")) for one in in_order(result)]
    for order in (result.order, result.order[::-1]):
        table.clear(result.orbits)
        table.add(result.games)
        found = FoundGames.of(keyed)
        table.finish(dataclasses.replace(result, games=found, order=order, sort_keys=(SORTED,)))
        shown = [cell(table, row, hits_model.SORT_KEY) for row in (0, table.rows - 1)]
        assert shown == [f"{order[0]}, , x", f"{order[-1]}, , x"]


def test_headers_and_moves_come_for_rows_in_view_and_only_those_are_repainted(
    qtbot: QtBot, hits: Hits, result: search_model.SearchResult
) -> None:
    table, changed = hits
    table.add(result.games)
    assert cell(table, 0, hits_model.WHITE) == cell(table, 0, hits_model.MOVES) == ""
    assert cell(table, 0, hits_model.GAME) == str(result.order[0])
    qtbot.waitUntil(lambda: bool(cell(table, 0, hits_model.WHITE) and cell(table, 0, hits_model.MOVES)))
    assert int(cell(table, 0, hits_model.PLY)) > 0
    last = len(result.games[result.order[0]].hits) - 1
    assert set(changed) == {
        (0, last, hits_model.WHITE, hits_model.ECO),
        (0, last, hits_model.WHITE_ELO, hits_model.OPENING),
        (0, last, hits_model.PLY, hits_model.MOVES),
    }


def test_a_position_that_is_not_there_stays_empty_and_is_asked_once(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base
) -> None:
    moves = lines.LineCache(door)
    moves.set_base(base)
    with qtbot.waitSignal(moves.arrived):
        assert moves.get(base.games + 5, 0) is None
    assert moves.get(base.games + 5, 0) == lines.UNKNOWN
    moves.set_base(None)
    assert moves.get(1, 0) is None


def test_games_grow_at_the_end_without_a_reset(door: jobs.Jobs, base: base_model.Base, qtbot: QtBot) -> None:
    cache = rows.RowCache(door)
    cache.set_base(base)
    table = games_model.GamesModel(cache)
    seen: list[str] = []
    table.rowsInserted.connect(lambda _parent, first, last: seen.append(f"{first}-{last}"))
    table.modelReset.connect(lambda: seen.append("reset"))
    table.set_ids(array("q", [1, 2]))
    table.set_ids(array("q", [1, 2, 3, 4]))
    table.set_ids(array("q", [1, 2, 3, 4]))
    table.set_ids(array("q", [4, 3]))
    assert seen == ["reset", "2-3", "reset"]
    assert [table.row_of(game) for game in (4, 3, 1)] == [0, 1, -1]
    assert (table.game(0), table.game(2), table.game(-1)) == (4, None, None)


def test_a_bad_game_has_a_sign_and_says_why(door: jobs.Jobs, base: base_model.Base, qtbot: QtBot) -> None:
    cache = rows.RowCache(door)
    cache.set_base(base)
    table = games_model.GamesModel(cache)
    table.set_ids(array("q", range(1, base.games + 1)))
    assert cell(table, base.games - 1, 0) == str(base.games)
    qtbot.waitUntil(lambda: cell(table, base.games - 1, 0) == f"⚠ {base.games}")
    assert "could not be read whole" in cell(table, base.games - 1, 0, Qt.ItemDataRole.ToolTipRole)
    assert cell(table, base.games - 1, 1) == "Broken, Bert"


def test_the_same_base_grown_keeps_its_headers_and_another_does_not(
    door: jobs.Jobs, base: base_model.Base, qtbot: QtBot
) -> None:
    cache = rows.RowCache(door)
    cache.set_base(base)
    with qtbot.waitSignal(cache.arrived) as caught:
        assert cache.get(2) is None
    assert caught.args == [[2]]
    cache.set_base(dataclasses.replace(base, games=base.games + 1))
    assert cache.get(2) is not None
    cache.set_base(dataclasses.replace(base, id=base.id + 1))
    assert cache.get(2) is None


class _Held(fetch.FetchCache[int, str]):
    """A cache whose answers wait until the test lets them go."""

    def __init__(self, door: jobs.Jobs) -> None:
        super().__init__(door, 10, one_at_a_time=False)
        self.begun, self.free = threading.Event(), threading.Event()

    def read(self, base: base_model.Base, keys: Sequence[int], token: progress.CancelToken) -> dict[int, str]:
        self.begun.set()
        assert self.free.wait(60)
        return {key: f"game {key} of base {base.id}" for key in keys}

    def games(self, keys: Iterable[int]) -> list[int]:
        return list(keys)


def test_what_was_on_its_way_for_another_base_is_not_taken(
    door: jobs.Jobs, base: base_model.Base, qtbot: QtBot
) -> None:
    cache = _Held(door)
    cache.set_base(base)
    assert cache.lookup(2) is None
    qtbot.waitUntil(cache.begun.is_set)
    other = dataclasses.replace(base, id=base.id + 1)
    cache.set_base(other)
    came: list[list[int]] = []
    cache.arrived.connect(came.append)
    cache.free.set()
    qtbot.waitUntil(lambda: door.count == 0)
    assert came == []
    assert cache.lookup(2) is None
    qtbot.waitUntil(lambda: came == [[2]])
    assert cache.lookup(2) == f"game 2 of base {other.id}"


def test_selecting_all_rows_does_not_ask_for_each(qtbot: QtBot) -> None:
    asked = [0]

    class Numbers(text_model.TextModel):
        def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
            return 0 if parent.isValid() else 5_000

        def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
            return 0 if parent.isValid() else 3

        def texts(self, row: int, columns: Sequence[int]) -> list[str]:
            return [str(row)] * len(columns)

        def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
            asked[0] += 1
            return super().flags(index)

    table = view.TableView("Numbers")
    qtbot.addWidget(table)
    table.setModel(Numbers(table))
    table.set_widths((50, 50, 50))
    table.show()
    table.selectAll()
    table.grab()
    assert table.stretches() == [(0, 4_999)]
    assert asked[0] < 1_000


def test_tips_show_texts_as_they_are(qtbot: QtBot) -> None:
    class Strange(text_model.TextModel):
        def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
            return 1

        def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
            return 2

        def texts(self, row: int, columns: Sequence[int]) -> list[str]:
            return [("<img src=x>", "")[column] for column in columns]

    table = Strange()
    assert cell(table, 0, 0, Qt.ItemDataRole.ToolTipRole) == "<qt>&lt;img src=x&gt;</qt>"
    assert cell(table, 0, 1, Qt.ItemDataRole.ToolTipRole) == ""


def test_nothing_asks_a_wrong_index(hits: Hits, result: search_model.SearchResult) -> None:
    table, _ = hits
    assert table.data(QModelIndex()) is None
    assert table.rowCount() == 0
    table.add(result.games)
    assert table.rowCount(table.index(0, 0)) == table.columnCount(table.index(0, 0)) == 0
    assert table.headerData(99, Qt.Orientation.Horizontal) is None


@given(st.lists(st.integers(0, 60)))
def test_rows_are_merged_into_runs(changed: list[int]) -> None:
    runs = list(ranges.merged(changed))
    assert [row for first, last in runs for row in range(first, last + 1)] == sorted(set(changed))
    assert all(after[0] > before[1] + 1 for before, after in itertools.pairwise(runs))


class Painted(QObject):
    """Notes which areas of a widget are painted."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.areas: list[QRect] = []
        watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.areas.append(event.rect())
        return False


def test_rows_of_two_lines_are_painted_whole_whatever_column_changes(
    qtbot: QtBot, hits: Hits, result: search_model.SearchResult
) -> None:
    table, _ = hits
    table.add(result.games)
    table.finish(result)
    shown = view.TableView("Hits")
    qtbot.addWidget(shown)
    shown.setModel(table)
    shown.set_widths(hits_model.WIDTHS)
    shown.resize(460, 400)
    shown.show()
    painted = Painted(shown.viewport())
    qtbot.waitUntil(lambda: bool(painted.areas))
    painted.areas.clear()
    place = table.index(1, hits_model.MOVES)
    table.dataChanged.emit(place, place)
    qtbot.waitUntil(lambda: bool(painted.areas))
    assert painted.areas[0].width() == shown.viewport().width()


@pytest.mark.parametrize(
    ("value", "shown"), [("g8", ""), ("[a1,h8]", ""), ("[]", ""), ("17", "17"), ("e4 e5", "e4 e5")]
)
def test_squares_that_the_board_rings_are_no_value_in_a_row(
    hits: Hits, result: search_model.SearchResult, monkeypatch: pytest.MonkeyPatch, value: str, shown: str
) -> None:
    table, _ = hits
    table.add(result.games)
    table.finish(result)
    table.has_values = True
    monkeypatch.setattr(
        table,
        "texts",
        lambda _row, columns: [value if column == hits_model.VALUE else "" for column in columns],
    )
    assert table.two_lines(0).value == shown


def test_a_narrow_table_of_hits_has_all_of_a_hit_in_two_lines(
    qtbot: QtBot, hits: Hits, result: search_model.SearchResult
) -> None:
    table, _ = hits
    table.add(result.games)
    table.finish(result)
    for column in (hits_model.WHITE, hits_model.MOVES):
        # What is not there yet is asked for.
        qtbot.waitUntil(lambda column=column: bool(cell(table, 0, column)))
    said = table.two_lines(0)
    columns = (hits_model.WHITE, hits_model.BLACK, hits_model.RESULT, hits_model.MOVES)
    assert [said.white, said.black, said.result, said.rest] == [cell(table, 0, one) for one in columns]
    assert said.fields == (cell(table, 0, hits_model.YEAR), cell(table, 0, hits_model.ECO))
    assert table.two_lines_tip(0).startswith(f"Game {result.order[0]}, hit 1/")
    shown = view.TableView("Hits")
    qtbot.addWidget(shown)
    shown.setModel(table)
    shown.set_widths(hits_model.WIDTHS)
    shown.resize(460, 400)
    shown.show()
    assert shown.has_two_lines
    assert not shown.horizontalHeader().isVisible()
    assert shown.go_to(3)
    shown.grab()
    shown.resize(900, 400)
    assert not shown.has_two_lines
    assert shown.row == 3
    # The form may change while the table is hidden, as on another tab.
    shown.hide()
    shown.set_form(view.Form.TWO_LINES)
    shown.show()
    frame = shown.frameWidth()
    assert shown.viewport().geometry().top() == frame
    assert shown.viewport().geometry().bottom() == shown.height() - 1 - frame
    assert not shown.horizontalScrollBar().isVisible()


def test_home_and_end_go_to_the_first_and_the_last_row_of_two_lines(
    qtbot: QtBot, hits: Hits, result: search_model.SearchResult
) -> None:
    table, _ = hits
    table.add(result.games)
    table.finish(result)
    shown = view.TableView("Hits")
    qtbot.addWidget(shown)
    shown.setModel(table)
    shown.set_widths(hits_model.WIDTHS)
    shown.resize(460, 400)
    shown.show()
    last = table.rowCount() - 1
    assert shown.go_to(3)
    for key, row in ((Qt.Key.Key_End, last), (Qt.Key.Key_Home, 0)):
        for held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier):
            shown.go_to(3)
            qtbot.keyClick(shown, key, held)
            assert shown.row == row
        assert shown.go_to(3)
        qtbot.keyClick(shown, key)
        assert shown.selected() == [row]
    shown.go_to(3)
    qtbot.keyClick(shown, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    assert shown.selected() == list(range(3, last + 1))
    qtbot.keyClick(shown, Qt.Key.Key_Home, Qt.KeyboardModifier.ShiftModifier)
    assert shown.selected() == [0, 1, 2, 3]
    qtbot.keyClick(shown, Qt.Key.Key_PageDown)
    assert 0 < shown.row < last
    # In columns, the keys go to the first and the last cell of the row.
    shown.set_form(view.Form.COLUMNS)
    shown.go_to(3)
    qtbot.keyClick(shown, Qt.Key.Key_End)
    assert (shown.row, shown.currentIndex().column()) == (3, table.columnCount() - 1)


@pytest.mark.parametrize(
    ("transform", "parts"),
    [
        ("", ("=",)),
        ("<>", ("=",)),
        ("<invertcolor reflect_h>", ("invertcolor",)),
        ("<invertcolor reflect_h reflect_v>", ("reflect_v", "invertcolor")),
        ("<reflect_h right^4 up^4>", ("right^4 up^4", "reflect_h")),
        ("<rotate45^3>", ("rotate45^3",)),
    ],
)
def test_a_sign_has_a_drawing_for_each_part_of_a_transform(transform: str, parts: tuple[str, ...]) -> None:
    assert signs.parts(transform) == parts


def test_signs_differ(qapp: object) -> None:
    found = [
        signs.sign(transform, 30, 15, "#000000", 1.0).toImage()
        for transform in ("<>", "<invertcolor reflect_h>", "<reflect_v>", "<reflect_h>", "<reflect_a1h8>",
                          "<reflect_a8h1>", "<clockwise90>", "<counterclockwise90>", "<rotate180>", "<up^1>",
                          "<down^2>", "<left^1>", "<right^3>", "<right^1 up^1>", "<rotate45^1>")
    ]  # fmt: skip
    assert all(one != other for one, other in itertools.combinations(found, 2))
