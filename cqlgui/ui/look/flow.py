"""A layout that puts its items in lines, as many in each line as fit, like words in a text."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class Flow(QLayout):
    """Items keep their preferred size; the height follows from the width."""

    def __init__(self, parent: QWidget | None = None, gap: int = 3) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap
        # The sizes are cached, because it is slow to ask each item for its size, and Qt asks for the height
        # again and again.
        self._sizes: list[tuple[QLayoutItem, QSize]] | None = None
        self.setContentsMargins(0, 0, 0, 0)

    def _place(self, area: QRect, *, move: bool) -> int:
        """Put the items into lines. Returns the height of all lines."""
        x, y, line = area.left(), area.top(), 0
        for item, size in self._seen():
            if x > area.left() and x + size.width() > area.left() + area.width():
                x, y, line = area.left(), y + line + self._gap, 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size))
            x += size.width() + self._gap
            line = max(line, size.height())
        return y + line - area.top()

    def _seen(self) -> list[tuple[QLayoutItem, QSize]]:
        """The items that are not hidden, with their preferred sizes."""
        if self._sizes is None:
            self._sizes = [(item, item.sizeHint()) for item in self._items if not item.isEmpty()]
        return self._sizes

    def invalidate(self) -> None:
        self._sizes = None
        super().invalidate()

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        self._sizes = None
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, area: QRect) -> None:
        super().setGeometry(area)
        self._place(area, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        sizes = [size for _, size in self._seen()]
        return QSize(
            max((size.width() for size in sizes), default=0),
            max((size.height() for size in sizes), default=0),
        )
