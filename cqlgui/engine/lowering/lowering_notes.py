"""Writes machine code that stores the automatic comments of filters as events.

An event has the form of a comment (`Form`) and the numbers in the comment. The module `speaking` turns events
into comments and has the texts of all comments. The code runs only at hits, for filters that hold. The events
are written in the order of the interpreter's comments. The code is made only for filters that give equal
results in all evaluations at one position.
"""

from __future__ import annotations

import enum
from collections.abc import Set
from typing import Final

from cqlgui.base.data import dataclass, replace
from cqlgui.cql.ast import nodes, nodes_paths
from cqlgui.engine.lowering import lowering_orbits, lowering_tree
from cqlgui.engine.lowering.blocks import field_of, integer
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import Scope
from cqlgui.engine.replaying import layout
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

MOST_EVENTS: Final = 400
"""The maximum number of events at a hit. If a hit has more events, the game is doubtful."""
WORDS: Final = 2
"""The number of words in an event. The first word has the positionid and the form. The second word has two
numbers of 32 bits."""


class Form(enum.IntEnum):
    """The forms of comments. An event has a `position`, which is a positionid, and the numbers `first` and
    `second`."""

    FOUND = 0
    """The comment `Found` at `position`."""
    FOUND_OF = 1
    """A comment like `Found 1 of 3` at `position`. `first` is 1, and `second` is 3."""
    PATH = 2
    """The two comments of a path from `position` to `first`, with `second` moves."""
    LINE = 3
    """The two comments of a line from `position` to `first`, with the length `second`."""


class UntoldError(Exception):
    """Only the interpreter can find the comments of a filter."""


@dataclass(frozen=True, slots=True)
class Speaking:
    """Writes events to `out`. The number of events is in word `base`, and the events follow. `writers` has
    the `id`s of the filters that may write comments."""

    low: Lowering
    out: Value
    base: int
    writers: Set[int]

    def write(self, s: Scope, node: nodes.Node) -> None:
        """Write the events of a filter that holds. The block is open at the end. Raises `UntoldError`."""
        if id(node) not in self.writers:
            return
        match node:
            case nodes.Compound():
                for one in node.filters:
                    self.write(s, one)
            case nodes.Logic(word="and"):
                self.write(s, node.left)
                self.write(s, node.right)
            case nodes.Logic():
                self._either(s, node)
            case nodes.Not():
                # If `not` holds, the operand of `not` has failed. The comments of a filter that fails do not
                # count.
                return
            case nodes.NoTransform():
                self.write(s, node.operand)
            case nodes.Assign(operator="="):
                self.write(s, node.value)
            case nodes.Orbit(range=None):
                self._orbit(s, node)
            case nodes.Find(range=None, all=False):
                self._found(s, node)
            case nodes.Find():
                self._found_several(s, node)
            case nodes_paths.Path() | nodes_paths.Line() if _is_simple(node):
                self._sequence(s, node)
            case _:
                raise UntoldError

    def _either(self, s: Scope, node: nodes.Logic) -> None:
        f = s.f
        left, right, after = f.label(), f.label(), f.label()
        self.low.test(s, node.left, left, right)
        for label, one in ((left, node.left), (right, node.right)):
            f.begin(label)
            self.write(s, one)
            f.jump(after)
        f.begin(after)

    def _orbit(self, s: Scope, node: nodes.Orbit) -> None:
        def each(inner: Scope, element: nodes.Node, _number: Value, following: str) -> None:
            holds = s.f.label()
            self.low.test(inner, element, holds, following)
            s.f.begin(holds)
            self.write(inner, element)
            s.f.jump(following)

        lowering_orbits.each_element(self.low, s, node, each)

    def _found(self, s: Scope, node: nodes.Find) -> None:
        f = s.f
        none, after = f.label(), f.label()
        there = self.low.elsewhere(s, self.low.position(s, node, none))
        self.write(there, node.operand)
        if not node.quiet:
            self._event(there, Form.FOUND, integer(0), integer(0))
        f.jump(after)
        f.begin(none)
        f.jump(after)
        f.begin(after)

    def _found_several(self, s: Scope, node: nodes.Find) -> None:
        if id(node.operand) in self.writers:
            raise UntoldError
        if node.quiet:
            return
        f = s.f
        after, number = f.label(), f.slot(Scalar.INT)
        f.store(integer(0), number)
        total = self.low.number(s, node, after)
        with lowering_tree.candidates(self.low, s, node, after) as (there, following):
            yes = f.label()
            self.low.test(there, node.operand, yes, following)
            f.begin(yes)
            count = f.binary("add", f.load(number), integer(1))
            f.store(count, number)
            self._event(there, Form.FOUND_OF, count, total.value)
            f.jump(following)
        f.begin(after)

    def _sequence(self, s: Scope, node: nodes_paths.Path | nodes_paths.Line) -> None:
        if any(id(one) in self.writers for one in nodes.walk(node) if one is not node):
            raise UntoldError
        if node.quiet:
            return
        f = s.f
        none, after = f.label(), f.label()
        # With `lastposition`, the value of a sequence is the last position. Without `lastposition`, the value
        # is the length.
        last = self.low.position(s, replace(node, lastposition=True), none)
        steps = self.low.number(s, replace(node, lastposition=False), none)
        self._event(s, Form.PATH if isinstance(node, nodes_paths.Path) else Form.LINE, last, steps.value)
        f.jump(after)
        f.begin(none)
        f.jump(after)
        f.begin(after)

    def _event(self, s: Scope, form: Form, first: Value, second: Value) -> None:
        """Append an event at the position of the scope."""
        f = s.f
        count = f.converted(f.load(self.out, integer(self.base)), Scalar.INT)
        self.low.doubt_unless(s, f.compare("lt", count, integer(MOST_EVENTS)), expected=True)
        # In a doubtful game, the count may be too large. A new event then overwrites the last event, so that
        # code never writes outside `out`.
        count = f.select(f.compare("lt", count, integer(MOST_EVENTS)), count, integer(MOST_EVENTS - 1))
        place = f.binary("add", f.binary("mul", count, integer(WORDS)), integer(self.base + 1))
        here = f.converted(field_of(s, layout.ID), Scalar.INT)
        f.store(_packed(s, here, integer(form)), self.out, place)
        f.store(_packed(s, first, second), self.out, f.binary("add", place, integer(1)))
        more = f.binary("add", count, integer(1))
        f.store(f.converted(more, Scalar.WORD), self.out, integer(self.base))


def _packed(s: Scope, low: Value, high: Value) -> Value:
    shifted = s.f.binary("mul", high, integer(1 << 32))
    return s.f.converted(s.f.binary("or", low, shifted), Scalar.WORD)


def _is_simple(node: nodes_paths.Path | nodes_paths.Line) -> bool:
    """Whether a path or line writes only the two comments about its start and its end."""
    if isinstance(node, nodes_paths.Line):
        return True
    special = node.title or node.piecepath or node.verbose or node.keepallbest
    return not special and node.max is None
