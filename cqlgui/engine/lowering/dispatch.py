"""Calls the rules that compile filters to machine code. This module also has the code that all rules share.

The instructions of a filter are written where the filter is used. A caller asks for one of five results: the
set, the number, the position, the text, or the truth value of a filter. A set always exists. If the number,
the position or the text does not exist, code goes to the label `fail`. For the truth value, code goes to the
label `yes` or `no`. Filters are evaluated in the order of the interpreter's closures. Compiled code skips the
filters that the interpreter skips, so that assignments have the same effect as in the interpreter. If a
filter assigns nothing and cannot fault, its evaluation ends as soon as the answer is certain.

A game becomes doubtful when evaluation reaches a part that is not compiled, or a fault that the interpreter
would report. The results of compiled code in a doubtful game do not count, and the interpreter searches the
game. A compiled query therefore never gives wrong results, and the number of doubtful games affects only the
speed. `Lowering.unsupported` has the parts that are not compiled, with the reasons.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final, TypeAlias

from cqlgui.base import priority
from cqlgui.base.data import replace
from cqlgui.cql.ast import (
    nodes,
    nodes_facts,
    nodes_paths,
    nodes_programs,
    nodes_squares,
    nodes_strings,
    nodes_tree,
    repeatable,
    types,
)
from cqlgui.cql.ast.types import Type
from cqlgui.engine.facts import answering, questions
from cqlgui.engine.kernels import routines_notes
from cqlgui.engine.lowering.blocks import call, count, field_of, integer, not_empty, shifted, word
from cqlgui.engine.lowering.scope import Number, Scope, Text, TextParts, TooLargeError, Unsupported
from cqlgui.engine.lowering.writing import Writing
from cqlgui.engine.replaying import layout
from cqlgui.jit import emitter
from cqlgui.jit.emitter import Function, Value
from cqlgui.jit.words import MASK, Scalar

MOST_LINES: Final = 12_000
"""The maximum number of instructions in a query. Compiling a longer query would take longer than searching
most databases with the interpreter."""
_SAFE: Final = 1 << 31
"""Numbers in variables stay below this limit, so that the product of two variables fits into 64 bits."""
_LARGEST: Final = 1 << 62
_MOST_NOTES: Final = 100
_GROUPS: Final = "\\"
"""In a set of variables, this name represents the groups of the regular expression that matched last. No
variable has this name."""
SetRule: TypeAlias = Callable[["Lowering", Scope, Any], Value]
NumberRule: TypeAlias = Callable[["Lowering", Scope, Any, str], Number]
PositionRule: TypeAlias = Callable[["Lowering", Scope, Any, str], Value]
TextRule: TypeAlias = Callable[["Lowering", Scope, Any, str], Text]
TestRule: TypeAlias = Callable[["Lowering", Scope, Any, str, str], None]
SETS: Final[dict[type[nodes.Node], SetRule]] = {}
NUMBERS: Final[dict[type[nodes.Node], NumberRule]] = {}
POSITIONS: Final[dict[type[nodes.Node], PositionRule]] = {}
TEXTS: Final[dict[type[nodes.Node], TextRule]] = {}
TESTS: Final[dict[type[nodes.Node], TestRule]] = {}


class Lowering:
    """Compiles the filters of one query."""

    def __init__(
        self,
        names: types.Names,
        body: nodes.Node,
        atomics: Mapping[int, Set[tuple[str, ...]]],
        *,
        variations: bool,
        gathered: Set[int] = frozenset(),
    ) -> None:
        """`gathered` has the `id`s of compounds that depend on the game alone (`facts.gathering`). `atomics`
        has the atomic variables that are known at the end of a path, by the `id` of the path. A path that
        occurs in several places of a query has several sets of atomic variables."""
        self.names = names
        self.atomics = atomics
        self.gathered = gathered
        self.variations = variations
        self._body = body
        self.module = emitter.Module()
        self.unsupported: list[Unsupported] = []
        self.buffered = False
        """Whether the query looks at positions other than the current position."""
        self.doubts = False
        """Whether anything can make a game doubtful."""
        self.uncertain = False
        """Whether a filter can make a game doubtful for a reason other than missing facts or too many
        steps."""
        self.planes = False
        """Whether sequences are searched with a stack and planes (`layout`)."""
        self.restricted: set[int] = set()
        """The `id`s of the `move` filters that look only at the child where a `line` continues."""
        self.tells_ways = any(isinstance(one, nodes_paths.PathFact) for one in nodes.walk(body))
        """Whether the query contains filters about a path that matched."""
        self.bans = 0
        """The number of filters with `nestban`. After a match, a filter of this kind is banned at the
        positions of the match."""
        self.facts: dict[questions.Fact, int] = {}
        """Questions about the game, each with its place in the frame."""
        self.writing: Writing | None = None
        """What the query writes, while code is made that keeps a log of comments and matches. None for code
        without a log."""
        self.bits: Sequence[int] = ()
        """For each orbit, the number of the bit that stands for the orbit's first element."""
        self.texts: list[TextParts] = []
        """The comments of the query, as far as code for them was made."""
        self.text_keys: set[int] = set()
        """The numbers of the sort keys whose values are texts (`Text.code`)."""
        self.sorting = 0
        """The number of `sort` filters around the filter that is being written."""
        self.leaves_no_trace = questions.leaves_no_trace(body)
        """Whether no filter reads the groups of a regular expression (`questions.leaves_no_trace`)."""
        self.lasting = lasting_names(body)
        """The names of the variables and dictionaries that keep their values from game to game."""
        self.dictionaries = dictionaries(body, names, self.lasting)
        """The dictionaries that are compiled, by name."""
        self._slots: dict[str, int] = {}
        self._areas: dict[str, tuple[int, int]] = {}
        self._steps: dict[tuple[int, int, int], emitter.Callee] = {}
        self._tables = 0
        self._looped = loop_names(body)
        self._lines = 0
        self._notes = 0
        self._memos: dict[str, int] = {}

    def another(self) -> Lowering:
        """A `Lowering` for another function of this query. The new `Lowering` has its own module and the same
        frame."""
        made = Lowering(
            self.names, self._body, self.atomics, variations=self.variations, gathered=self.gathered
        )
        made.facts, made._slots, made._areas = dict(self.facts), dict(self._slots), dict(self._areas)
        return made

    def keep_log(self, writing: Writing, bits: Sequence[int]) -> None:
        """Let the code that follows keep a log."""
        self.writing, self.bits, self.planes = writing, bits, True

    @contextlib.contextmanager
    def without_log(self) -> Iterator[None]:
        """Within this context, code keeps no log."""
        writing, self.writing = self.writing, None
        try:
            yield
        finally:
            self.writing = writing

    # --- the five ways to ask

    def set_of(self, s: Scope, node: nodes.Node) -> Value:
        """The squares of a filter of type set."""
        rule = None if self.outlives(node) else SETS.get(type(node))
        if rule is None:
            self.leave_out(s, node)
            return word(0)
        self._count(s)
        if not self.writes(node):
            return rule(self, s, node)
        noted = self.noted(s)
        area = rule(self, s, node)
        kept = s.f.select(not_empty(s, area), self.noted(s), noted)
        s.f.store(kept, s.frame, integer(layout.NOTED))
        return area

    def number(self, s: Scope, node: nodes.Node, fail: str) -> Number:
        """The number of a numeric filter."""
        if self.is_answered(node):
            return Number(self._answer(s, node, Type.NUMERIC, fail), -answering.LARGEST, answering.LARGEST)
        rule = None if self.outlives(node) else NUMBERS.get(type(node))
        if rule is None:
            self.leave_out(s, node)
            return Number(integer(0), 0, 0)
        self._count(s)
        with self._undoing(s, node, fail) as undone:
            return rule(self, s, node, undone)

    def position(self, s: Scope, node: nodes.Node, fail: str) -> Value:
        """The record of the position that is the value of a filter."""
        self.buffered = True
        rule = None if self.outlives(node) else POSITIONS.get(type(node))
        if rule is None:
            self.leave_out(s, node)
            return integer(0)
        self._count(s)
        with self._undoing(s, node, fail) as undone:
            return rule(self, s, node, undone)

    def text(self, s: Scope, node: nodes.Node, fail: str) -> Text:
        """The text of a string filter."""
        if self.is_answered(node) and not isinstance(node, nodes.String):
            return Text(self._answer(s, node, Type.STRING, fail), None)
        rule = None if self.outlives(node) else TEXTS.get(type(node))
        if rule is None:
            self.leave_out(s, node, "strings are not compiled")
            return Text(integer(0), ("",))
        self._count(s)
        with self._undoing(s, node, fail) as undone:
            return rule(self, s, node, undone)

    def test(self, s: Scope, node: nodes.Node, yes: str, no: str) -> None:
        """End the block by a branch on the truth of the filter."""
        self._count(s)
        if self.is_answered(node):
            value, _ = self.fact(s, self.question(node, Type.LOGICAL))
            s.f.branch(s.f.compare("ne", value, word(0)), yes, no)
            return
        if self.outlives(node):
            self.leave_out(s, node)
            s.f.jump(no)
            return
        rule = TESTS.get(type(node))
        if rule is not None:
            if not self.writes(node):
                rule(self, s, node, yes, no)
                return
            noted, bad = self.noted(s), s.f.label()
            rule(self, s, node, yes, bad)
            s.f.begin(bad)
            s.f.store(noted, s.frame, integer(layout.NOTED))
            s.f.jump(no)
            return
        match self.type_of(node):
            case Type.SET | Type.PIECE if type(node) in SETS:
                s.f.branch(not_empty(s, self.set_of(s, node)), yes, no)
            case Type.NUMERIC if type(node) in NUMBERS:
                self.number(s, node, no)
                s.f.jump(yes)
            case Type.POSITION if type(node) in POSITIONS:
                self.position(s, node, no)
                s.f.jump(yes)
            case Type.STRING if type(node) in TEXTS:
                self.text(s, node, no)
                s.f.jump(yes)
            case _:
                self.leave_out(s, node)
                s.f.jump(no)

    def measured(self, s: Scope, node: nodes.Node, fail: str) -> Number:
        """The number of a filter; for a set, the number of its squares."""
        if self.is_set(node):
            return count(s, self.set_of(s, node))
        return self.number(s, node, fail)

    # --- the log

    def writes(self, node: nodes.Node) -> bool:
        """Whether code for a filter keeps the log. If the filter fails, its events are removed."""
        if self.writing is None:
            return False
        return id(node) in self.writing.filters or isinstance(node, _LASTING)

    def is_apart(self, node: nodes.Node) -> bool:
        """Whether the value of a filter does not show whether the filter holds (`closures.Code.apart`). The
        result is false for code without a log."""
        return self.writing is not None and id(node) in self.writing.apart

    def noted(self, s: Scope) -> Value:
        """The number of events in the log, as a word."""
        return s.f.load(s.frame, integer(layout.NOTED))

    @contextlib.contextmanager
    def _undoing(self, s: Scope, node: nodes.Node, fail: str) -> Iterator[str]:
        """A label for a filter that fails. Code at this label removes the filter's events from the log, and
        goes to `fail`."""
        if not self.writes(node):
            yield fail
            return
        f = s.f
        noted, bad, good = self.noted(s), f.label(), f.label()
        yield bad
        f.jump(good)
        f.begin(bad)
        f.store(noted, s.frame, integer(layout.NOTED))
        f.jump(fail)
        f.begin(good)

    # --- what is not compiled

    def leave_out(self, s: Scope, node: nodes.Node, reason: str = "") -> None:
        """Write code for a filter that is not compiled. The code marks the game as doubtful."""
        if not reason:
            words = "games depend on what was found in others"
            reason = words if self.outlives(node) else f"{type(node).__name__} is not compiled"
        self.unsupported.append(Unsupported(node.span, reason))
        self.doubt(s)

    def doubt(self, s: Scope, *, expected: bool = False) -> None:
        """Write code that marks the game as doubtful. `expected` is True if the reason is a missing fact or
        too many steps. `expected` is False if the reason is the filter itself."""
        self.doubts = True
        self.uncertain |= not expected
        s.f.store(word(1), s.frame, integer(layout.DOUBT))

    def doubt_unless(self, s: Scope, holds: Value, *, expected: bool = False) -> None:
        """Write code that marks the game as doubtful if `holds` is false."""
        bad, good = s.f.label(), s.f.label()
        s.f.branch(holds, good, bad)
        s.f.begin(bad)
        self.doubt(s, expected=expected)
        s.f.begin(good)

    def spend(self, s: Scope, runs: int, out: str) -> None:
        """Count `runs` of a loop body. After too many runs in a game, the game is doubtful and code goes to
        `out`. Compiled code cannot be stopped and must therefore not run for a long time. The interpreter
        takes over, and the interpreter can be stopped."""
        f = s.f
        good, bad = f.label(), f.label()
        left = f.load(s.frame, integer(layout.STEPS))
        f.branch(f.compare("gt", left, word(runs)), good, bad)
        f.begin(bad)
        f.store(word(0), s.frame, integer(layout.STEPS))
        self.doubt(s, expected=True)
        f.jump(out)
        f.begin(good)
        f.store(f.binary("sub", left, word(runs)), s.frame, integer(layout.STEPS))

    def outlives(self, node: nodes.Node) -> bool:
        """Whether a filter reads or changes data that remain for other games (spec 12.2 and 12.5)."""
        if isinstance(node, nodes_strings.ReadFile | nodes_strings.WriteFile):
            return True
        if not self.lasting or isinstance(node, nodes_programs.Dictionary):
            return False
        return not self.lasting.isdisjoint((getattr(node, "name", None), getattr(node, "dictionary", None)))

    # --- types and variables

    def type_of(self, node: nodes.Node) -> Type:
        """Static type of a filter."""
        return types.infer(node, self.names)

    def is_set(self, node: nodes.Node) -> bool:
        """True for sets of squares, including piece variables."""
        return self.type_of(node) in types.SETS

    def slot(self, name: str) -> int:
        """The place of a variable in the frame. The word at this place is the value. The next word says
        whether the variable has a value."""
        return layout.LOCALS + 2 * self._slots.setdefault(name, len(self._slots))

    def note(self) -> int | None:
        """Reserve two words of the frame for the caller, and return the place of these words. Both words are
        0 at the beginning of each game. Returns None after `_MOST_NOTES` calls, because a frame has little
        room."""
        if self._notes == _MOST_NOTES:
            return None
        self._notes += 1
        # The name of a variable never contains a blank, so no variable has this name.
        return self.slot(f"note {self._notes}")

    def memo(self, name: str) -> int:
        """The place of two words of the frame that remember where the man of a piece variable was last found
        (`routines_tree.followed`). Returns 0 if the frame has no room for them."""
        if name not in self._memos:
            self._memos[name] = self.note() or 0
        return self._memos[name]

    def key_slots(self, key: int) -> tuple[int, int]:
        """The places in the frame where a sort key is kept. The word at the first place is the best measure,
        and the next word says whether there is a measure. The word at the second place is the number of
        events in the key's list of comments."""
        # The name of a variable never contains a blank, so no variable has this name.
        return self.slot(f"sort key {key}"), self.slot(f"sort comments {key}")

    @property
    def lasting_slots(self) -> tuple[int, int]:
        """The places in the frame for the list of lasting events, in the form of `key_slots`."""
        return self.key_slots(layout.MOST_KEYS)

    def is_answered(self, node: nodes.Node) -> bool:
        """Whether a filter is a question about the text of the game. `engine.facts` answers these questions
        before the search."""
        return self._is_fact(node) or self._is_remark(node)

    def _is_fact(self, node: nodes.Node) -> bool:
        return id(node) in self.gathered or questions.is_fact(node, searches=self.leaves_no_trace)

    def _is_remark(self, node: nodes.Node) -> bool:
        return questions.is_remark(node, searches=self.leaves_no_trace)

    def question(self, node: nodes.Node, kind: Type) -> questions.Fact:
        """The question that asks for the number (`NUMERIC`), for the text (`STRING`), or for the truth of a
        filter. The filter satisfies `is_answered`."""
        return questions.Fact(
            node, number=kind is Type.NUMERIC, text=kind is Type.STRING, remark=not self._is_fact(node)
        )

    def _answer(self, s: Scope, node: nodes.Node, kind: Type, fail: str) -> Value:
        """The answer to a question for a number or a text. Without an answer, code goes to `fail`."""
        value, given = self.fact(s, self.question(node, kind))
        good = s.f.label()
        s.f.branch(given, good, fail)
        s.f.begin(good)
        return s.f.converted(value, Scalar.INT)

    def fact(self, s: Scope, fact: questions.Fact) -> tuple[Value, Value]:
        """The answer to a question, as a word, and whether there is an answer. The code marks the game as
        doubtful if the answer is unknown."""
        self.claim((fact,))
        f, slot = s.f, self.facts[fact]
        value, state = f.load(s.frame, integer(slot)), f.load(s.frame, integer(slot + 1))
        if fact.remark:
            # `tables.table` explains the list at the address.
            unknown = routines_notes.UNKNOWN_LIST
            nothing = f.module.placed(unknown.ctypes.data, Scalar.WORD, len(unknown))
            entries = f.array_at(value, Scalar.WORD)
            entries = f.select(f.compare("ne", value, word(0)), entries, nothing)
            size = f.converted(state, Scalar.INT)
            place = call(s, routines_notes.entry_of, entries, size, field_of(s, layout.ID))
            state = f.binary("and", f.load(entries, place), word((1 << layout.ANSWER_SHIFT) - 1))
            value = f.load(entries, f.binary("add", place, integer(1)))
        self.doubt_unless(s, f.compare("ne", state, word(answering.UNKNOWN)), expected=True)
        return value, f.compare("eq", state, word(answering.GIVEN))

    def claim(self, asked: Iterable[questions.Fact]) -> None:
        """Give each question a place in the frame."""
        for one in asked:
            if one not in self.facts:
                # The name of a variable never contains a blank, so no variable has this name.
                self.facts[one] = self.slot(f"fact {len(self.facts)}")

    def area(self, name: str, size: int) -> int:
        """The place of a table or of texts in the frame, with `size` words."""
        if name not in self._areas:
            self._areas[name] = self.frame_size if self._areas else layout.AREAS, size
        return self._areas[name][0]

    @property
    def frame_size(self) -> int:
        """The number of words in the frame."""
        if self._areas:
            return layout.AREAS + sum(size for _, size in self._areas.values())
        return layout.LOCALS + 2 * len(self._slots)

    def check_frame(self) -> None:
        """Raise `TooLargeError` if the frame has too many variables or areas. Call this method after writing
        each function, because each function may add some."""
        if layout.LOCALS + 2 * len(self._slots) > layout.AREAS or self.frame_size > layout.SERIAL:
            raise TooLargeError

    def is_looped(self, name: str) -> bool:
        """Whether only loops give a variable its value. A variable of this kind has a value only inside these
        loops."""
        return name in self._looped

    def read(self, s: Scope, name: str) -> Value:
        """The value of a variable, as a word. The code marks the game as doubtful if the variable has no
        value."""
        if self.is_looped(name):
            bound = s.loops.get(name)
            if bound is None:
                self.doubt(s)
                return word(0)
            return bound.value
        slot = self.slot(name)
        self.doubt_unless(s, s.f.compare("ne", s.f.load(s.frame, integer(slot + 1)), word(0)))
        return s.f.load(s.frame, integer(slot))

    def write(self, s: Scope, name: str, value: Value) -> None:
        """Give a variable a value. Do not call this method for a variable that only loops bind (`is_looped`).
        A loop variable has no value outside its loop."""
        slot = self.slot(name)
        s.f.store(value, s.frame, integer(slot))
        s.f.store(word(1), s.frame, integer(slot + 1))

    def bounded(self, s: Scope, number: Number) -> Value:
        """A number that fits into a variable. If a number is too large for a variable, the game is
        doubtful."""
        if number.low <= -_SAFE or number.high >= _SAFE:
            f = s.f
            small = f.binary("and", f.compare("gt", number.value, integer(-_SAFE)),
                             f.compare("lt", number.value, integer(_SAFE)))  # fmt: skip
            self.doubt_unless(s, small)
        return number.value

    def limited(self, s: Scope, node: nodes.Node, value: Callable[[], Value], low: int, high: int) -> Number:
        """A number between the bounds `low` and `high`, which are known at compile time. If the bounds are
        too large, the filter is not compiled."""
        if low < -_LARGEST or high > _LARGEST:
            self.leave_out(s, node, "a number may grow too large")
            return Number(integer(0), 0, 0)
        return Number(value(), low, high)

    def is_idle(self, s: Scope, node: nodes.Node) -> bool:
        """True if a filter assigns nothing and cannot fault. The evaluation of such a filter has no effect
        except its result."""
        if self.writing is not None and any(map(self.writes, nodes.walk(node))):
            return False
        return repeatable.is_repeatable(node) and all(self._cannot_fault(s, one) for one in nodes.walk(node))

    def is_steady(self, node: nodes.Node) -> bool:
        """Whether the result of a filter at a position is independent of earlier evaluations. The filter must
        read only the variables of its own loops and variables that the filter itself has just assigned. The
        filter must not ask about an earlier path."""
        return self._settled(node, frozenset()) is not None

    def _settled(self, node: nodes.Node, known: frozenset[str]) -> frozenset[str] | None:
        """The variables that have been assigned at the current position after a filter has matched. The
        variables `known` were assigned before the filter. None if the filter may depend on earlier
        evaluations."""
        match node:
            case _ if self.is_answered(node) or isinstance(node, nodes_programs.Function):
                return known
            case nodes.Compound():
                return self._settled_all(node.filters, known)
            case nodes.Logic(word="and"):
                return self._settled_all((node.left, node.right), known)
            case nodes.Assign(operator="=", persistent=False, atomic=False):
                return None if self._settled(node.value, known) is None else known | {node.name}
            case nodes_programs.Dictionary():
                return known
            case _ if self._is_left_alone(node):
                # The interpreter evaluates the filter at every position that reaches the filter, in order.
                inner = known | {node.name} if isinstance(node, nodes_programs.EntryLoop) else known
                if any(self._settled(one, inner) is None for one in nodes.children(node)):
                    return None
                return known
            case nodes_programs.Call():
                if any(self._settled(one, known) is None for one in node.arguments):
                    return None
                return self._settled(node.body, known | set(node.hidden))
            case nodes_strings.Search():
                if any(self._settled(one, known) is None for one in nodes.children(node)):
                    return None
                return known | {_GROUPS}
            case nodes_strings.Group():
                return known if _GROUPS in known else None
            case nodes.Name():
                return known if self.is_looped(node.name) or node.name in known else None
            case nodes_paths.PathFact() | nodes_programs.IsBound():
                return None
            case _ if dictionary_of(node, self.names) is not None:
                return None
        if not repeatable.is_repeatable_itself(node) or _has_open_range(node):
            return None
        if any(self._settled(one, known) is None for one in nodes.children(node)):
            return None
        return known

    def _is_left_alone(self, node: nodes.Node) -> bool:
        """Whether a filter is never compiled because it passes data to other positions or writes messages."""
        if self.outlives(node) or isinstance(node, nodes_facts.Message):
            return True
        name = dictionary_of(node, self.names)
        return name is not None and name not in self.dictionaries

    def _settled_all(self, listed: Sequence[nodes.Node], known: frozenset[str]) -> frozenset[str] | None:
        """`_settled` for filters that are evaluated in the given order."""
        for one in listed:
            found = self._settled(one, known)
            if found is None:
                return None
            known = found
        return known

    def _cannot_fault(self, s: Scope, node: nodes.Node) -> bool:
        if _has_open_range(node):
            return False
        if isinstance(node, nodes.Name):
            return self.is_looped(node.name)
        if dictionary_of(node, self.names) is not None:
            # The result depends on what was put into the dictionary before, so the filter keeps its place.
            return False
        if isinstance(node, nodes_paths.Path) and self.tells_ways:
            # A path that matches stores its start, length and end for the filters that ask about paths.
            return False
        return not isinstance(node, nodes_tree.Echo | nodes.Arithmetic)

    # --- positions

    def opened(self, f: Function) -> Scope:
        """The scope at the beginning of a function that has the parameters of a query."""
        records, boards, place, frame = f.arguments
        return self.at(f, records, boards, place, frame)

    @staticmethod
    def at(f: Function, records: Value, boards: Value, place: Value, frame: Value) -> Scope:
        """A scope at the record `place`."""
        here = f.offset(records, f.binary("mul", place, integer(layout.SIZE)))
        board = f.offset(boards, f.binary("mul", place, integer(64)))
        return Scope(f, records, boards, place, frame, here, board)

    def elsewhere(self, s: Scope, place: Value) -> Scope:
        """The same scope at another position."""
        self.buffered = True
        there = self.at(s.f, s.records, s.boards, place, s.frame)
        return replace(there, loops=s.loops, row=s.row, cut=s.cut, way=s.way, depth=s.depth, only=s.only)

    # --- parts of the module

    def table(self, numbers: Sequence[int]) -> Value:
        """A constant array of words."""
        self._tables += 1
        return self.module.table(f"table{self._tables}", Scalar.WORD, [one & MASK for one in numbers])

    def characters(self, text: str) -> Value:
        """A constant array with the characters of an ASCII text, a byte each."""
        self._tables += 1
        return self.module.table(f"table{self._tables}", Scalar.U8, text.encode("ascii"))

    def steps(self, mask: int, low: int, high: int, shifts: Sequence[tuple[int, int]]) -> emitter.Callee:
        """A function that moves a set by each of `shifts` and returns the union of the results. A shift is a
        pair: the squares that may move, and the distance."""
        key = (mask, low, high)
        known = self._steps.get(key)
        if known is None:
            name = f"steps{len(self._steps)}"
            f = self.module.function(name, [("area", Scalar.WORD)], Scalar.WORD, exported=False)
            found = word(0)
            for area, distance in shifts:
                found = f.binary(
                    "or", found, shifted(f, f.binary("and", f.arguments[0], word(area)), distance)
                )
            f.leave(found)
            known = self._steps[key] = f.finish()
        return known

    def _count(self, s: Scope) -> None:
        priority.pause()
        self._lines += 4
        if self._lines > MOST_LINES:
            raise TooLargeError


