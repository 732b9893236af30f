"""Compilers of control flow, dictionaries, functions, and filters that test or unbind variables (language
spec, 8.9 and 12)."""

from __future__ import annotations

from typing import Any, Final

from cqlgui.cql.ast import nodes, nodes_programs, nodes_strings, repeatable
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_strings
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import PER_ENTRY, UNBOUND, Evaluation
from cqlgui.cql.source.diagnostics import Span

MAX_ENTRIES: Final = 1_000_000
"""Maximum number of entries of a dictionary. Without this limit, a query could fill all memory."""

# --- control ------------------------------------------------------------------------------------------------


@compiles(nodes_programs.If)
def _if(compiler: Compiler, node: nodes_programs.If) -> Code:
    condition, then = compiler.compile(node.condition), compiler.compile(node.then)
    holds, positive = condition.test, then.test
    if node.otherwise is None:
        logs = condition.logs or then.logs
        return code(Type.LOGICAL, lambda s: positive(s) if holds(s) else True, logs=logs)
    otherwise = compiler.compile(node.otherwise)
    negative, kind = otherwise.test, compiler.type_of(node)
    logs = condition.logs or then.logs or otherwise.logs

    def test(s: Evaluation) -> Any:
        return positive(s) if holds(s) else negative(s)

    if kind is Type.LOGICAL:
        return code(kind, test, logs=logs)
    first, second = then.value, otherwise.value
    apart = then.apart or otherwise.apart
    return code(kind, lambda s: first(s) if holds(s) else second(s), logs=logs, test=test, apart=apart)


@compiles(nodes_programs.Loop)
def _loop(compiler: Compiler, node: nodes_programs.Loop) -> Code:
    operand = compiler.compile(node.operand)
    test, span = operand.test, node.span
    endless = repeatable.is_endless(node)

    def repeat(s: Evaluation) -> bool:
        matched = False
        while test(s):
            s.step()
            if endless:
                raise s.fault(ENDLESS, span)
            matched = True
        return matched

    return code(Type.LOGICAL, repeat, logs=operand.logs)


ENDLESS: Final = "This loop does not end, for nothing in it changes what it asks"


@compiles(nodes_programs.While)
def _while(compiler: Compiler, node: nodes_programs.While) -> Code:
    condition, body = compiler.compile(node.condition), compiler.compile(node.body)
    holds, run, logs = condition.test, body.test, condition.logs or body.logs
    if node.iterates:
        assert isinstance(node.condition, nodes_strings.Search)
        return code(Type.LOGICAL, _for_each_match(compiler, node.condition, run), logs=logs)

    endless, span = repeatable.is_endless(node), node.span

    def repeat(s: Evaluation) -> bool:
        while holds(s):
            s.step()
            if endless:
                raise s.fault(ENDLESS, span)
            run(s)
        return True

    return code(Type.LOGICAL, repeat, logs=logs)


def _for_each_match(compiler: Compiler, search: nodes_strings.Search, run: Run) -> Run:
    """A closure that runs the body once for each match in a text (spec 13.4). The text is evaluated only
    once, at the beginning. The loop fails if the text has no value (R2-5)."""
    subject = compiler.compile(search.text).value
    matches = closures_strings.matches(search)

    def iterate(s: Evaluation) -> bool:
        text = subject(s)
        if text is None:
            s.groups = None
            return False
        for found in matches(s, text):
            s.step()
            s.groups = found
            run(s)
        s.groups = None
        return True

    return iterate


@compiles(nodes_programs.Assert)
def _assert(compiler: Compiler, node: nodes_programs.Assert) -> Code:
    operand, span = compiler.compile(node.operand), node.span
    test: Run = operand.test
    if isinstance(node.operand, nodes.Name):
        # For a variable, `assert` tests only whether the variable has a value.
        slot = compiler.slot(node.operand.name)

        def bound(s: Evaluation) -> bool:
            return s.variables[slot] is not UNBOUND

        test = bound

    def insist(s: Evaluation) -> bool:
        if not test(s):
            raise s.fault("What the query asserts does not hold", span, stops=True)
        return True

    return code(Type.LOGICAL, insist, logs=operand.logs)


# --- variables ----------------------------------------------------------------------------------------------


@compiles(nodes_programs.IsBound)
def _is_bound(compiler: Compiler, node: nodes_programs.IsBound) -> Code:
    slot, bound = compiler.slot(node.name), node.bound
    return code(Type.LOGICAL, lambda s: (s.variables[slot] is not UNBOUND) is bound)


@compiles(nodes_programs.Unbind)
def _unbind(compiler: Compiler, node: nodes_programs.Unbind) -> Code:
    slot, name = compiler.slot(node.name), node.name
    if node.key is not None:
        key = compiler.compile(node.key)
        of_entry = key.value

        def remove(s: Evaluation) -> bool:
            where = of_entry(s)
            if where is not None:
                _put(s, s.variables[slot], where, UNBOUND, node.span)
            return True

        return code(Type.LOGICAL, remove, logs=key.logs)
    if compiler.names[name] is Type.DICTIONARY:

        def clear(s: Evaluation) -> bool:
            entries: dict[Any, Any] = s.variables[slot]
            for where in list(entries):
                _put(s, entries, where, UNBOUND, node.span)
            return True

        return code(Type.LOGICAL, clear)

    def forget(s: Evaluation) -> bool:
        # A persistent variable always has a value. Therefore `unbind` sets a persistent variable to its
        # initial value.
        s.variables[slot] = compiler.initial(name) if name in compiler.persistent else UNBOUND
        return True

    return code(Type.LOGICAL, forget)


