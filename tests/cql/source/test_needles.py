"""Texts of which each match of a regular expression contains one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.cql.source import ecmascript, needles

EXAMPLES = {
    "abc": ("abc",),
    r"([Bb]lunder|\?\?)": ("lunder", "??"),
    "ab*cd": ("cd",),
    "ab+cd": ("ab",),
    "abc{2}d": ("abc",),
    "abc{0,3}de": ("ab",),
    "abc?d": ("ab",),
    "a(bc|de)?fgh": ("fgh",),
    "a(bc|de)+f": ("bc", "de"),
    "(abc|d)ef": ("ef",),
    "(?:abc)(?=defgh)": ("abc",),
    "(?!abcde)fg": ("fg",),
    "(?<=abcd)(?<!efgh)x": ("x",),
    r"(?<name>abc)\k<name>": (),
    r"\d+ km\.": (" km.",),
    r"^start\b|end$": ("start", "end"),
    r"a\(b\)": ("a(b)",),
    r"[^\]x]abc": ("abc",),
    "[[:alpha:]]abc": (),
    r"\x41bc": (),
    r"\u0041bc": (),
    r"(a)\1bc": (),
    "a|": (),
    "(a|)": (),
    "x*": (),
    ".": (),
    "": (),
    "é–ß": ("é–ß",),
}


@pytest.mark.parametrize(("pattern", "expected"), EXAMPLES.items())
def test_the_longest_texts_are_chosen(pattern: str, expected: tuple[str, ...]) -> None:
    assert ecmascript.fault(pattern) is None
    assert needles.of(pattern) == expected


_ATOMS = st.sampled_from(
    ["a", "b", "ab", "[ab]", "[^a]", r"\d", r"\.", ".", r"\b", "^", "$", r"\x61", "1", ""]
)
_REPEATS = st.sampled_from(["*", "+", "?", "{0}", "{2}", "{1,}", "{0,2}", "*?", "+?", "{1,2}?"])
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(st.sampled_from(["(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>"]), inner).map(
            lambda both: f"{both[0]}{both[1]})"
        ),
        st.tuples(inner, _REPEATS).map(lambda both: f"({both[0]}){both[1]}"),
        st.tuples(st.sampled_from(["a", "[ab]", r"\."]), _REPEATS).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join),
    ),
    max_leaves=8,
)


@settings(max_examples=1_000, deadline=None)
@given(
    st.one_of(_PATTERNS, st.text(alphabet="ab1()[]{}*+?|^$.\\-,:<>=!dbk", max_size=14)),
    st.text(alphabet="ab1.", max_size=10),
    st.integers(0, 3),
)
def test_a_search_finds_the_same_with_them(pattern: str, text: str, start: int) -> None:
    if ecmascript.fault(pattern) is not None:
        return
    expected = ecmascript.compiled(pattern).search(text, start)
    found = ecmascript.first(pattern, text, start, 10.0)
    assert (expected and expected.span()) == (found and found.span())
    wanted = needles.of(pattern)
    if expected and wanted:
        assert any(one in expected.group() for one in wanted)


@pytest.mark.parametrize(
    "pattern", ["zz|a", "b" + 90 * "a" + "|a", "|".join([*map("z{:03}".format, range(400)), "a"])]
)
def test_further_matches_take_no_longer(pattern: str) -> None:
    """To look for all texts again at each match took a hundred times as long as the search."""
    looked: list[str] = []

    class Text(str):
        __slots__ = ()

        def __contains__(self, other: object) -> bool:
            looked.append(str(other))
            return super().__contains__(other)  # type: ignore[operator]

        def find(self, *wanted: Any) -> int:
            looked.append(wanted[0])
            return super().find(*wanted)

    text, start = Text("a" * 1_000), 0
    while (found := ecmascript.first(pattern, text, start, 10.0)) is not None:
        start = found.end()
    assert start == len(text)
    assert len(looked) <= 16


def test_a_plain_pattern_is_searched_in_long_texts_too() -> None:
    for length in (10, 100_000):
        found = ecmascript.first("[0-9]{2}", "x" * length + "42", 0, 10.0)
        assert found is not None
        assert found.group() == "42"
