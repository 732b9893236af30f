"""`cqlgui mcp`: lets assistants ask in CQL, by the Model Context Protocol on standard input and output."""

from __future__ import annotations

import argparse
import sys

from cqlgui.base import errors, plurals
from cqlgui.cli import opening, terminal
from cqlgui.cli.servers import watching
from cqlgui.tasks.processes import pool


def run(arguments: argparse.Namespace) -> int:
    """Open the files, and answer requests about them until standard input ends. Nothing but the protocol goes
    to standard output. Raises `CqlguiError` if the package mcp is missing, or a file cannot be read."""
    if sys.stdin is None:
        raise errors.CqlguiError("There is no standard input, where an assistant would ask.")
    try:
        from cqlgui.mcp_server import server
    except ImportError as fault:
        if not (fault.name or "").startswith("mcp"):
            raise
        raise errors.CqlguiError(
            "Assistants are answered with the package mcp. Install it with: pip install 'cqlgui[mcp]'"
        ) from fault
    from cqlgui.api import bases

    with terminal.interruptible() as cancel:
        watching.begin(terminal.OK, pool.close, cancel)
        opened = opening.open_base(arguments.files, cancel)
    base = bases.Base(opened.base)
    names = ", ".join(path.name for path in base.paths)
    terminal.say(
        f"Answering an assistant about {plurals.games(len(base))} ({names}) until standard input ends."
    )
    try:
        server.serve(base, arguments.seconds)
    except* BrokenPipeError:
        # The assistant has gone while an answer was on its way.
        pass
    return terminal.leave(opening.outcome(opened), pool.close)
