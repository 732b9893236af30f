"""Rules for filters that look at other positions of the game: ancestors and children, searches, moves of the
game."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Final

from cqlgui.base.data import replace
from cqlgui.board import moves, squares
from cqlgui.cql.ast import nodes, nodes_moves, nodes_tree, types
from cqlgui.cql.ast.types import Type
from cqlgui.engine.kernels import routines, routines_notes, routines_tree
from cqlgui.engine.lowering import blocks, lowering_board, lowering_logic, lowering_notes
from cqlgui.engine.lowering.blocks import integer, word
from cqlgui.engine.lowering.dispatch import NUMBERS, POSITIONS, SETS, TESTS, TEXTS, Lowering
from cqlgui.engine.lowering.lowering_notes import Form
from cqlgui.engine.lowering.scope import Bound, Number, Scope, Text
from cqlgui.engine.replaying import layout
from cqlgui.jit import emitter
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

# --- positions ----------------------------------------------------------------------------------------------


def _here(low: Lowering, s: Scope, node: nodes.CurrentPosition, fail: str) -> Value:
    return s.place


def _root(low: Lowering, s: Scope, node: nodes_tree.InitialPosition, fail: str) -> Value:
    return integer(0)


def _link(s: Scope, place: int, fail: str) -> Value:
    """Follow a link from the current record to another record."""
    f = s.f
    found = blocks.field_of(s, place)
    good = f.label()
    f.branch(f.compare("ne", found, word(layout.NONE)), good, fail)
    f.begin(good)
    return f.converted(found, Scalar.INT)


def _parent(low: Lowering, s: Scope, node: nodes_tree.Parent, fail: str) -> Value:
    return _link(s, layout.PARENT, fail)


def _child(low: Lowering, s: Scope, node: nodes_tree.Child, fail: str) -> Value:
    if node.index is None:
        return _link(s, layout.CHILD, fail)
    f = s.f
    index = low.number(s, node.index, fail)
    low.doubts = True
    found = blocks.call(s, routines_tree.child, s.records, s.frame, s.place, index.value)
    good = f.label()
    f.branch(f.compare("ge", found, integer(0)), good, fail)
    f.begin(good)
    return found


def _position_number(low: Lowering, s: Scope, node: nodes_tree.PositionNumber, fail: str) -> Value:
    f = s.f
    number = low.number(s, node.operand, fail).value
    total = f.converted(f.load(s.frame, integer(layout.COUNT)), Scalar.INT)
    inside = f.binary("and", f.compare("ge", number, integer(0)), f.compare("lt", number, total))
    good = f.label()
    f.branch(inside, good, fail)
    f.begin(good)
    return number


def _two(
    low: Lowering,
    s: Scope,
    node: nodes_tree.CommonAncestor | nodes_tree.Distance | nodes_tree.Kinship | nodes_tree.Descent,
    fail: str,
) -> tuple[Value, Value]:
    return low.position(s, node.left, fail), low.position(s, node.right, fail)


def _common_ancestor(low: Lowering, s: Scope, node: nodes_tree.CommonAncestor, fail: str) -> Value:
    return _fork(low, s, *_two(low, s, node, fail))


def _fork(low: Lowering, s: Scope, first: Value, second: Value) -> Value:
    """The last common ancestor of two positions."""
    low.doubts = True
    return blocks.call(s, routines_tree.ancestor, s.records, s.frame, first, second)


def _distance(low: Lowering, s: Scope, node: nodes_tree.Distance, fail: str) -> Number:
    f = s.f
    first, second = _two(low, s, node, fail)
    fork = _fork(low, s, first, second)

    def ply(place: Value) -> Value:
        found = blocks.field_of(low.elsewhere(s, place), layout.PLY)
        return f.converted(found, Scalar.INT)

    both = f.binary("add", ply(first), ply(second))
    return Number(f.binary("sub", both, f.binary("mul", ply(fork), integer(2))), 0, 1 << 25)


def _above(low: Lowering, s: Scope, first: Value, second: Value) -> Value:
    """Whether the first position is a proper ancestor of the second position."""
    f = s.f
    end = f.converted(blocks.field_of(low.elsewhere(s, first), layout.END), Scalar.INT)
    return f.binary("and", f.compare("lt", first, second), f.compare("lt", second, end))


def _kinship(low: Lowering, s: Scope, node: nodes_tree.Kinship, yes: str, no: str) -> None:
    first, second = _two(low, s, node, no)
    if node.word == "descendant":
        first, second = second, first
    s.f.branch(_above(low, s, first, second), yes, no)


def _descent(low: Lowering, s: Scope, node: nodes_tree.Descent, fail: str) -> Value:
    f = s.f
    first, second = _two(low, s, node, fail)
    older, younger = (first, second) if node.operator in ("[<]", "[<=]") else (second, first)
    holds = _above(low, s, older, younger)
    if node.operator in ("[<=]", "[>=]"):
        holds = f.binary("or", holds, f.compare("eq", first, second))
    good = f.label()
    f.branch(holds, good, fail)
    f.begin(good)
    return first


# --- filters asked elsewhere --------------------------------------------------------------------------------


def _at_set(low: Lowering, s: Scope, node: nodes_tree.At) -> Value:
    def fill(found: Callable[[Value], None]) -> None:
        fail = s.f.label()
        found(low.set_of(low.elsewhere(s, low.position(s, node.position, fail)), node.filter))
        s.f.begin(fail)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _at_number(low: Lowering, s: Scope, node: nodes_tree.At, fail: str) -> Number:
    return low.number(low.elsewhere(s, low.position(s, node.position, fail)), node.filter, fail)


def _at_text(low: Lowering, s: Scope, node: nodes_tree.At, fail: str) -> Text:
    return low.text(low.elsewhere(s, low.position(s, node.position, fail)), node.filter, fail)


def _at_position(low: Lowering, s: Scope, node: nodes_tree.At, fail: str) -> Value:
    return low.position(low.elsewhere(s, low.position(s, node.position, fail)), node.filter, fail)


def _at_test(low: Lowering, s: Scope, node: nodes_tree.At, yes: str, no: str) -> None:
    low.test(low.elsewhere(s, low.position(s, node.position, no)), node.filter, yes, no)


# --- searches -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def candidates(low: Lowering, s: Scope, node: nodes.Find, after: str) -> Iterator[tuple[Scope, str]]:
    """The positions that a `find` looks at, in the order of the search."""
    f = s.f
    low.buffered = True
    if not node.backwards:
        end = f.converted(blocks.field_of(s, layout.END), Scalar.INT)
        with blocks.each_number(s, s.place, end, after=after) as (place, following):
            low.spend(s, 1, after)
            yield low.elsewhere(s, place), following
        return
    head, inside, following, onward = f.label(), f.label(), f.label(), f.label()
    before = f.block
    f.begin(head)
    at = f.open_phi(Scalar.INT, s.place, before)
    f.jump(inside)
    f.begin(inside)
    low.spend(s, 1, after)
    there = low.elsewhere(s, at.value)
    yield there, following
    assert not f.is_open
    f.begin(following)
    above = f.load(there.here, integer(layout.PARENT))
    f.branch(f.compare("ne", above, word(layout.NONE)), onward, after)
    f.begin(onward)
    f.add_way(at, f.converted(above, Scalar.INT), onward)
    f.jump(head)


def _find(low: Lowering, s: Scope, node: nodes.Find, fail: str) -> Value:
    note = low.note() if not _comments(low, node) and _is_of_position(low, s, node) else None
    if note is not None:
        return _find_noting(low, s, node, note, fail)
    found = s.f.label()
    with candidates(low, s, node, fail) as (there, following):
        low.test(there, node.operand, found, following)
        place = there.place
    s.f.begin(found)
    if _comments(low, node):
        lowering_notes.note(low, low.elsewhere(s, place), Form.FOUND, word(0))
    return place


def _comments(low: Lowering, node: nodes.Find | nodes_tree.Echo | nodes_tree.ConsecutiveMoves) -> bool:
    """Whether a filter writes comments of its own."""
    return low.writing is not None and low.writing.automatic and not node.quiet


def _is_of_position(low: Lowering, s: Scope, node: nodes.Find) -> bool:
    """True if two conditions hold. The result of the operand of a `find` must depend only on the position
    where the operand is evaluated. The `find` must search positions with consecutive numbers."""
    depends = s.loops or s.row is not None or s.cut is not None or s.way is not None or s.only is not None
    if depends or (node.backwards and low.variations):
        return False
    return low.is_idle(s, node.operand) and low.is_steady(node.operand)


def _find_noting(low: Lowering, s: Scope, node: nodes.Find, note: int, fail: str) -> Value:
    """A `find` that notes a range of positions where its operand fails. The range is kept in the frame, and
    later searches skip these positions. The search therefore passes through a game only once in total, even
    if the `find` is evaluated at many positions of the game."""
    f = s.f
    low.buffered = True
    begin = f.converted(f.load(s.frame, integer(note)), Scalar.INT)
    end = f.converted(f.load(s.frame, integer(note + 1)), Scalar.INT)
    found, head, inside, following, over = (f.label() for _ in range(5))
    before = f.block
    if node.backwards:
        behind, step = f.binary("sub", begin, integer(1)), integer(-1)
    else:
        behind, step = end, integer(1)
        last = f.converted(blocks.field_of(s, layout.END), Scalar.INT)
    f.begin(head)
    at = f.open_phi(Scalar.INT, s.place, before)
    known = f.binary("and", f.compare("ge", at.value, begin), f.compare("lt", at.value, end))
    place = f.select(known, behind, at.value)
    is_left = f.compare("ge", place, integer(0)) if node.backwards else f.compare("lt", place, last)
    f.branch(is_left, inside, over)
    f.begin(inside)
    low.spend(s, 1, fail)
    low.test(low.elsewhere(s, place), node.operand, found, following)
    f.begin(following)
    f.add_way(at, f.binary("add", place, step), following)
    f.jump(head)

    def keep() -> None:
        """Note all positions that this search has passed. If a part of the operand could not be evaluated at
        one of them, note no positions: a later search must come to the same doubt."""
        first, behind = (s.place, place)
        if node.backwards:
            first, behind = f.binary("add", place, integer(1)), f.binary("add", s.place, integer(1))
        certain = f.compare("eq", f.load(s.frame, integer(layout.DOUBT)), word(0))
        behind = f.select(certain, behind, first)
        f.store(f.converted(first, Scalar.WORD), s.frame, integer(note))
        f.store(f.converted(behind, Scalar.WORD), s.frame, integer(note + 1))

    f.begin(over)
    keep()
    f.jump(fail)
    f.begin(found)
    keep()
    return place


def _find_number(low: Lowering, s: Scope, node: nodes.Find, fail: str) -> Number:
    f = s.f
    total = f.slot(Scalar.INT)
    f.store(integer(0), total)
    after = f.label()
    comments = _comments(low, node)
    noted = f.converted(low.noted(s), Scalar.INT) if comments else integer(0)
    with candidates(low, s, node, after) as (there, following):
        yes = f.label()
        low.test(there, node.operand, yes, following)
        f.begin(yes)
        f.store(f.binary("add", f.load(total), integer(1)), total)
        if comments:
            lowering_notes.note(low, there, Form.PENDING, word(0))
        f.jump(following)
    f.begin(after)
    number = Number(f.load(total), 0, 1 << 24)
    if node.range is not None:
        number = lowering_board.within(low, s, node.range, number, fail)
    else:
        good = f.label()
        f.branch(f.compare("ge", number.value, integer(1)), good, fail)
        f.begin(good)
    if comments:
        f.call(
            routines_notes.number_pending.callee,
            (s.frame, noted, word(Form.FOUND_OF), number.value),
        )
    return number


@contextlib.contextmanager
def _targets(low: Lowering, s: Scope, node: nodes_tree.Echo, after: str) -> Iterator[tuple[Scope, str]]:
    """The target positions of an `echo`, with the variables of the `echo` bound."""
    f = s.f
    low.buffered = True
    end = f.converted(f.load(s.frame, integer(layout.COUNT)), Scalar.INT)
    with blocks.each_number(s, integer(0), end, after=after) as (place, following):
        low.spend(s, 1, after)
        there = low.elsewhere(s, place)
        if not node.whole:
            other = f.label()
            f.branch(f.compare("ne", place, s.place), other, following)
            f.begin(other)
        bound = {
            node.source: Bound(f.converted(s.place, Scalar.WORD), s.place),
            node.target: Bound(f.converted(place, Scalar.WORD), place),
        }
        yield replace(there, loops={**s.loops, **bound}), following


def _consecutive_moves(low: Lowering, s: Scope, node: nodes_tree.ConsecutiveMoves, fail: str) -> Number:
    f = s.f
    low.buffered = low.doubts = True
    first, second = (low.position(s, nodes.Name(node.span, name), fail) for name in (node.left, node.right))
    run = blocks.call(s, routines_tree.common_run, s.records, s.boards, s.frame, first, second)
    length = f.binary("and", run, integer((1 << routines_tree.RUN_BITS) - 1))
    some = f.label()
    f.branch(f.compare("gt", length, integer(0)), some, fail)
    f.begin(some)
    number = Number(length, 1, 1 << routines_tree.RUN_BITS)
    if node.range is not None:
        number = lowering_board.within(low, s, node.range, number, fail)
    if _comments(low, node):
        width = routines_tree.PLACE_BITS
        shifted = [f.binary("shr", run, integer(routines_tree.RUN_BITS + side * width)) for side in (0, 1)]
        ends = [f.binary("and", one, integer((1 << width) - 1)) for one in shifted]
        lowering_notes.note_run(low, s, (node.left, node.right), length, ends, node.span.offset)
    return number


def _echo_is_simple(low: Lowering, s: Scope, node: nodes_tree.Echo) -> bool:
    """Whether only this echo uses its variables. If other filters use the variables, the echo is not
    compiled."""
    names = (node.source, node.target)
    if all(low.is_looped(name) and name not in s.loops for name in names) and node.source != node.target:
        return True
    low.leave_out(s, node, "an echo whose variables are used elsewhere is not compiled")
    return False


def _echo(low: Lowering, s: Scope, node: nodes_tree.Echo, yes: str, no: str) -> None:
    f = s.f
    if not _echo_is_simple(low, s, node):
        f.jump(no)
        return
    found, after = f.slot(Scalar.BOOL), f.label()
    f.store(emitter.FALSE, found)
    with _targets(low, s, node, after) as (there, following):
        matched = f.label()
        low.test(there, node.operand, matched, following)
        f.begin(matched)
        _describe(low, s, there, node)
        if not _comments(low, node) and low.is_idle(there, node.operand):
            f.jump(yes)
        else:
            f.store(emitter.TRUE, found)
            f.jump(following)
    f.begin(after)
    f.branch(f.load(found), yes, no)


def _echo_number(low: Lowering, s: Scope, node: nodes_tree.Echo, fail: str) -> Number:
    if not _echo_is_simple(low, s, node):
        return blocks.constant(0)

    def each(take: Callable[[Scope, Number, str], None]) -> None:
        after, taken = s.f.label(), s.f.label()
        with _targets(low, s, node, after) as (there, following):
            number = low.number(there, node.operand, following)
            _describe(low, s, there, node)
            take(there, number, taken)
            s.f.jump(following)
        s.f.begin(after)

    # Inside a `sort`, only the comments about the best target stay (output spec 3.4).
    logs = low.sorting > 0 and low.writes(node)
    return lowering_logic.best_of(low, s, each, True, fail, logs=logs, ties=False)


def _describe(low: Lowering, s: Scope, there: Scope, node: nodes_tree.Echo) -> None:
    """Write the comments about a source and a target, like the interpreter's `closures_echo`."""
    if not _comments(low, node):
        return
    f = s.f
    fork, other, after = _fork(low, s, s.place, there.place), f.label(), f.label()
    same = f.binary("or", f.compare("eq", fork, s.place), f.compare("eq", fork, there.place))
    f.branch(same, after, other)
    f.begin(other)
    lowering_notes.note(low, low.elsewhere(s, fork), Form.FORK, word(0))
    f.jump(after)
    f.begin(after)
    source, target = low.elsewhere(s, s.place), low.elsewhere(s, there.place)
    lowering_notes.note_text(low, source, (node.source,))
    lowering_notes.note_text(low, target, (node.target,))
    named = lowering_notes.mention(low, target)
    back = lowering_notes.mention(low, source)
    lowering_notes.note(low, source, Form.ECHO_SOURCE, named)
    lowering_notes.note(low, target, Form.ECHO_TARGET, back)


