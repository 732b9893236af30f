"""Asks the user what to export, how, and to which file; writes nothing itself."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base.data import dataclass
from cqlgui.base.files import disk
from cqlgui.tasks.export import exporting
from cqlgui.tasks.export.formats import studies
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.ui.look import fitting, labels, naming, theme, wording

_FORMATS = {
    ".pgn": "PGN: whole games",
    ".csv": "CSV: a table of hits",
    ".jsonl": "JSON lines: all that is known of each hit",
    ".epd": "EPD: the positions that matched",
    ".html": "HTML: a page of diagrams to read or print",
    ".parquet": "Parquet: a table for DuckDB, pandas or polars",
    ".arrow": "Arrow: a table for pandas or polars",
    ".tex": "LaTeX: sheets of diagrams, then the solutions",
    ".tsv": "Anki: notes with a diagram and the moves",
}
assert set(_FORMATS) == set(exporting.ENDINGS)


class What(Enum):
    """Which hits to write."""

    ALL = "all"
    SELECTED = "selected"
    ELEMENT = "element"


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """The user's choice. If `annotate` is True, the matches are marked (in PGN only). If `normalise` is True,
    the games are written in the query's own frame. The ending of `path` gives the format. `rows` says what a
    row of a table is. If `unique` is True, of several games that are the same, only one is written. If
    `study` is True, a PGN is written for studies of Lichess. If `overwrite` is True, the user was told that
    an existing file will be replaced."""

    what: What
    annotate: bool
    path: Path
    normalise: bool = False
    rows: Rows = Rows.HITS
    unique: bool = False
    study: bool = False
    overwrite: bool = False


_ROWS = {
    Rows.HITS: "Every hit",
    Rows.SPANS: "Runs of plies with one element",
    Rows.GAMES: "Games, with the number of hits",
}


@dataclass(frozen=True, slots=True)
class ExportCounts:
    """Numbers of hits and games to export; `element_words` is empty if the hits are not limited to an
    element."""

    hits: int
    games: int
    selected_games: int = 0
    element_words: str = ""
    element_hits: int = 0


class ExportDialog(QDialog):
    """Use `ask`; the constructor is for tests, which press the buttons."""

    def __init__(
        self,
        parent: QWidget | None,
        counts: ExportCounts,
        folder: Path,
        name: str,
        rows: Rows = Rows.HITS,
        copy: Callable[[ExportChoice], None] | None = None,
        refusal: Callable[[Path], str] | None = None,
    ) -> None:
        super().__init__(parent)
        self._refusal = refusal
        self.setWindowTitle("Export hits")
        self.setMinimumWidth(520)
        element = naming.shortened(counts.element_words, 40)
        self.choices = {
            What.ALL: QRadioButton(
                f"All: {wording.hits(counts.hits)} in {wording.games(counts.games)}", self
            ),
            What.SELECTED: QRadioButton(
                f"Selected in the table: {wording.games(counts.selected_games)}", self
            ),
            What.ELEMENT: QRadioButton(
                f"Limited to “{element}”: {wording.hits(counts.element_hits)}"
                if counts.element_words
                else "Limited to one element (none is chosen)",
                self,
            ),
        }
        self.choices[What.SELECTED].setEnabled(counts.selected_games > 0)
        self.choices[What.ELEMENT].setEnabled(bool(counts.element_words))
        self.plain = QRadioButton("As it stands: each game's own text, byte for byte", self)
        self.marked = QRadioButton("With each match as a comment, its squares and lines marked", self)
        self.study = QRadioButton(
            f"For studies of Lichess: matches marked, {studies.CHAPTERS} chapters a file", self
        )
        self.unique = QCheckBox("Leave out duplicates: the same game, or its beginning, again", self)
        self.rows = QComboBox(self)
        for kind, words in _ROWS.items():
            self.rows.addItem(words, kind)
        self.rows.setCurrentIndex(list(_ROWS).index(rows))
        self.rows.setAccessibleName("Rows")
        self.normalise = QCheckBox("As the query is written: each transform taken back", self)
        self.normalise.setToolTip(
            wording.plain_tip(
                "Positions and moves stand in the query's own frame, as Normalise (N) shows them. A PGN has "
                "what follows on the first hit of a game, where that is a legal game in this frame; the "
                "other games stay as they were played, and a comment names their transform."
            )
        )
        self._whats, self._hows = QButtonGroup(self), QButtonGroup(self)
        for button in self.choices.values():
            self._whats.addButton(button)
        for button in (self.plain, self.marked, self.study):
            self._hows.addButton(button)
        # The buttons are checked only after they were put into two groups. Buttons without a group would
        # exclude each other, and checking one button would uncheck all others.
        self.choices[What.ELEMENT if counts.element_words else What.ALL].setChecked(True)
        self.plain.setChecked(True)
        self.format = QComboBox(self)
        for ending, words in _FORMATS.items():
            self.format.addItem(f"{words} ({ending})", ending)
        self.format.setAccessibleName("Format")
        self.path = QLineEdit(str(folder / f"{name}.pgn"), self)
        self.path.setAccessibleName("File to write")
        self._browse = QPushButton("Browse…", self)
        self._browse.setAutoDefault(False)
        self._problem = labels.Label(self)
        self._problem.setWordWrap(True)
        self._buttons = QDialogButtonBox(self)
        self.export = self._buttons.addButton("Export", QDialogButtonBox.ButtonRole.AcceptRole)
        self._buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self._replaces = False
        """Whether the dialog says that the file will be replaced."""
        self.copy = self._buttons.addButton("Copy as command line", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setVisible(copy is not None)
        if copy is not None:
            self.copy.clicked.connect(lambda: copy(self.choice()))
        self._lay_out()
        self.format.currentIndexChanged.connect(self._format_chosen)
        for switch in (self.normalise, self.study):
            switch.toggled.connect(lambda _on: self._path_changed())
        self.path.textChanged.connect(self._path_changed)
        self._browse.clicked.connect(self._choose_file)
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        self._path_changed()

    @classmethod
    def ask(
        cls,
        parent: QWidget | None,
        counts: ExportCounts,
        folder: Path | None = None,
        name: str = "hits",
        rows: Rows = Rows.HITS,
        copy: Callable[[ExportChoice], None] | None = None,
        refusal: Callable[[Path], str] | None = None,
    ) -> ExportChoice | None:
        """Ask, and return the choice, or None if the user cancelled.

        `folder` is the suggested folder, by default the home folder. `name` is the suggested file name
        without ending, and `rows` the suggested rows. `copy` copies a choice as a command line. If the file
        exists already, the dialog says that the file will be replaced, or why it may not be replaced:
        `refusal` returns the reason, or an empty text.
        """
        dialog = cls(parent, counts, folder or Path.home(), name, rows, copy, refusal)
        try:
            return dialog.choice() if dialog.exec() == QDialog.DialogCode.Accepted else None
        finally:
            dialog.deleteLater()

    def choice(self) -> ExportChoice:
        """The current choice."""
        what = next(what for what, button in self.choices.items() if button.isChecked())
        path = self._named()
        pgn = path.suffix.lower() == ".pgn"
        own = pgn and not self.normalise.isChecked()
        return ExportChoice(
            what,
            self.marked.isChecked() and pgn,
            path,
            self.normalise.isChecked(),
            Rows.HITS if pgn else self.rows.currentData(),
            self.unique.isChecked(),
            self.study.isChecked() and own,
            self._replaces,
        )

    def _lay_out(self) -> None:
        file_row = QHBoxLayout()
        file_row.setSpacing(8)
        file_row.addWidget(self.path, 1)
        file_row.addWidget(self._browse)
        whats, hows = QVBoxLayout(), QVBoxLayout()
        for box in (whats, hows):
            box.setSpacing(4)
        for button in self.choices.values():
            whats.addWidget(button)
        hows.addWidget(self.plain)
        hows.addWidget(self.marked)
        hows.addWidget(self.study)
        whats.addWidget(self.unique)
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        form.addRow("What", whats)
        form.addRow("How", hows)
        form.addRow("Rows", self.rows)
        form.addRow("Frame", self.normalise)
        form.addRow("Format", self.format)
        form.addRow("File", file_row)
        form.addRow("", self._problem)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(14)
        column.addLayout(form)
        column.addWidget(self._buttons)

    def _named(self) -> Path:
        """The path of the line edit; a name without ending gets the ending of the format."""
        path = Path(self.path.text().strip())
        with contextlib.suppress(RuntimeError):
            # The path may begin with `~` and the name of an unknown user.
            path = path.expanduser()
        if path.name and not path.suffix:
            path = path.with_suffix(str(self.format.currentData()))
        return path

    def _format_chosen(self) -> None:
        path = Path(self.path.text().strip())
        ending = str(self.format.currentData())
        if path.name and path.suffix.lower() != ending:
            stem = path.with_suffix("") if path.suffix.lower() in _FORMATS else path
            self.path.setText(f"{stem}{ending}")
        self._path_changed()

    def _path_changed(self) -> None:
        path = self._named()
        ending = path.suffix.lower()
        if ending in _FORMATS:
            self.format.blockSignals(True)
            self.format.setCurrentIndex(list(_FORMATS).index(ending))
            self.format.blockSignals(False)
        pgn = ending == ".pgn"
        # In the query's frame the games cannot be written with their original text. So the buttons `plain`
        # and `marked` are disabled.
        own = pgn and not self.normalise.isChecked()
        self.plain.setEnabled(own)
        self.marked.setEnabled(own)
        self.study.setEnabled(own)
        self.rows.setEnabled(not pgn)
        problem, note = "", ""
        if not self.path.text().strip() or not path.name:
            problem = "Name a file."
        elif ending not in _FORMATS:
            problem = f"The ending must be one of {' '.join(_FORMATS)}."
        elif disk.is_folder(path):
            problem = "This is a folder."
        elif not disk.is_folder(path.parent):
            problem = f"There is no folder {path.parent}."
        elif disk.stands(path) and own and self.study.isChecked():
            problem = "This file exists, and studies replace no files."
        elif disk.stands(path):
            problem = self._refusal(path) if self._refusal is not None else ""
            note = "" if problem else "This file exists and will be replaced."
        self._replaces = bool(note)
        # Return in the line of the path must not replace a file. The button says what it does.
        self.export.setText("Replace" if note else "Export")
        self.export.setAutoDefault(not note)
        self.export.setDefault(not note)
        colours = theme.colours()
        self._problem.setText(labels.cut(problem or note))
        self._problem.setStyleSheet(f"color: {colours.error if problem else colours.warning};")
        self.export.setEnabled(not problem)
        self.copy.setEnabled(not problem)
        if self.isVisible():
            fitting.grow(self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fitting.grow(self)

    def _choose_file(self) -> None:
        filters = [f"{words} (*{ending})" for ending, words in _FORMATS.items()]
        fitting.fit_next()
        chosen, _ = QFileDialog.getSaveFileName(
            self,
            "Export hits",
            str(self._named()),
            ";;".join(filters),
            filters[self.format.currentIndex()],
            QFileDialog.Option.DontConfirmOverwrite,
        )
        if chosen:
            self.path.setText(chosen)
