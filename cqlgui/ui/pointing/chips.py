"""The chips under the board: conditions on the whole position or game, each a filter in the query's text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.pattern import marks
from cqlgui.ui.look import labels, theme, wording
from cqlgui.ui.pointing import conditions

_GAP = 4
_HEIGHT = 26
_CROSS = "  ✕"


class Chips(QWidget):
    """A row of chips: all chips that are set, and as many other chips as fit. The menu of the "More" button
    lists all conditions.

    The signal `wanted` carries a kind of condition and the new filter. The filter None removes the condition.
    The signal `step_wanted` is emitted when the user adds a second step.
    """

    wanted = Signal(str, object)
    step_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Conditions of the pattern")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._set: dict[marks.ConditionKind, str] = {}
        self._chips: dict[marks.ConditionKind, _Chip] = {}
        for kind in conditions.KINDS:
            chip = self._chips[kind] = _Chip(kind, self)
            chip.opened.connect(self._open)
            chip.removed.connect(lambda kind: self.wanted.emit(kind, None))
        self._more = QToolButton(self)
        self._more.setText("More ▾")
        self._more.setAccessibleName("More conditions")
        self._more.setToolTip("Side to move, check, mate, players, years and so on")
        self._more.clicked.connect(self._offer)
        self.step = QToolButton(self)
        self.step.setText("+ Step")
        self.step.setAccessibleName("Add a step")
        self.step.setToolTip("What is to follow later in the game (Ctrl+Shift+B)")
        self.step.clicked.connect(self.step_wanted)
        self._others = labels.Label(self)
        self._others.setAccessibleName("Conditions in the text alone")
        self._lines = 1
        theme.theme().changed.connect(self._dress)
        self._dress()
        self.set_conditions(())
        self.set_others(0)

    def set_conditions(self, found: tuple[marks.Condition, ...]) -> None:
        """Show the conditions of a pattern. If a pattern has several conditions of one kind, the chip of this
        kind shows the first condition."""
        self._set = {}
        for condition in found:
            self._set.setdefault(condition.kind, condition.text)
        for kind, chip in self._chips.items():
            chip.say(self._set.get(kind))
        self._arrange()

    def set_others(self, number: int) -> None:
        """Show how many filters of the pattern are visible only in the text."""
        self._others.setText(f"+{wording.counted(number, 'condition', 'conditions')} in the text")
        self._others.setToolTip("What marks and chips cannot show stays as it is written")
        self._others.setVisible(number > 0)
        self._arrange()

    def offer_step(self, offered: bool) -> None:
        """Show or hide the button that adds a step."""
        if self.step.isHidden() == offered:
            self.step.setVisible(offered)
            self._arrange()

    @property
    def others(self) -> str:
        """The displayed note about filters that are visible only in the text; empty if the note is hidden."""
        return self._others.text() if not self._others.isHidden() else ""

    def chip(self, kind: marks.ConditionKind) -> QPushButton:
        """The chip of a kind."""
        return self._chips[kind]

    def menu_of(self, kind: marks.ConditionKind) -> QMenu | None:
        """The menu of choices for a kind; None if the kind has fewer than two choices."""
        choices = conditions.CHOICES.get(kind, ())
        if len(choices) < 2:
            return None
        menu = QMenu(self)
        written = self._set.get(kind)
        for words, text in choices:
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(written is not None and conditions.words(kind, written) == words)
            action.triggered.connect(lambda _checked=False, text=text: self.wanted.emit(kind, text))
        if written is not None:
            menu.addSeparator()
            menu.addAction("Any").triggered.connect(lambda _checked=False: self.wanted.emit(kind, None))
        return menu

    def _open(self, kind: marks.ConditionKind) -> None:
        anchor: QWidget = self._chips[kind] if self._chips[kind].isVisible() else self._more
        place = anchor.mapToGlobal(QPoint(0, anchor.height()))
        menu = self.menu_of(kind)
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(place)
        elif kind in conditions.CHOICES:
            self.wanted.emit(kind, None if kind in self._set else conditions.CHOICES[kind][0][1])
        else:
            popover = Popover(kind, self._set.get(kind), self)
            popover.answered.connect(lambda text: self.wanted.emit(kind, text))
            popover.open_at(place)

    def _offer(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for kind in conditions.KINDS:
            written = self._set.get(kind)
            words = conditions.TITLES[kind] if written is None else conditions.words(kind, written)
            action = menu.addAction(words.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(written is not None)
            action.triggered.connect(lambda _checked=False, kind=kind: self._open(kind))
        menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))

    def _arrange(self) -> None:
        """Lay out the chips in one line, because a second line would make the board above smaller. If the
        chips that are set do not fit into one line, use two lines."""
        tail = self._more.sizeHint().width() + _GAP
        if not self.step.isHidden():
            tail += self.step.sizeHint().width() + _GAP
        if not self._others.isHidden():
            tail += self._others.sizeHint().width() + _GAP
        sizes = {kind: self._chips[kind].sizeHint().width() + _GAP for kind in conditions.KINDS}
        room = self.width() - _GAP
        order = self._order(sizes, room - tail)
        lines = 1 if sum(sizes[kind] for kind in self._set) + tail <= room else 2
        left, line, full = _GAP, 1, False
        for kind in order:
            if left + sizes[kind] + (tail if line == lines else 0) > room and line < lines:
                left, line = _GAP, line + 1
            full = full or left + sizes[kind] + (tail if line == lines else 0) > room
            if not full:
                self._chips[kind].setGeometry(left, _top(line), sizes[kind] - _GAP, _HEIGHT)
                left += sizes[kind]
            self._chips[kind].setVisible(not full)
        top = _top(line)
        self._more.setGeometry(left, top, self._more.sizeHint().width(), _HEIGHT)
        left += self._more.width() + _GAP
        if not self.step.isHidden():
            self.step.setGeometry(left, top, self.step.sizeHint().width(), _HEIGHT)
            left += self.step.width() + _GAP
        self._others.setGeometry(left, top, max(0, self.width() - left), _HEIGHT)
        if line != self._lines:
            self._lines = line
            self.updateGeometry()

    def _order(self, sizes: dict[marks.ConditionKind, int], room: int) -> list[marks.ConditionKind]:
        """The chips in display order; the chips for which there is no room come last.

        Chips keep their order, because a chip that moved under the pointer could be clicked by mistake. If
        there is too little room, chips that are not set are left out first.
        """
        left = room - sum(sizes[kind] for kind in self._set)
        shown = []
        for kind in conditions.KINDS:
            if kind in self._set:
                shown.append(kind)
            elif sizes[kind] <= left:
                shown.append(kind)
                left -= sizes[kind]
            else:
                left = 0
        return [*shown, *(kind for kind in conditions.KINDS if kind not in shown)]

    def _dress(self) -> None:
        self._others.setStyleSheet(f"color: {theme.colours().muted};")

    def sizeHint(self) -> QSize:
        return QSize(300, _top(self._lines + 1))

    def minimumSizeHint(self) -> QSize:
        return QSize(90, _top(self._lines + 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "_more"):
            self._arrange()


def _top(line: int) -> int:
    """The top of a line of chips, in pixels. The first line has the number 1."""
    return 1 + (line - 1) * (_HEIGHT + 2)


class _Chip(QPushButton):
    """The chip of one condition. A chip that is set ends in a cross. A click on the cross, or the Delete key,
    removes the condition."""

    opened = Signal(str)
    removed = Signal(str)

    def __init__(self, kind: marks.ConditionKind, parent: QWidget) -> None:
        super().__init__(parent)
        self._kind = kind
        self._on = False
        # The filter that is shown, or None. The start value, an empty text, differs from every filter and
        # from None. The first call of `say` therefore always updates the chip.
        self._filter: str | None = ""
        self._at = QPoint()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        # A click does not give the focus to the chip, because a chip with the focus would look like a chip
        # that is set.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self._clicked)
        theme.theme().changed.connect(self._dress)

    def say(self, text: str | None) -> None:
        """Show a filter; None if the pattern has no filter of the chip's kind."""
        if text == self._filter:
            return
        self._filter = text
        self._on = text is not None
        title = conditions.TITLES[self._kind]
        words = title if text is None else conditions.words(self._kind, text)
        cut = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, 150)
        self.setText((cut + (_CROSS if self._on else "")).replace("&", "&&"))
        self.setAccessibleName(f"{words}, set" if self._on else title)
        self.setToolTip(
            wording.plain_tip(f"{text}\nThe cross takes it away" if text is not None else f"Ask for: {title}")
        )
        self._dress()

    def _clicked(self) -> None:
        cross = self._on and self._at.x() > self.width() - 26
        self._at = QPoint()
        (self.removed if cross else self.opened).emit(self._kind)

    def _dress(self) -> None:
        colours = theme.colours()
        ground, edge = (colours.selection, colours.accent) if self._on else ("transparent", colours.muted)
        ink = colours.selection_text if self._on else colours.text
        style = "solid" if self._on else "dashed"
        self.setStyleSheet(
            f"QPushButton {{ background: {ground}; border: 1px {style} {edge}; border-radius: 12px;"
            f" color: {ink}; padding: 2px 9px; }}"
            f"QPushButton:hover, QPushButton:focus {{ border-color: {colours.accent}; border-style: solid; }}"
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._at = event.position().toPoint()
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self._on:
            self.removed.emit(self._kind)
        else:
            super().keyPressEvent(event)


class Popover(QFrame):
    """A small window beside a chip. The user enters two numbers or a name. The signal `answered` carries the
    new filter, or None to remove the filter."""

    answered = Signal(object)

    def __init__(self, kind: marks.ConditionKind, text: str | None, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        title = conditions.TITLES[kind]
        self.setAccessibleName(title)
        self._kind = kind
        self._name: QLineEdit | None = None
        self._begun: str | None = None
        self._ends: tuple[QSpinBox, QSpinBox] | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 8, 10, 8)
        row = QHBoxLayout()
        column.addLayout(row)
        if kind in conditions.RANGES:
            self._ask_numbers(row, title, text)
        else:
            self._ask_name(row, title, text)
        self._begun = self.filter()
        buttons = QHBoxLayout()
        column.addLayout(buttons)
        self.done = QPushButton("Ask for it")
        self.done.setProperty("primary", True)
        none = QPushButton("Any")
        none.setAccessibleName(f"Any {title.lower()}")
        buttons.addStretch(1)
        buttons.addWidget(none)
        buttons.addWidget(self.done)
        self.done.clicked.connect(self._answer)
        none.clicked.connect(lambda: self._say(None))

    def open_at(self, place: QPoint) -> None:
        """Show the popover at a point of the screen, or nearby if a part of the popover would be off the
        screen."""
        self.adjustSize()
        room = self.screen().availableGeometry()
        left = min(place.x(), room.right() - self.width())
        top = place.y()
        if top + self.height() > room.bottom():
            top = place.y() - self.height() - _HEIGHT
        self.move(max(room.left(), left), max(room.top(), top))
        self.show()
        first = self._name if self._name is not None else self._ends[0] if self._ends else self.done
        first.setFocus()

    def _ask_numbers(self, row: QHBoxLayout, title: str, text: str | None) -> None:
        least, most = conditions.RANGES[self._kind]
        found = conditions.bounds(self._kind, text) if text is not None else None
        boxes = []
        for words, number in zip(("from", "to"), found or (None, None), strict=True):
            label = labels.Label()
            label.setText(f"{title} {words}" if words == "from" else words)
            box = QSpinBox()
            box.setRange(least - 1, most)
            # The lowest value of the box means "no bound".
            box.setSpecialValueText("any")
            box.setValue(least - 1 if number is None else max(least - 1, min(most, number)))
            box.setSingleStep(50 if self._kind == "elo" else 1)
            box.setAccessibleName(f"{title} {words}")
            row.addWidget(label)
            row.addWidget(box)
            boxes.append(box)
        self._ends = boxes[0], boxes[1]

    def _ask_name(self, row: QHBoxLayout, title: str, text: str | None) -> None:
        label = labels.Label()
        label.setText(title)
        self._name = QLineEdit()
        self._name.setAccessibleName(title)
        self._name.setPlaceholderText("Name, or a part of it")
        self._name.setMinimumWidth(170)
        self._name.setText((conditions.player_of(text) or "") if text is not None else "")
        self._name.returnPressed.connect(self._answer)
        row.addWidget(label)
        row.addWidget(self._name)

    def filter(self) -> str | None:
        """The filter for the entered values; None if nothing is entered."""
        if self._name is not None:
            return conditions.player(self._name.text())
        assert self._ends is not None
        numbers = [box.value() if box.value() > box.minimum() else None for box in self._ends]
        return conditions.between(self._kind, numbers[0], numbers[1])

    def _answer(self) -> None:
        # If the user changed nothing, the filter is not written again. The fields cannot show every filter,
        # and a new filter made from the fields could differ from the old filter.
        if self.filter() == self._begun:
            self.close()
        else:
            self._say(self.filter())

    def _say(self, text: str | None) -> None:
        self.answered.emit(text)
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._answer()
        else:
            super().keyPressEvent(event)
