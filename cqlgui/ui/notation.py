"""The moves of a game with variations, comments and glyphs; the current move and the hits are marked.

Long games are laid out in chunks between events. Each chunk is a paragraph of its own, since Qt lays a whole
paragraph out anew at every change. Moving about only changes an extra selection, never the text; hits are
painted over it where they are in view.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainterPath,
    QPaintEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
    QTextLine,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from cqlgui.base import patterns
from cqlgui.board import men, tree
from cqlgui.tasks import model
from cqlgui.ui import canvas, theme
from cqlgui.ui.panels import labels, wording

CHUNK = 300
_HYPHEN, _UNBROKEN = "-", "\N{NON-BREAKING HYPHEN}"
"""What moves are written with, and what stands for it on screen: else lines would break within castling."""
LONGEST_COMMENT = 20_000
"""Characters of a comment that are shown; how many more there are is said."""
_LETTERS = 60
"""So many characters of a chunk count as one piece."""
_LONGEST_WORD = 100
_WORD_BREAK = "\N{ZERO WIDTH SPACE}"
_LONG_WORD = patterns.pattern(rf"\S{{{_LONGEST_WORD}}}(?=\S)")
_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
_FROM_RIGHT = patterns.pattern("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±",
           17: "∓", 18: "+-", 19: "-+", 22: "⨀", 23: "⨀", 146: "N"}  # fmt: skip
Piece = tuple[str, str, int]
"""Kind (`main`, `variation`, `comment`, `sign`), text, positionid or -1."""


def pieces(game: model.LoadedGame, figurine: bool = False) -> Iterator[Piece]:
    """The notation in reading order, lazily: a game of any depth, without recursion."""
    line = game.tree
    if 0 in game.comments:
        yield "comment", game.comments[0], -1
    # Entries are a position to print with its siblings after it, or a bare sign to print.
    stack: list[tuple[int, bool, bool] | str] = []
    if line.children[0]:
        stack.append((line.children[0][0], True, True))
    while stack:
        entry = stack.pop()
        if isinstance(entry, str):
            yield "sign", entry, -1
            continue
        number, first, with_siblings = entry
        parent = line.parents[number]
        if number in game.before:
            yield "comment", game.before[number], -1
        kind = "main" if line.depths[number] == 0 else "variation"
        text = line.san(number, figurine)
        if line.mover(number) == men.WHITE:
            text = f"{line.display_number(number)}.{text}"
        elif first or parent in game.comments:
            text = f"{line.display_number(number)}...{text}"
        glyphs = "".join(_GLYPHS.get(nag, f" ${nag}") for nag in game.nags.get(number, ()))
        yield kind, text + glyphs, number
        if number in game.comments:
            yield "comment", game.comments[number], -1
        siblings = line.children[parent][1:] if with_siblings else ()
        if line.children[number]:
            stack.append((line.children[number][0], bool(siblings), True))
        for other in reversed(siblings):
            stack += [")", (other, True, False), "("]


def begun(game: model.LoadedGame, figurine: bool = False) -> Iterator[Piece]:
    """The same, with what is shown first made at once: for a thread that is not the window's."""
    left = pieces(game, figurine)
    return itertools.chain(list(itertools.islice(left, 2 * CHUNK)), left)


class _View(NamedTuple):
    """The place in the text at the upper edge and how far below it that is in pixels; the selection."""

    top: int
    offset: int
    anchor: int
    caret: int


