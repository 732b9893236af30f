"""Edits a query's text for gestures on the board. This module does not use Qt.

Each public function makes the change for one gesture, and may need several edits. A `CaretDraft` collects the
edits, because the user must be able to undo a gesture in one step. Most functions return the mark to select
afterwards, or None.
"""

from __future__ import annotations

from cqlgui.board import men, squares
from cqlgui.board.position import Position
from cqlgui.cql.editing import spelling
from cqlgui.pattern import editing, ladder, marks, reading, steps
from cqlgui.ui.pointing import placing


class CaretDraft:
    """A text with a caret, and the edits that were made to the text."""

    def __init__(self, text: str, caret: int) -> None:
        self._begun = text
        self.text = text
        self.caret = caret
        self._edits: list[editing.Edit] = []

    @property
    def pattern(self) -> marks.Pattern:
        """The pattern at the caret."""
        return reading.pattern_at(self.text, self.caret) or marks.Pattern()

    def take(self, edit: editing.Edit) -> None:
        """Apply an edit that was made for the current text."""
        if edit.changes:
            self._edits.append(edit)
            self.text = spelling.applied(self.text, edit.changes)
        self.caret = edit.caret

    @property
    def changes(self) -> tuple[spelling.Change, ...]:
        """All edits as changes of the original text. If there are several edits, they are joined into one
        change."""
        if len(self._edits) <= 1:
            return self._edits[0].changes if self._edits else ()
        old, new = self._begun, self.text
        if old == new:
            return ()
        head = 0
        while head < min(len(old), len(new)) and old[head] == new[head]:
            head += 1
        tail = 0
        while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        return (spelling.Change(head, len(old) - tail, new[head : len(new) - tail]),)


def place(draft: CaretDraft, square: int, mask: men.ManMask) -> marks.Mark:
    """Put men on a square. If a mark has only this square, the new men replace the men of the mark, and the
    mark keeps its role."""
    found = _alone(pattern := draft.pattern, square)
    draft.take(editing.stand(draft.text, draft.caret, {square: mask}))
    return marks.Mark(mask, squares.BIT[square], pattern.marks[found].role if found >= 0 else marks.Role.MUST)


def add(draft: CaretDraft, square: int, mask: men.ManMask) -> marks.Mark:
    """Add kinds of men to the mark on a square."""
    pattern = draft.pattern
    found = _alone(pattern, square)
    return place(draft, square, mask | (pattern.marks[found].men if found >= 0 else 0))


def spread(draft: CaretDraft, area: int, mask: men.ManMask) -> marks.Mark:
    """Put men somewhere in an area."""
    if area.bit_count() == 1:
        return place(draft, squares.lowest(area), mask)
    draft.take(editing.put(draft.text, draft.caret, mask, area))
    return marks.Mark(mask, area)


def move(draft: CaretDraft, mark: int, origin: int, target: int) -> marks.Mark | None:
    """Move a mark from one square to another square. If the target is beside the board, remove the mark.

    An area loses the squares that leave the board. An area of all 64 squares does not move.
    """
    pattern = draft.pattern
    held = pattern.marks[mark]
    if target < 0:
        erase(draft, mark)
        return None
    board = _shifted(held.squares, origin, target)
    if board == held.squares or held.squares == squares.ALL:
        return held
    taken = _alone(pattern, target)
    if taken >= 0 and taken != mark and board.bit_count() == 1:
        draft.take(editing.erase(draft.text, draft.caret, taken))
        mark = _place_of(draft.pattern, held)
    return _change(draft, mark, held.men, board) if mark >= 0 else held


def erase(draft: CaretDraft, mark: int) -> None:
    """Remove a mark and the arrows that begin or end at the mark."""
    draft.take(editing.erase(draft.text, draft.caret, mark))


def wipe(draft: CaretDraft, area: int) -> None:
    """Remove the marks that lie within an area."""
    gone = [place for place, mark in enumerate(draft.pattern.marks) if not mark.squares & ~area]
    draft.take(editing.erase(draft.text, draft.caret, *gone))


def widen(draft: CaretDraft, mark: int, square: int, by: int, began: men.ManMask) -> marks.Mark:
    """Make a mark one step wider or narrower (see `ladder.step` for `square`, `by` and `began`)."""
    held = draft.pattern.marks[mark]
    if held.men == men.EMPTY_MASK:
        return held
    wide, board = ladder.step(held.men, held.squares, square, by, began)
    return _change(draft, mark, wide, board)


