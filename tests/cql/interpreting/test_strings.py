"""Strings, regular expressions and groups, by worked examples."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from tests.helpers import games

GAME = games.from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1", White="Müller")


def printed(text: str) -> str | None:
    """What `str` makes of a filter."""
    checked = check.check(f"str({text})")
    assert not checked.errors, checked.errors
    outcome = interpreter.Program(transforms.expand(checked)).run(GAME.tree, GAME.host)
    return None if outcome is None else outcome.hits[0].value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"hello"[1]', "e"),
        ('"hello"[-1]', "o"),
        ('"hello"[5]', "<false>"),
        ('"hello"[-6]', "<false>"),
        ('"hello"[-3:-1]', "ll"),
        ('"hello"[:]', "hello"),
        ('"hello"[3:1]', ""),
        ('"hello"[-99:99]', "hello"),
        ('("a" + "b")[1]', "b"),
        ('{x="abc" x[1]="XX" x}', "aXXc"),
        ('{x="abc" x[-1]="" x}', "ab"),
        ('{x="abc" x[3]="d" x}', "<false>"),
        ('{x="abc" x[1:]="d" x}', "ad"),
        ('{x="abc" x[2:1]="d" x}', "abdc"),
        ('{x="abc" x[:1]="" x}', "bc"),
        ('{x="abc" x[0]=("a" ~~ "z") x}', "<false>"),
        ('uppercase "aBcä"', "ABCä"),
        ('lowercase "AÄ" + "B"', "aÄB"),
        ('indexof("l" "hello")', "2"),
        ('indexof("" "hello")', "0"),
        ('int "-7"', "-7"),
        ('int " 7"', "<false>"),
        ('int "+7"', "<false>"),
        ('int "٣"', "<false>"),
        ('int ""', "<false>"),
        ('ascii "A"', "65"),
        ('ascii "AB"', "<false>"),
        ("ascii 0", "<false>"),
        ("ascii 255", "ÿ"),
        ("ascii 256", "<false>"),
        ("#player white", "6"),
        ('player white ~~ "ü(.)" \\1 \\-1', "üll2"),
        ('"ab" ~~ "(x)?b" \\1 \\-1 \\2 \\0', "b<false><false><false>b"),
        ('"ab" ~~ "b" "ab" ~~ "x" \\0', "b<false><false>"),
        ('"b" < "c" "a" + \\n + "b"', "ba\nb"),
        ('P p 3 "x" currentposition true false', "[][]3xmove 1(wtm)<true><false>"),
    ],
)
def test_worked_example(text: str, expected: str) -> None:
    assert printed(text) == expected


def test_a_case_word_is_no_condition() -> None:
    checked = check.check('lowercase "a"')
    assert [one.code for one in checked.warnings] == ["never-matches"]
    assert interpreter.Program(transforms.expand(checked)).run(GAME.tree, GAME.host) is None


def test_files_are_read_and_written_only_through_the_host() -> None:
    host = games.Host(files={"a.cqo": "old"})
    text = 'readfile "a.cqo" == "old" writefile("a.cqo" "new") readfile "a.cqo" == "oldnew"'
    assert interpreter.Program(transforms.expand(check.check(text))).run(GAME.tree, host) is not None
    refused = interpreter.Program(transforms.expand(check.check('writefile("b.cqo" "x")')))
    with pytest.raises(interpreter.QueryError, match=r"b\.cqo"):
        refused.run(GAME.tree, host)


def test_a_pattern_that_takes_too_long_is_a_fault_of_the_game() -> None:
    text = 's="' + "a" * 60 + 'b" s ~~ "^(a|aa|aaa)+$"'
    with pytest.raises(interpreter.QueryError, match="takes longer"):
        interpreter.Program(transforms.expand(check.check(text))).run(GAME.tree, GAME.host)
