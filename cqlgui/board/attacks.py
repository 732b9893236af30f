"""What men attack, and the lines of the board, from small tables.

The attacks along a line are looked up in a table. One multiplication gathers the occupied squares among the
six inner squares of the line into an index ("kindergarten bitboards": chessprogramming.org, Kindergarten
Bitboards). Only bits 58 to 63 of the product are used, so 64-bit wrap-around and Python's unbounded integers
give the same answer.
"""

from __future__ import annotations

from cqlgui.board import directions, squares
from cqlgui.board.men import Man
from cqlgui.board.squares import Bitboard, Square


def attacks_from(man: Man, square: Square, occupied: Bitboard) -> Bitboard:
    """The squares that a man on `square` attacks, given the occupied squares.

    A pawn attacks the two squares diagonally in front of it. A pawn on its last rank attacks nothing. A line
    piece attacks along its lines up to and including the first occupied square. Pins, check, the side to move
    and the colour of the attacked men do not matter. The empty square (man 0) attacks nothing.
    """
    kind = man if man <= 6 else man - 6
    if kind == 1:
        return PAWN_ATTACKS[square if man == 1 else 64 + square]
    if kind == 2:
        return KNIGHT_ATTACKS[square]
    if kind == 3:
        return bishop_attacks(square, occupied)
    if kind == 4:
        return rook_attacks(square, occupied)
    if kind == 5:
        return bishop_attacks(square, occupied) | rook_attacks(square, occupied)
    if kind == 6:
        return KING_ATTACKS[square]
    return 0


def bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Squares attacked along both diagonals."""
    base = (square & 7) << 6
    diagonal = DIAGONAL_LINES[square]
    counter = COUNTER_LINES[square]
    return (
        diagonal & _ROW_FILLS[base | ((diagonal & occupied) * _B_FILE >> 58 & 63)]
        | counter & _ROW_FILLS[base | ((counter & occupied) * _B_FILE >> 58 & 63)]
    )


def rook_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Squares attacked along the rank and the file."""
    file = square & 7
    column = (occupied >> file & _A_FILE) * _GATHER_FILE >> 58 & 63
    row = occupied >> (square & 56 | 1) & 63
    return (
        RANK_LINES[square] & _ROW_FILLS[file << 6 | row] | _COLUMN_FILLS[(square >> 3) << 6 | column] << file
    )


def direction_between(start: Square, end: Square) -> int:
    """The direction 0..7 from one square to another; -1 if the squares are equal or have no common line."""
    return DIRECTION_TO[start << 6 | end]


_A_FILE = 0x0101010101010101
_B_FILE = 0x0202020202020202
_GATHER_FILE = 0x0080402010080400
_ASCENDING = (directions.UP, directions.NORTHEAST, directions.RIGHT, directions.NORTHWEST)
"""A step in one of these directions increases the number of the square."""


def _rays() -> tuple[tuple[tuple[Square, ...], ...], ...]:
    table: list[tuple[tuple[Square, ...], ...]] = []
    for file_step, rank_step in directions.STEPS:
        step = rank_step * 8 + file_step
        row: list[tuple[Square, ...]] = []
        for square in range(64):
            file, rank = square & 7, square >> 3
            files_left = 7 if file_step == 0 else 7 - file if file_step > 0 else file
            ranks_left = 7 if rank_step == 0 else 7 - rank if rank_step > 0 else rank
            row.append(tuple(square + step * n for n in range(1, min(files_left, ranks_left) + 1)))
        table.append(tuple(row))
    return tuple(table)


RAYS: tuple[tuple[tuple[Square, ...], ...], ...] = _rays()
"""`RAYS[direction][square]`: the squares in that direction, nearest first."""
RAY_MASKS: tuple[tuple[Bitboard, ...], ...] = tuple(
    tuple(sum(1 << target for target in ray) for ray in row) for row in RAYS
)
"""`RAY_MASKS[direction][square]`: the squares of `RAYS[direction][square]` as a set."""

