"""The numbers in commands such as `[%clk 0:01:23]`, which programs write into comments.

The supplement to the PGN standard (enhanced PGN, 2001, sections 3.2 and 4) defines commands inside comments:
`[%`, a name, a blank, parameters with commas between them, and `]`. This module reads three commands:

- `[%clk 1:23:45.6]`: the time that the player has left after the move, in hours, minutes and seconds.
- `[%emt 0:00:05]`: the time that the player used for the move, in the same form.
- `[%eval 0.17]`, `[%eval #-3]`, `[%eval 2.35,23]`, `[%eval 14,24]`: the evaluation of the position after the
  move. The second parameter is the depth of the search; it is not read. Lichess, chess.com and python-chess
  write pawns, always with a decimal point. ChessBase writes hundredths of a pawn, without a point. `#-3` is a
  mate in 3 moves by Black.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from cqlgui.base.patterns import pattern

Key = Literal["clk", "emt", "eval"]
KEYS: Final[tuple[Key, ...]] = ("clk", "emt", "eval")

MATE: Final = 100_000
"""A mate in n moves has the value `MATE` - n, or n - `MATE` if Black mates."""
LARGEST_EVAL: Final = 90_000
"""Evaluations beyond this number of hundredths of a pawn are not read. They could be taken for mates."""

_COMMAND = pattern(
    r"\[[ \t\r\n]*+%(clk|emt|eval)[ \t\r\n]++([-+#.:0-9]++)[ \t\r\n]*+(?:,[-+.:0-9, \t\r\n]*+)?\]"
)
_TIME = pattern(r"(?:(?:([0-9]{1,4}):)?([0-9]{1,4}):)?([0-9]{1,6})(?:\.[0-9]*)?")
_MATE = pattern(r"#([-+]?)([0-9]{1,4})")
_SCORE = pattern(r"([-+]?)([0-9]{0,5})(?:(\.)([0-9]*))?")


def value(comments: str, key: Key) -> int | None:
    """The number that the last readable command `key` in some comments gives: whole seconds for `clk` and
    `emt` (fractions are cut off), and hundredths of a pawn from White's view for `eval`. None if there is no
    readable command. `comments` has all comments at a position, with blanks between them."""
    found = None
    if "%" + key in comments:
        for name, text in _COMMAND.findall(comments):
            number = None if name != key else _score(text) if key == "eval" else _seconds(text)
            found = found if number is None else number
    return found


def _seconds(text: str) -> int | None:
    time = _TIME.fullmatch(text)
    if time is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in time.groups())
    return 3600 * hours + 60 * minutes + seconds


def _score(text: str) -> int | None:
    mate: re.Match[str] | None = _MATE.fullmatch(text)
    if mate is not None:
        # `#0` does not say which side is mated.
        moves = int(mate[2])
        number = MATE - moves if moves else None
        return number if number is None or mate[1] != "-" else -number
    score = _SCORE.fullmatch(text)
    if score is None or not (score[2] or score[4]):
        return None
    number = int(score[2] or 0) if score[3] is None else int((score[2] or "0") + (score[4] + "00")[:2])
    if number > LARGEST_EVAL:
        return None
    return -number if score[1] == "-" else number
