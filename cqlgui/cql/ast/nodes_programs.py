"""Nodes of control, lifetime of variables, dictionaries and functions (language spec, 8.9 and 12)."""

from __future__ import annotations

from cqlgui.base.data import field
from cqlgui.cql.ast import nodes

# --- control ------------------------------------------------------------------------------------------------


@nodes.node
class If(nodes.Node):
    """`if C T else E`. `otherwise` is E, or None if there is no `else`."""

    condition: nodes.Node
    then: nodes.Node
    otherwise: nodes.Node | None


@nodes.node
class Loop(nodes.Node):
    """`loop F`."""

    operand: nodes.Node


@nodes.node
class While(nodes.Node):
    """`while (C) F`. If C is only a search for a regular expression, `iterates` is True, and F runs once for
    each match."""

    condition: nodes.Node
    body: nodes.Node
    iterates: bool


@nodes.node
class Assert(nodes.Node):
    """`assert F`."""

    operand: nodes.Node


# --- variables ----------------------------------------------------------------------------------------------


@nodes.node
class IsBound(nodes.Node):
    """`isbound x`, or `isunbound x` if `bound` is False. x may be a name that no variable has."""

    name: str
    bound: bool


@nodes.node
class Unbind(nodes.Node):
    """`unbind x`, `unbind D`, `unbind D[key]`."""

    name: str
    key: nodes.Node | None


# --- dictionaries -------------------------------------------------------------------------------------------


@nodes.node
class Dictionary(nodes.Node):
    """A declaration: `dictionary D` or `local dictionary D`."""

    name: str
    local: bool


@nodes.node
class Entry(nodes.Node):
    """`D[key]`."""

    name: str
    key: nodes.Node


@nodes.node
class EntryAssign(nodes.Node):
    """`D[key] = E`."""

    name: str
    key: nodes.Node
    value: nodes.Node


@nodes.node
class EntryCount(nodes.Node):
    """`#D`."""

    name: str


@nodes.node
class EntryLoop(nodes.Node):
    """`x[element]D F`, and the older `string x in D F`."""

    name: str
    dictionary: str
    body: nodes.Node


# --- functions ----------------------------------------------------------------------------------------------


@nodes.node
class Function(nodes.Node):
    """A definition. `body` is the text between the braces as written, in ASCII or Unicode spelling. Only
    calls have types: each `Call` holds the body as a filter for the arguments of this call."""

    name: str
    parameters: tuple[str, ...]
    body: str = field(compare=False, hash=False)


@nodes.node
class Call(nodes.Node):
    """A call of a function, and the filter that replaces the call. `hidden` has one name for each argument:
    the name of the hidden variable that holds the argument. The name is empty if there is no hidden variable,
    because the argument is itself a plain variable. If a transform changed the body, `inlined` is True, and
    `name` and `arguments` no longer describe the body."""

    name: str
    arguments: tuple[nodes.Node, ...]
    hidden: tuple[str, ...]
    body: nodes.Node
    inlined: bool = field(default=False, compare=False, hash=False)
