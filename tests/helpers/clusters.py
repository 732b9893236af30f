"""A Dask cluster on this computer, in a process of its own:

    python -m tests.helpers.clusters [--tls FOLDER] WORKERS [PRELOAD]

The process prints the address of the scheduler and ends with its standard input.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cqlgui.store import places, published
from cqlgui.tasks.cluster import publishing
from cqlgui.tasks.databases import importing, workspace
from cqlgui.tasks.databases import published as published_bases
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
COPIES = 4
"""The sample as so many sources. A source of 500 games has two parts."""
PART = 200
"""Number of games in the first part of a source."""

PRELOAD = """
import os, pathlib, sys, time
from cqlgui.tasks.processes import pool
from cqlgui.tasks.search import sieving

flags = pathlib.Path({flags!r})
# Dask runs this text more than once in a process.
scan_part = getattr(sieving, "plain_scan_part", sieving.scan_part)
sieving.plain_scan_part = scan_part

def scanned(chosen, task, *rest):
    first = task.source.first + task.first
    if (flags / "poison").exists():
        if int((flags / "poison").read_text()) in range(first + task.begin, first + task.end):
            os._exit(1)
    if (flags / "slow").exists():
        time.sleep(0.005)
    return scan_part(chosen, task, *rest)

sieving.scan_part = scanned

from cqlgui.base.files import disk
from cqlgui.store import places
write = getattr(places.Place, "plain_write", places.Place.write)
places.Place.plain_write = write

def written(place, name, data):
    torn = flags / "torn"
    if name.endswith(".parquet") and torn.exists():
        torn.unlink()
        _, file = disk.create(pathlib.Path(place.name))
        file.write(data[:100])
        file.flush()
        os._exit(1)
    return write(place, name, data)

places.Place.write = written
deadly = '''
import os
from cqlgui.cql.interpreting import interpreter
run = interpreter.Program.run
def ended(self, game, host, *rest):
    # Other tasks of a worker that died may be interpreted too, and they have a game 7 as well.
    if host.gamenumber == 7 and host._reader.path.name == "0.pgn" and os.path.exists({poison!r}):
        os._exit(9)
    return run(self, game, host, *rest)
interpreter.Program.run = ended
from cqlgui.tasks.search import worker
worker.main()
'''
pool.worker_command = lambda: [sys.executable, "-c", deadly]
"""


@contextlib.contextmanager
def started(
    workers: int, home: Path, preload: Path | None = None, *, tls: Path | None = None
) -> Iterator[str]:
    """The address of a cluster of `workers` processes with one thread each. `home` is their CQLGUI_HOME, and
    each runs the script `preload` when it starts. A task may end two workers. `tls` is a folder with the
    certificate and the key that all sides must have (`certified`)."""
    environment = dict(
        os.environ,
        CQLGUI_HOME=str(home),
        DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1",
        DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="5s",
        DASK_DISTRIBUTED__LOGGING__DISTRIBUTED="critical",
    )
    command = [sys.executable, "-m", "tests.helpers.clusters"]
    command += [] if tls is None else ["--tls", str(tls)]
    command.append(str(workers))
    command += [] if preload is None else [str(preload)]
    with subprocess.Popen(
        command,
        cwd=helpers.ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            address = process.stdout.readline().strip()
            assert address, "the cluster did not start"
            yield address
        finally:
            process.stdin.close()


class Cluster:
    """A running cluster of two workers, the flags that its workers look at, and a base for it."""

    def __init__(self, address: str, folder: Path, place: Path) -> None:
        self.address = address
        self.flags = folder
        self.place = place

    @property
    def base(self) -> base_model.Base:
        return published_bases.open_base(str(self.place), adopt=False).base

    @contextlib.contextmanager
    def flagged(self, name: str, text: str = "") -> Iterator[None]:
        (self.flags / name).write_text(text)
        yield
        (self.flags / name).unlink(missing_ok=True)

    def search(self, query: str, **words: Any) -> search_model.SearchResult:
        # Dask is imported here, because it may be missing.
        from cqlgui.tasks.cluster import clients

        partial = words.pop("partial", False)
        with clients.Dask(self.address, partial=partial) as scheduler:
            return searching.search(self.base, query, scheduler=scheduler, **words)

    def part(self, number: int, ending: str) -> Path:
        """A file of a part, counted over all sources."""
        listed = published.Listing.read(places.Place(str(self.place))).sources
        return self.place / [part for one in listed for part in one.parts][number].file(ending)


class Stopped:
    """A context manager that lets the process of a scheduler go on, if `stop` has stopped it."""

    def __init__(self, address: str) -> None:
        import distributed

        with distributed.Client(address, set_as_default=False) as client:
            self.process = int(client.run_on_scheduler(os.getpid))

    def __enter__(self) -> Stopped:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.process, signal.SIGCONT)

    def stop(self, *_: object) -> None:
        """Stop the process. Its connections stand, and it answers nothing."""
        os.kill(self.process, signal.SIGSTOP)


@contextlib.contextmanager
def silent() -> Iterator[str]:
    """An address that accepts connections and answers nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=20) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


def published_copies(folder: Path) -> Path:
    """A published base of `COPIES` copies of the sample."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CQLGUI_HOME", str(folder / "home"))
        files = [folder / f"{number}.pgn" for number in range(COPIES)]
        for number, file in enumerate(files):
            # Equal parts would be one file.
            file.write_bytes(b"; copy" + b"." * number + b"\n\n" + SAMPLE.read_bytes())
        publishing.publish(importing.open_base(files).base, str(folder / "pub"))
        workspace.close()
    return folder / "pub"


@contextlib.contextmanager
def flagged(place: Path, folder: Path) -> Iterator[Cluster]:
    """A cluster of two workers that look at flags in a folder. `place` is its base."""
    preload = folder / "preload.py"
    preload.write_text(PRELOAD.format(flags=str(folder), poison=str(folder / "poison")))
    with started(2, folder / "workers", preload) as address:
        yield Cluster(address, folder, place)


def certified(folder: Path) -> Path:
    """Make a certificate, which is its own authority, and its key in a folder. Skips the test where the
    program openssl is missing."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, so there are no certificates")
    folder.mkdir()
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    places = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(["openssl", *words.split(), *places], check=True, capture_output=True)
    return folder


def _main(words: list[str]) -> None:
    import distributed

    security = None
    if words[0] == "--tls":
        folder, words = Path(words[1]), words[2:]
        files = {"ca_file": str(folder / "cert.pem")}
        for side in ("scheduler", "worker", "client"):
            files |= {f"{side}_cert": str(folder / "cert.pem"), f"{side}_key": str(folder / "key.pem")}
        security = distributed.Security(
            require_encryption=True, **{f"tls_{name}": file for name, file in files.items()}
        )
    with distributed.LocalCluster(
        n_workers=int(words[0]),
        security=security,
        protocol=None if security is None else "tls",
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=0,
        silence_logs=50,
        preload=words[1:],
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _main(sys.argv[1:])
