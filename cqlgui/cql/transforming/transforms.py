"""Expansion: every transform of a query becomes the orbit of its distinct valid elements (transforms spec 4).

Two filters of one orbit differ only in their *parts* (square sets with men, direction sets, colours, shades,
results, nested orbits). Orbits are computed on tuples of these parts, called signatures. Trees are built only
for the distinct valid elements. A chain of three transforms with 3,600 candidates therefore costs little more
than dictionary look-ups. This module evaluates no filters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any, Final

from cqlgui.base import data, priority
from cqlgui.base.data import dataclass, field
from cqlgui.cql.ast import nodes, nodes_squares, types
from cqlgui.cql.ast.checked import Checked
from cqlgui.cql.printing import printer
from cqlgui.cql.source.diagnostics import Diagnostic, Span
from cqlgui.cql.transforming import geometry, transform_rules, words

MAX_ELEMENTS: Final = 20_000
"""Maximum number of distinct elements of an orbit. For a larger orbit, the error `orbit-too-large` is
reported."""

MAX_CANDIDATES: Final = 500_000
"""Maximum number of candidates examined at one transform of a chain. If there are more candidates, the error
`orbit-too-large` is reported."""

_MAX_LISTED: Final = 4_096
"""If a composed orbit has more candidates than this number, only some dropped candidates are listed. The
listed candidates are images of the inner orbit's elements under the outermost transform."""


@dataclass(frozen=True, slots=True, eq=False)
class Expanded:
    """A query whose transforms have become orbits. `query` is None exactly when `diagnostics` holds an error.
    An object equals only itself, because a comparison of trees could be slow."""

    text: str
    query: nodes.Query | None
    orbits: tuple[OrbitInfo, ...]
    names: types.Names
    diagnostics: tuple[Diagnostic, ...] = ()


def expand(checked: Checked) -> Expanded:
    """Replace every transform of a checked query by its orbit. `orbits` of the result lists the outermost
    orbits in text order.
    """
    if checked.query is None:
        return Expanded(checked.text, None, (), checked.names, tuple(checked.diagnostics))
    try:
        query, orbits = expand_query(checked.query, checked.text)
    except _RefusedError as refusal:
        return Expanded(checked.text, None, (), checked.names, (*checked.diagnostics, refusal.diagnostic))
    return Expanded(checked.text, query, orbits, checked.names, tuple(checked.diagnostics))


def expand_query(query: nodes.Query, text: str = "") -> tuple[nodes.Query, tuple[OrbitInfo, ...]]:
    """Expand a tree for which there is no `Checked` object. Returns the expanded query and its outermost
    orbits."""
    expansion = _Expansion(text)
    body = expansion.build(query.body, (), outermost=True)
    infos = tuple(expansion.infos)
    # Each info refers to the expansion, and the expansion refers to the infos through its list. This cycle of
    # references would keep thousands of elements in memory until the garbage collector runs. Clearing the
    # list removes the cycle.
    expansion.infos.clear()
    return nodes.Query(query.span, query.header, body), infos


def orbit_at(checked: Checked, offset: int) -> OrbitInfo | None:
    """The outermost orbit around an offset of a checked query. No other orbit is expanded. None if there is
    no transform, or if its orbit is refused."""
    query = checked.query
    if query is None:
        return None
    for node in nodes.walk(query.body):
        if isinstance(node, nodes.Transform) and node.span.offset <= offset < node.span.end:
            try:
                _, orbits = expand_query(data.replace(query, body=node), checked.text)
            except _RefusedError:
                return None
            return orbits[0]
    return None


# --- what the orbit listing shows ---------------------------------------------------------------------------


@dataclass(frozen=True)
class ElementInfo:
    """One element of an outermost orbit. `transform` is the transform in CQL's spelling (`<up^3 reflect_v>`).
    `words` is the transform in a chess player's words.

    `squares` is the union of the particular squares that the element's designators name. `lines` holds pairs:
    a square in the query as written, and the image of this square in the element.
    """

    filter: nodes.Node
    applied: tuple[str, ...]
    squares: int
    lines: tuple[tuple[int, int], ...]

    @cached_property
    def text(self) -> str:
        """The element as CQL."""
        return printer.print_node(self.filter)

    @property
    def transform(self) -> str:
        """Names of the basic transforms in angle brackets."""
        return words.bracketed(self.applied)

    @property
    def words(self) -> str:
        """The transform in plain words."""
        return words.in_words(self.applied)


