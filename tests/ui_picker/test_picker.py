"""The transform picker: edits of the query, the pictures, the orbit's strip."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.cql import structure
from cqlgui.pattern import pictures
from cqlgui.tasks import model
from cqlgui.ui import theme
from cqlgui.ui.editor import panel as editor_panel
from cqlgui.ui.picker import chain, panel, strip

Pair = tuple[editor_panel.EditorPanel, panel.PickerPanel]


@pytest.fixture
def pair(qtbot: QtBot) -> Iterator[Pair]:
    editor, picker = editor_panel.EditorPanel(), panel.PickerPanel()
    for widget in (editor, picker):
        qtbot.addWidget(widget)
    picker.resize(420, 640)
    picker.show()
    picker.attach(editor)
    yield editor, picker
    picker.shut_down()
    editor.shut_down()


@pytest.mark.parametrize(
    ("text", "start", "end", "words", "expected"),
    [
        ("Bh7 kh8", 0, 7, ("flipcolor", "flipvertical"), "flipcolor flipvertical {Bh7 kh8}"),
        ("Bh7 kh8", 1, 1, ("flipcolor",), "flipcolor Bh7 kh8"),
        ("flipcolor {Bh7 kh8}", 1, 1, (), "{Bh7 kh8}"),
        ("Bh7 & kh8", 1, 1, ("flip",), "(flip Bh7) & kh8"),
        ("(flip Bh7) & kh8", 3, 3, (), "Bh7 & kh8"),
        ("comment(flip Ra1)", 10, 10, (), "comment(Ra1)"),
        ("flipcolor 2 flip K", 1, 1, ("flip", "flipcolor"), "flip flipcolor 2 K"),
        ("flip 2 flip 3 K", 1, 1, ("flip", "flip", "flipcolor"), "flip 2 flip 3 flipcolor K"),
        ("flip 2 flip 3 K", 1, 1, ("flipcolor", "flip"), "flipcolor flip 2 K"),
        (
            "flip count flipcolor K",
            1,
            1,
            ("flip", "flipcolor", "flip"),
            "flip count flipcolor flip K",
        ),
        ("flip flipcolor count K", 1, 1, ("flip", "flipcolor", "flip"), "flip flipcolor flip K"),
    ],
)
def test_the_chain_at_the_caret_becomes_another(
    text: str, start: int, end: int, words: tuple[str, ...], expected: str
) -> None:
    edit = chain.changed(text, start, end, chain.Chain(words))
    assert edit is not None
    assert text[: edit.start] + edit.text + text[edit.end :] == expected


def test_a_pattern_shows_men_choices_and_negations() -> None:
    shown = pictures.of_text("{Bh7 not Ra1 [Qq]d4 btm}")
    assert shown.turn == "black"
    assert {(cell.square, cell.symbol, cell.sure, cell.absent) for cell in shown.cells} == {
        (0, "R", True, True), (27, "*", False, False), (55, "B", True, False),
    }  # fmt: skip


def test_toggles_wrap_at_once_undo_and_show_the_orbit(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("{Bh7 kh8}")
    picker.toggles["flipvertical"].click()
    picker.toggles["flipcolor"].click()
    assert editor.text() == "flipcolor flipvertical {Bh7 kh8}"
    qtbot.waitUntil(lambda: picker.view.elements.rowCount() == 4)
    assert "4 candidates → 4 valid → 4 distinct" in picker.funnel.text()
    editor.edit.undo()
    assert editor.text() == "flipvertical {Bh7 kh8}"
    picker.toggles["flipvertical"].click()
    assert editor.text() == "{Bh7 kh8}"


@pytest.mark.parametrize("place", [0, 9, -1])
def test_a_caret_outside_the_body_means_the_chain_that_is_there(pair: Pair, place: int) -> None:
    editor, picker = pair
    text = "// a theme\ncql()\nflipcolor flipvertical {Bh7 kh8}\n"
    editor.set_text(text)
    editor.go_to(len(text) if place < 0 else place)
    picker._settle()
    assert [word for word, button in picker.toggles.items() if button.isChecked()] == [
        "flipvertical", "flipcolor"
    ]  # fmt: skip
    picker.toggles["flip"].click()
    assert editor.text().splitlines()[2] == "flip flipcolor flipvertical {Bh7 kh8}"


def test_a_selection_of_everything_wraps_the_body_alone(pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("// a theme\ncql(variations) Nf5 ng7\n")
    editor.edit.selectAll()
    picker.toggles["shift"].click()
    assert editor.text() == "// a theme\ncql(variations) shift {Nf5 ng7}\n"


def test_the_picker_says_why_it_shows_no_orbit(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("flip {Ra1} che")
    qtbot.waitUntil(lambda: "Mend the query" in picker.funnel.text())
    editor.set_text("Ra1")
    qtbot.waitUntil(lambda: "No transform" in picker.funnel.text())


def test_choosing_an_element_twice_limits_and_lets_go(qtbot: QtBot, pair: Pair) -> None:
    _, picker = pair
    picker.set_orbits((model.Orbit("flip", 0, 1, (model.ElementCount("Ka1", "<>", "as written", 0, 0),)),))
    with qtbot.waitSignal(picker.element_chosen) as seen:
        picker.view.choose(0)
    assert seen.args == [0, 0]
    with qtbot.waitSignal(picker.selection_cleared):
        picker.view.choose(0)


def test_eighteen_hundred_elements_make_pictures_only_for_those_in_view(qtbot: QtBot, pair: Pair) -> None:
    _, picker = pair
    elements = tuple(model.ElementCount(f"P>={n}", f"<{n}>", f"element {n}", 0, 0, 1) for n in range(1800))
    picker.set_orbits((model.Orbit("shift", 0, 1, elements),))
    qtbot.waitUntil(lambda: picker.view.elements.rowCount() == 1800)
    picker.grab()
    assert picker.view.elements.pictures_made < 60


def test_a_large_view_paints_none_of_its_tiles_again(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    view = strip.ElementsView()
    qtbot.addWidget(view)
    elements = tuple(model.ElementCount(f"P>={n}", f"<{n}>", f"element {n}", 0, 0, 1) for n in range(600))
    view.elements.show_elements(elements, counted=False)
    view.resize(2_400, 1_600)
    view.show()
    made: list[object] = []
    keep = view.keep_tile
    monkeypatch.setattr(view, "keep_tile", lambda look, tile: (made.append(look), keep(look, tile)))

    def is_painted() -> bool:
        made.clear()
        view.viewport().repaint()
        return view.elements.pictures_made > 80 and not made

    qtbot.waitUntil(is_painted)


class _Painted(strip.ElementsView):
    """Notes after each repaint how many pictures there are."""

    def __init__(self) -> None:
        super().__init__()
        self.made = [0]

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.made.append(self.elements.pictures_made)


def test_a_repaint_without_time_makes_one_picture_that_is_missing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more, and no less: however slowly the tiles before it are painted."""
    view = _Painted()
    qtbot.addWidget(view)
    elements = tuple(model.ElementCount(f"P>={n}", f"<{n}>", f"element {n}", 0, 0, 1) for n in range(12))
    view.elements.show_elements(elements, counted=False)
    view.resize(2_400, 400)
    monkeypatch.setattr(strip, "_PICTURE_SECONDS", 0.0)
    monkeypatch.setattr(view, "tile", lambda look: time.sleep(0.0001))
    view.show()
    qtbot.waitUntil(lambda: view.elements.pictures_made == len(elements))
    assert {after - before for before, after in itertools.pairwise(view.made)} <= {0, 1}


