"""Opens the files of a command line, indexing at need, with a bar and with what there is to say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cqlgui.base import errors, progress
from cqlgui.cli import terminal
from cqlgui.tasks.databases import workspace

if TYPE_CHECKING:
    from cqlgui.tasks.results import base_model


def begin(paths: Sequence[Path], *, searched: bool) -> None:
    """Begin to look for damage in what `open_base` will open, beside all that is still to be loaded, and to
    read the signatures of games that will be `searched`."""
    workspace.begin()
    from cqlgui.tasks.databases import importing

    importing.begin(paths, searched=searched)


def open_base(paths: Sequence[Path], cancel: progress.CancelToken) -> base_model.ImportReport:
    """The base of the files named; raises what `importing.open_base` raises, and `errors.Cancelled`."""
    from cqlgui.tasks.databases import importing

    bar = terminal.Bar()
    try:
        report = importing.open_base(paths, cancel=cancel, progress=bar)
    finally:
        bar.end()
    for message in report.messages:
        terminal.say(message)
    if report.cancelled:
        raise errors.Cancelled("Stopped while indexing; what was read is kept.")
    return report


def outcome(report: base_model.ImportReport) -> int:
    """The exit code of a command that went well with what could be opened."""
    return terminal.USAGE if report.unreadable else terminal.OK
