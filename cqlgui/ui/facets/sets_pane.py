"""The pane of sets: hits that are kept under a name, what can be done with them, and what changed since the
last run of a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFont, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.tasks.analysis import sets
from cqlgui.tasks.results import base_model, search_model
from cqlgui.ui.look import colours, flow, labels, naming, theme, wording
from cqlgui.ui.loop import keys
from cqlgui.ui.panels import narrow

_ABOUT = int(Qt.ItemDataRole.UserRole)
_LONGEST_NAME = 32
"""What changed names a set with at most this number of characters."""
_EMPTY = "No hits are kept. Keep the hits shown, to combine them with those of another query later."
Index = QModelIndex | QPersistentModelIndex


class SetsPane(QWidget):
    """`kept` is emitted when the user wants to keep the hits shown. `chosen` carries a function that makes a
    new result from the result shown, and words. `recalled`, `again`, `inside`, `dropped` and `compared` carry
    the `sets.NamedSet` to show, to search again, to search in, to drop and to compare the hits shown with.
    `renamed` carries a set and its new name. `undo_wanted` is emitted when the user wants the set back that
    was dropped last. `wanted` carries a result that is a part of the changes, and words for it. `widened` is
    emitted when the user wants all hits of the search again."""

    kept = Signal()
    chosen = Signal(object, str)
    recalled = Signal(object)
    again = Signal(object)
    inside = Signal(object)
    renamed = Signal(object, str)
    dropped = Signal(object)
    undo_wanted = Signal()
    compared = Signal(object)
    wanted = Signal(object, str)
    widened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Sets of hits")
        self._listed: tuple[sets.NamedSet, ...] = ()
        self._base: base_model.Base | None = None
        self._seen: tuple[tuple[str, str, str], ...] = ()
        self._can_keep, self._can_undo = False, False
        self._keep = QPushButton("&Keep the hits shown", self)
        self._keep.setToolTip("Keep these hits under a name, also for the next time these games are opened")
        self._keep.clicked.connect(self.kept)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Sets of hits")
        self.list.setItemDelegate(_Delegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setEditTriggers(QListWidget.EditTrigger.EditKeyPressed)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.list.itemActivated.connect(lambda _item: self._on_current(self._open))
        self.list.itemChanged.connect(self._name_changed)
        self.list.currentRowChanged.connect(lambda _row: self._show_state())
        self.setFocusProxy(self.list)
        keys.UndoKey(self, lambda: self._can_undo or self._narrowed.isVisible(), self._undo)
        self._narrowed = labels.Narrowed(self)
        self._narrowed.widened.connect(self.widened)
        self._refusal = labels.Label(self)
        self._refusal.setWordWrap(True)
        self._refusal.setContentsMargins(8, 0, 8, 4)
        self._refusal.setAccessibleName("Why these hits are not kept")
        self._refusal.hide()
        self._note = labels.Label(self)
        self._note.setText(_EMPTY)
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._note.setWordWrap(True)
        self._note.setContentsMargins(12, 0, 12, 0)
        self._buttons = self._make_buttons()
        self._changes = _ChangesBox(self)
        self._changes.wanted.connect(self.wanted)
        self._lay_out()
        theme.theme().changed.connect(self._dress)
        self._dress()
        self._show_state()

    def _make_buttons(self) -> list[QToolButton]:
        show, combine, compare, again = (QToolButton(self) for _ in range(4))
        show.setText("Show")
        show.setToolTip("Show the hits of this set (Enter)")
        show.clicked.connect(lambda: self._on_current(self.recalled.emit))
        combine.setText("Combine ▾")
        # Qt would draw its own arrow over the text.
        combine.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        combine.setToolTip("Combine the hits shown with those of this set")
        combine.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(combine)
        menu.aboutToShow.connect(lambda: self._fill_combining(menu))
        combine.setMenu(menu)
        compare.setText("Compare")
        again.setText("Search again")
        again.setToolTip("Search these games for the query of this set")
        again.clicked.connect(lambda: self._on_current(self.again.emit))
        compare.setToolTip("Find what is added, lost and moved in the hits shown, compared with this set")
        compare.clicked.connect(lambda: self._on_current(self.compared.emit))
        return [show, combine, compare, again]

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(6, 0, 6, 4)
        for button in self._buttons:
            row.addWidget(button)
        row.addStretch(1)
        head = QHBoxLayout()
        head.setContentsMargins(6, 6, 6, 2)
        head.addWidget(self._keep, 1)
        narrowed = QHBoxLayout()
        narrowed.setContentsMargins(8, 0, 6, 0)
        narrowed.addWidget(self._narrowed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        column.addLayout(narrowed)
        column.addWidget(self._refusal)
        column.addWidget(self._changes)
        column.addWidget(self._note, 1)
        column.addWidget(self.list, 1)
        column.addLayout(row)

    def _undo(self) -> None:
        """Bring the set back that was dropped last, or else all hits."""
        (self.undo_wanted if self._can_undo else self.widened).emit()

    def tell_narrowing(self, words: str) -> None:
        """Say to what the hits shown are narrowed, as they are what is kept and combined. Empty words mean
        the whole result."""
        self._narrowed.say(words)

    def show_sets(
        self,
        listed: Sequence[sets.NamedSet],
        base: base_model.Base | None = None,
        *,
        can_keep: bool,
        can_undo: bool,
    ) -> None:
        """Show these sets, the newest first. `base` is the open base; sets of an older state of its files are
        shown as such. `can_keep` says whether there are hits to keep, and `can_undo` whether a set was
        dropped that can come back."""
        self._can_keep, self._can_undo = can_keep, can_undo
        self._refusal.hide()
        current, row = self._current(), self.list.currentRow()
        self._listed, self._base = tuple(listed), base
        # What a set says about its games may change without being seen. A name that is being edited stays.
        seen = tuple((one.key, one.name, self._state_of(one)) for one in listed)
        if seen != self._seen:
            self._seen = seen
            self.list.blockSignals(True)
            self.list.clear()
            for one in reversed(self._listed):
                self.list.addItem(_item(one, self._state_of(one)))
            # In place of a set that was dropped or renewed, the set at its row is chosen.
            found = -1 if current is None else self._row_of(current.key)
            self.list.setCurrentRow(found if found >= 0 else min(max(row, 0), len(listed) - 1))
            self.list.blockSignals(False)
        self._show_state()

    def choose(self, key: str) -> None:
        """Choose the set with a key."""
        self.list.setCurrentRow(self._row_of(key))

    def refuse(self, words: str) -> None:
        """Say why the hits shown are not kept, until the sets or the hits are others."""
        self._refusal.setText(words)
        self._refusal.show()

    def hide_changes(self) -> None:
        """Show no longer what changed."""
        self._changes.hide()

    def show_changes(self, before: sets.NamedSet, after: sets.NamedSet, found: sets.Changes) -> None:
        """Show what is different in `after`, compared with `before`."""
        self._changes.say(before, after, found)

    def _state_of(self, one: sets.NamedSet) -> str:
        """What is unusual about a set, in words."""
        if one.lost:
            return f"no hits, {one.lost}"
        older = self._base is not None and not sets.same_games(one.base, self._base)
        return "of an older state of the base" if older else ""

    def _open(self, one: sets.NamedSet) -> None:
        (self.again if one.lost else self.recalled).emit(one)

    def _row_of(self, key: str) -> int:
        return next((row for row, one in enumerate(reversed(self._listed)) if one.key == key), -1)

    def _current(self) -> sets.NamedSet | None:
        row = self.list.currentRow()
        return self._listed[len(self._listed) - 1 - row] if 0 <= row < len(self._listed) else None

    def _on_current(self, call: Callable[[sets.NamedSet], object]) -> None:
        one = self._current()
        if one is not None:
            call(one)

    def _show_state(self) -> None:
        self._keep.setEnabled(self._can_keep)
        self._show_list()
        show, combine, compare, again = self._buttons
        for button in self._buttons:
            button.setVisible(bool(self._listed))
        one = self._current()
        there = one is not None and not one.lost
        show.setEnabled(there)
        for button in (combine, compare):
            button.setEnabled(there and self._can_keep)
        again.setVisible(one is not None and bool(self._state_of(one)))

    def _show_list(self) -> None:
        """Show the list, or a note in place of an empty list. The focus stays in the pane, where the user can
        bring a dropped set back."""
        shown, other = (self.list, self._note) if self._listed else (self._note, self.list)
        shown.show()
        if other.hasFocus():
            shown.setFocus()
        other.hide()

    def _fill_combining(self, menu: QMenu) -> None:
        menu.clear()
        one = self._current()
        for way, title in narrow.WAYS if one is not None else ():
            assert one is not None
            menu.addAction(title, self._combining(way, one)).setEnabled(self._can_keep)

    def _combining(self, way: str, other: sets.NamedSet) -> Callable[[], None]:
        return lambda: self.chosen.emit(narrow.combining(way, other, self._base), f"{way} {other.name}")

    def menu_for(self, one: sets.NamedSet) -> QMenu:
        """The menu of a set."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        usable = self._can_keep and not one.lost
        menu.addAction("&Show\tEnter", lambda: self.recalled.emit(one)).setEnabled(not one.lost)
        for way, title in narrow.WAYS:
            menu.addAction(title, self._combining(way, one)).setEnabled(usable)
        compare = menu.addAction("&Compare with the hits shown", lambda: self.compared.emit(one))
        compare.setEnabled(usable)
        menu.addAction("Search &again", lambda: self.again.emit(one))
        menu.addAction("Search &in these games only", lambda: self.inside.emit(one)).setEnabled(not one.lost)
        menu.addSeparator()
        rename = QAction("&Rename\tF2", menu)
        rename.triggered.connect(lambda: self.list.editItem(self.list.currentItem()))
        menu.addAction(rename)
        menu.addAction("&Drop\tDelete", lambda: self.dropped.emit(one))
        return menu

    def _open_menu(self, place: QPoint) -> None:
        item = self.list.itemAt(place)
        if item is not None:
            self.list.setCurrentItem(item)
            self._on_current(lambda one: self.menu_for(one).popup(self.list.viewport().mapToGlobal(place)))

    def _name_changed(self, item: QListWidgetItem) -> None:
        row = self.list.row(item)
        one = self._listed[len(self._listed) - 1 - row]
        name = " ".join(item.text().split())
        if name and name != one.name:
            # The list is filled again, so the editor must have closed first.
            QTimer.singleShot(0, self, lambda: self.renamed.emit(one, name))
        elif item.text() != one.name:
            item.setText(one.name)

    def _dress(self) -> None:
        self._note.setStyleSheet(f"color: {theme.colours().muted};")
        self._refusal.setStyleSheet(f"color: {theme.colours().error};")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.list.hasFocus():
            self._on_current(self.dropped.emit)
            event.accept()
            return
        super().keyPressEvent(event)


