"""Hits that are written where they are found are the rows of one file; a folder says if it has all hits."""

from __future__ import annotations

import collections
import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")

from pyarrow import parquet

from cqlgui.base import errors, progress
from cqlgui.base.files import disk
from cqlgui.jit import native
from cqlgui.store import places, published
from cqlgui.tasks.cluster import hit_files
from cqlgui.tasks.databases import importing
from cqlgui.tasks.databases import published as published_bases
from cqlgui.tasks.export import exporting, hit_table
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import scheduling, searching
from tests import helpers
from tests.helpers import clusters

USUAL = search_model.SearchOptions()
QUERIES = [
    "flipcolor flipvertical {Bh7 kg8 check}",
    'player "Kasparov" or gamenumber == 300 comment("{x}" ply)',
    # Without machine code, a value at each position takes minutes.
    "cql(result 1-0) power A" if native.available() else "cql(result 1-0) check power A",
    'gamenumber < 4 message("game " gamenumber) str(currentposition)',
    "cql(variations) shift {Ka1 ka3}",
    "cql(matchcount 0 3 gamenumber 30 50) mate",
    "false",
]


@pytest.fixture
def base(copies: Path) -> base_model.Base:
    return published_bases.open_base(str(copies), adopt=False).base


@pytest.fixture(scope="package", params=["threads", "workers"])
def address(request: pytest.FixtureRequest) -> str:
    """The address of a cluster; empty for the threads of this process."""
    return "" if request.param == "threads" else str(request.getfixturevalue("cluster").address)


@pytest.fixture
def who(address: str) -> Iterator[scheduling.Scheduler]:
    """Who searches and writes."""
    if not address:
        yield hit_files.Threads()
        return
    from cqlgui.tasks.cluster import clients

    with clients.Dask(address) as scheduler:
        yield scheduler


def rows_in(folder: Path, names: list[str] | None = None) -> list[Any]:
    """The rows of all files of a folder, in the order of their names."""
    paths = sorted(folder.glob("*.parquet")) if names is None else [folder / name for name in names]
    return [row for path in paths for row in parquet.read_table(path).to_pylist()]


def wanted(base: base_model.Base, query: str, path: Path, *, within: Any = None, **words: Any) -> list[Any]:
    """The rows of one file with all hits."""
    result = searching.search(base, query, search_model.SearchOptions(within=within))
    exporting.export(base, result, path, **words)
    found: list[Any] = parquet.read_table(path).to_pylist()
    return found


@pytest.mark.parametrize("query", QUERIES)
def test_the_rows_are_those_of_one_file(
    query: str, base: base_model.Base, who: scheduling.Scheduler, tmp_path: Path
) -> None:
    said: list[str] = []
    result = searching.search(base, query)
    report = hit_files.write(
        base,
        query,
        USUAL,
        str(tmp_path / "hits"),
        scheduler=who,
        on_messages=lambda some: said.extend(one.text for one in some),
    )
    assert rows_in(tmp_path / "hits") == wanted(base, query, tmp_path / "one.parquet")
    assert (report.games, report.hits) == (len(result.order), result.positions)
    assert (report.games_searched, report.positions_searched) == (base.games, result.positions_searched)
    assert said == [one.text for one in result.messages]
    names = [*sorted(report.files), hit_files.COMPLETE]
    assert sorted(path.name for path in (tmp_path / "hits").iterdir()) == sorted(names)
    assert list(report.files) == names[:-1]
    told = json.loads((tmp_path / "hits" / hit_files.COMPLETE).read_bytes())
    assert told["files"] == names[:-1]
    assert (told["games"], told["hits"], told["query"]) == (report.games, report.hits, query)


@pytest.mark.parametrize("rows", hit_table.Rows)
def test_the_shape_of_the_rows_and_the_games_are_chosen(
    rows: hit_table.Rows, base: base_model.Base, who: scheduling.Scheduler, tmp_path: Path
) -> None:
    query, within = "flip {path focus N -- --}", np.arange(150, 1950, 7)
    options = search_model.SearchOptions(within=within)
    words: dict[str, Any] = {"rows": rows, "normalise": rows is hit_table.Rows.GAMES}
    hit_files.write(base, query, options, str(tmp_path / "hits"), scheduler=who, **words)
    expected = wanted(base, query, tmp_path / "one.parquet", within=within, **words)
    assert rows_in(tmp_path / "hits") == expected
    assert len(expected) > 20


