"""The only entry point: runs a subcommand, a worker process or the window. A subcommand runs without a
window. If the arguments name no subcommand, the window opens. A frozen program starts its own executable
again for each worker process.

At its top, this module imports only modules that Python has loaded already. The docstring of `places` gives
the reason.
"""

import os
import sys

from cqlgui.base import places

_HEADLESS = ("-h", "--help", "--version")


def program() -> None:
    """Run `main` with the arguments of the process, and end the process."""
    code = main()
    subcommands = sys.modules.get("cqlgui.cli.run")
    if subcommands is not None:
        subcommands.finish(code)
    sys.exit(code)


def main(argv: list[str] | None = None) -> int:
    """Run `cqlgui ARGV`. Exit codes: 0 success, 1 query rejected, 2 wrong usage or source, 70 a bug, 130
    cancelled."""
    if argv is None:
        # Only the program itself calls `main` without `argv`, so this branch may change the state of the
        # whole process.
        places.forget_current_folder()
        _end_when_interrupted()
        from cqlgui.base import heap

        # The window chooses otherwise (`app.main`), because it stays open.
        heap.keep()
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        # The user interrupted the program while the subcommand was being loaded. A loaded subcommand handles
        # the interrupt itself.
        return 130


def _end_when_interrupted() -> None:
    """Let Ctrl+C end the process at once, until a subcommand or the window handles Ctrl+C.

    Python's own handler raises an exception at any point of the program, also in a callback of the import
    machinery. If a callback raises an exception, Python only prints the exception, and the program continues.
    The callback then may not release a lock that every import needs.
    """
    import signal

    def end(_number: int, _frame: object) -> None:
        disk = sys.modules.get("cqlgui.base.files.disk")
        try:
            if disk is not None:
                disk.discard_unfinished()
        finally:
            # An error here means that the module is not loaded completely, so there are no unfinished files.
            os._exit(130)

    # A shell starts background jobs with SIGINT ignored. In a background job, this function leaves SIGINT
    # ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def _run(arguments: list[str]) -> int:
    # By default, NumPy's library for matrices starts a thread for each processor when NumPy is loaded. One
    # thread is enough, because this program does not use the library.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if arguments[:1] == ["--worker"]:
        from cqlgui.tasks.search import worker

        worker.main()
        return 0
    from cqlgui.cli import arguments as words

    if arguments and (arguments[0] in words.SUBCOMMANDS or arguments[0] in _HEADLESS):
        from cqlgui.cli import run

        return run.main(arguments)
    return _window(arguments)


def _window(arguments: list[str]) -> int:
    if sys.platform.startswith("linux") and not any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    ):
        sys.stderr.write(
            "There is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set): the window cannot open.\n"
            "Searching works without one: cqlgui search FILE -e QUERY (see cqlgui --help).\n"
        )
        return 2
    from cqlgui import app

    return app.main(arguments)


if __name__ == "__main__":
    program()
