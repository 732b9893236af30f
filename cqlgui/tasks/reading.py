"""Reads raw games in worker processes and hands them back in file order."""

from __future__ import annotations

import base64
import secrets
import sys
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cqlgui.base import progress
from cqlgui.db import headers
from cqlgui.pgn import archives, split
from cqlgui.store import index
from cqlgui.tasks import frames
from cqlgui.tasks import pool as pool_module

_LARGEST_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Reading:
    """A game read: its index record, its header, and where reading goes on after it."""

    record: index.GameRecord
    header: headers.Header
    end: int
    end_line: int


def read(
    text: archives.Text,
    folder: Path,
    raw_games: Iterator[split.RawGame],
    on_game: Callable[[Reading], None],
    *,
    pool: pool_module.Pool,
    cancel: progress.CancelToken,
) -> bool:
    """Read games and call `on_game` in their order, in the caller's thread; False when it was cancelled.

    A game that costs its worker process comes back without moves and with the reason as its problem.
    """
    run = _Run(text, folder, raw_games, on_game)
    work = pool_module.Work(
        take=run.take, message=run.message, done=run.done, lost=run.lost, size=20, largest=2000
    )
    with pool.lease() as crew:
        return crew.run(work, cancel)


@dataclass(frozen=True, slots=True)
class _Item:
    """What is remembered of a raw game while a worker reads it: everything but its bytes."""

    number: int
    offset: int
    length: int
    line: int
    end_line: int
    problem: str


class _Run:
    def __init__(
        self,
        text: archives.Text,
        folder: Path,
        raw_games: Iterator[split.RawGame],
        on_game: Callable[[Reading], None],
    ) -> None:
        self._text = text
        self._folder = folder
        self._coming = raw_games
        self._on_game = on_game
        self._token = secrets.token_hex(8)
        self._taken = 0
        self._given = 0
        self._waiting: dict[int, Reading] = {}

    def take(self, size: int) -> list[_Item]:
        items: list[_Item] = []
        volume = 0
        while len(items) < size and volume < _LARGEST_PIECE:
            raw = next(self._coming, None)
            if raw is None:
                break
            items.append(
                _Item(self._taken, raw.offset, raw.length, raw.line, split.end_line(raw), raw.problem)
            )
            self._taken += 1
            volume += raw.length
        return items

    def message(self, items: list[_Item]) -> frames.Message:
        return {
            "op": "read",
            "path": str(self._text.path),
            "plain": str(self._text.plain),
            "token": self._token,
            "spans": [[item.offset, item.length, item.line, item.problem] for item in items],
        }

    def done(self, items: list[_Item], reply: frames.Message) -> None:
        for item, answer in zip(items, reply["games"], strict=True):
            self._waiting[item.number] = _reading(item, answer)
        self._give()

    def lost(self, item: _Item, reason: str) -> None:
        answer = [[], None, "", 1, 0, index.BAD, [[item.line, item.offset, reason, "error"]], ""]
        self._waiting[item.number] = _reading(item, answer)
        self._give()

    def _give(self) -> None:
        while (reading := self._waiting.pop(self._given, None)) is not None:
            self._given += 1
            self._on_game(reading)


def _reading(item: _Item, answer: list[Any]) -> Reading:
    tags, start_fen, packed, positions, plies, flags, problems, ending = answer
    words = array("H")
    words.frombytes(base64.b64decode(packed))
    if sys.byteorder == "big":
        words.byteswap()
    record = index.GameRecord(
        offset=item.offset,
        length=item.length,
        line=item.line,
        words=words,
        start_fen=start_fen,
        plies=plies,
        positions=positions,
        flags=flags,
        problems=tuple((offset, line, reason, severity) for line, offset, reason, severity in problems),
    )
    header = headers.from_tags([(name, text) for name, text in tags], plies, bool(flags & index.BAD), ending)
    return Reading(record, header, item.offset + item.length, item.end_line)
