"""Explains why a position matches a query or does not match. The explanation gives the result, the value and
the squares of every sub-filter and every orbit element."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from cqlgui.base import data
from cqlgui.base.data import dataclass
from cqlgui.board import moves, squares, tree
from cqlgui.cql.ast import nodes, nodes_paths, nodes_programs, nodes_squares, nodes_tree, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.explaining import recordings
from cqlgui.cql.interpreting import compilers, rings
from cqlgui.cql.interpreting.expressions import closures_output
from cqlgui.cql.interpreting.expressions.closures import Code
from cqlgui.cql.interpreting.runtime import host as hosts
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation, QueryError, Way, Witnesses
from cqlgui.cql.printing import printer
from cqlgui.cql.source import tokens
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.syntax.reading import lexer
from cqlgui.cql.transforming import transform_rules, transforms, words

MAX_DETAILED_ELEMENTS: Final = 64
"""In orbits with more elements than this number, details are shown only for the elements that match."""

MAX_CONSTITUENTS: Final = 200
"""At most this many constituents of a path are shown."""


class Judged(Protocol):
    """A filter at a position. `matched` is True if the filter matches, False if the filter does not match,
    and None if this is unknown."""

    @property
    def matched(self) -> bool | None: ...


@dataclass(frozen=True, slots=True)
class Explanation:
    """One filter at one position.

    `matched` is None if the result is unknown, for example because a loop variable has no value outside its
    loop. `value` is the value as text; for conditions and for filters that fail, `value` is None. `squares`
    is a bitboard. For a set filter, `squares` is the set. For a filter of another type, `squares` holds the
    squares that the filter matched.

    `positionid` is the position where the filter was evaluated, and `place` describes that position. Inside
    a `find`, `positionid` is the position that the `find` found. If the `find` found no position,
    `positionid` is the candidate that comes nearest to matching.

    If the filter is an element of an orbit, `transform` and `words` describe the transform of the element.
    For all other filters, `transform` and `words` are empty. For an element of an outermost orbit, `orbit` is
    the index of the orbit. For all other filters, `orbit` is -1.

    For a loop over squares or pieces, `binding` is the name of the variable and the square of the deciding
    element. The deciding element is the first element that makes the body hold. With `all`, the deciding
    element is the first element that makes the body fail. The body is explained for the deciding element.

    `way` is the text of the moves that a path or a line matched. If the path or line failed, `way` ends at
    the last position that matched.

    `rounds` counts how often the body of a `loop` held, or how often the body of a `while` ran. For other
    filters, `rounds` is None. Each part of a `loop` or `while` is explained for its last run.
    """

    span: Span
    text: str
    type: str
    matched: bool | None
    value: str | None
    squares: int
    positionid: int
    children: tuple[Explanation, ...] = ()
    transform: str = ""
    words: str = ""
    orbit: int = -1
    binding: tuple[str, str] | None = None
    way: str = ""
    place: str = ""
    rounds: int | None = None


def explain(
    expanded: transforms.Expanded, game: tree.GameTree, host: hosts.Host, positionid: int
) -> Explanation:
    """Explain the body of a query at one position of a game. Raises `QueryError` if a search would raise this
    error."""
    query = expanded.query
    if query is None:
        raise ValueError("a query with errors cannot be explained")
    searched = game if query.header.variations or positionid >= game.mainline_length else game.mainline()
    return _Explainer(expanded, query).explain(searched, host, positionid)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a query does not match at a position.

    `part` is the first filter that fails. The search for `part` looks inside conjunctions, `find`, paths,
    lines and `if`. `part` is None if the query matches. If an orbit contains `part`, `words` and `transform`
    describe the element that contains `part`. This element comes nearest to matching.

    `nearest` is the nearest position of the game where `part` holds, or None. `whole` is the nearest position
    where the whole query holds, or None. `fault` is the first error that prevented the evaluation of a
    position. `fault` is empty if there was no error.
    """

    part: Explanation | None
    words: str = ""
    transform: str = ""
    nearest: int | None = None
    whole: int | None = None
    fault: str = ""


