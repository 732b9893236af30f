"""The ply of a position and the moves around it, fetched in jobs for visible rows. This module does not use
tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject

from cqlgui.base import errors, progress
from cqlgui.board import motions, tree
from cqlgui.tasks.databases import sources
from cqlgui.tasks.export import framing
from cqlgui.tasks.results import base_model
from cqlgui.ui.loop import jobs
from cqlgui.ui.tables import fetch

BATCH = 120

Place = tuple[int, int, motions.Motion]
"""A game's ordinal, a positionid, and the motion for writing the moves."""

Line = tuple[int, str, str]
"""The ply of a position, the moves in notation, beginning with the move that led to the position, and the
position as a FEN."""

UNKNOWN: Line = (-1, "", "")
"""The `Line` of a position that cannot be read."""


class LineCache(fetch.FetchCache[Place, Line]):
    """Each `Line` by its `Place`."""

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        # Only one batch is read at a time. Reading is Python code, and several readers would hold the
        # interpreter lock for so long that the window could not react.
        super().__init__(door, BATCH, one_at_a_time=True, parent=parent)

    def get(self, game: int, positionid: int, frame: motions.Motion = motions.STILL) -> Line | None:
        """The line of a position. If the line is not cached, it is fetched, and the result is None."""
        return self.lookup((game, positionid, frame))

    def read(
        self, base: base_model.Base, keys: Sequence[Place], token: progress.CancelToken
    ) -> dict[Place, Line]:
        """The lines of some places. A place that cannot be read gets `UNKNOWN`. Without this entry, the line
        would be fetched again and again."""
        return dict.fromkeys(keys, UNKNOWN) | read(base, keys, token)

    def games(self, keys: Iterable[Place]) -> list[int]:
        """The games of some places."""
        return sorted({game for game, *_ in keys})


def read(base: base_model.Base, places: Iterable[Place], token: progress.CancelToken) -> dict[Place, Line]:
    """The lines of some positions of a base. Positions of a game that cannot be read are left out."""
    wanted: dict[int, list[tuple[int, motions.Motion]]] = {}
    for game, positionid, frame in places:
        wanted.setdefault(game, []).append((positionid, frame))
    found: dict[Place, Line] = {}
    with sources.Readers(base) as readers:
        for game, wishes in wanted.items():
            token.raise_if_cancelled()
            try:
                reader, ordinal = readers.of(game)
                played = tree.GameTree.decode(reader.index.start_fen(ordinal), reader.index.moves(ordinal))
                for positionid, frame in wishes:
                    for place, line in lines(played.framed(frame), [positionid]).items():
                        found[game, place, frame] = line
            except (errors.CqlguiError, ValueError, IndexError):
                # While a file is being read again, `base` may list games that cannot be read yet. These games
                # are left out.
                continue
    return found


def lines(game: tree.GameTree, wanted: Iterable[int]) -> dict[int, Line]:
    """The lines of some positions of a game, without those that the game lacks."""
    found: dict[int, Line] = {}
    for start in wanted:
        if not 0 <= start < len(game):
            continue
        ids = [start, *framing.line_from(game, start, framing.FROM_HERE)]
        moves = " ".join(tree.san_line(game, ids))
        found[start] = (game.plies[start], moves, game.positions[start].fen())
    return found