def next_role(draft: CaretDraft, mark: int, remembered: men.ManMask) -> marks.Mark:
    """Give a mark the next role in the order: must, one of several, must not, empty, and must again.

    If the old role is "empty", the mark gets the men in `remembered`. If `remembered` is 0, the mark gets all
    kinds of men.
    """
    held = draft.pattern.marks[mark]
    if held.empty and held.role is marks.Role.MUST:
        return _change(draft, mark, remembered or men.MAN_MASK, held.squares)
    if held.role is marks.Role.NOT:
        back = set_role(draft, mark, marks.Role.MUST)
        now = _place_of(draft.pattern, back)
        if held.empty or now < 0:
            return back
        return _change(draft, now, men.EMPTY_MASK, held.squares)
    other = marks.Role.EITHER if held.role is marks.Role.MUST else marks.Role.NOT
    chosen = set_role(draft, mark, other)
    if other is marks.Role.EITHER and not draft.changes:
        # The role `EITHER` needs round brackets. In a path, round brackets would begin a chain, and therefore
        # `set_role` did not change the text.
        chosen = set_role(draft, mark, marks.Role.NOT)
    return chosen


def set_role(draft: CaretDraft, mark: int, role: marks.Role) -> marks.Mark:
    """Give a mark another role."""
    held = draft.pattern.marks[mark]
    draft.take(editing.set_role(draft.text, draft.caret, mark, role))
    return marks.Mark(held.men, held.squares, role)


def lift(draft: CaretDraft, area: int, shown: Position | None) -> int:
    """Add men to the pattern: all men that stand in an area, each man on its own square. Returns the number
    of men."""
    found = _standing(area, shown)
    draft.take(editing.stand(draft.text, draft.caret, {square: 1 << man for square, man in found}))
    return len(found)


def join(
    draft: CaretDraft, origin: int, target: int, relation: marks.Relation, shown: Position | None
) -> marks.Mark | None:
    """Add an arrow between two squares.

    A square without a mark gets a mark for the man that stands there. If the origin is empty, its new mark
    means "any man". If the target is empty, or the relation is `MOVES`, the new mark of the target means "any
    square".
    """
    ends = []
    for square, otherwise in ((origin, men.MAN_MASK), (target, men.ANY_MASK)):
        pattern = draft.pattern
        found = placing.mark_at(pattern, placing.anchors(pattern), square)
        if found >= 0:
            ends.append(pattern.marks[found])
            continue
        man = shown.squares[square] if shown is not None else men.EMPTY
        moves = relation is marks.Relation.MOVES and square == target
        ends.append(place(draft, square, otherwise if moves or not man else 1 << man))
    pattern = draft.pattern
    start, end = (_place_of(pattern, mark) for mark in ends)
    if start == end or min(start, end) < 0:
        return ends[0]
    draft.take(editing.add_arrow(draft.text, draft.caret, relation, start, end))
    return ends[0]


def relate(draft: CaretDraft, arrow: int, relation: marks.Relation) -> None:
    """Give an arrow another relation."""
    draft.take(editing.change_arrow(draft.text, draft.caret, arrow, relation))


def part(draft: CaretDraft, arrow: int) -> None:
    """Remove an arrow. The marks at the ends of the arrow are not removed."""
    draft.take(editing.remove_arrow(draft.text, draft.caret, arrow))


def ask(draft: CaretDraft, kind: marks.ConditionKind, text: str | None) -> None:
    """Set a condition on the whole position or game; the text None removes the condition."""
    draft.take(editing.set_condition(draft.text, draft.caret, kind, text))


def clear(draft: CaretDraft) -> None:
    """Remove all marks, arrows and conditions."""
    draft.take(editing.clear(draft.text, draft.caret))


_OF_A_GAME: tuple[marks.ConditionKind, ...] = ("player", "year", "elo", "result")
"""Conditions on a whole game. It is enough if one step of a sequence has these conditions."""
_OF_ITS_END: tuple[marks.ConditionKind, ...] = ("mate", "stalemate")
"""Conditions that hold only at the end of a game. No step can follow a step with one of these conditions."""


