"""The rich text of the tooltips over the query: findings, keywords and designators."""

from __future__ import annotations

import html
import re

from cqlgui.board import men, squares
from cqlgui.cql.source import diagnostics, tokens
from cqlgui.cql.vocabulary import registry

_QUOTED = re.compile(r"`([^`]+)`")
_MEN = ("no man", "pawn", "knight", "bishop", "rook", "queen", "king")


def finding_html(finding: diagnostics.Diagnostic) -> str:
    """A diagnostic in two parts: what is wrong, and how to mend the mistake."""
    head = "Error" if finding.severity == "error" else "Warning"
    text = f"<b>{head}:</b> {html.escape(finding.message)}"
    return text + (f"<br><i>{html.escape(finding.hint)}</i>" if finding.hint else "")


def token_html(token: tokens.Token) -> str:
    """Help on the token under the pointer; empty if there is no help."""
    if token.kind is tokens.Kind.DESIGNATOR:
        return f"<b>{html.escape(token.text)}</b> – {html.escape(designator_words(token.men, token.squares))}"
    row = registry.lookup(token.word) or registry.lookup(token.text)
    return "" if row is None else row_html(row)


def row_html(row: registry.Row) -> str:
    """Help on a keyword: its spelling, its syntax, its meaning and an example."""
    head = f"<b>{html.escape(row.name)}</b>"
    if row.sign:
        head += f" &nbsp;{html.escape(row.sign)}"
    lines = [f"{head} <small>({html.escape(', '.join(row.notes))})</small>"]
    lines += [f"<code>{html.escape(form)}</code>" for form in row.forms]
    if row.meaning:
        lines.append(meaning_html(row))
    if row.example:
        lines.append(f"<small>Example:</small> <code>{html.escape(row.example)}</code>")
    return "<br>".join(lines)


def meaning_html(row: registry.Row) -> str:
    """The meaning of a keyword, with quoted parts as code."""
    meaning = html.escape(row.meaning[:1].upper() + row.meaning[1:].rstrip(".") + ".")
    return _QUOTED.sub(r"<code>\1</code>", meaning)


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
