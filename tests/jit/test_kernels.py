"""Kernels as machine code give what the same functions give as plain Python."""

from __future__ import annotations

import copy
import ctypes
import gc
import inspect
import os
import shutil
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.board import attacks
from cqlgui.jit import emitter, frontend, kernels, loading, native, recalling, words
from cqlgui.jit.words import Pointer, Routine, Scalar, Word
from tests.jit import samples

WORDS = st.integers(0, words.MASK) | st.integers(0, 9) | st.integers(0, 63).map(lambda n: 1 << n)
SMALL = st.integers(-40, 40) | st.integers(-(2**40), 2**40)

machine = pytest.mark.skipif(
    not native.available(), reason="there is no llvmlite here, or it is switched off"
)


@machine
@given(SMALL, SMALL, WORDS, WORDS)
def test_numbers(a: int, b: int, c: int, d: int) -> None:
    for kernel in (samples.arithmetic, samples.compared):
        assert kernel(a, b, c, d) == kernel.function(a, b, c, d), kernel.__name__
    if b:
        assert samples.divided(a % 10**6, b % 10**6 or 1) == samples.divided.function(
            a % 10**6, b % 10**6 or 1
        )
        assert samples.divided(-(a % 10**6), b) == samples.divided.function(-(a % 10**6), b)
    if d:
        assert samples.divided_words(c, d) == samples.divided_words.function(c, d)


@machine
@given(WORDS, st.integers(0, 60), st.integers(0, 60))
def test_bits_loops_and_calls(c: int, n: int, m: int) -> None:
    assert samples.bits(c) == samples.bits.function(c)
    assert samples.loops(n, m) == samples.loops.function(n, m)
    assert samples.lines(n, c) == samples.lines.function(n, c)
    assert samples.tables(n % 5, m % 4) == samples.tables.function(n % 5, m % 4)
    assert samples.countdown(n) == n * (n + 1) // 2
    assert samples.endless(n) == samples.endless.function(n)
    assert samples.widened(n, c) == samples.widened.function(n, c)


def arrays(count: int) -> tuple[np.ndarray, ...]:
    return (
        np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15),
        np.arange(count, dtype=np.uint8),
        np.arange(count, dtype=np.uint16),
        np.arange(count, dtype=np.int64),
    )


@machine
def test_arrays() -> None:
    fast, plain = arrays(90), arrays(90)
    samples.filled(*fast, 90)
    samples.filled.function(*(memoryview(one) for one in plain), 90)
    assert all((one == other).all() for one, other in zip(fast, plain, strict=True))


@machine
def test_functions_and_the_rest_of_arrays_as_arguments() -> None:
    rows = np.arange(30, dtype=np.uint64)
    seen: list[tuple[int, int]] = []

    def visit(row: int, number: int) -> bool:
        seen.append((ctypes.c_uint64.from_address(row).value, number))
        return number % 2 == 0

    native_visit = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int64)(visit)
    found = samples.visited(native_visit, rows, 10)
    assert seen == [(3 * number + 1, number) for number in range(10)]
    plain = samples.visited.function(lambda row, number: number % 2 == 0, memoryview(rows), 10)
    assert found == plain == 5 + 100 * (3 + 9 + 15 + 21 + 27)


@machine
def test_a_loop_whose_ways_are_known_one_after_the_other() -> None:
    module = emitter.Module()
    f = module.function("product", [("n", Scalar.INT)], Scalar.INT, exported=True)
    one = emitter.literal(1, Scalar.INT)
    head, inside, after = f.label(), f.label(), f.label()
    f.begin(head)
    number = f.open_phi(Scalar.INT, f.arguments[0], "entry")
    product = f.open_phi(Scalar.INT, one, "entry")
    f.branch(f.compare("gt", number.value, one), inside, after)
    f.begin(inside)
    f.add_way(product, f.binary("mul", product.value, number.value), inside)
    f.add_way(number, f.binary("sub", number.value, one), inside)
    with pytest.raises(emitter.EmitError):
        f.add_way(number, emitter.TRUE, inside)
    f.jump(head)
    f.begin(after)
    f.leave(product.value)
    callee = f.finish()
    code = native.Code(module.text(), optimise=False)
    assert code.function(callee)(6) == 720

    asking = emitter.Module()
    g = asking.function("twice", [("t", Pointer(Scalar.WORD))], Scalar.INT, exported=True)
    numbers = np.array([3, 4], np.uint64)
    routine = Routine((Scalar.INT,), Scalar.INT)
    there = asking.placed(numbers.ctypes.data, Scalar.WORD, len(numbers))
    assert asking.placed(numbers.ctypes.data, Scalar.WORD, len(numbers)) == there
    given = g.converted(g.load(there, one), Scalar.INT)
    called = g.call(emitter.known("there.product", code.address("product"), routine), [given])
    assert called is not None
    g.leave(called)
    callee = g.finish()
    whole = asking.assembly()
    assert str(code.address("product")) not in whole.text
    assert native.Code(whole.text, optimise=False, places=whole.places).function(callee)(0) == 24
    with pytest.raises(emitter.EmitError):
        emitter.called_through(one)


