"""The language server, driven by the protocol library of VS Code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the package pygls is not installed, so there is no language server")

from cqlgui.cql.editing import spelling
from cqlgui.cql.source import diagnostics
from cqlgui.tasks.asking import queries
from tests import helpers

MODULES = helpers.ROOT / "packaging" / "vscode" / "node_modules"
SEVERITIES = {"error": 1, "warning": 2}
ODD = (
    "",
    "maet",
    'comment("\U0001f600♞") maet ♞e4',
    "mate\r\n\r\n\r\n\r\n/* \U0001f600 */ maet  \r\ncheck",
    "{ flipcolor Ra1 shift Kb2 }",
    "mate {\n",
)


def units(text: str) -> int:
    """The length of a text in UTF-16."""
    return len(text.encode("utf-16-le")) // 2


def expected(text: str) -> dict[str, Any]:
    tidy = spelling.tidied(text)
    return {
        "found": [
            {
                "place": [units(text[: one.span.offset]), units(text[: one.span.end])],
                "severity": SEVERITIES[one.severity],
                "code": one.code,
                "message": "\n".join(filter(None, (one.message, one.hint[:1].upper() + one.hint[1:]))),
                "mended": mended(text, one),
            }
            for one in queries.findings(text)
        ],
        "formatted": tidy.replace("\n", "\r\n") if "\r\n" in text else tidy,
    }


def mended(text: str, finding: diagnostics.Diagnostic) -> str | None:
    """A text after the first quick fix of a finding or of those that touch it; None if there is none."""
    for one in queries.findings(text):
        fix, span = one.fix, finding.span
        if fix is not None and one.span.offset <= span.end and one.span.end >= span.offset:
            return text[: fix.span.offset] + fix.new + text[fix.span.end :]
    return None


def test_the_library_of_vs_code_gets_the_findings_of_the_window(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed, so no client of VS Code is tried")
    if not (MODULES / "vscode-languageserver-protocol").is_dir():
        pytest.skip("run `npm install` in packaging/vscode to try the server with VS Code's library")
    files = sorted((helpers.ROOT / "resources" / "queries").rglob("*.cql"))[::10]
    library = [path.read_text(encoding="utf-8") for path in files]
    # A misspelt word behind a sign of two UTF-16 units.
    words = r"\b(mate|check|attacks|flipcolor|flip|piece|move|power)\b"
    spoilt = [re.sub(words, "/* \U0001f600 */ \\1x", text) for text in library]
    texts = [*ODD, *library, *spoilt]
    done = subprocess.run(
        [node, str(Path(__file__).with_name("vscode_client.js")), sys.executable, "-m", "cqlgui", "lsp"],
        input=json.dumps(texts),
        env={
            **os.environ,
            "NODE_PATH": str(MODULES),
            "CQLGUI_HOME": str(tmp_path),
            "PYTHONPATH": str(helpers.ROOT),
        },
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    answer = json.loads(done.stdout)
    assert (answer["name"], answer["code"], done.stderr) == ("cqlgui", 0, "")
    for text, found in zip(texts, answer["found"], strict=True):
        assert found == expected(text), text
    fixed = [one for found in answer["found"] for one in found["found"] if one["mended"] is not None]
    assert len(fixed) >= len(library)
