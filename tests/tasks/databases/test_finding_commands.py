"""The numbers of commands that are found in machine code are those that the reader's comments give."""

from __future__ import annotations

from random import Random

import numpy as np

from cqlgui.cql.source import commands as rules
from cqlgui.pgn import reader
from cqlgui.tasks.databases import commands
from tests.pgn.test_annotating import texts_of

Numbers = dict[int, tuple[int | None, ...]]


def read(game: bytes) -> Numbers:
    """The numbers of a game by positionid, from the reader."""
    found = reader.read_game(game).comments
    numbers = {place: tuple(rules.value(found[place], key) for key in rules.KEYS) for place in sorted(found)}
    return {place: told for place, told in numbers.items() if any(one is not None for one in told)}


def found_in(games: list[bytes]) -> tuple[list[Numbers], list[int]]:
    """The numbers of games, and the games that were left to the reader."""
    texts = texts_of(games, plain=False)
    left: list[int] = []

    def comments_of(game: int) -> dict[int, str]:
        left.append(game)
        return reader.read_game(games[game]).comments

    numbers = np.arange(len(games))
    found = commands.find(texts.data, texts.begins, texts.ends, texts.kinds, comments_of, numbers, len(games))
    return [found.of_game(game) for game in range(len(games))], left


PIECES = (
    "[%clk 0:01:23]", "[%emt 0:00:05.9]", "[%eval -1.25,23]", "[%eval 0.3]", "[%clk 5]", "]", "]", "x",
    "[%clk 0:01:23]", "[%emt 0:00:05.9]", "[%eval -1.25,23]", "[%eval #-3]", "[%eval 14,24]",
    "[%clk\n0:00:07 ]", "[", "]", "%",
    "%clk", "%emt ", "%eval", " ", "\n", "0", "59", ":", ".", ",", "-", "+", "#",
    "900.01", "x", "\u00e9", "\\", "[%eval ", "[ %clk ", "12345",
)  # fmt: skip
MOVES = "e4 e5 Nf3 Nc6"


def odd_game(random: Random) -> str:
    """A game with comments of any kind, and perhaps a variation."""

    def notes() -> str:
        comments = (
            "".join(random.choices(PIECES, k=random.randint(0, 8))) for _ in range(random.randint(0, 3))
        )
        return " ".join(f"{{{one}}}" for one in comments)

    moves = " ".join(f"{move} {notes()}" for move in MOVES.split())
    aside = random.choice(["", f"(2... d6 {notes()} 3. d4 {notes()}) {notes()}"])
    return f'[White "A"]\n\n{moves} {aside} *'


def test_numbers_of_any_comments() -> None:
    random = Random(1)
    texts = [odd_game(random) for _ in range(250)]
    texts += ["1. e4 {[%clk 0:00} {:05]} *", "1. e4 {[%clk} {0:00:05]} e5 {[%clk 0:00:01]} {[%eval #0]} *"]
    games = [text.encode() for text in texts]
    found, left = found_in(games)
    assert found == [read(game) for game in games]
    assert sum(map(len, found)) > 400
    assert 50 < len(left) < 200


def test_clean_games_are_not_left_to_the_reader_unless_a_command_may_go_on() -> None:
    whole = b'[White "A"]\n\n1. e4 {[%clk 0:03:00]} {nice [%eval 0.3]} (1. d4 {[%emt 3]}) 1... e5 *'
    torn = b'[White "A"]\n\n1. e4 {[%clk 0:03} {:00]} *'
    latin = '[White "\u00c4"]\n\n1. e4 {[%clk 0:03:00] \u00fc} *'.encode("latin-1")
    found, left = found_in([whole, torn, latin])
    assert found == [{1: (180, None, 30), 3: (None, 3, None)}, {}, {1: (180, None, None)}]
    assert left == [1, 2]
