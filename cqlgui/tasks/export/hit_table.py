"""The hits of a result as a table with the complete row of each hit. The table comes in blocks of columns,
and no object is made for a hit. `records` has the same rows as objects."""

from __future__ import annotations

import enum
import functools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from cqlgui.base import ahead, arrays, data
from cqlgui.base.data import dataclass, field
from cqlgui.board import squares
from cqlgui.cql.ast.types import Type
from cqlgui.engine.kernels import listing
from cqlgui.engine.passes import orbit_pass
from cqlgui.engine.replaying import games as packed_games
from cqlgui.jit import native
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.databases import sources
from cqlgui.tasks.databases.games import Column
from cqlgui.tasks.results import base_model, hit_model, written
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Integers

HEADERS: Final = (
    "white",
    "black",
    "white_elo",
    "black_elo",
    "result",
    "date",
    "event",
    "site",
    "round",
    "eco",
    "opening",
)
"""The fields that are headers of the game."""
TAGS: Final = "tags"
"""The field with the other tags of the game, as an object of texts. Tables with plain cells have it as JSON
(`games.as_json`)."""
MOVES: Final = ("last", "last_uci", "san", "uci", "next", "next_uci")
"""The fields with moves, as SAN and UCI: the move that led to the position, the move that was played there,
and the moves that followed (`listing`). A text is empty if there is no move."""
FIELDS: Final = (
    "file",
    "game",
    "gamenumber",
    *HEADERS,
    TAGS,
    "ply",
    "positionid",
    "fen",
    *MOVES,
    "element",
    "transform",
    "squares",
    "orbit",
    "value",
    "comment",
)
"""The fields of a hit in CSV, JSON lines and all other tables. `game` is the ordinal of the game in the base
and `gamenumber` its number in the file, both from 1. `element` and `transform` describe the primary match:
the number of the element in its orbit, from 0, and its transform in CQL. They are None without a match.
`orbit` lists all matches, the primary match first: number of the orbit, number of the element, the transform
in CQL and in words, and the position where the element matched. `comment` is what the query writes at the
position."""
PIECE: Final = 16_000
"""Number of hits in a block, about."""
DETAILS: Final = ("squares", "orbit", "value", "comment")
"""The fields for which the query is evaluated again at the hits, unless the search has kept them."""
CODED: Final = (*HEADERS, TAGS, "value", "comment")
"""The fields that `Block.coded` may have. The tags are there as JSON."""


