"""Finds the partner of the bracket at the caret; brackets in strings and comments do not count."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from cqlgui.cql.source import tokens
from cqlgui.ui.editor import highlight

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPENING = {close: opener for opener, close in _CLOSING.items()}
_FARTHEST = 5_000  # lines in which the partner is looked for


def at(document: QTextDocument, position: int) -> list[tuple[int, bool]]:
    """The bracket beside the caret and its partner: the document position of each, and whether the two match.

    A bracket without a partner is the only entry, and counts as not matching. The list is empty if there is
    no bracket beside the caret.
    """
    block = document.findBlock(position)
    column = position - block.position()
    here = dict(highlight.of_block(block).brackets)
    for place in (column - 1, column):
        sign = here.get(place)
        if sign is None:
            continue
        start = block.position() + place
        partner = _partner(block, place, sign)
        if partner is None:
            return [(start, False)]
        where, other = partner
        matched = (_CLOSING.get(sign) or _OPENING[sign]) == other
        return [(start, matched), (where, matched)]
    return []


def in_quiet(cursor: QTextCursor) -> bool:
    """True when the caret stands inside a string or a comment."""
    column = cursor.positionInBlock()
    for start, length, token in highlight.of_block(cursor.block()).pieces:
        last = '"' if token.kind is tokens.Kind.STRING else "*/"
        closed = len(token.text) > len(last) and token.text.endswith(last)
        # Text typed after an unterminated string or comment still belongs to it.
        end = start + length + (not closed)
        if token.kind in (tokens.Kind.STRING, tokens.Kind.COMMENT) and start < column < end:
            return True
    return False


def _partner(block: QTextBlock, place: int, sign: str) -> tuple[int, str] | None:
    """Position and sign of the bracket that ends the pair. Only the nesting depth counts, so the bracket may
    be of another kind."""
    forward = sign in _CLOSING
    depth = 0
    for position, other in _walk(block, place, forward):
        deeper = other in _CLOSING if forward else other in _OPENING
        depth += 1 if deeper else -1
        if depth == 0:
            return position, other
    return None


def _walk(block: QTextBlock, place: int, forward: bool) -> Iterator[tuple[int, str]]:
    """Yield the brackets from `place` on, forward or backward, beginning with the one at `place`."""
    for distance in range(_FARTHEST):
        if not block.isValid():
            return
        found = highlight.of_block(block).brackets
        for column, sign in found if forward else reversed(found):
            if distance or (column >= place if forward else column <= place):
                yield block.position() + column, sign
        block = block.next() if forward else block.previous()
