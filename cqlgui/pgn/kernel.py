"""The fast reader, compiled to machine code: games, tags, moves with variations, in one pass over the bytes.

The kernel reads fewer forms than the lenient reader (`split` and `reader`). The kernel takes a game only if
nothing in the game is unusual. For a game that the kernel takes, the lenient reader returns the same start,
length, line, moves and tags, and no problem. At any other game the kernel stops with a reason (`Why`). The
caller passes this game to the lenient reader and continues after the game. The kernel takes:

    game     ::= tags movetext result blanks      with a line end in the blanks and then `[`, or the end
    tags     ::= { "[" name blanks '"' value '"]' blanks line-end blanks }   escapes in `TEXT_TAGS` only
    movetext ::= { number | move | $glyph | !? | comment | "(" movetext ")" }
    move     ::= strict SAN, O-O, O-O-O, `--`, Z0
    comment  ::= "{...}", "; ...", "% ..." at the beginning of a line

`kernel_moves` finds the move that a text means. A move that leaves the mover's king in check is refused. A
FEN is taken only in the form that python-chess writes. Line ends are LF or CRLF. Bytes above 127 may occur in
tags and comments. The larger functions are compiled separately. If these functions were inlined into one
function, compilation would take three times as long, and the reader would be no faster.
"""

from __future__ import annotations

import enum

from cqlgui.board import attacks, directions, men, moves, squares
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Halves, Ints, Shorts, Word, Words
from cqlgui.pgn import kernel_moves

UNIT = kernels.Unit("pgn-reader", [attacks, directions, men, moves, squares, kernel_moves])


class Why(enum.IntEnum):
    """Why the kernel stopped. The first three reasons are no fault of a game. Each of the other reasons names
    something that the kernel does not read."""

    END = 0
    """The end of the text."""
    FULL = 1
    """There is no room for another game."""
    MORE = 2
    """The next game is not complete in these bytes."""
    NO_TAG = 3
    TAG = 4
    TAG_TWICE = 5
    RESULT_TAG = 6
    FEN = 7
    VARIANT = 8
    BYTE = 9
    SECOND_START = 11
    NUMBER = 12
    MOVE = 13
    GLYPH = 14
    COMMENT = 15
    VARIATION = 16
    RESULT = 17
    AFTER_RESULT = 18
    TOO_LARGE = 19


ROW = 32
"""How many numbers a row has. There is one row for each game. The constants below are places in a row."""
START = 0
"""The first byte of the game in the data."""
LENGTH = 1
LINE = 2
END_LINE = 3
"""The line of the byte after the game."""
FIRST_WORD = 4
WORDS = 5
PLIES = 6
POSITIONS = 7
FLAGS = 8
RESULT = 9
"""The result at the end of the text, as a place in `RESULTS`."""
FEN = 10
"""Place and length of the FEN; length 0 if the game has none."""
MORE = 12
"""The other tags as JSON: place and length in the array of texts; length 0 if the game has no other tags."""
ELO = 14
"""White's and Black's rating; 0 if there is no number."""
TAGS = 16
"""Place and length of each of `TEXT_TAGS`; length -1 if the game lacks the tag."""
TEXT_TAGS = ("White", "Black", "Result", "Date", "Event", "Site", "Round", "ECO")

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")

CHESS960 = 1
VARIATIONS = 2
COMMENTS = 4
HIGH_BYTES = 8
"""The game has bytes above 127, so its encoding must be found."""
SHORT_FEN = 16
"""The FEN ends with its fourth field; ` 0 1` must be appended."""
ZERO_FEN = 32
"""The FEN ends with the move number 0; 1 is meant."""
ESCAPES = 64
"""In one of `TEXT_TAGS` a backslash escapes a quote or a backslash."""

PADDING = 64
"""The number of NULs that must follow the data, because every loop over the data ends at a NUL."""
NODES = 1 << 16
"""The most moves of a game, including variations."""
SCRATCH_WORDS = 64 * 32
SCRATCH_HALVES = 5 * NODES
SCRATCH_INTS = 128

_MOST_DEPTH = 62
_MOST_TAGS = 50
_LONGEST_TAG = 1 << 15
_LONGEST_GAME = 1 << 22
_DOUBTFUL = -2
_FRAME = 32
_BEFORE = 16
_NODE = 11


def _packed(text: str) -> Word:
    return int.from_bytes(text.encode("ascii"), "little")