class Rows(enum.Enum):
    """What a row of the table is: a hit; a span, which is a run of hits at consecutive plies with one
    element; or a game with its first hit."""

    HITS = "hits"
    SPANS = "spans"
    GAMES = "games"

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of a row. A span also has the ply of its last hit (`until`) and the number of its plies
        (`plies`). A game also has the number of its hits (`hits`)."""
        return FIELDS + {Rows.HITS: (), Rows.SPANS: ("until", "plies"), Rows.GAMES: ("hits",)}[self]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The rows of some hits of one file. `columns` has the hits themselves and their details. `coded` has
    columns by field: those of `CODED` that `blocks` was asked for. `listed` has FENs and moves."""

    source: base_model.Source
    columns: found_module.Columns
    coded: dict[str, Column]
    listed: listing.Listed
    orbits: Sequence[hit_model.Orbit]
    rows: Integers
    """For each hit the number of its texts in `listed`."""
    plies: Integers
    games: Integers
    """The games of a group of blocks that has this block, ascending. The blocks of the group have the same
    array."""
    more: dict[str, Integers] = field(default_factory=dict)
    """The fields that rows have besides `FIELDS`."""

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def file(self) -> str:
        """The path of the file."""
        return str(self.source.path)

    @property
    def first(self) -> int:
        """The base ordinal of the file's first game."""
        return self.source.first

    def spot(self, game: int, place: int) -> dict[str, Any]:
        """The fields that say where the hit at a positionid of a game is."""
        return {"file": self.file, "game": game, "gamenumber": game - self.first + 1, "positionid": place}

    @property
    def places(self) -> Integers:
        """The positionid of each hit."""
        return self.columns.hits & found_module.PLACE_MASK

    @property
    def ringed(self) -> Integers:
        """The squares to ring at each hit, as bitboards."""
        details = self.columns.details
        assert details is not None
        return details.squares.view(np.int64)

    def grouped(self, rows: Rows) -> Block:
        """The block with one row for each group of hits. Each row has the first hit of its group."""
        if rows is Rows.HITS:
            return self
        games, places, plies = self.columns.games, self.places, self.plies
        heads = np.ones(len(self), np.bool_)
        heads[1:] = games[1:] != games[:-1]
        if rows is Rows.SPANS:
            primary = self.columns.primary()
            # Positionids are given in preorder, so the next positionid at the next ply is a child.
            heads[1:] |= np.diff(places) != 1
            heads[1:] |= np.diff(plies) != 1
            heads[1:] |= primary[1:] != primary[:-1]
        firsts = np.flatnonzero(heads)
        sizes = np.diff(firsts, append=len(self))
        more = {"hits": sizes}
        if rows is Rows.SPANS:
            more = {"until": plies[firsts + sizes - 1], "plies": sizes}
        coded = {name: Column(column.codes[firsts], column.values) for name, column in self.coded.items()}
        return data.replace(
            self,
            columns=self.columns.take(firsts),
            coded=coded,
            rows=self.rows[firsts],
            plies=plies[firsts],
            more=more,
        )

    def records(self) -> Iterator[dict[str, Any]]:
        """The rows as objects, with the fields `FIELDS` and those in `more`."""
        columns = self.columns
        coded = {
            name: [column.values[code] for code in column.codes.tolist()]
            for name, column in self.coded.items()
        }
        known_tags = {text: games_module.other_tags(text) for text in self.coded[TAGS].values}
        headers = zip(*(coded[name] for name in HEADERS), strict=True)
        texts = self.listed.texts()
        names = {area: squares_of(area) for area in arrays.distinct(self.ringed).tolist()}
        codes = columns.codes.tolist()
        known = {code: match(code, self.orbits) for code in set(codes)}
        more = [
            dict(zip(self.more, row, strict=True))
            for row in zip(*(column.tolist() for column in self.more.values()), strict=True)
        ]
        begin = 0
        for number, (row, game, place, ply, area, end, header, tags, value, comment) in enumerate(
            zip(
                self.rows.tolist(),
                columns.games.tolist(),
                self.places.tolist(),
                self.plies.tolist(),
                self.ringed.tolist(),
                columns.ends.tolist(),
                headers,
                coded[TAGS],
                coded["value"],
                coded["comment"],
                strict=True,
            )
        ):
            orbit = [{**known[code], "positionid": place} for code in codes[begin:end]]
            begin = end
            fen, *moves = texts[row]
            made = record(
                self.file,
                self.first,
                game,
                header,
                dict(known_tags[tags]),
                ply,
                place,
                fen,
                moves,
                names[area],
                orbit,
                value,
                comment,
            )
            yield made | more[number] if more else made


def record(
    file: str,
    first: int,
    game: int,
    headers: Sequence[Any],
    tags: dict[str, str],
    ply: int,
    place: int,
    fen: str,
    moves: Sequence[str],
    ringed: list[str],
    orbit: list[dict[str, Any]],
    value: str | None,
    comment: str,
) -> dict[str, Any]:
    """The row of a hit (`FIELDS`). `headers` and `moves` are in the order of `HEADERS` and `MOVES`."""
    primary = orbit[0] if orbit else None
    made: dict[str, Any] = {"file": file, "game": game, "gamenumber": game - first + 1}
    made.update(zip(HEADERS, headers, strict=True))
    made |= {TAGS: tags, "ply": ply, "positionid": place, "fen": fen}
    made.update(zip(MOVES, moves, strict=True))
    made["element"] = None if primary is None else primary["element"]
    made["transform"] = None if primary is None else primary["transform"]
    made |= {"squares": ringed, "orbit": orbit, "value": value, "comment": comment}
    return made


def grouped(records: Iterable[dict[str, Any]], rows: Rows) -> Iterator[dict[str, Any]]:
    """Records of hits with one record for each group, as `Block.grouped`. The hits of a game must be
    consecutive."""
    if rows is Rows.HITS:
        yield from records
        return
    group: list[dict[str, Any]] = []
    for one in records:
        if group and not _goes_on(group[-1], one, rows):
            yield _of_group(group, rows)
            group = []
        group.append(one)
    if group:
        yield _of_group(group, rows)


