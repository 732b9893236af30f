"""Stories of people who ask by pointing, in the real window with the sample base.

Each ends with pictures of the window in the folder that `CQLGUI_SHOTS` names, where it names one; then the
window is as large as its screen and, with `CQLGUI_DARK`, dark.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from cqlgui.board import men, motions, position, squares
from cqlgui.cql.transforming import geometry
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import searching
from tests.whole.scenario.persons import LEFT, Person

pytestmark = pytest.mark.xvfb


def images_of(shown: position.Position, marks: int) -> set[tuple[int, int]]:
    """The men on the marked squares, with their squares."""
    return {(square, shown.squares[square]) for square in squares.bits(marks)}


def moved(pattern: dict[str, int], motion: motions.Motion) -> set[tuple[int, int]]:
    """Where the men of a pattern stand under a motion, and what has become of them."""
    return {(motion.square(squares.parse_square(name)), motion.man(man)) for name, man in pattern.items()}


def test_a_knight_and_a_king_on_either_wing_for_either_colour_by_mouse_alone(person: Person) -> None:
    main = person.main
    person.press("Pattern")
    person.place("White knight", "f5")
    person.place("Black king", "g8")
    person.look("a1-drawn")
    person.press("Either wing")
    person.press("Either colour")
    person.search_ends()
    assert person.main.hits.games == 71
    assert len(main.pointing.pattern.marks) == 2
    person.look("a2-asked")
    person.click_row(0)
    person.until(person.landed)
    assert not main.pointing.active
    person.look("a3-first-hit")

    pattern = {"f5": men.WN, "g8": men.BK}
    games, seen = set(), set()
    while True:
        board = main.board
        words, transform = board.badge
        motion = geometry.motion(transform)
        assert words
        assert motion is not None
        assert board.position is not None
        assert images_of(board.position, board.rings) == moved(pattern, motion)
        games.add(main.browser.asked)
        if transform not in seen:
            seen.add(transform)
            person.look(f"a4-image-{len(seen)}")
        if main.hits.table.row == main.hits.count - 1:
            break
        row = main.hits.table.row
        person.press("Next hit")
        assert main.hits.table.row == row + 1
        person.until(person.landed)
    assert len(games) == 71
    assert len(seen) == 4


def test_a_smothered_mate_is_drawn_and_found(person: Person) -> None:
    main = person.main
    person.press("Pattern")
    person.place("Black king", "h8")
    person.place("White knight", "f7")
    person.place("Any black man", "g8", "g7", "h7")
    person.ask_for("Mate")
    person.look("b1-drawn")
    person.press("Either colour")
    person.press("Either wing")
    person.search_ends()
    drawn = [squares.square_name(mark.squares.bit_length() - 1) for mark in main.pointing.pattern.marks]
    assert sorted(drawn) == ["f7", "g7", "g8", "h7", "h8"]
    assert main.base is not None
    assert main.result is not None
    plainly = searching.search(main.base, main.editor.text(), search_model.SearchOptions(compiled=False))
    assert list(main.result.games) == list(plainly.games)
    person.click_row(0)
    person.until(person.landed)
    person.look("b2-found")
    players = set()
    for _ in range(main.hits.count):
        assert main.browser.game is not None
        players.add(main.browser.game.row.white)
        assert main.board.position is not None
        assert main.browser.move_text().endswith("#")
        person.press("Next hit")
        person.until(person.landed)
    assert any(name.startswith("Kasparov") for name in players)


def test_the_pawn_skeleton_of_this_position_is_found_with_its_twins(person: Person) -> None:
    main = person.main
    main.board.setFocus()
    for _ in range(8):
        person.key(Qt.Key.Key_Right)
    person.until(lambda: not main.here.busy and "…" not in "".join(main.here_bar.texts()))
    alone = main.here_bar.texts()[1]
    person.here("or mirrored", Qt.Key.Key_4)
    person.until(lambda: not main.here.busy and main.here_bar.texts()[1] != alone)
    figure = int(main.here_bar.texts()[1].split()[1])
    person.look("c1-counted")
    assert main.board.position is not None
    skeleton = [(square, man) for square, man in enumerate(main.board.position.squares) if man in PAWNS]
    person.here("Pawns", Qt.Key.Key_2)
    person.search_ends()
    person.until(person.landed)
    person.look("c2-found")
    assert main.hits.games == figure
    ways = [
        motions.Motion(symmetry=symmetry, swapped=swapped)
        for swapped, symmetry in ((False, 0), (False, 2), (True, 1), (True, 6))
    ]
    twins = [{(way.square(square), way.man(man)) for square, man in skeleton} for way in ways]
    seen = set()
    for row in range(main.hits.count):
        assert main.hits.table.row == row
        assert main.board.position is not None
        there = {(square, man) for square, man in enumerate(main.board.position.squares) if man in PAWNS}
        assert there in twins
        seen.add(twins.index(there))
        if row < main.hits.count - 1:
            person.press("Next hit")
            person.until(person.landed)
    assert len(seen) > 1, "not only the skeleton itself"


def test_text_is_edited_by_hand_while_marks_follow_and_all_is_undone(person: Person) -> None:
    main, edit = person.main, person.main.editor.edit

    def marks() -> list[tuple[int, int]]:
        return [(mark.men, mark.squares) for mark in main.pointing.pattern.marks]

    def mark(man: int, *names: str) -> tuple[int, int]:
        return 1 << man, sum(squares.BIT[squares.parse_square(name)] for name in names)

    person.press("Pattern")
    person.place("White knight", "f5")
    person.place("Black king", "g8")
    drawn = [mark(men.WN, "f5"), mark(men.BK, "g8")]
    assert marks() == drawn

    person.bring(edit)
    QTest.mouseClick(edit.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, QPoint(200, 10))
    assert edit.hasFocus()
    person.key(Qt.Key.Key_Left)
    QTest.keyClicks(edit, " Qh")
    person.until(
        lambda: main.pointing.pattern.others != () or len(marks()) == 3 or main.pointing.picture.greyed
    )
    QTest.keyClicks(edit, "5")
    typed = [*drawn, mark(men.WQ, "h5")]
    person.until(lambda: marks() == typed)
    assert main.pointing.active, "typing leaves the board as it is"
    person.look("e1-typed")

    QTest.keyClicks(edit, " (")
    person.until(lambda: main.pointing.picture.greyed)
    assert marks() == typed, "the last ones stay, greyed"
    person.look("e2-errors")
    person.key(Qt.Key.Key_Backspace)
    person.key(Qt.Key.Key_Backspace)
    person.until(lambda: not main.pointing.picture.greyed)
    person.place("Black pawn", "g7")
    assert mark(men.BP, "g7") in marks()
    person.look("e3-both")

    for _ in range(40):
        if not edit.document().isUndoAvailable():
            break
        person.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert main.editor.text() == ""
    assert marks() == []
    person.look("e4-undone")
    for _ in range(40):
        if not edit.document().isRedoAvailable():
            break
        person.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier)
    assert [*typed, mark(men.BP, "g7")] == marks()


def test_a_thousand_hits_are_walked_by_keys_half_of_them_normalised(person: Person) -> None:
    main = person.main
    person.key(Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert main.editor.edit.hasFocus()
    QTest.keyClicks(main.editor.edit, "flipcolor flipvertical {Nf5 k}")
    person.key(Qt.Key.Key_F5)
    person.search_ends()
    assert main.hits.count >= 1000
    knight = squares.parse_square("f5")
    seen = {False: 0, True: 0}
    person.until(person.landed)
    # The keyboard stays in the text after a search; F6 goes on to the board.
    for _ in range(12):
        if main.board.hasFocus():
            break
        person.key(Qt.Key.Key_F6)
    assert main.board.hasFocus()
    for number in range(1000):
        if number == 500:
            person.look("f1-as-played")
            person.key(Qt.Key.Key_N)
        board = main.board
        normalised = number >= 500
        motion = geometry.motion(board.badge[1])
        assert motion is not None
        assert board.position is not None
        assert main.hits.table.row == number
        frame = motions.STILL if normalised else motion
        assert board.position.squares[frame.square(knight)] == frame.man(men.WN)
        assert board.badge[0].startswith("Normalised") == normalised
        seen[normalised] += 1
        person.key(Qt.Key.Key_F3)
        person.until(person.landed)
    person.look("f2-normalised")
    assert seen == {False: 500, True: 500}


PAWNS = (men.WP, men.BP)
