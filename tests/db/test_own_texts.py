"""Texts that are all different have no place in the tables of names, and yet sort, filter and come back."""

from __future__ import annotations

import contextlib
import itertools
import re
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies

from cqlgui.base import errors, folding, ranking
from cqlgui.db import catalog, database, headers, listing, own_texts

SITE = "https://example.org/Game-"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few games have own texts."""
    monkeypatch.setattr(own_texts, "LEAST", 4)


@contextlib.contextmanager
def filled(
    folder: Path, rows: list[headers.Header], size: int = 1 << 30
) -> Iterator[tuple[catalog.Catalog, int]]:
    """A catalog with these games in blocks of `size` games, and the id of their source."""
    with contextlib.closing(catalog.Catalog(folder / "catalog.sqlite")) as opened:
        source = opened.source(folder / "a.pgn").id
        for first in range(0, len(rows), size):
            opened.add_games(source, first, [headers.Table.of(rows[first : first + size])], 0)
        yield opened, source


def game(site: str | None, number: str | None = None) -> headers.Header:
    tags = {"Site": site, "Round": number, "White": "W"}
    return headers.from_tags([(name, text) for name, text in tags.items() if text is not None], 4, False)


def counted(path: Path) -> tuple[int, int]:
    """How many rows of own texts there are, and how many sites in the table of names."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        ((own,),) = connection.execute("select count(*) from own")
        ((sites,),) = connection.execute("select count(*) from site")
        return own, sites


def test_texts_are_compared_over_all_parts_of_a_block(tmp_path: Path) -> None:
    rows = [game("London", str(n)) for n in range(own_texts.LEAST)]
    with contextlib.closing(catalog.Catalog(tmp_path / "catalog.sqlite")) as opened:
        opened.add_games(opened.source(tmp_path).id, 0, [headers.Table.of([row]) for row in rows], 0)
        assert counted(opened.path) == (1, 1)


