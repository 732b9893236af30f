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

from cqlgui.board import tree
from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.jit import native
from cqlgui.tasks.databases import hosts, importing, sources
from cqlgui.tasks.search import planning

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

MOST_IN_DOUBT = 12
"""Games that the interpreter looks at for one query."""


class Records:
    """The records of one file, which is searched as a base would be."""

    def __init__(self, folder: Path, row: dict[str, Any]) -> None:
        (self.source,) = importing.open_base([folder / row["pgn"]]).base.sources
        self.variations: bool = row["variations"]
        lines = (folder / row["expected"]).read_text("utf-8").splitlines()
        self.expected = {record["id"]: record for record in map(json.loads, lines)}
        self.counts: collections.Counter[str] = collections.Counter()
        self.differences: list[str] = []

    def compare(self, reader: hosts.SourceReader, name: str, text: str) -> None:
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
        hits: dict[int, list[int]] = collections.defaultdict(list)
        doubtful: set[int] = set()
        kept: set[int] = set()
        planner = planning.Planner(expanded, compiled.facts)
        # A planner that prunes leaves out answers about positions for the games passed over.
        told = any(fact.remark for fact in compiled.facts)
        teller = planning.Planner(expanded, compiled.facts, pruned=False) if told else planner
        for first, segment in reader.index.parts:
            part = planner.part(self.source, first, segment)
            # Those passed over are searched as well, to see that nothing is missed.
            self.counts["games passed over"] += part.count - len(part.numbers)
            kept.update(first + game for game in part.numbers.tolist())
            answers = teller.part(self.source, first, segment).facts if told else part.facts
            for found in compiled.scan(part.asked, before=first, facts=answers):
                for hit in found.hits.tolist():
                    hits[first + (hit >> 32)].append(hit & 0xFFFFFFFF)
                doubtful.update(first + game for game in found.doubtful.tolist())
            # The first part is searched by what was made in haste, unless that takes long.
            compiled.tiers.improve()
        ignored = {number - 1 for number in record.get("ignore_games", ())}
        candidates = dict(hits) if compiled.steady and not compiled.wholly else {}
        left = {*doubtful, *candidates} - ignored
        if len(left) > MOST_IN_DOUBT:
            self.counts["left in doubt"] += 1
            return
        program = interpreter.Program(expanded)
        for number in left:
            self.counts["games interpreted"] += 1
            game = tree.GameTree.decode(reader.index.start_fen(number), reader.index.moves(number))
            places = None if number in doubtful else candidates[number]
            outcome = program.run(game, hosts.GameHost(reader, number), places=places)
            hits[number] = [] if outcome is None else [hit.positionid for hit in outcome.hits]
        header = expanded.query.header
        admitted = {
            number: places
            for number, places in hits.items()
            if number not in ignored
            and places
            and (number in left or _is_admitted(header, hosts.GameHost(reader, number), len(places)))
        }
        if not kept.issuperset(admitted):
            self.differences.append(f"{name}: games that match are passed over")
        lines = [f"{number + 1}:{place}" for number in sorted(admitted) for place in sorted(admitted[number])]
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        self.counts["compared"] += 1
        self.counts["matching"] += bool(lines)
        self.counts["positions"] += len(lines)
        if digest != record["positions"]["sha256"]:
            wanted = record["positions"]
            self.differences.append(f"{name}: {len(lines)} positions for {wanted['count']}; {lines[:5]}")


def _is_admitted(header: nodes.Header, host: hosts.GameHost, matches: int) -> bool:
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
    with sources.opened(records.source) as reader:
        for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()[::step]:
            query = json.loads(line)
            records.compare(reader, query["id"], query["query"])
    print(row["name"], records.source.games, "games", dict(records.counts))
    assert records.counts["matching"]
    assert not records.differences, "\n".join(records.differences[:40])
