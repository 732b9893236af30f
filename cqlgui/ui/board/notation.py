"""The moves of a game with variations, comments and glyphs; the current move and the hits are marked.

The moves are shown as a running text or as a score sheet. In a running text variations have lines of their
own. A score sheet has one line for each move number. A game with variations is always shown as a running
text.

Long games are laid out in chunks. Between two chunks the window handles other events. Each chunk begins a new
paragraph. If all moves were one paragraph, Qt would lay out the whole game again at every change. When the
user goes to another move, the text is not laid out again. Only Qt's extra selection changes. Hits are painted
over the text that is in view.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit, QToolButton, QWidget

from cqlgui.base import patterns
from cqlgui.board import men, tree
from cqlgui.tasks.results import base_model
from cqlgui.ui.look import canvas, icons, labels, theme, wording

CHUNK = 100
_HYPHEN, _UNBROKEN = "-", "\N{NON-BREAKING HYPHEN}"
"""The hyphen in moves, and the sign that replaces it on screen. At a plain hyphen, Qt could break a line in
the middle of O-O."""
LONGEST_COMMENT = 20_000
"""At most this many characters of a comment are shown, followed by the number of characters left out."""
_LETTERS = 60
"""When the length of a chunk is measured, this many characters count as one `Piece`."""
_DEEPEST = 6
"""Variations nested deeper than this are indented no further."""
_STRIP = 26
"""Width in pixels of the room for the button beside the text."""
_NUMBER = patterns.pattern(r"(\d+\.)(\.\.)?")
_LONGEST_WORD = 100
_WORD_BREAK = "\N{ZERO WIDTH SPACE}"
_LONG_WORD = patterns.pattern(rf"\S{{{_LONGEST_WORD}}}(?=\S)")
_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
_FROM_RIGHT = patterns.pattern("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 10: "=", 13: "∞", 14: "⩲", 15: "⩱", 16: "±",
           17: "∓", 18: "+-", 19: "-+", 22: "⨀", 23: "⨀", 146: "N"}  # fmt: skip
Piece = tuple[str, str, int]
"""Kind (`main`, `variation`, `comment`, `sign`), text, and positionid (-1 if the piece is not a move)."""


def pieces(game: base_model.LoadedGame, figurine: bool = False) -> Iterator[Piece]:
    """The pieces of a game in reading order, made lazily. There is no recursion, so variations may be nested
    to any depth."""
    line = game.tree
    if 0 in game.comments:
        yield "comment", game.comments[0], -1
    # Each entry of the stack is a sign or a move. The entry of a move has the positionid, whether the move
    # begins a line, and whether the siblings of the move are printed after it. A move of Black that begins a
    # line needs a number.
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


def begun(game: base_model.LoadedGame, figurine: bool = False) -> Iterator[Piece]:
    """The pieces that `pieces` yields. The pieces of the first two chunks are made before this function
    returns. Worker threads call this function."""
    left = pieces(game, figurine)
    return itertools.chain(list(itertools.islice(left, 2 * CHUNK)), left)


def has_variations(game: base_model.LoadedGame) -> bool:
    """Whether a game has moves outside its main line."""
    return any(game.tree.depths)


class _View(NamedTuple):
    """The part of the text that the user sees, and the selection. `top` is the place in the text at the upper
    edge of the view. `offset` is the distance of this place from the edge in pixels. `anchor` and `caret` are
    the ends of the selection."""

    top: int
    offset: int
    anchor: int
    caret: int


class _Writer:
    """Writes at the end of a document. Pieces of one kind are inserted together, because each insertion costs
    time."""

    def __init__(self, cursor: QTextCursor, inks: dict[str, QTextCharFormat]) -> None:
        self._cursor = cursor
        self._inks = inks
        self._kind, self._run = "main", ""
        self.begin = self.line = self.place = cursor.position()

    def write(self, kind: str, text: str) -> int:
        """Write a text. Returns the place where it begins."""
        if kind != self._kind:
            self.flush()
            self._kind = kind
        start = self.place
        self._run += text
        self.place += len(text.encode("utf-16-le")) // 2
        return start

    def new_line(self, shape: QTextBlockFormat) -> None:
        """Begin a line with this format. If the current line is still empty, it gets the format."""
        if self.fresh:
            self._cursor.setBlockFormat(shape)
            return
        self.flush()
        self._cursor.insertBlock(shape)
        self.place += 1
        self.line = self.place

    @property
    def fresh(self) -> bool:
        """Whether the line is empty."""
        return self.place == self.line

    def flush(self) -> None:
        """Insert the text that is not in the document yet."""
        self._cursor.insertText(self._run, self._inks[self._kind])
        self._run = ""


class NotationView(QTextEdit):
    """`position_chosen` carries the positionid of the move that was clicked. `stepped` and `jumped` have the
    same meaning as in `BoardWidget`. `columns_changed` carries whether the user wants a score sheet."""

    position_chosen = Signal(int)
    columns_changed = Signal(bool)
    stepped = Signal(int)
    jumped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName("Notation")
        self.setPlaceholderText("The moves of the game stand here.")
        self.setMinimumHeight(60)
        # Lines are wrapped, so a horizontal scroll bar is never needed. Without this policy, Qt would show a
        # scroll bar as soon as a space at the end of a line does not fit.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(8)
        self._game: base_model.LoadedGame | None = None
        self._figurine = False
        self._spans: dict[int, tuple[int, int]] = {0: (0, 0)}
        self._starts: list[int] = []
        self._ids: list[int] = []
        self._hits: frozenset[int] = frozenset()
        self._current = 0
        # Whether the current move is not laid out yet. After the layout the move is scrolled into view.
        self._awaited = False
        # The last view and selection, kept while the text is drawn again. They are restored after the layout.
        self._kept: _View | None = None
        self._left: Iterator[Piece] = iter(())
        # Whether the user wants a score sheet, and whether the game is shown as a score sheet.
        self._columns = self._sheet = False
        # The state at the end of the laid-out text: the depth of variations, whether a variation ends there,
        # and whether a variation begins there.
        self._depth, self._closed, self._opened = 0, False, False
        self._shapes: dict[int, QTextBlockFormat] = {}
        self.setViewportMargins(0, 0, _STRIP, 0)
        self._button = QToolButton(self)
        self._button.setAutoRaise(True)
        self._button.setCheckable(True)
        self._button.setAccessibleName("Moves in two columns")
        self._button.clicked.connect(self.set_columns)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._lay_out_chunk)
        theme.theme().changed.connect(self._restyle)
        self._show_button()

    def set_game(self, game: base_model.LoadedGame | None, made: Iterator[Piece] | None = None) -> None:
        """Show a game from its start. `made` are the pieces of the game, if `begun` has made them."""
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

    @property
    def columns(self) -> bool:
        """Whether games without variations are shown as a score sheet."""
        return self._columns

    def set_columns(self, columns: bool) -> None:
        """Show games without variations as a score sheet, or as a running text."""
        if columns == self._columns:
            return
        self._columns = columns
        self._show_button()
        if self._game is not None and not has_variations(self._game):
            # The places in `_kept` do not fit the new text.
            self._kept = None
            self._render()
            self.set_current(self._current)
        self.columns_changed.emit(columns)

    def set_current(self, positionid: int) -> None:
        """Mark the move that led to this position, and bring the move into view."""
        if positionid != self._current:
            # The view in `_kept` shows the former move, so it must not be restored.
            self._kept = None
        self._current = positionid
        span = self._spans.get(positionid)
        self._awaited = span is None
        if span is not None:
            cursor = QTextCursor(self.document())
            cursor.setPosition(span[0])
            self.setTextCursor(cursor)
            self._bring_up(cursor)
        self._mark()

    def _bring_up(self, cursor: QTextCursor) -> None:
        """Scroll if necessary, so that a place in the text is in the upper half of the view. The next moves
        are visible below this place."""
        box, height = self.cursorRect(cursor), self.viewport().height()
        if box.top() < 0 or box.bottom() > height // 2:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + box.top() - height // 4)

    def set_hits(self, ids: Iterable[int]) -> None:
        """Mark the moves that led to hits."""
        self._hits = frozenset(ids)
        self._mark()
        self.viewport().update()

    def _render_again(self) -> None:
        """Draw the text again. The view and the selection are kept: a figurine replaces one letter, so no
        place in the text changes."""
        if self._kept is None:
            top = self.cursorForPosition(QPoint(0, 0))
            cursor = self.textCursor()
            self._kept = _View(top.position(), self.cursorRect(top).top(), cursor.anchor(), cursor.position())
        self._render()

    def _look_again(self) -> None:
        """Restore the kept view and selection, once the text is laid out far enough to contain both."""
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

    def _restyle(self) -> None:
        self._show_button()
        self._render_again()

    def _show_button(self) -> None:
        self._button.setIcon(QIcon(icons.icon("columns")))
        self._button.setChecked(self._columns)
        bound = self._game is not None and has_variations(self._game)
        self._button.setEnabled(not bound)
        words = "A game with variations is shown as a text" if bound else "Show the moves in two columns"
        self._button.setToolTip(wording.plain_tip(words))

    def _render(self, made: Iterator[Piece] | None = None) -> None:
        self._timer.stop()
        # The text is cleared after the spans. Clearing the text scrolls the view, and scrolling draws the
        # hits in view. With the old spans, the hits would be looked up in an empty text.
        self._spans, self._starts, self._ids = {0: (0, 0)}, [], []
        self._depth, self._closed, self._opened = 0, False, False
        self._shapes = {}
        self.clear()
        self._show_button()
        if self._game is None:
            return
        self._sheet = self._columns and not has_variations(self._game)
        self._left = made or pieces(self._game, self._figurine)
        self._timer.start()
        self._lay_out_chunk()

    def _shape(self, depth: int) -> QTextBlockFormat:
        """The format of lines at this depth of variations. A depth of -1 means a score sheet."""
        made = self._shapes.get(depth)
        if made is None:
            made = QTextBlockFormat()
            metrics = self.fontMetrics()
            if depth < 0:
                first = metrics.horizontalAdvance("000.  ")
                second = first + metrics.horizontalAdvance("Qa8xb7+!!   ")
                left = QTextOption.TabType.LeftTab
                made.setTabPositions([QTextOption.Tab(place, left) for place in (first, second)])
            else:
                made.setLeftMargin(min(depth, _DEEPEST) * metrics.horizontalAdvance("00"))
            self._shapes[depth] = made
        return made

    def _inks(self) -> dict[str, QTextCharFormat]:
        """The character format of each kind of piece."""
        colours = theme.colours()
        inks = {}
        for kind, role in (
            ("main", "text"),
            ("variation", "variation"),
            ("comment", "comment_text"),
            ("sign", "muted"),
        ):
            inks[kind] = QTextCharFormat()
            inks[kind].setForeground(colours.colour(role))
        return inks

    def _lay_out_chunk(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        if cursor.position():
            cursor.insertBlock(self._shape(self._depth))
        writer = _Writer(cursor, self._inks())
        lay = self._lay_on_sheet if self._sheet else self._lay
        for count, (kind, text, number) in enumerate(self._left, 1):
            start = lay(writer, kind, text)
            if number >= 0:
                self._spans[number] = (start, writer.place)
                self._starts.append(start)
                self._ids.append(number)
            # The end of a chunk breaks the line. So a chunk ends after a move of the main line if possible.
            # On a score sheet, this must be a move of Black. A chunk of at least `2 * CHUNK` pieces may end
            # after any piece except "(".
            laid = max(count, (writer.place - writer.begin) // _LETTERS)
            whole = kind == "main" and not (self._sheet and text[0].isdigit())
            if laid >= CHUNK and (whole or (laid >= 2 * CHUNK and not self._opened)):
                break
        else:
            self._timer.stop()
            if self._game is not None and self._game.row.result:
                if self._closed or self._sheet:
                    writer.new_line(self._shape(0))
                writer.write("main", f"{'' if writer.fresh else ' '}{self._game.row.result}")
        writer.flush()
        cursor.endEditBlock()
        if self._awaited and self._current in self._spans:
            self.set_current(self._current)
        else:
            self._mark()
        self._look_again()

    def _lay(self, writer: _Writer, kind: str, text: str) -> int:
        """Lay out a piece of a running text. Returns the place where the piece begins."""
        opens, closes = kind == "sign" and text == "(", kind == "sign" and text == ")"
        self._depth += opens
        if opens or (self._closed and not closes):
            writer.new_line(self._shape(self._depth))
        elif not (closes or self._opened or writer.fresh):
            writer.write(kind, " ")
        self._depth -= closes
        self._opened, self._closed = opens, closes
        if kind == "comment":
            return writer.write(kind, _comment(text))
        moved = text.replace(_HYPHEN, _UNBROKEN)
        number = _NUMBER.match(moved)
        start = writer.write("sign", number[0]) if number else writer.place
        writer.write(kind, moved[number.end() :] if number else moved)
        return start

    def _lay_on_sheet(self, writer: _Writer, kind: str, text: str) -> int:
        """Lay out a piece of a score sheet. Returns the place where the piece begins."""
        if kind == "comment":
            writer.new_line(self._shape(1))
            self._closed = True
            return writer.write(kind, _comment(text))
        moved = text.replace(_HYPHEN, _UNBROKEN)
        number = _NUMBER.match(moved)
        if number or writer.fresh or self._closed:
            writer.new_line(self._shape(-1))
            writer.write("sign", f"{number[1] if number else ''}\t")
            if number is None or number[2]:
                writer.write("sign", "…\t")
        else:
            writer.write("sign", "\t")
        self._closed = False
        return writer.write(kind, moved[number.end() :] if number else moved)

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
        """The hits in all lines that lie at least partly in `area`, in text order. `area` is a part of the
        viewport. The current move is left out, because it has a mark of its own."""
        if not self._hits:
            return []
        ends = QPoint(0, area.top()), QPoint(self.viewport().width(), area.bottom())
        top, bottom = (self.cursorForPosition(place).position() for place in ends)
        first = bisect.bisect_right(self._starts, top) - 1
        seen = self._ids[max(0, first) : bisect.bisect_right(self._starts, bottom)]
        return [number for number in seen if number in self._hits and number != self._current]

    def _draw_hits(self, area: QRect) -> None:
        """Paint the moves that led to hits a second time, in the colour of hits.

        Extra selections would look the same, but they are slow. Qt draws each selection separately, and cuts
        the outlines of all selections out of the outline of the text. For a page of hits, drawing the
        selections takes a tenth of a second.
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
        """The outlines of some moves in the document, paragraph by paragraph. Selected text is left out."""
        cursor = self.textCursor()
        # -1 is not a place in the text, so it means that no text is selected.
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
                # Qt paints the selection in whole pixels, so the outlines are rounded to whole pixels too.
                # The rounding never adds a pixel of the selection to an outline.
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
        # Other programs get plain hyphens, for example in O-O. The text is changed in the object that Qt
        # made. A new object made in Python would still be on the clipboard after the end of Python.
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.viewport().geometry()
        self._button.setGeometry(inside.right() + 1, inside.top(), _STRIP, _STRIP)

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
    """The horizontal coordinate of a character in its line. `place` counts from the start of the
    paragraph."""
    found: Any = line.cursorToX(place)
    # PySide returns a pair: x, and the place that Qt used. If `place` is inside a sign of several code units,
    # Qt uses the nearest valid place.
    return float(found[0] if isinstance(found, tuple) else found)


