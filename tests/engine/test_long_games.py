"""However long a game is and wherever it branches, no call of a kernel takes long: work grows with the game,
or is charged for, so that the game ends in doubt."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from cqlgui.board import moves
from cqlgui.cql.checking import check
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.engine.replaying import games, layout, replay
from cqlgui.jit import native
from tests.helpers import packed_games

E4, D4 = moves.pack(12, 28), moves.pack(11, 27)
KNIGHTS = [moves.pack(6, 21), moves.pack(62, 45), moves.pack(21, 6), moves.pack(45, 62)]
OTHERS = [moves.pack(1, 18), *KNIGHTS[1:2], moves.pack(18, 1), *KNIGHTS[3:]]


class Counted:
    """An array, or the rest of one, that counts how often it is read."""

    def __init__(self, values: Any, reads: list[int], first: int = 0) -> None:
        self._values, self._reads, self._first = values, reads, first

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return Counted(self._values, self._reads, self._first + place.start)
        self._reads[0] += 1
        return int(self._values[self._first + place])

    def __setitem__(self, place: int, value: int) -> None:
        self._values[self._first + place] = value


def wide(count: int) -> list[int]:
    """The words of a game with so many first moves."""
    return [E4, *([*moves.pack_back(1), D4] * (count - 1))]


def long(count: int) -> list[int]:
    return KNIGHTS * (count // 4)


def forked(count: int) -> list[int]:
    """Two lines of so many moves from the start."""
    return [*long(count), *moves.pack_back(count), *(OTHERS * (count // 4))]


def positions(words: Sequence[int]) -> int:
    """The number of positions of a game."""
    return 1 + sum(word >> 12 != moves.BACK for word in words)


def reads_to_lay_out(words: Sequence[int]) -> int:
    packed = packed_games.of_words([(None, words)])
    work = games.Workspace.make(packed.positions, 1, layout.LOCALS, planes=False)
    work.records[: layout.SIZE] = packed.start_records
    work.boards[:64] = packed.start_boards
    reads = [0]
    records, boards = Counted(work.records, reads), Counted(work.boards, reads)
    count = packed.counts.tolist()[0]
    total = replay.laid_out(packed.packed, 0, count, records, boards, work.room)  # type: ignore[arg-type]  # in plain Python any array will do
    assert total == positions(words)
    return reads[0]


@pytest.mark.parametrize("words", [wide, long])
def test_a_game_of_twice_the_size_is_laid_out_in_twice_the_time(words: Any) -> None:
    assert reads_to_lay_out(words(400)) < 2.1 * reads_to_lay_out(words(200))


machine = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")


def doubts(text: str, words: Sequence[int]) -> bool:
    """Whether a query, searched with variations, leaves a game in doubt."""
    query = compiling.compile_query(transforms.expand(check.check(text)))
    assert not isinstance(query, Unsupported)
    assert query.wholly
    packed = packed_games.of_words([(None, words)])
    (found,) = query.scan(packed, facts=np.zeros(0, np.uint64))
    assert found.visited == positions(words) or len(found.doubtful)
    return bool(len(found.doubtful))


@machine
@pytest.mark.parametrize(
    "text",
    [
        "distance (position 0 currentposition) == -1",
        "distance (position 10000 currentposition) == -1",
    ],
)
def test_what_is_asked_of_two_positions_of_one_line_costs_nothing(text: str) -> None:
    assert not doubts(f"cql(variations) {text}", long(40_000))


@machine
@pytest.mark.parametrize("header", ["", "cql(variations) "])
@pytest.mark.parametrize("text", ["find mate", "flipcolor {find Qh7}", "find {K find mate}"])
def test_what_is_looked_for_from_every_position_on_is_looked_for_once(text: str, header: str) -> None:
    assert not doubts(header + text, long(40_000))


@machine
def test_what_is_looked_for_backwards_along_a_line_is_looked_for_once() -> None:
    assert not doubts("find <-- mate", long(40_000))


@machine
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("distance (position 12000 currentposition) == -1", forked(12_000)),
        ("lca (position 12000 currentposition):mate", forked(12_000)),
        ("not virtualmainline", long(20_000)),
        ("try == 7", long(20_000)),
        ("position 0:child(12000):mate", wide(12_000)),
        ("parent:{--Qa8}", wide(12_000)),
        ("parent:{countmoves d2-- > 20000}", wide(12_000)),
    ],
)
def test_whatever_else_goes_through_a_game_at_each_position_is_charged_for(
    text: str, words: list[int]
) -> None:
    assert doubts(f"cql(variations) {text}", words)


MATE = [moves.pack(13, 21), moves.pack(52, 36), moves.pack(14, 30), moves.pack(59, 31)]
"""1. f3 e5 2. g4 Qh4#"""


@machine
@pytest.mark.parametrize("text", ["loop mate", "while (mate) wtm", "x = 1 loop {mate x = 2}"])
def test_a_loop_that_changes_nothing_is_left_after_its_first_run(text: str) -> None:
    start = time.thread_time()
    assert doubts(text, MATE)
    # As many runs as a game may cost take more than ten seconds.
    assert time.thread_time() - start < 3


@machine
@pytest.mark.parametrize("text", ["x = 0 loop {mate x < 5 x += 1}", "x = 0 while ({mate x < 5}) x += 1"])
def test_a_loop_that_changes_what_it_asks_is_run_to_its_end(text: str) -> None:
    assert not doubts(text, MATE)
