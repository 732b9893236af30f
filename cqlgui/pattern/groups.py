"""Where the groups of a query stand in its text: pairs of braces, and the body without braces.

A group is a list of filters that must all hold. Braces whose value is used, as in `#{Ra1}`, are no group. The
syntax tree has no nodes for brackets, so brackets are found among the tokens.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes, nodes_paths, nodes_programs, nodes_tree
from cqlgui.cql.ast.nodes_moves import Dash
from cqlgui.cql.editing import structure
from cqlgui.cql.source import tokens
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.source.tokens import Kind
from cqlgui.cql.syntax.reading import lexer


@dataclass(frozen=True, slots=True)
class PatternGroup:
    """Filters that must all hold. `content` is the text between the braces; without braces it is the whole
    text of the filters. `chain` are the transforms directly around the group, outermost first. A transform's
    operand without braces gets braces when a second filter is added."""

    filters: tuple[nodes.Node, ...]
    content: Span
    braced: bool
    chain: tuple[nodes.Transform, ...] = ()

    @property
    def outside(self) -> Span:
        """The span of the content and of the braces around the content."""
        if not self.braced:
            return self.content
        return Span(self.content.offset - 1, self.content.length + 2)

    def holds(self, offset: int) -> bool:
        """Whether a caret stands inside the group, not only beside it."""
        return self.content.offset <= offset <= self.content.end


class Layout:
    """A text's tokens without white space and comments, and the partner of each bracket."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = lexer.tokens(text)
        self.tokens = [one for one in found if one.kind not in tokens.TRIVIA]
        self.comments = [one.span for one in found if one.kind is Kind.COMMENT]
        self.start = {one.offset: place for place, one in enumerate(self.tokens)}
        self.end = {one.end: place for place, one in enumerate(self.tokens)}
        self.partner: dict[int, int] = {}
        opened: list[int] = []
        for place, one in enumerate(self.tokens):
            if one.kind is not Kind.BRACKET:
                continue
            if one.word in _OPENERS:
                opened.append(place)
            elif one.word in _CLOSERS and opened:
                self.partner[place] = opened[-1]
                self.partner[opened.pop()] = place

    def bare(self, span: Span) -> tuple[int, int]:
        """The first and the last token of a filter. A node's span may begin or end within the brackets of an
        operand. These brackets are included."""
        first, last = self.start[span.offset], self.end[span.end]
        while True:
            partners = [self.partner[place] for place in range(first, last + 1) if place in self.partner]
            least, most = min([first, *partners]), max([last, *partners])
            if (least, most) == (first, last):
                return first, last
            first, last = least, most

    def brackets(self, span: Span, within: Span | None = None) -> list[tuple[int, int]]:
        """The pairs of brackets that enclose this filter alone, the innermost first. If `within` is given,
        only pairs in this part of the text are returned."""
        place = self.start[span.offset]
        if not place or self.tokens[place - 1].word not in ("(", "{"):
            return []
        first, last = self.bare(span)
        found = []
        while first > 0 and self.tokens[first - 1].word in ("(", "{"):
            if self.partner.get(first - 1) != last + 1:
                break
            first, last = first - 1, last + 1
            if within is not None and self.tokens[first].offset < within.offset:
                break
            found.append((first, last))
        return found

    def outer(self, span: Span, within: Span | None = None) -> Span:
        """The span of a filter, including all brackets that enclose this filter alone."""
        pairs = self.brackets(span, within)
        return self.over(*(pairs[-1] if pairs else self.bare(span)))

    def over(self, first: int, last: int) -> Span:
        """The span from one token to another."""
        return self.tokens[first].span.to(self.tokens[last].span)

    def has_comment(self, span: Span) -> bool:
        """Whether a part of the text contains a comment."""
        return any(span.offset <= one.offset < span.end for one in self.comments)

    def within(self, span: Span) -> list[tokens.Token]:
        """The tokens of a part of the text."""
        return [one for one in self.tokens if span.offset <= one.offset and one.end <= span.end]


_OPENERS = ("(", "{", "[")
_CLOSERS = (")", "}", "]")


@functools.lru_cache(maxsize=4)
def layout(text: str) -> Layout:
    """The layout of a text; the last few layouts are cached."""
    return Layout(text)


def body(text: str) -> PatternGroup | None:
    """The whole body as a group. If braces enclose the whole body, perhaps under transforms, these braces are
    the group.

    The group has no filters if there is only a header. None if the text has errors.
    """
    query = structure.checked(text).query
    found = layout(text)
    first = _header_end(found.tokens)
    if query is None:
        if first < len(found.tokens):
            return None
        probe = structure.checked(text + "\ntrue").query
        if probe is None or not isinstance(probe.body, nodes.Truth):
            return None
        return PatternGroup((), Span(len(text), 0), False)
    content = found.over(first, len(found.tokens) - 1)
    chain, operand = _stripped(query.body)
    group = _group(found, operand, chain)
    if group is not None:
        return group
    if isinstance(operand, nodes.Compound):
        return PatternGroup(operand.filters, content, False)
    if chain:
        return PatternGroup((operand,), found.outer(operand.span), False, chain)
    return PatternGroup((operand,), content, False)


