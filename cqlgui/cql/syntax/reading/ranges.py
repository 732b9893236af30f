"""Ranges after keywords (language spec, 2.4): one or two bounds, or `count`."""

from __future__ import annotations

from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.source.tokens import END, Kind
from cqlgui.cql.syntax.reading.cursor import CLOSERS, Cursor

NO_LIMIT = 100_000
"""`count` stands for the range from -100,000 to 100,000."""

# A number or variable before one of these words begins a longer filter and is no bound.
_CONTINUES = frozenset(
    [
        "+",
        "-",
        "*",
        "/",
        "%",
        "=",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "&",
        "|",
        "->",
        "<-",
        ":",
        "?",
        ",",
        "=?",
        "+=",
        "-=",
        "*=",
        "/=",
        "%=",
        "|=",
        "&=",
        "~~",
        "in",
        "[element]",
        "[<]",
        "[<=]",
        "[>]",
        "[>=]",
    ]
) | {"attacks", "attackedby"}


def plain_range(cursor: Cursor) -> nodes.Range | None:
    """The range that begins at the next token. If no range begins there, nothing is consumed and the result
    is None."""
    word = cursor.peek()
    if word.word == "count":
        cursor.take()
        return nodes.Range(word.span, -NO_LIMIT, NO_LIMIT, count=True)
    low = _bound(cursor)
    if low is None:
        return None
    high = _bound(cursor)
    return nodes.Range(cursor.since(word.offset), low, low if high is None else high)


def direction_range(cursor: Cursor, owner: str) -> nodes.Range | None:
    """Like `plain_range`, for the steps of a direction. The bounds must lie in -7..7, and `count` is not
    allowed."""
    word = cursor.peek()
    if word.word == "count":
        cursor.take()
        cursor.report_always(word.span, "misplaced-word", f"{owner} takes numbers of steps, not `count`.")
        return None
    low = _bound(cursor, signed=True)
    if low is None:
        return None
    high = _bound(cursor, signed=True)
    found = nodes.Range(cursor.since(word.offset), low, low if high is None else high)
    for bound in (found.low, found.high):
        if isinstance(bound, int) and not -7 <= bound <= 7:
            cursor.report_always(found.span, "bad-range", f"{owner} goes between -7 and 7 steps.")
            return found
    if isinstance(found.low, int) and isinstance(found.high, int) and found.low > found.high:
        cursor.report_always(found.span, "bad-range", "The smaller bound of a range stands first.")
    return found


def header_range(cursor: Cursor) -> nodes.Range | None:
    """The range of a header parameter: one or two integer literals. If there is no literal, an error is
    reported."""
    word = cursor.peek()
    low = _literal(cursor)
    if low is None:
        cursor.expected(f"a number after `{cursor.tokens[cursor.position - 1].text}`")
        return None
    high = _literal(cursor)
    return nodes.Range(cursor.since(word.offset), low, low if high is None else high)


def _literal(cursor: Cursor) -> int | None:
    negative = cursor.peek().word == "-" and cursor.peek(1).kind is Kind.NUMBER
    if negative:
        cursor.take()
    if cursor.peek().kind is Kind.NUMBER:
        value = cursor.take().number
        return -value if negative else value
    return None


def _bound(cursor: Cursor, signed: bool = False) -> int | str | None:
    """One bound, or None. With `signed`, a minus sign between two numbers begins the second bound, because a
    signed range contains no subtraction."""
    negative = cursor.peek().word == "-" and cursor.peek(1).kind is Kind.NUMBER
    token = cursor.peek(1 if negative else 0)
    following = cursor.peek(2 if negative else 1)
    if token.kind is not Kind.NUMBER and (
        token.kind is not Kind.NAME or cursor.names.get(token.text) is not Type.NUMERIC
    ):
        return None
    after = cursor.peek(3 if negative else 2)
    next_bound = signed and following.word == "-" and after.kind is Kind.NUMBER
    if following.word in _CONTINUES and not next_bound:
        return None
    if following.word in ("--", "[x]") and following.offset == token.end:
        # The number or variable is no bound if a dash directly follows. A dash after a blank begins the
        # operand.
        return None
    if token.kind is Kind.NAME and (following.word == END or following.word in CLOSERS):
        # In `find x` at the end of a text, x is the operand and no bound, because no other operand follows.
        return None
    if negative:
        cursor.take()
    cursor.take()
    if token.kind is Kind.NAME:
        return token.text
    return -token.number if negative else token.number
