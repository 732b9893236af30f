"""Connects the query's text with the marks on the board: gestures edit the text, and the pattern in the text
is drawn.

The text is the only source of the marks. Every gesture is one undo step of the text. The marks are read again
after each change of the text and after each move of the caret. The module `deeds` makes the edits for a
gesture.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu

from cqlgui.base.data import replace
from cqlgui.board import men, squares
from cqlgui.pattern import faults, marks, reading, steps, writing
from cqlgui.ui.board import painting as board_painting
from cqlgui.ui.board import widget
from cqlgui.ui.editor import panel
from cqlgui.ui.look import theme, wording
from cqlgui.ui.pointing import (
    chips,
    conditions,
    deeds,
    gestures,
    notice,
    painting,
    palette,
    placing,
    steps_row,
    switch,
    tools,
)

_SLOW = 0.010
"""A time in seconds. If reading the marks of one text took longer, the marks of the next text are read only
after the editor has checked the next text."""
_MEND = "Mend the query first: its marks cannot be changed while it has errors"
_IDLE = "Ctrl+click takes a man into the pattern; Pattern, above the board, is for drawing one"
_OF_THE_GAME = "Of the game, not of the pattern. A click takes it into the pattern."
_DRAW_FIRST = "Draw the first step, or Ctrl+click its men in the game"
_GO_ON = f"This is a step. Go on in the game, then press {steps_row.KEY} again"
_BRACES = "Write braces round this step, then it can be drawn"
_NOT_SO = "Change this in the text: a comment or a variable of the steps would be lost"
_MOST = 200
"""The greatest number of entries in `_ladders`, `_remembered` and `_carets`. A full dictionary is emptied."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
Deed = Callable[[deeds.CaretDraft], "marks.Mark | None"]


