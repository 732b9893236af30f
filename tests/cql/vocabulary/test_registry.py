"""The keyword registry: complete, documented, and its examples run."""

from __future__ import annotations

import re

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.vocabulary import registry


def test_knows_every_spelling_of_the_language() -> None:
    # CQL 6.2 knows the word `pgn`, but not the words behind it.
    own = {row.name for row in registry.ROWS if row.status == registry.OWN}
    assert own == {"pgn", "pgn clk", "pgn emt", "pgn eval"}
    assert len(registry.ROWS) == 336 + len(own - {"pgn"})
    assert all(row.meaning and row.kind for row in registry.ROWS)


IN_USE = [row for row in registry.ROWS if row.kind != "internal" or row.example]


@pytest.mark.parametrize("row", IN_USE, ids=lambda row: row.name)
def test_every_spelling_has_forms_and_an_example_that_checks(row: registry.Row) -> None:
    assert row.forms
    assert check.check(row.example).diagnostics == ()


INTERNAL = [row for row in registry.ROWS if row.kind == "internal" and registry.is_reserved(row.name)]


@pytest.mark.parametrize("row", INTERNAL, ids=lambda row: row.name)
def test_an_internal_word_is_refused_in_its_place(row: registry.Row) -> None:
    if row.example:
        return
    found = check.check(f"mate {row.name} check").errors
    assert [(one.code, one.span.offset) for one in found] in ([("internal-word", 5)], [("old-syntax", 5)])


def test_completion_offers_keywords_by_prefix_and_built_ones_first() -> None:
    found = registry.complete("fl")
    assert [row.name for row in found][:4] == ["flip", "flipcolor", "fliphorizontal", "flipvertical"]
    unused = [row.kind == "internal" for row in registry.complete("")]
    assert unused == sorted(unused)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("flipcolour", "flipcolor"), ("Mate", "mate"), ("chekc", "check"), ("zzzzzz", None), ("x", None)],
)
def test_suggests_the_keyword_that_was_meant(word: str, meant: str | None) -> None:
    assert registry.suggest(word) == meant


def test_looks_up_both_spellings() -> None:
    ascii_row, sign_row = registry.lookup("flipcolor"), registry.lookup("⬓")
    assert ascii_row is sign_row is not None


def test_completion_puts_a_word_that_is_nearly_typed_before_longer_ones() -> None:
    assert next(row.name for row in registry.complete("mat")) == "mate"


def test_no_sentence_only_repeats_its_word() -> None:
    for row in registry.ROWS:
        said = re.sub(r"study database|[^a-z0-9]+", " ", row.meaning.lower()).split()
        assert said != re.sub(r"hhdb|[^a-z0-9]+", " ", row.name.lower()).split(), row.name


def test_every_group_of_a_match_has_the_help_of_the_first() -> None:
    assert registry.lookup(r"\7") is registry.lookup(r"\42") is registry.lookup(r"\0") is not None
    assert registry.lookup(r"\100") is None
