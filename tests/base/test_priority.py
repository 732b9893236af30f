"""Who gets the processor first."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator

import pytest

from cqlgui.base import priority


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(priority, "_LONGEST", 60.0)
    priority.let_go()
    yield
    priority.let_go()


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
