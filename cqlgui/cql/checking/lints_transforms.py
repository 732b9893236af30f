"""Lints about transforms: how far a transform reaches, keywords written as two words, and pawns turned to
squares where no pawn can stand.

This module transforms only the designators of a pattern and builds no `Orbit` nodes.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from cqlgui.base.patterns import pattern
from cqlgui.board import men
from cqlgui.board.squares import Bitboard
from cqlgui.cql.ast import nodes
from cqlgui.cql.printing import printers
from cqlgui.cql.source.diagnostics import Diagnostic, Fix, Span
from cqlgui.cql.transforming import geometry, transform_rules


def findings(text: str, body: nodes.Node) -> Iterator[Diagnostic]:
    """Warnings about the transforms of a query."""
    pending: list[tuple[nodes.Node, bool]] = [(body, False)]
    while pending:
        node, inner = pending.pop()
        if isinstance(node, nodes.Compound):
            yield from _scopes(text, node)
        elif isinstance(node, nodes.Transform):
            yield from _two_words(text, node)
            if not inner:
                yield from _turned_pawns(node)
        chained = isinstance(node, nodes.Transform)
        pending.extend((child, chained) for child in nodes.children(node))


# --- how far a transform reaches ----------------------------------------------------------------------------


def _scopes(text: str, compound: nodes.Compound) -> Iterator[Diagnostic]:
    """A warning for each transform that applies to a single filter without brackets, if the transform would
    also change later filters. To apply the transform to the later filters, the query needs braces around all
    these filters."""
    changed = _Changed(compound.filters)
    for place, node in enumerate(compound.filters):
        if not isinstance(node, nodes.Transform):
            continue
        operand = _chain(node)[-1].operand
        if any(sign in text[node.word_span.offset : node.span.end] for sign in "({"):
            continue
        words = [link.word for link in _chain(node)]
        left_out = changed.behind(place, words)
        if left_out is None:
            continue
        first, last = left_out
        span = operand.span.to(last.span)
        inside = text[span.offset : span.end]
        yield Diagnostic(
            node.word_span,
            "transform-scope",
            f"`{node.word}` applies only to `{_short(text, operand)}`; "
            f"`{_short(text, first)}` behind it is not turned.",
            "put braces around what shall be turned together",
            "warning",
            Fix(f"Write {node.word} {{{_cut(inside)}}}", span, "{" + inside + "}"),
        )


def _chain(node: nodes.Transform) -> list[nodes.Transform]:
    """A transform and the transforms nested directly in it, outermost first."""
    chain = [node]
    while isinstance(chain[-1].operand, nodes.Transform):
        chain.append(chain[-1].operand)
    return chain


class _Changed:
    """Finds out which filters of a sequence a transform changes. The result is cached for each keyword."""

    def __init__(self, filters: Sequence[nodes.Node]) -> None:
        self._filters = filters
        self._places: dict[str, list[int]] = {}

    def behind(self, place: int, words: Sequence[str]) -> tuple[nodes.Node, nodes.Node] | None:
        """The first and the last changed filter after `place`. A filter is changed if at least one of the
        transforms `words` changes the filter. None if no filter is changed."""
        found = [places for word in set(words) if (places := self._of(word)) and places[-1] > place]
        if not found:
            return None
        first = min(places[bisect.bisect_right(places, place)] for places in found)
        return self._filters[first], self._filters[max(places[-1] for places in found)]

    def _of(self, word: str) -> list[int]:
        if word not in self._places:
            self._places[word] = [place for place, one in enumerate(self._filters) if _changes(word, one)]
        return self._places[word]


def _changes(word: str, node: nodes.Node) -> bool:
    """Whether a transform changes `node`."""
    return any(_moved(basic, part) for part in _parts(node) for basic in geometry.of_word(word) if basic.name)


def _parts(root: nodes.Node) -> Iterator[transform_rules.Part]:
    """The parts of a filter that transforms can change."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.NoTransform | nodes.CurrentTransform):
            continue
        rule = transform_rules.RULES.get(type(node))
        part = rule.part(node) if rule is not None else None
        if part is not None:
            yield part
        pending.extend(nodes.children(node))


def _moved(basic: geometry.Basic, part: transform_rules.Part) -> bool:
    match part[0]:
        case "set":
            try:
                squares = geometry.map_squares(basic, part[1])
            except geometry.RotatedSquaresError:
                return True
            return bool(squares != part[1]) or bool(geometry.map_men(basic, part[2]) != part[2])
        case "directions":
            return bool(geometry.map_directions(basic, part[1]) != part[1])
        case "shade":
            return bool(basic.eighths) or basic.swaps_shades
        case "colour":
            return basic.invert
        case "result":
            return basic.invert and part[1] != "1/2-1/2"
        case _:
            return False


