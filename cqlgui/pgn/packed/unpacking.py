"""Unpacks files into plain text in pieces of bounded size, however much a file claims to hold.

A truncated or damaged file yields the text before the damage.
"""

from __future__ import annotations

import bz2
import codecs
import itertools
import lzma
import stat
import string
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import zstandard

from cqlgui.base import errors, patterns
from cqlgui.pgn import decoding
from cqlgui.pgn.packed import tarred

_BLOCK: Final = 1 << 20
_SIP: Final = 1 << 10
"""The number of bytes that are given to a decompressor at once. If a file is damaged, at most this many
packed bytes before the damage are lost (of zstandard: a few blocks of 128 kB)."""
_DRAUGHT: Final = 1 << 17
"""The most bytes that are given to `_Zstandard` at once."""
_PIECE: Final = 1 << 16
"""The number of bytes that a decompressor returns at once, if its output can be limited."""
_PIECES: Final = 1 << 8
"""The most pieces that are joined into one block. A file may hold millions of streams without any text. The
caller checks only between blocks whether it was cancelled, so a block must not take long."""
_LZMA_HEAD: Final = 9
_LONGEST_HEADER: Final = 18
_FRAME: Final = b"\x28\xb5\x2f\xfd"
_SKIPPED: Final = b"\x2a\x4d\x18"
"""The first bytes of a zstandard frame, and bytes 1 to 3 of a frame that holds no text."""
_WINDOW: Final = 128 << 20
"""The greatest distance in bytes that a zstandard file may refer back. The zstd tools have the same limit."""
_FAULTS: Final = (
    EOFError, ValueError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile,
)  # fmt: skip
_ONE_BYTE_TEXT: Final = patterns.pattern(
    rb'\[[A-Za-z]{3,20} +"|(?:^|[\s.])\d{1,3}\.(?:\.\.)?\s?[a-hKQRBNO][a-h1-8x-]'
)
"""A tag or a move in a text with one byte for each letter. UTF-16 has a zero byte between two letters."""


def _swapped(letters: str) -> str:
    """The letters with the two bytes of each UTF-16 unit exchanged."""
    return "".join(chr(ord(letter) << 8) for letter in letters)


_OUT_OF_STEP: Final = patterns.pattern(
    f"\ufffe|{_swapped('[')}[{_swapped(string.ascii_letters)}]{{3}}"
    f"|[{_swapped(string.digits)}]{_swapped('.')}{_swapped(' ')}?[{_swapped('abcdefghKQRBNO')}]"
)
"""The byte-order mark, a tag or a move of UTF-16 in the wrong byte order. Text after a missing byte looks
like this, too."""
_ZIPPED: Final[dict[int, Callable[[], _Machine]]] = {
    zipfile.ZIP_STORED: lambda: _Stored(),
    zipfile.ZIP_DEFLATED: lambda: _Zlib(-zlib.MAX_WBITS),
    zipfile.ZIP_BZIP2: lambda: _Bz2(),
    zipfile.ZIP_LZMA: lambda: _ZippedLzma(),
}


class DamagedError(Exception):
    """Nothing more can be read from a packed file. The message is the end of a sentence."""


def blocks(path: Path, kind: str, source: BinaryIO, damage: list[str]) -> Iterator[bytes]:
    """The text of a packed file or of a UTF-16 or UTF-32 file. Faults of the file are appended to `damage`;
    the text before the fault is still returned.

    Raises `errors.SourceError` for a file that holds no games, and `OSError` if the disk fails.
    """
    if kind == "zip":
        yield from _members(path, source, damage)
    elif kind == "wide":
        yield from _in_utf8(_read(source, _BLOCK), damage)
    else:
        # All streams of the file share one `ZstdDecompressor`. A file may consist of millions of streams, and
        # a new `ZstdDecompressor` for each stream would take too long.
        zstd = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
        machines: dict[str, Callable[[], _Stream]] = {
            "gz": lambda: _Zlib(16 + zlib.MAX_WBITS),
            "bz2": _Bz2,
            "zst": lambda: _Zstandard(zstd),
        }
        try:
            packed = _streams(_read(source, _BLOCK), machines[kind], kind == "gz")
            yield from _in_utf8(_gathered(packed), damage)
        except DamagedError as fault:
            damage.append(str(fault))


