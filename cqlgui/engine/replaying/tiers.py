"""The machine code of a query, made quickly at first, and once more with care when it is asked for long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final

from cqlgui.base.data import dataclass, field

PATIENCE: Final = 4.0
"""A query is asked for so many times as long as it was made in before it is made with care, which takes three
or four times as long as in haste, and saves a fifth or more of what comes after."""


@dataclass(frozen=True, slots=True)
class Functions:
    """Entry points for `replay.search`: the query, its cheap first test, and the loop that replays a main
    line and calls it."""

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
        """`hasty` was compiled in `seconds`; `make` compiles with optimisation, None if nothing would be
        gained."""
        self._functions = hasty
        self._left = PATIENCE * seconds
        self._make = make
        self._lock = threading.Lock()

    @property
    def functions(self) -> Functions:
        """The functions to call now."""
        return self._functions

    def spend(self, seconds: float) -> None:
        """Count seconds of a processor that the query ran. This may compile it with optimisation."""
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
