"""Rules of the fuzzers on a few hundred texts; `python -m tests.tools.fuzz` runs for ten minutes."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from tests.tools.fuzz import targets, texts

FOUND = Path(__file__).with_name("found.txt")


@pytest.mark.parametrize("line", FOUND.read_text("ascii").splitlines())
def test_what_was_found_once_stays_mended(line: str) -> None:
    targets.running(ast.literal_eval(line))


@pytest.mark.parametrize("seed", range(4))
def test_any_text_is_refused_with_places_or_runs(seed: int) -> None:
    source = random.Random(seed)
    ran = 0
    for _ in range(60):
        text = texts.text_of(source.randbytes(source.choice((8, 20, 60, 150))))
        if targets.front(text) is not None:
            ran += 1
            targets.running(text)
    assert ran, "no text was a query: the texts have lost their sense"
