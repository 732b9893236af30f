"""The mutants of a module: what cosmic-ray's operators make of it, without those that can tell nothing.

A mutant is one small change of one place, as `<` for `<=`. Left out is what a test cannot or need not notice:
annotations (nobody evaluates them), assertions and frozen data classes (no correct program meets them), what
is logged, `is` for `==`, and decorators that only save time.
"""

from __future__ import annotations

import difflib
import functools
import random
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = ("cql", "engine", "pgn", "store", "tasks")
DATA_ONLY = re.compile(r"/(__init__|vocabulary/docs\w*)\.py$")
"""Modules that are texts alone."""

_ALIKE = re.compile(r"Operator_(Eq_Is|NotEq_IsNot|Is_Eq|IsNot_NotEq)$")
"""Of values that are told apart either way, identity and equality answer the same."""
_WANTING = {"VariableReplacer", "VariableInserter"}
"""Operators that must be told a variable's name."""
_SAVING = re.compile(r"@(functools\.(lru_)?cache|functools\.wraps|override|final)\b")
_GUARD = re.compile(r"\s*(frozen|slots)\s*=")
"""What data classes promise beside their fields: a correct program breaks neither."""
_LOGGING = re.compile(r"\s*_?(log|logger|logging)\.(debug|info|warning|error|exception|critical)\b")


@dataclass(frozen=True)
class Mutant:
    """One change of one module, by what the library needs to make it."""

    module: str
    """The path inside the tree, with slashes."""
    operator: str
    occurrence: int
    line: int


@dataclass(frozen=True)
class Change:
    """What a mutant does to the text, in a form that outlives changes elsewhere in the module."""

    module: str
    before: str
    after: str
    nth: int = 0
    """How many places before it are changed in the same way."""


def modules(tree: Path) -> list[str]:
    """The modules that mutants are drawn from, in order."""
    found = (
        path.relative_to(tree).as_posix()
        for package in PACKAGES
        for path in (tree / "cqlgui" / package).rglob("*.py")
    )
    return sorted(name for name in found if not DATA_ONLY.search(name))


def package(module: str) -> str:
    """The package below `cqlgui` that a module is in."""
    return module.split("/")[1]


def every(module: str, text: str) -> list[Mutant]:
    """All mutants of a module's text, in the library's order for each operator."""
    from cosmic_ray.ast import ast_nodes, get_ast  # an extra, which only this program needs

    counts: dict[str, int] = {}
    found = []
    for node in ast_nodes(get_ast(text)):
        if node.type in {"name", "string", "newline"}:
            continue
        wanted: bool | None = None
        for name, operator in _operators().items():
            for (line, _), _ in operator.mutation_positions(node):
                occurrence = counts.get(name, 0)
                counts[name] = occurrence + 1
                if wanted is None:
                    wanted = _tells(node)
                if wanted and not _ALIKE.search(name):
                    found.append(Mutant(module, name, occurrence, line))
    return found


