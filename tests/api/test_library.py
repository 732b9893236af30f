"""The library: what `import cqlgui` offers."""

from __future__ import annotations

import csv
import doctest
import functools
import importlib
import inspect
import io
import json
import operator
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

import cqlgui
from cqlgui.api import asking, bases, faults, results
from tests import helpers

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
QUERY = "flipcolor flipvertical {Bh7 kg8 check}"


@pytest.fixture
def base() -> cqlgui.Base:
    return cqlgui.open(SAMPLE)


def test_hits_are_those_of_the_command_line(base: cqlgui.Base) -> None:
    printed = helpers.cli("search", SAMPLE, "-e", QUERY, "--jsonl").out
    rows = [json.loads(line) for line in printed.splitlines()]
    found = base.search(QUERY)
    assert [dict(hit.row) for hit in found] == rows
    assert len(found) == len(rows) > 0
    assert found.games == tuple(dict.fromkeys(row["game"] for row in rows))


def test_a_hit_knows_its_board_its_game_and_its_element(base: cqlgui.Base) -> None:
    hits = list(base.search(QUERY))
    for hit in hits:
        assert hit.board().is_check()
        assert hit.squares
        assert hit.transform in {element.transform for element in base.search(QUERY).orbits[0].elements}
        played = chess.pgn.read_game(io.StringIO(hit.game_pgn()))
        assert played is not None
        assert [*played.mainline()][hit.ply - 1].board().fen() == hit.board().fen()
    assert {hit.element for hit in hits} > {0}


def test_a_filter_line_narrows_the_search(base: cqlgui.Base) -> None:
    won = base.search("mate", "result:1-0")
    lost = base.search("mate", "result:0-1")
    assert len(won) + len(lost) == len(base.search("mate")) > 0
    assert all(hit.row["result"] == "1-0" for hit in won)
    with pytest.raises(cqlgui.CqlguiError, match="no field"):
        base.search("mate", "rating:2400")


def test_sets_of_hits_are_sets(base: cqlgui.Base) -> None:
    def places(result: cqlgui.Result) -> set[tuple[int, int]]:
        return {(hit.game, hit.positionid) for hit in result}

    one, other = base.search("check"), base.search("[Qq] attacks [Kk]")
    a, b = places(one), places(other)
    assert a & b
    assert a - b
    assert b - a
    assert places(one & other) == a & b
    assert places(one | other) == a | b
    assert (one | other).query == "check\n\nor\n\n[Qq] attacks [Kk]"
    assert (one & other).query == (one | one).query == "check"
    assert places(one - other) == a - b
    assert places(one ^ other) == a ^ b


def test_results_of_two_bases_are_not_joined(base: cqlgui.Base, tmp_path: Path) -> None:
    copy = tmp_path / "copy.pgn"
    copy.write_bytes(SAMPLE.read_bytes())
    with pytest.raises(ValueError, match="different bases"):
        base.search("mate") & cqlgui.open(copy).search("mate")


def test_the_first_hit_of_each_game(base: cqlgui.Base) -> None:
    found = base.search("check")
    firsts: dict[int, int] = {}
    for hit in found:
        firsts.setdefault(hit.game, hit.positionid)
    assert {hit.game: hit.positionid for hit in found.first_per_game()} == firsts
    first = found.first()
    assert first is not None
    assert (first.game, first.positionid) == next(iter(firsts.items()))
    assert base.search("check not check").first() is None


def test_hits_of_one_element(base: cqlgui.Base) -> None:
    found = base.search(QUERY)
    listed = found.orbits[0].elements
    assert [len(found.of_element(n)) for n in range(len(listed))] == [one.positions for one in listed]
    with pytest.raises(IndexError, match="element 4"):
        found.of_element(4)


def test_hits_are_told_while_the_search_goes_on(base: cqlgui.Base) -> None:
    parts: list[list[tuple[int, int]]] = []
    found = base.search(
        QUERY, on_hits=lambda part: parts.append([(hit.game, hit.positionid) for hit in part])
    )
    assert [place for part in parts for place in part] == [(hit.game, hit.positionid) for hit in found]


def test_a_query_with_errors_says_where() -> None:
    with pytest.raises(cqlgui.QueryError, match="undeclared-name") as caught:
        cqlgui.orbit("flip\n  Ra9")
    (problem,) = caught.value.problems
    assert (problem.line, problem.column, problem.offset, problem.length) == (2, 3, 7, 3)
    assert cqlgui.check("flip\n  Ra9") == caught.value.problems
    assert cqlgui.check("flip Ra1") == ()


