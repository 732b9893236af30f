"""The ways to treat the old rule for shifts; apart from the translator so that naming them loads nothing."""

from __future__ import annotations

from typing import Final, Literal, get_args

ShiftRule = Literal["auto", "exact", "cql6"]
SHIFT_RULES: Final[tuple[ShiftRule, ...]] = get_args(ShiftRule)
