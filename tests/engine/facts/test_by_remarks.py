"""What one query asks about comments and glyphs, part after part, against the interpreter."""

from __future__ import annotations

from random import Random

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from cqlgui.engine.facts import answering, asking, questions
from tests.helpers import games

QUERIES = (
    'originalcomment "a"',
    'originalcomment ""',
    'not originalcomment "b"',
    'originalcomment ~~ "^a|b$"',
    'originalcomment ~~ "^$"',
    "originalcomment",
    "#originalcomment > 1",
    'originalcomment "!"',
    'originalcomment "!" or originalcomment "??"',
    'originalcomment "a" and originalcomment "!"',
    'originalcomment ~~ "a" or not originalcomment "??"',
    'hhdb "<main>"',
)
COMMENTS = (None, "", "a", "b", "ab", "ba", "b\na", "<main> a")
GLYPHS: tuple[tuple[int, ...], ...] = ((), (1,), (4,), (1, 4))


def remarked(seed: int) -> list[games.Game]:
    """Games with comments and glyphs at some of their positions. Some comments are empty."""
    random = Random(seed)
    listed = games.sparse()
    for number, game in enumerate(listed, 1):
        game.host.gamenumber = number
        for place in range(len(game.tree)):
            comment = random.choice(COMMENTS)
            if comment is not None:
                game.host.comments[place] = comment
            game.host.glyphs[place] = random.choice(GLYPHS)
    return listed


@pytest.mark.parametrize("text", QUERIES)
def test_answers_are_the_interpreters_in_whichever_part_they_are_met(text: str) -> None:
    expanded = transforms.expand(check.check(f"cql(variations) {text}"))
    assert expanded.query is not None
    body = expanded.query.body
    assert questions.is_remark(body, searches=True)
    fact = questions.Fact(body, number=False, remark=True)
    asker = asking.Asker([fact], expanded.names, None)
    program = interpreter.Program(expanded)
    found: set[bool] = set()
    for seed in range(3):
        listed = remarked(seed)
        spread = asker.answers(games.Tags(game.host for game in listed))[fact]
        assert isinstance(spread, answering.Spread)
        for number, game in enumerate(listed):
            outcome = program.run(game.tree, game.host)
            hits = set() if outcome is None else {hit.positionid for hit in outcome.hits}
            own = range(spread.firsts[number], spread.firsts[number + 1])
            answers = dict.fromkeys(range(len(game.tree)), spread.usual)
            answers |= {int(spread.ids[one]): (spread.values[one], spread.states[one]) for one in own}
            assert {state for _, state in answers.values()} == {answering.GIVEN}
            assert {place for place, (holds, _) in answers.items() if holds} == hits
            found |= {bool(holds) for holds, _ in answers.values()}
    assert found == {True, False} or text == 'originalcomment ~~ "^$"'
