"""Finds the values of hits and the squares to ring. A third compiled function of the query does this work and
runs only at hits.

The function finds the same values and squares as the interpreter. The interpreter finds the squares in
`cql.interpreting.rings`. Each hit gets the value of the query's body. If the variables at a hit depend on
earlier positions, the game is evaluated from the first position to the last hit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from cqlgui.base.data import dataclass, field
from cqlgui.cql.ast import nodes, nodes_facts, nodes_moves, nodes_studies, nodes_tree, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.cql.transforming import transforms
from cqlgui.engine.kernels import routines_notes
from cqlgui.engine.lowering import (
    lowering_notes,
    lowering_orbits,
    writing,
)
from cqlgui.engine.lowering.blocks import field_of, integer, not_empty, word
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import Scope, TextParts, TooLargeError, Unsupported
from cqlgui.engine.passes import lowering_matches, lowering_rings, orbit_pass
from cqlgui.engine.passes.orbit_pass import Codes, Ends
from cqlgui.engine.replaying import layout, replay
from cqlgui.engine.replaying.games import Games, Integers, Words
from cqlgui.jit import emitter
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import MASK, Scalar

NO_VALUE: Final = -(1 << 63)
"""The number in `Detailed.values` for a hit without a value."""


@dataclass(frozen=True, slots=True)
class Detailed:
    """The details of several hits. `ends` and `codes` have the form that `orbit_pass.Told` describes. `marks`
    has the squares of each match, and `squares` has the squares of each hit. `values` has numbers or sets,
    depending on the type of the query's body. An event has two words (`lowering_notes`); the events of hit n
    end at `event_ends[n]`. `games` has a row for each game with hits (`Runner.run`). The rows of games in
    `doubtful` are not valid."""

    ends: Ends
    codes: Codes
    marks: Words
    squares: Words
    values: Integers
    event_ends: Ends
    events: Words
    games: orbit_pass.GameRows
    doubtful: Integers


MATCHCOUNT: Final = closures.SortSpec("matchcount", True, False)
"""The sort key of `sort matchcount` in a header."""


@dataclass(frozen=True, slots=True)
class DetailPass:
    """The third function of a query. Any number of threads may run `tell` at once."""

    valued: Type | None
    """The type of the values; None if hits have no values."""
    value_texts: tuple[str, ...] | None
    """If values are strings, the texts of values (`scope.Text`)."""
    speaks: bool
    """Whether the function reports events: comments, and matches of elements at other positions."""
    texts: tuple[TextParts, ...]
    """The texts of events."""
    specs: tuple[closures.SortSpec, ...]
    """The sort keys of the query. `MATCHCOUNT` is the last key if the header sorts by the number of hits."""
    text_keys: frozenset[int]
    """The numbers of the sort keys whose values are texts (`Lowering.text_keys`)."""
    variations: bool
    """Whether the query looks at variations."""
    lasting: bool
    """Whether the query sets tags or removes comments of the file."""
    _runner: orbit_pass.Runner = field(repr=False)
    spoken: dict[bytes, str] = field(default_factory=dict, repr=False, compare=False)
    """Comments that were made of events, by the words of these events (`tasks.search.speaking`)."""

    def tell(self, asked: Games, hits: Integers, *, before: int, facts: Words) -> Detailed:
        """The details of `hits`. The parameters are those of `OrbitPass.tell`."""
        found = self._runner.run(asked, hits, before=before, facts=facts)
        return Detailed(
            found.ends, found.codes, found.marks, found.squares, found.values.view(np.int64),
            found.event_ends, found.events, found.games, found.doubtful,
        )  # fmt: skip

    def code_of(self, bit: int) -> int:
        """The element that the payload of a match stands for, as `orbit_pass.code_of`."""
        return self._runner.code_of(bit)


def make(
    expanded: transforms.Expanded, low: Lowering, fact_places: Sequence[int], mode: int
) -> DetailPass | Unsupported:
    """Make the third function of a query. `low` must have compiled the whole query before. Returns a reason
    if the interpreter must find the details."""
    assert expanded.query is not None
    body, sizes = expanded.query.body, [len(info.elements) for info in expanded.orbits]
    kind = types.infer(body, expanded.names)
    if kind is Type.PIECE:
        return Unsupported(body.span, "values of this type are not compiled")
    for node in nodes.walk(body):
        if isinstance(node, _LEFT_OUT):
            return Unsupported(node.span, f"the details of {type(node).__name__} are not compiled")
    third = low.another()
    places = lowering_matches.words_of(sizes)
    probe = third.opened(third.module.function("probe", orbit_pass.PARAMETERS, Scalar.BOOL, exported=False))
    told = lowering_matches.can_tell(third, probe, body)
    written = writing.of(expanded, matches=not told)
    whole = bool(written.keys) or written.lasting
    logs = written.comments or whole or not told
    steady = low.is_steady(body) and not whole
    third = low.another()
    if logs:
        third.keep_log(written, [64 * place for place in places])
    maker = _Maker(third, body, kind, sizes, places, logs, id(body) in written.apart)
    try:
        kept = None if steady else maker.write_step()
        maker.write(steady, kept)
        third.check_frame()
    except TooLargeError:
        return Unsupported(body.span, "the details of the query are too large to be compiled")
    except lowering_notes.UntoldError as error:
        return Unsupported(body.span, str(error))
    if third.unsupported:
        return third.unsupported[0]
    if len(third.facts) != len(fact_places):
        return Unsupported(body.span, "the details need more facts than the search")
    mode |= replay.DETAILED | (0 if steady else replay.STEPPED) | (replay.LOGGED if logs else 0)
    mode |= replay.WHOLE if whole else 0
    keys = [third.key_slots(key) for key in range(len(written.specs))]
    lasting = third.lasting_slots if written.lasting else None
    runner = orbit_pass.Runner.make(
        third, sizes, fact_places, mode, stepped=not steady, keys=keys, lasting=lasting
    )
    valued = kind if kind in _VALUED else None
    header = expanded.query.header
    specs = (*written.specs, MATCHCOUNT) if header.sort_matchcount else written.specs
    return DetailPass(
        valued, maker.value_texts, logs or header.sort_matchcount, tuple(third.texts), specs,
        frozenset(third.text_keys), header.variations, written.lasting, runner,
    )  # fmt: skip


_VALUED: Final = (Type.SET, Type.NUMERIC, Type.STRING)
_LEFT_OUT: Final = (nodes_facts.Message, nodes_studies.StudySort, nodes_tree.SimilarPosition)
"""Filters whose effects only the interpreter reports."""


def _ask_text(low: Lowering, node: nodes.Node) -> None:
    """Add the questions about the game that the parts of a text need."""
    if isinstance(node, nodes.String):
        return
    if not low.is_answered(node):
        for part in nodes.children(node):
            _ask_text(low, part)
        return
    low.claim([low.question(node, low.type_of(node))])


def ask(low: Lowering, body: nodes.Node) -> None:
    """Add questions about the game to `low.facts`. The search does not need the answers to these questions,
    but the value of a hit depends on the answers. `low` must have compiled the query before."""
    for node in nodes.walk(body):
        texts: Sequence[nodes.Node] = ()
        if isinstance(node, nodes.Comment | nodes_facts.SetTag):
            texts = tuple(nodes.children(node))
        elif isinstance(node, nodes_moves.Move):
            texts = node.comment or ()
        for part in texts:
            _ask_text(low, part)
    kind = low.type_of(body)
    if kind not in _VALUED or (kind is not Type.STRING and not low.facts):
        return
    probe = low.another()
    f = probe.module.function("probe", orbit_pass.PARAMETERS, Scalar.WORD, exported=False)
    _value(probe, probe.opened(f), body, kind, [])
    low.claim(probe.facts)


@dataclass(slots=True)
class _Maker:
    """Writes the functions of a `DetailPass`. `apart` says whether the value of the query does not show
    whether the query holds."""

    low: Lowering
    body: nodes.Node
    kind: Type
    sizes: Sequence[int]
    places: Sequence[int]
    logs: bool
    apart: bool
    value_texts: tuple[str, ...] | None = None

    def write_step(self) -> int | None:
        """Write the function `step`, which is evaluated at every position. Like the interpreter, `step`
        evaluates the body only once. If the evaluation also gives the value of the body, `step` keeps the
        value in the frame. Returns the place of the value in the frame, or None if `step` keeps no value."""
        low = self.low
        f = low.module.function("step", orbit_pass.PARAMETERS, Scalar.BOOL, exported=True)
        s = low.opened(f)
        kept = low.note() if self._is_valued else None
        no = f.label()
        value = self._evaluate(s, no)
        if kept is not None:
            assert value is not None
            f.store(value, s.frame, integer(kept))
        f.leave(emitter.TRUE)
        f.begin(no)
        f.leave(emitter.FALSE)
        f.finish()
        return kept

    @property
    def _is_valued(self) -> bool:
        """Whether a single evaluation gives both the truth and the value."""
        return self.kind in _VALUED and not self.apart

    def _evaluate(self, s: Scope, no: str) -> Value | None:
        """Evaluate the body once, and go to `no` if the body fails. Returns the value if a single evaluation
        gives both the truth and the value. Events are added to an empty log."""
        f, low, body = s.f, self.low, self.body
        if self.logs:
            f.store(word(0), s.frame, integer(layout.NOTED))
        yes = f.label()
        if not self._is_valued:
            low.test(s, body, yes, no)
            f.begin(yes)
            return None
        if self.kind is Type.SET:
            area = low.set_of(s, body)
            f.branch(not_empty(s, area), yes, no)
            f.begin(yes)
            return area
        if self.kind is Type.STRING:
            found = low.text(s, body, no)
            self.value_texts = found.texts
            return f.converted(found.code, Scalar.WORD)
        return f.converted(low.number(s, body, no).value, Scalar.WORD)

    def write(self, steady: bool, kept: int | None) -> None:
        """Write the function `tell`, which runs at hits. `tell` finds the value, the elements that matched,
        and the squares. In a `steady` query, `tell` also evaluates the body once. Otherwise `step` did so
        before, and `kept` is the place of the value that `step` kept."""
        low, body, width = self.low, self.body, self.places[-1]
        names = ("records", "boards", "place", "frame", "out")
        f = low.module.function(
            "tell", list(zip(names, replay.TELL.parameters, strict=True)), Scalar.BOOL, exported=True
        )
        records, boards, place, frame, out = f.arguments
        s = low.at(f, records, boards, place, frame)
        # Such a query holds exactly where an element matches, so nothing else is tested.
        is_orbit = (
            isinstance(body, nodes.Orbit)
            and body.index >= 0
            and body.range is None
            and steady
            and not self.logs
            and not self._is_valued
        )
        value: Value | None = None
        if steady and not is_orbit:
            # Results that were combined from several searches may contain hits of other queries. The query is
            # therefore tested again at each hit.
            fails, holds = f.label(), f.label()
            value = self._evaluate(s, fails)
            f.jump(holds)
            f.begin(fails)
            f.leave(emitter.FALSE)
            f.begin(holds)
        elif kept is not None:
            value = f.load(frame, integer(kept))
        with low.without_log():
            if value is None:
                texts: list[tuple[str, ...] | None] = []
                value = _value(low, s, body, self.kind, texts)
                self.value_texts = texts[0] if texts else None
            f.store(value, out, integer(width))

            def ring(inner: Scope, element: nodes.Node, number: Value) -> None:
                area = lowering_rings.of_element(low, inner, element)
                f.store(area, out, f.binary("add", number, integer(width + 2)))

            if self.logs and self.sizes:
                f.call(
                    routines_notes.collect.callee,
                    (frame, out, f.converted(field_of(s, layout.ID), Scalar.INT)),
                )
                self._ring_collected(s, out, ring)
            elif self.sizes:
                lowering_matches.write(low, s, body, out, self.places, ring)
            # With transforms, `DetailPass.tell` computes the squares of a hit from the squares of the
            # elements that matched.
            area = word(0) if self.sizes else lowering_rings.ringed(low, s, body)
        f.store(area, out, integer(width + 1))
        if is_orbit:
            matched = word(0)
            for place_of_bits in range(width):
                matched = f.binary("or", matched, f.load(out, integer(place_of_bits)))
            f.leave(f.compare("ne", matched, word(0)))
        else:
            f.leave(emitter.TRUE)
        f.finish()

    def _ring_collected(self, s: Scope, out: Value, ring: Callable[[Scope, nodes.Node, Value], None]) -> None:
        """Find the squares of the elements whose bits are set in `out`."""
        f = s.f
        done: set[int] = set()
        for node in lowering_matches.outermost(self.body):
            if node.index in done:
                continue
            done.add(node.index)
            first = self.low.bits[node.index]

            def each(
                inner: Scope, element: nodes.Node, number: Value, following: str, first: int = first
            ) -> None:
                bit = f.binary("add", number, integer(first))
                place, inside = f.binary("shr", bit, integer(6)), f.binary("and", bit, integer(63))
                mask = f.binary("shl", word(1), f.converted(inside, Scalar.WORD))
                some = f.label()
                f.branch(not_empty(s, f.binary("and", f.load(out, place), mask)), some, following)
                f.begin(some)
                ring(inner, element, bit)
                f.jump(following)

            lowering_orbits.each_element(self.low, s, node, each)


def _value(
    low: Lowering, s: Scope, body: nodes.Node, kind: Type, texts: list[tuple[str, ...] | None]
) -> Value:
    """The value of the body as a word. `Text.texts` of a string is added to `texts`."""
    f = s.f
    if kind is Type.SET:
        return low.set_of(s, body)
    if kind not in _VALUED:
        return word(0)
    value = f.slot(Scalar.WORD)
    none, after = f.label(), f.label()
    f.store(word(NO_VALUE & MASK), value)
    if kind is Type.STRING:
        found = low.text(s, body, none)
        texts.append(found.texts)
        f.store(f.converted(found.code, Scalar.WORD), value)
    else:
        f.store(f.converted(low.number(s, body, none).value, Scalar.WORD), value)
    f.jump(after)
    f.begin(none)
    f.jump(after)
    f.begin(after)
    return f.load(value)


__all__ = ["NO_VALUE", "DetailPass", "Detailed", "make"]
