"""What a call of a function gives where an argument has no value."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from tests.helpers import games

(GAME,) = games.from_pgn("1. e4 e5 *\n")


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("function f(x) {wtm} f(4/2)", [0, 2]),
        ("function f(x) {wtm} f(4/0)", []),
        ("function f(x) {wtm} not f(4/0)", [0, 1, 2]),
        ("function f(x y) {x < y} f(1 4/2)", [0, 1, 2]),
        ("function f(x y) {true} f(1 4/0)", []),
    ],
)
def test_a_call_fails_with_its_arguments(text: str, hits: list[int]) -> None:
    checked = check.check(text)
    assert not checked.errors, checked.errors
    outcome = interpreter.Program(transforms.expand(checked)).run(GAME.tree, GAME.host)
    assert [hit.positionid for hit in outcome.hits] == hits if outcome else hits == []
