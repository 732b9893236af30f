"""Stray text, comments and broken pairs in and around tag sections: never a game more or less, and no move is
lost without a word.
"""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.pgn import reader, split

LINE_ENDS = {"LF": b"\n", "CRLF": b"\r\n", "CR": b"\r"}


class _Drops:
    """A text that comes a few bytes at a time."""

    def __init__(self, data: bytes, most: int) -> None:
        self._data = data
        self._most = most
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + min(length, self._most)]


def read(text: str, line_end: bytes = b"\n") -> list[reader.ReadGame]:
    """The games of a text, which do not depend on how much of it comes at once."""
    data = text.encode().replace(b"\n", line_end)
    found = list(split.games(split.BytesSource(data)))
    assert list(split.games(_Drops(data, 97))) == found
    return [reader.read_raw(raw) for raw in found]


def told(game: reader.ReadGame) -> str:
    """What the problems of a game amount to: e (an error), n (notes) or nothing."""
    severities = {problem.severity for problem in game.problems}
    return "e" if "error" in severities else "n" if severities else ""


# --- one game, something odd in its tag section -------------------------------------------------------------

# What stands between [Event "x"] and the last tag; the tags that are read; e (error), n (note) or nothing.
_BETWEEN = {
    "a bracket behind the pair": ('[Site "Conflans FRA"]]\n', {"Site": "Conflans FRA"}, "n"),
    "two brackets behind the pair": ('[Site "C"]]]\n', {"Site": "C"}, "n"),
    "an opening bracket behind the pair": ('[Site "C"] [\n', {"Site": "C"}, "n"),
    "a quote behind the pair": ('[Site "C"]"\n', {"Site": "C"}, "n"),
    "a semicolon behind the pair": ('[Site "C"];\n', {"Site": "C"}, ""),
    "a comment of a line behind the pair": ('[Site "C"] ; see 1. d4 1-0 [a]\n', {"Site": "C"}, ""),
    "a full stop behind the pair": ('[Site "C"].\n', {"Site": "C"}, "n"),
    "text behind the pair": ('[Site "C"] in France\n', {"Site": "C"}, "n"),
    "a number behind the pair": ('[Site "C"] 2003\n', {"Site": "C"}, "n"),
    "a comment behind the pair": ('[Site "C"] {France}\n', {"Site": "C"}, ""),
    "an opening bracket too many": ('[[Site "C"]\n', {"Site": "C"}, "n"),
    "many opening brackets": ('[ [\n[[Site "C"]\n', {"Site": "C"}, "n"),
    "a lone opening bracket": ('[\n[Site "C"]\n', {"Site": "C"}, "n"),
    "a closing bracket before the pair": ('][Site "C"]\n', {"Site": "C"}, "n"),
    "a lone closing bracket": (']\n[Site "C"]\n', {"Site": "C"}, "n"),
    "a lone quote": ('"\n[Site "C"]\n', {"Site": "C"}, "n"),
    "a lone semicolon": (';\n[Site "C"]\n', {"Site": "C"}, ""),
    "text before the pair": ('at [Site "C"]\n', {"Site": "C"}, "n"),
    "a line of text": ("Played in a park.\n", {}, "n"),
    "a line of text and empty lines": ("\nPlayed in a park.\n\n", {}, "n"),
    "text between pairs on a line": ('[Site "C"] and [Round "1"]\n', {"Site": "C", "Round": "1"}, "n"),
    "a number of a board": ("Board 1.\n", {}, "n"),
    "a heading with a number": ("Game 12.\n\n", {}, "n"),
    "a row of stars": ("***\n", {}, "n"),
    "a heading between stars": ("*** Final ***\n", {}, "n"),
    "a year in brackets": ("(C) 1999 (Berlin)\n", {}, "n"),
    "a place in brackets behind the pair": ('[Site "C"] (Berlin)\n', {"Site": "C"}, "n"),
    "a date and an ordinal": ("31.12.1999\n1. Bundesliga 2003.\n", {}, "n"),
    "a comma between pairs on a line": ('[Site "C"], [Round "1"]\n', {"Site": "C", "Round": "1"}, "n"),
    "nothing between pairs on a line": ('[Site "C"][Round "1"]\n', {"Site": "C", "Round": "1"}, ""),
    "a comment": ("{c}\n", {}, ""),
    "a comment that holds a pair": ('{\n\n[White "no"]\n\n[Black "no"]\n}\n', {}, ""),
    "a comment and an empty line": ("{c}\n\n", {}, ""),
    "a comment of a line": ("; c (\n", {}, ""),
    "a line that is skipped": ('% [White "no"] {\n', {}, ""),
    "empty lines": ('\n\n[Site "C"]\n\n\n\n[Round "1"]\n\n', {"Site": "C", "Round": "1"}, ""),
    "no opening quote": ('[Site C"]\n', {"Site": "C"}, "n"),
    "no closing quote": ('[Site "C]\n', {"Site": "C"}, "n"),
    "no quotes": ("[Site C]\n", {"Site": "C"}, "n"),
    "no closing bracket": ('[Site "C"\n', {"Site": "C"}, "n"),
    "no opening bracket": ('Site "Se2, C"]\n', {"Site": "Se2, C"}, "n"),
    "no closing quote and bracket": ('[Site "C\n', {}, "e"),
    "quotes in the value": ('[Site "the "C""]\n', {"Site": 'the "C"'}, "n"),
    "quotes and brackets in the value": ('[Site "the "C" [x]"]\n', {"Site": 'the "C" [x]'}, "n"),
}  # fmt: skip