@dataclass(frozen=True, slots=True)
class DroppedInfo:
    """A candidate that is not an element, and the reason in a chess player's words."""

    transform: str
    words: str
    reason: str


@dataclass(frozen=True)
class OrbitInfo:
    """An outermost chain of transforms. `transform` lists the keywords, outermost first; `span` covers the
    whole filter.
    """

    index: int
    transform: str
    span: Span
    elements: tuple[ElementInfo, ...]
    candidates: int
    """The number of candidates, including the dropped candidates."""
    _chain: _Chain = field(repr=False, compare=False)
    _expansion: _Expansion = field(repr=False, compare=False)

    @property
    def invalid(self) -> tuple[DroppedInfo, ...]:
        """Candidates that move a designator off the board."""
        return self._dropped[0]

    @property
    def duplicates(self) -> tuple[DroppedInfo, ...]:
        """Candidates that equal an earlier candidate."""
        return self._dropped[1]

    @cached_property
    def _dropped(self) -> tuple[tuple[DroppedInfo, ...], tuple[DroppedInfo, ...]]:
        return self._expansion.dropped(self._chain)


# --- parts and signatures -----------------------------------------------------------------------------------

_Signature = tuple[transform_rules.Part, ...]
_Steps = tuple[geometry.Basic, ...]

_SWAPPED_RESULT: Final = {"1-0": "0-1", "0-1": "1-0"}


