"""An import whose games workers read gives the index and the catalog that one computer makes."""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from cqlgui.base import data, errors, progress
from cqlgui.jit import native
from cqlgui.tasks.cluster import cutting, messages, remote_reading, versions
from cqlgui.tasks.databases import bases, games, importing, reading, sources, workspace
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import searching
from tests import helpers
from tests.helpers import clusters, searched

ODD = (
    '[Event "x"]\n[White "A"]\n[Black "B"]\n[WhiteElo "2450?"]\n[Annotator "M\u00fcller"]\n\n'
    "{start} $14 1. e4! {a} (1. d4 {b}) e5 1-0\n\n"
    "1. e4 e5 {no tags} 2. Qh5 Ke7 3. Qxe5# 1-0\n\n"
    '[Event "fen"]\n[White "C"]\n[SetUp "1"]\n[FEN "6k1/7B/8/8/8/8/8/K7 b - - 0 1"]\n\n1... Kh8 *\n\n'
    '[Event "y"]\n[White "A"]\n[BlackElo "2100"]\n[Result "0-1"]\n\n1. f4 e5 2. g4 Qh4# 1-0\n\n'
    '[White "broken"]\n\n1. e4 Qxe9 {gone} *\n\n'
)
TRAPS = (
    '[Event "a"]\n\n1. e4 {long\n\n[Event "no"]\n\n} e5 *\n\n',
    '[Event "a"]\n\n[Event "b"]\n[White "c"]\n\n1. e4 *\n\n',
    '[White "a"]\n\n[Event "b"]\n[Black "c"]\n\n1. e4 *\n\n',
    '% a remark\n\n[Event "a"]\n\n1. e4 e5 *\n\n; another one\n\n[Event "b"]\n\n1. d4 {never closed\n\n',
    '[Event "a"]\n\n1. e4 {odd \\} \n\n[Event "b"]\n\n1. d4 {x} *\n\n',
    '[Event "a"]\n[White "b"]\n\n1. e4 e5\n\n[Site "x"]\n\n[Event "y"]\n\n2. Nf3 *\n\nstray text\n\n',
    '[Event "a"]\n[White "\u00e9"]\n\n1. e4 *\xff\n\n[Event "b"]\n\n1. d4 *\n\n',
)
QUERIES = (
    "flipcolor flipvertical {Bh7 kg8 check}",
    'cql(variations) originalcomment "b" or tag "Annotator" == "M\u00fcller"',
    'cql(result 1-0) elo > 2000 or player "A"',
    "mate persistent Found += 1 comment(Found)",
)


class Here:
    """Workers of this process. Of what they have, the last request is answered first. `most` is the largest
    number of requests that they had at the same time."""

    def __init__(self, after: Callable[[], None] = lambda: None) -> None:
        self.asked: list[bytes] = []
        self.most = 0
        self.after = after

    def errands(
        self, work: Callable[[bytes], bytes], search: str, cancel: progress.CancelToken
    ) -> remote_reading.Errands:
        return Errands(self, work, cancel)


class Errands:
    threads = 1

    def __init__(self, owner: Here, work: Callable[[bytes], bytes], cancel: progress.CancelToken) -> None:
        self.owner = owner
        self.work = work
        self.cancel = cancel
        self.waiting: list[int] = []

    def __enter__(self) -> Errands:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def give(self, request: bytes) -> int:
        self.owner.asked.append(request)
        self.waiting.append(len(self.owner.asked) - 1)
        self.owner.most = max(self.owner.most, len(self.waiting))
        return self.waiting[-1]

    def taken(self) -> list[tuple[int, bytes]]:
        self.cancel.raise_if_cancelled()
        number = self.waiting.pop()
        answer = self.work(self.owner.asked[number])
        self.owner.after()
        return [(number, answer)]


@contextlib.contextmanager
def home(path: Path) -> Iterator[None]:
    """A computer of its own, with its own index and catalog."""
    workspace.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CQLGUI_HOME", str(path))
        yield
        workspace.close()


