"""Which tests run which lines: measured once in a copy of the tree, and asked for each mutant.

Coverage sees neither worker processes nor compiled kernels. For such modules `BESIDE` names the tests that
are about them; these are asked besides.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.tools.mutation import plugin

FOLDERS = (
    "base", "board", "jit", "cql", "pgn", "store", "engine", "db", "tasks", "whole/oracle", "tools/keywords",
    "whole/library", "whole/robustness", "cli",
)  # fmt: skip
"""Folders of tests that may notice a mutant; those of the window and of speed would take too long."""

_ENGINE = (
    "engine/replaying/test_replay.py", "engine/test_against_interpreter.py", "engine/test_orbit_pass.py",
    "engine/test_small_positions.py",
)  # fmt: skip
_LOWERED = (
    *_ENGINE,
    "engine/test_weakening.py",
    "engine/lowering/test_pictures.py",
    "engine/test_against_records.py",
)
_READING = (
    "pgn/test_kernel.py",
    "pgn/test_differential.py",
    "pgn/test_torture.py",
    "tasks/databases/test_reading.py",
)
_WORKING = (
    "tasks/search/test_searching.py",
    "tasks/search/test_stopping.py",
    "tasks/databases/test_importing.py",
    "whole/robustness/test_kills.py",
)
_TELLING = (
    "tasks/search/test_margin.py",
    "tasks/search/test_searching.py",
    "tasks/results/test_found.py",
    "cli/",
)

BESIDE: Mapping[str, tuple[str, ...]] = {
    "engine/replaying/replay.py": (*_ENGINE, "engine/test_long_games.py"),
    "engine/kernels/routines.py": _LOWERED,
    "engine/kernels/routines_economy.py": _LOWERED,
    "engine/kernels/routines_tree.py": (*_LOWERED, "engine/test_long_games.py"),
    "engine/pruning/signatures.py": ("engine/pruning/test_signatures.py", "engine/pruning/test_pruning.py"),
    "engine/replaying/games.py": _ENGINE,
    "engine/replaying/layout.py": _ENGINE,
    "engine/lowering/dispatch.py": _LOWERED,
    "engine/lowering/blocks.py": _LOWERED,
    "engine/lowering/ordering.py": _LOWERED,
    "engine/lowering/lowering_board.py": _LOWERED,
    "engine/lowering/lowering_logic.py": _LOWERED,
    "engine/lowering/lowering_notes.py": _LOWERED,
    "engine/lowering/lowering_strings.py": _LOWERED,
    "engine/lowering/writing.py": _LOWERED,
    "engine/passes/lowering_matches.py": ("engine/test_orbit_pass.py",),
    "engine/passes/lowering_rings.py": _LOWERED,
    "engine/passes/detail_pass.py": _LOWERED,
    "engine/lowering/lowering_orbits.py": _LOWERED,
    "engine/lowering/lowering_paths.py": _LOWERED,
    "engine/lowering/lowering_sequences.py": (*_LOWERED, "engine/test_long_games.py"),
    "engine/lowering/lowering_tree.py": (*_LOWERED, "engine/test_long_games.py"),
    "pgn/kernel.py": _READING,
    "pgn/kernel_moves.py": _READING,
    "pgn/interning.py": ("pgn/test_interning.py", *_READING),
    "tasks/search/planning.py": ("tasks/search/test_planning.py", "cli/"),
    "tasks/search/worker.py": _WORKING,
    "tasks/databases/hosts.py": _WORKING,
    "tasks/processes/frames.py": _WORKING,
    "tasks/processes/pool.py": _WORKING,
    "tasks/databases/reading.py": ("tasks/databases/test_reading.py", "tasks/databases/test_importing.py"),
    "tasks/search/hit_details.py": _TELLING,
    "tasks/results/truth_codec.py": _TELLING,
    "tasks/search/explaining.py": _TELLING,
    "tasks/search/margin.py": _TELLING,
}
"""Below `cqlgui` the modules that coverage does not see (wholly), below `tests` the tests about them."""


@dataclass(frozen=True)
class Test:
    """A test by pytest's name for it, and how long it took while it was measured."""

    name: str
    seconds: float

    @property
    def file(self) -> str:
        """The file it stands in."""
        return self.name.split("::")[0]


