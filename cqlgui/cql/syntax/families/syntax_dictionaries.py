"""Dictionaries (language spec, 12.4): declaration, `D[key]`, `D[key] = E`, `#D`, `x[element]D F`.

The first key in the text fixes the type of the keys, and the first value fixes the type of the values. Before
the first value, the type of the values is unknown, and `D[key]` can only be used as a condition.
"""

from __future__ import annotations

from cqlgui.cql.ast import nodes, nodes_programs, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.source.tokens import Kind, Token
from cqlgui.cql.syntax.reading.cursor import TYPE_WORDS, VALUES, Broken, Cursor, shown


def declaration(cursor: Cursor, start: Token, *, local: bool) -> nodes.Node:
    """The declaration of a dictionary; the keyword was just consumed. If a key directly follows the name, the
    entry is read too."""
    name = cursor.peek()
    if name.kind is not Kind.NAME:
        return not_a_name(cursor, "a dictionary")
    cursor.take()
    known = cursor.dictionaries.get(name.text)
    if known is None and (name.text in cursor.names or name.text in cursor.functions):
        message = f"`{name.text}` is a variable or function already and cannot become a dictionary."
        return cursor.report_always(name.span, "name-taken", message, "take another name")
    if known is not None and known.local != local:
        kind = "a local" if known.local else "an ordinary"
        message = f"`{name.text}` was declared above as {kind} dictionary."
        return cursor.report_always(name.span, "name-taken", message, "declare it once")
    if known is None:
        cursor.names[name.text] = Type.DICTIONARY
        cursor.dictionaries[name.text] = types.Entries(local)
    node = nodes_programs.Dictionary(cursor.since(start.offset), name.text, local)
    if not (_tied(cursor, name) or _before_designator(cursor, name)):
        return node
    entry = named(cursor, name)
    return cursor.made(nodes.Compound(cursor.since(start.offset), (node, entry)), entry)


def names_one(cursor: Cursor) -> bool:
    """True when the next token stands for a whole dictionary, not for the beginning of an entry."""
    token = cursor.peek()
    if token.kind is not Kind.NAME or token.text not in cursor.dictionaries:
        return False
    following = cursor.peek(1)
    return following.word != "[" or following.offset != token.end


def named(cursor: Cursor, name: Token) -> nodes.Node:
    """A filter that begins with the name of a dictionary: an entry, an assignment to an entry, or the
    dictionary itself. The name was just consumed."""
    following = cursor.peek()
    if following.word in _ASSIGNMENTS and following.offset != cursor.promotion_sign:
        message = f"`{name.text}` is a dictionary; its values are set by key."
        cursor.report_always(name.span, "type-mismatch", message, f"write {name.text}[key] = value")
        cursor.take()
        cursor.expression(9)
        return Broken(name.span)
    if (refused := _no_key(cursor, name)) is not None:
        if cursor.accept("=") is not None:
            cursor.expression(14)
        return refused
    if not _tied(cursor, name):
        return nodes.Name(name.span, name.text)
    key = _key(cursor, name)
    following = cursor.peek()
    if following.word != "=" or following.offset == cursor.promotion_sign:
        if following.word in _ASSIGNMENTS and following.word != "=":
            operator = cursor.take()
            cursor.expression(9)
            message = f"`{operator.text}` does not work on a dictionary's entry."
            hint = f"write {name.text}[key] = {name.text}[key] {operator.text[:-1]} ..."
            return cursor.report_always(operator.span, "type-mismatch", message, hint)
        return cursor.made(nodes_programs.Entry(cursor.since(name.offset), name.text, key), key)
    cursor.take()
    value = _value(cursor, name)
    node = nodes_programs.EntryAssign(cursor.since(name.offset), name.text, key, value)
    return cursor.made(node, key, value)


def count(cursor: Cursor, sign: Token) -> nodes.Node:
    """`#D`; the sign was just consumed."""
    name = cursor.take()
    following = cursor.peek()
    if _tied(cursor, name) or _before_designator(cursor, name):
        message = f"`#{name.text}` counts the entries, and no key may follow."
        hint = f"write #({name.text}[key])"
        broken = cursor.report_always(following.span, "type-mismatch", message, hint)
        cursor.take_whole()
        return broken
    return nodes_programs.EntryCount(cursor.since(sign.offset), name.text)


