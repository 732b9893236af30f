"""Node kinds about the board: what stands on a square, pawn structure, placements, pictures of mates."""

from __future__ import annotations

from typing import Literal

from cqlgui.cql.ast import nodes


@nodes.node
class ColourNumber(nodes.Node):
    """`white` (1), `black` (-1): the numbers that `sidetomove` gives."""

    colour: nodes.Colour


SquareWord = Literal["rank", "file", "type", "colortype", "typename", "piecename", "pieceid"]


@nodes.node
class SquareFact(nodes.Node):
    """A number or a letter about the single square of a set (spec 8.2)."""

    word: SquareWord
    operand: nodes.Node


@nodes.node
class MakeSquare(nodes.Node):
    """`makesquare (file rank)` with two numbers, `makesquare s` with one string."""

    operands: tuple[nodes.Node, ...]


@nodes.node
class Fen(nodes.Node):
    """`fen`: the FEN of the position."""


@nodes.node
class Placement(nodes.Node):
    """`fen "placement"`: a designator for each square, in the written order from a8 to h1. Transforms act on
    each designator."""

    squares: tuple[nodes.Designator, ...]


PawnWord = Literal["passedpawns", "isolatedpawns", "doubledpawns", "connectedpawns"]


@nodes.node
class PawnSet(nodes.Node):
    """A word of pawn structure. The value is a set with pawns of both colours."""

    word: PawnWord


PictureWord = Literal[
    "puremate", "modelmate", "idealmate", "purestalemate", "modelstalemate", "idealstalemate"
]


@nodes.node
class Picture(nodes.Node):
    """A word for an economical mate or stalemate (spec 15). The value is the set of men that take part in the
    mate or stalemate."""

    word: PictureWord
