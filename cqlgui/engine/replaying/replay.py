"""Plays packed games and evaluates a query at every position.

If a query looks only at the current position, a main line is played on a single record (*streaming*). If a
query looks at other positions, or if variations are searched, all positions of a game are first laid out with
their links (*buffered*). Both methods agree with `board.tree.GameTree` on every position. A game with a move
that cannot be played is doubtful.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final, TypeAlias

from cqlgui.board import attacks, moves, position
from cqlgui.engine.replaying import layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Ints, Pointer, Routine, Scalar, Shorts, Word, Words

ASK: Final = Routine(
    (Pointer(Scalar.WORD), Pointer(Scalar.U8), Scalar.INT, Pointer(Scalar.WORD)), Scalar.BOOL
)
Ask: TypeAlias = Annotated[Callable[[Words, Bytes, int, Words], bool], ASK]
"""A query as a function of all records, all boards, the number of a record, and the frame. Returns whether
the query matches at this record."""

TELL: Final = Routine(
    (Pointer(Scalar.WORD), Pointer(Scalar.U8), Scalar.INT, Pointer(Scalar.WORD), Pointer(Scalar.WORD)),
    Scalar.BOOL,
)
Tell: TypeAlias = Annotated[Callable[[Words, Bytes, int, Words, Words], bool], TELL]
"""A function that finds the details of a match at a record. The last parameter is the output array (`out` in
`tell`). The other parameters are those of `Ask`. Returns False if there is no match."""

STREAM: Final = Routine(
    (
        ASK, Pointer(Scalar.U16), Scalar.INT, Scalar.INT, Scalar.INT, Scalar.INT, Pointer(Scalar.WORD),
        Pointer(Scalar.U8), Pointer(Scalar.WORD), Pointer(Scalar.INT), Pointer(Scalar.INT),
    ),
    None,
)  # fmt: skip
Stream: TypeAlias = Annotated[
    Callable[[Ask, Shorts, int, int, int, int, Words, Bytes, Words, Ints, Ints], None], STREAM
]
"""Plays a main line on one record and evaluates the query. The function is `streamed`, or optimised code that
contains both `streamed` and the query."""

UNIT: Final = kernels.Unit("replay", [layout, position, attacks, moves])

BUFFERED: Final = 1
VARIATIONS: Final = 2
GLANCED: Final = 4
"""Bits of a mode. `BUFFERED`: positions are laid out. `VARIATIONS`: variations are searched. `GLANCED`: a
main line is laid out only if `first_ask` holds at some position."""
DETAILED: Final = 8
STEPPED: Final = 16
LOGGED: Final = 32
WHOLE: Final = 64
NEAR: Final = 128
"""More bits of a mode, for `tell`."""

MOST_MARKED: Final = 64
"""If a hit has more matches than this number, the later matches get no squares, except the first match of
each orbit. `rings.Rings.squares` has the same rule."""

FOUND: Final = 0
DOUBTED: Final = 1
VISITED: Final = 2
LINKED: Final = 3
NOTED: Final = 4
ROWS: Final = 5
"""Places in the tally. `FOUND` counts the hits written, `DOUBTED` the doubtful games written, and `VISITED`
the positions visited. `LINKED` counts the records, from the first on, that are linked as a main line. `NOTED`
counts the events written, and `ROWS` counts the games with a row."""

_BACK_WORD: Final = moves.BACK << 12
_KING_MOVED: Final = 256

_VISITED_AT_ONCE: Final = 100_000
_STEPS_AT_ONCE: Final = 1_000_000
"""A call of `search` ends after the current game once the call has visited `_VISITED_AT_ONCE` positions or
used `_STEPS_AT_ONCE` steps."""


@UNIT.kernel
def search(
    ask: Ask,
    first_ask: Ask,
    stream: Stream,
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    branching: Bytes,
    starts: Ints,
    start_records: Words,
    start_boards: Bytes,
    games: Ints,
    begin: int,
    end: int,
    before: int,
    mode: int,
    most: int,
    records: Words,
    boards: Bytes,
    room: int,
    frame: Words,
    frame_size: int,
    facts: Words,
    fact_places: Ints,
    fact_count: int,
    hits: Ints,
    capacity: int,
    doubtful: Ints,
    tally: Ints,
) -> int:
    """Search `games[begin:end]`. Returns the place in `games` to continue from. The place is less than `end`
    if `hits` is full or the call has used its time. A kernel cannot be interrupted. `search` therefore
    returns often, so that the caller can stop the search.

    A game has `counts[game]` words from `packed[firsts[game]]` on. `branching[game]` says whether these words
    contain variations. The game starts from record `starts[game]` of `start_records` and `start_boards`. If
    `starts[game]` is negative, the game is doubtful. `before` is one less than the `gamenumber` of game 0. If
    positions are not laid out, `stream` evaluates `first_ask` at each position. `mode` combines `BUFFERED`,
    `VARIATIONS` and `GLANCED`. With `GLANCED`, `first_ask` is evaluated on a single record, and `ask` is
    not evaluated before the first position where `first_ask` holds. At the earlier positions `ask` would fail
    without side effects. Without `GLANCED`, `first_ask` and `ask` are the same function. The search
    looks for the first `most` hits of each game.

    `facts` has `fact_count` pairs of words for each game. The pairs are copied to the `fact_places` of the
    frame.

    `records` and `boards` have room for `room` positions and one more position. `hits` has room for
    `capacity` hits, and `doubtful` has room for all the games. A hit combines the number of the game, shifted
    by 32, with the positionid. The numbers of doubtful games are written to `doubtful`; these games have no
    hits.
    """
    at = begin
    visited_at_most = tally[VISITED] + _VISITED_AT_ONCE
    steps_left = _STEPS_AT_ONCE
    while at < end and steps_left > 0 and tally[VISITED] < visited_at_most:
        game = games[at]
        first = firsts[game]
        count = counts[game]
        found = tally[FOUND]
        if found + count + 1 > capacity:
            return at
        _open_frame(frame, frame_size, before + game + 1, facts, game * fact_count, fact_places, fact_count)
        start = starts[game]
        last = first + count
        buffered = mode & BUFFERED != 0
        if branching[game] != 0:
            if mode & VARIATIONS != 0:
                buffered = True
            else:
                last = first
                while last < first + count and packed[last] < _BACK_WORD:
                    last += 1
        if start < 0:
            frame[layout.DOUBT] = 1
        elif buffered:
            total = 0
            begin_asking = 0
            if branching[game] != 0 and mode & VARIATIONS != 0:
                copy(start_records[start * layout.SIZE :], records)
                copy_board(start_boards[start * 64 :], boards)
                total = laid_out(packed, first, count, records, boards, room)
                tally[LINKED] = 0
            else:
                record = room * layout.SIZE
                if mode & GLANCED != 0:
                    visited = tally[VISITED]
                    copy(start_records[start * layout.SIZE :], records[record:])
                    copy_board(start_boards[start * 64 :], boards[room * 64 :])
                    stream(
                        first_ask, packed, first, last, game, 1, records[record:], boards[room * 64 :], frame,
                        hits, tally,
                    )  # fmt: skip
                    begin_asking = -1
                    if tally[FOUND] > found:
                        begin_asking = hits[found] & 0xFFFFFFFF
                        tally[FOUND] = found
                        tally[VISITED] = visited + begin_asking
                if begin_asking >= 0:
                    copy_state(start_records[start * layout.SIZE :], records)
                    records[layout.MOVE] = start_records[start * layout.SIZE + layout.MOVE]
                    copy_board(start_boards[start * 64 :], boards)
                    total = _line_laid_out(packed, first, last, records, boards, room, tally)
            if begin_asking >= 0:
                frame[layout.COUNT] = total
                _asked(ask, begin_asking, total, game, most, records, boards, frame, hits, tally)
                if total == 0:
                    frame[layout.DOUBT] = 1
                elif tally[LINKED] > 0:
                    records[(total - 1) * layout.SIZE + layout.CHILD] = total
        else:
            copy(start_records[start * layout.SIZE :], records)
            copy_board(start_boards[start * 64 :], boards)
            stream(first_ask, packed, first, last, game, most, records, boards, frame, hits, tally)
        if frame[layout.DOUBT] != 0:
            tally[FOUND] = found
            doubtful[tally[DOUBTED]] = game
            tally[DOUBTED] += 1
        steps_left -= layout.STEPS_AT_MOST - int(frame[layout.STEPS])
        at += 1
    return at


@words.apart
def _asked(
    ask: Ask,
    begin: int,
    total: int,
    game: int,
    most: int,
    records: Words,
    boards: Bytes,
    frame: Words,
    hits: Ints,
    tally: Ints,
) -> None:
    """Evaluate the query at the positions that are laid out, from `begin` on. `streamed` explains why this
    loop is a separate function."""
    found = tally[FOUND]
    end = found + most
    record = begin
    while record < total:
        record += 1
        if ask(records, boards, record - 1, frame):
            if frame[layout.DOUBT] != 0:
                break
            hits[found] = game << 32 | record - 1
            found += 1
            if found >= end:
                break
    tally[VISITED] += record - begin
    tally[FOUND] = found


@UNIT.kernel
def streamed(
    ask: Ask,
    packed: Shorts,
    first: int,
    last: int,
    game: int,
    most: int,
    record: Words,
    board: Bytes,
    frame: Words,
    hits: Ints,
    tally: Ints,
) -> None:
    """Search the main line of one game on a single record. The record holds the starting position, and the
    moves are `packed[first:last]`.

    This loop is a separate function. In a function that also copies whole records, wide registers would have
    to be cleared at every call of the query.
    """
    found = tally[FOUND]
    end = found + most
    place = first
    turn = record[layout.TURN]
    empty = record[0]
    record[layout.ID] = 0
    record[layout.PLY] = 0
    record[layout.CHILD] = 0
    while True:
        if place == last:
            record[layout.CHILD] = layout.NONE
        else:
            record[layout.NEXT] = packed[place]
        if ask(record, board, 0, frame):
            if frame[layout.DOUBT] != 0:
                break
            hits[found] = game << 32 | place - first
            found += 1
            if found >= end:
                break
        if place == last:
            break
        if not _play(record, board, int(packed[place]), turn, empty):
            frame[layout.DOUBT] = 1
            break
        empty = record[0]
        turn ^= 1
        place += 1
        record[layout.ID] = place - first
        record[layout.PLY] = place - first
    tally[VISITED] += place - first + 1
    tally[FOUND] = found


@words.inlined
def _play(record: Words, board: Bytes, word: int, turn: Word, empty: Word) -> bool:
    """Play a move on a record, and change the side to move. If the move cannot be played, the function
    returns False and the record is spoilt.

    An ordinary move is made without a branch on the moving man or on the captured man. A processor would
    often predict these branches wrongly and lose time. `turn` and `empty` are the side to move and the empty
    squares of the record. The caller passes `turn` and `empty`, because both words were just written. Reading
    words that were just written would take as long as the rest of the move.
    """
    start = word & 63
    goal = word >> 6 & 63
    start_bit = words.word(1 << start)
    goal_bit = words.word(1 << goal)
    if word >> 12 != moves.NORMAL:
        man = _special(record, board, word)
        if man < 0:
            return False
    else:
        man = int(board[start])
        if man == 0 or start == goal:
            return False
        captured = int(board[goal])
        board[start] = 0
        board[goal] = man
        # If nothing is captured, the bit goes to the word `STATES`, where the bit does no harm. Word 0 (the
        # empty squares) would be slow here, because the code would write word 0 at some moves only, but reads
        # word 0 soon after every move.
        record[captured | captured - 1 >> 63 & layout.STATES] ^= goal_bit
        record[man] ^= start_bit | goal_bit
        record[0] = empty & ~goal_bit | start_bit
    if record[layout.CASTLING] != 0:
        castling = record[layout.CASTLING] & ~(start_bit | goal_bit)
        if man == 6 or man == 12:
            castling &= ~(0xFF << (0 if man == 6 else 56))
        record[layout.CASTLING] = castling
    record[layout.TURN] = turn ^ 1
    record[layout.MOVE] = word
    return True


@words.apart
def _special(record: Words, board: Bytes, word: int) -> int:
    """Play a move that is not ordinary, with `position.play`. Returns the king's man code if the king moved,
    0 for any other move, and -1 for a move that cannot be played."""
    outcome = position.play(record, board, word)
    if outcome < 0:
        return outcome
    return 0 if outcome & _KING_MOVED == 0 else 6 if record[layout.TURN] == 0 else 12


@UNIT.kernel
def special(record: Words, board: Bytes, word: int) -> int:
    """A compiled copy of `_special`."""
    return _special(record, board, word)


STREAMING: Final = kernels.Template(streamed, "ask", {_special: special})
"""A template for machine code that contains both `streamed` and a query, for queries that run often."""


@words.apart
def _line_laid_out(
    packed: Shorts, first: int, last: int, records: Words, boards: Bytes, room: int, tally: Ints
) -> int:
    """Lay out all positions of the main line `packed[first:last]`. The first record holds the starting
    position. Returns the number of positions. Returns 0 if a move cannot be played or if there are more than
    `room` positions.

    Words with equal values in all main lines are written only once. The men that a move touches are read from
    a board of their own, number `room`. This board is written byte by byte. A processor would wait if it read
    a byte of a board that was just written in one piece.
    """
    total = last - first + 1
    if total > room:
        return 0
    size = layout.SIZE
    for record in range(tally[LINKED], total):
        _link(records[record * size :], record)
    if total > tally[LINKED]:
        tally[LINKED] = total
    men = room * 64
    copy_board(boards, boards[men:])
    for at in range(total - 1):
        here = at * size
        word = int(packed[first + at])
        start = men + (word & 63)
        end = men + (word >> 6 & 63)
        man = int(boards[start])
        captured = int(boards[end])
        boards[start] = 0
        boards[end] = man
        if not _laid(
            records[here:],
            boards[at * 64 :],
            word,
            man,
            captured,
            records[here + size :],
            boards[(at + 1) * 64 :],
        ):
            return 0
        if word >> 12 != moves.NORMAL:
            copy_board(boards[(at + 1) * 64 :], boards[men:])
        records[here + layout.NEXT] = word
        records[here + layout.END] = total
    records[(total - 1) * size + layout.END] = total
    records[(total - 1) * size + layout.CHILD] = layout.NONE
    return total


@words.inlined
def _laid(
    source: Words, source_board: Bytes, word: int, man: int, captured: int, goal: Words, goal_board: Bytes
) -> bool:
    """Lay out the position after a move from `source`, without its links. `man` and `captured` are the men on
    the squares of the move. Returns False if the move cannot be played."""
    start = word & 63
    end = word >> 6 & 63
    if word >> 12 != moves.NORMAL:
        copy_state(source, goal)
        copy_board(source_board, goal_board)
        return _play(goal, goal_board, word, goal[layout.TURN], goal[0])
    if man == 0 or start == end:
        return False
    _changed(source, source_board, start, end, man, captured, goal, goal_board)
    goal[layout.MOVE] = word
    return True


def _changed(
    source: Words,
    source_board: Bytes,
    start: int,
    end: int,
    man: int,
    captured: int,
    goal: Words,
    goal_board: Bytes,
) -> None:
    """Copy a position with an ordinary move made in it.

    Each word is calculated in the same way, without branches, so that the compiler makes a few wide
    operations of each loop. Single words may not be written here: the next move reads all words in one piece,
    and a processor would wait for words that were just written one by one.
    """
    left = words.word(1 << start)
    reached = words.word(1 << end)
    both = left | reached
    lost = both | _KING_ROWS[man]
    for place in range(layout.STATE_SIZE):
        moved = _ALONE[man][place] & both ^ _ALONE[captured][place] & reached ^ _ALONE[0][place] & left
        goal[place] = (source[place] ^ moved ^ _SIDE[place]) & ~(_ALONE[layout.CASTLING][place] & lost)
    other = man ^ captured
    for square in range(64):
        goal_board[square] = source_board[square] ^ _AT[start][square] & man ^ _AT[end][square] & other


_ALONE: Final[tuple[tuple[Word, ...], ...]] = tuple(
    tuple(words.MASK if place == one else 0 for place in range(layout.STATE_SIZE))
    for one in range(layout.STATE_SIZE)
)
"""Row n has all bits in word n, and no bits in all other words."""
_SIDE: Final[tuple[Word, ...]] = tuple(int(place == layout.TURN) for place in range(layout.STATE_SIZE))
_KING_ROWS: Final[tuple[Word, ...]] = tuple({6: 0xFF, 12: 0xFF << 56}.get(man, 0) for man in range(13))
"""The squares of the rooks that cannot castle any more once this man has moved."""
_AT: Final = tuple(tuple(255 if one == square else 0 for one in range(64)) for square in range(64))


def _link(record: Words, number: int) -> None:
    """Write the words of a record that are equal in all main lines, except that the last record of a line has
    no child."""
    record[layout.ID] = number
    record[layout.PLY] = number
    record[layout.DEPTH] = 0
    record[layout.PARENT] = words.word(number - 1)
    record[layout.CHILD] = number + 1
    record[layout.SIBLING] = layout.NONE


def game_laid_out(
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    starts: Ints,
    start_records: Words,
    start_boards: Bytes,
    game: int,
    variations: bool,
    most: int,
    records: Words,
    boards: Bytes,
    room: int,
) -> int:
    """Lay out a game, or only the first `most` moves of its main line, as `laid_out` does. Returns 0 for a
    game that cannot be searched."""
    start = starts[game]
    if start < 0:
        return 0
    copy(start_records[start * layout.SIZE :], records)
    copy_board(start_boards[start * 64 :], boards)
    count = int(counts[game])
    if not variations:
        most = min(most, count)
        count = 0
        while count < most and packed[firsts[game] + count] < _BACK_WORD:
            count += 1
    return laid_out(packed, int(firsts[game]), count, records, boards, room)


def last_place(hits: Ints, at: int, end: int) -> int:
    """The greatest positionid of the hits in the game of `hits[at]`. These hits are consecutive."""
    last = 0
    game = hits[at] >> 32
    while at < end and hits[at] >> 32 == game:
        last = max(last, int(hits[at] & 0xFFFFFFFF))
        at += 1
    return last


def laid_out(packed: Shorts, first: int, count: int, records: Words, boards: Bytes, room: int) -> int:
    """Lay out all positions of a game with their links. The first record holds the starting position. Returns
    the number of positions. Returns 0 if a move cannot be played or if there are more than `room`
    positions."""
    size = layout.SIZE
    records[layout.PARENT] = layout.NONE
    records[layout.CHILD] = layout.NONE
    records[layout.SIBLING] = layout.NONE
    total = 1
    here = 0
    back = False
    for place in range(first, first + count):
        word = int(packed[place])
        if word >= _BACK_WORD:
            steps = word & moves.BACK_LIMIT
            if steps == 0 or steps > int(records[here * size + layout.PLY]):
                return 0
            while steps > 0:
                here = int(records[here * size + layout.PARENT])
                steps -= 1
            back = True
            continue
        if total >= room:
            return 0
        parent = here * size
        child = total * size
        man = int(boards[here * 64 + (word & 63)])
        captured = int(boards[here * 64 + (word >> 6 & 63)])
        if not _laid(
            records[parent:], boards[here * 64 :], word, man, captured, records[child:], boards[total * 64 :]
        ):
            return 0
        records[child + layout.ID] = total
        records[child + layout.PLY] = records[parent + layout.PLY] + 1
        records[child + layout.DEPTH] = records[parent + layout.DEPTH]
        records[child + layout.PARENT] = here
        records[child + layout.CHILD] = layout.NONE
        records[child + layout.SIBLING] = layout.NONE
        if back:
            records[child + layout.DEPTH] += 1
            back = False
        if records[parent + layout.CHILD] == layout.NONE:
            records[parent + layout.CHILD] = total
            records[parent + layout.NEXT] = word
        else:
            records[int(records[parent + layout.END]) * size + layout.SIBLING] = total
        # Until all positions are laid out, `END` holds the last child of a position. Without `END`, the code
        # would have to follow all siblings to the last child. Following the siblings could take long, because
        # a position may have any number of variations.
        records[parent + layout.END] = total
        here = total
        total += 1
    if back:
        return 0
    for record in range(total):
        records[record * size + layout.END] = record + 1
    for record in range(total - 1, 0, -1):
        end = records[record * size + layout.END]
        above = int(records[record * size + layout.PARENT]) * size
        if records[above + layout.END] < end:
            records[above + layout.END] = end
    return total


@UNIT.kernel
def tell(
    step: Ask,
    told: Tell,
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    starts: Ints,
    start_records: Words,
    start_boards: Bytes,
    hits: Ints,
    begin: int,
    end: int,
    before: int,
    mode: int,
    records: Words,
    boards: Bytes,
    room: int,
    frame: Words,
    frame_size: int,
    spare: Words,
    facts: Words,
    fact_places: Ints,
    fact_count: int,
    out: Words,
    width: int,
    orbit_ends: Ints,
    ends: Ints,
    elements: Ints,
    marks: Words,
    capacity: int,
    values: Words,
    squares: Words,
    events: Words,
    event_capacity: int,
    event_ends: Ints,
    key_places: Ints,
    key_count: int,
    lasting: int,
    rows: Words,
    row_ends: Ints,
    doubtful: Ints,
    tally: Ints,
) -> int:
    """Find which elements matched at `hits[begin:end]`. The hits have the form that `search` writes. With
    `DETAILED` in the `mode`, also find the value of each hit and the squares to ring. Returns the number of
    the hit to continue from. This number is less than `end` if `elements` or `events` is full.

    The function `told` finds the details of one hit. If the query does not match at a hit, `told` returns
    False and the game is doubtful. In the first `width` words of `out`, `told` sets the bits of the elements
    that matched. The numbers of these bits are written to `elements`; the numbers for hit n end at `ends[n]`.
    `elements` has room for `capacity` numbers. The `capacity` must be large enough for at least one hit. With
    `DETAILED`, the next words of `out` are the value of the hit, the squares of the hit, and the squares of
    each element. These words are written to `values`, `squares` and `marks`. The bits of orbit n end before
    word `orbit_ends[n]`. With orbits, the squares of a hit are those of the first element of each orbit. If a
    hit has more than `MOST_MARKED` elements, the later elements get no squares, except the first element of
    each orbit. With `LOGGED`, the log in the frame has the events of the hit. The events are written to
    `events`, which has room for `event_capacity` events. The events of hit n end at `event_ends[n]`.

    With `STEPPED`, `step` is evaluated at every position up to the last hit, because the variables at a hit
    depend on earlier positions. With `WHOLE`, `step` is evaluated up to the last position of the game. With
    `NEAR`, neither function looks at other positions, so the positions behind the last hit are not laid out,
    except the next one. With `STEPPED`, the changes that `told` makes in the frame are also undone. For this
    purpose, `spare` holds a copy of the frame. With `LOGGED` and `STEPPED`, `step` writes the log.

    `rows` gets a row of words for each game: for each of the `key_count` sort keys, the best measure and
    whether there is a measure. `key_places` has the two places of each key in the frame
    (`Lowering.key_slots`). The comments of the sort keys are added to `events`, and after them the lasting
    events; `row_ends` says for each game where these events end. Word `lasting` of the frame has the number
    of lasting events; it is 0 if there are none.

    The rows of a doubtful game are not valid. All other parameters are explained in `search`. At the end,
    `frame[layout.DOUBT]` shows whether the last game is doubtful.
    """
    at = begin
    number = tally[FOUND]
    noted = tally[NOTED]
    most_events = layout.MOST_EVENTS * (2 + key_count) if mode & LOGGED != 0 else 0
    while at < end:
        game = hits[at] >> 32
        _open_frame(frame, frame_size, before + game + 1, facts, game * fact_count, fact_places, fact_count)
        total = 0
        start = starts[game]
        if start >= 0:
            copy(start_records[start * layout.SIZE :], records)
            copy_board(start_boards[start * 64 :], boards)
            count = counts[game]
            if mode & VARIATIONS == 0:
                most = count
                if mode & NEAR != 0:
                    # The position after a hit shows that the hit is not the last position of the game.
                    most = min(most, last_place(hits, at, end) + 1)
                count = 0
                while count < most and packed[firsts[game] + count] < _BACK_WORD:
                    count += 1
            total = laid_out(packed, firsts[game], count, records, boards, room)
        frame[layout.COUNT] = total
        if total == 0:
            frame[layout.DOUBT] = 1
        stepped = 0
        while at < end and hits[at] >> 32 == game:
            if number + 64 * width > capacity or noted + most_events > event_capacity:
                tally[FOUND] = number
                tally[NOTED] = noted
                return at
            place = hits[at] & 0xFFFFFFFF
            if mode & STEPPED != 0:
                while stepped <= place and frame[layout.DOUBT] == 0:
                    held = step(records, boards, stepped, frame)
                    if stepped == place and not held:
                        frame[layout.DOUBT] = 1
                    stepped += 1
            if frame[layout.DOUBT] == 0:
                for one in range(width):
                    out[one] = 0
                if mode & STEPPED != 0:
                    for one in range(frame_size):
                        spare[one] = frame[one]
                if not told(records, boards, place, frame, out):
                    frame[layout.DOUBT] = 1
                if mode & LOGGED != 0 and frame[layout.DOUBT] == 0:
                    noted = _logged(frame, layout.LOG, int(frame[layout.NOTED]), events, noted)
                if mode & STEPPED != 0 and frame[layout.DOUBT] == 0:
                    for one in range(frame_size):
                        frame[one] = spare[one]
                first_number = number
                orbit = 0
                is_first = True
                area = out[width + 1] if mode & DETAILED != 0 and width == 0 else words.word(0)
                for one in range(width):
                    while one >= orbit_ends[orbit]:
                        orbit += 1
                        is_first = True
                    left = out[one]
                    while left != 0:
                        element = 64 * one + words.lowest(left)
                        elements[number] = element
                        if mode & DETAILED != 0:
                            mark = out[width + 2 + element]
                            if is_first:
                                area |= mark
                            elif number - first_number >= MOST_MARKED:
                                mark = words.word(0)
                            marks[number] = mark
                        is_first = False
                        number += 1
                        left &= left - 1
                if mode & DETAILED != 0:
                    values[at] = out[width]
                    squares[at] = area
            ends[at] = number
            event_ends[at] = noted
            at += 1
        if mode & WHOLE != 0:
            while stepped < total and frame[layout.DOUBT] == 0:
                step(records, boards, stepped, frame)
                stepped += 1
            row = tally[ROWS]
            for key in range(key_count):
                best = key_places[2 * key]
                rows[2 * (row * key_count + key)] = frame[best]
                rows[2 * (row * key_count + key) + 1] = frame[best + 1]
                if frame[layout.DOUBT] == 0:
                    first = layout.LOG + (layout.ASIDE_LIST + key) * layout.LIST_SIZE
                    noted = _logged(frame, first, int(frame[key_places[2 * key + 1]]), events, noted)
            if lasting != 0 and frame[layout.DOUBT] == 0:
                first = layout.LOG + layout.LASTING_LIST * layout.LIST_SIZE
                noted = _logged(frame, first, int(frame[lasting]), events, noted)
            row_ends[row] = noted
            tally[ROWS] = row + 1
        if frame[layout.DOUBT] != 0:
            doubtful[tally[DOUBTED]] = game
            tally[DOUBTED] += 1
    tally[FOUND] = number
    tally[NOTED] = noted
    return at


@words.inlined
def _logged(frame: Words, first: int, count: int, events: Words, noted: int) -> int:
    """Append a list of events in the frame to `events`. Returns the new number of events."""
    for one in range(layout.EVENT_SIZE * count):
        events[layout.EVENT_SIZE * noted + one] = frame[first + one]
    return noted + count


@words.inlined
def _open_frame(
    frame: Words, size: int, gamenumber: int, facts: Words, first: int, places: Ints, count: int
) -> None:
    """Set the frame to the state at the beginning of a game. The facts of the game begin with pair number
    `first`."""
    for place in range(size):
        frame[place] = 0
    frame[layout.GAMENUMBER] = gamenumber
    frame[layout.STEPS] = layout.STEPS_AT_MOST
    for fact in range(count):
        frame[places[fact]] = facts[2 * (first + fact)]
        frame[places[fact] + 1] = facts[2 * (first + fact) + 1]


def copy(source: Words, goal: Words) -> None:
    for place in range(layout.STATES):
        goal[place] = source[place]


def copy_state(source: Words, goal: Words) -> None:
    """Copy the words that moves change."""
    for place in range(layout.STATE_SIZE):
        goal[place] = source[place]


def copy_board(source: Bytes, goal: Bytes) -> None:
    for place in range(64):
        goal[place] = source[place]
