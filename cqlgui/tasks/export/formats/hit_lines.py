"""Writes hits as JSON: the lines of `records.records`, and the lists of `search --json`. The columns of a
result become text without an object for each hit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from cqlgui.base import ahead, arrays
from cqlgui.cql.ast.types import Type
from cqlgui.engine.kernels import listing
from cqlgui.jit import native
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.export.formats import line_heads, row_kernel
from cqlgui.tasks.results import base_model, hit_model, search_model, written
from cqlgui.tasks.results import found as found_module

_WAITING: Final = 3
"""Number of blocks that may wait to be written."""


quoted: Final = games_module.as_json
encoded: Final = games_module.encoded


# --- lists of numbers and texts -----------------------------------------------------------------------------


def positions(result: search_model.SearchResult) -> Iterator[str]:
    """The hits as JSON items `[game,positionid]`, in output order."""
    found = result.games
    if result.sort_keys:
        found = found.in_order(result.order)
    for begin in range(0, len(found.columns), hit_table.PIECE):
        columns = found.columns.part(begin, min(begin + hit_table.PIECE, len(found.columns)))
        places = columns.hits & found_module.PLACE_MASK
        texts = row_kernel.Texts.of([])
        yield from _items([b"[", b",", b"],"], [columns.games, places], [row_kernel.NUMBER] * 2, texts)


def _items(
    literals: Sequence[bytes], columns: Sequence[Any], kinds: Sequence[int], texts: row_kernel.Texts
) -> Iterator[str]:
    if len(columns[0]):
        pieces = row_kernel.rows(literals, kinds, columns, texts)
        for piece in pieces:
            # The comma after the last item of a piece is left out.
            yield str(piece[:-1], "utf-8", "surrogatepass")


def comments(result: search_model.SearchResult) -> Iterator[str]:
    """The comments as JSON items `[game,positionid,text]`, in output order."""
    found, order = result.games, np.fromiter(result.order, np.int64, len(result.order))
    told = np.isin(order, np.fromiter(found.told, np.int64, len(found.told)))
    for begin, end, is_told in arrays.runs(told):
        for first in range(begin, end, _GAMES):
            some = order[first : min(first + _GAMES, end)]
            if is_told or not native.available():
                yield from _told_comments(found, some.tolist())
            else:
                yield from _plain_comments(found, some)


_GAMES: Final = 4_000
"""Number of games whose comments are written at once."""


def _told_comments(found: found_module.FoundGames, games: Iterable[int]) -> Iterator[str]:
    for game in games:
        written = found.comments(game)
        if written:
            yield ",".join([f"[{game},{place},{quoted(text)}]" for place, text in written])


def _plain_comments(found: found_module.FoundGames, games: Any) -> Iterator[str]:
    """The comments of games whose hits are in the columns."""
    untold = found.untold
    columns = found.columns_of(games)
    notes = None if columns.details is None else columns.details.notes
    if untold is None or (untold.writes and notes is None):
        return
    said = written.of(columns, untold)
    # The texts of the games' numbers need no escapes.
    end = said.own + said.numbers
    inside = [_escaped(text) for text in said.names[: said.own]]
    inside += said.names[said.own : end]
    inside += [_escaped(text) for text in said.names[end:]]
    kinds = [row_kernel.NUMBER, row_kernel.NUMBER, row_kernel.TEXT]
    written_columns = [games[said.rows], said.places, said.texts]
    texts = row_kernel.Texts.of(inside)
    yield from _items([b"[", b",", b',"', b'"],'], written_columns, kinds, texts)


def _escaped(text: str) -> str:
    """A text as JSON, without the quotation marks."""
    return quoted(text)[1:-1]


# --- JSON lines ---------------------------------------------------------------------------------------------


_Part: TypeAlias = hit_table.Block | Iterator[dict[str, Any]]
"""The rows of some games: as columns, or as records where only objects can hold the details."""


def lines(
    base: base_model.Base,
    batches: Iterable[tuple[Sequence[int], found_module.FoundGames]],
    orbits: Sequence[hit_model.Orbit],
    *,
    variations: bool,
    rows: hit_table.Rows = hit_table.Rows.HITS,
) -> Iterator[bytes | memoryview]:
    """The records of some games as JSON lines in UTF-8 (`encoded`), each with a line end. The text of a line
    is that of `records.records`. A batch has ordinals of games, and the hits of these games."""

    heads = line_heads.Heads()

    def parts() -> Iterator[_Part]:
        for games, found in batches:
            for some, is_plain in hit_table.parts(found, games):
                if is_plain:
                    yield from hit_table.blocks(
                        base, found, some, orbits, variations=variations, coded=("comment",)
                    )
                else:
                    # The caller reads the records later, when `found` is another batch.
                    yield records.records(base, map(found.__getitem__, some), orbits)

    # Making a block takes about as long as writing its lines. Blocks differ in size, so several may wait.
    for part in ahead.each(parts(), _WAITING):
        if isinstance(part, hit_table.Block):
            yield from _block_lines(part.grouped(rows), heads.of(part))
        else:
            for record in hit_table.grouped(part, rows):
                yield encoded(quoted(record) + "\n")


def _block_lines(block: hit_table.Block, heads: row_kernel.Texts) -> Iterator[memoryview]:
    """The lines of a block. `heads` has the beginnings of the lines of `block.games`."""
    columns = block.columns
    numbers: dict[str, Any] = {"ply": block.plies, "positionid": block.places, **block.more}
    texts: list[str] = []
    # For each field its column, and the number of the first of its texts.
    told = {"comment": (_coded(block.coded["comment"], texts), 0)}
    assert columns.details is not None
    if columns.details.kind is not Type.SET:
        told["value"] = (_coded(hit_table.values(columns), texts), 0)
    primary, which = arrays.ranked(block.columns.primary())
    known = [hit_table.match(code, block.orbits) if code >= 0 else {} for code in primary.tolist()]
    for name in ("element", "transform"):
        told[name] = which, len(texts)
        texts += [quoted(one.get(name)) for one in known]
    elements, which = arrays.ranked(columns.codes.astype(np.int64))
    which += len(texts)
    # A match ends with the number of its position, which the kernel writes.
    texts += [
        quoted(hit_table.match(code, block.orbits))[:-1] + ',"positionid":' for code in elements.tolist()
    ]
    # The texts of FEN and moves need no escapes. The quotation marks belong to the literals.
    rows = block.rows * listing.TEXTS
    listed = {name: place for place, name in enumerate(("fen", *hit_table.MOVES))}
    # A lone surrogate, which UTF-8 lacks, is written as an escape, as in `encoded`.
    pool = row_kernel.Texts.of(texts, errors="backslashreplace")
    which_game = np.searchsorted(block.games, columns.games)
    literals, kinds, data, shifts = [b"", b""], [row_kernel.LISTED_TOO], [which_game], [0]
    for name in (*_OF_HITS, *block.more):
        literals[-1] += f'"{name}":'.encode()
        after, shift = b",", 0
        if name in numbers:
            kinds.append(row_kernel.NUMBER)
            data.append(numbers[name])
        elif name in told:
            kinds.append(row_kernel.TEXT)
            column, shift = told[name]
            data.append(column)
        elif name in listed:
            kinds.append(row_kernel.LISTED)
            data.append(rows)
            shift = listed[name]
            literals[-1] += b'"'
            after = b'",'
        elif name == "value":
            kinds.append(row_kernel.SET)
            data.append(columns.details.values.view(np.int64))
        else:
            assert name in ("squares", "orbit"), name
            kinds.append(row_kernel.SQUARES if name == "squares" else row_kernel.MATCHES)
            data.append(block.ringed if name == "squares" else np.arange(len(columns)))
            literals[-1] += b"["
            after = b"],"
        literals.append(after)
        shifts.append(shift)
    literals[-1] = literals[-1][:-1] + b"}\n"
    matches = row_kernel.Matches(which, np.ascontiguousarray(columns.ends), block.places)
    others = row_kernel.Texts(block.listed.text, block.listed.ends), heads
    yield from row_kernel.rows(literals, kinds, data, pool, others, matches, shifts)


_OF_HITS: Final = hit_table.FIELDS[len(line_heads.FIELDS) :]
"""The fields that come after the beginning of a line."""


def _coded(column: games_module.Column, texts: list[str]) -> Any:
    """The number of a text for each row of a column. The texts are added to `texts` as JSON."""
    used, found = arrays.ranked(column.codes)
    found += len(texts)
    texts += [quoted(column.values[code]) for code in used.tolist()]
    return found


__all__ = ["comments", "encoded", "lines", "positions", "quoted"]
