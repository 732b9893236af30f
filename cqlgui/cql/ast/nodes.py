"""The tree of a query: frozen data with spans, without behaviour.

Types and scopes are not stored in the tree (see `types`). Brackets have no nodes of their own. The printer
adds brackets where the precedence of the operators requires them. `{F}` with a single filter F gives the node
of F. `==` does not compare spans, so equal filters at different places in the text are equal nodes. Orbits
depend on this equality. Tests check with `==` that a printed tree parses to an equal tree. A set of men is a
bit mask (`board.men`): bit 0 is the empty square, bits 1-6 are the white P N B R Q K, bits 7-12 are the black
men. Square sets are bitboards with a1 as the lowest bit. Direction sets are 8-bit masks in the order of
`board.directions`: up, northeast, right, southeast, down, southwest, left, northwest.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Literal, TypeVar, dataclass_transform

from cqlgui.base import priority
from cqlgui.base.data import dataclass, field, fields
from cqlgui.cql.source.diagnostics import Span

Colour = Literal["white", "black"]
_Kind = TypeVar("_Kind")


class _Compared:
    """Equality, hash and `repr` of nodes, shared by all kinds. `dataclass` could generate these methods for
    each kind, but the generation would take a third of the start time of the program."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        kind = type(self)
        if kind is not type(other):
            return NotImplemented
        key = _key(kind)
        return key is None or bool(key(self) == key(other))

    def __hash__(self) -> int:
        key = _key(type(self))
        return hash((type(self), key and key(self)))

    def __repr__(self) -> str:
        shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)  # type: ignore[arg-type]  # a dataclass through `node`
        return f"{type(self).__name__}({', '.join(shown)})"


_KEYS: dict[type, attrgetter[Any] | None] = {}


def _key(kind: type) -> attrgetter[Any] | None:
    """A function that returns the values of the compared fields of a node. The result is None if the kind has
    no compared fields; all nodes of such a kind are equal."""
    try:
        return _KEYS[kind]
    except KeyError:
        names = [one.name for one in fields(kind) if one.compare]
        return _KEYS.setdefault(kind, attrgetter(*names) if names else None)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(kind: type[_Kind]) -> type[_Kind]:
    """The decorator of every kind of node: frozen data with slots. The type checker prevents changes."""
    return dataclass(slots=True, eq=False, repr=False)(kind)


@node
class Node(_Compared):
    """The base class of all nodes. `span` is the place of the node in the query text."""

    span: Span = field(compare=False, hash=False, repr=False)


# --- parts that are not filters -----------------------------------------------------------------------------


@node
class Range(Node):
    """Bounds after a keyword (spec 2.4). A bound is an integer or the name of a numeric variable. `count` is
    True if the word `count` replaces the bounds; every number is then in the range."""

    low: int | str
    high: int | str
    count: bool = False


@node
class Header(Node):
    """The header: the bracket after `cql` (spec 3). If the query has no header, all fields have their default
    values."""

    variations: bool = False
    gamenumber: Range | None = None
    results: tuple[str, ...] = ()
    matchcount: Range | None = None
    sort_matchcount: bool = False
    matchstring: str | None = None
    quiet: bool = False
    silent: bool = False
    input: str | None = None
    output: str | None = None


@node
class Query(Node):
    """A whole query text. `body` is one filter. If the text has several filters, `body` is a `Compound`."""

    header: Header
    body: Node


# --- primaries ----------------------------------------------------------------------------------------------


@node
class Designator(Node):
    """Piece and square designator (spec 7): men mask and square set. Without a piece part, all 13 bits of
    `men` are set. Without squares, all 64 bits of `squares` are set."""

    men: int
    squares: int


@node
class AllSquares(Node):
    """`.` or the black-square sign: all 64 squares."""


@node
class EmptySet(Node):
    """`[]`: no square."""


@node
class Number(Node):
    """Integer literal. `value` is negative if the parser joined a minus sign with the literal."""

    value: int


@node
class String(Node):
    """String literal or escape constant. `value` is the text that the literal stands for."""

    value: str


@node
class Name(Node):
    """The use of a variable. `types.Names` has the type of the variable."""

    name: str


@node
class Truth(Node):
    """`true` or `false`."""

    value: bool


@node
class SideToMove(Node):
    """`wtm` / `btm`."""

    colour: Colour


