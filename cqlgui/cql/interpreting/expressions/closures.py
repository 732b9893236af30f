"""Compiles filters to Python closures: one `Code` for each node, made once for a query and run at every
position.

Conventions: a closure takes the `Evaluation`. A value is a bitboard (for a set), an integer, a string or a
positionid. A filter without a value gives None. A set filter always has a value: a failing set filter gives
the empty set. A test returns something true or false. A filter may write comments, and may record orbit
matches (matching elements of transforms). The closure of such a filter is wrapped. If the filter fails, the
wrapper removes the comments and matches of the filter (output spec 3.4, D31). Each module `closures_…`
contains the compilers of related node kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from cqlgui.base import priority
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.runtime.evaluation import UNBOUND, Evaluation
from cqlgui.cql.source.diagnostics import Span

Run = Callable[[Evaluation], Any]


@dataclass(frozen=True, slots=True)
class Code:
    """A compiled filter. `logs` is True if running the filter can change the comment log or the orbit
    matches. `apart` is True if the test and the value of the filter are independent. This is the case for a
    dash (`L--R`) whose target is a set filter, for example."""

    type: Type
    value: Run
    test: Run
    logs: bool = False
    apart: bool = False

    @property
    def is_set(self) -> bool:
        """Whether the value is a set of squares."""
        return self.type in types.SETS


@dataclass(frozen=True, slots=True)
class SortSpec:
    """One sort key of the query: its text, and whether large values come first."""

    doc: str
    descending: bool
    quiet: bool


@dataclass(slots=True)
class _SortKey:
    spec: SortSpec
    index: int


class Compiler:
    """Compiles the filters of one query, and assigns slots to variables and sort keys.

    `watch` receives every node with the closures of the node, and may replace the closures. `watch` is used
    to explain a position.
    """

    def __init__(self, names: types.Names, watch: Callable[[nodes.Node, Code], Code] | None = None) -> None:
        self.names = names
        self.slots: dict[str, int] = {}
        self.watch = watch
        # `restricted_moves` holds the `id`s of the `move` filters that a `line` evaluates once for each child
        # (see `closures_moves.future_moves`).
        self.restricted_moves: set[int] = set()
        self.atomics: set[int] = set()
        """Slots of the atomic variables declared so far (spec 12.3)."""
        self.remembers = False
        """Whether the evaluation at one position can affect the results at later positions. Effects of
        variables are ignored here."""
        self.sorting = 0
        """Number of `sort` filters that enclose the filter being compiled."""
        self.persistent: dict[str, bool] = {}
        """For each persistent variable, whether the query declares the variable as `quiet`."""
        self.dictionaries: dict[str, bool] = {}
        """For each dictionary, whether the dictionary is local."""
        self.files = False
        """Whether the query reads or writes text files."""
        self._sorts: dict[object, _SortKey] = {}

    def unwatched(self) -> Compiler:
        """A compiler for the same query without `watch`; variables and sort keys keep their slots."""
        twin = Compiler(self.names)
        twin.slots, twin._sorts = self.slots, self._sorts
        twin.restricted_moves, twin.atomics = self.restricted_moves, self.atomics
        twin.persistent, twin.dictionaries = self.persistent, self.dictionaries
        return twin

    @property
    def sort_specs(self) -> tuple[SortSpec, ...]:
        """The sort keys, in the order of their first occurrence in the text."""
        return tuple(key.spec for key in self._sorts.values())

    def compile(self, node: nodes.Node) -> Code:
        """The closures of a filter."""
        priority.pause()
        code = COMPILERS[type(node)](self, node)
        if code.logs:
            code = _transactional(code)
        return code if self.watch is None else self.watch(node, code)

    def compile_all(self, filters: Sequence[nodes.Node]) -> list[Code]:
        """The closures of several filters, in order."""
        return [self.compile(node) for node in filters]

    def type_of(self, node: nodes.Node) -> Type:
        """Static type of a filter."""
        return types.infer(node, self.names)

    def slot(self, name: str) -> int:
        """Slot of a variable."""
        return self.slots.setdefault(name, len(self.slots))

    def initial(self, name: str) -> int | str:
        """The value of a persistent variable before its first assignment."""
        return "" if self.names[name] is Type.STRING else 0

    def sort_key(self, node: nodes.Sort) -> int:
        """Slot of the key of a `sort`. `sort` filters with the same text share a key. If a
        transform copies a `sort`, the copies also share a key."""
        # A `sort` without a text is identified by its offset in the query. All copies made by a transform
        # have the same offset.
        identity: object = node.span.offset if node.doc is None else node.doc
        return self._sort_key(identity, node.doc, node.order != "min", node.quiet)

    def quiet_ascending_key(self, doc: str) -> int:
        """Slot of an ascending sort key. The header comment does not show the key."""
        return self._sort_key(doc, doc, False, True)

    def _sort_key(self, identity: object, doc: str | None, descending: bool, quiet: bool) -> int:
        key = self._sorts.get(identity)
        if key is None:
            if doc is None:
                doc = f"<sort-id-{sum(1 for other in self._sorts if not isinstance(other, str)) + 1}>"
            key = self._sorts[identity] = _SortKey(SortSpec(doc, descending, quiet), len(self._sorts))
        return key.index

    def own_sort_key(self, identity: object, spec: SortSpec) -> int:
        """Slot of a key for a filter other than `sort`. Filters with the same `identity` share a slot."""
        key = self._sorts.setdefault(identity, _SortKey(spec, len(self._sorts)))
        return key.index

    def bound(self, limit: int | str) -> Callable[[Evaluation], int]:
        """A closure for a range bound. The bound is a number, or a variable that is read at run time."""
        if isinstance(limit, int):
            return lambda s: limit
        return self.variable(limit, None)

    def variable(self, name: str, span: Span | None) -> Callable[[Evaluation], int]:
        """A closure that reads a numeric or position variable. If the variable has no value, the closure
        raises a fault at `span`."""
        slot = self.slot(name)

        def read(s: Evaluation) -> int:
            value = s.variables[slot]
            if value is UNBOUND:
                raise s.fault(f"The variable {name} has no value yet", span, name)
            number: int = value
            return number

        return read

    def within(self, limits: nodes.Range) -> Callable[[Evaluation, int], bool]:
        """A closure that tests whether a number lies in a range."""
        if limits.count:
            return lambda s, number: True
        if isinstance(limits.low, int) and isinstance(limits.high, int):
            low, high = limits.low, limits.high
            return lambda s, number: low <= number <= high
        lower, upper = self.bound(limits.low), self.bound(limits.high)
        return lambda s, number: lower(s) <= number <= upper(s)


def constant_range(limits: nodes.Range, number: int) -> bool:
    """Whether a number lies in a range of the query's header. In the header, the bounds of a range are always
    literals."""
    assert isinstance(limits.low, int)
    assert isinstance(limits.high, int)
    return limits.count or limits.low <= number <= limits.high


def code(kind: Type, value: Run, *, logs: bool = False, test: Run | None = None, apart: bool = False) -> Code:
    """A `Code`. If no test is given, the test is derived from the value."""
    if test is None:
        if kind in types.SETS or kind is Type.LOGICAL:
            test = value
        else:

            def test(s: Evaluation) -> bool:
                return value(s) is not None

    return Code(kind, value, test, logs, apart)


def _transactional(made: Code) -> Code:
    value, test = made.value, made.test
    empty: Any = None if made.type in (Type.NUMERIC, Type.STRING, Type.POSITION) else 0

    def guarded(run: Run, failed: Callable[[Any], bool]) -> Run:
        def run_guarded(s: Evaluation) -> Any:
            comments, matches = len(s.log), len(s.found)
            result = run(s)
            if failed(result) and (len(s.log) > comments or len(s.found) > matches):
                s.rollback(comments, matches)
            return result

        return run_guarded

    guarded_value = guarded(value, (lambda v: v is None) if empty is None else (lambda v: not v))
    guarded_test = guarded_value if test is value else guarded(test, lambda v: not v)
    return Code(made.type, guarded_value, guarded_test, True, made.apart)


NodeCompiler = Callable[[Compiler, Any], Code]

COMPILERS: Final[dict[type[nodes.Node], NodeCompiler]] = {}
"""The compiler of every node kind; filled by the modules `closures_…`."""


def compiles(kind: type[nodes.Node]) -> Callable[[NodeCompiler], NodeCompiler]:
    """Decorator: registers a function as the compiler of a node kind."""

    def enter(function: NodeCompiler) -> NodeCompiler:
        assert kind not in COMPILERS
        COMPILERS[kind] = function
        return function

    return enter
