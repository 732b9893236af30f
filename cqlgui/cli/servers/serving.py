"""`cqlgui lsp`: the language server for editors, over standard input and output."""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import sys

from cqlgui.base import errors
from cqlgui.cli import terminal
from cqlgui.cli.servers import watching


class _ToEditor(io.BufferedWriter):
    """The output to the editor. If it cannot be written, the editor has gone, and the process ends at once.
    pygls would tell the editor of each failure, and that would fail again."""

    def flush(self) -> None:
        """Send what was written."""
        try:
            super().flush()
        except OSError:
            os._exit(terminal.REJECTED)


def run(arguments: argparse.Namespace) -> int:
    """Talk to an editor until it ends the server. The exit code is 1 if the editor goes without a request to
    shut down (LSP 3.17, Exit Notification)."""
    if importlib.util.find_spec("pygls") is None:
        raise errors.CqlguiError(
            "The language server needs the package pygls. Install it with: pip install 'cqlgui[lsp]'"
        )
    if sys.stdin is None:
        raise errors.CqlguiError("There is no standard input, over which an editor could talk.")
    from cqlgui.lsp import server

    if sys.stdin.isatty():
        terminal.say("The language server waits for an editor's messages on standard input. Ctrl+C ends it.")
    # The server closes its output before it ends, and standard output is still flushed after that.
    target = _ToEditor(io.FileIO(os.dup(sys.stdout.fileno()), "w"))
    watching.begin(terminal.REJECTED, lambda: None)
    asked = server.serve(sys.stdin.buffer, target)
    return terminal.leave(terminal.OK if asked else terminal.REJECTED, lambda: None)