_WHITE, _BLACK, _DATE, _EVENT = (_packed(name) for name in ("White", "Black", "Date", "Event"))
_SITE, _ROUND, _ECO, _RESULT = (_packed(name) for name in ("Site", "Round", "ECO", "Result"))
_WHITE_ELO, _BLACK_ELO, _FEN, _VARIANT = (
    _packed(name) for name in ("WhiteElo", "BlackElo", "FEN", "Variant")
)
_FEN_SMALL, _RESULT_SMALL, _VARIANT_SMALL = (_packed(name) for name in ("fen", "result", "variant"))
STANDARD_NAMES = ("", "standard", "normal", "regular", "chess", "orthodox", "classical", "fromposition")
CHESS960_NAMES = ("chess960", "960", "fischerandom", "fischerrandom", "frc", "dfrc")
_STANDARD_LOW: tuple[Word, ...] = tuple(_packed(name[:8]) for name in STANDARD_NAMES)
_STANDARD_HIGH: tuple[Word, ...] = tuple(_packed(name[8:]) for name in STANDARD_NAMES)
_CHESS960_LOW: tuple[Word, ...] = tuple(_packed(name[:8]) for name in CHESS960_NAMES)
_CHESS960_HIGH: tuple[Word, ...] = tuple(_packed(name[8:]) for name in CHESS960_NAMES)

# The kind of man of each letter: 1 pawn to 6 king. Small letters, as in a FEN, have 8 more.
_KINDS = tuple(
    (" PNBRQK".index(chr(byte)) if chr(byte) in "PNBRQK" else 0)
    or (" pnbrqk".index(chr(byte)) + 8 if chr(byte) in "pnbrqk" else 0)
    for byte in range(256)
)
_NAME_BYTES = tuple(int(chr(byte).isalnum() or chr(byte) in "_+#=:-") * (byte < 128) for byte in range(256))
# What the first character of a move means: 2 knight to 6 king, 1 a pawn's file, 7 castling or a null move.
_MOVERS = tuple(
    (" PNBRQK".index(chr(byte)) if chr(byte) in "NBRQK" else 0)
    or int(chr(byte) in "abcdefgh")
    or 7 * (chr(byte) in "O-Z")
    for byte in range(256)
)
# The characters of a move.
_IN_MOVE = tuple(int(chr(byte) in "abcdefghKQRBNO12345678x=+#-Z0") for byte in range(256))
_PROMOTED = tuple(kind if 2 <= kind <= 5 else 0 for kind in _KINDS)
_DIGITS = tuple(int(48 <= byte <= 57) for byte in range(256))
_BLANKS = tuple(int(byte == 32 or 9 <= byte <= 13) for byte in range(256))
# The characters that may follow a move, a glyph or the number of a glyph.
_ENDING = tuple(int(chr(byte) in " \t\n\r{()!?$;") for byte in range(256))
# The bytes of a comment: 0 plain text, 1 blank, 2 needs a closer look, 3 above 127.
_IN_COMMENT = tuple(
    3 if byte > 127 else 1 if chr(byte) in " \t" else 2 if byte < 32 or chr(byte) == "}" else 0
    for byte in range(256)
)

_START_POSITION: tuple[Word, ...] = (
    0x00FF00000000FF00, 0x4200000000000042, 0x2400000000000024, 0x8100000000000081, 0x0800000000000008,
    0x1000000000000010, 0x000000000000FFFF, 0xFFFF000000000000, 0x8100000000000081, 0, 0, 0,
)  # fmt: skip
_CORNERS: Word = 0x8100000000000081


