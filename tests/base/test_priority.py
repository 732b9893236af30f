"""Who gets the processor first."""

from __future__ import annotations

import collections
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cqlgui.base import priority


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(priority, "_LONGEST", 60.0)
    # The last window of another test may have closed while it was busy.
    priority.let_go()
    usual = sys.getswitchinterval()
    yield
    priority._holder = 0
    sys.setswitchinterval(usual)
    while priority._waiting:
        priority._admit()


class _Passing:
    """A thread that goes on once it may."""

    def __init__(self) -> None:
        self._passed = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        priority.pause()
        self._passed.set()

    def is_held(self) -> bool:
        """Whether it is not let through, whatever it does meanwhile."""
        return not self._passed.wait(0.05)

    def goes_on(self) -> bool:
        """Whether it gets through, waiting for that."""
        self._thread.join(30)
        return self._passed.is_set()


@pytest.mark.usefixtures("gate")
def test_work_waits_until_the_window_has_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 60.0)
    priority.hold()
    priority.hold()
    began = time.monotonic()
    priority.pause()
    assert time.monotonic() - began < 30, "who holds others back does not wait for itself"
    work = _Passing()
    assert work.is_held()
    priority.let_go()
    assert work.goes_on()
    assert _Passing().goes_on()


@pytest.mark.usefixtures("gate")
def test_who_waited_goes_on_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crowd that wakes up at once stands before the interpreter's lock when the window wants it again."""
    monkeypatch.setattr(priority, "_PATIENCE", 60.0)
    monkeypatch.setattr(priority, "_GLANCE", 60.0)
    priority.hold()
    works = []
    for count in range(1, 4):
        works.append(_Passing())
        _wait_until(lambda count=count: len(priority._waiting) == count)
        # It stands in the queue a moment before it waits.
        assert works[-1].is_held()
    priority.let_go()
    assert works[0].goes_on()
    assert works[1].is_held()
    assert works[2].is_held()
    # The next step of somebody else.
    priority.pause()
    assert works[1].goes_on()
    assert works[2].is_held()
    priority.hold()
    assert works[2].is_held()
    priority.let_go()
    assert works[2].goes_on()
    assert not priority._waiting


@pytest.mark.usefixtures("gate")
def test_the_window_need_not_wait_for_who_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 60.0)
    monkeypatch.setattr(priority, "_GLANCE", 60.0)
    for _ in range(200):
        priority.hold()
        assert priority._holder
        work = _Passing()
        _wait_until(lambda: len(priority._waiting) == 1)
        priority.let_go()
        priority.hold()
        assert priority._holder
        priority.let_go()
        assert work.goes_on()
        priority.let_go()
        assert not priority._holder


@pytest.mark.usefixtures("gate")
def test_who_loses_patience_gives_up_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 0.01)
    priority.hold()
    assert _Passing().goes_on()
    assert not priority._waiting


@pytest.mark.usefixtures("gate")
def test_nobody_waits_for_one_who_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 60.0)
    monkeypatch.setattr(priority, "_GLANCE", 0.001)
    priority.hold()
    first, second = _Passing(), _Passing()
    assert first.is_held()
    assert second.is_held()
    priority.let_go()
    # Neither makes a further step.
    assert first.goes_on()
    assert second.goes_on()
    assert not priority._waiting


@pytest.mark.usefixtures("gate")
def test_the_gate_is_open_before_anybody_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    shut: list[bool] = []
    monkeypatch.setattr(priority, "_admit", lambda: shut.append(bool(priority._holder)))
    priority.hold()
    priority.let_go()
    assert shut == [False]


class _Meanwhile(collections.deque[Any]):
    """A queue: as somebody takes a place in it, the window lets go."""

    def __init__(self, how: Callable[[], None]) -> None:
        super().__init__()
        self._how = how

    def append(self, place: object) -> None:
        super().append(place)
        self._how()


def _open_unseen() -> None:
    """As if the place had been taken behind `let_go`."""
    priority._holder = 0


@pytest.mark.usefixtures("gate")
@pytest.mark.parametrize("how", [_open_unseen, lambda: _in_the_window(priority.let_go)])
def test_who_comes_as_the_window_lets_go_does_not_wait(
    how: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 10.0)
    monkeypatch.setattr(priority, "_GLANCE", 10.0)
    monkeypatch.setattr(priority, "_waiting", _Meanwhile(how))
    _in_the_window(priority.hold)
    began = time.monotonic()
    priority.pause()
    assert time.monotonic() - began < 5
    assert not priority._waiting


def _in_the_window(call: Callable[[], None]) -> None:
    """Make a call as if another thread were the window's, always the same one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading, "get_ident", lambda: -1)
        call()


def _wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.usefixtures("gate")
def test_the_lock_changes_hands_faster_while_the_window_is_busy() -> None:
    usual = sys.getswitchinterval()
    priority.hold()
    priority.hold()
    assert sys.getswitchinterval() < min(usual, priority.SWITCH_SECONDS) / 2
    priority.let_go()
    assert sys.getswitchinterval() == usual
    priority.let_go()
    assert sys.getswitchinterval() == usual


@pytest.mark.usefixtures("gate")
def test_work_goes_on_beside_a_window_that_never_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 0.001)
    priority.hold()
    assert _Passing().goes_on()


@pytest.mark.usefixtures("gate")
def test_nobody_else_can_let_work_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 60.0)
    priority.hold()
    other = threading.Thread(target=priority.let_go)
    other.start()
    other.join()
    work = _Passing()
    assert work.is_held()
    priority.let_go()
    assert work.goes_on()


@pytest.mark.usefixtures("gate")
def test_a_window_that_never_comes_back_holds_nobody_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a loop that is not Qt's runs, every step would wait."""
    monkeypatch.setattr(priority, "_PATIENCE", 60.0)
    monkeypatch.setattr(priority, "_LONGEST", 0.05)
    priority.hold()
    time.sleep(0.06)
    # What it begins meanwhile does not count anew.
    priority.hold()
    assert _Passing().goes_on()
    monkeypatch.setattr(priority, "_LONGEST", 60.0)
    priority.let_go()
    priority.hold()
    work = _Passing()
    assert work.is_held()
    priority.let_go()
    assert work.goes_on()
