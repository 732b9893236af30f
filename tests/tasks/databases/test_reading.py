"""The kernel and the workers together give what the lenient reader alone gives, in order and to the byte."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cqlgui.base import errors, progress
from cqlgui.db import headers
from cqlgui.jit import native
from cqlgui.pgn import archives, reader, split, texts
from cqlgui.store import index
from cqlgui.tasks.databases import reading
from cqlgui.tasks.processes import pool

PLAIN = (
    '[Event "{0}"]\n[White "Müller {0}"]\n[Result "1-0"]\n[Note "n{0}"]\n\n'
    "1. e4 (1. d4 d5) e5 {{x}} 2. Nf3 1-0\n\n"
)
FEN = '[Event "{0}"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - -"]\n\n1. e4 Kd7 *\n\n'
ODD = [
    '[Event "odd {0}"]\n\n1. e4 e5 2. Ke3 Nc6 *\n\n',
    '[Event "zeros {0}"]\n[Result "0-1"]\n\n1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0-0 1-0\n\n',
    "1. d4 d5 {{no tags}} *\n\n",
    '[White "Se\\\\"or"]\n\n1. d4 *\n\n% an escape\n\n',
    '[Event "open {0}"]\n\n1. e4 {{never closed\n\n',
    '[Event "x"]\n[Event "y"]\n\n1. a3 (1. b3 *\n\n',
]


@pytest.fixture
def workers() -> Iterator[pool.Pool]:
    with contextlib.closing(pool.Pool(size=1)) as own:
        yield own


def mixed(count: int) -> str:
    text = ""
    for number in range(count):
        text += PLAIN.format(number)
        if number % 7 == 0:
            text += FEN.format(number)
        if number % 5 == 3:
            text += ODD[number // 5 % len(ODD)].format(number)
    return text


def read(path: Path, workers: pool.Pool, **more: int) -> list[reading.Piece]:
    start = {"offset": 0, "line": 1, **more}
    with archives.open_source(path) as text:
        return list(reading.pieces(text, pool=workers, cancel=progress.CancelToken(), **start))


def flat(found: list[reading.Piece]) -> tuple[list[object], list[headers.Header]]:
    """Every game as a record, and its row; not which reader has read it."""
    block = index.Block.joined([piece.games for piece in found])
    flaws: dict[int, list[object]] = {}
    for flaw in block.problems:
        flaws.setdefault(flaw.game, []).append(tuple(flaw)[1:])
    records: list[object] = []
    for number, row in enumerate(block.rows):
        fen = None
        if row["fen"] != index.USUAL_START:
            fen = block.fens[row["fen"] : int(row["fen"]) + int(row["fen_length"])].decode()
        words = block.words[int(row["first"]) : int(row["first"]) + int(row["words"])].tolist()
        numbers = [int(row[name]) for name in ("offset", "length", "line", "plies", "positions")]
        numbers.append(int(row["flags"]) & ~(index.CLEAN | index.OTHER_ENCODING))
        records.append((*numbers, words, fen, flaws.get(number, [])))
    return records, [row for piece in found for table in piece.headers for row in table.rows()]


def expected(data: bytes) -> tuple[list[object], list[headers.Header], list[int]]:
    records: list[object] = []
    rows: list[headers.Header] = []
    end_lines: list[int] = []
    for raw in split.games(split.BytesSource(data)):
        game = reader.read_raw(raw)
        flags = (
            index.BAD * game.bad
            | index.CHESS960 * game.chess960
            | index.VARIATIONS * game.has_variations
            | index.PLAYABLE * game.playable
            | index.COMMENTS * bool(game.comments or game.before)
        )
        records.append(
            (
                raw.offset, raw.length, raw.line, game.plies, game.positions, flags, game.words.tolist(),
                game.start_fen, [(p.offset, p.line, p.reason, p.severity) for p in game.problems],
            )
        )  # fmt: skip
        rows.append(headers.from_tags(game.tags, game.plies, game.bad, game.ending))
        end_lines.append(split.end_line(raw))
    return records, rows, end_lines


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_plain_and_odd_games_come_in_order_and_alike(tmp_path: Path, workers: pool.Pool, ends: str) -> None:
    path = tmp_path / "a.pgn"
    text = mixed(60 if ends == "\r" else 300)
    data = text.encode() + PLAIN.format(7).encode("latin-1") + text.encode()
    path.write_bytes(data.replace(b"\n", ends.encode()))
    found = read(path, workers)
    records, rows, end_lines = expected(path.read_bytes())
    assert flat(found) == (records, rows)
    assert [line for piece in found for line in piece.end_lines.tolist()] == end_lines


def test_windows_of_any_size_show_the_same(
    tmp_path: Path, workers: pool.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(mixed(60))
    whole = flat(read(path, workers))
    for size in (1, 97, 1000):
        monkeypatch.setattr(reading, "_FIRST_WINDOW", size)
        monkeypatch.setattr(reading, "_WINDOW", 4 * size)
        assert flat(read(path, workers)) == whole


def test_pieces_and_their_parts_join_to_the_same(tmp_path: Path, workers: pool.Pool) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(mixed(80))
    found = read(path, workers)
    parts = [piece.part(at, min(at + 7, len(piece))) for piece in found for at in range(0, len(piece), 7)]
    assert flat(parts) == flat(found)
    assert sum(part.positions for part in parts) == sum(piece.positions for piece in found)
    last = found[-1].games.rows[-1]
    assert found[-1].end == (last["offset"] + last["length"], found[-1].end_lines[-1])


def test_reading_begins_and_ends_where_it_is_told(tmp_path: Path, workers: pool.Pool) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(mixed(50))
    records, rows = flat(read(path, workers))
    lines = [line for piece in read(path, workers) for line in piece.end_lines.tolist()]
    for first, last in ((0, 9), (10, 11), (3, len(rows))):
        offset, line = (0, 1) if first == 0 else (sum(records[first - 1][:2]), lines[first - 1])
        until = sum(records[last - 1][:2])
        part = flat(read(path, workers, offset=offset, line=line, until=until))
        assert part == (records[first:last], rows[first:last])


def test_a_game_too_long_to_be_read_does_not_move_the_lines_behind_it(
    tmp_path: Path, workers: pool.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pgn"
    text = '[Event "long"]\n\n1. e4 {' + "words\r\n" * (split.LONGEST_GAME // 7 + 1) + "} *\n\n"
    path.write_bytes(text.encode() + PLAIN.format(1).encode())
    found = read(path, workers)
    (_, plain), _ = flat(found)
    assert plain[2] == 1 + text.count("\n")
    assert "longer than" in found[0].games.problems[0].reason


def test_stopping_early_leaves_nothing_running(tmp_path: Path, workers: pool.Pool) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(mixed(3000))
    cancel = progress.CancelToken()
    with archives.open_source(path) as text:
        with contextlib.closing(reading.pieces(text, 0, 1, pool=workers, cancel=cancel)) as coming:
            assert len(next(coming))
        coming = reading.pieces(text, 0, 1, pool=workers, cancel=cancel)
        next(coming)
        cancel.cancel()
        with pytest.raises(errors.Cancelled):
            list(coming)


def test_a_text_that_cannot_be_read_says_so(
    tmp_path: Path, workers: pool.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(mixed(5))

    def fails(*_: object) -> bytes:
        raise errors.SourceError("the disk fails")

    monkeypatch.setattr(texts.Text, "read", fails)
    with pytest.raises(errors.SourceError, match="disk"):
        read(path, workers)


@pytest.mark.skipif(not native.available(), reason="there is no machine code to be switched off")
def test_without_machine_code_the_workers_read_everything(
    tmp_path: Path, workers: pool.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(mixed(40))
    fast = flat(read(path, workers))
    monkeypatch.setattr(native, "available", lambda: False)
    assert flat(read(path, workers)) == fast


def test_plain_games_need_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not native.available():
        pytest.skip("there is no machine code here")
    path = tmp_path / "a.pgn"
    path.write_text(PLAIN.format(1) * 500)
    monkeypatch.setattr(pool.Pool, "lease", None)
    found = read(path, pool.shared())
    assert sum(map(len, found)) == 500
    flags = index.PLAYABLE | index.VARIATIONS | index.COMMENTS | index.CLEAN
    assert np.all(found[0].games.rows["flags"] == flags)
