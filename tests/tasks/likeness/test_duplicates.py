"""Duplicates are found whatever the spelling of names, and only where the headers allow it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np
import pytest

from cqlgui.base import errors, progress
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.likeness import duplicates
from cqlgui.tasks.results import base_model

Game = tuple[dict[str, str], list[str]]
KNIGHTS = ["Nf3", "Nf6", "Ng1", "Ng8"]


def played(plies: int, seed: int = 0) -> list[str]:
    """A random legal game in SAN that does not end before `plies`."""
    choice = random.Random(seed)
    while True:
        board, line = chess.Board(), []
        while len(line) < plies and not board.is_game_over():
            move = choice.choice(list(board.legal_moves))
            line.append(board.san(move))
            board.push(move)
        if len(line) == plies:
            return line


def text(tags: dict[str, str], line: Sequence[str]) -> str:
    heads = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    return f"{heads}\n{' '.join(line)} {tags.get('Result', '*')}\n\n"


def opened(tmp_path: Path, listed: Sequence[Game | str]) -> base_model.Base:
    path = tmp_path / "games.pgn"
    path.write_text("".join(one if isinstance(one, str) else text(*one) for one in listed), encoding="utf-8")
    return importing.open_base([path]).base


def decided(base: base_model.Base) -> dict[int, tuple[int, str]]:
    """For each game that is left out the game that is kept, and the reason."""
    return {
        other.game: (group.kept, group.why(other))
        for group in duplicates.find(base).groups
        for other in group.others
    }


def players(white: str = "Short, Nigel", black: str = "Adams, Michael", **more: str) -> dict[str, str]:
    return {"White": white, "Black": black, **more}


@pytest.mark.parametrize(
    "spelt",
    [
        "SHORT, N",
        "Short,Nigel D.",
        "Nigel Short",
        "Short N",
        "N. Short",
        "Short Nigel",
        "GM Short, Nigel (ENG)",
    ],
)
def test_names_may_be_spelt_differently(tmp_path: Path, spelt: str) -> None:
    for plies in (20, 60):
        line = played(plies)
        found = duplicates.find(opened(tmp_path, [(players(), line), (players(spelt), line)]))
        assert len(found.left_out) == 1


@pytest.mark.parametrize(("one", "other"), [("Müller, K", "Mueller, Karsten"), ("Łęcki, A", "Lecki, A")])
def test_accents_do_not_matter(tmp_path: Path, one: str, other: str) -> None:
    line = played(20)
    found = duplicates.find(opened(tmp_path, [(players(one), line), (players(other), line)]))
    assert len(found.left_out) == 1


def test_players_with_other_names_keep_their_games(tmp_path: Path) -> None:
    line = played(60)
    names = ["Polgar, Judit", "Polgar, Susan", "Byrne, D", "Fritz 5", "Fritz 6"]
    assert decided(opened(tmp_path, [(players(name), line) for name in names])) == {}


def test_a_long_game_may_lack_its_names_or_have_them_spelt_a_little_differently(tmp_path: Path) -> None:
    long, short = played(duplicates.LONG), played(duplicates.LONG - 1, 1)
    for name in ("?", "Shorrt, N"):
        listed = [(players(), long), (players(name), long), (players(), short), (players(name), short)]
        assert decided(opened(tmp_path, listed)) == {2: (1, "same moves")}


@pytest.mark.parametrize(
    ("tag", "one", "other", "same"),
    [
        ("Date", "1990.05.01", "1990.??.??", True),
        ("Date", "1990.05.01", "1991.05.01", False),
        ("Date", "1990.05.01", "1990.06.??", False),
        ("Round", "3", "03.2", True),
        ("Round", "3", "?", True),
        ("Round", "3", "4", False),
        ("Result", "1-0", "*", True),
        ("Result", "1-0", "0-1", False),
    ],
)
def test_what_contradicts_keeps_short_games_apart(
    tmp_path: Path, tag: str, one: str, other: str, same: bool
) -> None:
    for plies, always in ((duplicates.LONG, True), (duplicates.LONG - 1, False)):
        line = played(plies)
        base = opened(tmp_path, [(players(**{tag: one}), line), (players(**{tag: other}), line)])
        assert (len(decided(base)) == 1) == (same or always)


def test_very_short_games_need_equal_headers(tmp_path: Path) -> None:
    line = played(duplicates.SHORT - 1)
    listed = [(players(), line), (players(), line), (players("Short, N"), line)]
    assert decided(opened(tmp_path, listed)) == {2: (1, "same moves")}
    longer = played(duplicates.SHORT)
    assert len(decided(opened(tmp_path, [(tags, longer) for tags, _ in listed]))) == 2


ROSTER = {"Event": "E", "Site": "S", "Date": "2000.01.01", "Round": "1", "White": "?", "Black": "?"}


@pytest.mark.parametrize("plies", [1, duplicates.SHORT - 1, duplicates.SHORT, duplicates.LONG - 1])
@pytest.mark.parametrize("more", [{}, {"White": "Short, Nigel"}, {"Black": "N.N."}])
def test_short_games_of_unknown_players_need_equal_headers(
    tmp_path: Path, plies: int, more: dict[str, str]
) -> None:
    line, tags = played(plies), {**ROSTER, **more, "Result": "1-0"}
    others = [{"Event": "F"}, {"Site": "?"}, {"Date": "2000.01.??"}, {"Round": "2"}, {"Result": "*"}]
    listed = [(tags, line), *(({**tags, **other}, line) for other in others), (tags, line)]
    assert decided(opened(tmp_path, listed)) == {7: (1, "same moves")}


@pytest.mark.parametrize("name", ["Event", "Site", "Date", "Round"])
def test_a_header_that_names_nothing_does_not_stand_for_the_players(tmp_path: Path, name: str) -> None:
    for tags, same in ({"Result": "1-0"}, False), ({name: ROSTER[name]}, True):
        assert len(decided(opened(tmp_path, [(tags, played(20)), (tags, played(20))]))) == same
        assert decided(opened(tmp_path, [(tags, []), (tags, [])])) == {}


def test_a_beginning_is_left_out_for_the_longest_game(tmp_path: Path) -> None:
    line = played(60)
    listed = [(players(), line[:plies]) for plies in (30, 50, 60, duplicates.BEGINNING, 19)]
    expected = (3, "beginning of game 3")
    assert decided(opened(tmp_path, listed)) == {1: expected, 2: expected, 4: expected}


@pytest.mark.parametrize("more", [{"White": "?"}, {"White": "Kramnik, V"}, {"Date": "1991.??.??"}])
def test_a_beginning_needs_known_players_and_no_contradiction(tmp_path: Path, more: dict[str, str]) -> None:
    line, tags = played(60), players(Date="1990.??.??")
    assert decided(opened(tmp_path, [(tags, line), ({**tags, **more}, line[:30])])) == {}


def test_copies_of_a_beginning_go_with_it(tmp_path: Path) -> None:
    line = played(60)
    listed = [(players(), line[:45]), (players("Short, N"), line[:45]), (players(), line)]
    assert decided(opened(tmp_path, listed)) == {
        1: (3, "beginning of game 3"),
        2: (3, "beginning of game 3"),
    }


def test_the_fuller_game_is_kept(tmp_path: Path) -> None:
    line = played(60)
    poor, rich = players(), players(Event="Match", Date="1990.01.02")
    told = [line[0], "{A remark.}", *line[1:]]
    branching = [line[0], line[1], "(1... --)", *line[2:]]
    for one, other, why in [
        ((poor, line), (rich, line), "more tags"),
        ((rich, line), (poor, told), "comments"),
        ((rich, line), (poor, branching), "more positions"),
        ((poor, told), (poor, [*told, "{A long remark at the end.}"]), "longer comments"),
        ((poor, line), (poor, line), "first in the base"),
    ]:
        kept = 1 if one == other else 2
        (group,) = duplicates.find(opened(tmp_path, [one, other, one])).groups
        assert (group.kept, group.why_kept, len(group.others)) == (kept, why, 2)


def test_variations_and_spelling_of_moves_do_not_matter(tmp_path: Path) -> None:
    plain = text(players(), ["1.e4", "e5", "2.Nf3", "Nc6", *KNIGHTS * 9])
    other = text(players(), ["e2-e4", "(1. d4 d5 2. c4)", "1... e5", "Ng1f3", "$1", "Nb8-c6", *KNIGHTS * 9])
    assert decided(opened(tmp_path, [plain, other])) == {1: (2, "same moves")}


def test_the_starting_position_counts(tmp_path: Path) -> None:
    fens = [
        "8/8/8/8/8/2k5/4R3/K7 w - - 0 1",
        "8/8/8/8/8/2k5/4R3/K7 w - - 5 40",
        "8/8/8/8/8/2k5/4R3/K7 b - - 0 1",
        "8/8/8/8/8/2k5/3R4/K7 w - - 0 1",
    ]
    moves = [["Re3+"], ["Re3+"], ["Kd3"], ["Rd3+"]]
    listed = [
        ({"White": "Troitzky", "Black": "+", "FEN": fen, "SetUp": "1"}, line)
        for fen, line in zip(fens, moves, strict=True)
    ]
    solved = ({**listed[0][0], "White": "Troitzky, A"}, ["Re3+", "Kd4", "Kb2"])
    unsolved = ({**listed[0][0]}, [])
    assert decided(opened(tmp_path, [*listed, solved, unsolved, unsolved])) == {
        1: (5, "beginning of game 5"),
        2: (5, "beginning of game 5"),
        7: (6, "same moves"),
    }


def test_games_that_could_not_be_read_are_no_duplicates(tmp_path: Path) -> None:
    broken = text(players(FEN="9/8 w - - 0 1", SetUp="1"), [])
    base = opened(tmp_path, [broken, broken])
    assert games.rows(base, [1])[0].bad
    assert decided(base) == {}


def test_duplicates_among_many_games_and_several_files(tmp_path: Path) -> None:
    choice = random.Random(7)
    listed: list[Game] = [
        (players(f"Player{chr(97 + number)}, A", Round=str(number)), played(choice.randrange(45, 80), number))
        for number in range(26)
    ]
    expected = {}
    for number in range(26, 50):
        twin = choice.randrange(26)
        tags, line = listed[twin]
        cut = choice.choice([len(line), len(line), choice.randrange(duplicates.BEGINNING, len(line))])
        listed.append(({**tags, "White": f"A Player{chr(97 + twin)}"}, line[:cut]))
        why = "same moves" if cut == len(line) else f"beginning of game {twin + 1}"
        expected[number + 1] = (twin + 1, why)
    one, other = tmp_path / "1.pgn", tmp_path / "2.pgn"
    one.write_text("".join(text(*game) for game in listed[:40]))
    other.write_text("".join(text(*game) for game in listed[40:]))
    base = importing.open_base([one, other]).base
    assert decided(base) == expected
    found = duplicates.find(base)
    assert found.left_out.tolist() == sorted(expected)
    assert set(found.among(np.array([50, 3, 40, 1])).tolist()) == {3, 1}
    # Some games are sifted as if there were no others.
    for _ in range(40):
        some = np.sort(np.array(choice.sample(range(1, 51), choice.randrange(51)), np.int64))
        left = duplicates.first_ones(base, found, some)
        assert left.tolist() == duplicates.find(base, some).among(some).tolist()
    reasons = {game: why for game, (_, why) in expected.items()}
    longer = {group.kept for group in found.groups if duplicates.LONGER in group.why_kept}
    assert longer == {expected[game][0] for game, why in reasons.items() if why != "same moves"}
    same = sum(why == "same moves" for _, why in expected.values())
    assert found.summary == (
        f"24 of 50 games are duplicates: {same} have the same moves as another game, "
        f"{24 - same} are the beginning of another game"
    )


def test_only_the_games_that_are_named_are_compared(tmp_path: Path) -> None:
    line = played(60)
    base = opened(tmp_path, [(players(), line), (players(), line[:30]), (players(), line)])
    assert duplicates.find(base, [3, 2]).left_out.tolist() == [2]
    assert duplicates.find(base, [1, 3]).kept.tolist() == [1]
    assert duplicates.find(base, []).games == 0


def test_the_work_can_be_stopped(tmp_path: Path) -> None:
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        duplicates.find(opened(tmp_path, [(players(), played(20))]), cancel=token)