class _RefusedError(Exception):
    """Raised for a query that cannot be expanded. The exception carries the diagnostic out of the
    recursion."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True, slots=True)
class _Chain:
    """Transforms that directly follow one another, outermost first, and the filter under the innermost
    transform. Only the innermost transform can have a range."""

    transforms: tuple[nodes.Transform, ...]
    body: nodes.Node

    @property
    def range(self) -> nodes.Range | None:
        return self.transforms[-1].range


def _chain(node: nodes.Transform) -> _Chain:
    transforms = [node]
    while transforms[-1].range is None and isinstance(transforms[-1].operand, nodes.Transform):
        transforms.append(transforms[-1].operand)
    return _Chain(tuple(transforms), transforms[-1].operand)


class _Expansion:
    """One expansion with its caches. Nodes of the query live as long as the expansion, so `id(node)` is a
    valid key."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.infos: list[OrbitInfo] = []
        self._images: dict[geometry.Basic, dict[transform_rules.Part, transform_rules.Part | None]] = {}
        self._signatures: dict[int, _Signature | None] = {}
        self._orbits: dict[int, dict[_Signature, _Steps]] = {}
        self._weights: dict[int, int] = {}
        self._leaves: dict[tuple[int, transform_rules.Part | None], nodes.Node] = {}

    # -- building trees

    def build(self, node: nodes.Node, steps: _Steps, outermost: bool = False) -> nodes.Node:
        """The image of a filter under the basic transforms `steps`. The first step acts first. Transforms in
        the filter become orbits."""
        priority.pause()
        if isinstance(node, nodes.Transform):
            return self._build_orbit(_chain(node), steps, outermost)
        if isinstance(node, nodes.NoTransform):
            # The image of a `notransform` filter is the same in every element, so the image is built once.
            key = (id(node), None)
            if key not in self._leaves:
                self._leaves[key] = nodes.NoTransform(node.span, self.build(node.operand, (), outermost))
            return self._leaves[key]
        if isinstance(node, nodes.CurrentTransform):
            return nodes.CurrentTransform(node.span, _applied(steps))
        rule = transform_rules.RULES[type(node)]
        part = rule.part(node)
        if part is not None and steps:
            part = self._act_all(steps, part)
            assert part is not None, "only valid elements are built"
        if not rule.children(node):
            place = (id(node), part)
            if place not in self._leaves:
                self._leaves[place] = rule.make(node, part, lambda child: child)
            return self._leaves[place]
        return rule.make(node, part, lambda child: self.build(child, steps, outermost))

    def _build_orbit(self, chain: _Chain, steps: _Steps, outermost: bool) -> nodes.Orbit:
        index = len(self.infos) if outermost else -1
        kept = self._orbit(chain)
        if steps:
            images: dict[_Signature, _Steps] = {}
            for signature, inner in kept.items():
                image = self._act_signature_all(steps, signature)
                if image is not None:
                    images.setdefault(image, inner + steps)
            kept = images
        ordered = sorted(kept.items(), key=lambda item: _signature_key(item[0]))
        elements = tuple(nodes.Element(_applied(path), self.build(chain.body, path)) for _, path in ordered)
        node = nodes.Orbit(chain.transforms[0].span, elements, chain.range, index, chain.body)
        if outermost:
            self.infos.append(self._info(chain, index, ordered, elements))
        return node

    def _info(
        self,
        chain: _Chain,
        index: int,
        ordered: list[tuple[_Signature, _Steps]],
        elements: tuple[nodes.Element, ...],
    ) -> OrbitInfo:
        small = _small_squares(chain.body)
        infos = tuple(
            ElementInfo(element.filter, element.applied, _named_squares(signature), _lines(small, path))
            for (signature, path), element in zip(ordered, elements, strict=True)
        )
        candidates = 1
        for transform in chain.transforms:
            candidates *= len(geometry.of_word(transform.word))
        title = " ".join(transform.word for transform in chain.transforms)
        if chain.range is not None:
            title += " count" if chain.range.count else f" {chain.range.low} {chain.range.high}"
        return OrbitInfo(index, title, chain.transforms[0].span, infos, candidates, chain, self)

    # -- signatures

    def _orbit(self, chain: _Chain) -> dict[_Signature, _Steps]:
        """The distinct valid elements, each with the first composition that gave the element. The
        compositions are tried in nested loops, and the outermost loop runs over the outermost transform."""
        key = id(chain.transforms[0])
        if key in self._orbits:
            return self._orbits[key]
        base = self._signature(chain.body)
        current: dict[_Signature, _Steps] = {} if base is None else {base: ()}
        for transform in reversed(chain.transforms):
            composed: dict[_Signature, _Steps] = {}
            basics = geometry.of_word(transform.word)
            if len(basics) * len(current) > MAX_CANDIDATES:
                raise _RefusedError(_too_large(transform))
            for basic in basics:
                try:
                    for signature, path in current.items():
                        priority.pause()
                        image = self._act_signature(basic, signature)
                        if image is not None and image not in composed:
                            composed[image] = (*path, basic)
                except geometry.RotatedSquaresError:
                    raise _RefusedError(_rotated(chain.body, transform)) from None
                if len(composed) > MAX_ELEMENTS:
                    raise _RefusedError(_too_large(transform))
            current = composed
        # Each element of an orbit contains its own copies of the nested orbits, so the sizes of nested orbits
        # are multiplied in the tree. The limit therefore applies not only to each orbit but also to the whole
        # tree.
        inner = sum(self._weights.get(id(node), 0) for node in _walk(chain.body))
        self._weights[key] = len(current) * (1 + inner)
        if self._weights[key] > MAX_ELEMENTS:
            raise _RefusedError(_too_large(chain.transforms[0]))
        self._orbits[key] = current
        return current

    def _signature(self, node: nodes.Node) -> _Signature | None:
        """The distinct parts of a filter in text order. If a nested orbit is empty, the filter is invalid and
        the result is None."""
        key = id(node)
        if key not in self._signatures:
            parts: dict[transform_rules.Part, None] = {}
            self._signatures[key] = tuple(parts) if self._collect(node, parts) else None
        return self._signatures[key]

    def _collect(self, node: nodes.Node, parts: dict[transform_rules.Part, None]) -> bool:
        if isinstance(node, nodes.NoTransform | nodes.CurrentTransform):
            return True
        if isinstance(node, nodes.Transform):
            orbit = self._orbit(_chain(node))
            parts[("orbit", tuple(sorted(orbit, key=_signature_key)))] = None
            return bool(orbit)
        rule = transform_rules.RULES[type(node)]
        part = rule.part(node)
        if part is not None:
            parts[part] = None
        valid = True
        for child in rule.children(node):
            valid = self._collect(child, parts) and valid
        return valid

    def _act_signature(self, basic: geometry.Basic, signature: _Signature) -> _Signature | None:
        table = self._images.get(basic)
        if table is None:
            table = self._images[basic] = {}
        images = []
        for part in signature:
            try:
                image = table[part]
            except KeyError:
                image = table[part] = self._act(basic, part)
            if image is None:
                return None
            images.append(image)
        return tuple(images)

    def _act_signature_all(self, steps: _Steps, signature: _Signature) -> _Signature | None:
        image: _Signature | None = signature
        for basic in steps:
            if image is None:
                return None
            image = self._act_signature(basic, image)
        return image

    def _act(self, basic: geometry.Basic, part: transform_rules.Part) -> transform_rules.Part | None:
        """The image of a part; None if the part leaves the board."""
        priority.pause()
        match part[0]:
            case "set":
                squares = geometry.map_squares(basic, part[1])
                return ("set", squares, geometry.map_men(basic, part[2])) if squares else None
            case "directions":
                return ("directions", geometry.map_directions(basic, part[1]))
            case "colour":
                return ("colour", part[1] != basic.invert)
            case "shade":
                if basic.eighths:
                    raise geometry.RotatedSquaresError
                return ("shade", part[1] != basic.swaps_shades)
            case "result":
                return ("result", _SWAPPED_RESULT.get(part[1], part[1]) if basic.invert else part[1])
            case "orbit":
                images = {
                    image for inner in part[1] if (image := self._act_signature(basic, inner)) is not None
                }
                return ("orbit", tuple(sorted(images, key=_signature_key))) if images else None
        raise AssertionError(f"unknown part {part[0]}")

    def _act_all(self, steps: _Steps, part: transform_rules.Part) -> transform_rules.Part | None:
        image = self._act_signature_all(steps, (part,))
        return None if image is None else image[0]

    # -- dropped candidates

    def dropped(self, chain: _Chain) -> tuple[tuple[DroppedInfo, ...], tuple[DroppedInfo, ...]]:
        """The invalid candidates and the duplicates of a chain, in the order of generation."""
        base = self._signature(chain.body)
        invalid: list[DroppedInfo] = []
        duplicates: list[DroppedInfo] = []
        first: dict[_Signature, _Steps] = {}
        # The designators are printed only once, because there may be thousands of candidates.
        named = [
            (node.squares, printer.print_node(node))
            for node in _walk(chain.body)
            if isinstance(node, nodes.Designator)
        ]
        for steps in self._candidates(chain):
            signature = None if base is None else self._act_signature_all(steps, base)
            names = _applied(steps)
            if signature is None:
                reason = _why_invalid(named, steps)
                invalid.append(DroppedInfo(words.bracketed(names), words.in_words(names), reason))
            elif signature in first:
                twin = words.bracketed(_applied(first[signature]))
                duplicates.append(
                    DroppedInfo(words.bracketed(names), words.in_words(names), f"duplicate of {twin}")
                )
            else:
                first[signature] = steps
        return tuple(invalid), tuple(duplicates)

    def _candidates(self, chain: _Chain) -> Iterator[_Steps]:
        factors = [geometry.of_word(transform.word) for transform in chain.transforms]
        total = 1
        for factor in factors:
            total *= len(factor)
        if total <= _MAX_LISTED:
            for combination in product(*factors):
                yield combination[::-1]
            return
        # There are too many candidates to list. List only the images of the inner orbit's elements under the
        # outermost transform.
        inner = chain.transforms[1:]
        paths: list[_Steps] = list(self._orbit(_chain(inner[0])).values()) if inner else [()]
        for basic in factors[0]:
            for path in paths:
                yield (*path, basic)


