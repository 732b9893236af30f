"""Turns: what can wait is done one thing after the other, and other events come in between."""

from __future__ import annotations

import gc
import itertools
import time
import types
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cqlgui.base import priority
from cqlgui.ui.loop import turns
from cqlgui.ui.window import main_window


def work(seconds: float) -> None:
    """Be busy: time that is slept away is no work."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@pytest.fixture
def made(qtbot: QtBot) -> Iterator[turns.Turns]:
    """Turns that hear of the loop no longer than the test lasts."""
    found = turns.Turns()
    yield found
    found.close()


def test_each_call_has_a_turn_of_its_own_in_the_order_of_asking(qtbot: QtBot, made: turns.Turns) -> None:
    seen: list[object] = []
    ticker = QTimer()
    ticker.timeout.connect(lambda: seen.append("tick"))
    ticker.start(0)
    for number in range(4):
        made.ask(lambda number=number: seen.append(number))  # type: ignore[misc]
    assert seen == [], "not at once"
    qtbot.waitUntil(lambda: 3 in seen)
    assert [one for one in seen if one != "tick"] == [0, 1, 2, 3]
    for number in range(3):
        assert "tick" in seen[seen.index(number) : seen.index(number + 1)]


@pytest.fixture
def no_collection() -> Iterator[None]:
    """As in the program itself: garbage is not collected just anywhere, which would be taken for work."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize(("dragged", "fewest", "most"), [(True, 2, 3), (False, 4, 6)])
def test_turns_that_have_worked_leave_it_to_the_next_but_never_many(
    qtbot: QtBot, made: turns.Turns, monkeypatch: pytest.MonkeyPatch, dragged: bool, fewest: int, most: int
) -> None:
    button = Qt.MouseButton.LeftButton if dragged else Qt.MouseButton.NoButton
    monkeypatch.setattr(QGuiApplication, "mouseButtons", lambda: button)
    # What the machine takes of it shall make no difference.
    clock = types.SimpleNamespace(monotonic=time.thread_time, thread_time=time.thread_time)
    monkeypatch.setattr(turns, "time", clock)
    seen: list[str] = []

    def hard() -> None:
        seen.append("hard")
        work(1.2 * turns.TURN_SECONDS)

    hard_timer = QTimer()
    hard_timer.timeout.connect(hard)
    hard_timer.start(0)
    # After the timer, which is as much due and so is first.
    for number in range(5):
        made.ask(lambda number=number: seen.append(str(number)))  # type: ignore[misc]
    qtbot.waitUntil(lambda: "4" in seen)
    assert [one for one in seen if one != "hard"] == list("01234")
    # When a timer has its turn is for Qt to say, which lets other events go before now and then.
    hard_between = [
        len(list(group)) for one, group in itertools.groupby(seen[: seen.index("4")]) if one == "hard"
    ]
    assert len(hard_between) == 5, "none in a turn that has worked"
    assert min(hard_between) >= fewest
    assert max(hard_between) <= most


def test_a_call_may_have_a_loop_of_its_own_that_needs_the_others(qtbot: QtBot, made: turns.Turns) -> None:
    seen: list[str] = []
    inner = QEventLoop()

    def dialog() -> None:
        inner.exec()
        seen.append("closed")

    def answer() -> None:
        seen.append("answered")
        inner.quit()

    made.ask(dialog)
    made.ask(answer)
    qtbot.waitUntil(lambda: "closed" in seen)
    assert seen == ["answered", "closed"]


def test_others_are_held_back_during_a_turn_and_let_go_when_the_loop_waits(
    qtbot: QtBot, made: turns.Turns
) -> None:
    held: list[bool] = []
    made.ask(lambda: held.append(bool(priority._holder)))
    qtbot.waitUntil(lambda: bool(held))
    assert held == [True]
    qtbot.wait(20)
    later: list[bool] = []
    QTimer.singleShot(0, lambda: later.append(bool(priority._holder)))
    qtbot.waitUntil(lambda: bool(later))
    assert later == [False]


class Slow(QWidget):
    """Notes when it is painted."""

    def __init__(self, parent: QWidget, seen: list[str]) -> None:
        super().__init__(parent)
        self._seen = seen

    def paintEvent(self, event: QPaintEvent) -> None:
        self._seen.append("painted")


def test_the_window_is_painted_in_a_turn_of_its_own(qtbot: QtBot) -> None:
    shown = main_window.MainWindow()
    qtbot.addWidget(shown)
    seen: list[str] = []
    slow = Slow(shown, seen)
    slow.resize(40, 40)
    slow.raise_()
    shown.show()
    qtbot.waitUntil(lambda: "painted" in seen)

    def settled() -> bool:
        seen.clear()
        qtbot.wait(100)
        return not seen

    qtbot.waitUntil(settled)
    ticker = QTimer()
    ticker.timeout.connect(lambda: seen.append("tick"))
    shown.jobs._post(None, seen.append, "received")
    shown.jobs._post(None, slow.update)
    slow.update()
    ticker.start(0)
    qtbot.waitUntil(lambda: seen.count("painted") >= 1)
    qtbot.wait(50)
    ticker.stop()
    assert 1 <= seen.count("painted") <= 2
    assert "tick" in seen[seen.index("received") : seen.index("painted")]
    shown.close()