@UNIT.kernel
def read_games(
    data: Bytes,
    begin: int,
    end: int,
    final: bool,
    skim: bool,
    line: int,
    rows: Ints,
    most_rows: int,
    packed: Shorts,
    most_words: int,
    texts: Bytes,
    most_texts: int,
    scratch: Words,
    nodes: Halves,
    notes: Ints,
) -> int:
    """Read games from byte `begin` to byte `end`. `begin` is 0 or the end of a game. Byte `begin` is on line
    `line`. Returns the number of games.

    `final` says that nothing follows the data. With `skim`, the moves are passed over: the kernel does not
    know whether they are legal, `packed` gets nothing, and the numbers of words, plies and positions are 0.
    `notes` receives: 0 the reason for stopping (a `Why`), 1 and 2
    the end and the line of the last game taken, 3 the number of words used in `packed`, 4 the number of bytes
    used in `texts`, 5 the place of the byte where the kernel stopped. `scratch`, `nodes` and `notes` have
    `SCRATCH_WORDS`, `SCRATCH_HALVES` and `SCRATCH_INTS` elements. `PADDING` NULs follow `end`.
    """
    count = 0
    used = 0
    written = 0
    position = begin
    notes[1] = begin
    notes[2] = line
    notes[3] = 0
    notes[4] = 0
    notes[5] = begin
    while True:
        # Skip the blanks between games.
        while True:
            byte = int(data[position])
            if byte == 32 or byte == 9:
                position += 1
            elif byte == 10:
                position += 1
                line += 1
            elif byte == 13 and data[position + 1] == 10:
                position += 1
            else:
                break
        if position >= end:
            notes[0] = Why.END if final else Why.MORE
            return count
        if count >= most_rows:
            notes[0] = Why.FULL
            return count
        row = count * ROW
        rows[row + START] = position
        rows[row + LINE] = line
        rows[row + FIRST_WORD] = used
        notes[5] = position
        notes[6] = written
        why = _read_game(
            data, end, skim, rows, row, packed, most_words, texts, most_texts, scratch, nodes, notes
        )
        if why == 0:
            # The splitter ends the game here only if the next game begins on a line of its own.
            position = int(rows[row + START] + rows[row + LENGTH])
            line = int(rows[row + END_LINE])
            ahead = position
            lines = 0
            while True:
                byte = int(data[ahead])
                if byte == 32 or byte == 9:
                    ahead += 1
                elif byte == 10:
                    ahead += 1
                    lines += 1
                elif byte == 13 and data[ahead + 1] == 10:
                    ahead += 1
                else:
                    break
            if ahead >= end:
                if not final:
                    why = Why.MORE
            elif byte != 91 or lines == 0:
                notes[5] = ahead
                why = Why.AFTER_RESULT
        if why:
            # Near the end of the data, a text that looks wrong may just be incomplete.
            if not final and why != Why.FULL and notes[5] >= end - PADDING:
                why = Why.MORE
            notes[0] = why
            return count
        count += 1
        used = int(rows[row + FIRST_WORD] + rows[row + WORDS])
        written = int(notes[6])
        notes[1] = position
        notes[2] = line
        notes[3] = used
        notes[4] = written


def _read_game(
    data: Bytes,
    end: int,
    skim: bool,
    rows: Ints,
    row: int,
    packed: Shorts,
    most_words: int,
    texts: Bytes,
    most_texts: int,
    board: Words,
    nodes: Halves,
    notes: Ints,
) -> int:
    """Read the game that begins at the row's start. Returns 0 or a `Why`. If the result is a `Why`, note 5
    has the place of the fault."""
    why = _read_tags(data, rows, row, texts, most_texts, notes)
    if why:
        return why
    if not skim:
        why = _set_up(data, rows, row, board, notes)
        if why:
            return why
    why = _read_moves(data, skim, rows, row, packed, most_words, board, nodes, notes)
    if why:
        return why
    if rows[row + LENGTH] > _LONGEST_GAME:
        return Why.TOO_LARGE
    return 0


# --- tags ---------------------------------------------------------------------------------------------------


