"""Compilers of strings, regular expressions and text files (language spec, 13 and 8.8)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from cqlgui.base.patterns import pattern
from cqlgui.cql.ast import nodes, nodes_strings
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_numbers, closures_output
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import UNBOUND, Evaluation
from cqlgui.cql.interpreting.runtime.host import RefusedError
from cqlgui.cql.source import ecmascript
from cqlgui.cql.source.diagnostics import Span

# --- parts of strings ---------------------------------------------------------------------------------------


@compiles(nodes_strings.Index)
def _index(compiler: Compiler, node: nodes_strings.Index) -> Code:
    text, at = compiler.compile(node.text), compiler.compile(node.at)
    whole, place = text.value, at.value

    def value(s: Evaluation) -> str | None:
        string = whole(s)
        if string is None:
            return None
        index = place(s)
        return None if index is None or not -len(string) <= index < len(string) else string[index]

    return code(Type.STRING, value, logs=text.logs or at.logs)


@compiles(nodes_strings.Slice)
def _slice(compiler: Compiler, node: nodes_strings.Slice) -> Code:
    text = compiler.compile(node.text)
    low, high, logs = _bounds(compiler, node.low, node.high)
    whole = text.value

    def value(s: Evaluation) -> str | None:
        string = whole(s)
        if string is None:
            return None
        start, end = low(s), high(s)
        # As in Python, negative bounds count from the end of the string, and bounds beyond the string are
        # clipped.
        return None if start is None or end is None else string[start:end]

    return code(Type.STRING, value, logs=text.logs or logs)


@compiles(nodes_strings.SliceAssign)
def _slice_assign(compiler: Compiler, node: nodes_strings.SliceAssign) -> Code:
    operand = compiler.compile(node.value)
    low, high, logs = _bounds(compiler, node.low, node.high)
    slot, name, span, single = compiler.slot(node.name), node.name, node.span, node.single
    evaluate = operand.value

    def assign(s: Evaluation) -> bool:
        old = s.variables[slot]
        if old is UNBOUND:
            raise s.fault(f"The variable {name} has no value yet", span, name)
        start, new = low(s), evaluate(s)
        if start is None or new is None:
            return False
        if single:
            if not -len(old) <= start < len(old):
                return False
            start %= len(old)
            end = start + 1
        else:
            stop = high(s)
            if stop is None:
                return False
            start, end, _ = slice(start, stop).indices(len(old))
        s.variables[slot] = closures_numbers.bounded_text(s, old[:start] + new + old[max(start, end) :])
        return True

    return code(Type.LOGICAL, assign, logs=operand.logs or logs)


def _bounds(compiler: Compiler, low: nodes.Node | None, high: nodes.Node | None) -> tuple[Run, Run, bool]:
    """Both bounds of a slice. A missing lower bound stands for the beginning of the string. A missing upper
    bound stands for the end of the string."""
    start = None if low is None else compiler.compile(low)
    end = None if high is None else compiler.compile(high)
    logs = any(bound is not None and bound.logs for bound in (start, end))
    first: Run = (lambda s: 0) if start is None else start.value
    last: Run = (lambda s: closures_numbers.LONGEST_TEXT) if end is None else end.value
    return first, last, logs


# --- regular expressions ------------------------------------------------------------------------------------

_SLOW: Final = 0.02
"""If one search takes longer than this number of seconds, the game's time limit is checked."""


@compiles(nodes_strings.Search)
def _search(compiler: Compiler, node: nodes_strings.Search) -> Code:
    text = compiler.compile(node.text)
    subject, pattern, span = text.value, node.pattern, node.span

    def value(s: Evaluation) -> str | None:
        string = subject(s)
        if string is None:
            s.groups = None
            return None
        found = s.groups = _first(s, pattern, string, 0, span)
        matched: str | None = None if found is None else found.group()
        return matched

    return code(Type.STRING, value, logs=text.logs)


def matches(node: nodes_strings.Search) -> Callable[[Evaluation, str], Iterator[Any]]:
    """All matches of a search in a text, one after another, without overlap. After an empty match the search
    continues one character further, as in ECMAScript."""
    pattern, span = node.pattern, node.span

    def each(s: Evaluation, text: str) -> Iterator[Any]:
        start = 0
        while start <= len(text):
            found = _first(s, pattern, text, start, span)
            if found is None:
                return
            yield found
            start = found.end() + (found.end() == found.start())

    return each


def _first(s: Evaluation, pattern: str, text: str, start: int, span: Span) -> Any:
    """The first match at or after an offset. The game's time limit is checked if the search took longer than
    `_SLOW` seconds."""
    started = time.perf_counter()
    try:
        found = ecmascript.first(pattern, text, start, s.patience)
    except TimeoutError:
        message = f"This regular expression takes longer than {s.patience:g} seconds"
        raise s.fault(message, span) from None
    if time.perf_counter() - started > _SLOW:
        s.work = 0
    s.step()
    return found


