"""The fast reader for the rest of the program: takes bytes and returns games as columns.

For the games that the fast reader reads, its results equal the results of `split` and `reader` bit for bit.
Where the fast reader stops, `split` and `reader` must read the next game. This module does not use files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cqlgui.base.data import dataclass
from cqlgui.board import position
from cqlgui.pgn import decoding, interning, kernel, tagpairs
from cqlgui.pgn.kernel import Why


@dataclass(frozen=True, slots=True)
class Games:
    """Games in the order of their text, all without any fault.

    `rows` has a row of `kernel.ROW` numbers for each game. In a row, the places `START`, `FEN` and `TAGS`
    hold offsets in `data`.
    """

    data: bytes
    rows: np.ndarray
    words: np.ndarray
    """The packed trees, one after another."""
    more: bytes
    """The tags that have no column, as JSON texts. The texts of the games follow each other, each in the
    encoding of its game."""
    interner: interning.Interner
    other_encoding: list[int]
    """The games that are not UTF-8."""
    why: Why
    """Why the kernel stopped after the last game."""
    end: int
    """The end of the last game; without a game, the place where reading began."""
    end_line: int
    """The line at `end`."""

    def __len__(self) -> int:
        return len(self.rows)

    def first(self, count: int) -> Games:
        """The first `count` games."""
        if count == len(self):
            return self
        rows = self.rows[:count]
        words, more, end, line = 0, 0, int(self.rows[0, kernel.START]), int(self.rows[0, kernel.LINE])
        if count:
            last = rows[-1].tolist()
            words = last[kernel.FIRST_WORD] + last[kernel.WORDS]
            more = last[kernel.MORE] + last[kernel.MORE + 1]
            end, line = last[kernel.START] + last[kernel.LENGTH], last[kernel.END_LINE]
        other = [game for game in self.other_encoding if game < count]
        return Games(
            self.data, rows, self.words[:words], self.more[:more], self.interner, other, self.why, end, line
        )

    def column(self, place: int) -> list[int]:
        """The number at one place of every game's row."""
        found: list[int] = self.rows[:, place].tolist()
        return found

    def tags(self, names: Sequence[str] = kernel.TEXT_TAGS) -> tuple[list[str | None], dict[str, np.ndarray]]:
        """A list of texts, and for each of `names` (of `kernel.TEXT_TAGS`) the places of the games' texts in
        this list.

        If a game lacks a tag, the place is 0, and entry 0 of the list is None. The list may grow later; its
        entries do not change.
        """
        columns = np.array([kernel.TAGS + 2 * kernel.TEXT_TAGS.index(name) for name in names], np.int64)
        starts, lengths = self.rows[:, columns].ravel(), self.rows[:, columns + 1].ravel()
        instead = {}
        odd = np.flatnonzero(self.rows[:, kernel.FLAGS] & kernel.ESCAPES).tolist()
        for game in {*odd, *self.other_encoding}:
            for stretch in range(game * len(names), (game + 1) * len(names)):
                start, length = int(starts[stretch]), int(lengths[stretch])
                if length > 0:
                    raw = tagpairs.unescaped(self.data[start : start + length])
                    if game in self.other_encoding:
                        raw = decoding.decode(raw, "windows-1252").encode("utf-8")
                    instead[stretch] = raw
        texts, places = self.interner.places(self.data, starts, lengths, instead)
        return texts, dict(zip(names, places.reshape(-1, len(names)).T, strict=True))

    def other_tags(self) -> tuple[bytes, np.ndarray]:
        """The tags that have no column: the JSON texts of the games, one after another in UTF-8, and the end
        of each text. A game without other tags has an empty text."""
        lengths = self.rows[:, kernel.MORE + 1]
        if not self.other_encoding:
            # The kernel writes the texts in the order of the games, without gaps.
            return self.more, np.cumsum(lengths)
        parts = []
        for game, (start, length) in enumerate(zip(self.column(kernel.MORE), lengths.tolist(), strict=True)):
            raw = self.more[start : start + length]
            if game in self.other_encoding:
                raw = decoding.decode(raw, "windows-1252").encode("utf-8")
            parts.append(raw)
        return b"".join(parts), np.cumsum([len(part) for part in parts])

    def start_fens(self) -> dict[int, str]:
        """The FEN of the start, by the game's index, for games that do not start from the usual position."""
        found = {}
        for game in np.flatnonzero(self.rows[:, kernel.FEN + 1]).tolist():
            start, length = self.rows[game, kernel.FEN : kernel.FEN + 2].tolist()
            flags = int(self.rows[game, kernel.FLAGS])
            text = self.data[start : start + length].decode("ascii")
            if flags & kernel.SHORT_FEN:
                text += " 0 1"
            elif flags & kernel.ZERO_FEN:
                text = text[:-1] + "1"
            if text != position.START_FEN:
                found[game] = text
        return found