def test_a_fault_of_the_query_ends_the_search(base: cqlgui.Base) -> None:
    with pytest.raises(cqlgui.SearchStopped) as caught:
        base.search("mate assert not k")
    stopped = caught.value
    assert stopped.offset == 5
    assert stopped.game >= 1
    assert all(hit.game < stopped.game for hit in stopped.result)


def test_a_missing_file_and_a_missing_game_are_named(base: cqlgui.Base, tmp_path: Path) -> None:
    with pytest.raises(cqlgui.SourceError, match=r"none\.pgn"):
        cqlgui.open([SAMPLE, tmp_path / "none.pgn"])
    for game in (0, len(base) + 1):
        with pytest.raises(IndexError, match=f"no game {game}"):
            base.game_pgn(game)


def test_a_query_reads_files_only_where_it_may(base: cqlgui.Base, tmp_path: Path) -> None:
    words = tmp_path / "words.cqo"
    words.write_text("mate")
    text = f'readfile "{words}" == "mate" mate'
    with pytest.raises(cqlgui.QueryError, match="file-access"):
        base.search(text)
    other = tmp_path / "other"
    other.mkdir()
    # A text is one folder, and not the folder `/`.
    with pytest.raises(cqlgui.CqlguiError):
        base.search(text, allow_read=str(other))
    assert len(base.search(text, allow_read=str(tmp_path))) == len(base.search("mate"))
    assert len(base.search(text, allow_read=[tmp_path])) == len(base.search("mate"))


def test_a_table_has_the_hits(base: cqlgui.Base) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    found = base.search(QUERY)
    rows = [dict(hit.row) for hit in found]
    quick = found.table().to_pylist()
    assert quick == [{name: row[name] for name in quick[0]} for row in rows]
    assert found.table("fen", "squares").to_pylist() == [
        {"fen": row["fen"], "squares": row["squares"]} for row in rows
    ]
    with pytest.raises(cqlgui.CqlguiError, match="no field colour"):
        found.table("colour")


def test_other_programs_take_a_result_as_it_is(base: cqlgui.Base) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    found = base.search("check")
    frame = polars.DataFrame(found)
    assert len(frame) == len(found)
    assert frame["ply"].to_list() == [hit.ply for hit in found]


