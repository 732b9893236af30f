"""Keeps the machine code of queries on disk, because many a query is asked again: a script that counts and
then exports asks twice."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Final

from cqlgui.base import ahead, errors
from cqlgui.jit import emitter, native

_FOLDER: Final = "queries"
_MOST: Final = 600
"""The number of files that are kept, about. A query has one to four."""


def code(
    assembly: emitter.Assembly,
    inside: Callable[[], native.Inside] | None = None,
    key: Sequence[str] = (),
) -> native.Code:
    """The code of an assembly without optimisation, from disk if an earlier call has stored it. `inside` and
    `key` belong together: `inside` is that of `native.Code`, and `key` tells which one it is. Raises
    `ValueError` if the assembly is wrong."""
    whole = _whole(assembly, key)
    name = _name(whole)
    compiled = native.stored(name, whole, False, _FOLDER)
    made = native.Code(
        assembly.text,
        compiled,
        optimise=False,
        inside=inside() if inside is not None and compiled is None else None,
        places=assembly.places,
    )
    if compiled is None:
        # A disk that refuses does no harm.
        with contextlib.suppress(OSError, errors.CqlguiError):
            put = native.prepared(name, whole, False, made.compiled, _FOLDER, _MOST, synced=False)
            # The search does not wait for the disk.
            ahead.Ahead(put)
    return made


def has(assembly: emitter.Assembly, key: Sequence[str] = ()) -> bool:
    """Whether `code` would find the code on disk, unless it is damaged."""
    with contextlib.suppress(OSError, errors.CqlguiError):
        return native.place(_name(_whole(assembly, key)), _FOLDER).is_file()
    return False


def _whole(assembly: emitter.Assembly, key: Sequence[str]) -> list[str]:
    """What the code depends on."""
    return [assembly.text, source(native), *key]


@functools.cache
def source(module: types.ModuleType) -> str:
    """The source text of a module."""
    return inspect.getsource(module)


def _name(whole: Sequence[str]) -> str:
    return hashlib.blake2b("\0".join(whole).encode(), digest_size=16).hexdigest()
