"""Builds LLVM assembly from typed values. No other module writes assembly, because wrong assembly can crash
the process.

Every operation checks the types of its arguments and raises `EmitError` if the types do not fit. A mistake in
the calling compiler therefore raises a Python exception and does not crash the process. A `Function` is built
block after block. Each block must end in a branch or a return before the next block begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cqlgui.base.data import dataclass, field
from cqlgui.jit.words import KernelType, Pointer, Routine, Scalar


class EmitError(Exception):
    """An operation was given wrong types or names, because of a mistake in the calling program."""


@dataclass(frozen=True, slots=True)
class Value:
    """The result of a computation. `text` is the name of a register or a literal, and `type` is the type of
    the result."""

    text: str
    type: KernelType


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that can be called, with its symbol and its types. `result` is None if the function returns
    nothing. `address` is set if the function is already in memory (`Assembly.places`)."""

    text: str
    parameters: tuple[KernelType, ...]
    result: Scalar | None
    address: int | None = None


TRUE: Final = Value("true", Scalar.BOOL)
FALSE: Final = Value("false", Scalar.BOOL)

NUMBERS: Final = (Scalar.INT, Scalar.WORD)
"""The types of numbers in arithmetic."""


def llvm_type(kind: KernelType | None) -> str:
    """A type in LLVM's assembly. None stands for the result of a function that returns nothing."""
    if kind is None:
        return "void"
    return kind.llvm if isinstance(kind, Scalar) else "ptr"


def literal(number: int, kind: Scalar) -> Value:
    """A constant. Raises `EmitError` if the type cannot hold the number."""
    if kind is Scalar.BOOL:
        if number not in (0, 1):
            raise EmitError(f"{number} is no truth value")
        return TRUE if number else FALSE
    if not kind.least <= number <= kind.most:
        raise EmitError(f"{number} does not fit into {kind.name}")
    return Value(str(number), kind)


def known(name: str, address: int, routine: Routine) -> Callee:
    """A function of this process at a known address. Different functions must have different names."""
    return Callee(f"@{name}", routine.parameters, routine.result, address)


def called_through(value: Value) -> Callee:
    """A value of the type `Routine`, as a function that can be called."""
    if not isinstance(value.type, Routine):
        raise EmitError(f"{value.type} is no function")
    return Callee(value.text, value.type.parameters, value.type.result)


@dataclass(frozen=True, slots=True)
class Assembly:
    """The text of a module, and the addresses of what the module uses and this process already has in memory,
    by symbol. The text has only the symbols. It is the same in each process, although the addresses
    differ."""

    text: str
    places: Mapping[str, int] = field(default_factory=dict)


