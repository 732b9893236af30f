"""Rules for every test: own user folders, no stray threads, processes or warnings, pictures of failures.

Qt is never imported here before a test did, so that the headless tests stay headless.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

# Before any import of Qt; `QT_QPA_PLATFORM=xcb xvfb-run ... pytest` runs the tests in real windows.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Qt warns about a POSIX locale, and a warning fails a test.
os.environ.setdefault("LC_ALL", "C.UTF-8")
# A process that never writes its buffered output would pass all tests.
os.environ.pop("PYTHONUNBUFFERED", None)

import hypothesis
import pytest

from tests import helpers

FAILED = Path(__file__).parent / "_failed"
GRACE_SECONDS = 15.0
PATIENCE_MS = 30_000

hypothesis.settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile(
    "full", deadline=None, max_examples=2000, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the results that golden tests get into their files",
    )


def pytest_configure(config: pytest.Config) -> None:
    full = "full" in (config.getoption("markexpr") or "").replace("not full", "")
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full" if full else "ci"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long forms and the scenarios on a real window, unless `-m` asks for them."""
    asked = config.getoption("markexpr") or ""
    offscreen = os.environ["QT_QPA_PLATFORM"] == "offscreen"
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        long = item.get_closest_marker("full") is not None and "full" not in asked
        windowed = item.get_closest_marker("xvfb") is not None and offscreen
        (left if long or windowed else kept).append(item)
    if left:
        items[:] = kept
        config.hook.pytest_deselected(items=left)


@pytest.fixture
def shared() -> Path:
    """The folder of reference material beside the checkout; the test is skipped where there is none."""
    if not helpers.SHARED.is_dir():
        pytest.skip("there is no folder `shared` beside the checkout")
    return helpers.SHARED


@pytest.fixture
def qtbot(qtbot: Any) -> Any:
    """Waits as long as a busy machine may need: a wait ends when it holds, so its limit tells only how long a
    failing test takes."""
    for name in ("waitUntil", "waitSignal", "waitSignals"):
        setattr(qtbot, name, functools.partial(getattr(qtbot, name), timeout=PATIENCE_MS))
    return qtbot


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache, settings and data of each test in a folder of its own."""
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path_factory.mktemp("home")))


class _Alarm(logging.Handler):
    """Keeps what was logged as a warning or worse."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record not in self.records:
            self.records.append(record)


@pytest.fixture(autouse=True)
def _no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """A warning in the log fails the test, unless `@pytest.mark.allow_log("pattern")` expects it."""
    root, own = logging.getLogger(), logging.getLogger("cqlgui")
    before, level, propagate = list(own.handlers), own.level, own.propagate
    alarm = _Alarm()
    root.addHandler(alarm)
    own.addHandler(alarm)
    yield
    root.removeHandler(alarm)
    # What `log.configure` set up belongs to this test's folders, and must not outlive it.
    for handler in [handler for handler in own.handlers if handler not in before]:
        own.removeHandler(handler)
        if handler is not alarm:
            handler.close()
    own.setLevel(level)
    own.propagate = propagate
    allowed = [mark.args[0] for mark in request.node.iter_markers("allow_log")]
    unexpected = [
        record
        for record in alarm.records
        if record.name != "asyncio" and not any(re.search(p, record.getMessage()) for p in allowed)
    ]
    if unexpected:
        lines = "\n".join(f"{r.levelname} {r.name}: {r.getMessage()}" for r in unexpected)
        pytest.fail(f"unexpected log records:\n{lines}", pytrace=False)


@pytest.fixture(autouse=True)
def _garbage_is_collected_here(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep the garbage collector out of other threads while there are Qt objects, as the program itself does
    (`ui.loop.collector`): a widget that a worker thread deletes takes the process with it."""
    if not {"qtbot", "qapp"} & set(request.fixturenames):
        yield
        return
    gc.disable()
    yield
    # What is left of the test goes now, in this thread; all of it before tests without Qt come.
    gc.collect(1)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Collect all garbage behind the last test of a file that uses Qt."""
    used = {"qtbot", "qapp"} & set(getattr(item, "fixturenames", ()))
    if used and (nextitem is None or nextitem.path != item.path):
        gc.collect()


@pytest.fixture(autouse=True)
def _nothing_left_running() -> Iterator[None]:
    """Fail a test that leaves a non-daemon thread or a child process; the shared pool's workers may stay."""
    threads, children = set(threading.enumerate()), set(_children())
    yield
    end = time.monotonic() + GRACE_SECONDS
    while True:
        stray: list[Any] = [t for t in threading.enumerate() if t not in threads and not t.daemon]
        stray += [f"process {pid}: {words}" for pid, words in _children().items() if pid not in children]
        if not stray or time.monotonic() > end:
            break
        time.sleep(0.02)
    if stray:
        pytest.fail(f"left running: {stray}", pytrace=False)


def _children() -> dict[int, str]:
    """Living child processes with their command lines; empty where the system has no /proc."""
    found: dict[int, str] = {}
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for pid in map(int, task.read_text().split()):
                with contextlib.suppress(OSError):
                    words = (
                        Path(f"/proc/{pid}/cmdline")
                        .read_bytes()
                        .replace(b"\0", b" ")
                        .decode(errors="replace")
                    )
                    # A zombie has no command line; the helper of `multiprocessing` lives as long as we do.
                    if words and not re.search(r"cqlgui\.tasks\.search\.worker|resource_tracker", words):
                        found[pid] = words.strip()
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Save a picture of every visible window when a test fails."""
    report = yield
    if report.failed and call.when == "call" and "PySide6.QtWidgets" in sys.modules:
        for path in _photograph(re.sub(r"\W+", "-", item.nodeid)[-120:]):
            report.sections.append(("window", str(path)))
    return report


def _photograph(name: str) -> list[Path]:
    widgets = sys.modules["PySide6.QtWidgets"]
    application = widgets.QApplication.instance()
    if application is None:
        return []
    FAILED.mkdir(exist_ok=True)
    paths = []
    for number, window in enumerate(w for w in application.topLevelWidgets() if w.isVisible()):
        path = FAILED / f"{name}-{number}.png"
        if window.grab().save(str(path)):
            paths.append(path)
    return paths


def pytest_sessionfinish() -> None:
    """End the shared workers, so that none outlives the run."""
    pool = sys.modules.get("cqlgui.tasks.processes.pool")
    if pool is not None:
        pool.close()
