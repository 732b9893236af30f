"""Rules for conditions, comparisons, numbers, variables and control."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from math import isqrt
from typing import Final

from cqlgui.cql.ast import (
    nodes,
    nodes_facts,
    nodes_programs,
    nodes_squares,
    nodes_strings,
    nodes_studies,
    nodes_tree,
    repeatable,
    types,
)
from cqlgui.cql.ast.types import Type
from cqlgui.engine.kernels import routines_notes, routines_tree
from cqlgui.engine.lowering import blocks, lowering_board, lowering_notes, lowering_strings, ordering
from cqlgui.engine.lowering.blocks import integer, word
from cqlgui.engine.lowering.dispatch import NUMBERS, POSITIONS, SETS, TESTS, TEXTS, Lowering
from cqlgui.engine.lowering.scope import Number, Scope, Text
from cqlgui.engine.replaying import layout
from cqlgui.jit import emitter
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

# --- conditions ---------------------------------------------------------------------------------------------


def _compound(low: Lowering, s: Scope, node: nodes.Compound, yes: str, no: str) -> None:
    ordering.insist(low, s, node.filters, no)
    s.f.jump(yes)


def _compound_set(low: Lowering, s: Scope, node: nodes.Compound) -> Value:
    def fill(found: Callable[[Value], None]) -> None:
        no = s.f.label()
        ordering.insist(low, s, node.filters[:-1], no)
        found(low.set_of(s, node.filters[-1]))
        s.f.begin(no)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _compound_number(low: Lowering, s: Scope, node: nodes.Compound, fail: str) -> Number:
    ordering.insist(low, s, node.filters[:-1], fail)
    return low.number(s, node.filters[-1], fail)


def _compound_position(low: Lowering, s: Scope, node: nodes.Compound, fail: str) -> Value:
    ordering.insist(low, s, node.filters[:-1], fail)
    return low.position(s, node.filters[-1], fail)


def _not(low: Lowering, s: Scope, node: nodes.Not, yes: str, no: str) -> None:
    with _forgetting(low, s, yes, no) as (passed, failed):
        low.test(s, node.operand, failed, passed)


@contextlib.contextmanager
def _forgetting(low: Lowering, s: Scope, yes: str, no: str) -> Iterator[tuple[str, str]]:
    """Two labels. The code at these labels removes all events that were added in the meantime, and goes to
    `yes` or `no`. A negation removes the events of its operand in any case. A negation that fails may do no
    harm to the filter around it, as in `str (not find check)`."""
    if low.writing is None:
        yield yes, no
        return
    f = s.f
    noted, passed, failed = low.noted(s), f.label(), f.label()
    yield passed, failed
    for label, target in ((passed, yes), (failed, no)):
        f.begin(label)
        f.store(noted, s.frame, integer(layout.NOTED))
        f.jump(target)


def _logic(low: Lowering, s: Scope, node: nodes.Logic, yes: str, no: str) -> None:
    following = s.f.label()
    if node.word == "and":
        low.test(s, node.left, following, no)
    else:
        low.test(s, node.left, yes, following)
    s.f.begin(following)
    low.test(s, node.right, yes, no)


def _truth(low: Lowering, s: Scope, node: nodes.Truth, yes: str, no: str) -> None:
    s.f.jump(yes if node.value else no)


def _in(low: Lowering, s: Scope, node: nodes.In, yes: str, no: str) -> None:
    if not low.is_set(node.left):
        lowering_strings.contained(low, s, node, yes, no)
        return
    left, right = low.set_of(s, node.left), low.set_of(s, node.right)
    outside = s.f.binary("and", left, s.f.inverted(right))
    s.f.branch(s.f.compare("eq", outside, word(0)), yes, no)


def _operands(low: Lowering, s: Scope, node: nodes.Compare, fail: str) -> tuple[Value, Value, Number]:
    """Both sides of a comparison, and the left side as a number."""
    if low.type_of(node.left) is Type.POSITION:
        first = low.position(s, node.left, fail)
        second = low.position(s, node.right, fail)
        return first, second, Number(first, 0, layout.STEPS_AT_MOST)
    left = low.measured(s, node.left, fail)
    right = low.measured(s, node.right, fail)
    return left.value, right.value, left


def _compare(low: Lowering, s: Scope, node: nodes.Compare, yes: str, no: str) -> None:
    f = s.f
    if low.is_set(node.left) and low.is_set(node.right):
        first, second = low.set_of(s, node.left), low.set_of(s, node.right)
        f.branch(f.compare(lowering_strings.RELATIONS[node.operator], first, second), yes, no)
        return
    if node.operator == "!=" and low.type_of(node.left) is not Type.POSITION:
        # For numbers and strings, `!=` means `not ==`, even if a value is missing.
        with _forgetting(low, s, yes, no) as (passed, failed):
            _compare_values(low, s, node, passed, passed, failed)
    else:
        # Both positions must exist.
        _compare_values(low, s, node, yes, no, no)


def _compare_values(low: Lowering, s: Scope, node: nodes.Compare, yes: str, lacking: str, no: str) -> None:
    """Compare two numbers, strings or positions. Go to `lacking` if one of them is missing."""
    if low.type_of(node.left) is Type.STRING:
        lowering_strings.compared(low, s, node, yes, lacking, no)
        return
    first, second, _ = _operands(low, s, node, lacking)
    holds = s.f.compare(lowering_strings.RELATIONS[node.operator], first, second)
    s.f.branch(holds, yes, no)


def _compare_number(low: Lowering, s: Scope, node: nodes.Compare, fail: str) -> Number:
    f = s.f
    first, second, left = _operands(low, s, node, fail)
    holds = f.label()
    f.branch(f.compare(lowering_strings.RELATIONS[node.operator], first, second), holds, fail)
    f.begin(holds)
    return left


def _compare_position(low: Lowering, s: Scope, node: nodes.Compare, fail: str) -> Value:
    return _compare_number(low, s, node, fail).value


# --- where the position stands ------------------------------------------------------------------------------


def _state(low: Lowering, s: Scope, node: nodes.State, yes: str, no: str) -> None:
    f = s.f
    match node.word:
        case "check" | "mate" | "stalemate":
            holds = blocks.call(s, lowering_board.STATES[node.word], s.here)
        case "initial":
            holds = f.compare("eq", blocks.field_of(s, layout.ID), word(0))
        case "terminal":
            holds = f.compare("eq", blocks.field_of(s, layout.CHILD), word(layout.NONE))
        case "mainline":
            holds = f.compare("eq", blocks.field_of(s, layout.DEPTH), word(0))
        case "variation":
            holds = f.compare("ne", blocks.field_of(s, layout.DEPTH), word(0))
        case "castle" | "o-o" | "o-o-o":
            holds = castled(s, blocks.field_of(s, layout.MOVE), node.word)
        case "virtualmainline":
            low.buffered = low.doubts = True
            holds = blocks.call(s, routines_tree.in_virtual_mainline, s.records, s.frame, s.place)
        case "extension":
            holds = emitter.FALSE
    f.branch(holds, yes, no)


def castled(s: Scope, move: Value, side: str) -> Value:
    """Whether a move is castling. `side` is `o-o`, `o-o-o`, or `castle` for both sides."""
    f = s.f
    castles = f.compare("eq", f.binary("shr", move, word(12)), word(2))
    if side == "castle":
        return castles
    rook = f.binary("and", f.binary("shr", move, word(6)), word(63))
    king = f.binary("and", move, word(63))
    return f.binary("and", castles, f.compare("gt" if side == "o-o" else "lt", rook, king))


_LONGEST: Final = 1 << 24
"""A game has fewer plies and fewer positions than this limit."""


def _measure(low: Lowering, s: Scope, node: nodes.Measure, fail: str) -> Number:
    f = s.f

    def number(place: int) -> Value:
        return f.converted(blocks.field_of(s, place), Scalar.INT)

    match node.word:
        case "ply":
            return Number(number(layout.PLY), 0, _LONGEST)
        case "positionid":
            return Number(number(layout.ID), 0, _LONGEST)
        case "depth":
            return Number(number(layout.DEPTH), 0, _LONGEST)
        case "movenumber":
            # The sides alternate. `first` is 0 if White is to move at the root, and 1 if Black is to move at
            # the root.
            first = f.binary("and", f.binary("xor", number(layout.PLY), number(layout.TURN)), integer(1))
            half = f.binary("shr", f.binary("add", number(layout.PLY), first), integer(1))
            return Number(f.binary("add", half, integer(1)), 1, _LONGEST)
        case "sidetomove":
            twice = f.binary("mul", number(layout.TURN), integer(2))
            return Number(f.binary("sub", integer(1), twice), -1, 1)
        case "gamenumber":
            given = f.load(s.frame, integer(layout.GAMENUMBER))
            return Number(f.converted(given, Scalar.INT), 0, 1 << 40)
        case "try":
            low.buffered = low.doubts = True
            found = blocks.call(s, routines_tree.tries, s.records, s.frame, s.place)
            once = f.label()
            f.branch(f.compare("eq", found, integer(1)), once, fail)
            f.begin(once)
            return blocks.constant(1)
        case _:
            low.leave_out(s, node, f"{node.word} is not compiled")
            return blocks.constant(0)


def _study_sort(low: Lowering, s: Scope, node: nodes_studies.StudySort, yes: str, no: str) -> None:
    """`hhdb sort` holds if the study of the game has an award of the category in the filter."""
    low.test(s, nodes_studies.StudyAward(node.span, node.category, node.special, max=False), yes, no)


def _colour_number(low: Lowering, s: Scope, node: nodes_squares.ColourNumber, fail: str) -> Number:
    given = blocks.leaf(s, node, "number")
    if given is not None:
        return Number(s.f.converted(given, Scalar.INT), -1, 1)
    return blocks.constant(1 if node.colour == "white" else -1)


# --- numbers ------------------------------------------------------------------------------------------------


def _number(low: Lowering, s: Scope, node: nodes.Number, fail: str) -> Number:
    return low.limited(s, node, lambda: integer(node.value), node.value, node.value)


def _arithmetic(low: Lowering, s: Scope, node: nodes.Arithmetic, fail: str) -> Number:
    a, b = low.number(s, node.left, fail), low.number(s, node.right, fail)
    return _calculated(low, s, node.operator, a, b, fail)


_CALCULATED: Final = {"+": "add", "-": "sub", "*": "mul"}
_FACTOR: Final = 1 << 31
_SUMMAND: Final = 1 << 61
"""Products of numbers above `_FACTOR` and sums of numbers above `_SUMMAND` might not fit into 64 bits."""


def _calculated(low: Lowering, s: Scope, sign: str, a: Number, b: Number, fail: str) -> Number:
    """The sum, difference, product, quotient or remainder of two numbers. If a number is too large, the game
    is doubtful."""
    if sign in "/%":
        return _divided(s, sign == "/", a, b, fail)
    limit = _FACTOR if sign == "*" else _SUMMAND
    a, b = _kept_below(low, s, a, limit), _kept_below(low, s, b, limit)
    value = s.f.binary(_CALCULATED[sign], a.value, b.value)
    if sign == "*":
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return Number(value, min(corners), max(corners))
    if sign == "-":
        return Number(value, a.low - b.high, a.high - b.low)
    return Number(value, a.low + b.low, a.high + b.high)


def _kept_below(low: Lowering, s: Scope, number: Number, limit: int) -> Number:
    if -limit <= number.low and number.high <= limit:
        return number
    f = s.f
    small = f.binary("and", f.compare("ge", number.value, integer(-limit)),
                     f.compare("le", number.value, integer(limit)))  # fmt: skip
    low.doubt_unless(s, small)
    return Number(number.value, max(number.low, -limit), min(number.high, limit))


def _divided(s: Scope, quotient: bool, a: Number, b: Number, fail: str) -> Number:
    """The quotient or remainder, rounded towards zero. Code goes to `fail` if the divisor is 0."""
    f = s.f
    good = f.label()
    f.branch(f.compare("ne", b.value, integer(0)), good, fail)
    f.begin(good)
    x, y = _absolute(s, a.value), _absolute(s, b.value)
    found = f.binary("div" if quotient else "mod", x, y)
    negative = f.compare("lt", f.binary("xor", a.value, b.value) if quotient else a.value, integer(0))
    most = max(abs(a.low), abs(a.high))
    return Number(f.select(negative, f.binary("sub", integer(0), found), found), -most, most)


def _absolute(s: Scope, value: Value) -> Value:
    f = s.f
    return f.select(f.compare("lt", value, integer(0)), f.binary("sub", integer(0), value), value)


def _negate(low: Lowering, s: Scope, node: nodes.Negate, fail: str) -> Number:
    x = low.number(s, node.operand, fail)
    return Number(s.f.binary("sub", integer(0), x.value), -x.high, -x.low)


def _numeric(low: Lowering, s: Scope, node: nodes.Numeric, fail: str) -> Number:
    x = low.number(s, node.operand, fail)
    if node.word == "abs":
        return Number(_absolute(s, x.value), 0, max(abs(x.low), abs(x.high)))
    f = s.f
    good = f.label()
    f.branch(f.compare("ge", x.value, integer(0)), good, fail)
    f.begin(good)
    found = blocks.call(s, routines_tree.square_root, x.value)
    return Number(found, 0, isqrt(max(x.high, 0)))


def _count(low: Lowering, s: Scope, node: nodes.Count, fail: str) -> Number:
    if not low.is_set(node.operand):
        return lowering_strings.length(low, s, node.operand, fail)
    return blocks.count(s, low.set_of(s, node.operand))


def _extremum(low: Lowering, s: Scope, node: nodes.Extremum, fail: str) -> Number:
    def each(take: Callable[[Scope, Number, str], None]) -> None:
        for one in node.operands:
            following = s.f.label()
            take(s, low.number(s, one, following), following)

    return best_of(low, s, each, node.word == "max", fail, logs=low.writes(node))


def _forget(s: Scope, start: Value, mark: Value, better: Value, worse: Value) -> None:
    """Remove comments from the log. If the last number is `better`, the comments before it are removed. If
    the last number is `worse`, its own comments are removed. `start` is the number of events before the first
    number, and `mark` has the number of events before the last number."""
    f = s.f
    keep, drop, after, other = f.label(), f.label(), f.label(), f.label()
    ends = f.converted(start, Scalar.INT), f.converted(f.load(mark), Scalar.INT)
    f.branch(better, keep, other)
    f.begin(keep)
    f.call(routines_notes.cut.callee, (s.frame, *ends))
    f.jump(after)
    f.begin(other)
    f.branch(worse, drop, after)
    f.begin(drop)
    f.call(routines_notes.cut.callee, (s.frame, ends[1], integer(layout.MOST_EVENTS)))
    f.jump(after)
    f.begin(after)
    f.store(f.load(s.frame, integer(layout.NOTED)), mark)


def best_of(
    low: Lowering,
    s: Scope,
    each: Callable[[Callable[[Scope, Number, str], None]], None],
    largest: bool,
    fail: str,
    *,
    logs: bool,
    ties: bool = True,
) -> Number:
    """The largest or smallest of several numbers. `each` receives a function. For every number, `each` calls
    this function with a scope, the number and the label where code continues. With `logs`, only the comments
    about the best number stay in the log. With `ties`, comments about equally good numbers stay too."""
    f = s.f
    start = low.noted(s) if logs else word(0)
    mark = f.slot(Scalar.WORD)
    f.store(start, mark)
    best, known = f.slot(Scalar.INT), f.slot(Scalar.BOOL)
    f.store(emitter.FALSE, known)
    f.store(integer(0), best)
    least, most = 1 << 70, -(1 << 70)

    def take(inner: Scope, number: Number, following: str) -> None:
        nonlocal least, most
        least, most = min(least, number.low), max(most, number.high)
        better = f.compare("gt" if largest else "lt", number.value, f.load(best))
        first = f.inverted(f.load(known))
        if logs:
            worse, equal = (
                f.inverted(f.binary("or", first, better)),
                f.compare("eq", number.value, f.load(best)),
            )
            if ties:
                worse = f.binary("and", worse, f.inverted(equal))
            _forget(s, start, mark, f.binary("or", first, better), worse)
        f.store(f.select(f.binary("or", first, better), number.value, f.load(best)), best)
        f.store(emitter.TRUE, known)
        f.begin(following)

    each(take)
    good = f.label()
    f.branch(f.load(known), good, fail)
    f.begin(good)
    return Number(f.load(best), min(least, 0), max(most, 0))


# --- variables ----------------------------------------------------------------------------------------------


def _name_set(low: Lowering, s: Scope, node: nodes.Name) -> Value:
    return lowering_board.name_set(low, s, node.name, low.type_of(node) is Type.PIECE)


def _name_number(low: Lowering, s: Scope, node: nodes.Name, fail: str) -> Number:
    return Number(s.f.converted(low.read(s, node.name), Scalar.INT), -(1 << 31), 1 << 31)


def _name_position(low: Lowering, s: Scope, node: nodes.Name, fail: str) -> Value:
    # In a doubtful game, the variable may hold a number that is not a position. Place 0 replaces this number,
    # so that code never reads outside the records.
    place = s.f.converted(low.read(s, node.name), Scalar.INT)
    count = s.f.converted(s.f.load(s.frame, integer(layout.COUNT)), Scalar.INT)
    return s.f.select(s.f.compare("lt", place, count), place, integer(0))


def _name_test(low: Lowering, s: Scope, node: nodes.Name, yes: str, no: str) -> None:
    match low.type_of(node):
        case Type.SET | Type.PIECE:
            s.f.branch(blocks.not_empty(s, _name_set(low, s, node)), yes, no)
        case Type.NUMERIC | Type.POSITION | Type.STRING:
            low.read(s, node.name)
            s.f.jump(yes)
        case _:
            low.leave_out(s, node)
            s.f.jump(no)


_SET_UPDATES: Final = {"|=": "or", "&=": "and"}


def _assign(low: Lowering, s: Scope, node: nodes.Assign, yes: str, no: str) -> None:
    f = s.f
    kind = types.valued(low.type_of(node.value))
    if kind is Type.STRING and not node.persistent:
        value = lowering_strings.assigned(low, s, node, no)
        low.write(s, node.name, value)
        f.jump(yes)
        return
    if kind not in (Type.SET, Type.NUMERIC, Type.POSITION) or low.is_looped(node.name):
        low.leave_out(s, node, "a variable of this type is not compiled")
        f.jump(no)
        return
    if node.operator in ("=", "=?"):
        if kind is Type.SET:
            value = low.set_of(s, node.value)
        elif kind is Type.NUMERIC:
            value = f.converted(low.bounded(s, low.number(s, node.value, no)), Scalar.WORD)
        else:
            value = f.converted(low.position(s, node.value, no), Scalar.WORD)
        if node.operator == "=?":
            # `=?` fails for the empty set, for the number 0 and for position 0.
            good = f.label()
            f.branch(f.compare("ne", value, word(0)), good, no)
            f.begin(good)
        low.write(s, node.name, value)
        f.jump(yes)
        return
    old = low.read(s, node.name)
    if node.operator in _SET_UPDATES:
        if kind is not Type.SET:
            low.leave_out(s, node)
            f.jump(no)
            return
        low.write(s, node.name, f.binary(_SET_UPDATES[node.operator], old, low.set_of(s, node.value)))
        f.jump(yes)
        return
    x = Number(f.converted(old, Scalar.INT), -(1 << 31), 1 << 31)
    y = low.measured(s, node.value, no)
    new = _calculated(low, s, node.operator[0], x, y, no)
    low.write(s, node.name, f.converted(low.bounded(s, new), Scalar.WORD))
    f.jump(yes)


def _is_bound(low: Lowering, s: Scope, node: nodes_programs.IsBound, yes: str, no: str) -> None:
    f = s.f
    if node.name in low.names.dictionaries:
        # A dictionary always exists, also without entries.
        f.jump(yes if node.bound else no)
        return
    if low.is_looped(node.name):
        f.jump(yes if (node.name in s.loops) is node.bound else no)
        return
    has = f.compare("ne", f.load(s.frame, integer(low.slot(node.name) + 1)), word(0))
    f.branch(has, *((yes, no) if node.bound else (no, yes)))


# --- control ------------------------------------------------------------------------------------------------


def _if(low: Lowering, s: Scope, node: nodes_programs.If, yes: str, no: str) -> None:
    then, otherwise = s.f.label(), s.f.label()
    low.test(s, node.condition, then, otherwise)
    s.f.begin(then)
    low.test(s, node.then, yes, no)
    s.f.begin(otherwise)
    if node.otherwise is None:
        s.f.jump(yes)
    else:
        low.test(s, node.otherwise, yes, no)


def _if_ways(low: Lowering, s: Scope, node: nodes_programs.If) -> tuple[str, str, nodes.Node]:
    assert node.otherwise is not None
    then, otherwise = s.f.label(), s.f.label()
    low.test(s, node.condition, then, otherwise)
    return then, otherwise, node.otherwise


def _if_set(low: Lowering, s: Scope, node: nodes_programs.If) -> Value:
    def fill(found: Callable[[Value], None]) -> None:
        then, otherwise, other = _if_ways(low, s, node)
        s.f.begin(then)
        found(low.set_of(s, node.then))
        s.f.begin(otherwise)
        found(low.set_of(s, other))

    return blocks.joined(s, Scalar.WORD, fill)


def _if_number(low: Lowering, s: Scope, node: nodes_programs.If, fail: str) -> Number:
    bounds: list[Number] = []

    def fill(found: Callable[[Value], None]) -> None:
        then, otherwise, other = _if_ways(low, s, node)
        for label, part in ((then, node.then), (otherwise, other)):
            s.f.begin(label)
            bounds.append(low.number(s, part, fail))
            found(bounds[-1].value)

    value = blocks.joined(s, Scalar.INT, fill)
    return Number(value, min(one.low for one in bounds), max(one.high for one in bounds))


def _if_position(low: Lowering, s: Scope, node: nodes_programs.If, fail: str) -> Value:
    def fill(found: Callable[[Value], None]) -> None:
        then, otherwise, other = _if_ways(low, s, node)
        s.f.begin(then)
        found(low.position(s, node.then, fail))
        s.f.begin(otherwise)
        found(low.position(s, other, fail))

    return blocks.joined(s, Scalar.INT, fill)


def _loop(low: Lowering, s: Scope, node: nodes_programs.Loop, yes: str, no: str) -> None:
    f = s.f
    begun = f.slot(Scalar.BOOL)
    head, again, over = f.label(), f.label(), f.label()
    f.store(emitter.FALSE, begun)
    f.begin(head)
    low.spend(s, 1, over)
    # The operand is written only once, because a filter in the operand may keep data from one run to the
    # next. Two copies of the filter would not share these data.
    low.test(s, node.operand, again, over)
    f.begin(again)
    f.store(emitter.TRUE, begun)
    _go_round(low, s, node, head, over)
    f.begin(over)
    f.branch(f.load(begun), yes, no)


def _while(low: Lowering, s: Scope, node: nodes_programs.While, yes: str, no: str) -> None:
    if node.iterates:
        low.leave_out(s, node, "strings are not compiled")
        s.f.jump(yes)
        return
    f = s.f
    head, inside = f.label(), f.label()
    f.begin(head)
    low.spend(s, 1, yes)
    low.test(s, node.condition, inside, yes)
    f.begin(inside)
    round_again = f.label()
    low.test(s, node.body, round_again, round_again)
    f.begin(round_again)
    _go_round(low, s, node, head, yes)


def _go_round(
    low: Lowering, s: Scope, node: nodes_programs.Loop | nodes_programs.While, head: str, out: str
) -> None:
    """Go to `head` for the next run of a loop. If nothing in the loop changes its condition, the game is
    doubtful instead, and code goes to `out`: the interpreter tells the fault (`repeatable.is_endless`)."""
    if repeatable.is_endless(node):
        low.doubt(s)
        s.f.jump(out)
    else:
        s.f.jump(head)


def _assert(low: Lowering, s: Scope, node: nodes_programs.Assert, yes: str, no: str) -> None:
    f = s.f
    bad = f.label()
    if isinstance(node.operand, nodes.Name):
        _is_bound(low, s, nodes_programs.IsBound(node.span, node.operand.name, True), yes, bad)
    else:
        low.test(s, node.operand, yes, bad)
    f.begin(bad)
    low.doubt(s)
    f.jump(no)


def _nothing(low: Lowering, s: Scope, node: nodes.Node, yes: str, no: str) -> None:
    """Write a filter that always holds. The filter has no effect in a game that does not match."""
    s.f.jump(yes)


def _set_tag(low: Lowering, s: Scope, node: nodes_facts.SetTag, yes: str, no: str) -> None:
    """Write a filter that sets a tag. The tag matters only for the details of a game that matches."""
    if low.writing is not None:
        lowering_notes.set_tag(low, s, node, no)
        s.f.jump(yes)
        return
    match node.operand:
        case nodes.String():
            s.f.jump(yes)
        case nodes_strings.Str():
            _texts(low, s, node.operand.parts)
            s.f.jump(yes)
        case _:
            low.text(s, node.operand, no)
            s.f.jump(yes)


def _remove_comment(low: Lowering, s: Scope, node: nodes_facts.RemoveComment, yes: str, no: str) -> None:
    if low.writing is not None:
        lowering_notes.remove_comment(low, s)
    s.f.jump(yes)


def _comment(low: Lowering, s: Scope, node: nodes.Comment, yes: str, no: str) -> None:
    add_comment(low, s, node)
    s.f.jump(yes)


def add_comment(low: Lowering, s: Scope, node: nodes.Comment) -> None:
    """Write a comment at the position of the scope, if code keeps a log. The block is open at the end."""
    if low.writing is not None:
        lowering_notes.comment(low, s, node)
    else:
        _texts(low, s, node.parts)


def _texts(low: Lowering, s: Scope, parts: tuple[nodes.Node, ...]) -> None:
    """Compile the parts of a text that is not written. The text always has a value."""
    for part in parts:
        # A part of a text that is only a variable's name never faults.
        if not isinstance(part, nodes.Name | nodes.String) and not low.is_idle(s, part):
            low.leave_out(s, part, "what a comment says may fault or assign")


def _call_arguments(low: Lowering, s: Scope, node: nodes_programs.Call, fail: str) -> None:
    """Evaluate all arguments of a call, and then assign the values to the function's hidden variables."""
    given: list[tuple[str, Value]] = []
    for argument, hidden in zip(node.arguments, node.hidden, strict=True):
        if not hidden:
            continue
        match types.valued(low.type_of(argument)):
            case Type.SET:
                value = low.set_of(s, argument)
            case Type.NUMERIC:
                number = low.bounded(s, low.number(s, argument, fail))
                value = s.f.converted(number, Scalar.WORD)
            case Type.POSITION:
                value = s.f.converted(low.position(s, argument, fail), Scalar.WORD)
            case _:
                low.leave_out(s, argument, "an argument of this type is not compiled")
                continue
        given.append((hidden, value))
    for hidden, value in given:
        low.write(s, hidden, value)


