"""Opening sources: every packing gives the same bytes, and every refusal is a sentence."""

import bz2
import gzip
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import zstandard

from cqlgui.base import errors, progress
from cqlgui.pgn import archives, reader, split, texts
from cqlgui.pgn.packed import stream
from tests import helpers
from tests.helpers import faults

_GAMES = b'[Event "x"]\n\n1. e4 e5 *\n\n[Event "y"]\n\n1. d4 d5 1-0\n'


def unpacked(path: Path, cache: Path | None = None, **more: Any) -> texts.Text:
    """The text of a source, read to its end."""
    text = archives.open_source(path, cache, **more)
    try:
        text.finish()
    except BaseException:
        text.close()
        raise
    return text


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
    with unpacked(path, cache) as text:
        assert [raw.data.split()[1] for raw in split.games(text)] == [b'"x"]', b'"y"]']
        if kind != "zip":
            assert text.size == len(_GAMES)
            assert text.read(3, 5) == _GAMES[3:8]
    # Unpacked once: the copy is used again, and nothing temporary stays.
    before = sorted(cache.glob("*"))
    with unpacked(path, cache) as text:
        assert text.path == path
    assert sorted(cache.glob("*")) == before
    assert sorted(one.suffix for one in before) == ([] if kind == "pgn" else [".end", ".part"])


def _tar(path: Path, mode: str = "w:", kind: int = tarfile.PAX_FORMAT) -> None:
    member = tarfile.TarInfo("a.pgn")
    member.size = len(_GAMES)
    with tarfile.open(path, mode, format=kind) as archive:  # type: ignore[call-overload]  # modes that it knows
        archive.addfile(member, io.BytesIO(_GAMES))


@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("name", ["games.tar", "games.pgn", "games.tar.gz", "games.tgz", "games.tar.bz2"])
def test_a_tar_archive_is_refused(name: str, kind: int, tmp_path: Path) -> None:
    mode = "w:gz" if name.endswith("gz") else "w:bz2" if name.endswith("bz2") else "w:"
    _tar(tmp_path / name, mode, kind)
    with pytest.raises(errors.SourceError, match="tar archive"):
        unpacked(tmp_path / name, tmp_path / "cache")