def record(tree: Path, folder: Path, environment: Mapping[str, str]) -> None:
    """Run the tests of `FOLDERS` under coverage, in files that are new or changed since they were measured.

    Tests that fail in the tree as it is are never asked about a mutant.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known: dict[str, str] = {}
    for path in sorted(folder.glob("*.json")):
        known |= json.loads(path.read_text(encoding="utf-8"))
    number = len(list(folder.glob("*.json")))
    for name in FOLDERS:
        files = {
            path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted((tree / "tests" / name).rglob("test_*.py"))
        }
        files = {file: digest for file, digest in files.items() if known.get(file) != digest}
        if not files:
            continue
        print(f"recording {' '.join(files)}", flush=True)
        # What a run left that was stopped is written over.
        stem = folder / f"{number:03}"
        stem.with_suffix(".times").unlink(missing_ok=True)
        measure = ["coverage", "run", f"--rcfile={os.devnull}", "--source=cqlgui"]
        measure.append(f"--data-file={stem}.cov")
        run = ["pytest", "-q", "-p", plugin.__name__, "-p", "no:cacheprovider", *files]
        with stem.with_suffix(".log").open("w", encoding="utf-8") as log:
            subprocess.run(
                [sys.executable, "-m", *measure, "-m", *run],
                cwd=tree,
                env={**environment, plugin.TIMES: f"{stem}.times"},
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )
        stem.with_suffix(".json").write_text(json.dumps(files, indent=0), encoding="utf-8")
        number += 1


class Recorded:
    """What `record` measured."""

    def __init__(self, folder: Path) -> None:
        self.tests: dict[str, Test] = {}
        self.renewed: set[str] = set()
        """Files of tests that were measured after the first time, as they were new or had changed."""
        first = len(FOLDERS)
        for number, path in enumerate(sorted(folder.glob("*.json"))):
            files = json.loads(path.read_text(encoding="utf-8"))
            if number >= first:
                self.renewed |= files.keys()
            self.tests = {name: test for name, test in self.tests.items() if test.file not in files}
            for line in map(json.loads, path.with_suffix(".times").read_text(encoding="utf-8").splitlines()):
                if line["usable"]:
                    self.tests[line["test"]] = Test(line["test"], line["seconds"])
        self._files = sorted(folder.glob("*.cov"))
        self._lines: dict[str, dict[int, set[str]]] = {}

    def of_line(self, module: str, line: int, first: int) -> list[Test]:
        """The tests that run a line, else those that run the nearest line above it down to `first`, where its
        statement begins, else all that run anything of the module; and those that `BESIDE` names."""
        lines = self._module(module)
        names: set[str] = set()
        for near in range(line, first - 1, -1):
            names = lines.get(near, set())
            if names:
                break
        else:
            names = set().union(*lines.values())
        found = [self.tests[name] for name in names if name in self.tests]
        begins = tuple(f"tests/{path}" for path in BESIDE.get(module.removeprefix("cqlgui/"), ()))
        if begins:
            found += [self.tests[name] for name in self.tests.keys() - names if name.startswith(begins)]
        return found

    def _module(self, module: str) -> dict[int, set[str]]:
        import coverage  # an extra, which only this program needs

        if module not in self._lines:
            lines: dict[int, set[str]] = {}
            for path in self._files:
                data = coverage.CoverageData(str(path))
                data.read()
                for name in data.measured_files():
                    if Path(name).as_posix().endswith("/" + module):
                        for line, contexts in data.contexts_by_lineno(name).items():
                            lines.setdefault(line, set()).update(c for c in contexts if c)
            self._lines[module] = lines
        return self._lines[module]


def likeliest(module: str, tests: Sequence[Test], seconds: float) -> list[Test]:
    """Tests of `seconds` together: for three quarters of it those about the module, then any others."""
    begins = [f"tests/{path}" for path in BESIDE.get(module.removeprefix("cqlgui/"), ())]
    package = module.split("/")[1]
    begins.append(f"tests/{package}/")
    own = [test for test in tests if test.name.startswith(tuple(begins))]
    first = cheapest(own, seconds * 3 / 4)
    left = seconds - sum(test.seconds for test in first)
    taken = {test.name for test in first}
    return first + cheapest((test for test in tests if test.name not in taken), max(left, 0.0))


def cheapest(tests: Iterable[Test], seconds: float) -> list[Test]:
    """Tests that take `seconds` together, as they were measured: from each file in turn the cheapest one.

    The order is that in which they are to run: file by file (what a file shares is made once), cheap ones
    first. One test is taken however long it takes, if there is any time.
    """
    files: dict[str, list[Test]] = {}
    for test in sorted(tests, key=lambda test: (test.seconds, test.name)):
        files.setdefault(test.file, []).append(test)
    taken: dict[str, list[Test]] = {name: [] for name in files}
    left = seconds
    waiting = sorted(files, key=lambda name: files[name][0].seconds)
    while waiting:
        still = []
        for name in waiting:
            test = files[name][len(taken[name])]
            if test.seconds > left and (left < seconds or not seconds):
                continue
            left -= test.seconds
            taken[name].append(test)
            if len(taken[name]) < len(files[name]):
                still.append(name)
        waiting = still
    order = sorted(taken.values(), key=lambda group: sum(test.seconds for test in group))
    return [test for group in order for test in group]
