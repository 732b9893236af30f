"""The keyword registry: complete, documented, and its examples run."""

from __future__ import annotations

import pytest

from cqlgui.cql import check, filters, registry


def test_knows_every_spelling_of_the_language() -> None:
    assert len(registry.ROWS) == 336
    assert all(row.meaning and row.kind for row in registry.ROWS)


@pytest.mark.parametrize("row", [row for row in registry.ROWS if row.built], ids=lambda row: row.name)
def test_what_is_built_has_forms_and_an_example_that_checks(row: registry.Row) -> None:
    assert row.forms
    assert check.check(row.example).diagnostics == ()


def test_every_filter_the_parser_reads_is_marked_as_built() -> None:
    for word in filters.READERS:
        row = registry.lookup(word)
        if row is not None and registry.is_reserved(word):
            assert row.built, word


@pytest.mark.parametrize(
    "row", [row for row in registry.ROWS if row.kind == "filter" and not row.built], ids=lambda row: row.name
)
def test_a_filter_that_is_not_built_is_answered_with_not_yet(row: registry.Row) -> None:
    found = check.check(f"mate {row.name} ( A ) and check").errors
    assert [one.code for one in found] == ["not-yet"]
    assert found[0].span.offset == 5
    assert row.name in found[0].message


def test_completion_offers_keywords_by_prefix_and_built_ones_first() -> None:
    found = registry.complete("fl")
    assert [row.name for row in found][:4] == ["flip", "flipcolor", "fliphorizontal", "flipvertical"]
    built = [row.built for row in registry.complete("")]
    assert built == sorted(built, reverse=True)


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
