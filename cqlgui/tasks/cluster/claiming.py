"""Lets only one publication at a time write into a place.

In a local folder the file `MARKER` is locked. The lock ends with its process, however that ends. An address,
and a file system without locks, have only the file, with a time that its owner renews. If the owner was
killed, others wait until that time is `_STALE_SECONDS` old.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cqlgui.base import errors
from cqlgui.base.files import disk
from cqlgui.store import places
from cqlgui.tasks.cluster import versions

MARKER: Final = "_publishing"
_STALE_SECONDS: Final = 600.0
_RENEW_SECONDS: Final = 60.0
_SETTLE_SECONDS: Final = 0.5
"""Of two programs that write the marker at the same time, the second one is seen after so long."""


class Claim:
    """The right to publish in a place."""

    def insist(self) -> None:
        """Raise `CqlguiError` if another publication has taken the place meanwhile."""


@contextlib.contextmanager
def claimed(target: places.Place) -> Iterator[Claim]:
    """Have a place for one publication. Raises `CqlguiError` if another one is under way there, and
    `errors.SourceError` if the place cannot be written."""
    with contextlib.ExitStack() as stack:
        descriptor = None if places.is_address(target.name) else _locked(target)
        if descriptor is not None:
            stack.callback(_unlock, target, descriptor)
            yield Claim()
            return
        marked = _Marked(target)
        stack.callback(marked.release)
        yield marked


def _taken(target: places.Place, words: dict[str, Any], advice: str) -> errors.CqlguiError:
    who = words.get("who", "another program")
    return errors.CqlguiError(f"A publication into {target.name} is under way, by {who}. {advice}")


def _own(name: str = "") -> bytes:
    words = {"who": f"process {os.getpid()} on {versions.here()}", "name": name, "time": time.time()}
    return json.dumps(words).encode("ascii")


def _words(data: bytes) -> dict[str, Any]:
    """The content of a marker. A marker that cannot be understood belongs to nobody."""
    with contextlib.suppress(ValueError):
        found = json.loads(data)
        if isinstance(found, dict):
            return found
    return {}


def _locked(target: places.Place) -> int | None:
    """The open and locked marker of a folder. None if its file system has no locks."""
    path = Path(target.name) / MARKER
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return disk.claim(path, _own())
    except BlockingIOError as error:
        data = b""
        # Windows lets nobody read what another program has locked.
        with contextlib.suppress(OSError):
            data = path.read_bytes()
        raise _taken(target, _words(data), "Publish again when it has ended.") from error
    except OSError as error:
        raise places.PlaceError(f"{target.name} cannot be used: {error.strerror or error}.") from error


def _unlock(target: places.Place, descriptor: int) -> None:
    path = Path(target.name) / MARKER
    disk.release(path, descriptor)
    # A folder in which nothing was written was made for the marker.
    with contextlib.suppress(OSError):
        path.parent.rmdir()


class _Marked(Claim):
    """A claim by a marker with a time."""

    def __init__(self, target: places.Place) -> None:
        self._target = target
        self._name = uuid.uuid4().hex
        words = self._read()
        age = time.time() - float(words.get("time", 0.0))
        if abs(age) < _STALE_SECONDS:
            raise self._refusal(words)
        target.write(MARKER, _own(self._name))
        time.sleep(_SETTLE_SECONDS)
        self.insist()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="claim a place", daemon=True)
        self._thread.start()

    def insist(self) -> None:
        words = self._read()
        if words.get("name") != self._name:
            raise self._refusal(words)

    def release(self) -> None:
        """Let others publish there."""
        self._ended.set()
        self._thread.join()
        with contextlib.suppress(errors.CqlguiError):
            if self._read().get("name") == self._name:
                self._target.remove(MARKER)

    def _read(self) -> dict[str, Any]:
        try:
            return _words(self._target.read(MARKER))
        except FileNotFoundError:
            return {}

    def _refusal(self, words: dict[str, Any]) -> errors.CqlguiError:
        minutes = _STALE_SECONDS / 60
        return _taken(
            self._target,
            words,
            f"Publish again when it has ended. If it was killed, wait {minutes:.0f} minutes, or remove "
            f"{MARKER} there.",
        )

    def _renew(self) -> None:
        while not self._ended.wait(_RENEW_SECONDS):
            # What is wrong with the place is told by those who write the parts.
            with contextlib.suppress(errors.CqlguiError):
                if self._read().get("name") == self._name:
                    self._target.write(MARKER, _own(self._name))
