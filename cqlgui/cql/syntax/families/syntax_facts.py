"""Filters about the texts of a game and about the output of a search: `tag`, `originalcomment`, `settag`,
`removecomment`, `message` (spec 8.7, 8.13), and `pgn`, which is an extension of cqlgui.

CQL 6.2 reserves the word `pgn` and gives it no meaning. No variable can have this name, so `pgn` changes the
meaning of no query. The words behind it are keys only there: `eval` can still be the name of a variable.

This module defines how these filters are read, typed, printed and transformed.
"""

from __future__ import annotations

from typing import Final

from cqlgui.base.patterns import pattern
from cqlgui.cql.ast import nodes, nodes_facts, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.printing import printers
from cqlgui.cql.source import commands
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.source.tokens import STRING_LITERAL, Kind, Token
from cqlgui.cql.syntax.reading import glyphs, operands
from cqlgui.cql.syntax.reading.cursor import STRING, Broken, Cursor, shown
from cqlgui.cql.syntax.reading.readers import READERS
from cqlgui.cql.transforming import transform_rules

# --- reading ------------------------------------------------------------------------------------------------


def _tag(cursor: Cursor, token: Token) -> nodes.Node:
    name = cursor.peek()
    if name.word != STRING_LITERAL:
        broken = cursor.expected("the name of a tag in quotes", 'tag "White"')
        if name.kind is Kind.NAME:
            # This word was meant as the name of the tag. It is consumed, so that it is not reported again as
            # an unknown variable.
            cursor.take()
        return broken
    cursor.take()
    if not _valid_name(cursor, name):
        return Broken(token.span)
    return nodes_facts.Tag(cursor.since(token.offset), name.string)


def _original_comment(cursor: Cursor, token: Token) -> nodes.Node:
    text = nodes_facts.OriginalComment(token.span)
    literal = cursor.peek()
    if literal.word != STRING_LITERAL:
        return text
    number = glyphs.number_of(literal.string)
    if number is None:
        return operands.searched(cursor, text)
    # In `comment` and similar filters, a string literal after `originalcomment` is a text of its own. A
    # glyph, however, belongs to `originalcomment` in all filters.
    cursor.take()
    if not number:
        message = f"A glyph is numbered from $1 to ${glyphs.LAST}."
        return cursor.report_always(literal.span, "bad-glyph", message)
    return nodes_facts.Glyph(cursor.since(token.offset), number)


def _command_number(cursor: Cursor, token: Token) -> nodes.Node:
    name = cursor.peek()
    key = next((one for one in commands.KEYS if one == name.text), None)
    if key is None:
        if name.kind is not Kind.NAME:
            return cursor.expected("clk, emt or eval after `pgn`", "pgn clk < 10")
        cursor.take()
        message = f"`{shown(name)}` is no number of a comment."
        return cursor.report_always(name.span, "unknown-key", message, "pgn clk, pgn emt, pgn eval")
    cursor.take()
    colour: nodes.Colour | None = None
    if key == "eval":
        colour = "black" if cursor.accept("black") else "white"
        if colour == "white":
            cursor.accept("white")
    return nodes_facts.CommandNumber(cursor.since(token.offset), key, colour)


def _set_tag(cursor: Cursor, token: Token) -> nodes.Node:
    if cursor.peek().word != "(":
        return cursor.expected("`(` after `settag`", 'settag("Name" "text")')
    cursor.take()
    errors = cursor.errors
    name = cursor.peek()
    operand: nodes.Node = Broken(token.span)
    if name.word != STRING_LITERAL:
        cursor.expected("the name of a tag in quotes", 'settag("Name" "text")')
    else:
        cursor.take()
        _may_be_set(cursor, name)
        if cursor.at_end_of_group():
            cursor.expected("the text of the tag", 'settag("Name" "text")')
        else:
            operand = cursor.operand(14, STRING, "`settag`")
            if not cursor.at_end_of_group() and cursor.errors == errors:
                message = "`settag` takes a name and one text, and here one more filter begins."
                cursor.report(cursor.peek().span, "too-many-arguments", message, "join texts with +")
    cursor.skip_group()
    cursor.take()
    if cursor.errors > errors:
        return Broken(token.span)
    return cursor.made(nodes_facts.SetTag(cursor.since(token.offset), name.string, operand), operand)


def _remove_comment(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes_facts.RemoveComment(token.span)


def _message(cursor: Cursor, token: Token) -> nodes.Node:
    quiet = cursor.accept("quiet") is not None
    parts = operands.text_parts(cursor, "`message`")
    return cursor.made(nodes_facts.Message(cursor.since(token.offset), quiet, tuple(parts)), *parts)


_NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9_]*")
LONGEST_NAME: Final = 60
UNSETTABLE: Final = frozenset(
    {"white", "black", "event", "site", "date", "round", "result", "eventdate", "eco", "fen"}
)
"""Names of tags, in small letters. These tags identify the game or give its first position, and `settag` may
not change these tags (D10)."""


