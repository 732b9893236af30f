"""Packed sources are imported while they are unpacked: their games can be used at once, and later as those of
a plain file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import zstandard

from cqlgui.base import errors, progress
from cqlgui.db import headers
from cqlgui.pgn.packed import copies, stream, unpacking
from cqlgui.store import index
from cqlgui.tasks.databases import games, importing, reading, sources, workspace
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests.helpers import faults

GAMES = 900
TEXT = faults.text(GAMES, odd=9).encode()


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks, frames and batches are small, so that a small file has many."""
    monkeypatch.setattr(unpacking, "_BLOCK", 4_000)
    monkeypatch.setattr(unpacking, "_SIP", 50)
    monkeypatch.setattr(unpacking._Zstandard, "most", 50)
    monkeypatch.setattr(unpacking._Zstandard, "_BLOCKS", 1)
    monkeypatch.setattr(copies, "FRAME", 3_000)
    monkeypatch.setattr(stream, "_MOST_WAITING", 100_000)
    monkeypatch.setattr(reading, "_FIRST_WINDOW", 2_000)
    monkeypatch.setattr(reading, "_WINDOW", 4_000)
    monkeypatch.setattr(reading, "_LOOK", 3_000)
    monkeypatch.setattr(importing, "FIRST_BATCH", 10)
    monkeypatch.setattr(importing, "LATER_BATCH", 100)


def packed(text: bytes, frame: int = 20_000) -> bytes:
    machine = zstandard.ZstdCompressor(write_checksum=True)
    return b"".join(machine.compress(text[at : at + frame]) for at in range(0, len(text), frame))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "a.pgn.zst"
    found.write_bytes(packed(TEXT))
    return found


Everything = tuple[list[headers.Header], list[tuple[Any, ...]]]


def whichever_reader(found: Everything) -> Everything:
    """The same, without the flag that says which reader has read a game: it depends on where windows end."""
    return found[0], [(one[0], one[1] & ~index.CLEAN, one[2]) if len(one) == 3 else one for one in found[1]]


def plain(tmp_path: Path, text: bytes = TEXT) -> Everything:
    """What an import of the plain text gives."""
    path = tmp_path / "plain.pgn"
    path.write_bytes(text)
    return whichever_reader(faults.clean(path, tmp_path / "clean"))


def test_the_games_are_those_of_the_plain_file(path: Path, tmp_path: Path) -> None:
    assert whichever_reader(faults.imported(path)) == plain(tmp_path)


def test_games_are_shown_and_searched_while_the_rest_is_unpacked(path: Path) -> None:
    # The splitter looks far ahead for odd games, so there are none.
    text = faults.text(GAMES).encode()
    path.write_bytes(packed(text))
    seen: list[base_model.Base] = []

    def look(base: base_model.Base) -> None:
        if base.games and not base.complete:
            seen.append(base)
            assert games.load(base, base.games).raw in text
            assert games.rows(base, [base.games])[0].white == f"Player {base.games - 1}"
            if len(seen) == 1:
                options = search_model.SearchOptions(workers=1)
                assert searching.search(base, 'originalcomment "good"', options).order

    report = importing.open_base([path], on_base=look)
    assert len(seen) > 2
    assert report.games == GAMES
    # The digest of the text is known at its end only.
    assert seen[0].sources[0].digest != report.base.sources[0].digest
    # A base that was opened while it grew may still be used.
    for base in (seen[0], report.base):
        with sources.opened(base.sources[0]) as opened:
            assert opened.raw(0) in text
    assert report.base.sources[0].digest == importing.open_base([path]).base.sources[0].digest


def test_a_cancelled_import_goes_on_where_it_stopped(path: Path, tmp_path: Path) -> None:
    token = progress.CancelToken()

    def stop(base: base_model.Base) -> None:
        if base.games > 200:
            token.cancel()

    first = importing.open_base([path], cancel=token, on_base=stop)
    assert first.cancelled
    assert 200 < first.games < GAMES
    assert games.load(first.base, first.games).raw in TEXT
    again = importing.open_base([path])
    assert (again.games, again.reused) == (GAMES, first.games)
    assert whichever_reader(faults.everything(again.base)) == plain(tmp_path)


@pytest.mark.parametrize("more", [b"", faults.text(50).encode()])
def test_a_file_that_was_packed_anew_is_compared_with_what_was_read(
    more: bytes, path: Path, tmp_path: Path
) -> None:
    importing.open_base([path])
    path.write_bytes(packed(TEXT + more, 7_000))
    report = importing.open_base([path])
    assert report.reused == GAMES - bool(more)
    assert whichever_reader(faults.everything(report.base)) == plain(tmp_path, TEXT + more)
    # The copy of the older file is gone.
    assert len({part.name.split("-")[2] for part in workspace.index_folder(path).glob("text-*")}) == 1


def test_a_file_that_changes_while_it_is_unpacked_is_read_again(path: Path, tmp_path: Path) -> None:
    other = TEXT.replace(b"Player", b"Somebody")
    changed: list[bool] = []

    def change(base: base_model.Base) -> None:
        if base.games > 200 and not changed:
            changed.append(True)
            path.write_bytes(packed(other))

    report = importing.open_base([path], on_base=change)
    assert "has changed while it was read" in " ".join(report.messages)
    assert whichever_reader(faults.everything(report.base)) == plain(tmp_path, other)


def test_a_source_that_unpacks_to_far_too_much_is_given_up(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_UNSUSPICIOUS", 100_000)
    path.write_bytes(packed(TEXT[:20_000]) + packed(b"\n" * (8 << 20), 8 << 20))
    with pytest.raises(errors.SourceError, match="more than 400 times its size"):
        importing.open_base([path])
    assert not list(workspace.index_folder(path).glob("text-*"))
