"""Loads pyqtgraph in steps, so that the window answers meanwhile."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
import time
from collections.abc import Iterator
from importlib import abc
from typing import Final

from PySide6 import QtCore, QtGui, QtSvg, QtWidgets

_PACKAGE: Final = "pyqtgraph"
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


def _steps() -> Iterator[None]:
    for module in _TOUCHED:
        for name in dir(module):
            getattr(module, name)
            yield
    spec = importlib.util.find_spec(_PACKAGE)
    loader = spec.loader if spec is not None else None
    source = loader.get_source(_PACKAGE) if isinstance(loader, abc.InspectLoader) else None
    if spec is None or source is None or _PACKAGE in sys.modules:
        importlib.import_module(_PACKAGE)
        return
    package = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE] = package
    try:
        for statement in ast.parse(source).body:
            code = compile(ast.Module([statement], []), spec.origin or _PACKAGE, "exec", dont_inherit=True)
            # This is what an import does with the same text: nothing from a user is run.
            exec(code, package.__dict__)
            yield
    except Exception:
        # As after a plain import that failed, the package is not there. The next import says why.
        del sys.modules[_PACKAGE]
        raise


_STEPS: Final = _steps()
