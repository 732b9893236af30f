"""What belongs to a row of the table: examples of its games, or what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from cqlgui.tasks.studies import study_counts
from cqlgui.ui.board import miniature
from cqlgui.ui.look import fonts, labels, theme, wording
from cqlgui.ui.tables import text_model, view

_HEADS: Final = ("White", "Black", "Result", "Year", "Ply")
_WHITE, _BLACK, _RESULT, _YEAR, _PLY = range(5)
_THEME: Final = "Put this query into the editor, and search the base with it"


class ExamplesModel(text_model.TextModel):
    """Examples of what a query found."""

    on_the_right = (_RESULT, _YEAR, _PLY)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.samples: tuple[study_counts.Sample, ...] = ()

    def set_samples(self, samples: Sequence[study_counts.Sample]) -> None:
        """Show other examples."""
        self.beginResetModel()
        self.samples = tuple(samples)
        self.endResetModel()

    def texts(self, row: int, columns: Sequence[int]) -> list[str]:
        one = self.samples[row]
        cells = (
            wording.straight(one.white) or "?",
            wording.straight(one.black) or "?",
            one.result.replace("1/2-1/2", "½-½"),
            "" if one.year is None else str(one.year),
            str(one.ply),
        )
        return [cells[column] for column in columns]

    def tip(self, row: int, column: int) -> str | None:
        one = self.samples[row]
        return f"{one.white or '?'} - {one.black or '?'}\n{one.file}, game {one.gamenumber}, ply {one.ply}"

    def rowCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.samples)

    def columnCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_HEADS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(_HEADS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _HEADS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self.on_the_right:
            return text_model.RIGHT
        return None


class Details(QWidget):
    """`opened` carries the example that is to be shown on the board. `theme_wanted` is emitted when the query
    of the row is to be searched for."""

    opened = Signal(object)
    theme_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = labels.ElidedLabel("", self, fills=True)
        self._title.setAccessibleName("Row of the table")
        self.search = QPushButton("Search this theme", self)
        self.search.setToolTip(_THEME)
        self.search.clicked.connect(self.theme_wanted)
        self.model = ExamplesModel(self)
        self.table = view.TableView("Examples", self)
        self.table.set_form(view.Form.COLUMNS)
        self.table.setModel(self.model)
        self._set_widths()
        self.table.chosen.connect(lambda row: self.opened.emit(self.model.samples[row]))
        self.table.set_picture(
            lambda row: miniature.markup(self.model.samples[row].fen, 0, self.devicePixelRatioF())
        )
        self._message = labels.Label(self)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._message.setMargin(12)
        # A fault shows a line of a query with a caret below it, so all letters are equally wide.
        self.faults = QPlainTextEdit(self)
        self.faults.setReadOnly(True)
        self.faults.setAccessibleName("What went wrong")
        self.faults.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self._pages = QStackedWidget(self)
        for page in (self._message, self.table, self.faults):
            self._pages.addWidget(page)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.search)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._pages, 1)
        self.setFocusProxy(self.table)
        theme.theme().changed.connect(self._dress)
        self._dress()

    def show_row(
        self,
        title: str,
        samples: Sequence[study_counts.Sample],
        faults: Sequence[str],
        message: str,
        *,
        searchable: bool,
    ) -> None:
        """Show the faults of a row, or else its examples, or else a `message`. `searchable` says whether the
        query of the row can be searched for."""
        self._title.say(title)
        self.search.setEnabled(searchable)
        if tuple(samples) != self.model.samples:
            self.model.set_samples(samples)
        text = wording.straight("\n\n".join(faults))
        if text != self.faults.toPlainText():
            self.faults.setPlainText(text)
        self._message.setText(message)
        shown = self.faults if faults and not samples else self.table if samples else self._message
        self._pages.setCurrentWidget(shown)

    def _set_widths(self) -> None:
        """Make the columns of numbers as wide as their texts. The players share the other room."""
        metrics, head = self.table.fontMetrics(), self.table.horizontalHeader()
        texts = {_RESULT: "Result", _YEAR: "0000", _PLY: "0000"}
        widths = [metrics.horizontalAdvance(texts.get(column, "")) for column in range(len(_HEADS))]
        self.table.set_widths([width + 3 * view.PADDING for width in widths])
        head.setStretchLastSection(False)
        for column in (_WHITE, _BLACK):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def _dress(self) -> None:
        self._message.setStyleSheet(f"color: {theme.colours().muted};")
        self.faults.setFont(fonts.fixed())
