"""Opening sources: every packing gives the same bytes, and every refusal is a sentence."""

import bz2
import gzip
import os
import zipfile
from pathlib import Path

import pytest
import zstandard

from cqlgui.base import errors, progress
from cqlgui.pgn import archives, split

_GAMES = b'[Event "x"]\n\n1. e4 e5 *\n\n[Event "y"]\n\n1. d4 d5 1-0\n'


def _pack(kind: str, path: Path) -> None:
    if kind == "pgn":
        path.write_bytes(_GAMES)
    elif kind == "gz":
        path.write_bytes(gzip.compress(_GAMES[:20]) + gzip.compress(_GAMES[20:]))
    elif kind == "bz2":
        path.write_bytes(bz2.compress(_GAMES[:20]) + bz2.compress(_GAMES[20:]))
    elif kind == "zst":
        machine = zstandard.ZstdCompressor()
        path.write_bytes(machine.compress(_GAMES[:20]) + machine.compress(_GAMES[20:]))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("b/second.PGN", '[Event "y"]\n\n1. d4 d5 1-0')
            archive.writestr("readme.txt", "no game")
            archive.writestr("a.pgn", '[Event "x"]\n\n1. e4 e5 *')


@pytest.mark.parametrize("kind", ["pgn", "gz", "bz2", "zst", "zip"])
def test_every_packing_gives_the_same_games(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"games.pgn.{kind}" if kind != "pgn" else tmp_path / "games.pgn"
    _pack(kind, path)
    cache = tmp_path / "cache"
    with archives.open_source(path, cache) as text:
        assert [raw.data.split()[1] for raw in split.games(text)] == [b'"x"]', b'"y"]']
        if kind != "zip":
            assert text.size == len(_GAMES)
            assert text.read(3, 5) == _GAMES[3:8]
    # Unpacked once: the copy is used again, and nothing temporary stays.
    with archives.open_source(path, cache) as text:
        assert text.path == path
    assert len(list(cache.glob("*"))) == (0 if kind == "pgn" else 1)


def test_only_the_newest_copy_of_a_packed_source_is_kept(tmp_path: Path) -> None:
    path, cache = tmp_path / "a.pgn.gz", tmp_path / "cache"
    for times in (1, 2, 3, 3):
        path.write_bytes(gzip.compress(_GAMES * times))
        with archives.open_source(path, cache) as text:
            assert text.size == times * len(_GAMES)
            assert list(cache.iterdir()) == [text.plain]


@pytest.mark.parametrize("kind", ["gz", "bz2", "zst", "zip"])
def test_a_cut_archive_is_refused_and_leaves_nothing(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"games.{kind}"
    _pack(kind, path)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(errors.SourceError, match="damaged"):
        archives.open_source(path, tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*"))


def test_refusals_are_sentences(tmp_path: Path) -> None:
    (tmp_path / "a.doc").write_bytes(b"\xd0\xcf\x11\xe0" * 99)
    (tmp_path / "empty.gz").write_bytes(b"")
    (tmp_path / "fake.zst").write_bytes(b"hello")
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("x.txt", "nothing")
    cases = {
        "missing.pgn": "does not exist",
        ".": "is a folder",
        "a.doc": "is not a PGN file",
        "empty.gz": "is empty",
        "fake.zst": "is damaged",
        "none.zip": "holds no .pgn",
    }
    for name, words in cases.items():
        with pytest.raises(errors.SourceError, match=words) as caught:
            archives.open_source(tmp_path / name, tmp_path / "cache")
        assert str(caught.value).endswith(".")


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "pipe.pgn")
    with pytest.raises(errors.SourceError, match="ordinary file"):
        archives.open_source(tmp_path / "pipe.pgn")


def test_an_empty_pgn_has_no_games(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_bytes(b"")
    with archives.open_source(tmp_path / "a.pgn") as text:
        assert list(split.games(text)) == []


def test_unpacking_can_be_cancelled(tmp_path: Path) -> None:
    _pack("gz", tmp_path / "a.gz")
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        archives.open_source(tmp_path / "a.gz", tmp_path / "cache", cancel=token)
    assert not list((tmp_path / "cache").glob("*"))


def test_splitting_goes_on_at_the_end_of_a_game() -> None:
    source = split.BytesSource(_GAMES * 3)
    games = list(split.games(source))
    again = list(split.games(source, games[2].end, split.end_line(games[2])))
    assert again == games[3:]


def test_what_a_killed_program_had_unpacked_by_half_goes(tmp_path: Path) -> None:
    path, cache = tmp_path / "a.pgn.gz", tmp_path / "cache"
    path.write_bytes(gzip.compress(b"1. e4 *\n"))
    cache.mkdir()
    forsaken, fresh = cache / "text-1-2-3.pgn.77.tmp", cache / "text-1-2-3.pgn.78.tmp"
    for left in (forsaken, fresh):
        left.write_bytes(b"1. e4")
    os.utime(forsaken, (0, 0))
    with archives.open_source(path, cache) as text:
        assert text.size
    assert (forsaken.exists(), fresh.exists()) == (False, True)
