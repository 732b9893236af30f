"""Values of expressions as the reference prints them: every vector whose expression is built must agree."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import compilers
from cqlgui.cql.interpreting.expressions import closures_output
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.cql.transforming import transforms
from tests.helpers import games

DATA = Path(__file__).parents[1] / "data"


def printed(expression: str, game: games.Game, header: str, positionid: int) -> str:
    """What `str` of the expression prints at a position."""
    # A comment prints its operands as `str` does, and reads them the same way.
    checked = check.check(f"comment({expression})")
    assert not checked.errors, (expression, checked.errors)
    expanded = transforms.expand(checked)
    assert expanded.query is not None
    compiler = compilers.compiler(expanded.names)
    comment = expanded.query.body
    assert isinstance(comment, nodes.Comment)
    texts = [closures_output.text_of(compiler, part) for part in comment.parts]
    searched = game.tree if "variations" in header else game.tree.mainline()
    state = evaluation.Evaluation(
        searched,
        game.host,
        variables=len(compiler.slots),
        sort_keys=len(compiler.sort_specs),
        automatic_comments=True,
        explicit_comments=True,
    )
    state.goto(positionid)
    return "".join([text(state) for text in texts])


def test_vectors_agree() -> None:
    known = {
        game.host.tags["VectorGame"]: game
        for game in games.from_pgn((DATA / "cql-vectors.pgn").read_text(encoding="utf-8"))
    }
    ran, wrong = 0, []
    with (DATA / "cql-vectors.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        game = known[row["game"]]
        got = printed(row["expression"], game, game.host.tags["VectorHeader"], int(row["positionid"]))
        ran += 1
        if got != row["expected"]:
            place = f"{row['id']}: {row['game']} {row['positionid']} {row['expression']}"
            wrong.append(f"{place}: {got!r}, expected {row['expected']!r}")
    print(f"{ran} of {len(rows)} vectors ran")
    if wrong:
        pytest.fail(f"{len(wrong)} of {ran} vectors differ:\n" + "\n".join(wrong))
    assert ran > 400
