"""The program's own files as the tasks share them: one catalog and one journal a process, an index folder a
source.
"""

from __future__ import annotations

import atexit
import hashlib
import re
import threading
from pathlib import Path

from cqlgui.base import folders
from cqlgui.db import catalog as catalog_module
from cqlgui.db import journal as journal_module

_lock = threading.Lock()
_catalogs: dict[Path, catalog_module.Catalog] = {}
_journals: dict[Path, journal_module.Journal] = {}


def catalog() -> catalog_module.Catalog:
    """The catalog, opened once a process (and folder: `CQLGUI_HOME` may change under tests)."""
    path = folders.cache() / "catalog.sqlite"
    with _lock:
        found = _catalogs.get(path)
        if found is None or not path.exists():
            if found is not None:
                found.close()
            found = _catalogs[path] = catalog_module.Catalog(path)
        return found


def journal() -> journal_module.Journal:
    """The history and the recent files, opened once a process."""
    path = folders.data() / "history.sqlite"
    with _lock:
        found = _journals.get(path)
        if found is None or not path.exists():
            if found is not None:
                found.close()
            found = _journals[path] = journal_module.Journal(path)
        return found


def index_folder(source: Path) -> Path:
    """Where the index of a source lives: a readable name and a hash of the whole path."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "_", source.name)[:40] or "source"
    digest = hashlib.sha256(str(source).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return folders.cache() / "index" / f"{stem}-{digest}"


def close() -> None:
    """Close every file; they are opened again at need."""
    with _lock:
        for catalog_ in _catalogs.values():
            catalog_.close()
        for journal_ in _journals.values():
            journal_.close()
        _catalogs.clear()
        _journals.clear()


atexit.register(close)
