"""Garbage is collected where and when it disturbs nobody."""

from __future__ import annotations

import contextlib
import gc
import math
import threading
import time
import weakref
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from cqlgui.base import heap
from cqlgui.ui.loop import collector


class _Ring:
    def __init__(self) -> None:
        self.itself = self


@contextlib.contextmanager
def collecting() -> Iterator[collector.Collector]:
    """A collector at work, in a program that is not."""
    made = collector.Collector(lambda: False)
    made.start()
    try:
        yield made
    finally:
        made.stop()


def old_garbage() -> weakref.ref[_Ring]:
    """A ring that nobody holds, old enough that only a look through everything finds it."""
    ring = _Ring()
    gc.collect(1)
    return weakref.ref(ring)


def test_other_threads_collect_nothing_and_an_idle_look_collects_all(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "MOST", 1 << 30)
    busy = True
    made = collector.Collector(lambda: busy)
    made.start()
    try:
        assert not gc.isenabled()
        ends = old_garbage()
        thread = threading.Thread(target=lambda: [_Ring() for _ in range(5_000)])
        thread.start()
        thread.join()
        for _ in range(collector.WHOLE_EVERY):
            made.look()
        assert ends() is not None, "the program was at work"
        busy = False
        made.look()
        assert ends() is None
        # What lived then is taken for lasting; what comes later is not.
        ends = old_garbage()
        for _ in range(collector.WHOLE_EVERY):
            made.look()
        assert ends() is None
    finally:
        made.stop()
    assert gc.isenabled()


def rest(made: collector.Collector) -> None:
    """Look until everything is due."""
    for _ in range(collector.WHOLE_EVERY):
        made.look()


def test_many_objects_are_not_gone_through_at_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go by themselves as a rule; else they are passed over from some time on, and nothing else is."""
    monkeypatch.setattr(collector, "PATIENCE", 3)
    made = collector.Collector(lambda: True)
    made.start()
    try:
        large = [[] for _ in range(collector.MOST + 1_000)]  # type: list[list[int]]
        ring = _Ring()
        ends = weakref.ref(ring)
        del ring
        made.look()
        assert ends() is not None
        large.clear()
        made.look()
        assert ends() is None
        large += [[] for _ in range(collector.MOST + 1_000)]
        frozen = gc.get_freeze_count()
        for _ in range(4):
            made.look()
        assert gc.get_freeze_count() > frozen + collector.MOST
        ring = _Ring()
        ends = weakref.ref(ring)
        del ring
        made.look()
        assert ends() is None
    finally:
        made.stop()
    assert not gc.get_freeze_count()


def test_going_through_everything_is_put_off_for_so_long_only(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "PATIENCE_WITH_ALL", 2)
    monkeypatch.setattr(collector, "LONGEST", 0.0)
    with collecting() as made:
        ends = old_garbage()
        rest(made)
        rest(made)
        assert ends() is not None
        frozen = gc.get_freeze_count()
        rest(made)
        assert ends() is None
        assert gc.get_freeze_count() > frozen, "what takes so long is kept"


def test_while_there_is_very_much_not_all_of_it_is_gone_through(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it was put off; in the end it counts as lasting, and what comes then is looked at."""
    monkeypatch.setattr(collector, "PATIENCE", 3)
    monkeypatch.setattr(collector, "PATIENCE_WITH_ALL", 1)
    monkeypatch.setattr(collector, "LONGEST", 60.0)
    with collecting() as made:
        rest(made)
        # As hits that come in small numbers: each look at what is new has seen them.
        large = [[] for _ in range(collector.MOST_BLOCKS + 1_000)]  # type: list[list[int]]
        ends = old_garbage()
        rest(made)
        rest(made)
        rest(made)
        assert ends() is not None
        large.clear()
        rest(made)
        assert ends() is None, "there is little again"
        large += [[] for _ in range(collector.MOST_BLOCKS + 1_000)]
        gc.collect(1)
        frozen = gc.get_freeze_count()
        for _ in range(4):
            rest(made)
        assert gc.get_freeze_count() > frozen + collector.MOST_BLOCKS
        ends = old_garbage()
        rest(made)
        assert ends() is None


