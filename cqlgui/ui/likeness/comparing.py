"""What the pane of anticipations can be asked, as work for a job, and the answer. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass
from cqlgui.board.position import Position
from cqlgui.tasks.asking import pasting
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.likeness import anticipation
from cqlgui.tasks.results import base_model
from cqlgui.ui.loop import jobs

TOP: Final = 10
"""The number of nearest games that are listed for each entry."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The nearest games, the headers of the entries (none for a single position), the headers of the nearest
    games, and sentences about the file of the entries."""

    found: anticipation.Anticipations
    entries: dict[int, base_model.GameRow]
    games: dict[int, base_model.GameRow]
    messages: tuple[str, ...] = ()


def files(paths: Sequence[Path], base: base_model.Base) -> jobs.Work[Answer]:
    """Compare all games of some files with a base."""

    def work(token: progress_module.CancelToken, sink: progress_module.ProgressSink) -> Answer:
        return _of_files(paths, base, token, sink)

    return work


def position(asked: Position, base: base_model.Base, besides: int = 0) -> jobs.Work[Answer]:
    """Compare a position with a base, except for the game `besides`, in which the position stands."""

    def work(token: progress_module.CancelToken, sink: progress_module.ProgressSink) -> Answer:
        return _of_position(asked, base, besides, token, sink)

    return work


def text(pasted: str, base: base_model.Base) -> jobs.Work[Answer]:
    """Compare a position (FEN or EPD) or games in PGN with a base. The work raises `CqlguiError` if the text
    is neither."""

    def work(token: progress_module.CancelToken, sink: progress_module.ProgressSink) -> Answer:
        known = pasting.understand(pasted)
        if known.position is not None:
            return _of_position(known.position, base, 0, token, sink)
        if known.path is not None:
            return _of_files([known.path], base, token, sink)
        raise errors.CqlguiError(known.reason or "This is a query. Paste a position (FEN) or studies (PGN).")

    return work


def _of_files(
    paths: Sequence[Path],
    base: base_model.Base,
    token: progress_module.CancelToken,
    sink: progress_module.ProgressSink,
) -> Answer:
    report = importing.open_base(paths, cancel=token, progress=sink)
    token.raise_if_cancelled()
    if not report.base.games and report.messages:
        raise errors.CqlguiError(" ".join(report.messages))
    found = anticipation.find(report.base, base, top=TOP, cancel=token, progress=sink)
    rows = games.rows(report.base, range(1, report.base.games + 1))
    return Answer(found, {row.game: row for row in rows}, anticipation.headers(base, found), report.messages)


def _of_position(
    asked: Position,
    base: base_model.Base,
    besides: int,
    token: progress_module.CancelToken,
    sink: progress_module.ProgressSink,
) -> Answer:
    found = anticipation.find_position(asked, base, top=TOP, besides=besides, cancel=token, progress=sink)
    return Answer(found, {}, anticipation.headers(base, found))
