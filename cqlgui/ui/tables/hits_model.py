"""The table of hits, one row a matching position.

It fills while a search runs and can be limited to one orbit element.
"""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from cqlgui.tasks import model
from cqlgui.ui.panels import wording
from cqlgui.ui.tables import lines, ranges, rows

Index = QModelIndex | QPersistentModelIndex
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

TITLES = ("Game", "White", "Black", "Result", "Year", "ECO", "Hit", "Ply", "Transform", "Value", "From here")
WIDTHS = (60, 132, 132, 66, 50, 48, 74, 56, 168, 54, 240)
GAME, WHITE, BLACK, RESULT, YEAR, ECO, PLACE, PLY, TRANSFORM, VALUE, MOVES = range(len(TITLES))

Element = tuple[int, int]
"""Number of an orbit, and of an element in it."""


class HitsModel(QAbstractTableModel):
    """Rows are (game, hit); headers and moves of a game are read by jobs as its rows come into view.

    `has_values` tells whether any hit has a value, or a comment of the query, to show.
    """

    def __init__(self, cache: rows.RowCache, moves: lines.LineCache, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cache = cache
        self._moves = moves
        self._games: dict[int, model.GameHits] = {}
        # All hits are numbered in the order of the table. Arrays of plain numbers keep a million of them
        # small, quick to limit, and out of the way of Python's collector.
        self._first: dict[int, int] = {}
        self._owners: array[int] = array("q")
        self._places: array[int] = array("q")
        self._of_element: dict[Element, array[int]] = {}
        self._games_of_element: dict[Element, int] = {}
        self._limit: Element | None = None
        self._orbits: tuple[model.Orbit, ...] = ()
        self.has_values = False
        cache.arrived.connect(self._rows_came)
        moves.arrived.connect(self._lines_came)

    def clear(self, orbits: tuple[model.Orbit, ...] = ()) -> None:
        """Start anew, for a query with these orbits."""
        self.beginResetModel()
        self._forget()
        self._limit, self._orbits = None, orbits
        self.endResetModel()

    def add(self, found: Iterable[model.GameHits]) -> None:
        """Append the hits of some games; a game comes once."""
        batch = _Batch(len(self._owners), found)
        more = len(batch.owners) if self._limit is None else len(batch.of_element.get(self._limit, ()))
        first = self.hits
        if more:
            self.beginInsertRows(QModelIndex(), first, first + more - 1)
        self._append(batch)
        if more:
            self.endInsertRows()

    def finish(self, result: model.SearchResult) -> None:
        """Take the final result: its order (a query may sort) and its orbits."""
        self._orbits = result.orbits
        if list(result.order) != list(self._games) or any(
            len(self._games[game].hits) != len(found.hits) for game, found in result.games.items()
        ):
            self.beginResetModel()
            self._forget()
            self._append(_Batch(0, (result.games[game] for game in result.order)))
            self.endResetModel()
        elif self.hits:
            # How the elements are called may be known only now.
            self._changed([(0, self.hits - 1)], TRANSFORM, TRANSFORM)

    def limit(self, element: Element | None) -> None:
        """Show only hits in which this (orbit, element) matched; None shows all."""
        if element == self._limit:
            return
        self.beginResetModel()
        self._limit = element
        self.endResetModel()

    @property
    def limited_to(self) -> Element | None:
        """The (orbit, element) that limits the rows."""
        return self._limit

    def hit(self, row: int) -> tuple[int, model.Hit] | None:
        """The game's ordinal and the hit of a row."""
        if not 0 <= row < self.hits:
            return None
        number = self._number(row)
        game = self._owners[number]
        return game, self._games[game].hits[self._places[number]]

    def hits_of(self, game: int) -> dict[int, model.Hit]:
        """The hits of a game by positionid."""
        found = self._games.get(game)
        return {} if found is None else {hit.positionid: hit for hit in found.hits}

    def row_of(self, game: int, positionid: int) -> int:
        """The row of a hit, or -1."""
        for row in range(*self._rows_of(game)):
            found = self.hit(row)
            if found is not None and found[1].positionid == positionid:
                return row
        return -1

    def games_in(self, stretches: Iterable[tuple[int, int]]) -> list[int]:
        """The games of some stretches of rows (first and last one), each once, in the order of the table."""
        found: dict[int, None] = {}
        shown = self._shown
        for first, last in stretches:
            if shown is None:
                found.update(dict.fromkeys(self._owners[first : last + 1]))
            else:
                found.update(dict.fromkeys(map(self._owners.__getitem__, shown[first : last + 1])))
        return list(found)

    @property
    def games(self) -> int:
        """Number of games that have rows."""
        return len(self._games) if self._limit is None else self._games_of_element.get(self._limit, 0)

    @property
    def hits(self) -> int:
        """Number of rows."""
        shown = self._shown
        return len(self._owners) if shown is None else len(shown)

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

    def shown_of(self, hit: model.Hit) -> tuple[int, model.ElementCount | None]:
        """The squares of a hit to ring, and the orbit element to show it under."""
        match = self.match_of(hit)
        primary = match is None or match == hit.matches[0]
        return hit.squares if primary or match is None else match.squares, self.element(match)

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

    @property
    def _shown(self) -> array[int] | None:
        """The numbers of the hits shown, ascending; None means all."""
        return None if self._limit is None else self._of_element.get(self._limit, _NONE)

    def _number(self, row: int) -> int:
        shown = self._shown
        return row if shown is None else shown[row]

    def _rows_of(self, game: int) -> tuple[int, int]:
        """The first row of a game, and the one after its last; equal when it has none."""
        first = self._first.get(game)
        if first is None:
            return 0, 0
        end = first + len(self._games[game].hits)
        shown = self._shown
        if shown is None:
            return first, end
        return bisect.bisect_left(shown, first), bisect.bisect_left(shown, end)

    def _forget(self) -> None:
        self._games, self._first = {}, {}
        self._owners, self._places = array("q"), array("q")
        self._of_element, self._games_of_element = {}, {}
        self.has_values = False

    def _append(self, batch: _Batch) -> None:
        self.has_values = self.has_values or batch.has_values
        self._games.update(batch.games)
        self._first.update(batch.first)
        self._owners.extend(batch.owners)
        self._places.extend(batch.places)
        for element, numbers in batch.of_element.items():
            self._of_element.setdefault(element, array("q")).extend(numbers)
            had = self._games_of_element.get(element, 0)
            self._games_of_element[element] = had + batch.games_of_element[element]

    def _rows_came(self, games: Iterable[int]) -> None:
        self._changed(self._stretches(games), WHITE, ECO)

    def _lines_came(self, games: Iterable[int]) -> None:
        self._changed(self._stretches(games), PLY, MOVES)

    def _stretches(self, games: Iterable[int]) -> Iterable[tuple[int, int]]:
        changed: list[int] = []
        for game in games:
            changed += range(*self._rows_of(game))
        return ranges.merged(changed)

    def _changed(self, stretches: Iterable[tuple[int, int]], left: int, right: int) -> None:
        for first, last in stretches:
            self.dataChanged.emit(self.index(first, left), self.index(last, right))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else self.hits

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.hits:
            return None
        column = index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in _NUMBERS else None
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        number = self._number(index.row())
        game, place = self._games[self._owners[number]], self._places[number]
        hit = game.hits[place]
        if column in _OF_ROW:
            row = self._cache.get(game.game)
            return "" if row is None else _OF_ROW[column](row)
        if column == GAME:
            return str(game.game)
        if column == PLACE:
            return f"{place + 1}/{len(game.hits)}"
        if column == VALUE:
            if role == Qt.ItemDataRole.DisplayRole:
                return hit.value or game.comment_at(hit.positionid)
            return wording.plain_tip(_written(game, hit))
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


class _Batch:
    """Some games' hits, numbered from `start` on, and which of them each element matched."""

    __slots__ = ("first", "games", "games_of_element", "has_values", "of_element", "owners", "places")

    def __init__(self, start: int, found: Iterable[model.GameHits]) -> None:
        self.games: dict[int, model.GameHits] = {}
        self.first: dict[int, int] = {}
        self.owners: array[int] = array("q")
        self.places: array[int] = array("q")
        self.of_element: dict[Element, array[int]] = {}
        self.games_of_element: dict[Element, int] = {}
        self.has_values = False
        number = start
        for game in found:
            self.games[game.game] = game
            self.first[game.game] = number
            self.has_values = self.has_values or game.says
            in_game: set[Element] = set()
            for place, hit in enumerate(game.hits):
                self.owners.append(game.game)
                self.places.append(place)
                self.has_values = self.has_values or bool(hit.value)
                # An element may match several times at one position, yet that is one row.
                for element in {(match.orbit, match.element) for match in hit.matches}:
                    self.of_element.setdefault(element, array("q")).append(number)
                    in_game.add(element)
                number += 1
            for element in in_game:
                self.games_of_element[element] = self.games_of_element.get(element, 0) + 1


def _written(game: model.GameHits, hit: model.Hit) -> str:
    """Value, comment and tags of a hit, a line each."""
    parts = [hit.value or "", game.comment_at(hit.positionid)]
    parts += [f"{name}: {text}" for name, text in game.tags]
    if hit.positionid in game.removed:
        parts.append("without the comment of the file")
    return "\n".join(part for part in parts if part)


_NONE: array[int] = array("q")
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
    VALUE: "The value of the query at the position; without one, what it writes there",
    MOVES: "The moves played from the position on",
}
