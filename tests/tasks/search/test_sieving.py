"""Games that a compiled query passes over are not interpreted, and nothing else changes."""

from __future__ import annotations

import dataclasses
import gc
import json
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cqlgui.base import errors, progress
from cqlgui.engine import compiling
from cqlgui.engine.replaying import games
from cqlgui.jit import native
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export.formats import hit_lines
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import hit_details, narrowing, searching, sieving
from tests.helpers import searched

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

MATE = '[White "A"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
QUIET = '[White "B"]\n\n1. e4 (1. d4 d5 (1... f5 2. e4)) 1... e5 2. Nf3 {text} *\n\n'
BROKEN = '[White "C"]\n[FEN "none"]\n\n1. e4 *\n\n'


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    paths = [tmp_path / "a.pgn", tmp_path / "b.pgn"]
    paths[0].write_text((QUIET * 5 + MATE + BROKEN) * 20)
    paths[1].write_text(MATE * 3 + QUIET * 9)
    return importing.open_base(paths).base


@pytest.fixture
def checked(tmp_path: Path) -> base_model.Base:
    """Games with several checks, also in variations, and with different names."""
    path = tmp_path / "c.pgn"
    checks = "1. e4 e5 2. Qh5 Nc6 3. Qxf7+ Kxf7 4. Bc4+ (4. Qh5+ g6) d5 5. Bxd5+ Ke8 *"
    path.write_text(
        "".join(
            f'[White "{name}"]\n[Black "{name[::-1]}"]\n\n{text}\n\n'
            for name, text in [
                ("Ab", checks),
                ("cD", MATE.split("\n\n")[1]),
                ("eF", checks + "\n"),
                ("g", "*"),
            ]
        )
    )
    return importing.open_base([path]).base


@pytest.mark.parametrize("variations", [False, True])
@pytest.mark.parametrize(
    "query",
    [
        "mate",
        "flipcolor {Pe4 variation}",
        "false",
        'player white "A" mate',
        "result 0-1 or year > 1900",
        "flipcolor result 1-0 flip elo white > 2000",
        "{initial x=3} or x>2",
        "{btm x=3} or x>2",
        'mate or player "B" Ne4',
        "cql(matchcount 0 3) mate",
        "cql(matchcount 2 9) Pe4",
        'btm message("m")',
        "persistent N1+=1 N1>40",
        'originalcomment ~~ "te"',
        'sort "s" ply Pe4',
        'flip {find Pd4} comment("x")',
        "cql(gamenumber 5 40) true",
        # What a `find` has passed is noted for the next position, but not where a part is not compiled.
        'find quiet { move comment("m") }',
        'find <-- { move comment("m") check }',
        'flipcolor { btm find { move comment("m") check } }',
        # Only simple filters stand around these orbits, and no filter writes a comment.
        "A attacks flip p",
        "flip {A -> p}",
        "A -> flip p",
        "ray (A rotate90 h7)",
        "ray attack (. (rotate90 p))",
        "xray (A flip p)",
        "A attackedby flip p",
        "flip Pe2 != flip pe7",
        "not flip Pe4 btm",
        "if gamenumber == 4 {if ply > 90 {x = 3} x > 1}",
    ],
)
def test_results_are_those_of_the_interpreter(base: base_model.Base, query: str, variations: bool) -> None:
    options = search_model.SearchOptions(variations=variations)
    fast = searching.search(base, query, options)
    whole = searching.search(base, query, dataclasses.replace(options, pruned=False))
    slow = searching.search(base, query, dataclasses.replace(options, compiled=False))
    assert searched.plain(fast) == searched.plain(slow)
    assert searched.plain(whole) == searched.plain(slow)
    assert (slow.engine, slow.reason) == ("interpreted", "the interpreter was asked for")


@pytest.mark.parametrize("variations", [False, True])
@pytest.mark.parametrize(
    "query",
    [
        "mate",
        "Q attacks k",
        "#P",
        "false",
        "flipcolor {Pe4 variation}",
        "flip Pe4",
        "cql(matchcount 2 9) Pe4",
        "cql(gamenumber 5 40 result 0-1) true",
        "cql(silent) mate",
        "cql(quiet) mate",
        'cql(matchstring "here") mate',
        "result 0-1 flipcolor {[Pp] check} or flip {mate}",
        "not flip {Pe4} btm",
        "flipcolor find {N--}",
        "find mate",
        "A attacks flip p",
        "ray (A rotate90 h7)",
        "flip Pe2 != flip pe7",
    ],
)
def test_what_comes_straight_from_the_engine_is_what_the_interpreter_finds(
    base: base_model.Base, query: str, variations: bool
) -> None:
    seen: list[int] = []
    options = search_model.SearchOptions(variations=variations, details=search_model.Details.NONE)
    fast = searching.search(base, query, options, on_hits=seen.extend)
    slow = searching.search(
        base, query, dataclasses.replace(options, compiled=False, details=search_model.Details.ALL)
    )
    assert seen == list(fast.order) == list(slow.order)
    bare, whole = searched.plain(fast), searched.plain(slow)
    del bare["games"], whole["games"]
    assert bare == whole
    assert np.array_equal(fast.games.columns.hits, slow.games.columns.hits)
    assert np.array_equal(fast.games.columns.ends, slow.games.columns.ends)
    assert np.array_equal(fast.games.columns.codes, slow.games.columns.codes)
    assert list(hit_details.tell(base, fast, fast.order)) == list(slow.games.values())
    commented = dataclasses.replace(options, details=search_model.Details.COMMENTS)
    for game, hits in searching.search(base, query, commented).games.items():
        assert hits.comments == slow.games[game].comments
        assert hits.match_string == slow.games[game].match_string


