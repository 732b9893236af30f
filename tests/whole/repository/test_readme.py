"""Examples of README and manual run as printed, each subcommand is named, and sample queries show hits."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cqlgui.cli import arguments
from cqlgui.cql.checking import check
from cqlgui.tasks.asking import library
from tests import helpers

MANUAL = sorted((helpers.ROOT / "resources" / "manual").glob("*.md"))
README = "\n".join(path.read_text(encoding="utf-8") for path in (helpers.ROOT / "README.md", *MANUAL))
EXAMPLES = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
    if line.startswith("cqlgui ")
]
QUERIES = [
    path
    for path in sorted((helpers.ROOT / "resources" / "queries").rglob("*.cql"))
    if "sample" in library.read(path).tags
]
"""Those of the library that promise hits in the sample base."""
SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
FIRST = "greek-gift"
"""The query that `packaging/start` opens with."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One set of user folders for the module, so that the sample base is read once."""
    return tmp_path_factory.mktemp("home")


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_runs(example: str, home: Path, tmp_path: Path) -> None:
    words = [str(tmp_path / w) if w == "stalemates.pgn" else w for w in shlex.split(example)[1:]]
    run = helpers.cli(*words, home=home)
    assert run.code == 0, run.err
    assert helpers.TRACEBACK not in run.err
    if "check" not in words[0] and "-o" not in words:
        assert run.out.strip()


FIVE = re.search(r"^## CQL in five lines\n\n((?:    .*\n)+)", README, re.MULTILINE)


def test_the_queries_of_the_five_lines_are_right() -> None:
    assert FIVE
    asked = [line[:22].strip() for line in textwrap.dedent(FIVE[1]).splitlines()]
    assert len(asked) == 5
    # F and G stand for any filters.
    asked = [text.replace("F", "check").replace("G", "mate").replace("{check mate}", "") for text in asked]
    for text in asked:
        assert not check.check(text).diagnostics, text


PROGRAMS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_programs_that_are_printed_run(home: Path) -> None:
    assert PROGRAMS
    for program in PROGRAMS:
        environment = dict(os.environ, CQLGUI_HOME=str(home))
        run = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            cwd=helpers.ROOT,
            env=environment,
            timeout=60,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        assert run.stdout.strip()


@pytest.mark.parametrize("command", arguments.SUBCOMMANDS)
def test_every_subcommand_is_named(command: str) -> None:
    assert re.search(rf"(cqlgui {command}\b|`{command}`)", README)


def test_sample_queries_run_and_show_hits(home: Path, tmp_path: Path) -> None:
    batch = tmp_path / "queries.jsonl"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in QUERIES}
    assert len(texts) == len(QUERIES) > 20
    batch.write_text(
        "".join(json.dumps({"id": n, "query": t}) + "\n" for n, t in texts.items()), encoding="utf-8"
    )
    run = helpers.cli("search", SAMPLE, "--batch", batch, "--json", home=home)
    assert run.code == 0, run.err
    answers = {answer["id"]: answer for answer in map(json.loads, run.out.splitlines())}
    assert answers.keys() == texts.keys()
    assert {n: a.get("error") for n, a in answers.items() if "error" in a} == {}
    assert [n for n, a in answers.items() if not a["count"]] == [], "sample queries that show nothing"
    (gift,) = answers[FIRST]["orbit"]
    assert len(gift["elements"]) == 4
    assert all(element["positions"] for element in gift["elements"])


def test_start_uses_files_that_exist() -> None:
    script = (helpers.ROOT / "packaging" / "start").read_text(encoding="utf-8")
    named = re.findall(r"^(?:sample|query)=(\S+)$", script, re.MULTILINE)
    assert len(named) == 2
    assert all((helpers.ROOT / name).is_file() for name in named)
    assert Path(named[1]).stem == FIRST
