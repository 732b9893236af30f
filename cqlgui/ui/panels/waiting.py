"""A query that was started before there were games to search; it runs when the files of the games have been
read.

This module keeps the query as it was when the user started it, and shows that the query waits. The module
uses no files and runs nothing.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from cqlgui.base.data import dataclass
from cqlgui.ui.look import infobar, wording

_KEY = "waiting"


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, and its file if it has one."""

    text: str
    path: Path | None


class Waiting(QObject):
    """Only one query waits at a time: the next query replaces it. `changed` is emitted whenever `words` have
    changed."""

    changed = Signal()

    def __init__(self, bar: infobar.InfoBar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bar = bar
        self._asked: Asked | None = None
        self._names = ""
        self._games = 0

    @property
    def asked(self) -> Asked | None:
        """The query that waits."""
        return self._asked

    @property
    def words(self) -> str:
        """A text with the names of the files that must be read first. It is empty if no query waits."""
        return f"waiting for {self._names}" if self._asked is not None else ""

    def ask(self, text: str, path: Path | None) -> None:
        """Let a query wait. The new query replaces a query that waits already."""
        self._asked = Asked(text, path)
        self._say()

    def tell_opening(self, names: str) -> None:
        """Set the names of the files that are being opened."""
        self._names, self._games = names, 0
        self._say()

    def tell_games(self, games: int) -> None:
        """Set the number of games that can be searched already, while the files are still being opened."""
        if games != self._games:
            self._games = games
            self._say()

    def take(self) -> Asked | None:
        """Return the query that waits, and remove it from this object. Returns None if no query waits."""
        asked, self._asked = self._asked, None
        if asked is not None:
            self._bar.dismiss(_KEY)
            self.changed.emit()
        return asked

    def withdraw(self) -> None:
        """Drop the query that waits."""
        self.take()

    def _say(self) -> None:
        if self._asked is None:
            return
        words = f"The query waits: it runs when {self._names} has been read. Esc takes it back."
        if self._games:
            words += f" F5 searches the {wording.games(self._games)} read so far."
        self._bar.show_message(words, infobar.INFO, ("Do not wait", self.withdraw), key=_KEY)
        self.changed.emit()
