"""Searches for a query with each engine; tells where they disagree, and a small query that still shows it.
The results of the searches and the exported files are compared, the files byte for byte."""

from __future__ import annotations

import collections
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from cqlgui.base import errors, progress
from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check
from cqlgui.cql.vocabulary import registry
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers
from tests.helpers import games, searched
from tests.tools.breeding import growing
from tests.tools.keywords import stages

SECONDS = 10.0
"""How long one search may take."""
MOST_TRIES = 150
"""Searches for a smaller query that still shows a disagreement."""

ENGINES = {
    "interpreter": search_model.SearchOptions(compiled=False),
    "compiled": search_model.SearchOptions(),
    "compiled without pruning": search_model.SearchOptions(pruned=False),
}

EXPORTED = ("interpreter", "compiled")
ENDINGS = (".pgn", ".jsonl")

ODD = """[Event "Odd"]
[White "van der Lyn,A."]
[Black "B"]
[Result "*"]
[Date "2013.26.7"]
[WhiteElo "none"]
[ECO "?"]

1. e4 {a comment} e5 (1... c5 2. Nf3 $1 d6 (2... e6 3. d4) 3. d4 cxd4) 2. Nf3 Nc6 3. -- a6 4. Bb5 axb5 1-0

1. d4 d5 2. c4 1/2-1/2

[White ""]
[Event "?"]
[Date "????.??.??"]
[EventDate "1990"]
[Result "0-1"]
[BlackElo "2500"]

1. f3 e5 2. g4 Qh4# 0-1

[White "A"]
[Black "Kan,I"]
[FEN "4k3/P6P/8/1pP5/8/8/8/R3K2R w KQ b6 0 1"]
[SetUp "1"]
[WhiteElo "1800"]
[ECO "B22"]

1. cxb6 (1. O-O Kd7 2. a8=R) Kd7 2. O-O-O+ Ke6 3. a8=N Z0 4. h8=Q 1-0
"""
"""Odd and missing tags, variations, promotions, null moves."""


def own_games(folder: Path, quick: bool = False) -> list[Path]:
    """Files with games of this project, of which some are written to a folder."""
    library = helpers.ROOT / "tests" / "whole" / "library"
    names = (
        ("variations", "moves")
        if quick
        else ("variations", "moves", "promotions", "castling", "mates", "studies")
    )
    written = folder / "odd.pgn"
    sparse = [f'[FEN "{fen}"]\n[SetUp "1"]\n[Result "*"]\n\n{text} *\n' for fen, text in games.SPARSE]
    written.write_text("\n".join([ODD, *sparse]), encoding="utf-8")
    return [written, *(library / f"{name}.pgn" for name in names)]


