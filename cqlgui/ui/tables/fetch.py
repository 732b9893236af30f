"""A cache that answers at once from memory, and fetches missing values in jobs; the base class of the tables'
caches."""

from __future__ import annotations

import collections
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from cqlgui.base import progress
from cqlgui.tasks.results import base_model
from cqlgui.ui.loop import jobs

Key = TypeVar("Key")
Value = TypeVar("Value")

KEPT = 20_000


class FetchCache(QObject, Generic[Key, Value]):
    """`lookup(key)` returns a value from memory. If the value is not in memory, the value is fetched, and
    `lookup` returns None. `arrived` carries the games whose values were fetched.

    If more keys are wanted than fit into a batch, only the latest keys are fetched. The rows of the earlier
    keys are not visible any more. These keys are looked up again when their rows come back into view.
    """

    arrived = Signal(object)

    def __init__(
        self,
        door: jobs.Jobs,
        batch: int,
        *,
        one_at_a_time: bool,
        kept: int = KEPT,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._jobs = door
        self._batch = batch
        self._alone = one_at_a_time
        self._kept = kept
        self._base: base_model.Base | None = None
        self._epoch = 0
        self._known: collections.OrderedDict[Key, Value] = collections.OrderedDict()
        self._wanted: dict[Key, None] = {}
        self._pending: set[Key] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fetch)

    @abstractmethod
    def read(
        self, base: base_model.Base, keys: Sequence[Key], token: progress.CancelToken
    ) -> dict[Key, Value]:
        """The values of some keys. This method runs in a job. A key that is missing in the result is fetched
        again when the row of the key comes into view."""

    @abstractmethod
    def games(self, keys: Iterable[Key]) -> list[int]:
        """The games of some keys."""

    @property
    def base(self) -> base_model.Base | None:
        """The values are fetched from this base."""
        return self._base

    def set_base(self, base: base_model.Base | None) -> None:
        """Use this base from now on. If it is the former base with more games, the cache is kept."""
        same = base is not None and self._base is not None and base.id == self._base.id
        self._base = base
        if not same:
            self.forget()

    def forget(self) -> None:
        """Clear the cache, and ignore the values that are being fetched."""
        self._epoch += 1
        self._known.clear()
        self._pending.clear()
        self._wanted.clear()

    def lookup(self, key: Key) -> Value | None:
        """The value of a key. If the value is not cached, it is fetched, and the result is None."""
        value = self._known.get(key)
        if value is None and key not in self._pending:
            self._wanted[key] = None
            if not self._timer.isActive():
                self._timer.start(0)
        return value

    def _fetch(self) -> None:
        base = self._base
        if base is None or not self._wanted or (self._alone and self._pending):
            return
        batch = list(self._wanted)[-self._batch :]
        self._wanted.clear()
        self._pending.update(batch)
        epoch = self._epoch
        self._jobs.run(
            lambda token, _sink: self.read(base, batch, token),
            lambda found: self._take(epoch, batch, found),
            lambda _error: self._take(epoch, batch, {}),
        )

    def _take(self, epoch: int, batch: Sequence[Key], found: dict[Key, Value]) -> None:
        if not isValid(self):
            # The table was closed while the job ran.
            return
        if epoch == self._epoch:
            self._pending.difference_update(batch)
            self._known.update(found)
            while len(self._known) > self._kept:
                self._known.popitem(last=False)
            if found:
                self.arrived.emit(self.games(found))
        if self._wanted:
            self._timer.start(0)
