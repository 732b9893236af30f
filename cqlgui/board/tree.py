"""A game as a tree of positions, packed into 16-bit words and unpacked again.

The words are the moves in preorder, the main line first. A `BACK` word holds a number of plies: the move
after the word starts that many plies before the last position. Nothing here is recursive, so games of any
length and depth work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cqlgui.board import men, motions, moves, san
from cqlgui.board.men import Colour
from cqlgui.board.moves import Move
from cqlgui.board.position import Position


class GameTree:
    """The positions of one game by positionid. The ids run in preorder, the main continuation first; the root
    has id 0."""

    __slots__ = (
        "_identities",
        "_positions",
        "children",
        "depths",
        "mainline_length",
        "moves",
        "parents",
        "plies",
        "root",
    )

    parents: list[int]
    """For each position, the id of the previous position; -1 at the root."""
    children: list[tuple[int, ...]]
    """For each position, the ids of the next positions, the main continuation first."""
    moves: list[Move]
    """The move that leads to each position; `moves.NO_MOVE` at the root."""
    plies: list[int]
    """Number of moves from the root."""
    depths: list[int]
    """For each position: how many of the moves from the root to the position are not main continuations."""
    mainline_length: int
    """The number of positions of the main line. The ids of these positions run from 0 to this number minus
    one."""
    root: Position
    """The start position of the game. Do not change this position."""

    def __init__(self, root: Position) -> None:
        """A game without moves."""
        self.root = root
        self.parents = [-1]
        self.children = [()]
        self.moves = [moves.NO_MOVE]
        self.plies = [0]
        self.depths = [0]
        self.mainline_length = 1
        self._positions: list[Position] | None = None
        self._identities: list[bytes] | None = None

    @classmethod
    def decode(cls, start_fen: str | None, words: Sequence[int]) -> GameTree:
        """Unpack a game. `start_fen` None means the usual initial position.

        Raises `ValueError` with a sentence for a FEN that cannot be read. A `BACK` word also raises
        `ValueError` if the word leads above the root, goes back by zero plies or is the last word. A move
        that cannot be played is found only when `positions` replays the move.
        """
        tree = cls(Position.start() if start_fen is None else Position.from_fen(start_fen))
        parents, plies, depths, played = tree.parents, tree.plies, tree.depths, tree.moves
        branches: dict[int, list[int]] = {}
        here = 0
        ply = 0
        depth = 0
        back = False
        for word in words:
            if word >= _BACK_WORD:
                count = word & moves.BACK_LIMIT
                if count == 0 or word > 0xFFFF:
                    raise ValueError("The packed moves of this game are damaged: a return by no ply at all.")
                if count > ply:
                    raise ValueError(
                        f"The packed moves of this game are damaged: {count} plies back from ply {ply}."
                    )
                ply -= count
                while count:
                    here = parents[here]
                    count -= 1
                back = True
                continue
            number = len(parents)
            if back:
                branches.setdefault(here, [here + 1]).append(number)
                depth = depths[here] + 1
                back = False
            parents.append(here)
            played.append(word)
            ply += 1
            plies.append(ply)
            depths.append(depth)
            here = number
        if back:
            raise ValueError("The packed moves of this game are damaged: they end with a return.")
        total = len(parents)
        # In preorder, the first child of a position has the next id. A position has no children if the next
        # id belongs to a child of another position.
        children: list[tuple[int, ...]] = [(number,) for number in range(1, total)]
        children.append(())
        for number in range(total - 1):
            if parents[number + 1] != number:
                children[number] = ()
        for number, several in branches.items():
            children[number] = tuple(several)
        tree.children = children
        tree.mainline_length = depths.index(1) if branches else total
        return tree

    def encode(self) -> list[int]:
        """The packed words. `decode` makes an equal tree from these words."""
        words: list[int] = []
        parents, plies = self.parents, self.plies
        for number in range(1, len(parents)):
            parent = parents[number]
            if parent != number - 1:
                words += moves.pack_back(plies[number - 1] - plies[parent])
            words.append(self.moves[number])
        return words

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def positions(self) -> list[Position]:
        """The position of every id. The moves are replayed at the first call. All callers get the same
        `Position` objects, so do not change them.

        Raises `ValueError` with a sentence if a move cannot be played.
        """
        if self._positions is None:
            replayed = [self.root]
            played = self.moves
            parents = self.parents
            for number in range(1, len(parents)):
                position = replayed[parents[number]].copy()
                position.make(played[number])
                replayed.append(position)
            self._positions = replayed
        return self._positions

    def mainline(self) -> GameTree:
        """The game without its variations. Ids and positions of the main line do not change."""
        length = self.mainline_length
        if length == len(self.parents):
            return self
        line = GameTree(self.root)
        line.parents = self.parents[:length]
        line.children = [(number,) for number in range(1, length)]
        line.children.append(())
        line.moves = self.moves[:length]
        line.plies = self.plies[:length]
        line.depths = self.depths[:length]
        line.mainline_length = length
        if self._positions is not None:
            line._positions = self._positions[:length]
        return line

    def common_ancestor(self, first: int, second: int) -> int:
        """The last position that the lines from the root to two positions have in common. It may be one of
        these two positions."""
        parents = self.parents
        # A position has a larger id than all its ancestors, so the larger of two different ids is not the
        # answer.
        while first != second:
            if first > second:
                first = parents[first]
            else:
                second = parents[second]
        return first

    def men_ids(self, positionid: int) -> dict[int, int]:
        """The number of the man on each occupied square, ascending by square.

        At the root the men are numbered 0, 1, 2, ... in the order a1, b1, ..., h8. A man keeps his number
        when he moves, castles or promotes. A captured man is missing.
        """
        return {square: man for square, man in enumerate(self.men_board(positionid)) if man != NOBODY}

    def men_board(self, positionid: int) -> bytes:
        """The numbers of `men_ids` for all 64 squares; `NOBODY` for an empty square."""
        if self._identities is None:
            self._identities = self._follow_men()
        return self._identities[positionid]

    def mover(self, positionid: int) -> Colour:
        """The side that made the move to a position; at the root, the side that is not to move."""
        return (self.root.turn + self.plies[positionid] + 1) % 2

    def movenumber(self, positionid: int) -> int:
        """The full-move number of a position. The root has number 1, whichever side is to move and whatever
        the FEN says."""
        return (self.plies[positionid] + self.root.turn) // 2 + 1

    def display_number(self, positionid: int) -> int:
        """The printed number of the move that leads to a position, counted from the FEN's number."""
        before = max(self.plies[positionid] - 1, 0)
        return self.root.fullmove + (before + self.root.turn) // 2

    def san(self, positionid: int, figurine: bool = False) -> str:
        """The move that leads to a position, in SAN."""
        return san.san(self.positions[self.parents[positionid]], self.moves[positionid], figurine)

    def framed(self, frame: motions.Motion) -> GameTree:
        """The game with its board mirrored, turned or shifted by the motion `frame`. `san`, `mover` and
        `display_number` describe the moves after the motion. Moves and positions stay as they were played."""
        return self if frame == motions.STILL else _FramedTree(self, frame)

    def _follow_men(self) -> list[bytes]:
        root = bytearray([NOBODY]) * 64
        number = 0
        for square, man in enumerate(self.root.squares):
            if man != men.EMPTY:
                root[square] = number
                number += 1
        followed = [bytes(root)]
        for positionid in range(1, len(self.parents)):
            board = bytearray(followed[self.parents[positionid]])
            move = self.moves[positionid]
            kind = moves.flag(move)
            start, end = moves.origin(move), moves.target(move)
            if kind == moves.CASTLE:
                king, rook = board[start], board[end]
                board[start] = board[end] = NOBODY
                board[moves.king_target(move)] = king
                board[moves.rook_target(move)] = rook
            elif kind != moves.NULL:
                board[end] = board[start]
                board[start] = NOBODY
                if kind == moves.EN_PASSANT:
                    board[start & 56 | end & 7] = NOBODY
            followed.append(bytes(board))
        return followed


