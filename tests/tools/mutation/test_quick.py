"""The tool itself, on trees of a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import helpers
from tests.tools.mutation import mutants, recording

pytest.importorskip("resource", reason="the tests of a mutant are bounded where the system can do that")
from tests.tools.mutation import running

MODULE = "cqlgui/store/small.py"
TEXT = '''"""A module: 1 < 2."""

import dataclasses
import functools
import logging

_log = logging.getLogger(__name__)
LIMIT: int | None = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Empty:
    pass


@functools.cache
def larger(one: int | str, other: int = 4) -> int | str:
    assert one != other
    _log.info("%d", 1 + 2)
    if one < other:
        return other
    while one > 10:
        one -= 7
    return one
'''
TESTS = """
from cqlgui.store import small

def test_first():
    assert small.larger(2, 3) == 3

def test_second():
    assert small.larger(30, 3) == 9
"""


@pytest.fixture
def shop(tmp_path: Path) -> running.Workshop:
    """A copy of a tree with one module and its tests."""
    made = running.Workshop(tmp_path)
    for name, text in {MODULE: TEXT, "tests/test_small.py": TESTS, "cqlgui/__init__.py": ""}.items():
        path = made.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("before", "after", "outcome", "test"),
    [
        ("one > 10", "one >= 10", running.SURVIVED, ""),
        ("one < other", "one > other", running.KILLED, "tests/test_small.py::test_first"),
        ("one > 10", "one > 0", running.KILLED, "tests/test_small.py::test_second"),
        ("one -= 7", "one += 0", running.HUNG, ""),
    ],
)
def test_what_becomes_of_a_mutant(
    shop: running.Workshop, monkeypatch: pytest.MonkeyPatch, before: str, after: str, outcome: str, test: str
) -> None:
    if outcome == running.HUNG:
        monkeypatch.setattr(running, "START_SECONDS", 3.0)
    tests = [recording.Test(f"tests/test_small.py::test_{name}", 0.1) for name in ("first", "second")]
    made = TEXT.replace(before, after)
    result = shop.ask(mutants.change(MODULE, TEXT, made), TEXT, made, tests)
    assert (result.outcome, result.test, result.tests) == (outcome, test, 2)
    assert (shop.tree / MODULE).read_text(encoding="utf-8") == TEXT
    shop.keep(result)
    assert list(shop.done().values()) == [result]
    report = running.report(shop.done().values())
    assert ("100.0%" in report) == (outcome != running.SURVIVED)
    assert (f"+{after}" in report.replace("    while ", "")) == (outcome == running.SURVIVED)


def test_a_mutant_of_a_killed_run_is_taken_back(
    shop: running.Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise SystemExit

    change = mutants.change(MODULE, TEXT, "\n")
    with monkeypatch.context() as patch:
        patch.setattr(shop, "_pytest", dies)
        patch.setattr(shop, "restore", lambda: None)
        with pytest.raises(SystemExit):
            shop.ask(change, TEXT, "\n", [])
    assert (shop.tree / MODULE).read_text(encoding="utf-8") == "\n"
    shop.restore()
    assert (shop.tree / MODULE).read_text(encoding="utf-8") == TEXT


def test_mutants_leave_out_what_no_test_need_notice(shop: running.Workshop) -> None:
    pytest.importorskip("cosmic_ray", reason="mutants are made with the extra `mutation`")
    found = mutants.every(MODULE, TEXT)
    lines = TEXT.splitlines()
    assert {lines[mutant.line - 1].strip() for mutant in found} == {
        "LIMIT: int | None = 3",
        "@dataclasses.dataclass(frozen=True, slots=True)",
        "def larger(one: int | str, other: int = 4) -> int | str:",
        "if one < other:",
        "while one > 10:",
        "one -= 7",
    }
    assert not any("BitOr" in mutant.operator or "True" in mutant.operator for mutant in found)
    for mutant in mutants.sample(shop.tree, 5, seed=3, least=0):
        made = mutants.applied(mutant, TEXT)
        assert made is not None
        change = mutants.change(MODULE, TEXT, made)
        assert made.count(change.after) > TEXT.count(change.after)
        # The same change is found again when other lines stand around it.
        (shop.tree / MODULE).write_text("# More.\n" + TEXT, encoding="utf-8")
        assert mutants.located(change, shop.tree) == ("# More.\n" + TEXT, "# More.\n" + made)
        (shop.tree / MODULE).write_text("LIMIT = None\n", encoding="utf-8")
        assert mutants.located(change, shop.tree) is None
        (shop.tree / MODULE).write_text(TEXT, encoding="utf-8")


def test_like_changes_are_told_apart_by_their_place() -> None:
    text = "a = 1\nif b:\n    a = 1\n"
    first, second = (
        mutants.change(MODULE, text, made)
        for made in ("a = 2\nif b:\n    a = 1\n", "a = 1\nif b:\n    a = 2\n")
    )
    assert (first.before, first.after, first.nth) == ("a = 1", "a = 2", 0)
    assert (second.before, second.after, second.nth) == ("a = 1", "a = 2", 1)


def test_the_cheapest_tests_of_every_file_come_first() -> None:
    times = {"a.py::1": 5.0, "a.py::2": 1.0, "a.py::3": 2.0, "b.py::1": 0.5, "b.py::2": 0.25, "c.py::1": 90.0}
    chosen = recording.cheapest((recording.Test(name, seconds) for name, seconds in times.items()), 4.0)
    assert [test.name for test in chosen] == ["b.py::2", "b.py::1", "a.py::2", "a.py::3"]
    (only,) = recording.cheapest([recording.Test("c.py::1", 90.0)], 4.0)
    assert only.name == "c.py::1"


def test_tests_are_named_for_modules_that_are_there() -> None:
    for module, tests in recording.BESIDE.items():
        assert (helpers.ROOT / "cqlgui" / module).is_file(), module
        assert [name for name in tests if not (helpers.ROOT / "tests" / name).exists()] == []
    assert [name for name in recording.FOLDERS if not (helpers.ROOT / "tests" / name).is_dir()] == []


def test_explained_mutants_are_of_lines_that_are_there() -> None:
    """A line that has changed needs a new look."""
    for change, why in running.explained().items():
        assert why
        lines = (helpers.ROOT / change.module).read_text(encoding="utf-8").splitlines()
        stripped = [line.strip() for line in lines]
        first = change.before.split(" / ")[0]
        assert stripped.count(first) > change.nth, change
