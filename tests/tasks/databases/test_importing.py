"""Sources are indexed once, grow, change, survive kills and damage; bad games never stop the rest."""

from __future__ import annotations

import contextlib
import errno
import gzip
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from cqlgui.base import digests, errors, progress
from cqlgui.base.files import soundness
from cqlgui.db import database
from cqlgui.store import index, segments
from cqlgui.tasks.databases import bases, games, importing, reading, workspace
from cqlgui.tasks.processes import pool
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching

GAME = """[Event "Test {n}"]
[White "Player {n}"]
[Black "Other"]
[WhiteElo "{elo}"]
[Result "1-0"]
[Annotator "Me"]

1. e4 e5 ({{why}} 1... c5 2. Nf3) 2. Nf3 $1 {{good}} Nc6 1-0

"""
POSITIONS = 7


def write(path: Path, count: int, first: int = 1) -> Path:
    path.write_text("".join(GAME.format(n=n, elo=2000 + n) for n in range(first, first + count)))
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write(tmp_path / "a.pgn", 30)


def test_a_file_is_read_with_headers_and_counts(source: Path) -> None:
    report = importing.open_base([source])
    assert (report.games, report.positions, report.reused, report.bad_games) == (30, 30 * POSITIONS, 0, ())
    assert report.base.complete
    row = games.rows(report.base, [30, 2])[0]
    assert (row.game, row.white, row.white_elo, row.result, row.plies, row.bad) == (
        30,
        "Player 30",
        2030,
        "1-0",
        4,
        False,
    )


