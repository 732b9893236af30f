"""Rules for `path` and `line` if the query asks only whether the filter matches, or how long the match is.

The constituents become an automaton, and a word holds a set of states of the automaton. From the start on,
every position gets the set of states that the automaton reaches at the position. A parent has a smaller
number than its children, so one pass over the positions below the start finds every match. Two attempts to
match may reach the same state at the same position. The automaton does not distinguish the two attempts, so
the filters must give the same answer in both attempts. `lowering_sequences` searches all other sequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cqlgui.base.data import dataclass, field
from cqlgui.cql.ast import nodes, nodes_paths
from cqlgui.cql.interpreting.families import closures_moves
from cqlgui.engine.lowering import blocks, dispatch, lowering_board, lowering_sequences, lowering_tree
from cqlgui.engine.lowering.blocks import integer, word
from cqlgui.engine.lowering.dispatch import NUMBERS, TESTS, Lowering
from cqlgui.engine.lowering.scope import Number, Scope
from cqlgui.engine.replaying import layout
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

_MOST_STATES: Final = 60


@dataclass
class _State:
    """A state of the automaton. `onward` has the states that can follow this state. From a state with `step`,
    the automaton continues with a move. From a state with `takes` (in a line), the automaton continues by
    taking a position where `test` holds. From a state with neither `step` nor `takes`, the automaton
    continues without a move. If such a state has a `test`, the test must hold."""

    onward: list[int] = field(default_factory=list)
    test: nodes.Node | None = None
    step: nodes_paths.Step | None = None
    takes: bool = False

    @property
    def is_free(self) -> bool:
        """Whether the automaton continues from this state without a move and without taking a position."""
        return self.step is None and not self.takes


class _TooManyError(Exception):
    """The automaton has more states than a word has bits."""


class _Automaton:
    """State 0 is the start, and state 1 is the end."""

    def __init__(self, line: bool) -> None:
        self.states = [_State(), _State()]
        self._line = line

    def add(self, constituents: Sequence[nodes.Node], start: int, end: int) -> None:
        """Connect two states by constituents, one after the other."""
        for number, one in enumerate(constituents):
            following = end if number == len(constituents) - 1 else self._new()
            self._add(one, start, following)
            start = following

    def _add(self, node: nodes.Node, start: int, end: int) -> None:
        match node:
            case nodes_paths.Repeat():
                self._repeat(node, start, end)
            case nodes_paths.Chain() | nodes_paths.LineChain():
                self.add(node.constituents, start, end)
            case nodes_paths.Step():
                self._link(start, _State([end], step=node))
            case _:
                self._link(start, _State([end], test=node, takes=self._line))

    def _repeat(self, node: nodes_paths.Repeat, start: int, end: int) -> None:
        for _ in range(node.low):
            following = self._new()
            self._add(node.operand, start, following)
            start = following
        if node.high is None:
            # The rounds return to a state of their own. From a state that is shared, an outer repetition
            # might leave in the middle.
            if node.low == 0:
                own = self._new()
                self.states[start].onward.append(own)
                start = own
            inside = self._new()
            self._add(node.operand, start, inside)
            self.states[inside].onward.append(start)
        else:
            for _ in range(node.high - node.low):
                self.states[start].onward.append(end)
                following = self._new()
                self._add(node.operand, start, following)
                start = following
        self.states[start].onward.append(end)

    def _new(self) -> int:
        return self._place(_State())

    def _link(self, start: int, state: _State) -> None:
        self.states[start].onward.append(self._place(state))

    def _place(self, state: _State) -> int:
        if len(self.states) >= _MOST_STATES:
            raise _TooManyError
        self.states.append(state)
        return len(self.states) - 1

    def ordered(self) -> list[int]:
        """The free states in order. Each free state comes before its free successors. This order exists,
        because every round of a loop without an upper bound makes a move or takes a position."""
        seen: set[int] = set()
        order: list[int] = []
        for state in range(len(self.states)):
            self._visit(state, seen, order)
        order.reverse()
        return order

    def _visit(self, state: int, seen: set[int], order: list[int]) -> None:
        """Add a free state to `order`, after its free successors."""
        if state in seen:
            return
        seen.add(state)
        if self.states[state].is_free:
            for following in self.states[state].onward:
                self._visit(following, seen, order)
            order.append(state)


def _automaton(low: Lowering, s: Scope, node: nodes_paths.Path | nodes_paths.Line) -> _Automaton | None:
    """The automaton of a path or line; None if an automaton is not enough."""
    if not _is_plain(low, s, node):
        return None
    automaton = _Automaton(isinstance(node, nodes_paths.Line))
    try:
        automaton.add(node.constituents, 0, 1)
    except _TooManyError:
        return None
    return automaton


def _is_plain(low: Lowering, s: Scope, node: nodes_paths.Path | nodes_paths.Line) -> bool:
    """Whether the automaton can answer everything that the query asks about a path or line."""
    if node.nestban or node.singlecolor or low.tells_ways or low.writes(node):
        return False
    if isinstance(node, nodes_paths.Path):
        if node.focus is not None or node.max is not None:
            return False
    elif node.backward or node.order == "secondary":
        return False
    if any(
        one is not node and isinstance(one, nodes_paths.Path | nodes_paths.Line) for one in nodes.walk(node)
    ):
        # The outer and the inner sequence would both write their states to `layout.STATES`.
        return False
    for one in _filters(node):
        if isinstance(node, nodes_paths.Line) and any(closures_moves.future_moves(one)):
            return False
        if not low.is_idle(s, one):
            return False
    return True


def _filters(node: nodes.Node) -> list[nodes.Node]:
    """The filters among the constituents."""
    found: list[nodes.Node] = []
    for one in nodes.children(node):
        if isinstance(one, nodes_paths.Repeat | nodes_paths.Chain | nodes_paths.LineChain):
            found += _filters(one)
        elif isinstance(one, nodes_paths.Step):
            found += [one.dash, *one.targets]
        else:
            found.append(one)
    return found


# --- the pass over the positions ----------------------------------------------------------------------------


def _search(
    low: Lowering, s: Scope, node: nodes_paths.Path | nodes_paths.Line, automaton: _Automaton, found: str
) -> Value:
    """Write the search. Code goes to `found` at the first match. If `found` is empty, the search runs to the
    end. The value returned is the largest number of steps, or 0 if there is no match. The block at the end of
    the search is open."""
    low.buffered = True
    f = s.f
    primary = node.primary if isinstance(node, nodes_paths.Path) else node.order == "primary"
    states = automaton.states
    order = automaton.ordered()
    lasting = sum(1 << number for number, one in enumerate(states) if not one.is_free)
    best, reached = f.slot(Scalar.INT), f.slot(Scalar.WORD)
    f.store(integer(0), best)
    f.store(word(1), s.here, integer(layout.STATES))
    end = f.converted(blocks.field_of(s, layout.END), Scalar.INT)
    first_ply = f.converted(blocks.field_of(s, layout.PLY), Scalar.INT)
    head, inside, dead, live, over = f.label(), f.label(), f.label(), f.label(), f.label()
    before = f.block
    f.begin(head)
    at = f.open_phi(Scalar.INT, s.place, before)
    f.branch(f.compare("lt", at.value, end), inside, over)
    f.begin(inside)
    low.spend(s, 1, over)
    there = low.elsewhere(s, at.value)
    arrived = f.load(there.here, integer(layout.STATES))
    f.branch(f.compare("ne", arrived, word(0)), live, dead)
    f.begin(live)
    f.store(arrived, reached)
    _close(low, there, states, order, reached)
    taken = f.slot(Scalar.WORD)
    f.store(word(0), taken)
    ply = f.converted(f.load(there.here, integer(layout.PLY)), Scalar.INT)
    steps = f.binary("sub", ply, first_ply)
    if isinstance(node, nodes_paths.Line):
        # After a constituent has taken this position, the line ends at this position or continues from this
        # position.
        _take(low, there, states, reached, taken)
        f.store(f.load(taken), reached)
        _close(low, there, states, order, reached)
        steps = f.binary("add", steps, integer(1))
    ended = f.binary("and", f.load(reached), word(2))
    some = f.binary("and", f.compare("ne", ended, word(0)), f.compare("gt", steps, integer(0)))
    matched, onward, descend = f.label(), f.label(), f.label()
    f.branch(some, matched, onward)
    f.begin(matched)
    if found:
        f.jump(found)
    else:
        longer = f.compare("gt", steps, f.load(best))
        f.store(f.select(longer, steps, f.load(best)), best)
        f.jump(onward)
    f.begin(onward)
    going = f.binary("and", f.load(reached), word(lasting))
    f.branch(f.compare("ne", going, word(0)), descend, dead)
    f.begin(descend)
    _descend(low, there, states, f.load(reached), primary, line=isinstance(node, nodes_paths.Line))
    f.add_way(at, f.binary("add", at.value, integer(1)), f.block)
    f.jump(head)
    f.begin(dead)
    behind = f.converted(f.load(there.here, integer(layout.END)), Scalar.INT)
    f.add_way(at, behind, f.block)
    f.jump(head)
    f.begin(over)
    return f.load(best)


def _close(
    low: Lowering, there: Scope, states: Sequence[_State], order: Sequence[int], reached: Value
) -> None:
    """Add the states that the automaton reaches without a move at a position."""
    f = there.f
    for number in order:
        state = states[number]
        following = sum(1 << one for one in state.onward)
        if not following:
            continue
        here, after = f.label(), f.label()
        f.branch(f.compare("ne", f.binary("and", f.load(reached), word(1 << number)), word(0)), here, after)
        f.begin(here)
        if state.test is not None:
            holds = f.label()
            low.test(there, state.test, holds, after)
            f.begin(holds)
        f.store(f.binary("or", f.load(reached), word(following)), reached)
        f.jump(after)
        f.begin(after)


def _take(low: Lowering, there: Scope, states: Sequence[_State], reached: Value, taken: Value) -> None:
    """Let each constituent of a line take the position if the constituent holds at the position."""
    f = there.f
    for number, state in enumerate(states):
        if not state.takes:
            continue
        assert state.test is not None
        here, holds, after = f.label(), f.label(), f.label()
        f.branch(f.compare("ne", f.binary("and", f.load(reached), word(1 << number)), word(0)), here, after)
        f.begin(here)
        low.test(there, state.test, holds, after)
        f.begin(holds)
        f.store(f.binary("or", f.load(taken), word(sum(1 << one for one in state.onward))), taken)
        f.jump(after)
        f.begin(after)


def _descend(
    low: Lowering, there: Scope, states: Sequence[_State], reached: Value, primary: bool, *, line: bool
) -> None:
    """Give every child the states that the automaton reaches at the child."""
    f = there.f
    done = f.label()
    first = blocks.field_of(there, layout.CHILD)
    head, inside, following = f.label(), f.label(), f.label()
    before = f.block
    f.begin(head)
    at = f.open_phi(Scalar.WORD, first, before)
    f.branch(f.compare("ne", at.value, word(layout.NONE)), inside, done)
    f.begin(inside)
    child = low.elsewhere(there, f.converted(at.value, Scalar.INT))
    arrivals = f.slot(Scalar.WORD)
    f.store(reached if line else word(0), arrivals)
    _play(low, there, child, states, reached, arrivals)
    if primary:
        # With `primary`, the sequence continues only to the first child.
        own = f.compare("eq", at.value, first)
        f.store(f.select(own, f.load(arrivals), word(0)), arrivals)
    f.store(f.load(arrivals), child.here, integer(layout.STATES))
    f.begin(following)
    f.add_way(at, f.load(child.here, integer(layout.SIBLING)), following)
    f.jump(head)
    f.begin(done)


def _play(
    low: Lowering,
    there: Scope,
    child: Scope,
    states: Sequence[_State],
    reached: Value,
    arrivals: Value,
) -> None:
    """Add the states that the automaton reaches by the move to a child."""
    f = there.f
    for number, state in enumerate(states):
        step = state.step
        if step is None:
            continue
        here, after = f.label(), f.label()
        f.branch(f.compare("ne", f.binary("and", reached, word(1 << number)), word(0)), here, after)
        f.begin(here)
        # The sets of the dash are evaluated again for every child. The repetition costs little, because a
        # position rarely has two children.
        sources, goals = lowering_tree.dash_head(low, there, step.dash)
        tail = lowering_tree.fitted(
            low, there, child, step.dash, sources, goals, after, with_cut=bool(step.targets)
        )
        for target in step.targets:
            holds = f.label()
            low.test(tail, target, holds, after)
            f.begin(holds)
        following = sum(1 << one for one in state.onward)
        f.store(f.binary("or", f.load(arrivals), word(following)), arrivals)
        f.jump(after)
        f.begin(after)


# --- the rules ----------------------------------------------------------------------------------------------


def _number(low: Lowering, s: Scope, node: nodes_paths.Path | nodes_paths.Line, fail: str) -> Number:
    automaton = None if node.firstmatch else _automaton(low, s, node)
    if automaton is None:
        found = lowering_sequences.search(low, s, node, fail, only_truth=False)
        return blocks.constant(0) if found is None else found.measure
    f = s.f
    best = _search(low, s, node, automaton, "")
    good = f.label()
    f.branch(f.compare("gt", best, integer(0)), good, fail)
    f.begin(good)
    number = Number(best, 1, 1 << 24)
    return number if node.range is None else lowering_board.within(low, s, node.range, number, fail)


def _position(low: Lowering, s: Scope, node: nodes_paths.Path | nodes_paths.Line, fail: str) -> Value:
    found = lowering_sequences.search(low, s, node, fail, only_truth=False)
    return integer(0) if found is None else found.place


def _test(low: Lowering, s: Scope, node: nodes_paths.Path | nodes_paths.Line, yes: str, no: str) -> None:
    if node.range is not None:
        # The length is compared with the range, even if the filter is a position (`lastposition`).
        _number(low, s, node, no)
        s.f.jump(yes)
        return
    automaton = _automaton(low, s, node)
    if automaton is None:
        lowering_sequences.search(low, s, node, no, only_truth=True)
        s.f.jump(yes)
        return
    _search(low, s, node, automaton, yes)
    s.f.jump(no)


for _kind in (nodes_paths.Path, nodes_paths.Line):
    NUMBERS[_kind] = _number
    TESTS[_kind] = _test
    dispatch.POSITIONS[_kind] = _position
