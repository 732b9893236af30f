"""The transform picker: edits of the query, the pictures, the orbit's strip."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.board import position
from cqlgui.cql.editing import structure
from cqlgui.cql.source import diagnostics
from cqlgui.pattern import groups, pictures, reading, steps
from cqlgui.tasks.results import hit_model
from cqlgui.tasks.search import orbits
from cqlgui.ui.editor import panel as editor_panel
from cqlgui.ui.look import theme
from cqlgui.ui.picker import chain, panel, strip, words

TEXTS = [
    "",
    "Nf5 kg8",
    "flip Nf5",
    "cql() flipcolor {Nf5 kg8}",
    "{Nf5}{kg8}and check",
    'player "x" flipcolor {Nf5 kg8} shift {Ra1}',
    "if Nf5 {Ra1} find {check}",
    "wtm year >= 2000 #{Ra1} > 0",
    "Nf5 flip count shift {kg8 {Ra1} mate}",
]

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
    ("text", "words", "expected"),
    [
        ("|Nf5 kg8", ("flipcolor",), "flipcolor {Nf5 kg8}"),
        ("Nf5 kg8|", ("flipcolor", "flipvertical"), "flipcolor flipvertical {Nf5 kg8}"),
        ("{Nf5| kg8}", ("flip",), "flip {Nf5 kg8}"),
        ("{Nf5 kg8}|", ("flip",), "flip {Nf5 kg8}"),
        ("{ // first\n Nf5| }", ("flip",), "flip { // first\n Nf5 }"),
        ("Nf5|", ("flip",), "flip {Nf5}"),
        ("B|h7 & kh8", ("flip",), "flip {Bh7 & kh8}"),
        ("mate {Ra1| kb8}", ("flip",), "mate flip {Ra1 kb8}"),
        ("mate| {Ra1 kb8}", ("flip",), "mate flip {Ra1 kb8}"),
        ('player "x" {Ra1} {kb8}|', ("flip",), 'player "x" {Ra1} flip {kb8}'),
        ("|Nf5 {Ra1 kb8}", ("flip",), "flip {Nf5 {Ra1 kb8}}"),
        ("#{Ra1| kb8} > 1 kg8", ("flip",), "#(flip {Ra1 kb8}) > 1 kg8"),
        ("flip N|f5 kg8", ("flipcolor",), "flipcolor {flip Nf5 kg8}"),
        ("{Ra1|} & R", ("flip",), "(flip {Ra1}) & R"),
        ("cql(variations) // all\nNf5 // one\nkg8 // two|\n", ("flip",),
         "cql(variations) // all\nflip {Nf5 // one\nkg8} // two\n"),
        ("function f(x) {x mate|} f(Nf5)", ("flip",), "flip {function f(x) {x mate} f(Nf5)}"),
        ("path {Nf5 kg8|} {mate}", ("flip",), "path flip {Nf5 kg8} {mate}"),
        ("f|lipcolor {Bh7 kh8}", (), "{Bh7 kh8}"),
        ("flipcolor {Bh7 kh8}|", (), "{Bh7 kh8}"),
        ("mate fl|ip {Ra1 kb8}", ("flipcolor", "flip"), "mate flipcolor flip {Ra1 kb8}"),
        ("flip {shift {Ra1| kb8} mate}", (), "flip {{Ra1 kb8} mate}"),
        ("flip {shift {Ra1 kb8} ma|te}", (), "{shift {Ra1 kb8} mate}"),
        ("(flip {Bh7|}) & kh8", (), "{Bh7} & kh8"),
        ("flipcolor 2 flip |K", ("flip", "flipcolor"), "flip flipcolor 2 K"),
        ("flip 2 flip 3 |K", ("flip", "flip", "flipcolor"), "flip 2 flip 3 flipcolor K"),
        ("flip 2 flip 3 |K", ("flipcolor", "flip"), "flipcolor flip 2 K"),
        ("flip count flipcolor K|", ("flip", "flipcolor", "flip"), "flip count flipcolor flip K"),
        ("flip flipcolor count K|", ("flip", "flipcolor", "flip"), "flip flipcolor flip K"),
    ],
)  # fmt: skip
def test_the_chain_round_the_pattern_at_the_caret_becomes_another(
    text: str, words: tuple[str, ...], expected: str
) -> None:
    caret = text.index("|")
    text = text.replace("|", "")
    edit = chain.changed(text, caret, caret, chain.ChosenChain(words))
    assert edit is not None
    assert text[: edit.start] + edit.text + text[edit.end :] == expected
    assert chain.readable(expected)


@given(st.sampled_from(TEXTS), st.integers(0, 80))
def test_chips_mean_the_group_that_the_board_draws(text: str, caret: int) -> None:
    caret = min(caret, len(text))
    group = reading.group_at(text, caret)
    assert group is not None
    known = [(one.outside.offset, one.outside.end) for one in groups.all_groups(text)]
    inside = [place for place in groups.braces(text) if place[0] < caret < place[1]]
    if inside and min(inside, key=lambda place: place[1] - place[0]) not in known:
        return  # In braces whose value is used, which the board cannot draw.
    meant = chain.meant(text, caret)
    drawn = [one.word for one in group.chain]
    assert [link.word for link in meant.links][len(meant.links) - len(drawn) :] == drawn
    assert meant.operand.offset <= group.outside.offset <= group.outside.end <= meant.operand.end
    home = steps.home_at(text, caret)
    assert home is not None or not group.braced or meant.operand == group.outside


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("path {Nf5} --+ {Q|h7}", "flipcolor {path {Nf5} --+ {Qh7}}"),
        ("{path {N|f5} --+ {Qh7}}", "flipcolor {path {Nf5} --+ {Qh7}}"),
        ("{Nf5 find {Q|h7}}", "flipcolor {Nf5 find {Qh7}}"),
        ('player "x" path {Nf5} --+ {Q|h7}', 'flipcolor {player "x" path {Nf5} --+ {Qh7}}'),
        ("{ path {Nf5} --+ {Q|h7} }\nwtm", "flipcolor { path {Nf5} --+ {Qh7} }\nwtm"),
        ("path {Nf5} --+ flip {Q|h7}", "path {Nf5} --+ flipcolor flip {Qh7}"),
    ],
)
def test_steps_are_turned_together(text: str, after: str) -> None:
    caret = text.index("|")
    text = text.replace("|", "")
    known = chain.at(text, caret).words
    edit = chain.changed(text, caret, caret, chain.ChosenChain(("flipcolor", *known)))
    assert edit is not None
    assert chain._applied(text, edit) == after
    # Seen from each step they are on, and a second click takes them off again.
    inside = after.index("Qh7") + 1
    assert chain.at(after, inside).words == ("flipcolor", *known)
    if not known:
        assert chain.at(after, after.index("Nf5") + 1).words == ("flipcolor",)


def test_a_selection_is_wrapped_as_it_is() -> None:
    edit = chain.changed("Bh7 kh8 mate", 0, 7, chain.ChosenChain(("flipcolor",)))
    assert edit is not None
    assert "Bh7 kh8 mate"[: edit.start] + edit.text + "Bh7 kh8 mate"[edit.end :] == "flipcolor {Bh7 kh8} mate"


def test_a_query_of_filters_has_no_chain_of_its_own_where_one_filter_has() -> None:
    assert chain.at("flip Nf5 kg8", 2) == chain.ChosenChain()
    assert chain.at("flip count {Nf5 kg8}", 14) == chain.ChosenChain(("flip",), counts=True)


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
    assert picker.funnel.text() == "4 images"
    assert picker.saying.text() == "Mirror left to right, then swap colours"
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
    assert {word for word, one in picker.toggles.items() if one.isChecked()} == {"flipvertical", "flipcolor"}
    picker.toggles["flip"].click()
    assert editor.text().splitlines()[2] == "flip flipcolor flipvertical {Bh7 kh8}"


def test_a_selection_of_everything_wraps_the_body_alone(pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("// a theme\ncql(variations) Nf5 ng7\n")
    editor.edit.selectAll()
    picker.toggles["shift"].click()
    assert editor.text() == "// a theme\ncql(variations) shift {Nf5 ng7}\n"


@pytest.mark.parametrize("body", ["{Bh7} {kg8}", "(Bh7) (kg8)", "{Bh7 kg8}", "Bh7 (kg8)", "{{Bh7} kg8}"])
def test_the_whole_body_has_the_brackets_at_its_ends(body: str) -> None:
    for text in (body, f"cql(quiet) {body} // said"):
        begin, end = chain.whole(text)
        assert text[begin:end] == body
        wrapped = structure.wrap(text, begin, end, ("flip",))
        (orbit,) = orbits.orbits(wrapped)
        assert len(orbit.elements) == 8


def test_the_picker_says_why_it_shows_no_orbit(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("flip {Ra1} che")
    qtbot.waitUntil(lambda: "Mend the query" in picker.funnel.text())
    editor.set_text("Ra1")
    qtbot.waitUntil(lambda: "No transform" in picker.funnel.text())


def test_choosing_an_element_twice_limits_and_lets_go(qtbot: QtBot, pair: Pair) -> None:
    _, picker = pair
    picker.set_orbits(
        (hit_model.Orbit("flip", 0, 1, (hit_model.ElementCount("Ka1", "<>", "as written", 0, 0),)),)
    )
    with qtbot.waitSignal(picker.element_chosen) as seen:
        picker.view.choose(0)
    assert seen.args == [0, 0]
    with qtbot.waitSignal(picker.selection_cleared):
        picker.view.choose(0)


def test_eighteen_hundred_elements_make_pictures_only_for_those_in_view(qtbot: QtBot, pair: Pair) -> None:
    _, picker = pair
    elements = tuple(
        hit_model.ElementCount(f"P>={n}", f"<{n}>", f"element {n}", 0, 0, 1) for n in range(1800)
    )
    picker.set_orbits((hit_model.Orbit("shift", 0, 1, elements),))
    qtbot.waitUntil(lambda: picker.view.elements.rowCount() == 1800)
    picker.grab()
    assert len(picker.view.elements._pictures) < 60


def test_a_large_view_paints_none_of_its_tiles_again(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    view = strip.ElementsView()
    qtbot.addWidget(view)
    elements = tuple(hit_model.ElementCount(f"P>={n}", f"<{n}>", f"element {n}", 0, 0, 1) for n in range(600))
    view.elements.show_elements(elements, counted=False)
    view.resize(1_200, 800)
    view.show()
    made: list[object] = []
    keep = view.keep_tile
    monkeypatch.setattr(view, "keep_tile", lambda look, tile: (made.append(look), keep(look, tile)))

    def is_painted() -> bool:
        made.clear()
        view.viewport().repaint()
        return len(view.elements._pictures) > 80 and not made

    qtbot.waitUntil(is_painted)


def test_boards_are_painted_once_while_the_figures_below_them_change(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search tells its counts several times a second."""
    view = strip.ElementsView()
    qtbot.addWidget(view)
    drawn: list[object] = []
    paint = strip.board_widget.paint_mini
    monkeypatch.setattr(strip.board_widget, "paint_mini", lambda *args: (drawn.append(args[2]), paint(*args)))
    tiles: list[object] = []
    keep = view.keep_tile
    monkeypatch.setattr(view, "keep_tile", lambda look, tile: (tiles.append(look), keep(look, tile)))
    monkeypatch.setattr(strip, "_PICTURE_SECONDS", 60.0)
    view.resize(600, 400)
    with qtbot.waitExposed(view):
        view.show()
    for hits in range(5):
        elements = tuple(hit_model.ElementCount(f"Ka{n}", f"<{n}>", "", 0, hits, 1) for n in range(1, 5))
        view.elements.show_elements(elements, counted=True)
        view.elements.set_examples({})
        view.viewport().repaint()
    assert (len(drawn), len(tiles)) == (4, 20)
    shown = position.Position()
    for _ in range(2):
        view.elements.set_examples({0: shown})
        view.viewport().repaint()
    assert (len(drawn), len(tiles)) == (5, 21)
    theme.theme().changed.emit()
    view.viewport().repaint()
    assert len(drawn) == 9


