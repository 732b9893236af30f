"""The completion popup: keywords from the registry, each with a line of help, and names used in the query."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPalette, QStandardItem, QStandardItemModel, QTextCursor
from PySide6.QtWidgets import QCompleter, QPlainTextEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from cqlgui.cql.editing import completing
from cqlgui.cql.source import tokens
from cqlgui.ui.editor import brackets, highlight, hover, offsets
from cqlgui.ui.look import colours, wording

_ENOUGH = 2  # the number of typed letters that opens the popup
_HELP = Qt.ItemDataRole.UserRole + 1


class Completer(QCompleter):
    """The popup opens below the caret. Enter or Tab inserts the selected word. Esc closes the popup."""

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self.setWidget(editor)
        self.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.setMaxVisibleItems(10)
        view = self.popup()
        assert view is not None, "a completer makes its popup when first asked"
        self._view = view
        self._view.setItemDelegate(_Delegate(self._view))
        self._view.setAccessibleName("Completions")
        self.activated[str].connect(self._insert)  # type: ignore[index]  # an overloaded signal

    def words(self) -> list[str]:
        """The words in the popup, in the order shown; empty while the popup is closed."""
        if not self._view.isVisible():
            return []
        return [self._items.item(row).text() for row in range(self._items.rowCount())]

    def typed(self, text: str) -> None:
        """Open, refresh or close the popup after a character was typed."""
        if text.isalnum() or text in "$_-":
            self.open(asked=False)
        elif self._view.isVisible():
            # Backspace shortens the prefix. Any other character that is not part of a word ends the word.
            if text == "\b" and self.prefix():
                self.open(asked=False)
            else:
                self._view.hide()

    def open(self, *, asked: bool) -> None:
        """Offer completions of the word before the caret. `asked` is True if the user has pressed Ctrl+Space.
        If `asked` is False, the word must have at least two letters, and the caret must be outside strings
        and comments."""
        prefix = self.prefix()
        if (not asked and len(prefix) < _ENOUGH) or (
            not asked and brackets.in_quiet(self._editor.textCursor())
        ):
            self._view.hide()
            return
        found = completing.offers(prefix, self._near())
        self._items.clear()
        for offer in found:
            self._add(offer.word, offer.meaning, hover.row_html(offer.row) if offer.row is not None else "")
        whole = any(offer.word == prefix for offer in found)
        if not self._items.rowCount() or (not asked and whole and self._items.rowCount() == 1):
            self._view.hide()
            return
        self.setCompletionPrefix(prefix)
        where = self._editor.cursorRect().translated(self._editor.viewport().pos())
        width = min(560, max(260, self._editor.width() - 40))
        self.complete(QRect(where.left(), where.top(), width, where.height()))
        # If the word is already complete, no completion is selected. If a completion were selected, Return
        # would insert the completion, but the user wants a new line.
        first = self.completionModel().index(0, 0)
        self._view.setCurrentIndex(QModelIndex() if whole and not asked else first)

    def prefix(self) -> str:
        """The part of the word that is before the caret."""
        cursor = self._editor.textCursor()
        line = cursor.block().text()
        return completing.prefix(line[: offsets.Offsets(line).to_points(cursor.positionInBlock())])

    def takes(self, event: QKeyEvent) -> bool:
        """Handle a key while the popup is open. If the result is False, the editor handles the key."""
        popup = self._view
        if not popup.isVisible():
            return False
        key = event.key()
        if key == Qt.Key.Key_Escape:
            popup.hide()
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab) and not event.modifiers():
            index = popup.currentIndex()
            popup.hide()
            if index.isValid():
                self._insert(str(index.data()))
                return True
            return False
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            step = 1 if key == Qt.Key.Key_Down else -1
            row = (popup.currentIndex().row() + step) % self._items.rowCount()
            popup.setCurrentIndex(self.completionModel().index(row, 0))
            return True
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
            popup.hide()
        return False

    def _add(self, word: str, meaning: str, help_text: str) -> None:
        item = QStandardItem(word)
        item.setData(meaning, _HELP)
        item.setToolTip(wording.markup_tip(help_text))
        item.setAccessibleText(f"{word}: {meaning}")
        item.setEditable(False)
        self._items.appendRow(item)

    def _near(self) -> list[tokens.Token]:
        """The tokens of the lines around the caret."""
        here = self._editor.textCursor().blockNumber()
        block = self._editor.document().findBlockByNumber(max(0, here - completing.NEAR))
        found: list[tokens.Token] = []
        while block.isValid() and block.blockNumber() <= here + completing.NEAR:
            found += [token for _, _, token in highlight.of_block(block).pieces]
            block = block.next()
        return found

    def _insert(self, word: str) -> None:
        cursor = self._editor.textCursor()
        prefix = self.prefix()
        cursor.movePosition(
            QTextCursor.MoveOperation.PreviousCharacter, QTextCursor.MoveMode.KeepAnchor, len(prefix)
        )
        cursor.insertText(word)
        self._editor.setTextCursor(cursor)


class _Delegate(QStyledItemDelegate):
    """Draws a word at the left and its meaning at the right. A meaning that is too long is elided."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, option.fontMetrics.height() + 8)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        view = self.parent()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette: QPalette = option.palette
        area: QRect = option.rect
        painter.save()
        painter.fillRect(area, palette.highlight() if chosen else palette.base())
        font = QFont(option.font)
        font.setBold(True)
        painter.setFont(font)
        ink = palette.color(QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text)
        painter.setPen(ink)
        column = 124
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area.adjusted(8, 0, 0, 0), middle, str(index.data()))
        width = painter.fontMetrics().horizontalAdvance(str(index.data()))
        painter.setFont(option.font)
        if not chosen:
            painter.setPen(colours.of(view, "muted"))  # type: ignore[arg-type]  # the parent is the popup
        rest = area.adjusted(max(column, width + 20), 0, -8, 0)
        words = painter.fontMetrics().elidedText(
            str(index.data(_HELP)), Qt.TextElideMode.ElideRight, rest.width()
        )
        painter.drawText(rest, middle, words)
        painter.restore()
