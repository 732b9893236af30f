"""A base that workers publish piece by piece gives what a base gives that one computer has published."""

from __future__ import annotations

import gzip
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from cqlgui.base import errors, progress
from cqlgui.store import places, published, segments
from cqlgui.tasks.asking import queries
from cqlgui.tasks.cluster import cutting, pieces, publishing
from cqlgui.tasks.databases import games, importing, sources, tags
from cqlgui.tasks.databases import published as published_bases
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import searching, sieving
from tests import helpers
from tests.helpers import clusters, searched

ODD = (
    '[Event "x"]\n[White "A"]\n[Black "B"]\n[WhiteElo "2450?"]\n[Annotator "M\u00fcller"]\n\n'
    "{start} $14 1. e4! {a} (1. d4 {b}) e5 1-0\n\n"
    "1. e4 e5 {no tags} 2. Qh5 Ke7 3. Qxe5# 1-0\n\n"
    '[Event "y"]\n[White "A"]\n[BlackElo "2100"]\n[Result "0-1"]\n\n1. f4 e5 2. g4 Qh4# 1-0\n\n'
    '[White "broken"]\n\n1. e4 Qxe9 {gone} *\n\n'
)
QUERIES = (
    "flipcolor flipvertical {Bh7 kg8 check}",
    'cql(variations) originalcomment "b" or tag "Annotator" == "M\u00fcller"',
    'cql(result 1-0) elo > 2000 or player "A"',
    "mate persistent Found += 1 comment(Found)",
)


class Here:
    """Workers of this process. `asked` counts what they were asked. `after` is called after each answer."""

    def __init__(self, after: Callable[[], None] = lambda: None) -> None:
        self.asked = 0
        self._after = after

    def answers(
        self,
        work: Callable[[bytes], bytes],
        requests: Sequence[bytes],
        search: str,
        cancel: progress.CancelToken,
    ) -> Iterator[tuple[int, bytes]]:
        self.asked += len(requests)
        # Whoever is the last one may be done first.
        for number, request in reversed(list(enumerate(requests))):
            cancel.raise_if_cancelled()
            yield number, work(request)
            self._after()


def odd_file(folder: Path, ends: str = "\n") -> Path:
    path = folder / f"odd{len(ends)}.pgn"
    text = "; a remark before the first game\n\n" + ODD * 8 + "\n; the end\n"
    path.write_bytes(text.replace("\n", ends).encode("utf-8"))
    return path


def files_of(place: Path) -> dict[str, bytes]:
    return {
        path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()
    }


def opened(place: Path) -> base_model.Base:
    tags._kept.clear()
    return published_bases.open_base(str(place), adopt=False).base


