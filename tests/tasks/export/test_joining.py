"""Games that follow each other in an export, as another program reads them."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import chess.pgn
import pytest

from cqlgui.pgn import split
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting, joining
from cqlgui.tasks.search import searching

MOVES = (
    "1. e4 e5 *",
    "1. e4 e5 {never closed",
    "1. e4 {never closed 1-0",
    "1. e4 ({inside 1. d4",
    "1. e4 (1. d4 *",
    "1. e4 ; a { b\ne5 *",
    "1. e4 e5 * ; {",
    "1. e4\n%{ none\ne5 *",
    "1. e4 {a \\} b} e5 *",
    "1. e4 {C:\\} e5 {b",
    "1. e4 }e5 *",
    "1. e4 e5",
    "*",
    "",
    "{only a comment} *",
    "{only an open comment",
)


class Quiet(chess.pgn.GameBuilder[chess.pgn.Game]):
    """Reads broken games without a word."""

    def handle_error(self, error: Exception) -> None:
        pass


def events(text: str) -> list[str]:
    """The `Event` tag of each game that python-chess finds."""
    stream = io.StringIO(text)
    return [
        game.headers.get("Event", "")
        for game in iter(lambda: chess.pgn.read_game(stream, Visitor=Quiet), None)
    ]


def test_every_reader_finds_two_games_between_which_something_is_written() -> None:
    for one, other in itertools.product(MOVES, repeat=2):
        texts = [
            f'[Event "{name}"]\n\n{moves}'.strip().encode()
            for name, moves in (("first", one), ("second", other))
        ]
        first, second = map(joining.Text.of, texts)
        whole = texts[0] + joining.closing(first, second) + texts[1] + joining.closing(second, None)
        assert events(whole.decode()) == ["first", "second"], (one, other)
        found = [game.data for game in split.games(split.BytesSource(whole))]
        assert len(found) == 2, (one, other)
        assert found[1] == texts[1], (one, other)


@pytest.mark.parametrize("annotate", [False, True])
def test_another_program_finds_every_exported_game(tmp_path: Path, annotate: bool) -> None:
    paths = []
    # Behind tags alone, a comment stands on the line of the last tag, where python-chess reads no tag.
    kinds = [moves for moves in MOVES if moves or not annotate]
    for number, moves in enumerate(kinds):
        paths.append(tmp_path / f"{number:02}.pgn")
        paths[-1].write_text(f'[Event "{number}"]\n\n{moves}\n\n')
    base = importing.open_base(paths).base
    written = tmp_path / "written.pgn"
    result = searching.search(base, "cql() initial")
    assert len(result.order) == len(kinds)
    exporting.export(base, result, written, annotate=annotate)
    assert events(written.read_text()) == list(map(str, range(len(kinds))))


def test_nothing_but_an_empty_line_is_written_between_sound_games() -> None:
    texts = [
        b'[Event "a"]\n\n1. e4 {b} (1. d4 ; {\n) *',
        b'[Event "b"]\n\n1. e4\n\ne5 1-0',
        b'[Event "c"]\n\n*',
    ]
    for one, other in itertools.product(map(joining.Text.of, texts), repeat=2):
        assert joining.closing(one, other) == b"\n\n"
