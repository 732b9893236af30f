"""Every column of every table of a large catalog, altered row by row: noticed or without effect, never a
wrong answer without a word."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cqlgui.base import errors
from cqlgui.db import database, own_texts
from cqlgui.tasks.databases import games, importing, workspace
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import searching
from tests.helpers import faults

GAMES = 90
SECONDS = 20
GAME = """[Event "Event {n}"]
[Site "Site {m}"]
[Date "19{m:02d}.01.0{k}"]
[Round "{k}.{n}"]
[White "{who} {n}"]
[Black "Other {m}"]
[Result "{result}"]
[WhiteElo "2{n:03d}"]
[BlackElo "1{n:03d}"]
[ECO "B{m:02d}"]
[Annotator "No. {n}"]

1. e4 e5 2. {move} Nc6 {end}

"""
CHANGES = {
    "a blob": "cast(@ as blob)",
    "a text": "'x' || cast(hex(@) as text)",
    "its text": "cast(@ as text)",
    "an integer": "7",
    "a huge number": f"{1 << 62}",
    "a negative number": "-5",
    "nothing": "null",
    "an empty text": "''",
    "an empty blob": "x''",
    "the next one": "beside(@)",
    "a fraction": "case typeof(@) when 'integer' then @ + 0.5 else 0.5 end",
}
ROWS = {"deleted", "doubled"}


class Case(NamedTuple):
    """One change: of a column, or of a whole row; `stale` leaves the indexes as they were."""

    table: str
    column: str
    change: str
    row: int
    stale: bool


def pgn(who: str, count: int) -> str:
    return "".join(
        GAME.format(
            n=n,
            m=n % 13,
            k=n % 5,
            who=who,
            result=("1-0", "0-1", "1/2-1/2")[n % 3],
            end=("1-0", "0-1", "1/2-1/2")[n % 3 if n % 7 else 1],
            move="Ke3" if n % 29 == 28 else "Nf3",
        )
        for n in range(count)
    )


def seen(paths: list[Path], out: Path) -> tuple[object, ...]:
    """What a user is told of a base, and what was said while it was opened."""
    report = importing.open_base(paths)
    base = report.base
    catalog = workspace.catalog()
    sources = [source.id for source in base.sources]
    filters = (
        "player 3", "event:7", "elo:2010-2040", "year>1905", "result:0-1", "site:2 eco:B02", "round:1.1",
        "plies:4",
    )  # fmt: skip
    queries = ('player "Player 1"', "elo >= 2050", "year == 1904", "result 0-1", 'tag "Annotator" == "No. 7"')
    found: list[object] = [report.games, report.positions, report.bad_games, faults.everything(base)]
    found += [list(games.ids(base, text=text)) for text in filters]
    sorts = ("white", "event", "date", "round", "black_elo", "eco")
    found += [list(games.ids(base, sort=column)) for column in sorts]
    found += [games.rows(base, range(1, base.games + 1)), catalog.summary(sources)]
    results = [searching.search(base, text, search_model.SearchOptions(workers=1)) for text in queries]
    found += [result.order for result in results]
    exporting.export(base, results[0], out, overwrite=True)
    return " ".join(report.messages), base.name, found, out.read_bytes()


def columns_of(file: Path) -> dict[str, list[str]]:
    """The columns of all tables."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        tables = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]
        return {
            table: [row[1] for row in connection.execute(f"pragma table_info({table})")] for table in tables
        }


