"""Ply and the moves from a position on, read by jobs for the rows in view; knows no table."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from cqlgui.base import errors, progress
from cqlgui.board import tree
from cqlgui.tasks import model, sources
from cqlgui.ui import jobs

FROM_HERE = 8
"""Plies of notation from a position on."""

KEPT = 20_000
BATCH = 120

Place = tuple[int, int]
"""A game's ordinal and a positionid."""

Line = tuple[int, str]
"""The ply of a position, and the moves from it on."""

UNKNOWN: Line = (-1, "")
"""Stands for a position that cannot be read."""


class LineCache(QObject):
    """`get(game, positionid)` answers from memory or None, and then fetches; `arrived` names the games."""

    arrived = Signal(object)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._base: model.Base | None = None
        self._epoch = 0
        self._lines: collections.OrderedDict[Place, Line] = collections.OrderedDict()
        self._wanted: dict[Place, None] = {}
        self._pending: set[Place] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fetch)

    def set_base(self, base: model.Base | None) -> None:
        """Read from this base from now on; a grown state of the same base keeps what is known."""
        same = base is not None and self._base is not None and base.id == self._base.id
        self._base = base
        if not same:
            self._epoch += 1
            self._lines.clear()
            self._pending.clear()
            self._wanted.clear()

    def get(self, game: int, positionid: int) -> Line | None:
        """The line of a position if it is here; otherwise it is on its way."""
        place = (game, positionid)
        line = self._lines.get(place)
        if line is None and place not in self._pending:
            self._wanted[place] = None
            if not self._timer.isActive():
                self._timer.start(0)
        return line

    def _fetch(self) -> None:
        base = self._base
        # One batch at a time: reading is Python and must leave the interpreter to the window now and then.
        if base is None or not self._wanted or self._pending:
            return
        batch = list(self._wanted)[-BATCH:]
        self._wanted.clear()
        self._pending.update(batch)
        epoch = self._epoch
        self._jobs.run(
            lambda token, _sink: read(base, batch, token),
            lambda found: self._take(epoch, batch, found),
            lambda _error: self._take(epoch, batch, {}),
        )

    def _take(self, epoch: int, batch: Sequence[Place], found: dict[Place, Line]) -> None:
        if epoch == self._epoch:
            self._pending.difference_update(batch)
            for place in batch:
                # What could not be read stays empty, and is not asked for again and again.
                self._lines[place] = found.get(place, UNKNOWN)
            while len(self._lines) > KEPT:
                self._lines.popitem(last=False)
            self.arrived.emit(sorted({game for game, _ in batch}))
        if self._wanted:
            self._timer.start(0)


def read(base: model.Base, places: Iterable[Place], token: progress.CancelToken) -> dict[Place, Line]:
    """The lines of some positions of a base; those of a game that cannot be read are left out."""
    wanted: dict[int, list[int]] = {}
    for game, positionid in places:
        wanted.setdefault(game, []).append(positionid)
    found: dict[Place, Line] = {}
    with sources.Readers(base) as readers:
        for game, positionids in wanted.items():
            token.raise_if_cancelled()
            try:
                reader, ordinal = readers.of(game)
                played = tree.GameTree.decode(reader.index.start_fen(ordinal), reader.index.moves(ordinal))
                for positionid, line in lines(played, positionids).items():
                    found[game, positionid] = line
            except (errors.CqlguiError, ValueError):
                continue
    return found


def lines(game: tree.GameTree, wanted: Iterable[int]) -> dict[int, Line]:
    """Ply and the next moves in notation for some positions of a game."""
    found: dict[int, Line] = {}
    for start in wanted:
        if not 0 <= start < len(game):
            continue
        ids: list[int] = []
        here = start
        while game.children[here] and len(ids) < FROM_HERE:
            here = game.children[here][0]
            ids.append(here)
        found[start] = (game.plies[start], " ".join(tree.san_line(game, ids)))
    return found