RANK_LINES: tuple[Bitboard, ...] = tuple(RAY_MASKS[2][s] | RAY_MASKS[6][s] for s in range(64))
FILE_LINES: tuple[Bitboard, ...] = tuple(RAY_MASKS[0][s] | RAY_MASKS[4][s] for s in range(64))
DIAGONAL_LINES: tuple[Bitboard, ...] = tuple(RAY_MASKS[1][s] | RAY_MASKS[5][s] for s in range(64))
COUNTER_LINES: tuple[Bitboard, ...] = tuple(RAY_MASKS[3][s] | RAY_MASKS[7][s] for s in range(64))
"""These four tables have for each square the other squares of its rank, of its file, of its a1-h8 diagonal
and of its h1-a8 diagonal."""


def _leaps(steps: tuple[tuple[int, int], ...]) -> tuple[Bitboard, ...]:
    table = []
    for square in range(64):
        reached = 0
        for file_step, rank_step in steps:
            target = squares.make_square((square & 7) + file_step, (square >> 3) + rank_step)
            if target != squares.NONE:
                reached |= 1 << target
        table.append(reached)
    return tuple(table)


KING_ATTACKS: tuple[Bitboard, ...] = _leaps(directions.STEPS)
KNIGHT_ATTACKS: tuple[Bitboard, ...] = _leaps(
    ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
)
PAWN_ATTACKS: tuple[Bitboard, ...] = _leaps(((-1, 1), (1, 1))) + _leaps(((-1, -1), (1, -1)))
"""Index s: the squares that a white pawn on square s attacks. Index 64 + s: the squares that a black pawn
attacks."""


def _row_attacks(place: int, inner: int) -> int:
    """The cells attacked from cell `place` in a row of eight cells. `inner` has the occupied cells among the
    six inner cells."""
    occupied = inner << 1
    reached = 0
    for cells in (range(place + 1, 8), range(place - 1, -1, -1)):
        for cell in cells:
            reached |= 1 << cell
            if occupied >> cell & 1:
                break
    return reached


_ROW_ATTACKS = tuple(_row_attacks(place, inner) for place in range(8) for inner in range(64))
_ROW_FILLS: tuple[Bitboard, ...] = tuple(row * _A_FILE for row in _ROW_ATTACKS)
"""The attacks along a row, repeated on every rank. The squares that an entry and a rank (or a diagonal) have
in common are the attacks along this rank (or diagonal)."""


def _column_fills() -> tuple[Bitboard, ...]:
    columns = [sum(1 << 8 * rank for rank in range(8) if row >> rank & 1) for row in range(256)]
    table = [0] * 512
    for inner in range(64):
        # The multiplication puts the squares of a file in another order than the bits of `inner`. The index
        # is therefore computed as in `rook_attacks`.
        index = columns[inner << 1] * _GATHER_FILE >> 58 & 63
        for rank in range(8):
            table[rank << 6 | index] = columns[_ROW_ATTACKS[rank << 6 | inner]]
    return tuple(table)


_COLUMN_FILLS: tuple[Bitboard, ...] = _column_fills()


def _between_and_directions() -> tuple[tuple[tuple[Bitboard, ...], ...], tuple[int, ...]]:
    between = [[0] * 64 for _ in range(64)]
    direction_to = [-1] * 4096
    for direction, rays in enumerate(RAYS):
        for start, ray in enumerate(rays):
            row = between[start]
            passed = 0
            for end in ray:
                row[end] = passed
                direction_to[start << 6 | end] = direction
                passed |= 1 << end
    return tuple(tuple(row) for row in between), tuple(direction_to)


BETWEEN, DIRECTION_TO = _between_and_directions()
"""`BETWEEN[a][b]`: the squares strictly between two squares of one line (empty if a and b have no common
line).

`DIRECTION_TO[a << 6 | b]`: the direction from a to b, or -1.
"""
