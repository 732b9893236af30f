"""A repetition inside a repetition is left at its own end only."""

from __future__ import annotations

import itertools

import pytest

from cqlgui.cql.checking import check
from cqlgui.jit import native
from tests.engine import test_against_interpreter as against

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

REPEATS = ("?", "*", "+", "{2}", "{0,2}", "{1,}", "{2,}")
FORMS = (
    "line --> (btm%s --> mate)%s",
    "line --> (true%s --> check)%s --> btm",
    "line --> wtm --> (btm%s --> check)%s --> wtm",
    "line --> ((wtm --> true)%s --> check)%s",
    "path (--%s mate)%s --a1",
    "path ((--%s --a1)%s --e4)",
    "path ((--d5 --)%s check)%s --",
)


@pytest.mark.parametrize("form", FORMS)
def test_repetitions_inside_repetitions(form: str) -> None:
    comparison = against.Comparison(against.shipped(4))
    for inner, outer in itertools.product(REPEATS, REPEATS):
        checked = check.check(f"cql() {form % (inner, outer)}")
        # What can match nothing cannot be repeated without an end.
        assert checked.query is not None or checked.diagnostics[0].code == "empty-repetition"
        comparison.text(checked.text)
    comparison.conclude()
    assert comparison.counts["wholly compiled"] == comparison.counts["queries"] > 50
