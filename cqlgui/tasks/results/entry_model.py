"""Stored queries: entries of the library and of the history."""

from __future__ import annotations

from pathlib import Path

from cqlgui.base.data import dataclass


@dataclass(frozen=True, slots=True)
class QueryEntry:
    """A shipped or saved query: its file, its front matter and its whole text.

    `fen` is the position of the diagram, and is empty if there is no diagram. `group` names the folders
    around the file, the outermost folder first.
    """

    path: Path
    title: str
    description: str
    tags: tuple[str, ...]
    text: str
    fen: str = ""
    group: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A query that was run before. Counts are None if the search was stopped; `asked` is when the entry was
    made, in seconds since 1970."""

    text: str
    base: str
    games: int | None
    positions: int | None
    seconds: float | None
    asked: float