# --- the move that led here ---------------------------------------------------------------------------------


def _previous_move(low: Lowering, s: Scope, node: nodes_moves.PreviousMove, yes: str, no: str) -> None:
    f = s.f
    move = blocks.field_of(s, layout.MOVE)
    if node.word in ("enpassant", "nullmove"):
        f.branch(_has_flag(s, node, move), yes, no)
        return
    moved = f.label()
    f.branch(f.compare("ne", blocks.field_of(s, layout.ID), word(0)), moved, no)
    f.begin(moved)
    if not low.variations:
        # On a main line, every position after the root is the first child of its parent.
        f.jump(yes if node.word == "primary" else no)
        return
    first = is_first(low, s)
    f.branch(first, *((yes, no) if node.word == "primary" else (no, yes)))


def is_first(low: Lowering, s: Scope) -> Value:
    """Whether a position other than the root is its parent's first child."""
    f = s.f
    parent = low.elsewhere(s, f.converted(blocks.field_of(s, layout.PARENT), Scalar.INT))
    first = f.converted(blocks.field_of(parent, layout.CHILD), Scalar.INT)
    return f.compare("eq", first, s.place)


_SIDES: Final = {"from": routines.FITS_FROM, "to": routines.FITS_TO}


def _previous_squares(low: Lowering, s: Scope, node: nodes_moves.PreviousSquares) -> Value:
    f = s.f
    move = f.converted(blocks.field_of(s, layout.MOVE), Scalar.INT)
    if node.word == "enpassantsquare":
        # The man captured en passant stood beside the origin of the move.
        passing = f.compare("eq", f.binary("shr", move, integer(12)), integer(3))
        victim = f.binary(
            "or", f.binary("and", move, integer(56)),
            f.binary("and", f.binary("shr", move, integer(6)), integer(7)),
        )  # fmt: skip
        bit = f.binary("shl", word(1), f.converted(victim, Scalar.WORD))
        return f.select(passing, bit, word(0))
    own = blocks.call(s, routines.moved, move, integer(_SIDES[node.word]))
    if s.cut is None:
        return own
    place, origins, landings = s.cut
    cut = origins if node.word == "from" else landings
    if place is s.place:
        return cut
    return f.select(f.compare("eq", place, s.place), cut, own)


