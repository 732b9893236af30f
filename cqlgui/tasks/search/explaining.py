"""Why a position matches or not: truth, value and squares of every sub-filter, and the orbit elements that
matched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cqlgui.base import errors, progress
from cqlgui.board import tree
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.cql.printing import printer
from cqlgui.cql.transforming import transforms
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import hosts, sources
from cqlgui.tasks.processes import frames
from cqlgui.tasks.processes import pool as pool_module
from cqlgui.tasks.results import base_model, truth_codec, truth_model
from cqlgui.tasks.search import hit_details, sieving

_LONG_GAME = 1_000
_LARGE_ORBIT = 64


def explain(
    base: base_model.Base,
    game: int,
    positionid: int,
    text: str,
    variations: bool = False,
    *,
    apart: bool = False,
    cancel: progress.CancelToken | None = None,
    begun: Callable[[], None] | None = None,
    pool: pool_module.Pool | None = None,
) -> truth_model.Truth:
    """Evaluate a query at one position of a game and return the result of each part.

    A long game or a large orbit is evaluated in a worker process. In the caller's process, the window's
    thread would wait for the interpreter lock. All other evaluations run in the caller's process, because
    asking a worker would take longer. With `apart`, every query is evaluated in a worker process, so that the
    evaluation can be stopped. `begun` is called when a worker is ready and at work. Raises `queries.Rejected`
    for a bad query, `CqlguiError` for a position that does not exist, and `errors.Cancelled`.
    """
    expanded = queries.expanded(text, variations)
    source, ordinal = sources.of_game(base, game)
    if not apart:
        with sources.opened(source) as opened:
            positions = opened.index.positions(ordinal)
            if not _takes_long(expanded, positions):
                played = tree.GameTree.decode(opened.index.start_fen(ordinal), opened.index.moves(ordinal))
                world = hosts.GameHost(opened, ordinal)
                return truth_codec.truth(expanded, played, world, positionid)
    request = _request("explain", base, game, positionid, text, variations)
    return truth_codec.unpacked((pool or pool_module.shared()).ask(request, cancel, begun)["truth"])


def why_not(
    base: base_model.Base,
    game: int,
    positionid: int,
    text: str,
    variations: bool = False,
    *,
    cancel: progress.CancelToken | None = None,
    pool: pool_module.Pool | None = None,
) -> truth_model.WhyNot:
    """The first filter that fails at one position of a game, and the nearest position where the filter holds.

    The evaluation always runs in a worker process, because it covers the whole game. Raises the same errors
    as `explain`.
    """
    queries.expanded(text, variations)
    request = _request("why", base, game, positionid, text, variations)
    reply = (pool or pool_module.shared()).ask(request, cancel)
    part = None if reply["part"] is None else truth_codec.unpacked(reply["part"])
    return truth_model.WhyNot(part, *reply["rest"])


def why_not_fen(fen: str, text: str) -> truth_model.WhyNot:
    """`why_not` for a position without a game."""
    expanded = queries.expanded(text)
    return truth_codec.why_not(expanded, _single(fen), hosts.BareHost(), 0)


def _request(
    operation: str, base: base_model.Base, game: int, positionid: int, text: str, variations: bool
) -> frames.Envelope:
    source, ordinal = sources.of_game(base, game)
    return {
        "op": operation,
        "query": text,
        "variations": variations,
        "position": positionid,
        **sources.words(source),
        "games": [ordinal],
    }


def explain_fen(
    fen: str, text: str, *, apart: bool = False, cancel: progress.CancelToken | None = None
) -> truth_model.Truth:
    """`explain` for a position without a game. With `apart`, the query is evaluated in a worker process, so
    that `cancel` can stop it. Raises `CqlguiError` for a text that is no position."""
    expanded = queries.expanded(text)
    alone = _single(fen)
    if not apart:
        return truth_codec.truth(expanded, alone, hosts.BareHost(), 0)
    request = {"op": "explain_fen", "query": text, "fen": fen}
    return truth_codec.unpacked(pool_module.shared().ask(request, cancel)["truth"])


def _single(fen: str) -> tree.GameTree:
    """A game of one position."""
    try:
        played = tree.GameTree.decode(fen, ())
        len(played.positions[0].squares)
    except ValueError as error:
        raise errors.CqlguiError(f"This is not a position in FEN: {error}") from error
    return played


def stages(
    text: str,
    base: base_model.Base | None = None,
    variations: bool = False,
    *,
    cancel: progress.CancelToken | None = None,
) -> truth_model.Stages:
    """How a query will be run. The result has the query as checked, the query with its orbits written out,
    and the steps that exclude games, in order. With a base, each step also has the number of games that
    remain after the step. Raises `queries.Rejected`, and the errors of opening the base."""
    checked = queries.checked_query(text)
    expanded = queries.expanded(text, variations)
    assert checked.query is not None
    assert expanded.query is not None
    plan = sieving.plan(expanded)
    texts = printer.print_query(checked.query), printer.print_query(expanded.query)
    return truth_model.Stages(*texts, plan.engine, plan.reason, tuple(_steps(expanded, plan, base, cancel)))


def _steps(
    expanded: transforms.Expanded,
    plan: sieving.Plan,
    base: base_model.Base | None,
    cancel: progress.CancelToken | None,
) -> Iterator[truth_model.PlanStep]:
    assert expanded.query is not None
    known = [] if plan.planner is None else plan.planner.steps()
    left = [None] * (len(known) + 1) if base is None else _left(plan, base, len(known) + 1, cancel)
    for (means, part), games in zip(known, left, strict=False):
        if part is None:
            text = printer.print_header(expanded.query.header)
        else:
            # The step shows the filter as written, because an expanded orbit may be very long.
            text = expanded.text[part.span.offset : part.span.offset + part.span.length]
        yield truth_model.PlanStep(means, " ".join(text.split()), games)
    if base is not None and left[-1] != (left[-2] if known else base.games):
        yield truth_model.PlanStep("together", "the whole of the query", left[-1])
    if plan.compiled is not None:
        parts = len(plan.compiled.unsupported)
        words = f"all but {parts} part{'s' if parts > 1 else ''}" if parts else "all of it"
        yield truth_model.PlanStep("compiled", words, left[-1])
    if plan.engine != "compiled":
        yield truth_model.PlanStep(
            "interpreted", plan.reason, None if plan.compiled is not None else left[-1]
        )
        return
    details = hit_details.detail_pass(plan, settings.USUAL)
    if isinstance(details, Unsupported):
        yield truth_model.PlanStep("interpreted", f"the details of hits: {details.reason}")
    else:
        yield truth_model.PlanStep("compiled", "the details of hits")


def _left(
    plan: sieving.Plan, base: base_model.Base, steps: int, cancel: progress.CancelToken | None
) -> list[int | None]:
    """The number of games of a base that remain after each step."""
    if plan.planner is None:
        return [base.games] * steps
    token = cancel or progress.CancelToken()
    total = [0] * steps
    for source in base.sources:
        with sources.indexed(source) as opened:
            for first, segment in opened.parts:
                if first >= source.games:
                    # These games were indexed after the base was opened. They do not belong to the base, and
                    # the catalog may lack their rows.
                    break
                token.raise_if_cancelled()
                counts = plan.planner.counts(source, first, segment, lambda: token.cancelled)
                total = [one + other for one, other in zip(total, counts, strict=True)]
    return list(total)


def _takes_long(expanded: transforms.Expanded, positions: int) -> bool:
    elements = sum(len(orbit.elements) for orbit in expanded.orbits)
    return positions > _LONG_GAME or elements > _LARGE_ORBIT
