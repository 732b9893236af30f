"""Where the moves of a game end that has no tags: at its result, not at what stands among the moves."""

from __future__ import annotations

import pytest

from cqlgui.pgn import reader, split


@pytest.mark.parametrize(
    "between", ["{a comment}", "{1-0}", "; 1-0\n", "\n% 1-0\n", "(1... c5)", "$1", "[c5]"]
)
def test_a_game_goes_on_behind_what_stands_among_its_moves(between: str) -> None:
    text = f"1. e4 {between} e5 2. Nf3 Nc6 *\n\n"
    found = [game.data.decode() for game in split.games(split.BytesSource((text * 2).encode()))]
    assert found == [text.strip()] * 2


@pytest.mark.parametrize("behind", ["{won} {indeed}", "{won}\n; indeed", "{won} 1-0", "{won} ) {indeed}"])
def test_comments_behind_the_result_belong_to_the_game(behind: str) -> None:
    text = f"1. e4 e5 2. Nf3 Nc6 1-0 {behind}\n\n"
    found = [game.data.decode() for game in split.games(split.BytesSource((text * 2).encode()))]
    assert found == [text.strip()] * 2


def test_a_game_ends_with_a_comment_that_nothing_closes() -> None:
    text = "1. e4 {no end\n\n"
    tagged = '[Event "next"]\n\n1. d4 *'
    found = [game.data.decode() for game in split.games(split.BytesSource(f"{text}{tagged}\n".encode()))]
    assert found == [text.strip(), tagged]


@pytest.mark.parametrize(
    "capture",
    [
        "exd6e.p.", "exd6 e.p.", "exd6 e.p", "exd6e.p", "exd6 e.p.!", "exd6 e. p.", "exd6 E.P.", "exd6E.P.",
        "exd6/e.p.", "exd6/ep", "exd6 EP", "exd6 ep+", "exd6 e.p.+", "exd6 (e. p.)",
    ],
)  # fmt: skip
def test_a_full_stop_within_e_p_ends_nothing(capture: str) -> None:
    text = "1. e4 a6 2. e5 d5 3. {} e6 4. dxc7 *"
    game = reader.read_game(text.format(capture).encode())
    assert game.plies == 7
    assert not game.bad
