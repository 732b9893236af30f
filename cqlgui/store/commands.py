"""The numbers that commands in comments (`[%clk 0:03:00]`) give at the positions of many games at once.

`store.remarks` has whole comments, each distinct text once. Nearly all texts with clocks or evaluations
differ from each other, so their numbers are kept as columns, and no text is needed to ask about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cqlgui.base.data import dataclass

Integers: TypeAlias = "npt.NDArray[np.int64]"
Numbers: TypeAlias = "npt.NDArray[np.int32]"

NO_NUMBER: Final = -(1 << 31)
"""Stands in a column where a position has no number."""


@dataclass(frozen=True, slots=True)
class Commands:
    """The numbers of several games. The entries of game g are `firsts[g]` to `firsts[g + 1]` - 1, with
    ascending positionids. Entry n is about the position `ids[n]`. Each of the `columns` has the numbers of
    one kind of command, or `NO_NUMBER`. A kind without any number has None in place of the column. Positions
    without numbers have no entry."""

    firsts: Integers
    ids: Numbers
    columns: tuple[Numbers | None, ...]

    def __len__(self) -> int:
        """The number of games."""
        return len(self.firsts) - 1

    @classmethod
    def of(cls, count: int, games: Integers, ids: Integers, columns: Sequence[Integers]) -> Commands:
        """The numbers of `count` games from rows in any order. Row r is about the position `ids[r]` of the
        game `games[r]`, and has one number or `NO_NUMBER` in each column. If several rows have a number of
        one kind for one position, the last one counts."""
        given = np.zeros(len(games), np.bool_)
        for column in columns:
            given |= column != NO_NUMBER
        which = np.flatnonzero(given)
        keys = games[which] << _GAME_SHIFT | ids[which]
        places, entries = np.unique(keys, return_inverse=True)
        made: list[Numbers | None] = []
        for column in columns:
            told = np.flatnonzero(column[which] != NO_NUMBER)
            numbers = np.full(len(places), NO_NUMBER, np.int32)
            # If an index occurs several times, NumPy assigns the last value.
            numbers[entries[told]] = column[which][told]
            made.append(numbers if len(told) else None)
        firsts = np.searchsorted(places, np.arange(count + 1, dtype=np.int64) << _GAME_SHIFT)
        return cls(firsts, (places & (1 << _GAME_SHIFT) - 1).astype(np.int32), tuple(made))

    def of_game(self, game: int) -> dict[int, tuple[int | None, ...]]:
        """The numbers of a game by positionid."""
        own = range(int(self.firsts[game]), int(self.firsts[game + 1]))
        return {int(self.ids[entry]): tuple(_told(one, entry) for one in self.columns) for entry in own}

    def take(self, numbers: Integers) -> Commands:
        """The numbers of the games with the given `numbers`."""
        sizes = np.diff(self.firsts)[numbers]
        firsts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.firsts[numbers] - firsts[:-1], sizes) + np.arange(int(firsts[-1]))
        columns = (None if one is None else one[places] for one in self.columns)
        return Commands(firsts, self.ids[places], tuple(columns))

    @classmethod
    def joined(cls, parts: Sequence[Commands]) -> Commands:
        """The numbers of all parts, one part after another. There must be at least one part, and all parts
        have the same kinds of columns."""
        before = np.cumsum([0, *(len(part.ids) for part in parts)])
        firsts = [part.firsts[1:] + start for part, start in zip(parts, before[:-1], strict=True)]
        columns: list[Numbers | None] = []
        for several in zip(*(part.columns for part in parts), strict=True):
            whole = [
                np.full(len(part.ids), NO_NUMBER, np.int32) if one is None else one
                for part, one in zip(parts, several, strict=True)
            ]
            columns.append(None if all(one is None for one in several) else np.concatenate(whole))
        return cls(
            np.concatenate([[0], *firsts]), np.concatenate([part.ids for part in parts]), tuple(columns)
        )

    def packed(self) -> bytes:
        """The numbers as bytes. `unpacked` reads them.

        Numbers below 2**15 take two bytes. The positions are left out if they are the first ones after the
        start in every game, as in games with a clock at every move."""
        arrays = [None if np.array_equal(self.ids, _first_places(self.firsts)) else self.ids, *self.columns]
        widths = [0 if one is None else 2 if _is_small(one) else 4 for one in arrays]
        head = np.array([len(self), len(self.ids), len(widths), *widths], "<i4")
        parts = [head.tobytes(), self.firsts.astype("<i4").tobytes()]
        for one, width in zip(arrays, widths, strict=True):
            if one is not None:
                narrow = np.where(one == NO_NUMBER, _SMALL, one) if width == 2 else one
                parts.append(narrow.astype(f"<i{width}").tobytes())
        return b"".join(parts)

    @classmethod
    def unpacked(cls, data: bytes, games: int) -> Commands | None:
        """The numbers of `games` games. None if `data` has another length than `packed` makes. The caller
        makes sure that the bytes come from `packed`."""
        if len(data) < _HEAD:
            return None
        count, entries, kinds = np.frombuffer(data, "<i4", 3).tolist()
        if count != games or entries < 0 or kinds < 1 or len(data) < _HEAD + 4 * (kinds + count + 1):
            return None
        widths = np.frombuffer(data, "<i4", kinds, _HEAD).tolist()
        if len(data) != _HEAD + 4 * (kinds + count + 1) + entries * sum(widths):
            return None
        firsts = np.frombuffer(data, "<i4", count + 1, _HEAD + 4 * kinds).astype(np.int64)
        arrays: list[Numbers | None] = []
        at = _HEAD + 4 * (kinds + count + 1)
        for width in widths:
            if not width:
                arrays.append(None)
                continue
            numbers = np.frombuffer(data, f"<i{width}", entries, at).astype(np.int32)
            if width == 2:
                numbers[numbers == _SMALL] = NO_NUMBER
            arrays.append(numbers)
            at += width * entries
        ids, *columns = arrays
        return cls(firsts, _first_places(firsts) if ids is None else ids, tuple(columns))

    @property
    def size(self) -> int:
        """The size in memory, in bytes."""
        return 8 * len(self.firsts) + 4 * len(self.ids) * (1 + sum(one is not None for one in self.columns))


def _told(column: Numbers | None, entry: int) -> int | None:
    number = NO_NUMBER if column is None else int(column[entry])
    return None if number == NO_NUMBER else number


def _first_places(firsts: Integers) -> Numbers:
    """The positionids 1, 2 and so on in each game."""
    sizes = np.diff(firsts)
    return (np.arange(int(firsts[-1])) - np.repeat(firsts[:-1], sizes) + 1).astype(np.int32)


def _is_small(numbers: Numbers) -> bool:
    """Whether all numbers can be written in two bytes."""
    given = numbers[numbers != NO_NUMBER]
    return not len(given) or (int(given.min()) > _SMALL and int(given.max()) < -_SMALL)


_GAME_SHIFT: Final = 32
_SMALL: Final = -(1 << 15)
"""Stands for `NO_NUMBER` where numbers take two bytes."""
_HEAD: Final = 12
