"""Makes a new base from games of another base, for example from those of a result."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model


def make(
    base: base_model.Base,
    games: Sequence[int],
    path: Path,
    *,
    name: str = "",
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> base_model.ImportReport:
    """Write some games of a base to a new PGN, index it, and open it as a base. `games` are ordinals, for
    example `SearchResult.order`. The new base has the games in this order, byte for byte.

    If the work is stopped or fails, the new file is removed. Raises `errors.Cancelled`. Raises `CqlguiError`
    if there are no games, if `path` exists, or if it cannot be written.
    """
    if not games:
        raise errors.CqlguiError(f"{path} is not made: a base needs at least one game.")
    token = cancel or progress_module.CancelToken()
    exporting.export_games(base, games, path, cancel=token, progress=progress)
    try:
        report = importing.open_base([path], name=name, cancel=token, progress=progress)
        if report.cancelled:
            raise errors.Cancelled("Stopped.")
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    return report
