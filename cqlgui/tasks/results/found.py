"""The hits of a search as columns of numbers. Objects are made only for hits that are shown.

Each hit is one number in an array: the game's ordinal shifted left by 32 bits, plus the positionid. A second
array holds the orbit elements that matched, hit after hit. Millions of hits are therefore only a few arrays.
This module uses no window and no files.
"""

from __future__ import annotations

import bisect
import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from cqlgui.base import arrays, data, priority
from cqlgui.base.data import dataclass
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.runtime import game_log, values
from cqlgui.engine.passes import detail_pass, orbit_pass
from cqlgui.jit.words import MASK
from cqlgui.tasks.results import discarding, hit_model
from cqlgui.tasks.results.hit_notes import NO_END, GameEnd, GameEnds, HitNotes

Integers: TypeAlias = "npt.NDArray[np.int64]"
Codes: TypeAlias = "npt.NDArray[np.int32]"
Words: TypeAlias = "npt.NDArray[np.uint64]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"
_Number = TypeVar("_Number", bound=np.generic)

GAME_SHIFT: Final = 32
PLACE_MASK: Final = (1 << GAME_SHIFT) - 1


@dataclass(frozen=True, slots=True, eq=False)
class HitDetails:
    """Details of hits, in the same arrays as in `detail_pass.Detailed`. `values` has a value for each hit: a
    number, a set of squares or a string, as `kind` says. Strings are objects in the array. `squares` has the
    squares to ring for each hit. `marks` has the squares of each match."""

    kind: Type | None
    values: Integers
    squares: Words
    marks: Words
    notes: HitNotes | None = None
    """The comments that the query writes at hits; None if the query writes no comments."""
    game_ends: GameEnds | None = None
    """What the query says about the games of the hits; None if it says nothing about whole games."""

    @property
    def silent(self) -> bool:
        """Whether the query writes no comments."""
        return self.notes is None and self.game_ends is None

    @classmethod
    def none(cls, kind: Type | None, hits: int, codes: int) -> HitDetails:
        """Empty details, for hits whose real details are stored elsewhere."""
        empty = np.zeros(hits, object if kind is Type.STRING else np.int64)
        return cls(kind, empty, np.zeros(hits, np.uint64), np.zeros(codes, np.uint64))

    @classmethod
    def joined(cls, parts: Sequence[HitDetails]) -> HitDetails:
        """Concatenate the details of several parts. All parts have values of one kind."""
        return cls(
            parts[0].kind,
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.squares for part in parts]),
            np.concatenate([part.marks for part in parts]),
            HitNotes.joined([part.notes or HitNotes.none(len(part.values)) for part in parts])
            if any(part.notes is not None for part in parts)
            else None,
            GameEnds.joined([part.game_ends or GameEnds.none(len(part.values)) for part in parts])
            if any(part.game_ends is not None for part in parts)
            else None,
        )

    def take(self, hits: Any, codes: Any) -> HitDetails:
        """The details of some hits, chosen by indices of hits and of codes."""
        notes = None if self.notes is None else self.notes.take(hits)
        ends = None if self.game_ends is None else self.game_ends.take(hits)
        return HitDetails(self.kind, self.values[hits], self.squares[hits], self.marks[codes], notes, ends)

    def containers(self) -> list[Any]:
        """The arrays and lists of these details, for `discarding.discard`."""
        found: list[Any] = [self.values, self.squares, self.marks]
        if self.notes is not None:
            found += self.notes.ends, self.notes.places, self.notes.texts, self.notes.table
        if self.game_ends is not None:
            found += self.game_ends.numbers, self.game_ends.table
        return found

    def value(self, number: int) -> str | None:
        """The value of a hit as text; None if the hit has no value."""
        if self.kind is Type.STRING:
            text: str | None = self.values[number]
            return values.string_text(text)
        value = int(self.values[number])
        if self.kind is Type.SET:
            return _set_text(value & MASK)
        return None if self.kind is None or value == detail_pass.NO_VALUE else values.number_text(value)


