"""The machine code of queries. It is kept on disk, because many a query is asked again: a program that counts
and then exports runs twice."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from typing import Final

from cqlgui.base import ahead, errors
from cqlgui.jit import emitter, native

_FOLDER: Final = "queries"
_MOST: Final = 600
"""Number of files that are kept. A query has one to four."""


def code(
    assembly: emitter.Assembly,
    inside: Callable[[], native.Inside] | None = None,
    key: Sequence[str] = (),
) -> native.Code:
    """The code of an assembly without optimisation, from disk if an earlier call has stored it. `inside` and
    `key` belong together: `inside` is that of `native.Code`, and `key` tells which one it is. Raises
    `ValueError` if the assembly is wrong."""
    whole = [assembly.text, *key]
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
        try:
            path = native.place(name, _FOLDER)
        except errors.CqlguiError:
            return made
        # The search does not wait for the disk.
        ahead.Ahead(
            functools.partial(
                native.store, name, whole, False, made.compiled, path=path, most=_MOST, synced=False
            )
        )
    return made


def has(assembly: emitter.Assembly, key: Sequence[str] = ()) -> bool:
    """Whether `code` would find the code on disk, unless it is damaged."""
    try:
        return native.place(_name([assembly.text, *key]), _FOLDER).is_file()
    except errors.CqlguiError:
        return False


def _name(whole: Sequence[str]) -> str:
    return hashlib.blake2b("\0".join(whole).encode(), digest_size=16).hexdigest()