StateWord = Literal[
    "check", "mate", "stalemate", "initial", "terminal", "castle", "o-o", "o-o-o",
    "mainline", "variation", "virtualmainline", "extension",
]  # fmt: skip


@node
class State(Node):
    """A logical word about the position, or about the move that led to the position."""

    word: StateWord


@node
class CurrentPosition(Node):
    """`currentposition`."""


MeasureWord = Literal[
    "ply", "movenumber", "positionid", "gamenumber", "year",
    "depth", "sidetomove", "lastgamenumber", "try",
]  # fmt: skip


@node
class Measure(Node):
    """A numeric word without operand."""

    word: MeasureWord


@node
class Elo(Node):
    """`elo`, `elo white`, `elo black`."""

    colour: Colour | None


@node
class Player(Node):
    """`player`, `player white`, `player black`."""

    colour: Colour | None


@node
class Result(Node):
    """`result R`, where R is 1-0, 0-1 or 1/2-1/2."""

    result: str


TagWord = Literal["event", "site", "date", "eventdate", "eco"]


@node
class TagText(Node):
    """A string word that reads a PGN tag."""

    word: TagWord


@node
class ImplicitSearch(Node):
    """`player "x"` and similar filters (spec 8.7): the value of `text` contains `needle`."""

    needle: str
    text: Node


@node
class CurrentTransform(Node):
    """`currenttransform`. `applied` holds the names of the transforms that the expansion applied, outermost
    first. After parsing, `applied` is empty."""

    applied: tuple[str, ...] = field(default=(), compare=False, hash=False)


# --- prefix filters -----------------------------------------------------------------------------------------


@node
class Not(Node):
    """`not F`."""

    operand: Node


@node
class Complement(Node):
    """`~S`."""

    operand: Node


@node
class Negate(Node):
    """`-n` (spec 6.9)."""

    operand: Node


@node
class Count(Node):
    """`#S` or `#s`: number of squares, or length of a string."""

    operand: Node


@node
class Numeric(Node):
    """`abs n`, `sqrt n`."""

    word: Literal["abs", "sqrt"]
    operand: Node


@node
class Extremum(Node):
    """`max ( ... )`, `min ( ... )`: numbers or strings, two at least."""

    word: Literal["max", "min"]
    operands: tuple[Node, ...]


@node
class Power(Node):
    """`power S`."""

    operand: Node


@node
class Shade(Node):
    """`light S`, `dark S`."""

    shade: Literal["light", "dark"]
    operand: Node


@node
class Direction(Node):
    """A direction filter. `directions` is the mask of the directions that the keyword means. If `range` is
    None, the range is 1 to 7."""

    directions: int
    range: Range | None
    operand: Node


@node
class Between(Node):
    """`between (S T)`."""

    left: Node
    right: Node


@node
class Ray(Node):
    """`ray` (spec 8.3). `attack` is True for `ray attack`. A `range` makes the filter numeric (D8)."""

    directions: int
    attack: bool
    range: Range | None
    operands: tuple[Node, ...]


@node
class Find(Node):
    """`find` (spec 8.5). `all` is not the same as a range from 1 upwards."""

    quiet: bool
    all: bool
    backwards: bool
    range: Range | None
    operand: Node


@node
class Sort(Node):
    """`sort` (output spec 4). `order` is the word `min` or `max`, or empty if neither word is written. `doc`
    is the string that describes the sort key, or None if there is no such string."""

    quiet: bool
    order: Literal["", "min", "max"]
    doc: str | None
    operand: Node


@node
class Comment(Node):
    """`comment (...)`, or `/// ...` if `slashes` is True."""

    parts: tuple[Node, ...]
    slashes: bool = False


TransformWord = Literal[
    "flip", "flipvertical", "fliphorizontal", "flipcolor", "reversecolor",
    "rotate90", "rotate45", "shift", "shiftvertical", "shifthorizontal",
]  # fmt: skip


@node
class Transform(Node):
    """A transform filter as written; `word_span` covers the keyword alone."""

    word: TransformWord
    word_span: Span = field(compare=False, hash=False, repr=False)
    range: Range | None
    operand: Node


@node
class NoTransform(Node):
    """`notransform F`."""

    operand: Node


# --- operators ----------------------------------------------------------------------------------------------


