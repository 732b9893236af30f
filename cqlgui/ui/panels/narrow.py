"""The menu that narrows hits: by a facet, by kept hits, or by searching only in the games of the hits
shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from cqlgui.base import errors
from cqlgui.base.data import dataclass
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import narrowing
from cqlgui.ui.look import wording
from cqlgui.ui.loop import jobs

MOST_KEPT = 8
"""Maximum of kept results; the oldest result is dropped first."""
LONGEST_NAME = 40
FEW = 1 << 16
"""If there are at most this many hits, the values of a facet are counted at once. If there are more hits, a
job counts the values."""
_JOB = "facet"
_WAYS = (("and", "Hits in both"), ("or", "Hits in either"), ("minus", "Hits not in these"))


@dataclass(frozen=True, slots=True)
class Kept:
    """A result that was kept under a name."""

    name: str
    result: search_model.SearchResult


class NarrowButton(QToolButton):
    """`chosen` carries a function that makes a new result from the result shown, and words that describe the
    narrowing. `recalled` carries a `Kept` result that the user wants to see. `kept` is emitted when the user
    wants to keep the hits shown. `within_changed` carries whether the next searches are limited to the games
    of these hits."""

    chosen = Signal(object, str)
    recalled = Signal(object)
    kept = Signal()
    within_changed = Signal(bool)

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
        self._attributes: narrowing.Attributes | None = None
        # The values of facets that were already computed for `_result`. The key is the name of the facet.
        self._values: dict[str, tuple[narrowing.Value, ...]] = {}
        self._others: Sequence[Kept] = ()
        self._within = False
        self.setEnabled(False)

    def set_result(self, result: search_model.SearchResult | None) -> None:
        """Set the result shown; None if there is no result to narrow."""
        if result is not self._result:
            self._forget_values()
        self._result = result
        self.setEnabled(result is not None and bool(result.order or self._others))

    def set_attributes(self, attributes: narrowing.Attributes | None) -> None:
        """Set the facets of the base, once they are known."""
        self._attributes = attributes
        self._forget_values()

    def set_kept(self, kept: Sequence[Kept]) -> None:
        """Set the results that were kept."""
        self._others = tuple(kept)
        self.set_result(self._result)

    def set_within(self, on: bool) -> None:
        """Set whether searches are limited to some games."""
        self._within = on

    def _fill(self) -> None:
        menu, result = self._menu, self._result
        menu.clear()
        if result is None:
            return
        for name in narrowing.FACETS:
            part = menu.addMenu(f"&{name}")
            part.setEnabled(self._attributes is not None and bool(result.order))
            part.aboutToShow.connect(self._filler(part, name))
        menu.addSeparator()
        keep = menu.addAction("&Keep these hits", self.kept.emit)
        keep.setEnabled(bool(result.order))
        others = menu.addMenu("&With kept hits")
        others.setEnabled(bool(self._others))
        for number, other in enumerate(self._others, 1):
            words = f"&{number} {other.name} · {wording.games(len(other.result.order))}"
            part = others.addMenu(words)
            for way, title in _WAYS:
                part.addAction(title, self._with(way, other))
            part.addSeparator()
            part.addAction("Show these", self._showing(other))
        menu.addSeparator()
        within = QAction("&Search in these games only", menu)
        within.setCheckable(True)
        within.setChecked(self._within)
        within.setEnabled(self._within or bool(result.order))
        within.toggled.connect(self.within_changed)
        menu.addAction(within)

    def _forget_values(self) -> None:
        self._jobs.cancel(_JOB, drop=True)
        self._values = {}

    def _filler(self, menu: QMenu, name: str) -> Callable[[], None]:
        def show(found: tuple[narrowing.Value, ...]) -> None:
            self._values[name] = found
            menu.clear()
            for value in found:
                count = f"{wording.games(value.games)}, {wording.hits(value.positions)}"
                menu.addAction(f"{value.words}\t{count}", self._by(name, value))
            if not found:
                menu.addAction("not told apart in variations").setEnabled(False)

        def fail(error: errors.CqlguiError) -> None:
            menu.clear()
            menu.addAction(str(error).replace("&", "&&")).setEnabled(False)

        def fill() -> None:
            result, attributes = self._result, self._attributes
            menu.clear()
            if result is None or attributes is None:
                return
            known = self._values.get(name)
            if known is None and result.positions <= FEW:
                known = narrowing.values(result, attributes, name)
            if known is not None:
                show(known)
                return
            menu.addAction("counting...").setEnabled(False)
            self._jobs.run(
                lambda _token, _sink: narrowing.values(result, attributes, name), show, fail, name=_JOB
            )

        return fill

    def _by(self, name: str, value: narrowing.Value) -> Callable[[], None]:
        attributes = self._attributes
        assert attributes is not None

        def narrow(result: search_model.SearchResult) -> search_model.SearchResult:
            return narrowing.having(result, attributes, name, value.key)

        shown = (
            value.words if name in (narrowing.RESULT, narrowing.DECADE) else f"{name.lower()} {value.words}"
        )
        return lambda: self.chosen.emit(narrow, shown)

    def _with(self, way: str, other: Kept) -> Callable[[], None]:
        def combine(result: search_model.SearchResult) -> search_model.SearchResult:
            return narrowing.OPERATIONS[way](result, other.result)

        return lambda: self.chosen.emit(combine, f"{way} {other.name}")

    def _showing(self, other: Kept) -> Callable[[], None]:
        return lambda: self.recalled.emit(other)


def name_of(result: search_model.SearchResult) -> str:
    """The name of a kept result: the beginning of its query."""
    text = " ".join(line for line in result.query.split("\n") if not line.lstrip().startswith("//"))
    text = " ".join(text.split()).removeprefix("cql()").strip().replace("&", "&&")
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