_set_text = functools.lru_cache(1 << 12)(values.set_text)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Hits in the order of a table. All hits of a game are consecutive. The elements that match at hit n are
    `codes[ends[n - 1]:ends[n]]` (`orbit_pass.code_of`), each element once. `details` is None if the details
    are unknown."""

    hits: Integers
    ends: Integers
    codes: Codes
    details: HitDetails | None = None

    def __len__(self) -> int:
        return len(self.hits)

    @property
    def games(self) -> Integers:
        """The game of each hit."""
        return self.hits >> GAME_SHIFT

    @property
    def starts(self) -> Integers:
        """The index where the codes of each hit begin."""
        return np.concatenate([_ZERO, self.ends[:-1]]) if len(self.ends) else self.ends

    def primary(self) -> Integers:
        """The code of each hit's primary match; -1 for a hit without a match."""
        if not len(self.codes):
            return np.full(len(self), -1, np.int64)
        starts = self.starts
        matched = self.ends > starts
        found = self.codes[np.minimum(starts, len(self.codes) - 1)].astype(np.int64)
        found[~matched] = -1
        return found

    def says(self) -> bool:
        """Whether the query writes something at a hit, as `GameHits.says`."""
        details = self.details
        if details is None or details.notes is None:
            return False
        if len(details.notes.texts):
            return True
        lasts, places, _ = self.closing()
        starts = first_hits(self.hits)
        firsts = starts[np.searchsorted(starts, lasts, "right") - 1]
        # Most of these comments stand at the start of their game. The hits of a game ascend.
        if np.any(places == self.hits[firsts] & PLACE_MASK):
            return True
        later = np.flatnonzero(places > 0)
        listed = (firsts[later].tolist(), lasts[later].tolist(), places[later].tolist())
        return any(
            np.any(self.hits[first : last + 1] & PLACE_MASK == place)
            for first, last, place in zip(*listed, strict=True)
        )

    def game_ends(self) -> list[GameEnd]:
        """What the query says about each game after its last hit. The list is empty if it says nothing."""
        found = None if self.details is None else self.details.game_ends
        return [] if found is None else found.of(first_hits(self.hits))

    def closing(self) -> tuple[Integers, Integers, list[str]]:
        """The comments of `game_ends`: for each comment the index of the game's last hit, the positionid and
        the text."""
        ends = self.game_ends()
        lasts = np.append(first_hits(self.hits)[1:], len(self.hits)) - 1
        sizes = [len(one.comments) for one in ends]
        listed = [comment for one in ends for comment in one.comments]
        places = np.array([place for place, _ in listed], np.int64)
        return np.repeat(lasts[: len(sizes)], sizes), places, [text for _, text in listed]

    def take(self, chosen: Integers | Mask) -> Columns:
        """Some of the hits, chosen by a mask or by their numbers."""
        if chosen.dtype == np.bool_:
            return self._masked(chosen)  # type: ignore[arg-type]  # one of the two
        numbers: Integers = chosen  # type: ignore[assignment]  # the other one
        if not len(self.codes):
            return self._chosen(numbers, no_ends(len(numbers)), slice(0))
        starts, sizes = arrays.bounded(self.ends, numbers)
        return self._chosen(numbers, np.cumsum(sizes), arrays.stretched(starts, sizes))

    def _chosen(self, hits: Any, ends: Integers, codes: Any) -> Columns:
        """Some of the hits with their codes, chosen by indices. The new columns get the array `ends`."""
        details = None if self.details is None else self.details.take(hits, codes)
        return Columns(self.hits[hits], ends, self.codes[codes], details)

    def _masked(self, mask: Mask) -> Columns:
        """The hits that a mask selects. A mask is several times faster than a list of numbers."""
        if not len(self.codes):
            return self._chosen(mask, no_ends(int(np.count_nonzero(mask))), slice(0))
        sizes = np.diff(self.ends, prepend=0)
        return self._chosen(mask, np.cumsum(sizes[mask]), arrays.repeated(mask, sizes))

    def containers(self) -> list[Any]:
        """The arrays and lists of these columns, for `discarding.discard`."""
        own = [self.hits, self.ends, self.codes]
        return own if self.details is None else [*own, *self.details.containers()]

    def part(self, begin: int, end: int) -> Columns:
        """The hits from `begin` to `end`, without a copy of the arrays."""
        hits = slice(begin, end)
        if not len(self.codes):
            return self._chosen(hits, no_ends(len(self.hits[hits])), slice(0))
        first = int(self.ends[begin - 1]) if begin else 0
        last = int(self.ends[end - 1]) if end else 0
        return self._chosen(hits, self.ends[hits] - first, slice(first, last))

    def stretches(self, most: int) -> Iterator[Columns]:
        """The hits in parts of about `most` hits. All hits of a game are in one part."""
        begin = 0
        while begin < len(self.hits):
            end = min(begin + most, len(self.hits))
            while end < len(self.hits) and self.hits[end] ^ self.hits[end - 1] <= PLACE_MASK:
                end += 1
            yield self.part(begin, end)
            begin = end

    def of_games(self, begin: int, end: int) -> Columns:
        """The hits of games `begin` to `end` - 1. The hits must be in ascending order."""
        if not len(self.hits):
            # This method is called for each interpreted game. NumPy would be slow for a game without hits.
            return self
        low, high = np.searchsorted(self.hits, [begin << GAME_SHIFT, end << GAME_SHIFT]).tolist()
        return self.part(low, high)


def no_ends(count: int) -> Integers:
    """The array `ends` for hits without elements. This array takes no memory."""
    return np.broadcast_to(_ZERO[0], count)


_ZERO: Final[Integers] = np.zeros(1, np.int64)
BLOCK: Final = 1 << 20
"""Number of hits that are processed together. Fewer hits would be slower, and more hits would need more
memory."""
_COUNTED: Final = 1 << 16
"""Number of hits whose codes are counted in one call. NumPy holds the interpreter lock during this call too.
An orbit may have many codes at each hit, so more hits would block the window."""
NOTHING: Final = Columns(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32))


