"""The program's own files as the tasks share them: one catalog and one journal for a process, one index
folder for a source."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from cqlgui.base.files import disk, folders
from cqlgui.db import database

if TYPE_CHECKING:
    from cqlgui.db.catalog import Catalog
    from cqlgui.db.journal import Journal

_Kind = TypeVar("_Kind", "Catalog", "Journal")

_lock = threading.Lock()
_open: dict[Path, Catalog | Journal] = {}


def begin() -> None:
    """Begin to check the catalog for damage. The check takes time but no processor; a program that will open
    the catalog loads modules meanwhile."""
    database.begin_check(folders.cache() / _CATALOG)


def catalog() -> Catalog:
    """The catalog, opened once a process (and folder: `CQLGUI_HOME` may change under tests)."""
    from cqlgui.db import catalog as catalog_module

    return _opened(folders.cache() / _CATALOG, catalog_module.Catalog)


def journal() -> Journal:
    """The history and the recent files, opened once a process."""
    from cqlgui.db import journal as journal_module

    return _opened(folders.data() / "history.sqlite", journal_module.Journal)


def index_folder(source: Path) -> Path:
    """Where the index of a source lives: a readable name and a hash of the whole path."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "_", source.name)[:40] or "source"
    digest = hashlib.sha256(str(source).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return folders.cache() / "index" / f"{stem}-{digest}"


@functools.cache
def sweep() -> None:
    """Remove what killed programs left half written, once in a process; it may be large."""
    with contextlib.suppress(OSError), os.scandir(folders.cache() / "index") as entries:
        for entry in entries:
            disk.sweep(Path(entry.path))


def close() -> None:
    """Close every file; they are opened again at need."""
    with _lock:
        for store in _open.values():
            store.close()
        _open.clear()


def _opened(path: Path, kind: type[_Kind]) -> _Kind:
    with _lock:
        found = _open.get(path)
        # A file that was deleted under a running program is made again, by this one or another.
        if not isinstance(found, kind) or not found.is_there:
            # Searches under way may have connections to the old file; these end with them.
            found = _open[path] = kind(path)
        return found


_CATALOG: Final = "catalog.sqlite"
atexit.register(close)
