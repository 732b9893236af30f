"""Ranges of old scripts: how old scripts write a range, and how CQL 6 compares a value with a range.

n    n m    n unlimited    unlimited m    >n  >=n  <n  <=n    *    –    end    end-N
"""

from __future__ import annotations

import re

from cqlgui.base.data import dataclass
from cqlgui.cql.legacy.reading import legacy_reader

_NUMBER = re.compile(r"[+-]?\d{1,9}")
_COMPARED = re.compile(r"(>=|<=|>|<)([+-]?\d{1,9})")
_END = re.compile(r"end(?:-(\d{1,4}))?")
UNLIMITED = "unlimited"
PRESENT = "*"
MISSING = ("–", "-", "—")


@dataclass(frozen=True, slots=True)
class Range:
    """The values from `low` to `high`, both included; None is an open end."""

    low: int | None
    high: int | None

    def holds(self, value: int) -> bool:
        """Whether a value is in the range."""
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def compare(self, measured: str) -> str | bool:
        """The CQL 6 text that compares `measured` with the range. The value of `measured` may be negative."""
        low, high = self.low, self.high
        if low is None:
            return True if high is None else f"{measured}<={high}"
        if high is None:
            return f"{measured}>={low}"
        if low == high:
            return f"{measured}=={low}"
        whole = f"{low}<={measured}<={high}"
        # Without brackets, a minus sign at the beginning would be read as a subtraction from the preceding
        # filter.
        return f"({whole})" if low < 0 else whole

    def count(self, measured: str) -> str | bool:
        """The CQL 6 text that compares `measured` with the range. The value of `measured` cannot be negative,
        so a lower bound of 0 adds no condition."""
        if self.high is not None and self.high < 0:
            return False
        if self.low is not None and self.low <= 0 and self.high != 0:
            return Range(None, self.high).compare(measured)
        if self.high == 0 and not (self.low or 0) > 0:
            return f"{measured}==0"
        return self.compare(measured)

    def words(self, largest: int, smallest: int = 0) -> str:
        """The range as CQL 6 writes it after a keyword; an open upper end is written as `largest`."""
        low = max(smallest, self.low if self.low is not None else smallest)
        high = largest if self.high is None else self.high
        return str(low) if low == high else f"{low} {high}"


@dataclass(frozen=True, slots=True)
class FromEnd:
    """`end` or `end-N`: the distance to the end of the game, in moves or plies."""

    distance: int


def take(items: legacy_reader.Items) -> Range | None:
    """Take a range of numbers from the items. If there is no range, take nothing and return None.

    A second number may follow the first number. If the item after the first number is a number or
    `unlimited`, this item belongs to the range too.
    """
    first = items.word()
    if first is None:
        return None
    if compared := _COMPARED.fullmatch(first.text):
        items.take()
        sign, bound = compared[1], int(compared[2])
        if sign[0] == ">":
            return Range(bound + (sign == ">"), None)
        return Range(None, bound - (sign == "<"))
    if first.text != UNLIMITED and not _NUMBER.fullmatch(first.text):
        return None
    items.take()
    low = _bound(first.text)
    second = items.word()
    if second is None or not (second.text == UNLIMITED or _NUMBER.fullmatch(second.text)):
        return Range(low, low)
    items.take()
    high = _bound(second.text)
    if low is not None and high is not None and low > high:
        low, high = high, low
    return Range(low, high)


def take_from_end(items: legacy_reader.Items) -> FromEnd | None:
    """Take `end` or `end-N`. If the next item is not of this form, take nothing and return None."""
    word = items.word()
    found = _END.fullmatch(word.text) if word is not None else None
    if found is None:
        return None
    items.take()
    return FromEnd(int(found[1] or 0))


def take_presence(items: legacy_reader.Items) -> bool | None:
    """Take `*` or `–`. The result is True for `*` (any value) and False for `–` (no value). If the next item
    is neither sign, take nothing and return None."""
    word = items.word()
    if word is None or word.text not in (PRESENT, *MISSING):
        return None
    items.take()
    return word.text == PRESENT


def _bound(text: str) -> int | None:
    return None if text == UNLIMITED else int(text)
