"""Describes a transform in a chess player's words. The input is CQL's names of the basic transforms
(transforms spec 7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

AS_WRITTEN: Final = "<>"
"""The result of `bracketed` for the identity."""


def in_words(applied: Sequence[str]) -> str:
    """Words for a transform. `applied` lists the names outermost first. The words begin with the innermost
    transform, because this transform acts first.

    `("reflect_h", "right^4 up^4")` gives "shifted 4 right and 4 up, top and bottom mirrored".
    """
    phrases = [phrase for name in reversed(applied) if (phrase := _phrase(name))]
    return ", ".join(phrases) if phrases else "as written"


def undone(transform: str) -> str:
    """Words that describe how to undo a transform, in the order of the steps. The result is empty if there is
    nothing to undo.

    `<invertcolor reflect_h reflect_v>` gives "colours swapped back, mirrored back".
    """
    found: dict[str, None] = {}
    # CQL spells a change of colours as `invertcolor reflect_h`. The reflection is part of the change, so both
    # words count as one.
    for name in transform.strip("<>").replace("invertcolor reflect_h", "invertcolor").split():
        found[next(words for start, words in _BACK.items() if name.startswith(start))] = None
    return ", ".join(found)


def bracketed(applied: Sequence[str]) -> str:
    """CQL's own spelling: the names in angle brackets. The spelling of the identity is `AS_WRITTEN`."""
    return f"<{' '.join(name for name in applied if name)}>"


def _phrase(name: str) -> str:
    if name in _FIXED:
        return _FIXED[name]
    if name.startswith("rotate45^"):
        return f"directions turned {45 * int(name[9:])}° to the left"
    shifts = [part.split("^") for part in name.split()]
    return "shifted " + " and ".join(f"{count} {direction}" for direction, count in shifts) if shifts else ""


_BACK: Final = {
    "invertcolor": "colours swapped back",
    "reflect": "mirrored back",
    "rotate": "turned back",
    "clockwise": "turned back",
    "counterclockwise": "turned back",
    "": "shifted back",
}
_FIXED: Final = {
    "reflect_h": "top and bottom mirrored",
    "reflect_v": "left and right mirrored",
    "reflect_a1h8": "mirrored in the diagonal a1-h8",
    "reflect_a8h1": "mirrored in the diagonal a8-h1",
    "counterclockwise90": "turned 90° to the left",
    "rotate180": "turned by 180°",
    "clockwise90": "turned 90° to the right",
    "invertcolor reflect_h": "colours swapped",
}
