"""Random games played on our board and on python-chess side by side: everything both can say must agree."""

from __future__ import annotations

import random

import chess
import pytest

from cqlgui.board import attacks, legality, men, moves, position, san, squares
from cqlgui.board.position import Position


def word_of(board: chess.Board, move: chess.Move) -> int:
    """Our word for a move of python-chess (a board in Chess960 mode)."""
    if not move:
        king = board.king(board.turn)
        return moves.pack(king or 0, king or 0, moves.NULL)
    if board.is_castling(move):
        return moves.pack(move.from_square, move.to_square, moves.CASTLE)
    if board.is_en_passant(move):
        return moves.pack(move.from_square, move.to_square, moves.EN_PASSANT)
    if move.promotion:
        return moves.pack(move.from_square, move.to_square, move.promotion + 2)
    return moves.pack(move.from_square, move.to_square)


def compare(board: chess.Board, ours: Position) -> None:
    """Assert that both describe the same position in the same words."""
    assert ours.fen() == board.fen(en_passant="fen")
    assert Position.from_fen(ours.fen()).key() == ours.key()
    for square in range(64):
        piece = board.piece_at(square)
        man = ours.squares[square]
        assert men.SYMBOLS[man] == (piece.symbol() if piece else ".")
        assert ours.men[man] >> square & 1
        assert attacks.attacks_from(man, square, ours.occupied) == (
            board.attacks_mask(square) if piece else 0
        )
    assert sum(table.bit_count() for table in ours.men) == 64
    assert ours.white == board.occupied_co[chess.WHITE]
    assert ours.black == board.occupied_co[chess.BLACK]
    for square in (0, 7, 27, 36, 60, 63):
        assert position.attackers(ours, square, men.WHITE) == board.attackers_mask(chess.WHITE, square)
        assert position.attackers(ours, square, men.BLACK) == board.attackers_mask(chess.BLACK, square)
    legal = sorted(word_of(board, move) for move in board.legal_moves)
    pseudolegal = sorted(word_of(board, move) for move in board.pseudo_legal_moves)
    assert sorted(legality.legal_moves(ours)) == legal
    assert sorted(legality.pseudolegal_moves(ours)) == pseudolegal
    assert all(legality.is_pseudolegal(ours, word) for word in pseudolegal)
    assert position.in_check(ours) == board.is_check()
    assert legality.is_mate(ours) == board.is_checkmate()
    assert legality.is_stalemate(ours) == (not board.is_check() and not legal)


def play_random_game(board: chess.Board, chance: random.Random, plies: int, nulls: bool) -> None:
    """Play at most `plies` random moves on both boards, comparing after each."""
    ours = Position.from_fen(board.fen(en_passant="fen"))
    compare(board, ours)
    for _ in range(plies):
        choice = list(board.legal_moves)
        if not choice:
            break
        if nulls and not board.is_check() and chance.random() < 0.1:
            move = chess.Move.null()
        else:
            # Castling, promotion and en passant are rare among random moves: give them more than their share.
            special = [m for m in choice if board.is_castling(m) or m.promotion or board.is_en_passant(m)]
            move = chance.choice(special) if special and chance.random() < 0.5 else chance.choice(choice)
        word = word_of(board, move)
        assert san.san(ours, word) == (board.san(move) if move else "--")
        before = ours.copy()
        key = before.key()
        ours.make(word)
        assert before.key() == key
        board.push(move)
        compare(board, ours)


@pytest.mark.parametrize("seed", range(12))
def test_random_games_agree(seed: int) -> None:
    play_random_game(chess.Board(chess960=True), random.Random(seed), 90, nulls=seed % 3 == 0)


@pytest.mark.parametrize("seed", range(12))
def test_random_chess960_games_agree(seed: int) -> None:
    chance = random.Random(100 + seed)
    play_random_game(chess.Board.from_chess960_pos(chance.randrange(960)), chance, 70, nulls=False)


@pytest.mark.parametrize(
    "fen",
    [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
        "8/5k2/8/8/R2pP2k/8/8/4K3 b - e3 0 3",
        "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
        "4k3/P1P1P1P1/8/8/8/8/p1p1p1p1/4K3 b - - 3 40",
    ],
)
def test_games_from_tricky_positions_agree(fen: str) -> None:
    for seed in range(2):
        play_random_game(chess.Board(fen, chess960=True), random.Random(seed), 40, nulls=seed == 1)


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/3n4/8/4Q3/8/8/8 b - - 0 1",
        "4k3/8/8/8/8/8/8/8 w - - 0 1",
        "K3k2K/8/8/3r4/8/3k4/8/K6R w - - 0 1",
        "4k2P/8/8/8/8/8/8/p3K3 w - - 0 1",
    ],
)
def test_positions_no_game_reaches_do_not_disturb(fen: str) -> None:
    compare(chess.Board(fen, chess960=True), Position.from_fen(fen))


def test_line_attacks_agree_with_the_tables() -> None:
    chance = random.Random(5)
    for _ in range(3000):
        square = chance.randrange(64)
        occupied = chance.getrandbits(64) & chance.getrandbits(64)
        file_and_rank = (
            chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
            | chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
        )
        diagonals = chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
        assert attacks.rook_attacks(square, occupied) == file_and_rank
        assert attacks.bishop_attacks(square, occupied) == diagonals


def test_between_agrees_for_all_pairs() -> None:
    for start in range(64):
        for end in range(64):
            assert attacks.BETWEEN[start][end] == chess.between(start, end)
            direction = attacks.direction_between(start, end)
            assert (direction >= 0) == (start != end and chess.ray(start, end) != 0)
            assert direction < 0 or end in attacks.RAYS[direction][start]
    assert list(squares.bits(attacks.RAY_MASKS[0][12])) == list(attacks.RAYS[0][12])