def count_games(hits: Integers) -> int:
    """Number of games in a list of hits. All hits of a game must be consecutive."""
    return int(np.count_nonzero(hits[1:] ^ hits[:-1] > PLACE_MASK)) + 1 if len(hits) else 0


def _together(parts: Sequence[Integers], measured: Sequence[tuple[int, bool]]) -> tuple[int, bool]:
    """The value of `FoundGames.measured` for several concatenated parts. `measured` has the value for each
    part. No game is in two parts."""
    shown = [part for part in parts if len(part)]
    return (
        sum(games for games, _ascending in measured),
        all(ascending for _games, ascending in measured)
        and all(before[-1] < after[0] for before, after in itertools.pairwise(shown)),
    )


def first_hits(hits: Integers) -> Integers:
    """The index of each game's first hit. All hits of a game must be consecutive."""
    if not len(hits):
        return np.zeros(0, np.int64)
    return np.concatenate([_ZERO, np.flatnonzero(hits[1:] ^ hits[:-1] > PLACE_MASK) + 1])


def each_game(hits: Integers) -> Integers:
    """The games of a list of hits, each game once. All hits of a game must be consecutive."""
    return hits[first_hits(hits)] >> GAME_SHIFT


def places(hits: Integers) -> dict[int, list[int]]:
    """The positionids of the hits of each game. All hits of a game must be consecutive."""
    starts = first_hits(hits).tolist()
    found = (hits & PLACE_MASK).tolist()
    games = each_game(hits).tolist()
    if not games:
        return {}
    return {
        game: found[begin:end]
        for game, begin, end in zip(games, starts, [*starts[1:], len(found)], strict=True)
    }


def tallied(numbers: Integers, length: int = 0) -> Integers:
    """How often each of the numbers 0, 1, 2 and so on occurs, like `numpy.bincount`. The result has at least
    `length` counts. With millions of hits, a single call of `numpy.bincount` would block the window."""
    found: Integers = np.zeros(max(length, int(numbers.max()) + 1 if len(numbers) else 0), np.int64)
    for begin in range(0, len(numbers), BLOCK):
        found += np.bincount(numbers[begin : begin + BLOCK], minlength=len(found))
    return found


