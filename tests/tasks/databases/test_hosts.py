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


def _without_text(part: Path) -> None:
    part.unlink()


def _cut(part: Path) -> None:
    os.truncate(part, part.stat().st_size // 2)


def _altered(part: Path) -> None:
    status = part.stat()
    data = bytearray(part.read_bytes())
    data[-10] ^= 1
    part.write_bytes(data)
    os.utime(part, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("harm", [_without_text, _cut, _altered])
def test_a_damaged_copy_of_a_packed_source_is_made_anew(harm: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "a.pgn.gz"
    path.write_bytes(gzip.compress(GAMES.encode()))
    (source,) = importing.open_base([path]).base.sources
    with sources.opened(source) as opened:
        whole = opened.raw(1)
        (part,) = opened.folder.glob("text-*.part")
    before = part.read_bytes()
    harm(part)
    with sources.opened(source) as opened:
        assert opened.raw(1) == whole
    assert part.read_bytes() == before


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
        folder = opened.folder
        moves = bytes(opened.index.moves(1))
    (part,) = folder.glob("text-*.part")
    before_harm = part.read_bytes()
    _altered(part)
    harm(folder)
    after = importing.open_base([path]).base
    assert part.read_bytes() == before_harm
    with sources.opened(after.sources[0]) as opened:
        assert bytes(opened.index.moves(1)) == moves
