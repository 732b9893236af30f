"""Finds the values of hits and the squares to ring. A third compiled function of the query does this work and
runs only at hits.

The function finds the same values and squares as the interpreter. The interpreter finds the squares in
`cql.interpreting.rings`. Each hit gets the value of the query's body. If the variables at a hit depend on
earlier positions, the game is evaluated from the first position to the last hit.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

import numpy as np

from cqlgui.base.data import dataclass, field
from cqlgui.cql.ast import nodes, nodes_moves, nodes_studies, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.transforming import transforms
from cqlgui.engine import orbit_pass
from cqlgui.engine.lowering import lowering_matches, lowering_notes, lowering_rings
from cqlgui.engine.lowering.blocks import integer, not_empty, word
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import Scope, TooLargeError
from cqlgui.engine.orbit_pass import Codes, Ends
from cqlgui.engine.replaying import replay
from cqlgui.engine.replaying.games import Games, Integers, Words
from cqlgui.jit import emitter
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import MASK, Scalar

Form = lowering_notes.Form
"""The forms of events."""
NO_VALUE: Final = -(1 << 63)
"""The number in `Detailed.values` for a hit without a value."""
MOST_MARKED: Final = 64
"""If a hit has more matches than this number, the later matches get no squares, except the first match of
each orbit. `rings.Rings.squares` has the same rule."""


@dataclass(frozen=True, slots=True)
class Detailed:
    """The details of several hits. `ends` and `codes` have the form that `orbit_pass.Told` describes. `marks`
    has the squares of each match, and `squares` has the squares of each hit. `values` has numbers or sets,
    depending on the type of the query's body. An event has two words (`lowering_notes`); the events of hit n
    end at `event_ends[n]`. The rows of games in `doubtful` are not valid."""

    ends: Ends
    codes: Codes
    marks: Words
    squares: Words
    values: Integers
    event_ends: Ends
    events: Words
    doubtful: Integers


@dataclass(frozen=True, slots=True)
class DetailPass:
    """The third function of a query. Any number of threads may run `tell` at once."""

    valued: Type | None
    """The type of the values; None if hits have no values."""
    speaks: bool
    """Whether the comments of the query are reported as events."""
    _runner: orbit_pass.Runner = field(repr=False)
    _orbits: tuple[int, ...]
    """For each orbit, the place after the orbit's last word in the output. `lowering_matches.words_of`
    computes these places."""

    def tell(self, asked: Games, hits: Integers, *, before: int, facts: Words) -> Detailed:
        """The details of `hits`. The parameters are those of `OrbitPass.tell`."""
        found = self._runner.run(asked, hits, before=before, facts=facts)
        squares, marks = found.squares, found.marks
        if self._orbits and len(hits):
            starts = np.concatenate([[0], found.ends[:-1]])
            sizes = found.ends - starts
            owner = np.repeat(np.arange(len(hits)), sizes)
            orbit = found.codes >> orbit_pass.ELEMENT_BITS
            primary = np.ones(len(orbit), np.bool_)
            primary[1:] = (owner[1:] != owner[:-1]) | (orbit[1:] != orbit[:-1])
            squares = np.zeros(len(hits), np.uint64)
            np.bitwise_or.at(squares, owner[primary], marks[primary])
            place = np.arange(len(orbit)) - starts[owner]
            marks = np.where(primary | (place < MOST_MARKED), marks, np.uint64(0))
        return Detailed(
            found.ends, found.codes, marks, squares, found.values.view(np.int64), found.event_ends,
            found.events, found.doubtful,
        )  # fmt: skip


def make(
    expanded: transforms.Expanded,
    low: Lowering,
    fact_places: Sequence[int],
    mode: int,
    writers: Set[int],
) -> DetailPass | None:
    """Make the third function of a query. `low` must have compiled the whole query before. Returns None if
    the interpreter must find the details."""
    assert expanded.query is not None
    body, sizes = expanded.query.body, [len(info.elements) for info in expanded.orbits]
    kind = types.infer(body, expanded.names)
    if kind in (Type.STRING, Type.PIECE):
        return None
    steady = low.is_steady(body)
    late = not steady and any(isinstance(node, _APART) for node in nodes.walk(body))
    if late or any(isinstance(node, nodes.Sort | nodes_studies.StudySort) for node in nodes.walk(body)):
        return None
    if writers and (not steady or expanded.query.header.variations):
        return None
    third = low.another()
    places = lowering_matches.words_of(sizes)
    try:
        kept = None if steady else _write_step(third, body, kind)
        if not _write(third, body, kind, sizes, places, kept, writers):
            return None
        third.check_frame()
    except (TooLargeError, lowering_notes.UntoldError):
        return None
    if third.unsupported or len(third.facts) != len(fact_places) or (third.planes and not steady):
        return None
    mode |= replay.DETAILED | (0 if steady else replay.STEPPED)
    runner = orbit_pass.Runner.make(
        third,
        sizes,
        fact_places,
        mode,
        stepped=not steady,
        most_events=lowering_notes.MOST_EVENTS if writers else 0,
    )
    valued = kind if kind in (Type.SET, Type.NUMERIC) else None
    return DetailPass(valued, bool(writers), runner, tuple(places[1:]))


def ask(low: Lowering, body: nodes.Node) -> None:
    """Add questions about the game to `low.facts`. The search does not need the answers to these questions,
    but the value of a hit depends on the answers. `low` must have compiled the query before."""
    kind = low.type_of(body)
    if not low.facts or kind not in (Type.SET, Type.NUMERIC):
        return
    probe = low.another()
    f = probe.module.function("probe", orbit_pass.PARAMETERS, Scalar.WORD, exported=False)
    _value(probe, probe.opened(f), body, kind, None)
    low.claim(probe.facts)


_APART: Final = (nodes_moves.Dash, nodes_moves.CurrentMove, nodes_studies.StudyAward)
"""For these filters, the value does not show whether the filter holds. The truth and the value are therefore
evaluated separately."""


def _write_step(low: Lowering, body: nodes.Node, kind: Type) -> int | None:
    """Write the function `step`, which is evaluated at every position. Like the interpreter, `step` evaluates
    the body only once. If the body has a value, `step` keeps the value in the frame. Returns the place of the
    value in the frame, or None if `step` keeps no value."""
    f = low.module.function("step", orbit_pass.PARAMETERS, Scalar.BOOL, exported=True)
    s = low.opened(f)
    yes, no = f.label(), f.label()
    kept = low.note() if kind in (Type.SET, Type.NUMERIC) else None
    if kept is None:
        low.test(s, body, yes, no)
    elif kind is Type.SET:
        area = low.set_of(s, body)
        f.store(area, s.frame, integer(kept))
        f.branch(not_empty(s, area), yes, no)
    else:
        number = f.converted(low.number(s, body, no).value, Scalar.WORD)
        f.store(number, s.frame, integer(kept))
        f.jump(yes)
    f.begin(yes)
    f.leave(emitter.TRUE)
    f.begin(no)
    f.leave(emitter.FALSE)
    f.finish()
    return kept


def _write(
    low: Lowering,
    body: nodes.Node,
    kind: Type,
    sizes: Sequence[int],
    places: Sequence[int],
    kept: int | None,
    writers: Set[int],
) -> bool:
    """Write the function `tell`, which runs at hits. `tell` finds the value, the elements that matched, and
    the squares. Returns False if the interpreter must find the elements that matched."""
    names = ("records", "boards", "place", "frame", "out")
    f = low.module.function(
        "tell", list(zip(names, replay.TELL.parameters, strict=True)), Scalar.BOOL, exported=True
    )
    records, boards, place, frame, out = f.arguments
    s = low.at(f, records, boards, place, frame)
    if sizes and not lowering_matches.can_tell(low, s, body):
        return False
    width = places[-1]
    # Such a query holds exactly where an element matches, so nothing else is tested.
    is_orbit = isinstance(body, nodes.Orbit) and body.index >= 0 and body.range is None
    if kept is None and kind is not Type.NUMERIC and not is_orbit:
        # Results that were combined from several searches may contain hits of other queries. The query is
        # therefore tested again at each hit.
        holds, fails = f.label(), f.label()
        low.test(s, body, holds, fails)
        f.begin(fails)
        f.leave(emitter.FALSE)
        f.begin(holds)
    f.store(_value(low, s, body, kind, kept), out, integer(width))

    speaking = lowering_notes.Speaking(low, out, width + 2 + 64 * width, writers)

    def ring(inner: Scope, element: nodes.Node, number: Value) -> None:
        area = lowering_rings.ringed(low, inner, element)
        f.store(area, out, f.binary("add", number, integer(width + 2)))
        if is_orbit:
            speaking.write(inner, element)

    lowering_matches.write(low, s, body, out, places, ring)
    # With transforms, `DetailPass.tell` computes the squares of a hit from the squares of the elements that
    # matched.
    area = word(0) if sizes else lowering_rings.ringed(low, s, body)
    f.store(area, out, integer(width + 1))
    if is_orbit:
        matched = word(0)
        for place_of_bits in range(width):
            matched = f.binary("or", matched, f.load(out, integer(place_of_bits)))
        f.leave(f.compare("ne", matched, word(0)))
    else:
        speaking.write(s, body)
        f.leave(emitter.TRUE)
    f.finish()
    return True


def _value(low: Lowering, s: Scope, body: nodes.Node, kind: Type, kept: int | None) -> Value:
    f = s.f
    if kept is not None:
        return f.load(s.frame, integer(kept))
    if kind is Type.SET:
        return low.set_of(s, body)
    if kind is not Type.NUMERIC:
        return word(0)
    value = f.slot(Scalar.WORD)
    none, after = f.label(), f.label()
    f.store(word(NO_VALUE & MASK), value)
    f.store(f.converted(low.number(s, body, none).value, Scalar.WORD), value)
    f.jump(after)
    f.begin(none)
    f.jump(after)
    f.begin(after)
    return f.load(value)


__all__ = ["NO_VALUE", "DetailPass", "Detailed", "make"]
