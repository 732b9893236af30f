"""Memory that threads take from the C library."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import helpers

_ADDRESSES = """
import ctypes, threading
from cqlgui.base import heap
heap.share()
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
found = []
threads = [threading.Thread(target=lambda: found.append(library.malloc(9_000))) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
heap.give_back()
first, last = next(
    (int(place, 16) for place in line.split()[0].split("-"))
    for line in open("/proc/self/maps") if line.rstrip().endswith("[heap]")
)
print(all(first <= address < last for address in found))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only the GNU library has heaps of threads")
def test_threads_share_one_heap() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ADDRESSES], cwd=helpers.ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"