@dataclass
class Comparison:
    """Counts what was compared, and collects what differs."""

    base: base_model.Base
    folder: Path
    """Where exported files are written."""
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    words: collections.Counter[str] = field(default_factory=collections.Counter)
    refusals: collections.Counter[str] = field(default_factory=collections.Counter)
    slow: list[str] = field(default_factory=list)
    differences: list[tuple[str, str]] = field(default_factory=list)
    """The smallest query, and what the engines found for it."""

    def add(self, query: growing.Query) -> None:
        """Compare the engines for a query."""
        text = query.text()
        self.counts["grown"] += 1
        checked = check.check(text)
        if checked.query is None:
            self.refusals[checked.errors[0].code] += 1
            return
        self.counts["accepted"] += 1
        tokens = stages.token_words(text)
        self.words.update(row.name for row in rows() if stages.occurs(row, text, tokens))
        found = self._found(text)
        if found is None:
            self.slow.append(text)
            return
        self.counts["compared"] += 1
        self.counts["with an error while running"] += isinstance(found["interpreter"], str)
        if not isinstance(found["interpreter"], str):
            self.counts["matching"] += bool(found["interpreter"]["order"])
        if _agree(found):
            return
        small = self._smallest(query)
        found = self._found(small.text()) or found
        self.differences.append((small.text(), _told(found)))

    def _found(self, text: str) -> dict[str, Any] | None:
        """What each engine finds, a message where the query ends with an error; None where one takes too
        long."""
        found: dict[str, Any] = {}
        for name, options in ENGINES.items():
            cancel = progress.CancelToken()
            timer = threading.Timer(SECONDS, cancel.cancel)
            timer.start()
            try:
                result = searching.search(self.base, text, options, cancel=cancel)
            except errors.CqlguiError as fault:
                if cancel.cancelled:
                    return None
                found[name] = str(fault)
                continue
            finally:
                timer.cancel()
                timer.join()
            if result.cancelled or cancel.cancelled:
                return None
            found[name] = searched.plain(result)
            if name in EXPORTED:
                try:
                    found[name] |= self._exported(result, cancel)
                except errors.Cancelled:
                    return None
            if name == "compiled":
                self.counts[f"{result.engine} by default"] += 1
        for name, one in found.items():
            if name not in EXPORTED and not isinstance(one, str) and not isinstance(found["compiled"], str):
                one |= {ending: found["compiled"][ending] for ending in ENDINGS}
        return found

    def _exported(self, result: search_model.SearchResult, cancel: progress.CancelToken) -> dict[str, bytes]:
        """The exported files of a result, by ending."""
        found = {}
        for ending in ENDINGS:
            path = self.folder / f"out{ending}"
            exporting.export(self.base, result, path, annotate=True, overwrite=True, cancel=cancel)
            found[ending] = path.read_bytes()
        self.counts["bytes exported"] += sum(map(len, found.values()))
        return found

    def _smallest(self, query: growing.Query) -> growing.Query:
        """A query without what is not needed to show the disagreement."""
        tries = MOST_TRIES
        again = True
        while again and tries > 0:
            again = False
            for smaller in query.smaller():
                text = smaller.text()
                if len(text) >= len(query.text()) or check.check(text).query is None:
                    continue
                tries -= 1
                found = self._found(text)
                if found is not None and not _agree(found):
                    query, again = smaller, True
                    break
                if tries <= 0:
                    break
        return query

    @property
    def never(self) -> list[str]:
        """Spellings that came up in no accepted query."""
        return [row.name for row in rows() if row.name not in self.words]

    def report(self) -> Iterator[str]:
        """What was compared, in lines."""
        grown, accepted = self.counts["grown"], self.counts["accepted"]
        searches = self.counts["compiled by default"] + self.counts["interpreted by default"]
        yield f"{grown} queries, {accepted / max(grown, 1):.1%} accepted, {self.counts['compared']} compared"
        yield f"{self.counts['compiled by default'] / max(searches, 1):.1%} compiled, {dict(self.counts)}"
        yield f"refused: {dict(self.refusals.most_common())}"
        yield "words: " + ", ".join(f"{name} {count}" for name, count in self.words.most_common())
        yield f"never bred: {', '.join(self.never)}"
        yield f"too slow: {len(self.slow)}"
        yield from (f"  {text!r}" for text in self.slow)
        yield f"disagreements: {len(self.differences)}"
        for text, told in self.differences:
            yield f"--- {text!r}"
            yield told


def rows() -> Sequence[registry.Row]:
    """The spellings that a query can have; words of the header that name files are left out."""
    left_out = {"input", "output", *stages.UNDEFINED}
    return [row for row in registry.public() if row.name not in left_out]


def run(
    paths: Sequence[Path], count: int, seed: int, transform: nodes.TransformWord | None = None
) -> Comparison:
    """Compare the engines for so many queries on the games of some files; an interrupt ends it early. With
    `transform`, the queries are known ones with one part under this transform."""
    base = importing.open_base(list(paths)).base
    source = Random(seed)
    if transform is None:
        grower = growing.Grower(source)
        queries = (grower.query() for _ in range(count))
    else:
        known = growing.transformed(transform)
        queries = iter(source.sample(known, min(count, len(known))))
    with tempfile.TemporaryDirectory(prefix="cqlgui-exports-") as folder:
        comparison = Comparison(base, Path(folder))
        try:
            for query in queries:
                comparison.add(query)
        except KeyboardInterrupt:
            # What was compared until then is told.
            pass
    return comparison


def _agree(found: dict[str, Any]) -> bool:
    first, *others = found.values()
    return all(other == first for other in others)


def _told(found: dict[str, Any]) -> str:
    """Where the engines part, name by name."""
    if any(isinstance(one, str) for one in found.values()):
        return "; ".join(
            f"{name}: {one if isinstance(one, str) else 'no error'}" for name, one in found.items()
        )
    parts = sorted({key for one in found.values() for key in one if one[key] != found["interpreter"][key]})
    lines = [f"    differ in {', '.join(parts)}"]
    for name, one in found.items():
        hits = [
            (game, [(hit.positionid, hit.value) for hit in one["games"][game].hits])
            for game in one["order"][:6]
        ]
        lines.append(f"    {name}: {len(one['order'])} games, {hits}"[:400])
    return "\n".join(lines)
