"""Published bases in a store that speaks S3. The store is `moto`'s, on this computer."""

from __future__ import annotations

import importlib.util
import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from cqlgui.tasks.cluster import claiming
from tests import helpers
from tests.helpers import clusters

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
for name in ("s3fs", "moto"):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed (pip install s3fs 'moto[server]')", allow_module_level=True)

QUERY = "flipcolor flipvertical {Bh7 kg8 check}"
PATIENCE = 30
"""Seconds within which the store must have started."""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an empty bucket."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    command = [sys.executable, "-m", "moto.server", "-p", str(port)]
    log = tmp_path / "moto.log"
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    made = urllib.request.Request(f"{address}/games", method="PUT")
                    urllib.request.urlopen(made, timeout=PATIENCE).close()
                    break
                except OSError:
                    assert time.monotonic() < end, log.read_text("utf-8", "replace")
                    time.sleep(0.1)
            yield "s3://games"
        finally:
            process.terminate()


def test_a_base_is_published_and_searched_there(store: str, tmp_path: Path) -> None:
    place = f"{store}/sample"
    done = helpers.cli("publish", clusters.SAMPLE, "-o", place, home=tmp_path)
    assert done.code == 0, done.err
    words = ("-e", QUERY, "--count")
    wanted = helpers.cli("search", clusters.SAMPLE, *words, home=tmp_path)
    found = helpers.cli("search", place, *words, home=tmp_path)
    assert found.out == wanted.out != "", found.err
    again = helpers.cli("publish", clusters.SAMPLE, "-o", place, home=tmp_path)
    assert ", 0 new" in again.out, again.err

    with clusters.started(1, tmp_path / "workers") as address:
        far = ("--scheduler", address)
        asked = helpers.cli("search", place, *words, *far, home=tmp_path)
        assert asked.out == wanted.out, asked.err
        hits = helpers.cli("search", place, *words, *far, "--hits", f"{store}/hits", home=tmp_path)
        assert hits.out == wanted.out, hits.err
        full = helpers.cli("search", place, *words, *far, "--hits", f"{store}/hits", home=tmp_path)
        assert full.code == 2
        assert "is not empty" in full.err
        there = f"{store}/workers"
        made = helpers.cli("publish", clusters.SAMPLE, "-o", there, *far, home=tmp_path)
        assert made.code == 0, made.err
    assert helpers.cli("search", there, *words, home=tmp_path).out == wanted.out


def test_only_one_publication_at_a_time_writes_there(store: str, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")
    with fsspec.open(f"{store}/sample/{claiming.MARKER}", "w") as file:
        json.dump({"who": "process 7 on another computer", "time": time.time()}, file)
    refused = helpers.cli("publish", clusters.SAMPLE, "-o", f"{store}/sample", home=tmp_path)
    assert refused.code == 2
    assert "is under way, by process 7 on another computer" in refused.err
