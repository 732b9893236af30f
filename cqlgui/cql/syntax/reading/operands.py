"""What the readers of several filters share: bracketed operands, texts, implicit search, unknown names."""

from __future__ import annotations

import re

from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.source import designators
from cqlgui.cql.source.tokens import STRING_LITERAL, Token
from cqlgui.cql.syntax.reading import operators
from cqlgui.cql.syntax.reading.cursor import Broken, Cursor, shown
from cqlgui.cql.vocabulary import registry

HINTS = {
    "on": "write & : R&a1",
    "any": "write . for all squares",
    "lightsquares": "write light .",
    "darksquares": "write dark .",
    "relation": "`echo` took its place",
    "next": "moves in a row are a path: path -- F -- G",
}
"""Words of earlier CQL versions, and what to write now."""


def arguments(
    cursor: Cursor,
    owner: str,
    level: int,
    wanted: frozenset[Type],
    least: int,
    most: int = 0,
    *,
    spoken: bool = False,
) -> list[nodes.Node]:
    """The bracketed operands of `owner`: at least `least` and at most `most` operands (0: no maximum). With
    `spoken`, a string directly after an operand such as `player` is an operand of its own. The string is not
    searched for in the player's name."""
    if cursor.peek().word != "(":
        return [cursor.expected(f"`(` after {owner}")]
    cursor.take()
    found: list[nodes.Node] = []
    errors = cursor.errors
    while not cursor.at_end_of_group():
        before = cursor.position
        token = cursor.peek()
        if not operators.begins_filter(cursor, token):
            operators.unexpected(cursor, found[-1] if found else None, token.offset)
            cursor.take_whole()
            found.append(Broken(token.span))
            continue
        if most and len(found) == most and cursor.errors == errors:
            message = f"{owner} takes {most} operands, and here one more begins."
            cursor.report(token.span, "too-many-arguments", message)
        if spoken:
            cursor.spoken = token.offset
        found.append(cursor.operand(level, wanted, owner))
        if cursor.position == before:
            cursor.take()
    if len(found) < least and cursor.errors == errors:
        message = f"{owner} needs {least if least > 1 else 'one'} operand{'s' if least > 1 else ''} at least."
        found.append(cursor.report(cursor.peek().span, "too-few-arguments", message))
    cursor.take()
    return found


def text_parts(cursor: Cursor, owner: str) -> list[nodes.Node]:
    """The operands of `owner`, which is a filter that writes texts. The operands are either `(F ...)` or a
    single F. A string directly after an operand such as `player` is an operand of its own. If `player` stands
    within further brackets or after an operator, the string is searched for in the player's name (language
    spec, R2-8)."""
    if cursor.peek().word == "(":
        return arguments(cursor, owner, 14, frozenset(Type), 1, spoken=True)
    cursor.spoken = cursor.peek().offset
    return [cursor.expression(14)]


def searched(cursor: Cursor, text: nodes.Node) -> nodes.Node:
    """The filter `text`, for example `player`. If a string literal directly follows the filter, the result is
    an implicit search for the literal in the text of the filter."""
    literal = cursor.peek()
    if literal.word != STRING_LITERAL or text.span.offset == cursor.spoken:
        return text
    cursor.take()
    needle = literal.string
    if any(sign in needle[1:] for sign in "*+?") or ("[" in needle and "]" in needle[needle.index("[") :]):
        message = "This search takes its text literally, and that looks like a regular expression."
        return cursor.report_always(literal.span, "regular-expression", message, "leave out * + ? [ ]")
    return nodes.ImplicitSearch(cursor.since(text.span.offset), needle, text)


def undeclared(cursor: Cursor, token: Token) -> Broken:
    """Report an undeclared name, with the keyword or variable that was probably meant. If the last reported
    error is already about this name, nothing more is reported."""
    if cursor.diagnostics and cursor.diagnostics[-1].span == token.span:
        return Broken(token.span)
    hint = HINTS.get(token.text, "") or _designator_hint(token.text)
    if token.text in HINTS:
        return cursor.report_always(token.span, "old-syntax", f"`{token.text}` is older CQL.", hint)
    if not hint:
        near = registry.suggest(token.text, tuple(cursor.names))
        hint = f"did you mean `{near}`?" if near else _definition_hint(cursor, token)
    return cursor.report_always(
        token.span,
        "undeclared-name",
        f"`{shown(token)}` is neither a keyword nor a variable of this query.",
        hint,
    )


def _definition_hint(cursor: Cursor, token: Token) -> str:
    """A hint on how to define an unknown name. The token after the name shows whether the name was probably
    meant as a function, a dictionary or a variable."""
    following = cursor.peek()
    if following.offset == token.end and following.word == "(":
        return f"a function is defined before it is called: function {shown(token)}(...) {{...}}"
    if following.offset == token.end and following.word == "[":
        return f"a dictionary is named before it is used: dictionary {shown(token)}"
    return "a variable gets its value before it is used: x = ..."


def _designator_hint(text: str) -> str:
    """A hint about the designator that was probably meant; empty if the name resembles no designator."""
    if 1 < len(text) <= 12 and set(text) <= set(designators.PIECES) and len(set(text)) == len(text):
        return f"several men stand in square brackets: [{text}]"
    if re.fullmatch(r"[KQRBNPkqrbnpAa]?[a-hA-H]\d+", text):
        piece, file, rank = text[:-2] if len(text) > 2 else "", text[-2:-1].lower(), text[-1]
        if rank in "12345678" and len(text) <= 3:
            return f"files are small letters: {piece}{file}{rank}"
        return "squares are a1 to h8"
    return ""
