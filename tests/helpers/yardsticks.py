"""Some queries as python-chess answers them: a yardstick of speed, and a second opinion on what matches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import chess.pgn

_WHITE, _BLACK = chess.WHITE, chess.BLACK


def _corner_and_king(board: chess.Board) -> bool:
    return bool(
        board.pieces_mask(chess.ROOK, _WHITE) & chess.BB_A1
        and board.pieces_mask(chess.KING, _BLACK) & chess.BB_G8
    )


def _pawns_only(board: chess.Board) -> bool:
    if board.queens | board.rooks:
        return False
    return any(board.pieces_mask(chess.PAWN, side).bit_count() >= 6 for side in (_WHITE, _BLACK))


def _opposition(board: chess.Board) -> bool:
    white, black = board.king(_WHITE), board.king(_BLACK)
    return board.turn == _WHITE and white is not None and black == white + 16


def _fork(board: chess.Board) -> bool:
    rooks, king = board.pieces_mask(chess.ROOK, _BLACK), board.pieces_mask(chess.KING, _BLACK)
    return any(
        board.attacks_mask(square) & rooks and board.attacks_mask(square) & king
        for square in board.pieces(chess.KNIGHT, _WHITE)
    )


QUERIES: dict[str, Callable[[chess.Board], bool]] = {
    "Ra1 kg8": _corner_and_king,
    "flipcolor {P>=6 [QqRr]==0}": _pawns_only,
    "mate": chess.Board.is_checkmate,
    "shift {Kb1 kb3 wtm}": _opposition,
    "piece x in N {x attacks r and x attacks k}": _fork,
}
"""By the text of the query; what tells whether it matches a position."""


def rate(asked: Callable[[chess.Board], bool], games: Sequence[chess.pgn.Game]) -> tuple[int, float]:
    """Matching positions of the main lines, and positions a second of processor time."""
    found = positions = 0
    start = time.thread_time()
    for game in games:
        board = game.board()
        found += asked(board)
        positions += 1
        for move in game.mainline_moves():
            board.push(move)
            found += asked(board)
            positions += 1
    return found, positions / max(time.thread_time() - start, 1e-9)
