"""How long the answers to the questions of a query may take, and whether they are still wanted."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from cqlgui.base import errors, priority
from cqlgui.cql.ast import nodes

SECONDS: Final = 0.05
"""The maximum number of seconds for the evaluation of one regular expression. The total time of all slow
evaluations of one filter has the same limit. The limit is short, because threads that wait for these
evaluations cannot be interrupted."""
SLOW: Final = 0.001
"""The time of an evaluation counts if it takes longer than this number of seconds."""
PAUSE: Final = 100
"""After this number of texts or remarks, other threads may run, and the work may be cancelled."""


def never() -> bool:
    """A default for `is_over`, for a caller that never cancels the work."""
    return False


class Patience:
    """Counts the time of the slow evaluations of each filter of a query."""

    def __init__(self) -> None:
        self.is_over: Callable[[], bool] = never
        self._left: dict[nodes.Node, float] = {}
        """The seconds that are left for each filter with slow evaluations. Filters without slow evaluations
        are missing here."""

    def pause(self) -> None:
        """Let other threads run. Raises `errors.Cancelled` if the answers are no longer wanted."""
        if self.is_over():
            raise errors.Cancelled
        priority.pause()

    def is_spent(self, node: nodes.Node) -> bool:
        """Whether no time is left for a filter. Its other answers stay unknown."""
        return self._left.get(node, SECONDS) <= 0

    def end(self, node: nodes.Node) -> None:
        """Leave no time for a filter."""
        self._left[node] = 0.0

    def is_spent_after(self, node: nodes.Node, started: tuple[float, float]) -> bool:
        """Count the time of an evaluation. `started` has the clock time and the thread's processor time at
        the beginning of the evaluation. Returns whether no time is left for the filter."""
        # The time while other threads hold Python's global lock does not count. On some systems a thread's
        # processor time advances in jumps, so the clock time is an upper limit.
        spent = min(time.perf_counter() - started[0], time.thread_time() - started[1])
        if spent > SLOW:
            self._left[node] = self._left.get(node, SECONDS) - spent
        return self.is_spent(node)
