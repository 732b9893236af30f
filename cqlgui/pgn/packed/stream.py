"""The text of a packed source, unpacked while it is read, and kept in small packed frames (`copies`).

Reading continues the unpacking as far as needed, so the first games are there at once. What was unpacked is
kept by `keep`; until then it is in memory. A text that is kept is read from its copy. If a part of the copy
is damaged or missing, the source is unpacked again from its beginning up to this part.
"""

from __future__ import annotations

import collections
import contextlib
import errno
import functools
import os
import threading
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Final

from cqlgui.base import digests, errors, progress
from cqlgui.base.data import dataclass
from cqlgui.base.files import disk
from cqlgui.pgn import texts
from cqlgui.pgn.packed import copies, tarred

# Compression makes real PGN 4 to 20 times smaller. A source that exceeds `_LARGEST_RATIO` and has more than
# `_UNSUSPICIOUS` bytes of text is a decompression bomb.
_LARGEST_RATIO: Final = 400
_UNSUSPICIOUS: Final = 256 << 20
_ROOM_LEFT: Final = 64 << 20
"""Keeping a text leaves this many bytes of the disk free. For a smaller text, it leaves as many bytes free as
the text has."""
_MOST_WAITING: Final = 32 << 20
"""If more bytes of text than this wait in memory, they are kept at once."""
_FRAMES_IN_MEMORY: Final = 12


