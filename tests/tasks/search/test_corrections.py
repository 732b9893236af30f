"""Rules of the language that a comparison with the reference corrected, in searches by both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.cql.checking import check, lints
from cqlgui.cql.printing import printer
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching

GAMES = """\
[Event "Cup"]
[Site "?"]
[Date "2013.26.7"]
[White "Kan,I."]
[Black "van der Lyn"]
[WhiteElo "2000"]
[ECO "B22"]

1. e4 c5 2. Nf3 1-0

[Event "Cup"]
[Site ""]
[Date "2013.5.6"]
[White "A"]
[Black ""]
[WhiteElo "2100"]
[BlackElo "2100"]
[ECO "?"]

1. e4 e5 2. Qh5 0-1

[Event ""]
[White ""]
[ECO ""]

1. d4 *

[Result "*"]

1. c4 {a note} *
"""
POSITIONS = {1: 4, 2: 4, 3: 2, 4: 2}


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    path = tmp_path / "a.pgn"
    path.write_text(GAMES)
    return importing.open_base([path]).base


def found(base: base_model.Base, text: str) -> dict[int, list[int]]:
    """The hits by game; both engines must agree, with games passed over and without."""
    answers = []
    for options in (
        search_model.SearchOptions(),
        search_model.SearchOptions(details=search_model.Details.NONE),
        search_model.SearchOptions(pruned=False),
        search_model.SearchOptions(compiled=False),
    ):
        result = searching.search(base, text, options)
        assert not result.failed_games, text
        answers.append({game: [hit.positionid for hit in result.games[game].hits] for game in result.order})
    first, *others = answers
    assert all(other == first for other in others), text
    return first


@pytest.mark.parametrize(
    ("text", "games"),
    [
        # R2-1: not (A == B), also without a value.
        ("elo white != 2000", [2, 3, 4]),
        ("2000 != elo white", [2, 3, 4]),
        ("elo white != elo black", [1, 3, 4]),
        ("not elo white != 2000", [1]),
        ("year != 2013", [3, 4]),
        ('tag "Nope" != "a"', [1, 2, 3, 4]),
        ('eco != "B22"', [2, 3, 4]),
        ('player white != "A"', [1, 3, 4]),
        ("#A != 16", []),
        ("A != 16", []),
        ("R != R", []),
        # R2-7: tags that are missing or empty, and names.
        ("site", [1, 3, 4]),
        ('site == "?"', [1, 3, 4]),
        ('tag "Site" == "?"', [1, 3, 4]),
        ("event", [1, 2, 4]),
        ('event == "?"', [4]),
        ('event "?"', [4]),
        ('tag "White" == "Kan, I"', [1]),
        ('tag "Black" == "Van der Lyn"', [1]),
        ('tag "White" == "?"', [4]),
        ('tag "White"', [1, 2, 4]),
        ('tag "White" != player white', [3]),
        ('tag "ECO"', [1]),
        ("eco", [1]),
        ('date == "2013.??.??"', [1]),
        ('date == "2013.05.06"', [2]),
        ('tag "Date" == "????.??.??"', [3, 4]),
        ('tag "Date" == date', [1, 2, 3, 4]),
        # R2-5: a search in no text fails.
        ('while (eco ~~ "(.)") true', [1]),
        ('while (site ~~ "(H)") false', [1, 3, 4]),
        ('not while (eco ~~ "x") true', [2, 3, 4]),
        # R2-2: how far a string's length goes.
        ("#player white + 3 == 9", [1]),
        ("#player white + #player black >= 17", [1]),
        ('#"abc" + #"de" == 5', [1, 2, 3, 4]),
        ('#"a" + "b" == 2', [1, 2, 3, 4]),
        ('2 * #"a" + "b" + 1 == 5', [1, 2, 3, 4]),
        ('int "3" + 4 == 7', [1, 2, 3, 4]),
        # R2-8: where a text is searched.
        ('str(not event "u") == "<true>"', [3, 4]),
        ('str((event "u")) == "<true>"', [1, 2]),
        ('str(event "u") == "Cupu"', [1, 2]),
        ('str(if event "u" 1 else 0) == "1"', [1, 2]),
        ('str(check or event "u" site "x") == "<true>?x"', [1]),
        # R2-13: a name that two loops share, where the inner one is not reached.
        ("x[element][] square all x in [] false ply==0", []),
        ("s[element][] true or square all s in [] false", []),
        ("{s[element]A true or square s in A true} ply>=0", [1, 2, 3, 4]),
    ],
)
def test_a_rule_holds_in_these_games(base: base_model.Base, text: str, games: list[int]) -> None:
    assert found(base, text) == {game: list(range(POSITIONS[game])) for game in games}


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("child:ply != 3", {1: [0, 1, 3], 2: [0, 1, 3], 3: [0, 1], 4: [0, 1]}),
        ("parent:ply != 1", {1: [0, 1, 3], 2: [0, 1, 3], 3: [0, 1], 4: [0, 1]}),
        ("currentposition != child", {1: [0, 1, 2], 2: [0, 1, 2], 3: [0], 4: [0]}),
        ("{ply>=2 3} != 4", {game: list(range(count)) for game, count in POSITIONS.items()}),
        ("{ply>=2 3} != 3", {1: [0, 1], 2: [0, 1], 3: [0, 1], 4: [0, 1]}),
        ("Q != rank qd8", {1: [0, 1, 2, 3], 2: [0, 1, 2, 3], 3: [0, 1], 4: [0, 1]}),
        ('originalcomment != "a note"', {1: [0, 1, 2, 3], 2: [0, 1, 2, 3], 3: [0, 1], 4: [0]}),
    ],
)
def test_where_positions_differ(base: base_model.Base, text: str, hits: dict[int, list[int]]) -> None:
    assert found(base, text) == hits


def test_a_difference_writes_no_comments(base: base_model.Base) -> None:
    (game, _) = searching.search(base, "cql(gamenumber 1 2) (find all ply<2) != 3").games.values()
    assert [text for _, text in game.comments if "Found" in text] == []


def test_a_written_text_that_is_searched_is_printed_with_brackets() -> None:
    text = 'str((event "a") not site "b" event ("c"))'
    expanded = queries.expanded(text)
    assert expanded.query is not None
    again = queries.expanded(printer.print_query(expanded.query))
    assert again.query == expanded.query


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("piece T in [qrbn] not [a] attacks T  T", ["unbound-variable"]),
        ("piece T in [qrbn] {not [a] attacks T  T}", []),
        ("piece T in [qrbn] true piece T in A T", []),
        ("echo (s t) true s:check", ["unbound-variable"]),
        ("x=R square x in A true x", []),
        ("square x in A square x in a true", ["already-bound"]),
        ("square x in A true square x in a true", []),
    ],
)
def test_loop_variables_outside_their_loops_and_twice_are_warned_of(text: str, codes: list[str]) -> None:
    checked = check.check(text)
    assert checked.query is not None
    warned = lints.findings(text, checked.query, checked.names)
    assert [one.code for one in warned if one.code in ("unbound-variable", "already-bound")] == codes
