"""A search and an export leave no reference cycles. The window collects cyclic garbage seldom, and makes old
objects permanent (`cqlgui.ui.loop.collector`): what is a cycle by then is never freed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from cqlgui.base import heap
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers
from tests.helpers import crossing

QUERIES = (
    *crossing.known_texts()[::60],
    "path (-- check)+ (N-- B--) *",
    "line --> check --> (btm --> wtm){2} --> mate",
    "atomic checks = 0 if check checks += 1 checks >= 3",
)


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base


def cycles(work: Callable[[str], object]) -> list[str]:
    """The kinds of the objects that a second call leaves in reference cycles. The first one imports. Each
    gets white space of its own, to be added to a query that a cache would know."""
    work(" ")
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        work("  ")
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        return sorted({type(one).__qualname__ for one in gc.garbage})
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        if enabled:
            gc.enable()


def test_a_cycle_is_seen() -> None:
    def work(_: str) -> None:
        loop: list[object] = []
        loop.append(loop)

    assert cycles(work) == ["list"]


def test_a_look_at_unused_memory_leaves_none() -> None:
    assert cycles(lambda _: heap.unused()) == []


@pytest.mark.parametrize("compiled", [True, False])
def test_a_query_leaves_none(base: base_model.Base, tmp_path: Path, compiled: bool) -> None:
    options = search_model.SearchOptions(compiled=compiled, limit=100)
    for query in QUERIES:

        def work(space: str, query: str = query) -> None:
            result = searching.search(base, query + space, options)
            exporting.export(base, result, tmp_path / "a.pgn", annotate=True, overwrite=True)
            exporting.export(base, result, tmp_path / "a.jsonl", overwrite=True)

        assert cycles(work) == [], query


@pytest.mark.parametrize("query", ["cql() [[[", "flip " * 500 + "Ra1", "Ra1 + mate", "str P ~~ '('"])
def test_a_faulty_query_leaves_none(query: str) -> None:
    def work(space: str) -> None:
        with pytest.raises(queries.Rejected):
            queries.expanded(query + space)

    assert cycles(work) == []
