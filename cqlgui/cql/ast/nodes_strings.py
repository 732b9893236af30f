"""Nodes of strings, regular expressions and text files (language spec, 13, 8.13 `str`, 8.8)."""

from __future__ import annotations

from typing import Literal

from cqlgui.cql.ast import nodes


@nodes.node
class Index(nodes.Node):
    """`s[i]`."""

    text: nodes.Node
    at: nodes.Node


@nodes.node
class Slice(nodes.Node):
    """`s[i:j]`; a missing bound is None."""

    text: nodes.Node
    low: nodes.Node | None
    high: nodes.Node | None


@nodes.node
class SliceAssign(nodes.Node):
    """`x[i:j] = E`. If `single` is True, the node means `x[i] = E`, and `low` is i."""

    name: str
    low: nodes.Node | None
    high: nodes.Node | None
    single: bool
    value: nodes.Node


@nodes.node
class Search(nodes.Node):
    """`s ~~ "re"`. `pattern` is the regular expression as written, in the syntax of ECMAScript."""

    text: nodes.Node
    pattern: str


@nodes.node
class Group(nodes.Node):
    r"""`\n`: the text of a group of the last search. If `place` is True, the node is `\-n`: the index in the
    searched string where the group begins."""

    number: int
    place: bool


@nodes.node
class Case(nodes.Node):
    """`uppercase s`, `lowercase s`."""

    word: Literal["uppercase", "lowercase"]
    operand: nodes.Node


@nodes.node
class IndexOf(nodes.Node):
    """`indexof (s t)`: the index of `needle` in `text`."""

    needle: nodes.Node
    text: nodes.Node


@nodes.node
class Int(nodes.Node):
    """`int s`."""

    operand: nodes.Node


@nodes.node
class Ascii(nodes.Node):
    """`ascii s` (a number) or `ascii n` (a string)."""

    operand: nodes.Node


@nodes.node
class Str(nodes.Node):
    """`str (F ...)`."""

    parts: tuple[nodes.Node, ...]


@nodes.node
class ReadFile(nodes.Node):
    """`readfile s`."""

    operand: nodes.Node


@nodes.node
class WriteFile(nodes.Node):
    """`writefile (s t)`: appends `text` to the file `file`."""

    file: nodes.Node
    text: nodes.Node
