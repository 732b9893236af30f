"""The files that a search must not lose: nothing may be written over a file that the search reads.

Exports (`-o` or from the window), `writefile`, and the saving of queries call this module before they write a
file. `base.files.disk` accepts only ordinary files. `files` decides which files a query may reach.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cqlgui.base import errors
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import files
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import hit_details

_SOURCE: Final = "is a source of this base"
_READ: Final = "is read by the query"


def sources(base: base_model.Base) -> files.Kept:
    """The sources of a base. These files must not be overwritten."""
    return [(source.path, _SOURCE) for source in base.sources]


def from_query(base: base_model.Base, options: search_model.SearchOptions) -> files.Kept:
    """The files that `writefile` must not overwrite: the sources, and the files in `options.kept`. Files that
    the query reads are left out, because a query may read a file that it has written."""
    # The paths are resolved in this process, because `/dev/stdin` is another file in a worker.
    return [(_resolved(path), what) for path, what in [*sources(base), *options.kept]]


def refuse(base: base_model.Base | None, text: str, options: search_model.SearchOptions, path: Path) -> None:
    """Raise `CqlguiError` if `path` is a source of the base, a file in `options.kept`, or a file that the
    query `text` reads. Before a base is opened (`None`), its sources are not known."""
    kept = options.kept if base is None else from_query(base, options)
    what = files.reason(path, [*kept, *_read(text, options, path)])
    if what:
        raise errors.CqlguiError(f"{path} {what} and is not overwritten.")


def within(path: Path, folders: Iterable[Path]) -> bool:
    """Whether `path` lies in one of the `folders`, with links followed. False if `path` leads to a loop of
    links or is no valid file name."""
    try:
        place = path.resolve()
    except (OSError, ValueError, RuntimeError):
        return False
    return any(place.is_relative_to(folder.resolve()) for folder in folders)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return path


def _read(text: str, options: search_model.SearchOptions, path: Path) -> files.Kept:
    """The files that a query reads. If the query computes the name of a file and `path` may be that file,
    `path` is included."""
    found: files.Kept = []
    # If a result was made from two other results, its text is no query.
    with contextlib.suppress(queries.Rejected):
        expanded = queries.expanded(text, said=hit_details.said(options))
        folders = [_resolved(folder) for folder in options.allow_read]
        for use in queries.file_uses(expanded) if folders else ():
            # A text that is no file name is skipped, because the query cannot read it.
            with contextlib.suppress(OSError, ValueError, RuntimeError):
                if use.verb == "read" and use.name is not None:
                    found += [(place, _READ) for place in files.places(use.name, folders, options.beside)]
                elif use.verb == "read" and within(path, folders):
                    found.append((path, _READ))
        assert expanded.query is not None
        if expanded.query.header.input is not None:
            found.append((Path(expanded.query.header.input), "is named in the query as its input"))
    return found
