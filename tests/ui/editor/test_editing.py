"""Pure line editing: new lines, indenting, comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.cql.source import tokens
from cqlgui.cql.syntax.reading import lexer
from cqlgui.ui.editor import editing

LINES = st.lists(st.text(alphabet="a /{};\t", max_size=8), max_size=5)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Ra1", "", ("", "")),
        ("  Ra1", "", ("  ", "")),
        ("flip {", "", ("  ", "")),
        ("flip {", "}", ("  ", "\n")),
        ("  {", " }", ("    ", "\n  ")),
        ("", "x", ("", "")),
    ],
)
def test_return_keeps_or_deepens_the_indent(before: str, after: str, expected: tuple[str, str]) -> None:
    assert editing.new_line_indent(before, after) == expected


def test_comments_toggle_at_the_least_indent() -> None:
    lines = ["  a", "", "    b"]
    commented = editing.comment_toggled(lines)
    assert commented == ["  // a", "", "  //   b"]
    assert editing.comment_toggled(commented) == lines


def test_the_comment_writing_filter_is_not_taken_for_a_comment() -> None:
    assert editing.comment_toggled(['/// "x"']) == ['// /// "x"']


@pytest.mark.parametrize("slashes", range(1, 8))
def test_a_comment_is_what_the_language_takes_for_one(slashes: int) -> None:
    line = "/" * slashes + ' "x"'
    first = next(iter(lexer.tokens(line)))
    toggled = editing.comment_toggled([line])
    if first.kind is tokens.Kind.COMMENT:
        assert toggled == [line[2:].removeprefix(" ")]
    else:
        assert toggled == [f"// {line}"]


@given(LINES)
def test_indent_and_back_is_the_identity(lines: list[str]) -> None:
    assert editing.dedented(editing.indented(lines)) == [
        line if line.strip() else editing.dedented([line])[0] for line in lines
    ]


@given(LINES)
def test_commenting_code_and_back_is_the_identity(lines: list[str]) -> None:
    code = [line.replace("/", "x") for line in lines]
    assert editing.comment_toggled(editing.comment_toggled(code)) == code
