"""Rules for filters about the solutions of studies (`hhdb mainline` and `hhdb variation`, spec 14)."""

from __future__ import annotations

from cqlgui.cql.ast import nodes_studies
from cqlgui.engine.lowering import lowering_tree
from cqlgui.engine.lowering.blocks import field_of, word
from cqlgui.engine.lowering.dispatch import TESTS, Lowering
from cqlgui.engine.lowering.scope import Scope
from cqlgui.engine.replaying import layout
from cqlgui.jit.words import Scalar


def _study(low: Lowering, s: Scope, node: nodes_studies.Study, yes: str, no: str) -> None:
    if node.key == "variation":
        _leaves_solution(low, s, node, yes, no)
    elif node.key == "mainline":
        _leaves_solution(low, s, node, no, yes)
    else:
        low.leave_out(s, node)
        s.f.jump(no)


def _leaves_solution(low: Lowering, s: Scope, node: nodes_studies.Study, yes: str, no: str) -> None:
    """Test whether a move on the way to the position begins a variation and has no comment with `<main>`
    (`closures_studies`)."""
    if not low.variations:
        # Without variations, every position lies in the main line.
        s.f.jump(no)
        return
    f = s.f
    place = f.slot(Scalar.INT)
    f.store(s.place, place)
    head, move, aside, up = f.label(), f.label(), f.label(), f.label()
    f.jump(head)
    f.begin(head)
    low.spend(s, 1, no)
    there = low.elsewhere(s, f.load(place))
    f.branch(f.compare("ne", field_of(there, layout.DEPTH), word(0)), move, no)
    f.begin(move)
    f.branch(lowering_tree.is_first(low, there), up, aside)
    f.begin(aside)
    low.test(there, nodes_studies.Study(node.span, "<main>"), up, yes)
    f.begin(up)
    f.store(f.converted(field_of(there, layout.PARENT), Scalar.INT), place)
    f.jump(head)


TESTS[nodes_studies.Study] = _study
