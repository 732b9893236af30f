"""What a tablebase and an engine say of a position, and what the user asks of them. This module knows neither
tables nor engines."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Any, Final

from cqlgui.base import errors
from cqlgui.base.data import dataclass

TABLE_FIELDS: Final = ("wdl", "dtz")
ENGINE_FIELDS: Final = ("eval_cp", "mate", "best", "best_san")
NUMBERS: Final = ("wdl", "dtz", "eval_cp", "mate")
"""The fields that are numbers. The other ones are texts."""
NODES: Final = 100_000
"""How many nodes an engine searches for each position, unless the user says otherwise. With a number of nodes
and one thread, an engine gives the same answer in each run."""


class JudgeError(errors.CqlguiError):
    """Tables cannot be read, or the engine cannot be started, is no engine, does not answer, or ended."""


class Measure(enum.Enum):
    """What limits the thoughts of an engine. A depth is a number of plies."""

    NODES = "nodes"
    DEPTH = "depth"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class Limit:
    """How long an engine thinks about a position. Only an amount of seconds may have a fraction."""

    measure: Measure = Measure.NODES
    amount: float = NODES

    def __str__(self) -> str:
        return f"{self.measure.value} {self.amount}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The judges that the user names: folders with Syzygy tables, and the program of a UCI engine. Only the
    user names them, never a query, a study or a game."""

    syzygy: tuple[Path, ...] = ()
    engine: Path | None = None
    limit: Limit = Limit()

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of `Judgement` that these judges fill."""
        tables = TABLE_FIELDS if self.syzygy else ()
        return tables + (ENGINE_FIELDS if self.engine is not None else ())


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is said of a position, from the view of the side to move. None if nothing is known.

    `wdl` is 2 for a win, 1 for a win that the 50-move rule takes away (a cursed win), 0 for a draw, -1 for a
    loss that the 50-move rule saves, -2 for a loss. `dtz` is the distance in plies to the next capture or
    pawn move in Syzygy's measure, negative for a loss. Both hold for a halfmove clock of 0.

    `eval_cp` is the engine's evaluation in hundredths of a pawn. If the engine sees a mate, `mate` is the
    number of moves to it instead: negative if the side to move is mated, 0 if it is mate already. `best` is
    the engine's move in UCI notation, `best_san` the same move in SAN.
    """

    wdl: int | None = None
    dtz: int | None = None
    eval_cp: int | None = None
    mate: int | None = None
    best: str | None = None
    best_san: str | None = None

    def row(self, fields: tuple[str, ...]) -> dict[str, Any]:
        """Some fields as a part of a row."""
        return {name: getattr(self, name) for name in fields}


def position_of(fen: str) -> str:
    """The part of a FEN that is judged: men, side to move, castling rights and en-passant square. The two
    counters are left out."""
    return " ".join(fen.split(" ")[:4])


def fen_of(position: str) -> str:
    """The FEN of a position with its counters at the start."""
    return f"{position} 0 1"
