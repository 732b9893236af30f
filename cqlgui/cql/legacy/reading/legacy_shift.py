"""The transforms of old scripts, applied to square sets.

Flips work as in CQL 6; shifts work differently. A shift of CQL 6 moves a set of squares, but complete ranks
and files stay in place. Under the old rule, a shift by one file to the right moves every square one file to
the right. Squares on the h-file are dropped. Squares on the a-file are moved, and they also stay in the set.
A shift to the right therefore changes "on the a-file" into "on the a-file or farther to the right". The
shifts of a list are added up to a single vector (dx, dy). A list is therefore never shifted in one direction
and afterwards in the opposite direction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from cqlgui.cql.transforming import geometry

SquareMap = Callable[[int], int]

_FILE_A: Final = 0x0101010101010101
_FILE_H: Final = _FILE_A << 7
_RANK_1: Final = 0xFF
_RANK_8: Final = _RANK_1 << 56

DISTANCES: Final = (*range(8), *range(-1, -8, -1))
"""The distances of shifts. The distances are tried in this order."""

VECTORS: Final[dict[str, tuple[tuple[int, int], ...]]] = {
    ":shift": tuple((dx, dy) for dx in DISTANCES for dy in DISTANCES),
    ":shifthorizontal": tuple((dx, 0) for dx in DISTANCES),
    ":shiftvertical": tuple((0, dy) for dy in DISTANCES),
    ":shiftmaindiagonal": tuple((k, k) for k in DISTANCES),
    ":shiftoffdiagonal": tuple((k, -k) for k in DISTANCES),
    ":shiftdiagonal": (*((k, k) for k in DISTANCES), *((k, -k) for k in DISTANCES if k)),
}
"""The shifts (files to the right, ranks up) of each keyword."""

FLIPS: Final = (
    ":flip",
    ":flipdihedral",
    ":flipvertical",
    ":fliphorizontal",
    ":flipdiagonal",
    ":flipoffdiagonal",
)


@lru_cache(maxsize=1 << 14)
def shifted(squares: int, right: int, up: int) -> int:
    """A square set shifted by the old rule."""
    for _ in range(abs(right)):
        if right > 0:
            squares = (squares & ~_FILE_H) << 1 | squares & _FILE_A
        else:
            squares = (squares & ~_FILE_A) >> 1 | squares & _FILE_H
    for _ in range(abs(up)):
        if up > 0:
            squares = (squares & ~_RANK_8) << 8 | squares & _RANK_1
        else:
            squares = squares >> 8 | squares & _RANK_8
    return squares


def shift_of(right: int, up: int, *, old: bool) -> SquareMap:
    """A function that shifts a square set. If `old` is True, the function follows the old rule. If `old` is
    False, the function follows the rule of CQL 6."""
    if old:
        return lambda squares: shifted(squares, right, up)
    basic = geometry.Basic(right=right, up=up)
    return lambda squares: geometry.map_squares(basic, squares)


@lru_cache(maxsize=256)
def vectors_of(words: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """All shifts that the shift keywords of a list allow together, without repetition."""
    found: dict[tuple[int, int], None] = {(0, 0): None}
    for word in words:
        found = dict.fromkeys(
            (dx + x, dy + y)
            for dx, dy in found
            for x, y in VECTORS[word]
            if abs(dx + x) < 8 and abs(dy + y) < 8
        )
    order = {distance: place for place, distance in enumerate(DISTANCES)}
    return tuple(sorted(found, key=lambda vector: (order[vector[0]], order[vector[1]])))


def keyword_of(words: Iterable[str]) -> str:
    """The CQL 6 keyword that is equivalent to all shift keywords together; empty if there is no such
    keyword."""
    found = set(words)
    if ":shift" in found or {":shifthorizontal", ":shiftvertical"} <= found:
        return "shift"
    return next(iter(found))[1:] if found in ({":shifthorizontal"}, {":shiftvertical"}) else ""


def symmetry(name: str) -> SquareMap:
    """A function that flips a square set. `name` is a name in `geometry.SYMMETRIES`; the empty name is the
    identity."""
    basic = geometry.Basic(name, symmetry=geometry.SYMMETRIES.index(name))
    return lambda squares: geometry.map_squares(basic, squares)


def expanded_flips(words: Iterable[str]) -> tuple[str, ...]:
    """The identity, and after it the flips that have no keyword in CQL 6. The result holds names for
    `symmetry`."""
    found = set(words)
    if found & {":flip", ":flipdihedral"}:
        return ("",)
    diagonal, off = ":flipdiagonal" in found, ":flipoffdiagonal" in found
    if diagonal and off:
        return ("", "reflect_a1h8", "reflect_a8h1", "rotate180")
    return ("", *(["reflect_a1h8"] if diagonal else []), *(["reflect_a8h1"] if off else []))


def flip_keywords(words: Iterable[str]) -> tuple[str, ...]:
    """The CQL 6 keywords for the flips in `words`, outermost first. Flips without a keyword in CQL 6 are left
    out."""
    found = set(words)
    if found & {":flip", ":flipdihedral"}:
        return ("flip",)
    return tuple(word for word in ("flipvertical", "fliphorizontal") if f":{word}" in found)


def order_matters(words: Iterable[str]) -> bool:
    """Whether the result depends on the order of the transforms. In this case, the single order of CQL 6
    gives only some of the lists that the old dialect tries."""
    found = set(words)
    straight = found & {":flipvertical", ":fliphorizontal"}
    slanted = found & {":flipdiagonal", ":flipoffdiagonal"}
    every = bool(found & {":flip", ":flipdihedral"})
    one_way = keyword_of(found & VECTORS.keys()) in ("shifthorizontal", "shiftvertical")
    slant_shifts = found & {":shiftmaindiagonal", ":shiftoffdiagonal", ":shiftdiagonal"}
    one_slant = len(slant_shifts) == 1 and ":shiftdiagonal" not in slant_shifts
    whole = keyword_of(found & VECTORS.keys()) == "shift"
    if not every and len(straight) == 1 and len(slanted) == 1:
        return True
    if one_way and (every or slanted):
        return True
    return not whole and one_slant and bool(every or straight)


def mirrored(squares: int) -> int:
    """The set mirrored from top to bottom, as in a colour flip."""
    return int.from_bytes(squares.to_bytes(8, "little"), "big")


def all_flips(words: Iterable[str]) -> tuple[str, ...]:
    """All symmetries generated by the flips of a list, identity first, as names for `symmetry`."""
    found = set(words)
    if found & {":flip", ":flipdihedral"}:
        return geometry.SYMMETRIES
    groups = [("", name) for word, name in _SYMMETRY_OF.items() if word in found]
    reached = {""}
    for _ in groups:
        reached |= {_composed(name, other) for name in reached for group in groups for other in group}
    return tuple(name for name in geometry.SYMMETRIES if name in reached)


_SYMMETRY_OF: Final = {
    ":flipvertical": "reflect_v",
    ":fliphorizontal": "reflect_h",
    ":flipdiagonal": "reflect_a1h8",
    ":flipoffdiagonal": "reflect_a8h1",
}
# The squares b1 and a2. Each of the eight symmetries gives a different pair of images of these two squares.
_PROBES: Final = (1 << 1, 1 << 8)


@lru_cache(maxsize=64)
def _composed(outer: str, inner: str) -> str:
    images = [symmetry(outer)(symmetry(inner)(probe)) for probe in _PROBES]
    return next(
        name for name in geometry.SYMMETRIES if [symmetry(name)(probe) for probe in _PROBES] == images
    )
