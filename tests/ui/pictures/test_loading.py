"""pyqtgraph is loaded in steps, each in a process of its own: what was loaded once stays loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import helpers

_PLAIN = """
import sys
import pyqtgraph
print(*sorted(dir(pyqtgraph)))
print(*sorted(name for name in sys.modules if name.startswith("pyqtgraph")))
"""

_IN_STEPS = (
    """
from cqlgui.ui.pictures import loading
count = 1
while not loading.load(0):
    count += 1
assert count > 100, count
assert loading.load(0)
"""
    + _PLAIN
)

_AT_ONCE = (
    """
from cqlgui.ui.pictures import loading
assert loading.load(100)
"""
    + _PLAIN
)

_THERE = (
    """
import pyqtgraph
from cqlgui.ui.pictures import loading
assert loading.load(100)
"""
    + _PLAIN
)

_WITHOUT_TEXT = (
    """
import sys
from importlib import machinery
from cqlgui.ui.pictures import loading
machinery.SourceFileLoader.get_source = lambda self, name: None
while not loading.load(0):
    assert "pyqtgraph" not in sys.modules
"""
    + _PLAIN
)

_MISSING = """
import sys
from cqlgui.ui.pictures import loading
sys.path[:] = [path for path in sys.path if not path.endswith("site-packages")]
try:
    loading.load(100)
except ImportError as fault:
    print(fault.name)
"""

_BROKEN = """
import sys
from importlib import machinery
from cqlgui.ui.pictures import loading
machinery.SourceFileLoader.get_source = lambda self, name: "import os\\nimport no_such_module"
try:
    loading.load(100)
except ImportError as fault:
    print(fault.name, "pyqtgraph" in sys.modules)
"""


def _printed(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=helpers.ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "program",
    [_IN_STEPS, _AT_ONCE, _THERE, _WITHOUT_TEXT],
    ids=["in steps", "at once", "there before", "without text"],
)
def test_the_same_is_loaded_as_by_a_plain_import(program: str) -> None:
    assert _printed(program) == _printed(_PLAIN)


@pytest.mark.parametrize(
    ("program", "printed"),
    [(_MISSING, "pyqtgraph"), (_BROKEN, "no_such_module False")],
    ids=["missing", "broken"],
)
def test_a_package_that_cannot_be_imported_is_told(program: str, printed: str) -> None:
    assert _printed(program).strip() == printed
