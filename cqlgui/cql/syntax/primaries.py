"""Primaries: literals, names, brackets, and the filters that begin with a keyword, except loops and
transforms."""

from __future__ import annotations

from typing import Literal

from cqlgui.board import directions
from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.source.tokens import END, PIECE_DECLARATION, STRING_LITERAL, Kind, Token
from cqlgui.cql.syntax.families import assignments, syntax_dictionaries, syntax_functions, syntax_transforms
from cqlgui.cql.syntax.reading import operands, operators, ranges
from cqlgui.cql.syntax.reading.cursor import (
    CLOSER_OF,
    CLOSERS,
    NUMERIC,
    SET,
    STRING,
    TYPE_WORDS,
    Broken,
    Cursor,
    is_internal,
)
from cqlgui.cql.syntax.reading.readers import READERS, Reader


def primary(cursor: Cursor) -> nodes.Node:
    """One primary. If no primary begins here, the function reports an error, consumes nothing and returns
    Broken."""
    token = cursor.peek()
    reader = READERS.get(token.word) if token.kind is not Kind.NAME else _name
    if reader is not None:
        cursor.take()
        return reader(cursor, token)
    if is_internal(token.word):
        return _internal(cursor, token)
    if token.kind is Kind.ERROR:
        # The lexer has already reported the error in this token.
        cursor.take()
        return Broken(token.span)
    return cursor.expected("a filter")


def _internal(cursor: Cursor, token: Token) -> nodes.Node:
    cursor.take()
    hint = operands.HINTS.get(token.word)
    if hint is not None:
        return cursor.report_always(token.span, "old-syntax", f"`{token.word}` is older CQL.", hint)
    message = f"`{token.word}` is reserved for a program's inner workings and says nothing in a query."
    broken = cursor.report_always(token.span, "internal-word", message, "it cannot name a variable either")
    if cursor.peek().word in assignments.OPERATORS:
        # The value of the assignment is consumed too, so that the value causes no second error.
        cursor.take()
        cursor.expression(9)
    return broken


def _name(cursor: Cursor, token: Token) -> nodes.Node:
    following = cursor.peek()
    if token.text in cursor.functions:
        return syntax_functions.call(cursor, token)
    if token.text in cursor.dictionaries and following.word != "[element]":
        return syntax_dictionaries.named(cursor, token)
    assigns = following.word in assignments.OPERATORS and following.offset != cursor.promotion_sign
    if assigns:
        return assignments.assignment(cursor, token)
    if following.word == "[element]":
        return assignments.element_loop(cursor, token, piece=False, every=False, start=token.offset)
    if token.text in cursor.names:
        if cursor.names[token.text] is None:
            return Broken(token.span)
        return nodes.Name(token.span, token.text)
    broken = operands.undeclared(cursor, token)
    if cursor.peek().word == "[" and cursor.peek().offset == token.end:
        # This is an entry of an undeclared dictionary. The key is skipped without further checks.
        cursor.take_whole()
        if cursor.accept("=") is not None:
            cursor.expression(14)
    return broken


