"""What is told of a search before it begins is about what it then has to do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cqlgui.base import errors, progress
from cqlgui.engine import compiling
from cqlgui.jit import native
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import foresight, searching, sieving
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    return importing.open_base([SAMPLE]).base


def foreseen(base: base_model.Base, text: str, within: Integers | None = None) -> foresight.Foresight | None:
    return foresight.foresee(sieving.plan(queries.expanded(text)), base.sources, within, threads=1)


def work(base: base_model.Base, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """Games and positions that a search looks at, and the hits it finds."""
    done = [0, 0]
    scan = compiling.Compiled.scan

    def counted(self: compiling.Compiled, *arguments: Any, **options: Any) -> Iterator[Any]:
        for found in scan(self, *arguments, **options):
            done[0] += found.games
            done[1] += found.visited
            yield found

    with monkeypatch.context() as patched:
        patched.setattr(compiling.Compiled, "scan", counted)
        result = searching.search(base, text, search_model.SearchOptions(details=search_model.Details.NONE))
    return *done, result.positions  # type: ignore[return-value]  # two and one


@pytest.mark.parametrize(
    "text", ["true", "mate", "Nf5 kg8", "flipcolor flipvertical {Nf5 kg8}", "shift {Kb1 kb3}", "result 1-0"]
)
def test_the_work_is_about_what_was_foreseen(
    base: base_model.Base, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = foreseen(base, text)
    assert told is not None
    for what, truth in zip(
        (told.games, told.positions, told.hits), work(base, text, monkeypatch), strict=True
    ):
        assert truth / 3 - 10 <= what <= 3 * truth + 10


def test_what_takes_longer_than_it_may_is_not_admitted() -> None:
    foresight.admit(foresight.Foresight(1, 80, 2, 0.4), 0.5)
    with pytest.raises(foresight.TooLong):
        foresight.admit(foresight.Foresight(1, 80, 2, 0.6), 0.5)
    with pytest.raises(foresight.TooLong):
        foresight.admit(None, 0.5)


def test_only_the_games_that_are_searched_count(base: base_model.Base) -> None:
    told = foreseen(base, "true", np.arange(1, 21))
    assert told is not None
    assert told.games == 20
    assert foreseen(base, "true", np.zeros(0, np.int64)) == foresight.Foresight(0, 0, 0, 0.0)


@pytest.mark.parametrize("text", ["persistent x += 1", "sort ply", 'message "seen"'])
def test_nothing_is_told_where_more_than_hits_is_needed(base: base_model.Base, text: str) -> None:
    assert foreseen(base, text) is None


def test_a_search_that_may_take_too_long_does_not_begin(base: base_model.Base) -> None:
    found: list[object] = []
    with pytest.raises(foresight.TooLong):
        searching.search(base, "true", on_hits=found.append, most_seconds=0.0)
    with pytest.raises(foresight.TooLong):
        searching.search(base, "persistent x += 1", on_hits=found.append, most_seconds=3600.0)
    assert not found
    assert searching.search(base, "mate", most_seconds=3600.0).games


def test_chosen_games_count_wherever_they_stand(tmp_path: Path) -> None:
    copies = [tmp_path / f"{number}.pgn" for number in range(7)]
    for path in copies:
        path.write_bytes(SAMPLE.read_bytes())
    several = importing.open_base(copies).base
    games = several.games // len(copies)
    # In the second of seven files, which stands between two of the three places that are looked at.
    told = foreseen(several, "true", np.arange(games + 11, games + 31))
    assert told is not None
    assert told.games == 20
    assert told.seconds > 0


def test_a_sample_is_searched_in_large_slices(base: base_model.Base, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    scan = compiling.Compiled.scan

    def noted(self: compiling.Compiled, part: Any, numbers: Integers, **options: Any) -> Iterator[Any]:
        asked.append((len(numbers), options["slice_size"]))
        return scan(self, part, numbers, **options)

    monkeypatch.setattr(compiling.Compiled, "scan", noted)
    told = foreseen(base, "flipcolor {Nf5 kg8}")
    assert told is not None
    # A slice costs as much as some games, so the rate of one game after the other tells nothing.
    assert all(size >= games for games, size in asked)
    assert max(games for games, _ in asked) >= 16


SLOW = "x = 0 while (x < 2000000) {x += 1} x < 0"


def test_looking_ahead_ends_soon_where_single_games_take_long(base: base_model.Base) -> None:
    token = progress.CancelToken()
    threading.Timer(0.05, token.cancel).start()
    begun = time.thread_time()
    with pytest.raises(errors.Cancelled):
        foresight.foresee(sieving.plan(queries.expanded(SLOW)), base.sources, None, threads=1, cancel=token)
    # 33 games took more than six seconds.
    assert time.thread_time() - begun < 3


def test_what_takes_long_by_chance_is_looked_at_again(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    scan = compiling.Compiled.scan

    def slow_once(self: compiling.Compiled, part: Any, numbers: Integers, **options: Any) -> Iterator[Any]:
        calls.append(len(numbers))
        if len(calls) == 2:
            until = time.thread_time() + 0.01
            while time.thread_time() < until:
                pass
        return scan(self, part, numbers, **options)

    monkeypatch.setattr(compiling.Compiled, "scan", slow_once)
    told = foreseen(base, "flipcolor {Nf5 kg8}")
    assert told is not None
    assert calls[:4] == [1, 1, 1, 4]
    assert told.seconds < 0.3


def test_making_the_code_with_care_is_not_what_a_game_costs(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = sieving.plan(queries.expanded("flipcolor {Nc5 kg8}"))
    assert chosen.compiled is not None
    compiled = chosen.compiled
    calls: list[int] = []
    scan = compiling.Compiled.scan

    def made_within(self: compiling.Compiled, part: Any, numbers: Integers, **options: Any) -> Iterator[Any]:
        calls.append(len(numbers))
        if len(calls) == 2:
            compiled.tiers.improve()
        return scan(self, part, numbers, **options)

    monkeypatch.setattr(compiling.Compiled, "scan", made_within)
    assert foresight.foresee(chosen, base.sources, None, threads=1) is not None
    assert calls[:3] == [1, 1, 1]
