"""The row of small boards under the chips: the steps of a sequence, and the gaps between them.

The row shows a `steps.Sequence` and emits the changes that the user wants. The row has no access to the
query's text.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from cqlgui.board import squares
from cqlgui.pattern import marks, pictures, steps, writing
from cqlgui.ui.board import painting, widget
from cqlgui.ui.look import canvas, labels, theme, wording

_HIGH, _LOW = 76, 48
"""The height of the row in pixels: the usual height, and the height in a low window. The smaller height
leaves more room for the board."""
_LOW_WINDOW = 480
_EDGE = 4
"""The margin of a small board in pixels. The outline of the drawn step lies in this margin."""
_GAP = 54
"""The width of the button between two boards, in pixels."""
_BAR = 7
"""The height of the scroll bar, in pixels."""
_MOST_PLIES = 400
FORMS: dict[steps.Form, tuple[str, str]] = {
    "path": ("Path", "path: says how many moves lie between two steps"),
    "find": ("Find", "find: each step holds at the same position as the one before, or any time later"),
}
"""The label and the tooltip of each form of a sequence."""
KEY = "Ctrl+Shift+B"


class StepsRow(QWidget):
    """The steps as boards, with buttons that choose the form of the sequence and add a step.

    The signal `chosen` carries the index of the step to draw. `moved` carries the index of a step and the new
    index. `removed` carries the index of a step. `gap_wanted` carries the index of a gap and the new gap.
    `form_wanted` carries a form. `added` is emitted when the user adds a step. `left` is emitted for Esc.
    """

    chosen = Signal(int)
    moved = Signal(int, int)
    removed = Signal(int)
    gap_wanted = Signal(int, object)
    form_wanted = Signal(str)
    added = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Steps of the sequence")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._sequence: steps.Sequence | None = None
        self._current = -1
        self.forms: dict[str, QToolButton] = {}
        self._strip = _Strip(self)
        self.add = QToolButton()
        self.add.setText("+\nStep")
        self.add.setAccessibleName("Add a step")
        self.add.setToolTip(
            wording.plain_tip(f"A further step, to begin with like the one that is drawn ({KEY})")
        )
        self.add.clicked.connect(self.added)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 2, 0)
        row.setSpacing(3)
        row.addLayout(self._make_forms())
        row.addWidget(self._strip, 1)
        row.addWidget(self.add)
        self._height = _HIGH

    def _make_forms(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addStretch(1)
        group = QButtonGroup(self)
        for form, (word, tip) in FORMS.items():
            button = self.forms[form] = QToolButton()
            button.setText(word)
            button.setCheckable(True)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
            button.setMinimumHeight(16)
            button.setAccessibleName(f"Steps as {form}")
            button.setToolTip(wording.plain_tip(tip))
            button.clicked.connect(functools.partial(self._want_form, form))
            group.addButton(button)
            column.addWidget(button)
        column.addStretch(1)
        return column

    @property
    def boards(self) -> tuple[QAbstractButton, ...]:
        """The small boards, in the order of the steps."""
        return tuple(self._strip.boards)

    @property
    def gaps(self) -> tuple[QToolButton, ...]:
        """The buttons between the boards, in the order of the gaps."""
        return tuple(self._strip.gaps)

    @property
    def current(self) -> int:
        """The index of the outlined step; -1 if no step is outlined."""
        return self._current

    def show_sequence(self, sequence: steps.Sequence | None, current: int) -> None:
        """Show a sequence, and outline the step `current`, which is drawn on the board. If no step is drawn,
        `current` is -1."""
        if sequence is not None:
            for form, button in self.forms.items():
                button.setChecked(form == sequence.form)
            self._strip.show_steps(sequence, current)
        self._sequence, self._current = sequence, current

    def _want_form(self, form: steps.Form) -> None:
        # The query's text decides which button is checked. A click does not always change the text. The
        # button of the present form is therefore checked again.
        if self._sequence is not None:
            self.forms[self._sequence.form].setChecked(True)
            if form != self._sequence.form:
                self.form_wanted.emit(form)

    def sizeHint(self) -> QSize:
        return QSize(300, self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, _LOW)

    def _fit(self) -> None:
        """Use the smaller height in a low window."""
        height = _HIGH if self.window().height() > _LOW_WINDOW else _LOW
        if height != self._height:
            self._height = height
            self.updateGeometry()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def gap_words(gap: steps.Gap) -> str:
    """A gap in a few words on two lines: `next move`, `within 6 plies`, `3-6 plies`."""
    if gap.most is None:
        return {0: "now or\nlater", 1: "later"}.get(gap.least, f"{gap.least} plies\nor later")
    if gap.least == gap.most:
        return "next\nmove" if gap.most == 1 else f"{gap.most} plies\nlater"
    most = "1 ply" if gap.most == 1 else f"{gap.most} plies"
    return f"within\n{most}" if gap.least <= 1 else f"{gap.least}-{gap.most}\nplies"


def step_words(pattern: marks.Pattern) -> str:
    """A step in words: its filters in CQL, and the number of filters that only the text shows."""
    written = writing.text_of(pattern)[1:-1]
    others = len(pattern.others)
    if others:
        more = f"+{wording.counted(others, 'condition', 'conditions')} in the text"
        return more if written == writing.PLACE_HOLDER else f"{written} {more}"
    return "nothing yet" if written == writing.PLACE_HOLDER else written


class _Strip(QScrollArea):
    """The boards and the buttons between them, in an area that scrolls sideways."""

    def __init__(self, row: StepsRow) -> None:
        super().__init__(row)
        self._row = row
        self.boards: list[_Board] = []
        self.gaps: list[_Between] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = QWidget()
        self._mark = _Insertion(self._content)
        self.setWidget(self._content)
        theme.theme().changed.connect(self._dress)
        self._dress()
        self.viewport().setAutoFillBackground(False)
        self._content.setAutoFillBackground(False)

    def show_steps(self, sequence: steps.Sequence, current: int) -> None:
        number = len(sequence.steps)
        held = any(board.hasFocus() for board in self.boards)
        while len(self.boards) < number:
            self._add_board()
        while len(self.boards) > number:
            _drop(self.boards.pop())
        while len(self.gaps) < number - 1:
            self._add_gap()
        while len(self.gaps) > max(0, number - 1):
            _drop(self.gaps.pop())
        for place, board in enumerate(self.boards):
            board.say(place, number, sequence.steps[place], current=place == current)
        for gap, found in zip(self.gaps, sequence.gaps, strict=True):
            gap.say(found, fixed=sequence.form == "find")
        self._arrange()
        if current >= 0:
            if held:
                self.boards[current].setFocus()
            self.ensureWidgetVisible(self.boards[current], _GAP, 0)

    def _add_board(self) -> None:
        board, place = _Board(self._content), len(self.boards)
        board.clicked.connect(lambda _checked=False: self._row.chosen.emit(place))
        board.removed.connect(lambda: self._row.removed.emit(place))
        board.stepped.connect(lambda by: self._go(place + by))
        board.shifted.connect(lambda by: self._move(place, place + by))
        board.dragged.connect(lambda point: self._show_target(place, point))
        board.dropped.connect(lambda point: self._drop(place, point))
        self.boards.append(board)
        board.show()

    def _add_gap(self) -> None:
        place = len(self.gaps)
        gap = _Between(self._content, lambda new: self._row.gap_wanted.emit(place, new))
        self.gaps.append(gap)
        # The Tab key goes through the boards and the buttons from left to right.
        QWidget.setTabOrder(self.boards[place], gap)
        QWidget.setTabOrder(gap, self.boards[place + 1])
        gap.show()

    def _go(self, place: int) -> None:
        if 0 <= place < len(self.boards):
            self.boards[place].setFocus()
            self.ensureWidgetVisible(self.boards[place], _GAP, 0)

    def _move(self, place: int, to: int) -> None:
        if 0 <= to < len(self.boards):
            self._row.moved.emit(place, to)

    def _dress(self) -> None:
        # The scroll bar is thin, because a scroll bar of the usual height would take a fifth of the height of
        # the row.
        colours = theme.colours()
        self.horizontalScrollBar().setStyleSheet(
            f"QScrollBar {{ height: {_BAR}px; background: transparent; }}"
            f"QScrollBar::handle {{ background: {colours.muted}; border-radius: 3px; min-width: 24px; }}"
            "QScrollBar::add-line, QScrollBar::sub-line { width: 0; }"
            "QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }"
        )

    # --- dragging -------------------------------------------------------------------------------------------

    def _target(self, place: int, across: int) -> int:
        """The new index of the board with the index `place` if this board is dropped at the x coordinate
        `across`."""
        return sum(
            board.geometry().center().x() < across for board in self.boards if board is not self.boards[place]
        )

    def _show_target(self, place: int, across: int) -> None:
        to = self._target(place, across)
        self._mark.setVisible(to != place)
        edge = self.boards[to].geometry()
        left = edge.left() - 2 if to < place else edge.right() - 1
        self._mark.setGeometry(max(0, left), edge.top(), 4, edge.height())
        self._mark.raise_()
        self.ensureVisible(across, edge.center().y(), 20, 0)

    def _drop(self, place: int, across: int) -> None:
        self._mark.hide()
        if across >= 0:
            to = self._target(place, across)
            if to != place:
                self._row.moved.emit(place, to)

    # --- places ---------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        number, height = len(self.boards), self.height()
        width = number * height + max(0, number - 1) * _GAP
        side = height
        if width > self.width():
            side = max(24, height - _BAR)
            width = number * side + max(0, number - 1) * _GAP
        self._content.resize(max(1, width), side)
        for place, board in enumerate(self.boards):
            board.setGeometry(place * (side + _GAP), 0, side, side)
        for place, gap in enumerate(self.gaps):
            gap.setGeometry(place * (side + _GAP) + side, 0, _GAP, side)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - (turned.y() or turned.x()) // 2)
        event.accept()


class _Board(QAbstractButton):
    """A small board that shows one step.

    The signal `removed` is emitted for Delete. `stepped` carries -1 or 1 for an arrow key. `shifted` carries
    -1 or 1 for an arrow key with Alt. `dragged` carries the x coordinate in the row during a drag. `dropped`
    carries the x coordinate at the end of a drag, or -1 if the drag was cancelled.
    """

    removed = Signal()
    stepped = Signal(int)
    shifted = Signal(int)
    dragged = Signal(int)
    dropped = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._offer)
        self._number, self._of = 0, 0
        self._pattern = marks.Pattern()
        self._picture = pictures.NOTHING
        self._current = False
        self._pressed: QPoint | None = None
        self._drags = False
        theme.theme().changed.connect(self.update)

    def say(self, place: int, number: int, pattern: marks.Pattern, *, current: bool) -> None:
        """Show a pattern as the step with index `place` out of `number` steps."""
        told = step_words(pattern)
        if pattern != self._pattern:
            self._pattern = pattern
            self._picture = pictures.of_text(writing.text_of(pattern))
        self._number, self._of, self._current = place + 1, number, current
        drawn = ", on the board" if current else ""
        self.setAccessibleName(f"Step {self._number} of {number}: {told}{drawn}")
        keys = "Click: edit it above. Drag, or Alt+Left and Alt+Right: another order. Delete: remove it."
        self.setToolTip(wording.plain_tip(f"Step {self._number}: {told}\n{keys}"))
        self.update()

    def _offer(self, point: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, by in (("Earlier", -1), ("Later", 1)):
            action = menu.addAction(words)
            action.setEnabled(1 <= self._number + by <= self._of)
            action.triggered.connect(lambda _checked=False, by=by: self.shifted.emit(by))
        menu.addAction("Remove this step").triggered.connect(lambda _checked=False: self.removed.emit())
        menu.popup(self.mapToGlobal(point))

    def _across(self, event: QMouseEvent) -> int:
        return self.mapToParent(event.position().toPoint()).x()

    def _end_drag(self, across: int) -> None:
        self._pressed = None
        if self._drags:
            self._drags = False
            self.unsetCursor()
            self.update()
            self.dropped.emit(across)

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.colours()
        with canvas.Painter(self) as painter:
            painter.setFont(self.font())
            if not self.isEnabled() or self._drags:
                painter.setOpacity(0.4)
            room = QRectF(self.rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
            _draw_step(painter, room, self._picture, colours, self.devicePixelRatioF())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if self._current:
                painter.setPen(QPen(colours.colour("accent"), 3))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)
            if self.hasFocus():
                painter.setPen(QPen(colours.colour("text"), 1, Qt.PenStyle.DotLine))
                painter.drawRect(QRectF(self.rect()).adjusted(3.5, 3.5, -3.5, -3.5))
            self._draw_number(painter, colours)

    def _draw_number(self, painter: QPainter, colours: theme.Colours) -> None:
        font = painter.font()
        font.setPixelSize(10)
        font.setBold(True)
        painter.setFont(font)
        text = str(self._number)
        plate = QRectF(0, 0, painter.fontMetrics().horizontalAdvance(text) + 8, 14)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour("accent" if self._current else "badge"))
        painter.drawRoundedRect(plate, 4, 4)
        painter.setPen(colours.colour("accent_text" if self._current else "badge_text"))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            by = -1 if key == Qt.Key.Key_Left else 1
            alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            (self.shifted if alt else self.stepped).emit(by)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif key == Qt.Key.Key_Escape and self._drags:
            self.setDown(False)
            self._end_drag(-1)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # The arrow keys and Delete are shortcuts of the window. On a small board these keys move the focus to
        # another step or remove a step.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            taken = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
            if event.key() in taken:
                event.accept()
                return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        far = (event.position().toPoint() - self._pressed).manhattanLength()
        if not self._drags and far >= QApplication.startDragDistance():
            self._drags = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.update()
        if self._drags:
            self.dragged.emit(self._across(event))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drags and event.button() == Qt.MouseButton.LeftButton:
            # `setDown(False)` prevents a click: the release of the mouse after a drag must not count as a
            # click.
            self.setDown(False)
            self._end_drag(self._across(event))
        else:
            self._pressed = None
            super().mouseReleaseEvent(event)


def _draw_step(
    painter: QPainter, room: QRectF, shown: pictures.Picture, colours: theme.Colours, ratio: float
) -> None:
    """Draw a small board. Men as small as a square would look alike, and all men are therefore drawn larger
    than a square (see `_growth`)."""
    painter.save()
    rings = sum(1 << cell.square for cell in shown.cells if not cell.symbol)
    widget.paint_mini(painter, room, (), shown.area, rings, ratio)
    size = max(4, int(min(room.width(), room.height()) - 2) // 8)
    corner = room.center() - QPointF(size * 4, size * 4)
    frame = painting.Frame(round(corner.x()), round(corner.y()), size)
    tint = colours.colour("ring")
    tint.setAlpha(110)
    grown = size * _growth([cell.square for cell in shown.cells])
    for cell in shown.cells:
        box = frame.square(cell.square)
        painter.fillRect(box, tint)
        there = QRectF(0, 0, grown, grown)
        there.moveCenter(box.center())
        there.moveLeft(max(frame.rect.left(), min(there.left(), frame.rect.right() - grown)))
        there.moveTop(max(frame.rect.top(), min(there.top(), frame.rect.bottom() - grown)))
        away = there.topLeft() - painting.Frame(0, 0, grown).square(cell.square).topLeft()
        large = painting.Frame(round(away.x()), round(away.y()), grown)
        painting.draw_pattern(painter, large, (cell,), 0, colours, ratio)
    painter.restore()


def _growth(places: list[int]) -> float:
    """The size of men in widths of a square: 1.3 if two squares in `places` are adjacent, and 2 if no two
    squares are adjacent."""
    apart = min(
        (
            max(
                abs(squares.file_of(one) - squares.file_of(other)),
                abs(squares.rank_of(one) - squares.rank_of(other)),
            )
            for one, other in itertools.combinations(places, 2)
        ),
        default=8,
    )
    return 1.3 if apart == 1 else 2.0


class _Between(QToolButton):
    """The button that shows the gap between two steps. The menu of the button changes the gap."""

    def __init__(self, parent: QWidget, want: Callable[[steps.Gap], None]) -> None:
        super().__init__(parent)
        self._want = want
        self._gap = steps.ANY_TIME
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        font = self.font()
        font.setPixelSize(11)
        self.setFont(font)
        self.setStyleSheet("QToolButton { padding: 0; font-size: 11px; }")
        self.clicked.connect(self._offer)

    def say(self, gap: steps.Gap, *, fixed: bool) -> None:
        """Show a gap. If `fixed` is True, the user cannot change the gap."""
        self._gap = gap
        words = gap_words(gap)
        self.setText(f"→\n{words}" if fixed else f"→\n{words} ▾")
        self.setEnabled(not fixed)
        told = words.replace("\n", " ")
        self.setAccessibleName(f"Between two steps: {told}")
        tip = (
            "With find no moves are counted; choose Path for that" if fixed else "How far the steps are apart"
        )
        self.setToolTip(wording.plain_tip(tip))

    def menu_for(self) -> QMenu:
        """The menu of possible gaps."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, gap in (("Next move", steps.NEXT_MOVE), ("Any time later", steps.ANY_TIME)):
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(gap == self._gap)
            action.triggered.connect(lambda _checked=False, gap=gap: self._want(gap))
        within = QWidgetAction(menu)
        within.setDefaultWidget(_Within(self._gap, lambda gap: self._take(menu, gap)))
        menu.insertAction(menu.actions()[1], within)
        return menu

    def _take(self, menu: QMenu, gap: steps.Gap) -> None:
        menu.close()
        self._want(gap)

    def _offer(self) -> None:
        self.menu_for().popup(self.mapToGlobal(QPoint(0, self.height())))


class _Within(QWidget):
    """A menu entry with a field for a number of plies."""

    def __init__(self, gap: steps.Gap, want: Callable[[steps.Gap], None]) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(38, 2, 8, 2)
        self.plies = QSpinBox()
        self.plies.setRange(2, _MOST_PLIES)
        self.plies.setValue(gap.most if gap.most is not None and gap.most > 1 else 6)
        self.plies.setAccessibleName("Plies")
        self.take = QPushButton("Set")
        self.take.setAccessibleName("Within this number of plies")
        for words in ("Within", "plies"):
            label = labels.Label()
            label.setText(words)
            row.addWidget(label)
            if words == "Within":
                row.addWidget(self.plies)
        row.addWidget(self.take)
        self.take.clicked.connect(lambda: want(steps.Gap(1, self.plies.value())))


class _Insertion(QWidget):
    """The line that shows where a dragged board would be dropped."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        with canvas.Painter(self) as painter:
            painter.fillRect(self.rect(), theme.colours().colour("accent"))


def _drop(part: QWidget) -> None:
    """Hide a widget now and delete it later. Deleting at once would be an error, because the widget may be
    handling an event."""
    part.hide()
    part.deleteLater()