# --- dashes -------------------------------------------------------------------------------------------------


def _promoted_kinds(low: Lowering, s: Scope, node: nodes_moves.Dash) -> int:
    """The kinds of men that the promotion part of a dash allows, as bits; 0 admits any move."""
    match node.promotion:
        case None:
            return 0
        case nodes.AllSquares():
            return _ANY_KIND
        case nodes.Designator() as one if blocks.leaf(s, one, "men0") is None:
            return (one.men | one.men >> 6) & _ANY_KIND or _NO_KIND
        case nodes.String(value=letters) if letters:
            return sum(1 << "?PNBRQK".find(one) for one in set(letters.upper()) & set("PNBRQK")) or _NO_KIND
        case nodes.String():
            return _ANY_KIND
        case _:
            low.leave_out(s, node, "this promotion is not compiled")
            return _NO_KIND


_ANY_KIND: Final = 0b1111110
_NO_KIND: Final = 1 << 40
"""A bit that is not the bit of any kind of man. A mask with only this bit admits no move."""


@contextlib.contextmanager
def each_move(low: Lowering, s: Scope, after: str) -> Iterator[tuple[Scope, str]]:
    """The positions after the moves from the current position."""
    f = s.f
    low.buffered = True
    head, inside, following = f.label(), f.label(), f.label()
    first = blocks.field_of(s, layout.CHILD)
    before = f.block
    f.begin(head)
    at = f.open_phi(Scalar.WORD, first, before)
    f.branch(f.compare("ne", at.value, word(layout.NONE)), inside, after)
    f.begin(inside)
    there = low.elsewhere(s, f.converted(at.value, Scalar.INT))
    yield there, following
    assert not f.is_open
    f.begin(following)
    sister = f.load(there.here, integer(layout.SIBLING))
    if low.variations:
        # A position may have as many children as the game has moves. The filter may also be evaluated at
        # every position of the game. Without a limit, the search could take very long.
        more = f.label()
        f.branch(f.compare("ne", sister, word(layout.NONE)), more, after)
        f.begin(more)
        low.spend(s, 1, after)
    f.add_way(at, sister, f.block)
    f.jump(head)


