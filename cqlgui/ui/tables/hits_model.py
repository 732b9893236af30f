"""The table of hits, one row for each matching position.

It fills while a search runs and can be limited to one orbit element.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, Qt, QTimer, Signal

from cqlgui.base import patterns
from cqlgui.base.progress import CancelToken
from cqlgui.board import motions
from cqlgui.cql.transforming import geometry
from cqlgui.engine.passes import orbit_pass
from cqlgui.tasks.analysis import arranging
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.tasks.results import base_model, discarding, hit_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Columns, FoundGames, Integers, Pieces
from cqlgui.ui.tables import details, lines, ranges, rows, text_model

TITLES = (
    "Game", "White", "Black", "Result", "Year", "ECO", "Hit", "Ply", "Transform", "Value", "From here",
    "Elo of White", "Elo of Black", "Date", "Event", "Site", "Round", "Opening", "File", "Sort key",
    "Comment",
)  # fmt: skip
WIDTHS = (
    60, 132, 132, 66, 50, 48, 74, 56, 168, 54, 180, 90, 90, 92, 180, 140, 60, 200, 140, 80, 180
)  # fmt: skip
(
    GAME, WHITE, BLACK, RESULT, YEAR, ECO, PLACE, PLY, TRANSFORM, VALUE, MOVES, WHITE_ELO, BLACK_ELO, DATE,
    EVENT, SITE, ROUND, OPENING, FILE, SORT_KEY, COMMENT,
) = range(len(TITLES))  # fmt: skip
EXTRA = frozenset(range(WHITE_ELO, COMMENT + 1))
"""The columns that are hidden until the user wants them."""
SORTS: dict[int, arranging.Sort] = {
    GAME: arranging.Sort.GAME,
    WHITE: arranging.Sort.WHITE,
    BLACK: arranging.Sort.BLACK,
    RESULT: arranging.Sort.RESULT,
    YEAR: arranging.Sort.DATE,
    ECO: arranging.Sort.ECO,
    PLACE: arranging.Sort.PLACE,
    PLY: arranging.Sort.PLY,
    TRANSFORM: arranging.Sort.ELEMENT,
    VALUE: arranging.Sort.VALUE,
    WHITE_ELO: arranging.Sort.WHITE_ELO,
    BLACK_ELO: arranging.Sort.BLACK_ELO,
    DATE: arranging.Sort.DATE,
    EVENT: arranging.Sort.EVENT,
    SITE: arranging.Sort.SITE,
    ROUND: arranging.Sort.ROUND,
    OPENING: arranging.Sort.OPENING,
    FILE: arranging.Sort.FILE,
    SORT_KEY: arranging.Sort.SORT_KEY,
    COMMENT: arranging.Sort.COMMENT,
}
"""What the rows are sorted by after a click on the title of a column. Rows cannot be sorted by the moves: for
that, all found games would be played."""
_SQUARES = patterns.pattern(r"[a-h][1-8]|\[(?:[a-h][1-8],?)*\]")
"""Matches a value that is a set of squares."""
_TWO_LINES = (WHITE, BLACK, RESULT, YEAR, ECO, MOVES, VALUE)

MANY = 200_000
"""From this number of rows on, new rows are added in batches, because Qt goes through all existing rows for
each addition."""
HELD_SHARE = 4
"""A batch is added as soon as it has one new row for every `HELD_SHARE` rows shown, or after `HELD_MS`."""
HELD_MS = 1000
"""A batch is added after this many milliseconds, even if it is small."""

Element = tuple[int, int]
"""The number of an orbit, and the number of an element in this orbit."""


class Fetched(NamedTuple):
    """What some rows show: the headers and the details of their games, and the moves at their hits."""

    headers: Mapping[int, base_model.GameRow]
    lines: Mapping[lines.Place, lines.Line]
    told: Mapping[int, hit_model.GameHits]


class HitsModel(text_model.TextModel):
    """Each row is a hit in a game. When the rows of a game come into view, jobs fetch headers, moves, and the
    details that a search leaves out. `told` carries the games whose details came.

    `released` is emitted when rows were added. `has_values` is True if any hit has a text in the column of
    values: the value of the query, or a comment that the query writes.
    """

    told = Signal(object)
    released = Signal()
    on_the_right = (GAME, PLACE, PLY, WHITE_ELO, BLACK_ELO)
    has_two_lines = True

    def __init__(
        self,
        cache: rows.RowCache,
        moves: lines.LineCache,
        details: details.DetailCache | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._cache = cache
        self._moves = moves
        self._details = details
        # All hits, numbered in the order of the table.
        self._columns = Pieces()
        self._told: dict[int, hit_model.GameHits] = {}
        self._untold: found_module.GameDefaults | None = None
        # The found games in the order of a query that sorts. This is None if the table has the order of the
        # games.
        self._ordered: FoundGames | None = None
        self._count = 0
        self._limit: Element | None = None
        self._limited = Limited()
        # The rows, if they are grouped or sorted.
        self._arranged: arranging.Arrangement | None = None
        self._texts: arranging.TextKeys | None = None
        # The sign in the title, and words, for each column that rows are sorted by after the first column.
        self._sort_marks: dict[int, tuple[str, str]] = {}
        self._orbits: tuple[hit_model.Orbit, ...] = ()
        self._sort_keys: dict[int, tuple[int | str | None, ...]] = {}
        # The hits whose rows were current once.
        self._seen: set[int] = set()
        self.has_values = False
        self._normalised = False
        # Hits that came but have no rows yet, and the number of these hits.
        self._held: list[FoundGames] = []
        self._held_hits = 0
        self._release = QTimer(self)
        self._release.setSingleShot(True)
        self._release.setInterval(HELD_MS)
        self._release.timeout.connect(self.release)
        cache.arrived.connect(self._rows_came)
        moves.arrived.connect(self._lines_came)
        if details is not None:
            details.arrived.connect(self._details_came)

    def clear(self, orbits: tuple[hit_model.Orbit, ...] = (), *, keep_seen: bool = False) -> None:
        """Start again, for a query with these orbits. With `keep_seen`, hits that were seen stay marked."""
        self.beginResetModel()
        self._forget()
        if not keep_seen:
            self._seen = set()
        self._limit, self._orbits = None, orbits
        self.endResetModel()

    def add(self, found: FoundGames) -> None:
        """Append the hits of some games. Each game may come only once. The rows may not be arranged. If there
        are many rows already, the new rows may be added a moment later. `released` is emitted when the new
        rows are added."""
        self._held.append(found)
        self._held_hits += len(found.columns)
        if self.hits < MANY or HELD_SHARE * self._held_hits >= self.hits:
            self.release()
        elif not self._release.isActive():
            self._release.start()

    def release(self) -> None:
        """Add rows for all waiting hits."""
        self._release.stop()
        held, self._held, self._held_hits = self._held, [], 0
        if held:
            self._append(held)
            self.released.emit()

    def _append(self, parts: Sequence[FoundGames]) -> None:
        start, fresh = len(self._columns), []
        for found in parts:
            hits = found.columns.hits
            if self._limit is not None:
                numbers = np.flatnonzero(found_module.having(found.columns, _code(self._limit)))
                fresh.append((numbers + start, hits[numbers]))
            start += len(hits)
        more = start - len(self._columns) if self._limit is None else sum(len(one[0]) for one in fresh)
        if more:
            self.beginInsertRows(QModelIndex(), self.hits, self.hits + more - 1)
        for found in parts:
            games, ascending = found.measured
            self._columns.add(found.columns, ascending=ascending)
            self._count += games
            self._take_told(found)
        for numbers, hits in fresh:
            self._limited.extend(numbers, hits)
        if more:
            self.endInsertRows()

    def finish(self, result: search_model.SearchResult) -> None:
        """Take the orbits and the order of the final result. The order may be new, because a query may sort
        its hits."""
        self.release()
        self._orbits = result.orbits
        keys = result.games.sort_keys() if result.sort_keys else {}
        # Only a query that sorts can change the order. Other queries need no comparison of the orders.
        found = result.games.in_order(result.order) if result.sort_keys else result.games
        # The result contains all hits that came. So the hits are unchanged if their number and their order
        # are unchanged.
        same = found is result.games and self._columns.ascending and len(self._columns) == len(found.columns)
        if same:
            # The columns are shared, so that millions of hits are not stored twice.
            self._columns.replace(found.columns)
            self._sort_keys = keys
            # Some elements get their names only from this result, and so do all games their sort keys.
            if self.rows:
                self._changed([(0, self.rows - 1)], TRANSFORM, SORT_KEY if keys else TRANSFORM)
        else:
            self.beginResetModel()
            self._forget()
            self._columns.add(found.columns, ascending=found.measured[1])
            self._take_told(found)
            self._count = len(result.games)
            if found is not result.games:
                self._ordered = found
            self._sort_keys = keys
            self._find_limited()
            self.endResetModel()

    def limit(self, element: Element | None, found: Limited | None = None) -> None:
        """Show only the hits where this (orbit, element) matched. None shows all hits. `found` are the hits
        to show, if `looking` has found them already."""
        if element == self._limit:
            return
        self.release()
        self.beginResetModel()
        self._limit, self._arranged = element, None
        if found is None:
            self._find_limited()
        else:
            self._limited = found
        self.endResetModel()

    def arranger(
        self, base: base_model.Base, result: search_model.SearchResult
    ) -> Callable[..., arranging.Arrangement]:
        """A function that arranges the hits shown, as `arranging.arrange`; the other arguments are its
        keywords. It may be called in any thread. Its result is valid until the hits or the limit change."""
        texts = self.text_keys(base, result)
        chosen = None if self._limit is None else self._limited.numbers
        return functools.partial(arranging.arrange, base, result, texts.columns, chosen=chosen, texts=texts)

    def text_keys(self, base: base_model.Base, result: search_model.SearchResult) -> arranging.TextKeys:
        """The sort keys of the values and comments of all hits. They are the same object until the hits
        change."""
        columns = self._columns.whole()
        if self._texts is None or self._texts.columns is not columns:
            self._texts = arranging.TextKeys(base, result, columns)
        return self._texts

    def show_sorts(self, sorts: Sequence[arranging.Key]) -> None:
        """Show the second column to sort by, and further ones, in the titles: an arrow and a number. The view
        shows the first column."""
        marks: dict[int, tuple[str, str]] = {}
        for number, key in enumerate(sorts[1:], 2):
            column = next((one for one, sort in SORTS.items() if sort is key.sort), None)
            if column is not None:
                way = "largest" if key.descending else "smallest"
                words = f"Rows that are equal so far are sorted by this column, the {way} first."
                marks[column] = f"{'▼' if key.descending else '▲'}{number}", words
        if marks != self._sort_marks:
            self._sort_marks = marks
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(TITLES) - 1)

    def arrange(self, arranged: arranging.Arrangement | None) -> None:
        """Show these rows. None shows one row for each hit, in the order of the hits."""
        if arranged is not self._arranged:
            self.beginResetModel()
            self._arranged = arranged
            self.endResetModel()

    @property
    def arranged(self) -> arranging.Arrangement | None:
        """The rows, if they are grouped or sorted."""
        return self._arranged

    def set_normalised(self, on: bool) -> None:
        """Show the moves after each hit in the query's own frame, or as the moves were played."""
        if on != self._normalised:
            self._normalised = on
            if self.rows:
                self._changed([(0, self.rows - 1)], MOVES, MOVES)

    def looking(self, element: Element) -> Callable[[], Limited]:
        """A function that finds the hits where an element matched. It may be called in any thread. Its result
        is valid until further hits come."""
        columns = self._columns.whole()
        return lambda: _limited(columns, element)

    @property
    def limited_to(self) -> Element | None:
        """The (orbit, element) that limits the rows."""
        return self._limit

    def hit(self, row: int) -> tuple[int, hit_model.Hit] | None:
        """The game's ordinal and the hit of a row."""
        if not 0 <= row < self.rows:
            return None
        number = self._number(row)
        game, positionid = self._place(number)
        return game, self._hit(number, game, positionid)

    def hits_of(self, game: int) -> dict[int, hit_model.Hit]:
        """The hits of a game by positionid; missing details are fetched."""
        first, end = self._stretch(game)
        if first == end:
            return {}
        told = self._told_of(game)
        if told is None and self._details is not None:
            self._details.hurry(game)
        columns = self._columns.part(first, end)
        if told is None:
            found = found_module.view(columns, 0, len(columns), self._untold)
        else:
            found = found_module.trimmed(told, columns, 0, len(columns))
        return {hit.positionid: hit for hit in found.hits}

    def row_of(self, game: int, positionid: int) -> int:
        """The row of a hit, or -1."""
        wanted = game << found_module.GAME_SHIFT | positionid
        if self._arranged is not None:
            first, end = self._stretch(game)
            at = np.flatnonzero(self._columns.part(first, end).hits == wanted)
            return int(self._arranged.rows[first + int(at[0])]) if len(at) else -1
        first, end = self._rows_of(game)
        at = np.flatnonzero(self._hits_in(first, end) == wanted)
        return first + int(at[0]) if len(at) else -1

    def games_in(self, stretches: Iterable[tuple[int, int]]) -> list[int]:
        """The games in some ranges of rows (first and last row), in the order of the table. Each game is
        listed once."""
        found: dict[int, None] = {}
        for first, last in stretches:
            games = self._hits_in(first, last + 1) >> found_module.GAME_SHIFT
            found.update(dict.fromkeys(games[np.flatnonzero(np.diff(games, prepend=-1))].tolist()))
        return list(found)

    @property
    def games(self) -> int:
        """Number of games that have rows."""
        if self._arranged is not None:
            return self._arranged.games
        return self._count if self._limit is None else self._limited.games

    @property
    def total(self) -> int:
        """Number of rows that the table has without a limit."""
        return len(self._columns)

    @property
    def hits(self) -> int:
        """Number of hits that rows stand for."""
        return len(self._columns) if self._limit is None else len(self._limited)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.hits if self._arranged is None else len(self._arranged.numbers)

    def see(self, row: int) -> None:
        """Remember that the user has seen a row."""
        if 0 <= row < self.rows:
            self._seen.add(self._columns.hit(self._number(row)))

    def is_seen(self, row: int) -> bool:
        """Whether a row was current once."""
        return bool(self._seen) and self._columns.hit(self._number(row)) in self._seen

    @property
    def orbits(self) -> tuple[hit_model.Orbit, ...]:
        """The orbits of the query, with counts once its search has ended."""
        return self._orbits

    def match_of(self, hit: hit_model.Hit) -> hit_model.OrbitMatch | None:
        """The match to show for a hit: the match with the element that limits the rows, or the primary match
        if there is no limit."""
        for match in hit.matches:
            if self._limit is None or (match.orbit, match.element) == self._limit:
                return match
        return None

    def shown_of(self, hit: hit_model.Hit) -> tuple[int, hit_model.ElementCount | None]:
        """The squares to ring for a hit, and the orbit element of the hit."""
        match = self.match_of(hit)
        primary = match is None or match == hit.matches[0]
        return hit.squares if primary or match is None else match.squares, self.element(match)

    def element(self, match: hit_model.OrbitMatch | None) -> hit_model.ElementCount | None:
        """The orbit element of a match."""
        return None if match is None else self.element_at((match.orbit, match.element))

    def element_at(self, place: Element) -> hit_model.ElementCount | None:
        """An element by its numbers."""
        orbit, element = place
        if not 0 <= orbit < len(self._orbits):
            return None
        elements = self._orbits[orbit].elements
        return elements[element] if 0 <= element < len(elements) else None

    def _number(self, row: int) -> int:
        if self._arranged is not None:
            return int(self._arranged.numbers[row])
        return row if self._limit is None else int(self._limited.numbers[row])

    def _hits_in(self, first: int, end: int) -> Integers:
        """The first hits of a range of rows."""
        if self._arranged is not None:
            return self._columns.whole().hits[self._arranged.numbers[first:end]]
        if self._limit is None:
            return self._columns.part(first, end).hits
        return self._columns.hits(self._limited.numbers[first:end])

    def _place(self, number: int) -> tuple[int, int]:
        """Game and position of a hit."""
        hit = self._columns.hit(number)
        return hit >> found_module.GAME_SHIFT, hit & found_module.PLACE_MASK

    def _stretch(self, game: int) -> tuple[int, int]:
        """The number of a game's first hit, and the number that follows its last hit."""
        return self._columns.stretch(game) if self._ordered is None else self._ordered.stretch(game)

    def _told_of(self, game: int) -> hit_model.GameHits | None:
        """The details of a game, if they are known."""
        found = self._told.get(game)
        if found is None and self._details is not None:
            found = self._details.known(game)
        return found if found is None or found.hits else None

    def _hit(self, number: int, game: int, positionid: int) -> hit_model.Hit:
        told = self._told_of(game)
        if told is not None:
            for hit in told.hits:
                if hit.positionid == positionid:
                    return hit
        codes = self._columns.part(number, number + 1).codes.tolist()
        return hit_model.Hit(game, positionid, None, 0, found_module.matches(codes, positionid))

    def _rows_of(self, game: int) -> tuple[int, int]:
        """The first row of a game, and the row after its last row. Both are equal if the game has no rows."""
        first, end = self._stretch(game)
        if self._limit is None or first == end:
            return first, end
        low, high = np.searchsorted(self._limited.numbers, [first, end])
        return int(low), int(high)

    def _forget(self) -> None:
        self._release.stop()
        self._held, self._held_hits = [], 0
        self._columns.clear()
        told, self._told, self._untold, self._ordered = [self._told], {}, None, None
        discarding.discard(told)
        self._count = 0
        self._limited, self._arranged, self._texts = Limited(), None, None
        self._sort_keys = {}
        self.has_values = False

    def _take_told(self, found: FoundGames) -> None:
        self._told.update(found.told)
        self._untold = self._untold or found.untold
        self._count += sum(not game.hits for game in found.told.values())
        self.has_values = (
            self.has_values
            or (len(found.columns) > 0 and found.untold is not None and found.untold.valued)
            or found.says
            or any(game.says or any(hit.value for hit in game.hits) for game in found.told.values())
        )

    def _find_limited(self) -> None:
        self._limited = Limited() if self._limit is None else self.looking(self._limit)()

    def _details_came(self, games: list[int]) -> None:
        if not self.has_values and self._details is not None:
            self.has_values = any(
                found.says for game in games if (found := self._details.known(game)) is not None
            )
        stretches = list(self._stretches(games))
        self._changed(stretches, VALUE, VALUE)
        self._changed(stretches, COMMENT, COMMENT)
        self.told.emit(games)

    def _rows_came(self, games: Iterable[int]) -> None:
        stretches = list(self._stretches(games))
        self._changed(stretches, WHITE, ECO)
        self._changed(stretches, WHITE_ELO, OPENING)

    def _lines_came(self, games: Iterable[int]) -> None:
        self._changed(self._stretches(games), PLY, MOVES)

    def _stretches(self, games: Iterable[int]) -> Iterable[tuple[int, int]]:
        """The rows of some games as ranges. If the table has the order of the games, the result is one range.
        This range also includes the rows of the games in between. The games are mostly in view, and painting
        some more rows takes less time than looking up hundreds of games."""
        listed = list(games)
        if self._arranged is not None:
            # The rows of a game may be anywhere. The table paints only the rows in view.
            return [(0, self.rows - 1)] if self.rows else []
        if self._ordered is None and listed:
            first, end = self._rows_of(min(listed))[0], self._rows_of(max(listed))[1]
            return [(first, end - 1)] if first < end else []
        changed: list[int] = []
        for game in listed:
            changed += range(*self._rows_of(game))
        return ranges.merged(changed)

    def _changed(self, stretches: Iterable[tuple[int, int]], left: int, right: int) -> None:
        for first, last in stretches:
            self.dataChanged.emit(self.index(first, left), self.index(last, right))

    def rowCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else self.rows

    def columnCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(TITLES)

    def texts(self, row: int, columns: Sequence[int]) -> list[str]:
        return self._texts_from(row, columns, self._cache.get, self._moves.lookup, self._asked_of)

    def reading(self, wanted: Sequence[int], columns: Sequence[int]) -> Callable[[CancelToken], Fetched]:
        """A function that reads all that some columns of some rows show. It may be called in any thread. Its
        result is valid until the rows change."""
        base, shown = self._cache.base, set(columns)
        places = [(number, *self._place(number)) for number in map(self._number, wanted)]
        games = list(dict.fromkeys(game for _, game, _ in places))
        known = {game: told for game in games if (told := self._told_of(game)) is not None}
        untold = [game for game in games if game not in known] if shown & {VALUE, COMMENT} else []
        lined = [(game, place, self._frame(number, game, place)) for number, game, place in places]
        cache, moves, details = self._cache, self._moves, self._details

        def read(token: CancelToken) -> Fetched:
            if base is None:
                return Fetched({}, {}, known)
            return Fetched(
                cache.read(base, games, token) if shown & _OF_ROW.keys() else {},
                moves.read(base, lined, token) if shown & {PLY, MOVES} else {},
                known | details.read(base, untold, token) if details is not None and untold else known,
            )

        return read

    def fetched_texts(self, row: int, columns: Sequence[int], fetched: Fetched) -> list[str]:
        """The texts of some columns of an existing row, as `reading` found them."""
        return self._texts_from(row, columns, fetched.headers.get, fetched.lines.get, fetched.told.get)

    def _texts_from(
        self,
        row: int,
        columns: Sequence[int],
        headers_of: Callable[[int], base_model.GameRow | None],
        line_at: Callable[[lines.Place], lines.Line | None],
        told_of: Callable[[int], hit_model.GameHits | None],
    ) -> list[str]:
        number = self._number(row)
        game, positionid = self._place(number)
        found = []
        for column in columns:
            if column in _OF_ROW:
                headers = headers_of(game)
                found.append("" if headers is None else _OF_ROW[column](headers))
            elif column == GAME:
                found.append(f"{game:,}")
            elif column == PLACE:
                first, end = self._stretch(game)
                last = self._last(row, number)
                found.append(
                    (
                        f"{number - first + 1:,}"
                        if last == number
                        else f"{number - first + 1:,}-{last - first + 1:,}"
                    )
                    + f"/{end - first:,}"
                )
            elif column in (VALUE, COMMENT):
                told = told_of(game)
                hits = () if told is None or column == COMMENT else told.hits
                value = next((hit.value for hit in hits if hit.positionid == positionid), None)
                found.append("" if told is None else value or told.comment_at(positionid))
            elif column == SORT_KEY:
                keys = self._sort_keys.get(game, ())
                found.append(", ".join("" if key is None else str(key) for key in keys))
            elif column == FILE:
                found.append(self._file_of(game))
            elif column == TRANSFORM:
                element = self._element_of(number, game, positionid)
                found.append("" if element is None else element.words or element.transform)
            else:
                line = line_at((game, positionid, self._frame(number, game, positionid)))
                if line is None or line[0] < 0:
                    found.append("")
                elif column == MOVES:
                    found.append(line[1])
                else:
                    more = self._last(row, number) - number
                    found.append(f"{line[0]}-{line[0] + more}" if more else str(line[0]))
        return found

    def _last(self, row: int, number: int) -> int:
        """The number of the last hit of a span; the hit of the row itself if the row is no span."""
        arranged = self._arranged
        if arranged is None or arranged.kind is not Rows.SPANS:
            return number
        return number + int(arranged.sizes[row]) - 1

    def _file_of(self, game: int) -> str:
        """The name of the file that has a game."""
        base = self._cache.base
        sources = () if base is None else base.sources
        place = bisect.bisect_right(sources, game, key=lambda source: source.first) - 1
        return sources[place].path.name if place >= 0 else ""

    def pictured(self, row: int) -> tuple[str, int]:
        """The position of a row as a FEN, and the squares to ring. The FEN is empty if it is not known yet;
        it is then fetched."""
        number = self._number(row)
        game, positionid = self._place(number)
        frame = self._frame(number, game, positionid)
        line = self._moves.get(game, positionid, frame)
        squares, _ = self.shown_of(self._hit(number, game, positionid))
        return ("", 0) if line is None else (line[2], frame.set(squares))

    def words_of(self, row: int) -> str:
        """How many hits a row stands for, in words; empty for one hit."""
        arranged = self._arranged
        if arranged is None or arranged.kind is Rows.HITS or arranged.sizes[row] == 1:
            return ""
        size = f"{int(arranged.sizes[row]):,}"
        return f"{size} plies" if arranged.kind is Rows.SPANS else f"{size} hits"

    def two_lines(self, row: int) -> text_model.TwoLines:
        number = self._number(row)
        element = self._element_of(number, *self._place(number))
        # The value is left out if no hit has a value. If the model fetched the values, the interpreter would
        # run, although there is nothing to show.
        columns = _TWO_LINES if self.has_values else _TWO_LINES[:-1]
        white, black, result, year, eco, moves, *values = self.texts(row, columns)
        transform = None if element is None else element.transform
        # A value that is a set of squares is left out, because the board rings these squares. Nobody would
        # understand bare names of squares at the end of a row.
        shown = [one for one in values if not _SQUARES.fullmatch(one)]
        value = " · ".join(filter(None, (*shown, self.words_of(row))))
        return text_model.TwoLines(white, black, result, (year, eco), transform, moves, value)

    def two_lines_tip(self, row: int) -> str:
        number = self._number(row)
        element = self._element_of(number, *self._place(number))
        game, place, ply, moves = self.texts(row, (GAME, PLACE, PLY, MOVES))
        said = [
            ", ".join(
                filter(None, (f"Game {game}", f"hit {place}", ply and f"ply {ply}", self.words_of(row)))
            )
        ]
        said += [moves]
        if element is not None:
            said.append(" ".join(filter(None, (element.words, element.transform))))
        if self.has_values:
            said.append(self.tip(row, VALUE) or "")
        return "\n".join(filter(None, said))

    def tip(self, row: int, column: int) -> str | None:
        number = self._number(row)
        game, positionid = self._place(number)
        if column == VALUE:
            told = self._asked_of(game)
            if told is None:
                return ""
            return _written(told, self._hit(number, game, positionid))
        if column == TRANSFORM:
            # The cell has the transform in words, and the tool tip has the transform in CQL's own spelling.
            element = self._element_of(number, game, positionid)
            return "" if element is None else element.transform
        return super().tip(row, column)

    def _element_of(self, number: int, game: int, positionid: int) -> hit_model.ElementCount | None:
        """The element to show for a hit."""
        if self._untold is not None and self._untold.writes:
            # Fetch the details, because `has_values` can be computed only from the details.
            self._asked_of(game)
        return self.element(self.match_of(self._hit(number, game, positionid)))

    def _frame(self, number: int, game: int, positionid: int) -> motions.Motion:
        """The motion for writing the moves after a hit."""
        element = self._element_of(number, game, positionid) if self._normalised else None
        motion = None if element is None else geometry.motion(element.transform)
        return motions.STILL if motion is None else motion.inverse

    def _asked_of(self, game: int) -> hit_model.GameHits | None:
        """The details of a game. If the details are missing, they are fetched."""
        told = self._told_of(game)
        if told is None and self._details is not None:
            self._details.get(game)
        return told

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(TITLES):
            return None
        mark = self._sort_marks.get(section)
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (_TIPS.get(section), mark[1] if mark else ""))) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return text_model.RIGHT if section in self.on_the_right else None
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return TITLES[section] if mark is None else f"{TITLES[section]} {mark[0]}"


