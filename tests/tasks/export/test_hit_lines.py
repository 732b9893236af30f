"""JSON from columns is the JSON of the records, hit by hit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.export.formats import hit_lines
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results.found import FoundGames
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
    monkeypatch.setattr(hit_table, "PIECE", 7)
    monkeypatch.setattr(hit_lines, "_GAMES", 3)
    options = search_model.SearchOptions(within=np.arange(1, 31), variations=variations)
    result = searching.search(base, query, options)
    found, order = result.games, list(result.order)
    assert order
    made = b"".join(hit_lines.lines(base, [(order, found)], result.orbits, variations=variations))
    expected = list(records.records(base, (found[game] for game in order), result.orbits))
    assert made.splitlines() == [hit_lines.quoted(record).encode() for record in expected]
    batches = [([game], FoundGames.of([found[game]])) for game in order]
    made = b"".join(hit_lines.lines(base, batches, result.orbits, variations=variations))
    assert made.splitlines() == [hit_lines.quoted(record).encode() for record in expected]
    for rows in hit_table.Rows:
        wanted = list(hit_table.grouped(expected, rows))
        made = b"".join(
            hit_lines.lines(base, [(order, found)], result.orbits, variations=variations, rows=rows)
        )
        assert made.splitlines() == [hit_lines.quoted(record).encode() for record in wanted]
        assert wanted == list(
            records.of_games(base, found, order, result.orbits, variations=variations, rows=rows)
        )
        assert tuple(wanted[0]) == rows.fields
    listed = json.loads(f"[{','.join(hit_lines.comments(result))}]")
    assert listed == [[game, *entry] for game in order for entry in found[game].comments]
    places = json.loads(f"[{','.join(hit_lines.positions(result))}]")
    assert places == [[game, hit.positionid] for game in order for hit in found[game].hits]


@pytest.mark.parametrize("segments", [1, 8])
def test_games_count_their_moves_from_their_own_starts(
    segments: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first segment has 200 games."""
    monkeypatch.setattr(hit_table, "_SEGMENTS", segments)
    path = tmp_path / "starts.pgn"
    starts = [f"4k3/8/8/8/8/8/4P3/4K2R w K - {number % 40} {number + 7}" for number in range(420)]
    path.write_text(
        "".join(
            f'[FEN "{fen}"]\n\n1. Ke2 Kd7 *\n\n' if number % 3 else "1. e4 *\n\n"
            for number, fen in enumerate(starts)
        )
    )
    base = importing.open_base([path]).base
    found = searching.search(base, "ply < 2").games
    order = [game for pair in zip(range(2, 180), range(230, 408), strict=True) for game in pair]
    made = b"".join(hit_lines.lines(base, [(order, found)], (), variations=False))
    expected = records.records(base, map(found.__getitem__, order), ())
    assert made.splitlines() == [hit_lines.quoted(record).encode() for record in expected]
    first = json.loads(made.splitlines()[0])
    assert first["fen"] == starts[1]


def _hit(game: int, place: int, ply: int, element: int | None = None) -> dict[str, object]:
    orbit = [] if element is None else [{"orbit": 0, "element": element}]
    return {"game": game, "positionid": place, "ply": ply, "orbit": orbit}


def test_runs_of_plies_with_one_element_are_spans() -> None:
    hits = [
        _hit(1, 3, 3, 0), _hit(1, 4, 4, 0), _hit(1, 5, 5, 1), _hit(1, 7, 7, 1),
        # Position 8 begins a variation at an earlier ply.
        _hit(1, 8, 5, 1),
        _hit(2, 9, 6, 1), _hit(2, 10, 7, 1), _hit(2, 11, 8, 1),
    ]  # fmt: skip
    spans = list(hit_table.grouped(hits, hit_table.Rows.SPANS))
    assert [(one["game"], one["ply"], one["until"], one["plies"]) for one in spans] == [
        (1, 3, 4, 2), (1, 5, 5, 1), (1, 7, 7, 1), (1, 5, 5, 1), (2, 6, 8, 3),
    ]  # fmt: skip
    games = list(hit_table.grouped(hits, hit_table.Rows.GAMES))
    assert [(one["game"], one["positionid"], one["hits"]) for one in games] == [(1, 3, 5), (2, 9, 3)]
    assert list(hit_table.grouped([], hit_table.Rows.SPANS)) == []
