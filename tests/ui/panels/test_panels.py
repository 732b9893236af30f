"""The panels over a real base."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QStandardItemModel,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QTableView,
    QToolButton,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

from cqlgui.base import cells, progress
from cqlgui.cql.interpreting.runtime import game_log
from cqlgui.tasks.analysis.arranging import Key, Sort
from cqlgui.tasks.databases import bases
from cqlgui.tasks.databases import games as base_games
from cqlgui.tasks.databases.games import rows as base_rows
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results.found import FoundGames
from cqlgui.tasks.search import searching
from cqlgui.ui.look import infobar, labels, names, wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import arrange, bad_games, export_dialog, games, hitbar, hits
from cqlgui.ui.tables import copying, hits_model, view

SORTED = hit_model.SortKey("ply", descending=True, quiet=False)
COUNTS = export_dialog.ExportCounts(hits=120, games=40, selected_games=3)


@pytest.fixture
def panel(qtbot: QtBot, door: jobs.Jobs) -> hits.HitsPanel:
    made = hits.HitsPanel(door)
    qtbot.addWidget(made)
    made.resize(1000, 260)
    made.show()
    return made


@pytest.fixture
def list_panel(qtbot: QtBot, door: jobs.Jobs) -> games.GamesPanel:
    made = games.GamesPanel(door)
    qtbot.addWidget(made)
    made.resize(1000, 260)
    made.show()
    return made


def text(panel: QWidget, name: str) -> str:
    """The text of the label with this accessible name."""
    found = [child for child in panel.findChildren(QWidget) if child.accessibleName() == name]
    assert len(found) == 1, name
    return found[0].text() if isinstance(found[0], labels.ElidedLabel) else str(found[0].property("text"))


def filled(panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult) -> None:
    panel.begin(base, base.games, result.orbits)
    panel.add(result.games)
    panel.finish(result)


# --- hits ---


def test_a_fault_of_the_line_is_read_whole_and_goes_with_it(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    filled(panel, base, result)
    panel.resize(300, 400)
    panel.tell_line(
        "No game has “carlsn” in players, event, site, date, ECO code or result. Did you mean Carlsen?"
    )
    named = "What is wrong with the line of games"
    (label,) = [one for one in panel.findChildren(QLabel) if one.accessibleName() == named]
    assert label.isVisible()
    assert label.text().endswith("Did you mean Carlsen?")
    QApplication.processEvents()
    assert label.height() >= label.heightForWidth(label.width())
    panel.tell_line("")
    assert not label.isVisible()


def test_without_a_search_no_hits_are_counted_whatever_is_told(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    filled(panel, base, result)
    panel.clear()
    panel.tell_earlier("of other files")
    panel.tell_earlier("")
    assert panel._summary.text() == "No search yet"


def test_the_hits_panel_tells_how_the_search_goes(
    panel: hits.HitsPanel,
    base: base_model.Base,
    result: search_model.SearchResult,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [100.0]
    monkeypatch.setattr("cqlgui.ui.panels.hits.time.monotonic", lambda: clock[0])
    panel.begin(base, 1_000, result.orbits)
    assert text(panel, "Result of the search") == "0 hits in 0 games"
    panel.add(result.games)
    clock[0] = 102.0
    panel.progress(progress.Progress(200, 1_000))
    assert text(panel, "Result of the search") == (
        f"{wording.hits(result.positions)} in {wording.games(len(result.games))}"
    )
    assert panel._detail.text() == "200 of 1,000 games · 100 games/s · 8.0 s left"
    panel.finish(dataclasses.replace(result, cancelled=True, games_searched=200, seconds=2.0))
    assert panel._detail.text() == "stopped after 200 games of 1,000, 2.0 s"
    panel.fail("The file has gone.")
    assert panel._detail.text() == "The file has gone."
    assert panel.count == result.positions


def test_a_search_that_was_stopped_early_does_not_say_that_nothing_matches(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    nothing = dataclasses.replace(result, games=FoundGames.of(()), order=())
    for ended, words in (
        (nothing, "No position of these games matches the query."),
        (dataclasses.replace(nothing, cancelled=True), "The search was stopped before it found a hit."),
    ):
        panel.begin(base, 1_000, ())
        panel.finish(ended)
        assert panel.table._empty == words


def test_the_order_of_texts_is_made_before_the_user_sorts(
    qtbot: QtBot, panel: hits.HitsPanel, base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hits, "PREPARED", 1)
    # As the window searches: the details of the rows shown come later, and say that there are texts.
    text, options = 'check comment("ply " ply)', search_model.SearchOptions(details=search_model.Details.NONE)
    ended = searching.search(base, text, options)
    panel.show()
    panel.begin(base, base.games, ())
    panel.asks(text, options)
    panel.add(ended.games)
    panel.finish(ended)
    keys = panel.hits.text_keys(base, ended)
    qtbot.waitUntil(lambda: Sort.VALUE in keys._known)
    assert panel.hits.text_keys(base, ended) is keys
    panel.begin(base, base.games, ())
    assert panel.hits.text_keys(base, ended) is not keys


def test_games_that_could_not_be_searched_are_told_from_those_that_were(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    left_out = tuple(base_model.BadGame(game, Path("a.pgn"), 0, 1, "It is endless.") for game in range(1, 13))
    ended = dataclasses.replace(result, games_searched=1_012, seconds=0.4, failed_games=left_out)
    panel.begin(base, 1_012, result.orbits)
    panel.finish(ended)
    assert panel._detail.text() == "1,000 of 1,012 games searched in 0.4 s · 12 could not be searched"
    panel.begin(base, 1_012, result.orbits)
    panel.finish(dataclasses.replace(ended, games_searched=12))
    assert panel._detail.text() == "0 of 12 games searched in 0.4 s · 12 could not be searched"
    panel.begin(base, 1_012, result.orbits)
    stop = search_model.Stop(200, "20 games in a row failed for the same reason: It is endless.")
    panel.finish(dataclasses.replace(ended, games_searched=200, stopped=stop))
    assert panel._detail.text().startswith("stopped after 200 games of 1,012, 0.4 s")
    panel.begin(base, 1_012, result.orbits)
    panel.finish(dataclasses.replace(ended, games_searched=200, cancelled=True))
    assert panel._detail.text() == (
        "stopped after 200 games of 1,012, 0.4 s · 12 of them could not be searched"
    )


def test_hits_are_stepped_through_in_the_order_of_the_table(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    filled(panel, base, result)
    seen: list[int] = []
    panel.current_changed.connect(seen.append)
    while panel.next_hit(1):
        pass
    assert seen == list(range(panel.count))
    last = panel.hit_at(panel.count - 1)
    assert panel.position_text(last.game, last.positionid) == f"hit {panel.count} of {panel.count}"
    assert panel.position_text(last.game, -1) == ""
    assert panel.next_hit(-1)
    assert panel.current() == panel.hit_at(panel.count - 2)
    assert not panel.select_row(panel.count)
    with pytest.raises(IndexError):
        panel.hit_at(panel.count)
    panel.table.clearSelection()
    panel.clear()
    assert not panel.next_hit(1)
    assert not panel.next_hit(-1)


def test_enter_and_double_click_open_a_hit(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    filled(panel, base, result)
    panel.select_row(1)
    hit = panel.hit_at(1)
    with qtbot.waitSignal(panel.opened) as caught:
        QTest.keyClick(panel.table, Qt.Key.Key_Return)
    assert caught.args == [hit.game, hit.positionid, 1]
    place = panel.table.visualRect(panel.hits.index(0, hits_model.WHITE)).center()
    with qtbot.waitSignal(panel.opened) as caught:
        for click in (QTest.mouseClick, QTest.mouseDClick):
            click(panel.table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert caught.args == [panel.hit_at(0).game, panel.hit_at(0).positionid, 0]


def element_chip(panel: hits.HitsPanel) -> labels.Chip:
    """The button that tells of the element to which the hits are limited."""
    (chip,) = [one for one in panel.findChildren(labels.Chip) if "all elements" in one.toolTip()]
    return chip


def test_a_limit_keeps_the_current_hit_and_its_chip_takes_it_off(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    filled(panel, base, result)
    row = next(
        row for row in range(panel.count) if any(match.element == 1 for match in panel.hit_at(row).matches)
    )
    panel.select_row(row)
    kept = panel.current()
    panel.limit(0, 1)
    assert panel.current() == kept
    assert panel.limited_to == (0, 1)
    chip = element_chip(panel)
    assert chip.isVisible()
    qtbot.waitUntil(lambda: chip.text().startswith(f"only: {result.orbits[0].elements[1].words}"))
    with qtbot.waitSignal(panel.limit_removed):
        chip.click()
    assert panel.limited_to is None
    assert not chip.isVisible()
    assert panel.current() == kept
    assert panel.count == result.positions


def test_among_many_hits_those_of_an_element_are_looked_for_beside(
    panel: hits.HitsPanel,
    base: base_model.Base,
    result: search_model.SearchResult,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    filled(panel, base, result)
    panel.limit(0, 1)
    wanted = [panel.hit_at(row) for row in range(panel.count)]
    panel.limit(None)
    monkeypatch.setattr(hits, "FEW", 0)
    chip = element_chip(panel)
    with qtbot.waitSignal(panel.limited):
        panel.limit(0, 0)
        # The latest choice counts; what was shown stays until its hits are found.
        panel.limit(0, 1)
        assert (panel.limited_to, panel.count) == (None, result.positions)
        assert chip.text().startswith("looking for: ")
    assert panel.limited_to == (0, 1)
    assert chip.text().startswith("only: ")
    assert [panel.hit_at(row) for row in range(panel.count)] == wanted
    # Whoever wants all hits meanwhile, or other ones, gets no element's.
    with qtbot.assertNotEmitted(panel.limited):
        panel.limit(0, 0)
        panel.limit(None)
        assert not chip.isVisible()
        panel.limit(0, 0)
        filled(panel, base, result)
        qtbot.waitUntil(lambda: not panel._jobs.active("limit the table") and panel._jobs.count == 0)
    assert (panel.limited_to, panel.count) == (None, result.positions)


def test_the_current_hit_stays_when_the_order_changes(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    panel.begin(base, base.games, result.orbits)
    panel.add(result.games)
    panel.select_row(0)
    kept = panel.current()
    panel.finish(dataclasses.replace(result, order=result.order[::-1], sort_keys=(SORTED,)))
    assert panel.current() == kept
    assert panel.table.row > 0


def test_a_row_that_nobody_chose_is_that_of_the_new_order(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    turned = dataclasses.replace(result, order=result.order[::-1], sort_keys=(SORTED,))

    def begin() -> None:
        panel.begin(base, base.games, result.orbits)
        assert not panel.land(0)
        panel.add(result.games)
        assert panel.land(0)

    begin()
    with qtbot.waitSignal(panel.current_changed) as caught:
        panel.finish(turned)
    assert caught.args == [0]
    assert panel.hit_at(0).game == turned.order[0]
    assert panel.is_current(turned.order[0], panel.hit_at(0).positionid)

    # A step, or a click on the very row, is a choice.
    begin()
    panel.next_hit(1)
    chosen = panel.current()
    panel.finish(turned)
    assert panel.current() == chosen
    begin()
    landed = panel.current()
    place = panel.table.visualRect(panel.hits.index(0, hits_model.WHITE)).center()
    QTest.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    panel.finish(turned)
    assert panel.current() == landed


def test_selected_games_come_once_each(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    filled(panel, base, result)
    assert panel.selected_games() == []
    panel.table.selectAll()
    assert panel.selected_games() == list(result.order)


def test_only_a_whole_result_can_be_written(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    button = next(one for one in panel.findChildren(QToolButton) if one.text().startswith("Export"))
    panel.begin(base, base.games, result.orbits)
    panel.add(result.games)
    assert not button.isEnabled()
    panel.fail("The search ended early.")
    assert panel.count
    assert not button.isEnabled()
    filled(panel, base, result)
    assert button.isEnabled()


def test_values_have_a_column_where_there_are_some(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    filled(panel, base, result)
    assert panel.table.isColumnHidden(hits_model.VALUE)
    game = result.games[result.order[0]]
    valued = dataclasses.replace(game, hits=tuple(dataclasses.replace(hit, value="7") for hit in game.hits))
    panel.begin(base, base.games, result.orbits)
    panel.add(FoundGames.of([valued]))
    assert not panel.table.isColumnHidden(hits_model.VALUE)
    panel.table.setColumnHidden(hits_model.VALUE, True)
    panel.begin(base, base.games, result.orbits)
    panel.add(FoundGames.of([valued]))
    assert panel.table.isColumnHidden(hits_model.VALUE), "what the user hid came back"


def test_what_a_query_writes_is_shown_beside_its_hits(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    game = result.games[result.order[0]]
    place = game.hits[0].positionid
    spoken = dataclasses.replace(
        game,
        hits=game.hits[:1],
        log=((place, "a <b>sharp</b> move", place), (place, game.match_string, game_log.MARK)),
        tags=(("Note", "x"),),
        removed=(place,),
    )
    panel.begin(base, base.games, result.orbits)
    panel.add(FoundGames.of([spoken]))
    assert not panel.table.isColumnHidden(hits_model.VALUE)
    index = panel.hits.index(0, hits_model.VALUE)
    assert index.data() == "a <b>sharp</b> move"
    tip = index.data(Qt.ItemDataRole.ToolTipRole)
    assert "a &lt;b&gt;sharp&lt;/b&gt; move<br>Note: x<br>without the comment" in tip
    said = tuple(hit_model.QueryMessage(1, f"<i>{n}</i>") for n in range(40))
    panel.finish(
        dataclasses.replace(
            result, order=(game.game,), games=FoundGames.of([spoken]), messages=said, messages_dropped=2
        )
    )
    assert "42 messages" in panel._detail.text()
    (label,) = [one for one in panel.findChildren(QWidget) if one.accessibleName() == "Course of the search"]
    assert "&lt;i&gt;29&lt;/i&gt;<br>and 10 more" in label.toolTip()


def test_persistent_variables_stand_beside_the_hits(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    kept = tuple(hit_model.Persistent(f"Kept{n}", n, f'"<{n}>"') for n in range(5))
    panel.begin(base, base.games, result.orbits)
    panel.finish(dataclasses.replace(result, persistent=kept))
    assert 'Kept0: "<0>" · Kept1: "<1>" · Kept2: "<2>"' in panel._detail.text()
    (label,) = [one for one in panel.findChildren(QWidget) if one.accessibleName() == "Course of the search"]
    assert "Kept4: &quot;&lt;4&gt;&quot;" in label.toolTip()


def test_columns_can_be_hidden_but_not_all(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    filled(panel, base, result)
    head = panel.table.horizontalHeader()
    usual = panel.columns()
    for column in range(1, head.count()):
        panel.table.columns_menu().actions()[column].setChecked(False)
    assert [head.isSectionHidden(column) for column in range(3)] == [False, True, True]
    last = panel.table.columns_menu().actions()[0]
    assert not last.isEnabled()
    panel.select_row(0)
    panel.table.reset_columns()
    hidden = [column for column in range(head.count()) if head.isSectionHidden(column)]
    assert hidden == sorted(hits_model.EXTRA)
    panel.table.setColumnHidden(3, True)
    panel.restore_columns(usual)
    # This query has no values, so their column is not shown either.
    hidden = [column for column in range(head.count()) if head.isSectionHidden(column)]
    assert hidden == sorted({hits_model.VALUE, *hits_model.EXTRA})


def test_columns_of_an_older_table_are_put_back(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    older = QTableView()
    qtbot.addWidget(older)
    older.setModel(QStandardItemModel(1, 11))
    older.setColumnWidth(hits_model.WHITE, 77)
    older.setColumnHidden(hits_model.ECO, True)
    panel.restore_columns(older.horizontalHeader().saveState())
    filled(panel, base, result)
    head = panel.table.horizontalHeader()
    assert head.count() == len(hits_model.TITLES)
    assert panel.table.columnWidth(hits_model.WHITE) == 77
    assert head.isSectionHidden(hits_model.ECO)
    panel.table.reset_columns()
    hidden = [column for column in range(head.count()) if head.isSectionHidden(column)]
    assert set(hidden) - {hits_model.VALUE} == hits_model.EXTRA


# --- rows ---


def column_of(panel: hits.HitsPanel, column: int) -> list[str]:
    return [panel.hits.texts(row, [column])[0] for row in range(panel.count)]


def test_a_click_on_a_title_sorts_turns_and_brings_back(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    filled(panel, base, result)
    head = panel.table.horizontalHeader()
    numbers = column_of(panel, hits_model.GAME)
    panel.select_row(3)
    hit = panel.current()
    assert hit is not None
    moved: list[int] = []
    panel.current_changed.connect(moved.append)
    plies = []
    # The window says the number of the hit on the board.
    places: list[str] = []
    panel.arranged.connect(lambda: places.append(panel.position_text(hit.game, hit.positionid)))
    for shown in (True, True, False):
        left = head.sectionViewportPosition(hits_model.PLY) + 5
        qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(left, head.height() // 2))
        assert head.isSortIndicatorShown() is shown
        assert panel.current() == hit
        plies.append([panel.hit_at(row).positionid for row in range(panel.count)])
        assert places[-1] == f"hit {panel.table.row + 1} of {panel.count}"
    assert len(set(places)) > 1
    assert plies[0] == sorted(plies[0])
    assert plies[1] == sorted(plies[0], reverse=True)
    assert column_of(panel, hits_model.GAME) == numbers
    assert not moved, "sorting moved the board"


def test_shift_and_click_sorts_equal_rows_by_one_more_column(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    filled(panel, base, result)
    head = panel.table.horizontalHeader()

    def click(
        column: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> list[tuple[str, int]]:
        left = head.sectionViewportPosition(column) + 5
        place = QPoint(left, head.height() // 2)
        qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, keys, place)
        rows = [panel.hit_at(row) for row in range(panel.count)]
        results = {row.game: row.result for row in base_rows(base, sorted({hit.game for hit in rows}))}
        return [(results[hit.game], hit.positionid) for hit in rows]

    def title(column: int) -> str:
        found: str = panel.hits.headerData(column, Qt.Orientation.Horizontal)
        return found

    shift = Qt.KeyboardModifier.ShiftModifier
    plain = title(hits_model.PLY)
    order = [text for text, _ in click(hits_model.RESULT)]
    words = list(dict.fromkeys(order))
    assert len(words) > 1
    rows = click(hits_model.PLY, shift)
    assert rows == sorted(rows, key=lambda row: (words.index(row[0]), row[1]))
    assert title(hits_model.PLY) == f"{plain} ▲2"
    assert head.sortIndicatorSection() == hits_model.RESULT
    assert "then by" in panel.arrange.toolTip()
    rows = click(hits_model.PLY, shift)
    assert rows == sorted(rows, key=lambda row: (words.index(row[0]), -row[1]))
    assert title(hits_model.PLY) == f"{plain} ▼2"
    # A plain click sorts by this column alone.
    rows = click(hits_model.PLY)
    assert [place for _, place in rows] == sorted(place for _, place in rows)
    assert title(hits_model.PLY) == plain
    # The menu does the same.
    next(one for one in panel.arrange._then.actions() if one.data() is Sort.RESULT).trigger()
    assert panel.arrange.wish.sorts == (Key(Sort.PLY), Key(Sort.RESULT))
    next(one for one in panel.arrange._sorts.actions() if one.data() is None).trigger()
    assert panel.arrange.wish.sorts == (Key(Sort.RESULT),)
    # The menu shows two columns, and keeps the third.
    sorts = Key(Sort.RESULT), Key(Sort.PLY, descending=True), Key(Sort.GAME)
    panel.arrange.set_wish(arrange.Wish(Rows.HITS, sorts))
    next(one for one in panel.arrange._kinds.actions() if one.data() is Rows.GAMES).trigger()
    assert panel.arrange.wish == arrange.Wish(Rows.GAMES, sorts)


def test_rows_are_runs_or_games_and_say_so(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    filled(panel, base, result)
    panel.arrange.set_wish(arrange.Wish(Rows.GAMES))
    panel.arrange.wished.emit(panel.arrange.wish)
    assert panel.count == len(result.games)
    assert [panel.hit_at(row).game for row in range(panel.count)] == list(result.order)
    assert text(panel, "Result of the search").startswith(
        f"{panel.count} games of {result.positions} hits in"
    )
    first = panel.hit_at(0)
    assert panel.position_text(first.game, first.positionid) == f"game 1 of {panel.count}"
    most = max(range(panel.count), key=lambda row: len(result.games[panel.hit_at(row).game].hits))
    assert panel.hits.words_of(most) == f"{len(result.games[panel.hit_at(most).game].hits)} hits"
    # Every hit of a game belongs to the row of the game.
    for hit in result.games[first.game].hits:
        assert panel.hits.row_of(hit.game, hit.positionid) == 0
    # A part of the result keeps its order. Another query keeps the kind of the rows only.
    panel.asks("check", search_model.SearchOptions())
    panel.arrange.sort_by(hits_model.GAME)
    panel.arrange.sort_by(hits_model.GAME)
    last_first = (Key(Sort.GAME, descending=True),)
    for asked, sorts in (("check", last_first), ("mate", ())):
        panel.asks(asked, search_model.SearchOptions())
        filled(panel, base, result)
        assert panel.arrange.wish == arrange.Wish(Rows.GAMES, sorts)
        shown = [panel.hit_at(row).game for row in range(panel.count)]
        assert shown == sorted(result.order, reverse=bool(sorts))


def test_rows_stay_arranged_when_the_table_is_limited(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    filled(panel, base, result)
    panel.arrange.sort_by(hits_model.PLY)
    panel.limit(0, 1)
    shown = [panel.hit_at(row) for row in range(panel.count)]
    assert shown
    assert all(any(match.element == 1 for match in hit.matches) for hit in shown)
    assert [hit.positionid for hit in shown] == sorted(hit.positionid for hit in shown)
    panel.limit(None)
    assert panel.count == result.positions


def test_a_click_on_the_title_of_the_moves_sorts_nothing_and_moves_no_arrow(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    filled(panel, base, result)
    panel.table.set_form(view.Form.COLUMNS)
    panel.resize(2600, 300)
    panel.show()
    head = panel.table.horizontalHeader()

    def click(column: int) -> None:
        place = QPoint(head.sectionViewportPosition(column) + 20, head.height() // 2)
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=place)

    click(hits_model.PLY)
    assert head.isSortIndicatorShown()
    assert head.sortIndicatorSection() == hits_model.PLY
    wish = panel.arrange.wish
    click(hits_model.MOVES)
    assert panel.arrange.wish == wish
    assert head.sortIndicatorSection() == hits_model.PLY
    tip = panel.hits.headerData(hits_model.MOVES, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "cannot be sorted" in tip
    # Every other column sorts.
    assert set(range(len(hits_model.TITLES))) - set(hits_model.SORTS) == {hits_model.MOVES}


def test_seen_rows_are_told_apart(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult
) -> None:
    filled(panel, base, result)
    panel.select_row(0)
    panel.select_row(2)
    assert [panel.hits.is_seen(row) for row in range(4)] == [True, False, True, False]
    panel.arrange.sort_by(hits_model.GAME)
    panel.arrange.sort_by(hits_model.GAME)
    seen = [panel.hit_at(row) for row in range(panel.count) if panel.hits.is_seen(row)]
    assert len(seen) == 2
    # Other hits of the same search.
    panel.begin(base, base.games, result.orbits, keep_seen=True)
    panel.add(result.games)
    panel.finish(result)
    assert [panel.hit_at(row) for row in range(panel.count) if panel.hits.is_seen(row)] == seen
    filled(panel, base, result)
    assert not panel.hits.is_seen(0)


def copied(panel: hits.HitsPanel, qtbot: QtBot) -> tuple[str, str]:
    """What a copy of the selected rows puts on the clipboard, and what it says at the end."""
    with qtbot.waitSignal(
        panel.copying.told, check_params_cb=lambda words: words.endswith("copied"), timeout=20_000
    ) as caught:
        panel.copying.copy()
    assert caught.args is not None
    return QApplication.clipboard().text(), caught.args[0]


def test_selected_rows_are_copied_as_they_are_shown(
    panel: hits.HitsPanel,
    base: base_model.Base,
    result: search_model.SearchResult,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    filled(panel, base, result)
    head = panel.table.horizontalHeader()
    head.moveSection(head.visualIndex(hits_model.BLACK), 0)
    panel.table.setColumnHidden(hits_model.GAME, True)
    panel.table.setColumnHidden(hits_model.EVENT, False)
    columns = panel.table.shown_columns()
    assert columns[:2] == [hits_model.BLACK, hits_model.WHITE]
    assert hits_model.EVENT in columns
    # The rows were not in view, so their headers and moves are read for the copy.
    panel.table.selectAll()
    text, said = copied(panel, qtbot)
    heads, *lines = [line.split("\t") for line in text.splitlines()]
    assert heads == [hits_model.TITLES[column] for column in columns]
    assert said == f"{panel.count} rows copied"
    fetched = (hits_model.WHITE, hits_model.MOVES)
    qtbot.waitUntil(lambda: all(all(panel.hits.texts(row, fetched)) for row in range(panel.count)))
    shown = [panel.hits.texts(row, columns) for row in range(panel.count)]
    assert lines == [[cells.text_only(" ".join(cell.split())) for cell in row] for row in shown]
    # One row has no line of titles.
    panel.select_row(2)
    assert copied(panel, qtbot) == ("\t".join(lines[2]), "1 row copied")
    # Of many rows, the first ones are copied. They are read in pieces.
    monkeypatch.setattr(copying, "MOST", 3)
    monkeypatch.setattr(copying, "PIECE", 2)
    panel.table.selectAll()
    text, said = copied(panel, qtbot)
    assert [line.split("\t") for line in text.splitlines()] == [heads, *lines[:3]]
    assert said == f"The first 3 rows of {panel.count} copied"


def test_a_copy_ends_when_the_rows_change(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    filled(panel, base, result)
    QApplication.clipboard().setText("before")
    panel.table.selectAll()
    panel.copying.copy()
    with qtbot.waitSignal(panel.copying.told) as caught:
        panel.arrange.sort_by(hits_model.PLY)
    assert caught.args == ["Nothing was copied, because the rows changed"]
    assert QApplication.clipboard().text() == "before"


def test_the_menu_of_a_row_opens_it_and_offers_the_columns(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    filled(panel, base, result)
    panel.select_row(2)
    place = panel.table.visualRect(panel.hits.index(2, 0)).center()
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Keyboard, place, panel.table.viewport().mapToGlobal(place)
    )
    QApplication.sendEvent(panel.table.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["Open", "Columns"]
    with qtbot.waitSignal(panel.opened) as caught:
        menu.actions()[0].trigger()
    assert caught.args is not None
    assert caught.args[2] == 2
    menu.close()


# --- games ---


def shown_in_room(table: view.TableView, column: int, words: str) -> str:
    """As much of a text as a cell of a column shows."""
    room = table.columnWidth(column) - 2 * view.PADDING
    return table.fontMetrics().elidedText(words, table.textElideMode(), room)


@pytest.mark.parametrize("number", [145_716, 2_345_678])
def test_the_numbers_of_games_are_never_cut(
    panel: hits.HitsPanel, list_panel: games.GamesPanel, base: base_model.Base, number: int
) -> None:
    usual = panel.table.columnWidth(hits_model.GAME)
    panel.begin(base, base.games)
    assert panel.table.columnWidth(hits_model.GAME) == usual
    large = dataclasses.replace(base, games=number)
    panel.begin(large, number)
    list_panel.set_base(large)
    assert shown_in_room(panel.table, hits_model.GAME, str(number)) == str(number)
    assert shown_in_room(list_panel.table, 0, f"⚠ {number}") == f"⚠ {number}"
    # The user's own width stays until there are other games, and the usual one is wide enough.
    panel.table.setColumnWidth(hits_model.GAME, 30)
    panel.begin(large, number)
    assert panel.table.columnWidth(hits_model.GAME) == 30
    panel.table.reset_columns()
    assert shown_in_room(panel.table, hits_model.GAME, str(number)) == str(number)


def test_the_games_panel_lists_filters_and_sorts(
    list_panel: games.GamesPanel, base: base_model.Base, qtbot: QtBot
) -> None:
    list_panel.set_base(base)
    qtbot.waitUntil(lambda: list_panel.shown == base.games)
    assert text(list_panel, "Number of games") == f"{base.games} games"
    QTest.keyClicks(list_panel.filter, "white:broken")
    qtbot.waitUntil(lambda: list_panel.shown == 1)
    assert text(list_panel, "Number of games") == f"1 of {base.games} games"
    list_panel.filter.clear()
    qtbot.waitUntil(lambda: list_panel.shown == base.games)
    head = list_panel.table.horizontalHeader()
    for _ in range(2):
        head.sectionClicked.emit(0)
        qtbot.waitUntil(lambda: list_panel.model.game(0) == base.games or head.sortIndicatorSection() != 0)
        head.sectionClicked.emit(1)
    qtbot.waitUntil(lambda: list_panel.model.game(0) not in (1, base.games))


def test_select_and_open_a_game(list_panel: games.GamesPanel, base: base_model.Base, qtbot: QtBot) -> None:
    list_panel.set_base(base)
    # Its row is not there yet.
    assert not list_panel.select(7)
    qtbot.waitUntil(lambda: list_panel.current() == 7)
    with qtbot.waitSignal(list_panel.opened) as caught:
        QTest.keyClick(list_panel.table, Qt.Key.Key_Return)
    assert caught.args == [7]
    with qtbot.waitSignal(list_panel.current_changed) as caught:
        QTest.keyClick(list_panel.table, Qt.Key.Key_Down)
    assert caught.args == [8]
    with qtbot.assertNotEmitted(list_panel.current_changed):
        assert list_panel.select(2)
    assert list_panel.selected() == [2]


def test_a_growing_base_keeps_selection_and_place(
    list_panel: games.GamesPanel, base: base_model.Base, qtbot: QtBot
) -> None:
    source = base.sources[0]

    def state(count: int) -> base_model.Base:
        return dataclasses.replace(
            base,
            games=count,
            complete=count == base.games,
            sources=(dataclasses.replace(source, games=count, complete=count == base.games),),
        )

    list_panel.set_base(state(20))
    qtbot.waitUntil(lambda: list_panel.shown == 20)
    assert text(list_panel, "Number of games") == "20 games so far"
    list_panel.select(3)
    list_panel.table.verticalScrollBar().setValue(8)
    head = list_panel.table.horizontalHeader()
    list_panel.set_base(base)
    qtbot.waitUntil(lambda: list_panel.shown == base.games)
    assert list_panel.current() == 3
    assert list_panel.table.verticalScrollBar().value() == 8
    # Sorted otherwise new games come in between.
    list_panel.set_base(state(20))
    head.sectionClicked.emit(1)
    qtbot.waitUntil(lambda: list_panel.shown == 20 and list_panel.model.game(0) != 1)
    list_panel.set_base(base)
    qtbot.waitUntil(lambda: list_panel.shown == base.games)
    assert list_panel.current() == 3


def test_another_base_starts_anew(list_panel: games.GamesPanel, base: base_model.Base, qtbot: QtBot) -> None:
    list_panel.set_base(base)
    list_panel.filter.setText("broken")
    qtbot.waitUntil(lambda: list_panel.shown == 1)
    list_panel.set_base(None)
    assert list_panel.shown == 0
    assert list_panel.filter.text() == ""
    assert text(list_panel, "Number of games") == "No file is open"


def test_a_filter_that_cannot_be_answered_says_what_is_known(
    door: jobs.Jobs, base: base_model.Base, qtbot: QtBot
) -> None:
    list_panel = games.GamesPanel(door)
    qtbot.addWidget(list_panel)
    list_panel.resize(900, 300)
    list_panel.show()
    list_panel.set_base(base)
    qtbot.waitUntil(lambda: list_panel.shown == base.games)
    list_panel.filter.setText("rating>2600")
    qtbot.waitUntil(lambda: text(list_panel, "Number of games").startswith("There is no field rating"))
    assert "whiteelo" in text(list_panel, "Number of games")
    assert list_panel.shown == base.games, "no list that seems to be an answer"
    list_panel.filter.setText("plies>80")
    qtbot.waitUntil(lambda: 0 < list_panel.shown < base.games)
    assert text(list_panel, "Number of games") == f"{list_panel.shown} of {base.games} games"
    shown = [list_panel.model.game(row) for row in range(list_panel.shown)]
    for row in base_rows(base, [game for game in shown if game is not None]):
        assert row.plies > 80


# --- messages ---


@pytest.fixture
def messages(qtbot: QtBot) -> infobar.InfoBar:
    bar = infobar.InfoBar()
    qtbot.addWidget(bar)
    return bar


def order(bar: infobar.InfoBar) -> list[str]:
    """The texts as they are shown one after the other; none is left."""
    texts = []
    while bar.shown is not None:
        texts.append(bar.shown.text)
        bar.close_message()
    return texts


def test_messages_wait_for_each_other(qtbot: QtBot, messages: infobar.InfoBar) -> None:
    bar = messages
    done: list[str] = []
    assert not bar.isVisible()
    bar.show_message("one", "info", key="a")
    bar.show_message("two", "info", ("Do it", lambda: done.append("it")), key="b")
    assert bar.isVisible()
    assert bar.shown is not None
    assert (bar.shown.text, bar.waiting) == ("two", 1), "the newest one is shown"
    bar._action.click()
    assert done == ["it"]
    assert bar.shown.text == "one"
    bar.show_message("three", "error", key="c")
    assert bar.shown.text == "three"
    assert bar.accessibleDescription() == "three"
    QTest.keyClick(bar, Qt.Key.Key_Escape)
    assert bar.shown.text == "one"
    with qtbot.waitSignal(bar.closed):
        bar.close_message()
    assert not bar.isVisible()
    assert bar.shown is None


def test_a_name_does_not_turn_what_the_program_says_behind_it(messages: infobar.InfoBar) -> None:
    messages.show_message("games/\u202egnp.\u2067x cannot be written", "error", key="a")
    said = "games/gnp.x cannot be written"
    assert (messages._text.text(), messages._text.toolTip(), messages.accessibleDescription()) == (said,) * 3


def test_nothing_covers_a_message_that_is_more_serious(messages: infobar.InfoBar) -> None:
    messages.show_message("file is damaged", "warning", key="a")
    messages.show_message("cannot be written", "error", key="b")
    messages.show_message("2 games written", "info", key="c")
    messages.show_message("another is damaged", "warning", key="d")
    expected = ["cannot be written", "another is damaged", "file is damaged", "2 games written"]
    assert order(messages) == expected


def test_a_newer_error_is_shown_before_an_older_one_and_before_an_answer(messages: infobar.InfoBar) -> None:
    messages.show_message("old error", "error", key="a")
    messages.show_message("answer", "info", key="b", front=True)
    assert messages.shown is not None
    assert messages.shown.text == "answer", "it was just asked for"
    messages.show_message("hint", "info", key="c")
    messages.show_message("new error", "error", key="d")
    assert order(messages) == ["new error", "hint", "answer", "old error"]


def test_a_key_replaces_and_takes_back_messages(messages: infobar.InfoBar) -> None:
    bar = messages
    bar.show_message("other", "warning", key="file")
    bar.show_message("old", "error", key="search")
    bar.show_message("new", "error", key="search")
    assert bar.waiting == 1
    bar.dismiss("search")
    assert bar.waiting == 0
    bar.show_message("newer", "error", key="search")
    bar.show_message("all is well", "info", key="search")
    assert bar.shown is not None
    assert bar.shown.text == "other", "what was wrong is not any more"
    bar.show_message("part", "info", key="search/1")
    bar.show_message("others", "info", key="searching")
    bar.dismiss("search")
    assert order(bar) == ["other", "others"]


def test_what_is_merely_told_can_be_forgotten_apart(messages: infobar.InfoBar) -> None:
    messages.show_message("2 games written", "info", key="a")
    messages.show_message("cannot be read", "error", key="b")
    messages.clear(infobar.INFO)
    assert order(messages) == ["cannot be read"]


def test_kinds_of_messages_differ_in_shape(qtbot: QtBot) -> None:
    outlines = []
    for kind in (infobar.INFO, infobar.WARNING, infobar.ERROR):
        sign = infobar.Sign()
        qtbot.addWidget(sign)
        sign.set_kind(kind)
        image = sign.grab().toImage()
        ground = image.pixel(0, 0)
        outlines.append([image.pixel(x, y) == ground for x in range(20) for y in range(20)])
        assert sign.accessibleName()
    differing = [
        sum(a != b for a, b in zip(one, other, strict=True))
        for one, other in itertools.combinations(outlines, 2)
    ]
    assert min(differing) > 20


def test_a_message_lies_over_what_it_belongs_to(qtbot: QtBot) -> None:
    area = QWidget()
    qtbot.addWidget(area)
    area.resize(400, 300)
    bar = infobar.InfoBar()
    bar.lie_over(area)
    area.show()
    bar.show_message("word " * 60, "error", key="a")
    assert bar.isVisible()
    for width in (400, 250):
        area.resize(width, 300)
        qtbot.waitUntil(lambda width=width: width - 20 <= bar.width() < width)
        assert area.rect().contains(bar.geometry())


def test_an_error_that_waits_is_told_of(messages: infobar.InfoBar) -> None:
    messages.show_message("cannot be written", "error", key="a")
    messages.show_message("answer", "info", key="b", front=True)
    assert messages._waiting.text() == "1 more, an error"
    messages.dismiss("a")
    assert messages.waiting == 0


@pytest.mark.parametrize("room", [80, 130, 170, 300])
@pytest.mark.usefixtures("qapp")
def test_players_are_cut_at_the_end_and_both_seen(room: int) -> None:
    metrics = QFontMetrics(QFont())
    shown = names.fitted(metrics, "Kasparov, Garry Kimovich", "Li Yu", room)
    assert metrics.horizontalAdvance(shown) <= room
    white, black = (name.strip() for name in shown.split(names.BETWEEN.strip()))
    assert "Kasparov, Garry Kimovich".startswith(white.rstrip("…"))
    assert "Li Yu".startswith(black.rstrip("…"))
    assert white[0] == "K"
    assert black[0] == "L"
    assert names.fitted(metrics, "A", "B", 500) == "A – B"


# --- bad games ---


def test_what_is_copied_of_bad_games_holds_no_formula(qtbot: QtBot) -> None:
    dialog = bad_games.BadGamesDialog()
    qtbot.addWidget(dialog)
    dialog.set_games([base_model.BadGame(1, Path("=1+1.pgn"), 0, 1, "-1+1")])
    assert dialog.text().splitlines()[1].split("\t") == ["1", "'=1+1.pgn", "0", "1", "'-1+1"]


def test_bad_games_are_listed_opened_and_copied(base: base_model.Base, qtbot: QtBot) -> None:
    dialog = bad_games.BadGamesDialog()
    qtbot.addWidget(dialog)
    bad = bases.bad_games(base)
    dialog.set_games(bad)
    dialog.show()
    assert not dialog.isModal()
    assert dialog.model.rowCount() == len(bad) == 1
    dialog.table.go_to(0)
    with qtbot.waitSignal(dialog.opened) as caught:
        QTest.keyClick(dialog.table, Qt.Key.Key_Return)
    assert caught.args == [base.games]
    QTest.keyClick(dialog.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0].split("\t") == ["Game", "File", "Byte", "Line", "Reason"]
    assert copied[1].split("\t")[:2] == [str(base.games), "cut.pgn"]
    assert copied[1].split("\t")[4] == bad[0].reason
    dialog.set_games(())
    with qtbot.assertNotEmitted(dialog.opened):
        dialog._open.click()


# --- export ---


@pytest.fixture
def dialog(qtbot: QtBot, tmp_path: Path) -> export_dialog.ExportDialog:
    made = export_dialog.ExportDialog(None, COUNTS, tmp_path, "hits")
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_export_dialog_has_room_for_a_long_message(dialog: export_dialog.ExportDialog) -> None:
    before = dialog.height()
    dialog.path.setText("/nowhere/" + "a long name " * 25 + "/hits.pgn")
    assert dialog.height() > before
    for button in dialog.choices.values():
        assert button.height() >= button.sizeHint().height()


def test_the_export_dialog_begins_with_all_hits_as_they_stand(
    dialog: export_dialog.ExportDialog, tmp_path: Path
) -> None:
    assert dialog.choice() == export_dialog.ExportChoice(export_dialog.What.ALL, False, tmp_path / "hits.pgn")
    assert not dialog.choices[export_dialog.What.ELEMENT].isEnabled()


def test_the_export_dialog_says_why_a_file_may_not_be_replaced(qtbot: QtBot, tmp_path: Path) -> None:
    own, other = tmp_path / "own.pgn", tmp_path / "other.pgn"
    for path in (own, other):
        path.write_text("precious")
    made = export_dialog.ExportDialog(
        None, COUNTS, tmp_path, "hits", refusal=lambda path: f"{path.name} is read." if path == own else ""
    )
    qtbot.addWidget(made)
    made.show()
    for path, words, able in (
        (own, "own.pgn is read.", False),
        (other, "This file exists and will be replaced.", True),
        (tmp_path / "new.pgn", "", True),
    ):
        made.path.setText(str(path))
        assert (made._problem.text(), made.export.isEnabled()) == (words, able)
    assert made.export.text() == "Export"


def test_return_in_the_line_of_the_path_replaces_no_file(
    dialog: export_dialog.ExportDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    done: list[int] = []
    dialog.finished.connect(done.append)
    (tmp_path / "there.csv").write_text("precious")
    dialog.path.setFocus()
    dialog.path.setText(str(tmp_path / "there.csv"))
    QTest.keyClick(dialog.path, Qt.Key.Key_Return)
    assert not done
    assert dialog.export.text() == "Replace"
    dialog.path.setText(str(tmp_path / "new.csv"))
    assert dialog.export.text() == "Export"
    QTest.keyClick(dialog.path, Qt.Key.Key_Return)
    assert done == [dialog.DialogCode.Accepted.value]


def test_format_and_ending_follow_each_other(dialog: export_dialog.ExportDialog, tmp_path: Path) -> None:
    dialog.marked.setChecked(True)
    assert dialog.choice().annotate
    dialog.format.setCurrentIndex(dialog.format.findData(".epd"))
    assert dialog.choice().path == tmp_path / "hits.epd"
    assert not dialog.choice().annotate
    assert not dialog.marked.isEnabled()
    dialog.normalise.setChecked(True)
    assert dialog.choice().normalise
    dialog.path.setText(str(tmp_path / "x.pgn"))
    assert not dialog.plain.isEnabled(), "in another frame no text is the game's own"
    dialog.path.setText(str(tmp_path / "x.JSONL"))
    assert dialog.format.currentData() == ".jsonl"
    dialog.path.setText(str(tmp_path / "plain"))
    assert dialog.choice().path == tmp_path / "plain.jsonl"


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "Name a file"), ("a.txt", "ending must be"), ("no/a.pgn", "no folder"), ("dir.pgn", "a folder")],
)
def test_a_path_that_cannot_be_is_refused_before_anything_is_written(
    dialog: export_dialog.ExportDialog, tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / "dir.pgn").mkdir()
    dialog.path.setText(str(tmp_path / name) if name else "")
    assert words in dialog._problem.text()
    assert not dialog.export.isEnabled()


def test_rows_duplicates_and_studies_are_chosen_where_they_mean_something(
    dialog: export_dialog.ExportDialog, tmp_path: Path
) -> None:
    assert not dialog.rows.isEnabled(), "a PGN has whole games"
    dialog.study.setChecked(True)
    dialog.unique.setChecked(True)
    choice = dialog.choice()
    assert (choice.study, choice.unique, choice.rows) == (True, True, Rows.HITS)
    (tmp_path / "hits.pgn").touch()
    dialog.path.setText(str(tmp_path / "hits.pgn") + " ")
    assert "replace no files" in dialog._problem.text()
    assert not dialog.export.isEnabled()
    dialog.path.setText(str(tmp_path / "x.csv"))
    dialog.rows.setCurrentIndex(dialog.rows.findData(Rows.SPANS))
    choice = dialog.choice()
    assert (choice.study, choice.unique, choice.rows) == (False, True, Rows.SPANS)
    assert not dialog.study.isEnabled()


def test_an_existing_file_is_named_as_such(dialog: export_dialog.ExportDialog, tmp_path: Path) -> None:
    (tmp_path / "old.pgn").touch()
    dialog.path.setText(str(tmp_path / "old.pgn"))
    assert "will be replaced" in dialog._problem.text()
    assert dialog.export.isEnabled()
    assert dialog.choice().overwrite
    dialog.path.setText(str(tmp_path / "new.pgn"))
    assert not dialog.choice().overwrite


def test_browsing_fills_in_the_path(
    dialog: export_dialog.ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = str(tmp_path / "found.csv")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (chosen, ""))
    dialog._browse.click()
    assert dialog.choice().path == Path(chosen)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    dialog._browse.click()
    assert dialog.choice().path == Path(chosen)


def test_asking_gives_a_choice_or_none(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = dataclasses.replace(COUNTS, element_words="colours swapped", element_hits=17)
    monkeypatch.setattr(export_dialog.ExportDialog, "exec", lambda _self: QDialog.DialogCode.Accepted)
    choice = export_dialog.ExportDialog.ask(None, limited, tmp_path)
    assert choice == export_dialog.ExportChoice(export_dialog.What.ELEMENT, False, tmp_path / "hits.pgn")
    monkeypatch.setattr(export_dialog.ExportDialog, "exec", lambda _self: QDialog.DialogCode.Rejected)
    assert export_dialog.ExportDialog.ask(None, limited, tmp_path) is None


# --- the bar under the board ---


def test_the_hit_bar_tells_game_and_hit(qtbot: QtBot) -> None:
    bar = hitbar.HitBar()
    qtbot.addWidget(bar)
    bar.show_game(
        base_model.GameRow(1, "Anderssen", "Kieseritzky", 2600, None, "1-0", "1851.06.21", "London", "?", "?",
                      "C33", 45, False)
    )  # fmt: skip
    bar.show_hit("hit 3 of 7", "22.Bxh7+", "colours swapped")
    assert bar.text() == (
        "Anderssen (2600) – Kieseritzky   C33, London  1851  1-0  hit 3 of 7 · 22.Bxh7+ · colours swapped"
    )
    # A rating is shown whole or not at all.
    players, metrics = bar._game, bar._game.fontMetrics()
    whole = "Anderssen (2600) – Kieseritzky"
    room = metrics.horizontalAdvance(whole)
    assert players.fitted(room) == whole
    assert players.fitted(room - 1) == "Anderssen – Kieseritzky"
    assert all("(" not in players.fitted(less) for less in range(room))
    bar.show_hit("", "22.Bxh7+")
    bar.show_game(None)
    assert bar.text() == "22.Bxh7+"
    seen: list[int] = []
    bar.stepped.connect(seen.append)
    bar._next.click()
    bar._previous.click()
    bar.set_steps(False, True)
    bar._previous.click()
    assert seen == [1, -1]


def test_every_control_has_a_name_for_assistive_technology(
    panel: hits.HitsPanel,
    list_panel: games.GamesPanel,
    dialog: export_dialog.ExportDialog,
    qtbot: QtBot,
) -> None:
    bar, messages = hitbar.HitBar(), infobar.InfoBar()
    for widget in (bar, messages):
        qtbot.addWidget(widget)
    for owner in (panel, list_panel, dialog, bar, messages):
        for control in [*owner.findChildren(QAbstractButton), *owner.findChildren(QLineEdit)]:
            # Buttons that Qt puts into its own widgets are Qt's to name.
            if control.objectName().startswith("_q_") or control.parent() in owner.findChildren(QLineEdit):
                continue
            words = control.accessibleName() or getattr(control, "text", str)()
            if control.isVisible():
                assert words.strip(" ✕…"), (owner, control)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.004, "0.00 s"), (0.42, "0.4 s"), (12.4, "12 s"), (65, "1 min 05 s"), (7_800, "2 h 10 min")],
)
def test_times_are_read_at_a_glance(seconds: float, words: str) -> None:
    assert wording.duration(seconds) == words


def test_a_label_that_fills_asks_for_no_other_room_whatever_it_says(qtbot: QtBot) -> None:
    label = labels.ElidedLabel("", fills=True)
    qtbot.addWidget(label)
    before = label.sizeHint()
    label.say("a long text " * 20, tail="1-0")
    assert label.sizeHint() == before
    assert label.text().endswith("  1-0")
    assert label.accessibleDescription() == label.text()
    assert label.toolTip() == wording.plain_tip(label.text())
    label.say("a long text " * 20, "told <b>otherwise</b>", tail="1-0")
    # A stranger's text is no markup, and is said as it is.
    assert label.toolTip() == "<qt>told &lt;b&gt;otherwise&lt;/b&gt;</qt>"
    assert label.accessibleDescription() == "told <b>otherwise</b>"


def test_a_label_has_room_for_its_text_and_wants_other_room_seldom(qtbot: QtBot) -> None:
    label = labels.ElidedLabel()
    qtbot.addWidget(label)
    wanted = set()
    for number in range(1, 400):
        label.say(f"{number} hits")
        assert label.sizeHint().width() >= label.fontMetrics().horizontalAdvance(label.text())
        wanted.add(label.sizeHint().width())
    label.say("")
    wanted.add(label.sizeHint().width())
    assert len(wanted) <= 2


@pytest.mark.parametrize("name", ["x" * 300, "~nobody-of-this-name/hits"])
def test_a_name_that_cannot_be_looked_up_is_no_fault_of_the_dialog(
    dialog: export_dialog.ExportDialog, tmp_path: Path, name: str
) -> None:
    dialog.path.setText(str(tmp_path / "hits.pgn"))
    dialog.path.setText(str(tmp_path / name) if name[0] == "x" else name)
    assert dialog.choice().path.suffix == ".pgn"


def test_a_row_shows_its_position_on_hover(
    panel: hits.HitsPanel, base: base_model.Base, result: search_model.SearchResult, qtbot: QtBot
) -> None:
    filled(panel, base, result)
    qtbot.waitUntil(lambda: bool(panel.hits.pictured(0)[0]))
    hit = panel.hit_at(0)
    assert panel.hits.pictured(0)[0] == base_games.load(base, hit.game).tree.positions[hit.positionid].fen()
    place = panel.table.visualRect(panel.hits.index(0, hits_model.WHITE)).center()
    QApplication.sendEvent(
        panel.table.viewport(),
        QHelpEvent(QEvent.Type.ToolTip, place, panel.table.viewport().mapToGlobal(place)),
    )
    assert QToolTip.text().startswith("<table>")
    assert "data:image/png;base64," in QToolTip.text()
    QToolTip.hideText()
