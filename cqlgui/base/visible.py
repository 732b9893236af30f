"""Makes a stranger's text harmless for a terminal and the log."""

from __future__ import annotations

import json


def visible(text: str, kept: str = "\n\t") -> str:
    """Return the text with escapes for all characters that control a terminal, reorder text or hide text. The
    escaped characters are control characters, direction marks, characters of no width, line separators, and
    unassigned characters. Spaces of all widths and the characters in `kept` stay as they are. A carriage
    return is kept only as part of a line end."""
    if text.isprintable():
        return text
    if "\n" in kept:
        text = text.replace("\r\n", "\n")
    return "".join(one if one.isprintable() or one in kept or _blank(one) else _escape(one) for one in text)


def _escape(one: str) -> str:
    # The text may be part of a JSON text. The JSON text stays valid, because the character is escaped as in
    # JSON.
    return json.dumps(one)[1:-1]


def _blank(one: str) -> bool:
    """Whether the character is a space beyond ASCII. A line separator is no space."""
    return one > "\x85" and one.isspace() and one not in "\u2028\u2029"