def test_duckdb_polars_and_pyarrow_read_the_folder(base: base_model.Base, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    from pyarrow import dataset

    report = hit_files.write(base, "check", USUAL, str(tmp_path / "hits"))
    assert len(report.files) > 1
    assert dataset.dataset(tmp_path / "hits", format="parquet").count_rows() == report.hits > 1000
    frame = polars.read_parquet(tmp_path / "hits" / "*.parquet")
    assert frame.height == report.hits
    assert frame["game"].is_sorted()
    count = duckdb.sql(f"select count(distinct game), count(*) from '{tmp_path}/hits/*.parquet'").fetchall()
    assert count == [(report.games, report.hits)]


def test_files_of_a_base_that_is_not_published_are_searched_by_threads(tmp_path: Path) -> None:
    plain = importing.open_base([clusters.SAMPLE]).base
    hit_files.write(plain, "mate", USUAL, str(tmp_path / "hits"))
    assert rows_in(tmp_path / "hits") == wanted(plain, "mate", tmp_path / "one.parquet") != []


def test_hits_go_to_an_address(base: base_model.Base, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")
    report = hit_files.write(base, "mate", USUAL, "memory://hits/mate")
    system = fsspec.filesystem("memory")
    found = [
        row
        for name in report.files
        for row in parquet.read_table(system.open(f"hits/mate/{name}")).to_pylist()
    ]
    assert found == wanted(base, "mate", tmp_path / "one.parquet")
    assert system.exists(f"hits/mate/{hit_files.COMPLETE}")
    with pytest.raises(errors.CqlguiError, match="is not empty"):
        hit_files.write(base, "mate", USUAL, "memory://hits/mate")


@pytest.mark.parametrize(
    ("query", "words", "reason"),
    [
        ("mate", {"limit": 5}, "limit of games"),
        ('mate sort "checks" find all check', {}, "sorts games"),
        ("mate persistent Found += 1 comment(Found)", {}, "from game to game"),
    ],
)
def test_what_cannot_be_written_in_pieces_is_refused_and_nothing_is_written(
    query: str,
    words: dict[str, Any],
    reason: str,
    base: base_model.Base,
    who: scheduling.Scheduler,
    tmp_path: Path,
) -> None:
    options = search_model.SearchOptions(**words)
    with pytest.raises(errors.CqlguiError, match=reason):
        hit_files.write(base, query, options, str(tmp_path / "hits"), scheduler=who)
    assert not (tmp_path / "hits").exists()


@pytest.mark.parametrize("query", ['mate writefile("x.txt" "y")', "mate mate)"])
def test_a_bad_query_is_rejected_before_anything_is_written(
    query: str, base: base_model.Base, tmp_path: Path
) -> None:
    with pytest.raises(searching.Rejected):
        hit_files.write(base, query, USUAL, str(tmp_path / "hits"))
    assert not (tmp_path / "hits").exists()


def test_a_folder_with_something_in_it_is_refused(
    base: base_model.Base, who: scheduling.Scheduler, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(errors.CqlguiError, match=r"is not empty: it has mine\.txt"):
        hit_files.write(base, "mate", USUAL, str(tmp_path), scheduler=who)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_place_that_cannot_be_written_is_named(
    base: base_model.Base, who: scheduling.Scheduler, tmp_path: Path
) -> None:
    file = tmp_path / "a file"
    file.write_text("mine")
    with pytest.raises(errors.CqlguiError, match="a file cannot be used"):
        hit_files.write(base, "mate", USUAL, str(file), scheduler=who)
    with pytest.raises(errors.CqlguiError, match="a file/hits cannot be used"):
        hit_files.write(base, "mate", USUAL, str(file / "hits"), scheduler=who)
    assert file.read_text() == "mine"


def whole_files(folder: Path, base: base_model.Base, query: str, path: Path) -> int:
    """The number of files of a folder that is not complete. Each has all rows of consecutive games."""
    every = wanted(base, query, path)
    names = sorted(one.name for one in folder.iterdir())
    assert hit_files.COMPLETE not in names
    files = [name for name in names if name.endswith(".parquet")]
    assert set(names) - set(files) <= {"_unfinished"}
    for name in files:
        found = rows_in(folder, [name])
        begin = int(name.removeprefix("hits-").removesuffix(".parquet"))
        last = found[-1]["game"]
        assert found == [row for row in every if begin <= row["game"] <= last]
    return len(files)


def test_after_a_cancel_the_files_are_whole_and_the_folder_is_not(
    base: base_model.Base,
    who: scheduling.Scheduler,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    token = progress.CancelToken()
    with contextlib.ExitStack() as stack:
        if isinstance(who, hit_files.Threads):
            monkeypatch.setattr(hit_files, "_TAKE_SECONDS", 0.001)
        else:
            stack.enter_context(request.getfixturevalue("cluster").flagged("slow"))
        report = hit_files.write(
            base,
            "check",
            search_model.SearchOptions(workers=1),
            str(tmp_path / "hits"),
            scheduler=who,
            cancel=token,
            progress=lambda _: token.cancel(),
        )
        if not report.at_least:
            told = counted(tmp_path / "hits")
        time.sleep(0.5)
    assert report.cancelled
    assert not report.complete
    assert 0 < report.games_searched < base.games
    assert whole_files(tmp_path / "hits", base, "check", tmp_path / "one.parquet") >= 1
    assert not report.at_least
    assert not (tmp_path / "hits" / "_unfinished").exists()
    # What is told stands there, and nothing has come since.
    assert told == counted(tmp_path / "hits") == (len(report.files), report.games, report.hits)
    assert (report.games_matched, report.positions_matched) <= (report.games, report.hits)


def counted(folder: Path) -> tuple[int, int, int]:
    """The numbers of files, games and hits of a folder with a row for each hit."""
    rows = rows_in(folder)
    return len(list(folder.glob("*.parquet"))), len({row["game"] for row in rows}), len(rows)


def test_files_that_nobody_told_are_counted(
    base: base_model.Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, folder = progress.CancelToken(), tmp_path / "hits"

    class Forgetful(hit_files.Threads):
        """The first file is told late, when later ones are there."""

        def chunks(self, job: scheduling.Job, remembered: Any) -> scheduling.Chunks:
            found = super().chunks(job, remembered)
            take = found.take

            def late(seconds: float) -> Any:
                if len(list(folder.glob("*.parquet"))) < 3:
                    # The first task is done before its chunk is taken.
                    monkeypatch.setattr(found, "_coming", Untaken(found._coming))
                    take(0)
                    time.sleep(0.01)
                    return None
                token.cancel()
                return None

            monkeypatch.setattr(found, "take", late)
            return found

    report = hit_files.write(
        base, "check", USUAL, str(folder), rows=hit_table.Rows.GAMES, scheduler=Forgetful(), cancel=token
    )
    assert report.cancelled
    assert report.games_searched == report.games_matched == 0
    assert len(report.files) >= 3
    whole = searching.search(base, "check").games
    games = [row["game"] for row in rows_in(folder)]
    assert (report.games, report.hits) == (len(games), sum(len(whole[game].hits) for game in games))


class Untaken(collections.deque[Any]):
    """Tasks that stay in the queue."""

    def popleft(self) -> Any:
        return self[0]


def test_if_the_folder_cannot_be_read_the_count_is_a_least_one(
    base: base_model.Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = progress.CancelToken()

    def fail(_: object) -> None:
        token.cancel()
        monkeypatch.setattr(places.Place, "remove", refuse)

    def refuse(_place: object, name: str) -> None:
        raise places.PlaceError(f"{name} cannot be used: gone.")

    options = search_model.SearchOptions(workers=1)
    report = hit_files.write(base, "check", options, str(tmp_path / "hits"), cancel=token, progress=fail)
    assert report.at_least
    assert 0 < report.hits <= len(rows_in(tmp_path / "hits"))


def test_a_search_that_stops_leaves_no_complete_folder(
    base: base_model.Base, who: scheduling.Scheduler, tmp_path: Path
) -> None:
    query = "check assert gamenumber < 490"
    expected = searching.search(base, query).stopped
    report = hit_files.write(base, query, USUAL, str(tmp_path / "hits"), scheduler=who)
    assert report.stopped == expected is not None
    assert report.hopeless
    assert hit_files.COMPLETE not in {path.name for path in (tmp_path / "hits").iterdir()}


def test_a_damaged_part_ends_the_search_or_is_left_out(
    cluster: clusters.Cluster, base: base_model.Base, tmp_path: Path
) -> None:
    from cqlgui.tasks.cluster import clients

    every = wanted(base, "check", tmp_path / "one.parquet")
    path = cluster.part(3, published.SEGMENT)
    kept = path.read_bytes()
    path.unlink()
    try:
        with (
            clients.Dask(cluster.address) as scheduler,
            pytest.raises(errors.IndexDamaged, match=path.name),
        ):
            hit_files.write(base, "check", USUAL, str(tmp_path / "hits"), scheduler=scheduler)
        with clients.Dask(cluster.address, partial=True) as scheduler:
            report = hit_files.write(base, "check", USUAL, str(tmp_path / "part"), scheduler=scheduler)
    finally:
        path.write_bytes(kept)
    assert hit_files.COMPLETE not in {one.name for one in (tmp_path / "hits").iterdir()}
    (words,) = report.left_out
    assert path.name in words
    first, last = 500 + clusters.PART + 1, 1000
    assert rows_in(tmp_path / "part") == [row for row in every if not first <= row["game"] <= last]
    told = json.loads((tmp_path / "part" / hit_files.COMPLETE).read_bytes())
    assert told["left_out"] == [words]


def test_a_worker_that_dies_while_it_writes_leaves_nothing_behind(
    cluster: clusters.Cluster, base: base_model.Base, tmp_path: Path
) -> None:
    from cqlgui.tasks.cluster import clients

    with cluster.flagged("torn"), clients.Dask(cluster.address) as scheduler:
        report = hit_files.write(base, "check", USUAL, str(tmp_path / "hits"), scheduler=scheduler)
        assert not (cluster.flags / "torn").exists()
    assert rows_in(tmp_path / "hits") == wanted(base, "check", tmp_path / "one.parquet")
    names = {path.name for path in (tmp_path / "hits").iterdir()}
    assert names == {*report.files, hit_files.COMPLETE}
    assert not any(name.startswith(disk.PREFIX) for name in names)


def test_a_game_that_ends_its_workers_is_named_and_left_out(
    cluster: clusters.Cluster, base: base_model.Base, tmp_path: Path
) -> None:
    from cqlgui.tasks.cluster import clients

    with cluster.flagged("poison", "7"), clients.Dask(cluster.address) as scheduler:
        report = hit_files.write(base, "check", USUAL, str(tmp_path / "hits"), scheduler=scheduler)
    (failed,) = report.failed_games
    assert (failed.game, failed.source.name) == (7, "0.pgn")
    every = wanted(base, "check", tmp_path / "one.parquet")
    assert rows_in(tmp_path / "hits") == [row for row in every if row["game"] != 7]
    told = json.loads((tmp_path / "hits" / hit_files.COMPLETE).read_bytes())
    assert told["failed_games"] == [[7, failed.reason]]


def test_a_worker_that_sees_another_folder_writes_nothing(base: base_model.Base, tmp_path: Path) -> None:
    output = search_model.HitFolder(str(tmp_path / "hits"), "search", "hits", False)
    with pytest.raises(errors.CqlguiError, match="must see the same folder"):
        hit_files.chunk(base, "mate", USUAL, 1, 100, output, progress.CancelToken())
    assert not (tmp_path / "hits").exists()


def test_a_file_that_only_its_worker_sees_is_missed(
    base: base_model.Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    insist = hit_files._insist
    gone: list[Path] = []

    def lose(target: Any, output: Any) -> None:
        insist(target, output)
        gone.extend((tmp_path / "hits").glob("*.parquet"))
        for path in gone:
            path.unlink(missing_ok=True)

    monkeypatch.setattr(hit_files, "_insist", lose)
    with pytest.raises(errors.CqlguiError, match="is missing in"):
        hit_files.write(base, "mate", search_model.SearchOptions(workers=1), str(tmp_path / "hits"))
    assert gone
    assert not (tmp_path / "hits" / hit_files.COMPLETE).exists()


def test_on_the_command_line(cluster: clusters.Cluster, base: base_model.Base, tmp_path: Path) -> None:
    query = "flipcolor flipvertical {Bh7 kg8 check}"
    words = ("search", cluster.place, "-e", query, "--group", "game")
    every = wanted(base, query, tmp_path / "one.parquet", rows=hit_table.Rows.GAMES)
    for name, more in (("local", ()), ("cluster", ("--scheduler", cluster.address))):
        run = helpers.cli(*words, "--count", "--hits", tmp_path / name, *more, home=tmp_path)
        assert run.code == 0, run.err
        assert run.out.startswith(f"{len(every)} games, ")
        assert f"written to {tmp_path / name} (" in run.err
        assert rows_in(tmp_path / name) == every
    again = helpers.cli(*words, "--hits", tmp_path / "local", home=tmp_path)
    assert again.code == 2
    assert "is not empty" in again.err
    for given, named in (
        (["--limit", "3"], "--limit"),
        (["-o", "x.parquet"], "-o"),
        (["--jsonl"], "--jsonl"),
        (["--no-duplicates"], "--no-duplicates"),
        (["--engine", "/bin/true"], "an engine"),
    ):
        refused = helpers.cli(*words, *given, "--hits", tmp_path / "no", home=tmp_path)
        assert refused.code == 2
        assert f"{named} does not go with --hits" in refused.err
        assert not (tmp_path / "no").exists()
