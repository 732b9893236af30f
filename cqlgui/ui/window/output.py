"""Exports files, and copies texts and pictures to the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QGuiApplication,
)

from cqlgui.pgn import decoding
from cqlgui.tasks.asking import commands
from cqlgui.tasks.export import exporting
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.tasks.results import search_model
from cqlgui.ui.look import naming, wording
from cqlgui.ui.panels import export_dialog
from cqlgui.ui.window import frame
from cqlgui.ui.window import opening as opening_module
from cqlgui.ui.window import showing as showing_module


class Output(QObject):
    """Exports hits, and copies the game, the position or a picture of the board."""

    def __init__(
        self, main: frame.Frame, showing: showing_module.Showing, opening: opening_module.Opening
    ) -> None:
        super().__init__(main)
        self._frame = main
        self._showing = showing
        self._opening = opening
        main.exporter.started.connect(self._exporting)
        main.exporter.too_large.connect(self._ask_large)
        main.exporter.written.connect(self._exported)
        main.exporter.ended.connect(self._export_ended)
        main.hits.export_requested.connect(self.ask_export)

    def ask_export(self) -> None:
        """Show the export dialog, and write the file in the background."""
        base, result = self._frame.base, self._frame.result
        if base is None or result is None:
            words = "There are no hits to export: run a search first."
            self._frame.infobar.show_message(words, "info", key=frame.EXPORTING, front=True)
            return
        if self._frame.exporter.busy:
            # A second export would cancel the first export.
            words = "A file is being written: export again when it is done, or cancel it."
            self._frame.infobar.show_message(words, "info", key=frame.EXPORTING, front=True)
            return
        # While the dialog is open, a search may begin or end, and other games may be opened. The export
        # writes the hits that were shown when the dialog was opened.
        selected, element = self._frame.hits.selected_games(), self._frame.hits.limited_to
        words = self._showing.limited_words()
        counts = export_dialog.ExportCounts(
            hits=result.positions,
            games=len(result.games),
            selected_games=len(selected),
            element_words=words,
            element_hits=self._frame.hits.count if words else 0,
        )
        folder = Path(self._frame.folder) if self._frame.folder else None
        choice = export_dialog.ExportDialog.ask(self._frame, counts, folder=folder)
        if choice is not None:
            rows = self._frame.hits.arrange.wish.rows
            self._frame.exporter.write(base, result, choice, selected, element, rows)

    def _exporting(self, path: Path) -> None:
        self._frame.infobar.dismiss(frame.EXPORTING)
        self._frame.show_progress(f"Writing {naming.shortened(path.name)}")

    def _exported(self, report: search_model.ExportReport) -> None:
        self._frame.end_progress()
        self._frame.folder = str(report.path.parent)
        if report.path.suffix.lower() == ".pgn":
            what = wording.games(report.games)
            action = ("Open it", lambda: self._opening.open_files([report.path]))
        else:
            what = wording.hits(report.hits)
            action = ("Open it", lambda: _open_outside(report.path))
        sentence = f"{what} written to {report.path}."
        if report.as_played:
            sentence += f" {report.as_played:,} of them as they were played: {exporting.AS_PLAYED}"
        self._frame.infobar.show_message(sentence, "info", action=action, key=frame.EXPORTING, front=True)

    def _ask_large(self, sentence: str, write: Callable[[], None]) -> None:
        """Offer to write a very large file all the same."""
        self._frame.end_progress()
        self._frame.infobar.show_message(
            sentence, "warning", action=("Write it all the same", write), key=frame.EXPORTING, front=True
        )

    def _export_ended(self, sentence: str, kind: str) -> None:
        self._frame.end_progress()
        self._frame.infobar.show_message(sentence, kind, key=frame.EXPORTING)

    def copy_fen(self) -> None:
        """Copy the FEN of the game's current position, even if the board shows a transformed position."""
        position = self._frame.browser.position
        if position is not None:
            QGuiApplication.clipboard().setText(position.fen())
            game_own = " of the game, not of the frame shown" if self._frame.board.normalised else ""
            self._frame.tell(f"FEN copied{game_own}")

    def copy_pgn(self) -> None:
        """Copy the PGN text of the current game, exactly as the text is in the file."""
        game = self._frame.browser.game
        if game is not None:
            QGuiApplication.clipboard().setText(decoding.decode(game.raw))
            self._frame.tell("Game copied")

    def copy_command(self) -> None:
        """Copy a command line that prints the rows of the table."""
        main = self._frame
        if main.base is None or main.result is None:
            return
        options = {Rows.HITS: [], Rows.SPANS: ["--spans"], Rows.GAMES: ["--group", "game"]}[
            main.hits.arrange.wish.rows
        ]
        text = commands.command_line(
            main.base, main.result.query, games=main.hits.line.text(), options=options
        )
        QGuiApplication.clipboard().setText(text)
        left = main.narrower.steps_besides
        main.tell(f"Command copied, without: {', '.join(left)}" if left else "Command copied")

    def copy_picture(self) -> None:
        """Copy a picture of the board."""
        QGuiApplication.clipboard().setPixmap(self._frame.board.picture())
        self._frame.tell("Picture copied")


def _open_outside(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
