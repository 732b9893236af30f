"""Why a position matches or not: truth, value and squares of every sub-filter, and the orbit elements that
matched.
"""

from __future__ import annotations

from cqlgui.base import errors, progress
from cqlgui.board import tree
from cqlgui.cql import printer, transforms
from cqlgui.tasks import hosts, model, queries, sources, truths
from cqlgui.tasks import pool as pool_module

_LONG_GAME = 1_000
_LARGE_ORBIT = 64


def explain(
    base: model.Base,
    game: int,
    positionid: int,
    text: str,
    variations: bool = False,
    *,
    cancel: progress.CancelToken | None = None,
    pool: pool_module.Pool | None = None,
) -> model.Truth:
    """Evaluate a query at one position of a game and say how each part fared.

    A long game or a large orbit goes to a worker process, so that the window's thread keeps the interpreter
    lock to itself; the rest is quicker done here than asked for. Raises `queries.Rejected` for a bad query,
    `CqlguiError` for a position that is not there and `errors.Cancelled`.
    """
    expanded = queries.expanded(text, variations)
    source, ordinal = sources.of_game(base, game)
    with sources.opened(source) as opened:
        positions = opened.index.positions(ordinal)
        if not _takes_long(expanded, positions):
            played = tree.GameTree.decode(opened.index.start_fen(ordinal), opened.index.moves(ordinal))
            return truths.truth(expanded, played, hosts.GameHost(opened, ordinal, source.games), positionid)
    request = {
        "op": "explain",
        "query": text,
        "variations": variations,
        "position": positionid,
        **sources.words(source),
        "games": [ordinal],
    }
    return truths.unpacked((pool or pool_module.shared()).ask(request, cancel)["truth"])


def explain_fen(fen: str, text: str) -> model.Truth:
    """The same for a position without a game; raises `CqlguiError` for a text that is no position."""
    expanded = queries.expanded(text)
    try:
        played = tree.GameTree.decode(fen, ())
        len(played.positions[0].squares)
    except ValueError as error:
        raise errors.CqlguiError(f"This is not a position in FEN: {error}") from error
    return truths.truth(expanded, played, hosts.BareHost(), 0)


def stages(text: str) -> model.Stages:
    """How a query will be run: as checked, and with its orbits written out; raises `queries.Rejected`."""
    checked = queries.checked_query(text)
    expanded = queries.expanded(text)
    assert checked.query is not None
    assert expanded.query is not None
    return model.Stages(printer.print_query(checked.query), printer.print_query(expanded.query))


def _takes_long(expanded: transforms.Expanded, positions: int) -> bool:
    elements = sum(len(orbit.elements) for orbit in expanded.orbits)
    return positions > _LONG_GAME or elements > _LARGE_ORBIT
