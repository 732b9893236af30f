"""Rows of hits have the order and the groups that plain code gives them."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cqlgui.base import errors, progress
from cqlgui.jit import native
from cqlgui.tasks.analysis import arranging, sorted_rows
from cqlgui.tasks.analysis.arranging import Key, Sort
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.export import records
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import hit_details, searching
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
QUERIES = [
    "flip {[Bb] attacks [Kk]}",
    "power A - power a",
    "[Aa] attacks k",
    'check comment("by ply " ply)',
    'sort "men" #[Aa] check',
    'check tag "Black"',
    'check comment("by " ply) str("ply " ply)',
    """check comment("even" ply) {comment("many" 1) ply>40 or 1} {comment("few") player white "a" or 1}""",
    "check message(1) A attacks a",
    "mate",
    "not initial not initial initial",
]


@pytest.fixture
def base() -> base_model.Base:
    sample = helpers.ROOT / "resources" / "sample" / "sample.pgn"
    return importing.open_base([sample]).base


def told(base: base_model.Base, result: search_model.SearchResult) -> list[dict[str, Any]]:
    """All hits with their rows, in the order of the columns."""
    found = dict(zip(result.order, hit_details.tell(base, result, result.order), strict=True))
    of_hits = {
        (one["game"], one["positionid"]): one for one in records.records(base, found.values(), result.orbits)
    }
    places = zip(
        result.games.columns.games.tolist(), (result.games.columns.hits & 0xFFFFFFFF).tolist(), strict=True
    )
    return [of_hits[place] for place in places]


def test_ranks_have_numbers_of_any_size_before_texts() -> None:
    values = [10**30, "b", -5, None, "A", 10**30, "a", -(10**25)]
    assert arranging._ranked(values).tolist() == [2, 4, 1, arranging.LAST, 3, 2, 3, 0]
    assert arranging._ranked([]).tolist() == []


def test_keys_of_texts_are_made_once(base: base_model.Base, monkeypatch: pytest.MonkeyPatch) -> None:
    result = searching.search(base, 'check comment("by ply " ply)')
    columns = result.games.columns
    texts = arranging.TextKeys(base, result, columns)
    first = arranging.arrange(base, result, columns, sorts=[Key(Sort.COMMENT)], texts=texts)
    monkeypatch.setattr(arranging, "_told", None)
    again = arranging.arrange(base, result, columns, sorts=[Key(Sort.COMMENT, True)], texts=texts)
    assert columns.hits[again.numbers[:1]].tolist() != columns.hits[first.numbers[:1]].tolist()
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        texts.of(Sort.COMMENT, token)


def key_of(sort: Sort, hits: list[dict[str, Any]], at: int, keys: dict[int, Any]) -> Any:
    """The sort key of a hit in plain words; None if it has no value."""
    one = hits[at]
    match sort:
        case Sort.ELEMENT:
            return one["orbit"][0]["element"] if one["orbit"] else None
        case Sort.VALUE:
            text = one["value"] if one["value"] is not None else one["comment"] or None
            if text is not None and text.startswith("["):
                return text.count(",") + 1 if text != "[]" else 0
            if text is not None and len(text) == 2 and text[0] in "abcdefgh":
                return 1
            return int(text) if text is not None and text.lstrip("-").isdigit() else text
        case Sort.COMMENT:
            return one["comment"] or None
        case Sort.ROUND:
            parts = re.findall("[0-9]+|[^0-9]+", one["round"])
            known = [(not part.isdigit(), int(part) if part.isdigit() else part) for part in parts]
            return known if one["round"].strip("?.- ") else None
        case Sort.PLACE:
            return sum(other["game"] == one["game"] for other in hits[:at])
        case Sort.HITS:
            return sum(other["game"] == one["game"] for other in hits)
        case Sort.SORT_KEY:
            return keys[one["game"]][0] if keys.get(one["game"]) else None
        case Sort.WHITE | Sort.BLACK | Sort.EVENT | Sort.SITE:
            return one[sort.value].lower() if one[sort.value].strip("?.- ") else None
        case Sort.DATE:
            return one["date"] if one["date"].strip("?.") else None
        case _:
            return one[sort.value] or None if sort.value in one and sort not in _ZEROS else one[sort.value]


_ZEROS = (Sort.PLY, Sort.GAME)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("variations", [False, True])
def test_rows_are_sorted_by_any_column(base: base_model.Base, query: str, variations: bool) -> None:
    options = search_model.SearchOptions(variations=variations, within=np.arange(1, 41))
    result = searching.search(base, query, options)
    columns = result.games.columns
    hits = told(base, result) if len(columns) else []
    keys = result.games.sort_keys()
    for sort, descending in itertools.product(Sort, (False, True)):
        made = arranging.arrange(base, result, columns, sorts=[Key(sort, descending)])
        wanted = [key_of(sort, hits, at, keys) for at in range(len(hits))]
        known = [at for at in range(len(hits)) if wanted[at] is not None]
        known.sort(key=lambda at: wanted[at], reverse=descending)
        if descending:
            # Rows with equal keys keep their order in both directions.
            known.sort(key=lambda at: at)
            known.sort(key=lambda at: _Turned(wanted[at]))
        expected = known + [at for at in range(len(hits)) if wanted[at] is None]
        assert made.numbers.tolist() == expected, (sort, descending)
        assert made.rows[made.numbers].tolist() == list(range(len(hits)))
        assert set(made.sizes.tolist()) <= {1}
        assert made.games == len({one["game"] for one in hits})


@pytest.mark.parametrize("variations", [False, True])
def test_rows_are_sorted_by_comments_though_they_have_values(tmp_path: Path, variations: bool) -> None:
    source = tmp_path / "a.pgn"
    rounds = ("10", "2", "1.10", "1.2", "?")
    source.write_text("".join(f'[Round "{one}"]\n\n1. e4 e5 2. Nf3 *\n\n' for one in rounds))
    base = importing.open_base([source]).base
    query = 'initial comment("by " gamenumber) gamenumber'
    result = searching.search(base, query, search_model.SearchOptions(variations=variations))
    columns = result.games.columns

    def sorted_by(text: str) -> list[int]:
        made = arranging.arrange(base, result, columns, sorts=sorted_rows.parsed(text))
        return [int(game) for game in columns.games[made.numbers]]

    assert sorted_by("-comment") == [5, 4, 3, 2, 1]
    assert sorted_by("round") == [4, 3, 2, 1, 5]
    assert sorted_by("-round") == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", list(Rows))
def test_unknown_headers_come_last_in_both_directions(tmp_path: Path, kind: Rows) -> None:
    source = tmp_path / "a.pgn"
    tags = {
        "Date": ("1990.??.??", "????.??.??", "????.05.01", "1990.02.01", "1991.01.01"),
        "Event": ("A", "?", "-", "", "Z"),
        "Site": ("a", "?", "", "- ?", "Z"),
        "Round": ("2", "?", "-", "", "10"),
    }
    games_ = ("".join(f'[{name} "{values[at]}"]\n' for name, values in tags.items()) for at in range(5))
    source.write_text("".join(f"{one}\n1. e4 *\n\n" for one in games_))
    base = importing.open_base([source]).base
    result = searching.search(base, "initial")
    columns = result.games.columns

    def sorted_by(text: str) -> list[int]:
        made = arranging.arrange(base, result, columns, kind=kind, sorts=sorted_rows.parsed(text))
        return [int(game) for game in columns.games[made.numbers]]

    for name in ("event", "site", "round"):
        assert sorted_by(name) == [1, 5, 2, 3, 4], name
        assert sorted_by(f"-{name}") == [5, 1, 2, 3, 4], name
        assert list(games.ids(base, sort=name)) == [1, 5, 2, 3, 4], name
        assert list(games.ids(base, sort=name, descending=True)) == [5, 1, 2, 3, 4], name
    # A date is compared as a text, so one whose month is unknown stands behind the others of its year.
    assert sorted_by("date") == [4, 1, 5, 2, 3]
    assert sorted_by("-date") == [5, 1, 4, 2, 3]
    assert list(games.ids(base, sort="date")) == [4, 1, 5, 2, 3]


def test_rows_are_sorted_by_the_names_of_files(tmp_path: Path) -> None:
    for folder, name in (("a", "Zoo.pgn"), ("b", "ant.pgn"), ("c", "Bee.pgn"), ("d", "ant.pgn")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(f'[White "{folder}"]\n\n1. e4 *\n')
    paths = ("a/Zoo.pgn", "b/ant.pgn", "c/Bee.pgn", "d/ant.pgn")
    base = importing.open_base([tmp_path / path for path in paths]).base
    result = searching.search(base, "true")
    columns = result.games.columns
    for descending, games_ in ((False, [2, 4, 3, 1]), (True, [1, 3, 4, 2])):
        made = arranging.arrange(base, result, columns, kind=Rows.GAMES, sorts=[Key(Sort.FILE, descending)])
        assert columns.games[made.numbers].tolist() == games_


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("kind", list(Rows))
def test_sorted_rows_are_the_rows_of_the_arrangement(base: base_model.Base, query: str, kind: Rows) -> None:
    options = search_model.SearchOptions(within=np.arange(1, 41), details=search_model.Details.ALL)
    result = searching.search(base, query, options)
    columns = result.games.in_order(result.order).columns
    plain = list(
        records.of_games(
            base, result.games, result.order, result.orbits, variations=result.variations, rows=kind
        )
    )
    for text in ("-white_elo,ply", "file", "value,-date", "-comment,round", "element,-hits,black"):
        sorts = sorted_rows.parsed(text)
        assert sorted_rows.spelt(sorts) == text
        made = arranging.arrange(base, result, columns, kind=kind, sorts=sorts)
        tables = sorted_rows.tables(base, result, rows=kind, sorts=sorts)
        rows = list(itertools.chain.from_iterable(tables))
        assert [(row["game"], row["positionid"]) for row in rows] == list(
            zip(
                columns.games[made.numbers].tolist(),
                (columns.hits[made.numbers] & 0xFFFFFFFF).tolist(),
                strict=True,
            )
        )
        if kind is Rows.GAMES:
            sizes = {row["game"]: row["hits"] for row in plain}
            assert {row["game"]: row["hits"] for row in rows} == sizes
            assert [set(row) for row in rows] == [set(kind.fields)] * len(rows)
        else:
            # The same rows, in another order.
            assert sorted(map(str, rows)) == sorted(map(str, plain))


def test_an_order_with_an_unknown_column_is_refused() -> None:
    for text, said in (("whit", "by 'whit'; known are white, "), ("", "by ''"), ("ply,-ply", "ply is named")):
        with pytest.raises(errors.CqlguiError, match=said):
            sorted_rows.parsed(text)


@pytest.mark.parametrize("kind", list(Rows))
def test_rows_that_are_equal_in_one_column_are_sorted_by_the_next(base: base_model.Base, kind: Rows) -> None:
    result = searching.search(
        base, "flipcolor {btm check}", search_model.SearchOptions(within=np.arange(1, 41))
    )
    columns = result.games.columns
    hits = told(base, result)
    groups = groups_of(hits, kind)
    draw = random.Random(kind.value)
    sorts = [sort for sort in Sort if sort not in (Sort.VALUE, Sort.SORT_KEY)]
    for _ in range(30):
        keys = [Key(sort, draw.random() < 0.5) for sort in draw.sample(sorts, draw.choice((2, 2, 3)))]

        def rank(at: int, group: list[int], keys: list[Key] = keys) -> tuple[Any, ...]:
            found: list[Any] = []
            for key in keys:
                known = key_of(key.sort, hits, at, {})
                if key.sort is Sort.HITS and kind is not Rows.HITS:
                    known = len(group)
                found += [
                    known is None,
                    None if known is None else _Turned(known) if key.descending else known,
                ]
            return (*found, at)

        best = [
            min(group, key=lambda at, group=group: rank(at, group)) if kind is Rows.GAMES else group[0]
            for group in groups
        ]
        order = sorted(range(len(groups)), key=lambda row: rank(best[row], groups[row]))
        made = arranging.arrange(base, result, columns, kind=kind, sorts=keys)
        assert made.numbers.tolist() == [best[row] for row in order], keys
        assert made.sizes.tolist() == [len(groups[row]) for row in order]
        for place, row in enumerate(order):
            assert {int(made.rows[at]) for at in groups[row]} == {place}


@pytest.mark.parametrize("span", [1, 1 << 15, (1 << 16) - 1, 1 << 16, 1 << 20, (1 << 32) - 1, 1 << 40])
def test_keys_of_any_size_are_sorted_and_equal_keys_keep_their_order(span: int) -> None:
    draw = np.random.default_rng(span)
    keys = draw.integers(-5, span - 5, 3_000, dtype=np.int64)
    keys[draw.integers(0, 3_000, 900)] = keys[draw.integers(0, 3_000, 900)]
    keys[0], keys[1] = -5, span - 6
    for some in (keys, np.where(draw.random(3_000) < 0.2, arranging.LAST, keys), keys[:0], keys[:1]):
        assert arranging._order(some).tolist() == np.argsort(some, kind="stable").tolist()
    unknown = np.full(4, arranging.LAST)
    assert arranging._order(unknown).tolist() == [0, 1, 2, 3]


class _Turned:
    """A key that comes first if it is large."""

    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: _Turned) -> bool:
        return bool(other.key < self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Turned) and bool(other.key == self.key)

    def __hash__(self) -> int:
        return hash(self.key)


def groups_of(hits: list[dict[str, Any]], kind: Rows) -> list[list[int]]:
    found: list[list[int]] = []
    for at, one in enumerate(hits):
        before = hits[at - 1] if at else None
        joins = before is not None and before["game"] == one["game"]
        if joins and before is not None and kind is Rows.SPANS:
            joins = (
                before["positionid"] + 1 == one["positionid"]
                and before["ply"] + 1 == one["ply"]
                and [match["element"] for match in before["orbit"][:1]]
                == [match["element"] for match in one["orbit"][:1]]
            )
        if joins and kind is not Rows.HITS:
            found[-1].append(at)
        else:
            found.append([at])
    return found


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("variations", [False, True])
def test_hits_are_grouped(base: base_model.Base, query: str, variations: bool) -> None:
    options = search_model.SearchOptions(variations=variations, within=np.arange(1, 61))
    result = searching.search(base, query, options)
    columns = result.games.columns
    hits = told(base, result) if len(columns) else []
    for kind in Rows:
        groups = groups_of(hits, kind)
        made = arranging.arrange(base, result, columns, kind=kind)
        assert made.numbers.tolist() == [group[0] for group in groups]
        assert made.sizes.tolist() == [len(group) for group in groups]
        assert made.rows.tolist() == [row for row, group in enumerate(groups) for _ in group]
        # The row of a game shows its best hit.
        by_ply = arranging.arrange(base, result, columns, kind=kind, sorts=[Key(Sort.PLY, True)])
        best = [
            max(group, key=lambda at: hits[at]["ply"]) if kind is Rows.GAMES else group[0] for group in groups
        ]
        best.sort(key=lambda at: -hits[at]["ply"])
        assert by_ply.numbers.tolist() == best
        for row, number in enumerate(by_ply.numbers.tolist()):
            group = next(group for group in groups if number in group)
            assert by_ply.sizes[row] == len(group)
            assert {int(by_ply.rows[at]) for at in group} == {row}


def test_only_chosen_hits_get_rows(base: base_model.Base) -> None:
    result = searching.search(base, "check")
    columns = result.games.columns
    chosen = np.sort(np.array(random.Random(3).sample(range(len(columns)), len(columns) // 2)))
    made = arranging.arrange(base, result, columns, sorts=[Key(Sort.WHITE)], chosen=chosen)
    assert sorted(made.numbers.tolist()) == chosen.tolist()
    left = np.setdiff1d(np.arange(len(columns)), chosen)
    assert (made.rows[left] == -1).all()
    names = [row.white.lower() for row in games.rows(base, columns.games[made.numbers].tolist())]
    assert names == sorted(names)
    most = arranging.arrange(base, result, columns, kind=Rows.GAMES, sorts=[Key(Sort.HITS, True)])
    assert most.sizes.tolist() == sorted(most.sizes.tolist(), reverse=True)
