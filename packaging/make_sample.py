"""Chooses the games of the sample base from a large PGN file.

    python packaging/make_sample.py BOOK.pgn[.zst] resources/sample/sample.pgn

Each query in `resources/queries` that is tagged `sample` looks for a motif. The motifs are recognised here a
second time, on python-chess boards and without CQL, and every one gets a share of the games; the rest is
filled up by an even stride through the file. Same input, same output. The games' text is copied as it stands.

Reading every game move by move would take a quarter of an hour, so one game in `STRIDE` is looked at in full,
and beyond them only games whose move text promises one of the rarer motifs.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import chess.pgn
import zstandard

GAMES = 500
STRIDE = 30
SHORTEST = 12
"""Fewer plies than this are a scrap of opening book, not a game to look at."""

DAMAGED = "\N{REPLACEMENT CHARACTER}"
"""Marks the few games with bytes of an unknown encoding; they are left out."""

Motif = Callable[[chess.Board], bool]


def main(arguments: list[str]) -> int:
    """Read the file named first, write the chosen games to the file named second."""
    if len(arguments) != 2:
        print("usage: make_sample.py BOOK.pgn[.zst] OUT.pgn", file=sys.stderr)
        return 2
    source, target = map(Path, arguments)
    texts = list(_games(_text(source)))
    chosen = choose(texts)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(texts[n] for n in chosen), encoding="utf-8", newline="\n")
    print(f"{len(chosen)} of {len(texts)} games", file=sys.stderr)
    return 0


def choose(texts: list[str]) -> list[int]:
    """Indices of the games of the sample, ascending."""
    seen: set[str] = set()
    found: dict[str, list[int]] = {name: [] for name in QUOTAS}
    common: list[int] = []
    for n, text in enumerate(texts):
        regular = n % STRIDE == 0
        short = [name for name in RARE if len(found[name]) < QUOTAS[name]]
        wanted = {name for name in short if RARE[name].search(text)}
        if (not regular and not wanted) or DAMAGED in text:
            continue
        moves = text.split("\n\n", 1)[-1]
        if moves in seen:
            continue
        seen.add(moves)
        game = chess.pgn.read_game(io.StringIO(text))
        if game is None or game.errors or game.end().ply() < SHORTEST or not _well_named(game):
            continue
        motifs = _motifs(game)
        for name in sorted(motifs):
            if len(found[name]) < QUOTAS[name] and (regular or name in wanted):
                found[name].append(n)
        if regular:
            common.append(n)
    for name, games in found.items():
        print(f"{name}: {len(games)} of {QUOTAS[name]}", file=sys.stderr)
    chosen = {n for games in found.values() for n in games}
    rest = [n for n in common if n not in chosen]
    missing = max(0, GAMES - len(chosen))
    chosen.update(rest[len(rest) * k // missing] for k in range(missing if rest else 0))
    return sorted(chosen)


def _text(path: Path) -> str:
    if path.suffix != ".zst":
        return path.read_bytes().decode("ascii", errors="replace")
    with path.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as stream:
        return stream.read().decode("ascii", errors="replace")


def _games(text: str) -> Iterator[str]:
    for start in re.split(r"\n(?=\[Event )", text):
        yield start.rstrip("\n") + "\n"


def _well_named(game: chess.pgn.Game) -> bool:
    headers = game.headers
    known = headers["White"] not in "?" and headers["Black"] not in "?" and headers["Result"] != "*"
    return known and headers["Date"][:4].isdigit()


def _motifs(game: chess.pgn.Game) -> set[str]:
    """Names of the motifs on the main line; some look at the whole game or at its last position."""
    names: set[str] = set()
    board = game.board()
    checks = 0
    for move in game.mainline_moves():
        castling = board.is_castling(move)
        board.push(move)
        check = board.is_check()
        checks += check
        if castling and check:
            names.add("castling with check")
        mirrored = board.mirror()
        for name, holds in MOTIFS.items():
            if name not in names and (holds(board) or holds(mirrored)):
                names.add(name)
        # The four images of the first query are wanted one by one, so that each shows a hit.
        if check:
            for name, bishop, king in GIFTS:
                if board.piece_at(bishop[0]) == bishop[1] and board.piece_at(king[0]) == king[1]:
                    names.add(name)
    if checks >= 15:
        names.add("many checks")
    if _duos(board) >= 3:
        names.add("pawn duos")
    winner = {"1-0": "White", "0-1": "Black"}.get(game.headers["Result"])
    if winner and game.headers[winner].startswith("Tal,"):
        names.add("won by Tal")
    return names


def _man(symbol: str) -> chess.Piece:
    return chess.Piece.from_symbol(symbol)


GIFTS = (
    ("gift h7", (chess.H7, _man("B")), (chess.G8, _man("k"))),
    ("gift h2", (chess.H2, _man("b")), (chess.G1, _man("K"))),
    ("gift a7", (chess.A7, _man("B")), (chess.B8, _man("k"))),
    ("gift a2", (chess.A2, _man("b")), (chess.B1, _man("K"))),
)


def _duos(board: chess.Board) -> int:
    pawns = board.pieces_mask(chess.PAWN, chess.WHITE)
    return chess.popcount(pawns & (pawns & ~chess.BB_FILE_A) >> 1)


def _smothered(board: chess.Board) -> bool:
    king = board.king(chess.BLACK)
    return (
        king is not None
        and board.turn == chess.BLACK
        and not chess.BB_KING_ATTACKS[king] & ~board.occupied_co[chess.BLACK]
        and bool(board.attackers_mask(chess.WHITE, king) & board.knights)
        and board.is_checkmate()
    )


def _mated(board: chess.Board, squares: int) -> bool:
    king = board.kings & board.occupied_co[chess.BLACK] & squares
    return bool(king) and board.turn == chess.BLACK and board.is_checkmate()


def _back_rank(board: chess.Board) -> bool:
    if not _mated(board, chess.BB_RANK_8):
        return False
    king = chess.msb(board.kings & board.occupied_co[chess.BLACK])
    givers = board.attackers_mask(chess.WHITE, king) & chess.BB_RANK_8
    wall = board.pieces_mask(chess.PAWN, chess.BLACK) & chess.BB_KING_ATTACKS[king]
    return bool(givers) and chess.popcount(wall) >= 2


def _gun(board: chess.Board) -> bool:
    queens = board.pieces_mask(chess.QUEEN, chess.WHITE)
    rooks = board.pieces_mask(chess.ROOK, chess.WHITE)
    if not queens or chess.popcount(rooks) < 2:
        return False
    for queen in chess.scan_forward(queens):
        ahead = [s for s in range(queen + 8, 64, 8) if board.occupied & chess.BB_SQUARES[s]][:2]
        if len(ahead) == 2 and all(rooks & chess.BB_SQUARES[s] for s in ahead):
            return True
    return False


def _two_pins(board: chess.Board) -> bool:
    men = chess.scan_forward(board.occupied_co[chess.BLACK] & ~board.kings)
    return sum(board.is_pinned(chess.BLACK, square) for square in men) >= 2


def _royal_fork(board: chess.Board) -> bool:
    targets = board.occupied_co[chess.BLACK]
    king, queens = targets & board.kings, targets & board.queens
    if not queens or board.turn == chess.WHITE:
        return False
    knights = chess.scan_forward(board.pieces_mask(chess.KNIGHT, chess.WHITE))
    return any(chess.BB_KNIGHT_ATTACKS[s] & king and chess.BB_KNIGHT_ATTACKS[s] & queens for s in knights)


def _opposite_bishops(board: chess.Board) -> bool:
    if board.queens | board.rooks | board.knights or chess.popcount(board.bishops) != 2:
        return False
    white = board.bishops & board.occupied_co[chess.WHITE]
    return chess.popcount(white) == 1 and chess.popcount(board.bishops & chess.BB_LIGHT_SQUARES) == 1


def _opposition(board: chess.Board) -> bool:
    if board.queens | board.rooks | board.knights | board.bishops or not board.pawns:
        return False
    one, two = chess.scan_forward(board.kings)
    return two - one == 16 or (two - one == 2 and chess.square_rank(one) == chess.square_rank(two))


def _rook_behind(board: chess.Board) -> bool:
    if board.queens | board.bishops | board.knights or chess.popcount(board.rooks) != 2:
        return False
    rook = board.pieces_mask(chess.ROOK, chess.WHITE)
    if chess.popcount(rook) != 1:
        return False
    square = chess.msb(rook)
    ahead = [s for s in range(square + 8, 64, 8) if board.occupied & chess.BB_SQUARES[s]][:1]
    return bool(ahead) and chess.square_rank(ahead[0]) == 6 and board.piece_at(ahead[0]) == _man("P")


def _on(board: chess.Board, men: str) -> bool:
    """Whether the men named in `men` ("Pc3 Pd4") stand on their squares."""
    return all(board.piece_at(chess.parse_square(name[1:])) == _man(name[0]) for name in men.split())


def _three_queens(board: chess.Board) -> bool:
    return chess.popcount(board.queens) >= 3


def _seventh(board: chess.Board) -> bool:
    rooks = board.pieces_mask(chess.ROOK, chess.WHITE) & chess.BB_RANK_7
    return chess.popcount(rooks) >= 2 and bool(board.pieces_mask(chess.KING, chess.BLACK) & chess.BB_RANK_8)


def _corner_knight(board: chess.Board) -> bool:
    return board.fullmove_number >= 12 and bool(board.knights & chess.BB_CORNERS)


def _march(board: chess.Board) -> bool:
    king = board.pieces_mask(chess.KING, chess.WHITE) & (chess.BB_RANK_7 | chess.BB_RANK_8)
    return bool(king) and chess.popcount(board.queens) >= 2


def _stonewall(board: chess.Board) -> bool:
    return board.fullmove_number <= 20 and _on(board, "Pc3 Pd4 Pe3 Pf4")


def _opposite_castling(board: chess.Board) -> bool:
    return bool(board.queens) and _on(board, "Kc1 Rd1 kg8 rf8")


MIDDLE = chess.BB_RANK_3 | chess.BB_RANK_4 | chess.BB_RANK_5 | chess.BB_RANK_6

MOTIFS: dict[str, Motif] = {
    "smothered mate": _smothered,
    "back rank": _back_rank,
    "corner mate": lambda board: _mated(board, chess.BB_CORNERS),
    "open mate": lambda board: _mated(board, MIDDLE),
    "gun": _gun,
    "two pins": _two_pins,
    "royal fork": _royal_fork,
    "opposite bishops": _opposite_bishops,
    "opposition": _opposition,
    "rook behind pawn": _rook_behind,
    "stonewall": _stonewall,
    "pawn chain": lambda board: _on(board, "Pc3 Pd4 Pe5 pd5 pe6"),
    "double fianchetto": lambda board: _on(board, "Bb2 Bg2 Pb3 Pg3"),
    "opposite castling": _opposite_castling,
    "rooks on the seventh": _seventh,
    "corner knight": _corner_knight,
    "king's march": _march,
    "three queens": _three_queens,
    "stalemate": chess.Board.is_stalemate,
}

QUOTAS = {
    "gift h7": 30,
    "gift h2": 24,
    "gift a7": 10,
    "gift a2": 10,
    "smothered mate": 12,
    "back rank": 14,
    "corner mate": 14,
    "open mate": 10,
    "gun": 14,
    "two pins": 16,
    "royal fork": 16,
    "opposite bishops": 14,
    "opposition": 16,
    "rook behind pawn": 14,
    "stonewall": 14,
    "pawn chain": 16,
    "double fianchetto": 10,
    "opposite castling": 14,
    "castling with check": 10,
    "rooks on the seventh": 14,
    "corner knight": 14,
    "king's march": 14,
    "many checks": 16,
    "pawn duos": 20,
    "three queens": 12,
    "stalemate": 10,
    "won by Tal": 12,
}

RARE = {
    "gift h7": re.compile(r"Bxh7\+\s+Kh8|Bh7\+"),
    "gift h2": re.compile(r"Bxh2\+|Bh2\+"),
    "gift a7": re.compile(r"Bx?a7\+"),
    "gift a2": re.compile(r"Bx?a2\+"),
    "smothered mate": re.compile(r"N[a-h1-8x]*[a-h][1-8](#|\s+(1-0|0-1)\s*$)"),
    "back rank": re.compile(r"[RQ][a-h1-8x]*[18]#"),
    "corner mate": re.compile(r"#"),
    "open mate": re.compile(r"K[x]?[a-h][3-6][+\s]*.{0,40}#", re.DOTALL),
    "castling with check": re.compile(r"O-O\+"),
    "three queens": re.compile(r"=Q.*=Q", re.DOTALL),
    "stalemate": re.compile(r"\b[6-9]\d\.\s?K[a-h][1-8]\s+([KQ][a-h1-8]*)?\s*1/2-1/2\s*$"),
    "won by Tal": re.compile(r'\[(White|Black) "Tal,'),
}
"""Move text that promises a motif, for those that one game in `STRIDE` would not show often enough."""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
