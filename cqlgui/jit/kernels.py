"""Kernels for the rest of the program: functions that run as machine code if machine code can be made."""

from __future__ import annotations

import functools
import sys
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, ParamSpec, TypeVar

import numpy as np

from cqlgui.base import priority
from cqlgui.jit import emitter, frontend, native, recalling, words
from cqlgui.jit.words import Pointer, Scalar

P = ParamSpec("P")
R = TypeVar("R")


class Unit:
    """Kernels that are compiled together and kept on disk in one file.

    `sources` are the modules that contain the code and the tables of the kernels. A change in one of these
    modules makes the file stale.
    """

    def __init__(self, name: str, sources: Sequence[types.ModuleType] = ()) -> None:
        self.name = name
        self.sources = list(sources)
        self._kernels: dict[str, Kernel[..., Any]] = {}
        self._code: native.Code | None = None
        self._lock = threading.Lock()

    def kernel(self, function: Callable[P, R]) -> Kernel[P, R]:
        """A decorator that adds a function in the kernel language to this unit, as a kernel."""
        assert isinstance(function, types.FunctionType)
        source = sys.modules[function.__module__]
        if source not in self.sources:
            self.sources.append(source)
        made: Kernel[P, R] = Kernel(self, function)
        self._kernels[function.__name__] = made
        return made

    def code(self) -> native.Code:
        """The machine code, loaded from disk or compiled. Raises `frontend.KernelError` for code outside the
        kernel language."""
        with self._lock:
            if self._code is None:
                key = self.key()
                found = native.stored(self.name, key, optimise=True)
                if found is None:
                    self._code = native.Code(self.assembly(), optimise=True)
                    native.store(self.name, key, True, self._code.compiled)
                else:
                    self._code = native.Code(None, found, optimise=True)
            return self._code

    def load(self) -> None:
        """Load or compile the machine code before it is needed. Nothing is done without llvmlite."""
        if native.available():
            self.code()

    def assembly(self) -> str:
        """The LLVM assembly of the unit."""
        functions = [kernel.function for kernel in self._kernels.values()]
        program = frontend.Program(self.sources, functions)
        for function in functions:
            program.add(function)
        return program.module.text()

    def key(self) -> list[str]:
        """The key of the file on disk. The file is valid as long as the key does not change."""
        return [recalling.source(one) for one in (*self.sources, words, emitter, frontend, native)]


