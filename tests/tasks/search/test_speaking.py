"""A comment that was made for some hits is taken for others only where it means the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.engine import compiling
from cqlgui.jit import native
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import hit_details, searching, sieving, speaking

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no machine code here")

MOVES = ("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0", "1. e4 f6 2. Qh5+ g6 3. Qh3 *", "1. d4 d5 2. Nf3 *")


@pytest.fixture
def bases(tmp_path: Path) -> list[base_model.Base]:
    """Two bases with other players, so that the numbers of texts mean other texts in each."""
    made = []
    for name in ("a", "b"):
        path = tmp_path / f"{name}.pgn"
        games = [
            f'[White "{name} {number % 4}"]\n[Black "{name * 2} {number % 3}"]\n\n{MOVES[number % 3]}\n\n'
            for number in range(24)
        ]
        # In one game Black begins.
        fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"
        games.append(f'[White "{name}"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n1... Kd7 2. e4 Kd6 *\n\n')
        path.write_text("".join(games), "utf-8")
        made.append(importing.open_base([path]).base)
    return made


@pytest.mark.parametrize(
    "query",
    [
        "comment(player white) comment(ply) move",
        'comment("B " tag "Black") move',
        'comment(currentposition " " sidetomove " " fen) move',
        "comment(gamenumber) check",
        "line --> move --> move",
        "find check",
        'path (e4 | d4) -- comment("x" ply)',
        'comment(A) comment(#a) comment("q" ply) ply > 2',
    ],
)
def test_remembered_comments_are_those_of_the_interpreter(bases: list[base_model.Base], query: str) -> None:
    asking = set()
    for base in bases:
        found, wanted = (
            searching.search(base, query, search_model.SearchOptions(compiled=compiled))
            for compiled in (True, False)
        )
        expanded = queries.expanded(query, said=hit_details.said(search_model.SearchOptions()))
        compiled = sieving.compiled(expanded)
        assert isinstance(compiled, compiling.Compiled)
        asking.add(id(compiled.detail_pass()))
        assert found.engine == "compiled"
        assert found.order == wanted.order
        assert len(found.order) > 2
        for game in wanted.order:
            assert found.games.comments(game) == wanted.games.comments(game), game
    assert len(asking) == 1, "both searches had what the first one remembered"


def test_equal_events_are_put_into_words_once(
    bases: list[base_model.Base], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = bases[0]
    made: list[object] = []
    comments = speaking._comments

    def counted(*given: object, **named: object) -> object:
        made.append(given)
        return comments(*given, **named)  # type: ignore[arg-type]  # as they were given

    monkeypatch.setattr(speaking, "_comments", counted)
    first = searching.search(base, 'comment("ply " ply) ply < 4 // remembered')
    # The compiled query of the last search is still known.
    before, again = len(made), searching.search(base, 'comment("ply " ply) ply < 4 // remembered')
    assert before
    assert len(made) == before
    monkeypatch.setattr(speaking, "_MOST_SPOKEN", 0)
    forgotten = searching.search(base, 'comment("ply " ply) ply < 4 // remembered')
    assert len(made) > before
    assert first.order == again.order == forgotten.order
    for game in first.order:
        assert first.games.comments(game) == again.games.comments(game) == forgotten.games.comments(game)
