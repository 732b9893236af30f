"""When a worker counts as hanging."""

from __future__ import annotations

import time
from typing import Any

import pytest

from cqlgui.tasks.processes import pool

LIMIT = 10.0


class Asked:
    """A worker that has been ready for so many seconds; None: it is still getting up."""

    pid = 1
    hung = False

    def __init__(self, ready_for: float | None) -> None:
        self.ready = ready_for is not None
        self.ready_since = 0.0 if ready_for is None else time.monotonic() - ready_for


@pytest.mark.parametrize(
    ("waiting", "ready_for", "hangs"),
    [
        (LIMIT - 5, 100.0, False),
        (LIMIT + 5, 100.0, True),
        # Getting up is no part of the work.
        (LIMIT + 5, LIMIT - 5, False),
        (LIMIT + 50, LIMIT + 5, True),
        (pool.SILENT_SECONDS - 5, None, False),
        (pool.SILENT_SECONDS + 5, None, True),
    ],
)
@pytest.mark.allow_log("gave no answer")
def test_a_worker_hangs_that_says_nothing_for_too_long(
    waiting: float, ready_for: float | None, hangs: bool
) -> None:
    crew = pool.Crew(pool.Pool(["never started"], size=1), 1)
    asked: Any = Asked(ready_for)
    piece = pool.Piece([1], False, started=time.monotonic() - waiting)
    assert crew._hanging({asked: piece}, LIMIT) is (asked if hangs else None)
    assert asked.hung == hangs
