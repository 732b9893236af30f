"""What two texts have in common as queries."""

from __future__ import annotations

import pytest

from cqlgui.tasks.asking import queries


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Bh7 kh8", "Bh7\n\n  kh8 // the corner", True),
        ("flip Ra1", "flip {Ra1}", True),
        ("Bh7", "Bg7", False),
        ('comment("a b")', 'comment("a  b")', False),
        ("cql(variations) mate", "mate", False),
        # A blank line ends a path.
        ("path -- --", "path --\n\n--", False),
        ("matte", "matte", True),
        ("matte", "matte // so", False),
        ("mate", "", False),
    ],
)
def test_queries_mean_the_same(one: str, other: str, expected: bool) -> None:
    assert queries.mean_the_same(one, other) is expected
    assert queries.mean_the_same(other, one) is expected
