"""`cqlgui format`: tidies a query, and can convert the signs of the query to ASCII or Unicode. The command
writes no file."""

from __future__ import annotations

import argparse
import sys

from cqlgui.cli import terminal
from cqlgui.cql.editing import spelling
from cqlgui.cql.source import diagnostics
from cqlgui.tasks.asking import queries


def run(arguments: argparse.Namespace) -> int:
    """Print the tidied query. Its comments and its layout are kept. If the query has errors, the query is
    printed all the same, the errors go to stderr, and the exit code is 1."""
    text, name = terminal.query_text(arguments.expression, arguments.query_file or arguments.file)
    found = [one for one in queries.findings(text) if one.severity == "error"]
    for one in found:
        terminal.say(diagnostics.render(text, one, name))
    if arguments.style is not None:
        text = spelling.respelled(text, arguments.style)
    sys.stdout.write(spelling.tidied(text))
    return terminal.REJECTED if found else terminal.OK
