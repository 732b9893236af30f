"""The table of spellings: parsed, checked, interpreted, transformed, documented."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.cql.printing import printer
from cqlgui.cql.source.diagnostics import Span
from cqlgui.cql.syntax.reading import lexer
from cqlgui.cql.transforming import transforms
from cqlgui.cql.vocabulary import registry
from tests.helpers import games

STAGES = ("parsed", "checked", "interpreted", "transformed", "documented")
YES, GAP, NONE = "yes", "GAP", "n/a"

UNTURNABLE = frozenset({"similarposition", "nosort"})
"""What the language forbids under a transform (spec 8.8)."""

GAME = """[Event "1.p Stage"]
[Site "Here"]
[White "Reti, R"]
[Black "+4101.10a1h8"]
[Result "1-0"]
[Date "1921.05.03"]
[WhiteElo "2500"]
[BlackElo "2400"]

{stipulation: white wins. } 1. e4 $1 e5 (1... c5 2. Nf3 {<main> a comment} d6 (2... e6)) 2. Nf3 Nc6 3. Bc4 Nf6
4. O-O Bc5 1-0
"""


UNDEFINED = frozenset({"hhdb source"})
"""Spellings that are listed without any meaning (spec 14); using them is an error."""


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table: `results` holds `yes`, `GAP` or `n/a` for each of `STAGES`."""

    name: str
    kind: str
    results: tuple[str, ...]
    why: str = ""


def table() -> list[Line]:
    """One line for each row of the registry."""
    return [_line(row) for row in registry.ROWS]


def _line(row: registry.Row) -> Line:
    if row.name in UNDEFINED or (row.kind in ("internal", "comment") and not row.example):
        return Line(row.name, row.kind, (NONE,) * len(STAGES))
    documented = bool(row.forms and row.example and row.meaning and _holds(row))
    checked = check.check(row.example)
    if not row.example or checked.query is None:
        why = checked.diagnostics[0].message if checked.diagnostics else "there is no example"
        return Line(row.name, row.kind, (GAP, GAP, GAP, GAP, YES if documented else GAP), why)
    clean = not checked.diagnostics
    ran, why = _run(transforms.expand(checked))
    if row.name in UNTURNABLE:
        turned, other = NONE, ""
    else:
        turned, other = _turned(checked.query)
    results = (YES, YES if clean else GAP, YES if ran else GAP, turned, YES if documented else GAP)
    return Line(row.name, row.kind, results, why or other or ("" if documented else "its example lacks it"))


# Rows that name a form rather than a word.
_FORMS = {
    "_": r"_",
    "a1": r"[a-h][1-8]",
    "a-h1-8": r"[a-h]-[a-h][1-8]|[a-h][1-8]-[1-8]",
    "( )": r"\(.*\)",
    "{ }": r"\{.*\}",
    "[ ]": r"\[.*\]",
    "{n,m}": r"\{\d*,\d*\}",
    "//": r"//",
    "/* */": r"/\*.*\*/",
    "\\0": r"\\\d",
    "\\-0": r"\\-\d",
}


def _holds(row: registry.Row) -> bool:
    """The example has the spelling or its sign: as a token, as a run of words, or as the form it names."""
    return occurs(row, row.example, token_words(row.example))


def token_words(text: str) -> frozenset[str]:
    """The tokens of a text as they are written, and as they are understood."""
    return frozenset(word for token in lexer.tokens(text) for word in (token.text, token.word))


def occurs(row: registry.Row, text: str, tokens: frozenset[str]) -> bool:
    """Whether a text, which has these tokens, has a spelling or its sign: as a token, as a run of words, or
    as the form that it names."""
    if row.name in _FORMS:
        return re.search(_FORMS[row.name], text, re.DOTALL) is not None
    if row.name in tokens or (row.sign and row.sign in tokens):
        return True
    words = row.name.split()
    return len(words) > 1 and all(word.strip('"') in text for word in words)


def _turned(query: nodes.Query) -> tuple[str, str]:
    """The body under the widest transform that leaves the board as it is: it must expand, and run."""
    body = nodes.Transform(Span(0, 0), "flip", Span(0, 0), None, query.body)
    text = printer.print_query(nodes.Query(query.span, query.header, body))
    checked = check.check(text)
    if checked.query is None:
        return GAP, f"under flip: {checked.diagnostics[0].message}"
    expanded = transforms.expand(checked)
    if expanded.query is None or not expanded.orbits:
        return GAP, "under flip: " + (
            expanded.diagnostics[-1].message if expanded.diagnostics else "no orbit"
        )
    ran, why = _run(expanded)
    return (YES if ran else GAP), why


def _run(expanded: transforms.Expanded) -> tuple[bool, str]:
    (game,) = games.from_pgn(GAME)
    program = interpreter.Program(expanded)
    try:
        program.run(game.tree, game.host)
    except evaluation.QueryError as fault:
        # Refusing a file is what running such a filter means here.
        return "may not" in str(fault) or "allow" in str(fault), str(fault)
    return True, ""
