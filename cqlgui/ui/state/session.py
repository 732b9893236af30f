"""What the window remembers from one start to the next. This module does not use widgets; layouts are opaque
texts.

If the file is missing or damaged, the defaults are used. No function here raises an error, because a bad
session must not prevent the start.
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
"""Maximum size of a session file in bytes; a larger file is not read."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """The state of the window. Empty texts and -1 mean "nothing".

    `query_seen` is a checksum of the query's file, made when the file was last opened or saved. `geometry`,
    `divider`, `library_split`, `hits_columns` and `games_columns` are bytes as base64 text (see `packed`).
    `layouts` are rows (see `rows_text`). A row has four texts: a layout's name, the name of its base layout,
    the state of the panes, and "dragged" or an empty text. "dragged" says that the user chose the sizes of
    the panes. `cluster` is the address of the scheduler that the user named last. `studies` are rows of one
    text, the path of a study that was opened lately. `unsaved` has texts and the times when they were left
    unsaved.
    """

    files: tuple[str, ...] = ()
    query: str = ""
    query_path: str = ""
    query_modified: bool = False
    query_seen: str = ""
    hit_game: int = 0
    hit_place: int = 0
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
    cluster: str = ""
    studies: str = ""
    unsaved: tuple[tuple[str, float], ...] = ()
    version: int = field(default=1)


def path() -> Path:
    """Path of the session file."""
    return folders.config() / NAME


def load() -> Session:
    """The session of the last start. A field that cannot be used gets its default. If the file cannot be
    used, all fields get their defaults."""
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
    """The unsaved texts and their times, newest first, with `text` added. The oldest texts are dropped."""
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
    """The session `session`, with the unsaved texts that other windows have put into the session file. When
    this window was opened, it read the session `begun_with` from the file. If the texts of the other windows
    were not added, this window would overwrite them.
    """
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
    """Write the session of a window that is being closed. `beside_another` adds the unsaved texts of other
    windows. Returns False if the session could not be written.
    """
    try:
        lock = QLockFile(f"{path()}.lock")
    except errors.CqlguiError as error:
        _log.info("the session cannot be written: %s", error)
        return False
    # Another window may hang while it has the lock, so the wait for the lock is limited. Qt's own wait is not
    # used, because Qt tries less and less often. If many windows were closed together, one of them might
    # never get the lock.
    until = time.monotonic() + _PATIENCE
    while not lock.tryLock(0) and time.monotonic() < until:
        time.sleep(_TURN)
    try:
        return save(beside_another(session, begun_with, when))
    finally:
        lock.unlock()


_PATIENCE, _TURN = 10.0, 0.01  # seconds


def save(session: Session) -> bool:
    """Write the session, whole or not at all. Returns False if the session could not be written."""
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
    """Bytes as base64 text, for a field of a session."""
    return base64.b64encode(data).decode("ascii")


def unpacked(text: str) -> bytes:
    """The bytes of a field that `packed` made; empty if the field is damaged."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def rows_text(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows of texts as JSON, for a field of a session."""
    return json.dumps(rows)


def rows_of(text: str, length: int) -> list[tuple[str, ...]]:
    """The rows in a field. Rows without exactly `length` texts are left out. If the field is damaged, there
    are no rows."""
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
