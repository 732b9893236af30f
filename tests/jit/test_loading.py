"""Object files that are loaded without LLVM work like those that LLVM loads."""

from __future__ import annotations

import ctypes
import os
import random
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cqlgui.engine.kernels import fens, listing, routines, routines_tree
from cqlgui.engine.replaying import replay
from cqlgui.jit import emitter, kernels, loading, native
from cqlgui.jit.words import Routine, Scalar
from cqlgui.tasks.export.formats import row_kernel
from tests import helpers
from tests.jit import samples

pytestmark = pytest.mark.skipif(
    not native.available() or sys.platform != "linux" or os.uname().machine != "x86_64",
    reason="machine code is not loaded without LLVM here",
)

UNITS = [unit.UNIT for unit in (samples, fens, listing, routines, routines_tree, replay, row_kernel)]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_code_of_a_unit_is_loaded(unit: kernels.Unit) -> None:
    data = unit.code().compiled
    image = loading.load(data, {})
    assert image is not None
    assert all(image.address(name) for name in unit._kernels)
    assert not image.address("no such function")


@pytest.mark.parametrize("name", ["arithmetic", "compared"])
def test_both_ways_of_loading_give_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = samples.UNIT.code().compiled
    kernel = getattr(samples, name)
    first = native.Code(None, data, optimise=True)
    monkeypatch.setattr(loading, "load", lambda *_: None)
    second = native.Code(None, data, optimise=True)
    ours, theirs = (code.function(kernels._callee(kernel.function)) for code in (first, second))
    numbers = random.Random(3)
    for _ in range(200):
        given = [numbers.randrange(-(2**40), 2**40) for _ in range(2)]
        given += [numbers.getrandbits(64) for _ in range(2)]
        assert ours(*given) == theirs(*given) == kernel.function(*given)


def calling(address: int) -> tuple[emitter.Assembly, emitter.Callee]:
    """A module with a table of its own, a function of the C library, and a function and an array of this
    process."""
    module = emitter.Module()
    f = module.function("sum", [("n", Scalar.INT)], Scalar.INT, exported=True)
    table = module.table("numbers", Scalar.INT, range(100, 140))
    room = f.room(Scalar.INT, 3)
    one, two = (emitter.literal(number, Scalar.INT) for number in (1, 2))
    called = f.call(emitter.known("the.function", address, Routine((Scalar.INT,), Scalar.INT)), f.arguments)
    assert called is not None
    f.store(called, room, one)
    f.store(f.load(table, f.arguments[0]), room, two)
    there = module.placed(ARRAY.ctypes.data, Scalar.INT, len(ARRAY))
    total = f.binary("add", f.load(room, one), f.load(room, two))
    f.leave(f.binary("add", total, f.load(there, f.arguments[0])))
    callee = f.finish()
    return module.assembly(), callee


ARRAY = np.arange(0, 40_000, 1_000, dtype=np.int64)


@pytest.mark.parametrize("by_llvm", [False, True])
def test_symbols_get_the_addresses_of_this_process(by_llvm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if by_llvm:
        monkeypatch.setattr(loading, "load", lambda *_: None)
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
    doubled, tripled = kind(lambda n: 2 * n), kind(lambda n: 3 * n)
    compiled = None
    for factor, function in ((2, doubled), (3, tripled)):
        address = ctypes.cast(function, ctypes.c_void_p).value
        assert address is not None
        assembly, callee = calling(address)
        code = native.Code(assembly.text, compiled, optimise=False, places=assembly.places)
        assert [code.function(callee)(n) for n in (0, 7, 39)] == [
            factor * n + 100 + n + 1_000 * n for n in (0, 7, 39)
        ]
        assert compiled in (None, code.compiled)
        compiled = code.compiled


def test_tables_for_exceptions_are_left_to_llvm() -> None:
    """They are constants, too, and somebody must be told about them."""
    for attribute, known in (("nounwind", True), ("uwtable", False)):
        data = native._compiled(f"define i64 @f() {attribute} {{ ret i64 7 }}\n", False, None)
        assert (loading.load(data, {}) is not None) == known


def test_a_symbol_that_is_nowhere_is_left_to_llvm() -> None:
    assembly, _ = calling(1)
    data = native._compiled(assembly.text, False, None)
    assert loading.load(data, assembly.places) is not None
    assert loading.load(data, {}) is None


@pytest.mark.parametrize(
    "line",
    [
        "@number = internal global i64 7",
        "@room = internal global [100 x i64] zeroinitializer",
        "@number = constant i64 7, align 65536",
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] "
        "[{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]",
    ],
    ids=["data", "room", "alignment", "constructor"],
)
def test_what_is_more_than_code_and_constants_is_left_to_llvm(line: str) -> None:
    name = line.split()[0]
    given = "ptr null" if "ctors" in line else f"ptr {name}"
    text = f"{line}\ndefine void @f() nounwind {{ ret void }}\ndefine ptr @g() nounwind {{ ret {given} }}\n"
    assert loading.load(native._compiled(text, False, None), {}) is None
    plain = native._compiled(text.replace(line, "@x = constant i64 7").replace(given, "ptr @x"), False, None)
    assert loading.load(plain, {}) is not None


