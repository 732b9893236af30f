"""Regular expressions that are compiled when they are first used.

`re` takes up to ten milliseconds to compile a long expression. A search uses few of the expressions in its
modules.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr


class _Pattern:
    """A proxy of a `re.Pattern`. It compiles the expression at the first access and passes each access on."""

    def __init__(self, text: Any, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)
        # Keep the attribute here, so that the next access finds it directly.
        setattr(self, name, found)
        return found


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Like `re.compile`, but only methods and attributes of the result can be used. A wrong expression raises
    `re.error` when it is first used."""
    made: Any = _Pattern(text, flags)
    return made  # type: ignore[no-any-return]
