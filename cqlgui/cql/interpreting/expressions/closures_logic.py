"""Compilers of literals, names, assignments, conditions and comparisons."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_numbers
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import UNBOUND, Evaluation


@compiles(nodes.Not)
def _not(compiler: Compiler, node: nodes.Not) -> Code:
    operand = compiler.compile(node.operand)
    return _negated(operand.test, logs=operand.logs)


def _negated(test: Run, *, logs: bool) -> Code:
    """The negation of a test. Comments that the test made are removed."""
    if not logs:
        return code(Type.LOGICAL, lambda s: not test(s))

    def negate(s: Evaluation) -> bool:
        comments, matches = len(s.log), len(s.found)
        result = test(s)
        s.rollback(comments, matches)
        return not result

    return code(Type.LOGICAL, negate)


@compiles(nodes.Logic)
def _logic(compiler: Compiler, node: nodes.Logic) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    a, b, logs = left.test, right.test, left.logs or right.logs
    if node.word == "and":
        return code(Type.LOGICAL, lambda s: bool(a(s) and b(s)), logs=logs)
    return code(Type.LOGICAL, lambda s: bool(a(s) or b(s)), logs=logs)


@compiles(nodes.Compound)
def _compound(compiler: Compiler, node: nodes.Compound) -> Code:
    filters = compiler.compile_all(node.filters)
    *firsts, last = filters
    tests = [each.test for each in firsts]
    logs = any(each.logs for each in filters)
    kind = Type.SET if last.is_set else last.type
    failed: Any = {Type.SET: 0, Type.LOGICAL: False}.get(kind)
    test = _conjunction([*tests, last.test])
    if kind is Type.LOGICAL:
        return code(kind, test, logs=logs)
    holds, value = _conjunction(tests), last.value
    apart = last.apart
    return code(kind, lambda s: value(s) if holds(s) else failed, logs=logs, test=test, apart=apart)


def _conjunction(tests: list[Run]) -> Run:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda s: first(s) and second(s)
    if len(tests) == 3:
        first, second, third = tests
        return lambda s: first(s) and second(s) and third(s)

    def all_hold(s: Evaluation) -> bool:
        for test in tests:  # noqa: SIM110 - a generator would cost twice as much in the hottest loop
            if not test(s):
                return False
        return True

    return all_hold


@compiles(nodes.In)
def _in(compiler: Compiler, node: nodes.In) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    a, b, logs = left.value, right.value, left.logs or right.logs
    if left.is_set:
        return code(Type.LOGICAL, lambda s: not a(s) & ~b(s), logs=logs)

    def contained(s: Evaluation) -> bool:
        needle, text = a(s), b(s)
        return needle is not None and text is not None and needle in text

    return code(Type.LOGICAL, contained, logs=logs)


_RELATIONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


@compiles(nodes.Compare)
def _compare(compiler: Compiler, node: nodes.Compare) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    logs, holds = left.logs or right.logs, _RELATIONS[node.operator]
    if left.is_set and right.is_set:
        a, b = left.value, right.value
        return code(Type.LOGICAL, lambda s: holds(a(s), b(s)), logs=logs)
    a, b = _measured(left), _measured(right)
    # For numbers and strings, `A != B` is `not (A == B)`. The comparison `A != B` therefore holds if an
    # operand has no value. For positions, both operands must have a value (D27).
    negated = node.operator == "!=" and left.type is not Type.POSITION
    if negated:
        holds = operator.eq

    def test(s: Evaluation) -> bool:
        x = a(s)
        if x is None:
            return False
        y = b(s)
        return y is not None and holds(x, y)

    if negated:
        return _negated(test, logs=logs)
    if node.operator == "!=":
        return code(Type.LOGICAL, test, logs=logs)

    def value(s: Evaluation) -> Any:
        x = a(s)
        if x is None:
            return None
        y = b(s)
        return x if y is not None and holds(x, y) else None

    return code(Type.NUMERIC if left.is_set else left.type, value, logs=logs, test=test)


def _measured(operand: Code) -> Run:
    """A closure for the value of a compared operand. The value of a set is the number of its squares."""
    inner = operand.value
    return (lambda s: inner(s).bit_count()) if operand.is_set else inner


@compiles(nodes.Number)
def _number(compiler: Compiler, node: nodes.Number) -> Code:
    value = node.value
    return code(Type.NUMERIC, lambda s: value)


@compiles(nodes.String)
def _string(compiler: Compiler, node: nodes.String) -> Code:
    value = node.value
    return code(Type.STRING, lambda s: value)


@compiles(nodes.Truth)
def _truth(compiler: Compiler, node: nodes.Truth) -> Code:
    value = node.value
    return code(Type.LOGICAL, lambda s: value)


@compiles(nodes.Name)
def _name(compiler: Compiler, node: nodes.Name) -> Code:
    slot, name, span = compiler.slot(node.name), node.name, node.span
    kind = compiler.type_of(node)

    def read(s: Evaluation) -> Any:
        value = s.variables[slot]
        if value is UNBOUND:
            raise s.fault(f"The variable {name} has no value yet", span, name)
        return value

    if kind is Type.PIECE:
        return code(kind, lambda s: s.square_of(read(s)))
    return code(kind, read)


@compiles(nodes.Assign)
def _assign(compiler: Compiler, node: nodes.Assign) -> Code:
    operand = compiler.compile(node.value)
    slot, name, span = compiler.slot(node.name), node.name, node.span
    if node.persistent:
        # The variable is quiet if the query declares the variable as `quiet` at least once.
        compiler.persistent[name] = compiler.persistent.get(name, False) or node.quiet
    if node.atomic:
        compiler.atomics.add(slot)
    evaluate = operand.value

    if node.operator in ("=", "=?"):
        must_hold = node.operator == "=?"

        def assign(s: Evaluation) -> bool:
            value = evaluate(s)
            if value is None or (must_hold and not value):
                return False
            s.variables[slot] = value
            return True

        return code(Type.LOGICAL, assign, logs=operand.logs)
    combine = _SET_OPERATIONS.get(node.operator) or closures_numbers.ARITHMETIC[node.operator[:-1]]

    def update(s: Evaluation) -> bool:
        old = s.variables[slot]
        if old is UNBOUND:
            raise s.fault(f"The variable {name} has no value yet", span, name)
        value = evaluate(s)
        new = None if value is None else combine(s, old, value)
        if new is None:
            return False
        s.variables[slot] = new
        return True

    return code(Type.LOGICAL, update, logs=operand.logs)


_SET_OPERATIONS: Final[dict[str, Callable[[Evaluation, Any, Any], Any]]] = {
    "|=": lambda s, old, value: old | value,
    "&=": lambda s, old, value: old & value,
}
