"""A Dask cluster on this computer, in a process of its own:

    python -m tests.helpers.clusters WORKERS [PRELOAD]

The process prints the address of the scheduler and ends with its standard input.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests import helpers


@contextlib.contextmanager
def started(workers: int, home: Path, preload: Path | None = None) -> Iterator[str]:
    """The address of a cluster of `workers` processes with one thread each. `home` is their CQLGUI_HOME, and
    each runs the script `preload` when it starts. A task may end two workers."""
    environment = dict(
        os.environ,
        CQLGUI_HOME=str(home),
        DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1",
        DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="5s",
        DASK_DISTRIBUTED__LOGGING__DISTRIBUTED="critical",
    )
    command = [sys.executable, "-m", "tests.helpers.clusters", str(workers)]
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


def _main() -> None:
    import distributed

    with distributed.LocalCluster(
        n_workers=int(sys.argv[1]),
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=0,
        silence_logs=50,
        preload=sys.argv[2:],
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _main()
