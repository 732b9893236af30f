"""An estimate from a sample is near the truth, silent where it cannot tell, and exact on a small base."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.base import errors, progress
from cqlgui.jit import native
from cqlgui.tasks import estimating, importing, model, queries

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

MATE = '[White "A"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
QUIET = '[White "B"]\n\n1. e4 (1. d4 d5) 1... e5 2. Nf3 *\n\n'
SET_UP = '[White "C"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n\n1. O-O *\n\n'


def made(folder: Path, times: int) -> model.Base:
    paths = [folder / "a.pgn", folder / "b.pgn"]
    paths[0].write_text((QUIET * 3 + MATE + SET_UP) * times)
    paths[1].write_text(QUIET * 7)
    return importing.open_base(paths).base


@pytest.mark.parametrize(
    ("query", "games"),
    [
        ("mate", 20),
        ("cql(variations) Pd4", 67),
        ("Pd4", 0),
        ("result 0-1 mate", 20),
        ("cql(result 0-1) Pf3", 20),
        ("cql(matchcount 3 9) Pe4", 67),
        ("Rf1 Kg1", 20),
        ('player "B"', 67),
    ],
)
def test_a_small_base_is_asked_whole(tmp_path: Path, query: str, games: int) -> None:
    assert estimating.estimate(made(tmp_path, 20), query) == estimating.Estimate(games, 0)


def test_a_large_one_is_estimated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = made(tmp_path, 400)
    monkeypatch.setattr(estimating, "SAMPLE", 400)
    for query, games in (("mate", 400), ("Rf1 Kg1", 400), ("Pe4", 1_207), ("true", 2_007)):
        found = estimating.estimate(base, query)
        assert found is not None
        assert abs(found.games - games) <= 2 * found.error
        assert found == estimating.estimate(base, query)
    nothing = estimating.estimate(base, "Qa5")
    assert nothing is not None
    assert (nothing.games, nothing.words) == (0, "fewer than 16 games")


def test_nothing_is_said_where_it_cannot_be_told(tmp_path: Path) -> None:
    base = made(tmp_path, 4)
    for query in (
        'originalcomment "x"',
        "gamenumber > 3",
        "cql(gamenumber 1 3) mate",
        "cql(matchcount 0) mate",
    ):
        assert estimating.estimate(base, query) is None
    with pytest.raises(queries.Rejected):
        estimating.estimate(base, "Kd9")
    stopped = progress.CancelToken()
    stopped.cancel()
    with pytest.raises(errors.Cancelled):
        estimating.estimate(base, "mate", cancel=stopped)


def test_words_promise_no_more_than_is_known() -> None:
    assert estimating.Estimate(1, 0).words == "1 game"
    assert estimating.Estimate(12_345, 0).words == "12,345 games"
    assert estimating.Estimate(1_432, 251).words == "about 1,400 ± 250 games"
    assert estimating.Estimate(0, 219).words == "fewer than 220 games"
    assert estimating.Estimate(7, 3).words == "about 7 ± 3 games"