def applied(mutant: Mutant, text: str) -> str | None:
    """The module's text with the change; None where that is no Python."""
    from cosmic_ray.mutating import mutate_code

    made: str | None = mutate_code(text, _operators()[mutant.operator], mutant.occurrence)
    if made is None or made == text:
        return None
    with warnings.catch_warnings():
        # What Python warns of when it compiles would fail every test that loads the module.
        warnings.simplefilter("error")
        try:
            compile(made, mutant.module, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
    return made


def change(module: str, text: str, made: str) -> Change:
    """What differs between the two texts, told by the lines' own words."""
    before, after, start = _differing(text.splitlines(), made.splitlines())
    words = "\n".join(before)
    above = [line.strip() for line in text.splitlines()[:start]]
    nth = above.count(before[0].strip()) if before else 0
    return Change(module, _joined(words), _joined("\n".join(after)), nth)


def diff(module: str, text: str, made: str) -> str:
    """The change as a unified diff with one line around it."""
    lines = difflib.unified_diff(
        text.splitlines(), made.splitlines(), f"a/{module}", f"b/{module}", lineterm="", n=1
    )
    return "\n".join(lines)


def sample(tree: Path, count: int, seed: int, least: int = 10) -> list[Mutant]:
    """Mutants at `count` lines, drawn by seed; each package has its share by lines, but at least `least`.

    A line is drawn first, then a kind of operator that applies there, then one of these; so a line with many
    mutants counts no more than another one. The order is mixed, so that any beginning is a sample as well.
    """
    source = random.Random(seed)
    by_package: dict[str, list[list[Mutant]]] = {name: [] for name in PACKAGES}
    for module in modules(tree):
        by_line: dict[int, list[Mutant]] = {}
        for mutant in every(module, (tree / module).read_text(encoding="utf-8")):
            by_line.setdefault(mutant.line, []).append(mutant)
        by_package[package(module)] += by_line.values()
    lines = sum(map(len, by_package.values()))
    drawn: list[Mutant] = []
    for groups in by_package.values():
        source.shuffle(groups)
        wanted = max(least, round(count * len(groups) / lines))
        drawn += _first(groups, wanted, tree, source)
    source.shuffle(drawn)
    return drawn


def _first(groups: list[list[Mutant]], wanted: int, tree: Path, source: random.Random) -> Iterator[Mutant]:
    for group in groups:
        if not wanted:
            return
        kinds: dict[str, list[Mutant]] = {}
        for mutant in group:
            kinds.setdefault(mutant.operator.split("_")[0], []).append(mutant)
        mutant = source.choice(kinds[source.choice(sorted(kinds))])
        if applied(mutant, (tree / mutant.module).read_text(encoding="utf-8")) is not None:
            wanted -= 1
            yield mutant


def located(wanted: Change, tree: Path) -> tuple[str, str] | None:
    """The module's text and the text with that change, wherever it stands today; None where it is gone."""
    path = tree / wanted.module
    if not path.exists():
        return None
    text = path.read_text(encoding="utf-8")
    first = wanted.before.split(" / ")[0]
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == first]
    # A decorator is changed from the line of its own, a comparison from that of its operator.
    near = {line + more for line in lines for more in range(wanted.before.count(" / ") + 1)}
    for mutant in every(wanted.module, text):
        if mutant.line in near:
            made = applied(mutant, text)
            if made is not None and change(wanted.module, text, made) == wanted:
                return text, made
    return None


@functools.cache
def _operators() -> dict[str, Any]:
    from cosmic_ray.operators.provider import OperatorProvider

    provider = OperatorProvider()
    return {name: provider[name]() for name in provider if name not in _WANTING}


def _tells(node: Any) -> bool:
    """Whether a change of this node is one that a test can be asked to notice."""
    if node.type == "decorator" and _SAVING.match(node.get_code().strip()):
        return False
    inner, outer = node, node.parent
    if node.type == "assert_stmt":
        return False
    while outer is not None:
        # Of `x: int = 3` the value may be changed, of parameters the default; what follows `:` and `->` not.
        place = outer.children.index(inner)
        sign = getattr(outer.children[place - 1], "value", "") if place else ""
        annotated = outer.type in {"annassign", "tfpdef"} and sign == ":"
        if outer.type == "argument" and inner is not outer.children[0] and _GUARD.match(outer.get_code()):
            return False
        if annotated or (outer.type == "funcdef" and sign == "->") or outer.type == "assert_stmt":
            return False
        if outer.type in {"expr_stmt", "atom_expr", "simple_stmt"} and _LOGGING.match(outer.get_code()):
            return False
        if outer.type == "if_stmt" and outer.children[1].get_code().strip() == "TYPE_CHECKING":
            return False
        inner, outer = outer, outer.parent
    return not (node.type == "if_stmt" and node.children[1].get_code().strip() == "TYPE_CHECKING")


def _differing(text: list[str], made: list[str]) -> tuple[list[str], list[str], int]:
    """The lines that differ, of both texts, and where they begin."""
    start = 0
    while start < min(len(text), len(made)) and text[start] == made[start]:
        start += 1
    end = 0
    while end < min(len(text), len(made)) - start and text[-1 - end] == made[-1 - end]:
        end += 1
    return text[start : len(text) - end], made[start : len(made) - end], start


def _joined(words: str) -> str:
    return " / ".join(line.strip() for line in words.splitlines())
