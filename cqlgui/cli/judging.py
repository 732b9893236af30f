"""The tablebases and the engine that are named on the command line."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cqlgui.base import errors, progress

if TYPE_CHECKING:
    from cqlgui.tasks.judging import judgement, judging


def wanted(arguments: argparse.Namespace) -> judgement.Wanted | None:
    """The judges that the options name; None without any. Raises `CqlguiError` for a limit without an
    engine."""
    limits = {
        kind: amount
        for kind in ("nodes", "depth", "seconds")
        if (amount := getattr(arguments, f"engine_{kind}")) is not None
    }
    if arguments.uci is None and limits:
        raise errors.CqlguiError(f"--engine-{next(iter(limits))} says nothing without --engine PROGRAM.")
    if arguments.uci is None and not arguments.syzygy:
        return None
    from cqlgui.tasks.judging import judgement

    limit = judgement.Limit()
    for kind, amount in limits.items():
        limit = judgement.Limit(judgement.Measure(kind), amount)
    return judgement.Wanted(tuple(arguments.syzygy), arguments.uci, limit)


@contextlib.contextmanager
def opened(asked: judgement.Wanted | None, cancel: progress.CancelToken) -> Iterator[judging.Judges | None]:
    """The judges at work; None if none are asked. Raises `judgement.JudgeError`."""
    if asked is None:
        yield None
        return
    from cqlgui.tasks.judging import judging

    with judging.Judges(asked, cancel=cancel) as judges:
        yield judges
