"""Moves the keyboard focus between the areas of the window, and draws a frame around the area with the focus.

Any widget can be an area.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QTabWidget, QWidget

from cqlgui.ui.look import canvas, theme

_WIDTH = 2


class Areas(QObject):
    """The areas of a window, in the order in which F6 visits the areas. Hidden areas are skipped."""

    def __init__(self, areas: Sequence[QWidget], parent: QObject) -> None:
        super().__init__(parent)
        self._areas = tuple(areas)
        self._frame: Frame | None = None
        QApplication.instance().focusChanged.connect(self._follow)  # type: ignore[union-attr]  # a window has one

    @property
    def framed(self) -> QWidget | None:
        """The area with the frame; None if F6 was not used, or if the focus has left the area."""
        return self._frame.area if self._frame is not None else None

    def go(self, step: int) -> None:
        """Give the focus to the next visible area (`step` is 1) or to the previous visible area (`step` is
        -1). If no area has the focus, the first or the last area gets the focus."""
        seen = [area for area in self._areas if _target(area) is not None]
        if not seen:
            return
        focus = QApplication.focusWidget()
        here = next((place for place, area in enumerate(seen) if _holds(area, focus)), -1)
        there = seen[(here + step) % len(seen) if here >= 0 or step > 0 else -1]
        target = _target(there)
        assert target is not None
        target.window().activateWindow()
        target.setFocus(Qt.FocusReason.TabFocusReason if step > 0 else Qt.FocusReason.BacktabFocusReason)
        self._unframe()
        self._frame = Frame(there)

    def _follow(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self._frame is not None and now is not None and not _holds(self._frame.area, now):
            self._unframe()

    def _unframe(self) -> None:
        if self._frame is not None:
            self._frame.hide()
            self._frame.deleteLater()
            self._frame = None


class Frame(QWidget):
    """A frame in front of an area. Mouse events go through the frame to the area."""

    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self.area = area
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(area.rect())
        area.installEventFilter(self)
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self.area.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        with canvas.Painter(self) as painter:
            pen = QPen(theme.colours().colour("accent"), _WIDTH)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            inset = _WIDTH / 2
            painter.drawRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset))


def _holds(area: QWidget, widget: QWidget | None) -> bool:
    return widget is not None and (area is widget or area.isAncestorOf(widget))


def _target(area: QWidget) -> QWidget | None:
    """The widget in an area that gets the keyboard focus; None if the area is hidden or if no widget in the
    area can have the focus."""
    if not area.isVisible() or area.visibleRegion().isEmpty():
        # Qt counts a pane behind another pane as visible, but the visible region of the hidden pane is empty.
        return None
    content = area.currentWidget() if isinstance(area, QTabWidget) else area
    proxy = content.focusProxy() or content
    if _takes_keys(proxy):
        return proxy
    found = content.nextInFocusChain()
    while found is not None and found is not content:
        if content.isAncestorOf(found) and _takes_keys(found) and found.isVisible():
            return found
        found = found.nextInFocusChain()
    return None


def _takes_keys(widget: QWidget) -> bool:
    return widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