def test_a_word_at_the_place_of_tars_mark_makes_no_tar(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_bytes(b'[White "' + b"m" * 249 + b'ustard"]\n\n1. e4 *\n' + _GAMES * 9)
    unpacked(path, tmp_path / "cache").close()


def test_what_is_packed_within_a_zip_is_told(tmp_path: Path) -> None:
    path = tmp_path / "games.zip"
    _tar(tmp_path / "c.tar")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.pgn", _GAMES)
        archive.writestr("b.pgn", gzip.compress(_GAMES))
        archive.writestr("c.pgn", (tmp_path / "c.tar").read_bytes())
    with unpacked(path, tmp_path / "cache") as text:
        assert text.damage == "in b.pgn the text is packed once more; in c.pgn the text is packed once more"
        assert text.read(0, 999).strip() == _GAMES.strip()


_WIDE = _GAMES.decode() * 3


@pytest.mark.parametrize(
    "rest",
    [
        _GAMES,
        b'[White "X"]\n[Black "Y"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Ke7 1-0\n',
        b"1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n\n1. d4 d5 2. c4 c6 1/2-1/2\n",
        ("\ufeff" + _WIDE).encode("utf-16-be"),
        _WIDE.encode("utf-16-le")[1:],
        b'\xef\xbb\xbf[Event "\xc3\xa9"]\n\n1. e4 e5 *\n',
        b'[Event "y"]\n\n1. f3 e5 0-1',
    ],
)
def test_what_is_no_utf_16_behind_utf_16_is_told(rest: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mixed.pgn"
    path.write_bytes(("\ufeff" + _WIDE).encode("utf-16-le") + rest)
    with unpacked(path, tmp_path / "cache") as text:
        assert "not the UTF-16" in text.damage
        assert text.read(0, 10) == _GAMES[:10]


@pytest.mark.parametrize(
    "name", ["Łukasz ♔", "诸葛亮" * 40, "дом" * 40, "\u3000" * 20, "王　" * 30, "═" * 40, "一" * 20]
)
def test_utf_16_of_any_script_is_whole(name: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.pgn"
    path.write_bytes(f'[White "{name}"]\n\n1. e4 {{{name}}} *\n'.encode("utf-16"))
    with unpacked(path, tmp_path / "cache") as text:
        assert text.damage == ""


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("name", ["wide.pgn", "wide.txt", "wide.pgn.gz"])
def test_utf_32_is_read(name: str, order: str, tmp_path: Path) -> None:
    path = tmp_path / name
    data = '\ufeff[White "Łukasz ♔"]\n\n1. e4 *\n\n[White "Ünal"]\n\n1. d4 *\n'.encode(f"utf-32-{order}")
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    with unpacked(path, tmp_path / "cache") as text:
        assert text.damage == ""
        assert [reader.read_raw(raw).tags for raw in split.games(text)] == [
            (("White", "Łukasz ♔"),),
            (("White", "Ünal"),),
        ]


@pytest.mark.parametrize("order", ["le", "be"])
def test_what_is_no_utf_32_behind_utf_32_is_told(order: str, tmp_path: Path) -> None:
    data = ("\ufeff" + '[White "Ünal"]\n\n1. e4 *\n\n' * 20).encode(f"utf-32-{order}")
    path = tmp_path / "wide.pgn"
    lost = [data[:403] + data[403 + gone :] for gone in (1, 2, 3)]
    for damaged in (*lost, data + "1. e4 *".encode("utf-16"), data + b'\n\n[White "B"]\n\n1. d4 *\n'):
        path.write_bytes(damaged)
        with unpacked(path, tmp_path / "cache") as text:
            assert text.damage == "a part of it is not the UTF-32 that it begins with"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_text_that_ends_within_a_character_is_told(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.pgn"
    path.write_bytes('[White "Ünal"]\n\n1. e4 *\n'.encode(encoding)[:-1])
    with unpacked(path, tmp_path / "cache") as text:
        assert text.damage == "it ends within a character"


@pytest.mark.parametrize("mark", ["utf-16", "utf-16-be"])
@pytest.mark.parametrize("kind", ["gz", "bz2", "zst", "zip"])
def test_utf_16_within_a_packed_file_is_read(kind: str, mark: str, tmp_path: Path) -> None:
    players = '[White "Ünal"]\n\n1. e4 *\n\n', '[White "Łukasz ♔"]\n\n1. d4 *\n'
    wide = [("\ufeff" * (mark == "utf-16-be") + text).encode(mark) for text in ("".join(players), *players)]
    path = tmp_path / f"wide.pgn.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.pgn", wide[1])
            archive.writestr("b.pgn", wide[2])
            archive.writestr("c.pgn", "1. c4 *")
    elif kind == "gz":
        # The mark may be parted by the bounds of a stream.
        path.write_bytes(gzip.compress(b"") + gzip.compress(wide[0][:1]) + gzip.compress(wide[0][1:]))
    elif kind == "bz2":
        path.write_bytes(bz2.compress(wide[0]))
    else:
        path.write_bytes(zstandard.ZstdCompressor().compress(wide[0]))
    with unpacked(path, tmp_path / "cache") as text:
        tags = [reader.read_raw(raw).tags for raw in split.games(text)]
    assert tags[:2] == [(("White", "Ünal"),), (("White", "Łukasz ♔"),)]
    assert len(tags) == (3 if kind == "zip" else 2)


def test_only_the_newest_copy_of_a_packed_source_is_kept(tmp_path: Path) -> None:
    path, cache = tmp_path / "a.pgn.gz", tmp_path / "cache"
    for times in (1, 2, 3, 3):
        path.write_bytes(gzip.compress(_GAMES * times))
        with unpacked(path, cache) as text:
            assert text.size == times * len(_GAMES)
        assert sorted(one.suffix for one in cache.iterdir()) == [".end", ".part"]


MANY = faults.text(3000).encode()


def _packed(kind: str, data: bytes) -> bytes:
    if kind == "gz":
        return gzip.compress(data)
    if kind == "bz2":
        return bz2.compress(data, 1)
    if kind == "zst":
        return zstandard.ZstdCompressor(write_checksum=True).compress(data)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", _METHODS[kind]) as archive:
        archive.writestr("a.pgn", data)
        archive.writestr("b.pgn", _GAMES)
    return made.getvalue()


_METHODS = {
    "stored": zipfile.ZIP_STORED,
    "deflated": zipfile.ZIP_DEFLATED,
    "bzip2": zipfile.ZIP_BZIP2,
    "lzma": zipfile.ZIP_LZMA,
}
STREAMS = ["gz", "bz2", "zst"]


@pytest.mark.parametrize("kind", [*STREAMS, *_METHODS])
def test_large_texts_come_whole(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind if kind in STREAMS else 'zip'}"
    path.write_bytes(_packed(kind, MANY))
    with unpacked(path, tmp_path / "cache") as text:
        whole = MANY if kind in STREAMS else MANY + b"\n\n" + _GAMES + b"\n\n"
        assert text.read(0, text.size + 1) == whole
        assert text.damage == ""


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("part", [0.6, 0.8, 0.999])
def test_a_cut_archive_gives_what_stands_before_the_cut(kind: str, part: float, tmp_path: Path) -> None:
    path, cache = tmp_path / f"a.{kind}", tmp_path / "cache"
    data = _packed(kind, MANY)
    path.write_bytes(data[: int(len(data) * part)])
    # The copy is used again, and says the same.
    for _ in range(2):
        with unpacked(path, cache) as text:
            assert text.damage == "it is cut off"
            found = text.read(0, text.size)
            assert MANY.startswith(found)
            # Blocks of 100 kB and of 128 kB are packed as a whole.
            assert len(found) > len(MANY) * part - 300_000
    path.write_bytes(data)
    with unpacked(path, cache) as text:
        assert (text.damage, text.size) == ("", len(MANY))
    assert sorted(one.suffix for one in cache.iterdir()) == [".end", ".part"]


@pytest.mark.parametrize("kind", [*STREAMS, *_METHODS])
def test_an_altered_archive_gives_what_can_be_read_and_says_so(kind: str, tmp_path: Path) -> None:
    rng = random.Random(kind)
    data = _packed(kind, MANY)
    for number in range(40):
        place = rng.randrange(len(data) // 2, len(data) - 800)
        path = tmp_path / f"{number}.{kind if kind in STREAMS else 'zip'}"
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :])
        with unpacked(path, tmp_path / "cache") as text:
            assert text.damage, place
            found = text.read(0, text.size)
            if kind not in STREAMS:
                assert found.endswith(b"\n\n" + _GAMES + b"\n\n"), "the other member is whole"
            if kind in ("gz", "deflated"):
                # Up to there nothing is altered but the text that was packed in a few bytes.
                assert found.startswith(MANY[: len(MANY) * (place - 3000) // len(data)])


@pytest.mark.parametrize("kind", ["gz", "bz2", "zst"])
def test_an_archive_without_any_text_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_bytes(_packed(kind, MANY)[:12])
    with pytest.raises(errors.SourceError, match="damaged: it is cut off"):
        unpacked(path, tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*"))


def test_a_zip_without_its_list_of_files_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(_packed("deflated", MANY)[:-12])
    with pytest.raises(errors.SourceError, match="damaged: its list of files"):
        unpacked(path, tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*"))


def _frame(blocks: int, window: int = 0x38) -> bytes:
    """A zstandard frame that repeats a newline 128 kB a block; `window` is its descriptor."""
    block, last = (((128 << 10) << 3 | 1 << 1 | end).to_bytes(3, "little") + b"\n" for end in (0, 1))
    return b"\x28\xb5\x2f\xfd\x00" + bytes([window]) + block * (blocks - 1) + last


_REPEATED = b"1. e4 e5 *\n\n"


def _bomb(kind: str, megabytes: int) -> bytes:
    """A small file that unpacks to so much text, as densely as the method can."""
    if kind == "zst":
        return _frame(8 * megabytes)
    if kind == "gz":
        packer = zlib.compressobj(9, wbits=31)
        return b"".join([*(packer.compress(b"\n" * (1 << 20)) for _ in range(megabytes)), packer.flush()])
    if kind == "bz2":
        return bz2.compress(b"\n" * (32 << 20)) * (megabytes // 32)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", _METHODS[kind]) as archive, archive.open("a.pgn", "w") as member:
        for _ in range(megabytes):
            member.write(b"\n" * (1 << 20))
    return made.getvalue()


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process's memory is read from /proc")
@pytest.mark.parametrize("kind", ["zst", "gz", "bz2", "deflated", "bzip2", "lzma"])
def test_a_bomb_takes_little_memory_and_leaves_nothing(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind if kind in STREAMS else 'zip'}"
    path.write_bytes(_bomb(kind, 512))
    assert path.stat().st_size < 600_000
    code = (
        "import sys; from pathlib import Path\n"
        "from cqlgui.base import errors\n"
        "from cqlgui.pgn import archives\n"
        "from cqlgui.pgn.packed import stream, unpacking\n"
        "def peak():\n"
        "    (line,) = [one for one in open('/proc/self/status') if one.startswith('VmHWM')]\n"
        "    return int(line.split()[1]) >> 10\n"
        "before = peak()\n"
        "try: archives.open_source(Path(sys.argv[1]), Path(sys.argv[2])).finish()\n"
        "except errors.SourceError as error: print(error)\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(tmp_path / "cache")],
        cwd=helpers.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    said, grown = done.stdout.splitlines()
    assert said.startswith(f"{path.name} unpacks to more than 400 times its size")
    assert int(grown) < 250
    assert not list((tmp_path / "cache").iterdir())


def test_a_window_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zst"
    # 1 << 31 bytes.
    path.write_bytes(_frame(1, window=21 << 3))
    with pytest.raises(errors.SourceError, match="window of more than 128 MB"):
        unpacked(path, tmp_path / "cache")


@pytest.mark.parametrize("ratio", [50, 100, 300])
@pytest.mark.parametrize("kind", STREAMS)
def test_games_that_repeat_each_other_are_read(
    kind: str, ratio: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_UNSUSPICIOUS", 1 << 20)
    noise = random.Random(ratio).randbytes(30_000).hex().encode()
    data = b"{" + noise + b"}" + _REPEATED * (30_000 * ratio // len(_REPEATED))
    path = tmp_path / f"a.{kind}"
    path.write_bytes(_packed(kind, data))
    assert 20 < len(data) / path.stat().st_size < 400
    with unpacked(path, tmp_path / "cache") as text:
        assert text.size == len(data)


def test_unpacking_leaves_room_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = 40 << 20

    def usage(folder: Path) -> SimpleNamespace:
        return SimpleNamespace(free=free - sum(path.stat().st_size for path in Path(folder).iterdir()))

    monkeypatch.setattr(shutil, "disk_usage", usage)
    for megabytes, fits in ((15, True), (100, False)):
        path, cache = tmp_path / f"{megabytes}.gz", tmp_path / f"cache-{megabytes}"
        path.write_bytes(_bomb("gz", megabytes))
        if fits:
            unpacked(path, cache).close()
        else:
            with pytest.raises(errors.SourceError, match=r"no room left on the disk for the text of 100\.gz"):
                unpacked(path, cache)
            # What was kept while there was room is whole; the rest is unpacked when there is room again.
            assert {one.suffix for one in cache.iterdir()} == {".part"}
            free = 1 << 30
            with unpacked(path, cache) as text:
                assert text.size == megabytes << 20


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_what_was_unpacked_in_vain_goes(number: str, tmp_path: Path) -> None:
    path, home = tmp_path / "a.zst", tmp_path / "home"
    path.write_bytes(_packed("zst", MANY))
    code = (
        "import os, signal, sys, zlib\n"
        "from types import SimpleNamespace\n"
        "from cqlgui.__main__ import main\n"
        "from cqlgui.pgn.packed import copies\n"
        # Who runs in the background has it ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        # The checksum is computed while the file is open.
        "def stop(data):\n"
        "    copies.zlib = zlib\n"
        "    os.kill(os.getpid(), getattr(signal, sys.argv[2]))\n"
        "    return zlib.crc32(data)\n"
        "copies.zlib = SimpleNamespace(crc32=stop)\n"
        "sys.exit(main(['import', sys.argv[1]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), number],
        env=dict(os.environ, CQLGUI_HOME=str(home)),
        cwd=helpers.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert helpers.TRACEBACK not in done.stderr
    assert done.returncode in (130, -getattr(signal, number)), done.stderr
    left = list((home / "cache" / "index").rglob(".cqlgui-*"))
    assert len(left) == (number == "SIGKILL")
    # Whatever is imported next, what the killed one had unpacked goes.
    other = tmp_path / "b.pgn"
    other.write_bytes(_GAMES)
    assert helpers.cli("import", other, home=home).code == 0
    assert not list((home / "cache" / "index").rglob(".cqlgui-*"))


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
            unpacked(tmp_path / name, tmp_path / "cache")
        assert str(caught.value).endswith(".")


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "pipe.pgn")
    with pytest.raises(errors.SourceError, match="ordinary file"):
        unpacked(tmp_path / "pipe.pgn")


def test_an_empty_pgn_has_no_games(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_bytes(b"")
    with unpacked(tmp_path / "a.pgn") as text:
        assert list(split.games(text)) == []


def test_unpacking_can_be_cancelled(tmp_path: Path) -> None:
    _pack("gz", tmp_path / "a.gz")
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        unpacked(tmp_path / "a.gz", tmp_path / "cache", cancel=token)
    assert not list((tmp_path / "cache").glob("*"))


@pytest.mark.parametrize("kind", STREAMS)
def test_streams_without_text_are_passed_over_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_bytes(_packed(kind, b"") * 45_000 + _packed(kind, _GAMES))
    began = time.process_time()
    with unpacked(path, tmp_path / "cache") as text:
        assert text.read(0, text.size) == _GAMES
        assert not text.damage
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize("kind", STREAMS)
def test_unpacking_can_be_cancelled_where_there_is_no_text(kind: str, tmp_path: Path) -> None:
    class Later(progress.CancelToken):
        """Somebody cancels after the work has begun."""

        asked = 0

        def raise_if_cancelled(self) -> None:
            self.asked += 1
            if self.asked == 2:
                self.cancel()
            super().raise_if_cancelled()

    path = tmp_path / f"a.{kind}"
    path.write_bytes(_packed(kind, b"") * 20_000)
    with pytest.raises(errors.Cancelled):
        unpacked(path, tmp_path / "cache", cancel=Later())
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
    with unpacked(path, cache) as text:
        assert text.size
    assert (forsaken.exists(), fresh.exists()) == (False, True)


def test_unpacking_stops_within_zeros_behind_the_last_stream(tmp_path: Path) -> None:
    path = tmp_path / "padded.pgn.gz"
    path.write_bytes(gzip.compress(b"1. e4 *"))
    os.truncate(path, 1 << 30)
    asked: list[None] = []

    class Token(progress.CancelToken):
        def raise_if_cancelled(self) -> None:
            asked.append(None)
            if len(asked) > 1:
                raise errors.Cancelled

    with pytest.raises(errors.Cancelled):
        unpacked(path, tmp_path / "cache", cancel=Token())