def test_a_symbol_stands_for_one_thing() -> None:
    module = emitter.Module()
    numbers = np.zeros(4, np.uint64)
    module.placed(numbers.ctypes.data, Scalar.WORD, 4)
    for element, size in ((Scalar.WORD, 3), (Scalar.U8, 4)):
        with pytest.raises(emitter.EmitError, match=r"is .*, not"):
            module.placed(numbers.ctypes.data, element, size)
    routine = Routine((), Scalar.INT)
    module.known(emitter.known("there", 1, routine))
    module.known(emitter.known("there", 1, routine))
    with pytest.raises(emitter.EmitError, match="two addresses"):
        module.known(emitter.known("there", 2, routine))


@machine
@pytest.mark.parametrize(
    "change",
    [
        lambda a: (a[0][::2], *a[1:]),
        lambda a: (a[0].astype(np.int64), *a[1:]),
        lambda a: (a[0].astype(np.uint32), *a[1:]),
        lambda a: ([0] * 90, *a[1:]),
    ],
)
def test_an_array_that_does_not_fit_is_refused(change) -> None:
    with pytest.raises(TypeError):
        samples.filled(*change(arrays(90)), 40)


def test_without_machine_code_kernels_run_as_they_are() -> None:
    script = (
        "import numpy as np\n"
        "from tests.jit import samples\n"
        "from cqlgui.jit import native\n"
        "assert not native.available()\n"
        "a = np.zeros(70, np.uint64); b = np.zeros(70, np.uint8); c = np.zeros(70, np.uint16)\n"
        "samples.filled(a, b, c, np.zeros(70, np.int64), 70)\n"
        "print(int(a[63]), int(b[69]), int(c[3]), samples.bits(6), samples.lines(0, 1 << 9))\n"
        "import sys; assert 'llvmlite' not in sys.modules\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[2],
        env={"CQLGUI_JIT": "0", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = samples.bits.function(6), samples.lines.function(0, 1 << 9)
    assert ran.stdout.split() == [str(1 << 63), "69", "65535", *map(str, expected)]


# --- what is not in the language ----------------------------------------------------------------------------


def compared_signs(a: int, b: Word) -> bool:
    return a < b


def negative_word(a: Word) -> bool:
    return a > -1


def no_return(a: int) -> int:  # noqa: RET503
    if a:
        return 1
    a += 1


def dead(a: int) -> int:  # noqa: RET503
    return a
    a += 1


def text_inside(a: int) -> int:
    b = "x"  # noqa: F841
    return a


def object_called(a: int) -> int:
    return print(a)


def unset(a: int) -> int:
    if a:
        b = 1  # noqa: F841
    return c  # noqa: F821


def narrowed(a: Word) -> int:
    return a


def fixed(a: Word) -> int:
    b: int = 3
    b = a
    return b  # noqa: RET504


def lists(a: int) -> int:
    return [a][0]


def foreign(a: int) -> int:
    return samples.countdown(a)


def untyped(a) -> int:
    return 1


def lonely(a: int):
    return 1


def huge(a: int) -> int:
    return a + 18446744073709551616


@pytest.mark.parametrize(
    ("function", "words_of_it"),
    [
        (compared_signs, "compared"),
        (negative_word, "never negative"),
        (no_return, "every way"),
        (dead, "nothing comes here"),
        (text_inside, "no Constant"),
        (object_called, "not known"),
        (unset, "not known"),
        (narrowed, "int(...) converts"),
        (fixed, "int(...) says"),
        (lists, "no table"),
        (foreign, "does not name as a source"),
        (untyped, "needs a plain type"),
        (lonely, "does not say what it returns"),
        (huge, "does not fit"),
    ],
)
def test_what_is_not_in_the_language_is_refused_with_its_place(function, words_of_it: str) -> None:
    program = frontend.Program([sys.modules[__name__]], [function])
    with pytest.raises(frontend.KernelError) as caught:
        program.add(function)
    assert words_of_it in str(caught.value)
    if function not in (untyped, lonely, foreign):
        line = function.__code__.co_firstlineno
        place = int(str(caught.value).split(":")[1])
        assert line <= place <= line + 4


@pytest.mark.parametrize(
    "wrong",
    [
        lambda f, i, w, b: f.binary("add", i, w),
        lambda f, i, w, b: f.binary("add", b, b),
        lambda f, i, w, b: f.binary("pow", i, i),
        lambda f, i, w, b: f.compare("lt", b, b),
        lambda f, i, w, b: f.compare("eq", i, w),
        lambda f, i, w, b: f.branch(i, "x", "y"),
        lambda f, i, w, b: f.leave(w),
        lambda f, i, w, b: f.leave(),
        lambda f, i, w, b: f.load(i),
        lambda f, i, w, b: f.select(i, i, i),
        lambda f, i, w, b: f.select(b, i, w),
        lambda f, i, w, b: f.unary("count", i),
        lambda f, i, w, b: f.call(emitter.Callee("@x", (Scalar.INT,), None), [w]),
        lambda f, i, w, b: emitter.literal(256, Scalar.U8),
        lambda f, i, w, b: (f.leave(i), f.leave(i)),
        lambda f, i, w, b: f.module.table("x y", Scalar.U8, [1]),
        lambda f, i, w, b: (f.module.table("t", Scalar.U8, [1]), f.module.table("t", Scalar.U8, [1])),
        lambda f, i, w, b: f.finish(),
    ],
)
def test_the_emitter_refuses_what_does_not_fit(wrong) -> None:
    module = emitter.Module()
    f = module.function("f", [("i", Scalar.INT), ("w", Scalar.WORD)], Scalar.INT, exported=True)
    i, w = f.arguments
    with pytest.raises(emitter.EmitError):
        wrong(f, i, w, f.converted(i, Scalar.BOOL))


# --- machine code kept and given back -----------------------------------------------------------------------


def made(number: int) -> tuple[str, emitter.Callee]:
    module = emitter.Module()
    f = module.function("answer", [("a", Pointer(Scalar.WORD))], Scalar.INT, exported=True)
    f.leave(
        f.binary("add", f.converted(f.load(f.arguments[0]), Scalar.INT), emitter.literal(number, Scalar.INT))
    )
    callee = f.finish()
    return module.text(), callee


@machine
def test_code_is_kept_on_disk_until_its_sources_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path))
    text, callee = made(7)
    assert native.stored("x", ["a"], optimise=True) is None
    native.store("x", ["a"], True, native.Code(text, optimise=True).compiled)
    found = native.stored("x", ["a"], optimise=True)
    assert found is not None
    code = native.Code(None, found, optimise=True)
    assert code.function(callee)(np.array([5], np.uint64).ctypes.data) == 12
    assert native.stored("x", ["b"], optimise=True) is None
    assert native.stored("x", ["a"], optimise=False) is None
    (path,) = (tmp_path / "cache" / "kernels").iterdir()
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert native.stored("x", ["a"], optimise=True) is None
    path.write_bytes(data[:20])
    assert native.stored("x", ["a"], optimise=True) is None


