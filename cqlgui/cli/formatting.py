"""`cqlgui format`: a query tidied, in one of its two spellings. The file itself is never written."""

from __future__ import annotations

import argparse
import sys

from cqlgui.cli import terminal
from cqlgui.cql.editing import spelling
from cqlgui.cql.source import diagnostics
from cqlgui.tasks.asking import queries


def run(arguments: argparse.Namespace) -> int:
    """Print the text; comments and layout stay, faults too, which are told on stderr with exit code 1."""
    text, name = terminal.query_text(arguments.expression, arguments.query_file or arguments.file)
    found = [one for one in queries.findings(text) if one.severity == "error"]
    for one in found:
        terminal.say(diagnostics.render(text, one, name))
    if arguments.style is not None:
        text = spelling.respelled(text, arguments.style)
    sys.stdout.write(spelling.tidied(text))
    return terminal.REJECTED if found else terminal.OK
