"""Kernels are read by several threads at once."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterator

import pytest

from cqlgui.engine.replaying import replay
from cqlgui.jit import frontend, native
from tests import helpers


@pytest.fixture
def switching() -> Iterator[None]:
    """Other threads come to their turn while a syntax tree is made."""

    def pause(*_: object) -> None:
        time.sleep(0)

    before = gc.get_threshold()
    gc.callbacks.append(pause)
    gc.set_threshold(50)
    yield
    gc.callbacks.remove(pause)
    gc.set_threshold(*before)


@pytest.mark.usefixtures("switching")
def test_several_threads_read_kernels_at_once() -> None:
    functions = [one for one in vars(replay).values() if isinstance(one, types.FunctionType)]
    faults: list[BaseException] = []

    def read() -> None:
        try:
            for function in functions * 3:
                program = frontend.Program([replay], [])
                frontend._Body(program, function, [])
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert functions
    assert faults == []


def test_a_kernel_is_read_again_if_a_library_parses_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = [SystemError("AST constructor recursion depth mismatch")] * 3
    parse = ast.parse

    def parsed(text: str) -> ast.Module:
        if faults:
            raise faults.pop()
        return parse(text)

    monkeypatch.setattr(ast, "parse", parsed)
    program = frontend.Program([replay], [])
    function = next(one for one in vars(replay).values() if isinstance(one, types.FunctionType))
    frontend._Body(program, function, [])
    assert not faults
    faults += [SystemError("always")] * 100
    with pytest.raises(SystemError, match="always"):
        frontend._Body(program, function, [])


_ENDING = """
import threading, time
from cqlgui.cql.checking import check
from cqlgui.cql.transforming import transforms
from cqlgui.tasks.search import sieving

begun = threading.Event()

def work():
    for number in range(100_000):
        text = f"flipcolor shift {{K attacks N Q attacks (B | R) ply > {number}}}"
        query = transforms.expand(check.check(text))
        begun.set()
        sieving.plan(query)

threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(%f)
"""


@pytest.mark.skipif(not native.available(), reason="nothing is compiled without machine code")
def test_a_process_ends_well_while_a_thread_compiles() -> None:
    """Ctrl+C may end a study while the next query is being compiled."""
    for step in range(8):
        code = _ENDING % (0.3 + step * 0.07)
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=helpers.ROOT, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


_LOADING = """
import ctypes, os
from cqlgui.jit import native

mapped = []
plain = ctypes.CDLL

class Watched(plain):
    def __init__(self, name=None, *rest, **named):
        if "llvmlite" in str(name):
            with open("/proc/self/maps") as file:
                mapped.append(os.path.basename(str(name)) in file.read())
        super().__init__(name, *rest, **named)

ctypes.CDLL = Watched
# Its functions would keep the interpreter lock.
ctypes.PyDLL = None
native.bitcode("define i32 @one() { ret i32 1 }")
print(mapped)
"""


@pytest.mark.skipif(not native.available(), reason="nothing is compiled without machine code")
@pytest.mark.skipif(sys.platform != "linux", reason="what a process has in memory is read from /proc")
def test_the_library_of_llvm_is_loaded_before_python_would_load_it() -> None:
    """Python keeps the interpreter lock while it loads a library, and the window would stand still."""
    done = subprocess.run(
        [sys.executable, "-c", _LOADING], capture_output=True, text=True, cwd=helpers.ROOT, check=False
    )
    assert (done.stdout, done.stderr) == ("[True]\n", "")
