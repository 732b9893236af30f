"""A small real base, a search on it, and jobs that are closed again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from cqlgui.ui.loop import jobs
from tests import helpers

GAMES = 24
BROKEN = """[Event "Club"]
[White "Broken, Bert"]
[Black "Whole, Will"]
[Result "1-0"]

1. e4 e5 2. Ke5 Nc6 1-0
"""
QUERY = "flipcolor {btm check}"


@pytest.fixture
def door(qtbot: QtBot) -> Iterator[jobs.Jobs]:
    """Jobs, closed at the end."""
    made = jobs.Jobs()
    yield made
    assert made.close()


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    """The first games of the sample base, and a broken one after them."""
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text(encoding="utf-8")
    games = text.split("\n[Event ")[:GAMES]
    path = tmp_path / "cut.pgn"
    path.write_text("\n[Event ".join(games).rstrip() + "\n\n" + BROKEN, encoding="utf-8")
    return path


@pytest.fixture
def base(pgn: Path) -> base_model.Base:
    """Those games, opened; the last one is the broken one."""
    return importing.open_base([pgn]).base


@pytest.fixture
def result(base: base_model.Base) -> search_model.SearchResult:
    """A search with a transform of two elements, both of which match."""
    return searching.search(base, QUERY)
