"""The catalog keeps headers without loss, sorts and filters them, refuses newer files and survives damage."""

from __future__ import annotations

import _thread
import contextlib
import json
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies

from cqlgui.base import errors, folding
from cqlgui.base.files import soundness
from cqlgui.db import (
    catalog,
    columns,
    database,
    headers,
    journal,
    listing,
    openings,
    own_texts,
    proofs,
    records,
    schema,
)

EMPTY = np.zeros(0, np.int64)
NAMES = (
    "White",
    "Black",
    "WhiteElo",
    "BlackElo",
    "Result",
    "Date",
    "Event",
    "Site",
    "Round",
    "ECO",
    "Annotator",
)


def header(**tags: str) -> headers.Header:
    return headers.from_tags(tags.items(), plies=10, bad=False)


@hypothesis.given(strategies.dictionaries(strategies.sampled_from(NAMES), strategies.text(max_size=8)))
def test_tags_come_back_as_they_were(tags: dict[str, str]) -> None:
    assert headers.to_tags(headers.from_tags(tags.items(), 0, False)) == tags


def test_a_rating_that_is_no_plain_number_keeps_its_text() -> None:
    row = header(WhiteElo="2450?", BlackElo="0")
    assert (row.white_elo, row.black_elo) == (None, None)
    assert headers.to_tags(row) == {"WhiteElo": "2450?", "BlackElo": "0"}


@pytest.fixture
def opened(tmp_path: Path):
    found = catalog.Catalog(tmp_path / "catalog.sqlite")
    yield found
    found.close()


def fill(opened: catalog.Catalog, path: str, rows: list[headers.Header]) -> int:
    source = opened.source(Path(path)).id
    opened.begin(source, 0)
    opened.add_games(source, 0, [headers.Table.of(rows)], positions=11 * len(rows))
    opened.finish(source, len(rows), 11 * len(rows))
    return source


def test_headers_are_stored_and_found(opened: catalog.Catalog) -> None:
    rows = [header(White=f"W{n}", Black="B", Date="1999.01.01", Annotator="A") for n in range(3)]
    source = fill(opened, "/a.pgn", rows)
    assert opened.headers(source, [2, 0]) == {0: rows[0], 2: rows[2]}
    assert opened.count(source) == 3
    assert opened.headers(source, [7]).get(7) is None


def test_games_of_several_sources_sort_and_filter_together(opened: catalog.Catalog) -> None:
    first = fill(opened, "/a.pgn", [header(White="Carl"), header(White="anna")])
    second = fill(opened, "/b.pgn", [header(White="Berta", Site="100%")])
    sources = [(first, 1), (second, 3)]
    assert list(opened.ids(sources)) == [1, 2, 3]
    assert list(opened.ids(sources, descending=True)) == [3, 2, 1]
    assert list(opened.ids(sources, sort="white")) == [2, 3, 1]
    assert list(opened.ids(sources, sort="white", descending=True)) == [1, 3, 2]
    assert list(opened.ids(sources, text="ANN")) == [2]
    assert list(opened.ids(sources, text="white:a")) == [1, 2, 3]
    assert list(opened.ids(sources, text="site:0%")) == [3]
    with pytest.raises(errors.CqlguiError, match=r"No game has “bertha” in players.* Did you mean Berta\?"):
        opened.ids(sources, text="bertha")
    # The single letter of a name is not alike, although it stands in the text.
    third = fill(opened, "/c.pgn", [header(White="S")])
    with pytest.raises(
        errors.CqlguiError, match=r"“carslen” in players, event, site, date, ECO code or result\.$"
    ):
        opened.ids([(third, 1)], text="carslen")
    with pytest.raises(errors.CqlguiError, match=r"No game has “ann” as Black\.$"):
        opened.ids(sources, text="-black:ann")
    assert list(opened.ids([], text="nobody")) == []
    with pytest.raises(errors.CqlguiError, match="sorted"):
        opened.ids(sources, sort="; drop table game")