# --- dictionaries -------------------------------------------------------------------------------------------


@compiles(nodes_programs.Dictionary)
def _dictionary(compiler: Compiler, node: nodes_programs.Dictionary) -> Code:
    compiler.slot(node.name)
    compiler.dictionaries[node.name] = node.local
    return code(Type.LOGICAL, lambda s: True)


@compiles(nodes_programs.Entry)
def _entry(compiler: Compiler, node: nodes_programs.Entry) -> Code:
    key, slot, kind = compiler.compile(node.key), compiler.slot(node.name), compiler.type_of(node)
    where = key.value
    # If the entry is missing, the filter fails. A missing entry gives the empty set if the entries are sets,
    # False if the entries are conditions, and None for all other types.
    absent: Any = {Type.SET: 0, Type.LOGICAL: False}.get(kind)

    def value(s: Evaluation) -> Any:
        place = where(s)
        return absent if place is None else s.variables[slot].get(place, absent)

    return code(kind, value, logs=key.logs)


@compiles(nodes_programs.EntryAssign)
def _entry_assign(compiler: Compiler, node: nodes_programs.EntryAssign) -> Code:
    key, operand, slot = compiler.compile(node.key), compiler.compile(node.value), compiler.slot(node.name)
    where, evaluate, span = key.value, operand.value, node.span

    def assign(s: Evaluation) -> bool:
        place = where(s)
        if place is None:
            return False
        value = evaluate(s)
        if value is None:
            return False
        _put(s, s.variables[slot], place, value, span)
        return True

    return code(Type.LOGICAL, assign, logs=key.logs or operand.logs)


def _put(s: Evaluation, entries: dict[Any, Any], key: Any, value: Any, span: Span) -> None:
    """Set an entry. If the value is `UNBOUND`, remove the entry."""
    old = entries.get(key, UNBOUND)
    gone = 0 if old is UNBOUND else _weight(old)
    if s.journal is not None:
        s.journal.append((entries, key, old))
        # The journal keeps the old value. Therefore the weight of the old value is not subtracted, and the
        # weight of the journal entry is added.
        gone = -PER_ENTRY
    if value is UNBOUND:
        entries.pop(key, None)
        s.charge(-gone if old is UNBOUND or s.journal is not None else -gone - _weight(key) - PER_ENTRY, span)
        return
    added = _weight(key) + PER_ENTRY if old is UNBOUND else 0
    s.charge(added + _weight(value) - gone, span)
    entries[key] = value
    if len(entries) > MAX_ENTRIES:
        raise s.fault(f"A dictionary grew beyond {MAX_ENTRIES} entries", span)


def _weight(value: Any) -> int:
    """The weight of a key or value, in characters."""
    return len(value) if isinstance(value, str) else value.bit_length() >> 3


@compiles(nodes_programs.EntryCount)
def _entry_count(compiler: Compiler, node: nodes_programs.EntryCount) -> Code:
    slot = compiler.slot(node.name)
    return code(Type.NUMERIC, lambda s: len(s.variables[slot]))


@compiles(nodes_programs.EntryLoop)
def _entry_loop(compiler: Compiler, node: nodes_programs.EntryLoop) -> Code:
    slot, dictionary = compiler.slot(node.name), compiler.slot(node.dictionary)
    name, span = node.name, node.span
    body = compiler.compile(node.body)
    run = body.test

    def iterate(s: Evaluation) -> bool:
        entries = s.variables[dictionary]
        if s.variables[slot] is not UNBOUND:
            raise s.fault(f"The loop variable {name} already has a value here", span, name)
        # The keys are sorted again for every run of the loop. Sorting therefore counts as work, so that the
        # time limit is checked often enough.
        s.work -= len(entries) >> 4
        try:
            for key in sorted(entries):
                s.step()
                if key in entries:
                    s.variables[slot] = key
                    run(s)
        finally:
            s.variables[slot] = UNBOUND
        return True

    return code(Type.LOGICAL, iterate, logs=body.logs)


# --- functions ----------------------------------------------------------------------------------------------


@compiles(nodes_programs.Function)
def _function(compiler: Compiler, node: nodes_programs.Function) -> Code:
    return code(Type.LOGICAL, lambda s: True)


@compiles(nodes_programs.Call)
def _call(compiler: Compiler, node: nodes_programs.Call) -> Code:
    arguments = compiler.compile_all(node.arguments)
    given = [
        (argument.value, compiler.slot(hidden))
        for argument, hidden in zip(arguments, node.hidden, strict=True)
        if hidden
    ]
    body = compiler.compile(node.body)
    kind = compiler.type_of(node)
    failed: Any = {Type.SET: 0, Type.LOGICAL: False}.get(kind)
    logs = body.logs or any(argument.logs for argument in arguments)
    test = _with_arguments(given, body.test, False)
    value = _with_arguments(given, body.value, failed)
    return code(kind, value, logs=logs, test=test, apart=body.apart)


def _with_arguments(given: list[tuple[Run, int]], body: Run, failed: Any) -> Run:
    """A closure that evaluates all arguments, stores the values in the hidden variables, and runs the body.
    The closure returns `failed` if an argument has no value."""
    if not given:
        return body

    def run(s: Evaluation) -> Any:
        values = []
        for argument, slot in given:
            value = argument(s)
            if value is None:
                return failed
            values.append((slot, value))
        for slot, value in values:
            s.variables[slot] = value
        return body(s)

    return run
