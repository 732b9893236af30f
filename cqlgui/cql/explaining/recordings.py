"""Records the results of filters while one position is evaluated, for use by `explain`.

This module does not depend on how the records are shown. An ordinary search records nothing. Results are
recorded only if the compiler is given `Recorder.watch`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cqlgui.base import data
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes, nodes_programs
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions.closures import Code, Run
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation, PathState


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of an evaluation at the start of one run of a filter, and whether the filter held in this
    run."""

    positionid: int
    held: bool
    variables: Sequence[Any]
    banned: dict[object, set[int]]
    path: PathState | None = None
    last_path: PathState | None = None
    line_start: int = 0
    cut: tuple[int, int, int] | None = None
    only_child: int = -1
    groups: Any = None

    @classmethod
    def of(cls, s: Evaluation) -> Moment:
        """A copy of the current state. Later changes of the state do not affect the copy."""
        return cls(
            s.id, False, kept(s.variables), kept_bans(s), _kept_path(s.path), s.last_path, s.line_start,
            s.cut, s.only_child, s.groups,
        )  # fmt: skip

    def run(self, s: Evaluation, test: Run) -> bool:
        """Test a filter in this state. `path`, `line_start`, `cut` and `only_child` of the evaluation are
        restored afterwards. `variables`, `banned`, `groups` and `last_path` are not restored. A caller
        that needs the old values must restore them."""
        outer = s.path, s.line_start, s.cut, s.only_child
        s.variables[:], s.banned = kept(self.variables), self.banned
        s.path, s.last_path, s.line_start = _kept_path(self.path), self.last_path, self.line_start
        s.cut, s.only_child, s.groups = self.cut, self.only_child, self.groups
        try:
            return bool(test(s))
        finally:
            s.path, s.line_start, s.cut, s.only_child = outer


def kept(variables: Sequence[Any]) -> list[Any]:
    """A copy of variables. Later changes of the variables do not affect the copy. Dictionaries are copied
    too, because an assignment to an entry changes the dictionary itself."""
    return [dict(one) if isinstance(one, dict) else one for one in variables]


def kept_bans(s: Evaluation) -> dict[object, set[int]]:
    """A copy of `Evaluation.banned`. Later changes do not affect the copy."""
    return {filter: set(places) for filter, places in s.banned.items()}


def _kept_path(path: PathState | None) -> PathState | None:
    return None if path is None else data.replace(path)


@dataclass(frozen=True, slots=True)
class Record:
    """The result of a filter at a position.

    If `truth_only` is True, only the test of the filter ran, and no value was computed. In this case `value`
    is None; to compute the value later, evaluate the filter with the values in `variables`. `variables` holds
    the values of the variables when the filter began. `runs` holds the kept runs of a `find`, `loop` or
    `while`. `runs` is None if no runs were kept, and for all other filters.
    """

    good: bool
    value: Any
    truth_only: bool
    variables: Sequence[Any]
    runs: Runs | None = None


class Runs:
    """The kept runs of the parts of a `find`, `loop` or `while`. Each part runs once for each candidate or
    round.

    For a `find`, the run at the first candidate that matches is kept. If no candidate matches, the run at the
    candidate nearest to matching is kept. The nearest candidate has the most conjuncts that hold before the
    first failure. If several candidates are equally near, the first candidate is used. For a `loop` or
    `while`, the last run of each part is kept.
    """

    def __init__(self, node: nodes.Node) -> None:
        self.rounds: int | None = None if isinstance(node, nodes.Find) else 0
        self._node = node
        self._kept: dict[int, Moment] = {}
        self._rank = (False, -1)
        self._held = 0
        self._parts = {id(part) for part in _parts(node)}
        self._conjuncts = (
            {id(one) for one in _conjuncts(node.operand)} if isinstance(node, nodes.Find) else ()
        )

    def moment(self, part: nodes.Node) -> Moment | None:
        """The kept run of a part; None if no run was kept."""
        return self._kept.get(id(part))

    def begins(self, part: nodes.Node, s: Evaluation) -> Moment | None:
        """Called when a filter begins. Returns the current state if the filter is one of the parts, else
        None."""
        if id(part) not in self._parts:
            return None
        self._held = 0
        return Moment.of(s)

    def ends(self, part: nodes.Node, before: Moment | None, good: bool) -> None:
        """Called when a filter ends. `good` tells whether the filter held. `before` is the value that
        `begins` returned for this filter."""
        if before is None:
            self._held += good and id(part) in self._conjuncts
            return
        match self._node:
            case nodes.Find():
                rank = (good, 0 if good else self._held)
                if rank <= self._rank:
                    return
                self._rank = rank
            case nodes_programs.Loop():
                self.rounds = (self.rounds or 0) + good
            case nodes_programs.While(body=body) if part is body:
                self.rounds = (self.rounds or 0) + 1
        self._kept[id(part)] = data.replace(before, held=good)


