"""Why a position matches or not: truth, value and squares of every sub-filter, and the orbit elements that
matched.
"""

from __future__ import annotations

from cqlgui.base import errors
from cqlgui.board import tree
from cqlgui.cql import evaluation, host, printer, transforms
from cqlgui.cql import explain as explain_module
from cqlgui.tasks import hosts, model, queries, sources


def explain(base: model.Base, game: int, positionid: int, text: str, variations: bool = False) -> model.Truth:
    """Evaluate a query at one position of a game and say how each part fared.

    Raises `queries.Rejected` for a bad query and `CqlguiError` for a position that is not there.
    """
    expanded = queries.expanded(text, variations)
    source, ordinal = sources.of_game(base, game)
    with sources.opened(source) as opened:
        played = tree.GameTree.decode(opened.index.start_fen(ordinal), opened.index.moves(ordinal))
        return _truth(expanded, played, hosts.GameHost(opened, ordinal, source.games), positionid)


def explain_fen(fen: str, text: str) -> model.Truth:
    """The same for a position without a game; raises `CqlguiError` for a text that is no position."""
    expanded = queries.expanded(text)
    try:
        played = tree.GameTree.decode(fen, ())
        len(played.positions[0].squares)
    except ValueError as error:
        raise errors.CqlguiError(f"This is not a position in FEN: {error}") from error
    return _truth(expanded, played, hosts.BareHost(), 0)


def stages(text: str) -> model.Stages:
    """How a query will be run: as checked, and with its orbits written out; raises `queries.Rejected`."""
    checked = queries.checked_query(text)
    expanded = queries.expanded(text)
    assert checked.query is not None
    assert expanded.query is not None
    return model.Stages(printer.print_query(checked.query), printer.print_query(expanded.query))


def _truth(
    expanded: transforms.Expanded, played: tree.GameTree, world: host.Host, positionid: int
) -> model.Truth:
    if not 0 <= positionid < len(played):
        raise errors.CqlguiError(
            f"There is no position {positionid}; the game has {len(played)}, counted from 0."
        )
    try:
        return _plain(explain_module.explain(expanded, played, world, positionid))
    except evaluation.QueryError as error:
        raise errors.CqlguiError(str(error)) from error


def _plain(found: explain_module.Explanation) -> model.Truth:
    span = found.span
    elements = enumerate(found.children)
    return model.Truth(
        offset=span.offset,
        length=span.length,
        text=found.text,
        matched=found.matched,
        value=found.value,
        squares=found.squares,
        elements=tuple(place for place, part in elements if part.transform and part.matched),
        parts=tuple(_plain(part) for part in found.children),
        positionid=found.positionid,
        transform=found.transform,
        words=found.words,
        orbit=found.orbit,
    )