def _number(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.Number(token.span, token.number)


def _string(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.String(token.span, token.string)


def _designator(cursor: Cursor, token: Token) -> nodes.Node:
    following = cursor.peek()
    assigns = following.word in assignments.OPERATORS and following.offset != cursor.promotion_sign
    if assigns or following.word == "[element]":
        message = f"`{token.text}` names men or squares and cannot be a variable."
        hint = "to compare, write ==; a variable takes a longer name" if following.word == "=" else ""
        cursor.report(following.span, "reserved-name", message, hint or "take a longer name")
        cursor.take()
        cursor.expression(9)
        return Broken(token.span)
    return nodes.Designator(token.span, token.men, token.squares)


def _all_squares(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.AllSquares(token.span)


def _empty_set(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.EmptySet(token.span)


def _truth(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.Truth(token.span, token.word == "true")


def _side(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.SideToMove(token.span, "white" if token.word == "wtm" else "black")


def _state(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.State(token.span, _STATES[token.word])


def _current_position(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.CurrentPosition(token.span)


def _measure(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.Measure(token.span, _MEASURES[token.word])


def _colour(cursor: Cursor) -> nodes.Colour | None:
    if cursor.accept("white"):
        return "white"
    return "black" if cursor.accept("black") else None


def _elo(cursor: Cursor, token: Token) -> nodes.Node:
    colour = _colour(cursor)
    return nodes.Elo(cursor.since(token.offset), colour)


def _player(cursor: Cursor, token: Token) -> nodes.Node:
    colour = _colour(cursor)
    return operands.searched(cursor, nodes.Player(cursor.since(token.offset), colour))


def _tag_text(cursor: Cursor, token: Token) -> nodes.Node:
    return operands.searched(cursor, nodes.TagText(token.span, _TAGS[token.word]))


def _result(cursor: Cursor, token: Token) -> nodes.Node:
    value = result_value(cursor)
    if value is None:
        return Broken(token.span)
    return nodes.Result(cursor.since(token.offset), value)


def result_value(cursor: Cursor) -> str | None:
    """The result after the keyword `result`. The result may be written with or without quotes. If there is no
    result, the function reports an error and returns None."""
    token = cursor.peek()
    if token.kind is Kind.RESULT or (token.word == STRING_LITERAL and token.string in RESULTS):
        return cursor.take().string
    cursor.expected("1-0, 0-1 or 1/2-1/2")
    if token.kind in (Kind.NUMBER, Kind.STRING):
        # Tokens such as `2-0` or `1/2` were probably meant as a result and are skipped.
        while cursor.peek().kind in (Kind.NUMBER, Kind.STRING) or cursor.peek().word in ("-", "/"):
            cursor.take()
    return None


RESULTS = ("1-0", "0-1", "1/2-1/2")


def _current_transform(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.CurrentTransform(token.span)


def _not(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.expression(11)
    return cursor.made(nodes.Not(cursor.since(token.offset), operand), operand)


def _complement(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.operand(3, SET, "`~`")
    return cursor.made(nodes.Complement(cursor.since(token.offset), operand), operand)


def _negate(cursor: Cursor, token: Token) -> nodes.Node:
    following = cursor.peek()
    if following.kind is Kind.NUMBER:
        cursor.take()
        return nodes.Number(cursor.since(token.offset), -following.number)
    operand = cursor.operand(1, NUMERIC, "`-`")
    return cursor.made(nodes.Negate(cursor.since(token.offset), operand), operand)


def _count(cursor: Cursor, token: Token) -> nodes.Node:
    start = cursor.peek().offset
    if syntax_dictionaries.names_one(cursor) or cursor.peek().text in cursor.dictionaries:
        return syntax_dictionaries.count(cursor, token)
    operand = cursor.expression(7)
    if cursor.type_of(operand) is Type.STRING:
        operand = _string_sum(cursor, operand, start)
    operand = cursor.insist(operand, SET | STRING, "`#`", start)
    return cursor.made(nodes.Count(cursor.since(token.offset), operand), operand)


def _string_sum(cursor: Cursor, left: nodes.Node, start: int) -> nodes.Node:
    """The operand of `#`, extended by all strings that are added with `+`: `#"a"+"b"` is 2. A `+` before a
    number does not extend the operand (language spec, R2-2)."""
    while operators.joins_strings(cursor):
        left = operators.OPERATORS["+"].read(cursor, left, start, operators.OPERATORS["+"])
    return left


def _numeric(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.operand(9, NUMERIC, f"`{token.word}`")
    word: Literal["abs", "sqrt"] = "abs" if token.word == "abs" else "sqrt"
    return cursor.made(nodes.Numeric(cursor.since(token.offset), word, operand), operand)


def _extremum(cursor: Cursor, token: Token) -> nodes.Node:
    owner = f"`{token.word}`"
    word: Literal["max", "min"] = "max" if token.word == "max" else "min"
    found = operands.arguments(cursor, owner, 9, NUMERIC | STRING, 2)
    first = cursor.type_of(found[0]) if found else None
    for node in found[1:]:
        kind = cursor.type_of(node)
        if first is not None and kind is not None and kind is not first:
            message = f"{owner} compares numbers only or strings only."
            return cursor.report_always(node.span, "type-mismatch", message)
    return cursor.made(nodes.Extremum(cursor.since(token.offset), word, tuple(found)), *found)


def _power(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.operand(7, SET, "`power`")
    return cursor.made(nodes.Power(cursor.since(token.offset), operand), operand)


def _shade(cursor: Cursor, token: Token) -> nodes.Node:
    operand = cursor.operand(1, SET, f"`{token.word}`")
    return cursor.made(
        nodes.Shade(cursor.since(token.offset), "light" if token.word == "light" else "dark", operand),
        operand,
    )


def _direction(cursor: Cursor, token: Token) -> nodes.Node:
    span = ranges.direction_range(cursor, f"`{token.word}`")
    operand = cursor.operand(1, SET, f"`{token.word}`")
    node = nodes.Direction(cursor.since(token.offset), directions.WORDS[token.word], span, operand)
    return cursor.made(node, operand)


def _between(cursor: Cursor, token: Token) -> nodes.Node:
    found = operands.arguments(cursor, "`between`", 7, SET, 2, 2)
    if len(found) != 2:
        return Broken(token.span)
    return cursor.made(nodes.Between(cursor.since(token.offset), found[0], found[1]), *found)


def _ray(cursor: Cursor, token: Token) -> nodes.Node:
    span = ranges.plain_range(cursor)
    mask, attack, errors = 0, False, cursor.errors
    while (word := cursor.peek()).word in directions.WORDS or word.word in ("attack", "attacks"):
        cursor.take()
        if word.word in directions.WORDS:
            bits = directions.WORDS[word.word]
            if attack:
                cursor.report_always(word.span, "conflicting-words", "`ray attack` takes no direction.")
            elif mask & bits:
                message = f"`{word.word}` repeats a direction that was given already."
                cursor.report_always(word.span, "duplicate-direction", message)
            mask |= bits
        else:
            if mask or attack:
                cursor.report_always(word.span, "conflicting-words", "`attack` stands alone after `ray`.")
            attack = True
        span = span or ranges.plain_range(cursor)
    found = operands.arguments(cursor, "`ray`", 14, SET, 2)
    if cursor.errors > errors:
        return Broken(token.span)
    node = nodes.Ray(cursor.since(token.offset), mask or directions.ANY_DIRECTION, attack, span, tuple(found))
    return cursor.made(node, *found)


def _find(cursor: Cursor, token: Token) -> nodes.Node:
    quiet = every = backwards = False
    span: nodes.Range | None = None
    while True:
        word = cursor.peek()
        if word.word == "quiet":
            cursor.take()
            quiet = True
        elif word.word == "<--":
            cursor.take()
            backwards = True
        elif word.word == "all" and not every:
            cursor.take()
            every = True
            if span is not None:
                message = "`find` takes a range or `all`, not both."
                cursor.report_always(word.span, "conflicting-words", message)
        elif span is None and (found := ranges.plain_range(cursor)) is not None:
            span = found
            if every:
                message = "`find` takes a range or `all`, not both."
                cursor.report_always(found.span, "conflicting-words", message)
        else:
            break
    operand = cursor.expression(14)
    node = nodes.Find(cursor.since(token.offset), quiet, every, backwards, span, operand)
    return cursor.made(node, operand)


def _sort(cursor: Cursor, token: Token) -> nodes.Node:
    quiet = cursor.accept("quiet") is not None
    order = cursor.peek()
    chosen = order.word in ("min", "max") and cursor.peek(1).word != "("
    if chosen:
        cursor.take()
    doc: str | None = None
    if cursor.peek().word == STRING_LITERAL:
        doc = cursor.take().string
    elif chosen:
        cursor.expected(f"a text in quotes after `sort {order.word}`", 'name the key: sort min "men" ...')
    first = cursor.peek()
    operand = cursor.expression(14)
    kind = cursor.type_of(operand)
    if isinstance(operand, nodes.Number):
        span = cursor.since(first.offset)
        operand = cursor.report_always(span, "constant-sort", "A bare number is the same for every game.")
    elif isinstance(operand, nodes.String):
        message = "A text in quotes is the same for every game."
        hint = "the first text only names the key; behind it goes what to sort by"
        operand = cursor.report_always(cursor.since(first.offset), "constant-sort", message, hint)
    elif kind is not None and kind not in SET | NUMERIC | STRING:
        message = f"`sort` needs a set, a number or a string, and this is {TYPE_WORDS[kind]}."
        operand = cursor.report_always(first.span, "type-mismatch", message)
    elif kind is not None and doc is not None:
        smallest = chosen and order.word == "min"
        operand = _sharing_key(cursor, operand, first, doc, kind is Type.STRING, smallest)
    word: Literal["", "min", "max"] = "max" if chosen and order.word == "max" else "min" if chosen else ""
    return cursor.made(nodes.Sort(cursor.since(token.offset), quiet, word, doc, operand), operand)


def _sharing_key(
    cursor: Cursor, operand: nodes.Node, first: Token, doc: str, text: bool, smallest: bool
) -> nodes.Node:
    """`operand`, if this `sort` filter agrees with the earlier `sort` filters of the same key. If there is a
    conflict, the function reports an error and returns Broken. All `sort` filters with the text `doc` share
    one key, and must agree on the type and order of the key (output spec 4)."""
    before = cursor.sorts.setdefault(doc, (text, smallest))
    if before == (text, smallest):
        return operand
    if before[0] != text:
        what = ("numbers", "strings") if text else ("strings", "numbers")
        message = f'The key "{doc}" sorts by {what[0]} already and cannot sort by {what[1]}.'
    else:
        message = f'The key "{doc}" keeps the {"largest" if smallest else "smallest"} value already.'
    return cursor.report_always(first.span, "sort-key", message, "give this sort a text of its own")


def _comment(cursor: Cursor, token: Token) -> nodes.Node:
    parts = operands.text_parts(cursor, "`comment`")
    return cursor.made(nodes.Comment(cursor.since(token.offset), tuple(parts)), *parts)


def _slashes(cursor: Cursor, token: Token) -> nodes.Node:
    line_end = cursor.text.find("\n", token.end)
    line_end = len(cursor.text) if line_end < 0 else line_end
    stop = cursor.position
    while stop < len(cursor.tokens) and cursor.tokens[stop].offset < line_end:
        stop += 1
    opener = _left_open(cursor, stop)
    if opener is not None:
        broken = Broken(cursor.tokens[opener].span)
        if cursor.tokens[opener].offset not in cursor.unclosed:
            message = "This bracket is not closed on its line, where the comment ends."
            broken = cursor.report_always(broken.span, "unbalanced-bracket", message)
        cursor.position = opener + 1
        cursor.skip_group()
        cursor.take()
        return broken
    parts: list[nodes.Node] = []
    cursor.limited(stop, lambda: parts.extend(operators.juxtaposed(cursor, spoken=True)))
    if not parts:
        message = "Nothing follows `///` on its line."
        return cursor.report_always(
            token.span, "empty-comment", message, 'write ///"text", or // for a remark'
        )
    return cursor.made(nodes.Comment(cursor.since(token.offset), tuple(parts), slashes=True), *parts)


def _left_open(cursor: Cursor, stop: int) -> int | None:
    """The token index of the first bracket that is opened but not closed between the current position and
    `stop`. None if there is no such bracket."""
    opened: list[int] = []
    for place in range(cursor.position, stop):
        word = cursor.tokens[place].word
        if word in CLOSER_OF:
            opened.append(place)
        elif word in CLOSERS:
            if not opened:
                return None
            opened.pop()
    return opened[0] if opened else None


def _round(cursor: Cursor, token: Token) -> nodes.Node:
    found = operators.juxtaposed(cursor, single="in round brackets")
    return _closed(cursor, token, found)


def _braces(cursor: Cursor, token: Token) -> nodes.Node:
    return _closed(cursor, token, operators.juxtaposed(cursor))


def _closed(cursor: Cursor, token: Token, found: list[nodes.Node]) -> nodes.Node:
    if not found:
        cursor.expected("a filter")
    cursor.take()
    span = cursor.since(token.offset)
    if not found:
        return Broken(span)
    if len(found) == 1:
        return found[0]
    return cursor.made(nodes.Compound(span, tuple(found)), *found)


def _declaration(cursor: Cursor, token: Token) -> nodes.Node:
    return assignments.declaration(cursor, token)


_STATES: dict[str, nodes.StateWord] = {
    "check": "check", "mate": "mate", "stalemate": "stalemate", "initial": "initial", "terminal": "terminal",
    "castle": "castle", "o-o": "o-o", "o-o-o": "o-o-o",
}  # fmt: skip
_MEASURES: dict[str, nodes.MeasureWord] = {
    "ply": "ply",
    "movenumber": "movenumber",
    "positionid": "positionid",
    "gamenumber": "gamenumber",
    "year": "year",
}
_TAGS: dict[str, nodes.TagWord] = {
    "event": "event", "site": "site", "date": "date", "eventdate": "eventdate", "eco": "eco",
}  # fmt: skip


_READERS: dict[str, Reader] = {
    "number": _number,
    STRING_LITERAL: _string,
    "escape": _string,
    "designator": _designator,
    ".": _all_squares,
    "[]": _empty_set,
    "true": _truth,
    "false": _truth,
    "wtm": _side,
    "btm": _side,
    **dict.fromkeys(_STATES, _state),
    **dict.fromkeys(_MEASURES, _measure),
    **dict.fromkeys(_TAGS, _tag_text),
    "currentposition": _current_position,
    "curpos": _current_position,
    "elo": _elo,
    "player": _player,
    "result": _result,
    "currenttransform": _current_transform,
    "not": _not,
    "~": _complement,
    "-": _negate,
    "#": _count,
    "abs": _numeric,
    "sqrt": _numeric,
    "max": _extremum,
    "min": _extremum,
    "power": _power,
    "light": _shade,
    "dark": _shade,
    **dict.fromkeys(directions.WORDS, _direction),
    "between": _between,
    "ray": _ray,
    "find": _find,
    "sort": _sort,
    "comment": _comment,
    "///": _slashes,
    "(": _round,
    "{": _braces,
    PIECE_DECLARATION: _declaration,
    "piece": assignments.piece,
    "square": assignments.square,
    "[forall]": assignments.forall,
    **syntax_transforms.READERS,
}
READERS.update(_READERS)
assert END not in READERS
