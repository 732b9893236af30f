"""Rules for orbits. If an orbit has few elements, the code of the elements is written one after the other. If
an orbit has many elements, one body of code runs over a table with a row for each element.

Elements of an orbit have one shape and differ in the parts of their leaf filters. If these parts can be given
as numbers, the body is written once, and the parts come from the rows of a constant table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from cqlgui.base import priority
from cqlgui.base.data import dataclass, fields, replace
from cqlgui.board import men as board_men
from cqlgui.board import squares
from cqlgui.cql.ast import nodes, nodes_paths, nodes_squares
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_board
from cqlgui.cql.source.diagnostics import Span
from cqlgui.engine.lowering import blocks, lowering_board, lowering_logic, lowering_notes, ordering
from cqlgui.engine.lowering.blocks import integer, word
from cqlgui.engine.lowering.dispatch import NUMBERS, SETS, TESTS, Lowering
from cqlgui.engine.lowering.scope import Number, Row, Scope
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

_UNROLLED: Final = 120
"""The maximum number of nodes in elements that are written one after the other."""
_UNROLLED_AT_WORST: Final = 2_000
"""The limit in place of `_UNROLLED` if no table is possible."""

_Each = Callable[[Scope, nodes.Node, Value, str], None]
"""A function that writes an element. The last two arguments are the number of the element and the label after
the element. The function must end the block."""


def each_element(low: Lowering, s: Scope, node: nodes.Orbit, each: _Each) -> bool:
    """Write all elements. The block after the elements is open at the end. Returns False if the elements are
    not compiled."""
    weight = sum(_weight(one) for element in node.elements for one in nodes.walk(element.filter))
    table = None
    if weight > _UNROLLED and s.row is None:
        table = _table([element.filter for element in node.elements])
    f = s.f
    if table is None:
        if weight > _UNROLLED_AT_WORST:
            low.leave_out(s, node, f"an orbit of {len(node.elements)} elements cannot be made a table")
            return False
        for number, element in enumerate(node.elements):
            following = f.label()
            each(s, element.filter, integer(number), following)
            f.begin(following)
        return True
    columns, numbers = table
    width = len(numbers) // len(node.elements)
    rows = low.table(numbers)
    after = f.label()
    low.spend(s, len(node.elements), after)
    with blocks.each_number(s, integer(0), integer(len(node.elements)), after=after) as (row, following):
        first = f.binary("mul", row, integer(width))
        inner = replace(s, row=Row(rows, first, columns), known={})
        each(inner, node.elements[0].filter, row, following)
    f.begin(after)
    return True


def _weight(node: nodes.Node) -> int:
    """The weight of a node without its children. A placement and its designators together have the weight 13.
    The code of a placement does not test the squares one by one: it makes one test for each kind of man."""
    return 13 - len(node.squares) if isinstance(node, nodes_squares.Placement) else 1


def _table(elements: Sequence[nodes.Node]) -> tuple[dict[int, dict[str, int]], list[int]] | None:
    """The table of the differences between elements. Returns the columns and the rows. The key of a column
    has the `id` of a leaf filter in the first element, and the name of a part of this leaf filter. The rows
    are in one list, one row after the other. None if a difference cannot be given as a number, or if there is
    no difference."""
    parts = [_parts(element) for element in elements]
    if any(one is None or len(one) != len(parts[0] or ()) for one in parts):
        return None
    columns: dict[int, dict[str, int]] = {}
    values: list[list[int]] = []
    for alike in zip(*(one for one in parts if one is not None), strict=True):
        priority.pause()
        leaf = alike[0][0]
        names = list(alike[0][1])
        if any(type(one[0]) is not type(leaf) or list(one[1]) != names for one in alike):
            return None
        for name in names:
            numbers = [one[1][name] for one in alike]
            if len(set(numbers)) == 1:
                continue
            if name.startswith("men") and not _can_be_chosen(numbers):
                return None
            if not isinstance(leaf, _TOLD):
                return None
            columns.setdefault(id(leaf), {})[name] = len(values)
            values.append(numbers)
    if not values:
        return None
    return columns, [number for row in zip(*values, strict=True) for number in row]


_TOLD: Final = (nodes.Designator, nodes.SideToMove, nodes.Shade, nodes_squares.ColourNumber)
"""Leaf filters with rules that read the current row of the table."""


def _can_be_chosen(places: Sequence[int]) -> bool:
    """Whether one rule can find the men for all numbers in a column. All numbers must be man codes of single
    kinds of men, or all numbers must be numbers of sides (13 and 14)."""
    return all(place < 13 for place in places) or all(place in (13, 14) for place in places)


_Parts = list[tuple[nodes.Node, dict[str, Any]]]


def _parts(root: nodes.Node) -> _Parts | None:
    """For every node of an element, the numbers that distinguish the node from the corresponding nodes of
    other elements. None if numbers cannot describe all differences."""
    found: _Parts = []
    for node in nodes.walk(root):
        match node:
            case nodes.Designator():
                places = closures_board.places(node.men)
                numbers = {f"men{number}": place for number, place in enumerate(places)}
                found.append((node, {"squares": node.squares, **numbers}))
            case nodes.SideToMove():
                found.append((node, {"turn": int(node.colour == "black")}))
            case nodes.Shade():
                area = squares.LIGHT if node.shade == "light" else squares.DARK
                found.append((node, {"area": area}))
            case nodes_squares.ColourNumber():
                found.append((node, {"number": 1 if node.colour == "white" else -1}))
            case nodes_paths.Path() | nodes_paths.Line() if _keeps(node):
                # Every element bans its own positions, so the elements cannot share one body.
                return None
            case nodes.Orbit() | nodes.CurrentTransform() | nodes_squares.Placement():
                # A row of numbers cannot describe these filters. An inner orbit has its own elements, and the
                # code of a placement depends on all its squares.
                return None
            case _:
                found.append((node, {"rest": _rest(node)}))
    return found


def _keeps(node: nodes_paths.Path | nodes_paths.Line) -> bool:
    """Whether a path or line stores data that remain after its evaluation, or may reset data that other
    filters stored."""
    return any(
        isinstance(one, nodes.Assign)
        or (isinstance(one, nodes_paths.Path | nodes_paths.Line) and one.nestban)
        for one in nodes.walk(node)
    )


def _rest(node: nodes.Node) -> tuple[object, ...]:
    """The parts of a node other than its children and spans."""
    held: list[object] = [type(node)]
    for field in fields(node):
        value = getattr(node, field.name)
        if field.compare and not _has_nodes(value):
            held.append((field.name, value))
    return tuple(held)


def _has_nodes(value: object) -> bool:
    if isinstance(value, nodes.Range):
        return False
    if isinstance(value, tuple):
        return any(isinstance(one, nodes.Node) for one in value)
    return isinstance(value, nodes.Node)


# --- many elements at once ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OrbitGroup:
    """Elements with the same pattern of men on different squares of the board. `men` are the men of the
    pattern with their distances from the square of the first man. `rest` has the other filters that all these
    elements share. `anchors` are the squares of the first man in these elements. `numbers` has the number of
    the element for each square of `anchors`."""

    men: tuple[tuple[int, int], ...]
    rest: tuple[nodes.Node, ...]
    anchors: int
    numbers: tuple[int, ...]


_MOST_GROUPS: Final = 64


def moved_about(low: Lowering, s: Scope, node: nodes.Orbit) -> list[OrbitGroup] | None:
    """Describe an orbit as patterns of men on single squares. Each pattern is moved about the board. None if
    the orbit has another form, or if the patterns would not make the code shorter."""
    if len(node.elements) < 4 or s.row is not None:
        return None
    anchors: dict[tuple[tuple[tuple[int, int], ...], tuple[nodes.Node, ...]], int] = {}
    numbers: dict[object, list[int]] = {}
    for number, element in enumerate(node.elements):
        filters = element.filter.filters if isinstance(element.filter, nodes.Compound) else (element.filter,)
        men: list[tuple[int, int]] = []
        rest = []
        for one in filters:
            if (
                isinstance(one, nodes.Designator)
                and one.men != board_men.ANY_MASK
                and one.squares.bit_count() == 1
            ):
                men.append((one.men, one.squares.bit_length() - 1))
            elif low.is_idle(s, one):
                rest.append(one)
            else:
                return None
        if not men:
            return None
        first = men[0][1]
        pattern = tuple((kinds, square - first) for kinds, square in men), tuple(rest)
        # Two elements with the same first square would be counted as one.
        if anchors.get(pattern, 0) >> first & 1:
            return None
        anchors[pattern] = anchors.get(pattern, 0) | 1 << first
        numbers.setdefault(pattern, [0] * 64)[first] = number
    if len(anchors) > min(_MOST_GROUPS, len(node.elements) // 2):
        return None
    return [OrbitGroup(*pattern, found, tuple(numbers[pattern])) for pattern, found in anchors.items()]


def placed(low: Lowering, s: Scope, group: OrbitGroup, no: str) -> Value:
    """The squares where the first man of a pattern stands while all other men of the pattern are in place.
    Code goes to `no` if there are no squares, or if a filter of `group.rest` fails."""
    f = s.f
    found: Value = word(group.anchors)
    for kinds, distance in group.men:
        everywhere = nodes.Designator(_NOWHERE, kinds, squares.ALL)
        found = f.binary("and", found, blocks.shifted(f, low.set_of(s, everywhere), -distance))
    label = f.label()
    f.branch(blocks.not_empty(s, found), label, no)
    f.begin(label)
    for one in group.rest:
        good = f.label()
        low.test(s, one, good, no)
        f.begin(good)
    return found


_NOWHERE: Final = Span(0, 0)


def _any_placed(low: Lowering, s: Scope, groups: Sequence[OrbitGroup], yes: str, no: str) -> None:
    for group in groups:
        following = s.f.label()
        placed(low, s, group, following)
        s.f.jump(yes)
        s.f.begin(following)
    s.f.jump(no)


# --- what all elements ask ----------------------------------------------------------------------------------


def _parted(node: nodes.Orbit) -> tuple[tuple[nodes.Node, ...], nodes.Orbit]:
    """The filters that all elements of an orbit have in common, and the orbit without these filters. The
    common filters are tested only once. A single test is allowed only if the order of evaluation cannot be
    observed."""
    lists = [
        one.filter.filters if isinstance(one.filter, nodes.Compound) else (one.filter,)
        for one in node.elements
    ]
    common = tuple(one for one in lists[0] if all(one in own for own in lists[1:])) if lists else ()
    if not common:
        return (), node
    elements = []
    for element, own in zip(node.elements, lists, strict=True):
        span = element.filter.span
        rest = tuple(one for one in own if one not in common)
        if len(rest) == 1:
            body = rest[0]
        else:
            body = nodes.Compound(span, rest) if rest else nodes.Truth(span, True)
        elements.append(replace(element, filter=body))
    return common, replace(node, elements=tuple(elements))


# --- the rules ----------------------------------------------------------------------------------------------


def _orbit_test(low: Lowering, s: Scope, node: nodes.Orbit, yes: str, no: str) -> None:
    f = s.f
    kind = low.type_of(node)
    if node.range is not None:
        _orbit_number(low, s, node, no)
        f.jump(yes)
        return
    groups = None if low.writes(node) else moved_about(low, s, node)
    if groups is not None:
        _any_placed(low, s, groups, yes, no)
        return
    if not low.writes(node) and all(low.is_idle(s, element.filter) for element in node.elements):
        common, node = _parted(node)
        ordering.insist(low, s, common, no)

        def first(inner: Scope, element: nodes.Node, _number: Value, following: str) -> None:
            low.test(inner, element, yes, following)

        each_element(low, s, node, first)
        f.jump(no)
        return
    if kind is Type.SET and not low.is_apart(node):
        f.branch(blocks.not_empty(s, _orbit_set(low, s, node)), yes, no)
        return
    if kind is Type.NUMERIC and low.writes(node) and not low.is_apart(node):
        # Only the comments of the elements with the largest number stay.
        _orbit_number(low, s, node, no)
        f.jump(yes)
        return
    number = _matching(low, s, node)
    f.branch(f.compare("gt", number.value, integer(0)), yes, no)


def _note(low: Lowering, s: Scope, node: nodes.Orbit, number: Value) -> None:
    """Log a match of an element of an outermost orbit."""
    if low.writes(node) and node.index >= 0:
        bit = s.f.binary("add", number, integer(low.bits[node.index]))
        lowering_notes.note(low, s, lowering_notes.Form.MATCH, bit)


def _matching(low: Lowering, s: Scope, node: nodes.Orbit) -> Number:
    """The number of elements that match. All elements are evaluated."""
    f = s.f
    total = f.slot(Scalar.INT)
    f.store(integer(0), total)
    groups = None if low.writes(node) else moved_about(low, s, node)
    for group in groups or ():
        following = f.label()
        matches = f.unary("count", placed(low, s, group, following))
        f.store(f.binary("add", f.load(total), matches), total)
        f.jump(following)
        f.begin(following)

    def counted(inner: Scope, element: nodes.Node, number: Value, following: str) -> None:
        matched = f.label()
        low.test(inner, element, matched, following)
        f.begin(matched)
        _note(low, inner, node, number)
        f.store(f.binary("add", f.load(total), integer(1)), total)
        f.jump(following)

    if groups is None:
        after, own = f.label(), node
        if not low.writes(node) and all(low.is_idle(s, element.filter) for element in node.elements):
            common, own = _parted(node)
            ordering.insist(low, s, common, after)
        each_element(low, s, own, counted)
        f.begin(after)
    return Number(f.load(total), 0, len(node.elements))


def _orbit_number(low: Lowering, s: Scope, node: nodes.Orbit, fail: str) -> Number:
    if node.range is not None:
        return lowering_board.within(low, s, node.range, _matching(low, s, node), fail)

    def each(take: Callable[[Scope, Number, str], None]) -> None:
        def best(inner: Scope, element: nodes.Node, number: Value, following: str) -> None:
            taken = s.f.label()
            value = low.number(inner, element, following)
            _note(low, inner, node, number)
            take(inner, value, taken)
            s.f.jump(following)

        each_element(low, s, node, best)

    return lowering_logic.best_of(low, s, each, True, fail, logs=low.writes(node))


def _orbit_set(low: Lowering, s: Scope, node: nodes.Orbit) -> Value:
    f = s.f
    found = f.slot(Scalar.WORD)
    f.store(word(0), found)

    def joined(inner: Scope, element: nodes.Node, number: Value, following: str) -> None:
        area = low.set_of(inner, element)
        f.store(f.binary("or", f.load(found), area), found)
        if low.writes(node) and node.index >= 0:
            some = f.label()
            f.branch(blocks.not_empty(inner, area), some, following)
            f.begin(some)
            _note(low, inner, node, number)
        f.jump(following)

    each_element(low, s, node, joined)
    return f.load(found)


SETS[nodes.Orbit] = _orbit_set
NUMBERS[nodes.Orbit] = _orbit_number
TESTS[nodes.Orbit] = _orbit_test
