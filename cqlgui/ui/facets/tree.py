"""The tree of facets: one group for each facet, with its values, their counts, and bars behind the words."""

from __future__ import annotations

import functools
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from cqlgui.tasks.analysis import attributes, facets
from cqlgui.ui.look import colours, wording

Index = QModelIndex | QPersistentModelIndex
ALONE, JOINED, EXCLUDED = "alone", "joined", "excluded"
"""What a user does with a value: make it the only one of its facet, add it, or exclude it."""
FEW: Final = 8
"""Of a facet with many values in no natural order, so many are shown at first."""
_LONG: Final = (facets.ELEMENT, facets.PLAYER)
_OPEN: Final = (facets.ELEMENT, facets.RESULT, facets.DECADE, facets.PHASE)
"""The facets that are open at first."""
_TITLES: Final = {
    facets.ELEMENT: "Image of the pattern",
    facets.RATING: "Mean rating",
    facets.FILE: "File",
}
_NAME = int(Qt.ItemDataRole.UserRole)
_KEY = _NAME + 1
_SHARE = _NAME + 2
_STATE = _NAME + 3
_GAP = 8
_TINT, _TINT_ON_DARK = 34, 60
"""The opacity of a bar, from 0 to 255."""
_HINT = "Click: only these. Ctrl+click: these too. Right click: not these."
_MORE, _GROUP = -2, -1
"""Stand for a key in the row that shows more values, and in the row of a facet."""


