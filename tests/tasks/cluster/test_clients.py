"""A search on a cluster finds what a search on one computer finds, whatever happens to its workers."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

from cqlgui.base import errors, progress
from cqlgui.store import published
from cqlgui.tasks.cluster import admission, clients, messages, versions, working
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import searching
from tests import helpers
from tests.helpers import clusters, searched

SAMPLE = clusters.SAMPLE
PART = clusters.PART
EVERY = search_model.SearchOptions(pruned=False, details=search_model.Details.NONE)


needs_signals = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process cannot be stopped here")


def alike(found: search_model.SearchResult, wanted: search_model.SearchResult) -> None:
    one, other = searched.plain(found), searched.plain(wanted)
    assert dict(one.pop("games")) == dict(other.pop("games"))
    del one["notices"]
    del other["notices"]
    assert one == other


@pytest.mark.parametrize(
    "query",
    [
        "flipcolor flipvertical {Bh7 kg8 check}",
        'player "Kasparov" or gamenumber == 300',
        'mate sort "checks" find all check comment("mated by " [Aa]->[Kk])',
        'cql(result 1-0) originalcomment or elo > 2600 comment("strong")',
        'gamenumber < 4 message("game " gamenumber) str(currentposition)',
        "cql(variations) shift {Ka1 ka3}",
    ],
)
def test_hits_are_those_of_one_computer(query: str, cluster: clusters.Cluster) -> None:
    wanted = searching.search(cluster.base, query)
    told: list[int] = []
    found = cluster.search(query, on_hits=lambda some: told.extend(some))
    assert wanted.order
    alike(found, wanted)
    # Hits come in game order, whichever worker is the first.
    assert told == sorted(told) == sorted(wanted.order)


def test_some_games_and_a_limit(cluster: clusters.Cluster) -> None:
    within = np.arange(150, 1950, 7)
    options = search_model.SearchOptions(within=within, limit=25)
    found, wanted = cluster.search(".", options=options), searching.search(cluster.base, ".", options)
    assert found.order == wanted.order == tuple(within[:25].tolist())


def test_a_query_with_a_memory_is_one_chain_and_says_so(cluster: clusters.Cluster) -> None:
    query = "mate persistent Found += 1 comment(Found)"
    found, wanted = cluster.search(query), searching.search(cluster.base, query)
    alike(found, wanted)
    assert found.persistent[0].value == len(wanted.order) > 5
    assert "one after the other" in found.notices[0]
    assert not wanted.notices


def test_cancelling_leaves_an_exact_prefix(cluster: clusters.Cluster) -> None:
    whole = searching.search(cluster.base, ".", EVERY)
    token = progress.CancelToken()
    with cluster.flagged("slow"):
        found = cluster.search(".", options=EVERY, cancel=token, on_hits=lambda _: token.cancel())
        stopped = time.monotonic()
        with clients.Dask(cluster.address) as scheduler:
            while any(scheduler._client.processing().values()):
                time.sleep(0.01)
        assert time.monotonic() - stopped < 5
    assert found.cancelled
    count = len(found.games.columns)
    assert 0 < count < len(whole.games.columns)
    assert np.array_equal(found.games.columns.hits, whole.games.columns.hits[:count])


def test_a_worker_may_be_killed(cluster: clusters.Cluster) -> None:
    wanted = searching.search(cluster.base, "check", EVERY)
    killed: list[int] = []

    def kill(_: object) -> None:
        if not killed:
            killed.append(next(iter(scheduler._client.run(lambda: os.getpid()).values())))
            os.kill(killed[0], signal.SIGKILL)

    with cluster.flagged("slow"), clients.Dask(cluster.address) as scheduler:
        found = searching.search(cluster.base, "check", EVERY, on_hits=kill, scheduler=scheduler)
    assert killed
    alike(found, wanted)


def test_workers_stop_when_the_program_that_asked_was_killed(cluster: clusters.Cluster) -> None:
    endless = "x=0 while(x<100000000) x+=1 mate"
    command = [sys.executable, "-m", "cqlgui", "search", str(cluster.place), "-e", endless, "--count"]
    with clients.Dask(cluster.address) as scheduler:
        asking = subprocess.Popen([*command, "--scheduler", cluster.address], cwd=helpers.ROOT)
        try:
            while not any(scheduler._client.processing().values()):
                assert asking.poll() is None
                time.sleep(0.05)
            time.sleep(1)
        finally:
            asking.kill()
            asking.wait()
        alike(cluster.search("mate"), searching.search(cluster.base, "mate"))


def test_a_game_that_ends_its_workers_is_named_and_set_aside(cluster: clusters.Cluster) -> None:
    wanted = searching.search(cluster.base, "check", EVERY)
    with cluster.flagged("poison", "7"):
        found = cluster.search("check", options=EVERY)
    (failed,) = found.failed_games
    assert failed.game == 7
    assert "died" in failed.reason
    assert found.order == tuple(game for game in wanted.order if game != 7)


@pytest.mark.parametrize("parts", [1, 3])
def test_a_damaged_part_is_named_or_left_out(
    cluster: clusters.Cluster, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A task of several parts is split, so that only the damaged one is left out.
    monkeypatch.setattr(clients, "_FIRST", parts)
    monkeypatch.setattr(clients, "_WAITING", 1)
    wanted = searching.search(cluster.base, "check", EVERY)
    path = cluster.part(3, published.SEGMENT)
    kept = path.read_bytes()
    path.unlink()
    try:
        with pytest.raises(errors.IndexDamaged, match=path.name):
            cluster.search("check", options=EVERY)
        found = cluster.search("check", options=EVERY, partial=True)
    finally:
        path.write_bytes(kept)
    (words,) = found.left_out
    assert path.name in words
    first, last = 500 + PART + 1, 1000
    assert words.startswith(f"Games {first} to {last}:")
    assert found.order == tuple(game for game in wanted.order if not first <= game <= last)


def test_versions_must_be_the_same(cluster: clusters.Cluster) -> None:
    asked = messages.Request("0.0-other", "s", str(cluster.place), "", "mate", EVERY, 1, 2)
    words, _ = messages.unpacked(working.answer(asked.packed()))
    assert words["error"] == "version"
    assert "0.0-other" in words["sentence"]
    assert versions.own() in words["sentence"]
    with clients.Dask(cluster.address) as scheduler:
        own = set(scheduler._client.run(versions.own).values())
    assert own == {versions.own()}


def test_a_base_that_was_published_again_is_refused(cluster: clusters.Cluster) -> None:
    asked = messages.Request(versions.own(), "s", str(cluster.place), "other", "mate", EVERY, 1, 2)
    words, _ = messages.unpacked(working.answer(asked.packed()))
    assert "published again" in words["sentence"]


@pytest.mark.allow_log("distributed")
def test_a_scheduler_that_goes_away_is_an_error(
    cluster: clusters.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "_CONNECT_SECONDS", 3.0)
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(contextlib.ExitStack())
        scheduler = stack.enter_context(clients.Dask(running.enter_context(clusters.started(1, tmp_path))))
        with pytest.raises(errors.CqlguiError, match="is gone"):
            searching.search(cluster.base, ".", EVERY, on_hits=lambda _: running.close(), scheduler=scheduler)


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "_CONNECT_SECONDS", 0.2)
    with pytest.raises(errors.CqlguiError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        clients.Dask("tcp://127.0.0.1:9")


def test_a_silent_address_is_left_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "_CONNECT_SECONDS", 1.0)
    began = time.monotonic()
    with (
        clusters.silent() as address,
        pytest.raises(errors.CqlguiError, match=f"No Dask scheduler answers at {address}"),
    ):
        clients.Dask(address)
    assert time.monotonic() - began < 8


@needs_signals
def test_a_scheduler_that_hangs_ends_the_search_with_a_sentence(
    cluster: clusters.Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "_SILENT_SECONDS", 1.0)
    with clusters.Stopped(cluster.address) as hung, cluster.flagged("slow"):
        began = time.monotonic()
        with pytest.raises(errors.CqlguiError, match=f"{cluster.address} has not answered for 1 seconds"):
            cluster.search(".", options=EVERY, on_hits=hung.stop)
        assert 1 < time.monotonic() - began < 15
    # The scheduler goes on, and serves the next search.
    assert cluster.search("mate").order == searching.search(cluster.base, "mate").order


@needs_signals
def test_a_search_is_cancelled_while_the_scheduler_hangs(cluster: clusters.Cluster) -> None:
    token = progress.CancelToken()
    with clusters.Stopped(cluster.address) as hung, cluster.flagged("slow"):

        def stop(_: object) -> None:
            if not token.cancelled:
                hung.stop()
                threading.Timer(0.5, token.cancel).start()

        began = time.monotonic()
        found = cluster.search(".", options=EVERY, cancel=token, on_hits=stop)
        assert time.monotonic() - began < 15
    assert found.cancelled


@pytest.mark.parametrize(
    "address", ["tcp://192.0.2.1:8786", "192.0.2.1:8786", "ucx://host:1", "tcp://[2001:db8::1]:1"]
)
def test_other_computers_are_reached_by_tls_alone(address: str) -> None:
    with pytest.raises(errors.CqlguiError, match=r"may run any program there.*tls://"):
        admission.admit(address)


@pytest.mark.parametrize(
    "address", ["tls://192.0.2.1:8786", "tcp://127.0.0.1:1", "localhost:8786", "tcp://[::1]:8786"]
)
def test_this_computer_needs_no_tls(address: str) -> None:
    admission.admit(address)


@pytest.mark.parametrize("address", ["foo", "localhost", "192.0.2.1", "tcp://foo", "foo:bar"])
def test_an_address_has_a_port(address: str) -> None:
    with pytest.raises(errors.CqlguiError, match=f"^{address} is not an address of a Dask scheduler"):
        admission.admit(address)


def test_what_a_cluster_does_not_do_is_said(cluster: clusters.Cluster, tmp_path: Path) -> None:
    with pytest.raises(errors.CqlguiError, match="neither read nor write files"):
        cluster.search("mate", options=search_model.SearchOptions(allow_read=(tmp_path,)))
    plain = importing.open_base([SAMPLE]).base
    with (
        clients.Dask(cluster.address) as scheduler,
        pytest.raises(errors.CqlguiError, match="cqlgui publish"),
    ):
        searching.search(plain, "mate", scheduler=scheduler)


def test_on_the_command_line(cluster: clusters.Cluster, tmp_path: Path) -> None:
    words = ("search", cluster.place, "-e", "flipcolor flipvertical {Bh7 kg8 check}", "--jsonl")
    wanted = helpers.cli(*words, home=tmp_path)
    found = helpers.cli(*words, "--scheduler", cluster.address, home=tmp_path)
    assert found.code == 0, found.err
    assert found.out == wanted.out != ""
    refused = helpers.cli(*words, "--scheduler", "tcp://192.0.2.1:8786", home=tmp_path)
    assert refused.code == 2
    assert "TLS" in refused.err


def test_a_search_does_not_wait_for_workers_for_ever(
    cluster: clusters.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "_LONELY_SECONDS", 0.2)
    with clusters.started(0, tmp_path) as address, clients.Dask(address) as scheduler:
        assert scheduler.workers == 0
        with pytest.raises(errors.CqlguiError, match=f"The scheduler at {address} has no workers"):
            searching.search(cluster.base, "mate", scheduler=scheduler)
