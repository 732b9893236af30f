"""A pytest plugin that tells which lines each test runs, and how long it takes.

It is loaded by `tests.tools.mutation.recording` alone. One line of JSON a test goes to the file that the
environment variable `CQLGUI_MUTATION_TIMES` names; coverage, where it measures, gets one context a test.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

TIMES = "CQLGUI_MUTATION_TIMES"

_seconds: dict[str, float] = {}
_failed: set[str] = set()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """What the test and its fixtures run is measured under the test's name."""
    import coverage  # an extra, which only this program needs

    measured = coverage.Coverage.current()
    if measured is not None:
        measured.switch_context(item.nodeid)
    done = yield
    if measured is not None:
        measured.switch_context("")
    return done


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Adds up what setting up, running and taking down took; writes it at the end of the test."""
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0.0) + report.duration
    if report.outcome != "passed":
        _failed.add(report.nodeid)
    if report.when == "teardown":
        line = {"test": report.nodeid, "seconds": round(_seconds[report.nodeid], 4)}
        # A test that fails or is skipped without any mutant can tell nothing about one.
        line["usable"] = report.nodeid not in _failed
        with Path(os.environ[TIMES]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
