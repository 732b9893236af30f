"""Engine and interpreter write the same comments into a PGN, and another program reads them."""

from __future__ import annotations

import io
from pathlib import Path

import chess.pgn
import pytest

from cqlgui.cql.interpreting.runtime import settings
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import narrowing, searching

GAMES = (
    '[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 2. Bc4 Nc6 3. Bxf7+ {file} Kxf7 4. Qh5+ g6 1-0\n\n'
    '[Event "b"]\n[Result "*"]\n\n1. e4 f6 2. Qh5+ (2. d4 Kf7 3. Bc4+) g6 *\n\n'
)


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    path = tmp_path / "a.pgn"
    path.write_text(GAMES)
    return importing.open_base([path]).base


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ('cql(quiet) check comment("see } Nf3 1-0 x")', settings.Settings()),
        ('ply==3 find quiet {check comment("a}b")}', settings.Settings()),
        ('cql(variations) check comment("}")', settings.Settings()),
        ('comment("x") check', settings.Settings(smart_comments=False)),
        ('check comment("x") find comment("y") check', settings.Settings(smart_comments=False)),
        ("find check", settings.Settings(unique_comments=False)),
        ('comment("a") comment("a") check', settings.Settings(unique_comments=False)),
        ("cql(variations) line --> check --> .", settings.Settings(unique_comments=False)),
    ],
)
def test_both_write_the_same_comments(
    base: base_model.Base, query: str, said: settings.Settings, tmp_path: Path
) -> None:
    written = []
    for compiled in (True, False):
        for details in (search_model.Details.NONE, search_model.Details.ALL):
            options = search_model.SearchOptions(settings=said, compiled=compiled, details=details)
            result = searching.search(base, query, options)
            assert result.order
            path = tmp_path / f"{compiled}{details.name}.pgn"
            exporting.export(base, result, path, annotate=True)
            written.append(path.read_text())
    assert written == written[:1] * 4
    stream = io.StringIO(written[0])
    sources = {"a": 8, "b": 4}
    read = 0
    while (game := chess.pgn.read_game(stream)) is not None:
        assert not game.errors
        assert len(list(game.mainline_moves())) == sources[game.headers["Event"]]
        read += 1
    assert read == len(result.order)


def test_positions_of_another_query_cost_no_comments(base: base_model.Base, tmp_path: Path) -> None:
    """The second result has positions in variations, which the first query does not search."""
    written = []
    for compiled in (True, False):
        options = search_model.SearchOptions(compiled=compiled, details=search_model.Details.NONE)
        one = searching.search(base, "cql() find check", options)
        other = searching.search(base, "cql(variations) wtm", options)
        path = tmp_path / f"{compiled}.pgn"
        exporting.export(base, narrowing.either(one, other), path, annotate=True)
        written.append(path.read_text())
    assert written[0] == written[1]
    assert "Game number 1" in written[0]
    assert "Found" in written[0]
