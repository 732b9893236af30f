"""The query editor driven by real keys: text, undo, findings, completion, files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cqlgui.ui.editor import panel


@pytest.fixture
def editor(qtbot: QtBot) -> Iterator[panel.EditorPanel]:
    made = panel.EditorPanel()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    yield made
    made.shut_down()


def checked(qtbot: QtBot, editor: panel.EditorPanel, text: str) -> None:
    with qtbot.waitSignal(editor.diagnostics_changed, timeout=10_000):
        editor.set_text(text)


def test_three_errors_are_three_squiggles_and_three_problems(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    checked(qtbot, editor, "flippcolor\nchekc\nstalemat")
    assert len(editor.findings) == 3
    assert editor.problems.count() == 3
    assert len(editor.edit.line_severities()) == 3


def test_a_squiggle_behind_astral_characters_stands_under_its_word(
    qtbot: QtBot, editor: panel.EditorPanel
) -> None:
    text = "// \U0001f600\U0001f600\n/* \U0001f600 */ chekc"
    checked(qtbot, editor, text)
    start, end = editor.edit.squiggle_units(editor.findings[0])
    before = len(text[: text.index("chekc")].encode("utf-16-le")) // 2
    assert (start, end) == (before, before + 5)
    assert "did you mean" in editor.edit.hover_html(text.index("chekc") + 1)


def test_a_replacement_is_one_undo_and_keeps_the_caret_at_its_word(editor: panel.EditorPanel) -> None:
    editor.set_text("Bh7 kh8")
    editor.go_to(5)
    editor.replace(0, 7, "flip {Bh7 kh8}")
    assert editor.caret() == 11
    editor.edit.undo()
    assert editor.text() == "Bh7 kh8"


def test_completion_offers_keywords_after_two_letters_and_enter_takes_one(editor: panel.EditorPanel) -> None:
    QTest.keyClicks(editor.edit, "stal")
    assert editor.edit.completer.words()[0] == "stalemate"
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    assert editor.text() == "stalemate"


def test_brackets_close_themselves_and_return_indents(editor: panel.EditorPanel) -> None:
    QTest.keyClicks(editor.edit, "{")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    QTest.keyClicks(editor.edit, "K")
    assert editor.text() == "{\n  K\n}"


def test_control_slash_comments_and_uncomments(editor: panel.EditorPanel) -> None:
    editor.set_text("K\nk")
    editor.edit.select(0, 3)
    for expected in ("// K\n// k", "K\nk"):
        QTest.keyClick(editor.edit, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
        assert editor.text() == expected


def test_files_are_saved_and_opened_and_a_failure_keeps_the_text(
    editor: panel.EditorPanel, tmp_path: Path
) -> None:
    editor.set_text("♔ \U0001f600")
    assert editor.save(tmp_path / "q.cql")
    assert not editor.modified
    assert not editor.open_file(tmp_path)
    assert editor.text() == "♔ \U0001f600"
    editor.set_text("")
    assert editor.open_file(tmp_path / "q.cql")
    assert editor.text() == "♔ \U0001f600"
    assert not editor.save(tmp_path / "missing" / "q.cql")


def test_the_find_bar_counts_and_selects_matches(editor: panel.EditorPanel) -> None:
    editor.set_text("Ra1 ra1 Ra1")
    editor.find_bar.open()
    QTest.keyClicks(editor.find_bar.needle, "Ra1")
    QTest.keyClick(editor.find_bar, Qt.Key.Key_Return)
    QTest.keyClick(editor.find_bar, Qt.Key.Key_Return)
    assert editor.selection() in ((0, 3), (8, 11))
