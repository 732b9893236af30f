"""Dashes where something stands close before or behind them."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer


@pytest.mark.parametrize("text", ["if wtm --(to) else check", "if wtm -- else check", "--\nwtm"])
def test_a_dash_is_printed_as_it_was_written(text: str) -> None:
    checked = check.check(text)
    assert checked.query is not None
    assert printer.print_query(checked.query) == f"cql()\n{text}\n"


def test_a_mark_at_the_beginning_of_a_text_is_no_left_set() -> None:
    """Some editors write a byte order mark there."""
    assert check.check("\ufeff--").diagnostics == ()
    assert [one.code for one in check.check("mate\ufeff--").diagnostics] == ["tied-dash"]
