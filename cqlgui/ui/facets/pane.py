"""The pane of facets: counts that follow every click, and chips for what is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from cqlgui.base import errors, progress
from cqlgui.base.data import dataclass
from cqlgui.tasks.analysis import attributes as attributes_module
from cqlgui.tasks.analysis import facet_terms, facets
from cqlgui.tasks.results import search_model
from cqlgui.ui.facets import tree
from cqlgui.ui.look import flow, labels, theme, wording
from cqlgui.ui.loop import jobs, keys

_JOB = "facets"
_NOTHING = "Run a query. Its hits can be narrowed here."
_COUNTING = "Counting…"
_NO_HITS = "There are no hits to narrow."


@dataclass(frozen=True, slots=True)
class _Counted:
    """The outcome of a job: the sheet, the choice that was counted, and the counts."""

    sheet: facets.Sheet
    choice: facets.Choice
    listed: tuple[facets.Facet, ...]
    size: tuple[int, int]


class FacetsPane(QWidget):
    """`chosen` carries a function that makes the narrowed result from the result that was set, words for the
    choice, and its terms (`facet_terms`). The words are empty if all hits are wanted again. `widened` is
    emitted when the user wants the hits back that other narrowings have left out. `failed` carries a
    sentence.

    The pane counts only while it is visible, because counting reads the games with hits.
    """

    chosen = Signal(object, str, object)
    widened = Signal()
    failed = Signal(str)

    def __init__(self, door: jobs.Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Facets")
        self._jobs = door
        self._result: search_model.SearchResult | None = None
        self._attributes: attributes_module.Attributes | None = None
        self._sheet: facets.Sheet | None = None
        self._choice = facets.Choice()
        # The choices before this one, for `undo`.
        self._before: list[facets.Choice] = []
        self._counted: facets.Choice | None = None
        self._chips: list[labels.Chip] = []
        self.tree = tree.FacetTree(self)
        self.tree.asked.connect(self._asked)
        self.tree.cleared.connect(self.clear)
        self.setFocusProxy(self.tree)
        self._size = labels.ElidedLabel(fills=True)
        self._all = QToolButton(self)
        self._all.setText("All hits")
        self._all.setToolTip("Show all hits again (Esc)")
        self._all.clicked.connect(self.clear)
        self._narrowed = labels.Narrowed(self)
        self._narrowed.widened.connect(self.widened)
        self._narrowing = ""
        self._note = labels.Label(self)
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._note.setWordWrap(True)
        keys.UndoKey(self, lambda: bool(self._before or self._narrowing), self.undo)
        self._lay_out()
        theme.theme().changed.connect(self._dress)
        self._show_state()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 4, 6, 0)
        head.addWidget(self._size, 1)
        head.addWidget(self._all)
        self._row = QWidget(self)
        rules = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        rules.setHeightForWidth(True)
        self._row.setSizePolicy(rules)
        self._flow = flow.Flow(self._row, gap=4)
        chips = QHBoxLayout()
        chips.setContentsMargins(8, 0, 8, 0)
        chips.addWidget(self._row, 1)
        narrowed = QHBoxLayout()
        narrowed.setContentsMargins(8, 0, 6, 0)
        narrowed.addWidget(self._narrowed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        column.addLayout(chips)
        column.addLayout(narrowed)
        column.addWidget(self._note, 1)
        column.addWidget(self.tree, 1)

    @property
    def choice(self) -> facets.Choice:
        """What is chosen."""
        return self._choice

    def set_result(
        self,
        result: search_model.SearchResult | None,
        attributes: attributes_module.Attributes | None,
        *,
        keep: bool = False,
    ) -> None:
        """Show the facets of a result before any choice of this pane. Nothing is chosen at first; with
        `keep`, the choice stays, because the hits are a part of the former hits. The attributes are None
        until they are known."""
        if result is self._result and attributes is self._attributes:
            return
        self._jobs.cancel(_JOB, drop=True)
        if not keep and result is not self._result:
            self._choice = facets.Choice()
            self._before.clear()
        self._result, self._attributes = result, attributes
        self._sheet, self._counted = None, None
        self._show_state()
        self._count()

    def _asked(self, how: str, name: str, key: int) -> None:
        change = {
            tree.ALONE: self._choice.alone,
            tree.JOINED: self._choice.joined,
            tree.EXCLUDED: self._choice.excluding,
        }[how]
        self._choose(change(name, key))

    def clear(self) -> None:
        """Choose nothing, so that all hits are shown."""
        if self._choice:
            self._choose(facets.Choice())

    def forget(self) -> None:
        """Choose nothing, because the window shows all hits already."""
        self._before.clear()
        if self._choice:
            self._choice = facets.Choice()
            self._changed()

    def tell_narrowing(self, words: str) -> None:
        """Say to what the hits are narrowed, if no hit is left to choose from. Empty words mean the whole
        result."""
        self._narrowing = words
        self._show_state()

    def undo(self) -> None:
        """Go back to the choice before the last one. Without such a choice, ask for the hits that other
        narrowings have left out."""
        if not self._before:
            self.widened.emit()
        elif self._sheet is not None:
            choice = self._before.pop()
            before = self._before.copy()
            self._choose(choice)
            self._before = before

    def _choose(self, choice: facets.Choice) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        self._before.append(self._choice)
        self._choice = choice
        self._changed()

        def narrow(result: search_model.SearchResult) -> search_model.SearchResult:
            own = sheet if sheet.result is result else facets.sheet(sheet.attributes, result)
            return facets.narrowed(own, choice)

        terms = facet_terms.spelt(choice, sheet.attributes, sheet.result.orbits)
        self.chosen.emit(narrow, facets.words(sheet, choice), terms)

    def _changed(self) -> None:
        self.tree.show_choice(self._choice)
        self._show_state()
        self._count()

    def _count(self) -> None:
        result, attributes, sheet, choice = self._result, self._attributes, self._sheet, self._choice
        if result is None or attributes is None or not self.isVisible() or self._counted == choice:
            return

        def work(token: progress.CancelToken, _sink: object) -> _Counted:
            own = sheet or facets.sheet(attributes, result, cancel=token)
            return _Counted(own, choice, facets.counts(own, choice), facets.size(own, choice))

        self._jobs.run(work, self._take, self._fail, name=_JOB)

    def _take(self, found: _Counted) -> None:
        self._sheet, self._counted = found.sheet, found.choice
        self.tree.show_facets(found.listed, self._choice)
        self._say_size(found.size)
        self._show_state()

    def _fail(self, error: errors.CqlguiError) -> None:
        self.failed.emit(str(error))

    def _say_size(self, size: tuple[int, int]) -> None:
        games, hits = size
        whole = self._sheet.hits if self._sheet is not None else hits
        part = f"{wording.number(hits)} of " if hits != whole else ""
        self._size.say(f"{part}{wording.hits(whole)} in {wording.games(games)}")

    def _show_state(self) -> None:
        ready = self._sheet is not None and bool(len(self._sheet.games))
        self.tree.setVisible(ready)
        self._size.setVisible(ready)
        self._note.setVisible(not ready)
        if self._result is None:
            self._note.setText(_NOTHING)
        else:
            self._note.setText(_NO_HITS if not self._result.order else _COUNTING)
        nothing = self._result is not None and not self._result.order
        self._narrowed.say(self._narrowing if nothing else "")
        # The line of games may leave no hits, but the choice can be taken back all the same.
        self._all.setVisible(self._sheet is not None and bool(self._choice))
        self._show_chips()

    def _show_chips(self) -> None:
        sheet = self._sheet
        wanted = [] if sheet is None else list(_chips(self._choice))
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for name, key, excluded in wanted:
            assert sheet is not None
            words = facets.value_words(sheet, name, key)
            chip = labels.Chip(self._row)
            chip.say(f"not {words}" if excluded else words)
            chip.setAccessibleName(f"{'Not' if excluded else 'Only'} {words}. Press to remove.")
            chip.setToolTip(wording.plain_tip(f"{'Not' if excluded else 'Only'} {words}. Click to remove."))
            chip.setProperty("excluded", excluded)
            chip.clicked.connect(
                lambda _on=False, name=name, key=key: self._choose(self._choice.dropping(name, key))
            )
            self._flow.addWidget(chip)
            chip.show()
            self._chips.append(chip)
        self._row.setVisible(bool(wanted))
        self._dress()

    def _dress(self) -> None:
        scheme = theme.colours()
        self._note.setStyleSheet(f"color: {scheme.muted};")
        for chip in self._chips:
            edge = scheme.error if chip.property("excluded") else scheme.accent
            chip.setStyleSheet(
                f"QPushButton#chip {{ background: {scheme.selection}; color: {scheme.selection_text};"
                f" border: 1px solid {edge}; border-radius: 10px; padding: 2px 10px; }}"
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._choice:
            self.clear()
            event.accept()
            return
        super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._count()


def _chips(choice: facets.Choice) -> list[tuple[str, int, bool]]:
    """The chosen and excluded values: facet, key, and whether the value is excluded."""
    return [
        (part.name, key, excluded)
        for part in choice.parts
        for keys, excluded in ((part.chosen, False), (part.excluded, True))
        for key in sorted(keys)
    ]
