"""What a query writes: comments and when they stay, tags, removals, messages, sort values, settings."""

from __future__ import annotations

import dataclasses
import json

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import evaluation, settings
from cqlgui.cql.transforming import transforms
from tests.helpers import games

MATE = """[Event "E"]
[White "W"]
[Black "B"]
[Result "0-1"]

{root} 1. f3 {one} e5 $6 2. g4 (2. e4 {line}) Qh4# 0-1
"""


def run(
    text: str, pgn: str = MATE, said: settings.Settings = settings.USUAL, messages: list[str] | None = None
) -> interpreter.GameOutcome | None:
    (game,) = games.from_pgn(pgn)
    checked = check.check(text)
    assert checked.query is not None, checked.errors
    query = settings.override(checked.query, said)
    expanded = transforms.expand(dataclasses.replace(checked, query=query))
    return interpreter.Program(expanded, said).run(game.tree, game.host, messages=messages)


def comments(text: str, said: settings.Settings = settings.USUAL) -> list[tuple[int, str]]:
    outcome = run(text, said=said)
    assert outcome is not None
    return list(outcome.comments)


def said_by(text: str) -> list[str]:
    heard: list[str] = []
    run(text, messages=heard)
    return heard


HEAD = (0, "Game number 1")


# --- reading the file ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("cql(variations) originalcomment", [0, 1, 5]),
        ('cql(variations) originalcomment "in"', [5]),
        ('cql(variations) originalcomment "?!"', [2]),
        ('cql(variations) originalcomment "$6"', [2]),
        ('cql(variations) originalcomment "!"', []),
        ('hascomment "o"', [0, 1]),
        ('initial tag "White" == "W"', [0]),
        ('initial tag "Nope"', []),
        ('initial flipcolor tag "White" == "B"', [0]),
    ],
)
def test_what_stands_in_the_file(text: str, positions: list[int]) -> None:
    outcome = run(text)
    assert [hit.positionid for hit in outcome.hits] == positions if outcome else not positions


def test_the_root_has_no_glyphs() -> None:
    (game,) = games.from_pgn(MATE)
    game.host.glyphs[0] = (1,)
    program = interpreter.Program(transforms.expand(check.check('originalcomment "!"')))
    assert program.run(game.tree, game.host) is None


# --- comments -----------------------------------------------------------------------------------------------


def test_texts_stand_in_the_order_made_with_the_sort_values_last() -> None:
    assert comments('mate comment("a" ply) sort "men" #[Aa] sort min "first" ply sort quiet "q" ply') == [
        HEAD, (4, "a4"), (4, "CQL"), (0, "men: 32"), (0, "first: 4"),
    ]  # fmt: skip


def test_a_sort_without_a_value_says_so() -> None:
    found = comments('initial {{sort "none yet" 1/0} or true}')
    assert found[-1] == (0, "none yet: none")


def test_the_number_of_matches_comes_last_of_the_keys() -> None:
    assert comments('cql(sort matchcount 1 9) wtm sort "n" ply')[-2:] == [(0, "n: 4"), (0, "matchcount: 3")]


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", [HEAD, (4, "x"), (0, "Found"), (4, "CQL")]),
        ("quiet", [HEAD, (4, "x")]),
        ("silent", []),
        ("silent quiet", []),
        ("quiet silent", [HEAD, (4, "x")]),
        ('matchstring "!"', [HEAD, (4, "x"), (0, "Found"), (4, "!")]),
        ('matchstring ""', [HEAD, (4, "x"), (0, "Found")]),
    ],
)
def test_levels_of_comments(header: str, found: list[tuple[int, str]]) -> None:
    assert comments(f'cql({header}) mate comment("x") find <-- initial') == found


def test_equal_texts_stand_once_at_a_position() -> None:
    text = 'mate comment("x") comment("x") comment("") comment("CQL")'
    assert comments(text) == [HEAD, (4, "x"), (4, "CQL")]
    repeated = settings.Settings(unique_comments=False)
    assert comments(text, repeated) == [HEAD, (4, "x"), (4, "x"), (4, "CQL"), (4, "CQL")]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('initial {comment("a") false} or true', []),
        ('initial {comment("a") true} or comment("b")', ["a"]),
        ('initial not not comment("a")', []),
        ('initial not {comment("a") true} or true', []),
        ('initial {comment("a") ply} > 3 or true', []),
        ('initial {comment("a") ply} < 3', ["a"]),
        ("initial square x in a1-3 {comment(x) x==a2}", ["a2"]),
        ("initial square x in a1-2 comment(x)", ["a1", "a2"]),
        ("initial {square all x in a1-3 {comment(x) not x==a3}} or true", []),
        ('initial max({comment("a") 1} {comment("b") 3} {comment("c") 2}) > 0', ["b"]),
        ('initial min({comment("a") 1} {comment("b") 3} {comment("c") 1}) > 0', ["a", "c"]),
        ("initial flip {comment(currenttransform) false} or true", []),
        ('initial flipvertical {Rb1-8 comment("n")} or true', []),
        ('sort "p" {comment("at " ply) ply} ply>=0', ["at 4"]),
        ('sort min "p" {comment("at " ply) ply}', ["at 0"]),
        ('sort "p" {comment("at " ply) #[Aa]}', ["at 0"]),
        ('{sort "p" {comment("at " ply) ply} false} or initial', ["at 4"]),
    ],
)
def test_failures_take_their_comments_back(text: str, kept: list[str]) -> None:
    own = [word for _, word in comments(text) if word not in ("Game number 1", "CQL") and ": " not in word]
    assert own == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('initial move to f3 comment("x")', [(1, "x")]),
        ('initial {{move to f3 comment("x") false} or true}', []),
        ('initial {not move to f3 comment("x")} or initial', []),
        ('cql(variations) positionid==1 find count {move to e4 comment("x")} >= 0', [(5, "x")]),
    ],
)
def test_comments_of_moves_stand_behind_them(text: str, kept: list[tuple[int, str]]) -> None:
    assert [note for note in comments(text) if note[1] == "x"] == kept