def _call(low: Lowering, s: Scope, node: nodes_programs.Call, yes: str, no: str) -> None:
    _call_arguments(low, s, node, no)
    low.test(s, node.body, yes, no)


def _call_set(low: Lowering, s: Scope, node: nodes_programs.Call) -> Value:
    def fill(found: Callable[[Value], None]) -> None:
        fail = s.f.label()
        _call_arguments(low, s, node, fail)
        found(low.set_of(s, node.body))
        s.f.begin(fail)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _call_number(low: Lowering, s: Scope, node: nodes_programs.Call, fail: str) -> Number:
    _call_arguments(low, s, node, fail)
    return low.number(s, node.body, fail)


def _call_position(low: Lowering, s: Scope, node: nodes_programs.Call, fail: str) -> Value:
    _call_arguments(low, s, node, fail)
    return low.position(s, node.body, fail)


def _equal(low: Lowering, s: Scope, node: nodes_tree.Equal, yes: str, no: str) -> None:
    f = s.f
    left, right = low.type_of(node.left), low.type_of(node.right)
    if left in types.SETS and right in types.SETS:
        a, b = low.set_of(s, node.left), low.set_of(s, node.right)
        f.branch(f.compare("eq", a, b), yes, no)
    elif left is right is Type.LOGICAL:
        first = blocks.truth(s, lambda good, bad: low.test(s, node.left, good, bad))
        second = blocks.truth(s, lambda good, bad: low.test(s, node.right, good, bad))
        f.branch(f.compare("eq", first, second), yes, no)
    elif left is right and left in (Type.NUMERIC, Type.POSITION):
        values = []
        for part in (node.left, node.right):
            values.append(_maybe(low, s, part, left))
        same = f.compare("eq", values[0], values[1])
        f.branch(same, yes, no)
    else:
        low.leave_out(s, node, "values of these types are not compared")
        f.jump(no)


