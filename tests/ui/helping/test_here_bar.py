"""The bar that tells how many games have this position: what there is no room for stands in a menu."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cqlgui.tasks.search import counting
from cqlgui.ui.helping import here


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[here.HereBar]:
    # A window of its own would keep the room that its layout asks for.
    around = QWidget()
    qtbot.addWidget(around)
    bar = here.HereBar(around)
    around.show()
    bar.make_room(145_716)
    bar.say(tuple(counting.Counted(number, 0) for number in (1, 20, 300)), there=True)
    bar.show()
    bar.resize(900, 30)
    yield bar
    around.close()


def test_in_much_room_all_is_shown_and_no_menu(bar: here.HereBar) -> None:
    bar.resize(900, bar.height())
    assert bar.texts() == ("Position 1", "Pawns 20", "Material 300")
    assert all(not button.isHidden() for button in (*bar._buttons, bar.twins))
    assert bar.more.isHidden()


@pytest.mark.parametrize("width", [120, 200, 260, 330])
def test_in_little_room_the_menu_has_what_is_missing(qtbot: QtBot, bar: here.HereBar, width: int) -> None:
    bar.resize(width, bar.height())
    assert not bar.more.isHidden()
    assert bar.more.geometry().right() < width
    menu = bar.menu()
    hidden = [button.text() for button in bar._buttons if button.isHidden()]
    hidden += [here.TWINS] if bar.twins.isHidden() else []
    assert hidden
    assert [action.text() for action in menu.actions()] == hidden
    if bar.twins.isHidden():
        menu.actions()[-1].trigger()
        assert bar.twins.isChecked()
    chosen: list[int] = []
    bar.chosen.connect(chosen.append)
    for action in bar.menu().actions():
        if action.text() != here.TWINS:
            action.trigger()
    assert chosen == [place for place, button in enumerate(bar._buttons) if button.isHidden()]
