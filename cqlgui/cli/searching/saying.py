"""The messages of a search: what the query says, which games failed, and how the search ended."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from cqlgui.base import plurals
from cqlgui.cli import terminal
from cqlgui.cql.source import diagnostics
from cqlgui.tasks.results import hit_model, search_model

_MOST_NAMED: Final = 20
"""If more games in a row were left out for the same reason, they are not named one by one."""


def messages(bar: terminal.Bar, said: Sequence[hit_model.QueryMessage]) -> None:
    """Print messages of the query."""
    # A thread may be printing rows, perhaps to the same place.
    with bar.away():
        for message in said:
            # All lines of a message after its first line are indented, so that they do not look like messages
            # of the program.
            terminal.say(message.text.replace("\n", "\n  "))


def failures(result: search_model.SearchResult | search_model.HitsReport) -> None:
    """Print which games could not be searched."""
    for (source, reason), alike in itertools.groupby(
        result.failed_games, key=lambda failed: (failed.source, failed.reason)
    ):
        games = list(alike)
        if len(games) > _MOST_NAMED:
            # The games of a file that has changed fail together.
            many = f"{len(games)} games from game {games[0].game} to game {games[-1].game} were left out"
            terminal.say(f"{source}:{games[0].line}: {many}: {reason}")
            continue
        for failed in games:
            terminal.say(f"{source}:{failed.line}: game {failed.game} was left out: {reason}")


def outcome(result: search_model.SearchResult | search_model.HitsReport, games: int, positions: int) -> None:
    """Print how a search went. `games` and `positions` match."""
    for words in result.notices:
        terminal.say(words)
    for words in result.left_out:
        terminal.say(f"Left out: {words}")
    failed = len(result.failed_games)
    left_out = f", {failed} could not be searched" if failed else ""
    match = "matches" if games == 1 else "match"
    # At the limit, it depends on chance how many games were searched.
    limit = result.options.limit if isinstance(result, search_model.SearchResult) else None
    limited = limit is not None and games >= limit
    of_all = plurals.games(games) if limited else f"{games} of {plurals.games(result.games_searched)}"
    terminal.say(
        f"{of_all} {match} "
        f"({plurals.positions(positions)}){left_out}, {result.seconds:.2f} seconds, "
        f"{_engine(result.engine, result.reason)}"
    )


def stopped(stop: search_model.Stop, text: str, name: str) -> None:
    """Print why the search stopped, with the place in the query if the place is known."""
    message = f"The search stopped at game {stop.game}: {stop.reason}"
    if stop.offset < 0:
        terminal.say(f"{name}: error[stopped]: {message}")
        return
    finding = diagnostics.Diagnostic(diagnostics.Span(stop.offset, stop.length), "stopped", message)
    terminal.say(diagnostics.render(text, finding, name))


def _engine(engine: str, reason: str) -> str:
    return f"{engine}: {reason}" if reason else engine
