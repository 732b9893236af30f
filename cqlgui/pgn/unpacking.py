"""What stands in packed files, as plain text in pieces."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import zstandard

from cqlgui.base import errors

_BLOCK: Final = 1 << 20
DAMAGE: Final = (EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile)
"""What is raised for a damaged file, beside an `OSError` without a number."""


def blocks(path: Path, kind: str, source: BinaryIO) -> Iterator[bytes]:
    """The text of a packed file, or of one in UTF-16; raises `errors.SourceError` for what holds no games,
    else one of `DAMAGE` or `OSError`.
    """
    if kind == "gz":
        with gzip.GzipFile(fileobj=source) as packed:
            yield from _pieces(packed)
    elif kind == "bz2":
        with bz2.BZ2File(source) as packed_bz2:
            yield from _pieces(packed_bz2)
    elif kind == "zst":
        yield from _zstandard(source)
    elif kind == "zip":
        yield from _members(path, source)
    else:
        decoder = codecs.getincrementaldecoder("utf-16")("replace")
        for block in _pieces(source):
            yield decoder.decode(block).encode("utf-8", "replace")
        yield decoder.decode(b"", True).encode("utf-8", "replace")


def _pieces(file: BinaryIO | gzip.GzipFile | bz2.BZ2File) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _zstandard(source: BinaryIO) -> Iterator[bytes]:
    """All frames, one after another; a frame that is cut off is an error (the library's own reader is silent
    there).
    """
    machine = zstandard.ZstdDecompressor(max_window_size=1 << 31)
    frame = None
    for block in _pieces(source):
        rest = block
        while rest:
            if frame is None:
                frame = machine.decompressobj()
            yield frame.decompress(rest)
            if not frame.eof:
                break
            rest = frame.unused_data
            frame = None
    if frame is not None:
        raise EOFError("the last frame is not complete")


def _members(path: Path, source: BinaryIO) -> Iterator[bytes]:
    with zipfile.ZipFile(source) as archive:
        names = sorted(
            (info for info in archive.infolist() if _is_game_file(info)), key=lambda info: info.filename
        )
        if not names:
            raise errors.SourceError(f"{path.name} holds no .pgn file.")
        for info in names:
            if info.flag_bits & 1:
                raise errors.SourceError(f"{path.name} is protected by a password.")
            try:
                with archive.open(info) as member:
                    while block := member.read(_BLOCK):
                        yield block
            except NotImplementedError as error:
                raise errors.SourceError(
                    f"{path.name} uses a compression method that cannot be read ({info.filename})."
                ) from error
            # A member without a final newline must not run into the next one's first tag.
            yield b"\n\n"


def _is_game_file(info: zipfile.ZipInfo) -> bool:
    mode = info.external_attr >> 16
    regular = stat.S_IFMT(mode) in (0, stat.S_IFREG)
    # Finder's resource forks repeat every name below __MACOSX, with the same ending.
    forked = info.filename.startswith("__MACOSX/")
    return not info.is_dir() and regular and not forked and info.filename.lower().endswith(".pgn")
