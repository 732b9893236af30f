"""The manual: its pages, and the search over them."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from cqlgui.ui.reference import manual


def test_pages_have_titles_and_are_shown_without_markdown(qtbot: QtBot) -> None:
    made = manual.ManualDialog()
    qtbot.addWidget(made)
    made.show()
    titles = [title for title, _ in manual.pages()]
    assert titles[0] == "The window"
    assert len(set(titles)) == len(titles) >= 5
    for row, title in enumerate(titles):
        made.list.setCurrentRow(row)
        shown = made.page.toPlainText()
        assert shown.startswith(title)
        assert "**" not in shown
        assert "](" not in shown
        assert "|---" not in shown, "a table is a table"


def test_the_search_hides_pages_and_goes_on_through_the_others(qtbot: QtBot) -> None:
    made = manual.ManualDialog()
    qtbot.addWidget(made)
    made.search.setText("flipvertical")
    seen = [row for row in range(made.list.count()) if not made.list.item(row).isHidden()]
    assert 1 < len(seen) < made.list.count()
    assert made.list.currentRow() == seen[0]
    assert made.page.textCursor().selectedText() == "flipvertical"
    places = []
    for _ in range(40):
        places.append((made.list.currentRow(), made.page.textCursor().position()))
        made.search.returnPressed.emit()
    assert {row for row, _ in places} == set(seen)
    assert places.count(places[0]) > 1, "it comes round again"
    made.search.setText("no such words anywhere")
    assert made.list.currentRow() == -1
    assert made.page.toPlainText() == ""
    made.search.returnPressed.emit()
    made.search.clear()
    assert not any(made.list.item(row).isHidden() for row in range(made.list.count()))
    assert made.page.toPlainText()
