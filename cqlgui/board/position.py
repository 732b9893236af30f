"""A chess position: thirteen bitboards, sixty-four man codes and the state that the rules need. Reads and
writes FEN.

A position need not be legal chess: there may be any number of kings (also none), and pawns on any rank. If a
colour has several kings, only the last king in the order a1, b1, ..., h8 can be in check.
"""

from __future__ import annotations

from cqlgui.board import attacks, men, moves, squares
from cqlgui.board.men import Colour, Man
from cqlgui.board.moves import Move
from cqlgui.board.squares import Bitboard, Square
from cqlgui.jit.words import Bytes, Words

START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class Position:
    """A board and its state. `make` changes the position in place. No other method changes it."""

    __slots__ = ("castling", "ep", "fullmove", "halfmove", "men", "squares", "turn")

    men: list[Bitboard]
    """The squares of each man, by man code; entry 0 holds the empty squares."""
    squares: bytearray
    """The man code on each square."""
    turn: Colour
    """The side to move: 0 White, 1 Black."""
    castling: Bitboard
    """The squares of the rooks that may still castle."""
    ep: Square
    """The square that a pawn passed over, if the last move was a double step of this pawn; -1 after any other
    move. The square is set even if no pawn can capture there."""
    halfmove: int
    """Plies since the last capture or pawn move."""
    fullmove: int
    """The number of the next move, as in FEN."""

    def __init__(self) -> None:
        """An empty board, White to move."""
        self.men = [squares.ALL] + [0] * 12
        self.squares = bytearray(64)
        self.turn = men.WHITE
        self.castling = 0
        self.ep = squares.NONE
        self.halfmove = 0
        self.fullmove = 1

    @classmethod
    def start(cls) -> Position:
        """The usual initial position."""
        return _START.copy()

    @classmethod
    def from_fen(cls, fen: str) -> Position:
        """Read a FEN, also with X-FEN or Shredder-FEN castling letters. Missing fields get their usual
        values.

        A castling right is kept only if the rook and the only king of the rook's colour stand on the back
        rank. An en passant square is dropped if a double step of a pawn cannot have passed over this square.
        Raises `ValueError` with a sentence if the text is not a FEN.
        """
        fields = fen.split()
        if not fields:
            raise ValueError("The FEN is empty.")
        if len(fields) > 6:
            raise ValueError(f"A FEN has six fields; this one has {len(fields)}.")
        position = cls()
        _read_placement(position, fields[0])
        fields += ["w", "-", "-", "0", "1"][len(fields) - 1 :]
        if fields[1] not in ("w", "b"):
            raise ValueError(f"The side to move in a FEN is w or b, not {fields[1]!r}.")
        position.turn = men.WHITE if fields[1] == "w" else men.BLACK
        position.castling = _read_castling(position, fields[2])
        position.ep = _read_en_passant(position, fields[3])
        position.halfmove = _read_count(fields[4], "halfmove clock")
        position.fullmove = max(_read_count(fields[5], "move number"), 1)
        return position

    def fen(self) -> str:
        """The FEN. Castling is written as in X-FEN: a file letter replaces K or Q only where K or Q would be
        ambiguous.

        After every double step of a pawn, the en passant field names the square that the pawn passed over.
        """
        ep = squares.NAMES[self.ep] if self.ep >= 0 else "-"
        turn = "b" if self.turn else "w"
        return f"{self.placement()} {turn} {castling_field(self)} {ep} {self.halfmove} {self.fullmove}"

    def placement(self) -> str:
        """The first field of the FEN."""
        return placement_field(self.squares)

    def copy(self) -> Position:
        """An independent position with the same content."""
        twin = _new(Position)
        twin.men = self.men[:]
        twin.squares = self.squares[:]
        twin.turn = self.turn
        twin.castling = self.castling
        twin.ep = self.ep
        twin.halfmove = self.halfmove
        twin.fullmove = self.fullmove
        return twin

    def make(self, move: Move) -> None:
        """Play a legal or an illegal move in place.

        Raises `ValueError` for a move that cannot be played: no man on the origin, castling without king and
        rook, a promotion of a man other than a pawn, or a `BACK` word.
        """
        turn = self.turn
        outcome = play(self.men, self.squares, move)
        if outcome < 0:
            raise ValueError(f"The move {moves.uci(turn, move)} cannot be played in {self.fen()}.")
        if self.castling:
            self.castling &= ~(1 << (move & 63) | 1 << (move >> 6 & 63))
            if outcome & _KING_MOVED:
                self.castling &= ~_BACK_RANKS[turn]
        self.ep = (outcome & 127) - 1
        self.halfmove = 0 if outcome & _IRREVERSIBLE else self.halfmove + 1
        self.fullmove += turn
        self.turn = 1 - turn

    def key(self) -> tuple[bytes, Colour, Bitboard, Square]:
        """Board, side to move, castling rights and en passant square: equal for equal positions."""
        return bytes(self.squares), self.turn, self.castling, self.ep

    @property
    def white(self) -> Bitboard:
        """The squares of the white men."""
        table = self.men
        return table[1] | table[2] | table[3] | table[4] | table[5] | table[6]

    @property
    def black(self) -> Bitboard:
        """The squares of the black men."""
        table = self.men
        return table[7] | table[8] | table[9] | table[10] | table[11] | table[12]

    @property
    def occupied(self) -> Bitboard:
        """The squares that hold a man."""
        return squares.ALL ^ self.men[0]

    def __repr__(self) -> str:
        return f"Position.from_fen({self.fen()!r})"


