"""The transform picker: chips in plain words, the chosen chain in order, and the orbit that the chain makes.

The picker edits the query through the editor.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base.data import dataclass
from cqlgui.board import position as position_module
from cqlgui.pattern import pictures as picture_module
from cqlgui.pattern import reading
from cqlgui.tasks.asking import queries
from cqlgui.tasks.results import hit_model
from cqlgui.tasks.search import orbits
from cqlgui.ui.editor import panel as editor_panel
from cqlgui.ui.look import colours, flow, labels, room, wording
from cqlgui.ui.loop import latest
from cqlgui.ui.picker import chain, icons, strip, words

ORBIT_DELAY = 60  # milliseconds after the last change of the text
_SYNC_DELAY = 30  # milliseconds after the last move of the caret
_TYPED_DELAY = 700
"""If a choice waits for a pattern, it is applied this many milliseconds after the last key, because typing a
pattern takes several keys."""
_PICTURED = 24
"""This many thumbnails are made together with the orbit, in another thread. Further thumbnails are made when
they come into view."""


_CHIP = """
QToolButton {{ border: 1px solid {0.border}; border-radius: 5px; padding: 3px 4px; background: transparent; }}
QToolButton:hover {{ border-color: {0.accent}; background: transparent; color: {0.text}; }}
QToolButton:focus {{ border-color: {0.accent}; }}
QToolButton:checked {{ background: {0.selection}; color: {0.selection_text}; border: 2px solid {0.accent};
    padding: 2px 3px; }}
