"""Writes the orbit pass: a second function of a query that finds which orbit elements matched at a hit.

This function runs only at hits and visits every element. The query itself stops at the first element that
matches. The function is written only if the interpreter would find the same elements. Every successful
evaluation must therefore reach every outermost orbit. All evaluations of an element at one position must give
the same result. The interpreter must find the elements of orbits under `not`, in `find`, in paths and in
loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from cqlgui.cql.ast import nodes, nodes_moves
from cqlgui.engine.lowering import blocks, lowering_orbits
from cqlgui.engine.lowering.blocks import integer
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import Scope
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

WORD_BITS = 64

Matched: TypeAlias = Callable[[Scope, nodes.Node, Value], None]
"""A function that writes additional notes about an element that matched. The last argument is the place of
the element among the bits of all elements."""


def words_of(sizes: Sequence[int]) -> list[int]:
    """For each orbit, the place of the orbit's first word in the output. The last number in the list is the
    total number of words."""
    places = [0]
    for size in sizes:
        places.append(places[-1] + -(-size // WORD_BITS))
    return places


def outermost(body: nodes.Node) -> list[nodes.Orbit]:
    """The outermost orbits of a filter. The matches of these orbits are noted."""
    return [node for node in nodes.walk(body) if isinstance(node, nodes.Orbit) and node.index >= 0]


def can_tell(low: Lowering, s: Scope, node: nodes.Node) -> bool:
    """Whether the orbits of a filter can be evaluated once more to find their matches, at a position where
    the filter holds."""
    if not outermost(node):
        return True
    match node:
        case nodes.Orbit():
            elements = [element.filter for element in node.elements]
            return not any(map(outermost, elements)) and all(low.is_steady(one) for one in elements)
        case nodes.Compound():
            return all(can_tell(low, s, one) for one in node.filters)
        case nodes.Compare(operator="!=") if not low.is_set(node.left) or not low.is_set(node.right):
            # For these operands, `!=` means `not ==`, and the interpreter must find elements under `not`.
            return False
        case nodes.Compare() | nodes.SetOperation():
            # If the filter holds, both sides were evaluated. Dashes are not compiled here, because the truth
            # and the value of a dash may come from different moves.
            dashes = any(isinstance(one, nodes_moves.Dash) for one in nodes.walk(node))
            return not dashes and all(_can_tell_operand(low, s, one) for one in (node.left, node.right))
        case nodes.Logic():
            # The right side of an `or` is evaluated only if the left side fails. The left side is therefore
            # tested again, and the second test must give the result of the first test.
            asked = node.word == "and" or low.is_steady(node.left)
            return asked and can_tell(low, s, node.left) and can_tell(low, s, node.right)
        case nodes.NoTransform():
            return can_tell(low, s, node.operand)
        case nodes.Count():
            return _can_tell_operand(low, s, node.operand)
        case _:
            return False


def _can_tell_operand(low: Lowering, s: Scope, node: nodes.Node) -> bool:
    return can_tell(low, s, node) and (not _may_fail(low, node) or low.is_steady(node))


def _may_fail(low: Lowering, node: nodes.Node) -> bool:
    """Whether an operand may fail although the filter around the operand holds. For example, an empty set
    fails, but an empty set can be counted. Matches in an operand that fails do not count."""
    return bool(outermost(node)) and not isinstance(node, nodes.Orbit) and low.is_set(node)


def write(
    low: Lowering,
    s: Scope,
    node: nodes.Node,
    out: Value,
    places: Sequence[int],
    matched: Matched | None = None,
) -> None:
    """Write code that notes which elements matched in a filter that holds. The block is open at the end.
    `places` is the result of `words_of`. The code sets the bits of elements in `out`. `matched` writes
    additional notes about an element."""
    if not outermost(node):
        return
    f = s.f
    match node:
        case nodes.Orbit():
            _orbit(low, s, node, out, places[node.index], matched)
        case nodes.Compound():
            for one in node.filters:
                write(low, s, one, out, places, matched)
        case nodes.Logic(word="and"):
            write(low, s, node.left, out, places, matched)
            write(low, s, node.right, out, places, matched)
        case nodes.Compare() | nodes.SetOperation():
            _write_operand(low, s, node.left, out, places, matched)
            _write_operand(low, s, node.right, out, places, matched)
        case nodes.Logic():
            left, right, after = f.label(), f.label(), f.label()
            low.test(s, node.left, left, right)
            f.begin(left)
            write(low, s, node.left, out, places, matched)
            f.jump(after)
            f.begin(right)
            write(low, s, node.right, out, places, matched)
            f.jump(after)
            f.begin(after)
        case nodes.NoTransform():
            write(low, s, node.operand, out, places, matched)
        case nodes.Count():
            _write_operand(low, s, node.operand, out, places, matched)
        case _:
            raise AssertionError(f"{type(node).__name__} cannot be told")


def _write_operand(
    low: Lowering,
    s: Scope,
    node: nodes.Node,
    out: Value,
    places: Sequence[int],
    matched: Matched | None,
) -> None:
    if not _may_fail(low, node):
        write(low, s, node, out, places, matched)
        return
    holds, after = s.f.label(), s.f.label()
    low.test(s, node, holds, after)
    s.f.begin(holds)
    write(low, s, node, out, places, matched)
    s.f.jump(after)
    s.f.begin(after)


def _orbit(
    low: Lowering, s: Scope, node: nodes.Orbit, out: Value, first: int, matched: Matched | None
) -> None:
    f = s.f

    def note(element: Value) -> None:
        at = f.binary("add", f.binary("shr", element, integer(6)), integer(first))
        inside = f.binary("and", element, integer(WORD_BITS - 1))
        bit = f.binary("shl", blocks.word(1), f.converted(inside, Scalar.WORD))
        f.store(f.binary("or", f.load(out, at), bit), out, at)

    groups = None if matched is not None else lowering_orbits.moved_about(low, s, node)
    for group in groups or ():
        following = f.label()
        found = lowering_orbits.placed(low, s, group, following)
        numbers = low.table(group.numbers)
        with blocks.each_square(s, found, after=following) as (square, again):
            note(f.converted(f.load(numbers, f.unary("lowest", square)), Scalar.INT))
            f.jump(again)
        f.begin(following)

    def each(inner: Scope, element: nodes.Node, number: Value, following: str) -> None:
        holds = f.label()
        low.test(inner, element, holds, following)
        f.begin(holds)
        note(number)
        if matched is not None:
            matched(inner, element, f.binary("add", number, integer(WORD_BITS * first)))
        f.jump(following)

    if groups is None:
        lowering_orbits.each_element(low, s, node, each)
