"""The kernel as the rest of the program sees it: bytes in, columns of games out.

What it hands on is bit for bit what `split` and `reader` give for the same games; where it stops, they must
read on. Must not know where games are kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cqlgui.base.data import dataclass
from cqlgui.board import position
from cqlgui.pgn import decoding, interning, kernel, tagpairs
from cqlgui.pgn.kernel import Why


@dataclass(frozen=True, slots=True)
class Games:
    """Some games in the order of their text; nothing is wrong with any of them.

    `rows` has a row of `kernel.ROW` numbers for each, whose places count in `data`.
    """

    data: bytes
    rows: np.ndarray
    words: np.ndarray
    """The packed trees, one after the other."""
    more: bytes
    """The tags outside the columns as JSON texts, one after the other, in the encoding of each game."""
    interner: interning.Interner
    other_encoding: list[int]
    """The games that are not UTF-8."""
    why: Why
    """What stopped the kernel behind the last of them."""
    end: int
    """End of the last one, or where reading began."""
    end_line: int
    """The line there."""

    def __len__(self) -> int:
        return len(self.rows)

    def first(self, count: int) -> Games:
        """The first of them alone."""
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
        """One number of every game."""
        found: list[int] = self.rows[:, place].tolist()
        return found

    def tags(self) -> tuple[list[str | None], dict[str, np.ndarray]]:
        """The texts of `kernel.TEXT_TAGS` as a list, and for each tag the place of each game's text there.

        A tag that a game lacks is None, at place 0. The list grows later; what stands in it stays.
        """
        names = kernel.TEXT_TAGS
        table = self.rows[:, kernel.TAGS : kernel.TAGS + 2 * len(names)]
        starts, lengths = table[:, 0::2].ravel(), table[:, 1::2].ravel()
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
        """The tags outside the columns: the JSON texts of objects one behind the other in UTF-8, and the end
        of each game's; a game without such tags has an empty text.
        """
        lengths = self.rows[:, kernel.MORE + 1]
        if not self.other_encoding:
            # The kernel writes them in the order of the games, without gaps.
            return self.more, np.cumsum(lengths)
        parts = []
        for game, (start, length) in enumerate(zip(self.column(kernel.MORE), lengths.tolist(), strict=True)):
            raw = self.more[start : start + length]
            if game in self.other_encoding:
                raw = decoding.decode(raw, "windows-1252").encode("utf-8")
            parts.append(raw)
        return b"".join(parts), np.cumsum([len(part) for part in parts])

    def start_fens(self) -> dict[int, str]:
        """The FEN each game starts from, by place, of those that do not begin as usual."""
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
    """Room for the kernel, used again from call to call; for one thread at a time."""

    def __init__(self, most_games: int = 2000) -> None:
        self._most = most_games
        # What the kernel takes as arrays of ints are NumPy's to the type checker.
        self._rows: Any = np.empty(most_games * kernel.ROW, np.int64)
        self._words: Any = np.empty(0, np.uint16)
        self._more: Any = np.empty(0, np.uint8)
        self._scratch: Any = np.zeros(kernel.SCRATCH_WORDS, np.uint64)
        self._nodes: Any = np.zeros(kernel.SCRATCH_HALVES, np.uint32)
        self._notes: Any = np.zeros(kernel.SCRATCH_INTS, np.int64)
        self._interner = interning.Interner()

    def read(self, data: bytes, begin: int = 0, line: int = 1, *, final: bool = True) -> Games:
        """Read games from byte `begin`, which must be 0 or the end of a game and stands on `line`.

        `data` must end with `padded`'s NULs; `final` says that the text ends there too. Never raises on
        content. When `Games.why` is `FULL`, or `MORE` with `final` False, the next call can go on at the end
        (with more data); otherwise the game there is for the lenient reader.
        """
        end = len(data) - kernel.PADDING
        # Two bytes at least make a move or open a variation; JSON takes some bytes a tag more than PGN.
        room = end - begin
        if len(self._words) < room:
            self._words = np.empty(room, np.uint16)
            self._more = np.empty(4 * room + 64, np.uint8)
        text: Any = np.frombuffer(data, np.uint8)
        count = kernel.read_games(
            text, begin, end, final, line, self._rows, self._most, self._words, len(self._words),
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
    """`data` as the kernel takes it."""
    return data + bytes(kernel.PADDING)


def _not_utf8(data: bytes, rows: np.ndarray) -> list[int]:
    found = []
    for game in np.flatnonzero(rows[:, kernel.FLAGS] & kernel.HIGH_BYTES).tolist():
        start, length = rows[game, : kernel.LENGTH + 1].tolist()
        if decoding.encoding_of(data[start : start + length]) != "utf-8":
            found.append(game)
    return found
