"""Disks that fill up, files that are damaged, and what must be the same afterwards."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cqlgui.base.files import disk
from cqlgui.db import database, headers
from cqlgui.store import index
from cqlgui.tasks.databases import importing, workspace
from cqlgui.tasks.results import base_model

PLAIN = """[Event "Event {n}"]
[White "Player {n}"]
[Black "Other"]
[WhiteElo "2{n:03d}"]
[Result "1-0"]
[Annotator "No. {n}"]

1. e4 e5 ({{why}} 1... c5 2. Nf3) 2. Nf3 $1 {{good}} Nc6 1-0

"""
ODD = '[Event "Odd {n}"]\n[White "Odd {n}"]\n\n1. e4 e5 2. Ke3 Nc6 *\n\n'
"""A game that the kernel leaves to the lenient reader, and in which a move is not legal."""


def text(count: int, odd: int = 0) -> str:
    """So many games; every `odd`th of them is odd."""
    return "".join((ODD if odd and n % odd == odd - 1 else PLAIN).format(n=n) for n in range(count))


@contextlib.contextmanager
def small_batches(first: int = 10, later: int = 40) -> Iterator[None]:
    """Imports commit after so few games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importing, "FIRST_BATCH", first)
        patch.setattr(importing, "LATER_BATCH", later)
        yield


def everything(base: base_model.Base) -> tuple[list[headers.Header], list[tuple[object, ...]]]:
    """What catalog and index hold of all games of a base."""
    rows: list[headers.Header] = []
    games: list[tuple[object, ...]] = []
    for source in base.sources:
        known = workspace.catalog().headers(source.id, range(source.games + 1))
        rows += [known[ordinal] for ordinal in sorted(known)]
        with index.SourceIndex.open(workspace.index_folder(source.path)) as opened:
            opened.verify()
            games += [
                (opened.span(game), opened.flags(game), opened.moves(game).tolist())
                for game in range(opened.game_count)
            ]
            games += [tuple(flaw) for flaw in opened.flaws()]
    return rows, games


def imported(path: Path) -> tuple[list[headers.Header], list[tuple[object, ...]]]:
    """Import a source and give `everything`; the report must fit it."""
    report = importing.open_base([path])
    assert report.base.complete
    found = everything(report.base)
    assert report.games == len(found[0])
    return found


def clean(path: Path, home: Path) -> tuple[list[headers.Header], list[tuple[object, ...]]]:
    """The same from an import without any fault, into a home of its own."""
    with at_home(home):
        return imported(path)


@contextlib.contextmanager
def at_home(home: Path) -> Iterator[None]:
    """The user folders are below `home` meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CQLGUI_HOME", str(home))
        try:
            yield
        finally:
            workspace.close()


def committed(home: Path) -> int:
    """Games that the manifests below a home name."""
    return sum(
        known.games
        for manifest in (home / "cache" / "index").glob("*/manifest.json")
        if (known := index.Manifest.read(manifest.parent)) is not None
    )


def copied(home: Path, to: Path) -> Path:
    """A copy of all user folders."""
    shutil.copytree(home, to)
    return to


class FullDisk:
    """Lets so many bytes of files be written below a folder, and no more; `written` counts them."""

    def __init__(self, folder: Path, room: int) -> None:
        self._folder = folder
        self._room = room
        self.written = 0

    @contextlib.contextmanager
    def inserted(self, code: int = errno.ENOSPC) -> Iterator[None]:
        """What is beyond fails with this error meanwhile."""
        plain = disk.create

        def created(folder: Path) -> Any:
            path, file = plain(folder)
            return path, _File(file, self, code) if path.is_relative_to(self._folder) else file

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(disk, "create", created)
            yield

    def take(self, size: int) -> int:
        """How many of these bytes there is room for."""
        taken = min(size, self._room - self.written)
        self.written += taken
        return taken


class _File(io.RawIOBase):
    """A file on a disk that fills up."""

    def __init__(self, file: Any, disk: FullDisk, code: int) -> None:
        self._file = file
        self._disk = disk
        self._code = code

    def write(self, data: Any) -> int:
        taken = self._disk.take(len(data))
        self._file.write(data[:taken])
        if taken < len(data):
            raise OSError(self._code, os.strerror(self._code))
        return taken

    def flush(self) -> None:
        if not self.closed and not self._file.closed:
            self._file.flush()

    def fileno(self) -> int:
        number: int = self._file.fileno()
        return number

    def close(self) -> None:
        self._file.close()
        super().close()


@contextlib.contextmanager
def full_database(pages: int) -> Iterator[None]:
    """Database files cannot grow beyond so many pages meanwhile."""
    plain = database.File.connection

    def connection(file: database.File) -> Any:
        found = plain(file)
        found.execute(f"pragma max_page_count = {pages}")
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database.File, "connection", connection)
        yield
