"""The start page: ways to begin, files opened lately, themes as boards."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.tasks.asking import library
from cqlgui.tasks.databases import bases, importing
from cqlgui.tasks.search import searching
from cqlgui.ui.look import theme
from cqlgui.ui.panels import start_page


@pytest.fixture
def page(qtbot: QtBot) -> start_page.StartPage:
    theme.theme().apply(theme.Choice.LIGHT)
    made = start_page.StartPage()
    qtbot.addWidget(made)
    made.set_themes(library.entries())
    made.resize(600, 500)
    made.show()
    return made


def test_each_way_to_begin_asks_for_its_thing(page: start_page.StartPage, qtbot: QtBot) -> None:
    for button, signal in (
        (page.sample, page.sample_wanted),
        (page.open, page.open_wanted),
        (page.draw, page.draw_wanted),
        (page.write, page.write_wanted),
    ):
        with qtbot.waitSignal(signal):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_theme_is_chosen_by_mouse_and_keyboard(page: start_page.StartPage, qtbot: QtBot) -> None:
    assert len(page.cards) == len(start_page.THEMES) == 6
    card = page.cards[0]
    with qtbot.waitSignal(page.theme_chosen) as told:
        qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    assert told.args == [card.entry.text, "Smothered mate"]
    card.setFocus()
    with qtbot.waitSignal(page.theme_chosen):
        qtbot.keyClick(card, Qt.Key.Key_Space)


def test_each_theme_has_hits_in_the_sample_base(page: start_page.StartPage) -> None:
    base = importing.open_base([resource("sample/sample.pgn")]).base
    assert all(searching.search(base, card.entry.text).positions for card in page.cards)


def test_files_opened_lately_are_offered_and_missing_ones_cannot_be_chosen(
    page: start_page.StartPage, qtbot: QtBot, tmp_path: Path
) -> None:
    there, gone = tmp_path / "there.pgn", tmp_path / "gone & lost.pgn"
    there.write_text("", encoding="utf-8")
    bases.remember([gone])
    bases.remember([there])
    page.set_recent(start_page.recent())
    assert [button.isEnabled() for button in page.recent] == [True, False]
    assert "missing" in page.recent[1].accessibleName()
    with qtbot.waitSignal(page.files_wanted) as told:
        qtbot.mouseClick(page.recent[0], Qt.MouseButton.LeftButton)
    assert told.args == [(there,)]


@pytest.mark.parametrize("width", [230, 420, 640, 1100])
def test_it_is_never_wider_than_its_room(page: start_page.StartPage, qtbot: QtBot, width: int) -> None:
    page.resize(width, 400)
    inner = page.widget()
    assert inner is not None
    qtbot.waitUntil(lambda: inner.width() <= page.viewport().width())
    for card in page.cards:
        assert card.width() >= card.sizeHint().width()
        assert card.geometry().right() <= page.viewport().width()
