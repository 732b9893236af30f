"""The animation that moves a pattern from the squares where it is written to the squares where it matched.

This module paints nothing. Nothing waits for the animation: the board shows the position at once, and the
next position ends the animation. While positions follow each other quickly, as with a key held down, there is
no animation.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation, Signal
from PySide6.QtWidgets import QApplication, QStyle

MS = 250
HURRY = 0.4
"""If a position is shown for fewer seconds than this, the next position is shown without an animation."""


class Travel(QObject):
    """`moved` is emitted when the board must be repainted, and `ended` when the animation is over."""

    moved = Signal()
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.allowed = True
        """Whether the user wants animation."""
        self._pairs: tuple[tuple[int, int], ...] = ()
        self._hurried = False
        self._last = -HURRY
        self._course = QVariantAnimation(self)
        self._course.setStartValue(0.0)
        self._course.setEndValue(1.0)
        self._course.setDuration(MS)
        self._course.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._course.valueChanged.connect(lambda _value: self.moved.emit())
        self._course.finished.connect(self.stop)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The (from, to) squares of the moving men and rings."""
        return self._pairs

    @property
    def targets(self) -> int:
        """The squares where the moving men and rings arrive, as a bitboard."""
        found = 0
        for _origin, target in self._pairs:
            found |= 1 << target
        return found

    @property
    def done(self) -> float:
        """The share of the distance already covered."""
        return float(self._course.currentValue())

    def interrupt(self) -> None:
        """End the animation, because another position is shown."""
        now = time.monotonic()
        self._hurried, self._last = now - self._last < HURRY, now
        self.stop()

    def begin(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Begin the animation. There is no animation if animations are switched off, if positions follow each
        other quickly, or if nothing moves."""
        self.stop()
        wanted = tuple(pair for pair in pairs if pair[0] != pair[1])
        if wanted and self.allowed and not self._hurried and _desktop_moves():
            self._pairs = wanted
            self._course.start()

    def stop(self) -> None:
        """End the animation at once."""
        if self._pairs:
            self._pairs = ()
            self._course.stop()
            self.ended.emit()


def _desktop_moves() -> bool:
    """Whether the desktop has animations switched on."""
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return QApplication.style().styleHint(hint) > 0
