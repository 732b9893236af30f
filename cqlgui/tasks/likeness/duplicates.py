"""Finds the games of a base that are the same game: the same moves, or the beginning of another game.

Two games are compared only if they begin from the same position. The players must be compatible
(`player_names`). Short games are often equal by chance, so more is asked of them:

- Of at least `LONG` plies, or from a position that was set up: the players alone must be compatible, and
  their surnames need only be alike.
- Of fewer plies: the players must be known, and date, round and result must not contradict.
- Of fewer than `SHORT` plies: the seven tags of the roster must be equal.
- Of fewer than `LONG` plies and with an unknown player: there must be moves, and the seven tags of the roster
  must be equal and name an event, a site, a date or a round.

A game is the beginning of a longer one only if the players are known (one of them in a composition), date,
round and result do not contradict, and there are at least `BEGINNING` plies from the usual start, or one from
another position.

Of equal games the one that was read without an error is kept, then the one with comments, with more
positions, with the longer text if both have comments, with more tags, with the longer text, and at last the
first. Of a game and its beginning the longer one is kept.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from cqlgui.base import arrays, errors, plurals
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass
from cqlgui.board.position import Position
from cqlgui.store import index, segments
from cqlgui.tasks.databases import sources, workspace
from cqlgui.tasks.likeness import player_names
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import narrowing

LONG: Final = 40
SHORT: Final = 10
BEGINNING: Final = 20

SAME: Final = "same moves"
MERITS: Final = (
    "read without an error",
    "comments",
    "more positions",
    "longer comments",
    "more tags",
    "longer text",
    "first in the base",
)
"""What decides between equal games, in this order."""
LONGER: Final = "more moves"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A game that is left out. If it has fewer moves than the game that is kept, `beginning` is true. `merit`
    is what the game that is kept has before this game: `LONGER` or one of `MERITS`."""

    game: int
    beginning: bool
    merit: str


@dataclass(frozen=True, slots=True)
class Group:
    """Games that are the same: the ordinal of the game that is `kept`, and the other games, ascending."""

    kept: int
    others: tuple[LeftOut, ...]

    def why(self, other: LeftOut, kept: str = "") -> str:
        """The reason why a game of the group is left out. `kept` names the game that is kept; without it, the
        number of this game does."""
        return f"beginning of {kept or f'game {self.kept}'}" if other.beginning else SAME

    @property
    def why_kept(self) -> str:
        """What the game that is kept has before the others."""
        return ", ".join(dict.fromkeys(other.merit for other in self.others))


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """The games that are left out, as columns. Game `left_out[n]` is left out, because it is the same as game
    `kept[n]`, or the beginning of this game if `beginning[n]` is true. `merits[n]` is the number of what
    decided in `MERITS`. `left_out` is ascending. `games` games were compared."""

    left_out: Integers
    kept: Integers
    beginning: npt.NDArray[np.bool_]
    merits: Integers
    games: int

    @property
    def groups(self) -> Iterator[Group]:
        """The groups, in the order of the games that are kept."""
        order = np.argsort(self.kept, kind="stable")
        columns = (self.kept, self.left_out, self.beginning, self.merits)
        rows = zip(*(column[order].tolist() for column in columns), strict=True)
        for kept, others in itertools.groupby(rows, lambda row: row[0]):
            yield Group(kept, tuple(_left_out(*row[1:]) for row in others))

    def among(self, games: Integers) -> Integers:
        """Those of some `games` that are not left out, in their order. The games that stand for them need
        not be among `games` (see `first_ones`)."""
        found: Integers = games[~np.isin(games, self.left_out)]
        return found

    @property
    def summary(self) -> str:
        """The number of games that are left out, and the reasons."""
        count, beginnings = len(self.left_out), int(np.count_nonzero(self.beginning))
        same, is_one = count - beginnings, 1 in (count, self.games)
        return (
            f"{count} of {plurals.games(self.games)} {'is a duplicate' if is_one else 'are duplicates'}: "
            f"{same} {'has' if same == 1 else 'have'} the same moves as another game, "
            f"{beginnings} {'is' if beginnings == 1 else 'are'} the beginning of another game"
        )


def _left_out(game: int, beginning: bool, merit: int) -> LeftOut:
    return LeftOut(game, beginning, LONGER if beginning else MERITS[merit])


