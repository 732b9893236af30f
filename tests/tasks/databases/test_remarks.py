"""The comments and glyphs of a segment's games are those that the interpreter reads, and they are read
once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cqlgui.base import errors
from cqlgui.jit import native
from cqlgui.store import side_files
from cqlgui.store.remarks import Remark
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import hosts, importing, remarks, sources, workspace
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching, sieving

TEXTS = (
    '[White "A"]\n[Black "B"]\n\n{start} $14 1. e4! {a  \n b} (1. d4 $2 {aside}) 1... e5 $10 1-0\n\n',
    '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Nf3 *\n\n',
    '[White "A"]\n[Black "B"]\n\n1. e4 ; to the end\n e5 {b} ({only}) 2. Nf3 *\n\n',
    '[White "A"]\n[Black "B"]\n\n1. e4 {caf\u00e9} e5 2. Kxe5 {gone} *\n\n',
)


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """As in a program that was just started."""
    remarks.KEPT.clear()


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    path = tmp_path / "a.pgn"
    path.write_text("".join(TEXTS) * 3, "utf-8")
    with path.open("ab") as file:
        file.write(TEXTS[3].encode("cp1252"))
    return importing.open_base([path]).base


def file_of(base: base_model.Base) -> Path:
    (segment,) = workspace.index_folder(base.sources[0].path).glob("*.seg")
    return side_files.path_of(segment, side_files.REMARKS)


def of_games(base: base_model.Base) -> list[dict[int, Remark]]:
    """The remarks of each game by positionid."""
    found = remarks.of_segment(base.sources[0], 0)
    return [found.of_game(game) for game in range(len(found))]


def test_remarks_are_those_of_the_interpreter(base: base_model.Base) -> None:
    found = of_games(base)
    assert len(found) == base.games == 13
    assert found[0] == {0: ("start", ()), 1: ("a b", (1,)), 2: (None, (10,)), 3: ("aside", (2,))}
    with sources.opened(base.sources[0]) as opened:
        for game, own in enumerate(found):
            host = hosts.GameHost(opened, game)
            for place in range(10):
                glyphs = host.nags(place) if place else ()
                assert own.get(place, (None, ())) == (host.comment(place), glyphs)
    assert found[12] == {1: ("caf\u00e9", ())}


def test_texts_are_read_once(base: base_model.Base, monkeypatch: pytest.MonkeyPatch) -> None:
    first = of_games(base)
    assert file_of(base).is_file()
    read: list[int] = []

    find = remarks.find

    def counted(*arguments: Any) -> Any:
        read.append(1)
        return find(*arguments)

    monkeypatch.setattr(remarks, "find", counted)
    assert of_games(base) == first
    remarks.KEPT.clear()
    assert of_games(base) == first
    assert not read
    # A damaged file, or a file of another version, is made again.
    remarks.KEPT.clear()
    file_of(base).write_bytes(file_of(base).read_bytes()[:-3])
    assert of_games(base) == first
    monkeypatch.setattr(remarks.KEPT, "version", remarks.KEPT.version + 1)
    remarks.KEPT.clear()
    assert of_games(base) == first
    assert len(read) == 2


def test_only_a_few_segments_stay_in_memory(base: base_model.Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remarks.KEPT, "most_bytes", 1)
    other = base.sources[0].path.with_name("b.pgn")
    other.write_text(TEXTS[0])
    of_games(base)
    of_games(importing.open_base([other]).base)
    assert len(remarks.KEPT) == 1


def test_other_comments_of_the_same_length_are_read_again(base: base_model.Base) -> None:
    first = of_games(base)
    path = base.sources[0].path
    path.write_bytes(path.read_bytes().replace(b"{start}", b"{other}"))
    again = of_games(importing.open_base([path]).base)
    assert again[0].pop(0).comment == "other"
    assert first[0].pop(0).comment == "start"
    assert again[0] == first[0]


def test_a_text_that_changed_is_refused(base: base_model.Base) -> None:
    path = base.sources[0].path
    path.write_text(TEXTS[1])
    with pytest.raises(errors.SourceError):
        of_games(base)


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_games_without_such_a_comment_are_passed_over(base: base_model.Base) -> None:
    def asked(query: str, *, compiled: bool = True) -> list[int]:
        options = search_model.SearchOptions(compiled=compiled, details=search_model.Details.NONE)
        found = searching.search(base, query, options)
        assert not compiled or found.engine == "compiled"
        return [number - 1 for number in found.order]

    for query, games in (
        ('cql() originalcomment "a b"', [0, 4, 8]),
        ('cql() originalcomment "$10"', [0, 4, 8]),
        ('cql() originalcomment "aside"', []),
        ('cql(variations) originalcomment "aside"', [0, 4, 8]),
        ("cql() not originalcomment", list(range(13))),
    ):
        assert asked(query) == asked(query, compiled=False) == games
    assert asked_games(base, 'cql(variations) originalcomment "aside"') == [0, 4, 8]


def asked_games(base: base_model.Base, query: str) -> list[int]:
    """The games of the base that must be searched for a query."""
    planner = sieving.plan(queries.expanded(query)).planner
    assert planner is not None
    with sources.indexed(base.sources[0]) as opened:
        ((first, segment),) = opened.parts
        numbers: list[int] = planner.part(base.sources[0], first, segment).numbers.tolist()
        return numbers
