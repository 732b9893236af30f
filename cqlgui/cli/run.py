"""Runs a subcommand and turns its exceptions into messages and exit codes."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import gc
import importlib
import logging
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from cqlgui.base import errors
from cqlgui.base.files import disk, log
from cqlgui.cli import arguments, terminal

# Each subcommand loads only its own module, so that `cqlgui help WORD` in a script is fast.
_MODULES = {
    "import": "importing",
    "info": "info",
    "search": "searching.command",
    "duplicates": "surveys.deduplicating",
    "anticipate": "surveys.anticipating",
    "check": "checking",
    "orbit": "orbits",
    "publish": "publishing",
    "explain": "explaining",
    "format": "formatting",
    "help": "helping",
    "lsp": "servers.serving",
    "mcp": "servers.assisting",
    "study": "surveys.study",
    "translate": "translating",
}
_SERVERS = ("lsp", "mcp")
"""Subcommands that run for a long time."""
_SELDOM = 50_000
"""Number of new objects after which the garbage collector runs, in a subcommand that ends with its task. Such
a subcommand makes few cycles. With Python's usual number the collector took a twentieth of the time of a
search."""
_log = logging.getLogger(__name__)


def main(argv: Sequence[str]) -> int:
    """Run one subcommand; returns the exit code (usage errors raise `SystemExit(2)`)."""
    with terminal.outputs():
        return _run(argv)


def _run(argv: Sequence[str]) -> int:
    only = argv[0] if argv and argv[0] in arguments.SUBCOMMANDS else None
    try:
        parsed = arguments.parser(only).parse_args(arguments.joined(argv))
    except SystemExit:
        # The help and the version are results too. argparse ignores errors in writing them.
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()
        except terminal.OutputError as fault:
            return _full(fault)
        raise
    if parsed.command == "help" and parsed.keyword is None and "--" in argv:
        # `--` is a keyword of CQL, but argparse takes it for the end of the options.
        parsed.keyword = "--"
    log.configure()
    disk.discard_when_terminated()
    first, *older = gc.get_threshold()
    if parsed.command not in _SERVERS:
        gc.set_threshold(_SELDOM, *older)
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
        # The reading process has closed the pipe (`| head`). If stdout stayed connected to the pipe, Python
        # would report another error when it flushes stdout at exit.
        _discard_output()
        if getattr(parsed, "output", None) is None:
            return terminal.OK
        terminal.say(f"cqlgui: Nobody reads what is printed, so {parsed.output} may not have been written.")
        return terminal.USAGE
    except terminal.OutputError as fault:
        return _full(fault, getattr(parsed, "output", None))
    except errors.CqlguiError as fault:
        terminal.say(f"cqlgui: {fault}")
        return terminal.USAGE
    except OSError as fault:
        # Errors of data files are handled where the files are used. This error comes from a full disk.
        where = f"{fault.filename}: " if fault.filename else ""
        terminal.say(f"cqlgui: {where}{fault.strerror or fault}")
        return terminal.USAGE
    except Exception:
        # The exception comes from a bug. It is logged with its traceback, and the exit code is `INTERNAL`.
        _log.exception("internal error")
        import traceback

        traceback.print_exc()
        terminal.say(f"cqlgui: internal error, a bug in this program. Details are in {log.path()}.")
        return terminal.INTERNAL
    finally:
        for name in ("cqlgui.tasks.processes.pool", "cqlgui.tasks.databases.workspace"):
            # A module that was not loaded has opened nothing.
            if name in sys.modules:
                sys.modules[name].close()
        gc.set_threshold(first, *older)
        # If Python cleans up at exit, the garbage collector does not scan frozen objects.
        gc.freeze()


def finish(code: int) -> None:
    """Write buffered output, and end the process with an exit code. Python's own clean-up is left out,
    because it takes a twentieth of the time of a small search. This function only returns if Python would
    wait for a thread, or if a profiler or a debugger goes on afterwards."""
    waits = any(not one.daemon for one in threading.enumerate() if one is not threading.main_thread())
    if not waits and not _is_watched():
        terminal.end(code, _close)


def _is_watched() -> bool:
    """Whether a profiler, a tracer or an interactive session runs the program."""
    if sys.getprofile() is not None or sys.gettrace() is not None or sys.flags.interactive:
        return True
    # Since Python 3.12, profilers and tracers may be here instead.
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and any(monitoring.get_tool(number) for number in range(_TOOLS))


_TOOLS = 6
"""The number of tools that `sys.monitoring` can have."""


def _close() -> None:
    """Do what Python does before its clean-up. As there, a reader of the output who stopped reading is waited
    for."""
    atexit._run_exitfuncs()
    if sys.stdout is not None:
        # A command that succeeded has written its output before. Otherwise the exit code reports its error.
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()


def _full(fault: terminal.OutputError, output: Path | None = None) -> int:
    """Say that stdout cannot be written, and discard the rest of the results. `output` is the file that the
    command was to write besides. Returns the exit code."""
    _discard_output()
    besides = "" if output is None else f" {output} may not have been written either."
    terminal.say(f"cqlgui: The standard output cannot be written: {fault.strerror}.{besides}")
    return terminal.USAGE


def _command(parsed: argparse.Namespace) -> Callable[[argparse.Namespace], int]:
    """The function that runs a subcommand. Garbage collection is off while the subcommand's module is being
    loaded, because loading makes no garbage."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        if getattr(parsed, "files", None):
            from cqlgui.cli import opening

            opening.begin(parsed.files, searched=getattr(parsed, "pruning", False))
        command: Callable[[argparse.Namespace], int] = importlib.import_module(
            f"cqlgui.cli.{_MODULES[parsed.command]}"
        ).run
        # The loaded modules stay in memory, so the garbage collector need not scan them.
        gc.freeze()
        return command
    finally:
        if collecting:
            gc.enable()


def _discard_output() -> None:
    """Send buffered output to the null device, so that flushing it at exit does not fail again."""
    if sys.stdout is not None:
        with contextlib.suppress(OSError):
            terminal.send_nowhere(sys.stdout)
