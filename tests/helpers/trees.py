"""Game trees made move by move."""

from __future__ import annotations

from cqlgui.board import moves
from cqlgui.board.moves import Move
from cqlgui.board.tree import GameTree


class TreeBuilder:
    """Collects moves in the order a file gives them; `finish` numbers the positions in preorder.

    A handle is the number of an addition; the root's handle is 0. The first move added below a position is
    its main continuation, later ones are variations in that order.
    """

    __slots__ = ("_children", "_moves")

    ROOT = 0

    def __init__(self) -> None:
        """A tree of the root alone."""
        self._moves: list[Move] = [moves.NO_MOVE]
        self._children: list[list[int]] = [[]]

    def add(self, parent: int, move: Move) -> int:
        """Add a move below the position with the handle `parent`; returns the new position's handle."""
        handle = len(self._moves)
        self._children[parent].append(handle)
        self._moves.append(move)
        self._children.append([])
        return handle

    def __len__(self) -> int:
        """Number of positions, the root included."""
        return len(self._moves)

    def finish(self) -> tuple[list[int], list[int]]:
        """The packed words, and the positionid of each handle."""
        words: list[int] = []
        ids = [0] * len(self._moves)
        number = 0
        last_ply = 0
        waiting = [(child, 0) for child in reversed(self._children[0])]
        while waiting:
            handle, parent_ply = waiting.pop()
            number += 1
            ids[handle] = number
            if last_ply > parent_ply:
                words += moves.pack_back(last_ply - parent_ply)
            words.append(self._moves[handle])
            last_ply = parent_ply + 1
            for child in reversed(self._children[handle]):
                waiting.append((child, last_ply))
        return words, ids


def line_to(tree: GameTree, positionid: int) -> list[int]:
    """The ids from the root to a position, both included."""
    line = []
    while positionid >= 0:
        line.append(positionid)
        positionid = tree.parents[positionid]
    line.reverse()
    return line
