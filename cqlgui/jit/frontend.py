"""Reads functions in the kernel language and writes them through the emitter.

The language is a subset of Python. It has numbers (`int`, `Word`, `bool`), arrays that are given as
arguments, tables and constants of a module, and members of an `enum.IntEnum`. It also has `if`, `while`,
`for ... in range(...)`, assignments, and calls of functions in the kernel language. A variable has one type.
The type is `Word` if any value assigned to the variable is a `Word`. Bit operations and sums of an `int` and
a `Word` are words. A comparison of an `int` and a `Word` is refused, because the meaning of the sign would be
unclear. Write `int(...)` or `word(...)` in a comparison. A literal takes the type of the other operand, and
`1 << n` is a word. A shift must be by less than 64. Arrays that are given to one call must not overlap.
`assert` has an effect only in plain Python. `array[start:]` as an argument is the array from the element
`start` on. A function that is given as an argument can be called.
"""

from __future__ import annotations

import ast
import contextlib
import enum
import inspect
import math
import textwrap
import threading
import types
import typing
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias

from cqlgui.base.data import dataclass
from cqlgui.jit import emitter, words
from cqlgui.jit.emitter import Callee, Value
from cqlgui.jit.words import KernelType, Pointer, Routine, Scalar


class KernelError(Exception):
    """A function is not in the kernel language. The message names the place and the reason."""


@dataclass(frozen=True, slots=True)
class _Literal:
    """A number whose type depends on its context."""

    number: int


@dataclass(frozen=True, slots=True)
class _Table:
    """A constant array of a module, in rows of equal length. `kind` is the type that an element gets when
    the element is read."""

    array: Value
    kind: Scalar
    shape: tuple[int, ...]


_Operand: TypeAlias = Value | _Literal


class Program:
    """The functions of one compilation, and all functions that they call. `exported` functions can be found
    by name. Functions in `apart` are called by their `symbol`. `outside` has the names of parameters that
    take a routine. The routines of these parameters are also called by a `symbol`."""

    def __init__(
        self,
        sources: Sequence[types.ModuleType],
        exported: Collection[types.FunctionType] = (),
        *,
        apart: Collection[Callable[..., object]] = (),
        outside: Collection[str] = (),
    ) -> None:
        self.module: Final = emitter.Module()
        self._exported = frozenset(exported)
        self._apart = frozenset(apart)
        self.outside = frozenset(outside)
        self._outside: dict[str, Callee] = {}
        self._sources = {source.__name__ for source in sources}
        self._callees: dict[types.FunctionType, Callee] = {}
        self._tables: dict[int, tuple[_Table, object]] = {}
        self._hints: dict[str, dict[str, Any]] = {}

    def add(self, function: types.FunctionType) -> Callee:
        """Compile a function, if no earlier call has compiled the function. Raises `KernelError`."""
        known = self._callees.get(function)
        if known is not None:
            return known
        self._insist_on_source(function.__module__, function.__qualname__)
        parameters, result = signature(function)
        if function in self._apart:
            routine = Routine(tuple(kind for _, kind in parameters), result)
            self._callees[function] = self.module.elsewhere(symbol(function.__name__), routine)
            return self._callees[function]
        exported = function in self._exported
        name = function.__name__ if exported else f"{function.__module__}.{function.__qualname__}"
        opened = self.module.function(name, parameters, result, exported=exported)
        # The function is noted in `_callees` before its body is compiled, because the body may call the
        # function itself.
        self._callees[function] = opened.callee
        _Body(self, function, [name for name, _ in parameters]).write(opened)
        return opened.callee

    def outside_callee(self, name: str, routine: Routine) -> Callee:
        """The routine of the parameter `name`. This name must be in `outside`."""
        if name not in self._outside:
            self._outside[name] = self.module.elsewhere(symbol(name), routine)
        return self._outside[name]

    def table(self, numbers: Sequence[Any], name: str, source: types.ModuleType) -> _Table | None:
        """A tuple of numbers, or a tuple of rows of numbers, as constant data; None for any other object."""
        known = self._tables.get(id(numbers))
        if known is not None:
            return known[0]
        shape: list[int] = []
        flat: Sequence[Any] = numbers
        while flat and isinstance(flat[0], tuple):
            shape.append(len(flat[0]))
            if any(not isinstance(row, tuple) or len(row) != shape[-1] for row in flat):
                return None
            flat = [cell for row in flat for cell in row]
        if not flat or any(type(cell) is not int for cell in flat):
            return None
        self._insist_on_source(source.__name__, name)
        is_word = _holds_words(self._hints_of(source).get(name)) or max(flat) >> 63 != 0
        symbol = f"{source.__name__}.{name}"
        array = self.module.table(symbol, _narrowest(flat), flat)
        # The last argument has the sizes of the table. `_element` computes the strides from the sizes.
        made = _Table(array, Scalar.WORD if is_word else Scalar.INT, (len(numbers), *shape))
        # The tuple is kept, because its `id` is the key, and another object could get the `id` of a freed
        # tuple.
        self._tables[id(numbers)] = made, numbers
        return made

    def _hints_of(self, source: types.ModuleType) -> dict[str, Any]:
        found = self._hints.get(source.__name__)
        if found is None:
            # `typing.get_type_hints` would refuse a bare `Final`, because a bare `Final` names no type.
            said = {name: hint for name, hint in source.__annotations__.items() if hint != "Final"}
            holder = type("hints", (), {"__annotations__": said})
            found = typing.get_type_hints(holder, globalns=vars(source), include_extras=True)
            self._hints[source.__name__] = found
        return found

    def _insist_on_source(self, module: str, name: str) -> None:
        if module not in self._sources:
            raise KernelError(f"{module}.{name} lies in a module that this unit does not name as a source")


