"""A source's state on disk, and its index opened for reading."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cqlgui.base import errors
from cqlgui.tasks import hosts, model, workspace


def stamp(path: Path) -> str:
    """The state of a source and of its index as a word; another word means that they must be opened again."""
    try:
        status = path.stat()
        written = (workspace.index_folder(path) / "manifest.json").stat().st_mtime_ns
    except OSError as error:
        raise errors.SourceError(f"{path} cannot be read any more: {error.strerror or error}.") from error
    return f"{status.st_size}-{status.st_mtime_ns}-{written}"


def words(source: model.Source, state: str | None = None) -> dict[str, Any]:
    """What a worker must know of a source to open it; `state` is its `stamp`, taken now where not given."""
    return {
        "source": source.id,
        "path": str(source.path),
        "folder": str(workspace.index_folder(source.path)),
        "stamp": stamp(source.path) if state is None else state,
        "catalog": str(workspace.catalog().path),
    }


@contextlib.contextmanager
def opened(source: model.Source) -> Iterator[hosts.SourceReader]:
    """The index and text of a source of an open base."""
    reader = hosts.SourceReader(
        source.path, workspace.index_folder(source.path), workspace.catalog(), source.id
    )
    try:
        yield reader
    finally:
        reader.close()


def of_game(base: model.Base, game: int) -> tuple[model.Source, int]:
    """The source that holds a base ordinal, and the ordinal there (from 0); raises `CqlguiError` when there
    is none.
    """
    for source in base.sources:
        if source.first <= game < source.first + source.games:
            return source, game - source.first
    raise errors.CqlguiError(f"There is no game {game}; the base has {base.games}.")


class Readers:
    """The sources of a base, each opened once at need; a context manager."""

    def __init__(self, base: model.Base) -> None:
        self._base = base
        self._open: dict[int, hosts.SourceReader] = {}

    def of(self, game: int) -> tuple[hosts.SourceReader, int]:
        """The opened source of a base ordinal, and the ordinal there (from 0)."""
        source, ordinal = of_game(self._base, game)
        reader = self._open.get(source.first)
        if reader is None:
            reader = self._open[source.first] = hosts.SourceReader(
                source.path, workspace.index_folder(source.path), workspace.catalog(), source.id
            )
        return reader, ordinal

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *_: object) -> None:
        for reader in self._open.values():
            reader.close()
        self._open.clear()
