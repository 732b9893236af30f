"""Which squares a hit rings, and that looking for them changes nothing."""

from __future__ import annotations

from cqlgui.board import squares
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from tests.helpers import games

MATE = "1. f3 e5 2. g4 Qh4# 0-1\n"


def run(text: str) -> interpreter.GameOutcome:
    """What a query gives in the game."""
    checked = check.check(text)
    assert not checked.errors, checked.errors
    (game,) = games.from_pgn(MATE)
    outcome = interpreter.Program(transforms.expand(checked)).run(game.tree, game.host)
    assert outcome is not None
    return outcome


def ringed(text: str) -> set[str]:
    """The squares that the first hit rings."""
    return {squares.square_name(square) for square in squares.bits(run(text).hits[0].squares)}


def test_of_alternatives_only_those_that_hold_are_ringed() -> None:
    assert ringed("cql() mate (qh4 or {Ke1 Qa5})") == {"h4"}
    assert ringed("cql() mate ({Ke1 Qa5} or qh4)") == {"h4"}
    assert ringed("cql() mate (qh4 or {Ke1 ke8})") == {"h4", "e1", "e8"}


def test_an_attack_rings_both_ends_whichever_is_named_first() -> None:
    assert ringed("cql() mate q attacks K") == {"h4", "e1"}
    assert ringed("cql() mate K attackedby q") == {"h4", "e1"}


def test_a_move_that_is_not_played_rings_nothing() -> None:
    assert ringed("cql() ply == 3 #(--(to)) == 1") == {"d8", "h4"}
    assert ringed("cql() mate #(--(to)) == 0") == set()


def test_a_path_that_was_tried_for_rings_only_is_no_last_path() -> None:
    """The second alternative is not evaluated where the first one holds, but its squares are asked for."""
    outcome = run("cql() ply == 0 or {ply == 0 Ke1 path --{2}\n} or pathcount == 2")
    assert [hit.positionid for hit in outcome.hits] == [0]
