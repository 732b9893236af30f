"""After a search, finds a hit to show for each image that names no squares. This module draws nothing."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cqlgui.base import errors
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import orbits
from cqlgui.ui.loop import jobs
from cqlgui.ui.picker import panel

_JOB = "examples"


class Examples(QObject):
    """Looks for positions in a job. The job for a new result replaces the job for an earlier result."""

    def __init__(self, door: jobs.Jobs, picker: panel.PickerPanel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._picker = picker

    def show(self, base: base_model.Base | None, result: search_model.SearchResult) -> None:
        """Find the images that would have an empty board. Give the picker the first hit of each of these
        images in this result."""
        wanted = orbits.without_squares(result)
        if base is None or not wanted:
            self.forget()
            return
        self._jobs.run(
            lambda token, _sink: orbits.examples(base, result, wanted, token),
            self._picker.set_examples,
            self._without,
            name=_JOB,
        )

    def forget(self) -> None:
        """Drop the job for the last result."""
        self._jobs.cancel(_JOB, drop=True)

    def _without(self, _error: errors.CqlguiError) -> None:
        """Leave the boards empty, because a game cannot be read any more. The error is reported when the user
        opens the game."""
