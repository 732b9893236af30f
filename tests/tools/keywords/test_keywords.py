"""No spelling of the language is parsed but not run, or run but not explained."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from cqlgui.cql.vocabulary import registry
from tests.tools.keywords import stages

SPELLINGS = Path(__file__).resolve().parents[3] / ".." / "shared" / "spec" / "cql-keywords.csv"


@pytest.mark.parametrize("line", stages.table(), ids=lambda line: line.name)
def test_a_spelling_passes_every_stage(line: stages.Line) -> None:
    assert stages.GAP not in line.results, (dict(zip(stages.STAGES, line.results, strict=True)), line.why)


def test_only_internal_words_and_comments_may_lack_an_example() -> None:
    free = {
        line.kind
        for line in stages.table()
        if stages.NONE in line.results[:3] and line.name not in stages.UNDEFINED
    }
    assert free <= {"internal", "comment"}


def test_the_registry_has_every_spelling_of_the_specification() -> None:
    if not SPELLINGS.exists():
        pytest.skip(f"{SPELLINGS.name} is not beside the checkout")
    with SPELLINGS.open(encoding="utf-8", newline="") as file:
        names = {row["name"] for row in csv.DictReader(file)}
    assert names <= {row.name for row in registry.ROWS}
