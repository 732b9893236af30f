"""What must hold for any text: no crash, no hang, no finding without a place, a print that reads back."""

from __future__ import annotations

import functools
import time

from cqlgui.base import errors
from cqlgui.cql.checking import check
from cqlgui.cql.editing import spelling
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.cql.printing import printer
from cqlgui.cql.transforming import transforms
from tests.helpers import games

LONGEST_SECONDS = 2.0
"""Processor time that one text may take."""

_GAMES = """[Event "a"]
[White "Kan,I"]
[Black "B"]
[Result "0-1"]
[WhiteElo "2500"]
[Date "2001.02.03"]

1. f3 e5 (1... c5 2. Nf3 (2. e4 d6) 2... d6) 2. g4 {a comment} Qh4# $1 0-1

[Event "1.p"]
[White "Reti"]
[Result "1/2-1/2"]
[FEN "4k3/P6P/8/1pP5/8/8/8/R3K2R w KQ b6 0 1"]
[SetUp "1"]

1. cxb6 Kd7 2. O-O-O+ Ke6 3. a8=N Z0 4. h8=Q 1/2-1/2
"""


class BrokenRuleError(AssertionError):
    """A rule that a text broke."""


def front(text: str) -> transforms.Expanded | None:
    """Scan, parse, check, expand and print; gives the expanded query of a text without errors."""
    began = time.process_time()
    checked = check.check(text)
    for finding in checked.diagnostics:
        if not (finding.span.offset >= 0 and finding.span.end <= len(text)) or not finding.message:
            raise BrokenRuleError(f"{finding.code} has no place: {finding.span} in {len(text)}")
    if (checked.query is None) != bool(checked.errors):
        raise BrokenRuleError("a query without errors, or errors with a query")
    expanded = None
    if checked.query is not None:
        for style in ("ascii", "unicode"):
            printed = printer.print_query(checked.query, style)  # type: ignore[arg-type]
            again = check.check(printed).query
            if again is None or again.body != checked.query.body or again.header != checked.query.header:
                raise BrokenRuleError(f"printed otherwise: {printed!r}")
            respelled = spelling.respelled(text, style)  # type: ignore[arg-type]
            again = check.check(respelled).query
            if again is None or again.body != checked.query.body or again.header != checked.query.header:
                raise BrokenRuleError(f"spelled otherwise: {respelled!r}")
        expanded = transforms.expand(checked)
        if expanded.query is None and not any(one.severity == "error" for one in expanded.diagnostics):
            raise BrokenRuleError("expanded to nothing without a word")
    took = time.process_time() - began
    if took > LONGEST_SECONDS:
        raise BrokenRuleError(f"took {took:.1f} s")
    return expanded


def running(text: str) -> None:
    """Ask the query of a few small games."""
    expanded = front(text)
    if expanded is None or expanded.query is None:
        return
    began = time.process_time()
    program = interpreter.Program(expanded)
    for game in _games():
        end = time.process_time() + LONGEST_SECONDS / 4
        try:
            program.run(game.tree, game.host, lambda end=end: time.process_time() > end)  # type: ignore[misc]
        except (evaluation.QueryError, evaluation.TooSlow) as refusal:
            if not str(refusal):
                raise BrokenRuleError("a refusal without a word") from refusal
        except errors.CqlguiError as fault:
            if not str(fault):
                raise BrokenRuleError("a fault without a word") from fault
    took = time.process_time() - began
    if took > LONGEST_SECONDS:
        raise BrokenRuleError(f"took {took:.1f} s")


@functools.cache
def _games() -> list[games.Game]:
    return games.from_pgn(_GAMES)