def cases(file: Path, form: str) -> Iterator[Case]:
    """All of them; in the quick form one change of each column, another one each time, and of whole rows."""
    number = 0
    with contextlib.closing(sqlite3.connect(file)) as connection:
        for table, columns in columns_of(file).items():
            rows = [row[0] for row in connection.execute(f"select rowid from {table}")]
            picked = sorted({rows[0], rows[len(rows) // 2], rows[-1]})
            for column, change in [
                *((column, change) for column in columns for change in CHANGES),
                *(("", change) for change in sorted(ROWS)),
            ]:
                number += 1
                # 11 changes a column and step 7 give every column one or two.
                if form == "quick" and column and number % 7:
                    continue
                for row in picked[number % len(picked) :][:1] if form == "quick" else picked:
                    for stale in (bool(number % 2),) if form == "quick" else (False, True):
                        yield Case(table, column, change, row, stale)


def beside(value: Any) -> Any:
    """A value that differs as little as can be."""
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:] if value else b"\1"
    return f"{value}!" if isinstance(value, str) else (value or 0) + 1


@contextlib.contextmanager
def loosened(file: Path, table: str, stale: bool) -> Iterator[None]:
    """Meanwhile no value of a table must be there, and its indexes are out of the way if they get `stale`."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        plain = connection.execute(
            "select rowid, * from sqlite_master where tbl_name = ? and (type = 'table' or ?)",
            (table, stale),
        ).fetchall()
        connection.execute("pragma writable_schema = 1")
        connection.execute(
            "update sqlite_master set sql = replace(sql, 'NOT NULL', '') where name = ?", (table,)
        )
        if stale:
            connection.execute(
                "delete from sqlite_master where type = 'index' and tbl_name = ? and sql is not null",
                (table,),
            )
        connection.commit()
    yield
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("pragma writable_schema = 1")
        connection.executemany(
            "insert or replace into sqlite_master(rowid, type, name, tbl_name, rootpage, sql) "
            "values (?, ?, ?, ?, ?, ?)",
            plain,
        )
        connection.commit()


def alter(file: Path, case: Case, columns: list[str]) -> bool:
    """Whether the change could be made."""
    with (
        loosened(file, case.table, case.stale),
        contextlib.closing(sqlite3.connect(file)) as connection,
        contextlib.suppress(sqlite3.IntegrityError),
    ):
        connection.create_function("beside", 1, beside)
        if case.change == "deleted":
            done = connection.execute(f"delete from {case.table} where rowid = ?", (case.row,))
        elif case.change == "doubled":
            # Each unique text is altered where its index is there.
            values = [
                "null" if name == "id" else f"beside({name})" if not case.stale and name in UNIQUE else name
                for name in columns
            ]
            done = connection.execute(
                f"insert into {case.table}({', '.join(columns)}) "
                f"select {', '.join(values)} from {case.table} where rowid = ?",
                (case.row,),
            )
        else:
            value = CHANGES[case.change].replace("@", case.column)
            done = connection.execute(
                f"update {case.table} set {case.column} = {value} where rowid = ?", (case.row,)
            )
        connection.commit()
        return done.rowcount == 1
    return False


UNIQUE = {"path", "key", "name", "first"}


def within(name: object, work: Callable[[], Any]) -> Any:
    """What some work gives, which fails by its name when it does not end, or ends with another fault than a
    user should see."""
    done: list[Any] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            done.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SECONDS)
    assert done, f"{name}: no end after {SECONDS} s"
    return done[0]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """User folders with the index of two sources, and these."""
    folder = tmp_path_factory.mktemp("sweep")
    paths = [folder / "a.pgn", folder / "b.pgn"]
    paths[0].write_text(pgn("Player", GAMES))
    paths[1].write_text(pgn("Next", GAMES // 3))
    with faults.at_home(folder / "home"), faults.small_batches(), own_rows():
        importing.open_base(paths, name="Both")
        importing.open_base(paths[:1])
    return folder / "home", paths


@contextlib.contextmanager
def own_rows() -> Iterator[None]:
    """Blocks of few games keep their rounds in rows of their own meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own_texts, "LEAST", 5)
        yield


FORMS = ["quick", pytest.param("full", marks=[pytest.mark.full, pytest.mark.timeout(3000)])]


@pytest.mark.allow_log("damaged")
@pytest.mark.parametrize("form", FORMS)
def test_no_altered_value_of_a_large_catalog_changes_an_answer(
    form: str, large: tuple[Path, list[Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound, paths = large
    monkeypatch.setattr(database, "CHECKED_WHOLE", 0)
    out = tmp_path / "out.csv"
    with faults.at_home(faults.copied(sound, tmp_path / "clean")):
        said, name, *expected = seen(paths, out)
        assert (said, name) == ("", "Both")
    catalog = Path("cache") / "catalog.sqlite"
    columns = columns_of(sound / catalog)
    wrong: list[str] = []
    made = refused = told = 0
    for case in cases(sound / catalog, form):
        home = faults.copied(sound, tmp_path / "home")
        if not alter(home / catalog, case, columns[case.table]):
            refused += 1
            shutil.rmtree(home)
            continue
        made += 1
        with faults.at_home(home), faults.small_batches(), own_rows():
            answer = within(case, lambda: seen(paths, out))
            said = ""
            if isinstance(answer, errors.CqlguiError) and "damaged" in str(answer):
                said = str(answer)
                workspace.close()
                answer = within(case, lambda: seen(paths, out))
            if isinstance(answer, BaseException):
                wrong.append(f"{case}: {type(answer).__name__}: {answer}")
            else:
                said = said or answer[0]
                told += bool(said)
                if list(answer[2:]) != expected:
                    wrong.append(f"{case}: another answer, said {said!r}")
                elif not said and answer[1] != "Both":
                    wrong.append(f"{case}: the name is lost without a word")
        shutil.rmtree(home)
    print(f"{made} cases, {refused} refused by SQLite, {told} told")
    assert not wrong, f"{len(wrong)} of {made}:\n" + "\n".join(wrong)
    assert told > made // 8
