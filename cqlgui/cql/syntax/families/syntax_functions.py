"""Functions (language spec, 12.5): a call is expanded like a macro. The body of the function is read again
with the arguments.

If an argument is a plain variable, the name of the variable replaces the name of the parameter. A hidden
variable holds any other argument. A function never calls itself. A call evaluates all arguments before it
assigns any argument to a parameter. One hidden variable for each function, parameter and type is therefore
enough.
"""

from __future__ import annotations

from typing import Final

from cqlgui.cql.ast import nodes, nodes_programs, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.source.tokens import END, REPETITION, Kind, Token
from cqlgui.cql.syntax.families import syntax_dictionaries
from cqlgui.cql.syntax.reading import operators
from cqlgui.cql.syntax.reading.cursor import (
    CLOSERS,
    TYPE_WORDS,
    VALUES,
    Broken,
    Cursor,
    Definition,
    TooManyError,
)

_REPETITIONS: Final = frozenset({REPETITION, "{+}", "{*}"})

MAX_EXPANDED = 50_000
"""All calls in a query together may produce at most this number of words and signs."""


def definition(cursor: Cursor, token: Token) -> nodes.Node:
    """`function f (p ...) { F ... }`; the keyword was just consumed."""
    errors = cursor.errors
    name = cursor.peek()
    if name.kind is not Kind.NAME:
        return _passed_over(cursor, syntax_dictionaries.not_a_name(cursor, "a function"))
    cursor.take()
    if name.text in cursor.functions:
        message = f"The function `{name.text}` is defined already."
        cursor.report_always(name.span, "name-taken", message, "take another name")
    elif name.text in cursor.names:
        message = f"`{name.text}` is a variable and cannot be a function too."
        cursor.report_always(name.span, "name-taken", message, "take another name")
    found = Definition(name.text, (), None)
    known = cursor.functions.setdefault(name.text, found)
    if cursor.peek().word != "(":
        return _passed_over(cursor, cursor.expected("`(` and the parameters"))
    cursor.take()
    parameters = _parameters(cursor)
    if cursor.peek().word in _REPETITIONS:
        return _passed_over(cursor, _repetition_as_body(cursor))
    if cursor.peek().word != "{":
        return _passed_over(cursor, cursor.expected("`{` and the body of the function"))
    opener = cursor.take()
    start = cursor.position
    cursor.skip_group()
    closer = cursor.peek()
    body = cursor.tokens[start : cursor.position]
    if not body:
        cursor.expected("a filter")
    cursor.take()
    if cursor.errors > errors or known is not found:
        return Broken(token.span)
    found.parameters, found.tokens = parameters, [*body, closer]
    text = cursor.text[opener.end : closer.offset]
    return nodes_programs.Function(cursor.since(token.offset), name.text, parameters, text)


def _repetition_as_body(cursor: Cursor) -> Broken:
    """Report a repetition such as `{1}` or `{+}` in the place of a function's body."""
    token = cursor.take()
    inside = token.text[1:-1].strip()
    message = f"`{token.text}` repeats a move of a path, and here the body of a function stands."
    hint = f"write {{({inside})}}" if inside.isdigit() else "write the filters of the body in braces"
    return cursor.report_always(token.span, "unexpected-token", message, hint)


def call(cursor: Cursor, name: Token) -> nodes.Node:
    """`f (E ...)`; the name was just consumed."""
    found = cursor.functions[name.text]
    following = cursor.peek()
    if following.word != "(":
        if following.word in ("=", "[element]"):
            message = f"`{name.text}` is a function and cannot be a variable too."
            broken = cursor.report_always(name.span, "name-taken", message, "take another name")
            cursor.take()
            cursor.expression(9)
            return broken
        return cursor.expected(f"`(` and the arguments of `{name.text}`")
    cursor.take()
    errors = cursor.errors
    arguments, hidden, names = _arguments(cursor, found)
    closer = cursor.peek()
    if len(arguments) < len(found.parameters) and cursor.errors == errors and found.tokens is not None:
        cursor.report(closer.span, "too-few-arguments", _how_many(found, len(arguments)))
    cursor.take()
    span = cursor.since(name.offset)
    if found.tokens is None or found.faulty or cursor.errors > errors:
        return Broken(span)
    if any(isinstance(argument, Broken) for argument in arguments):
        return Broken(span)
    if name.text in cursor.calls:
        message = f"`{name.text}` is called within itself, and a function cannot be."
        return cursor.report_always(name.span, "recursive-function", message, "repeat with loop or while")
    cursor.expanded += len(found.tokens)
    if cursor.expanded > MAX_EXPANDED:
        message = f"The calls of functions make a query of more than {MAX_EXPANDED} words and signs."
        cursor.report_always(name.span, "too-long", message, "call fewer functions within one another")
        raise TooManyError
    body = _body(cursor, found, names)
    if cursor.errors > errors:
        found.faulty = True
    if isinstance(body, Broken):
        return Broken(span)
    return nodes_programs.Call(span, name.text, tuple(arguments), tuple(hidden), body)


