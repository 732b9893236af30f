"""An estimate from a sample is near the truth, silent where it cannot tell, and exact on a small base."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from cqlgui.base import errors, progress
from cqlgui.jit import native
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, found
from cqlgui.tasks.search import estimating, narrowing, searching

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

MATE = '[White "A"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
QUIET = '[White "B"]\n\n1. e4 (1. d4 d5) 1... e5 2. Nf3 *\n\n'
SET_UP = '[White "C"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]\n\n1. O-O *\n\n'


def made(folder: Path, times: int) -> base_model.Base:
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
    base = made(tmp_path, 20)
    assert estimating.estimate(base, query) == estimating.Estimate(games, games, games, base.games)


def test_a_large_one_is_estimated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = made(tmp_path, 400)
    monkeypatch.setattr(estimating, "SAMPLE", 400)
    for query, games in (("mate", 400), ("Rf1 Kg1", 400), ("Pe4", 1_207)):
        told = estimating.estimate(base, query)
        assert told is not None
        assert told.low < games < told.high
        assert told.words.startswith("about ")
        assert told == estimating.estimate(base, query)
    assert said(base, "Qa5") == "fewer than 17 games"
    assert said(base, "true") == "at least 1,991 games"


def said(base: base_model.Base, query: str, within: found.Integers | None = None) -> str:
    made = estimating.estimate(base, query, within)
    assert made is not None
    return made.words


def test_only_games_that_are_searched_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = made(tmp_path, 400)
    monkeypatch.setattr(estimating, "SAMPLE", 400)
    mates = searching.search(base, "mate")
    within = narrowing.in_games(mates)
    assert said(base, "mate", within) == "400 games"
    assert said(base, "Rf1 Kg1", within) == "0 games"
    assert said(base, "mate", within[:0]) == "0 games"
    others = np.setdiff1d(np.arange(1, base.games + 1), within)
    assert said(base, "mate", others).startswith("fewer than")
    assert said(base, "not mate", others).startswith("at least 1,5")
    assert said(base, "mate").startswith("about")


def test_nothing_is_said_where_it_cannot_be_told(tmp_path: Path) -> None:
    base = made(tmp_path, 4)
    for query in (
        'fen ~~ "x+"',
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


@pytest.mark.parametrize(
    ("games", "low", "high", "total", "words"),
    [
        (1, 1, 1, 9, "1 game"),
        (12_345, 12_345, 12_345, 99_999, "12,345 games"),
        (1_432, 1_181, 1_683, 99_999, "about 1,430 ± 260 games"),
        (1_432, 1_100, 1_700, 99_999, "about 1,400 ± 300 games"),
        (71_960, 68_711, 75_211, 145_716, "about 72,000 ± 4,000 games"),
        (7, 4, 10, 100, "about 7 ± 3 games"),
        # The sample of 145,716 games has none, one, all but one, all of them.
        (0, 0, 287, 145_716, "fewer than 290 games"),
        (73, 13, 413, 145_716, "up to 500 games"),
        (145_643, 145_303, 145_703, 145_716, "at least 145,300 games"),
        (145_716, 145_429, 145_716, 145_716, "at least 145,420 games"),
        (0, 0, 98, 99, "fewer than 99 games"),
        (2, 1, 97, 99, "up to 99 games"),
    ],
)
def test_words_promise_no_more_than_is_known(games: int, low: int, high: int, total: int, words: str) -> None:
    assert estimating.Estimate(games, low, high, total).words == words


def stated(words: str, total: int) -> tuple[int, int]:
    """The least and the most games that some words allow."""
    numbers = [int(number.replace(",", "")) for number in re.findall(r"[\d,]+", words)]
    if words.startswith("about"):
        about, error = numbers
        return about - error, about + error
    if words.startswith("at least"):
        return numbers[0], total
    if words.startswith("up to"):
        return 0, numbers[0]
    return (0, numbers[0] - 1) if words.startswith("fewer than") else (numbers[0], numbers[0])


@pytest.mark.parametrize(("total", "asked"), [(145_716, 2_000), (3_400, 2_000), (600, 90)])
@pytest.mark.parametrize("share", [0, 0.0004, 0.002, 0.02, 0.3, 0.5, 0.9, 0.998, 0.9996, 1])
def test_what_is_said_holds_in_nineteen_of_twenty_samples(total: int, asked: int, share: float) -> None:
    matching = round(total * share)
    seeds = 2_000
    drawn = np.random.default_rng(7).hypergeometric(matching, total - matching, asked, seeds)
    right = told = 0
    for number in drawn.tolist():
        made = estimating.scaled(number, asked, total)
        assert made is not None
        assert 0 <= made.low <= made.games <= made.high <= total
        right += made.low <= matching <= made.high
        low, high = stated(made.words, total)
        assert 0 <= low <= made.low <= made.high <= high <= total
        told += low <= matching <= high
    assert told >= right
    assert told >= 0.94 * seeds
    if 0.01 < share < 0.99:
        # Bounds that hold nearly always would be too wide to tell much.
        assert 0.93 * seeds <= right <= 0.98 * seeds


def test_a_sample_of_nothing_tells_nothing() -> None:
    assert estimating.scaled(0, 0, 10) is None
    assert estimating.scaled(0, 0, 0) == estimating.Estimate(0, 0, 0, 0)
