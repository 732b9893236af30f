"""Compilers of moves: dashes (`L--R`), possible moves, the previous move, the older filter `move`, and pins.

A path uses the `Fit` of a dash. The `Fit` tests whether a move of the game fits the sets of the dash, and
evaluates the target after the move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from cqlgui.base.data import dataclass
from cqlgui.board import attacks, legality, moves, squares
from cqlgui.board import men as board_men
from cqlgui.cql.ast import nodes, nodes_moves, nodes_paths, nodes_tree
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_output
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import BLACK, NO_CHILD, OCCUPIED, WHITE, Evaluation

Cut: TypeAlias = tuple[int, int]
"""From- and to-squares of a move that fits a dash. For castling, these are the squares of the king and of the
rook. The squares of the king are omitted if the king does not fit the sets of the dash. The same applies to
the rook."""

_ALL: Final = squares.ALL
_VALUED: Final = frozenset({Type.NUMERIC, Type.STRING, Type.POSITION})


# --- dashes -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fit:
    """The compiled parts of a dash. `head` and `fits` run at the position before the move. `target` runs at
    the position after the move (see `at_tail`).

    `head(s)` returns the left and the right set. `fits(s, child, L, R, allowed)` returns the `Cut` of the
    move that leads to `child` (a child of the current position). The move must fit the sets, the sign (`--`
    or `[x]`) and the promotion of the dash. If the move does not fit, `fits` returns None. `allowed`
    restricts castling moves, and does not affect other moves. If `allowed` is given, the king's part of a
    castling move counts only if the king's from-square is in `allowed`. Likewise, the rook's part counts only
    if the rook's from-square is in `allowed`. `target` is None if the dash has no target.
    """

    head: Callable[[Evaluation], tuple[int, int]]
    fits: Callable[[Evaluation, int, int, int, int | None], Cut | None]
    target: Code | None
    logs: bool


def compile_fit(compiler: Compiler, dash: nodes_moves.Dash) -> Fit:
    """Compile the parts of a dash, for a path or another filter."""
    left = None if dash.left is None else compiler.compile(dash.left)
    right = None if dash.right is None else compiler.compile(dash.right)
    kinds, promotion = _promoted_kinds(compiler, dash.promotion)
    target = None if dash.target is None else compiler.compile(dash.target)
    logs = any(one is not None and one.logs for one in (left, right, promotion, target))
    return Fit(_heads(left, right), _fits(dash.capture, kinds), target, logs)


def at_tail(s: Evaluation, child: int, cut: Cut, run: Run) -> Any:
    """The result of a closure after the move that leads to `child`. While the closure runs, `from` and `to`
    are the squares of `cut`."""
    here, before = s.id, s.cut
    s.step()
    s.goto(child)
    s.cut = (child, *cut)
    try:
        return run(s)
    finally:
        s.cut = before
        s.goto(here)


def _heads(left: Code | None, right: Code | None) -> Callable[[Evaluation], tuple[int, int]]:
    if left is None and right is None:
        return lambda s: (_ALL, _ALL)
    if right is None:
        assert left is not None
        source = left.value
        return lambda s: (source(s), _ALL)
    goal = right.value
    if left is None:
        return lambda s: (_ALL, goal(s))
    source = left.value
    return lambda s: (source(s), goal(s))


def _fits(
    capture: bool, kinds: Callable[[Evaluation], int] | None
) -> Callable[[Evaluation, int, int, int, int | None], Cut | None]:
    """A closure that tests whether a move fits the sets of a dash. The right set must contain the to-square.
    With `capture`, the right set must instead contain the square of the captured man."""

    def fits(s: Evaluation, child: int, sources: int, goals: int, allowed: int | None) -> Cut | None:
        move = s.tree.moves[child]
        start = 1 << (move & 63)
        kind = move >> 12
        if kind == moves.CASTLE:
            if capture or kinds is not None:
                return None
            return _castling_cut(move, sources, goals, _ALL if allowed is None else allowed)
        if not sources & start:
            return None
        goal = 1 << (move >> 6 & 63)
        if not (_captured(s, move) if capture else goal) & goals:
            return None
        if kinds is not None and not kinds(s) >> moves.promotion(move) & 1:
            return None
        return start, goal

    return fits


def _castling_cut(move: int, sources: int, goals: int, allowed: int) -> Cut | None:
    """The `Cut` of a castling move, made of the king's part and the rook's part. A part counts if its
    from-square is in both `sources` and `allowed`, and its to-square is in `goals`."""
    origins = landings = 0
    for start, end in (
        (moves.origin(move), moves.king_target(move)),
        (moves.target(move), moves.rook_target(move)),
    ):
        if sources & allowed & 1 << start and goals & 1 << end:
            origins |= 1 << start
            landings |= 1 << end
    return (origins, landings) if origins else None


def _captured(s: Evaluation, move: int) -> int:
    """A set with the square of the captured man, for a move from the current position. If the move captures
    nothing, the set is empty."""
    kind = move >> 12
    if kind == moves.EN_PASSANT:
        return 1 << (move & 56 | move >> 6 & 7)
    if kind in (moves.CASTLE, moves.NULL):
        return 0
    end = move >> 6 & 63
    return 1 << end if s.position.squares[end] else 0


_ANY_KIND: Final = 0b1111110
"""The kinds of men as bits 1 (pawn) to 6 (king). A move without promotion has kind 0."""


def _promoted_kinds(
    compiler: Compiler, promotion: nodes.Node | None
) -> tuple[Callable[[Evaluation], int] | None, Code | None]:
    """A pair for the promotion of a dash. The first part is a function that returns the allowed kinds of men,
    of either colour, as bits (spec 9.3). The first part is None if the dash has no promotion. The second part
    is the `Code` of the string that names the kinds. The second part is None if the promotion is not a
    string."""
    if promotion is None:
        return None, None
    if isinstance(promotion, nodes.Designator | nodes.AllSquares):
        kinds = _ANY_KIND if isinstance(promotion, nodes.AllSquares) else _kinds_of(promotion)
        return (lambda s: kinds), None
    made = compiler.compile(promotion)
    text = made.value

    def named(s: Evaluation) -> int:
        letters = text(s)
        if not letters:
            return 0 if letters is None else _ANY_KIND
        found = 0
        for letter in letters.upper():
            found |= 1 << "?PNBRQK".find(letter) if letter in "PNBRQK" else 0
        return found

    return named, made


def _kinds_of(designator: nodes.Node) -> int:
    """The kinds of the men in a designator, of either colour."""
    assert isinstance(designator, nodes.Designator)
    return (designator.men | designator.men >> 6) & _ANY_KIND


@compiles(nodes_moves.Dash)
def _dash(compiler: Compiler, node: nodes_moves.Dash) -> Code:
    fit = compile_fit(compiler, node)
    kind, head, fits = compiler.type_of(node), fit.head, fit.fits
    if fit.target is None:

        def played(s: Evaluation) -> bool:
            sources, goals = head(s)
            return any(fits(s, child, sources, goals, None) is not None for child in s.tree.children[s.id])

        return code(kind, played, logs=fit.logs)
    if kind is Type.SET:
        # The value of the dash is the target's value after the first move that fits the sets. The value does
        # not depend on whether the target matches after this move. The dash matches if the target matches
        # after at least one move that fits the sets. The results of the reference program show this
        # behaviour.
        value = _first(fit, fit.target.value, lambda found: False, 0)
        test = _first(fit, fit.target.test, lambda found: not found, False)
        return code(kind, value, logs=fit.logs, test=test, apart=True)
    test = _first(fit, fit.target.test, lambda found: not found, False)
    if kind is Type.LOGICAL:
        return code(kind, test, logs=fit.logs)
    value = _first(fit, fit.target.value, lambda found: found is None, None)
    return code(kind, value, logs=fit.logs, test=test, apart=fit.target.apart)


def _first(fit: Fit, run: Run, missed: Callable[[Any], bool], failure: Any) -> Run:
    """A closure that evaluates `run` after one fitting move after another. The closure returns the first
    result that makes `missed(result)` False, or `failure` if no result does."""
    head, fits = fit.head, fit.fits

    def search(s: Evaluation) -> Any:
        sources, goals = head(s)
        for child in s.tree.children[s.id]:
            cut = fits(s, child, sources, goals, None)
            if cut is not None:
                found = at_tail(s, child, cut, run)
                if not missed(found):
                    return found
        return failure

    return search


def moved(compiler: Compiler, node: nodes_moves.Dash | nodes_moves.CurrentMove) -> Run:
    """A closure for the from- and to-squares of the first move that matches a dash at the current position.
    For `currentmove`, only the move that leads to the current position is tested."""
    fit = compile_fit(compiler, node if isinstance(node, nodes_moves.Dash) else node.dash)
    test = None if fit.target is None else fit.target.test

    def of(s: Evaluation, child: int) -> int:
        sources, goals = fit.head(s)
        cut = fit.fits(s, child, sources, goals, None)
        if cut is None or not (test is None or at_tail(s, child, cut, test)):
            return 0
        return cut[0] | cut[1]

    if isinstance(node, nodes_moves.Dash):
        return lambda s: next((found for child in s.tree.children[s.id] if (found := of(s, child))), 0)

    def of_previous(s: Evaluation) -> int:
        here = s.id
        if here == 0:
            return 0
        s.goto(s.tree.parents[here])
        try:
            return of(s, here)
        finally:
            s.goto(here)

    return of_previous


@compiles(nodes_moves.CountMoves)
def _count_moves(compiler: Compiler, node: nodes_moves.CountMoves) -> Code:
    if isinstance(node.moves, nodes_moves.PossibleMoves):
        pairs, logs = _possible_pairs(compiler, node.moves)
        return code(Type.NUMERIC, lambda s: len(pairs(s)), logs=logs)
    assert isinstance(node.moves, nodes_moves.Dash)
    fit = compile_fit(compiler, node.moves)
    head, fits = fit.head, fit.fits
    test = None if fit.target is None else fit.target.test

    def count(s: Evaluation) -> int:
        sources, goals = head(s)
        number = 0
        for child in s.tree.children[s.id]:
            cut = fits(s, child, sources, goals, None)
            if cut is not None and (test is None or at_tail(s, child, cut, test)):
                number += 1
        return number

    return code(Type.NUMERIC, count, logs=fit.logs)


@compiles(nodes_moves.CurrentMove)
def _current_move(compiler: Compiler, node: nodes_moves.CurrentMove) -> Code:
    fit = compile_fit(compiler, node.dash)
    kind, head, fits = compiler.type_of(node), fit.head, fit.fits
    failure = None if kind in _VALUED else 0

    def of_move(run: Run) -> Run:
        def ask(s: Evaluation) -> Any:
            here = s.id
            if here == 0:
                return failure
            s.goto(s.tree.parents[here])
            try:
                sources, goals = head(s)
                cut = fits(s, here, sources, goals, None)
                return failure if cut is None else at_tail(s, here, cut, run)
            finally:
                s.goto(here)

        return ask

    if fit.target is None:
        return code(kind, of_move(lambda s: True), logs=fit.logs)
    value, apart = of_move(fit.target.value), fit.target.apart
    test = of_move(fit.target.test) if apart or failure is None else value
    return code(kind, value, logs=fit.logs, test=test, apart=apart)


# --- possible moves -----------------------------------------------------------------------------------------


def possible_moves(s: Evaluation, pseudo: bool) -> list[int]:
    """The legal (or pseudolegal) moves at the current position, encoded as integers. Castling and en passant
    depend on the castling rights and the en passant square of the position (D7)."""
    key = ("pseudolegal" if pseudo else "legal", s.id)
    known: list[int] | None = s.memo.get(key)
    if known is None:
        generate = legality.pseudolegal_moves if pseudo else legality.legal_moves
        known = s.memo[key] = generate(s.position)
    return known


@compiles(nodes_moves.PossibleMoves)
def _possible(compiler: Compiler, node: nodes_moves.PossibleMoves) -> Code:
    pairs, logs = _possible_pairs(compiler, node)

    def goals(s: Evaluation) -> int:
        found = 0
        for pair in pairs(s):
            found |= 1 << pair[1]
        return found

    return code(Type.SET, goals, logs=logs)


def _possible_pairs(
    compiler: Compiler, node: nodes_moves.PossibleMoves
) -> tuple[Callable[[Evaluation], set[tuple[int, int]]], bool]:
    """A function that returns the pairs (from-square, to-square) of the possible moves that fit the filter,
    and whether evaluating the operands can write comments. All promotions of one pawn on the same square
    count as one pair (D23)."""
    left = None if node.left is None else compiler.compile(node.left)
    right = None if node.right is None else compiler.compile(node.right)
    head, pseudo = _heads(left, right), node.pseudo
    wanted = _kind_test(node.target)

    def pairs(s: Evaluation) -> set[tuple[int, int]]:
        s.step()
        sources, goals = head(s)
        found = set()
        for move in possible_moves(s, pseudo):
            start, end = move & 63, _goal(move)
            if sources >> start & 1 and goals >> end & 1 and (wanted is None or wanted(move)):
                found.add((start, end))
        return found

    logs = any(one is not None and one.logs for one in (left, right))
    return pairs, logs


def _goal(move: int) -> int:
    """The to-square of the moving man. For castling, this is the to-square of the king."""
    return moves.king_target(move) if move >> 12 == moves.CASTLE else move >> 6 & 63


def _kind_test(target: nodes.Node | None) -> Callable[[int], bool] | None:
    """A function that tests whether an encoded move has the property named by the target of `legal`. If there
    is no target, the result is None."""
    if target is None:
        return None
    assert isinstance(target, nodes.State | nodes_moves.PreviousMove)
    return _KINDS[target.word]


def _castles(move: int) -> int:
    """1 for short castling, -1 for long castling, 0 for any other move. Short castling is made with the rook
    on the h-file side of the king."""
    if move >> 12 != moves.CASTLE:
        return 0
    return 1 if (move >> 6 & 63) > (move & 63) else -1


_KINDS: Final[dict[str, Callable[[int], bool]]] = {
    "castle": lambda move: _castles(move) != 0,
    "o-o": lambda move: _castles(move) > 0,
    "o-o-o": lambda move: _castles(move) < 0,
    "enpassant": lambda move: move >> 12 == moves.EN_PASSANT,
    "null": lambda move: move >> 12 == moves.NULL,
}


# --- the previous move --------------------------------------------------------------------------------------


@compiles(nodes_moves.PreviousMove)
def _previous_move(compiler: Compiler, node: nodes_moves.PreviousMove) -> Code:
    runs: dict[nodes_moves.PreviousWord, Run] = {
        "enpassant": lambda s: s.tree.moves[s.id] >> 12 == moves.EN_PASSANT,
        "nullmove": lambda s: s.tree.moves[s.id] >> 12 == moves.NULL,
        "primary": lambda s: s.id > 0 and _is_first(s, s.id),
        "secondary": lambda s: s.id > 0 and not _is_first(s, s.id),
    }
    return code(Type.LOGICAL, runs[node.word])


def _is_first(s: Evaluation, child: int) -> bool:
    """Whether a position other than the root is the first child of its parent."""
    return s.tree.children[s.tree.parents[child]][0] == child


@compiles(nodes_moves.PreviousSquares)
def _previous_squares(compiler: Compiler, node: nodes_moves.PreviousSquares) -> Code:
    runs: dict[nodes_moves.PreviousSquaresWord, Run] = {
        "from": lambda s: _squares_of(s)[0],
        "to": lambda s: _squares_of(s)[1],
        "enpassantsquare": _taken_in_passing,
    }
    return code(Type.SET, runs[node.word])


def _squares_of(s: Evaluation) -> Cut:
    """From- and to-squares of the move that led to the current position. If the target of a dash is being
    evaluated at this position, the `Cut` of the dash is returned instead."""
    if s.cut is not None and s.cut[0] == s.id:
        return s.cut[1], s.cut[2]
    if s.id == 0:
        return 0, 0
    move = s.tree.moves[s.id]
    if move >> 12 == moves.CASTLE:
        cut = _castling_cut(move, _ALL, _ALL, _ALL)
        assert cut is not None
        return cut
    return 1 << (move & 63), 1 << (move >> 6 & 63)


def _taken_in_passing(s: Evaluation) -> int:
    move = s.tree.moves[s.id]
    return 1 << (move & 56 | move >> 6 & 7) if move >> 12 == moves.EN_PASSANT else 0


# --- the older `move` ---------------------------------------------------------------------------------------


_ELSEWHERE: Final = frozenset(
    {nodes.Find, nodes_tree.At, nodes_tree.Echo, nodes_paths.Line, nodes_paths.Path}
)
"""Node kinds that evaluate their operands at other positions. A constituent of a `line` may contain such a
filter. A `move` inside the filter is then not about the next move of the line (spec 11)."""


def future_moves(node: nodes.Node) -> Iterator[nodes_moves.Move]:
    """The `move` filters in a constituent of a `line` that test the next move. Filters that are evaluated at
    other positions are omitted.

    The compiler of `line` puts the `id`s of the returned filters into `Compiler.restricted_moves`, and then
    compiles the constituent. In a game, the constituent is evaluated once for each child of the current
    position. During the evaluation for a child, `Evaluation.only_child` is this child.
    """
    if isinstance(node, nodes_moves.Move) and not {"previous", "legal", "pseudolegal"} & set(node.words):
        yield node
    if type(node) not in _ELSEWHERE:
        for child in nodes.children(node):
            yield from future_moves(child)


@compiles(nodes_moves.Move)
def _move(compiler: Compiler, node: nodes_moves.Move) -> Code:
    with_operand: list[str] = [word for word in node.words if word in nodes_moves.OPERAND_WORDS]
    operands = dict(zip(with_operand, node.operands, strict=True))
    compiled = {word: compiler.compile(one) for word, one in operands.items() if word != "promote"}
    sets = {word: made.value for word, made in compiled.items()}
    logs = any(made.logs for made in compiled.values())
    if "legal" in node.words or "pseudolegal" in node.words:
        return _older_possible(node, sets, logs)
    texts = [closures_output.text_of(compiler, part) for part in node.comment or ()]
    tests = _older_tests(node, operands)
    candidates = _older_candidates(compiler, node)
    previous = "previous" in node.words
    chosen = _CHOSEN.get(node.words[0]) if node.words else None
    measures = [(_OLDER_SQUARES[word], run) for word, run in sets.items()]

    def search(s: Evaluation) -> int:
        here = s.id
        if previous:
            if here == 0:
                return 0
            s.goto(s.tree.parents[here])
        found = 0
        try:
            bounds = [(squares_of, run(s)) for squares_of, run in measures]
            for child in (here,) if previous else candidates(s):
                move = s.tree.moves[child]
                if not all(squares_of(s, move) & bound for squares_of, bound in bounds):
                    continue
                if not all(test(s, child) for test in tests):
                    continue
                found |= 1 if chosen is None else chosen(s, move)
                if texts:
                    _comment_at(s, child, texts)
                elif chosen is None:
                    break
        finally:
            if s.id != here:
                s.goto(here)
        return found

    kind = Type.LOGICAL if chosen is None else Type.SET
    return code(kind, search, logs=logs or bool(texts))


def _older_candidates(compiler: Compiler, node: nodes_moves.Move) -> Callable[[Evaluation], Sequence[int]]:
    """A closure for the children that the filter `move` tests. In a constituent of a `line`, the filter tests
    only `Evaluation.only_child`."""
    if id(node) in compiler.restricted_moves:
        return _only_children
    return lambda s: s.tree.children[s.id]


def _only_children(s: Evaluation) -> Sequence[int]:
    if s.only_child >= 0:
        return (s.only_child,)
    return () if s.only_child == NO_CHILD else s.tree.children[s.id]


def _comment_at(s: Evaluation, child: int, texts: Sequence[Callable[[Evaluation], str]]) -> None:
    here = s.id
    s.goto(child)
    try:
        text = "".join([one(s) for one in texts])
        if s.explicit_comments and text:
            s.log.append((child, text))
    finally:
        s.goto(here)


def _older_from(s: Evaluation, move: int) -> int:
    return 1 << (move & 63)


def _older_to(s: Evaluation, move: int) -> int:
    return 1 << _goal(move)


def _older_passed(s: Evaluation, move: int) -> int:
    return _captured(s, move) if move >> 12 == moves.EN_PASSANT else 0


_OLDER_SQUARES: Final[dict[str, Callable[[Evaluation, int], int]]] = {
    "from": _older_from,
    "to": _older_to,
    "capture": _captured,
    "enpassantsquare": _older_passed,
}
"""For each set parameter of the older filter `move`, a function that returns a set with a square of the move.
The set given for the parameter must contain this square. Castling counts as a move of the king alone."""
_CHOSEN: Final = {word: _OLDER_SQUARES[word] for word in ("from", "to", "capture")}


def _older_tests(
    node: nodes_moves.Move, operands: dict[str, nodes.Node]
) -> list[Callable[[Evaluation, int], bool]]:
    """The tests of those parameters of the older filter `move` that take no set. The argument `child` of a
    test is the position after the move."""
    tests: list[Callable[[Evaluation, int], bool]] = []

    def about_word(wanted: Callable[[int], bool]) -> Callable[[Evaluation, int], bool]:
        return lambda s, child: wanted(s.tree.moves[child])

    for word in node.words:
        if word in _KINDS:
            tests.append(about_word(_KINDS[word]))
        elif word == "primary":
            tests.append(_is_first)
        elif word == "secondary":
            tests.append(lambda s, child: not _is_first(s, child))
        elif word == "promote":
            tests.append(about_word(_promotes(_kinds_of(operands[word]))))
    return tests


def _promotes(kinds: int) -> Callable[[int], bool]:
    return lambda move: kinds >> moves.promotion(move) & 1 != 0


def _older_possible(node: nodes_moves.Move, sets: dict[str, Run], logs: bool) -> Code:
    """Compile `move legal` or `move pseudolegal`. The parameters decide what is returned: the from-squares,
    the to-squares, the number of moves, or whether there is a move."""
    pseudo = "pseudolegal" in node.words
    wanted = [_KINDS[word] for word in node.words if word in _KINDS]
    operands = tuple(sets.items())

    def pairs(s: Evaluation) -> set[tuple[int, int]]:
        s.step()
        bounds = [(_OLDER_SQUARES[word], run(s)) for word, run in operands]
        return {
            (move & 63, _goal(move))
            for move in possible_moves(s, pseudo)
            if all(squares_of(s, move) & bound for squares_of, bound in bounds)
            and all(one(move) for one in wanted)
        }

    if "count" in node.words:
        return code(Type.NUMERIC, lambda s: len(pairs(s)), logs=logs)
    if node.words[0] not in ("from", "to"):
        return code(Type.LOGICAL, lambda s: bool(pairs(s)), logs=logs)
    side = 0 if node.words[0] == "from" else 1

    def chosen(s: Evaluation) -> int:
        found = 0
        for pair in pairs(s):
            found |= 1 << pair[side]
        return found

    return code(Type.SET, chosen, logs=logs)


# --- pins ---------------------------------------------------------------------------------------------------


@compiles(nodes_moves.Pin)
def _pin(compiler: Compiler, node: nodes_moves.Pin) -> Code:
    compiled = dict(zip(node.words, compiler.compile_all(node.operands), strict=True))
    sources = compiled["from"].value if "from" in compiled else lambda s: _ALL
    shields = compiled["through"].value if "through" in compiled else lambda s: _ALL
    goals = compiled["to"].value if "to" in compiled else _kings
    chosen = {"from": 0, "through": 1, "to": 2}[node.words[0] if node.words else "through"]

    def squares_of(s: Evaluation) -> int:
        found = 0
        for pin in pins(s, sources(s), shields(s), goals(s)):
            found |= 1 << pin[chosen]
        return found

    return code(Type.SET, squares_of, logs=any(made.logs for made in compiled.values()))


def _kings(s: Evaluation) -> int:
    return s.men[board_men.WK] | s.men[board_men.BK]


def pins(s: Evaluation, sources: int, shields: int, goals: int) -> Iterator[tuple[int, int, int]]:
    """The pins (spec 8.3) as triples of squares: the pinning man, the pinned man, and the goal behind the
    pinned man.

    A goal is a square that is empty or holds a man of the pinned man's colour.
    """
    board = s.men
    occupied = board[OCCUPIED]
    for own, queen, rook, bishop, others in (
        (WHITE, board_men.WQ, board_men.WR, board_men.WB, BLACK),
        (BLACK, board_men.BQ, board_men.BR, board_men.BB, WHITE),
    ):
        straight = (board[queen] | board[rook]) & sources
        slanted = (board[queen] | board[bishop]) & sources
        pinned = board[others] & shields
        if not (straight | slanted) or not pinned:
            continue
        left = goals & ~board[own]
        while left:
            bit = left & -left
            left ^= bit
            goal = bit.bit_length() - 1
            snipers = straight & (attacks.RANK_LINES[goal] | attacks.FILE_LINES[goal])
            snipers |= slanted & (attacks.DIAGONAL_LINES[goal] | attacks.COUNTER_LINES[goal])
            row = attacks.BETWEEN[goal]
            while snipers:
                source = snipers & -snipers
                snipers ^= source
                between = row[source.bit_length() - 1] & occupied
                if between & pinned and between & between - 1 == 0:
                    yield source.bit_length() - 1, between.bit_length() - 1, goal
