"""The library of queries: a tree of folders with a search field, and a preview of the current query."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cqlgui.tasks.asking import library
from cqlgui.tasks.results import entry_model
from cqlgui.ui.board import diagram
from cqlgui.ui.editor import highlight
from cqlgui.ui.look import colours, fonts, labels, room, wording

_ENTRY = Qt.ItemDataRole.UserRole
_LINES = 4
"""At its smallest size, the preview shows this many lines of a query."""
_EMPTY = "No saved queries yet. Save one, and it is listed here."
_READING = "Reading the library ..."


class LibraryPane(QWidget):
    """Enter or a double click runs a query: `run_wanted` carries its text and title. `chosen` carries text
    and title of a query that is only put into the editor.
    """

    chosen = Signal(str, str)
    run_wanted = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Library")
        self._entries: list[entry_model.QueryEntry] = []
        self._empty = _READING
        # Which groups were open before a search in the library opened more groups. This is None while there
        # is no search.
        self._open_before: dict[tuple[str, ...], bool] | None = None
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Search titles, words and tags")
        self.search.setAccessibleName("Search the library")
        self.search.setClearButtonEnabled(True)
        self.setFocusProxy(self.search)
        self.tree = QTreeWidget(self)
        self.tree.setAccessibleName("Queries of the library")
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(14)
        self.tree.setUniformRowHeights(True)
        self.tree.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.tree.setExpandsOnDoubleClick(True)
        self._note = labels.Label(self)
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._note.setWordWrap(True)
        self.preview = Preview(self)
        self.split = split = QSplitter(Qt.Orientation.Vertical, self)
        upper = QWidget(split)
        column = QVBoxLayout(upper)
        column.setContentsMargins(6, 4, 6, 0)
        column.setSpacing(4)
        column.addWidget(self.search)
        column.addWidget(self._note)
        column.addWidget(self.tree, 1)
        split.addWidget(upper)
        split.addWidget(self.preview)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 1)
        # If there is little height, the tree has priority. The preview shrinks, and the user may close it
        # with the divider.
        split.setCollapsible(0, False)
        split.setCollapsible(1, True)
        split.setSizes([280, 160])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(room.Room(split, self))
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._run_current)
        self.tree.itemDoubleClicked.connect(lambda item, _column: self._run(item))
        self.tree.currentItemChanged.connect(lambda item, _former: self._show(item))
        self.preview.run.clicked.connect(self._run_current)
        self.preview.edit.clicked.connect(self._choose_current)
        self.preview.tag_chosen.connect(self.search.setText)
        self._fill()

    def set_entries(self, entries: Iterable[entry_model.QueryEntry]) -> None:
        """Show these queries, in this order. Current item and scroll position are kept if possible."""
        found = list(entries)
        if found != self._entries or self._empty != _EMPTY:
            self._empty = _EMPTY
            self._entries = found
            self._fill()

    @property
    def current(self) -> entry_model.QueryEntry | None:
        """The query in the preview, even while a group is current; None while the preview is hidden."""
        return None if self.preview.isHidden() else self.preview.entry

    def titles(self) -> list[str]:
        """The titles that are not hidden, from top to bottom."""
        return [entry.title for item in self._leaves() if (entry := _entry(item)) and not item.isHidden()]

    def _fill(self) -> None:
        former = self._folders()
        closed = {path for path, item in former.items() if not item.isExpanded()}
        known = bool(former)
        item_before = self.tree.currentItem()
        entry_before = _entry(item_before)
        group = next((path for path, item in former.items() if item is item_before), None)
        scrolled = self.tree.verticalScrollBar().value()
        self.tree.blockSignals(True)
        self.tree.clear()
        folders: dict[tuple[str, ...], QTreeWidgetItem] = {}
        for entry in self._entries:
            item = QTreeWidgetItem(_folder(self.tree, folders, entry.group), [entry.title])
            item.setData(0, _ENTRY, entry)
            item.setToolTip(0, wording.plain_tip(entry.description))
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{entry.title}. {entry.description}")
            if entry_before is not None and entry.path == entry_before.path:
                self.tree.setCurrentItem(item)
        # At first the groups of a long library are closed, and the groups of a short library are open.
        for path, item in folders.items():
            item.setExpanded(path not in closed if known else len(self._entries) <= 60)
        shown = self.preview.entry
        kept = next((entry for entry in self._entries if shown and entry.path == shown.path), None)
        if kept is not None:
            self.preview.show_entry(kept)
            if group in folders:
                self.tree.setCurrentItem(folders[group])
        self.tree.blockSignals(False)
        self._filter()
        self._show(self.tree.currentItem())
        self.tree.doItemsLayout()
        self.tree.verticalScrollBar().setValue(scrolled)

    def _folders(self) -> dict[tuple[str, ...], QTreeWidgetItem]:
        found: dict[tuple[str, ...], QTreeWidgetItem] = {}
        pending: list[tuple[QTreeWidgetItem, tuple[str, ...]]] = [
            (item, ()) for item in _children(self.tree.invisibleRootItem())
        ]
        while pending:
            item, above = pending.pop()
            if _entry(item) is None:
                path = (*above, item.data(0, Qt.ItemDataRole.UserRole + 1))
                found[path] = item
                pending += [(child, path) for child in _children(item)]
        return found

    def _leaves(self) -> list[QTreeWidgetItem]:
        found: list[QTreeWidgetItem] = []
        pending = [self.tree.invisibleRootItem()]
        while pending:
            item = pending.pop()
            if _entry(item) is not None:
                found.append(item)
            pending += _children(item)[::-1]
        return found

    def _filter(self) -> None:
        words = self.search.text().casefold().split()
        if words and self._open_before is None:
            self._open_before = {path: item.isExpanded() for path, item in self._folders().items()}
        first: QTreeWidgetItem | None = None
        current = self.tree.currentItem()
        for item in self._leaves():
            entry = _entry(item)
            assert entry is not None
            hay = "\n".join(
                (entry.title, entry.description, *entry.tags, *entry.group, entry.text)
            ).casefold()
            fits = all(word in hay for word in words)
            item.setHidden(not fits)
            if fits and first is None:
                first = item
        for folder in sorted(self._folders().items(), key=lambda pair: -len(pair[0])):
            item = folder[1]
            shown = sum(not child.isHidden() for child in _children(item))
            item.setHidden(not shown)
            name = item.data(0, Qt.ItemDataRole.UserRole + 1)
            item.setText(0, f"{name} ({shown})")
            if words and shown:
                item.setExpanded(True)
        # While the user searches, the current item must be a query, not a group.
        if first is not None and (
            current is None or current.isHidden() or (words and _entry(current) is None)
        ):
            self.tree.setCurrentItem(first)
        if not words and self._open_before is not None:
            for path, item in self._folders().items():
                item.setExpanded(self._open_before.get(path, item.isExpanded()))
            self._open_before = None
            self._reveal_current()
        self._note.setText("Nothing fits these words." if self._entries else self._empty)
        self._note.setVisible(first is None)
        self.tree.setVisible(first is not None)
        self.preview.setVisible(first is not None)

    def _reveal_current(self) -> None:
        """Keep the current query in view: open the groups around it and scroll to it."""
        current: QTreeWidgetItem | None = self.tree.currentItem()
        if current is not None and _entry(current) is not None:
            above: QTreeWidgetItem | None = current.parent()
            while above is not None:
                above.setExpanded(True)
                above = above.parent()
            self.tree.scrollToItem(current)

    def _show(self, item: QTreeWidgetItem | None) -> None:
        entry = _entry(item)
        if entry is not None:
            self.preview.show_entry(entry)

    def _run(self, item: QTreeWidgetItem) -> None:
        entry = _entry(item)
        if entry is not None:
            self.run_wanted.emit(entry.text, entry.title)

    def _run_current(self) -> None:
        entry = self.current
        if entry is not None:
            self.run_wanted.emit(entry.text, entry.title)

    def _choose_current(self) -> None:
        entry = self.current
        if entry is not None:
            self.chosen.emit(entry.text, entry.title)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.tree.hasFocus():
            item = self.tree.currentItem()
            if item is not None and _entry(item) is None:
                item.setExpanded(not item.isExpanded())
            else:
                self._run_current()
            event.accept()
        elif event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.tree.setFocus()
            event.accept()
        else:
            super().keyPressEvent(event)


class Preview(QWidget):
    """Title, description, tags, diagram and text of a query. `tag_chosen` carries a tag that was clicked."""

    tag_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry: entry_model.QueryEntry | None = None
        self._tagged: tuple[str, ...] = ()
        self._title = labels.Label(self)
        font = QFont(self._title.font())
        font.setBold(True)
        self._title.setFont(font)
        self._words = labels.Label(self)
        self._tags = labels.Markup(self)
        for label in (self._title, self._words, self._tags):
            label.setWordWrap(True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.diagram = diagram.Diagram(self)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Text of the query")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.text.setFont(fonts.fixed())
        above = math.ceil(self.text.document().documentMargin())
        self.text.setMinimumHeight(_LINES * self.text.fontMetrics().lineSpacing() + above)
        self._colours = highlight.Highlighter(self.text)
        self.run = QPushButton("Run", self)
        self.run.setToolTip("Put it into the editor and search with it (Enter or a double click)")
        self.edit = QPushButton("Put into the editor", self)
        self._lay_out()
        self._tags.linkActivated.connect(lambda link: self.tag_chosen.emit(QUrl(link).path()))

    def show_entry(self, entry: entry_model.QueryEntry) -> None:
        """Show a query, which becomes `entry`."""
        self.entry = entry
        self._title.setText(entry.title)
        self._words.setText(entry.description)
        self._words.setVisible(bool(entry.description))
        self._tagged = entry.tags
        self._show_tags()
        self.diagram.set_fen(entry.fen)
        self.text.setPlainText(library.body(entry.text))

    def _show_tags(self) -> None:
        colour = colours.of(self, "link").name()
        links = (
            f'<a style="color:{colour}" href="tag:{html.escape(tag)}">{html.escape(tag)}</a>'
            for tag in self._tagged
        )
        self._tags.setText(" &nbsp; ".join(links))
        self._tags.setVisible(bool(self._tagged))

    def _lay_out(self) -> None:
        inner = QWidget()
        words = QVBoxLayout(inner)
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(4)
        words.addWidget(self._title)
        words.addWidget(self._words)
        words.addWidget(self._tags)
        words.addStretch(1)
        self._room = QScrollArea(self)
        self._room.setWidgetResizable(True)
        self._room.setFrameShape(QScrollArea.Shape.NoFrame)
        self._room.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._room.setWidget(inner)
        top = QHBoxLayout()
        top.setContentsMargins(8, 3, 0, 3)
        top.setSpacing(10)
        # Words can scroll, but the diagram cannot. So the diagram is drawn smaller if there is little room.
        top.addWidget(self.diagram, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self._room, 1)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(8, 3, 8, 3)
        buttons.addStretch(1)
        buttons.addWidget(self.edit)
        buttons.addWidget(self.run)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top, 4)
        column.addWidget(self.text, 3)
        column.addLayout(buttons)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_colours"):
            self._colours.recolour()
            self._show_tags()
            # The text may get the new palette later than this widget, so the text is coloured once more.
            QTimer.singleShot(0, self, self._colours.recolour)


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    return [child for i in range(item.childCount()) if (child := item.child(i)) is not None]


def _entry(item: QTreeWidgetItem | None) -> entry_model.QueryEntry | None:
    found = item.data(0, _ENTRY) if item is not None else None
    return found if isinstance(found, entry_model.QueryEntry) else None


def _folder(
    tree: QTreeWidget, folders: dict[tuple[str, ...], QTreeWidgetItem], group: tuple[str, ...]
) -> QTreeWidgetItem:
    """The item of a group, created with its parents if needed; the tree's root for an empty group."""
    if not group:
        return tree.invisibleRootItem()
    if group not in folders:
        item = QTreeWidgetItem(_folder(tree, folders, group[:-1]), [group[-1]])
        item.setData(0, Qt.ItemDataRole.UserRole + 1, group[-1])
        item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsSelectable)
        folders[group] = item
    return folders[group]
