"""What is passed over before a search, by headers from the catalog and signatures beside the segments."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from cqlgui.base.files import disk
from cqlgui.db import headers
from cqlgui.engine.pruning import pruner, signatures
from cqlgui.jit import native
from cqlgui.store import index, segments, side_files
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing, signing, workspace
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import planning, searching

MATE = '[White "A, B"]\n[WhiteElo "2500"]\n[Date "1990.01.01"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
QUIET = '[White "C"]\n[WhiteElo "2450?"]\n[Annotator "D"]\n[Result "1-0"]\n\n1. e4 (1. d4) e5 1/2-1/2\n\n'


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    path = tmp_path / "a.pgn"
    path.write_text(QUIET * 4 + MATE + QUIET * 3)
    return importing.open_base([path]).base


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a program that was just started."""
    planning._kept.clear()


def searched(base: base_model.Base, text: str, *, pruned: bool = True) -> list[int]:
    """The games of the first source that must be searched."""
    (source,) = base.sources
    planner = planning.Planner(queries.expanded(text), pruned=pruned)
    found: list[int] = []
    with index.SourceIndex.open(workspace.index_folder(source.path)) as opened:
        for first, segment in opened.parts:
            part = planner.part(source, first, segment)
            found += [first + number for number in part.numbers.tolist()]
    return found


def kept_file(base: base_model.Base) -> Path:
    folder = workspace.index_folder(base.sources[0].path)
    (path,) = folder.glob("*.seg")
    return side_files.path_of(path)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("mate", [4]),
        ("not mate", list(range(8))),
        ("variation", []),
        ("cql(variations) variation", [0, 1, 2, 3, 5, 6, 7]),
        ('player "A, B"', [4]),
        ("elo > 2460", [4]),
        ("elo white == 2450", [0, 1, 2, 3, 5, 6, 7]),
        ('tag "Annotator" ~~ "D"', [0, 1, 2, 3, 5, 6, 7]),
        ("result 1/2-1/2", [0, 1, 2, 3, 5, 6, 7]),
        ("cql(result 1-0) K", []),
        ("cql(gamenumber 3 5) year == 1990", [4]),
        ("gamenumber == 8 K", [7]),
        ("lastgamenumber == 8", list(range(8))),
        ("persistent x += 1", list(range(8))),
    ],
)
def test_what_must_be_searched(base: base_model.Base, text: str, wanted: list[int]) -> None:
    assert searched(base, text) == wanted
    assert searched(base, text, pruned=False) == list(range(8))


def test_signatures_are_made_when_they_are_needed_and_kept(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    make = signatures.make

    def counting(asked: object) -> signatures.Signatures:
        made.append(asked)
        return make(asked)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(signatures, "make", counting)
    searched(base, 'player "A"')
    assert not made
    assert not kept_file(base).exists()
    for _ in range(2):
        assert searched(base, "mate") == [4]
        planning._kept.clear()
    assert len(made) == 1
    assert kept_file(base).exists()


@pytest.mark.parametrize("damage", ["cut", "flipped", "older", "missing"])
def test_a_damaged_file_is_made_anew(base: base_model.Base, damage: str) -> None:
    searched(base, "mate")
    path = kept_file(base)
    good = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "older":
        path.write_bytes(good[:8] + bytes([signatures.VERSION - 1]) + good[9:])
    else:
        path.write_bytes(good[:-5] if damage == "cut" else good[:-5] + bytes([good[-5] ^ 4]) + good[-4:])
    planning._kept.clear()
    assert searched(base, "mate") == [4]
    assert path.read_bytes() == good


def test_a_disk_that_refuses_them_does_no_harm(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, data: bytes, **_: bool) -> None:
        raise OSError("full")

    monkeypatch.setattr(disk, "replace_file", refuse)
    assert searched(base, "mate") == [4]
    assert searching.search(base, "mate").order == (5,)


def test_a_source_that_changed_is_asked_anew(base: base_model.Base) -> None:
    assert searched(base, 'player "A, B"') == [4]
    path = base.sources[0].path
    path.write_text(path.read_text().replace("A, B", "X, Y"))
    again = importing.open_base([path]).base
    assert searched(again, 'player "A, B"') == []
    assert searched(again, 'player "X, Y" mate') == [4]


def test_large_segments_have_no_signatures_without_machine_code(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "available", lambda: False)
    monkeypatch.setattr(signing, "_MOST_PLAIN", 3)
    assert searched(base, "mate") == list(range(8))
    assert searched(base, 'player "A, B" mate') == [4]
    assert not kept_file(base).exists()


def test_what_leaves_nearly_all_games_is_seldom_asked_again(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source,) = base.sources
    asked: list[object] = []
    candidates = pruner.candidates

    def counting(*given: Any) -> Any:
        asked.append(given)
        return candidates(*given)

    monkeypatch.setattr(pruner, "candidates", counting)
    for text, wanted in (("K", 3), ("mate", 9)):
        asked.clear()
        planner = planning.Planner(queries.expanded(text))
        with index.SourceIndex.open(workspace.index_folder(source.path)) as opened:
            ((first, segment),) = opened.parts
            left = [len(planner.part(source, first, segment).numbers) for _ in range(9)]
        assert len(asked) == wanted
        assert len(set(left)) == 1


@pytest.mark.parametrize("text", ["x = 3 x * x == 9 mate", "x = ply {not x * x == 4} mate"])
def test_games_in_which_a_number_may_grow_too_large_are_searched(base: base_model.Base, text: str) -> None:
    assert searched(base, text) == list(range(8))
    assert searched(base, "x = 3 mate") == [4]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("not (check or ply >= 0)", []),
        ("not (ply >= 0 or check)", []),
        ("not (check and K)", list(range(8))),
        ("not (mate and K)", list(range(8))),
        ("(mate or check) and K", [4]),
        ("mate and K", [4]),
        ("K and mate", [4]),
    ],
)
def test_both_sides_of_a_condition_decide(base: base_model.Base, text: str, wanted: list[int]) -> None:
    assert searched(base, text) == wanted


