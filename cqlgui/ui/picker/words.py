"""The ten transforms as the picker offers them, and the sentences about chains and orbits. This module does
not use Qt."""

from __future__ import annotations

from collections.abc import Sequence

from cqlgui.base.data import dataclass
from cqlgui.tasks.results import hit_model


@dataclass(frozen=True, slots=True)
class Choice:
    """One transform: its CQL `word`, the `title` on its chip, its `meaning`, and its verb `act` in the
    sentence about a chain. `first` is False for a transform behind "More"."""

    word: str
    title: str
    meaning: str
    act: str
    first: bool = True


CHOICES = (
    Choice(
        "flipcolor",
        "Either colour",
        "The pattern as written and with colours swapped: white men for black, ranks counted from the other "
        "side.",
        "swap colours",
    ),
    Choice(
        "flipvertical",
        "Either wing",
        "The pattern and its mirror image across the middle files: a and h change places.",
        "mirror left to right",
    ),
    Choice(
        "fliphorizontal",
        "Either half",
        "The pattern and its mirror image across the middle ranks: 1 and 8 change places. Colours stay.",
        "mirror top to bottom",
    ),
    Choice(
        "flip",
        "All 8",
        "The pattern in all eight orientations: four turns, four mirror images.",
        "turn and mirror in all 8 ways",
    ),
    Choice(
        "shift",
        "Anywhere",
        "The pattern moved to every place on the board where it fits.",
        "move to every place",
    ),
    Choice("shiftvertical", "Up and down", "The pattern moved along the files.", "move up and down"),
    Choice("shifthorizontal", "Sideways", "The pattern moved along the ranks.", "move sideways"),
    Choice(
        "reversecolor",
        "Only the other colour",
        "The pattern with colours swapped, and not as written.",
        "swap colours for good",
        first=False,
    ),
    Choice(
        "rotate90",
        "Quarter turns",
        "The pattern turned by 0, 90, 180 and 270 degrees.",
        "turn by quarters",
        first=False,
    ),
    Choice(
        "rotate45",
        "Turned directions",
        "Directions turned by multiples of 45 degrees. The pattern may name no squares.",
        "turn directions by eighths",
        first=False,
    ),
)
BY_WORD = {choice.word: choice for choice in CHOICES}
SYNONYMS = {"dihedral": "flip", "flipdihedral": "flip", "✵": "flip", "⬓": "flipcolor"}
_SHIFTS = frozenset({"shift", "shiftvertical", "shifthorizontal"})


def plural(count: int, noun: str) -> str:
    """A number and a noun. The thousands are separated by commas, and the noun gets an s if needed."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def sentence(chain: Sequence[str], *, counts: bool = False) -> str:
    """What a chain of transforms does. The transform that acts first is named first. This is the innermost
    transform, which is written last."""
    acts = [BY_WORD[word].act for word in reversed(chain)]
    if counts:
        acts.append("count the images that match")
    said = ", then ".join(acts)
    return said[:1].upper() + said[1:]


def funnel(orbit: hit_model.Orbit) -> str:
    """How many candidates there were, how many fit on the board, and how many differ. If the pattern's own
    symmetry makes some candidates equal, the symmetry is named too."""
    different = len(orbit.elements)
    fitting = different + len(orbit.duplicates)
    every = fitting + len(orbit.invalid)
    transforms = [word for word in orbit.transform.split() if word in BY_WORD]
    parts = [plural(every, "place" if _SHIFTS.issuperset(transforms) else "image")]
    if orbit.invalid:
        parts.append(f"{fitting:,} {'fits' if fitting == 1 else 'fit'} on the board")
    same = symmetry(orbit)
    if orbit.duplicates or orbit.invalid:
        parts.append(f"{different:,} different")
    return ", ".join(parts) + (f": {same}" if same else "")


def symmetry(orbit: hit_model.Orbit) -> str:
    """The transforms that leave the pattern unchanged, in words. If every transform changes the pattern, the
    text is empty."""
    same = [one.words for one in orbit.duplicates if one.reason == _SAME]
    if not same:
        return ""
    named = ", ".join(same[:_NAMED])
    if len(same) > _NAMED:
        named += f" and in {plural(len(same) - _NAMED, 'more way')}"
    different = len(orbit.elements)
    fitting = different + len(orbit.duplicates)
    became = f", so {fitting:,} become {different:,}" if fitting == different * (len(same) + 1) else ""
    return f"the pattern looks the same {named}{became}"


_SAME = "duplicate of <>"
_NAMED = 3


def sign(transform: str) -> str:
    """A short sign for the transform of an element. `transform` is CQL's name for the transform, for example
    `<invertcolor reflect_h right^2>`."""
    names = transform.strip("<>").replace("invertcolor reflect_h", "invertcolor").split()
    signs = []
    for name in names:
        word, _, count = name.partition("^")
        signs.append(f"{_SIGNS.get(word, word)}{count if word != 'rotate45' else f'{45 * int(count)}°'}")
    return " ".join(signs) or "="


_SIGNS = {
    "invertcolor": "◐",
    "reflect_v": "↔",
    "reflect_h": "↕",
    "reflect_a1h8": "⤢",
    "reflect_a8h1": "⤡",
    "counterclockwise90": "↺",
    "rotate180": "180°",
    "clockwise90": "↻",
    "right": "→",
    "left": "←",
    "up": "↑",
    "down": "↓",
    "rotate45": "↺",
}
