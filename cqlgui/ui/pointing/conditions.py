"""Conditions on a whole position or game: the choices, in words and as filters. This module does not use
Qt."""

from __future__ import annotations

import re

from cqlgui.pattern import marks

KINDS: tuple[marks.ConditionKind, ...] = (
    "turn", "check", "mate", "stalemate", "material", "movenumber", "player", "year", "elo", "result",
)  # fmt: skip
TITLES: dict[marks.ConditionKind, str] = {
    "turn": "Side to move",
    "check": "Check",
    "mate": "Mate",
    "stalemate": "Stalemate",
    "material": "Material",
    "movenumber": "Move",
    "player": "Player",
    "year": "Year",
    "elo": "Elo",
    "result": "Result",
}
CHOICES: dict[marks.ConditionKind, tuple[tuple[str, str], ...]] = {
    "turn": (("White to move", "wtm"), ("Black to move", "btm")),
    "check": (("Check", "check"),),
    "mate": (("Mate", "mate"),),
    "stalemate": (("Stalemate", "stalemate"),),
    "material": (
        ("Equal material", "power A == power a"),
        ("White has more", "power A > power a"),
        ("Black has more", "power A < power a"),
        ("No queens", "power [Qq] == 0"),
        ("Rooks and pawns", "power [QBNqbn] == 0"),
        ("Pawn ending", "power [QRBNqrbn] == 0"),
    ),
    "result": (("White won", "result 1-0"), ("Black won", "result 0-1"), ("Drawn", "result 1/2-1/2")),
}
"""The choices for some kinds of conditions, as pairs (words, filter). For the kinds without an entry here,
the user enters numbers or a name."""
RANGES: dict[marks.ConditionKind, tuple[int, int]] = {
    "movenumber": (1, 999),
    "year": (1400, 2100),
    "elo": (500, 3500),
}
"""The smallest and the greatest number that the user can enter, for each kind with numbers."""


def between(kind: marks.ConditionKind, least: int | None, most: int | None) -> str | None:
    """The filter for a number between two inclusive bounds; None if both bounds are None. The bounds may be
    given in either order."""
    if least is not None and most is not None:
        least, most = sorted((least, most))
        return f"{kind} == {least}" if least == most else f"{least} <= {kind} <= {most}"
    if least is not None:
        return f"{kind} >= {least}"
    return None if most is None else f"{kind} <= {most}"


def bounds(kind: marks.ConditionKind, text: str) -> tuple[int | None, int | None] | None:
    """The inclusive bounds in a filter of a kind; None if the filter has another form."""
    if found := re.fullmatch(rf"(\d+)\s*<=\s*{kind}\s*<=\s*(\d+)", text):
        return int(found[1]), int(found[2])
    found = re.fullmatch(rf"{kind}\s*(>=|<=|==|>|<)\s*(\d+)", text)
    if found is None:
        return None
    number = int(found[2])
    return {
        ">=": (number, None),
        ">": (number + 1, None),
        "<=": (None, number),
        "<": (None, number - 1),
        "==": (number, number),
    }[found[1]]


def player(name: str) -> str | None:
    """The filter for games of a player; None if the name is empty."""
    # A quotation mark in the name would end the CQL string too early.
    name = name.replace('"', "").strip()
    return f'player "{name}"' if name else None


def player_of(text: str) -> str | None:
    """The name in a filter for a player; None if the filter has another form."""
    found = re.fullmatch(r'player\s+"([^"]*)"', text)
    return found[1] if found else None


def words(kind: marks.ConditionKind, text: str) -> str:
    """The text of a chip. A filter that the chips can write is shown in words. Any other filter is shown as
    it is in the query."""
    plain = " ".join(text.split())
    for said, written in CHOICES.get(kind, ()):
        if plain.replace(" ", "") == written.replace(" ", ""):
            return said
    title = TITLES[kind]
    found = bounds(kind, text) if kind in RANGES else None
    if found is not None:
        least, most = found
        if least == most:
            return f"{title} {least}"
        if least is not None and most is not None:
            return f"{title} {least}–{most}"
        return f"{title} from {least}" if most is None else f"{title} to {most}"
    name = player_of(text) if kind == "player" else None
    return f"{title} {name}" if name is not None else plain
