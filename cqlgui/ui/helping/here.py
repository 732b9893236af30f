"""Counts the games that have the same position as the board, the same pawns, or the same material. The counts
are shown beside the board at every move.

The games are counted in the background, for one kind of search after another. A running count is dropped when
the next position is shown. Counts are cached as long as the games are open.
"""

from __future__ import annotations

import collections

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from cqlgui.base import progress
from cqlgui.base.data import dataclass
from cqlgui.board.position import Position
from cqlgui.pattern import here
from cqlgui.tasks.results import base_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import counting
from cqlgui.ui.look import labels, theme, wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.state import browser

SETTLE = 30
"""Games are counted when no move was made for this many milliseconds."""
_KEPT = 4_096
"""Maximum of cached counts."""
_JOB = "this position"
_PENDING = "…"
_EDGE = 14
"""A button is this many pixels wider than its text."""
_MARGIN, _SPACING = 8, 4


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of search for a position. `word` is the text of the button, `sentence` describes the kind
    inside a sentence, and `title` is the title of the query."""

    word: str
    sentence: str
    title: str


KINDS = (
    Kind("Position", "the same men on the same squares, the same side to move", "This position"),
    Kind("Pawns", "the same pawns on the same squares", "This pawn skeleton"),
    Kind("Material", "the same men, wherever they stand", "This material"),
)
TWINS = "or mirrored"
_LEADS = ("Games with the same", "Same")
"""Words before the buttons. The first of these texts that fits is shown."""
_TWINS_TIP = "Count and find these also with colours swapped and with left and right exchanged (Ctrl+Shift+4)"


def queries_of(position: Position, *, twins: bool) -> tuple[str, ...]:
    """For each kind, the query that finds a position again. With `twins` the queries also find mirror images,
    and positions with swapped colours."""
    texts = (here.exact(position), here.skeleton(position), here.material(position))
    return tuple(map(here.twins, texts)) if twins else texts


class HereBar(QWidget):
    """A button with a number of games for each kind, and a check box. If the box is checked, the numbers
    include twins (mirror images and swapped colours). If there is little room, only the first buttons are
    shown. The menu has the other kinds, and there are keyboard shortcuts for all kinds.

    `seen` is emitted when the bar is shown again. `chosen` carries the index of a kind in `KINDS`.
    `twins_changed` carries whether the user wants twins.
    """

    seen = Signal()
    chosen = Signal(int)
    twins_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("This position in all games")
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN, 0, _MARGIN, 2)
        row.setSpacing(_SPACING)
        self.lead = labels.Label(self)
        row.addWidget(self.lead)
        self._buttons = []
        for place, kind in enumerate(KINDS):
            button = self._button(kind.word)
            button.clicked.connect(lambda _checked=False, place=place: self.chosen.emit(place))
            self._buttons.append(button)
            row.addWidget(button)
        # The text and the tool tip of each button. A button is changed only if its text or its tool tip
        # changes.
        self._said: list[tuple[str, str]] = [("", "")] * len(KINDS)
        self._room = 1
        self.twins = QCheckBox(TWINS, self)
        self.twins.setAccessibleName(TWINS)
        self.twins.setToolTip(wording.plain_tip(_TWINS_TIP))
        self.twins.toggled.connect(self.twins_changed)
        self.twins.toggled.connect(lambda _on: self._show_fitting())
        row.addWidget(self.twins)
        self.more = self._button("More about this position")
        self.more.setText("▾")
        self.more.setToolTip("What there is no room for")
        self.more.clicked.connect(self._offer)
        row.addWidget(self.more)
        row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.theme().changed.connect(self._dress)
        self._dress()
        self._fit()
        self.say((None,) * len(KINDS), there=False)

    def say(self, counts: tuple[counting.Counted | None, ...], *, there: bool, failed: bool = False) -> None:
        """Show the counts; unknown counts are None. `there` is False if there is no position to look for. In
        this case no counts are shown."""
        for place, (button, kind, counted) in enumerate(zip(self._buttons, KINDS, counts, strict=True)):
            figure = words_of(counted, failed=failed) if there else ""
            told = spoken(counted, kind, twins=self.twins.isChecked())
            said = f"{kind.word} {figure}".rstrip(), told
            button.setEnabled(there)
            if said != self._said[place]:
                self._said[place] = said
                button.setText(said[0])
                button.setAccessibleName(f"{kind.word}: {told}")
                button.setToolTip(wording.plain_tip(f"{told} Press to find them (Ctrl+Shift+{place + 1})"))

    def make_room(self, games: int) -> None:
        """Make the buttons wide enough for counts up to this number of games."""
        self._room = games
        self._fit()

    def texts(self) -> tuple[str, ...]:
        """The texts of the buttons."""
        return tuple(button.text() for button in self._buttons)

    def _fit(self) -> None:
        """Give the buttons constant sizes. If the size of a button depended on its count, the window would be
        laid out again at each move."""
        metrics = self.fontMetrics()
        height = metrics.height() + 6
        for button, kind in zip(self._buttons, KINDS, strict=True):
            button.setFixedSize(
                metrics.horizontalAdvance(f"{kind.word} {wording.widest(self._room)}+") + _EDGE, height
            )
        self.twins.setFixedSize(self.twins.sizeHint().width(), height)
        self._show_fitting()

    def _show_fitting(self) -> None:
        """Show only parts that fit completely. If the end of a number were cut off, the user would read a
        smaller number."""
        exact, pawns, material = self._buttons
        # If the counts include twins, the box has priority over the second button, because the box tells the
        # user that twins are included.
        first = (self.twins, pawns) if self.twins.isChecked() else (pawns, self.twins)
        parts = (exact, *first, material)
        left = self.width() - 2 * _MARGIN
        whole = sum(part.width() + _SPACING for part in parts) - _SPACING <= left
        if not whole:
            left -= self.more.sizeHint().width() + _SPACING
        for part in parts:
            part.setVisible(part.width() <= left)
            left = left - part.width() - _SPACING if part.width() <= left else 0
        self.more.setVisible(not whole)
        metrics = self.lead.fontMetrics()
        fitting = [words for words in _LEADS if metrics.horizontalAdvance(words) + 2 * _SPACING <= left]
        self.lead.setVisible(bool(fitting) and whole)
        self.lead.setText(fitting[0] if fitting else "")

    def menu(self) -> QMenu:
        """A menu with the kinds that have no room in the bar, and with the box for twins if this box has no
        room."""
        menu = QMenu(self)
        for place, (button, kind) in enumerate(zip(self._buttons, KINDS, strict=True)):
            if button.isHidden():
                action = menu.addAction(button.text() or kind.word)
                action.setEnabled(button.isEnabled())
                action.triggered.connect(lambda _checked=False, place=place: self.chosen.emit(place))
        if self.twins.isHidden():
            action = menu.addAction(TWINS)
            action.setCheckable(True)
            action.setChecked(self.twins.isChecked())
            action.triggered.connect(self.twins.toggle)
        return menu

    def _offer(self) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    def _button(self, word: str) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setAccessibleName(word)
        return button

    def _dress(self) -> None:
        colours = theme.colours()
        self.setStyleSheet(
            f"QLabel {{ color: {colours.muted}; }}"
            f"QToolButton {{ color: {colours.text}; padding: 1px 6px; border: 1px solid transparent; }}"
            f" QToolButton:hover, QToolButton:focus {{ border: 1px solid {colours.accent}; }}"
            f" QToolButton:disabled {{ color: {colours.muted}; }}"
            f" QToolButton:checked {{ background: {colours.selection}; color: {colours.selection_text};"
            f" border: 1px solid {colours.accent}; }}"
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_fitting()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange and hasattr(self, "twins"):
            self._fit()


def words_of(counted: counting.Counted | None, *, failed: bool = False) -> str:
    """The text of a count on a button."""
    if counted is None:
        return "?" if failed else _PENDING
    return f"{wording.number(counted.games)}{'+' if counted.doubtful else ''}"


def spoken(counted: counting.Counted | None, kind: Kind, *, twins: bool) -> str:
    """A count as a sentence."""
    what = kind.sentence + (", or a mirror twin of these, or with colours swapped" if twins else "")
    if counted is None:
        return f"Games with {what}."
    least = "at least " if counted.doubtful else ""
    have = "has" if counted.games == 1 else "have"
    sentence = f"{least}{wording.games(counted.games)} {have} {what}."
    return sentence[0].upper() + sentence[1:]


class Here(QObject):
    """Keeps the bar up to date with the position that the browser shows.

    `asked` carries a query that the user wants to run, and its title.
    """

    asked = Signal(str, str)

    def __init__(
        self, door: jobs.Jobs, shown: browser.Browser, bar: HereBar, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs = door
        self._browser = shown
        self._bar = bar
        self._base: base_model.Base | None = None
        self._within: Integers | None = None
        self._known: collections.OrderedDict[str, counting.Counted | None] = collections.OrderedDict()
        self._channel: jobs.Channel[tuple[int, str, counting.Counted | None]] | None = None
        self._counts: list[counting.Counted | None] = [None] * len(KINDS)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE)
        self._settle.timeout.connect(self._ask)
        shown.shown.connect(lambda _game, _position: self._moved())
        bar.chosen.connect(self.find)
        bar.seen.connect(self._moved)
        bar.twins_changed.connect(lambda _on: self._moved())

    @property
    def busy(self) -> bool:
        """True while counts are still to come."""
        return self._settle.isActive() or self._jobs.active(_JOB)

    @property
    def position(self) -> Position | None:
        """The position on the board."""
        game = self._browser.game
        return None if game is None else game.tree.positions[self._browser.positionid]

    def set_base(self, base: base_model.Base | None) -> None:
        """Count the games of this base from now on."""
        self._base = base
        self._known.clear()
        self._bar.make_room(base.games if base is not None else 1)
        self._moved()

    def set_within(self, within: Integers | None) -> None:
        """Count only these games from now on. None means all games."""
        self._within = within
        self._known.clear()
        self._moved()

    def find(self, place: int) -> None:
        """Ask the window to search for the position on the board. `place` is the index of the kind of search
        in `KINDS`."""
        position = self.position
        if position is not None:
            text = queries_of(position, twins=self._bar.twins.isChecked())[place]
            self.asked.emit(text, KINDS[place].title)

    def _moved(self) -> None:
        """Stop a running count, and count again after `SETTLE`."""
        self._stop()
        self._settle.start()

    def _stop(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        self._jobs.cancel(_JOB, drop=True)

    def _ask(self) -> None:
        base, within, position = self._base, self._within, self.position
        there = base is not None and base.games > 0 and position is not None
        self._counts = [None] * len(KINDS)
        self._bar.say(tuple(self._counts), there=there)
        if not there or not self._bar.isVisible():
            return
        assert base is not None
        assert position is not None
        known, twins = dict(self._known), self._bar.twins.isChecked()
        channel: jobs.Channel[tuple[int, str, counting.Counted | None]] = self._jobs.channel(self._receive)
        self._channel = channel

        def work(token: progress.CancelToken, _sink: progress.ProgressSink) -> None:
            for place, text in enumerate(queries_of(position, twins=twins)):
                found = known[text] if text in known else counting.count(base, text, within, cancel=token)
                channel.send((place, text, found))

        def done(_nothing: None) -> None:
            channel.drain()
            self._bar.say(tuple(self._counts), there=True, failed=True)

        self._jobs.run(
            work,
            done,
            lambda _fault: self._bar.say(tuple(self._counts), there=True, failed=True),
            name=_JOB,
        )

    def _receive(self, told: list[tuple[int, str, counting.Counted | None]]) -> None:
        for place, text, found in told:
            self._counts[place] = found
            self._known[text] = found
            self._known.move_to_end(text)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        self._bar.say(tuple(self._counts), there=True)
