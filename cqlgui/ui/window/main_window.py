"""The main window: the controllers that connect the parts, and the events of the window.

`Opener`, `Searcher`, `Exporter` and `Browser` do the work, and never block the window. The module `frame`
makes the parts and their layout.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QMessageBox,
    QWidget,
)

from cqlgui.tasks.asking import queries
from cqlgui.ui.look import icons, theme
from cqlgui.ui.state import (
    session,
)
from cqlgui.ui.window import (
    actions,
    clustering,
    frame,
    opening,
    output,
    queries_kept,
    restoring,
    rights,
    searching,
    showing,
)

_YES, _NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
_LOST = "The changed query cannot be kept for the next start, and is not saved in a file. Close all the same?"


class MainWindow(frame.Frame):
    """The main window of the program. The caller calls `begin` once after `show`."""

    def __init__(self) -> None:
        super().__init__()
        # Whether a turn for painting has been requested.
        self._paints = False
        self._begun_with = session.Session()
        self.rights = rights.Rights(self)
        self.queries_kept = queries_kept.QueriesKept(self)
        self.showing = showing.Showing(self)
        self.clustering = clustering.Clustering(self)
        self.searching = searching.Searching(
            self, self.rights, self.queries_kept, self.showing, self.clustering
        )
        self.opening = opening.Opening(self, self.queries_kept, self.showing, self.searching)
        self.output = output.Output(self, self.showing, self.opening)
        self.actions_ = actions.Actions(
            self,
            self.queries_kept,
            self.showing,
            self.searching,
            self.opening,
            self.output,
            self.clustering,
        )
        self._connect()
        self._restyle()
        self.opening.base_changed()

    def begin(self, files: Sequence[Path], scheduler: str | None = None) -> None:
        """Restore the last session. If `files` has games, they are opened instead of the session's games. If
        `files` has a query, the query replaces the session's query as one undoable edit. `scheduler` is the
        address of the cluster that searches published bases; None for this computer."""
        kept = self._begun_with = session.load()
        restoring.restore_looks(self, self.actions_, kept)
        if kept.query:
            restoring.put_query(self, kept)
            self.live.forget_change()
        self.queries_kept.open_queries([path for path in files if queries.is_query_file(path)])
        if scheduler is not None:
            self.cluster.join(scheduler)
        sources = [path for path in files if not queries.is_query_file(path)]
        if kept.files:
            self.unrestored = kept
            self.wanted_hit = (kept.query, kept.hit_game, kept.hit_place)
        if sources:
            self.opening.open_files(sources)
        elif kept.files:
            self.opening.restore(kept)
        self.queries_kept.fill_library()
        self.queries_kept.load_suggesting()
        self.queries_kept.fill_history()
        self.queries_kept.fill_recent()
        self.editor.edit.setFocus()

    def event(self, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.UpdateRequest:
            return super().event(event)
        # Qt paints everything in this event, which is the last event of a turn. The painting is moved to a
        # later turn, and includes all repaints that widgets request until the later turn.
        if not self._paints:
            self._paints = True
            self.jobs.turns.ask(self._paint)
        return True

    def _paint(self) -> None:
        self._paints = False
        super().event(QEvent(QEvent.Type.UpdateRequest))

    def closeEvent(self, event: QCloseEvent) -> None:
        kept = session.save_last(restoring.snapshot(self, self.actions_), self._begun_with, time.time())
        if not kept and self.editor.modified and not self._lose_query():
            event.ignore()
            return
        self.live.forget_change()
        self.searcher.forget()
        self.editor.shut_down()
        self.picker.shut_down()
        self.opening.close()
        self.assistance.shut_down()
        self.jobs.close()
        super().closeEvent(event)

    def _lose_query(self) -> bool:
        """Ask whether to close the window and lose the changed query, because the query cannot be saved for
        the next start."""
        return QMessageBox.question(self, "Close", _LOST, defaultButton=_NO) == _YES

    def cancel_work(self) -> None:
        """Stop reading or writing files."""
        self.opener.cancel()
        self.exporter.cancel()

    def _arranged(self) -> None:
        """In the layout "Presenting", hide everything but the board and the notation."""
        alone = self.docks.presenting
        for part in (self.menuBar(), self.statusBar(), self.hitbar):
            part.setVisible(not alone)
        if alone:
            self.board.setFocus()
        self.actions_.show_layout()

    def _connect(self) -> None:
        self.docks.arranged.connect(self._arranged)
        self.changed.connect(self.actions_.enable)
        self.changed.connect(lambda: self.hitbar.set_steps(self.hits.count > 0, self.hits.count > 0))
        self.actions_.run.triggered.connect(lambda: self.pointing.set_active(False))
        self.rights.open_wanted.connect(self.opening.open_files)
        self.rights.export_wanted.connect(self.output.ask_export)
        self.cancel_button.clicked.connect(self.cancel_work)
        theme.theme().changed.connect(self._restyle)

    def _restyle(self) -> None:
        self.actions_.set_icons(icons.icon)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event.mimeData()):
            event.acceptProposedAction()
        elif event.mimeData().hasText() and not self._is_ours(event):
            # The text is copied and not moved, because the other program must keep the text.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def _is_ours(self, event: QDropEvent) -> bool:
        """Whether a dragged text comes from this window, for example from the query."""
        source = event.source()
        return isinstance(source, QWidget) and (source is self or self.isAncestorOf(source))

    def dropEvent(self, event: QDropEvent) -> None:
        paths = _dropped(event.mimeData())
        if paths:
            event.acceptProposedAction()
            # The files are opened later, because the other program waits until this method returns.
            QTimer.singleShot(0, lambda: self.opening.open_files(paths))
        elif event.mimeData().hasText() and not self._is_ours(event):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            text = event.mimeData().text()
            QTimer.singleShot(0, lambda: self.opening.take_text(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.infobar.shown is not None:
            # Esc closes the message only if no other widget has handled Esc.
            self.infobar.close_message()
        elif event.key() == Qt.Key.Key_Escape and self.docks.presenting:
            self.docks.leave_presenting()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.docks.window_resized()


def _dropped(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
