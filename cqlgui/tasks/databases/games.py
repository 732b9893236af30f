"""Browses a base: lists its games in an order, gets headers of games, and loads a whole game."""

from __future__ import annotations

import itertools
import json
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays, errors, folding
from cqlgui.base.data import dataclass
from cqlgui.board import tree
from cqlgui.db import catalog, game_filter, headers, openings
from cqlgui.tasks.databases import sources, workspace
from cqlgui.tasks.processes import frames
from cqlgui.tasks.processes import pool as pool_module
from cqlgui.tasks.results import base_model

_LONG_TEXT = 1 << 15
SORTS = (
    "game",
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
    "plies",
)


def ids(
    base: base_model.Base, *, sort: str | None = None, descending: bool = False, text: str = ""
) -> array[int]:
    """Ordinals of the games in the requested order. With `text`, only games that fit every term of `text` are
    returned (see `Catalog.ids`)."""
    key = None if sort == "game" else sort
    if key is None and not text.strip():
        numbers = np.arange(1, base.games + 1, dtype=np.int64)
        found = array("q")
        found.frombytes((numbers[::-1] if descending else numbers).tobytes())
        return found
    pairs = [(source.id, source.first) for source in base.sources if source.games]
    found = workspace.catalog().ids(pairs, sort=key, descending=descending, text=text)
    if not base.complete:
        # The import may still be adding games to the catalog. Leave out rows of games that `base` does not
        # have yet.
        limits = {source.first: source.first + source.games for source in base.sources}
        found = array("q", (n for n in found if any(first <= n < end for first, end in limits.items())))
    return _in_files(base, found, text)


def _in_files(base: base_model.Base, games: array[int], text: str) -> array[int]:
    """The games that fit the terms of a filter line on files. `games` fit all other terms."""
    kept = np.ones(len(base.sources), np.bool_)
    for term in game_filter.parse(text):
        if isinstance(term.condition, game_filter.Files):
            wanted = folding.fold(term.condition.text)
            names = [source.path.name for source in base.sources]
            having = np.array([wanted in folding.fold(name) for name in names], np.bool_)
            if names and not having.any():
                raise game_filter.FilterError(game_filter.unknown(term.condition, _like(wanted, names)))
            kept &= having != term.negated
    if kept.all():
        return games
    numbers = np.array(games, np.int64)
    # Sources without games share their first game with the next source.
    firsts = np.array([source.first for source in base.sources])
    found: array[int] = array("q")
    found.frombytes(numbers[kept[np.searchsorted(firsts, numbers, side="right") - 1]].tobytes())
    return found


def _like(text: str, names: Sequence[str]) -> str:
    """The name that is most like a text; empty if none is alike. A name may be meant without its ending."""
    # Searches import this module, and only a few filters come here.
    import difflib

    known = {folding.fold(form): name for name in names for form in (name, name.partition(".")[0])}
    near = difflib.get_close_matches(text, known, 1)
    return known[near[0]] if near else ""


def fitting(base: base_model.Base, text: str) -> np.ndarray:
    """Ordinals of the games that fit every term of `text`, ascending (`db.game_filter` has the grammar).
    Raises `game_filter.FilterError` if `text` cannot be understood, or asks for a text that no game has."""
    return np.sort(np.array(ids(base, text=text), np.int64))


def names(base: base_model.Base, field: str, text: str, most: int = 20) -> list[str]:
    """Texts of a field of the filter line (`game_filter.TEXTS`) that contain `text`, those of the most games
    first. Empty for an unknown field. For the field of files, these are names of files."""
    if field.lower() == game_filter.FILE:
        listed = sorted(base.sources, key=lambda source: -source.games)
        names = dict.fromkeys(source.path.name for source in listed)
        return [name for name in names if folding.fold(text) in folding.fold(name)][:most]
    wanted = game_filter.TEXTS.get(field.lower())
    if wanted is None:
        return []
    return workspace.catalog().names(
        [source.id for source in base.sources if source.games], wanted, text, most
    )


