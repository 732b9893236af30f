"""The structure of a text for the editor. This module finds the filter at the caret and the transforms around
a filter. It also adds transforms around filters.

The functions work on the syntax tree of a text without errors. For a text with errors, the functions use
single tokens or return empty results.
"""

from __future__ import annotations

import functools

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.checked import Checked
from cqlgui.cql.checking import check
from cqlgui.cql.source import tokens
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.syntax.reading.lexer import tokens as scan


@dataclass(frozen=True, slots=True)
class Link:
    """One transform of a chain: the keyword and the range as written, each with its span. The range is empty
    if the transform has no range."""

    word: str
    word_span: Span
    range_text: str
    range_span: Span


@dataclass(frozen=True, slots=True)
class ChainInText:
    """The transforms directly around a filter, outermost first, and the span of the filter including its
    brackets."""

    links: tuple[Link, ...]
    operand: Span


@functools.lru_cache(maxsize=4)
def checked(text: str) -> Checked:
    """`check.check` with a cache of the last 4 texts. Without the cache, the editor would check the same text
    again at every move of the caret. This function is thread-safe."""
    return check.check(text)


def filter_span_at(text: str, offset: int) -> Span:
    """The span of the smallest filter that contains or touches the caret. If there is no such filter, the
    result is the span of the whole body. In a text with errors, the result is the span of the token at the
    caret."""
    query = checked(text).query
    if query is None:
        return _token_at(text, offset)
    best = query.body.span
    pending: list[nodes.Node] = [query.body]
    while pending:
        node = pending.pop()
        span = node.span
        if span.offset <= offset <= span.end:
            if span.length <= best.length:
                best = span
            pending.extend(nodes.children(node))
    return best


def transform_chain_at(text: str, offset: int) -> ChainInText:
    """The innermost chain of transforms that contains or touches the caret. If there is no such chain, the
    result has no links, and the operand in the result is the filter at the caret."""
    found: tuple[nodes.Transform, ...] | None = None
    for chain in _chains(text):
        span = chain[0].span
        if span.offset <= offset <= span.end and (found is None or span.length <= found[0].span.length):
            found = chain
    if not found:
        return ChainInText((), filter_span_at(text, offset))
    return _described(text, found)


def chain_of_operand(text: str, start: int, end: int) -> ChainInText | None:
    """The chain of transforms that has exactly `start`..`end` as operand, apart from white space at both
    ends. None if there is no such chain."""
    part = text[start:end]
    wanted = Span(start + len(part) - len(part.lstrip()), len(part.strip()))
    for chain in _chains(text):
        if chain[0].span.offset <= wanted.offset and wanted.end <= chain[0].span.end:
            described = _described(text, chain)
            if described.operand == wanted:
                return described
    return None


@functools.lru_cache(maxsize=4)
def chains(text: str) -> tuple[ChainInText, ...]:
    """All chains of directly nested transforms, each as long as possible, with the operand of each chain.
    Empty for a text with errors."""
    return tuple(_described(text, chain) for chain in _chains(text))


def _described(text: str, chain: tuple[nodes.Transform, ...]) -> ChainInText:
    links = []
    for node in chain:
        where = node.range.span if node.range is not None else Span(node.word_span.end, 0)
        links.append(
            Link(node.word, node.word_span, text[where.offset : where.end] if node.range else "", where)
        )
    return ChainInText(tuple(links), _operand_span(text, chain[-1]))


