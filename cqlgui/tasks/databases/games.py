"""Browses a base: lists its games in an order, gets headers of games, and loads a whole game."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from cqlgui.base.data import dataclass
from cqlgui.board import tree
from cqlgui.db import headers
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
    "plies",
)


def ids(
    base: base_model.Base, *, sort: str | None = None, descending: bool = False, text: str = ""
) -> array[int]:
    """Ordinals of the games in the requested order. With `text`, only games that fit every term of `text` are
    returned (see `Catalog.ids`)."""
    key = None if sort == "game" else sort
    if key is None and not text.strip():
        numbers = range(1, base.games + 1)
        return array("q", reversed(numbers) if descending else numbers)
    pairs = [(source.id, source.first) for source in base.sources if source.games]
    found = workspace.catalog().ids(pairs, sort=key, descending=descending, text=text)
    if not base.complete:
        # The import may still be adding games to the catalog. Leave out rows of games that `base` does not
        # have yet.
        limits = {source.first: source.first + source.games for source in base.sources}
        found = array("q", (n for n in found if any(first <= n < end for first, end in limits.items())))
    return found


def rows(base: base_model.Base, ordinals: Sequence[int]) -> list[base_model.GameRow]:
    """Headers of some games, in the order of `ordinals`; games that do not exist are left out."""
    by_game: dict[int, base_model.GameRow] = {}
    for source in base.sources:
        end = source.first + source.games
        wanted = {game - source.first for game in ordinals if source.first <= game < end}
        if wanted:
            for ordinal, header in workspace.catalog().headers(source.id, sorted(wanted)).items():
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
    )
