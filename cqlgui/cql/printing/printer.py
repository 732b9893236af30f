"""Prints a syntax tree as text in either spelling, with only the brackets that precedence needs.

Reading a printed query gives the same tree again. The parser never makes an orbit (the result of expanding a
chain of transforms). The printed text of an orbit is only for people to read.
"""

from __future__ import annotations

from collections.abc import Callable

from cqlgui.board import directions
from cqlgui.cql.ast import nodes
from cqlgui.cql.printing import printers


def print_query(query: nodes.Query, style: printers.Style = "ascii") -> str:
    """The whole query: the header on the first line, and each filter of the body on a line of its own."""
    return print_header(query.header) + "\n" + "\n".join(_lines(query.body, style)) + "\n"


def print_node(node: nodes.Node, style: printers.Style = "ascii") -> str:
    """One filter on one line."""
    return printers.print_filter(node, style).text


def print_header(header: nodes.Header) -> str:
    """The header as `cql(...)`. An empty header is `cql()`."""
    words = []
    if header.input is not None:
        words.append(f'input "{header.input}"')
    if header.output is not None:
        words.append(f'output "{header.output}"')
    if header.variations:
        words.append("variations")
    if header.gamenumber is not None:
        words.append("gamenumber " + printers.bounds(header.gamenumber))
    words += [f"result {result}" for result in header.results]
    if header.matchcount is not None:
        word = "sort matchcount " if header.sort_matchcount else "matchcount "
        words.append(word + printers.bounds(header.matchcount))
    if header.matchstring is not None:
        words.append(f'matchstring "{header.matchstring}"')
    if header.quiet:
        words.append("quiet")
    if header.silent:
        words.append("silent")
    return f"cql({' '.join(words)})"


def _lines(body: nodes.Node, style: printers.Style) -> list[str]:
    """The filters of a body, each on a line of its own. If a path is not the last filter, a blank line after
    the path ends the path."""
    filters = body.filters if isinstance(body, nodes.Compound) else (body,)
    lines = printers.adjacent(filters, 14, style)
    for place, node in enumerate(filters):
        if isinstance(node, nodes.Comment) and node.slashes and lines[place].startswith("{///"):
            lines[place] = lines[place][1:-1]
    for place, node in enumerate(filters[:-1]):
        printed = printers.print_filter(node, style)
        if printed.open >= printers.SWALLOWS and lines[place] == printed.bracketed():
            lines[place] = f"{printed.text}\n"
    return lines


def _word(text: str) -> Callable[[nodes.Node, printers.Style], printers.Printed]:
    return lambda node, style: printers.Printed(text)


def _designator(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Designator)
    return printers.Printed(printers.print_designator(node.men, node.squares, style))


def _all_squares(node: nodes.Node, style: printers.Style) -> printers.Printed:
    return printers.Printed("▦" if style == "unicode" else ".")


def _number(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Number)
    return printers.Printed(str(node.value))


def _string(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.String)
    return printers.Printed(printers.quoted(node.value))


def _name(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Name)
    return printers.Printed(node.name)


def _truth(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Truth)
    return printers.Printed("true" if node.value else "false")


def _side(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.SideToMove)
    return printers.Printed("wtm" if node.colour == "white" else "btm")


def _own_word(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.State | nodes.Measure | nodes.TagText)
    return printers.Printed(node.word)


def _current_position(node: nodes.Node, style: printers.Style) -> printers.Printed:
    return printers.Printed("∙" if style == "unicode" else "currentposition")


def _coloured(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Elo | nodes.Player)
    word = "elo" if isinstance(node, nodes.Elo) else "player"
    return printers.Printed(word if node.colour is None else f"{word} {node.colour}")


def _result(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Result)
    return printers.Printed(f"result {node.result}")


def _implicit_search(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.ImplicitSearch)
    return printers.Printed(f'{printers.print_filter(node.text, style).text} "{node.needle}"')


def _not(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Not)
    return printers.prefix("not ", printers.print_filter(node.operand, style), 11)


def _complement(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Complement)
    operand = printers.print_filter(node.operand, style)
    return printers.prefix("~", operand, 3, shut=operand.text.startswith("~"))


def _negate(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Negate)
    operand = printers.print_filter(node.operand, style)
    literal = operand.text[0].isdigit() or operand.text[0] == "-"
    return printers.prefix("-", operand, 1, shut=literal)


