"""Reading moves (language spec, 8.3, 8.6, 9 and 16.1): dashes with their sets and targets, `legal` and
similar words, the older `move`, pins.

A filter beside a dash is the left or right set of the dash only if no blank separates the filter from the
dash. A target stands in brackets directly after the dash. In a path, a target may also stand without
brackets.
"""

from __future__ import annotations

from typing import Final, get_args

from cqlgui.board import directions
from cqlgui.cql.ast import nodes, nodes_moves
from cqlgui.cql.ast.types import SETS, Type
from cqlgui.cql.forms import forms_moves
from cqlgui.cql.source import designators
from cqlgui.cql.source.tokens import CAPTURE_GROUP, END, LOOSE_BEFORE_DASH, REPETITION, Kind, Token
from cqlgui.cql.syntax.reading import operands, operators
from cqlgui.cql.syntax.reading.cursor import CLOSER_OF, CLOSERS, SET, TYPE_WORDS, Broken, Cursor, shown
from cqlgui.cql.syntax.reading.readers import READERS

__all__ = ["dash", "forms_moves", "is_dash", "left_tied"]

DASHES: Final = frozenset({"--", "[x]"})
PATH_DASHES: Final = {"path --": "--", "path [x]": "[x]"}
"""At the top level of a path, every dash has a special `Token.word`. The keys are these special words, and
the values are the usual words of the dashes."""


def is_dash(token: Token) -> bool:
    """True for `--` and `[x]` in either spelling."""
    return token.word in DASHES


def left_tied(cursor: Cursor, token: Token) -> bool:
    """True when the dash `token` is tied to the text directly before the dash (spec 9.1)."""
    before = cursor.text[token.offset - 1 : token.offset]
    return bool(before) and not before.isspace() and before not in LOOSE_BEFORE_DASH


def dash(cursor: Cursor, left: nodes.Node | None, *, in_path: bool, start: int = -1) -> nodes.Node:
    """The dash that is the next token, with the right set and the promotion. `left` is the set directly
    before the dash.

    `start`, if given, is the offset where the text of the left set begins. This offset differs from the
    offset of the set's span if the span omits brackets around the set. With `in_path`, no target is read,
    because the caller reads the filters after the dash. Without `in_path`, a bracketed target is part of the
    dash.
    """
    token = cursor.take()
    kind = None if left is None else cursor.type_of(left)
    wrong = kind is not None and kind not in SETS
    if kind is not None and wrong:
        left = _no_start(cursor, token, kind)
    if start < 0:
        start = token.offset if left is None else left.span.offset
    right = _right(cursor, token, complain=not wrong)
    promotion = _promotion(cursor) if cursor.accept("=") is not None else None
    target = None
    if not in_path and cursor.peek().word == "(":
        if cursor.peek().offset == cursor.since(start).end:
            target = _target(cursor)
        elif token.offset not in cursor.path_dashes:
            opener = cursor.peek()
            message = "A blank stands between the move and its target."
            hint = "write the target directly behind the move, or a filter of its own in braces { }"
            cursor.report_always(opener.span, "space-before-target", message, hint)
            target = _target(cursor)
            target = Broken(target.span)
    node = nodes_moves.Dash(cursor.since(start), token.word == "[x]", left, right, promotion, target)
    return cursor.made(node, *(part for part in (left, right, promotion, target) if part is not None))


def _no_start(cursor: Cursor, token: Token, kind: Type) -> Broken:
    """Report a dash directly after a filter that is no set. A dash between numbers was probably meant as two
    minus signs."""
    hint = "a blank before it makes it a filter of its own"
    if kind is Type.NUMERIC and token.word == "--":
        hint = "write - - with a blank between to subtract a negative number"
    if kind is Type.DICTIONARY and token.word == "[x]":
        hint = "as a key the variable x stands in brackets of its own: [(x)]"
    message = f"`{token.text}` is tied to {TYPE_WORDS[kind]}, and moves start from a set of squares."
    return cursor.report_always(token.span, "tied-dash", message, hint)


_LOOSE_BEHIND: Final = frozenset("})*+?:")
_NO_SET: Final = frozenset({"(", "=", REPETITION, "{*}", "{+}", END, CAPTURE_GROUP})