class Module:
    """The functions and tables that are compiled together."""

    def __init__(self, before: Assembly | None = None) -> None:
        """With `before`, the module goes on with another one, and may call its functions."""
        self._before = before or Assembly("")
        self._places = dict(self._before.places)
        # For each array by its address, its name and declaration.
        self._arrays: dict[int, tuple[str, str]] = {}
        self._parts: list[str] = []
        self._names: set[str] = set()
        self._declared: dict[str, str] = {}

    def table(self, name: str, element: Scalar, numbers: Sequence[int]) -> Value:
        """A constant array. The numbers must fit the type of the elements."""
        self._claim(name)
        values = ", ".join(f"{element.llvm} {literal(number, element).text}" for number in numbers)
        self._parts.append(
            f"@{name} = internal constant [{len(numbers)} x {element.llvm}] [{values}], align 64"
        )
        return Value(f"@{name}", Pointer(element))

    def function(
        self,
        name: str,
        parameters: Sequence[tuple[str, KernelType]],
        result: Scalar | None,
        *,
        exported: bool,
    ) -> Function:
        """Begin a function. An `exported` function can be found by name. Other functions may be inlined."""
        self._claim(name)
        return Function(self, name, parameters, result, exported)

    def elsewhere(self, name: str, routine: Routine) -> Callee:
        """A function that is called by name. Another module defines the function and is linked with this
        module."""
        self._claim(name)
        given = ", ".join(llvm_type(kind) for kind in routine.parameters)
        self.declare(name, f"declare {llvm_type(routine.result)} @{name}({given})")
        return Callee(f"@{name}", routine.parameters, routine.result)

    def known(self, callee: Callee) -> None:
        """Declare a function of this process. Raises `EmitError` if another one has its name."""
        assert callee.address is not None
        name = callee.text.removeprefix("@")
        given = ", ".join(llvm_type(kind) for kind in callee.parameters)
        self._place(name, callee.address, f"declare {llvm_type(callee.result)} {callee.text}({given})")

    def placed(self, address: int, element: Scalar, size: int) -> Value:
        """A constant array of this process with `size` elements. The caller must keep the array alive while
        the code runs. Raises `EmitError` if the array was given with another size or type."""
        kind = f"[{size} x {element.llvm}]"
        name, declared = self._arrays.setdefault(address, (f"array{len(self._places)}", kind))
        if declared != kind:
            raise EmitError(f"{name} is {declared}, not {kind}")
        self._place(name, address, f"@{name} = external constant {kind}")
        return Value(f"@{name}", Pointer(element))

    def _place(self, name: str, address: int, line: str) -> None:
        if self._places.setdefault(name, address) != address:
            raise EmitError(f"{name} is at two addresses")
        if name not in self._before.places:
            self.declare(name, line)

    def text(self) -> str:
        """The assembly of the whole module."""
        return "\n".join([*self._declared.values(), *self._parts, ""])

    def assembly(self) -> Assembly:
        """The assembly with the addresses of its symbols, after that of the module before."""
        return Assembly(self._before.text + self.text(), self._places)

    def declare(self, name: str, line: str) -> None:
        """Declare a function that is defined elsewhere. Each function is declared only once."""
        self._declared[name] = line

    def define(self, text: str) -> None:
        """Add a finished function to the module."""
        self._parts.append(text)

    def _claim(self, name: str) -> None:
        if not name.replace("_", "a").replace(".", "a").isalnum() or not name.isascii():
            raise EmitError(f"{name!r} is no name for a symbol")
        if name in self._names:
            raise EmitError(f"{name} is defined twice")
        self._names.add(name)


@dataclass(frozen=True, slots=True)
class OpenPhi:
    """An incomplete `phi`. `value` can already be used."""

    value: Value
    line: int
    ways: list[str] = field(default_factory=list)