def joined(parts: Sequence[Columns]) -> Columns:
    """Concatenate columns. Details are kept if all parts have details."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return NOTHING
    known = [part.details for part in parts if part.details is not None]
    details = HitDetails.joined(known) if len(known) == len(parts) else None
    if not any(len(part.codes) for part in parts):
        hits = np.concatenate([part.hits for part in parts])
        return Columns(hits, no_ends(len(hits)), NOTHING.codes, details)
    shifts = np.cumsum([0, *(len(part.codes) for part in parts[:-1])])
    return Columns(
        np.concatenate([part.hits for part in parts]),
        np.concatenate([part.ends + shift for part, shift in zip(parts, shifts, strict=True)]),
        np.concatenate([part.codes for part in parts]),
        details,
    )


class Growing:
    """Columns that grow by whole games. The arrays are longer than needed, so that millions of hits need not
    be copied at the end. The unused memory costs nothing until it is written."""

    def __init__(self) -> None:
        self._hits: Integers = np.empty(_ROOM, np.int64)
        # `_ends` is None as long as no hit has elements.
        self._ends: Integers | None = None
        self._codes: Codes = np.empty(0, np.int32)
        self._size = self._coded = 0
        self._starts: list[Integers] = []
        self._details: list[HitDetails] = []

    def __len__(self) -> int:
        return self._size

    def add(self, columns: Columns, starts: Integers) -> None:
        """Append the hits of some games; `starts` is the result of `first_hits` for these hits. Either all
        additions have details, or no addition has details."""
        end, coded = self._size + len(columns), self._coded + len(columns.codes)
        self._hits = _with_room(self._hits, self._size, end)
        self._hits[self._size : end] = columns.hits
        if coded and self._ends is None:
            self._ends = np.zeros(len(self._hits), np.int64)
        if self._ends is not None:
            self._ends = _with_room(self._ends, self._size, end)
            self._ends[self._size : end] = columns.ends
            self._ends[self._size : end] += self._coded
            self._codes = _with_room(self._codes, self._coded, coded)
            self._codes[self._coded : coded] = columns.codes
        self._starts.append(starts + self._size)
        if columns.details is not None:
            self._details.append(columns.details)
        self._size, self._coded = end, coded

    def whole(self, told: Mapping[int, hit_model.GameHits], untold: GameDefaults | None) -> FoundGames:
        """All hits, with the details of the games. Nothing may be added afterwards."""
        size = self._size
        _trim(self._hits, size)
        _trim(self._codes, self._coded)
        if self._ends is None:
            ends = no_ends(size)
        else:
            _trim(self._ends, size)
            ends = self._ends
        details = HitDetails.joined(self._details) if self._details else None
        _discard(self._details)
        columns = Columns(self._hits, ends, self._codes, details)
        starts = np.concatenate(self._starts) if self._starts else np.zeros(0, np.int64)
        games = columns.hits[starts] >> GAME_SHIFT
        if not np.all(games[1:] > games[:-1]):
            # If the search was stopped, the games may be out of order, because some details came late.
            return FoundGames(columns.take(np.argsort(columns.hits, kind="stable")), told, untold)
        made = FoundGames(columns, told, untold)
        if not told:
            # The hits of one game come from the engine in order.
            made._measured = len(games), True
            made._bounds = games, starts, np.append(starts[1:], size) if len(starts) else starts
        return made


_ROOM: Final = 1 << 12
_COPIED: Final = 1 << 18
"""Maximum number of values that are copied when an array grows. Copying millions of values during a search
takes a tenth of a second, and a user who stops the search would wait for the copying."""
_RESERVED: Final = 1 << 24
"""Minimum length of an array that has grown beyond `_COPIED` values. The array takes only address space until
values are written."""


def _with_room(values: npt.NDArray[_Number], used: int, size: int) -> npt.NDArray[_Number]:
    """An array of at least `size` values that begins with the first `used` values of another array."""
    if size <= len(values):
        return values
    room = 2 * len(values)
    if room > _COPIED:
        room = max(room, _RESERVED)
    made = np.empty(max(size, room), values.dtype)
    made[:used] = values[:used]
    return made


def _trim(values: npt.NDArray[_Number], used: int) -> None:
    """Shorten an array in place to its first `used` values. A large array is not copied: the C library gives
    the end of its memory back. A result may be kept for long, and a process has little address space on some
    machines."""
    # `refcheck` would count the references of this function and of its caller. There are no views.
    values.resize(used, refcheck=False)


class Pieces:
    """Columns that grow at the end. New parts are kept as they are, so the cost of an addition does not
    depend on the number of hits."""

    def __init__(self) -> None:
        self._parts: list[Columns] = []
        # The number of hits before each part, and the first hit of each part.
        self._starts: list[int] = []
        self._firsts: list[int] = []
        self._size = 0
        self.ascending = True
        """Whether the hits ascend."""

    def __len__(self) -> int:
        return self._size

    def add(self, columns: Columns, *, ascending: bool) -> None:
        """Append hits; `ascending` tells whether these hits ascend."""
        if not len(columns):
            return
        last = self._parts[-1].hits[-1] if self._parts else -1
        self.ascending = bool(self.ascending and ascending and columns.hits[0] > last)
        if self._parts and len(self._parts[-1]) + len(columns) <= SMALL:
            self._parts[-1] = joined([self._parts[-1], columns])
        else:
            self._parts.append(columns)
            self._starts.append(self._size)
            self._firsts.append(int(columns.hits[0]))
        self._size += len(columns)

    def replace(self, columns: Columns) -> None:
        """Replace all parts by a single part with the same number of hits."""
        assert len(columns) == self._size
        if len(columns):
            former, self._parts = self._parts, [columns]
            self._starts, self._firsts = [0], [int(columns.hits[0])]
            _discard(former)

    def clear(self) -> None:
        """Remove all hits."""
        former, self._parts, self._starts, self._firsts = self._parts, [], [], []
        self._size, self.ascending = 0, True
        _discard(former)

    def whole(self) -> Columns:
        """All hits in one part. The parts are replaced by this part."""
        if len(self._parts) > 1:
            self.replace(joined(self._parts))
        return self._parts[0] if self._parts else NOTHING

    def hit(self, number: int) -> int:
        """A hit by its number."""
        place = bisect.bisect_right(self._starts, number) - 1
        return int(self._parts[place].hits[number - self._starts[place]])

    def hits(self, numbers: Integers) -> Integers:
        """Hits by their numbers. The numbers must ascend."""
        found: list[Integers] = []
        begin = 0
        while begin < len(numbers):
            place = bisect.bisect_right(self._starts, int(numbers[begin])) - 1
            start, piece = self._starts[place], self._parts[place]
            end = begin + int(np.searchsorted(numbers[begin:], start + len(piece)))
            found.append(piece.hits[numbers[begin:end] - start])
            begin = end
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def part(self, begin: int, end: int) -> Columns:
        """The hits from `begin` to `end`. If these hits are in several parts, the result is a copy."""
        found: list[Columns] = []
        place = max(0, bisect.bisect_right(self._starts, begin) - 1)
        while begin < end and place < len(self._parts):
            start, piece = self._starts[place], self._parts[place]
            last = min(end, start + len(piece))
            found.append(piece.part(begin - start, last - start))
            begin, place = last, place + 1
        return joined(found)

    def stretch(self, game: int) -> tuple[int, int]:
        """The index of a game's first hit, and the index after the game's last hit. The hits must ascend."""
        return self._first_from(game << GAME_SHIFT), self._first_from((game + 1) << GAME_SHIFT)

    def _first_from(self, hit: int) -> int:
        place = max(0, bisect.bisect_left(self._firsts, hit) - 1)
        if not self._parts:
            return 0
        return self._starts[place] + int(self._parts[place].hits.searchsorted(hit))


def _discard(parts: list[Columns] | list[HitDetails]) -> None:
    """Free the parts of a result. Empties the list."""
    containers = [one for part in parts for one in part.containers()]
    # A container is freed in steps only if nothing else refers to it.
    parts.clear()
    discarding.discard(containers)


SMALL: Final = 1 << 14
"""Small parts are joined as long as the joined part has at most this number of hits. A search may return hits
game by game. Without joining, each game would be a part of its own."""


def having(columns: Columns, code: int) -> Mask:
    """A mask of the hits where an element matched."""
    mask = np.zeros(len(columns), np.bool_)
    if len(columns.codes):
        for begin in range(0, len(columns), BLOCK):
            block = columns.part(begin, min(begin + BLOCK, len(columns)))
            # Running count of the element's matches; a hit has each element at most once.
            passed = np.zeros(len(block.codes) + 1, np.int32)
            np.cumsum(block.codes == code, out=passed[1:])
            mask[begin : begin + BLOCK] = np.diff(passed[block.ends], prepend=0)
    return mask


def of_hits(listed: Iterable[hit_model.GameHits]) -> Columns:
    """The columns of hits that are given as objects."""
    hits: list[int] = []
    ends: list[int] = []
    codes: list[int] = []
    for game in listed:
        for hit in game.hits:
            hits.append(game.game << GAME_SHIFT | hit.positionid)
            if hit.matches:
                # An element may match several times for one hit, at other positions of the game.
                codes += dict.fromkeys(
                    orbit_pass.code_of(match.orbit, match.element)
                    for match in hit.matches
                    if match.orbit >= 0
                )
            ends.append(len(codes))
    return Columns(np.array(hits, np.int64), np.array(ends, np.int64), np.array(codes, np.int32))


NUMBER: Final = "Game number "
"""How the comment with a game's number begins."""


