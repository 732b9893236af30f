"""The manual in a window of its own: the pages of `resources/manual`, and a search in them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent, QTextCursor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QListWidget, QVBoxLayout, QWidget

from cqlgui.base.files import resources
from cqlgui.ui.look import fitting, labels

_LIST_WIDTH = 190


class ManualDialog(QDialog):
    """A list of pages, the current page, and a field that searches all pages."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Manual")
        self.setModal(False)
        self._pages = pages()
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Find in the manual")
        self.search.setAccessibleName("Find in the manual")
        self.search.setClearButtonEnabled(True)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Pages of the manual")
        self.list.addItems([title for title, _ in self._pages])
        self.list.setFixedWidth(_LIST_WIDTH)
        self.list.setSpacing(2)
        self.page = labels.Page(self)
        self.page.setAccessibleName("Page of the manual")
        left = QVBoxLayout()
        left.addWidget(self.search)
        left.addWidget(self.list, 1)
        self.search.setFixedWidth(_LIST_WIDTH)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(12, 12, 12, 12)
        whole.setSpacing(10)
        whole.addLayout(left)
        whole.addWidget(self.page, 1)
        self.resize(900, 600)
        self.list.currentRowChanged.connect(self._show)
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._find_next)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.search.setFocus)
        QShortcut(QKeySequence(QKeySequence.StandardKey.FindNext), self, self._find_next)
        self.list.setCurrentRow(0)
        self.list.setFocus()

    def _show(self, row: int) -> None:
        self.page.setMarkdown(self._pages[row][1] if row >= 0 else "")
        self.page.document().setDocumentMargin(14)
        # By default the cells of a table have no padding, so padding is added here.
        for frame in self.page.document().rootFrame().childFrames():
            form = frame.format().toTableFormat()
            if form.isValid():
                form.setCellPadding(4)
                form.setCellSpacing(0)
                form.setBorderCollapse(True)
                frame.setFrameFormat(form)
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        if self.search.text():
            self.page.find(self.search.text())

    def _filter(self, sought: str) -> None:
        """Hide pages without the text sought, and show the first occurrence of the text."""
        fits = [sought.casefold() in f"{title}\n{text}".casefold() for title, text in self._pages]
        for row, fit in enumerate(fits):
            self.list.item(row).setHidden(not fit)
        row = self.list.currentRow()
        if not (row >= 0 and fits[row]):
            self.list.setCurrentRow(fits.index(True) if True in fits else -1)
        else:
            self._show(row)

    def _find_next(self) -> None:
        """Go to the next occurrence on any page. After the last page, the search goes on with the first
        page."""
        if not self.search.text() or self.page.find(self.search.text()):
            return
        rows = [row for row in range(self.list.count()) if not self.list.item(row).isHidden()]
        if rows:
            after = [row for row in rows if row > self.list.currentRow()]
            following = (after or rows)[0]
            if following == self.list.currentRow():
                self._show(following)
            else:
                self.list.setCurrentRow(following)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fitting.fit(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "page"):
            # Markdown gets its colours when it is read, so the page is read again.
            self._show(self.list.currentRow())


def pages() -> list[tuple[str, str]]:
    """Title and Markdown text of each page, in order. The title is the page's first heading."""
    files = sorted(Path(resources.resource("manual")).glob("*.md"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    return [(text.partition("\n")[0].removeprefix("# "), text) for text in texts]
