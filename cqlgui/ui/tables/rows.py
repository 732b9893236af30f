"""Headers of games in pages, fetched by jobs and kept for a while; what both tables show their games with."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from cqlgui.tasks import games, model
from cqlgui.ui import jobs

KEPT = 20_000
PAGE = 200


class RowCache(QObject):
    """`get(game)` answers from memory or None, and then fetches; `arrived` names the games that came."""

    arrived = Signal(object)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._base: model.Base | None = None
        self._epoch = 0
        self._rows: collections.OrderedDict[int, model.GameRow] = collections.OrderedDict()
        self._wanted: dict[int, None] = {}
        self._pending: set[int] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fetch)

    @property
    def base(self) -> model.Base | None:
        """The base whose games are asked for."""
        return self._base

    def set_base(self, base: model.Base | None) -> None:
        """Ask this base from now on; a grown state of the same base keeps what is known."""
        same = base is not None and self._base is not None and base.id == self._base.id
        self._base = base
        if not same:
            self._epoch += 1
            self._rows.clear()
            self._pending.clear()
            self._wanted.clear()

    def get(self, game: int) -> model.GameRow | None:
        """The headers of a game if they are here; otherwise they are on their way."""
        row = self._rows.get(game)
        if row is None and game not in self._pending:
            self._wanted[game] = None
            if not self._timer.isActive():
                self._timer.start(0)
        return row

    def _fetch(self) -> None:
        base = self._base
        if base is None or not self._wanted:
            return
        # The latest asked are in view; what was scrolled past meanwhile is asked again if it comes back.
        batch = list(self._wanted)[-PAGE * 2 :]
        self._wanted.clear()
        self._pending.update(batch)
        epoch = self._epoch
        self._jobs.run(
            lambda _token, _sink: games.rows(base, batch),
            lambda rows: self._take(epoch, batch, rows),
            lambda _error: self._take(epoch, batch, []),
        )

    def _take(self, epoch: int, batch: Sequence[int], rows: Sequence[model.GameRow]) -> None:
        if epoch != self._epoch:
            return
        self._pending.difference_update(batch)
        for row in rows:
            self._rows[row.game] = row
        while len(self._rows) > KEPT:
            self._rows.popitem(last=False)
        if rows:
            self.arrived.emit([row.game for row in rows])


Column = tuple[str, str, Callable[[model.GameRow], str], int]
"""Title, sort key (empty for none), text of a row, usual width in pixels."""


def player(name: str, elo: int | None) -> str:
    """A player as a table shows him: the name, and the rating where known."""
    return f"{name} ({elo})" if elo else name


def known(text: str) -> str:
    """A header as a table shows it: nothing where PGN says that it is unknown."""
    return "" if text.strip("?.- ") == "" else text


GAME_COLUMNS: tuple[Column, ...] = (
    ("#", "game", lambda row: str(row.game), 64),
    ("White", "white", lambda row: row.white, 170),
    ("Elo", "white_elo", lambda row: str(row.white_elo or ""), 52),
    ("Black", "black", lambda row: row.black, 170),
    ("Elo", "black_elo", lambda row: str(row.black_elo or ""), 52),
    ("Result", "result", lambda row: row.result, 68),
    ("Date", "date", lambda row: known(row.date.replace(".??", "")), 92),
    ("ECO", "eco", lambda row: known(row.eco), 52),
    ("Plies", "plies", lambda row: str(row.plies), 56),
    ("Event", "event", lambda row: known(row.event), 200),
    ("Site", "site", lambda row: known(row.site), 140),
)
