"""A searchable list of queries with a title and a preview; the history pane is based on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base.data import dataclass
from cqlgui.ui.look import colours, labels, wording

_ENTRY = Qt.ItemDataRole.UserRole
_PREVIEW = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A query in the list: its text, a title and a line or two about it."""

    text: str
    title: str
    preview: str = ""


class EntriesPane(QWidget):
    """A search box above a list. Enter or a double click chooses a query: `chosen` carries its text and
    title.
    """

    chosen = Signal(str, str)

    def __init__(
        self, name: str, empty: str, read: Callable[[object], Entry], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._read = read
        self._entries: list[Entry] = []
        self._empty = empty
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(f"Search the {name.lower()}")
        self.search.setAccessibleName(f"Search the {name.lower()}")
        self.search.setClearButtonEnabled(True)
        self.setFocusProxy(self.search)
        self.list = QListWidget(self)
        self.list.setAccessibleName(name)
        self.list.setItemDelegate(_Delegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._note = labels.Label(self)
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._note.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(self.search)
        column.addWidget(self._note)
        column.addWidget(self.list, 1)
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._choose_current)
        self.list.itemDoubleClicked.connect(self._choose)
        self._filter()

    def set_entries(self, entries: Iterable[object]) -> None:
        """Show these queries, in this order. Usually only one row is added at the top, so the rows of
        unchanged entries are not built again.
        """
        wanted = [self._read(entry) for entry in entries]
        staying = set(wanted)
        for row in reversed(range(len(self._entries))):
            if self._entries[row] not in staying:
                self.list.takeItem(row)
                del self._entries[row]
        for row, entry in enumerate(wanted):
            if row >= len(self._entries) or self._entries[row] != entry:
                self.list.insertItem(row, _item(entry))
                self._entries.insert(row, entry)
        # Entries that moved up were inserted a second time. Their old rows are now at the end.
        while len(self._entries) > len(wanted):
            self.list.takeItem(self.list.count() - 1)
            self._entries.pop()
        self._filter()

    def _filter(self) -> None:
        words = self.search.text().lower().split()
        shown = 0
        for row, entry in enumerate(self._entries):
            item = self.list.item(row)
            hay = f"{entry.title}\n{entry.preview}\n{entry.text}".lower() if words else ""
            hidden = not all(word in hay for word in words)
            if item.isHidden() != hidden:
                item.setHidden(hidden)
            if not hidden and not shown:
                self.list.setCurrentItem(item)
            shown += not hidden
        self._note.setText(self._empty if not self._entries else "Nothing fits these words.")
        self._note.setVisible(not shown)
        self.list.setVisible(bool(shown))

    def _choose(self, item: QListWidgetItem) -> None:
        entry: Entry = item.data(_ENTRY)
        self.chosen.emit(entry.text, item.text())

    def _choose_current(self) -> None:
        item = self.list.currentItem()
        if item is not None and not item.isHidden():
            self._choose(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.list.hasFocus():
            self._choose_current()
            event.accept()
            return
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.list.setFocus()
            event.accept()
            return
        super().keyPressEvent(event)


class _Delegate(QStyledItemDelegate):
    """Draws a bold title above one muted line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(160, 2 * option.fontMetrics.height() + 12)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        palette: QPalette = option.palette
        area: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(area, palette.highlight() if chosen else palette.base())
        text = palette.color(QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text)
        inner = area.adjusted(8, 5, -8, -5)
        font = QFont(option.font)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(text)
        metrics = painter.fontMetrics()
        elide = Qt.TextElideMode.ElideRight
        painter.drawText(
            inner, Qt.AlignmentFlag.AlignTop, metrics.elidedText(str(index.data()), elide, inner.width())
        )
        painter.setFont(option.font)
        view = self.parent()
        if not chosen and isinstance(view, QWidget):
            painter.setPen(colours.of(view, "muted"))
        preview = painter.fontMetrics().elidedText(str(index.data(_PREVIEW)), elide, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignBottom, preview)
        painter.restore()


def _item(entry: Entry) -> QListWidgetItem:
    item = QListWidgetItem(entry.title or _first_line(entry.text))
    item.setData(_ENTRY, entry)
    item.setData(_PREVIEW, entry.preview or _first_line(entry.text))
    item.setToolTip(wording.plain_tip(entry.text[:2_000]))
    item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{item.text()}. {entry.preview}")
    return item


def _first_line(text: str) -> str:
    for line in text.splitlines():
        if line.strip():
            return line.strip()[:300]
    return "(empty query)"