QToolButton[waiting="true"] {{ border: 1px dashed {0.accent}; }}
QToolButton:disabled {{ color: {0.disabled}; }}
"""


@dataclass(frozen=True, slots=True)
class _Made:
    """The orbits of a text, and thumbnails of their first images. Each thumbnail is stored under the text of
    its image."""

    orbits: tuple[hit_model.Orbit, ...]
    pictures: Mapping[str, picture_module.Picture]


def _made(text: str) -> _Made:
    found = orbits.orbits(text)
    pictures: dict[str, picture_module.Picture] = {}
    for orbit, info in zip(found, queries.expanded(text).orbits, strict=True):
        for number in strip.first(orbit.elements, _PICTURED - len(pictures)):
            element = orbit.elements[number]
            pictures[element.text] = strip.picture_of(element, info.elements[number].filter)
    return _Made(found, pictures)


_SEVERAL = ". Some hits match several."


class PickerPanel(QWidget):
    """Chips that add transforms to the pattern at the caret (or to the selection), and remove these
    transforms.

    While there is no pattern, the user's choice waits for a pattern, and all chips are shown as switched off.
    Signals name an orbit by its index in the query, and an element by its index in the orbit. When the user
    chooses or deselects an image with the mouse, `image_clicked` is emitted after the other signals.
    """

    element_hovered = Signal(int, int)
    element_left = Signal()
    element_chosen = Signal(int, int)
    image_clicked = Signal()
    selection_cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Transform picker")
        self._editor: editor_panel.EditorPanel | None = None
        self._chain = chain.ChosenChain()
        # The transforms that were chosen while there was no pattern.
        self._waiting = chain.ChosenChain()
        self._orbits: tuple[hit_model.Orbit, ...] = ()
        self._counts: tuple[hit_model.Orbit, ...] = ()
        # Whether the counts belong to the orbits shown.
        self._fits = False
        self._examples: Mapping[orbits.Place, position_module.Position] = {}
        # The number of hits of the search that made the counts.
        self._hits = 0
        self._shown = -1
        self._filling = False
        # The last text that this panel wrote. This text is analysed already.
        self._own = ""
        # The transform under the pointer.
        self._pointed = ""
        self._asker = latest.Latest(_made, ORBIT_DELAY, self)
        self._asker.answered.connect(self._orbits_found)
        self._asker.refused.connect(lambda _text, _why: self.set_orbits(()))
        self._sync = QTimer(self)
        self._sync.setSingleShot(True)
        self._sync.setInterval(_SYNC_DELAY)
        self._sync.timeout.connect(self._follow_caret)
        self._typed = QTimer(self)
        self._typed.setSingleShot(True)
        self._typed.setInterval(_TYPED_DELAY)
        self._typed.timeout.connect(self.apply)
        # These widgets are made in the order of the Tab key.
        self.toggles = {choice.word: QToolButton(self) for choice in words.CHOICES if choice.first}
        self.more = QToolButton(self)
        self.toggles |= {choice.word: QToolButton(self) for choice in words.CHOICES if not choice.first}
        self.counts_box = QToolButton(self)
        self.chosen_list = QListWidget(self)
        self.up, self.down = QToolButton(self), QToolButton(self)
        self.saying = labels.Label(self)
        self.remove_button = QToolButton(self)
        self.funnel = labels.Label(self)
        self.view = strip.ElementsView(self)
        self.told = labels.ElidedLabel("", self, fills=True)
        self.dropped_button = QToolButton(self)
        self.dropped_list = QListWidget(self)
        self._lay_out()
        self._connect()
        self._show_chain()
        self._show_orbit()

    def attach(self, editor: editor_panel.EditorPanel) -> None:
        """Work on this editor's query from now on; call once."""
        self._editor = editor
        editor.text_changed.connect(self._text_changed)
        editor.caret_moved.connect(lambda _offset: self._sync.start())
        editor.diagnostics_changed.connect(lambda _found: self._sync.start())
        editor.path_changed.connect(lambda _path: self._text_replaced())
        self._text_changed(editor.text())

    def set_orbits(self, found: tuple[hit_model.Orbit, ...]) -> None:
        """Show the orbits of the current query. Counts that belong to another query are shown when that query
        is current again."""
        self._orbits = found
        self._fits = _same_elements(found, self._counts)
        self._follow_caret()

    def set_counts(self, counted: tuple[hit_model.Orbit, ...], hits: int = 0) -> None:
        """Show the counts of a search beside the elements. The search has `hits` hits in all. An empty tuple
        removes the counts."""
        self._counts, self._hits = counted, hits
        self._fits = _same_elements(self._orbits, counted)
        if not counted:
            self._examples = {}
        self._show_orbit()

    def set_examples(self, found: Mapping[orbits.Place, position_module.Position]) -> None:
        """Replace empty boards by positions that matched. The key is orbit and element."""
        self._examples = found
        self._show_examples()

    def element(self, orbit: int, element: int) -> hit_model.ElementCount | None:
        """An element of the orbits shown; None if the element is gone because the query has changed."""
        if 0 <= orbit < len(self._orbits) and 0 <= element < len(self._orbits[orbit].elements):
            return self._orbits[orbit].elements[element]
        return None

    def clear_selection(self) -> None:
        """Stop limiting the hits to an element."""
        self.view.clear()

    @property
    def busy(self) -> bool:
        """True while the orbits of the text, or the pattern at the caret, are still to be shown."""
        return self._asker.busy or self._sync.isActive()

    def shut_down(self) -> None:
        """Stop the background work, before the window closes."""
        self._sync.stop()
        self._typed.stop()
        self._asker.close()

    # --- choosing -------------------------------------------------------------------------------------------

    def apply(self) -> None:
        """Apply a waiting choice to the pattern at the caret or to the selection, if the text has a pattern
        now."""
        wanted = self._waiting
        if not wanted.words or not self._pattern_there():
            return
        place = self._place()
        before = self._read() if place == self._chained() else chain.ChosenChain()
        self._waiting = chain.ChosenChain()
        names = [word for word in before.words if word not in wanted.words]
        self._change(chain.ChosenChain((*wanted.words, *names), wanted.counts or before.counts), *place)

    def remove(self) -> None:
        """Remove the chain at the caret from its pattern, and drop a waiting choice."""
        self._waiting = chain.ChosenChain()
        self._settle()
        self._change(chain.ChosenChain(), *self._chained())

    def _pattern_there(self) -> bool:
        return bool(self._text().strip()) and chain.readable(self._text())

    def _toggled(self, word: str, on: bool) -> None:
        if self._filling:
            return
        if not self._pattern_there():
            waiting = self._waiting
            names = [name for name in waiting.words if name != word]
            self._wait(chain.ChosenChain((word, *names) if word not in waiting.words else tuple(names)))
            return
        self._settle()
        place, before = self._chained(), self._chain
        if on and place != self._place():
            # The selection is not the operand of the chain shown. So the selection gets only the transform
            # that was just chosen.
            place, before = self._place(), chain.ChosenChain()
        names = [name for name in before.words if name != word]
        # A new transform is put outside the transforms that are there already.
        wanted = (word, *names) if on else tuple(names)
        self._change(chain.ChosenChain(wanted, before.counts and bool(wanted)), *place)

    def _wait(self, wanted: chain.ChosenChain) -> None:
        """Keep a choice until there is a pattern."""
        self._waiting = wanted
        self._show_chain()
        self._show_orbit()

    def _moved(self, by: int) -> None:
        row = self.chosen_list.currentRow()
        names = list(self._chain.words)
        if not 0 <= row < len(names) or not 0 <= row + by < len(names):
            return
        names[row], names[row + by] = names[row + by], names[row]
        self._change(chain.ChosenChain(tuple(names), self._chain.counts), *self._chained())
        self.chosen_list.setCurrentRow(row + by)

    def _dragged(self) -> None:
        if not self._filling:
            names = tuple(
                str(self.chosen_list.item(row).data(Qt.ItemDataRole.UserRole))
                for row in range(self.chosen_list.count())
            )
            self._change(chain.ChosenChain(names, self._chain.counts), *self._chained())

    def _count_toggled(self, on: bool) -> None:
        if not self._filling:
            self._settle()
            self._change(chain.ChosenChain(self._chain.words, on), *self._chained())

    def _change(self, wanted: chain.ChosenChain, start: int, end: int) -> None:
        """Edit the query so that the text from `start` to `end` gets the transforms `wanted`. If both are the
        caret, the pattern at the caret gets the transforms. Ask for the orbits of the new text at once."""
        editor = self._editor
        if editor is None:
            return
        text = editor.text()
        edit = chain.changed(text, start, end, wanted)
        if edit is not None:
            # `_own` is set before the editor emits its signals, because some slots run at once and use
            # `_own`.
            self._own = text[: edit.start] + edit.text + text[edit.end :]
            editor.replace(edit.start, edit.end, edit.text)
            if start != end and wanted.words:
                # The operand is selected, so that further clicks change the chain around this operand.
                editor.edit.select(*chain.behind(self._own, edit.start, editor.selection()))
            self._asker.ask(self._own, at_once=True)
        self._sync.stop()
        self._read_chain()
        self._show_orbit()
        self._tint()

    # --- following ------------------------------------------------------------------------------------------

    def _text(self) -> str:
        return "" if self._editor is None else self._editor.text()

    def _caret(self) -> tuple[int, int]:
        caret = 0 if self._editor is None else self._editor.caret()
        return caret, caret

    def _place(self) -> tuple[int, int]:
        """The selected part of the query's body. If nothing in the body is selected, start and end are the
        caret. The header takes no transform, so a selection in the header is left out."""
        start, end = (0, 0) if self._editor is None else self._editor.selection()
        if start != end and chain.readable(self._text()):
            first, last = chain.whole(self._text())
            start, end = max(start, first), min(end, last)
        return (start, end) if start < end else self._caret()

    def _text_changed(self, text: str) -> None:
        # The previewed element may be missing in the new text.
        self.view.end_preview()
        self._asker.ask(text)
        self._sync.start()
        if self._waiting.words:
            self._typed.start()

    def _text_replaced(self) -> None:
        # The waiting choice was made for another query.
        self._waiting = chain.ChosenChain()
        self._show_chain()
        self._sync.start()

    def _orbits_found(self, text: str, found: _Made) -> None:
        if self._editor is None or text == self._editor.text():
            self.view.elements.keep_pictures(found.pictures)
            self.set_orbits(found.orbits)

    def _settle(self) -> None:
        """Read the chain now if the text or the caret has changed a moment ago. If the chain were read later,
        a click would change an outdated chain."""
        if self._sync.isActive():
            self._sync.stop()
            self._read_chain()

    @property
    def _checking(self) -> bool:
        """Whether the text is still to be analysed. The editor analyses a text in another thread. A text that
        this panel wrote is analysed already."""
        editor = self._editor
        return editor is not None and editor.checking and editor.text() != self._own

    def _follow_caret(self) -> None:
        if self._checking:
            # When the editor has analysed the text, this function is called again.
            return
        self._read_chain()
        self._show_orbit()
        self._tint()
        if self._waiting.words and not self._typing:
            self.apply()

    @property
    def _typing(self) -> bool:
        """Whether the user may still be typing the pattern. The words typed so far may be only the beginning
        of the pattern."""
        return self._editor is not None and self._editor.edit.hasFocus()

    def _chained(self) -> tuple[int, int]:
        """The place of the chain shown. This is the selection if the selection is the operand of a chain. If
        the selection is no operand, start and end are the caret."""
        place = self._place()
        return place if place[0] < place[1] and chain.over(self._text(), *place).words else self._caret()

    def _read(self) -> chain.ChosenChain:
        start, end = self._chained()
        return chain.over(self._text(), start, end) if start < end else chain.at(self._text(), start)

    def _read_chain(self) -> None:
        self._chain = self._read()
        self._show_chain()

    def _current_orbit(self) -> int:
        """The index of the orbit at the caret. If no orbit is at the caret, this is the index of the first
        orbit. The index is -1 if there is no orbit, or if the pattern is empty."""
        if not self._orbits or (not self._checking and reading.nothing_drawn(self._text())):
            return -1
        caret = self._editor.caret() if self._editor is not None else 0
        for place, orbit in enumerate(self._orbits):
            if orbit.offset <= caret <= orbit.offset + orbit.length:
                return place
        return 0

    def _point(self, word: str) -> None:
        """Remember the transform under the pointer or the keyboard focus. `word` is empty if the pointer and
        the focus are elsewhere."""
        if word != self._pointed:
            self._pointed = word
            self._tint()

    def _tint(self) -> None:
        """Mark the part of the text that is governed by the transform under the pointer."""
        if self._editor is not None:
            place = (0, 0)
            if self._pointed and not self._checking and self._pattern_there():
                place = self._place()
                if place == self._chained():
                    place = chain.governed(self._text(), *place, self._pointed)
            self._editor.edit.set_governed(*place)

    # --- showing --------------------------------------------------------------------------------------------

    def _show_chain(self) -> None:
        self._filling = True
        names, waiting = self._chain.words, self._waiting.words
        for word, button in self.toggles.items():
            button.setChecked(word in names)
            if (word in waiting) != bool(button.property("waiting")):
                button.setProperty("waiting", word in waiting)
                self._describe(button, words.BY_WORD[word])
                # Qt does not restyle a button when its property changes, so the style is applied again.
                button.style().unpolish(button)
                button.style().polish(button)
        row = self.chosen_list.currentRow()
        shown = [
            self.chosen_list.item(at).data(Qt.ItemDataRole.UserRole) for at in range(self.chosen_list.count())
        ]
        if shown != list(names):
            self.chosen_list.clear()
            for place, word in enumerate(names):
                self.chosen_list.addItem(words.BY_WORD[word].title)
                item = self.chosen_list.item(place)
                item.setData(Qt.ItemDataRole.UserRole, word)
                item.setToolTip(wording.plain_tip(f"{word}: {words.BY_WORD[word].meaning}"))
            self.chosen_list.setCurrentRow(min(max(row, 0), len(names) - 1))
        self.counts_box.setChecked(self._chain.counts)
        self.counts_box.setEnabled(bool(names))
        if waiting:
            titles = ", ".join(words.BY_WORD[word].title for word in waiting)
            self.saying.setText(f"Waits for a pattern: {titles}")
        else:
            self.saying.setText(words.sentence(names, counts=self._chain.counts))
        _show(self.saying, bool(names or waiting))
        _show(self.remove_button, bool(names or waiting))
        ordered = len(names) > 1
        for part in (self.chosen_list, self.up, self.down):
            _show(part, ordered)
        if ordered:
            self._size_chain()
        self._show_more()
        self._filling = False

    def _show_more(self) -> None:
        """A chip that belongs to "More" is shown if the user has opened "More", or if the chip is switched
        on."""
        opened = self.more.isChecked()
        for choice in words.CHOICES:
            if not choice.first:
                on = choice.word in self._chain.words or choice.word in self._waiting.words
                _show(self.toggles[choice.word], opened or on)
        _show(self.counts_box, opened or self._chain.counts)
        self.more.setText("Less" if opened else "More")

    def _size_chain(self) -> None:
        """Make the list as high as the chosen transforms need at this width."""
        last = self.chosen_list.item(self.chosen_list.count() - 1)
        line = self.fontMetrics().height() + 6
        bottom = self.chosen_list.visualItemRect(last).bottom() + 4 if last is not None else line
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
            self._tell(-1)
            return
        orbit = self._orbits[place]
        counted = (
            self._fits
            and place < len(self._counts)
            and len(self._counts[place].elements) == len(orbit.elements)
        )
        elements = self._counts[place].elements if counted else orbit.elements
        several = counted and sum(element.positions for element in elements) > self._hits > 0
        self.funnel.setText(words.funnel(orbit) + (_SEVERAL if several else ""))
        if self.view.limited >= len(elements):
            self.view.clear()
        self.view.elements.show_elements(elements, counted=counted)
        self._show_examples()
        self._show_dropped((*orbit.invalid, *orbit.duplicates))
        self._tell(-1)

    def _show_examples(self) -> None:
        examples = self._examples if self._fits else {}
        found = {place[1]: shown for place, shown in examples.items() if place[0] == self._shown}
        if found or self.view.elements.rowCount():
            self.view.elements.set_examples(found)

    def _tell(self, number: int) -> None:
        """Describe the image under the pointer. If there is no image under the pointer, describe the image
        that limits the hits."""
        number = number if number >= 0 else self.view.limited
        there = 0 <= number < self.view.elements.rowCount()
        self.told.say(self.view.elements.said(number) if there else "")

    def _nothing(self) -> str:
        """Why no orbit is shown."""
        if self._checking:
            # The old words are shown until the text is analysed, because this thread must not wait. After the
            # analysis, this function is called again.
            return self.funnel.text()
        if not self._text().strip():
            return "" if self._waiting.words else "Draw or write a pattern; then choose what may differ."
        if not chain.readable(self._text()):
            return "Mend the query to see what its transforms make of it."
        if reading.nothing_drawn(self._text()):
            return "The pattern is empty: place men on the board."
        return "No transform in the query: the pattern is searched as written."

    def _show_dropped(self, dropped: tuple[hit_model.Dropped, ...]) -> None:
        self.dropped_button.setText(
            f"{'▾' if self.dropped_button.isChecked() else '▸'} {len(dropped):,} dropped"
        )
        _show(self.dropped_button, bool(dropped))
        opened = bool(dropped) and self.dropped_button.isChecked()
        _show(self.dropped_list, opened)
        if opened:
            rows = [f"{one.words or one.transform}: {one.reason}" for one in dropped]
            self.dropped_list.clear()
            for row in rows:
                item = QListWidgetItem(row)
                item.setToolTip(wording.plain_tip(row))
                self.dropped_list.addItem(item)

    # --- parts ----------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        chips = flow.Flow()
        for choice in words.CHOICES:
            button = self.toggles[choice.word]
            button.setText(choice.title)
            button.setCheckable(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(QSize(14, 14))
            self._describe(button, choice)
            button.installEventFilter(self)
            if choice.first:
                chips.addWidget(button)
        self.more.setCheckable(True)
        self.more.setToolTip("Quarter turns, turned directions, only the other colour, counting")
        self.more.setAccessibleName("More transforms")
        chips.addWidget(self.more)
        for choice in words.CHOICES:
            if not choice.first:
                chips.addWidget(self.toggles[choice.word])
        self.counts_box.setText("Count images")
        self.counts_box.setCheckable(True)
        self.counts_box.setAccessibleName("Count matching images")
        self.counts_box.setToolTip("count: the value is the number of images that match")
        chips.addWidget(self.counts_box)
        self._paint_icons()
        self.chosen_list.setAccessibleName("Chosen transforms, outermost first")
        self.chosen_list.setToolTip("Outermost first; drag to change the order")
        self.chosen_list.setMouseTracking(True)
        self.chosen_list.viewport().installEventFilter(self)
        self.chosen_list.setFlow(QListWidget.Flow.LeftToRight)
        self.chosen_list.setDragDropMode(QListWidget.DragDropMode.InternalMove)
        self.chosen_list.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.chosen_list.setWrapping(True)
        self.chosen_list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.chosen_list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.chosen_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.chosen_list.setSpacing(1)
        for button, sign, name in (
            (self.up, "◀", "Move outwards: act later"),
            (self.down, "▶", "Move inwards: act earlier"),
        ):
            button.setText(sign)
            button.setAutoRaise(True)
            button.setToolTip(wording.plain_tip(name))
            button.setAccessibleName(name)
        self.saying.setAccessibleName("What the transforms do, in order")
        self.saying.setWordWrap(True)
        self.remove_button.setText("✕")
        self.remove_button.setAutoRaise(True)
        self.remove_button.setAccessibleName("Remove all transforms of the pattern")
        self.remove_button.setToolTip("Take all transforms off the pattern")
        self.funnel.setAccessibleName("Size of the orbit")
        self.funnel.setWordWrap(True)
        self.told.setAccessibleName("The image under the pointer")
        self.dropped_button.setCheckable(True)
        self.dropped_button.setAutoRaise(True)
        self.dropped_button.setToolTip("Candidates that cannot match or repeat another image")
        self.dropped_list.setAccessibleName("Dropped candidates, each with its reason")
        self.dropped_list.setUniformItemSizes(True)
        self.dropped_list.setMaximumHeight(120)
        self.dropped_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.dropped_list.setTextElideMode(Qt.TextElideMode.ElideRight)
        order = QHBoxLayout()
        order.setSpacing(2)
        order.addWidget(self.chosen_list, 1)
        order.addWidget(self.up)
        order.addWidget(self.down)
        says = QHBoxLayout()
        says.setSpacing(2)
        says.addWidget(self.saying, 1)
        says.addWidget(self.remove_button, 0, Qt.AlignmentFlag.AlignTop)
        below = QHBoxLayout()
        below.addWidget(self.told, 1)
        below.addWidget(self.dropped_button)
        whole = QWidget(self)
        column = QVBoxLayout(whole)
        column.setContentsMargins(6, 5, 6, 4)
        column.setSpacing(4)
        for part in (chips, order, says):
            column.addLayout(part)
        column.addWidget(self.funnel)
        column.addWidget(self.view, 1)
        column.addLayout(below)
        column.addWidget(self.dropped_list)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(room.Room(whole, self))

    def _describe(self, button: QToolButton, choice: words.Choice) -> None:
        """Set name, tool tip and spoken words of a chip. If the chip waits for a pattern, these texts say
        that it waits."""
        waits = bool(button.property("waiting"))
        note = "<br>Waits for a pattern." if waits else ""
        button.setToolTip(wording.markup_tip(f"<b>{choice.word}</b><br>{choice.meaning}{note}"))
        button.setAccessibleName(f"{choice.title} ({choice.word}){', waits for a pattern' if waits else ''}")
        button.setAccessibleDescription(choice.meaning)

    def _connect(self) -> None:
        for word, button in self.toggles.items():
            button.toggled.connect(lambda on, word=word: self._toggled(word, on))
        self.more.toggled.connect(lambda _on: self._show_more())
        self.counts_box.toggled.connect(self._count_toggled)
        self.remove_button.clicked.connect(self.remove)
        self.up.clicked.connect(lambda: self._moved(-1))
        self.down.clicked.connect(lambda: self._moved(1))
        # The list is still busy with the drop while it emits the signal, so `_dragged` is called when the
        # list is done.
        self.chosen_list.model().rowsMoved.connect(lambda *_: QTimer.singleShot(0, self, self._dragged))
        self.chosen_list.itemEntered.connect(lambda item: self._point(item.data(Qt.ItemDataRole.UserRole)))
        self.dropped_button.toggled.connect(lambda _on: self._show_orbit())
        self.view.hovered.connect(self._tell)
        self.view.left.connect(lambda: self._tell(-1))
        self.view.chosen.connect(self._tell)
        self.view.cleared.connect(lambda: self._tell(-1))
        self.view.hovered.connect(lambda number: self.element_hovered.emit(self._shown, number))
        self.view.left.connect(self.element_left)
        self.view.chosen.connect(lambda number: self.element_chosen.emit(self._shown, number))
        self.view.cleared.connect(self.selection_cleared)
        self.view.clicked.connect(lambda _index: self.image_clicked.emit())

    def _paint_icons(self) -> None:
        # Chosen chips, chips under the mouse and other chips must differ in more than colour.
        scheme = colours.scheme(self)
        sheet = _CHIP.format(scheme)
        for button in (*self.toggles.values(), self.more, self.counts_box):
            button.setStyleSheet(sheet)
        ink, accent = self.palette().buttonText().color(), colours.of(self, "accent")
        for word, button in self.toggles.items():
            button.setIcon(icons.icon(word, ink, accent))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.Leave, QEvent.Type.FocusOut):
            self._point("")
        elif kind in (QEvent.Type.Enter, QEvent.Type.FocusIn):
            word = next((word for word, button in self.toggles.items() if button is watched), "")
            if word:
                self._point(word)
        return super().eventFilter(watched, event)

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


def _show(part: QWidget, wanted: bool) -> None:
    """Show or hide a part. If the part has the wanted state already, it is left alone, so that the panel is
    not laid out again."""
    if part.isHidden() == wanted:
        part.setVisible(wanted)


def _same_elements(one: tuple[hit_model.Orbit, ...], other: tuple[hit_model.Orbit, ...]) -> bool:
    return [[part.text for part in orbit.elements] for orbit in one] == [
        [part.text for part in orbit.elements] for orbit in other
    ]
