"""Edits of a query's text that change its pattern.

Each edit makes only the requested change. Comments, white space, and filters that marks cannot express stay
as they are. A text with errors is not changed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Set

from cqlgui.board import men as board
from cqlgui.board import squares as squares_module
from cqlgui.cql.editing import spelling
from cqlgui.cql.source.diagnostics import Span
from cqlgui.pattern import groups, reading, writing
from cqlgui.pattern.drafts import Draft, Edit
from cqlgui.pattern.marks import ConditionKind, Mark, Relation, Role

__all__ = [
    "Edit",
    "add_arrow",
    "change",
    "change_arrow",
    "clear",
    "erase",
    "put",
    "remove_arrow",
    "set_condition",
    "set_role",
    "set_transforms",
    "stand",
]


def put(text: str, caret: int, men: int, squares: int, role: Role = Role.MUST) -> Edit:
    """Add a mark to the group at the caret. If the text has no filters, a new group is made. If there is
    already a mark with these men and squares, this mark gets the role."""

    def work(pen: _Pen) -> None:
        if not men or not squares:
            return
        known = pen.place(men, squares)
        if known >= 0:
            if pen.place(men, squares, role) < 0:
                pen.set_role(known, role)
        else:
            pen.add_mark(Mark(men, squares, role))

    return _edited(text, caret, work)


def stand(text: str, caret: int, placed: Mapping[int, int]) -> Edit:
    """Put men on single squares. `placed` maps the number of each square to the men. If a mark names only
    this square, the mark gets the men and keeps its role. If several marks name only this square, the last of
    these marks gets the men. If no mark names only this square, a new mark is made."""

    def work(pen: _Pen) -> None:
        wanted, new = dict[int, tuple[int, int]](), list[str]()
        for square, men in placed.items():
            here = squares_module.BIT[square]
            alone = [place for place, one in enumerate(pen.pattern.marks) if one.squares == here]
            if alone:
                wanted[alone[-1]] = men, here
            else:
                new.append(writing.designator(men, here))
        pen.change(wanted)
        if new:
            pen.add_marks(" ".join(new))

    return _edited(text, caret, work)


def erase(text: str, caret: int, *marks: int) -> Edit:
    """Remove some marks and the arrows that name them. The marks at the other ends of these arrows are
    kept."""

    def work(pen: _Pen) -> None:
        gone = set(marks)
        named = [place for place, one in enumerate(pen.pattern.arrows) if gone & {one.origin, one.target}]
        pen.drop_marks(gone)
        pen.drop_arrows(named, without=gone)

    return _edited(text, caret, work, *marks)


def change(text: str, caret: int, mark: int, men: int, squares: int) -> Edit:
    """Give a mark other men or squares, wherever the text names the mark."""

    def work(pen: _Pen) -> None:
        if men and squares:
            pen.change({mark: (men, squares)})

    return _edited(text, caret, work, mark)


def set_role(text: str, caret: int, mark: int, role: Role) -> Edit:
    """Give a mark another role."""
    return _edited(text, caret, lambda pen: pen.set_role(mark, role), mark)


def add_arrow(text: str, caret: int, relation: Relation, origin: int, target: int) -> Edit:
    """Add an arrow between two marks. If one of the marks names only squares and no men, the mark's own
    filter is removed, because this filter would always hold."""

    def work(pen: _Pen) -> None:
        marks, arrows = pen.pattern.marks, pen.pattern.arrows
        known = {(one.relation, one.origin, one.target) for one in arrows}
        if origin == target or (relation, origin, target) in known:
            return
        pen.add_arrow(writing.arrow_text(relation, marks[origin], marks[target]))
        for end in (origin, target):
            named = [one for one in marks if (one.men, one.squares) == (marks[end].men, marks[end].squares)]
            if marks[end].men == board.ANY_MASK and marks[end].role is Role.MUST and len(named) == 1:
                pen.drop_marks({end})

    return _edited(text, caret, work, origin, target)


def change_arrow(text: str, caret: int, arrow: int, relation: Relation) -> Edit:
    """Give an arrow another relation."""

    def work(pen: _Pen) -> None:
        if not 0 <= arrow < len(pen.pattern.arrows):
            return
        old, marks = pen.pattern.arrows[arrow], pen.pattern.marks
        if old.relation is not relation:
            pen.draft.replace(old.span, writing.arrow_text(relation, marks[old.origin], marks[old.target]))
            if relation is Relation.MOVES and pen.bracket_follows(old.span):
                # A bracket after a dash would be read as the target of the dash.
                pen.draft.put(old.span.end, f" {writing.PLACE_HOLDER}")

    return _edited(text, caret, work)


def remove_arrow(text: str, caret: int, arrow: int) -> Edit:
    """Remove an arrow. The marks at its ends are kept."""

    def work(pen: _Pen) -> None:
        if 0 <= arrow < len(pen.pattern.arrows):
            pen.drop_arrows([arrow])

    return _edited(text, caret, work)


def set_condition(text: str, caret: int, kind: ConditionKind, new: str | None) -> Edit:
    """Replace the condition of a kind by the filter `new`. If the group has no condition of this kind, the
    filter is added. If `new` is None, the condition is removed."""

    def work(pen: _Pen) -> None:
        wanted = (new or "").strip()
        shown = (item for item in pen.items if item.condition >= 0)
        old = next((one for one in shown if pen.pattern.conditions[one.condition].kind == kind), None)
        if old is None:
            if wanted:
                pen.add_condition(wanted)
        elif wanted:
            pen.write_over(old, wanted)
        else:
            pen.drop(old)

    return _edited(text, caret, work)


def clear(text: str, caret: int) -> Edit:
    """Remove marks, arrows and conditions; other filters stay."""

    def work(pen: _Pen) -> None:
        for item in pen.items:
            if item.marks or item.condition >= 0:
                pen.drop(item)

    return _edited(text, caret, work)


def set_transforms(text: str, caret: int, words: tuple[str, ...]) -> Edit:
    """Replace the transforms directly around the group by `words`, outermost first. A transform that is there
    before and after the edit keeps its range.

    The group gets braces if it has none. If an operator follows the group, round brackets enclose the
    transform and the group. Without the brackets, the operator would become a part of the transform's
    operand.
    """
    group = reading.group_at(text, caret)
    if group is None or tuple(one.word for one in group.chain) == words:
        return Edit((), caret)
    inside = caret if group.content.offset < caret <= group.content.end else group.content.end
    edit = Edit((), caret)
    for opener, closer in (("", ""), ("(", ")")):
        draft = Draft(text)
        if not group.filters:
            return _started(text, caret, words)
        if not group.chain:
            braces = ("", "") if group.braced else ("{", "}")
            draft.put(group.outside.offset, opener + " ".join(words) + " " + braces[0])
            draft.put(group.outside.end, braces[1] + closer)
        else:
            _relink(draft, group, words)
        changes = draft.edit(inside).changes
        edit = Edit(changes, spelling.moved(inside, changes) if changes else caret)
        place = spelling.moved(group.content.offset, edit.changes)
        after = edit.applied(text)
        now = [one for one in groups.all_groups(after) if one.content.offset >= place]
        if any(tuple(one.word for one in found.chain) == words for found in now[:1]):
            break
    carets = (edit.caret, spelling.moved(caret, edit.changes))
    drawn = (one for one in carets if _words_at(edit.applied(text), one) == words)
    return Edit(edit.changes, next(drawn, edit.caret))


def _words_at(text: str, caret: int) -> tuple[str, ...] | None:
    """The transforms around the group of `reading.group_at`; None if the text has errors."""
    group = reading.group_at(text, caret)
    return None if group is None else tuple(one.word for one in group.chain)


def _started(text: str, caret: int, words: tuple[str, ...]) -> Edit:
    """Put transforms around a group that has no filters yet."""
    draft = Draft(text)
    draft.put(len(text), f"{lead(text)}{' '.join(words)} {{{writing.PLACE_HOLDER}}}")
    return draft.edit(caret)


def _relink(draft: Draft, group: groups.PatternGroup, words: tuple[str, ...]) -> None:
    """Remove some transforms around a group and insert other transforms."""
    old = [one.word for one in group.chain]
    places = [one.word_span.to(one.range.span) if one.range else one.word_span for one in group.chain]
    steps = difflib.SequenceMatcher(None, old, words, autojunk=False).get_opcodes()
    for tag, first, last, start, end in steps:
        if tag == "equal":
            continue
        new = " ".join(words[start:end])
        if tag == "replace":
            draft.replace(places[first], new)
            first += 1
        for place in places[first:last]:
            draft.drop(place)
        if tag != "insert":
            continue
        if first < len(places):
            draft.put(places[first].offset, new + " ")
        else:
            draft.put(places[-1].end, " " + new)


def _edited(text: str, caret: int, work: Callable[[_Pen], None], *marks: int) -> Edit:
    """The edit that `work` makes. The edit is empty if the text has errors, or if one of the numbers `marks`
    is not the index of a mark."""
    group = reading.group_at(text, caret)
    if group is None:
        return Edit((), caret)
    pen = _Pen(text, group)
    if not all(0 <= mark < len(pen.pattern.marks) for mark in marks):
        return Edit((), caret)
    work(pen)
    return pen.edit(caret)


class _Pen:
    """Writes in one group of a text."""

    def __init__(self, text: str, group: groups.PatternGroup) -> None:
        self.text = text
        self.group = group
        found = reading.read(text, group)
        self.pattern = found.pattern
        self.items = found.items
        self.layout = groups.layout(text)
        self.draft = Draft(text)
        self.dropped: set[Span] = set()
        self.added = False
        # The place holder that a new filter has replaced.
        self.taken: reading.Item | None = None

    # --- finding ---

    def place(self, men: int, squares: int, role: Role | None = None) -> int:
        """The place of the mark with these men on these squares; -1 if there is no such mark."""
        for place, one in enumerate(self.pattern.marks):
            if (one.men, one.squares) == (men, squares) and role in (None, one.role):
                return place
        return -1

    def own(self, mark: int) -> list[reading.Item]:
        """The filters that express a mark. Arrows that name the mark are left out."""
        return [item for item in self.items if item.arrow < 0 and mark in item.marks]

    def bracket_follows(self, span: Span) -> bool:
        """Whether the next token after a filter is an opening bracket."""
        following = next((one for one in self.layout.tokens if one.offset >= span.end), None)
        return following is not None and following.word == "("

    # --- taking out ---

    def drop(self, item: reading.Item) -> None:
        """Remove a whole filter."""
        self.dropped.add(item.span)
        self.draft.drop(item.span)

    def drop_marks(self, marks: Set[int]) -> None:
        """Remove the marks' own filters. In a list of alternatives, the other marks stay."""
        for item in self.items:
            if item.arrow >= 0 or marks.isdisjoint(item.marks):
                continue
            if set(item.marks) <= marks:
                self.drop(item)
            else:
                self.drop_alternatives(item, marks)

    def drop_alternatives(self, item: reading.Item, marks: Set[int]) -> None:
        """Remove some marks from a list of alternatives. If a single mark is left, it needs brackets, because
        without brackets it would be a mark that must hold."""
        named = [one for one in self.layout.within(item.span) if one.word == "designator"]
        kept = [token for token, place in zip(named, item.marks, strict=True) if place not in marks]
        inside = self.layout.within(named[0].span.to(named[-1].span))
        for place, token in enumerate(inside):
            if token.word != "designator" or token in kept:
                continue
            self.draft.drop_part(token.span)
            # One `|` is removed with the mark. It is the `|` after the mark if the mark stands before the
            # first mark that is kept, and the `|` before the mark in all other cases.
            first = token.offset < kept[0].offset
            self.draft.drop_part(inside[place + 1 if first else place - 1].span)
        if len(kept) == 1 and item.span.length == named[0].span.to(named[-1].span).length:
            self.draft.put(item.span.offset, "(")
            self.draft.put(item.span.end, ")")

    def drop_arrows(self, places: list[int], without: Set[int] = frozenset()) -> None:
        """Remove arrows. If only these arrows name a mark, the mark gets a filter of its own."""
        arrows = [item for item in self.items if item.arrow >= 0]
        kept = {place for item in arrows if item.arrow not in places for place in item.marks}
        for item in arrows:
            if item.arrow not in places:
                continue
            alone = [
                place
                for place in dict.fromkeys(item.marks)
                if place not in without and place not in kept and not self.own(place)
            ]
            kept.update(alone)
            if alone:
                written = " ".join(self.spelled(self.pattern.marks[place]) for place in alone)
                self.write_over(item, written)
            else:
                self.drop(item)

    # --- putting in ---

    def spelled(self, mark: Mark) -> str:
        return writing.mark_text(mark.men, mark.squares, mark.role)

    def add_mark(self, mark: Mark) -> None:
        """Add a mark after the last mark. If the group has no marks, the mark is added before all filters."""
        if mark.role is Role.EITHER:
            either = self.alternatives()
            if either is not None:
                self.add_alternative(either, mark)
                return
        self.add_marks(self.spelled(mark))

    def add_marks(self, written: str) -> None:
        """Add marks after the last mark. If the group has no marks, the new marks are added before all
        filters."""
        self.add(written, [item for item in self.items if item.marks and item.arrow < 0])

    def alternatives(self) -> reading.Item | None:
        """The filter that lists alternatives: marks with the role `EITHER`. None if the group has no
        alternatives."""
        return next(
            (
                item
                for item in self.items
                if item.arrow < 0 and item.marks and self.pattern.marks[item.marks[0]].role is Role.EITHER
            ),
            None,
        )

    def add_alternative(self, item: reading.Item, mark: Mark) -> None:
        last = [one for one in self.layout.within(item.span) if one.word == "designator"][-1]
        self.draft.put(last.end, "|" + writing.designator(mark.men, mark.squares))

    def add_arrow(self, written: str) -> None:
        """Add an arrow after the last arrow. If the group has no arrows, the arrow is added after the
        marks."""
        arrows = [item for item in self.items if item.arrow >= 0]
        self.add(written, arrows or [item for item in self.items if item.marks])

    def add_condition(self, written: str) -> None:
        """Add a condition after all marks, arrows and conditions."""
        self.add(written, [item for item in self.items if item.marks or item.condition >= 0])

    def add(self, written: str, behind: Iterable[reading.Item]) -> None:
        """Add a filter after the last of the filters `behind`. If `behind` is empty, the filter is added
        before all filters of the group. The end of the group is not a safe place, because the filter could
        become a part of a preceding path or transform."""
        self.added = True
        holder = next((item for item in self.items if item.holder), None)
        places = [item.span.end for item in behind]
        if not self.items:
            self.draft.put(len(self.text), lead(self.text) + "{" + written + "}")
            return
        if holder is not None and not any(item.marks or item.condition >= 0 for item in self.items):
            self.write_over(holder, written)
            self.taken = holder
            return
        self.open_braces()
        if places:
            self.draft.put(max(places), " " + written)
        else:
            self.draft.put(self.items[0].span.offset, written + " ")
        self.close_braces()

    def open_braces(self) -> None:
        """Open braces if the group needs braces for a second filter. Call this before any other insertion at
        the beginning of the group."""
        if self.bare:
            self.draft.put(self.group.content.offset, "{")

    def close_braces(self) -> None:
        """Close the braces of `open_braces`. Call this after all other insertions."""
        if self.bare:
            self.draft.put(self.group.content.end, "}")

    @property
    def bare(self) -> bool:
        """Whether the group is the operand of a transform and has no braces. A group of this kind needs
        braces when a second filter is added."""
        return bool(self.group.chain) and not self.group.braced

    def write_over(self, item: reading.Item, written: str) -> None:
        """Replace a filter by other filters."""
        self.draft.replace(item.span, f"{{{written}}}" if self.bare and " " in written else written)

    # --- what is there ---

    def change(self, wanted: Mapping[int, tuple[int, int]]) -> None:
        """Give marks other men and squares. A mark that becomes equal to another mark is removed."""
        gone = set[int]()
        for mark, (men, squares) in wanted.items():
            old = self.pattern.marks[mark]
            twin = self.place(men, squares, old.role)
            spans = set(old.spans)
            if twin not in (-1, mark):
                gone.add(mark)
                spans -= {span for item in self.own(mark) for span in old.spans if _covers(item.span, span)}
            for span in sorted(spans, key=lambda one: one.offset):
                self.draft.replace(span, writing.designator(men, squares))
        self.drop_marks(gone)

    def set_role(self, mark: int, role: Role) -> None:
        old = self.pattern.marks[mark]
        if old.role is role:
            return
        own = self.own(mark)
        twin = self.place(old.men, old.squares, role)
        either = self.alternatives()
        wanted = Mark(old.men, old.squares, role)
        if twin >= 0 and self.own(twin):
            self.drop_marks({mark})
        elif not own:
            self.add_mark(wanted)
        elif role is Role.EITHER and either is not None:
            self.add_alternative(either, wanted)
            self.drop_marks({mark})
        elif old.role is Role.EITHER and len(set(own[0].marks)) > 1:
            self.open_braces()
            self.drop_marks({mark})
            self.draft.put(own[0].span.end, " " + self.spelled(wanted))
            self.close_braces()
            self.added = True
        else:
            self.turn(own[0], role)
            for item in own[1:]:
                self.drop(item)

    def turn(self, item: reading.Item, role: Role) -> None:
        """Give the only mark of a filter another role. The filter stays at its place."""
        span = item.span
        named = next(one for one in self.layout.within(span) if one.word == "designator")
        before, after = _ROLE_SIGNS[role]
        if self.layout.has_comment(span):
            for token in self.layout.within(span):
                if token is not named:
                    self.draft.drop(token.span)
            self.draft.put(named.offset, before)
            self.draft.put(named.end, after)
            return
        around = self.text[: span.offset][-1:], self.text[span.end :][:1]
        if not (around[0].isspace() or around[0] in "({["):
            before = " " + before
        if not (around[1].isspace() or around[1] in ")}]"):
            after += " "
        self.draft.replace(Span(span.offset, named.offset - span.offset), before)
        self.draft.replace(Span(named.end, span.end - named.end), after)

    # --- the end ---

    def edit(self, caret: int) -> Edit:
        """The changes. A place holder is written if no filter of the group is left. A place holder is also
        written if `reading.group_at` would find another group after the changes."""
        if self.taken is not None and not self.stays(self.placed(caret)):
            self.open_braces()
            self.draft.put(self.taken.span.offset, f"{writing.PLACE_HOLDER} ")
            self.close_braces()
        gone = [item for item in self.items if item.span in self.dropped]
        if gone and not self.added:
            left = [item for item in self.items if item.span not in self.dropped]
            if not left or not self.stays(self.placed(caret)):
                self.draft.hold(gone[0].span)
        return self.placed(caret)

    def placed(self, caret: int) -> Edit:
        """The changes, with a caret that lets `reading.group_at` find this group again. Several carets are
        tried, because the new text may stand in the braces of another group."""
        content = self.group.content
        edit = self.draft.edit(caret if self.group.holds(caret) else content.end)
        carets = (spelling.moved(one, edit.changes) for one in (caret, content.end, content.offset))
        edits = [edit, *(Edit(edit.changes, one) for one in carets)]
        return next(filter(self.stays, edits), edit)

    def stays(self, edit: Edit) -> bool:
        """Whether `reading.group_at` still finds this group after an edit, and the transforms around the
        group are unchanged."""
        after, now = reading.group_at(edit.applied(self.text), edit.caret), self.group
        if after is None:
            return False
        if not now.filters:
            return True
        if [one.word for one in after.chain] != [one.word for one in now.chain]:
            return False
        if not now.braced:
            return not after.braced or self.bare
        # If only inner braces are left in the group, `reading.group_at` finds the group of these inner
        # braces.
        return after.braced and after.content.offset == spelling.moved(now.content.offset, edit.changes)


_ROLE_SIGNS = {Role.MUST: ("", ""), Role.EITHER: ("(", ")"), Role.NOT: ("not ", "")}


def lead(text: str) -> str:
    """The white space to write between `text` and a filter after `text`."""
    found = groups.layout(text + " true").tokens
    if not found or found[-1].word != "true":
        return "\n"
    return "" if not text or text[-1].isspace() else " "


def _covers(outer: Span, inner: Span) -> bool:
    return outer.offset <= inner.offset and inner.end <= outer.end
