"""Printing reads back, for queries bred from all that the project knows: any kind inside any other."""

from __future__ import annotations

from random import Random

import pytest

from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer, printers
from tests.helpers import crossing, kinds

# What an exchange may break though the print is right: rules that look through a filter at what is inside it.
MEANINGS = {"rotate45-squares", "constant-sort", "misplaced-filter", "bad-file-name"}
SEEDS, EACH = 6, 60


def test_the_known_queries_have_every_node_kind() -> None:
    seen: set[type[nodes.Node]] = set()
    for host in crossing.stock()[0]:
        seen |= crossing.kinds_in(host.query.body)
    # Orbits are made by expansion, never by the parser.
    assert kinds.FILTERS - seen == {nodes.Orbit}


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("style", ["ascii", "unicode"])
def test_a_bred_query_prints_and_reads_back(seed: int, style: printers.Style) -> None:
    _round_trips(Random(seed), EACH, style)


@pytest.mark.full
@pytest.mark.parametrize("style", ["ascii", "unicode"])
def test_many_bred_queries_print_and_read_back(style: printers.Style) -> None:
    _round_trips(Random(2026), 20_000, style)


def _round_trips(random: Random, number: int, style: printers.Style) -> None:
    same = 0
    for _ in range(number):
        query = crossing.bred(random)
        text = printer.print_query(query, style)
        again = check.check(text)
        if again.query is None and {one.code for one in again.errors} <= MEANINGS:
            continue
        assert again.query is not None, (text, again.errors[0])
        assert again.query.body == query.body, text
        same += 1
    assert same > number * 0.9
