"""Reading filters about the positions of a game (language spec, 6.5, 6.7, 8.1, 8.5, 8.8).

`X:F`, `parent`, `child (n)`, `position n`, `lca`, `distance`, the ancestry signs, `echo`, `consecutivemoves`,
`similarposition`, `equal`, and the words about a position's place in the tree.
"""

from __future__ import annotations

from typing import Final

from cqlgui.cql.ast import nodes, nodes_tree
from cqlgui.cql.ast.types import Type
from cqlgui.cql.forms import forms_tree
from cqlgui.cql.source.tokens import STRING_LITERAL, Kind, Token
from cqlgui.cql.syntax.reading import operands, operators, ranges
from cqlgui.cql.syntax.reading.cursor import NUMERIC, POSITION, TYPE_WORDS, Broken, Cursor
from cqlgui.cql.syntax.reading.operators import Operator
from cqlgui.cql.syntax.reading.readers import READERS, Reader

FORMS: Final = forms_tree
"""The types, printed forms and transform rules of the filters that this module reads."""


# --- operators ----------------------------------------------------------------------------------------------


def _at(cursor: Cursor, left: nodes.Node, start: int, operator: Operator) -> nodes.Node:
    cursor.take()
    right = cursor.expression(operator.level)
    return cursor.made(nodes_tree.At(cursor.since(start), left, right), left, right)


def _descent(cursor: Cursor, left: nodes.Node, start: int, operator: Operator) -> nodes.Node:
    token = cursor.take()
    right = cursor.operand(operator.level, POSITION, f"`{token.text}`")
    return cursor.made(
        nodes_tree.Descent(cursor.since(start), _LINEAGE[token.word], left, right), left, right
    )


_LINEAGE: Final[dict[str, nodes_tree.Lineage]] = {"[<]": "[<]", "[<=]": "[<=]", "[>]": "[>]", "[>=]": "[>=]"}

operators.OPERATORS.update(
    {
        ":": Operator(1, POSITION, _at),
        **{sign: Operator(10, POSITION, _descent, once=True) for sign in _LINEAGE},
    }
)


# --- positions ----------------------------------------------------------------------------------------------


def _child(cursor: Cursor, token: Token) -> nodes.Node:
    if cursor.accept("(") is None:
        return nodes_tree.Child(token.span, None)
    index = cursor.operand(9, NUMERIC, "`child`")
    if not cursor.at_end_of_group() and not isinstance(index, Broken):
        cursor.report(cursor.peek().span, "too-many-arguments", "`child` takes one number.", "child(1):check")
        index = Broken(index.span)
    cursor.skip_group()
    cursor.take()
    return cursor.made(nodes_tree.Child(cursor.since(token.offset), index), index)


