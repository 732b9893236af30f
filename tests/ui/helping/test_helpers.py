"""What helps with writing: the margin, quick fixes, both spellings, the library's tree, the help pane."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from cqlgui.cql.vocabulary import registry
from cqlgui.tasks.results import entry_model, truth_model
from cqlgui.ui.editor import fixes, gutter, panel
from cqlgui.ui.helping import assistance
from cqlgui.ui.look import theme
from cqlgui.ui.reference import keywords, library


@pytest.fixture
def editor(qtbot: QtBot) -> Iterator[panel.EditorPanel]:
    made = panel.EditorPanel()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    yield made
    made.shut_down()


def checked(qtbot: QtBot, editor: panel.EditorPanel, text: str) -> None:
    with qtbot.waitSignal(editor.diagnostics_changed):
        editor.set_text(text)


def part(text: str, matched: bool | None, value: str | None = None, squares: int = 0) -> truth_model.Truth:
    return truth_model.Truth(0, len(text), text, matched, value, squares)


# --- fixes --------------------------------------------------------------------------------------------------


def test_the_key_takes_the_fix_at_the_caret_as_one_undo(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    checked(qtbot, editor, "mate\nflipcolor Bh7 kh8")
    editor.go_to(8)
    QTest.keyClick(editor.edit, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "mate\nflipcolor {Bh7 kh8}"
    editor.edit.undo()
    assert editor.text() == "mate\nflipcolor Bh7 kh8"


def test_a_line_with_two_fixes_offers_both(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    checked(qtbot, editor, "K e4 flip vertical Q")
    assert editor.edit.fixable_lines() == {0}
    menu = QMenu()
    qtbot.addWidget(menu)
    editor.edit.menu_opening.emit(menu, 0)
    titles = [action.text() for action in menu.actions()]
    assert "Spell with Unicode signs" in titles
    assert "Why not?" in titles
    offered = [title for title in titles if title.startswith("Write")]
    assert offered == ["Write Ke4 without a blank", "Write flipvertical"]


def test_the_list_of_problems_links_to_the_fix(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    checked(qtbot, editor, "flippcolor Ra1\nfrobnicate")
    qtbot.waitUntil(editor.problems.isVisible)
    assert editor.problems.fix_at(1) is None
    QTest.mouseClick(
        editor.problems.viewport(), Qt.MouseButton.LeftButton, pos=editor.problems.link(0).center()
    )
    assert editor.text() == "flipcolor Ra1\nfrobnicate"
    editor.edit.undo()
    qtbot.waitUntil(lambda: editor.problems.count() == 2)
    editor.problems.setCurrentRow(0)
    QTest.keyClick(editor.problems, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "flipcolor Ra1\nfrobnicate"


def test_the_lamp_in_the_margin_mends_its_line(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    checked(qtbot, editor, "mate\nchekc")
    editor.go_to(5)
    height = editor.edit.fontMetrics().height()
    QTest.mouseClick(editor.edit.gutter, Qt.MouseButton.LeftButton, pos=QPoint(5, height * 3 // 2 + 4))
    assert editor.text() == "mate\ncheck"


def test_a_fix_found_in_another_text_waits_for_the_check_of_this_one(
    qtbot: QtBot, editor: panel.EditorPanel
) -> None:
    text = "cql() flippcolor Ra1"
    checked(qtbot, editor, text)
    (stale,) = [one.fix for one in editor.findings if one.fix is not None]
    editor.edit.select(0, 0)
    for _ in range(3):
        QTest.keyClick(editor.edit, Qt.Key.Key_Space)
    assert not fixes.take(editor.edit, stale)
    editor.problems.fix_chosen.emit(stale)
    menu = QMenu()
    qtbot.addWidget(menu)
    editor.edit.menu_opening.emit(menu, 0)
    assert not [one.text() for one in menu.actions() if "flipcolor" in one.text()]
    assert editor.text() == f"   {text}"
    QTest.keyClick(editor.edit, Qt.Key.Key_Home)
    QTest.keyClick(editor.edit, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: editor.text() != f"   {text}")
    assert editor.text() == "   cql() flipcolor Ra1"


# --- spelling -----------------------------------------------------------------------------------------------


def test_respelling_keeps_the_caret_and_the_selection(editor: panel.EditorPanel) -> None:
    editor.set_text("flipcolor K\n[RN]a1 /* K */ Q")
    editor.edit.select(12, 18)
    editor.respell()
    assert editor.text() == "⬓ ♔\n♖♘a1 /* K */ ♕"
    start, end = editor.selection()
    assert editor.text()[start:end] == "♖♘a1"
    editor.edit.undo()
    assert editor.text() == "flipcolor K\n[RN]a1 /* K */ Q"


# --- the margin ---------------------------------------------------------------------------------------------


def test_the_margin_has_room_for_truth_and_tells_it(editor: panel.EditorPanel) -> None:
    editor.set_text("wtm\n#A\nx")
    margin = editor.edit.gutter
    width = margin.needed_width()
    rows = (
        truth_model.LineTruth(0, True, "", (part("wtm", True),)),
        truth_model.LineTruth(1, True, "16", (part("#A", True, "16"),)),
        truth_model.LineTruth(2, None, "", (part("x < 3", None),)),
    )
    editor.set_truth(gutter.KNOWN, False, rows)
    assert margin.needed_width() == width, "the text does not move"
    assert margin.tip(1) == "✓ <code>#A</code> = 16"
    assert "x &lt; 3" in margin.tip(2)
    bound = truth_model.Truth(
        0, 6, "square x in A square y in a x attacks y", True, "[c3]", 0, binding=("x", "c3")
    )
    way = truth_model.Truth(0, 6, "path --e4 --e5", True, "2", 0, way="1.e4 e5")
    editor.set_truth(gutter.KNOWN, False, (*rows[:2], truth_model.LineTruth(2, True, "", (bound, way))))
    told = margin.tip(2).replace("&nbsp;", "").split("<br>")
    assert [told[1], told[-1]] == ["x = c3", "1.e4 e5"]
    editor.set_truth(gutter.KNOWN, False, rows)
    assert margin.tip(5) == ""
    assert "line 1 holds, line 2 16, line 3 cannot be told" in margin.accessibleDescription()
    editor.set_truth(gutter.PENDING)
    assert set(margin.rows) == {0, 1, 2}
    editor.set_truth(gutter.SLOW)
    assert "half a second" in margin.tip(0)
    editor.set_truth("")
    assert margin.needed_width() == width, "the text stays where it is"
    assert not margin.rows


def test_pointing_at_a_line_tells_its_squares(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    editor.set_text("Ra1 Rb1\nmate")
    rows = (truth_model.LineTruth(0, True, "", (part("Ra1", True, squares=1), part("Rb1", True, squares=2))),)
    editor.set_truth(gutter.KNOWN, True, rows)
    seen: list[int] = []
    editor.edit.gutter.pointed.connect(seen.append)
    height = editor.edit.fontMetrics().height()
    QTest.mouseMove(editor.edit.gutter, QPoint(5, height // 2 + 4))
    QTest.mouseMove(editor.edit.gutter, QPoint(5, height * 3 // 2 + 4))
    assert seen == [3, 0]


# --- the library --------------------------------------------------------------------------------------------


def entry(title: str, *group: str, tags: tuple[str, ...] = (), fen: str = "") -> entry_model.QueryEntry:
    text = f"// title: {title}\n// description: About {title}.\nmate {len(title)} > 0"
    return entry_model.QueryEntry(Path(f"{title}.cql"), title, f"About {title}.", tags, text, fen, group)


@pytest.fixture
def pane(qtbot: QtBot) -> library.LibraryPane:
    made = library.LibraryPane()
    qtbot.addWidget(made)
    made.show()
    made.set_entries(
        [
            entry("Greek gift", "Sacrifices", tags=("attack", "h7"), fen="8/8/8/8/8/8/8/K1k5 w - - 0 1"),
            entry("Boden", "Mates", "Bishops"),
            entry("Own"),
        ]
    )
    return made


def test_the_library_is_a_tree_that_search_narrows(qtbot: QtBot, pane: library.LibraryPane) -> None:
    assert sorted(pane.titles()) == ["Boden", "Greek gift", "Own"]
    for words, expected in (("attack", ["Greek gift"]), ("mates bod", ["Boden"]), ("nothing", [])):
        pane.search.setText(words)
        assert pane.titles() == expected
    assert not pane.tree.isVisible()
    pane.search.clear()
    assert pane.tree.isVisible()


def test_the_current_query_is_previewed_and_run_by_enter_or_double_click(
    qtbot: QtBot, pane: library.LibraryPane
) -> None:
    pane.search.setText("greek")
    assert pane.current is not None
    assert pane.preview.text.toPlainText() == "mate 10 > 0"
    assert pane.preview.diagram.position is not None
    with qtbot.waitSignal(pane.run_wanted) as run:
        QTest.keyClick(pane.search, Qt.Key.Key_Return)
    assert run.args == [pane.current.text, "Greek gift"]
    with qtbot.waitSignal(pane.run_wanted):
        item = pane.tree.currentItem()
        assert item is not None
        pane.tree.itemDoubleClicked.emit(item, 0)
    with qtbot.waitSignal(pane.chosen):
        QTest.mouseClick(pane.preview.edit, Qt.MouseButton.LeftButton)
    pane.search.setText("own")
    assert not pane.preview.diagram.isVisible()


@pytest.mark.parametrize("height", [330, 500])
def test_the_diagram_is_whole_and_the_query_has_lines_at_any_height(
    qtbot: QtBot, pane: library.LibraryPane, height: int
) -> None:
    pane.search.setText("greek")
    pane.resize(350, height)
    preview = pane.preview
    drawn = preview.diagram
    # Whole, with no rank or file cut off.
    qtbot.waitUntil(lambda: drawn.visibleRegion().boundingRect() == drawn.rect())
    assert drawn.width() == 8 * ((drawn.height() - 2) // 8) + 2 >= 8 * 9
    assert drawn.geometry().bottom() < preview.text.geometry().top()
    assert preview.text.viewport().height() >= 4 * preview.text.fontMetrics().height()


def test_the_example_is_in_view_where_the_buttons_act_on_it(manual: keywords.HelpPane) -> None:
    manual.resize(350, 340)
    assert manual.show_word("path")
    example = manual.article.document().find(manual.current.example if manual.current else "")
    assert manual.article.viewport().rect().contains(manual.article.cursorRect(example))


def test_preview_and_help_follow_the_colours(pane: library.LibraryPane, manual: keywords.HelpPane) -> None:
    theme.theme().apply(theme.Choice.LIGHT)
    pane.search.setText("greek")
    manual.show_word("flipdihedral")
    try:
        theme.theme().apply(theme.Choice.DARK)
        QApplication.processEvents()
        item = manual.list.currentItem()
        assert item is not None
        assert item.foreground().color().name() == theme.DARK.muted
        assert theme.DARK.muted in manual.article.toHtml()
        assert theme.DARK.link in pane.preview._tags.text()
        formats = pane.preview.text.document().firstBlock().layout().formats()
        assert theme.DARK.keyword in {one.format.foreground().color().name() for one in formats}
    finally:
        theme.theme().apply(theme.Choice.LIGHT)


def test_entries_that_come_anew_leave_the_current_one(pane: library.LibraryPane) -> None:
    pane.search.setText("boden")
    pane.search.clear()
    pane.set_entries([entry("Another", "Mates"), entry("Boden", "Mates", "Bishops")])
    assert pane.current is not None
    assert pane.current.title == "Boden"


def many() -> list[entry_model.QueryEntry]:
    return [entry(f"{group} {number:02}", group) for group in "ABCDE" for number in range(20)]


def opened(pane: library.LibraryPane) -> list[str]:
    items = [pane.tree.topLevelItem(row) for row in range(pane.tree.topLevelItemCount())]
    return [item.text(0)[0] for item in items if item is not None and item.isExpanded()]


def test_what_a_search_found_stays_in_view_when_the_words_go(pane: library.LibraryPane) -> None:
    pane.set_entries(many())
    pane.tree.collapseAll()
    pane.search.setText("17")
    pane.search.clear()
    item = pane.tree.currentItem()
    assert item is not None
    assert item.text(0) == "A 17"
    assert opened(pane) == ["A"]
    shown = pane.tree.visualItemRect(item)
    assert pane.tree.viewport().rect().contains(shown.center())


def test_an_empty_library_is_not_told_before_it_was_read(qtbot: QtBot) -> None:
    made = library.LibraryPane()
    qtbot.addWidget(made)
    made.show()
    assert made._note.text() == "Reading the library ..."
    made.set_entries([])
    assert made._note.text().startswith("No saved queries yet.")
    made.set_entries([entry("Own")])
    assert not made._note.isVisible()


def group_item(pane: library.LibraryPane, row: int) -> QTreeWidgetItem:
    item = pane.tree.topLevelItem(row)
    assert item is not None
    return item


@pytest.mark.parametrize("more", [[], [entry("New", "Later")]])
def test_entries_that_come_anew_leave_the_place_in_the_tree(
    pane: library.LibraryPane, more: list[entry_model.QueryEntry]
) -> None:
    pane.set_entries(many())
    pane.tree.collapseAll()
    group_item(pane, 1).setExpanded(True)
    group_item(pane, 3).setExpanded(True)
    pane.tree.setCurrentItem(group_item(pane, 1).child(2))
    pane.tree.verticalScrollBar().setValue(9)
    assert pane.tree.verticalScrollBar().value() == 9
    pane.set_entries([*many(), *more])
    item = pane.tree.currentItem()
    assert item is not None
    assert item.text(0) == "B 02"
    assert opened(pane)[:2] == ["B", "D"]
    assert pane.tree.verticalScrollBar().value() == 9
    pane.tree.setCurrentItem(group_item(pane, 3))
    pane.set_entries(many())
    assert pane.tree.currentItem() is group_item(pane, 3)
    assert pane.current is not None
    assert pane.current.title == "B 02"


def test_the_buttons_act_on_the_query_shown_while_a_group_is_current(
    qtbot: QtBot, pane: library.LibraryPane
) -> None:
    pane.search.setText("greek")
    pane.search.clear()
    item = pane.tree.currentItem()
    assert item is not None
    pane.tree.setCurrentItem(item.parent())
    assert pane.preview.text.toPlainText() == "mate 10 > 0"
    for button, told in ((pane.preview.run, pane.run_wanted), (pane.preview.edit, pane.chosen)):
        with qtbot.waitSignal(told) as acted:
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert acted.args[1] == "Greek gift"
    pane.search.setText("boden")
    with qtbot.waitSignal(pane.run_wanted) as acted:
        QTest.keyClick(pane.search, Qt.Key.Key_Return)
    assert acted.args[1] == "Boden"
    pane.search.setText("fits nothing")
    with qtbot.assertNotEmitted(pane.run_wanted):
        QTest.keyClick(pane.search, Qt.Key.Key_Return)


def test_groups_that_a_search_opened_close_after_it_but_for_the_found_one_s(
    pane: library.LibraryPane,
) -> None:
    pane.set_entries(many())
    pane.tree.collapseAll()
    group_item(pane, 2).setExpanded(True)
    for words in ("0", "A 0", ""):
        pane.search.setText(words)
    assert opened(pane) == ["A", "C"]
    pane.search.setText("A 01")
    assert "B" in opened(pane), "each entry has an A somewhere"
    pane.search.clear()
    assert opened(pane) == ["A", "C"]


# --- help ---------------------------------------------------------------------------------------------------


@pytest.fixture
def manual(qtbot: QtBot) -> keywords.HelpPane:
    made = keywords.HelpPane()
    qtbot.addWidget(made)
    made.show()
    return made


def test_every_keyword_is_in_the_help_and_can_be_found(manual: keywords.HelpPane) -> None:
    assert set(manual.words()) == {row.name for row in registry.public()}
    manual.search.setText("⬓")
    assert manual.current is not None
    assert manual.current.name == "flipcolor"
    manual.search.setText("MATE")
    assert manual.current.name == "mate"
    manual.search.setText("frobnicate")
    assert manual.current is None
    assert not manual.article.toPlainText()
    assert not manual.run.isEnabled()
    manual.search.setText("stands in check")
    assert "check" in manual.words()
    assert not manual.show_word("frobnicate")
    assert manual.show_word("path")
    assert manual.current.name == "path"
    assert len(manual.words()) > 100


def test_examples_are_inserted_and_run(qtbot: QtBot, manual: keywords.HelpPane) -> None:
    manual.show_word("mate")
    assert manual.current is not None
    with qtbot.waitSignal(manual.insert_wanted) as inserted:
        QTest.mouseClick(manual.insert, Qt.MouseButton.LeftButton)
    assert inserted.args == [manual.current.example]
    with qtbot.waitSignal(manual.run_wanted) as run:
        QTest.mouseClick(manual.run, Qt.MouseButton.LeftButton)
    assert run.args == [manual.current.example, "Example of mate"]


@pytest.mark.parametrize(
    ("text", "caret", "word"),
    [
        ("flip mate", 2, "flip"),
        ("flip mate", 4, "flip"),
        ("⬓ K", 1, "flipcolor"),
        ('"flip"', 3, ""),
        ("", 0, ""),
    ],
)
def test_the_word_at_the_caret(text: str, caret: int, word: str) -> None:
    assert assistance.word_at(text, caret) == word


# --- old scripts --------------------------------------------------------------------------------------------


def test_an_old_script_opens_translated_and_detached_from_its_file(
    qtbot: QtBot, editor: panel.EditorPanel, tmp_path: Path
) -> None:
    old = "(match (position Kg1 :mate))"
    script = tmp_path / "old.cql"
    script.write_text(old, encoding="utf-8")
    with qtbot.waitSignal(editor.translated) as told:
        assert editor.open_file(script)
    assert told.args == [script, ()]
    assert editor.text().split() == ["cql()", "Kg1", "mate"]
    assert editor.path is None
    assert not editor.save()
    with qtbot.waitSignal(editor.diagnostics_changed):
        editor.edit.undo()
    assert editor.text() == old
    assert editor.path is None
    assert [one.code for one in editor.findings] == ["old-script"]
    assert script.read_text(encoding="utf-8") == old


def test_a_script_that_cannot_be_translated_keeps_its_file_until_another_text_takes_its_place(
    qtbot: QtBot, editor: panel.EditorPanel, tmp_path: Path
) -> None:
    script = tmp_path / "old.cql"
    script.write_text("(match (position Kg1 :mate)", encoding="utf-8")
    with qtbot.waitSignal(editor.diagnostics_changed):
        assert editor.open_file(script)
    assert editor.path == script
    assert "a part of it cannot be read" in editor.findings[0].message
    editor.replace(0, len(editor.text()), "mate")
    assert editor.path is None
    assert "translated" not in editor.name()


def test_an_old_script_is_told_as_such_with_its_translation_as_the_fix(
    qtbot: QtBot, editor: panel.EditorPanel
) -> None:
    checked(qtbot, editor, "(match (position Kg1 :mate))")
    (finding,) = editor.findings
    assert (finding.code, finding.severity) == ("old-script", "error")
    QTest.keyClick(editor.edit, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    assert editor.text().split() == ["cql()", "Kg1", "mate"]


def test_what_cannot_be_translated_is_marked(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    checked(qtbot, editor, "(match\n (position Kg1 :frobnicate))")
    first, note = editor.findings
    assert first.fix is None
    assert "a part of it cannot be read" in first.message
    assert editor.edit.line_severities() == {0: "error", 1: "error"}
    assert note.code == "old-script-note"
