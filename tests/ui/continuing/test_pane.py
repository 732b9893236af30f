"""The pane of continuations over a real result: its table, its path, its keys, and what the window learns."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from cqlgui.base import data
from cqlgui.tasks.analysis import continuations
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from cqlgui.ui.continuing import crumbs, model, pane
from cqlgui.ui.loop import jobs
from tests import helpers

Show = Callable[[str], search_model.SearchResult]
QUERY = "flip {Bh7 not ka1}"


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base


@pytest.fixture
def shown(qtbot: QtBot, door: jobs.Jobs) -> pane.ContinuationsPane:
    made = pane.ContinuationsPane(door)
    qtbot.addWidget(made)
    made.resize(470, 420)
    with qtbot.waitExposed(made):
        made.show()
    return made


@pytest.fixture
def show(qtbot: QtBot, base: base_model.Base, shown: pane.ContinuationsPane) -> Show:
    """Search, and show the moves after the hits."""

    def search(query: str) -> search_model.SearchResult:
        result = searching.search(base, query)
        with qtbot.waitSignal(shown.tree.changed, timeout=60_000):
            shown.set_result(base, result)
        return result

    return search


def press(qtbot: QtBot, shown: pane.ContinuationsPane, key: Qt.Key, widget: QWidget | None = None) -> None:
    """Press a key in the table, and wait for the place where it leads."""
    with qtbot.waitSignal(shown.tree.changed):
        QTest.keyClick(widget or shown.table, key)


def column(shown: pane.ContinuationsPane, number: int) -> list[str]:
    return [shown.model.text(row, number) for row in range(shown.model.rowCount())]


def test_the_table_has_the_moves_that_follow(
    base: base_model.Base, shown: pane.ContinuationsPane, show: Show
) -> None:
    result = show("Kg1 kg8 ply > 20")
    node = continuations.node(continuations.lines(base, result, 1, normalised=False), [])
    assert column(shown, model.HITS) == [f"{one.count:,}" for one in node.choices]
    assert [text.lstrip("1.") for text in column(shown, model.MOVE)] == [
        one.name.removeprefix("...") for one in node.choices
    ]
    ends = f"{node.ended} games end here" if node.ended > 1 else "1 game ends here"
    assert shown.summary.text() == f"{result.positions:,} hits" + (f" · {ends}" if node.ended else "")
    assert shown.table.row == 0
    assert not shown.narrow.isEnabled()


def test_keys_and_clicks_go_through_the_tree(qtbot: QtBot, shown: pane.ContinuationsPane, show: Show) -> None:
    show("Kg1 kg8 ply > 20")
    first = [column(shown, model.MOVE)[0]]
    QTest.keyClick(shown.table, Qt.Key.Key_Down)
    second = column(shown, model.MOVE)[1]
    press(qtbot, shown, Qt.Key.Key_Return)
    assert [button.text() for button in shown.crumbs.buttons] == ["Hits", second]
    press(qtbot, shown, Qt.Key.Key_Right)
    assert len(shown.tree.path) == 2
    press(qtbot, shown, Qt.Key.Key_Left)
    assert len(shown.tree.path) == 1
    # The move that led deeper is current again.
    press(qtbot, shown, Qt.Key.Key_Backspace)
    assert shown.tree.path == ()
    assert shown.table.row == 1
    for _ in range(3):
        press(qtbot, shown, Qt.Key.Key_Enter)
    assert shown.tree.path[0] != shown.model.choice(0).move
    with qtbot.waitSignal(shown.tree.changed):
        shown.crumbs.buttons[1].click()
    assert len(shown.tree.path) == 1
    press(qtbot, shown, Qt.Key.Key_Escape)
    assert shown.tree.path == ()
    place = shown.table.visualRect(shown.model.index(0, 0)).center()
    QTest.mouseClick(shown.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    with qtbot.waitSignal(shown.tree.changed):
        QTest.mouseDClick(shown.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [button.text() for button in shown.crumbs.buttons] == ["Hits", *first]


def test_buttons_leave_the_keys_that_go_back_to_the_pane(
    qtbot: QtBot, shown: pane.ContinuationsPane, show: Show
) -> None:
    show("Kg1 kg8 ply > 20")
    outer = QAction(shown)
    outer.setShortcut(QKeySequence(Qt.Key.Key_Escape))
    shown.addAction(outer)
    shown.activateWindow()
    press(qtbot, shown, Qt.Key.Key_Return)
    press(qtbot, shown, Qt.Key.Key_Return)
    press(qtbot, shown, Qt.Key.Key_Backspace, shown.narrow)
    assert len(shown.tree.path) == 1
    with qtbot.assertNotEmitted(outer.triggered):
        press(qtbot, shown, Qt.Key.Key_Escape, shown.narrow)
    assert shown.tree.path == ()
    # At the root the window has its key.
    with qtbot.waitSignal(outer.triggered):
        QTest.keyClick(shown.table, Qt.Key.Key_Escape)
    # If the window does not need it, it brings all hits back.
    outer.setEnabled(False)
    shown.tell_narrowing("ply 20")
    with qtbot.waitSignal(shown.widened):
        QTest.keyClick(shown.table, Qt.Key.Key_Escape)


def test_the_window_learns_an_example_of_the_path_and_of_the_current_move(
    qtbot: QtBot, base: base_model.Base, shown: pane.ContinuationsPane, show: Show
) -> None:
    result = show("Kg1 kg8 ply > 20")

    def moves(game: int, positionid: int, plies: int) -> list[str]:
        assert positionid in [hit.positionid for hit in result.games[game].hits]
        played = games.load(base, game).tree
        at = positionid
        for _ in range(plies):
            at = played.children[at][0]
        assert at == positionid + plies
        return [played.san(positionid + ply).rstrip("+#")[-2:] for ply in range(1, plies + 1)]

    with qtbot.waitSignal(shown.line_previewed) as previewed:
        QTest.keyClick(shown.table, Qt.Key.Key_Down)
    assert moves(*previewed.args) == [column(shown, model.MOVE)[1][-2:]]
    with qtbot.waitSignal(shown.line_wanted) as wanted:
        QTest.keyClick(shown.table, Qt.Key.Key_Return)
    assert wanted.args == previewed.args
    with qtbot.waitSignal(shown.line_wanted) as wanted:
        QTest.keyClick(shown.table, Qt.Key.Key_Return)
    assert len(moves(*wanted.args)) == 2


def test_a_result_that_arrives_points_at_nothing(
    qtbot: QtBot, shown: pane.ContinuationsPane, show: Show
) -> None:
    with qtbot.assertNotEmitted(shown.line_wanted), qtbot.assertNotEmitted(shown.line_previewed):
        show("Kg1 kg8 ply > 20")
        show("mate")


def test_hits_are_narrowed_to_the_path(
    qtbot: QtBot, base: base_model.Base, shown: pane.ContinuationsPane, show: Show
) -> None:
    result = show("Kg1 kg8 ply > 20")
    press(qtbot, shown, Qt.Key.Key_Return)
    press(qtbot, shown, Qt.Key.Key_Return)
    steps = [button.text() for button in shown.crumbs.buttons[1:]]
    with qtbot.waitSignal(shown.narrowed) as narrowed:
        shown.narrow.click()
    make, words, _term = narrowed.args
    assert words == "then " + " ".join(steps)
    made = make(result)
    assert f"{made.positions:,} hits" in f"{shown.summary.text()} hits"
    # The path stays, because it is the same query.
    path = shown.tree.path
    with qtbot.waitSignal(shown.tree.changed):
        shown.set_result(base, made)
    assert shown.tree.path == path
    assert shown.tree.node is not None
    assert shown.tree.node.count == made.positions
    assert not shown.narrow.isEnabled(), "no other hits are left"


def test_all_columns_are_in_view_in_a_narrow_pane_with_a_scroll_bar(
    shown: pane.ContinuationsPane, show: Show
) -> None:
    show("check")
    shown.resize(400, 160)
    table = shown.table
    assert table.verticalScrollBar().maximum() > 0
    assert table.horizontalScrollBar().maximum() == 0


def test_a_narrowing_without_hits_on_the_path_goes_back_to_the_hits_that_are_left(
    qtbot: QtBot, base: base_model.Base, shown: pane.ContinuationsPane, show: Show
) -> None:
    result = show("Kg1 kg8 ply > 20")
    lines = continuations.lines(base, result, 1, normalised=False)
    moves = [one.move for one in continuations.node(lines, []).choices]
    press(qtbot, shown, Qt.Key.Key_Return)
    with qtbot.waitSignal(shown.tree.changed):
        shown.set_result(base, continuations.narrowed(lines, moves[1:2], result))
    assert shown.tree.path == ()
    assert [shown.model.choice(0).move] == moves[1:2]


def test_the_menu_of_a_move_narrows_to_it(qtbot: QtBot, shown: pane.ContinuationsPane, show: Show) -> None:
    result = show("Kg1 kg8 ply > 20")
    shown.table.contextMenuEvent(
        QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), QPoint(5, 5))
    )
    menu = shown.table.findChild(QMenu)
    assert menu is not None
    with qtbot.waitSignal(shown.narrowed) as narrowed:
        menu.actions()[1].trigger()
    menu.close()
    make, words, _term = narrowed.args
    assert words == f"then {column(shown, model.MOVE)[0]}"
    assert make(result).positions == shown.model.choice(0).count


def test_other_orders_of_the_moves_are_told(
    qtbot: QtBot, base: base_model.Base, shown: pane.ContinuationsPane, show: Show
) -> None:
    result = show("initial")
    lines = continuations.lines(base, result, 4, normalised=False)
    paths = {tuple(path) for path in lines.moves[:3].T.tolist() if continuations.END not in path}
    path = next(one for one in sorted(paths) if continuations.node(lines, one).others)
    place = continuations.node(lines, path)
    with qtbot.waitSignal(shown.tree.changed):
        assert shown.tree.go(path)
    assert f"{place.others:,} by another order of these moves" in shown.summary.text()


def test_the_frame_is_switched_here_and_by_the_window(
    qtbot: QtBot, base: base_model.Base, shown: pane.ContinuationsPane, show: Show
) -> None:
    result = show(QUERY)
    played = column(shown, model.MOVE)
    with qtbot.waitSignals([shown.tree.changed, shown.frame_wanted]):
        shown.own_frame.click()
    own = continuations.node(continuations.lines(base, result, 1, normalised=True), [])
    assert column(shown, model.HITS) == [f"{one.count:,}" for one in own.choices]
    assert column(shown, model.MOVE) != played
    with qtbot.assertNotEmitted(shown.frame_wanted), qtbot.waitSignal(shown.tree.changed):
        shown.set_normalised(False)
    assert shown.as_played.isChecked()
    assert column(shown, model.MOVE) == played


def test_a_query_without_transforms_has_one_frame(shown: pane.ContinuationsPane, show: Show) -> None:
    show("mate")
    assert not shown.own_frame.isEnabled()
    show(QUERY)
    assert shown.own_frame.isEnabled()


def test_the_pane_says_why_it_has_no_moves(
    qtbot: QtBot, base: base_model.Base, shown: pane.ContinuationsPane, show: Show
) -> None:
    assert shown.message.isVisible()
    assert "search" in shown.message.text()
    result = show("mate")
    assert shown.message.text() == f"All {result.positions} games end here."
    assert shown.summary.text() == f"{result.positions} hits · {result.positions} games end here"
    with qtbot.waitSignal(shown.tree.changed):
        shown.set_result(base, searching.search(base, "#K > 5"))
    assert "no hits" in shown.message.text()
    assert not shown.table.isVisible()
    show("Kg1 kg8 ply > 20")
    assert shown.table.isVisible()
    shown.clear()
    assert shown.message.isVisible()
    assert shown.model.rowCount() == 0


def test_a_base_that_cannot_be_read_is_said(
    qtbot: QtBot, base: base_model.Base, shown: pane.ContinuationsPane
) -> None:
    result = searching.search(base, "mate")
    damaged = data.replace(base, sources=(data.replace(base.sources[0], digest="other"),))
    with qtbot.waitSignal(shown.tree.failed):
        shown.set_result(damaged, result)
    assert "read again" in shown.message.text()
    assert shown.message.isVisible()


def test_a_pane_out_of_view_counts_when_it_comes_into_view(
    qtbot: QtBot, base: base_model.Base, shown: pane.ContinuationsPane
) -> None:
    shown.hide()
    shown.set_result(base, searching.search(base, "Kg1 kg8 ply > 20"))
    assert not shown.tree.busy
    with qtbot.waitSignal(shown.tree.changed):
        shown.show()
    assert shown.model.rowCount() > 0


def test_columns_are_sorted_with_the_greatest_first_and_unknown_last(
    qtbot: QtBot, shown: pane.ContinuationsPane, show: Show
) -> None:
    show("Kg1 kg8 ply > 20")
    head = shown.table.horizontalHeader()

    def click(section: int) -> None:
        at = QPoint(head.sectionViewportPosition(section) + 8, head.height() // 2)
        QTest.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=at)

    chosen = shown.model.choice(shown.table.row).move
    for section, turned in ((model.SCORE, False), (model.SCORE, True), (model.YEAR, False)):
        click(section)
        values = [shown.model.choice(row) for row in range(shown.model.rowCount())]
        known = [one.score if section == model.SCORE else one.year for one in values]
        sound = [value for value in known if value is not None]
        assert sound == sorted(sound, reverse=not turned)
        assert known[: len(sound)] == sound
        assert shown.model.choice(shown.table.row).move == chosen
    click(model.MOVE)
    names = [shown.model.choice(row).name.removeprefix("...") for row in range(shown.model.rowCount())]
    assert names == sorted(names)


def test_the_path_keeps_its_end_in_a_narrow_row(qtbot: QtBot) -> None:
    row = crumbs.Crumbs("Hits")
    qtbot.addWidget(row)
    row.resize(200, 30)
    row.show()
    steps = [f"{number}.Nf{number}" for number in range(1, 9)]
    row.say(steps)
    texts = [button.text() for button in row.buttons]
    assert texts[:2] == ["Hits", "…"]
    assert texts[2:] == steps[len(steps) - len(texts) + 2 :]
    QApplication.processEvents()
    assert row.buttons[-1].geometry().right() <= row.width()
    with qtbot.waitSignal(row.chosen) as chosen:
        row.buttons[1].click()
    assert chosen.args == [len(steps) - len(texts) + 2]
    row.resize(900, 30)
    QApplication.processEvents()
    assert [button.text() for button in row.buttons] == ["Hits", *steps]


def test_the_model_keeps_the_rules_of_models(
    base: base_model.Base, qtmodeltester: ModelTester, qtbot: QtBot
) -> None:
    made = model.ChoicesModel()
    qtmodeltester.check(made)
    lines = continuations.lines(base, searching.search(base, "check"), 2, normalised=False)
    chooser = random.Random(2)
    place = continuations.node(lines, [])
    made.show_node(place, [], own_frame=False)
    for _ in range(4):
        made.sort(chooser.randrange(6), chooser.choice(list(Qt.SortOrder)))
    made.show_node(
        continuations.node(lines, [place.choices[0].move]), [place.choices[0].move], own_frame=True
    )
    assert made.rowCount() > 3
    made.show_node(None, [], own_frame=False)
    assert made.rowCount() == 0


def test_cells_are_told_to_assistive_technology(shown: pane.ContinuationsPane, show: Show) -> None:
    show("Kg1 kg8 ply > 20")
    told = [
        shown.model.data(shown.model.index(0, place), Qt.ItemDataRole.AccessibleTextRole)
        for place in range(4)
    ]
    assert told[0] == column(shown, model.MOVE)[0]
    assert [text.split()[0] for text in told[1:]] == ["Hits", "Share", "Score"]
    tip = shown.model.data(shown.model.index(0, model.SCORE), Qt.ItemDataRole.ToolTipRole)
    one = shown.model.choice(0)
    assert f"White won {one.wins:,}" in tip
    for widget in (shown, shown.table, shown.summary, shown.crumbs, *shown.crumbs.buttons):
        assert widget.accessibleName()


def test_lines_end_at_the_greatest_depth(qtbot: QtBot, shown: pane.ContinuationsPane, show: Show) -> None:
    show("initial")
    assert shown.tree.deepest == continuations.DEEPEST - 1
    path = (shown.model.choice(0).move,) * (continuations.DEEPEST)
    assert not shown.tree.go(path)


def test_the_columns_are_together_as_wide_as_the_table(shown: pane.ContinuationsPane, show: Show) -> None:
    shown.resize(472, 200)
    show("Kg1 kg8 ply > 20")
    assert shown.table.verticalScrollBar().isVisible()
    assert shown.table.horizontalHeader().length() == shown.table.viewport().width()
    for ratings in (False, True):
        shown.table.show_columns(ratings=ratings, years=True)
        for width in (440, 456, 457, 700, 456):
            shown.resize(width, 300)
            assert shown.table.horizontalHeader().length() == shown.table.viewport().width()
            assert not shown.table.horizontalScrollBar().isVisible()
