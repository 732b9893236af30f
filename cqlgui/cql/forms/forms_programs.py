"""Types, printed form and transforms of nodes of control, variables, dictionaries and functions."""

from __future__ import annotations

from typing import Any

from cqlgui.base.patterns import pattern
from cqlgui.cql.ast import nodes, nodes_programs, nodes_strings, types
from cqlgui.cql.ast.types import Names, Type
from cqlgui.cql.printing import printers
from cqlgui.cql.source import designators
from cqlgui.cql.transforming import transform_rules
from cqlgui.cql.vocabulary import registry

# --- types --------------------------------------------------------------------------------------------------


def _if(node: nodes.Node, names: Names) -> Type:
    """The type of both branches if the types agree. If the types differ, an `if` is a condition."""
    assert isinstance(node, nodes_programs.If)
    if node.otherwise is None:
        return Type.LOGICAL
    then = types.valued(types.infer(node.then, names))
    otherwise = types.valued(types.infer(node.otherwise, names))
    return then if then is otherwise else Type.LOGICAL


def _entry(node: nodes.Node, names: Names) -> Type:
    """The type of the dictionary's values. If the text does not determine this type, an entry is a
    condition."""
    assert isinstance(node, nodes_programs.Entry)
    return names.dictionaries[node.name].value or Type.LOGICAL


def _call(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes_programs.Call)
    return types.valued(types.infer(node.body, names))


types.RULES.update(
    {
        nodes_programs.If: _if,
        nodes_programs.Loop: types.always(Type.LOGICAL),
        nodes_programs.While: types.always(Type.LOGICAL),
        nodes_programs.Assert: types.always(Type.LOGICAL),
        nodes_programs.IsBound: types.always(Type.LOGICAL),
        nodes_programs.Unbind: types.always(Type.LOGICAL),
        nodes_programs.Dictionary: types.always(Type.LOGICAL),
        nodes_programs.Entry: _entry,
        nodes_programs.EntryAssign: types.always(Type.LOGICAL),
        nodes_programs.EntryCount: types.always(Type.NUMERIC),
        nodes_programs.EntryLoop: types.always(Type.LOGICAL),
        nodes_programs.Function: types.always(Type.LOGICAL),
        nodes_programs.Call: _call,
    }
)

# --- printing -----------------------------------------------------------------------------------------------


def _print_if(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.If)
    condition, then = printers.adjacent((node.condition, node.then), 14, style)
    if node.otherwise is None:
        printed = printers.print_filter(node.then, style)
        # `adjacent` may have put `then` into brackets because of the preceding condition.
        opened = max(14, printed.open) if then == printed.text else 14
        return printers.Printed(f"if {condition} {then}", open=opened)
    if printers.print_filter(node.then, style).open and not then.startswith("("):
        # Without brackets, the parser would read the `else` of the outer `if` as the `else` of an `if` at the
        # end of `then`.
        then = f"({then})"
        if printers.takes_bracket(condition):
            condition = f"({condition})"
    return printers.prefix(f"if {condition} {then} else ", printers.print_filter(node.otherwise, style), 14)


def _print_loop(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.Loop)
    return printers.prefix("loop ", printers.print_filter(node.operand, style), 14)


def _print_while(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.While)
    condition = printers.print_filter(node.condition, style).text
    if isinstance(node.condition, nodes_strings.Search) and not node.iterates:
        condition = f"({condition})"
    return printers.prefix(f"while ({condition}) ", printers.print_filter(node.body, style), 14)


def _print_assert(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.Assert)
    return printers.prefix("assert ", printers.print_filter(node.operand, style), 14)


_NAME = pattern(r"[A-Za-z$_][A-Za-z0-9$_]*")


def _print_is_bound(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.IsBound)
    word = "isbound" if node.bound else "isunbound"
    plain = (
        _NAME.fullmatch(node.name) is not None
        and not registry.is_reserved(node.name)
        and not designators.match_length(node.name, 0)
    )
    return printers.Printed(f"{word} {node.name}" if plain else f'{word} "{node.name}"')


def _print_unbind(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.Unbind)
    key = "" if node.key is None else _key(node.key, style)
    return printers.Printed(f"unbind {node.name}{key}")


def _print_dictionary(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.Dictionary)
    return printers.Printed(f"{'local ' if node.local else ''}dictionary {node.name}")


def _print_entry(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.Entry)
    return printers.Printed(node.name + _key(node.key, style))


def _print_entry_assign(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.EntryAssign)
    value = printers.print_filter(node.value, style)
    return printers.prefix(f"{node.name}{_key(node.key, style)} = ", value, 14)


def _key(key: nodes.Node, style: printers.Style) -> str:
    """A key in square brackets. If the key begins with a designator, the key gets round brackets too. Without
    round brackets, the parser would read the square bracket as a part of the designator."""
    text = printers.print_filter(key, style).text
    shut = designators.match_length(f"[{text}]", 0) or text.startswith("[")
    return f"[({text})]" if shut else f"[{text}]"