def _right(cursor: Cursor, token: Token, *, complain: bool) -> nodes.Node | None:
    """The set directly after a dash, or None. Without `complain`, a wrong type is not reported."""
    following = cursor.peek()
    if (
        following.offset != token.end
        or following.text[:1] in _LOOSE_BEHIND
        or following.word in _NO_SET
        or following.word in CLOSERS
        or not operators.begins_filter(cursor, following)
    ):
        return None
    before, cursor.promotion_sign = cursor.promotion_sign, _promotion_sign(cursor)
    found = cursor.operand(6, SET if complain else frozenset(Type), f"`{token.text}`")
    cursor.promotion_sign = before
    return found


def _promotion_sign(cursor: Cursor) -> int:
    """The offset of the first `=` in the current bracket. The result is -1 if the next dash or the end of the
    bracket comes first.

    A set can contain an assignment only in brackets. The right set of the dash therefore ends no later
    than the first `=`.
    """
    ahead = level = 0
    while (token := cursor.peek(ahead)).word != END:
        if token.word in CLOSER_OF:
            level += 1
        elif token.word in CLOSERS:
            level -= 1
        if level < 0 or (level == 0 and (is_dash(token) or token.word in PATH_DASHES)):
            return -1
        if level == 0 and token.word == "=":
            return token.offset
        ahead += 1
    return -1


def _promotion(cursor: Cursor) -> nodes.Node:
    """The promotion after `=`: men without squares, any man, or letters."""
    first = cursor.peek()
    what = "a type of man after `=`"
    hint = "=Q, =[RB], =. for any, or letters in quotes"
    if cursor.at_end_of_group():
        return cursor.expected(what, hint)
    found = cursor.expression(14)
    kind = cursor.type_of(found)
    if kind is None or kind is Type.STRING or isinstance(found, nodes.AllSquares):
        return found
    if isinstance(found, nodes.Designator) and found.squares == designators.ALL_SQUARES:
        return found
    return cursor.report_always(
        cursor.since(first.offset), "bad-promotion", f"Here {what} is needed, not {_said(found, kind)}.", hint
    )


def _said(found: nodes.Node, kind: Type) -> str:
    return "a man on certain squares" if isinstance(found, nodes.Designator) else TYPE_WORDS[kind]


def _target(cursor: Cursor) -> nodes.Node:
    """The bracketed target; the opening bracket is the next token."""
    opener = cursor.take()
    found = operators.juxtaposed(cursor)
    if not found:
        cursor.expected("a filter", "what holds after the move, or no brackets at all")
    cursor.take()
    span = cursor.since(opener.offset)
    if not found:
        return Broken(span)
    if len(found) == 1:
        return found[0]
    return cursor.made(nodes.Compound(span, tuple(found)), *found)


def _bare(cursor: Cursor, token: Token) -> nodes.Node:
    """A dash that begins a filter and therefore has no left set; the dash was just consumed."""
    cursor.position -= 1
    return _unled(cursor)


def _unled(cursor: Cursor) -> nodes.Node:
    """The dash that is the next token, read without a left set. A filter directly before the dash is reported
    as an error."""
    token = cursor.peek()
    tied = left_tied(cursor, token) and _may_end_filter(cursor)
    if tied:
        message = f"`{token.text}` is tied to what stands before it, which is no set of squares."
        cursor.report_always(token.span, "tied-dash", message, "put a blank before it, or bracket the set")
    node = dash(cursor, None, in_path=False)
    return Broken(node.span) if tied else node


def _may_end_filter(cursor: Cursor) -> bool:
    """True if the last consumed token is neither an operator nor an opening bracket."""
    if not cursor.position:
        return False
    before = cursor.tokens[cursor.position - 1]
    return before.kind is not Kind.OPERATOR and before.word not in ("(", "{", "[")


def _tied(cursor: Cursor, left: nodes.Node, start: int, operator: operators.Operator) -> nodes.Node:
    return dash(cursor, left, in_path=False, start=start)


# --- legal, pseudolegal, countmoves, currentmove ------------------------------------------------------------


def _possible(cursor: Cursor, token: Token) -> nodes.Node:
    """`legal DASH`; the keyword was just consumed."""
    found = _dash_operand(cursor, token)
    if not isinstance(found, nodes_moves.Dash):
        return Broken(cursor.since(token.offset))
    if found.capture or found.promotion is not None or found.target is not None:
        broken = _impossible(cursor, token, found)
        if broken is not None:
            return broken
    span = cursor.since(token.offset)
    pseudo = token.word == "pseudolegal"
    return nodes_moves.PossibleMoves(span, pseudo, found.left, found.right, found.target)


