"""The numbers of commands in comments are those that python-chess reads, and odd commands have none."""

from __future__ import annotations

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.cql.source import commands


@pytest.mark.parametrize(
    ("comments", "key", "expected"),
    [
        ("[%clk 1:23:45.6]", "clk", 5025),
        ("[%clk 0:00:00.9]", "clk", 0),
        ("[%clk 59]", "clk", 59),
        ("[%clk 5:30]", "clk", 330),
        ("[%clk 0:90:00]", "clk", 5400),
        ("[%clk -0:00:05]", "clk", None),
        ("[%clk 0:00]:05]", "clk", 0),
        ("[%clk 1:2:3:4]", "clk", None),
        ("[%clk :05]", "clk", None),
        ("[%clk]", "clk", None),
        ("[%clk0:00:05]", "clk", None),
        ("[%clk 0:00:05", "clk", None),
        ("%clk 0:00:05]", "clk", None),
        ("[%CLK 0:00:05]", "clk", None),
        ("[ %clk\n 0:00:05 ]", "clk", 5),
        ("[%clk 0:00:05] [%clk 0:00:04]", "clk", 4),
        ("[%clk 0:00:05] [%clk ?]", "clk", 5),
        ("[%clk 0:00:05]", "emt", None),
        ("a [%emt 0:00:05] b [%clk 0:01:00] c", "emt", 5),
        ("[%emt 0:00:05,7]", "emt", 5),
        ("[[%emt 0:00:05]", "emt", 5),
        ("[%emt [%emt 0:00:05]", "emt", 5),
        ("[%eval 0.17]", "eval", 17),
        ("[%eval -1.2]", "eval", -120),
        ("[%eval +.5]", "eval", 50),
        ("[%eval 3.]", "eval", 300),
        ("[%eval -0.009]", "eval", 0),
        ("[%eval 1.239]", "eval", 123),
        ("[%eval 2.35,23]", "eval", 235),
        ("[%eval 14,24]", "eval", 14),
        ("[%eval -8]", "eval", -8),
        ("[%eval 900.00]", "eval", 90_000),
        ("[%eval 900.01]", "eval", None),
        ("[%eval 123456]", "eval", None),
        ("[%eval .]", "eval", None),
        ("[%eval --1.0]", "eval", None),
        ("[%eval 1.0 2.0]", "eval", None),
        ("[%eval #3]", "eval", 99_997),
        ("[%eval #-3]", "eval", -99_997),
        ("[%eval #+12,30]", "eval", 99_988),
        ("[%eval #0]", "eval", None),
        ("[%eval #-]", "eval", None),
        ("[%eval #1.5]", "eval", None),
        ("[%eval #12345]", "eval", None),
        ("[%evalx 1.0]", "eval", None),
        ("[%evp 0,19,31]", "eval", None),
    ],
)  # fmt: skip
def test_a_command_gives_a_number(comments: str, key: commands.Key, expected: int | None) -> None:
    assert commands.value(comments, key) == expected


TIMES = st.tuples(
    st.integers(0, 9), st.integers(0, 59), st.integers(0, 59), st.sampled_from(["", ".4", ".999"])
)
SCORES = st.one_of(
    st.integers(-80_000, 80_000).map(
        lambda one: f"{'-' if one < 0 else ''}{abs(one) // 100}.{abs(one) % 100:02}"
    ),
    st.integers(1, 99).map(lambda moves: f"#{moves}"),
    st.integers(1, 99).map(lambda moves: f"#-{moves}"),
)


@given(TIMES, TIMES, SCORES, st.sampled_from(["", ",23"]), st.sampled_from(["", "Theory.", "[%csl Gf3]"]))
def test_usual_commands_have_the_numbers_of_python_chess(
    clock: tuple[int, int, int, str], used: tuple[int, int, int, str], score: str, depth: str, text: str
) -> None:
    first, second = (f"{one[0]}:{one[1]:02}:{one[2]:02}{one[3]}" for one in (clock, used))
    node = chess.pgn.Game()
    node.comment = f"{text}[%eval {score}{depth}] [%clk {first}] {text} [%emt {second}]"
    left, spent, found = node.clock(), node.emt(), node.eval()
    assert left is not None
    assert spent is not None
    assert found is not None
    assert commands.value(node.comment, "clk") == int(left)
    assert commands.value(node.comment, "emt") == int(spent)
    assert commands.value(node.comment, "eval") == found.white().score(mate_score=commands.MATE)


@pytest.mark.parametrize("part", ["[", "[%clk ", "[%clk 0:", "[%eval 1,", "[ \n", "[%eval #"])
def test_long_texts_take_linear_time(part: str) -> None:
    for text in (part * 100_000, part + " " * 300_000, part + "0" * 300_000):
        assert commands.value(text + " %clk %eval", "clk") is None