@dataclass(frozen=True, slots=True)
class GameDefaults:
    """What is known of the hits of a query without the interpreter. `valued` says whether the hits have
    values. `writes` says whether the query writes comments. If the query writes no comments, the only
    comments are the match string at each hit and the game's number. `firsts` has the base ordinal of each
    source's first game. `unique` says whether a comment is written only once at a position.
    `set_tags` and `remove_comments` say whether tags are set and comments of the file are removed.
    `separable` says whether everything that the query says about a hit depends on this hit alone."""

    valued: bool
    writes: bool
    match_string: str
    header_comment: bool
    firsts: tuple[int, ...]
    unique: bool = True
    set_tags: bool = True
    remove_comments: bool = True
    separable: bool = False

    def log(
        self,
        game: int,
        places: Sequence[int],
        notes: Iterable[Sequence[game_log.Note]] | None = None,
        closing: Sequence[game_log.Note] = (),
    ) -> tuple[game_log.Entry, ...]:
        """The comments of the game `game`. `places` has the positionids of the game's hits, `notes` the
        comments that the query itself writes at each hit, and `closing` those that it writes after the last
        hit. If `notes` is None but the query writes comments, the result is empty, because the comments are
        unknown."""
        if notes is None:
            if self.writes:
                return ()
            notes = [()] * len(places)
        found = [(0, self.number(game), game_log.NUMBER)] if self.header_comment else []
        for place, own in zip(places, notes, strict=True):
            found += [(*note, place) for note in own]
            if self.match_string:
                found.append((place, self.match_string, game_log.MARK))
        found += [(*note, game_log.GAME) for note in closing]
        return game_log.finished(found, self.unique)

    def number(self, game: int) -> str:
        """The comment with a game's number in its source."""
        first = self.firsts[bisect.bisect_right(self.firsts, game) - 1]
        return f"{NUMBER}{game - first + 1}"

    def numbers(self, games: Integers) -> list[str]:
        """`number` for many games."""
        firsts = np.array(self.firsts, np.int64)
        places = games - firsts[np.searchsorted(firsts, games, "right") - 1] + 1
        return [f"{NUMBER}{place}" for place in places.tolist()]