def symbol(name: str) -> str:
    """The symbol of a function that is linked with its callers later."""
    return f"later.{name}"


def signature(function: Callable[..., object]) -> tuple[list[tuple[str, KernelType]], Scalar | None]:
    """Parameters and result of a kernel; raises `KernelError` for types outside the language."""
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = []
    for one in inspect.signature(function).parameters.values():
        if one.kind not in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) or one.name not in hints:
            raise KernelError(f"{function.__qualname__}: the parameter {one.name} needs a plain type")
        parameters.append((one.name, _kernel_type(hints[one.name], f"{function.__qualname__}({one.name})")))
    if "return" not in hints:
        raise KernelError(f"{function.__qualname__} does not say what it returns")
    if hints["return"] is types.NoneType:
        return parameters, None
    result = _kernel_type(hints["return"], f"{function.__qualname__} -> ...")
    if not isinstance(result, Scalar):
        raise KernelError(f"{function.__qualname__}: only numbers can be returned")
    return parameters, result


def _kernel_type(hint: Any, where: str) -> KernelType:
    if hint is int:
        return Scalar.INT
    if hint is bool:
        return Scalar.BOOL
    for part in getattr(hint, "__metadata__", ()):
        if isinstance(part, Scalar | Pointer | Routine):
            return part
    raise KernelError(f"{where}: {hint} is no type of the kernel language")


def _holds_words(hint: Any) -> bool:
    """Whether an annotation such as `tuple[tuple[Word, ...], ...]` contains `Word`."""
    if Scalar.WORD in getattr(hint, "__metadata__", ()):
        return True
    return any(_holds_words(part) for part in typing.get_args(hint))


def _narrowest(numbers: Sequence[int]) -> Scalar:
    low, high = min(numbers), max(numbers)
    for kind in (Scalar.U8, Scalar.I8, Scalar.U16, Scalar.I16, Scalar.U32, Scalar.I32, Scalar.INT):
        least, most = (-(1 << kind.bits - 1), 1 << kind.bits - 1) if kind.signed else (0, 1 << kind.bits)
        if least <= low and high < most:
            return kind
    return Scalar.WORD


_BINARY: Final = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "shl", ast.RShift: "shr", ast.FloorDiv: "div", ast.Mod: "mod",
}  # fmt: skip
_COMPARED: Final = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_FOLDED: Final[dict[str, Callable[[int, int], int]]] = {
    "add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "and": int.__and__, "or": int.__or__,
    "xor": int.__xor__, "shl": int.__lshift__, "shr": int.__rshift__, "div": int.__floordiv__,
    "mod": int.__mod__,
}  # fmt: skip
_OF_WORDS: Final[dict[object, str]] = {
    words.lowest: "lowest", words.highest: "highest", words.swapped: "swapped",
}  # fmt: skip


_PARSING: Final = threading.Lock()
"""Python 3.11 counts the depth of a syntax tree for all threads together. If two threads make trees at the
same time, Python may raise `SystemError` (https://github.com/python/cpython/issues/106905)."""


_ATTEMPTS: Final = 10