@node
class Compound(Node):
    """`{F1 ... Fn}`, or a body of several filters, n >= 2."""

    filters: tuple[Node, ...]


@node
class SetOperation(Node):
    """`S & T`, `S | T` (`&` also of two positions)."""

    operator: Literal["&", "|"]
    left: Node
    right: Node


@node
class Attack(Node):
    """`S attacks T`, `S attackedby T`."""

    word: Literal["attacks", "attackedby"]
    left: Node
    right: Node


@node
class Arrow(Node):
    """`S1 -> S2 -> ...` or `<-`, with the operands in the order written. Two operands mean `attacks` or
    `attackedby`."""

    operator: Literal["->", "<-"]
    operands: tuple[Node, ...]


Relation = Literal["==", "!=", "<", ">", "<=", ">="]


@node
class Compare(Node):
    """A comparison (spec 6.7)."""

    operator: Relation
    left: Node
    right: Node


@node
class Arithmetic(Node):
    """`+ - * / %` of numbers, `+` of strings."""

    operator: Literal["+", "-", "*", "/", "%"]
    left: Node
    right: Node


@node
class In(Node):
    """`S in T` (subset), `s in t` (substring)."""

    left: Node
    right: Node


@node
class Logic(Node):
    """`F and G`, `F or G`."""

    word: Literal["and", "or"]
    left: Node
    right: Node


# --- variables and loops ------------------------------------------------------------------------------------


@node
class Assign(Node):
    """`x = E`, `x =? E`, `x += E` ... (spec 12.1). `persistent`, `quiet` and `atomic` are True if the
    assignment begins with these words (12.2, 12.3)."""

    name: str
    operator: Literal["=", "=?", "+=", "-=", "*=", "/=", "%=", "|=", "&="]
    value: Node
    persistent: bool = False
    quiet: bool = False
    atomic: bool = False


@node
class SquareLoop(Node):
    """`square x in S F`, `square all x in S F`, and the forms with the element sign."""

    name: str
    all: bool
    domain: Node
    body: Node


@node
class PieceLoop(Node):
    """`piece x in S F`, `piece all x in S F`, and the forms with the element sign."""

    name: str
    all: bool
    domain: Node
    body: Node


@node
class PieceAssign(Node):
    """`piece x = S`."""

    name: str
    value: Node


# --- made by expansion, never by the parser -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Element:
    """One distinct member of an orbit. `applied` holds the names of the basic transforms that made the
    element, outermost first, without the identity."""

    applied: tuple[str, ...] = field(compare=False, hash=False)
    filter: Node


@node
class Orbit(Node):
    """The result of expanding a chain of transforms: the distinct valid elements in canonical order
    (transforms spec 4).

    `index` numbers the outermost orbits of the query in text order. The `index` of an inner orbit is -1.
    `range` is the range of the innermost transform of the chain. `operand` is the filter under the chain, as
    written; if an orbit has no elements, `operand` determines the type of the orbit.
    """

    elements: tuple[Element, ...]
    range: Range | None
    index: int = field(default=-1, compare=False, hash=False)
    operand: Node | None = field(default=None, compare=False, hash=False, repr=False)


# --- walking ------------------------------------------------------------------------------------------------


def children(node: Node) -> Iterator[Node]:
    """The filters directly inside `node`, in text order. The children of an orbit are the filters of its
    elements."""
    for name in _child_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple):
            for item in value:
                if isinstance(item, Node):
                    yield item
                elif isinstance(item, Element):
                    yield item.filter
        elif isinstance(value, Node):
            yield value


def walk(root: Node) -> Iterator[Node]:
    """`root` and every filter inside it. A filter comes before its children, and the children come in reverse
    order. While the window is busy, each call of `walk` first waits for a moment. A thread must therefore not
    call `walk` while the thread holds a lock that the window may need."""
    priority.pause()
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(children(node))


_CHILD_FIELDS: dict[type[Node], tuple[str, ...]] = {}


def _child_fields(kind: type[Node]) -> tuple[str, ...]:
    """Fields that may hold filters. Spans, ranges and the `operand` of an orbit are not included."""
    known = _CHILD_FIELDS.get(kind)
    if known is None:
        skipped = {"span", "word_span", "range"} | ({"operand"} if kind is Orbit else set())
        known = tuple(one.name for one in fields(kind) if one.name not in skipped)
        _CHILD_FIELDS[kind] = known
    return known