@pytest.mark.parametrize("line_end", LINE_ENDS)
@pytest.mark.parametrize("name", _BETWEEN)
def test_what_stands_among_the_tags_begins_no_game(name: str, line_end: str) -> None:
    between, tags, expected = _BETWEEN[name]
    text = f'[Event "x"]\n{between}[White "w"]\n\n1. e4 e5 1-0\n\n[Event "y"]\n\n1. d4 *\n'
    game, other = read(text, LINE_ENDS[line_end])
    assert dict(game.tags) == {"Event": "x", "White": "w"} | tags
    assert (game.plies, game.ending, told(game)) == (2, "1-0", expected)
    assert (dict(other.tags), other.plies, told(other)) == ({"Event": "y"}, 1, "")


@pytest.mark.parametrize("line_end", LINE_ENDS)
@pytest.mark.parametrize("name", _BETWEEN)
def test_what_stands_before_the_tags_begins_no_game(name: str, line_end: str) -> None:
    between, tags, expected = _BETWEEN[name]
    text = f'{between}[White "w"]\n\n1. e4 e5 1-0\n\n[Event "y"]\n\n1. d4 *\n'
    game, other = read(text, LINE_ENDS[line_end])
    assert dict(game.tags) == {"White": "w"} | tags
    assert (game.plies, told(game)) == (2, expected)
    assert (dict(other.tags), other.plies, told(other)) == ({"Event": "y"}, 1, "")


def test_comments_among_the_tags_belong_to_the_start() -> None:
    (game,) = read('{a}\n[Event "x"]\n{b}\n[White "w"]\n; c\n[Black "v"] {d}\n\n{e} 1. e4 *\n')
    assert game.comments == {0: "a b c d e"}
    assert game.problems == ()


def test_a_note_says_what_was_skipped_and_where() -> None:
    (game,) = read('[Event "x"]\nhello there\n[White "w"]]\n[Black "b"]\n\n1. e4 *\n')
    assert [(problem.line, problem.offset, problem.reason) for problem in game.problems] == [
        (2, 12, "hello there stands outside the tags and was skipped"),
        (3, 35, "] stands outside the tags and was skipped"),
    ]


def test_stray_text_before_the_moves_costs_no_moves() -> None:
    for head in ('[Event "x"]\n', ""):
        (game,) = read(head + "\nMaster Tournament\n\n1. e4 e5 *\n")
        assert (game.plies, told(game)) == (2, "n")


def test_a_first_move_that_is_not_understood_is_not_taken_for_stray_text() -> None:
    for moves in ("Sf3 d5 2. d4 *", "Spf Sc 2. e4 e5 *", "P-K4 P-K4 2. e4 *", "1. Sf3 d5 *", "Nope e4 *"):
        (game,) = read(f'[Event "x"]\n\n{moves}\n')
        assert (game.plies, told(game)) == (0, "e")


