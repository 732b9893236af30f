"""Games for language tests: PGN text read with python-chess into our own trees, and a host that answers from
it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field, replace

import chess
import chess.pgn
import numpy as np

from cqlgui.board import moves, tree
from cqlgui.cql.ast import nodes
from cqlgui.cql.interpreting.runtime import host as hosts
from cqlgui.cql.source import commands as rules
from cqlgui.engine.facts import columns
from cqlgui.store import commands, remarks
from tests.helpers import trees

_PROMOTIONS = {
    chess.KNIGHT: moves.PROMOTE_N,
    chess.BISHOP: moves.PROMOTE_B,
    chess.ROOK: moves.PROMOTE_R,
    chess.QUEEN: moves.PROMOTE_Q,
}


@dataclass
class Host:
    """Answers for one game (see `cqlgui.cql.interpreting.runtime.host.Host`)."""

    gamenumber: int = 1
    game_count: int = 1
    tags: dict[str, str] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    glyphs: dict[int, tuple[int, ...]] = field(default_factory=dict)
    ending: str | None = None
    raw: str = ""
    files: dict[str, str] = field(default_factory=dict)

    @property
    def result(self) -> str | None:
        return self.ending or self.tags.get("Result")

    def tag(self, name: str) -> str | None:
        return self.tags.get(name)

    def text(self) -> str:
        return self.raw

    def comment(self, positionid: int) -> str | None:
        return self.comments.get(positionid)

    def all_comments(self, positionid: int) -> str:
        # python-chess joins several comments of a move.
        return self.comments.get(positionid, "")

    def nags(self, positionid: int) -> tuple[int, ...]:
        return self.glyphs.get(positionid, ())

    def other_games(self, name: str) -> Iterator[tree.GameTree | None]:
        if name not in self.files:
            raise hosts.RefusedError(f"{name} may not be read")
        return (game.tree for game in from_pgn(self.files[name]))

    def read_file(self, name: str) -> str:
        if name not in self.files:
            raise hosts.RefusedError(f"Queries may not read {name}.")
        return self.files[name]

    def write_file(self, name: str, text: str) -> None:
        if name not in self.files:
            raise hosts.RefusedError(f"Queries may not write {name}.")
        self.files[name] += text


class Tags:
    """The tags of several games, column by column (see `cqlgui.engine.facts.columns.Tags`)."""

    def __init__(self, listed: Iterable[Host]) -> None:
        self._hosts = list(listed)
        self.memo: MutableMapping[nodes.Node, columns.Coded] = {}
        self._answers: dict[object, np.ndarray] = {}

    def tag(self, name: str) -> columns.Coded:
        return columns.Coded.of(host.tag(name) for host in self._hosts)

    def numbered(self, name: str) -> columns.Numbered | None:
        """Numbers that do not follow each other, as those of a catalog in which other games have texts
        too."""
        column = columns.Coded.of([None, *(host.tag(name) for host in self._hosts)])
        words = 3 * len(column.values)
        return columns.Numbered(
            [3 * column.codes[1:2], 3 * column.codes[2:]],
            words,
            lambda wanted: [column.values[number // 3] for number in wanted],
            lambda text: np.array(
                [3 * code for code, value in enumerate(column.values) if text in (value or "")], np.int64
            ),
            lambda fact: self._answers.setdefault(
                (fact, name), np.zeros((2, words), np.uint64 if fact.number else np.uint8)
            ),
        )

    @property
    def result(self) -> columns.Coded:
        return columns.Coded.of(host.result for host in self._hosts)

    @property
    def first_comments(self) -> columns.Coded:
        return columns.Coded.of(host.comment(0) for host in self._hosts)

    @property
    def cooked(self) -> columns.Coded:
        return columns.Coded.of("<cook" if "<cook" in host.text() else None for host in self._hosts)

    @property
    def remarks(self) -> remarks.Remarks:
        return remarks.Remarks.of(
            {
                place: remarks.Remark(host.comment(place), host.nags(place))
                for place in {*host.comments, *host.glyphs}
            }
            for host in self._hosts
        )

    @property
    def commands(self) -> commands.Commands:
        rows = [
            (game, place, *(rules.value(host.all_comments(place), key) for key in rules.KEYS))
            for game, host in enumerate(self._hosts)
            for place in host.comments
        ]
        table = np.array(
            [[commands.NO_NUMBER if one is None else one for one in row] for row in rows], np.int64
        ).reshape(-1, 2 + len(rules.KEYS))
        return commands.Commands.of(len(self._hosts), table[:, 0], table[:, 1], list(table[:, 2:].T))

    @property
    def gamenumbers(self) -> range:
        numbers = range(1, len(self._hosts) + 1)
        assert [host.gamenumber for host in self._hosts] == list(numbers)
        return numbers

    @property
    def game_count(self) -> int:
        (count,) = {host.game_count for host in self._hosts} or {0}
        return count


@dataclass(frozen=True)
class Game:
    """A tree with the host that knows the rest of it."""

    tree: tree.GameTree
    host: Host


def from_pgn(text: str) -> list[Game]:
    """All games of a PGN text, in order, numbered from 1."""
    return list(_read(io.StringIO(text)))


SPARSE = (
    ("8/1K6/5k1p/8/4rr2/8/1p6/8 w - - 0 1", "1. Ka8 b1=Q 2. Ka7 Qa1+"),
    ("8/P7/8/8/8/k7/8/K7 w - - 0 1", "1. a8=B Kb4 2. Bb7 (2. Kb2 Kc4 3. Bg2) 2... Kc5"),
    ("4k3/8/8/8/8/8/1p6/K6N b - - 0 1", "1... b1=R+ 2. Kxb1 Kd7"),
    ("4k3/6P1/8/8/8/8/8/K5r1 w - - 0 1", "1. g8=N Rxg8 2. Kb2 (2. --) 2... Rg1"),
    ("4k3/8/8/8/1p6/8/P7/K7 w - - 0 1", "1. a4 bxa3 2. Kb1 a2+ 3. Ka1 Kd7"),
    ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "1... O-O-O 2. Ke2"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "1. O-O Ke7"),
    ("8/8/8/8/8/5k2/7q/7K w - - 0 1", ""),
)
"""Starting position and moves: games in which most kinds of men never stand on the board, and what happens
in them happens to one side alone."""


def sparse() -> list[Game]:
    """The games of `SPARSE`."""
    return [
        game
        for fen, text in SPARSE
        for game in from_pgn(f'[FEN "{fen}"]\n[SetUp "1"]\n[Result "*"]\n\n{text} *\n\n')
    ]


def from_fen(fen: str, **tags: str) -> Game:
    """A game without moves."""
    return Game(tree.GameTree.decode(fen, []), Host(tags=dict(tags)))


def colours_reversed(game: Game) -> Game:
    """The same game with the men, the players, the result and the evaluations of the other side."""
    board = chess.Board(game.tree.root.fen()).mirror()
    tags = {_other_side(name): value for name, value in game.host.tags.items()}
    tags["Result"] = _REVERSED.get(tags.get("Result", "*"), tags.get("Result", "*"))
    ending = _REVERSED.get(game.host.ending or "", game.host.ending)
    comments = {place: _EVALUATION.sub(_negated, text) for place, text in game.host.comments.items()}
    changed = replace(game.host, tags=tags, ending=ending, comments=comments)
    return Game(_turned(game.tree, board, 56), changed)


_EVALUATION = re.compile(r"(?<=\[%eval\s)(#?)([-+]?)")


def _negated(found: re.Match[str]) -> str:
    return found[1] + ("" if found[2] == "-" else "-")


def wings_reversed(game: Game) -> Game | None:
    """The same game with the a-file for the h-file and so on; None for a game with castling, which cannot be
    reversed.
    """
    if any(moves.flag(move) == moves.CASTLE for move in game.tree.moves):
        return None
    board = chess.Board(game.tree.root.fen())
    turned = board.transform(chess.flip_horizontal)
    turned.turn = board.turn
    turned.castling_rights = chess.BB_EMPTY
    turned.ep_square = None if board.ep_square is None else board.ep_square ^ 7
    return Game(_turned(game.tree, turned, 7), game.host)


_REVERSED = {"1-0": "0-1", "0-1": "1-0"}


def _other_side(name: str) -> str:
    """The name of the tag that says of the other player what this one says."""
    for side, other in (("White", "Black"), ("Black", "White")):
        if name.startswith(side):
            return other + name.removeprefix(side)
    return name


def _turned(played: tree.GameTree, board: chess.Board, change: int) -> tree.GameTree:
    """The same moves from another position, with every square changed in these bits."""
    words = []
    for word in played.encode():
        if moves.flag(word) != moves.BACK:
            word ^= moves.pack(change, change)
        words.append(word)
    return tree.GameTree.decode(board.fen(en_passant="fen"), words)


def _read(stream: io.StringIO) -> Iterator[Game]:
    number = 0
    while (game := chess.pgn.read_game(stream, Visitor=_Tolerant)) is not None:
        number += 1
        fen = game.headers.get("FEN")
        builder = trees.TreeBuilder()
        comments: dict[int, str] = {}
        glyphs: dict[int, tuple[int, ...]] = {}
        handles: dict[int, int] = {}
        pending: list[tuple[chess.pgn.GameNode, int]] = [(game, 0)]
        while pending:
            node, parent = pending.pop()
            handle = parent
            if isinstance(node, chess.pgn.ChildNode):
                assert node.parent is not None
                handle = builder.add(parent, _word(node.parent.board(), node.move))
            handles[id(node)] = handle
            comments[handle] = node.comment
            glyphs[handle] = tuple(sorted(node.nags))
            # The first variation must be added first: a stack gives back what was put last.
            pending.extend((child, handle) for child in reversed(node.variations))
        words, places = builder.finish()
        host = Host(number, 0, dict(game.headers))
        host.comments = {places[handle]: text for handle, text in comments.items() if text}
        host.glyphs = {places[handle]: found for handle, found in glyphs.items() if found}
        yield Game(tree.GameTree.decode(fen, words), host)


class _Tolerant(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Keeps what stands before a move it cannot read, without a word."""

    def handle_error(self, error: Exception) -> None:
        pass


def _word(board: chess.Board, move: chess.Move) -> int:
    if not move:
        king = board.king(board.turn)
        return moves.pack(king or 0, king or 0, moves.NULL)
    if board.is_castling(move):
        rank = chess.square_rank(move.from_square)
        short = chess.square_file(move.to_square) > chess.square_file(move.from_square)
        rooks = board.castling_rights & chess.BB_RANKS[rank]
        corner = chess.msb(rooks) if short else chess.lsb(rooks)
        return moves.pack(move.from_square, corner, moves.CASTLE)
    if board.is_en_passant(move):
        return moves.pack(move.from_square, move.to_square, moves.EN_PASSANT)
    flag = _PROMOTIONS[move.promotion] if move.promotion else moves.NORMAL
    return moves.pack(move.from_square, move.to_square, flag)
