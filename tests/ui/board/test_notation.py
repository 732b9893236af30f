"""The notation: reading order, marks, clicks, games too long for one go."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.results import base_model
from cqlgui.ui.board import notation
from cqlgui.ui.look import theme

VARIATIONS = """[White "A"]
[Black "B"]
[Result "1-0"]

{Before} 1. e4 $1 e5 {open} (1... c5 2. Nf3 (2. c3 {Alapin}) 2... d6) (1... e6) 2. Nf3 Nc6 1-0
"""

CASTLING = """[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O $1 {well-known} 5. h3 1-0
"""


@pytest.fixture
def view(qtbot: QtBot) -> notation.NotationView:
    theme.theme().apply(theme.Choice.LIGHT)
    made = notation.NotationView()
    qtbot.addWidget(made)
    made.resize(500, 300)
    made.show()
    return made


def load(tmp_path: Path, text: str) -> base_model.LoadedGame:
    path = tmp_path / "a.pgn"
    path.write_text(text)
    return games.load(importing.open_base([path]).base, 1)


def find(view: notation.NotationView, text: str) -> QPoint:
    """A point on a stretch of the notation."""
    start = view.toPlainText().index(text) + 1
    cursor = QTextCursor(view.document())
    cursor.setPosition(start)
    return view.cursorRect(cursor).center()


def shuffled(tmp_path: Path, plies: int) -> base_model.LoadedGame:
    """A game in which knights go to and fro."""
    shuffle = itertools.islice(itertools.cycle(("Nf3", "Nf6", "Ng1", "Ng8")), plies)
    return load(tmp_path, f'[Result "*"]\n\n{" ".join(shuffle)} *\n')


def marked(view: notation.NotationView) -> list[str]:
    """The texts of the extra selections."""
    return [selection.cursor.selectedText() for selection in view.extraSelections()]


def underlined(view: notation.NotationView, place: int) -> bool:
    """Whether a letter has a line under it in the colour of a hit."""
    image = view.viewport().grab().toImage()
    cursor = QTextCursor(view.document())
    cursor.setPosition(place)
    box = view.cursorRect(cursor)
    colour = theme.colours().colour("hit_move").rgb()
    columns = range(box.left() + 1, box.left() + 5)
    rows = range(box.top(), box.bottom() + 1)
    return any(all(image.pixel(x, y) == colour for x in columns) for y in rows)


def test_moves_variations_comments_and_glyphs_stand_in_reading_order(
    view: notation.NotationView, tmp_path: Path
) -> None:
    view.set_game(load(tmp_path, VARIATIONS))
    assert view.toPlainText().split("\n") == [
        "Before 1.e4! e5 open",
        "(1...c5 2.Nf3",
        "(2.c3 Alapin)",
        "2...d6)",
        "(1...e6)",
        "2.Nf3 Nc6 1-0",
    ]
    margins = [view.document().findBlockByNumber(line).blockFormat().leftMargin() for line in range(6)]
    assert 0 == margins[0] == margins[5] < margins[1] == margins[3] == margins[4] < margins[2]
    view.set_figurine(True)
    assert "2.♘f3" in view.toPlainText()
    view.set_game(None)
    assert view.toPlainText() == ""


def test_castling_never_breaks_over_two_lines_and_is_copied_as_it_is_written(
    view: notation.NotationView, tmp_path: Path
) -> None:
    view.set_game(load(tmp_path, CASTLING))
    document = view.document()
    written = "1.e4 e5 2.Nf3 Nf6 3.Bc4 Bc5 4.O-O O-O! well-known 5.h3"
    for width in range(90, 400):
        view.resize(width, 200)
        lines = []
        for number in range(document.blockCount()):
            block = document.findBlockByNumber(number)
            layout = block.layout()
            for place in range(layout.lineCount()):
                line = layout.lineAt(place)
                lines.append(block.text()[line.textStart() : line.textStart() + line.textLength()].strip())
        assert not [line for line in lines if line.endswith("O-") or line.startswith("-") or line == "O"]
    view.selectAll()
    view.copy()
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.text() == f"{written} 1-0"
    assert "O-O!" in copied.html()


def test_lines_are_folded_and_never_scrolled_sideways(view: notation.NotationView) -> None:
    view.set_game(games.load(importing.open_base([resource("sample/sample.pgn")]).base, 83))
    for width in range(100, 500):
        view.resize(width, 300)
        assert not view.horizontalScrollBar().isVisible()


def test_a_click_chooses_the_position_behind_the_move(
    view: notation.NotationView, tmp_path: Path, qtbot: QtBot
) -> None:
    game = load(tmp_path, VARIATIONS)
    view.set_game(game)
    for text, moves in (("2.c3", 3), ("1...e6", 2), ("Nc6 1-0", 4)):
        with qtbot.waitSignal(view.position_chosen) as caught:
            QTest.mouseClick(
                view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, find(view, text)
            )
        assert caught.args is not None
        assert game.tree.plies[caught.args[0]] == moves
    with qtbot.assertNotEmitted(view.position_chosen):
        QTest.mouseClick(
            view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, find(view, "Before")
        )


def test_hits_and_the_current_move_are_marked_without_touching_the_text(
    view: notation.NotationView, tmp_path: Path
) -> None:
    view.set_game(load(tmp_path, VARIATIONS))
    before = view.document().revision()
    view.set_hits([1, 3])
    view.set_current(2)
    assert marked(view) == ["e5"]
    assert not view.extraSelections()[-1].format.fontUnderline()
    words = view.toPlainText()
    hits = [words.rindex(move) for move in ("1.e4!", "2.Nf3")]
    assert [underlined(view, place) for place in hits] == [True, True]
    assert not underlined(view, words.index("e5 open"))
    assert not underlined(view, words.index("Nc6"))
    assert view.document().revision() == before
    view.set_current(3)
    assert view.extraSelections()[-1].format.fontUnderline()
    # What is selected shows as selected.
    view.selectAll()
    assert not underlined(view, hits[0])
    view.set_hits([])
    view.set_current(0)
    assert marked(view) == []
    assert not underlined(view, hits[0])


def test_a_long_game_is_laid_out_in_pieces_and_comes_out_whole(
    view: notation.NotationView, tmp_path: Path, qtbot: QtBot
) -> None:
    shuffle = " ".join(f"{2 * n + 1}. Nf3 Nf6 {2 * n + 2}. Ng1 (2. Nd4 Nd5) Ng8" for n in range(400))
    game = load(tmp_path, f'[Result "*"]\n\n{shuffle} *\n')
    view.set_game(game)
    assert len(view.toPlainText()) < 8_000
    qtbot.waitUntil(lambda: view.toPlainText().endswith("*"))
    whole = " ".join(text for _, text, _ in notation.pieces(game)).replace("( ", "(").replace(" )", ")")
    lines = view.toPlainText().split("\n")
    assert " ".join(lines) == f"{whole} *"
    # Qt lays a paragraph out anew at every change, so none may grow long.
    assert max(map(len, lines)) < 8_000
    assert not any(line.startswith(")") or line.endswith("(") for line in lines)
    view.set_current(notation.end(game.tree, 0))
    assert marked(view) == [whole.split()[-1]]


def test_a_move_far_on_comes_into_view_once_it_is_laid_out(
    view: notation.NotationView, tmp_path: Path, qtbot: QtBot
) -> None:
    view.set_game(shuffled(tmp_path, 800))
    view.set_current(700)
    assert marked(view) == []
    qtbot.waitUntil(lambda: bool(marked(view)))
    assert marked(view) == ["Ng8"]
    shown = view.viewport().rect()
    assert shown.contains(view.cursorRect().center())


def test_only_hits_in_view_are_drawn_as_one_scrolls(
    view: notation.NotationView, tmp_path: Path, qtbot: QtBot
) -> None:
    game = shuffled(tmp_path, 2_000)
    view.set_game(game)
    qtbot.waitUntil(lambda: view.toPlainText().endswith("*"))
    view.set_hits(range(1, 2001))
    first = view.hits_in(view.viewport().rect())
    assert first == list(range(1, len(first) + 1))
    assert 0 < len(first) < 1_000
    upper = view.viewport().rect()
    upper.setHeight(view.cursorRect().height())
    assert view.hits_in(upper) == first[: len(view.hits_in(upper))]
    assert len(view.hits_in(upper)) < len(first) / 4
    end = notation.end(game.tree, 0)
    view.set_current(end)
    last = view.hits_in(view.viewport().rect())
    # The current move is marked as such.
    assert last == list(range(end - len(last), end))
    assert not set(last) & set(first)


def test_a_page_of_hits_takes_no_longer_than_a_page_of_text(
    view: notation.NotationView, tmp_path: Path, qtbot: QtBot
) -> None:
    view.set_game(shuffled(tmp_path, 300))

    def seconds() -> float:
        taken = []
        for _ in range(5):
            begun = time.thread_time()
            view.viewport().repaint()
            taken.append(time.thread_time() - begun)
        return min(taken)

    plain = seconds()
    view.set_hits(range(1, 301))
    assert seconds() < 20 * plain + 0.005


def test_a_deeply_nested_game_needs_no_recursion(tmp_path: Path) -> None:
    depth = 1_200
    text = "1. e4 " + "(1. d4 " * depth + ")" * depth + " e5 *"
    game = load(tmp_path, f'[White "A"]\n\n{text}\n')
    words = [text for _, text, _ in notation.pieces(game)]
    assert words.count("(") == words.count(")")
    assert words[0] == "1.e4"


def test_another_theme_draws_anew_and_keeps_the_place(view: notation.NotationView, tmp_path: Path) -> None:
    view.set_game(load(tmp_path, VARIATIONS))
    view.set_current(2)
    theme.theme().apply(theme.Choice.DARK)
    assert marked(view) == ["e5"]
    assert view.extraSelections()[0].format.background().color() == theme.DARK.colour("current_move")


@pytest.mark.parametrize("change", ["figurines", "colours"])
@pytest.mark.parametrize("plies", [60, 3000])
def test_what_changes_the_look_keeps_view_move_and_selection(
    view: notation.NotationView, tmp_path: Path, qtbot: QtBot, change: str, plies: int
) -> None:
    view.resize(260, 90)
    view.set_game(shuffled(tmp_path, plies))
    qtbot.waitUntil(lambda: not view._timer.isActive())
    view.set_current(plies - 6)
    place = view._spans[plies // 2][0]
    cursor = view.textCursor()
    cursor.setPosition(place)
    cursor.setPosition(place + 7, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    view.ensureCursorVisible()
    assert view.verticalScrollBar().value() > 0
    chosen = cursor.selectedText()

    def seen() -> tuple[int, int]:
        top = view.cursorForPosition(QPoint(0, 0))
        return top.position(), view.cursorRect(top).top()

    before = seen()
    for on in (True, False):
        if change == "figurines":
            view.set_figurine(on)
        else:
            theme.theme().apply(theme.Choice.DARK if on else theme.Choice.LIGHT)
        qtbot.waitUntil(lambda: not view._timer.isActive())
        assert view.textCursor().selectedText().translate(str.maketrans("♘", "N")) == chosen
        after = seen()
        # As wide as a line: letters and figurines differ in width.
        assert abs(after[0] - before[0]) < 30
        assert abs(after[1] - before[1]) < view.fontMetrics().height()
        assert [mark.cursor.selectionStart() for mark in view.extraSelections()] == [
            view._spans[plies - 6][0]
        ]


def test_a_game_without_variations_is_shown_as_a_score_sheet(
    view: notation.NotationView, tmp_path: Path, qtbot: QtBot
) -> None:
    view.set_game(load(tmp_path, CASTLING))
    view.set_current(2)
    with qtbot.waitSignal(view.columns_changed) as told:
        qtbot.mouseClick(view._button, Qt.MouseButton.LeftButton)
    assert told.args == [True]
    assert view.toPlainText().replace("\N{NON-BREAKING HYPHEN}", "-").split("\n") == [
        "1.\te4\te5",
        "2.\tNf3\tNf6",
        "3.\tBc4\tBc5",
        "4.\tO-O\tO-O!",
        "well-known",
        "5.\th3",
        "1-0",
    ]
    assert marked(view) == ["e5"]
    with qtbot.waitSignal(view.position_chosen) as caught:
        QTest.mouseClick(
            view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, find(view, "Bc5")
        )
    assert caught.args == [6]
    # One with variations is a text, whatever is wanted.
    view.set_game(load(tmp_path, VARIATIONS))
    assert view.columns
    assert not view._button.isEnabled()
    assert "\t" not in view.toPlainText()


def test_a_black_move_behind_a_comment_stands_in_its_column(
    view: notation.NotationView, tmp_path: Path, qtbot: QtBot
) -> None:
    view.set_columns(True)
    view.set_game(load(tmp_path, '[Result "*"]\n\n1. e4 {best by test} e5 2. Nf3 *\n'))
    assert view.toPlainText().split("\n") == ["1.\te4", "best by test", "1.\t…\te5", "2.\tNf3", "*"]


@pytest.mark.parametrize("columns", [False, True])
def test_the_current_move_stays_in_the_upper_half(
    view: notation.NotationView, tmp_path: Path, qtbot: QtBot, columns: bool
) -> None:
    view.resize(560, 120)
    view.set_columns(columns)
    view.set_game(shuffled(tmp_path, 400))
    qtbot.waitUntil(lambda: not view._timer.isActive())
    for place in (10, 50, 51, 52, 200, 201, 150, 20, 3):
        view.set_current(place)
        box = view.cursorRect()
        assert box.top() >= 0
        assert box.bottom() <= view.viewport().height() // 2


def test_keys_step_and_jump(view: notation.NotationView, tmp_path: Path, qtbot: QtBot) -> None:
    view.set_game(load(tmp_path, VARIATIONS))
    for key, signal, amount in (
        (Qt.Key.Key_Left, view.stepped, -1),
        (Qt.Key.Key_Right, view.stepped, 1),
        (Qt.Key.Key_Home, view.jumped, -1),
        (Qt.Key.Key_End, view.jumped, 1),
    ):
        with qtbot.waitSignal(signal) as caught:
            QTest.keyClick(view, key)
        assert caught.args == [amount]


def test_steps_follow_the_main_continuation(tmp_path: Path) -> None:
    line = load(tmp_path, VARIATIONS).tree
    assert notation.step(line, 0, -1) == 0
    assert notation.step(line, 0, 1) == 1
    assert notation.end(line, 0) == line.mainline_length - 1
    assert notation.step(line, notation.end(line, 0), 1) == notation.end(line, 0)


def test_comments_of_any_length_are_laid_out_at_once(view: notation.NotationView, tmp_path: Path) -> None:
    solid = "y" * 250
    shown = load(tmp_path, f"1. e4 {{{solid}}} e5 {{{'long ' * 10_000}}} 2. Nf3 *\n")
    view.set_game(shown)
    while view._timer.isActive():
        view._lay_out_chunk()
    text = view.toPlainText()
    # What could not be folded can be, and is copied as it is written.
    assert solid not in text
    view.selectAll()
    view.copy()
    copied = QGuiApplication.clipboard().text()
    assert solid in copied
    # What is left out is counted.
    assert copied.count("long") == notation.LONGEST_COMMENT // len("long ")
    assert f"… ({len('long ' * 10_000) - 1 - notation.LONGEST_COMMENT:,} more characters)" in copied
    view.set_current(3)
    assert marked(view) == ["2.Nf3"]


@pytest.mark.parametrize("said", ["\u202e back to front", "\u2067 isolated", "שלום 12", "مرحبا"])
def test_the_direction_of_a_comment_ends_with_it(
    view: notation.NotationView, tmp_path: Path, said: str
) -> None:
    view.resize(900, 300)
    view.show()

    def widths(comment: str) -> list[int]:
        view.set_game(load(tmp_path, f"1. e4 {{{comment}}} 1... e5 2. Nf3 *\n"))
        places = []
        for span in view._spans.values():
            for place in span:
                cursor = view.textCursor()
                cursor.setPosition(place)
                places.append(view.cursorRect(cursor).x())
        return [places[number + 1] - places[number] for number in (0, 2, 4)]

    # Places are whole pixels.
    for usual, found in zip(widths("plain"), widths(said), strict=True):
        assert abs(usual - found) <= 1
    view.selectAll()
    view.copy()
    assert said.strip("\u202e\u2067 ") in QGuiApplication.clipboard().text()
    assert not set("\u2066\u2067\u2068\u2069\u202e").intersection(QGuiApplication.clipboard().text())
