"""Compilers of facts about single squares, placements and pawn structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cqlgui.board import men, position, squares
from cqlgui.cql.ast import nodes_squares
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation


@compiles(nodes_squares.ColourNumber)
def _colour_number(compiler: Compiler, node: nodes_squares.ColourNumber) -> Code:
    number = 1 if node.colour == "white" else -1
    return code(Type.NUMERIC, lambda s: number)


# --- one square ---------------------------------------------------------------------------------------------


@compiles(nodes_squares.SquareFact)
def _square_fact(compiler: Compiler, node: nodes_squares.SquareFact) -> Code:
    operand = compiler.compile(node.operand)
    area, fact = operand.value, _FACTS[node.word]

    def value(s: Evaluation) -> Any:
        place = area(s)
        if not place or place & place - 1:
            return None
        return fact(s, place.bit_length() - 1)

    return code(compiler.type_of(node), value, logs=operand.logs)


def _colour_type(s: Evaluation, square: int) -> int:
    man = s.position.squares[square]
    return -men.kind(man) if men.is_black(man) else man


def _identity(s: Evaluation, square: int) -> int | None:
    return s.identity(square) if s.position.squares[square] else None


_NAMES: Final = "_" + men.SYMBOLS[1:]
_FACTS: Final[dict[nodes_squares.SquareWord, Callable[[Evaluation, int], int | str | None]]] = {
    "rank": lambda s, square: (square >> 3) + 1,
    "file": lambda s, square: (square & 7) + 1,
    "type": lambda s, square: men.kind(s.position.squares[square]),
    "colortype": _colour_type,
    "typename": lambda s, square: _NAMES[men.kind(s.position.squares[square])],
    "piecename": lambda s, square: _NAMES[s.position.squares[square]],
    "pieceid": _identity,
}


def letters(word: nodes_squares.SquareWord) -> tuple[str, ...]:
    """The letter of each man, by man code, for `typename` or `piecename`."""
    codes = range(len(_NAMES))
    return tuple(_NAMES[men.kind(code) if word == "typename" else code] for code in codes)


def named_square(name: str) -> int:
    """The square with a name, as a set. The set is empty if no square has this name."""
    return _NAMED.get(name, 0)


@compiles(nodes_squares.MakeSquare)
def _make_square(compiler: Compiler, node: nodes_squares.MakeSquare) -> Code:
    operands = compiler.compile_all(node.operands)
    logs = any(operand.logs for operand in operands)
    if len(operands) == 1:
        name = operands[0].value
        return code(Type.SET, lambda s: named_square(name(s)), logs=logs)
    file, rank = (operand.value for operand in operands)

    def square(s: Evaluation) -> int:
        x = file(s)
        y = None if x is None else rank(s)
        return 1 << 8 * y + x - 9 if y is not None and 1 <= x <= 8 and 1 <= y <= 8 else 0

    return code(Type.SET, square, logs=logs)


_NAMED: Final = {name: 1 << square for square, name in enumerate(squares.NAMES)}


# --- the whole board ----------------------------------------------------------------------------------------


@compiles(nodes_squares.Fen)
def _fen(compiler: Compiler, node: nodes_squares.Fen) -> Code:
    return code(Type.STRING, lambda s: fen_text(s.position))


def fen_text(here: position.Position) -> str:
    """The FEN of a position in queries. The move counters are fixed, so that equal positions have equal texts
    (spec 8.1)."""
    passed = squares.NAMES[here.ep] if here.ep >= 0 else "-"
    return f"{here.placement()} {'wb'[here.turn]} {position.castling_field(here)} {passed} 0 1"


@compiles(nodes_squares.Placement)
def _placement(compiler: Compiler, node: nodes_squares.Placement) -> Code:
    if compiler.watch is not None:
        tests = [one.test for one in compiler.compile_all(node.squares)]
        # Every square is tested, even after a failure, because an explanation shows the result for each
        # square.
        return code(Type.LOGICAL, lambda s: min([bool(test(s)) for test in tests]))
    # For each man, `areas` holds the squares where this man must stand. An entry of `loose` is a square and a
    # mask of several men: one of these men must stand on the square. The squares in `loose` are tested one by
    # one.
    areas = [0] * 13
    loose: list[tuple[int, int]] = []
    for one in node.squares:
        if one.men & one.men - 1 == 0:
            areas[one.men.bit_length() - 1] |= one.squares
        elif one.men != men.ANY_MASK:
            loose.append((one.squares.bit_length() - 1, one.men))
    wanted = [(man, area) for man, area in enumerate(areas) if area]

    def matches(s: Evaluation) -> bool:
        table = s.men
        for man, area in wanted:
            if area & ~table[man]:
                return False
        board = s.position.squares
        return all(mask >> board[square] & 1 for square, mask in loose)

    return code(Type.LOGICAL, matches)


# --- pawn structure -----------------------------------------------------------------------------------------


@compiles(nodes_squares.PawnSet)
def _pawn_set(compiler: Compiler, node: nodes_squares.PawnSet) -> Code:
    match node.word:
        case "passedpawns":
            return code(Type.SET, lambda s: _passed(s.men[men.WP], s.men[men.BP]))
        case "connectedpawns":
            return code(Type.SET, lambda s: _connected(s.men[men.WP]) | _connected(s.men[men.BP]))
        case "isolatedpawns":
            return code(
                Type.SET,
                lambda s: (
                    s.men[men.WP] & ~_connected(s.men[men.WP]) | s.men[men.BP] & ~_connected(s.men[men.BP])
                ),
            )
        case "doubledpawns":
            return code(Type.SET, lambda s: _doubled(s.men[men.WP]) | _doubled(s.men[men.BP]))


_NOT_A: Final = squares.ALL ^ squares.FILES[0]
_NOT_H: Final = squares.ALL ^ squares.FILES[7]


def _beside(area: int) -> int:
    """The area, and the squares directly left and right of the area."""
    return area | (area & _NOT_H) << 1 | (area & _NOT_A) >> 1


def _ahead(area: int) -> int:
    """All squares above a square of the area, on the same file."""
    area = area << 8 & squares.ALL
    area |= area << 8 & squares.ALL
    area |= area << 16 & squares.ALL
    return area | area << 32 & squares.ALL


def _behind(area: int) -> int:
    """All squares below a square of the area, on the same file."""
    area >>= 8
    area |= area >> 8
    area |= area >> 16
    return area | area >> 32


def _passed(white: int, black: int) -> int:
    return white & ~_beside(_behind(black)) | black & ~_beside(_ahead(white))


def _connected(pawns: int) -> int:
    """The pawns that have another pawn of the same set on a neighbouring file. The ranks do not matter."""
    files = pawns | _ahead(pawns) | _behind(pawns)
    return pawns & ((files & _NOT_H) << 1 | (files & _NOT_A) >> 1)


def _doubled(pawns: int) -> int:
    return pawns & (_ahead(pawns) | _behind(pawns))