@contextlib.contextmanager
def _fitting(low: Lowering, s: Scope, node: nodes_moves.Dash, after: str) -> Iterator[tuple[Scope, str]]:
    """The positions after the moves that fit a dash. The caller tests the target of the dash at these
    positions."""
    sources, goals = dash_head(low, s, node)
    cut = node.target is not None
    with each_move(low, s, after) as (there, following):
        yield fitted(low, s, there, node, sources, goals, following, with_cut=cut), following


def dash_head(low: Lowering, s: Scope, node: nodes_moves.Dash) -> tuple[Value, Value]:
    """The left and the right set of a dash."""
    everywhere = word(squares.ALL)
    sources = everywhere if node.left is None else low.set_of(s, node.left)
    goals = everywhere if node.right is None else low.set_of(s, node.right)
    return sources, goals


def fitted(
    low: Lowering,
    s: Scope,
    there: Scope,
    node: nodes_moves.Dash,
    sources: Value,
    goals: Value,
    fail: str,
    *,
    with_cut: bool,
) -> Scope:
    """The scope after the move from `s` to `there`. Code goes to `fail` if the move does not fit the dash.
    `with_cut` is necessary if filters are evaluated in this scope. In these filters, `from` and `to` are the
    squares of the move that fits the dash."""
    asked, origins = _insist_on_fit(low, s, blocks.field_of(there, layout.MOVE), node, sources, goals, fail)
    if not with_cut:
        return there
    landings = blocks.call(s, routines.fits, *asked, integer(routines.FITS_TO))
    return replace(there, cut=(there.place, origins, landings))