def ranks(base: base_model.Base, sort: str) -> np.ndarray:
    """For each game of the base the rank of a header in sort order; games with equal headers share a rank.
    The index is the ordinal of the game. `sort` is one of `SORTS` other than `game`. An unknown
    header has the largest number of its type as rank, and so comes last."""
    found = [np.full(1, _UNKNOWN)]
    pairs = [source.id for source in base.sources if source.games]
    keys = workspace.catalog().sort_keys(pairs, sort)
    for source, listed in zip((one for one in base.sources if one.games), keys, strict=True):
        column = np.full(source.games, _UNKNOWN)
        # The import may still be adding games to the catalog.
        column[: len(listed)] = listed[: source.games]
        found.append(np.where(column == 0, _UNKNOWN, column) if sort != "plies" else column)
    return np.concatenate(found)


_UNKNOWN: Final = np.iinfo(np.int64).max


def rows(base: base_model.Base, ordinals: Sequence[int]) -> list[base_model.GameRow]:
    """Headers of some games, in the order of `ordinals`; games that do not exist are left out."""
    by_game: dict[int, base_model.GameRow] = {}
    for source in base.sources:
        end = source.first + source.games
        wanted = {game - source.first for game in ordinals if source.first <= game < end}
        if wanted:
            for ordinal, header in sources.headers(source).headers(source.id, sorted(wanted)).items():
                by_game[source.first + ordinal] = _row(source.first + ordinal, header)
    return [by_game[game] for game in ordinals if game in by_game]


def load(
    base: base_model.Base, ordinal: int, *, pool: pool_module.Pool | None = None
) -> base_model.LoadedGame:
    """One game for the board, read from the text of the game; `ordinal` is the game's number in the base,
    from 1. A worker process reads a long text, so that the window's thread need not wait for the interpreter
    lock.

    Raises `CqlguiError` for a number out of range and `errors.SourceError` if the file can no longer be read.
    """
    source, place = sources.of_game(base, ordinal)
    with sources.opened(source) as opened:
        length = opened.index.span(place).length
        problems = tuple(
            base_model.BadGame(source.first + number, source.path, at, on, reason)
            for number, at, on, reason in opened.index.problems()
            if number == place
        )
        played = tree.GameTree.decode(opened.index.start_fen(place), opened.index.moves(place))
        raw = opened.raw(place)
        note = ""
        if len(raw) < length:
            note = f"Only the beginning of this game is shown: its text is {length >> 20} MB long."
        if length > _LONG_TEXT:
            reply = (pool or pool_module.shared()).ask(
                {"op": "load", **sources.words(source), "games": [place]}
            )
            read = _Texts.received(reply)
        else:
            found_game = opened.read(place)
            read = _Texts(
                found_game.tags, found_game.comments, found_game.before, found_game.nags, found_game.playable
            )
        known = len(played)
        found = rows(base, [ordinal])
        row = (
            found[0]
            if found
            else _row(ordinal, headers.from_tags(read.tags, played.mainline_length - 1, bool(problems)))
        )
        if not note and not read.playable:
            note = "This game cannot be played by the normal rules; its text is shown as it stands."
        return base_model.LoadedGame(
            game=ordinal,
            row=row,
            tags=read.tags,
            tree=played,
            comments={at: text for at, text in read.comments.items() if at < known},
            before={at: text for at, text in read.before.items() if at < known},
            nags={at: glyphs for at, glyphs in read.nags.items() if at < known},
            problems=problems,
            raw=raw,
            playable=read.playable,
            note=note,
        )


@dataclass(frozen=True, slots=True)
class _Texts:
    """The parts of a game that are not in the index; texts and glyphs by positionid."""

    tags: tuple[tuple[str, str], ...]
    comments: dict[int, str]
    before: dict[int, str]
    nags: dict[int, tuple[int, ...]]
    playable: bool

    @classmethod
    def received(cls, reply: frames.Envelope) -> _Texts:
        """Decode a worker's reply."""
        return cls(
            tags=tuple((name, value) for name, value in reply["tags"]),
            comments=dict(reply["comments"]),
            before=dict(reply["before"]),
            nags={at: tuple(glyphs) for at, glyphs in reply["nags"]},
            playable=reply["playable"],
        )