class _Machine(Protocol):
    """Unpacks one stream."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Unpack the next bytes. Raises one of `_FAULTS`."""


class _Stream(_Machine, Protocol):
    """Unpacks one stream and finds its end. At most `most` bytes may be given to it at once."""

    most: int

    @property
    def ended(self) -> bool:
        """Whether the end of the stream was reached."""

    @property
    def rest(self) -> bytes:
        """The bytes after the end of the stream."""


class _Ending:
    """The end of a stream, for decompressors with the attributes `eof` and `unused_data`."""

    most = _SIP
    _machine: Any

    @property
    def ended(self) -> bool:
        """Whether the end of the stream was reached."""
        return bool(self._machine.eof)

    @property
    def rest(self) -> bytes:
        """The bytes after the end of the stream."""
        return bytes(self._machine.unused_data)


class _Zlib(_Ending):
    def __init__(self, form: int) -> None:
        self._machine = zlib.decompressobj(form)

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self._machine.eof:
            yield self._machine.decompress(data, _PIECE)
            data = self._machine.unconsumed_tail
        # The rest of the text may be longer than one piece.
        while not self._machine.eof and (more := self._machine.decompress(b"", _PIECE)):
            yield more


class _Bz2(_Ending):
    def __init__(self) -> None:
        self._machine = bz2.BZ2Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        if not self._machine.eof:
            yield self._machine.decompress(data, _PIECE)
        while not self._machine.eof and not self._machine.needs_input:
            yield self._machine.decompress(b"", _PIECE)


class _Zstandard(_Ending):
    """Unpacks a frame of zstandard.

    The library does not limit its output: a few bytes may become many megabytes. A block of a frame becomes
    at most 128 kB, so this class finds the blocks by their headers (RFC 8878, section 3.1.1) and gives the
    library a few blocks at a time. The library gives up the interpreter lock for each piece that it gets, and
    has to wait for the lock if other threads are busy. Larger pieces than `_SIP` are therefore much faster.
    """

    most = _DRAUGHT
    _BLOCKS = 4

    def __init__(self, maker: zstandard.ZstdDecompressor) -> None:
        self._machine = maker.decompressobj()
        self._held = b""
        # The bytes before the next header, and what this header is.
        self._left = 0
        self._next = "frame"
        self._checked = False

    @property
    def rest(self) -> bytes:
        """The bytes after the end of the stream."""
        return super().rest + self._held

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._held += data
        while self._held and not self.ended and (size := self._few_blocks()):
            piece, self._held = self._held[:size], self._held[size:]
            yield self._machine.decompress(piece)

    def _few_blocks(self) -> int:
        """The number of bytes that may be given to the library; 0 if a header is not there as a whole."""
        held, at = self._held, 0
        for _ in range(self._BLOCKS):
            step = min(self._left, len(held) - at)
            at += step
            self._left -= step
            if at == len(held) or not (size := self._header(held[at : at + _LONGEST_HEADER])):
                break
            at += size
        return at

    def _header(self, head: bytes) -> int:
        """The size of the header that `head` begins with; 0 if the header is not there as a whole. Sets what
        follows the header."""
        if self._next == "frame":
            if not _FRAME.startswith(head[:4]) and not _SKIPPED.startswith(head[1:4]):
                # No frame begins like this. The library says so.
                return len(head)
            if len(head) < 8:
                return 0
            if head[1:4] == _SKIPPED:
                # A frame that holds no text. The library stops at its end.
                self._left, self._next = int.from_bytes(head[4:8], "little"), "end"
                return 8
            single, length = head[4] >> 5 & 1, head[4] >> 6
            size = 5 + (not single) + (0, 1, 2, 4)[head[4] & 3] + (single, 2, 4, 8)[length]
            if len(head) < size:
                return 0
            self._checked = bool(head[4] & 4)
            self._next = "block"
            return size
        if self._next == "block":
            if len(head) < 3:
                return 0
            word = int.from_bytes(head[:3], "little")
            # A block of one repeated byte has this byte alone.
            self._left = 1 if word >> 1 & 3 == 1 else word >> 3
            if word & 1:
                self._left += 4 * self._checked
                self._next = "end"
            return 3
        # What stands behind the frame is not read.
        return len(head)


