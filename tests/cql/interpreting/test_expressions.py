"""Values of expressions that were worked out by hand from one position and the rules of the language."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import compilers
from cqlgui.cql.interpreting.expressions import closures_output
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.cql.transforming import transforms
from tests.helpers import games

LINES = (Path(__file__).parents[1] / "data" / "expressions.txt").read_text(encoding="utf-8").splitlines()
FEN = LINES[0].removeprefix("# fen: ")
PAIRS = [tuple(line.split(" => ")) for line in LINES if " => " in line and not line.startswith("# ")]


def printed(expression: str) -> str:
    """What `str` of the expression prints at the position."""
    expanded = transforms.expand(check.check(expression))
    assert expanded.query is not None, expression
    compiler = compilers.compiler(expanded.names)
    text = closures_output.text_of(compiler, expanded.query.body)
    game = games.from_fen(FEN)
    state = evaluation.Evaluation(
        game.tree,
        game.host,
        variables=len(compiler.slots),
        sort_keys=len(compiler.sort_specs),
        automatic_comments=True,
        explicit_comments=True,
    )
    return text(state)


@pytest.mark.parametrize(("expression", "expected"), PAIRS)
def test_an_expression_has_the_value_worked_out_by_hand(expression: str, expected: str) -> None:
    assert printed(expression) == expected
