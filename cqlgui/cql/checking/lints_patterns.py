"""Lints about men and squares: filters that can never match together, and filters that always match."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from cqlgui.board import men, squares
from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import lints_transforms
from cqlgui.cql.source import designators
from cqlgui.cql.source.diagnostics import Diagnostic, Fix

_KINGS: Final = (1 << men.WK, 1 << men.BK)


def findings(text: str, body: nodes.Node) -> Iterator[Diagnostic]:
    """Warnings about the designators of a query."""
    for node in nodes.walk(body):
        if isinstance(node, nodes.Compound):
            yield from _together(text, node)
        elif isinstance(node, nodes.Logic) and node.word == "or":
            yield from _or_of_sets(text, node)
        elif isinstance(node, nodes.Designator):
            yield from _pawn_on_end(node)


def _together(text: str, compound: nodes.Compound) -> Iterator[Diagnostic]:
    """Lints about adjacent filters: squares without men, two men on one square, a king in two places, both
    sides to move."""
    # Designators grouped by square or king. The designators of one group may contradict each other. Equal
    # designators are kept once, because comparing thousands of equal designators in a generated query would
    # be slow.
    seen: dict[_About, dict[tuple[int, int], nodes.Designator]] = {}
    side: nodes.SideToMove | None = None
    before: nodes.Node | None = None
    for node in compound.filters:
        if isinstance(node, nodes.SideToMove):
            if side is not None and side.colour != node.colour:
                yield _never(node, "Only one side is to move: with what stands before, this never holds.")
            side = node
        elif isinstance(node, nodes.Designator):
            if node.men == men.ANY_MASK and node.squares:
                yield _bare_squares(text, node, before)
                before = node
                continue
            alike = [seen.setdefault(about, {}) for about in _subjects(node)]
            others = (one for group in alike for one in group.values())
            if clash := next((reason for one in others if (reason := _clash(one, node))), ""):
                yield _never(node, clash)
            else:
                for group in alike:
                    if len(group) < _MOST_ALIKE:
                        group[node.men, node.squares] = node
        before = node


_About: TypeAlias = tuple[str, int]
_MOST_ALIKE: Final = 64
"""For each square and each king, at most this number of different designators is kept for comparison."""


def _subjects(node: nodes.Designator) -> Iterator[_About]:
    """What the designator names alone: one square, one king, both or neither. Two designators that name the
    same square or the same king may contradict each other."""
    if node.squares.bit_count() == 1:
        yield "square", node.squares
    if node.men in _KINGS:
        yield "king", node.men


def _clash(one: nodes.Designator, other: nodes.Designator) -> str:
    """Why two designators cannot both match; empty if both can match."""
    single = one.squares.bit_count() == 1
    if single and one.squares == other.squares and not one.men & other.men:
        name = squares.square_name(one.squares.bit_length() - 1)
        return f"Something else stands on {name} already: with what stands before, this never holds."
    if one.men == other.men and one.men in _KINGS and not one.squares & other.squares:
        return "There is one such king, and what stands before has it elsewhere: this never holds."
    return ""


def _never(node: nodes.Node, words: str) -> Diagnostic:
    return Diagnostic(
        node.span, "never-matches", words, "write `or` between them if either will do", "warning"
    )


def _bare_squares(text: str, node: nodes.Designator, before: nodes.Node | None) -> Diagnostic:
    source = text[node.span.offset : node.span.end]
    fix = None
    if (
        isinstance(before, nodes.Designator)
        and before.squares == designators.ALL_SQUARES
        and before.men != men.ANY_MASK
        and not text[before.span.end : node.span.offset].strip()
    ):
        joined = text[before.span.offset : before.span.end] + source
        fix = Fix(f"Write {joined} without a blank", before.span.to(node.span), joined)
    return Diagnostic(
        node.span,
        "bare-square",
        f"`{source}` names squares with or without a man on them, so it always matches.",
        f"put a man before it, as in {'R' + source if len(source) < 12 else 'Ra1'}; _ is an empty square",
        "warning",
        fix,
    )


def _or_of_sets(text: str, node: nodes.Logic) -> Iterator[Diagnostic]:
    """A warning about `R or B attacks k`, which means `R or (B attacks k)`."""
    left, right = node.left, node.right
    if isinstance(left, nodes.Assign) and isinstance(left.value, nodes.Designator):
        yield from _or_behind_assignment(text, node, left)
        return
    if not isinstance(left, nodes.Designator) or left.squares != designators.ALL_SQUARES:
        return
    if not isinstance(right, nodes.Attack):
        return
    first = right.left
    if not isinstance(first, nodes.Designator):
        return
    joined = f"({_source(text, left)} | {_source(text, first)})"
    span = left.span.to(first.span)
    if any(sign in text[span.offset : span.end] for sign in "(){}"):
        return
    yield Diagnostic(
        node.span,
        "or-of-sets",
        f"`or` stands between whole filters: this is `{_source(text, left)}`, "
        f"or else `{_source(text, right)}`.",
        "| joins sets of men",
        "warning",
        Fix(f"Write {joined} {right.word} ...", span, joined),
    )


def _or_behind_assignment(text: str, node: nodes.Logic, left: nodes.Assign) -> Iterator[Diagnostic]:
    """A warning about `x = A or P`, which assigns only `A` to `x`."""
    if not isinstance(node.right, nodes.Designator | nodes.SetOperation):
        return
    first, second = _source(text, left.value), _source(text, node.right)
    yield Diagnostic(
        node.span, "or-of-sets", f"`or` stands between whole filters: `{left.name}` holds `{first}` alone.",
        "| joins sets of men", "warning",
        Fix(f"Write {first} | {second}", left.value.span.to(node.right.span), f"{first} | {second}"),
    )  # fmt: skip


def _pawn_on_end(node: nodes.Designator) -> Iterator[Diagnostic]:
    """A warning about pawns on the first or last rank. Transforms around the designator are ignored."""
    only_pawns = node.men and not node.men & ~lints_transforms.PAWNS
    if only_pawns and node.squares and not node.squares & ~lints_transforms.ENDS:
        yield Diagnostic(
            node.span,
            "pawn-on-last-rank",
            "No pawn ever stands on the first or the last rank, so this names nothing.",
            "",
            "warning",
        )


def _source(text: str, node: nodes.Node) -> str:
    words = " ".join(text[node.span.offset : node.span.end].split())
    return words if len(words) <= 40 else words[:37] + "..."