def test_games_are_filtered_by_ratings_years_codes_and_results(opened: catalog.Catalog) -> None:
    rows = [
        header(White="A", WhiteElo="2700", BlackElo="2500", Date="1990.05.01", ECO="B20", Result="1-0"),
        header(White="B", WhiteElo="2400", Date="2000.??.??", ECO="B99", Result="0-1"),
        header(White="A", Black="B", BlackElo="2601", Date="????.??.??", ECO="C00", Result="1/2-1/2"),
        header(White="C", Black="D", Date="19xx", ECO="?", Result="1/2"),
    ]
    sources = [(fill(opened, "/a.pgn", rows), 1)]
    for text, expected in {
        "elo>2600": [1, 3],
        "whiteelo>2600": [1],
        "elo<2450": [2],
        "elo:2500-2601": [1, 3],
        "year:1990-2000": [1, 2],
        "year<2000": [1],
        "eco:B20-B9": [1, 2],
        "eco:b21-c": [2, 3],
        "eco:B": [1, 2],
        "result:1-0": [1],
        "result:1/2": [3, 4],
        "result:1/2-1/2": [3, 4],
        "player:b": [2, 3],
        "white:a year:1990": [1],
        "plies:10": [1, 2, 3, 4],
        "plies<10": [],
        '"a"': [1, 3],
    }.items():
        assert list(opened.ids(sources, text=text)) == expected, text
    with pytest.raises(errors.CqlguiError, match="no field rating"):
        opened.ids(sources, text="rating>2600")


def test_begin_drops_rows_from_an_ordinal_on(opened: catalog.Catalog) -> None:
    source = fill(opened, "/a.pgn", [header(White=str(n)) for n in range(5)])
    opened.begin(source, 2)
    assert opened.count(source) == 2
    assert not opened.source(Path("/a.pgn")).complete


@hypothesis.given(strategies.data())
def test_tables_hold_rows_and_any_part_of_them(data: strategies.DataObject) -> None:
    tags = strategies.dictionaries(strategies.sampled_from(NAMES), strategies.text(max_size=3))
    rows = [headers.from_tags(one.items(), 7, False, "1-0") for one in data.draw(strategies.lists(tags))]
    table = headers.Table.of(rows)
    assert table.rows() == rows
    start = data.draw(strategies.integers(0, len(rows)))
    stop = data.draw(strategies.integers(start, len(rows)))
    assert table.part(start, stop).rows() == rows[start:stop]


