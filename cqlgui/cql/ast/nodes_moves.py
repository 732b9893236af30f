"""Nodes of moves: dashes, possible moves, facts about the previous move, the older `move`, and pins."""

from __future__ import annotations

from typing import Literal

from cqlgui.cql.ast.nodes import Node, node


@node
class Dash(Node):
    """`L--R=P(T)`, or `L[x]R=P(T)` if `capture` is True (spec 9). If a part is not written, its field is
    None. If T consists of several filters, `target` is one `nodes.Compound`. `promotion` is a `Designator`
    without squares, an `AllSquares` node (any man), or a filter with a string as value.
    """

    capture: bool
    left: Node | None
    right: Node | None
    promotion: Node | None
    target: Node | None


@node
class PossibleMoves(Node):
    """`legal DASH`, or `pseudolegal DASH` if `pseudo` is True (spec 9.5): the squares that these moves lead
    to.

    `target` is None or one of the words castle, o-o, o-o-o, enpassant.
    """

    pseudo: bool
    left: Node | None
    right: Node | None
    target: Node | None


@node
class CountMoves(Node):
    """`countmoves DASH`, `countmoves legal DASH` (spec 9.6): `moves` is a `Dash` or `PossibleMoves`."""

    moves: Node


@node
class CurrentMove(Node):
    """`currentmove DASH` (spec 8.6): the move that led to the position matches the dash."""

    dash: Dash


PreviousWord = Literal["enpassant", "nullmove", "primary", "secondary"]


@node
class PreviousMove(Node):
    """A condition on the move that led to the position (spec 8.6)."""

    word: PreviousWord


PreviousSquaresWord = Literal["from", "to", "enpassantsquare"]


@node
class PreviousSquares(Node):
    """Squares of the move that led to the position (spec 8.6)."""

    word: PreviousSquaresWord


MoveWord = Literal[
    "from", "to", "capture", "promote", "enpassantsquare",
    "enpassant", "castle", "o-o", "o-o-o", "null", "primary", "secondary",
    "previous", "legal", "pseudolegal", "count",
]  # fmt: skip
OPERAND_WORDS: frozenset[str] = frozenset({"from", "to", "capture", "promote", "enpassantsquare"})
"""Parameters of `move` that take an operand."""


@node
class Move(Node):
    """The older filter `move` (spec 16.1). `words` holds the parameter words in the order written. `operands`
    holds one filter for each parameter that takes an operand.

    `comment` holds the parts of `comment(...)`, or None if there is no comment.
    """

    words: tuple[MoveWord, ...]
    operands: tuple[Node, ...]
    comment: tuple[Node, ...] | None


PinWord = Literal["from", "through", "to"]


@node
class Pin(Node):
    """`pin from S through T to U` (spec 8.3): the words in the order written, with their sets."""

    words: tuple[PinWord, ...]
    operands: tuple[Node, ...]
