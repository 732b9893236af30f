"""A game's tags as one row of the catalog, and back, without loss.

The columns people sort by are split off; a tag whose text they cannot give back exactly (a rating like
`2450?`, any tag outside the columns, a repeated one) stays in the JSON text of the row.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

COLUMNS = {
    "White": "white",
    "Black": "black",
    "Result": "result",
    "Date": "date",
    "Event": "event",
    "Site": "site",
    "Round": "round",
    "ECO": "eco",
}
RATINGS = {"WhiteElo": "white_elo", "BlackElo": "black_elo"}


class Header(NamedTuple):
    """One game's row. None means that the game lacks the tag; `more` is the JSON text of the other tags ("" =
    none). `ending` is the result at the end of the text where the tag says something else, or nothing.
    """

    white: str | None
    black: str | None
    white_elo: int | None
    black_elo: int | None
    result: str | None
    date: str | None
    event: str | None
    site: str | None
    round: str | None
    eco: str | None
    plies: int
    bad: bool
    more: str
    ending: str | None = None


def from_columns(columns: Sequence[Iterable[Any]]) -> list[Header]:
    """Rows whose fields are given column by column, in the order of `Header`'s."""
    assert len(columns) == len(Header._fields)
    return list(map(_row, zip(*columns, strict=False)))


# Without the checks of `Header._make`, which would cost more than all the rest of a row.
_row: Callable[[tuple[Any, ...]], Header] = functools.partial(tuple.__new__, Header)


def from_tags(tags: Iterable[tuple[str, str]], plies: int, bad: bool, ending: str = "") -> Header:
    """The row of a game; of a tag that stands twice the first text counts. `ending` is the result at the end
    of its text ("" = none).
    """
    texts: dict[str, str] = {}
    for name, text in tags:
        texts.setdefault(name, text)
    columns = {column: texts.pop(name, None) for name, column in COLUMNS.items()}
    ratings: dict[str, int | None] = {}
    for name, column in RATINGS.items():
        text = texts.get(name, "")
        number = int(text) if text.isascii() and text.isdigit() and len(text) <= 5 else 0
        ratings[column] = number or None
        if number and str(number) == text:
            del texts[name]
    return Header(
        white=columns["white"],
        black=columns["black"],
        white_elo=ratings["white_elo"],
        black_elo=ratings["black_elo"],
        result=columns["result"],
        date=columns["date"],
        event=columns["event"],
        site=columns["site"],
        round=columns["round"],
        eco=columns["eco"],
        plies=plies,
        bad=bad,
        more=json.dumps(texts, ensure_ascii=False) if texts else "",
        ending=ending if ending and ending != columns["result"] else None,
    )


def to_tags(header: Header) -> dict[str, str]:
    """All tags of a game by name; the order of the file is not kept."""
    tags: dict[str, str] = {}
    for name, column in COLUMNS.items():
        text = getattr(header, column)
        if text is not None:
            tags[name] = text
    for name, column in RATINGS.items():
        number = getattr(header, column)
        if number is not None:
            tags[name] = str(number)
    if header.more:
        tags.update(json.loads(header.more))
    return tags
