"""The comments and glyphs that a file has at the positions of its games, for many games at once.

A *remark* is what the file says about one position. Few distinct comments stand at many positions (`[%clk
0:03:00]`), and there are few glyphs, so each distinct text and each distinct row of glyphs is stored once.
`find` finds the remarks in the texts of games: of clean games in machine code, of all other games with the
reader."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from cqlgui.base.data import dataclass

Integers: TypeAlias = "npt.NDArray[np.int64]"
Glyphs: TypeAlias = tuple[int, ...]


class Remark(NamedTuple):
    """The last comment at a position (`braces.folded`), or None, and the numbers of the glyphs, in the order
    of the text."""

    comment: str | None
    glyphs: Glyphs


NOTHING: Final = Remark(None, ())
"""What the file says about most positions."""


@dataclass(frozen=True, slots=True)
class Remarks:
    """The remarks of several games. The remarks of game g have the numbers `firsts[g]` to `firsts[g + 1]` -
    1, with ascending positionids. Remark n stands at the position `ids[n]`. Its comment is
    `comments[said[n]]`, and its glyphs are `glyphs[signed[n]]`. `comments` begins with None, and `glyphs`
    begins with an empty tuple."""

    firsts: Integers
    ids: Integers
    said: Integers
    signed: Integers
    comments: Sequence[str | None]
    glyphs: Sequence[Glyphs]

    def __len__(self) -> int:
        """The number of games."""
        return len(self.firsts) - 1

    @classmethod
    def of(cls, games: Iterable[dict[int, Remark]]) -> Remarks:
        """The remarks of games. Each game has a dictionary by positionid. Glyphs at the root are left out,
        because no move leads to the root."""
        comments: dict[str | None, int] = {None: 0}
        glyphs: dict[Glyphs, int] = {(): 0}
        sizes = [0]
        ids: list[int] = []
        said: list[int] = []
        signed: list[int] = []
        for game in games:
            for place in sorted(game):
                remark = game[place] if place else Remark(game[place].comment, ())
                if remark != NOTHING:
                    ids.append(place)
                    said.append(comments.setdefault(remark.comment, len(comments)))
                    signed.append(glyphs.setdefault(remark.glyphs, len(glyphs)))
            sizes.append(len(ids))
        first, second, third, fourth = (np.array(one, np.int64) for one in (sizes, ids, said, signed))
        return cls(first, second, third, fourth, list(comments), list(glyphs))

    def of_game(self, game: int) -> dict[int, Remark]:
        """The remarks of a game by positionid."""
        own = slice(int(self.firsts[game]), int(self.firsts[game + 1]))
        rows = zip(self.ids[own].tolist(), self.said[own].tolist(), self.signed[own].tolist(), strict=True)
        return {place: Remark(self.comments[said], self.glyphs[signed]) for place, said, signed in rows}

    def take(self, numbers: Integers) -> Remarks:
        """The remarks of the games with the given `numbers`."""
        sizes = np.diff(self.firsts)[numbers]
        firsts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.firsts[numbers] - firsts[:-1], sizes) + np.arange(int(firsts[-1]))
        return Remarks(
            firsts, self.ids[places], self.said[places], self.signed[places], self.comments, self.glyphs
        )

    @classmethod
    def joined(cls, parts: Sequence[Remarks]) -> Remarks:
        """The remarks of all parts, one part after another. There must be at least one part."""
        comments: dict[str | None, int] = {None: 0}
        glyphs: dict[Glyphs, int] = {(): 0}
        firsts, ids, all_said, all_signed = [np.zeros(1, np.int64)], [], [], []
        before = 0
        for part in parts:
            said = [comments.setdefault(one, len(comments)) for one in part.comments]
            signed = [glyphs.setdefault(one, len(glyphs)) for one in part.glyphs]
            firsts.append(part.firsts[1:] + before)
            ids.append(part.ids)
            all_said.append(np.array(said, np.int64)[part.said])
            all_signed.append(np.array(signed, np.int64)[part.signed])
            before += len(part.ids)
        return cls(
            np.concatenate(firsts),
            np.concatenate(ids),
            np.concatenate(all_said),
            np.concatenate(all_signed),
            list(comments),
            list(glyphs),
        )

    def packed(self) -> bytes:
        """The remarks as bytes. `unpacked` reads them."""
        texts = json.dumps([self.comments, self.glyphs], ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8"
        )
        head = np.array([len(self), len(self.ids), len(texts)], "<i8")
        arrays = (one.astype("<i4") for one in (self.firsts, self.ids, self.said, self.signed))
        return b"".join([head.tobytes(), *(one.tobytes() for one in arrays), texts])

    @classmethod
    def unpacked(cls, data: bytes, games: int) -> Remarks | None:
        """The remarks of `games` games. None if `data` has another length than `packed` makes. The caller
        makes sure that the bytes come from `packed`."""
        if len(data) < _HEAD:
            return None
        count, remarks, size = np.frombuffer(data, "<i8", 3).tolist()
        sizes = [count + 1, remarks, remarks, remarks]
        if count != games or remarks < 0 or size < 0 or len(data) != _HEAD + 4 * sum(sizes) + size:
            return None
        ends = list(itertools.accumulate(sizes, initial=0))
        whole = np.frombuffer(data, "<i4", sum(sizes), _HEAD).astype(np.int64)
        firsts, ids, said, signed = (whole[begin:end] for begin, end in itertools.pairwise(ends))
        comments, glyphs = json.loads(data[len(data) - size :])
        return cls(firsts, ids, said, signed, comments, list(map(tuple, glyphs)))

    @property
    def size(self) -> int:
        """The approximate size in memory, in bytes."""
        texts = sum(map(len, filter(None, self.comments)))
        numbers = 3 * len(self.ids) + len(self.firsts) + 8 * (len(self.comments) + len(self.glyphs))
        return 8 * numbers + 2 * texts


_HEAD: Final = 24