class Positions(dict[int, Position]):
    """The positions of a game by id. A position is made by replaying its move when the position is first
    used. All callers get the same `Position` objects, so do not change them."""

    def __init__(self, tree: GameTree) -> None:
        super().__init__({0: tree.root})
        self._tree = tree

    def __missing__(self, number: int) -> Position:
        parents, played = self._tree.parents, self._tree.moves
        missing = []
        while number not in self:
            missing.append(number)
            number = parents[number]
        position = self[number]
        for one in reversed(missing):
            position = position.copy()
            position.make(played[one])
            self[one] = position
        return position


class _FramedTree(GameTree):
    __slots__ = ("_frame",)

    def __init__(self, played: GameTree, frame: motions.Motion) -> None:
        super().__init__(played.root)
        self.parents, self.children, self.moves = played.parents, played.children, played.moves
        self.plies, self.depths, self.mainline_length = played.plies, played.depths, played.mainline_length
        self._positions = played.positions
        self._frame = frame

    def mover(self, positionid: int) -> Colour:
        return super().mover(positionid) ^ self._frame.swapped

    def display_number(self, positionid: int) -> int:
        # As in `Motion.position`: after a swap of colours, a move of Black is shown as a move of White and
        # begins a new move number.
        return super().display_number(positionid) + (
            self._frame.swapped and super().mover(positionid) == men.BLACK
        )

    def san(self, positionid: int, figurine: bool = False) -> str:
        before = self.positions[self.parents[positionid]]
        return san.san(before, self.moves[positionid], figurine, self._frame)


def san_line(tree: GameTree, ids: Iterable[int], figurine: bool = False) -> list[str]:
    """The SAN of the moves that lead to the positions `ids`, one text for each move, such as `1.e4`, `e5`,
    `2.Nf3`.

    Every move of White has its number. A move of Black has no number if the preceding move of the game is
    printed just before it. Any other move of Black has its number (`1...e5`). The root is left out, because
    no move leads to it.
    """
    texts: list[str] = []
    before = None
    for number in ids:
        parent = tree.parents[number]
        if parent >= 0:
            text = tree.san(number, figurine)
            if tree.mover(number) == men.WHITE:
                text = f"{tree.display_number(number)}.{text}"
            elif not texts or parent != before:
                text = f"{tree.display_number(number)}...{text}"
            texts.append(text)
        before = number
    return texts


_BACK_WORD = moves.BACK << 12
NOBODY = 255
