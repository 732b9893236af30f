"""Keeps windows and dialogs within the screen, even if a large scale of the screen leaves little room."""

from __future__ import annotations

from PySide6.QtCore import QRect, QTimer
from PySide6.QtWidgets import QApplication, QWidget

TITLE_BAR = 40
"""The room in pixels for the frame that the desktop draws around a window."""


def room(widget: QWidget) -> QRect:
    """The part of the screen that the inside of a window may use."""
    return widget.screen().availableGeometry().adjusted(0, TITLE_BAR, 0, 0)


def fit(widget: QWidget) -> None:
    """Make a window smaller if the window does not fit into the screen. If a part is off the screen, move the
    window."""
    if widget.isFullScreen() or widget.isMaximized():
        return
    screen = widget.screen().availableGeometry()
    inside = room(widget)
    if not (widget.width() <= inside.width() and widget.height() <= inside.height()):
        widget.resize(min(widget.width(), inside.width()), min(widget.height(), inside.height()))
    frame = widget.frameGeometry()
    if not screen.contains(frame):
        widget.move(
            min(max(frame.left(), screen.left()), max(screen.left(), screen.right() + 1 - frame.width())),
            min(max(frame.top(), screen.top()), max(screen.top(), screen.bottom() + 1 - frame.height())),
        )


def grow(widget: QWidget) -> None:
    """Make a window with a layout larger until a text that wraps has all its lines, as far as the screen
    allows."""
    layout = widget.layout()
    assert layout is not None
    layout.activate()
    width = max(widget.width(), widget.minimumSizeHint().width())
    widget.resize(width, max(widget.height(), layout.totalHeightForWidth(width)))
    fit(widget)


def fit_next() -> None:
    """Fit the next dialog of Qt into the screen when the dialog is shown. The caller must call this function
    before it opens the dialog."""

    def fit_shown() -> None:
        shown = QApplication.activeModalWidget()
        if shown is not None:
            fit(shown)

    QTimer.singleShot(0, fit_shown)