class QuickReader:
    """The working memory of the kernel. Every call uses the same memory, so only one thread at a time may use
    a `QuickReader`."""

    def __init__(self, most_games: int = 2000) -> None:
        self._most = most_games
        # The type is `Any`, because the type checker does not accept NumPy arrays as the kernel's sequences
        # of integers.
        self._rows: Any = np.empty(most_games * kernel.ROW, np.int64)
        self._words: Any = np.empty(0, np.uint16)
        self._more: Any = np.empty(0, np.uint8)
        self._scratch: Any = np.zeros(kernel.SCRATCH_WORDS, np.uint64)
        self._nodes: Any = np.zeros(kernel.SCRATCH_HALVES, np.uint32)
        self._notes: Any = np.zeros(kernel.SCRATCH_INTS, np.int64)
        self._interner = interning.Interner()

    def read(
        self, data: bytes, begin: int = 0, line: int = 1, *, final: bool = True, skim: bool = False
    ) -> Games:
        """Read games from byte `begin` on line `line`. `begin` must be 0 or the end of a game. With `skim`,
        only the tags are read, and the moves are passed over. A game whose moves are not legal is then taken
        too.

        `data` must end with the NULs of `padded`. `final` says that the text ends with `data`. Faulty games
        raise no error. If `Games.why` is `FULL`, the next call can continue at `Games.end`. If `Games.why` is
        `MORE` and `final` is False, the next call can continue at `Games.end` with more data. After any other
        reason except `END`, the lenient reader must read the next game.
        """
        end = len(data) - kernel.PADDING
        # There is a word for each move and for each variation. A move or a variation takes at least two bytes
        # of text. JSON takes a few more bytes for each tag than PGN.
        room = end - begin
        if len(self._words) < room:
            self._words = np.empty(room, np.uint16)
            self._more = np.empty(4 * room + 64, np.uint8)
        text: Any = np.frombuffer(data, np.uint8)
        count = kernel.read_games(
            text, begin, end, final, skim, line, self._rows, self._most, self._words, len(self._words),
            self._more, len(self._more), self._scratch, self._nodes, self._notes,
        )  # fmt: skip
        why, reached, reached_line, words, texts = self._notes[:5].tolist()
        rows = self._rows[: count * kernel.ROW].reshape(count, kernel.ROW).copy()
        return Games(
            data,
            rows,
            self._words[:words].copy(),
            self._more[:texts].tobytes(),
            self._interner,
            _not_utf8(data, rows),
            Why(why),
            reached,
            reached_line,
        )


def padded(data: bytes) -> bytes:
    """`data` with the NULs that the kernel needs."""
    return data + bytes(kernel.PADDING)


def _not_utf8(data: bytes, rows: np.ndarray) -> list[int]:
    found = []
    for game in np.flatnonzero(rows[:, kernel.FLAGS] & kernel.HIGH_BYTES).tolist():
        start, length = rows[game, : kernel.LENGTH + 1].tolist()
        if decoding.encoding_of(data[start : start + length]) != "utf-8":
            found.append(game)
    return found
