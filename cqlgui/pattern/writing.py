"""From marks, arrows and conditions to the text of filters."""

from __future__ import annotations

from cqlgui.cql.editing import spelling
from cqlgui.cql.printing import printers
from cqlgui.pattern.marks import Mark, Pattern, Relation, Role


def designator(men: int, squares: int, style: printers.Style = "ascii") -> str:
    """The shortest spelling of men on squares: `Nf5`, `[BN]f5`, `Af5`, `Nf4-6`, `N`, `_f5`, `f5`."""
    return printers.print_designator(men, squares, style)


def text_of(pattern: Pattern) -> str:
    """The pattern as a group of filters, such as `{Nf5 not kg8 (Ra1|Rh1) Nf5 attacks kg8 wtm}`.

    The `others` and the `transforms` of the pattern are left out. All alternatives stand together, at the
    place of the first alternative.
    """
    parts: list[str] = []
    either = [mark for mark in pattern.marks if mark.role is Role.EITHER]
    for mark in pattern.marks:
        if mark.role is not Role.EITHER:
            parts.append(mark_text(mark.men, mark.squares, mark.role))
        elif mark is either[0]:
            parts.append(f"({'|'.join(designator(one.men, one.squares) for one in either)})")
    parts += [
        arrow_text(arrow.relation, pattern.marks[arrow.origin], pattern.marks[arrow.target])
        for arrow in pattern.arrows
    ]
    parts += [condition.text for condition in pattern.conditions]
    return "{" + (" ".join(parts) or PLACE_HOLDER) + "}"


PLACE_HOLDER = "true"
"""The filter in a group without conditions. CQL needs at least one filter between braces."""


def mark_text(men: int, squares: int, role: Role) -> str:
    """A mark as a filter of its own."""
    spelled = designator(men, squares)
    if role is Role.NOT:
        return f"not {spelled}"
    return f"({spelled})" if role is Role.EITHER else spelled


def arrow_text(relation: Relation, origin: Mark, target: Mark) -> str:
    """An arrow as a filter.

    A line of sight is a `ray`. A common file, rank or diagonal of two marks is written with directions,
    because transforms turn directions together with the squares. Transforms do not change the numbers of
    `file` and `rank`.
    """
    first, second = designator(origin.men, origin.squares), designator(target.men, target.squares)
    match relation:
        case Relation.ATTACKS:
            return f"{first} attacks {second}"
        case Relation.MOVES:
            return f"{first}--{second}"
        case Relation.RAY:
            return f"ray ({first} {second})"
        case Relation.RAY_ONE:
            return f"ray ({first} [Aa] {second})"
        case Relation.FILE:
            return f"{first} & vertical {second}"
        case Relation.RANK:
            return f"{first} & horizontal {second}"
        case Relation.DIAGONAL:
            return f"{first} & diagonal {second}"


def in_spelling_of(text: str, written: str) -> str:
    """`written`, spelled with Unicode signs if `text` has such signs."""
    return spelling.respelled(written, "unicode") if spelling.has_signs(text) else written
