"""The soak run can be had: it asks, stops, watches and ends. Stalls are judged in the long form only."""

from __future__ import annotations

import os
import subprocess
import sys

from tests import helpers
from tests.soak import watching


def test_short_run() -> None:
    command = [sys.executable, "-m", "tests.soak", "--quick", "--minutes", "0.1"]
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
    def stall(seconds: float, worked: float, queued: float = 0.0) -> watching.Stall:
        return watching.Stall(10.0, seconds, worked, queued, "", (), ())

    def machine(*taken: float, idle: float = 0.0) -> watching.Machine:
        """The host took so much of each of two processors during the stall, which had nothing to do for this
        part of the rest."""
        stolen = [watching.Stolen(9.9, ((1.0, 5.0, 7.0), (1.0, 5.0, 7.0)))]
        if taken:
            rest = 5.1 - idle / 10, 7.0 + idle / 10
            stolen.append(watching.Stolen(10.05, ((1.0 + taken[0], *rest), (1.0 + taken[1], *rest))))
        return watching.Machine((), (), stolen)

    assert not stall(0.08, 0.03).excused(machine())
    assert stall(0.08, 0.03).excused(machine(0.04, 0.0))
    assert not stall(0.08, 0.03).excused(machine(0.02, 0.02)), "the two may have been taken at once"
    assert not stall(0.08, 0.07).excused(machine(0.04, 0.0)), "that much it worked itself"
    assert stall(0.08, 0.03).excused(machine(0.04, 0.0, idle=0.2))
    assert not stall(0.08, 0.03).excused(machine(0.04, 0.0, idle=0.5)), "much of it was lost to nobody"
    late = watching.Machine((), (), [*machine().stolen, watching.Stolen(10.2, ((2.0, 6.0, 8.0),) * 2)])
    assert not stall(0.08, 0.03).excused(late), "that was later"
    paused = watching.Machine([(10.0, 0.04)], (), ())
    assert stall(0.08, 0.03).excused(paused)
    assert not stall(0.1, 0.03).excused(paused)
    loads = [watching.Load(9.99, 0.0, 0.0), watching.Load(10.1, 0.2, 0.02)]
    assert stall(0.08, 0.02, 0.04).excused(watching.Machine((), loads, ())), "others had the processors"
    disk = watching.Machine((), (), (), [10.0 + 0.005 * tick for tick in range(10)])
    reloading = watching.Stall(10.0, 0.08, 0.0, 0.0, "", (), (), 1)
    assert reloading.excused(disk)
    assert not stall(0.08, 0.0).excused(disk), "it asked for a file"
    assert not reloading.excused(watching.Machine((), (), (), [9.9] * 10))
    own = [watching.Load(9.99, 0.0, 0.0), watching.Load(10.1, 0.2, 0.2)]
    assert not stall(0.08, 0.02, 0.04).excused(watching.Machine((), own, ()))