def test_files_in_one_piece_give_the_same_bytes(tmp_path: Path) -> None:
    paths = [clusters.SAMPLE, odd_file(tmp_path), odd_file(tmp_path, "\r\n")]
    wanted = publishing.publish(importing.open_base(paths).base, str(tmp_path / "one"))
    cluster = Here()
    found = pieces.publish(paths, str(tmp_path / "many"), cluster)
    assert cluster.asked == len(paths)
    assert (found.games, found.parts, found.size) == (wanted.games, wanted.parts, wanted.size)
    assert files_of(tmp_path / "many") == files_of(tmp_path / "one")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_pieces_of_files_give_the_same_answers(
    ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [clusters.SAMPLE, odd_file(tmp_path, ends)]
    base = importing.open_base(paths).base
    monkeypatch.setattr(cutting, "_LOOK", 200)
    monkeypatch.setattr(pieces, "_FAR", 200_000)
    cluster = Here()
    for size, least in ((100_000, 4), (700, 250)):
        cluster.asked = 0
        monkeypatch.setattr(pieces, "PIECE", size)
        place = tmp_path / str(size)
        found = pieces.publish(paths, str(place), cluster)
        assert cluster.asked >= least
        assert found.parts >= least
        there = opened(place)
        assert there.games == base.games
        for query in QUERIES:
            one = searched.plain(searching.search(there, query))
            other = searched.plain(searching.search(base, query))
            assert dict(one.pop("games")) == dict(other.pop("games")), query
            assert {name: repr(value) for name, value in one.items()} == {
                name: repr(value) for name, value in other.items()
            }
        every = range(1, base.games + 1)
        assert games.rows(there, every) == games.rows(base, every)
        for mine, own in zip(there.sources, base.sources, strict=True):
            with sources.opened(mine) as here, sources.opened(own) as file:
                assert here.index.manifest.identity.digest == file.index.manifest.identity.digest
                length = file.index.manifest.identity.text_size
                assert here.stretch(0, length) == file.stretch(0, length)
                for number in range(own.games):
                    assert here.index.span(number) == file.index.span(number)
                assert here.index.problems() == file.index.problems()


@pytest.mark.parametrize("query", ["mate", 'player "A" check', 'originalcomment "b"'])
def test_a_search_fetches_each_part_when_its_turn_comes(
    query: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = odd_file(tmp_path)
    monkeypatch.setattr(cutting, "_LOOK", 200)
    monkeypatch.setattr(pieces, "PIECE", 700)
    pieces.publish([path], str(tmp_path / "place"), Here())
    (source,) = opened(tmp_path / "place").sources
    planner = sieving.plan(queries.expanded(query)).planner
    assert planner is not None
    fetched = []
    with sources.indexed(source) as index:

        def listed() -> Iterator[tuple[int, segments.Segment]]:
            for one in index.parts_among(0, source.games):
                fetched.append(one[0])
                yield one

        planned = [first for first, _ in planner.parts(source, listed()) if fetched[-1] == first]
    assert planned == fetched
    assert len(planned) > 2


@pytest.mark.parametrize(
    "trap",
    [
        '[Event "a"]\n\n1. e4 {long\n\n[Event "no"]\n\n} e5 *\n\n',
        '[Event "a"]\n\n[Event "b"]\n[White "c"]\n\n1. e4 *\n\n',
    ],
)
def test_a_place_within_a_game_is_no_end_of_a_piece(
    trap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trap.pgn"
    path.write_text(trap * 20)
    wanted = publishing.publish(importing.open_base([path]).base, str(tmp_path / "one"))
    monkeypatch.setattr(pieces, "PIECE", 30)
    pieces.publish([path], str(tmp_path / "many"), Here())
    there, base = opened(tmp_path / "many"), opened(tmp_path / "one")
    assert there.games == base.games == wanted.games
    for mine, own in zip(there.sources, base.sources, strict=True):
        with sources.opened(mine) as here, sources.opened(own) as file:
            assert [here.raw(n) for n in range(own.games)] == [file.raw(n) for n in range(own.games)]
    # Nothing is left of pieces that were read in vain.
    listed = published.Listing.read(places.Place(str(tmp_path / "many"))).sources
    names = {part.file(ending) for one in listed for part in one.parts for ending in part.sums}
    assert set(files_of(tmp_path / "many")) == {published.LISTING, *names}


def test_a_packed_file_an_empty_file_and_utf_16(tmp_path: Path) -> None:
    packed, empty, wide = tmp_path / "a.pgn.gz", tmp_path / "empty.pgn", tmp_path / "wide.pgn"
    packed.write_bytes(gzip.compress(clusters.SAMPLE.read_bytes()))
    empty.write_bytes(b"")
    wide.write_bytes(ODD.encode("utf-16"))
    said: list[str] = []
    pieces.publish([packed, empty, wide], str(tmp_path / "many"), Here(), on_message=said.append)
    publishing.publish(importing.open_base([packed, empty, wide]).base, str(tmp_path / "one"))
    assert files_of(tmp_path / "many") == files_of(tmp_path / "one")
    assert said == ["empty.pgn holds no games."]


def test_a_file_that_changes_or_is_missing_is_told_and_the_place_keeps_its_base(tmp_path: Path) -> None:
    path, place = odd_file(tmp_path), tmp_path / "pub"
    pieces.publish([path], str(place), Here())
    before = files_of(place)

    class Changing(Here):
        def answers(
            self,
            work: Callable[[bytes], bytes],
            requests: Sequence[bytes],
            search: str,
            cancel: progress.CancelToken,
        ) -> Iterator[tuple[int, bytes]]:
            os.utime(path, (1, 1))
            yield from super().answers(work, requests, search, cancel)

    with pytest.raises(errors.CqlguiError, match="must see the same files"):
        pieces.publish([path], str(place), Changing())
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        pieces.publish([path], str(place), Here(), cancel=token)
    with pytest.raises(errors.SourceError, match="does not exist"):
        pieces.publish([tmp_path / "no.pgn"], str(place), Here())
    with pytest.raises(errors.CqlguiError, match="published already"):
        pieces.publish([place], str(tmp_path / "other"), Here())
    assert files_of(place) == before


def packed_badly(folder: Path) -> Path:
    """A packed file of which nothing can be read."""
    path = folder / "bad.pgn.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfdgarbage")
    return path


def test_an_unreadable_file_is_left_out_as_on_one_computer(cluster: clusters.Cluster, tmp_path: Path) -> None:
    words = ("publish", clusters.SAMPLE, packed_badly(tmp_path), "-o", tmp_path / "pub")
    alone = ("publish", packed_badly(tmp_path), "-o", tmp_path / "none")
    others = ("--scheduler", cluster.address)
    one = helpers.cli(*words, home=tmp_path / "home")
    written = files_of(tmp_path / "pub")
    many = helpers.cli(*words, *others, home=tmp_path / "home")
    assert one.code == many.code == 2
    assert "bad.pgn.zst is damaged" in one.err
    assert one.err.endswith("The other files are open without it.\n")
    assert many.err == one.err
    assert one.out.startswith("500 games in 2 parts")
    assert files_of(tmp_path / "pub") == written
    assert opened(tmp_path / "pub").games == 500
    one, many = (helpers.cli(*alone, *more, home=tmp_path / "home") for more in ((), others))
    assert one.code == many.code == 2
    assert many.err == one.err
    assert not (tmp_path / "none" / published.LISTING).exists()


def test_a_file_that_vanishes_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 700)
    monkeypatch.setattr(cutting, "_LOOK", 200)
    path, place = odd_file(tmp_path), tmp_path / "pub"

    said: list[str] = []
    found = pieces.publish(
        [clusters.SAMPLE, path],
        str(place),
        Here(lambda: path.unlink(missing_ok=True)),
        on_message=said.append,
    )
    assert said == [f"{path} does not exist. The other files are open without it."]
    assert (found.games, found.unreadable) == (500, (path,))
    assert opened(place).games == 500
    # The parts of the file that vanished are removed.
    assert {part.split(".")[0] for part in files_of(place) if part.startswith("parts/")} == {
        f"parts/{part.name}"
        for one in published.Listing.read(places.Place(str(place))).sources
        for part in one.parts
    }


def test_if_no_file_can_be_read_the_place_keeps_its_base(tmp_path: Path) -> None:
    path, place = packed_badly(tmp_path), tmp_path / "pub"
    pieces.publish([clusters.SAMPLE], str(place), Here())
    before = files_of(place)
    other = tmp_path / "other.pgn.zst"
    other.write_bytes(path.read_bytes() + b"?")
    with pytest.raises(errors.SourceError, match="None of these 2 files can be read"):
        pieces.publish([path, other], str(place), Here())
    assert files_of(place) == before


def test_a_cancel_stops_the_workers(
    cluster: clusters.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cqlgui.tasks.cluster import clients

    monkeypatch.setattr(pieces, "PIECE", 700)
    token = progress.CancelToken()
    with clients.Dask(cluster.address) as scheduler:
        with pytest.raises(errors.Cancelled):
            pieces.publish(
                [clusters.SAMPLE],
                str(tmp_path / "pub"),
                scheduler,
                cancel=token,
                progress=lambda _: token.cancel(),
            )
        stopped = time.monotonic()
        while any(scheduler._client.processing().values()):
            time.sleep(0.01)
        assert time.monotonic() - stopped < 5
    assert not (tmp_path / "pub" / published.LISTING).exists()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process cannot be stopped here")
def test_a_scheduler_that_hangs_ends_the_publication_with_a_sentence(
    cluster: clusters.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cqlgui.tasks.cluster import clients

    monkeypatch.setattr(clients, "_SILENT_SECONDS", 1.0)
    monkeypatch.setattr(pieces, "PIECE", 700)
    place = tmp_path / "pub"
    with clusters.Stopped(cluster.address) as hung, clients.Dask(cluster.address) as scheduler:
        began = time.monotonic()
        with pytest.raises(errors.CqlguiError, match="has not answered for 1 seconds"):
            pieces.publish([clusters.SAMPLE], str(place), scheduler, progress=hung.stop)
        assert time.monotonic() - began < 15
    assert not (place / published.LISTING).exists()
    with clients.Dask(cluster.address) as scheduler:
        assert pieces.publish([clusters.SAMPLE], str(place), scheduler).games == 500


def test_on_the_command_line(cluster: clusters.Cluster, tmp_path: Path) -> None:
    path = odd_file(tmp_path)
    one = helpers.cli("publish", clusters.SAMPLE, path, "-o", tmp_path / "one", home=tmp_path)
    many = helpers.cli(
        *("publish", clusters.SAMPLE, path, "-o", tmp_path / "many", "--scheduler", cluster.address),
        home=tmp_path,
    )
    assert many.code == one.code == 0, many.err
    assert many.out.replace("/many", "/one") == one.out
    assert files_of(tmp_path / "many") == files_of(tmp_path / "one")
    refused = helpers.cli(
        *("publish", tmp_path / "no.pgn", "-o", tmp_path / "many", "--scheduler", cluster.address),
        home=tmp_path,
    )
    assert refused.code == 2
    assert "does not exist" in refused.err
