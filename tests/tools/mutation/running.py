"""Runs mutants one at a time in a copy of the tree, and keeps what became of them.

Not in the working tree: a run that is killed would leave a mutant in it. Not in one process: kernels are
compiled from the modules' files, and worker processes load them anew.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import functools
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import helpers
from tests.tools.mutation import mutants, recording
from tests.tools.mutation.mutants import Change

EXPLAINED = Path(__file__).with_name("explained.csv")
KILLED, HUNG, SURVIVED, LEFT_OUT, GONE = "killed", "hung", "survived", "explained", "gone"
OUTCOMES = (KILLED, HUNG, SURVIVED, LEFT_OUT, GONE)

MEMORY_BYTES = 8 << 30
"""Address space of the tests of one mutant: some would fill all memory."""
START_SECONDS = 10.0
"""Time of a processor that starting pytest, compiling kernels and the like may take beside the tests."""
SLOWER = 1.5
"""How many times slower than under coverage the tests may be; beyond that a mutant counts as hung."""
WAITING = 5.0
"""How many times longer than a processor may be used the tests may take in all: others use it as well."""


@dataclass(frozen=True)
class Result:
    """What became of one mutant."""

    change: Change
    line: int
    outcome: str
    test: str = ""
    """The test that noticed it."""
    tests: int = 0
    seconds: float = 0.0
    diff: str = ""


class Workshop:
    """A folder outside the tree with its copy, the record of tests, and the results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.tree = self.folder / "tree"
        self.record = self.folder / "record"
        self.results = self.folder / "results.jsonl"
        self._changed = self.folder / "changed.json"
        environment = dict(os.environ, LC_ALL="C.UTF-8", QT_QPA_PLATFORM="offscreen")
        # Worker processes that are started elsewhere must load the copy as well.
        environment |= {"PYTHONPATH": str(self.tree), "XDG_CACHE_HOME": str(self.folder / "cache")}
        self.environment: Mapping[str, str] = environment

    def copy(self) -> None:
        """Make the copy of the tree anew, with what git knows or would know of it."""
        if self.tree.exists():
            shutil.rmtree(self.tree)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=helpers.ROOT,
            capture_output=True,
            check=True,
        )
        for name in filter(None, listed.stdout.decode().split("\0")):
            source, target = helpers.ROOT / name, self.tree / name
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        beside = self.folder / helpers.SHARED.name
        if helpers.SHARED.is_dir() and not beside.exists():
            beside.symlink_to(helpers.SHARED.resolve(), target_is_directory=True)

    def sample(self, count: int, seed: int) -> list[mutants.Mutant]:
        """The sample of the copied tree, which is drawn once."""
        path = self.tree / f".sample-{count}-{seed}.json"
        if not path.exists():
            drawn = [dataclasses.astuple(mutant) for mutant in mutants.sample(self.tree, count, seed)]
            path.write_text(json.dumps(drawn), encoding="utf-8")
        return [mutants.Mutant(*row) for row in json.loads(path.read_text(encoding="utf-8"))]

    def restore(self) -> None:
        """Take back a mutant that a run left behind when it was killed."""
        if self._changed.exists():
            module, text = json.loads(self._changed.read_text(encoding="utf-8"))
            _write(self.tree / module, text)
            self._changed.unlink()

    def done(self) -> dict[Change, Result]:
        """The last result of each mutant that was run."""
        found: dict[Change, Result] = {}
        if self.results.exists():
            for line in self.results.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                result = Result(**{**row, "change": Change(**row["change"])})
                found[result.change] = result
        return found

    def keep(self, result: Result) -> None:
        """Append a result."""
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(dataclasses.asdict(result), ensure_ascii=False) + "\n")

    def ask(self, change: Change, text: str, made: str, tests: Sequence[recording.Test]) -> Result:
        """Run the tests on a mutant until one fails; the copy of the tree is as it was afterwards."""
        listed = self.folder / "tests.txt"
        listed.write_text("".join(f"{test.name}\n" for test in tests), encoding="utf-8")
        limit = START_SECONDS + SLOWER * sum(test.seconds for test in tests)
        begun = time.monotonic()
        self._changed.write_text(json.dumps((change.module, text)), encoding="utf-8")
        try:
            _write(self.tree / change.module, made)
            outcome, test = self._pytest(listed, limit)
        finally:
            self.restore()
        line = _first_line(text, made)
        diff = mutants.diff(change.module, text, made)
        return Result(change, line, outcome, test, len(tests), round(time.monotonic() - begun, 1), diff)

    def _pytest(self, listed: Path, limit: float) -> tuple[str, str]:
        """The outcome, and the first test that failed, if any; a process may use `limit` seconds."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no"]
        command += ["-p", "no:cacheprovider", f"@{listed}"]
        run = subprocess.Popen(
            command,
            cwd=self.tree,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=functools.partial(_bound, int(limit)),
            text=True,
            errors="replace",
        )
        try:
            said, _ = run.communicate(timeout=WAITING * limit)
        except subprocess.TimeoutExpired:
            _end_session(run.pid)
            run.communicate()
            return HUNG, ""
        _end_session(run.pid)
        (self.folder / "last.log").write_text(said, encoding="utf-8")
        if run.returncode == 0:
            return SURVIVED, ""
        if run.returncode == -signal.SIGXCPU:
            return HUNG, ""
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
        if "Timeout" in said and (failed is None or "Timeout" in failed[0]):
            return HUNG, failed[1] if failed else ""
        return KILLED, failed[1] if failed else f"pytest ended with {run.returncode}"


def explained() -> dict[Change, str]:
    """The mutants that no test can or need notice, with the reason."""
    with EXPLAINED.open(encoding="utf-8", newline="") as file:
        return {
            Change(row["module"], row["before"], row["after"], int(row["nth"])): row["why"]
            for row in csv.DictReader(file)
        }


def report(results: Iterable[Result]) -> str:
    """The share of mutants that were noticed, by package, and each survivor's diff."""
    counts: dict[str, dict[str, int]] = {}
    survivors = []
    for result in results:
        counted = counts.setdefault(mutants.package(result.change.module), dict.fromkeys(OUTCOMES, 0))
        counted[result.outcome] += 1
        if result.outcome == SURVIVED:
            survivors.append(result)
    total = {outcome: sum(counted[outcome] for counted in counts.values()) for outcome in OUTCOMES}
    lines = [f"{'':8}{'mutants':>9}" + "".join(f"{outcome:>10}" for outcome in OUTCOMES) + "   noticed"]
    for name, counted in [*sorted(counts.items()), ("all", total)]:
        asked = counted[KILLED] + counted[HUNG] + counted[SURVIVED]
        share = f"{(counted[KILLED] + counted[HUNG]) / asked:10.1%}" if asked else f"{'-':>10}"
        cells = "".join(f"{counted[outcome]:10}" for outcome in OUTCOMES)
        lines.append(f"{name:8}{sum(counted.values()):9}{cells}{share}")
    for result in sorted(survivors, key=lambda one: (one.change.module, one.line)):
        lines += ["", f"{result.change.module}:{result.line}, {result.tests} tests", result.diff]
    return "\n".join(lines)


def _write(path: Path, text: str) -> None:
    """Write a module; what Python kept of it compiled might look as new as the text, so it goes."""
    path.write_text(text, encoding="utf-8")
    for kept in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        kept.unlink(missing_ok=True)


def _first_line(text: str, made: str) -> int:
    pairs = zip(text.splitlines(), made.splitlines(), strict=False)
    return next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 1)


def _bound(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_session(session: int) -> None:
    """End what the tests started and left: all processes of their session."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == session:
                os.kill(int(stat.parent.name), signal.SIGKILL)