# --- names in two words -------------------------------------------------------------------------------------


def _two_words(text: str, node: nodes.Transform) -> Iterator[Diagnostic]:
    """A warning about `shift horizontal F`, because `shifthorizontal F` was probably meant. In `shift
    horizontal F`, the transform is `shift`, and `horizontal F` is the operand.

    If a number follows `horizontal`, the word is meant as a direction filter, and there is no warning.
    """
    if node.word not in ("shift", "flip") or node.range is not None:
        return
    second = _AXIS.match(text, node.word_span.end)
    if second is None:
        return
    word = second[1]
    span = Span(node.word_span.offset, second.end(1) - node.word_span.offset)
    yield Diagnostic(
        span,
        "two-words",
        f"This is `{node.word}` of the filter `{word} ...`; the transform `{node.word}{word}` is one word.",
        f"write {node.word}{word}",
        "warning",
        Fix(f"Write {node.word}{word}", span, node.word + word),
    )


_AXIS: Final = pattern(r"\s+(horizontal|vertical)\b(?!\s*[0-9])")


# --- pawns --------------------------------------------------------------------------------------------------

ENDS: Final = 0xFF000000000000FF
"""The first and the last rank."""
PAWNS: Final = 1 << men.WP | 1 << men.BP
_MOST_IMAGES: Final = 64


def needed(body: nodes.Node) -> Iterator[nodes.Designator]:
    """Designators in `body` that must all match whenever the filter `body` matches."""
    pending = [body]
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.Designator):
            yield node
        elif (
            isinstance(node, nodes.Compound | nodes.Transform | nodes.Attack | nodes.Arrow | nodes.Ray)
            or (isinstance(node, nodes.Logic) and node.word == "and")
            or (isinstance(node, nodes.SetOperation) and node.operator == "&")
        ):
            pending.extend(
                reversed([one for one in nodes.children(node) if not isinstance(one, nodes.Range)])
            )


def _turned_pawns(node: nodes.Transform) -> Iterator[Diagnostic]:
    """A warning about pawns under transforms, for one of two reasons. Either some images of the pattern need
    a pawn on the first or last rank, or a transform turns ranks into files. The first reason has priority."""
    chain = _chain(node)
    words = [link.word for link in chain]
    if any(word.startswith("shift") or word == "rotate45" for word in words):
        return
    pawns = [
        one
        for one in needed(chain[-1].operand)
        if one.men and not one.men & ~PAWNS and one.squares not in (0, geometry.ALL_SQUARES)
    ]
    # If all squares of a designator are on the first or last rank before any transform, `lints_patterns`
    # gives the warning.
    if not pawns or any(not one.squares & ~ENDS for one in pawns):
        return
    images = _images(words, pawns)
    dead = [image for image in images if any(not squares & ~ENDS for squares in image)]
    turning = next((link for link in chain if link.word in ("flip", "rotate90")), None)
    upright = ["flipvertical" if word in ("flip", "rotate90") else word for word in words]
    fix = None
    if turning is not None and not any(
        not squares & ~ENDS for image in _images(upright, pawns) for squares in image
    ):
        title = f"Write flipvertical instead of {turning.word}: ranks stay ranks"
        fix = Fix(title, turning.word_span, "flipvertical")
    if dead:
        example = next(squares for squares in dead[0] if not squares & ~ENDS)
        where = printers.print_squares(example)
        yield Diagnostic(
            node.word_span,
            "turned-pawns",
            f"{len(dead)} of the {len(images)} images need a pawn on the first or last rank ({where}), "
            "where none can stand.",
            "they can never match; mirror left and right instead of turning, or leave the pawns out",
            "warning",
            fix,
        )
    elif turning is not None and len(images) > 1:
        yield Diagnostic(
            turning.word_span,
            "turned-pawns",
            f"`{turning.word}` turns ranks into files, but pawns go on moving up and down the board.",
            "the turned images mean something else; flipvertical keeps what pawns do",
            "warning",
            fix,
        )


def _images(words: Sequence[str], designators: Sequence[nodes.Designator]) -> list[tuple[Bitboard, ...]]:
    """The squares of the designators after each combination of transforms, without duplicates."""
    images: dict[tuple[Bitboard, ...], None] = {}
    factors = [geometry.of_word(word) for word in reversed(words)]
    for steps in itertools.islice(itertools.product(*factors), _MOST_IMAGES):
        image = tuple(one.squares for one in designators)
        for basic in steps:
            image = tuple(geometry.map_squares(basic, squares) for squares in image)
        images[image] = None
    return list(images)


def _short(text: str, node: nodes.Node) -> str:
    return _cut(text[node.span.offset : node.span.end])


def _cut(source: str) -> str:
    words = " ".join(source.split())
    return words if len(words) <= 30 else words[:27] + "..."