class _ChangesBox(QWidget):
    """What changed: three buttons that show the hits, and a sentence with the times of the two runs."""

    wanted = Signal(object, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = labels.Label(self)
        self._words.setWordWrap(True)
        # A long name without spaces must not make the window wider.
        self._words.setMinimumWidth(labels.NARROWEST)
        self._close = QToolButton(self)
        self._close.setText("✕")
        self._close.setToolTip("Hide what changed")
        self._close.setAccessibleName("Hide what changed")
        self._close.clicked.connect(self.hide)
        self._row = QWidget(self)
        rules = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        rules.setHeightForWidth(True)
        self._row.setSizePolicy(rules)
        self._flow = flow.Flow(self._row, gap=4)
        self.parts = [QPushButton(self._row) for _ in range(3)]
        for button in self.parts:
            self._flow.addWidget(button)
        head = QHBoxLayout()
        head.addWidget(self._words, 1)
        head.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 6, 6)
        column.addLayout(head)
        column.addWidget(self._row)
        self._shown: list[tuple[search_model.SearchResult, str]] = []
        for number, button in enumerate(self.parts):
            button.clicked.connect(lambda _on=False, number=number: self.wanted.emit(*self._shown[number]))
        self.hide()

    def say(self, before: sets.NamedSet, after: sets.NamedSet, found: sets.Changes) -> None:
        """Show the differences between two sets."""
        name = naming.shortened(before.name, _LONGEST_NAME)
        since = f"Compared with “{name}” of {wording.moment(before.asked)}"
        if sets.key_of(before.query) == sets.key_of(after.query):
            since = f"Since {wording.moment(before.asked)}"
        gone = f" {wording.games(found.gone)} left the base." if found.gone else ""
        if found.altered:
            verb = "matches" if found.altered == 1 else "match"
            gone += f" {wording.games(found.altered)} that changed {verb} no more."
        more = wording.counted(found.hits_added, "more hit", "more hits")
        change = f"{more}, {wording.number(found.hits_lost)} fewer."
        self._words.setText(f"{since}: {change if found else 'nothing changed.'}{gone}")
        self._shown = [
            (found.added, f"added, {after.name}"),
            (found.lost, f"lost, {before.name}"),
            (found.moved, f"moved, {after.name}"),
        ]
        tips = (
            "The hits in games that did not match before",
            "The former hits in games that match no more",
            "The hits in games that match as before, but at other positions",
        )
        for button, (result, _), word, tip in zip(
            self.parts, self._shown, ("added", "lost", "moved"), tips, strict=True
        ):
            button.setText(f"{wording.games(len(result.order))} {word}")
            button.setToolTip(wording.plain_tip(tip))
            button.setEnabled(bool(result.order))
        self._row.setVisible(bool(found))
        self._flow.invalidate()
        self.show()


