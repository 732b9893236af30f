"""The table of hits: fills while a search runs, can be limited to one orbit element, one row a matching position."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from cqlgui.board import tree
from cqlgui.tasks import games, model
from cqlgui.ui import jobs
from cqlgui.ui.tables import rows

Index = QModelIndex | QPersistentModelIndex
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
FROM_HERE = 8
"""Plies of notation from the hit on."""

TITLES = ("Game", "White", "Black", "Result", "Year", "ECO", "Hit", "Ply", "Transform", "Value", "From here")
WIDTHS = (62, 150, 150, 62, 50, 48, 52, 46, 190, 70, 320)
GAME, WHITE, BLACK, RESULT, YEAR, ECO, PLACE, PLY, TRANSFORM, VALUE, MOVES = range(len(TITLES))


class HitsModel(QAbstractTableModel):
    """Rows are (game, hit); ply and moves of a game are read by jobs as its rows come into view."""

    def __init__(self, cache: rows.RowCache, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cache = cache
        self._jobs = door
        self._all: list[tuple[model.GameHits, int]] = []
        self._shown: list[tuple[model.GameHits, int]] = []
        self._limit: tuple[int, int] | None = None
        self._orbits: tuple[model.Orbit, ...] = ()
        self._lines: collections.OrderedDict[int, dict[int, tuple[int, str]]] = collections.OrderedDict()
        self._reading: set[int] = set()
        self._epoch = 0
        cache.arrived.connect(self._refresh)

    def clear(self, orbits: tuple[model.Orbit, ...] = ()) -> None:
        """Start anew, for a query with these orbits."""
        self.beginResetModel()
        self._all, self._shown, self._limit, self._orbits = [], [], None, orbits
        self._lines.clear()
        self._reading.clear()
        self._epoch += 1
        self.endResetModel()

    def add(self, found: Iterable[model.GameHits]) -> None:
        """Append the hits of some games."""
        new = [(game, place) for game in found for place in range(len(game.hits))]
        self._all += new
        shown = [entry for entry in new if self._passes(entry)]
        if shown:
            first = len(self._shown)
            self.beginInsertRows(QModelIndex(), first, first + len(shown) - 1)
            self._shown += shown
            self.endInsertRows()

    def finish(self, result: model.SearchResult) -> None:
        """Take the final result: its order (a query may sort) and its orbits."""
        self._orbits = result.orbits
        final = [
            (result.games[game], place)
            for game in result.order
            for place in range(len(result.games[game].hits))
        ]
        if [(entry.game, place) for entry, place in final] != [
            (entry.game, place) for entry, place in self._all
        ]:
            self.beginResetModel()
            self._all = final
            self._shown = [entry for entry in final if self._passes(entry)]
            self.endResetModel()
        else:
            self._refresh([])

    def limit(self, element: tuple[int, int] | None) -> None:
        """Show only hits in which this (orbit, element) matched; None shows all."""
        self.beginResetModel()
        self._limit = element
        self._shown = [entry for entry in self._all if self._passes(entry)]
        self.endResetModel()

    @property
    def limited_to(self) -> tuple[int, int] | None:
        """The (orbit, element) that limits the rows."""
        return self._limit

    def hit(self, row: int) -> tuple[int, model.Hit] | None:
        """The game's ordinal and the hit of a row."""
        if not 0 <= row < len(self._shown):
            return None
        game, place = self._shown[row]
        return game.game, game.hits[place]

    def hits_of(self, game: int) -> dict[int, model.Hit]:
        """The hits of a game by positionid."""
        for entry, place in self._all:
            if entry.game == game and place == 0:
                return {hit.positionid: hit for hit in entry.hits}
        return {}

    def row_of(self, game: int, positionid: int) -> int:
        """The row of a hit, or -1."""
        for row, (entry, place) in enumerate(self._shown):
            if entry.game == game and entry.hits[place].positionid == positionid:
                return row
        return -1

    @property
    def games(self) -> int:
        """Number of games that have rows."""
        return len({entry.game for entry, _ in self._shown})

    def match(self, hit: model.Hit) -> model.OrbitMatch | None:
        """The match to show for a hit: the one the limit asks for, else the primary one."""
        for match in hit.matches:
            if self._limit is None or (match.orbit, match.element) == self._limit:
                return match
        return None

    def element(self, match: model.OrbitMatch | None) -> model.ElementCount | None:
        """The orbit element of a match."""
        if match is None or match.orbit >= len(self._orbits):
            return None
        elements = self._orbits[match.orbit].elements
        return elements[match.element] if match.element < len(elements) else None

    def _passes(self, entry: tuple[model.GameHits, int]) -> bool:
        game, place = entry
        return self._limit is None or any(
            (match.orbit, match.element) == self._limit for match in game.hits[place].matches
        )

    def _line(self, game: model.GameHits, positionid: int) -> tuple[int, str] | None:
        known = self._lines.get(game.game)
        if known is not None:
            return known.get(positionid)
        base = self._cache.base
        if base is not None and game.game not in self._reading and len(self._reading) < 60:
            self._reading.add(game.game)
            epoch, ordinal = self._epoch, game.game
            wanted = [hit.positionid for hit in game.hits]
            self._jobs.run(
                lambda _token, _sink: lines(games.load(base, ordinal).tree, wanted),
                lambda found: self._take(epoch, ordinal, found),
                lambda _error: self._take(epoch, ordinal, {}),
            )
        return None

    def _take(self, epoch: int, game: int, found: dict[int, tuple[int, str]]) -> None:
        if epoch != self._epoch:
            return
        self._reading.discard(game)
        self._lines[game] = found
        while len(self._lines) > 5_000:
            self._lines.popitem(last=False)
        self._refresh([game])

    def _refresh(self, _games: Sequence[int]) -> None:
        if self._shown:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, len(TITLES) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in (GAME, PLACE, PLY) else None
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        game, place = self._shown[index.row()]
        hit = game.hits[place]
        if column in _OF_ROW:
            row = self._cache.get(game.game)
            return "" if row is None else _OF_ROW[column](row)
        if column == GAME:
            return str(game.game)
        if column == PLACE:
            return f"{place + 1}/{len(game.hits)}"
        if column == VALUE:
            return hit.value or ""
        if column == TRANSFORM:
            element = self.element(self.match(hit))
            if element is None:
                return ""
            return (
                element.transform
                if role == Qt.ItemDataRole.ToolTipRole
                else element.words or element.transform
            )
        line = self._line(game, hit.positionid)
        if line is None:
            return ""
        return str(line[0]) if column == PLY else line[1]

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(TITLES):
            return None
        if role == Qt.ItemDataRole.ToolTipRole and section == PLY:
            return "Moves played before the position that matched"
        return TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None


_OF_ROW: dict[int, Callable[[model.GameRow], str]] = {
    WHITE: lambda row: row.white,
    BLACK: lambda row: row.black,
    RESULT: lambda row: row.result,
    YEAR: lambda row: row.date[:4].strip("?"),
    ECO: lambda row: row.eco,
}


def lines(game: tree.GameTree, wanted: Iterable[int]) -> dict[int, tuple[int, str]]:
    """Ply and the next moves in notation for some positions of a game."""
    found = {}
    for start in wanted:
        ids = []
        here = start
        while game.children[here] and len(ids) < FROM_HERE:
            here = game.children[here][0]
            ids.append(here)
        found[start] = (game.plies[start], " ".join(tree.san_line(game, ids)))
    return found
