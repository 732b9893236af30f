"""Labels that cut their text."""

from __future__ import annotations

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