def _goes_on(before: dict[str, Any], one: dict[str, Any], rows: Rows) -> bool:
    """Whether a record belongs to the same group as the record before."""
    if before["game"] != one["game"] or rows is Rows.GAMES:
        return bool(before["game"] == one["game"])
    follows = all(before[name] + 1 == one[name] for name in ("positionid", "ply"))
    return follows and _element(before) == _element(one)


def _element(one: dict[str, Any]) -> tuple[int, int] | None:
    """The orbit and the element of a record's primary match."""
    return (one["orbit"][0]["orbit"], one["orbit"][0]["element"]) if one["orbit"] else None


def _of_group(group: Sequence[dict[str, Any]], rows: Rows) -> dict[str, Any]:
    if rows is Rows.GAMES:
        return group[0] | {"hits": len(group)}
    return group[0] | {"until": group[-1]["ply"], "plies": len(group)}


def squares_of(area: int) -> list[str]:
    """The names of the squares of a bitboard."""
    return [squares.square_name(square) for square in squares.bits(area & (1 << 64) - 1)]


def match(code: int, orbits: Sequence[hit_model.Orbit]) -> dict[str, Any]:
    """A match as an entry of the field `orbit`, without the position."""
    orbit, element = code >> orbit_pass.ELEMENT_BITS, code & (1 << orbit_pass.ELEMENT_BITS) - 1
    known = orbits[orbit].elements[element]
    return {"orbit": orbit, "element": element, "transform": known.transform, "words": known.words}


def parts(found: found_module.FoundGames, games: Sequence[int]) -> Iterator[tuple[list[int], bool]]:
    """The games in parts, in their order. With each part comes whether `blocks` can make its rows. The other
    games have details that only objects can hold."""
    order = np.fromiter(games, np.int64, len(games))
    plain = np.zeros(len(order), np.bool_)
    if found.columns.details is not None and native.available():
        plain = ~np.isin(order, np.fromiter(found.told, np.int64, len(found.told)))
    for begin, end, is_plain in arrays.runs(plain):
        yield order[begin:end].tolist(), is_plain


def blocks(
    base: base_model.Base,
    found: found_module.FoundGames,
    games: Sequence[int],
    orbits: Sequence[hit_model.Orbit],
    *,
    variations: bool,
    coded: Collection[str] = CODED,
) -> Iterator[Block]:
    """The hits of some games, in the order of `games`. `Block.coded` gets the fields of `CODED` that are in
    `coded`, because each of them takes time. `parts` says for which games this is possible. Without the
    fields of `DETAILS` it is possible for all games."""
    headers = [name for name in (*HEADERS, TAGS) if name in coded]
    order = np.array(games, np.int64)
    at = 0
    while at < len(order):
        source, _ = sources.of_game(base, games[at])
        until = at + _first_outside(order[at : at + PIECE], source.first, source.first + source.games)
        together = np.sort(order[at:until])
        while at < until:
            for some, begin, (asked, counters) in _stretches(source, order[at:until]):
                columns = found.columns_of(some)
                for part in columns.stretches(PIECE):
                    places = part.hits & found_module.PLACE_MASK
                    numbered = part.games - begin << found_module.GAME_SHIFT | places
                    list_all = functools.partial(
                        listing.positions, asked, numbered, *counters, variations=variations
                    )
                    # Machine code lists the positions while Python does the rest, if there is much.
                    much = headers or (part.details is not None and not part.details.silent)
                    coming = ahead.Ahead(list_all) if much else None
                    made = _headers(source, part.games - source.first, headers)
                    if "value" in coded:
                        made["value"] = values(part)
                    if "comment" in coded:
                        made["comment"] = comments(part, found)
                    rows, listed = np.arange(len(part)), list_all() if coming is None else coming.result()
                    yield Block(source, part, made, listed, orbits, rows, listed.plies, together)
                at += len(some)


_Segment: TypeAlias = tuple[packed_games.Games, tuple[Integers, Integers]]
"""The games of a segment, and the `counters` of those that are asked for."""