@pytest.mark.parametrize(("known", "counts"), [(3, [3, 3, 0, 0]), (5, [5, 4, 0, 0]), (8, [8, 7, 0, 0])])
def test_games_that_were_indexed_since_are_not_counted(
    base: base_model.Base, known: int, counts: list[int]
) -> None:
    (source,) = base.sources
    planner = planning.Planner(queries.expanded('cql(gamenumber 1 100) player "C" mate'))
    with index.SourceIndex.open(workspace.index_folder(source.path)) as opened:
        ((first, segment),) = opened.parts
        assert planner.counts(dataclasses.replace(source, games=known), first, segment) == counts


def test_columns_of_tags_are_those_of_the_rows(base: base_model.Base) -> None:
    (source,) = base.sources
    catalog = workspace.catalog()
    rows = catalog.headers(source.id, range(8))
    for name in (*headers.COLUMNS, *headers.RATINGS, "Annotator", "Nothing", 'Odd"name'):
        for first, count in ((0, 8), (2, 4), (5, 6)):
            column = catalog.tag_column(source.id, first, count, name)
            found = [column.texts[place] for place in column.places.tolist()]
            tags = [
                headers.to_tags(rows[game]) if game in rows else {} for game in range(first, first + count)
            ]
            assert found == [own.get(name) for own in tags], name
    column = catalog.result_column(source.id, 0, 8)
    found = [column.texts[place] for place in column.places.tolist()]
    assert found == [rows[game].ending or rows[game].result for game in range(8)]


@pytest.mark.parametrize(
    "text",
    [
        'player "A" mate',
        'player "A"',
        "mate",
        "cql(gamenumber 5 6) mate",
        "cql(gamenumber 5 6) originalcomment",
        'cql(variations) player "A" mate',
        "cql(matchcount 0 3) mate",
    ],
)
def test_several_segments_are_planned_like_each_by_itself(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "FIRST_BATCH", 2)
    monkeypatch.setattr(importing, "LATER_BATCH", 2)
    monkeypatch.setattr(segments, "LARGEST", 2)
    monkeypatch.setattr(planning, "_MOST_ASKED", 16)
    path = tmp_path / "a.pgn"
    path.write_text(QUIET * 4 + MATE + QUIET * 12 + MATE + QUIET * 3)
    (source,) = importing.open_base([path]).base.sources
    with index.SourceIndex.open(workspace.index_folder(source.path)) as opened:
        listed = list(opened.parts)
        assert len(listed) == 11
        for some in (listed, listed[2:], listed[::3], [listed[2], listed[8]]):
            for games in (21, 20, 5):
                known = dataclasses.replace(source, games=games)
                together = list(planning.Planner(queries.expanded(text)).parts(known, some))
                assert [first for first, _ in together] == [first for first, _ in some]
                for (first, segment), (_, part) in zip(some, together, strict=True):
                    alone = planning.Planner(queries.expanded(text)).part(known, first, segment)
                    assert part.numbers.tolist() == alone.numbers.tolist()
                    assert part.count == alone.count
                    assert part.lengths.tolist() == alone.lengths.tolist()
                    for name in ("firsts", "counts", "starts", "branching"):
                        one, other = getattr(part.asked, name), getattr(alone.asked, name)
                        assert one[part.numbers].tolist() == other[alone.numbers].tolist()
