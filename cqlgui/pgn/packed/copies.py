"""The text of a packed source, packed again in small frames, so that each game can be read without the rest.

A copy is a set of files in the folder of the source's index. Their names begin with the key of the copy:

    KEY-START-SIZE.part   SIZE bytes of the text from byte START on (both hexadecimal): `_MAGIC`, the number
                          of frames and the checksum of the table (u32 each), the table with the packed and
                          the plain size of each frame (u32 each), the frames (zstandard, with checksums)
    KEY.end               JSON with the size and the digest of the whole text, and what was damaged; written
                          last

A part is written whole or not at all and never altered, so a copy can be read while it grows. Parts may
overlap if two programs unpack the same source. A damaged part is removed, and its text is unpacked again.
"""

from __future__ import annotations

import bisect
import collections
import contextlib
import json
import os
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from cqlgui.base.data import dataclass
from cqlgui.base.files import disk

if TYPE_CHECKING:
    import zstandard

FRAME: Final = 1 << 20
"""The number of bytes of text in a frame. The last frame of a part may be shorter."""
_MAGIC: Final = b"cqltext1"
_HEAD: Final = struct.Struct("<8sII")
_ROW: Final = struct.Struct("<II")
_MOST_FRAMES: Final = 1 << 16
_PART: Final = ".part"
_OPEN: Final = 8
"""The number of parts that are kept open."""
_LEVEL: Final = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """A packed piece of the text: the offset of its first byte, its plain size, and the packed bytes."""

    start: int
    size: int
    packed: bytes

    @property
    def end(self) -> int:
        """The offset of the byte after the piece."""
        return self.start + self.size


@dataclass(frozen=True, slots=True)
class End:
    """The end of a text: its size, its digest (`digests`), and what was damaged."""

    size: int
    digest: str
    damage: str


class DamagedPartError(Exception):
    """A part of a copy is missing, cut off or altered."""


