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


_AGAIN = """
import ctypes, resource
from cqlgui.base import heap
heap.keep()
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    block = library.malloc(8 << 20)
    ctypes.memset(block, 1, 8 << 20)
    library.free(block)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(sum(faults() for _ in range(10)))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only the GNU library returns memory early")
def test_a_command_uses_its_freed_memory_again() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _AGAIN], cwd=helpers.ROOT, capture_output=True, text=True, check=True
    )
    # Ten blocks of new memory would be 20,480 pages.
    assert int(done.stdout) < 1000


_LARGE = """
import ctypes
from cqlgui.base import heap
heap.share()
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
before = heap.resident()
held = []
for _ in range(3):
    blocks = [library.malloc(6 << 20) for _ in range(20)]
    for block in blocks:
        ctypes.memset(block, 1, 6 << 20)
    held.append(library.malloc(9_000))
    for block in blocks:
        library.free(block)
print((heap.resident() - before) >> 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only the GNU library keeps what was freed")
def test_large_blocks_go_back_when_they_are_freed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LARGE], cwd=helpers.ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 12


_UNUSED = """
import ctypes
from cqlgui.base import heap
heap.share()
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
seen = [heap.unused()]
blocks = [library.malloc(100 << 10) for _ in range(300)] + [library.malloc(30 << 20)]
for block in blocks[:-1]:
    ctypes.memset(block, 1, 100 << 10)
ctypes.memset(blocks[-1], 1, 30 << 20)
# Else the heap would be made smaller by itself.
last = library.malloc(100 << 10)
seen.append(heap.unused())
for block in blocks:
    library.free(block)
seen.append(heap.unused())
heap.give_back()
seen.append(heap.unused())
print(*(after - seen[0] >> 20 for after in seen[1:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only the GNU library keeps what was freed")
def test_what_is_lent_out_is_not_unused_and_what_is_free_is_until_it_was_given_back() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _UNUSED], cwd=helpers.ROOT, capture_output=True, text=True, check=True
    )
    lent, free, given = map(int, done.stdout.split())
    assert abs(lent) <= 2, "neither small blocks nor large ones"
    assert 26 <= free <= 32
    assert abs(given) <= 2
