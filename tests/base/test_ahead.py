"""Work that starts before its result is needed."""

from __future__ import annotations

import functools
import threading
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
