"""Clicks and keys in the pane of facets choose values, and the counts follow."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from cqlgui.tasks.analysis import attributes, facets
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import narrowing
from cqlgui.ui.facets import pane as pane_module
from cqlgui.ui.facets import tree as tree_module
from cqlgui.ui.loop import jobs


@pytest.fixture
def known(base: base_model.Base) -> attributes.Attributes:
    return attributes.of_base(base)


@pytest.fixture
def pane(
    qtbot: QtBot, door: jobs.Jobs, known: attributes.Attributes, result: search_model.SearchResult
) -> pane_module.FacetsPane:
    """The pane with the facets of a result."""
    made = pane_module.FacetsPane(door)
    qtbot.addWidget(made)
    made.resize(330, 900)
    made.show()
    made.set_result(result, known)
    settle(qtbot, made)
    return made


def settle(qtbot: QtBot, pane: pane_module.FacetsPane) -> None:
    """Wait for the counts of the choice."""
    qtbot.waitUntil(lambda: pane._sheet is not None and pane._counted == pane.choice)


def group(pane: pane_module.FacetsPane, name: str) -> QTreeWidgetItem:
    tree = pane.tree
    for row in range(tree.topLevelItemCount()):
        item = tree.topLevelItem(row)
        if item is not None and tree_module._identity(item)[0] == name:
            return item
    raise AssertionError(name)


def row(pane: pane_module.FacetsPane, name: str, words: str) -> QTreeWidgetItem:
    """The row of a value on the first level."""
    above = group(pane, name)
    above.setExpanded(True)
    return next(item for item in tree_module._children(above) if item.text(0) == words)


def click(
    qtbot: QtBot,
    pane: pane_module.FacetsPane,
    item: QTreeWidgetItem,
    held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    pane.tree.scrollToItem(item)
    place = pane.tree.visualItemRect(item).center()
    qtbot.mouseClick(pane.tree.viewport(), Qt.MouseButton.LeftButton, held, place)


def shown(pane: pane_module.FacetsPane, name: str) -> list[tuple[str, str, str]]:
    return [(item.text(0), item.text(1), item.text(2)) for item in tree_module._children(group(pane, name))]


def expected(facet: facets.Facet) -> list[tuple[str, str, str]]:
    return [
        (value.words, f"{value.games:,}", f"{value.positions:,}")
        for value in facet.values
        if value.parent == attributes.NO_PARENT
    ]


def counted(
    known: attributes.Attributes, result: search_model.SearchResult, choice: facets.Choice
) -> dict[str, facets.Facet]:
    return {facet.name: facet for facet in facets.counts(facets.sheet(known, result), choice)}


def test_all_facets_are_listed_with_their_counts(
    pane: pane_module.FacetsPane, known: attributes.Attributes, result: search_model.SearchResult
) -> None:
    found = counted(known, result, facets.Choice())
    for name in (facets.ELEMENT, facets.RESULT, facets.DECADE, facets.OPENING, facets.PHASE, facets.PLY):
        assert shown(pane, name) == expected(found[name])
    assert pane._size.text().startswith(f"{result.positions} hits in {len(result.order)} games")
    volume = row(pane, facets.OPENING, "B Semi-open games")
    assert volume.childCount() > 1


def test_a_click_sets_and_control_joins_and_counts_follow(
    qtbot: QtBot,
    pane: pane_module.FacetsPane,
    known: attributes.Attributes,
    result: search_model.SearchResult,
) -> None:
    with qtbot.waitSignal(pane.chosen) as chosen:
        click(qtbot, pane, row(pane, facets.RESULT, "1-0"))
    assert pane.choice == facets.Choice().alone(facets.RESULT, 0)
    make, words, terms = chosen.args
    assert terms == ("result=1-0",)
    assert words == "1-0"
    assert make(result).order == facets.narrowed(facets.sheet(known, result), pane.choice).order
    settle(qtbot, pane)
    found = counted(known, result, pane.choice)
    assert shown(pane, facets.PHASE) == expected(found[facets.PHASE])
    with qtbot.waitSignal(pane.chosen) as chosen:
        click(qtbot, pane, row(pane, facets.RESULT, "0-1"), Qt.KeyboardModifier.ControlModifier)
    assert chosen.args[1] == "1-0 or 0-1"
    assert [chip.text().split("  ")[0] for chip in pane._chips] == ["1-0", "0-1"]
    settle(qtbot, pane)
    found = counted(known, result, pane.choice)
    assert shown(pane, facets.DECADE) == expected(found[facets.DECADE])
    # A chip takes its value back.
    with qtbot.waitSignal(pane.chosen) as chosen:
        pane._chips[0].click()
    assert chosen.args[1] == "0-1"
    # A plain click makes another value the only one, and the same click takes it back.
    for words in ("1-0", ""):
        with qtbot.waitSignal(pane.chosen) as chosen:
            click(qtbot, pane, row(pane, facets.RESULT, "1-0"))
        assert chosen.args[1] == words
    assert not pane._row.isVisible()


def test_a_right_click_excludes(qtbot: QtBot, pane: pane_module.FacetsPane) -> None:
    item = row(pane, facets.RESULT, "1-0")
    place = pane.tree.visualItemRect(item).center()
    with qtbot.waitSignal(pane.chosen) as chosen:
        event = QContextMenuEvent(
            QContextMenuEvent.Reason.Mouse, place, pane.tree.viewport().mapToGlobal(place)
        )
        QApplication.sendEvent(pane.tree.viewport(), event)
    assert chosen.args[1] == "not 1-0"
    assert pane.choice == facets.Choice().excluding(facets.RESULT, 0)


def test_the_menu_has_the_same_commands(qtbot: QtBot, pane: pane_module.FacetsPane) -> None:
    item = row(pane, facets.RESULT, "1-0")
    for place, words in ((0, "1-0"), (2, "not 1-0"), (1, "1-0"), (4, "")):
        menu = pane.tree.menu_for(item)
        with qtbot.waitSignal(pane.chosen) as chosen:
            menu.actions()[place].trigger()
        assert chosen.args[1] == words
    assert not pane.choice
    # The menu key opens this menu; only a right click excludes at once.
    pane.tree.setCurrentItem(item)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), QPoint(1, 1))
    with qtbot.assertNotEmitted(pane.chosen):
        QApplication.sendEvent(pane.tree.viewport(), event)
    popup = QApplication.activePopupWidget()
    assert popup is not None
    popup.close()


def test_keys_choose_join_exclude_and_clear(qtbot: QtBot, pane: pane_module.FacetsPane) -> None:
    pane.tree.setFocus()
    pane.tree.setCurrentItem(row(pane, facets.RESULT, "1-0"))
    control = Qt.KeyboardModifier.ControlModifier
    for key, held, words in (
        (Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, "1-0"),
        (Qt.Key.Key_Space, control, ""),
        (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier, "not 1-0"),
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier, ""),
    ):
        with qtbot.waitSignal(pane.chosen) as chosen:
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                QApplication.sendEvent(pane.tree, QKeyEvent(kind, key, held))
        assert chosen.args[1] == words
    # Without a choice, Escape is left to the window.
    left = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    with qtbot.assertNotEmitted(pane.chosen):
        pane.tree.keyPressEvent(left)
    # In the row of a facet, Space opens and closes it.
    above = group(pane, facets.PLY)
    pane.tree.setCurrentItem(above)
    opened = above.isExpanded()
    qtbot.keyClick(pane.tree, Qt.Key.Key_Space)
    assert above.isExpanded() != opened


def test_undo_takes_back_the_last_choice(qtbot: QtBot, pane: pane_module.FacetsPane) -> None:
    def undo() -> bool:
        control = Qt.KeyboardModifier.ControlModifier
        event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, control)
        event.ignore()
        QApplication.sendEvent(pane.tree, event)
        if event.isAccepted():
            QApplication.sendEvent(pane.tree, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Z, control))
        return event.isAccepted()

    # The window undoes a change of the query.
    assert not undo()
    click(qtbot, pane, row(pane, facets.RESULT, "1-0"))
    first = pane.choice
    qtbot.waitUntil(lambda: pane._counted == first)
    click(qtbot, pane, row(pane, facets.RESULT, "0-1"), Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: pane._counted == pane.choice)
    assert pane.choice == first.joined(facets.RESULT, 2)
    for choice in (first, facets.Choice()):
        with qtbot.waitSignal(pane.chosen):
            assert undo()
        assert pane.choice == choice
    assert not undo()


def test_many_players_are_shown_on_demand(qtbot: QtBot, pane: pane_module.FacetsPane) -> None:
    assert pane._sheet is not None
    whole = next(one for one in facets.counts(pane._sheet) if one.name == facets.PLAYER)
    assert len(whole.values) > tree_module.FEW
    assert len(shown(pane, facets.PLAYER)) == tree_module.FEW + 1
    more = row(pane, facets.PLAYER, f"{len(whole.values) - tree_module.FEW} more…")
    click(qtbot, pane, more)
    assert len(shown(pane, facets.PLAYER)) == len(whole.values)
    assert not pane.choice


def test_what_was_opened_stays_open(qtbot: QtBot, pane: pane_module.FacetsPane) -> None:
    volume = row(pane, facets.OPENING, "B Semi-open games")
    volume.setExpanded(True)
    with qtbot.waitSignal(pane.chosen):
        click(qtbot, pane, row(pane, facets.RESULT, "1-0"))
    settle(qtbot, pane)
    assert group(pane, facets.OPENING).isExpanded()
    assert row(pane, facets.OPENING, "B Semi-open games").isExpanded()


def test_a_hidden_pane_counts_when_it_is_shown(
    qtbot: QtBot, door: jobs.Jobs, known: attributes.Attributes, result: search_model.SearchResult
) -> None:
    made = pane_module.FacetsPane(door)
    qtbot.addWidget(made)
    made.set_result(result, known)
    assert door.count == 0
    assert made.tree.topLevelItemCount() == 0
    made.show()
    settle(qtbot, made)
    assert made.tree.topLevelItemCount() > 0


def test_other_hits_begin_without_a_choice(
    qtbot: QtBot,
    pane: pane_module.FacetsPane,
    known: attributes.Attributes,
    result: search_model.SearchResult,
) -> None:
    with qtbot.waitSignal(pane.chosen):
        click(qtbot, pane, row(pane, facets.RESULT, "1-0"))
    part = facets.narrowed(facets.sheet(known, result), facets.Choice().alone(facets.PHASE, 1))
    pane.set_result(part, known)
    assert not pane.choice
    settle(qtbot, pane)
    assert shown(pane, facets.RESULT) == expected(counted(known, part, facets.Choice())[facets.RESULT])
    pane.set_result(None, known)
    assert not pane.tree.isVisible()
    assert "Run a query" in pane._note.text()


def test_a_line_that_leaves_no_hits_is_named_with_a_way_back(
    qtbot: QtBot,
    pane: pane_module.FacetsPane,
    known: attributes.Attributes,
    result: search_model.SearchResult,
) -> None:
    pane.tell_narrowing("year:1990")
    # While there are hits, the chips and the counts say what is shown.
    assert not pane._narrowed.isVisible()
    with qtbot.waitSignal(pane.widened):
        qtbot.keyClick(pane.tree, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    pane.set_result(narrowing.of_games(result, np.zeros(0, np.int64)), known, keep=True)
    assert pane._narrowed.isVisible()
    with qtbot.waitSignal(pane.widened):
        pane._narrowed.button.click()
    pane.set_result(result, known, keep=True)
    assert not pane._narrowed.isVisible()