def _print_entry_count(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.EntryCount)
    return printers.Printed(f"#{node.name}")


def _print_entry_loop(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.EntryLoop)
    sign = "∊" if style == "unicode" else "[element]"
    return printers.prefix(
        f"{node.name}{sign}{node.dictionary} ", printers.print_filter(node.body, style), 14
    )


def _print_function(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_programs.Function)
    return printers.Printed(f"function {node.name}({' '.join(node.parameters)}) {{{node.body}}}")


def _print_call(node: nodes.Node, style: printers.Style) -> printers.Printed:
    """The call as written. If a transform changed the body of the call, the changed body is printed."""
    assert isinstance(node, nodes_programs.Call)
    if node.inlined:
        given = tuple(
            nodes.Assign(argument.span, hidden, "=", argument)
            for argument, hidden in zip(node.arguments, node.hidden, strict=True)
            if hidden
        )
        body = node.body.filters if isinstance(node.body, nodes.Compound) else (node.body,)
        return printers.Printed("{" + " ".join(printers.adjacent((*given, *body), 14, style)) + "}")
    texts = printers.adjacent(node.arguments, 14, style)
    for place, (argument, hidden) in enumerate(zip(node.arguments, node.hidden, strict=True)):
        if hidden and isinstance(argument, nodes.Name):
            texts[place] = f"({argument.name})"
    return printers.Printed(f"{node.name}({' '.join(texts)})")


printers.PRINTERS.update(
    {
        nodes_programs.If: _print_if,
        nodes_programs.Loop: _print_loop,
        nodes_programs.While: _print_while,
        nodes_programs.Assert: _print_assert,
        nodes_programs.IsBound: _print_is_bound,
        nodes_programs.Unbind: _print_unbind,
        nodes_programs.Dictionary: _print_dictionary,
        nodes_programs.Entry: _print_entry,
        nodes_programs.EntryAssign: _print_entry_assign,
        nodes_programs.EntryCount: _print_entry_count,
        nodes_programs.EntryLoop: _print_entry_loop,
        nodes_programs.Function: _print_function,
        nodes_programs.Call: _print_call,
    }
)

# --- transforms ---------------------------------------------------------------------------------------------


def _transformed_call(node: Any, part: object, image: transform_rules.Image) -> nodes.Node:
    arguments = tuple(image(argument) for argument in node.arguments)
    body = image(node.body)
    changed = node.inlined or arguments != node.arguments or body != node.body
    return nodes_programs.Call(node.span, node.name, arguments, node.hidden, body, changed)


def _optional(*parts: nodes.Node | None) -> tuple[nodes.Node, ...]:
    return tuple(part for part in parts if part is not None)


transform_rules.RULES.update(
    {
        nodes_programs.If: transform_rules.several(
            lambda n: _optional(n.condition, n.then, n.otherwise),
            lambda n, fs: nodes_programs.If(n.span, fs[0], fs[1], fs[2] if len(fs) > 2 else None),
        ),
        nodes_programs.Loop: transform_rules.operand(lambda n, f: nodes_programs.Loop(n.span, f)),
        nodes_programs.While: transform_rules.several(
            lambda n: (n.condition, n.body),
            lambda n, fs: nodes_programs.While(n.span, fs[0], fs[1], n.iterates),
        ),
        nodes_programs.Assert: transform_rules.operand(lambda n, f: nodes_programs.Assert(n.span, f)),
        nodes_programs.IsBound: transform_rules.fixed(),
        nodes_programs.Unbind: transform_rules.several(
            lambda n: _optional(n.key),
            lambda n, fs: nodes_programs.Unbind(n.span, n.name, fs[0] if fs else None),
        ),
        nodes_programs.Dictionary: transform_rules.fixed(),
        nodes_programs.Entry: transform_rules.several(
            lambda n: (n.key,), lambda n, fs: nodes_programs.Entry(n.span, n.name, fs[0])
        ),
        nodes_programs.EntryAssign: transform_rules.several(
            lambda n: (n.key, n.value),
            lambda n, fs: nodes_programs.EntryAssign(n.span, n.name, fs[0], fs[1]),
        ),
        nodes_programs.EntryCount: transform_rules.fixed(),
        nodes_programs.EntryLoop: transform_rules.several(
            lambda n: (n.body,),
            lambda n, fs: nodes_programs.EntryLoop(n.span, n.name, n.dictionary, fs[0]),
        ),
        nodes_programs.Function: transform_rules.fixed(),
        nodes_programs.Call: transform_rules.Rule(
            lambda n: (*n.arguments, n.body), lambda n: None, _transformed_call
        ),
    }
)
