"""The table of hits, one row a matching position.

It fills while a search runs and can be limited to one orbit element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from cqlgui.tasks import model
from cqlgui.ui.tables import lines, ranges, rows

Index = QModelIndex | QPersistentModelIndex
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

TITLES = ("Game", "White", "Black", "Result", "Year", "ECO", "Hit", "Ply", "Transform", "Value", "From here")
WIDTHS = (60, 132, 132, 66, 50, 48, 52, 46, 176, 54, 240)
GAME, WHITE, BLACK, RESULT, YEAR, ECO, PLACE, PLY, TRANSFORM, VALUE, MOVES = range(len(TITLES))

Element = tuple[int, int]
"""Number of an orbit, and of an element in it."""


class HitsModel(QAbstractTableModel):
    """Rows are (game, hit); headers and moves of a game are read by jobs as its rows come into view."""

    def __init__(self, cache: rows.RowCache, moves: lines.LineCache, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cache = cache
        self._moves = moves
        self._games: dict[int, model.GameHits] = {}
        self._order: list[int] = []
        self._shown: list[tuple[model.GameHits, int]] = []
        # Row after row belongs to one game, so the first row and their number are enough.
        self._places: dict[int, tuple[int, int]] = {}
        self._limit: Element | None = None
        self._orbits: tuple[model.Orbit, ...] = ()
        cache.arrived.connect(self._rows_came)
        moves.arrived.connect(self._lines_came)

    def clear(self, orbits: tuple[model.Orbit, ...] = ()) -> None:
        """Start anew, for a query with these orbits."""
        self.beginResetModel()
        self._games, self._order, self._shown, self._places = {}, [], [], {}
        self._limit, self._orbits = None, orbits
        self.endResetModel()

    def add(self, found: Iterable[model.GameHits]) -> None:
        """Append the hits of some games; a game comes once."""
        shown: list[tuple[model.GameHits, int]] = []
        first = len(self._shown)
        places: dict[int, tuple[int, int]] = {}
        for game in found:
            self._games[game.game] = game
            self._order.append(game.game)
            passing = self._passing(game)
            if passing:
                places[game.game] = (first + len(shown), len(passing))
                shown += passing
        if shown:
            self.beginInsertRows(QModelIndex(), first, first + len(shown) - 1)
            self._shown += shown
            self._places.update(places)
            self.endInsertRows()

    def finish(self, result: model.SearchResult) -> None:
        """Take the final result: its order (a query may sort) and its orbits."""
        self._orbits = result.orbits
        if list(result.order) != self._order or any(
            len(self._games[game].hits) != len(found.hits) for game, found in result.games.items()
        ):
            self.beginResetModel()
            self._games, self._order = dict(result.games), list(result.order)
            self._show()
            self.endResetModel()
        elif self._shown:
            # Which element matched is known only now.
            self._changed([(0, len(self._shown) - 1)], TRANSFORM, TRANSFORM)

    def set_orbits(self, orbits: tuple[model.Orbit, ...]) -> None:
        """Name the elements of the running query, before its result brings them with their counts."""
        self._orbits = orbits
        if self._shown:
            self._changed([(0, len(self._shown) - 1)], TRANSFORM, TRANSFORM)

    def limit(self, element: Element | None) -> None:
        """Show only hits in which this (orbit, element) matched; None shows all."""
        if element == self._limit:
            return
        self.beginResetModel()
        self._limit = element
        self._show()
        self.endResetModel()

    @property
    def limited_to(self) -> Element | None:
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
        found = self._games.get(game)
        return {} if found is None else {hit.positionid: hit for hit in found.hits}

    def place_in_game(self, row: int) -> tuple[int, int]:
        """Which of its game's shown hits a row is, from 1, and how many those are; (0, 0) without one."""
        found = self.hit(row)
        if found is None:
            return 0, 0
        first, count = self._places[found[0]]
        return row - first + 1, count

    def row_of(self, game: int, positionid: int) -> int:
        """The row of a hit, or -1."""
        first, count = self._places.get(game, (0, 0))
        for row in range(first, first + count):
            entry, place = self._shown[row]
            if entry.hits[place].positionid == positionid:
                return row
        return -1

    def first_row(self, game: int) -> int:
        """The row of a game's first shown hit, or -1."""
        return self._places.get(game, (-1, 0))[0]

    @property
    def games(self) -> int:
        """Number of games that have rows."""
        return len(self._places)

    @property
    def hits(self) -> int:
        """Number of rows."""
        return len(self._shown)

    @property
    def orbits(self) -> tuple[model.Orbit, ...]:
        """The orbits of the query, with counts once its search has ended."""
        return self._orbits

    def match_of(self, hit: model.Hit) -> model.OrbitMatch | None:
        """The match to show for a hit: the one the limit asks for, else the primary one."""
        for match in hit.matches:
            if self._limit is None or (match.orbit, match.element) == self._limit:
                return match
        return None

    def element(self, match: model.OrbitMatch | None) -> model.ElementCount | None:
        """The orbit element of a match."""
        return None if match is None else self.element_at((match.orbit, match.element))

    def element_at(self, place: Element) -> model.ElementCount | None:
        """An element by its numbers."""
        orbit, element = place
        if not 0 <= orbit < len(self._orbits):
            return None
        elements = self._orbits[orbit].elements
        return elements[element] if 0 <= element < len(elements) else None

    def _passing(self, game: model.GameHits) -> list[tuple[model.GameHits, int]]:
        limit = self._limit
        return [
            (game, place)
            for place, hit in enumerate(game.hits)
            if limit is None or any((match.orbit, match.element) == limit for match in hit.matches)
        ]

    def _show(self) -> None:
        self._shown, self._places = [], {}
        for number in self._order:
            passing = self._passing(self._games[number])
            if passing:
                self._places[number] = (len(self._shown), len(passing))
                self._shown += passing

    def _rows_came(self, games: Iterable[int]) -> None:
        self._changed(self._stretches(games), WHITE, ECO)

    def _lines_came(self, games: Iterable[int]) -> None:
        self._changed(self._stretches(games), PLY, MOVES)

    def _stretches(self, games: Iterable[int]) -> Iterable[tuple[int, int]]:
        changed: list[int] = []
        for game in games:
            first, count = self._places.get(game, (0, 0))
            changed += range(first, first + count)
        return ranges.merged(changed)

    def _changed(self, stretches: Iterable[tuple[int, int]], left: int, right: int) -> None:
        for first, last in stretches:
            self.dataChanged.emit(self.index(first, left), self.index(last, right))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in _NUMBERS else None
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
            element = self.element(self.match_of(hit))
            if element is None:
                return ""
            # The words in the cell, CQL's own spelling on hovering.
            in_cell = role == Qt.ItemDataRole.DisplayRole
            return (element.words if in_cell else element.transform) or element.transform
        line = self._moves.get(game.game, hit.positionid)
        if line is None or line[0] < 0:
            return ""
        return str(line[0]) if column == PLY else line[1]

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(TITLES):
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS.get(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in _NUMBERS else None
        return TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None


_NUMBERS = (GAME, PLACE, PLY)
_OF_ROW: dict[int, Callable[[model.GameRow], str]] = {
    WHITE: lambda row: row.white,
    BLACK: lambda row: row.black,
    RESULT: lambda row: row.result,
    YEAR: lambda row: row.date[:4].strip("?"),
    ECO: lambda row: row.eco,
}
_TIPS = {
    PLACE: "Which hit of its game, and how many the game has",
    PLY: "Moves played before the position that matched",
    TRANSFORM: "The element of the transform's orbit that matched",
    VALUE: "The value of the query at the position",
    MOVES: "The moves played from the position on",
}