def test_only_texts_that_differ_in_a_large_block_get_a_row(tmp_path: Path) -> None:
    size = own_texts.LEAST
    different = [game(f"{SITE}{n}") for n in range(size)]
    same = [game(f"Place {n % 10}") for n in range(size)]
    with filled(tmp_path, [*different, *same, *different[: size // 2]], size) as (opened, source):
        assert counted(opened.path) == (1, 10 + size // 2)
        rows = [*different, *same, *different[: size // 2]]
        assert opened.headers(source, range(len(rows))) == dict(enumerate(rows))
        assert opened.sound(source) == len(rows)


def natural(text: str) -> list[tuple[int, int | bytes]]:
    """A key for texts with numbers. Numbers stand before other texts."""
    parts = re.findall("[0-9]+|[^0-9]+", text)
    return [(0, int(part)) if part[0] in "0123456789" else (1, part.encode()) for part in parts]


@pytest.mark.parametrize("alike", [False, True])
def test_rounds_are_sorted_by_their_numbers(tmp_path: Path, alike: bool) -> None:
    wanted = ["1", "1.2", "1.10", "1.10.1", "2", "2.1", "10", "100", "Final", "R2", "R10"]
    wanted += [] if alike else [f"R10.{number}" for number in range(1, own_texts.LEAST)]
    unknown = ["-", "?", None]
    listed = [*unknown, *wanted][::-1]
    with filled(tmp_path, [game("London", number) for number in listed]) as (opened, source):
        assert counted(opened.path)[0] == (not alike)
        for descending in (False, True):
            found = list(opened.ids([(source, 0)], sort="round", descending=descending))
            shown = wanted[::-1] if descending else wanted
            assert [listed[one] for one in found] == [*shown, *unknown[::-1]]
        (keys,) = opened.sort_keys([source], "round")
        assert keys.tolist().count(0) == len(unknown)


def test_numbers_in_texts_have_their_natural_order_and_equal_ones_are_one() -> None:
    assert own_texts.natural(["007", "7", "0", "000", "a0b", "a00b", ""]) == [
        *(b"\x017", b"\x017", b"\x010", b"\x010", b"a\x010b", b"a\x010b", b"")
    ]
    long = ["1" + "0" * 40, "2" + "0" * 40]
    assert sorted(own_texts.natural(long)) == own_texts.natural(long)


@hypothesis.given(
    strategies.lists(strategies.text("0019.?-abé", max_size=7), min_size=1), strategies.text("09x")
)
def test_texts_keep_a_common_beginning_in_their_natural_order(listed: list[str], begun: str) -> None:
    listed = [begun + text for text in listed]
    made = own_texts.natural(listed)
    by_bytes = sorted(range(len(listed)), key=lambda at: made[at])
    assert by_bytes == sorted(range(len(listed)), key=lambda at: natural(listed[at]))
    row = stored(listed)
    turned = row.natural()
    assert all(text.startswith(turned.common) for text in made)
    starts = [0, *turned.ends.tolist()]
    assert [turned.common + turned.data[a:b] for a, b in itertools.pairwise(starts)] == made
    assert row.made_of(b"?.-").tolist() == [not text.strip("?.-") for text in listed]


def stored(listed: list[str]) -> own_texts.Texts:
    """Some texts as a row has them."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "create table own(id integer primary key, block_id, checksum, prefix, ends, texts)"
        )
        own_texts.add(connection, 1, listed)
        return own_texts.read(connection, 1)


@hypothesis.given(
    strategies.lists(strategies.text("aAbİié", max_size=4), min_size=1),
    strategies.text("aAbİiéß", max_size=5),
    strategies.text("aAbİié", max_size=4),
)
def test_texts_are_found_in_and_behind_their_common_beginning(
    listed: list[str], begun: str, wanted: str
) -> None:
    listed = [begun + text for text in listed]
    row = stored(listed)
    assert row.at(range(len(listed))) == listed
    folded = [folding.fold(text) for text in listed]
    assert row.containing(wanted).tolist() == [folding.fold(wanted) in text for text in folded]
    begin = row.containing(wanted, first=True).tolist()
    assert begin == [text.startswith(folding.fold(wanted)) for text in folded]
    for offset in range(12):
        cut = [text.encode()[offset : offset + 8].ljust(8, b"\0") for text in listed]
        assert row.keys(offset, folded=False).tolist() == [int.from_bytes(text, "big") for text in cut]


texts = strategies.one_of(
    strategies.none(),
    strategies.text("aAbZ_%\\ä\n", max_size=4),
    strategies.integers(0, 99).map(lambda n: f"{SITE}{n}"),
    strategies.text("xX", min_size=7, max_size=18),
    strategies.text("?01.", max_size=3),
)


@pytest.mark.usefixtures("small")
@hypothesis.settings(max_examples=40, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(strategies.lists(strategies.tuples(texts, texts), max_size=20), strategies.integers(1, 9))
def test_games_sort_and_filter_by_own_texts_as_by_others(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str | None, str | None]], size: int
) -> None:
    rows = [game(site, number) for site, number in pairs]
    with filled(tmp_path_factory.mktemp("c"), rows, size) as (opened, source):
        assert opened.headers(source, range(len(rows))) == dict(enumerate(rows))
        sources = [(source, 0)]
        for descending in (False, True):
            sites = {n: row.site for n, row in enumerate(rows) if row.site and row.site.strip("?.- ")}
            rounds = {n: row.round for n, row in enumerate(rows) if row.round and row.round.strip("?.- ")}
            by_site = sorted(sites, key=lambda n: sites[n].encode().lower(), reverse=descending)
            by_site += [n for n in range(len(rows)) if n not in sites]
            by_round = sorted(rounds, key=lambda n: natural(rounds[n]), reverse=descending)
            by_round += [n for n in range(len(rows)) if n not in rounds]
            assert list(opened.ids(sources, sort="site", descending=descending)) == by_site
            assert list(opened.ids(sources, sort="round", descending=descending)) == by_round
        for word in ("a", "game-1", "XX", "%", "https"):
            wanted = [n for n, row in enumerate(rows) if word.lower() in (row.site or "").lower()]
            try:
                assert list(opened.ids(sources, text=f"site:{word}")) == wanted
            except errors.CqlguiError:
                assert not wanted
            offered = opened.names([source], ["site"], word, 50)
            assert set(offered) == {rows[n].site for n in wanted}
        codes = opened.coded(source, "site", len, len(rows))
        assert codes.tolist() == [len(row.site or "") for row in rows]
        column = opened.tag_column(source, 0, len(rows), "Site")
        assert [column.texts[place] for place in column.places.tolist()] == [row.site for row in rows]


@pytest.mark.usefixtures("small")
def test_rows_go_with_their_games_and_no_number_is_given_twice(tmp_path: Path) -> None:
    rows = [game(f"{SITE}{n}") for n in range(30)]
    with filled(tmp_path, rows, 10) as (opened, source):
        before = np.concatenate(opened.text_numbers(source, 0, 30, "site"))
        opened.begin(source, 15)
        assert counted(opened.path) == (2, 0)
        assert opened.sound(source) == 15
        assert opened.headers(source, range(30)) == dict(enumerate(rows[:15]))
        others = [game(f"other {n}") for n in range(15)]
        opened.add_games(source, 15, [headers.Table.of(others)], 0)
        assert opened.headers(source, range(30)) == dict(enumerate([*rows[:15], *others]))
        after = np.concatenate(opened.text_numbers(source, 0, 30, "site"))
        assert after[:15].tolist() == before[:15].tolist()
        assert not set(after[15:].tolist()) & set(before.tolist())
        opened.begin(source, 0)
        assert counted(opened.path) == (0, 0)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("change", ["texts = 'x'", "prefix = prefix + 1", "ends = zeroblob(length(ends))"])
def test_altered_rows_are_noticed_at_the_start_or_at_their_first_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    rows = [game(f"{SITE}{n}") for n in range(30)]
    with (
        filled(tmp_path, rows, 10) as (opened, source),
        contextlib.closing(sqlite3.connect(opened.path)) as other,
    ):
        other.execute(f"update own set {change} where id = 2")
        other.commit()
        assert opened.sound(source) == 10
        monkeypatch.setattr(database, "CHECKED_WHOLE", 0)
        assert opened.sound(source) == 30
        assert opened.headers(source, [29]) == {29: rows[29]}
        with pytest.raises(database.Damaged):
            opened.headers(source, [15])


def test_the_bytes_of_texts_become_numbers_in_their_order() -> None:
    listed = [b"", b"a", b"ab", b"abcdefgh", b"abcdefghi", b"b", b"\xff" * 9]
    known = own_texts.Texts(b"", b"".join(listed), np.cumsum([len(text) for text in listed]))
    for offset in range(10):
        keys = known.keys(offset, folded=False).tolist()
        assert keys == [int.from_bytes(text[offset : offset + 8].ljust(8, b"\0"), "big") for text in listed]


@pytest.mark.parametrize(
    "keys",
    [
        [],
        [7],
        [7, 7],
        [5, 3, 4, 6],
        [5, 3, 3, 6],
        [3, 3, 3, 6],
        [0, 2**32 - 1],
        [2**32 - 1, 2**32 - 2, 2**32 - 3],
        [1, 0, 70_000, 0],
    ],
)
def test_games_with_equal_keys_keep_their_order(keys: list[int]) -> None:
    given = np.array(keys, np.uint32)
    assert listing._order(given).tolist() == sorted(range(len(keys)), key=keys.__getitem__)


@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 3000, 65_535, 65_536])
@pytest.mark.parametrize("letters", [b"ab", b"\0a", bytes(range(256))])
def test_texts_are_ranked_by_all_their_bytes(
    count: int, letters: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "_PART", 100)
    random = np.random.default_rng(count)
    # Few letters make many texts that are equal, or that differ only behind their first bytes.
    sizes = random.integers(0, 20, count)
    letter = np.frombuffer(letters, np.uint8)[random.integers(0, len(letters), int(sizes.sum()))]
    known = own_texts.Texts(b"", letter.tobytes(), np.cumsum(sizes))
    ranks = ranking.of_keys(lambda offset: known.keys(offset, folded=False), 0)

    def compared(text: bytes) -> bytes:
        """The bytes that count: a text ends before eight bytes of 0 that begin at a multiple of 8."""
        blocks = [text[place : place + 8].ljust(8, b"\0") for place in range(0, 24, 8)]
        return b"".join(blocks[: blocks.index(bytes(8))] if bytes(8) in blocks else blocks)

    ends = np.cumsum(sizes).tolist()
    listed = [compared(known.data[end - size : end]) for end, size in zip(ends, sizes.tolist(), strict=True)]
    expected = {text: place for place, text in enumerate(sorted(set(listed)))}
    assert ranks.tolist() == [expected[text] for text in listed]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("turned", [False, True])
def test_blocks_with_other_beginnings_are_sorted_together(tmp_path: Path, turned: bool) -> None:
    # The beginnings of the blocks differ by eight bytes, as many as are compared at a time.
    blocks = [[game(f"{SITE}{more}{n}") for n in (30, 10, 20, 40)] for more in ("studies/", "")]
    rows = [row for block in (reversed(blocks) if turned else blocks) for row in block]
    with filled(tmp_path, rows, 4) as (opened, source):
        wanted = sorted(range(len(rows)), key=lambda place: rows[place].site or "")
        assert list(opened.ids([(source, 0)], sort="site")) == wanted


@pytest.mark.parametrize("wanted", [[0], [1, 698], [3, 1998], list(range(0, 2000, 2)), list(range(2000)), []])
def test_rows_of_few_games_do_not_keep_their_blocks(wanted: list[int], tmp_path: Path) -> None:
    tags = [{"Annotator": "A" * (n % 50)} if n % 3 else {} for n in range(2000)]
    rows = [headers.from_tags(list(one.items()), 4, False) for one in tags]
    with filled(tmp_path, rows, 700) as (opened, source):
        found = opened.numbered(source, np.array(wanted, np.int64))
        texts = [
            data.data[begin:end].tobytes().decode()
            for data, starts, ends in found.more
            for begin, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        assert found.games.tolist() == wanted
        assert texts == [rows[n].more for n in wanted]
        needed = sum(map(len, texts))
        assert sum(len(data) for data, _, _ in found.more) <= 4 * needed


def test_a_snapshot_may_be_in_another_one(tmp_path: Path) -> None:
    rows = [game("London", str(n)) for n in range(5)]
    with (
        filled(tmp_path, rows) as (opened, source),
        contextlib.closing(catalog.Catalog(opened.path)) as other,
    ):
        with opened.snapshot():
            with opened.snapshot():
                assert opened.count(source) == 5
            other.begin(source, 0)
            assert opened.count(source) == 5
            assert opened.numbered(source, np.arange(5)).games.tolist() == [0, 1, 2, 3, 4]
        assert opened.count(source) == 0


@pytest.mark.parametrize("by_another", [False, True])
def test_a_snapshot_outlasts_a_thaw(
    by_another: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that could only be read as it stands becomes writable while a thread reads a snapshot of it."""
    with filled(tmp_path, [game("London", str(n)) for n in range(5)]) as (opened, source):
        path = opened.path
    real, is_full = database._connected, True

    def connected(path: Path) -> tuple[sqlite3.Connection, bool]:
        return (database._connection(path, as_it_stands=True), True) if is_full else real(path)

    monkeypatch.setattr(database, "_connected", connected)
    with contextlib.closing(catalog.Catalog(path, create=False)) as known:
        assert known.count(source) == 5
        assert known._file._frozen is not None
        is_full = False
        with contextlib.closing(catalog.Catalog(path)) as other, known.snapshot():
            found = known.numbered(source, np.arange(5))
            if by_another:
                thread = threading.Thread(target=known.source, args=(tmp_path / "b.pgn",))
                thread.start()
                thread.join()
                assert known._file._frozen is None
            other.begin(source, 0)
            assert set(known.texts("site", found.texts["site"].tolist()).values()) == {"London"}
            assert known.count(source) == 5
        assert known.count(source) == 0