def _parameters(cursor: Cursor) -> tuple[str, ...]:
    found: list[str] = []
    while not cursor.at_end_of_group():
        token = cursor.peek()
        if token.kind is not Kind.NAME:
            before = cursor.position
            syntax_dictionaries.not_a_name(cursor, "a parameter")
            if cursor.position == before:
                cursor.take_whole()
            continue
        cursor.take()
        if token.text in found:
            message = f"There is a parameter `{token.text}` already."
            cursor.report_always(token.span, "duplicate-parameter", message)
        found.append(token.text)
    cursor.take()
    return tuple(found)


def _arguments(cursor: Cursor, found: Definition) -> tuple[list[nodes.Node], list[str], dict[str, str]]:
    """The arguments up to the closing bracket, their hidden variables, and the name that replaces each
    parameter."""
    arguments: list[nodes.Node] = []
    hidden: list[str] = []
    names: dict[str, str] = {}
    errors = cursor.errors
    while not cursor.at_end_of_group():
        token, before = cursor.peek(), cursor.position
        if not operators.begins_filter(cursor, token):
            operators.unexpected(cursor, arguments[-1] if arguments else None, token.offset)
            cursor.take_whole()
            arguments.append(Broken(token.span))
            continue
        place = len(arguments)
        extra = place >= len(found.parameters)
        if extra and cursor.errors == errors and found.tokens is not None:
            cursor.report(token.span, "too-many-arguments", _how_many(found, place + 1))
        argument = cursor.expression(14)
        if cursor.position == before:
            cursor.take()
        by_name = isinstance(argument, nodes.Name) and cursor.position == before + 1
        kind = cursor.type_of(argument)
        if kind is not None and kind not in VALUES and not (by_name and kind is Type.DICTIONARY):
            message = f"An argument is a value, and this is {TYPE_WORDS[kind]}."
            argument = cursor.report_always(cursor.since(token.offset), "type-mismatch", message)
        arguments.append(argument)
        if extra or kind is None:
            hidden.append("")
            continue
        parameter = found.parameters[place]
        if by_name:
            assert isinstance(argument, nodes.Name)
            hidden.append("")
            names[parameter] = argument.name
        else:
            names[parameter] = _hidden(cursor, found.name, parameter, types.valued(kind))
            hidden.append(names[parameter])
    return arguments, hidden, names


def _hidden(cursor: Cursor, function: str, parameter: str, kind: Type) -> str:
    """The hidden variable that holds arguments of one type for one parameter. Its name does not occur in the
    text."""
    name = f"{function}${parameter}${kind.value}"
    while cursor.names.get(name, kind) is not kind or name in cursor.words:
        name += "$"
    cursor.names[name] = kind
    return name


def _body(cursor: Cursor, found: Definition, names: dict[str, str]) -> nodes.Node:
    """The body of a function, read with other names in place of the parameters."""
    assert found.tokens is not None
    replaced = [
        token._replace(text=names[token.text], word=names[token.text], width=token.end - token.offset)
        if token.kind is Kind.NAME and token.text in names
        else token
        for token in found.tokens
    ]
    filters: list[nodes.Node] = []
    cursor.calls.append(found.name)
    cursor.inside(replaced, lambda: filters.extend(operators.juxtaposed(cursor)))
    cursor.calls.pop()
    if len(filters) == 1:
        return filters[0]
    span = filters[0].span.to(filters[-1].span)
    return cursor.made(nodes.Compound(span, tuple(filters)), *filters)


def _how_many(found: Definition, given: int) -> str:
    wanted = len(found.parameters)
    count = "no arguments" if not wanted else "one argument" if wanted == 1 else f"{wanted} arguments"
    return f"`{found.name}` takes {count}, and here {'is' if given == 1 else 'are'} {given or 'none'}."


def _passed_over(cursor: Cursor, broken: Broken) -> Broken:
    """Skip the rest of a definition that cannot be read: the parameters and the body."""
    for opener in ("(", "{"):
        while cursor.peek().word != END and cursor.peek().word not in ("(", "{", *CLOSERS):
            if opener == "{" or cursor.peek(1).word not in ("(", "{"):
                return broken
            cursor.take()
        if cursor.peek().word == opener:
            cursor.take_whole()
    cursor.hush()
    return broken
