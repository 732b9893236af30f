"""Turns the results of a query's parts at a position into plain data, and into a flat list for a message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cqlgui.base import errors
from cqlgui.board import tree
from cqlgui.cql.ast import types
from cqlgui.cql.explaining import explain
from cqlgui.cql.interpreting.runtime import evaluation, host
from cqlgui.cql.transforming import transforms
from cqlgui.tasks.results import truth_model


def truth(
    expanded: transforms.Expanded, played: tree.GameTree, world: host.Host, positionid: int
) -> truth_model.Truth:
    """Evaluate a query at one position. Raises `CqlguiError` if the position does not exist or if the query
    fails there."""
    _checked_place(played, positionid)
    try:
        return _plain(explain.explain(expanded, played, world, positionid))
    except evaluation.QueryError as error:
        raise errors.CqlguiError(str(error)) from error


def why_not(
    expanded: transforms.Expanded, played: tree.GameTree, world: host.Host, positionid: int
) -> truth_model.WhyNot:
    """The first filter that fails at a position; raises the same errors as `truth`."""
    _checked_place(played, positionid)
    try:
        found = explain.why_not(expanded, played, world, positionid)
    except evaluation.QueryError as error:
        raise errors.CqlguiError(str(error)) from error
    part = None if found.part is None else _plain(found.part)
    return truth_model.WhyNot(part, found.words, found.transform, found.nearest, found.whole, found.fault)


def _checked_place(played: tree.GameTree, positionid: int) -> None:
    if not 0 <= positionid < len(played):
        raise errors.CqlguiError(
            f"There is no position {positionid}; the game has {len(played)}, counted from 0."
        )


def packed(found: truth_model.Truth) -> list[list[Any]]:
    """One row for each part of the query, in preorder. A row begins with the number of the part's direct
    subparts. The list is flat, because a JSON reader may refuse deep nesting."""
    rows: list[list[Any]] = []
    waiting = [found]
    while waiting:
        part = waiting.pop()
        rows.append(
            [
                len(part.parts), part.offset, part.length, part.text, part.matched, part.value, part.squares,
                part.elements, part.positionid, part.transform, part.words, part.orbit, part.binding,
                part.way, part.place, part.rounds,
            ]
        )  # fmt: skip
        waiting.extend(reversed(part.parts))
    return rows


def unpacked(rows: Sequence[Sequence[Any]]) -> truth_model.Truth:
    """The inverse of `packed`."""
    done: list[truth_model.Truth] = []
    for count, offset, length, text, matched, value, squares, elements, *where in reversed(rows):
        parts = tuple(done.pop() for _ in range(count))
        positionid, transform, words, orbit, binding, way, place, rounds = where
        done.append(
            truth_model.Truth(
                offset=offset,
                length=length,
                text=text,
                matched=matched,
                value=value,
                squares=squares,
                elements=tuple(elements),
                parts=parts,
                positionid=positionid,
                transform=transform,
                words=words,
                orbit=orbit,
                binding=None if binding is None else (binding[0], binding[1]),
                way=way,
                place=place,
                rounds=rounds,
            )
        )
    (whole,) = done
    return whole


# If the argument of a function is a value, a hidden variable holds the value. This pattern matches the
# variable's name. Group 1 is the name of the parameter.
_HIDDEN = re.compile(rf"\b[A-Za-z_]\w*\$(\w+)\$(?:{'|'.join(kind.value for kind in types.Type)})\b\$*")


def _plain(found: explain.Explanation) -> truth_model.Truth:
    span = found.span
    elements = enumerate(found.children)
    return truth_model.Truth(
        offset=span.offset,
        length=span.length,
        text=_HIDDEN.sub(r"\1", found.text),
        matched=found.matched,
        value=found.value,
        squares=found.squares,
        elements=tuple(place for place, part in elements if part.transform and part.matched),
        parts=tuple(_plain(part) for part in found.children),
        positionid=found.positionid,
        transform=found.transform,
        words=found.words,
        orbit=found.orbit,
        binding=found.binding,
        way=found.way,
        place=found.place,
        rounds=found.rounds,
    )
