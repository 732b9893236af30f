"""Types, printed forms and transform rules of the node kinds in `nodes_squares`."""

from __future__ import annotations

from cqlgui.board import men
from cqlgui.cql.ast import nodes, nodes_squares, types
from cqlgui.cql.ast.types import Names, Type
from cqlgui.cql.printing import printers
from cqlgui.cql.printing.printers import Printed, Style
from cqlgui.cql.transforming import transform_rules


def _fact_type(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes_squares.SquareFact)
    return Type.STRING if node.word in ("typename", "piecename") else Type.NUMERIC


types.RULES.update(
    {
        nodes_squares.ColourNumber: lambda node, names: Type.NUMERIC,
        nodes_squares.SquareFact: _fact_type,
        nodes_squares.MakeSquare: lambda node, names: Type.SET,
        nodes_squares.Fen: lambda node, names: Type.STRING,
        nodes_squares.Placement: lambda node, names: Type.LOGICAL,
        nodes_squares.PawnSet: lambda node, names: Type.SET,
        nodes_squares.Picture: lambda node, names: Type.SET,
    }
)


def _own_word(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_squares.PawnSet | nodes_squares.Picture)
    return Printed(node.word)


def _colour_number(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_squares.ColourNumber)
    return Printed(node.colour)


def _square_fact(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_squares.SquareFact)
    return printers.prefix(f"{node.word} ", printers.print_filter(node.operand, style), 7)


def _make_square(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_squares.MakeSquare)
    return Printed("makesquare" + printers.arguments(node.operands, 9, style))


LETTERS: dict[int, str] = {
    **{1 << man: men.SYMBOLS[man] for man in range(1, 13)},
    men.WHITE_MASK: "A",
    men.BLACK_MASK: "a",
    men.EMPTY_MASK: "_",
    men.ANY_MASK: ".",
}
"""The men masks that a placement can name, with their letters."""


def _placement(node: nodes.Node, style: Style) -> Printed:
    assert isinstance(node, nodes_squares.Placement)
    letters = {one.squares: LETTERS[one.men] for one in node.squares}
    rows = []
    for rank in range(7, -1, -1):
        row, empty = "", 0
        for file in range(8):
            letter = letters[1 << 8 * rank + file]
            if letter == "_":
                empty += 1
                continue
            row += (str(empty) if empty else "") + letter
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    return Printed(f'fen "{"/".join(rows)}"')


printers.PRINTERS.update(
    {
        nodes_squares.ColourNumber: _colour_number,
        nodes_squares.SquareFact: _square_fact,
        nodes_squares.MakeSquare: _make_square,
        nodes_squares.Fen: lambda node, style: Printed("fen"),
        nodes_squares.Placement: _placement,
        nodes_squares.PawnSet: _own_word,
        nodes_squares.Picture: _own_word,
    }
)


def _placement_of(node: nodes_squares.Placement, images: tuple[nodes.Node, ...]) -> nodes.Node:
    squares = tuple(image for image in images if isinstance(image, nodes.Designator))
    assert len(squares) == len(node.squares)
    return nodes_squares.Placement(node.span, squares)


transform_rules.RULES.update(
    {
        nodes_squares.ColourNumber: transform_rules.coloured(nodes_squares.ColourNumber),
        nodes_squares.SquareFact: transform_rules.operand(
            lambda n, f: nodes_squares.SquareFact(n.span, n.word, f)
        ),
        nodes_squares.MakeSquare: transform_rules.several(
            lambda n: n.operands, lambda n, fs: nodes_squares.MakeSquare(n.span, fs)
        ),
        nodes_squares.Fen: transform_rules.fixed(),
        nodes_squares.Placement: transform_rules.several(lambda n: n.squares, _placement_of),
        nodes_squares.PawnSet: transform_rules.fixed(),
        nodes_squares.Picture: transform_rules.fixed(),
    }
)
