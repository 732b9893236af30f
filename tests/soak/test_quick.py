"""The soak run can be had: it asks, stops, watches and ends. Stalls are judged in the long form only."""

from __future__ import annotations

import os
import subprocess
import sys

from tests import helpers


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
