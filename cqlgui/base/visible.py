"""A stranger's text made harmless where it is shown: on a terminal and in the log."""

from __future__ import annotations

import json


def visible(text: str, kept: str = "\n\t") -> str:
    """The text with escapes for all that steers a terminal, or reorders and hides text: control characters,
    marks of direction, characters without width, line separators, and what Unicode has not assigned. Blanks
    of all widths stay, and so does what is `kept`; a return is kept only as a part of a line's end.
    """
    if text.isprintable():
        return text
    if "\n" in kept:
        text = text.replace("\r\n", "\n")
    return "".join(one if one.isprintable() or one in kept or _blank(one) else _escape(one) for one in text)


def _escape(one: str) -> str:
    # As in JSON, of which a text may be a part.
    return json.dumps(one)[1:-1]


def _blank(one: str) -> bool:
    """Whether it is a blank that moves nothing but what stands behind it."""
    return one > "\x85" and one.isspace() and one not in "\u2028\u2029"
