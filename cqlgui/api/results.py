"""The results of a search in the library: hits, sets of hits, tables and files."""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import chess
import numpy as np

from cqlgui.api import faults
from cqlgui.base import plurals, progress
from cqlgui.base.data import dataclass, field, replace
from cqlgui.base.errors import CqlguiError
from cqlgui.base.files import disk
from cqlgui.pgn import decoding
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.search import hit_details, narrowing

_SHOWN: Final = 6
"""Number of hits that a notebook shows."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A position that matches. `row` has all fields of the hit by name, as the exports write them; the
    attributes are the fields that are used most."""

    row: Mapping[str, Any]
    _base: base_model.Base = field(repr=False, compare=False)

    def __hash__(self) -> int:
        # Hits at one position of a game may differ in their other fields.
        return hash((self.game, self.positionid))

    @property
    def game(self) -> int:
        """The number of the game in the base, from 1."""
        return int(self.row["game"])

    @property
    def ply(self) -> int:
        """The number of half-moves before the position."""
        return int(self.row["ply"])

    @property
    def positionid(self) -> int:
        """The number of the position in its game, in the order of the text. In the main line it is the
        ply."""
        return int(self.row["positionid"])

    @property
    def fen(self) -> str:
        """The position in FEN (PGN standard 16.1)."""
        return str(self.row["fen"])

    @property
    def element(self) -> int | None:
        """The number of the orbit's element that matched, from 0; None for a query without transforms."""
        found: int | None = self.row["element"]
        return found

    @property
    def transform(self) -> str | None:
        """The transform of this element in CQL, as `flipcolor`; None for a query without transforms."""
        found: str | None = self.row["transform"]
        return found

    @property
    def squares(self) -> tuple[str, ...]:
        """The squares that matched, by name, a1 first."""
        return tuple(self.row["squares"])

    @property
    def value(self) -> str | None:
        """The value of a query whose value is a number, a set of squares or a text; else None."""
        found: str | None = self.row["value"]
        return found

    @property
    def comment(self) -> str:
        """What the query writes at the position."""
        return str(self.row["comment"])

    def board(self) -> chess.Board:
        """The position as a board of python-chess. The board knows no earlier moves."""
        board = chess.Board(self.fen)
        board.chess960 = board.has_chess960_castling_rights()
        return board

    def game_pgn(self) -> str:
        """The text of the game as it stands in its file."""
        return game_pgn(self._base, self.game)

    def __repr__(self) -> str:
        words = f", {self.transform}" if self.transform else ""
        return f"<Hit game {self.game}, ply {self.ply}{words}: {self.fen}>"


