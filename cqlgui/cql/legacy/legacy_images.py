"""Applies the transforms of old scripts where CQL 6 has no equivalent keyword. The result is called an image.

A transform maps the square set of every designator in a list and in its nested lists. A nested list may have
transforms of its own. Such a nested list is first replaced by its images, which are joined with `or`. After
this step, the transform of the outer list maps each of these images.
"""

from __future__ import annotations

from typing import Any, Final

from cqlgui.base import data
from cqlgui.base.data import dataclass
from cqlgui.cql.legacy.reading import legacy_designators, legacy_nodes, legacy_shift

Terms = tuple[legacy_nodes.Term, ...]

# The cost of each image of a nested list, in parts of the budget. An empty list has this cost too.
_CHOICE_COST: Final = 5


class TooLarge(Exception):  # noqa: N818  # told to the user as a warning, not an error
    """There are too many images to write out, or the images cannot be written out at all."""


@dataclass(slots=True)
class Budget:
    """A limit on the work. `left` is the number of parts that may still be mapped. `lent` is the initial
    value of `left` in a budget for one list."""

    left: int
    lent: int = 0

    def part(self, most: int) -> Budget:
        """A budget for one list: `most` parts, or all remaining parts if fewer remain."""
        size = max(0, min(most, self.left))
        return Budget(size, size)

    def charge(self, part: Budget) -> None:
        """Subtract the work that was done for one list. The argument `part` is the budget of this list, and
        comes from the method `part`."""
        self.left -= part.lent - max(part.left, 0)

    def spend(self, parts: int = 1) -> None:
        """Count mapped parts; raises `TooLarge` if the budget is exceeded."""
        self.left -= parts
        if self.left < 0:
            raise TooLarge


@dataclass(frozen=True, slots=True)
class Map:
    """The function `squares` maps square sets. The other fields describe this function.

    `cql6` is True if `squares` is a shift by the rule of CQL 6. `swaps_shades` is True if the shift exchanges
    light and dark squares. If `cql6` is False, a designator with a shade is mapped as a plain set of squares.
    """

    squares: legacy_shift.SquareMap
    cql6: bool = False
    swaps_shades: bool = False

    def under_colours(self) -> Map:
        """A map for terms whose colours are exchanged later. To apply this map and then exchange the colours
        gives the same result as to exchange the colours and then apply `self`."""
        mirrored = legacy_shift.mirrored
        return Map(lambda squares: mirrored(self.squares(mirrored(squares))), self.cql6, self.swaps_shades)


@dataclass(slots=True)
class Image:
    """The mapped terms; `emptied` is True if a designator lost all of its squares."""

    terms: Terms
    emptied: bool = False


def shift(terms: Terms, vector: tuple[int, int], budget: Budget, *, old: bool) -> Image:
    """The terms shifted by `vector` (files to the right, ranks up). If `old` is True, the shift follows the
    old rule. If `old` is False, the shift follows the rule of CQL 6."""
    right, up = vector
    swaps = bool((right + up) & 1)
    return _Mapper(budget).image(terms, Map(legacy_shift.shift_of(right, up, old=old), not old, swaps))


def flip(terms: Terms, name: str, budget: Budget) -> Terms:
    """The terms under a symmetry of the board. `name` is a name in `geometry.SYMMETRIES`; the empty name is
    the identity."""
    return _Mapper(budget).image(terms, Map(legacy_shift.symmetry(name))).terms if name else terms


class _Mapper:
    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._emptied = False

    def image(self, terms: Terms, way: Map) -> Image:
        self._emptied = False
        mapped = self._terms(terms, way)
        return Image(mapped, self._emptied)

    def _terms(self, terms: Terms, way: Map) -> Terms:
        return tuple(self._node(term, way) for term in terms)

    def _node(self, node: Any, way: Map) -> Any:
        self._budget.spend()
        if isinstance(node, legacy_designators.Designator):
            return self._designator(node, way)
        if isinstance(node, legacy_nodes.PositionList):
            return self._list(node, way)
        if isinstance(node, legacy_nodes.Sum):
            # A sum counts images of the lists of an accumulator. The map does not change these lists, so the
            # image of a sum cannot be written out.
            raise TooLarge
        if isinstance(node, tuple):
            return tuple(self._node(part, way) for part in node)
        if isinstance(node, legacy_nodes.Term) and not isinstance(node, legacy_nodes.Relation):
            values = {f.name: getattr(node, f.name) for f in data.fields(node)}
            return data.replace(node, **{name: self._node(value, way) for name, value in values.items()})
        return node

    def _designator(self, found: legacy_designators.Designator, way: Map) -> legacy_designators.Designator:
        if not way.cql6:
            return data.replace(found, squares=way.squares(found.reached), shade="")
        squares = way.squares(found.squares)
        if found.squares and not squares:
            self._emptied = True
        shade = found.shade
        if shade and way.swaps_shades:
            shade = "dark" if shade == "light" else "light"
        return data.replace(
            found, squares=data.replace(found, squares=squares, shade=shade).reached, shade=""
        )

    def _list(self, node: legacy_nodes.PositionList, way: Map) -> legacy_nodes.PositionList:
        if node.accumulate:
            raise TooLarge
        plain = data.replace(node, colour=False, flips=(), shifts=(), negated=False)
        if not node.is_transformed:
            inner = way.under_colours() if node.swapped else way
            return data.replace(node, terms=self._terms(node.terms, inner))
        choices = []
        for name in legacy_shift.all_flips(node.flips):
            turned = flip(node.terms, name, self._budget)
            for vector in legacy_shift.vectors_of(node.shifts):
                self._budget.spend(_CHOICE_COST)
                moved = self._shifted(turned, vector)
                choices.append(data.replace(plain, terms=self._terms(moved, way)))
                if node.colour:
                    swapped = self._terms(moved, way.under_colours())
                    choices.append(data.replace(plain, terms=swapped, swapped=True))
        group = legacy_nodes.LegacyGroup("or", tuple(choices))
        return legacy_nodes.PositionList(node.span, (group,), negated=node.negated)

    def _shifted(self, terms: Terms, vector: tuple[int, int]) -> Terms:
        if vector == (0, 0):
            return terms
        return _Mapper(self._budget).image(terms, Map(legacy_shift.shift_of(*vector, old=True))).terms