@pytest.mark.parametrize(
    ("width", "height", "count", "place"),
    [(600, 400, 4, "under"), (326, 210, 4, "beside"), (326, 210, 8, ""), (326, 210, 300, "")],
)
def test_the_transform_stands_in_words_wherever_there_is_room(
    qtbot: QtBot, width: int, height: int, count: int, place: str
) -> None:
    view = strip.ElementsView()
    qtbot.addWidget(view)
    view.resize(width, height)
    with qtbot.waitExposed(view):
        view.show()
    seen = []
    for said in ("colours swapped", ""):
        elements = tuple(
            hit_model.ElementCount(f"Ka{n % 8 + 1}", f"<{n}>", said, 0, 1, 1) for n in range(count)
        )
        view.elements.show_elements((), counted=True)
        view.elements.show_elements(elements, counted=True)
        qtbot.waitUntil(lambda: (view.viewport().repaint(), view._bare.isEmpty())[1])
        rows = [view.visualRect(view.elements.index(row)) for row in range(count)]
        fits = all(view.viewport().rect().contains(one) for one in rows)
        assert fits == (count < 300)
        seen.append(view.viewport().grab().toImage())
    assert (view.wordy, view.beside) == (bool(place), place == "beside")
    assert (seen[0] != seen[1]) == bool(place)


