"""Compilers of sorts, comments, messages and tag changes, and the text of values (output spec 2 to 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cqlgui.cql.ast import nodes, nodes_facts
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, code, compiles
from cqlgui.cql.interpreting.runtime import evaluation, values
from cqlgui.cql.interpreting.runtime.evaluation import UNBOUND, Evaluation
from cqlgui.cql.source.diagnostics import Span


@compiles(nodes.Sort)
def _sort(compiler: Compiler, node: nodes.Sort) -> Code:
    key = compiler.sort_key(node)
    compiler.sorting += 1
    try:
        operand = compiler.compile(node.operand)
    finally:
        # `sorting` is restored even after an error, because filters that are compiled later need the right
        # value. The elements of an orbit are compiled during a search, and the search continues even after a
        # `MemoryError`.
        compiler.sorting -= 1
    inner, is_set, descending = operand.value, operand.is_set, node.order != "min"

    def value(s: Evaluation) -> Any:
        mark = len(s.log)
        found = inner(s)
        if found is None or (is_set and not found):
            return found
        measure = found.bit_count() if is_set else found
        comments: tuple[tuple[int, str], ...] = ()
        if s.sort_comments and len(s.log) > mark:
            comments = tuple(s.log[mark:])
            s.log.cut(mark)
        best = s.best[key]
        if best is None or (measure > best if descending else measure < best):
            s.best[key] = measure
            s.charge(evaluation.weight_of(comments) - evaluation.weight_of(s.asides[key]))
            s.asides[key] = comments
        return found

    kind = Type.SET if is_set else operand.type
    return code(kind, value, logs=operand.logs)


@compiles(nodes.Comment)
def _comment(compiler: Compiler, node: nodes.Comment) -> Code:
    texts, span = [text_of(compiler, part) for part in node.parts], node.span

    def write(s: Evaluation) -> bool:
        text = _joined(s, texts, span)
        if s.explicit_comments and text:
            s.log.append((s.id, text))
            s.charge(0, span)
        return True

    return code(Type.LOGICAL, write, logs=True)


@compiles(nodes_facts.Message)
def _message(compiler: Compiler, node: nodes_facts.Message) -> Code:
    texts, quiet, span = [text_of(compiler, part) for part in node.parts], node.quiet, node.span

    def say(s: Evaluation) -> bool:
        text = _joined(s, texts, span)
        s.say(text if quiet else f"Game: {s.host.gamenumber} {s.position_text(s.id)}: {text}", span)
        return True

    # Printing a position in a variation writes a comment.
    return code(Type.LOGICAL, say, logs=True)


@compiles(nodes_facts.SetTag)
def _set_tag(compiler: Compiler, node: nodes_facts.SetTag) -> Code:
    operand = compiler.compile(node.operand)
    name, inner = node.name, operand.value

    def set_tag(s: Evaluation) -> bool:
        text = inner(s)
        if text is None:
            return False
        # With `silent`, neither comments nor tags are written into the game (D33).
        if s.explicit_comments:
            s.tags[name] = text
        return True

    return code(Type.LOGICAL, set_tag, logs=operand.logs)


@compiles(nodes_facts.RemoveComment)
def _remove_comment(compiler: Compiler, node: nodes_facts.RemoveComment) -> Code:
    def remove(s: Evaluation) -> bool:
        s.removed.add(s.id)
        return True

    return code(Type.LOGICAL, remove)


def _joined(s: Evaluation, texts: Sequence[Callable[[Evaluation], str]], span: Span) -> str:
    """The concatenated texts; raises a fault as soon as the texts exceed the allowed size."""
    before, found = s.spent, []
    for text in texts:
        found.append(text(s))
        s.charge(len(found[-1]), span)
    s.spent = before
    return "".join(found)


def text_of(compiler: Compiler, node: nodes.Node) -> Callable[[Evaluation], str]:
    """A closure that returns the textual form of a filter (output spec 2)."""
    if isinstance(node, nodes.Name) and compiler.type_of(node) is Type.DICTIONARY:
        return _dictionary_text(compiler, node)
    if isinstance(node, nodes.Name):
        slot, unbound = compiler.slot(node.name), values.unbound_text(node.name)
        bound = _text(compiler.compile(node))
        return lambda s: unbound if s.variables[slot] is UNBOUND else bound(s)
    return _text(compiler.compile(node))


def _text(operand: Code) -> Callable[[Evaluation], str]:
    value, text = operand.value, value_text(operand)
    return lambda s: text(s, value(s))


def _dictionary_text(compiler: Compiler, node: nodes.Name) -> Callable[[Evaluation], str]:
    """The text of a dictionary: a line with the number of entries, and a line for each entry in ascending
    order of the keys. Raises a fault if the text exceeds the allowed size."""
    slot, types_of = compiler.slot(node.name), compiler.names.dictionaries[node.name]
    key_text = typed_text(types_of.key or Type.LOGICAL)
    entry_text = typed_text(types_of.value or Type.LOGICAL)

    def text(s: Evaluation) -> str:
        entries: dict[Any, Any] = s.variables[slot]
        before = s.spent
        lines = [f"Dictionary {node.name} with {len(entries)} entries:"]
        for key in sorted(entries):
            s.step()
            lines.append(f"{key_text(s, key)}: {entry_text(s, entries[key])}")
            s.charge(len(lines[-1]), node.span)
        s.spent = before
        return "\n".join(lines)

    return text


def value_text(operand: Code) -> Callable[[Evaluation, Any], str]:
    """A function that returns the text of a filter's value at the current position."""
    return typed_text(operand.type)


def typed_text(kind: Type) -> Callable[[Evaluation, Any], str]:
    """A function that returns the text of a value at the current position. The value must have the type
    `kind`."""
    match kind:
        case Type.SET:
            return lambda s, value: values.set_text(value)
        case Type.PIECE:
            return lambda s, value: values.piece_text(value, s.position.squares)
        case Type.NUMERIC:
            return lambda s, value: values.number_text(value)
        case Type.STRING:
            return lambda s, value: values.string_text(value)
        case Type.POSITION:
            return _position_value_text
        case Type.LOGICAL | Type.DICTIONARY:
            return lambda s, value: values.truth_text(value)


def _position_value_text(s: Evaluation, positionid: int | None) -> str:
    return values.NO_VALUE if positionid is None else position_text(s, positionid)


def position_text(s: Evaluation, positionid: int) -> str:
    """The text of a position. If the position is in a variation, a comment with the positionid is also
    written at the position."""
    if s.tree.depths[positionid] and s.explicit_comments:
        s.log.append((positionid, f"id:{positionid}"))
    return s.position_text(positionid)
