"""Binary operators, read by precedence climbing (language spec, 5). An operator is read only where the types
allow the operator.

The language demands that an operator is not consumed if the left operand has the wrong type. The caller
reports the unread operator with `unexpected`, which finds out why the operator was refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from cqlgui.base import priority
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import SETS, Type
from cqlgui.cql.source.tokens import END, REPETITION, Kind, Token
from cqlgui.cql.syntax.reading.cursor import (
    MAX_DEPTH,
    NUMERIC,
    POSITION,
    SET,
    STRING,
    TYPE_WORDS,
    VALUES,
    Broken,
    Cursor,
    is_internal,
    listed,
    shown,
)
from cqlgui.cql.syntax.reading.readers import can_begin
from cqlgui.cql.vocabulary import registry


def expression(cursor: Cursor, level: int) -> nodes.Node:
    """One filter with operators up to `level` (0: a primary, 14: any filter). If there is an error, the
    function reports the error and returns Broken."""
    priority.pause()
    cursor.depth += 1
    if cursor.depth > MAX_DEPTH:
        cursor.too_deep(cursor.peek().span)
    start = cursor.peek().offset
    left = cursor.primary()
    reached = 0
    while True:
        token = cursor.peek()
        operator = OPERATORS.get(token.word)
        if operator is None or operator.level > level or operator.level < reached:
            break
        if operator.level == reached and operator.once:
            break
        kind = cursor.type_of(left)
        if kind is not None and kind not in operator.left:
            break
        if token.word in ("[", "[]") and token.offset != cursor.since(start).end:
            break
        if operator.applies is not None and not operator.applies(cursor, token):
            break
        if token.word == "+" and kind is Type.STRING and not joins_strings(cursor):
            break
        before = cursor.position
        left = operator.read(cursor, left, start, operator)
        reached = operator.level
        if cursor.position == before:
            break
    cursor.depth -= 1
    return left


def unexpected(cursor: Cursor, before: nodes.Node | None, start: int) -> None:
    """Report the next token, which begins no filter. `before` is the filter directly before this token."""
    token = cursor.peek()
    operator = OPERATORS.get(token.word)
    if operator is not None and before is not None:
        kind = cursor.type_of(before)
        assigned = before.value if isinstance(before, nodes.Assign) else before
        if token.word == "+" and cursor.type_of(assigned) is Type.STRING:
            message = "`+` adds two numbers or joins two strings, not one of each."
            cursor.report(token.span, "type-mismatch", message)
        elif operator.once and kind is Type.LOGICAL and token.word == "in":
            cursor.report(
                token.span, "chained-in", "Only one `in` may stand in a row.", "bracket the inner one"
            )
        elif kind is not None:
            cursor.report(
                token.span, "type-mismatch",
                f"`{shown(token)}` needs {listed(operator.left)} on its left, not {TYPE_WORDS[kind]}.",
                "a set has no arithmetic: # gives its size" if kind in SETS and token.word in "+-*/%" else "",
            )  # fmt: skip
        cursor.hush()
        return
    if token.word == REPETITION:
        hint = "write (5), without braces, for a number"
        cursor.report(
            token.span, "unexpected-token", f"`{shown(token)}` is a repetition and no filter.", hint
        )
        return
    if token.word == "=" and before is not None:
        cursor.report(
            token.span,
            "single-equals",
            "One `=` gives a variable its value, and no variable stands before it.",
            "== compares",
        )
        return
    row = registry.lookup(token.word)
    if (
        row is not None
        and row.kind in ("header", "parameter", "internal")
        and registry.is_reserved(token.word)
    ):
        owner = "the header" if row.kind == "header" else "certain other words"
        hint = "it cannot name a variable either" if cursor.peek(1).word == "=" else ""
        cursor.report(
            token.span, "misplaced-word", f"`{token.word}` belongs to {owner} and begins no filter.", hint
        )
        return
    cursor.expected("a filter")


@dataclass(frozen=True, slots=True)
class Operator:
    """One binary operator. With `once`, the left operand needs brackets if it is an operation of the same
    level. `applies`, if given, is a function that decides from the text around a sign whether the sign is
    this operator."""

    level: int
    left: frozenset[Type]
    read: Callable[[Cursor, nodes.Node, int, Operator], nodes.Node]
    once: bool = False
    applies: Callable[[Cursor, Token], bool] | None = None


def _set_operation(cursor: Cursor, left: nodes.Node, start: int, operator: Operator) -> nodes.Node:
    token = cursor.take()
    word: Literal["&", "|"] = "&" if token.word == "&" else "|"
    wanted = POSITION if cursor.type_of(left) is Type.POSITION else SET
    right = cursor.operand(operator.level - 1, wanted, f"`{token.text}`")
    return cursor.made(nodes.SetOperation(cursor.since(start), word, left, right), left, right)


def _attack(cursor: Cursor, left: nodes.Node, start: int, operator: Operator) -> nodes.Node:
    token = cursor.take()
    word: Literal["attacks", "attackedby"] = "attacks" if token.word == "attacks" else "attackedby"
    if token.word == "attacked" and cursor.accept("by") is None:
        return cursor.expected("`by` after `attacked`", "write attackedby, or the arrow <-")
    right = cursor.operand(operator.level - 1, SET, f"`{word}`")
    return cursor.made(nodes.Attack(cursor.since(start), word, left, right), left, right)


def _arrow(cursor: Cursor, left: nodes.Node, start: int, operator: Operator) -> nodes.Node:
    first = cursor.peek()
    word: Literal["->", "<-"] = "->" if first.word == "->" else "<-"
    operands = [left]
    while (token := cursor.peek()).word in ("->", "<-"):
        if token.word != word:
            message = "Arrows of both directions may not stand in one chain."
            cursor.report_always(token.span, "mixed-arrows", message, "bracket one of them")
            operands.append(Broken(token.span))
        cursor.take()
        operands.append(cursor.operand(operator.level - 1, SET, f"`{token.text}`"))
    return cursor.made(nodes.Arrow(cursor.since(start), word, tuple(operands)), *operands)


def _arithmetic(cursor: Cursor, left: nodes.Node, start: int, operator: Operator) -> nodes.Node:
    token = cursor.take()
    kind = cursor.type_of(left)
    begin = cursor.peek().offset
    right = cursor.taken_ahead() or cursor.expression(operator.level - 1)
    other = cursor.type_of(right)
    if token.word == "+" and other is Type.STRING and kind is Type.NUMERIC:
        # A number and a string have no sum. The error is reported at the sign, not at the second operand.
        message = "`+` adds two numbers or joins two strings, not one of each."
        return cursor.report_always(token.span, "type-mismatch", message)
    if kind is not None:
        right = cursor.insist(right, frozenset({kind}), f"`{token.text}`", begin)
    node = nodes.Arithmetic(cursor.since(start), _ARITHMETIC[token.word], left, right)
    return cursor.made(node, left, right)


def joins_strings(cursor: Cursor) -> bool:
    """Whether the next token is a `+` before a string. A filter that cannot be read also counts as a string.
    Before any other filter, a `+` does not join strings: `int "3" + 4` is `(int "3") + 4` (language spec,
    R2-2)."""
    if cursor.peek().word != "+":
        return False
    following = cursor.peek(1)
    if following.kind is Kind.NUMBER or following.word in ("#", "-"):
        return False
    right = cursor.look_ahead(1, OPERATORS["+"].level - 1)
    return cursor.type_of(right) in (Type.STRING, None)


def _compare(cursor: Cursor, left: nodes.Node, start: int, operator: Operator) -> nodes.Node:
    token = cursor.take()
    begin = cursor.peek().offset
    right = cursor.expression(operator.level)
    word = _RELATIONS[token.word]
    one, two = cursor.type_of(left), cursor.type_of(right)
    node = cursor.made(nodes.Compare(cursor.since(start), word, left, right), left, right)
    if one is None or two is None:
        return node
    if one in SETS and two in SETS:
        if word in ("==", "!="):
            return node
        message = (
            f"`{token.text}` compares sizes, so one side must be a number; two sets have only == and !=."
        )
        return cursor.report_always(
            token.span, "type-mismatch", message, "put # before both sets to compare sizes"
        )
    sizes = SETS | NUMERIC
    if one is two or (one in sizes and two in sizes):
        return node
    message = f"`{token.text}` cannot compare {TYPE_WORDS[one]} with {TYPE_WORDS[two]}."
    return cursor.report_always(cursor.since(begin), "type-mismatch", message)


def _in(cursor: Cursor, left: nodes.Node, start: int, operator: Operator) -> nodes.Node:
    cursor.take()
    if cursor.type_of(left) is Type.STRING:
        right = cursor.operand(10, STRING, "`in` behind a string")
    else:
        right = cursor.operand(7, SET, "`in` behind a set")
    return cursor.made(nodes.In(cursor.since(start), left, right), left, right)


def _logic(cursor: Cursor, left: nodes.Node, start: int, operator: Operator) -> nodes.Node:
    token = cursor.take()
    right = cursor.expression(operator.level - 1)
    return cursor.made(
        nodes.Logic(cursor.since(start), "and" if token.word == "and" else "or", left, right), left, right
    )


ANY = frozenset(Type)
_ARITHMETIC: dict[str, Literal["+", "-", "*", "/", "%"]] = {"+": "+", "-": "-", "*": "*", "/": "/", "%": "%"}
_RELATIONS: dict[str, nodes.Relation] = {"==": "==", "!=": "!=", "<": "<", ">": ">", "<=": "<=", ">=": ">="}

OPERATORS: dict[str, Operator] = {
    "attacks": Operator(3, SET, _attack),
    "attackedby": Operator(3, SET, _attack),
    "attacked": Operator(3, SET, _attack),
    "&": Operator(4, SET | POSITION, _set_operation),
    "|": Operator(5, SET, _set_operation),
    "->": Operator(6, SET, _arrow, once=True),
    "<-": Operator(6, SET, _arrow, once=True),
    "*": Operator(8, NUMERIC, _arithmetic),
    "/": Operator(8, NUMERIC, _arithmetic),
    "%": Operator(8, NUMERIC, _arithmetic),
    "+": Operator(9, NUMERIC | STRING, _arithmetic),
    "-": Operator(9, NUMERIC, _arithmetic),
    **{word: Operator(10, VALUES, _compare, once=True) for word in _RELATIONS},
    "in": Operator(11, SET | STRING, _in, once=True),
    "and": Operator(12, ANY, _logic),
    "or": Operator(13, ANY, _logic),
}


def begins_filter(cursor: Cursor, token: Token) -> bool:
    """True when a filter may begin with `token`."""
    return can_begin(token) or is_internal(token.word)


def juxtaposed(cursor: Cursor, single: str = "", *, spoken: bool = False) -> list[nodes.Node]:
    """All filters up to the closing bracket or the end of the text. `single` names a context that allows only
    one filter. With `spoken`, a string directly after a filter such as `player` is a filter of its own. The
    string is not searched for in the player's name."""
    found: list[nodes.Node] = []
    last: nodes.Node | None = None
    errors = cursor.errors
    start = cursor.peek().offset
    while not cursor.at_end_of_group():
        token = cursor.peek()
        if not begins_filter(cursor, token):
            unexpected(cursor, last, start)
            cursor.take_whole()
            # Several tokens in a row that begin no filter are probably one mistake, so only the first of
            # these tokens is reported.
            cursor.hush()
            found.append(Broken(token.span))
            last = None
            continue
        if single and found and cursor.errors == errors:
            message = f"Only one filter may stand {single}; here a second one begins."
            cursor.report(token.span, "unexpected-filter", message, "put several filters into braces { }")
        start = token.offset
        before = cursor.position
        if spoken:
            cursor.spoken = start
        last = cursor.expression(14)
        found.append(last)
        if cursor.position == before and cursor.peek().word != END:
            cursor.take()
    return found
