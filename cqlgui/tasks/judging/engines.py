"""An analysis engine as a process that speaks UCI. This module and `tables` alone know python-chess, which
speaks the protocol.

An engine is started only if the user names its program. It has one thread and little memory, and it forgets
what it knows before each position, so that its answer does not depend on the positions before.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import hashlib
import logging
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

import chess
import chess.engine

from cqlgui.base import progress as progress_module
from cqlgui.tasks.judging import judgement, tables

PATIENCE: Final = 60.0
"""An engine that says nothing for so many seconds hangs."""
HASH_MB: Final = 16
_VERSION: Final = 1
"""Goes up if an engine is asked in another way."""
_HELLO_SECONDS: Final = 10.0
"""An engine introduces itself within this time."""
_GOODBYE_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 0.1
"""So often the cancel token is looked at while an engine thinks."""
_Result = TypeVar("_Result")
# What an engine says beside the protocol is its own matter, and no warning of this program.
logging.getLogger("chess.engine").setLevel(logging.CRITICAL)


def located(path: Path) -> Path:
    """The program of an engine. A name without a folder is looked up as a shell does, and never in the
    current folder, which may be a stranger's. Raises `JudgeError` if there is no such program."""
    if path == Path(path.name):
        found = shutil.which(path.name)
        if found is None:
            raise judgement.JudgeError(f"There is no engine {path} where a shell looks: name its folder too.")
        return Path(found)
    if not path.exists():
        raise judgement.JudgeError(f"There is no engine {path}.")
    if not path.is_file() or not os.access(path, os.X_OK):
        raise judgement.JudgeError(f"The engine {path} is no program that can be started.")
    return path.absolute()


