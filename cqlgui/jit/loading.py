"""Loads object files into memory without LLVM. Loading LLVM takes longer than many a search, and most of the
time machine code is on disk already.

The format is ELF (System V Application Binary Interface, chapters 4 and 5, and its supplement for AMD64).
This module reads only what LLVM writes for this program. LLVM itself loads all other files (`native`).
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import struct
import sys
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

_HEAD: Final = struct.Struct("<4sBB10xHH20xQ10xHH2x")
"""The magic number, the size of words, their order, the type of the file, and the processor. Then the place
of the table of sections, the size of its entries, and their number. The rest is not needed."""
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_RELOCATION: Final = np.dtype([("offset", "<u8"), ("info", "<u8"), ("addend", "<u8")])
_ELF64, _LITTLE, _RELOCATABLE, _AMD64 = 2, 1, 1, 62
_CONTENT, _SYMBOLS, _RELOCATIONS = 1, 2, 4
"""Types of sections."""
_WRITABLE, _ALLOCATED = 1, 2
"""Flags of sections: the program may change them, and they are in memory."""
_UNDEFINED, _ABSOLUTE, _RESERVED, _LOCAL = 0, 0xFFF1, 0xFF00, 0
_ADDRESS: Final = 1
"""The type of a relocation that stores the whole address of a symbol (R_X86_64_64)."""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


class Image:
    """Machine code in memory. The memory is released when the last reference to this object is gone, but not
    at the end of the process: a thread may still run the code then."""

    def __init__(self, base: int, size: int, symbols: Mapping[str, int]) -> None:
        self._symbols = symbols
        weakref.finalize(self, _release, base, size).atexit = False

    def address(self, name: str) -> int:
        """The address of an exported function; 0 for an unknown name."""
        return self._symbols.get(name, 0)


def load(data: bytes, places: Mapping[str, int]) -> Image | None:
    """Load an object file. `places` has the addresses of symbols that the file does not define. Functions of
    the C library need no entry. Returns None if this function cannot load the file, or if this system cannot.

    The file must come from LLVM: this function does not look for harmful code.
    """
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        return None
    try:
        return _loaded(data, places)
    except (struct.error, IndexError, ValueError, OverflowError, OSError):
        # A file that is cut off, a symbol that is nowhere, or a system that permits no new code.
        return None


def _loaded(data: bytes, places: Mapping[str, int]) -> Image | None:
    *made_for, first, step, count = _HEAD.unpack_from(data)
    if made_for != [b"\x7fELF", _ELF64, _LITTLE, _RELOCATABLE, _AMD64]:
        return None
    sections = [_Section(*_SECTION.unpack_from(data, first + step * place)) for place in range(count)]
    begins, size = _laid_out(sections)
    base = _reserved(size)
    try:
        content = np.frombuffer(_memory(base, size), np.uint8)
        for section, begin in zip(sections, begins, strict=True):
            if begin is not None:
                part = np.frombuffer(data, np.uint8, section.size, section.offset)
                content[begin : begin + section.size] = part
        exported: dict[str, int] = {}
        for section in sections:
            if section.kind == _RELOCATIONS and (begin := begins[section.info]) is not None:
                addresses = _addresses(data, sections, sections[section.link], begins, base, places)
                place = content[begin : begin + sections[section.info].size]
                _relocate(data, section, addresses, place)
            elif section.kind == _SYMBOLS:
                exported |= _exported(data, sections, section, begins, base)
        if _library().mprotect(base, size, mmap.PROT_READ | mmap.PROT_EXEC):
            raise OSError("the system permits no new code")
    except BaseException:
        _release(base, size)
        raise
    return Image(base, size, exported)


def _laid_out(sections: Sequence[_Section]) -> tuple[list[int | None], int]:
    """The place of each section in memory, None for sections that are not there, and the size of the memory.
    Raises `ValueError` for a section of data that can be changed, or of another kind."""
    begins: list[int | None] = []
    end = 0
    for section in sections:
        if not section.flags & _ALLOCATED:
            begins.append(None)
            continue
        if section.kind != _CONTENT or section.flags & _WRITABLE or section.alignment > mmap.PAGESIZE:
            raise ValueError("a section of a kind that is not read here")
        step = max(section.alignment, 1)
        begin = (end + step - 1) // step * step
        begins.append(begin)
        end = begin + section.size
    return begins, end


def _symbols(data: bytes, table: _Section) -> list[tuple[int, int, int, int, int, int]]:
    return list(_SYMBOL.iter_unpack(data[table.offset : table.offset + table.size]))


def _name(data: bytes, sections: Sequence[_Section], table: _Section, place: int) -> str:
    begin = sections[table.link].offset + place
    return data[begin : data.index(b"\0", begin)].decode()


def _addresses(
    data: bytes,
    sections: Sequence[_Section],
    table: _Section,
    begins: Sequence[int | None],
    base: int,
    places: Mapping[str, int],
) -> Any:
    """The address of each symbol in a table. Raises `ValueError` for a symbol that is nowhere."""
    made = []
    for name, _, _, where, value, _ in _symbols(data, table):
        if where == _UNDEFINED:
            text = _name(data, sections, table, name)
            made.append(0 if not text else places[text] if text in places else _of_c(text))
        elif where == _ABSOLUTE:
            made.append(value)
        elif where >= _RESERVED:
            raise ValueError("a symbol of a kind that is not read here")
        else:
            begin = begins[where]
            # A section that is not in memory, as that of notes, has no address.
            made.append(0 if begin is None else base + begin + value)
    return np.array(made, np.uint64)


def _relocate(data: bytes, section: _Section, addresses: Any, content: Any) -> None:
    """Write the addresses of symbols into `content`. Raises `ValueError` if one is to be written in another
    form than as a whole, or outside."""
    entries = np.frombuffer(data, _RELOCATION, section.size // _RELOCATION.itemsize, section.offset)
    offsets = entries["offset"].astype(np.int64)
    if np.any(entries["info"] & np.uint64(0xFFFFFFFF) != _ADDRESS):
        raise ValueError("a relocation of a kind that is not read here")
    if len(offsets) and not 0 <= int(offsets.min()) <= int(offsets.max()) <= len(content) - 8:
        raise ValueError("an address outside of its section")
    values = addresses[(entries["info"] >> np.uint64(32)).astype(np.int64)] + entries["addend"]
    content[offsets[:, None] + np.arange(8)] = values.astype("<u8").view(np.uint8).reshape(-1, 8)


def _exported(
    data: bytes,
    sections: Sequence[_Section],
    table: _Section,
    begins: Sequence[int | None],
    base: int,
) -> dict[str, int]:
    made = {}
    for name, info, _, where, value, _ in _symbols(data, table):
        if info >> 4 != _LOCAL and _UNDEFINED < where < _RESERVED and (begin := begins[where]) is not None:
            made[_name(data, sections, table, name)] = base + begin + value
    return made


def _reserved(size: int) -> int:
    """The address of new memory that can be written. Raises `OSError`."""
    rights, kind = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    base = _library().mmap(None, size, rights, kind, -1, 0)
    if base in (None, _FAILED):
        raise OSError("there is no memory for code")
    return int(base)


def _memory(base: int, size: int) -> memoryview:
    """A writable view of `size` bytes at the address `base`. `ctypes` would make a class of arrays for each
    size, which only the cyclic garbage collector frees."""
    found: memoryview = _viewer()(base, size, _CHANGEABLE)
    return found


def _release(base: int, size: int) -> None:
    _library().munmap(base, size)


_CHANGEABLE: Final = 0x200
"""Python's flag of a memory view whose content may be changed (`PyBUF_WRITE`)."""
_FAILED: Final = (1 << 64) - 1
"""What `mmap(2)` returns if it fails."""


@functools.cache
def _viewer() -> Any:
    """The function of Python's C interface that makes a memory view of any memory."""
    view = ctypes.pythonapi["PyMemoryView_FromMemory"]
    view.restype, view.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)
    return view


@functools.cache
def _library() -> Any:
    """The C library."""
    library = ctypes.CDLL(None)
    address, size, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    library.mmap.restype = address
    library.mmap.argtypes = (address, size, number, number, number, ctypes.c_long)
    library.munmap.argtypes = address, size
    library.mprotect.argtypes = address, size, number
    return library


def _of_c(name: str) -> int:
    """The address of a function of the C library. Raises `ValueError` for an unknown name."""
    try:
        found = getattr(_library(), name)
    except AttributeError:
        raise ValueError(f"there is no function {name}") from None
    return ctypes.cast(found, ctypes.c_void_p).value or 0


__all__ = ["Image", "load"]