@words.apart
def _read_tags(data: Bytes, rows: Ints, row: int, texts: Bytes, most_texts: int, notes: Ints) -> int:
    """Read the tag section. Note 5 becomes the place after the section. The row's `END_LINE` becomes the line
    of this place.

    Notes 8 and 9 become the place and the length of the value of the Variant tag. Length 0 means that there
    is no Variant tag.
    """
    position = int(rows[row + START])
    line = int(rows[row + LINE])
    rows[row + FLAGS] = 0
    rows[row + RESULT] = -1
    rows[row + FEN] = 0
    rows[row + FEN + 1] = 0
    rows[row + ELO] = 0
    rows[row + ELO + 1] = 0
    for place in range(8):
        rows[row + TAGS + 2 * place] = 0
        rows[row + TAGS + 2 * place + 1] = -1
    notes[9] = 0
    seen = 0
    others = 0
    begun = int(notes[6])
    out = begun
    high = words.word(0)
    escapes = 0
    if data[position] != 91:
        return Why.NO_TAG
    while data[position] == 91:
        notes[5] = position
        if others >= _MOST_TAGS:
            return Why.TOO_LARGE
        name = position + 1
        position = name
        key = words.word(0)
        while _NAME_BYTES[data[position]]:
            if position - name < 8:
                key |= data[position] << (8 * (position - name))
            position += 1
        name_length = position - name
        if name_length == 0 or name_length > 200:
            return Why.TAG
        blanks = position
        while data[position] == 32 or data[position] == 9:
            position += 1
        if position == blanks or data[position] != 34:
            return Why.TAG
        value = position + 1
        position = value
        byte = data[position]
        plain = True
        escaped = False
        while byte != 34 and byte != 0 and byte != 10 and byte != 13:
            if byte < 32:
                plain = False
            elif byte == 92:
                # A backslash escapes only a quote or a backslash. Before any other character it is an
                # ordinary character.
                plain = False
                position += 1
                byte = data[position]
                if byte == 34 or byte == 92:
                    escaped = True
                elif byte < 32:
                    break
            high |= byte
            position += 1
            byte = data[position]
        length = position - value
        if byte != 34 or data[position + 1] != 93 or length > _LONGEST_TAG:
            notes[5] = position
            return Why.TAG
        position += 2
        while data[position] == 32 or data[position] == 9:
            position += 1
        if data[position] == 13:
            position += 1
        if data[position] != 10:
            notes[5] = position
            return Why.TAG
        # Find the place of the tag.
        place = -1
        once = 0
        kept = True
        if name_length <= 8:
            if key == _WHITE:
                place = 0
            elif key == _BLACK:
                place = 1
            elif key == _RESULT:
                place = 2
                rows[row + RESULT] = _result_of(data, value, length)
                if rows[row + RESULT] == _DOUBTFUL:
                    return Why.RESULT_TAG
            elif key == _DATE:
                place = 3
            elif key == _EVENT:
                place = 4
            elif key == _SITE:
                place = 5
            elif key == _ROUND:
                place = 6
            elif key == _ECO:
                place = 7
            elif key in (_WHITE_ELO, _BLACK_ELO):
                side = 1 if key == _BLACK_ELO else 0
                once = 1 << 8 + side
                number = _number_of(data, value, length)
                rows[row + ELO + side] = number
                # A rating stays among the other tags if the number does not restore the rating's text
                # exactly.
                kept = number == 0 or data[value] == 48
            elif key == _FEN:
                once = 1 << 10
                rows[row + FEN] = value
                rows[row + FEN + 1] = length
            elif key == _VARIANT:
                once = 1 << 11
                notes[8] = value
                notes[9] = length
            else:
                small = key | 0x2020202020202020
                if (
                    (name_length == 3 and small & 0xFFFFFF == _FEN_SMALL)
                    or (name_length == 6 and small & 0xFFFFFFFFFFFF == _RESULT_SMALL)
                    or (name_length == 7 and small & 0xFFFFFFFFFFFFFF == _VARIANT_SMALL)
                ):
                    return Why.TAG
        if escaped:
            if place < 0 or place == 2:
                return Why.TAG
            escapes = ESCAPES
        if place >= 0:
            once = 1 << place
            rows[row + TAGS + 2 * place] = value
            rows[row + TAGS + 2 * place + 1] = length
        elif kept:
            if not plain:
                # JSON would need another spelling of this value, so the lenient reader must read the game.
                return Why.TAG
            # From note 20 on, there is a pair of notes for each earlier tag: the place and the length of its
            # name.
            for other in range(others):
                if notes[20 + 2 * other + 1] == name_length:
                    same = True
                    before = int(notes[20 + 2 * other])
                    for index in range(name_length):
                        if data[before + index] != data[name + index]:
                            same = False
                            break
                    if same:
                        return Why.TAG_TWICE
            notes[20 + 2 * others] = name
            notes[20 + 2 * others + 1] = name_length
            others += 1
            if out + name_length + length + 16 > most_texts:
                return Why.FULL
            out = _write_pair(data, name, name_length, value, length, texts, out, out == begun)
        if seen & once:
            return Why.TAG_TWICE
        seen |= once
        # Skip the blanks and empty lines before the next tag or the moves.
        while True:
            byte = data[position]
            if byte == 10:
                line += 1
                position += 1
            elif byte == 32 or byte == 9 or (byte == 13 and data[position + 1] == 10):
                position += 1
            else:
                break
    if out > begun:
        texts[out] = 125
        out += 1
    rows[row + FLAGS] = escapes | (HIGH_BYTES if high & 128 else 0)
    rows[row + MORE] = begun
    rows[row + MORE + 1] = out - begun
    rows[row + END_LINE] = line
    notes[5] = position
    notes[6] = out
    return 0


@words.apart
def _write_pair(
    data: Bytes, name: int, name_length: int, value: int, length: int, texts: Bytes, out: int, first: bool
) -> int:
    """Append a tag to the JSON text that ends at `out`. Returns the new end."""
    if first:
        texts[out] = 123
        out += 1
    else:
        texts[out] = 44
        texts[out + 1] = 32
        out += 2
    texts[out] = 34
    out += 1
    for index in range(name_length):
        texts[out + index] = data[name + index]
    out += name_length
    texts[out] = 34
    texts[out + 1] = 58
    texts[out + 2] = 32
    texts[out + 3] = 34
    out += 4
    for index in range(length):
        texts[out + index] = data[value + index]
    out += length
    texts[out] = 34
    return out + 1