def _stretches(source: base_model.Source, games: Integers) -> list[tuple[Integers, int, _Segment]]:
    """The first of some games of a source, in stretches of games of one segment: the games, the first game of
    the segment, the games of the segment, and their `counters`. The index is closed again before the caller
    goes on."""
    made = []
    known: dict[int, _Segment] = {}
    at = 0
    with sources.indexed(source) as opened:
        while at < len(games):
            first, segment = opened.part_of(int(games[at]) - source.first)
            begin = source.first + first
            if first not in known:
                if len(known) == _SEGMENTS:
                    break
                inside = games[(games >= begin) & (games < begin + segment.games)] - begin
                known[first] = packed_games.of_segment(segment), packed_games.counters(segment, inside)
            some = games[at : at + _first_outside(games[at:], begin, begin + segment.games)]
            made.append((some, begin, known[first]))
            at += len(some)
    return made


def _first_outside(games: Integers, begin: int, end: int) -> int:
    """The place of the first game that is not among `begin` to `end` - 1, or the number of games."""
    # Ascending games are looked at in growing steps, so that a short run in a long list takes little time.
    at, step = 0, _STEP
    while at < len(games):
        some = games[at : at + step]
        outside = (some < begin) | (some >= end)
        if outside.any():
            return at + int(outside.argmax())
        at, step = at + step, 2 * step
    return len(games)


_STEP: Final = 16
"""Number of games that are looked at first."""
_SEGMENTS: Final = 8
"""So many segments are read at once. Opening the index for each of them would take longer, and more of them
would take more memory."""


def _headers(source: base_model.Source, ordinals: Integers, names: Sequence[str]) -> dict[str, Column]:
    """Some of the headers of the games of some hits."""
    if not names:
        return {}
    games, of_hits = arrays.ranked(ordinals)
    known = games_module.columns(source, games, tags=TAGS in names)
    return {name: Column(known[name].codes[of_hits], known[name].values) for name in names}


def values(columns: found_module.Columns) -> Column:
    """The values of some hits as texts; None for a hit without a value."""
    details = columns.details
    assert details is not None
    values = arrays.numbered(details.values)[0] if details.kind is Type.STRING else details.values
    distinct, codes = arrays.ranked(values)
    firsts = np.zeros(len(distinct), np.int64)
    firsts[codes] = np.arange(len(codes))
    return Column(codes, [details.value(at) for at in firsts.tolist()])


def comments(columns: found_module.Columns, found: found_module.FoundGames) -> Column:
    """The text that the query writes at each hit (`hit_model.GameHits.comment_at`), for games that are not in
    `FoundGames.told`."""
    codes = np.zeros(len(columns), np.int64)
    if found.untold is None or (columns.details is not None and columns.details.silent):
        return Column(codes, [""])
    said = written.of(columns, found.untold, ours=False)
    if not said.names:
        return Column(codes, [""])
    keys = found_module.each_game(columns.hits)[said.rows] << found_module.GAME_SHIFT | said.places
    # Nearly all results are in the order of the games. Looking is faster than sorting.
    ordered = columns.hits if arrays.is_ascending(columns.hits) else np.sort(columns.hits)
    wanted = ordered[np.minimum(arrays.placed(ordered, keys), len(ordered) - 1)] == keys
    keys, chosen = keys[wanted], said.texts[wanted]
    order = np.argsort(keys, kind="stable")
    keys, chosen = keys[order], chosen[order]
    heads = np.flatnonzero(np.diff(keys, prepend=-1))
    combined, of_keys = _combined(chosen, heads)
    if len(heads):
        at = arrays.placed(keys[heads], columns.hits)
        at[at == len(heads)] = 0
        there = keys[heads][at] == columns.hits
        codes[there] = of_keys[at[there]]
    names = said.names
    texts = [names[row[0]] if len(row) == 1 else " ".join([names[one] for one in row]) for row in combined]
    return Column(codes, texts)


def _combined(chosen: Integers, heads: Integers) -> tuple[list[tuple[int, ...]], Integers]:
    """Rows of numbers, and for each range of `chosen` the index of the row that is equal to it. A range
    begins at each index in `heads`. The first row is empty. Some rows may belong to no range."""
    rows: list[tuple[int, ...]] = [()]
    sizes = np.diff(heads, append=len(chosen))
    codes = np.zeros(len(heads), np.int64)
    span = int(chosen.max(initial=0)) + 1
    for place in range(int(sizes.max(initial=0))):
        longer = np.flatnonzero(sizes > place)
        distinct, ranks = arrays.ranked(codes[longer] * span + chosen[heads[longer] + place])
        codes[longer] = len(rows) + ranks
        rows += [(*rows[one // span], one % span) for one in distinct.tolist()]
    return rows, codes
