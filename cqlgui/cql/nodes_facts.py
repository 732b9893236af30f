"""Nodes about what stands in the game's text, and about what a search writes into it (spec 8.7, 8.13)."""

from __future__ import annotations

from dataclasses import dataclass

from cqlgui.cql.nodes import Node


@dataclass(frozen=True, slots=True)
class Tag(Node):
    """`tag "Name"`: the text of a PGN tag."""

    name: str


@dataclass(frozen=True, slots=True)
class OriginalComment(Node):
    """`originalcomment`: the text of the file at the position."""


@dataclass(frozen=True, slots=True)
class Glyph(Node):
    """`originalcomment "NAG"`: the move that led here has this numeric annotation glyph, 1 to 255."""

    number: int


@dataclass(frozen=True, slots=True)
class SetTag(Node):
    """`settag ("Name" s)`."""

    name: str
    operand: Node


@dataclass(frozen=True, slots=True)
class RemoveComment(Node):
    """`removecomment`."""


@dataclass(frozen=True, slots=True)
class Message(Node):
    """`message (...)`; `quiet` leaves out where it was said."""

    quiet: bool
    parts: tuple[Node, ...]
