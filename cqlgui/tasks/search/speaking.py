"""Makes comments from the events that the engine finds at hits, in the words of the output specification (2
and 3).

The interpreter writes the same comments (`cql.interpreting.families`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from cqlgui.base import arrays, data, priority
from cqlgui.board import men, position, squares, tree
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures, closures_squares
from cqlgui.cql.interpreting.families import focused
from cqlgui.cql.interpreting.runtime import game_log, values
from cqlgui.engine.kernels import routines_notes
from cqlgui.engine.lowering import lowering_notes
from cqlgui.engine.lowering.lowering_notes import Form
from cqlgui.engine.lowering.scope import Operand, TextParts
from cqlgui.engine.passes import detail_pass
from cqlgui.engine.replaying import games, layout, replay
from cqlgui.jit.words import MASK
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import hit_model, hit_notes
from cqlgui.tasks.search import planning

_HALF: Final = (1 << 32) - 1
_PLACE: Final = (1 << lowering_notes.PLY_SHIFT) - 1
_WORDS: Final = layout.EVENT_SIZE
_WHOLE_GAME: Final = (Form.MATCH, Form.RUN, Form.PIECE_PATH, Form.FOCUS_STEPS)


def notes(
    asking: detail_pass.DetailPass,
    found: detail_pass.Detailed,
    hits: hit_notes.Integers,
    defaults: found_module.GameDefaults,
    part: planning.Part,
) -> tuple[hit_notes.HitNotes, hit_notes.GameEnds | None] | None:
    """The comments that the query writes at `hits`, which lie in the games of `part`, and what it says about
    the games of these hits. `found` has the details of these hits. The result is None if only `told`
    can make the comments: if the query sets tags or removes comments, if elements matched at other positions,
    or for comments that need the game."""
    heads, payloads = found.events[0::_WORDS], found.events[1::_WORDS]
    forms = heads >> np.uint64(routines_notes.FORM) & np.uint64(routines_notes.FORM_MASK)
    if asking.lasting or np.any(np.isin(forms, _WHOLE_GAME)):
        return None
    chosen = np.flatnonzero((forms != Form.VALUE) & (forms != Form.NOTHING))
    owners = np.searchsorted(found.event_ends, chosen, "right")
    starts_of = found_module.first_hits(hits)
    late = np.zeros(len(chosen), np.bool_)
    if len(found.games.ends):
        # Events after those of a game's last hit belong to the whole game.
        rows = np.searchsorted(found.games.ends, chosen, "right")
        lasts = np.append(starts_of[1:], len(hits))[rows] - 1
        late = owners > lasts
        owners = np.minimum(owners, lasts)
    starts = part.asked.starts[hits[owners] >> found_module.GAME_SHIFT]
    turns = part.asked.start_records[starts * layout.SIZE + layout.TURN]
    places = (heads[chosen] & np.uint64(_HALF)).astype(np.int64)
    texts = np.zeros(len(chosen), np.int32)
    table: list[str] = []
    # Events with the same form and text have the same number of operands.
    kinds = heads[chosen] >> np.uint64(routines_notes.FORM)
    sizes = np.diff(chosen, append=len(heads))
    for kind in arrays.distinct(kinds).tolist():
        own = np.flatnonzero(kinds == kind)
        first = chosen[own]
        keys = [turns[own], payloads[first]]
        for operand in range(1, int(sizes[own[0]])):
            keys += [forms[first + operand], payloads[first + operand]]
        if kind & routines_notes.FORM_MASK == Form.PLACE:
            keys.append(heads[first])
        order = np.lexsort(keys)
        fresh = np.zeros(len(order), np.bool_)
        fresh[:1] = True
        for key in keys:
            fresh[1:] |= key[order][1:] != key[order][:-1]
        heads_of = order[fresh]
        which = np.empty(len(order), np.int32)
        which[order] = np.cumsum(fresh) + (len(table) - 1)
        texts[own] = which
        spoken = asking.spoken if _is_fixed(asking, kind) else {}
        if len(spoken) > _MOST_SPOKEN:
            spoken.clear()
        keys.append(kinds[own])
        rows = np.stack([key[heads_of] for key in keys], axis=1).astype(np.uint64, copy=False)
        for one, row in zip(heads_of.tolist(), rows.view(f"V{8 * len(keys)}").ravel().tolist(), strict=True):
            text = spoken.get(row)
            if text is None:
                priority.pause()
                at = int(first[one])
                size, turn = int(sizes[own[one]]), int(turns[own[one]])
                events = found.events[_WORDS * at : _WORDS * (at + size)].tolist()
                comments = list(_comments(asking, part, events, 0, size, turn, []))
                text = spoken[row] = comments[0][1] if comments else ""
            table.append(text)
    written = np.fromiter(map(bool, table), np.bool_, len(table))[texts]
    said = written & ~late
    ends = np.searchsorted(owners[said], np.arange(len(hits)), "right")
    made_notes = hit_notes.HitNotes(ends, places[said], texts[said], table)
    if not asking.specs:
        return made_notes, None
    closing: dict[int, list[tuple[int, str]]] = {}
    for number in np.flatnonzero(written & late).tolist():
        row = int(np.searchsorted(starts_of, owners[number], "right")) - 1
        closing.setdefault(row, []).append((int(places[number]), table[texts[number]]))
    sizes = np.diff(starts_of, append=len(hits))
    numbers, closings = _ends_of_games(asking, found, sizes.tolist(), closing, defaults, part)
    return made_notes, hit_notes.GameEnds(arrays.repeated(np.array(numbers, np.int32), sizes), closings)


def _is_fixed(asking: detail_pass.DetailPass, kind: int) -> bool:
    """Whether equal events of a kind, which is a form and the number of a text, have the same text in all
    searches. The numbers of texts of games (`planning.Part.texts`) mean other texts in another search."""
    if kind & routines_notes.FORM_MASK != Form.TEXT:
        return True
    return not any(
        isinstance(one, Operand) and one.kind is Type.STRING and one.texts is None
        for one in asking.texts[kind >> lowering_notes.TEXT_SHIFT - routines_notes.FORM]
    )


_MOST_SPOKEN: Final = 100_000
"""If more comments are remembered (`detail_pass.DetailPass.spoken`), they are forgotten."""


def _ends_of_games(
    asking: detail_pass.DetailPass,
    found: detail_pass.Detailed,
    sizes: Sequence[int],
    closing: Mapping[int, Sequence[tuple[int, str]]],
    defaults: found_module.GameDefaults,
    part: planning.Part,
) -> tuple[list[int], list[hit_notes.GameEnd]]:
    """For each game the index of its `hit_notes.GameEnd` in a table, and this table. `sizes` has the number
    of hits of each game, and `closing` the events after the last hit, by the number of the game."""
    made: list[int] = []
    table: list[hit_notes.GameEnd] = []
    # Many games have equal values. Those of them without late comments share one entry.
    known: dict[tuple[int | str | None, ...], int] = {}
    for row, size in enumerate(sizes):
        keys = _sort_keys(asking, found, row, size, part)
        number = known.get(keys)
        if number is None:
            lines = header_lines(asking.specs, keys) if defaults.header_comment else []
            number = known[keys] = len(table)
            table.append(hit_notes.GameEnd(keys, tuple(lines)))
        if row in closing:
            table.append(hit_notes.GameEnd(keys, (*closing[row], *table[number].comments)))
            number = len(table) - 1
        made.append(number)
    return made, table


def _sort_keys(
    asking: detail_pass.DetailPass, found: detail_pass.Detailed, row: int, hits: int, part: planning.Part
) -> tuple[int | str | None, ...]:
    """The sort keys of a game with a number of hits."""
    measures = (found.games.best, found.games.known)
    best_row, known_row = (one[row].tolist() if len(one) else [] for one in measures)
    pairs = zip(best_row, known_row, strict=True)
    keys = tuple(
        None if not known else part.texts[best] if key in asking.text_keys else best
        for key, (best, known) in enumerate(pairs)
    )
    return (*keys, hits) if len(keys) < len(asking.specs) else keys


def told(
    asking: detail_pass.DetailPass,
    found: detail_pass.Detailed,
    columns: found_module.Columns,
    defaults: found_module.GameDefaults,
    part: planning.Part,
    before: int,
) -> dict[int, hit_model.GameHits]:
    """The games of the hits in `columns`, with all comments and sort keys. `found` has the details of the
    same hits. The hits lie in the games of `part`, and `before` is the number of games before the first of
    these games in the base."""
    asked = part.asked
    starts = found_module.first_hits(columns.hits).tolist()
    ends = found.event_ends.tolist()
    events = found.events.tolist()
    at = 0
    made: dict[int, hit_model.GameHits] = {}
    for row, (begin, end) in enumerate(zip(starts, [*starts[1:], len(columns)], strict=True)):
        whole = found_module.view(columns, begin, end, defaults)
        start = int(asked.starts[whole.game - before])
        turn = int(asked.start_records[start * layout.SIZE + layout.TURN])
        log: list[game_log.Note] = [(0, defaults.number(whole.game))] if defaults.header_comment else []
        writers = [game_log.NUMBER] * len(log)
        hits = list(whole.hits)
        played = functools.cache(functools.partial(_tree, asked, whole.game - before, asking.variations))
        for place, last in enumerate(ends[begin:end]):
            priority.pause()
            hit = hits[place]
            elsewhere: list[hit_model.OrbitMatch] = []
            log += _comments(asking, part, events, at, last, turn, elsewhere, played=played)
            writers += [hit.positionid] * (len(log) - len(writers))
            if elsewhere:
                hits[place] = _joined(hit, elsewhere)
            if defaults.match_string:
                log.append((hit.positionid, defaults.match_string))
                writers.append(game_log.MARK)
            at = last
        keys: tuple[int | str | None, ...] = ()
        set_tags: dict[str, str] = {}
        removed: set[int] = set()
        if len(found.games.ends):
            last = int(found.games.ends[row])
            log += _comments(asking, part, events, at, last, turn, [], set_tags, removed, played)
            at = last
        if asking.specs:
            keys = _sort_keys(asking, found, row, end - begin, part)
            if defaults.header_comment:
                log += header_lines(asking.specs, keys)
        writers += [game_log.GAME] * (len(log) - len(writers))
        made[whole.game] = data.replace(
            whole,
            hits=tuple(hits),
            log=game_log.finished(game_log.entries(log, writers), defaults.unique),
            sort_keys=keys,
            tags=tuple(set_tags.items()) if defaults.set_tags else (),
            removed=tuple(sorted(removed)) if defaults.remove_comments else (),
        )
    return made


def header_lines(
    specs: Sequence[closures.SortSpec], keys: Sequence[int | str | None]
) -> list[tuple[int, str]]:
    """The comments about sort keys at the start of a game."""
    return [
        (0, f"{spec.doc}: {'none' if key is None else key}")
        for spec, key in zip(specs, keys, strict=True)
        if not spec.quiet
    ]


def _joined(hit: hit_model.Hit, elsewhere: Sequence[hit_model.OrbitMatch]) -> hit_model.Hit:
    """A hit with additional matches at other positions. The primary match of an orbit may change, and with
    it the squares of the hit (`rings.Rings.squares`)."""
    here = {(one.orbit, one.element, one.positionid): one for one in hit.matches}
    every = {**{(one.orbit, one.element, one.positionid): one for one in elsewhere}, **here}
    matches, ringed, seen = [], 0, set()
    for place, key in enumerate(sorted(every)):
        one = every[key]
        primary = one.orbit not in seen
        seen.add(one.orbit)
        if not primary and place >= replay.MOST_MARKED:
            one = data.replace(one, squares=0)
        if primary:
            ringed |= one.squares
        matches.append(one)
    return data.replace(hit, matches=tuple(matches), squares=ringed)


def _comments(
    asking: detail_pass.DetailPass,
    part: planning.Part,
    events: Sequence[int],
    at: int,
    end: int,
    turn: int,
    elsewhere: list[hit_model.OrbitMatch],
    set_tags: dict[str, str] | None = None,
    removed: set[int] | None = None,
    played: Callable[[], tree.GameTree] | None = None,
) -> Iterator[tuple[int, str]]:
    """The comments of the events `at` to `end` - 1. `turn` is the side to move at the start of the game.
    Matches at other positions are added to `elsewhere`, tags that the query sets to `set_tags`, and positions
    whose comments it removes to `removed`. `played` makes the tree of the game; it is needed for the forms in
    `_WHOLE_GAME`."""
    run: object = None
    while at < end:
        head, payload = events[2 * at], events[2 * at + 1]
        at += 1
        place, form = head & _HALF, head >> routines_notes.FORM & routines_notes.FORM_MASK
        text = head >> lowering_notes.TEXT_SHIFT
        first = at
        while at < end and events[2 * at] >> routines_notes.FORM & routines_notes.FORM_MASK in _OPERANDS:
            at += 1
        match form:
            case Form.MATCH:
                code = asking.code_of(payload)
                elsewhere += found_module.matches([code], place)
            case Form.FOUND:
                yield place, "Found"
            case Form.FOUND_OF:
                yield place, f"Found {payload & _HALF} of {payload >> 32}"
            case Form.START_PATH | Form.START_LINE:
                what = "path" if form == Form.START_PATH else "line"
                yield place, f"Start {what} that ends at {place_text(payload, turn)}"
            case Form.END_PATH | Form.END_LINE | Form.END_MAX:
                what = "line" if form == Form.END_LINE else "path"
                length = events[2 * first + 1]
                words = f"End {what} of length {length} that starts at {place_text(payload, turn)}"
                if form == Form.END_MAX:
                    words += f" Max value: {_signed(events[2 * first + 3])}"
                yield place, f"{words} alternative" if text and form != Form.END_LINE else words
            case Form.PIECE_PATH | Form.FOCUS_STEPS:
                assert played is not None
                last, steps, capture = events[2 * first + 1 : 2 * first + 7 : 2]
                focus = focused.Focus(played(), place, last & _PLACE, payload)
                if form == Form.PIECE_PATH:
                    ways = focus.ways()
                    if ways:
                        yield place, f"Focus path: {ways}"
                    continue
                for number, tail in enumerate(focus.tails(bool(capture)), 1):
                    yield tail, f"{asking.texts[text][0]}move {number} of {steps}"
            case Form.STEP:
                title = "".join(one for one in asking.texts[text] if isinstance(one, str))
                yield place, f"{title}move {payload & _HALF} of {payload >> 32}"
            case Form.PLACE:
                yield place, f"id:{place}"
            case Form.FORK:
                yield place, "LCA"
            case Form.ECHO_SOURCE:
                yield place, f"<--{place_text(payload, turn)}"
            case Form.ECHO_TARGET:
                yield place, f"-->{place_text(payload, turn)}"
            case Form.RUN:
                number, length = payload & _RUN, payload >> lowering_notes.RUN_LENGTH & _RUN
                if number == length and not payload >> lowering_notes.RUN_SIDE & 1:
                    run = object()
                offset = payload >> lowering_notes.RUN_FILTER
                words = f"{asking.texts[text][0]}-move[{number}]"
                yield game_log.RunNote(place, words, offset, length, run)
            case Form.TAG:
                assert set_tags is not None
                name, *value = asking.texts[text]
                set_tags[str(name)] = _text(tuple(value), part, events, first, turn)
            case Form.REMOVED:
                assert removed is not None
                removed.add(place)
            case Form.TEXT:
                words = _text(asking.texts[text], part, events, first, turn)
                if words:
                    yield place, words


_RUN: Final = (1 << lowering_notes.RUN_LENGTH) - 1
_OPERANDS: Final = (Form.VALUE, Form.NOTHING)


def _text(parts: TextParts, given: planning.Part, events: Sequence[int], at: int, turn: int) -> str:
    """A comment; the events from `at` on are its operands."""
    found: list[str] = []
    for part in parts:
        if isinstance(part, str):
            found.append(part)
            continue
        if part.fen:
            words = events[2 * at + 1 : 2 * (at + lowering_notes.BOARD_WORDS) : 2]
            found.append(_fen_text(words))
            at += lowering_notes.BOARD_WORDS
            continue
        form = events[2 * at] >> routines_notes.FORM & routines_notes.FORM_MASK
        found.append(_operand(part, given, form == Form.VALUE, events[2 * at + 1], turn))
        at += 1
    return "".join(found)


def _operand(part: Operand, given: planning.Part, known: bool, payload: int, turn: int) -> str:
    """The text of an operand, like `closures_output.text_of`."""
    if not known:
        return values.unbound_text(part.name) if payload else values.NO_VALUE
    match part.kind:
        case Type.SET:
            return values.set_text(payload)
        case Type.PIECE:
            if not payload:
                return values.ABSENT
            return men.SYMBOLS[payload >> 6] + squares.NAMES[payload & 63]
        case Type.STRING:
            return (given.texts if part.texts is None else part.texts)[payload]
        case Type.NUMERIC:
            return values.number_text(_signed(payload))
        case Type.POSITION:
            return place_text(payload, turn)
        case _:
            return values.truth_text(payload)


def _tree(asked: games.Games, game: int, variations: bool) -> tree.GameTree:
    """The tree of a game, or only its main line."""
    record = asked.start_records[int(asked.starts[game]) * layout.SIZE :]
    words = [*record[1:13], record[layout.CASTLING], record[layout.PASSED], record[layout.TURN]]
    first = int(asked.firsts[game])
    packed = asked.packed[first : first + int(asked.counts[game])].tolist()
    whole = tree.GameTree.decode(_fen_text([int(one) for one in words]), packed)
    return whole if variations else whole.mainline()


def _fen_text(words: Sequence[int]) -> str:
    """The text of `fen` for a position in the form of `lowering_notes`."""
    board = position.Position()
    for man, area in enumerate(words[:12], 1):
        board.men[man] = area
        for square in squares.bits(area):
            board.squares[square] = man
    board.castling, passed, board.turn = words[12:]
    board.ep = squares.lowest(passed) if passed else -1
    return closures_squares.fen_text(board)


def _signed(word: int) -> int:
    return word - (MASK + 1) if word > MASK >> 1 else word


def place_text(payload: int, turn: int) -> str:
    """A position in words, like `Evaluation.position_text`. `turn` is the side to move at the start of the
    game."""
    half = (payload >> lowering_notes.PLY_SHIFT & _HALF) + turn
    text = f"move {half // 2 + 1}({'btm' if half % 2 else 'wtm'})"
    return f"{text}[{payload & _PLACE}]" if payload & lowering_notes.VARIATION else text
