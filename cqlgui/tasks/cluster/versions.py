"""Which program this is, for the comparison with the programs of other computers."""

from __future__ import annotations

import functools
import hashlib
import platform
from pathlib import Path

import cqlgui


@functools.cache
def own() -> str:
    """The version of this program, and a digest of all its source files. Two programs with the same text find
    the same hits. Processors and operating systems may differ."""
    digest = hashlib.blake2b(digest_size=6)
    folder = Path(cqlgui.__file__).parent
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).as_posix()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{cqlgui.__version__}-{digest.hexdigest()}"


def here() -> str:
    """The name of this computer."""
    return platform.node() or "a worker"
