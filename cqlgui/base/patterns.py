"""Regular expressions that are compiled when they are first used.

`re` takes up to ten milliseconds for a long one, and of those that stand in the modules of a search few are
needed in any.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr


class _Pattern:
    """Stands for a `re.Pattern`: what is asked of it is asked of the compiled one, which is kept."""

    def __init__(self, text: Any, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)
        # Found there at once from now on.
        setattr(self, name, found)
        return found


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, for all that is done by its methods and attributes; a wrong expression raises
    `re.error` at its first use.
    """
    made: Any = _Pattern(text, flags)
    return made  # type: ignore[no-any-return]
