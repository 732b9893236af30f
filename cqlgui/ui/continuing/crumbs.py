"""The path of moves as a row of buttons. This module is independent of chess."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from cqlgui.ui.look import labels, theme, wording

_BETWEEN: Final = "›"
_LEFT_OUT: Final = "…"
_NARROWEST: Final = 80


class Crumbs(QWidget):
    """A root and the steps of a path. In a narrow row, the button `…` stands for the first steps. `chosen`
    carries the number of steps of the place that the user wants to go to."""

    chosen = Signal(int)

    def __init__(self, root: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._root = root
        self._steps: tuple[str, ...] = ()
        self._shown: tuple[tuple[int, str], ...] = ()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(1)
        self._row.addStretch(1)
        self._parts: list[QWidget] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Path of moves")
        theme.theme().changed.connect(self._dress)
        self._lay_out()
        self._dress()

    @property
    def buttons(self) -> list[QToolButton]:
        """The buttons, from the root to the place shown."""
        return [part for part in self._parts if isinstance(part, QToolButton)]

    def say(self, steps: Sequence[str]) -> None:
        """Show a path."""
        self._steps = tuple(steps)
        self.setAccessibleDescription(", ".join((self._root, *steps)))
        self._lay_out()

    def _lay_out(self) -> None:
        """Make the buttons that fit into the row. The last step is always shown."""
        named = [(place + 1, name) for place, name in enumerate(self._steps)]
        first = 0
        while first < len(named) - 1 and self._wanted(named, first) > self.width():
            first += 1
        shown = [(0, self._root), *([(first, _LEFT_OUT)] if first else []), *named[first:]]
        if tuple(shown) == self._shown:
            return
        self._shown = tuple(shown)
        had_focus = any(part.hasFocus() for part in self._parts)
        for part in self._parts:
            self._row.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._parts = []
        for place, (steps, name) in enumerate(shown):
            if place:
                between = labels.Label()
                between.setText(_BETWEEN)
                self._add(between)
            self._add(self._button(steps, name, last=place == len(shown) - 1))
        if had_focus:
            self.buttons[-1].setFocus()

    def _wanted(self, named: Sequence[tuple[int, str]], first: int) -> int:
        """The width of the row without the first steps."""
        names = [self._root, *([_LEFT_OUT] if first else []), *(name for _steps, name in named[first:])]
        metrics = self.fontMetrics()
        # The last name is bold.
        texts = sum(map(metrics.horizontalAdvance, names)) + metrics.horizontalAdvance(names[-1]) // 8
        return texts + len(names) * (_EDGES + metrics.horizontalAdvance(_BETWEEN) + 2 * self._row.spacing())

    def _add(self, part: QWidget) -> None:
        self._row.insertWidget(len(self._parts), part)
        self._parts.append(part)

    def _button(self, steps: int, name: str, *, last: bool) -> QToolButton:
        button = QToolButton()
        button.setText(name)
        button.setProperty("here", last)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        way = ", ".join(self._steps[:steps]) or self._root
        button.setToolTip(wording.plain_tip(way if last else f"Back to {way}"))
        button.setAccessibleName(f"{'Shown' if last else 'Back to'}: {way}")
        button.clicked.connect(lambda: self.chosen.emit(steps))
        return button

    def _dress(self) -> None:
        colours = theme.colours()
        self.setStyleSheet(
            f"QLabel {{ color: {colours.muted}; }}"
            f"QToolButton {{ border: 1px solid transparent; border-radius: 4px; padding: 2px 4px;"
            f" background: transparent; color: {colours.link}; }}"
            f"QToolButton:hover {{ background: {colours.selection}; color: {colours.selection_text}; }}"
            f"QToolButton:focus {{ border-color: {colours.accent}; }}"
            f'QToolButton[here="true"] {{ color: {colours.text}; font-weight: bold; }}'
        )

    def sizeHint(self) -> QSize:
        return QSize(_NARROWEST, max(self._row.sizeHint().height(), self.fontMetrics().height() + 8))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()


_EDGES: Final = 11
"""The room in pixels around the text of a button."""
