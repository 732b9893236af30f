"""The palette beside the board: buttons for the tools, and for the selected mark."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolButton, QWidget

from cqlgui.board import men
from cqlgui.pattern import marks
from cqlgui.ui.board import widget
from cqlgui.ui.look import canvas, theme, wording
from cqlgui.ui.pointing import painting, tools

_SIZES = ((2, 28), (2, 26), (2, 24), (3, 24), (3, 20), (3, 17))
"""The layouts of the palette, the roomiest first: the number of columns, and the size of a button in pixels.
All layouts are narrow, because a wide palette would force a small window to grow."""
_GAP, _PARTED = 2, 6
_MEN = (men.WK, men.BK, men.WQ, men.BQ, men.WR, men.BR, men.WB, men.BB, men.WN, men.BN, men.WP, men.BP)
_TOOLS = (
    tools.POINTER,
    tools.ERASER,
    *(tools.of_man(man) for man in _MEN),
    tools.Tool(men.WHITE_MASK),
    tools.Tool(men.BLACK_MASK),
    tools.Tool(men.MAN_MASK),
    tools.Tool(men.EMPTY_MASK),
    tools.Tool(men.ANY_MASK),
)
Draw = Callable[[QPainter, QRectF, float], None]
_KEYS = dict(zip((men.KING, men.QUEEN, men.ROOK, men.BISHOP, men.KNIGHT, men.PAWN), "KQRBNP", strict=True))
ROLES: dict[marks.Role, tuple[str, str]] = {
    marks.Role.MUST: ("Must stand there", "solid edge"),
    marks.Role.EITHER: ("One of several", "dashed ring: this mark or another dashed one"),
    marks.Role.NOT: ("Must not stand there", "crossed"),
}


class Palette(widget.Side):
    """Small buttons in a layout that fits the height.

    The signal `chosen` carries a `tools.Tool`. `carried` carries a tool during a drag, and the point on the
    screen. `dropped` carries a tool after a drag, and the point on the screen. `role_wanted` carries a
    `marks.Role` for the selected mark. `widened` carries +1 or -1 for the selected mark. `clear_wanted` is
    emitted when the user removes the whole pattern.
    """

    chosen = Signal(object)
    carried = Signal(object, QPoint)
    dropped = Signal(object, QPoint)
    role_wanted = Signal(object)
    widened = Signal(int)
    clear_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Palette of men")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._tool = tools.POINTER
        self._tools = {tool: _tool_button(tool, self) for tool in _TOOLS}
        self._roles = {role: _role_button(role, self) for role in marks.Role}
        self._narrower, self._wider, self.clear = QToolButton(self), QToolButton(self), QToolButton(self)
        for button, sign, words in (
            (self._narrower, "−", "Narrower: fewer men, fewer squares (wheel down, or −)"),
            (self._wider, "+", "Wider: more men, more squares (wheel up, or +)"),
            (self.clear, "⌫", "Clear: take all men, arrows and conditions out of the pattern"),
        ):
            button.setText(sign)
            button.setToolTip(wording.plain_tip(words))
            button.setAccessibleName(words.partition(":")[0])
        for tool, made in self._tools.items():
            made.clicked.connect(lambda _checked=False, tool=tool: self._choose(tool))
            made.carried.connect(lambda point, tool=tool: self.carried.emit(tool, point))
            made.dragged.connect(lambda point, tool=tool: self.dropped.emit(tool, point))
        for role, shown in self._roles.items():
            shown.clicked.connect(lambda _checked=False, role=role: self._want(role))
        self._wider.clicked.connect(lambda: self.widened.emit(1))
        self._narrower.clicked.connect(lambda: self.widened.emit(-1))
        self.clear.clicked.connect(self.clear_wanted)
        self._line = 0
        last = (self._narrower, self._wider, self.clear)
        self._parts = (tuple(self._tools.values()), tuple(self._roles.values()), last)
        for button in (*self._tools.values(), *self._roles.values(), *last):
            # A click does not move the keyboard focus from the board to the button, but F6 and Tab do.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_tool(tools.POINTER)
        self.show_mark(None)
        self._arrange()

    @property
    def tool(self) -> tools.Tool:
        """The chosen tool."""
        return self._tool

    def set_tool(self, tool: tools.Tool) -> None:
        """Choose a tool. If the tool places several kinds of men, the button of each kind is checked."""
        self._tool = tool
        for one, button in self._tools.items():
            part = bool(tool.men) and bool(one.men) and one.men.bit_count() == 1 and bool(one.men & tool.men)
            exact = any(other == tool for other in self._tools)
            button.setChecked(one == tool or (part and not exact))

    def show_mark(self, mark: marks.Mark | None) -> None:
        """Show the role of the selected mark; None if no mark is selected."""
        for role, button in self._roles.items():
            button.setEnabled(mark is not None)
            button.setChecked(mark is not None and mark.role is role)
        for one in (self._narrower, self._wider):
            one.setEnabled(mark is not None)

    @property
    def choices(self) -> tuple[tools.Tool, ...]:
        """The tools that have a button."""
        return _TOOLS

    def button(self, tool: tools.Tool) -> QToolButton:
        """The button of a tool."""
        return self._tools[tool]

    def _choose(self, tool: tools.Tool) -> None:
        several = bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier)
        self.set_tool(tools.with_another(self._tool, tool) if several else tool)
        self.chosen.emit(self._tool)

    def _want(self, role: marks.Role) -> None:
        self._roles[role].setChecked(True)
        self.role_wanted.emit(role)

    def width_for(self, height: int) -> int:
        """The width that the buttons need if the palette has the height `height`."""
        columns, size = self._columns(height)
        return columns * (size + _GAP)

    def _columns(self, height: int) -> tuple[int, int]:
        """The number of columns and the size of a button in the roomiest layout that fits into a height."""
        for columns, size in _SIZES:
            rows = sum(-(-len(part) // columns) for part in self._parts)
            if rows * (size + _GAP) + 2 * _GAP + _PARTED <= height:
                break
        return columns, size

    def _arrange(self) -> None:
        columns, size = self._columns(self.height())
        step, top = size + _GAP, _GAP
        for part in self._parts:
            for number, button in enumerate(part):
                row, column = divmod(number, columns)
                button.setGeometry(column * step, top + row * step, size, size)
            top += -(-len(part) // columns) * step
            if part is self._parts[0]:
                self._line = top + _PARTED // 2 - 1
                top += _PARTED

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        # A thin line separates the tools from the buttons for the selected mark.
        with canvas.Painter(self) as painter:
            painter.setPen(theme.colours().colour("border"))
            painter.drawLine(2, self._line, self.width() - 4, self._line)


class _Drawn(QToolButton):
    """A button with a drawing in the colours of the theme. During a drag that began on the button, `carried`
    carries the point on the screen. At the end of the drag, `dragged` carries the last point."""

    carried = Signal(QPoint)
    dragged = Signal(QPoint)

    def __init__(self, words: str, tip: str, draw: Draw, parent: QWidget) -> None:
        super().__init__(parent)
        self._draw = draw
        self.setCheckable(True)
        self.setAccessibleName(words)
        self.setToolTip(wording.plain_tip(tip))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.carried.emit(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.rect().contains(
            event.position().toPoint()
        ):
            self.dragged.emit(event.globalPosition().toPoint())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        ratio = self.devicePixelRatioF()
        size = min(self.width(), self.height()) - 5
        picture = canvas.picture(size, size, ratio)
        with canvas.Painter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if not self.isEnabled():
                painter.setOpacity(0.35)
            self._draw(painter, QRectF(0, 0, size, size), ratio)
        with canvas.Painter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawPixmap((self.width() - size) // 2, (self.height() - size) // 2, picture)
            if self.isChecked():
                # The edge marks a checked button. In some themes the usual shade of a checked button is hard
                # to see.
                painter.setPen(QPen(theme.colours().colour("accent"), 2))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)


def _tool_button(tool: tools.Tool, parent: QWidget) -> _Drawn:
    several = "; with Ctrl together with others" if tool.men.bit_count() == 1 and tool.men > 1 else ""

    def draw(painter: QPainter, box: QRectF, ratio: float) -> None:
        if tool.men & men.BLACK_MASK and theme.colours().dark:
            # In a dark theme, black men get a lighter background. Without this background, black men would
            # hardly be visible.
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colours().colour("dark_square"))
            painter.drawRoundedRect(box, 4, 4)
        if tool.men:
            painting.draw_men(painter, box, tool.men, ratio)
        elif tool.erases:
            _draw_eraser(painter, box)
        else:
            _draw_pointer(painter, box)

    return _Drawn(tool.name, f"{tool.name} ({_key_of(tool)}{several})", draw, parent)


def _role_button(role: marks.Role, parent: QWidget) -> _Drawn:
    words, shape = ROLES[role]

    def draw(painter: QPainter, box: QRectF, _ratio: float) -> None:
        colours = theme.colours()
        ink = colours.colour("error" if role is marks.Role.NOT else "truth_yes")
        pen = QPen(ink, max(1.8, box.width() * 0.09), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
        inside = box.adjusted(3, 3, -3, -3)
        if role is marks.Role.EITHER:
            pen.setDashPattern([1.8, 1.3])
            painter.setPen(pen)
            painter.drawEllipse(inside)
            return
        painter.setPen(pen)
        painter.drawRect(inside)
        if role is marks.Role.NOT:
            painter.drawLine(inside.topLeft(), inside.bottomRight())
            painter.drawLine(inside.topRight(), inside.bottomLeft())

    return _Drawn(words, f"{words}: {shape} (Space goes on)", draw, parent)


def _draw_eraser(painter: QPainter, box: QRectF) -> None:
    ink = theme.colours().colour("text")
    painter.setPen(_outline(box))
    painter.translate(box.center())
    painter.rotate(-45)
    reach = box.width() * 0.34
    painter.drawRoundedRect(QRectF(-reach, -reach * 0.55, reach * 2, reach * 1.1), 2, 2)
    painter.fillRect(QRectF(-reach, -reach * 0.55, reach * 0.8, reach * 1.1), ink)


def _draw_pointer(painter: QPainter, box: QRectF) -> None:
    across = box.width() / 24
    points = [(7, 4), (7, 19), (11, 15.4), (14, 21), (16.4, 19.8), (13.6, 14.4), (18.6, 14)]
    painter.setPen(_outline(box))
    painter.setBrush(theme.colours().colour("base"))
    painter.drawPolygon([QPointF(x * across, y * across) for x, y in points])


def _outline(box: QRectF) -> QPen:
    ink, width = theme.colours().colour("text"), max(1.5, box.width() * 0.08)
    return QPen(ink, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def _key_of(tool: tools.Tool) -> str:
    """The keys that choose a tool, for the tooltip of the tool."""
    if tool.points:
        return "Esc"
    if tool.erases:
        return "X"
    if tool.men == men.EMPTY_MASK:
        return "E"
    if tool.men == men.ANY_MASK:
        return "."
    if tool.men.bit_count() > 1:
        return {men.WHITE_MASK: "1 A", men.BLACK_MASK: "2 A"}.get(tool.men, "3 A")
    man = tool.men.bit_length() - 1
    return f"{'1' if men.is_white(man) else '2'} {_KEYS[men.kind(man)]}"