def loop(cursor: Cursor, variable: Token, start: int, *, plain: bool) -> nodes.Node:
    """`x[element]D F`; the dictionary is the next token. `plain` is False for loops over pieces and for-all
    loops, because these loops need a set instead of a dictionary."""
    name = cursor.take()
    kind = cursor.dictionaries[name.text].key
    ok = plain
    if not plain:
        message = f"`{name.text}` is a dictionary: its keys are neither men nor counted for all."
        hint = f"write {variable.text}[element]{name.text}"
        cursor.report_always(name.span, "type-mismatch", message, hint)
    elif kind is None:
        message = f"Nothing was put into `{name.text}` above, so the type of its keys is unknown."
        cursor.report_always(name.span, "unknown-type", message, "assign to it before the loop")
        ok = False
    if ok and not cursor.declare(variable, kind):
        ok = False
    cursor.bound.append(variable.text)
    body = cursor.expression(14)
    cursor.bound.pop()
    if not ok:
        return Broken(variable.span)
    node = nodes_programs.EntryLoop(cursor.since(start), variable.text, name.text, body)
    return cursor.made(node, body)


def unbound_key(cursor: Cursor, name: Token) -> nodes.Node | None:
    """The key after `unbind D`, or None if no key follows."""
    return _key(cursor, name) if _tied(cursor, name) else _no_key(cursor, name)


def not_a_name(cursor: Cursor, what: str) -> Broken:
    """Report the next token, which cannot be the name of `what`."""
    token = cursor.peek()
    if token.kind is Kind.DESIGNATOR:
        message = f"`{shown(token)}` names men or squares and cannot be the name of {what}."
    elif token.kind in (Kind.KEYWORD, Kind.TRANSFORM, Kind.DIRECTION):
        message = f"`{shown(token)}` is a keyword and cannot be the name of {what}."
    else:
        return cursor.expected(f"the name of {what}")
    broken = cursor.report(token.span, "reserved-name", message, "take a longer name")
    cursor.take()
    return broken


_ASSIGNMENTS = frozenset({"=", "=?", "+=", "-=", "*=", "/=", "%=", "|=", "&="})


def _tied(cursor: Cursor, name: Token) -> bool:
    following = cursor.peek()
    return following.word in ("[", "[]") and following.offset == name.end


def _before_designator(cursor: Cursor, name: Token) -> bool:
    """True if a designator such as `[e4]` directly follows the dictionary. Such a designator was probably
    meant as a key."""
    following = cursor.peek()
    return following.kind is Kind.DESIGNATOR and following.offset == name.end


def _no_key(cursor: Cursor, name: Token) -> Broken | None:
    """Report a designator directly after a dictionary, as in `D[e4]`. If there is no such designator, nothing
    is consumed and the result is None."""
    if not _before_designator(cursor, name):
        return None
    following = cursor.take()
    message = f"`{shown(following)}` names squares or men here and is no key."
    hint = f"write {name.text}[({following.text[1:-1]})]"
    return cursor.report_always(following.span, "dictionary-key", message, hint)


def _key(cursor: Cursor, name: Token) -> nodes.Node:
    """`[key]`; the opening bracket is the next token."""
    bracket = cursor.take()
    if bracket.word == "[]":
        message = f"Between the brackets a key of `{name.text}` is missing."
        return cursor.report_always(bracket.span, "missing-operand", message)
    known = cursor.dictionaries[name.text]
    start = cursor.peek().offset
    key = cursor.operand(14, VALUES, f"A key of `{name.text}`")
    kind = cursor.type_of(key)
    if kind is not None:
        kind = types.valued(kind)
        if kind is Type.POSITION and not known.local:
            message = "Positions belong to one game, so only a local dictionary has them as keys."
            key = cursor.report_always(
                cursor.since(start), "type-mismatch", message, f"write local dictionary {name.text}"
            )
        elif known.key is None:
            known.key = kind
        elif kind is not known.key:
            message = f"The keys of `{name.text}` are {_plural(known.key)}, and this is {TYPE_WORDS[kind]}."
            key = cursor.report_always(cursor.since(start), "type-mismatch", message)
    cursor.close(bracket)
    return key


def _value(cursor: Cursor, name: Token) -> nodes.Node:
    known = cursor.dictionaries[name.text]
    start = cursor.peek().offset
    value = cursor.operand(14, VALUES, f"A value of `{name.text}`")
    kind = cursor.type_of(value)
    if kind is None:
        return value
    kind = types.valued(kind)
    if kind is Type.POSITION and not known.local:
        message = "Positions belong to one game, so only a local dictionary has them as values."
        return cursor.report_always(
            cursor.since(start), "type-mismatch", message, f"write local dictionary {name.text}"
        )
    if known.value is None:
        known.value = kind
    elif kind is not known.value:
        message = f"The values of `{name.text}` are {_plural(known.value)}, and this is {TYPE_WORDS[kind]}."
        return cursor.report_always(cursor.since(start), "type-mismatch", message)
    return value


def _plural(kind: Type) -> str:
    return {
        Type.SET: "sets of squares",
        Type.NUMERIC: "numbers",
        Type.STRING: "strings",
        Type.POSITION: "positions",
    }[kind]