def _insist_on_fit(
    low: Lowering, s: Scope, played: Value, node: nodes_moves.Dash, sources: Value, goals: Value, fail: str
) -> tuple[tuple[Value, ...], Value]:
    """Go to `fail` if a move from the current position does not fit a dash. The result has the arguments of
    `routines.fits`, except the last one, and what `fits` returns for `FITS_FROM`."""
    f = s.f
    kinds = _promoted_kinds(low, s, node)
    _pass_over(s, node, played, sources, fail)
    move = f.converted(played, Scalar.INT)
    asked = (s.here, move, sources, goals, integer(node.capture), integer(kinds))
    origins = blocks.call(s, routines.fits, *asked, integer(routines.FITS_FROM))
    good = f.label()
    f.branch(blocks.not_empty(s, origins), good, fail)
    f.begin(good)
    return asked, origins


def _next_move(s: Scope, fail: str) -> Value:
    """The packed move to the first child of the current position. The child need not be laid out. Code goes
    to `fail` if there is no child."""
    f = s.f
    some = f.label()
    f.branch(f.compare("ne", blocks.field_of(s, layout.CHILD), word(layout.NONE)), some, fail)
    f.begin(some)
    return blocks.field_of(s, layout.NEXT)


def _is_of_move(node: nodes.Node | None) -> bool:
    """Whether a move alone decides if the target of its dash holds."""
    match node:
        case None | nodes.State(word="castle" | "o-o" | "o-o-o"):
            return True
        case nodes_moves.PreviousMove(word="enpassant" | "nullmove"):
            return True
        case _:
            return False


def _holds_after(s: Scope, node: nodes.Node | None, move: Value) -> Value:
    """Whether the target of a dash holds after a move. The move alone must decide this (`_is_of_move`)."""
    match node:
        case nodes.State():
            return lowering_logic.castled(s, move, node.word)
        case nodes_moves.PreviousMove():
            return _has_flag(s, node, move)
        case _:
            return emitter.TRUE


def _has_flag(s: Scope, node: nodes_moves.PreviousMove, move: Value) -> Value:
    """Whether a move has the flag that `enpassant` or `nullmove` asks for."""
    flag = moves.EN_PASSANT if node.word == "enpassant" else moves.NULL
    return s.f.compare("eq", s.f.binary("shr", move, word(12)), word(flag))