def _copied(text: str) -> str:
    """Displayed text as other programs get it: without invisible signs, and with plain hyphens."""
    for sign in (_WORD_BREAK, _ISOLATE, _END):
        text = text.replace(sign, "")
    return text.replace(_UNBROKEN, _HYPHEN)


def _comment(text: str) -> str:
    """A comment as it is shown. Long words get places where a line may break, because the time for layout
    grows with the square of a word's length."""
    shown = wording.straight(" ".join(text[:LONGEST_COMMENT].splitlines()))
    more = len(text) - LONGEST_COMMENT
    end = f" … ({more:,} more characters)" if more > 0 else ""
    shown = _LONG_WORD.sub(lambda found: found[0] + _WORD_BREAK, shown) + end
    # A comment that is written from right to left is isolated. Without isolation the number of the next move
    # would look like a part of the comment.
    return f"{_ISOLATE}{shown}{_END}" if _FROM_RIGHT.search(shown) else shown


def step(line: tree.GameTree, positionid: int, by: int) -> int:
    """The position one ply back (-1), or one ply forward along the main continuation (+1). At the start and
    at the end of the line, the result is `positionid` itself."""
    if by < 0:
        return max(0, line.parents[positionid])
    children = line.children[positionid]
    return children[0] if children else positionid


def end(line: tree.GameTree, positionid: int) -> int:
    """The last position of the line through `positionid`."""
    while line.children[positionid]:
        positionid = line.children[positionid][0]
    return positionid
