"""The menu that narrows hits: by a facet, by kept hits, or by searching only in the games of the hits
shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from cqlgui.base import errors, progress
from cqlgui.tasks.analysis import attributes as attributes_module
from cqlgui.tasks.analysis import facet_terms, facets, sets
from cqlgui.tasks.results import base_model, search_model
from cqlgui.ui.look import wording
from cqlgui.ui.loop import jobs

LONGEST_NAME = 40
MOST_IN_MENU = 9
"""The menu lists so many of the sets that were kept last. The pane of sets lists all of them."""
FACETS = (facets.RESULT, facets.DECADE, facets.RATING, facets.OPENING, facets.PHASE, facets.PLY)
"""The facets in the menu. The pane of facets has all of them."""
_JOB = "facet"
_Counted = tuple[facets.Sheet, tuple[facets.Facet, ...]]
WAYS = (
    ("and", "Hits in both"),
    ("or", "Hits in either"),
    ("minus", "Hits not in these"),
    ("xor", "Hits in only one"),
)
"""The operations of `narrowing.OPERATIONS` in words."""


class NarrowButton(QToolButton):
    """`chosen` carries a function that makes a new result from the result shown, words that describe the
    narrowing, and the terms of facets that mean the same (none if no terms do). `recalled` carries the
    `sets.NamedSet` that the user wants to see. `compared` carries the set to compare the hits shown with.
    `kept` is emitted when the user wants to keep the hits shown. `within_changed` carries whether the next
    searches are limited to the games of these hits. `new_base_wanted` is emitted when the user wants a new
    base of these games."""

    chosen = Signal(object, str, object)
    recalled = Signal(object)
    compared = Signal(object)
    kept = Signal()
    within_changed = Signal(bool)
    new_base_wanted = Signal()

    def __init__(self, door: jobs.Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self.setText("Narrow")
        self.setToolTip(
            "Show some of the hits: by result, decade, rating, opening, ply, or other hits (Alt+N)"
        )
        self.setAccessibleName("Narrow the hits down")
        self.setShortcut("Alt+N")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self.setMenu(self._menu)
        self._menu.aboutToShow.connect(self._fill)
        self._result: search_model.SearchResult | None = None
        self._attributes: attributes_module.Attributes | None = None
        # The facets that were already counted for `_result`, by name.
        self._sheet: facets.Sheet | None = None
        self._facets: dict[str, facets.Facet] = {}
        self._others: Sequence[sets.NamedSet] = ()
        self._base: base_model.Base | None = None
        self._within = False
        self.setEnabled(False)

    def set_result(self, result: search_model.SearchResult | None) -> None:
        """Set the result shown; None if there is no result to narrow."""
        if result is not self._result:
            self._forget_values()
        self._result = result
        self.setEnabled(result is not None and bool(result.order or self._others))

    def set_attributes(self, attributes: attributes_module.Attributes | None) -> None:
        """Set the attributes of the base's games, once they are known."""
        self._attributes = attributes
        self._forget_values()

    def set_kept(self, kept: Sequence[sets.NamedSet], base: base_model.Base | None = None) -> None:
        """Set the results that were kept, and the open base. Sets without hits are left out."""
        self._others = tuple(one for one in kept if not one.lost)
        self._base = base
        self.set_result(self._result)

    def set_within(self, on: bool) -> None:
        """Set whether searches are limited to some games."""
        self._within = on

    def _fill(self) -> None:
        menu, result = self._menu, self._result
        menu.clear()
        if result is None:
            return
        for name in FACETS:
            part = menu.addMenu(f"&{name}")
            part.setEnabled(self._attributes is not None and bool(result.order))
            part.aboutToShow.connect(self._filler(part, name))
        menu.addSeparator()
        keep = menu.addAction("&Keep these hits", self.kept.emit)
        keep.setEnabled(bool(result.order))
        others = menu.addMenu("&With kept hits")
        others.setEnabled(bool(self._others))
        for number, other in enumerate(self._others[-MOST_IN_MENU:], 1):
            name = other.name.replace("&", "&&")
            words = f"&{number} {name} · {wording.games(len(other.result.order))}"
            part = others.addMenu(words)
            for way, title in WAYS:
                part.addAction(title, self._with(way, other))
            part.addSeparator()
            part.addAction("Compare with these", self._telling(self.compared, other))
            part.addAction("Show these", self._telling(self.recalled, other))
        menu.addSeparator()
        within = QAction("&Search in these games only", menu)
        within.setCheckable(True)
        within.setChecked(self._within)
        within.setEnabled(self._within or bool(result.order))
        within.toggled.connect(self.within_changed)
        menu.addAction(within)
        made = menu.addAction("New &base from these games…", self.new_base_wanted.emit)
        made.setEnabled(bool(result.order))

    def _forget_values(self) -> None:
        self._jobs.cancel(_JOB, drop=True)
        self._sheet, self._facets = None, {}

    def _filler(self, menu: QMenu, name: str) -> Callable[[], None]:
        def show() -> None:
            menu.clear()
            facet = self._facets.get(name)
            for value in facet.values if facet is not None else ():
                if value.parent == attributes_module.NO_PARENT:
                    count = f"{wording.games(value.games)}, {wording.hits(value.positions)}"
                    menu.addAction(f"{value.words.replace('&', '&&')}\t{count}", self._by(name, value))
            if facet is None:
                menu.addAction("not known for these hits").setEnabled(False)

        def done(found: _Counted) -> None:
            self._sheet, self._facets = found[0], {facet.name: facet for facet in found[1]}
            show()

        def fail(error: errors.CqlguiError) -> None:
            menu.clear()
            menu.addAction(str(error).replace("&", "&&")).setEnabled(False)

        def fill() -> None:
            result, attributes = self._result, self._attributes
            menu.clear()
            if result is None or attributes is None:
                return
            if self._sheet is not None:
                show()
                return
            menu.addAction("counting...").setEnabled(False)

            def work(token: progress.CancelToken, _sink: object) -> _Counted:
                sheet = facets.sheet(attributes, result, cancel=token)
                return sheet, facets.counts(sheet)

            self._jobs.run(work, done, fail, name=_JOB)

        return fill

    def _by(self, name: str, value: facets.Value) -> Callable[[], None]:
        sheet = self._sheet
        assert sheet is not None
        choice = facets.Choice().alone(name, value.key)

        def narrow(_result: search_model.SearchResult) -> search_model.SearchResult:
            return facets.narrowed(sheet, choice)

        shown = facets.value_words(sheet, name, value.key)
        terms = facet_terms.spelt(choice, sheet.attributes, sheet.result.orbits)
        return lambda: self.chosen.emit(narrow, shown, terms)

    def _with(self, way: str, other: sets.NamedSet) -> Callable[[], None]:
        return lambda: self.chosen.emit(combining(way, other, self._base), f"{way} {other.name}", ())

    def _telling(self, signal: SignalInstance, other: sets.NamedSet) -> Callable[[], None]:
        return lambda: signal.emit(other)


def combining(
    way: str, other: sets.NamedSet, base: base_model.Base | None
) -> Callable[[search_model.SearchResult], search_model.SearchResult]:
    """The function that combines the hits shown with those of a set, in one of the `WAYS`."""
    return lambda result: sets.combined(way, result, other, other.base if base is None else base)


def name_of(result: search_model.SearchResult) -> str:
    """The name of a kept result: the beginning of its query."""
    text = " ".join(line for line in result.query.split("\n") if not line.lstrip().startswith("//"))
    text = " ".join(text.split()).removeprefix("cql()").strip()
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
