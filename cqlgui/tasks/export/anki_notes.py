"""Writes hits as notes for Anki: on the front a diagram and who is to move, on the back the moves.

The file is a text file with the headers that Anki reads (manual of Anki, "Text Files", "File Headers"): it
names its separator, its columns and the column of tags, and its fields are HTML.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import Any, Final

from cqlgui.base.patterns import pattern
from cqlgui.tasks.export import captions

HEAD: Final = "#separator:tab\n#html:true\n#notetype:Basic\n#columns:Front\tBack\tTags\n#tags column:3\n"
_GLYPHS: Final = dict(zip("kqrbnp", "♚♛♜♝♞♟", strict=True))
_AS_TEXT: Final = "\ufe0e"
"""Asks for the plain form of the sign before it. Some fonts have a coloured form of the pawn."""
_NO_TAG: Final = pattern(r"[^\w:<>.-]+")
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


def lines(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The lines of the file. Anki tells notes apart by their fronts, so each front names the game and the
    position."""
    yield HEAD
    for record in records:
        yield "\t".join([_front(record), _back(record), " ".join(_tags(record))]) + "\n"


def _front(record: dict[str, Any]) -> str:
    caption = ", ".join(text for text in (captions.players(record), captions.year(record)) if text)
    return (
        f"{_diagram(record['fen'])}<div><b>{captions.to_move(record)}</b></div>"
        f"<div>{html.escape(caption)}</div>"
        f"<div><small>{html.escape(record['fen'])}<br>{captions.spot(record)}</small></div>"
    )


def _back(record: dict[str, Any]) -> str:
    told = [
        captions.solution(record) or "The game ended here.",
        captions.place(record),
        captions.opening(record),
        captions.image(record),
        captions.said(record),
    ]
    first, *others = [html.escape(captions.plain(text)) for text in told if text]
    return f"<div><b>{first}</b></div>" + "".join(f"<div>{text}</div>" for text in others)


def _tags(record: dict[str, Any]) -> Iterator[str]:
    """Tags have no blanks, because a blank separates them. Two colons make a tag a part of another one."""
    yield "chess"
    parts = {"eco": record["eco"], "year": captions.year(record), "image": captions.image(record)}
    for name, text in parts.items():
        tag = _NO_TAG.sub("_", captions.plain(text)).strip("_:")
        if tag and tag != "?":
            yield f"chess::{name}::{tag.replace(':', '_')}"


def _diagram(fen: str) -> str:
    """A drawing of the board. The men are signs of the font, so that a card stays short."""
    signs = []
    for column, row, letter in captions.men(fen):
        colours = 'fill="#fff" stroke="#000"' if letter.isupper() else 'fill="#000" stroke="#000"'
        sign = _GLYPHS[letter.lower()] + _AS_TEXT
        signs.append(f'<text x="{_SIDE * column + 20}" y="{_SIDE * row + 33}" {colours}>{sign}</text>')
    return (
        '<svg viewBox="0 0 320 320" width="320" xmlns="http://www.w3.org/2000/svg">'
        f'{_BOARD}<g font-size="36" text-anchor="middle">{"".join(signs)}</g></svg>'
    )
