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
    """What `replay.search` calls: the query, what is asked first, what plays a main line and asks that."""

    ask: Any
    first: Any
    stream: Any
    _holder: object = field(repr=False)
    """What the code lives as long as."""


class Tiers:
    """Both makings of one query, for any number of threads."""

    def __init__(
        self, hasty: Functions, seconds: float = 0.0, make: Callable[[], Functions] | None = None
    ) -> None:
        """`hasty` was made in `seconds`; `make` does it with care, None where that would gain nothing."""
        self._functions = hasty
        self._left = PATIENCE * seconds
        self._make = make
        self._lock = threading.Lock()

    @property
    def functions(self) -> Functions:
        """What is to be called now."""
        return self._functions

    def spend(self, seconds: float) -> None:
        """The query was asked for so many seconds of a processor; this may take as long as making it does."""
        with self._lock:
            self._left -= seconds
            if self._left > 0:
                return
        self.improve()

    def improve(self) -> None:
        """Make it with care now, unless that is done or under way: others go on with what there is."""
        with self._lock:
            make, self._make = self._make, None
        if make is not None:
            self._functions = make()
