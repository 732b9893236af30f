"""Only one publication at a time writes into a place, and a killed one does not block the place."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cqlgui.base import errors, progress
from cqlgui.base.files import disk
from cqlgui.store import places, published
from cqlgui.tasks.cluster import claiming, publishing
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model
from tests import helpers

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
HOLD = """
import sys
from cqlgui.store import places
from cqlgui.tasks.cluster import claiming
with claiming.claimed(places.Place(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([SAMPLE]).base


@pytest.fixture
def address() -> Iterator[str]:
    fsspec = pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")
    yield "memory://claimed/base"
    with contextlib.suppress(FileNotFoundError):
        fsspec.filesystem("memory").rm("claimed", recursive=True)


def holder(place: Path) -> subprocess.Popen[str]:
    """A program that is publishing."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=helpers.ROOT,
    )


def test_the_second_publication_is_refused_until_the_first_is_killed(
    base: base_model.Base, tmp_path: Path
) -> None:
    place = tmp_path / "pub"
    with holder(place) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        words = ("publish", SAMPLE, "-o", place)
        refused = helpers.cli(*words, home=tmp_path / "home")
        assert refused.code == 2
        assert refused.err.startswith(
            f"cqlgui: A publication into {place} is under way, by process {first.pid}"
        )
        assert [path.name for path in place.iterdir()] == [claiming.MARKER]
        os.kill(first.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        first.wait()
    # What the killed program has left does not block the next one.
    assert (place / claiming.MARKER).exists()
    assert publishing.publish(base, str(place)).games == base.games
    assert sorted(path.name for path in place.iterdir()) == [published.LISTING, "parts"]


@pytest.mark.parametrize("kind", ["folder", "address"])
def test_a_publication_within_a_publication_is_refused(
    kind: str, base: base_model.Base, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claiming, "_SETTLE_SECONDS", 0.01)
    place = str(tmp_path / "pub") if kind == "folder" else address
    refused: list[str] = []

    def again(_: progress.Progress) -> None:
        with pytest.raises(errors.CqlguiError, match="is under way") as caught:
            publishing.publish(base, place)
        refused.append(str(caught.value))

    first = publishing.publish(base, place, progress=again)
    assert len(refused) == first.parts
    assert f"process {os.getpid()}" in refused[0]
    assert claiming.MARKER not in places.Place(place).names()
    assert published.Listing.read(places.Place(place)).sources[0].games == base.games


def test_a_refused_publication_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(KeyError), claiming.claimed(places.Place(str(tmp_path / "new"))):
        raise KeyError
    assert not (tmp_path / "new").exists()


def test_an_old_marker_at_an_address_blocks_for_a_while_alone(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claiming, "_SETTLE_SECONDS", 0.01)
    target = places.Place(address)
    target.write(claiming.MARKER, claiming._own("killed"))
    with pytest.raises(errors.CqlguiError, match=r"wait 10 minutes, or remove _publishing there"):
        claiming.claimed(target).__enter__()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 601)
    with claiming.claimed(target) as claim:
        claim.insist()
        # Somebody else takes the place all the same.
        target.write(claiming.MARKER, claiming._own("other"))
        with pytest.raises(errors.CqlguiError, match="is under way"):
            claim.insist()
    # The marker of the other one stays.
    assert claiming.MARKER in target.names()


def test_the_owner_renews_its_marker(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claiming, "_SETTLE_SECONDS", 0.01)
    monkeypatch.setattr(claiming, "_RENEW_SECONDS", 0.01)
    target = places.Place(address)
    with claiming.claimed(target) as claim:
        before = target.read(claiming.MARKER)
        limit = time.monotonic() + 10
        while target.read(claiming.MARKER) == before and time.monotonic() < limit:
            time.sleep(0.01)
        assert target.read(claiming.MARKER) != before
        claim.insist()
    assert target.names() == []


def test_a_folder_without_locks_has_a_marker_with_a_time(
    base: base_model.Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> bool:
        raise OSError("no locks")

    monkeypatch.setattr(disk, "lock_file", refuse)
    monkeypatch.setattr(claiming, "_SETTLE_SECONDS", 0.01)
    target = places.Place(str(tmp_path / "pub"))
    with (
        claiming.claimed(target),
        pytest.raises(errors.CqlguiError, match="is under way"),
        claiming.claimed(target),
    ):
        pass
    assert publishing.publish(base, target.name).games == base.games
    assert claiming.MARKER not in target.names()
