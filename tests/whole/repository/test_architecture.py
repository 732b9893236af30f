"""The names in ARCHITECTURE.md are those of the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests import helpers
from tests.tools import modules

PAGE = modules.PAGE
MODULES = {
    ".".join(path.relative_to(helpers.ROOT / "cqlgui").with_suffix("").parts): path
    for path in (helpers.ROOT / "cqlgui").rglob("*.py")
    if path.stem != "__init__"
}
PACKAGES = {name.rsplit(".", part)[0] for name in MODULES for part in range(1, name.count(".") + 1)}
NOT_OURS = {"chess", "peewee", "dataclasses", "argparse", "re"}


def quoted() -> list[str]:
    """What stands in backticks in the page's text."""
    return sorted(set(re.findall(r"`([^`\n]+)`", PAGE.read_text(encoding="utf-8"))))


def names_in(module: str) -> set[str]:
    """Names that a module defines, those within its classes as `Class.name`."""
    found: set[str] = set()

    def collect(body: list[ast.stmt], before: str) -> None:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.ClassDef():
                    found.add(before + node.name)
                    if isinstance(node, ast.ClassDef) or node.name == "__init__":
                        collect(node.body, before if node.name == "__init__" else f"{node.name}.")
                case ast.Assign():
                    found.update(
                        before + ast.unparse(target).removeprefix("self.") for target in node.targets
                    )
                case ast.AnnAssign():
                    found.add(before + ast.unparse(node.target).removeprefix("self."))
                case ast.If() | ast.Try():
                    collect(node.body, before)

    collect(ast.parse(MODULES[module].read_text(encoding="utf-8")).body, "")
    return found


def known(name: str) -> bool:
    """Whether a dotted name is that of a package, a module, or of something in a module."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        start = ".".join(parts[:size])
        rest = ".".join(parts[size:])
        ours = [one for one in MODULES if one == start or one.endswith(f".{start}")]
        if any(not rest or rest in names_in(one) for one in ours):
            return True
        if not rest and any(one == start or one.endswith(f".{start}") for one in PACKAGES):
            return True
    if parts[0][:1].isupper():
        return any(name in names_in(one) for one in MODULES)
    return False


@pytest.mark.parametrize("name", [one for one in quoted() if re.fullmatch(r"[\w/]+\.py", one)])
def test_files_are_there(name: str) -> None:
    assert (helpers.ROOT / name).is_file() or (helpers.ROOT / "cqlgui" / name).is_file()


@pytest.mark.parametrize("name", [one for one in quoted() if re.fullmatch(r"[A-Za-z_]+(\.\w+)+", one)])
def test_dotted_names_are_there(name: str) -> None:
    if name.endswith((".py", ".md", ".toml")) or name.split(".")[0] in NOT_OURS:
        return
    assert known(name.removeprefix("cqlgui."))


def in_prose(path: Path) -> set[str]:
    """Dotted names in backticks in docstrings and comments that begin with the name of a module."""
    source = path.read_text(encoding="utf-8")
    texts = [line for line in source.splitlines() if line.strip().startswith("#")]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            texts.append(str(node.value.value))
    ours = {part for name in MODULES for part in name.split(".")}
    found = {name for text in texts for name in re.findall(r"`([a-z_]+(?:\.\w+)+)`", text)}
    return {name for name in found if name.split(".")[0] in ours}


def test_names_in_docstrings_and_comments_are_there() -> None:
    found = {path.name: {name for name in in_prose(path) if not known(name)} for path in MODULES.values()}
    assert {module: names for module, names in found.items() if names} == {}


def test_every_package_is_on_the_map() -> None:
    """A package is named in section 2, or its name is the title of a list there."""
    text = PAGE.read_text(encoding="utf-8")
    part = text[text.index("## 2.") : text.index("## 3.")]
    listed = {name for one in re.findall(r"`([^`\n]+)`", part) for name in one.split(".")}
    assert {name for package in PACKAGES for name in package.split(".")} - listed == set()


def test_the_list_of_modules_is_up_to_date() -> None:
    """After a failure run `python -m tests.tools.modules`."""
    text = PAGE.read_text(encoding="utf-8")
    assert text[text.index(modules.HEADING) :] == modules.section()


def test_a_name_that_is_not_there_is_found() -> None:
    assert known("check.check")
    assert known("tasks.results.found")
    assert known("Evaluation.log")
    assert not known("check.uncheck")
    assert not known("tasks.telling")
    assert not known("Evaluation.nothing")