def _why_invalid(named: Sequence[tuple[int, str]], steps: _Steps) -> str:
    """Why a candidate is not an element. `named` holds the squares and the text of each designator in the
    filter."""
    for squares, text in named:
        for basic in steps:
            moved = geometry.map_squares(basic, squares)
            if not moved:
                return f"leaves the board: {text} moves off {_edge(basic, squares)}"
            squares = moved
    return "a transform inside it has no element left on the board"


def _edge(basic: geometry.Basic, squares: int) -> str:
    """The name of the edge that the shift `basic` crosses. The edge is a rank if the vertical part of the
    shift removes all of `squares`. If some squares remain, the edge is a file."""
    vertical = geometry.Basic(up=basic.up)
    if basic.up and not geometry.map_squares(vertical, squares):
        return "rank 8" if basic.up > 0 else "rank 1"
    return "the h-file" if basic.right > 0 else "the a-file"


def _applied(steps: _Steps) -> tuple[str, ...]:
    return tuple(basic.name for basic in reversed(steps) if basic.name)


def _signature_key(signature: _Signature) -> tuple[Any, ...]:
    """The key of the canonical order (transforms spec 7): two elements are compared by the first part, in
    tree order, in which they differ."""
    return tuple(_part_key(part) for part in signature)


def _part_key(part: transform_rules.Part) -> Any:
    if part[0] == "directions":
        return geometry.direction_steps(part[1])
    if part[0] == "orbit":
        return tuple(_signature_key(inner) for inner in part[1])
    return part[1:]


