"""Control flow and the lifetime of variables (language spec, 8.9 and 12): `if`, `loop`, `while`, `assert`,
`isbound`, `unbind`, `persistent`, `atomic`. This module enters these words, and the words of dictionaries and
functions, into the grammar."""

from __future__ import annotations

from cqlgui.cql.ast import nodes, nodes_programs, nodes_strings
from cqlgui.cql.ast.types import Type
from cqlgui.cql.source.tokens import STRING_LITERAL, Kind, Token
from cqlgui.cql.syntax.families import assignments, syntax_dictionaries, syntax_functions
from cqlgui.cql.syntax.reading import operands, operators
from cqlgui.cql.syntax.reading.cursor import Broken, Cursor
from cqlgui.cql.syntax.reading.readers import READERS


def _if(cursor: Cursor, token: Token) -> nodes.Node:
    condition = cursor.expression(14)
    cursor.accept("then")
    then = cursor.expression(14)
    parts = [condition, then]
    otherwise: nodes.Node | None = None
    if cursor.accept("else") is not None:
        otherwise = cursor.expression(14)
        parts.append(otherwise)
    return cursor.made(nodes_programs.If(cursor.since(token.offset), condition, then, otherwise), *parts)


def _loop(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.expression(14)
    return cursor.made(nodes_programs.Loop(cursor.since(token.offset), operand), operand)


def _while(cursor: Cursor, token: Token) -> nodes.Node:
    if cursor.peek().word != "(":
        return cursor.expected("`(` and a condition after `while`", "write while (condition) filter")
    cursor.take()
    first = cursor.peek().offset
    found = operators.juxtaposed(cursor, single="between the brackets of `while`")
    if not found:
        cursor.expected("a condition")
    # If a `~~` search is the whole condition, without brackets of its own, the loop runs through all matches
    # of the `~~` search.
    whole = cursor.since(first)
    cursor.take()
    body = cursor.expression(14)
    if len(found) != 1:
        return Broken(token.span)
    condition = found[0]
    iterates = isinstance(condition, nodes_strings.Search) and condition.span == whole
    node = nodes_programs.While(cursor.since(token.offset), condition, body, iterates)
    return cursor.made(node, condition, body)


def _assert(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.expression(14)
    return cursor.made(nodes_programs.Assert(cursor.since(token.offset), operand), operand)


def _is_bound(cursor: Cursor, token: Token) -> nodes.Node:
    name = cursor.peek()
    if name.kind is Kind.NAME:
        word = cursor.take().text
    elif name.word == STRING_LITERAL:
        word = cursor.take().string
    else:
        return cursor.expected(f"the name of a variable after `{token.word}`")
    return nodes_programs.IsBound(cursor.since(token.offset), word, token.word == "isbound")


def _unbind(cursor: Cursor, token: Token) -> nodes.Node:
    name = cursor.peek()
    if name.kind is not Kind.NAME:
        return cursor.expected("the name of a variable or dictionary after `unbind`")
    cursor.take()
    if name.text in cursor.functions:
        message = f"`{name.text}` is a function and never has a value."
        return cursor.report_always(name.span, "type-mismatch", message)
    if name.text not in cursor.names:
        return operands.undeclared(cursor, name)
    key: nodes.Node | None = None
    if name.text in cursor.dictionaries:
        key = syntax_dictionaries.unbound_key(cursor, name)
    node = nodes_programs.Unbind(cursor.since(token.offset), name.text, key)
    return node if key is None else cursor.made(node, key)


def _persistent(cursor: Cursor, token: Token) -> nodes.Node:
    quiet = cursor.accept("quiet") is not None
    if cursor.peek().word == "dictionary":
        cursor.take()
        return syntax_dictionaries.declaration(cursor, token, local=False)
    name = _variable(cursor, token)
    if name is None:
        return Broken(token.span)
    if name.text in cursor.atomic:
        message = f"`{name.text}` is atomic above and cannot be persistent too."
        cursor.report_always(name.span, "conflicting-words", message)
    if cursor.names.get(name.text) in (Type.POSITION, Type.PIECE):
        message = f"`{name.text}` belongs to one game; persistent variables hold sets, numbers or strings."
        cursor.report_always(name.span, "type-mismatch", message)
    cursor.persistent.add(name.text)
    manner = assignments.Manner(token.offset, persistent=True, quiet=quiet)
    return assignments.assignment(cursor, name, manner)


def _atomic(cursor: Cursor, token: Token) -> nodes.Node:
    name = _variable(cursor, token)
    if name is None:
        return Broken(token.span)
    if name.text in cursor.persistent:
        message = f"`{name.text}` is persistent above and cannot be atomic too."
        cursor.report_always(name.span, "conflicting-words", message)
    cursor.atomic.add(name.text)
    return assignments.assignment(cursor, name, assignments.Manner(token.offset, atomic=True))


def _variable(cursor: Cursor, token: Token) -> Token | None:
    """The variable after `persistent` or `atomic`. An assignment must follow the variable. If there is an
    error, the function reports the error and returns None."""
    name = cursor.peek()
    if name.kind is not Kind.NAME:
        cursor.expected(f"a variable and its assignment after `{token.word}`", f"write {token.word} x = ...")
        return None
    if name.text in cursor.functions or name.text in cursor.dictionaries:
        cursor.take()
        message = f"`{name.text}` is a function or dictionary and cannot be a variable too."
        cursor.report_always(name.span, "name-taken", message, "take another name")
        return None
    cursor.take()
    if cursor.peek().word not in assignments.OPERATORS:
        cursor.expected(f"an assignment to `{name.text}`", f"write {token.word} {name.text} = ...")
        return None
    return name


def _dictionary(cursor: Cursor, token: Token) -> nodes.Node:
    return syntax_dictionaries.declaration(cursor, token, local=False)


def _local(cursor: Cursor, token: Token) -> nodes.Node:
    if cursor.accept("dictionary") is None:
        return cursor.expected("`dictionary` after `local`", "write local dictionary D")
    return syntax_dictionaries.declaration(cursor, token, local=True)


def _string_loop(cursor: Cursor, token: Token) -> nodes.Node:
    """`string x in D F`, the form of CQL 6.1."""
    name = cursor.peek()
    if name.kind is not Kind.NAME:
        return syntax_dictionaries.not_a_name(cursor, "a variable")
    cursor.take()
    if cursor.accept("in") is None:
        return cursor.expected(f"`in` after `string {name.text}`")
    if not syntax_dictionaries.names_one(cursor):
        return cursor.expected("a dictionary")
    return syntax_dictionaries.loop(cursor, name, token.offset, plain=True)


READERS.update(
    {
        "if": _if,
        "loop": _loop,
        "while": _while,
        "assert": _assert,
        "isbound": _is_bound,
        "isunbound": _is_bound,
        "unbind": _unbind,
        "persistent": _persistent,
        "atomic": _atomic,
        "dictionary": _dictionary,
        "local": _local,
        "string": _string_loop,
        "function": syntax_functions.definition,
    }
)
