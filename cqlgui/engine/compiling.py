"""Compiles queries to machine code. `compile_query` makes the functions that `scanning.scan` runs, and lists
the parts of the query that were not compiled."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from cqlgui.base import data
from cqlgui.base.data import dataclass, field
from cqlgui.cql.ast import nodes, nodes_paths
from cqlgui.cql.interpreting.expressions import closures as closures_
from cqlgui.cql.transforming import transforms
from cqlgui.engine import weakening
from cqlgui.engine.facts import gathering, questions
from cqlgui.engine.lowering import (
    lowering_board,
    lowering_dictionaries,
    lowering_logic,
    lowering_orbits,
    lowering_paths,
    lowering_sequences,
    lowering_studies,
    lowering_tree,
)
from cqlgui.engine.lowering.blocks import integer, word
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import TooLargeError, Unsupported
from cqlgui.engine.passes import detail_pass, orbit_pass
from cqlgui.engine.replaying import games, layout, replay, scanning, tiers
from cqlgui.jit import emitter, native, recalling
from cqlgui.jit.words import Scalar

RULES: Final = (
    lowering_board,
    lowering_dictionaries,
    lowering_logic,
    lowering_orbits,
    lowering_paths,
    lowering_sequences,
    lowering_studies,
    lowering_tree,
)
"""Modules that add their rules to `dispatch` when they are imported."""


_MOST_FOR_CARE: Final = 30_000
"""The maximum length, in characters, of a query's assembly code that is compiled together with the replay
loop. A query with longer code would not run faster after this compilation. The compilation of longer code
would take much time and would keep other queries waiting."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A query as a function of a position.

    The function finds the hits that the interpreter would find, except in doubtful games. The interpreter
    must search the doubtful games. The function does not test the conditions of the header. `unsupported` has
    the parts of the query that were not compiled. If evaluation reaches a part that was not compiled, the
    game is doubtful (but see `steady`).
    """

    unsupported: tuple[Unsupported, ...]
    mode: int
    """The `mode` of `replay.search`."""
    frame_size: int
    glance: nodes.Node | None
    """A filter that must hold at every match or at the position before every match. The filter depends only
    on the current position and the next move. The positions of a main line are laid out in memory only if
    this filter holds at some position of the line."""
    facts: tuple[questions.Fact, ...]
    """Questions about games. `asking.Asker` answers these questions. The function `tables.table` puts the
    answers into the form that `scan` takes."""
    steady: bool
    """True if the result at a position is independent of all evaluations at other positions. If some parts of
    a steady query are not compiled, the hits are only candidates. The interpreter then evaluates the query at
    each candidate, but not at the other positions of the game."""
    _planes: bool
    _fact_places: tuple[int, ...] = field(repr=False)
    assembly: str = field(repr=False)
    tiers: tiers.Tiers = field(repr=False)
    _second: Callable[[], orbit_pass.OrbitPass | None] = field(repr=False)
    _third: Callable[[], detail_pass.DetailPass | Unsupported] = field(repr=False)

    @property
    def wholly(self) -> bool:
        """Whether all of the query was compiled."""
        return not self.unsupported

    def orbit_pass(self) -> orbit_pass.OrbitPass | None:
        """The function that finds which orbit elements matched at hits. None if the interpreter must find the
        elements, or if the query has no outermost transform."""
        return self._second() if self.wholly else None

    def detail_pass(self) -> detail_pass.DetailPass | Unsupported:
        """The function that finds the details of hits. A reason if the interpreter must find the details."""
        return self._third() if self.wholly else self.unsupported[0]

    def scan(
        self, asked: games.Games, numbers: games.Integers | None = None, **options: Any
    ) -> Iterator[scanning.ScanResult]:
        """Search games, with the options of `scanning.scan`."""
        yield from scanning.scan(
            self.tiers,
            asked,
            numbers,
            mode=self.mode,
            frame_size=self.frame_size,
            planes=self._planes,
            fact_places=self._fact_places,
            **options,
        )


def compile_query(expanded: transforms.Expanded) -> Compiled | Unsupported:
    """Compile a query. Returns a reason if the query is not compiled at all."""
    assert expanded.query is not None
    query = expanded.query
    if not native.available():
        return Unsupported(query.body.span, "machine code cannot be made here")
    body, gathered = gathering.gathered(query.body)
    if gathered:
        query = data.replace(query, body=body)
        expanded = data.replace(expanded, query=query)
    atomics: dict[int, set[tuple[str, ...]]] = {}
    if any(isinstance(node, nodes.Assign) and node.atomic for node in nodes.walk(query.body)):
        # The interpreter's closures determine the order of the variables in a query. Most queries do not need
        # this order, so the closures are compiled only for some queries.
        from cqlgui.cql.interpreting import compilers

        closures = compilers.compiler(expanded.names)
        # `watch` refers to these two and not to `closures`, which would be a reference cycle.
        slots, declared = closures.slots, closures.atomics

        def watch(node: nodes.Node, code: closures_.Code) -> closures_.Code:
            if isinstance(node, nodes_paths.Path):
                known = tuple(name for name, slot in slots.items() if slot in declared)
                atomics.setdefault(id(node), set()).add(known)
            return code

        closures.watch = watch
        closures.compile(query.body)

    def lowering() -> Lowering:
        return Lowering(
            expanded.names, query.body, atomics, variations=query.header.variations, gathered=gathered
        )

    low = lowering()
    start = time.thread_time()
    try:
        steady = low.is_steady(query.body)
        _write(low, "query", query.body, marks_doubts=steady)
        glance = _write_glance(low, query.body, lowering) if low.buffered else None
        detail_pass.ask(low, query.body)
        low.check_frame()
    except TooLargeError:
        return Unsupported(query.body.span, "the query is too large to be compiled")
    assembly = low.module.assembly()
    query_callee, first_callee = (
        emitter.Callee(name, replay.ASK.parameters, replay.ASK.result)
        for name in ("@query", "@query" if glance is None else "@glance")
    )
    code = recalling.code(assembly)
    hasty = tiers.Functions(
        code.function(query_callee), code.function(first_callee), replay.streamed.routine, code
    )

    def made_with_care() -> tiers.Functions:
        code = replay.STREAMING.code(assembly, query_callee, kept=query.header.variations)
        ask = code.function(query_callee) if query.header.variations else hasty.ask
        stream = code.function(replay.STREAMING.callee)
        return tiers.Functions(ask, hasty.first, stream, (code, hasty))

    worth_care = not low.buffered and len(assembly.text) < _MOST_FOR_CARE
    both = tiers.Tiers(hasty, time.thread_time() - start, made_with_care if worth_care else None)
    if worth_care and replay.STREAMING.is_kept(assembly, query_callee, kept=query.header.variations):
        # An earlier search has run for so long that it was worth the care.
        both.improve()
    mode = replay.BUFFERED * low.buffered | replay.VARIATIONS * query.header.variations
    if glance is not None:
        mode |= replay.GLANCED
    return Compiled(
        tuple(low.unsupported),
        mode,
        low.frame_size,
        glance,
        tuple(low.facts),
        steady,
        low.planes,
        tuple(low.facts.values()),
        assembly.text,
        both,
        functools.cache(lambda: orbit_pass.make(expanded, low, tuple(low.facts.values()), mode)),
        functools.cache(lambda: detail_pass.make(expanded, low, tuple(low.facts.values()), mode)),
    )


def _write(low: Lowering, name: str, body: nodes.Node, *, marks_doubts: bool = False) -> None:
    """Write a filter as a function of a position. The function also returns True once the game is doubtful.
    After a hit, `replay` reads `layout.DOUBT` and ends the search of a doubtful game."""
    f = low.module.function(name, orbit_pass.PARAMETERS, Scalar.BOOL, exported=True)
    yes, no = f.label(), f.label()
    low.test(low.opened(f), body, yes, no)
    f.begin(yes)
    if low.unsupported and marks_doubts:
        # A position with a doubtful result counts as a hit, and the interpreter evaluates the query at this
        # position. The other hits of the game are valid, so the function clears `DOUBT`.
        doubt = f.label()
        f.store(word(0), f.arguments[3], integer(layout.DOUBT))
        f.leave(emitter.TRUE)
        f.begin(no)
        fails = f.label()
        f.branch(f.compare("ne", f.load(f.arguments[3], integer(layout.DOUBT)), word(0)), doubt, fails)
        f.begin(doubt)
        f.store(word(0), f.arguments[3], integer(layout.DOUBT))
        f.leave(emitter.TRUE)
        f.begin(fails)
        f.leave(emitter.FALSE)
        f.finish()
        return
    f.leave(emitter.TRUE)
    f.begin(no)
    if low.doubts:
        f.leave(f.compare("ne", f.load(f.arguments[3], integer(layout.DOUBT)), word(0)))
    else:
        f.leave(emitter.FALSE)
    f.finish()


def _write_glance(low: Lowering, body: nodes.Node, lowering: Callable[[], Lowering]) -> nodes.Node | None:
    """Write the function `glance`, which tests the part of a query that depends only on one position and its
    next move. Returns this part, or None if there is no such part."""
    scope = low.opened(low.module.function("scope", orbit_pass.PARAMETERS, Scalar.BOOL, exported=False))

    def is_idle(node: nodes.Node) -> bool:
        return low.is_idle(scope, node)

    def is_told(node: nodes.Node) -> bool:
        probe = lowering()
        try:
            _write(probe, "probe", node)
        except TooLargeError:
            return False
        return not (probe.buffered or probe.uncertain or probe.unsupported)

    try:
        found = weakening.weakened(body, is_idle, is_told)
        if found is None:
            found = weakening.weakened_before(body, is_idle, is_told)
        if found is not None:
            _write(low, "glance", found)
    except TooLargeError:
        return None
    return found
