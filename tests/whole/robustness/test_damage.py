"""Files of the index that are cut or altered anywhere: noticed, said, and made again by the next import."""

from __future__ import annotations

import contextlib
import gzip
import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from cqlgui.base import errors
from cqlgui.cli import opening
from cqlgui.db import database
from cqlgui.tasks.databases import games, importing, workspace
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests.helpers import faults

GAMES = 90
FORMS = ["quick", pytest.param("full", marks=[pytest.mark.full, pytest.mark.timeout(3000)])]
FILES = {"segment": "index/*/*.seg", "manifest": "index/*/manifest.json", "catalog": "catalog.sqlite"}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.pgn"
    path.write_text(faults.text(GAMES, odd=30))
    return path


@pytest.fixture
def sound(source: Path, tmp_path: Path) -> Path:
    """User folders with the index of the source."""
    home = tmp_path / "sound"
    with faults.at_home(home), faults.small_batches():
        faults.imported(source)
    return home


def places(size: int, form: str, dense: int) -> Iterator[int]:
    """Bytes of a file to be tried: the beginning densely, then spread."""
    spread = 10 if form == "quick" else min(size // 4, 1500)
    start = range(0, min(dense, size), 13 if form == "quick" else 1)
    yield from sorted({*start, *(size * n // spread for n in range(spread)), size - 1})


@pytest.mark.allow_log("damaged")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", FILES)
def test_a_flipped_bit_is_mended(what: str, form: str, source: Path, sound: Path, tmp_path: Path) -> None:
    expected = faults.clean(source, tmp_path / "clean")
    rng = random.Random(what)
    (first, *_) = sorted((sound / "cache").glob(FILES[what]))
    data = first.read_bytes()
    for number, place in enumerate(places(len(data), form, 110)):
        home = faults.copied(sound, tmp_path / f"home-{number}")
        altered = bytearray(data)
        altered[place] ^= 1 << rng.randrange(8)
        (home / first.relative_to(sound)).write_bytes(altered)
        with faults.at_home(home), faults.small_batches():
            assert faults.imported(source) == expected, f"byte {place}"
            workspace.close()
            report = importing.open_base([source])
            assert (report.reused, report.messages) == (GAMES, ()), f"byte {place}"


@pytest.mark.allow_log("damaged")
@pytest.mark.parametrize("what", FILES)
def test_damage_is_found_where_the_search_for_it_was_begun_before(
    what: str, source: Path, sound: Path, tmp_path: Path
) -> None:
    expected = faults.clean(source, tmp_path / "clean")
    (first, *_) = sorted((sound / "cache").glob(FILES[what]))
    data = first.read_bytes()
    for number, place in enumerate((0, 30, 100, len(data) // 2, len(data) * 3 // 4, len(data) - 1)):
        home = faults.copied(sound, tmp_path / f"home-{number}")
        altered = bytearray(data)
        altered[place] ^= 4
        (home / first.relative_to(sound)).write_bytes(altered)
        with faults.at_home(home), faults.small_batches():
            opening.begin([source], searched=True)
            assert faults.imported(source) == expected, f"byte {place}"
            workspace.close()
            opening.begin([source], searched=True)
            report = importing.open_base([source])
            assert (report.reused, report.messages) == (GAMES, ()), f"byte {place}"


def test_changes_that_another_connection_takes_over_meanwhile_are_no_fault(
    source: Path, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = faults.clean(source, tmp_path / "clean")
    log = sound / "cache" / "catalog.sqlite-wal"
    looks = []
    look = Path.stat

    def stat(self: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        found = look(self, follow_symlinks=follow_symlinks)
        if self == log:
            # Whoever closes the file last removes what waited beside it, between any two looks at it.
            looks.append(self)
            log.unlink()
        return found

    with faults.at_home(sound), faults.small_batches():
        log.touch()
        monkeypatch.setattr(Path, "stat", stat)
        assert faults.imported(source) == expected
    assert looks


@pytest.mark.allow_log("damaged")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", FILES)
def test_a_file_that_is_cut_is_mended(
    what: str, form: str, source: Path, sound: Path, tmp_path: Path
) -> None:
    expected = faults.clean(source, tmp_path / "clean")
    (first, *_) = sorted((sound / "cache").glob(FILES[what]))
    data = first.read_bytes()
    count = 8 if form == "quick" else 150
    for number in range(count):
        home = faults.copied(sound, tmp_path / f"home-{number}")
        (home / first.relative_to(sound)).write_bytes(data[: len(data) * number // count])
        with faults.at_home(home), faults.small_batches():
            assert faults.imported(source) == expected, f"{len(data) * number // count} bytes"


def test_rows_that_are_missing_are_read_again(source: Path, sound: Path, tmp_path: Path) -> None:
    expected = faults.clean(source, tmp_path / "clean")
    with faults.at_home(sound):
        catalog = workspace.catalog()
        row = catalog.source(source)
        for keep in (0, 1, 30, GAMES - 1):
            catalog.begin(row.id, keep)
            report = importing.open_base([source])
            assert (report.games, report.reused) == (GAMES, GAMES)
            assert faults.everything(report.base) == expected


def test_an_index_that_lost_all_but_its_rows_is_read_again(source: Path, sound: Path, tmp_path: Path) -> None:
    expected = faults.clean(source, tmp_path / "clean")
    with faults.at_home(sound):
        for file in workspace.index_folder(source).iterdir():
            file.unlink()
        report = importing.open_base([source])
        assert (report.games, report.reused) == (GAMES, 0)
        assert faults.everything(report.base) == expected


def test_a_packed_source_that_is_cut_off_is_open_as_far_as_it_goes(tmp_path: Path) -> None:
    source = tmp_path / "a.pgn.gz"
    data = gzip.compress(faults.text(2000).encode())
    source.write_bytes(data[: len(data) * 2 // 3])
    with faults.at_home(tmp_path / "home"), faults.small_batches():
        first = importing.open_base([source])
        assert 1000 < first.games < 2000
        assert "a.pgn.gz is damaged: it is cut off" in " ".join(first.messages)
        flaws = [(flaw.game, flaw.reason) for flaw in first.bad_games]
        assert (first.games, "the file is damaged: it is cut off") in flaws
        assert games.rows(first.base, [first.games])[0].bad
        expected = faults.everything(first.base)
        # The same is said of the index, and of what is made again.
        segments = sorted((tmp_path / "home").rglob("*.seg"))
        for mishap in (lambda: None, lambda: segments[-1].write_bytes(b"x"), lambda: forget(first.base)):
            mishap()
            again = importing.open_base([source])
            assert "it is cut off" in " ".join(again.messages)
            assert again.bad_games == first.bad_games
            assert faults.everything(again.base) == expected
        source.write_bytes(data)
        whole = importing.open_base([source])
        assert (whole.games, whole.bad_games, whole.messages) == (2000, (), ())
        assert whole.reused > 1000


def forget(base: base_model.Base) -> None:
    """Lose the rows of a base in the catalog."""
    workspace.catalog().begin(base.sources[0].id, 0)


MANY = 250


def look(base: base_model.Base) -> tuple[object, ...]:
    """What a user sees of a base that comes from the catalog."""
    pairs = [(source.id, source.first) for source in base.sources]
    catalog = workspace.catalog()
    return (
        base.name,
        faults.everything(base),
        [list(catalog.ids(pairs, sort=column)) for column in ("white", "event", "date")],
        [list(catalog.ids(pairs, text=word)) for word in ("player", "event:7", "white:player")],
        catalog.summary([source.id for source in base.sources]),
        searching.search(base, 'player "Player 1"', search_model.SearchOptions(workers=1)).order,
    )


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """User folders with the index of a source with many names, that source, and another one with others."""
    folder = tmp_path_factory.mktemp("large")
    source, other = folder / "a.pgn", folder / "b.pgn"
    source.write_text(faults.text(MANY).replace('"Other"', '"Somebody"'))
    other.write_text(faults.text(30).replace("Player", "Another").replace("Event", "Next"))
    with faults.at_home(folder / "home"), faults.small_batches():
        importing.open_base([source], name="All of them")
    return folder / "home", source, other


@pytest.mark.allow_log("damaged")
@pytest.mark.parametrize(
    "trials",
    [pytest.param(40, id="quick"), pytest.param(3000, id="full", marks=FORMS[1].marks)],  # type: ignore[union-attr]
)
def test_no_bit_of_a_large_catalog_changes_what_is_seen(
    trials: int, large: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound, source, other = large
    monkeypatch.setattr(database, "CHECKED_WHOLE", 0)
    with faults.at_home(faults.copied(sound, tmp_path / "clean")):
        expected = look(importing.open_base([source]).base)
        later = look(importing.open_base([source, other], name="Both").base)
    data = (sound / "cache" / "catalog.sqlite").read_bytes()
    # Most bytes of this file are unused room in its pages.
    used = [place for place, byte in enumerate(data) if byte]
    rng = random.Random(trials)
    told = 0
    for trial in range(trials):
        place = rng.choice(used) if trial % 2 else rng.randrange(len(data))
        bit = rng.randrange(8)
        home = faults.copied(sound, tmp_path / f"home-{trial}")
        altered = bytearray(data)
        altered[place] ^= 1 << bit
        (home / "cache" / "catalog.sqlite").write_bytes(altered)
        with faults.at_home(home), faults.small_batches():
            for paths, name, whole in (([source], "", expected), ([source, other], "Both", later)):
                try:
                    report = importing.open_base(paths, name=name)
                    seen, said = look(report.base), " ".join(report.messages)
                except errors.CqlguiError as error:
                    said = str(error)
                    workspace.close()
                    seen = look(importing.open_base(paths, name=name).base)
                told += bool(said)
                assert "damaged" in said or not said
                # A base's name goes with a catalog that is built anew.
                assert seen[bool(said) :] == whole[bool(said) :], f"byte {place}, bit {bit}"
        shutil.rmtree(home)
    # The rest are bytes that nobody uses.
    assert told > trials // 8


COLUMNS = ("player set name", "event set name", "text set name", "base set key")


@pytest.mark.allow_log("damaged")
@pytest.mark.parametrize(
    "change",
    [*(f"{column} = cast({column.split()[-1]} as blob)" for column in COLUMNS),
     *(f"{table} set id = {1 << 62}" for table in ("base", "player"))],
)  # fmt: skip
def test_a_text_that_became_bytes_or_a_number_beyond_all_in_a_large_catalog_is_damage(
    change: str, large: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound, source, _ = large
    monkeypatch.setattr(database, "CHECKED_WHOLE", 0)
    home = faults.copied(sound, tmp_path / "home")
    with contextlib.closing(sqlite3.connect(home / "cache" / "catalog.sqlite")) as connection:
        altered = connection.execute(f"update {change} where id = 1")
        assert altered.rowcount == 1
        connection.commit()
    with faults.at_home(home), faults.small_batches():
        try:
            said = " ".join(importing.open_base([source]).messages)
        except errors.CqlguiError as error:
            said = str(error)
    assert "damaged" in said