def test_what_has_gone_makes_room_for_no_more(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """How much there is counts from the least there was, also when that was after what counts as lasting."""
    monkeypatch.setattr(collector, "LONGEST", 60.0)
    large = [[] for _ in range(collector.MOST_BLOCKS + 1_000)]  # type: list[list[int]]
    with collecting() as made:
        rest(made)
        large.clear()
        rest(made)
        large += [[] for _ in range(collector.MOST_BLOCKS + 1_000)]
        ends = old_garbage()
        rest(made)
        assert ends() is not None


def test_that_there_was_very_much_is_no_reason_to_go_through_what_takes_long(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How often all was left since it was too much, and how often for the time it takes, count apart."""
    monkeypatch.setattr(collector, "PATIENCE_WITH_ALL", 1)
    monkeypatch.setattr(collector, "LONGEST", 60.0)
    with collecting() as made:
        rest(made)
        large = [[] for _ in range(collector.MOST_BLOCKS + 1_000)]  # type: list[list[int]]
        ends = old_garbage()
        rest(made)
        rest(made)
        large.clear()
        monkeypatch.setattr(collector, "LONGEST", -1.0)
        rest(made)
        assert ends() is not None
        rest(made)
        assert ends() is None


def test_very_much_at_first_counts_as_lasting_at_once(qtbot: QtBot) -> None:
    """It is what was loaded as games were opened, and what a first search found."""
    with collecting() as made:
        large = [[] for _ in range(collector.MOST_BLOCKS + 1_000)]  # type: list[list[int]]
        gc.collect(1)
        frozen = gc.get_freeze_count()
        rest(made)
        assert gc.get_freeze_count() > frozen + len(large)


def test_memory_is_given_back_once_there_may_be_much_of_it(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    unused, given, measured, busy = [100 << 20], [0], [0], [False]
    goes = [10 << 20]

    def measure() -> int:
        measured[0] += 1
        return unused[0]

    def give_back() -> None:
        given[0] += 1
        unused[0] -= goes[0]

    monkeypatch.setattr(heap, "unused", measure)
    monkeypatch.setattr(heap, "resident", lambda: unused[0] + (300 << 20))
    monkeypatch.setattr(heap, "give_back", give_back)
    monkeypatch.setattr(collector, "MEASURING_SHARE", math.inf)
    made = collector.Collector(lambda: busy[0])

    def rest(looks: int = collector.IDLE) -> int:
        busy[0] = True
        made.look()
        busy[0] = False
        for _ in range(looks):
            made.look()
        return given[0]

    unused[0] += collector.GROWN
    assert rest() == 0
    unused[0] += 1
    assert rest(collector.IDLE - 1) == 0, "something may be going on"
    before = measured[0]
    assert rest() == 1
    assert measured[0] == before + 1
    assert rest(2 * collector.IDLE) == 1, "there is no more to give back"
    # What was in use then is free now, and counts no longer.
    unused[0] = 50 << 20
    assert rest() == 1
    unused[0] += collector.GROWN + 1
    # One of the looks goes through everything instead.
    assert rest(collector.IDLE + 1) == 2
    # Nothing can be had of what is in small pieces.
    unused[0] += collector.GROWN + 1
    goes[0] = 0
    assert rest(collector.IDLE + 1) == 3
    assert rest(collector.IDLE + 1) == 3


def test_a_measurement_that_takes_long_is_rare(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window waits for it."""
    clock, measured = [1000.0], [0]

    def unused() -> int:
        measured[0] += 1
        clock[0] += takes
        return 0

    takes = 0.060
    monkeypatch.setattr(heap, "unused", unused)
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    def rest(made: collector.Collector, seconds: int) -> int:
        before = measured[0]
        for _ in range(10 * seconds):
            clock[0] += 0.1
            made.look()
        return measured[0] - before

    with collecting() as made:
        assert rest(made, 50) == 1
        assert rest(made, 600) == 10
        takes = 0.0001
        assert rest(made, 61) > 1
        assert 95 <= rest(made, 10) <= 100
        # The process was suspended, for example.
        takes = 500.0
        assert 9 <= rest(made, 600) <= 11


def test_giving_memory_back_is_possible_everywhere() -> None:
    heap.give_back()
