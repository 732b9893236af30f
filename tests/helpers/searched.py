"""What a search gives, to be compared with another."""

from __future__ import annotations

from typing import Any

from cqlgui.tasks.results import search_model


def plain(result: search_model.SearchResult) -> dict[str, Any]:
    """All that a search gives but how long and by what means."""
    found = {name: getattr(result, name) for name in result.__slots__}
    for name in ("seconds", "engine", "reason", "options"):
        del found[name]
    if result.stopped is not None:
        # Workers were at games behind the one that stopped the search, more or fewer by how quick they were.
        del found["positions_searched"]
    return found
