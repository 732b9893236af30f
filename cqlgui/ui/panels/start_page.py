"""The page in the middle of the window while no games are open: ways to begin, recent files, themes.

The page emits a signal for each action. Other modules carry out the actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QEnterEvent, QFont, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QGridLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base.data import dataclass
from cqlgui.base.files import disk
from cqlgui.board import position as position_module
from cqlgui.tasks.asking import library
from cqlgui.tasks.databases import bases
from cqlgui.tasks.results import entry_model
from cqlgui.ui.board import painting
from cqlgui.ui.look import canvas, labels, naming, theme, wording

THEMES = {
    "mates/smothered-mate.cql": "A knight mates a king that its own men wall in",
    "sacrifices/greek-gift.cql": "A bishop checks the castled king from h7",
    "tactics/royal-fork.cql": "One knight attacks king and queen",
    "pieces/alekhines-gun.cql": "The queen behind two rooks on one file",
    "castling/opposite-castling.cql": "Each side attacks where the other king is",
    "endings/opposite-bishops.cql": "One bishop each, and pawns",
}
"""The queries of the library that are shown as boards, each with a line of text. The queries are of different
kinds, and all of them have hits in the sample base."""
_MOST = 5
"""Maximum of recent entries."""
_WIDEST = 780
_CARD = 172
"""Greatest width of the page, and width of a card, in pixels."""
_LINES = 2
_CELL = 13
_EDGE = 8
_GAP = 4
_COLUMNS = (1, 2, 3, 6)
"""Possible numbers of cards in a row. With each of these numbers all rows are full."""


@dataclass(frozen=True, slots=True)
class Recent:
    """Files that were opened together, and whether all of them still exist."""

    paths: tuple[Path, ...]
    there: bool


class StartPage(QScrollArea):
    """`files_wanted` carries paths of recent files. `theme_chosen` carries the text and title of a query."""

    sample_wanted = Signal()
    open_wanted = Signal()
    draw_wanted = Signal()
    write_wanted = Signal()
    files_wanted = Signal(object)
    theme_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Start page")
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.cards: list[Card] = []
        self.recent: list[QPushButton] = []
        self.sample = _way("500 games to try", "Open the sample base", self.sample_wanted)
        self.open = _way("Open games...", "Open PGN files (Ctrl+O), or drop them here", self.open_wanted)
        self.draw = _way("Draw a pattern", "Place men on the board and search for them", self.draw_wanted)
        self.write = _way("Write a query", "Type a query in CQL", self.write_wanted)
        self.sample.setProperty("primary", True)
        self._ways = (self.sample, self.open, self.draw, self.write)
        self._buttons = QGridLayout()
        self._grid = QGridLayout()
        self._files = QVBoxLayout()
        self._headings = [labels.Label(self) for _ in range(3)]
        self._lay_out()
        self.set_recent(())
        theme.theme().changed.connect(self._dress)
        self._dress()

    def set_themes(self, entries: Iterable[entry_model.QueryEntry]) -> None:
        """Show a board for each query of the library that is in `THEMES`."""
        known = {"/".join(entry.path.parts[-2:]): entry for entry in entries}
        found = [(known[name], line) for name, line in THEMES.items() if name in known]
        if [(card.entry, card.line) for card in self.cards] == found:
            return
        for card in self.cards:
            card.deleteLater()
        self.cards = [Card(entry, line, self) for entry, line in found]
        for card in self.cards:
            card.clicked.connect(
                lambda _checked=False, entry=card.entry: self.theme_chosen.emit(entry.text, entry.title)
            )
        self._headings[2].setVisible(bool(found))
        self._arrange()

    def set_recent(self, entries: Sequence[Recent]) -> None:
        """Show recent files. An entry with a missing file cannot be chosen."""
        for button in self.recent:
            button.deleteLater()
        self.recent = []
        for entry in entries:
            button = QPushButton(self)
            missing = "" if entry.there else ", missing"
            words = f"{naming.title(entry.paths)}{missing}   ({entry.paths[0].parent})"
            button.setAccessibleName(wording.straight(words))
            button.setToolTip(wording.plain_tip(naming.listing(entry.paths)))
            button.setObjectName("recent")
            button.setEnabled(entry.there)
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _checked=False, paths=entry.paths: self.files_wanted.emit(paths))
            self.recent.append(button)
            self._files.addWidget(button)
        self._headings[1].setVisible(bool(entries))
        self._arrange()

    def _lay_out(self) -> None:
        for heading, words in zip(
            self._headings, ("Where to begin", "Opened lately", "Search for a theme"), strict=True
        ):
            heading.setText(words)
            font = QFont(heading.font())
            font.setWeight(QFont.Weight.DemiBold)
            heading.setFont(font)
        self._page = QWidget()
        self._page.setObjectName("start")
        inner = QWidget(self._page)
        inner.setMaximumWidth(_WIDEST)
        column = QVBoxLayout(inner)
        column.setContentsMargins(12, 14, 12, 14)
        column.setSpacing(8)
        self._grid.setSpacing(8)
        self._buttons.setSpacing(8)
        self._files.setSpacing(0)
        for heading, part in zip(self._headings, (self._buttons, self._files, self._grid), strict=True):
            column.addWidget(heading)
            column.addLayout(part)
            column.addSpacing(8)
        column.addStretch(1)
        # The empty columns on both sides have the same stretch, so that the content is in the middle of the
        # page.
        row = QGridLayout(self._page)
        row.setContentsMargins(0, 0, 0, 0)
        row.setColumnStretch(0, 1)
        row.setColumnStretch(1, 1000)
        row.setColumnStretch(2, 1)
        row.addWidget(inner, 0, 1)
        self._headings[2].hide()
        self.setWidget(self._page)
        self._arrange()

    def _arrange(self) -> None:
        """Put as many buttons and themes in a row as fit."""
        room = min(self.viewport().width(), _WIDEST) - 24
        across = max((count for count in _COLUMNS if count * (_CARD + 8) - 8 <= room), default=1)
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, place // across, place % across)
        widest = max(way.sizeHint().width() for way in self._ways) + 4
        across = next((count for count in (4, 2) if count * widest <= room), 1)
        for button in self.recent:
            shown = button.fontMetrics().elidedText(
                button.accessibleName(), Qt.TextElideMode.ElideMiddle, room - 12
            )
            button.setText(shown.replace("&", "&&"))
        for place, way in enumerate(self._ways):
            self._buttons.addWidget(way, place // across, place % across)

    def _dress(self) -> None:
        colours = theme.colours()
        self.setStyleSheet(
            f"QWidget#start {{ background: {colours.panel}; }}"
            " QPushButton#recent { text-align: left; border: none; background: transparent;"
            f" padding: 3px 4px; color: {colours.link}; }}"
            f" QPushButton#recent:hover, QPushButton#recent:focus {{ background: {colours.selection};"
            f" color: {colours.selection_text}; }}"
            f" QPushButton#recent:disabled {{ color: {colours.disabled}; }}"
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(_CARD + 40, 120)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


class Card(QAbstractButton):
    """A theme as a board. The title of the theme and a line of text stand below the board."""

    def __init__(self, entry: entry_model.QueryEntry, line: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self.line = line
        self._board = position_module.Position.from_fen(entry.fen).squares if entry.fen else (0,) * 64
        self._over = False
        self.setAccessibleName(entry.title)
        self.setAccessibleDescription(entry.description)
        self.setToolTip(wording.plain_tip(f"{entry.description}\n\n{library.body(entry.text)}"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        words = (1 + _LINES) * self.fontMetrics().lineSpacing()
        return QSize(_CARD, 8 * _CELL + 2 + 2 * _EDGE + _GAP + words)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._over = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._over = False
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.colours()
        marked = self._over or self.hasFocus()
        with canvas.Painter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(colours.colour("selection" if self.isDown() else "raised"))
            painter.setPen(
                QPen(colours.colour("accent" if marked else "border"), 2 if self.hasFocus() else 1)
            )
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 6, 6)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            side = 8 * _CELL
            frame = painting.Frame((self.width() - side) // 2, _EDGE + 1, _CELL, False)
            painting.draw_squares(painter, frame, colours)
            painting.draw_men(painter, frame, self._board, self.devicePixelRatioF())
            line = self.fontMetrics().lineSpacing()
            top = 2 + side + _EDGE + _GAP
            words = QRect(_EDGE, top, self.width() - 2 * _EDGE, line)
            bold = QFont(self.font())
            bold.setWeight(QFont.Weight.DemiBold)
            painter.setFont(bold)
            painter.setPen(colours.colour("text"))
            title = painter.fontMetrics().elidedText(
                self.entry.title, Qt.TextElideMode.ElideRight, words.width()
            )
            painter.drawText(words, int(Qt.AlignmentFlag.AlignHCenter), title)
            painter.setFont(self.font())
            painter.setPen(colours.colour("muted"))
            words = QRect(_EDGE, top + line, words.width(), self.height() - top - line - 2)
            folded = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            painter.drawText(words, int(folded) | int(Qt.TextFlag.TextWordWrap.value), self.line)


def recent() -> list[Recent]:
    """Recent files. Do not call this function in the window's thread, because a slow disk would block the
    window."""
    found = bases.recent_files()[:_MOST]
    return [Recent(paths, all(disk.is_file(path) for path in paths)) for paths in found]


def _way(words: str, tip: str, wanted: SignalInstance) -> QPushButton:
    button = QPushButton(words)
    button.setToolTip(wording.plain_tip(tip))
    button.setMinimumHeight(34)
    button.clicked.connect(wanted)
    return button
