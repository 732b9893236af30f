"""What the window remembers from one start to the next. Knows no widget: layouts are opaque texts.

A file that is missing or damaged means the defaults; nothing here raises, because no session is a reason
not to start.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLockFile

from cqlgui.base import errors
from cqlgui.base.data import dataclass, field
from cqlgui.base.files import disk, folders

NAME = "session.json"
LARGEST = 16 << 20
"""Bytes of a session file that is looked at."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """The state of the window. Empty texts and -1 mean "nothing"; `query_seen` is a checksum of what the file
    of the query held when it was opened or saved last; `geometry`, `divider`, `library_split`, `hits_columns`
    and `games_columns` are bytes as base64 text (see `packed`), `layouts` are rows (see `rows_text`): name,
    the layout it is made from, state of the panes, whether their sizes are the user's own."""

    files: tuple[str, ...] = ()
    query: str = ""
    query_path: str = ""
    query_modified: bool = False
    query_seen: str = ""
    hit_row: int = -1
    game: int = 0
    positionid: int = 0
    geometry: str = ""
    layout: str = ""
    layouts: str = ""
    divider: str = ""
    rows: str = ""
    library_split: str = ""
    hits_columns: str = ""
    games_columns: str = ""
    theme: str = "system"
    turned: bool = False
    coordinates: bool = True
    figurines: bool = False
    animated: bool = True
    live: bool = True
    columns: bool = False
    folder: str = ""
    unsaved: tuple[tuple[str, float], ...] = ()
    version: int = field(default=1)


def path() -> Path:
    """Where the session is kept."""
    return folders.config() / NAME


def load() -> Session:
    """The session of the last time; the defaults for all of it, or for a field, that cannot be used."""
    try:
        file = path()
        if file.stat().st_size > LARGEST:
            raise ValueError("it is too long")
        data = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise TypeError("it is no object")
    except FileNotFoundError:
        return Session()
    except (OSError, ValueError, TypeError, RecursionError) as error:
        _log.info("the session cannot be read and starts anew: %s", error)
        return Session()
    usable: dict[str, Any] = {}
    for entry in fields(Session):
        value = data.get(entry.name)
        if entry.name == "files":
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                usable["files"] = tuple(value)
        elif entry.name == "unsaved":
            usable["unsaved"] = _unsaved(value)
        elif type(value) is type(entry.default):
            usable[entry.name] = value
    return replace(Session(), **usable)


def with_unsaved(
    kept: tuple[tuple[str, float], ...], text: str, when: float
) -> tuple[tuple[str, float], ...]:
    """The texts that were left unsaved, newest first, and when, with one more; the oldest go."""
    found, letters = [(text, when)], 0
    for other in kept:
        letters += len(other[0])
        if other[0] != text and len(found) < _MOST_UNSAVED and letters <= _UNSAVED_LETTERS:
            found.append(other)
    return tuple(found)


_MOST_UNSAVED, _UNSAVED_LETTERS = 10, 1 << 20


def _unsaved(value: object) -> tuple[tuple[str, float], ...]:
    if not isinstance(value, list):
        return ()
    return tuple(
        (item[0], float(item[1]))
        for item in value
        if isinstance(item, list)
        and len(item) == 2
        and isinstance(item[0], str)
        and isinstance(item[1], (int, float))
        and 0 <= item[1] < 1 << 36
    )


def beside_another(session: Session, begun_with: Session, when: float) -> Session:
    """A session with the texts that another window left unsaved since this one began with `begun_with`: the
    last window that closes writes the file."""
    other = load()
    if other == begun_with:
        return session
    merged = {**dict(other.unsaved), **dict(session.unsaved)}
    unsaved: tuple[tuple[str, float], ...] = ()
    for text, left in sorted(merged.items(), key=lambda one: one[1]):
        unsaved = with_unsaved(unsaved, text, left)
    if other.query_modified and other.query.strip() and other.query != session.query:
        unsaved = with_unsaved(unsaved, other.query, when)
    return replace(session, unsaved=unsaved)


def save_last(session: Session, begun_with: Session, when: float) -> bool:
    """Write the session of a window that closes, with what others that closed meanwhile left unsaved; False
    when it could not be written."""
    try:
        lock = QLockFile(f"{path()}.lock")
    except errors.CqlguiError as error:
        _log.info("the session cannot be written: %s", error)
        return False
    # A window that hangs while it closes is not waited for. Qt's own wait looks less and less often, so that
    # of many windows one could go without its turn.
    until = time.monotonic() + _PATIENCE
    while not lock.tryLock(0) and time.monotonic() < until:
        time.sleep(_TURN)
    try:
        return save(beside_another(session, begun_with, when))
    finally:
        lock.unlock()


_PATIENCE, _TURN = 10.0, 0.01  # seconds


def save(session: Session) -> bool:
    """Write the session, whole or not at all; False when it could not be written."""
    try:
        file = path()
        disk.sweep(file.parent)
        text = json.dumps(asdict(session), ensure_ascii=True, indent=1) + "\n"
        if len(text) > LARGEST:
            raise OSError("it is too long to be read again")
        disk.replace_file(file, text.encode("ascii"))
    except (OSError, errors.CqlguiError) as error:
        _log.info("the session cannot be written: %s", error)
        return False
    return True


def packed(data: bytes) -> str:
    """Bytes as a field of a session holds them."""
    return base64.b64encode(data).decode("ascii")


def unpacked(text: str) -> bytes:
    """The bytes of a field; none for a damaged one."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def rows_text(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows of texts as a field of a session holds them."""
    return json.dumps(rows)


def rows_of(text: str, length: int) -> list[tuple[str, ...]]:
    """The rows of a field that have this length; none for a damaged one."""
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return []
    if not isinstance(found, list):
        return []
    return [
        tuple(row)
        for row in found
        if isinstance(row, list) and len(row) == length and all(isinstance(part, str) for part in row)
    ]