class _Delegate(QStyledItemDelegate):
    """Draws the name of a set above a muted line about it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(160, 2 * option.fontMetrics.height() + 12)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette: QPalette = option.palette
        view = self.parent()
        assert isinstance(view, QWidget)
        painter.save()
        painter.fillRect(option.rect, palette.highlight() if chosen else palette.base())
        inner = option.rect.adjusted(8, 5, -8, -5)
        ink = palette.color(QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text)
        font = QFont(option.font)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(ink)
        metrics = painter.fontMetrics()
        elide = Qt.TextElideMode.ElideRight
        top, bottom = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignBottom
        painter.drawText(inner, top, metrics.elidedText(str(index.data()), elide, inner.width()))
        painter.setFont(option.font)
        painter.setPen(ink if chosen else colours.of(view, "muted"))
        about = painter.fontMetrics().elidedText(str(index.data(_ABOUT)), elide, inner.width())
        painter.drawText(inner, bottom, about)
        painter.restore()


def _item(one: sets.NamedSet, state: str) -> QListWidgetItem:
    item = QListWidgetItem(wording.straight(one.name))
    counts = f"{wording.hits(one.positions)} in {wording.games(one.games)}"
    about = " · ".join(filter(None, (state, counts, one.base.name, wording.moment(one.asked))))
    item.setData(_ABOUT, about)
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
    item.setToolTip(wording.plain_tip(f"{one.name}\n{about}\n\n{one.query[:2_000]}"))
    item.setData(int(Qt.ItemDataRole.AccessibleTextRole), f"{one.name}. {about}")
    return item
