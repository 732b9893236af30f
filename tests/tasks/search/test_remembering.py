"""What was expanded and compiled for a query is not made again for the same text."""

from __future__ import annotations

import pytest

from cqlgui.cql.interpreting.runtime import settings
from cqlgui.jit import native
from cqlgui.tasks.asking import queries
from cqlgui.tasks.search import sieving

TEXT = "flip shift {Nf5 kg8}"


def test_the_same_text_is_expanded_once_for_the_same_settings() -> None:
    first = queries.expanded(TEXT)
    assert queries.expanded(TEXT) is first
    with_variations = queries.expanded(TEXT, variations=True)
    assert with_variations.query is not None
    assert with_variations.query.header.variations
    assert queries.expanded(TEXT, said=settings.Settings(variations=True)) is with_variations


def test_a_query_with_errors_is_rejected_each_time() -> None:
    for _ in range(2):
        with pytest.raises(queries.Rejected):
            queries.expanded("flip {Nf5")


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_the_same_query_is_compiled_once() -> None:
    first, second = (sieving.plan(queries.expanded(TEXT)) for _ in range(2))
    assert first.compiled is second.compiled
    assert first.straight is not None
    assert second.straight is not None
    assert first.straight.orbit_pass is second.straight.orbit_pass
    assert first.planner is not second.planner
