"""The text widget of the query editor, with its keys, brackets, wavy lines, tooltips and completion.

All offsets in the interface of this module are code points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QTextEdit, QToolTip, QWidget

from cqlgui.cql.editing import spelling
from cqlgui.cql.printing import printers
from cqlgui.cql.source import diagnostics
from cqlgui.ui.editor import brackets, completion, editing, gutter, highlight, hover, offsets
from cqlgui.ui.look import colours, fonts, wording

_SMALLEST, _LARGEST = 6.0, 40.0  # the smallest and the largest size of the text, in points
_PAIRS = {"(": ")", "{": "}", "[": "]"}


class QueryEdit(QPlainTextEdit):
    """A plain-text editor that knows the query language.

    The signal `changed` is emitted once for each real change of the text, but not for a change of colours.
    `run_requested` is emitted for Ctrl+Return, `find_requested` for Ctrl+F, `fix_requested` for Ctrl+period,
    and `help_requested` for F1. `caret_moved` carries the caret's code-point offset. `menu_opening` carries
    the context menu and the code-point offset under the pointer. Receivers can add actions to the menu.
    """

    changed = Signal()
    caret_moved = Signal(int)
    run_requested = Signal()
    find_requested = Signal()
    fix_requested = Signal()
    help_requested = Signal()
    menu_opening = Signal(QMenu, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Query text")
        self.setAccessibleDescription(
            "CQL query. Control+Space completes a word, Control+period mends a mistake, "
            "Control+Return runs the query."
        )
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setPlaceholderText("For example  flipcolor {Bh7 kh8}")
        self.setMouseTracking(True)
        self._text = ""
        self._offsets = offsets.Offsets("")
        self._revision = -1
        self._known = ""
        # Whether the caret's line must be scrolled to the top when the widget becomes visible.
        self._begins = False
        self._colouring = False
        self._diagnostics: tuple[diagnostics.Diagnostic, ...] = ()
        self._diagnosed = ""
        self._severities: dict[int, str] = {}
        self._fixable: frozenset[int] = frozenset()
        self._squiggles: list[QTextEdit.ExtraSelection] = []
        self._found: list[QTextEdit.ExtraSelection] = []
        self._governed: list[QTextEdit.ExtraSelection] = []
        font = fonts.fixed()
        self._normal_size = font.pointSizeF()
        self.setFont(font)
        self.highlighter = highlight.Highlighter(self)
        self.completer = completion.Completer(self)
        self.gutter = gutter.Gutter(self, self)
        self.blockCountChanged.connect(self.lay_out)
        self.updateRequest.connect(self._scroll_gutter)
        self.verticalScrollBar().valueChanged.connect(self._colour_view)
        self.textChanged.connect(self._text_changed)
        self.cursorPositionChanged.connect(self._caret_changed)
        self.lay_out()
        self._show_selections()

    # --- text and offsets -----------------------------------------------------------------------------------

    def text(self) -> str:
        """The whole query; the lines end with `\\n`."""
        self._refresh()
        return self._text

    def offsets(self) -> offsets.Offsets:
        """The converter between code points and the document's UTF-16 positions, for the current text."""
        self._refresh()
        return self._offsets

    def caret(self) -> int:
        """The code-point offset of the caret."""
        return self.offsets().to_points(self.textCursor().position())

    def selection(self) -> tuple[int, int]:
        """The code-point offsets of the selection's start and end. The two offsets are equal if nothing is
        selected."""
        cursor, mapping = self.textCursor(), self.offsets()
        return mapping.to_points(cursor.selectionStart()), mapping.to_points(cursor.selectionEnd())

    def select(self, start: int, end: int) -> None:
        """Select a range of code points and scroll to the selection."""
        mapping = self.offsets()
        cursor = self.textCursor()
        cursor.setPosition(mapping.to_units(start))
        cursor.setPosition(mapping.to_units(end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def begin_at(self, offset: int) -> None:
        """Put the caret at an offset. Scroll the caret's line to the top, or as near to the top as the text
        allows."""
        self.select(offset, offset)
        self._begins = not self.isVisible()
        if not self._begins:
            self._raise_caret()

    def _raise_caret(self) -> None:
        bar = self.verticalScrollBar()
        # The scroll bar counts lines on the screen. A long line that is wrapped counts as several lines.
        bar.setValue(bar.value() + self.cursorRect().top() // self.fontMetrics().lineSpacing())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._begins:
            self._begins = False
            # Scrolling waits until this event has ended. The view then has its final size, which decides
            # where lines are wrapped.
            QTimer.singleShot(0, self, self._raise_caret)

    def replace(self, start: int, end: int, new: str) -> None:
        """Replace a range of code points by `new` as one undoable edit. If the caret is in a part that does
        not change, the caret keeps its place in this part."""
        old = self.text()[start:end]
        if old == new:
            return
        mapping = self.offsets()
        caret, anchor = (
            mapping.to_points(self.textCursor().position()),
            mapping.to_points(self.textCursor().anchor()),
        )
        pieces = _pieces(old, new)
        edit = self.textCursor()  # undo moves the caret to the place of this cursor
        edit.beginEditBlock()
        for low, high, piece in reversed(pieces):
            edit.setPosition(mapping.to_units(start + low))
            edit.setPosition(mapping.to_units(start + high), QTextCursor.MoveMode.KeepAnchor)
            edit.insertText(piece)
        edit.endEditBlock()
        after = self.offsets()
        cursor = self.textCursor()
        cursor.setPosition(after.to_units(_moved(anchor - start, pieces) + start))
        cursor.setPosition(
            after.to_units(_moved(caret - start, pieces) + start), QTextCursor.MoveMode.KeepAnchor
        )
        self.setTextCursor(cursor)

    def apply(self, changes: Sequence[spelling.Change]) -> None:
        """Make several changes, given in text order, as one undoable edit; caret and scroll position are
        kept.
        """
        if not changes:
            return
        mapping = self.offsets()
        here = self.textCursor()
        ends = [mapping.to_points(here.anchor()), mapping.to_points(here.position())]
        scrolled = self.verticalScrollBar().value()
        edit = self.textCursor()
        edit.beginEditBlock()
        for change in reversed(changes):
            edit.setPosition(mapping.to_units(change.start))
            edit.setPosition(mapping.to_units(change.end), QTextCursor.MoveMode.KeepAnchor)
            edit.insertText(change.new)
        edit.endEditBlock()
        after = self.offsets()
        anchor, caret = (after.to_units(spelling.moved(end, changes)) for end in ends)
        cursor = self.textCursor()
        cursor.setPosition(anchor)
        cursor.setPosition(caret, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(scrolled)

    # --- diagnostics and marks ------------------------------------------------------------------------------

    def set_diagnostics(self, found: tuple[diagnostics.Diagnostic, ...]) -> None:
        """Show the findings (errors and warnings) of the current text. Each finding has a wavy line under the
        text, and a mark in the gutter."""
        self._diagnosed = self.text()
        self._diagnostics = found
        self._mark_findings()

    def _mark_findings(self) -> None:
        found = self._diagnostics
        self._severities = {}
        self._squiggles = []
        fixable = set()
        for finding in reversed(found):  # the first finding is drawn last, on top
            selection = QTextEdit.ExtraSelection()
            shape = QTextCharFormat()
            shape.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            shape.setUnderlineColor(colours.of(self, finding.severity))
            selection.format = shape
            cursor = QTextCursor(self.document())
            start, end = self.squiggle_units(finding)
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            selection.cursor = cursor
            self._squiggles.append(selection)
            line = self.document().findBlock(start).blockNumber()
            if finding.severity == "error" or line not in self._severities:
                self._severities[line] = finding.severity
            if finding.fix is not None:
                fixable.add(line)
        self._fixable = frozenset(fixable)
        self._show_selections()
        self.gutter.update()

    def squiggle_units(self, finding: diagnostics.Diagnostic) -> tuple[int, int]:
        """The document positions of the wavy line of a finding: the span, or the nearest character if the
        span is empty."""
        mapping, text = self.offsets(), self.text()
        start, end = min(finding.span.offset, len(text)), min(finding.span.end, len(text))
        if start == end and text:
            # At the end of the text or of a line there is no character to underline. The character before the
            # end is underlined.
            if start == len(text) or (text[start] == "\n" and start and text[start - 1] != "\n"):
                start = max(0, start - 1)
            end = min(len(text), start + 1)
        return mapping.to_units(start), mapping.to_units(end)

    def diagnostics_at(self, offset: int) -> list[diagnostics.Diagnostic]:
        """The findings with a wavy line under the character at a code-point offset."""
        unit = self.offsets().to_units(offset)
        found = []
        for finding in self._diagnostics:
            start, end = self.squiggle_units(finding)
            if start <= unit < end:
                found.append(finding)
        return found

    @property
    def findings(self) -> tuple[diagnostics.Diagnostic, ...]:
        """The findings that are shown."""
        return self._diagnostics

    def findings_hold(self) -> bool:
        """True if the findings belong to the current text."""
        return self._diagnosed == self.text()

    def fixable_lines(self) -> frozenset[int]:
        """The numbers (from 0) of the lines with a finding that has a fix."""
        return self._fixable

    def line_severities(self) -> dict[int, str]:
        """Maps the number (from 0) of a line with findings to the gravest severity on this line."""
        return self._severities

    def set_found(self, spans: list[tuple[int, int]]) -> None:
        """Mark ranges of code points as matches of the find bar."""
        self._found = []
        mapping = self.offsets()
        for start, end in spans:
            self._found.append(self._mark(mapping.to_units(start), mapping.to_units(end), "found"))
        self._show_selections()

    def set_governed(self, start: int, end: int) -> None:
        """Tint a range of code points. While the pointer is on a transform, the tint shows the operand of the
        transform. An empty range removes the tint."""
        mapping = self.offsets()
        units = mapping.to_units(start), mapping.to_units(end)
        if start < end:
            self._governed = [self._mark(*units, "governed")]
        elif self._governed:
            self._governed = []
        else:
            return
        self._show_selections()

    @property
    def governed(self) -> str:
        """The tinted text."""
        return self._governed[0].cursor.selectedText() if self._governed else ""

    def hover_html(self, offset: int) -> str:
        """The rich text of the tooltip at a code-point offset: the findings, followed by help on the keyword.
        The text is empty if there is nothing to show.
        """
        parts = [hover.finding_html(finding) for finding in self.diagnostics_at(offset)]
        block = self.document().findBlock(self.offsets().to_units(offset))
        column = self.offsets().to_units(offset) - block.position()
        token = highlight.token_at(block, column)
        line = block.text()
        before = line[: offsets.Offsets(line).to_points(column)]
        helped = hover.token_html(token, before) if token is not None else ""
        return "<hr>".join([*parts, helped] if helped else parts)

    def _mark(self, start: int, end: int, role: str) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        shape = QTextCharFormat()
        shape.setBackground(colours.of(self, role))
        selection.format = shape
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        return selection

    def _show_selections(self) -> None:
        line = QTextEdit.ExtraSelection()
        shape = QTextCharFormat()
        shape.setBackground(colours.of(self, "current-line"))
        shape.setProperty(QTextFormat.Property.FullWidthSelection, True)
        line.format = shape
        cursor = self.textCursor()
        cursor.clearSelection()
        line.cursor = cursor
        # In an empty editor the current line is not tinted, because the tint would cover the placeholder
        # text.
        marks = [] if self.document().isEmpty() else [line]
        marks += [*self._governed, *self._found, *self._squiggles]
        for position, matched in brackets.at(self.document(), self.textCursor().position()):
            marks.append(self._mark(position, position + 1, "bracket-match" if matched else "bracket-alone"))
        self.setExtraSelections(marks)

    # --- editing --------------------------------------------------------------------------------------------

    def toggle_comment(self) -> None:
        """Comment out the selected lines with `//`, or remove the `//` if all selected lines are comments."""
        self._edit_lines(editing.comment_toggled)

    def indent(self) -> None:
        """Move the selected lines one step to the right."""
        self._edit_lines(editing.indented)

    def dedent(self) -> None:
        """Move the selected lines one step to the left."""
        self._edit_lines(editing.dedented)

    def respell(self) -> None:
        """Spell the query with Unicode signs, or with words if the query already has Unicode signs."""
        text = self.text()
        style: printers.Style = "ascii" if spelling.has_signs(text) else "unicode"
        self.apply(spelling.changes(text, style))

    def zoom(self, steps: int) -> None:
        """Change the text size by `steps` points; 0 restores the normal size."""
        font = self.font()
        size = self._normal_size if steps == 0 else font.pointSizeF() + steps
        font.setPointSizeF(min(max(size, _SMALLEST), _LARGEST))
        self.setFont(font)
        self.highlighter.recolour()
        self.lay_out()

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, float, float]]:
        """The text blocks in view, each with its top and its height in pixels."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= self.viewport().height():
            height = self.blockBoundingRect(block).height()
            if block.isVisible():
                yield block, top, height
            top += height
            block = block.next()

    def _edit_lines(self, change: editing.LineEdit) -> None:
        cursor = self.textCursor()
        document = self.document()
        first = document.findBlock(cursor.selectionStart())
        last = document.findBlock(cursor.selectionEnd())
        if cursor.hasSelection() and cursor.selectionEnd() == last.position() and last != first:
            last = last.previous()  # a selection that ends at a line's start does not include that line
        numbers = range(first.blockNumber(), last.blockNumber() + 1)
        lines = [document.findBlockByNumber(number).text() for number in numbers]
        changed = change(lines)
        edit = self.textCursor()
        edit.beginEditBlock()
        for number, old, new in zip(numbers, lines, changed, strict=True):
            if old == new:
                continue
            # Only the part that differs is changed. Replacing the whole line would move the caret and the
            # selection.
            head = _common(old, new)
            tail = _common(old[head:][::-1], new[head:][::-1])
            block = document.findBlockByNumber(number)
            mapping = offsets.Offsets(old)
            edit.setPosition(block.position() + mapping.to_units(head))
            edit.setPosition(
                block.position() + mapping.to_units(len(old) - tail), QTextCursor.MoveMode.KeepAnchor
            )
            edit.insertText(new[head : len(new) - tail])
        edit.endEditBlock()

    def _new_line(self) -> None:
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        line, column = cursor.block().text(), cursor.positionInBlock()
        mapping = offsets.Offsets(line)
        at = mapping.to_points(column)
        indent, behind = editing.new_line_indent(line[:at], line[at:])
        cursor.insertText("\n" + indent)
        if behind:
            stay = cursor.position()
            cursor.insertText(behind)
            cursor.setPosition(stay)
        cursor.endEditBlock()
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _typed_bracket(self, typed: str) -> bool:
        """Insert a typed opening bracket with its partner, or step over an existing closing bracket. If the
        result is False, the text widget handles the key."""
        cursor = self.textCursor()
        line, column = cursor.block().text(), cursor.positionInBlock()
        following = offsets.Offsets(line).to_points(column)
        ahead = line[following : following + 1]
        if typed in _PAIRS.values() and ahead == typed and not cursor.hasSelection():
            cursor.movePosition(QTextCursor.MoveOperation.NextCharacter)
            self.setTextCursor(cursor)
            return True
        if typed not in _PAIRS:
            return False
        if cursor.hasSelection():
            start, end = cursor.selectionStart(), cursor.selectionEnd()
            cursor.beginEditBlock()
            cursor.setPosition(end)
            cursor.insertText(_PAIRS[typed])
            cursor.setPosition(start)
            cursor.insertText(typed)
            cursor.endEditBlock()
            cursor.setPosition(start + 1)
            cursor.setPosition(end + 1, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
            return True
        # If a word follows the caret, the partner is not added, because the partner would come between the
        # typed bracket and the word. In a string or comment a bracket needs no partner.
        if (ahead and not ahead.isspace() and ahead not in _PAIRS.values()) or brackets.in_quiet(cursor):
            return False
        cursor.beginEditBlock()
        cursor.insertText(typed + _PAIRS[typed])
        cursor.endEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.PreviousCharacter)
        self.setTextCursor(cursor)
        return True

    def _backspace_pair(self) -> bool:
        cursor = self.textCursor()
        line, column = (
            cursor.block().text(),
            offsets.Offsets(cursor.block().text()).to_points(cursor.positionInBlock()),
        )
        if cursor.hasSelection() or not column or _PAIRS.get(line[column - 1]) != line[column : column + 1]:
            return False
        cursor.beginEditBlock()
        cursor.deleteChar()
        cursor.deletePreviousChar()
        cursor.endEditBlock()
        return True

    def _tab(self, back: bool) -> None:
        cursor = self.textCursor()
        if back:
            self.dedent()
        elif cursor.hasSelection():
            self.indent()
        else:
            cursor.insertText(" " * (len(editing.INDENT) - cursor.positionInBlock() % len(editing.INDENT)))

    # --- upkeep ---------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        revision = self.document().revision()
        if revision != self._revision:
            self._revision = revision
            self._text = self.toPlainText()
            self._offsets = offsets.Offsets(self._text)

    def _text_changed(self) -> None:
        # Qt also reports a change if the highlighter only sets colours.
        if not self._colouring and self.text() != self._known:
            self._known = self._text
            self._colour_view()
            self.changed.emit()

    def _caret_changed(self) -> None:
        self._show_selections()
        self.gutter.update()
        self.caret_moved.emit(self.caret())

    def _colour_view(self) -> None:
        self._colouring = True
        first = self.firstVisibleBlock().blockNumber()
        self.highlighter.show(first, first + self.viewport().height() // max(1, self.fontMetrics().height()))
        self._colouring = False

    def lay_out(self) -> None:
        """Give the gutter the width that the gutter needs."""
        width = self.gutter.needed_width()
        self.setViewportMargins(width, 0, 0, 0)
        inside = self.contentsRect()
        self.gutter.setGeometry(QRect(inside.left(), inside.top(), width, inside.height()))
        self.gutter.update()

    def _scroll_gutter(self, area: QRect, by: int) -> None:
        if by:
            self.gutter.scroll(0, by)
        else:
            self.gutter.update(0, area.y(), self.gutter.width(), area.height())

    def _tool_tip(self, event: QHelpEvent) -> None:
        place = self.viewport().mapFromGlobal(event.globalPos())
        cursor = self.cursorForPosition(place)
        offset = self.offsets().to_points(cursor.position())
        # `cursor` is at the nearest gap between two characters. The pointer may be over the character before
        # this gap.
        if self.cursorRect(cursor).left() > place.x() and offset:
            offset -= 1
        words = self.hover_html(offset) if self._over_text(place, offset) else ""
        if words:
            QToolTip.showText(event.globalPos(), wording.markup_tip(words), self.viewport())
        else:
            QToolTip.hideText()

    def _over_text(self, place: QPoint, offset: int) -> bool:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self.offsets().to_units(offset))
        near = self.cursorRect(cursor)
        width = self.fontMetrics().averageCharWidth()
        return (
            near.top() <= place.y() <= near.bottom() and near.left() <= place.x() <= near.left() + 3 * width
        )

    def event(self, event: QEvent) -> bool:
        # While the completion popup is open, Esc closes the popup. Without this test, Esc would trigger a
        # shortcut of the window.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.completer.words()
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.completer.takes(event):
            return
        key, held = event.key(), event.modifiers()
        if key == Qt.Key.Key_Escape:
            # The editor has no use for Esc. The event is ignored, and Qt passes the event to the widgets
            # around the editor.
            event.ignore()
            return
        control = bool(held & Qt.KeyboardModifier.ControlModifier)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and control:
            self.run_requested.emit()
        elif key == Qt.Key.Key_Space and control:
            self.completer.open(asked=True)
        elif key == Qt.Key.Key_Y and control:
            # Qt has the shortcut Ctrl+Y for redo on Windows only.
            self.redo()
        elif key == Qt.Key.Key_Slash and control:
            self.toggle_comment()
        elif key == Qt.Key.Key_Period and control:
            self.fix_requested.emit()
        elif key == Qt.Key.Key_F1:
            self.help_requested.emit()
        elif event.matches(QKeySequence.StandardKey.Find):
            self.find_requested.emit()
        elif control and key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1)
        elif control and key == Qt.Key.Key_Minus:
            self.zoom(-1)
        elif control and key == Qt.Key.Key_0:
            self.zoom(0)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not held & ~Qt.KeyboardModifier.KeypadModifier:
            self._new_line()
        elif key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) and not control:
            self._tab(back=key == Qt.Key.Key_Backtab)
        elif (key == Qt.Key.Key_Backspace and not control and self._backspace_pair()) or (
            not control and event.text() and event.text() in "(){}[]" and self._typed_bracket(event.text())
        ):
            pass
        else:
            super().keyPressEvent(event)
            if event.text() and not control:
                self.completer.typed(event.text())
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu()
        keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        cursor = self.textCursor() if keyboard else self.cursorForPosition(event.pos())
        if not keyboard and not self.textCursor().hasSelection():
            self.setTextCursor(cursor)
        self.menu_opening.emit(menu, self.offsets().to_points(cursor.position()))
        place = self.viewport().mapToGlobal(self.cursorRect().bottomLeft()) if keyboard else event.globalPos()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y()
            if turned:
                self.zoom(1 if turned > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        # The window opens dropped files. Without this test, Qt would insert the addresses of the files into
        # the query.
        if any(url.isLocalFile() for url in source.urls()):
            return False
        return super().canInsertFromMimeData(source)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._tool_tip(event)
            return True
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) and hasattr(self, "gutter"):
            self.highlighter.recolour()
            self._mark_findings()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()
        self._colour_view()


def _common(first: str, second: str) -> int:
    """The length of the longest common prefix of two texts. The search is a bisection, because Python
    compares slices in C, and a loop over characters would be slow."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


Piece = tuple[int, int, str]


def _pieces(old: str, new: str) -> list[Piece]:
    """The change from `old` to `new` as replacements (start, end, text). Equal text at the start and at the
    end is not replaced."""
    if old and old in new:
        at = new.index(old)
        return [(0, 0, new[:at]), (len(old), len(old), new[at + len(old) :])]
    if new and new in old:
        at = old.index(new)
        return [(0, at, ""), (at + len(new), len(old), "")]
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    return [(head, len(old) - tail, new[head : len(new) - tail])]


def _moved(offset: int, pieces: list[Piece]) -> int:
    """The offset in the new text that corresponds to an offset in the old text."""
    shift = 0
    for index, (start, end, text) in enumerate(pieces):
        if offset > end or (offset == end and index == 0 and len(pieces) == 2):
            shift += len(text) - (end - start)
        elif offset > start:
            return start + shift + min(offset - start, len(text))
    return offset + shift