def test_a_table_of_several_files_and_of_sorted_games(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    games = SAMPLE.read_text().split("\n\n[Event ")
    half = len(games) // 2
    paths = [tmp_path / "one.pgn", tmp_path / "two.pgn"]
    paths[0].write_text("\n\n[Event ".join(games[:half]) + "\n\n")
    paths[1].write_text("[Event " + "\n\n[Event ".join(games[half:]))
    base = cqlgui.open(paths)
    assert len(base) == len(cqlgui.open(SAMPLE))
    found = base.search("sort ply mate")
    quick = found.table().to_pylist()
    assert quick == [{name: hit.row[name] for name in quick[0]} for hit in found]
    assert {row["file"] for row in quick} == {str(path) for path in paths}


def test_a_saved_result_is_not_overwritten_unasked(base: cqlgui.Base, tmp_path: Path) -> None:
    found = base.search(QUERY)
    path = found.save(tmp_path / "hits.csv")
    with path.open(newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(found)
    with pytest.raises(FileExistsError, match="overwrite"):
        found.save(path)
    assert found.save(path, overwrite=True) == path


def test_games_that_cannot_be_searched_are_told(base: cqlgui.Base, tmp_path: Path) -> None:
    def poison(game: int) -> str:
        return f"initial {{{{gamenumber == {game} x=2 while(x>0){{x=x*1000000}}}} or true}}"

    with pytest.warns(UserWarning, match=r"^1 game could not be searched\. Game 7: "):
        found = base.search(poison(7), limit=30)
    with pytest.warns(UserWarning, match="Game 3: "):
        other = base.search(poison(3), limit=30)
    whole = base.search("initial")
    assert whole.failed == ()
    ((game, reason),) = [(bad.game, bad.reason) for bad in found.failed]
    assert (game, bool(reason), 7 in found.games) == (7, True, False)
    assert found.first_per_game().failed == (whole & found).failed == (whole - found).failed == found.failed
    for both in (found & other, found | other, found - other, found ^ other):
        assert [bad.game for bad in both.failed] == [3, 7]
    saved = whole.save(tmp_path / "hits.csv")
    before = saved.read_bytes()
    with pytest.raises(cqlgui.CqlguiError, match="was not replaced"):
        found.save(saved, overwrite=True)
    assert saved.read_bytes() == before
    assert found.save(tmp_path / "new.csv").exists()


def test_a_search_that_has_not_ended_replaces_no_file(base: cqlgui.Base, tmp_path: Path) -> None:
    token = cqlgui.CancelToken()
    token.cancel()
    cancelled = base.search("mate", cancel=token)
    with pytest.raises(cqlgui.SearchStopped) as caught:
        base.search("mate assert not k")
    whole = base.search("mate")
    saved = whole.save(tmp_path / "hits.csv")
    for part in (cancelled, whole | cancelled, caught.value.result, whole - caught.value.result):
        with pytest.raises(cqlgui.CqlguiError, match="was not replaced"):
            part.save(saved, overwrite=True)
    assert (whole & cancelled).cancelled
    assert base.search("mate", limit=1).save(saved, overwrite=True) == saved


def test_a_search_in_a_file_that_has_changed_says_so(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(SAMPLE.read_bytes())
    base, both = cqlgui.open(path), cqlgui.open([path, SAMPLE])
    path.write_bytes(SAMPLE.read_bytes().replace(b"[Event", b"[EVENT"))
    with pytest.raises(cqlgui.SourceError, match=r"games\.pgn has changed"):
        base.search('originalcomment "x"')
    # The games of the other file are found all the same.
    with pytest.warns(UserWarning, match=r"^5 games could not be searched\. Game 1: games\.pgn has changed"):
        found = both.search('initial { gamenumber > 5 or originalcomment "x" }')
    assert [bad.game for bad in found.failed] == [1, 2, 3, 4, 5]
    assert found.games[-1] == 1000


def test_a_changed_file_that_was_not_searched_is_not_blamed(tmp_path: Path) -> None:
    paths = [tmp_path / "a.pgn", tmp_path / "b.pgn"]
    for path in paths:
        path.write_text('[White "Someone"]\n\n1. e4 {good} e5 *\n')
    base = cqlgui.open(paths)
    paths[1].write_text('[White "Someone"]\n\n1. e4 {evil} e5 *\n')
    with pytest.warns(UserWarning, match=r"^1 game could not be searched\. Game 1: The range 9 9"):
        found = base.search("{x=9 up x a1}", "file:a.pgn")
    assert [bad.source for bad in found.failed] == [paths[0]]


@pytest.mark.parametrize("ending", [".pgn", ".csv", ".jsonl", ".epd"])
def test_hits_are_saved_if_only_another_file_has_changed(tmp_path: Path, ending: str) -> None:
    """The games of the changed file fail in the search, and the hits in the other files can be taken home."""
    paths = [tmp_path / f"{name}.pgn" for name in "abc"]
    for path in paths:
        path.write_text('[White "Someone"]\n\n1. e4 {good} e5 *\n')
    base = cqlgui.open(paths)
    whole = base.search("ply == 1")
    paths[1].write_text('[White "Someone"]\n\n1. e4 {evil} e5 *\n')
    with pytest.warns(UserWarning, match=r"^1 game could not be searched\. Game 2: b\.pgn has changed"):
        found = base.search('originalcomment "good"')
    assert found.games == (1, 3)
    for result in (found, base.search("ply == 1", "-file:b.pgn")):
        saved = result.save(tmp_path / f"out{ending}", overwrite=True)
        assert "e4" in saved.read_text("utf-8")
        assert "evil" not in saved.read_text("utf-8")
    before = saved.read_bytes()
    with pytest.raises(cqlgui.SourceError, match=r"b\.pgn has changed"):
        whole.save(saved, overwrite=True)
    assert saved.read_bytes() == before


def test_a_notebook_shows_diagrams_and_no_foreign_markup(tmp_path: Path) -> None:
    path = tmp_path / "evil.pgn"
    path.write_text('[White "<script>alert(1)</script>"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n')
    shown = cqlgui.open(path).search("mate")._repr_html_()
    assert "&lt;svg" in shown
    assert "<script" not in shown
    assert "&lt;script" not in shown
    assert "sandbox" in shown


def test_a_search_can_be_cancelled_from_another_thread(base: cqlgui.Base) -> None:
    token = cqlgui.CancelToken()
    token.cancel()
    found = base.search("check", cancel=token)
    assert found.cancelled
    assert len(found) < len(base.search("check"))


def test_threads_may_search_at_the_same_time(base: cqlgui.Base) -> None:
    wanted = {text: len(base.search(text)) for text in ("mate", "check", "stalemate", QUERY)}
    found: dict[str, int] = {}
    threads = [
        threading.Thread(target=lambda text=text: found.update({text: len(base.search(text))}))
        for text in wanted
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == wanted


def test_an_interrupt_ends_a_search_and_the_next_one_works() -> None:
    lines = f"""
import _thread, threading, time, cqlgui
base = cqlgui.open({str(SAMPLE)!r})
slow = 'x = "" loop {{x = x + "a" #x < 100000}} #x > 5'
threading.Timer(1.0, _thread.interrupt_main).start()
begun = time.monotonic()
try:
    base.search(slow)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begun < 10)
print(len(base.search("mate")) > 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, timeout=60, cwd=helpers.ROOT
    )
    assert done.stdout.split() == ["interrupted", "True", "True"], done.stderr


def test_importing_the_library_loads_nothing_and_searching_loads_no_window() -> None:
    lines = f"""
import sys, cqlgui
before = [name for name in sys.modules if name.startswith("cqlgui.")]
base = cqlgui.open({str(SAMPLE)!r})
base.search("mate").first()
print(before, [name for name in ("PySide6", "pyqtgraph", "pyarrow") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, timeout=60, cwd=helpers.ROOT
    )
    assert done.stdout.strip() == "[] []", done.stderr


def test_composed_queries_mean_what_they_say(base: cqlgui.Base) -> None:
    mate, queen = cqlgui.query("mate"), cqlgui.query("[Qq] attacks [kK] // with a queen")

    def places(query: object) -> set[tuple[int, int]]:
        return {(hit.game, hit.positionid) for hit in base.search(str(query))}

    assert places(mate & queen) == places(mate) & places(queen)
    assert places(mate | queen) == places(mate) | places(queen)
    assert places("check" & ~mate) == places("check") - places(mate)
    assert places((mate | "stalemate") & queen) == places("{mate or stalemate} {[Qq] attacks [kK]}")
    one, other, third = (cqlgui.query(text) for text in ("{check} {[Qq]}", "check {wtm}", "(Kg1) (kg8)"))
    everything = places("true")
    assert places(~(one & other)) == everything - (places(one) & places(other))
    assert places((one & other) | third) == (places(one) & places(other)) | places(third)
    assert places(third | (one & other)) == (places(one) & places(other)) | places(third)
    assert places(~(one | other) & third) == places(third) - places(one) - places(other)
    assert places((one & third).flipcolor()) == places("flipcolor {check [Qq] Kg1 kg8}")


@pytest.mark.parametrize("join", [operator.and_, operator.or_])
def test_many_queries_are_joined(base: cqlgui.Base, join: Any) -> None:
    texts = [f"ply == {ply}" for ply in range(130)]
    wanted = 0 if join is operator.and_ else len(base.search("ply < 130"))
    for joined in (
        functools.reduce(join, map(cqlgui.query, texts)),
        functools.reduce(lambda whole, one: join(one, whole), texts[1:], cqlgui.query(texts[0])),
    ):
        assert len(base.search(joined)) == wanted


def test_comments_at_the_end_of_a_query_hide_nothing_that_follows(base: cqlgui.Base) -> None:
    whole = len(base.search("mate [QR] attacks k"))
    for text in ("mate ; with a (", "mate // with a {", "mate /* ; */"):
        assert len(base.search(cqlgui.query(text) & "[QR] attacks k")) == whole
        assert len(base.search("[QR] attacks k" & cqlgui.query(text))) == whole


@pytest.mark.parametrize("wrong", [None, 5, b"mate", ["mate"]])
def test_a_query_is_a_text(base: cqlgui.Base, wrong: Any) -> None:
    for call in (cqlgui.check, cqlgui.orbit, cqlgui.query, base.search):
        with pytest.raises(TypeError, match="a text or"):
            call(wrong)


def test_numbers_without_a_meaning_are_refused(base: cqlgui.Base) -> None:
    with pytest.raises(ValueError, match="limit"):
        base.search("mate", limit=-1)
    with pytest.raises(ValueError, match="thread"):
        base.search("mate", threads=0)
    for number in (True, "1"):
        with pytest.raises(TypeError, match="interpreted as an integer"):
            base.search("mate", limit=number)
        with pytest.raises(TypeError, match="interpreted as an integer"):
            base.search("mate", threads=number)
        with pytest.raises(TypeError, match="interpreted as an integer"):
            base.game_pgn(number)
        with pytest.raises(TypeError, match="interpreted as an integer"):
            base.search("flip mate").of_element(number)
    with pytest.raises(TypeError, match="no bytes"):
        cqlgui.open(b"games.pgn")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no int"):
        cqlgui.open(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^A path is a str or an os.PathLike, and no bytes\.$"):
        cqlgui.open([SAMPLE, b"games.pgn"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"^A function is given as on_progress, and no int\.$"):
        cqlgui.open(SAMPLE, on_progress=3)  # type: ignore[arg-type]
    for name in ("on_hits", "on_progress"):
        with pytest.raises(TypeError, match=rf"^A function is given as {name}, and no int\.$"):
            base.search("mate", **{name: 3})
    with pytest.raises(TypeError, match="FEN"):
        cqlgui.explain("A", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="of its own"):
        base.search("mate").table(["fen", "san"])  # type: ignore[arg-type]
    for wrong in ({"limit": 1.5}, {"threads": 2.0}, {"games": None}, {"variations": "no"}, {"cancel": True}):
        with pytest.raises(TypeError):
            base.search("mate", **wrong)  # type: ignore[arg-type]
    # No more threads are started than are of use.
    assert len(base.search("mate", threads=10**6)) == len(base.search("mate"))


def test_hits_and_errors_can_be_put_into_sets_and_sent_to_other_processes(base: cqlgui.Base) -> None:
    hits = list(base.search("mate"))
    assert len({*hits, *base.search("mate")}) == len(hits) > 0
    with pytest.raises(cqlgui.QueryError) as caught:
        base.search("flip Ra9")
    # A process pool pickles what its processes raise.
    again = pickle.loads(pickle.dumps(caught.value))  # made here
    assert (str(again), again.query, again.problems) == (
        str(caught.value), caught.value.query, caught.value.problems,
    )  # fmt: skip


@pytest.mark.parametrize(
    "word",
    [
        *("flip", "flipdihedral", "flipvertical", "fliphorizontal", "flipcolor", "reversecolor", "rotate90"),
        *("shift", "shifthorizontal", "shiftvertical"),
    ],
)
def test_each_transform_is_a_method(word: str) -> None:
    made = getattr(cqlgui.query("Ra1 kb3"), word)()
    assert [one.text for one in cqlgui.orbit(made)[0].elements] == [
        one.text for one in cqlgui.orbit(f"{word} {{Ra1 kb3}}")[0].elements
    ]


def test_headers_are_kept_and_must_agree() -> None:
    whole = cqlgui.query("cql(variations) mate")
    assert str(whole.flip()).startswith("cql(variations)\nflip")
    assert str("check" & whole).startswith("cql(variations)")
    with pytest.raises(ValueError, match="headers differ"):
        whole & cqlgui.query("cql(quiet) check")


MODULES = (asking, bases, faults, results)


@pytest.mark.parametrize("module", [module.__name__ for module in MODULES])
def test_the_examples_in_the_docstrings_run(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


def test_the_public_surface_is_the_one_that_users_know() -> None:
    """A change here is a change for every program that uses the library."""
    assert list(_surface()) == (Path(__file__).parent / "surface.txt").read_text().splitlines()


def _surface() -> Iterator[str]:
    for name in sorted(cqlgui.__all__):
        thing = getattr(cqlgui, name)
        yield f"{name}{_signature(thing)}"
        if not inspect.isclass(thing) or issubclass(thing, Exception):
            continue
        for member in sorted(vars(thing)):
            if not member.startswith("_") or member in _SPECIAL:
                yield f"{name}.{member}{_signature(getattr(thing, member))}"


_SPECIAL = (
    *("__len__", "__iter__", "__and__", "__or__", "__sub__", "__xor__", "__invert__", "__str__"),
    *("__arrow_c_stream__", "_repr_html_"),
)


def _signature(thing: Any) -> str:
    if isinstance(thing, type) and issubclass(thing, Exception):
        return f"({thing.__mro__[1].__name__})"
    if inspect.isclass(thing):
        return ""
    return str(inspect.signature(thing)) if callable(thing) else ""


def test_dir_lists_the_public_names() -> None:
    assert set(cqlgui.__all__) <= set(dir(cqlgui))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = cqlgui.nothing  # type: ignore[attr-defined]
    assert (Path(cqlgui.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("variations", [False, True])
@pytest.mark.parametrize("query", ["flipcolor {[QR] attacks k}", 'x="a" check comment(x) sort "n" power A'])
def test_a_table_without_details_is_the_table_with_them(
    base: cqlgui.Base, query: str, variations: bool
) -> None:
    pytest.importorskip("pyarrow", reason="the package pyarrow is not installed")
    result = base.search(query, variations=variations)
    fields = ("game", "gamenumber", "white", "ply", "positionid", "fen", "san", "uci", "next", "element")
    whole = result.table(*fields, "value", "comment", "squares", "orbit")
    assert result.table(*fields).to_pylist() == whole.select(fields).to_pylist()