class _Painted(strip.ElementsView):
    """Notes after each repaint how many pictures there are."""

    def __init__(self) -> None:
        super().__init__()
        self.made = [0]

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.made.append(len(self.elements._pictures))


def test_a_repaint_without_time_makes_one_picture_that_is_missing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more, and no less: however slowly the tiles before it are painted."""
    view = _Painted()
    qtbot.addWidget(view)
    elements = tuple(hit_model.ElementCount(f"P>={n}", f"<{n}>", f"element {n}", 0, 0, 1) for n in range(12))
    view.elements.show_elements(elements, counted=False)
    view.resize(2_400, 400)
    monkeypatch.setattr(strip, "_PICTURE_SECONDS", 0.0)
    monkeypatch.setattr(view, "tile", lambda look: time.sleep(0.0001))
    view.show()
    qtbot.waitUntil(lambda: len(view.elements._pictures) == len(elements))
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
    assert editor.edit.textCursor().selectedText() == "{Ra1 kb8}"
    editor.edit.undo()
    assert editor.text() == "mate flipcolor flip {Ra1 kb8}"


def test_a_caret_in_white_space_means_the_whole_query(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("  Ra1  ")
    editor.go_to(7)
    picker.toggles["flip"].click()
    assert editor.text() == "  flip {Ra1}  "
    settled(qtbot, pair, {"flip"})
    picker.toggles["flip"].click()
    assert editor.text() == "  {Ra1}  "


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
    editor.edit.undo()
    assert editor.text() == "flipcolor flip {Ra1 kb8}"


def waiting(picker: panel.PickerPanel) -> set[str]:
    return {word for word, one in picker.toggles.items() if one.property("waiting")}


def test_a_pattern_from_which_all_was_taken_has_no_images(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("flipcolor {Nf5}")
    qtbot.waitUntil(lambda: picker.view.elements.rowCount() == 2 and not picker.busy)
    editor.set_text("flipcolor {true}")
    qtbot.waitUntil(lambda: not picker.view.elements.rowCount())
    qtbot.waitUntil(lambda: picker.funnel.text() == "The pattern is empty: place men on the board.")
    assert picker.toggles["flipcolor"].isChecked()


def test_a_choice_without_a_pattern_waits_and_is_not_shown_as_on(qtbot: QtBot, pair: Pair) -> None:
    _, picker = pair
    picker.toggles["flip"].click()
    assert waiting(picker) == {"flip"}
    settled(qtbot, pair, set())
    assert picker.saying.text() == "Waits for a pattern: All 8"
    assert "waits" in picker.toggles["flip"].accessibleName()
    picker.toggles["shift"].click()
    picker.toggles["flip"].click()
    assert waiting(picker) == {"shift"}
    picker.remove_button.click()
    assert not waiting(picker)


def test_a_choice_that_waits_is_put_round_the_pattern_that_is_typed(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.show()
    qtbot.waitExposed(editor)
    editor.edit.setFocus()
    qtbot.waitUntil(editor.edit.hasFocus)
    picker.toggles["flipcolor"].click()
    QTest.keyClicks(editor.edit, "Nf5")
    qtbot.waitUntil(lambda: editor.text() == "flipcolor {Nf5}")
    settled(qtbot, pair, {"flipcolor"})
    assert not waiting(picker)
    QTest.keyClicks(editor.edit, " kg8")
    assert editor.text() == "flipcolor {Nf5 kg8}"


def test_a_choice_that_waits_is_put_round_the_pattern_that_is_drawn(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    picker.toggles["flipcolor"].click()
    picker.toggles["flipvertical"].click()
    editor.replace(0, 0, "{Nf5}")
    qtbot.waitUntil(lambda: editor.text() == "flipvertical flipcolor {Nf5}")
    editor.edit.undo()
    assert editor.text() == "{Nf5}"


def test_a_choice_that_waits_belongs_to_no_other_query(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    picker.toggles["flip"].click()
    editor.set_text("mate", "Another theme")
    qtbot.waitUntil(lambda: not editor.checking)
    settled(qtbot, pair, set())
    assert not waiting(picker)
    assert editor.text() == "mate"


def test_what_a_transform_governs_is_tinted_while_the_pointer_is_over_it(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    editor.set_text("flipcolor flipvertical {Nf5 kg8}")
    settled(qtbot, pair, {"flipcolor", "flipvertical"})
    for word, tinted in (
        ("flipcolor", "flipvertical {Nf5 kg8}"),
        ("flipvertical", "{Nf5 kg8}"),
        ("shift", "flipcolor flipvertical {Nf5 kg8}"),
    ):
        QApplication.sendEvent(picker.toggles[word], QEvent(QEvent.Type.Enter))
        assert editor.edit.governed == tinted
        QApplication.sendEvent(picker.toggles[word], QEvent(QEvent.Type.Leave))
        assert not editor.edit.governed


def orbit(*positions: int, squares: int = 1, never: str = "") -> hit_model.Orbit:
    """Elements with so many hits: the third is the one as written, the last `never` matches."""
    elements = tuple(
        hit_model.ElementCount(f"K{'abcdefgh'[n]}1", "<>" if n == 2 else f"<up^{n}>", f"no. {n}", hits, hits,
                           squares, (), never if n == len(positions) - 1 else "")
        for n, hits in enumerate(positions)
    )  # fmt: skip
    return hit_model.Orbit("shift", 0, 1, elements)


def in_order(picker: panel.PickerPanel) -> list[int]:
    elements = picker.view.elements
    return [elements.number_at(row) for row in range(elements.rowCount())]


def test_the_image_as_written_is_first_and_the_others_follow_by_hits(pair: Pair) -> None:
    _, picker = pair
    picker.set_orbits((orbit(0, 0, 0, 0, 0, never="a pawn"),))
    assert in_order(picker) == [2, 0, 1, 3, 4]
    picker.set_counts((orbit(1, 30, 4, 500, 0, never="a pawn"),))
    assert in_order(picker) == [2, 3, 1, 0, 4]
    assert picker.view.elements.said(4) == "can never match, a pawn: no. 4"
    assert picker.view.elements.said(3) == "500 hits in 500 games: no. 3"


def test_counts_that_add_up_to_more_than_the_hits_are_explained(pair: Pair) -> None:
    _, picker = pair
    picker.set_orbits((orbit(1, 30, 4),))
    picker.set_counts((orbit(1, 30, 4),), 35)
    assert "several" not in picker.funnel.text()
    picker.set_counts((orbit(1, 30, 4),), 34)
    assert picker.funnel.text().endswith(". Some hits match several.")


def test_figures_come_back_with_the_query_that_they_belong_to(pair: Pair) -> None:
    _, picker = pair
    picker.set_orbits((orbit(0, 0, 0),))
    plain = in_order(picker)
    picker.set_counts((orbit(1, 30, 4),), 35)
    counted = in_order(picker)
    assert counted != plain, "the most frequent ones come first"
    picker.set_orbits(())
    picker.set_orbits((orbit(0, 0, 0),))
    assert in_order(picker) == counted


def test_left_and_right_limit_to_the_images_in_their_order_and_escape_lets_go(
    qtbot: QtBot, pair: Pair
) -> None:
    _, picker = pair
    picker.set_orbits((orbit(0, 0, 0),))
    picker.view.setFocus()
    seen: list[int] = []
    picker.element_chosen.connect(lambda _orbit, element: seen.append(element))
    QTest.keyClick(picker.view, Qt.Key.Key_Right)
    assert not seen, "nothing is counted yet"
    picker.set_counts((orbit(1, 30, 4),))
    assert in_order(picker) == [2, 1, 0], "what was current is the last one now"
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        QTest.keyClick(picker.view, key)
    assert seen == [1, 2, 0, 2], "behind the last image comes the first one"
    with qtbot.waitSignal(picker.selection_cleared):
        QTest.keyClick(picker.view, Qt.Key.Key_Escape)


def test_an_image_without_squares_shows_its_first_hit(qtbot: QtBot, pair: Pair) -> None:
    _, picker = pair
    counted = hit_model.Orbit("flipcolor", 0, 1, (hit_model.ElementCount("check", "<>", "as written", 1, 1),))
    picker.set_orbits((counted,))
    picker.set_counts((counted,))
    qtbot.waitUntil(lambda: picker.view.elements.has_picture(0))
    before = picker.view.grab().toImage()
    picker.set_examples({(0, 0): position.Position.start()})
    assert picker.view.grab().toImage() != before
    picker.set_counts(())
    assert picker.view.elements.example(0) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flipcolor flipvertical {Nf5 kg8}", "4 images"),
        ("shift {Nf6 kg7}", "225 places, 49 fit on the board, 49 different"),
        (
            "flip {Na1 kh8}",
            "8 images, 4 different: the pattern looks the same mirrored in the diagonal a1-h8, so 8 become 4",
        ),
    ],
)
def test_the_size_of_an_orbit_is_told_in_words(text: str, said: str) -> None:
    assert words.funnel(orbits.orbits(text)[0]) == said


def test_the_sentence_follows_the_order_of_doing() -> None:
    assert words.sentence(("flipcolor", "flipvertical")) == "Mirror left to right, then swap colours"
    assert words.sentence(("shift",), counts=True) == "Move to every place, then count the images that match"


def test_four_images_are_in_view_at_330_by_400_pixels(qtbot: QtBot, pair: Pair) -> None:
    editor, picker = pair
    theme.theme().apply(theme.Choice.LIGHT)
    editor.set_text("flipcolor flipvertical {Nf5 kg8}")

    def is_small() -> bool:
        # Layouts take the style sheet in at their next turn.
        picker.resize(330, 400)
        return (picker.width(), picker.height()) == (330, 400) and picker.view.elements.rowCount() == 4

    qtbot.waitUntil(is_small)
    view = picker.view

    def all_in_view() -> bool:
        places = [view.visualRect(view.elements.index(row)) for row in range(4)]
        return all(view.viewport().rect().contains(place) and place.isValid() for place in places)

    qtbot.waitUntil(all_in_view)
    assert all(
        not button.visibleRegion().isEmpty() for button in picker.toggles.values() if button.isVisible()
    )
    bottom = view.mapTo(picker, view.rect().bottomLeft()).y()
    assert bottom < picker.height(), "nothing has to be scrolled to"


def test_hovering_an_element_previews_it_until_the_pointer_leaves(qtbot: QtBot, pair: Pair) -> None:
    _, picker = pair
    parts = tuple(hit_model.ElementCount(f"K{square}", "<>", square, 0, 0) for square in ("a1", "b1"))
    picker.set_orbits((hit_model.Orbit("flip", 0, 1, parts),))
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
    parts = tuple(hit_model.ElementCount(f"K{file}1", "<>", file, 0, 0) for file in "abcdefgh")
    picker.set_orbits((hit_model.Orbit("flip", 0, 1, parts),))
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
    assert chain.meant(text, 3).operand == diagnostics.Span(3, 0)


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
