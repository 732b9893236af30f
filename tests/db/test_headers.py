"""What the header of a game says."""

from __future__ import annotations

import pytest

from cqlgui.db import headers


@pytest.mark.parametrize(
    ("text", "result"),
    [("1-0", "1-0"), ("0-1", "0-1"), ("1/2-1/2", "1/2-1/2"), ("1/2", "1/2-1/2"), ("½-½", "1/2-1/2")]
    + [(text, "*") for text in ("", "*", "?", "1", "1-1")],
)
def test_a_result_is_one_of_four(text: str, result: str) -> None:
    assert headers.RESULTS[headers.outcome(text)] == result
