"""Converts a game's tags to one row of the catalog and back, without loss.

The tags that are used for sorting games have columns of their own. All other tags stay in the JSON text of
the row. A tag also stays in the JSON text if the column cannot reproduce the tag's value exactly. An example
is the rating `2450?`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from cqlgui.base.data import dataclass

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
HIGHEST_RATING = 9_999
"""Sums and pictures leave out larger numbers, which are slips such as 25000."""


RESULTS: Final = ("1-0", "1/2-1/2", "0-1", "*")
"""The results of games (PGN standard, 8.1.1.7)."""
_DRAWN: Final = ("1/2", "½-½", "½")


def outcome(result: str) -> int:
    """The place of a Result tag in `RESULTS`. Half a point is a draw. Every other text means that the result
    is not known."""
    usual = RESULTS[1] if result in _DRAWN else result
    return RESULTS.index(usual) if usual in RESULTS else len(RESULTS) - 1


class Header(NamedTuple):
    """One game's row. None means that the game lacks the tag; `more` is the JSON text of the other tags ("" =
    none). `ending` is the result at the end of the text, but only if the Result tag is missing or has another
    value."""

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


TEXTS: Final = ("white", "black", "event", "site", "result", "date", "round", "eco", "ending")
"""The columns of texts. The same texts occur in many games."""
NUMBERS: Final = ("white_elo", "black_elo", "plies", "bad")
"""The columns of numbers; a rating that is missing is 0."""


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of texts: game n has `texts[places[n]]`. Entries may be added to `texts`, but entries never
    change."""

    texts: Sequence[str | None]
    places: np.ndarray

    @classmethod
    def of(cls, column: Iterable[str | None]) -> Coded:
        """The texts of a column as a `Coded`."""
        known: dict[str | None, int] = {}
        places = [known.setdefault(text, len(known)) for text in column]
        return cls(list(known), np.array(places, np.int64))


def joined(columns: Iterable[Coded]) -> list[Coded]:
    """The same columns in the same order, but neighbouring columns with the same list `texts` are joined into
    one column."""
    return [
        Coded(parts[0].texts, np.concatenate([part.places for part in parts]))
        for _, group in itertools.groupby(columns, lambda column: id(column.texts))
        if (parts := list(group))
    ]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of consecutive games, column by column."""

    texts: Mapping[str, Coded]
    """The columns `TEXTS`."""
    numbers: Mapping[str, np.ndarray]
    """The columns `NUMBERS`."""
    more: bytes
    """`Header.more` of the games, one after another, in UTF-8."""
    more_ends: np.ndarray
    """The end of each game's text in `more`."""

    @classmethod
    def of(cls, rows: Sequence[Header]) -> Table:
        """The rows as a `Table`."""
        more = [row.more.encode("utf-8") for row in rows]
        return cls(
            {name: Coded.of([getattr(row, name) for row in rows]) for name in TEXTS},
            {name: np.array([getattr(row, name) or 0 for row in rows], np.int64) for name in NUMBERS},
            b"".join(more),
            np.cumsum([len(text) for text in more], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.more_ends)

    def part(self, start: int, stop: int) -> Table:
        """The rows from `start` to `stop`."""
        if (start, stop) == (0, len(self)):
            return self
        begin = int(self.more_ends[start - 1]) if start else 0
        end = int(self.more_ends[stop - 1]) if stop else 0
        return Table(
            {name: Coded(column.texts, column.places[start:stop]) for name, column in self.texts.items()},
            {name: column[start:stop] for name, column in self.numbers.items()},
            self.more[begin:end],
            self.more_ends[start:stop] - begin,
        )

    def rows(self) -> list[Header]:
        """The rows one by one."""
        columns: dict[str, list[object]] = {
            name: [column.texts[place] for place in column.places.tolist()]
            for name, column in self.texts.items()
        }
        for name in RATINGS.values():
            columns[name] = [number or None for number in self.numbers[name].tolist()]
        columns["plies"] = self.numbers["plies"].tolist()
        columns["bad"] = [bool(number) for number in self.numbers["bad"].tolist()]
        columns["more"] = [
            self.more[start:end].decode("utf-8")
            for start, end in itertools.pairwise([0, *self.more_ends.tolist()])
        ]
        return list(itertools.starmap(Header, zip(*(columns[name] for name in Header._fields), strict=True)))


def from_tags(tags: Iterable[tuple[str, str]], plies: int, bad: bool, ending: str = "") -> Header:
    """The row of a game. If a tag is repeated, the first value counts. `ending` is the result at the end of
    the game's text ("" = none)."""
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
