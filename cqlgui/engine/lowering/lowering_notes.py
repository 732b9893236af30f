"""Writes code that logs the comments of filters, and the matches of orbit elements, as events.

An event has two words. The first word has the position of the comment or match (a positionid, 32 bits), the
form of the event (8 bits) and the number of a text (24 bits). The second word has the event's *payload*. Some
events are followed by operands, which are events too. The module `tasks.search.speaking` turns events into
comments, and has the words of all comments.

The log is part of the frame. Code with a log evaluates filters in the same order as the interpreter, appends
events where the interpreter appends comments, and removes events where the interpreter removes comments. The
code runs at hits only.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from cqlgui.cql.ast import nodes, nodes_facts, nodes_squares, nodes_strings
from cqlgui.cql.ast.types import Type
from cqlgui.cql.transforming import words as transform_words
from cqlgui.engine.kernels import routines, routines_notes
from cqlgui.engine.lowering import blocks
from cqlgui.engine.lowering.blocks import field_of, integer, word
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import Operand, Scope, TextParts
from cqlgui.engine.replaying import layout
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

TEXT_SHIFT: Final = 40
"""The number of a text begins at this bit of an event's first word."""
PLY_SHIFT: Final = 24
"""A position in a payload has the positionid in its low bits and the ply from this bit on."""
VARIATION: Final = 1 << 62
"""A position in a payload has this bit if the position is in a variation."""


BOARD_WORDS: Final = 15
"""The number of operands that describe a position for its FEN."""


class Form(enum.IntEnum):
    """The forms of events. The operands that follow an event are `VALUE` or `NOTHING`."""

    MATCH = routines_notes.MATCH
    """A match of an orbit element. The payload is the number of the element's bit (`Lowering.bits`)."""
    PENDING = routines_notes.PENDING
    """A position that `find` has found. The event becomes `FOUND_OF`."""
    VALUE = 2
    """An operand. The payload is a number, a set or a position."""
    NOTHING = 3
    """An operand without a value. The payload is 1 if the operand is a variable that has no value yet."""
    FOUND = 4
    """The comment `Found`."""
    FOUND_OF = 5
    """A comment like `Found 1 of 3`. The payload has 1 in its low 32 bits, and 3 in the other bits."""
    START_PATH = 6
    """The comment at the start of a path. The payload is the last position."""
    END_PATH = 7
    """The comment at the end of a path. The payload is the start. The operand is the number of moves."""
    END_MAX = 8
    """The comment at the end of a path with `max`. The second operand is the greatest value. If the number of
    the text in an `END_PATH` or `END_MAX` is 1, the path is one of several best paths, and not the first."""
    START_LINE = 9
    END_LINE = 10
    """The comments at the start and at the end of a line, in the form of `START_PATH` and `END_PATH`."""
    STEP = 11
    """A comment like `move 1 of 3` after a move of a path. The text is the title of the path. The payload has
    the form of `FOUND_OF`."""
    PLACE = 12
    """The positionid of a position in a variation, as a comment at this position."""
    TEXT = 13
    """A comment with the given text. The operands are the values of the text's operands."""
    FORK = 14
    """The comment `LCA` of an echo, at the last common ancestor."""
    ECHO_SOURCE = 15
    """A comment of an echo about the source. The payload is the source."""
    ECHO_TARGET = 16
    """A comment of an echo about the target. The payload is the target."""
    TAG = 17
    """A tag that the query sets. The first part of the text is the name of the tag. The other parts and the
    operands are the value."""
    RUN = 19
    """A comment like `s-move[2]` about a move of a run (`consecutivemoves`). The text is the name. The
    payload has the number of the move, from bit `RUN_LENGTH` on the length of the run, from bit `RUN_SIDE` on
    the number of the variation (0 or 1), and from bit `RUN_FILTER` on the offset of the filter."""
    PIECE_PATH = 20
    """The comment of `piecepath`. The payload has the squares of the men in focus at the start of the path.
    The operands are the last position, the number of steps, and 1 if captures of these men count as steps."""
    FOCUS_STEPS = 21
    """A comment like `STEP` after each step of a path in focus, with the payload and operands of
    `PIECE_PATH`."""
    REMOVED = 18
    """The query removes the comments of the file at this position."""


RUN_LENGTH: Final = 16
RUN_SIDE: Final = 32
RUN_FILTER: Final = 33


