"""The transform picker: edits of the query, the pictures, the orbit's strip."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from cqlgui.tasks import model
from cqlgui.ui.editor import panel as editor_panel
from cqlgui.ui.picker import chain, panel, pattern

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
        ("flipcolor 2 flip K", 1, 1, ("flip", "flipcolor"), "flip flipcolor 2 K"),
    ],
)
def test_the_chain_at_the_caret_becomes_another(
    text: str, start: int, end: int, words: tuple[str, ...], expected: str
) -> None:
    edit = chain.changed(text, start, end, chain.Chain(words))
    assert edit is not None
    assert text[: edit.start] + edit.text + text[edit.end :] == expected


def test_a_pattern_shows_men_choices_and_negations() -> None:
    shown = pattern.of_text("{Bh7 not Ra1 [Qq]d4 btm}")
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
    qtbot.waitUntil(lambda: picker.view.elements.rowCount() == 4, timeout=10_000)
    assert "4 candidates → 4 valid → 4 distinct" in picker.funnel.text()
    editor.edit.undo()
    assert editor.text() == "flipvertical {Bh7 kh8}"
    picker.toggles["flipvertical"].click()
    assert editor.text() == "{Bh7 kh8}"


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
