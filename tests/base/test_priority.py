"""Who gets the processor first."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from cqlgui.base import priority


@pytest.fixture
def gate() -> Iterator[None]:
    priority.let_go()
    yield
    priority.let_go()


def _passing() -> tuple[threading.Thread, threading.Event]:
    """A thread that goes on once it may, and what tells that it has."""
    passed = threading.Event()

    def work() -> None:
        priority.pause()
        passed.set()

    thread = threading.Thread(target=work)
    thread.start()
    return thread, passed


@pytest.mark.usefixtures("gate")
def test_work_waits_until_the_window_has_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 60.0)
    priority.hold()
    priority.hold()
    began = time.monotonic()
    priority.pause()
    assert time.monotonic() - began < 30, "who holds others back does not wait for itself"
    thread, passed = _passing()
    # Whatever it does meanwhile, it is not let through.
    assert not passed.wait(0.05)
    priority.let_go()
    assert passed.wait(30)
    thread.join()
    thread, passed = _passing()
    assert passed.wait(30)
    thread.join()


@pytest.mark.usefixtures("gate")
def test_work_goes_on_beside_a_window_that_never_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 0.001)
    priority.hold()
    thread, passed = _passing()
    assert passed.wait(30)
    thread.join()


@pytest.mark.usefixtures("gate")
def test_nobody_else_can_let_work_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priority, "_PATIENCE", 60.0)
    priority.hold()
    other = threading.Thread(target=priority.let_go)
    other.start()
    other.join()
    thread, passed = _passing()
    assert not passed.wait(0.05)
    priority.let_go()
    thread.join()
    assert passed.is_set()
