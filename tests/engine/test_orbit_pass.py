"""The orbit pass tells what matched, however little room it has, and says of which games it cannot tell."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.engine.passes import orbit_pass
from cqlgui.engine.replaying import games
from cqlgui.jit import native
from tests import helpers
from tests.helpers import games as readings
from tests.helpers import packed_games

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

FACTS = np.zeros(0, np.uint64)


@pytest.fixture(scope="module")
def packed() -> games.Games:
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text("utf-8")
    listed = readings.from_pgn(text[:20_000])[:8]
    return packed_games.of_words(
        (game.tree.root.fen() if "FEN" in game.host.tags else None, game.tree.encode()) for game in listed
    )


def compiled(text: str) -> compiling.Compiled:
    made = compiling.compile_query(transforms.expand(check.check(text)))
    assert not isinstance(made, Unsupported)
    return made


def second(text: str) -> orbit_pass.OrbitPass:
    made = compiled(text).orbit_pass()
    assert made is not None
    return made


def hits(text: str, packed: games.Games) -> games.Integers:
    return np.concatenate([part.hits for part in compiled(text).scan(packed, facts=FACTS)])


QUERIES = ["shift {Pa2 wtm}", "flip {Ra1 btm}", "flipcolor P flip N", "flip Ra1 or shift {Ka1 ka3}"]


@pytest.mark.parametrize("text", QUERIES)
def test_little_room_changes_nothing(packed: games.Games, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = hits(text, packed)
    assert len(found)
    whole = second(text).tell(packed, found, before=0, facts=FACTS)
    monkeypatch.setattr(orbit_pass, "_ROOM", 1)
    again = second(text).tell(packed, found, before=0, facts=FACTS)
    assert np.array_equal(whole.ends, again.ends)
    assert np.array_equal(whole.codes, again.codes)
    # Every hit has an element, in the order of the orbits.
    assert (np.diff(whole.ends, prepend=0) > 0).all()
    begin = 0
    for end in whole.ends.tolist():
        own = whole.codes[begin:end].tolist()
        assert own == sorted(set(own))
        begin = end


def test_games_that_cannot_be_played_are_named(packed: games.Games) -> None:
    found = hits("flip Ra1", packed)
    starts = packed.starts.copy()
    starts[2] = -1
    told = second("flip Ra1").tell(dataclasses.replace(packed, starts=starts), found, before=0, facts=FACTS)
    assert told.doubtful.tolist() == [2]
    assert len(told.ends) == len(found)


@pytest.mark.parametrize(
    "text",
    [
        "Ra1",
        "not flip Ra1 Pe4",
        "find flip Ra1",
        "x=Ra1 flip {x attacks k}",
        "piece x in N {flip {x attacks k}}",
    ],
)
def test_what_is_left_to_the_interpreter(text: str) -> None:
    assert compiled(text).orbit_pass() is None