def why_not(expanded: transforms.Expanded, game: tree.GameTree, host: hosts.Host, positionid: int) -> Reason:
    """The first filter that fails at a position, and the nearest position where this filter holds. Raises the
    same errors as `explain`."""
    query = expanded.query
    if query is None:
        raise ValueError("a query with errors cannot be explained")
    searched = game if query.header.variations or positionid >= game.mainline_length else game.mainline()
    explainer = _Explainer(expanded, query)
    found = explainer.explain(searched, host, positionid)
    if found.matched:
        return Reason(None)
    node, part, element = explainer.failing(found)
    holds, matches, fault = explainer.places(searched, host, node)
    return Reason(
        part,
        element.words if element else "",
        element.transform if element else "",
        _nearest(searched, positionid, holds),
        _nearest(searched, positionid, matches),
        fault,
    )


def _nearest(game: tree.GameTree, here: int, places: Sequence[int]) -> int | None:
    """The place that is the fewest moves away from `here` in the game tree. If two places are equally near, a
    place after `here` is preferred to a place before `here`."""
    above = {}
    at, steps = here, 0
    while at >= 0:
        above[at] = steps
        at, steps = game.parents[at], steps + 1

    def distance(place: int) -> tuple[int, bool]:
        at, steps = place, 0
        while at not in above:
            at, steps = game.parents[at], steps + 1
        return steps + above[at], place < here

    return min(places, key=distance, default=None)


# The explanation of each of these filters shows details that are known only after an evaluation of the
# filter. A filter that was not evaluated must therefore be evaluated for the explanation.
_LOOKED_AT: Final = (
    nodes.SquareLoop,
    nodes.PieceLoop,
    nodes.Find,
    nodes_programs.Loop,
    nodes_programs.While,
    nodes_paths.Path,
    nodes_paths.Line,
)