class FoundGames(Mapping[int, hit_model.GameHits]):
    """The matching games by ordinal, in the order of `columns`.

    `told` has the games whose details are known as objects, mostly from the interpreter. For the other games,
    `columns` has the hits and elements, and perhaps values and squares. `untold` gives the comments of these
    games."""

    def __init__(
        self, columns: Columns, told: Mapping[int, hit_model.GameHits], untold: GameDefaults | None = None
    ) -> None:
        self.columns = columns
        self.told = told
        self.untold = untold
        self._bounds: tuple[Integers, Integers, Integers] | None = None
        self._measured: tuple[int, bool] | None = None
        self._says: bool | None = None
        self._ordered: tuple[tuple[int, ...], FoundGames | None] | None = None
        self._sort_keys: dict[int, tuple[int | str | None, ...]] | None = None

    def __del__(self) -> None:
        if discarding.is_on():
            containers = [self.told, self._sort_keys or (), *self.columns.containers(), *(self._bounds or ())]
            # As in `_discard`.
            self.__dict__.clear()
            discarding.discard(containers)

    @classmethod
    def of(cls, listed: Iterable[hit_model.GameHits]) -> FoundGames:
        """Make a result from hits that are given as objects."""
        told = {game.game: game for game in listed}
        return cls(of_hits(told.values()), told)

    @classmethod
    def merged(cls, parts: Sequence[FoundGames]) -> FoundGames:
        """Concatenate several results. No game is in two results. A single result is returned as it is."""
        if len(parts) == 1:
            return parts[0]
        told: dict[int, hit_model.GameHits] = {}
        for part in parts:
            told.update(part.told)
        untold = next((part.untold for part in parts if part.untold is not None), None)
        made = cls(joined([part.columns for part in parts]), told, untold)
        known = [part._measured for part in parts]
        if all(known):
            made._measured = _together([part.columns.hits for part in parts], [one for one in known if one])
        said = [part._says for part in parts]
        if None not in said:
            made._says = any(said)
        return made

    @classmethod
    def filled(cls, parts: Sequence[FoundGames]) -> FoundGames:
        """As `merged`, for parts whose `columns` lack the games of `told`. These games get columns with blank
        details, because the objects have their details."""
        kinds = [part.columns.details.kind for part in parts if part.columns.details is not None]
        made = list[FoundGames]()
        for part in parts:
            added = of_hits(part.told.values())
            blank = HitDetails.none(kinds[0] if kinds else None, len(added), len(added.codes))
            both = [one for one in (part.columns, data.replace(added, details=blank)) if len(one)]
            if both:
                made.append(cls(joined(both), part.told, part.untold))
        return cls.merged(made)

    @classmethod
    def grouped(cls, parts: Sequence[FoundGames]) -> Iterator[FoundGames]:
        """The results `parts`, with small results joined into larger results. Large results are not joined,
        so that little is copied."""
        group: list[FoundGames] = []
        size = 0
        for part in parts:
            if group and size + len(part.columns) > SMALL:
                yield cls.merged(group)
                group, size = [], 0
            group.append(part)
            size += len(part.columns)
        if group:
            yield cls.merged(group)

    @property
    def measured(self) -> tuple[int, bool]:
        """The number of games with hits, and whether the hits ascend. The value is cached. The search thread
        computes the value first, so that the window's thread need not compute it."""
        if self._measured is None:
            hits = self.columns.hits
            self._measured = count_games(hits), bool(np.all(hits[1:] > hits[:-1]))
        return self._measured

    @property
    def says(self) -> bool:
        """Whether the query writes something at a hit of the columns. The value is cached."""
        if self._says is None:
            self._says = self.columns.says()
        return self._says

    def prepare(self) -> None:
        """Compute the cached values `measured`, `bounds` and `says`. The search thread calls this, because
        the computation would block the window's thread."""
        _ = self.measured, self.bounds, self.says

    def stretch(self, game: int) -> tuple[int, int]:
        """The index of a game's first hit, and the index after the game's last hit. The two indices are equal
        if the game has no hit."""
        games, starts, ends = self.bounds
        at = int(np.searchsorted(games, game))
        if at >= len(games) or games[at] != game:
            return 0, 0
        return int(starts[at]), int(ends[at])

    @property
    def games(self) -> Integers:
        """The games, ascending."""
        return self.bounds[0]

    @property
    def bounds(self) -> tuple[Integers, Integers, Integers]:
        """The games, ascending, each with the index of its first hit and the index after its last hit."""
        if self._bounds is None:
            hits = self.columns.hits
            starts = first_hits(hits)
            ends = np.append(starts[1:], len(hits)) if len(starts) else starts
            games = hits[starts] >> GAME_SHIFT
            # A query may accept games that have no hits. These games are only in `told`.
            bare = [game for game, found in self.told.items() if not found.hits]
            if bare:
                games = np.append(games, np.array(bare, np.int64))
                starts = np.append(starts, np.full(len(bare), len(hits)))
                ends = np.append(ends, np.full(len(bare), len(hits)))
            order = np.argsort(games, kind="stable")
            self._bounds = games[order], starts[order], ends[order]
        return self._bounds

    def in_order(self, order: tuple[int, ...]) -> FoundGames:
        """The same games in another order, or this object if the order is the same. The last result is
        cached for this object `order`. The search thread makes it first, because making it would block the
        window's thread."""
        if self._ordered is None or self._ordered[0] is not order:
            wanted = np.fromiter(order, np.int64, len(order))
            found = None
            if not (self.measured[1] and np.all(wanted[1:] > wanted[:-1])):
                found = FoundGames(self.columns.take(self.places_of(wanted)), self.told, self.untold)
            # A reference to this object itself would keep the object in memory.
            self._ordered = order, found
        return self if self._ordered[1] is None else self._ordered[1]

    def columns_of(self, games: Integers) -> Columns:
        """The columns of some games, in the order of `games`. Nothing is copied if these hits follow each
        other."""
        chosen = self.places_of(games)
        begin = int(chosen[0]) if len(chosen) else 0
        if np.array_equal(chosen, np.arange(begin, begin + len(chosen))):
            return self.columns.part(begin, begin + len(chosen))
        return self.columns.take(chosen)

    def hits_in(self, games: Integers) -> Integers:
        """The hits of some games, in the order of `games`."""
        return self.columns.hits[self.places_of(games)]

    def places_of(self, wanted: Integers) -> Integers:
        """The indices of the hits of some games."""
        games, starts, ends = self.bounds
        at = np.searchsorted(games, wanted)
        return arrays.stretched(starts[at], ends[at] - starts[at])

    def spelt_out(self) -> FoundGames:
        """The games of this result, with all details in `told` and no details in the columns."""
        if self.columns.details is None:
            return self
        return FoundGames(data.replace(self.columns, details=None), dict(self))

    def is_told(self, game: int) -> bool:
        """Whether all details of a game are known."""
        return self.columns.details is not None or game in self.told

    def not_told(self, games: Sequence[int]) -> Sequence[int]:
        """Those of some games whose details are not all known, in their order. For many games this method is
        faster than `is_told`."""
        if self.columns.details is not None:
            return ()
        return [game for game in games if game not in self.told] if self.told else games

    def comments(self, game: int) -> Sequence[game_log.Note]:
        """The comments that the query writes into a game, as far as they are known. This method is faster
        than getting the whole game."""
        told = self.told.get(game)
        if told is not None:
            return told.comments
        if self.untold is None:
            return ()
        first, end = self.stretch(game)
        log = _log(self.columns, first, end, self.untold) if first < end else ()
        return game_log.comments(log, self.untold.unique)

    def sort_keys(self) -> dict[int, tuple[int | str | None, ...]]:
        """The sort keys of the games, as far as they are known. The result is cached. The search thread makes
        it first, because making it would block the window's thread."""
        if self._sort_keys is None:
            keys = [one.sort_keys for one in self.columns.game_ends()]
            found = dict(zip(each_game(self.columns.hits).tolist(), keys, strict=True)) if keys else {}
            self._sort_keys = found | {game: told.sort_keys for game, told in self.told.items()}
        return self._sort_keys

    def __getitem__(self, game: int) -> hit_model.GameHits:
        whole = self.told.get(game)
        if whole is not None:
            return whole
        first, end = self.stretch(game)
        if first == end:
            raise KeyError(game)
        return view(self.columns, first, end, self.untold)

    def __iter__(self) -> Iterator[int]:
        games, starts, _ = self.bounds
        return iter(games[np.argsort(starts, kind="stable")].tolist())

    def __len__(self) -> int:
        return len(self.bounds[0])

    def __contains__(self, game: object) -> bool:
        return isinstance(game, int) and (game in self.told or self.stretch(game) != (0, 0))


