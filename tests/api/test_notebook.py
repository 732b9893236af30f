"""The notebook that shows the library: it runs, and its numbers are those of the command line."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import helpers

NOTEBOOK = helpers.ROOT / "resources" / "notebooks" / "library.ipynb"
NEEDED = ("nbclient", "ipykernel", "pyarrow", "polars", "duckdb")
RUN = """
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])
"""


def test_the_notebook_runs_and_counts_as_the_command_line_does(tmp_path: Path) -> None:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    path = tmp_path / "run.ipynb"
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(NOTEBOOK), str(path)],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=helpers.ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    sample = helpers.ROOT / "resources" / "sample" / "sample.pgn"
    counted = helpers.cli("search", sample, "-e", "check", "--count").out
    number = int(counted.split(", ")[1].split()[0])
    counts = ast.literal_eval(_text(next(cell for cell in cells if "counts = {" in "".join(cell["source"]))))
    assert counts == {"len": number, "polars": number, "duckdb": number}
    assert "<iframe" in json.dumps(cells[1]["outputs"])
    assert "undeclared-name" in json.dumps(cells[-1]["outputs"])


def _text(cell: dict[str, Any]) -> str:
    """What a cell shows as plain text."""
    return "".join(cell["outputs"][-1]["data"]["text/plain"])
