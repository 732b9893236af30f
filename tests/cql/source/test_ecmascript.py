"""Regular expressions: what ECMAScript means by them, and what is wrong with the others."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.cql.source import ecmascript


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("b$", "ab\n", None),
        ("b$", "ab", "b"),
        ("^b", "a\nb", None),
        ("a.b", "a\nb", None),
        (r"\d+", "٣4", "4"),
        (r"\w+", "éa_1", "a_1"),
        (r"\bm", "émile m", "m"),
        (r"a\sb", "a\u00a0b", "a\u00a0b"),
        (r"[^\d]", "1a", "a"),
        (r"[\W]", "a-", "-"),
        (r"[^]", "\n", "\n"),
        ("[]", "a", None),
        ("a[]|b", "ab", "b"),
        (r"[a\-c]+", "a-cb", "a-c"),
        (r"[\d-x]+", "1-x2", "1-x2"),
        ("[[&&~~||-]+", "a&&", "&&"),
        (r"(a)?b\1c", "bc", "bc"),
        (r"(a)b\1", "aba", "aba"),
        (r"(?<x>a)\k<x>", "aa", "aa"),
        (r"(?<=a)b", "ab", "b"),
        (r"a(?!b)", "abac", "a"),
        ("a{2}?", "aaa", "aa"),
        ("a+?", "aaa", "a"),
        (r"\x41\u0042\u{43}\cJ\0", "ABC\n\0", "ABC\n\0"),
        (r"\ud83d\ude00", "\U0001f600", "\U0001f600"),
        (r"[\b]", "\b", "\b"),
        ("[[:upper:]]+", "aBCd", "BC"),
        ("]}", "]}", "]}"),
        (r"\-\/\"", '-/"', '-/"'),
        ("(?:ab)+|c", "abab", "abab"),
        ("", "a", ""),
        ("(?:a{2}){2,4}", "aaaaaaa", "aaaaaa"),
        ("a{0,9999}b", "aab", "aab"),
        ("a{0}b", "ab", "b"),
    ],
)
def test_finds_what_ecmascript_finds(pattern: str, text: str, expected: str | None) -> None:
    assert ecmascript.fault(pattern) is None
    found = ecmascript.compiled(pattern).search(text)
    assert (found and found.group()) == expected


@pytest.mark.parametrize(
    ("pattern", "place", "length"),
    [
        ("(abc", 0, 1),
        ("a(b(c)", 1, 1),
        ("abc)", 3, 1),
        ("[z-a]", 0, 4),
        ("x[abc", 1, 1),
        ("*a", 0, 1),
        ("a**", 2, 1),
        ("a|+", 2, 1),
        ("^*", 1, 1),
        ("a{,3}", 1, 4),
        ("a{3,2}", 1, 5),
        ("a{x}", 1, 3),
        ("a{999999}", 1, 8),
        ("((x{1000}){1000}){1000}", 10, 6),
        ("(x{0,200}y){0,200}z", 11, 7),
        ("x{9000}y{900}(z{99}|[a-c]{9})", 25, 3),
        ("x{9999}yy", 1, 6),
        ("{2}", 0, 1),
        ("a\\", 1, 1),
        (r"(a)\2", 3, 2),
        (r"\xg", 0, 2),
        (r"\u12", 0, 2),
        (r"\p{Lu}", 0, 3),
        ("(?a)", 0, 3),
        ("(?<1>a)", 2, 3),
        ("(?<a>b)(?<a>c)", 9, 3),
        ("[[:foo:]]", 1, 7),
        ("[[.a.]]", 1, 5),
        ("(" * 60 + ")" * 60, 50, 1),
    ],
)
def test_says_where_a_pattern_is_wrong(pattern: str, place: int, length: int) -> None:
    fault = ecmascript.fault(pattern)
    assert fault is not None
    assert (fault.place, fault.length) == (place, length)


@settings(max_examples=400, deadline=None)
@given(st.text(alphabet="ab01()[]{}*+?|^$.\\-,:<>=!dwsbBxuk \n", max_size=14))
def test_any_text_is_a_pattern_or_a_located_fault(pattern: str) -> None:
    fault = ecmascript.fault(pattern)
    if fault is not None:
        assert 0 <= fault.place <= len(pattern)
        assert fault.message


_SIMPLE = st.recursive(
    st.sampled_from(["a", "b", "[ab]", "[^a]", "(?:a|b)", "\\d", "1"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        inner.map(lambda one: f"(?:{one})?"),
        inner.map(lambda one: f"({one}|b)"),
    ),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(_SIMPLE, st.text(alphabet="ab1", max_size=8))
def test_plain_patterns_mean_what_they_mean_in_python(pattern: str, text: str) -> None:
    expected, found = re.search(pattern, text), ecmascript.compiled(pattern).search(text)
    assert (expected and expected.group()) == (found and found.group())


@pytest.mark.parametrize("length", [249, 250, 251, 1_500, 4_900])
def test_long_texts_of_a_pattern_are_found_at_once(length: int) -> None:
    """Without breaks in the run, `regex` takes half a minute to prepare the search for the longest one."""
    pattern, started = "b" + "a" * (length - 1), time.thread_time()
    found = ecmascript.first(pattern, "ba" + pattern + "aa", 0, 10.0)
    assert found is not None
    assert found.span() == (2, 2 + length)
    assert ecmascript.first(pattern + "c", "ba" + pattern + "aa", 0, 10.0) is None
    assert time.thread_time() - started < 3


@pytest.mark.parametrize("part", ["ab?", "(?:ab)", "(a|b)", "[ab]a*?", "a{1,2}b"])
def test_long_patterns_mean_what_they_mean_in_python(part: str) -> None:
    pattern = part * 300
    for text in ("ab" * 300, "ab" * 299, "a" * 600, "c" + "aab" * 300):
        expected, found = re.search(pattern, text), ecmascript.first(pattern, text, 0, 10.0)
        assert (expected and expected.span()) == (found and found.span())
