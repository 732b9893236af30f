"""What the printers of all node kinds share: printed text with its precedence, brackets, bounds, signs.

Each module that prints node kinds enters its functions into `PRINTERS`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Final, Literal

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.board import men
from cqlgui.cql.ast import nodes, nodes_squares
from cqlgui.cql.source import designators
from cqlgui.cql.vocabulary import registry

Style = Literal["ascii", "unicode"]


def print_filter(node: nodes.Node, style: Style) -> Printed:
    """A filter as text, with precedence levels. These levels decide whether the text needs brackets."""
    return PRINTERS[type(node)](node, style)


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed filter. `level` is the precedence level of the outermost operator (0: a primary). If an
    operator of a level up to `open` follows the filter, the operator becomes part of the filter's last
    operand. If `open` is 0, no operator becomes part of this operand."""

    text: str
    level: int = 0
    open: int = 0

    def within(self, level: int, before: int = 0) -> str:
        """The text as an operand, in brackets if necessary. Without brackets, the level of the operand may be
        at most `level`. `before` is the level of the operator after the operand (0: no operator)."""
        return self.bracketed() if self.level > level or (before and self.open >= before) else self.text

    def bracketed(self) -> str:
        """The text in round brackets."""
        return f"({self.text})"


def prefix(head: str, operand: Printed, level: int, shut: bool = False) -> Printed:
    """A prefix filter. An operand gets brackets if its level is above `level` or if `shut` is True."""
    if shut or operand.level > level:
        return Printed(head + operand.bracketed(), open=level)
    return Printed(head + operand.text, open=max(level, operand.open))


def print_designator(mask: int, squares: int, style: Style = "ascii") -> str:
    """The shortest canonical spelling of a men mask and a square set; `[]` for no squares."""
    if not squares or not mask:
        return "[]"
    pieces = "" if mask == men.ANY_MASK else _pieces(mask, style)
    if squares == designators.ALL_SQUARES:
        return pieces or "a-h1-8"
    return pieces + print_squares(squares)


@functools.lru_cache(maxsize=4096)
def print_squares(squares: int) -> str:
    """A square set as a short list of ranges: `e4`, `a-c1-3`, `[a1,c3-5]`."""
    parts, left = [], squares
    while left:
        box = max(
            _boxes(squares, (left & -left).bit_length() - 1),
            key=lambda one: ((one[0] & left).bit_count(), -one[0]),
        )
        parts.append(box[1])
        left &= ~box[0]
    return parts[0] if len(parts) == 1 else f"[{','.join(parts)}]"


def _boxes(squares: int, square: int) -> list[tuple[int, str]]:
    """All rectangles within `squares` that contain `square`, each with its spelling."""
    file, rank = square % 8, square // 8
    found = []
    for low in range(file, -1, -1):
        for high in range(file, 8):
            for bottom in range(rank, -1, -1):
                for top in range(rank, 8):
                    box = designators.rectangle(low, high, bottom, top)
                    if box & ~squares:
                        break
                    files = chr(97 + low) + (f"-{chr(97 + high)}" if high > low else "")
                    ranks = str(bottom + 1) + (f"-{top + 1}" if top > bottom else "")
                    found.append((box, files + ranks))
    return found


_PIECE_ORDER = "KQRBNPkqrbnp_"
_FIGURINE_OF = {letter: sign for sign, letter in designators.FIGURINES.items()}


def _pieces(mask: int, style: Style) -> str:
    letters, rest = "", mask
    for letter in "Aa":
        if mask & designators.PIECES[letter] == designators.PIECES[letter]:
            letters += letter
            rest &= ~designators.PIECES[letter]
    letters += "".join(letter for letter in _PIECE_ORDER if rest & designators.PIECES[letter])
    if style == "unicode":
        return "◭" if letters == "Aa" else "".join(_FIGURINE_OF[letter] for letter in letters)
    return letters if len(letters) == 1 else f"[{letters}]"


_CHILD = pattern(r"(?:^|[^\w$])child$")
_COLOURABLE = pattern(r"(?:^|[^\w$])(?:player|elo|pgn eval)$")
_COLOUR = pattern(r"(?:white|black)(?![\w$])")
_DASH = pattern(r"--|\[x\]|[―×]")
_PARAMETERS_END = pattern(r"(?:^|[^\w$])(?:move|pin)(?:[^\w$]|$)")
_PARAMETER = pattern(
    r"(?:from|to|enpassant|enpassantsquare|castle|o-o|o-o-o|primary|secondary|legal|pseudolegal|comment)(?![\w$-])"
)


def _runs_on(before: str, text: str) -> bool:
    """True if `text` directly after `before` would be read as a part of `before`."""
    if text.startswith("-"):
        return not text.startswith("--")
    if text.startswith('"'):
        return _TEXT_WORD.search(before) is not None
    if _COLOUR.match(text) is not None:
        return _COLOURABLE.search(before) is not None
    if _MORE.match(text) and _WORD_THAT_GOES_ON.search(before):
        return True
    return _PARAMETER.match(text) is not None and _PARAMETERS_END.search(before) is not None


