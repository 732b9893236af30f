"""Opens the window and every dialog on a scaled screen and prints what lies outside of it, as a JSON list.

Run by `test_scaled` as a program of its own, since Qt reads its scale when it starts.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QMessageBox, QWidget

from cqlgui.base.files.resources import resource
from cqlgui.tasks.results import base_model
from cqlgui.ui.look import fitting
from cqlgui.ui.panels import bad_games, export_dialog
from cqlgui.ui.reference import manual
from cqlgui.ui.window import actions, main_window, start

LONG = "and " * 30
PATIENCE = 60.0
COLUMNS = 900
"""The least width of a screen for three columns."""


def wait(holds: Callable[[], bool]) -> None:
    """Let Qt work until something holds, and a little longer for what follows from it."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        QApplication.processEvents()
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        QApplication.processEvents()


def outside(name: str, shown: QWidget) -> list[str]:
    """What of a window lies outside its screen, its title bar counted."""
    wait(shown.isVisible)
    screen = shown.screen().availableGeometry()
    found = []
    if not screen.contains(shown.frameGeometry()):
        found.append(f"{name}: {shown.frameGeometry().getRect()} in {screen.getRect()}")
    if shown.height() + fitting.TITLE_BAR > screen.height():
        found.append(f"{name}: no room for its title bar, {shown.height()} pixels high")
    if shown.isModal() or not isinstance(shown, main_window.MainWindow):
        for button in shown.findChildren(QAbstractButton):
            place = QRect(button.mapTo(shown, button.rect().topLeft()), button.size())
            if button.isVisible() and not shown.rect().contains(place):
                found.append(f"{name}: the button {button.text()!r} at {place.getRect()}")
    return found


def dialogs(main: main_window.MainWindow) -> list[str]:
    """Every dialog, one after the other."""
    counts = export_dialog.ExportCounts(1_234_567, 145_716, 12, f"colours swapped {LONG}", 1234)
    about = QMessageBox(main)
    about.setText(actions._ABOUT)
    bad = bad_games.BadGamesDialog(main)
    bad.set_games([base_model.BadGame(1, Path(f"/{LONG}.pgn"), 0, 1, LONG)])
    found = []
    for name, shown in (
        ("export", export_dialog.ExportDialog(main, counts, Path("/", *(["long"] * 40)), "hits")),
        ("bad games", bad),
        ("manual", manual.ManualDialog(main)),
        ("about", about),
    ):
        shown.show()
        found += outside(name, shown)
        shown.close()
    files = QFileDialog(main, "Open games")
    fitting.fit_next()
    files.setModal(True)
    files.show()
    found += outside("files", files)
    files.close()
    return found


def results(main: main_window.MainWindow) -> list[str]:
    """The tabs of the results with a picture drawn, also in a column of their own; and the further panes."""
    main.editor.set_text("flipcolor check")
    main.searching.run()
    wait(lambda: main.result is not None)
    found = []

    def look(where: str) -> None:
        for place in range(main.tabs.count()):
            main.tabs.setCurrentIndex(place)
            wait(lambda: main.tabs.currentWidget() is not main.pictures or main.pictures.picture is not None)
            found.extend(outside(f"{where}, {main.tabs.tabText(place)} in front", main))
        for dock in main.docks.more:
            dock.toggleViewAction().trigger()
            found.extend(outside(f"{where}, {dock.windowTitle()} opened", main))
            dock.close()

    main.docks.show(main.docks.results)
    look("results")
    if main.screen().availableSize().width() >= COLUMNS:
        main.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, main.docks.results)
        look("results on the right")
        main.reset_layout()
    return found


def crowded(main: main_window.MainWindow) -> list[str]:
    """The window with all that may ask for room in it."""
    main.editor.set_text("flipcolor mate")
    main.searching.run()
    wait(lambda: main.result is not None)
    found = outside("after a search", main)
    for number in range(3):
        main.infobar.show_message(LONG, "warning", ("Translate it to CQL 6", print), key=str(number))
    main.hits.tell_scope(145_716)
    main.hits.tell_narrowing(LONG)
    main.hits.limit(0, 0)
    main.progress_box.show()
    main.progress_words.say(LONG)
    main.editor.set_text("matte chekc")
    main.editor.find_bar.open()
    wait(lambda: bool(main.editor.findings))
    for dock in (*main.docks.all, *main.docks.more):
        main.docks.show(dock)
        found += outside(f"crowded, {dock.windowTitle()} in front", main)
    return found


def restored() -> list[str]:
    """A window that comes back from a larger screen, with its layout there."""
    first = main_window.MainWindow()
    first.show()
    first.resize(2000, 1200)
    first.begin([])
    wait(first.isVisible)
    first.close()
    again = main_window.MainWindow()
    again.show()
    again.begin([])
    found = outside("restored", again)
    for dock in (*again.docks.all, *again.docks.more):
        again.docks.show(dock)
        found += outside(f"restored, {dock.windowTitle()} in front", again)
    again.close()
    return found


def main() -> None:
    application = QApplication(sys.argv)
    start.set_up(application)
    found = restored()
    shown = main_window.MainWindow()
    shown.show()
    shown.reset_layout()
    # As large as the screen, so that nothing can grow unnoticed.
    shown.move(0, 0)
    shown.resize(shown.screen().availableSize() - QSize(0, fitting.TITLE_BAR))
    shown.begin([])
    found += outside("start page", shown)
    shown.opening.open_files([resource("sample/sample.pgn")])
    wait(lambda: shown.base is not None and shown.base.complete)
    found += outside("window", shown)
    shown.reset_layout()
    found += outside("layout reset", shown)
    shown.editor.set_text("{Nf5 wtm mate movenumber>20 result 1-0 mainline}")
    shown.pointing.set_active(True)
    found += outside("pattern", shown)
    shown.pointing.set_active(False)
    found += dialogs(shown)
    found += results(shown)
    found += crowded(shown)
    if len(sys.argv) > 1:
        shown.grab().save(sys.argv[1])
    shown.close()
    print(json.dumps(found), flush=True)
    # Nothing is asked of Qt's order of ending.
    os._exit(0)


if __name__ == "__main__":
    main()
