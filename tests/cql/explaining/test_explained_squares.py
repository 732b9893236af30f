"""An explanation shows squares only of what matched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.explaining import explain
from cqlgui.cql.transforming import transforms
from tests.helpers import games

(GAME,) = games.from_pgn("1. e4 e5 2. Nf3 Nc6 *\n")


def every(one: explain.Explanation) -> Iterator[explain.Explanation]:
    """An explanation and all below it."""
    yield one
    for child in one.children:
        yield from every(child)


@pytest.mark.parametrize(
    "text", ["path --e4 --e5 --d4", "path --d4", "path --e4 [x] --", "Ra1 path --{2} --a3"]
)
def test_a_step_that_was_not_found_has_no_squares(text: str) -> None:
    found = explain.explain(transforms.expand(check.check(text)), GAME.tree, GAME.host, 0)
    steps = [one for one in every(found) if one.text.startswith(("--", "[x]"))]
    missed = [one for one in steps if not one.matched]
    assert missed
    assert [one.squares for one in missed] == [0] * len(missed)
    assert all(one.squares for one in steps if one.matched)
