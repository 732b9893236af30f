"""Types, spelling and transforms of the node kinds of `nodes_moves`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cqlgui.cql.ast import nodes, nodes_moves, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.printing import printers
from cqlgui.cql.transforming import transform_rules

# --- types --------------------------------------------------------------------------------------------------


def _dash_type(node: nodes.Node, names: types.Names) -> Type:
    """The type of a dash: the type of its target, or LOGICAL if there is no target."""
    assert isinstance(node, nodes_moves.Dash)
    if node.target is None:
        return Type.LOGICAL
    kind = types.infer(node.target, names)
    return Type.SET if kind is Type.PIECE else kind


def _current_move_type(node: nodes.Node, names: types.Names) -> Type:
    assert isinstance(node, nodes_moves.CurrentMove)
    return _dash_type(node.dash, names)


def _move_type(node: nodes.Node, names: types.Names) -> Type:
    """The type of the older `move`. With the parameter `count`, the filter is numeric. Without `count`, the
    first parameter determines the type."""
    assert isinstance(node, nodes_moves.Move)
    if "count" in node.words:
        return Type.NUMERIC
    return Type.SET if node.words and node.words[0] in ("from", "to", "capture") else Type.LOGICAL


types.RULES.update(
    {
        nodes_moves.Dash: _dash_type,
        nodes_moves.PossibleMoves: lambda node, names: Type.SET,
        nodes_moves.CountMoves: lambda node, names: Type.NUMERIC,
        nodes_moves.CurrentMove: _current_move_type,
        nodes_moves.PreviousMove: lambda node, names: Type.LOGICAL,
        nodes_moves.PreviousSquares: lambda node, names: Type.SET,
        nodes_moves.Move: _move_type,
        nodes_moves.Pin: lambda node, names: Type.SET,
    }
)

# --- printing -----------------------------------------------------------------------------------------------


def _dash(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_moves.Dash)
    return _dashed(node.capture, node.left, node.right, node.promotion, node.target, style)


_SIGNS = ("--", "[x]", "―", "×")
"""The signs of dashes. The parser reads a promotion or a target after a dash as a part of the dash."""


def _dashed(
    capture: bool,
    left: nodes.Node | None,
    right: nodes.Node | None,
    promotion: nodes.Node | None,
    target: nodes.Node | None,
    style: printers.Style,
) -> printers.Printed:
    """A dash with its sets, its promotion and its target. If no set is written before the sign of the dash,
    the dash has the precedence of a primary expression."""
    text = "" if left is None else printers.print_filter(left, style).within(6, before=7)
    if text.endswith("∙") or text.startswith(_SIGNS):
        # The left set gets brackets in two cases. If the set ends with `∙`, the parser would not read the set
        # as the left set of a dash. If the set begins with a dash and the text follows `currentmove`, the
        # parser would read only that dash as the dash of `currentmove`.
        text = f"({text})"
    if style == "unicode":
        text += "×" if capture else "――"
    else:
        text += "[x]" if capture else "--"
    opened = 0
    if right is not None:
        printed = printers.print_filter(right, style)
        # Without braces, the parser would read a round bracket at the beginning of the right set as the
        # target. If the right set contains a dash, the parser would read the promotion and the target as
        # parts of that dash.
        shut = printed.level > 6 or printed.text.startswith("(") or any(one in printed.text for one in _SIGNS)
        shut = shut or printers.runs_into_bracket(printed.text)
        # A filter at the end of the right set may continue to the right. Without braces, the parser would
        # read the promotion or the target as a part of this filter.
        shut = shut or (printed.open > 0 and (promotion is not None or target is not None))
        text += f"{{{printed.text}}}" if shut else printed.text
        opened = 0 if shut else max(6, printed.open)
    if promotion is not None:
        printed = printers.print_filter(promotion, style)
        plain = isinstance(promotion, nodes.Designator | nodes.AllSquares | nodes.String)
        text += "=" + (printed.text if plain else f"{{{printed.text}}}")
        # Without brackets around the dash, everything after the promotion would be read as a part of the
        # promotion.
        opened = 14
    if target is not None:
        filters = target.filters if isinstance(target, nodes.Compound) else (target,)
        text += printers.arguments(filters, 14, style)
        opened = 0
    return printers.Printed(text, 0 if left is None else 7, opened)


def _possible_moves(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_moves.PossibleMoves)
    dashed = _dashed(False, node.left, node.right, None, node.target, style)
    return printers.prefix("pseudolegal " if node.pseudo else "legal ", dashed, 7)


def _count_moves(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_moves.CountMoves)
    return printers.prefix("countmoves ", printers.print_filter(node.moves, style), 7)


def _current_move(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_moves.CurrentMove)
    return printers.prefix("currentmove ", printers.print_filter(node.dash, style), 7)


def _previous(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_moves.PreviousMove | nodes_moves.PreviousSquares)
    return printers.Printed(node.word)


def _move(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_moves.Move)
    text = _parameters("move", node.words, node.operands, style)
    if node.comment is not None:
        return printers.Printed(f"{text} comment{printers.spoken_arguments(node.comment, style)}")
    # Many parameter words of `move` are filters too. If such a filter directly follows a `move` without
    # brackets, the parser reads the filter as a parameter of the `move`.
    return printers.Printed(text, open=14)


def _pin(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_moves.Pin)
    return printers.Printed(_parameters("pin", node.words, node.operands, style), open=14)


def _parameters(
    head: str, words: Sequence[str], operands: Sequence[nodes.Node], style: printers.Style
) -> str:
    texts, left = [head], list(operands)
    for word in words:
        texts.append(word)
        if head == "pin" or word in nodes_moves.OPERAND_WORDS:
            # Without brackets, the parser would read the next word as a parameter of the operand, for example
            # if the operand is another `move`.
            texts.append(printers.print_filter(left.pop(0), style).within(1, before=14))
    return " ".join(texts)


printers.PRINTERS.update(
    {
        nodes_moves.Dash: _dash,
        nodes_moves.PossibleMoves: _possible_moves,
        nodes_moves.CountMoves: _count_moves,
        nodes_moves.CurrentMove: _current_move,
        nodes_moves.PreviousMove: _previous,
        nodes_moves.PreviousSquares: _previous,
        nodes_moves.Move: _move,
        nodes_moves.Pin: _pin,
    }
)

# --- transforms ---------------------------------------------------------------------------------------------


def parts(node: Any) -> tuple[nodes.Node, ...]:
    """The filters of a dash, of possible moves, or of the dash under `countmoves` and `currentmove`."""
    if isinstance(node, nodes_moves.CountMoves):
        return parts(node.moves)
    if isinstance(node, nodes_moves.CurrentMove):
        return parts(node.dash)
    fields = [node.left, node.right, node.target]
    if isinstance(node, nodes_moves.Dash):
        fields.insert(2, node.promotion)
    return tuple(one for one in fields if one is not None)


def _image_of(node: Any, part: Any, image: transform_rules.Image) -> nodes.Node:
    def mapped(one: nodes.Node | None) -> nodes.Node | None:
        return None if one is None else image(one)

    match node:
        case nodes_moves.CountMoves():
            return nodes_moves.CountMoves(node.span, _image_of(node.moves, part, image))
        case nodes_moves.CurrentMove():
            dash = _image_of(node.dash, part, image)
            assert isinstance(dash, nodes_moves.Dash)
            return nodes_moves.CurrentMove(node.span, dash)
        case nodes_moves.PossibleMoves():
            left, right = mapped(node.left), mapped(node.right)
            return nodes_moves.PossibleMoves(node.span, node.pseudo, left, right, mapped(node.target))
        case _:
            assert isinstance(node, nodes_moves.Dash)
            left, right = mapped(node.left), mapped(node.right)
            promotion, target = mapped(node.promotion), mapped(node.target)
            return nodes_moves.Dash(node.span, node.capture, left, right, promotion, target)


def _move_parts(node: Any) -> tuple[nodes.Node, ...]:
    return (*node.operands, *(node.comment or ()))


def _make_move(node: Any, filters: tuple[nodes.Node, ...]) -> nodes.Node:
    count = len(node.operands)
    comment = None if node.comment is None else filters[count:]
    return nodes_moves.Move(node.span, node.words, filters[:count], comment)


def _evaluated(node: Any) -> tuple[nodes.Node, ...]:
    """The parts that are evaluated at a position. A promotion that is a designator is not evaluated, and the
    target of possible moves is not evaluated."""
    if isinstance(node, nodes_moves.CountMoves):
        return _evaluated(node.moves)
    if isinstance(node, nodes_moves.CurrentMove):
        return _evaluated(node.dash)
    unasked = node.target if isinstance(node, nodes_moves.PossibleMoves) else node.promotion
    if isinstance(node, nodes_moves.Dash) and not isinstance(unasked, nodes.Designator | nodes.AllSquares):
        unasked = None
    return tuple(one for one in parts(node) if one is not unasked)


def _evaluated_of_move(node: Any) -> tuple[nodes.Node, ...]:
    taking = [word for word in node.words if word in nodes_moves.OPERAND_WORDS]
    sets = (one for word, one in zip(taking, node.operands, strict=True) if word != "promote")
    return (*sets, *(node.comment or ()))


_OF_PARTS = transform_rules.Rule(parts, lambda node: None, _image_of, _evaluated)

transform_rules.RULES.update(
    {
        nodes_moves.Dash: _OF_PARTS,
        nodes_moves.PossibleMoves: _OF_PARTS,
        nodes_moves.CountMoves: _OF_PARTS,
        nodes_moves.CurrentMove: _OF_PARTS,
        nodes_moves.PreviousMove: transform_rules.fixed(),
        nodes_moves.PreviousSquares: transform_rules.fixed(),
        nodes_moves.Move: transform_rules.Rule(
            _move_parts,
            lambda node: None,
            lambda node, part, image: _make_move(node, tuple(image(one) for one in _move_parts(node))),
            _evaluated_of_move,
        ),
        nodes_moves.Pin: transform_rules.several(
            lambda n: n.operands, lambda n, fs: nodes_moves.Pin(n.span, n.words, fs)
        ),
    }
)