def _parts(node: nodes.Node) -> tuple[nodes.Node, ...]:
    """The parts that a `find`, `loop` or `while` runs more than once. The result is empty for other
    filters."""
    match node:
        case nodes.Find() | nodes_programs.Loop():
            return (node.operand,)
        case nodes_programs.While():
            return (node.condition, node.body)
        case _:
            return ()


def _conjuncts(node: nodes.Node) -> Iterator[nodes.Node]:
    """The filters that must all hold for `node` to hold. Nested conjunctions are flattened."""
    match node:
        case nodes.Compound():
            parts: Sequence[nodes.Node] = node.filters
        case nodes.Logic(word="and"):
            parts = (node.left, node.right)
        case nodes.NoTransform():
            parts = (node.operand,)
        case _:
            parts = ()
            yield node
    for part in parts:
        yield from _conjuncts(part)


class Recorder:
    """Records the results of filters. The keys of a record are the `id` of the node and the position.

    In a loop or an orbit, a filter may have several results at one position. The last success is kept. If
    there is no success, the last failure is kept.
    """

    def __init__(self) -> None:
        self.on = False
        """Whether results are recorded now. Runs of parts are recorded only if witnesses are requested
        too."""
        self.records: dict[int, dict[int, Record]] = {}
        self.codes: dict[int, Code] = {}
        """The closures of filters as the compiler made them. These closures record nothing."""
        self.tests: dict[int, Run] = {}
        """The test closures of filters. These closures record their results."""
        self._runs: Runs | None = None

    def watch(self, node: nodes.Node, made: Code) -> Code:
        """The `watch` callback of `closures.Compiler`: wraps the closures of a filter so that they record
        their results."""
        value = self._recorded(node, made.value, made.is_set or made.type is Type.LOGICAL)
        test = value if made.test is made.value else self._recorded(node, made.test, True, truth_only=True)
        self.codes[id(node)], self.tests[id(node)] = made, test
        return Code(made.type, value, test, made.logs, made.apart)

    def _recorded(self, node: nodes.Node, run: Run, falsy_fails: bool, truth_only: bool = False) -> Run:
        records = self.records.setdefault(id(node), {})
        repeats = bool(_parts(node))

        def recorded(s: Evaluation) -> Any:
            if not self.on:
                return run(s)
            here, outer, variables = s.id, self._runs, list(s.variables) if truth_only else ()
            before = None if outer is None else outer.begins(node, s)
            own = Runs(node) if repeats and s.witnesses is not None else None
            self._runs = own or outer
            try:
                result = run(s)
            finally:
                self._runs = outer
            good = bool(result) if falsy_fails else result is not None
            if outer is not None:
                outer.ends(node, before, good)
            known = records.get(here)
            if known is None or good >= known.good:
                records[here] = Record(good, None if truth_only else result, truth_only, variables, own)
            return result

        return recorded

    def apart(self, node: nodes.Node) -> Apart:
        """A context manager that empties the records of a filter and its parts on entry and restores them on
        exit."""
        return Apart([self.records[one] for one in _ids(node) if one in self.records])


class Apart:
    """A context manager that empties records on entry and restores them on exit."""

    def __init__(self, records: Sequence[dict[int, Record]]) -> None:
        self._records = records
        self._aside = [dict(one) for one in records]

    def __enter__(self) -> Apart:
        for records in self._records:
            records.clear()
        return self

    def __exit__(self, *_raised: object) -> None:
        self.restore()

    def restore(self) -> None:
        """Restore the records now, before the context ends."""
        for records, before in zip(self._records, self._aside, strict=True):
            records.clear()
            records.update(before)


def _ids(node: nodes.Node) -> Iterator[int]:
    """The ids of the node and of all nodes in it."""
    pending = [node]
    while pending:
        one = pending.pop()
        yield id(one)
        pending.extend(nodes.children(one))