def _pass_over(s: Scope, node: nodes_moves.Dash, move: Value, sources: Value, fail: str) -> None:
    """Skip most moves that do not fit a dash, without calling a kernel. A move is skipped if both its squares
    lie outside `sources`. The second square of castling is the rook's square. This square is tested too,
    because castling may also count as a move of the rook. If the dash captures, ordinary moves to empty
    squares are also skipped."""
    f = s.f
    end = f.binary("and", f.binary("shr", move, word(6)), word(63))
    if node.left is not None:
        start = f.binary("and", move, word(63))
        moved = f.binary("or", f.binary("shr", sources, start), f.binary("shr", sources, end))
        good = f.label()
        f.branch(f.compare("ne", f.binary("and", moved, word(1)), word(0)), good, fail)
        f.begin(good)
    if node.capture:
        empty = f.binary("and", f.binary("shr", f.load(s.here, integer(0)), end), word(1))
        good = f.label()
        # The flag of an ordinary move is 0, so an ordinary move to an empty square fails.
        f.branch(f.compare("le", empty, f.binary("shr", move, word(12))), good, fail)
        f.begin(good)


def _dash(low: Lowering, s: Scope, node: nodes_moves.Dash, yes: str, no: str) -> None:
    if not low.variations and _is_of_move(node.target):
        sources, goals = dash_head(low, s, node)
        played = _next_move(s, no)
        _insist_on_fit(low, s, played, node, sources, goals, no)
        s.f.branch(_holds_after(s, node.target, played), yes, no)
        return
    with _fitting(low, s, node, no) as (there, following):
        if node.target is None:
            s.f.jump(yes)
        else:
            low.test(there, node.target, yes, following)


def _dash_set(low: Lowering, s: Scope, node: nodes_moves.Dash) -> Value:
    assert node.target is not None
    target = node.target

    def fill(found: Callable[[Value], None]) -> None:
        none = s.f.label()
        with _fitting(low, s, node, none) as (there, _):
            found(low.set_of(there, target))
        s.f.begin(none)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _dash_value(low: Lowering, s: Scope, node: nodes_moves.Dash, fail: str, kind: Type) -> Number:
    """The value of a dash's target: a number or a position. The value comes from the first fitting move that
    gives the target a value."""
    assert node.target is not None
    target = node.target
    found, bounds = s.f.label(), []
    with _fitting(low, s, node, fail) as (there, following):
        if kind is Type.POSITION:
            bounds.append(Number(low.position(there, target, following), 0, 1 << 24))
        else:
            bounds.append(low.number(there, target, following))
        s.f.jump(found)
    s.f.begin(found)
    return bounds[0]


def _dash_number(low: Lowering, s: Scope, node: nodes_moves.Dash, fail: str) -> Number:
    return _dash_value(low, s, node, fail, Type.NUMERIC)


def _dash_position(low: Lowering, s: Scope, node: nodes_moves.Dash, fail: str) -> Value:
    return _dash_value(low, s, node, fail, Type.POSITION).value


def _count_moves(low: Lowering, s: Scope, node: nodes_moves.CountMoves, fail: str) -> Number:
    if isinstance(node.moves, nodes_moves.PossibleMoves):
        asked = _asked_moves(low, s, node.moves)
        return Number(blocks.call(s, routines.possible_count, s.here, *asked), 0, 4096)
    assert isinstance(node.moves, nodes_moves.Dash)
    f = s.f
    total = f.slot(Scalar.INT)
    f.store(integer(0), total)
    after = f.label()
    with _fitting(low, s, node.moves, after) as (there, following):
        if node.moves.target is not None:
            yes = f.label()
            low.test(there, node.moves.target, yes, following)
            f.begin(yes)
        f.store(f.binary("add", f.load(total), integer(1)), total)
        f.jump(following)
    f.begin(after)
    return Number(f.load(total), 0, 1 << 24)


def behind(
    low: Lowering, s: Scope, node: nodes_moves.CurrentMove, fail: str, *, with_cut: bool = False
) -> Scope:
    """The scope of the current position, after the move that led to this position. Code goes to `fail` if the
    move does not fit the dash. `with_cut` is explained in `fitted`, and is always on if the dash has a
    target."""
    low.buffered = True
    dash = node.dash
    before = low.elsewhere(s, _link(s, layout.PARENT, fail))
    sources, goals = dash_head(low, before, dash)
    cut = with_cut or dash.target is not None
    return fitted(low, before, s, dash, sources, goals, fail, with_cut=cut)


def _current_move(low: Lowering, s: Scope, node: nodes_moves.CurrentMove, yes: str, no: str) -> None:
    low.buffered = True
    there = behind(low, s, node, no)
    if node.dash.target is None:
        s.f.jump(yes)
    else:
        low.test(there, node.dash.target, yes, no)


def _current_move_set(low: Lowering, s: Scope, node: nodes_moves.CurrentMove) -> Value:
    low.buffered = True
    target = node.dash.target
    assert target is not None

    def fill(found: Callable[[Value], None]) -> None:
        fail = s.f.label()
        found(low.set_of(behind(low, s, node, fail), target))
        s.f.begin(fail)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _current_move_number(low: Lowering, s: Scope, node: nodes_moves.CurrentMove, fail: str) -> Number:
    assert node.dash.target is not None
    low.buffered = True
    return low.number(behind(low, s, node, fail), node.dash.target, fail)