class Limited:
    """The hits that fit a limit. `numbers` are the ascending numbers of these hits, and `games` is the number
    of games with these hits."""

    def __init__(self) -> None:
        # The array is longer than its content, so that an addition rarely needs a copy.
        self._room: Integers = np.zeros(0, np.int64)
        self._size = 0
        self.games = 0

    def __len__(self) -> int:
        return self._size

    @property
    def numbers(self) -> Integers:
        """The numbers of the hits. The caller must not change this array."""
        return self._room[: self._size]

    def extend(self, numbers: Integers, hits: Integers) -> None:
        """Append hits. `numbers` are the numbers of these hits, and `hits` are the hits themselves."""
        begin, self._size = self._size, self._size + len(numbers)
        if self._size > len(self._room):
            room = np.empty(self._size + self._size // 2 if begin else self._size, np.int64)
            room[:begin] = self._room[:begin]
            self._room = room
        self._room[begin : self._size] = numbers
        self.games += found_module.count_games(hits)


def _limited(columns: Columns, element: Element) -> Limited:
    made = Limited()
    numbers = np.flatnonzero(found_module.having(columns, _code(element)))
    made.extend(numbers, columns.hits[numbers])
    return made


def _code(element: Element) -> int:
    return orbit_pass.code_of(*element)


def _written(game: hit_model.GameHits, hit: hit_model.Hit) -> str:
    """Value, comment and tags of a hit, each on a line."""
    parts = [hit.value or "", game.comment_at(hit.positionid)]
    parts += [f"{name}: {text}" for name, text in game.tags]
    if hit.positionid in game.removed:
        parts.append("without the comment of the file")
    return "\n".join(part for part in parts if part)


_OF_ROW: dict[int, Callable[[base_model.GameRow], str]] = {
    WHITE: lambda row: row.white,
    BLACK: lambda row: row.black,
    RESULT: lambda row: row.result,
    YEAR: lambda row: row.date[:4].strip("?"),
    ECO: lambda row: row.eco,
    WHITE_ELO: lambda row: str(row.white_elo or ""),
    BLACK_ELO: lambda row: str(row.black_elo or ""),
    DATE: lambda row: rows.known(row.date.replace(".??", "")),
    EVENT: lambda row: rows.known(row.event),
    SITE: lambda row: rows.known(row.site),
    ROUND: lambda row: rows.known(row.round),
    OPENING: lambda row: row.opening,
}
_TIPS = {
    PLACE: "Which hit of its game, and how many the game has",
    PLY: "Moves played before the position that matched",
    TRANSFORM: "The element of the transform's orbit that matched",
    VALUE: "The value of the query at the position; without one, what it writes there",
    MOVES: "The move that led to the position, and those that followed. Rows cannot be sorted by them",
    FILE: "The file that has the game",
    SORT_KEY: "The value that the query sorts the game by",
    COMMENT: "What the query writes at the position",
}