def settled(qtbot: QtBot, pair: Pair, words: set[str]) -> None:
    """Wait until exactly these toggles are down."""
    _, picker = pair
    qtbot.waitUntil(lambda: {word for word, one in picker.toggles.items() if one.isChecked()} == words)


def test_a_selection_inside_a_chain_is_wrapped_by_the_clicked_transform_alone(
    qtbot: QtBot, pair: Pair
) -> None:
    editor, picker = pair
    editor.set_text("flip {Ra1 kb8 mate}")
    editor.edit.select(6, 13)
    settled(qtbot, pair, {"flip"})
    picker.toggles["shift"].click()
    assert editor.text() == "flip {shift {Ra1 kb8} mate}"
    settled(qtbot, pair, {"shift"})
    editor.edit.undo()
    assert editor.text() == "flip {Ra1 kb8 mate}"
    settled(qtbot, pair, {"flip"})


def test_a_selection_that_is_the_operand_of_a_chain_extends_the_chain(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("mate flip {Ra1 kb8}")
    editor.edit.select(10, 19)
    settled(qtbot, pair, {"flip"})
    picker.toggles["flipcolor"].click()
    assert editor.text() == "mate flipcolor flip {Ra1 kb8}"
    settled(qtbot, pair, {"flip", "flipcolor"})
    picker.toggles["flip"].click()
    assert editor.text() == "mate flipcolor {Ra1 kb8}"
    editor.edit.undo()
    settled(qtbot, pair, {"flip", "flipcolor"})


def test_a_caret_in_white_space_goes_to_the_filter_it_means(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("  Ra1  ")
    editor.go_to(7)
    picker.toggles["flip"].click()
    assert editor.text() == "  flip Ra1  "
    settled(qtbot, pair, {"flip"})
    picker.toggles["flip"].click()
    assert editor.text() == "  Ra1  "


def test_order_and_count_are_edits_of_the_chain(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("flipcolor flip {Ra1 kb8}")
    settled(qtbot, pair, {"flip", "flipcolor"})
    picker.chosen_list.setCurrentRow(0)
    picker.down.click()
    assert editor.text() == "flip flipcolor {Ra1 kb8}"
    picker.counts_box.click()
    assert editor.text() == "flip flipcolor count {Ra1 kb8}"
    moved = picker.chosen_list.takeItem(1)
    picker.chosen_list.insertItem(0, moved)
    picker._dragged()
    assert editor.text() == "flipcolor flip count {Ra1 kb8}"
    picker.counts_box.click()
    picker.remove_button.click()
    assert editor.text() == "{Ra1 kb8}"
    QTest.keyClick(picker.chosen_list, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "flipcolor flip {Ra1 kb8}"


def test_a_choice_before_there_is_a_query_waits_for_apply(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    picker.toggles["flip"].click()
    assert picker.apply_button.isVisible()
    assert not picker.apply_button.isEnabled()
    QTest.keyClicks(editor.edit, "Ra1 kg8")
    qtbot.waitUntil(picker.apply_button.isEnabled)
    picker.apply_button.click()
    assert editor.text() == "flip {Ra1 kg8}"
    assert not picker.apply_button.isVisible()


def test_hovering_an_element_previews_it_until_the_pointer_leaves(qtbot: QtBot, pair: Pair) -> None:
    _, picker = pair
    parts = tuple(model.ElementCount(f"K{square}", "<>", square, 0, 0) for square in ("a1", "b1"))
    picker.set_orbits((model.Orbit("flip", 0, 1, parts),))
    view = picker.view
    qtbot.waitUntil(lambda: view.visualRect(view.elements.index(1)).isValid())
    with qtbot.waitSignal(picker.element_hovered) as seen:
        QTest.mouseMove(view.viewport(), view.visualRect(view.elements.index(1)).center())
    assert seen.args == [0, 1]
    with qtbot.waitSignal(picker.element_left):
        QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))


def test_two_thumbnails_stand_side_by_side_at_300_pixels(qtbot: QtBot, pair: Pair) -> None:
    _, picker = pair
    # Buttons are as wide as the program's own style sheet says.
    theme.theme().apply(theme.Choice.LIGHT)

    def is_narrow() -> bool:
        # Layouts take the style sheet in at their next turn.
        picker.resize(300, 600)
        return picker.width() == 300

    qtbot.waitUntil(is_narrow)
    parts = tuple(model.ElementCount(f"K{file}1", "<>", file, 0, 0) for file in "abcdefgh")
    picker.set_orbits((model.Orbit("flip", 0, 1, parts),))
    view = picker.view
    qtbot.waitUntil(lambda: view.visualRect(view.elements.index(1)).left() > 0)
    assert view.visualRect(view.elements.index(1)).top() == view.visualRect(view.elements.index(0)).top()
    assert picker.width() == 300


def test_the_dropped_candidates_are_shown_with_their_reasons(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("shift {Ra1 kc3}")
    qtbot.waitUntil(picker.dropped_button.isVisible)
    picker.dropped_button.click()
    assert picker.dropped_list.isVisible()
    assert ": " in picker.dropped_list.item(0).text()


def test_following_the_caret_does_not_check_the_same_text_again(pair: Pair) -> None:
    editor, _ = pair
    editor.set_text("mate flip {Ra1 kb8}")
    chain.at(editor.text(), 0)
    before = structure.checked.cache_info().misses
    for offset in range(len(editor.text())):
        chain.at(editor.text(), offset)
    assert structure.checked.cache_info().misses == before


def test_a_long_query_with_mistakes_is_not_read_again_for_the_caret(
    pair: Pair, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, picker = pair
    text = " or\n".join(["(Pe4 pe5 check)"] * 50)
    editor.set_text(text)
    qtbot.waitUntil(lambda: not editor.checking)
    assert editor.findings
    monkeypatch.setattr(structure, "scan", None)
    editor.edit.select(len(text) // 2, len(text) // 2)
    picker._settle()
    assert not any(button.isChecked() for button in picker.toggles.values())
    assert chain.reached(text, 3) == 3


def test_a_search_that_begins_does_not_make_the_picker_check_the_query(
    pair: Pair, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, picker = pair
    editor.set_text("mate")
    qtbot.waitUntil(lambda: picker.funnel.text().startswith("No transform"))
    editor.replace(4, 4, " check")
    assert editor.checking
    with monkeypatch.context() as patched:
        patched.setattr(chain, "readable", None)
        picker.set_counts(())
    qtbot.waitUntil(lambda: not editor.checking)
    assert picker.funnel.text().startswith("No transform")
