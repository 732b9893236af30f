"""Parses a text to a syntax tree (language spec, 3 and 5). The parser also finds the types of filters,
because the types decide where filters end.

The grammar is in `reading.operators` (precedence), `reading.ranges`, `primaries` (literals, names, brackets,
basic keywords) and the modules of `families`. This module reads the whole text: header and body.
"""

from __future__ import annotations

import contextlib

from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Names
from cqlgui.cql.forms import forms_programs, forms_strings
from cqlgui.cql.source.diagnostics import Diagnostic, Span
from cqlgui.cql.source.tokens import END, STRING_LITERAL, Kind, Token
from cqlgui.cql.syntax import primaries
from cqlgui.cql.syntax.families import (
    syntax_facts,
    syntax_moves,
    syntax_paths,
    syntax_programs,
    syntax_squares,
    syntax_strings,
    syntax_studies,
    syntax_tree,
)
from cqlgui.cql.syntax.reading import cursor, lexer, operators, ranges
from cqlgui.cql.syntax.reading.readers import can_begin
from cqlgui.cql.vocabulary import registry

SYNTAX = (
    forms_programs,
    forms_strings,
    syntax_facts,
    syntax_studies,
    syntax_moves,
    syntax_paths,
    syntax_squares,
    syntax_tree,
    syntax_programs,
    syntax_strings,
)
"""On import, each of these modules enters its readers, operators and forms into the tables of the grammar."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed text. `query` is None if and only if `diagnostics` contains an error. The diagnostics are in
    text order."""

    query: nodes.Query | None
    names: Names
    diagnostics: tuple[Diagnostic, ...]


def parse(text: str) -> Parsed:
    """Parse a whole text. If the text does not begin with `cql(`, the whole text is the body (D3). This
    function never raises an exception."""
    scanned = lexer.scan(text)
    if any(one.code == lexer.TOO_LONG for one in scanned.diagnostics):
        return Parsed(None, Names({}), scanned.diagnostics)
    found = list(scanned.diagnostics[: cursor.MAX_DIAGNOSTICS])
    query: nodes.Query | None = None
    names = Names({})
    reader = cursor.Cursor(text, found, operators.expression, primaries.primary)
    try:
        reader.load(scanned.tokens)
        query = _query(reader)
    except (cursor.TooDeepError, cursor.TooManyError):
        query = None
    except RecursionError:
        # A level of some filters takes many calls, and the caller may have taken many before.
        query = None
        with contextlib.suppress(cursor.TooDeepError):
            reader.too_deep(reader.peek().span)
    names = Names(
        {name: kind for name, kind in reader.names.items() if kind is not None}, dict(reader.dictionaries)
    )
    diagnostics = sorted(reader.diagnostics, key=lambda one: one.span.offset)
    if query is not None and not diagnostics:
        deep = _too_high(query)
        if deep is not None:
            message = f"This chain of operators has more than {cursor.MAX_HEIGHT} links."
            diagnostics.append(Diagnostic(deep, "too-deep", message, "split it in two with round brackets"))
    if len(diagnostics) > cursor.MAX_DIAGNOSTICS or len(scanned.diagnostics) > cursor.MAX_DIAGNOSTICS:
        diagnostics = diagnostics[: cursor.MAX_DIAGNOSTICS]
        message = f"There are more errors; the first {cursor.MAX_DIAGNOSTICS} are shown."
        diagnostics.append(Diagnostic(diagnostics[-1].span, "too-many-errors", message))
    return Parsed(None if diagnostics else query, names, tuple(diagnostics))


def _query(reader: cursor.Cursor) -> nodes.Query | None:
    header = nodes.Header(Span(0, 0))
    if reader.peek().word == "cql":
        header = _header(reader)
    found = operators.juxtaposed(reader)
    while reader.peek().word != END:
        # The brackets are balanced. A closing bracket can stand here only after a mistake that has been
        # reported already.
        assert reader.errors, "a body ends before the text does only after a mistake"
        reader.take()
        found += operators.juxtaposed(reader)
    if not found:
        reader.expected("a filter", "`.` matches every position")
        return None
    body = found[0]
    if len(found) > 1:
        span = found[0].span.to(found[-1].span)
        body = reader.made(nodes.Compound(span, tuple(found)), *found)
    if isinstance(body, cursor.Broken):
        return None
    return nodes.Query(Span(0, len(reader.text)), header, body)