@machine
def test_code_that_somebody_else_has_put_there_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    monkeypatch.setenv("CQLGUI_HOME", str(theirs))
    compiled = native.Code(made(7)[0], optimise=True).compiled
    native.store("x", ["a"], True, compiled)
    monkeypatch.setenv("CQLGUI_HOME", str(ours))
    native.store("y", ["a"], True, compiled)
    kept = ours / "cache" / "kernels"
    (foreign,) = (theirs / "cache" / "kernels").iterdir()
    (own,) = kept.iterdir()
    shutil.copy(foreign, kept)
    assert native.stored("x", ["a"], optimise=True) is None
    # One kernel of the user's own is no other one either.
    shutil.copy(own, kept / foreign.name)
    assert native.stored("x", ["a"], optimise=True) is None
    assert native.stored("y", ["a"], optimise=True) == compiled


@pytest.fixture(params=["listed", "unlisted"])
def on_a_processor(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, bool], None]]:
    """Pretends that this computer has a processor of a name, with the features that it has or with none. A
    system without a list of processors asks LLVM."""
    from llvmlite import binding
    from llvmlite.binding.targets import FeatureMap

    own = binding.get_host_cpu_features()
    processors = tmp_path / "cpuinfo"
    monkeypatch.setattr(native, "_PROCESSORS", processors)

    def pretend(name: str, features: bool) -> None:
        native._machine.cache_clear()
        native._platform.cache_clear()
        if request.param == "listed":
            flags = own.flatten().replace(",", " ") if features else "none"
            line = f"model name\t: {name}\ncpu MHz\t\t: {time.perf_counter()}\nflags\t\t: {flags}\n\n"
            processors.write_text(f"processor\t: 0\n{line}processor\t: 1\n{line}", "utf-8")
        monkeypatch.setattr(binding, "get_host_cpu_name", lambda: name)
        monkeypatch.setattr(binding, "get_host_cpu_features", lambda: own if features else FeatureMap())

    yield pretend
    native._machine.cache_clear()
    native._platform.cache_clear()


