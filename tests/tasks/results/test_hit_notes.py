"""Comments and ends of games as columns give what lists of texts would."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.tasks.results.hit_notes import NO_END, GameEnd, GameEnds, HitNotes

WORDS = st.sampled_from(("", "a", "b", "cc"))
COMMENTS = st.lists(st.lists(st.tuples(st.integers(0, 9), WORDS), max_size=3), max_size=6)
KEYS = st.lists(st.integers(0, 3), max_size=6)


def notes_of(comments: list[list[tuple[int, str]]]) -> HitNotes:
    """Columns where each comment has a text of its own in the table."""
    said = [one for own in comments for one in own]
    return HitNotes(
        np.cumsum([len(own) for own in comments], dtype=np.int64),
        np.array([place for place, _ in said], np.int64),
        np.arange(len(said), dtype=np.int32),
        [text for _, text in said],
    )


def listed(notes: HitNotes) -> list[list[tuple[int, str]]]:
    return list(notes.of(0, len(notes.ends)))


@given(st.lists(COMMENTS, min_size=1, max_size=4), st.data())
def test_comments_are_joined_and_taken(parts: list[list[list[tuple[int, str]]]], data: st.DataObject) -> None:
    whole = [own for part in parts for own in part]
    notes = HitNotes.joined([notes_of(part) for part in parts])
    assert listed(notes) == whole
    chosen = data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=8) if whole else st.just([]))
    taken = notes.take(np.array(chosen, np.int64))
    assert listed(taken) == [whole[number] for number in chosen]
    # Parts of one table may be joined again.
    assert listed(HitNotes.joined([taken, notes, taken])) == listed(taken) + whole + listed(taken)
    begin = data.draw(st.integers(0, len(whole)))
    assert listed(notes.take(slice(begin, len(whole)))) == whole[begin:]


@given(COMMENTS)
def test_each_text_of_the_comments_is_listed_once(comments: list[list[tuple[int, str]]]) -> None:
    numbers, texts = notes_of(comments).coded
    assert [texts[number] for number in numbers.tolist()] == [text for own in comments for _, text in own]
    assert len(set(texts)) == len(texts)


@given(st.lists(KEYS, min_size=1, max_size=4))
def test_ends_of_games_are_joined_and_taken(parts: list[list[int]]) -> None:
    made = [
        GameEnds(np.array(keys, np.int32), [GameEnd((key,)) for key in range(number + 4)])
        for number, keys in enumerate(parts)
    ]
    whole = GameEnds.joined([GameEnds.none(2), *made])
    expected = [NO_END, NO_END, *(GameEnd((key,)) for keys in parts for key in keys)]
    every = slice(None)
    assert whole.of(every) == expected
    assert whole.take(slice(1, None)).of(every) == expected[1:]
    assert whole.take(np.arange(len(expected))[::-1]).of(every) == expected[::-1]
    assert GameEnds.joined([whole, whole.take(slice(0, 1))]).of(every) == [*expected, NO_END]


def test_a_table_does_not_grow_if_its_slices_are_joined_one_by_one() -> None:
    words = [str(number) for number in range(1000)]
    notes = notes_of([[(0, word)] for word in words])
    made = notes.take(slice(0, 1))
    for number in range(1, 400):
        made = HitNotes.joined([made, notes.take(slice(number, number + 1))])
        assert len(made.table) < 2000
    assert listed(made) == [[(0, word)] for word in words[:400]]
