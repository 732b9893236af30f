"""Rules of the folders of `cqlgui`: no circle of imports between files, few modules in a folder, and one
contract about the inner order of each package (`packaging/imports.toml`)."""

from __future__ import annotations

import graphlib
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

from tests import helpers

MOST_MODULES = 15
"""Modules that may stand directly in one folder, `__init__` not counted."""
CONTRACTS = helpers.ROOT / "packaging" / "imports.toml"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Which module imports which; imports inside functions and for type checkers count as well."""
    return grimp.build_graph("cqlgui", cache_dir=None)


def circle(graph: grimp.ImportGraph, names: set[str]) -> list[str]:
    """One circle of imports among `names`, empty where there is none; a name stands for all modules below."""
    arrows = {
        name: {
            other
            for other in names - {name}
            if graph.direct_import_exists(importer=name, imported=other, as_packages=True)
        }
        for name in names
    }
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_files_import_one_another_in_no_circle(graph: grimp.ImportGraph) -> None:
    arrows = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_packages_import_one_another_in_no_circle(graph: grimp.ImportGraph) -> None:
    for package in sorted(graph.modules):
        assert not circle(graph, graph.find_children(package)), package


def test_a_circle_is_found() -> None:
    made = grimp.ImportGraph()
    for name in ("a", "a.one", "a.two", "a.two.inner"):
        made.add_module(name)
    made.add_import(importer="a.one", imported="a.two.inner")
    assert not circle(made, {"a.one", "a.two"})
    made.add_import(importer="a.two", imported="a.one")
    assert set(circle(made, {"a.one", "a.two"})) == {"a.one", "a.two"}


def test_no_folder_has_many_modules() -> None:
    counts = {
        folder.relative_to(helpers.ROOT).as_posix(): len(
            [file for file in folder.glob("*.py") if file.stem != "__init__"]
        )
        for folder in [helpers.ROOT / "cqlgui", *(helpers.ROOT / "cqlgui").rglob("*/")]
    }
    assert {folder: count for folder, count in counts.items() if count > MOST_MODULES} == {}


def test_each_package_has_a_contract_about_its_order(graph: grimp.ImportGraph) -> None:
    listed = tomllib.loads(CONTRACTS.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    ordered = {
        container
        for contract in listed
        if contract["type"] == "layers" and contract.get("exhaustive")
        for container in contract["containers"]
    }
    packages = {module for module in graph.modules if len(graph.find_children(module)) > 1}
    assert packages - {"cqlgui"} == ordered


def test_the_contracts_hold() -> None:
    command = "from importlinter.cli import lint_imports_command as c; c()"
    done = subprocess.run(
        [sys.executable, "-c", command, str(Path("packaging", "imports.toml"))],
        cwd=helpers.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
