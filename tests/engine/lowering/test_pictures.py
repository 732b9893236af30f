"""The kernels for economical mates and stalemates say what the interpreter's functions say."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from cqlgui.board import legality
from cqlgui.board.position import Position
from cqlgui.cql.interpreting.runtime import economy
from cqlgui.engine.kernels import routines_economy
from cqlgui.engine.replaying import layout

DEMANDS = {
    "pure": routines_economy.PURE,
    "model": routines_economy.MODEL,
    "ideal": routines_economy.IDEAL,
}

LETTERS = "QQRRBBNNPKqrrbbnnpp"


def positions(source: Random, tries: int) -> Iterator[Position]:
    """Positions with a bare or hemmed in king at the edge of the board."""
    for _ in range(tries):
        board = [""] * 64
        king = source.choice([0, 3, 7, 24, 56, 59, 60, 63, source.randrange(64)])
        board[king] = "k"
        near = [square for square in range(64) if _distance(square, king) <= 2 and square != king]
        for _ in range(source.randint(2, 9)):
            place = source.choice(near) if source.random() < 0.75 else source.randrange(64)
            letter = source.choice(LETTERS)
            if not board[place] and not (letter in "Pp" and not 8 <= place < 56):
                board[place] = letter
        if "K" not in board and source.random() < 0.9:
            board[source.choice([one for one in range(64) if not board[one]])] = "K"
        text = "/".join(
            "".join(board[8 * row + file] or "." for file in range(8)) for row in reversed(range(8))
        )
        text = re.sub(r"\.+", lambda empty: str(len(empty[0])), text)
        if source.random() < 0.5:
            text = "/".join(reversed(text.split("/"))).swapcase()
            yield Position.from_fen(f"{text} w - - 0 1")
        else:
            yield Position.from_fen(f"{text} b - - 0 1")


def _distance(first: int, second: int) -> int:
    return max(abs(first % 8 - second % 8), abs(first // 8 - second // 8))


@pytest.mark.parametrize("tries", [12_000, pytest.param(400_000, marks=pytest.mark.full)])
def test_pictures_are_the_interpreters(tries: int) -> None:
    counts: collections.Counter[str] = collections.Counter()
    record = np.zeros(layout.SIZE, np.uint64)
    for position in positions(Random(tries), tries):
        if legality.is_mate(position):
            wanted, kernel, kind = economy.mate, routines_economy.mate_picture, "mate"
        elif legality.is_stalemate(position):
            wanted, kernel, kind = economy.stalemate, routines_economy.stalemate_picture, "stalemate"
        else:
            continue
        record[:13] = position.men
        record[layout.TURN] = position.turn
        board = np.frombuffer(position.squares, np.uint8).copy()
        counts[kind] += 1
        for word, demand in DEMANDS.items():
            found = kernel(record, board, demand)  # type: ignore[arg-type]  # arrays are sequences, too
            assert found == wanted(position, word), (position.fen(), word)
            counts[f"{word}{kind}"] += found != 0
    print(dict(counts))
    assert all(counts[f"{word}{kind}"] for word in DEMANDS for kind in ("mate", "stalemate"))
