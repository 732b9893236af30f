"""Ctrl+C on the command line while a scheduler does not answer, and while workers write hits."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

from cqlgui.tasks.cluster import hit_files
from tests import helpers
from tests.helpers import clusters

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is interrupted in another way")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[clusters.Cluster]:
    copies = clusters.published_copies(tmp_path_factory.mktemp("copies"))
    with clusters.flagged(copies, tmp_path_factory.mktemp("cluster")) as running:
        yield running


def begun(home: Path, *words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "cqlgui", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ, CQLGUI_HOME=str(home), PYTHONPATH=str(helpers.ROOT)),
    )


@pytest.mark.parametrize("command", ["search", "publish", "import"])
def test_ctrl_c_ends_a_program_that_waits_for_a_silent_scheduler(command: str, tmp_path: Path) -> None:
    more = {"search": ("-e", "mate", "--count"), "publish": ("-o", tmp_path / "pub"), "import": ()}[command]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        run = begun(tmp_path / "home", command, clusters.SAMPLE, *more, "--scheduler", address)
        connection, _ = server.accept()
        with connection:
            run.send_signal(signal.SIGINT)
            interrupted = time.monotonic()
            _, err = run.communicate(timeout=60)
    # Without Ctrl+C, it would wait for ten seconds.
    assert time.monotonic() - interrupted < 5
    assert run.returncode == 130
    assert err == "Stopped.\n"
    assert not (tmp_path / "pub").exists()


def test_what_is_told_of_hits_after_ctrl_c_is_what_the_files_have(
    cluster: clusters.Cluster, tmp_path: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (cqlgui[arrow])")
    folder = tmp_path / "hits"
    with cluster.flagged("slow"):
        run = begun(
            tmp_path / "home",
            *("search", cluster.place, "-e", "check", "--count", "--hits", folder),
            *("--scheduler", cluster.address),
        )
        limit = time.monotonic() + 60
        while not list(folder.glob("*.parquet")) and time.monotonic() < limit:
            time.sleep(0.005)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        time.sleep(0.3)
    assert run.returncode == 130, err
    rows = [row for path in folder.glob("*.parquet") for row in parquet.read_table(path).to_pylist()]
    told = re.search(rf"^(\d+) games, (\d+) hits written to {folder} \((\d+) files?\)$", err, re.MULTILINE)
    assert told is not None, err
    written = len({row["game"] for row in rows}), len(rows), len(list(folder.glob("*.parquet")))
    assert tuple(map(int, told.groups())) == written
    assert written[0] > 0
    assert out.startswith(f"{written[0]} games, ")
    assert f"it has no {hit_files.COMPLETE}" in err
