"""Columns of hits give what the objects they stand for would."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.base import arrays
from cqlgui.base import data as data_tools
from cqlgui.cql.interpreting.runtime import game_log
from cqlgui.engine.passes import orbit_pass
from cqlgui.tasks.results import found, hit_model, hit_notes


@st.composite
def listed(draw: st.DrawFn) -> list[hit_model.GameHits]:
    """Some games with hits and elements, in ascending order."""
    games = sorted(draw(st.sets(st.integers(1, 1 << 25), max_size=6)))
    made = []
    for game in games:
        places = sorted(draw(st.sets(st.integers(0, 700), min_size=1, max_size=4)))
        hits = []
        for place in places:
            elements = sorted(draw(st.sets(st.tuples(st.integers(0, 2), st.integers(0, 19_999)), max_size=4)))
            matches = tuple(hit_model.OrbitMatch(orbit, element, place) for orbit, element in elements)
            hits.append(hit_model.Hit(game, place, None, 0, matches))
        made.append(hit_model.GameHits(game, tuple(hits), told=False))
    return made


@given(listed())
def test_columns_give_back_what_they_were_made_of(games: list[hit_model.GameHits]) -> None:
    whole = found.FoundGames(found.of_hits(games), {})
    assert list(whole.values()) == games
    assert list(whole) == [game.game for game in games]
    assert whole.games.tolist() == list(whole)
    assert all(game.game in whole for game in games)
    assert 0 not in whole


def test_games_are_numbered_within_their_source() -> None:
    untold = found.GameDefaults(
        valued=False, writes=False, match_string="", header_comment=True, firsts=(1, 31, 31, 40)
    )
    numbers = {1: 1, 30: 30, 31: 1, 39: 9, 40: 1, 50: 11}
    for game, number in numbers.items():
        assert untold.log(game, (3,)) == ((0, f"Game number {number}", game_log.NUMBER),)


def test_games_of_which_columns_tell_are_not_told_of_by_the_interpreter() -> None:
    hit = hit_model.Hit(7, 3, None, 0, ())
    untold = found.GameDefaults(
        valued=True, writes=False, match_string="CQL", header_comment=True, firsts=(1,)
    )
    for known in (None, untold):
        (game,) = found.FoundGames(
            found.of_hits([hit_model.GameHits(7, (hit,), told=False)]), {}, known
        ).values()
        assert (game.told, game.hits) == (False, (hit,))
        assert game.comments == (((0, "Game number 7"), (3, "CQL")) if known else ())


@given(listed(), st.lists(st.integers(0, 6), max_size=3), st.booleans(), st.booleans())
def test_what_was_measured_of_parts_is_known_of_them_together(
    games: list[hit_model.GameHits], cuts: list[int], turned: bool, some: bool
) -> None:
    edges = [0, *sorted(cuts), len(games)]
    parts = [found.FoundGames.of(games[low:high]) for low, high in itertools.pairwise(edges)]
    if turned:
        parts.reverse()
    for part in parts[some:]:
        _ = part.measured
    merged = found.FoundGames.merged(parts)
    assert merged.measured == found.FoundGames(merged.columns, {}).measured


@given(listed(), st.integers(0, 6))
def test_pieces_make_the_whole(games: list[hit_model.GameHits], at: int) -> None:
    pieces = [found.of_hits(games[:at]), found.of_hits(games[at:])]
    whole, grown = found.of_hits(games), found.Growing()
    for piece in pieces:
        grown.add(piece, found.first_hits(piece.hits))
    assert len(grown) == len(whole)
    as_grown = grown.whole({}, None)
    assert as_grown.measured == found.FoundGames(whole, {}).measured
    assert list(map(np.ndarray.tolist, as_grown.bounds)) == [
        numbers.tolist() for numbers in found.FoundGames(whole, {}).bounds
    ]
    for made in (found.joined(pieces), as_grown.columns):
        for name in ("hits", "ends", "codes"):
            assert np.array_equal(getattr(whole, name), getattr(made, name))
    cut = len(pieces[0])
    for part, again in zip(pieces, (whole.part(0, cut), whole.part(cut, len(whole))), strict=True):
        for name in ("hits", "ends", "codes"):
            assert np.array_equal(getattr(part, name), getattr(again, name))


def test_many_hits_grow_in_place() -> None:
    """To copy millions as they grow would keep who stops the search waiting."""
    grown = found.Growing()
    columns = [(np.arange(50_000) + 50_000 * part) << found.GAME_SHIFT for part in range(24)]
    kept: list[object] = []
    for hits in columns:
        grown.add(
            found.Columns(hits, np.arange(1, len(hits) + 1), np.ones(len(hits), np.int32)),
            np.arange(len(hits)),
        )
        if len(grown) > found._COPIED:
            kept += [grown._hits, grown._ends, grown._codes]
    assert len(set(map(id, kept))) == 3
    whole = grown.whole({}, None)
    assert np.array_equal(whole.columns.hits, np.concatenate(columns))
    assert np.array_equal(whole.columns.ends, np.arange(1, 1_200_001))
    # A result may be kept for long: it holds no room for hits that never came.
    for values in (whole.columns.hits, whole.columns.ends, whole.columns.codes):
        owner = values if values.base is None else values.base
        assert isinstance(owner, np.ndarray)
        assert len(owner) == 1_200_000


@given(listed(), st.integers(0, 6))
def test_games_that_come_late_are_put_in_their_place(games: list[hit_model.GameHits], at: int) -> None:
    grown = found.Growing()
    for some in (games[at:], games[:at]):
        columns = found.of_hits(some)
        grown.add(columns, found.first_hits(columns.hits))
    assert list(grown.whole({}, None).values()) == games


@given(listed())
def test_hits_can_be_taken_out_and_games_turned(games: list[hit_model.GameHits]) -> None:
    whole = found.FoundGames(found.of_hits(games), {})
    turned = games[::-1]
    assert list(whole.in_order([game.game for game in turned]).values()) == turned
    kept = games[::2]
    mask = np.isin(whole.columns.games, [game.game for game in kept])
    assert list(found.FoundGames(whole.columns.take(mask), {}).values()) == kept


@given(listed(), st.sampled_from((1, 3, 1 << 20)))
def test_elements_are_counted_once_a_hit_and_a_game(games: list[hit_model.GameHits], block: int) -> None:
    wanted: dict[int, tuple[set[int], int]] = {}
    numbers: dict[int, list[int]] = {}
    number = 0
    for game in games:
        for hit in game.hits:
            for match in hit.matches:
                code = orbit_pass.code_of(match.orbit, match.element)
                owners, positions = wanted.get(code, (set(), 0))
                wanted[code] = owners | {game.game}, positions + 1
                numbers.setdefault(code, []).append(number)
            number += 1
    columns = found.of_hits(games)
    for largest in (0, 1 << 24):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(found, "_LARGEST_TABLE", largest)
            patch.setattr(found, "BLOCK", block)
            patch.setattr(found, "_COUNTED", block)
            counted = found.counts(columns, (20_000, 20_000, 20_000, 1))
            for code, own in numbers.items():
                assert np.flatnonzero(found.having(columns, code)).tolist() == own
            assert not found.having(columns, orbit_pass.code_of(3, 0)).any()
        assert {
            orbit_pass.code_of(*divmod(number, 20_000)): tuple(counted[number].tolist())
            for number in np.flatnonzero(counted.any(axis=1)).tolist()
        } == {code: (len(owners), count) for code, (owners, count) in wanted.items()}


@given(listed(), st.data())
def test_pieces_are_as_good_as_columns_in_one(games: list[hit_model.GameHits], data: st.DataObject) -> None:
    whole = found.of_hits(games)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    pieces = found.Pieces()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(found, "SMALL", data.draw(st.sampled_from((0, 3, 1 << 14))))
        for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
            pieces.add(whole.part(begin, end), ascending=True)
    assert len(pieces) == len(whole)
    assert [pieces.hit(number) for number in range(len(whole))] == whole.hits.tolist()
    begin, end = sorted(data.draw(st.tuples(st.integers(0, len(whole)), st.integers(0, len(whole)))))
    _same(pieces.part(begin, end), whole.part(begin, end))
    mask = np.array([data.draw(st.booleans()) for _ in range(len(whole))], np.bool_)
    assert pieces.hits(np.flatnonzero(mask)).tolist() == whole.hits[mask].tolist()
    if pieces.ascending:
        for game in {0, *(one.game for one in games)}:
            numbers = np.flatnonzero(whole.games == game).tolist()
            low, high = pieces.stretch(game)
            assert list(range(low, high)) == numbers
    _same(pieces.whole(), whole)
    assert pieces.ascending == bool(np.all(whole.hits[1:] > whole.hits[:-1]))
    assert len(pieces) == len(whole)
    pieces.clear()
    assert len(pieces) == 0
    assert len(pieces.whole()) == len(pieces.part(0, 1)) == 0
    pieces.add(whole, ascending=True)
    _same(pieces.part(begin, end), whole.part(begin, end))


def _same(one: found.Columns, other: found.Columns) -> None:
    assert one.hits.tolist() == other.hits.tolist()
    assert one.ends.tolist() == other.ends.tolist()
    assert one.codes.tolist() == other.codes.tolist()


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), max_size=20), st.sampled_from((1, 3, 1 << 20))
)
def test_large_arrays_are_gone_through_in_parts(pairs: list[tuple[int, int]], part: int) -> None:
    values = np.array([value for value, _ in pairs], np.int32)
    counts = np.array([count for _, count in pairs], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "_REPEATED", part)
        patch.setattr(found, "BLOCK", part)
        repeated = arrays.repeated(values, counts)
        tallied = found.tallied(counts, 3)
    assert repeated.dtype == values.dtype
    assert repeated.tolist() == np.repeat(values, counts).tolist()
    assert tallied.tolist() == np.bincount(counts, minlength=3).tolist()


def test_a_value_that_is_repeated_often_is_no_reason_for_a_long_call(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = []
    plain = np.repeat

    def repeat(values: found.Integers, counts: found.Integers) -> found.Integers:
        made = plain(values, counts)
        longest.append(len(made))
        return made

    monkeypatch.setattr(arrays, "_REPEATED", 100)
    monkeypatch.setattr(np, "repeat", repeat)
    repeated = arrays.repeated(np.arange(1000), np.full(1000, 60))
    assert repeated.tolist() == plain(np.arange(1000), 60).tolist()
    assert max(longest) <= 100


@given(listed(), st.randoms(use_true_random=False))
def test_games_in_another_order_keep_their_hits(games: list[hit_model.GameHits], random: Random) -> None:
    whole = found.FoundGames(found.of_hits(games), {})
    order = [game.game for game in games]
    assert whole.in_order(tuple(order)) is whole
    random.shuffle(order)
    arranged = whole.in_order(tuple(order))
    assert list(arranged) == order
    assert dict(arranged) == dict(whole)
    assert arranged.measured == (len(order), order == sorted(order))


@given(listed(), st.data())
def test_columns_of_some_games_are_those_of_their_hits(
    games: list[hit_model.GameHits], data: st.DataObject
) -> None:
    whole = found.FoundGames(found.of_hits(games), {})
    order = [game.game for game in games]
    begin = data.draw(st.integers(0, len(order)))
    chosen = data.draw(st.one_of(st.permutations(order), st.just(order)))[begin:]
    taken = found.FoundGames(whole.columns_of(np.array(chosen, np.int64)), {})
    assert {game: taken[game] for game in chosen} == {game: whole[game] for game in chosen}
    assert list(taken) == chosen


def test_numbers_of_many_games_are_those_of_each_game() -> None:
    untold = found.GameDefaults(
        valued=False, writes=False, match_string="", header_comment=True, firsts=(1, 31, 31, 40)
    )
    games = [1, 2, 30, 31, 39, 40, 77]
    assert untold.numbers(np.array(games, np.int64)) == [untold.number(game) for game in games]


@pytest.mark.parametrize(
    ("places", "closing", "expected"),
    [
        ([[0, 3], [2]], [(), ()], False),
        ([[0, 3], [2]], [(0,), (0,)], True),
        ([[1, 3], [2]], [(0,), (0,)], False),
        ([[1, 3], [2]], [(), (2,)], True),
        ([[1, 5, 9], [2]], [(5,), ()], True),
        ([[1, 5, 9], [2]], [(4, 8), (3,)], False),
    ],
)
def test_a_query_says_something_at_a_hit_if_a_late_comment_stands_there(
    places: list[list[int]], closing: list[tuple[int, ...]], expected: bool
) -> None:
    hits = [game << found.GAME_SHIFT | place for game, own in enumerate(places, 7) for place in own]
    table = [hit_notes.GameEnd((), tuple((place, "x") for place in own)) for own in closing]
    numbers = np.repeat(np.arange(len(places), dtype=np.int32), [len(own) for own in places])
    blank = found.HitDetails.none(None, len(hits), 0)
    details = data_tools.replace(
        blank,
        notes=hit_notes.HitNotes.none(len(hits)),
        game_ends=hit_notes.GameEnds(numbers, table),
    )
    columns = found.Columns(np.array(hits, np.int64), found.no_ends(len(hits)), found.NOTHING.codes, details)
    assert columns.says() is expected
    reordered = columns.take(np.argsort(-(columns.games), kind="stable"))
    assert reordered.says() is expected


def test_what_is_known_of_parts_is_known_of_the_whole() -> None:
    parts = [found.FoundGames.of([hit_model.GameHits(game, ())]) for game in (1, 2)]
    for part in parts:
        part.prepare()
    assert found.FoundGames.merged(parts)._says is False
    assert list(found.FoundGames.grouped(parts[:1])) == parts[:1]
    assert next(found.FoundGames.grouped(parts[:1])) is parts[0]
