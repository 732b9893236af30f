"""What is asked of the path that matched last, where the engine might leave out a path or move it."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.jit import native
from tests.engine import test_against_interpreter as against

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

TOLD = (
    "flipcolor {path --+ {wtm}\n} pathlastposition:wtm",
    "flipcolor {path --+ {wtm}\n} pathcount == 3",
    "{flipcolor {path --+ {wtm}\n} or true} pathlastposition:btm",
)
"""Each colour has a path of its own, and that of the last element is the one that is told."""

BANNED = (
    "{path nestban -- --\n} check",
    "{path nestban --+\n} btm",
    "loop {path nestban --\n}",
)
"""Where a path was banned before shows in where it matches, so it must be asked everywhere and in order."""


@pytest.mark.parametrize("text", [*TOLD, *BANNED])
def test_a_path_that_leaves_a_trace_is_asked_in_its_place(text: str) -> None:
    comparison = against.Comparison(against.shipped(2))
    checked = check.check(f"cql() {text}")
    # A loop with a path that bans its own positions comes to an end.
    assert checked.diagnostics == ()
    comparison.text(checked.text)
    comparison.conclude()
    assert comparison.counts["wholly compiled"] == 2