class Controller(QObject):
    """Connects the board, the editor, the palette, the chips and the steps.

    The signal `mode_changed` carries whether the board is in Pattern mode. The signal `said` carries a
    message and whether the gesture can be undone. The message says what a gesture did or why the gesture did
    nothing.
    """

    mode_changed = Signal(bool)
    said = Signal(str, bool)

    def __init__(self, board: widget.BoardWidget, editor: panel.EditorPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._board = board
        self._editor = editor
        self.palette = palette.Palette()
        self.chips = chips.Chips()
        self.steps = steps_row.StepsRow()
        self.switch = switch.Switch()
        self.notice = notice.Notice()
        self.gestures = gestures.Gestures(board, self._turns, self._tip)
        self._active = False
        self._side = tools.WHITE
        # The squares under the path of the eraser, as a bitboard, and the last square of the path.
        self._rubbed, self._rubs = 0, squares.NONE
        self._picture = painting.Picture()
        self._known: tuple[str, int] | None = None
        self._slow = False
        # The selected mark itself, not its index, because a change of the text may renumber the marks.
        self._selected: marks.Mark | None = None
        # The key is the men and the squares of a widened mark. The value is the square where the widening
        # began, and the men of the mark before the widening.
        self._ladders: dict[tuple[men.ManMask, int], tuple[int, men.ManMask]] = {}
        # The key is the squares of a mark with the role "empty". The value is the men of the mark before the
        # mark got this role.
        self._remembered: dict[int, men.ManMask] = {}
        # The key is the number of undo steps and the text after a gesture (see `_state`). The value is the
        # caret after the gesture.
        self._carets: dict[tuple[int, str], int] = {}
        self.menu: QMenu | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._follow_quickly)
        board.set_corner(self.switch)
        self._sequence: steps.Sequence | None = None
        self.chips.hide()
        self.steps.hide()
        self._connect()

    def _connect(self) -> None:
        self.switch.changed.connect(self.set_active)
        self.said.connect(lambda words, undoable: self.notice.say(words, self.undo if undoable else None))
        self._editor.text_changed.connect(lambda _text: self._text_changed())
        self._editor.caret_moved.connect(lambda _offset: self._timer.start())
        self._editor.diagnostics_changed.connect(lambda _found: self._checked())
        self.palette.chosen.connect(self._set_tool)
        self.palette.carried.connect(self._carry)
        self.palette.dropped.connect(self._drop)
        self.palette.role_wanted.connect(self._set_role)
        self.palette.widened.connect(self._widen_selected)
        self.palette.clear_wanted.connect(self._clear)
        self.chips.wanted.connect(self._ask)
        self.chips.step_wanted.connect(self.add_step)
        row = self.steps
        row.added.connect(self.add_step)
        row.chosen.connect(self._choose_step)
        row.removed.connect(lambda step: self.do(lambda draft: deeds.remove_step(draft, step), _NOT_SO))
        row.moved.connect(lambda step, to: self.do(lambda draft: deeds.move_step(draft, step, to), _NOT_SO))
        row.gap_wanted.connect(
            lambda gap, new: self.do(lambda draft: deeds.set_gap(draft, gap, new), _NOT_SO)
        )
        row.form_wanted.connect(lambda form: self.do(lambda draft: deeds.set_form(draft, form), _NOT_SO))
        row.left.connect(self._board.setFocus)
        found = self.gestures
        found.pressed.connect(self._press)
        found.added.connect(self._add)
        found.dragged.connect(self._drag)
        found.dragging.connect(self._dragging)
        found.removed.connect(self._remove)
        found.arrow_drawn.connect(self._offer_arrow)
        found.arrow_drawing.connect(lambda start, end: self._show(drawn=(start, end)))
        found.arrow_wanted.connect(self._offer_arrow_to)
        found.widened.connect(self._widen)
        found.role_wanted.connect(self._go_round)
        found.lassoed.connect(self._spread)
        found.lasso_drawn.connect(self._draw_lasso)
        found.lifted.connect(self.lift)
        found.cursor_moved.connect(lambda square: self._show(cursor=square, count="", held=(0, -1)))
        found.hovered.connect(self._hover)
        found.placed.connect(self._enter)
        found.deleted.connect(self._delete)
        found.typed.connect(self._type)
        found.left.connect(self._leave)
        found.idle.connect(lambda: self.said.emit(_IDLE, False))

    # --- state ----------------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether the board is in Pattern mode."""
        return self._active

    @property
    def pattern(self) -> marks.Pattern:
        """The pattern that is drawn, read from the current text."""
        self.follow()
        return self._picture.pattern

    @property
    def picture(self) -> painting.Picture:
        """Everything that is drawn in Pattern mode."""
        return self._picture

    @property
    def selected(self) -> int:
        """The index of the selected mark; -1 if no mark is selected."""
        return self._picture.selected

    def set_active(self, active: bool) -> None:
        """Switch to Pattern mode, or to Game mode."""
        if active == self._active:
            self.switch.show_mode(active)
            return
        self._active = active
        self.gestures.set_active(active)
        self.switch.show_mode(active)
        self._board.show_side(self.palette if active else None)
        self.chips.setVisible(active)
        self._show_steps()
        self._known = None
        self._show(cursor=squares.NONE, held=(0, squares.NONE), count="", lasso=0)
        self.follow()
        self._board.set_layer(self if active else None)
        if active:
            self._board.setFocus()
        self.mode_changed.emit(active)

    def toggle(self) -> None:
        """Switch to the other mode."""
        self.set_active(not self._active)

    def set_count(self, words: str) -> None:
        """Show how many games the query may find, beside the mark that is being widened or narrowed."""
        if self._picture.counted >= 0 and self._active:
            self._show(count=words)

    def undo(self) -> None:
        """Undo the last change of the query."""
        self._editor.edit.undo()
        self.follow()

    def redo(self) -> None:
        """Redo a change. If a gesture made the change, put the caret where the caret was after the gesture.
        The place of the caret decides which pattern is drawn."""
        edit = self._editor.edit
        edit.redo()
        caret = self._carets.get(self._state())
        if caret is not None:
            edit.select(caret, caret)
        self.follow()

    def _state(self) -> tuple[int, str]:
        """The number of available undo steps, and the text."""
        return self._editor.edit.document().availableUndoSteps(), self._editor.text()

    def lift(self, area: int) -> None:
        """Add to the pattern all men that stand in an area."""
        shown, number = self._board.position, 0

        def act(draft: deeds.CaretDraft) -> None:
            nonlocal number
            number = deeds.lift(draft, area, shown)

        if self.do(act):
            there = wording.counted(number, "man", "men")
            words = f"{there} taken into the pattern" if number else "There is no man to take"
            self.said.emit(words, number > 0)

    @property
    def sequence(self) -> steps.Sequence | None:
        """The sequence of steps around the caret, or the first sequence in the text if no sequence is around
        the caret. None if the text has no sequence."""
        self.follow()
        return self._sequence

    def add_step(self) -> None:
        """Add a step. In Game mode the step has the men of the pattern on their current squares. In Pattern
        mode the step is a copy of the pattern, for the user to change."""
        drawn, sequence = self.pattern, self.sequence
        if sequence is not None and not drawn.marks:
            drawn = sequence.steps[-1]
        if not drawn.marks and not self._picture.greyed:
            self.said.emit(_DRAW_FIRST, False)
            return
        lost = 0
        new = deeds.copied(drawn)
        if not self._active:
            new, lost = deeds.snapshot(drawn, self._board.position)
            if new.marks == drawn.marks:
                self.said.emit(_GO_ON, False)
                return
        before = self._editor.text()
        if not self.do(lambda draft: deeds.add_step(draft, new)):
            return
        if self._editor.text() == before or self._sequence is None:
            self.said.emit("No step can be added to this query", False)
            return
        words = "drag its men to where they stand then"
        if not self._active:
            words = writing.text_of(new)[1:-1] if new.marks else "Ctrl+click its men"
            if lost and new.marks:
                words += f"; {wording.counted(lost, 'mark', 'marks')} left out (Ctrl+click adds men)"
        self.said.emit(f"Step {len(self._sequence.steps)}: {words}", True)

    def do(self, act: Deed, nothing: str = "That changes nothing here") -> bool:
        """Change the query as one undo step. If the function `act` changes nothing, show the message
        `nothing`. A query with errors is not changed, and the result is False. For all other queries the
        result is True."""
        self.follow()
        self._show(count="", counted=squares.NONE)
        if self._picture.greyed:
            self.said.emit(_MEND, False)
            return False
        draft = deeds.CaretDraft(self._editor.text(), self._editor.caret())
        chosen = act(draft)
        changes = draft.changes
        if changes:
            self._editor.edit.apply(changes)
            self._editor.edit.select(draft.caret, draft.caret)
            _remember(self._carets, self._state(), draft.caret)
        else:
            self.said.emit(nothing, False)
        self._selected = chosen
        self._known = None
        self.follow()
        return True

    # --- following the text ---------------------------------------------------------------------------------

    def _text_changed(self) -> None:
        # The notice is hidden, because the Undo button of the notice would now undo another change.
        self.notice.say("")
        self._timer.start()

    def follow(self) -> None:
        """Draw the pattern of the current text."""
        self._timer.stop()
        text, caret = self._editor.text(), self._editor.caret()
        if self._known == (text, caret):
            return
        begun = time.monotonic()
        found = reading.pattern_at(text, caret)
        if found is not None:
            self._sequence = steps.sequence_at(text, caret)
        self._slow = time.monotonic() - begun > _SLOW
        self._known = text, caret
        self.steps.setEnabled(found is not None)
        if found is None:
            self._show(greyed=True, hint="Mend the query first", alert=True)
            return
        self._draw(found)
        self._show_steps()

    def _show_steps(self) -> None:
        sequence = self._sequence
        self.steps.show_sequence(sequence, deeds.step_of(sequence, self._picture.pattern))
        self.steps.setVisible(self._active and sequence is not None)
        self.chips.offer_step(sequence is None)

    def _follow_quickly(self) -> None:
        # A text that is slow to read (see `_SLOW`) is read only after the editor has checked the text.
        if self._active and not (self._slow and self._editor.checking):
            self.follow()

    def _checked(self) -> None:
        if self._active:
            self._timer.start()

    def _draw(self, found: marks.Pattern, *, greyed: bool = False) -> None:
        wanted = {
            place: self._ladders[mark.men, mark.squares][0]
            for place, mark in enumerate(found.marks)
            if (mark.men, mark.squares) in self._ladders
        }
        selected = found.marks.index(self._selected) if self._selected in found.marks else -1
        if selected < 0:
            self._selected = None
        arrow = _same_arrow(self._picture.pattern, self._picture.arrow, found)
        self._show(
            pattern=found,
            anchors=placing.anchors(found, wanted),
            selected=selected,
            arrow=arrow,
            faults=faults.faults(found),
            greyed=greyed,
        )
        self.palette.show_mark(found.marks[selected] if selected >= 0 else None)
        self.chips.set_conditions(found.conditions)
        step = deeds.step_of(self._sequence, found)
        # If a step is drawn, its pattern is taken from `_sequence`. In `found`, the `find` of the next step
        # would be counted as another filter.
        told = found if self._sequence is None or step < 0 else self._sequence.steps[step]
        self.chips.set_others(len(told.others))

    def _show(self, **changed: Any) -> None:
        """Change some fields of the picture and draw the picture. The hint and the spoken description are
        made from the new picture."""
        picture = replace(self._picture, **changed)
        if not picture.greyed:
            words, alert = self._hint(picture)
            picture = replace(picture, hint=words, alert=alert)
        differs = picture != self._picture
        # The picture is stored even if it equals the old picture. The comparison ignores the spans of marks,
        # and the spans may have changed.
        self._picture = picture
        if differs and self._active:
            self._board.refresh()
            self._board.setAccessibleDescription(spoken(picture))

    def _hint(self, picture: painting.Picture) -> tuple[str, bool]:
        """The text above the board, and whether the text is a warning."""
        place = picture.selected
        if place < 0 and picture.cursor >= 0:
            place = placing.mark_at(picture.pattern, picture.anchors, picture.cursor)
        if place in picture.faults:
            return picture.faults[place], True
        if picture.faults:
            return next(iter(picture.faults.values())), True
        if picture.arrow >= 0:
            return "Click the arrow again, or Enter: what it means. Delete removes it", False
        tool = self.palette.tool
        if tool.points:
            return "Pick a man to place", False
        return f"{tool.name}: {'click to remove' if tool.erases else 'click to place'}", False

    @property
    def covered(self) -> int:
        """The anchors of all marks (see `placing`), as a bitboard."""
        return sum(1 << square for square in set(self._picture.anchors) if square >= 0)

    def paint(self, painter: QPainter, frame: board_painting.Frame, ratio: float) -> None:
        """Draw the marks on the board."""
        painting.draw(painter, frame, self._picture, theme.colours(), ratio, self.switch.width() + 8)

    # --- gestures -------------------------------------------------------------------------------------------

    def _at(self, square: int) -> int:
        return placing.mark_at(self._picture.pattern, self._picture.anchors, square)

    def _mark_at(self, square: int) -> int:
        """The index of the mark on which a gesture on a square acts; -1 if the gesture acts on no mark. The
        current text is read first."""
        self.follow()
        return self._at(square)

    def _turns(self, square: int) -> bool:
        """Whether the wheel over a square widens or narrows a mark."""
        return self._at(square) >= 0

    def _tip(self, square: int) -> str:
        """The tooltip of a square."""
        mark = self._at(square)
        if self._picture.greyed:
            return ""
        if mark < 0:
            return _OF_THE_GAME if self._standing(square) else ""
        words = _of_mark(self._picture.pattern.marks[mark])
        return "\n".join(filter(None, (words[:1].upper() + words[1:], self._picture.faults.get(mark, ""))))

    def _set_tool(self, tool: tools.Tool) -> None:
        self._rubbed = 0
        self.palette.set_tool(tool)
        self._show(held=(0, squares.NONE))

    def _carry(self, tool: tools.Tool, point: QPoint) -> None:
        """Show the men of a tool that is being dragged from the palette."""
        square = self._board.frame().at(QPointF(self._board.mapFromGlobal(point)))
        self._show(held=(tool.men if square >= 0 else 0, square))

    def _drop(self, tool: tools.Tool, point: QPoint) -> None:
        """Place the men of a tool that was dropped at a point on the screen, and choose the tool `POINTER`,
        which selects marks."""
        square = self._board.frame().at(QPointF(self._board.mapFromGlobal(point)))
        self._set_tool(tools.POINTER)
        if square >= 0 and tool.men:
            self.do(lambda draft: deeds.place(draft, square, tool.men))

    def _type(self, text: str) -> None:
        found = tools.by_key(text, self._side, self.palette.tool)
        if found is not None:
            tool, self._side = found
            self._set_tool(tool)
            if tool.points:
                side = {tools.WHITE: "White", tools.BLACK: "Black", tools.BOTH: "Both colours"}[self._side]
                self.said.emit(f"{side}: now a letter (K Q R B N P A)", False)

    def _leave(self) -> None:
        self._set_tool(tools.POINTER)
        self._select(None)

    def _select(self, mark: marks.Mark | None, arrow: int = -1) -> None:
        self._selected = mark
        self._show(arrow=arrow)
        self._draw(self._picture.pattern, greyed=self._picture.greyed)

    def _press(self, square: int, point: QPointF) -> None:
        self._show(count="", counted=squares.NONE)
        tool = self.palette.tool
        if tool.men:
            self._place(square)
            return
        arrow = painting.arrow_at(self._board.frame(), self._picture, point)
        mark = self._mark_at(square)
        if tool.erases:
            if self._rubbed:
                # If a drag of the eraser ends on the square where the drag began, `gestures` reports a click.
                self._rub_out()
            else:
                self._remove(square, point)
        elif arrow >= 0 and not self._picture.greyed:
            # A second click on an arrow, or a double click, opens the menu of relations.
            again = arrow == self._picture.arrow
            self._select(None, arrow)
            if again:
                self._offer_relations(arrow, self._board.mapToGlobal(point.toPoint()))
        elif mark >= 0:
            self._select(self._picture.pattern.marks[mark])
        elif self._standing(square):
            self._place(square)
        else:
            self._select(None)

    def _standing(self, square: int) -> int:
        """The man that stands on a square in the game, as a mask; 0 if the square is empty."""
        shown = self._board.position
        man = shown.squares[square] if shown is not None else 0
        return 1 << man if man else 0

    def _place(self, square: int) -> None:
        """Use the tool on a square: place men or erase. The tool `POINTER` selects the mark on the square. If
        the square has no mark, this tool adds the man that stands on the square."""
        tool = self.palette.tool
        mark = self._mark_at(square)
        if tool.erases:
            if mark >= 0:
                self.do(lambda draft: deeds.erase(draft, mark))
            return
        if tool.points and mark >= 0:
            self._select(self._picture.pattern.marks[mark])
            return
        placed = tool.men or self._standing(square)
        if placed:
            self.do(lambda draft: deeds.place(draft, square, placed))

    def _enter(self, square: int) -> None:
        """Use the tool on a square. If the tool is `POINTER` and an arrow is selected, open the menu of
        relations."""
        arrow = self._picture.arrow
        if arrow >= 0 and self.palette.tool.points and not self._picture.greyed:
            if square < 0:
                square = self._picture.anchors[self._picture.pattern.arrows[arrow].target]
            point = self._board.frame().square(square).center().toPoint()
            self._offer_relations(arrow, self._board.mapToGlobal(point))
        elif square >= 0:
            self._place(square)

    def _add(self, square: int) -> None:
        self._rubbed = 0
        placed = self.palette.tool.men or self._standing(square)
        if placed:
            self.do(lambda draft: deeds.add(draft, square, placed))

    def _drag(self, origin: int, target: int) -> None:
        mark, standing = self._mark_at(origin), self._standing(origin)
        if self.palette.tool.erases:
            self._rub_out()
        elif mark >= 0:
            self.do(lambda draft: deeds.move(draft, mark, origin, target))
        elif target >= 0 and self.palette.tool.points and standing:
            self.do(lambda draft: deeds.place(draft, target, standing))
        elif target >= 0 and self.palette.tool.men:
            self._place(target)

    def _dragging(self, origin: int, over: int) -> None:
        if origin < 0:
            self._show(held=(0, squares.NONE), lasso=0)
            return
        if self.palette.tool.erases:
            self._rub(origin if not self._rubbed else self._rubs, over)
            return
        mark = self._at(origin)
        carried = self._picture.pattern.marks[mark].men if mark >= 0 else self._standing(origin)
        if self.palette.tool.men and mark < 0:
            carried = self.palette.tool.men
        self._show(held=(carried, over), count="", counted=squares.NONE)

    def _remove(self, square: int, point: QPointF) -> None:
        mark = self._mark_at(square)
        arrow = painting.arrow_at(self._board.frame(), self._picture, point)
        if arrow >= 0:
            self._part(arrow)
        elif mark >= 0:
            self.do(lambda draft: deeds.erase(draft, mark))

    def _rub(self, before: int, over: int) -> None:
        """Extend the path of the eraser from `before` to `over`. The squares in between are added, because a
        fast drag sends no events for these squares."""
        over = before if over < 0 else over
        files, ranks = (here(over) - here(before) for here in (squares.file_of, squares.rank_of))
        steps = max(1, abs(files), abs(ranks))
        for step in range(steps + 1):
            file = squares.file_of(before) + round(files * step / steps)
            rank = squares.rank_of(before) + round(ranks * step / steps)
            self._rubbed |= squares.BIT[squares.make_square(file, rank)]
        self._rubs = over
        self._show(lasso=self._rubbed)

    def _rub_out(self) -> None:
        """Erase the marks that lie completely under the path of the eraser."""
        area, self._rubbed = self._rubbed, 0
        self.do(lambda draft: deeds.wipe(draft, area))

    def _delete(self, square: int) -> None:
        if self._picture.arrow >= 0:
            self._part(self._picture.arrow)
            return
        mark = self._mark_at(square) if square >= 0 else -1
        if mark < 0:
            mark = self._picture.selected
        if mark >= 0:
            self.do(lambda draft: deeds.erase(draft, mark))

    def _part(self, arrow: int) -> None:
        self._show(arrow=-1)
        self.do(lambda draft: deeds.part(draft, arrow))

    def _spread(self, area: int) -> None:
        placed = self.palette.tool.men
        if placed:
            self.do(lambda draft: deeds.spread(draft, area, placed))
        elif self.palette.tool.erases:
            self.do(lambda draft: deeds.wipe(draft, area))
        else:
            self.lift(area)

    def _clear(self) -> None:
        had = self.pattern
        if self.do(deeds.clear) and had != self._picture.pattern:
            self.said.emit("The pattern is empty", True)

    def _draw_lasso(self, area: int) -> None:
        self._show(lasso=area)
        # In Game mode the controller is not the layer of the board. A `_Lasso` is the layer while the user
        # draws a lasso.
        if not self._active:
            self._board.set_layer(_Lasso(area) if area else None, faint=False)

    def _widen(self, square: int, by: int) -> None:
        mark = self._mark_at(square)
        if mark >= 0:
            self._step(mark, square, by)

    def _widen_selected(self, by: int) -> None:
        self.follow()
        mark = self._picture.selected
        if mark >= 0:
            self._step(mark, self._picture.anchors[mark], by)

    def _step(self, mark: int, square: int, by: int) -> None:
        held = self._picture.pattern.marks[mark]
        seen, began = self._ladders.get((held.men, held.squares), (square, held.men))
        before = self._picture.count

        def act(draft: deeds.CaretDraft) -> marks.Mark:
            wide = deeds.widen(draft, mark, seen, by, began)
            _remember(self._ladders, (wide.men, wide.squares), (seen, began))
            return wide

        if self.do(act, "This is as wide as it goes" if by > 0 else "This is as narrow as it goes"):
            self._show(counted=seen, count="" if self._selected != held else before)

    def _go_round(self, square: int) -> None:
        mark = self._mark_at(square)
        if mark < 0:
            return
        held = self._picture.pattern.marks[mark]
        if not held.empty:
            _remember(self._remembered, held.squares, held.men)
        before = self._remembered.get(held.squares, 0)
        self.do(lambda draft: deeds.next_role(draft, mark, before))

    def _set_role(self, role: marks.Role) -> None:
        self.follow()
        mark = self._picture.selected
        if mark >= 0:
            self.do(lambda draft: deeds.set_role(draft, mark, role))
        self.palette.show_mark(self._picture.pattern.marks[self.selected] if self.selected >= 0 else None)

    def _hover(self, square: int) -> None:
        men_held = self.palette.tool.men if square >= 0 and self._at(square) < 0 else 0
        counted = self._picture.counted
        stays = square == counted
        self._show(
            held=(men_held, square if men_held else squares.NONE),
            cursor=squares.NONE,
            counted=counted if stays else squares.NONE,
            count=self._picture.count if stays else "",
        )

    def _ask(self, kind: marks.ConditionKind, text: str | None) -> None:
        kept = self._selected

        def act(draft: deeds.CaretDraft) -> marks.Mark | None:
            deeds.ask(draft, kind, text)
            return kept

        self.do(act)
        self.chips.set_conditions(self._picture.pattern.conditions)

    # --- steps ----------------------------------------------------------------------------------------------

    def _choose_step(self, place: int) -> None:
        """Put the caret into a step. The board shows the step at the caret."""
        sequence = self.sequence
        if sequence is None or self._picture.greyed:
            return
        step = sequence.steps[place]
        self._editor.edit.select(step.span.end, step.span.end)
        self.follow()
        if self.steps.current != place:
            self.said.emit(_BRACES, False)

    # --- arrows ---------------------------------------------------------------------------------------------

    def _offer_arrow(self, origin: int, target: int, place: QPoint) -> None:
        """Open the menu of relations for a new arrow between two squares."""
        self.follow()
        if self._picture.greyed:
            self.said.emit(_MEND, False)
            return
        shown = self._board.position

        def join(relation: marks.Relation) -> None:
            self.do(lambda draft: deeds.join(draft, origin, target, relation, shown))

        self._relations(origin, target, None, join).popup(place)

    def _offer_relations(self, arrow: int, place: QPoint) -> None:
        """Open the menu of relations for an existing arrow."""
        found = self._picture.pattern.arrows[arrow]
        origin, target = (self._picture.anchors[end] for end in (found.origin, found.target))

        def relate(relation: marks.Relation) -> None:
            self.do(lambda draft: deeds.relate(draft, arrow, relation))

        menu = self._relations(origin, target, found.relation, relate)
        menu.addSeparator()
        menu.addAction("Remove").triggered.connect(lambda _checked=False: self._part(arrow))
        menu.popup(place)

    def _relations(
        self,
        origin: int,
        target: int,
        held: marks.Relation | None,
        choose: Callable[[marks.Relation], None],
    ) -> QMenu:
        """The menu of relations that are possible between two squares; `held` is the present relation of the
        arrow."""
        menu = self.menu = QMenu(self._board)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ends = f"{squares.square_name(origin)} → {squares.square_name(target)}"
        menu.addAction(ends).setEnabled(False)
        for relation, (_short, _word, words) in painting.RELATIONS.items():
            if relation is held or _lies(relation, origin, target):
                action = menu.addAction(words)
                action.setCheckable(held is not None)
                action.setChecked(relation is held)
                action.triggered.connect(lambda _checked=False, relation=relation: choose(relation))
        menu.aboutToHide.connect(self._forget_menu)
        return menu

    def _offer_arrow_to(self, target: int) -> None:
        """Open the menu of relations for a new arrow from the selected mark to a square (key T)."""
        selected = self._picture.selected
        if selected < 0:
            self.said.emit("Select a mark first (Enter on it), then go to another square", False)
            return
        origin = self._picture.anchors[selected]
        if origin != target:
            point = self._board.frame().square(target).center().toPoint()
            self._offer_arrow(origin, target, self._board.mapToGlobal(point))

    def _forget_menu(self) -> None:
        self.menu = None