def copied(pattern: marks.Pattern) -> marks.Pattern:
    """The pattern of a new step: a copy without the conditions in `_OF_A_GAME` and `_OF_ITS_END`."""
    kept = tuple(one for one in pattern.conditions if one.kind not in (*_OF_A_GAME, *_OF_ITS_END))
    return marks.Pattern(pattern.marks, pattern.arrows, kept)


def snapshot(pattern: marks.Pattern, shown: Position | None) -> tuple[marks.Pattern, int]:
    """A pattern with the men of `pattern` on their current squares, and the number of marks that were left
    out.

    A mark is copied only if its role is "must" and it has one man and one square. If the man has left this
    square, the new square must be certain: no other mark has lost a man of this kind, and only one man on the
    board can be the missing man.
    """
    if shown is None:
        return marks.Pattern(), len(pattern.marks)
    single = [
        (mark.men.bit_length() - 1, mark.squares)
        for mark in pattern.marks
        if mark.role is marks.Role.MUST
        and mark.men.bit_count() == mark.squares.bit_count() == 1
        and not mark.empty
    ]
    taken = sum(board for man, board in single if shown.men[man] & board)
    found = []
    for man, board in single:
        stays = shown.men[man] & board
        there = board if stays else shown.men[man] & ~taken
        alike = sum(other == man and not shown.men[man] & at for other, at in single)
        if there.bit_count() == 1 and (stays or alike == 1):
            found.append(marks.Mark(1 << man, there))
    return marks.Pattern(tuple(found)), len(pattern.marks) - len(found)


def step_of(sequence: steps.Sequence | None, drawn: marks.Pattern) -> int:
    """The index of the step that is drawn; -1 if no step is drawn. A step without braces cannot be drawn
    alone."""
    if sequence is None:
        return -1
    same = (place for place, one in enumerate(sequence.steps) if one.span.offset == drawn.span.offset)
    return next(same, -1)


def add_step(draft: CaretDraft, pattern: marks.Pattern) -> None:
    """Append a step. If the text has no sequence, the group at the caret becomes the first step."""
    draft.take(steps.add_step(draft.text, draft.caret, pattern))


def remove_step(draft: CaretDraft, step: int) -> None:
    """Remove a step and the gap before the step. For the first step, remove the gap after the step."""
    draft.take(steps.remove_step(draft.text, draft.caret, step))


def move_step(draft: CaretDraft, step: int, to: int) -> None:
    """Move a step to another place."""
    draft.take(steps.move_step(draft.text, draft.caret, step, to))


def set_gap(draft: CaretDraft, gap: int, new: steps.Gap) -> None:
    """Set the number of plies between two steps."""
    draft.take(steps.set_gap(draft.text, draft.caret, gap, new))


def set_form(draft: CaretDraft, form: steps.Form) -> None:
    """Write the steps as a `path`, or as nested `find` filters."""
    draft.take(steps.set_form(draft.text, draft.caret, form))


def _alone(pattern: marks.Pattern, square: int) -> int:
    """The index of the last mark that has only this square; -1 if no mark has only this square."""
    board = squares.BIT[square]
    return max((place for place, mark in enumerate(pattern.marks) if mark.squares == board), default=-1)


def _change(draft: CaretDraft, mark: int, mask: men.ManMask, board: int) -> marks.Mark:
    held = draft.pattern.marks[mark]
    if (held.men, held.squares) != (mask, board):
        draft.take(editing.change(draft.text, draft.caret, mark, mask, board))
    return marks.Mark(mask, board, held.role)


def _place_of(pattern: marks.Pattern, mark: marks.Mark) -> int:
    """The index of a mark in a pattern; -1 if the pattern does not have the mark."""
    return next((place for place, one in enumerate(pattern.marks) if one == mark), -1)


def _standing(area: int, shown: Position | None) -> list[tuple[int, men.Man]]:
    if shown is None:
        return []
    return [(square, shown.squares[square]) for square in squares.bits(area) if shown.squares[square]]


def _shifted(board: int, origin: int, target: int) -> int:
    """A bitboard shifted by the distance from `origin` to `target`. Squares that leave the board are dropped.
    If all squares leave the board, the bitboard is not shifted."""
    right = squares.file_of(target) - squares.file_of(origin)
    up = squares.rank_of(target) - squares.rank_of(origin)
    moved = 0
    for square in squares.bits(board):
        there = squares.make_square(squares.file_of(square) + right, squares.rank_of(square) + up)
        if there >= 0:
            moved |= squares.BIT[there]
    return moved or board
