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


@pytest.mark.parametrize(
    "text",
    [
        *QUERIES,
        "flip {wtm not terminal}",
        "ply < 9 if terminal 1 else 2",
        "ply < 9 power A",
        "x = 0 flip {Ra1 ply < 40}",
        "flipcolor {ply < 9 find 5 N attacks k}",
        "initial or terminal comment(ply)",
    ],
)
def test_one_hit_of_a_game_has_the_details_that_it_has_among_others(packed: games.Games, text: str) -> None:
    found = hits(text, packed)
    asking = compiled(text).detail_pass()
    assert not isinstance(asking, Unsupported)
    whole = asking.tell(packed, found, before=0, facts=FACTS)
    assert not len(whole.doubtful)
    first_of_game = np.diff(found >> 32, prepend=-1) != 0
    last_of_game = np.diff(found >> 32, append=-1) != 0
    ends = np.concatenate([[0], whole.ends])
    for chosen in (first_of_game, last_of_game):
        places = np.flatnonzero(chosen)
        alone = asking.tell(packed, found[places], before=0, facts=FACTS)
        assert not len(alone.doubtful)
        assert np.array_equal(alone.values, whole.values[places])
        assert np.array_equal(alone.squares, whole.squares[places])
        elements = [whole.codes[ends[at] : ends[at + 1]].tolist() for at in places.tolist()]
        starts = np.concatenate([[0], alone.ends]).tolist()
        assert [
            alone.codes[begin:end].tolist() for begin, end in zip(starts, alone.ends.tolist(), strict=False)
        ] == elements
