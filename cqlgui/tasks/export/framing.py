"""Writes hits in the query's own frame. In this frame, the transform of the hit's orbit element is undone.
This module finds the orbit element of a hit, and the motion of the board that undoes the element's transform.
This module also writes games in the query's frame.

A game is written in the query's frame if the game is still legal after the motion. In a legal game, pawns
move in the right direction, and all men stay on the board. If a mirror has exchanged the wings, the game must
not have a castling move.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from cqlgui.board import motions, moves, tree
from cqlgui.cql.transforming import geometry, words
from cqlgui.tasks.results import hit_model

NORMALISED = "normalised"
MOVES = "moves"
FROM_HERE = 8
"""Tables show at most this number of plies after a position."""

_RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_TURNED = {"1-0": "0-1", "0-1": "1-0"}
_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
_OF_THE_WHOLE = ("fen", "setup", "plycount", "eco", "nic", "opening", "variation", "subvariation")
"""Tags that describe the beginning or the length of a whole game. These tags are wrong for a part of the
game."""


def element_of(hit: hit_model.Hit, orbits: Sequence[hit_model.Orbit]) -> hit_model.ElementCount | None:
    """The orbit element of a hit's primary match; None if there is no match."""
    for match in hit.matches[:1]:
        if 0 <= match.orbit < len(orbits):
            return orbits[match.orbit].elements[match.element]
    return None


def frame_of(element: hit_model.ElementCount | None) -> motions.Motion | None:
    """The motion from the game's board to the query's frame; None if no motion undoes the transform."""
    motion = motions.STILL if element is None else geometry.motion(element.transform)
    return None if motion is None else motion.inverse


def line_from(game: tree.GameTree, positionid: int, most: int | None = None) -> list[int]:
    """The positions of the main continuation after position `positionid`, at most `most` of them."""
    ids: list[int] = []
    while game.children[positionid] and (most is None or len(ids) < most):
        positionid = game.children[positionid][0]
        ids.append(positionid)
    return ids


def legal(game: tree.GameTree, positionid: int, frame: motions.Motion) -> bool:
    """Whether a position and its continuation form a legal game after the motion `frame`."""
    if frame.shifted or not frame.keeps_pawns:
        return False
    castles = any(moves.flag(game.moves[one]) == moves.CASTLE for one in line_from(game, positionid))
    return not castles or not frame.mirrors_wings


def fragment(
    game: tree.GameTree,
    tags: Sequence[tuple[str, str]],
    results: tuple[str, str],
    hit: hit_model.Hit,
    element: hit_model.ElementCount,
    frame: motions.Motion,
) -> str:
    """The continuation of a hit as a separate game, set up in the query's frame. `results` has the value of
    the tag `Result`, and the termination marker after the moves of the game. If the frame swaps the colours,
    players and results are swapped too. A hit in a variation has no result. A comment names the game and the
    position in the source."""
    known: dict[str, tuple[str, str]] = {}
    for given, value in tags:
        name = _other_side(given) if frame.swapped else given
        # The case of tag names does not matter. If two tags have equal names, the first tag counts. The PGN
        # reader follows the same rules.
        known.setdefault(name.lower(), (name, value))
    on_main_line = hit.positionid in (0, *line_from(game, 0))
    tagged, result = (one if on_main_line and one in _RESULTS else "*" for one in results)
    if frame.swapped:
        tagged, result = (_TURNED.get(one, one) for one in (tagged, result))
    known["result"] = "Result", tagged
    heads = [(name, known.pop(name.lower())[1]) for name in _TAGS if name.lower() in known]
    heads += [one for name, one in known.items() if name not in _OF_THE_WHOLE]
    fen = frame.position(game.positions[hit.positionid]).fen()
    lines = [_tag(*one) for one in (*heads, ("SetUp", "1"), ("FEN", fen))]
    undone = words.undone(element.transform) or "as it was played"
    said = f"As the query is written: {undone}. Game {hit.game}, position {hit.positionid} of the source."
    text = " ".join(tree.san_line(game.framed(frame), line_from(game, hit.positionid)))
    body = textwrap.wrap(f"{{{said}}} {text} {result}", 79, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, "", *body])


def _other_side(name: str) -> str:
    """The tag name for the other player, such as `WhiteElo` for `BlackElo`."""
    side = name[:5].lower()
    return {"white": "Black", "black": "White"}.get(side, name[:5]) + name[5:]


def _tag(name: str, value: str) -> str:
    value = "".join(letter if letter >= " " else " " for letter in value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'
