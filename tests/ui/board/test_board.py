"""The painted board: what stands where is found in its pixels."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cqlgui.board import position, squares
from cqlgui.ui.board import painting, widget
from cqlgui.ui.look import theme
from cqlgui.ui.loop import turns

E4, D5, A1, H8 = (squares.parse_square(name) for name in ("e4", "d5", "a1", "h8"))


@pytest.fixture
def board(qtbot: QtBot) -> widget.BoardWidget:
    theme.theme().apply(theme.Choice.LIGHT)
    made = widget.BoardWidget()
    qtbot.addWidget(made)
    made.resize(404, 432)
    made.show()
    return made


def picture(board: widget.BoardWidget) -> QImage:
    return board.grab().toImage()


def share(image: QImage, board: widget.BoardWidget, square: int, role: str) -> float:
    """The share of a square's pixels that have a colour of the theme."""
    box = board.frame().square(square).toRect()
    wanted = theme.colours().colour(role).rgb()
    points = [(x, y) for x in range(box.left(), box.right()) for y in range(box.top(), box.bottom())]
    return sum(image.pixel(x, y) == wanted for x, y in points) / len(points)


def test_squares_are_whole_pixels_and_light_at_h1(board: widget.BoardWidget) -> None:
    board.set_coordinates(False)
    image = picture(board)
    assert board.frame().cell == 50
    for square in range(64):
        light = bool(squares.LIGHT >> square & 1)
        assert share(image, board, square, "light_square" if light else "dark_square") == 1.0
    assert squares.LIGHT >> squares.parse_square("h1") & 1


def test_rings_are_drawn_on_their_squares_and_nowhere_else(board: widget.BoardWidget) -> None:
    board.set_coordinates(False)
    board.set_marks(rings=squares.BIT[E4] | squares.BIT[H8])
    image = picture(board)
    ringed = {square for square in range(64) if share(image, board, square, "ring") > 0.01}
    assert ringed == {E4, H8}
    # A ring is a shape: it leaves the middle of its square alone.
    middle = board.frame().square(E4).center().toPoint()
    assert image.pixelColor(middle) == theme.colours().colour("light_square")


@pytest.mark.parametrize("choice", [theme.Choice.LIGHT, theme.Choice.DARK])
def test_a_large_set_is_tinted_and_not_ringed(board: widget.BoardWidget, choice: theme.Choice) -> None:
    theme.theme().apply(choice)
    board.set_coordinates(False)
    plain = picture(board)
    few = sum(squares.BIT[square] for square in range(8))
    board.set_marks(rings=few)
    assert all(share(picture(board), board, square, "ring") > 0.01 for square in range(8))
    board.set_marks(rings=few | squares.BIT[E4])
    image = picture(board)
    for square in range(64):
        assert share(image, board, square, "ring") == 0.0
        middle = board.frame().square(square).center().toPoint()
        changed = image.pixelColor(middle) != plain.pixelColor(middle)
        assert changed == (square < 8 or square == E4)
    theme.theme().apply(theme.Choice.LIGHT)


def test_squares_that_the_query_names_are_ringed_beside_a_large_set(board: widget.BoardWidget) -> None:
    board.set_coordinates(False)
    large = squares.RANKS[0] | squares.RANKS[1]
    board.set_marks(rings=large | squares.BIT[E4], few=squares.BIT[E4] | squares.BIT[A1])
    image = picture(board)
    ringed = {square for square in range(64) if share(image, board, square, "ring") > 0.01}
    assert ringed == {E4, A1}
    few = squares.RANKS[0] | squares.BIT[E4]
    assert painting.parted(large, few) == (0, large), "what names many squares rings none"


