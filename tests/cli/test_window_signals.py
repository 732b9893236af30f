"""Signals that end the window keep its session."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cqlgui.ui.state import session
from tests import helpers


@pytest.mark.skipif(sys.platform == "win32", reason="such signals come on POSIX systems only")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_session_is_kept(number: signal.Signals, tmp_path: Path) -> None:
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", CQLGUI_HOME=str(tmp_path))
    command = [sys.executable, "-P", "-m", "cqlgui"]

    def heed() -> None:
        # Whoever starts the tests may ignore a signal, as `nohup` does, and what they start would do so too.
        signal.signal(number, signal.SIG_DFL)

    process = subprocess.Popen(
        command, cwd=helpers.ROOT, env=environment, stderr=subprocess.DEVNULL, preexec_fn=heed
    )
    try:
        # The history is opened after the handlers are in place.
        begun, until = tmp_path / "data" / "history.sqlite", time.monotonic() + 60
        while not begun.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(60) == 0
        assert (tmp_path / "config" / session.NAME).exists()
    finally:
        process.kill()
        process.wait()
