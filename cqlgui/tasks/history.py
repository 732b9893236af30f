"""The history of queries."""

from __future__ import annotations

from cqlgui.tasks import model, workspace


def add(text: str, base: str = "", result: model.SearchResult | None = None) -> None:
    """Put a query on top, with its counts when the search ran to its end."""
    whole = result if result is not None and not result.cancelled else None
    workspace.journal().add_query(
        text,
        base,
        len(whole.games) if whole else None,
        whole.positions if whole else None,
        whole.seconds if whole else None,
    )


def entries(limit: int = 200) -> list[model.HistoryEntry]:
    """The history, newest first."""
    return [
        model.HistoryEntry(
            text=row.text,
            base=row.base,
            games=row.games,
            positions=row.positions,
            seconds=row.seconds,
            asked=row.asked,
        )
        for row in workspace.journal().queries(limit)
    ]
