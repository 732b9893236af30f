"""Work that may run beside a busy window lets it go first at many places by itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cqlgui.base import priority, progress
from cqlgui.cql.ast import nodes
from cqlgui.engine.pruning import signatures
from cqlgui.engine.replaying import games
from cqlgui.jit import native
from cqlgui.store import index
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing, workspace
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import hit_details, searching

GAME = '[White "A"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    path = tmp_path / "a.pgn"
    path.write_text(GAME * 3)
    return importing.open_base([path]).base


@pytest.fixture
def pauses(base: base_model.Base, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of each function that lets the window go first."""
    found: list[str] = []
    monkeypatch.setattr(priority, "pause", lambda: found.append(sys._getframe(1).f_code.co_name))
    return found


def _ask(_base: base_model.Base) -> None:
    progress.CancelToken().raise_if_cancelled()


def _walk(_base: base_model.Base) -> None:
    query = queries.expanded("check or mate").query
    assert query is not None
    assert len(list(nodes.walk(query.body))) >= 3


def _open(base: base_model.Base) -> None:
    index.SourceIndex.open(workspace.index_folder(base.sources[0].path)).close()


def _read(base: base_model.Base) -> None:
    assert workspace.catalog().count(base.sources[0].id) == 3


@pytest.mark.parametrize("work", [_ask, _walk, _open, _read])
def test_the_window_goes_first(
    base: base_model.Base, pauses: list[str], work: Callable[[base_model.Base], None]
) -> None:
    work(base)
    assert pauses


def test_kernels_let_the_window_go_first(base: base_model.Base, pauses: list[str]) -> None:
    with index.SourceIndex.open(workspace.index_folder(base.sources[0].path)) as opened:
        ((_, segment),) = opened.parts
        asked = games.of_segment(segment)
        pauses.clear()
        made = signatures.make(asked)
    assert len(made.column(signatures.EVENTS, False)) > 0
    assert pauses


def test_a_search_lets_it_go_first_many_times(base: base_model.Base, pauses: list[str]) -> None:
    result = searching.search(base, "flipcolor {mate}")
    assert result.games.games.tolist() == [1, 2, 3]
    assert len(pauses) > 20


@pytest.mark.skipif(not native.available(), reason="without machine code worker processes tell the details")
def test_each_hit_that_is_told_lets_it_go_first(base: base_model.Base, pauses: list[str]) -> None:
    result = searching.search(base, 'ply > 1 settag("Opening" "Fool")')
    told = hit_details.tell(base, result, [1, 2, 3])
    assert sum(len(game.hits) for game in told) == pauses.count("told") == 9


def test_each_game_that_is_written_anew_lets_it_go_first(
    tmp_path: Path, base: base_model.Base, pauses: list[str]
) -> None:
    result = searching.search(base, "mate removecomment")
    report = exporting.export(base, result, tmp_path / "out.pgn", annotate=True)
    assert report.games == pauses.count("_made") == 3
