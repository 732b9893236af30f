"""Compilers of conditions, numbers, strings, game facts, variables, comments, sorts, searches and orbits."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isqrt
from typing import Any, Final

from cqlgui.cql import closures_board, nodes, values, words
from cqlgui.cql.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.evaluation import OCCUPIED, UNBOUND, Evaluation
from cqlgui.cql.types import Type

# --- literals and names -------------------------------------------------------------------------------------


@compiles(nodes.Number)
def _number(compiler: Compiler, node: nodes.Number) -> Code:
    value = node.value
    return code(Type.NUMERIC, lambda s: value)


@compiles(nodes.String)
def _string(compiler: Compiler, node: nodes.String) -> Code:
    value = node.value
    return code(Type.STRING, lambda s: value)


@compiles(nodes.Truth)
def _truth(compiler: Compiler, node: nodes.Truth) -> Code:
    value = node.value
    return code(Type.LOGICAL, lambda s: value)


@compiles(nodes.Name)
def _name(compiler: Compiler, node: nodes.Name) -> Code:
    slot, name, span = compiler.slot(node.name), node.name, node.span
    kind = compiler.type_of(node)

    def read(s: Evaluation) -> Any:
        value = s.variables[slot]
        if value is UNBOUND:
            raise s.fault(f"The variable {name} has no value yet", span, name)
        return value

    if kind is Type.PIECE:
        return code(kind, lambda s: s.square_of(read(s)))
    return code(kind, read)


@compiles(nodes.Assign)
def _assign(compiler: Compiler, node: nodes.Assign) -> Code:
    operand = compiler.compile(node.value)
    slot, name, span = compiler.slot(node.name), node.name, node.span
    evaluate = operand.value

    if node.operator in ("=", "=?"):
        must_hold = node.operator == "=?"

        def assign(s: Evaluation) -> bool:
            value = evaluate(s)
            if value is None or (must_hold and not value):
                return False
            s.variables[slot] = value
            return True

        return code(Type.LOGICAL, assign, logs=operand.logs)
    combine = _SET_OPERATIONS.get(node.operator) or _ARITHMETIC[node.operator[:-1]]

    def update(s: Evaluation) -> bool:
        old = s.variables[slot]
        if old is UNBOUND:
            raise s.fault(f"The variable {name} has no value yet", span, name)
        value = evaluate(s)
        new = None if value is None else combine(old, value)
        if new is None:
            return False
        s.variables[slot] = new
        return True

    return code(Type.LOGICAL, update, logs=operand.logs)


# --- conditions ---------------------------------------------------------------------------------------------


@compiles(nodes.Not)
def _not(compiler: Compiler, node: nodes.Not) -> Code:
    operand = compiler.compile(node.operand)
    test = operand.test
    if not operand.logs:
        return code(Type.LOGICAL, lambda s: not test(s))

    def negate(s: Evaluation) -> bool:
        comments, matches = len(s.log), len(s.found)
        result = test(s)
        s.rollback(comments, matches)
        return not result

    return code(Type.LOGICAL, negate)


@compiles(nodes.Logic)
def _logic(compiler: Compiler, node: nodes.Logic) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    a, b, logs = left.test, right.test, left.logs or right.logs
    if node.word == "and":
        return code(Type.LOGICAL, lambda s: bool(a(s) and b(s)), logs=logs)
    return code(Type.LOGICAL, lambda s: bool(a(s) or b(s)), logs=logs)


@compiles(nodes.Compound)
def _compound(compiler: Compiler, node: nodes.Compound) -> Code:
    filters = compiler.compile_all(node.filters)
    *firsts, last = filters
    tests = [each.test for each in firsts]
    logs = any(each.logs for each in filters)
    kind = Type.SET if last.is_set else last.type
    failed: Any = {Type.SET: 0, Type.LOGICAL: False}.get(kind)
    test = _conjunction([*tests, last.test])
    if kind is Type.LOGICAL:
        return code(kind, test, logs=logs)
    holds, value = _conjunction(tests), last.value
    return code(kind, lambda s: value(s) if holds(s) else failed, logs=logs, test=test)


def _conjunction(tests: list[Run]) -> Run:
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        first, second = tests
        return lambda s: first(s) and second(s)
    if len(tests) == 3:
        first, second, third = tests
        return lambda s: first(s) and second(s) and third(s)

    def all_hold(s: Evaluation) -> bool:
        for test in tests:  # noqa: SIM110 - a generator would cost twice as much in the hottest loop
            if not test(s):
                return False
        return True

    return all_hold


@compiles(nodes.In)
def _in(compiler: Compiler, node: nodes.In) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    a, b, logs = left.value, right.value, left.logs or right.logs
    if left.is_set:
        return code(Type.LOGICAL, lambda s: not a(s) & ~b(s), logs=logs)

    def contained(s: Evaluation) -> bool:
        needle, text = a(s), b(s)
        return needle is not None and text is not None and needle in text

    return code(Type.LOGICAL, contained, logs=logs)


_RELATIONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "<": lambda x, y: x < y,
    ">": lambda x, y: x > y,
    "<=": lambda x, y: x <= y,
    ">=": lambda x, y: x >= y,
}


@compiles(nodes.Compare)
def _compare(compiler: Compiler, node: nodes.Compare) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    logs, holds = left.logs or right.logs, _RELATIONS[node.operator]
    if left.is_set and right.is_set:
        a, b = left.value, right.value
        return code(Type.LOGICAL, lambda s: holds(a(s), b(s)), logs=logs)
    a, b = _measured(left), _measured(right)

    def test(s: Evaluation) -> bool:
        x = a(s)
        if x is None:
            return False
        y = b(s)
        return y is not None and holds(x, y)

    if node.operator == "!=":
        return code(Type.LOGICAL, test, logs=logs)

    def value(s: Evaluation) -> Any:
        x = a(s)
        if x is None:
            return None
        y = b(s)
        return x if y is not None and holds(x, y) else None

    return code(Type.NUMERIC if left.is_set else left.type, value, logs=logs, test=test)


def _measured(operand: Code) -> Run:
    """The operand of a comparison: a set counts as its number of squares."""
    inner = operand.value
    return (lambda s: inner(s).bit_count()) if operand.is_set else inner


# --- numbers and strings ------------------------------------------------------------------------------------


def _divide(x: int, y: int) -> int | None:
    """Quotient truncated toward zero; None for a zero divisor."""
    if y == 0:
        return None
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _remainder(x: int, y: int) -> int | None:
    """Remainder with the sign of the dividend; None for a zero divisor."""
    if y == 0:
        return None
    rest = abs(x) % abs(y)
    return -rest if x < 0 else rest


_ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": _divide,
    "%": _remainder,
}
_SET_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "|=": lambda x, y: x | y,
    "&=": lambda x, y: x & y,
}


@compiles(nodes.Arithmetic)
def _arithmetic(compiler: Compiler, node: nodes.Arithmetic) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    a, b, combine = left.value, right.value, _ARITHMETIC[node.operator]

    def value(s: Evaluation) -> Any:
        x = a(s)
        if x is None:
            return None
        y = b(s)
        return None if y is None else combine(x, y)

    return code(left.type, value, logs=left.logs or right.logs)


@compiles(nodes.Negate)
def _negate(compiler: Compiler, node: nodes.Negate) -> Code:
    return _of_number(compiler.compile(node.operand), lambda x: -x)


@compiles(nodes.Numeric)
def _numeric(compiler: Compiler, node: nodes.Numeric) -> Code:
    operand = compiler.compile(node.operand)
    if node.word == "abs":
        return _of_number(operand, abs)
    return _of_number(operand, lambda x: isqrt(x) if x >= 0 else None)


def _of_number(operand: Code, function: Callable[[int], int | None]) -> Code:
    inner = operand.value

    def value(s: Evaluation) -> int | None:
        x = inner(s)
        return None if x is None else function(x)

    return code(Type.NUMERIC, value, logs=operand.logs)


@compiles(nodes.Count)
def _count(compiler: Compiler, node: nodes.Count) -> Code:
    operand = compiler.compile(node.operand)
    inner = operand.value
    if operand.is_set:
        return code(Type.NUMERIC, lambda s: inner(s).bit_count(), logs=operand.logs)

    def length(s: Evaluation) -> int | None:
        text = inner(s)
        return None if text is None else len(text)

    return code(Type.NUMERIC, length, logs=operand.logs)


@compiles(nodes.Extremum)
def _extremum(compiler: Compiler, node: nodes.Extremum) -> Code:
    operands = compiler.compile_all(node.operands)
    runs = [operand.value for operand in operands]
    logs = any(operand.logs for operand in operands)
    return code(operands[0].type, _best_of(runs, node.word == "max", lambda s, index: None), logs=logs)


def _best_of(runs: list[Run], largest: bool, matched: Callable[[Evaluation, int], None]) -> Run:
    """The largest (smallest) value there is; only comments of the runs that give it stay. `matched` hears of
    values.
    """

    def value(s: Evaluation) -> Any:
        best = None
        start = len(s.log)
        for index, run in enumerate(runs):
            mark = len(s.log)
            found = run(s)
            if found is None:
                continue
            matched(s, index)
            if best is None or (found > best if largest else found < best):
                best = found
                del s.log[start:mark]
            elif found != best:
                del s.log[mark:]
        return best

    return value


@compiles(nodes.CurrentTransform)
def _current_transform(compiler: Compiler, node: nodes.CurrentTransform) -> Code:
    text = words.bracketed(node.applied)
    return code(Type.STRING, lambda s: text)


# --- facts of the game --------------------------------------------------------------------------------------


@compiles(nodes.CurrentPosition)
def _current_position(compiler: Compiler, node: nodes.CurrentPosition) -> Code:
    return code(Type.POSITION, lambda s: s.id)


@compiles(nodes.Measure)
def _measure(compiler: Compiler, node: nodes.Measure) -> Code:
    runs: dict[str, Run] = {
        "ply": lambda s: s.tree.plies[s.id],
        "movenumber": Evaluation.movenumber,
        "positionid": lambda s: s.id,
        "gamenumber": lambda s: s.host.gamenumber,
        "year": _once_a_game("year", lambda s: year_of(s.host.tag("Date") or "")),
    }
    return code(Type.NUMERIC, runs[node.word])


def _once_a_game(key: object, run: Run) -> Run:
    def remembered(s: Evaluation) -> Any:
        memo = s.memo
        if key not in memo:
            memo[key] = run(s)
        return memo[key]

    return remembered


def year_of(date: str) -> int | None:
    """The year of a Date tag, or None when it is unknown."""
    found = re.match(r"\s*(\d{1,4})(?!\d)", date)
    return int(found[1]) or None if found else None


def normal_date(date: str) -> str:
    """A date tag as `yyyy.mm.dd`, with `?` for unknown digits."""
    fields = re.split(r"[.\-/\s]+", date.strip())
    widths = (4, 2, 2)
    normal = []
    for index, width in enumerate(widths):
        field = fields[index] if index < len(fields) else ""
        known = re.fullmatch(r"[\d?]+", field) is not None and len(field) <= width
        if not known or (field.isdigit() and int(field) == 0):
            normal.append("?" * width)
        else:
            normal.append(field.rjust(width, "0" if field.isdigit() else "?"))
    return ".".join(normal)


@compiles(nodes.Elo)
def _elo(compiler: Compiler, node: nodes.Elo) -> Code:
    tags = ("WhiteElo", "BlackElo") if node.colour is None else (f"{node.colour.capitalize()}Elo",)

    def elo(s: Evaluation) -> int | None:
        return max((rating for tag in tags if (rating := _rating(s.host.tag(tag)))), default=None)

    return code(Type.NUMERIC, _once_a_game(("elo", node.colour), elo))


def _rating(text: str | None) -> int:
    found = re.match(r"\s*(\d{1,5})", text or "")
    return int(found[1]) if found else 0


@compiles(nodes.Player)
def _player(compiler: Compiler, node: nodes.Player) -> Code:
    if node.colour is not None:
        tag = node.colour.capitalize()
        return code(Type.STRING, _once_a_game(tag, lambda s: player_name(s.host.tag(tag))))

    def both(s: Evaluation) -> str | None:
        white, black = player_name(s.host.tag("White")), player_name(s.host.tag("Black"))
        return f"{white or ''}\n{black or ''}" if white or black else None

    return code(Type.STRING, _once_a_game("players", both))


_TIGHT_COMMA = re.compile(r",(?! )")


def player_name(tag: str | None) -> str | None:
    """A player's name as queries see it; None when it is empty.

    The reference (build 9.493) tidies names while it reads them, as its results on 2,450 games show: a comma
    gets a blank behind it, blanks and then full stops at the end go, `van ` at the beginning gets a capital,
    and a game without the tag has the name `?`.
    """
    if tag is None:
        return "?"
    name = _TIGHT_COMMA.sub(", ", tag).rstrip().rstrip(".")
    return ("V" + name[1:] if name.startswith("van ") else name) or None


def _tag_text(tag: str) -> Code:
    return code(Type.STRING, _once_a_game(("tag", tag), lambda s: s.host.tag(tag) or None))


@compiles(nodes.Result)
def _result(compiler: Compiler, node: nodes.Result) -> Code:
    result = node.result
    return code(Type.LOGICAL, lambda s: s.host.result == result)


@compiles(nodes.TagText)
def _tag(compiler: Compiler, node: nodes.TagText) -> Code:
    tag = {"event": "Event", "site": "Site", "date": "Date", "eventdate": "EventDate", "eco": "ECO"}[
        node.word
    ]
    if node.word in ("date", "eventdate"):
        return code(Type.STRING, _once_a_game(("date", tag), lambda s: normal_date(s.host.tag(tag) or "")))
    return _tag_text(tag)


@compiles(nodes.ImplicitSearch)
def _implicit_search(compiler: Compiler, node: nodes.ImplicitSearch) -> Code:
    text, needle = compiler.compile(node.text), node.needle
    haystack = text.value

    def contained(s: Evaluation) -> bool:
        found = haystack(s)
        return found is not None and needle in found

    return code(Type.LOGICAL, contained, logs=text.logs)


# --- searches in the tree -----------------------------------------------------------------------------------


@compiles(nodes.Find)
def _find(compiler: Compiler, node: nodes.Find) -> Code:
    operand = compiler.compile(node.operand)
    test, quiet = operand.test, node.quiet
    candidates = _backwards if node.backwards else _forwards

    if node.range is None and not node.all:

        def first(s: Evaluation) -> int | None:
            here = s.id
            try:
                for candidate in candidates(s, here):
                    s.step()
                    s.goto(candidate)
                    if test(s):
                        if not quiet and not s.quiet_comments:
                            s.log.append((candidate, "Found"))
                        return candidate
                return None
            finally:
                s.goto(here)

        return code(Type.POSITION, first, logs=True)
    within: Callable[[Evaluation, int], bool]
    within = (lambda s, number: number >= 1) if node.range is None else compiler.within(node.range)

    def number(s: Evaluation) -> int | None:
        here = s.id
        found = []
        try:
            for candidate in candidates(s, here):
                s.step()
                s.goto(candidate)
                if test(s):
                    found.append(candidate)
        finally:
            s.goto(here)
        if not within(s, len(found)):
            return None
        if not quiet and not s.quiet_comments:
            for index, candidate in enumerate(found, 1):
                s.log.append((candidate, f"Found {index} of {len(found)}"))
        return len(found)

    return code(Type.NUMERIC, number, logs=True)


def _forwards(s: Evaluation, start: int) -> range:
    return range(start, s.subtree_end(start))


def _backwards(s: Evaluation, start: int) -> list[int]:
    parents, line = s.tree.parents, []
    while start >= 0:
        line.append(start)
        start = parents[start]
    return line


# --- sorts and comments -------------------------------------------------------------------------------------


@compiles(nodes.Sort)
def _sort(compiler: Compiler, node: nodes.Sort) -> Code:
    key = compiler.sort_key(node)
    operand = compiler.compile(node.operand)
    inner, is_set, descending = operand.value, operand.is_set, node.order != "min"

    def value(s: Evaluation) -> Any:
        mark = len(s.log)
        found = inner(s)
        if found is None or (is_set and not found):
            return found
        measure = found.bit_count() if is_set else found
        comments = tuple(s.log[mark:])
        del s.log[mark:]
        best = s.best[key]
        if best is None or (measure > best if descending else measure < best):
            s.best[key] = measure
            s.asides[key] = comments
        return found

    kind = Type.SET if is_set else operand.type
    return code(kind, value, logs=operand.logs)


@compiles(nodes.Comment)
def _comment(compiler: Compiler, node: nodes.Comment) -> Code:
    texts = [text_of(compiler, part) for part in node.parts]

    def write(s: Evaluation) -> bool:
        text = "".join([part(s) for part in texts])
        if s.explicit_comments and text:
            s.log.append((s.id, text))
        return True

    return code(Type.LOGICAL, write, logs=True)


def text_of(compiler: Compiler, node: nodes.Node) -> Callable[[Evaluation], str]:
    """A closure that gives the textual form of a filter (output spec 2)."""
    if isinstance(node, nodes.Name):
        slot, unbound = compiler.slot(node.name), values.unbound_text(node.name)
        bound = _text(compiler.compile(node))
        return lambda s: unbound if s.variables[slot] is UNBOUND else bound(s)
    return _text(compiler.compile(node))


def _text(operand: Code) -> Callable[[Evaluation], str]:
    value, text = operand.value, value_text(operand)
    return lambda s: text(s, value(s))


def value_text(operand: Code) -> Callable[[Evaluation, Any], str]:
    """A function that gives the text of a value of the filter at the current position."""
    match operand.type:
        case Type.SET:
            return lambda s, value: values.set_text(value)
        case Type.PIECE:
            return lambda s, value: values.piece_text(value, s.position.squares)
        case Type.NUMERIC:
            return lambda s, value: values.number_text(value)
        case Type.STRING:
            return lambda s, value: values.string_text(value)
        case Type.POSITION:
            return _position_text
        case Type.LOGICAL:
            return lambda s, value: values.truth_text(value)


def _position_text(s: Evaluation, positionid: int | None) -> str:
    if positionid is None:
        return values.NO_VALUE
    if s.tree.depths[positionid] and s.explicit_comments:
        s.log.append((positionid, f"id:{positionid}"))
    return s.position_text(positionid)


# --- transforms ---------------------------------------------------------------------------------------------


@compiles(nodes.NoTransform)
def _no_transform(compiler: Compiler, node: nodes.NoTransform) -> Code:
    return compiler.compile(node.operand)


@compiles(nodes.Orbit)
def _orbit(compiler: Compiler, node: nodes.Orbit) -> Code:
    elements = compiler.compile_all([element.filter for element in node.elements])
    noted, index = node.index >= 0, node.index
    logs = noted or any(element.logs for element in elements)

    def note(s: Evaluation, element: int) -> None:
        if noted:
            s.found.append((index, element, s.id))

    if node.range is not None:
        count, within = _matching(node, elements, note), compiler.within(node.range)

        def number(s: Evaluation) -> int | None:
            matches = count(s)
            return matches if within(s, matches) else None

        return code(Type.NUMERIC, number, logs=logs)
    kind = compiler.type_of(node)
    if kind is Type.SET:
        runs = [element.value for element in elements]

        def union(s: Evaluation) -> int:
            found = 0
            for element, run in enumerate(runs):
                part = run(s)
                if part:
                    found |= part
                    if noted:
                        s.found.append((index, element, s.id))
            return found

        return code(Type.SET, union, logs=logs)
    if kind is Type.NUMERIC:
        return code(Type.NUMERIC, _best_of([element.value for element in elements], True, note), logs=logs)
    matching = _matching(node, elements, note)
    return code(Type.LOGICAL, lambda s: matching(s) > 0, logs=logs)


def _matching(
    node: nodes.Orbit, elements: list[Code], note: Callable[[Evaluation, int], None]
) -> Callable[[Evaluation], int]:
    """Number of elements that match; all are always evaluated, in canonical order (transforms spec 4.1)."""
    table = _designator_table(node)
    if table is not None:
        return _matching_in(table, note)
    tests = [element.test for element in elements]

    def count(s: Evaluation) -> int:
        s.step()
        matches = 0
        for element, test in enumerate(tests):
            if test(s):
                matches += 1
                note(s, element)
        return matches

    return count


_Table = list[list[tuple[int, int]]]


def _designator_table(node: nodes.Orbit) -> _Table | None:
    """For an orbit of plain designators: (place in `Evaluation.men`, squares) of each; None for others."""
    table: _Table = []
    for element in node.elements:
        filters = element.filter.filters if isinstance(element.filter, nodes.Compound) else (element.filter,)
        row = []
        for each in filters:
            if not isinstance(each, nodes.Designator):
                return None
            places = closures_board.places(each.men)
            if len(places) != 1:
                return None
            row.append((places[0], each.squares))
        table.append(row)
    return table


def _matching_in(table: _Table, note: Callable[[Evaluation, int], None]) -> Callable[[Evaluation], int]:
    """The same for a table: the first two designators of each element are tested without any call."""
    always = (OCCUPIED, 0)
    flat = [
        (element, *row[0], *(row[1] if len(row) > 1 else always), len(row) > 1, row[2:])
        for element, row in enumerate(table)
    ]

    def count(s: Evaluation) -> int:
        s.step()
        men = s.men
        matches = 0
        for element, place, area, second, other, paired, rest in flat:
            if not men[place] & area or (paired and not men[second] & other):
                continue
            for more, third in rest:
                if not men[more] & third:
                    break
            else:
                matches += 1
                note(s, element)
        return matches

    return count
