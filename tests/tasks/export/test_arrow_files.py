"""Parquet and Arrow files hold the complete row of each hit, as pyarrow, DuckDB and polars read them."""

from __future__ import annotations

import csv
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from cqlgui.base import errors
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting, hit_table, records
from cqlgui.tasks.export.formats import arrow_files
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import hit_details, searching
from tests import helpers

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
QUERIES = [
    "flipcolor flipvertical {Bh7 kg8 check}",
    "flip {path focus N -- --}",
    'check comment("{x}" ply)',
    "power A",
]


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([SAMPLE]).base


def expected(base: base_model.Base, result: search_model.SearchResult, rows: hit_table.Rows) -> list[Any]:
    # Objects are made from each game's own tree.
    told = hit_details.tell(base, result, result.order)
    return list(hit_table.grouped(records.records(base, told, result.orbits), rows))


def written(path: Path) -> Any:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
    if path.suffix == ".parquet":
        from pyarrow import parquet

        return parquet.read_table(path)
    with pyarrow.OSFile(str(path)) as file:
        return pyarrow.ipc.open_file(file).read_all()


def objects(table: Any) -> list[Any]:
    """The rows of a table. The tags of a game are JSON in a table."""
    return [{**row, "tags": json.loads(row["tags"])} for row in table.to_pylist()]


@pytest.mark.parametrize("ending", arrow_files.ENDINGS)
@pytest.mark.parametrize("query", QUERIES)
def test_each_row_is_that_of_the_objects(
    query: str, ending: str, base: base_model.Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
    monkeypatch.setattr(hit_table, "PIECE", 7)
    monkeypatch.setattr(arrow_files, "GROUP", 50)
    result = searching.search(base, query, search_model.SearchOptions(limit=20))
    for rows in hit_table.Rows:
        path = tmp_path / f"{rows.value}{ending}"
        report = exporting.export(base, result, path, rows=rows)
        table = written(path)
        wanted = expected(base, result, rows)
        assert tuple(table.column_names) == rows.fields
        assert objects(table) == wanted
        assert report.hits == result.positions


def test_numbers_lists_and_repeated_texts_have_types_of_their_own(
    base: base_model.Base, tmp_path: Path
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
    from pyarrow import parquet

    path = tmp_path / "out.parquet"
    exporting.export(base, searching.search(base, "flip check"), path)
    schema = parquet.read_schema(path)
    assert {schema.field(name).type for name in ("game", "ply", "white_elo", "element")} == {pyarrow.int32()}
    assert pyarrow.types.is_dictionary(schema.field("white").type)
    assert schema.field("squares").type.value_type == pyarrow.string()
    assert [field.name for field in schema.field("orbit").type.value_type] == [
        *("orbit", "element", "transform", "words", "positionid"),
    ]


@pytest.mark.parametrize("ending", arrow_files.ENDINGS)
def test_normalised_rows_and_rows_of_an_element_are_written(
    ending: str, base: base_model.Base, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
    result = searching.search(base, "flipcolor {Bh7 kg8 check}")
    exact, path = tmp_path / "out.jsonl", tmp_path / f"out{ending}"
    for options in ({"normalise": True}, {"element": (0, 1), "overwrite": True}):
        exporting.export(base, result, exact, **options)  # type: ignore[arg-type]
        exporting.export(base, result, path, **options)  # type: ignore[arg-type]
        lines = [json.loads(line) for line in exact.read_text("utf-8").splitlines()]
        assert lines
        assert objects(written(path)) == lines


@pytest.mark.parametrize("query", ["mate", "mate comment(ply)"])
def test_a_row_has_all_tags_of_its_game(tmp_path: Path, query: str) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
    others = [{"TimeControl": "300+3", "Annotator": 'Łukasz, "x"'}, {}, {"Termination": "=Normal"}]
    texts = []
    for tags in others:
        own = "".join(f'[{name} "{text}"]\n'.replace('"x"', '\\"x\\"') for name, text in tags.items())
        texts.append(f'[White "A"]\n[Result "1-0"]\n{own}\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n')
    source = tmp_path / "a.pgn"
    source.write_text("".join(texts), "utf-8")
    base = importing.open_base([source]).base
    result = searching.search(base, query)
    for normalise in (False, True):
        read: list[list[Any]] = []
        for ending in (".jsonl", ".csv", *arrow_files.ENDINGS):
            path = tmp_path / f"{normalise}{ending}"
            exporting.export(base, result, path, normalise=normalise)
            if ending == ".jsonl":
                read.append([json.loads(line)["tags"] for line in path.read_text("utf-8").splitlines()])
            elif ending == ".csv":
                with path.open(encoding="utf-8", newline="") as file:
                    read.append([json.loads(row["tags"]) for row in csv.DictReader(file)])
            else:
                read.append([row["tags"] for row in objects(written(path))])
        assert read == [others] * 4


def test_no_hits_are_a_table_without_rows(base: base_model.Base, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
    result = searching.search(base, "wtm btm")
    for ending in arrow_files.ENDINGS:
        exporting.export(base, result, tmp_path / f"out{ending}")
        table = written(tmp_path / f"out{ending}")
        assert (table.num_rows, tuple(table.column_names)) == (0, hit_table.FIELDS)


def test_duckdb_counts_what_the_search_counted(base: base_model.Base, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    result = searching.search(base, "flipcolor {Bh7 kg8 check}")
    path = tmp_path / "out.parquet"
    exporting.export(base, result, path)
    asked = duckdb.sql(
        f"SELECT count(*), count(DISTINCT game), sum(len(orbit)) FROM read_parquet('{path}') "
        "WHERE fen IS NOT NULL AND white <> ''"
    ).fetchall()
    matches = sum(len(hit.matches) for game in result.games for hit in result.games[game].hits)
    assert asked == [(result.positions, len(result.games), matches)]


def test_polars_reads_both_forms(base: base_model.Base, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
    polars = pytest.importorskip("polars", reason="polars is not installed")
    result = searching.search(base, "flipcolor {Bh7 kg8 check}")
    for ending, read in ((".parquet", polars.read_parquet), (".arrow", polars.read_ipc)):
        exporting.export(base, result, tmp_path / f"out{ending}")
        table = read(tmp_path / f"out{ending}")
        assert (table.height, table["game"].n_unique()) == (result.positions, len(result.games))


def test_without_pyarrow_the_export_names_the_command_that_installs_it(
    base: base_model.Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else find(name))
    result = searching.search(base, "mate")
    for ending in arrow_files.ENDINGS:
        with pytest.raises(errors.CqlguiError, match=r"pip install 'cqlgui\[arrow\]'"):
            exporting.export(base, result, tmp_path / f"out{ending}")
    assert list(tmp_path.glob("out*")) == []