class _ZippedLzma:
    """LZMA in zip files: version, length of the properties, properties, stream."""

    def __init__(self) -> None:
        self._head = b""
        self._machine = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=2 * _WINDOW)

    def feed(self, data: bytes) -> Iterator[bytes]:
        if len(self._head) < _LZMA_HEAD:
            self._head += data
            if len(self._head) < _LZMA_HEAD:
                return
            # The library expects the properties first, then the length of the text (here: unknown).
            data = self._head[4:_LZMA_HEAD] + b"\xff" * 8 + self._head[_LZMA_HEAD:]
        while not self._machine.eof:
            yield self._machine.decompress(data, _PIECE)
            data = b""
            if self._machine.needs_input:
                return


class _Stored:
    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data


def _read(source: BinaryIO, size: int) -> Iterator[bytes]:
    while block := source.read(size):
        yield block


def _in_utf8(text: Iterator[bytes], damage: list[str]) -> Iterator[bytes]:
    """The text, converted to UTF-8 if it begins with the mark of UTF-16 or UTF-32. Two kinds of text after
    the mark cannot be read: text in another encoding, and text after a missing byte. Both faults are noted in
    `damage`."""
    head = b""
    for block in text:
        head += block
        if len(head) >= len(codecs.BOM_UTF32):
            break
        # A long stretch of the file may hold no text. The empty block lets the caller check whether it was
        # cancelled.
        yield b""
    if not head.startswith(decoding.WIDE_MARKS):
        yield head
        yield from text
        return
    # UTF-32 is tested first, because its mark may begin with the mark of UTF-16.
    longer = head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE))
    encoding = "utf-32" if longer else "utf-16"
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    said = False
    for block in itertools.chain([head], text):
        decoded = decoder.decode(block)
        # Most 32-bit numbers are no characters, so damaged UTF-32 nearly always has a number that is no
        # character.
        torn = "\ufffd" in decoded if longer else _OUT_OF_STEP.search(decoded)
        if not said and (torn or _ONE_BYTE_TEXT.search(block)):
            damage.append(f"a part of it is not the {encoding.upper()} that it begins with")
            said = True
        yield decoded.encode("utf-8", "replace")
    rest = decoder.decode(b"", True)
    if rest and not said:
        damage.append("it ends within a character")
    yield rest.encode("utf-8", "replace")


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces joined into blocks that are worth writing, or empty blocks for long stretches without text.
    After a fault, the text before the fault is returned first."""
    waiting: list[bytes] = []
    size = 0
    try:
        for piece in pieces:
            waiting.append(piece)
            size += len(piece)
            if size >= _BLOCK or len(waiting) >= _PIECES:
                yield b"".join(waiting)
                waiting, size = [], 0
    except DamagedError:
        yield b"".join(waiting)
        raise
    yield b"".join(waiting)


def _streams(packed: Iterator[bytes], make: Callable[[], _Stream], padded: bool) -> Iterator[bytes]:
    """The text of all streams of a file, one after another. Zeros after the last stream are ignored if the
    file may be `padded`. Raises `DamagedError`."""
    machine: _Stream | None = None
    # The first pieces are small, because a file may consist of millions of streams.
    done, size = 0, _SIP
    for block in packed:
        at = 0
        while at < len(block):
            if machine is None:
                # The rest of the block is checked only if its first byte may be padding. A check after each
                # of millions of streams would take too long.
                if padded and not block[at] and not block[at:].strip(b"\0"):
                    # The padding may be long. The empty block lets the caller check whether it was cancelled.
                    yield b""
                    break
                machine, size = make(), _SIP
            sip = block[at : at + size]
            size = min(2 * size, machine.most)
            try:
                yield from machine.feed(sip)
            except _FAULTS as fault:
                raise DamagedError(_described(fault, done + at)) from fault
            at += len(sip)
            if machine.ended:
                at -= len(machine.rest)
                machine = None
        done += len(block)
    if machine is not None:
        raise DamagedError("it is cut off")


def _described(fault: Exception, at: int) -> str:
    """What a library's error says about a damaged file, in the program's words."""
    said = str(fault).lower()
    if "memory" in said:
        return f"it was packed with a window of more than {_WINDOW >> 20} MB; pack it again without that"
    if "check" in said or "crc" in said:
        return f"a checksum is wrong at byte {at:,}"
    return f"its bytes are wrong from byte {at:,} on"


def _members(path: Path, source: BinaryIO, damage: list[str]) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(source) as archive:
            names = sorted(
                (info for info in archive.infolist() if _is_game_file(info)), key=lambda info: info.filename
            )
    except (zipfile.BadZipFile, ValueError, EOFError, struct.error):
        damage.append("its list of files, which stands at the end, is missing or damaged")
        return
    if not names:
        raise errors.SourceError(f"{path.name} holds no .pgn file.")
    for info in names:
        if info.flag_bits & 1:
            raise errors.SourceError(f"{path.name} is protected by a password.")
        if info.compress_type not in _ZIPPED:
            raise errors.SourceError(
                f"{path.name} uses a compression method that cannot be read ({info.filename})."
            )
        try:
            yield from _in_utf8(_unpacked(_gathered(_member(source, info))), damage)
        except DamagedError as fault:
            damage.append(f"in {info.filename} {fault}")
        # A member without a final newline must not run into the first tag of the next member.
        yield b"\n\n"


def _unpacked(text: Iterator[bytes]) -> Iterator[bytes]:
    """The text unchanged. Raises `DamagedError` if the text is itself a packed file."""
    begun = False
    for block in text:
        if block and not begun:
            begun = True
            if block.startswith((b"\x1f\x8b", b"BZh", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")) or tarred.is_tar(
                block
            ):
                raise DamagedError("the text is packed once more")
        yield block


def _member(source: BinaryIO, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The text of a file in a zip. Raises `DamagedError`."""
    machine = _ZIPPED[info.compress_type]()
    source.seek(info.header_offset)
    head = source.read(30)
    if len(head) < 30 or not head.startswith(b"PK\x03\x04"):
        raise DamagedError("its beginning is missing or damaged")
    # The name and the extra field may have other lengths in the directory of the zip than in the file's own
    # header. The lengths are therefore read from this header.
    source.seek(sum(struct.unpack("<HH", head[26:])), 1)
    left, size, check = info.compress_size, 0, 0
    while left:
        sip = source.read(min(_SIP, left))
        if not sip:
            raise DamagedError("the text is cut off")
        try:
            for piece in machine.feed(sip):
                size += len(piece)
                check = zlib.crc32(piece, check)
                yield piece
        except _FAULTS as fault:
            raise DamagedError(_described(fault, info.compress_size - left)) from fault
        left -= len(sip)
    if size < info.file_size:
        raise DamagedError("the text is cut off")
    if check != info.CRC:
        raise DamagedError("the text's checksum is wrong")


def _is_game_file(info: zipfile.ZipInfo) -> bool:
    mode = info.external_attr >> 16
    regular = stat.S_IFMT(mode) in (0, stat.S_IFREG)
    # The macOS Finder adds a resource fork for each file. The path of this fork begins with __MACOSX and has
    # the same ending as the file.
    forked = info.filename.startswith("__MACOSX/")
    return not info.is_dir() and regular and not forked and info.filename.lower().endswith(".pgn")