class _Explainer:
    def __init__(self, expanded: transforms.Expanded, query: nodes.Query) -> None:
        self._source = expanded.text
        self._recorder = recordings.Recorder()
        self._compiler = compilers.compiler(expanded.names, self._recorder.watch)
        self._query = query
        # The ids of the nodes inside orbits and placements. These nodes must be printed, because they are not
        # in the text of the query. All other nodes are quoted from the text.
        self._printed: set[int] = set()
        self._find_printed(query.body)
        self._remarks = [
            token.span for token in lexer.tokens(self._source) if token.kind is tokens.Kind.COMMENT
        ]
        self._witnesses: Witnesses = {}
        self._ways: dict[tuple[int, int], Way] = {}
        self._body = self._compiler.compile(query.body)
        self._rings = rings.Rings(self._compiler.unwatched(), query.body, expanded.orbits)

    def explain(self, searched: tree.GameTree, host: hosts.Host, positionid: int) -> Explanation:
        s = self._evaluation(searched, host)
        if self._compiler.slots or self._compiler.remembers:
            # Variables keep their values from one position to the next, and paths are remembered too. All
            # earlier positions must therefore be evaluated first.
            for earlier in range(positionid):
                s.goto(earlier)
                self._body.test(s)
        s.goto(positionid)
        s.ways, s.witnesses = self._ways, self._witnesses
        before = recordings.kept(s.variables)
        self._recorder.on = True
        self._body.test(s)
        self._recorder.on, s.witnesses = False, None
        return self._node(s, self._query.body, positionid, before)

    def failing(self, found: Explanation) -> tuple[nodes.Node, Explanation, Explanation | None]:
        """The first filter that fails, and the innermost orbit element that contains this filter."""
        node, part, element = self._query.body, found, None
        while True:
            inner = self._broken(node, part) or _inner(node, part)
            if inner is not None:
                node, part = inner
                continue
            below = _conjuncts(node)
            # The filters inside an element of a large orbit are not explained, so the search for the failing
            # filter stops at the element.
            if len(below) != len(part.children) or not below:
                return node, part, element
            pairs = list(zip(below, part.children, strict=True))
            if isinstance(node, nodes.Orbit):
                node, part = max(
                    pairs, key=lambda pair: (held(pair[1].children), pair[1].transform == words.AS_WRITTEN)
                )
                element = part
                continue
            failed = next((pair for pair in pairs if pair[1].matched is False), None)
            if failed is None:
                return node, part, element
            node, part = failed

    def _broken(self, node: nodes.Node, part: Explanation) -> tuple[nodes.Node, Explanation] | None:
        """The constituent where a path or line failed. A step is not a filter. The result for a step is
        therefore a path with this step as its only constituent."""
        way = self._ways.get((id(node), part.positionid))
        if way is None or way.failed is None or not part.children or part.children[-1].matched is not False:
            return None
        origin, told = way.failed[0], part.children[-1]
        assert isinstance(origin, nodes.Node)
        if isinstance(origin, nodes_paths.Step):
            assert isinstance(node, nodes_paths.Path)
            # If a move fits the dash of the step, the children are the sets of the dash, followed by the
            # targets of the step.
            for target, tail in zip(origin.targets, told.children[len(_sets(origin)) :], strict=False):
                if tail.matched is False:
                    return target, tail
            origin = data.replace(
                node, range=None, max=None, nestban=False, keepallbest=False, verbose=False, piecepath=False,
                lastposition=False, title=None, quiet=True, constituents=(origin,),
            )  # fmt: skip
            self._recorder.codes[id(origin)] = self._compiler.unwatched().compile(origin)
        return origin, told

    def places(
        self, searched: tree.GameTree, host: hosts.Host, wanted: nodes.Node
    ) -> tuple[list[int], list[int], str]:
        """The positions where a filter holds, the positions where the whole query holds, and an error text.
        The error text is the first error that prevented the evaluation of a position. If there was no error,
        the error text is empty."""
        s = self._evaluation(searched, host)
        made, records = self._recorder.codes[id(wanted)], self._recorder.records.get(id(wanted), {})
        holds, matches, fault = [], [], ""
        for place in range(len(searched)):
            s.goto(place)
            before = recordings.kept(s.variables)
            records.clear()
            self._recorder.on = True
            try:
                if self._body.test(s):
                    matches.append(place)
            except QueryError as error:
                fault = fault or str(error)
            finally:
                self._recorder.on = False
            after = list(s.variables)
            if self._result(s, made, records.get(place), place, before)[0]:
                holds.append(place)
            s.variables[:] = after
        return holds, matches, fault

    def _evaluation(self, searched: tree.GameTree, host: hosts.Host) -> Evaluation:
        compiler = self._compiler
        s = Evaluation(
            searched,
            host,
            variables=len(compiler.slots),
            sort_keys=len(compiler.sort_specs),
            automatic_comments=True,
            explicit_comments=True,
        )
        # The values from earlier games are unknown here. Persistent variables therefore start as in a search
        # of this game alone.
        for name in compiler.persistent:
            s.variables[compiler.slot(name)] = compiler.initial(name)
        for name in compiler.dictionaries:
            s.variables[compiler.slot(name)] = {}
        return s

    def _find_printed(self, node: nodes.Node) -> None:
        pending = [(node, False)]
        while pending:
            one, within = pending.pop()
            if within:
                self._printed.add(id(one))
            within = within or isinstance(one, nodes.Orbit | nodes_squares.Placement)
            pending.extend((child, within) for child in nodes.children(one))

    # -- building the tree

    def _node(
        self, s: Evaluation, node: nodes.Node, positionid: int, variables: Sequence[object], **names: Any
    ) -> Explanation:
        made = self._recorder.codes[id(node)]
        records = self._recorder.records.get(id(node), {})
        if isinstance(node, _LOOKED_AT) and not records:
            self._record(s, node, positionid, variables)
        where = positionid
        if positionid not in records and records:
            where = next((place for place, entry in records.items() if entry.good), next(iter(records)))
        entry = records.get(where)
        matched, value = self._result(s, made, entry, where, variables)
        children = tuple(self._children(s, node, where, variables))
        squares = self._squares(s, node, made, matched, value, where)
        shown = None
        if matched and made.type is not Type.LOGICAL and value is not None:
            s.goto(where)
            shown = closures_output.value_text(made)(s, value)
        return Explanation(
            node.span,
            self._text(node),
            str(made.type.value),
            matched,
            shown,
            squares,
            where,
            children,
            binding=self._binding(node, where),
            way=self._way(s, node, where),
            place=s.position_text(where),
            rounds=None if entry is None or entry.runs is None else entry.runs.rounds,
            **names,
        )

    def _record(self, s: Evaluation, node: nodes.Node, place: int, variables: Sequence[object]) -> None:
        """Evaluate and record a filter that the search did not reach because an earlier filter failed."""
        s.goto(place)
        now, s.variables[:] = list(s.variables), recordings.kept(variables)
        s.witnesses, self._recorder.on = self._witnesses, True
        try:
            rings.quietly(s, self._recorder.tests[id(node)])
        except QueryError:
            pass  # A variable has no value here, so the result stays unknown.
        finally:
            s.variables[:] = now
            s.witnesses, self._recorder.on = None, False

    def _binding(self, node: nodes.Node, where: int) -> tuple[str, str] | None:
        witness = self._witnesses.get((id(node), where))
        return None if witness is None else (witness.name, squares.square_name(witness.square))

    def _way(self, s: Evaluation, node: nodes.Node, where: int) -> str:
        way = self._ways.get((id(node), where))
        if way is None:
            return ""
        # Several constituents may hold at one position, so repeated positions are dropped. The first position
        # is dropped too, because no move of the path leads to it.
        places = list(dict.fromkeys(place for _node, place in way.passed[:MAX_CONSTITUENTS]))
        return " ".join(tree.san_line(s.tree, [place for place in places if place != where]))

    def _result(
        self,
        s: Evaluation,
        made: Code,
        entry: recordings.Record | None,
        where: int,
        variables: Sequence[object],
    ) -> tuple[bool | None, Any]:
        if entry is not None and not (entry.truth_only and entry.good and made.type is not Type.LOGICAL):
            return entry.good, entry.value
        known = None if entry is None else entry.good
        s.goto(where)
        now = list(s.variables)
        s.variables[:] = recordings.kept(variables if entry is None else entry.variables)
        try:
            value = rings.quietly(s, made.value)
        except QueryError:
            return known, None
        finally:
            s.variables[:] = now
        fails = not value if made.type in types.SETS or made.type is Type.LOGICAL else value is None
        return (not fails if known is None else known), value

    def _squares(
        self, s: Evaluation, node: nodes.Node, made: Code, matched: bool | None, value: Any, where: int
    ) -> int:
        if made.is_set and isinstance(value, int):
            return value
        if not matched:
            return 0
        s.goto(where)
        return self._rings.filter_squares(s, node)

    def _text(self, node: nodes.Node) -> str:
        """The filter as the user wrote it, without comments."""
        if id(node) in self._printed or not node.span.length:
            return printer.print_node(node)
        parts, start = [], node.span.offset
        for remark in self._remarks:
            if start <= remark.offset and remark.end <= node.span.end:
                parts.append(self._source[start : remark.offset])
                start = remark.end
        return "".join([*parts, self._source[start : node.span.end]]).rstrip()

    def _children(
        self, s: Evaluation, node: nodes.Node, where: int, variables: Sequence[object]
    ) -> list[Explanation]:
        if isinstance(node, nodes.Orbit):
            return [self._element(s, node, element, where, variables) for element in node.elements]
        if isinstance(node, nodes_paths.Path | nodes_paths.Line):
            return self._along(s, node, where, variables)
        if isinstance(node, nodes.SquareLoop | nodes.PieceLoop):
            return self._looped(s, node, where, variables)
        if isinstance(node, nodes.Find | nodes_programs.Loop | nodes_programs.While):
            return self._repeated(s, node, where, variables)
        if isinstance(node, nodes_tree.At):
            return self._elsewhere(s, node, where, variables)
        if isinstance(node, nodes_tree.Echo):
            return [self._node(s, node.operand, self._echoed(s, node, where, variables), variables)]
        if isinstance(node, nodes_squares.Placement):
            # A placement has a designator for each of the 64 squares. Only the designators that do not match
            # are shown.
            told = (self._node(s, one, where, variables) for one in node.squares)
            return [one for one in told if not one.matched]
        if isinstance(node, nodes.NoTransform):
            return [self._node(s, node.operand, where, variables)]
        if type(node) not in transform_rules.RULES:
            return []
        found = []
        rule = transform_rules.RULES[type(node)]
        for child in (rule.evaluated or rule.children)(node):
            # A node that is not evaluated by itself, such as the dash after `currentmove`, is not shown. The
            # parts of the node are shown instead.
            alone = id(child) in self._recorder.codes
            found += (
                [self._node(s, child, where, variables)]
                if alone
                else self._children(s, child, where, variables)
            )
        return found

    def _looped(
        self,
        s: Evaluation,
        node: nodes.SquareLoop | nodes.PieceLoop,
        where: int,
        variables: Sequence[object],
    ) -> list[Explanation]:
        """The set that a loop iterates over, and the body of the loop. If one element decides the result of
        the loop, the body is explained for this element."""
        domain = self._node(s, node.domain, where, variables)
        witness = self._witnesses.get((id(node), where))
        if witness is None:
            return [domain, self._node(s, node.body, where, variables)]
        moment = recordings.Moment(where, witness.held, witness.variables, witness.banned)
        return [domain, self._once(s, node.body, moment, witness.inner)]

    def _repeated(
        self,
        s: Evaluation,
        node: nodes.Find | nodes_programs.Loop | nodes_programs.While,
        where: int,
        variables: Sequence[object],
    ) -> list[Explanation]:
        """The parts of a `find`, `loop` or `while`. A part may run more than once; the part is then explained
        for only one of these runs."""
        entry = self._recorder.records.get(id(node), {}).get(where)
        runs = None if entry is None else entry.runs
        found = []
        for part in nodes.children(node):
            moment = None if runs is None else runs.moment(part)
            found.append(
                self._node(s, part, where, variables)
                if moment is None
                else self._once(s, part, moment, self._witnesses)
            )
        return found

    def _once(
        self, s: Evaluation, part: nodes.Node, moment: recordings.Moment, known: Witnesses
    ) -> Explanation:
        """A filter explained for one of its runs.

        The records do not keep the results of different runs apart. The filter is therefore evaluated once
        more, in the state `moment` in which the run began. If the new result differs from `moment.held`, the
        new records and witnesses are dropped. The explanation then uses the old records, and the witnesses in
        `known`.
        """
        outer = self._witnesses
        with self._recorder.apart(part) as aside:
            s.goto(moment.positionid)
            if self._again(s, part, moment) is not moment.held:
                aside.restore()
                self._witnesses = known
            told = self._node(s, part, moment.positionid, moment.variables)
        self._witnesses = outer
        return told

    def _again(self, s: Evaluation, part: nodes.Node, moment: recordings.Moment) -> bool | None:
        """Evaluate a filter once more in the state `moment`, and record the results. Returns whether the
        filter holds, or None after an error."""
        self._witnesses = {}
        test = self._recorder.tests[id(part)]
        s.witnesses, self._recorder.on = self._witnesses, True
        try:
            return bool(rings.quietly(s, lambda s: moment.run(s, test)))
        except QueryError:
            return None
        finally:
            s.witnesses, self._recorder.on = None, False

    def _along(
        self,
        s: Evaluation,
        node: nodes_paths.Path | nodes_paths.Line,
        where: int,
        variables: Sequence[object],
    ) -> list[Explanation]:
        """The constituents of a path or line. Each constituent is explained at the position where the
        constituent held. The constituent that failed comes last."""
        found = []
        if isinstance(node, nodes_paths.Path):
            heads = (node.focus, node.max)
            found = [self._node(s, one, where, variables) for one in heads if one is not None]
        way = self._ways.get((id(node), where))
        if way is None:
            return found
        for origin, positionid in way.passed[:MAX_CONSTITUENTS]:
            found.append(self._constituent(s, origin, positionid, True, variables))
        if way.failed is not None:
            found.append(self._constituent(s, *way.failed, False, variables))
        return found

    def _constituent(
        self, s: Evaluation, node: object, positionid: int, matched: bool, variables: Sequence[object]
    ) -> Explanation:
        """One constituent. A step that matched is explained at the position after the move. A step that
        failed is explained at the position before the move."""
        assert isinstance(node, nodes.Node)
        if not isinstance(node, nodes_paths.Step):
            return self._node(s, node, positionid, variables)
        head = s.tree.parents[positionid] if matched else positionid
        below = [self._node(s, one, head, variables) for one in _sets(node)]
        squares, value = 0, None
        if matched:
            below += [self._node(s, one, positionid, variables) for one in node.targets]
            move = s.tree.moves[positionid]
            squares = 1 << moves.origin(move) | 1 << moves.target(move)
            value = tree.san_line(s.tree, [positionid])[0]
        else:
            below += self._missed(s, node, head, variables)
        kind, place = Type.LOGICAL.value, s.position_text(positionid)
        return Explanation(
            node.span, self._text(node), kind, matched, value, squares, positionid, tuple(below), place=place
        )

    def _missed(
        self, s: Evaluation, node: nodes_paths.Step, head: int, variables: Sequence[object]
    ) -> list[Explanation]:
        """The targets of a step that failed, explained after the move that came nearest to matching. The list
        is empty if no move fits the dash."""
        looked_at = self._recorder.records.get(id(node.targets[0]), {}) if node.targets else {}
        tails = [
            [self._node(s, one, place, variables) for one in node.targets]
            for place in s.tree.children[head]
            if place in looked_at
        ]
        return max(tails, key=held, default=[])

    def _echoed(self, s: Evaluation, node: nodes_tree.Echo, where: int, variables: Sequence[object]) -> int:
        """The position where the operand of an echo is explained. If possible, this is the first position
        where the operand had the value of the echo. If there is no such position, the first matching position
        is used. If no position matched, the first evaluated position is used."""
        records = self._recorder.records.get(id(node.operand), {})
        entry = self._recorder.records.get(id(node), {}).get(where)
        value = self._result(s, self._recorder.codes[id(node)], entry, where, variables)[1]
        matched = [place for place, one in records.items() if one.good]
        best = [place for place in matched if records[place].value == value]
        return next(iter(best or matched or records), where)

    def _elsewhere(
        self, s: Evaluation, node: nodes_tree.At, where: int, variables: Sequence[object]
    ) -> list[Explanation]:
        """The parts of `X:F`. X is explained at the position `where`. F is explained at the position that is
        the value of X. If X has no value, `matched` of F is None."""
        position = self._node(s, node.position, where, variables)
        entry = self._recorder.records.get(id(node.position), {}).get(where)
        place = self._result(s, self._recorder.codes[id(node.position)], entry, where, variables)[1]
        if place is None:
            kind = str(self._recorder.codes[id(node.filter)].type.value)
            unknown = Explanation(
                node.filter.span, self._text(node.filter), kind, None, None, 0, where,
                place=s.position_text(where),
            )  # fmt: skip
            return [position, unknown]
        return [position, self._node(s, node.filter, place, variables)]

    def _element(
        self,
        s: Evaluation,
        orbit: nodes.Orbit,
        element: nodes.Element,
        where: int,
        variables: Sequence[object],
    ) -> Explanation:
        names: dict[str, Any] = {
            "transform": words.bracketed(element.applied),
            "words": words.in_words(element.applied),
            "orbit": orbit.index,
        }
        entry = self._recorder.records.get(id(element.filter), {}).get(where)
        if len(orbit.elements) > MAX_DETAILED_ELEMENTS and not (entry and entry.good):
            made = self._recorder.codes[id(element.filter)]
            text = self._text(element.filter)
            matched = None if entry is None else entry.good
            return Explanation(
                element.filter.span,
                text,
                str(made.type.value),
                matched,
                None,
                0,
                where,
                place=s.position_text(where),
                **names,
            )
        return self._node(s, element.filter, where, variables, **names)


