"""The transform picker: toggles, the chosen chain in order, the orbit it makes.

Edits the query through the editor.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.tasks import model, orbits
from cqlgui.ui import room
from cqlgui.ui.editor import colours, latest
from cqlgui.ui.editor import panel as editor_panel
from cqlgui.ui.panels import labels, wording
from cqlgui.ui.picker import chain, icons, strip, words

ORBIT_DELAY = 60  # milliseconds after the last change of the text
_SYNC_DELAY = 30  # milliseconds after the last move of the caret
_COLUMNS = 2


_TOGGLE = """
QToolButton {{ border: 1px solid {0.border}; border-radius: 5px; padding: 3px 5px; background: transparent; }}
QToolButton:hover {{ border-color: {0.accent}; background: transparent; color: {0.text}; }}
QToolButton:focus {{ border-color: {0.accent}; }}
QToolButton:checked {{ background: {0.selection}; color: {0.selection_text}; border: 1px solid {0.accent};
    font-weight: bold; }}
QToolButton:disabled {{ color: {0.disabled}; }}
"""


class PickerPanel(QWidget):
    """Ten toggles that put transforms on the filter at the caret (or the selection) and take them off.

    Signals name an orbit by its index in the query and an element by its index in the orbit.
    """

    element_hovered = Signal(int, int)
    element_left = Signal()
    element_chosen = Signal(int, int)
    selection_cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Transform picker")
        self._editor: editor_panel.EditorPanel | None = None
        self._chain = chain.Chain()
        self._orbits: tuple[model.Orbit, ...] = ()
        self._counts: tuple[model.Orbit, ...] = ()
        self._shown = -1
        self._filling = False
        self._held = False
        self._asker = latest.Latest(orbits.orbits, ORBIT_DELAY, self)
        self._asker.answered.connect(self._orbits_found)
        self._asker.refused.connect(lambda _text, _why: self.set_orbits(()))
        self._sync = QTimer(self)
        self._sync.setSingleShot(True)
        self._sync.setInterval(_SYNC_DELAY)
        self._sync.timeout.connect(self._follow_caret)
        # Made in the order in which Tab goes through them.
        self.toggles = {choice.word: QToolButton(self) for choice in words.CHOICES}
        self.chosen_list = QListWidget(self)
        self.up, self.down = QToolButton(self), QToolButton(self)
        self.counts_box = QToolButton(self)
        self.counts_box.setText("count elements")
        self.counts_box.setCheckable(True)
        self.counts_box.setAccessibleName("Count matching elements")
        self.counts_box.setToolTip(
            "count: the value is the number of elements that match, instead of whether one does"
        )
        self.apply_button, self.remove_button = QPushButton("Apply", self), QPushButton("Remove", self)
        self.funnel = labels.Label(self)
        self.view = strip.ElementsView(self)
        self.dropped_button = QToolButton(self)
        self.dropped_list = QListWidget(self)
        self._lay_out()
        self._connect()
        self._show_chain()
        self._show_orbit()

    def attach(self, editor: editor_panel.EditorPanel) -> None:
        """Work on this editor's query from now on; called once."""
        self._editor = editor
        editor.text_changed.connect(self._text_changed)
        editor.caret_moved.connect(lambda _offset: self._sync.start())
        editor.diagnostics_changed.connect(lambda _found: self._sync.start())
        editor.path_changed.connect(lambda _path: self._text_replaced())
        self._text_changed(editor.text())

    def set_orbits(self, found: tuple[model.Orbit, ...]) -> None:
        """Show the orbits of the query as it stands; figures of another query's search are forgotten."""
        self._orbits = found
        if not _same_elements(found, self._counts):
            self._counts = ()
        self._follow_caret()

    def set_counts(self, counted: tuple[model.Orbit, ...]) -> None:
        """Show the figures of a running or finished search beside the elements; an empty tuple takes them
        away."""
        self._counts = counted
        self._show_orbit()

    def element(self, orbit: int, element: int) -> model.ElementCount | None:
        """An element of the orbits shown, None when the query has changed since."""
        if 0 <= orbit < len(self._orbits) and 0 <= element < len(self._orbits[orbit].elements):
            return self._orbits[orbit].elements[element]
        return None

    def clear_selection(self) -> None:
        """Limit to no element."""
        self.view.clear()

    def shut_down(self) -> None:
        """Stop the background work, before the window closes."""
        self._sync.stop()
        self._asker.close()

    # --- choosing -------------------------------------------------------------------------------------------

    def apply(self) -> None:
        """Put a choice that was made before there was a query on the selection, or on the whole query."""
        start, end = self._place()
        if start == end:
            start, end = chain.whole(self._text())
        self._held = False
        self._change(self._chain, start, end)

    def remove(self) -> None:
        """Take the chain at the caret off its filter."""
        self._settle()
        self._change(chain.Chain(), *self._caret())

    def _toggled(self, word: str, on: bool) -> None:
        if self._filling:
            return
        self._settle()
        place = self._caret()
        before = self._chain
        if on and not self._held and self._place() != place:
            # A selection is wrapped by this one alone, or joins the chain that it is the operand of.
            place = self._place()
            before = chain.over(self._text(), *place)
        names = [name for name in before.words if name != word]
        # A transform chosen later acts on the outside of what is there already.
        wanted = (word, *names) if on else tuple(names)
        self._change(chain.Chain(wanted, before.counts and bool(wanted)), *place)

    def _moved(self, by: int) -> None:
        row = self.chosen_list.currentRow()
        names = list(self._chain.words)
        if not 0 <= row < len(names) or not 0 <= row + by < len(names):
            return
        names[row], names[row + by] = names[row + by], names[row]
        self._change(chain.Chain(tuple(names), self._chain.counts), *self._caret())
        self.chosen_list.setCurrentRow(row + by)

    def _dragged(self) -> None:
        if not self._filling:
            names = tuple(
                str(self.chosen_list.item(row).data(Qt.ItemDataRole.UserRole))
                for row in range(self.chosen_list.count())
            )
            self._change(chain.Chain(names, self._chain.counts), *self._caret())

    def _count_toggled(self, on: bool) -> None:
        if not self._filling:
            self._settle()
            self._change(chain.Chain(self._chain.words, on), *self._caret())

    def _change(self, wanted: chain.Chain, start: int, end: int) -> None:
        """Edit the query so that `wanted` stands at a place.

        While there is no query, or one with errors, its filters are not known: the choice is held until
        `apply`, or until another query comes in.
        """
        editor, text = self._editor, self._text()
        self._chain = wanted
        self._held = self._held or editor is None or not chain.readable(text)
        if editor is not None and not self._held:
            joined = start != end and bool(chain.over(text, start, end).words)
            if start == end:
                reached = chain.reached(text, start)
                if reached != start:
                    start = end = reached
                    editor.edit.select(start, start)
            edit = chain.changed(text, start, end, wanted)
            if edit is not None:
                editor.replace(edit.start, edit.end, edit.text)
            if start != end:
                # What was selected is wrapped now; further clicks mean the chain round it.
                place = -1 if joined or not wanted.words else editor.text().find(wanted.words[0], start)
                place = editor.selection()[0] if place < 0 else place
                editor.edit.select(place, place)
            self._sync.start()
        self._held = self._held and bool(wanted.words)
        self._show_chain()
        self._show_orbit()

    # --- following ------------------------------------------------------------------------------------------

    def _text(self) -> str:
        return "" if self._editor is None else self._editor.text()

    def _caret(self) -> tuple[int, int]:
        caret = 0 if self._editor is None else self._editor.caret()
        return caret, caret

    def _place(self) -> tuple[int, int]:
        """What is selected of the query's body, or the caret twice: the header takes no transform."""
        start, end = (0, 0) if self._editor is None else self._editor.selection()
        if start != end and chain.readable(self._text()):
            first, last = chain.whole(self._text())
            start, end = max(start, first), min(end, last)
        return (start, end) if start < end else self._caret()

    def _text_changed(self, text: str) -> None:
        # What is previewed may be no element of this text.
        self.view.end_preview()
        self._asker.ask(text)
        self._sync.start()

    def _text_replaced(self) -> None:
        self._held = False
        self._sync.start()

    def _orbits_found(self, text: str, found: tuple[model.Orbit, ...]) -> None:
        if self._editor is None or text == self._editor.text():
            self.set_orbits(found)

    def _settle(self) -> None:
        """The text or the caret moved a moment ago: a click means the chain as it stands now."""
        if self._sync.isActive():
            self._sync.stop()
            self._read_chain()

    def _follow_caret(self) -> None:
        if self._editor is not None and self._editor.checking:
            # The text is being checked off this thread; the answer brings us back here, at no cost then.
            return
        self._read_chain()
        self._show_orbit()

    def _read_chain(self) -> None:
        if self._editor is not None and not self._held:
            # A caret in the header or a comment means the filter that a click would change.
            text = self._text()
            self._chain = chain.at(text, chain.reached(text, self._editor.caret()))
        self._show_chain()

    def _current_orbit(self) -> int:
        """Index of the orbit whose text the caret touches, else of the first; -1 without any."""
        if not self._orbits:
            return -1
        caret = self._editor.caret() if self._editor is not None else 0
        for place, orbit in enumerate(self._orbits):
            if orbit.offset <= caret <= orbit.offset + orbit.length:
                return place
        return 0

    # --- showing --------------------------------------------------------------------------------------------

    def _show_chain(self) -> None:
        self._filling = True
        for word, button in self.toggles.items():
            button.setChecked(word in self._chain.words)
        row = self.chosen_list.currentRow()
        shown = [
            self.chosen_list.item(at).data(Qt.ItemDataRole.UserRole) for at in range(self.chosen_list.count())
        ]
        if shown != list(self._chain.words):
            self.chosen_list.clear()
            for place, word in enumerate(self._chain.words):
                self.chosen_list.addItem(f"{place + 1}. {word}")
                item = self.chosen_list.item(place)
                item.setData(Qt.ItemDataRole.UserRole, word)
                item.setToolTip(wording.plain_tip(words.BY_WORD[word].meaning))
            self.chosen_list.setCurrentRow(min(max(row, 0), len(self._chain.words) - 1))
        self.counts_box.setChecked(self._chain.counts)
        many = bool(self._chain.words)
        self.counts_box.setEnabled(many)
        self.apply_button.setVisible(self._held)
        self.apply_button.setEnabled(self._held and chain.readable(self._text()))
        self.remove_button.setEnabled(many)
        self.up.setEnabled(len(self._chain.words) > 1)
        self.down.setEnabled(len(self._chain.words) > 1)
        self._size_chain()
        self._filling = False

    def _size_chain(self) -> None:
        """As many lines as the chosen transforms need at this width."""
        last = self.chosen_list.item(self.chosen_list.count() - 1)
        line = self.fontMetrics().height() + 10
        bottom = self.chosen_list.visualItemRect(last).bottom() + 5 if last is not None else line
        self.chosen_list.setFixedHeight(max(line, bottom))

    def _show_orbit(self) -> None:
        place = self._current_orbit()
        if place != self._shown:
            self.view.clear()
            self._shown = place
        if place < 0:
            self.funnel.setText(self._nothing())
            self.view.elements.show_elements((), counted=False)
            self._show_dropped(())
            return
        orbit = self._orbits[place]
        counted = place < len(self._counts) and len(self._counts[place].elements) == len(orbit.elements)
        elements = self._counts[place].elements if counted else orbit.elements
        valid = len(orbit.elements) + len(orbit.duplicates)
        self.funnel.setText(words.funnel(valid + len(orbit.invalid), valid, len(orbit.elements)))
        if self.view.limited >= len(elements):
            self.view.clear()
        self.view.elements.show_elements(elements, counted=counted)
        self._show_dropped((*orbit.invalid, *orbit.duplicates))

    def _nothing(self) -> str:
        """Why no orbit is shown."""
        if self._editor is not None and self._editor.checking:
            # The answer of the check brings us back here, and is not waited for on this thread.
            return self.funnel.text()
        if self._held:
            return "Write a query without errors, then press Apply."
        if not self._text().strip():
            return "Write a query, or choose a transform to begin with."
        if not chain.readable(self._text()):
            return "Mend the query to see what its transforms make of it."
        return "No transform in the query: choose one above."

    def _show_dropped(self, dropped: tuple[model.Dropped, ...]) -> None:
        self.dropped_button.setText(
            f"{'▾' if self.dropped_button.isChecked() else '▸'} {len(dropped):,} dropped"
        )
        self.dropped_button.setVisible(bool(dropped))
        opened = bool(dropped) and self.dropped_button.isChecked()
        self.dropped_list.setVisible(opened)
        if opened:
            rows = [f"{one.words or one.transform}: {one.reason}" for one in dropped]
            self.dropped_list.clear()
            for row in rows:
                item = QListWidgetItem(row)
                item.setToolTip(wording.plain_tip(row))
                self.dropped_list.addItem(item)

    # --- parts ----------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setSpacing(3)
        for place, choice in enumerate(words.CHOICES):
            button = self.toggles[choice.word]
            button.setText(choice.word)
            button.setCheckable(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(QSize(20, 20))
            button.setSizePolicy(self.sizePolicy().Policy.Expanding, self.sizePolicy().Policy.Fixed)
            button.setToolTip(wording.markup_tip(f"<b>{choice.title}</b><br>{choice.meaning}"))
            button.setAccessibleName(f"{choice.word}: {choice.title}")
            button.setAccessibleDescription(choice.meaning)
            grid.addWidget(button, place // _COLUMNS, place % _COLUMNS)
        self._paint_icons()
        self.chosen_list.setAccessibleName("Chosen transforms, outermost first")
        self.chosen_list.setToolTip("Outermost first; drag to change the order")
        self.chosen_list.setFlow(QListWidget.Flow.LeftToRight)
        self.chosen_list.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.chosen_list.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.chosen_list.setWrapping(True)
        self.chosen_list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.chosen_list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.chosen_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.chosen_list.setSpacing(2)
        self._size_chain()
        for button, sign, name in ((self.up, "◀", "Move outwards"), (self.down, "▶", "Move inwards")):
            button.setText(sign)
            button.setToolTip(wording.plain_tip(name))
            button.setAccessibleName(name)
        self.apply_button.setToolTip(
            "Put these transforms before the selection, or before the filter at the caret"
        )
        self.remove_button.setToolTip("Take the transforms off the filter at the caret")
        self.funnel.setAccessibleName("Size of the orbit")
        self.funnel.setWordWrap(True)
        self.dropped_button.setCheckable(True)
        self.dropped_button.setAutoRaise(True)
        self.dropped_button.setToolTip("Candidates that cannot match or repeat another element")
        self.dropped_list.setAccessibleName("Dropped candidates, each with its reason")
        self.dropped_list.setUniformItemSizes(True)
        self.dropped_list.setMaximumHeight(120)
        self.dropped_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.dropped_list.setTextElideMode(Qt.TextElideMode.ElideRight)
        order = QHBoxLayout()
        order.addWidget(self.chosen_list, 1)
        order.addWidget(self.up)
        order.addWidget(self.down)
        act = QHBoxLayout()
        act.addWidget(self.counts_box)
        act.addStretch(1)
        act.addWidget(self.apply_button)
        act.addWidget(self.remove_button)
        whole = QWidget(self)
        column = QVBoxLayout(whole)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(5)
        for part in (grid, order, act):
            column.addLayout(part)
        column.addWidget(self.funnel)
        column.addWidget(self.view, 1)
        column.addWidget(self.dropped_button)
        column.addWidget(self.dropped_list)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(room.Room(whole, self))

    def _connect(self) -> None:
        for word, button in self.toggles.items():
            button.toggled.connect(lambda on, word=word: self._toggled(word, on))
        self.counts_box.toggled.connect(self._count_toggled)
        self.apply_button.clicked.connect(self.apply)
        self.remove_button.clicked.connect(self.remove)
        self.up.clicked.connect(lambda: self._moved(-1))
        self.down.clicked.connect(lambda: self._moved(1))
        # The list itself is still busy with the drop while it tells of the move.
        self.chosen_list.model().rowsMoved.connect(lambda *_: QTimer.singleShot(0, self, self._dragged))
        self.dropped_button.toggled.connect(lambda _on: self._show_orbit())
        self.view.hovered.connect(lambda row: self.element_hovered.emit(self._shown, row))
        self.view.left.connect(self.element_left)
        self.view.chosen.connect(lambda row: self.element_chosen.emit(self._shown, row))
        self.view.cleared.connect(self.selection_cleared)

    def _paint_icons(self) -> None:
        # Chosen, under the mouse and neither must look different, and not by colour alone.
        scheme = colours.scheme(self)
        sheet = _TOGGLE.format(scheme)
        for button in (*self.toggles.values(), self.counts_box):
            button.setStyleSheet(sheet)
        ink, accent = self.palette().buttonText().color(), colours.of(self, "accent")
        for word, button in self.toggles.items():
            button.setIcon(icons.icon(word, ink, accent))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # What is done here are edits of the query, and undone like them wherever the focus is.
        editor = self._editor
        if editor is not None and event.matches(QKeySequence.StandardKey.Undo):
            editor.edit.undo()
        elif editor is not None and event.matches(QKeySequence.StandardKey.Redo):
            editor.edit.redo()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.shut_down()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_chain()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "toggles"):
            self._paint_icons()


def _same_elements(one: tuple[model.Orbit, ...], other: tuple[model.Orbit, ...]) -> bool:
    return [[part.text for part in orbit.elements] for orbit in one] == [
        [part.text for part in orbit.elements] for orbit in other
    ]
