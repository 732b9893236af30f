"""The query's own frame on the board: what is shown through a transform's inverse, what stays the game's."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.base import data
from cqlgui.board import motions, squares
from cqlgui.board.position import Position
from cqlgui.cql.transforming import geometry
from cqlgui.tasks.databases import games
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.search import orbits
from cqlgui.ui.board import normal, notation, travel, widget
from cqlgui.ui.loop import jobs
from cqlgui.ui.state import browser
from cqlgui.ui.tables import hits_model, lines, rows

A1, B3, D4, E4, H8 = (squares.parse_square(name) for name in ("a1", "b3", "d4", "e4", "h8"))


def element(query: str, transform: str) -> hit_model.ElementCount:
    return next(one for one in orbits.orbits(query)[0].elements if one.transform == transform)


COLOURS = element("flipcolor {Pe4 kd8}", "<invertcolor reflect_h>")
WRITTEN = element("flipcolor {Pe4 kd8}", "<>")


@pytest.fixture
def board(qtbot: QtBot) -> widget.BoardWidget:
    made = widget.BoardWidget()
    qtbot.addWidget(made)
    made.resize(404, 432)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def shown(qtbot: QtBot, door: jobs.Jobs, board: widget.BoardWidget, base: base_model.Base) -> browser.Browser:
    """A game with three hits: after 4 plies with colours swapped, after 6 and 8 as written."""
    text = notation.NotationView()
    qtbot.addWidget(text)
    kinds = {4: COLOURS, 6: WRITTEN, 8: COLOURS}
    made = browser.Browser(door, board, text, lambda hit: (hit.squares, kinds[hit.positionid]))
    found = {ply: hit_model.Hit(1, ply, None, 1 << squares.parse_square("e5"), ()) for ply in kinds}
    with qtbot.waitSignal(made.shown):
        made.open(base, 1, 4, found)
    return made


def test_a_hit_is_shown_through_the_inverse_of_its_transform(
    shown: browser.Browser, board: widget.BoardWidget, qtbot: QtBot
) -> None:
    own = shown.position
    assert own is not None
    assert board.position is own
    assert board.badge == (COLOURS.words, COLOURS.transform)
    assert board.motion == geometry.motion(COLOURS.transform)
    assert board.swapped
    played = shown.move_text()
    with qtbot.waitSignal(shown.normalised_changed):
        shown.set_normalised(True)
    frame = geometry.motion(COLOURS.transform)
    assert frame is not None
    assert board.position is not None
    assert board.position.fen() == frame.position(own).fen()
    assert board.normalised
    assert board.rings == 1 << E4
    assert board.lines == ()
    assert board.motion is None
    assert board.badge == ("Normalised: colours swapped back", COLOURS.transform)
    assert shown.position is own, "the game's own position is asked for by who copies it"
    assert shown.move_text() != played
    assert "Normalised" in board.accessibleDescription()
    shown.set_normalised(False)
    assert board.position is own
    assert not board.normalised
    assert shown.move_text() == played


def test_the_frame_stays_between_hits_and_a_hit_as_written_ends_it(
    shown: browser.Browser, board: widget.BoardWidget
) -> None:
    shown.set_normalised(True)
    shown.step(1)
    assert shown.hit is None
    assert board.normalised
    assert board.badge[0] == "Normalised: colours swapped back"
    shown.step(1)
    assert board.position is shown.position
    assert not board.normalised
    assert board.badge == ("Normalised: as played", "<>")
    shown.step(1)
    assert board.position is shown.position
    shown.step(1)
    assert board.normalised, "it holds until it is switched off"


def test_the_notation_is_written_in_the_frame(shown: browser.Browser, qtbot: QtBot) -> None:
    text = shown._notation
    game = shown.game
    assert game is not None
    moves = [game.tree.san(number) for number in (1, 2, 3)]
    assert all(move in text.toPlainText() for move in moves)
    shown.set_normalised(True)
    assert text.toPlainText().startswith("As the query is written: colours swapped back. 1...")
    framed = game.tree.framed(geometry.motion(COLOURS.transform) or motions.STILL)
    assert all(framed.san(number) in text.toPlainText() for number in (1, 2, 3))
    shown.set_normalised(False)
    assert text.toPlainText().startswith(f"1.{moves[0]}")


def test_the_next_game_is_written_in_its_frame_at_once(
    shown: browser.Browser, base: base_model.Base, qtbot: QtBot
) -> None:
    shown.set_normalised(True)
    with qtbot.waitSignal(shown.shown):
        shown.open(base, 2, 4, {4: hit_model.Hit(2, 4, None, 0, ())})
    assert shown._notation.toPlainText().startswith("As the query is written")
    with qtbot.waitSignal(shown.shown):
        shown.open(base, 3, 2, {})
    assert not shown.normal.words, "a game without hits is shown as it was played"
    assert shown._notation.toPlainText().startswith("1.")


def test_squares_beyond_the_games_board_are_hatched() -> None:
    kept = normal.Normal()
    kept.on, kept.element = True, element("shift {Nb3 Nc2}", "<right^2 up^3>")
    # The board was left behind by two files and three ranks.
    assert kept.frame == motions.Motion(right=-2, up=-3)
    gone = squares.FILES[6] | squares.FILES[7] | squares.RANKS[5] | squares.RANKS[6] | squares.RANKS[7]
    assert kept.outside == gone
    assert kept.words == "Normalised: shifted back"
    kept.element = element("rotate45 ray up (N k)", "<rotate45^1>")
    assert not kept.applies
    assert kept.words.startswith("Cannot be turned back")


def test_a_pattern_travels_and_stops_for_the_next_position(
    board: widget.BoardWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 100, 10))
    monkeypatch.setattr(travel.time, "monotonic", lambda: float(next(clock)))
    board.set_position(Position.start())
    board.set_marks(rings=1 << H8)
    board.travel([(A1, H8), (E4, E4)])
    assert board._travel.pairs == ((A1, H8),)
    qtbot.waitUntil(lambda: board._travel.pairs == ())
    board.travel([(A1, H8)])
    board.set_position(Position())
    assert board._travel.pairs == ()
    board.set_animated(False)
    board.travel([(A1, H8)])
    assert board._travel.pairs == ()


def test_nothing_travels_while_positions_follow_each_other_or_the_desktop_stands_still(
    board: widget.BoardWidget, monkeypatch: pytest.MonkeyPatch
) -> None:
    board.set_position(Position())
    board.set_position(Position.start())
    board.travel([(A1, H8)])
    assert board._travel.pairs == ()
    monkeypatch.setattr(travel.time, "monotonic", lambda: 1e9)
    board.set_position(Position())
    monkeypatch.setattr(QApplication.style(), "styleHint", lambda *_given: 0)
    monkeypatch.setattr(travel, "_desktop_moves", lambda: False)
    board.travel([(A1, H8)])
    assert board._travel.pairs == ()


def test_ways_lead_to_what_matched_and_back() -> None:
    kept = normal.Normal()
    kept.element = data.replace(COLOURS, lines=((E4, B3), (A1, D4)))
    assert kept.ways(1 << B3, 0) == ((E4, B3),)
    assert kept.ways(0, 1 << D4) == ((A1, D4),), "before it is told what matched"
    kept.on = True
    assert kept.ways(1 << E4 | 1 << A1, 0) == ((B3, E4), (D4, A1))


def test_the_table_writes_moves_in_the_frame(
    qtbot: QtBot, door: jobs.Jobs, base: base_model.Base, result: search_model.SearchResult
) -> None:
    moves = lines.LineCache(door)
    table = hits_model.HitsModel(rows.RowCache(door), moves)
    moves.set_base(base)
    table.clear(result.orbits)
    table.add(result.games)
    row = next(
        row
        for row in range(table.hits)
        if (found := table.hit(row))
        and result.orbits[0].elements[found[1].matches[0].element].transform != "<>"
    )
    found = table.hit(row)
    assert found is not None
    table.set_normalised(True)
    qtbot.waitUntil(lambda: table.texts(row, [hits_model.MOVES]) != [""])
    game = games.load(base, found[0]).tree.framed(geometry.motion("<invertcolor reflect_h>") or motions.STILL)
    first = game.children[found[1].positionid][0]
    assert game.san(first) in table.texts(row, [hits_model.MOVES])[0]
    table.set_normalised(False)
    qtbot.waitUntil(lambda: table.texts(row, [hits_model.MOVES]) != [""])
    assert games.load(base, found[0]).tree.san(first) in table.texts(row, [hits_model.MOVES])[0]