def _conjuncts(node: nodes.Node) -> Sequence[nodes.Node]:
    """The parts that may be the reason why a filter fails: the conjuncts of a conjunction, or the elements of
    an orbit. The result is empty for other filters."""
    match node:
        case nodes.Compound():
            return node.filters
        case nodes.NoTransform():
            return (node.operand,)
        case nodes.Logic(word="and"):
            return (node.left, node.right)
        case nodes.Orbit(range=None):
            return [element.filter for element in node.elements]
        case _:
            return ()


def _sets(step: nodes_paths.Step) -> list[nodes.Node]:
    """The sets named by the dash of a step."""
    return [one for one in (step.dash.left, step.dash.right) if one is not None]


def _inner(node: nodes.Node, part: Explanation) -> tuple[nodes.Node, Explanation] | None:
    """The part that makes a `find` or an `if` fail. For a `find`, this part is the body, explained at one
    candidate position. For an `if`, this part is the branch that was evaluated.

    If the condition of an `if` fails and the `else` branch is a plain `false`, the failing part is the
    condition.
    """
    match node:
        case nodes.Find():
            inner, place = node.operand, 0
        case nodes_programs.If() if part.children and part.children[0].matched:
            inner, place = node.then, 1
        case nodes_programs.If(otherwise=nodes.Truth()):
            inner, place = node.condition, 0
        case nodes_programs.If(otherwise=nodes.Node() as otherwise):
            inner, place = otherwise, 2
        case _:
            return None
    # The filters inside an element of a large orbit are not explained, so there may be no child to return.
    if len(part.children) <= place or part.children[place].matched is not False:
        return None
    return inner, part.children[place]


def held(conjuncts: Iterable[Judged]) -> int:
    """The number of conjuncts that hold before a conjunct fails. The element or candidate with the highest
    number comes nearest to matching."""
    return sum(1 for _ in itertools.takewhile(lambda part: part.matched is not False, conjuncts))
