"""The machine code of a query: compiled quickly at first, and compiled with optimisation once the query has
run for a long time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from cqlgui.base.data import dataclass, field

PATIENCE: Final = 16.0
"""A query is compiled with optimisation once its run time is `PATIENCE` times the time of its quick
compilation. Compiling with optimisation takes three or four times as long as the quick compilation. Optimised
code saves an eighth to a fifth of the time of the later search. So the compilation costs about as much as
optimised code would have saved until then."""


@dataclass(frozen=True, slots=True)
class Functions:
    """Entry points for `replay.search`. `ask` is the query, and `first` is a cheap first test (`first_ask` in
    `replay.search`). `stream` is the loop that replays a main line and evaluates `first` at each position."""

    ask: Any
    first: Any
    stream: Any
    _holder: object = field(repr=False)
    """An object that keeps the machine code in memory."""


class Tiers:
    """The quick and the optimised code of one query, for any number of threads."""

    def __init__(
        self, hasty: Functions, seconds: float = 0.0, make: Callable[[], Functions] | None = None
    ) -> None:
        """`hasty` is the quick code, and its compilation took `seconds`. `make` compiles with optimisation.
        `make` is None if optimisation would gain nothing."""
        self._functions = hasty
        self._left = PATIENCE * seconds
        self._make = make
        self._lock = threading.Lock()

    @property
    def functions(self) -> Functions:
        """The functions to call now."""
        return self._functions

    def spend(self, seconds: float) -> None:
        """Count processor time, in seconds, that the query has used. The call may compile the query with
        optimisation."""
        with self._lock:
            self._left -= seconds
            if self._left > 0:
                return
        self.improve()

    def improve(self) -> None:
        """Compile with optimisation now, if no earlier call has begun the compilation and if `make` was
        given. During the compilation, other threads continue with the quick code."""
        with self._lock:
            make, self._make = self._make, None
        if make is not None:
            self._functions = make()