@machine
def test_processors_that_share_a_home_keep_their_own_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_a_processor: Callable[[str, bool], None]
) -> None:
    import llvmlite

    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path))
    folder = tmp_path / "cache" / "kernels"
    host = llvmlite.binding.get_host_cpu_name()
    # The second processor differs by its name, the third one only by its features.
    processors = [(host, True), ("generic", True), ("generic", False)]
    for number, processor in enumerate(processors):
        on_a_processor(*processor)
        assert native.stored("x", ["a"], optimise=True) is None
        native.store("x", ["a"], True, native.Code(made(number)[0], optimise=True).compiled)
    # A new version of llvmlite keeps code of its own, too.
    version = llvmlite.__version__
    monkeypatch.setattr(llvmlite, "__version__", "99.0")
    assert native.stored("x", ["a"], optimise=True) is None
    native.store("x", ["a"], True, b"newer")
    monkeypatch.setattr(llvmlite, "__version__", version)
    for number, processor in enumerate(processors):
        on_a_processor(*processor)
        found = native.stored("x", ["a"], optimise=True)
        assert found is not None
        code = native.Code(None, found, optimise=True)
        assert code.function(made(number)[1])(np.array([5], np.uint64).ctypes.data) == 5 + number
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 4
    assert sum(f"-{version}-" in name for name in names) == 3
    assert sum("-99.0-" in name for name in names) == 1


@machine
def test_code_that_no_start_used_for_a_while_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_a_processor: Callable[[str, bool], None]
) -> None:
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path))
    folder = tmp_path / "cache" / "kernels"
    host = "the other one"

    def aged(days: float) -> None:
        for path in folder.iterdir():
            before = path.stat().st_mtime - days * 86_400
            os.utime(path, (before, before))

    monkeypatch.setattr(native, "_SELDOM", 2)
    on_a_processor("generic", True)
    native.store("used", ["a"], True, b"code")
    native.store("unused", ["a"], True, b"code")
    (folder / "earlier.obj").write_bytes(b"of a version without processors in its names")
    aged(days=50)
    assert native.stored("used", ["a"], optimise=True) == b"code"
    aged(days=20)
    on_a_processor(host, True)
    native.store("own", ["a"], True, b"code")
    assert {path.name.partition("@")[0] for path in folder.iterdir()} == {"used", "own"}
    on_a_processor("generic", True)
    assert native.stored("used", ["a"], optimise=True) == b"code"


@machine
@pytest.mark.skipif(os.name == "nt", reason="folders have no such rights there")
def test_the_folder_of_code_is_the_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path))
    compiled = native.Code(made(7)[0], optimise=True).compiled
    folder = tmp_path / "cache" / "kernels"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    native.store("x", ["a"], True, compiled)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert native.stored("x", ["a"], optimise=True) == compiled


