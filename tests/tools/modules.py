"""Writes the last section of ARCHITECTURE.md: the first sentence of every module's docstring."""

from __future__ import annotations

import ast
import re
from itertools import groupby
from pathlib import Path

from tests import helpers

PAGE = helpers.ROOT / "cqlgui" / "ARCHITECTURE.md"
HEADING = "## 14. All modules\n"
_INTRODUCTION = """\
The first sentence of each module. `python -m tests.tools.modules` writes this section, and a test fails if it
is out of date.
"""


def section() -> str:
    """The section as it should be, from its heading to the end of the page."""
    root = helpers.ROOT / "cqlgui"
    paths = sorted(root.rglob("*.py"), key=lambda path: (path.parent, path))
    parts = [f"{HEADING}\n{_INTRODUCTION}"]
    for folder, members in groupby(paths, key=lambda path: path.parent):
        lines = [f"- `{path.stem}`: {first_sentence(path)}" for path in members if path.stem != "__init__"]
        if lines:
            title = (
                f"**{folder.relative_to(root.parent).as_posix()}** - {first_sentence(folder / '__init__.py')}"
            )
            parts.append("\n".join([title, "", *lines, ""]))
    return "\n".join(parts)


def first_sentence(path: Path) -> str:
    """The first sentence of a module's docstring, on one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(docstring.split("\n\n")[0].split())
    found = re.match(r".+?\.(?=\s|$)", paragraph)
    return found[0] if found else paragraph


def main() -> None:
    """Write the section into the page."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(HEADING)] + section(), encoding="utf-8")


if __name__ == "__main__":
    main()
