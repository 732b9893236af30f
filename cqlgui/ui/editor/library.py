"""The library of saved and sample queries, as a pane."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from cqlgui.ui.editor import entries


class LibraryPane(entries.EntriesPane):
    """Queries with title and description. An entry is an `entries.Entry`, or anything with `text`,
    `title` and `description` attributes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Library", "No saved queries yet. Save one, and it is listed here.", read, parent)


def read(entry: object) -> entries.Entry:
    """An entry of the library from what the catalog gives."""
    if isinstance(entry, entries.Entry):
        return entry
    description = str(getattr(entry, "description", "") or "")
    return entries.Entry(str(getattr(entry, "text", "")), str(getattr(entry, "title", "")), description)
