"""The text of values in comments and in the results of `str` (output spec 2)."""

from __future__ import annotations

from typing import Final

from cqlgui.board import men as board_men
from cqlgui.board import squares
from cqlgui.board.squares import Bitboard

NO_VALUE: Final = "<false>"
TRUE: Final = "<true>"
ABSENT: Final = "[absent]"


def set_text(value: Bitboard) -> str:
    """The text of a set: `[]` if the set is empty, `e4` for one square, `[a1,b1,h8]` for several squares in
    the order of `squares.NAMES`."""
    names = [squares.NAMES[square] for square in squares.bits(value)]
    return names[0] if len(names) == 1 else f"[{','.join(names)}]"


def truth_text(matched: object) -> str:
    """`<true>` or `<false>`."""
    return TRUE if matched else NO_VALUE


def number_text(value: int | None) -> str:
    """The decimal digits of a number, or `<false>` if `value` is None."""
    return NO_VALUE if value is None else str(value)


def string_text(value: str | None) -> str:
    """The string itself, or `<false>` if `value` is None."""
    return NO_VALUE if value is None else value


def piece_text(value: Bitboard, men_by_square: bytearray) -> str:
    """The letter and the square of a man, as in `Ke1`, or `[absent]` for a captured man (D30). `value`
    contains the man's square, and is empty for a captured man."""
    if not value:
        return ABSENT
    square = squares.lowest(value)
    return board_men.SYMBOLS[men_by_square[square]] + squares.NAMES[square]


def unbound_text(name: str) -> str:
    """The text for a variable without a value."""
    return f"<unbound: {name}>"
