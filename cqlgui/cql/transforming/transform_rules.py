"""How transforms act on each node kind (transforms spec, 2): one `Rule` for each kind, and functions that
build rules.

A module that adds node kinds enters their rules into `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cqlgui.base import data
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes
from cqlgui.cql.source.diagnostics import Span

Part = tuple[Any, ...]
"""("set", squares, men) | ("directions", mask) | ("colour", black) | ("shade", dark) | ("result", text)
| ("orbit", signatures of its elements in canonical order)
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """How transforms act on a node kind.

    `children` returns the children in text order. `part` returns the part of the node itself that a transform
    changes. If a transform changes nothing in the node itself, `part` returns None. `make` builds a new node
    from the changed part and from a function that maps the children. `evaluated`, if given, returns only the
    children that are evaluated together with the node. The remaining children are parts of the notation, such
    as the men after the `=` of a promotion.
    """

    children: Callable[[Any], tuple[nodes.Node, ...]]
    part: Callable[[Any], Part | None]
    make: Callable[[Any, Any, Callable[[nodes.Node], nodes.Node]], nodes.Node]
    evaluated: Callable[[Any], tuple[nodes.Node, ...]] | None = None


Image = Callable[[nodes.Node], nodes.Node]


def fixed() -> Rule:
    return Rule(lambda node: (), lambda node: None, lambda node, part, image: node)


def operand(make: Callable[[Any, nodes.Node], nodes.Node]) -> Rule:
    return Rule(
        lambda node: (node.operand,),
        lambda node: None,
        lambda node, part, image: make(node, image(node.operand)),
    )


def pair(make: Callable[[Any, nodes.Node, nodes.Node], nodes.Node]) -> Rule:
    return Rule(
        lambda node: (node.left, node.right),
        lambda node: None,
        lambda node, part, image: make(node, image(node.left), image(node.right)),
    )


def several(
    children: Callable[[Any], tuple[nodes.Node, ...]],
    make: Callable[[Any, tuple[nodes.Node, ...]], nodes.Node],
) -> Rule:
    return Rule(
        children,
        lambda node: None,
        lambda node, part, image: make(node, tuple(image(child) for child in children(node))),
    )


def colour_part(node: Any) -> Part | None:
    return None if node.colour is None else ("colour", node.colour == "black")


def coloured(make: Callable[[Span, Any], nodes.Node]) -> Rule:
    def build(node: Any, part: Part | None, image: Image) -> nodes.Node:
        return node if part is None else make(node.span, "black" if part[1] else "white")

    return Rule(lambda node: (), colour_part, build)


RULES: Final[dict[type[nodes.Node], Rule]] = {
    nodes.Designator: Rule(
        lambda n: (),
        lambda n: ("set", n.squares, n.men),
        lambda n, part, image: nodes.Designator(n.span, part[2], part[1]),
    ),
    nodes.AllSquares: fixed(),
    nodes.EmptySet: fixed(),
    nodes.Number: fixed(),
    nodes.String: fixed(),
    nodes.Name: fixed(),
    nodes.Truth: fixed(),
    nodes.SideToMove: coloured(nodes.SideToMove),
    nodes.State: fixed(),
    nodes.CurrentPosition: fixed(),
    nodes.Measure: fixed(),
    nodes.Elo: coloured(nodes.Elo),
    nodes.Player: coloured(nodes.Player),
    nodes.Result: Rule(
        lambda n: (), lambda n: ("result", n.result), lambda n, part, image: nodes.Result(n.span, part[1])
    ),
    nodes.TagText: fixed(),
    nodes.ImplicitSearch: Rule(
        lambda n: (n.text,),
        lambda n: None,
        lambda n, part, image: nodes.ImplicitSearch(n.span, n.needle, image(n.text)),
    ),
    nodes.Not: operand(lambda n, f: nodes.Not(n.span, f)),
    nodes.Complement: operand(lambda n, f: nodes.Complement(n.span, f)),
    nodes.Negate: operand(lambda n, f: nodes.Negate(n.span, f)),
    nodes.Count: operand(lambda n, f: nodes.Count(n.span, f)),
    nodes.Numeric: operand(lambda n, f: nodes.Numeric(n.span, n.word, f)),
    nodes.Extremum: several(lambda n: n.operands, lambda n, fs: nodes.Extremum(n.span, n.word, fs)),
    nodes.Power: operand(lambda n, f: nodes.Power(n.span, f)),
    nodes.Shade: Rule(
        lambda n: (n.operand,),
        lambda n: ("shade", n.shade == "dark"),
        lambda n, part, image: nodes.Shade(n.span, "dark" if part[1] else "light", image(n.operand)),
    ),
    nodes.Direction: Rule(
        lambda n: (n.operand,),
        lambda n: ("directions", n.directions),
        lambda n, part, image: nodes.Direction(n.span, part[1], n.range, image(n.operand)),
    ),
    nodes.Between: pair(lambda n, a, b: nodes.Between(n.span, a, b)),
    nodes.Ray: Rule(
        lambda n: n.operands,
        lambda n: ("directions", n.directions),
        lambda n, part, image: nodes.Ray(
            n.span, part[1], n.attack, n.range, tuple(image(f) for f in n.operands)
        ),
    ),
    nodes.Find: operand(lambda n, f: nodes.Find(n.span, n.quiet, n.all, n.backwards, n.range, f)),
    nodes.Sort: operand(lambda n, f: nodes.Sort(n.span, n.quiet, n.order, n.doc, f)),
    nodes.Comment: several(lambda n: n.parts, lambda n, fs: nodes.Comment(n.span, fs, n.slashes)),
    nodes.Compound: several(lambda n: n.filters, lambda n, fs: nodes.Compound(n.span, fs)),
    nodes.SetOperation: pair(lambda n, a, b: nodes.SetOperation(n.span, n.operator, a, b)),
    nodes.Attack: pair(lambda n, a, b: nodes.Attack(n.span, n.word, a, b)),
    nodes.Arrow: several(lambda n: n.operands, lambda n, fs: nodes.Arrow(n.span, n.operator, fs)),
    nodes.Compare: pair(lambda n, a, b: nodes.Compare(n.span, n.operator, a, b)),
    nodes.Arithmetic: pair(lambda n, a, b: nodes.Arithmetic(n.span, n.operator, a, b)),
    nodes.In: pair(lambda n, a, b: nodes.In(n.span, a, b)),
    nodes.Logic: pair(lambda n, a, b: nodes.Logic(n.span, n.word, a, b)),
    nodes.Assign: several(lambda n: (n.value,), lambda n, fs: data.replace(n, value=fs[0])),
    nodes.SquareLoop: several(
        lambda n: (n.domain, n.body), lambda n, fs: nodes.SquareLoop(n.span, n.name, n.all, fs[0], fs[1])
    ),
    nodes.PieceLoop: several(
        lambda n: (n.domain, n.body), lambda n, fs: nodes.PieceLoop(n.span, n.name, n.all, fs[0], fs[1])
    ),
    nodes.PieceAssign: several(lambda n: (n.value,), lambda n, fs: nodes.PieceAssign(n.span, n.name, fs[0])),
}
"""The rule of every kind of filter, except a few kinds that `transforms` handles without a rule."""
