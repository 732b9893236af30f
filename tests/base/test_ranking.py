"""Ranks of texts."""

import hypothesis
import pytest
from hypothesis import strategies

from cqlgui.base import ranking

TEXTS = strategies.text(strategies.sampled_from("abAB0ä😀\ud800") | strategies.characters(), max_size=30)


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "_PART", 7)


@hypothesis.given(strategies.lists(TEXTS.filter(lambda text: "\0" not in text), max_size=50))
@hypothesis.settings(suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
def test_ranks_are_places_among_the_distinct_texts(texts: list[str]) -> None:
    places = {text: place for place, text in enumerate(sorted(set(texts)))}
    assert ranking.ranks(texts).tolist() == [places[text] for text in texts]


def test_a_text_ends_before_eight_characters_of_0() -> None:
    assert ranking.ranks(["a\0", "a", "a" + 20 * "\0", "\0"]).tolist() == [1, 1, 1, 0]