def test_switches_keep_what_failures_and_sorts_would_take() -> None:
    every = settings.Settings(smart_comments=False)
    assert comments('initial {comment("a") false} or comment("b")', every) == [
        HEAD, (0, "a"), (0, "b"), (0, "CQL"),
    ]  # fmt: skip
    unsorted = settings.Settings(sort_comments=False)
    found = comments('wtm sort quiet "p" {comment("at " ply) ply}', unsorted)
    assert [text for _, text in found if text.startswith("at")] == ["at 0", "at 2", "at 4"]
    bare = settings.Settings(header_comment=False)
    assert comments('mate sort "p" ply', bare) == [(4, "CQL")]


# --- tags, removals, messages -------------------------------------------------------------------------------


def test_tags_and_removals_stay_although_the_position_fails() -> None:
    outcome = run(
        '{settag("A" "x" + event) settag("B" "1") removecomment ply==1 settag("C" "2") false} or mate'
    )
    assert outcome is not None
    assert dict(outcome.tags) == {"A": "xE", "B": "1", "C": "2"}
    assert outcome.removed == (0, 1, 2, 3, 4)


def test_a_tag_without_a_text_is_not_set() -> None:
    outcome = run('initial {settag("A" tag "Nope") or settag("B" "b")}')
    assert outcome is not None
    assert outcome.tags == (("B", "b"),)


def test_silence_and_switches_leave_tags_and_comments_of_the_file_alone() -> None:
    text = 'initial settag("A" "x") removecomment'
    outcome = run(f"cql(silent) {text}")
    assert outcome is not None
    assert (outcome.tags, outcome.removed) == ((), (0,))
    outcome = run(text, said=settings.Settings(set_tags=False, remove_comments=False))
    assert outcome is not None
    assert (outcome.tags, outcome.removed) == ((), ())


def test_messages_are_said_whenever_they_are_reached() -> None:
    assert said_by('wtm message("ply " ply " " k) false') == [
        "Game: 1 move 1(wtm): ply 0 e8",
        "Game: 1 move 2(wtm): ply 2 e8",
        "Game: 1 move 3(wtm): ply 4 e8",
    ]
    assert said_by('mate message quiet ("x" event ": " 1/0)') == ["xE: <false>"]
    assert said_by('initial (not message quiet "n") or flip {message quiet(currenttransform) Rb3}')[0] == "n"
    assert said_by("cql(variations) positionid==5 message quiet currentposition") == ["move 2(btm)[5]"]


def test_a_game_does_not_speak_for_ever() -> None:
    heard = said_by("square x in . square y in . square z in a1-4 message quiet (x y)")
    assert len(heard) == evaluation.MAX_MESSAGES + 1
    assert "left out" in heard[-1]


def test_what_is_said_before_a_fault_is_heard() -> None:
    heard: list[str] = []
    with pytest.raises(interpreter.QueryError):
        run('{mate x=1} or {message quiet "first" x>0}', messages=heard)
    assert heard == ["first"]


def test_looking_for_squares_to_ring_writes_nothing() -> None:
    heard: list[str] = []
    outcome = run('initial {Ra1 message quiet "m"} and piece X in Ra1 {X message quiet "n"}', messages=heard)
    assert outcome is not None
    assert outcome.hits[0].squares == 1
    assert heard == ["m", "n"]


# --- header and settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("cql(matchcount 0) stalemate", True),
        ("cql(matchcount 0 0) mate", False),
        ("cql(matchcount 0 5 result 1-0) stalemate", False),
        ("cql(matchcount 0 gamenumber 2 3) stalemate", False),
        ("cql(result 0-1 result 1-0) mate", False),
        ("cql(result 0-1 gamenumber 1) mate", True),
        ("cql(gamenumber 2 9) mate", False),
    ],
)
def test_conditions_of_the_header(text: str, matches: bool) -> None:
    assert (run(text) is not None) == matches


def test_settings_override_the_header() -> None:
    def matches(text: str, **said: object) -> bool:
        return run(text, said=settings.Settings(**said)) is not None  # type: ignore[arg-type]

    assert not matches("cql(gamenumber 1) mate", gamenumber=(2, 3))
    assert matches("cql(gamenumber 7) mate", gamenumber=(1, 1))
    assert matches("cql(matchcount 9) wtm", matchcount=(3, 3))
    assert matches("Pe4 pe5", variations=True)
    assert not matches("cql(variations) Pe4 pe5", mainline=True)
    assert comments("cql(silent) mate", settings.Settings(quiet=True)) == [HEAD]
    assert comments("cql(quiet) mate", settings.Settings(silent=True)) == []
    assert comments('cql(matchstring "a") mate', settings.Settings(matchstring="b")) == [HEAD, (4, "b")]


def test_settings_survive_json() -> None:
    said = settings.Settings(gamenumber=(2, 3), quiet=True, matchstring="é")
    assert settings.from_words(json.loads(json.dumps(said.as_words()))) == said