def _current_move_position(low: Lowering, s: Scope, node: nodes_moves.CurrentMove, fail: str) -> Value:
    assert node.dash.target is not None
    low.buffered = True
    return low.position(behind(low, s, node, fail), node.dash.target, fail)


# --- possible moves -----------------------------------------------------------------------------------------

_KINDS: Final = {
    "castle": routines.CASTLES,
    "o-o": routines.SHORT,
    "o-o-o": routines.LONG,
    "enpassant": routines.IN_PASSING,
}


def _asked_moves(low: Lowering, s: Scope, node: nodes_moves.PossibleMoves) -> tuple[Value, ...]:
    everywhere = word(squares.ALL)
    sources = everywhere if node.left is None else low.set_of(s, node.left)
    goals = everywhere if node.right is None else low.set_of(s, node.right)
    kind = routines.ANY_MOVE
    if node.target is not None:
        assert isinstance(node.target, nodes.State | nodes_moves.PreviousMove)
        kind = _KINDS[node.target.word]
    return sources, goals, integer(node.pseudo), integer(kind)


def _possible(low: Lowering, s: Scope, node: nodes_moves.PossibleMoves) -> Value:
    asked = _asked_moves(low, s, node)
    return blocks.call(s, routines.possible, s.here, *asked, integer(routines.GOALS))


def _is_possible(low: Lowering, s: Scope, node: nodes_moves.PossibleMoves, yes: str, no: str) -> None:
    s.f.branch(blocks.call(s, routines.is_possible, s.here, *_asked_moves(low, s, node)), yes, no)


# --- the older `move` ---------------------------------------------------------------------------------------


def _older(low: Lowering, s: Scope, node: nodes_moves.Move) -> Value | None:
    """The squares of the older filter `move` (`nodes_moves.Move`). If the filter names no squares and a move
    fits the filter, the result has all squares of the board. None if the filter is not compiled."""
    f = s.f
    words = node.words
    if {"legal", "pseudolegal"} & set(words):
        return _older_possible(low, s, node)
    previous = "previous" in words
    with_operand: list[str] = [one for one in words if one in nodes_moves.OPERAND_WORDS]
    operands = dict(zip(with_operand, node.operands, strict=True))
    if any(blocks.leaf(s, one, "men0") is not None for one in operands.values()):
        low.leave_out(s, node, "this form of move is not compiled")
        return None
    found = f.slot(Scalar.WORD)
    f.store(word(0), found)
    after = f.label()
    if previous:
        before = low.elsewhere(s, _link(s, layout.PARENT, after))
    else:
        before = s
    bounds = {one: low.set_of(before, operand) for one, operand in operands.items() if one != "promote"}
    chosen = words[0] if words and words[0] in ("from", "to", "capture") else ""

    def look(there: Scope, played: Value, following: str) -> None:
        move = f.converted(played, Scalar.INT)
        for one, bound in bounds.items():
            _older_insist(s, f.binary("and", _older_squares(before, move, one), bound), following)
        for one in words:
            holds = _older_holds(low, there, move, one, operands)
            if holds is not None:
                good = f.label()
                f.branch(holds, good, following)
                f.begin(good)
        shown = _older_squares(before, move, chosen) if chosen else word(squares.ALL)
        f.store(f.binary("or", f.load(found), shown), found)
        if node.comment is not None:
            lowering_logic.add_comment(low, there, nodes.Comment(node.span, node.comment))
        f.jump(following)

    told_by_move = node.comment is None and not {"primary", "secondary"} & set(words)
    if previous:
        look(s, blocks.field_of(s, layout.MOVE), after)
    elif s.only is not None and id(node) in low.restricted:
        # If the line cannot continue, there is no move.
        one = f.label()
        f.branch(f.compare("ge", s.only, integer(0)), one, after)
        f.begin(one)
        there = low.elsewhere(s, s.only)
        look(there, blocks.field_of(there, layout.MOVE), after)
    elif told_by_move and not low.variations:
        look(s, _next_move(s, after), after)
    else:
        with each_move(low, s, after) as (there, following):
            look(there, blocks.field_of(there, layout.MOVE), following)
    f.begin(after)
    return f.load(found)


def _older_insist(s: Scope, area: Value, fail: str) -> None:
    good = s.f.label()
    s.f.branch(blocks.not_empty(s, area), good, fail)
    s.f.begin(good)


def _older_squares(before: Scope, move: Value, side: str) -> Value:
    """The squares of a move for the parameter `side`. The caller compares these squares with the parameter's
    set. Castling counts only as a move of the king."""
    f = before.f
    if side == "from":
        return f.binary("shl", word(1), f.converted(f.binary("and", move, integer(63)), Scalar.WORD))
    if side == "to":
        return blocks.call(before, routines.landing, move)
    taken = blocks.call(before, routines.captured, before.here, move)
    if side == "capture":
        return taken
    passing = f.compare("eq", f.binary("shr", move, integer(12)), integer(3))
    return f.select(passing, taken, word(0))


