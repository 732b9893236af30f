"""Nodes about the data in a game's text, and about the data that a search writes (spec 8.7, 8.13)."""

from __future__ import annotations

from cqlgui.cql.ast.nodes import Colour, Node, node
from cqlgui.cql.source import commands


@node
class Tag(Node):
    """`tag "Name"`: the text of a PGN tag."""

    name: str


@node
class OriginalComment(Node):
    """`originalcomment`: the comment that the file has at the position."""


@node
class Glyph(Node):
    """`originalcomment "NAG"`: the move that led to the position has this numeric annotation glyph (1 to
    255)."""

    number: int


@node
class CommandNumber(Node):
    """`pgn clk`, `pgn emt` or `pgn eval`, an extension of cqlgui: the number that a command in the comments
    at the position gives. `colour` is the side from whose view an evaluation is given, and None for times."""

    key: commands.Key
    colour: Colour | None


@node
class SetTag(Node):
    """`settag ("Name" s)`."""

    name: str
    operand: Node


@node
class RemoveComment(Node):
    """`removecomment`."""


@node
class Message(Node):
    """`message (...)`. With `quiet`, the message does not name the game and the position."""

    quiet: bool
    parts: tuple[Node, ...]
