"""Our reading against python-chess's own reader, on files in which that one finds no fault."""

import io
from pathlib import Path

import chess
import chess.pgn
import pytest

from cqlgui.board import tree
from cqlgui.pgn import archives, reader, split

_DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
_COUNTS = {
    "games-small.pgn": (1005, 80_340, 84_279),
    "studies.pgn": (7785, 56_204, 203_976),
    "annotated.pgn": (3349, 255_897, 381_949),
    "chess960.pgn": (220, 24_446, 24_446),
    "setups.pgn": (1269, 1269, 1269),
}


@pytest.mark.parametrize("name", _COUNTS)
def test_sampled_games_read_as_the_library_reads_them(name: str) -> None:
    if not (_DATA / name).exists():
        pytest.skip(f"{name} is not beside the checkout")
    games = 0
    with archives.open_source(_DATA / name) as text:
        for raw in split.games(text):
            games += 1
            if games % 97 == 0:
                _compare(raw)
    assert games == _COUNTS[name][0]


@pytest.mark.full
@pytest.mark.parametrize("name", _COUNTS)
def test_every_game_is_read_without_error(name: str) -> None:
    if not (_DATA / name).exists():
        pytest.skip(f"{name} is not beside the checkout")
    with archives.open_source(_DATA / name) as text:
        games = [reader.read_raw(raw) for raw in split.games(text)]
    assert not any(game.bad for game in games)
    found = len(games), sum(game.plies + 1 for game in games), sum(game.positions for game in games)
    assert found == _COUNTS[name]


def _compare(raw: split.RawGame) -> None:
    game = reader.read_raw(raw)
    expected = chess.pgn.read_game(io.StringIO(raw.data.decode()))
    assert expected is not None
    played = tree.GameTree.decode(game.start_fen, game.words)
    nodes: list[chess.pgn.GameNode] = []
    waiting: list[chess.pgn.GameNode] = [expected]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting.extend(reversed(node.variations))
    assert len(nodes) == len(played)
    for place, node in enumerate(nodes):
        board = node.board()
        fields = played.positions[place].fen().split()[:2]
        assert fields == board.fen().split()[:2]
        assert game.comments.get(place, "") == node.comment.strip()
        if isinstance(node, chess.pgn.ChildNode):
            assert game.before.get(place, "") == node.starting_comment.strip()
            assert set(game.nags.get(place, ())) == node.nags