def told(report: base_model.ImportReport, queries: tuple[str, ...] = QUERIES) -> dict[str, Any]:
    """All that is known of an imported base."""
    base = report.base
    found: dict[str, Any] = {
        "counts": (report.games, report.positions, report.cancelled),
        "bad": report.bad_games,
        "notes": bases.notes(base, 1000),
        "messages": report.messages,
        # The numbers of sources differ from catalog to catalog.
        "base": data.replace(base, sources=tuple(data.replace(one, id=0) for one in base.sources)),
        "rows": games.rows(base, range(1, base.games + 1)),
    }
    for place, source in enumerate(base.sources):
        with sources.opened(source) as reader:
            index = reader.index
            known = index.manifest
            # A packed text has a random token.
            identity = data.replace(known.identity, token="")
            found[f"manifest {place}"] = (known.segments, identity, known.next_offset, known.next_line)
            found[f"segments {place}"] = [(index.folder / row.file).read_bytes() for row in known.segments]
            found[f"flaws {place}"] = index.flaws()
            every = range(source.games)
            found[f"games {place}"] = [
                (
                    index.span(n), index.flags(n), index.plies(n), index.positions(n), index.start_fen(n),
                    bytes(index.moves(n)), reader.raw(n),
                )
                for n in every
            ]  # fmt: skip
            found[f"headers {place}"] = workspace.catalog().headers(source.id, every)
    for query in queries:
        one = searched.plain(searching.search(base, query))
        found[query] = dict(one.pop("games"))
        found[f"of {query}"] = {name: repr(value) for name, value in one.items()}
    return found


def compared(
    paths: list[Path], folder: Path, only: str | None = None, queries: tuple[str, ...] = QUERIES
) -> tuple[Here, remote_reading.Reader]:
    """Import files here and by workers. Both must know the same of them."""
    with home(folder / "one"):
        wanted = told(importing.open_base(paths, games=only), queries)
    cluster = Here()
    reader = remote_reading.Reader(cluster)
    with home(folder / "many"):
        found = told(importing.open_base(paths, games=only, reader=reader), queries)
    for name, value in wanted.items():
        assert found[name] == value, name
    return cluster, reader


def odd_file(folder: Path, ends: str = "\n", times: int = 8) -> Path:
    path = folder / f"odd{len(ends)}.pgn"
    text = "; a remark before the first game\n\n" + ODD * times + "\n; the end\n"
    path.write_bytes(text.replace("\n", ends).encode("utf-8"))
    return path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_LOOK", 200)
    monkeypatch.setattr(remote_reading, "PIECE", 700)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_index_is_that_of_one_computer(
    ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [clusters.SAMPLE, odd_file(tmp_path, ends)]
    cluster, reader = compared(paths, tmp_path)
    assert len(cluster.asked) > 100
    assert reader.notices == []
    assert cluster.most <= remote_reading._LEAST
    monkeypatch.setattr(remote_reading, "PIECE", 50_000)
    cluster, _ = compared(paths[:1], tmp_path / "large")
    assert 2 < len(cluster.asked) < 20


@pytest.mark.usefixtures("small")
def test_without_machine_code_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "available", lambda: False)
    cluster, _ = compared([odd_file(tmp_path)], tmp_path, queries=())
    assert len(cluster.asked) > 3


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "only", ["white:A", "elo>2000 annotator:M*", "-white:A", "nothing:x", "white:broken"]
)
def test_a_filter_takes_the_same_games(only: str, tmp_path: Path) -> None:
    cluster, _ = compared([odd_file(tmp_path)], tmp_path, only, ("mate",))
    assert len(cluster.asked) > 3


@pytest.mark.parametrize("size", [30, 60, 150])
@pytest.mark.parametrize("trap", [*TRAPS, "".join(TRAPS)])
def test_a_place_within_a_game_ends_no_piece(
    trap: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trap.pgn"
    path.write_bytes((trap * 12).encode("latin-1"))
    monkeypatch.setattr(remote_reading, "PIECE", size)
    cluster, _ = compared([path], tmp_path, queries=())
    assert cluster.asked
    compared([path], tmp_path / "sifted", "white:c", queries=())


@pytest.mark.usefixtures("small")
def test_packed_small_and_empty_files_are_read_here(tmp_path: Path) -> None:
    packed, empty, wide, tiny = (tmp_path / name for name in ("a.pgn.gz", "empty.pgn", "w.pgn", "tiny.pgn"))
    packed.write_bytes(gzip.compress(clusters.SAMPLE.read_bytes()))
    empty.write_bytes(b"")
    wide.write_bytes((ODD * 8).encode("utf-16"))
    tiny.write_text(ODD[:300])
    cluster, reader = compared([packed, empty, wide, tiny], tmp_path)
    assert cluster.asked == []
    assert reader.notices == [
        "a.pgn.gz is packed or in UTF-16, so this computer has read it alone.",
        "w.pgn is packed or in UTF-16, so this computer has read it alone.",
    ]


@pytest.mark.usefixtures("small")
def test_what_cannot_be_cut_is_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_reading, "_FAR", 1000)
    path = tmp_path / "long.pgn"
    path.write_text(ODD * 4 + (ODD * 20).replace("\n\n[Event", "\n[Event") + ODD * 4)
    cluster, reader = compared([path], tmp_path)
    assert cluster.asked
    assert reader.notices == [
        "long.pgn has a long part without empty lines before tags, so this computer has read that part and "
        "what follows."
    ]


