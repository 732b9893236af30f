"""Searches that stop: a variable without a value, and games that fail in a row for the same reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cqlgui.base import data
from cqlgui.cli.searching import answers, saying
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching

MATE = '[White "A{n}"]\n[Result "1-0"]\n\n1. f4 e5 2. g4 Qh4# 0-1\n\n'
QUIET = '[White "B{n}"]\n[Result "*"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n'
COMPILED = search_model.SearchOptions()
UNPRUNED = search_model.SearchOptions(pruned=False)
INTERPRETED = search_model.SearchOptions(compiled=False)
SEQUENTIAL = "dictionary D D[gamenumber]=1 "
FAILING = "{x=9 up x a1}"
"""Directions go no farther than seven squares."""


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    """Two files, together sixty games. Every third ends in mate."""
    texts = [(MATE if n % 3 == 0 else QUIET).format(n=n) for n in range(1, 61)]
    paths = [tmp_path / "a.pgn", tmp_path / "b.pgn"]
    paths[0].write_text("".join(texts[:25]))
    paths[1].write_text("".join(texts[25:]))
    return importing.open_base(paths).base


@pytest.mark.parametrize("before", ["", SEQUENTIAL])
@pytest.mark.parametrize("options", [COMPILED, INTERPRETED])
@pytest.mark.parametrize("game", [1, 13, 40])
def test_a_variable_without_a_value_stops_at_the_first_game_that_meets_it(
    base: base_model.Base, game: int, options: search_model.SearchOptions, before: str
) -> None:
    name = f'player white "{"AB"[game % 3 != 0]}{game}"'
    text = f"{before}x=1 if ({name} or gamenumber==35) unbind x x==1 mate"
    seen: list[int] = []
    result = searching.search(base, text, options, on_hits=seen.extend)
    stop = result.stopped
    assert stop is not None
    number = game if game <= 25 else game - 25
    assert (stop.game, stop.reason) == (
        game,
        f"The variable x has no value yet (game {number}, position 0)",
    )
    assert text[stop.offset : stop.offset + stop.length] == "x"
    assert list(result.order) == seen == list(range(3, game, 3))
    assert (result.failed_games, result.cancelled, result.hopeless) == ((), False, True)
    assert result.games_searched == game - 1


@pytest.mark.parametrize("before", ["", SEQUENTIAL])
@pytest.mark.parametrize("options", [COMPILED, UNPRUNED, INTERPRETED])
def test_a_stopped_search_counts_only_games_that_it_was_given(
    base: base_model.Base, options: search_model.SearchOptions, before: str
) -> None:
    text = f"{before}x=1 if gamenumber == 15 unbind x x==1 mate"
    within = np.array([3, 5, 30, 36, 40, 41, 50])
    result = searching.search(base, text, data.replace(options, within=within))
    assert result.stopped is not None
    # The fifteenth game of the second file.
    assert (result.stopped.game, result.games_searched) == (40, 4)


@pytest.mark.parametrize("before", ["", SEQUENTIAL])
@pytest.mark.parametrize("options", [COMPILED, INTERPRETED])
def test_games_that_fail_in_a_row_stop_the_search(
    base: base_model.Base, options: search_model.SearchOptions, before: str
) -> None:
    # Of the first file the games behind the ninth fail, of the second all.
    text = f'{before}if (gamenumber > 9 or player white "B26") {FAILING} if gamenumber < 10 mate else true'
    seen: list[int] = []
    result = searching.search(base, text, options, on_hits=seen.extend)
    assert list(result.order) == seen
    assert seen[:3] == [3, 6, 9]
    stop = result.stopped
    # The mates at the beginning of the second file come between.
    assert stop is not None
    assert "20 games in a row failed for the same reason: The range 9 9 of a direction" in stop.reason
    assert (stop.game, seen) == (54, [3, 6, 9, 27, 30, 33])
    assert [bad.game for bad in result.failed_games] == [*range(10, 27), *range(35, 55)]
    # The game where the search stopped is one of those that failed.
    assert (result.hopeless, result.games_searched) == (True, 54)


@pytest.mark.parametrize(("last", "found"), [("mate", 20), ("ply==99", 0)])
@pytest.mark.parametrize("options", [COMPILED, UNPRUNED, INTERPRETED])
def test_games_that_fail_now_and_then_stop_nothing(
    base: base_model.Base, options: search_model.SearchOptions, last: str, found: int
) -> None:
    text = f'if player white "B" {FAILING} {last}'
    result = searching.search(base, text, options)
    assert list(result.order) == list(range(3, 61, 3))[:found]
    assert len(result.failed_games) == 40
    assert (result.stopped, result.hopeless) == (None, False)
    # Games that are not asked for come between no games.
    asked = np.array([game for game in range(1, 61) if game % 3])
    result = searching.search(base, text, data.replace(options, within=asked))
    assert result.stopped is not None
    assert (result.stopped.game, len(result.failed_games), result.games_searched) == (29, 20, 20)


def test_a_query_that_fails_in_every_game_is_hopeless_however_few_there_are(tmp_path: Path) -> None:
    path = tmp_path / "c.pgn"
    path.write_text(QUIET.format(n=1) * 3)
    base = importing.open_base([path]).base
    result = searching.search(base, FAILING)
    assert (len(result.failed_games), result.stopped, result.hopeless) == (3, None, True)
    assert not searching.search(base, "mate").hopeless


def test_a_limit_that_is_reached_before_the_fault_ends_the_search_first(base: base_model.Base) -> None:
    text = "x=1 if gamenumber == 13 unbind x x==1 mate"
    result = searching.search(base, text, search_model.SearchOptions(limit=4))
    assert (list(result.order), result.stopped) == ([3, 6, 9, 12], None)


def test_the_answer_as_json_keeps_what_was_found_and_says_why_it_ends(base: base_model.Base) -> None:
    text = "x=1 if gamenumber == 13 unbind x x==1 mate"
    found = answers.answer(base, searching.search(base, text), values=False)
    assert found["games"] == [3, 6, 9, 12]
    assert found["stopped"] == {
        "game": 13,
        "message": "The variable x has no value yet (game 13, position 0)",
        "offset": text.index("x=="),
        "length": 1,
    }


COMMENTED = '[White "C{n}"]\n[Result "*"]\n\n1. e4 {{good}} e5 *\n\n'


@pytest.mark.parametrize("changed", [0, 1, 2])
@pytest.mark.parametrize(
    "text",
    ['originalcomment "good"', SEQUENTIAL + 'originalcomment "good"', 'sort "n" -ply originalcomment "good"'],
)
def test_a_file_that_has_changed_costs_its_own_games_alone(tmp_path: Path, changed: int, text: str) -> None:
    paths = [tmp_path / name for name in ("a.pgn", "b.pgn", "c.pgn")]
    for path in paths:
        path.write_text("".join(COMMENTED.format(n=n) for n in range(1, 41)))
    base = importing.open_base(paths).base
    paths[changed].write_text(paths[changed].read_text().replace("good", "evil"))
    seen: list[int] = []
    result = searching.search(base, text, on_hits=seen.extend)
    lost = range(changed * 40 + 1, changed * 40 + 41)
    assert sorted(result.order) == seen == [game for game in range(1, 121) if game not in lost]
    assert [bad.game for bad in result.failed_games] == list(lost)
    name = paths[changed].name
    assert {(bad.source, bad.reason) for bad in result.failed_games} == {
        (paths[changed], f"{name} has changed since it was read. Open it again.")
    }
    assert [bad.line for bad in result.failed_games] == list(range(1, 200, 5))
    assert (result.stopped, result.hopeless, result.games_searched) == (None, False, 120)


def test_a_changed_file_is_given_up_after_twenty_games_in_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / "a.pgn", tmp_path / "b.pgn"]
    paths[0].write_text("".join(COMMENTED.format(n=n) for n in range(60)))
    paths[1].write_text(COMMENTED.format(n=1) * 20)
    base = importing.open_base(paths).base
    paths[0].write_text(paths[0].read_text().replace("good", "evil"))
    # Only the text of games 11 to 44 of a file is read. What faster workers found in games after the
    # twentieth of these games does not count.
    text = '{gamenumber < 11 or gamenumber > 44 or originalcomment "good"} initial'
    for before in ("", SEQUENTIAL):
        result = searching.search(base, before + text)
        assert list(result.order) == [*range(1, 11), *range(61, 71)]
        assert [bad.game for bad in result.failed_games] == list(range(11, 61))
        assert (result.stopped, result.games_searched) == (None, 80)
        limited = searching.search(base, before + text, search_model.SearchOptions(limit=12))
        assert list(limited.order) == [*range(1, 11), 61, 62]
        assert limited.failed_games == result.failed_games
        # The other workers were at later games when the third game was found.
        limited = searching.search(base, before + text, search_model.SearchOptions(limit=3))
        assert (list(limited.order), limited.failed_games) == ([1, 2, 3], ())
    saying.failures(result)
    said = capsys.readouterr().err
    assert f"{paths[0]}:51: 50 games from game 11 to game 60 were left out: a.pgn has changed" in said


@pytest.mark.parametrize("names", [("one.pgn", "two.pgn"), ("g-1.pgn", "g-2.pgn"), ("p/g.pgn", "q/g.pgn")])
def test_each_changed_file_has_its_own_twenty_games(tmp_path: Path, names: tuple[str, str]) -> None:
    paths = [tmp_path / name for name in names]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(COMMENTED.format(n=1) * 30)
    base = importing.open_base(paths).base
    for path in paths:
        path.write_text(path.read_text().replace("good", "evil"))
    # Games 6 to 11 of a file do not need their text.
    text = '{{gamenumber > 5 gamenumber < 12} or originalcomment "good"} initial'
    result = searching.search(base, text)
    assert list(result.order) == [*range(6, 12), *range(36, 42)]
