"""Kernels are read by several threads at once."""

from __future__ import annotations

import gc
import threading
import time
import types
from collections.abc import Iterator

import pytest

from cqlgui.engine.replaying import replay
from cqlgui.jit import frontend


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
