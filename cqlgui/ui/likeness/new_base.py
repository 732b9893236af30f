"""Asks for the file of a new base that is made from the games of a result; writes nothing itself."""

from __future__ import annotations

import contextlib
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base.data import dataclass
from cqlgui.base.files import disk
from cqlgui.ui.look import fitting, labels, theme, wording

ENDING = ".pgn"
_EXISTS = "This file exists already. Choose another name."


@dataclass(frozen=True, slots=True)
class Choice:
    """The file to write, and whether duplicates among the games are left out."""

    path: Path
    without_duplicates: bool


class NewBaseDialog(QDialog):
    """Use `ask`; the constructor is for tests, which press the buttons."""

    def __init__(self, parent: QWidget | None, games: int, path: Path) -> None:
        super().__init__(parent)
        self.setWindowTitle("New base from these games")
        self.setMinimumWidth(480)
        what = labels.Label(self)
        what.setText(f"{wording.games(games)}, each with its own text, byte for byte")
        self.without = QCheckBox("Leave out &duplicates among them", self)
        self.path = QLineEdit(str(path), self)
        self.path.setAccessibleName("File of the new base")
        browse = QPushButton("Browse…", self)
        browse.setAutoDefault(False)
        browse.clicked.connect(self._browse)
        self._problem = labels.Label(self)
        self._problem.setWordWrap(True)
        buttons = QDialogButtonBox(self)
        self.make = buttons.addButton("Make", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        file = QHBoxLayout()
        file.setSpacing(8)
        file.addWidget(self.path, 1)
        file.addWidget(browse)
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(12)
        form.addRow("Games", what)
        form.addRow("", self.without)
        form.addRow("File", file)
        form.addRow("", self._problem)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(14)
        column.addLayout(form)
        column.addWidget(buttons)
        self.path.textChanged.connect(self._path_changed)
        self._path_changed()

    @classmethod
    def ask(cls, parent: QWidget | None, games: int, folder: Path | None = None) -> Choice | None:
        """Ask for the file of a new base of so many games. `folder` is the suggested folder, by default the
        home folder. Returns None if the user cancelled."""
        dialog = cls(parent, games, _free(folder or Path.home()))
        try:
            return dialog.choice() if dialog.exec() == QDialog.DialogCode.Accepted else None
        finally:
            dialog.deleteLater()

    def choice(self) -> Choice:
        """The current choice."""
        return Choice(self._named(), self.without.isChecked())

    def _named(self) -> Path:
        path = Path(self.path.text().strip())
        with contextlib.suppress(RuntimeError):
            # The path may begin with `~` and the name of an unknown user.
            path = path.expanduser()
        return path.with_suffix(ENDING) if path.name and not path.suffix else path

    def _path_changed(self) -> None:
        path, problem = self._named(), ""
        if not self.path.text().strip() or not path.name or path.stem.lower() == ENDING:
            problem = "Name a file."
        elif path.suffix.lower() != ENDING:
            problem = f"The ending must be {ENDING}."
        elif not disk.is_folder(path.parent):
            problem = f"There is no folder {path.parent}."
        elif disk.is_file(path) or disk.is_folder(path):
            problem = _EXISTS
        self._problem.setText(labels.cut(problem))
        self._problem.setStyleSheet(f"color: {theme.colours().error};")
        self.make.setEnabled(not problem)

    def _browse(self) -> None:
        fitting.fit_next()
        chosen, _ = QFileDialog.getSaveFileName(
            self,
            self.windowTitle(),
            str(self._named()),
            f"PGN (*{ENDING})",
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if chosen:
            self.path.setText(chosen)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fitting.fit(self)
        self.path.setFocus()
        stem = len(Path(self.path.text()).stem)
        self.path.setSelection(len(self.path.text()) - len(ENDING) - stem, stem)


def _free(folder: Path) -> Path:
    """A file name in a folder that is not taken."""
    path, number = folder / f"new base{ENDING}", 2
    while disk.is_file(path):
        path, number = folder / f"new base {number}{ENDING}", number + 1
    return path