_LASTING: Final = (nodes_facts.SetTag, nodes_facts.RemoveComment)
"""Filters with effects that stay even if the query fails."""


def lasting_names(body: nodes.Node) -> frozenset[str | None]:
    """The names of the variables and dictionaries that keep their values from game to game."""
    found: set[str | None] = set()
    for node in nodes.walk(body):
        match node:
            case nodes.Assign(persistent=True) | nodes_programs.Dictionary(local=False):
                found.add(node.name)
            case _:
                pass
    return frozenset(found)


def dictionary_of(node: nodes.Node, names: types.Names) -> str | None:
    """The dictionary that a filter reads or changes, or None."""
    match node:
        case nodes_programs.Entry() | nodes_programs.EntryAssign() | nodes_programs.EntryCount():
            return node.name
        case nodes_programs.EntryLoop():
            return node.dictionary
        case nodes_programs.Unbind() if node.name in names.dictionaries:
            return node.name
        case _:
            return None


def dictionaries(
    body: nodes.Node, names: types.Names, lasting: Set[str | None]
) -> dict[str, tuple[str, ...] | None]:
    """The dictionaries that can be compiled, by name. Keys and values are one word each, so they are numbers,
    sets or positions. Keys may also be texts that stand in the query; then the entry has these texts in
    order. Otherwise the entry is None. If all keys of a dictionary are the filter `fen`, a key is a number
    that stands for the FEN (`entries.same_fen`). No loop can go through such keys, because their texts are
    not known."""
    found: dict[str, tuple[str, ...] | None] = {}
    filters: dict[str, list[nodes.Node]] = {}
    for node in nodes.walk(body) if names.dictionaries else ():
        name = dictionary_of(node, names)
        if name is not None:
            filters.setdefault(name, []).append(node)
    if len(filters) > _MOST_DICTIONARIES:
        return {}
    for name, listed in filters.items():
        kinds = names.dictionaries[name]
        keys = [key for one in listed if (key := getattr(one, "key", None)) is not None]
        texts = [key.value for key in keys if isinstance(key, nodes.String)]
        of_fens = all(isinstance(key, nodes_squares.Fen) for key in keys) and not any(
            isinstance(one, nodes_programs.EntryLoop) for one in listed
        )
        if (
            name in lasting
            or kinds.value not in _IN_A_WORD
            or not (kinds.key in _IN_A_WORD or of_fens or len(texts) == len(keys))
            or not all(_is_plain_loop(one) for one in listed)
        ):
            # The interpreter evaluates all filters about dictionaries then, at the positions that reach them.
            return {}
        found[name] = None if kinds.key in _IN_A_WORD or of_fens else tuple(sorted(set(texts)))
    return found


