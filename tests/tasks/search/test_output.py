"""What queries write, from the search to the exported file: comments, tags, removals, messages, sort keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.cql.interpreting.runtime import settings
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.search import searching

FIRST = '[Event "1.p X"]\n[White "Ünal"]\n[Black "B"]\n\n' + (
    "{root} 1. e4 {old}  {older} e5 2. Nf3 (2. f4 {side} exf4) 1-0"
)
SECOND = '[Event "2.hm X"]\n[White "C"]\n[Black "D"]\n\n1. d4   d5 {kept} 0-1'
THIRD = '[Event "no award"]\n[White "E"]\n[Black "F"]\n\n1. c4 *'


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    source = tmp_path / "a.pgn"
    source.write_bytes("\n\n".join((FIRST, SECOND, THIRD, "")).encode())
    return importing.open_base([source]).base


def exported(base: base_model.Base, query: str, out: Path, *, annotate: bool = True, **said: bool) -> str:
    options = search_model.SearchOptions(settings=settings.Settings(**said))  # type: ignore[arg-type]  # switches only
    exporting.export(base, searching.search(base, query, options), out, annotate=annotate)
    return out.read_text(encoding="utf-8")


def test_comments_tags_and_removals_reach_the_file(base: base_model.Base, tmp_path: Path) -> None:
    query = (
        'cql(variations) Pf4 comment("pawns: " P) removecomment settag("Note" player white) sort "ply" ply'
    )
    text = exported(base, query, tmp_path / "out.pgn")
    assert text == (
        '[Event "1.p X"]\n[White "Ünal"]\n[Black "B"]\n[Note "Ünal"]\n\n'
        "{root} {Game number 1 ply: 3} 1. e4 {old}  {older} e5 2. Nf3 "
        "(2. f4 {pawns: [a2,b2,c2,d2,g2,h2,e4,f4] CQL [%csl Gf4]} exf4) 1-0\n"
    )


def test_games_stay_as_they_are_unless_annotated(base: base_model.Base, tmp_path: Path) -> None:
    query = 'comment("x") removecomment settag("Note" "y") sort "men" #[Aa]'
    text = exported(base, query, tmp_path / "out.pgn", annotate=False)
    assert text == "\n\n".join((FIRST, SECOND, THIRD)) + "\n"


@pytest.mark.parametrize(
    ("header", "said", "present", "absent"),
    [
        ("", {}, ["{Game number 2 x CQL}", "[Note"], ["kept"]),
        ("quiet", {}, ["{Game number 2 x}"], ["CQL", "kept"]),
        ("silent", {}, [], ["Game", "CQL", "{x", "[Note", "kept"]),
        ('matchstring "found"', {}, ["x found"], ["CQL"]),
        ("", {"header_comment": False}, ["{x CQL}"], ["Game number"]),
        ("", {"remove_comments": False}, ["{kept} {CQL}"], []),
        ("", {"set_tags": False}, ["CQL"], ["[Note"]),
        ("silent", {"quiet": True}, ["{Game number 2 x}"], ["CQL"]),
    ],
)
def test_levels_and_switches(
    base: base_model.Base,
    tmp_path: Path,
    header: str,
    said: dict[str, bool],
    present: list[str],
    absent: list[str],
) -> None:
    query = f'cql(gamenumber 2 {header}) removecomment settag("Note" "y") {{ply>0 or comment("x")}}'
    text = exported(base, query, tmp_path / "out.pgn", **said)
    assert [words for words in present if words not in text] == []
    assert [words for words in absent if words in text] == []


def test_exported_comments_read_back_as_comments(base: base_model.Base, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    exported(base, 'initial comment("a } b ♔" \\n "[Event " \\" "x" \\")', out)
    again = importing.open_base([out]).base
    assert again.games == 3
    assert searching.search(again, 'originalcomment "♔"').positions == 3


def test_messages_come_in_game_order_from_games_that_do_not_match_too(base: base_model.Base) -> None:
    heard: list[hit_model.QueryMessage] = []
    result = searching.search(
        base, 'initial message quiet (gamenumber " " event) player white "C"', on_messages=heard.extend
    )
    assert result.order == (2,)
    assert list(result.messages) == heard
    assert [(one.game, one.text) for one in heard] == [
        (1, "1 1.p X"), (2, "2 2.hm X"), (3, "3 no award"),
    ]  # fmt: skip
    limited = searching.search(base, "initial message quiet event", search_model.SearchOptions(limit=1))
    assert [one.game for one in limited.messages] == [1]


def test_messages_beyond_a_bound_are_counted(base: base_model.Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MAX_MESSAGES", 2)
    result = searching.search(base, "message quiet ply")
    assert ([one.text for one in result.messages], result.messages_dropped) == (["0", "1"], 7)


def test_long_messages_are_dropped_beyond_a_bound(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MOST_KEPT", 12)
    heard: list[hit_model.QueryMessage] = []
    result = searching.search(base, "initial message quiet event false", on_messages=heard.extend)
    assert [one.text for one in result.messages] == ["1.p X", "2.hm X"]
    assert (result.messages_dropped, len(heard)) == (1, 3)


@pytest.mark.parametrize(
    "query",
    [
        'comment "0123456789"',
        'initial settag("A" "012345678")',
        'initial sort "x" ("012345678" + str ply)',
        'initial ("012345678" + str ply)',
    ],
)
@pytest.mark.parametrize("workers", [1, 3])
def test_more_texts_than_memory_should_hold_stop_the_search(
    query: str, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "a.pgn"
    source.write_text("".join(f'[White "{n}"]\n\n*\n\n' for n in range(900)))
    base = importing.open_base([source]).base
    monkeypatch.setattr(searching, "MOST_KEPT", 2_000)
    heard: list[int] = []
    result = searching.search(
        base, query, search_model.SearchOptions(workers=workers), on_hits=lambda found: heard.extend(found)
    )
    assert result.stopped is not None
    assert "takes more than 2,000 characters" in result.stopped.reason
    assert list(result.order) == heard == list(range(1, result.stopped.game))
    written = [text for game in result.order for _, text in result.games.comments(game)]
    assert sum(len(text) for text in written if "0123" in text) <= 2_000


def test_awards_sort_games(base: base_model.Base) -> None:
    result = searching.search(base, "initial {hhdb sort award or true}")
    assert result.order == (1, 2, 3)
    assert [result.games[game].sort_keys for game in (2, 3)] == [(3, 2, 2), (None, None, None)]


@pytest.mark.parametrize("details", search_model.Details)
@pytest.mark.parametrize("compiled", [True, False])
def test_awards_sort_games_whatever_is_asked_of_the_hits(
    details: search_model.Details, compiled: bool, tmp_path: Path
) -> None:
    source = tmp_path / "b.pgn"
    source.write_text("".join(f'[Event "{event} Ty"]\n\n1. e4 *\n\n' for event in ("2.p", "1.p", "1.hm")))
    base = importing.open_base([source]).base
    options = search_model.SearchOptions(details=details, compiled=compiled)
    result = searching.search(base, "initial hhdb sort award", options)
    assert result.order == (2, 1, 3)
    assert [key.doc for key in result.sort_keys] == ["cql_category", "cql_truerank", "cql_maxrank"]


def test_originalcomment_is_the_last_one_with_single_blanks(tmp_path: Path) -> None:
    source = tmp_path / "b.pgn"
    source.write_text("1. e4 {first} {second\n  line} e5 *\n")
    base = importing.open_base([source]).base
    found = searching.search(base, "originalcomment")
    assert [hit.value for hit in found.games[1].hits] == ["second line"]
    assert not searching.search(base, 'originalcomment "first"').order
    assert games.load(base, 1).comments == {1: "first second\n  line"}


def test_keys_about_variations_need_variations(base: base_model.Base) -> None:
    with pytest.raises(queries.Rejected) as caught:
        searching.search(base, "hhdb variation")
    assert [one.code for one in caught.value.diagnostics] == ["needs-variations"]
    found = searching.search(base, "hhdb variation", search_model.SearchOptions(variations=True))
    assert [(hit.game, hit.positionid) for hit in found.games[1].hits] == [(1, 4), (1, 5)]