def _maybe(low: Lowering, s: Scope, node: nodes.Node, kind: Type) -> Value:
    """The value of a filter that is a number or a position. Without a value, the result is the smallest
    integer."""

    def fill(found: Callable[[Value], None]) -> None:
        fail = s.f.label()
        found(low.position(s, node, fail) if kind is Type.POSITION else low.number(s, node, fail).value)
        s.f.begin(fail)
        found(integer(-(1 << 63)))

    return blocks.joined(s, Scalar.INT, fill)


# --- filters that are what is in them -----------------------------------------------------------------------


def _inner_set(low: Lowering, s: Scope, node: nodes.NoTransform) -> Value:
    return low.set_of(s, node.operand)


def _inner_number(low: Lowering, s: Scope, node: nodes.NoTransform, fail: str) -> Number:
    return low.number(s, node.operand, fail)


def _inner_position(low: Lowering, s: Scope, node: nodes.NoTransform, fail: str) -> Value:
    return low.position(s, node.operand, fail)


def _inner_test(low: Lowering, s: Scope, node: nodes.NoTransform, yes: str, no: str) -> None:
    low.test(s, node.operand, yes, no)


def _sort_set(low: Lowering, s: Scope, node: nodes.Sort) -> Value:
    with _sorting(low, s, node) as found:
        area = low.set_of(s, node.operand)
        some, after = s.f.label(), s.f.label()
        s.f.branch(blocks.not_empty(s, area), some, after)
        s.f.begin(some)
        found.append(blocks.count(s, area).value)
    s.f.jump(after)
    s.f.begin(after)
    return area