def _position(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.operand(9, NUMERIC, "`position`")
    return cursor.made(nodes_tree.PositionNumber(cursor.since(token.offset), operand), operand)


def _two_positions(cursor: Cursor, token: Token) -> nodes.Node:
    found = operands.arguments(cursor, f"`{token.word}`", 14, POSITION, 2, 2)
    if len(found) != 2:
        return Broken(token.span)
    span, (left, right) = cursor.since(token.offset), found
    node: nodes.Node
    if token.word == "lca":
        node = nodes_tree.CommonAncestor(span, left, right)
    elif token.word == "distance":
        node = nodes_tree.Distance(span, left, right)
    else:
        word = "ancestor" if token.word == "ancestor" else "descendant"
        node = nodes_tree.Kinship(span, word, left, right)  # type: ignore[arg-type]  # one of the literals
    return cursor.made(node, *found)


def _equal(cursor: Cursor, token: Token) -> nodes.Node:
    found = operands.arguments(cursor, "`equal`", 14, operators.ANY, 2, 2)
    if len(found) != 2:
        return Broken(token.span)
    return cursor.made(nodes_tree.Equal(cursor.since(token.offset), found[0], found[1]), *found)


# --- echo and consecutivemoves ------------------------------------------------------------------------------


def _echo(cursor: Cursor, token: Token) -> nodes.Node:
    quiet = cursor.accept("quiet") is not None
    names = _two_names(cursor, "`echo`", declares=True)
    whole = cursor.peek().word == "in" and cursor.peek(1).word == "all"
    if whole:
        cursor.take()
        cursor.take()
    if names is None:
        cursor.expression(14)
        return Broken(token.span)
    source, target = names[0].text, names[1].text
    cursor.bound += [source, target]
    operand = cursor.expression(14)
    del cursor.bound[-2:]
    node = nodes_tree.Echo(cursor.since(token.offset), quiet, source, target, whole, operand)
    return cursor.made(node, operand)


def _consecutive_moves(cursor: Cursor, token: Token) -> nodes.Node:
    quiet = cursor.accept("quiet") is not None
    span = ranges.plain_range(cursor)
    if not quiet and cursor.accept("quiet") is not None:
        quiet = True
    names = _two_names(cursor, "`consecutivemoves`", declares=False)
    if names is None:
        return Broken(token.span)
    left, right = names[0].text, names[1].text
    return nodes_tree.ConsecutiveMoves(cursor.since(token.offset), quiet, span, left, right)


def _two_names(cursor: Cursor, owner: str, *, declares: bool) -> tuple[Token, Token] | None:
    """The names of two position variables in brackets. If there is an error, the function reports the error
    and returns None.

    With `declares`, both names are new variables of a loop and must differ. Without `declares`, the names may
    be known already.
    """
    if cursor.peek().word != "(":
        cursor.expected(f"`(` after {owner}", f"{owner[1:-1]} (s t) names two positions")
        while cursor.peek().kind is Kind.NAME:
            # The names that follow should be in brackets. The missing bracket has been reported already, so
            # the names are skipped, and no error is reported at the token after the names.
            cursor.take()
        cursor.hush()
        return None
    cursor.take()
    errors = cursor.errors
    found: list[Token] = []
    while len(found) < 2 and cursor.errors == errors:
        name = cursor.peek()
        if name.kind is not Kind.NAME:
            cursor.expected("the name of a position variable")
            break
        cursor.take()
        if declares:
            _declare(cursor, owner, name, found)
        elif name.text not in cursor.names:
            # The variable is created here and has no value (spec 12.6).
            cursor.declare(name, Type.POSITION)
        elif cursor.names[name.text] not in (Type.POSITION, None):
            kind = cursor.names[name.text]
            assert kind is not None
            message = (
                f"{owner} compares the ways to two positions, and `{name.text}` holds {TYPE_WORDS[kind]}."
            )
            cursor.report_always(name.span, "type-mismatch", message)
        found.append(name)
    if cursor.errors == errors and not cursor.at_end_of_group():
        message = f"{owner} takes two names, and here something else follows."
        cursor.report(cursor.peek().span, "too-many-arguments", message)
    cursor.skip_group()
    cursor.take()
    known = all(cursor.names.get(name.text) is Type.POSITION for name in found)
    # Names can be missing without a new error: if an unterminated comment hides the rest of the text, only
    # the comment is reported. The number of names is therefore tested too.
    return (found[0], found[1]) if len(found) == 2 and cursor.errors == errors and known else None


def _declare(cursor: Cursor, owner: str, name: Token, before: list[Token]) -> None:
    if before and before[0].text == name.text:
        message = f"{owner} needs two different names: one for here, one for the other position."
        cursor.report_always(name.span, "duplicate-name", message, "echo (source target) ...")
    elif cursor.unbound(name):
        cursor.declare(name, Type.POSITION)


def _similar_position(cursor: Cursor, token: Token) -> nodes.Node:
    nosort = notransform = False
    while (word := cursor.peek().word) in ("nosort", "notransform"):
        cursor.take()
        nosort, notransform = nosort or word == "nosort", notransform or word == "notransform"
    name = cursor.peek()
    if name.word != STRING_LITERAL:
        return cursor.expected("the name of a PGN file in quotes", 'similarposition "games.pgn"')
    cursor.take()
    if not name.string.lower().endswith(".pgn"):
        message = "Positions are looked up in a PGN file, whose name ends in .pgn."
        return cursor.report_always(name.span, "bad-file-name", message)
    return nodes_tree.SimilarPosition(cursor.since(token.offset), nosort, notransform, name.string)


# --- words --------------------------------------------------------------------------------------------------

_STATES: Final[tuple[nodes.StateWord, ...]] = ("mainline", "variation", "virtualmainline", "extension")
_MEASURES: Final[tuple[nodes.MeasureWord, ...]] = ("depth", "lastgamenumber", "try")


def _state(word: nodes.StateWord) -> Reader:
    return lambda cursor, token: nodes.State(token.span, word)


def _measure(word: nodes.MeasureWord) -> Reader:
    return lambda cursor, token: nodes.Measure(token.span, word)


_READERS: Final[dict[str, Reader]] = {
    **{word: _state(word) for word in _STATES},
    **{word: _measure(word) for word in _MEASURES},
    "parent": lambda cursor, token: nodes_tree.Parent(token.span),
    "child": _child,
    "initialposition": lambda cursor, token: nodes_tree.InitialPosition(token.span),
    "position": _position,
    "lca": _two_positions,
    "distance": _two_positions,
    "ancestor": _two_positions,
    "descendant": _two_positions,
    "equal": _equal,
    "echo": _echo,
    "consecutivemoves": _consecutive_moves,
    "similarposition": _similar_position,
}
READERS.update(_READERS)
