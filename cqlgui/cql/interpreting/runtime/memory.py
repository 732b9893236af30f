"""The data that a query keeps from one game to the next (language spec, 12.2 and 12.4): persistent variables,
and dictionaries that are not local. All values are integers or strings (a set is stored as an integer), so
the memory can be sent as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cqlgui.base.data import dataclass, field


@dataclass(slots=True)
class Memory:
    """The variables and the dictionaries by name. A game changes the memory only if the evaluation of the
    game was completed."""

    variables: dict[str, Any] = field(default_factory=dict)
    dictionaries: dict[str, dict[Any, Any]] = field(default_factory=dict)

    @property
    def characters(self) -> int:
        """Total number of characters in all strings of the memory."""
        texts = (item for entries in self.dictionaries.values() for pair in entries.items() for item in pair)
        return sum(len(text) for text in (*self.variables.values(), *texts) if isinstance(text, str))

    def packed(self) -> list[Any]:
        """The memory as nested lists, for sending in a message."""
        return [
            list(self.variables.items()),
            [[name, list(entries.items())] for name, entries in self.dictionaries.items()],
        ]


def unpacked(packed: Sequence[Any]) -> Memory:
    """The inverse of `Memory.packed`."""
    variables, dictionaries = packed
    return Memory(
        dict(variables),
        {name: dict(entries) for name, entries in dictionaries},
    )
