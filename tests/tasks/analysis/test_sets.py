"""Sets are kept within bounds, and comparisons find what plain sets of games and positions tell."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from cqlgui.base import data
from cqlgui.tasks.analysis import sets
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import hit_details, narrowing, searching
from tests import helpers


def listed(first: int, last: int) -> list[str]:
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text("utf-8")
    return ["[Event " + one.strip() for one in ("\n\n" + text).split("\n\n[Event ")[1:]][first:last]


def opened(path: Path, chosen: list[str]) -> base_model.Base:
    path.write_text("\n\n".join(chosen) + "\n", "utf-8")
    return importing.open_base([path]).base


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.pgn"


def named(
    base: base_model.Base, query: str, options: search_model.SearchOptions | None = None
) -> sets.NamedSet:
    result = searching.search(base, query, options or search_model.SearchOptions())
    return sets.NamedSet(query, base, result, 0.0, sets.fingerprints(base))


def by_game(base: base_model.Base, result: search_model.SearchResult) -> dict[str, frozenset[int]]:
    """The positions of the hits of each game. A game is named by its text."""
    return {
        games.load(base, game).raw.decode("utf-8").strip(): frozenset(
            hit.positionid for hit in result.games[game].hits
        )
        for game in result.order
    }


def check(before: sets.NamedSet, after: sets.NamedSet, former: dict[str, frozenset[int]]) -> sets.Changes:
    """The changes are those that plain sets give. `former` has the earlier hits, found before the file
    changed."""
    base = after.base
    found = sets.compare(before, after)
    now = by_game(base, after.result)
    there = {games.load(base, game).raw.decode("utf-8").strip() for game in range(1, base.games + 1)}
    assert by_game(base, found.added) == {game: now[game] for game in now.keys() - former.keys()}
    assert by_game(base, found.lost) == {game: former[game] for game in (former.keys() - now.keys()) & there}
    assert by_game(base, found.moved) == {
        game: now[game] for game in now.keys() & former.keys() if now[game] != former[game]
    }
    assert found.gone == len(former.keys() - there)
    hits, earlier = (
        {(game, place) for game, places in one.items() for place in places} for one in (now, former)
    )
    assert (found.hits_added, found.hits_lost) == (len(hits - earlier), len(earlier - hits))
    return found


@pytest.mark.parametrize("details", [search_model.Details.NONE, search_model.Details.ALL])
def test_two_versions_of_a_query_are_compared(path: Path, details: search_model.Details) -> None:
    base = opened(path, listed(0, 60))
    options = search_model.SearchOptions(details=details)
    one, other = (
        named(base, query, options) for query in ("flipcolor {btm check not Qh5}", "flip {check Qh5 or mate}")
    )
    for before, after in ((one, other), (other, one), (one, one)):
        found = check(before, after, by_game(base, before.result))
        assert bool(found) == (before is not after)
    wide = named(base, "check", options)
    found = check(other, wide, by_game(base, other.result))
    assert found.added.order
    assert found.moved.order
    assert not found.lost.order


def test_a_file_that_grew_in_the_middle_has_the_same_games(path: Path) -> None:
    before_base = opened(path, listed(0, 30))
    before = named(before_base, "check")
    former = by_game(before_base, before.result)
    base = opened(path, [*listed(30, 40), *listed(0, 30)])
    assert base.games == 40
    found = check(before, named(base, "check"), former)
    assert found.added.order
    assert not found.lost.order
    assert not found.gone
    narrower = check(before, named(base, "mate"), former)
    assert narrower.lost.order
    # The lost hits have their details in the base as it is now.
    told = {one.game: one for one in hit_details.tell(base, narrower.lost, narrower.lost.order)}
    for game in narrower.lost.order:
        assert [hit.positionid for hit in told[game].hits] == [
            hit.positionid for hit in narrower.lost.games[game].hits
        ]
        assert {hit.game for hit in told[game].hits} == {game}


def test_games_that_left_the_base_are_counted(path: Path) -> None:
    before_base = opened(path, listed(0, 30))
    before = named(before_base, "check")
    former = by_game(before_base, before.result)
    base = opened(path, [*listed(0, 7), *listed(15, 30)])
    found = check(before, named(base, "check"), former)
    assert found.gone
    assert not found.added.order
    assert not found.moved.order


def test_games_that_say_the_same_are_taken_in_their_order(path: Path) -> None:
    head = '[White "A"]\n[Black "B"]\n\n'
    base = opened(path, [head + "1. e4 e5 *", head + "1. d4 d5 *", head + "1. c4 c5 *"])
    before = named(base, "ply == 1")
    base = opened(path, [head + "1. e4 e5 *", head + "1. d4 d5 *", head + "1. c4 c5 *", head + "1. b4 b5 *"])
    found = sets.compare(before, named(base, "ply == 1"))
    assert found.added.order == (4,)
    assert not found.lost.order
    assert not found.moved.order


def test_the_same_file_in_another_base_has_the_same_games(tmp_path: Path) -> None:
    one, other = tmp_path / "one.pgn", tmp_path / "other.pgn"
    alone = opened(one, listed(0, 12))
    before = data.replace(named(alone, "check"), prints=None)
    other.write_text("\n\n".join(listed(20, 30)), "utf-8")
    both = importing.open_base([other, one]).base
    found = check(before, named(both, "check"), by_game(alone, before.result))
    assert min(found.added.order) == 1
    assert max(found.added.order) == 10


def test_games_without_a_hit_are_compared_too(path: Path) -> None:
    base = opened(path, listed(0, 9))
    queries = [f"cql(matchcount 0 0 gamenumber 1 {last}) ply < 0" for last in (3, 5)]
    few, more = (named(base, query) for query in queries)
    assert sets.compare(few, more).added.order == (4, 5)
    assert sets.compare(more, few).lost.order == (4, 5)


def test_runs_that_cannot_differ_are_known(path: Path) -> None:
    base = opened(path, listed(0, 9))
    one, other = named(base, "check"), named(base, "check")
    assert sets.asked_alike(one, other)
    for options in (
        search_model.SearchOptions(variations=True),
        search_model.SearchOptions(within=narrowing.in_games(one.result)),
    ):
        assert not sets.asked_alike(one, named(base, "check", options))
    within = search_model.SearchOptions(within=narrowing.in_games(one.result))
    assert sets.asked_alike(named(base, "check", within), named(base, "check", within))
    copy = path.with_name("copy.pgn")
    shutil.copyfile(path, copy)
    # A copy has the same text, so it has the same games.
    assert sets.asked_alike(one, named(importing.open_base([copy]).base, "check"))
    assert not sets.comparable(one, importing.open_base([copy]).base)
    assert sets.comparable(one, base)
    assert not sets.asked_alike(one, named(opened(path, listed(0, 8)), "check"))


def test_a_shelf_keeps_renames_and_drops(path: Path) -> None:
    base = opened(path, listed(0, 9))
    one, other = (named(base, query) for query in ("check", "initial"))
    shelf = sets.Shelf().keeping(one).keeping(other)
    assert names(shelf) == ["check", "initial"]
    assert [kept.name for kept in shelf.renaming(other, "check").sets] == ["check", "check (2)"]
    assert [kept.name for kept in shelf.renaming(other, "mate").sets] == ["check", "mate"]
    assert names(shelf.dropping(one)) == ["initial"]
    assert names(shelf) == ["check", "initial"]


def test_dropped_sets_come_back_to_their_places(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = opened(path, listed(0, 9))
    queries = ("check", "initial", "ply == 1", "ply == 2")
    shelf = sets.Shelf()
    for query in queries:
        shelf = shelf.keeping(data.replace(named(base, query), prints=None))
    assert shelf.restoring() is shelf
    for place in (1, 0, 1):
        shelf = shelf.dropping(shelf.sets[place])
    assert names(shelf) == ["ply == 1"]
    prints = sets.fingerprints(base)
    shelf = shelf.with_prints(base, prints).restoring()
    assert names(shelf) == ["ply == 1", "ply == 2"]
    assert shelf.sets[1].prints is prints
    # Another set took the name meanwhile.
    shelf = shelf.keeping(data.replace(named(base, "ply == 3"), name="check")).restoring()
    assert names(shelf) == ["check (2)", "ply == 1", "ply == 2", "check"]
    shelf = shelf.restoring()
    assert names(shelf) == ["check (2)", "initial", "ply == 1", "ply == 2", "check"]
    # The hits of dropped sets do not fill the memory.
    monkeypatch.setattr(sets, "MOST_RUN_HITS", 1)
    shelf = shelf.dropping(shelf.sets[2])
    shelf = shelf.dropping(shelf.sets[2])
    assert names(shelf.restoring().restoring()) == ["check (2)", "initial", "ply == 2", "check"]


def names(shelf: sets.Shelf) -> list[str]:
    return [kept.name for kept in shelf.sets]


def test_a_set_takes_the_place_only_of_the_same_hits(path: Path) -> None:
    base = opened(path, listed(0, 9))
    one, other = named(base, "check"), data.replace(named(base, "ply == 1"), name="check")
    fewer = narrowing.of_games(one.result, narrowing.in_games(one.result)[1:])
    part = data.replace(one, result=fewer, key="part")
    shelf = sets.Shelf().keeping(data.replace(one, whole=True)).keeping(other)
    assert names(shelf) == ["check", "check (2)"]
    # The hits of a part are other hits.
    shelf = shelf.keeping(part)
    assert names(shelf) == ["check", "check (2)", "check (3)"]
    # What is kept again is the newest set, and is still known to be all that the query found.
    again = shelf.keeping(data.replace(named(base, "check  "), name="check"))
    assert names(again) == ["check (2)", "check (3)", "check"]
    assert [kept.whole for kept in again.sets] == [False, False, True]
    assert names(again.keeping(data.replace(other, key="other"))) == ["check (3)", "check", "check (2)"]
    # A set whose hits are missing is the same if it has as many hits.
    lost = data.replace(one, result=data.replace(other.result, query="check"), lost="gone", counts=(9, 1))
    assert names(sets.Shelf((lost,)).keeping(one)) == ["check", "check (2)"]
    lost = data.replace(lost, counts=(one.games, one.positions))
    assert [kept.lost for kept in sets.Shelf((lost,)).keeping(one).sets] == [""]
    # The games have changed since, so the earlier hits are found nowhere else.
    later = opened(path, listed(0, 12))
    assert names(sets.Shelf((one,)).keeping(named(later, "check"))) == ["check", "check (2)"]


def test_no_set_goes_to_make_room_for_another(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = opened(path, listed(0, 9))
    one, other, last = (named(base, query) for query in ("check", "initial", "ply == 1"))
    shelf = sets.Shelf().keeping(one).keeping(other)
    shelf.check_room(last)
    with monkeypatch.context() as patched:
        patched.setattr(sets, "MOST_SETS", 2)
        with pytest.raises(sets.FullError, match=r"^2 sets are kept, .* Drop one first \(Delete\)\.$"):
            shelf.check_room(last)
        # A set that takes the place of another one needs no room.
        shelf.check_room(data.replace(one, key="again"))
        shelf.dropping(one).check_room(last)
    monkeypatch.setattr(sets, "MOST_HITS", one.positions + other.positions)
    shelf.check_room(data.replace(one, key="again"))
    with pytest.raises(sets.FullError, match="they would have more than"):
        shelf.check_room(last)
    # The first set may be as large as it is.
    monkeypatch.setattr(sets, "MOST_HITS", 1)
    sets.Shelf().check_room(one)


def test_the_last_run_of_a_query_is_found_whatever_its_white_space(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = opened(path, listed(0, 9))
    one, other = named(base, "check   mate"), named(base, "check\nmate ")
    shelf = sets.Shelf().running(one)
    assert shelf.last_run(" check mate") is one
    assert shelf.running(other).last_run("check mate") is other
    assert shelf.last_run("checkmate") is None
    with monkeypatch.context() as patched:
        patched.setattr(sets, "MOST_RUNS", 1)
        assert shelf.running(named(base, "mate")).last_run("check mate") is None
    assert shelf.running(named(base, "check")).last_run("check mate") is one
    monkeypatch.setattr(sets, "MOST_RUN_HITS", 1)
    last = named(base, "check")
    assert shelf.running(last).last_run("check mate") is None
    assert shelf.running(last).last_run("check") is last
    bare = data.replace(one, prints=None)
    prints = sets.fingerprints(base)
    told = sets.Shelf().running(bare).keeping(bare).with_prints(base, prints)
    run = told.last_run("check mate")
    assert run is not None
    assert run.prints is told.sets[0].prints is prints


def test_a_game_with_other_moves_is_the_same_game_and_its_hits_count_no_more(path: Path) -> None:
    head = '[White "A"]\n[Black "B"]\n[Event "{}"]\n\n'
    others = [head.format(n) + "1. e4 e5 *\n" for n in (1, 2)]

    def written(moves: str) -> sets.NamedSet:
        path.write_text("\n".join([others[0], head.format("own") + moves + " *\n", others[1]]), "utf-8")
        return named(importing.open_base([path]).base, "Q attacks k")

    before = written("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#")
    # As many plies as before, and more.
    for moves in (
        "1. e4 e5 2. Qh5 Nc6 3. Qxf7+ Kxf7 4. Bc4+",
        "1. a3 a6 2. a4 a5 3. e4 e5 4. Qh5 Nc6 5. Qxf7+",
    ):
        after = written(moves)
        found = sets.compare(before, after)
        assert (found.added.order, found.lost.order, found.moved.order, found.gone) == ((), (), (2,), 0)
        with pytest.raises(sets.OlderStateError):
            sets.in_base(before, after.base)
    last = after
    # Without a hit now, the earlier hits cannot be shown.
    after = written("1. e4 e5 2. d4 exd4")
    found = sets.compare(last, after)
    assert (found.lost.order, found.moved.order, found.gone, found.altered, found.hits_lost) == (
        (),
        (),
        0,
        1,
        1,
    )
    assert found
    # Of a set that was kept for a later start, only the games with hits are known. Another one may have had
    # the same tags.
    assert last.prints is not None
    kept = data.replace(last, prints=np.where(np.arange(len(last.prints)) == 2, last.prints, np.uint64(0)))
    found = sets.compare(kept, after)
    assert (found.lost.order, found.gone, found.altered) == ((), 1, 0)
    after = written("1. a3 a6 2. a4 a5 3. e4 e5 4. Qh5 Nc6 5. Qxf7+")
    # The same moves again: the hits count, although the file has another text.
    path.write_text(path.read_text("utf-8") + "\n" + head.format(3) + "1. d4 *\n", "utf-8")
    later = importing.open_base([path]).base
    assert sets.in_base(after, later).order == (2,)


def test_hits_of_games_with_other_ratings_or_longer_comments_count_no_more(path: Path) -> None:
    text = '[White "A"]\n[WhiteElo "{}"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# {} *\n'
    path.write_text(text.format(2600, "{one}"), "utf-8")
    before = named(importing.open_base([path]).base, "elo white > 2500 mate")
    assert before.result.order == (1,)
    for elo, comment in ((1600, "{one}"), (2600, "{other}")):
        path.write_text(text.format(elo, comment), "utf-8")
        with pytest.raises(sets.OlderStateError):
            sets.in_base(before, importing.open_base([path]).base)
