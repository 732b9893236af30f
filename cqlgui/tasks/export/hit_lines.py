"""Writes hits as JSON: the lines of `records.records`, and the lists of `search --json`. The columns of a
result become text without an object for each hit."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays
from cqlgui.cql.ast.types import Type
from cqlgui.engine import facts
from cqlgui.engine.kernels import listing
from cqlgui.engine.passes import orbit_pass
from cqlgui.engine.replaying import games as packed_games
from cqlgui.jit import native
from cqlgui.tasks.databases import sources, tags
from cqlgui.tasks.export import records, row_kernel
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results import found as found_module

_PIECE: Final = 16_000
"""Number of hits that are written at once."""


def quoted(value: Any) -> str:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- lists of numbers and texts -----------------------------------------------------------------------------


def positions(result: search_model.SearchResult) -> Iterator[str]:
    """The hits as JSON items `[game,positionid]`, in output order."""
    found = result.games
    if result.sort_keys:
        found = found.in_order(result.order)
    for begin in range(0, len(found.columns), _PIECE):
        columns = found.columns.part(begin, min(begin + _PIECE, len(found.columns)))
        places = columns.hits & found_module.PLACE_MASK
        yield from _items([b"[", b",", b"],"], [columns.games, places], [row_kernel.NUMBER] * 2, [])


def _items(
    literals: Sequence[bytes], columns: Sequence[Any], kinds: Sequence[int], texts: Sequence[bytes]
) -> Iterator[str]:
    if len(columns[0]):
        pieces = row_kernel.rows(literals, kinds, columns, row_kernel.Texts.of(texts))
        for piece in pieces:
            # The comma after the last item of a piece is left out.
            yield piece[:-1].decode("utf-8", "surrogatepass")


def comments(result: search_model.SearchResult) -> Iterator[str]:
    """The comments as JSON items `[game,positionid,text]`, in output order."""
    found, order = result.games, np.fromiter(result.order, np.int64, len(result.order))
    told = np.isin(order, np.fromiter(found.told, np.int64, len(found.told)))
    for begin, end, is_told in _runs(told):
        for first in range(begin, end, _GAMES):
            some = order[first : min(first + _GAMES, end)]
            if is_told or not native.available():
                yield from _told_comments(found, some.tolist())
            else:
                yield from _plain_comments(found, some)


_GAMES: Final = 4_000
"""Number of games whose comments are written at once."""


def _runs(marks: Any) -> Iterator[tuple[int, int, bool]]:
    """The runs of equal values in an array: begin, end and value."""
    heads = [0, *(np.flatnonzero(np.diff(marks)) + 1).tolist(), len(marks)]
    for begin, end in itertools.pairwise(heads):
        if begin < end:
            yield begin, end, bool(marks[begin])


def _told_comments(found: found_module.FoundGames, games: Iterable[int]) -> Iterator[str]:
    for game in games:
        written = found.comments(game)
        if written:
            yield ",".join([f"[{game},{place},{quoted(text)}]" for place, text in written])


def _plain_comments(found: found_module.FoundGames, games: Any) -> Iterator[str]:
    """The comments of games whose hits are in the columns."""
    untold = found.untold
    columns = found.columns.take(found.places_of(games))
    notes = None if columns.details is None else columns.details.notes
    if untold is None or (untold.writes and notes is None):
        return
    texts: list[bytes] = []
    # For each comment: its game, its place in the order of writing, the positionid and the text.
    parts: list[tuple[Any, Any, Any, Any]] = []
    starts = found_module.first_hits(columns.hits)
    if untold.header_comment:
        before = starts + (0 if notes is None else np.concatenate([[0], notes.ends])[starts])
        texts += [f'"{untold.number(game)}"'.encode() for game in games.tolist()]
        parts.append((games, before * 3, np.zeros(len(games), np.int64), np.arange(len(games))))
    if notes is not None and len(notes.texts):
        owners = notes.owners
        chosen, names = arrays.numbered(notes.texts)
        order = np.arange(len(notes.texts)) + owners
        parts.append((columns.games[owners], order * 3 + 1, notes.places, chosen + len(texts)))
        texts += [quoted(text).encode("utf-8", "surrogatepass") for text in names]
    if untold.match_string:
        order = np.arange(len(columns)) + (0 if notes is None else notes.ends)
        places = columns.hits & found_module.PLACE_MASK
        chosen = np.full(len(columns), len(texts))
        parts.append((columns.games, order * 3 + 1, places, chosen))
        texts.append(quoted(untold.match_string).encode("utf-8", "surrogatepass"))
    lasts, places, closing = columns.closing()
    if closing:
        order = lasts + (0 if notes is None else notes.ends[lasts])
        chosen, names = arrays.numbered(closing)
        parts.append((columns.games[lasts], order * 3 + 2, places, chosen + len(texts)))
        texts += [quoted(text).encode("utf-8", "surrogatepass") for text in names]
    if not parts:
        return
    owner, order, place, chosen = (np.concatenate(one) for one in zip(*parts, strict=True))
    sequence = np.argsort(order, kind="stable")
    if untold.unique and notes is not None:
        # The number of a game or the match string can equal a text of the query.
        codes, _ = arrays.numbered(texts)
        first = arrays.first_rows((codes[chosen], place, owner), order)
        sequence = sequence[first[sequence]]
    kinds = [row_kernel.NUMBER, row_kernel.NUMBER, row_kernel.TEXT]
    columns_of = [owner[sequence], place[sequence], chosen[sequence]]
    yield from _items([b"[", b",", b",", b"],"], columns_of, kinds, texts)


# --- JSON lines ---------------------------------------------------------------------------------------------


def lines(
    base: base_model.Base,
    found: found_module.FoundGames,
    games: Sequence[int],
    orbits: Sequence[hit_model.Orbit],
    *,
    variations: bool,
) -> Iterator[str]:
    """The records of some games as JSON lines, each with a line end. The text of a line is that of
    `records.records`."""
    order = np.fromiter(games, np.int64, len(games))
    plain = ~np.isin(order, np.fromiter(found.told, np.int64, len(found.told)))
    plain &= found.columns.details is not None and native.available()
    for begin, end, is_plain in _runs(plain):
        some = order[begin:end].tolist()
        if is_plain:
            yield from _plain_lines(base, found, some, orbits, variations=variations)
        else:
            for record in records.records(base, (found[game] for game in some), orbits):
                yield quoted(record) + "\n"


def _plain_lines(
    base: base_model.Base,
    found: found_module.FoundGames,
    games: Sequence[int],
    orbits: Sequence[hit_model.Orbit],
    *,
    variations: bool,
) -> Iterator[str]:
    """`lines` for games whose hits are in the columns."""
    at = 0
    while at < len(games):
        source, ordinal = sources.of_game(base, games[at])
        with sources.indexed(source) as opened:
            first, segment = opened.part_of(ordinal)
            begin, end = source.first + first, source.first + min(first + segment.games, source.games)
            last = at
            while last < len(games) and begin <= games[last] < end:
                last += 1
            asked = packed_games.of_segment(segment)
            counters = packed_games.counters(segment)
        header = tags.SegmentTags(source, first, len(asked))
        columns = found.columns.take(found.places_of(np.array(games[at:last], np.int64)))
        for part in columns.stretches(_PIECE):
            yield from _segment_lines(part, found, asked, counters, header, begin, orbits, variations)
        at = last


_HEADER: Final = ("White", "Black", "Result", "Date")


def _segment_lines(
    columns: found_module.Columns,
    found: found_module.FoundGames,
    asked: packed_games.Games,
    counters: tuple[Any, Any],
    header: tags.SegmentTags,
    first: int,
    orbits: Sequence[hit_model.Orbit],
    variations: bool,
) -> Iterator[str]:
    """The lines of hits in one segment; `first` is the base ordinal of the segment's first game."""
    games, places = columns.games, columns.hits & found_module.PLACE_MASK
    own = games - first
    listed = listing.fens(asked, own << found_module.GAME_SHIFT | places, *counters, variations=variations)
    texts: list[bytes] = []

    def add(values: Sequence[Any]) -> int:
        texts.extend(quoted(value).encode("utf-8", "surrogatepass") for value in values)
        return len(texts) - len(values)

    told: list[Any] = []
    for column, codes_of_hits in _headers(header, own, len(asked)):
        used, codes = arrays.ranked(codes_of_hits)
        told.append(codes + add([column.values[code] or "" for code in used.tolist()]))
    details = columns.details
    assert details is not None
    values = arrays.numbered(details.values)[0] if details.kind is Type.STRING else details.values
    distinct, values = arrays.ranked(values)
    firsts = np.zeros(len(distinct), np.int64)
    firsts[values] = np.arange(len(values))
    values = values + add([details.value(at) for at in firsts.tolist()])
    remarks = _remarks(columns, found, add)
    elements, which = arrays.ranked(columns.codes.astype(np.int64))
    which += len(texts)
    texts += [_match(code, orbits) for code in elements.tolist()]
    pool = row_kernel.Texts.of(texts, listed.text, listed.ends)
    rows = np.arange(len(columns))
    literals = [
        b'{"game":', b',"positionid":', b',"ply":', b',"fen":"', b'","white":', b',"black":', b',"result":',
        b',"date":', b',"squares":[', b'],"orbit":[', b'],"value":', b',"comment":', b"}\n",
    ]  # fmt: skip
    kinds = [row_kernel.NUMBER] * 3 + [row_kernel.TEXT] * 5
    kinds += [row_kernel.SQUARES, row_kernel.MATCHES, row_kernel.TEXT, row_kernel.TEXT]
    data = [
        games, places, listed.plies, rows + len(texts), *told, details.squares.view(np.int64),
        rows, values, remarks,
    ]  # fmt: skip
    matches = row_kernel.Matches(which, np.ascontiguousarray(columns.ends), places)
    for piece in row_kernel.rows(literals, kinds, data, pool, matches):
        yield piece.decode("utf-8", "surrogatepass")


