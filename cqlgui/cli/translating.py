"""`cqlgui translate`: translates an older script to CQL 6."""

from __future__ import annotations

import argparse
import sys

from cqlgui.cli import terminal
from cqlgui.cql.legacy import translate
from cqlgui.cql.source import diagnostics
from cqlgui.tasks.asking import translating


def run(arguments: argparse.Namespace) -> int:
    """Print the translation or write it to a file; notes go to stderr. If something in the script has no
    equivalent, there is no output and the exit code is 1."""
    terminal.refuse_existing(arguments.output, overwrite=arguments.overwrite, read=[arguments.file])
    text, name = terminal.query_text(None, arguments.file)
    found = translate.translate(text, shift_rule=arguments.shift_rule, skip_start=arguments.skip_start)
    for note in found.notes:
        line, column = diagnostics.line_and_column(text, note.span.offset)
        message = "".join(c if c.isprintable() else " " for c in note.message)
        terminal.say(f"{name}:{line}:{column}: {note.severity}: {message}")
    if found.failed:
        return terminal.REJECTED
    if arguments.output is None:
        sys.stdout.write(found.text)
    else:
        script = None if str(arguments.file) == "-" else arguments.file
        translating.save(found.text, arguments.output, script, overwrite=arguments.overwrite)
    return terminal.OK
