"""The squares of a hit that are ringed on the board. A transform replaces a filter by several variants,
called elements. With transforms, the ringed squares are the squares of the elements that matched. Without
transforms, the ringed squares are the squares that the query matched.

The squares of a filter come from the set filters inside the filter. A set filter contributes squares only if
the set filter holds at the current position. A designator contributes the squares where its men stand. An
attack contributes the squares of the attackers and the attacked squares. A ray contributes its two ends and
the occupied squares between the ends. A move contributes its from-square and its to-square. Filters under
`not` and filters about other positions contribute nothing. Collecting the squares does not change the state
of the evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cqlgui.board import attacks
from cqlgui.cql.ast import nodes, nodes_moves, nodes_programs, nodes_squares
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_board
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run
from cqlgui.cql.interpreting.families import closures_moves
from cqlgui.cql.interpreting.runtime import relations
from cqlgui.cql.interpreting.runtime.evaluation import OCCUPIED, Evaluation, QueryError
from cqlgui.cql.transforming import transforms
from cqlgui.cql.transforming.geometry import ALL_SQUARES

Collect = Callable[[Evaluation], int]

MOST_MATCHES = 64
"""Squares are collected for the first `MOST_MATCHES` matches of a hit. For later matches of the hit, only
primary elements get squares (see `Rings.squares`). With a `shift` transform, a hit can have hundreds of
matches."""


ASSIGNING = (nodes.Assign, nodes.PieceAssign, nodes_programs.Call)
"""Filters that may assign variables."""


class Rings:
    """The squares to ring, for one compiled query. `collects` is False if the query never has squares to
    ring."""

    def __init__(self, compiler: Compiler, body: nodes.Node, orbits: Sequence[transforms.OrbitInfo]) -> None:
        self._compiler = compiler
        self._orbits = orbits
        self._elements: dict[tuple[int, int], Collect | None] = {}
        self._body = None if orbits else self._collector(body)
        self.collects = bool(orbits) or self._body is not None

    def squares(self, s: Evaluation, matches: Sequence[tuple[int, int, int]]) -> tuple[int, list[int]]:
        """A bitboard for a hit at the current position, and a list with a bitboard for each match. The
        primary element of an orbit is the first element that matched. The bitboard of the hit contains the
        squares of the primary elements that matched at the current position. After the first `MOST_MATCHES`
        matches, only primary elements get squares."""
        if self._body is not None:
            return _ringed(s, self._body), [0] * len(matches)
        found, seen, each = 0, set(), []
        for place, (orbit, element, positionid) in enumerate(matches):
            primary = orbit not in seen
            seen.add(orbit)
            collect = self._element(orbit, element) if primary or place < MOST_MATCHES else None
            own = _ringed(s, collect) if collect is not None and positionid == s.id else 0
            each.append(own)
            if primary:
                found |= own
        return found, each

    def filter_squares(self, s: Evaluation, node: nodes.Node) -> int:
        """The squares to ring for one filter of the query. The filter must hold at the current position."""
        collect = self._collector(node)
        return 0 if collect is None else _ringed(s, collect)

    def _element(self, orbit: int, element: int) -> Collect | None:
        key = (orbit, element)
        if key not in self._elements:
            body = self._orbits[orbit].elements[element].filter
            # If an element assigns variables, another element may have overwritten the values. Running the
            # test of the element assigns the right values again.
            assigns = any(isinstance(one, ASSIGNING) for one in nodes.walk(body))
            self._elements[key] = self._if_it_holds(body) if assigns else self._collector(body)
        return self._elements[key]

    # -- collectors by node kind

    def _collector(self, node: nodes.Node) -> Collect | None:
        match node:
            case nodes.Designator():
                if node.squares == ALL_SQUARES and node.men & 1:
                    return None
                return self._value(node)
            case nodes.SetOperation(operator="|"):
                return _union([self._collector(node.left), self._collector(node.right)])
            case nodes.SetOperation() | nodes.Shade():
                return None if self._compiler.type_of(node) is Type.POSITION else self._value(node)
            case nodes.Attack():
                return self._attack(node.left, node.right, node.word == "attacks")
            case nodes.Arrow(operands=(left, right)):
                return self._attack(left, right, node.operator == "->")
            case nodes.Arrow():
                ordered = node.operands if node.operator == "->" else node.operands[::-1]
                return self._rays(ordered, 0xFF, True)
            case nodes.Ray():
                return self._rays(node.operands, node.directions, node.attack)
            case nodes.Compound():
                return _union([self._collector(child) for child in node.filters])
            case nodes.Logic(word="and"):
                return _union([self._collector(node.left), self._collector(node.right)])
            case nodes.Logic():
                return _union([self._if_it_holds(node.left), self._if_it_holds(node.right)])
            case nodes.Orbit():
                return _union([self._if_it_holds(element.filter) for element in node.elements])
            case nodes.SquareLoop() | nodes.PieceLoop():
                return self._collector(node.domain) if node.all else self._value(node)
            case nodes.Name():
                return self._value(node) if self._compiler.type_of(node) in (Type.SET, Type.PIECE) else None
            case nodes.Compare() | nodes.Arithmetic() | nodes.Between():
                return _union([self._collector(node.left), self._collector(node.right)])
            case nodes.In():
                return self._collector(node.left)
            case nodes.Extremum():
                return _union([self._collector(child) for child in node.operands])
            case nodes.Direction() | nodes.Count() | nodes.Negate() | nodes.Numeric() | nodes.Power():
                return self._collector(node.operand)
            case nodes_moves.PreviousSquares() | nodes_moves.PossibleMoves() | nodes_moves.Pin():
                return self._value(node)
            case nodes_moves.Move() if self._compiler.type_of(node) is Type.SET:
                return self._value(node)
            case nodes_moves.Dash() | nodes_moves.CurrentMove():
                return closures_moves.moved(self._compiler, node)
            case nodes.Sort() | nodes.NoTransform() | nodes_squares.SquareFact():
                return self._collector(node.operand)
            case nodes_squares.PawnSet() | nodes_squares.Picture():
                return self._value(node)
            case nodes_programs.If():
                return self._branches(node)
            case nodes_programs.Call():
                return self._collector(node.body)
            case nodes_programs.Entry():
                return self._value(node) if self._compiler.type_of(node) is Type.SET else None
            case _:
                # Conditions without squares contribute nothing. Filters about other positions and filters
                # under a negation contribute nothing either.
                return None

    def _compiled(self, node: nodes.Node) -> Code:
        return self._compiler.compile(node)

    def _value(self, node: nodes.Node) -> Collect:
        return self._compiled(node).value

    def _branches(self, node: nodes_programs.If) -> Collect | None:
        """If the condition holds, the returned closure collects the squares of the condition and of the
        `then` branch. If the condition fails, the closure collects the squares of the `else` branch."""
        condition, then = self._if_it_holds(node.condition), self._collector(node.then)
        otherwise = None if node.otherwise is None else self._collector(node.otherwise)
        if condition is None and then is None and otherwise is None:
            return None
        holds = self._compiled(node.condition).test
        positive, negative = _union([condition, then]), otherwise

        def taken(s: Evaluation) -> int:
            collect = positive if holds(s) else negative
            return 0 if collect is None else collect(s)

        return taken

    def _if_it_holds(self, node: nodes.Node) -> Collect | None:
        collect = self._collector(node)
        if collect is None:
            return None
        test = self._compiled(node).test
        return lambda s: collect(s) if test(s) else 0

    def _attack(self, left: nodes.Node, right: nodes.Node, forward: bool) -> Collect:
        a, b = self._value(left), self._value(right)

        def both_ends(s: Evaluation) -> int:
            from_set, to_set = (a(s), b(s)) if forward else (b(s), a(s))
            sources = closures_board.attackers(s, from_set, to_set)
            return sources | closures_board.attacked(s, to_set, sources)

        return both_ends

    def _rays(self, operands: Sequence[nodes.Node], mask: int, attack: bool) -> Collect:
        parts: list[Run] = [self._value(operand) for operand in operands]

        def along(s: Evaluation) -> int:
            sets = [part(s) for part in parts]
            found, occupied = 0, s.men[OCCUPIED]
            men = s.position.squares if attack else None
            for start, end in relations.rays(sets, mask, occupied, men):
                found |= 1 << start | 1 << end | attacks.BETWEEN[start][end] & occupied
            return found

        return along


def _union(parts: Sequence[Collect | None]) -> Collect | None:
    known = [part for part in parts if part is not None]
    if not known:
        return None
    if len(known) == 1:
        return known[0]

    def union(s: Evaluation) -> int:
        found = 0
        for part in known:
            found |= part(s)
        return found

    return union


def _ringed(s: Evaluation, collect: Collect) -> int:
    try:
        squares: int = quietly(s, collect)
    except QueryError:
        # A variable that had a value when the query matched may have no value now. No square is ringed in
        # this case.
        return 0
    return squares


def quietly(s: Evaluation, run: Run) -> Any:
    """The result of a closure. All changes made by the closure are undone."""
    variables, best, asides = list(s.variables), list(s.best), list(s.asides)
    messages, tags, removed = len(s.messages), dict(s.tags), set(s.removed)
    comments, matches, here = len(s.log), len(s.found), s.id
    last_path, banned = s.last_path, {key: set(where) for key, where in s.banned.items()}
    groups, rehearsal, journal = s.groups, s.rehearsal, s.journal
    entries, spent = 0 if journal is None else len(journal), s.spent
    s.rehearsal, s.journal = True, [] if journal is None else journal
    try:
        return run(s)
    finally:
        s.undo(entries)
        s.groups, s.rehearsal, s.journal = groups, rehearsal, journal
        s.variables[:], s.best[:], s.asides[:] = variables, best, asides
        s.last_path, s.banned = last_path, banned
        s.tags, s.removed = tags, removed
        del s.messages[messages:]
        s.rollback(comments, matches)
        s.spent = spent
        if s.id != here:
            s.goto(here)
