"""Labels that cut their text."""

from __future__ import annotations

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from cqlgui.ui.look import labels


def test_a_number_is_cut_as_a_whole(qtbot: QtBot) -> None:
    label = labels.ElidedLabel("90 of 6,906.5 games in 2 s")
    qtbot.addWidget(label)
    width = label.fontMetrics().horizontalAdvance
    shown = {label.fitted(room) for room in range(width("90 of 6,906.5 games in 2 s") + 4)}
    kept = {text.removesuffix("…") for text in shown if text}
    numbers = {"90", "of", "6,906.5", "games", "in", "2", "s"}
    for text in kept:
        for word in text.split():
            assert word in numbers or not any(map(str.isdigit, word)), text
    assert {"90 of", "90 of 6,906.5", "90 of 6,906.5 g"} <= kept


def test_a_text_that_does_not_fit_a_chooser_ends_with_an_ellipsis(qtbot: QtBot) -> None:
    def drawn(text: str, width: int) -> QImage:
        chooser = labels.Chooser()
        qtbot.addWidget(chooser)
        chooser.setStyleSheet("QComboBox { padding: 3px 6px; } QComboBox::drop-down { width: 22px; }")
        chooser.addItem(text)
        chooser.resize(width, 28)
        return chooser.grab().toImage()

    whole = "Where men arrive"
    assert drawn(whole, 400) != drawn("Where men arrive…", 400)
    same = [
        kept for kept in range(1, len(whole)) if drawn(whole, 110) == drawn(f"{whole[:kept].rstrip()}…", 110)
    ]
    # The shortest of these texts is drawn as it is. Its ellipsis lies before the arrow.
    shown = f"{whole[: min(same)].rstrip()}…"
    assert labels.Chooser().fontMetrics().horizontalAdvance(shown) <= 110 - 22 - 2 * 6
