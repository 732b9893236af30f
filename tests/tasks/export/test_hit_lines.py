"""JSON from columns is the JSON of the records, hit by hit."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import hit_lines, records
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

QUERIES = [
    'path -- check ///"check by " from\n[x]. ///"captured on " to',
    "find all check",
    'comment("a") comment("b" ply) check',
    'comment("CQL") comment("a \\\\ \u00e9\t{x}") check',
    "flip {path focus N -- --}",
    "initial",
    "flipcolor {Bf1 find check}",
    'sort "men" #[Aa] check',
    "shift Ra1 or check",
    "[Aa] attacks k",
    "power A - power a",
    'player white ~~ "[a-e]+"',
    "not check",
    "echo(s t) {t[<]s check s:check}",
]


@pytest.fixture
def base() -> base_model.Base:
    sample = helpers.ROOT / "resources" / "sample" / "sample.pgn"
    return importing.open_base([sample]).base


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("variations", [False, True])
def test_lines_and_lists_say_what_objects_say(
    query: str, variations: bool, base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hit_lines, "_PIECE", 7)
    monkeypatch.setattr(hit_lines, "_GAMES", 3)
    options = search_model.SearchOptions(within=np.arange(1, 31), variations=variations)
    result = searching.search(base, query, options)
    found, order = result.games, list(result.order)
    assert order
    made = "".join(hit_lines.lines(base, found, order, result.orbits, variations=variations))
    expected = records.records(base, (found[game] for game in order), result.orbits)
    assert made.splitlines() == [hit_lines.quoted(record) for record in expected]
    listed = json.loads(f"[{','.join(hit_lines.comments(result))}]")
    assert listed == [[game, *entry] for game in order for entry in found[game].comments]
    places = json.loads(f"[{','.join(hit_lines.positions(result))}]")
    assert places == [[game, hit.positionid] for game in order for hit in found[game].hits]
