"""Shares in percent have one form."""

from __future__ import annotations

import re

import pytest

from cqlgui.base import plurals
from tests import helpers


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0.0, 0, "0%"),
        (0.001, 0, "<1%"),
        (0.005, 0, "<1%"),
        (0.25, 0, "25%"),
        (0.996, 0, ">99%"),
        (1.0, 0, "100%"),
        (0.0001, 1, "<0.1%"),
        (0.007, 1, "0.7%"),
        (0.9999, 1, ">99.9%"),
        (1.0, 1, "100.0%"),
    ],
)
def test_a_share_is_shown_in_percent(share: float, digits: int, text: str) -> None:
    assert plurals.percent(share, digits) == text


def test_no_other_code_writes_percentages() -> None:
    folder = helpers.ROOT / "cqlgui"
    # A format of its own, or a blank before the sign.
    pattern = re.compile(r":[.0-9]*%\}|[\d}] %[\"']")
    found = [
        f"{path.relative_to(folder)}:{number}"
        for path in folder.rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if pattern.search(line.partition("#")[0])
    ]
    assert [one.partition(":")[0] for one in found] == ["base/plurals.py"] * len(found), found
    manual = "".join(path.read_text("utf-8") for path in (helpers.ROOT / "resources" / "manual").glob("*.md"))
    assert not re.search(r"\d %", manual)
