"""`:pawncount D attributes r` of CQL-S: the number of pawns with attributes such as `passed` or
`isolated-!blocked`."""

from __future__ import annotations

from typing import Final

from cqlgui.base import data
from cqlgui.cql.legacy.reading import (
    legacy_designators,
    legacy_nodes,
    legacy_parameters,
    legacy_ranges,
    legacy_reader,
)

# The value of each of these CQL 6 filters is a set with pawns of both colours. Without negation, the filter
# is written before the designator of the pawns. With negation, the filter is written after this designator.
_SETS: Final = {
    "passed": "passedpawns",
    "isolated": "isolatedpawns",
    "double": "doubledpawns",
    "connected": "connectedpawns",
}
_WHITE: Final = {
    "duo": "horizontal 1 P",
    "blocked": "down p",
    "blocked!": "down 1 p",
    "behind": "up p",
    "advanced": "a-h5-8",
}
_BLACK: Final = {
    "duo": "horizontal 1 p",
    "blocked": "up P",
    "blocked!": "up 1 P",
    "behind": "down P",
    "advanced": "a-h1-4",
}
_RELATIONS: Final = {"defended": "attackedby", "defender": "attacks"}
_FACING: Final = {"blocked", "blocked!", "behind", "advanced", "duo"}


def read(
    word: legacy_reader.Word,
    items: legacy_reader.Items,
    problems: legacy_reader.Problems,
    terms: list[legacy_nodes.Term],
) -> None:
    """Take the parameters and add the condition to `terms`, or report a problem."""
    found = legacy_parameters.take_designator(items, problems, word.text)
    attributes = items.word()
    if attributes is None or legacy_ranges.take(legacy_reader.Items((attributes,), attributes.span)):
        problems.error(items.place, f"attributes of pawns expected after {word.text}")
        legacy_ranges.take(items)
        return
    items.take()
    limits = None
    limit_word = items.word()
    if limit_word is not None and limit_word.text.endswith("%"):
        legacy_parameters.no_equivalent(limit_word, problems, f"{word.text} with percentages")
        items.skip()
    else:
        limits = legacy_parameters.take_range(items, problems, word.text)
    names = attributes.text.split("-")
    known = {*_SETS, *_WHITE, *_RELATIONS}
    wrong = [name for name in names if name.removeprefix("!") not in known]
    for name in wrong:
        legacy_parameters.no_equivalent(attributes, problems, f"{word.text} {name}")
    if found is None or limits is None or wrong:
        return
    if found.tag or found.promoted is not None or not found.pieces or set(found.pieces) - {"P", "p"}:
        problems.error(word.span, f"pawns expected after {word.text}")
        return
    if any(name.removeprefix("!") == "behind" for name in names):
        problems.warning(
            attributes.span, "behind: all enemy pawns of the file are looked at, also those already passed"
        )
    sides = [_side(data.replace(found, pieces=letter), names) for letter in found.pieces]
    parts: list[legacy_nodes.Part] = []
    for side in sides:
        parts += [" | ", *side] if parts else side
    text = limits.count("\0")
    if isinstance(text, bool):
        terms += [] if text else [legacy_nodes.Always(False)]
        return
    start, _, end = text.partition("\0")
    facing = attributes.span if any(name.removeprefix("!") in _FACING for name in names) else None
    terms.append(legacy_nodes.Plain((f"{start}#(", *parts, f"){end}"), limits.holds(0), facing))


def _side(pawns: legacy_designators.Designator, names: list[str]) -> list[legacy_nodes.Part]:
    """The pawns of one colour that have all attributes, as an intersection of sets."""
    white = pawns.pieces == "P"
    before: list[str] = []
    behind: list[str] = []
    relations: list[str] = []
    for name in names:
        plain = name.removeprefix("!")
        negated = plain != name
        if plain in _SETS:
            (behind if negated else before).append(("~" if negated else "") + _SETS[plain])
        elif plain in _RELATIONS:
            if negated:
                behind.append(f"~({pawns.pieces} {_RELATIONS[plain]} {pawns.pieces})")
            else:
                relations.append(f" {_RELATIONS[plain]} {pawns.pieces}")
        else:
            text = (_WHITE if white else _BLACK)[plain]
            behind.append(f"~({text})" if negated else text)
    parts: list[legacy_nodes.Part] = [f"{text} & " for text in before]
    if not relations:
        parts.append(pawns)
    for place, relation in enumerate(relations):
        # `attacks` binds tighter than `&`, so no brackets are needed.
        parts += [" & " if place else "", pawns, relation]
    parts += [f" & {text}" for text in behind]
    return [part for part in parts if part != ""]
