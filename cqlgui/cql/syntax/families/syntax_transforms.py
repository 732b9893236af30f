"""Transform filters as written: keyword, range, operand (transforms spec, section 1)."""

from __future__ import annotations

from collections.abc import Iterator

from cqlgui.cql.ast import nodes, nodes_tree
from cqlgui.cql.source import designators
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.source.tokens import Token
from cqlgui.cql.syntax.reading import ranges
from cqlgui.cql.syntax.reading.cursor import Broken, Cursor

WORDS: dict[str, nodes.TransformWord] = {
    "flip": "flip",
    "dihedral": "flip",
    "flipdihedral": "flip",
    "flipvertical": "flipvertical",
    "fliphorizontal": "fliphorizontal",
    "flipcolor": "flipcolor",
    "reversecolor": "reversecolor",
    "rotate90": "rotate90",
    "rotate45": "rotate45",
    "shift": "shift",
    "shiftvertical": "shiftvertical",
    "shifthorizontal": "shifthorizontal",
}
"""Maps each spelling of a transform to the word that `nodes.Transform` holds."""


def transform(cursor: Cursor, token: Token) -> nodes.Node:
    """A transform; the keyword was just consumed."""
    word = WORDS[token.word]
    span = ranges.plain_range(cursor)
    if word == "reversecolor" and span is not None:
        message = "`reversecolor` gives a single image, so there is nothing to count."
        cursor.report_always(span.span, "misplaced-range", message, "count with flipcolor")
    operand = cursor.expression(14)
    node = cursor.made(nodes.Transform(cursor.since(token.offset), word, token.span, span, operand), operand)
    for where in _untransformable(operand):
        message = "`similarposition` compares with another file and cannot stand under a transform."
        cursor.report_always(where, "misplaced-filter", message, "put it beside the transform")
        return Broken(node.span)
    if word == "rotate45" and not isinstance(node, Broken):
        for where in _particular_squares(operand):
            message = "`rotate45` turns directions only: nothing under it may name squares or their shade."
            cursor.report_always(where, "rotate45-squares", message, "use rotate90 or flip")
            return Broken(node.span)
    return node


def notransform(cursor: Cursor, token: Token) -> nodes.Node:
    """`notransform F`; the keyword was just consumed."""
    operand = cursor.expression(14)
    return cursor.made(nodes.NoTransform(cursor.since(token.offset), operand), operand)


def _untransformable(node: nodes.Node) -> Iterator[Span]:
    """Spans of the filters that may not stand under a transform."""
    if isinstance(node, nodes.NoTransform):
        return
    if isinstance(node, nodes_tree.SimilarPosition):
        yield node.span
    for child in nodes.children(node):
        yield from _untransformable(child)


def _particular_squares(node: nodes.Node) -> Iterator[Span]:
    """Spans of the filters that cannot be turned by 45 degrees, in text order."""
    if isinstance(node, nodes.NoTransform):
        return
    if isinstance(node, nodes.Designator):
        if node.squares not in (0, designators.ALL_SQUARES):
            yield node.span
        return
    if isinstance(node, nodes.Shade):
        yield node.span
        return
    for child in nodes.children(node):
        yield from _particular_squares(child)


READERS = {**dict.fromkeys(WORDS, transform), "notransform": notransform}
