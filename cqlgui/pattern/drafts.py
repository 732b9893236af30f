"""Removes, inserts and replaces parts of a text, and keeps the text readable.

White space beside a removed part is removed too. One blank or line break is left between two filters. Line
breaks with a meaning are kept: the line break after a comment, and blank lines, because a blank line ends a
path.
"""

from __future__ import annotations

from cqlgui.base.data import dataclass
from cqlgui.cql.editing import spelling, structure
from cqlgui.cql.editing.spelling import Change
from cqlgui.cql.source.diagnostics import Span
from cqlgui.pattern import groups, writing


@dataclass(frozen=True, slots=True)
class Edit:
    """Changes of a text, and the place of the caret after these changes. The changes are in text order and do
    not overlap.

    `changes` is empty if nothing is to be done, or if the text has errors.
    """

    changes: tuple[Change, ...]
    caret: int

    def applied(self, text: str) -> str:
        """The text after the changes."""
        return spelling.applied(text, self.changes)


class Draft:
    """Collects changes to a text. All offsets are offsets in the old text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._signs = spelling.has_signs(text)
        self._layout = groups.layout(text)
        self._drops: list[Span] = []
        # The parts that `drop_part` removed. The rest of each filter stays, so no place holder is needed.
        self._parts: set[Span] = set()
        self._puts: list[Change] = []

    def drop(self, span: Span) -> None:
        """Remove a filter or a sign; comments in it stay."""
        self._drops.append(span)

    def drop_part(self, span: Span) -> None:
        """Remove a part of a filter. The rest of the filter stays."""
        self._drops.append(span)
        self._parts.add(span)

    def put(self, at: int, written: str) -> None:
        """Insert a text at an offset."""
        self._puts.append(Change(at, at, self._spelled(written)))

    def replace(self, span: Span, written: str) -> None:
        """Replace a filter or a part of a filter; comments in the replaced text stay."""
        new = self._spelled(written)
        if new == self.text[span.offset : span.end]:
            return
        inside = [one.span for one in self._layout.within(span)]
        if len(inside) > 1 and self._layout.has_comment(span):
            span, *rest = inside
            self._drops += rest
        self._puts.append(Change(span.offset, span.end, new))

    def _spelled(self, written: str) -> str:
        """A filter, spelled with Unicode signs if the text has Unicode signs."""
        return spelling.respelled(written, "unicode") if self._signs else written

    def hold(self, span: Span) -> None:
        """Write `writing.PLACE_HOLDER` over a part that an earlier `drop` would have removed."""
        self._drops.remove(span)
        self.replace(span, writing.PLACE_HOLDER)

    def edit(self, caret: int) -> Edit:
        """The changes and the caret. The caret stands after the first filter that was written. If no filter
        was written, the caret stays at its place in the text."""
        for held in ("", writing.PLACE_HOLDER):
            changes = self._changes(held)
            if not changes:
                return Edit((), caret)
            if structure.checked(spelling.applied(self.text, changes)).query is not None:
                return Edit(changes, self._caret(caret, changes))
        # Both attempts gave a text with errors, because other text depends on a removed part. Nothing is
        # changed: only the author of the query can correct this text.
        return Edit((), caret)

    def _caret(self, caret: int, changes: tuple[Change, ...]) -> int:
        written = next((one for one in self._puts if one.new.strip(" (){}")), None)
        if written is None:
            return spelling.moved(caret, changes)
        place = next(place for place, one in enumerate(changes) if one is written)
        shift = sum(len(one.new) - (one.end - one.start) for one in changes[:place])
        return written.start + shift + len(written.new.rstrip(" })"))

    def _changes(self, held: str) -> tuple[Change, ...]:
        found = [self._trimmed(start, end, held) for start, end in self._regions()] + self._puts
        # Insertions at one place stay in order. An insertion at the beginning of a removed part stands before
        # the part. An insertion at the end of the part stands after the part.
        return self._parted(sorted(found, key=lambda one: (one.start, one.end)))

    def _parted(self, changes: list[Change]) -> tuple[Change, ...]:
        """The changes, with blanks where a written text would join a neighbouring word."""
        made = list[Change]()
        last, end = "", 0
        for number, one in enumerate(changes):
            before = self.text[one.start - 1 : one.start] if one.start > end or not number else last
            follows = changes[number + 1] if number + 1 < len(changes) else None
            alone = follows is None or follows.start > one.end
            new = " " * (_is_word(before[-1:]) and _is_word(one.new[:1])) + one.new
            if alone and new:
                new += " " * (_is_word(new[-1:]) and _is_word(self.text[one.end : one.end + 1]))
            changed = one if new == one.new else Change(one.start, one.end, new)
            self._puts = [changed if known is one else known for known in self._puts]
            made.append(changed)
            last, end = new or before, one.end
        return tuple(made)

    def _regions(self) -> list[tuple[int, int]]:
        """The parts to remove; parts with nothing but white space between them are joined."""
        found: list[tuple[int, int]] = []
        pieces = {(one.offset, one.end) for span in self._drops for one in self._layout.within(span)}
        for start, end in sorted(pieces):
            last = found[-1][1] if found else -1
            if found and (start <= last or (self._is_blank(last, start) and not self._puts_in(last, start))):
                found[-1] = (found[-1][0], max(last, end))
            else:
                found.append((start, end))
        return found

    def _trimmed(self, start: int, end: int, held: str) -> Change:
        """The change that removes a part. White space beside the part is removed too if it is no longer
        needed."""
        if held and any(start <= one.offset < end for one in self._drops if one not in self._parts):
            return Change(start, end, held)
        text = self.text
        left, right = len(text[:start].rstrip()), len(text) - len(text[end:].lstrip())
        before, after = text[left:start], text[end:right]
        opens = left == 0 or text[left - 1] in "({["
        closes = right == len(text) or text[right] in ")}]"
        first, last = start, end
        if "\n" in before:
            blank = before.count("\n") > 1
            if "\n" not in after:
                ends = right == len(text) and not blank and not after
                first, last = (left, end) if ends else (start, right)
            else:
                first, last = (start, right) if blank else (left, end)
        elif before:
            first = left if after or closes else start
        elif opens:
            last = right
        elif not after and not closes and not self._puts_in(start, end):
            return Change(start, end, " ")
        # White space stays if a text is inserted in it, because an insertion must not lie within the removed
        # text.
        if first < start and self._puts_in(first, start):
            first = start
        if last > end and self._puts_in(end, last):
            last = end
        return Change(first, last, "")

    def _is_blank(self, start: int, end: int) -> bool:
        return not self.text[start:end].strip()

    def _puts_in(self, start: int, end: int) -> bool:
        """Whether a text is inserted between two places."""
        return any(one.start == one.end and start <= one.start <= end for one in self._puts)


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign in ("_", "[", "]")
