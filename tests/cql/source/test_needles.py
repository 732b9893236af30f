"""Texts of which each match of a regular expression contains one."""

from __future__ import annotations

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


class _Text(str):
    """A text that notes what is looked for in it."""

    __slots__ = ("looked",)
    looked: list[str]

    def __contains__(self, other: object) -> bool:
        self.looked.append(str(other))
        return super().__contains__(other)  # type: ignore[operator]


def _text(length: int) -> _Text:
    text = _Text("a" * length)
    text.looked = []
    return text


@pytest.mark.parametrize(
    "pattern", ["zz|a", "b" + 90 * "a" + "|a", "|".join([*map("z{:03}".format, range(400)), "a"])]
)
def test_only_the_first_search_of_a_text_looks_for_them(pattern: str) -> None:
    text, start = _text(1_000), 0
    while (found := ecmascript.first(pattern, text, start, 10.0)) is not None:
        start = found.end()
    assert start == len(text)
    assert len(text.looked) <= 16


@pytest.mark.parametrize(
    ("count", "length", "looked"),
    [(16, 1_000, 16), (17, 1_000, 0), (4, 100_000, 4), (5, 100_000, 0), (5, 1_001, 0)],
)
def test_many_texts_are_looked_for_in_short_texts_only(count: int, length: int, looked: int) -> None:
    text = _text(length)
    assert ecmascript.first("|".join(map("z{}".format, range(10, 10 + count))), text, 0, 10.0) is None
    assert len(text.looked) == looked


def test_a_text_without_them_is_not_searched() -> None:
    # The search itself would take years.
    assert ecmascript.first("(a|aa)+[!c]$bcd", "a" * 60 + "!x", 0, 0.05) is None
    with pytest.raises(TimeoutError):
        ecmascript.first("(a|aa)+[!c]$", "a" * 60 + "!x", 0, 0.05)


@pytest.mark.parametrize(
    ("pattern", "length", "watched"),
    [
        ("[0-9]{2}", 1_000, False), ("a|b", 10, False), ("[0-9]{2}", 1_001, True), ("a*", 10, True),
        ("(a)", 10, True), ("a{100}", 10, True), ("a{1,2}", 10, True), (100 * "a", 10, False),
        (101 * "a", 10, True),
    ],
)  # fmt: skip
def test_only_a_short_search_of_a_plain_pattern_is_not_watched(
    pattern: str, length: int, watched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[object] = []

    class Expression:
        def search(self, _text: str, _start: int, **options: object) -> None:
            limits.append(options.get("timeout"))

    is_plain = ecmascript._prepared(pattern)[2]
    monkeypatch.setattr(ecmascript, "_prepared", lambda _: (Expression(), (), is_plain))
    ecmascript.first(pattern, "x" * length, 0, 10.0)
    assert (limits != [None]) == watched