def text(base: base_model.Base, ordinal: int) -> bytes:
    """The bytes of a game in its source."""
    source, place = sources.of_game(base, ordinal)
    with sources.opened(source) as opened:
        return opened.raw(place)


def _row(game: int, header: headers.Header) -> base_model.GameRow:
    return base_model.GameRow(
        game=game,
        white=header.white or "",
        black=header.black or "",
        white_elo=header.white_elo,
        black_elo=header.black_elo,
        result=header.result or "",
        date=header.date or "",
        event=header.event or "",
        site=header.site or "",
        round=header.round or "",
        eco=header.eco or "",
        plies=header.plies,
        bad=bool(header.bad),
        opening=openings.of_tags(header.eco or "", header.more),
        more=header.more,
    )


def columns(source: base_model.Source, ordinals: np.ndarray, *, tags: bool = False) -> dict[str, Column]:
    """The headers of some games of a source as columns, named like the fields of `GameRow`. `ordinals` are
    the places of the games in the source, ascending. With `tags`, a column of this name has the other tags
    (`as_json`). Raises `errors.SourceError` if the catalog lacks a game, or if it has other games now."""
    sources.rows(source)
    known, table = sources.headers(source).table(source.id, ordinals)
    _insist(source, known, ordinals)
    found = {
        name: Column(coded.places.astype(np.int64), [text or "" for text in coded.texts])
        for name, coded in table.texts.items()
    }
    for name in ("white_elo", "black_elo"):
        numbers, places = arrays.ranked(table.numbers[name].astype(np.int64))
        found[name] = Column(places, [number or None for number in numbers.tolist()])
    found["opening"] = _opening_column(found["eco"], table)
    if tags:
        # Many games have the same other tags, often none.
        codes, known_texts = arrays.numbered(_more(table))
        found["tags"] = Column(codes, [as_json(other_tags(one.decode("utf-8"))) for one in known_texts])
    return found


def numbered(source: base_model.Source, known: catalog.Catalog, ordinals: np.ndarray) -> catalog.Numbered:
    """The headers of some games of a source, with the numbers of their texts in the catalog `known`.
    `ordinals` are the places of the games in the source, ascending. Raises `errors.SourceError` if the
    catalog lacks a game, or if it has other games now."""
    sources.rows(source, known)
    found = known.numbered(source.id, ordinals)
    _insist(source, found.games, ordinals)
    return found


def _insist(source: base_model.Source, known: np.ndarray, ordinals: np.ndarray) -> None:
    """Raise an error if the catalog does not know all games, or if the games are those of another text."""
    sources.insist(source)
    if len(known) < len(ordinals):
        raise errors.SourceError(
            f"Headers of {source.path.name} are missing in the catalog. Open the file again."
        )


def other_tags(more: str) -> dict[str, str]:
    """The tags of a game that have no column of their own, from their JSON text, which may be empty."""
    found: dict[str, str] = json.loads(more) if more else {}
    return found


def as_json(value: Any) -> str:
    """A value as JSON without blanks between the parts."""
    return _PLAIN.encode(value)


def encoded(text: str) -> bytes:
    """A text in UTF-8. A lone surrogate, which UTF-8 lacks, is written as an escape of JSON."""
    return text.encode("utf-8", "backslashreplace")


# `json.dumps` would make an encoder for each value.
_PLAIN: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def _opening_column(eco: Column, table: headers.Table) -> Column:
    """The names of the openings of some games. `eco` has the codes of these games."""
    if b'"Opening"' not in table.more:
        return Column(eco.codes, [openings.name(code) for code in eco.values])
    codes = (eco.values[code] for code in eco.codes.tolist())
    texts = (more.decode("utf-8") for more in _more(table))
    return Column(*arrays.numbered(map(openings.of_tags, codes, texts)))


def _more(table: headers.Table) -> Iterator[bytes]:
    """The JSON text of each game's other tags, in UTF-8."""
    ends = itertools.pairwise([0, *table.more_ends.tolist()])
    return (table.more[begin:end] for begin, end in ends)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. Row n has the value `values[codes[n]]`."""

    codes: np.ndarray
    values: Sequence[Any]
