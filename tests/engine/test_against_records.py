"""Compiled queries find the recorded positions in whole files, where there are records beside the checkout.

What a query leaves in doubt is looked at by the interpreter, unless that is more than a few games.
"""

from __future__ import annotations

import collections
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from cqlgui.cql import check, closures, interpreter, nodes, transforms
from cqlgui.engine import compiling, games
from cqlgui.engine.lowering import Unsupported
from cqlgui.jit import native
from tests.engine import test_against_interpreter
from tests.helpers import games as readings
from tests.helpers import planned

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

MOST_IN_DOUBT = 12
"""Games that the interpreter looks at for one query."""


class Records:
    """The records of one file."""

    def __init__(self, folder: Path, row: dict[str, Any]) -> None:
        text = (folder / row["pgn"]).read_bytes().decode("utf-8", "replace")
        self.games = list(readings.from_pgn(text))
        named = sum("White" in game.host.tags for game in self.games)
        for number, game in enumerate(self.games, 1):
            game.host.gamenumber, game.host.game_count = number, named
        self.packed = games.of_words(
            (game.tree.root.fen() if "FEN" in game.host.tags else None, game.tree.encode())
            for game in self.games
        )
        self.planned = planned.Planned(self.games, self.packed)
        self.variations: bool = row["variations"]
        lines = (folder / row["expected"]).read_text("utf-8").splitlines()
        self.expected = {record["id"]: record for record in map(json.loads, lines)}
        self.counts: collections.Counter[str] = collections.Counter()
        self.differences: list[str] = []

    def compare(self, name: str, text: str) -> None:
        """Compare what is found with the record of a query, if there is one."""
        record = self.expected.get(name)
        if record is None:
            return
        if self.variations:
            text = re.sub(r"^\s*cql\s*\(", "cql(variations ", text, count=1)
        expanded = transforms.expand(check.check(text))
        assert expanded.query is not None, name
        compiled = compiling.compile_query(expanded)
        if isinstance(compiled, Unsupported):
            self.counts["refused"] += 1
            return
        table, kept = self.planned.of(expanded, compiled.facts)
        hits, doubtful = test_against_interpreter.found(compiled, self.packed, table)
        self.counts["games passed over"] += kept.count(False)
        ignored = {number - 1 for number in record.get("ignore_games", ())}
        left = doubtful - ignored
        if len(left) > MOST_IN_DOUBT:
            self.counts["left in doubt"] += 1
            return
        program = interpreter.Program(expanded)
        for number in left:
            self.counts["games interpreted"] += 1
            outcome = program.run(self.games[number].tree, self.games[number].host)
            hits[number] = [] if outcome is None else [hit.positionid for hit in outcome.hits]
        header = expanded.query.header
        admitted = {
            number: places
            for number, places in hits.items()
            if number not in ignored
            and places
            and (number in left or self._is_admitted(header, number, len(places)))
        }
        if not all(kept[number] for number in admitted):
            self.differences.append(f"{name}: games that match are passed over")
        lines = [f"{number + 1}:{place}" for number in sorted(admitted) for place in sorted(admitted[number])]
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        self.counts["compared"] += 1
        self.counts["matching"] += bool(lines)
        self.counts["positions"] += len(lines)
        if digest != record["positions"]["sha256"]:
            wanted = record["positions"]
            self.differences.append(f"{name}: {len(lines)} positions for {wanted['count']}; {lines[:5]}")

    def _is_admitted(self, header: nodes.Header, number: int, matches: int) -> bool:
        host = self.games[number].host
        if header.gamenumber and not closures.constant_range(header.gamenumber, host.gamenumber):
            return False
        if header.matchcount and not closures.constant_range(header.matchcount, matches):
            return False
        return all(host.result == result for result in header.results)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("file", "step"), [(1, 60), *(pytest.param(file, 1, marks=pytest.mark.full) for file in range(4))]
)
def test_recorded_positions_are_found(shared: Path, file: int, step: int) -> None:
    folder = shared / "conformance"
    row = json.loads((folder / "files.json").read_text("utf-8"))["files"][file]
    records = Records(folder, row)
    for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()[::step]:
        query = json.loads(line)
        records.compare(query["id"], query["query"])
    print(row["name"], len(records.games), "games", dict(records.counts))
    assert records.counts["matching"]
    assert not records.differences, "\n".join(records.differences[:40])
