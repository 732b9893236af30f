"""Rules for strings.

A string that is one of a few texts, which are known at compile time, is the number of the text in machine
code. An example is the letter of a man. A string that depends on the game alone is the number of the answer
to a question (`facts`). Strings in variables, sums of strings, and `str` of sets or of such strings may be
any text: they are put together in the frame (`kernels.built_texts`), where they can be compared, measured and
searched for simple patterns. Machine code also writes the FEN of a position and searches it for a given text.
All other filters about strings are left to the interpreter.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Final

from cqlgui.board import squares
from cqlgui.cql.ast import nodes, nodes_squares, nodes_strings
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_squares, closures_strings
from cqlgui.cql.interpreting.runtime import values
from cqlgui.cql.source import ecmascript
from cqlgui.cql.transforming import words as transform_words
from cqlgui.engine.facts import patience
from cqlgui.engine.kernels import built_texts, fens, routines
from cqlgui.engine.lowering import blocks, lowering_board, ordering
from cqlgui.engine.lowering.blocks import field_of, integer, word
from cqlgui.engine.lowering.dispatch import SETS, TESTS, TEXTS, Lowering
from cqlgui.engine.lowering.scope import Number, Scope, Text
from cqlgui.engine.replaying import layout
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar


def _string(low: Lowering, s: Scope, node: nodes.String, fail: str) -> Text:
    return Text(integer(0), (node.value,))


def _current_transform(low: Lowering, s: Scope, node: nodes.CurrentTransform, fail: str) -> Text:
    return Text(integer(0), (transform_words.bracketed(node.applied),))


def _letter(low: Lowering, s: Scope, node: nodes_squares.SquareFact, fail: str) -> Text:
    """The letter of the man on a square."""
    square = lowering_board.single_square(low, s, node.operand, fail)
    return Text(s.f.converted(s.f.load(s.board, square), Scalar.INT), closures_squares.letters(node.word))


def _str(low: Lowering, s: Scope, node: nodes_strings.Str, fail: str) -> Text:
    """Several parts as one text. The parts may be numbers with few values."""
    code: Value = integer(0)
    texts: tuple[str, ...] = ("",)
    for part in node.parts:
        one = _part(low, s, part)
        if one is None or one.texts is None or len(texts) * len(one.texts) > _MOST_TEXTS:
            low.leave_out(s, node, _REASON)
            return Text(integer(0), ("",))
        code = s.f.binary("add", s.f.binary("mul", code, integer(len(one.texts))), one.code)
        texts = tuple(before + after for before in texts for after in one.texts)
    return Text(code, texts)


_MOST_TEXTS: Final = 5_000
_MOST_NUMBERS: Final = 100


def _part(low: Lowering, s: Scope, node: nodes.Node) -> Text | None:
    """A part of a text (`closures_output.text_of`). None if the part may have too many texts."""
    f = s.f
    if isinstance(node, nodes.String):
        return Text(integer(0), (node.value,))
    kind = low.type_of(node)
    if isinstance(node, nodes.Name) or kind not in (Type.NUMERIC, Type.STRING, Type.LOGICAL):
        return None
    if kind is Type.LOGICAL:
        truth = blocks.truth(s, lambda yes, no: low.test(s, node, yes, no))
        return Text(f.select(truth, integer(1), integer(0)), (values.NO_VALUE, values.TRUE))
    found, missing = f.slot(Scalar.INT), f.label()
    # The first text stands for a part without a value.
    f.store(integer(0), found)
    if kind is Type.NUMERIC:
        number = low.number(s, node, missing)
        if number.high - number.low > _MOST_NUMBERS:
            f.jump(missing)
            f.begin(missing)
            return None
        texts = tuple(str(one) for one in range(number.low, number.high + 1))
        code = f.binary("sub", number.value, integer(number.low - 1))
    else:
        text = low.text(s, node, missing)
        if text.texts is None:
            f.jump(missing)
            f.begin(missing)
            return None
        texts, code = text.texts, f.binary("add", text.code, integer(1))
    f.store(code, found)
    f.jump(missing)
    f.begin(missing)
    return Text(f.load(found), (values.NO_VALUE, *texts))


def _inner(low: Lowering, s: Scope, node: nodes.NoTransform, fail: str) -> Text:
    return low.text(s, node.operand, fail)


def _compound(low: Lowering, s: Scope, node: nodes.Compound, fail: str) -> Text:
    ordering.insist(low, s, node.filters[:-1], fail)
    return low.text(s, node.filters[-1], fail)


def _case(low: Lowering, s: Scope, node: nodes_strings.Case, fail: str) -> Text:
    inner = low.text(s, node.operand, fail)
    return Text(
        inner.code,
        tuple(closures_strings.changed_case(node.word, one) for one in _texts(low, s, node, inner)),
    )


def _searched(low: Lowering, s: Scope, node: nodes_strings.Search, fail: str) -> Text:
    """The first match of a regular expression in a text."""
    if isinstance(node.text, nodes_squares.Fen) and _SPECIAL.isdisjoint(node.pattern):
        if not low.leaves_no_trace:
            low.leave_out(s, node, _REASON)
        holds = s.f.label()
        _search_fen(low, s, node.pattern, holds, fail)
        s.f.begin(holds)
        return Text(integer(0), (node.pattern,))
    inner = low.text(s, node.text, fail)
    if not low.leaves_no_trace:
        low.leave_out(s, node, _REASON)
    found: list[str | None] = []
    for one in _texts(low, s, node, inner):
        try:
            match = ecmascript.first(node.pattern, one, 0, patience.SECONDS)
        except TimeoutError:
            low.leave_out(s, node, _REASON)
            match = None
        found.append(None if match is None else match.group())
    _insist(low, s, inner, [one is not None for one in found], fail)
    return Text(inner.code, tuple(one or "" for one in found))


_SPECIAL: Final = frozenset("^$\\.*+?()[]{}|")
"""A regular expression without these characters matches its own text alone (spec 8.3)."""


def _search_fen(low: Lowering, s: Scope, wanted: str, yes: str, no: str) -> None:
    """Test whether a text occurs in the FEN of the position."""
    if not wanted.isascii() or len(wanted) > fens.LONGEST:
        s.f.jump(no)
        return
    room = s.f.room(Scalar.U8, fens.LONGEST)
    text = low.characters(wanted)
    holds = blocks.call(s, fens.fen_holds, s.here, s.board, room, text, integer(len(wanted)))
    s.f.branch(holds, yes, no)


_REASON: Final = "strings are not compiled"


def _texts(low: Lowering, s: Scope, node: nodes.Node, inner: Text) -> Sequence[str]:
    """All texts that a string may be. If they are not known, the filter is not compiled."""
    if inner.texts is None:
        low.leave_out(s, node, _REASON)
        return ("",)
    return inner.texts


def _chosen(low: Lowering, s: Scope, inner: Text, numbers: Sequence[int]) -> Value:
    """A number for each text."""
    if len(set(numbers)) == 1:
        return word(numbers[0])
    return s.f.load(low.table(numbers), inner.code)


def _insist(low: Lowering, s: Scope, inner: Text, holds: Sequence[bool], fail: str) -> None:
    good = s.f.label()
    chosen = _chosen(low, s, inner, [int(one) for one in holds])
    s.f.branch(s.f.compare("ne", chosen, word(0)), good, fail)
    s.f.begin(good)


# --- conditions and numbers ---------------------------------------------------------------------------------


def compared(low: Lowering, s: Scope, node: nodes.Compare, yes: str, lacking: str, no: str) -> None:
    """Test a comparison of strings. Go to `lacking` if a string is missing."""
    if _is_built(low, node.left) or _is_built(low, node.right):
        one, other = _built(low, s, node.left, lacking), _built(low, s, node.right, lacking)
        order = blocks.call(s, built_texts.order, s.frame, one, other)
        s.f.branch(s.f.compare(RELATIONS[node.operator], order, integer(0)), yes, no)
        return
    left, right = low.text(s, node.left, lacking), low.text(s, node.right, lacking)
    first, second = _texts(low, s, node, left), _texts(low, s, node, right)
    ranks = {one: rank for rank, one in enumerate(sorted({*first, *second}))}
    a = _chosen(low, s, left, [ranks[one] for one in first])
    b = _chosen(low, s, right, [ranks[one] for one in second])
    s.f.branch(s.f.compare(RELATIONS[node.operator], a, b), yes, no)


RELATIONS: Final = {"==": "eq", "!=": "ne", "<": "lt", ">": "gt", "<=": "le", ">=": "ge"}
"""The comparisons of words for the operators of CQL."""


def _compare_text(low: Lowering, s: Scope, node: nodes.Compare, fail: str) -> Text:
    holds = s.f.label()
    compared(low, s, node, holds, fail, fail)
    s.f.begin(holds)
    return low.text(s, node.left, fail)


def contained(low: Lowering, s: Scope, node: nodes.In, yes: str, no: str) -> None:
    """Test whether the left string occurs in the right string."""
    if isinstance(node.left, nodes.String) and isinstance(node.right, nodes_squares.Fen):
        _search_fen(low, s, node.left.value, yes, no)
        return
    lacking = s.f.label()
    if _is_built(low, node.left) or _is_built(low, node.right):
        part, whole = _built(low, s, node.left, lacking), _built(low, s, node.right, no)
        s.f.branch(blocks.call(s, built_texts.contains, s.frame, part, whole), yes, no)
        # The right string is evaluated even if the left one is missing, because it may fault or assign.
        s.f.begin(lacking)
        _built(low, s, node.right, no)
        s.f.jump(no)
        return
    left, right = low.text(s, node.left, lacking), low.text(s, node.right, no)
    first, second = _texts(low, s, node, left), _texts(low, s, node, right)
    table = low.table([int(one in whole) for one in first for whole in second])
    place = s.f.binary("add", s.f.binary("mul", left.code, integer(len(second))), right.code)
    s.f.branch(s.f.compare("ne", s.f.load(table, place), word(0)), yes, no)
    s.f.begin(lacking)
    low.text(s, node.right, no)
    s.f.jump(no)


def _implicit_search(low: Lowering, s: Scope, node: nodes.ImplicitSearch, yes: str, no: str) -> None:
    if isinstance(node.text, nodes_squares.Fen):
        _search_fen(low, s, node.needle, yes, no)
        return
    inner = low.text(s, node.text, no)
    _insist(low, s, inner, [node.needle in one for one in _texts(low, s, node, inner)], no)
    s.f.jump(yes)


def _never(low: Lowering, s: Scope, node: nodes_strings.Case, yes: str, no: str) -> None:
    """As a condition, `lowercase` and `uppercase` fail for every text (`closures_strings`)."""
    low.text(s, node.operand, no)
    s.f.jump(no)


def length(low: Lowering, s: Scope, operand: nodes.Node, fail: str) -> Number:
    """The number of characters of a string."""
    if isinstance(operand, nodes_squares.Fen):
        return _fen_length(s)
    if _is_built(low, operand):
        place = _built(low, s, operand, fail)
        return Number(s.f.converted(s.f.load(s.frame, place), Scalar.INT), 0, built_texts.AREA)
    inner = low.text(s, operand, fail)
    return _number(low, s, inner, [len(one) for one in _texts(low, s, operand, inner)])


def _fen_length(s: Scope) -> Number:
    """The number of characters of the FEN of the position (`closures_squares.fen_text`): a letter for each
    man, a digit for each run of empty squares in a row, the castling rights, the square that was passed over,
    and 15 other characters."""
    f = s.f
    empty = field_of(s, 0)
    beside = f.binary("and", blocks.shifted(f, empty, 1), word(squares.ALL ^ squares.FILES[0]))
    runs = f.unary("count", f.binary("and", empty, f.inverted(beside)))
    men = f.binary("sub", integer(64), f.unary("count", empty))
    rights = f.unary("count", field_of(s, layout.CASTLING))
    rights = f.select(f.compare("eq", rights, integer(0)), integer(1), rights)
    passed = blocks.call(s, routines.passed_over, s.here)
    target = f.select(f.compare("eq", passed, word(0)), integer(1), integer(2))
    found = integer(15)
    for part in (men, runs, rights, target):
        found = f.binary("add", found, part)
    return Number(found, 0, 128)


def _number(low: Lowering, s: Scope, inner: Text, numbers: Sequence[int]) -> Number:
    value = s.f.converted(_chosen(low, s, inner, numbers), Scalar.INT)
    return Number(value, min(numbers), max(numbers))


def _make_square(low: Lowering, s: Scope, node: nodes_squares.MakeSquare) -> Value:
    if len(node.operands) == 2:
        return lowering_board.make_square(low, s, *node.operands)

    def fill(found: Callable[[Value], None]) -> None:
        fail = s.f.label()
        inner = low.text(s, node.operands[0], fail)
        named = [closures_squares.named_square(one) for one in _texts(low, s, node, inner)]
        found(_chosen(low, s, inner, named))
        s.f.begin(fail)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


# --- texts that are put together ----------------------------------------------------------------------------


def _is_built(low: Lowering, node: nodes.Node) -> bool:
    """Whether a string may be one of very many texts, so that it is put together in the frame
    (`kernels.built_texts`)."""
    match node:
        case nodes.Name():
            return True
        case nodes.Arithmetic():
            return not low.is_answered(node)
        case nodes_strings.Str() if not low.is_answered(node):
            return any(low.type_of(part) is Type.SET or _is_built(low, part) for part in node.parts)
        case _:
            return False


def _built(low: Lowering, s: Scope, node: nodes.Node, fail: str) -> Value:
    """The place of a text in the frame. Code goes to `fail` if the string is missing."""
    f = s.f
    match node:
        case nodes.Name():
            if low.outlives(node):
                low.leave_out(s, node)
                return integer(0)
            return f.converted(low.read(s, node.name), Scalar.INT)
        case nodes.Arithmetic() if not low.is_answered(node):
            left, right = _built(low, s, node.left, fail), _built(low, s, node.right, fail)
            return blocks.call(s, built_texts.joined, s.frame, _area(low), left, right)
        case nodes_strings.Str() if not low.is_answered(node):
            return _built_str(low, s, node)
        case _:
            return f.converted(built_of(low, s, _finite(low, s, node, fail)), Scalar.INT)


def _built_str(low: Lowering, s: Scope, node: nodes_strings.Str) -> Value:
    """Several parts as one text (`closures_output.text_of`)."""
    f = s.f
    whole = f.slot(Scalar.INT)
    f.store(f.converted(built_of(low, s, Text(integer(0), ("",))), Scalar.INT), whole)
    for part in node.parts:
        if low.type_of(part) not in (Type.SET, Type.NUMERIC, Type.STRING):
            low.leave_out(s, node, _REASON)
            continue
        missing, after = f.label(), f.label()
        lacking = values.NO_VALUE
        if isinstance(part, nodes.Name) and not low.is_looped(part.name):
            lacking = values.unbound_text(part.name)
            bound = f.label()
            has = f.compare("ne", f.load(s.frame, integer(low.slot(part.name) + 1)), word(0))
            f.branch(has, bound, missing)
            f.begin(bound)
        match low.type_of(part):
            case Type.SET:
                area = low.set_of(s, part)
                made = blocks.call(s, built_texts.with_set, s.frame, _area(low), f.load(whole), area)
            case Type.NUMERIC:
                number = low.number(s, part, missing).value
                made = blocks.call(s, built_texts.with_number, s.frame, _area(low), f.load(whole), number)
            case _:
                text = _built(low, s, part, missing)
                made = blocks.call(s, built_texts.joined, s.frame, _area(low), f.load(whole), text)
        f.store(made, whole)
        f.jump(after)
        f.begin(missing)
        added = built_of(low, s, Text(integer(0), (lacking,)), f.load(whole))
        f.store(f.converted(added, Scalar.INT), whole)
        f.jump(after)
        f.begin(after)
    return f.load(whole)


def _search(low: Lowering, s: Scope, node: nodes_strings.Search, yes: str, no: str) -> None:
    steps = _steps(node.pattern) if low.leaves_no_trace else None
    if steps is None or not _is_built(low, node.text):
        low.text(s, node, no)
        s.f.jump(yes)
        return
    text = _built(low, s, node.text, no)
    allowed = low.table([bits >> 64 * half for bits in steps for half in (0, 1)])
    low.doubts = low.uncertain = True
    s.f.branch(blocks.call(s, built_texts.fits, s.frame, text, allowed, integer(len(steps))), yes, no)


def _steps(pattern: str) -> list[int] | None:
    """For a regular expression that is a row of characters and sets of characters, which ASCII characters
    each of them allows, as bits. None for any other expression."""
    found = []
    at = 0
    while at < len(pattern):
        end = at + 1
        if pattern[at] == "[":
            end = pattern.find("]", at + 1) + 1
            if end == 0 or not _IN_BRACKETS.isdisjoint(pattern[at + 1 : end - 1]):
                return None
        elif pattern[at] != "." and pattern[at] in _SPECIAL:
            return None
        one = ecmascript.compiled(pattern[at:end])
        found.append(sum(1 << code for code in range(128) if one.fullmatch(chr(code))))
        at = end
    return found or None


_IN_BRACKETS: Final = frozenset("[\\")
"""Inside brackets, what these characters mean depends on the characters behind them."""


def _finite(low: Lowering, s: Scope, node: nodes.Node, fail: str) -> Text:
    """A string that is one of a few texts. If it may be another one, it is not compiled."""
    found = low.text(s, node, fail)
    return Text(integer(0), tuple(_texts(low, s, node, found))) if found.texts is None else found


def built_of(low: Lowering, s: Scope, text: Text, before: Value | None = None) -> Value:
    """One of a few texts as a text in the frame, as a word. With `before`, the text is added to the text at
    this place."""
    f = s.f
    assert text.texts is not None
    ends = list(itertools.accumulate(map(len, text.texts)))
    characters = low.table([*map(ord, "".join(text.texts)), 0])
    begin = f.converted(f.load(low.table([0, *ends]), text.code), Scalar.INT)
    end = f.converted(f.load(low.table(ends), text.code), Scalar.INT)
    start = integer(0) if before is None else before
    made = blocks.call(s, built_texts.added, s.frame, _area(low), start, characters, begin, end)
    return f.converted(made, Scalar.WORD)


def _area(low: Lowering) -> Value:
    """The place in the frame where texts are put together."""
    low.doubts = low.uncertain = True
    # The name of a variable never contains a blank, so no dictionary has this name.
    return integer(low.area("built texts", built_texts.AREA))


def assigned(low: Lowering, s: Scope, node: nodes.Assign, fail: str) -> Value:
    """The value that an assignment gives to a string variable, as a word."""
    f = s.f
    if node.operator == "=":
        return f.converted(_built(low, s, node.value, fail), Scalar.WORD)
    if node.operator != "+=":
        low.leave_out(s, node)
        return word(0)
    before = f.converted(low.read(s, node.name), Scalar.INT)
    if _is_built(low, node.value) or isinstance(node.value, nodes_strings.Str):
        after = _built(low, s, node.value, fail)
        return f.converted(
            blocks.call(s, built_texts.joined, s.frame, _area(low), before, after), Scalar.WORD
        )
    return built_of(low, s, _finite(low, s, node.value, fail), before)


SETS[nodes_squares.MakeSquare] = _make_square
TEXTS.update({
    nodes.String: _string,
    nodes.CurrentTransform: _current_transform,
    nodes.NoTransform: _inner,
    nodes.Compound: _compound,
    nodes.Compare: _compare_text,
    nodes_squares.SquareFact: _letter,
    nodes_strings.Case: _case,
    nodes_strings.Search: _searched,
    nodes_strings.Str: _str,
})  # fmt: skip
TESTS.update({
    nodes.ImplicitSearch: _implicit_search,
    nodes_strings.Case: _never,
    nodes_strings.Search: _search,
})  # fmt: skip