class Kernel(Generic[P, R]):
    """A function that runs as machine code, or as plain Python without llvmlite.

    An array must be a contiguous NumPy array with elements of the declared type. Machine code releases
    Python's global lock and checks no bounds. An argument of the type `Routine` must be a `ctypes` function.
    In plain Python, this argument can be any function.
    """

    def __init__(self, unit: Unit, function: types.FunctionType) -> None:
        functools.update_wrapper(self, function)
        self.unit = unit
        self.function = function
        self._native: Any = None
        self._parameters: tuple[words.KernelType, ...] = ()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the kernel; raises `TypeError` for an array of the wrong type."""
        assert not kwargs, "kernels take their arguments by place"
        priority.pause()
        if not native.available():
            plain: Any = (_plain(one) for one in args)
            result: R = self.function(*plain)
            return result
        run = self.routine
        given = (
            _address(one, kind.element) if isinstance(kind, Pointer) else one
            for one, kind in zip(args, self._parameters, strict=True)
        )
        found: R = run(*given)
        return found

    @property
    def routine(self) -> Any:
        """This kernel as an argument for another kernel that takes a routine."""
        if not native.available():
            return self.function
        if self._native is None:
            callee = _callee(self.function)
            self._parameters = callee.parameters
            self._native = self.unit.code().function(callee)
        return self._native

    @functools.cached_property
    def callee(self) -> emitter.Callee:
        """The kernel as a function that machine code of this process can call."""
        own = _callee(self.function)
        routine = words.Routine(own.parameters, own.result)
        name = self.function.__name__
        return emitter.known(f"{self.unit.name}.{name}", self.unit.code().address(name), routine)


class Template:
    """A kernel that takes a routine. The routine becomes known only when `code` is called, and `code` inlines
    the routine.

    `routine` is the name of the parameter that takes the routine. The compiled code ignores this parameter.
    The functions in `apart` are not compiled again. `apart` maps each of these functions to a kernel with
    the same effect, and the compiled code calls this kernel.
    """

    def __init__(
        self,
        kernel: Kernel[..., Any],
        routine: str,
        apart: Mapping[Callable[..., object], Kernel[..., Any]],
    ) -> None:
        self._kernel = kernel
        self._routine = routine
        self._apart = dict(apart)

    def code(self, assembly: emitter.Assembly, callee: emitter.Callee, *, kept: bool) -> native.Code:
        """The code of the kernel. The `assembly` defines the function `callee`, which is inlined into the
        kernel. The code also has the other functions that the assembly exports. The code has `callee` itself
        only if `kept` is True."""
        whole, names, key = self._linked(assembly, callee, kept)
        inside = (callee.text.removeprefix("@"),) if kept else ()
        return recalling.code(whole, lambda: native.Inside(self._bitcode, names, inside), key)

    def is_kept(self, assembly: emitter.Assembly, callee: emitter.Callee, *, kept: bool) -> bool:
        """Whether an earlier process has stored what `code` returns."""
        whole, _, key = self._linked(assembly, callee, kept)
        return recalling.has(whole, key)

    def _linked(
        self, assembly: emitter.Assembly, callee: emitter.Callee, kept: bool
    ) -> tuple[emitter.Assembly, tuple[str, ...], list[str]]:
        """The assembly with the functions that the kernel calls, the functions that are inlined into the
        kernel, and the key of `recalling.code`."""
        module = emitter.Module(assembly)
        kinds = dict(frontend.signature(self._kernel.function)[0])
        kind = kinds[self._routine]
        assert isinstance(kind, words.Routine)
        calls = {self._routine: (kind, callee)}
        for function, kernel in self._apart.items():
            known = kernel.callee
            calls[function.__name__] = words.Routine(known.parameters, known.result), known
        for name, (routine, called) in calls.items():
            _write_call(module, frontend.symbol(name), routine, called)
        names = callee.text.removeprefix("@"), *(frontend.symbol(name) for name in calls)
        return module.assembly(), names, [*self._kernel.unit.key(), *names, str(kept)]

    @property
    def callee(self) -> emitter.Callee:
        """The kernel as a function. The machine code that `code` returns contains this function."""
        return _callee(self._kernel.function)

    @functools.cached_property
    def _bitcode(self) -> bytes:
        unit = self._kernel.unit
        name, key = f"{unit.name}.{self._kernel.function.__name__}", unit.key()
        found = native.stored(name, key, optimise=True)
        if found is None:
            found = native.bitcode(self._assembly())
            native.store(name, key, True, found)
        return found

    def _assembly(self) -> str:
        function = self._kernel.function
        program = frontend.Program(
            self._kernel.unit.sources,
            [function],
            apart=self._apart,
            outside=[self._routine],
        )
        program.add(function)
        return program.module.text()


def _callee(function: Callable[..., object]) -> emitter.Callee:
    """A kernel as a function that is called by name. Raises `frontend.KernelError`."""
    parameters, result = frontend.signature(function)
    return emitter.Callee(f"@{function.__name__}", tuple(kind for _, kind in parameters), result)


def _write_call(module: emitter.Module, name: str, routine: words.Routine, callee: emitter.Callee) -> None:
    """Write a function that only calls the function `callee`."""
    parameters = [(f"p{place}", kind) for place, kind in enumerate(routine.parameters)]
    f = module.function(name, parameters, routine.result, exported=True)
    f.leave(f.call(callee, f.arguments))
    f.finish()


class Held:
    """An array that is often given to kernels. The address is kept, because finding an address takes longer
    than many calls of kernels."""

    __slots__ = ("_array", "address", "kind", "view")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        """Raises `TypeError` for an array that is not contiguous."""
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous:
            raise TypeError("a kernel takes NumPy arrays in one piece")
        self._array = array
        self.address: int = array.__array_interface__["data"][0]
        self.kind = array.dtype.kind, array.itemsize * 8
        self.view = memoryview(array)  # type: ignore[arg-type]  # it is a buffer


def _plain(given: object) -> object:
    """An argument in the form that a kernel needs in plain Python."""
    if isinstance(given, Held):
        return given.view
    return memoryview(given) if isinstance(given, np.ndarray) else given  # type: ignore[arg-type]


def _address(array: Any, element: Scalar) -> int:
    held = array if isinstance(array, Held) else Held(array)
    if held.kind != _KINDS[element]:
        raise TypeError(f"a kernel's array of {element.name} was given as {held.view.format!r}")
    return held.address


_KINDS: Final = {one: ("i" if one.signed else "u", one.bits) for one in Scalar}
