"""`cqlgui format`: a query tidied, in one of its two spellings. The file itself is never written."""

from __future__ import annotations

import argparse
import sys

from cqlgui.cli import terminal
from cqlgui.cql import spelling


def run(arguments: argparse.Namespace) -> int:
    """Print the text; comments and layout stay, faults too."""
    text, _name = terminal.query_text(arguments.expression, arguments.query_file or arguments.file)
    if arguments.style is not None:
        text = spelling.respelled(text, arguments.style)
    sys.stdout.write(spelling.tidied(text))
    return terminal.OK