_MOST_DICTIONARIES: Final = 7
"""The frame has room for this number of dictionaries, for the table of FENs and for texts."""
_IN_A_WORD: Final = (Type.NUMERIC, Type.SET, Type.PIECE, Type.POSITION)


def _is_plain_loop(node: nodes.Node) -> bool:
    """False for a loop over a dictionary that changes a dictionary."""
    return not isinstance(node, nodes_programs.EntryLoop) or not any(
        isinstance(one, nodes_programs.EntryAssign | nodes_programs.Unbind) for one in nodes.walk(node.body)
    )


def loop_names(body: nodes.Node) -> frozenset[str]:
    """The variables that only loops and echoes bind."""
    looped: set[str] = set()
    others: set[str] = set()
    for node in nodes.walk(body):
        match node:
            case nodes.SquareLoop() | nodes.PieceLoop():
                looped.add(node.name)
            case nodes_tree.Echo():
                looped |= {node.source, node.target}
            case nodes.Assign() | nodes.PieceAssign() | nodes_programs.Unbind() | nodes_programs.EntryLoop():
                others.add(node.name)
            case nodes_programs.Call():
                others |= set(node.hidden)
            case _:
                pass
    return frozenset(looped - others)


def _has_open_range(node: nodes.Node) -> bool:
    """Whether a filter has a range with a bound that is not a literal number."""
    limits = getattr(node, "range", None)
    if not isinstance(limits, nodes.Range) or limits.count:
        return False
    return not (isinstance(limits.low, int) and isinstance(limits.high, int))