@hypothesis.settings(max_examples=25)
@hypothesis.given(strategies.data())
def test_games_come_back_from_blocks_of_any_size(
    tmp_path_factory: pytest.TempPathFactory, data: strategies.DataObject
) -> None:
    tags = strategies.dictionaries(strategies.sampled_from(NAMES), strategies.text(max_size=3))
    drawn = data.draw(strategies.lists(strategies.tuples(tags, strategies.booleans())))
    rows = [headers.from_tags(one.items(), 7, bad) for one, bad in drawn]
    with contextlib.closing(catalog.Catalog(tmp_path_factory.mktemp("c") / "catalog.sqlite")) as opened:
        source = opened.source(Path("/a.pgn")).id
        first = 0
        while first < len(rows):
            count = data.draw(strategies.integers(1, len(rows) - first))
            parts = [rows[first : first + count // 2], rows[first + count // 2 : first + count]]
            opened.add_games(source, first, [headers.Table.of(part) for part in parts], 0)
            first += count
        assert opened.headers(source, range(len(rows))) == dict(enumerate(rows))
        for name in ("white", "event"):
            numbers = np.concatenate([EMPTY, *opened.text_numbers(source, 0, len(rows), name)])
            begin = data.draw(strategies.integers(0, len(rows)))
            count = data.draw(strategies.integers(0, 2 * len(rows)))
            some = np.concatenate([EMPTY, *opened.text_numbers(source, begin, count, name)]).tolist()
            assert some == (numbers[begin : begin + count].tolist() + [0] * count)[:count]
            texts = opened.texts(name, numbers.tolist())
            assert [texts.get(number) for number in numbers.tolist()] == [getattr(row, name) for row in rows]
            part = data.draw(strategies.sampled_from([text[1:] for text in texts.values()] or ["a"]))
            if part.isprintable():
                found = set(opened.numbers_with(name, part).tolist())
                assert found & set(texts) == {number for number, text in texts.items() if part in text}
        assert opened.bad_count(source) == sum(bool(row.bad) for row in rows)
        keep = data.draw(strategies.integers(0, len(rows)))
        opened.begin(source, keep)
        assert opened.count(source) == keep
        assert opened.sound(source) == keep
        opened.add_games(source, keep, [headers.Table.of(rows[keep:])], 0)
        assert opened.headers(source, range(len(rows) + 1)) == dict(enumerate(rows))


def test_the_tags_of_some_games_are_read_from_their_blocks_alone(tmp_path: Path) -> None:
    with contextlib.closing(catalog.Catalog(tmp_path / "catalog.sqlite")) as made:
        source = made.source(Path("a.pgn")).id
        for first in range(0, 50, 10):
            rows = [
                header(White=f"W{n}", Event=f"E{n}", WhiteElo=str(2000 + n)) for n in range(first, first + 10)
            ]
            made.add_games(source, first, [headers.Table.of(rows)], 0)
    with contextlib.closing(catalog.Catalog(tmp_path / "catalog.sqlite")) as opened:
        for name, text in (("White", "W{}"), ("Event", "E{}"), ("WhiteElo", "{}")):
            found = opened.tag_column(source, 18, 5, name)
            shown = [found.texts[place] for place in found.places.tolist()]
            wanted = range(18, 23) if name != "WhiteElo" else range(2018, 2023)
            assert shown == [text.format(n) for n in wanted]
        # Damage in the other blocks is not met.
        with sqlite3.connect(tmp_path / "catalog.sqlite") as connection:
            connection.execute("update block set black = 'no bytes' where first not in (10, 20)")
        connection.close()
        assert len(opened.tag_column(source, 18, 5, "Black").places) == 5
        with pytest.raises(errors.CqlguiError, match="damaged"):
            opened.tag_column(source, 8, 5, "Black")


def test_blocks_that_were_added_and_removed_are_noticed(opened: catalog.Catalog) -> None:
    source = opened.source(Path("a.pgn")).id
    for number, last in enumerate((3, 5, 2, 2)):
        rows = [header(White=f"{number} {n}") for n in range(last)]
        opened.add_games(source, 0, [headers.Table.of(rows)], 0)
        assert opened.rows(source).games == last
        found = opened.tag_column(source, 0, last, "White")
        assert [found.texts[place] for place in found.places.tolist()] == [
            f"{number} {n}" for n in range(last)
        ]


def test_what_another_program_wrote_is_seen_at_once(opened: catalog.Catalog) -> None:
    source = opened.source(Path("a.pgn")).id
    with contextlib.closing(catalog.Catalog(opened.path)) as other:
        for last in (3, 5, 1):
            assert opened.rows(source) == other.rows(source)
            other.add_games(source, 0, [headers.Table.of([header(White=f"{last}")] * last)], 0)
            assert opened.rows(source).games == last
            assert opened.headers(source, [0])[0].white == str(last)


def test_columns_of_a_large_catalog_are_checked_when_they_are_first_used(
    opened: catalog.Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "CHECKED_WHOLE", 0)
    source = fill(opened, "/a.pgn", [header(White=f"W{n}", Date="1999") for n in range(9)])
    with contextlib.closing(sqlite3.connect(opened.path)) as connection:
        connection.execute("update block set date = zeroblob(length(date))")
        connection.commit()
    with contextlib.closing(catalog.Catalog(opened.path)) as again:
        assert again.take_notice() == ""
        assert again.sound(source) == 9
        assert len(again.tag_column(source, 0, 9, "White").texts) == 9
        with pytest.raises(database.Damaged):
            again.tag_column(source, 0, 9, "Date")


@hypothesis.settings(max_examples=25)
@hypothesis.given(strategies.data())
def test_order_and_filter_are_those_of_the_texts(
    tmp_path_factory: pytest.TempPathFactory, data: strategies.DataObject
) -> None:
    names = strategies.sampled_from(["", "a", "A", "b", "Ba", "ä", "Z", "_", "%", "\\", "?", "- ?"])
    dates = strategies.sampled_from(["", "a", "1990.??.??", "1990.01.02", "????.??.??", "????.05.01", "-"])
    tags = strategies.fixed_dictionaries({}, optional={"White": names, "Date": dates, "WhiteElo": names})
    rows = [headers.from_tags(one.items(), 7, False) for one in data.draw(strategies.lists(tags))]
    with contextlib.closing(catalog.Catalog(tmp_path_factory.mktemp("c") / "catalog.sqlite")) as opened:
        source = fill(opened, "/a.pgn", rows)

        def ordered(key: Callable[[headers.Header], Any], descending: bool) -> list[int]:
            known = [n for n in range(len(rows)) if key(rows[n])]
            places = sorted(known, key=lambda n: key(rows[n]), reverse=descending)
            return [1 + n for n in [*places, *(n for n in range(len(rows)) if not key(rows[n]))]]

        for descending in (False, True):
            for sort, key in {
                "white": lambda row: small(row.white or "") if (row.white or "").strip("?- ") else b"",
                "date": lambda row: b"" if (row.date or "")[:1] in ("", "?", "-") else row.date.encode(),
                "white_elo": lambda row: row.white_elo or 0,
            }.items():
                found = opened.ids([(source, 1)], sort=sort, descending=descending)
                assert list(found) == ordered(key, descending)
        for word in ("a", "%", "_", "white:B", "date:a"):
            field, _, needle = word.rpartition(":")
            wanted = [
                1 + n
                for n, row in enumerate(rows)
                if any(
                    small(needle) in small(text or "")
                    for text in ((getattr(row, field),) if field else (row.white, row.date))
                )
            ]
            if wanted or not rows:
                assert list(opened.ids([(source, 1)], text=word)) == wanted
            else:
                with pytest.raises(errors.CqlguiError, match="No game has"):
                    opened.ids([(source, 1)], text=word)


def small(text: str) -> bytes:
    """The bytes by which SQLite sorts without regard to case."""
    return text.encode().lower()


LETTERS = "aAäÄßẞsSſıİiIИиΣσςkKﬁﬆfFtT%_\\é\N{KELVIN SIGN}\N{COMBINING DOT ABOVE}"


@hypothesis.settings(max_examples=50)
@hypothesis.given(strategies.data(), strategies.sampled_from([own_texts.LEAST, 4]))
def test_case_is_ignored_in_every_alphabet(
    tmp_path_factory: pytest.TempPathFactory, data: strategies.DataObject, least: int
) -> None:
    texts = strategies.text(LETTERS + "\0", max_size=6)
    parts = data.draw(strategies.lists(strategies.lists(strategies.tuples(texts, texts)), max_size=2))
    rows: list[headers.Header] = []
    file = tmp_path_factory.mktemp("c") / "catalog.sqlite"
    with pytest.MonkeyPatch.context() as patch, contextlib.closing(catalog.Catalog(file)) as opened:
        patch.setattr(own_texts, "LEAST", least)
        source = opened.source(Path("/a.pgn")).id
        for part in parts:
            added = [header(White=white, Site=site) for white, site in part]
            opened.add_games(source, len(rows), [headers.Table.of(added)], 0)
            rows += added
            needle = data.draw(strategies.text(LETTERS + "\0", max_size=3).filter(folding.fold))
            wanted = folding.fold(needle)
            for field in ("white", "site"):
                names = [getattr(row, field) for row in rows]
                fits = {n for n, name in enumerate(names, 1) if wanted in folding.fold(name)}
                offered = opened.names([source], [field], needle, 100)
                assert set(offered) == {names[n - 1] for n in fits}
                begun = [folding.fold(name).startswith(wanted) for name in offered]
                assert begun == sorted(begun, reverse=True)
                if rows and not fits:
                    with pytest.raises(errors.CqlguiError, match="No game has"):
                        opened.ids([(source, 1)], text=f'{field}:"{needle}"')
                    continue
                assert set(opened.ids([(source, 1)], text=f'{field}:"{needle}"')) == fits
                others = set(opened.ids([(source, 1)], text=f'-{field}:"{needle}"'))
                assert others == set(range(1, len(rows) + 1)) - fits


def test_names_with_any_letter_keep_apart(opened: catalog.Catalog) -> None:
    names = ["a", "A", "a\0", "a\0b", "\0", '"', "\\", "ä", "\ud7ff", "\uffff", "\U0001f600", "\n", ""]
    rows = [header(White=name, Black=name) for name in names]
    source = fill(opened, "/a.pgn", rows)
    opened.close()
    again = catalog.Catalog(opened.path)
    assert list(again.headers(source, range(len(rows))).values()) == rows
    again.close()


def test_altered_blocks_show_and_can_be_written_again(opened: catalog.Catalog) -> None:
    source = opened.source(Path("/a.pgn")).id
    rows = [header(White=f"W{n}") for n in range(30)]
    for first in (0, 10, 20):
        opened.add_games(source, first, [headers.Table.of(rows[first : first + 10])], 0)
    with sqlite3.connect(opened.path) as connection:
        connection.execute("update block set plies = zeroblob(10) where first = 10")
    connection.close()
    assert opened.sound(source) == 10
    opened.begin(source, 10)
    opened.add_games(source, 10, [headers.Table.of(rows[10:])], 0)
    assert opened.sound(source) == 30


@pytest.mark.parametrize("writes", [False, True])
def test_an_interrupt_just_behind_a_beginning_leaves_no_transaction_open(
    opened: catalog.Catalog, writes: bool
) -> None:
    """A worker reads one game's headers after the other, and is interrupted when its search is stopped."""
    source = fill(opened, "/a.pgn", [header(White="W"), header(White="V")])

    def call() -> None:
        if writes:
            with opened._file.writing():
                pass
        else:
            opened.headers(source, [1]).get(1)

    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    connection = opened._file.connection()
    # In the first statement; Python heeds it as soon as SQLite comes back.
    connection.set_progress_handler(_thread.interrupt_main, 1)
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        connection.set_progress_handler(None, 0)
        signal.signal(signal.SIGINT, former)
    assert not connection.in_transaction
    call()
    assert opened.headers(source, [0]).get(0) == header(White="W")


def test_a_thread_that_ends_leaves_its_connection_to_the_next(tmp_path: Path) -> None:
    file = database.File(tmp_path / "file.sqlite", 1, "file")
    file.connection().execute("create table word (text)")
    seen: list[sqlite3.Connection] = []
    counts: list[int] = []

    def work() -> None:
        connection = file.connection()
        seen.append(connection)
        counts.append(connection.execute("select count(*) from word").fetchone()[0])
        connection.execute("begin immediate")
        connection.execute("insert into word values ('left half done')")

    for _ in range(5):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert len({id(one) for one in seen}) == 1
    assert file.connection() not in seen
    assert counts == [0] * 5, "what a thread did not finish is undone"
    file.close()
    with pytest.raises(sqlite3.ProgrammingError):
        seen[0].execute("select 1")
    assert file.connection().execute("select count(*) from word").fetchone() == (0,)
    file.close()


def test_closing_leaves_a_statement_of_another_thread_alone(tmp_path: Path) -> None:
    file = database.File(tmp_path / "a.sqlite", 1, "file")
    begun, closed = threading.Event(), threading.Event()
    connections: list[sqlite3.Connection] = []
    found: list[int] = []

    def work() -> None:
        connection = file.connection()
        connections.append(connection)
        rows = connection.execute(
            "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"
        )
        next(rows)
        begun.set()
        assert closed.wait(60)
        found.append(next(rows)[0])

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(60)
    file.close()
    closed.set()
    thread.join()
    assert found == [2]
    # It is closed with its thread.
    with pytest.raises(sqlite3.ProgrammingError):
        connections[0].execute("select 1")


def test_threads_write_and_read_together(opened: catalog.Catalog) -> None:
    failures: list[Exception] = []

    def work(number: int) -> None:
        try:
            fill(opened, f"/{number}.pgn", [header(White=f"P{n}") for n in range(50)])
        except errors.CqlguiError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert all(opened.count(opened.source(Path(f"/{n}.pgn")).id) == 50 for n in range(4))


def test_two_catalogs_in_one_process_stay_apart(tmp_path: Path) -> None:
    one, two = catalog.Catalog(tmp_path / "1.sqlite"), catalog.Catalog(tmp_path / "2.sqlite")
    fill(one, "/a.pgn", [header(White="x")])
    assert two.source(Path("/a.pgn")).games == 0
    one.close()
    two.close()


def test_a_newer_catalog_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    catalog.Catalog(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"pragma user_version = {schema.VERSION + 1}")
        connection.execute(f"pragma application_id = {database.seal(connection, schema.VERSION + 1)}")
    connection.close()
    with pytest.raises(errors.CqlguiError, match="newer"):
        catalog.Catalog(path)
    assert path.exists()


def test_the_games_of_an_older_catalog_are_forgotten_so_that_they_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    opened = catalog.Catalog(path)
    source = fill(opened, "/a.pgn", [header(White="x")])
    opened.close()
    with sqlite3.connect(path) as connection:
        connection.execute("drop table block")
        connection.execute("create table game (source_id integer, ordinal integer)")
        connection.execute("insert into game values (?, 0)", (source,))
        connection.execute("pragma user_version = 2")
        connection.execute("pragma application_id = 0")
    connection.close()
    opened = catalog.Catalog(path)
    assert opened.count(source) == 0
    assert fill(opened, "/a.pgn", [header(White="x")]) == source
    assert opened.count(source) == 1
    opened.close()


def test_the_result_of_the_text_is_kept_where_the_tag_says_something_else(tmp_path: Path) -> None:
    tags = [("Result", "1-0")]
    rows = [headers.from_tags(tags, 0, False, ending) for ending in ("1-0", "*", "")]
    assert [row.ending for row in rows] == [None, "*", None]
    assert headers.from_tags([], 0, False, "0-1").ending == "0-1"
    opened = catalog.Catalog(tmp_path / "catalog.sqlite")
    source = fill(opened, "/a.pgn", rows)
    assert [opened.headers(source, [number]).get(number) for number in range(3)] == rows
    opened.close()


@pytest.mark.allow_log("damaged")
@pytest.mark.parametrize("damage", [b"no database at all", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_catalog_is_set_aside(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(damage)
    opened = catalog.Catalog(path)
    assert "damaged" in opened.take_notice()
    assert opened.take_notice() == ""
    assert [p for p in tmp_path.iterdir() if ".damaged-" in p.name]
    assert fill(opened, "/a.pgn", [header(White="x")])
    opened.close()


@pytest.mark.allow_log("damaged")
def test_a_catalog_that_was_checked_is_read_again_only_after_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soundness, "YOUNG", -1)
    monkeypatch.setattr(database, "SMALL", 0)
    checks: list[object] = []
    check = proofs.check
    monkeypatch.setattr(proofs, "check", lambda connection: (checks.append(connection), check(connection)))
    path = tmp_path / "catalog.sqlite"
    opened = catalog.Catalog(path)
    source = fill(opened, "/a.pgn", [header(White=f"name {n}") for n in range(2000)])
    opened.close()
    checks.clear()
    for _ in range(2):
        opened = catalog.Catalog(path)
        assert opened.count(source) == 2000
        opened.close()
        assert len(checks) == 1
    data = bytearray(path.read_bytes())
    data[8192:-4096] = b"\x5a" * len(data[8192:-4096])
    path.write_bytes(data)
    opened = catalog.Catalog(path)
    assert "damaged" in opened.take_notice()
    opened.close()


def test_columns_that_were_found_sound_are_read_again_only_after_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soundness, "YOUNG", -1)
    monkeypatch.setattr(database, "SMALL", 0)
    verified: list[object] = []
    verify = columns.verify
    monkeypatch.setattr(columns, "verify", lambda *given: (verified.append(given), verify(*given)))
    path = tmp_path / "catalog.sqlite"

    def sound(source: int) -> int:
        verified.clear()
        with contextlib.closing(catalog.Catalog(path)) as opened:
            return opened.sound(source)

    with contextlib.closing(catalog.Catalog(path)) as opened:
        first, second = (fill(opened, f"/{name}.pgn", [header(White="x")] * 30) for name in "ab")
    assert sound(first) == 30
    assert len(verified) == 2
    for source in (first, second):
        assert sound(source) == 30
        assert not verified
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("update block set white = zeroblob(length(white)) where source_id = ?", (second,))
        connection.commit()
    for _ in range(2):
        # As long as a source is damaged, nothing is noted.
        assert [sound(first), len(verified) > 0, sound(second), len(verified) > 0] == [30, True, 0, True]
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("update block set games = -1 where source_id = ?", (second,))
        connection.commit()
    # Damage of another source is no reason to stop.
    assert [sound(first), sound(first)] == [30, 30]


@pytest.mark.parametrize("case", ["young", "small", "waiting", "replaced", "note"])
def test_only_the_state_of_a_file_at_rest_is_noted(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soundness, "YOUNG", 1e9 if case == "young" else -1)
    monkeypatch.setattr(database, "SMALL", 1e9 if case == "small" else 0)
    verified: list[object] = []
    verify = columns.verify
    monkeypatch.setattr(columns, "verify", lambda *given: (verified.append(given), verify(*given)))
    path, note = tmp_path / "catalog.sqlite", tmp_path / "catalog.sqlite.columns"
    with contextlib.closing(catalog.Catalog(path)) as opened:
        first, second = (fill(opened, f"/{name}.pgn", [header(White="x")] * 30) for name in "ab")
    if case == "note":
        note.mkdir()
    with contextlib.closing(catalog.Catalog(path)) as opened:
        other = catalog.Catalog(path)
        if case == "waiting":
            fill(other, "/c.pgn", [header(White="y")])
        if case == "replaced":
            assert opened.count(first) == 30
            shutil.copy(path, tmp_path / "copy")
            (tmp_path / "copy").replace(path)
        verified.clear()
        # Only what is opened is compared, unless the file is at rest.
        assert opened.sound(first) == 30
        assert len(verified) == (2 if case == "note" else 1)
        assert opened.sound(second) == 30
        assert len(verified) == 2
        other.close()
    assert not note.is_file()


@pytest.mark.allow_log("damaged")
def test_damage_met_while_reading_is_repaired_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    opened = catalog.Catalog(path)
    source = fill(opened, "/a.pgn", [header(White=f"name {n}") for n in range(2000)])
    opened.close()
    data = bytearray(path.read_bytes())
    data[8192:-4096] = b"\x5a" * len(data[8192:-4096])
    path.write_bytes(data)
    reader = catalog.Catalog(path, create=False)
    with pytest.raises(database.Damaged):
        reader.headers(source, range(2000))
    reader.close()
    again = catalog.Catalog(path)
    assert again.take_notice()
    assert again.count(again.source(Path("/a.pgn")).id) == 0
    again.close()


@pytest.mark.allow_log("damaged")
def test_a_block_that_stays_where_it_was_removed_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    opened = catalog.Catalog(path)
    source = fill(opened, "/a.pgn", [header()] * 10)
    opened.add_games(source, 10, [headers.Table.of([header()] * 10)], 0)
    opened.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        # A damaged index may hide a row from one statement and show it to the next.
        connection.execute("create trigger stays before delete on block begin select raise(ignore); end")
    writer = catalog.Catalog(path, create=False)
    for keep in (10, 5):
        with pytest.raises(database.Damaged):
            writer.begin(source, keep)
    writer.close()


def test_the_journal_keeps_the_newest_first_and_no_text_twice(tmp_path: Path) -> None:
    opened = journal.Journal(tmp_path / "history.sqlite")
    for text in ("mate", "check", "mate"):
        opened.add_query(text, "base", 1, 2, 0.5)
    assert [row.text for row in opened.queries()] == ["mate", "check"]
    opened.add_recent([Path("/a.pgn")])
    opened.add_recent([Path("/b.pgn"), Path("/c.pgn")])
    opened.add_recent([Path("/a.pgn")])
    assert opened.recent() == [(Path("/a.pgn"),), (Path("/b.pgn"), Path("/c.pgn"))]
    opened.forget_recent([Path("/a.pgn")])
    assert opened.recent() == [(Path("/b.pgn"), Path("/c.pgn"))]
    opened.close()


def test_a_journal_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "history.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "create table query (id integer not null primary key, text text not null, base text not null, "
            "games integer, positions integer, seconds real, asked real not null);"
            "create table recent (id integer not null primary key, key text not null, opened real not null);"
            "create unique index recent_key on recent (key); create index recent_opened on recent (opened);"
        )
        rows = [("mate", "a", 1.0), ("check", "b", 2.0), ("mate", "c", 3.0)]
        connection.executemany("insert into query (text, base, asked) values (?, ?, ?)", rows)
        connection.execute("insert into recent (key, opened) values ('[\"/a.pgn\"]', 1.0)")
        connection.execute("pragma user_version = 1")
        connection.execute(f"pragma application_id = {database.seal(connection, 1)}")
        connection.commit()
    for _ in range(2):
        opened = journal.Journal(path)
        assert [(row.text, row.base) for row in opened.queries()] == [("mate", "c"), ("check", "b")]
        assert opened.recent() == [(Path("/a.pgn"),)]
        opened.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("pragma user_version").fetchone() == (records.VERSION,)
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute("insert into query (text, base, asked) values ('mate', '', 4.0)")


def test_the_journal_keeps_so_many_and_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "KEPT_QUERIES", 3)
    monkeypatch.setattr(journal, "KEPT_FILES", 2)
    opened = journal.Journal(tmp_path / "history.sqlite")
    for number in range(5):
        opened.add_query(f"ply {number}", "", None, None, None)
        opened.add_recent([Path(f"/{number}.pgn")])
    assert [row.text for row in opened.queries(2)] == ["ply 4", "ply 3"]
    assert [row.text for row in opened.queries()] == ["ply 4", "ply 3", "ply 2"]
    assert opened.recent() == [(Path("/4.pgn"),), (Path("/3.pgn"),)]
    with contextlib.closing(sqlite3.connect(tmp_path / "history.sqlite")) as other:
        other.execute("drop table query")
        other.commit()
    with pytest.raises(errors.CqlguiError, match="no such table"):
        opened.queries()
    with pytest.raises(errors.CqlguiError, match="no such table"):
        opened.add_query("mate", "", None, None, None)
    assert opened.recent(), "a failed transaction leaves the file usable"
    opened.close()


def test_names_that_begin_with_the_letters_come_first_and_then_the_most_frequent(
    opened: catalog.Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        header(White="Carl", Black="Anna", ECO="B90"),
        header(White="Anna", Black="Joanna", ECO="B91"),
        header(White="Nobody", Black="carla", ECO="C65"),
    ]
    sources = [fill(opened, "/a.pgn", rows), fill(opened, "/b.pgn", [header(White="Joanna")])]
    assert opened.names(sources, ("white", "black"), "ann", 5) == ["Anna", "Joanna"]
    assert opened.names(sources, ("black",), "ANN", 5) == ["Anna", "Joanna"]
    assert opened.names(sources[:1], ("white",), "joanna", 5) == []
    assert opened.names(sources, ("white", "black"), "a", 1) == ["Anna"]
    assert opened.names(sources, ("opening",), "defence", 5) == [
        "Sicilian defence: Najdorf",
        "Ruy Lopez: Berlin defence",
    ]
    assert opened.names(sources, ("white",), "100%_", 5) == []
    more = [header(White="Joanna")] * 3 + [header(White="Nanna"), header(White="ANNABEL")]
    sources.append(fill(opened, "/c.pgn", more))
    assert opened.names(sources, ("white",), "ann", 5) == ["ANNABEL", "Anna", "Joanna", "Nanna"]
    # So it is if there are too many names to look at all of them.
    monkeypatch.setattr(listing, "_MOST_OFFERED", 2)
    assert opened.names(sources, ("white",), "ann", 5) == ["ANNABEL", "Anna"]


def test_sort_keys_of_all_sources_can_be_compared(opened: catalog.Catalog) -> None:
    first = fill(opened, "/a.pgn", [header(White="Carl", WhiteElo="2000", ECO="B90"), header(White="anna")])
    second = fill(opened, "/b.pgn", [header(White="Berta", WhiteElo="1900", ECO="A00")])
    names = opened.sort_keys([first, second], "white")
    assert names[0][1] < names[1][0] < names[0][0]
    assert [keys.tolist() for keys in opened.sort_keys([first, second], "white_elo")] == [[2000, 0], [1900]]
    openings = opened.sort_keys([first, second], "opening")
    assert openings[0][1] == 0 < openings[1][0] < openings[0][0]
    named = ["zebra", "Zulu", "alpha", "ALPHA", "Éclair"]
    third = fill(opened, "/c.pgn", [header(Opening=name) for name in named])
    (own,) = opened.sort_keys([third], "opening")
    assert own.tolist() == [2, 3, 1, 1, 4]


def test_the_names_of_openings_in_tags_are_found_in_texts_that_quote_such_tags() -> None:
    tags = [
        {"Opening": "Sicilian", "Variation": 'the "Dragon"'},
        {},
        {"Annotator": '"Opening": "none", \\', "Variation": "alone"},
        {"Opening": "?"},
        {"Remark": "Opening", "Opening": "Réti\\", "Variation": "?"},
        {"Variation": "first", "Opening": "Later"},
    ]
    texts = [json.dumps(one, ensure_ascii=False) if one else "" for one in tags]
    data = [text.encode("utf-8") for text in texts]
    found = dict(openings.own_names(b"".join(data), np.cumsum([len(one) for one in data])))
    assert found == {0: 'Sicilian: the "Dragon"', 4: "Réti\\", 5: "Later: first"}
    assert found == {place: name for place, name in enumerate(map(openings.own_name, texts)) if name}
