"""How many queries compile wholly, how many never ask the interpreter even for an annotated export, and what
keeps the others from it.

    python -m tests.tools.perf.census [FILE.jsonl]

Without a file the recorded queries are counted where they are at hand, else all texts the project knows.
"""

from __future__ import annotations

import argparse
import collections
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cqlgui.cql.ast import (
    nodes,
    nodes_facts,
    nodes_moves,
    nodes_programs,
    nodes_strings,
    nodes_studies,
    nodes_tree,
    types,
)
from cqlgui.cql.ast.checked import Checked
from cqlgui.cql.ast.types import Type
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.tasks.search import hit_details, sieving
from tests import helpers
from tests.helpers import crossing

FLOOR: Final = 97
"""The percentage of queries whose details the engine should find."""
RECORDED = helpers.SHARED / "conformance" / "queries.jsonl"


@dataclass
class Census:
    """Counts of queries: all, and those without strings, dictionaries, files and comments (`plain`)."""

    all: int = 0
    wholly: int = 0
    plain: int = 0
    plain_wholly: int = 0
    told: int = 0
    reasons: collections.Counter[str] = field(default_factory=collections.Counter)
    untold: list[tuple[str, str]] = field(default_factory=list)
    """Queries whose details the interpreter must find, each with the reason."""

    def add(self, checked: Checked, compiled: compiling.Compiled | Unsupported) -> None:
        """Count a query."""
        assert checked.query is not None
        refused = isinstance(compiled, Unsupported)
        wholly = not refused and compiled.wholly  # type: ignore[union-attr]  # not refused
        plain = not is_textual(checked.query.body, checked.names)
        self.all += 1
        self.wholly += wholly
        self.plain += plain
        self.plain_wholly += plain and wholly
        left = (compiled,) if isinstance(compiled, Unsupported) else compiled.unsupported
        self.reasons.update({one.reason for one in left})

    def add_details(self, checked: Checked, plan: sieving.Plan) -> None:
        """Count a query by the way its details are found."""
        asking = hit_details.detail_pass(plan, settings.USUAL)
        if isinstance(asking, Unsupported):
            self.untold.append((checked.text, asking.reason))
        else:
            self.told += 1

    @property
    def share(self) -> float:
        """Percentage of all that compile wholly."""
        return 100 * self.wholly / self.all

    @property
    def told_share(self) -> float:
        """Percentage of all whose details the engine finds, for an annotated export."""
        return 100 * self.told / self.all

    @property
    def plain_share(self) -> float:
        """The same of the plain ones."""
        return 100 * self.plain_wholly / self.plain


def is_textual(node: nodes.Node, names: types.Names) -> bool:
    """Whether strings, dictionaries, files or comments play a part in a filter."""
    if isinstance(node, _TEXTUAL):
        return True
    if type(node) in types.RULES and types.infer(node, names) in (Type.STRING, Type.DICTIONARY):
        return True
    # The letters of a promotion are no string.
    promotion = node.promotion if isinstance(node, nodes_moves.Dash) else None
    return any(is_textual(one, names) for one in nodes.children(node) if one is not promotion)


_TEXTUAL: Final = (
    nodes.Comment, nodes.ImplicitSearch, nodes_strings.Search, nodes_strings.WriteFile, nodes_facts.SetTag,
    nodes_facts.Message, nodes_facts.RemoveComment, nodes_facts.Glyph, nodes_studies.Study,
    nodes_studies.StudyAward, nodes_studies.StudySort, nodes_tree.SimilarPosition, nodes_programs.Dictionary,
)  # fmt: skip


def of_texts(texts: Iterable[str]) -> Census:
    """The census of queries; those with errors are left out."""
    counted = Census()
    for text in texts:
        checked = check.check(text)
        if checked.query is None:
            continue
        expanded = transforms.expand(checked)
        if expanded.query is not None:
            counted.add(checked, sieving.compiled(expanded))
            counted.add_details(checked, sieving.plan(expanded))
    return counted


def texts_of(path: Path | None) -> Iterable[str]:
    """The queries of a file, or those at hand."""
    if path is None and not RECORDED.is_file():
        return crossing.known_texts()
    lines = (path or RECORDED).read_text("utf-8").splitlines()
    return [json.loads(line)["query"] for line in lines]


def main(words: Sequence[str] | None = None) -> int:
    """Count and print."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.tools.perf.census",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_argument("file", nargs="?", type=Path, help="lines of JSON, each with a `query`")
    found = of_texts(texts_of(arguments.parse_args(words).file))
    print(f"{found.wholly:5} of {found.all:5} compile wholly: {found.share:.1f} %")
    print(
        f"{found.plain_wholly:5} of {found.plain:5} without strings, dictionaries, files and comments:"
        f" {found.plain_share:.1f} %"
    )
    for reason, number in found.reasons.most_common():
        print(f"{number:5} {reason}")
    print(
        f"{found.told:5} of {found.all:5} never ask the interpreter, annotated: {found.told_share:.1f} %"
        f"  (> {FLOOR} %) {'HELD' if found.told_share > FLOOR else 'missed'}"
    )
    for text, reason in found.untold:
        print(f"      {reason}: {' '.join(text.split())[:80]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
