"""Judges positions with the tables and the engine that the user names. What was judged is kept on disk at
once, so that a run that was stopped goes on where it ended."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.base.data import replace
from cqlgui.tasks.databases import workspace
from cqlgui.tasks.judging import judgement

if TYPE_CHECKING:
    from cqlgui.tasks.judging import engines, tables

_KEPT: Final = "What was judged is kept."
_WRITE_SECONDS: Final = 1.0
"""What was judged is written after this time at the latest."""


class Judges:
    """The tables and the engine, ready to judge. Use it as a context manager.

    Raises `JudgeError` at once if there are no tables, or if the engine cannot be started. `progress` is told
    how many positions were judged, of how many that are expected.
    """

    def __init__(
        self,
        wanted: judgement.Wanted,
        *,
        cancel: progress_module.CancelToken | None = None,
        progress: progress_module.ProgressSink = progress_module.ignore,
    ) -> None:
        # python-chess and its protocols take a while to load, and most runs need neither.
        from cqlgui.tasks.judging import engines, tables

        self.wanted = wanted
        self.fields = wanted.fields
        self.cancel = cancel or progress_module.CancelToken()
        self.progress = progress
        self._done = 0
        self._total: int | None = None
        self._tables: tables.Tables | None = None
        self._engine: engines.Engine | None = None
        with contextlib.ExitStack() as stack:
            if wanted.syzygy:
                self._tables = stack.enter_context(tables.Tables(wanted.syzygy))
            if wanted.engine is not None:
                self._engine = stack.enter_context(engines.Engine(wanted.engine, wanted.limit))
            self._stack = stack.pop_all()

    def __enter__(self) -> Judges:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def name(self) -> str:
        """Which tables, which engine and which limit these are."""
        return "\n".join(one.name for one in (self._tables, self._engine) if one is not None)

    def expect(self, positions: int | None) -> None:
        """Count the positions from here on; `positions` are to be judged. None if the number is unknown."""
        self._done, self._total = 0, positions

    def of(self, fens: Sequence[str]) -> list[judgement.Judgement]:
        """A judgement for each position. The counters of a FEN do not matter: positions are judged as if the
        halfmove clock were 0 and the game had no moves before. Raises `errors.Cancelled` and `JudgeError`;
        what was judged before is kept."""
        positions = [judgement.position_of(fen) for fen in fens]
        distinct = list(dict.fromkeys(positions))
        found = dict.fromkeys(distinct, judgement.Judgement())
        tables, engine = self._tables, self._engine
        try:
            if tables is not None:
                few = list(filter(tables.may_know, distinct))
                self._fill(found, few, tables.name, judgement.TABLE_FIELDS, tables.judge)
            if engine is not None:
                ask = functools.partial(engine.judge, cancel=self.cancel)
                self._fill(found, distinct, engine.name, judgement.ENGINE_FIELDS, ask)
        except errors.Cancelled:
            raise errors.Cancelled(f"Stopped. {_KEPT}") from None
        except judgement.JudgeError as error:
            raise judgement.JudgeError(f"{error} {_KEPT}") from error
        self._done += len(fens)
        self._tell(0)
        return [found[position] for position in positions]

    def rows(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows with the fields of the judges. A row has its position under `fen`."""
        said = self.of([row["fen"] for row in rows])
        return [row | one.row(self.fields) for row, one in zip(rows, said, strict=True)]

    def _fill(
        self,
        found: dict[str, judgement.Judgement],
        positions: Sequence[str],
        name: str,
        fields: tuple[str, ...],
        judge: Callable[[str], judgement.Judgement],
    ) -> None:
        """Put what one judge says of some positions into `found`. `name` is the name of the judge."""
        store = workspace.judgements()
        known = store.known(name, positions)
        with _keeping(lambda fresh: store.keep(name, fresh)) as keep:
            for number, position in enumerate(positions):
                said = known.get(position)
                if said is None or len(said) != len(fields):
                    self.cancel.raise_if_cancelled()
                    self._tell(number)
                    one = judge(position)
                    said = tuple(getattr(one, field) for field in fields)
                    keep(position, said)
                changes: dict[str, Any] = dict(zip(fields, said, strict=True))
                found[position] = replace(found[position], **changes)

    def _tell(self, more: int) -> None:
        self.progress(progress_module.Progress(self._done + more, self._total, "Judging"))


@contextlib.contextmanager
def _keeping(
    write: Callable[[dict[str, tuple[Any, ...]]], None],
) -> Iterator[Callable[[str, tuple[Any, ...]], None]]:
    """Yield a function that keeps what was said of a position. It is written now and then, and at the end of
    the block, also after an error."""
    fresh: dict[str, tuple[Any, ...]] = {}
    written = time.monotonic()

    def keep(position: str, said: tuple[Any, ...]) -> None:
        nonlocal written
        fresh[position] = said
        if time.monotonic() - written >= _WRITE_SECONDS:
            flush()
            written = time.monotonic()

    def flush() -> None:
        if fresh:
            write(fresh)
            fresh.clear()

    try:
        yield keep
    finally:
        flush()