def view(columns: Columns, first: int, end: int, untold: GameDefaults | None) -> hit_model.GameHits:
    """A game with the hits `first` to `end` - 1, made from columns."""
    game = int(columns.hits[first]) >> GAME_SHIFT
    hits = tuple(hits_of(columns, first, end))
    told = columns.details is not None
    if untold is None:
        return hit_model.GameHits(game, hits, told=told)
    log, keys = _log(columns, first, end, untold), _game_end(columns.details, first).sort_keys
    match_string, unique = untold.match_string, untold.unique
    return hit_model.GameHits(game, hits, log, keys, match_string=match_string, told=told, unique=unique)


def _log(columns: Columns, first: int, end: int, untold: GameDefaults) -> tuple[game_log.Entry, ...]:
    """The comments of a game with the hits `first` to `end` - 1, as far as they are known."""
    details = columns.details
    notes = None if details is None or details.notes is None else details.notes.of(first, end)
    hits = columns.hits[first:end]
    closing = () if notes is None else _game_end(details, first).comments
    return untold.log(int(hits[0]) >> GAME_SHIFT, (hits & PLACE_MASK).tolist(), notes, closing)


def _game_end(details: HitDetails | None, hit: int) -> GameEnd:
    """What the query says about the game of a hit after its last hit."""
    if details is None or details.game_ends is None:
        return NO_END
    return details.game_ends.of(slice(hit, hit + 1))[0]


def hits_of(columns: Columns, first: int, end: int) -> Iterator[hit_model.Hit]:
    """The hits `first` to `end` - 1, with their details if the columns have them."""
    details = columns.details
    numbers = columns.hits[first:end].tolist()
    squares = [0] * len(numbers) if details is None else details.squares[first:end].tolist()
    begin = int(columns.ends[first - 1]) if first else 0
    for place, (hit, ringed) in enumerate(zip(numbers, squares, strict=True), first):
        last = int(columns.ends[place])
        found: tuple[hit_model.OrbitMatch, ...] = ()
        if last > begin:
            marks = () if details is None else details.marks[begin:last].tolist()
            found = matches(columns.codes[begin:last].tolist(), hit & PLACE_MASK, marks)
        value = None if details is None else details.value(place)
        yield hit_model.Hit(hit >> GAME_SHIFT, hit & PLACE_MASK, value, ringed, found)
        begin = last


