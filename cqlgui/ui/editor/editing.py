"""Pure functions behind the editing keys: indenting, commenting, and the indent of a new line."""

from __future__ import annotations

from collections.abc import Callable

LineEdit = Callable[[list[str]], list[str]]

INDENT = "  "
COMMENT = "// "


def new_line_indent(before: str, after: str) -> tuple[str, str]:
    """Indent of the line that Return opens, and text to insert after the caret.

    `before` and `after` are the halves of the current line. An opening bracket deepens the indent. If its
    closing partner follows at once, the partner moves to a line of its own.
    """
    indent = before[: len(before) - len(before.lstrip())]
    opener = before.rstrip()[-1:]
    if opener and opener in "{([":
        closing = "})]"["{([".index(opener)]
        if after.lstrip().startswith(closing):
            return indent + INDENT, "\n" + indent
        return indent + INDENT, ""
    return indent, ""


def indented(lines: list[str]) -> list[str]:
    """The lines, one step further to the right. Empty lines stay as they are."""
    return [INDENT + line if line.strip() else line for line in lines]


def dedented(lines: list[str]) -> list[str]:
    """Remove one step of indent from every line, or as much as there is."""
    return [line[_step(line) :] for line in lines]


def comment_toggled(lines: list[str]) -> list[str]:
    """The lines as line comments: each filled line gets `//` at the least indent of all. If every filled line
    already is a comment, the `//` is removed instead."""
    filled = [line for line in lines if line.strip()]
    if not filled:
        return list(lines)
    if all(_commented(line) for line in filled):
        return [_uncommented(line) if line.strip() else line for line in lines]
    margin = min(len(line) - len(line.lstrip()) for line in filled)
    return [line[:margin] + COMMENT + line[margin:] if line.strip() else line for line in lines]


def _step(line: str) -> int:
    if line.startswith("\t"):
        return 1
    blanks = len(line) - len(line.lstrip(" "))
    return min(blanks, len(INDENT))


def _commented(line: str) -> bool:
    # Three slashes do not begin a comment. They are the filter that writes comments.
    body = line.lstrip()
    return body.startswith("//") and not (body.startswith("///") and not body.startswith("////"))


def _uncommented(line: str) -> str:
    margin = len(line) - len(line.lstrip())
    body = line[margin + 2 :]
    return line[:margin] + body.removeprefix(" ")