def _parsed(text: str) -> ast.Module:
    """The syntax tree of a text. Raises `SyntaxError`."""
    for _ in range(_ATTEMPTS - 1):
        # The lock does not stop a library that parses a text in a thread of its own.
        with contextlib.suppress(SystemError), _PARSING:
            return ast.parse(text)
    with _PARSING:
        return ast.parse(text)


class _Body:
    """Writes one function. The function is written again until the types of its variables no longer
    change."""

    def __init__(self, program: Program, function: types.FunctionType, parameters: Sequence[str]) -> None:
        self._program = program
        self._function = function
        self._parameters = parameters
        self._source = inspect.getsourcefile(function) or "?"
        lines, self._first_line = inspect.getsourcelines(function)
        tree = _parsed(textwrap.dedent("".join(lines))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        self._tree = tree
        self._kinds: dict[str, Scalar] = {}
        self._fixed: set[str] = set()
        self._strict = False
        self._f: emitter.Function
        self._slots: dict[str, Value] = {}
        self._arrays: dict[str, Value] = {}
        self._routines: dict[str, Value] = {}
        self._loops: list[tuple[str, str]] = []

    def write(self, opened: emitter.Function) -> None:
        """Write the body of the function that was opened."""
        while True:
            before = dict(self._kinds)
            # A variable that is an int in one attempt may be a word in the next attempt. Mixtures of ints and
            # words are therefore refused only in the last attempt.
            parameters = list(zip(self._parameters, opened.callee.parameters, strict=True))
            name = opened.callee.text.removeprefix("@")
            attempt = emitter.Function(
                self._program.module, name, parameters, opened.callee.result, opened.exported
            )
            attempt.inlined = words.inlining(self._function)
            self._attempt(attempt)
            if self._strict:
                attempt.finish()
                return
            self._strict = self._kinds == before

    def _attempt(self, f: emitter.Function) -> None:
        self._f = f
        self._slots.clear()
        self._arrays.clear()
        for name, value in zip(self._parameters, f.arguments, strict=True):
            if isinstance(value.type, Pointer):
                self._arrays[name] = value
            elif isinstance(value.type, Routine) and name in self._program.outside:
                self._routines[name] = Value(self._program.outside_callee(name, value.type).text, value.type)
            elif isinstance(value.type, Routine):
                self._routines[name] = value
            else:
                self._kinds[name] = value.type
                self._fixed.add(name)
                f.store(value, self._slot(name, value.type))
        self._block(self._tree.body)
        if f.is_open:
            if f.callee.result is not None:
                raise self._wrong(self._tree, "it does not return a value on every way")
            f.leave()

    # --- statements

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if not self._f.is_open:
                raise self._wrong(statement, "nothing comes here")
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(ast.Constant(str())) | ast.Pass() | ast.Assert():
                pass
            case ast.Expr(ast.Call() as call):
                self._call(call)
            case ast.Assign([target], value):
                self._assign(target, value)
            case ast.AnnAssign(ast.Name(name), hint, value) if value is not None:
                kind = self._kind_of_hint(hint)
                self._kinds[name] = kind
                self._fixed.add(name)
                self._put(node, name, self._expression(value))
            case ast.AugAssign(target, operator, value):
                read = ast.copy_location(_as_read(target), target)
                whole = ast.copy_location(ast.BinOp(read, operator, value), node)
                self._assign(target, whole)
            case ast.If(test, body, otherwise):
                self._if(test, body, otherwise)
            case ast.While(test, body, []):
                self._while(test, body)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range"), arguments, []), body, []):
                self._for(node, name, arguments, body)
            case ast.Break() | ast.Continue():
                if not self._loops:
                    raise self._wrong(node, "no loop is here")
                self._f.jump(self._loops[-1][isinstance(node, ast.Break)])
            case ast.Return(None):
                self._f.leave()
            case ast.Return(value):
                assert value is not None
                result = self._f.callee.result
                if result is None:
                    raise self._wrong(node, "the function returns nothing")
                self._f.leave(self._as(value, self._expression(value), result))
            case _:
                raise self._wrong(node, f"there is no {type(node).__name__} in the kernel language")

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(name), _:
                self._put(target, name, self._expression(value))
            case ast.Subscript(ast.Name(name), index), _:
                array = self._arrays.get(name)
                if array is None:
                    raise self._wrong(target, f"{name} is no array that was given")
                assert isinstance(array.type, Pointer)
                element = array.type.element
                wanted = element if element is Scalar.BOOL else Scalar.INT if element.signed else Scalar.WORD
                place = self._index(index)
                made = self._expression(value)
                if isinstance(made, _Literal):
                    made = self._typed(value, made, wanted)
                elif made.type is Scalar.BOOL:
                    made = self._f.converted(made, wanted)
                self._f.store(made, array, place)
            case ast.Tuple(targets), ast.Tuple(values) if len(targets) == len(values):
                made_all = [self._expression(one) for one in values]
                for one, made in zip(targets, made_all, strict=True):
                    if not isinstance(one, ast.Name):
                        raise self._wrong(one, "only variables can be assigned several at a time")
                    self._put(one, one.id, made)
            case _:
                raise self._wrong(target, "this cannot be assigned to")

    def _put(self, node: ast.AST, name: str, value: _Operand) -> None:
        if name in self._arrays:
            raise self._wrong(node, f"{name} is an array")
        known = self._kinds.get(name)
        if isinstance(value, _Literal):
            default = Scalar.INT if -(1 << 63) <= value.number < 1 << 63 else Scalar.WORD
            kind = known or default
        else:
            assert isinstance(value.type, Scalar)
            kind = known or value.type
            if known is Scalar.INT and value.type is Scalar.WORD:
                if name in self._fixed:
                    raise self._wrong(node, f"{name} is an int and gets a Word; int(...) says that it fits")
                # The next attempt writes the function with the type `WORD` for this variable.
                self._kinds[name] = Scalar.WORD
                value = self._f.converted(value, Scalar.INT)
        self._kinds.setdefault(name, kind)
        if not isinstance(value, _Literal) and kind is Scalar.WORD and value.type is Scalar.INT:
            value = self._f.converted(value, Scalar.WORD)
        self._f.store(self._as(node, value, kind), self._slot(name, kind))

    def _slot(self, name: str, kind: Scalar) -> Value:
        if name not in self._slots:
            self._slots[name] = self._f.slot(kind)
        return self._slots[name]

    def _if(self, test: ast.expr, body: Sequence[ast.stmt], otherwise: Sequence[ast.stmt]) -> None:
        then, other, after = self._f.label(), self._f.label(), self._f.label()
        self._condition(test, then, other if otherwise else after)
        reached = not otherwise
        for label, part in ((then, body), (other, otherwise)):
            if not part:
                continue
            self._f.begin(label)
            self._block(part)
            if self._f.is_open:
                self._f.jump(after)
                reached = True
        if reached:
            self._f.begin(after)

    def _while(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        head, inside, after = self._f.label(), self._f.label(), self._f.label()
        endless = isinstance(test, ast.Constant) and bool(test.value)
        self._f.begin(head)
        if endless:
            self._f.jump(inside)
        else:
            self._condition(test, inside, after)
        self._f.begin(inside)
        self._loops.append((head, after))
        self._block(body)
        self._loops.pop()
        if self._f.is_open:
            self._f.jump(head)
        if not endless or _breaks(body):
            self._f.begin(after)

    def _for(self, node: ast.stmt, name: str, arguments: list[ast.expr], body: Sequence[ast.stmt]) -> None:
        step = 1
        if len(arguments) == 3:
            given = self._expression(arguments[2])
            if not isinstance(given, _Literal) or given.number == 0:
                raise self._wrong(arguments[2], "the step must be a number other than 0")
            step = given.number
        bounds = [self._as(one, self._expression(one), Scalar.INT) for one in arguments[:2]]
        first = bounds[0] if len(bounds) == 2 else emitter.literal(0, Scalar.INT)
        f = self._f
        # The loop has a separate counter, so that assignments to the variable in the body do not change the
        # loop.
        counter = f.slot(Scalar.INT)
        f.store(first, counter)
        head, inside, following, after = f.label(), f.label(), f.label(), f.label()
        f.begin(head)
        at = f.load(counter)
        f.branch(f.compare("lt" if step > 0 else "gt", at, bounds[-1]), inside, after)
        f.begin(inside)
        self._put(node, name, at)
        self._loops.append((following, after))
        self._block(body)
        self._loops.pop()
        f.begin(following)
        f.store(f.binary("add", f.load(counter), emitter.literal(step, Scalar.INT)), counter)
        f.jump(head)
        f.begin(after)

    # --- conditions

    def _condition(self, node: ast.expr, then: str, otherwise: str) -> None:
        """End the block by a branch to `then` if the expression holds, and to `otherwise` if the expression
        fails."""
        match node:
            case ast.BoolOp(operator, parts):
                for part in parts[:-1]:
                    following = self._f.label()
                    if isinstance(operator, ast.And):
                        self._condition(part, following, otherwise)
                    else:
                        self._condition(part, then, following)
                    self._f.begin(following)
                self._condition(parts[-1], then, otherwise)
            case ast.UnaryOp(ast.Not(), operand):
                self._condition(operand, otherwise, then)
            case _:
                self._f.branch(self._truth(node, self._expression(node)), then, otherwise)

    def _truth(self, node: ast.AST, value: _Operand) -> Value:
        if isinstance(value, _Literal):
            return emitter.literal(int(value.number != 0), Scalar.BOOL)
        return self._f.converted(value, Scalar.BOOL)

    def _chosen(self, node: ast.expr) -> Value:
        """The truth value of an `and`, `or` or `not`."""
        yes, no, after = self._f.label(), self._f.label(), self._f.label()
        self._condition(node, yes, no)
        self._f.begin(yes)
        self._f.jump(after)
        self._f.begin(no)
        self._f.begin(after)
        return self._f.phi(Scalar.BOOL, [(emitter.TRUE, yes), (emitter.FALSE, no)])

    def _if_expression(self, node: ast.IfExp) -> Value:
        kind = self._common(node, self._rehearsed(node.body), self._rehearsed(node.orelse))
        then, other, after = self._f.label(), self._f.label(), self._f.label()
        self._condition(node.test, then, other)
        ways = []
        for label, part in ((then, node.body), (other, node.orelse)):
            self._f.begin(label)
            value = self._as(part, self._expression(part), kind)
            ways.append((value, self._f.block))
            self._f.jump(after)
        self._f.begin(after)
        return self._f.phi(kind, ways)

    def _rehearsed(self, node: ast.expr) -> _Operand:
        """Compile an expression only to find the type of its operand. The code of the expression is
        discarded."""
        real, slots = self._f, dict(self._slots)
        self._f = emitter.Function(self._program.module, "rehearsal", (), None, exported=False)
        try:
            return self._expression(node)
        finally:
            self._f, self._slots = real, slots

    # --- expressions

    def _expression(self, node: ast.expr) -> _Operand:
        match node:
            case ast.Constant(bool() as value):
                return emitter.TRUE if value else emitter.FALSE
            case ast.Constant(int() as number):
                return _Literal(number)
            case ast.Name(name):
                return self._name(node, name)
            case ast.Attribute():
                return self._constant(node, self._object(node))
            case ast.BinOp(left, operator, right) if type(operator) in _BINARY:
                return self._binary(
                    node, _BINARY[type(operator)], self._expression(left), self._expression(right)
                )
            case ast.UnaryOp(ast.USub(), operand):
                return self._binary(node, "sub", _Literal(0), self._expression(operand))
            case ast.UnaryOp(ast.Invert(), operand):
                inner = self._expression(operand)
                if isinstance(inner, _Literal):
                    return _Literal(~inner.number)
                return self._f.inverted(self._number(inner))
            case ast.BoolOp() | ast.UnaryOp(ast.Not()):
                return self._chosen(node)
            case ast.Compare(left, operators, rights):
                return self._compare(node, left, operators, rights)
            case ast.IfExp():
                return self._if_expression(node)
            case ast.Subscript():
                return self._element(node)
            case ast.Call():
                result = self._call(node)
                if result is None:
                    raise self._wrong(node, "this function returns nothing")
                return result
            case _:
                raise self._wrong(node, f"there is no {type(node).__name__} in the kernel language")

    def _name(self, node: ast.expr, name: str) -> _Operand:
        if name in self._kinds:
            if name not in self._slots:
                raise self._wrong(node, f"{name} has no value yet")
            return self._f.load(self._slots[name])
        if name in self._arrays:
            raise self._wrong(node, f"{name} is an array; it can be indexed and passed on")
        return self._constant(node, self._object(node))

    def _constant(self, node: ast.AST, found: object) -> _Operand:
        if isinstance(found, bool):
            return emitter.TRUE if found else emitter.FALSE
        if isinstance(found, int):
            return _Literal(int(found))
        raise self._wrong(node, f"{found!r:.60} is no number")

    def _object(self, node: ast.expr) -> object:
        """The value of a name or a dotted name in the function's module."""
        match node:
            case ast.Name(name):
                space = self._function.__globals__
                if name in space:
                    return space[name]
                builtin = _BUILTINS.get(name)
                if builtin is None:
                    raise self._wrong(node, f"{name} is not known here")
                return builtin
            case ast.Attribute(value, name):
                owner = self._object(value)
                if not isinstance(owner, types.ModuleType | enum.EnumType) or not hasattr(owner, name):
                    raise self._wrong(node, f"{name} is not known here")
                return getattr(owner, name)
            case _:
                raise self._wrong(node, "only names can be looked up")

    def _binary(self, node: ast.AST, word: str, left: _Operand, right: _Operand) -> _Operand:
        if isinstance(left, _Literal) and isinstance(right, _Literal):
            return _Literal(_FOLDED[word](left.number, right.number))
        kinds = [value.type for value in (left, right) if isinstance(value, Value)]
        if kinds == [Scalar.BOOL] * 2 and word in ("and", "or", "xor"):
            assert isinstance(left, Value)
            assert isinstance(right, Value)
            return self._f.binary(word, left, right)
        if word in ("shl", "shr"):
            if isinstance(left, _Literal):
                # A shift of a literal to the left is usually `1 << square`. The result is a word, because
                # `1 << 63` does not fit into an int.
                kind = Scalar.WORD if word == "shl" else Scalar.INT
            else:
                left = self._number(left)
                assert isinstance(left.type, Scalar)
                kind = left.type
        else:
            kind = self._common(node, left, right)
            if self._strict and word in ("div", "mod") and len(set(kinds)) > 1:
                reason = "an int and a Word are divided; int(...) or word(...) must say how"
                raise self._wrong(node, reason)
        if kind is Scalar.BOOL:
            kind = Scalar.INT
        return self._f.binary(
            word, self._as(node, left, kind, mixing=True), self._as(node, right, kind, mixing=True)
        )

    def _compare(
        self, node: ast.Compare, left: ast.expr, operators: list[ast.cmpop], rights: list[ast.expr]
    ) -> Value:
        if len(operators) == 1 and isinstance(operators[0], ast.In | ast.NotIn):
            return self._among(node, left, rights[0], isinstance(operators[0], ast.In))
        if len(operators) > 1 and not all(_is_simple(one) for one in rights[:-1]):
            raise self._wrong(
                node, "in a chain of comparisons what stands between must be a name or a number"
            )
        found: Value | None = None
        before = left
        for operator, right in zip(operators, rights, strict=True):
            if type(operator) not in _COMPARED:
                raise self._wrong(node, f"there is no {type(operator).__name__} in the kernel language")
            first, second = self._expression(before), self._expression(right)
            kind = self._common(node, first, second)
            for one in (first, second):
                if kind is Scalar.WORD and isinstance(one, _Literal) and one.number < 0:
                    raise self._wrong(node, "a Word is never negative")
                if self._strict and kind is Scalar.WORD and isinstance(one, Value) and one.type is not kind:
                    raise self._wrong(
                        node, "an int and a Word are compared; int(...) or word(...) must say how"
                    )
            one_truth = self._f.compare(
                _COMPARED[type(operator)], self._as(node, first, kind), self._as(node, second, kind)
            )
            found = one_truth if found is None else self._f.binary("and", found, one_truth)
            before = right
        assert found is not None
        return found

    def _among(self, node: ast.AST, left: ast.expr, right: ast.expr, wanted: bool) -> Value:
        """`x in (1, 2, 3)`, evaluated without a branch."""
        if not isinstance(right, ast.Tuple):
            raise self._wrong(node, "`in` takes a tuple that is written out")
        value = self._expression(left)
        found: Value = emitter.FALSE
        for part in right.elts:
            other = self._expression(part)
            kind = self._common(node, value, other)
            same = self._f.compare("eq", self._as(node, value, kind), self._as(node, other, kind))
            found = self._f.binary("or", found, same)
        return found if wanted else self._f.inverted(found)

    def _element(self, node: ast.Subscript) -> Value:
        indices = [node.slice]
        owner = node.value
        while isinstance(owner, ast.Subscript):
            indices.append(owner.slice)
            owner = owner.value
        if isinstance(owner, ast.Name) and owner.id in self._arrays:
            if len(indices) > 1:
                raise self._wrong(node, "an array has one index")
            return self._f.load(self._arrays[owner.id], self._index(node.slice))
        table = self._table(owner)
        if table is None or len(table.shape) != len(indices):
            raise self._wrong(node, "this is no array, and no table of numbers with so many indices")
        place: Value | None = None
        for depth, index in enumerate(reversed(indices)):
            step = self._index(index)
            stride = math.prod(table.shape[depth + 1 :])
            if stride > 1:
                step = self._f.binary("mul", step, emitter.literal(stride, Scalar.INT))
            place = step if place is None else self._f.binary("add", place, step)
        return self._f.converted(self._f.load(table.array, place), table.kind)

    def _table(self, owner: ast.expr) -> _Table | None:
        match owner:
            case ast.Name(name):
                source = inspect.getmodule(self._function)
            case ast.Attribute(value, name):
                found = self._object(value)
                source = found if isinstance(found, types.ModuleType) else None
            case _:
                return None
        numbers = self._object(owner)
        if source is None or not isinstance(numbers, tuple):
            return None
        return self._program.table(numbers, name, source)

    def _index(self, node: ast.expr) -> Value:
        """The index of an element. An index that is a `Word` is converted to an int without a check."""
        value = self._expression(node)
        if isinstance(value, _Literal):
            if value.number < 0:
                raise self._wrong(node, "places count from 0 on")
            return emitter.literal(value.number, Scalar.INT)
        return self._f.converted(self._number(value), Scalar.INT)

    # --- calls

    def _call(self, node: ast.Call) -> Value | None:
        if node.keywords:
            raise self._wrong(node, "arguments have no names in the kernel language")
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("bit_count", "bit_length"):
            value = self._as(node, self._expression(node.func.value), Scalar.WORD)
            return self._f.unary("count", value) if node.func.attr == "bit_count" else self._f.length(value)
        if isinstance(node.func, ast.Name) and node.func.id in self._routines:
            return self._call_of(node, emitter.called_through(self._routines[node.func.id]))
        called = self._object(node.func)
        if called in _OF_WORDS and len(node.args) == 1:
            value = self._as(node, self._expression(node.args[0]), Scalar.WORD)
            return self._f.unary(_OF_WORDS[called], value)
        if called in (words.word, int, bool) and len(node.args) == 1:
            kind = {words.word: Scalar.WORD, int: Scalar.INT, bool: Scalar.BOOL}[called]
            given = self._expression(node.args[0])
            if isinstance(given, _Literal):
                number = given.number & words.MASK if kind is Scalar.WORD else given.number
                return self._typed(node, _Literal(int(number != 0) if kind is Scalar.BOOL else number), kind)
            return self._f.converted(given, kind)
        if called in (min, max) and len(node.args) > 1:
            return self._extremum(node, "lt" if called is min else "gt")
        if called is abs and len(node.args) == 1:
            value = self._as(node, self._expression(node.args[0]), Scalar.INT)
            zero = emitter.literal(0, Scalar.INT)
            return self._f.select(
                self._f.compare("lt", value, zero), self._f.binary("sub", zero, value), value
            )
        if called is len and len(node.args) == 1 and (table := self._table(node.args[0])) is not None:
            return emitter.literal(table.shape[0], Scalar.INT)
        function = getattr(called, "function", called)
        if not isinstance(function, types.FunctionType):
            raise self._wrong(node, f"{called!r:.60} cannot be called from a kernel")
        return self._call_of(node, self._program.add(function))

    def _call_of(self, node: ast.Call, callee: Callee) -> Value | None:
        if len(node.args) != len(callee.parameters):
            raise self._wrong(node, f"this function takes {len(callee.parameters)} arguments")
        return self._f.call(
            callee,
            [self._argument(one, kind) for one, kind in zip(node.args, callee.parameters, strict=True)],
        )

    def _argument(self, node: ast.expr, kind: KernelType) -> Value:
        if isinstance(kind, Routine):
            routine = self._routines.get(node.id) if isinstance(node, ast.Name) else None
            if routine is None or routine.type != kind:
                raise self._wrong(node, "a function of the same type, given as a parameter, is needed here")
            return routine
        if not isinstance(kind, Pointer):
            return self._as(node, self._expression(node), kind)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self._rest(node, node.slice, kind)
        array = self._arrays.get(node.id) if isinstance(node, ast.Name) else None
        if array is None:
            table = self._table(node)
            array = None if table is None else table.array
        if array is None or array.type != kind:
            raise self._wrong(node, f"an array of {kind.element.name} is needed here")
        return array

    def _rest(self, node: ast.Subscript, part: ast.Slice, kind: Pointer) -> Value:
        """`array[start:]`: the array from an element on."""
        whole = self._argument(node.value, kind)
        if part.lower is None or part.upper is not None or part.step is not None:
            raise self._wrong(node, "of an array only array[start:] can be passed")
        return self._f.offset(whole, self._index(part.lower))

    def _extremum(self, node: ast.Call, word: str) -> Value:
        values = [self._expression(one) for one in node.args]
        kind: Scalar = Scalar.INT
        for one in values:
            if isinstance(one, Value):
                kind = self._common(node, one, values[0])
        best = self._as(node, values[0], kind)
        for value in values[1:]:
            other = self._as(node, value, kind)
            best = self._f.select(self._f.compare(word, other, best), other, best)
        return best

    # --- types

    def _common(self, node: ast.AST, left: _Operand, right: _Operand) -> Scalar:
        kinds = [value.type for value in (left, right) if isinstance(value, Value)]
        if any(isinstance(kind, Pointer) for kind in kinds):
            raise self._wrong(node, "arrays are no numbers")
        if Scalar.WORD in kinds:
            return Scalar.WORD
        if kinds and all(kind is Scalar.BOOL for kind in kinds) and len(kinds) == 2:
            return Scalar.BOOL
        literals = [value.number for value in (left, right) if isinstance(value, _Literal)]
        return Scalar.WORD if any(number >> 63 not in (0, -1) for number in literals) else Scalar.INT

    def _number(self, value: Value) -> Value:
        return self._f.converted(value, Scalar.INT) if value.type is Scalar.BOOL else value

    def _typed(self, node: ast.AST, value: _Literal, kind: Scalar) -> Value:
        try:
            return emitter.literal(value.number, kind)
        except emitter.EmitError as fault:
            raise self._wrong(node, str(fault)) from fault

    def _as(self, node: ast.AST, value: _Operand, kind: Scalar, *, mixing: bool = False) -> Value:
        """A value, converted to the type `kind`. Truth values are converted to numbers, and numbers to truth
        values. Ints are converted to words only with `mixing`, for operations where only the bits matter."""
        if isinstance(value, _Literal):
            if kind is Scalar.WORD and mixing and value.number < 0:
                value = _Literal(value.number & words.MASK)
            return self._typed(node, value, kind)
        if value.type is kind:
            return value
        if value.type is Scalar.BOOL or kind is Scalar.BOOL:
            return self._f.converted(value, kind)
        if mixing and value.type is Scalar.INT:
            return self._f.converted(value, Scalar.WORD)
        if not self._strict:
            return self._f.converted(value, kind)
        wanted, given = ("word", "an int") if kind is Scalar.WORD else ("int", "a Word")
        raise self._wrong(node, f"{given} stands where the other is needed; {wanted}(...) converts it")

    def _kind_of_hint(self, hint: ast.expr) -> Scalar:
        found = {int: Scalar.INT, bool: Scalar.BOOL}.get(self._object(hint))  # type: ignore[call-overload]
        if found is None:
            kind = _kernel_type(self._object(hint), self._function.__qualname__)
            if not isinstance(kind, Scalar):
                raise self._wrong(hint, "a variable can only hold a number")
            return kind
        assert isinstance(found, Scalar)
        return found

    def _wrong(self, node: ast.AST, reason: str) -> KernelError:
        line = self._first_line + getattr(node, "lineno", 1) - 1
        return KernelError(f"{self._source}:{line}: in {self._function.__qualname__}: {reason}")


_BUILTINS: Final[dict[str, object]] = {
    "min": min, "max": max, "abs": abs, "len": len, "int": int, "bool": bool,
}  # fmt: skip


def _as_read(target: ast.expr) -> ast.expr:
    """The target of `x += ...` as an expression."""
    match target:
        case ast.Name(name):
            return ast.Name(name, ast.Load())
        case ast.Subscript(owner, index):
            return ast.Subscript(owner, index, ast.Load())
        case _:
            return target


def _is_simple(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Constant | ast.Attribute)


def _breaks(body: Sequence[ast.stmt]) -> bool:
    """Whether these statements contain a `break` that ends the loop around the statements."""
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, ast.If) and (_breaks(statement.body) or _breaks(statement.orelse)):
            return True
    return False