class FacetTree(QTreeWidget):
    """`asked` carries what to do, the name of the facet, and the key of the value. `cleared` is emitted when
    the user wants all hits again.

    A click makes a value the only one of its facet, Ctrl+click adds it, and a right click excludes it. The
    keys are Space, Ctrl+Space and Delete. The menu key opens a menu with the same commands.
    """

    asked = Signal(str, str, int)
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = facets.Choice()
        self._listed: tuple[facets.Facet, ...] = ()
        self._whole: set[str] = set()
        self.setAccessibleName("Facets of the hits")
        self.setAccessibleDescription(
            "Space: only this value. Control Space: this value too. Delete: not this value. Escape: all hits."
        )
        self.setColumnCount(3)
        self.setHeaderLabels(["", "games", "hits"])
        self.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setIndentation(14)
        self.setExpandsOnDoubleClick(False)
        self.setAllColumnsShowFocus(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QTreeWidget.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(_Delegate(self))
        head = self.header()
        head.setStretchLastSection(False)
        head.setSectionsClickable(False)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        for column in (1, 2):
            self.headerItem().setTextAlignment(
                column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
        self.itemClicked.connect(self._clicked)

    def show_facets(self, listed: tuple[facets.Facet, ...], choice: facets.Choice) -> None:
        """Show these facets. Rows that stay keep their place, and opened rows stay open."""
        self._listed, self._choice = listed, choice
        self._fit_numbers()
        former = {_identity(group)[0] for group in _children(self.invisibleRootItem())}
        self._sync(None, [(facet.name, _GROUP) for facet in listed])
        for group, facet in zip(_children(self.invisibleRootItem()), listed, strict=True):
            group.setText(0, _TITLES.get(facet.name, facet.name))
            group.setToolTip(0, wording.plain_tip(_tip_of(facet)))
            group.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            font = QFont(self.font())
            font.setBold(True)
            group.setFont(0, font)
            self._fill(group, facet)
            if facet.name not in former:
                group.setExpanded(facet.name in _OPEN)

    def show_choice(self, choice: facets.Choice) -> None:
        """Mark other values as chosen and excluded, before their counts are known."""
        self.show_facets(self._listed, choice)

    def _fill(self, group: QTreeWidgetItem, facet: facets.Facet) -> None:
        values = self._shown_of(facet)
        tops = [value.positions for value in facet.values if value.parent == attributes.NO_PARENT]
        most = max(tops, default=0)
        by_parent: dict[int, list[facets.Value]] = {}
        for value in values:
            by_parent.setdefault(value.parent, []).append(value)

        pending = [(group, attributes.NO_PARENT)]
        while pending:
            above, parent = pending.pop()
            mine = by_parent.get(parent, [])
            keys = [value.key for value in mine]
            hidden = len(facet.values) - len(values) + facet.others
            if above is group and hidden:
                keys.append(_MORE)
            self._sync(above, [(facet.name, key) for key in keys])
            rows = _children(above)
            for item, value in zip(rows, mine, strict=False):
                self._say(item, facet.name, value, value.positions / most if most else 0.0)
                pending.append((item, value.key))
            if above is group and hidden:
                self._say_more(rows[-1], facet, len(facet.values) - len(values))

    def _shown_of(self, facet: facets.Facet) -> list[facets.Value]:
        """The values of a facet that have a row."""
        part = self._choice.of(facet.name)
        if facet.name not in _LONG or facet.name in self._whole:
            return list(facet.values)
        return [
            value
            for row, value in enumerate(facet.values)
            if row < FEW or value.key in part.chosen or value.key in part.excluded
        ]

    def _say(self, item: QTreeWidgetItem, name: str, value: facets.Value, share: float) -> None:
        part = self._choice.of(name)
        state = ALONE if value.key in part.chosen else EXCLUDED if value.key in part.excluded else ""
        item.setText(0, wording.straight(value.words))
        item.setText(1, wording.number(value.games))
        item.setText(2, wording.number(value.positions))
        item.setData(0, _SHARE, share)
        item.setData(0, _STATE, state)
        counts = f"{wording.games(value.games)}, {wording.hits(value.positions)}"
        said = {ALONE: "chosen", EXCLUDED: "excluded"}.get(state, "")
        item.setData(
            0, int(Qt.ItemDataRole.AccessibleTextRole), ", ".join(filter(None, (value.words, counts, said)))
        )
        lines = (value.words, value.note, counts, _HINT)
        tip = wording.plain_tip("\n".join(filter(None, lines)))
        for column in range(3):
            item.setToolTip(column, wording.plain_tip(tip))
            if column:
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _say_more(self, item: QTreeWidgetItem, facet: facets.Facet, hidden: int) -> None:
        others = f"{wording.number(facet.others)} with fewer games"
        item.setText(0, f"{hidden} more…" if hidden else others)
        item.setData(0, _STATE, "")
        item.setData(0, _SHARE, 0.0)
        item.setToolTip(
            0,
            wording.plain_tip("Show more values" if hidden else "Only those with the most games are listed."),
        )

    def _sync(self, above: QTreeWidgetItem | None, wanted: list[tuple[str, int]]) -> None:
        """Make the rows below an item those of `wanted` (facet and key), in this order. Rows that are there
        already are kept."""
        parent = self.invisibleRootItem() if above is None else above
        present = [_identity(item) for item in _children(parent)]
        if present == wanted:
            return
        staying = set(wanted)
        for row in reversed(range(len(present))):
            if present[row] not in staying:
                parent.takeChild(row)
        for row, one in enumerate(wanted):
            rest = _children(parent)[row:]
            item = next((item for item in rest if _identity(item) == one), None)
            if item is None:
                item = QTreeWidgetItem()
                item.setData(0, _NAME, one[0])
                item.setData(0, _KEY, one[1])
                parent.insertChild(row, item)
            elif item is not rest[0]:
                opened = item.isExpanded()
                parent.removeChild(item)
                parent.insertChild(row, item)
                item.setExpanded(opened)

    def _fit_numbers(self) -> None:
        """Make the columns of numbers as wide as the largest numbers and the titles need."""
        metrics = self.fontMetrics()
        values = [value for facet in self._listed for value in facet.values]
        for column, most in (
            (1, max((value.games for value in values), default=0)),
            (2, max((value.positions for value in values), default=0)),
        ):
            numbers = metrics.horizontalAdvance(wording.widest(most)) + 2 * _GAP
            self.header().resizeSection(column, max(numbers, self.header().sectionSizeHint(column)))

    def _clicked(self, item: QTreeWidgetItem, _column: int) -> None:
        held = QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
        self._act(item, JOINED if held else ALONE)

    def _act(self, item: QTreeWidgetItem | None, how: str) -> None:
        if item is None:
            return
        name, key = _identity(item)
        if key == _GROUP:
            item.setExpanded(not item.isExpanded())
        elif key == _MORE:
            self._whole.add(name)
            self.show_facets(self._listed, self._choice)
        else:
            self.asked.emit(how, name, key)

    def menu_for(self, item: QTreeWidgetItem) -> QMenu:
        """The menu of a value, with the same commands as clicks and keys."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name, key = _identity(item)
        part = self._choice.of(name)
        chosen, excluded = key in part.chosen, key in part.excluded
        alone = part.chosen == {key} and not part.excluded
        for words, how, on in (
            ("&Only these\tSpace", ALONE, alone),
            ("These &too\tCtrl+Space", JOINED, chosen),
            ("&Not these\tDelete", EXCLUDED, excluded),
        ):
            action = menu.addAction(words, functools.partial(self.asked.emit, how, name, key))
            action.setCheckable(True)
            action.setChecked(on)
        menu.addSeparator()
        menu.addAction("&All hits\tEsc", self.cleared.emit).setEnabled(bool(self._choice))
        return menu

    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        first = index.sibling(index.row(), 0)
        share, state = first.data(_SHARE), first.data(_STATE)
        if share:
            row: QRect = option.rect
            left = self.visualRect(first).left()
            area = QRect(left, row.top() + 1, 0, row.height() - 2)
            # All bars have one scale, whatever the depth of their rows, and end before the numbers.
            whole = self.columnWidth(0) - 3 * self.indentation()
            area.setWidth(max(2, round(whole * min(1.0, float(share)))))
            tint = QColor(colours.of(self, "error" if state == EXCLUDED else "accent"))
            tint.setAlpha(96 if state == ALONE else _TINT_ON_DARK if colours.scheme(self).dark else _TINT)
            painter.fillRect(area, tint)
        super().drawRow(painter, option, index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item, key = self.currentItem(), event.key()
        held = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if key == Qt.Key.Key_Escape and self._choice:
            self.cleared.emit()
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._act(item, JOINED if held else ALONE)
        elif key == Qt.Key.Key_Delete and item is not None and _identity(item)[1] >= 0:
            self._act(item, EXCLUDED)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        pointed = event.reason() == QContextMenuEvent.Reason.Mouse
        item = self.itemAt(event.pos()) if pointed else self.currentItem()
        if item is None or _identity(item)[1] < 0:
            return
        self.setCurrentItem(item)
        if pointed and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._act(item, EXCLUDED)
            return
        place = event.pos() if pointed else self.visualItemRect(item).center()
        self.menu_for(item).popup(self.viewport().mapToGlobal(QPoint(place)))


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = (item.child(row) for row in range(item.childCount()))
    return [child for child in found if child is not None]


def _identity(item: QTreeWidgetItem) -> tuple[str, int]:
    return str(item.data(0, _NAME)), int(item.data(0, _KEY))


def _tip_of(facet: facets.Facet) -> str:
    return {
        facets.ELEMENT: "The images of the query's transforms that matched",
        facets.RATING: "The mean rating of the two players, as far as their ratings are known",
        facets.OPENING: "The ECO code of the game: volume, opening, variation",
        facets.PHASE: "The phase of the game at the hit, by ply and by the number of men",
        facets.PLY: "The ply of the hit: 0 is the position before the first move",
        facets.PLAYER: "Either colour; the players with the most games come first",
    }.get(facet.name, "")


class _Delegate(QStyledItemDelegate):
    """Paints the words and the numbers of a row over its bar."""

    def __init__(self, tree: FacetTree) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), option.fontMetrics.height() + 6)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        first = index.sibling(index.row(), 0)
        state, key = first.data(_STATE), first.data(_KEY)
        tree = self._tree
        role = "text"
        if state == EXCLUDED:
            role = "error"
            option.font.setStrikeOut(index.column() == 0)
        elif state == ALONE:
            option.font.setBold(True)
        elif key == _MORE or (key is not None and key >= 0 and not first.data(_SHARE)):
            role = "muted"
        for ink in (option.palette.ColorRole.Text, option.palette.ColorRole.HighlightedText):
            option.palette.setColor(ink, colours.of(tree, role))
        if index.column() == 0 and state:
            option.text = f"{'✓' if state == ALONE else '✕'} {option.text}"
        # The bar behind the row shows the share; only the focus is drawn over it.
        option.state &= ~QStyle.StateFlag.State_Selected
