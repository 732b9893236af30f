"""Compilers of sequences: `path`, the older `line`, and facts about paths.

The module `sequences` does the search. `path` and `line` supply the constituents of the search, and define
what a step is. This module adds the focus, `nestban`, comments and values.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from cqlgui.board import moves
from cqlgui.cql.ast import nodes, nodes_paths, repeatable
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_output
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.families import closures_moves, focused
from cqlgui.cql.interpreting.runtime import sequences
from cqlgui.cql.interpreting.runtime.evaluation import (
    BLACK,
    NO_CHILD,
    OCCUPIED,
    WHITE,
    Evaluation,
    PathState,
    Way,
)

# --- path ---------------------------------------------------------------------------------------------------


@compiles(nodes_paths.Path)
def _path(compiler: Compiler, node: nodes_paths.Path) -> Code:
    compiler.remembers = compiler.remembers or node.nestban
    focus = None if node.focus is None else compiler.compile(node.focus).value
    if node.singlecolor:
        focus = _side_to_move
    greatest = None if node.max is None else compiler.compile(node.max).value
    part, logs = _Constituents(compiler, node, focus is not None).compiled(node.constituents)
    atomics = tuple(sorted(compiler.atomics))
    within = None if node.range is None else compiler.within(node.range)
    ban = object()
    forgetful = repeatable.is_repeatable(node) and not (node.keepallbest and logs)
    notes = _path_notes(node)

    def measure(s: Evaluation, place: int, steps: int) -> int | None:
        if greatest is None:
            return steps
        _at(s, place, steps)
        worth: int | None = greatest(s)
        return worth

    def better(s: Evaluation, found: sequences.SequenceMatch) -> None:
        assert s.path is not None
        s.path.last = found.place

    def search(s: Evaluation) -> int | None:
        start = s.id
        if node.nestban and start in s.banned.get(ban, ()):
            return None
        outer, before = s.path, [s.variables[slot] for slot in atomics]
        focused = None if focus is None else _identities(s, focus(s))
        s.path = PathState(start, 0, None, focused)
        attempts = None if s.ways is None else sequences.Attempts()
        try:
            best = sequences.explore(
                s, start, part, measure, atomics=atomics, first=node.firstmatch, every=node.keepallbest,
                forgetful=forgetful, better=lambda found: better(s, found), attempts=attempts,
            )  # fmt: skip
        finally:
            s.path = outer
            s.goto(start)
        if attempts is not None:
            _tell_way(s, node, start, best, attempts, int, int)
        matched = bool(best) and (within is None or within(s, best[0].measure))
        for slot, value in zip(atomics, best[0].values if matched else before, strict=True):
            s.variables[slot] = value
        if not matched:
            return None
        found = best[0]
        s.last_path = PathState(start, found.steps, found.place, None)
        if node.nestban:
            s.banned.setdefault(ban, set()).update(_between(s, start, found.place))
        notes(s, start, focused, best)
        answer: int = found.place if node.lastposition else found.measure
        return answer

    return code(Type.POSITION if node.lastposition else Type.NUMERIC, search, logs=True)


def _at(s: Evaluation, place: int, steps: int) -> None:
    """Make `place` the current position. The path reached `place` after `steps` steps."""
    s.goto(place)
    assert s.path is not None
    s.path.count = steps


class _Constituents:
    """Compiles the constituents of one path."""

    def __init__(self, compiler: Compiler, path: nodes_paths.Path, focused: bool) -> None:
        self._compiler = compiler
        self._path = path
        self._focused = focused
        self._logs = False

    def compiled(self, constituents: Sequence[nodes.Node]) -> tuple[sequences.Part, bool]:
        """All constituents as one part, and whether running this part can write comments or record orbit
        matches."""
        parts = tuple(self._part(one) for one in constituents)
        return parts[0] if len(parts) == 1 else sequences.SequenceGroup(parts), self._logs

    def _part(self, node: nodes.Node) -> sequences.Part:
        match node:
            case nodes_paths.Repeat():
                return sequences.Loop(node.low, node.high, self._part(node.operand))
            case nodes_paths.Chain():
                return sequences.SequenceGroup(tuple(self._part(one) for one in node.constituents))
            case nodes_paths.Step():
                return sequences.Step(self._steps(node), node)
            case _:
                return sequences.Test(self._test(node), node)

    def _test(self, node: nodes.Node) -> Callable[[Evaluation, int, int], bool]:
        made = self._compiler.compile(node)
        self._logs = self._logs or made.logs
        test = made.test

        def holds(s: Evaluation, place: int, steps: int) -> bool:
            _at(s, place, steps)
            return bool(test(s))

        return holds

    def _steps(self, node: nodes_paths.Step) -> Callable[[Evaluation, int, int], Iterator[int]]:
        fit = closures_moves.compile_fit(self._compiler, node.dash)
        targets = self._compiler.compile_all(node.targets)
        self._logs = self._logs or fit.logs or any(one.logs for one in targets)
        target = _all_hold([one.test for one in targets])
        return _focused_steps(fit, target, self._path.capture) if self._focused else self._plain(fit, target)

    def _plain(
        self, fit: closures_moves.Fit, target: Run | None
    ) -> Callable[[Evaluation, int, int], Iterator[int]]:
        primary, head, fits = self._path.primary, fit.head, fit.fits

        def places(s: Evaluation, place: int, steps: int) -> Iterator[int]:
            children = s.tree.children[place]
            if not children:
                return
            _at(s, place, steps)
            sources, goals = head(s)
            for child in children[:1] if primary else children:
                s.step()
                if s.id != place:
                    s.goto(place)
                cut = fits(s, child, sources, goals, None)
                if cut is not None and _reaches(s, child, cut, steps + 1, target):
                    yield child

        return places


def _reaches(s: Evaluation, child: int, cut: closures_moves.Cut, steps: int, target: Run | None) -> bool:
    """Whether the target of a dash holds after the move that leads to `child`."""
    if target is None:
        return True
    assert s.path is not None
    s.path.count = steps
    return bool(closures_moves.at_tail(s, child, cut, target))


def _all_hold(tests: Sequence[Run]) -> Run | None:
    if len(tests) < 2:
        return tests[0] if tests else None
    return lambda s: all(test(s) for test in tests)


# --- focus --------------------------------------------------------------------------------------------------


def _focused_steps(
    fit: closures_moves.Fit, target: Run | None, capture: bool
) -> Callable[[Evaluation, int, int], Iterator[int]]:
    """A closure for the positions after the next moves of the men in focus (spec 10.5). The sets of the dash
    are evaluated at the position before each move."""
    head, fits = fit.head, fit.fits

    def places(s: Evaluation, place: int, steps: int) -> Iterator[int]:
        assert s.path is not None
        focused = s.path.focused
        assert focused is not None
        moved, captured = _men_of_moves(s)

        def counts(child: int) -> bool:
            return bool(moved[child] & focused or (capture and captured[child] & focused))

        for child in _next_in_focus(s, place, steps, counts):
            parent = s.tree.parents[child]
            _at(s, parent, steps)
            sources, goals = head(s)
            if s.id != parent:
                s.goto(parent)
            cut = fits(s, child, sources, goals, _castling_squares(s, child, focused))
            if cut is not None and _reaches(s, child, cut, steps + 1, target):
                yield child

    return places


def _next_in_focus(s: Evaluation, place: int, steps: int, counts: Callable[[int], bool]) -> Iterator[int]:
    """The positions after the next moves that count. `counts(child)` decides whether the move that leads to
    `child` counts. At the start of the path, only the moves made at `place` are considered. Later in the
    path, the search goes down every branch after `place` until a move counts. The positions come in
    preorder."""
    if not steps:
        yield from (child for child in s.tree.children[place] if counts(child))
        return
    below, end = place + 1, s.subtree_end(place)
    while below < end:
        s.step()
        if counts(below):
            yield below
            below = s.subtree_end(below)
        else:
            below += 1


def _castling_squares(s: Evaluation, child: int, focused: int) -> int | None:
    """For a castling move, the from-squares of the king and of the rook. If the king or the rook is not in
    focus, its from-square is omitted. The result is None for any other move."""
    move = s.tree.moves[child]
    if moves.flag(move) != moves.CASTLE:
        return None
    squares = 0
    for square in (moves.origin(move), moves.target(move)):
        if focused >> s.identity(square) & 1:
            squares |= 1 << square
    # This function is called only for moves that count. A castling move captures nothing, and therefore
    # counts only if the king or the rook is in focus. Therefore `squares` is not empty.
    return squares


def _identities(s: Evaluation, squares: int) -> int:
    """The men on the given squares of the current position. Bit i stands for the man with identity i."""
    found, left = 0, squares & s.men[OCCUPIED]
    while left:
        bit = left & -left
        left ^= bit
        found |= 1 << s.identity(bit.bit_length() - 1)
    return found


def _side_to_move(s: Evaluation) -> int:
    return s.men[BLACK if s.position.turn else WHITE]


def _men_of_moves(s: Evaluation) -> tuple[list[int], list[int]]:
    """Two lists with an entry for each position. An entry of the first list holds the men moved by the move
    that leads to the position. An entry of the second list holds the man captured by this move. In an entry,
    bit i stands for the man with identity i."""
    known: tuple[list[int], list[int]] | None = s.memo.get("men of moves")
    if known is None:
        game, moved, captured = s.tree, [0], [0]
        for child in range(1, len(game)):
            s.step()
            movers, victims = focused.men_of_move(game.men_board(game.parents[child]), game.moves[child])
            moved.append(_mask(movers))
            captured.append(_mask(victims))
        known = s.memo["men of moves"] = (moved, captured)
    return known


def _mask(identities: Iterable[int]) -> int:
    return functools.reduce(operator.or_, (1 << man for man in identities), 0)


# --- what a path leaves behind ------------------------------------------------------------------------------


def _between(s: Evaluation, start: int, last: int) -> list[int]:
    """The positions from `start` to `last`, without `last`, in reverse order. `last` must be a descendant of
    `start`."""
    line, parents = [], s.tree.parents
    while last != start:
        last = parents[last]
        line.append(last)
    return line


def _path_notes(
    node: nodes_paths.Path,
) -> Callable[[Evaluation, int, int | None, Sequence[sequences.SequenceMatch]], None]:
    """A function that writes comments about a path that matched (output spec 3.3). The search removed the
    comments and orbit matches of the constituents. The function adds these comments and matches again."""

    def write(
        s: Evaluation, start: int, focused: int | None, best: Sequence[sequences.SequenceMatch]
    ) -> None:
        automatic = not (node.quiet or s.quiet_comments)
        if s.explicit_comments:
            if node.title:
                s.log.append((start, node.title))
            if node.piecepath:
                text = piece_ways(s, start, best[0].place, focused or 0)
                if text:
                    s.log.append((start, f"Focus path: {text}"))
        if automatic:
            end = closures_output.position_text(s, best[0].place)
            s.log.append((start, f"Start path that ends at {end}"))
        here = closures_output.position_text(s, start) if automatic else ""
        for number, found in enumerate(best):
            s.log.extend(found.comments)
            s.found.extend(found.matches)
            if node.verbose and s.explicit_comments:
                _number_moves(s, found, node.title)
            if automatic:
                text = f"End path of length {found.steps} that starts at {here}"
                if node.max is not None:
                    text += f" Max value: {found.measure}"
                s.log.append((found.place, f"{text} alternative" if number else text))

    return write


def _number_moves(s: Evaluation, found: sequences.SequenceMatch, title: str | None) -> None:
    head = f"{title}: " if title else ""
    tails = [place for part, place in sequences.passed(found.trail) if isinstance(part, sequences.Step)]
    for number, place in enumerate(tails, 1):
        s.log.append((place, f"{head}move {number} of {found.steps}"))


def piece_ways(s: Evaluation, start: int, last: int, focused_men: int) -> str:
    """The squares that each man in focus visits between two positions (`focused.Focus.ways`)."""
    area = 0
    for square, man in s.tree.men_ids(start).items():
        area |= (focused_men >> man & 1) << square
    return focused.Focus(s.tree, start, last, area).ways()


# --- line ---------------------------------------------------------------------------------------------------

_Place: TypeAlias = tuple[int, int]
"""The last position of a line so far, and the next position of the line. The last position is -1 at the start
of the search. The next position is -1 if the line cannot continue."""


@compiles(nodes_paths.Line)
def _line(compiler: Compiler, node: nodes_paths.Line) -> Code:
    compiler.remembers = compiler.remembers or node.nestban
    parts = tuple(_line_part(compiler, node, one) for one in node.constituents)
    part = parts[0] if len(parts) == 1 else sequences.SequenceGroup(parts)
    within = None if node.range is None else compiler.within(node.range)
    ban = object()
    forgetful = repeatable.is_repeatable(node)

    def search(s: Evaluation) -> int | None:
        start = s.id
        if node.nestban and start in s.banned.get(ban, ()):
            return None
        outer, s.line_start = s.line_start, start
        attempts = None if s.ways is None else sequences.Attempts()
        try:
            best = sequences.explore(
                s, (-1, start), part, _length, first=node.firstmatch, forgetful=forgetful, attempts=attempts
            )
        finally:
            s.line_start = outer
            s.goto(start)
        if attempts is not None:
            _tell_way(
                s, node, start, best, attempts,
                lambda place: place[0], lambda place: place[1] if place[1] >= 0 else place[0],
            )  # fmt: skip
        if not best or (within is not None and not within(s, best[0].steps)):
            return None
        found = best[0]
        last: int = found.place[0]
        if node.nestban:
            s.banned.setdefault(ban, set()).update((*_between(s, start, last), last))
        automatic = not (node.quiet or s.quiet_comments)
        if automatic:
            s.log.append((start, f"Start line that ends at {closures_output.position_text(s, last)}"))
        s.log.extend(found.comments)
        s.found.extend(found.matches)
        if automatic:
            here = closures_output.position_text(s, start)
            s.log.append((last, f"End line of length {found.steps} that starts at {here}"))
        return last if node.lastposition else found.steps

    return code(Type.POSITION if node.lastposition else Type.NUMERIC, search, logs=True)


def _length(s: Evaluation, place: _Place, steps: int) -> int:
    return steps


def _line_part(compiler: Compiler, line: nodes_paths.Line, node: nodes.Node) -> sequences.Part:
    match node:
        case nodes_paths.Repeat():
            return sequences.Loop(node.low, node.high, _line_part(compiler, line, node.operand))
        case nodes_paths.LineChain():
            return sequences.SequenceGroup(
                tuple(_line_part(compiler, line, one) for one in node.constituents)
            )
        case _:
            return sequences.Step(_line_step(compiler, line, node), node)


def _line_step(
    compiler: Compiler, line: nodes_paths.Line, node: nodes.Node
) -> Callable[[Evaluation, _Place, int], Iterator[_Place]]:
    """A step that adds the next position to a line. The filter must hold at this position. If the filter
    contains a `move` filter that tests the next move, the filter is tested once for each child."""
    coming = [] if line.backward else list(closures_moves.future_moves(node))
    compiler.restricted_moves.update(id(move) for move in coming)
    test = compiler.compile(node).test
    onward = _Onward(line)

    def plain(s: Evaluation, place: _Place, steps: int) -> Iterator[_Place]:
        position = place[1]
        if position < 0:
            return
        s.goto(position)
        if test(s):
            # A `_Place` contains the next position of the line, so each branch has a place of its own.
            # Therefore the search finishes one branch before the search begins another branch.
            following = onward.positions(s, onward.children(s, position))
            yield position, next(following, -1)
            yield from ((position, one) for one in following)

    def moving(s: Evaluation, place: _Place, steps: int) -> Iterator[_Place]:
        position = place[1]
        if position < 0:
            return
        # If there is no child, the filter is tested once with `NO_CHILD`. The filter can hold with
        # `NO_CHILD`, because the filter may test that no move follows.
        for child in onward.children(s, position) or (NO_CHILD,):
            s.step()
            s.goto(position)
            before, s.only_child = s.only_child, child
            try:
                holds = test(s)
            finally:
                s.only_child = before
            if holds:
                following = onward.positions(s, (child,) if child >= 0 else ())
                yield position, next(following, -1)
                yield from ((position, one) for one in following)

    return moving if coming else plain


class _Onward:
    """Finds the positions that can come next in a line."""

    def __init__(self, line: nodes_paths.Line) -> None:
        self._backward = line.backward
        self._order = line.order
        self._singlecolor = line.singlecolor

    def children(self, s: Evaluation, position: int) -> Sequence[int]:
        """The positions one move after `position`, or one move before `position` if the line goes
        backward."""
        if self._backward:
            return (s.tree.parents[position],) if position else ()
        children = s.tree.children[position]
        if self._order == "primary":
            return children[:1]
        return children[1:] if self._order == "secondary" else children

    def positions(self, s: Evaluation, candidates: Sequence[int]) -> Iterator[int]:
        """The positions of `candidates`, in order. With `singlecolor`, a position counts only if the side to
        move is the same as at the start of the line. A position that does not count is replaced by the result
        of `children` for this position."""
        waiting = [*reversed(candidates)]
        turn = s.positions[s.line_start].turn
        while waiting:
            s.step()
            following = waiting.pop()
            if self._singlecolor and s.positions[following].turn != turn:
                waiting.extend(reversed(self.children(s, following)))
            else:
                yield following


# --- explaining ---------------------------------------------------------------------------------------------


def _tell_way(
    s: Evaluation,
    node: nodes.Node,
    start: int,
    best: Sequence[sequences.SequenceMatch],
    attempts: sequences.Attempts,
    reached: Callable[[sequences.Place], int],
    tried: Callable[[sequences.Place], int],
) -> None:
    """Record the course of the best sequence. If no sequence succeeded, record the course of the longest
    attempt."""
    passed, failed = (sequences.passed(best[0].trail), None) if best else attempts.way
    assert s.ways is not None
    s.ways[id(node), start] = Way(
        tuple((part.origin, reached(place)) for part, place in passed),
        None if failed is None else (failed[0].origin, tried(failed[1])),
    )


# --- facts about paths --------------------------------------------------------------------------------------


@compiles(nodes_paths.PathFact)
def _path_fact(compiler: Compiler, node: nodes_paths.PathFact) -> Code:
    compiler.remembers = True
    word = node.word

    def state(s: Evaluation) -> PathState | None:
        return s.last_path if s.path is None else s.path

    if word == "pathstart":

        def start(s: Evaluation) -> int | None:
            path = state(s)
            return None if path is None else path.start

        return code(Type.POSITION, start)
    if word == "pathlastposition":

        def last(s: Evaluation) -> int | None:
            path = state(s)
            return None if path is None else path.last

        return code(Type.POSITION, last)
    unfocused = word == "pathcountunfocused"

    def count(s: Evaluation) -> int | None:
        path = state(s)
        if path is None:
            return None
        return s.tree.plies[s.id] - s.tree.plies[path.start] - path.count if unfocused else path.count

    return code(Type.NUMERIC, count)
