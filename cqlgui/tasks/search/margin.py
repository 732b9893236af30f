"""The content of the editor's margin: the truth of each line of a query at the position on the board."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator, Sequence

from cqlgui.base import progress
from cqlgui.board import tree
from cqlgui.cql.ast import nodes
from cqlgui.cql.explaining import explain
from cqlgui.cql.transforming import words
from cqlgui.tasks.asking import queries
from cqlgui.tasks.results import base_model, truth_model
from cqlgui.tasks.search import explaining


def margin(
    base: base_model.Base,
    game: int,
    positionid: int,
    text: str,
    variations: bool = False,
    *,
    cancel: progress.CancelToken | None = None,
    begun: Callable[[], None] | None = None,
) -> tuple[truth_model.Truth, tuple[truth_model.LineTruth, ...]]:
    """The truth of a query at a position, as a whole and line by line.

    `begun` is called when a worker is ready and at work. Raises the same errors as `explaining.explain`.
    """
    checked = queries.checked_query(text)
    if checked.query is None:
        raise queries.Rejected(text, checked.diagnostics)
    found = explaining.explain(
        base, game, positionid, text, variations, apart=True, cancel=cancel, begun=begun
    )
    return found, lines(text, found, checked.query)


def lines(text: str, found: truth_model.Truth, query: nodes.Query) -> tuple[truth_model.LineTruth, ...]:
    """A row for each line where a filter begins. A filter does not count if an enclosing filter begins on the
    same line.

    For an orbit, the row shows the matching element, or the element that comes nearest to matching. The row
    does not show the value of a comparison, because a comparison is a condition. `query` shows which filters
    are comparisons.
    """
    compared = set(_comparisons(query.body))
    rows: dict[int, list[tuple[truth_model.Truth, str]]] = {}
    breaks = [place for place, sign in enumerate(text) if sign == "\n"]
    for line, part, element in _beginning(found, query.body, breaks):
        rows.setdefault(line, []).append((part, element))
    shown = []
    for line, told in sorted(rows.items()):
        parts, elements = zip(*told, strict=True)
        truth, value = _together(parts), _value(parts, compared)
        shown.append(truth_model.LineTruth(line, truth, value, parts, found.positionid, elements))
    return tuple(shown)


def filter_lines(text: str, query: nodes.Query) -> tuple[int, ...]:
    """The lines (from 0) that get rows from `lines`. The query is not evaluated."""
    breaks = [place for place, sign in enumerate(text) if sign == "\n"]
    body = query.body
    pending = [(part, -1) for part in (nodes.children(body) if _is_bare(body) else (body,))]
    found = set()
    while pending:
        part, above = pending.pop()
        line = bisect.bisect_left(breaks, part.span.offset)
        if line != above:
            found.add(line)
        pending.extend((child, line) for child in nodes.children(part))
    return tuple(sorted(found))


def best_element(orbit: truth_model.Truth) -> truth_model.Truth:
    """The matching element of an orbit. If no element matches, the result is the element where the most
    filters hold before the first failure. If several elements are equally good, the element as written is
    preferred."""
    return max(
        orbit.parts,
        key=lambda part: (part.matched is True, explain.held(part.parts), part.transform == words.AS_WRITTEN),
    )


def bound(part: truth_model.Truth) -> str:
    """The values of loop variables that decide loops, such as `x = f3, y = e5`. A value decides a loop if the
    loop holds because of this value, or if a loop with `all` fails because of this value. Empty if no value
    decides a loop.

    Nested loops are listed together. In an orbit, only the loops of the best element are listed.
    """
    found: list[str] = []
    pending = [part]
    while pending and len(found) < _MOST_BOUND:
        one = pending.pop()
        if one.binding is not None:
            name, square = one.binding
            found.append(f"{'fails for ' if one.matched is False else ''}{name} = {square}")
        orbit = one.parts and one.parts[0].transform
        pending.extend([best_element(one)] if orbit else reversed(one.parts))
    return ", ".join(dict.fromkeys(found))


def moves(part: truth_model.Truth) -> str:
    """The moves that a path matched, or the moves before the path failed."""
    return part.way if part.matched or not part.way else f"up to {part.way}"


def left_out(text: str, game: tree.GameTree, positionid: int) -> bool:
    """Whether a search with this query skips a position because the position is in a variation."""
    query = queries.checked_query(text).query
    return positionid >= game.mainline_length and query is not None and not query.header.variations


def shortened(text: str, most: int = 60) -> str:
    """A filter in one line. Only the beginning and the end of a long filter are kept."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    end = line[-(most // 3) :]
    start = line[: most - len(end) - 3]
    # If a space is near the cut, the text is cut at the space, so that no word is split.
    start = start.rsplit(" ", 1)[0] if " " in start[len(start) // 2 :] else start
    end = end.split(" ", 1)[1] if " " in end[: len(end) // 2] else end
    return f"{start} … {end}"


_MOST_BOUND = 8


def _beginning(
    found: truth_model.Truth, body: nodes.Node, breaks: list[int]
) -> Iterator[tuple[int, truth_model.Truth, str]]:
    """Filters, each with the line where the filter begins, and with the name of the orbit element that
    contains the filter. A filter is omitted if an enclosing filter begins on the same line."""
    pending = [(part, -1, "") for part in (reversed(found.parts) if _is_bare(body) else (found,))]
    while pending:
        part, above, element = pending.pop()
        if part.transform:
            # In a nested orbit, the name of an inner element contains the name of the outer element. The name
            # of the inner element is therefore enough.
            element = "" if part.transform == words.AS_WRITTEN else part.words
        line = bisect.bisect_left(breaks, part.offset)
        if line != above:
            yield line, part, element
            above = line
        parts = [best_element(part)] if part.parts and part.parts[0].transform else list(part.parts)
        pending.extend((one, above, element) for one in reversed(parts))


def _is_bare(body: nodes.Node) -> bool:
    """Whether `body`, the body of a query, is a sequence of filters without braces. For the user, such a
    sequence is not a filter of its own."""
    return isinstance(body, nodes.Compound) and body.filters[0].span.offset == body.span.offset


def _together(parts: Sequence[truth_model.Truth]) -> bool | None:
    if any(part.matched is False for part in parts):
        return False
    return True if all(part.matched for part in parts) else None


def _value(parts: Sequence[truth_model.Truth], compared: set[tuple[int, int]]) -> str:
    """The value of a single filter if the value is a number; empty for a comparison."""
    if len(parts) != 1 or parts[0].value is None or (parts[0].offset, parts[0].length) in compared:
        return ""
    return parts[0].value if _NUMBER.fullmatch(parts[0].value) else ""


_NUMBER = re.compile(r"-?\d+")


def _comparisons(body: nodes.Node) -> Iterator[tuple[int, int]]:
    for node in nodes.walk(body):
        if isinstance(node, nodes.Compare):
            yield node.span.offset, node.span.length
