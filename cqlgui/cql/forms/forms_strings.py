"""Types, printed form and transforms of the nodes of strings."""

from __future__ import annotations

from cqlgui.cql.ast import nodes, nodes_strings, types
from cqlgui.cql.ast.types import Names, Type
from cqlgui.cql.printing import printers
from cqlgui.cql.transforming import transform_rules


def _ascii(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes_strings.Ascii)
    return Type.NUMERIC if types.infer(node.operand, names) is Type.STRING else Type.STRING


def _group(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes_strings.Group)
    return Type.NUMERIC if node.place else Type.STRING


types.RULES.update(
    {
        nodes_strings.Index: types.always(Type.STRING),
        nodes_strings.Slice: types.always(Type.STRING),
        nodes_strings.SliceAssign: types.always(Type.LOGICAL),
        nodes_strings.Search: types.always(Type.STRING),
        nodes_strings.Group: _group,
        nodes_strings.Case: types.always(Type.STRING),
        nodes_strings.IndexOf: types.always(Type.NUMERIC),
        nodes_strings.Int: types.always(Type.NUMERIC),
        nodes_strings.Ascii: _ascii,
        nodes_strings.Str: types.always(Type.STRING),
        nodes_strings.ReadFile: types.always(Type.STRING),
        nodes_strings.WriteFile: types.always(Type.LOGICAL),
    }
)

# --- printing -----------------------------------------------------------------------------------------------


def _print_index(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.Index)
    return printers.Printed(f"{_left(node.text, style)}[{_bound(node.at, style)}]", 2)


def _print_slice(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.Slice)
    bounds = f"{_bound(node.low, style)}:{_bound(node.high, style)}"
    return printers.Printed(f"{_left(node.text, style)}[{bounds}]", 2)


def _print_slice_assign(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.SliceAssign)
    rest = "" if node.single else f":{_bound(node.high, style)}"
    head = f"{node.name}[{_bound(node.low, style)}{rest}] = "
    return printers.prefix(head, printers.print_filter(node.value, style), 9)


def _left(text: nodes.Node, style: printers.Style) -> str:
    return printers.print_filter(text, style).within(2, before=2)


def _bound(bound: nodes.Node | None, style: printers.Style) -> str:
    if bound is None:
        return ""
    text = printers.print_filter(bound, style).within(9)
    # Without round brackets, a filter that begins with men or squares could be misread: the parser would read
    # the square bracket and the beginning of the filter as a designator.
    return text if text[0].isdigit() or text[0] in "-#(" else f"({text})"


def _print_search(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.Search)
    return printers.Printed(f'{_left(node.text, style)} ~~ "{node.pattern}"', 2)


def _print_group(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.Group)
    return printers.Printed(f"\\{'-' if node.place else ''}{node.number}")


def _print_case(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.Case)
    return printers.prefix(f"{node.word} ", printers.print_filter(node.operand, style), 8)


def _print_index_of(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.IndexOf)
    return printers.Printed("indexof" + printers.arguments((node.needle, node.text), 9, style))


def _print_word(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.Int | nodes_strings.Ascii | nodes_strings.ReadFile)
    word = {nodes_strings.Int: "int", nodes_strings.Ascii: "ascii"}.get(type(node), "readfile")
    return printers.prefix(f"{word} ", printers.print_filter(node.operand, style), 9)


def _print_str(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.Str)
    return printers.Printed("str" + printers.spoken_arguments(node.parts, style))


def _print_write_file(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_strings.WriteFile)
    return printers.Printed("writefile" + printers.arguments((node.file, node.text), 9, style))


printers.PRINTERS.update(
    {
        nodes_strings.Index: _print_index,
        nodes_strings.Slice: _print_slice,
        nodes_strings.SliceAssign: _print_slice_assign,
        nodes_strings.Search: _print_search,
        nodes_strings.Group: _print_group,
        nodes_strings.Case: _print_case,
        nodes_strings.IndexOf: _print_index_of,
        nodes_strings.Int: _print_word,
        nodes_strings.Ascii: _print_word,
        nodes_strings.Str: _print_str,
        nodes_strings.ReadFile: _print_word,
        nodes_strings.WriteFile: _print_write_file,
    }
)

# --- transforms ---------------------------------------------------------------------------------------------


def _slice(node: nodes_strings.Slice, parts: tuple[nodes.Node, ...]) -> nodes.Node:
    rest = list(parts[1:])
    low = rest.pop(0) if node.low is not None else None
    return nodes_strings.Slice(node.span, parts[0], low, rest[0] if rest else None)


def _slice_assign(node: nodes_strings.SliceAssign, parts: tuple[nodes.Node, ...]) -> nodes.Node:
    rest = list(parts[:-1])
    low = rest.pop(0) if node.low is not None else None
    return nodes_strings.SliceAssign(
        node.span, node.name, low, rest[0] if rest else None, node.single, parts[-1]
    )


def _present(*parts: nodes.Node | None) -> tuple[nodes.Node, ...]:
    return tuple(part for part in parts if part is not None)


transform_rules.RULES.update(
    {
        nodes_strings.Index: transform_rules.several(
            lambda n: (n.text, n.at), lambda n, fs: nodes_strings.Index(n.span, fs[0], fs[1])
        ),
        nodes_strings.Slice: transform_rules.several(lambda n: _present(n.text, n.low, n.high), _slice),
        nodes_strings.SliceAssign: transform_rules.several(
            lambda n: _present(n.low, n.high, n.value), _slice_assign
        ),
        nodes_strings.Search: transform_rules.several(
            lambda n: (n.text,), lambda n, fs: nodes_strings.Search(n.span, fs[0], n.pattern)
        ),
        nodes_strings.Group: transform_rules.fixed(),
        nodes_strings.Case: transform_rules.operand(lambda n, f: nodes_strings.Case(n.span, n.word, f)),
        nodes_strings.IndexOf: transform_rules.several(
            lambda n: (n.needle, n.text), lambda n, fs: nodes_strings.IndexOf(n.span, fs[0], fs[1])
        ),
        nodes_strings.Int: transform_rules.operand(lambda n, f: nodes_strings.Int(n.span, f)),
        nodes_strings.Ascii: transform_rules.operand(lambda n, f: nodes_strings.Ascii(n.span, f)),
        nodes_strings.Str: transform_rules.several(
            lambda n: n.parts, lambda n, fs: nodes_strings.Str(n.span, fs)
        ),
        nodes_strings.ReadFile: transform_rules.operand(lambda n, f: nodes_strings.ReadFile(n.span, f)),
        nodes_strings.WriteFile: transform_rules.several(
            lambda n: (n.file, n.text), lambda n, fs: nodes_strings.WriteFile(n.span, fs[0], fs[1])
        ),
    }
)
