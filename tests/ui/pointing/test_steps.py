"""The row of small boards: steps are added, chosen, dragged and removed, and the text says each time what the
row shows.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QSpinBox, QToolButton

from cqlgui.board import men, position
from cqlgui.pattern import marks, reading, steps
from cqlgui.ui.pointing import chips, deeds, steps_row
from tests.ui.pointing.conftest import LEFT, PLAIN, Hand

PATH = "path {Qg2 kh7} --+ {Qg3 kh8} -- {Qf4}"
ALT = Qt.KeyboardModifier.AltModifier


def shown(hand: Hand) -> steps_row.StepsRow:
    """The row as wide and high as in the window."""
    row = hand.pointing.steps
    row.resize(560, 76)
    row.show()
    return row


def middle(row: steps_row.StepsRow, step: int) -> QPoint:
    return row.boards[step].rect().center()


def menu_of(button: QToolButton) -> QMenu:
    """The menu of a gap, as a click opens it."""
    QTest.mouseClick(button, LEFT)
    return button.findChildren(QMenu)[-1]


def entry(menu: QMenu, words: str) -> QAction:
    return next(action for action in menu.actions() if action.text() == words)


def test_a_drawn_pattern_becomes_the_first_of_two_steps(hand: Hand) -> None:
    hand.write("{Qg2 kh7 wtm year > 1990}")
    assert hand.pointing.steps.isHidden()
    QTest.mouseClick(hand.pointing.chips.step, LEFT)
    assert hand.text == "path {Qg2 kh7 wtm year > 1990} --+ {Qg2 kh7 wtm}"
    row = shown(hand)
    assert len(row.boards) == 2
    assert row.current == 1
    hand.drag("g2", "g3")
    assert hand.text == "path {Qg2 kh7 wtm year > 1990} --+ {Qg3 kh7 wtm}"
    hand.pointing.undo()
    hand.pointing.undo()
    assert hand.text == "{Qg2 kh7 wtm year > 1990}"
    assert hand.pointing.steps.isHidden()


def test_in_a_game_a_step_takes_the_men_where_they_stand_now(hand: Hand) -> None:
    hand.pointing.set_active(False)
    hand.board.set_position(position.Position.from_fen("8/7k/8/8/8/8/6Q1/K7 b - - 0 1"))
    hand.write("{Qg2 kh7}")
    hand.pointing.add_step()
    assert hand.text == "{Qg2 kh7}", "it stands there: that is the first step"
    assert hand.pointing.notice.text().startswith("This is a step")
    hand.board.set_position(position.Position.from_fen("7k/8/8/8/8/6Q1/8/K7 b - - 0 1"))
    hand.pointing.add_step()
    assert hand.text == "path {Qg2 kh7} --+ {Qg3 kh8}"
    assert hand.pointing.notice.text() == "Step 2: Qg3 kh8"
    assert hand.pointing.steps.isHidden(), "the board shows the game"


@pytest.mark.parametrize(
    ("pattern", "fen", "taken", "lost"),
    [
        ("Nf3 ke8", "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nf3 ke8", 0),
        ("Nf3 ke8", "3k4/8/8/8/3N4/8/8/1N2K3 w - - 0 1", "kd8", 1),
        ("Nf3 Nb1", "3k4/8/8/8/3N4/8/8/1N2K3 w - - 0 1", "Nd4 Nb1", 0),
        ("Qd1 not Ra1 [QR]h1", "3k4/8/8/8/8/8/8/4K3 w - - 0 1", "", 3),
    ],
)
def test_men_that_cannot_be_told_apart_are_left_out(pattern: str, fen: str, taken: str, lost: int) -> None:
    drawn = reading.pattern_at(pattern, 0) or marks.Pattern()
    found = deeds.snapshot(drawn, position.Position.from_fen(fen))
    assert found == (reading.pattern_at(taken, 0), lost)


def test_nothing_drawn_is_no_step(hand: Hand) -> None:
    hand.pointing.add_step()
    assert hand.text == ""
    assert hand.pointing.notice.text().startswith("Draw the first step")


def test_a_click_on_a_board_shows_that_step_above(hand: Hand) -> None:
    hand.write(PATH)
    row = shown(hand)
    assert row.current == -1
    QTest.mouseClick(row.boards[1], LEFT)
    assert row.current == 1
    assert "on the board" in row.boards[1].accessibleName()
    hand.take(1 << men.WK)
    hand.click("a1")
    assert hand.text == "path {Qg2 kh7} --+ {Qg3 kh8 Ka1} -- {Qf4}"


def test_a_step_without_braces_is_not_drawn_and_the_row_says_why(hand: Hand) -> None:
    hand.write("path Nf5 -- {kg8}")
    row = shown(hand)
    QTest.mouseClick(row.boards[0], LEFT)
    assert row.current == -1
    assert hand.pointing.notice.text().startswith("Write braces round this step")
    QTest.mouseClick(row.boards[1], LEFT)
    assert row.current == 1


def test_a_drag_and_keys_change_the_order(hand: Hand) -> None:
    hand.write(PATH)
    row = shown(hand)
    first, last = row.boards[0], row.boards[2]
    QTest.mousePress(last, LEFT, PLAIN, middle(row, 2))
    QTest.mouseMove(last, last.mapFrom(row, first.mapTo(row, QPoint(2, 20))))
    QTest.mouseRelease(last, LEFT, PLAIN, last.mapFrom(row, first.mapTo(row, QPoint(2, 20))))
    assert hand.text == "path {Qf4} --+ {Qg2 kh7} -- {Qg3 kh8}"
    assert row.current == 0
    row.boards[0].setFocus()
    QTest.keyClick(row.boards[0], Qt.Key.Key_Right, ALT)
    assert hand.text == "path {Qg2 kh7} --+ {Qf4} -- {Qg3 kh8}"
    QTest.keyClick(row.boards[1], Qt.Key.Key_Delete)
    assert hand.text == "path {Qg2 kh7} -- {Qg3 kh8}"
    hand.pointing.undo()
    assert len(row.boards) == 3


def test_the_gap_between_two_steps_is_chosen_in_its_menu(hand: Hand) -> None:
    hand.write(PATH)
    row = shown(hand)
    assert [gap.text().replace("\n", " ") for gap in row.gaps] == ["→ later ▾", "→ next move ▾"]
    menu = menu_of(row.gaps[0])
    assert entry(menu, "Any time later").isChecked()
    entry(menu, "Next move").trigger()
    assert hand.text == "path {Qg2 kh7} -- {Qg3 kh8} -- {Qf4}"
    menu = menu_of(row.gaps[1])
    menu.findChildren(QSpinBox)[0].setValue(4)
    QTest.mouseClick(menu.findChildren(QPushButton)[0], LEFT)
    assert hand.text == "path {Qg2 kh7} -- {Qg3 kh8} --{1,4} {Qf4}"
    assert not menu.isVisible()


def test_the_same_steps_are_a_path_or_find_within_find(hand: Hand) -> None:
    hand.write("path {Qg2} --+ {Qg3}")
    row = shown(hand)
    QTest.mouseClick(row.forms["find"], LEFT)
    assert hand.text == "{Qg2 find {Qg3}}"
    assert row.forms["find"].isChecked()
    assert not row.gaps[0].isEnabled()
    assert hand.pointing.chips.others == "", "what it finds is the next step"
    QTest.mouseClick(row.forms["path"], LEFT)
    assert hand.text == "{path {Qg2} --+ {Qg3}}"


def test_while_the_text_has_errors_the_row_stays_and_does_nothing(hand: Hand) -> None:
    hand.write(PATH)
    row = shown(hand)
    hand.write(PATH[:-1])
    assert not row.isHidden()
    assert not row.isEnabled()
    hand.pointing.add_step()
    assert hand.text == PATH[:-1]


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (steps.NEXT_MOVE, "next move"),
        (steps.ANY_TIME, "later"),
        (steps.Gap(0, None), "now or later"),
        (steps.Gap(1, 6), "within 6 plies"),
        (steps.Gap(3, 3), "3 plies later"),
        (steps.Gap(3, 5), "3-5 plies"),
        (steps.Gap(4, None), "4 plies or later"),
    ],
)
def test_each_gap_has_words_of_its_own(gap: steps.Gap, words: str) -> None:
    assert steps_row.gap_words(gap).replace("\n", " ") == words


def test_an_arrow_that_is_clicked_again_asks_what_else_it_means(hand: Hand) -> None:
    hand.write("{Ra1 ka8 Ra1 attacks ka8}")
    hand.click("a4")
    assert hand.pointing.menu is None
    hand.click("a4")
    menu = hand.pointing.menu
    assert menu is not None
    assert entry(menu, "Attacks").isChecked()
    entry(menu, "On the same file").trigger()
    menu.close()
    assert hand.pointing.pattern.arrows == (marks.Arrow(marks.Relation.FILE, 0, 1),)
    hand.key(Qt.Key.Key_Return)
    menu = hand.pointing.menu
    assert menu is not None
    entry(menu, "Remove").trigger()
    menu.close()
    assert hand.text == "{Ra1 ka8}"


def test_enter_means_the_selected_arrow_wherever_the_pointer_is(hand: Hand) -> None:
    hand.write("{Ra1 ka8 Ra1 attacks ka8}")
    hand.click("a4")
    QApplication.sendEvent(hand.board, QEvent(QEvent.Type.Leave))
    hand.key(Qt.Key.Key_Return)
    menu = hand.pointing.menu
    assert menu is not None
    menu.close()


def test_the_arrow_that_was_selected_is_removed_wherever_it_stands_now(hand: Hand) -> None:
    hand.write("{Ra1 ka8 Ra1 attacks ka8}")
    hand.click("a4")
    hand.write("{Qd1 attacks kd8 Ra1 ka8 Ra1 attacks ka8}")
    hand.key(Qt.Key.Key_Delete)
    assert hand.text == "{Qd1 attacks kd8 Ra1 ka8}"


def test_each_of_two_equal_steps_is_the_current_one_when_chosen(hand: Hand) -> None:
    hand.write("{Nf5}")
    QTest.mouseClick(hand.pointing.chips.step, LEFT)
    assert hand.text == "path {Nf5} --+ {Nf5}"
    row = shown(hand)
    assert row.current == 1
    QTest.mouseClick(row.boards[0], LEFT)
    assert row.current == 0


def test_a_step_that_is_made_again_is_drawn_again(hand: Hand) -> None:
    hand.write("{Nf5}")
    QTest.mouseClick(hand.pointing.chips.step, LEFT)
    hand.pointing.undo()
    hand.pointing.redo()
    assert shown(hand).current == 1
    hand.take(1 << men.WN)
    hand.click("c6")
    assert hand.text == "path {Nf5} --+ {Nf5 Nc6}"


@pytest.mark.parametrize("text", ["elo white > 2500", 'player white "Carlsen"', "movenumber > 600"])
def test_a_chip_whose_fields_cannot_show_its_filter_leaves_it(hand: Hand, text: str) -> None:
    hand.write(f"{{Nf5 {text}}}")
    (condition,) = hand.pointing.pattern.conditions
    hand.pointing.chips._open(condition.kind)
    (popover,) = hand.pointing.chips.findChildren(chips.Popover)
    QTest.keyClick(popover, Qt.Key.Key_Return)
    assert hand.text == f"{{Nf5 {text}}}"


def test_a_gesture_that_is_made_again_draws_the_group_that_it_changed(hand: Hand) -> None:
    hand.write("{Nf5} {kg8}", 2)
    hand.drag("f5", "h5")
    hand.editor.edit.select(10, 10)
    hand.drag("g8", "g7")
    hand.drag("g7", "g8")
    for _ in range(3):
        hand.pointing.undo()
    hand.pointing.redo()
    assert hand.text == "{Nh5} {kg8}"
    hand.take(1 << men.WB)
    hand.click("c6")
    assert hand.text == "{Nh5 Bc6} {kg8}"
