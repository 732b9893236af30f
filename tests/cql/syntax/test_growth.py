"""What a check costs grows with the text, not with its square: counted in lines of Python that run, so that a
slow machine changes no verdict."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from types import FrameType
from typing import Any

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.transforming import transforms

SMALL, TIMES = 40, 8
MOST = 1.6
"""How much more than in proportion the larger text may cost: some work grows with a logarithm."""


def _set(number: int) -> str:
    """A designator of its own for each number."""
    source = Random(number)
    names = [file + rank for file in "abcdefgh" for rank in "12345678"]
    return source.choice("QRBNKqrbnkAa") + "[" + ",".join(sorted(source.sample(names, 3))) + "]"


def _each(form: str) -> Callable[[int], str]:
    """Many of a form: `I` stands for its number, `S` for a set of its own."""
    return lambda count: "\n".join(
        form.replace("I", str(number)).replace("S", _set(number)) for number in range(count)
    )


def _chunks(opened: str, middle: str, closed: str, deep: int = 20) -> Callable[[int], str]:
    """Nests that are `deep` each, one after the other."""
    return lambda count: " ".join(opened * deep + middle + closed * deep for _ in range(count // deep))


TEXTS: dict[str, Callable[[int], str]] = {
    "orbits": _each("flip Ra1"),
    "larger orbits": _each("shift {Ra1 kb2}"),
    "different orbits": _each("flip {S S}"),
    "counted orbits": _each("I == flip count S"),
    "a letter": _each("K"),
    "different designators": _each("S"),
    "different men without kings": lambda count: _each("S")(count).translate(str.maketrans("Kk", "Qq")),
    "transforms of what they change not": _each("flip wtm"),
    "chains of or": _chunks("(A or S or ", "A", ")"),
    "negations": _each("not S"),
    "comparisons": _each("S == I"),
    "comments": _each("// a remark\nA /* another */"),
    "output": _each('comment ("a" A)'),
    "lines of output": _each('/// "a"'),
    "variables": _each("vI = A"),
    "variables that are read": _each("vI = 1 if vI == 2 vI = 3"),
    "functions": _each("function fI_ (x) {x attacks k} fI_(A)"),
    "calls of one function": lambda count: "function g (x) {x} " + "g(A) " * count,
    "dictionaries": _each('dictionary D_I D_I["a"] = 1'),
    "square loops": _each("square sI in A {sI}"),
    "echoes": _each("echo (sI tI) A"),
    "brackets": _chunks("(", "A", ")"),
    "braces": _chunks("{A ", "A", "}"),
    "dashes": _each("--e4"),
    "promotions": _each("--e8=Q"),
    "targets": _each("--(K)"),
    "targets with a second bracket": _each("--(K)(check)"),
    "moves before": _each("currentmove --e4"),
    "paths": _each("path --\n"),
    "steps": lambda count: "path " + "--e4 " * count,
    "steps with targets": lambda count: "path " + "--S check ".replace("S", "e4") * count,
    "chains": lambda count: "path " + "(A) " * count,
    "tied brackets": lambda count: "path " + "(A)--e4 " * count,
    "moves before in a path": lambda count: "path " + "currentmove --e4 --f3 " * count,
    "lines": _each("line --> A + --> check"),
    "lines of lines": _chunks("line --> ", "A ", ""),
    "parts of a line": lambda count: "line " + "--> (A --> A) " * count,
    "sort keys": _each('sort "kI" ply'),
    "tags": _each('settag ("aI" "b")'),
    "searches": _each('event "a"'),
    "unknown names": _each("nameI"),
    "brackets that close nothing": _each(")"),
    "brackets that hold nothing": _each("( )"),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_check_costs_in_proportion_to_the_text(text: Callable[[int], str]) -> None:
    small, large = text(SMALL), text(SMALL * TIMES)
    _findings(small)
    share = _lines(large) / _lines(small)
    # Above a hundred findings nothing more is looked for.
    assert share < MOST * len(large) / len(small)


def _findings(text: str) -> None:
    checked = check.check(text)
    if checked.query is not None:
        transforms.expand(checked)


def _lines(text: str) -> int:
    """How many lines of the language's modules run for a check of a text."""
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Any:
        return line if "cqlgui" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        _findings(text)
    finally:
        sys.settrace(before)
    return count
