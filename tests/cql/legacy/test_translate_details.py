"""Small differences in old scripts that change what a translation finds."""

from __future__ import annotations

import pytest

from cqlgui.cql.legacy import translate
from cqlgui.cql.legacy.reading import legacy_facts


def body(old: str) -> str:
    """The translation of what stands in one position list, without the header."""
    found = translate.translate(f"(match (position {old}))")
    assert not found.failed, found.notes
    return found.text.partition("\n")[2].rstrip("\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (":movefrom P :promote Q", "move from P promote Q"),
        (":movefrom p :promote q", "move from p promote q"),
        # Who promotes to a white man is white, whatever the other set says.
        (":movefrom p :promote Q", "move from (p & A) promote Q"),
        (":movefrom [Pp] :promote q", "move from ([Pp] & a) promote q"),
        (":promote Q", "move promote Q from A"),
    ],
)
def test_promotion_to_a_white_man_is_a_move_of_white(old: str, new: str) -> None:
    assert body(old) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [("ab  c", "^ab *c$"), ("a b  c   d", "^a *b *c *d$"), ("  a", "^ *a$"), ("a* b?", "^a.* *b.$")],
)
def test_any_blanks_in_a_pattern_are_one_stretch_of_blanks(old: str, new: str) -> None:
    assert legacy_facts.pattern(old) == (new, False)


def test_an_attack_count_needs_two_sets() -> None:
    """Else a condition would be lost without a word."""
    found = translate.translate("(match (position :attackcount A))")
    assert "piece designator expected after :attackcount" in [note.message for note in found.notes]
    assert found.failed
