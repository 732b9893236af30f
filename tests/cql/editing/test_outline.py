"""The outline of a text: symbols and foldable parts."""

from __future__ import annotations

import pytest

from cqlgui.cql.editing import outline
from cqlgui.cql.syntax.reading import lexer


def symbols(text: str) -> list[tuple[str, str, str]]:
    return [
        (one.kind, one.name, text[one.span.offset : one.span.end])
        for one in outline.symbols(lexer.tokens(text))
    ]


def folds(text: str) -> list[str]:
    return [text[one.span.offset : one.span.end] for one in outline.folds(lexer.tokens(text))]


@pytest.mark.parametrize(
    ("text", "kind", "whole"),
    [
        ("X = A check", "variable", "X = A check"),
        ("persistent quiet X += 1\nmate", "variable", "X += 1"),
        ("(mate X = A) check", "variable", "X = A"),
        ("piece all X in A check", "variable", "X in A check"),
        ("◭X∊A check", "variable", "X∊A check"),
        ("square X in A {\n check\n}\nmate", "variable", "X in A {\n check\n}"),
        ("local dictionary X", "dictionary", "X"),
        ("function X(a1) { check } mate", "function", "function X(a1) { check }"),
        ("function X(a1", "function", "function X"),
    ],
)
def test_a_declaration_is_a_symbol(text: str, kind: str, whole: str) -> None:
    assert symbols(text) == [(kind, "X", whole)]


def test_a_name_that_is_only_used_is_none() -> None:
    assert symbols("X == 3 F(X) mate in X") == []


def test_a_variable_is_listed_at_its_first_place() -> None:
    assert symbols("X = A\nX = R") == [("variable", "X", "X = A")]


def test_a_sequence_ends_at_a_blank_line_or_with_its_brackets() -> None:
    text = "{path -- // a comment\n check\n\n mate} (⊢ ――) mate"
    assert [one[1:] for one in symbols(text)] == [
        ("path -- check", "path -- // a comment\n check"),
        ("⊢ ――", "⊢ ――"),
    ]


def test_a_long_sequence_has_a_short_name() -> None:
    ((_, name, _),) = symbols("path " + "-- " * 100)
    assert len(name) == 60
    assert name.endswith("…")


def test_a_text_with_very_many_symbols_lists_the_first_ones() -> None:
    text = " ".join(f"x{number}=1" for number in range(outline.MOST_SYMBOLS + 10))
    assert len(symbols(text)) == outline.MOST_SYMBOLS


def test_brackets_fold_with_their_partners_and_no_others() -> None:
    assert folds("f(2 {3) } [a1,b1] {2,} x[1]") == ["(2 {3)", "[1]"]


def test_sequences_fold() -> None:
    assert folds("path\n R\n x\n\n{⊢\n R}") == ["path\n R\n x", "{⊢\n R}", "⊢\n R"]


def test_line_comments_on_successive_lines_are_one_part() -> None:
    assert folds("// a\n// b\n\n; c\nmate // d\n/* e */\n// f") == [
        "// a\n// b",
        "; c",
        "// d",
        "/* e */",
        "// f",
    ]