# --- geometry for the board ---------------------------------------------------------------------------------

_SMALL: Final = 4
"""Lines are drawn for designators with at most this many squares. Lines for larger designators would hide the
board."""


def _small_squares(body: nodes.Node) -> tuple[int, ...]:
    found: dict[int, None] = {}
    # A placement names every square; lines from all squares would be useless.
    placed = {
        id(one) for node in _walk(body) if isinstance(node, nodes_squares.Placement) for one in node.squares
    }
    # No lines are drawn for designators under `not`, because the men of these designators must be absent.
    negated = {id(one) for node in _walk(body) if isinstance(node, nodes.Not) for one in _walk(node)}
    for node in _walk(body):
        if (
            isinstance(node, nodes.Designator)
            and node.squares.bit_count() <= _SMALL
            and id(node) not in placed
            and id(node) not in negated
        ):
            found.update((square, None) for square in range(64) if node.squares >> square & 1)
    return tuple(found)


def _lines(squares: tuple[int, ...], steps: _Steps) -> tuple[tuple[int, int], ...]:
    lines = []
    for square in squares:
        image = 1 << square
        for basic in steps:
            image = geometry.map_squares(basic, image)
        if image and image != 1 << square:
            lines.append((square, image.bit_length() - 1))
    return tuple(lines)


def _named_squares(signature: _Signature) -> int:
    """The particular squares that an element names. If the element names all squares, as a placement does,
    the result is the empty set."""
    squares = _particular_squares(signature)
    return 0 if squares == geometry.ALL_SQUARES else squares


def _particular_squares(signature: _Signature) -> int:
    squares = 0
    for part in signature:
        if part[0] == "set" and part[1] != geometry.ALL_SQUARES:
            squares |= part[1]
        elif part[0] == "orbit":
            for inner in part[1]:
                squares |= _particular_squares(inner)
    return squares


def _walk(node: nodes.Node) -> Iterator[nodes.Node]:
    """The filters that a transform can change, in text order. Filters under `notransform` are not
    included."""
    if isinstance(node, nodes.NoTransform):
        return
    yield node
    if isinstance(node, nodes.Transform):
        yield from _walk(node.operand)
    elif not isinstance(node, nodes.CurrentTransform):
        for child in transform_rules.RULES[type(node)].children(node):
            yield from _walk(child)


# --- refusals -----------------------------------------------------------------------------------------------


def _rotated(body: nodes.Node, transform: nodes.Transform) -> Diagnostic:
    span, what = transform.word_span, "these squares"
    for node in _walk(body):
        if isinstance(node, nodes.Designator) and node.squares not in (0, geometry.ALL_SQUARES):
            span, what = node.span, printer.print_node(node)
            break
        if isinstance(node, nodes.Shade):
            span, what = Span(node.span.offset, len(node.shade)), f"{node.shade} squares"
            break
    return Diagnostic(
        span,
        "rotate45-squares",
        f"rotate45 turns directions only: {what} cannot be turned by 45 degrees.",
        "Name no particular squares or square colours under rotate45, or use rotate90.",
    )


def _too_large(transform: nodes.Transform) -> Diagnostic:
    return Diagnostic(
        transform.word_span,
        "orbit-too-large",
        f"This nest of transforms has more than {MAX_ELEMENTS} different elements.",
        "Use fewer transforms inside one another, or smaller ones such as shifthorizontal.",
    )