def attackers(position: Position, square: Square, by_colour: Colour) -> Bitboard:
    """The squares of the men of a colour that attack a square. Pins and the side to move do not matter."""
    return attackers_given(position.men, square, by_colour, squares.ALL ^ position.men[0])


def in_check(position: Position) -> bool:
    """True when the king of the side to move is attacked; False when this side has no king."""
    king = king_square(position.men, position.turn)
    return king >= 0 and attackers(position, king, 1 - position.turn) != 0


def king_square(table: Words, colour: Colour) -> Square:
    """The square of a colour's king; -1 if there is no king. If there are several kings, the last king
    counts."""
    return table[12 if colour else 6].bit_length() - 1


def attackers_given(table: Words, square: Square, by_colour: Colour, occupied: Bitboard) -> Bitboard:
    """Like `attackers`, but takes the bitboards of a position. `occupied` may differ from these bitboards:
    for example, the king may be left out."""
    base = 6 * by_colour
    queens = table[base + 5]
    found = (
        attacks.PAWN_ATTACKS[square if by_colour else 64 + square] & table[base + 1]
        | attacks.KNIGHT_ATTACKS[square] & table[base + 2]
        | attacks.KING_ATTACKS[square] & table[base + 6]
    )
    bishops = table[base + 3] | queens
    if bishops & (attacks.DIAGONAL_LINES[square] | attacks.COUNTER_LINES[square]):
        found |= attacks.bishop_attacks(square, occupied) & bishops
    rooks = table[base + 4] | queens
    if rooks & (attacks.RANK_LINES[square] | attacks.FILE_LINES[square]):
        found |= attacks.rook_attacks(square, occupied) & rooks
    return found


def play(table: Words, board: Bytes, move: Move) -> int:
    """Play a legal or an illegal move on a board. Both the bitboards and the man codes are changed.

    Returns a packed number: bits 0-6 the en passant square plus one, bit 7 "capture or pawn move", bit 8 "a
    king moved". Returns -1 and leaves the board unchanged for a move that cannot be played.
    """
    start = move & 63
    end = move >> 6 & 63
    kind = move >> 12
    if kind == 1:
        return 0
    man = board[start]
    if man == 0 or start == end:
        return -1
    start_bit = 1 << start
    end_bit = 1 << end
    if kind == 0:
        captured = board[end]
        table[man] ^= start_bit | end_bit
        board[start] = 0
        board[end] = man
        outcome = 0
        if captured:
            table[captured] ^= end_bit
            table[0] ^= start_bit
            outcome = 128
        else:
            table[0] ^= start_bit | end_bit
        if man == 1:
            return 129 + start + 8 if end == start + 16 and start >> 3 == 1 else 128
        if man == 7:
            return 129 + start - 8 if end == start - 16 and start >> 3 == 6 else 128
        if man == 6 or man == 12:
            outcome |= 256
        return outcome
    if kind == 2:
        rook = board[end]
        if ((man != 6 or rook != 4) and (man != 12 or rook != 10)) or start >> 3 != end >> 3:
            return -1
        king_end = start & 56 | (6 if end > start else 2)
        rook_end = start & 56 | (5 if end > start else 3)
        landing = 1 << king_end | 1 << rook_end
        if landing & ~(table[0] | start_bit | end_bit):
            return -1
        table[man] ^= start_bit
        table[rook] ^= end_bit
        table[0] |= start_bit | end_bit
        board[start] = 0
        board[end] = 0
        table[man] |= 1 << king_end
        table[rook] |= 1 << rook_end
        table[0] ^= landing
        board[king_end] = man
        board[rook_end] = rook
        return 256
    if man != 1 and man != 7:
        return -1
    if kind == 3:
        taken = start & 56 | end & 7
        captured = board[taken]
        if board[end] or taken == start:
            return -1
        if captured:
            table[captured] ^= 1 << taken
            table[0] ^= 1 << taken
            board[taken] = 0
        table[man] ^= start_bit | end_bit
        table[0] ^= start_bit | end_bit
        board[start] = 0
        board[end] = man
        return 128
    if kind > 7:
        return -1
    captured = board[end]
    promoted = man + kind - 3
    table[man] ^= start_bit
    table[captured] ^= end_bit
    table[promoted] ^= end_bit
    table[0] ^= start_bit
    board[start] = 0
    board[end] = promoted
    return 128


