"""Signatures that an import makes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cqlgui.base import progress
from cqlgui.base.files import soundness
from cqlgui.engine.pruning import signatures
from cqlgui.jit import native
from cqlgui.store import segments, side_files
from cqlgui.tasks.databases import importing, signing, workspace
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import planning, searching

GAME = '[Event "{}"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
GAMES = 8

needs_kernels = pytest.mark.skipif(not native.available(), reason="signatures are made by machine code")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file whose import makes segments of 1, 2, 2, 2 and 1 games."""
    monkeypatch.setattr(importing, "FIRST_BATCH", 1)
    monkeypatch.setattr(importing, "LATER_BATCH", 2)
    monkeypatch.setattr(importing, "_SIGNED", 2)
    planning._kept.clear()
    found = tmp_path / "a.pgn"
    found.write_text("".join(map(GAME.format, range(GAMES))))
    yield found
    planning._kept.clear()


def signed(path: Path) -> list[bool]:
    """For each segment of a source, whether there are signatures beside it."""
    listed = sorted(workspace.index_folder(path).glob("*.seg"))
    return [side_files.path_of(one).exists() for one in listed]


@needs_kernels
def test_an_import_signs_its_full_segments(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = importing.open_base([path]).base
    assert signed(path) == [False, True, True, True, False]
    made: list[int] = []
    make = signatures.make

    def counting(asked: object) -> signatures.Signatures:
        made.append(len(asked))  # type: ignore[arg-type]  # handed on as it came
        return make(asked)  # type: ignore[arg-type]

    monkeypatch.setattr(signatures, "make", counting)
    found = searching.search(base, "mate", search_model.SearchOptions())
    assert [len(found.games), made] == [GAMES, [1, 1]]
    assert signed(path) == [True] * 5


@needs_kernels
def test_files_that_are_old_enough_are_noted_as_sound(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soundness, "YOUNG", -1.0)
    importing.open_base([path])
    folder = workspace.index_folder(path)
    ledger = soundness.Ledger(folder / segments.NOTE)
    full = sorted(folder.glob("*.seg"))[1:4]
    for one in (*full, *map(side_files.path_of, full)):
        checked = soundness.Checked.of([one])
        assert checked is not None
        assert ledger.has(one, checked), one.name


@needs_kernels
def test_damage_is_not_noted_as_sound(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    importing.open_base([path])
    folder = workspace.index_folder(path)
    broken = sorted(folder.glob("*.seg"))[1]
    content = broken.read_bytes()
    broken.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    monkeypatch.setattr(soundness, "YOUNG", -1.0)
    signer = signing.Signer()
    signer.add(broken)
    signer.add(folder / "000099-0.seg")
    signer.finish(progress.CancelToken(), progress.ignore)
    signer.close()
    checked = soundness.Checked.of([broken])
    assert checked is not None
    assert not soundness.Ledger(folder / segments.NOTE).has(broken, checked)


def test_nothing_is_signed_without_machine_code(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "available", lambda: False)
    importing.open_base([path])
    assert signed(path) == [False] * 5


@needs_kernels
def test_a_cancelled_wait_ends_at_once(path: Path) -> None:
    importing.open_base([path])
    listed = sorted(workspace.index_folder(path).glob("*.seg"))
    cancel = progress.CancelToken()
    cancel.cancel()
    told: list[progress.Progress] = []
    signer = signing.Signer()
    for one in listed * 200:
        signer.add(one)
    signer.finish(cancel, told.append)
    assert len(told) <= 1
    signer.close()
