"""The layout of the memory that replay and compiled queries share. Constants only.

A *record* is one position: `SIZE` words; its sixty-four man codes stand in a table of bytes beside it. A
*frame* holds what belongs to the current game rather than to a position.
"""

from __future__ import annotations

from typing import Final

from cqlgui.jit import words

# --- a record: words 0 to 12 are the squares of each man, by man code (0: the empty squares) ----------------

TURN: Final = 13
"""The side to move: 0 White, 1 Black."""
CASTLING: Final = 14
"""The squares of the rooks that may still castle."""
PASSED: Final = 15
"""At the root: the square that the last move passed over, as a set. Elsewhere `routines.passed_over` computes
this square."""
ID: Final = 16
"""The positionid."""
PLY: Final = 17
DEPTH: Final = 18
"""Number of moves on the way from the root that are not main continuations."""
MOVE: Final = 19
"""The move that led here; `moves.NO_MOVE` at the root."""
PARENT: Final = 20
"""The record of the position before, `NONE` at the root."""
CHILD: Final = 21
"""The record of the first position after this one, or `NONE`. If a main line is played on a single record,
the word only tells whether there is a next position."""
SIBLING: Final = 22
"""The record of the parent's next child, or `NONE`."""
END: Final = 23
"""One more than the last record among the position and its descendants."""
STATES: Final = 24
"""Room for what the current path notes about the record."""
SIZE: Final = 25

NONE: Final = words.MASK

# --- a frame ------------------------------------------------------------------------------------------------

DOUBT: Final = 0
"""Not 0: what was found in this game is not valid, and the interpreter must decide."""
COUNT: Final = 1
"""Number of positions of the game that are searched; 0 if a main line is played on a single record."""
GAMENUMBER: Final = 2
STEPS: Final = 3
"""The runs of loop bodies that the game may still use."""
TOP: Final = 4
"""How much of the stack is in use."""
LOCALS: Final = 5
"""Here variables begin; they are 0 at the beginning of each game."""

# --- behind the variables, where a query searches for sequences; not cleared --------------------------------

SERIAL: Final = 1023
"""The number of searches made so far."""
STACK: Final = 1024
STACK_SIZE: Final = 1 << 16
PLANES: Final = STACK + STACK_SIZE
"""Here the words that belong to records begin, `PLANE_COUNT` words for each record."""
PLANE_COUNT: Final = 8
BAN_GAME: Final = 0
BANS: Final = 1
"""Two planes: the game to which the bans of a record belong, and the filters banned at the record, as
bits."""
SEARCH: Final = 2
SEARCH_SIZE: Final = 3
"""From plane `SEARCH` on: `SEARCH_SIZE` planes for the outermost search, then as many for a search within
that search, and so on. The planes of a search are its serial number, the states that it has seen at the
record, and the squares of the men in focus."""
DEEPEST_SEARCH: Final = (PLANE_COUNT - SEARCH) // SEARCH_SIZE

STEPS_AT_MOST: Final = 100_000_000
"""This much work takes a second or two at worst."""
