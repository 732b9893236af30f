"""Strings of old scripts that describe a position (`:fen`) or a line of moves (`:line`)."""

from __future__ import annotations

import re
from typing import Final

from cqlgui.base import data
from cqlgui.cql.legacy.reading import legacy_designators, legacy_nodes, legacy_parameters, legacy_reader

GIVES: Final = {
    "+": "child:check",
    "++": "child:flipcolor {(A attacks k)>=2}",
    "#": "child:mate",
    "": "",
}
_ROW = re.compile("[KQRBNPkqrbnp1-8]+")
_MOVE = re.compile(r"([KQRBNP]?)([a-h][1-8])([-x])([a-h][1-8])(?:=?([QRBN]))?(e\.p\.)?(\+\+|\+|#|)")


def fen(item: legacy_reader.Quoted, problems: legacy_reader.Problems) -> str:
    """The filter for a position that is given as FEN; empty after a reported problem. The filter tests the
    men. It also tests the side to move and the castling rights if the string contains these fields."""
    fields = item.text.split()
    if not fields or not _is_placement(fields[0]):
        problems.error(item.span, "bad position: eight rows of K Q R B N P k q r b n p and 1-8 expected")
        return ""
    parts = [f'fen "{fields[0]}"']
    if len(fields) > 1:
        if fields[1] not in ("w", "b"):
            problems.error(item.span, f"bad position: w or b expected, not {fields[1]}")
            return ""
        parts.append(f"{fields[1]}tm")
    if len(fields) > 2:
        if not re.fullmatch("-|[KQkq]{1,4}", fields[2]):
            problems.error(item.span, f"bad position: castling rights expected, not {fields[2]}")
            return ""
        parts.append(f'fen ~~ " [wb] {fields[2]} "')
    return " ".join(parts)


def long_line(
    word: legacy_reader.Word, item: legacy_reader.Quoted, problems: legacy_reader.Problems
) -> legacy_nodes.Term | None:
    """The condition that the moves in `item` are played from the current position; None after a reported
    problem. `item` is a string in long notation.

    The pawn moves determine which side begins. Without pawn moves, either side may begin.
    """
    texts = item.text.split()
    moves = []
    for text in texts:
        found = _MOVE.fullmatch(text)
        if found is None:
            legacy_parameters.no_equivalent(word, problems, f"{word.text} with {text}")
            return None
        moves.append(found)
    if not moves:
        problems.error(item.span, f"moves expected after {word.text}")
        return None
    sides = [white for white in (True, False) if _possible(moves, white)]
    if not sides:
        problems.error(item.span, "these moves cannot follow each other: a pawn goes the wrong way")
        return None
    lines = [_line(item, moves, white) for white in sides]
    if len(lines) == 1:
        return lines[0]
    lists = [
        legacy_nodes.PositionList(item.span, (legacy_nodes.Plain((side,)), line))
        for side, line in zip(("wtm", "btm"), lines, strict=True)
    ]
    return legacy_nodes.LegacyGroup("or", tuple(lists))


def _is_placement(text: str) -> bool:
    rows = text.split("/")
    return len(rows) == 8 and all(
        _ROW.fullmatch(row) and sum(int(c) if c.isdigit() else 1 for c in row) == 8 for row in rows
    )


def _possible(moves: list[re.Match[str]], white: bool) -> bool:
    """Whether every pawn moves forward. `white` is True if White plays the first move."""
    for number, move in enumerate(moves):
        if not move[1] or move[1] == "P":
            up = int(move[4][1]) - int(move[2][1])
            if not (up > 0 if white == (number % 2 == 0) else up < 0):
                return False
    return True


def _line(item: legacy_reader.Quoted, moves: list[re.Match[str]], white: bool) -> legacy_nodes.Term:
    lists = []
    for number, move in enumerate(moves):
        ours = white == (number % 2 == 0)
        letter = move[1] or "P"
        origin = legacy_designators.Designator(letter if ours else letter.lower(), _square(move[2]))
        enemy = "a" if ours else "A"
        captures = move[3] == "x" and not move[6]
        target = legacy_designators.Designator(enemy if captures else "_", _square(move[4]))
        whole = legacy_nodes.Move(origin, target, move[5] or "", None, bool(move[6]))
        if move[5] and not ours:
            whole = data.replace(whole, promote=move[5].lower())
        gives = GIVES[move[7]]
        terms: tuple[legacy_nodes.Term, ...] = (whole, legacy_nodes.Plain((gives,))) if gives else (whole,)
        lists.append(legacy_nodes.PositionList(item.span, terms))
    return legacy_nodes.LegacyGroup("sequence", tuple(lists))


def _square(name: str) -> int:
    return 1 << (8 * (int(name[1]) - 1) + "abcdefgh".index(name[0]))
