"""The recorded answers of the sample base: an oracle for a clone that has no other.

They were recorded once the interpreter agreed with the reference on the whole core; `--update-golden` records
anew, and the difference is to be read. The quick form asks every third query; `-m full` asks all of them.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from cqlgui.base.files.resources import resource
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching

HERE = Path(__file__).parent
QUERIES = [
    line
    for line in (HERE / "queries.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("# ")
]
RECORDED = HERE / "expected.jsonl"
SHOWN = 12


def recorded() -> dict[str, dict[str, Any]]:
    rows = (json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines())
    return {row["query"]: row for row in rows}


def answer(base: base_model.Base, query: str) -> dict[str, Any]:
    """What a search found, short enough to read: counts, the first hits, a digest of values and order."""
    result = searching.search(base, query, search_model.SearchOptions())
    hits = [
        [game, hit.positionid, hit.value, [[m.orbit, m.element, m.positionid] for m in hit.matches]]
        for game, found in sorted(result.games.items())
        for hit in found.hits
    ]
    whole = json.dumps([hits, list(result.order)], ensure_ascii=False)
    return {
        "query": query,
        "games": len(result.games),
        "positions": len(hits),
        "first": [hit[:3] for hit in hits[:SHOWN]],
        "digest": hashlib.sha256(whole.encode()).hexdigest()[:16],
    }


def test_recorded_results_hold_for_a_sample_of_the_queries(pytestconfig: pytest.Config) -> None:
    compare(QUERIES[::3], update=False)


@pytest.mark.full
def test_recorded_results_hold_for_every_query(pytestconfig: pytest.Config) -> None:
    compare(QUERIES, update=bool(pytestconfig.getoption("--update-golden")))


def test_at_least_a_hundred_queries_are_recorded_and_most_find_something() -> None:
    rows = recorded()
    assert set(QUERIES) == set(rows)
    assert len(rows) >= 100
    assert sum(row["positions"] > 0 for row in rows.values()) > 0.8 * len(rows)


def compare(queries: list[str], *, update: bool) -> None:
    base = importing.open_base([resource("sample/sample.pgn")]).base
    found = [answer(base, query) for query in queries]
    if update:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in found)
        RECORDED.write_text("".join(lines), encoding="utf-8")
        return
    rows = recorded()
    differing = [row for row in found if row != rows[row["query"]]]
    assert not differing