SWALLOWS: Final = 15
"""The value of `Printed.open` for a filter that has no end of its own. Such a filter, for example a path,
continues to the end of the surrounding bracket or to a blank line."""
_TEXT_WORD = pattern(
    r"(?:^|[^\w$])(?:player|white|black|event|site|date|eventdate|eco|fen|originalcomment"
    r"|hhdb (?:composer|diagram|firstcomment|stipulation|search|gbr(?: \w+)?))$"
)
_WORD_THAT_GOES_ON = pattern(
    r"(?:^|[^\w$])hhdb (?:gbr|(?:(?:sort|special|award|prize|hm|commendation|max) ?)+)$"
)
_MORE = pattern(r"(?:material|kings|pieces|pawns|sort|special|award|prize|hm|commendation|max)(?![\w$])")


def adjacent(filters: tuple[nodes.Node, ...], level: int, style: Style) -> list[str]:
    """The texts of neighbouring filters. A text gets brackets if the text would be read as a part of the
    previous text."""
    texts: list[str] = []
    for place, node in enumerate(filters, 1):
        printed = print_filter(node, style)
        text = printed.within(level, before=SWALLOWS if place < len(filters) else 0)
        before = texts[-1] if texts else ""
        if before and _runs_on(before, text):
            text = f"({text})"
        if before and text.startswith("(") and _DASH.search(before):
            # A round bracket after a move would begin the target of the move.
            text = f"{{{text}}}"
        if text.startswith("(") and runs_into_bracket(before):
            texts[-1] = f"({before})"
        texts.append(text)
    return texts


def spoken(filters: tuple[nodes.Node, ...], style: Style) -> list[str]:
    """Texts of the operands of `comment` and similar filters. A string directly after an operand such as
    `player` is an operand of its own (language spec, R2-8). An implicit search or a placement contains a
    string. An operand that contains one of these filters therefore gets braces, which keep the string in
    the operand."""
    texts = adjacent(filters, 14, style)
    return [
        f"{{{text}}}" if any(isinstance(one, _SEARCHES) for one in nodes.walk(node)) else text
        for node, text in zip(filters, texts, strict=True)
    ]


_SEARCHES = (nodes.ImplicitSearch, nodes_squares.Placement)


def spoken_arguments(filters: tuple[nodes.Node, ...], style: Style) -> str:
    return "(" + " ".join(spoken(filters, style)) + ")"


def runs_into_bracket(text: str) -> bool:
    """True if the filter ends with `child`. A round bracket after `child` would be read as the number of the
    child."""
    return _CHILD.search(text) is not None


def takes_bracket(text: str) -> bool:
    """True if a round bracket after the filter would be read as the number of a `child` or as the target of a
    move."""
    return runs_into_bracket(text) or _DASH.search(text) is not None


def arguments(filters: tuple[nodes.Node, ...], level: int, style: Style) -> str:
    return "(" + " ".join(adjacent(filters, level, style)) + ")"


def bounds(found: nodes.Range) -> str:
    if found.count:
        return "count"
    return str(found.low) if found.low == found.high else f"{found.low} {found.high}"


_NAME = pattern(r"[A-Za-z$_][A-Za-z0-9$_]*")


def ranged(head: str, found: nodes.Range | None, operand: nodes.Node, level: int, style: Style) -> Printed:
    """Keyword, range and operand. An operand that begins with a number or a variable gets brackets. Without
    brackets, the number or variable would be read as a bound."""
    printed = print_filter(operand, style)
    name = _NAME.match(printed.text)
    variable = (
        name is not None
        and not registry.is_reserved(name.group())
        and not designators.match_length(printed.text, 0)
    )
    shut = printed.text[0].isdigit() or printed.text[0] == "-" or variable
    return prefix(f"{head} " if found is None else f"{head} {bounds(found)} ", printed, level, shut)


_SIGNS = {
    "&": "∩", "|": "∪", "->": "→", "<-": "←", "!=": "≠", "<=": "≤", ">=": "≥", "|=": "∪=", "&=": "∩=",
}  # fmt: skip


def sign(operator: str, style: Style) -> str:
    return _SIGNS.get(operator, operator) if style == "unicode" else operator


def infix(
    left: nodes.Node, sign: str, right: nodes.Node, levels: tuple[int, int, int], style: Style
) -> Printed:
    """An infix filter. `levels` contains the level of the operator, and the highest levels that the left and
    the right operand may have without brackets."""
    level, left_level, right_level = levels
    end = print_filter(right, style)
    bare = end.level <= right_level
    text = f"{print_filter(left, style).within(left_level, before=level)} {sign} {end.within(right_level)}"
    return Printed(text, level, end.open if bare else 0)


_CONSTANTS = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def quoted(text: str) -> str:
    """A string as a query spells it: a literal, an escape constant, or a bracketed sum of these parts."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    parts = [part for part in re.split(r'([\n\r"])', text) if part]
    pieces = [_CONSTANTS.get(part, f'"{part}"') for part in parts] or ['""']
    return pieces[0] if len(pieces) == 1 else f"({' + '.join(pieces)})"


Printer = Callable[[nodes.Node, Style], Printed]

PRINTERS: Final[dict[type[nodes.Node], Printer]] = {}
"""The printer of every filter kind."""
