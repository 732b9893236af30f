"""Fetches the details of hits that a search leaves out: at once for the game on the board, and a moment later
for visible rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject

from cqlgui.base import errors, progress
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.search import hit_details
from cqlgui.ui.loop import jobs
from cqlgui.ui.tables import fetch

BATCH = 32
KEPT = 2_000

_JOB = "tell of a game"


class DetailCache(fetch.FetchCache[int, hit_model.GameHits]):
    """Details of games, by ordinal; `arrived` carries the games whose details came."""

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(door, BATCH, one_at_a_time=True, kept=KEPT, parent=parent)
        self._text = ""
        self._hurried = (-1, -1)
        self._options = search_model.SearchOptions()

    def set_query(self, text: str, options: search_model.SearchOptions) -> None:
        """Use this query from now on."""
        self.forget()
        self._text, self._options = text, options

    def get(self, game: int) -> hit_model.GameHits | None:
        """The details of a game. If they are not cached, they are fetched, and the result is None."""
        return self.lookup(game) if self._text else None

    def known(self, game: int) -> hit_model.GameHits | None:
        """The details of a game, or None if they are not cached. This method fetches nothing."""
        return self._known.get(game)

    def hurry(self, game: int) -> None:
        """Fetch the details of a game before all other details, because the game is on the board."""
        base, epoch = self._base, self._epoch
        if base is None or not self._text or game in self._known:
            return
        if self._hurried == (epoch, game) and self._jobs.active(_JOB):
            return
        self._hurried = epoch, game
        text, options = self._text, self._options
        self._jobs.run(
            lambda token, _sink: hit_details.details(base, text, options, [game], cancel=token),
            lambda found: self._take(epoch, [game], found),
            lambda _error: None,
            name=_JOB,
        )

    def read(
        self, base: base_model.Base, keys: Sequence[int], token: progress.CancelToken
    ) -> dict[int, hit_model.GameHits]:
        """The details of some games. A game without details gets an entry without hits. Without an entry, the
        details would be fetched again and again."""
        nothing = {game: hit_model.GameHits(game, ()) for game in keys}
        try:
            return nothing | hit_details.details(base, self._text, self._options, keys, cancel=token)
        except errors.Cancelled:
            raise
        except errors.CqlguiError:
            # The error is reported when the base is opened.
            return nothing

    def games(self, keys: Iterable[int]) -> list[int]:
        """The keys themselves, because they are ordinals of games."""
        return list(keys)
