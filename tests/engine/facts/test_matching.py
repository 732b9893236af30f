"""Regular expressions of one query that take too long."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from cqlgui.cql.ast import nodes_strings
from cqlgui.cql.checking import check
from cqlgui.cql.transforming import transforms
from cqlgui.engine.facts import answering, evaluating, matching, patience


def _matches(pattern: str) -> tuple[matching.Matches, nodes_strings.Search]:
    expanded = transforms.expand(check.check(f'originalcomment ~~ "{pattern}"'))
    assert expanded.query is not None
    node = expanded.query.body
    assert isinstance(node, nodes_strings.Search)
    return matching.Matches(evaluating.Closures(expanded.names), patience.Patience()), node


def _watched(monkeypatch: pytest.MonkeyPatch, search: Callable[..., Any]) -> list[str]:
    searched: list[str] = []

    def first(pattern: str, text: str, start: int, seconds: float) -> Any:
        searched.append(text)
        return search(pattern, text, start, seconds)

    monkeypatch.setattr(matching.ecmascript, "first", first)
    return searched


def test_after_a_search_without_end_the_other_answers_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    found, node = _matches("(a|aa)+$")
    searched = _watched(monkeypatch, matching.ecmascript.first)
    endless = "a" * 60 + "!"
    texts = ["aa", "b", endless, "ab", "aa", None]
    for _ in range(2):
        values, states = found.answers(node, texts, wants_text=False)
        assert values.tolist() == [1, 0, 0, 0, 1, 0]
        known, unknown = answering.GIVEN, answering.UNKNOWN
        assert states.tolist() == [known, known, unknown, unknown, known, known]
    assert searched == ["aa", "b", endless]
    values, states = found.answers(node, texts, wants_text=True)
    assert states.tolist() == [known, answering.MISSING, unknown, unknown, known, answering.MISSING]
    assert values[0] == values[4]
    assert found._closures.texts[int(values[0])] == "aa"


def test_slow_searches_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: Any) -> None:
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass

    found, node = _matches("a")
    searched = _watched(monkeypatch, slow)
    for _ in range(2):
        _, states = found.answers(node, [str(number) for number in range(10)], wants_text=False)
        assert states.tolist() == [answering.GIVEN] * 3 + [answering.UNKNOWN] * 7
    assert searched == ["0", "1", "2"]
