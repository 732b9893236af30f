"""Strings (language spec, 13): subscripts and slices, assignments to subscripts and slices, `~~` and groups,
and the keywords about strings.
"""

from __future__ import annotations

from typing import Literal

from cqlgui.cql.ast import nodes, nodes_strings
from cqlgui.cql.source import ecmascript
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.source.tokens import CAPTURE_GROUP, STRING_LITERAL, Token
from cqlgui.cql.syntax.reading import operands, operators
from cqlgui.cql.syntax.reading.cursor import NUMERIC, STRING, Broken, Cursor
from cqlgui.cql.syntax.reading.readers import READERS

READABLE = (".cqo", ".cql", ".pgn")
WRITABLE = (".cqo", ".cql")
"""A query may read files with the endings `READABLE` and write files with the endings `WRITABLE` (spec
8.8)."""


def _subscript(cursor: Cursor, left: nodes.Node, start: int, operator: operators.Operator) -> nodes.Node:
    """`s[i]` or `s[i:j]`. If `s` is the name of a variable and `=` follows the bracket, the filter is an
    assignment."""
    bracket = cursor.take()
    if bracket.word == "[]":
        message = "Between the brackets a number is missing."
        return cursor.report_always(bracket.span, "missing-operand", message, "write s[0], s[1:3] or s[2:]")
    errors = cursor.errors
    low: nodes.Node | None = None
    high: nodes.Node | None = None
    if cursor.peek().word != ":":
        low = cursor.operand(9, NUMERIC, "A subscript")
    single = cursor.accept(":") is None
    if not single and cursor.peek().word != "]":
        high = cursor.operand(9, NUMERIC, "A subscript")
    cursor.close(bracket)
    span = cursor.since(start)
    parts = [left, *(part for part in (low, high) if part is not None)]
    if cursor.peek().word == "=" and isinstance(left, nodes.Name):
        cursor.take()
        value = cursor.operand(9, STRING, "`=` behind a part of a string")
        whole = cursor.since(start)
        node = nodes_strings.SliceAssign(whole, left.name, low, high, single, value)
        return cursor.made(node, *parts, value)
    if cursor.errors > errors:
        return Broken(span)
    if single:
        assert low is not None
        return cursor.made(nodes_strings.Index(span, left, low), *parts)
    return cursor.made(nodes_strings.Slice(span, left, low, high), *parts)


def _search(cursor: Cursor, left: nodes.Node, start: int, operator: operators.Operator) -> nodes.Node:
    cursor.take()
    literal = cursor.peek()
    if literal.word != STRING_LITERAL:
        return cursor.expected("a regular expression in quotes after `~~`", 'write s ~~ "[0-9]+"')
    cursor.take()
    fault = ecmascript.fault(literal.string)
    if fault is not None:
        where = Span(literal.offset + 1 + fault.place, fault.length)
        return cursor.report_always(where, "regular-expression", fault.message, fault.hint)
    return cursor.made(nodes_strings.Search(cursor.since(start), left, literal.string), left)


def _group(cursor: Cursor, token: Token) -> nodes.Node:
    digits = token.text[1:]
    place = digits.startswith("-")
    return nodes_strings.Group(token.span, int(digits.lstrip("-")), place)


def _case(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.operand(8, STRING, f"`{token.word}`")
    word: Literal["uppercase", "lowercase"] = "uppercase" if token.word == "uppercase" else "lowercase"
    return cursor.made(nodes_strings.Case(cursor.since(token.offset), word, operand), operand)


def _indexof(cursor: Cursor, token: Token) -> nodes.Node:
    found = operands.arguments(cursor, "`indexof`", 9, STRING, 2, 2)
    if len(found) != 2:
        return Broken(token.span)
    return cursor.made(nodes_strings.IndexOf(cursor.since(token.offset), found[0], found[1]), *found)


def _int(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.operand(9, STRING, "`int`")
    return cursor.made(nodes_strings.Int(cursor.since(token.offset), operand), operand)


def _ascii(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.operand(9, NUMERIC | STRING, "`ascii`")
    return cursor.made(nodes_strings.Ascii(cursor.since(token.offset), operand), operand)


def _str(cursor: Cursor, token: Token) -> nodes.Node:
    parts = operands.text_parts(cursor, "`str`")
    return cursor.made(nodes_strings.Str(cursor.since(token.offset), tuple(parts)), *parts)


def _readfile(cursor: Cursor, token: Token) -> nodes.Node:
    operand = _file(cursor, cursor.operand(9, STRING, "`readfile`"), READABLE)
    return cursor.made(nodes_strings.ReadFile(cursor.since(token.offset), operand), operand)


def _writefile(cursor: Cursor, token: Token) -> nodes.Node:
    found = operands.arguments(cursor, "`writefile`", 9, STRING, 2, 2)
    if len(found) != 2:
        return Broken(token.span)
    file = _file(cursor, found[0], WRITABLE)
    return cursor.made(nodes_strings.WriteFile(cursor.since(token.offset), file, found[1]), file, found[1])


def _file(cursor: Cursor, name: nodes.Node, ends: tuple[str, ...]) -> nodes.Node:
    """The name of a file. A literal name must have one of the allowed endings."""
    if not isinstance(name, nodes.String) or name.value.lower().endswith(ends):
        return name
    listed = ", ".join(ends[:-1]) + " or " + ends[-1]
    return cursor.report_always(name.span, "bad-file-name", f"The name of this file must end in {listed}.")


READERS.update(
    {
        CAPTURE_GROUP: _group,
        "uppercase": _case,
        "lowercase": _case,
        "indexof": _indexof,
        "int": _int,
        "ascii": _ascii,
        "str": _str,
        "readfile": _readfile,
        "writefile": _writefile,
    }
)
operators.OPERATORS.update(
    {
        "[": operators.Operator(2, STRING, _subscript),
        "[]": operators.Operator(2, STRING, _subscript),
        "~~": operators.Operator(2, STRING, _search),
    }
)
