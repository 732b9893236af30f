"""Syzygy tablebases. This module and `engines` alone know python-chess, which reads the tables."""

from __future__ import annotations

import contextlib
import hashlib
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

import chess
import chess.syzygy

from cqlgui.tasks.judging import judgement

_VERSION: Final = 1
"""Goes up if the same tables are read in another way."""
_ENDINGS: Final = (".rtbw", ".rtbz")
_FAULTS: Final = (OSError, ValueError, IndexError, struct.error, RecursionError, AssertionError)
"""What reading a damaged table raises."""


class Tables:
    """The tables of several folders. `name` says which tables they are: their names, sizes and times. If a
    table is added or replaced, the name is another one."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._opened = chess.syzygy.Tablebase()
        listed: list[tuple[str, int, int]] = []
        for folder in folders:
            try:
                files = sorted(path for path in folder.iterdir() if path.suffix in _ENDINGS)
                states = [path.stat() for path in files]
                found = self._opened.add_directory(str(folder))
            except OSError as error:
                self.close()
                reason = error.strerror or error
                raise judgement.JudgeError(f"The tables in {folder} cannot be read: {reason}.") from error
            if not found:
                self.close()
                raise judgement.JudgeError(
                    f"There are no Syzygy tables in {folder}: their names are like KRvK.rtbw and KRvK.rtbz."
                )
            listed += [
                (str(path.absolute()), state.st_size, state.st_mtime_ns)
                for path, state in zip(files, states, strict=True)
            ]
        # A position with one man more than the tables have can be solved by a capture.
        self._most = 1 + max(len(name) - 1 for name in self._opened.wdl) if self._opened.wdl else 0
        digest = hashlib.sha256(json.dumps(listed).encode()).hexdigest()
        self.name = f"syzygy {_VERSION} {digest}"

    def __enter__(self) -> Tables:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the tables."""
        self._opened.close()

    def may_know(self, position: str) -> bool:
        """Whether the tables may have a position: few men, and no castling."""
        men, _, castling, _ = position.split(" ")
        return castling == "-" and sum(map(str.isalpha, men)) <= self._most

    def judge(self, position: str) -> judgement.Judgement:
        """What the tables say of a position (`judgement.position_of`). Nothing if there is no table for its
        men, if castling is possible, or if the position is not legal. Raises `JudgeError` for a damaged
        table."""
        board = legal_board(position) if self.may_know(position) else None
        if board is None:
            return judgement.Judgement()
        try:
            wdl = self._opened.get_wdl(board)
            dtz = None if wdl is None else self._opened.get_dtz(board)
        except _FAULTS as error:
            key = chess.syzygy.calc_key(board)
            raise judgement.JudgeError(
                f"A Syzygy table for {key} or for what a capture leaves of it is damaged: {error}."
            ) from error
        return judgement.Judgement(wdl=wdl, dtz=dtz)


def legal_board(position: str) -> chess.Board | None:
    """The board of a position; None if the position cannot come up in a game. Engines may crash at other
    positions."""
    with contextlib.suppress(ValueError):
        board = chess.Board(judgement.fen_of(position))
        if board.is_valid():
            return board
    return None