def _older_holds(
    low: Lowering, there: Scope, move: Value, one: str, operands: dict[str, nodes.Node]
) -> Value | None:
    """Whether a move satisfies a parameter of the older filter `move`. None for a parameter that is tested
    elsewhere."""
    f = there.f
    flag = f.binary("shr", move, integer(12))
    match one:
        case "castle" | "o-o" | "o-o-o":
            return lowering_logic.castled(there, f.converted(move, Scalar.WORD), one)
        case "enpassant":
            return f.compare("eq", flag, integer(3))
        case "null":
            return f.compare("eq", flag, integer(1))
        case "primary":
            return is_first(low, there)
        case "secondary":
            return f.inverted(is_first(low, there))
        case "promote":
            operand = operands[one]
            assert isinstance(operand, nodes.Designator)
            kinds = (operand.men | operand.men >> 6) & _ANY_KIND
            return f.compare("ne", blocks.call(there, routines.promotes, move, integer(kinds)), integer(0))
        case _:
            return None


def _older_possible(low: Lowering, s: Scope, node: nodes_moves.Move) -> Value | None:
    asked = _older_asked(low, s, node)
    if asked is None:
        return None
    side = routines.ORIGINS if node.words[0] == "from" else routines.GOALS
    return blocks.call(s, routines.possible, s.here, *asked, integer(side))


def _older_asked(low: Lowering, s: Scope, node: nodes_moves.Move) -> tuple[Value, ...] | None:
    """The arguments of `routines.possible` for a `move` filter with `legal` or `pseudolegal`. None if the
    filter is not compiled."""
    # The checks of a query's text (`cql.checking`) forbid `capture` and `promote` together with `legal` or
    # `pseudolegal`.
    with_operand: list[str] = [one for one in node.words if one in nodes_moves.OPERAND_WORDS]
    bounds = {one: low.set_of(s, operand) for one, operand in zip(with_operand, node.operands, strict=True)}
    kinds = [one for one in node.words if one in _KINDS]
    if "enpassantsquare" in bounds or len(kinds) > 1:
        low.leave_out(s, node, "this form of move is not compiled")
        return None
    everywhere = word(squares.ALL)
    kind = _KINDS[kinds[0]] if kinds else routines.ANY_MOVE
    return (
        bounds.get("from", everywhere), bounds.get("to", everywhere),
        integer("pseudolegal" in node.words), integer(kind),
    )  # fmt: skip


def _older_number(low: Lowering, s: Scope, node: nodes_moves.Move, fail: str) -> Number:
    asked = _older_asked(low, s, node)
    if asked is None:
        return blocks.constant(0)
    return Number(blocks.call(s, routines.possible_count, s.here, *asked), 0, 4096)


def _older_set(low: Lowering, s: Scope, node: nodes_moves.Move) -> Value:
    found = _older(low, s, node)
    return word(0) if found is None else found


def _older_test(low: Lowering, s: Scope, node: nodes_moves.Move, yes: str, no: str) -> None:
    if low.type_of(node) is Type.NUMERIC:
        _older_number(low, s, node, no)
        s.f.jump(yes)
        return
    s.f.branch(blocks.not_empty(s, _older_set(low, s, node)), yes, no)


SETS.update({
    nodes_tree.At: _at_set,
    nodes_moves.PreviousSquares: _previous_squares,
    nodes_moves.Dash: _dash_set,
    nodes_moves.CurrentMove: _current_move_set,
    nodes_moves.PossibleMoves: _possible,
    nodes_moves.Move: _older_set,
})  # fmt: skip
NUMBERS.update({
    nodes.Find: _find_number,
    nodes_tree.At: _at_number,
    nodes_tree.Distance: _distance,
    nodes_tree.Echo: _echo_number,
    nodes_tree.ConsecutiveMoves: _consecutive_moves,
    nodes_moves.Dash: _dash_number,
    nodes_moves.CurrentMove: _current_move_number,
    nodes_moves.CountMoves: _count_moves,
    nodes_moves.Move: _older_number,
})  # fmt: skip
TEXTS[nodes_tree.At] = _at_text
POSITIONS.update({
    nodes.CurrentPosition: _here,
    nodes.Find: _find,
    nodes_tree.At: _at_position,
    nodes_tree.InitialPosition: _root,
    nodes_tree.Parent: _parent,
    nodes_tree.Child: _child,
    nodes_tree.PositionNumber: _position_number,
    nodes_tree.CommonAncestor: _common_ancestor,
    nodes_tree.Descent: _descent,
    nodes_moves.Dash: _dash_position,
    nodes_moves.CurrentMove: _current_move_position,
})  # fmt: skip


def _echo_test(low: Lowering, s: Scope, node: nodes_tree.Echo, yes: str, no: str) -> None:
    if types.infer(node, low.names) is Type.NUMERIC:
        low.number(s, node, no)
        s.f.jump(yes)
    else:
        _echo(low, s, node, yes, no)


TESTS.update({
    nodes_tree.At: _at_test,
    nodes_tree.Kinship: _kinship,
    nodes_tree.Echo: _echo_test,
    nodes_moves.PreviousMove: _previous_move,
    nodes_moves.Dash: _dash,
    nodes_moves.PossibleMoves: _is_possible,
    nodes_moves.CurrentMove: _current_move,
    nodes_moves.Move: _older_test,
})  # fmt: skip
