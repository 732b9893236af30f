"""Writes hits as notes for Anki: on the front a diagram and who is to move, on the back the moves.

The file is a text file with the headers that Anki reads (manual of Anki, "Text Files", "File Headers"): it
names its separator, its columns and the column of tags, and its fields are HTML.
"""

from __future__ import annotations

import functools
import html
import itertools
from collections.abc import Iterable, Iterator
from typing import Any, Final

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.export.formats import by_column, captions

HEAD: Final = "#separator:tab\n#html:true\n#notetype:Basic\n#columns:Front\tBack\tTags\n#tags column:3\n"
_GLYPHS: Final = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))
_AS_TEXT: Final = "\ufe0e"
"""Asks for the plain form of the sign before it. Some fonts have a coloured form of the pawn."""
_NO_TAG: Final = pattern(r"[^\w:<>.-]+")
_PIECE: Final = 500
"""Number of notes that are written at once. A note has a few thousand characters."""
_SIDE: Final = 40
"""The side of a square. Browsers draw very small letters badly, so a square is not the unit of length."""
_BOARD: Final = (
    '<rect width="320" height="320" fill="#f0e4cf"/><path fill="#b58b63" d="'
    + "".join(
        f"M{_SIDE * column} {_SIDE * row}h{_SIDE}v{_SIDE}h-{_SIDE}z"
        for row in range(8)
        for column in range(8)
        if (row + column) % 2
    )
    + '"/>'
)


def lines(tables: Iterable[records.Table]) -> Iterator[str]:
    """The lines of the file, some at a time. Anki tells notes apart by their fronts, so each front names the
    game and the position."""
    yield HEAD
    for table in tables:
        notes = _of_records(table) if isinstance(table, list) else _of_block(table)
        while piece := "".join(itertools.islice(notes, _PIECE)):
            yield piece


@dataclass(frozen=True, slots=True)
class _Game:
    """What all notes of a game have: the caption of the front, the lines of the back, and the tags."""

    caption: str
    back: str
    tags: str

    @classmethod
    def of(cls, record: dict[str, Any]) -> _Game:
        """The game of a row, or of the headers of a row."""
        caption = ", ".join(text for text in (captions.players(record), captions.year(record)) if text)
        told = captions.place(record), captions.ratings(record), captions.opening(record)
        back = "".join(map(_told, told)) + _small(captions.tags(record))
        tags = "chess" + _tag("eco", record["eco"]) + _tag("year", captions.year(record))
        return cls(html.escape(caption), back, tags)


def _of_records(listed: Iterable[dict[str, Any]]) -> Iterator[str]:
    for record in listed:
        image, judged = captions.image(record), captions.judged(record)
        told = image, captions.said(record), captions.run(record), judged
        back = "".join(map(_told, told)) + _small(captions.element(record))
        yield _note(record, _Game.of(record), back, _tag("image", image))


def _of_block(block: hit_table.Block) -> Iterator[str]:
    rows = by_column.rows(
        block,
        _Game.of,
        lambda record: (
            _told(captions.image(record)),
            _tag("image", captions.image(record)),
            _small(captions.element(record)),
        ),
        lambda record: _told(captions.said(record)),
    )
    for (texts, number, place, game, (image, tag, element), said), ply, run in zip(
        rows, block.plies.tolist(), by_column.runs(block), strict=True
    ):
        record = {"fen": texts[0], "ply": ply, **block.spot(number, place)}
        record.update(zip(hit_table.MOVES, texts[1:], strict=True))
        yield _note(record, game, image + said + _told(run) + element, tag)


def _note(record: dict[str, Any], game: _Game, back: str, tag: str) -> str:
    """The line of a note. `record` needs the position, its ply and the moves alone."""
    fen = record["fen"]
    solution = html.escape(captions.solution(record)) or "The game ended here."
    moves = captions.coordinates(record["last"], record["last_uci"], record["next_uci"])
    course = _small(", ".join(filter(None, (f"ply {record['ply']}", moves))))
    return (
        f"{_diagram(fen)}<div><b>{captions.to_move(record)}</b></div><div>{game.caption}</div>"
        f"<div><small>{html.escape(fen)}<br>{html.escape(captions.spot(record))}</small></div>"
        f"\t<div><b>{solution}</b></div>{game.back}{back}{course}\t{game.tags}{tag}\n"
    )


@functools.lru_cache(1 << 10)
def _told(text: str) -> str:
    """A line of the back; empty for an empty text."""
    return f"<div>{html.escape(captions.plain(text))}</div>" if text else ""


def _small(text: str) -> str:
    """A line of the back in small letters; empty for an empty text."""
    return f"<div><small>{html.escape(text)}</small></div>" if text else ""


@functools.lru_cache(1 << 10)
def _tag(name: str, text: str) -> str:
    """A tag after a blank; empty if the text says nothing. Tags have no blanks, because a blank separates
    them. Two colons make a tag a part of another one."""
    tag = _NO_TAG.sub("_", captions.plain(text)).strip("_:")
    return f" chess::{name}::{tag.replace(':', '_')}" if tag and tag != "?" else ""


def _diagram(fen: str) -> str:
    """A drawing of the board. The men are signs of the font, so that a card stays short."""
    signs = "".join(_rank(row, rank) for row, rank in enumerate(fen.partition(" ")[0].split("/")))
    return (
        '<svg viewBox="0 0 320 320" width="320" xmlns="http://www.w3.org/2000/svg">'
        f'{_BOARD}<g font-size="36" text-anchor="middle">{signs}</g></svg>'
    )


@functools.lru_cache(1 << 16)
def _rank(row: int, rank: str) -> str:
    """The men of a rank. Many positions have equal ranks."""
    signs = []
    for column, _, letter in captions.men(rank):
        colours = 'fill="#fff" stroke="#000"' if letter.isupper() else 'fill="#000" stroke="#000"'
        sign = _GLYPHS[letter.lower()] + _AS_TEXT
        signs.append(f'<text x="{_SIDE * column + 20}" y="{_SIDE * row + 33}" {colours}>{sign}</text>')
    return "".join(signs)
