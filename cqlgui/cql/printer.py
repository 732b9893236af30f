"""Tree to text, in either spelling, with the brackets that precedence needs and no others.

Reading a printed query gives the same tree again. Orbits, which the parser never makes, print for the eye
only.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cqlgui.board import directions, men
from cqlgui.cql import designators, nodes, registry

Style = Literal["ascii", "unicode"]


def print_query(query: nodes.Query, style: Style = "ascii") -> str:
    """The whole query: its header on the first line, then one filter of the body a line."""
    return print_header(query.header) + "\n" + "\n".join(_lines(query.body, style)) + "\n"


def print_node(node: nodes.Node, style: Style = "ascii") -> str:
    """One filter on one line (a `///` comment ends its line)."""
    return _print(node, style).text


def print_header(header: nodes.Header) -> str:
    """The header as `cql(...)`; `cql()` when it says nothing."""
    words = []
    if header.input is not None:
        words.append(f'input "{header.input}"')
    if header.output is not None:
        words.append(f'output "{header.output}"')
    if header.variations:
        words.append("variations")
    if header.gamenumber is not None:
        words.append("gamenumber " + _bounds(header.gamenumber))
    words += [f"result {result}" for result in header.results]
    if header.matchcount is not None:
        words.append(("sort " if header.sort_matchcount else "") + "matchcount " + _bounds(header.matchcount))
    if header.matchstring is not None:
        words.append(f'matchstring "{header.matchstring}"')
    if header.quiet:
        words.append("quiet")
    if header.silent:
        words.append("silent")
    return f"cql({' '.join(words)})"


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
    """A square set as few ranges: `e4`, `a-c1-3`, `[a1,c3-5]`."""
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
    """All rectangles within `squares` that hold `square`, with their spelling."""
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


@dataclass(frozen=True, slots=True)
class _Printed:
    """A printed filter: the level of its outermost operator (0: a primary), and the level up to which its
    last
    operand would swallow an operator that followed (0: closed)."""

    text: str
    level: int = 0
    open: int = 0

    def within(self, level: int, before: int = 0) -> str:
        """The text as an operand of at most `level`; `before` is the level of an operator that follows it."""
        return self.bracketed() if self.level > level or (before and self.open >= before) else self.text

    def bracketed(self) -> str:
        """The text in round brackets."""
        return f"({self.text})"


def _prefix(head: str, operand: _Printed, level: int, shut: bool = False) -> _Printed:
    """A prefix filter: its operand at `level`, and `shut` in brackets whatever it is."""
    if shut or operand.level > level:
        return _Printed(head + operand.bracketed(), open=level)
    return _Printed(head + operand.text, open=max(level, operand.open))


def _print(node: nodes.Node, style: Style) -> _Printed:
    return PRINTERS[type(node)](node, style)


def _lines(body: nodes.Node, style: Style) -> list[str]:
    filters = body.filters if isinstance(body, nodes.Compound) else (body,)
    return _beside(filters, 14, style)


_TEXT_WORD = re.compile(r"(?:^|[^\w$])(?:player|white|black|event|site|date|eventdate|eco)$")


def _beside(filters: tuple[nodes.Node, ...], level: int, style: Style) -> list[str]:
    """Texts of filters that stand side by side, bracketed where one would continue the one before."""
    texts: list[str] = []
    for node in filters:
        printed = _print(node, style)
        text = printed.within(level)
        before = texts[-1] if texts else ""
        if before and (text.startswith("-") or (text.startswith('"') and _TEXT_WORD.search(before))):
            text = f"({text})"
        texts.append(text)
    return texts


def _arguments(filters: tuple[nodes.Node, ...], level: int, style: Style) -> str:
    return "(" + " ".join(_beside(filters, level, style)) + ")"


def _bounds(found: nodes.Range) -> str:
    if found.count:
        return "count"
    return str(found.low) if found.low == found.high else f"{found.low} {found.high}"


_NAME = re.compile(r"[A-Za-z$_][A-Za-z0-9$_]*")


def _ranged(head: str, found: nodes.Range | None, operand: nodes.Node, level: int, style: Style) -> _Printed:
    """Keyword, range and operand; an operand that begins with a number or a variable would be taken for a
    bound."""
    printed = _print(operand, style)
    name = _NAME.match(printed.text)
    variable = (
        name is not None
        and not registry.is_reserved(name.group())
        and not designators.match_length(printed.text, 0)
    )
    shut = printed.text[0].isdigit() or printed.text[0] == "-" or variable
    return _prefix(f"{head} " if found is None else f"{head} {_bounds(found)} ", printed, level, shut)


def _word(text: str) -> Callable[[nodes.Node, Style], _Printed]:
    return lambda node, style: _Printed(text)


def _designator(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Designator)
    return _Printed(print_designator(node.men, node.squares, style))


def _all_squares(node: nodes.Node, style: Style) -> _Printed:
    return _Printed("▦" if style == "unicode" else ".")


def _number(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Number)
    return _Printed(str(node.value))


_CONSTANTS = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def quoted(text: str) -> str:
    """A string as the language writes it: one literal, an escape constant, or a bracketed sum of both."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    parts = [part for part in re.split(r'([\n\r"])', text) if part]
    pieces = [_CONSTANTS.get(part, f'"{part}"') for part in parts] or ['""']
    return pieces[0] if len(pieces) == 1 else f"({' + '.join(pieces)})"


