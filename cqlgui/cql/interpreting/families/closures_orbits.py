"""Compilers of transforms: orbits (lists of elements), `notransform` and `currenttransform`."""

from __future__ import annotations

from collections.abc import Callable

from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_board, closures_numbers
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import OCCUPIED, Evaluation
from cqlgui.cql.transforming import words


@compiles(nodes.NoTransform)
def _no_transform(compiler: Compiler, node: nodes.NoTransform) -> Code:
    return compiler.compile(node.operand)


@compiles(nodes.Orbit)
def _orbit(compiler: Compiler, node: nodes.Orbit) -> Code:
    elements = compiler.compile_all([element.filter for element in node.elements])
    noted, index = node.index >= 0, node.index
    logs = noted or any(element.logs for element in elements)

    def note(s: Evaluation, element: int) -> None:
        if noted:
            s.found.append((index, element, s.id))

    if node.range is not None:
        count, within = _matching(node, elements, note), compiler.within(node.range)

        def number(s: Evaluation) -> int | None:
            matches = count(s)
            return matches if within(s, matches) else None

        return code(Type.NUMERIC, number, logs=logs)
    kind = compiler.type_of(node)
    matching = _matching(node, elements, note)
    # The transform matches if an element matches, regardless of the element's value (transforms spec 4.1).
    apart = any(element.apart for element in elements)
    test = (lambda s: matching(s) > 0) if apart else None
    if kind is Type.SET:
        runs = [element.value for element in elements]

        def union(s: Evaluation) -> int:
            found = 0
            for element, run in enumerate(runs):
                part = run(s)
                if part:
                    found |= part
                    if noted:
                        s.found.append((index, element, s.id))
            return found

        return code(Type.SET, union, logs=logs, test=test, apart=apart)
    if kind is Type.NUMERIC:
        best = closures_numbers.best_of(elements, True, note if noted else None)
        return code(Type.NUMERIC, best, logs=logs, test=test, apart=apart)
    return code(Type.LOGICAL, lambda s: matching(s) > 0, logs=logs)


def _matching(
    node: nodes.Orbit, elements: list[Code], note: Callable[[Evaluation, int], None]
) -> Callable[[Evaluation], int]:
    """A closure for the number of elements that match. All elements are evaluated, in canonical order
    (transforms spec 4.1)."""
    table = _designator_table(node)
    if table is not None:
        return _matching_in(table, note)
    tests = [element.test for element in elements]

    def count(s: Evaluation) -> int:
        s.step()
        matches = 0
        for element, test in enumerate(tests):
            if test(s):
                matches += 1
                note(s, element)
        return matches

    return count


_Table = list[list[tuple[int, int]]]


def _designator_table(node: nodes.Orbit) -> _Table | None:
    """For an orbit of plain designators, a table with a row for each element. A row has one pair (index in
    `Evaluation.men`, squares) for each designator of the element. For all other orbits, the result is
    None."""
    table: _Table = []
    for element in node.elements:
        filters = element.filter.filters if isinstance(element.filter, nodes.Compound) else (element.filter,)
        row = []
        for each in filters:
            simple = closures_board.single_place(each)
            if simple is None:
                return None
            row.append(simple)
        table.append(row)
    return table


def _matching_in(table: _Table, note: Callable[[Evaluation, int], None]) -> Callable[[Evaluation], int]:
    """Like `_matching`, for elements in a table. The first two designators of each element are tested without
    an inner loop."""
    always = (OCCUPIED, 0)
    flat = [
        (element, *row[0], *(row[1] if len(row) > 1 else always), len(row) > 1, row[2:])
        for element, row in enumerate(table)
    ]

    def count(s: Evaluation) -> int:
        s.step()
        men = s.men
        matches = 0
        for element, place, area, second, other, paired, rest in flat:
            if not men[place] & area or (paired and not men[second] & other):
                continue
            for more, third in rest:
                if not men[more] & third:
                    break
            else:
                matches += 1
                note(s, element)
        return matches

    return count


@compiles(nodes.CurrentTransform)
def _current_transform(compiler: Compiler, node: nodes.CurrentTransform) -> Code:
    text = words.bracketed(node.applied)
    return code(Type.STRING, lambda s: text)
