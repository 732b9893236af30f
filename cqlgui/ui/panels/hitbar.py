"""The bar under the board: the game, the hit, and buttons for the previous and the next hit."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from cqlgui.tasks.results import base_model
from cqlgui.ui.look import icons, labels, names, theme, wording
from cqlgui.ui.tables import rows


class HitBar(QWidget):
    """`stepped` carries -1 for the previous hit and +1 for the next hit."""

    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Hit on the board")
        self._previous, self._next = QToolButton(self), QToolButton(self)
        for button, words, key, step in (
            (self._previous, "Previous hit", "Shift+F3", -1),
            (self._next, "Next hit", "F3", 1),
        ):
            button.setToolTip(wording.plain_tip(f"{words} ({key})"))
            button.setAccessibleName(words)
            button.clicked.connect(lambda _checked=False, by=step: self.stepped.emit(by))
        self._game = Players(self)
        self._game.setAccessibleName("Players and result")
        bold = QFont(self._game.font())
        bold.setBold(True)
        self._game.setFont(bold)
        self._where = labels.ElidedLabel("", self, fills=True)
        self._where.setAccessibleName("Place of the hit")
        texts = QVBoxLayout()
        texts.setSpacing(1)
        texts.addWidget(self._game)
        texts.addWidget(self._where)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 2, 4, 2)
        row.setSpacing(4)
        row.addWidget(self._previous)
        row.addWidget(self._next)
        row.addLayout(texts, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.theme().changed.connect(self._dress)
        self._dress()
        self.show_game(None)
        self.show_hit("")
        self.set_steps(True, True)

    def show_game(self, game: base_model.GameRow | None) -> None:
        """Show who plays, when and where. If there is little room, parts are left out as `Players`
        describes."""
        if game is None:
            self._game.say_players(("", ""), ("", ""), "", "", "")
            return
        named = game.white or "?", game.black or "?"
        rated = rows.player(named[0], game.white_elo), rows.player(named[1], game.black_elo)
        details = ", ".join(filter(None, map(rows.known, (game.eco, game.event))))
        self._game.say_players(named, rated, details, rows.known(game.date[:4]), game.result)

    def show_hit(self, position: str, move: str = "", words: str = "") -> None:
        """Show the number of the hit, the move that led to the hit, and the transform in words. Each of these
        texts may be empty."""
        self._where.say(" · ".join(filter(None, (position, move, words))))

    def set_steps(self, back: bool, on: bool) -> None:
        """Enable the buttons for the previous and the next hit."""
        self._previous.setEnabled(back)
        self._next.setEnabled(on)

    def text(self) -> str:
        """All texts of the bar, in one line."""
        return "  ".join(filter(None, (self._game.text(), self._where.text())))

    def _dress(self) -> None:
        self._previous.setIcon(icons.icon("previous-hit"))
        self._next.setIcon(icons.icon("next-hit"))
        self._where.setStyleSheet(f"color: {theme.colours().muted};")


class Players(labels.ElidedLabel):
    """Two players, and the details, year and result of their game. If there is little room, the details are
    left out first, and the ratings next. Then the names are shortened. The year is left out last."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._named = self._rated = "", ""
        self._details = self._result = ""
        super().__init__("", parent, fills=True)

    def say_players(
        self, named: tuple[str, str], rated: tuple[str, str], details: str, year: str, result: str
    ) -> None:
        """Show these texts. `named` are White and Black, and `rated` are both with their ratings."""
        self._named = wording.straight(named[0]), wording.straight(named[1])
        self._rated = wording.straight(rated[0]), wording.straight(rated[1])
        self._details = wording.straight(details)
        self._result = result
        players = names.BETWEEN.join(self._rated) if any(self._rated) else ""
        words = "   ".join(filter(None, (players, self._details)))
        self.say(words, tail="  ".join(filter(None, (year, result))))

    def ending(self) -> str:
        return self._result if self.width() < _LEAST_YEAR else super().ending()

    def fitted(self, room: int) -> str:
        if not any(self._rated):
            return ""
        metrics = self.fontMetrics()
        players = names.BETWEEN.join(self._rated)
        if metrics.horizontalAdvance(players) > room:
            # A part of a rating looks like another number.
            return names.fitted(metrics, *self._named, room)
        left = room - metrics.horizontalAdvance(f"{players}   ")
        if not self._details or left < _LEAST_DETAILS:
            return players
        return f"{players}   {metrics.elidedText(self._details, Qt.TextElideMode.ElideRight, left)}"


_LEAST_YEAR = 190
"""If the label is narrower than this many pixels, the year is left out to make room for the names."""
_LEAST_DETAILS = 36
"""If fewer pixels than this are left for the details, the details are left out, because a few letters are of
no use."""
