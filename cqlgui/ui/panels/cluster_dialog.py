"""Asks for the address of the Dask scheduler that searches published bases; connects with nothing itself."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from cqlgui.base import errors
from cqlgui.tasks.cluster import admission
from cqlgui.ui.look import fitting, labels, theme

_WHAT = (
    "F5 then searches on the workers of a Dask cluster. The base must be published, and the workers must "
    "reach it under the same name as this window. What is found while you type comes from this computer."
)


class ClusterDialog(QDialog):
    """Use `ask`; the constructor is for tests, which press the buttons."""

    def __init__(self, parent: QWidget | None, address: str, *, in_use: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle("Search on a cluster")
        self.setMinimumWidth(520)
        what = labels.Label(self)
        what.setText(_WHAT)
        what.setWordWrap(True)
        self.address = QLineEdit(address, self)
        self.address.setPlaceholderText("tls://HOST:8786")
        self.address.setAccessibleName("Address of the scheduler")
        self.problem = labels.Label(self)
        self.problem.setWordWrap(True)
        buttons = QDialogButtonBox(self)
        self.there = buttons.addButton("Search there", QDialogButtonBox.ButtonRole.AcceptRole)
        self.here = buttons.addButton("Search here", QDialogButtonBox.ButtonRole.DestructiveRole)
        self.here.setToolTip("Search published bases on this computer")
        self.here.setVisible(in_use)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        form.addRow("Scheduler", self.address)
        form.addRow("", self.problem)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(14)
        column.addWidget(what)
        column.addLayout(form)
        column.addWidget(buttons)
        self.address.textChanged.connect(lambda _text: self._tell(""))
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        self.here.clicked.connect(self._leave)
        self._tell("")

    @classmethod
    def ask(cls, parent: QWidget | None, address: str, *, in_use: bool) -> str | None:
        """Ask for an address; `address` is the suggestion. The result is empty if this computer should search
        published bases, which is a choice if a cluster is `in_use`. Returns None if the user cancelled."""
        dialog = cls(parent, address, in_use=in_use)
        try:
            return dialog.choice() if dialog.exec() == QDialog.DialogCode.Accepted else None
        finally:
            dialog.deleteLater()

    def choice(self) -> str:
        """The address."""
        return self.address.text().strip()

    def _accept(self) -> None:
        """Accept an address that the command line would accept."""
        try:
            admission.admit(self.choice())
        except errors.CqlguiError as error:
            self._tell(str(error))
            self.address.setFocus()
        else:
            self.accept()

    def _leave(self) -> None:
        self.address.clear()
        self.accept()

    def _tell(self, problem: str) -> None:
        self.problem.setText(labels.cut(problem))
        self.problem.setStyleSheet(f"color: {theme.colours().error};")
        self.problem.setVisible(bool(problem))
        if self.isVisible():
            fitting.grow(self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fitting.grow(self)
        self.address.setFocus()
        self.address.selectAll()
