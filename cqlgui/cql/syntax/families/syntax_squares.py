"""Reading filters about the board (language spec, 8.1 to 8.3 and 15): facts of a square, `makesquare`, `fen`,
pawn structure, economical mates and stalemates.
"""

from __future__ import annotations

from typing import Final

from cqlgui.board import men
from cqlgui.cql.ast import nodes, nodes_squares
from cqlgui.cql.ast.types import Type
from cqlgui.cql.forms import forms_squares
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.source.tokens import STRING_LITERAL, Token
from cqlgui.cql.syntax.reading.cursor import NUMERIC, SET, STRING, Broken, Cursor
from cqlgui.cql.syntax.reading.readers import READERS, Reader

FORMS: Final = forms_squares
"""The types, printed forms and transform rules of the filters that this module reads."""


def _colour_number(colour: nodes.Colour) -> Reader:
    return lambda cursor, token: nodes_squares.ColourNumber(token.span, colour)


def _side_to_move(cursor: Cursor, token: Token) -> nodes.Node:
    return nodes.Measure(token.span, "sidetomove")


def _square_fact(word: nodes_squares.SquareWord) -> Reader:
    def read(cursor: Cursor, token: Token) -> nodes.Node:
        operand = cursor.operand(7, SET, f"`{word}`")
        return cursor.made(nodes_squares.SquareFact(cursor.since(token.offset), word, operand), operand)

    return read


def _make_square(cursor: Cursor, token: Token) -> nodes.Node:
    owner = "`makesquare`"
    if cursor.accept("(") is None:
        name = cursor.operand(9, STRING, owner, "the name of a square in quotes, or two numbers in brackets,")
        return cursor.made(nodes_squares.MakeSquare(cursor.since(token.offset), (name,)), name)
    found = [cursor.operand(9, NUMERIC | STRING, owner)]
    errors = cursor.errors
    kind = cursor.type_of(found[0])
    if kind is Type.NUMERIC and cursor.at_end_of_group():
        message = f"{owner} needs the number of a file and the number of a rank."
        cursor.report(cursor.peek().span, "too-few-arguments", message, "makesquare(5 4) is e4")
    elif kind is Type.NUMERIC:
        found.append(cursor.operand(9, NUMERIC, owner))
    if kind is not None and cursor.errors == errors and not cursor.at_end_of_group():
        wanted = "one string" if kind is Type.STRING else "two numbers"
        message = f"{owner} takes {wanted}, and here one operand more begins."
        cursor.report(cursor.peek().span, "too-many-arguments", message)
    cursor.skip_group()
    cursor.take()
    if cursor.errors > errors:
        return Broken(token.span)
    return cursor.made(nodes_squares.MakeSquare(cursor.since(token.offset), tuple(found)), *found)


# --- fen ----------------------------------------------------------------------------------------------------


def _fen(cursor: Cursor, token: Token) -> nodes.Node:
    literal = cursor.peek()
    if literal.word != STRING_LITERAL or token.offset == cursor.spoken:
        return nodes_squares.Fen(token.span)
    cursor.take()
    found = _designators(literal)
    if isinstance(found, str):
        return cursor.report_always(
            literal.span, "bad-fen", found, "eight ranks from the eighth down, as in 8/8/8/8/8/8/8/4K3"
        )
    return nodes_squares.Placement(cursor.since(token.offset), found)


_MEN: Final = {letter: mask for mask, letter in forms_squares.LETTERS.items()}


def _designators(literal: Token) -> tuple[nodes.Designator, ...] | str:
    """The 64 designators of a placement, or a message about the error in the placement. Text after a blank,
    such as the further fields of a FEN, is skipped."""
    text = literal.string.split(" ")[0]
    if text.count("/") != 7:
        return f"A placement has eight ranks with / between them; this one has {text.count('/') + 1}."
    found: list[nodes.Designator] = []
    rank, file = 7, 0
    for place, letter in enumerate(text + "/", literal.offset + 1):
        if letter == "/":
            if file != 8:
                return f"Rank {rank + 1} of this placement has {file} squares instead of eight."
            rank, file = rank - 1, 0
            continue
        if letter in "12345678":
            mask, width = men.EMPTY_MASK, int(letter)
        elif letter in _MEN:
            mask, width = _MEN[letter], 1
        else:
            return (
                f"`{letter}` on rank {rank + 1} of this placement is neither a man nor a number from 1 to 8."
            )
        for _ in range(min(width, 8 - file)):
            found.append(nodes.Designator(Span(place, 1), mask, 1 << 8 * rank + file))
            file += 1
            width -= 1
        file += width
    return tuple(found)


# --- words --------------------------------------------------------------------------------------------------

_FACTS: Final[tuple[nodes_squares.SquareWord, ...]] = (
    "rank", "file", "type", "colortype", "typename", "piecename", "pieceid",
)  # fmt: skip
_PAWNS: Final[tuple[nodes_squares.PawnWord, ...]] = (
    "passedpawns", "isolatedpawns", "doubledpawns", "connectedpawns",
)  # fmt: skip
_PICTURES: Final[tuple[nodes_squares.PictureWord, ...]] = (
    "puremate", "modelmate", "idealmate", "purestalemate", "modelstalemate", "idealstalemate",
)  # fmt: skip


def _pawns(word: nodes_squares.PawnWord) -> Reader:
    return lambda cursor, token: nodes_squares.PawnSet(token.span, word)


def _picture(word: nodes_squares.PictureWord) -> Reader:
    return lambda cursor, token: nodes_squares.Picture(token.span, word)


_READERS: Final[dict[str, Reader]] = {
    "white": _colour_number("white"),
    "black": _colour_number("black"),
    "sidetomove": _side_to_move,
    **{word: _square_fact(word) for word in _FACTS},
    "makesquare": _make_square,
    "fen": _fen,
    **{word: _pawns(word) for word in _PAWNS},
    **{word: _picture(word) for word in _PICTURES},
}
READERS.update(_READERS)
