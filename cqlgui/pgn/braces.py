"""Where a brace comment ends, and how braces are written inside a comment. The splitter, the reader and the
writer share these rules.

A comment ends at its first `}`. But `\\}` is a brace inside the comment if the next brace is another `}`.
(`{C:\\games\\} e5 {x}` is thus read as two comments, because the next brace is `{`.) A line that begins with
`[Event "` may also end a comment. The comment goes on after this line only if a `}` follows, without a `{` or
a second `[Event "` line before this `}`. In all other cases, the comment was never closed, and it ends before
the line.
"""

from __future__ import annotations

from cqlgui.base.patterns import pattern

_STOP = pattern(rb'\}|[\r\n][ \t]*+\[Event\s++"')
_AFTER_ESCAPE = pattern(rb'(?<!\\)\{|\}|[\r\n][ \t]*+\[Event\s++"')
_AFTER_EVENT = pattern(rb'[{}]|[\r\n][ \t]*+\[Event\s++"')
_UNEVEN = pattern(r"[ \t\r\n\f\v]{2,}|[\t\r\n\f\v]")
"""White space that is not a single blank."""
_NEXT_BRACE = pattern(r"(?<!\\)\{|\}")
_NEAR = 4096
"""Number of bytes in which the end of a comment is looked for without an expression."""


def comment_end(data: bytes, start: int, complete: bool) -> tuple[int, bool] | None:
    """The end of a comment, and whether the comment was closed. `start` is a place in the comment's text.
    None if more data is needed.

    `complete` says that nothing follows `data`. The function takes linear time, because it never looks beyond
    the next brace.
    """
    brace = data.find(b"}", start, start + _NEAR)
    if brace >= 0 and (brace == start or data[brace - 1] != 0x5C) and data.find(b"[Event", start, brace) < 0:
        # Nearly all comments end like this, and this is found much faster than by the expressions. A brace
        # that is far away may belong to another game.
        return brace + 1, True
    position = start
    while True:
        stop = _STOP.search(data, position)
        if stop is None:
            return (len(data), False) if complete else None
        closing = data[stop.start()] == 0x7D
        ahead = None
        if closing:
            if not _escaped(data, stop.start(), start):
                return stop.end(), True
            ahead = _AFTER_ESCAPE.search(data, stop.end())
            if ahead is None and not complete:
                return None
            if ahead is None or data[ahead.start()] != 0x7D:
                return stop.end(), True
            position = stop.end()
        else:
            ahead = _AFTER_EVENT.search(data, stop.end())
            if ahead is None and not complete:
                return None
            if ahead is None or data[ahead.start()] != 0x7D:
                return stop.start(), False
            position = ahead.start()


def text_end(text: str, start: int) -> int:
    """The index of the `}` that ends a comment; -1 if the comment is not closed. The comment's text begins at
    `start`. `text` has one game."""
    position = start
    while True:
        stop = text.find("}", position)
        if stop <= start or text[stop - 1] != "\\":
            return stop
        slashes = 1
        while stop - slashes > start and text[stop - slashes - 1] == "\\":
            slashes += 1
        following = _NEXT_BRACE.search(text, stop + 1) if slashes % 2 else None
        if following is None or following[0] != "}":
            return stop
        position = stop + 1


def unescape(text: str) -> str:
    """The text that a comment means: `\\}` and `\\{` are braces, any other backslash is an ordinary
    character."""
    return text.replace("\\}", "}").replace("\\{", "{") if "\\" in text else text


def meaning(comment: str) -> str:
    """The text that a comment means, without white space around it and with simple line ends. `comment`
    stands between braces in the file."""
    text = unescape(comment).strip(" \t\r\n\0\f\v")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def folded(comment: str) -> str:
    """A comment with each run of white space replaced by one blank, as queries see comments."""
    return _UNEVEN.sub(" ", comment)


def escape(text: str) -> str:
    """`text`, changed so that it can be written between the braces of a comment. `unescape` restores the
    text, except where the text has a backslash before a brace."""
    if "}" in text:
        text = text.replace("{", "\\{").replace("}", "\\}")
    # A last backslash would escape the closing brace.
    return text + " " if text.endswith("\\") else text


def _escaped(data: bytes, brace: int, start: int) -> bool:
    slashes = 0
    while brace - slashes > start and data[brace - slashes - 1] == 0x5C:
        slashes += 1
    return slashes % 2 == 1
