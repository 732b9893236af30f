"""Types, printed forms and transform rules of the node kinds in `nodes_tree`."""

from __future__ import annotations

from cqlgui.cql.ast import nodes, nodes_tree, types
from cqlgui.cql.ast.types import Names, Type
from cqlgui.cql.printing import printers
from cqlgui.cql.printing.printers import Printed, Style
from cqlgui.cql.transforming import transform_rules


def _at_type(node: nodes.Node, names: Names) -> Type:
    """The type of the filter after the colon. A piece variable after the colon has the type of a set."""
    assert isinstance(node, nodes_tree.At)
    kind = types.infer(node.filter, names)
    return Type.SET if kind is Type.PIECE else kind


def _echo_type(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes_tree.Echo)
    return Type.NUMERIC if types.infer(node.operand, names) is Type.NUMERIC else Type.LOGICAL


types.RULES.update(
    {
        nodes_tree.At: _at_type,
        nodes_tree.Parent: lambda node, names: Type.POSITION,
        nodes_tree.Child: lambda node, names: Type.POSITION,
        nodes_tree.InitialPosition: lambda node, names: Type.POSITION,
        nodes_tree.PositionNumber: lambda node, names: Type.POSITION,
        nodes_tree.CommonAncestor: lambda node, names: Type.POSITION,
        nodes_tree.Distance: lambda node, names: Type.NUMERIC,
        nodes_tree.Kinship: lambda node, names: Type.LOGICAL,
        nodes_tree.Descent: lambda node, names: Type.POSITION,
        nodes_tree.Echo: _echo_type,
        nodes_tree.ConsecutiveMoves: lambda node, names: Type.NUMERIC,
        nodes_tree.SimilarPosition: lambda node, names: Type.LOGICAL,
        nodes_tree.Equal: lambda node, names: Type.LOGICAL,
    }
)


def _at(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_tree.At)
    right = printers.print_filter(node.filter, style)
    text = f"{printers.print_filter(node.position, style).within(0, before=1)}:{right.within(1)}"
    return Printed(text, 1, right.open if right.level <= 1 else 0)


def _child(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_tree.Child)
    return Printed("child" if node.index is None else "child" + printers.arguments((node.index,), 9, style))


def _position_number(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_tree.PositionNumber)
    return printers.prefix("position ", printers.print_filter(node.operand, style), 9)


def _pair(word: str, level: int = 14) -> printers.Printer:
    def printed(node: nodes.Node, style: Style) -> Printed:
        assert isinstance(node, nodes_tree.CommonAncestor | nodes_tree.Distance | nodes_tree.Equal)
        return Printed(word + printers.arguments((node.left, node.right), level, style))

    return printed


def _kinship(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_tree.Kinship)
    return Printed(node.word + printers.arguments((node.left, node.right), 14, style))


_LINEAGE_SIGNS = {"[<]": "≺", "[<=]": "≼", "[>]": "≻", "[>=]": "≽"}


def _descent(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_tree.Descent)
    sign = _LINEAGE_SIGNS[node.operator] if style == "unicode" else node.operator
    return printers.infix(node.left, sign, node.right, (10, 9, 10), style)


def _echo(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_tree.Echo)
    words = (
        f"echo{' quiet' if node.quiet else ''} ({node.source} {node.target}){' in all' if node.whole else ''}"
    )
    return printers.prefix(f"{words} ", printers.print_filter(node.operand, style), 14)


def _consecutive_moves(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_tree.ConsecutiveMoves)
    words = ["consecutivemoves"]
    if node.quiet:
        words.append("quiet")
    if node.range is not None:
        words.append(printers.bounds(node.range))
    return Printed(f"{' '.join(words)} ({node.left} {node.right})")


def _similar_position(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_tree.SimilarPosition)
    words = ["similarposition"]
    if node.nosort:
        words.append("nosort")
    if node.notransform:
        words.append("notransform")
    return Printed(f'{" ".join(words)} "{node.file}"')


printers.PRINTERS.update(
    {
        nodes_tree.At: _at,
        nodes_tree.Parent: lambda node, style: Printed("parent"),
        nodes_tree.Child: _child,
        nodes_tree.InitialPosition: lambda node, style: Printed("initialposition"),
        nodes_tree.PositionNumber: _position_number,
        nodes_tree.CommonAncestor: _pair("lca"),
        nodes_tree.Distance: _pair("distance"),
        nodes_tree.Kinship: _kinship,
        nodes_tree.Descent: _descent,
        nodes_tree.Echo: _echo,
        nodes_tree.ConsecutiveMoves: _consecutive_moves,
        nodes_tree.SimilarPosition: _similar_position,
        nodes_tree.Equal: _pair("equal"),
    }
)

transform_rules.RULES.update(
    {
        nodes_tree.At: transform_rules.several(
            lambda n: (n.position, n.filter), lambda n, fs: nodes_tree.At(n.span, fs[0], fs[1])
        ),
        nodes_tree.Parent: transform_rules.fixed(),
        nodes_tree.Child: transform_rules.several(
            lambda n: () if n.index is None else (n.index,),
            lambda n, fs: nodes_tree.Child(n.span, fs[0]) if fs else n,
        ),
        nodes_tree.InitialPosition: transform_rules.fixed(),
        nodes_tree.PositionNumber: transform_rules.operand(lambda n, f: nodes_tree.PositionNumber(n.span, f)),
        nodes_tree.CommonAncestor: transform_rules.pair(
            lambda n, a, b: nodes_tree.CommonAncestor(n.span, a, b)
        ),
        nodes_tree.Distance: transform_rules.pair(lambda n, a, b: nodes_tree.Distance(n.span, a, b)),
        nodes_tree.Kinship: transform_rules.pair(lambda n, a, b: nodes_tree.Kinship(n.span, n.word, a, b)),
        nodes_tree.Descent: transform_rules.pair(
            lambda n, a, b: nodes_tree.Descent(n.span, n.operator, a, b)
        ),
        nodes_tree.Echo: transform_rules.operand(
            lambda n, f: nodes_tree.Echo(n.span, n.quiet, n.source, n.target, n.whole, f)
        ),
        nodes_tree.ConsecutiveMoves: transform_rules.fixed(),
        nodes_tree.SimilarPosition: transform_rules.fixed(),
        nodes_tree.Equal: transform_rules.pair(lambda n, a, b: nodes_tree.Equal(n.span, a, b)),
    }
)
