"""The ten transforms as the picker offers them: order, a sentence each, and their number of candidates.
Knows no Qt."""

from __future__ import annotations

from cqlgui.base.data import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One transform: its CQL `word`, a short `title`, what it does, and how many basic transforms it
    stands for."""

    word: str
    title: str
    meaning: str
    candidates: int


CHOICES = (
    Choice(
        "flip",
        "All reflections and turns",
        "The pattern in all eight orientations: four turns, four mirror images.",
        8,
    ),
    Choice(
        "flipvertical",
        "Mirror left and right",
        "The pattern and its mirror image across the middle files: a and h change places.",
        2,
    ),
    Choice(
        "fliphorizontal",
        "Mirror top and bottom",
        "The pattern and its mirror image across the middle ranks: 1 and 8 change places. Colours stay.",
        2,
    ),
    Choice(
        "flipcolor",
        "Swap colours",
        "The pattern as written and with colours swapped: white men for black, ranks counted from the other "
        "side.",
        2,
    ),
    Choice(
        "reversecolor", "Only colours swapped", "The pattern with colours swapped, and not as written.", 1
    ),
    Choice("rotate90", "Quarter turns", "The pattern turned by 0, 90, 180 and 270 degrees.", 4),
    Choice(
        "rotate45",
        "Turn directions",
        "Directions turned by multiples of 45 degrees. The filter may name no squares.",
        8,
    ),
    Choice("shift", "Move anywhere", "The pattern moved to every place on the board where it fits.", 225),
    Choice("shiftvertical", "Move up and down", "The pattern moved up and down along the files.", 15),
    Choice("shifthorizontal", "Move sideways", "The pattern moved left and right along the ranks.", 15),
)
BY_WORD = {choice.word: choice for choice in CHOICES}
SYNONYMS = {"dihedral": "flip", "flipdihedral": "flip", "✵": "flip", "⬓": "flipcolor"}


def plural(count: int, noun: str) -> str:
    """`count noun`, the noun in the plural where it must be, thousands set apart."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def funnel(candidates: int, valid: int, distinct: int) -> str:
    """`candidates -> valid -> distinct`, in figures with words."""
    return f"{plural(candidates, 'candidate')} → {valid:,} valid → {distinct:,} distinct"
