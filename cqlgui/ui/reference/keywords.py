"""The help pane: every keyword of CQL with its forms, its meaning and an example to insert or to run."""

from __future__ import annotations

import html

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from cqlgui.cql.vocabulary import registry
from cqlgui.ui.editor import hover
from cqlgui.ui.look import colours, labels, room, wording

_ROW = Qt.ItemDataRole.UserRole


class HelpPane(QWidget):
    """A search box, a list and an article. `insert_wanted` carries an example to insert at the caret.
    `run_wanted` carries an example to run and its title.
    """

    insert_wanted = Signal(str)
    run_wanted = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Help")
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Search keywords, signs and meanings")
        self.search.setAccessibleName("Search the help")
        self.search.setClearButtonEnabled(True)
        self.setFocusProxy(self.search)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Keywords")
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.article = labels.Page(self)
        self.article.setAccessibleName("Help on the keyword")
        self.article.setFrameShape(labels.Page.Shape.NoFrame)
        self.insert = QPushButton("Insert example", self)
        self.insert.setToolTip("Put the example where the caret stands")
        self.run = QPushButton("Run example", self)
        self.run.setToolTip("Put the example in the editor's place and search with it")
        self._lay_out()
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._insert)
        self.list.currentItemChanged.connect(lambda item, _former: self._show(item))
        self.list.itemDoubleClicked.connect(lambda _item: self._insert())
        self.insert.clicked.connect(self._insert)
        self.run.clicked.connect(self._run)
        self._fill()

    @property
    def current(self) -> registry.Row | None:
        """The keyword shown."""
        return _row(self.list.currentItem())

    def show_word(self, word: str) -> bool:
        """Show a keyword or sign. Returns False if CQL does not have it."""
        row = registry.lookup(word)
        if row is None:
            return False
        self.search.clear()
        for place in range(self.list.count()):
            item = self.list.item(place)
            if _row(item) == row:
                self.list.setCurrentItem(item)
                self.list.scrollToItem(item, QListWidget.ScrollHint.PositionAtCenter)
                return True
        return False

    def words(self) -> list[str]:
        """The keywords in view, in order."""
        rows = (self.list.item(place) for place in range(self.list.count()))
        return [row.name for item in rows if not item.isHidden() and (row := _row(item))]

    def _fill(self) -> None:
        for row in sorted(registry.public(), key=_order):
            item = QListWidgetItem(f"{row.name}   {row.sign}" if row.sign else row.name)
            item.setData(_ROW, row)
            item.setToolTip(wording.plain_tip(row.meaning))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{row.name}: {row.meaning}")
            self.list.addItem(item)
        self._colour()
        self.list.setCurrentRow(0)

    def _colour(self) -> None:
        """Show keywords in a muted colour if they are deprecated or mean nothing in a query."""
        muted = colours.of(self, "muted")
        for place in range(self.list.count()):
            item = self.list.item(place)
            row = _row(item)
            if row is not None and (row.status or row.kind == "internal"):
                item.setForeground(muted)

    def _filter(self) -> None:
        """Hide keywords that lack a word of the search text, and select one of the keywords shown. The first
        choice is the keyword with the search text as its name or sign. The second choice is the first keyword
        with a name that begins with the search text. The last choice is the first keyword shown.
        """
        sought = self.search.text().strip().casefold()
        words = sought.split()
        best: tuple[int, int] | None = None
        for place in range(self.list.count()):
            item = self.list.item(place)
            row = _row(item)
            assert row is not None
            hay = "\n".join((row.name, row.sign, row.kind, row.meaning, *row.forms)).casefold()
            fits = all(word in hay for word in words)
            item.setHidden(not fits)
            if fits:
                name = row.name.casefold()
                rank = 0 if sought in (name, row.sign.casefold()) else 1 if name.startswith(sought) else 2
                best = min(best or (rank, place), (rank, place))
        if best is None:
            self.list.setCurrentRow(-1)
        else:
            self.list.setCurrentRow(best[1])
            self.list.scrollToItem(self.list.item(best[1]))

    def _show(self, item: QListWidgetItem | None) -> None:
        row = _row(item)
        self.article.setHtml("" if row is None else _article(row, colours.of(self, "muted").name()))
        usable = row is not None and bool(row.example)
        self.insert.setEnabled(usable)
        self.run.setEnabled(usable)

    def _insert(self) -> None:
        row = self.current
        if row is not None and row.example:
            self.insert_wanted.emit(row.example)

    def _run(self) -> None:
        row = self.current
        if row is not None and row.example:
            self.run_wanted.emit(row.example, f"Example of {row.name}")

    def _lay_out(self) -> None:
        upper = QWidget(self)
        column = QVBoxLayout(upper)
        column.setContentsMargins(6, 6, 6, 0)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        lower = QWidget(self)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(8, 4, 8, 6)
        buttons.addStretch(1)
        buttons.addWidget(self.insert)
        buttons.addWidget(self.run)
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 0, 0, 0)
        below.addWidget(self.article, 1)
        below.addLayout(buttons)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.setChildrenCollapsible(False)
        split.addWidget(upper)
        split.addWidget(lower)
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 1)
        split.setSizes([130, 200])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(room.Room(split, self))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "run"):
            self._colour()
            self._show(self.list.currentItem())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and self.search.hasFocus():
            self.list.setFocus()
            event.accept()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.list.hasFocus():
            self._insert()
            event.accept()
        else:
            super().keyPressEvent(event)


def _row(item: QListWidgetItem | None) -> registry.Row | None:
    found = item.data(_ROW) if item is not None else None
    return found if isinstance(found, registry.Row) else None


def _order(row: registry.Row) -> tuple[bool, str, str]:
    """Sort key: words before signs, both in alphabetical order."""
    return not row.name[0].isalpha(), row.name.casefold(), row.name


def _article(row: registry.Row, muted: str) -> str:
    """A keyword as a page: name, meaning, example, forms."""
    sign = f" &nbsp;<span style='font-weight:normal'>{html.escape(row.sign)}</span>" if row.sign else ""
    parts = [
        f"<h3 style='margin:2px 0 0 0'>{html.escape(row.name)}{sign}</h3>",
        f"<p style='margin:0;color:{muted}'>{html.escape(', '.join(row.notes))}</p>",
        f"<p style='margin:8px 0'>{hover.meaning_html(row)}</p>",
    ]
    # The example stands before the forms: the buttons below act on the example, so it should be in view.
    if row.example:
        parts.append(
            f"<p style='margin:0;color:{muted}'>Example</p>"
            f"<p style='margin:0'><code>{html.escape(row.example)}</code></p>"
        )
    if row.forms:
        forms = "<br>".join(html.escape(form) for form in row.forms)
        parts.append(
            f"<p style='margin:8px 0 0 0;color:{muted}'>Forms</p><p style='margin:0'><code>{forms}</code></p>"
        )
    return "".join(parts)