def _sort_number(low: Lowering, s: Scope, node: nodes.Sort, fail: str) -> Number:
    with _sorting(low, s, node) as found:
        number = low.number(s, node.operand, fail)
        found.append(number.value)
    return number


def _sort_position(low: Lowering, s: Scope, node: nodes.Sort, fail: str) -> Value:
    with _sorting(low, s, node) as found:
        place = low.position(s, node.operand, fail)
        found.append(place)
    return place


def _sort_text(low: Lowering, s: Scope, node: nodes.Sort, fail: str) -> Text:
    with _sorting(low, s, node) as found:
        text = low.text(s, node.operand, fail)
        if text.texts is not None:
            # Machine code cannot compare the texts.
            low.leave_out(s, node, "strings are not compiled")
        found.append(text.code)
    return text


@contextlib.contextmanager
def _sorting(low: Lowering, s: Scope, node: nodes.Sort) -> Iterator[list[Value]]:
    """A context in which the operand of a `sort` is evaluated. The caller appends the measure to the list. If
    code keeps a log, the best measure of the game stays in the frame, together with its comments (output spec
    3.4)."""
    found: list[Value] = []
    if low.writing is None:
        yield found
        return
    f = s.f
    noted = f.converted(low.noted(s), Scalar.INT)
    low.sorting += 1
    try:
        yield found
    finally:
        low.sorting -= 1
    (measure,) = found
    key = low.writing.keys[id(node)]
    if key >= layout.MOST_KEYS:
        raise lowering_notes.UntoldError("too many sort keys")
    best, aside = low.key_slots(key)
    better, after = f.label(), f.label()
    known = f.compare("ne", f.load(s.frame, integer(best + 1)), word(0))
    first = f.converted(f.load(s.frame, integer(best)), Scalar.INT)
    larger = f.compare("lt" if node.order == "min" else "gt", measure, first)
    if types.valued(low.type_of(node.operand)) is Type.STRING:
        # The text depends on the game alone, so it usually stays the same.
        low.text_keys.add(key)
        low.doubt_unless(s, f.binary("or", f.inverted(known), f.compare("eq", measure, first)))
        larger = emitter.FALSE
    f.branch(f.binary("or", f.inverted(known), larger), better, after)
    f.begin(better)
    f.store(f.converted(measure, Scalar.WORD), s.frame, integer(best))
    f.store(word(1), s.frame, integer(best + 1))
    count = blocks.call(s, routines_notes.lay_aside, s.frame, noted, integer(layout.ASIDE_LIST + key))
    f.store(f.converted(count, Scalar.WORD), s.frame, integer(aside))
    f.jump(after)
    f.begin(after)
    f.call(routines_notes.cut.callee, (s.frame, noted, integer(layout.MOST_EVENTS)))