class Engine:
    """A running engine. `name` says which engine it is: what it calls itself, the checksum of its program,
    and its limit. Close it, or use it as a context manager."""

    def __init__(self, path: Path, limit: judgement.Limit, *, patience: float = PATIENCE) -> None:
        self.path = located(path)
        self._patience = patience
        self._slack = 0.0
        match limit.measure:
            case judgement.Measure.NODES:
                self._limit = chess.engine.Limit(nodes=int(limit.amount))
            case judgement.Measure.DEPTH:
                self._limit = chess.engine.Limit(depth=int(limit.amount))
            case judgement.Measure.SECONDS:
                self._limit = chess.engine.Limit(time=limit.amount)
                self._slack = limit.amount
        self._heard = 0.0
        self._broken = ""
        self._transport: asyncio.SubprocessTransport | None = None
        self._protocol: chess.engine.UciProtocol | None = None
        # The protocol runs in an event loop of its own. Other threads may search meanwhile.
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(self._note)
        self._thread = threading.Thread(target=self._loop.run_forever, name="engine", daemon=True)
        self._thread.start()
        hello = min(patience, _HELLO_SECONDS)
        try:
            calls_itself = self._done(self._start(hello))
            with self.path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except TimeoutError as error:
            self._end(polite=False)
            raise judgement.JudgeError(
                f"{self.path} is no UCI engine: it did not answer within {hello:g} seconds."
            ) from error
        except (chess.engine.EngineError, OSError) as error:
            self._end(polite=False)
            reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
            raise judgement.JudgeError(f"{self.path} cannot be used as a UCI engine: {reason}.") from error
        self.name = f"uci {_VERSION} {calls_itself} {digest} {limit} hash {HASH_MB}"

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ask the engine to end, and end it if it does not. Closing it again does nothing."""
        self._end(polite=True)

    def judge(self, position: str, cancel: progress_module.CancelToken) -> judgement.Judgement:
        """What the engine says of a position (`judgement.position_of`). Nothing if the position is not legal,
        or if the engine gives no evaluation. Raises `errors.Cancelled`, and `JudgeError` if the engine hangs
        or ends. The engine cannot be asked again after an error."""
        board = tables.legal_board(position)
        if board is None:
            return judgement.Judgement()
        if not any(board.legal_moves):
            return judgement.Judgement(mate=0) if board.is_check() else judgement.Judgement(eval_cp=0)
        score, best = self._asked(board, cancel)
        # A null move means that the engine has no move.
        move = best if best is not None and board.is_legal(best) else None
        if score is None:
            return judgement.Judgement()
        return judgement.Judgement(
            eval_cp=score.relative.score(),
            mate=score.relative.mate(),
            best=None if move is None else move.uci(),
            best_san=None if move is None else board.san(move),
        )

    def _asked(
        self, board: chess.Board, cancel: progress_module.CancelToken
    ) -> tuple[chess.engine.PovScore | None, chess.Move | None]:
        """The evaluation and the move of the engine."""
        self._heard = time.monotonic() + self._slack
        coming = asyncio.run_coroutine_threadsafe(self._analysed(board), self._loop)
        try:
            while True:
                done, _ = concurrent.futures.wait([coming], _LOOK_SECONDS)
                if done:
                    return coming.result()
                cancel.raise_if_cancelled()
                if self._broken:
                    raise judgement.JudgeError(
                        f"The engine {self.path} broke the protocol at {board.fen()}: {self._broken}."
                    )
                if time.monotonic() - self._heard > self._patience:
                    raise judgement.JudgeError(
                        f"The engine {self.path} hangs: it said nothing for {self._patience:g} seconds at "
                        f"{board.fen()}."
                    )
        except chess.engine.EngineError as error:
            self._end(polite=False)
            raise judgement.JudgeError(f"The engine {self.path} ended at {board.fen()}: {error}.") from error
        except BaseException:
            self._end(polite=False)
            raise

    # --- in the thread of the engine ------------------------------------------------------------------------

    async def _start(self, seconds: float) -> str:
        """Start the program and set its options. Returns what the engine calls itself."""
        # Ctrl+C in a terminal goes to a whole group of processes. The engine has a group of its own, so that
        # this program decides when the engine ends.
        self._transport, self._protocol = await chess.engine.UciProtocol.popen(
            str(self.path), setpgrp=True, stderr=subprocess.DEVNULL
        )
        await asyncio.wait_for(self._protocol.initialize(), seconds)
        wanted: dict[str, Any] = {}
        for name, value in (("Threads", 1), ("Hash", HASH_MB)):
            known = self._protocol.options.get(name)
            if known is not None:
                wanted[name] = min(max(value, known.min or value), known.max or value)
        await asyncio.wait_for(self._protocol.configure(wanted), seconds)
        return self._protocol.id.get("name", "")

    async def _analysed(self, board: chess.Board) -> tuple[chess.engine.PovScore | None, chess.Move | None]:
        assert self._protocol is not None
        wanted = chess.engine.INFO_BASIC | chess.engine.INFO_SCORE
        # For a new game an engine forgets what it knows.
        analysis = await self._protocol.analysis(board, self._limit, game=object(), info=wanted)
        exact: chess.engine.PovScore | None = None
        last: chess.engine.PovScore | None = None
        async for info in analysis:
            self._heard = max(self._heard, time.monotonic())
            last = info.get("score", last)
            if not info.get("lowerbound") and not info.get("upperbound"):
                exact = info.get("score", exact)
        best = await analysis.wait()
        return exact if exact is not None else last, best.move

    async def _finish(self, *, polite: bool) -> None:
        """End the program, and wait until it has ended."""
        transport, protocol = self._transport, self._protocol
        if transport is None or protocol is None:
            return
        if polite and transport.get_returncode() is None:
            with contextlib.suppress(chess.engine.EngineError, TimeoutError, OSError):
                await asyncio.wait_for(protocol.quit(), _GOODBYE_SECONDS)
        with contextlib.suppress(OSError):
            transport.kill()
        # Another program may hold the pipes of the engine open. Then the end of the pipes does not come.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(protocol.returncode), _GOODBYE_SECONDS)
        transport.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for one in others:
            one.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _note(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Note a fault that python-chess tells nobody else."""
        self._broken = self._broken or str(context.get("exception") or context["message"])

    # --- in the thread of the caller ------------------------------------------------------------------------

    def _done(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end(self, *, polite: bool) -> None:
        if self._loop.is_closed():
            return
        self._done(self._finish(polite=polite))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
