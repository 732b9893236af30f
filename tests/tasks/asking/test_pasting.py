"""What a dropped or pasted text is taken for."""

from __future__ import annotations

import os
import time

import pytest

from cqlgui.base.files import folders
from cqlgui.board.position import Position
from cqlgui.tasks.asking import pasting
from cqlgui.tasks.databases import importing
from cqlgui.tasks.search import searching

FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
GAME = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Bc4 Nc6 3. Nf3 1-0\n'


@pytest.mark.parametrize(
    "text",
    [
        FEN,
        f"  {FEN}\n",
        f"\ufeff{FEN}",
        FEN.split()[0],
        FEN.replace(" ", "\n"),
        f"FEN: {FEN}",
        f'"{FEN}"',
        f"\u200b{FEN}",
        f"{FEN}\n1. e4 e5",
        f"“{FEN}”",
        f"position fen {FEN}",
        f"Position: {FEN}",
        f"`{FEN.replace('-', '–')}`",
        f"https://lichess.org/analysis/{FEN.replace(' ', '_')}",
        f"https://lichess.org/analysis/standard/{FEN.replace(' ', '_')}?color=white#5",
        f"https://www.chess.com/analysis?fen={FEN.replace(' ', '%20')}&flip=false",
        f"{FEN} {FEN}",
        FEN.removesuffix(" 3 3"),
        f'{FEN.removesuffix(" 3 3")} bm Ng5; id "after 1. e4";',
    ],
)
def test_a_fen_is_a_position(text: str) -> None:
    found = pasting.understand(text)
    assert found.kind == "position"
    assert found.position is not None
    assert found.position.squares == Position.from_fen(FEN).squares


@pytest.mark.parametrize("text", [GAME, "1. e4 e5 2. Bc4 Nc6 3. Nf3 1-0", "1.e4 e5 2.Bc4 Nc6 3.Nf3"])
def test_games_become_a_file_that_can_be_opened(text: str) -> None:
    found = pasting.understand(text)
    assert found.kind == "games"
    assert found.path is not None
    base = importing.open_base([found.path]).base
    query = pasting.as_pattern(Position.from_fen(FEN))
    assert searching.search(base, query).positions == 1


@pytest.mark.parametrize(
    "text",
    [
        "flipcolor {Bh7 kh8}",
        "// title: x\n// description: After 1. e4 e5 the mate\ncql()\nmate\n",
        "/* after 1. e4 */ mate",
        'comment("see 1. e4 and c5") mate',
        'cql()\n/* from\n[White "Carlsen"]\n*/\nNf5 kg8',
        '// [White "Carlsen"]\ncql() Nf5 kg8',
        "/////// my query\ncheck",
        "; from the game 24. Qd8+\ncql() mate",
        "mate ; as in 24. Qd8",
        '; see 12. Kd4\n; [Event "x"]\nwtm',
        "// 1. analyse\ncheck",
    ],
)
def test_a_query_is_a_query(text: str) -> None:
    found = pasting.understand(text)
    assert (found.kind, found.text) == ("query", text)


@pytest.mark.parametrize(
    "text",
    [
        "1... e5 2. Nf3",
        "12. Nf3 Nc6 13. d4",
        "{https://lichess.org/abc} 1. e4 e5 2. Nf3 Nc6",
        "{ // } 1. e4 e5 2. Nf3",
        "https://lichess.org/study/a/b/c/d 1. e4 e5",
        "1. ♘f3 ♞f6",
        "12. 0-0 Le7",
        "7. Sbd2 Te8",
        "18. Rxe5",
        '{5" board} 1. e4 e5 2. Nf3 {5" board} Nc6',
        '[Site "x//y"]\n\n1. e4 *',
        "1. e4 ; best by test\ne5 *",
        "; a comment\n1. e4 e5",
        "{; x} 1. e4 e5",
    ],
)
def test_moves_from_anywhere_are_games(text: str) -> None:
    assert pasting.understand(text).kind == "games"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (" \n", "There is no text to be used."),
        ("1. analyse the game\n2. check the opening", "This text is no position (FEN), no game (PGN)"),
        ("https://lichess.org/analysis/a/b/c", "This text is no position (FEN), no game (PGN)"),
        ("hello world", "This text is no position (FEN), no game (PGN) and no query."),
        ("8/8/8/8/8/8/8/9 w", "This text is no position: "),
    ],
)
def test_another_text_is_answered_with_a_sentence(text: str, reason: str) -> None:
    found = pasting.understand(text)
    assert found.kind == "nothing"
    assert found.reason.startswith(reason)


def test_games_that_were_pasted_long_ago_are_removed() -> None:
    old = pasting.understand(GAME).path
    assert old is not None
    long_ago = time.time() - 31 * 86_400
    os.utime(old, (long_ago, long_ago))
    shown = pasting.understand(GAME.replace("A", "D")).path
    assert shown is not None
    os.utime(shown, (long_ago, long_ago))
    pasting.note_opened([shown])
    new = pasting.understand(GAME.replace("A", "C")).path
    assert set((folders.cache() / "pasted").glob("*.pgn")) == {shown, new}
    os.utime(shown.with_suffix(".opened"), (long_ago, long_ago))
    newer = pasting.understand(GAME.replace("A", "E")).path
    assert set((folders.cache() / "pasted").iterdir()) == {new, newer}


def test_a_query_may_name_moves_in_its_comments() -> None:
    text = "cql()\n// a Sicilian: 1. e4 c5\nNf5 kg8"
    assert pasting.understand(text) == pasting.Pasted("query", text=text)


def test_a_text_of_many_comments_is_understood_at_once() -> None:
    begun = time.perf_counter()
    assert pasting.understand("x " + "/* " * 33_000).kind == "nothing"
    # It took 20 seconds.
    assert time.perf_counter() - begun < 2