def test_tag_sections_without_movetext_are_games_of_their_own() -> None:
    section = '[Event "x"]\n[White "{}"]\n[Result "*"]\n\n'
    games = read("".join(section.format(name) for name in "abc") + "1. e4 *\n")
    assert [dict(game.tags)["White"] for game in games] == ["a", "b", "c"]
    games = read('[White "a"]\n\nno moves are known\n\n[Event "y"]\n[White "b"]\n\n1. d4 *\n')
    assert [(dict(game.tags)["White"], game.plies) for game in games] == [("a", 0), ("b", 1)]
    # Without an empty line between them they are one section.
    (game,) = read('[White "a"]\n[Result "*"]\n[White "b"]\n\n1. d4 *\n')
    assert game.plies == 1


# --- behind the moves and among them ------------------------------------------------------------------------

# What stands behind the moves of a game; the plies of each game; e, n or nothing of the first.
_BEHIND = {
    "a comment": ("1-0 {c}", [2], ""),
    "a comment of a line": ("1-0 ; c [", [2], ""),
    "a line that is skipped": ("1-0\n% c", [2], ""),
    "text": ("1-0 White won", [2], "n"),
    "a line of text": ("1-0\nBlack lost.", [2], "n"),
    "text behind an empty line": ("1-0\n\nthe second round:", [2], "n"),
    "a bracket": ("1-0 ]", [2], "n"),
    "text in brackets": ("1-0 (Black lost on time)", [2], "n"),
    "a row of stars": ("1-0\n\n*****", [2], "n"),
    "a heading with a number": ("1-0\n\nBoard 2.", [2], "n"),
    "the result again": ("1-0 1-0", [2], ""),
    "another result": ("1-0 0-1", [2], "n"),
    "a result and a star": ("1-0 *", [2], "n"),
    "a star and a result": ("* 1-0", [2], "n"),
    "another result below": ("1-0\n0-1\n", [2], "n"),
    "a draw with blanks": ("1/2 - 1/2", [2], ""),
    "moves that go on": ("1-0 2. Nf3 Nc6 0-1", [4], "n"),
    "moves that go on on the next line": ("*\n2. Nf3 Nc6 1-0", [4], "n"),
    "moves that go on behind text": ("1-0 sorry 2. Nf3 Nc6 1-0", [4], "n"),
    "moves of another game": ("1-0 1. d4 d5 0-1", [2, 2], ""),
    "a tag": ('\n[White "w"]\n2. Nf3 Nc6 1-0', [4], "e"),
    "tags": ('\n[White "w"]\n[Black "b"]\n2. Nf3 Nc6 1-0', [4], "e"),
    "tags between empty lines": ('\n\n[White "w"]\n[Black "b"]\n\n2. Nf3 Nc6 1-0', [4], "e"),
    "tags before moves far on": ('\n[White "w"]\n[Black "b"]\n12. Nf3 Nc6 1-0', [2, 2], "n"),
    "pairs in a comment": ('{\n[White "w"]\n\n[White "w"]\n[foo\n} 2. Nf3 1-0', [3], ""),
    "a section that follows": ('1-0\nEvent "z"]\n[White "w"]\n\n1. d4 *', [2, 1], ""),
}  # fmt: skip


@pytest.mark.parametrize("line_end", LINE_ENDS)
@pytest.mark.parametrize("name", _BEHIND)
def test_what_stands_behind_moves(name: str, line_end: str) -> None:
    behind, plies, expected = _BEHIND[name]
    text = f'[Event "x"]\n\n1. e4 e5 {behind}\n\n[Event "y"]\n\n1. d4 *\n'
    games = read(text, LINE_ENDS[line_end])
    assert [game.plies for game in games] == [*plies, 1]
    assert told(games[0]) == expected
    assert dict(games[-1].tags) == {"Event": "y"}
    assert told(games[-1]) == ""


