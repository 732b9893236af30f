"""Variables and loops (language spec, 8.4 and 12.1): `x = E`, `piece x = S`, `piece x in S F`,
`x[element]S F`."""

from __future__ import annotations

from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.source.tokens import PIECE_DECLARATION, Kind, Token
from cqlgui.cql.syntax.families import syntax_dictionaries
from cqlgui.cql.syntax.reading.cursor import NUMERIC, SET, STRING, TYPE_WORDS, VALUES, Broken, Cursor

OPERATORS = frozenset({"=", "=?", "+=", "-=", "*=", "/=", "%=", "|=", "&="})
_SYMBOLS = {
    "=": "=", "=?": "=?", "+=": "+=", "-=": "-=", "*=": "*=", "/=": "/=", "%=": "%=", "|=": "|=", "&=": "&=",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Manner:
    """The words in front of an assignment (spec 12.2, 12.3). `start` is the offset of the first of these
    words, or of the name if there are no such words."""

    start: int
    persistent: bool = False
    quiet: bool = False
    atomic: bool = False


def assignment(cursor: Cursor, name: Token, manner: Manner | None = None) -> nodes.Node:
    """`x = E` and similar assignments; the name was just consumed."""
    how = manner or Manner(name.offset)
    operator = cursor.take()
    known = cursor.names.get(name.text)
    updates = operator.word not in ("=", "=?")
    ok = True
    if updates and name.text not in cursor.names and not how.persistent:
        message = f"`{name.text}` has no value that `{operator.text}` could change."
        cursor.report_always(name.span, "undeclared-name", message, f"give it one first: {name.text} = ...")
        ok = False
    elif known is Type.PIECE:
        message = f"`{name.text}` is a piece variable; only `piece {name.text} = ...` sets it."
        cursor.report_always(name.span, "type-mismatch", message)
        ok = False
    elif known is not None and updates and operator.word in ("|=", "&=") and known is not Type.SET:
        message = f"`{operator.text}` works on sets, and `{name.text}` holds {TYPE_WORDS[known]}."
        cursor.report_always(operator.span, "type-mismatch", message)
        ok = False
    start = cursor.peek().offset
    value = cursor.expression(9)
    if not ok:
        return Broken(name.span)
    value = _checked_value(cursor, name, operator, known, value, start)
    if how.persistent:
        value = cursor.insist(value, SET | NUMERIC | STRING, "A persistent variable", start)
    kind = cursor.type_of(value)
    if name.text not in cursor.names:
        cursor.names[name.text] = Type.SET if kind is Type.PIECE else kind
    symbol = _SYMBOLS[operator.word]
    node = nodes.Assign(
        cursor.since(how.start),
        name.text,
        symbol,  # type: ignore[arg-type]  # one of the literals
        value,
        how.persistent,
        how.quiet,
        how.atomic,
    )
    return cursor.made(node, value)


def _checked_value(
    cursor: Cursor, name: Token, operator: Token, known: Type | None, value: nodes.Node, start: int
) -> nodes.Node:
    owner = f"`{operator.text}`"
    if operator.word == "=?":
        value = cursor.insist(value, SET, owner, start)
    elif operator.word == "+=":
        value = cursor.insist(value, NUMERIC | STRING, owner, start)
    elif operator.word in ("-=", "*=", "/=", "%="):
        value = cursor.insist(value, NUMERIC, owner, start)
    elif operator.word in ("|=", "&="):
        value = cursor.insist(value, SET, owner, start)
    else:
        value = cursor.insist(value, VALUES, owner, start)
    kind = cursor.type_of(value)
    if kind is None or known is None or kind is known or (known is Type.SET and kind is Type.PIECE):
        return value
    message = f"`{name.text}` holds {TYPE_WORDS[known]} already and cannot take {TYPE_WORDS[kind]}."
    return cursor.report_always(cursor.since(start), "type-mismatch", message, "take another name")


def piece(cursor: Cursor, token: Token) -> nodes.Node:
    """`piece all? x in S F` or `piece x = S`; the keyword was just consumed."""
    every = cursor.accept("all") is not None
    name = _variable(cursor, "piece")
    if name is None:
        return _nameless(cursor, token)
    if not every and cursor.peek().word == "=":
        return _piece_assignment(cursor, name, token.offset)
    return _in_loop(cursor, name, token, piece=True, every=every)


def square(cursor: Cursor, token: Token) -> nodes.Node:
    """`square all? x in S F`; the keyword was just consumed."""
    every = cursor.accept("all") is not None
    name = _variable(cursor, "square")
    if name is None:
        return _nameless(cursor, token)
    return _in_loop(cursor, name, token, piece=False, every=every)


def declaration(cursor: Cursor, token: Token) -> nodes.Node:
    """An element loop or an assignment that begins with the sign of a piece variable. The sign was just
    consumed."""
    name = _variable(cursor, "piece")
    if name is None:
        return _nameless(cursor, token)
    if cursor.peek().word == "=":
        return _piece_assignment(cursor, name, token.offset)
    return element_loop(cursor, name, piece=True, every=False, start=token.offset)


def forall(cursor: Cursor, token: Token) -> nodes.Node:
    """An element loop that begins with the for-all sign. The sign was just consumed."""
    as_piece = cursor.accept(PIECE_DECLARATION) is not None
    name = _variable(cursor, "the for-all sign")
    if name is None:
        return _nameless(cursor, token)
    return element_loop(cursor, name, piece=as_piece, every=True, start=token.offset)


def element_loop(cursor: Cursor, name: Token, *, piece: bool, every: bool, start: int) -> nodes.Node:
    """`x[element]S F`, after the name. `[element]` must be the next token."""
    if cursor.peek().word != "[element]":
        return cursor.expected("[element] or ∊ and a set")
    cursor.take()
    return _loop(cursor, name, start, piece=piece, every=every)


def _in_loop(cursor: Cursor, name: Token, token: Token, *, piece: bool, every: bool) -> nodes.Node:
    if cursor.peek().word != "in":
        every_word = "all " if every else ""
        return cursor.expected(f"`in` after `{token.word} {every_word}{name.text}`")
    cursor.take()
    return _loop(cursor, name, token.offset, piece=piece, every=every)


def _loop(cursor: Cursor, name: Token, start: int, *, piece: bool, every: bool) -> nodes.Node:
    owner = "a loop over men" if piece else "a loop over squares"
    if syntax_dictionaries.names_one(cursor):
        return syntax_dictionaries.loop(cursor, name, start, plain=not piece and not every)
    domain = cursor.operand(7, SET, owner.capitalize())
    # The name may already be the variable of an outer loop. A search stops with an error only if it reaches
    # the inner loop (R2-13). `lints_loops` therefore gives a warning, and no error is reported here.
    fresh = cursor.declare(name, Type.PIECE if piece else Type.SET)
    cursor.bound.append(name.text)
    body = cursor.expression(14)
    cursor.bound.pop()
    if not fresh:
        return Broken(name.span)
    make = nodes.PieceLoop if piece else nodes.SquareLoop
    return cursor.made(make(cursor.since(start), name.text, every, domain, body), domain, body)


def _piece_assignment(cursor: Cursor, name: Token, start: int) -> nodes.Node:
    cursor.take()
    value = cursor.operand(7, SET, f"piece `{name.text}`")
    fresh = cursor.declare(name, Type.PIECE)
    if not fresh:
        return Broken(name.span)
    return cursor.made(nodes.PieceAssign(cursor.since(start), name.text, value), value)


def _nameless(cursor: Cursor, token: Token) -> Broken:
    """Skip the rest of a loop or assignment that has no valid name. The wrong name has been reported
    already."""
    cursor.hush()
    if cursor.peek().word in ("in", "[element]", "="):
        loop = cursor.take().word != "="
        cursor.expression(7)
        if loop:
            cursor.expression(14)
    return Broken(token.span)


def _variable(cursor: Cursor, owner: str) -> Token | None:
    """The name of a variable. If the next token is no name, the token is reported and the result is None."""
    token = cursor.peek()
    if token.kind is Kind.NAME:
        return cursor.take()
    loop = cursor.peek(1).word in ("in", "[element]", "=")
    if token.kind is Kind.DESIGNATOR:
        message = f"`{token.text}` names men or squares and cannot be a variable."
        cursor.report(token.span, "reserved-name", message, "take a longer name")
    elif token.kind in (Kind.KEYWORD, Kind.TRANSFORM, Kind.DIRECTION) and token.word != "in":
        message = f"`{token.text}` is a keyword and cannot be a variable."
        cursor.report(token.span, "reserved-name", message, f"{owner} is followed by a new name")
    else:
        cursor.expected(f"the name of a variable after {owner}")
    if loop:
        cursor.take()
    return None
