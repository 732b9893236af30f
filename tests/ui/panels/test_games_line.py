"""The line that narrows games completes fields and names."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cqlgui.tasks.databases import games
from cqlgui.tasks.results import base_model
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import games_line


@pytest.fixture
def line(qtbot: QtBot, door: jobs.Jobs, base: base_model.Base) -> games_line.GamesLine:
    made = games_line.GamesLine(door, "Filter")
    qtbot.addWidget(made)
    made.set_base(base)
    made.show()
    qtbot.waitExposed(made)
    made.setFocus()
    return made


def offered(line: games_line.GamesLine) -> list[str]:
    return line._offers.stringList() if line._list.isVisible() else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (0, None, "")),
        ("pla", (0, None, "pla")),
        ("elo>2600 ye", (9, None, "ye")),
        ("player:stei", (7, "player", "stei")),
        ("-player:stei", (8, "player", "stei")),
        ('year:1900 event:"wijk aa', (16, "event", "wijk aa")),
        ('event:"wijk aan zee" ', (21, None, "")),
    ],
)
def test_the_word_before_the_caret_is_found(text: str, expected: tuple[int, str | None, str]) -> None:
    assert games_line.word_before(text, len(text)) == expected


def test_the_button_that_clears_goes_with_the_text(line: games_line.GamesLine, qtbot: QtBot) -> None:
    (button,) = line.findChildren(QToolButton)
    applied: list[str] = []
    line.applied.connect(applied.append)
    line.put("elo>2600")
    qtbot.waitUntil(button.isVisible)
    line.put("")
    line.setEnabled(False)
    qtbot.waitUntil(lambda: not button.isVisible())
    assert not line.pending
    assert not applied


def test_fields_are_offered_and_taken(line: games_line.GamesLine, qtbot: QtBot) -> None:
    QTest.keyClicks(line, "pl")
    assert offered(line) == ["player:", "plies>"]
    QTest.keyClick(line._list, Qt.Key.Key_Down)
    QTest.keyClick(line._list, Qt.Key.Key_Return)
    assert line.text() == "player:"


def test_tab_takes_the_offer_that_is_chosen_and_leaves_the_line_otherwise(
    door: jobs.Jobs, qtbot: QtBot
) -> None:
    window = QWidget()
    column = QVBoxLayout(window)
    line, following = games_line.GamesLine(door, "Filter"), QLineEdit()
    column.addWidget(line)
    column.addWidget(following)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    line.setFocus()
    qtbot.waitUntil(line.hasFocus)
    QTest.keyClicks(line, "pl")
    QTest.keyClick(line._list, Qt.Key.Key_Down)
    QTest.keyClick(line._list, Qt.Key.Key_Tab)
    assert line.text() == "player:"
    assert not line._list.isVisible()
    assert line.hasFocus()
    QTest.keyClick(line, Qt.Key.Key_Backspace)
    assert offered(line) == ["player:"]
    QTest.keyClick(line._list, Qt.Key.Key_Tab)
    assert line.text() == "player"
    assert following.hasFocus()


def test_enter_applies_what_was_typed_while_names_are_offered(
    line: games_line.GamesLine, base: base_model.Base, qtbot: QtBot
) -> None:
    typed = f"white:{games.rows(base, [1])[0].white.partition(',')[0][:3].lower()}"
    QTest.keyClicks(line, typed)
    qtbot.waitUntil(lambda: bool(offered(line)))
    with qtbot.waitSignals([line.applied, line.entered]):
        QTest.keyClick(line._list, Qt.Key.Key_Return)
    assert line.text() == typed
    assert not offered(line)


def test_names_of_the_base_are_offered(
    line: games_line.GamesLine, base: base_model.Base, qtbot: QtBot
) -> None:
    surname = games.rows(base, [1])[0].white.partition(",")[0]
    QTest.keyClicks(line, f"white:{surname[:3].lower()}")
    qtbot.waitUntil(lambda: bool(offered(line)))
    assert any(surname in name for name in offered(line))
    line._take(offered(line)[0])
    assert line.text().startswith("white:")
    with qtbot.waitSignal(line.applied) as caught:
        QTest.keyClick(line, Qt.Key.Key_Return)
    assert len(games.fitting(base, caught.args[0])) > 0


def test_a_pause_applies_the_text_once_and_escape_clears_it(line: games_line.GamesLine, qtbot: QtBot) -> None:
    said: list[str] = []
    line.applied.connect(said.append)
    QTest.keyClicks(line, "1-0")
    qtbot.waitUntil(lambda: bool(said))
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert said == ["1-0"]
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert said == ["1-0", ""]
    assert line.text() == ""
    line.put("elo>2000")
    assert not line.pending
    assert said == ["1-0", ""]


def test_what_is_typed_while_a_search_runs_is_applied_at_its_end(
    line: games_line.GamesLine, qtbot: QtBot
) -> None:
    said: list[str] = []
    line.applied.connect(said.append)
    line.put("elo>2000")
    line.hold()
    line.leave()
    assert line.text() == "", "a new search shows all its hits"
    QTest.keyClicks(line, "1-0")
    qtbot.waitUntil(lambda: not line.pending)
    QTest.keyClick(line, Qt.Key.Key_Return)
    line.leave()
    assert (line.text(), said) == ("1-0", [])
    line.release()
    qtbot.waitUntil(lambda: bool(said))
    assert said == ["1-0"]
    line.hold()
    line.release()
    assert not line.pending


def test_names_with_spaces_are_quoted() -> None:
    assert games_line.quoted("Wijk aan Zee") == '"Wijk aan Zee"'
    assert games_line.quoted("Linares") == "Linares"
    assert games_line.quoted('a "b" c') == '"a  b  c"'