def wrap(text: str, start: int, end: int, words: tuple[str, ...]) -> str:
    """`text` with transforms inserted before the filters at `start`..`end`. `words` contains the transforms,
    outermost first. If `start` equals `end`, both are the offset of the caret. In this case, the transforms
    are inserted before the filter at the caret and before any transforms around this filter.

    If there are several filters, braces are put around the filters. If there is one filter with operators,
    round brackets are put around the filter. An operator after the filters would become part of the
    transform's operand. If an operator follows, round brackets are therefore put around the transforms and
    the filters.
    """
    if start == end:
        chain = transform_chain_at(text, start)
        span = chain.operand
        if chain.links:
            span = Span(chain.links[0].word_span.offset, span.end - chain.links[0].word_span.offset)
    else:
        span = Span(start, end - start)
    inner = text[span.offset : span.end]
    lead = len(inner) - len(inner.lstrip())
    # A comment at the end stays behind the brackets, because a closing bracket may not stand in it.
    end = max((token.end for token in _significant(inner)), default=0)
    if not end or not words:
        return text
    span = Span(span.offset + lead, end - lead)
    inner = text[span.offset : span.end]
    wrapped = " ".join(words) + " " + _closed(inner)
    if goes_on(text, span.end):
        wrapped = f"({wrapped})"
    return text[: span.offset] + wrapped + text[span.end :]


@functools.lru_cache(maxsize=4)
def _chains(text: str) -> tuple[tuple[nodes.Transform, ...], ...]:
    """All chains of directly nested transforms, each as long as possible; empty for a text with errors."""
    query = checked(text).query
    if query is None:
        return ()
    found: list[tuple[nodes.Transform, ...]] = []
    pending: list[nodes.Node] = [query.body]
    while pending:
        node = pending.pop()
        if isinstance(node, nodes.Transform):
            chain = [node]
            while isinstance(chain[-1].operand, nodes.Transform):
                chain.append(chain[-1].operand)
            found.append(tuple(chain))
            node = chain[-1]
        pending.extend(nodes.children(node))
    return tuple(found)


def _operand_span(text: str, node: nodes.Transform) -> Span:
    """The span of the operand including its brackets: everything after the keyword and the range."""
    start = _after_trivia(text, node.range.span.end if node.range is not None else node.word_span.end)
    return Span(start, node.span.end - start) if start < node.span.end else node.operand.span


def _after_trivia(text: str, start: int) -> int:
    """The offset of the first token at or after `start`."""
    found = _TRIVIA.match(text, start)
    return found.end() if found is not None else start


_LONGEST_OPERATOR = 32  # characters; enough for the lexer to recognise any operator
# White space and comments. Three slashes begin a filter, not a comment.
_TRIVIA = pattern(r"(?:\s|/\*[\s\S]*?\*/|////[^\n]*|//(?!/)[^\n]*|;[^\n]*)*")


def _closed(inner: str) -> str:
    """`inner` in brackets. One word, a transform, and a filter in brackets are returned unchanged."""
    inside = check.check(inner).query
    if inside is None:
        return inner if _one_token(inner) else "{" + inner + "}"
    body = inside.body
    if isinstance(body, nodes.Compound) and not (inner.startswith("{") and _bracketed(inner)):
        return "{" + inner + "}"
    if _one_token(inner) or _bracketed(inner) or isinstance(body, nodes.Transform):
        return inner
    return f"({inner})"


def _significant(text: str) -> list[tokens.Token]:
    return [token for token in scan(text) if token.kind not in tokens.TRIVIA]


def _one_token(text: str) -> bool:
    return len(_significant(text)) == 1


def _bracketed(text: str) -> bool:
    """Whether one pair of brackets encloses the whole text."""
    found = _significant(text)
    level = 0
    for i, token in enumerate(found):
        if token.word in ("(", "{", "["):
            level += 1
        elif token.word in (")", "}", "]"):
            level -= 1
        if level == 0 and i < len(found) - 1:
            return False
    return len(found) > 1


def goes_on(text: str, end: int) -> bool:
    """Whether an operator follows the filter that ends at `end`. If a transform were put before the filter,
    this operator would become part of the transform's operand."""
    start = _after_trivia(text, end)
    following = next(iter(scan(text[start : start + _LONGEST_OPERATOR])), None)
    if following is None:
        return False
    return (
        following.kind is tokens.Kind.OPERATOR
        and following.word not in (".", "#", "~", "[element]", "[forall]")
    ) or (following.word in ("and", "or", "in", "attacks", "attackedby"))


def _token_at(text: str, offset: int) -> Span:
    for token in scan(text):
        if token.offset <= offset <= token.end and token.kind not in tokens.TRIVIA:
            return token.span
    return Span(min(offset, len(text)), 0)