_NO_STRINGS = (
    nodes.Designator,
    nodes.AllSquares,
    nodes.EmptySet,
    nodes.Complement,
    nodes.Shade,
    nodes.Direction,
    nodes.Between,
    nodes.Ray,
    nodes.SquareLoop,
    nodes.PieceLoop,
    nodes.SetOperation,
    nodes.Attack,
    nodes.Arrow,
    nodes.Transform,
)


def _count(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Count)
    operand = printers.print_filter(node.operand, style)
    # `#` before a string applies to a whole sum of strings. An operand that may be a string therefore gets
    # brackets, unless the operand is a primary.
    return printers.prefix("#", operand, 7 if isinstance(node.operand, _NO_STRINGS) else 0)


def _numeric(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Numeric)
    return printers.prefix(f"{node.word} ", printers.print_filter(node.operand, style), 9)


def _extremum(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Extremum)
    return printers.Printed(node.word + printers.arguments(node.operands, 9, style))


def _power(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Power)
    return printers.prefix("power ", printers.print_filter(node.operand, style), 7)


def _shade(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Shade)
    return printers.prefix(f"{node.shade} ", printers.print_filter(node.operand, style), 1)


def _direction(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Direction)
    word = directions.word_of(node.directions)
    assert word is not None, "transforms map the direction words to one another"
    return printers.ranged(word, node.range, node.operand, 1, style)


def _between(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Between)
    return printers.Printed("between" + printers.arguments((node.left, node.right), 7, style))


def _ray(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Ray)
    words = ["ray"]
    if node.range is not None:
        words.append(printers.bounds(node.range))
    if node.attack:
        words.append("attack")
    elif node.directions != directions.ANY_DIRECTION:
        whole = directions.word_of(node.directions)
        single = [directions.word_of(1 << one) or "" for one in directions.members(node.directions)]
        words += [whole] if whole else single
    return printers.Printed(" ".join(words) + printers.arguments(node.operands, 14, style))


def _find(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Find)
    words = ["find"]
    if node.quiet:
        words.append("quiet")
    if node.backwards:
        words.append("<--")
    if node.all:
        words.append("all")
    return printers.ranged(" ".join(words), node.range, node.operand, 14, style)


def _sort(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Sort)
    words = ["sort"]
    if node.quiet:
        words.append("quiet")
    if node.order:
        words.append(node.order)
    operand = printers.print_filter(node.operand, style)
    if node.doc is not None:
        words.append(f'"{node.doc}"')
    words.append("")
    return printers.prefix(" ".join(words), operand, 14, node.doc is None and operand.text.startswith('"'))


def _comment(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Comment)
    if node.slashes:
        # A `///` comment continues to the end of the line or of the surrounding bracket. The braces around
        # the comment therefore end the comment before any later filter. The braces also allow this comment
        # within another `///` comment.
        return printers.Printed(f"{{///{' '.join(printers.spoken(node.parts, style))}}}")
    return printers.Printed("comment" + printers.spoken_arguments(node.parts, style))


_TRANSFORM_SIGNS = {"flip": "✵", "flipcolor": "⬓"}


def _transform(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Transform)
    word: str = _TRANSFORM_SIGNS.get(node.word, node.word) if style == "unicode" else node.word
    return printers.ranged(word, node.range, node.operand, 14, style)


def _notransform(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.NoTransform)
    return printers.prefix("notransform ", printers.print_filter(node.operand, style), 14)


def _compound(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Compound)
    return printers.Printed("{" + " ".join(printers.adjacent(node.filters, 14, style)) + "}")


def _set_operation(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.SetOperation)
    levels = (4, 4, 3) if node.operator == "&" else (5, 5, 4)
    return printers.infix(node.left, printers.sign(node.operator, style), node.right, levels, style)


def _attack(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Attack)
    return printers.infix(node.left, node.word, node.right, (3, 3, 2), style)


def _arrow(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Arrow)
    printed = [printers.print_filter(operand, style) for operand in node.operands]
    texts = [one.within(5, before=6) for one in printed[:-1]] + [printed[-1].within(5)]
    last = printed[-1].open if printed[-1].level <= 5 else 0
    return printers.Printed(f" {printers.sign(node.operator, style)} ".join(texts), 6, last)


