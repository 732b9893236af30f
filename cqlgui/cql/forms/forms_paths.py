"""Types, printed form and transforms of `path`, `line` and their constituents."""

from __future__ import annotations

from typing import Final

from cqlgui.base import data
from cqlgui.base.patterns import pattern
from cqlgui.cql.ast import nodes, nodes_moves, nodes_paths, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.printing import printers
from cqlgui.cql.transforming import transform_rules

# --- types --------------------------------------------------------------------------------------------------


def _sequence(node: nodes.Node, names: types.Names) -> Type:
    assert isinstance(node, nodes_paths.Path | nodes_paths.Line)
    return Type.POSITION if node.lastposition else Type.NUMERIC


def _path_fact(node: nodes.Node, names: types.Names) -> Type:
    assert isinstance(node, nodes_paths.PathFact)
    return Type.POSITION if node.word in ("pathstart", "pathlastposition") else Type.NUMERIC


def _part(node: nodes.Node, names: types.Names) -> Type:
    """The type of a constituent that is not a filter. Such a constituent has no value; the constituent only
    matches or fails."""
    return Type.LOGICAL


types.RULES.update({
    nodes_paths.Path: _sequence,
    nodes_paths.Line: _sequence,
    nodes_paths.PathFact: _path_fact,
    nodes_paths.Step: _part,
    nodes_paths.Chain: _part,
    nodes_paths.LineChain: _part,
    nodes_paths.Repeat: _part,
})  # fmt: skip

# --- printing -----------------------------------------------------------------------------------------------


def _path(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_paths.Path)
    unicode = style == "unicode"
    words = ["⊢" if unicode else "path"]
    if node.range is not None:
        words.append(printers.bounds(node.range))
    if node.focus is not None:
        sign = "◎" if unicode else "focus"
        words.append(f"{sign} capture" if node.capture else sign)
        words.append(node.focus.name if isinstance(node.focus, nodes.Name) else _shut(node.focus, 7, style))
    if node.max is not None:
        words += ["max", _shut(node.max, 0, style)]
    flags = {
        "singlecolor": node.singlecolor, "primary": node.primary, "firstmatch": node.firstmatch,
        "lastposition": node.lastposition, "nestban": node.nestban, "keepallbest": node.keepallbest,
        "quiet": node.quiet, "verbose": node.verbose, "piecepath": node.piecepath,
    }  # fmt: skip
    words += [word for word, wanted in flags.items() if wanted]
    if node.title is not None:
        words += ["title", f'"{node.title}"']
    words += _constituents(node.constituents, style)
    return printers.Printed(" ".join(words), open=printers.SWALLOWS)


def _line(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_paths.Line)
    words = ["line"]
    if node.range is not None:
        words.append(printers.bounds(node.range))
    flags = {
        node.order: bool(node.order), "singlecolor": node.singlecolor, "nestban": node.nestban,
        "firstmatch": node.firstmatch, "lastposition": node.lastposition, "quiet": node.quiet,
    }  # fmt: skip
    words += [word for word, wanted in flags.items() if wanted]
    arrow = "<--" if node.backward else "-->"
    words += [f"{arrow} {_line_constituent(part, style)}" for part in node.constituents]
    return printers.Printed(" ".join(words), open=14)


def _part_alone(node: nodes.Node, style: printers.Style) -> printers.Printed:
    return printers.Printed(_constituent(node, style))


def _line_part_alone(node: nodes.Node, style: printers.Style) -> printers.Printed:
    return printers.Printed(_line_constituent(node, style))


def _path_fact_word(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_paths.PathFact)
    return printers.Printed(node.word)


def _constituents(parts: tuple[nodes.Node, ...], style: printers.Style) -> list[str]:
    texts: list[str] = []
    for part in parts:
        text = _constituent(part, style)
        if texts and text.startswith("(") and printers.runs_into_bracket(texts[-1]):
            # Only the word `child` gets braces. Braces around the whole step would make the step a filter.
            texts[-1] = texts[-1].removesuffix("child") + "{child}"
        texts.append(text)
    return texts


def _constituent(node: nodes.Node, style: printers.Style) -> str:
    match node:
        case nodes_paths.Step():
            return " ".join([_dash(node.dash, style), *_constituents(node.targets, style)])
        case nodes_paths.Chain():
            return "(" + " ".join(_constituents(node.constituents, style)) + ")"
        case nodes_paths.Repeat():
            return f"{_constituent(node.operand, style)} {_wildcard(node)}"
        case _:
            return _shut(node, 14, style)


def _dash(node: nodes_moves.Dash, style: printers.Style) -> str:
    unicode = style == "unicode"
    sign = ("×" if unicode else "[x]") if node.capture else ("――" if unicode else "--")
    left = "" if node.left is None else _tied(node.left, style)
    right = "" if node.right is None else _tied(node.right, style, before_equals=node.promotion is not None)
    promotion = ""
    if node.promotion is not None:
        plain = isinstance(node.promotion, nodes.Designator | nodes.AllSquares)
        text = printers.print_filter(node.promotion, style).text
        promotion = "=" + (text if plain else _braced(text))
    return left + sign + right + promotion


def _tied(node: nodes.Node, style: printers.Style, *, before_equals: bool = False) -> str:
    """The text of the left or right set of a dash. `before_equals` is True if the `=` of a promotion follows.
    Without braces, a name at the end of the set and this `=` would be read as an assignment."""
    if isinstance(node, nodes.Name) and not before_equals:
        return node.name
    if before_equals and printers.print_filter(node, style).open:
        return _braced(printers.print_filter(node, style).text)
    text = _shut(node, 6, style)
    # Without braces, the parser would not read a set that ends with `∙` as the left set of the dash.
    return _braced(text) if text.endswith("∙") else text