class Function:
    """A function under construction. `arguments` are the values of the parameters."""

    def __init__(
        self,
        module: Module,
        name: str,
        parameters: Sequence[tuple[str, KernelType]],
        result: Scalar | None,
        exported: bool,
    ) -> None:
        self.module = module
        self.callee = Callee(f"@{name}", tuple(kind for _, kind in parameters), result)
        self.arguments = tuple(Value(f"%a{place}", kind) for place, (_, kind) in enumerate(parameters))
        self.exported = exported
        self.inlined: bool | None = None
        """True if callers always inline the function, False if callers never inline the function. None leaves
        the choice to the optimiser."""
        self._slots: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._open = True
        self.block = "entry"
        """The block that is being written, for `phi`."""

    # --- blocks

    @property
    def is_open(self) -> bool:
        """Whether the current block still needs a branch or return at its end."""
        return self._open

    def label(self) -> str:
        """A name for a later block."""
        self._count += 1
        return f"b{self._count}"

    def begin(self, label: str) -> None:
        """Start a block. If the previous block is open, it ends with a jump to the new block."""
        if self._open:
            self.jump(label)
        self._lines.append(f"{label}:")
        self.block = label
        self._open = True

    def jump(self, label: str) -> None:
        """End the block by a jump to another block."""
        self._end(f"br label %{label}")

    def branch(self, condition: Value, then: str, otherwise: str) -> None:
        """End the block by a conditional branch."""
        self._insist(condition, Scalar.BOOL)
        self._end(f"br i1 {condition.text}, label %{then}, label %{otherwise}")

    def leave(self, value: Value | None = None) -> None:
        """End the block by returning."""
        result = self.callee.result
        if (value is None) != (result is None):
            raise EmitError("a result is missing, or there is one too many")
        if value is None or result is None:
            self._end("ret void")
            return
        self._insist(value, result)
        self._end(f"ret {result.llvm} {value.text}")

    def phi(self, kind: KernelType, ways: Sequence[tuple[Value, str]]) -> Value:
        """A value that depends on which block ran before the current block. A `phi` must be at the beginning
        of a block."""
        for value, _ in ways:
            self._insist(value, kind)
        pairs = ", ".join(f"[ {value.text}, %{label} ]" for value, label in ways)
        return self._made(kind, f"phi {llvm_type(kind)} {pairs}")

    def open_phi(self, kind: KernelType, value: Value, label: str) -> OpenPhi:
        """A `phi` at the beginning of a loop. `add_way` adds the values for other previous blocks later."""
        self._insist(value, kind)
        self._count += 1
        made = OpenPhi(Value(f"%t{self._count}", kind), len(self._lines))
        self._line("")
        self.add_way(made, value, label)
        return made

    def add_way(self, phi: OpenPhi, value: Value, label: str) -> None:
        """Set the value of an open `phi` for one more previous block."""
        self._insist(value, phi.value.type)
        phi.ways.append(f"[ {value.text}, %{label} ]")
        self._lines[phi.line] = f"  {phi.value.text} = phi {llvm_type(phi.value.type)} {', '.join(phi.ways)}"

    def finish(self) -> Callee:
        """Add the function to its module."""
        if self._open:
            raise EmitError(f"{self.callee.text} does not return on every way")
        linkage = "" if self.exported else "internal "
        inlining = {None: "", True: " alwaysinline", False: " noinline"}[self.inlined]
        parameters = ", ".join(
            f"{llvm_type(value.type)}{' noalias' if isinstance(value.type, Pointer) else ''} {value.text}"
            for value in self.arguments
        )
        result = llvm_type(self.callee.result)
        head = f"define {linkage}{result} {self.callee.text}({parameters}){inlining} nounwind {{"
        self.module.define("\n".join([head, "entry:", *self._slots, *self._lines, "}"]))
        return self.callee

    # --- memory

    def slot(self, kind: Scalar) -> Value:
        """Memory for one variable. The optimiser turns the variable into registers."""
        self._count += 1
        name = f"%s{self._count}"
        self._slots.append(f"  {name} = alloca {kind.llvm}")
        return Value(name, Pointer(kind))

    def room(self, element: Scalar, count: int) -> Value:
        """An array on the function's stack. The array is not cleared."""
        self._count += 1
        name = f"%s{self._count}"
        self._slots.append(f"  {name} = alloca [{count} x {element.llvm}], align 64")
        return Value(name, Pointer(element))

    def load(self, array: Value, index: Value | None = None) -> Value:
        """An element as a number. Signed elements become `INT`, and unsigned elements become `WORD`."""
        element = self._element(array)
        place = self._place(array, index)
        found = self._made(element, f"load {element.llvm}, ptr {place}")
        if element is Scalar.BOOL or element.bits == 64:
            return found
        wide = Scalar.INT if element.signed else Scalar.WORD
        return self._made(wide, f"{'sext' if element.signed else 'zext'} {element.llvm} {found.text} to i64")

    def store(self, value: Value, array: Value, index: Value | None = None) -> None:
        """Store a number in an array. If the number is wider than the elements, only the low bits of the
        number are stored."""
        element = self._element(array)
        place = self._place(array, index)
        if element.bits < 64 and element is not Scalar.BOOL:
            if value.type not in NUMBERS:
                raise EmitError(f"{value.type} cannot be stored in an array of {element.name}")
            value = self._made(element, f"trunc i64 {value.text} to {element.llvm}")
        elif element is not Scalar.BOOL and value.type in NUMBERS:
            value = Value(value.text, element)
        self._insist(value, element)
        self._line(f"store {element.llvm} {value.text}, ptr {place}")

    def array_at(self, address: Value, element: Scalar) -> Value:
        """The array at an address that a word holds. There must be an array at this address."""
        self._insist(address, Scalar.WORD)
        return self._made(Pointer(element), f"inttoptr i64 {address.text} to ptr")

    def offset(self, array: Value, index: Value) -> Value:
        """The part of an array that begins at an element."""
        return Value(self._place(array, index), array.type)

    # --- numbers

    def binary(self, word: str, left: Value, right: Value) -> Value:
        """`add sub mul and or xor shl shr div mod` of two numbers of one type, or `and or xor` of truth
        values.

        `shr` of a signed number keeps the sign. `div` and `mod` round as Python does. The right operand of
        `div` and `mod` must not be 0. A shift must be by less than 64.
        """
        kind = left.type
        if right.type is not kind or kind not in (*NUMBERS, Scalar.BOOL):
            raise EmitError(f"{word} of {left.type} and {right.type}")
        assert isinstance(kind, Scalar)
        if kind is Scalar.BOOL and word not in ("and", "or", "xor"):
            raise EmitError(f"{word} of truth values")
        if word in ("div", "mod"):
            return self._divided(word, left, right)
        if word == "shr":
            word = "ashr" if kind.signed else "lshr"
        elif word not in ("add", "sub", "mul", "and", "or", "xor", "shl"):
            raise EmitError(f"there is no operation {word}")
        return self._made(kind, f"{word} {kind.llvm} {left.text}, {right.text}")

    def _divided(self, word: str, left: Value, right: Value) -> Value:
        if left.type is Scalar.WORD:
            return self._made(
                Scalar.WORD, f"{'udiv' if word == 'div' else 'urem'} i64 {left.text}, {right.text}"
            )
        # Machines round towards zero, but Python rounds down.
        rest = self._made(Scalar.INT, f"srem i64 {left.text}, {right.text}")
        crossed = self.compare("lt", self.binary("xor", rest, right), literal(0, Scalar.INT))
        short = self.binary("and", self.compare("ne", rest, literal(0, Scalar.INT)), crossed)
        if word == "mod":
            return self.select(short, self.binary("add", rest, right), rest)
        whole = self._made(Scalar.INT, f"sdiv i64 {left.text}, {right.text}")
        return self.select(short, self.binary("sub", whole, literal(1, Scalar.INT)), whole)

    def compare(self, word: str, left: Value, right: Value) -> Value:
        """`eq ne lt le gt ge` of two numbers of one type, or `eq ne` of truth values."""
        kind = left.type
        if right.type is not kind or not isinstance(kind, Scalar):
            raise EmitError(f"{word} of {left.type} and {right.type}")
        if word not in ("eq", "ne", "lt", "le", "gt", "ge"):
            raise EmitError(f"there is no comparison {word}")
        if word not in ("eq", "ne"):
            if kind not in NUMBERS:
                raise EmitError(f"{word} of {kind.name}")
            word = ("s" if kind.signed else "u") + word
        return self._made(Scalar.BOOL, f"icmp {word} {kind.llvm} {left.text}, {right.text}")

    def select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        """One of two values. Both values are computed."""
        self._insist(condition, Scalar.BOOL)
        kind = llvm_type(then.type)
        if then.type != otherwise.type:
            raise EmitError(f"select of {then.type} and {otherwise.type}")
        return self._made(
            then.type, f"select i1 {condition.text}, {kind} {then.text}, {kind} {otherwise.text}"
        )

    def unary(self, word: str, value: Value) -> Value:
        """`count`, `lowest`, `highest` or `swapped` of a word. `count` is the number of set bits. `lowest`
        and `highest` are the numbers of the lowest and the highest set bit, undefined for 0. `swapped` is the
        word with its bytes in reverse order."""
        self._insist(value, Scalar.WORD)
        if word in ("count", "swapped"):
            name = "llvm.ctpop.i64" if word == "count" else "llvm.bswap.i64"
            self.module.declare(name, f"declare i64 @{name}(i64)")
            result = Scalar.INT if word == "count" else Scalar.WORD
            return self._made(result, f"call i64 @{name}(i64 {value.text})")
        if word not in ("lowest", "highest"):
            raise EmitError(f"there is no operation {word}")
        name = "llvm.cttz.i64" if word == "lowest" else "llvm.ctlz.i64"
        self.module.declare(name, f"declare i64 @{name}(i64, i1)")
        found = self._made(Scalar.INT, f"call i64 @{name}(i64 {value.text}, i1 true)")
        return found if word == "lowest" else self.binary("sub", literal(63, Scalar.INT), found)

    def length(self, value: Value) -> Value:
        """The number of bits up to the highest set bit; 0 for 0."""
        self._insist(value, Scalar.WORD)
        name = "llvm.ctlz.i64"
        self.module.declare(name, f"declare i64 @{name}(i64, i1)")
        zeros = self._made(Scalar.INT, f"call i64 @{name}(i64 {value.text}, i1 false)")
        return self.binary("sub", literal(64, Scalar.INT), zeros)

    def inverted(self, value: Value) -> Value:
        """A number with every bit inverted, or the opposite of a truth value."""
        if value.type is Scalar.BOOL:
            return self.binary("xor", value, TRUE)
        if value.type not in NUMBERS:
            raise EmitError(f"the opposite of {value.type}")
        assert isinstance(value.type, Scalar)
        return self._made(value.type, f"xor i64 {value.text}, -1")

    def converted(self, value: Value, kind: Scalar) -> Value:
        """A value converted to another type. Conversion between `INT` and `WORD` keeps all bits. A truth
        value becomes 0 or 1. The number 0 becomes false, and all other numbers become true."""
        if value.type is kind:
            return value
        if kind in NUMBERS and value.type in NUMBERS:
            return Value(value.text, kind)
        if kind in NUMBERS and value.type is Scalar.BOOL:
            return self._made(kind, f"zext i1 {value.text} to i64")
        if kind is Scalar.BOOL and value.type in NUMBERS:
            return self._made(kind, f"icmp ne i64 {value.text}, 0")
        raise EmitError(f"{value.type} as {kind.name}")

    def call(self, callee: Callee, arguments: Sequence[Value]) -> Value | None:
        """Call a function. Returns its result, or None for a function without a result."""
        if tuple(value.type for value in arguments) != callee.parameters:
            raise EmitError(f"{callee.text} takes {callee.parameters}, not {[one.type for one in arguments]}")
        if callee.address is not None:
            self.module.known(callee)
        given = ", ".join(f"{llvm_type(value.type)} {value.text}" for value in arguments)
        line = f"call {llvm_type(callee.result)} {callee.text}({given})"
        if callee.result is None:
            self._line(line)
            return None
        return self._made(callee.result, line)

    # --- writing

    def _place(self, array: Value, index: Value | None) -> str:
        element = self._element(array)
        if index is None:
            return array.text
        if index.type not in NUMBERS:
            raise EmitError(f"an index of type {index.type}")
        return self._made(
            array.type, f"getelementptr {element.llvm}, ptr {array.text}, i64 {index.text}"
        ).text

    @staticmethod
    def _element(array: Value) -> Scalar:
        if not isinstance(array.type, Pointer):
            raise EmitError(f"{array.type} is no array")
        return array.type.element

    @staticmethod
    def _insist(value: Value, kind: KernelType) -> None:
        if value.type != kind:
            raise EmitError(f"{value.type} where {kind} is needed")

    def _made(self, kind: KernelType, text: str) -> Value:
        self._count += 1
        name = f"%t{self._count}"
        self._line(f"{name} = {text}")
        return Value(name, kind)

    def _line(self, text: str) -> None:
        if not self._open:
            raise EmitError("the block has ended already")
        self._lines.append(f"  {text}")

    def _end(self, text: str) -> None:
        self._line(text)
        self._open = False
