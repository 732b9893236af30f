"""`cqlgui check`: the diagnostics of a query."""

from __future__ import annotations

import argparse

from cqlgui.cli import terminal
from cqlgui.cql.source import diagnostics
from cqlgui.tasks.asking import queries


def run(arguments: argparse.Namespace) -> int:
    """Print the diagnostics, and notes about extensions of cqlgui. The exit code is 1 if any diagnostic is an
    error."""
    text, name = terminal.query_text(arguments.expression, arguments.query_file)
    found = queries.findings(text)
    notes = queries.extensions(text)
    if arguments.json:
        terminal.put([_object(text, finding) for finding in (*found, *notes)])
    else:
        for finding in (*found, *notes):
            terminal.say(diagnostics.render(text, finding, name))
        if not found:
            terminal.say(f"{name}: no errors")
    return terminal.REJECTED if any(finding.severity == "error" for finding in found) else terminal.OK


def _object(text: str, finding: diagnostics.Diagnostic) -> dict[str, object]:
    whole = terminal.error_object(text, finding)
    order = ("code", "message", "hint", "line", "column", "offset", "length")
    return {"severity": finding.severity, **{key: whole[key] for key in order}, "fix": _fix(finding.fix)}


def _fix(fix: diagnostics.Fix | None) -> dict[str, object] | None:
    """The replacement that a diagnostic suggests, as a JSON object."""
    if fix is None:
        return None
    return {"title": fix.title, "offset": fix.span.offset, "length": fix.span.length, "text": fix.new}