def test_lines_keep_to_the_board(board: widget.BoardWidget) -> None:
    board.set_coordinates(False)
    plain = picture(board)
    # On the edge many lines bow out further and further.
    a_file = [(square, 56) for square in range(0, 56, 8)] + [(56, square) for square in range(0, 56, 8)]
    board.set_marks(lines=[*a_file, (0, 64), (-1, 5), (3, 3)])
    image = picture(board)
    inside = board.frame().rect.toRect().adjusted(-1, -1, 1, 1)
    outside = [
        (x, y)
        for x in range(image.width())
        for y in range(image.height())
        if not inside.contains(x, y) and image.pixel(x, y) != plain.pixel(x, y)
    ]
    assert outside == []
    assert image != plain


def test_a_turned_board_shows_the_same_squares_elsewhere(board: widget.BoardWidget, qtbot: QtBot) -> None:
    before = board.frame().square(A1).center()
    with qtbot.waitSignal(board.turned_changed) as caught:
        board.set_turned(True)
    assert caught.args == [True]
    assert board.frame().square(H8).center() == before
    assert board.frame().at(before) == H8
    board.set_marks(rings=squares.BIT[E4])
    image = picture(board)
    assert share(image, board, E4, "ring") > 0.01
    assert share(image, board, D5, "ring") == 0.0


@pytest.mark.parametrize("turned", [False, True])
def test_every_point_of_a_square_belongs_to_it(turned: bool) -> None:
    frame = painting.Frame(10, 20, 30, turned)
    for square in range(64):
        box = frame.square(square)
        assert frame.at(box.topLeft()) == frame.at(box.bottomRight() - QPointF(1, 1)) == square
    assert frame.at(QPointF(9, 25)) == frame.at(QPointF(250.5, 25)) == squares.NONE


def test_men_stand_on_their_squares(board: widget.BoardWidget) -> None:
    board.set_coordinates(False)
    empty = picture(board)
    board.set_position(position.Position.from_fen("8/8/8/3k4/4P3/8/8/K7 w - - 0 1"))
    image = picture(board)
    changed = {
        square
        for square in range(64)
        if image.copy(board.frame().square(square).toRect())
        != empty.copy(board.frame().square(square).toRect())
    }
    assert changed == {E4, D5, A1}
    box = board.frame().square(E4).toRect()
    assert any(
        image.pixelColor(x, y) == QColor("#ffffff")
        for x in range(box.left(), box.right())
        for y in range(box.top(), box.bottom())
    )


def test_the_last_move_marks_origin_and_target_differently(board: widget.BoardWidget) -> None:
    board.set_coordinates(False)
    board.set_position(None, (squares.parse_square("e2"), E4))
    image = picture(board)
    middle = {square: board.frame().square(square).center().toPoint() for square in (E4, 12)}
    assert image.pixel(middle[E4]) != image.pixel(middle[12])
    corner = board.frame().square(12).topLeft().toPoint() + QPoint(2, 8)
    assert image.pixel(corner) != image.pixel(middle[12])


def test_the_badge_stands_above_the_board_and_hides_nothing(board: widget.BoardWidget) -> None:
    plain = picture(board)
    board.set_marks(badge=("colours swapped", "<flipcolor>"))
    image = picture(board)
    squares_only = board.frame().rect.toRect()
    assert image.copy(squares_only) == plain.copy(squares_only)
    above = image.copy(0, 0, image.width(), squares_only.top() - 2)
    assert above != plain.copy(0, 0, image.width(), squares_only.top() - 2)
    assert board.badge == ("colours swapped", "<flipcolor>")


def test_lines_lead_from_the_querys_square_to_its_image(board: widget.BoardWidget) -> None:
    board.set_coordinates(False)
    board.set_marks(lines=((A1, H8), (E4, E4)))
    image = picture(board)
    touched = {square for square in range(64) if share(image, board, square, "line") > 0.0}
    assert {A1, H8, squares.parse_square("c3")} <= touched
    assert touched <= {square for square in range(64) if squares.file_of(square) == squares.rank_of(square)}


