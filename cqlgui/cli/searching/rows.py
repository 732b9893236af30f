"""Prints hits row by row, as JSON lines or CSV, if possible while the search goes on."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from cqlgui.base import ahead, progress
from cqlgui.cli import terminal
from cqlgui.cli.searching import asking
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results.found import FoundGames

if TYPE_CHECKING:
    from cqlgui.tasks.export import records
    from cqlgui.tasks.judging.judging import Judges


_WAITING: Final = 4
"""Number of pieces of rows that may wait to be printed."""


class Rows:
    """Prints rows of hits as JSON lines or CSV. `cut` tells whether some rows were not printed, because the
    command was cancelled."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        base: base_model.Base,
        found_orbits: Sequence[hit_model.Orbit],
        variations: bool,
        judges: Judges | None,
        cancel: progress.CancelToken,
        bar: terminal.Bar,
    ) -> None:
        self.cut = False
        self._arguments = arguments
        self._base = base
        self._orbits = found_orbits
        self._variations = variations
        self._judges = judges
        self._cancel = cancel
        self._bar = bar
        self._shape = asking.shape(arguments)
        self._fields = self._shape.fields + (() if judges is None else judges.fields)

    def begin(self) -> None:
        """Print what comes before the rows."""
        if self._arguments.csv:
            from cqlgui.tasks.export.formats import csv_lines

            print(csv_lines.head(self._fields), end="")

    def stream(self, batches: Iterator[FoundGames]) -> None:
        """Print the rows of some games at a time, in the order of the games. A fault ends the search, too."""
        try:
            self._print((list(found), found) for found in batches)
        except BaseException:
            self._cancel.cancel()
            raise

    def whole(self, result: search_model.SearchResult) -> None:
        """Print the rows of a result, in its order."""
        if self._cancel.cancelled:
            self.cut = True
        elif self._judges is not None:
            self._judges.progress = self._bar
            expected = {"hits": len(result.games.columns), "games": len(result.games)}
            self._judges.expect(expected.get(self._shape.value))
            from cqlgui.tasks.export import records

            for table in records.judged(self._sorted(result), self._judges):
                self._put(self._texts([table]))
            self._bar.end()
        elif self._arguments.sort:
            self._put(self._texts(self._sorted(result)))
        else:
            self._print(iter([(result.order, result.games)]))

    def _print(self, batches: Iterator[tuple[Sequence[int], FoundGames]]) -> None:
        from cqlgui.tasks.export.formats import hit_lines

        if self._arguments.jsonl:
            lines = hit_lines.lines(
                self._base, batches, self._orbits, variations=self._variations, rows=self._shape
            )
            self._put(lines)
        else:
            self._put(self._texts(itertools.chain.from_iterable(itertools.starmap(self._tables, batches))))

    def _tables(self, order: Sequence[int], found: FoundGames) -> Iterator[records.Table]:
        from cqlgui.tasks.export import records

        return records.tables(
            self._base, found, order, self._orbits, variations=self._variations, rows=self._shape
        )

    def _sorted(self, result: search_model.SearchResult) -> Iterator[records.Table]:
        if not self._arguments.sort:
            return self._tables(result.order, result.games)
        from cqlgui.tasks.analysis import sorted_rows

        return sorted_rows.tables(
            self._base, result, rows=self._shape, sorts=self._arguments.sort, cancel=self._cancel
        )

    def _texts(self, tables: Iterable[records.Table]) -> Iterator[bytes | memoryview]:
        from cqlgui.tasks.export import records
        from cqlgui.tasks.export.formats import csv_lines, hit_lines

        if self._arguments.csv:
            yield from map(hit_lines.encoded, csv_lines.lines(tables, self._fields))
            return
        for table in tables:
            lines = (hit_lines.quoted(row) + "\n" for row in records.of_tables([table]))
            yield hit_lines.encoded("".join(lines))

    def _put(self, pieces: Iterator[bytes | memoryview]) -> None:
        for piece in ahead.each(pieces, _WAITING):
            with self._bar.away():
                if not terminal.put_lines(piece, self._cancel):
                    self.cut = True
                    return
                sys.stdout.flush()