class Copy:
    """The copy with the name `key` in the folder `folder`. The names of all copies of one source begin with
    `family`. Only one thread at a time may use a `Copy`, except for `put` and `put_end`."""

    def __init__(self, folder: Path, family: str, key: str) -> None:
        self.folder = folder
        self._family = family
        self._key = key
        self._parts: list[tuple[int, int, Path]] = []
        self._open: collections.OrderedDict[Path, _Part] = collections.OrderedDict()
        self._longest = 0
        with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(key + "-") and entry.name.endswith(_PART):
                    with contextlib.suppress(ValueError):
                        start, size = entry.name[len(key) + 1 : -len(_PART)].split("-")
                        self._add(int(start, 16), int(size, 16), Path(entry.path))

    def end(self) -> End | None:
        """The end of the text; None if the copy is not complete."""
        try:
            found = json.loads(self._end_file.read_bytes())
            return End(int(found["size"]), str(found["digest"]), str(found["damage"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def frame(self, offset: int) -> Frame | None:
        """The frame with byte `offset` of the text; None if no part has this byte. Raises
        `DamagedPartError`."""
        found = self._part(offset)
        if found is None:
            return None
        start, size, path = found
        part = self._open.get(path)
        if part is None:
            part = self._open[path] = _Part(path, start, size)
            if len(self._open) > _OPEN:
                self._open.popitem(last=False)[1].close()
        else:
            self._open.move_to_end(path)
        return part.frame(offset)

    def drop(self, offset: int) -> None:
        """Remove the damaged part that has byte `offset`."""
        found = self._part(offset)
        if found is not None:
            self._parts.remove(found)
            opened = self._open.pop(found[2], None)
            if opened is not None:
                opened.close()
            with contextlib.suppress(OSError):
                found[2].unlink()

    def reach(self, offset: int) -> int:
        """The end of the text that the copy has without a gap from byte `offset` on; `offset` if the copy
        does not have this byte."""
        while (found := self._part(offset)) is not None:
            offset = found[0] + found[1]
        return offset

    def put(self, frames: Sequence[Frame]) -> None:
        """Write frames that follow each other as a part. Raises `OSError`."""
        table = b"".join(_ROW.pack(len(frame.packed), frame.size) for frame in frames)
        with disk.replacing(self._path(frames)) as file:
            file.write(_HEAD.pack(_MAGIC, len(frames), zlib.crc32(table)) + table)
            for frame in frames:
                file.write(frame.packed)

    def note(self, frames: Sequence[Frame]) -> None:
        """From now on, read these frames from the part that `put` has written."""
        self._add(frames[0].start, frames[-1].end - frames[0].start, self._path(frames))

    def put_end(self, end: End) -> None:
        """Note that the copy is complete, and remove the copies of older states of the source. Raises
        `OSError`."""
        words = {"size": end.size, "digest": end.digest, "damage": end.damage}
        disk.replace_file(self._end_file, json.dumps(words).encode("ascii"))
        # A copy that another process is still reading on Windows is removed at a later unpacking.
        for path in self.folder.glob(self._family + "*"):
            if not path.name.startswith(self._key):
                with contextlib.suppress(OSError):
                    path.unlink()

    def remove(self) -> None:
        """Remove the copy from the disk."""
        self.close()
        self._parts.clear()
        for path in self.folder.glob(self._key + "*"):
            with contextlib.suppress(OSError):
                path.unlink()

    def close(self) -> None:
        """Close all files."""
        while self._open:
            self._open.popitem()[1].close()

    @property
    def _end_file(self) -> Path:
        return self.folder / f"{self._key}.end"

    def _path(self, frames: Sequence[Frame]) -> Path:
        start, end = frames[0].start, frames[-1].end
        return self.folder / f"{self._key}-{start:x}-{end - start:x}{_PART}"

    def _add(self, start: int, size: int, path: Path) -> None:
        if size > 0:
            bisect.insort(self._parts, (start, size, path))
            self._longest = max(self._longest, size)

    def _part(self, offset: int) -> tuple[int, int, Path] | None:
        """A part that has byte `offset`."""
        # Parts that overlap are rare, so nearly always the first part that is looked at has the byte.
        place = bisect.bisect_right(self._parts, offset, key=lambda part: part[0]) - 1
        while place >= 0 and self._parts[place][0] + self._longest > offset:
            start, size, _ = self._parts[place]
            if offset < start + size:
                return self._parts[place]
            place -= 1
        return None


class _Part:
    """A part that is open for reading. Raises `DamagedPartError`."""

    def __init__(self, path: Path, start: int, size: int) -> None:
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as error:
            raise DamagedPartError from error
        try:
            magic, count, check = _HEAD.unpack(self._file.read(_HEAD.size))
            table = self._file.read(min(count, _MOST_FRAMES) * _ROW.size)
            if magic != _MAGIC or zlib.crc32(table) != check:
                raise DamagedPartError
        except (OSError, struct.error, DamagedPartError) as error:
            self._file.close()
            raise DamagedPartError from error
        self._starts: list[int] = []
        self._places: list[tuple[int, int, int]] = []
        place, at = _HEAD.size + len(table), start
        for packed, plain in _ROW.iter_unpack(table):
            self._starts.append(at)
            self._places.append((place, packed, plain))
            at += plain
            place += packed
        if at != start + size:
            self._file.close()
            raise DamagedPartError

    def frame(self, offset: int) -> Frame:
        number = bisect.bisect_right(self._starts, offset) - 1
        place, packed, plain = self._places[number]
        try:
            self._file.seek(place)
            data = self._file.read(packed)
        except OSError as error:
            raise DamagedPartError from error
        if len(data) < packed:
            raise DamagedPartError
        return Frame(self._starts[number], plain, data)

    def close(self) -> None:
        self._file.close()


class Packer:
    """Packs and unpacks frames. One thread may pack while another thread unpacks."""

    def __init__(self) -> None:
        # The library is imported here, because a search that reads no text does not need it.
        import zstandard

        self._pack = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
        self._unpack = zstandard.ZstdDecompressor()
        self._fault: type[zstandard.ZstdError] = zstandard.ZstdError

    def packed(self, data: bytes) -> bytes:
        """The data as one frame."""
        return self._pack.compress(data)

    def plain(self, frame: Frame) -> bytes:
        """The text of a frame. Raises `DamagedPartError` if the frame was altered."""
        try:
            data = self._unpack.decompress(frame.packed, max_output_size=frame.size)
        except self._fault as error:
            raise DamagedPartError from error
        if len(data) != frame.size:
            raise DamagedPartError
        return data
