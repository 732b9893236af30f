"""The soak run can be had: it asks, stops, watches and ends. Stalls are judged in the long form only."""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import helpers
from tests.tools.soak import control, watching


def test_short_run() -> None:
    command = [sys.executable, "-m", "tests.tools.soak", "--quick", "--minutes", "0.1"]
    done = subprocess.run(
        command,
        cwd=helpers.ROOT,
        env=dict(os.environ, QT_QPA_PLATFORM="offscreen"),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "asked" in done.stdout
    assert "private memory at most" in done.stdout
    assert "Traceback" not in done.stderr, done.stderr


def test_what_the_machine_took_is_no_stall_but_own_work_is() -> None:
    def stall(seconds: float, worked: float, faults: int = 0) -> watching.Stall:
        return watching.Stall(10.0, seconds, worked, "", (), (), faults)

    def kept(
        *processors: int,
        seconds: float = 0.04,
        began: float = 10.01,
        whom: int = control.LOOP,
        stolen: float = 0.0,
    ) -> watching.Machine:
        loops = [watching.Loop(1.0, 0.0), watching.Loop(10.3, 0.0)]
        each = [watching.Kept(processor, began, seconds, whom) for processor in processors]
        loads = [watching.Load(9.99, 0.0, 0.0, 7.0), watching.Load(10.2, 0.0, 0.0, 7.0 + stolen)]
        return watching.Machine(kept=each, loops=loops, loads=loads, guards=2)

    assert not stall(0.08, 0.03).excused(watching.Machine())
    assert stall(0.08, 0.03).excused(kept(1)), "its processor"
    assert not stall(0.08, 0.07).excused(kept(1)), "that much it worked itself"
    assert stall(0.08, 0.07).excused(kept(1, stolen=0.04)), "no more than half of it can be its own work"
    assert not stall(0.08, 0.07).excused(kept(1, stolen=0.01)), "the host says that it was not that long"
    assert not stall(0.08, 0.07).excused(kept(0, whom=control.ANOTHER, stolen=0.04)), "it went on working"
    assert not stall(0.08, 0.03).excused(kept(1, seconds=0.02, stolen=0.04)), "too short"
    assert not stall(0.08, 0.03).excused(kept(1, whom=control.NOBODY)), "nobody missed it"
    assert stall(0.08, 0.03).excused(kept(0, whom=control.ANOTHER))
    assert not stall(0.052, 0.03).excused(kept(0, seconds=0.004, whom=control.ANOTHER)), "for a moment only"
    assert stall(0.052, 0.03).excused(kept(0, seconds=0.004))
    assert stall(0.08, 0.03).excused(kept(0)), "it had gone there of late"
    assert not stall(0.08, 0.03).excused(kept(1, began=9.9)), "that was before"
    assert not stall(0.08, 0.03).excused(kept(1, seconds=0.02)), "too short"
    assert not stall(0.08, 0.03).excused(kept(0, 1, seconds=0.02, whom=control.ANOTHER)), "both at once"
    assert stall(0.08, 0.08).excused(kept(0, 1)), "nothing was done anywhere"
    assert not stall(0.11, 0.11).excused(kept(0, 1)), "the rest of it was work"
    assert not stall(0.08, 0.0).excused(kept(0, 1, whom=control.NOBODY)), "it waited for something else"
    assert stall(0.08, 0.08).still(kept(0, 1)) == pytest.approx(0.04)
    assert not stall(0.08, 0.08).still(kept(0, 1, seconds=0.004)), "by chance"
    apart = [watching.Kept(0, 10.0, 0.04, control.LOOP), watching.Kept(1, 10.03, 0.04, control.LOOP)]
    assert stall(0.08, 0.08).still(watching.Machine(kept=apart, guards=2)) == pytest.approx(0.01)
    assert not stall(0.08, 0.08).excused(watching.Machine(kept=apart, guards=2)), "one after the other"
    assert not stall(0.08, 0.08).excused(watching.Machine(kept=apart[:1], guards=1)), (
        "the only one, by itself"
    )
    paused = watching.Machine([(10.0, 0.04)])
    assert stall(0.08, 0.03).excused(paused)
    assert not stall(0.1, 0.03).excused(paused)
    disk = watching.Machine(disk=[10.0 + 0.005 * tick for tick in range(10)])
    assert stall(0.08, 0.0, faults=10).excused(disk)
    assert not stall(0.08, 0.0, faults=1).excused(disk), "the rest of it was a file"
    assert not stall(0.08, 0.0).excused(disk), "it asked for a file"
    assert not stall(0.08, 0.0, faults=10).excused(watching.Machine(disk=[9.9] * 10))
    queued = [watching.Loop(9.9, 1.0), watching.Loop(10.05, 1.04), watching.Loop(10.2, 9.0)]
    loads = [watching.Load(9.99, 0.0, 0.0), watching.Load(10.1, 0.2, 0.02)]
    assert stall(0.08, 0.02).queued(watching.Machine(loops=queued)) == pytest.approx(0.04)
    assert stall(0.08, 0.02).excused(watching.Machine(loads=loads, loops=queued)), "others had the processors"
    own = [watching.Load(9.99, 0.0, 0.0), watching.Load(10.1, 0.2, 0.2)]
    assert not stall(0.08, 0.02).excused(watching.Machine(loads=own, loops=queued))


def test_a_leak_is_told() -> None:
    assert watching.growth([100, 100, 150, 150, 160, 160]) == (150, 160)
    assert watching.growth([1] * 5) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only the GNU C library tells what it has lent out")
@pytest.mark.parametrize("make", [lambda: bytearray(30_000_000), lambda: [object() for _ in range(500_000)]])
def test_what_is_held_is_seen(make: Callable[[], object]) -> None:
    before = watching.held()
    things = make()
    assert watching.held() - before > 15e6
    del things
    assert watching.held() - before < 5e6


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what is in memory in a file")
@pytest.mark.skipif(
    os.environ.get("PYTHONMALLOC", "pymalloc") != "pymalloc", reason="Python takes its memory from elsewhere"
)
@pytest.mark.parametrize("every", [1_000, 60_000])
def test_what_python_keeps_for_later_is_told_from_what_is_held(every: int) -> None:
    """A thing that is left in each part of some memory keeps Python from giving it back: in each pool of
    16 kB, or in each arena of 1 MB. Asked in a process of its own, as what
    other tests left free is used first.
    """
    done = subprocess.run(
        [sys.executable, "-c", _KEPT, str(every)],
        cwd=helpers.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    made, kept, left = map(int, done.stdout.split())
    assert made > 25e6
    assert kept > 15e6
    assert left < 8e6


_KEPT = """
import sys
from cqlgui.base import heap
from tests.tools.soak import watching

def used():
    heap.give_back()
    return heap.resident() - watching.reserve()

begin = used()
things = [object() for _ in range(2_000_000)]
made = used() - begin
few, reserve = things[:: int(sys.argv[1])], watching.reserve()
del things
print(made, watching.reserve() - reserve, used() - begin)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of threads in files")
def test_files_that_stay_open_tell_what_is_so_now() -> None:
    files = control.Files()
    own = f"/proc/{os.getpid()}/task/{threading.get_native_id()}/stat"
    before = files.words(own)
    assert before[0] == "R"
    end = time.thread_time() + 0.1
    while time.thread_time() < end:
        pass
    assert _worked(files.words(own)) > _worked(before)
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as process:
        assert files.words(f"/proc/{process.pid}/stat") != []
    assert files.words(f"/proc/{process.pid}/stat") == []
    assert _opened(own) == 1
    files.keep(set())
    assert _opened(own) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of threads in files")
def test_who_is_to_run_on_a_processor_is_found() -> None:
    def found(asked: int = min(os.sched_getaffinity(0))) -> int:
        files, allowed = control.Files(), os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        try:
            return control.missed_by(files, os.getpid(), asked)
        finally:
            os.sched_setaffinity(0, allowed)
            files.keep(set())

    def beside_the_first() -> None:
        files = control.Files()
        while files.words(f"/proc/{os.getpid()}/task/{os.getpid()}/stat")[0] != "S":
            time.sleep(0.001)
        files.keep(set())
        seen.append(found())

    seen: list[int] = []
    thread = threading.Thread(target=beside_the_first)
    assert found() == control.LOOP
    others = set(range(os.cpu_count() or 1)) - {min(os.sched_getaffinity(0))}
    if others:
        assert found(max(others)) != control.LOOP, "it runs on another one"
    thread.start()
    thread.join()
    assert seen == [control.ANOTHER]


def test_threads_that_wait_for_memory_from_disk_are_found(tmp_path: Path) -> None:
    def told(thread: int, state: str, faults: int) -> None:
        folder = tmp_path / f"7/task/{thread}"
        folder.mkdir(parents=True, exist_ok=True)
        # A name of 15 bytes ends in the middle of its last letter.
        cut = "a) bcdefghijklü".encode()[:15]
        rest = f") {state} 1 7 7 0 -1 0 500 0 {faults} 0 9 9"
        (folder / "stat").write_bytes(f"{thread} (".encode() + cut + rest.encode())

    def ended(now: float) -> list[tuple[float, float]]:
        return [(began, round(seconds, 6)) for began, seconds in reloads.ended(now)]

    reloads = control.Reloads(7, tmp_path)
    assert ended(0.0) == []
    told(7, "D", 1)
    told(8, "D", 1)
    told(9, "D", 1)
    assert ended(1.0) == []
    told(7, "R", 2)
    told(9, "R", 1)
    assert ended(1.2) == [], "the first is looked at elsewhere, and another one waited for a file"
    told(9, "R", 2)
    assert ended(1.3) == [], "it was not seen waiting"
    told(8, "D", 3)
    assert ended(1.5) == [(1.0, 0.5)]
    told(8, "S", 4)
    assert ended(1.75) == [(1.5, 0.25)]
    told(8, "D", 4)
    assert ended(2.0) == []
    shutil.rmtree(tmp_path / "7")
    assert ended(3.0) == [], "it is gone"
    stall = watching.Stall(10.0, 0.1, 0.0, "", (), ())
    read = watching.Machine(reloads=[(9.98, 0.03), (10.0, 0.02), (10.09, 0.3), (11.0, 1.0)])
    assert stall.reloaded(read) == pytest.approx(0.03)
    assert not stall.excused(watching.Machine(reloads=[(9.9, 1.0)])), "it is told only"


def _worked(words: list[str]) -> int:
    """Processor time of a thread in ticks. User time alone may stand still:
    the system may count a loop that asks for the time as its own.
    """
    return int(words[11]) + int(words[12])


def _opened(path: str) -> int:
    """How often this process has a file open; other threads may open and close others meanwhile."""
    found = 0
    for one in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found += str(one.readlink()) == path
    return found


def _cost(lookout: watching.Lookout, work: Callable[[], None]) -> watching.Stall:
    """A stall made of some work."""
    lookout.tick(0.0, "", counts=False)
    work()
    lookout.tick(0.0, "here")
    return lookout.stalls[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what one thread has taken")
def test_what_the_system_did_for_the_loop_is_told() -> None:
    def count() -> None:
        end = time.thread_time() + 0.1
        while time.thread_time() < end:
            sum(range(1000))

    def touch() -> None:
        end = time.thread_time() + 0.1
        while time.thread_time() < end:
            with mmap.mmap(-1, 64 << 20) as new:
                # One at a time, also where the system would give two megabytes at once.
                with contextlib.suppress(OSError):
                    new.madvise(mmap.MADV_NOHUGEPAGE)
                new[:: mmap.PAGESIZE] = bytes(len(new) // mmap.PAGESIZE)

    lookout = watching.Lookout()
    try:
        counted, touched = _cost(lookout, count), _cost(lookout, touch)
    finally:
        lookout.end()
    assert touched.pages > 1000 > counted.pages
    assert touched.system > 2 * counted.system
    assert counted.doing == "here"
    assert counted.worked >= 0.1
