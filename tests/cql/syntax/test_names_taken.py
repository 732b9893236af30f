"""A name that means something else already cannot become a variable."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check


@pytest.mark.parametrize("word", ["persistent", "atomic"])
@pytest.mark.parametrize("before", ["function fn() {mate}", "dictionary fn"])
def test_a_function_or_dictionary_is_no_variable(before: str, word: str) -> None:
    found = check.check(f"{before} {word} fn = 1 mate").diagnostics
    assert found[0].code == "name-taken"
    assert "function or dictionary" in found[0].message


def test_another_name_is_free() -> None:
    assert not check.check("function fn() {mate} dictionary D persistent x = 1 atomic y = 1 fn()").errors


@pytest.mark.parametrize("call", ["fn(1 2)", "fn(1 2 3)", "fn(1 2 3 4) mate"])
def test_arguments_too_many_are_one_mistake(call: str) -> None:
    found = check.check(f"function fn(x) {{x > 0}} {call}").diagnostics
    assert [one.code for one in found] == ["too-many-arguments"]