def test_a_tag_before_the_reply_is_among_the_moves() -> None:
    games = read('[Event "x"]\n\n1. e4\n[White "w"]\n1... e5 2. Nf3 1-0\n')
    assert [game.plies for game in games] == [3]


def test_moves_behind_a_result_are_told_as_lost() -> None:
    game = reader.read_game(b"1. e4 e5 1-0 17. Qh5")
    assert (game.plies, told(game)) == (2, "e")


def test_lone_results_are_games_of_their_own() -> None:
    assert len(read("*\n*\n* 1-0 0-1\n")) == 5
    assert len(read("1. e4 *\n\n1. d4 *\n*\n")) == 2


@pytest.mark.parametrize("line_end", LINE_ENDS)
def test_a_second_first_move_behind_an_empty_line_begins_a_game(line_end: str) -> None:
    assert [game.plies for game in read("1. e4 e5\n\n1. d4 d5\n", LINE_ENDS[line_end])] == [2, 2]


# --- made up ------------------------------------------------------------------------------------------------

_MOVES = [
    ("1. e4 e5 2. Nf3 {a [b] c} 1-0", 3),
    ("1. d4 (1. c4 c5) 1... d5 0-1", 2),
    ("1. Nf3 $1 Nf6 {\n[White \"no\"]\n} 2. c4 1/2-1/2", 3),
    ("*", 0),
    ("1. b3 ; 1. e4 [\n1... b6 *", 2),
]  # fmt: skip
_JUNK = st.sampled_from(
    ["]", "]]", "[", '"', ";", "; 1. d4 1-0 [", "{c}", '{[White "x"]}', '{\n\n[Site "q"]\n\n}', "junk",
     "junk, and more.", "%", ".", "!", "#", "<br>", "2003", "'", "\\", "=", "-", ":", "Ünal",
     "12.05.2003", "3. Runde"]
)  # fmt: skip
_LINES = st.one_of(_JUNK, st.sampled_from(["", "% 1. e4 [", "; note", "\t"]))
_NAMES = ["Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "Annotator"]


@st.composite
def _texts(draw: st.DrawFn) -> tuple[str, list[int]]:
    """Good games whose tag sections, and the lines behind their results, hold junk; the plies of each."""
    parts: list[str] = []
    expected: list[int] = []
    for place in range(draw(st.integers(1, 4))):
        parts += [line + "\n" for line in draw(st.lists(_LINES, max_size=2))] if place == 0 else []
        for name in draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=5, unique=True)):
            # Behind the others the pair would stand in a comment or in a line that is skipped.
            before = draw(st.one_of(st.just(""), _JUNK.filter(lambda text: text[0] not in ";%")))
            after = draw(st.one_of(st.just(""), _JUNK))
            parts.append(f'{before}[{name} "v{place}"]{after}\n')
            parts += [line + "\n" for line in draw(st.lists(_LINES, max_size=2))]
        moves, plies = draw(st.sampled_from(_MOVES))
        expected.append(plies)
        parts.append("\n" + moves)
        parts.append(
            draw(st.sampled_from(["\n", "\n\n", " ]\n", " junk\n\n", "\n{c}\n", "\njunk\n", " 1-0\n"]))
        )
    return "".join(parts), expected


@settings(max_examples=400, deadline=None)
@given(_texts(), st.sampled_from(list(LINE_ENDS.values())))
def test_junk_around_tags_changes_no_game(made: tuple[str, list[int]], line_end: bytes) -> None:
    text, expected = made
    games = read(text, line_end)
    assert [game.plies for game in games] == expected
    for place, game in enumerate(games):
        assert {value for _, value in game.tags} <= {f"v{place}"}


def test_whatever_two_pieces_of_junk_do_together() -> None:
    pieces = ["]", "[", '"', ";", "{c}", "junk", "%", ".", "\n", "\n\n", "2003", 'Site "x"]', "[Site x]"]
    for one, other in itertools.product(pieces, repeat=2):
        for blank in (" ", "\n", ""):
            text = f'[Event "x"]{one}{blank}{other}\n[White "w"]\n\n1. e4 e5 1-0\n\n[Event "y"]\n\n1. d4 *\n'
            assert [game.plies for game in read(text)] == [2, 1], text