def all_groups(text: str) -> tuple[PatternGroup, ...]:
    """All groups between braces, in text order. An outer group comes before the groups in it. Empty if the
    text has errors."""
    return tuple(group for group, _ in _found(text))


def main_groups(text: str) -> tuple[PatternGroup, ...]:
    """The groups between braces that stand directly in the body, perhaps under transforms. Each of these
    groups must hold by itself."""
    return tuple(group for group, main in _found(text) if main)


@functools.lru_cache(maxsize=4)
def _found(text: str) -> tuple[tuple[PatternGroup, bool], ...]:
    query = structure.checked(text).query
    if query is None:
        return ()
    found, made = layout(text), []
    pending: list[tuple[nodes.Node, tuple[nodes.Transform, ...], bool]] = [(query.body, (), True)]
    while pending:
        node, chain, main = pending.pop()
        group = _group(found, node, chain)
        if group is not None:
            made.append((group, main))
        goes_on = main and group is None and isinstance(node, (nodes.Compound, nodes.Transform))
        for child in reversed(list(conditions(node))):
            if not (node.span.offset <= child.span.offset and child.span.end <= node.span.end):
                continue
            around = (*chain, node) if isinstance(node, nodes.Transform) else ()
            pending.append((child, around, goes_on))
    return tuple(made)


@functools.lru_cache(maxsize=4)
def braces(text: str) -> frozenset[tuple[int, int]]:
    """The begin and end of all pairs of braces around filters, including braces whose value is used. Empty if
    the text has errors."""
    query = structure.checked(text).query
    found, made, pending = layout(text), set[tuple[int, int]](), [] if query is None else [query.body]
    while pending:
        node = pending.pop()
        group = _group(found, node, ())
        if group is not None:
            made.add((group.outside.offset, group.outside.end))
        # The node of a call holds the body of the called function. This body stands elsewhere in the text, so
        # it is left out.
        pending += (one for one in nodes.children(node) if node.span.to(one.span) == node.span)
    return frozenset(made)


def of_condition(found: Layout, node: nodes.Node) -> PatternGroup:
    """A filter as a group: the filters between its braces, or the filter alone if it has no braces."""
    return _group(found, node, ()) or PatternGroup((node,), found.outer(node.span), False)


def conditions(node: nodes.Node) -> Iterator[nodes.Node]:
    """The filters directly in `node` that `node` uses as conditions. Their values are not used."""
    match node:
        case nodes.Compound():
            yield from node.filters
        case nodes.Transform() | nodes.NoTransform() | nodes.Not() | nodes.Find():
            yield node.operand
        case nodes_programs.Loop() | nodes_tree.Echo():
            yield node.operand
        case nodes.Logic():
            yield node.left
            yield node.right
        case nodes.SquareLoop() | nodes.PieceLoop() | nodes_programs.EntryLoop():
            yield node.body
        case nodes_programs.While():
            yield node.body
        case nodes_programs.If():
            yield from (one for one in (node.condition, node.then, node.otherwise) if one is not None)
        case Dash():
            if node.target is not None:
                yield node.target
        case nodes_tree.At():
            yield node.filter
        case nodes_paths.Path() | nodes_paths.Chain():
            yield from node.constituents
        case nodes_paths.Step():
            yield from node.targets
        case nodes_paths.Repeat():
            yield node.operand
        case nodes_paths.Line() | nodes_paths.LineChain():
            yield from node.constituents


def _group(found: Layout, node: nodes.Node, chain: tuple[nodes.Transform, ...]) -> PatternGroup | None:
    """The group with the filters of a node; None if no braces enclose these filters."""
    if isinstance(node, nodes.Compound):
        if not _is_braced(found, node.span):
            return None
        return PatternGroup(node.filters, Span(node.span.offset + 1, node.span.length - 2), True, chain)
    pair = _braces(found, node)
    if pair is None:
        return None
    start, end = found.tokens[pair[0]].end, found.tokens[pair[1]].offset
    return PatternGroup((node,), Span(start, end - start), True, chain)


def _braces(found: Layout, node: nodes.Node) -> tuple[int, int] | None:
    """The innermost braces around a single filter."""
    if node.span.offset not in found.start or node.span.end not in found.end:
        return None  # This is a part of the body of a called function.
    return next((pair for pair in found.brackets(node.span) if found.tokens[pair[0]].word == "{"), None)


def _is_braced(found: Layout, span: Span) -> bool:
    first = found.start.get(span.offset)
    return first is not None and found.tokens[first].word == "{" and _closes(found, first, span.end)


def _closes(found: Layout, opener: int, end: int) -> bool:
    closer = found.partner.get(opener)
    return closer is not None and found.tokens[closer].end == end


def _stripped(node: nodes.Node) -> tuple[tuple[nodes.Transform, ...], nodes.Node]:
    chain: list[nodes.Transform] = []
    while isinstance(node, nodes.Transform):
        chain.append(node)
        node = node.operand
    return tuple(chain), node


def _header_end(found: list[tokens.Token]) -> int:
    """The place of the first token after the header."""
    if not found or found[0].word != "cql" or len(found) < 2 or found[1].word != "(":
        return 0
    level = 0
    for place, one in enumerate(found):
        if one.kind is Kind.BRACKET:
            level += (one.word in _OPENERS) - (one.word in _CLOSERS)
            if not level:
                return place + 1
    return len(found)