def _valid_name(cursor: Cursor, name: Token) -> bool:
    if _NAME.fullmatch(name.string) and len(name.string) <= LONGEST_NAME:
        return True
    message = f"The name of a tag has letters, digits and `_` only, {LONGEST_NAME} at most."
    cursor.report_always(name.span, "bad-tag-name", message)
    return False


def _may_be_set(cursor: Cursor, name: Token) -> None:
    if not _valid_name(cursor, name):
        return
    of_player = len(name.string) > 5 and name.string.startswith(("White", "Black"))
    if of_player or name.string.lower() in UNSETTABLE:
        message = f"The tag {name.string} tells which game it is and cannot be changed."
        cursor.report_always(name.span, "fixed-tag", message, "take a name of your own, such as CQLNote")


READERS.update(
    {
        "tag": _tag,
        "originalcomment": _original_comment,
        "hascomment": _original_comment,
        "pgn": _command_number,
        "settag": _set_tag,
        "removecomment": _remove_comment,
        "message": _message,
    }
)

# --- types --------------------------------------------------------------------------------------------------


types.RULES.update(
    {
        nodes_facts.Tag: types.always(Type.STRING),
        nodes_facts.OriginalComment: types.always(Type.STRING),
        nodes_facts.Glyph: types.always(Type.LOGICAL),
        nodes_facts.CommandNumber: types.always(Type.NUMERIC),
        nodes_facts.SetTag: types.always(Type.LOGICAL),
        nodes_facts.RemoveComment: types.always(Type.LOGICAL),
        nodes_facts.Message: types.always(Type.LOGICAL),
    }
)

# --- printing -----------------------------------------------------------------------------------------------


def _print_tag(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_facts.Tag)
    return printers.Printed(f'tag "{node.name}"')


def _print_original_comment(node: nodes.Node, style: printers.Style) -> printers.Printed:
    return printers.Printed("originalcomment")


def _print_glyph(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_facts.Glyph)
    return printers.Printed(f'originalcomment "{glyphs.spelling(node.number)}"')


def _print_command_number(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_facts.CommandNumber)
    return printers.Printed(f"pgn {node.key}" + (" black" if node.colour == "black" else ""))


def _print_set_tag(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_facts.SetTag)
    return printers.Printed(f'settag("{node.name}" {printers.print_filter(node.operand, style).text})')


def _print_remove_comment(node: nodes.Node, style: printers.Style) -> printers.Printed:
    return printers.Printed("removecomment")


def _print_message(node: nodes.Node, style: printers.Style) -> printers.Printed:
    assert isinstance(node, nodes_facts.Message)
    word = "message quiet" if node.quiet else "message"
    return printers.Printed(word + printers.spoken_arguments(node.parts, style))


printers.PRINTERS.update(
    {
        nodes_facts.Tag: _print_tag,
        nodes_facts.OriginalComment: _print_original_comment,
        nodes_facts.Glyph: _print_glyph,
        nodes_facts.CommandNumber: _print_command_number,
        nodes_facts.SetTag: _print_set_tag,
        nodes_facts.RemoveComment: _print_remove_comment,
        nodes_facts.Message: _print_message,
    }
)

# --- transforms ---------------------------------------------------------------------------------------------


def _tag_part(node: nodes_facts.Tag) -> transform_rules.Part | None:
    """If a transform exchanges the colours, it also exchanges the tags `White` and `Black` (transforms spec
    2). `player white` and `player black` are exchanged too."""
    return ("colour", node.name == "Black") if node.name in ("White", "Black") else None


def _tag_anew(
    node: nodes_facts.Tag, part: transform_rules.Part | None, image: transform_rules.Image
) -> nodes.Node:
    return node if part is None else nodes_facts.Tag(node.span, "Black" if part[1] else "White")


def _command_number_anew(span: Span, colour: nodes.Colour) -> nodes.Node:
    """If a transform exchanges the colours, an evaluation is given from the view of the other side, so its
    sign turns. A time belongs to the side that moved, and stays."""
    return nodes_facts.CommandNumber(span, "eval", colour)


def _message_anew(node: nodes_facts.Message, parts: tuple[nodes.Node, ...]) -> nodes.Node:
    return nodes_facts.Message(node.span, node.quiet, parts)


transform_rules.RULES.update(
    {
        nodes_facts.Tag: transform_rules.Rule(lambda node: (), _tag_part, _tag_anew),
        nodes_facts.OriginalComment: transform_rules.fixed(),
        nodes_facts.Glyph: transform_rules.fixed(),
        nodes_facts.CommandNumber: transform_rules.coloured(_command_number_anew),
        nodes_facts.SetTag: transform_rules.operand(lambda n, f: nodes_facts.SetTag(n.span, n.name, f)),
        nodes_facts.RemoveComment: transform_rules.fixed(),
        nodes_facts.Message: transform_rules.several(lambda n: n.parts, _message_anew),
    }
)