def test_a_ghost_takes_the_place_of_the_marks_until_it_goes(board: widget.BoardWidget) -> None:
    board.set_marks(rings=squares.BIT[E4])
    before = picture(board)
    board.set_ghost([], squares.BIT[D5], ("mirrored", "<reflect_v>"))
    assert share(picture(board), board, E4, "ring") == 0.0
    board.set_ghost(None)
    assert picture(board) == before


def test_it_is_crisp_at_any_size(board: widget.BoardWidget) -> None:
    for width, height in ((200, 200), (333, 700), (1201, 900)):
        board.resize(width, height)
        frame = board.frame()
        assert frame.cell == int(frame.cell)
        assert frame.left >= 0
        assert frame.top >= painting.BADGE_ROOM or height < 240
        assert frame.rect.right() <= width
        assert frame.rect.bottom() <= height


def test_changes_are_drawn_once_when_their_turn_comes(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    theme.theme().apply(theme.Choice.LIGHT)
    asked: list[turns.Call] = []
    board = widget.BoardWidget(later=asked.append)
    qtbot.addWidget(board)
    board.resize(404, 432)
    board.show()
    empty = picture(board)
    drawn: list[int] = []
    draw = painting.draw_men
    monkeypatch.setattr(painting, "draw_men", lambda *given: (drawn.append(1), draw(*given)))
    asked.clear()
    board.set_position(position.Position.start(), (D5, E4))
    board.set_marks(rings=squares.BIT[E4])
    assert len(asked) == 1
    assert picture(board) == empty, "what was drawn last is shown meanwhile"
    asked.pop()()
    assert drawn == [1], "before the repaint asks for it"
    full = picture(board)
    assert drawn == [1]
    assert share(full, board, E4, "ring") > 0.01
    board.set_marks()
    board.resize(440, 470)
    assert share(picture(board), board, E4, "ring") == 0.0, "another size is drawn with all that has changed"


def test_the_copied_picture_has_the_size_asked_for(board: widget.BoardWidget) -> None:
    board.set_position(position.Position.start())
    board.set_marks(rings=squares.BIT[E4], badge=("as written", "<>"))
    taken = board.picture(360)
    assert (taken.width(), taken.height()) == (360, 360)
    assert taken.toImage() != widget.BoardWidget().picture(360).toImage()


def test_keys_and_wheel_step_through_the_game(board: widget.BoardWidget, qtbot: QtBot) -> None:
    seen: list[tuple[str, int]] = []
    board.stepped.connect(lambda by: seen.append(("step", by)))
    board.jumped.connect(lambda to: seen.append(("jump", to)))
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
        QTest.keyClick(board, key)
    assert seen == [("step", -1), ("step", 1), ("jump", -1), ("jump", 1)]


def test_a_reader_is_told_who_stands_where(board: widget.BoardWidget) -> None:
    board.set_position(position.Position.from_fen("8/8/8/3k4/4P3/8/8/K7 b - - 0 1"))
    board.describe("hit 3 of 7, colours swapped")
    text = board.accessibleDescription()
    assert text.startswith("hit 3 of 7, colours swapped. Black to move.")
    assert "king a1, pawn e4" in text
    assert widget.spoken(None) == "Empty board"


def test_lines_on_one_straight_bow_to_either_side_and_others_run_straight() -> None:
    def pair(text: str) -> tuple[int, int]:
        return squares.parse_square(text[:2]), squares.parse_square(text[2:])

    assert painting.bows([pair("h7h2"), pair("h8h1")]) == [1, -1]
    assert painting.bows([pair("a1h8"), pair("g7b2"), pair("a2g8"), pair("b1b8")]) == [1, -1, 0, 0]
    assert painting.bows([pair("a4h4"), pair("h4a4"), pair("c4d4")]) == [1, -1, 2]
    assert painting.bows([pair("a1b2"), pair("a2b1")]) == [0, 0], "they cross in one point only"
    assert painting.bows([]) == []
