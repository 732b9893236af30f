"""The ending of king and rook against king: solved backwards from the mates, and written as Syzygy tables.

The values are found by plain rules over arrays of all positions, without python-chess. Only the place of a
position in a table comes from python-chess, which reads the tables.
"""

from __future__ import annotations

import functools
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import chess
import chess.syzygy
import numpy as np

Array = np.ndarray[Any, Any]
OFF: Final = 64
KING: Final = [(f, r) for f in (-1, 0, 1) for r in (-1, 0, 1) if (f, r) != (0, 0)]
ROOK: Final = [(1, 0), (-1, 0), (0, 1), (0, -1)]


@dataclass(frozen=True)
class Solved:
    """For each place [white king, rook, black king] (0 is a1, 63 is h8) the number of plies to mate with
    White or Black to move, or -1 without a forced mate. `white` and `black` tell which places are
    positions with White or Black to move."""

    white: Array
    black: Array
    white_plies: Array
    black_plies: Array


def step(direction: tuple[int, int]) -> Array:
    """For each square the next one in a direction, or `OFF`."""
    squares = np.arange(64)
    files, ranks = squares % 8 + direction[0], squares // 8 + direction[1]
    inside = (files >= 0) & (files < 8) & (ranks >= 0) & (ranks < 8)
    return np.where(inside, ranks * 8 + files, OFF)


def moved(places: Array, axis: int, direction: tuple[int, int]) -> Array:
    """For each place the value at the place where one man stands a step farther; False off the board."""
    wide = np.concatenate([places, np.zeros_like(np.take(places, [0], axis))], axis)
    return np.take(wide, step(direction), axis)