def _result_of(data: Bytes, at: int, length: int) -> int:
    """The place in `RESULTS` of a Result tag's value. Returns -1 if the value is no result, and `_DOUBTFUL`
    if the lenient reader may accept the value as a result."""
    if length == 0:
        return -1
    first = int(data[at])
    if length == 3 and first == 49 and data[at + 1] == 45 and data[at + 2] == 48:
        return 0
    if length == 3 and first == 48 and data[at + 1] == 45 and data[at + 2] == 49:
        return 1
    if length == 7 and _is_draw(data, at):
        return 2
    if length == 1 and first == 42:
        return 3
    # The lenient reader accepts blanks around a result, and `1/2` for a draw.
    last = int(data[at + length - 1])
    if 32 < first < 127 and 32 < last < 127 and not (length == 3 and first == 49 and data[at + 1] == 47):
        return -1
    return _DOUBTFUL


def _is_draw(data: Bytes, at: int) -> bool:
    """Whether `1/2-1/2` begins here."""
    return (
        data[at] == 49
        and data[at + 1] == 47
        and data[at + 2] == 50
        and data[at + 3] == 45
        and data[at + 4] == 49
        and data[at + 5] == 47
        and data[at + 6] == 50
    )


def _number_of(data: Bytes, at: int, length: int) -> int:
    """The value of a number of at most five digits; 0 for any other text."""
    if length > 5:
        return 0
    number = 0
    for index in range(length):
        digit = int(data[at + index]) - 48
        if digit < 0 or digit > 9:
            return 0
        number = number * 10 + digit
    return number


# --- the start ----------------------------------------------------------------------------------------------


@words.apart
def _set_up(data: Bytes, rows: Ints, row: int, board: Words, notes: Ints) -> int:
    """Set up the start position that the tags describe."""
    variant = _variant(data, int(notes[8]), int(notes[9]))
    if variant < 0:
        return Why.VARIANT
    if rows[row + FEN + 1] == 0:
        if variant:
            return Why.VARIANT
        for place in range(12):
            board[place] = _START_POSITION[place]
        return 0
    found = _read_fen(data, int(rows[row + FEN]), int(rows[row + FEN + 1]), board)
    if found < 0:
        return Why.FEN
    rows[row + FLAGS] = rows[row + FLAGS] | found | (CHESS960 if variant else 0)
    return 0


@words.apart
def _variant(data: Bytes, at: int, length: int) -> int:
    """0 for standard chess, 1 for Chess960, -1 for an unknown name."""
    low = words.word(0)
    high = words.word(0)
    size = 0
    for index in range(length):
        byte = data[at + index]
        if byte > 127:
            return -1
        if 65 <= byte <= 90:
            byte += 32
        if 97 <= byte <= 122 or 48 <= byte <= 57:
            if size < 8:
                low |= byte << (8 * size)
            elif size < 16:
                high |= byte << (8 * size - 64)
            else:
                return -1
            size += 1
    for index in range(len(_STANDARD_LOW)):
        if low == _STANDARD_LOW[index] and high == _STANDARD_HIGH[index]:
            return 0
    for index in range(len(_CHESS960_LOW)):
        if low == _CHESS960_LOW[index] and high == _CHESS960_HIGH[index]:
            return 1
    return -1


