"""The values of `shift_rule`. They have a module of their own, so that importing them does not load the
translator."""

from __future__ import annotations

from typing import Final, Literal, get_args

ShiftRule = Literal["auto", "exact", "cql6"]
SHIFT_RULES: Final[tuple[ShiftRule, ...]] = get_args(ShiftRule)
