"""Writes rows as Parquet or as an Arrow IPC file. The package pyarrow is imported only while such a file is
written, because it takes long to load and need not be installed.

The columns of a `hit_table.Block` become Arrow columns without an object for each hit. Rows are written in
groups of about `GROUP` rows, so the memory does not grow with the number of rows.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np

from cqlgui.base import arrays, errors
from cqlgui.board import squares
from cqlgui.engine.kernels import listing
from cqlgui.engine.passes import orbit_pass
from cqlgui.tasks.databases import games
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.judging import judgement

PARQUET: Final = ".parquet"
ARROW: Final = ".arrow"
ENDINGS: Final = (PARQUET, ARROW)
GROUP: Final = 128_000
"""Number of rows in a row group of Parquet or a batch of Arrow, about."""

_NUMBERS: Final = (
    *("game", "gamenumber", "white_elo", "black_elo", "ply", "positionid", "element"),
    *("until", "plies", "hits"),
    *judgement.NUMBERS,
)
_CODED: Final = ("file", "transform", *(name for name in hit_table.HEADERS if not name.endswith("_elo")))
"""Texts that occur again and again. In memory they are numbers with a dictionary, and Parquet says so in its
schema. An Arrow file has plain strings: its dictionaries would have to be known before the first row, or to
grow in steps that not all readers understand."""
_LISTED: Final = ("fen", *hit_table.MOVES)
_UNLIKE: Final = ("fen", "next", "next_uci", "moves")
"""Texts that rarely occur twice, so that a dictionary would only cost time."""
_COMPRESSION: Final = "zstd"


def require() -> None:
    """Raise `CqlguiError` if pyarrow is not installed. This does not import pyarrow."""
    if importlib.util.find_spec("pyarrow") is None:
        raise errors.CqlguiError(
            "Parquet and Arrow files need the package pyarrow. Install it with: pip install 'cqlgui[arrow]'"
        )


def write(
    file: BinaryIO,
    tables: Iterable[records.Table],
    fields: Sequence[str],
    ending: str,
    notes: Mapping[str, str] | None = None,
) -> None:
    """Write the rows of several tables; `ending` is one of `ENDINGS`. The columns are `fields`.

    Numbers are int32. `squares` is a list of texts. `orbit` is a list of structs. All other columns are
    texts. An unknown rating is null, and so are the element and the transform of a hit without a match, and
    the value of a hit without a value. The footer of a Parquet file has the `notes` (`notes_of`).
    """
    require()
    import pyarrow as pa

    schema = _schema(fields, coded=ending == PARQUET)
    with _writer(file, schema, ending) as writer:
        waiting: list[Any] = []
        for table in tables:
            waiting.append(_batch(table, schema))
            if sum(len(one) for one in waiting) >= GROUP:
                _write(writer, pa.Table.from_batches(waiting, schema))
                waiting = []
        if waiting:
            _write(writer, pa.Table.from_batches(waiting, schema))
        if notes and ending == PARQUET:
            writer.add_key_value_metadata(notes)


def notes_of(file: BinaryIO) -> dict[str, str]:
    """The notes in the footer of a Parquet file. Raises `OSError` and `ValueError` for another file."""
    require()
    from pyarrow import parquet

    found = parquet.read_metadata(file).metadata or {}
    return {name.decode("utf-8", "replace"): text.decode("utf-8", "replace") for name, text in found.items()}


Plain: TypeAlias = "Any | tuple[Any, list[Any]]"
"""A column: numbers, or the values `values[code]` for each code, as (codes, values)."""


def of_tables(tables: Iterable[records.Table], fields: Sequence[str]) -> Any:
    """The rows of several tables as one `pyarrow.Table` with the columns `fields`, in the types of
    Parquet."""
    import pyarrow as pa

    schema = _schema(fields, coded=True)
    return pa.Table.from_batches([_batch(table, schema) for table in tables], schema).unify_dictionaries()


def of_columns(columns: Mapping[str, Plain]) -> Any:
    """Columns as a `pyarrow.Table`, in the types of Parquet."""
    import pyarrow as pa

    schema = _schema(tuple(columns), coded=True)
    made = []
    for name, column in columns.items():
        if not isinstance(column, tuple):
            made.append(_numbers(column))
        elif name in _NUMBERS:
            made.append(pa.array(column[1], pa.int32()).take(pa.array(column[0])))
        else:
            made.append(_dictionary(column[0], [_text(value) for value in column[1]]))
    return pa.Table.from_arrays(made, schema=schema)


def _schema(fields: Sequence[str], *, coded: bool) -> Any:
    import pyarrow as pa

    text = pa.string()
    repeated = pa.dictionary(pa.int32(), text) if coded else text
    match = pa.struct(
        [
            ("orbit", pa.int32()),
            ("element", pa.int32()),
            ("transform", text),
            ("words", text),
            ("positionid", pa.int32()),
        ]
    )
    known = {"squares": pa.list_(text), "orbit": pa.list_(match)}
    known |= dict.fromkeys(_NUMBERS, pa.int32()) | dict.fromkeys(_CODED, repeated)
    return pa.schema([(name, known.get(name, text)) for name in fields])


def _writer(file: BinaryIO, schema: Any, ending: str) -> Any:
    if ending == ARROW:
        from pyarrow import ipc

        return ipc.new_file(file, schema, options=ipc.IpcWriteOptions(compression=_COMPRESSION))
    from pyarrow import parquet

    own = [name for name in schema.names if name not in _UNLIKE]
    return parquet.ParquetWriter(
        file, schema, compression=_COMPRESSION, compression_level=1, use_dictionary=own
    )


def _write(writer: Any, table: Any) -> None:
    # Each block has dictionaries of its own. A row group has one for each column.
    writer.write_table(table.unify_dictionaries().combine_chunks())


def _batch(table: records.Table, schema: Any) -> Any:
    """A table as a record batch."""
    import pyarrow as pa

    if isinstance(table, hit_table.Block):
        columns = _columns(table, schema.names)
        made = [_cast(columns[field.name], field.type) for field in schema]
        return pa.RecordBatch.from_arrays(made, schema=schema)
    rows = [{**one, hit_table.TAGS: games.as_json(one[hit_table.TAGS])} for one in table]
    return pa.RecordBatch.from_pylist(rows, schema=schema)


def _cast(column: Any, wanted: Any) -> Any:
    return column if column.type == wanted else column.cast(wanted)


def _columns(block: hit_table.Block, wanted: Collection[str]) -> dict[str, Any]:
    """The columns of a block by field, those in `wanted` among them."""
    import pyarrow as pa

    columns = block.columns
    made: dict[str, Any] = {
        "file": _dictionary(np.zeros(len(block), np.int64), [block.file]),
        "game": _numbers(columns.games),
        "gamenumber": _numbers(columns.games - block.first + 1),
        "ply": _numbers(block.plies),
        "positionid": _numbers(block.places),
    }
    made |= {name: _numbers(more) for name, more in block.more.items()}
    for name, coded in block.coded.items():
        used, codes = arrays.ranked(coded.codes)
        values = [coded.values[code] for code in used.tolist()]
        if name in _NUMBERS:
            made[name] = pa.array(values, pa.int32()).take(pa.array(codes))
        elif name in _CODED:
            made[name] = _dictionary(codes, [_text(value) for value in values])
        else:
            made[name] = pa.array([_text(value) for value in values], pa.string()).take(pa.array(codes))
    primary, which = arrays.ranked(block.columns.primary())
    known = [hit_table.match(code, block.orbits) if code >= 0 else {} for code in primary.tolist()]
    numbers = pa.array(which)
    made["element"] = pa.array([one.get("element") for one in known], pa.int32()).take(numbers)
    made["transform"] = _dictionary(which, [one.get("transform") for one in known])
    texts = _listed(block.listed)
    for place, name in enumerate(_LISTED):
        made[name] = texts.take(pa.array(block.rows * listing.TEXTS + place))
    if "squares" in wanted:
        made["squares"] = _squares(block.ringed)
    if "orbit" in wanted:
        made["orbit"] = _matches(block)
    return made


def _text(value: Any) -> str | None:
    """A text that UTF-8 can hold."""
    return None if value is None else str(value).encode("utf-8", "replace").decode("utf-8")


def _numbers(values: Any) -> Any:
    import pyarrow as pa

    return pa.array(values.astype(np.int32))


def _dictionary(codes: Any, values: list[str | None]) -> Any:
    """The texts `values[code]` for each code."""
    import pyarrow as pa

    # A dictionary has no null. A number is null instead.
    unknown = np.array([value is None for value in values], np.bool_)[codes]
    known = pa.array([value or "" for value in values], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=unknown), known)


def _listed(listed: listing.Listed) -> Any:
    """All FENs and moves of a block as one array, over the text as it is."""
    import pyarrow as pa

    offsets = np.concatenate([[0], listed.ends]).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(listed.text)]
    return pa.Array.from_buffers(pa.string(), len(listed.ends), buffers)


def _squares(areas: Any) -> Any:
    """Bitboards as lists of the names of their squares, a1 first."""
    import pyarrow as pa

    ringed, found = np.nonzero(areas.view(np.uint64)[:, None] >> np.arange(64, dtype=np.uint64) & 1)
    ends = np.cumsum(np.bincount(ringed, minlength=len(areas)))
    offsets = pa.array(np.concatenate([[0], ends]).astype(np.int32))
    names = pa.array(squares.NAMES, pa.string())
    return pa.ListArray.from_arrays(offsets, names.take(pa.array(found)))


def _matches(block: hit_table.Block) -> Any:
    """The matches of each hit."""
    import pyarrow as pa

    columns = block.columns
    distinct, which = arrays.ranked(columns.codes.astype(np.int64))
    known = [hit_table.match(code, block.orbits) for code in distinct.tolist()]
    numbers = pa.array(which)
    places = arrays.repeated(block.places, np.diff(columns.ends, prepend=0)) if len(columns.codes) else which
    made = {
        "orbit": _numbers(columns.codes >> orbit_pass.ELEMENT_BITS),
        "element": _numbers(columns.codes & (1 << orbit_pass.ELEMENT_BITS) - 1),
        **{name: pa.array([one[name] for one in known], pa.string()).take(numbers) for name in _WORDED},
        "positionid": _numbers(places),
    }
    offsets = pa.array(np.concatenate([[0], columns.ends]).astype(np.int32))
    structs = pa.StructArray.from_arrays(list(made.values()), names=list(made))
    return pa.ListArray.from_arrays(offsets, structs)


_WORDED: Final = ("transform", "words")