@functools.cache
def solved() -> Solved:
    """The solution."""
    king, rook, other = np.ix_(*[np.arange(64)] * 3)

    def beside(one: Array, two: Array) -> Array:
        return np.maximum(abs(one % 8 - two % 8), abs(one // 8 - two // 8)) <= 1

    black = (king != rook) & (rook != other) & ~beside(king, other)
    attacked = np.zeros((64, 64, 64), np.bool_)
    for direction in ROOK:
        ray = np.zeros_like(attacked)
        for _ in range(7):
            # The rook sees a square from the next one if its own next square is this square, or is free.
            ray = moved((rook == other) | ((rook != king) & ray), 1, direction)
        attacked |= ray
    white = black & ~attacked
    takes = beside(other, rook) & (other != rook) & ~beside(king, rook)
    flees = functools.reduce(np.logical_or, (moved(white, 2, one) for one in KING))
    mated = black & attacked & ~takes & ~flees
    white_plies, black_plies = np.full(white.shape, -1), np.where(mated, 0, -1)
    free = (rook != king) & (rook != other)
    fresh, plies = mated, 0
    while fresh.any():
        plies += 1
        found = functools.reduce(np.logical_or, (moved(fresh, 0, one) for one in KING))
        for direction in ROOK:
            ray = np.zeros_like(fresh)
            for _ in range(7):
                ray = moved(free & (fresh | ray), 1, direction)
            found = found | ray
        white_plies[white & found & (white_plies < 0)] = plies
        escapes = white & (white_plies < 0)
        held = ~functools.reduce(np.logical_or, (moved(escapes, 2, one) for one in KING))
        plies += 1
        fresh = black & held & flees & ~takes & (black_plies < 0)
        black_plies[fresh] = plies
    return Solved(white, black, white_plies, black_plies)


def write(folder: Path) -> None:
    """Write KRvK.rtbw and KRvK.rtbz, and tables of one value for KBvK and KNvK, all of whose positions are
    drawn."""
    for name in ("KBvK", "KNvK"):
        single(folder, name)
    single(folder, "KRvK")
    places, white, black, plies = _indexed(folder / "KRvK.rtbw")
    pieces = _pieces("KRvK", both=True)
    sides = [_pairs(places, values, 3) for values in (white, black)]
    _save(folder / "KRvK.rtbw", _WDL + b"\x01" + pieces, sides)
    # The DTZ has the side with the rook alone; the counts are plies, for wins (4) and losses (8).
    pairs = _pairs(places, plies, 6, flags=4 | 8)
    _save(folder / "KRvK.rtbz", _DTZ + b"\x00" + _pieces("KRvK", both=False), [pairs])


def single(folder: Path, name: str, value: int = 0) -> None:
    """Write the WDL table of an ending where all positions have one value, from -2 to 2."""
    head = _WDL + b"\x01" + _pieces(name, both=True)
    head += b"\0" * (len(head) % 2) + bytes([0x80, value + 2] * 2)
    (folder / f"{name}.rtbw").write_bytes(head.ljust(80, b"\0"))


_WDL: Final = bytes.fromhex("71e8235d")
_DTZ: Final = bytes.fromhex("d7660ca5")
_BLOCK: Final = 64
"""Number of values in a block."""


def _pieces(name: str, *, both: bool) -> bytes:
    """The order of the pieces for both sides to move: the type, and 8 for a black one."""
    white, _, black = name.partition("v")
    codes = [" PNBRQK".index(sign) for sign in white] + [" PNBRQK".index(sign) + 8 for sign in black]
    return bytes([0, *(code * 17 if both else code for code in codes)])


def _indexed(path: Path) -> tuple[int, list[int], list[int], list[int]]:
    """The number of places in the table, and for each place the WDL for White and for Black to move (0 to 4)
    and the plies of White before the mating move."""
    table = chess.syzygy.WdlTable(str(path))
    table.init_table_wdl()
    size = table.tb_size[0]
    white, black, plies = [2] * size, [2] * size, [0] * size
    found = solved()
    triangle = [square for square in range(64) if square % 8 < 4 and square // 8 <= square % 8]
    for place in np.argwhere(found.black[triangle]).tolist():
        men = (triangle[place[0]], place[1], place[2])
        index = table.encode_piece(table.norm[0], list(men), table.factor[0])
        if found.black_plies[men] >= 0:
            black[index] = 0
        if found.white_plies[men] >= 0:
            white[index], plies[index] = 4, int(found.white_plies[men]) - 1
    table.close()
    return size, white, black, plies


def _pairs(size: int, values: list[int], bits: int, flags: int = 0) -> tuple[bytes, bytes, bytes, bytes]:
    """Values as compressed data: the head, the index, the sizes of the blocks, the blocks. All codes have the
    same number of bits, and each symbol is one value."""
    count = 1 << bits
    shift, block_shift = _BLOCK.bit_length() - 1, (_BLOCK * bits // 8 - 1).bit_length()
    blocks = -(-size // _BLOCK)
    head = struct.pack("<BBBBIBBHH", flags, block_shift, shift, 0, blocks, bits, bits, 0, count)
    head += b"".join(bytes([value, 0xF0, 0xFF]) for value in range(count))
    index = b"".join(struct.pack("<IH", block, _BLOCK // 2) for block in range(blocks))
    sizes = struct.pack("<H", _BLOCK - 1) * blocks
    data = b""
    for block in range(blocks):
        part = values[block * _BLOCK : (block + 1) * _BLOCK]
        part += [0] * (_BLOCK - len(part))
        word = int("".join(f"{value:0{bits}b}" for value in part), 2)
        data += word.to_bytes(_BLOCK * bits // 8, "big").ljust(1 << block_shift, b"\0")
    return head, index, sizes, data


def _save(path: Path, head: bytes, sides: list[tuple[bytes, bytes, bytes, bytes]]) -> None:
    data = head + b"\0" * (len(head) % 2)
    data += b"".join(side[0] for side in sides)
    data += b"\0" * (len(data) % 2)
    data += b"".join(side[1] for side in sides) + b"".join(side[2] for side in sides)
    for side in sides:
        data += b"\0" * (-len(data) % 64) + side[3]
    # The decoder reads a little ahead, and a table ends with a checksum of 16 bytes.
    data += b"\0" * 64
    path.write_bytes(data + b"\0" * ((16 - len(data)) % 64))
