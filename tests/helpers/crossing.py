"""Queries bred from queries: parts of the same type change places between all texts that the project knows.

Whatever node kind the known texts have comes up in ever new surroundings, without a generator that must be
taught each kind.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from cqlgui.board import men, squares
from cqlgui.cql.ast import nodes, nodes_moves, nodes_paths, nodes_programs, nodes_tree, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.checking import check
from cqlgui.cql.vocabulary import registry

ROOT = Path(__file__).resolve().parents[2]

_Step = tuple[str, int]
"""A field of a node, and the place in it where it holds several."""


@dataclass(frozen=True)
class Host:
    """A known query with the places whose filters may be exchanged."""

    query: nodes.Query
    slots: tuple[tuple[tuple[_Step, ...], Type], ...]


def known_texts() -> list[str]:
    """Every query text of the repository: examples, the library, those with recorded results."""
    texts = [row.example for row in registry.ROWS if row.example]
    texts += [path.read_text("utf-8") for path in sorted((ROOT / "resources" / "queries").rglob("*.cql"))]
    recorded = (ROOT / "tests" / "whole" / "oracle" / "queries.txt").read_text("utf-8").splitlines()
    return texts + [line for line in recorded if line and not line.startswith("#")] + list(_RARE)


_RARE = (
    'fen "4k3/8/8/8/8/8/8/4K3" #fen > 20',
    "path (-- check)+ (N-- B--) *",
    "line --> check --> (btm --> wtm){2} --> mate",
    "piece man = Ka1 man",
    'x = "abc" x[1:2] = "z"',
    "cql() hhdb sort prize",
    "elo white != 2000 or year != 1990",
    'tag "Annotator" != "a" child:ply != 3 {check 3} != 4',
    '#player white + #tag "Annotator" + "a" > 3',
)
"""What no other known text has."""


@functools.cache
def stock() -> tuple[tuple[Host, ...], dict[Type, tuple[nodes.Node, ...]]]:
    """The hosts, and the parts without variables by type."""
    hosts: list[Host] = []
    parts: dict[Type, dict[nodes.Node, None]] = {}
    for text in known_texts():
        checked = check.check(text)
        if checked.query is None:
            continue
        slots = []
        for path, node, free in _walk(checked.query.body, ()):
            kind = types.infer(node, checked.names)
            if (
                free
                and kind is not Type.PIECE
                and type(node) not in _PIECES_OF_PATHS
                and not _has_names(node)
            ):
                slots.append((path, kind))
                parts.setdefault(kind, {})[node] = None
        hosts.append(Host(checked.query, tuple(slots)))
    return tuple(hosts), {kind: tuple(found) for kind, found in parts.items()}


def bred(random: Random, most: int = 3) -> nodes.Query:
    """A known query in which up to `most` parts were exchanged for others of their type."""
    hosts, parts = stock()
    host = random.choice(hosts)
    body = host.query.body
    # Deepest first, so that the paths of the others stay.
    chosen = random.sample(host.slots, min(len(host.slots), random.randint(1, most)))
    taken: list[tuple[_Step, ...]] = []
    for path, kind in sorted(chosen, key=lambda slot: -len(slot[0])):
        if any(other[: len(path)] == path for other in taken):
            continue
        taken.append(path)
        body = _replaced(body, path, random.choice(parts[kind]))
    return dataclasses.replace(host.query, body=body)


def transformed(word: nodes.TransformWord) -> Iterator[nodes.Query]:
    """Each known query once for each of its slots, with the part in this slot under a transform."""
    for host in stock()[0]:
        for path, _ in host.slots:
            node: nodes.Node = host.query.body
            for name, place in path:
                value = getattr(node, name)
                node = value if place < 0 else value[place]
            part = nodes.Transform(node.span, word, node.span, None, node)
            yield dataclasses.replace(host.query, body=_replaced(host.query.body, path, part))


def satisfiable(random: Random) -> nodes.Query:
    """A bred query that asks for less: crossings of two texts are mostly true nowhere.

    Some conditions that stand beside others are left out, and some designators name any square, or any man
    of their colour.
    """
    query = bred(random)
    body = query.body
    for _ in range(random.randint(2, 8)):
        body = _relaxed(random, body)
    return dataclasses.replace(query, body=body)


def _relaxed(random: Random, body: nodes.Node) -> nodes.Node:
    places = [
        (path, node)
        for path, node, free in _walk(body, ())
        if (isinstance(node, nodes.Compound) and any(map(_is_spare, node.filters[:-1])))
        or (free and isinstance(node, nodes.Designator) and _wider(random, node) != node)
    ]
    if not places:
        return body
    path, node = random.choice(places)
    if isinstance(node, nodes.Compound):
        spare = random.choice([place for place, one in enumerate(node.filters[:-1]) if _is_spare(one)])
        left = node.filters[:spare] + node.filters[spare + 1 :]
        return _replaced(body, path, dataclasses.replace(node, filters=left) if len(left) > 1 else left[0])
    assert isinstance(node, nodes.Designator)
    return _replaced(body, path, _wider(random, node))


def _is_spare(node: nodes.Node) -> bool:
    """Whether a condition can be left out with nothing missing elsewhere."""
    return type(node) in types.RULES and type(node) not in _PIECES_OF_PATHS and not _has_names(node)


def _wider(random: Random, node: nodes.Designator) -> nodes.Designator:
    if node.squares != squares.ALL and (node.men == men.ANY_MASK or random.random() < 0.7):
        return dataclasses.replace(node, squares=squares.ALL)
    sides = [side for side in (_WHITE, _BLACK) if node.men & side and not node.men & 1]
    return dataclasses.replace(node, men=node.men | sum(sides)) if sides else node


_WHITE = 0b1111110
_BLACK = _WHITE << 6


def kinds_in(node: nodes.Node) -> set[type[nodes.Node]]:
    """The node kinds in a tree."""
    return {type(one) for _, one, _ in _walk(node, ())}


def _walk(
    node: nodes.Node, path: tuple[_Step, ...], free: bool = True, called: bool = False
) -> Iterator[_Found]:
    """Every filter with its path, and whether any other of its type could stand there; not so in the call of
    a function, whose body is what the function and the arguments make of it.
    """
    if type(node) in types.RULES:
        yield path, node, free and not called
    called = called or isinstance(node, nodes_programs.Call)
    for field in dataclasses.fields(node):
        value = getattr(node, field.name)
        anything = (
            str(field.type).replace("nodes.", "") in _ANYTHING and (type(node), field.name) not in _PARTICULAR
        )
        if isinstance(value, nodes.Node):
            yield from _walk(value, (*path, (field.name, -1)), anything, called)
        elif isinstance(value, tuple):
            for place, item in enumerate(value):
                if isinstance(item, nodes.Node):
                    yield from _walk(item, (*path, (field.name, place)), anything, called)


_PARTICULAR = {
    (nodes.ImplicitSearch, "text"), (nodes_moves.Dash, "promotion"), (nodes_moves.Move, "operands"),
    (nodes_moves.CountMoves, "moves"), (nodes_moves.PossibleMoves, "target"),
    (nodes_programs.While, "condition"),
}  # fmt: skip
"""Fields that take certain filters only, though their declared type does not say so."""

_PIECES_OF_PATHS = frozenset({nodes_paths.Step, nodes_paths.Chain, nodes_paths.LineChain, nodes_paths.Repeat})
"""What has a meaning in a path or line alone."""

_Found = tuple[tuple[_Step, ...], nodes.Node, bool]
_ANYTHING = frozenset({"Node", "Node | None", "tuple[Node, ...]", "tuple[Node, ...] | None"})
"""Declared types of fields that take any filter; others take certain kinds only."""


def _has_names(node: nodes.Node) -> bool:
    """Whether a tree reads, sets or declares anything by name: then it needs its surroundings."""
    if isinstance(node, nodes_tree.ConsecutiveMoves) or any(
        field.name in _NAMING for field in dataclasses.fields(node)
    ):
        return True
    ranged = getattr(node, "range", None)
    if ranged is not None and not (isinstance(ranged.low, int) and isinstance(ranged.high, int)):
        return True
    return any(_has_names(child) for child in nodes.children(node))


_NAMING = frozenset(
    {"name", "names", "source", "target_name", "variable", "dictionary", "parameters", "function"}
)


def _replaced(node: nodes.Node, path: tuple[_Step, ...], part: nodes.Node) -> nodes.Node:
    if not path:
        return part
    (name, place), *rest = path
    value = getattr(node, name)
    if place < 0:
        return dataclasses.replace(node, **{name: _replaced(value, tuple(rest), part)})
    items = list(value)
    items[place] = _replaced(items[place], tuple(rest), part)
    return dataclasses.replace(node, **{name: tuple(items)})
