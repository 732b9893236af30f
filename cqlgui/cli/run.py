"""Runs a subcommand and turns its faults into sentences and exit codes."""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import logging
import os
import sys
from collections.abc import Callable, Sequence

from cqlgui.base import errors
from cqlgui.base.files import disk, log
from cqlgui.cli import arguments, terminal

# A subcommand loads only what it needs: a script that asks for one word's help should not wait for the rest.
_MODULES = {
    "import": "importing",
    "info": "info",
    "search": "searching",
    "check": "checking",
    "orbit": "orbits",
    "explain": "explaining",
    "format": "formatting",
    "help": "helping",
    "translate": "translating",
}
_log = logging.getLogger(__name__)


def main(argv: Sequence[str]) -> int:
    """Run one subcommand; returns the exit code (usage errors raise `SystemExit(2)`)."""
    with terminal.outputs():
        return _run(argv)


def _run(argv: Sequence[str]) -> int:
    only = argv[0] if argv and argv[0] in arguments.SUBCOMMANDS else None
    parsed = arguments.parser(only).parse_args(arguments.joined(argv))
    if parsed.command == "help" and parsed.keyword is None and "--" in argv:
        # To the parser this word of CQL is the end of the options.
        parsed.keyword = "--"
    log.configure()
    disk.discard_when_terminated()
    try:
        code = _command(parsed)(parsed)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except errors.Cancelled as stopped:
        terminal.say(str(stopped))
        return terminal.CANCELLED
    except KeyboardInterrupt:
        return terminal.CANCELLED
    except BrokenPipeError:
        # The reader has seen enough (`| head`); the interpreter would complain when it flushes at exit.
        _discard_output()
        if getattr(parsed, "output", None) is None:
            return terminal.OK
        with contextlib.suppress(OSError):
            terminal.say(
                f"cqlgui: Nobody reads what is printed, so {parsed.output} may not have been written."
            )
        return terminal.USAGE
    except errors.CqlguiError as fault:
        terminal.say(f"cqlgui: {fault}")
        return terminal.USAGE
    except OSError as fault:
        # Files of ours and the user's are guarded where they are used; this is the terminal or a full disk.
        terminal.say(f"cqlgui: {fault.strerror or fault}")
        _discard_output()
        return terminal.USAGE
    except Exception:
        # The boundary of the command line: a bug is logged whole and ends with its own exit code.
        _log.exception("internal error")
        import traceback

        traceback.print_exc()
        terminal.say(f"cqlgui: internal error, a bug in this program. Details are in {log.path()}.")
        return terminal.INTERNAL
    finally:
        for name in ("cqlgui.tasks.processes.pool", "cqlgui.tasks.databases.workspace"):
            # What was not loaded has opened nothing.
            if name in sys.modules:
                sys.modules[name].close()
        # What the program itself consists of need not be looked through for garbage once more as it ends.
        gc.freeze()


def _command(parsed: argparse.Namespace) -> Callable[[argparse.Namespace], int]:
    """What runs a subcommand. While it is loaded nothing becomes garbage, and it is not looked for."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        if getattr(parsed, "files", None):
            from cqlgui.cli import opening

            opening.begin(parsed.files, searched=getattr(parsed, "pruning", False))
        command: Callable[[argparse.Namespace], int] = importlib.import_module(
            f"cqlgui.cli.{_MODULES[parsed.command]}"
        ).run
        # It stays, and need not be looked through whenever garbage is looked for.
        gc.freeze()
        return command
    finally:
        if collecting:
            gc.enable()


def _discard_output() -> None:
    """Let what is still to be flushed go nowhere, so that it is not complained about once more at exit."""
    if sys.stdout is not None:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