@words.apart
def _read_fen(data: Bytes, at: int, length: int, board: Words) -> int:
    """Set up a FEN in the form that python-chess writes. Returns -1 for any other text. For a FEN in this
    form, the result has flags: `CHESS960` if the castling is not the usual one, `SHORT_FEN` if the clocks are
    missing, and `ZERO_FEN` if the move number is 0."""
    stop = at + length
    for place in range(12):
        board[place] = 0
    rank = 7
    file = 0
    after_digit = False
    while True:
        byte = int(data[at])
        kind = int(_KINDS[byte])
        if 49 <= byte <= 56:
            if after_digit:
                return -1
            file += byte - 48
            after_digit = True
        elif kind:
            if file > 7:
                return -1
            bit = words.word(1 << (8 * rank + file))
            black = kind >> 3
            board[(kind & 7) - 1] = board[(kind & 7) - 1] | bit
            board[6 + black] = board[6 + black] | bit
            file += 1
            after_digit = False
        else:
            if file != 8:
                return -1
            if byte == 47 and rank > 0:
                rank -= 1
                file = 0
                after_digit = False
            elif byte == 32 and rank == 0:
                break
            else:
                return -1
        if file > 8:
            return -1
        at += 1
    if (board[5] & board[6]).bit_count() != 1 or (board[5] & board[7]).bit_count() != 1:
        return -1
    at += 1
    turn = int(data[at])
    if (turn != 119 and turn != 98) or data[at + 1] != 32:
        return -1
    black = 1 if turn == 98 else 0
    board[10] = black
    at += 2
    # Castling: `-`, or some of KQkq in this order.
    found = 0
    if data[at] == 45:
        at += 1
    else:
        before = 0
        while data[at] != 32:
            byte = int(data[at])
            order = 1 if byte == 75 else 2 if byte == 81 else 3 if byte == 107 else 4 if byte == 113 else 0
            if order <= before:
                return -1
            before = order
            side = 1 if order > 2 else 0
            back_rank = words.word(0xFF << 56 * side)
            own = board[6 + side]
            king = board[5] & own & back_rank
            rooks = board[3] & own & back_rank
            if not king or not rooks:
                return -1
            if order == 1 or order == 3:
                rook = words.word(1 << words.highest(rooks))
                if rook < king:
                    return -1
            else:
                rook = rooks & -rooks
                if rook > king:
                    return -1
            if rook & ~_CORNERS or king & 0xEFFFFFFFFFFFFFEF:
                found = CHESS960
            board[8] = board[8] | rook
            at += 1
        if before == 0:
            return -1
    if data[at] != 32:
        return -1
    at += 1
    if data[at] == 45:
        at += 1
    else:
        file = int(data[at]) - 97
        rank = int(data[at + 1]) - 49
        if file < 0 or file > 7 or rank != 5 - 3 * black:
            return -1
        square = 8 * rank + file
        step = 8 - 16 * black
        empty = words.word(1 << square) | words.word(1 << square + step)
        if (board[6] | board[7]) & empty:
            return -1
        if not board[0] & board[7 - black] & words.word(1 << square - step):
            return -1
        board[9] = square + 1
        at += 2
    if at == stop:
        return found | SHORT_FEN
    for least in range(2):
        if data[at] != 32:
            return -1
        at += 1
        first = int(data[at])
        digits = 0
        while _DIGITS[data[at]]:
            digits += 1
            at += 1
        if digits == 0 or digits > 4 or (first == 48 and digits > 1):
            return -1
        if least and first == 48:
            found |= ZERO_FEN
    return found if at == stop else -1


# --- moves --------------------------------------------------------------------------------------------------