class _Lasso:
    """A layer that draws the squares of a lasso on the board in Game mode."""

    covered = 0

    def __init__(self, area: int) -> None:
        self._area = area

    def paint(self, painter: QPainter, frame: board_painting.Frame, ratio: float) -> None:
        """Draw the lasso."""
        painting.draw(painter, frame, painting.Picture(lasso=self._area), theme.colours(), ratio)


def _same_arrow(old: marks.Pattern, arrow: int, new: marks.Pattern) -> int:
    """The index of an arrow after a change of the text; -1 if the arrow is gone.

    An arrow is recognised by its two marks. If several arrows join these marks, the result is the arrow with
    the same relation as before. If no arrow has this relation, the result is the first arrow.
    """
    if arrow < 0:
        return -1
    former = old.arrows[arrow]
    ends = old.marks[former.origin], old.marks[former.target]
    found = [
        (one.relation is not former.relation, place)
        for place, one in enumerate(new.arrows)
        if (new.marks[one.origin], new.marks[one.target]) == ends
    ]
    return min(found)[1] if found else -1


def _remember(known: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    if len(known) >= _MOST:
        known.clear()
    known[key] = value


def _lies(relation: marks.Relation, origin: int, target: int) -> bool:
    """Whether a relation is possible between two squares. Some relations need two squares on one file, rank
    or diagonal."""
    right = abs(squares.file_of(origin) - squares.file_of(target))
    up = abs(squares.rank_of(origin) - squares.rank_of(target))
    lined = not right or not up or right == up
    return {
        marks.Relation.RAY: lined,
        marks.Relation.RAY_ONE: lined,
        marks.Relation.FILE: not right,
        marks.Relation.RANK: not up,
        marks.Relation.DIAGONAL: right == up,
    }.get(relation, True)


def spoken(picture: painting.Picture) -> str:
    """A pattern in words, for screen readers."""
    parts = ["Pattern"]
    if picture.greyed:
        parts.append("the query has errors")
    if picture.cursor >= 0:
        place = placing.mark_at(picture.pattern, picture.anchors, picture.cursor)
        there = _of_mark(picture.pattern.marks[place]) if place >= 0 else "no mark"
        parts.append(f"{squares.square_name(picture.cursor)}: {there}")
    parts += [_of_mark(mark) for mark in picture.pattern.marks]
    parts += [conditions.words(one.kind, one.text) for one in picture.pattern.conditions]
    return ". ".join(parts)


def _of_mark(mark: marks.Mark) -> str:
    asked = {marks.Role.MUST: "", marks.Role.EITHER: "one of several: ", marks.Role.NOT: "must not be: "}
    names = [squares.square_name(square) for square in squares.bits(mark.squares)]
    where = " ".join(names) if len(names) <= placing.FEW else f"{len(names)} squares"
    return f"{asked[mark.role]}{tools.words(mark.men)} {where}"
