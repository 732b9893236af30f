"""The search for sequences with a separate stack, like `sequences.explore` in the interpreter. This search
handles the paths and lines that the automaton of `lowering_paths` cannot handle. For example, the automaton
cannot handle filters that assign variables.

The constituents are unrolled into states, and all states of one constituent share one piece of code. The
stack is in the frame (`layout.STACK`). An entry has the state and the position to return to, and the number
of steps so far. The entry of a step also has the position that the step tries next. Notes about positions are
in the planes after the stack (`layout.PLANES`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cqlgui.base.data import dataclass, replace
from cqlgui.board import moves
from cqlgui.cql.ast import nodes, nodes_paths, repeatable
from cqlgui.cql.interpreting.families import closures_moves
from cqlgui.engine.kernels import routines_notes, routines_tree
from cqlgui.engine.lowering import blocks, lowering_board, lowering_notes, lowering_tree
from cqlgui.engine.lowering.blocks import integer, word
from cqlgui.engine.lowering.dispatch import NUMBERS, POSITIONS, Lowering
from cqlgui.engine.lowering.lowering_notes import Form, UntoldError
from cqlgui.engine.lowering.scope import Number, Scope, Way
from cqlgui.engine.replaying import layout
from cqlgui.jit import emitter
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

Sequence_ = nodes_paths.Path | nodes_paths.Line

MOST_STATES: Final = 600

# --- states -------------------------------------------------------------------------------------------------


@dataclass
class _State:
    """A constituent, or a place between the rounds of a repetition. For a place between rounds, `node` is a
    `Repeat`. `rest` is the state after the constituent or the repetition, or -1. `more` is the state that
    begins another round, or -1."""

    node: nodes.Node
    rest: int
    more: int = -1

    @property
    def group(self) -> tuple[int, bool, bool]:
        """The group of the state. All states of a group are written as one piece of code."""
        return id(self.node), self.rest < 0, self.more < 0


class _TooManyError(Exception):
    """There are too many states."""


class _States:
    """The states of a sequence; state 0 is the end."""

    def __init__(self, node: Sequence_) -> None:
        self.states = [_State(node, -1)]
        self.first = self._row(node.constituents, 0)

    def _row(self, constituents: Sequence[nodes.Node], end: int) -> int:
        for one in reversed(constituents):
            end = self._one(one, end)
        return end

    def _one(self, node: nodes.Node, end: int) -> int:
        match node:
            case nodes_paths.Chain() | nodes_paths.LineChain():
                return self._row(node.constituents, end)
            case nodes_paths.Repeat():
                return self._repeat(node, end)
            case _:
                return self._place(_State(node, end))

    def _repeat(self, node: nodes_paths.Repeat, end: int) -> int:
        last = self._place(_State(node, end))
        if node.high is None:
            self.states[last].more = self._one(node.operand, last)
            rounds = node.low
        else:
            rounds = node.high
        for done in reversed(range(rounds)):
            free = node.high is not None and done >= node.low
            last = self._place(_State(node, end if free else -1, self._one(node.operand, last)))
        return last

    def _place(self, state: _State) -> int:
        if len(self.states) >= MOST_STATES:
            raise _TooManyError
        self.states.append(state)
        return len(self.states) - 1


# --- what a search gives ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Best:
    """The best sequence. `known` says whether a sequence was found, `measure` says how good the sequence is,
    and `place` is the last position of the sequence."""

    known: Value
    measure: Number
    place: Value


def search(low: Lowering, s: Scope, node: Sequence_, fail: str, *, only_truth: bool) -> Best | None:
    """Write the search from the current position. If the search succeeds, code continues in the block that is
    open at the end. If the filter cannot be compiled, the code marks the game as doubtful, and the result is
    None. The block is open in this case, too. With `only_truth`, the caller needs to know only whether the
    search succeeds. The caller then does not need the sequence that was found."""
    reason = _reason(low, s, node)
    states = None
    if not reason:
        try:
            states = _States(node)
        except _TooManyError:
            reason = "this path is too long to be compiled"
    if states is None:
        low.leave_out(s, node, reason)
        return None
    low.buffered = low.planes = True
    return _Search(low, s, node, states, only_truth).write(fail)


def _reason(low: Lowering, s: Scope, node: Sequence_) -> str:
    """The reason why a sequence is not compiled; empty if the sequence is compiled."""
    if s.depth >= layout.DEEPEST_SEARCH:
        return "paths are not compiled that deep within paths"
    if isinstance(node, nodes_paths.Path):
        if len(low.atomics.get(id(node), ())) > 1:
            return "this path with atomic variables is not compiled"
    elif node.backward and node.nestban:
        return "a line backwards that bans positions is not compiled"
    elif node.singlecolor and any(any(closures_moves.future_moves(one)) for one in node.constituents):
        return "a line of one side whose parts look at the next move is not compiled"
    if node.nestban and low.bans >= 64:
        return "too many paths ban positions"
    return ""


# --- the search ---------------------------------------------------------------------------------------------

_STATE, _AT, _COUNT, _CURSOR, _FIRST, _SECOND, _NOTED, _HEAD = range(8)
_TAKEN: Final = _FIRST
"""The words of an entry on the stack. Atomic variables come after these words. `_NOTED` is the number of
events in the log when the entry was made. In a path, `_FIRST` and
`_SECOND` are the two sets of a step. In a line, `_TAKEN` is the last position taken, and `_SECOND` says
whether the first continuation is still to be tried."""


class _Search:
    """Writes one search."""

    def __init__(self, low: Lowering, s: Scope, node: Sequence_, states: _States, only_truth: bool) -> None:
        f = s.f
        self.low, self.s, self.node, self.f = low, s, node, f
        self.states = states.states
        self.first = states.first
        self.line = node if isinstance(node, nodes_paths.Line) else None
        self.path = node if isinstance(node, nodes_paths.Path) else None
        (atomics,) = low.atomics.get(id(node), None) or ((),)
        self.atomics = [low.slot(name) + half for name in atomics for half in (0, 1)]
        self.size = _HEAD + len(self.atomics)
        self.forgetful = repeatable.is_repeatable(node)
        self.early = only_truth and self._can_end_early()
        self.plane = layout.SEARCH + layout.SEARCH_SIZE * s.depth
        self.at, self.count, self.state, self.taken = (f.slot(Scalar.INT) for _ in range(4))
        self.last, self.best, self.place, self.steps = (f.slot(Scalar.INT) for _ in range(4))
        self.known = f.slot(Scalar.BOOL)
        self.bounds = 0, 0
        self.back, self.dispatch, self.over = f.label(), f.label(), f.label()
        self.groups: dict[int, range] = {}
        self.group_of: list[int] = []
        self.labels: dict[int, str] = {}
        self.resumes: dict[int, str] = {}
        self.logs = low.writes(node)
        self.buffer = layout.BEST_LIST + s.depth
        self.kept_events = f.slot(Scalar.INT)
        if self.logs:
            self._refuse_comments()
        way = Way(s.place, self.count, self.last)
        self.inner = replace(s, way=s.way if self.line else way, depth=s.depth + 1, known={})

    def _can_end_early(self) -> bool:
        """Whether the search may end at the first success, because a later success cannot change the
        result."""
        node = self.node
        if node.nestban or node.range is not None or not self.low.is_idle(self.s, node):
            return False
        path = self.path
        return path is None or not (self.low.tells_ways or path.max is not None or self.atomics)

    def _refuse_comments(self) -> None:
        """Raise `UntoldError` if only the interpreter can write the comments of the sequence."""
        path = self.path
        if path is None:
            return
        inside = any(self.low.writes(one) for one in nodes.walk(path) if one is not path)
        if path.keepallbest and (inside or path.verbose):
            raise UntoldError("the comments of this path with `keepallbest` are not compiled")

    def write(self, fail: str) -> Best:
        """Write the whole search."""
        f, s = self.f, self.s
        self.noted = f.converted(self.low.noted(s), Scalar.INT) if self.logs else integer(0)
        f.store(integer(0), self.kept_events)
        ban = self._banned(fail)
        focus = self._focus()
        before = [f.load(s.frame, integer(slot)) for slot in self.atomics]
        kept = [f.slot(Scalar.WORD) for _ in self.atomics]
        self.focused = focus is not None
        self.focus = focus
        self.kept = kept
        self.base = f.load(s.frame, integer(layout.TOP))
        f.store(integer(-1), self.last)
        f.store(emitter.FALSE, self.known)
        f.store(integer(0), self.best)
        f.store(s.place, self.place)
        f.store(integer(0), self.count)
        f.store(s.place, self.at)
        f.store(integer(-1), self.taken)
        if focus is not None:
            self._note(s.place, _MEN, focus)
        serial = f.binary("add", f.load(s.frame, integer(layout.SERIAL)), word(1))
        f.store(serial, s.frame, integer(layout.SERIAL))
        self.serial = serial
        self._group()
        loops = [one for one, state in enumerate(self.states) if isinstance(state.node, nodes_paths.Repeat)]
        self.bits = {one: number for number, one in enumerate(loops[:64])}
        self._go(self.first)
        for number in self.groups:
            self._write_group(number)
        self._write_dispatch()
        self._write_back()
        f.begin(self.over)
        f.store(self.base, s.frame, integer(layout.TOP))
        return self._conclude(fail, ban, before)

    # --- before and after

    def _banned(self, fail: str) -> int:
        """Go to `fail` if the filter is banned at the position. Returns the number of the filter among the
        filters that ban positions."""
        if not self.node.nestban:
            return 0
        f, s = self.f, self.s
        number = self.low.bans
        self.low.bans += 1
        current = f.compare("eq", self._noted(s.place, layout.BAN_GAME, outer=True), self._game())
        bans = f.select(current, self._noted(s.place, layout.BANS, outer=True), word(0))
        free = f.label()
        f.branch(f.compare("eq", f.binary("and", bans, word(1 << number)), word(0)), free, fail)
        f.begin(free)
        return number

    def _game(self) -> Value:
        return self.f.load(self.s.frame, integer(layout.GAMENUMBER))

    def _ban(self, number: int) -> None:
        """Ban the filter at all positions of the sequence, from the start on. In a path, the filter is not
        banned at the last position."""
        f, s = self.f, self.s
        at = f.slot(Scalar.INT)
        head, inside, after = f.label(), f.label(), f.label()
        f.store(f.load(self.place), at)
        if self.line is not None:
            self._ban_one(f.load(at), number)
        f.begin(head)
        f.branch(f.compare("ne", f.load(at), s.place), inside, after)
        f.begin(inside)
        there = blocks.field_of(self.low.elsewhere(s, f.load(at)), layout.PARENT)
        f.store(f.converted(there, Scalar.INT), at)
        self._ban_one(f.load(at), number)
        f.jump(head)
        f.begin(after)

    def _ban_one(self, place: Value, number: int) -> None:
        f = self.f
        current = f.compare("eq", self._noted(place, layout.BAN_GAME, outer=True), self._game())
        bans = f.select(current, self._noted(place, layout.BANS, outer=True), word(0))
        self._note(place, layout.BANS, f.binary("or", bans, word(1 << number)), outer=True)
        self._note(place, layout.BAN_GAME, self._game(), outer=True)

    def _focus(self) -> Value | None:
        """The squares of the men in focus; None if all moves count."""
        path, s = self.path, self.s
        if path is None:
            return None
        f = self.f
        if path.singlecolor:
            black = f.compare("ne", blocks.field_of(s, layout.TURN), word(0))
            return f.select(black, blocks.men(s, 14), blocks.men(s, 13))
        if path.focus is None:
            return None
        return f.binary("and", self.low.set_of(s, path.focus), blocks.men(s, 15))

    def _conclude(self, fail: str, ban: int, before: Sequence[Value]) -> Best:
        f, s, low = self.f, self.s, self.low
        bad, good = f.label(), f.label()
        f.branch(f.load(self.known), good, bad)
        f.begin(good)
        measure = Number(f.load(self.best), *self.bounds)
        if self.node.range is not None:
            measure = lowering_board.within(low, s, self.node.range, measure, bad)
        matched = f.label()
        f.jump(matched)
        f.begin(bad)
        for slot, value in zip(self.atomics, before, strict=True):
            f.store(value, s.frame, integer(slot))
        f.jump(fail)
        f.begin(matched)
        for slot, kept in zip(self.atomics, self.kept, strict=True):
            f.store(f.load(kept), s.frame, integer(slot))
        if self.path is not None and low.tells_ways:
            count = f.load(self.steps)
            for name, value in zip(LAST_WAY, (s.place, count, f.load(self.place)), strict=True):
                low.write(s, name, f.converted(value, Scalar.WORD))
        if self.node.nestban:
            self._ban(ban)
        if self.logs:
            self._write_comments(measure)
        return Best(f.load(self.known), measure, f.load(self.place))

    def _write_comments(self, measure: Number) -> None:
        """Log the comments about the best sequence, like the interpreter's `closures_paths`."""
        f, s, low, path, node = self.f, self.s, self.low, self.path, self.node
        assert low.writing is not None
        automatic = low.writing.automatic and not node.quiet
        explicit = low.writing.explicit
        if path is not None and path.title and explicit:
            lowering_notes.note_text(low, s, (path.title,))
        last = low.elsewhere(s, f.load(self.place))
        steps = f.load(self.steps) if path is not None else f.load(self.best)
        if path is not None and path.piecepath and explicit:
            self._write_focus(path, Form.PIECE_PATH, last, steps)
        if automatic:
            end = lowering_notes.mention(low, last)
            lowering_notes.note(low, s, Form.START_LINE if path is None else Form.START_PATH, end)
        here = lowering_notes.mention(low, s) if automatic and path is not None else word(0)
        f.call(routines_notes.bring_back.callee, (s.frame, integer(self.buffer), f.load(self.kept_events)))
        if path is not None and path.verbose and explicit:
            if self.focus is None:
                self._write_moves(path, steps)
            else:
                self._write_focus(path, Form.FOCUS_STEPS, last, steps)
        if not automatic or (path is not None and path.keepallbest):
            return
        if path is None:
            here = lowering_notes.mention(low, s)
        form = Form.END_LINE if path is None else Form.END_PATH if path.max is None else Form.END_MAX
        lowering_notes.note(low, last, form, here)
        lowering_notes.operand(low, last, steps)
        if form is Form.END_MAX:
            lowering_notes.operand(low, last, measure.value)

    def _write_focus(self, path: nodes_paths.Path, form: Form, last: Scope, steps: Value) -> None:
        """Log a comment, or several comments, about the moves of the men in focus."""
        low, s = self.low, self.s
        text = lowering_notes.number_of(low, (f"{path.title}: " if path.title else "",))
        lowering_notes.note(low, s, form, word(0) if self.focus is None else self.focus, text=text)
        for value in (lowering_notes.place_of(last), steps, integer(path.capture)):
            lowering_notes.operand(low, s, value)

    def _keep_alternative(self, path: nodes_paths.Path, place: Value, worth: Value, again: bool) -> None:
        """Add the comment at the end of one of several best paths to the events of the best path. `again` is
        true for all but the first one."""
        low, s, f = self.low, self.s, self.f
        assert low.writing is not None
        if path.quiet or not low.writing.automatic:
            return
        form = Form.END_PATH if path.max is None else Form.END_MAX
        heads = [word(form << routines_notes.FORM | again << lowering_notes.TEXT_SHIFT)]
        payloads = [lowering_notes.place_of(s), f.converted(f.load(self.count), Scalar.WORD)]
        if path.max is not None:
            payloads.append(f.converted(worth, Scalar.WORD))
        heads += [word(Form.VALUE << routines_notes.FORM)] * (len(payloads) - 1)
        for head, payload in zip(heads, payloads, strict=True):
            count = f.load(self.kept_events)
            at = f.binary("or", head, f.converted(place, Scalar.WORD))
            f.call(routines_notes.add_to.callee, (s.frame, integer(self.buffer), count, at, payload))
            f.store(f.binary("add", count, integer(1)), self.kept_events)

    def _write_moves(self, path: nodes_paths.Path, steps: Value) -> None:
        """Log a comment for each move of the path. Every move of the path is a step."""
        f, s, low = self.f, self.s, self.low
        text = lowering_notes.number_of(low, (f"{path.title}: " if path.title else "",))
        at = f.slot(Scalar.INT)
        head, inside, after = f.label(), f.label(), f.label()
        f.store(integer(1), at)
        f.begin(head)
        number = f.load(at)
        f.branch(f.compare("le", number, steps), inside, after)
        f.begin(inside)
        far = f.binary("sub", steps, number)
        place = blocks.call(s, routines_tree.above, s.records, f.load(self.place), far)
        payload = f.binary("or", number, f.binary("mul", steps, integer(1 << 32)))
        lowering_notes.note(low, low.elsewhere(s, place), Form.STEP, payload, text=text)
        f.store(f.binary("add", number, integer(1)), at)
        f.jump(head)
        f.begin(after)

    # --- states and where they lead

    def _group(self) -> None:
        """Renumber the states, so that the states of one group have consecutive numbers."""
        order = sorted(range(1, len(self.states)), key=lambda one: self.states[one].group)
        order.insert(0, 0)
        numbers = {old: new for new, old in enumerate(order)} | {-1: -1}
        states = [self.states[one] for one in order]
        self.states = [_State(one.node, numbers[one.rest], numbers[one.more]) for one in states]
        self.first = numbers[self.first]
        first = 0
        for number, state in enumerate(self.states):
            if number < 2 or state.group != self.states[number - 1].group:
                first = number
                self.labels[first] = self.f.label()
            self.groups[first] = range(first, number + 1)
            self.group_of.append(first)

    def _go(self, number: int) -> None:
        """Go to the state `number`, which is known at compile time."""
        self.f.store(integer(number), self.state)
        self.f.jump(self.labels[self.group_of[number]])

    def _onward(self, first: int, *, more: bool = False) -> None:
        """Go to the state after the current state. With `more`, go to the state that begins another round.
        The current state belongs to the group that begins with `first`."""
        f = self.f
        group = [self.states[one] for one in self.groups[first]]
        following = [one.more if more else one.rest for one in group]
        if len(following) == 1:
            self._go(following[0])
            return
        table = self.low.table(following)
        place = f.binary("sub", f.load(self.state), integer(first))
        f.store(f.converted(f.load(table, place), Scalar.INT), self.state)
        targets = {self.group_of[one] for one in following}
        if len(targets) == 1:
            f.jump(self.labels[targets.pop()])
        else:
            f.jump(self.dispatch)

    def _write_dispatch(self) -> None:
        self.f.begin(self.dispatch)
        self._choose(sorted(self.groups), self.labels)

    def _choose(self, firsts: Sequence[int], labels: dict[int, str]) -> None:
        """Go to the label of the group of the current state."""
        f = self.f
        if len(firsts) == 1:
            f.jump(labels[firsts[0]])
            return
        half = len(firsts) // 2
        lower, upper = f.label(), f.label()
        f.branch(f.compare("lt", f.load(self.state), integer(firsts[half])), lower, upper)
        f.begin(lower)
        self._choose(firsts[:half], labels)
        f.begin(upper)
        self._choose(firsts[half:], labels)

    # --- the stack and the planes

    def _entry(self) -> Value:
        """The place of the topmost entry in the frame."""
        f = self.f
        top = f.converted(f.load(self.s.frame, integer(layout.TOP)), Scalar.INT)
        return f.binary("add", top, integer(layout.STACK - self.size))

    def _push(self, values: dict[int, Value]) -> None:
        """Push an entry with the current state, the current position and the current number of steps."""
        f, s = self.f, self.s
        top = f.load(s.frame, integer(layout.TOP))
        room, full = f.label(), f.label()
        f.branch(f.compare("lt", top, word(layout.STACK_SIZE - self.size)), room, full)
        f.begin(full)
        self.low.doubt(s)
        f.jump(self.over)
        f.begin(room)
        f.store(f.binary("add", top, word(self.size)), s.frame, integer(layout.TOP))
        entry = self._entry()
        held = {_STATE: f.load(self.state), _AT: f.load(self.at), _COUNT: f.load(self.count), **values}
        if self.logs:
            held.setdefault(_NOTED, self.low.noted(s))
        if self.line is not None:
            held[_TAKEN] = f.load(self.taken)
        for place, value in held.items():
            f.store(f.converted(value, Scalar.WORD), s.frame, f.binary("add", entry, integer(place)))

    def _held(self, entry: Value, place: int, kind: Scalar = Scalar.INT) -> Value:
        f = self.f
        return f.converted(f.load(self.s.frame, f.binary("add", entry, integer(place))), kind)

    def _hold(self, entry: Value, place: int, value: Value) -> None:
        f = self.f
        f.store(f.converted(value, Scalar.WORD), self.s.frame, f.binary("add", entry, integer(place)))

    def _pop(self) -> None:
        f, s = self.f, self.s
        top = f.load(s.frame, integer(layout.TOP))
        f.store(f.binary("sub", top, word(self.size)), s.frame, integer(layout.TOP))

    def _plane(self, place: Value, plane: int, outer: bool) -> Value:
        f = self.f
        own = plane if outer else self.plane + plane
        base = f.binary("mul", place, integer(layout.PLANE_COUNT))
        return f.binary("add", base, integer(layout.PLANES + own))

    def _noted(self, place: Value, plane: int, *, outer: bool = False) -> Value:
        return self.f.load(self.s.frame, self._plane(place, plane, outer))

    def _note(self, place: Value, plane: int, value: Value, *, outer: bool = False) -> None:
        self.f.store(value, self.s.frame, self._plane(place, plane, outer))

    # --- constituents

    def _write_group(self, first: int) -> None:
        f = self.f
        f.begin(self.labels[first])
        node = self.states[first].node
        if first == 0:
            self._write_end()
        elif isinstance(node, nodes_paths.Repeat):
            self._write_loop(first)
        elif self.line is not None:
            self._write_taking(first, node)
        elif isinstance(node, nodes_paths.Step):
            self._write_step(first, node)
        else:
            good = f.label()
            self.low.test(self._here(), node, good, self.back)
            f.begin(good)
            self._onward(first)

    def _here(self) -> Scope:
        """The scope at the position that the search has reached."""
        return self.low.elsewhere(self.inner, self.f.load(self.at))

    def _write_end(self) -> None:
        """Write the end of a sequence. The sequence is kept if it is better than earlier sequences."""
        f = self.f
        some, better = f.label(), f.label()
        steps = f.load(self.count)
        f.branch(f.compare("gt", steps, integer(0)), some, self.back)
        f.begin(some)
        worth = Number(steps, 0, _LONGEST)
        if self.path is not None and self.path.max is not None:
            worth = self.low.number(self._here(), self.path.max, self.back)
        self.bounds = worth.low, worth.high
        new = f.inverted(f.load(self.known))
        is_better = f.binary("or", new, f.compare("gt", worth.value, f.load(self.best)))
        every = self.logs and self.path is not None and self.path.keepallbest
        place = f.load(self.at if self.line is None else self.taken)
        if every:
            assert self.path is not None
            other, equal = f.label(), f.label()
            f.branch(is_better, better, other)
            f.begin(other)
            f.branch(f.compare("eq", worth.value, f.load(self.best)), equal, self.back)
            f.begin(equal)
            self._keep_alternative(self.path, place, worth.value, True)
            f.jump(self.back)
        else:
            f.branch(is_better, better, self.back)
        f.begin(better)
        f.store(emitter.TRUE, self.known)
        f.store(worth.value, self.best)
        f.store(f.load(self.count), self.steps)
        f.store(place, self.place)
        f.store(place, self.last)
        for slot, kept in zip(self.atomics, self.kept, strict=True):
            f.store(f.load(self.s.frame, integer(slot)), kept)
        if every:
            assert self.path is not None
            f.store(integer(0), self.kept_events)
            self._keep_alternative(self.path, place, worth.value, False)
        elif self.logs:
            frame = self.s.frame
            count = blocks.call(self.s, routines_notes.keep, frame, self.noted, integer(self.buffer))
            f.store(count, self.kept_events)
        if self.logs and self.node.firstmatch:
            f.store(f.converted(self.noted, Scalar.WORD), self.s.frame, integer(layout.NOTED))
        f.jump(self.over if self.early or self.node.firstmatch else self.back)

    def _write_loop(self, first: int) -> None:
        """Write a repetition. The search first continues after the repetition. When the search comes back to
        the repetition, the search tries another round."""
        f = self.f
        state = self.states[first]
        if self.forgetful:
            self._see(first)
        if state.rest < 0 or state.more < 0:
            self._onward(first, more=state.rest < 0)
            return
        self._push({})
        resume = self.resumes[first] = f.label()
        self._onward(first)
        f.begin(resume)
        self._undo_events()
        self._recall()
        self._pop()
        self._onward(first, more=True)

    def _see(self, first: int) -> None:
        """Go back if the search has already seen the state at this position."""
        f = self.f
        look, new, on = f.label(), f.label(), f.label()
        masks = [1 << self.bits[one] if one in self.bits else 0 for one in self.groups[first]]
        if len(masks) == 1:
            mask = word(masks[0])
        else:
            mask = f.load(self.low.table(masks), f.binary("sub", f.load(self.state), integer(first)))
        # After the end of a line there is no current position, so there are no notes to read.
        f.branch(f.compare("ge", f.load(self.at), integer(0)), look, on)
        f.begin(look)
        at = f.load(self.at)
        known = f.compare("eq", self._noted(at, _SERIAL), self.serial)
        seen = f.select(known, self._noted(at, _SEEN), word(0))
        f.branch(f.compare("eq", f.binary("and", seen, mask), word(0)), new, self.back)
        f.begin(new)
        self._note(at, _SERIAL, self.serial)
        self._note(at, _SEEN, f.binary("or", seen, mask))
        f.jump(on)
        f.begin(on)

    def _undo_events(self) -> None:
        """Remove the events that were logged after the topmost entry was made."""
        if self.logs:
            noted = self._held(self._entry(), _NOTED, Scalar.WORD)
            self.f.store(noted, self.s.frame, integer(layout.NOTED))

    def _recall(self) -> Value:
        """Restore the state, position and steps of the topmost entry. Returns the place of this entry in the
        frame."""
        f = self.f
        entry = self._entry()
        f.store(self._held(entry, _STATE), self.state)
        f.store(self._held(entry, _AT), self.at)
        f.store(self._held(entry, _COUNT), self.count)
        if self.line is not None:
            f.store(self._held(entry, _TAKEN), self.taken)
        return entry

    def _write_back(self) -> None:
        """Return to the last choice with an untried alternative."""
        f, s = self.f, self.s
        f.begin(self.back)
        self.low.spend(s, 1, self.over)
        some = f.label()
        f.branch(f.compare("gt", f.load(s.frame, integer(layout.TOP)), self.base), some, self.over)
        f.begin(some)
        if not self.resumes:
            f.jump(self.over)
            return
        f.store(self._held(self._entry(), _STATE), self.state)
        self._choose(sorted(self.resumes), self.resumes)

    # --- steps of a path

    def _write_step(self, first: int, node: nodes_paths.Step) -> None:
        f, low = self.f, self.low
        self._push({_CURSOR: self._first_move(), **self._atomic_values()})
        entry = self._entry()
        following, again = f.label(), f.label()
        if not self.focused:
            # The sets of the dash are evaluated once, and only if there are moves.
            some = f.label()
            f.branch(
                f.compare("ne", self._held(entry, _CURSOR, Scalar.WORD), word(layout.NONE)), some, following
            )
            f.begin(some)
            for place, area in zip(
                (_FIRST, _SECOND), lowering_tree.dash_head(low, self._here(), node.dash), strict=True
            ):
                self._hold(entry, place, area)
        f.jump(following)
        f.begin(again)
        self._undo_events()
        entry = self._entry()
        for number, slot in enumerate(self.atomics):
            f.store(self._held(entry, _HEAD + number, Scalar.WORD), self.s.frame, integer(slot))
        f.jump(following)
        self.resumes[first] = again
        f.begin(following)
        entry = self._recall()
        child, inside = self._next_move(entry, following)
        there = low.elsewhere(self.inner, child)
        if self.focused:
            before = low.elsewhere(self.inner, f.converted(blocks.field_of(there, layout.PARENT), Scalar.INT))
            sources, goals = lowering_tree.dash_head(low, before, node.dash)
            castles = f.compare(
                "eq", f.binary("shr", blocks.field_of(there, layout.MOVE), word(12)), word(moves.CASTLE)
            )
            sources = f.select(castles, f.binary("and", sources, inside), sources)
        else:
            before = self._here()
            sources, goals = self._held(entry, _FIRST, Scalar.WORD), self._held(entry, _SECOND, Scalar.WORD)
        tail = lowering_tree.fitted(
            low, before, there, node.dash, sources, goals, following, with_cut=bool(node.targets)
        )
        f.store(f.binary("add", f.load(self.count), integer(1)), self.count)
        for target in node.targets:
            holds = f.label()
            low.test(tail, target, holds, following)
            f.begin(holds)
        f.store(child, self.at)
        self._onward(first)

    def _atomic_values(self) -> dict[int, Value]:
        return {
            _HEAD + number: self.f.load(self.s.frame, integer(slot))
            for number, slot in enumerate(self.atomics)
        }

    def _first_move(self) -> Value:
        """The first position that a step may reach."""
        f = self.f
        child = blocks.field_of(self._here(), layout.CHILD)
        if not self.focused:
            return child
        # The first step of a path must be a move from the starting position. For a later step, the search
        # looks in each line below the current position for the first move of a man in focus.
        below = f.converted(f.binary("add", f.load(self.at), integer(1)), Scalar.WORD)
        return f.select(self._is_begun(), below, child)

    def _is_begun(self) -> Value:
        return self.f.compare("gt", self.f.load(self.count), integer(0))

    def _next_move(self, entry: Value, following: str) -> tuple[Value, Value]:
        """The next position that a step may reach, and the squares of the men in focus before the move. If
        there is no next position, the search goes back. If the move to the position does not concern a man in
        focus, code goes to `following`."""
        f, low = self.f, self.low
        some, none, counts = f.label(), f.label(), f.label()
        cursor = self._held(entry, _CURSOR, Scalar.WORD)
        left = f.compare("ne", cursor, word(layout.NONE))
        if self.focused:
            end = blocks.field_of(self._here(), layout.END)
            left = f.select(self._is_begun(), f.compare("lt", cursor, end), left)
        f.branch(left, some, none)
        f.begin(none)
        self._pop()
        f.jump(self.back)
        f.begin(some)
        low.spend(self.s, 1, self.over)
        child = f.converted(cursor, Scalar.INT)
        there = low.elsewhere(self.inner, child)
        sister = blocks.field_of(there, layout.SIBLING)
        if not self.focused:
            assert self.path is not None
            self._hold(entry, _CURSOR, word(layout.NONE) if self.path.primary else sister)
            return child, word(0)
        assert self.path is not None
        parent = f.converted(blocks.field_of(there, layout.PARENT), Scalar.INT)
        men = self._noted(parent, _MEN)
        move = f.converted(blocks.field_of(there, layout.MOVE), Scalar.INT)
        self._note(child, _MEN, blocks.call(self.s, routines_tree.carried, men, move))
        concerned = blocks.call(self.s, routines_tree.concerns, men, move, integer(self.path.capture))
        deeper = f.binary("add", cursor, word(1))
        later = f.select(concerned, blocks.field_of(there, layout.END), deeper)
        self._hold(entry, _CURSOR, f.select(self._is_begun(), later, sister))
        f.branch(concerned, counts, following)
        f.begin(counts)
        return child, men

    # --- positions of a line

    def _write_taking(self, first: int, node: nodes.Node) -> None:
        """Take the next position if the filter holds at the position, and continue with each position that
        may follow. A filter about the next move is tested once for each position that may follow."""
        f, low, line = self.f, self.low, self.line
        assert line is not None
        coming = [] if line.backward else [id(one) for one in closures_moves.future_moves(node)]
        low.restricted.update(coming)
        order = routines_tree.BACKWARD * line.backward | routines_tree.SINGLE * line.singlecolor
        order |= {"": 0, "primary": routines_tree.PRIMARY, "secondary": routines_tree.SECONDARY}[line.order]

        def onward(last: Value) -> Value:
            at = f.load(self.at)
            return blocks.call(self.s, routines_tree.onward, self.s.records, at, last, integer(order))

        some, following, over, more, last, on = (f.label() for _ in range(6))
        f.branch(f.compare("ge", f.load(self.at), integer(0)), some, self.back)
        f.begin(some)
        noted = low.noted(self.s) if self.logs else word(0)
        if not coming:
            holds = f.label()
            low.test(self._here(), node, holds, self.back)
            f.begin(holds)
        self._push({_CURSOR: onward(integer(-1)), _SECOND: integer(1), _NOTED: noted})
        f.jump(following)
        again = self.resumes[first] = f.label()
        f.begin(again)
        self._undo_events()
        f.jump(following)
        f.begin(following)
        entry = self._recall()
        cursor = self._held(entry, _CURSOR)
        # If no position follows, the line may end at this position.
        left = f.binary("or", f.compare("ge", cursor, integer(0)),
                        f.compare("ne", self._held(entry, _SECOND), integer(0)))  # fmt: skip
        f.branch(left, more, over)
        f.begin(over)
        self._pop()
        f.jump(self.back)
        f.begin(more)
        low.spend(self.s, 1, self.over)
        self._hold(entry, _SECOND, integer(0))
        f.branch(f.compare("ge", cursor, integer(0)), last, on)
        f.begin(last)
        self._hold(entry, _CURSOR, onward(cursor))
        f.jump(on)
        f.begin(on)
        if coming:
            holds = f.label()
            low.test(replace(self._here(), only=cursor), node, holds, following)
            f.begin(holds)
        f.store(f.load(self.at), self.taken)
        f.store(cursor, self.at)
        f.store(f.binary("add", f.load(self.count), integer(1)), self.count)
        self._onward(first)