@pytest.mark.usefixtures("small")
def test_workers_that_do_not_see_the_file_get_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A file of the same name and size that is another one.
    monkeypatch.setattr(remote_reading, "_seen", lambda _path, _begin, length: b"x" * length)
    cluster, _ = compared([odd_file(tmp_path, times=20)], tmp_path)
    with_text = ["text" in messages.unpacked(request)[1] for request in cluster.asked]
    pieces = len({messages.unpacked(request)[0]["begin"] for request in cluster.asked})
    assert with_text.count(True) == pieces > 3
    # What was not handed out when the first worker answered gets the text at once.
    assert with_text.count(False) == remote_reading._LEAST < pieces


@pytest.mark.usefixtures("small")
def test_an_import_goes_on_and_a_file_may_grow(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    text = clusters.SAMPLE.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    with home(tmp_path / "one"):
        wanted = told(importing.open_base([path]))
    with home(tmp_path / "many"):
        token = progress.CancelToken()
        seen: list[int] = []

        def grown(base: base_model.Base) -> None:
            seen.append(base.games)
            if base.games:
                token.cancel()

        reader = remote_reading.Reader(Here())
        report = importing.open_base([path], reader=reader, cancel=token, on_base=grown)
        assert report.cancelled
        assert 0 < report.games < wanted["counts"][0]
        report = importing.open_base([path], reader=reader)
        assert 0 < report.reused < report.games
        assert [one[1:] for one in told(report)["games 0"]] == [one[1:] for one in wanted["games 0"]]
        path.write_text(text + ODD * 30, encoding="utf-8")
        cluster = Here()
        report = importing.open_base([path], reader=remote_reading.Reader(cluster))
        assert report.reused == wanted["counts"][0] - 1
        assert cluster.asked
        found = told(report)
    with home(tmp_path / "grown"):
        again = told(importing.open_base([path]))
    for name in ("counts", "bad", "notes", "rows", "flaws 0", "games 0", "headers 0", *QUERIES):
        assert found[name] == again[name], name


@pytest.mark.usefixtures("small")
def test_a_file_that_changes_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = odd_file(tmp_path, times=30)
    later = (ODD * 12).encode()

    def change() -> None:
        if len(cluster.asked) > 7 and path.stat().st_size != len(later):
            path.write_bytes(later)

    cluster = Here(change)
    report = importing.open_base([path], reader=remote_reading.Reader(cluster))
    assert "odd1.pgn has changed while it was read." in report.messages
    assert report.games == 12 * 5
    path.write_text(ODD * 29, encoding="utf-8")
    cluster = Here(change)
    # The text that is sent is the one that was cut.
    monkeypatch.setattr(remote_reading, "_seen", lambda *_: b"")
    report = importing.open_base([path], reader=remote_reading.Reader(cluster))
    assert "odd1.pgn has changed while it was read." in report.messages
    assert report.games == 12 * 5


@pytest.mark.usefixtures("small")
def test_what_was_read_is_kept_if_a_worker_has_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Here()
    cluster.after = lambda: monkeypatch.setattr(versions, "own", lambda: "9.9")
    reader = remote_reading.Reader(cluster)
    with pytest.raises(reading.StoppedError, match=f"cqlgui {versions.own()}, and the worker on .* 9.9"):
        importing.open_base([odd_file(tmp_path)], reader=reader)
    monkeypatch.undo()
    # The answers came from the last piece on, so the first piece was not read.
    assert importing.open_base([odd_file(tmp_path)]).games == 40


def test_a_published_base_is_refused(tmp_path: Path, copies: Path) -> None:
    with pytest.raises(errors.CqlguiError, match="published already"):
        importing.open_base([copies], reader=remote_reading.Reader(Here()))


# --- with a cluster ---


@pytest.mark.usefixtures("small")
def test_the_workers_of_a_cluster_read_a_file(cluster: clusters.Cluster, tmp_path: Path) -> None:
    from cqlgui.tasks.cluster import clients

    path = odd_file(tmp_path, times=60)
    with home(tmp_path / "one"):
        wanted = told(importing.open_base([path]))
    with home(tmp_path / "many"), clients.Dask(cluster.address) as dask:
        assert told(importing.open_base([path], reader=remote_reading.Reader(dask))) == wanted


@pytest.mark.usefixtures("small")
def test_a_worker_may_be_killed(cluster: clusters.Cluster, tmp_path: Path) -> None:
    from cqlgui.tasks.cluster import clients

    path = odd_file(tmp_path, times=200)
    with home(tmp_path / "one"):
        wanted = told(importing.open_base([path]), ())
    killed: list[int] = []

    def kill(_: object) -> None:
        if not killed:
            killed.append(next(iter(dask._client.run(lambda: os.getpid()).values())))
            os.kill(killed[0], getattr(signal, "SIGKILL", signal.SIGTERM))

    with home(tmp_path / "many"), clients.Dask(cluster.address) as dask:
        report = importing.open_base([path], reader=remote_reading.Reader(dask), progress=kill)
        assert killed
        assert told(report, ()) == wanted


@pytest.mark.usefixtures("small")
def test_a_cancel_stops_the_workers(cluster: clusters.Cluster, tmp_path: Path) -> None:
    from cqlgui.tasks.cluster import clients

    path = odd_file(tmp_path, times=200)
    token = progress.CancelToken()
    with clients.Dask(cluster.address) as dask:
        reader = remote_reading.Reader(dask)
        report = importing.open_base([path], reader=reader, cancel=token, progress=lambda _: token.cancel())
        assert report.cancelled
        assert 0 < report.games < 1000
        stopped = time.monotonic()
        while any(dask._client.processing().values()):
            time.sleep(0.01)
        assert time.monotonic() - stopped < 5
    report = importing.open_base([path])
    assert (report.games, report.cancelled) == (1000, False)
    assert report.reused > 0


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process cannot be stopped here")
@pytest.mark.usefixtures("small")
def test_a_scheduler_that_hangs_ends_the_import_with_a_sentence(
    cluster: clusters.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cqlgui.tasks.cluster import clients

    monkeypatch.setattr(clients, "_SILENT_SECONDS", 1.0)
    path = odd_file(tmp_path, times=200)
    with clusters.Stopped(cluster.address) as hung, clients.Dask(cluster.address) as dask:
        reader = remote_reading.Reader(dask)
        began = time.monotonic()
        with pytest.raises(errors.CqlguiError, match=r"has not answered for 1 seconds.* are kept"):
            importing.open_base([path], reader=reader, progress=hung.stop)
        assert time.monotonic() - began < 15
    report = importing.open_base([path])
    assert report.games == 1000
    assert report.reused > 0


@pytest.mark.usefixtures("small")
def test_a_scheduler_that_ends_keeps_what_was_read(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    from cqlgui.tasks.cluster import clients

    path = odd_file(tmp_path, times=200)
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(clusters.started(1, tmp_path / "workers"))
        dask = stack.enter_context(clients.Dask(address))
        process = clusters.Stopped(address).process

        def kill(_: object) -> None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))

        with pytest.raises(errors.CqlguiError, match=r"scheduler at .* is gone. .* are kept"):
            importing.open_base([path], reader=remote_reading.Reader(dask), progress=kill)
    report = importing.open_base([path])
    assert report.games == 1000
    assert report.reused > 0


@pytest.mark.skipif(not native.available(), reason="reading 16 MB takes minutes without machine code")
def test_on_the_command_line(cluster: clusters.Cluster, tmp_path: Path) -> None:
    path = tmp_path / "large.pgn"
    sample = clusters.SAMPLE.read_bytes()
    with path.open("wb") as file:
        for _ in range(2 * remote_reading.PIECE // len(sample) + 1):
            file.write(sample + b"\n" + ODD.encode())
    others = ("--scheduler", cluster.address)
    one = helpers.cli("import", path, "--json", home=tmp_path / "one")
    many = helpers.cli("import", path, "--json", *others, home=tmp_path / "many")
    assert many.code == one.code == 0, many.err
    assert many.err == one.err == ""
    assert without_time(many.out) == without_time(one.out)
    one_index, many_index = (
        {file.name: file.read_bytes() for file in (tmp_path / name).rglob("*.seg")}
        for name in ("one", "many")
    )
    assert many_index == one_index
    assert len(one_index) > 2
    for command in (("search", path, "-e", "mate", "--jsonl"), ("info", path)):
        assert (
            helpers.cli(*command, home=tmp_path / "many").out
            == helpers.cli(*command, home=tmp_path / "one").out
        )
    refused = helpers.cli("import", tmp_path / "no.pgn", *others, home=tmp_path / "many")
    assert refused.code == 2
    assert "does not exist" in refused.err
    refused = helpers.cli("import", cluster.place, *others, home=tmp_path / "many")
    assert (refused.code, refused.err) == (
        2,
        "cqlgui: This base is published already, so no file is read. Name the files.\n",
    )
    for address in ("tcp://198.51.100.1:8786", "", "tcp://127.0.0.1:1"):
        refused = helpers.cli("import", path, "--scheduler", address, home=tmp_path / "none")
        assert refused.code == 2
        assert refused.err.count("\n") == 1
        assert "Traceback" not in refused.err
        assert not list((tmp_path / "none").rglob("*.seg"))


def without_time(text: str) -> str:
    return text[: text.index('"seconds"')]