@words.apart
def _read_moves(
    data: Bytes,
    skim: bool,
    rows: Ints,
    row: int,
    packed: Shorts,
    most_words: int,
    board: Words,
    nodes: Halves,
    notes: Ints,
) -> int:
    """Read the movetext that begins at the place in note 5, and fill in the rest of the row."""
    position = int(notes[5])
    line = int(rows[row + END_LINE])
    flags = int(rows[row + FLAGS])
    first = int(rows[row + FIRST_WORD])
    if data[position] == 37:
        return Why.BYTE
    base = 0
    count = 0
    board[_NODE] = 0
    may_open = False
    found = -1
    high = words.word(0)
    while True:
        byte = int(data[position])
        if byte == 32:
            position += 1
        elif skim and _MOVERS[byte]:
            while _IN_MOVE[data[position]]:
                position += 1
            if not _ENDING[data[position]]:
                notes[5] = position
                return Why.MOVE
            may_open = True
        elif _MOVERS[byte]:
            if count + 1 >= NODES:
                return Why.TOO_LARGE
            if first + count >= most_words:
                return Why.FULL
            for place in range(12):
                board[base + _BEFORE + place] = board[base + place]
            played = _read_move(data, position, board, base)
            notes[5] = position
            if played < 0:
                return Why.MOVE
            position += played >> 16
            if not _ENDING[data[position]]:
                notes[5] = position
                return Why.MOVE
            packed[first + count] = played & 0xFFFF
            count += 1
            nodes[count] = board[base + _BEFORE + _NODE]
            board[base + _NODE] = count
            may_open = True
        elif byte == 10:
            position += 1
            line += 1
            if data[position] < 33:
                if _starts_again(data, position):
                    notes[5] = position
                    return Why.SECOND_START
                # Pass over all blanks. If each of many empty lines looked for the text behind them, the time
                # would grow with the square of their number.
                while True:
                    byte = int(data[position])
                    if byte == 10:
                        line += 1
                    elif byte != 32 and byte != 9 and (byte != 13 or data[position + 1] != 10):
                        break
                    position += 1
        elif 48 <= byte <= 57:
            notes[5] = position
            may_open = False
            after = int(data[position + 1])
            if byte == 49 and after == 45 and data[position + 2] == 48:
                found = 0
                position += 3
            elif byte == 48 and after == 45 and data[position + 2] == 49:
                found = 1
                position += 3
            elif byte == 49 and after == 47 and _is_draw(data, position):
                found = 2
                position += 7
            else:
                position += 1
                while _DIGITS[data[position]]:
                    position += 1
                if data[position] != 46:
                    notes[5] = position
                    return Why.NUMBER
                while data[position] == 46 or data[position] == 32 or data[position] == 9:
                    position += 1
            if found >= 0:
                break
        elif byte == 123:
            # A comment in braces.
            position += 1
            filled = False
            strange = words.word(0)
            while True:
                kind = int(_IN_COMMENT[data[position]])
                if kind == 0:
                    filled = True
                elif kind == 3:
                    strange |= 128
                elif kind == 2:
                    inner = int(data[position])
                    if inner == 125:
                        break
                    if inner == 10:
                        line += 1
                        ahead = position + 1
                        while data[ahead] == 32 or data[ahead] == 9:
                            ahead += 1
                        if data[ahead] == 91 and data[ahead + 1] == 69:
                            # `[Event` may end a comment that was never closed.
                            notes[5] = ahead
                            return Why.COMMENT
                    elif inner != 13 or data[position + 1] != 10:
                        notes[5] = position
                        return Why.COMMENT
                position += 1
            if data[position - 1] == 92 or (strange and not filled):
                notes[5] = position
                return Why.COMMENT
            high |= strange
            if filled:
                flags |= COMMENTS
            position += 1
        elif byte == 33 or byte == 63:
            position += 1
            if data[position] == 33 or data[position] == 63:
                position += 1
            if data[position] == 33 or data[position] == 63:
                notes[5] = position
                return Why.GLYPH
        elif byte == 36:
            number = 0
            digits = 0
            position += 1
            while _DIGITS[data[position]] and digits < 4:
                number = number * 10 + int(data[position]) - 48
                digits += 1
                position += 1
            if digits == 0 or digits > 3 or number > 255 or not _ENDING[data[position]]:
                notes[5] = position
                return Why.GLYPH
        elif byte == 40:
            notes[5] = position
            if not may_open or base >= _MOST_DEPTH * _FRAME:
                return Why.VARIATION
            if not skim:
                for place in range(12):
                    board[base + _FRAME + place] = board[base + _BEFORE + place]
            base += _FRAME
            flags |= VARIATIONS
            may_open = False
            position += 1
        elif byte == 41:
            notes[5] = position
            if base == 0:
                return Why.VARIATION
            base -= _FRAME
            may_open = True
            position += 1
        elif byte == 9 or (byte == 13 and data[position + 1] == 10):
            position += 1
        elif byte == 42:
            found = 3
            notes[5] = position
            position += 1
            break
        elif byte == 59 or (byte == 37 and data[position - 1] == 10):
            # A comment to the end of the line, or a `%` line. A `%` line does not belong to the game.
            said = byte == 59
            filled = False
            strange = words.word(0)
            position += 1
            while True:
                kind = int(_IN_COMMENT[data[position]])
                if kind == 0 or data[position] == 125:
                    filled = True
                elif kind == 3:
                    strange |= 128
                elif kind == 2:
                    break
                position += 1
            if data[position] == 13:
                position += 1
            if data[position] != 10 or (said and strange and not filled):
                notes[5] = position
                return Why.COMMENT
            high |= strange
            if said and filled:
                flags |= COMMENTS
        else:
            notes[5] = position
            return Why.BYTE
    # The caller checks the text after the result.
    if base > 0:
        return Why.VARIATION
    if data[position] > 32:
        notes[5] = position
        return Why.RESULT
    if rows[row + RESULT] >= 0 and rows[row + RESULT] != found:
        return Why.RESULT_TAG
    if high:
        flags |= HIGH_BYTES
    plies = count
    total = count
    if flags & VARIATIONS and not skim:
        # An empty pair of round brackets is no variation, so variations are counted in the tree.
        flags &= ~VARIATIONS
        total = _in_preorder(packed, first, count, most_words, nodes, notes)
        if total < 0:
            return -total
        plies = int(notes[7])
        if plies < count:
            flags |= VARIATIONS
    rows[row + RESULT] = found
    rows[row + LENGTH] = position - int(rows[row + START])
    rows[row + END_LINE] = line
    rows[row + WORDS] = total
    rows[row + PLIES] = plies
    rows[row + POSITIONS] = count + 1
    rows[row + FLAGS] = flags
    return 0


def _starts_again(data: Bytes, position: int) -> bool:
    """Whether an empty line and `1.` follow a line end. The splitter may begin another game at this `1.`."""
    while data[position] == 32 or data[position] == 9 or data[position] == 13:
        position += 1
    if data[position] != 10:
        return False
    while _BLANKS[data[position]]:
        position += 1
    return data[position] == 49 and (data[position + 1] == 46 or data[position + 1] < 33)


