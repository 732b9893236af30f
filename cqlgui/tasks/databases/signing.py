"""Makes the signatures of segments, and keeps them in files beside the segments.

An import makes the signatures of large segments as soon as these are committed, and soon compares both files
with their checksums. Otherwise the first search of a base with millions of games would take twenty times
as long as the second one. The signatures of other segments are made when a search needs them.
"""

from __future__ import annotations

import collections
import contextlib
import math
import time
from concurrent import futures
from pathlib import Path
from typing import Final

import numpy as np

from cqlgui.base import errors, priority, progress
from cqlgui.base.files import soundness
from cqlgui.engine.pruning import signatures
from cqlgui.engine.replaying import games
from cqlgui.jit import native
from cqlgui.store import segments, side_files

_MOST_PLAIN: Final = 20_000
"""Without machine code, signatures are made only for a segment with at most this number of positions."""
_LOOK_SECONDS: Final = 0.1


def of_segment(segment: segments.Segment) -> signatures.Signatures:
    """The signatures of a segment, read from their file or made now. Without machine code, nothing is known
    of a large segment."""
    return _read(segment) or _made(segment)


def sign(segment: segments.Segment) -> None:
    """Make the file with a segment's signatures, if there is none."""
    if _read(segment) is None:
        _made(segment)


def _read(segment: segments.Segment) -> signatures.Signatures | None:
    data = side_files.read(segment, signatures.VERSION)
    return None if data is None else signatures.Signatures.unpacked(data, segment.games)


def _made(segment: segments.Segment) -> signatures.Signatures:
    if not native.available() and _positions(segment) > _MOST_PLAIN:
        return signatures.unknown(segment.games)
    asked = games.of_segment(segment)
    found = signatures.make(asked)
    side_files.write(segment, signatures.VERSION, found.packed())
    return found


def _positions(segment: segments.Segment) -> int:
    return segment.games + int(games.lengths(segment, variations=True).sum(dtype=np.int64))


class Signer:
    """Signs segments in a thread of its own, while others are still being written. When a segment is older
    than `soundness.YOUNG`, it compares the segment and its signatures with their checksums, and notes that
    they are sound. The last segments are younger, so the first search compares them. Without machine code it
    does nothing."""

    def __init__(self) -> None:
        self._thread = futures.ThreadPoolExecutor(1, "signer")
        self._left: list[futures.Future[None]] = []
        self._signed: collections.deque[Path] = collections.deque()
        self._ledgers: dict[Path, soundness.Ledger] = {}

    def add(self, path: Path) -> None:
        """Sign the segment in this file soon."""
        if native.available():
            self._left.append(self._thread.submit(self._work, path))

    def finish(self, cancel: progress.CancelToken, report: progress.ProgressSink) -> None:
        """Wait until all segments are signed, or until `cancel` is cancelled."""
        for done, one in enumerate(self._left):
            while not one.done():
                report(progress.Progress(done, len(self._left), "Preparing searches"))
                if cancel.wait(_LOOK_SECONDS):
                    return
            # Only a bug raises an error here.
            one.result()

    def close(self) -> None:
        """Sign no more segments. Write down which files are sound."""
        self._thread.shutdown(cancel_futures=True)
        for ledger in self._ledgers.values():
            ledger.write()

    def _work(self, path: Path) -> None:
        # If a file has gone or is damaged, the next search says so.
        with contextlib.suppress(errors.CqlguiError, OSError):
            with self._opened(path) as segment:
                sign(segment)
            self._signed.append(path)
        # The ledger takes no young files.
        while self._signed and _age(self._signed[0]) > soundness.YOUNG:
            done = self._signed.popleft()
            with contextlib.suppress(errors.CqlguiError, OSError), self._opened(done) as segment:
                segment.prove()
                _read(segment)

    def _opened(self, path: Path) -> contextlib.closing[segments.Segment]:
        priority.pause()
        ledger = self._ledgers.get(path.parent)
        if ledger is None:
            ledger = self._ledgers[path.parent] = soundness.Ledger(path.with_name(segments.NOTE))
        return contextlib.closing(segments.Segment(path, ledger))


def _age(segment: Path) -> float:
    """The seconds since the signatures of a segment were written; infinite if there are none."""
    found = soundness.Checked.of([side_files.path_of(segment)])
    return math.inf if found is None else time.time() - found.youngest
