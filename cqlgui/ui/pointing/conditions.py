"""Conditions about a whole position or game: what may be chosen, in words and as the filter. No Qt."""

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
"""What can be chosen as it stands, in words; kinds that are not here ask for a number or a name."""
RANGES: dict[marks.ConditionKind, tuple[int, int]] = {
    "movenumber": (1, 999),
    "year": (1400, 2100),
    "elo": (500, 3500),
}
"""Kinds that ask for numbers, with the least and the greatest."""


def between(kind: marks.ConditionKind, least: int | None, most: int | None) -> str | None:
    """The filter for a number between bounds, either of which may be absent; None without any."""
    if least is not None and most is not None:
        least, most = sorted((least, most))
        return f"{kind} == {least}" if least == most else f"{least} <= {kind} <= {most}"
    if least is not None:
        return f"{kind} >= {least}"
    return None if most is None else f"{kind} <= {most}"


def bounds(kind: marks.ConditionKind, text: str) -> tuple[int | None, int | None] | None:
    """The bounds that a filter of this kind names; None where it says something else."""
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
    """The filter for games of a player; None without a name."""
    # A string of CQL ends at its first quotation mark.
    name = name.replace('"', "").strip()
    return f'player "{name}"' if name else None


def player_of(text: str) -> str | None:
    """The name in a filter for a player; None where it says something else."""
    found = re.fullmatch(r'player\s+"([^"]*)"', text)
    return found[1] if found else None


def words(kind: marks.ConditionKind, text: str) -> str:
    """What a chip says of a filter: in words where it is one of ours, else as it is written."""
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
