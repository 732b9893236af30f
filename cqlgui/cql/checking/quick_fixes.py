"""Adds a `Fix` to errors that a program can correct.

The module uses only the tokens around the error, because a text with errors has no tree.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Final

from cqlgui.base import data
from cqlgui.base.patterns import pattern
from cqlgui.cql.source import tokens
from cqlgui.cql.source.diagnostics import Diagnostic, Fix, Span
from cqlgui.cql.source.tokens import Kind, Token
from cqlgui.cql.syntax.reading import lexer
from cqlgui.cql.vocabulary import registry


def offered(text: str, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics, each with a fix if one is known."""
    rows = tuple(found)
    if not any(one.code in _RULES for one in rows):
        return rows
    scanned = [token for token in lexer.tokens(text) if token.kind not in tokens.TRIVIA]
    return tuple(_with_fix(text, scanned, one) for one in rows)


def _with_fix(text: str, scanned: list[Token], finding: Diagnostic) -> Diagnostic:
    rule = _RULES.get(finding.code)
    fix = rule(text, scanned, finding) if rule is not None and finding.fix is None else None
    return finding if fix is None else data.replace(finding, fix=fix)


def _undeclared(text: str, scanned: list[Token], finding: Diagnostic) -> Fix | None:
    """A fix for a keyword written as two words, or misspelled."""
    span = finding.span
    for first, second in itertools.pairwise(scanned):
        if span.offset not in (first.offset, second.offset) or Kind.STRING in (first.kind, second.kind):
            continue
        joined = first.text + second.text
        if registry.is_reserved(joined) and not text[first.end : second.offset].strip():
            return Fix(f"Write {joined} as one word", first.span.to(second.span), joined)
    meant = _DID_YOU_MEAN.match(finding.hint)
    return Fix(f"Change to {meant[1]}", span, meant[1]) if meant else None


def _unbalanced(text: str, scanned: list[Token], finding: Diagnostic) -> Fix | None:
    sign = text[finding.span.offset : finding.span.end]
    due = _DUE.match(finding.message)
    if due:
        return Fix(f"Change to {due[1]}", finding.span, due[1])
    if sign in _CLOSERS:
        return _closed(text, scanned, finding.span.offset)
    return Fix(f"Take the {sign} away", finding.span, "") if sign in _CLOSERS.values() else None


def _closed(text: str, scanned: list[Token], offset: int) -> Fix | None:
    """A fix that closes the bracket at `offset` behind the last token. None if the new bracket would not
    close this one: another one is open there, or the text ends within a string."""
    start = next((place for place, token in enumerate(scanned) if token.offset == offset), len(scanned))
    level = 0
    for token in scanned[start:]:
        level += (token.text in _CLOSERS) - (token.text in _CLOSERS.values())
        if level == 0:
            return None
    if level != 1:
        return None
    end, sign = scanned[-1].end, _CLOSERS[scanned[start].text]
    if lexer.tokens(text[:end] + sign)[-1].text != sign:
        return None
    return Fix(f"Close it with {sign} at the end", Span(end, 0), sign)


def _compared(text: str, scanned: list[Token], finding: Diagnostic) -> Fix | None:
    sign = text[finding.span.offset : finding.span.end]
    return Fix("Compare with ==", finding.span, "==") if sign == "=" else None


def _open_comment(text: str, scanned: list[Token], finding: Diagnostic) -> Fix | None:
    line = text.find("\n", finding.span.offset)
    end = len(text) if line < 0 else line
    return Fix("End the comment with its line", Span(end, 0), " */")


def _stray(text: str, scanned: list[Token], finding: Diagnostic) -> Fix | None:
    sign = text[finding.span.offset : finding.span.end]
    if len(sign) > 1 and sign[0] == sign[-1] == "'":
        # The lexer makes one token of a text in single quotes. The text between the two quotes contains
        # neither single nor double quotes.
        return Fix("Write double quotes", finding.span, f'"{sign[1:-1]}"')
    new = "".join(_LOOK_ALIKES.get(one, one) for one in sign)
    return Fix(f"Change {sign} to {new}", finding.span, new) if new != sign else None


def _mismatch(text: str, scanned: list[Token], finding: Diagnostic) -> Fix | None:
    """A fix for one of two mistakes. The first mistake is the keyword of a transform written as two words,
    with an operand that is no set. The second mistake is `or` within brackets, in a place where a set is
    needed."""
    if finding.message.startswith(("`horizontal`", "`vertical`")):
        return _joined_transform(scanned, finding.span.offset)
    if "a set of squares" not in finding.message:
        return None
    place = next((i for i, token in enumerate(scanned) if token.offset >= finding.span.offset), len(scanned))
    while 0 < place < len(scanned) and scanned[place].word != "(" and scanned[place].word != ")":
        place -= 1
    if place >= len(scanned):
        return None
    step = 1 if scanned[place].word == "(" else -1
    level, ors = 0, []
    while 0 <= place < len(scanned):
        level += {"(": step, ")": -step}.get(scanned[place].word, 0)
        if level == 1 and scanned[place].word == "or":
            ors.append(scanned[place])
        if level == 0:
            break
        place += step
    return Fix("Join the sets with |", ors[0].span, "|") if len(ors) == 1 else None


def _joined_transform(scanned: list[Token], offset: int) -> Fix | None:
    """A fix that writes `flip vertical` before an operand as one word. Brackets may stand between the
    transform and the operand."""
    before = [token for token in scanned if token.offset < offset]
    while before and before[-1].word in ("(", "{"):
        before.pop()
    if len(before) < 2 or before[-1].word not in ("horizontal", "vertical"):
        return None
    first, second = before[-2:]
    joined = first.word + second.word
    if first.word not in ("flip", "shift"):
        return None
    return Fix(f"Write {joined}", first.span.to(second.span), joined)


def _loose_target(text: str, scanned: list[Token], finding: Diagnostic) -> Fix | None:
    """A fix that removes the blanks before the bracket of a move's target. None if a comment stands before
    the bracket."""
    end = finding.span.offset
    start = len(text[:end].rstrip())
    tied = any(token.end == start for token in scanned)
    return Fix("Take the blank away", Span(start, end - start), "") if tied else None


_DID_YOU_MEAN: Final = pattern(r"did you mean `([^`]+)`\?$")
_DUE: Final = pattern(r"This should be `([^`]+)`\.$")
_CLOSERS: Final = {"(": ")", "{": "}", "[": "]"}
_LOOK_ALIKES: Final = {
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "–": "-", "—": "-", "−": "-", "≡": "==",
    "∧": "and", "∨": "or", "¬": "not", "∅": "[]", "⇒": "->",
}  # fmt: skip
_RULES: Final[dict[str, Callable[[str, list[Token], Diagnostic], Fix | None]]] = {
    "undeclared-name": _undeclared,
    "unbalanced-bracket": _unbalanced,
    "unterminated-comment": _open_comment,
    "stray-character": _stray,
    "type-mismatch": _mismatch,
    "space-before-target": _loose_target,
    "single-equals": _compared,
    "reserved-name": _compared,
}
