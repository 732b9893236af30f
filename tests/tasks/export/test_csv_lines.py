"""CSV, EPD and notes for Anki made from columns are those made from objects, and the csv module reads the
CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.export.formats import anki_notes, csv_lines, epd_lines
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import searching
from tests import helpers

ODD = """[White "=1+1"]
[Black "M\u00fcller, \\"Sons\\" & Co"]
[Event "a, b
c"]

1. e4 -- 2. d4 {x} 1-0

[White "\u0418\u0432\u0430\u043d\u043e\u0432"]
[Black "@x;-y"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0
"""


def _texts(tables: list[records.Table], fields: tuple[str, ...]) -> tuple[str, str]:
    slowly = list(csv_lines.lines([list(records.of_tables(tables))], fields))
    return "".join(csv_lines.lines(tables, fields)), "".join(slowly)


@pytest.mark.parametrize(
    "query", ["flip check", "true", 'comment("-x, " ply "\u2192") flipcolor mate', "power A"]
)
def test_columns_and_objects_make_the_same_lines(query: str, tmp_path: Path) -> None:
    odd = tmp_path / "odd.pgn"
    odd.write_text(ODD, encoding="utf-8")
    base = importing.open_base([odd, helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base
    result = searching.search(base, query, search_model.SearchOptions(limit=30))
    order = list(result.order)
    assert order
    for rows in hit_table.Rows:
        tables = list(
            records.tables(base, result.games, order, result.orbits, variations=result.variations, rows=rows)
        )
        quickly, slowly = _texts(tables, rows.fields)
        assert quickly == slowly
        slow_epd = "".join(epd_lines.lines([list(records.of_tables(tables))]))
        assert "".join(epd_lines.lines(tables)) == slow_epd
        slow_notes = "".join(anki_notes.lines([list(records.of_tables(tables))]))
        assert "".join(anki_notes.lines(tables)) == slow_notes
        assert slow_epd.count("\n") == len(list(records.of_tables(tables)))
        read = list(csv.DictReader(io.StringIO(csv_lines.head(rows.fields) + quickly, newline="")))
        wanted = list(records.of_tables(tables))
        assert [(row["game"], row["positionid"], row["fen"], row["next"].lstrip("'")) for row in read] == [
            (str(one["game"]), str(one["positionid"]), one["fen"], one["next"]) for one in wanted
        ]
        assert [row["squares"].split() for row in read] == [one["squares"] for one in wanted]
        assert not [
            cell for row in read for cell in row.values() if cell[:1] in ("=", "@", "-") and cell != "-"
        ]
