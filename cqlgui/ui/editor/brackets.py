"""Finds the partner of the bracket at the caret. Brackets in strings and comments are ignored."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from cqlgui.cql.editing import completing
from cqlgui.ui.editor import highlight

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPENING = {close: opener for opener, close in _CLOSING.items()}
_FARTHEST = 5_000  # the greatest number of lines that the search for the partner reads


def at(document: QTextDocument, position: int) -> list[tuple[int, bool]]:
    """The bracket beside the caret, and the partner of this bracket. Each item is a pair: the position in the
    document, and whether the two brackets match.

    If the bracket has no partner, the list has only this bracket, marked as not matching. If there is no
    bracket beside the caret, the list is empty.
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
    """Whether the caret is inside a string or a comment."""
    column = cursor.positionInBlock()
    return any(
        completing.is_quiet(token, start, start + length, column)
        for start, length, token in highlight.of_block(cursor.block()).pieces
    )


def _partner(block: QTextBlock, place: int, sign: str) -> tuple[int, str] | None:
    """The position and the sign of the partner of the bracket at `place`. Only the nesting depth decides
    which bracket is the partner. The partner may therefore be a bracket of another kind."""
    forward = sign in _CLOSING
    depth = 0
    for position, other in _walk(block, place, forward):
        deeper = other in _CLOSING if forward else other in _OPENING
        depth += 1 if deeper else -1
        if depth == 0:
            return position, other
    return None


def _walk(block: QTextBlock, place: int, forward: bool) -> Iterator[tuple[int, str]]:
    """Yield the bracket at `place`, and all brackets after `place` in order. If `forward` is False, go
    backward from `place`."""
    for distance in range(_FARTHEST):
        if not block.isValid():
            return
        found = highlight.of_block(block).brackets
        for column, sign in found if forward else reversed(found):
            if distance or (column >= place if forward else column <= place):
                yield block.position() + column, sign
        block = block.next() if forward else block.previous()
