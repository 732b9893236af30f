"""PySide6 6.12.0 loses a reference to `None` at nearly every call on Python before 3.12; after some thousand
of them the process aborts.
"""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="`None` is immortal since Python 3.12")
def test_calls_that_return_nothing_keep_the_references_to_none(qtbot: QtBot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for number in range(1_000):
        label.setText(str(number))
    assert abs(sys.getrefcount(None) - before) < 50
