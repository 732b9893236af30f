"""Regular expressions that are compiled at their first use."""

from __future__ import annotations

import re

import pytest

from cqlgui.base.patterns import pattern


def test_it_does_what_a_compiled_one_does() -> None:
    later, now = pattern(r"(?P<a>x+)|y", re.IGNORECASE), re.compile(r"(?P<a>x+)|y", re.IGNORECASE)
    for _ in range(2):
        assert later.findall("xXyz") == now.findall("xXyz")
        assert later.sub("-", "axxb") == now.sub("-", "axxb")
        assert [found.span() for found in later.finditer("yxx")] == [
            found.span() for found in now.finditer("yxx")
        ]
        found = later.match("ZXX", 1)
        assert found is not None
        assert found["a"] == "XX"
    assert (later.pattern, later.flags, later.groupindex) == (now.pattern, now.flags, now.groupindex)
    assert pattern(rb"\d").split(b"a1b") == [b"a", b"b"]


def test_nothing_is_compiled_before(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(re, "compile", lambda text, _flags: compiled.append(text))
    pattern("(")
    assert not compiled


def test_a_wrong_one_is_told_at_its_first_use() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.match("(")
