"""The values of `shift_rule`. These values are in a separate module, so that an import of the values does not
load the translator."""

from __future__ import annotations

from typing import Final, Literal, get_args

ShiftRule = Literal["auto", "exact", "cql6"]
SHIFT_RULES: Final[tuple[ShiftRule, ...]] = get_args(ShiftRule)
