"""Rules for local dictionaries (language spec 12.4), and for `unbind`.

A dictionary is a table in the frame (`kernels.entries`), and keys and values are words. The key for a FEN is
the first record of the game with this FEN that was a key. The key for a text is the number of the text among
those that the query names (`Lowering.dictionaries`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cqlgui.cql.ast import nodes, nodes_programs, nodes_squares, types
from cqlgui.cql.ast.types import Type
from cqlgui.engine.kernels import entries
from cqlgui.engine.lowering import blocks, lowering_strings
from cqlgui.engine.lowering.blocks import integer, word
from cqlgui.engine.lowering.dispatch import NUMBERS, POSITIONS, SETS, TESTS, Lowering
from cqlgui.engine.lowering.scope import Number, Scope, Text
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

_BEYOND: Final = 1 << 31
"""Numbers in dictionaries are smaller than this (`Lowering.bounded`)."""
_SIGN: Final = 1 << 63


def _table(low: Lowering, name: str) -> Value:
    """The place of a dictionary in the frame."""
    return integer(low.area(name, entries.SIZE))


def _word(low: Lowering, s: Scope, node: nodes.Node, fail: str) -> Value:
    """The value of a filter as a word. Code goes to `fail` if there is no value."""
    match types.valued(low.type_of(node)):
        case Type.SET:
            return low.set_of(s, node)
        case Type.NUMERIC:
            return s.f.converted(low.bounded(s, low.number(s, node, fail)), Scalar.WORD)
        case _:
            return s.f.converted(low.position(s, node, fail), Scalar.WORD)


def _key(low: Lowering, s: Scope, name: str, node: nodes.Node, fail: str) -> Value:
    if isinstance(node, nodes_squares.Fen):
        low.buffered = low.doubts = low.uncertain = True
        # The name of a variable never contains a blank, so no dictionary has this name.
        table = integer(low.area("FENs seen", entries.SIZE))
        return blocks.call(s, entries.same_fen, s.records, s.frame, table, s.place)
    texts = low.dictionaries.get(name)
    if texts is not None and isinstance(node, nodes.String):
        return word(texts.index(node.value))
    return _word(low, s, node, fail)


def _found(low: Lowering, s: Scope, node: nodes_programs.Entry, fail: str) -> Value:
    """The value of an entry. Code goes to `fail` if the entry is missing."""
    f = s.f
    key = _key(low, s, node.name, node.key, fail)
    place = blocks.call(s, entries.find, s.frame, _table(low, node.name), key)
    good = f.label()
    f.branch(f.compare("ge", place, integer(0)), good, fail)
    f.begin(good)
    return f.load(s.frame, f.binary("add", place, integer(entries.VALUE)))


def _entry_set(low: Lowering, s: Scope, node: nodes_programs.Entry) -> Value:
    if node.name not in low.dictionaries:
        low.leave_out(s, node)
        return word(0)

    def fill(take: Callable[[Value], None]) -> None:
        missing = s.f.label()
        take(_found(low, s, node, missing))
        s.f.begin(missing)
        take(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _entry_number(low: Lowering, s: Scope, node: nodes_programs.Entry, fail: str) -> Number:
    if node.name not in low.dictionaries:
        low.leave_out(s, node)
        return blocks.constant(0)
    return Number(s.f.converted(_found(low, s, node, fail), Scalar.INT), -_BEYOND, _BEYOND)


def _entry_position(low: Lowering, s: Scope, node: nodes_programs.Entry, fail: str) -> Value:
    if node.name not in low.dictionaries:
        low.leave_out(s, node)
        return integer(0)
    return s.f.converted(_found(low, s, node, fail), Scalar.INT)


def _entry_assign(low: Lowering, s: Scope, node: nodes_programs.EntryAssign, yes: str, no: str) -> None:
    if node.name not in low.dictionaries:
        low.leave_out(s, node)
        s.f.jump(no)
        return
    key = _key(low, s, node.name, node.key, no)
    value = _word(low, s, node.value, no)
    low.doubts = low.uncertain = True
    s.f.call(entries.put.callee, (s.frame, _table(low, node.name), key, value))
    s.f.jump(yes)


def _entry_count(low: Lowering, s: Scope, node: nodes_programs.EntryCount, fail: str) -> Number:
    if node.name not in low.dictionaries:
        low.leave_out(s, node)
        return blocks.constant(0)
    return Number(blocks.call(s, entries.count, s.frame, _table(low, node.name)), 0, entries.SIZE)


def _entry_loop(low: Lowering, s: Scope, node: nodes_programs.EntryLoop, yes: str, no: str) -> None:
    if node.dictionary not in low.dictionaries:
        low.leave_out(s, node)
        s.f.jump(no)
        return
    f = s.f
    table = _table(low, node.dictionary)
    numeric = low.names.dictionaries[node.dictionary].key is Type.NUMERIC
    bound = integer(low.slot(node.name) + 1)
    low.doubt_unless(s, f.compare("eq", f.load(s.frame, bound), word(0)))
    flip = word(_SIGN if numeric else 0)
    key, first = f.slot(Scalar.WORD), f.slot(Scalar.INT)
    f.store(word(0), key)
    f.store(integer(1), first)
    head, inside, after = f.label(), f.label(), f.label()
    f.jump(head)
    f.begin(head)
    low.spend(s, 1, after)
    place = blocks.call(s, entries.following, s.frame, table, f.load(key), flip, f.load(first))
    f.branch(f.compare("ge", place, integer(0)), inside, after)
    f.begin(inside)
    f.store(f.load(s.frame, f.binary("add", place, integer(entries.KEY))), key)
    f.store(integer(0), first)
    value = f.load(key)
    texts = low.dictionaries[node.dictionary]
    if texts is not None:
        value = lowering_strings.built_of(low, s, Text(f.converted(value, Scalar.INT), texts))
    low.write(s, node.name, value)
    low.test(s, node.body, head, head)
    f.begin(after)
    f.store(word(0), s.frame, bound)
    f.jump(yes)


def _unbind(low: Lowering, s: Scope, node: nodes_programs.Unbind, yes: str, no: str) -> None:
    f = s.f
    if node.name not in low.names.dictionaries:
        f.store(word(0), s.frame, integer(low.slot(node.name) + 1))
    elif node.name not in low.dictionaries:
        low.leave_out(s, node, "dictionaries are not compiled")
    elif node.key is None:
        f.call(entries.clear.callee, (s.frame, _table(low, node.name)))
    else:
        # Without a key there is nothing to remove, and the filter matches.
        key = _key(low, s, node.name, node.key, yes)
        f.call(entries.remove.callee, (s.frame, _table(low, node.name), key))
    f.jump(yes)


SETS[nodes_programs.Entry] = _entry_set
NUMBERS[nodes_programs.Entry] = _entry_number
NUMBERS[nodes_programs.EntryCount] = _entry_count
POSITIONS[nodes_programs.Entry] = _entry_position
TESTS.update({
    nodes_programs.EntryAssign: _entry_assign,
    nodes_programs.EntryLoop: _entry_loop,
    nodes_programs.Unbind: _unbind,
})  # fmt: skip
