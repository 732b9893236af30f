"""Pure functions for the editing keys: indenting, commenting, and the indent of a new line."""

from __future__ import annotations

from collections.abc import Callable

LineEdit = Callable[[list[str]], list[str]]

INDENT = "  "
COMMENT = "// "


def new_line_indent(before: str, after: str) -> tuple[str, str]:
    """The indent of the line that Return opens, and the text to insert after the caret.

    `before` and `after` are the parts of the current line before and after the caret. An opening bracket
    before the caret deepens the indent. If the closing bracket follows the caret at once, the closing bracket
    moves to a line of its own.
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
    """The lines, indented by one more step. Empty lines are not indented."""
    return [INDENT + line if line.strip() else line for line in lines]


def dedented(lines: list[str]) -> list[str]:
    """Remove one step of indent from every line. If the indent of a line is smaller than one step, remove the
    whole indent."""
    return [line[_step(line) :] for line in lines]


def comment_toggled(lines: list[str]) -> list[str]:
    """The lines as comments. Each line that is not empty gets `//` at the smallest indent of these lines. If
    all these lines are comments already, the `//` is removed."""
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
    # Exactly three slashes do not begin a comment in the query: `///` is a CQL filter.
    body = line.lstrip()
    return body.startswith("//") and not (body.startswith("///") and not body.startswith("////"))


def _uncommented(line: str) -> str:
    margin = len(line) - len(line.lstrip())
    body = line[margin + 2 :]
    return line[:margin] + body.removeprefix(" ")
