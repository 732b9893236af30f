"""Programs that open one new database file at the same time."""

from __future__ import annotations

import multiprocessing
import random
import time
from pathlib import Path

from cqlgui.db import database

PROGRAMS = 3
FILES = 60


def _open_new(path: Path, begin: float) -> str:
    """Open a file at a moment and write its version; the result is the error's text, or what was noticed."""
    while time.time() < begin:
        pass
    try:
        file = database.File(path, 1, "catalog")
        with file.writing() as connection:
            connection.execute("create table if not exists game(id)")
            if not file.current():
                file.set_version(connection)
        file.close()
    except Exception as error:  # each failure is shown by the test
        return repr(error)
    return file.take_notice()


def test_a_new_file_that_several_programs_open_is_neither_busy_nor_damaged(tmp_path: Path) -> None:
    wrong: list[str] = []
    with multiprocessing.get_context("spawn").Pool(PROGRAMS) as pool:
        for number in range(FILES):
            path = tmp_path / str(number) / "a.sqlite"
            ends = pool.starmap(_open_new, [(path, time.time() + 0.01)] * PROGRAMS, chunksize=1)
            wrong += [end for end in ends if end]
            left = database.File(path, 1, "catalog")
            assert left.current()
            left.close()
    assert wrong == []
    assert list(tmp_path.rglob("*.damaged-*")) == []


def test_a_damaged_file_that_several_programs_open_is_set_aside_once(tmp_path: Path) -> None:
    wrong: list[str] = []
    with multiprocessing.get_context("spawn").Pool(PROGRAMS) as pool:
        for number in range(FILES // 4):
            path = tmp_path / str(number) / "a.sqlite"
            path.parent.mkdir()
            # Every second file was found to be damaged while it was used.
            path.write_bytes(random.Random(number).randbytes(50_000))
            if number % 2:
                database._marker(path).touch()
            ends = pool.starmap(_open_new, [(path, time.time() + 0.01)] * PROGRAMS, chunksize=1)
            assert sum("is built anew" in end for end in ends) == 1, ends
            wrong += [end for end in ends if end and "is built anew" not in end]
            left = database.File(path, 1, "catalog")
            assert left.current()
            left.close()
            assert len(list(path.parent.glob("*.damaged-*"))) == 1
    assert wrong == []
