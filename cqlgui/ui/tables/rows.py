"""Headers of games, fetched in pages by jobs, and cached; both tables show these headers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QObject

from cqlgui.base import progress
from cqlgui.db import names
from cqlgui.tasks.databases import games
from cqlgui.tasks.results import base_model
from cqlgui.ui.loop import jobs
from cqlgui.ui.tables import fetch

BATCH = 400


class RowCache(fetch.FetchCache[int, base_model.GameRow]):
    """Headers by the game's ordinal."""

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(door, BATCH, one_at_a_time=False, parent=parent)

    def get(self, game: int) -> base_model.GameRow | None:
        """The headers of a game. If they are not cached, they are fetched, and the result is None."""
        return self.lookup(game)

    def read(
        self, base: base_model.Base, keys: Sequence[int], token: progress.CancelToken
    ) -> dict[int, base_model.GameRow]:
        """The headers of some games."""
        return {row.game: row for row in games.rows(base, keys)}

    def games(self, keys: Iterable[int]) -> list[int]:
        """The keys themselves, because they are ordinals of games."""
        return list(keys)


Column = tuple[str, str, Callable[[base_model.GameRow], str], int]
"""Title, sort key (empty for none), text of a row, usual width in pixels."""


def player(name: str, elo: int | None) -> str:
    """A player as a table shows him: the name, and the rating where known."""
    return f"{name} ({elo})" if elo else name


def known(text: str) -> str:
    """A header as a table shows it: empty if PGN marks it as unknown."""
    return "" if text.strip(names.UNKNOWN) == "" else text


GAME_COLUMNS: tuple[Column, ...] = (
    ("#", "game", lambda row: f"{row.game:,}", 64),
    ("White", "white", lambda row: row.white, 170),
    ("Elo", "white_elo", lambda row: str(row.white_elo or ""), 52),
    ("Black", "black", lambda row: row.black, 170),
    ("Elo", "black_elo", lambda row: str(row.black_elo or ""), 52),
    ("Result", "result", lambda row: row.result, 68),
    ("Date", "date", lambda row: known(row.date.replace(".??", "")), 92),
    ("ECO", "eco", lambda row: known(row.eco), 52),
    ("Opening", "opening", lambda row: row.opening, 190),
    ("Plies", "plies", lambda row: str(row.plies), 56),
    ("Event", "event", lambda row: known(row.event), 200),
    ("Site", "site", lambda row: known(row.site), 140),
)
