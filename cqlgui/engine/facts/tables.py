"""Puts the answers to questions into a table, from which compiled code reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cqlgui.engine.facts import answering, questions
from cqlgui.engine.replaying import layout
from cqlgui.engine.replaying.games import Integers, Words


def table(
    facts: Sequence[questions.Fact],
    answers: Mapping[questions.Fact, answering.Answers | answering.Spread],
    count: int,
    numbers: Integers | None = None,
) -> Words:
    """Two words for each fact and each of `count` games, one game after the other: the value and the state of
    the answer. `scanning.scan` takes this table. If `numbers` is given, the table is for a search of these
    games alone.

    For a question about positions, the words are the address of a *list* and the number of entries in this
    list. An entry has two words: the positionid, shifted by `layout.ANSWER_SHIFT`, with the state, and the
    value. The entries have ascending positionids. Before them, the list has one more entry with the answer
    for all other positions. The lists stand behind the games in the table, so the table must not be copied.
    """
    spreads = [(place, answers[fact]) for place, fact in enumerate(facts)]
    few = numbers if numbers is not None and 2 * len(numbers) < count else None
    lists = {
        place: _lists(one if few is None else one.of_games(few), count)
        for place, one in spreads
        if isinstance(one, answering.Spread)
    }
    size = count * len(facts) * 2
    whole = np.zeros(size + sum(len(words) for _, _, words in lists.values()), np.uint64)
    found = whole[:size].reshape(count, len(facts), 2)
    at = size
    for place, fact in enumerate(facts):
        answer = answers[fact]
        if not isinstance(answer, answering.Spread):
            asked = slice(None) if few is None else few
            for word, column in enumerate(answer):
                found[asked, place, word] = column[asked]
            continue
        begins, entries, words = lists[place]
        whole[at : at + len(words)] = words
        found[:, place, 0] = whole.ctypes.data + 8 * (at + begins)
        found[:, place, 1] = entries
        at += len(words)
    return whole


def _lists(spread: answering.Spread, count: int) -> tuple[Integers, Integers, Words]:
    """The lists of a question about positions: for each game the place of its list and the number of entries,
    and the words of all lists. Games without entries share the first list."""
    sizes = np.diff(spread.firsts)[:count]
    own = sizes > 0
    ends = 2 + np.cumsum(np.where(own, 2 * (sizes + 1), 0))
    begins = np.where(own, ends - 2 * (sizes + 1), 0)
    words = np.zeros(int(ends[-1]) if count else 2, np.uint64)
    value, state = spread.usual
    for heads in (np.zeros(1, np.int64), begins[own]):
        words[heads], words[heads + 1] = state, value
    game = np.repeat(np.arange(count), sizes)
    entries = np.arange(len(game))
    places = begins[game] + 2 * (entries - spread.firsts[game] + 1)
    words[places] = (
        spread.ids[entries].astype(np.uint64) << np.uint64(layout.ANSWER_SHIFT) | spread.states[entries]
    )
    words[places + 1] = spread.values[entries]
    return begins, sizes, words