class UntoldError(Exception):
    """Only the interpreter can write the comments of a filter. The argument of the error says why."""


def note(low: Lowering, s: Scope, form: Form, payload: Value, *, text: int = 0) -> None:
    """Append an event at the position of the scope."""
    f = s.f
    low.doubts = True
    here = field_of(s, layout.ID)
    head = f.binary("or", here, word(form << routines_notes.FORM | text << TEXT_SHIFT))
    f.call(routines_notes.note.callee, (s.frame, head, f.converted(payload, Scalar.WORD)))


def operand(low: Lowering, s: Scope, payload: Value) -> None:
    """Append an operand of the last event."""
    note(low, s, Form.VALUE, payload)


def note_text(low: Lowering, s: Scope, parts: TextParts) -> None:
    """Append a comment without operands."""
    note(low, s, Form.TEXT, word(0), text=number_of(low, parts))


def number_of(low: Lowering, parts: TextParts) -> int:
    """The number of a text."""
    if parts not in low.texts:
        low.texts.append(parts)
    return low.texts.index(parts)


def place_of(s: Scope) -> Value:
    """The position of the scope, as a payload."""
    f = s.f
    ply = f.binary("shl", field_of(s, layout.PLY), word(PLY_SHIFT))
    deep = f.compare("ne", field_of(s, layout.DEPTH), word(0))
    place = f.binary("or", field_of(s, layout.ID), ply)
    return f.binary("or", place, f.select(deep, word(VARIATION), word(0)))


def mention(low: Lowering, s: Scope) -> Value:
    """The position of the scope as a payload, for a comment that names the position. If the position is in a
    variation, a comment with the positionid is written at the position (`closures_output.position_text`)."""
    assert low.writing is not None
    if low.variations and low.writing.explicit:
        f = s.f
        deep, after = f.label(), f.label()
        f.branch(f.compare("ne", field_of(s, layout.DEPTH), word(0)), deep, after)
        f.begin(deep)
        note(low, s, Form.PLACE, word(0))
        f.jump(after)
        f.begin(after)
    return place_of(s)


def note_run(
    low: Lowering, s: Scope, names: Sequence[str], length: Value, ends: Sequence[Value], offset: int
) -> None:
    """Append the comments about a run of moves in two variations. The run leads to the positions `ends`."""
    f = s.f
    low.doubts = True
    for side, (name, end) in enumerate(zip(names, ends, strict=True)):
        head = word(Form.RUN << routines_notes.FORM | number_of(low, (name,)) << TEXT_SHIFT)
        payload = f.binary("shl", f.converted(length, Scalar.WORD), word(RUN_LENGTH))
        payload = f.binary("or", payload, word(side << RUN_SIDE | offset << RUN_FILTER))
        f.call(routines_notes.note_run.callee, (s.frame, s.records, head, payload, end, length))


# --- comments -----------------------------------------------------------------------------------------------


def comment(low: Lowering, s: Scope, node: nodes.Comment) -> None:
    """Write the filter `comment`. The block is open at the end. Raises `UntoldError`."""
    assert low.writing is not None
    parts: list[str | Operand] = []
    values: list[_Value] = []
    for part in node.parts:
        _add(low, s, part, parts, values)
    if not low.writing.explicit:
        return
    note(low, s, Form.TEXT, word(0), text=number_of(low, tuple(parts)))
    for form, payload in values:
        head = s.f.binary("or", field_of(s, layout.ID), s.f.binary("shl", form, word(routines_notes.FORM)))
        s.f.call(routines_notes.note.callee, (s.frame, head, payload))


def set_tag(low: Lowering, s: Scope, node: nodes_facts.SetTag, no: str) -> None:
    """Write the filter `settag`. Code goes to `no` if the value is missing. The block is open at the end."""
    assert low.writing is not None
    parts: list[str | Operand] = [node.name]
    values: list[_Value] = []
    _add(low, s, node.operand, parts, values)
    if not isinstance(node.operand, nodes.String | nodes.CurrentTransform | nodes_strings.Str):
        given = s.f.label()
        s.f.branch(s.f.compare("eq", values[0][0], word(Form.VALUE)), given, no)
        s.f.begin(given)
    if not low.writing.explicit:
        return
    _note_lasting(low, s, word(Form.TAG), word(0), number_of(low, tuple(parts)))
    for form, payload in values:
        _note_lasting(low, s, form, payload, 0)