def _read_move(data: Bytes, at: int, board: Words, base: int) -> int:
    """Make the move whose text begins at `at`. Returns the word of the move, with the length of the text from
    bit 16 on. Returns -1 if the text is no possible move."""
    byte = int(data[at])
    if byte == 79:
        return _read_castling(data, at, board, base)
    if byte == 45 or byte == 90:
        if int(data[at + 1]) != (45 if byte == 45 else 48):
            return -1
        passed = kernel_moves.play_null(board, base)
        return passed if passed < 0 else passed | 2 << 16
    kind = int(_MOVERS[byte])
    position = at + 1 if kind > 1 else at
    # The text has at most two characters for the origin, perhaps an `x`, and the target.
    file = int(data[position]) - 97
    rank = int(data[position + 1]) - 49
    origin = squares.ALL
    named = False
    if 0 <= file < 8 and 0 <= rank < 8:
        # This square is the target if no other square follows.
        after = int(data[position + 2])
        if after == 120 or 97 <= after <= 104:
            origin = squares.FILES[file] & squares.RANKS[rank]
            if kind == 1:
                return -1
            position += 2
    elif 0 <= file < 8:
        origin = squares.FILES[file]
        named = True
        position += 1
    elif _DIGITS[data[position]]:
        mark = int(data[position]) - 49
        if mark < 0 or mark > 7:
            return -1
        origin = squares.RANKS[mark]
        position += 1
    if data[position] == 120:
        position += 1
    target_file = int(data[position]) - 97
    rank = int(data[position + 1]) - 49
    if target_file < 0 or target_file > 7 or rank < 0 or rank > 7:
        return -1
    position += 2
    to = 8 * rank + target_file
    promotion = 0
    if data[position] == 61:
        position += 1
        promotion = int(_PROMOTED[data[position]])
        if promotion == 0:
            return -1
        position += 1
    elif _PROMOTED[data[position]]:
        promotion = int(_PROMOTED[data[position]])
        position += 1
    if data[position] == 43 or data[position] == 35:
        position += 1
    if kind == 1:
        if named:
            if file == target_file:
                return -1
        else:
            origin = squares.FILES[target_file]
        played = kernel_moves.play_pawn(board, base, origin, to, named, promotion)
    else:
        if promotion:
            return -1
        played = kernel_moves.play_piece(board, base, kind, origin, to)
    if played < 0:
        return -1
    return played | (position - at) << 16


@words.apart
def _read_castling(data: Bytes, at: int, board: Words, base: int) -> int:
    """Like `_read_move`, for O-O and O-O-O."""
    if data[at + 1] != 45 or data[at + 2] != 79:
        return -1
    position = at + 3
    short = True
    if data[position] == 45:
        if data[position + 1] != 79:
            return -1
        position += 2
        short = False
    if data[position] == 43 or data[position] == 35:
        position += 1
    played = kernel_moves.play_castling(board, base, short)
    if played < 0:
        return -1
    return played | (position - at) << 16


def _in_preorder(packed: Shorts, first: int, count: int, most_words: int, nodes: Halves, notes: Ints) -> int:
    """Put the words of a game with variations into preorder, and add `BACK` words. Before the call, the words
    are in the order of the text.

    `nodes` holds the parent of each move. Moves are numbered from 1 in the order of the text. Returns the
    number of words; less than 0 (a negative `Why`) if the words do not fit. Note 7 receives the plies of the
    main line.
    """
    child = NODES
    sibling = 2 * NODES
    depth = 3 * NODES
    copy = 4 * NODES
    for node in range(count + 1):
        nodes[child + node] = 0
        nodes[sibling + node] = 0
    nodes[depth] = 0
    # The nodes are added from the last to the first, so that each list of siblings is in order at the end.
    for node in range(count, 0, -1):
        parent = int(nodes[node])
        nodes[sibling + node] = nodes[child + parent]
        nodes[child + parent] = node
    for node in range(1, count + 1):
        nodes[depth + node] = nodes[depth + int(nodes[node])] + 1
        nodes[copy + node] = packed[first + node - 1]
    node = int(nodes[child])
    out = first
    plies = -1
    while node:
        if out + 2 > most_words:
            return -Why.FULL
        packed[out] = nodes[copy + node]
        out += 1
        below = int(nodes[child + node])
        if below:
            node = below
            continue
        reached = int(nodes[depth + node])
        if plies < 0:
            plies = reached
        while node and not nodes[sibling + node]:
            node = int(nodes[node])
        if node:
            node = int(nodes[sibling + node])
            back = reached - int(nodes[depth + node]) + 1
            if back > moves.BACK_LIMIT:
                return -Why.TOO_LARGE
            packed[out] = moves.BACK << 12 | back
            out += 1
    notes[7] = max(plies, 0)
    return out - first
