"""The text of a source is read only while it begins with what was indexed."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cqlgui.base import errors
from cqlgui.tasks.databases import importing, sources

GAMES = '[White "A"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. d4 d5 *\n\n'


def test_a_text_that_has_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(GAMES)
    (source,) = importing.open_base([path]).base.sources
    with sources.opened(source) as opened:
        assert opened.raw(0).startswith(b'[White "A"]')
    path.write_text(GAMES.replace("e4 e5", "c4 c5"))
    with sources.opened(source) as opened, pytest.raises(errors.SourceError, match="changed"):
        opened.raw(0)


def test_a_text_that_has_grown_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(GAMES)
    (source,) = importing.open_base([path]).base.sources
    path.write_text(GAMES + GAMES)
    with sources.opened(source) as opened:
        assert opened.raw(1).startswith(b'[White "B"]')


def _without_text(copy: Path) -> None:
    copy.unlink()


def _cut(copy: Path) -> None:
    os.truncate(copy, copy.stat().st_size // 2)


def _altered(copy: Path) -> None:
    status = copy.stat()
    copy.write_text(GAMES.replace("d4 d5", "c4 c5"))
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("harm", [_without_text, _cut, _altered])
def test_a_damaged_copy_of_a_packed_source_is_made_anew(harm: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "a.pgn.gz"
    path.write_bytes(gzip.compress(GAMES.encode()))
    (source,) = importing.open_base([path]).base.sources
    with sources.opened(source) as opened:
        whole = opened.raw(1)
        copy = opened.text.plain
    assert copy.parent == opened.folder
    harm(copy)
    with sources.opened(source) as opened:
        assert opened.raw(1) == whole
    assert copy.read_text() == GAMES


def _without_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def _with_a_damaged_segment(folder: Path) -> None:
    (segment,) = folder.glob("*.seg")
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    segment.write_bytes(data)


@pytest.mark.parametrize("harm", [_without_manifest, _with_a_damaged_segment])
def test_a_damaged_copy_never_becomes_the_index(harm: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "a.pgn.gz"
    path.write_bytes(gzip.compress(GAMES.encode()))
    before = importing.open_base([path]).base
    with sources.opened(before.sources[0]) as opened:
        copy, folder = opened.text.plain, opened.folder
        moves = bytes(opened.index.moves(1))
    # Another move in the same length.
    assert "d4" in GAMES
    copy.write_text(GAMES.replace("d4", "d3"))
    harm(folder)
    after = importing.open_base([path]).base
    assert copy.read_text() == GAMES
    with sources.opened(after.sources[0]) as opened:
        assert bytes(opened.index.moves(1)) == moves