def test_reading_is_begun_beforehand_for_files_without_an_index_alone(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[None] = []
    monkeypatch.setattr(reading, "begin", lambda: begun.append(None))
    importing.begin([tmp_path / "nothing.pgn"])
    assert not begun
    importing.begin([source])
    assert begun == [None]
    importing.open_base([source])
    begun.clear()
    importing.begin([source], searched=True)
    assert importing.open_base([source]).reused
    assert not begun


def test_an_unchanged_file_is_not_read_again(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    importing.open_base([source])
    monkeypatch.setattr(pool.Pool, "lease", None)
    report = importing.open_base([source])
    assert (report.games, report.reused) == (30, 30)


def test_an_index_from_before_games_were_read_otherwise_is_made_anew(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`e.p.` ended a game then, so variations have other numbers now."""
    with monkeypatch.context() as patch:
        patch.setattr(index, "VERSION", 3)
        importing.open_base([source])
    report = importing.open_base([source])
    assert (report.games, report.positions, report.reused) == (30, 30 * POSITIONS, 0)
    assert importing.open_base([source]).reused == 30


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_was_only_touched_is_compared_once(
    packed: bool, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if packed:
        plain, source = source, tmp_path / "a.pgn.gz"
        source.write_bytes(gzip.compress(plain.read_bytes()))
    importing.open_base([source])
    compared: list[object] = []
    digest = digests.of
    monkeypatch.setattr(digests, "of", lambda read, *a, **b: compared.append(read) or digest(read, *a, **b))
    for moment in (10**18, 2 * 10**18):
        os.utime(source, ns=(moment, moment))
        reports = [importing.open_base([source]) for _ in range(3)]
        assert {(report.reused, report.base.complete) for report in reports} == {(30, True)}
        assert len(compared) == 1
        compared.clear()


def test_a_grown_file_is_read_from_its_end(source: Path) -> None:
    importing.open_base([source])
    with source.open("a") as file:
        file.write("".join(GAME.format(n=n, elo=2500) for n in range(31, 41)))
    report = importing.open_base([source])
    assert report.games == 40
    assert 29 <= report.reused <= 30
    assert [row.white for row in games.rows(report.base, [1, 30, 31, 40])] == [
        "Player 1",
        "Player 30",
        "Player 31",
        "Player 40",
    ]


def test_a_changed_file_is_read_anew(source: Path) -> None:
    importing.open_base([source])
    write(source, 5, first=100)
    report = importing.open_base([source])
    assert (report.games, report.reused) == (5, 0)
    assert games.rows(report.base, [1])[0].white == "Player 100"
    assert list(games.ids(report.base, text="player")) == [1, 2, 3, 4, 5]


def test_ordinals_run_on_over_several_sources(tmp_path: Path, source: Path) -> None:
    packed = tmp_path / "b.pgn.gz"
    packed.write_bytes(gzip.compress(GAME.format(n=77, elo=1).encode()))
    base = importing.open_base([source, packed, source]).base
    assert [(found.first, found.games) for found in base.sources] == [(1, 30), (31, 1)]
    assert games.load(base, 31).row.white == "Player 77"
    with pytest.raises(errors.CqlguiError, match="no game 32"):
        games.load(base, 32)


def test_the_first_games_are_browsable_while_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "LATER_BATCH", 300)
    seen: list[base_model.Base] = []

    def look(base: base_model.Base) -> None:
        seen.append(base)
        if base.games:
            assert games.rows(base, [base.games])[0].white == f"Player {base.games}"

    report = importing.open_base([write(tmp_path / "a.pgn", 900)], on_base=look)
    counts = [base.games for base in seen]
    assert counts[:2] == [0, importing.FIRST_BATCH]
    assert counts == sorted(counts)
    assert [base.complete for base in seen][-1]
    assert report.games == 900


def test_cancelling_keeps_what_was_committed_and_goes_on_later(tmp_path: Path) -> None:
    source = write(tmp_path / "a.pgn", 3000)
    cancel = progress.CancelToken()

    def stop(base: base_model.Base) -> None:
        if base.games:
            cancel.cancel()

    report = importing.open_base([source], cancel=cancel, on_base=stop)
    assert report.cancelled
    assert not report.base.complete
    assert 200 <= report.games < 3000
    again = importing.open_base([source])
    assert (again.games, again.reused) == (3000, report.games)
    assert games.rows(again.base, [3000])[0].white == "Player 3000"


def test_reading_one_game_as_long_as_its_file_can_be_stopped(tmp_path: Path) -> None:
    source = write(tmp_path / "a.pgn", 3)
    with source.open("a") as file:
        file.write('[Event "long"]\n\n1. e4 ' + "()" * 40_000_000)
    cancel = progress.CancelToken()
    with ThreadPoolExecutor(1) as runner:
        run = runner.submit(importing.open_base, [source], cancel=cancel)
        time.sleep(1)
        begun = time.perf_counter()
        cancel.cancel()
        report = run.result()
    assert report.cancelled
    # It went on to the end of the file, for a minute and more.
    assert time.perf_counter() - begun < 20


def test_a_killed_import_goes_on_where_it_was(tmp_path: Path) -> None:
    source = write(tmp_path / "a.pgn", 4000)
    child = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys\nfrom cqlgui.tasks.databases import importing\n"
            "importing.open_base([sys.argv[1]], on_base=lambda b: print(b.games, flush=True))",
            str(source),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    while int(child.stdout.readline()) < importing.FIRST_BATCH:
        pass
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    report = importing.open_base([source])
    assert report.games == 4000
    assert report.reused >= importing.FIRST_BATCH
    assert games.rows(report.base, [201])[0].white == "Player 201"
    assert report.positions == 4000 * POSITIONS
    assert len(games.ids(report.base, sort="white")) == 4000


def test_a_damaged_segment_is_made_again(source: Path) -> None:
    importing.open_base([source])
    (segment,) = workspace.index_folder(source).glob("*.seg")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 0xFF
    segment.write_bytes(data)
    report = importing.open_base([source])
    assert report.games == 30
    assert any("made again" in message for message in report.messages)
    with index.SourceIndex.open(workspace.index_folder(source)) as opened:
        opened.verify()


def test_segments_that_were_checked_are_read_again_only_after_a_write(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soundness, "YOUNG", -1)
    importing.open_base([source])
    verified: list[Path] = []
    verify = segments.Segment.verify

    def noting(segment: segments.Segment) -> None:
        verified.append(segment.path)
        verify(segment)

    monkeypatch.setattr(segments.Segment, "verify", noting)
    importing.open_base([source])
    assert len(verified) == 1
    importing.open_base([source])
    assert len(verified) == 1
    data = bytearray(verified[0].read_bytes())
    data[len(data) // 2] ^= 0xFF
    verified[0].write_bytes(data)
    assert any("made again" in message for message in importing.open_base([source]).messages)
    assert importing.open_base([source]).messages == ()
    assert len(verified) == 3


def noted_sound(path: Path) -> None:
    """Note that a segment is sound, whatever it has."""
    checked = soundness.Checked.of([path])
    assert checked is not None
    ledger = soundness.Ledger(path.with_name(segments.NOTE))
    ledger.add(path, checked)
    ledger.write()


def test_damage_that_is_met_while_reading_makes_the_next_start_read_all(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk may damage a file without a write. The note then still fits the file."""
    monkeypatch.setattr(soundness, "YOUNG", -1)
    importing.open_base([source])
    folder = workspace.index_folder(source)
    (path,) = folder.glob("*.seg")
    data = bytearray(path.read_bytes())
    row = segments._HEADER.size + 29 * segments.ROW.itemsize
    data[row + 24 : row + 32] = b"\xff" * 8
    path.write_bytes(data)
    noted_sound(path)
    report = importing.open_base([source])
    assert report.messages == ()
    with pytest.raises(errors.IndexDamaged), index.SourceIndex.open(folder) as opened:
        opened.moves(29)
    again = importing.open_base([source])
    assert any("made again" in message for message in again.messages)
    with index.SourceIndex.open(folder) as opened:
        assert len(opened.moves(29))


@pytest.mark.parametrize(("word", "compiled"), [(0xFFFF, False), (0x0041, False), (0x0041, True)])
def test_moves_that_a_search_cannot_play_make_the_next_start_read_all(
    source: Path, monkeypatch: pytest.MonkeyPatch, word: int, compiled: bool
) -> None:
    """The first word is a return above the root, the second one is no legal move."""
    monkeypatch.setattr(soundness, "YOUNG", -1)
    importing.open_base([source])
    folder = workspace.index_folder(source)
    (path,) = folder.glob("*.seg")
    with contextlib.closing(segments.Segment(path)) as segment:
        moves = bytes(segment.moves(4))
    data = path.read_bytes()
    path.write_bytes(data.replace(moves, word.to_bytes(2, "little") + moves[2:]))
    noted_sound(path)
    opened = importing.open_base([source])
    assert opened.messages == ()
    options = search_model.SearchOptions(pruned=False, compiled=compiled)
    failed = searching.search(opened.base, "find mate", options).failed_games
    assert failed
    assert all("is damaged" in one.reason for one in failed)
    assert any("made again" in message for message in importing.open_base([source]).messages)


def test_a_large_index_is_checked_segment_by_segment_when_it_is_first_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soundness, "YOUNG", -1)
    monkeypatch.setattr(importing, "_CHECKED_WHOLE", 0)
    monkeypatch.setattr(importing, "FIRST_BATCH", 10)
    monkeypatch.setattr(importing, "LATER_BATCH", 10)
    source = write(tmp_path / "a.pgn", 30)
    base = importing.open_base([source]).base
    verified: list[str] = []
    verify = segments.Segment.verify

    def noting(segment: segments.Segment) -> None:
        verified.append(segment.path.name)
        verify(segment)

    monkeypatch.setattr(segments.Segment, "verify", noting)
    assert importing.open_base([source]).reused == 30
    assert verified == []

    def order(query: str) -> tuple[int, ...]:
        found = searching.search(base, query).order
        for thread in threading.enumerate():
            if thread.name.startswith("sieve"):
                # The last thread closes the index.
                thread.join()
        return found

    assert order('player "Player 15" initial') == (15,)
    (second,) = verified
    with index.SourceIndex.open(workspace.index_folder(source)) as opened:
        assert second == opened.part_of(14)[1].path.name
    assert len(order("initial")) == 30
    assert len(verified) == len(set(verified)) == 3
    path = workspace.index_folder(source) / second
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    # A worker that has used the segment before does not look at it again.
    pool.close()
    assert importing.open_base([source]).messages == ()
    found = searching.search(base, "initial")
    assert found.failed_games
    assert all("is damaged" in one.reason for one in found.failed_games)
    assert any("made again" in message for message in importing.open_base([source]).messages)
    assert len(order("initial")) == 30


def test_segments_do_not_depend_on_the_speed_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "FIRST_BATCH", 3)
    monkeypatch.setattr(importing, "LATER_BATCH", 40)
    hours = itertools.count(step=3600)
    # Only the clock of the import: the pool of workers takes a slow worker for a lost one.
    monkeypatch.setattr(
        importing, "time", SimpleNamespace(perf_counter=time.perf_counter, monotonic=lambda: next(hours))
    )
    source = write(tmp_path / "a.pgn", 100)
    importing.open_base([source])
    manifest = index.Manifest.read(workspace.index_folder(source))
    assert manifest is not None
    assert [row.games for row in manifest.segments] == [3, 24, 40, 33]


@pytest.mark.parametrize("name", ["manifest.json", "*.seg"])
def test_a_cut_index_file_is_made_again(source: Path, name: str) -> None:
    importing.open_base([source])
    (file,) = workspace.index_folder(source).glob(name)
    file.write_bytes(file.read_bytes()[:40])
    report = importing.open_base([source])
    assert report.messages
    assert report.games == 30
    assert games.load(report.base, 30).row.white == "Player 30"


@pytest.mark.allow_log("damaged")
def test_a_damaged_catalog_is_filled_again_from_the_sources(source: Path) -> None:
    importing.open_base([source])
    path = workspace.catalog().path
    workspace.close()
    path.write_bytes(b"broken")
    report = importing.open_base([source])
    assert any("damaged" in message for message in report.messages)
    assert games.rows(report.base, [30])[0].white == "Player 30"
    assert importing.open_base([source]).messages == ()


def test_where_nothing_may_be_written_indexed_files_are_opened_all_the_same(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write(tmp_path / "other.pgn", 3)
    known = importing.open_base([source]).base
    importing.open_base([source, other])
    path = workspace.catalog().path
    workspace.close()
    before = path.read_bytes()
    # A superuser may write wherever files can be made, so the system's answer is given here.
    monkeypatch.setattr(database, "_may_write", lambda path: False)
    importing.begin([source], searched=True)
    workspace.begin()
    report = importing.open_base([source])
    assert (report.base, report.reused, report.messages) == (known, 30, ())
    assert games.rows(report.base, [30])[0].white == "Player 30"
    # The catalog has no name for a base of this file alone.
    alone = importing.open_base([other]).base
    assert alone.games == 3
    assert alone.id == importing.open_base([other]).base.id != importing.open_base([other, source]).base.id
    with pytest.raises(errors.CqlguiError, match=r"may not write to .*where it keeps its catalog"):
        importing.open_base([write(tmp_path / "b.pgn", 3)])
    workspace.close()
    assert path.read_bytes() == before
    assert not path.with_name(path.name + "-wal").exists()


def test_bad_games_keep_their_place_and_say_why(tmp_path: Path) -> None:
    source = tmp_path / "a.pgn"
    source.write_text('[White "A"]\n\n1. e4 e5 2. Qh8 Nc6 *\n\n[White "B"]\n\n1. d4 d5 1-0\n')
    report = importing.open_base([source])
    assert report.games == 2
    (bad,) = {(found.game, found.source) for found in report.bad_games}
    assert bad == (1, source)
    assert report.bad_games[0].line >= 1
    assert report.bad_games[0].reason
    loaded = games.load(report.base, 1)
    assert len(loaded.tree) == 3
    assert loaded.problems
    assert loaded.row.bad


@pytest.mark.parametrize("content", [b"", b"\n\n\n", b"\x00" * 100])
def test_a_file_without_games_says_so(tmp_path: Path, content: bytes) -> None:
    source = tmp_path / "a.pgn"
    source.write_bytes(content)
    report = importing.open_base([source])
    assert report.games == 0
    assert "holds no games" in report.messages[0]


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(errors.SourceError, match="does not exist"):
        importing.open_base([tmp_path / "missing.pgn"])
    with pytest.raises(errors.SourceError, match="folder"):
        importing.open_base([tmp_path])
    with pytest.raises(errors.SourceError, match=r"x\.pgn cannot be opened: File name too long"):
        importing.open_base([tmp_path / ("x" * 300 + ".pgn")])


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_a_file_in_a_closed_folder_is_named(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.stat

    # Nothing is closed to the administrator, who may run the tests.
    def closed(path: object, *rest: object, **options: bool) -> os.stat_result:
        if os.fspath(path) == str(source):  # type: ignore[call-overload]
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", closed)
    with pytest.raises(errors.SourceError, match=r"no permission to read .*a\.pgn"):
        importing.open_base([source])


def test_a_damaged_source_is_left_out_of_several(tmp_path: Path) -> None:
    first, last = write(tmp_path / "a.pgn", 30), write(tmp_path / "c.pgn", 20, first=100)
    cut = tmp_path / "b.pgn.gz"
    # Nothing of its text is left.
    cut.write_bytes(gzip.compress(first.read_bytes())[:12])
    with pytest.raises(errors.SourceError, match="cut off"):
        importing.open_base([cut])
    report = importing.open_base([first, cut, last])
    assert (report.games, report.unreadable, report.cancelled) == (50, (cut,), False)
    assert [source.games for source in report.base.sources] == [30, 0, 20]
    assert report.base.complete
    [message] = report.messages
    assert message == "b.pgn.gz is damaged: it is cut off. The other files are open without it."
    assert [row.white for row in games.rows(report.base, [30, 31])] == ["Player 30", "Player 100"]
    # Mended, it is one of them again.
    cut.write_bytes(gzip.compress(first.read_bytes()))
    report = importing.open_base([first, cut, last])
    assert (report.games, report.unreadable, report.messages) == (80, (), ())
    other = tmp_path / "c.zip"
    for damaged in (cut, other):
        damaged.write_bytes(b"")
    with pytest.raises(errors.SourceError, match=r"None of these 2 files can be read\. c\.zip is empty"):
        importing.open_base([cut, other])


def test_a_second_import_of_the_same_file_waits(tmp_path: Path) -> None:
    source = write(tmp_path / "a.pgn", 1500)
    reports: list[base_model.ImportReport] = []
    threads = [
        threading.Thread(target=lambda: reports.append(importing.open_base([source]))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [report.games for report in reports] == [1500, 1500]
    assert sorted(report.reused for report in reports) == [0, 1500]


def test_a_game_is_loaded_with_texts_and_glyphs(source: Path) -> None:
    base = importing.open_base([source]).base
    loaded = games.load(base, 3)
    assert loaded.raw.decode() == GAME.format(n=3, elo=2003).strip()
    assert dict(loaded.tags)["Annotator"] == "Me"
    good = next(at for at, text in loaded.comments.items() if text == "good")
    assert loaded.nags[good] == (1,)
    assert list(loaded.before.values()) == ["why"]
    assert len(loaded.tree) == POSITIONS


def test_a_game_is_loaded_while_the_catalog_does_not_have_it(source: Path) -> None:
    """Another program may be making its rows anew."""
    base = importing.open_base([source]).base
    known = games.load(base, 3).row
    workspace.catalog().begin(base.sources[0].id, 0)
    assert games.rows(base, [3]) == []
    row = games.load(base, 3).row
    assert (row.game, row.white, row.plies, row.bad) == (3, known.white, known.plies, known.bad)


def test_a_long_game_is_loaded_by_a_worker(tmp_path: Path) -> None:
    source = tmp_path / "long.pgn"
    moves = " ".join(f"{2 * n + 1}. Nf3 $1 Nf6 {{at {n}}} {2 * n + 2}. Ng1 Ng8" for n in range(1200))
    source.write_text(f'[Event "long"]\n\n{moves} *\n')
    base = importing.open_base([source]).base
    with contextlib.closing(pool.Pool(size=1)) as own:
        loaded = games.load(base, 1, pool=own)
        assert own.take().ready, "no worker was asked"
    assert loaded.tags == (("Event", "long"),)
    assert (loaded.comments[4 * 700 + 2], loaded.nags[4 * 700 + 1]) == ("at 700", (1,))
    assert (loaded.playable, len(loaded.tree)) == (True, 4801)


def test_a_list_of_sources_opens_as_a_named_base(tmp_path: Path, source: Path) -> None:
    listed = tmp_path / "mine.cqlbase"
    bases.save(listed, [source], "Mine")
    assert json.loads(listed.read_text()) == {"name": "Mine", "sources": ["a.pgn"]}
    base = importing.open_base([listed]).base
    assert (base.name, base.games) == ("Mine", 30)
    found = bases.info(base)
    assert (found.players, found.events, found.results, found.bad_games) == (31, 30, {"1-0": 30}, 0)
    listed.write_text("{}")
    with pytest.raises(errors.SourceError, match="list of sources"):
        importing.open_base([listed])


def test_a_source_named_twice_counts_once(tmp_path: Path, source: Path) -> None:
    (tmp_path / "sub").mkdir()
    link = tmp_path / "link.pgn"
    link.symlink_to(source)
    other = tmp_path / "sub" / ".." / source.name
    report = importing.open_base([source, other, link, source])
    assert [one.path for one in report.base.sources] == [source]
    assert report.messages == (
        f"{other} is left out, because it is the same file as {source}.",
        f"{link} is left out, because it is the same file as {source}.",
        f"{source} is left out, because it is listed twice.",
    )


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux alone")
def test_a_name_that_is_no_text_is_refused(source: Path) -> None:
    strange = source.with_name(os.fsdecode(b"caf\xe9.pgn"))
    source.rename(strange)
    with pytest.raises(errors.SourceError, match="rename the file"):
        importing.open_base([strange])


def test_a_home_that_cannot_be_made_is_a_fault_with_a_sentence(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CQLGUI_HOME", str(source / "home"))
    with pytest.raises(errors.CqlguiError, match="cannot be made"):
        importing.open_base([source])


def test_recent_files_come_back_in_order(tmp_path: Path) -> None:
    bases.remember([tmp_path / "a.pgn"])
    time.sleep(0.002)
    bases.remember([tmp_path / "b.pgn"])
    assert bases.recent_files() == [(tmp_path / "b.pgn",), (tmp_path / "a.pgn",)]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_behind_other_games_is_told(tmp_path: Path, encoding: str) -> None:
    game = '[White "A"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
    path = tmp_path / "mixed.pgn"
    path.write_bytes(game.encode() * 3 + ("\ufeff" + game * 2).encode(encoding) + game.encode())
    report = importing.open_base([path])
    assert any("holds games in UTF-16 behind others" in message for message in report.messages)
