"""Writes rows as CSV. The columns of a block become text without an object for each hit."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays, cells
from cqlgui.engine.kernels import listing
from cqlgui.tasks.databases import games
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.export.formats import row_kernel

_PIECE: Final = 1 << 16
"""Number of characters that are written at once, about."""
_NULL_MOVE: Final = b"--"


def head(fields: Sequence[str]) -> str:
    """The line that names the fields."""
    return ",".join(fields) + "\n"


def lines(tables: Iterable[records.Table], fields: Sequence[str]) -> Iterator[str]:
    """The rows of several tables as CSV, some lines at a time. The field `orbit` has the transform of the
    primary element, and a description of this transform in words. Text is escaped, so that a spreadsheet does
    not read it as a formula."""
    for table in tables:
        # A spreadsheet would read a null move as a formula. The kernel escapes no moves.
        if isinstance(table, hit_table.Block) and _NULL_MOVE not in table.listed.text:
            yield from _of_block(table, fields)
        else:
            yield from _of_records(table if isinstance(table, list) else table.records(), fields)


def _of_records(found: Iterable[dict[str, Any]], fields: Sequence[str]) -> Iterator[str]:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    for record in found:
        primary = record["orbit"][0] if record["orbit"] else None
        flat = {
            **record,
            hit_table.TAGS: games.as_json(record[hit_table.TAGS]),
            "squares": " ".join(record["squares"]),
            "orbit": _described(primary) if primary else "",
        }
        table.writerow([_cell(flat[field]) for field in fields])
        if out.tell() > _PIECE:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def _of_block(block: hit_table.Block, fields: Sequence[str]) -> Iterator[str]:
    texts: list[str] = []

    def add(values: Sequence[object]) -> int:
        texts.extend(map(_field, values))
        return len(texts) - len(values)

    numbers: dict[str, Any] = {
        "game": block.columns.games,
        "gamenumber": block.columns.games - block.first + 1,
        "ply": block.plies,
        "positionid": block.places,
        **block.more,
    }
    told: dict[str, Any] = {"file": np.full(len(block), add([block.file]))}
    for name, column in block.coded.items():
        used, codes = arrays.ranked(column.codes)
        told[name] = codes + add([column.values[code] for code in used.tolist()])
    areas, codes = np.unique(block.ringed, return_inverse=True)
    told["squares"] = codes + add([" ".join(hit_table.squares_of(area)) for area in areas.tolist()])
    primary, codes = arrays.ranked(block.columns.primary())
    known = [hit_table.match(code, block.orbits) if code >= 0 else {} for code in primary.tolist()]
    for name in ("element", "transform"):
        told[name] = codes + add([one.get(name) for one in known])
    told["orbit"] = codes + add([_described(one) if one else "" for one in known])
    rows = block.rows * listing.TEXTS
    listed = {name: rows + place for place, name in enumerate(("fen", *hit_table.MOVES))}
    columns = (row_kernel.NUMBER, numbers), (row_kernel.TEXT, told), (row_kernel.LISTED, listed)
    known_kinds = {name: (kind, known[name]) for kind, known in columns for name in known}
    literals = [b"", *[b","] * (len(fields) - 1), b"\n"]
    kinds, data = zip(*(known_kinds[name] for name in fields), strict=True)
    pool = row_kernel.Texts.of(texts, errors="strict")
    others = row_kernel.Texts(block.listed.text, block.listed.ends)
    for piece in row_kernel.rows(literals, kinds, data, pool, [others]):
        yield str(piece, "utf-8")


def _described(match: dict[str, Any]) -> str:
    return f"{match['transform']} {match['words']}"


def _field(value: object) -> str:
    """A value as a field of a line, in quotes if it needs quotes (RFC 4180)."""
    text = str(_cell(value))
    if any(sign in text for sign in ',"\r\n'):
        text = '"' + text.replace('"', '""') + '"'
    return text


def _cell(value: object) -> object:
    """A value as a cell: empty for None. Text is escaped, so that a spreadsheet does not read it as a
    formula."""
    if isinstance(value, str):
        return cells.text_only(value)
    return "" if value is None else value
