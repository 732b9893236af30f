"""Fields that a spreadsheet would take for formulas are told apart from those that it shows."""

from __future__ import annotations

import pytest

from cqlgui.base import cells


@pytest.mark.parametrize(
    ("field", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1+1", "'+1+1"),
        ("-1+1", "'-1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("＝1", "'＝1"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("Ann;=1+1;x", "Ann;'=1+1;x"),
        ("two\n=lines", "two\n'=lines"),
        ("-;=1", "-;'=1"),
        ("-2+cmd|' /C calc'!A0", "'-2+cmd|' /C calc'!A0"),
    ],
)
def test_formulas_become_text(field: str, written: str) -> None:
    assert cells.text_only(field) == written


@pytest.mark.parametrize(
    "field",
    [
        "1-0",
        "1/2-1/2",
        "0-1",
        "*",
        "-3",
        "+0.5",
        "-12,75",
        "",
        "Kan, I",
        "a=b",
        "1900.01.02",
        "; 1",
        "-",
        "-;+",
        "=",
    ],
)
def test_what_is_no_formula_stays(field: str) -> None:
    assert cells.text_only(field) == field
