"""What a token means: the row of a keyword, or a designator in words."""

from __future__ import annotations

from typing import Final

from cqlgui.base.patterns import pattern
from cqlgui.board import men, squares
from cqlgui.cql.source import tokens
from cqlgui.cql.vocabulary import registry

_MEN: Final = ("no man", "pawn", "knight", "bishop", "rook", "queen", "king")


def row_of(token: tokens.Token, before: str = "") -> registry.Row | None:
    """The row of a keyword or sign, or of a key behind `pgn`; None for a token without a row. `before` is the
    text of the line up to any place in the token."""
    key = registry.lookup(f"pgn {token.text}") if _BEHIND_PGN.search(before) else None
    return key or registry.lookup(token.word) or registry.lookup(token.text)


_BEHIND_PGN = pattern(r"(?<![A-Za-z0-9$_])pgn[ \t]+[a-z]*$")


def meaning(row: registry.Row) -> str:
    """The meaning of a keyword as a sentence."""
    return row.meaning[:1].upper() + row.meaning[1:].rstrip(".") + "."


def designator_words(mask: int, board: int) -> str:
    """A designator in words: the men and the squares that the designator names."""
    return f"{_men_words(mask)} {_square_words(board)}"


def _men_words(mask: int) -> str:
    if mask == men.ANY_MASK:
        return "squares:"
    if mask & ~1 == men.WHITE_MASK | men.BLACK_MASK:
        return "any man" + (" or no man" if mask & 1 else "")
    parts = []
    for colour, whole, word in ((0, men.WHITE_MASK, "white"), (6, men.BLACK_MASK, "black")):
        if mask & whole == whole:
            parts.append(f"any {word} man")
            continue
        parts += [f"{word} {_MEN[kind]}" for kind in range(6, 0, -1) if mask >> (kind + colour) & 1]
    if mask & 1:
        parts.append("an empty square")
    return " or ".join(parts)


def _square_words(board: int) -> str:
    if board == squares.ALL:
        return "anywhere"
    count = squares.popcount(board)
    if count <= 8:
        return "on " + ", ".join(squares.square_name(square) for square in squares.bits(board))
    return f"on {count} squares"