def test_hits_need_not_be_interpreted_to_be_listed(base: base_model.Base) -> None:
    options = search_model.SearchOptions(details=search_model.Details.NONE)
    for query in ("mate", "flip Pe4", "find mate", 'comment("x") mate', 'settag("x" "y") mate'):
        assert not searching.search(base, query, options).games.told
    # These say what nobody can leave for later.
    for query in ('message "x" mate', "find {flip Pe4}"):
        found = searching.search(base, query, options)
        assert found.order
        assert len(found.games.told) == len(found.order)
    found = searching.search(base, 'sort "s" ply mate', options)
    assert not found.games.told
    assert len(found.games.sort_keys()) == len(found.order)
    commented = dataclasses.replace(options, details=search_model.Details.COMMENTS)
    assert not searching.search(base, "mate", commented).games.told
    found = searching.search(base, "find mate", commented)
    assert "Found" in {text for game in found.order for _, text in found.games.comments(game)}


SORTED = (
    'sort "s" ply mate',
    'initial sort "white" player white',
    'initial comment("own") sort "men" #A sort min "black" {player black}',
    'sort "n" {#A comment("best") sort "a" #a} check',
    'cql(sort matchcount 1 100) check sort "x" #A',
    'cql(quiet) check sort "x" #A comment("y")',
    "cql(silent sort matchcount 2 100) check",
    "sort quiet ply flipcolor {wtm check}",
    "initial or sort ply",
)


@pytest.mark.parametrize("query", SORTED)
@pytest.mark.parametrize("variations", [False, True])
def test_sort_keys_and_what_is_written_of_them_are_the_interpreters(
    checked: base_model.Base, query: str, variations: bool
) -> None:
    base = checked
    options = search_model.SearchOptions(variations=variations, details=search_model.Details.ALL)
    fast = searching.search(base, query, options)
    slow = searching.search(base, query, dataclasses.replace(options, compiled=False))
    assert slow.order
    assert fast.order == slow.order
    assert fast.games.sort_keys() == slow.games.sort_keys()
    # The search has made them, and the window asks for them in its own thread.
    assert fast.games.sort_keys() is fast.games.sort_keys()
    for game in slow.order:
        assert fast.games[game] == slow.games[game]
        assert tuple(fast.games.comments(game)) == slow.games[game].comments
    assert not fast.games.told
    told = {game: [] for game in slow.order}
    for game, place, text in json.loads(f"[{','.join(hit_lines.comments(fast))}]"):
        told[game].append((place, text))
    assert told == {game: list(slow.games[game].comments) for game in slow.order}


def test_a_result_that_was_narrowed_keeps_its_sort_keys(checked: base_model.Base) -> None:
    options = search_model.SearchOptions(details=search_model.Details.ALL)
    found = searching.search(checked, 'check sort "x" #A comment("y")', options)
    # The last hit of each game is dropped. The values of the sort keys are kept all the same.
    left = narrowing.without(found, searching.search(checked, "ply > 8", options))
    assert len(left.order) == len(found.order)
    assert len(left.games.columns) < len(found.games.columns)
    keys = found.games.sort_keys()
    assert left.games.sort_keys() == {game: keys[game] for game in left.order}
    for game in left.order:
        assert left.games[game].sort_keys == keys[game]
        assert (0, f"x: {keys[game][0]}") in left.games[game].comments


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("details", list(search_model.Details))
def test_a_search_keeps_to_the_games_it_is_given(
    base: base_model.Base, compiled: bool, details: search_model.Details
) -> None:
    within = np.array([1, 6, 7, 13, 141, 142, 150], np.int64)
    options = search_model.SearchOptions(within=within, compiled=compiled, details=details)
    found = searching.search(base, "mate", options)
    assert found.order == (6, 13, 141, 142)
    assert found.games_searched == len(within)