def trimmed(told: hit_model.GameHits, columns: Columns, first: int, end: int) -> hit_model.GameHits:
    """The details of a game, reduced to the hits `first` to `end` - 1. The comments of other hits are dropped
    (`game_log.kept`). A hit that comes from another query has no details. The hit gets the match string, but
    neither a value nor squares."""
    places = (columns.hits[first:end] & PLACE_MASK).tolist()
    known = {hit.positionid: hit for hit in told.hits}
    if known.keys() == set(places):
        return told
    plain = dict(zip(places, hits_of(columns, first, end), strict=True))
    hits = tuple(known.get(place) or plain[place] for place in places)
    log = game_log.kept(told.log, set(places))
    if told.match_string:
        log += [(place, told.match_string, game_log.MARK) for place in places if place not in known]
    return data.replace(told, hits=hits, log=tuple(log))


def told_by_both(
    one: hit_model.GameHits, other: hit_model.GameHits, *, again: bool = False
) -> hit_model.GameHits:
    """The details of a game from two results. If both results have the same hit or the same tag, the version
    of the first result is kept. The comments of the second result follow those of the first one. All hits get
    the match string of the first result. If both results come from the same query (`again`), comments that
    are in both results are written once, and the comments are in the order of their hits."""
    hits = {hit.positionid: hit for hit in (*other.hits, *one.hits)}
    known = {hit.positionid for hit in one.hits}
    known_log = {*one.log} if again else ()
    log = [entry for entry in other.log if entry[2] >= game_log.GAME and entry not in known_log]
    if one.match_string:
        places = [hit.positionid for hit in other.hits if hit.positionid not in known]
        log += [(place, one.match_string, game_log.MARK) for place in places]
    whole = (*one.log, *log)
    return data.replace(
        one,
        hits=tuple(hits[place] for place in sorted(hits)),
        log=game_log.finished(game_log.in_order(whole) if again else whole, one.unique),
        tags=tuple({**dict(other.tags), **dict(one.tags)}.items()),
        removed=tuple(sorted({*one.removed, *other.removed})),
    )


def foreign(told: hit_model.GameHits) -> hit_model.GameHits:
    """The details of a game from another query, without the details that depend on the other query's orbits
    and sort keys."""
    hits = tuple(data.replace(hit, matches=()) for hit in told.hits)
    return data.replace(told, hits=hits, sort_keys=())


def matches(codes: Iterable[int], place: int, marks: Iterable[int] = ()) -> tuple[hit_model.OrbitMatch, ...]:
    """The elements that matched at a position, decoded from their codes; `marks` are the squares of the
    elements, as far as the squares are known."""
    mask = (1 << orbit_pass.ELEMENT_BITS) - 1
    return tuple(
        hit_model.OrbitMatch(code >> orbit_pass.ELEMENT_BITS, code & mask, place, own)
        for code, own in zip(codes, itertools.chain(marks, itertools.repeat(0)), strict=False)
    )


def counts(columns: Columns, orbits: Sequence[int]) -> Integers:
    """One row for each element of several orbits: the number of games and the number of positions where the
    element matched. `orbits` gives the number of elements of each orbit. The rows follow the order of the
    orbits and their elements."""
    offsets = np.cumsum([0, *orbits])
    total = int(offsets[-1])
    found = np.zeros((total, 2), np.int64)
    mask = (1 << orbit_pass.ELEMENT_BITS) - 1
    for block in columns.stretches(_COUNTED) if total and len(columns.codes) else ():
        priority.pause()
        codes = block.codes
        if not len(codes):
            continue
        elements = codes if len(orbits) == 1 else offsets[codes >> orbit_pass.ELEMENT_BITS] + (codes & mask)
        positions = np.bincount(elements, minlength=total)
        found[:, 1] += positions
        # Games are numbered from 0 within a block. This numbering keeps the table of games and elements
        # small.
        first = np.zeros(len(block), np.bool_)
        first[first_hits(block.hits)[1:]] = True
        games = np.cumsum(first)
        owners = arrays.repeated(games, np.diff(block.ends, prepend=0))
        matched = np.flatnonzero(positions)
        places = np.zeros(total, np.int64)
        places[matched] = np.arange(len(matched))
        width = len(matched)
        cells = owners * width + places[elements]
        size = (int(games[-1]) + 1) * width
        if size <= _LARGEST_TABLE:
            table = np.zeros(size, np.bool_)
            table[cells] = True
            found[matched, 0] += np.count_nonzero(table.reshape(-1, width), axis=0)
        else:
            found[matched, 0] += np.bincount(arrays.distinct(cells) % width, minlength=width)
    return found


_LARGEST_TABLE: Final = 1 << 24
"""Maximum size in bytes of the table of games and elements in `counts`. If the table would be larger, the
pairs of game and element are sorted instead."""
