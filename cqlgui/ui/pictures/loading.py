"""Loads pyqtgraph in steps, so that the window answers meanwhile."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import sys
import time
from collections.abc import Generator, Iterator
from importlib import abc, machinery
from typing import Final

from PySide6 import QtCore, QtGui, QtSvg, QtWidgets

_PACKAGE: Final = "pyqtgraph"
_IMPORT: Final = re.compile(r"^from \.[.\w]* import [\w ,]+$", re.MULTILINE)
"""A line that imports from the same package."""
_TOUCHED: Final = (QtCore, QtGui, QtWidgets, QtSvg)


def load(seconds: float) -> bool:
    """Import a part of pyqtgraph, in the thread of the window. Return whether all of it is imported now. Each
    call continues where the last call of this process stopped, and takes `seconds` and the rest of a step.

    One statement `import pyqtgraph` takes a fifth of a second. Another thread cannot run it: pyqtgraph
    touches all classes of PySide, PySide makes a class when it is first touched, and this crashed in another
    thread while Qt called Python in the thread of the window. So the classes of PySide are made one by one
    first. Then the statements of the package's first file are run one by one; most of them import one module.
    Where this file has no source text, one step imports all.

    Raises ImportError where pyqtgraph is missing.
    """
    end = time.monotonic() + seconds
    return all(time.monotonic() < end for _ in _STEPS)


def is_ready() -> bool:
    """Whether nothing is left to load. If an import has failed, the next one says why."""
    return inspect.getgeneratorstate(_STEPS) == inspect.GEN_CLOSED


def _steps() -> Generator[None]:
    for module in _TOUCHED:
        for name in dir(module):
            getattr(module, name)
            yield
    yield from _package(_PACKAGE)


def _package(name: str) -> Iterator[None]:
    """Import a package, statement by statement. A package that one of the statements imports, or that a
    module imports that one of them imports, is imported before it in the same way."""
    spec = importlib.util.find_spec(name)
    source = _source(spec)
    if spec is None or source is None or name in sys.modules:
        importlib.import_module(name)
        return
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    try:
        for statement in ast.parse(source).body:
            for module in _named(statement, name):
                for inner in _packages(module):
                    yield from _package(inner)
            code = compile(ast.Module([statement], []), spec.origin or name, "exec", dont_inherit=True)
            # This is what an import does with the same text: nothing from a user is run.
            exec(code, package.__dict__)
            yield
    except Exception:
        # As after a plain import that failed, the package is not there. The next import says why.
        del sys.modules[name]
        raise
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, package)


def _packages(name: str) -> Iterator[str]:
    """The packages of pyqtgraph that are not imported yet: `name` itself, or what the module `name` imports
    first."""
    spec = importlib.util.find_spec(name) if name not in sys.modules else None
    if spec is None:
        return
    if spec.submodule_search_locations is not None:
        yield name
        return
    parent = name.rpartition(".")[0]
    # To parse a whole module would take as long as a step may.
    lines = "\n".join(_IMPORT.findall(_source(spec) or ""))
    for statement in ast.parse(lines).body:
        for module in _named(statement, parent):
            inner = importlib.util.find_spec(module) if module not in sys.modules else None
            if inner is not None and inner.submodule_search_locations is not None:
                yield module


def _named(statement: ast.stmt, package: str) -> list[str]:
    """The possible modules of pyqtgraph that a statement in a file of a package imports from."""
    if not isinstance(statement, ast.ImportFrom) or not statement.level:
        return []
    names = package.split(".")
    begin = ".".join(names[: len(names) + 1 - statement.level])
    if statement.module:
        return [f"{begin}.{statement.module}"]
    return [f"{begin}.{alias.name}" for alias in statement.names]


def _source(spec: machinery.ModuleSpec | None) -> str | None:
    loader = spec.loader if spec is not None else None
    return loader.get_source(spec.name) if spec and isinstance(loader, abc.InspectLoader) else None


_STEPS: Final = _steps()
