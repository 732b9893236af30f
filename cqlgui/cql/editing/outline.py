"""The outline of a text: what it declares, and which parts can be folded.

The functions read tokens only, so they work on a text with errors too. The time is linear in the number of
tokens.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Final, Literal

from cqlgui.base.data import dataclass
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.source.tokens import PIECE_DECLARATION, TRIVIA, Kind, Token

MOST_SYMBOLS: Final = 5_000
"""A text with more symbols has an outline of the first ones."""

SymbolKind = Literal["function", "variable", "dictionary", "sequence"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function, variable or dictionary at its first place in the text, or a sequence (`path`, `line`).
    `span` covers the whole part, and `name_span` covers the name. The name of a sequence is the beginning of
    its text, and its `name_span` is the keyword."""

    kind: SymbolKind
    name: str
    span: Span
    name_span: Span


@dataclass(frozen=True, slots=True)
class Fold:
    """Brackets with their content, a sequence (`path`, `line`), a comment, or line comments on lines that
    follow one another."""

    span: Span
    comment: bool


def symbols(found: Sequence[Token]) -> tuple[Symbol, ...]:
    """The symbols of a text with the tokens `found`, in text order."""
    closers = dict(_pairs(found))
    line_ends, sequence_ends = _ends(found)
    real = [place for place, token in enumerate(found) if token.kind not in TRIVIA]
    known: set[str] = set()
    made: list[Symbol] = []
    for at, place in enumerate(real):
        if len(made) == MOST_SYMBOLS:
            break
        token = found[place]
        if token.kind is Kind.KEYWORD and token.word in _SEQUENCES:
            span = _span(found, place, sequence_ends[place])
            made.append(Symbol("sequence", _shortened(found, place, sequence_ends[place]), span, token.span))
            continue
        if token.kind is not Kind.NAME or token.text in known:
            continue
        before = found[real[at - 1]] if at else None
        after = found[real[at + 1]] if at + 1 < len(real) else None
        kind = _declared(before, after)
        if kind is None:
            continue
        known.add(token.text)
        start, end = place, line_ends[place]
        if kind == "function":
            start, end = real[at - 1], _function_end(found, real, at, closers)
        made.append(Symbol(kind, token.text, _span(found, start, end), token.span))
    return tuple(made)


def folds(found: Sequence[Token]) -> tuple[Fold, ...]:
    """What can be folded in a text with the tokens `found`, in text order. A part may lie on one line."""
    made = [Fold(found[opener].span.to(found[closer].span), False) for opener, closer in _pairs(found)]
    _, sequence_ends = _ends(found)
    run: Span | None = None
    for place, token in enumerate(found):
        if token.kind is Kind.KEYWORD and token.word in _SEQUENCES:
            made.append(Fold(_span(found, place, sequence_ends[place]), False))
        elif token.kind is Kind.COMMENT:
            run = run.to(token.span) if run is not None and _on_next_line(found, place) else token.span
            following = found[place + 2] if place + 2 < len(found) else None
            if following is None or following.kind is not Kind.COMMENT or not _on_next_line(found, place + 2):
                made.append(Fold(run, True))
                run = None
    return tuple(sorted(made, key=lambda fold: (fold.span.offset, -fold.span.length)))


_SEQUENCES: Final = frozenset({"path", "line"})
_ASSIGNMENTS: Final = frozenset({"=", "=?", "+=", "-=", "*=", "/=", "%=", "|=", "&="})
_LOOPS: Final = frozenset({"piece", "square", "all", PIECE_DECLARATION})
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
_LONGEST_NAME: Final = 60


def _declared(before: Token | None, after: Token | None) -> SymbolKind | None:
    """What a name between two tokens declares; None for a name that is only used."""
    lead, follow = before.word if before else "", after.word if after else ""
    if lead == "function":
        return "function"
    if lead == "dictionary":
        return "dictionary"
    if follow in _ASSIGNMENTS or follow == "[element]" or (follow == "in" and lead in _LOOPS):
        return "variable"
    return None


def _function_end(found: Sequence[Token], real: Sequence[int], at: int, closers: dict[int, int]) -> int:
    """The index after the last token of a function's definition; `real[at]` is its name. A definition that is
    not finished ends where its last complete part ends."""
    end = real[at] + 1
    for sign in "({":
        following = real[at + 1] if at + 1 < len(real) else -1
        closer = closers.get(following)
        if closer is None or found[following].word != sign:
            break
        end = closer + 1
        at = bisect.bisect_left(real, closer)
    return end


def _pairs(found: Sequence[Token]) -> list[tuple[int, int]]:
    """The indices of opening and closing brackets that belong together. A bracket without a partner is left
    out."""
    pairs, waiting = [], []
    counts = dict.fromkeys(_BRACKETS, 0)
    opening = {close: sign for sign, close in _BRACKETS.items()}
    for place, token in enumerate(found):
        if token.kind is not Kind.BRACKET:
            continue
        if token.text in _BRACKETS:
            waiting.append(place)
            counts[token.text] += 1
        elif counts.get(opening.get(token.text, ""), 0):
            # Brackets between the two have no partner.
            while True:
                opener = waiting.pop()
                counts[found[opener].text] -= 1
                if found[opener].text == opening[token.text]:
                    break
            pairs.append((opener, place))
    return pairs


def _ends(found: Sequence[Token]) -> tuple[list[int], list[int]]:
    """For each token the index after the last token of a statement and of a sequence that begin with it. A
    statement ends at the next line break outside brackets, and a sequence ends at the next blank line. Both
    end where the bracket around them closes."""
    lines, blanks = [0] * len(found), [0] * len(found)
    level = (len(found), len(found))
    outer = []
    for place in range(len(found) - 1, -1, -1):
        token = found[place]
        lines[place], blanks[place] = level
        if token.kind is Kind.WHITESPACE and "\n" in token.text:
            level = (place, place if token.text.count("\n") > 1 else level[1])
        elif token.kind is Kind.BRACKET and token.text in _BRACKETS.values():
            outer.append(level)
            level = (place, place)
        elif token.kind is Kind.BRACKET and token.text in _BRACKETS:
            level = outer.pop() if outer else (len(found), len(found))
    return lines, blanks


def _span(found: Sequence[Token], start: int, end: int) -> Span:
    while end > start + 1 and found[end - 1].kind is Kind.WHITESPACE:
        end -= 1
    return found[start].span.to(found[end - 1].span)


def _shortened(found: Sequence[Token], start: int, end: int) -> str:
    """The beginning of a part as one line."""
    text = ""
    for token in found[start : min(end, start + _LONGEST_NAME)]:
        text += " " if token.kind in TRIVIA else token.text
        if len(text) > _LONGEST_NAME:
            break
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1] + "…"


def _on_next_line(found: Sequence[Token], place: int) -> bool:
    """Whether the line comment `found[place]` follows a line comment on the line before."""
    if place < 2 or found[place - 2].kind is not Kind.COMMENT or found[place - 1].text.count("\n") != 1:
        return False
    return not any(found[one].text.startswith("/*") for one in (place, place - 2))