_SERIAL, _SEEN, _MEN = range(3)
"""Planes of a search."""
_LONGEST: Final = 1 << 24

LAST_WAY: Final = ("way start", "way count", "way last")
"""Variables that describe the path that matched last."""


# --- facts about paths --------------------------------------------------------------------------------------


def _fact(low: Lowering, s: Scope, word_: nodes_paths.PathFactWord, fail: str) -> Value:
    """A fact about the path that is being searched. Outside a search, the fact is about the last path that
    matched."""
    f = s.f
    place = {"pathstart": 0, "pathlastposition": 2}.get(word_, 1)
    if s.way is None:
        known = f.label()
        slot = low.slot(LAST_WAY[place])
        f.branch(f.compare("ne", f.load(s.frame, integer(slot + 1)), word(0)), known, fail)
        f.begin(known)
        return f.converted(f.load(s.frame, integer(slot)), Scalar.INT)
    if place == 0:
        return s.way.start
    value = f.load(s.way.count if place == 1 else s.way.last)
    known = f.label()
    f.branch(f.compare("ge", value, integer(0)), known, fail)
    f.begin(known)
    return value


def _path_count(low: Lowering, s: Scope, node: nodes_paths.PathFact, fail: str) -> Number:
    f = s.f
    low.buffered = True
    count = _fact(low, s, node.word, fail)
    if node.word == "pathcount":
        return Number(count, 0, _LONGEST)
    start = low.elsewhere(s, _fact(low, s, "pathstart", fail))
    plies = f.binary("sub", blocks.field_of(s, layout.PLY), blocks.field_of(start, layout.PLY))
    return Number(f.binary("sub", f.converted(plies, Scalar.INT), count), -2 * _LONGEST, 2 * _LONGEST)


def _path_position(low: Lowering, s: Scope, node: nodes_paths.PathFact, fail: str) -> Value:
    return _fact(low, s, node.word, fail)


NUMBERS[nodes_paths.PathFact] = _path_count
POSITIONS[nodes_paths.PathFact] = _path_position
