"""The editor's margin: the line numbers, a mark on each line with an error or a warning, and the result of
each line.

The result of a line says whether the filters of the line hold at the position on the board. A tick means that
the filters hold, and a cross means that they fail. A line with a numeric value shows the number. The signs
differ in shape, not only in colour. The result is grey and has an arrow if the line was evaluated at another
position, for example inside `find`. If the caret's line has an error or a warning with a fix, a lamp offers
the fix.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import Protocol

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QTextBlock,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit, QToolTip, QWidget

from cqlgui.board import squares
from cqlgui.tasks.results import truth_model
from cqlgui.tasks.search import margin
from cqlgui.ui.look import canvas, colours, wording

KNOWN, PENDING, SLOW, FAULT = "known", "pending", "slow", "fault"
"""The states of the results. `KNOWN`: valid for the current text and position. `PENDING`: being computed.
`SLOW`: not computed, because the evaluation took too long. `FAULT`: the query cannot be run at this
position."""

_SIDE = 6
_MOST_NAMED = 12
_MOST_TOLD = 8
_LONGEST_TOLD = 200


class Lines(Protocol):
    """The methods that the gutter calls to read the lines of a text."""

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, float, float]]:
        """The text blocks in view, each with its top and its height in pixels."""

    def line_severities(self) -> dict[int, str]:
        """Maps the number (from 0) of a line with findings to the gravest severity on this line."""

    def fixable_lines(self) -> frozenset[int]:
        """The numbers (from 0) of the lines with a finding that has a fix."""


class Gutter(QWidget):
    """The margin at the editor's left edge. A click selects the line. A click on a lamp offers the fixes of
    the line.

    When the pointer moves to a line, the signal `pointed` carries a bitboard. The bitboard has the squares
    that are named or matched by the filters of the line. The bitboard is 0 when the pointer leaves. The
    signal `fixes_wanted` carries the number of a line, from 0.
    """

    pointed = Signal(object)
    fixes_wanted = Signal(int)

    def __init__(self, editor: QPlainTextEdit, lines: Lines) -> None:
        super().__init__(editor)
        self._editor = editor
        self._lines = lines
        self._rows: dict[int, truth_model.LineTruth] = {}
        self._state = ""
        self._under = -1
        self.reason = ""
        """Why the query cannot be run at this position, in the state `FAULT`."""
        self.setAccessibleName("Line numbers and truth at the position on the board")
        self.setMouseTracking(True)

    @property
    def rows(self) -> Mapping[int, truth_model.LineTruth]:
        """The results that are shown. The keys are the numbers (from 0) of the lines."""
        return self._rows

    @property
    def state(self) -> str:
        """`KNOWN`, `PENDING`, `SLOW` or `FAULT`; empty if no result is shown."""
        return self._state

    def set_truth(self, state: str, rows: tuple[truth_model.LineTruth, ...] | None = None) -> None:
        """Show results. If `rows` is None and `state` is not empty, the old results remain visible. In the
        state `PENDING` all results are pale."""
        self._state = state
        if rows is not None:
            self._rows = {row.line: row for row in rows}
        elif not state:
            self._rows = {}
        self._tell()
        self.update()

    def forget_rows(self) -> None:
        """Remove the results. The text has changed, and the results could be shown beside wrong lines."""
        if self._rows:
            self._rows = {}
            self._tell()
            self.update()

    def needed_width(self) -> int:
        """The width in pixels for marks, line numbers and results. The gutter has room for results even if no
        result is shown, because the text must not move when results appear."""
        digits = max(2, len(str(self._editor.blockCount())))
        return 3 * _SIDE + digits * self._digit() + self._mark_size() + self._truth_width()

    def line_at(self, y: float) -> int:
        """The number (from 0) of the line at the y coordinate `y`; -1 below the text."""
        for block, top, height in self._lines.visible_blocks():
            if top <= y < top + height:
                return block.blockNumber()
        return -1

    def tip(self, line: int) -> str:
        """The tooltip of a line as rich text; empty if the line has no tooltip."""
        row = self._rows.get(line)
        if row is None or not self._state:
            return ""
        if self._state == SLOW:
            return "This takes more than half a second, too long to be shown while you go through the game."
        told = list(zip(row.parts, row.elements or ("",) * len(row.parts), strict=True))[:_MOST_TOLD]
        if self._state == FAULT:
            return html.escape(self.reason)
        lines = [_part_html(part, row.apart(part), element) for part, element in told]
        if len(row.parts) > _MOST_TOLD:
            lines.append(f"... and {len(row.parts) - _MOST_TOLD} more")
        return "<br>".join(lines)

    def _digit(self) -> int:
        return self._editor.fontMetrics().horizontalAdvance("9")

    def _mark_size(self) -> int:
        return max(9, self._editor.fontMetrics().height() * 5 // 8)

    def _truth_width(self) -> int:
        return 3 * self._digit() + _SIDE

    def _tell(self) -> None:
        words = {True: "holds", False: "fails", None: "cannot be told"}
        told = [
            f"line {row.line + 1} {row.value or words[row.matched]}"
            + (f" at {row.elsewhere}" if row.elsewhere else "")
            + (f" ({row.elements[0]})" if row.elements and row.elements[0] else "")
            for row in self._rows.values()
        ]
        whole = {KNOWN: ", ".join(told), FAULT: "the query cannot be run here"}
        self.setAccessibleDescription(whole.get(self._state, self._state))

    def sizeHint(self) -> QSize:
        return QSize(self.needed_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        with canvas.Painter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(event.rect(), colours.of(self, "gutter"))
            painter.setFont(self._editor.font())
            current = self._editor.textCursor().blockNumber()
            severities, lamps = self._lines.line_severities(), self._lines.fixable_lines()
            mark = self._mark_size()
            truths = self._truth_width()
            here, elsewhere = colours.of(self, "gutter-current"), colours.of(self, "gutter-text")
            line_height = self._editor.fontMetrics().height()
            for block, top, height in self._lines.visible_blocks():
                if top + height < event.rect().top() or top > event.rect().bottom():
                    continue
                number = block.blockNumber()
                painter.setPen(here if number == current else elsewhere)
                box = QRect(_SIDE + mark, int(top), self.width() - 2 * _SIDE - mark - truths, line_height)
                painter.drawText(
                    box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number + 1)
                )
                centre = QPointF(_SIDE / 2 + mark / 2, top + line_height / 2)
                if number == current and number in lamps:
                    _draw_lamp(painter, self, centre, mark)
                elif number in severities:
                    _draw_mark(painter, self, severities[number], centre, mark * 3 / 4)
                if number in self._rows and self._state:
                    place = QRectF(self.width() - truths - _SIDE / 2, top, truths, line_height)
                    self._draw_truth(painter, self._rows[number], place, mark)

    def _draw_truth(self, painter: QPainter, row: truth_model.LineTruth, place: QRectF, size: int) -> None:
        painter.setOpacity(0.4 if self._state == PENDING else 1.0)
        # An arrow needs some of the room. A value beside an arrow can therefore have at most two characters.
        arrow = self._mark_size() if row.elsewhere else 0
        if row.elsewhere and self._state != SLOW:
            middle = QPointF(place.left() + arrow / 2, place.center().y())
            back = row.parts[0].positionid < row.positionid
            _draw_arrow(painter, colours.of(self, "muted"), middle, -size / 2 if back else size / 2)
        place = place.adjusted(arrow, 0, 0, 0)
        centre = place.center()
        if self._state == SLOW:
            _draw_clock(painter, colours.of(self, "muted"), centre, size)
        elif row.value and len(row.value) <= (2 if arrow else 3):
            painter.setPen(colours.of(self, "muted" if row.elsewhere else "truth_yes"))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, row.value)
        elif row.matched is None:
            painter.setPen(colours.of(self, "muted"))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, "?")
        else:
            role = "muted" if row.elsewhere else "truth_yes" if row.matched else "truth_no"
            draw_truth(painter, colours.of(self, role), row.matched, centre, size)
        painter.setOpacity(1.0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self.line_at(event.position().y())
        if line < 0:
            return
        cursor = QTextCursor(self._editor.document().findBlockByNumber(line))
        lamp = line in self._lines.fixable_lines() and event.position().x() <= _SIDE + self._mark_size()
        if not lamp:
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        self._editor.setTextCursor(cursor)
        self._editor.setFocus()
        if lamp:
            self.fixes_wanted.emit(line)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self.line_at(event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(-1)
        super().leaveEvent(event)

    def _point(self, line: int) -> None:
        if line == self._under:
            return
        self._under = line
        row = self._rows.get(line) if self._state == KNOWN else None
        named = 0
        if row is not None:
            for part in row.parts:
                # If a filter was evaluated at another position, its squares are left out, because the board
                # does not show that position.
                named |= 0 if row.apart(part) else part.squares
        self.pointed.emit(named)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.tip(self.line_at(event.pos().y()))
            if words:
                QToolTip.showText(event.globalPos(), wording.markup_tip(words), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


def _part_html(part: truth_model.Truth, apart: bool, element: str) -> str:
    """A filter in the tooltip: its result, its text, its orbit element, and its value or its squares. If the
    filter was evaluated at another position (`apart`), the tooltip also names this position."""
    sign = {True: "✓", False: "✗", None: "?"}[part.matched]
    shown = html.escape(margin.shortened(part.text))
    rest = ""
    if part.value is not None and not part.value.startswith("["):
        rest = f" = {html.escape(part.value[:80])}"
    elif 0 < part.squares.bit_count() <= _MOST_NAMED:
        rest = " on " + ", ".join(squares.square_name(square) for square in squares.bits(part.squares))
    if apart:
        rest += f" at {html.escape(part.place)}"
    if part.rounds is not None:
        rest += f", {part.rounds} round{'' if part.rounds == 1 else 's'}"
    for more in (margin.moves(part), margin.bound(part)):
        if more:
            rest += f"<br>&nbsp;&nbsp;&nbsp;{html.escape(more[:_LONGEST_TOLD])}"
    matching = [one for one in part.parts if one.transform and one.matched]
    if matching:
        rest += "<br>&nbsp;&nbsp;&nbsp;" + html.escape(", ".join(one.words for one in matching[:4]))
    of = f" ({html.escape(element)})" if element else ""
    return f"{sign} <code>{shown}</code>{of}{rest}"


def draw_truth(painter: QPainter, colour: QColor, holds: bool, centre: QPointF, size: float) -> None:
    """Draw a tick or a cross."""
    pen = QPen(colour)
    pen.setWidthF(max(1.6, size / 6))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    x, y, half = centre.x(), centre.y(), size / 2 - 1
    if holds:
        painter.drawPolyline(
            QPolygonF(
                [
                    QPointF(x - half, y),
                    QPointF(x - half / 4, y + half * 0.75),
                    QPointF(x + half, y - half * 0.8),
                ]
            )
        )
    else:
        part = half * 0.75
        painter.drawLine(QPointF(x - part, y - part), QPointF(x + part, y + part))
        painter.drawLine(QPointF(x + part, y - part), QPointF(x - part, y + part))


def _draw_arrow(painter: QPainter, colour: QColor, middle: QPointF, size: float) -> None:
    """Draw an arrow to the right for a line that was evaluated later in the game. With a negative size the
    arrow points to the left, for a line that was evaluated earlier."""
    pen = QPen(colour)
    pen.setWidthF(1.2)
    painter.setPen(pen)
    end = QPointF(middle.x() + size / 2, middle.y())
    painter.drawLine(QPointF(middle.x() - size / 2, middle.y()), end)
    for height in (-abs(size) / 2, abs(size) / 2):
        painter.drawLine(end, QPointF(end.x() - size / 2, end.y() + height))


def _draw_clock(painter: QPainter, colour: QColor, centre: QPointF, size: float) -> None:
    """Draw a clock, which means that the evaluation takes too long."""
    pen = QPen(colour)
    pen.setWidthF(1.4)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    half = size / 2 - 0.5
    painter.drawEllipse(centre, half, half)
    painter.drawLine(centre, QPointF(centre.x(), centre.y() - half * 0.65))
    painter.drawLine(centre, QPointF(centre.x() + half * 0.5, centre.y()))


def _draw_lamp(painter: QPainter, widget: QWidget, centre: QPointF, size: float) -> None:
    """Draw a lamp, which means that a fix is offered on this line."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.of(widget, "warning"))
    bulb = size * 0.36
    x, y = centre.x(), centre.y() - size * 0.12
    painter.drawEllipse(QPointF(x, y), bulb, bulb)
    painter.drawRect(QRectF(x - bulb * 0.5, y + bulb * 0.6, bulb, size * 0.2))
    painter.setBrush(colours.of(widget, "gutter-text"))
    painter.drawRect(QRectF(x - bulb * 0.5, y + bulb * 0.6 + size * 0.24, bulb, size * 0.14))


def _draw_mark(painter: QPainter, widget: QWidget, severity: str, centre: QPointF, size: float) -> None:
    """Draw a disc for an error, or a triangle for a warning. The shapes differ, not only the colours."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.of(widget, severity))
    half = size / 2
    if severity == "error":
        painter.drawEllipse(centre, half, half)
        return
    x, y = centre.x(), centre.y()
    painter.drawPolygon(
        QPolygonF([QPointF(x, y - half), QPointF(x + half, y + half), QPointF(x - half, y + half)])
    )