def _sort_test(low: Lowering, s: Scope, node: nodes.Sort, yes: str, no: str) -> None:
    """A `sort` holds if its value is a number, a position, or a set that is not empty."""
    match types.valued(low.type_of(node.operand)):
        case Type.SET:
            s.f.branch(blocks.not_empty(s, _sort_set(low, s, node)), yes, no)
        case Type.NUMERIC:
            _sort_number(low, s, node, no)
            s.f.jump(yes)
        case Type.POSITION:
            _sort_position(low, s, node, no)
            s.f.jump(yes)
        case Type.STRING:
            _sort_text(low, s, node, no)
            s.f.jump(yes)
        case _:
            low.leave_out(s, node)
            s.f.jump(no)


TEXTS[nodes.Sort] = _sort_text
SETS.update({
    nodes.Compound: _compound_set,
    nodes.Name: _name_set,
    nodes.Sort: _sort_set,
    nodes.NoTransform: _inner_set,
    nodes_programs.If: _if_set,
    nodes_programs.Call: _call_set,
})  # fmt: skip
NUMBERS.update({
    nodes.Compound: _compound_number,
    nodes.Compare: _compare_number,
    nodes.Measure: _measure,
    nodes.Number: _number,
    nodes.Arithmetic: _arithmetic,
    nodes.Negate: _negate,
    nodes.Numeric: _numeric,
    nodes.Count: _count,
    nodes.Extremum: _extremum,
    nodes.Name: _name_number,
    nodes.Sort: _sort_number,
    nodes.NoTransform: _inner_number,
    nodes_squares.ColourNumber: _colour_number,
    nodes_programs.If: _if_number,
    nodes_programs.Call: _call_number,
})  # fmt: skip
POSITIONS.update({
    nodes.Compound: _compound_position,
    nodes.Compare: _compare_position,
    nodes.Name: _name_position,
    nodes.Sort: _sort_position,
    nodes.NoTransform: _inner_position,
    nodes_programs.If: _if_position,
    nodes_programs.Call: _call_position,
})  # fmt: skip
TESTS.update({
    nodes.Compound: _compound,
    nodes.Not: _not,
    nodes.Logic: _logic,
    nodes.Truth: _truth,
    nodes_studies.StudySort: _study_sort,
    nodes.In: _in,
    nodes.Compare: _compare,
    nodes.State: _state,
    nodes.Name: _name_test,
    nodes.Assign: _assign,
    nodes.Comment: _comment,
    nodes.Sort: _sort_test,
    nodes.NoTransform: _inner_test,
    nodes_facts.RemoveComment: _remove_comment,
    nodes_facts.SetTag: _set_tag,
    nodes_programs.Dictionary: _nothing,
    nodes_programs.Function: _nothing,
    nodes_programs.If: _if,
    nodes_programs.Loop: _loop,
    nodes_programs.While: _while,
    nodes_programs.Assert: _assert,
    nodes_programs.IsBound: _is_bound,
    nodes_programs.Call: _call,
    nodes_tree.Equal: _equal,
})  # fmt: skip
