"""Time of what is done with the hits of a search:  python -m tests.tools.perf.results [FILE.pgn]

It prints the time to sort a million hits by each column, to put them into rows, to follow a click on a facet,
to find the moves after the hits, to write a Parquet file, and to run the shipped studies. The best of some
runs counts. `CQLGUI_HOME` names the folder of the index."""

from __future__ import annotations

import argparse
import contextlib
import functools
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cqlgui.base import errors
from cqlgui.tasks.analysis import arranging, attributes, continuations, facets
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting, hit_table
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from cqlgui.tasks.studies import study, study_text
from tests.tools.perf.headless import SAMPLE

QUERY = "flipcolor {wtm ply>20 ply<28}"
"""A million hits in 145,716 games, half of them with the colours swapped."""
FEW = "initial"
"""A hit in each game."""
TEXTS = {
    arranging.Sort.VALUE: "flipcolor {wtm ply>20 ply<28 power A}",
    arranging.Sort.COMMENT: 'flipcolor {wtm ply>20 ply<28 comment("power " power A)}',
    arranging.Sort.SORT_KEY: "sort power A {ply>20 ply<28}",
}
"""Queries with a value, a comment or a sort key at each of a million hits."""
_RUNS = 3
_PAIRS = (
    (arranging.Sort.WHITE, arranging.Sort.PLY),
    (arranging.Sort.DATE, arranging.Sort.GAME),
    (arranging.Sort.ECO, arranging.Sort.WHITE_ELO),
)
"""Two columns to sort by."""


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; nothing is judged."""
    arguments = argparse.ArgumentParser(prog="python -m tests.tools.perf.results", description=__doc__)
    arguments.add_argument("file", nargs="?", type=Path, default=SAMPLE, help="plain PGN")
    arguments.add_argument(
        "--no-studies", action="store_true", help="leave out the studies, which take longest"
    )
    options = arguments.parse_args(words)
    base = importing.open_base([options.file]).base
    how = search_model.SearchOptions(details=search_model.Details.NONE)
    many, few = (searching.search(base, text, how) for text in (QUERY, FEW))
    columns = many.games.columns
    print(f"{len(columns):,} hits in {len(many.order):,} games")
    arrange = functools.partial(arranging.arrange, base, many, columns)
    for sort in arranging.Sort:
        if sort not in TEXTS:
            show(f"sorted by {sort.value}", functools.partial(arrange, sorts=[arranging.Key(sort)]))
    for sort, text in TEXTS.items():
        told = searching.search(base, text)
        texts = arranging.TextKeys(base, told, told.games.columns)
        keys = [arranging.Key(sort)]
        made = functools.partial(arranging.arrange, base, told, told.games.columns, sorts=keys)
        show(f"sorted by {sort.value}, first", made, runs=1)
        made(texts=texts)
        show(f"sorted by {sort.value}, again", functools.partial(made, texts=texts))
        del told, texts, made
    for first, second in _PAIRS:
        keys = [arranging.Key(first), arranging.Key(second, descending=True)]
        for kind in (hit_table.Rows.HITS, hit_table.Rows.GAMES):
            name = f"sorted by {first.value}, then {second.value}, {kind.value}"
            show(name, functools.partial(arrange, kind=kind, sorts=keys))
    for kind in (hit_table.Rows.SPANS, hit_table.Rows.GAMES):
        show(f"rows: {kind.value}", functools.partial(arrange, kind=kind))
    known = attributes.of_base(base)
    show("facets: the sheet", lambda: facets.sheet(known, many))
    sheet = facets.sheet(known, many)
    choice = facets.Choice().alone(facets.RESULT, 0)
    show("facets: counts after a click", lambda: facets.counts(sheet, choice))
    show("facets: hits after a click", lambda: facets.narrowed(sheet, choice))
    facts = continuations.facts(base)
    for result in (few, many):
        moves = functools.partial(_moves, base, result, facts)
        show(f"moves after {result.positions:,} hits, one ply", moves)
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".parquet", ".csv", ".jsonl"):
            path = Path(folder) / f"hits{ending}"
            with contextlib.suppress(errors.CqlguiError):
                export = functools.partial(exporting.export, base, many, path)
                show(f"export of all hits, {ending}", export, runs=1)
    if not options.no_studies:
        for name, path in study_text.shipped().items():
            asked = study_text.read(path)
            run = functools.partial(study.run, asked, [study.StudyBase(options.file.name, base)])
            show(f"study {name}, {len(asked.questions)} queries", run, runs=1)
    print(f"{'peak memory':44} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8,.0f} MB")
    return 0


def _moves(
    base: base_model.Base, result: search_model.SearchResult, facts: continuations.Facts
) -> continuations.Node:
    lines = continuations.lines(base, result, 1, normalised=True, known=facts)
    return continuations.node(lines, [])


def show(name: str, work: Callable[[], object], runs: int = _RUNS) -> None:
    """Print the shortest time of some runs."""
    best = float("inf")
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    print(f"{name:44} {best * 1e3:8,.0f} ms", flush=True)


if __name__ == "__main__":
    sys.exit(main())
