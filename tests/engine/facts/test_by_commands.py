"""Compiled queries about numbers in comments find what the interpreter finds."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from cqlgui.cql.ast import types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from cqlgui.engine.facts import answering, asking, questions
from cqlgui.jit import native
from tests import helpers
from tests.engine.test_against_interpreter import Comparison
from tests.helpers import games

CALCULATED = (
    "pgn clk",
    "not pgn clk",
    "10 < pgn clk < 60",
    "pgn clk != 5",
    "not pgn eval > 0",
    "pgn clk < 10 and not pgn eval == 0 or pgn emt > 100",
    "{pgn clk < 30 pgn eval}",
    "{pgn clk < 30 pgn eval} > 100",
    "pgn clk > 10 not pgn emt false",
    "pgn eval black > 100",
    "-pgn eval",
    "pgn eval / pgn clk",
    "pgn eval % 7",
    "pgn eval black * pgn emt + 3",
    "3 == pgn clk % 4",
)
COMPILED = (
    "pgn clk != 5 check",
    "pgn emt < year",
    "(parent:pgn eval) - pgn eval >= 300",
    "abs pgn eval > 90000",
    'pgn clk < 30 sort "eval" pgn eval > 50 comment("left " pgn clk " of " pgn eval)',
    "flipcolor {pgn eval > 100 btm}",
    "path -- pgn clk < 20 -- pgn clk < 20",
    'pgn clk < 20 originalcomment "a"',
)


def commented(seed: int) -> Iterator[games.Game]:
    """Games with numbers in some of their comments."""
    random = Random(seed)
    sample = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text("utf-8")[:3_000]
    variations = (helpers.ROOT / "tests" / "whole" / "library" / "variations.pgn").read_text("utf-8")
    for game in [*games.from_pgn(sample + "\n\n" + variations)[:6], *games.sparse()]:
        share = random.choice([0, 0.2, 1])
        game.host.comments = {
            place: _comment(random) for place in range(len(game.tree)) if random.random() < share
        }
        yield game


def _comment(random: Random) -> str:
    clock = f"[%clk 0:00:{random.choice([random.randrange(60), random.randrange(20)]):02}]"
    score = f"[%eval {random.choice(['0.00', f'{random.uniform(-9, 9):.2f}', '#-2', '#9', '?'])}]"
    parts = [clock, score, f"[%emt {random.randrange(200)}]", "a", "[%clk ?]"]
    return " ".join(random.sample(parts, random.randint(0, len(parts))))


def some_games() -> list[games.Game]:
    text = (helpers.ROOT / "tests" / "cql" / "data" / "clocks.pgn").read_text("utf-8")
    listed = [*games.from_pgn(text), *commented(1)]
    for number, game in enumerate(listed, 1):
        # They come from several sources.
        game.host.gamenumber = number
    return listed


@pytest.mark.parametrize("text", CALCULATED)
def test_answers_for_whole_columns_are_those_of_the_interpreter(text: str) -> None:
    listed = some_games()
    expanded = transforms.expand(check.check(f"cql(variations) {text}"))
    assert expanded.query is not None
    body = expanded.query.body
    assert questions.is_remark(body, searches=True)
    fact = questions.Fact(body, types.infer(body, expanded.names) is Type.NUMERIC, remark=True)
    asker = asking.Asker([fact], expanded.names, None)
    spread = asker.answers(games.Tags(game.host for game in listed))[fact]
    assert isinstance(spread, answering.Spread)
    program = interpreter.Program(expanded)
    for number, game in enumerate(listed):
        outcome = program.run(game.tree, game.host)
        hits = {} if outcome is None else {hit.positionid: hit.value for hit in outcome.hits}
        own = range(spread.firsts[number], spread.firsts[number + 1])
        answers = dict.fromkeys(range(len(game.tree)), spread.usual)
        answers |= {int(spread.ids[one]): (spread.values[one], spread.states[one]) for one in own}
        assert all(state != answering.UNKNOWN for _, state in answers.values())
        if fact.number:
            told = {place: one for place, (one, state) in answers.items() if state == answering.GIVEN}
            assert {place: str(np.uint64(one).view(np.int64)) for place, one in told.items()} == hits
        else:
            assert [place for place, (holds, _) in answers.items() if holds] == sorted(hits)


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_engine_and_interpreter_agree() -> None:
    comparison = Comparison(some_games())
    for text in COMPILED:
        before = comparison.counts["games matching"]
        comparison.text(text)
        assert comparison.counts["games matching"] > before, text
    comparison.conclude()
    # Each query is compared without and with variations.
    assert comparison.counts["wholly compiled"] == 2 * len(COMPILED)
    assert comparison.counts["games passed over"] > 0
