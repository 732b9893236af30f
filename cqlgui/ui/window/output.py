"""Exports files, and copies texts and pictures to the clipboard."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QGuiApplication,
)

from cqlgui.base import errors
from cqlgui.pgn import decoding
from cqlgui.tasks.analysis import sorted_rows
from cqlgui.tasks.asking import commands
from cqlgui.tasks.export import exporting
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import keeping
from cqlgui.ui.likeness import new_base
from cqlgui.ui.look import naming, wording
from cqlgui.ui.panels import export_dialog
from cqlgui.ui.state import narrower
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
        main.exporter.made.connect(self._made)
        main.hits.export_requested.connect(self.ask_export)
        main.hits.narrow.new_base_wanted.connect(self.ask_new_base)

    def ask_export(self) -> None:
        """Show the export dialog, and write the file in the background."""
        base, result = self._frame.base, self._frame.result
        if base is None or result is None:
            words = "There are no hits to export: run a search first."
            self._frame.infobar.show_message(words, "info", key=frame.EXPORTING, front=True)
            return
        if self._busy():
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
        rows, sorts = self._frame.hits.arrange.wish.rows, self._frame.hits.arrange.wish.sorts
        choice = export_dialog.ExportDialog.ask(
            self._frame,
            counts,
            folder=folder,
            rows=rows,
            copy=self._copy_export,
            refusal=functools.partial(_refusal, base, result),
        )
        if choice is not None:
            self._frame.exporter.write(base, result, choice, selected, element, sorts)

    def _busy(self) -> bool:
        """Whether a file is being written. If so, this is said, because a second file would stop the first
        one."""
        if self._frame.exporter.busy:
            words = "A file is being written: try again when it is done, or cancel it."
            self._frame.infobar.show_message(words, "info", key=frame.EXPORTING, front=True)
        return self._frame.exporter.busy

    def ask_new_base(self) -> None:
        """Ask for a file, and write the games of the hits shown to this file in the background."""
        base, part = self._frame.base, self._frame.narrower.part
        if base is None or part is None or not part.order:
            words = "There are no games to make a base of: run a search first."
            self._frame.infobar.show_message(words, "info", key=frame.EXPORTING, front=True)
        elif not self._busy():
            folder = Path(self._frame.folder) if self._frame.folder else None
            choice = new_base.NewBaseDialog.ask(self._frame, len(part.order), folder)
            if choice is not None:
                self._frame.exporter.make_base(
                    base, part.order, choice.path, without_duplicates=choice.without_duplicates
                )

    def _made(self, path: Path, games: int, left_out: int) -> None:
        """Offer to open a new base. It is not opened at once, because this would close the open games with
        their hits."""
        self._frame.end_progress()
        self._frame.folder = str(path.parent)
        sentence = f"{wording.games(games)} written to {path}."
        if left_out:
            sentence += f" {wording.counted(left_out, 'duplicate is', 'duplicates are')} left out."
        action = ("Open it", lambda: self._opening.open_files([path]))
        self._frame.infobar.show_message(sentence, "info", action=action, key=frame.EXPORTING, front=True)

    def _exporting(self, path: Path) -> None:
        self._frame.infobar.dismiss(frame.EXPORTING)
        self._frame.show_progress(f"Writing {naming.shortened(path.name)}")

    def _exported(self, report: search_model.ExportReport) -> None:
        self._frame.end_progress()
        self._frame.folder = str(report.path.parent)
        games, hits = wording.games(report.games), wording.hits(report.hits)
        what = {
            "": games,
            Rows.GAMES.value: f"{games}, one row each,",
            Rows.SPANS.value: f"{hits} as runs of plies",
        }.get(report.rows, hits)
        action = ("Open it", lambda: _open_outside(report.path))
        if not report.rows:
            action = ("Open it", lambda: self._opening.open_files([report.path]))
        sentence = f"{what} written to {report.path}."
        if len(report.files) > 1:
            sentence = f"{what} written to {len(report.files)} files, from {report.path} on."
        if self._frame.exporter.note:
            sentence += f" {self._frame.exporter.note}."
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
        """Copy a command line that prints the rows of the table in their order."""
        main = self._frame
        if main.base is None or main.result is None:
            return
        options = [*_ROW_OPTIONS[main.hits.arrange.wish.rows], *self._sort_option()]
        if main.narrower.leaves_out:
            options.append("--no-duplicates")
        self._copy(main.narrower.spelt(), options)

    def _sort_option(self) -> list[str]:
        """The option of the command line that sorts as the table does."""
        sorts = self._frame.hits.arrange.wish.sorts
        return [f"--sort={sorted_rows.spelt(sorts)}"] if sorts else []

    def _copy_export(self, choice: export_dialog.ExportChoice) -> None:
        """Copy a command line that writes the same file as the export dialog."""
        main = self._frame
        switches = {
            "--no-duplicates": choice.unique or main.narrower.leaves_out,
            "--annotate": choice.annotate,
            "--normalise": choice.normalise,
            "--study": choice.study,
            "--overwrite": choice.overwrite,
        }
        options = [*_ROW_OPTIONS[choice.rows], *(name for name, on in switches.items() if on)]
        if choice.path.suffix.lower() != ".pgn":
            options += self._sort_option()
        spelt = main.narrower.spelt(limited=choice.what is export_dialog.What.ELEMENT)
        left: list[str] = []
        if choice.what is export_dialog.What.SELECTED:
            left.append("the selection in the table")
        result = main.result
        if choice.what is export_dialog.What.ELEMENT and result is not None:
            columns = result.games.columns
            if len(columns.codes) > len(columns):
                # The export has the element of the limit alone, and the command all that matched.
                left.append("the limit of columns to this image where several match")
        if (spelt.facets or spelt.conditions) and choice.unique and not main.narrower.leaves_out:
            # A command leaves out duplicates before it narrows what was found.
            left.append("duplicates that only the narrowing leaves")
        self._copy(spelt, options, left, choice.path)

    def _copy(
        self,
        spelt: narrower.Spelt,
        options: Sequence[str],
        others: Sequence[str] = (),
        output: Path | None = None,
    ) -> None:
        """Copy a command line. `others` are words for what the command does not do, besides those of
        `spelt`."""
        main = self._frame
        assert main.base is not None
        assert main.result is not None
        left = [*spelt.besides, *others]
        within = main.result.options.within
        if within is not None:
            left.append(f"the limit to {wording.games(len(within))}")
        if main.result.cancelled or main.result.stopped is not None:
            left.append("the stop of the search")
        options = [
            *(f"--facet={term}" for term in spelt.facets),
            *(f"--where={term}" for term in spelt.conditions),
            *options,
        ]
        text = commands.command_line(
            main.base,
            main.result.query,
            games=spelt.games,
            options=options,
            output=output,
            scheduler=main.searcher.scheduler,
        )
        QGuiApplication.clipboard().setText(text)
        # What an option cannot say makes other rows, and the user should know it before the command runs.
        lacks = f", but it gives other rows: it cannot have {', '.join(left)}" if left else ""
        main.tell(f"Command copied{lacks}")

    def copy_picture(self) -> None:
        """Copy a picture of the board."""
        QGuiApplication.clipboard().setPixmap(self._frame.board.picture())
        self._frame.tell("Picture copied")


def _refusal(base: base_model.Base, result: search_model.SearchResult, path: Path) -> str:
    """Why an export may not replace a file; empty if it may."""
    try:
        keeping.refuse(base, result.query, result.options, path)
    except errors.CqlguiError as fault:
        return str(fault)
    return ""


_ROW_OPTIONS: Final = {Rows.HITS: (), Rows.SPANS: ("--spans",), Rows.GAMES: ("--group", "game")}
"""The options of the command line for what a row is."""


def _open_outside(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
