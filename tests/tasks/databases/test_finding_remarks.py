"""The comments and glyphs that are found in machine code are those that the reader finds."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.pgn import braces, kernel_places, reader
from cqlgui.store.remarks import NOTHING, Remark
from cqlgui.tasks.databases import remarks
from tests.pgn.test_annotating import odd_games, texts_of


def read(game: bytes) -> dict[int, Remark]:
    """The remarks of a game by positionid, from the reader."""
    found = reader.read_game(game)
    return {
        place: Remark(
            braces.folded(found.last_comments[place]) if place in found.last_comments else None,
            found.nags.get(place, ()) if place else (),
        )
        for place in sorted({*found.last_comments, *found.nags} - ({0} - {*found.last_comments}))
    }


def found_in(games: list[bytes]) -> tuple[list[dict[int, Remark]], int]:
    """The remarks of games, and the number of games that were left to the reader."""
    texts = texts_of(games, plain=False)
    left: list[int] = []

    def read_one(game: int) -> dict[int, Remark]:
        left.append(game)
        return read(games[game])

    found = remarks.find(texts.data, texts.begins, texts.ends, texts.kinds, read_one)
    assert len(found) == len(games)
    assert (found.comments[0], found.glyphs[0]) == NOTHING
    assert not (set(found.said[found.signed == 0].tolist()) & {0})
    return [found.of_game(game) for game in range(len(games))], len(left)


@pytest.mark.parametrize("room", [1, 40, 1 << 18])
def test_odd_games(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remarks, "_ROOM", room)
    games = [game for _ in range(3) for game in odd_games()]
    Random(room).shuffle(games)
    found, left = found_in(games)
    assert found == [read(game) for game in games]
    assert sum(map(len, found)) >= 48
    assert left < len(games) // 2


WORDS = (
    "{one}",
    "{ two\ntwo }",
    "{}",
    "{a\\b (c) $1 e4}",
    "$3",
    "$255",
    "!",
    "?!",
    "( )",
    "(1... c5)",
    "({early} 1... c5)",
    "(1... c5! {a} (1... c6 {b} 2. d4 $7) 2. Nf3??)",
    "({only})",
    "; rest\n",
    "(1... c5 $1) {late}",
    "{\u0416\u00e4}",
    "\n",
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS[:8]), max_size=3),
    st.lists(st.sampled_from(WORDS[:8]), max_size=4),
    st.lists(st.sampled_from(WORDS), max_size=6),
)
def test_remarks_in_any_order(first: list[str], second: list[str], third: list[str]) -> None:
    text = " ".join(['[White "A"]\n\n', *first, "1. e4", *second, "e5", *third, "2. Nf3", *second, "*"])
    found, _ = found_in([text.encode(), b"1. e4 {x} *"])
    assert found == [read(text.encode()), {1: Remark("x", ())}]


def test_clean_games_are_not_left_to_the_reader() -> None:
    games = [b'[White "A"]\n\n1. e4! {a} e5 (1... c5 $2 {b}) 2. Nf3 *', b'[White "B"]\n\n1. e4 e5 *']
    assert found_in(games)[1] == 0


def test_the_kinds_of_glyphs() -> None:
    game = b"1. e4! e5? 2. Nf3!! Nc6?? 3. Bb5!? a6?! $13 *"
    assert [one.glyphs for one in found_in([game])[0][0].values()] == [(1,), (2,), (3,), (4,), (5,), (6, 13)]
    assert kernel_places.COMMENT < 0
