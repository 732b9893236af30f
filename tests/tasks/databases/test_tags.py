"""What the catalog says of games is never older or newer than the games asked about, nor another source's."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cqlgui.base import errors, progress
from cqlgui.base.data import replace
from cqlgui.cli.searching import answers
from cqlgui.cql.source import ecmascript
from cqlgui.db import catalog as catalog_module
from cqlgui.engine import compiling
from cqlgui.engine.facts import answering, asking, questions
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.jit import native
from cqlgui.store import index
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import bases, hosts, importing, sources, tags, workspace
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import estimating, explaining, searching, sieving
from tests.helpers import games as readings

compiled_only = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

GAMES = importing.FIRST_BATCH + 50
INTERPRETED = search_model.SearchOptions(compiled=False)


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """As in a program that was just started."""
    tags._kept.clear()
    tags._answered.clear()


def written(path: Path, name: str, games: int = GAMES) -> Path:
    head = f'[White "{name}"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'
    path.write_text(head * games)
    return path


def games_of(base: base_model.Base, query: str) -> list[int]:
    """How many games are found by each means."""
    estimate = estimating.estimate(base, query)
    return [
        len(searching.search(base, query).order),
        len(
            searching.search(base, query, search_model.SearchOptions(details=search_model.Details.NONE)).order
        ),
        len(searching.search(base, query, INTERPRETED).order),
        min(step.games for step in explaining.stages(query, base).plan if step.games is not None),
        *([] if estimate is None else [estimate.games]),
    ]


def in_the_gap(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[base_model.Base], Any]
) -> list[base_model.Base]:
    """Ask while a later part of a source is in the index, and not yet in the catalog."""
    told: list[base_model.Base] = []
    add_games = catalog_module.Catalog.add_games

    def asking(
        self: catalog_module.Catalog, source: int, first: int, tables: Sequence[Any], positions: int
    ) -> None:
        if first:
            ask(told[-1])
        add_games(self, source, first, tables, positions)

    monkeypatch.setattr(catalog_module.Catalog, "add_games", asking)
    return told


@pytest.mark.parametrize("query", ['player "Zed" ply == 1', f"lastgamenumber > {GAMES - 1} ply == 1"])
def test_what_is_asked_between_index_and_catalog_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    asked: list[list[int]] = []
    told = in_the_gap(monkeypatch, lambda base: asked.append(games_of(base, query)))
    base = importing.open_base([written(tmp_path / "a.pgn", "Zed")], on_base=told.append).base
    known = importing.FIRST_BATCH if "Zed" in query else 0
    assert set(asked[0][:3]) == {known}
    assert set(games_of(base, query)) == {GAMES}


def test_a_catalog_that_was_deleted_answers_no_longer(tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{name}.pgn", name, 20) for name in ("one", "two")]
    before = importing.open_base(paths).base
    assert set(games_of(before, 'player "two" ply == 1')) == {20}
    for path in workspace.catalog().path.parent.glob("catalog.sqlite*"):
        path.unlink()
    base = importing.open_base(paths[1:]).base
    assert base.sources[0].id not in {source.id for source in before.sources}
    assert set(games_of(base, 'player "two" ply == 1')) == {20}
    assert set(games_of(base, 'player "one" ply == 1')) == {0}
    for ask in (
        lambda: searching.search(before, 'player "one" ply == 1', INTERPRETED),
        lambda: sources.words(before.sources[0]),
        lambda: sources.opened(before.sources[1]).__enter__(),
        lambda: tags.SegmentTags(before.sources[0], 0, 20).tag("White"),
        lambda: searching.search(before, 'player "two" ply == 1'),
        lambda: games_module.fitting(before, "white:two"),
        lambda: games_module.fitting(before, "-white:two"),
        lambda: games_module.ids(before, sort="white"),
        lambda: games_module.ranks(before, "white"),
        lambda: games_module.rows(before, [1, 21]),
        lambda: games_module.names(before, "white", "t"),
        lambda: bases.bad_games(before),
        lambda: bases.info(before),
    ):
        with pytest.raises(errors.SourceError, match="Open"):
            ask()


def test_a_catalog_that_another_program_made_anew_is_taken(tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{name}.pgn", name, 20) for name in ("one", "two")]
    base = importing.open_base(paths[:1]).base
    held = workspace.catalog()
    for path in held.path.parent.glob("catalog.sqlite*"):
        path.unlink()
    with contextlib.closing(catalog_module.Catalog(held.path)) as other:
        assert other.source(paths[1]).id != base.sources[0].id
    assert not held.is_there
    with pytest.raises(errors.SourceError, match="made anew"):
        sources.words(base.sources[0])
    base = importing.open_base(paths[:1]).base
    assert set(games_of(base, 'player "one" ply == 1')) == {20}


def replaced_before(
    monkeypatch: pytest.MonkeyPatch, path: Path, owner: Any, names: Sequence[str]
) -> list[threading.Thread]:
    """Another text with as many games is imported just before one of some functions is called for the first
    time. The result has the thread of the import once it has begun."""
    begun: list[threading.Thread] = []

    def late(real: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if not begun:
            begun.append(threading.Thread(target=importing.open_base, args=([written(path, "two")],)))
            begun[0].start()
            begun[0].join()
        return real(*arguments, **options)

    for name in names:
        # A plain function, so that it becomes a method.
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given, real=real, **more: late(real, *given, **more))
    return begun


@compiled_only
@pytest.mark.parametrize(
    "query",
    ['player "two" ply == 1', 'tag "Annotator" != "x" ply == 1', "result 1-0", "lastgamenumber > 1 ply == 1"],
)
def test_no_game_has_the_moves_of_one_text_and_the_tags_of_another(
    query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.pgn", "one")
    base = importing.open_base([path]).base
    asked = ["tag_column", "text_numbers", "result_column", "named_count"]
    begun = replaced_before(monkeypatch, path, catalog_module.Catalog, asked)
    with pytest.raises(errors.SourceError, match="was read again since this base was opened"):
        searching.search(base, query, search_model.SearchOptions(details=search_model.Details.NONE))
    assert begun


def test_no_listed_game_has_the_players_of_another_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.pgn", "one")
    base = importing.open_base([path]).base
    result = searching.search(base, "ply == 1")
    assert replaced_before(monkeypatch, path, games_module, ["rows"]) == []
    with pytest.raises(errors.SourceError, match="was read again since this base was opened"):
        answers._table(base, result, progress.CancelToken())
    assert capsys.readouterr().out == ""


def test_an_open_reader_gives_no_tags_of_another_text(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pgn", "one", 20)
    (source,) = importing.open_base([path]).base.sources
    with sources.opened(source) as reader:
        assert reader.header(3).white == "one"
        importing.open_base([written(path, "two", 20)])
        # This row was fetched before.
        assert reader.header(3).white == "one"
        with pytest.raises(errors.SourceError, match="was read again since this base was opened"):
            reader.header(4)
        with pytest.raises(errors.SourceError, match="was read again since this base was opened"):
            print(reader.named_games)
        assert reader.header(3).white == "one"


def test_an_index_without_the_games_of_the_base_is_told(tmp_path: Path) -> None:
    """The same text is being read again, or its index was removed."""
    base = importing.open_base([written(tmp_path / "a.pgn", "one", 20)]).base
    (source,) = base.sources
    folder = workspace.index_folder(source.path)
    known = index.Manifest.read(folder)
    assert known is not None
    sources.insist(source)
    replace(known, segments=known.segments[:0], complete=False).write(folder)
    for ask in (
        lambda: sources.insist(source),
        lambda: sources.indexed(source).__enter__(),
        lambda: sources.opened(source).__enter__(),
    ):
        with pytest.raises(errors.SourceError, match="was read again since this base was opened"):
            ask()
    (folder / index.MANIFEST).unlink()
    with pytest.raises(errors.SourceError, match=r"The index of a\.pgn is gone"):
        sources.insist(source)


def test_rows_that_are_missing_are_told(tmp_path: Path) -> None:
    base = importing.open_base([written(tmp_path / "a.pgn", "A", 20)]).base
    (source,) = base.sources
    workspace.catalog().begin(source.id, 10)
    result = searching.search(base, 'player "A" ply == 1', INTERPRETED)
    assert result.order == tuple(range(1, 11))
    assert [bad.game for bad in result.failed_games] == list(range(11, 21))
    with pytest.raises(errors.SourceError, match="missing in the catalog"):
        tags.SegmentTags(source, 0, 20).tag("White")
    with sources.opened(source) as reader, pytest.raises(errors.SourceError, match="missing in the catalog"):
        hosts.GameHost(reader, 10).tag("White")


@compiled_only
def test_columns_and_values_that_are_kept_have_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = importing.open_base([written(tmp_path / "a.pgn", "A", 20)]).base
    asked = tags.SegmentTags(base.sources[0], 0, 20)
    assert asked.tag("White") is tags.SegmentTags(base.sources[0], 0, 20).tag("White")
    monkeypatch.setattr(tags, "MOST_BYTES", 100_000)
    for number in range(100):
        assert asked.tag(f"T{number}").values == [None]
        assert tags._kept.bytes <= tags.MOST_BYTES
    for number in range(100):
        expanded = queries.expanded(f"{' ' * number}year > 1900")
        asking.Asker(asked_of(expanded), expanded.names, None).answers(asked)
        assert tags._kept.bytes <= tags.MOST_BYTES
    assert len(tags._kept._known) < 30


def asked_of(expanded: Any) -> tuple[questions.Fact, ...]:
    compiled = compiling.compile_query(expanded)
    assert not isinstance(compiled, Unsupported)
    return compiled.facts


def slow_question() -> tuple[asking.Asker, questions.Fact, readings.Tags]:
    """A regular expression that takes long, asked of many names."""
    expanded = queries.expanded(r'tag "White" ~~ "(a+)+$b"')
    fact = asked_of(expanded)[0]
    listed = [readings.Host(tags={"White": "a" * (5_000 + n)}, gamenumber=n + 1) for n in range(50)]
    return asking.Asker([fact], expanded.names, None), fact, readings.Tags(listed)


@compiled_only
def test_a_slow_expression_is_left_to_the_interpreter_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    asker, fact, listed = slow_question()
    searched: list[object] = []
    first = ecmascript.first

    def counting(*given: Any) -> Any:
        searched.append(given)
        return first(*given)

    monkeypatch.setattr(ecmascript, "first", counting)
    for _ in range(3):
        _, states = asker.answers(listed)[fact]
        assert set(states.tolist()) == {answering.UNKNOWN}
    assert 1 <= len(searched) <= 3


@compiled_only
def test_asking_many_games_can_be_stopped() -> None:
    expanded = queries.expanded('tag "White" ~~ "a+"')
    fact = asked_of(expanded)[0]
    listed = [readings.Host(tags={"White": f"a{n}"}, gamenumber=n + 1) for n in range(50)]
    asker = asking.Asker([fact], expanded.names, None)
    polled: list[None] = []

    def is_over() -> bool:
        polled.append(None)
        return len(polled) > 20

    with pytest.raises(errors.Cancelled):
        asker.answers(readings.Tags(listed), is_over)
    assert len(polled) == 21


@compiled_only
def test_a_search_that_ends_early_leaves_no_index_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = importing.open_base([written(tmp_path / "a.pgn", "A", 3_000)]).base
    opened: list[index.SourceIndex] = []
    closed: list[index.SourceIndex] = []
    of, close = index.SourceIndex._of, index.SourceIndex.close

    def opening(folder: Path, manifest: index.Manifest) -> index.SourceIndex:
        opened.append(of(folder, manifest))
        return opened[-1]

    def closing(self: index.SourceIndex) -> None:
        closed.append(self)
        close(self)

    monkeypatch.setattr(index.SourceIndex, "_of", opening)
    monkeypatch.setattr(index.SourceIndex, "close", closing)
    monkeypatch.setattr(sieving, "_MOST_WAITING", 1)
    plan = sieving.plan(queries.expanded("ply == 1"))
    with sieving.Sieve(plan, base.sources, plan.straight, threads=1) as sieve:
        chunk = sieve.take(60)
        assert chunk is not None
        assert chunk.end < 3_000
    for thread in sieve._threads:
        thread.join()
    assert len(opened) == 1
    assert opened == closed


@compiled_only
def test_a_text_is_looked_at_once_for_all_games_and_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = importing.open_base([written(tmp_path / "a.pgn", "Zed")]).base
    looked_at: list[int] = []
    texts = catalog_module.Catalog.texts

    def noting(self: catalog_module.Catalog, name: str, numbers: Sequence[int]) -> dict[int, str]:
        looked_at.extend(numbers)
        return texts(self, name, numbers)

    monkeypatch.setattr(catalog_module.Catalog, "texts", noting)
    assert set(games_of(base, 'player "Zed" ply == 1')) == {GAMES}
    # One player is asked for as White, and perhaps as Black. No other player is looked at.
    once = len(looked_at)
    assert once in (1, 2)
    assert len(set(looked_at)) == 1
    assert set(games_of(base, 'player "Zed" ply == 1')) == {GAMES}
    assert len(looked_at) == once
    # Answers by number would need too much memory if there were too many texts.
    monkeypatch.setattr(tags, "MOST_NUMBERS", 0)
    assert set(games_of(base, 'player "Zed" ply == 1')) == {GAMES}
    assert set(games_of(base, 'player "Yvonne" ply == 1')) == {0}