def find(
    base: base_model.Base,
    games: Sequence[int] | Integers | None = None,
    *,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> Duplicates:
    """The duplicates among all games of a base, or among the `games` with these ordinals.

    Raises `errors.Cancelled`, and `errors.SourceError` if a source no longer holds the indexed text.
    """
    token = cancel or progress_module.CancelToken()
    numbers = np.arange(1, base.games + 1) if games is None else arrays.distinct(np.array(games, np.int64))
    with _Moves(base) as moves:
        table = _Table.of(base, numbers, moves, token, progress)
        return _Finder(table, moves, token, progress).found()


def first_ones(
    base: base_model.Base,
    found: Duplicates,
    games: Integers,
    *,
    cancel: progress_module.CancelToken | None = None,
) -> Integers:
    """Those of some `games` that are not duplicates of others of them, in their order. `found` are
    the duplicates among all games of the base. Raises the errors of `find`."""
    mine = np.isin(found.left_out, games)
    if np.isin(found.kept[mine], games).all():
        return found.among(games)
    # A game that stands for others is not among these games, so they are compared anew.
    return find(base, games, cancel=cancel).among(games)


def without(
    base: base_model.Base,
    result: search_model.SearchResult,
    *,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> tuple[search_model.SearchResult, str]:
    """A result without the games that are duplicates of another game of the result, and words that say what
    was left out. Raises the errors of `find`."""
    found = find(base, result.order, cancel=cancel, progress=progress)
    if not len(found.left_out):
        return result, found.summary
    left = np.setdiff1d(narrowing.in_games(result), found.left_out)
    return narrowing.of_games(result, left), found.summary


class _Moves(contextlib.ExitStack):
    """The moves of all games of a base, while the context is open."""

    def __init__(self, base: base_model.Base) -> None:
        super().__init__()
        self._base = base
        self._opened: dict[int, index.SourceIndex] = {}

    def source(self, source: base_model.Source) -> index.SourceIndex:
        """The index of a source."""
        if source.first not in self._opened:
            self._opened[source.first] = self.enter_context(sources.indexed(source))
        return self._opened[source.first]

    def line(self, game: int, plies: int) -> bytes:
        """The first `plies` moves of a game's main line, as packed words."""
        source, ordinal = sources.of_game(self._base, game)
        return bytes(self.source(source).moves(ordinal)[:plies])


_HEADERS: Final = ("white", "black", "event", "site", "date", "round", "result")


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """What is compared, one element for each game in the arrays."""

    numbers: Integers
    plies: Integers
    starts: Integers
    """The number of the starting position; 0 for the usual one."""
    whole: npt.NDArray[np.uint64]
    """A hash of the main line."""
    beginnings: npt.NDArray[np.uint64]
    """A hash of the beginning that a game must share with another game; 0 if the game is too short."""
    merits: Integers
    """A row for each of `MERITS`. Of two games the one with the lower number is better."""
    ranks: Integers
    """Of equal games the one with the lowest rank is kept."""
    columns: dict[str, Integers]
    """The columns of `_HEADERS` as codes. Players have equal codes if their names are equal when folded. A
    round is its number, and a date is a number with eight digits. Code 0 means that nothing is known."""
    texts: dict[str, Integers]
    """The columns of `_HEADERS` as codes of the texts."""
    names: list[player_names.Name]
    """The players by code."""

    @classmethod
    def of(
        cls,
        base: base_model.Base,
        numbers: Integers,
        moves: _Moves,
        cancel: progress_module.CancelToken,
        progress: progress_module.ProgressSink,
    ) -> _Table:
        """Read the moves and headers of some games."""
        codes = _Codes()
        parts = []
        for source in base.sources:
            low, high = np.searchsorted(numbers, [source.first, source.first + source.games]).tolist()
            if low < high:
                opened = moves.source(source)
                known = _headers(source, codes)
                for first, segment in opened.parts:
                    cancel.raise_if_cancelled()
                    progress(progress_module.Progress(source.first + first, base.games, "Reading moves"))
                    ordinals = numbers[low:high] - source.first - first
                    own = ordinals[(ordinals >= 0) & (ordinals < segment.games)]
                    if len(own):
                        parts.append(_of_segment(segment, own, source.first + first, codes, known, first))
        joined = {
            name: np.concatenate([part[name] for part in parts]) if parts else np.zeros(0, np.int64)
            for name in (*_NUMBERS, *_HEADERS)
        }
        texts = {name: joined[name] for name in _HEADERS}
        names: dict[player_names.Name, int] = {player_names.UNKNOWN: 0}
        coding: dict[str, Callable[[str], int]] = {
            "white": lambda text: names.setdefault(player_names.folded(text), len(names)),
            "black": lambda text: names.setdefault(player_names.folded(text), len(names)),
            "round": _round,
            "date": _date,
        }
        merits = _merits(joined)
        columns = texts | {name: _recoded(texts[name], codes.texts, code) for name, code in coding.items()}
        return cls(
            joined["numbers"],
            joined["plies"],
            joined["starts"],
            joined["whole"].view(np.uint64),
            joined["beginnings"].view(np.uint64),
            merits,
            _ranks(merits),
            columns,
            texts,
            list(names),
        )


_NUMBERS: Final = ("numbers", "plies", "starts", "whole", "beginnings", "positions", "length", "flags")


def _merits(columns: dict[str, Integers]) -> Integers:
    """For each of `MERITS` a number of each game. The lowest number is the best."""
    tags = np.zeros(len(columns["numbers"]), np.int64)
    for name in _HEADERS:
        tags += columns[name] > 0
    commented = columns["flags"] & index.COMMENTS != 0
    return np.stack(
        [
            columns["flags"] & index.BAD,
            (~commented).astype(np.int64),
            -columns["positions"],
            np.where(commented, -columns["length"], 0),
            -tags,
            -columns["length"],
            columns["numbers"],
        ]
    )


def _ranks(merits: Integers) -> Integers:
    """The rank of each game: of equal games the one with the lowest rank is kept."""
    return arrays.inverse(np.lexsort(merits[::-1]))


class _Codes:
    """Numbers for texts in headers and for starting positions. Number 0 stands for a text that says nothing,
    and for the usual starting position."""

    def __init__(self) -> None:
        self.texts: list[str] = [""]
        self._codes: dict[str, int] = {"": 0, "?": 0, "-": 0, "*": 0, "????.??.??": 0}
        self._starts: dict[object, int] = {None: 0}
        self._fens: dict[str, int] = {}

    def text(self, text: str) -> int:
        text = text.strip()
        found = self._codes.get(text)
        if found is None:
            found = self._codes[text] = len(self.texts)
            self.texts.append(text)
        return found

    def start(self, fen: str | None) -> int:
        """The number of a starting position; -1 for a position that cannot be read."""
        if fen is None:
            return 0
        if fen not in self._fens:
            try:
                key = Position.from_fen(fen).key()
            except ValueError:
                self._fens[fen] = -1
            else:
                self._fens[fen] = self._starts.setdefault(key, len(self._starts))
        return self._fens[fen]


def _recoded(column: Integers, texts: list[str], code: Callable[[str], int]) -> Integers:
    """The codes of a column of texts, which are given by their numbers in `texts`."""
    used, places = arrays.ranked(column)
    found: Integers = np.array([code(texts[number]) for number in used.tolist()], np.int64)[places]
    return found


def _round(text: str) -> int:
    """The number of a round; 0 if it is not known. Only the first number of a round such as `5.2` counts,
    because some sources leave out the rest."""
    number = text.partition(".")[0]
    return int(number) if number.isascii() and number.isdecimal() and len(number) <= 9 else 0


def _date(text: str) -> int:
    """A date as a number `yyyymmdd`. Parts that are not known are 0."""
    found = 0
    for place, part in enumerate(text.split(".")[:3]):
        if part.isascii() and part.isdecimal() and len(part) <= (4, 2, 2)[place]:
            found += int(part) * (10_000, 100, 1)[place]
    return found


def _headers(source: base_model.Source, codes: _Codes) -> dict[str, Integers]:
    """The columns of a source's games, as numbers of texts."""
    sources.rows(source)
    found = {}
    for name in _HEADERS:
        found[name] = workspace.catalog().coded(source.id, name, codes.text, source.games)
        if len(found[name]) < source.games:
            raise errors.SourceError(
                f"Headers of {source.path.name} are missing in the catalog. Open the file again."
            )
    return found


def _of_segment(
    segment: segments.Segment,
    own: Integers,
    shift: int,
    codes: _Codes,
    known: dict[str, Integers],
    first: int,
) -> dict[str, Integers]:
    """The numbers of some games of a segment."""
    rows = np.frombuffer(bytes(segment.table()), segments.ROW)
    usual = rows["fen"] == segments.USUAL_START
    starts = np.zeros(len(rows), np.int64)
    for game in own[~usual[own]].tolist():
        starts[game] = codes.start(segment.start_fen(game))
    begins = rows["first"].astype(np.int64)
    sums = _sums(np.frombuffer(segment.all_moves(), np.uint16), begins)
    plies = rows["plies"].astype(np.int64)
    # A damaged row must not point outside the words.
    plies = np.minimum(plies, np.maximum(len(sums) - 1 - begins, 0))
    begins = np.minimum(begins, len(sums) - 1)
    least = np.where(usual, BEGINNING, 1)
    whole = sums[begins + plies] - sums[begins]
    beginnings = np.where(plies >= least, sums[np.minimum(begins + least, len(sums) - 1)] - sums[begins], 0)
    # A game without moves that could not be read has nothing to compare.
    starts[(plies == 0) & (rows["flags"] & index.BAD != 0)] = -1
    found = {
        "numbers": np.arange(len(rows)) + shift,
        "plies": plies,
        "starts": starts,
        "whole": whole.view(np.int64),
        "beginnings": beginnings.view(np.int64),
        "positions": rows["positions"].astype(np.int64),
        "length": rows["length"].astype(np.int64),
        "flags": rows["flags"].astype(np.int64),
    }
    return {name: column[own] for name, column in found.items()} | {
        name: column[own + first] for name, column in known.items()
    }


def _sums(words: npt.NDArray[np.uint16], begins: Integers) -> npt.NDArray[np.uint64]:
    """Running sums of a hash of each word and its place in its game. The difference of two sums is a hash of
    the words between. Game n has the words from `begins[n]` on."""
    heads = np.zeros(len(words) + 1, np.int64)
    heads[np.minimum(begins, len(words))] = begins
    places = np.arange(len(words)) - np.maximum.accumulate(heads)[:-1]
    sums = np.zeros(len(words) + 1, np.uint64)
    np.cumsum(_mixed(words.astype(np.int64), places), out=sums[1:])
    return sums


def _mixed(*columns: npt.NDArray[np.int64] | npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A hash of each row of some columns (the finaliser of SplitMix64, after each column)."""
    found = np.full(len(columns[0]), _SALT, np.uint64)
    for column in columns:
        found = (found ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        found = (found ^ found >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        found = (found ^ found >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        found ^= found >> np.uint64(31)
    return found


_SALT: Final = int.from_bytes(os.urandom(8), "little")
"""A number that nobody knows in advance. Without it, somebody could write a game that has the hash of another
game, and this game would be left out."""
_MOST_TRIED: Final = 100
"""The number of longer games that a beginning is compared with."""
_CHECK_EVERY: Final = 1_000
"""Number of groups between two looks at the cancel token."""


class _Finder:
    """Makes groups of the games of a table. Games are named by their places in the table."""

    def __init__(
        self,
        table: _Table,
        moves: _Moves,
        cancel: progress_module.CancelToken,
        progress: progress_module.ProgressSink,
    ) -> None:
        self.table = table
        self.moves = moves
        self.cancel = cancel
        self.progress = progress
        surnames: dict[str, int] = {}
        self._surnames = np.full((len(table.names), 2), -1, np.int64)
        for code, name in enumerate(table.names):
            for place, reading in enumerate(name):
                self._surnames[code, place] = surnames.setdefault(reading.surname, len(surnames))
        named = np.logical_or.reduce([table.texts[name] > 0 for name in ("event", "site", "date", "round")])
        self._told = named & (table.plies > 0)
        """The games with moves whose header tells them from others even without the players."""
        self._kept = np.full(len(table.numbers), -1, np.int64)
        """For each game that is left out the game that is kept, else -1."""
        self._beginning = np.zeros(len(table.numbers), np.bool_)

    def found(self) -> Duplicates:
        """The duplicates."""
        table = self.table
        key = _mixed(table.whole, table.plies, table.starts)
        # Many short games have the same moves. Their groups are made smaller, because the work in a group is
        # quadratic.
        shortest = (table.plies < SHORT) & (table.starts == 0)
        with_header = _mixed(key, *table.texts.values())
        key[shortest] = with_header[shortest]
        short = (table.plies < LONG) & (table.starts == 0)
        long = np.flatnonzero(~short & (table.starts >= 0))
        self._split(_Runs.of(key[long], long, table.ranks))
        self._split(self._of_players(key, short))
        unknown = (table.columns["white"] == 0) | (table.columns["black"] == 0)
        nameless = np.flatnonzero(short & unknown & self._told)
        self._split(_Runs.of(with_header[nameless], nameless, table.ranks))
        able = (table.beginnings != 0) & (self._kept < 0)
        key = _mixed(table.beginnings, table.starts)
        composed = np.flatnonzero(able & (table.starts > 0))
        for runs in (
            self._of_players(key, able & (table.starts == 0)),
            _Runs.of(key[composed], composed, table.ranks),
        ):
            for members in self._each(runs):
                self._shorten(members)
        left_out = np.flatnonzero(self._kept >= 0)
        kept, beginning = self._kept[left_out], self._beginning[left_out]
        # A game with equal games may turn out to be the beginning of another game.
        while (again := self._kept[kept] >= 0).any():
            beginning |= again & self._beginning[kept]
            kept = np.where(again, self._kept[kept], kept)
        # Equal games differ at least in their ordinals.
        merits = (table.merits[:, kept] != table.merits[:, left_out]).argmax(axis=0)
        return Duplicates(table.numbers[left_out], table.numbers[kept], beginning, merits, len(table.numbers))

    def _each(self, runs: _Runs) -> Iterator[list[int]]:
        for number, (begin, end) in enumerate(zip(runs.begins.tolist(), runs.ends.tolist(), strict=True)):
            if number % _CHECK_EVERY == 0:
                self.cancel.raise_if_cancelled()
                self.progress(progress_module.Progress(number, len(runs.begins), "Comparing games"))
            yield runs.games[begin:end].tolist()

    def _of_players(self, key: npt.NDArray[np.uint64], chosen: npt.NDArray[np.bool_]) -> _Runs:
        """The chosen games with equal keys whose players have the same surnames. A game may occur in several
        runs, because a name may have two readings."""
        white, black = (self._surnames[self.table.columns[side]] for side in ("white", "black"))
        games, keys = [], []
        for one, other in itertools.product(white.T, black.T):
            places = np.flatnonzero(chosen & (one >= 0) & (other >= 0))
            games.append(places)
            keys.append(_mixed(key[places], one[places], other[places]))
        return _Runs.of(np.concatenate(keys), np.concatenate(games), self.table.ranks)

    def _split(self, runs: _Runs) -> None:
        """Leave out the games that are the same as a game with a lower rank, in runs of games with the same
        moves."""
        sizes = runs.ends - runs.begins
        heads = arrays.repeated(runs.begins, sizes)
        places = arrays.stretched(runs.begins, sizes)
        followers = np.flatnonzero(places != heads)
        first, other = runs.games[heads[followers]], runs.games[places[followers]]
        # Nearly all games have names that are equal when folded, and need no closer look.
        sure = self._surely_fit(first, other) & (self._kept[first] < 0) & (self._kept[other] < 0)
        self._kept[other[sure]] = first[sure]
        open_heads = arrays.distinct(heads[followers[~sure]])
        for members in self._each(runs.some(np.searchsorted(runs.begins, open_heads))):
            waiting = [game for game in members if self._kept[game] < 0]
            while waiting:
                kept, *others = waiting
                waiting = []
                for game in others:
                    if self._fit(kept, game):
                        self._kept[game] = kept
                    else:
                        waiting.append(game)

    def _surely_fit(self, one: Integers, other: Integers) -> npt.NDArray[np.bool_]:
        """What `_fit` says of pairs of games, if their players' names are equal when folded; else False."""
        table, columns = self.table, self.table.columns

        def equal(column: Integers) -> npt.NDArray[np.bool_]:
            found: npt.NDArray[np.bool_] = column[one] == column[other]
            return found

        players = equal(columns["white"]) & equal(columns["black"])
        near = (columns["white"][one] > 0) & (columns["black"][one] > 0)
        for name in ("round", "result"):
            near &= equal(columns[name]) | (columns[name][one] == 0) | (columns[name][other] == 0)
        for first, second in zip(_parts(columns["date"][one]), _parts(columns["date"][other]), strict=True):
            near &= (first == second) | (first == 0) | (second == 0)
        same_header = np.logical_and.reduce([equal(column) for column in table.texts.values()])
        near |= same_header & self._told[one]
        long = (table.starts[one] != 0) | (table.plies[one] >= LONG)
        found: npt.NDArray[np.bool_] = players & (long | (near & ((table.plies[one] >= SHORT) | same_header)))
        return found

    def _line(self, game: int) -> bytes:
        return self.moves.line(int(self.table.numbers[game]), int(self.table.plies[game]))

    def _shorten(self, members: list[int]) -> None:
        """Leave out the games of a group that are the beginning of another game of the group."""
        # In the order of their words, the longer games follow their beginning at once.
        lines = sorted((self._line(game), game) for game in members if self._kept[game] < 0)
        for place in range(len(lines) - 2, -1, -1):
            line, game = lines[place]
            longer = [
                other
                for whole, other in itertools.takewhile(
                    lambda one, line=line: one[0].startswith(line),  # type: ignore[misc]
                    lines[place + 1 : place + 1 + _MOST_TRIED],
                )
                if len(whole) > len(line) and self._kept[other] < 0 and self._near(game, other)
            ]
            if longer:
                best = min(longer, key=lambda other: (-int(self.table.plies[other]), self.table.ranks[other]))
                self._kept[game], self._beginning[game] = best, True

    def _fit(self, one: int, other: int) -> bool:
        """Whether the headers of two games with the same moves allow that they are the same game."""
        table = self.table
        if table.starts[one] or table.plies[one] >= LONG:
            return self._players(one, other, alike=True)
        same_header = all(codes[one] == codes[other] for codes in table.texts.values())
        if same_header and self._told[one]:
            return True
        return (same_header or bool(table.plies[one] >= SHORT)) and self._near(one, other)

    def _near(self, one: int, other: int) -> bool:
        """Whether the players of two games are known and compatible, and nothing else contradicts. In a
        composition one of the players may be the stipulation, so one known name is enough."""
        columns = self.table.columns
        known = [bool(columns[side][one] and columns[side][other]) for side in ("white", "black")]
        enough = any(known) if self.table.starts[one] else all(known)
        if not enough or not self._players(one, other):
            return False
        pairs = [(columns[name][one], columns[name][other]) for name in ("round", "result")]
        pairs += zip(_parts(columns["date"][one]), _parts(columns["date"][other]), strict=True)
        return all(first == second or not first or not second for first, second in pairs)

    def _players(self, one: int, other: int, *, alike: bool = False) -> bool:
        names = self.table.names
        return all(
            player_names.compatible(names[codes[one]], names[codes[other]], alike=alike)
            for codes in (self.table.columns["white"], self.table.columns["black"])
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Runs of at least two games: run n is `games[begins[n]:ends[n]]`, in the order of the ranks."""

    games: Integers
    begins: Integers
    ends: Integers

    @classmethod
    def of(cls, keys: npt.NDArray[np.uint64], games: Integers, ranks: Integers) -> _Runs:
        """The `games` with equal `keys`."""
        order = np.lexsort((ranks[games], keys))
        equal = np.concatenate([[False], keys[order][1:] == keys[order][:-1], [False]])
        return cls(
            games[order],
            np.flatnonzero(~equal[:-1] & equal[1:]),
            np.flatnonzero(equal[:-1] & ~equal[1:]) + 1,
        )

    def some(self, numbers: Integers) -> _Runs:
        """The runs with these numbers."""
        return _Runs(self.games, self.begins[numbers], self.ends[numbers])


_Dates = TypeVar("_Dates", int, Integers)


def _parts(dates: _Dates) -> tuple[_Dates, _Dates, _Dates]:
    """Year, month and day of dates."""
    return dates // 10_000, dates // 100 % 100, dates % 100
