"""Jobs: results come home on the GUI thread, stale ones do not; failures and cancelling go their own way."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from cqlgui.base import errors, progress
from cqlgui.ui.loop import jobs, turns


def test_a_result_comes_home_on_the_gui_thread(qtbot: QtBot, door: jobs.Jobs) -> None:
    seen: list[tuple[int, bool]] = []
    door.run(
        lambda _token, _sink: threading.get_ident(),
        lambda ident: seen.append((ident, threading.current_thread() is threading.main_thread())),
    )
    qtbot.waitUntil(lambda: bool(seen))
    ident, at_home = seen[0]
    assert at_home
    assert ident != threading.get_ident()
    assert door.count == 0


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priority of their own")
def test_work_stands_back_behind_the_window(qtbot: QtBot, door: jobs.Jobs) -> None:
    seen: list[tuple[int, int]] = []

    def work(_token: object, _sink: object) -> tuple[int, int]:
        thread = threading.get_native_id()
        return os.getpriority(os.PRIO_PROCESS, thread), os.sched_getscheduler(thread)

    door.run(work, seen.append)
    qtbot.waitUntil(lambda: bool(seen))
    own = os.getpriority(os.PRIO_PROCESS, os.getpid())
    niceness, scheduler = seen[0]
    assert niceness > own or own == 19
    assert scheduler == os.SCHED_BATCH
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


@pytest.mark.parametrize("fault", [None, errors.Cancelled, errors.CqlguiError, ValueError])
def test_what_work_holds_goes_away_in_the_windows_thread(
    qtbot: QtBot,
    door: jobs.Jobs,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: type[Exception] | None,
) -> None:
    class Held:
        def __del__(self) -> None:
            ends.append(threading.get_ident())

    def start() -> None:
        held = Held()

        def work(_token: object, _sink: object) -> int:
            inside = held
            if fault is not None:
                raise fault("no")
            return id(inside)

        door.run(work, lambda _: after(held), lambda _: after(held), on_cancelled=lambda: after(held))

    def after(_: object) -> None:
        # By then nothing in this thread holds it any more.
        QTimer.singleShot(20, received.set)

    def post(job: jobs.Job | None, call: Callable[..., None], *arguments: object) -> None:
        posted(job, call, *arguments)
        # The thread of the work is the last to go on.
        assert received.wait(30)

    ends: list[int] = []
    received = threading.Event()
    posted = door._post
    monkeypatch.setattr(door, "_post", post)
    with caplog.at_level(logging.CRITICAL, "cqlgui.ui.loop.jobs"):
        start()
        qtbot.waitUntil(lambda: received.is_set() and bool(ends))
    assert ends == [threading.get_ident()]


def test_an_error_comes_without_what_its_frames_hold(qtbot: QtBot, door: jobs.Jobs) -> None:
    def work(_token: object, _sink: object) -> None:
        try:
            raise OSError("first")
        except OSError:
            raise errors.CqlguiError("no") from ValueError("never raised")

    seen: list[BaseException | None] = []
    door.run(work, on_failed=seen.append)
    qtbot.waitUntil(lambda: bool(seen))
    error = seen[0]
    assert error is not None
    for one in (error, error.__cause__, error.__context__):
        assert one is not None
        assert one.__traceback__ is None


def test_nothing_is_left_of_work_that_is_done(qtbot: QtBot, door: jobs.Jobs) -> None:
    class Work:
        def __call__(self, _token: progress.CancelToken, _sink: progress.ProgressSink) -> Work:
            return self

    seen: list[bool] = []
    work = Work()
    left = weakref.ref(work)
    door.run(work, lambda found: seen.append(found is left()))
    del work
    qtbot.waitUntil(lambda: door.count == 0)
    assert seen == [True]

    def is_gone() -> bool:
        # The pool's thread may still be on its way out of the work.
        gc.collect()
        return left() is None

    qtbot.waitUntil(is_gone)


def test_under_one_name_the_latest_wins_and_the_former_is_told_to_stop(qtbot: QtBot, door: jobs.Jobs) -> None:
    seen: list[str] = []
    started = threading.Event()

    def slow(token: progress.CancelToken, _sink: progress.ProgressSink) -> str:
        started.set()
        assert token.wait(10)
        return "old"

    first = door.run(slow, seen.append, name="search")
    assert started.wait(10)
    door.run(lambda _token, _sink: "new", seen.append, name="search")
    qtbot.waitUntil(lambda: door.count == 0)
    assert seen == ["new"]
    assert first.stale


def test_work_waits_for_the_end_of_former_work_of_its_name(
    qtbot: QtBot, door: jobs.Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "FORMER_MS", 60_000)
    began: list[str] = []
    started, may_end = threading.Event(), threading.Event()

    def slow(_token: progress.CancelToken, _sink: progress.ProgressSink) -> None:
        started.set()
        assert may_end.wait(30)
        began.append("former ended")

    seen: list[str] = []
    door.run(slow, name="search")
    assert started.wait(30)
    for name in ("second", "third"):
        door.run(lambda _token, _sink, name=name: began.append(name), name="search")
    third = door.run(
        lambda _token, _sink: began.append("fourth"), name="search", on_cancelled=lambda: seen.append("no")
    )
    door.run(lambda _token, _sink: began.append("of another name"), lambda _: may_end.set(), name="other")
    qtbot.waitUntil(lambda: door.count == 0)
    assert began == ["of another name", "former ended", "fourth"]
    assert seen == []
    assert not third.running


def _deaf(door: jobs.Jobs) -> threading.Event:
    """Begin a search that hears nothing until the event is set."""
    started, may_end = threading.Event(), threading.Event()

    def work(_token: progress.CancelToken, _sink: progress.ProgressSink) -> None:
        started.set()
        assert may_end.wait(30)

    door.run(work, name="search")
    assert started.wait(30)
    return may_end


def test_work_that_waits_can_be_cancelled(
    qtbot: QtBot, door: jobs.Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "FORMER_MS", 60_000)
    seen: list[str] = []
    may_end = _deaf(door)
    door.run(
        lambda _token, _sink: seen.append("worked"),
        name="search",
        on_cancelled=lambda: seen.append("cancelled"),
    )
    assert door.cancel("search")
    qtbot.waitUntil(lambda: seen == ["cancelled"])
    assert door.count == 1
    may_end.set()
    qtbot.waitUntil(lambda: door.count == 0)
    assert seen == ["cancelled"]


def test_closing_forgets_work_that_waits(
    qtbot: QtBot, door: jobs.Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "FORMER_MS", 1)
    started, worked = threading.Event(), threading.Event()

    def slow(token: progress.CancelToken, _sink: progress.ProgressSink) -> None:
        started.set()
        assert token.wait(30)

    door.run(slow, name="search")
    assert started.wait(30)
    monkeypatch.setattr(door, "_begin", lambda _job: worked.set())
    door.run(lambda _token, _sink: worked.set(), name="search")
    assert door.close()
    qtbot.wait(20)
    assert door.count == 0
    assert not worked.is_set()


def test_nobody_waits_long_for_work_that_does_not_listen(qtbot: QtBot, door: jobs.Jobs) -> None:
    may_end = _deaf(door)
    # Which is seen by it coming to its end while the former goes on.
    door.run(lambda _token, _sink: None, lambda _: may_end.set(), name="search")
    qtbot.waitUntil(lambda: door.count == 0)
    assert may_end.is_set()


def test_work_that_is_cancelled_still_delivers_what_it_found(qtbot: QtBot, door: jobs.Jobs) -> None:
    seen: list[str] = []
    started = threading.Event()

    def slow(token: progress.CancelToken, _sink: progress.ProgressSink) -> str:
        started.set()
        token.wait(10)
        return "half"

    door.run(slow, seen.append, name="search")
    assert started.wait(10)
    assert door.active("search")
    assert door.cancel("search")
    qtbot.waitUntil(lambda: seen == ["half"])
    assert not door.cancel("search")


def test_work_that_gives_up_when_cancelled_says_so(qtbot: QtBot, door: jobs.Jobs) -> None:
    seen: list[str] = []

    def slow(token: progress.CancelToken, _sink: progress.ProgressSink) -> None:
        token.wait(10)
        token.raise_if_cancelled()

    job = door.run(slow, lambda _none: seen.append("done"), on_cancelled=lambda: seen.append("cancelled"))
    job.cancel()
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == ["cancelled"]
    assert not job.running


def test_a_fault_goes_to_its_taker_or_to_everybody(qtbot: QtBot, door: jobs.Jobs) -> None:
    def broken(_token: progress.CancelToken, _sink: progress.ProgressSink) -> None:
        raise errors.SourceError("The file has gone.")

    seen: list[str] = []
    door.run(broken, on_failed=lambda error: seen.append(str(error)))
    qtbot.waitUntil(lambda: seen == ["The file has gone."])
    with qtbot.waitSignal(door.failed) as caught:
        door.run(broken)
    assert caught.args == ["The file has gone."]


@pytest.mark.allow_log("a job failed")
def test_a_bug_in_the_work_is_logged_and_said_and_the_door_stays_open(qtbot: QtBot, door: jobs.Jobs) -> None:
    def buggy(_token: progress.CancelToken, _sink: progress.ProgressSink) -> None:
        raise ZeroDivisionError("by nothing")

    with qtbot.waitSignal(door.failed) as caught:
        door.run(buggy)
    assert "ZeroDivisionError: by nothing" in caught.args[0]
    seen: list[int] = []
    door.run(lambda _token, _sink: 3, seen.append)
    qtbot.waitUntil(lambda: seen == [3])


def test_progress_is_thinned_out_but_its_end_arrives(qtbot: QtBot, door: jobs.Jobs) -> None:
    reports: list[int] = []
    seen: list[bool] = []

    def busy(_token: progress.CancelToken, sink: progress.ProgressSink) -> bool:
        for number in range(5_001):
            sink(progress.Progress(number, 5_000))
        return True

    door.run(busy, seen.append, on_progress=lambda report: reports.append(report.done))
    qtbot.waitUntil(lambda: seen == [True])
    assert reports[0] == 0
    assert reports[-1] == 5_000
    assert len(reports) < 100


def test_a_channel_brings_everything_in_a_few_batches(qtbot: QtBot, door: jobs.Jobs) -> None:
    batches: list[list[int]] = []
    ended: list[bool] = []
    channel: jobs.Channel[int] = door.channel(batches.append)

    def find(_token: progress.CancelToken, _sink: progress.ProgressSink) -> bool:
        for number in range(2_000):
            channel.send(number)
        return True

    door.run(find, ended.append)
    qtbot.waitUntil(lambda: bool(ended))
    channel.drain()
    assert [item for batch in batches for item in batch] == list(range(2_000))
    assert len(batches) < 50
    channel.close()
    channel.send(1)
    channel.drain()
    assert sum(map(len, batches)) == 2_000


def test_closing_stops_what_runs_and_delivers_nothing(qtbot: QtBot) -> None:
    door = jobs.Jobs()
    seen: list[object] = []
    started = threading.Event()

    def slow(token: progress.CancelToken, _sink: progress.ProgressSink) -> str:
        started.set()
        token.wait(10)
        return "late"

    door.run(slow, seen.append)
    assert started.wait(10)
    assert door.close()
    after = door.run(lambda _token, _sink: "never", seen.append)
    qtbot.wait(20)
    assert seen == []
    assert after.stale
    assert not after.running


def test_results_that_take_long_to_receive_let_other_events_in_between(
    qtbot: QtBot, door: jobs.Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "TURN_SECONDS", 0.0)
    seen: list[object] = []
    ticker = QTimer()
    ticker.timeout.connect(lambda: seen.append("tick"))
    ticker.start(0)
    for number in range(3):
        door._post(None, seen.append, number)
    door._post(None, lambda: door._post(None, seen.append, "last"))
    qtbot.waitUntil(lambda: "last" in seen)
    assert [one for one in seen if one != "tick"] == [0, 1, 2, "last"]
    assert "tick" in seen[seen.index(0) : seen.index(2)]


def test_results_that_arrive_together_come_in_turns_however_little_each_takes(
    qtbot: QtBot, door: jobs.Jobs
) -> None:
    seen: list[bool] = []
    ticker = QTimer()
    ticker.timeout.connect(lambda: seen.append(False))
    ticker.start(0)

    def receive() -> None:
        seen.append(True)
        time.sleep(turns.TURN_SECONDS * 0.7)

    for _ in range(9):
        door._post(None, receive)
    # They are on their way as events, which the loop delivers in one go.
    qtbot.waitUntil(lambda: seen.count(True) == 9)
    in_a_row = [len(list(group)) for results, group in itertools.groupby(seen) if results]
    assert max(in_a_row) <= 2, in_a_row