def _impossible(cursor: Cursor, token: Token, found: nodes_moves.Dash) -> Broken | None:
    """Report a part that the dash after `legal` may not have. The result is None if the dash is correct."""
    owner = f"`{token.word}`"
    if found.capture:
        behind = found.span.offset if found.left is None else found.left.span.end
        sign = next(one for one in cursor.tokens if one.word == "[x]" and one.offset >= behind)
        message = f"{owner} takes the dash `--`, not `{sign.text}`."
        hint = "a right set such as --a asks for captures"
        return cursor.report_always(sign.span, "bad-dash", message, hint)
    if found.promotion is not None:
        message = f"{owner} counts a promotion as one move to its square, whatever the pawn becomes."
        return cursor.report_always(found.promotion.span, "bad-dash", message, "leave out the promotion")
    target = found.target
    allowed = (isinstance(target, nodes.State) and target.word in ("castle", "o-o", "o-o-o")) or (
        isinstance(target, nodes_moves.PreviousMove) and target.word == "enpassant"
    )
    if target is None or allowed:
        return None
    message = f"The target of {owner} is one of castle, o-o, o-o-o and enpassant, for the move is not made."
    return cursor.report_always(target.span, "bad-target", message)


def _count_moves(cursor: Cursor, token: Token) -> nodes.Node:
    if cursor.peek().word in ("legal", "pseudolegal"):
        word = cursor.take()
        found = _possible(cursor, word)
    else:
        found = _dash_operand(cursor, token)
    return cursor.made(nodes_moves.CountMoves(cursor.since(token.offset), found), found)


def _current_move(cursor: Cursor, token: Token) -> nodes.Node:
    """`currentmove DASH`; the keyword was just consumed. At the top level of a path, the dash of
    `currentmove` is no move of the path (spec 20, R2-11)."""
    ahead = level = 0
    while (sign := cursor.peek(ahead)).word != END and level >= 0:
        if not level and sign.word in PATH_DASHES:
            cursor.tokens[cursor.position + ahead] = sign._replace(word=PATH_DASHES[sign.word])
            cursor.path_dashes.add(sign.offset)
        if not level and is_dash(cursor.peek(ahead)):
            break
        level += (sign.word in CLOSER_OF) - (sign.word in CLOSERS)
        ahead += 1
    found = _dash_operand(cursor, token)
    if not isinstance(found, nodes_moves.Dash):
        return Broken(cursor.since(token.offset))
    return nodes_moves.CurrentMove(cursor.since(token.offset), found)


def _dash_operand(cursor: Cursor, token: Token) -> nodes.Node:
    """The dash after `legal`, `countmoves` and similar words. If there is no dash, an error is reported and
    the result is Broken."""
    first = cursor.peek()
    if cursor.at_end_of_group():
        return cursor.expected(f"a move after `{token.text}`", "such as --, N-- or P--a-h8")
    # An operand that begins with a dash ends with the target of this dash. Operators after the target do not
    # belong to the operand.
    found = _unled(cursor) if is_dash(first) else cursor.expression(7)
    if isinstance(found, nodes_moves.Dash | Broken):
        return found
    message = f"Behind `{token.text}` a move is expected, such as --, N-- or P--a-h8."
    return cursor.report_always(cursor.since(first.offset), "missing-dash", message)


# --- the previous move --------------------------------------------------------------------------------------