@dataclass(slots=True)
class _Header:
    variations: bool = False
    gamenumber: nodes.Range | None = None
    results: tuple[str, ...] = ()
    matchcount: nodes.Range | None = None
    sort_matchcount: bool = False
    matchstring: str | None = None
    quiet: bool = False
    silent: bool = False
    input: str | None = None
    output: str | None = None


def _header(reader: cursor.Cursor) -> nodes.Header:
    start = reader.take()
    if reader.peek().word != "(":
        reader.expected("`(` after `cql`", "cql() has an empty header")
        return nodes.Header(start.span)
    # If the closing bracket of the header is missing, the header ends before the first word that is no
    # parameter. In this case, a closing bracket has been added at the end of the text, and the added bracket
    # ends the body.
    unclosed = reader.take().offset in reader.unclosed
    made = _Header()
    while not reader.at_end_of_group():
        if unclosed and reader.peek().word not in PARAMETERS:
            return nodes.Header(reader.since(start.offset))
        before = reader.position
        _parameter(reader, made)
        if reader.position == before:
            reader.take()
    reader.take()
    return nodes.Header(
        reader.since(start.offset), made.variations, made.gamenumber, made.results, made.matchcount,
        made.sort_matchcount, made.matchstring, made.quiet, made.silent, made.input, made.output,
    )  # fmt: skip


def _parameter(reader: cursor.Cursor, made: _Header) -> None:
    token = reader.peek()
    word = token.word
    if word not in PARAMETERS:
        names = ", ".join(PARAMETERS)
        if registry.is_reserved(word) and can_begin(token):
            hint = "the header holds conditions on games only; filters follow behind its bracket"
        else:
            hint = f"a header holds {names}"
        reader.report(
            token.span, "unknown-parameter", f"`{cursor.shown(token)}` is no parameter of the header.", hint
        )
        # The tokens up to the next parameter probably belong to the unknown word. The tokens are skipped,
        # because each of them would be reported as another error.
        reader.take_whole()
        while not reader.at_end_of_group() and reader.peek().word not in PARAMETERS:
            reader.take_whole()
        return
    reader.take()
    if word == "variations":
        made.variations = True
    elif word == "quiet":
        made.quiet = not made.silent
    elif word == "silent":
        made.silent = not made.quiet
    elif word == "gamenumber":
        made.gamenumber = ranges.header_range(reader)
    elif word == "matchcount":
        made.matchcount = ranges.header_range(reader)
    elif word == "sort":
        if reader.accept("matchcount") is None:
            reader.expected("`matchcount` after `sort`", "in the header only sort matchcount n exists")
            return
        made.matchcount = ranges.header_range(reader)
        made.sort_matchcount = True
    elif word == "result":
        value = primaries.result_value(reader)
        made.results += (value,) if value is not None else ()
    elif word == "matchstring":
        if reader.peek().word == STRING_LITERAL:
            made.matchstring = reader.take().string
        else:
            reader.expected("a text in quotes after `matchstring`")
    else:
        _file(reader, made, token)


def _file(reader: cursor.Cursor, made: _Header, token: Token) -> None:
    name = reader.peek()
    if name.kind is not Kind.STRING or name.word == "escape":
        reader.expected(f"a file name after `{token.word}`")
        return
    reader.take()
    if not name.string.endswith((".pgn", ".PGN")):
        reader.report_always(name.span, "bad-file-name", "The file of a header ends in .pgn.")
    if token.word == "input":
        twice, made.input = made.input is not None, name.string
    else:
        twice, made.output = made.output is not None, name.string
    if twice:
        reader.report_always(
            token.span, "duplicate-parameter", f"`{token.word}` stands in this header already."
        )


PARAMETERS = (
    "variations",
    "result",
    "gamenumber",
    "matchcount",
    "sort",
    "matchstring",
    "quiet",
    "silent",
    "input",
    "output",
)


def _too_high(query: nodes.Query) -> Span | None:
    """The span of a node that is deeper than `MAX_HEIGHT`; None if there is no such node. A long chain of
    operators makes a deep tree even without brackets. The search is iterative, so it cannot exhaust the
    stack."""
    pending: list[tuple[nodes.Node, int]] = [(query.body, 1)]
    while pending:
        node, depth = pending.pop()
        if depth > cursor.MAX_HEIGHT:
            return node.span
        pending.extend((child, depth + 1) for child in nodes.children(node))
    return None