class NotationView(QTextEdit):
    """`position_chosen` carries the positionid of a click; `stepped` and `jumped` are as on the board."""

    position_chosen = Signal(int)
    stepped = Signal(int)
    jumped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName("Notation")
        self.setPlaceholderText("The moves of the game stand here.")
        self.setMinimumHeight(60)
        # Lines are folded, yet the space that ends one may count as a point too many.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(8)
        self._game: model.LoadedGame | None = None
        self._figurine = False
        self._spans: dict[int, tuple[int, int]] = {0: (0, 0)}
        self._starts: list[int] = []
        self._ids: list[int] = []
        self._hits: frozenset[int] = frozenset()
        self._current = 0
        # Whether the current move is still to be laid out, and then brought into view.
        self._awaited = False
        # What was in view and selected before the same text was drawn anew, until it is laid out again.
        self._kept: _View | None = None
        self._left: Iterator[Piece] = iter(())
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._lay_out_chunk)
        theme.theme().changed.connect(self._render_again)

    def set_game(self, game: model.LoadedGame | None, made: Iterator[Piece] | None = None) -> None:
        """Show a game from its start; `made` are its pieces, where they were `begun`."""
        self._game, self._current, self._hits = game, 0, frozenset()
        self._kept = None
        self._render(made)

    @property
    def figurine(self) -> bool:
        """Whether men are printed as figurines."""
        return self._figurine

    def set_figurine(self, figurine: bool) -> None:
        """Print men as figurines or as letters."""
        if figurine != self._figurine:
            self._figurine = figurine
            self._render_again()

    def set_current(self, positionid: int) -> None:
        """Mark the move that led to this position and bring it into view."""
        if positionid != self._current:
            # Elsewhere there is another view.
            self._kept = None
        self._current = positionid
        span = self._spans.get(positionid)
        self._awaited = span is None
        if span is not None:
            cursor = QTextCursor(self.document())
            cursor.setPosition(span[0])
            self.setTextCursor(cursor)
            self.ensureCursorVisible()
        self._mark()

    def set_hits(self, ids: Iterable[int]) -> None:
        """Mark the moves that led to hits."""
        self._hits = frozenset(ids)
        self._mark()
        self.viewport().update()

    def _render_again(self) -> None:
        """Draw the same text anew, with the same moves in view and the same text selected: a figurine stands
        for one letter, so that places in the text stay what they are.
        """
        if self._kept is None:
            top = self.cursorForPosition(QPoint(0, 0))
            cursor = self.textCursor()
            self._kept = _View(top.position(), self.cursorRect(top).top(), cursor.anchor(), cursor.position())
        self._render()

    def _look_again(self) -> None:
        """Bring back what was in view and selected, once it is laid out."""
        kept, length = self._kept, self.document().characterCount() - 1
        if kept is None or (self._timer.isActive() and length < max(kept.top, kept.anchor, kept.caret)):
            return
        self._kept = None
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(kept.anchor, length))
        cursor.setPosition(min(kept.caret, length), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        cursor.setPosition(min(kept.top, length))
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(cursor).top() - kept.offset)

    def _render(self, made: Iterator[Piece] | None = None) -> None:
        self._timer.stop()
        # The text goes last: its going scrolls, which marks what is in view.
        self._spans, self._starts, self._ids = {0: (0, 0)}, [], []
        self.clear()
        if self._game is None:
            return
        self._left = made or pieces(self._game, self._figurine)
        self._timer.start()
        self._lay_out_chunk()

    def _lay_out_chunk(self) -> None:
        colours = theme.colours()
        formats = {}
        for kind, role in (
            ("main", "text"),
            ("variation", "variation"),
            ("comment", "comment_text"),
            ("sign", "muted"),
        ):
            made = QTextCharFormat()
            made.setForeground(colours.colour(role))
            made.setFontWeight(QFont.Weight.DemiBold if kind == "main" else QFont.Weight.Normal)
            formats[kind] = made
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        if cursor.position():
            cursor.insertBlock()
        # Pieces of one kind are put in together: each insertion costs.
        begin = place = cursor.position()
        kind, run, previous = "main", "", ""
        for count, (next_kind, text, number) in enumerate(self._left, 1):
            if next_kind != kind:
                cursor.insertText(run, formats[kind])
                kind, run = next_kind, ""
            if not (text == ")" or previous == "(" or place == begin):
                run, place = f"{run} ", place + 1
            shown = _comment(text) if kind == "comment" else text.replace(_HYPHEN, _UNBROKEN)
            start, place = place, place + len(shown.encode("utf-16-le")) // 2
            run += shown
            if number >= 0:
                self._spans[number] = (start, place)
                self._starts.append(start)
                self._ids.append(number)
            previous = text
            # No line shall end with "(", nor begin with ")" where that can be helped.
            laid = max(count, (place - begin) // _LETTERS)
            if laid >= CHUNK and (kind == "main" or (laid >= 2 * CHUNK and text != "(")):
                break
        else:
            self._timer.stop()
            if self._game is not None and self._game.row.result:
                cursor.insertText(run, formats[kind])
                kind, run = "main", ("" if place == begin else " ") + self._game.row.result
        cursor.insertText(run, formats[kind])
        cursor.endEditBlock()
        if self._awaited and self._current in self._spans:
            self.set_current(self._current)
        else:
            self._mark()
        self._look_again()

    def _mark(self) -> None:
        marks = []
        if self._current and self._current in self._spans:
            colours = theme.colours()
            made = QTextCharFormat()
            made.setBackground(colours.colour("current_move"))
            made.setForeground(colours.colour("current_move_text"))
            made.setFontUnderline(self._current in self._hits)
            marks.append(self._selection(self._current, made))
        self.setExtraSelections(marks)

    def hits_in(self, area: QRect) -> list[int]:
        """The hits whose moves stand in the lines of an area of the viewport, in the order of the text. The
        current move is not among them: it is marked as such.
        """
        if not self._hits:
            return []
        ends = QPoint(0, area.top()), QPoint(self.viewport().width(), area.bottom())
        top, bottom = (self.cursorForPosition(place).position() for place in ends)
        first = bisect.bisect_right(self._starts, top) - 1
        seen = self._ids[max(0, first) : bisect.bisect_right(self._starts, bottom)]
        return [number for number in seen if number in self._hits and number != self._current]

    def _draw_hits(self, area: QRect) -> None:
        """Draw the moves that led to hits once more, in their own colour.

        Extra selections would show the same. But Qt draws each of them by itself, and cuts the outline of all
        of them out of that of the text: a page of hits takes it a tenth of a second.
        """
        numbers = self.hits_in(area)
        if not numbers:
            return
        run = QTextLayout.FormatRange()
        run.format.setForeground(theme.colours().colour("hit_move"))
        run.format.setFontUnderline(True)
        with canvas.Painter(self.viewport()) as painter:
            painter.translate(-self.horizontalScrollBar().value(), -self.verticalScrollBar().value())
            for block, outline in self._outlines(numbers):
                painter.setClipPath(outline)
                whole = outline.boundingRect()
                painter.fillRect(whole, self.palette().base())
                run.length = block.length()
                block.layout().draw(painter, QPointF(), [run], whole)

    def _outlines(self, numbers: Iterable[int]) -> Iterator[tuple[QTextBlock, QPainterPath]]:
        """The places of some moves in the document, one paragraph after the other. What the user selected is
        left out: it shows as selected.
        """
        cursor = self.textCursor()
        # No text has these places.
        selected, behind = -1, -1
        if cursor.hasSelection():
            selected, behind = cursor.selectionStart(), cursor.selectionEnd()
        block, outline = QTextBlock(), QPainterPath()
        end = line_end = 0
        for number in numbers:
            start, stop = self._spans[number]
            if start >= end:
                if not outline.isEmpty():
                    yield block, outline
                block, outline = self.document().findBlock(start), QPainterPath()
                layout, begin, end = block.layout(), block.position(), block.position() + block.length()
                corner = layout.position()
            while start < stop:
                if selected <= start < behind:
                    start = behind
                    continue
                if start >= line_end:
                    line = layout.lineForTextPosition(start - begin)
                    if not line.isValid():
                        break
                    line_end = begin + line.textStart() + line.textLength()
                    top, height = corner.y() + line.y(), line.height()
                part = min(stop, line_end, selected if start < selected else stop)
                # Whole pixels, as Qt takes for what is selected, which goes before.
                left = corner.x() + _x(line, start - begin)
                right = corner.x() + _x(line, part - begin)
                left = math.ceil(left) if start == behind else math.floor(left)
                right = math.floor(right) if part == selected else math.ceil(right)
                outline.addRect(left, top, right - left, height)
                start = part
        if not outline.isEmpty():
            yield block, outline

    def _selection(self, number: int, made: QTextCharFormat) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        start, end = self._spans[number]
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        selection.cursor = cursor
        selection.format = made
        return selection

    def createMimeDataFromSelection(self) -> QMimeData:
        # For other programs O-O is written with hyphens. Qt's own data are changed, as those made in Python
        # would outlive it on the clipboard.
        made = super().createMimeDataFromSelection()
        text, styled = made.text(), made.html()
        made.clear()
        made.setText(_copied(text))
        made.setHtml(_copied(styled))
        return made

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return labels.NOTHING

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._draw_hits(event.rect())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() != Qt.MouseButton.LeftButton or self.textCursor().hasSelection():
            return
        place = self.cursorForPosition(event.position().toPoint()).position()
        found = bisect.bisect_right(self._starts, place) - 1
        if found >= 0 and place <= self._spans[self._ids[found]][1]:
            self.position_chosen.emit(self._ids[found])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        jumps = {Qt.Key.Key_Home: -1, Qt.Key.Key_End: 1}
        key = Qt.Key(event.key())
        if event.modifiers() == Qt.KeyboardModifier.NoModifier and key in steps:
            self.stepped.emit(steps[key])
        elif event.modifiers() == Qt.KeyboardModifier.NoModifier and key in jumps:
            self.jumped.emit(jumps[key])
        else:
            super().keyPressEvent(event)


def _x(line: QTextLine, place: int) -> float:
    """How far from the left a place in a paragraph stands in its line."""
    found: Any = line.cursorToX(place)
    # PySide gives the place with it, which Qt may move behind a sign of several code units.
    return float(found[0] if isinstance(found, tuple) else found)


def _copied(text: str) -> str:
    """What is shown as it is written."""
    for sign in (_WORD_BREAK, _ISOLATE, _END):
        text = text.replace(sign, "")
    return text.replace(_UNBROKEN, _HYPHEN)


def _comment(text: str) -> str:
    """A comment as it is shown. Laying out takes time that grows with the square of a word's length, so long
    ones may be broken.
    """
    shown = wording.straight(" ".join(text[:LONGEST_COMMENT].splitlines()))
    more = len(text) - LONGEST_COMMENT
    end = f" … ({more:,} more characters)" if more > 0 else ""
    shown = _LONG_WORD.sub(lambda found: found[0] + _WORD_BREAK, shown) + end
    # Else the number of the next move would join a comment that is written from right to left.
    return f"{_ISOLATE}{shown}{_END}" if _FROM_RIGHT.search(shown) else shown


def step(line: tree.GameTree, positionid: int, by: int) -> int:
    """The position one ply back (-1) or on along the main continuation (+1); the same where there is none."""
    if by < 0:
        return max(0, line.parents[positionid])
    children = line.children[positionid]
    return children[0] if children else positionid


def end(line: tree.GameTree, positionid: int) -> int:
    """The last position of the line through `positionid`."""
    while line.children[positionid]:
        positionid = line.children[positionid][0]
    return positionid