def _previous_move(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes_moves.PreviousMove(token.span, _PREVIOUS[token.word])


def _previous_squares(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes_moves.PreviousSquares(token.span, _PREVIOUS_SQUARES[token.word])


_PREVIOUS: Final[dict[str, nodes_moves.PreviousWord]] = {
    word: word for word in get_args(nodes_moves.PreviousWord)
}
_PREVIOUS_SQUARES: Final[dict[str, nodes_moves.PreviousSquaresWord]] = {
    word: word for word in get_args(nodes_moves.PreviousSquaresWord)
}

# --- the older `move` ---------------------------------------------------------------------------------------


def _move(cursor: Cursor, token: Token) -> nodes.Node:
    """`move` and its parameters; the keyword was just consumed."""
    words: list[Token] = []
    sets: list[nodes.Node] = []
    errors = cursor.errors
    while (word := cursor.peek()).word in _PARAMETERS:
        cursor.take()
        _consistent(cursor, words, word)
        words.append(word)
        if word.word == "promote":
            sets.append(_promoted(cursor))
        elif _PARAMETERS[word.word] in nodes_moves.OPERAND_WORDS:
            sets.append(cursor.operand(1, SET, f"`move {word.text}`"))
    names = tuple(_PARAMETERS[word.word] for word in words)
    possible = "legal" in names or "pseudolegal" in names
    if "count" in names and not possible and cursor.errors == errors:
        sign = words[names.index("count")]
        hint = "countmoves -- counts the moves of the game"
        message = "`count` needs `legal` or `pseudolegal` beside it."
        cursor.report_always(sign.span, "conflicting-words", message, hint)
    comment: tuple[nodes.Node, ...] | None = None
    if not possible and cursor.peek().word == "comment" and cursor.peek(1).word == "(":
        cursor.take()
        comment = tuple(operands.text_parts(cursor, "`comment`"))
    if cursor.errors > errors:
        return Broken(cursor.since(token.offset))
    node = nodes_moves.Move(cursor.since(token.offset), names, tuple(sets), comment)
    return cursor.made(node, *sets, *(comment or ()))


def _consistent(cursor: Cursor, words: list[Token], word: Token) -> None:
    """Report a parameter that is given twice, or that excludes an earlier parameter."""
    name = _PARAMETERS[word.word]
    for earlier in words:
        other = _PARAMETERS[earlier.word]
        if other == name:
            message = f"`{word.text}` is given to this `move` already."
            cursor.report_always(word.span, "duplicate-parameter", message)
            return
        if frozenset({name, other}) in _EXCLUSIVE:
            message = f"`{word.text}` cannot stand beside `{earlier.text}` in one `move`."
            cursor.report_always(word.span, "conflicting-words", message)
            return


def _promoted(cursor: Cursor) -> nodes.Node:
    """The designator after `promote`. The designator must be one token, and must name men but no squares."""
    word = cursor.peek()
    if word.kind is not Kind.DESIGNATOR:
        return cursor.expected("a type of man after `promote`", "promote Q, promote [RB], promote A for any")
    cursor.take()
    if word.squares != designators.ALL_SQUARES:
        message = f"`promote` takes men without squares, not `{shown(word)}`."
        return cursor.report_always(word.span, "bad-promotion", message, "`to` says where")
    return nodes.Designator(word.span, word.men, word.squares)


_PARAMETERS: Final[dict[str, nodes_moves.MoveWord]] = {
    **{word: word for word in get_args(nodes_moves.MoveWord)},
    "captures": "capture",
}
_GAME_ONLY: Final = ("promote", "primary", "secondary", "null", "capture", "previous")
_EXCLUSIVE: Final = frozenset(
    {
        frozenset({"primary", "secondary"}),
        frozenset({"legal", "pseudolegal"}),
        *(frozenset({one, other}) for one in ("legal", "pseudolegal") for other in _GAME_ONLY),
    }
)

# --- pins ---------------------------------------------------------------------------------------------------


def _pin(cursor: Cursor, token: Token) -> nodes.Node:
    """`pin` and its parameters; the keyword was just consumed."""
    words: list[nodes_moves.PinWord] = []
    sets: list[nodes.Node] = []
    errors = cursor.errors
    while (word := cursor.peek()).word in _PIN_WORDS:
        cursor.take()
        name = _PIN_WORDS[word.word]
        if name in words:
            message = f"`{word.text}` is given to this `pin` already."
            cursor.report_always(word.span, "duplicate-parameter", message)
        words.append(name)
        sets.append(cursor.operand(1, SET, f"`pin {word.text}`"))
    if cursor.errors > errors:
        return Broken(cursor.since(token.offset))
    node = nodes_moves.Pin(cursor.since(token.offset), tuple(words), tuple(sets))
    return cursor.made(node, *sets)


_PIN_WORDS: Final[dict[str, nodes_moves.PinWord]] = {word: word for word in get_args(nodes_moves.PinWord)}


def _xray(cursor: Cursor, token: Token) -> nodes.Node:
    """`xray (S1 ... Sn)`, the older spelling of `ray attack (...)`."""
    found = operands.arguments(cursor, "`xray`", 14, SET, 2)
    node = nodes.Ray(cursor.since(token.offset), directions.ANY_DIRECTION, True, None, tuple(found))
    return cursor.made(node, *found)


READERS.update(
    {
        "--": _bare,
        "[x]": _bare,
        "legal": _possible,
        "pseudolegal": _possible,
        "countmoves": _count_moves,
        "currentmove": _current_move,
        "previous": _current_move,
        **dict.fromkeys(_PREVIOUS, _previous_move),
        **dict.fromkeys(_PREVIOUS_SQUARES, _previous_squares),
        "move": _move,
        "pin": _pin,
        "xray": _xray,
    }
)
operators.OPERATORS.update(
    {word: operators.Operator(7, operators.ANY, _tied, once=True, applies=left_tied) for word in DASHES}
)
