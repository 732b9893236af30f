"""The tools for clicks on the board in Pattern mode: select, erase, or place men. This module does not use
Qt."""

from __future__ import annotations

from cqlgui.base.data import dataclass
from cqlgui.board import men

WHITE, BLACK, BOTH = "white", "black", "both"
_SIDES = {"1": WHITE, "2": BLACK, "3": BOTH}
_NAMES = ("empty", "pawn", "knight", "bishop", "rook", "queen", "king")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. A click places the men in `men`. `men` is 0 for the tools `POINTER` and `ERASER`."""

    men: men.ManMask = 0
    erases: bool = False

    @property
    def points(self) -> bool:
        """Whether a click selects a mark."""
        return not self.men and not self.erases

    @property
    def name(self) -> str:
        """The name on screen."""
        if self.erases:
            return "Eraser"
        return words(self.men) if self.men else "Pointer"


POINTER = Tool()
ERASER = Tool(erases=True)


def of_man(man: men.Man) -> Tool:
    """The tool that places one man."""
    return Tool(1 << man)


def with_another(tool: Tool, other: Tool) -> Tool:
    """The tool after a Ctrl+click on `other`: a tool that places the men of `tool` and of `other`.

    If `tool` already places all men of `other`, the result is `tool` without the men of `other`. If no man
    would be left, the result is `tool`. If either tool places no men, the result is `other`.
    """
    if not tool.men or not other.men:
        return other
    if other.men & ~tool.men:
        return Tool(tool.men | other.men)
    return Tool(tool.men & ~other.men) if tool.men & ~other.men else tool


def by_key(text: str, side: str, tool: Tool) -> tuple[Tool, str] | None:
    """The tool and the side that a typed character chooses; None if the character has no meaning.

    `K Q R B N P` choose a kind of man of the side, and `A` chooses any man of the side. `1 2 3` choose White,
    Black or both colours as the side, and give this colour to the men of the tool. `E` or `_` chooses the
    empty square, `.` chooses any square, and `X` chooses the eraser.
    """
    if text in _SIDES:
        return (Tool(_coloured(tool.men, _SIDES[text])) if tool.men else tool), _SIDES[text]
    sign = text.upper()
    kind = men.SYMBOLS.find(sign) if len(sign) == 1 and sign != "." else -1
    if kind > 0:
        return Tool(_coloured(1 << kind, side)), side
    others = {
        "A": Tool(_coloured(men.WHITE_MASK, side)),
        "E": Tool(men.EMPTY_MASK),
        "_": Tool(men.EMPTY_MASK),
        ".": Tool(men.ANY_MASK),
        "X": ERASER,
    }
    return (others[sign], side) if sign in others else None


def _coloured(mask: men.ManMask, side: str) -> men.ManMask:
    """The men of the kinds in `mask`, in the colour of a side."""
    white = mask & men.WHITE_MASK | (mask & men.BLACK_MASK) >> 6
    rest = mask & men.EMPTY_MASK
    return rest | {WHITE: white, BLACK: white << 6}.get(side, white | white << 6)


def words(mask: men.ManMask) -> str:
    """Men in words: `White knight`, `White knight or bishop`, `Any black man`, `Knight of either colour`."""
    known = {
        men.ANY_MASK: "Any square",
        men.EMPTY_MASK: "Empty square",
        men.MAN_MASK: "Any man",
        men.WHITE_MASK: "Any white man",
        men.BLACK_MASK: "Any black man",
    }
    if mask in known:
        return known[mask]
    white, black = mask & men.WHITE_MASK, mask & men.BLACK_MASK
    if white and white << 6 == black:
        found = f"{_listed(white)} of either colour"
    else:
        parts = [f"white {_listed(white)}"] if white else []
        parts += [f"black {_listed(black >> 6)}"] if black else []
        found = " or ".join(parts)
    if mask & men.EMPTY_MASK:
        found += " or empty"
    return found[:1].upper() + found[1:]


def _listed(kinds: men.ManMask) -> str:
    if kinds == men.WHITE_MASK:
        return "man"
    return " or ".join(_NAMES[kind] for kind in range(men.KING, 0, -1) if kinds >> kind & 1)
