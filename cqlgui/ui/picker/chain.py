"""The chain of transforms at the caret, and the edits that make it another one.

Pure functions on texts; no Qt.
"""

from __future__ import annotations

from cqlgui.base.data import dataclass
from cqlgui.cql import diagnostics, structure
from cqlgui.ui.picker import words


@dataclass(frozen=True, slots=True)
class Chain:
    """Words of the transforms, outermost first, and whether the innermost one counts."""

    words: tuple[str, ...] = ()
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` in place of code points `start`..`end`."""

    start: int
    end: int
    text: str


def readable(text: str) -> bool:
    """Whether the text has no errors; only then is it known where its filters begin and end."""
    return structure.checked(text).query is not None


def at(text: str, offset: int) -> Chain:
    """The chain at a caret; an empty one in a text with errors."""
    return _of(structure.transform_chain_at(text, offset)) if readable(text) else Chain()


def whole(text: str) -> tuple[int, int]:
    """Where the body of the query stands; nowhere, at the end, in a text with errors."""
    query = structure.checked(text).query
    return (len(text), len(text)) if query is None else (query.body.span.offset, query.body.span.end)


def reached(text: str, offset: int) -> int:
    """The caret, or where the filter that it means begins when it stands beside it in white space; always the
    caret in a text with errors.
    """
    if not readable(text):
        return offset
    span = structure.transform_chain_at(text, offset).operand
    return offset if span.offset <= offset <= span.end or not span.length else span.offset


def over(text: str, start: int, end: int) -> Chain:
    """The chain whose operand is exactly the selection; an empty one when it is no operand."""
    found = structure.chain_of_operand(text, start, end)
    return Chain() if found is None else _of(found)


def changed(text: str, start: int, end: int, wanted: Chain) -> Edit | None:
    """The edit after which the selection, or the filter at the caret, stands under `wanted`; None when
    nothing changes.

    A range that the user wrote stays with its transform; `wanted.counts` tells of the innermost one's `count`
    alone. A selection that is the operand of a chain means
    that chain; any other is wrapped as it is, without touching a chain around it.
    """
    if start == end:
        found = structure.transform_chain_at(text, start)
    else:
        found = structure.chain_of_operand(text, start, end) or structure.Chain(
            (), diagnostics.Span(start, 0)
        )
    if not found.links:
        if not wanted.words:
            return None
        spelled = list(wanted.words)
        if wanted.counts:
            spelled[-1] += " count"
        return _difference(text, structure.wrap(text, start, end, tuple(spelled)))
    first = found.links[0].word_span.offset
    if not wanted.words:
        return _difference(text, _unwrapped(text, first, found.operand))
    ranges = [
        (words.SYNONYMS.get(link.word, link.word), link.word, link.range_text.strip()) for link in found.links
    ]
    if ranges[-1][2] == "count":
        ranges[-1] = (*ranges[-1][:2], "")
    parts = []
    for place, word in enumerate(wanted.words):
        known = next((one for one in ranges if one[0] == word), None)
        if known is not None:
            ranges.remove(known)
        bounds = known[2] if known is not None else ""
        if place == len(wanted.words) - 1 and wanted.counts and not bounds:
            bounds = "count"
        parts.append(f"{known[1] if known is not None else word} {bounds}".strip())
    gap = text[found.links[-1].range_span.end : found.operand.offset] or " "
    return _difference(text, text[:first] + " ".join(parts) + gap + text[found.operand.offset :])


def _unwrapped(text: str, first: int, operand: diagnostics.Span) -> str:
    """The text without the transforms from `first` to the operand, nor the round brackets that wrapping put
    round the whole where an operator follows; those of a keyword's argument stay."""
    inner = text[operand.offset : operand.end]
    before, after = text[:first], text[operand.end :]
    ours = before.endswith("(") and after.startswith(")") and before[:-1].rstrip()[-1:] in _BEFORE_FILTER
    if ours and len(inner.split()) == 1:
        return before[:-1] + inner + after[1:]
    return before + inner + after


_BEFORE_FILTER = ("", "(", "{", "&", "|")


def _of(found: structure.Chain) -> Chain:
    names = tuple(words.SYNONYMS.get(link.word, link.word) for link in found.links)
    return Chain(names, bool(found.links) and found.links[-1].range_text.strip() == "count")


def _difference(old: str, new: str) -> Edit | None:
    """The smallest single replacement that turns `old` into `new`."""
    if old == new:
        return None
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Edit(head, len(old) - tail, new[head : len(new) - tail])