def _line_constituent(node: nodes.Node, style: printers.Style) -> str:
    match node:
        case nodes_paths.LineChain():
            arrow = " <-- " if node.backward else " --> "
            return "(" + arrow.join(_line_constituent(part, style) for part in node.constituents) + ")"
        case nodes_paths.Repeat():
            wildcard = _wildcard(node)
            return f"{_line_constituent(node.operand, style)} {_LINE_WILDCARDS.get(wildcard, wildcard)}"
        case _:
            printed = printers.print_filter(node, style)
            bare = _outside_braces(printed.text)
            shut = bare.startswith("(") or printed.open >= printers.SWALLOWS or _LINE.search(bare) is not None
            return _braced(printed.text) if shut or _is_arithmetic(node) else printed.text


_RISKY = pattern(r"[+*]|--|\[x\]|[×―]|\b(?:(?:pseudo)?legal|countmoves|currentmove|previous)\b")
_PARAMETERS = ("max", "primary")
"""Filters that are also parameters of a path."""
_LINE = pattern(r"\bline\b")
_STRING = pattern(r'"[^"]*"')
_GROUP = pattern(r"\{[^{}]*\}")


def _shut(node: nodes.Node, level: int, style: printers.Style) -> str:
    """A filter at the top level of a path. Without braces, the parser could read signs in the filter as
    wildcards or dashes. The parser could also read the filter as a chain, or read the next constituent as a
    part of the filter."""
    printed = printers.print_filter(node, style)
    text = printed.text
    opens = printed.level > level or printed.open > 11
    begins_badly = text[0] in '-("' or text[0].isdigit() or text.startswith(_PARAMETERS)
    if opens or begins_badly or _is_arithmetic(node) or _RISKY.search(_outside_braces(text)):
        return _braced(text)
    return text


def _is_arithmetic(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Number | nodes.Arithmetic | nodes.Negate | nodes.Name)


def _braced(text: str) -> str:
    """The text in braces. Braces do not change the tree, because braces have no node. If the text is only a
    number, blanks are added inside the braces, because `{3}` would be read as a repetition."""
    if text.startswith("{") and not _outside_braces(text):
        return text
    return f"{{ {text} }}" if text.isdigit() else f"{{{text}}}"


def _outside_braces(text: str) -> str:
    """The text, but without string literals and without everything in braces."""
    bare = _STRING.sub("", text.replace('\\"', ""))
    while (inner := _GROUP.sub("", bare)) != bare:
        bare = inner
    return bare


_WILDCARDS: Final = {(0, None): "*", (1, None): "+", (0, 1): "?"}
_LINE_WILDCARDS: Final = {"*": "{*}", "+": "{+}"}


def _wildcard(node: nodes_paths.Repeat) -> str:
    known = _WILDCARDS.get((node.low, node.high))
    if known is not None:
        return known
    if node.high is None:
        return f"{{{node.low},}}"
    if node.low == node.high:
        return f"{{{node.low}}}"
    return f"{{{node.low or ''},{node.high}}}"


printers.PRINTERS.update({
    nodes_paths.Path: _path,
    nodes_paths.Line: _line,
    nodes_paths.PathFact: _path_fact_word,
    nodes_paths.Step: _part_alone,
    nodes_paths.Chain: _part_alone,
    nodes_paths.Repeat: _part_alone,
    nodes_paths.LineChain: _line_part_alone,
})  # fmt: skip

# --- transforms ---------------------------------------------------------------------------------------------


def _path_children(node: nodes_paths.Path) -> tuple[nodes.Node, ...]:
    heads = (node.focus, node.max)
    return (*(part for part in heads if part is not None), *node.constituents)


def _path_image(
    node: nodes_paths.Path, part: transform_rules.Part | None, image: transform_rules.Image
) -> nodes.Node:
    return data.replace(
        node,
        focus=None if node.focus is None else image(node.focus),
        max=None if node.max is None else image(node.max),
        constituents=tuple(image(one) for one in node.constituents),
    )


def _step_image(
    node: nodes_paths.Step, part: transform_rules.Part | None, image: transform_rules.Image
) -> nodes.Node:
    dash = image(node.dash)
    assert isinstance(dash, nodes_moves.Dash)
    return nodes_paths.Step(node.span, dash, tuple(image(one) for one in node.targets))


transform_rules.RULES.update({
    nodes_paths.Path: transform_rules.Rule(_path_children, lambda n: None, _path_image),
    nodes_paths.Step: transform_rules.Rule(
        lambda n: (n.dash, *n.targets), lambda n: None, _step_image
    ),
    nodes_paths.Chain: transform_rules.several(
        lambda n: n.constituents, lambda n, fs: nodes_paths.Chain(n.span, fs)
    ),
    nodes_paths.Repeat: transform_rules.operand(
        lambda n, f: nodes_paths.Repeat(n.span, n.low, n.high, f)
    ),
    nodes_paths.Line: transform_rules.several(
        lambda n: n.constituents, lambda n, fs: data.replace(n, constituents=fs)
    ),
    nodes_paths.LineChain: transform_rules.several(
        lambda n: n.constituents, lambda n, fs: nodes_paths.LineChain(n.span, n.backward, fs)
    ),
    nodes_paths.PathFact: transform_rules.fixed(),
})  # fmt: skip