def _compare(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Compare)
    return printers.infix(node.left, printers.sign(node.operator, style), node.right, (10, 9, 10), style)


def _arithmetic(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Arithmetic)
    levels = (9, 9, 8) if node.operator in ("+", "-") else (8, 8, 7)
    return printers.infix(node.left, node.operator, node.right, levels, style)


def _in(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.In)
    return printers.infix(node.left, "in", node.right, (11, 10, 7), style)


def _logic(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Logic)
    levels = (12, 12, 11) if node.word == "and" else (13, 13, 12)
    return printers.infix(node.left, node.word, node.right, levels, style)


def _assign(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Assign)
    manner = "persistent " * node.persistent + "quiet " * node.quiet + "atomic " * node.atomic
    head = f"{manner}{node.name} {printers.sign(node.operator, style)} "
    return printers.prefix(head, printers.print_filter(node.value, style), 9)


def _loop(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.SquareLoop | nodes.PieceLoop)
    pieces = isinstance(node, nodes.PieceLoop)
    domain, body = printers.print_filter(node.domain, style), printers.print_filter(node.body, style)
    if style == "unicode":
        head = ("∀" if node.all else "") + ("◭" if pieces else "") + f"{node.name}∊"
    else:
        head = ("piece " if pieces else "square ") + ("all " if node.all else "") + f"{node.name} in "
    among = domain.within(7, before=14)
    shut = body.text.startswith("-")
    if (shut or body.text.startswith("(")) and printers.takes_bracket(among):
        among = f"({among})"
    return printers.prefix(f"{head}{among} ", body, 14, shut=shut)


def _piece_assign(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.PieceAssign)
    head = f"◭{node.name} = " if style == "unicode" else f"piece {node.name} = "
    return printers.prefix(head, printers.print_filter(node.value, style), 7)


_SHOWN_ELEMENTS = 4


def _orbit(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes.Orbit)
    texts = [printers.print_filter(one.filter, style).text for one in node.elements[:_SHOWN_ELEMENTS]]
    if len(node.elements) > _SHOWN_ELEMENTS:
        texts.append(f"and {len(node.elements) - _SHOWN_ELEMENTS} more")
    head = "orbit" if node.range is None else f"orbit {printers.bounds(node.range)}"
    return printers.Printed(f"{head} <{'; '.join(texts)}>")


_PRINTERS: dict[type[nodes.Node], printers.Printer] = {
    nodes.Designator: _designator,
    nodes.AllSquares: _all_squares,
    nodes.EmptySet: _word("[]"),
    nodes.Number: _number,
    nodes.String: _string,
    nodes.Name: _name,
    nodes.Truth: _truth,
    nodes.SideToMove: _side,
    nodes.State: _own_word,
    nodes.CurrentPosition: _current_position,
    nodes.Measure: _own_word,
    nodes.Elo: _coloured,
    nodes.Player: _coloured,
    nodes.Result: _result,
    nodes.TagText: _own_word,
    nodes.ImplicitSearch: _implicit_search,
    nodes.CurrentTransform: _word("currenttransform"),
    nodes.Not: _not,
    nodes.Complement: _complement,
    nodes.Negate: _negate,
    nodes.Count: _count,
    nodes.Numeric: _numeric,
    nodes.Extremum: _extremum,
    nodes.Power: _power,
    nodes.Shade: _shade,
    nodes.Direction: _direction,
    nodes.Between: _between,
    nodes.Ray: _ray,
    nodes.Find: _find,
    nodes.Sort: _sort,
    nodes.Comment: _comment,
    nodes.Transform: _transform,
    nodes.NoTransform: _notransform,
    nodes.Compound: _compound,
    nodes.SetOperation: _set_operation,
    nodes.Attack: _attack,
    nodes.Arrow: _arrow,
    nodes.Compare: _compare,
    nodes.Arithmetic: _arithmetic,
    nodes.In: _in,
    nodes.Logic: _logic,
    nodes.Assign: _assign,
    nodes.SquareLoop: _loop,
    nodes.PieceLoop: _loop,
    nodes.PieceAssign: _piece_assign,
    nodes.Orbit: _orbit,
}
printers.PRINTERS.update(_PRINTERS)
