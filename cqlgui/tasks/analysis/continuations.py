"""The tree of moves after the hits of a result. Lines with the same moves in another order are joined.

A move is named as in SAN, but without the origin that SAN adds if two men can make the move, and without the
signs of check and mate: hits have different positions, and the moves `Ng5` of all of them are one move.
`engine.kernels.continuing` has the numbers of the names.
"""

from __future__ import annotations

import collections
import os
import threading
from collections.abc import Callable, Generator, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from cqlgui.base import arrays, errors, progress
from cqlgui.base.data import dataclass
from cqlgui.board import squares
from cqlgui.db import headers
from cqlgui.engine.kernels import continuing
from cqlgui.engine.replaying import games as packed_games
from cqlgui.engine.replaying import layout
from cqlgui.tasks.analysis import frames
from cqlgui.tasks.databases import workspace
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import narrowing

DEEPEST: Final = 20
"""The maximum depth of a tree in plies."""
MOST_BYTES: Final = 1 << 28
"""Memory for the moves of the lines of one result, which limits the depth of huge results."""
END: Final = continuing.END
"""Stands for a move after the end of a game."""
_FEW: Final = 1 << 15
"""So many lines are worth a second thread."""
_LETTERS: Final = "  NBRQK"

_Item = TypeVar("_Item")
Names: TypeAlias = "npt.NDArray[np.uint16]"


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Facts about all games of a base, by ordinal: White's score in half points (3 if unknown), the sum of
    the two ratings (twice the one that is known, 0 if none is), and the year (0 if unknown)."""

    scores: npt.NDArray[np.uint8]
    ratings: npt.NDArray[np.uint32]
    years: Names
    rated: bool
    """Whether any rating is known. `dated` says whether any year is known."""
    dated: bool


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Consecutive lines, from number `begin` on. `moves[p, n]` is the move at ply p of line `begin` + n. For
    each line, `swapped` says whether its frame swaps the colours. It is empty if no frame does."""

    begin: int
    moves: Names
    swapped: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The moves after each hit to a depth in plies. Line n belongs to hit n of `hits`, which are ascending. A
    line takes two bytes for each ply, and one byte if the colours of a frame are swapped. The lines are kept
    in pieces, because the system takes long to give or to take back much memory at once."""

    hits: Integers
    pieces: tuple[Piece, ...]
    depth: int
    facts: Facts

    def __len__(self) -> int:
        return len(self.hits)

    @property
    def moves(self) -> Names:
        """The moves of all lines, in the form of `Piece.moves`."""
        return np.concatenate(
            [np.zeros((self.depth, 0), np.uint16), *(piece.moves for piece in self.pieces)], axis=1
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """A move with the number of hits after which it was played. `wins` and `losses` are White's; in the
    query's frame they are those of the side that is White there. `rating` is the mean rating of the players
    and `year` the last year. Each is None if nothing is known. `example` is one of the lines, if possible one
    with the moves in the order of the path."""

    move: int
    name: str
    count: int
    wins: int
    draws: int
    losses: int
    rating: float | None
    year: int | None
    example: int

    @property
    def score(self) -> float | None:
        """White's share of the points; None if no result is known."""
        known = self.wins + self.draws + self.losses
        return (self.wins + self.draws / 2) / known if known else None


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the tree: its `choices`, the most frequent first, the number of lines that reach it
    (`count`), of these the number with the moves in another order (`others`) and the number that `ended`
    here, and one of the lines (`example`, -1 if there is none)."""

    choices: tuple[Choice, ...]
    count: int
    others: int
    ended: int
    example: int


def facts(base: base_model.Base) -> Facts:
    """The facts about the games of a base that the tree needs."""
    scores, ratings, years = [np.full(1, 3)], [np.zeros(1)], [np.zeros(1)]
    catalog = workspace.catalog()
    for source in base.sources:
        for column, values, unknown in (
            (
                scores,
                catalog.coded(source.id, "result", lambda text: _SCORES[headers.outcome(text)], source.games),
                3,
            ),
            (
                ratings,
                _sums(
                    *(catalog.numbers(source.id, name, source.games) for name in ("white_elo", "black_elo"))
                ),
                0,
            ),
            (years, catalog.coded(source.id, "date", _year, source.games), 0),
        ):
            # While games are being imported, the catalog may have more games than the base.
            whole = np.full(source.games, unknown)
            whole[: len(values)] = values[: source.games]
            column.append(whole)
    found = [np.concatenate(parts) for parts in (scores, ratings, years)]
    return Facts(
        found[0].astype(np.uint8),
        found[1].astype(np.uint32),
        found[2].astype(np.uint16),
        bool(found[1].any()),
        bool(found[2].any()),
    )


_SCORES: Final = (2, 1, 0, 3)
"""The score of each of `headers.RESULTS`, in half points; 3 for none."""


def _sums(white: Integers, black: Integers) -> Integers:
    """`Facts.ratings`."""
    white, black = (np.where(numbers > headers.HIGHEST_RATING, 0, numbers) for numbers in (white, black))
    return np.where(white == 0, 2 * black, np.where(black == 0, 2 * white, white + black))


def _year(date: str) -> int:
    return int(date[:4]) if date[:4].isascii() and date[:4].isdecimal() and len(date) >= 4 else 0


def deepest(hits: int) -> int:
    """The maximum depth in plies of the tree of so many hits."""
    return max(1, min(DEEPEST, MOST_BYTES // (2 * max(hits, 1))))


def lines(
    base: base_model.Base,
    result: search_model.SearchResult,
    depth: int,
    *,
    normalised: bool,
    known: Facts | Lines | None = None,
    cancel: progress.CancelToken | None = None,
) -> Lines:
    """The main continuations after the hits of a result. With `normalised`, each is in the query's own frame.
    `known` are the facts about the base, or lines of the same result and frame; only the missing plies are
    then found. Raises `CqlguiError` for a base that can no longer be read, and `errors.Cancelled`."""
    columns = ascending(result.games.columns)
    grown = {piece.begin: piece for piece in known.pieces} if isinstance(known, Lines) else {}
    if isinstance(known, Lines):
        assert len(known) == len(columns)
        if depth <= known.depth:
            return known
        about = known.facts
    else:
        about = known or facts(base)
    if len(columns) and int(columns.hits[-1]) >> found_module.GAME_SHIFT >= len(about.scores):
        raise errors.CqlguiError("The hits are not those of the open games.")
    pieces: list[Piece] = []

    def write(part: frames.Part) -> None:
        pieces.append(_piece(columns, result, part, grown.get(part.begin), depth, normalised=normalised))

    _shared(frames.parts(base, columns), write, _threads(len(columns)), cancel)
    pieces.sort(key=lambda piece: piece.begin)
    return Lines(columns.hits, tuple(pieces), depth, about)


def ascending(columns: found_module.Columns) -> found_module.Columns:
    """The same hits in ascending order. A sorted result may have its games in another order."""
    hits = columns.hits
    if (hits[1:] > hits[:-1]).all():
        return columns
    return columns.take(np.argsort(hits, kind="stable"))


def _piece(
    columns: found_module.Columns,
    result: search_model.SearchResult,
    part: frames.Part,
    known: Piece | None,
    depth: int,
    *,
    normalised: bool,
) -> Piece:
    """The lines of a part. The first plies may be known."""
    framing = frames.Frames.of(columns.part(part.begin, part.end), result.orbits, normalised=normalised)
    images = np.concatenate([framing.squares, [[motion.swapped] for motion in framing.motions]], axis=1)
    count = len(part.hits)
    found = np.full((depth, count), END, np.uint16)
    if known is None:
        swapped = framing.swapped.astype(np.uint8)
        known = Piece(part.begin, found[:0], swapped if swapped.any() else swapped[:0])
    least = len(known.moves)
    found[:least] = known.moves
    asked = part.asked
    write: Any = continuing.write_lines
    positions = asked.positions if result.variations else 1
    with packed_games.workspace(positions, 1, layout.LOCALS, planes=False) as work:
        write(
            asked.packed, asked.firsts, asked.counts, asked.branching, asked.starts, asked.start_records,
            asked.start_boards, part.hits, count, framing.numbers.astype(np.uint16),
            images.astype(np.uint8).ravel(), least, depth, result.variations, work.records, work.boards,
            work.room, found.ravel(),
        )  # fmt: skip
    return Piece(part.begin, found, known.swapped)


def _threads(count: int) -> int:
    return os.cpu_count() or 1 if count > _FEW else 1


def _shared(
    items: Generator[_Item], work: Callable[[_Item], None], threads: int, cancel: progress.CancelToken | None
) -> None:
    """Do some work for each item, in several threads. The work must leave the interpreter lock to others most
    of the time. Raises what the items or the work raise, and `errors.Cancelled`."""
    token = cancel or progress.CancelToken()
    lock = threading.Lock()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            while not failed:
                token.raise_if_cancelled()
                with lock:
                    item = next(items, None)
                if item is None:
                    return
                work(item)
        except BaseException as error:
            failed.append(error)

    helpers = [threading.Thread(target=run, name="lines", daemon=True) for _ in range(threads - 1)]
    for helper in helpers:
        helper.start()
    run()
    for helper in helpers:
        helper.join()
    items.close()
    if failed:
        raise failed[0]


def name(move: int) -> str:
    """The name of a move. The name of a move of Black begins with three dots."""
    form, target = divmod(move, continuing.TARGETS)
    dots = "..." if form & 1 else ""
    if form >= continuing.NULL:
        return dots + "--"
    if form >= continuing.CASTLES:
        return dots + ("O-O-O" if form - continuing.CASTLES >= 2 else "O-O")
    square = "~" if target == continuing.OFF else squares.NAMES[target]
    if form < continuing.PAWN:
        kind, takes = divmod(form >> 1, 2)
        return f"{dots}{_LETTERS[kind + 2]}{'x' * takes}{square}"
    becomes, origin = divmod(form - continuing.PAWN >> 1, continuing.FILES)
    start = f"{'abcdefgh~'[origin - 1]}x" if origin else ""
    return f"{dots}{start}{square}" + (f"={_LETTERS[becomes + 1]}" if becomes else "")


def is_black(move: int) -> bool:
    """Whether Black makes a move."""
    return bool(move // continuing.TARGETS & 1)


def numbered(path: Sequence[int]) -> list[str]:
    """The moves of a path as they are written in a game, with numbers that count from the hit on: `1...Kh8`,
    `2.Be4`, `Kg8`."""
    found: list[str] = []
    for place, move in enumerate(path):
        follows = is_black(move) and place and not is_black(path[place - 1])
        found.append(name(move).removeprefix("...") if follows else label(path[:place], move))
    return found


def label(path: Sequence[int], move: int) -> str:
    """A move after the moves of a path, with its number, which counts from the hit on."""
    number = 1 + sum(map(is_black, path))
    return f"{number}{'' if is_black(move) else '.'}{name(move)}"


def reaching(found: Lines, path: Sequence[int], *, cancel: progress.CancelToken | None = None) -> Integers:
    """The numbers of the lines that begin with the moves of `path`, in this order or in another one."""
    if len(path) > found.depth:
        return np.zeros(0, np.int64)
    given = np.array([*path, END], np.int64)
    find: Any = continuing.find_lines
    reached: list[tuple[int, Integers]] = []

    def work(piece: Piece) -> None:
        mask = np.zeros(piece.moves.shape[1], np.uint8)
        find(piece.moves.ravel(), len(mask), given, len(path), mask)
        reached.append((piece.begin, np.flatnonzero(mask) + piece.begin))

    _shared(_each(found.pieces), work, _threads(len(found)), cancel)
    reached.sort(key=lambda one: one[0])
    return np.concatenate([np.zeros(0, np.int64), *(numbers for _begin, numbers in reached)])


def _each(pieces: Sequence[_Item]) -> Generator[_Item]:
    yield from pieces


def node(found: Lines, path: Sequence[int], *, cancel: progress.CancelToken | None = None) -> Node:
    """The place in the tree after the moves of `path`, which must be shorter than the lines are deep."""
    assert len(path) < found.depth
    given = np.array([*path, END], np.int64)
    # Each thread counts in a table of its own.
    tables: list[Integers] = []
    idle: collections.deque[Integers] = collections.deque()
    others: list[int] = []

    def work(piece: Piece) -> None:
        try:
            table = idle.pop()
        except IndexError:
            table = _table()
            tables.append(table)
        others.append(_tally(found, piece, given, len(path), None, table))
        idle.append(table)

    _shared(_each(found.pieces), work, _threads(len(found)), cancel)
    whole = _table()
    for table in tables:
        greatest = np.maximum(whole[:, continuing.YEAR :], table[:, continuing.YEAR :])
        whole += table
        whole[:, continuing.YEAR :] = greatest
    return _node(whole, np.flatnonzero(whole[:, continuing.COUNT]), sum(others))


def _table() -> Integers:
    return np.zeros((continuing.ROOM, continuing.WIDTH), np.int64)


def _tally(
    found: Lines, piece: Piece, path: Integers, ply: int, rows: Integers | None, table: Integers
) -> int:
    """Count the moves at a ply of some lines of a piece: of the lines `rows`, or of those that reach a path.
    Returns how many lines reach it with the moves in another order."""
    tally: Any = continuing.tally
    count = piece.moves.shape[1]
    others: int = tally(
        piece.moves.ravel(), count, rows is not None, _NO_ROWS if rows is None else rows,
        count if rows is None else len(rows), path, ply, found.hits[piece.begin : piece.begin + count],
        piece.begin, found.facts.scores, found.facts.ratings, found.facts.years, len(piece.swapped) > 0,
        piece.swapped if len(piece.swapped) else _NOT_SWAPPED, table.ravel(),
    )  # fmt: skip
    return others


def _node(table: Integers, used: Integers, others: int) -> Node:
    """The place whose moves were counted in a table. `used` are the moves that were met."""
    rows = dict(zip(used.tolist(), table[used].tolist(), strict=True))
    count = sum(row[continuing.COUNT] for row in rows.values())
    example = max((row[continuing.EXAMPLE] for row in rows.values()), default=0)
    ended = rows.pop(END)[continuing.COUNT] if END in rows else 0
    made = [_choice(move, row) for move, row in rows.items()]
    made.sort(key=lambda one: (-one.count, one.name))
    return Node(tuple(made), count, others, ended, _line(example) if count else -1)


_NO_ROWS: Final = np.zeros(1, np.int64)
_NOT_SWAPPED: Final = np.zeros(1, np.uint8)


def _choice(move: int, row: list[int]) -> Choice:
    count, wins, draws, losses, ratings, rated, year, example = row
    return Choice(
        move, name(move), count, wins, draws, losses, ratings / (2 * rated) if rated else None,
        year or None, _line(example),
    )  # fmt: skip


def _line(example: int) -> int:
    """The number of the line that the last word of a row of the table names."""
    return continuing.FIRST - example - (continuing.OTHER if example <= continuing.OTHER else 0)


def narrowed(
    found: Lines, path: Sequence[int], result: search_model.SearchResult
) -> search_model.SearchResult:
    """The hits of a result whose lines begin with the moves of `path`."""
    return narrowing.among(result, found.hits[reaching(found, path)])


def tree(found: Lines, depth: int, *, cancel: progress.CancelToken | None = None) -> dict[str, Any]:
    """The tree down to `depth` plies, as plain data. Each node has the number of hits `count`, of which the
    game `ended` before a further move, and the moves in `children`. The counts of the children and `ended`
    add up to `count`.

    Moves in several orders are one node. Its children stand where it is met first, with the hits of all
    orders. In the other places, `joins` has the moves to that place. `count` is then the number of hits that
    came by this order, and `joined` is the number of all of them. Raises `errors.Cancelled`."""
    swapped = [np.resize(piece.swapped, piece.moves.shape[1]) for piece in found.pieces]
    whole = Piece(0, found.moves, np.concatenate([_NOT_SWAPPED[:0], *swapped]))
    levels = [_Level.of(_hashes(whole.moves, ply)) for ply in range(depth + 1)]
    table = _table()
    root: dict[str, Any] = {"count": len(found)}
    met: dict[tuple[int, int], list[str]] = {(0, 0): []}
    waiting = collections.deque([(root, np.arange(len(found)), list[str](), 0)])
    # Nodes are met in the order of their plies, the most frequent first.
    while waiting:
        if cancel is not None:
            cancel.raise_if_cancelled()
        node, rows, path, ply = waiting.popleft()
        if ply >= depth:
            continue
        if len(rows) == 1:
            here = _single(found, whole, ply, int(rows[0]))
        else:
            used = arrays.distinct(whole.moves[ply, rows]).astype(np.int64)
            _tally(found, whole, _NO_ROWS, ply, rows, table)
            here = _node(table, used, 0)
            table[used] = 0
        node["ended"] = here.ended
        children = []
        for choice in here.choices:
            child = _plain(choice)
            level = levels[ply + 1]
            group = int(level.groups[choice.example])
            size = level.size(group)
            way = [*path, choice.name]
            known = met.setdefault((ply + 1, group), way)
            if size > choice.count:
                child["joined"] = size
            if known is way:
                waiting.append((child, level.rows(group), way, ply + 1))
            else:
                child["joins"] = known
            children.append(child)
        node["children"] = children
    return root


def _single(found: Lines, piece: Piece, ply: int, line: int) -> Node:
    """The place that one line of a piece reaches. In a large tree most places are of this kind, and a call of
    the kernel would take longer than the counting."""
    move = int(piece.moves[ply, line])
    if move == END:
        return Node((), 1, 0, 1, line)
    game, facts_ = int(found.hits[line]) >> found_module.GAME_SHIFT, found.facts
    score, rating, year = int(facts_.scores[game]), int(facts_.ratings[game]), int(facts_.years[game])
    if score < _UNKNOWN and len(piece.swapped) and piece.swapped[line]:
        score = 2 - score
    won, drawn, lost = (int(score == points) for points in (2, 1, 0))
    choice = Choice(move, name(move), 1, won, drawn, lost, rating / 2 if rating else None, year or None, line)
    return Node((choice,), 1, 0, 0, line)


_UNKNOWN: Final = 3
"""The score of a game whose result is unknown (`Facts.scores`)."""


def _hashes(some: Names, plies: int) -> npt.NDArray[np.uint64]:
    """A hash of the first `plies` moves of each line, which does not depend on the order of the moves of one
    side. It is the sum of a hash of each move (the finaliser of SplitMix64)."""
    found = np.zeros(some.shape[1], np.uint64)
    for ply in range(plies):
        words = (2 * some[ply].astype(np.uint64) + ply % 2) * np.uint64(0x9E3779B97F4A7C15)
        words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        found += words ^ words >> np.uint64(31)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """The lines in groups: the lines of a group have the same moves up to a ply. `order` has the lines group
    by group, and those of group n begin at `starts[n]`."""

    groups: Integers
    order: Integers
    starts: Integers

    @classmethod
    def of(cls, sums: npt.NDArray[np.uint64]) -> _Level:
        _, groups = np.unique(sums, return_inverse=True)
        sizes = np.bincount(groups)
        return cls(groups, np.argsort(groups, kind="stable"), np.append(0, np.cumsum(sizes)))

    def rows(self, group: int) -> Integers:
        """The lines of a group, ascending."""
        return self.order[int(self.starts[group]) : int(self.starts[group + 1])]

    def size(self, group: int) -> int:
        """The number of lines of a group."""
        return int(self.starts[group + 1] - self.starts[group])


def _plain(choice: Choice) -> dict[str, Any]:
    node: dict[str, Any] = {"move": choice.name, "count": choice.count}
    if choice.score is not None:
        node["score"] = round(choice.score, 4)
    if choice.rating is not None:
        node["elo"] = round(choice.rating)
    if choice.year is not None:
        node["last_year"] = choice.year
    return node
