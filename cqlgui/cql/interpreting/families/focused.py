"""The men in focus of a path, followed through a game: where they go, and which moves concern them."""

from __future__ import annotations

from collections.abc import Iterator

from cqlgui.base.data import dataclass
from cqlgui.board import moves, squares, tree
from cqlgui.cql.interpreting.runtime import values


@dataclass(frozen=True, slots=True)
class Focus:
    """Men on the squares `area` of the position `start`, on the way to the position `last`."""

    played: tree.GameTree
    start: int
    last: int
    area: int

    @property
    def way(self) -> list[int]:
        """The positions after `start`, up to `last`."""
        found, place = [], self.last
        while place != self.start:
            found.append(place)
            place = self.played.parents[place]
        return found[::-1]

    @property
    def men(self) -> set[int]:
        """The identities of the men in focus."""
        return {man for square, man in self.played.men_ids(self.start).items() if self.area >> square & 1}

    def ways(self) -> str:
        """The squares that each man in focus visits, as in `Qa1-a2-b2 Nb1-c3(xc3)`. Only men that move or are
        captured are included."""
        focused = self.men
        ways = {man: [square] for square, man in self.played.men_ids(self.start).items() if man in focused}
        standing = set(ways)
        for place in self.way:
            here = {man: square for square, man in self.played.men_ids(place).items() if man in ways}
            standing &= here.keys()
            for man, square in here.items():
                if square != ways[man][-1]:
                    ways[man].append(square)
        before, texts = self.played.positions[self.start].squares, []
        for man, way in ways.items():
            if len(way) == 1 and man in standing:
                continue
            text = values.piece_text(1 << way[0], before)
            text += "".join(f"-{squares.NAMES[square]}" for square in way[1:])
            texts.append(text if man in standing else f"{text}(x{squares.NAMES[way[-1]]})")
        return " ".join(texts)

    def tails(self, capture: bool) -> Iterator[int]:
        """The positions after the moves of the men in focus. With `capture`, captures of these men count
        too."""
        focused = self.men
        for place in self.way:
            board = self.played.men_board(self.played.parents[place])
            moved, captured = men_of_move(board, self.played.moves[place])
            if moved & focused or (capture and captured & focused):
                yield place


def men_of_move(board: bytes, move: int) -> tuple[set[int], set[int]]:
    """The identities of the men that a move moves, and of the man that it captures. `board` has the men
    before the move (`GameTree.men_board`)."""
    start, end, kind = moves.origin(move), moves.target(move), moves.flag(move)
    victim = start & 56 | end & 7 if kind == moves.EN_PASSANT else end
    movers, victims = {board[start]}, {board[victim]}
    if kind == moves.CASTLE:
        movers, victims = movers | victims, set()
    elif kind == moves.NULL:
        victims = set()
    return movers - {tree.NOBODY}, victims - {tree.NOBODY}
