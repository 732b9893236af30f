"""Clicks, drags and keys on the board become the query's text, and the text becomes marks."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cqlgui.board import men, squares
from cqlgui.pattern import marks
from cqlgui.ui.pointing import conditions, controller, tools
from tests.ui.pointing.conftest import LEFT, RIGHT, Hand

N, B, K = 1 << men.WN, 1 << men.WB, 1 << men.BK
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def test_two_clicks_with_two_tools_are_a_group_of_two_marks(hand: Hand) -> None:
    hand.take(N)
    hand.click("f5")
    hand.take(K)
    hand.click("g8")
    assert hand.text == "{Nf5 kg8}"


def test_another_man_takes_the_place_of_the_one_that_is_marked(hand: Hand) -> None:
    hand.write("{ Nf5  /* here */ kg8 }")
    hand.take(B)
    hand.click("f5")
    assert hand.text == "{ Bf5  /* here */ kg8 }"


def test_with_control_another_kind_of_man_joins_the_mark(hand: Hand) -> None:
    hand.take(N)
    hand.click("f5")
    hand.take(B)
    hand.click("f5", held=CONTROL)
    assert hand.text == "{[BN]f5}"


def test_a_drag_moves_a_mark_and_off_the_board_removes_it(hand: Hand) -> None:
    hand.write("{Nf5 kg8}")
    hand.drag("f5", "d4")
    assert hand.text == "{Nd4 kg8}"
    hand.drag("d4", "")
    assert hand.text == "{kg8}"


def test_a_right_click_and_the_eraser_remove_a_mark(hand: Hand) -> None:
    hand.write("{Nf5 kg8 Ra1}")
    hand.click("f5", RIGHT)
    assert hand.text == "{kg8 Ra1}"
    QTest.mouseClick(hand.pointing.palette.button(tools.ERASER), LEFT)
    hand.click("a1")
    assert hand.text == "{kg8}"


def test_the_eraser_is_drawn_over_marks(hand: Hand) -> None:
    hand.write("{Nf5 kg8 Ra1 Bd1 Qh1}")
    QTest.mouseClick(hand.pointing.palette.button(tools.ERASER), LEFT)
    hand.drag("a1", "f1")
    assert hand.text == "{Nf5 kg8 Qh1}"
    hand.drag("e8", "h8")
    assert hand.text == "{Nf5 Qh1}"
    hand.drag("h1", "")
    assert hand.text == "{Nf5}"
    QTest.mousePress(hand.board, LEFT, pos=hand.place("e5"))
    for name in ("f5", "e5"):
        QTest.mouseMove(hand.board, hand.place(name))
    QTest.mouseRelease(hand.board, LEFT, pos=hand.place("e5"))
    assert "Nf5" not in hand.text


def test_the_pointer_takes_a_man_of_the_game_and_selects_a_mark(hand: Hand) -> None:
    hand.click("e1")
    assert hand.text == "{Ke1}"
    hand.click("a5")
    assert hand.pointing.selected == -1
    hand.click("e1")
    assert hand.pointing.selected == 0
    assert hand.text == "{Ke1}"


def test_the_wheel_goes_up_and_down_the_ladder_and_remembers_where_it_began(hand: Hand) -> None:
    hand.write("{Nf5}")
    seen = []
    for _ in range(6):
        hand.turn("f5", 1)
        seen.append(hand.text)
    assert seen == ["{[BN]f5}", "{Af5}", "{Nf4-6}", "{Nf1-8}", "{Ne-g4-6}", "{N}"]
    hand.turn("f5", -6)
    assert hand.text == "{Nf5}"


def test_beside_the_marks_the_wheel_steps_through_the_game(hand: Hand) -> None:
    hand.write("{Nf5}")
    steps: list[int] = []
    hand.board.stepped.connect(steps.append)
    hand.turn("a4", -1)
    assert steps == [1]
    assert hand.text == "{Nf5}"


def test_space_goes_round_the_roles_and_remembers_the_man(hand: Hand) -> None:
    hand.write("{Nf5 kg8}")
    hand.click("f5")
    seen = []
    for _ in range(4):
        hand.key(Qt.Key.Key_Space)
        seen.append(hand.text)
    assert seen == ["{(Nf5) kg8}", "{not Nf5 kg8}", "{_f5 kg8}", "{Nf5 kg8}"]


def test_the_palette_sets_the_role_of_the_selected_mark(hand: Hand) -> None:
    hand.take(N)
    hand.click("f5")
    QTest.mouseClick(hand.pointing.palette._roles[marks.Role.NOT], LEFT)
    assert hand.text == "{not Nf5}"
    assert hand.pointing.palette._roles[marks.Role.NOT].isChecked()


def test_a_lasso_with_shift_asks_for_men_in_an_area(hand: Hand) -> None:
    hand.take(1 << men.WQ | 1 << men.WR)
    hand.drag("a1", "c3", held=SHIFT)
    assert hand.text == "{[QR]a-c1-3}"


def test_a_right_drag_asks_what_an_arrow_means(hand: Hand) -> None:
    hand.write("{Nf5 kg8}")
    hand.drag("f5", "g8", RIGHT)
    menu = hand.pointing.menu
    assert menu is not None
    offered = [action.text() for action in menu.actions()]
    assert "On the same file" not in offered, "they are on different ones"
    next(action for action in menu.actions() if action.text() == "Attacks").trigger()
    menu.close()
    assert hand.text == "{Nf5 kg8 Nf5 attacks kg8}"
    assert hand.pointing.pattern.arrows == (marks.Arrow(marks.Relation.ATTACKS, 0, 1),)


def test_an_arrow_is_selected_by_a_click_on_it_and_deleted_by_key(hand: Hand) -> None:
    hand.write("{Ra1 ka8 Ra1 attacks ka8}")
    hand.click("a4")
    assert hand.pointing.picture.arrow == 0
    hand.key(Qt.Key.Key_Delete)
    assert hand.text == "{Ra1 ka8}"


def test_keys_alone_place_widen_turn_and_remove(hand: Hand) -> None:
    hand.key(Qt.Key.Key_1, Qt.Key.Key_N, Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Return)
    assert hand.text == "{Nf4}"
    hand.key(Qt.Key.Key_Plus)
    assert "[" in hand.text
    hand.key(Qt.Key.Key_Minus, Qt.Key.Key_Space, Qt.Key.Key_Space)
    assert hand.text.startswith("{not N")
    hand.key(Qt.Key.Key_Delete)
    assert hand.pointing.pattern.marks == ()
    hand.key(Qt.Key.Key_2, Qt.Key.Key_K, Qt.Key.Key_Return)
    assert [mark.men for mark in hand.pointing.pattern.marks] == [K]


def test_escape_leaves_the_tool_but_never_the_mode(hand: Hand) -> None:
    hand.take(N)
    hand.key(Qt.Key.Key_Escape)
    assert hand.pointing.palette.tool.points
    hand.key(Qt.Key.Key_Escape)
    assert hand.pointing.active
    hand.pointing.toggle()
    assert hand.board.layer is None


def test_undo_and_redo_are_one_step_a_gesture(hand: Hand) -> None:
    hand.take(N)
    hand.click("f5")
    hand.click("d5")
    hand.pointing.undo()
    assert hand.text == "{Nf5}"
    assert len(hand.pointing.picture.pattern.marks) == 1
    hand.pointing.redo()
    assert hand.text == "{Nf5 Nd5}"
    hand.pointing.undo()
    hand.pointing.undo()
    assert hand.text == ""


def test_in_game_mode_control_takes_men_of_the_game_as_one_step(hand: Hand) -> None:
    hand.pointing.set_active(False)
    hand.click("e1")
    assert hand.text == ""
    hand.click("e1", held=CONTROL)
    assert hand.text == "{Ke1}"
    hand.drag("a2", "c2", held=CONTROL)
    assert hand.text == "{Ke1 Pa2 Pb2 Pc2}"
    assert hand.pointing.notice.text() == "3 men taken into the pattern"
    QTest.mouseClick(hand.pointing.notice.undo, LEFT)
    assert hand.text == "{Ke1}"
    hand.click("e5", held=CONTROL)
    assert hand.text == "{Ke1}"


def test_space_passes_over_a_role_that_a_mark_cannot_have(hand: Hand) -> None:
    hand.write("path {-- kg8}")
    hand.editor.edit.select(9, 9)
    hand.click("g8")
    hand.key(Qt.Key.Key_Space)
    assert hand.text == "path {-- not kg8}"


def test_what_was_said_of_a_change_goes_with_the_next_one(hand: Hand) -> None:
    hand.write("{Nf5 kg8}")
    QTest.mouseClick(hand.pointing.palette.clear, LEFT)
    assert hand.pointing.notice.text() == "The pattern is empty"
    hand.take(B)
    hand.click("a1")
    assert hand.pointing.notice.text() == ""


def test_marks_follow_what_is_typed(hand: Hand, qtbot: QtBot) -> None:
    hand.write("{Nf5}")
    hand.editor.edit.select(3, 4)
    QTest.keyClicks(hand.editor.edit, "6")
    wanted = (marks.Mark(N, squares.BIT[squares.parse_square("f6")]),)
    # On a slow machine they wait for the editor's check.
    qtbot.waitUntil(lambda: hand.pointing.picture.pattern.marks == wanted)


def test_a_text_with_errors_is_greyed_and_left_alone(hand: Hand) -> None:
    hand.write("{Nf5 kg8}")
    hand.write("{Nf5 kg8")
    assert hand.pointing.picture.greyed
    hand.take(B)
    hand.click("a1")
    hand.click("f5", RIGHT)
    assert hand.text == "{Nf5 kg8"
    assert hand.pointing.notice.text().startswith("Mend the query first")
    hand.write("{Nf5 kg8}")
    assert not hand.pointing.picture.greyed


def test_what_marks_cannot_say_is_counted_and_kept(hand: Hand) -> None:
    hand.write("{Nf5 mainline // as played\n terminal}")
    assert hand.pointing.chips.others == "+2 conditions in the text"
    hand.take(K)
    hand.click("g8")
    assert hand.text == "{Nf5 kg8 mainline // as played\n terminal}"


def test_an_impossible_mark_says_why(hand: Hand) -> None:
    hand.take(1 << men.WP)
    hand.click("e8")
    assert hand.text == "{Pe8}"
    assert "pawn" in hand.pointing.picture.faults[0]
    assert hand.pointing.picture.alert


def test_a_turned_board_takes_the_squares_that_are_shown(hand: Hand) -> None:
    hand.board.set_turned(True)
    hand.take(N)
    hand.click("f5")
    assert hand.text == "{Nf5}"


def test_a_chip_asks_and_its_cross_takes_back(hand: Hand) -> None:
    hand.write("{Nf5}")
    hand.pointing.chips.show()
    QTest.mouseClick(hand.pointing.chips.chip("mate"), LEFT)
    assert hand.text == "{Nf5 mate}"
    chip = hand.pointing.chips.chip("mate")
    QTest.mouseClick(chip, LEFT, Qt.KeyboardModifier.NoModifier, chip.rect().center() + _end(chip.width()))
    assert hand.text == "{Nf5}"
    menu = hand.pointing.chips.menu_of("turn")
    assert menu is not None
    menu.actions()[1].trigger()
    assert hand.text == "{Nf5 btm}"


@pytest.mark.parametrize("kind", conditions.KINDS)
def test_every_condition_that_can_be_chosen_comes_back_as_a_chip(
    hand: Hand, kind: marks.ConditionKind
) -> None:
    asked = [text for _words, text in conditions.CHOICES.get(kind, ())]
    if kind in conditions.RANGES:
        asked += filter(None, (conditions.between(kind, *ends) for ends in _ENDS))
    if kind == "player":
        asked.append(conditions.player("Short, Nigel") or "")
    assert asked
    for text in asked:
        hand.write("{Nf5}", 1)
        hand.pointing.chips.wanted.emit(kind, text)
        assert hand.pointing.pattern.conditions == (marks.Condition(kind, text),)
        assert hand.pointing.pattern.others == ()
        if kind in conditions.RANGES:
            assert conditions.between(kind, *(conditions.bounds(kind, text) or ())) == text
        assert conditions.words(kind, text) != text or kind in ("check", "mate", "stalemate")


_ENDS = ((1990, 2000), (1990, None), (None, 2000), (1995, 1995))


def _end(width: int) -> QPoint:
    """From the middle of a chip to its cross."""
    return QPoint(width // 2 - 8, 0)


_MEN = st.sampled_from([1 << man for man in range(1, 13)] + [men.EMPTY_MASK, men.WHITE_MASK, men.MAN_MASK])
_CLICKS = st.lists(st.tuples(st.integers(0, 63), _MEN, st.booleans()), max_size=8)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(clicks=_CLICKS, others=st.sampled_from(["", "check", "{Ra1 /* rook */ }", "flipcolor { Ra1\nkh8 }"]))
def test_any_clicks_give_their_marks_and_undo_gives_text_and_marks_back(
    hand: Hand, clicks: list[tuple[int, int, bool]], others: str
) -> None:
    hand.pointing.set_active(True)
    hand.write(others, 3 if others else 0)
    begun = hand.text, hand.pointing.pattern
    wanted = {mark.squares: mark.men for mark in begun[1].marks}
    states = [begun]
    for square, mask, removes in clicks:
        name = squares.square_name(square)
        hand.take(mask)
        hand.click(name, RIGHT if removes else LEFT)
        board = squares.BIT[square]
        if removes:
            wanted.pop(board, None)
        else:
            wanted[board] = mask
        found = hand.pointing.pattern
        assert {mark.squares: mark.men for mark in found.marks} == wanted, hand.text
        assert len(found.marks) == len(wanted)
        if states[-1][0] != hand.text:
            states.append((hand.text, found))
    for text, found in reversed(states):
        assert (hand.text, hand.pointing.pattern) == (text, found)
        if text != begun[0]:
            hand.pointing.undo()


def test_a_man_is_dragged_from_the_palette(hand: Hand) -> None:
    board, button = hand.board, hand.pointing.palette.button(tools.of_man(men.WN))
    target = board.mapToGlobal(board.frame().square(squares.parse_square("f5")).center().toPoint())
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton, pos=button.mapFromGlobal(target))
    assert hand.text == "{Nf5}"
    assert hand.pointing.palette.tool.points, "the next click does what it did before"


def test_marks_stay_greyed_whatever_is_pressed_while_the_text_has_errors(hand: Hand) -> None:
    hand.write("{Nf5 kg8}")
    hand.write("{foo( Nf5 kg8}")
    hand.key(Qt.Key.Key_Escape)
    hand.click("f5")
    assert hand.pointing.picture.greyed
    hand.key(Qt.Key.Key_Space, Qt.Key.Key_Delete)
    hand.drag("f5", "e5")
    assert hand.text == "{foo( Nf5 kg8}"


def test_a_gesture_means_the_text_as_it_is(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every text takes long, so that marks wait for the editor's check.
    monkeypatch.setattr(controller, "_SLOW", -1.0)
    hand.write("{Nf5 kg8}")
    hand.editor.edit.replace(1, 1, "Ra1 ")
    hand.click("g8", RIGHT)
    assert hand.text == "{Ra1 Nf5}"


def test_the_end_of_the_ladder_and_men_of_the_game_are_told(hand: Hand) -> None:
    told: list[str] = []
    hand.pointing.said.connect(lambda words, _undoable: told.append(words))
    hand.write("{Nf5}")
    hand.pointing._widen(37, -1)
    assert told == ["This is as narrow as it goes"]
    for _ in range(9):
        hand.pointing._widen(37, 1)
    assert told[-1] == "This is as wide as it goes"
    hand.write("{Nf5}")
    assert hand.pointing._tip(4).startswith("Of the game")
    assert not hand.pointing._tip(28)


def test_a_count_at_a_mark_goes_with_the_next_change(hand: Hand) -> None:
    hand.write("{Nf5 kg8}")
    hand.pointing._widen(37, 1)
    hand.pointing.set_count("12 games")
    assert hand.pointing._picture.count == "12 games"
    hand.pointing._remove(62, QPointF(0, 0))
    assert not hand.pointing._picture.count
    assert hand.pointing._picture.counted < 0


def test_escape_leaves_what_is_dragged_where_it_was(hand: Hand) -> None:
    hand.write("{Nf5}")
    start, end = hand.place("f5"), hand.place("d5")
    QTest.mousePress(hand.board, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(hand.board, end)
    assert hand.pointing.picture.held[0]
    hand.key(Qt.Key.Key_Escape)
    assert not hand.pointing.picture.held[0]
    QTest.mouseRelease(hand.board, Qt.MouseButton.LeftButton, pos=end)
    assert hand.text == "{Nf5}"
    hand.drag("f5", "d5")
    assert hand.text == "{Nd5}"


def test_what_is_dragged_from_the_palette_is_seen_and_leaves_no_tool(hand: Hand) -> None:
    hand.take(1 << men.BK)
    board, button = hand.board, hand.pointing.palette.button(tools.of_man(men.WN))
    square = squares.parse_square("f7")
    target = button.mapFromGlobal(board.mapToGlobal(board.frame().square(square).center().toPoint()))
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    QTest.mouseMove(button, target)
    assert hand.pointing.picture.held == (1 << men.WN, square)
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton, pos=target)
    assert hand.text == "{Nf7}"
    assert not hand.pointing.picture.held[0]
    assert hand.pointing.palette.tool.points
