"""What is known about a game without playing it: sixteen words about all positions of the game.

A *signature* has the squares where each man ever stood, the least and the greatest number of each kind of
man, and the events. `replay` gathers the signatures. A signature therefore covers exactly the positions that
a search visits. A game has one signature for the main line and another signature for the whole tree. If
`replay` marks a game as doubtful, the signature of the game excludes nothing. `store.side_files` keeps the
signatures, and `pruner` reads them.

The stored bytes have three parts. The first part has the signatures of all main lines, word by word. The
first words of all games come first, the second words of all games follow, and so on. Each word is a u64. The
second part has the numbers of the games where the signature of the whole tree differs from the signature of
the main line. Each number is a u32. The third part has the signatures of these whole trees, one after the
other.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cqlgui.base.data import dataclass
from cqlgui.board import moves
from cqlgui.engine.kernels import routines
from cqlgui.engine.replaying import games, layout, replay
from cqlgui.engine.replaying.games import Lengths, Words
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Word
from cqlgui.jit.words import Words as WordArray

UNIT: Final = kernels.Unit("signatures", [*routines.UNIT.sources])

VERSION: Final = 1
"""Version of the content. Signatures of another version are made again."""

# --- a signature: words 0 to 12 are the squares where each man ever stood (0: that were ever empty) ---------

LEAST: Final = 13
"""The least number of each kind of man. Each man code from 1 on has `COUNT_BITS` bits for a number up to
`MOST_COUNTED`."""
MOST: Final = 14
"""The greatest number of each kind of man, in the form of `LEAST`. `MOST_COUNTED` means `MOST_COUNTED` or
more men."""
EVENTS: Final = 15
"""Events that happened in a game, as the bits below."""
WIDTH: Final = 16

COUNT_BITS: Final = 5
MOST_COUNTED: Final = 31

CHECK: Final = 1
MATE: Final = 2
STALEMATE: Final = 4
SHORT: Final = 8
LONG: Final = 16
"""Castling with a rook on a higher file than the king (`SHORT`), and with a rook on a lower file (`LONG`)."""
IN_PASSING: Final = 32
NULL_MOVE: Final = 64
VARIATION: Final = 128
"""The game has positions off the main line."""
WHITE_TO_MOVE: Final = 256
BLACK_TO_MOVE: Final = 512
PROMOTED: Final = 1024
"""The first of four bits, for promotions to a knight, bishop, rook and queen. The bit for a kind of man is
`PROMOTED`, shifted by the number of the kind minus 2."""
PLIES: Final = 32
"""The bits from this bit on are the largest ply."""

_EVER: Final = (1 << 64) - 1
_EVERYTHING: Final = tuple([_EVER] * LEAST + [0, _EVER, _EVER])
_HAPPENED: Final = (1 << PLIES) - 1
_EMPTIES: Final = WIDTH
"""This word of a row has the number of empty squares at the time when the men were last counted."""
_UNKNOWN: Final = 65
_ASIDE: Final = WIDTH + 1
"""The offset of the second half of a row. The second half has the signature of the positions in
variations."""
_ROW: Final = 2 * _ASIDE
_COUNTED: Final = (1 << COUNT_BITS) - 1


@UNIT.kernel
def gather(records: WordArray, boards: Bytes, place: int, frame: WordArray) -> bool:
    """Add one position to the signature of its game. `make` passes this function to `replay.search` in place
    of a query. The result is always False, so the search finds no hits. From `layout.LOCALS` on, the frame
    holds one row for each game."""
    game = int(frame[layout.GAMENUMBER]) - 1
    _gather(records[place * layout.SIZE :], boards[place * 64 :], frame[layout.LOCALS + game * _ROW :])
    return False


def _gather(record: WordArray, board: Bytes, rows: WordArray) -> None:
    if record[layout.DEPTH] == 0:
        _take_in(record, board, rows, _events(record))
    else:
        # The records before and after this record may belong to another line, so the men must be counted
        # again.
        rows[_ASIDE + _EMPTIES] = _UNKNOWN
        _take_in(record, board, rows[_ASIDE:], _events(record))


@words.inlined
def _take_in(record: WordArray, board: Bytes, row: WordArray, events: Word) -> None:
    move = int(record[layout.MOVE])
    if record[layout.ID] == 0 or move >> 12 != moves.NORMAL:
        for man in range(13):
            row[man] |= record[man]
    else:
        # Only the moving man stands on a new square. The squares of all other men were added with the
        # previous position.
        row[board[move >> 6 & 63]] |= 1 << (move >> 6 & 63)
        row[0] |= 1 << (move & 63)
    empties = words.word(record[0].bit_count())
    if row[EVENTS] == 0 or row[_EMPTIES] != empties or events >= PROMOTED:
        # Only captures change the number of men, and only promotions change the kinds of men. After all other
        # moves, the men need not be counted.
        row[_EMPTIES] = empties
        _count(record, row)
    known = row[EVENTS]
    plies = record[layout.PLY] << PLIES
    row[EVENTS] = (known | events) & _HAPPENED | (plies if plies > known & ~_HAPPENED else known & ~_HAPPENED)


@words.apart
def _count(record: WordArray, row: WordArray) -> None:
    begins = row[EVENTS] == 0
    least = words.word(0)
    most = words.word(0)
    for man in range(12):
        shift = COUNT_BITS * man
        number = words.word(record[man + 1].bit_count())
        if number > MOST_COUNTED:
            number = words.word(MOST_COUNTED)
        fewest = number if begins else row[LEAST] >> shift & _COUNTED
        largest = row[MOST] >> shift & _COUNTED
        least |= (number if number < fewest else fewest) << shift
        most |= (number if number > largest else largest) << shift
    row[LEAST] = least
    row[MOST] = most


@words.inlined
def _events(record: WordArray) -> Word:
    """The events at a position, and the events of the move that led to the position."""
    events = words.word(WHITE_TO_MOVE if record[layout.TURN] == 0 else BLACK_TO_MOVE)
    if record[layout.DEPTH] != 0:
        events |= VARIATION
    if routines.in_check(record):
        events |= CHECK
    if record[layout.CHILD] == layout.NONE:
        # Only the last position of a line is tested for mate and stalemate. If the game continues with a
        # legal move, the position is neither mate nor stalemate. If the game continues with a null move,
        # `_special` adds both events (`MATE` and `STALEMATE`) at the next position.
        if routines.is_mate(record):
            events |= MATE
        elif routines.is_stalemate(record):
            events |= STALEMATE
    move = int(record[layout.MOVE])
    flag = move >> 12
    if flag != moves.NORMAL and record[layout.ID] != 0:
        events |= _special(move, flag)
    return events


@words.apart
def _special(move: int, flag: int) -> Word:
    if flag == moves.NULL:
        return words.word(NULL_MOVE | MATE | STALEMATE)
    if flag == moves.CASTLE:
        return words.word(SHORT if move >> 6 & 63 > move & 63 else LONG)
    if flag == moves.EN_PASSANT:
        return words.word(IN_PASSING)
    return words.word(PROMOTED) << (flag - moves.PROMOTE_N)


# --- the signatures of a segment ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Signatures:
    """The signatures of several games. `main` has a row for each word of a signature and a column for each
    game. `differing` has the numbers of the games where the signature of the whole tree differs from the
    signature of the main line. `whole` has the signatures of these whole trees, one in each row."""

    main: Words
    differing: npt.NDArray[np.uint32]
    whole: Words

    def __len__(self) -> int:
        return int(self.main.shape[1])

    def lengths(self) -> Lengths | None:
        """The number of moves in each main line; None if the signature of a game is unknown."""
        # The largest plies are the upper halves of the words.
        found: Lengths = self.main[EVENTS].astype("<u8", copy=False).view("<u4")[1::2]
        return None if found.max(initial=0) == _EVER >> PLIES else found

    def column(self, word: int, variations: bool) -> Words:
        """A word of the signatures of the main lines, or with `variations` of the whole games."""
        if not variations or not len(self.differing):
            found: Words = self.main[word]
            return found
        found = self.main[word].copy()
        found[self.differing] = self.whole[:, word]
        return found

    def packed(self) -> bytes:
        """The signatures as bytes."""
        return self.main.tobytes() + self.differing.tobytes() + self.whole.tobytes()

    @classmethod
    def unpacked(cls, data: bytes | memoryview, count: int) -> Signatures | None:
        """The signatures of `count` games; None for bytes of another length."""
        first = count * WIDTH * 8
        others, rest = divmod(len(data) - first, 4 + WIDTH * 8)
        if others < 0 or rest:
            return None
        main = np.frombuffer(data, np.uint64, count * WIDTH).reshape(WIDTH, count)
        differing = np.frombuffer(data, np.uint32, others, first)
        # If `differing` has an odd number of games, the words of `whole` are not aligned. The words are
        # therefore read as bytes first.
        whole = np.frombuffer(data[first + 4 * others :], np.uint8).view(np.uint64).reshape(others, WIDTH)
        if others and int(differing.max()) >= count:
            return None
        return cls(main, differing, whole)


def unknown(count: int) -> Signatures:
    """Signatures that exclude nothing."""
    main = np.repeat(np.array(_EVERYTHING, np.uint64)[:, None], count, axis=1)
    return Signatures(main, np.zeros(0, np.uint32), np.zeros((0, WIDTH), np.uint64))


_ROUND: Final = 1_000
"""The maximum number of games gathered in one call."""


def make(asked: games.Games) -> Signatures:
    """Play games and gather their signatures."""
    work = games.Workspace.make(asked.positions, _ROUND, layout.LOCALS + len(asked) * _ROW, planes=False)
    numbers = games.everything(asked)
    empty = np.zeros(0, np.int64)
    search: Any = replay.search
    doubtful: list[int] = []
    at = 0
    while at < len(asked):
        end = min(at + _ROUND, len(asked))
        work.tally[:] = 0
        at = search(
            gather.routine, gather.routine, replay.streamed.routine, asked.packed, asked.firsts, asked.counts,
            asked.branching, asked.starts, asked.start_records, asked.start_boards, numbers, at, end, 0,
            replay.VARIATIONS, 1, work.records, work.boards, work.room, work.frame, layout.LOCALS,
            np.zeros(0, np.uint64), empty, 0, work.hits, len(work.hits), work.doubtful, work.tally,
        )  # fmt: skip
        doubtful += work.doubtful[: work.tally[replay.DOUBTED]].tolist()
    rows = work.frame[layout.LOCALS :].reshape(len(asked), 2, _ASIDE)[:, :, :WIDTH]
    main, aside = rows[:, 0], rows[:, 1]
    main[doubtful] = np.array(_EVERYTHING, np.uint64)
    branched = np.flatnonzero(aside[:, EVENTS])
    whole = _joined(main[branched], aside[branched])
    differs = (main[branched] != whole).any(axis=1)
    return Signatures(
        np.ascontiguousarray(main.T),
        branched[differs].astype(np.uint32),
        np.ascontiguousarray(whole[differs]),
    )


def _joined(first: Words, second: Words) -> Words:
    """The signatures of whole games, joined from the signatures of two parts of each game. Each game has a
    row."""
    found = first | second
    for word, choose in ((LEAST, np.minimum), (MOST, np.maximum)):
        found[:, word] = 0
        for man in range(12):
            shift = np.uint64(COUNT_BITS * man)
            counts = [part[:, word] >> shift & np.uint64(_COUNTED) for part in (first, second)]
            found[:, word] |= choose(*counts) << shift
    plies = np.maximum(first[:, EVENTS] >> np.uint64(PLIES), second[:, EVENTS] >> np.uint64(PLIES))
    found[:, EVENTS] = found[:, EVENTS] & np.uint64(_HAPPENED) | plies << np.uint64(PLIES)
    return found
