"""The types of the kernel language, as annotations that plain Python and the type checker take for ints.

All numbers of a kernel are 64 bits wide. `int` is signed, and `Word` is unsigned. Python's unbounded integers
give the results of machine code as long as two conditions hold. A kernel must keep its words below 2**64
(with the function `word`), and its ints in range. An array is any object that is indexed by position: a NumPy
array, a tuple or a `memoryview`. A kernel can take a function as an argument. The annotation of the parameter
then contains a `Routine`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, MutableSequence
from typing import Annotated, Final, TypeAlias, TypeVar

from cqlgui.base.data import dataclass


class Scalar(enum.Enum):
    """The type of a number in a register or in an array. The value is the LLVM type, with the suffix `u` for
    an unsigned type."""

    BOOL = "i1"
    INT = "i64"
    WORD = "i64u"
    U8 = "i8u"
    U16 = "i16u"
    U32 = "i32u"
    I8 = "i8"
    I16 = "i16"
    I32 = "i32"

    # The values below are read for each instruction that is written. They are attributes, because properties
    # would be slower.

    def __init__(self, text: str) -> None:
        self.llvm: Final = text.removesuffix("u")
        """The type in LLVM assembly, which does not distinguish signed and unsigned types."""
        self.bits: Final = int(self.llvm[1:])
        """Width in bits."""
        self.signed: Final = not text.endswith("u") and self.bits > 1
        """Whether the number can be negative."""
        self.least: Final = -(1 << self.bits - 1) if self.signed else 0
        self.most: Final = (1 << self.bits - self.signed) - 1
        """The largest number of this type."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """The type of an array. The length of the array is not part of this type."""

    element: Scalar


@dataclass(frozen=True, slots=True)
class Routine:
    """The type of a function that is given as an argument and called through its address."""

    parameters: tuple[KernelType, ...]
    result: Scalar | None


KernelType: TypeAlias = Scalar | Pointer | Routine

F = TypeVar("F", bound=Callable[..., object])
_INLINING: Final = "_kernel_inlining"

MASK: Final = (1 << 64) - 1

Word: TypeAlias = Annotated[int, Scalar.WORD]
"""An unsigned number of 64 bits: a bitboard, a hash, a packed record."""
Bytes: TypeAlias = Annotated[MutableSequence[int], Pointer(Scalar.U8)]
Shorts: TypeAlias = Annotated[MutableSequence[int], Pointer(Scalar.U16)]
Halves: TypeAlias = Annotated[MutableSequence[int], Pointer(Scalar.U32)]
Words: TypeAlias = Annotated[MutableSequence[int], Pointer(Scalar.WORD)]
Ints: TypeAlias = Annotated[MutableSequence[int], Pointer(Scalar.INT)]


def inlined(function: F) -> F:
    """A decorator. In machine code, the code of the function is inlined into every caller."""
    setattr(function, _INLINING, True)
    return function


def apart(function: F) -> F:
    """A decorator for a function that rarely runs. In machine code, the code of the function is inlined into
    no caller."""
    setattr(function, _INLINING, False)
    return function


def inlining(function: Callable[..., object]) -> bool | None:
    """True for a function with the decorator `inlined`, False for a function with the decorator `apart`. None
    for a function with neither decorator."""
    found: bool | None = getattr(function, _INLINING, None)
    return found


def word(value: int) -> Word:
    """The lowest 64 bits of `value`, as an unsigned number. In machine code, this operation costs nothing."""
    return value & MASK


def lowest(value: Word) -> int:
    """The number of the lowest set bit; undefined for 0."""
    return (value & -value).bit_length() - 1


def highest(value: Word) -> int:
    """The number of the highest set bit; undefined for 0."""
    return value.bit_length() - 1


def swapped(value: Word) -> Word:
    """The word with its eight bytes in reverse order. The reversal turns a bitboard upside down."""
    return int.from_bytes(value.to_bytes(8, "little"), "big")
