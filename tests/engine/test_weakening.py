"""What is asked before a game is laid out holds wherever the query matches, and changes nothing."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.engine.replaying import games, layout, replay, scanning
from cqlgui.jit import native
from tests import helpers
from tests.helpers import games as readings
from tests.helpers import packed_games

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

GLANCES = [
    ("wtm find mate", "wtm"),
    ("find mate wtm", "wtm"),
    ("{Ra8 find Qh7} or {kg8 find Qh8}", "Ra8 or kg8"),
    ("Ra8 or find Qh7", None),
    ("Ra8 and find Qh7", "Ra8"),
    ("flipcolor {Ra8 kg8 find Qh7}", "orbit <{ra1 Kg1}; {Ra8 kg8}>"),
    ("flipcolor {Ra8 or find Qh7}", None),
    ("Ra8 x=1 kg8 find x==1", "Ra8"),
    ("{x=1 Ra8} or kg8 find x==1", None),
    ("x=1 and kg8 find x==1", None),
    ("kg8 and x=1 find x==1", "kg8"),
    ("piece X in N {X attacks k} find X & a1", "piece X in N X attacks k"),
    ("path (-- --)", None),
    ("path (Nb1-- -- Pd2--)", "Nb1--"),
    ("path (wtm --(check) -- mate)", "wtm"),
    ("path (Ng1--){1,2}", "Ng1--"),
    ("path ((Ng1--)* --)", None),
    ("path ({pathcount==0} Ng1--)", None),
    ("path focus N (Nb1-- --)", None),
    ("path singlecolor (Pe2-- Pd2--)", None),
    ("path nestban ([x] --)", "[x]"),
    ("line --> Nc3 --> Bb5", "Nc3"),
    ("line --> {move from P} --> Bb5", None),
    ("line <-- Nc3 <-- Bb5", None),
    ("line --> (check --> not check) {2,} --> check", "check"),
    ("line --> (wtm --> {btm check}) * --> mate", None),
    ("Ng1--(check)", "Ng1--"),
    ("--(check)", None),
    ("currentmove Pe2--e4", "Pe2--e4"),
    ("flipcolor {currentmove Pe2--e4}", "orbit <Pe2--e4; pe7--e5>"),
    ("currentmove Pe2--e4 or currentmove Pd2--d4", "Pe2--e4 or Pd2--d4"),
    ("currentmove Pe2--e4 kg8", "kg8"),
    ("currentmove --(check)", None),
    ("parent:Ke2", "Ke2"),
    ("currentmove Pe2--e4 parent:ke8", "{Pe2--e4 ke8}"),
    ("Ra1 kg8", None),
]


def compiled(text: str) -> compiling.Compiled:
    found = compiling.compile_query(transforms.expand(check.check(text)))
    assert not isinstance(found, Unsupported)
    return found


@functools.cache
def sample() -> games.Games:
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text("utf-8")[:30_000]
    listed = readings.from_pgn(text)
    return packed_games.of_words((None, game.tree.encode()) for game in listed if "FEN" not in game.host.tags)


@pytest.mark.parametrize(("text", "wanted"), GLANCES)
def test_what_a_position_tells_alone_is_found(text: str, wanted: str | None) -> None:
    glance = compiled(text).glance
    assert (None if glance is None else printer.print_node(glance)) == wanted


def test_an_orbit_that_is_a_table_can_be_told_from_a_position() -> None:
    glance = compiled("shift {Ra1 kb1} find mate").glance
    assert glance is not None
    assert printer.print_node(glance).startswith("orbit <{Ra1 kb1}; ")


@pytest.mark.parametrize("text", [text for text, wanted in GLANCES if wanted])
def test_a_glance_passes_over_no_hit(text: str) -> None:
    packed = sample()
    query = compiled(text)
    with_it = list(query.scan(packed, slice_size=5))
    without = list(
        scanning.scan(
            query.tiers,
            packed,
            mode=query.mode & ~replay.GLANCED,
            frame_size=query.frame_size,
            planes=True,
            slice_size=5,
        )
    )
    assert query.mode & replay.BUFFERED
    assert query.mode & replay.GLANCED
    for one, other in zip(with_it, without, strict=True):
        assert np.array_equal(one.hits, other.hits)
        assert np.array_equal(one.doubtful, other.doubtful)
        assert one.visited == other.visited


def test_a_glance_with_too_many_variables_makes_a_query_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked of the game may be put together anew for the glance."""
    text = 'player "A" find mate event "B"'
    size = compiled(text).frame_size
    # Both parts, both in one, and what the search notes.
    assert size == layout.LOCALS + 2 * 4
    monkeypatch.setattr(layout, "SERIAL", size - 1)
    refused = compiling.compile_query(transforms.expand(check.check(text)))
    assert isinstance(refused, Unsupported)
    monkeypatch.setattr(layout, "SERIAL", size)
    assert not isinstance(compiling.compile_query(transforms.expand(check.check(text))), Unsupported)
