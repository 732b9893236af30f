"""A new base has the texts of its games, and is there as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.base import errors, progress
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.likeness import new_bases
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import searching

TEXTS = [
    '[White "A"]\n\n1. f3 e5 2. g4 Qh4# 0-1',
    '[White "Ä"]\r\n\r\n1.e4   {odd  spaces} e5 *',
    '[White "C"]\n\n1. f3 e6 2. g4 Qh4# 0-1',
]


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    path = tmp_path / "a.pgn"
    path.write_bytes("\n\n".join(TEXTS).encode())
    return importing.open_base([path]).base


def test_a_new_base_has_the_games_of_a_result_byte_for_byte(base: base_model.Base, tmp_path: Path) -> None:
    result = searching.search(base, "mate")
    made = new_bases.make(base, result.order, tmp_path / "new.pgn").base
    assert [games.text(made, number).decode() for number in (1, 2)] == [TEXTS[0], TEXTS[2]]
    assert (made.games, made.complete) == (2, True)
    assert made.sources[0].path == tmp_path / "new.pgn"


def test_the_order_of_the_games_is_kept(base: base_model.Base, tmp_path: Path) -> None:
    made = new_bases.make(base, [3, 2], tmp_path / "new.pgn").base
    assert [games.text(made, number).decode() for number in (1, 2)] == [TEXTS[2], TEXTS[1]]


def test_nothing_is_overwritten(base: base_model.Base, tmp_path: Path) -> None:
    path = tmp_path / "there.pgn"
    path.write_text("kept")
    with pytest.raises(errors.CqlguiError, match=r"there\.pgn exists already and is not overwritten"):
        new_bases.make(base, [1], path)
    assert path.read_text() == "kept"
    with pytest.raises(errors.CqlguiError, match="is a source of this base"):
        exporting.export_games(base, [1], tmp_path / "a.pgn")
    (tmp_path / "link.pgn").symlink_to(tmp_path / "nowhere.pgn")
    with pytest.raises(errors.CqlguiError, match="exists already"):
        new_bases.make(base, [1], tmp_path / "link.pgn")


@pytest.mark.parametrize(
    ("numbers", "name", "message"),
    [
        ([], "new.pgn", "at least one game"),
        ([1], "new.csv", r"the ending must be \.pgn"),
        ([9], "new.pgn", "There is no game 9"),
        ([1], "none/new.pgn", "cannot be written"),
    ],
)
def test_faults_leave_no_file(
    base: base_model.Base, tmp_path: Path, numbers: list[int], name: str, message: str
) -> None:
    before = sorted(tmp_path.iterdir())
    with pytest.raises(errors.CqlguiError, match=message):
        new_bases.make(base, numbers, tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("moment", ["Writing", "Reading new.pgn"])
def test_stopped_work_leaves_no_file(base: base_model.Base, tmp_path: Path, moment: str) -> None:
    token = progress.CancelToken()
    met = []

    def stop(report: progress.Progress) -> None:
        if report.words.startswith(moment):
            met.append(report)
            token.cancel()

    with pytest.raises(errors.Cancelled):
        new_bases.make(base, [1, 2, 3], tmp_path / "new.pgn", cancel=token, progress=stop)
    assert met
    assert not (tmp_path / "new.pgn").exists()
