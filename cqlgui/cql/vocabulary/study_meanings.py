"""The keys of `hhdb` (spec 14): the name, type and meaning of each key. Parser, evaluation and help take the
keys from here.

In the study database, a game's Black tag holds a code of the position, and marks such as `U1`. Comments hold
tags such as `<cook>`. The Event tag begins with the award.
"""

from __future__ import annotations

from typing import Final

MARKS: Final = {
    **{mark: mark for mark in (
        "AN", "CR", "MC", "PH", "TE", "TT", "TW", "U1", "U2", "U3", "U4", "U5", "(c)", "(m)", "(s)", "(v)",
    )},
    "anticipation": "AN", "colors_reversed": "CR", "too_many_composers": "MC", "posthumous": "PH",
    "theoretical_ending": "TE", "theme_tournament": "TT", "theme_tourney": "TT", "twin": "TW",
    "dual_at_move_1": "U1", "dual_after_move_1": "U2", "white_fails": "U3", "white_wins_in_draw": "U4",
    "unreachable": "U5", "correction": "(c)", "modification": "(m)", "corrected_solution": "(s)",
    "version": "(v)",
}  # fmt: skip
"""For each key that tests for a mark in the Black tag: the mark."""

COMMENT_TAGS: Final = {
    "<cook>": "<cook", "<eg>": "<eg>", "<main>": "<main>", "<minor_dual>": "<minor_dual", "<or>": "<or>",
}  # fmt: skip
"""For each key that tests for a text in the comment at the position: the text."""

CONDITIONS: Final = frozenset({"cooked", "dual", "sound", "unsound", "mainline", "variation"})
"""Keys for conditions that combine several marks or texts."""

GBR_PARTS: Final = {
    "gbr": slice(None),
    "gbr material": slice(1, -4),
    "gbr kings": slice(-4, None),
    "gbr pieces": slice(1, 5),
    "gbr pawns": slice(6, 8),
}
"""Slices of the position code (`+0400.20a1b2`): the whole code, and the parts that have keys of their own."""

TEXTS: Final = frozenset({"composer", "diagram", "firstcomment", "stipulation", "search", *GBR_PARTS})
"""Keys that have a string as value. If a string literal follows the key, the query tests whether the value
contains this literal."""

NUMBERS: Final = frozenset({"egdiagram"})
"""Keys with a number as value, except the keys of awards."""

CATEGORIES: Final = ("award", "prize", "hm", "commendation")
"""Kinds of award. `award` stands for any of the other kinds."""

AWARD_WORDS: Final = frozenset({*CATEGORIES, "special", "max", "sort"})

NEEDS_VARIATIONS: Final = frozenset({"<main>", "<or>", "mainline", "variation"})
"""Keys that have a meaning only if variations are searched."""

UNDEFINED: Final = "source"
"""A key that exists but has no meaning."""

ALL: Final = frozenset({*MARKS, *COMMENT_TAGS, *CONDITIONS, *TEXTS, *NUMBERS})
"""Every key, except the keys of awards."""


def quoted(key: str) -> bool:
    """Whether a query writes the key in quotes."""
    return key[0] in "(<"
