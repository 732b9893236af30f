"""Large results that are freed in steps."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from cqlgui.base import heap
from cqlgui.tasks.results import discarding, found, hit_model


class _Thing:
    """Tells in which thread it went away."""

    def __init__(self, ended: list[int]) -> None:
        weakref.finalize(self, lambda: ended.append(threading.get_ident())).atexit = False


@pytest.fixture(autouse=True)
def _thread() -> Iterator[None]:
    discarding.start()
    yield
    _settle()


def _settle() -> None:
    """Wait until all is freed. From then on, all is freed at once."""
    thread = discarding.stop()
    if thread is not None:
        thread.join(30)
        assert not thread.is_alive()


def _as_list(things: list[Any]) -> Any:
    return things


def _as_dict(things: list[Any]) -> Any:
    return dict(enumerate(things))


def _as_array(things: list[Any]) -> Any:
    return np.array(things, object)


@pytest.mark.parametrize("count", [3, 1000])
@pytest.mark.parametrize("kind", [_as_list, _as_dict, _as_array])
def test_many_things_go_in_a_thread_of_their_own(kind: Callable[[list[Any]], Any], count: int) -> None:
    ended: list[int] = []
    discarding.discard([kind([_Thing(ended) for _ in range(count)])])
    _settle()
    assert len(ended) == count
    assert (set(ended) == {threading.get_ident()}) == (count == 3)
    assert len(set(ended)) == 1


def test_without_the_thread_all_goes_at_once() -> None:
    _settle()
    ended: list[int] = []
    discarding.discard([[_Thing(ended) for _ in range(1000)]])
    assert ended == [threading.get_ident()] * 1000


@pytest.mark.parametrize("kind", [_as_list, _as_dict, _as_array])
def test_what_others_use_stays_whole(kind: Callable[[list[Any]], Any]) -> None:
    held = kind(list(range(1000)))
    discarding.discard([held])
    _settle()
    assert len(held) == 1000
    assert list(held) == list(range(1000))


def test_an_array_stays_whole_while_a_view_of_it_is_used() -> None:
    values = np.arange(4 << 20)
    view = values[5:]
    discarding.discard([values, values[7:]])
    del values
    _settle()
    assert view[0] == 5
    assert view[-1] == (4 << 20) - 1


def test_large_containers_are_freed_in_many_steps() -> None:
    things: list[Any] = [np.arange(4 << 20)[1:]]
    assert sum(1 for _ in discarding._steps(things)) == 1 + 3 + 1
    for kind, length in ((_as_list, 256), (_as_array, 256), (_as_dict, 16)):
        things = [kind(list(range(10 * length)))]
        assert sum(1 for _ in discarding._steps(things)) == 10 + 1


def test_a_thing_that_cannot_be_freed_does_not_stop_the_thread() -> None:
    ended: list[int] = []
    shared = [_Thing(ended) for _ in range(100)]
    discarding.discard(
        [[_Thing(ended) for _ in range(100)], shared, np.broadcast_to(np.int64(3), 1 << 30), ()]
    )
    _settle()
    assert len(ended) == 100


def test_a_fault_does_not_end_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    logged: list[str] = []
    monkeypatch.setattr(discarding._log, "exception", logged.append)
    fixed = np.array([_Thing(ended) for _ in range(100)], object)
    fixed.setflags(write=False)
    containers = [[_Thing(ended) for _ in range(100)], fixed]
    del fixed
    discarding.discard(containers)
    discarding.discard([[_Thing(ended) for _ in range(100)]])
    _settle()
    assert len(ended) == 300
    assert logged == ["A part of a result was not freed in steps."]


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, 1024), (1e9, 0)])
def test_unused_memory_is_given_back_after_some_time_of_freeing(
    seconds: float, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(heap, "give_back", lambda: calls.append(1))
    monkeypatch.setattr(discarding, "_SECONDS", seconds)
    discarding.discard([np.ones(16 << 10) for _ in range(1024)])
    _settle()
    assert len(calls) == expected


def _told(games: int) -> dict[int, hit_model.GameHits]:
    hits = tuple(hit_model.Hit(0, place, None, 0, ()) for place in range(3))
    return {game: hit_model.GameHits(game, hits) for game in range(games)}


def test_the_details_of_a_result_go_in_steps_whoever_has_the_last_reference() -> None:
    result = found.FoundGames.of(_told(2000).values())
    again = found.FoundGames(result.columns, result.told, result.untold)
    told = weakref.ref(result.columns.hits)
    del result
    _settle()
    discarding.start()
    assert len(again.told) == 2000
    assert len(again[1999].hits) == 3
    assert len(again.columns.hits) == 6000
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discarding.priority, "pause", lambda: steps.append(threading.get_ident()))
        del again
        _settle()
    assert len(steps) > 125
    assert threading.get_ident() not in steps
    assert told() is None


def test_pieces_that_are_cleared_leave_the_columns_of_a_result_alone() -> None:
    columns = found.FoundGames.of(_told(60_000).values()).columns
    pieces = found.Pieces()
    for game in range(0, 60_000, 20_000):
        pieces.add(columns.of_games(game, game + 20_000), ascending=True)
    pieces.replace(columns)
    _settle()
    discarding.start()
    pieces.clear()
    _settle()
    assert len(columns) == 180_000
    assert columns.hits[-1] == 59_999 << found.GAME_SHIFT | 2