def placement_field(board: bytearray) -> str:
    """The first field of the FEN. `board` has the man on each square, a1 first; 0 means an empty square."""
    letters = board.translate(_LETTERS).decode()
    field = "/".join([letters[begin : begin + 8] for begin in range(56, -8, -8)])
    # Each empty square has the digit 1 so far. Long runs come first, so that they are not split.
    for run, digit in _RUNS:
        field = field.replace(run, digit)
    return field


_LETTERS = bytes.maketrans(bytes(range(13)), b"1" + men.SYMBOLS[1:].encode())
_RUNS = [("1" * length, str(length)) for length in range(8, 1, -1)]


def castling_field(position: Position) -> str:
    """The castling field of the FEN, `-` when nobody may castle."""
    if not position.castling:
        return "-"
    field = ""
    for colour in (men.WHITE, men.BLACK):
        king = king_square(position.men, colour)
        back_rank = _BACK_RANKS[colour]
        rooks = position.men[men.WR + 6 * colour] & back_rank
        for rook in sorted(squares.bits(position.castling & back_rank), reverse=True):
            queenside = rook < king
            outer = rooks & ((1 << rook) - 1 if queenside else ~((2 << rook) - 1))
            letter = "abcdefgh"[rook & 7] if outer else "q" if queenside else "k"
            field += letter if colour else letter.upper()
    return field or "-"


_IRREVERSIBLE = 128
_KING_MOVED = 256
_BACK_RANKS = (squares.RANKS[0], squares.RANKS[7])
_new = object.__new__


def _read_placement(position: Position, text: str) -> None:
    rows = text.split("/")
    if len(rows) != 8:
        raise ValueError(f"A FEN describes eight ranks; this one has {len(rows)}.")
    for row, rank in zip(rows, range(7, -1, -1), strict=True):
        file = 0
        after_digit = False
        for symbol in row:
            if symbol in "12345678":
                if after_digit:
                    raise ValueError(
                        f"Two numbers of empty squares follow each other on rank {rank + 1} of the FEN."
                    )
                file += int(symbol)
                after_digit = True
                continue
            after_digit = False
            if symbol == "~" and file and position.squares[8 * rank + file - 1]:
                # A `~` marks a promoted man in some variants. This program ignores the `~`.
                continue
            man: Man = men.SYMBOLS.find(symbol)
            if man <= 0:
                raise ValueError(f"{symbol!r} on rank {rank + 1} of the FEN is neither a man nor a number.")
            if file > 7:
                raise ValueError(f"Rank {rank + 1} of the FEN has more than eight squares.")
            square = 8 * rank + file
            position.squares[square] = man
            position.men[man] |= 1 << square
            position.men[0] ^= 1 << square
            file += 1
        if file != 8:
            raise ValueError(f"Rank {rank + 1} of the FEN has {file} squares instead of eight.")


def _read_castling(position: Position, text: str) -> Bitboard:
    if text == "-":
        return 0
    rights = 0
    for letter in text:
        if letter not in "KQABCDEFGHkqabcdefgh":
            raise ValueError(
                f"{letter!r} in the castling field of the FEN is neither K, Q nor the letter of a file."
            )
        colour = men.WHITE if letter.isupper() else men.BLACK
        back_rank = _BACK_RANKS[colour]
        kings = position.men[men.WK + 6 * colour]
        if kings.bit_count() != 1 or not kings & back_rank:
            continue
        rooks = position.men[men.WR + 6 * colour] & back_rank
        queenside = rooks & (kings - 1)
        kingside = rooks & ~queenside
        name = letter.lower()
        if name == "q":
            rights |= queenside & -queenside
        elif name == "k":
            rights |= 1 << kingside.bit_length() - 1 if kingside else 0
        else:
            rights |= rooks & squares.FILES["abcdefgh".index(name)]
    for colour in (men.WHITE, men.BLACK):
        # If several rooks stand on the named side of the king, the outermost rook is meant.
        king = position.men[men.WK + 6 * colour]
        named = rights & _BACK_RANKS[colour]
        if named.bit_count() > 1:
            queenside = named & (king - 1)
            kingside = named & ~queenside
            rights &= ~named
            rights |= queenside & -queenside
            rights |= 1 << kingside.bit_length() - 1 if kingside else 0
    return rights


def _read_en_passant(position: Position, text: str) -> Square:
    if text == "-":
        return squares.NONE
    try:
        square = squares.parse_square(text)
    except ValueError:
        raise ValueError(f"The en passant field of the FEN is {text!r}, neither a square nor '-'.") from None
    white = position.turn == men.WHITE
    pawn = men.BP if white else men.WP
    step = 8 if white else -8
    if square >> 3 != (5 if white else 2):
        return squares.NONE
    if position.squares[square] or position.squares[square + step] or position.squares[square - step] != pawn:
        return squares.NONE
    return square


def _read_count(text: str, what: str) -> int:
    if text == "-":
        return 0
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(f"The {what} of the FEN is {text!r}, not a number.")
    return int(text)


_START = Position.from_fen(START_FEN)
