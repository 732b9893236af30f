"""The program's own files, which all tasks share: one catalog, one journal and one store of judgements for
each process, and one index folder for each source."""

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
    from cqlgui.db.judgements import Judgements

_Kind = TypeVar("_Kind", "Catalog", "Journal", "Judgements")

_lock = threading.Lock()
_open: dict[Path, Catalog | Journal | Judgements] = {}


def begin() -> None:
    """Start checking the catalog for damage in the background. The check takes time but hardly any processor
    time, so the program can load modules during the check."""
    database.begin_check(folders.cache() / _CATALOG)


def catalog() -> Catalog:
    """The catalog, opened once for each process and folder (tests change `CQLGUI_HOME`)."""
    from cqlgui.db import catalog as catalog_module

    return _opened(folders.cache() / _CATALOG, catalog_module.Catalog)


def journal() -> Journal:
    """The history and the recent files, opened once for each process."""
    from cqlgui.db import journal as journal_module

    return _opened(folders.data() / "history.sqlite", journal_module.Journal)


def runs() -> Journal:
    """The last run of each query, kept like named sets. They have a file of their own, so that they take no
    room from the sets that the user keeps."""
    from cqlgui.db import journal as journal_module

    return _opened(folders.data() / "runs.sqlite", journal_module.Journal)


def judgements() -> Judgements:
    """What tablebases and engines said of positions, opened once for each process."""
    from cqlgui.db import judgements as judgements_module

    return _opened(folders.cache() / "judgements.sqlite", judgements_module.Judgements)


def index_folder(source: Path) -> Path:
    """The folder of a source's index. The name of the folder is the source's file name and a hash of the
    whole path."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "_", source.name)[:40] or "source"
    digest = hashlib.sha256(str(source).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return folders.cache() / "index" / f"{stem}-{digest}"


@functools.cache
def sweep() -> None:
    """Remove half-written files of killed programs, once in a process. These files may be large."""
    with contextlib.suppress(OSError), os.scandir(folders.cache() / "index") as entries:
        for entry in entries:
            disk.sweep(Path(entry.path))


def close() -> None:
    """Close all of these files; they are reopened when needed."""
    with _lock:
        for store in _open.values():
            store.close()
        _open.clear()


def _opened(path: Path, kind: type[_Kind]) -> _Kind:
    with _lock:
        found = _open.get(path)
        # A file that was deleted while the program was running is created again.
        if not isinstance(found, kind) or not found.is_there:
            # The old file is not closed, because running searches may still use it. Python
            # frees the old object after the searches.
            found = _open[path] = kind(path)
        return found


_CATALOG: Final = "catalog.sqlite"
atexit.register(close)
