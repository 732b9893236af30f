"""Studies that are dropped are found, however they were turned, and the boards show how."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from cqlgui.board import motions
from cqlgui.board.position import Position
from cqlgui.jit import native
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model
from cqlgui.ui.likeness import anticipation_pane
from cqlgui.ui.loop import jobs

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")

STUDIES = [
    "8/2q5/8/8/3N4/1K6/7Q/k7 w - - 0 1",
    "8/5k2/8/3p4/3P4/4K3/8/8 w - - 0 1",
    "7k/8/5K2/6Q1/8/8/8/1r6 b - - 0 1",
]
USED = [motions.Motion(5, swapped=True), motions.Motion(2, right=-1), motions.Motion(0)]
"""The motion by which each study is turned: a turn with a swap of colours, a mirror with a shift, none."""


def written(path: Path, fens: list[str]) -> Path:
    path.write_text(
        "".join(f'[White "S{n}"]\n[FEN "{fen}"]\n[SetUp "1"]\n\n*\n\n' for n, fen in enumerate(fens, 1))
    )
    return path


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    path = written(tmp_path / "base.pgn", STUDIES[:2])
    # In the third game the study stands after a move.
    before = "7k/8/5K2/6Q1/8/8/8/r7 b - - 0 1"
    with path.open("a") as file:
        file.write(f'[White "S3"]\n[FEN "{before}"]\n[SetUp "1"]\n\n1... Rb1 2. Qg7# *\n')
    return importing.open_base([path]).base


@pytest.fixture
def pane(qtbot: QtBot, door: jobs.Jobs, base: base_model.Base) -> anticipation_pane.AnticipationPane:
    made = anticipation_pane.AnticipationPane(door)
    qtbot.addWidget(made)
    made.resize(460, 640)
    made.show()
    made.set_base(base)
    return made


def dropped(path: Path) -> tuple[QDropEvent, QMimeData]:
    """A drop of a file, with its data, which must live as long."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    return event, data


def test_turned_studies_that_are_dropped_are_found_first(
    qtbot: QtBot, pane: anticipation_pane.AnticipationPane, tmp_path: Path
) -> None:
    # The third study has white to move after the black rook's move.
    asked = [*STUDIES[:2], STUDIES[2].replace(" b ", " w ")]
    turned = [used.position(Position.from_fen(fen)).fen() for used, fen in zip(USED, asked, strict=True)]
    event, data = dropped(written(tmp_path / "entries.pgn", [*turned, "9/8 w"]))
    pane.dropEvent(event)
    assert data.hasUrls()
    qtbot.waitUntil(lambda: pane.answer is not None)
    assert pane.entries.count() == 4
    for row, (used, fen) in enumerate(zip(USED, turned, strict=True)):
        pane.entries.setCurrentRow(row)
        near = pane._near()
        assert near is not None
        assert (near.game, near.score, near.ply) == (row + 1, 1.0, 1 if row == 2 else 0)
        # The transform is the one that was used: it leads back to the study of the base.
        assert near.motion == used.inverse
        assert near.transform in pane.words.text() or used == motions.STILL
        assert pane.boards.turned.squares == Position.from_fen(fen).squares
        assert pane.boards.differing == 0
        assert pane.boards.count == (2 if used == motions.STILL else 3)
        assert pane.nearest.item(0).text().startswith(f"1. 100%  S{row + 1}")
        with qtbot.waitSignal(pane.opened) as opened:
            pane.nearest.itemActivated.emit(pane.nearest.item(0))
        assert opened.args == [row + 1, near.ply]
    pane.entries.setCurrentRow(3)
    assert pane.reason.isVisible()
    assert pane.reason.text().startswith("It cannot be read. entries.pgn, line 19: the FEN is broken")


def test_fewer_studies_may_follow(
    qtbot: QtBot, pane: anticipation_pane.AnticipationPane, tmp_path: Path
) -> None:
    for count in (3, 1):
        pane.compare_files([written(tmp_path / f"{count}.pgn", STUDIES[:count])])
        qtbot.waitUntil(lambda: not pane.busy)
        assert pane.entries.count() == count
        near = pane._near()
        assert near is not None
        assert near.game == 1


def test_what_differs_is_marked_and_equal_distances_are_ties(
    qtbot: QtBot, pane: anticipation_pane.AnticipationPane, tmp_path: Path
) -> None:
    pane.set_base(importing.open_base([written(tmp_path / "twice.pgn", [STUDIES[0]] * 2)]).base)
    # The queen is missing on h2.
    pane.compare_text("8/2q5/8/8/3N4/1K6/8/k7 w - - 0 1")
    qtbot.waitUntil(lambda: pane.answer is not None)
    assert not pane.entries.isVisible()
    assert pane.boards.differing == 1 << 15
    assert pane.words.text() == "4 of 4 men on the same squares, 1 more in the game · as it stands"
    texts = [pane.nearest.item(row).text() for row in range(2)]
    assert [text.split(" ")[0] for text in texts] == ["1=", "1="]
    assert "100" not in texts[0]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("8/8/8 w", "no position"),
        ("mate", "This is a query"),
        ("1. e4 e5 2. Nf3 *", ""),
    ],
)
def test_a_text_is_a_position_or_studies(
    qtbot: QtBot, pane: anticipation_pane.AnticipationPane, text: str, fault: str
) -> None:
    pane.compare_text(text)
    qtbot.waitUntil(lambda: not pane.busy)
    if fault:
        assert fault in pane.page.words()
        assert pane.page.begin.isVisible()
    else:
        assert pane.reason.text().startswith("It begins from the usual array.")


def test_a_file_that_cannot_be_used_is_named(
    qtbot: QtBot, pane: anticipation_pane.AnticipationPane, tmp_path: Path
) -> None:
    (tmp_path / "empty.pgn").write_text("\n")
    for name in ("none.pgn", "empty.pgn"):
        pane.compare_files([tmp_path / name])
        qtbot.waitUntil(lambda: not pane.busy)
        assert name in pane.page.words()


def test_the_work_can_be_stopped(qtbot: QtBot, base: base_model.Base) -> None:
    door, gate = jobs.Jobs(threads=1), threading.Event()
    pane = anticipation_pane.AnticipationPane(door)
    qtbot.addWidget(pane)
    pane.set_base(base)
    # The only thread is taken, so that the work is stopped before it is done.
    door.run(lambda _token, _sink: gate.wait(10))
    pane.compare_text(STUDIES[0])
    assert pane.busy
    pane.page.cancel.click()
    gate.set()
    qtbot.waitUntil(lambda: pane.page.words().startswith("Stopped."))
    assert pane.answer is None
    assert door.close()
