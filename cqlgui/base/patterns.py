"""Regular expressions that are compiled when they are first used.

`re` takes up to ten milliseconds to compile a long expression. A search imports modules with many
expressions, but it uses only a few expressions.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr


class _Pattern:
    """A proxy of a `re.Pattern`. The proxy compiles the expression when an attribute is first used. It
    forwards each use of an attribute to the `re.Pattern`."""

    def __init__(self, text: Any, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)
        # The attribute is stored in the proxy, so that its next use does not call `__getattr__`.
        setattr(self, name, found)
        return found


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Like `re.compile`, but the result is a proxy: only its methods and attributes can be used. An invalid
    expression raises `re.error` when it is first used."""
    made: Any = _Pattern(text, flags)
    return made  # type: ignore[no-any-return]