def _string(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.String)
    return _Printed(quoted(node.value))


def _name(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Name)
    return _Printed(node.name)


def _truth(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Truth)
    return _Printed("true" if node.value else "false")


def _side(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.SideToMove)
    return _Printed("wtm" if node.colour == "white" else "btm")


def _own_word(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.State | nodes.Measure | nodes.TagText)
    return _Printed(node.word)


def _current_position(node: nodes.Node, style: Style) -> _Printed:
    return _Printed("∙" if style == "unicode" else "currentposition")


def _coloured(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Elo | nodes.Player)
    word = "elo" if isinstance(node, nodes.Elo) else "player"
    return _Printed(word if node.colour is None else f"{word} {node.colour}")


def _result(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Result)
    return _Printed(f"result {node.result}")


def _implicit_search(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.ImplicitSearch)
    return _Printed(f'{_print(node.text, style).text} "{node.needle}"')


def _not(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Not)
    return _prefix("not ", _print(node.operand, style), 11)


def _complement(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Complement)
    operand = _print(node.operand, style)
    return _prefix("~", operand, 3, shut=operand.text.startswith("~"))


def _negate(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Negate)
    operand = _print(node.operand, style)
    literal = operand.text[0].isdigit() or operand.text[0] == "-"
    return _prefix("-", operand, 1, shut=literal)


_NO_STRINGS = (
    nodes.Designator,
    nodes.AllSquares,
    nodes.EmptySet,
    nodes.Complement,
    nodes.Shade,
    nodes.Direction,
    nodes.Between,
    nodes.Ray,
    nodes.SquareLoop,
    nodes.PieceLoop,
    nodes.SetOperation,
    nodes.Attack,
    nodes.Arrow,
    nodes.Transform,
)


def _count(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Count)
    operand = _print(node.operand, style)
    if isinstance(node.operand, _NO_STRINGS):
        return _prefix("#", operand, 7)
    # The length of a string would take in a following `+`.
    printed = _prefix("#", operand, 0)
    return _Printed(printed.text, open=max(9, printed.open))


def _numeric(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Numeric)
    return _prefix(f"{node.word} ", _print(node.operand, style), 9)


def _extremum(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Extremum)
    return _Printed(node.word + _arguments(node.operands, 9, style))


def _power(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Power)
    return _prefix("power ", _print(node.operand, style), 7)


def _shade(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Shade)
    return _prefix(f"{node.shade} ", _print(node.operand, style), 1)


def _direction(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Direction)
    word = directions.word_of(node.directions)
    assert word is not None, "transforms map the direction words to one another"
    return _ranged(word, node.range, node.operand, 1, style)


def _between(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Between)
    return _Printed("between" + _arguments((node.left, node.right), 7, style))


def _ray(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Ray)
    words = ["ray"]
    if node.range is not None:
        words.append(_bounds(node.range))
    if node.attack:
        words.append("attack")
    elif node.directions != directions.ANY_DIRECTION:
        whole = directions.word_of(node.directions)
        single = [directions.word_of(1 << one) or "" for one in directions.members(node.directions)]
        words += [whole] if whole else single
    return _Printed(" ".join(words) + _arguments(node.operands, 14, style))


def _find(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Find)
    words = ["find"]
    if node.quiet:
        words.append("quiet")
    if node.backwards:
        words.append("<--")
    if node.all:
        words.append("all")
    return _ranged(" ".join(words), node.range, node.operand, 14, style)


def _sort(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Sort)
    words = ["sort"]
    if node.quiet:
        words.append("quiet")
    if node.order:
        words.append(node.order)
    operand = _print(node.operand, style).text
    if node.doc is not None:
        words.append(f'"{node.doc}"')
    elif operand.startswith('"'):
        operand = f"({operand})"
    words.append(operand)
    return _Printed(" ".join(words), open=14)


def _comment(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Comment)
    if node.slashes:
        return _Printed("///" + " ".join(_beside(node.parts, 14, style)) + "\n")
    return _Printed("comment" + _arguments(node.parts, 14, style))


_TRANSFORM_SIGNS = {"flip": "✵", "flipcolor": "⬓"}


def _transform(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Transform)
    word: str = _TRANSFORM_SIGNS.get(node.word, node.word) if style == "unicode" else node.word
    return _ranged(word, node.range, node.operand, 14, style)


def _notransform(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.NoTransform)
    return _Printed("notransform " + _print(node.operand, style).text, open=14)


def _compound(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Compound)
    return _Printed("{" + " ".join(_beside(node.filters, 14, style)) + "}")


_SIGNS = {
    "&": "∩", "|": "∪", "->": "→", "<-": "←", "!=": "≠", "<=": "≤", ">=": "≥", "|=": "∪=", "&=": "∩=",
}  # fmt: skip