def remove_comment(low: Lowering, s: Scope) -> None:
    """Write the filter `removecomment`."""
    _note_lasting(low, s, word(Form.REMOVED), word(0), 0)


def _note_lasting(low: Lowering, s: Scope, form: Value, payload: Value, text: int) -> None:
    """Append an event to the lasting events."""
    f = s.f
    low.doubts = True
    head = f.binary("or", field_of(s, layout.ID), f.binary("shl", form, word(routines_notes.FORM)))
    head = f.binary("or", head, word(text << TEXT_SHIFT))
    slot = integer(low.lasting_slots[1])
    f.call(routines_notes.note_lasting.callee, (s.frame, slot, head, payload))


_Value: TypeAlias = tuple[Value, Value]
"""The form and the payload of an operand's event."""


def _add(
    low: Lowering,
    s: Scope,
    node: nodes.Node,
    parts: list[str | Operand],
    values: list[_Value],
) -> None:
    """Evaluate a part of a text. The part is added to `parts`. If the part is an operand, the form and the
    payload of the operand's event are added to `values`."""
    match node:
        case nodes.String():
            parts.append(node.value)
            return
        case nodes.CurrentTransform():
            parts.append(transform_words.bracketed(node.applied))
            return
        case nodes_strings.Str():
            for one in node.parts:
                _add(low, s, one, parts, values)
            return
        case nodes_squares.Fen():
            parts.append(Operand(Type.STRING, fen=True))
            values += [(word(Form.VALUE), one) for one in _board(s)]
            return
    kind = low.type_of(node)
    name = node.name if isinstance(node, nodes.Name) else ""
    f = s.f
    form, payload = f.slot(Scalar.WORD), f.slot(Scalar.WORD)
    f.store(word(Form.NOTHING), form)
    f.store(word(0), payload)
    after = f.label()
    if name and not low.is_looped(name):
        bound, unbound = f.label(), f.label()
        has = f.compare("ne", f.load(s.frame, integer(low.slot(name) + 1)), word(0))
        f.branch(has, bound, unbound)
        f.begin(unbound)
        f.store(word(1), payload)
        f.jump(after)
        f.begin(bound)
    value: Value
    texts: tuple[str, ...] | None = None
    match kind:
        case Type.STRING:
            found = low.text(s, node, after)
            value, texts = f.converted(found.code, Scalar.WORD), found.texts
        case Type.SET:
            value = low.set_of(s, node)
        case Type.PIECE:
            value = _man(low, s, low.set_of(s, node))
        case Type.NUMERIC:
            value = f.converted(low.number(s, node, after).value, Scalar.WORD)
        case Type.POSITION:
            value = mention(low, low.elsewhere(s, low.position(s, node, after)))
        case Type.LOGICAL:
            truth = blocks.truth(s, lambda yes, no: low.test(s, node, yes, no))
            value = f.select(truth, word(1), word(0))
        case _:
            raise UntoldError("dictionaries in comments are not compiled")
    f.store(value, payload)
    f.store(word(Form.VALUE), form)
    f.jump(after)
    f.begin(after)
    parts.append(Operand(kind, name, texts))
    values.append((f.load(form), f.load(payload)))


def _board(s: Scope) -> list[Value]:
    """The data of a FEN, in words: the squares of each kind of man, the castling rights, the square that the
    last move passed over, and the side to move."""
    passed = blocks.call(s, routines.passed_over, s.here)
    return [*(field_of(s, man) for man in range(1, 13)), field_of(s, layout.CASTLING), passed,
            field_of(s, layout.TURN)]  # fmt: skip


def _man(low: Lowering, s: Scope, area: Value) -> Value:
    """A man, as 64 times the man code plus the square; 0 if the man does not exist."""
    f = s.f

    def fill(found: Callable[[Value], None]) -> None:
        some, none = f.label(), f.label()
        f.branch(blocks.not_empty(s, area), some, none)
        f.begin(some)
        square = f.unary("lowest", area)
        man = f.converted(f.load(s.board, square), Scalar.INT)
        found(f.converted(f.binary("add", f.binary("mul", man, integer(64)), square), Scalar.WORD))
        f.begin(none)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)