class PackedText(texts.Text):
    """The text of the packed or UTF-16 file `path`, which `archives.kind_of` has recognised as `kind`.
    `status` is the `stat` of the file. `copy` has what was unpacked before.

    If the copy has nothing yet, the unpacking begins at once. Raises `errors.SourceError` for a file without
    text (`_Unpacking`), and `errors.Cancelled`.
    """

    def __init__(
        self,
        path: Path,
        kind: str,
        status: os.stat_result,
        copy: copies.Copy,
        cancel: progress.CancelToken,
        report: progress.ProgressSink,
    ) -> None:
        super().__init__(path, status)
        self._kind = kind
        self._packed_size = status.st_size
        self._cancel = cancel
        self._report = report
        self._lock = threading.RLock()
        self._keeping = threading.Lock()
        """Whoever wants both locks takes this one first."""
        self._copy = copy
        self._thread = futures.ThreadPoolExecutor(1, "packer")
        self._end = copy.end()
        self.damage = self._end.damage if self._end else ""
        # Text that is unpacked but not kept: frames, and the bytes from `_tail_start` on.
        self._waiting: list[_Waiting] = []
        self._tail = bytearray()
        self._tail_start = 0
        # The texts of the frames used last, by their offsets and sizes.
        self._frames: collections.OrderedDict[tuple[int, int], bytes] = collections.OrderedDict()
        self._unpacking: _Unpacking | None = None
        # The copy has the text between the place of the unpacking and this offset.
        self._known = 0
        try:
            while not self.ended and not self.size:
                self._advance()
        except BaseException:
            self.close()
            raise

    @functools.cached_property
    def _packer(self) -> copies.Packer:
        return copies.Packer()

    @property
    def size(self) -> int:
        """See `texts.Text`."""
        if self._end is not None:
            return self._end.size
        return max(self._copy.reach(0), self._unpacking.at if self._unpacking else 0)

    @property
    def ended(self) -> bool:
        """See `texts.Text`."""
        return self._end is not None

    def digest(self, cancel: progress.CancelToken | None = None) -> str:
        """See `texts.Text`."""
        assert self._end is not None, "the end of the text is not known"
        return self._end.digest

    def share(self, offset: int) -> tuple[int, int]:
        """See `texts.Text`."""
        # The lock keeps another thread from closing the file.
        with self._lock:
            if self._end is not None or self._unpacking is None:
                return offset, max(self.size, offset)
            return min(self._unpacking.place, self._packed_size), self._packed_size

    def keep(self) -> None:
        """See `texts.Text`. Raises `texts.ChangedError` if the source has changed: the copy would be of no
        use."""
        with self._keeping:
            with self._lock:
                self._cut(len(self._tail))
                waiting, end = list(self._waiting), self._end
            if not waiting and (end is None or self._copy.end() == end):
                return
            self._insist_on_the_same()
            try:
                for run in _runs([one.frame() for one in waiting]):
                    self._insist_on_room(sum(len(frame.packed) for frame in run), run[-1].end)
                    self._copy.put(run)
                    with self._lock:
                        self._copy.note(run)
                with self._lock:
                    kept = set(map(id, waiting))
                    self._waiting = [one for one in self._waiting if id(one) not in kept]
                if end is not None and self._copy.end() != end:
                    self._copy.put_end(end)
            except OSError as error:
                raise unkept(self.path, error) from error

    def finish(self) -> None:
        """See `texts.Text`."""
        at = 0
        while True:
            with self._lock:
                at = self._copy.reach(at)
            piece = self._step(at, at + copies.FRAME, said=True)
            if piece == b"":
                break
            at += len(piece or b"")
        self.keep()

    def close(self) -> None:
        """See `texts.Text`. What was unpacked and not kept is kept now, if possible."""
        with contextlib.suppress(errors.SourceError):
            self.keep()
        self._thread.shutdown()
        with self._lock:
            self._stop()
            self._copy.close()

    def again(self, offset: int, length: int) -> bytes:
        """See `texts.Text`."""
        found: list[bytes] = []
        at, end = offset, offset + length
        while at < end:
            piece = self._step(at, end)
            if piece == b"":
                break
            if piece:
                found.append(piece)
                at += len(piece)
        return found[0] if len(found) == 1 else b"".join(found)

    def _step(self, offset: int, end: int, *, said: bool = False) -> bytes | None:
        """Bytes from `offset` to `end` or to the end of a frame; empty only at the end of the text. The
        result is None if the byte at `offset` is not unpacked yet: then the next block was unpacked. `said`
        says whether this is reported."""
        with self._lock:
            place = offset - self._tail_start
            if 0 <= place < len(self._tail):
                return bytes(memoryview(self._tail)[place : place + end - offset])
            found = self._frame(offset)
            if found is not None:
                start, text = found
                return text[offset - start : end - start]
            if self._end is not None and offset >= self._end.size:
                return b""
            self._advance(offset, said=said)
            many = sum(one.size for one in self._waiting) > _MOST_WAITING
        if many:
            self.keep()
        return None

    def _frame(self, offset: int) -> tuple[int, bytes] | None:
        """The frame with byte `offset`: its own offset and its text. None if the byte must be unpacked."""
        for one in self._waiting:
            if one.start <= offset < one.start + one.size:
                return one.start, self._text(one)
        try:
            frame = self._copy.frame(offset)
            return None if frame is None else (frame.start, self._text(frame))
        except copies.DamagedPartError:
            self._copy.drop(offset)
            return None

    def _text(self, frame: _Waiting | copies.Frame) -> bytes:
        """The text of a frame. Raises `copies.DamagedPartError`."""
        key = frame.start, frame.size
        text = self._frames.get(key)
        if text is None:
            text = self._packer.plain(frame.frame() if isinstance(frame, _Waiting) else frame)
            self._remember(key, text)
        else:
            self._frames.move_to_end(key)
        return text

    def _remember(self, key: tuple[int, int], text: bytes) -> None:
        self._frames[key] = text
        if len(self._frames) > _FRAMES_IN_MEMORY:
            self._frames.popitem(last=False)

    def _advance(self, wanted: int = 0, *, said: bool = False) -> None:
        """Unpack the next block. If the byte `wanted` was passed already, the unpacking begins again. Text
        that the copy has is passed over, and this is reported."""
        self._cancel.raise_if_cancelled()
        unpacking = self._unpacking
        if unpacking is None or unpacking.at > wanted:
            unpacking = self._begin()
        before = unpacking.at
        try:
            block = unpacking.next()
        except BaseException as fault:
            # After an error, the generator of the blocks would seem to be at its end.
            self._stop()
            if isinstance(fault, OSError):
                raise unkept(self.path, fault) from fault
            if isinstance(fault, errors.SourceError):
                self._copy.remove()
            raise
        if block is None:
            self._cut(len(self._tail))
            self._end = copies.End(unpacking.at, unpacking.digest.value(), "; ".join(unpacking.damage))
            self.damage = self._end.damage
            return
        if self._known <= before:
            self._known = self._copy.reach(before)
        known = before if self._tail else min(self._known, unpacking.at)
        if said or known > before:
            place = min(unpacking.place, self._packed_size)
            self._report(progress.Progress(place, self._packed_size, f"Unpacking {self.path.name}"))
        if known == unpacking.at:
            return
        if not self._tail:
            self._tail_start = known
        self._tail += memoryview(block)[known - before :]
        while len(self._tail) >= copies.FRAME:
            self._cut(copies.FRAME)

    def _begin(self) -> _Unpacking:
        """Begin the unpacking, or begin it again. What is not kept will be unpacked again."""
        self._stop()
        try:
            self._unpacking = _Unpacking(self.path, self._kind, self._packed_size)
        except OSError as error:
            raise texts.refusal(self.path, error) from error
        return self._unpacking

    def _stop(self) -> None:
        if self._unpacking is not None:
            self._unpacking.close()
            self._unpacking = None
        self._waiting.clear()
        self._tail.clear()
        self._known = 0

    def _cut(self, size: int) -> None:
        """Make a frame of the first bytes of the tail."""
        if size:
            data = bytes(memoryview(self._tail)[:size])
            del self._tail[:size]
            self._waiting.append(
                _Waiting(self._tail_start, size, self._thread.submit(self._packer.packed, data))
            )
            self._remember((self._tail_start, size), data)
            self._tail_start += size

    def _insist_on_the_same(self) -> None:
        if not self.is_intact():
            raise texts.ChangedError(f"{self.path.name} has changed while it was read.")

    def _insist_on_room(self, packed: int, unpacked: int) -> None:
        """Raise `errors.SourceError` if the disk has too little room for `packed` bytes. `unpacked` is the
        number of bytes of text so far."""
        if disk.room(self._copy.folder) < packed + min(unpacked, _ROOM_LEFT):
            raise errors.SourceError(
                f"There is no room left on the disk for the text of {self.path.name}, which has "
                f"{unpacked >> 20} MB or more."
            )


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A frame that a thread packs: the offset of its text, the size of its text, and the packed bytes."""

    start: int
    size: int
    packed: futures.Future[bytes]

    def frame(self) -> copies.Frame:
        return copies.Frame(self.start, self.size, self.packed.result())


class _Unpacking:
    """One pass over a packed source. Raises `OSError` and the errors of `unpacking.blocks`."""

    def __init__(self, path: Path, kind: str, size: int) -> None:
        from cqlgui.pgn.packed import unpacking

        self._path = path
        self._size = size
        self._source = path.open("rb")
        self._holds_text = False
        self.damage: list[str] = []
        self._blocks: Iterator[bytes] = unpacking.blocks(path, kind, self._source, self.damage)
        self.at = 0
        """The number of bytes of text so far."""
        self.digest = digests.Running()

    @property
    def place(self) -> int:
        """The place in the packed file."""
        return self._source.tell()

    def next(self) -> bytes | None:
        """The next block of the text, which may be empty; None at the end. Raises `errors.SourceError` for a
        file that holds no games: a tar archive, a file without any text before its damage, and a file that
        unpacks to far too much text."""
        block = next(self._blocks, None)
        if block is None:
            if self.damage and not self._holds_text:
                raise errors.SourceError(f"{self._path.name} is damaged: {self.damage[0]}.")
            return None
        if not self.at and tarred.is_tar(block):
            raise errors.SourceError(
                f"{self._path.name} holds a tar archive. Unpack it and open the .pgn files in it."
            )
        self.at += len(block)
        if self.at > _UNSUSPICIOUS and self.at > _LARGEST_RATIO * self._size:
            raise errors.SourceError(
                f"{self._path.name} unpacks to more than {_LARGEST_RATIO} times its size, as no collection "
                "of games does. It is not read."
            )
        self._holds_text = self._holds_text or bool(block.strip())
        self.digest.add(block)
        return block

    def close(self) -> None:
        self._source.close()


def unkept(path: Path, error: OSError) -> errors.SourceError:
    """The error for a source that cannot be unpacked, or whose text cannot be kept on the disk."""
    if error.errno == errno.ENOSPC:
        return errors.SourceError(f"There is no room left on the disk to unpack {path.name}.")
    return errors.SourceError(f"{path.name} cannot be unpacked: {error.strerror or error}.")


def _runs(frames: list[copies.Frame]) -> Iterator[list[copies.Frame]]:
    """The frames in lists of frames that follow each other in the text."""
    run: list[copies.Frame] = []
    for frame in frames:
        if run and run[-1].end != frame.start:
            yield run
            run = []
        run.append(frame)
    if run:
        yield run