@compiles(nodes_strings.Group)
def _group(compiler: Compiler, node: nodes_strings.Group) -> Code:
    number = node.number
    compiler.remembers = True

    def text(s: Evaluation) -> str | None:
        found = s.groups
        return None if found is None or number > found.re.groups else found.group(number)

    def place(s: Evaluation) -> int | None:
        found = s.groups
        if found is None or number > found.re.groups:
            return None
        start: int = found.start(number)
        return None if start < 0 else start

    return code(Type.NUMERIC, place) if node.place else code(Type.STRING, text)


# --- words --------------------------------------------------------------------------------------------------

_UPPER: Final = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}
_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def changed_case(word: str, text: str) -> str:
    """The text in upper case for the word `uppercase`, and in lower case for any other word. Only the letters
    a to z change."""
    return text.translate(_UPPER if word == "uppercase" else _LOWER)


@compiles(nodes_strings.Case)
def _case(compiler: Compiler, node: nodes_strings.Case) -> Code:
    word = node.word
    operand = compiler.compile(node.operand)
    made = _of_string(operand, Type.STRING, lambda text: changed_case(word, text))

    def never(s: Evaluation) -> bool:
        # If `lowercase` or `uppercase` is used as a condition, the filter fails for every text. The results
        # of the reference program on 2,703 games show this behaviour.
        made.value(s)
        return False

    return code(Type.STRING, made.value, logs=made.logs, test=never, apart=True)


@compiles(nodes_strings.IndexOf)
def _index_of(compiler: Compiler, node: nodes_strings.IndexOf) -> Code:
    needle, text = compiler.compile(node.needle), compiler.compile(node.text)
    part, whole = needle.value, text.value

    def value(s: Evaluation) -> int | None:
        wanted = part(s)
        if wanted is None:
            return None
        string = whole(s)
        place: int = -1 if string is None else string.find(wanted)
        return None if place < 0 else place

    return code(Type.NUMERIC, value, logs=needle.logs or text.logs)


_INTEGER: Final = pattern(r"-?[0-9]{1,4000}")


@compiles(nodes_strings.Int)
def _int(compiler: Compiler, node: nodes_strings.Int) -> Code:
    def number(text: str) -> int | None:
        return int(text) if _INTEGER.fullmatch(text) else None

    return _of_string(compiler.compile(node.operand), Type.NUMERIC, number)


@compiles(nodes_strings.Ascii)
def _ascii(compiler: Compiler, node: nodes_strings.Ascii) -> Code:
    operand = compiler.compile(node.operand)
    if operand.type is Type.STRING:
        return _of_string(operand, Type.NUMERIC, lambda text: ord(text) if len(text) == 1 else None)
    return _of_string(operand, Type.STRING, lambda number: chr(number) if 1 <= number <= 255 else None)


def _of_string(operand: Code, kind: Type, function: Callable[[Any], Any]) -> Code:
    inner = operand.value

    def value(s: Evaluation) -> Any:
        given = inner(s)
        return None if given is None else function(given)

    return code(kind, value, logs=operand.logs)


@compiles(nodes_strings.Str)
def _str(compiler: Compiler, node: nodes_strings.Str) -> Code:
    texts = [closures_output.text_of(compiler, part) for part in node.parts]

    def value(s: Evaluation) -> str:
        found, length = [], 0
        for text in texts:
            found.append(text(s))
            length += len(found[-1])
            closures_numbers.bounded_length(s, length)
        return "".join(found)

    # Printing a position inside a variation also writes a comment at this position.
    return code(Type.STRING, value, logs=True)


# --- files --------------------------------------------------------------------------------------------------


@compiles(nodes_strings.ReadFile)
def _read_file(compiler: Compiler, node: nodes_strings.ReadFile) -> Code:
    compiler.files = True
    operand, span = compiler.compile(node.operand), node.span
    name = operand.value

    def value(s: Evaluation) -> str | None:
        file = name(s)
        if file is None:
            return None
        known: str | None = s.memo.get(("file", file))
        if known is None:
            try:
                known = s.memo[("file", file)] = s.host.read_file(file)
            except RefusedError as refusal:
                raise s.fault(str(refusal).rstrip("."), span) from refusal
        return known

    return code(Type.STRING, value, logs=operand.logs)


@compiles(nodes_strings.WriteFile)
def _write_file(compiler: Compiler, node: nodes_strings.WriteFile) -> Code:
    compiler.files = True
    file, text, span = compiler.compile(node.file), compiler.compile(node.text), node.span
    name, content = file.value, text.value

    def write(s: Evaluation) -> bool:
        target, written = name(s), content(s)
        if target is None or written is None:
            return False
        if not s.rehearsal:
            try:
                s.host.write_file(target, written)
            except RefusedError as refusal:
                raise s.fault(str(refusal).rstrip("."), span) from refusal
            s.memo.pop(("file", target), None)
        return True

    return code(Type.LOGICAL, write, logs=file.logs or text.logs)