def test_every_game_alone_counts_as_one(base: base_model.Base) -> None:
    options = search_model.SearchOptions(details=search_model.Details.NONE)
    last = base.sources[0].games
    for game in (1, 2, base.games // 2, last, last + 1, base.games - 1, base.games):
        alone = dataclasses.replace(options, within=np.array([game], np.int64))
        assert searching.search(base, "mate", alone).games_searched == 1


@pytest.mark.parametrize("limit", [0, 1, 7, 500])
def test_a_limit_counts_games(base: base_model.Base, limit: int) -> None:
    options = search_model.SearchOptions(limit=limit, details=search_model.Details.NONE)
    found = searching.search(base, "Pe4", options)
    whole = searching.search(base, "Pe4", dataclasses.replace(options, limit=None))
    assert found.order == whole.order[:limit]
    assert found.positions == sum(len(whole.games[game].hits) for game in found.order)


@pytest.mark.parametrize("pruned", [False, True])
def test_only_what_may_match_is_left(base: base_model.Base, pruned: bool) -> None:
    plan = sieving.plan(queries.expanded("mate"), pruned=pruned)
    assert plan.compiled is not None
    chunks = []
    with sieving.Sieve(plan, base.sources) as sieve:
        while not sieve.exhausted:
            chunk = sieve.take(1)
            if chunk is not None:
                chunks.append(chunk)
    for place, source in enumerate(base.sources):
        own = [chunk for chunk in chunks if chunk.place == place]
        assert [chunk.begin for chunk in own] == [0, *(chunk.end for chunk in own[:-1])]
        assert own[-1].end == source.games
    left = [game for chunk in chunks if chunk.place == 1 for game in chunk.left]
    assert left == [0, 1, 2]


def test_slices_with_few_games_are_taken_together(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.pgn" for number in range(40)]
    for path in paths:
        path.write_text(QUIET * 10)
    base = importing.open_base(paths).base

    def sieve(query: str) -> sieving.Sieve:
        return sieving.Sieve(sieving.plan(queries.expanded(query)), base.sources, threads=1)

    hopeless = sieve("mate")
    assert [(begin, len(tasks)) for begin, tasks in (hopeless._planned() for _ in range(3))] == [
        (0, 32), (32, 8), (40, 0),
    ], "no game may match"  # fmt: skip
    assert len(sieve("initial")._planned()[1]) == 1, "one game is a slice at first"


def test_what_stops_the_sieve_leaves_the_rest_to_the_interpreter(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_segment, calls = games.of_segment, []

    def failing(segment: Any, numbers: Any = None, *, proven: bool = True) -> games.Games:
        calls.append(segment)
        if len(calls) > 1:
            raise errors.IndexDamaged("cut")
        return of_segment(segment, numbers, proven=proven)

    monkeypatch.setattr(games, "of_segment", failing)
    assert searching.search(base, "mate").order == searching.search(base, "mate").order
    assert len(calls) == 3
    result = searching.search(base, "mate")
    assert len(result.order) == 23
    assert result.games_searched == base.games


@pytest.mark.parametrize("query", ["mate", "mate comment(1)"])
@pytest.mark.parametrize("stopped", [False, True])
def test_what_was_compiled_is_held_by_nothing_but_memory(
    base: base_model.Base, query: str, stopped: bool
) -> None:
    def compiled() -> list[object]:
        return [one for one in gc.get_objects() if isinstance(one, compiling.Compiled)]

    token = progress.CancelToken()
    gc.collect()
    gc.disable()
    try:
        # The last two are remembered, and nothing else holds them.
        for other in ("check", "stalemate", "initial"):
            searching.search(base, other, search_model.SearchOptions(details=search_model.Details.NONE))
        result = searching.search(
            base, query, cancel=token, on_hits=lambda _found: token.cancel() if stopped else None
        )
        assert len(compiled()) == 2
        sieving.compiled.cache_clear()
        assert not compiled()
    finally:
        gc.enable()
    assert result.cancelled or not stopped


def test_a_query_is_left_to_the_interpreter_where_games_hang_together() -> None:
    plan = sieving.plan(queries.expanded("persistent N1+=1"))
    assert plan.engine == "interpreted"
    assert plan.straight is None
    assert plan.reason == "games depend on what was found in others"


def test_texts_may_be_added_while_values_are_looked_up() -> None:
    """A thread that plans a segment adds texts, while another thread reads the values of hits."""
    texts = ["first"]
    over = threading.Event()

    def add() -> None:
        while not over.is_set() and len(texts) < 200_000:
            texts.append("another")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=add)
    thread.start()
    try:
        for _ in range(300):
            assert sieving._texts(np.zeros(1, np.int64), texts).tolist() == ["first"]
    finally:
        over.set()
        thread.join()
        sys.setswitchinterval(interval)