@machine
def test_without_a_place_for_the_key_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path))
    (tmp_path / "config" / "key").mkdir(parents=True)
    native.store("x", ["a"], True, b"code")
    assert native.stored("x", ["a"], optimise=True) is None
    assert not list((tmp_path / "cache" / "kernels").glob("*"))


@machine
def test_a_template_takes_in_a_function_that_is_known_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path))
    numbers = np.array([5, 6, 7], np.uint64)
    written = []
    # The second template finds on disk what the first one kept.
    for amount, kept in ((10, True), (20, False)):
        template = copy.copy(samples.CHANGED)
        module = emitter.Module()
        f = module.function("more", [("value", Scalar.WORD)], Scalar.WORD, exported=True)
        f.leave(f.binary("add", f.arguments[0], emitter.literal(amount, Scalar.WORD)))
        callee = f.finish()
        code = template.code(module.assembly(), callee, kept=kept)
        run = code.function(template.callee)
        assert run(None, numbers.ctypes.data, 3) == 2 * (5 + 6 + 7 + 3 * amount)
        if kept:
            assert code.function(callee)(1) == 11
        else:
            with pytest.raises(ValueError, match="no function more"):
                code.function(callee)
        (path,) = (tmp_path / "cache" / "kernels").glob("*.changed@*.obj")
        written.append(path.stat().st_mtime_ns)
    assert written[0] == written[1]


@machine
def test_a_units_code_is_loaded_and_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first, later = (kernels.Unit("again", [samples, attacks]) for _ in range(2))
    for unit in (first, later):
        unit.kernel(samples.lines.function)
    assert first.code() is first.code()
    monkeypatch.setattr(later, "assembly", lambda: pytest.fail("compiled once more"))
    assert later.code().compiled == first.code().compiled


@machine
@pytest.mark.parametrize("source", [samples, attacks, frontend, emitter, words, native])
def test_a_units_code_is_made_again_once_anything_it_depends_on_changes(
    source: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, later = (kernels.Unit("changing", [samples, attacks]) for _ in range(2))
    for unit in (first, later):
        unit.kernel(samples.lines.function)
    first.code()
    read = inspect.getsource
    monkeypatch.setattr(inspect, "getsource", lambda one: read(one) + "# changed" * (one is source))
    monkeypatch.setattr(recalling, "source", inspect.getsource)
    monkeypatch.setattr(later, "assembly", lambda: "")
    assert later.code().compiled != first.code().compiled


@machine
def test_assembly_that_is_not_valid_is_an_error() -> None:
    with pytest.raises(ValueError, match="not valid"):
        native.Code("define i64 @x() { ret i32 0 }", optimise=False)


@machine
def test_threads_compile_and_run_side_by_side() -> None:
    wrong: list[object] = []

    def work(start: int) -> None:
        for number in range(start, start + 30):
            text, callee = made(number)
            code = native.Code(text, optimise=False)
            found = code.function(callee)(np.array([1], np.uint64).ctypes.data)
            if found != number + 1:
                wrong.append((number, found))

    threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def resident() -> int:
    """Bytes of memory that this process has of its own."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@machine
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
@pytest.mark.parametrize("count", [400, pytest.param(10_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("by_llvm", [False, True])
def test_compiling_does_not_leak(count: int, by_llvm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if by_llvm:
        monkeypatch.setattr(loading, "load", lambda *_: None)

    def compile_some(number: int) -> None:
        for n in range(number):
            native.Code(made(n)[0], optimise=False).function(made(n)[1])

    compile_some(200)
    gc.collect()
    before = resident()
    compile_some(count)
    gc.collect()
    assert resident() - before < 2_000_000 + 1_000 * count


@machine
def test_code_that_goes_away_does_not_wait_for_who_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    # Only LLVM's own code has to wait.
    monkeypatch.setattr(loading, "load", lambda *_: None)
    code = native.Code(made(1)[0], optimise=False)
    assert not native._GIVEN_BACK
    with native._LOCK:
        del code
        gc.collect()
        assert len(native._GIVEN_BACK) == 1, "given back later, as somebody else has LLVM now"
    native.Code(made(2)[0], optimise=False)
    gc.collect()
    assert not native._GIVEN_BACK