_RUNS_FOR_LONG = """
import threading, time
from cqlgui.jit import emitter, native
from cqlgui.jit.words import Scalar
from tests.jit import samples
module = emitter.Module()
f = module.function("run", [("number", Scalar.WORD)], Scalar.WORD, exported=True)
times = emitter.literal(10**11, Scalar.INT)
f.leave(f.call(samples.scrambled.callee, (f.arguments[0], times)))
callee, whole = f.finish(), module.assembly()
code = native.Code(whole.text, optimise=False, places=whole.places)
# The thread keeps only the code that calls the kernel.
threading.Thread(target=lambda code, run: run(5), args=(code, code.function(callee)), daemon=True).start()
del code, samples, module, f
time.sleep(0.2)
"""


def test_a_process_may_end_while_its_code_runs(tmp_path: Path) -> None:
    assert samples.scrambled(5, 3) == samples.scrambled.function(5, 3)
    done = subprocess.run(
        [sys.executable, "-c", _RUNS_FOR_LONG],
        env={**os.environ, "CQLGUI_HOME": str(tmp_path), "PYTHONPATH": str(helpers.ROOT)},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def changed(data: bytes, place: int, value: bytes) -> bytes:
    return data[:place] + value + data[place + len(value) :]


def relocations(data: bytes) -> int:
    """The place of the first relocation of code or data that is in memory."""
    first, step, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
    for number in range(count):
        _, kind, _, _, offset, _, _, _, _, _ = struct.unpack_from("<IIQQQQIIQQ", data, first + step * number)
        if kind == 4:
            return int(offset)
    raise AssertionError("no relocation")


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: b"not a file of this kind" * 40,
        lambda data: changed(data, 4, b"\1"),
        lambda data: changed(data, 18, b"\xb7\0"),
        lambda data: changed(data, 40, struct.pack("<Q", len(data) - 8)),
        lambda data: changed(data, relocations(data) + 8, struct.pack("<I", 2)),
        lambda data: changed(data, relocations(data), struct.pack("<Q", 1 << 30)),
        lambda data: changed(data, relocations(data) + 12, struct.pack("<I", 999)),
    ],
    ids=["empty", "other", "32 bits", "processor", "sections", "kind", "outside", "symbol"],
)
def test_other_files_are_left_to_llvm(change: Callable[[bytes], bytes]) -> None:
    assembly, _ = calling(1)
    data = native._compiled(assembly.text, False, None)
    assert loading.load(change(data), assembly.places) is None


def test_a_file_that_is_cut_off_is_left_to_llvm() -> None:
    assembly, _ = calling(1)
    data = native._compiled(assembly.text, False, None)
    for end in range(0, len(data), 7):
        assert loading.load(data[:end], assembly.places) is None, end


def test_code_can_be_run_and_not_written_and_its_memory_is_released() -> None:
    assembly, callee = calling(1)
    code = native.Code(assembly.text, optimise=False, places=assembly.places)
    address = code.address(callee.text.removeprefix("@"))

    def rights() -> str:
        for line in Path("/proc/self/maps").read_text("utf-8").splitlines():
            span, what = line.split()[:2]
            begin, end = (int(one, 16) for one in span.split("-"))
            if begin <= address < end:
                return what
        return ""

    assert rights() == "r-xp"
    del code
    assert rights() == ""
