"""The history of queries."""

from __future__ import annotations

import logging

from cqlgui.base import errors
from cqlgui.tasks.databases import workspace
from cqlgui.tasks.results import entry_model, search_model

_log = logging.getLogger(__name__)


def add(text: str, base: str = "", result: search_model.SearchResult | None = None) -> None:
    """Put a query on top of the history. The entry has the counts of games and hits if the search ran to its
    end. An error in writing the history is only logged, so that no search fails because of the history."""
    whole = result if result is not None and not result.cancelled else None
    try:
        workspace.journal().add_query(
            text,
            base,
            len(whole.games) if whole else None,
            whole.positions if whole else None,
            whole.seconds if whole else None,
        )
    except errors.CqlguiError as error:
        _log.info("a query is not kept in the history: %s", error)


def entries(limit: int = 200) -> list[entry_model.HistoryEntry]:
    """The history, newest first."""
    return [
        entry_model.HistoryEntry(
            text=row.text,
            base=row.base,
            games=row.games,
            positions=row.positions,
            seconds=row.seconds,
            asked=row.asked,
        )
        for row in workspace.journal().queries(limit)
    ]