class Result:
    """The hits of a search, in the order of the games, or in the order of the query's `sort`.

    Iterating gives each `Hit`. `len` is the number of hits. `a & b`, `a | b`, `a - b` and `a ^ b` make
    results of the hits in both, in one of them, in the first alone, or in just one of them. If the queries
    differ, only hits of the first query keep their elements. Polars, DuckDB and pandas take a result as a
    table (`__arrow_c_stream__`); this needs the package pyarrow.
    """

    __slots__ = ("_base", "_found")

    def __init__(self, base: base_model.Base, found: search_model.SearchResult) -> None:
        self._base = base
        self._found = found

    def __len__(self) -> int:
        return self._found.positions

    def __repr__(self) -> str:
        query = " ".join(self.query.split())
        shown = query if len(query) <= _LONGEST else query[: _LONGEST - 1] + "…"
        return (
            f"<Result of {shown!r}: {plurals.games(len(self._found.games))}, {plurals.positions(len(self))}>"
        )

    @property
    def query(self) -> str:
        """The text of the query. A union has the texts of all its queries, with "or" between them."""
        return self._found.asked

    @property
    def games(self) -> tuple[int, ...]:
        """The numbers of the games that match, in order. A query may match games without matching a
        position."""
        return self._found.order

    @property
    def orbits(self) -> tuple[hit_model.Orbit, ...]:
        """The outermost transforms of the query, with the games and positions of each element."""
        return self._found.orbits

    @property
    def seconds(self) -> float:
        """How long the search took."""
        return self._found.seconds

    @property
    def cancelled(self) -> bool:
        """Whether the search was stopped before its last game; for a result of several searches, whether one
        of them was."""
        return self._found.cancelled

    @property
    def failed(self) -> tuple[base_model.BadGame, ...]:
        """The games that could not be searched, in order; usually none. Each has a number (`game`) and a
        `reason`. A result that was made from others has the failed games of all of them."""
        return self._found.failed_games

    @property
    def messages(self) -> tuple[tuple[int, str], ...]:
        """The messages that the query wrote: number of the game and text."""
        return tuple((one.game, one.text) for one in self._found.messages)

    def __iter__(self) -> Iterator[Hit]:
        return (Hit(row, self._base) for row in self.rows())

    def rows(self, cancel: progress.CancelToken | None = None) -> Iterator[dict[str, Any]]:
        """The hits as dictionaries with the fields of the exports (`cqlgui search --jsonl`). `cancel` stops
        the work from another thread; the iterator then raises `Cancelled`."""
        for table in self._tables(cancel):
            yield from records.of_tables([table])

    def _tables(self, cancel: progress.CancelToken | None) -> Iterator[records.Table]:
        found, base = self._found, self._base
        for games, detailed in hit_details.batches(base, found, found.order, cancel=cancel):
            yield from records.tables(
                base, detailed, games, found.orbits, variations=found.variations, rows=hit_table.Rows.HITS
            )

    def first(self) -> Hit | None:
        """The first hit; None if there is none."""
        return next(iter(self._some(1)), None)

    def _some(self, most: int) -> Iterator[Hit]:
        """The first hits."""
        counted = 0
        for game in self._found.order[:most]:
            for hit in Result(self._base, narrowing.of_games(self._found, np.array([game]))):
                if counted == most:
                    return
                counted += 1
                yield hit

    def first_per_game(self) -> Result:
        """The first hit of each game."""
        columns = self._found.games.columns
        mask = np.zeros(len(columns), np.bool_)
        mask[found_module.first_hits(columns.hits)] = True
        return Result(self._base, narrowing.kept(self._found, mask))

    def of_element(self, element: int, orbit: int = 0) -> Result:
        """The hits where an element of an orbit matched (`orbits`). Raises `IndexError` for an element that
        there is not."""
        element, orbit = faults.number(element), faults.number(orbit)
        if not (0 <= orbit < len(self.orbits) and 0 <= element < len(self.orbits[orbit].elements)):
            raise IndexError(f"The query has no element {element} of an orbit {orbit}.")
        return Result(self._base, narrowing.matching(self._found, orbit, element))

    def __and__(self, other: Result) -> Result:
        return self._with(other, "and")

    def __or__(self, other: Result) -> Result:
        return self._with(other, "or")

    def __sub__(self, other: Result) -> Result:
        return self._with(other, "minus")

    def __xor__(self, other: Result) -> Result:
        return self._with(other, "xor")

    def _with(self, other: Result, operation: str) -> Result:
        if not isinstance(other, Result):
            return NotImplemented
        if self._base.sources != other._base.sources:
            raise ValueError("The results are of different bases, so their games have different numbers.")
        failed = {bad.game: bad for bad in (*other.failed, *self.failed)}
        found = replace(
            narrowing.OPERATIONS[operation](self._found, other._found),
            failed_games=tuple(failed[game] for game in sorted(failed)),
            stopped=self._found.stopped or other._found.stopped,
            cancelled=self.cancelled or other.cancelled,
        )
        return Result(self._base, found)

    def table(self, *fields: str) -> Any:
        """The hits as a `pyarrow.Table`.

        Without `fields`, the table has the columns of `arrow_tables.QUICK`, which take no time: game, ply,
        element and the headers of the game. With `fields`, it has these columns; `fen`, `san`, `squares` and
        so on are among the names of `rows()`. Raises `CqlguiError` if pyarrow is not installed, or for a
        field that there is not, and `TypeError` for a list of fields.
        """
        if not all(isinstance(name, str) for name in fields):
            raise TypeError("Each field is an argument of its own, as in table('game', 'fen').")
        from cqlgui.tasks.export import arrow_tables

        return arrow_tables.table(self._base, self._found, fields or None)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The stream of `table()`, by the Arrow PyCapsule interface."""
        return self.table().__arrow_c_stream__(requested_schema)

    def save(self, path: str | os.PathLike[str], *, annotate: bool = True, overwrite: bool = False) -> Path:
        """Write the result to a file, and return its path. The ending chooses the format: `.pgn`, `.csv`,
        `.jsonl`, `.epd`, `.html`, `.parquet`, `.arrow`, `.tex` or `.tsv`.

        With `annotate`, the games of a PGN get comments at the hits. The file appears whole or not at all.
        Raises `FileExistsError` if it is there and may not be overwritten, and `CqlguiError` if it cannot be
        written, or if it is there and the result lacks games: some could not be searched, or the search did
        not reach its last game.
        """
        from cqlgui.tasks.export import exporting

        place = Path(path)
        if not overwrite and disk.stands(place):
            raise FileExistsError(f"{place} exists. With overwrite=True it is replaced.")
        if self._is_incomplete and disk.is_file(place):
            raise CqlguiError(f"{place} was not replaced, as some games were not searched.")
        return exporting.export(
            self._base, self._found, place, annotate=annotate, large=True, overwrite=overwrite
        ).path

    @property
    def _is_incomplete(self) -> bool:
        """Whether games were not searched that should have been."""
        return bool(self.failed) or self.cancelled or self._found.stopped is not None

    def _repr_html_(self) -> str:
        """The result in a notebook: its numbers, and the first hits as diagrams."""
        from cqlgui.tasks.export.formats import gallery

        rows = [dict(hit.row) for hit in self._some(_SHOWN)]
        title = html.escape(repr(self)[1:-1])
        if not rows:
            return f"<p>{title}</p>"
        page = "".join(gallery.page([rows], self.query, len(self._found.games)))
        # The page is a document of its own, so that its style and its names touch nothing in the notebook.
        return (
            f"<p>{title}</p>\n"
            f'<iframe sandbox style="width:100%;height:26em;border:0" srcdoc="{html.escape(page)}"></iframe>'
        )


class SearchStopped(CqlguiError):  # noqa: N818  # a state, told in its own words
    """A fault that was found while searching ended the search: a failed assertion of the query, say, or many
    games in a row that cannot be searched.

    `game` is the number of the game where the search ended. `offset` and `length` are the place in the query;
    `reason` says what happened. `offset` is None if the fault has no place. `result` has the hits before that
    game.
    """

    def __init__(self, result: Result, game: int, reason: str, offset: int | None, length: int) -> None:
        super().__init__(f"The search stopped at game {game}: {reason}")
        self.result = result
        self.game = game
        self.reason = reason
        self.offset = offset
        self.length = length

    def __reduce__(self) -> tuple[type[SearchStopped], tuple[Any, ...]]:
        # A process pool sends the error from one process to another.
        return type(self), (self.result, self.game, self.reason, self.offset, self.length)


def game_pgn(base: base_model.Base, game: int) -> str:
    """The text of a game as it stands in its file. Raises `IndexError` for a number that the base does not
    have, `SourceError` if the file has changed since it was opened, and `CqlguiError` if a published base is
    damaged."""
    game = faults.number(game)
    if not 0 < game <= base.games:
        raise IndexError(f"The base has games 1 to {base.games}, and no game {game}.")
    return decoding.decode(games_module.text(base, game))


_LONGEST: Final = 60
"""Number of characters of a query in `repr`."""


def part(
    text: str,
    found: found_module.FoundGames,
    orbits: tuple[hit_model.Orbit, ...],
    options: search_model.SearchOptions,
    variations: bool,
) -> search_model.SearchResult:
    """A result with some games of a search that has not ended."""
    return search_model.SearchResult(
        query=text,
        order=tuple(found),
        games=found,
        orbits=narrowing.recounted(orbits, found.columns),
        variations=variations,
        options=options,
    )


__all__ = ["Hit", "Result", "SearchStopped", "game_pgn", "part"]