def _sign(operator: str, style: Style) -> str:
    return _SIGNS.get(operator, operator) if style == "unicode" else operator


def _infix(
    left: nodes.Node, sign: str, right: nodes.Node, levels: tuple[int, int, int], style: Style
) -> _Printed:
    """`levels`: of the operator, and the highest ones its left and right operands may have without
    brackets."""
    level, left_level, right_level = levels
    end = _print(right, style)
    bare = end.level <= right_level
    text = f"{_print(left, style).within(left_level, before=level)} {sign} {end.within(right_level)}"
    return _Printed(text, level, end.open if bare else 0)


def _set_operation(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.SetOperation)
    levels = (4, 4, 3) if node.operator == "&" else (5, 5, 4)
    return _infix(node.left, _sign(node.operator, style), node.right, levels, style)


def _attack(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Attack)
    return _infix(node.left, node.word, node.right, (3, 3, 2), style)


def _arrow(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Arrow)
    printed = [_print(operand, style) for operand in node.operands]
    texts = [one.within(5, before=6) for one in printed[:-1]] + [printed[-1].within(5)]
    last = printed[-1].open if printed[-1].level <= 5 else 0
    return _Printed(f" {_sign(node.operator, style)} ".join(texts), 6, last)


def _compare(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Compare)
    return _infix(node.left, _sign(node.operator, style), node.right, (10, 9, 10), style)


def _arithmetic(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Arithmetic)
    levels = (9, 9, 8) if node.operator in ("+", "-") else (8, 8, 7)
    return _infix(node.left, node.operator, node.right, levels, style)


def _in(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.In)
    return _infix(node.left, "in", node.right, (11, 10, 7), style)


def _logic(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Logic)
    levels = (12, 12, 11) if node.word == "and" else (13, 13, 12)
    return _infix(node.left, node.word, node.right, levels, style)


def _assign(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Assign)
    return _prefix(f"{node.name} {_sign(node.operator, style)} ", _print(node.value, style), 9)


def _loop(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.SquareLoop | nodes.PieceLoop)
    pieces = isinstance(node, nodes.PieceLoop)
    domain, body = _print(node.domain, style), _print(node.body, style).text
    if body.startswith("-"):
        body = f"({body})"
    if style == "unicode":
        head = ("∀" if node.all else "") + ("◭" if pieces else "") + f"{node.name}∊"
    else:
        head = ("piece " if pieces else "square ") + ("all " if node.all else "") + f"{node.name} in "
    return _Printed(f"{head}{domain.within(7)} {body}", open=14)


def _piece_assign(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.PieceAssign)
    head = f"◭{node.name} = " if style == "unicode" else f"piece {node.name} = "
    return _prefix(head, _print(node.value, style), 7)


_SHOWN_ELEMENTS = 4


def _orbit(node: nodes.Node, style: Style) -> _Printed:
    assert isinstance(node, nodes.Orbit)
    texts = [_print(one.filter, style).text for one in node.elements[:_SHOWN_ELEMENTS]]
    if len(node.elements) > _SHOWN_ELEMENTS:
        texts.append(f"and {len(node.elements) - _SHOWN_ELEMENTS} more")
    head = "orbit" if node.range is None else f"orbit {_bounds(node.range)}"
    return _Printed(f"{head} <{'; '.join(texts)}>")


PRINTERS: dict[type[nodes.Node], Callable[[nodes.Node, Style], _Printed]] = {
    nodes.Designator: _designator,
    nodes.AllSquares: _all_squares,
    nodes.EmptySet: _word("[]"),
    nodes.Number: _number,
    nodes.String: _string,
    nodes.Name: _name,
    nodes.Truth: _truth,
    nodes.SideToMove: _side,
    nodes.State: _own_word,
    nodes.CurrentPosition: _current_position,
    nodes.Measure: _own_word,
    nodes.Elo: _coloured,
    nodes.Player: _coloured,
    nodes.Result: _result,
    nodes.TagText: _own_word,
    nodes.ImplicitSearch: _implicit_search,
    nodes.CurrentTransform: _word("currenttransform"),
    nodes.Not: _not,
    nodes.Complement: _complement,
    nodes.Negate: _negate,
    nodes.Count: _count,
    nodes.Numeric: _numeric,
    nodes.Extremum: _extremum,
    nodes.Power: _power,
    nodes.Shade: _shade,
    nodes.Direction: _direction,
    nodes.Between: _between,
    nodes.Ray: _ray,
    nodes.Find: _find,
    nodes.Sort: _sort,
    nodes.Comment: _comment,
    nodes.Transform: _transform,
    nodes.NoTransform: _notransform,
    nodes.Compound: _compound,
    nodes.SetOperation: _set_operation,
    nodes.Attack: _attack,
    nodes.Arrow: _arrow,
    nodes.Compare: _compare,
    nodes.Arithmetic: _arithmetic,
    nodes.In: _in,
    nodes.Logic: _logic,
    nodes.Assign: _assign,
    nodes.SquareLoop: _loop,
    nodes.PieceLoop: _loop,
    nodes.PieceAssign: _piece_assign,
    nodes.Orbit: _orbit,
}
