"""The chain of transforms around the pattern at the caret, and the edits that change it.

If the caret is outside all braces, the pattern is the group that the board draws
(`pattern.reading.group_at`). A single filter among others is not a pattern. A transform of this filter alone
would change the query in a way that the user did not mean. A single step of a sequence is not a pattern
either, because a transform should act on all steps together. The functions here work on texts, without Qt.
"""

from __future__ import annotations

from cqlgui.base.data import dataclass
from cqlgui.cql.editing import structure
from cqlgui.cql.source import diagnostics, tokens
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.syntax.reading import lexer
from cqlgui.pattern import groups, reading, steps
from cqlgui.ui.picker import words


@dataclass(frozen=True, slots=True)
class ChosenChain:
    """`words` are the keywords of the transforms, outermost first. `counts` is True if the innermost
    transform has the word `count` after its keyword."""

    words: tuple[str, ...] = ()
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace code points `start`..`end` by `text`."""

    start: int
    end: int
    text: str


def readable(text: str) -> bool:
    """Whether the text has no errors. In a text with errors, the places of the filters are unknown."""
    return structure.checked(text).query is not None


def at(text: str, offset: int) -> ChosenChain:
    """The chain of the pattern at a caret; an empty chain in a text with errors."""
    return _of(meant(text, offset))


def meant(text: str, offset: int) -> structure.ChainInText:
    """The pattern that the user most likely means if the caret is at `offset`, and the transforms directly
    around this pattern. In a text with errors the pattern is empty."""
    return _candidates(text, offset)[0]


def _candidates(text: str, offset: int) -> list[structure.ChainInText]:
    """The patterns that the user may mean if the caret is at `offset`. The likeliest pattern comes first, and
    the whole body last.

    The caret may be in a step of a sequence. If this step has transforms of its own, the step is the
    likeliest pattern. If it has none, the group of all steps is the likeliest pattern. A group in braces is a
    pattern even if the board cannot draw the group. The board cannot draw a group if the query uses the value
    of the group.
    """
    if not readable(text):
        return [structure.ChainInText((), Span(min(offset, len(text)), 0))]
    braces = groups.braces(text)
    places = [place for place in braces if place[0] < offset < place[1]]
    places += [
        (chain.operand.offset, chain.operand.end)
        for chain in structure.chains(text)
        if chain.links[0].word_span.offset < offset <= chain.operand.offset
        and (chain.operand.offset, chain.operand.end) in braces
    ]
    places.sort(key=lambda place: place[1] - place[0])
    home = steps.home_at(text, offset)
    if home is not None and not (places and _round(text, *places[0]).links):
        # A step without transforms of its own is transformed together with the other steps.
        places.insert(0, (home.offset, home.end))
    if not places:
        places = [(group.outside.offset, group.outside.end) for group in reading.groups_at(text, offset)]
    return [_round(text, *place) for place in dict.fromkeys([*places, whole(text)])]


def whole(text: str) -> tuple[int, int]:
    """The start and the end of the query's body, including braces around the whole body. In a text with
    errors, both are the end of the text."""
    query = structure.checked(text).query
    if query is None:
        return len(text), len(text)
    # The span of a filter leaves out brackets around it, so the body is all that follows the header.
    after = query.header.span.end
    found = [one.span for one in lexer.tokens(text) if one.kind not in tokens.TRIVIA]
    body = [span for span in found if span.offset >= after]
    return body[0].offset, body[-1].end


def over(text: str, start: int, end: int) -> ChosenChain:
    """The chain with exactly the selection as its operand; an empty chain if the selection is no operand."""
    found = structure.chain_of_operand(text, start, end)
    return ChosenChain() if found is None else _of(found)


def behind(text: str, start: int, selected: tuple[int, int]) -> tuple[int, int]:
    """The place to select after transforms were put before the selected text. The transforms begin at
    `start`. The place to select is the operand of the transforms."""
    if structure.chain_of_operand(text, *selected) is not None:
        return selected
    operands = [
        (chain.links[0].word_span.offset, chain.operand)
        for chain in structure.chains(text)
        if chain.links[0].word_span.offset >= start
    ]
    if not operands:
        return selected
    operand = min(operands, key=lambda one: one[0])[1]
    return operand.offset, operand.end


def governed(text: str, start: int, end: int, word: str) -> tuple[int, int]:
    """The operand of the transform `word` in the chain of the selection. If the selection has no chain, the
    chain of the pattern at the caret is used. If `word` is not in this chain, the result is the whole chain,
    because `word` would be put around the chain. In a text with errors, the result is empty."""
    found = structure.chain_of_operand(text, start, end) if start < end else None
    found = found or meant(text, start)
    end = found.operand.end
    names = [words.SYNONYMS.get(link.word, link.word) for link in found.links]
    if word in names:
        place = names.index(word) + 1
        start = found.links[place].word_span.offset if place < len(names) else found.operand.offset
        return start, end
    return (found.links[0].word_span.offset if found.links else found.operand.offset), end


def changed(text: str, start: int, end: int, wanted: ChosenChain) -> Edit | None:
    """The edit that puts the transforms `wanted` on the selection or, if nothing is selected, on the pattern
    at the caret. The result is None if nothing changes.

    If the user wrote a range after a transform, the edit does not separate the range from this transform.
    `wanted.counts` concerns only the `count` of the innermost transform. If the selection is the operand of a
    chain, this chain is changed. Any other selection gets transforms of its own, and a chain around the
    selection stays unchanged.
    """
    if start == end:
        found = meant(text, start)
        if not found.links and wanted.words:
            # Some filters in braces cannot be the operand of a transform, but a larger pattern around them
            # can.
            edits = (_wrapped(text, one.operand, wanted) for one in _candidates(text, start))
            return next((edit for edit in edits if edit is not None and readable(_applied(text, edit))), None)
    else:
        found = structure.chain_of_operand(text, start, end) or structure.ChainInText((), Span(start, 0))
    if not found.links:
        if not wanted.words:
            return None
        return _difference(text, structure.wrap(text, start, end, _spelled(wanted)))
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


def _wrapped(text: str, pattern: Span, wanted: ChosenChain) -> Edit | None:
    """Put transforms before a pattern. The pattern always gets braces, so that the transforms also act on
    later additions to the pattern."""
    if not pattern.length:
        return None
    inner = text[pattern.offset : pattern.end]
    if (pattern.offset, pattern.end) not in groups.braces(text):
        inner = f"{{{inner}}}"
    new = f"{' '.join(_spelled(wanted))} {inner}"
    if structure.goes_on(text, pattern.end):
        new = f"({new})"
    return Edit(pattern.offset, pattern.end, new)


def _spelled(wanted: ChosenChain) -> tuple[str, ...]:
    counting = " count" if wanted.counts else ""
    return (*wanted.words[:-1], wanted.words[-1] + counting)


def _applied(text: str, edit: Edit) -> str:
    return text[: edit.start] + edit.text + text[edit.end :]


def _unwrapped(text: str, first: int, operand: diagnostics.Span) -> str:
    """The text without the transforms from `first` to the operand. `_wrapped` adds round brackets if an
    operator follows. These brackets are removed too. Round brackets around a keyword's argument stay."""
    inner = text[operand.offset : operand.end]
    before, after = text[:first], text[operand.end :]
    ours = before.endswith("(") and after.startswith(")") and before[:-1].rstrip()[-1:] in _BEFORE_FILTER
    if ours and len(inner.split()) == 1:
        return before[:-1] + inner + after[1:]
    return before + inner + after


_BEFORE_FILTER = ("", "(", "{", "&", "|")


def _round(text: str, start: int, end: int) -> structure.ChainInText:
    """A pattern with the transforms around it. The transforms stand before the braces of the pattern. If the
    braces hold only the transforms and their operand, the transforms may stand inside the braces."""
    found = structure.chain_of_operand(text, start, end)
    if found is not None:
        return found
    for chain in structure.chains(text):
        first = chain.links[0].word_span.offset
        if (first, chain.operand.end) == (start, end) or (
            start < first and chain.operand.end < end and _only(text, start, end, first, chain.operand.end)
        ):
            return chain
    return structure.ChainInText((), Span(start, end - start))


def _only(text: str, first: int, last: int, start: int, end: int) -> bool:
    """Whether the brackets from `first` to `last` hold only `start`..`end`, white space and comments."""
    around = text[first + 1 : start] + "\n" + text[end : last - 1]
    return not around.strip() or all(token.kind in tokens.TRIVIA for token in lexer.tokens(around))


def _of(found: structure.ChainInText) -> ChosenChain:
    names = tuple(words.SYNONYMS.get(link.word, link.word) for link in found.links)
    return ChosenChain(names, bool(found.links) and found.links[-1].range_text.strip() == "count")


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
