"""Work in the background, ahead of its caller and behind it."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterator

import pytest

from cqlgui.base import ahead


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_each_item_comes_once_and_in_order(count: int) -> None:
    assert list(ahead.each(iter(range(count)))) == list(range(count))


def test_the_next_item_is_made_while_the_caller_works() -> None:
    made = [threading.Event() for _ in range(3)]

    def items() -> Iterator[int]:
        for number, event in enumerate(made):
            event.set()
            yield number

    for number in ahead.each(items()):
        if number + 1 < len(made):
            assert made[number + 1].wait(10)


@pytest.mark.parametrize("most", [1, 3])
def test_at_most_some_items_wait_and_none_is_made_for_a_caller_who_stops(most: int) -> None:
    made: list[int] = []
    threads = [threading.current_thread()]

    def items() -> Iterator[int]:
        for number in range(100):
            threads[0] = threading.current_thread()
            made.append(number)
            yield number

    found = ahead.each(items(), most)
    assert next(found) == 0
    while len(made) < 1 + most:
        time.sleep(0.001)
    time.sleep(0.05)
    assert len(made) == 1 + most
    found.close()  # type: ignore[attr-defined]  # a generator
    threads[0].join(10)
    assert not threads[0].is_alive()
    assert len(made) == 1 + most


def test_a_fault_comes_in_its_place() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("second")

    found = ahead.each(items())
    assert next(found) == 1
    with pytest.raises(ValueError, match="second"):
        next(found)


def test_calls_in_order_have_their_own_results_and_faults() -> None:
    made: list[str] = []

    def call(name: str) -> str:
        made.append(name)
        if name == "bad":
            raise ValueError(name)
        return name.upper()

    names = ["first", "bad", "last"]
    coming = ahead.in_order({name: functools.partial(call, name) for name in names})
    assert coming["last"].result(10) == "LAST"
    with pytest.raises(ValueError, match="bad"):
        coming["bad"].result(10)
    assert coming["first"].result(10) == "FIRST"
    assert made == names


@pytest.mark.parametrize("most", [1, 3])
def test_a_thread_takes_the_items_behind_the_caller(most: int) -> None:
    taken: list[int] = []
    go_on = threading.Event()

    def work(items: Iterator[int]) -> None:
        for item in items:
            assert go_on.wait(10)
            taken.append(item)

    with ahead.Behind(work, most) as behind:
        # One item is being worked on, and `most` items wait. None of these calls waits.
        for number in range(1 + most):
            behind.put(number)
        assert not taken
        go_on.set()
        for number in range(1 + most, 10):
            behind.put(number)
    assert taken == list(range(10))


def test_items_are_dropped_when_the_thread_has_ended() -> None:
    taken: list[int] = []

    def work(items: Iterator[int]) -> None:
        taken.append(next(items))

    with ahead.Behind(work) as behind:
        for number in range(10):
            behind.put(number)
    assert taken == [0]


def _failing(items: Iterator[int]) -> None:
    next(items)
    raise ValueError("in the thread")


def _give(count: int, given: list[int], fault: Exception | None = None) -> None:
    """Give items to `_failing`, then raise `fault`."""
    with ahead.Behind(_failing) as behind:
        for number in range(count):
            behind.put(number)
            given.append(number)
        if fault is not None:
            raise fault


@pytest.mark.parametrize("count", [1, 10])
def test_the_caller_gets_the_fault_of_the_thread(count: int) -> None:
    given: list[int] = []
    with pytest.raises(ValueError, match="in the thread"):
        _give(count, given)
    assert len(given) < 4


def test_the_fault_of_the_caller_comes_first() -> None:
    with pytest.raises(KeyError):
        _give(1, [], KeyError())
