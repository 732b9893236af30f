"""The layout of the memory that replay and compiled queries share. This module has only constants.

A *record* describes one position in `SIZE` words. The sixty-four man codes of the position are in a separate
table of bytes. A *frame* holds the data of the current game that do not belong to a single position.
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
"""At the root, this word is the square that the last move passed over, as a set. At all other positions,
`routines.passed_over` computes this square."""
STATE_SIZE: Final = 16
"""A move changes only words before this one, except `MOVE` and the links."""
ID: Final = 16
"""The positionid."""
PLY: Final = 17
DEPTH: Final = 18
"""The number of moves that are not main continuations on the way from the root to this position."""
MOVE: Final = 19
"""The move that led to this position; `moves.NO_MOVE` at the root."""
PARENT: Final = 20
"""The record of the previous position; `NONE` at the root."""
CHILD: Final = 21
"""The record of the first child, or `NONE`. If a main line is played on a single record, this word shows only
whether the position has a child."""
SIBLING: Final = 22
"""The record of the parent's next child, or `NONE`."""
END: Final = 23
"""One more than the number of the last record among the position and its descendants."""
STATES: Final = 24
"""Room for the set of states that a path or line reaches at this record (`lowering_paths`)."""
NEXT: Final = 25
"""The move to the first child. This word has no meaning if the position has no child."""
SIZE: Final = 32
"""A record fills whole cache lines, so that no wide read or write of its words crosses a line."""

NONE: Final = words.MASK

# --- a frame ------------------------------------------------------------------------------------------------

DOUBT: Final = 0
"""If this word is not 0, the results in this game are not valid, and the interpreter must search the game."""
COUNT: Final = 1
"""The number of positions that are searched in the game; 0 if a main line is played on a single record."""
GAMENUMBER: Final = 2
STEPS: Final = 3
"""The number of times that loop bodies may still run in this game."""
TOP: Final = 4
"""The number of words of the stack that are in use."""
NOTED: Final = 5
"""The number of events in the log."""
LOCALS: Final = 6
"""Variables begin at this word. All variables are 0 at the beginning of each game."""
AREAS: Final = 1023
"""The tables of dictionaries (`kernels.entries`) and the texts that a query puts together
(`kernels.built_texts`) begin at this word. They end before `SERIAL`, and they are 0 at the beginning of each
game, too."""

# --- behind the variables, where a query searches for sequences; not cleared --------------------------------

SERIAL: Final = 16383
"""The number of searches made so far."""
STACK: Final = 16384
STACK_SIZE: Final = 1 << 16
EVENT_SIZE: Final = 2
"""The number of words in an event (`lowering_notes`)."""
MOST_EVENTS: Final = 2_000
"""The maximum number of events in a list. If a query writes more events at a position, the game is
doubtful."""
LOG: Final = STACK + STACK_SIZE
"""From this word on, the frame has `LISTS` lists of events. The first list is the log."""
LIST_SIZE: Final = EVENT_SIZE * MOST_EVENTS
SPARE_LIST: Final = 1
"""The number of a list for short use."""
BEST_LIST: Final = 2
"""From this number on, each search for sequences has a list for the events of the best sequence."""
DEEPEST_SEARCH: Final = 2
"""The maximum number of searches inside each other."""
ASIDE_LIST: Final = BEST_LIST + DEEPEST_SEARCH
"""From this number on, each sort key has a list of the comments that belong to the best value."""
MOST_KEYS: Final = 8
LASTING_LIST: Final = ASIDE_LIST + MOST_KEYS
"""The list of the events that stay even if the query fails: tags that the query sets, and comments that the
query removes."""
LISTS: Final = LASTING_LIST + 1
PLANES: Final = LOG + LISTS * LIST_SIZE
"""From this word on, the frame has `PLANE_COUNT` words for each record. A *plane* consists of the words with
the same number in all records."""
BAN_GAME: Final = 0
BANS: Final = 1
"""Two planes. `BAN_GAME` has the number of a game. `BANS` has the filters that are banned at the record in
this game, as bits."""
SEARCH: Final = 2
SEARCH_SIZE: Final = 3
"""From plane `SEARCH` on, the outermost search has `SEARCH_SIZE` planes. Each search inside another search
has the next `SEARCH_SIZE` planes. In its planes, a search keeps its serial number, the states seen at the
record, and the squares of the men in focus."""
PLANE_COUNT: Final = SEARCH + DEEPEST_SEARCH * SEARCH_SIZE

ANSWER_SHIFT: Final = 2
"""In the answers to a question about positions, a positionid begins at this bit (`facts.tables`)."""
STEPS_AT_MOST: Final = 100_000_000
"""The value of `STEPS` at the beginning of a game. This number of steps takes a second or two if a step is
cheap. Steps that each look for mate take ten times as long."""
