"""The machine code of a query: compiled quickly at first, and compiled with optimisation once the query has
run long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from cqlgui.base.data import dataclass, field

PATIENCE: Final = 4.0
"""A query is compiled with optimisation once it has run this many times as long as its quick compilation
took. Compiling with optimisation takes three or four times as long as the quick compilation. It saves a fifth
or more of the time of the later search."""


@dataclass(frozen=True, slots=True)
class Functions:
    """Entry points for `replay.search`. `ask` is the query, and `first` is its cheap first test. `stream` is
    the loop that replays a main line and evaluates `first` at each position."""

    ask: Any
    first: Any
    stream: Any
    _holder: object = field(repr=False)
    """Keeps the code alive."""


class Tiers:
    """The quick and the optimised code of one query, for any number of threads."""

    def __init__(
        self, hasty: Functions, seconds: float = 0.0, make: Callable[[], Functions] | None = None
    ) -> None:
        """`hasty` was compiled in `seconds`. `make` compiles with optimisation; it is None if nothing would
        be gained."""
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
        """Compile with optimisation now, unless that is done or under way. Other threads continue with the
        quick code."""
        with self._lock:
            make, self._make = self._make, None
        if make is not None:
            self._functions = make()
