"""Builds the application object and the window, and runs the event loop. No window is a global variable,
because a window that outlives the interpreter would crash the process."""

from __future__ import annotations

import logging
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from cqlgui.base.files import disk, resources
from cqlgui.tasks.processes import pool
from cqlgui.tasks.results import discarding
from cqlgui.ui.look import theme
from cqlgui.ui.loop import collector
from cqlgui.ui.window import main_window

_log = logging.getLogger(__name__)
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def run(arguments: list[str]) -> int:
    """Show the window and open the files in `arguments`. `--scheduler ADDRESS` among them names the cluster
    that searches published bases. Returns when the window is closed."""
    names, scheduler = taken_apart(arguments)
    qInstallMessageHandler(_message)
    application = QApplication([sys.argv[0]])
    set_up(application)
    main = main_window.MainWindow()
    # The window is closed in the event loop. If the window were closed before the loop runs, the loop would
    # not end.
    signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, main.close))
    for name in ("SIGTERM", "SIGHUP"):
        # Under `nohup` the signal SIGHUP is ignored, and must stay ignored.
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, lambda number, _frame: _leave(main, number))
    main.show()
    main.begin([Path(name) for name in names], scheduler)
    # Python runs signal handlers only between Python instructions. Without this timer, an idle event loop
    # would run no Python instructions.
    ticker = QTimer()
    ticker.timeout.connect(lambda: None)
    ticker.start(200)
    garbage = collect_garbage(main)
    discarding.start()
    try:
        return application.exec()
    finally:
        discarding.stop()
        garbage.stop()
        pool.close()
        qInstallMessageHandler(None)


def taken_apart(arguments: list[str]) -> tuple[list[str], str | None]:
    """The names of files, and the address behind `--scheduler`; None if there is no such option."""
    names: list[str] = []
    scheduler: str | None = None
    rest = iter(arguments)
    for argument in rest:
        option, sign, value = argument.partition("=")
        if option == "--scheduler":
            # The window says what is wrong with an address that is missing.
            scheduler = value if sign else next(rest, "")
        else:
            names.append(argument)
    return names, scheduler


def _leave(main: main_window.MainWindow, number: int) -> None:
    """Close the window at the first signal. Closing the window saves the session. A second signal ends the
    program at once."""
    signal.signal(number, signal.SIG_DFL)
    disk.discard_when_terminated()
    QTimer.singleShot(0, main.close)


def collect_garbage(main: main_window.MainWindow) -> collector.Collector:
    """Collect garbage when the collection does not disturb the window. The caller must stop the collector."""
    garbage = collector.Collector(lambda: main.jobs.count > 0, main.jobs.turns.ask)
    garbage.start()
    return garbage


def set_up(application: QApplication) -> None:
    """Set the name, the icon and the colours of the application."""
    from PySide6.QtGui import QIcon

    application.setApplicationName("cqlgui")
    application.setApplicationDisplayName("cqlgui")
    application.setDesktopFileName("cqlgui")
    application.setWindowIcon(QIcon(str(resources.resource("icons/cqlgui.svg"))))
    theme.theme().apply(theme.Choice.SYSTEM)


def _message(kind: QtMsgType, _context: object, text: str) -> None:
    _log.log(_LEVELS.get(kind, logging.INFO), "Qt: %s", text)
