"""Opens the files named on the command line: indexes them if needed, shows progress, prints messages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cqlgui.base import errors, progress
from cqlgui.cli import terminal
from cqlgui.store import places
from cqlgui.tasks.databases import workspace

if TYPE_CHECKING:
    from cqlgui.tasks.cluster import clients
    from cqlgui.tasks.results import base_model


def begin(paths: Sequence[Path], *, searched: bool) -> None:
    """Start work for `open_base` in the background, while modules are still being loaded: check the catalog
    and the indexes for damage. With `searched`, also prefetch the signatures of the games."""
    workspace.begin()
    from cqlgui.tasks.databases import importing

    importing.begin(paths, searched=searched)


def open_base(
    paths: Sequence[Path],
    cancel: progress.CancelToken,
    games: str | None = None,
    *,
    adopt: bool = True,
    cluster: clients.Dask | None = None,
) -> base_model.ImportReport:
    """Open the files as one base. `games` is the filter of `importing.open_base`. Without `adopt`, the
    headers of a published base are not put into the catalog; a search does not need them there. The workers
    of a `cluster` read the games that are not indexed yet. Raises the same errors as `importing.open_base`,
    and `errors.Cancelled`."""
    from cqlgui.tasks.databases import importing

    reader = None
    if cluster is not None:
        from cqlgui.tasks.cluster import remote_reading

        reader = remote_reading.Reader(cluster)
    bar = terminal.Bar()
    try:
        place = None if adopt else places.published_at(paths)
        if place is None:
            report = importing.open_base(paths, cancel=cancel, progress=bar, games=games, reader=reader)
        else:
            from cqlgui.tasks.databases import published

            report = published.open_base(place, adopt=False)
    finally:
        bar.end()
    for message in (*report.messages, *(() if reader is None else reader.notices)):
        terminal.say(message)
    if report.cancelled:
        raise errors.Cancelled("Stopped while indexing; what was read is kept.")
    return report


def outcome(report: base_model.ImportReport) -> int:
    """The exit code of a command that succeeded: `OK`, or `USAGE` if some files could not be read."""
    return terminal.USAGE if report.unreadable else terminal.OK


@contextlib.contextmanager
def cluster(
    address: str | None, cancel: progress.CancelToken, *, partial: bool = False
) -> Iterator[clients.Dask | None]:
    """The cluster whose scheduler has this address; None without an address. With `partial`, parts of a base
    that cannot be read are left out. Raises `CqlguiError` if Dask is not installed or if nothing answers,
    and `errors.Cancelled`."""
    if address is None:
        yield None
        return
    from cqlgui.tasks.cluster import joining

    with joining.joined(address, partial=partial, cancel=cancel) as found:
        yield found
