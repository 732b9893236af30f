"""The history pane: first the texts that were left unsaved, then the queries that were run, newest first."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtWidgets import QWidget

from cqlgui.tasks.asking import library
from cqlgui.ui.reference import entries

_LONGEST = 120
"""Maximum length of a title in characters."""


class HistoryPane(entries.EntriesPane):
    """Lists queries with the time they ran and what they found.

    An entry is an `entries.Entry`, or any object with a `text` attribute and, if known, `base`, `asked`
    (seconds since 1970), `games` and `positions`.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("History", "No query was run yet. Each run is listed here.", read, parent)


def unsaved(text: str, asked: float) -> entries.Entry:
    """An entry for an unsaved text that was replaced by another text. `asked` is the time of this replacement
    (seconds since 1970).
    """
    at = datetime.fromtimestamp(asked)
    when = at.strftime("%H:%M" if at.date() == datetime.now().date() else "%Y-%m-%d %H:%M")
    return entries.Entry(text, _title(text), f"Unsaved, {when}")


def _title(text: str) -> str:
    """The title in a query's front matter. If there is no title, the result is the beginning of the query's
    text."""
    return (library.title(text) or " ".join(library.body(text).split()) or "(empty query)")[:_LONGEST]


def read(entry: object) -> entries.Entry:
    """Make an entry of the pane from an entry of the catalog's history."""
    if isinstance(entry, entries.Entry):
        return entry
    text = str(getattr(entry, "text", ""))
    notes = []
    asked = getattr(entry, "asked", None)
    if isinstance(asked, (int, float)):
        notes.append(datetime.fromtimestamp(asked).strftime("%Y-%m-%d %H:%M"))
    if getattr(entry, "base", ""):
        notes.append(str(entry.base))  # type: ignore[attr-defined]  # asked for in the line above
    for name in ("games", "positions"):
        count = getattr(entry, name, None)
        if isinstance(count, int):
            notes.append(f"{count:,} {name if count != 1 else name[:-1]}")
    return entries.Entry(text, _title(text), " · ".join(notes))
