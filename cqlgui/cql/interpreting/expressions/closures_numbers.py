"""Compilers of arithmetic on numbers and strings, counts and extremes."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any, Final

from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_board
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation

_LIMIT: Final = 10**4000
_LIMIT_BITS: Final = _LIMIT.bit_length()
LONGEST_TEXT: Final = 1 << 22
"""Maximum length of a string in characters. `_LIMIT` is the corresponding limit for numbers. The language
itself has no limit for numbers (D19). Without the two limits, a query could fill all memory within a few
steps."""


def _plus(s: Evaluation, x: Any, y: Any) -> Any:
    """The sum of two numbers, or two strings joined."""
    total = x + y
    if isinstance(total, str):
        return bounded_text(s, total)
    return total if -_LIMIT < total < _LIMIT else _overgrown(s)


def bounded_text(s: Evaluation, text: str) -> str:
    """Return a string made by a query; raises a fault if the string is too long."""
    bounded_length(s, len(text))
    return text


def bounded_length(s: Evaluation, length: int) -> None:
    """Raise a fault if the length of a string is too large."""
    if length > LONGEST_TEXT:
        raise s.fault(f"A string grew longer than {LONGEST_TEXT} characters")


def _minus(s: Evaluation, x: int, y: int) -> int:
    total = x - y
    return total if -_LIMIT < total < _LIMIT else _overgrown(s)


def _times(s: Evaluation, x: int, y: int) -> int:
    return x * y if x.bit_length() + y.bit_length() < _LIMIT_BITS else _overgrown(s)


def _overgrown(s: Evaluation) -> int:
    raise s.fault("A number grew beyond 4000 digits")


def _divide(s: Evaluation, x: int, y: int) -> int | None:
    """Quotient truncated toward zero; None for a zero divisor."""
    if y == 0:
        return None
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _remainder(s: Evaluation, x: int, y: int) -> int | None:
    """Remainder with the sign of the dividend; None for a zero divisor."""
    if y == 0:
        return None
    rest = abs(x) % abs(y)
    return -rest if x < 0 else rest


ARITHMETIC: Final[dict[str, Callable[[Evaluation, Any, Any], Any]]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": _divide,
    "%": _remainder,
}


@compiles(nodes.Arithmetic)
def _arithmetic(compiler: Compiler, node: nodes.Arithmetic) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    a, b, combine = left.value, right.value, ARITHMETIC[node.operator]

    def value(s: Evaluation) -> Any:
        x = a(s)
        if x is None:
            return None
        y = b(s)
        return None if y is None else combine(s, x, y)

    return code(left.type, value, logs=left.logs or right.logs)


@compiles(nodes.Negate)
def _negate(compiler: Compiler, node: nodes.Negate) -> Code:
    return _of_number(compiler.compile(node.operand), lambda x: -x)


@compiles(nodes.Numeric)
def _numeric(compiler: Compiler, node: nodes.Numeric) -> Code:
    operand = compiler.compile(node.operand)
    if node.word == "abs":
        return _of_number(operand, abs)
    return _of_number(operand, lambda x: isqrt(x) if x >= 0 else None)


def _of_number(operand: Code, function: Callable[[int], int | None]) -> Code:
    inner = operand.value

    def value(s: Evaluation) -> int | None:
        x = inner(s)
        return None if x is None else function(x)

    return code(Type.NUMERIC, value, logs=operand.logs)


@compiles(nodes.Count)
def _count(compiler: Compiler, node: nodes.Count) -> Code:
    operand = compiler.compile(node.operand)
    inner = operand.value
    simple = closures_board.single_place(node.operand)
    if simple is not None and compiler.watch is None:
        place, area = simple
        return code(Type.NUMERIC, lambda s: (s.men[place] & area).bit_count())
    if operand.is_set:
        return code(Type.NUMERIC, lambda s: inner(s).bit_count(), logs=operand.logs)

    def length(s: Evaluation) -> int | None:
        text = inner(s)
        return None if text is None else len(text)

    return code(Type.NUMERIC, length, logs=operand.logs)


@compiles(nodes.Extremum)
def _extremum(compiler: Compiler, node: nodes.Extremum) -> Code:
    operands = compiler.compile_all(node.operands)
    logs = any(operand.logs for operand in operands)
    return code(operands[0].type, best_of(operands, node.word == "max", None), logs=logs)


def best_of(operands: list[Code], largest: bool, matched: Callable[[Evaluation, int], None] | None) -> Run:
    """A closure for the largest (or smallest) value of the operands. Only the comments of operands with this
    value are kept. `matched` is called with the index of each operand that has a value."""
    runs = [operand.value for operand in operands]
    if matched is None and not any(operand.logs for operand in operands):
        choose = max if largest else min

        def plain(s: Evaluation) -> Any:
            found = [result for run in runs if (result := run(s)) is not None]
            return choose(found) if found else None

        return plain

    def value(s: Evaluation) -> Any:
        best = None
        start = len(s.log)
        for index, run in enumerate(runs):
            mark = len(s.log)
            found = run(s)
            if found is None:
                continue
            if matched is not None:
                matched(s, index)
            if best is None or (found > best if largest else found < best):
                best = found
                s.log.cut(start, mark)
            elif found != best:
                s.log.cut(mark)
        return best

    return value