def _headers(header: tags.SegmentTags, own: Any, count: int) -> list[tuple[facts.Coded, Any]]:
    """The tags in `_HEADER`, each with the code of every hit. `own` has the games of the hits, among the
    `count` games of a segment."""
    games, of_hits = arrays.ranked(own)
    if len(games) > _MANY * count:
        # The whole columns are kept for the next hits.
        return [(column, column.codes[own]) for column in map(header.tag, _HEADER)]
    return [(column, column.codes[of_hits]) for column in header.some(games, _HEADER)]


_MANY: Final = 0.1
"""If hits are in more than this share of a segment's games, the tags of the whole segment are read."""


def _match(code: int, orbits: Sequence[hit_model.Orbit]) -> bytes:
    """The beginning of the text of a match; the position follows."""
    orbit, element = code >> orbit_pass.ELEMENT_BITS, code & (1 << orbit_pass.ELEMENT_BITS) - 1
    known = orbits[orbit].elements[element]
    record = {"orbit": orbit, "element": element, "transform": known.transform, "words": known.words}
    return (quoted(record)[:-1] + ',"positionid":').encode("utf-8", "surrogatepass")


def _remarks(columns: found_module.Columns, found: found_module.FoundGames, add: Any) -> Any:
    """For each hit, the number of the text that the query writes at its position
    (`hit_model.GameHits.comment_at`)."""
    details, untold = columns.details, found.untold
    notes = None if details is None else details.notes
    lasts, closing_places, closing = columns.closing()
    if notes is None or not len(notes.texts) + len(closing) or untold is None:
        return np.full(len(columns), add([""]))
    owners = columns.games[np.concatenate([notes.owners, lasts])]
    chosen, names = arrays.numbered([*notes.texts, *closing])
    keys = owners << found_module.GAME_SHIFT | np.concatenate([notes.places, closing_places])
    wanted = np.isin(keys, columns.hits)
    if untold.match_string in names:
        wanted &= chosen != names.index(untold.match_string)
    keys, chosen = keys[wanted], chosen[wanted]
    order = np.lexsort((np.arange(len(keys)), keys))
    keys, chosen = keys[order], chosen[order]
    combined: dict[tuple[int, ...], int] = {(): 0}
    of_keys: list[int] = []
    heads = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else keys
    for begin, end in zip(heads.tolist(), [*heads[1:].tolist(), len(keys)][: len(heads)], strict=True):
        listed = chosen[begin:end].tolist()
        row = tuple(dict.fromkeys(listed) if untold.unique else listed)
        of_keys.append(combined.setdefault(row, len(combined)))
    first = add([" ".join(names[one] for one in row) for row in combined])
    remarks = np.zeros(len(columns), np.int64)
    if len(heads):
        at = np.searchsorted(keys[heads], columns.hits)
        at[at == len(heads)] = 0
        there = keys[heads][at] == columns.hits
        remarks[there] = np.array(of_keys, np.int64)[at[there]]
    return remarks + first


__all__ = ["comments", "lines", "positions", "quoted"]
