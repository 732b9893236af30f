"""The query editor driven by real keys: text, undo, findings, completion, files."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from cqlgui.base import errors
from cqlgui.tasks.results import entry_model
from cqlgui.ui.editor import files, panel
from cqlgui.ui.look import theme
from cqlgui.ui.picker import panel as picker
from cqlgui.ui.reference import entries, history

STEPS = ("open 0", "open 1", "title", "type", "undo", "redo", "save", "as")
"""What `test_saving_writes_no_text_over_the_file_of_another` does with queries and their files."""


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


def test_three_errors_are_three_squiggles_and_three_problems(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    checked(qtbot, editor, "flippcolor\nchekc\nstalemat")
    assert len(editor.findings) == 3
    assert editor.problems.count() == 3
    assert len(editor.edit.line_severities()) == 3


def test_a_squiggle_behind_astral_characters_stands_under_its_word(
    qtbot: QtBot, editor: panel.EditorPanel
) -> None:
    text = "// \U0001f600\U0001f600\n/* \U0001f600 */ chekc"
    checked(qtbot, editor, text)
    start, end = editor.edit.squiggle_units(editor.findings[0])
    before = len(text[: text.index("chekc")].encode("utf-16-le")) // 2
    assert (start, end) == (before, before + 5)
    assert "did you mean" in editor.edit.hover_html(text.index("chekc") + 1)


def test_a_replacement_is_one_undo_and_keeps_the_caret_at_its_word(editor: panel.EditorPanel) -> None:
    editor.set_text("Bh7 kh8")
    editor.go_to(5)
    editor.replace(0, 7, "flip {Bh7 kh8}")
    assert editor.caret() == 11
    editor.edit.undo()
    assert editor.text() == "Bh7 kh8"


def test_completion_offers_keywords_after_two_letters_and_enter_takes_one(editor: panel.EditorPanel) -> None:
    QTest.keyClicks(editor.edit, "stal")
    assert editor.edit.completer.words()[0] == "stalemate"
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    assert editor.text() == "stalemate"


def test_brackets_close_themselves_and_return_indents(editor: panel.EditorPanel) -> None:
    QTest.keyClicks(editor.edit, "{")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    QTest.keyClicks(editor.edit, "K")
    assert editor.text() == "{\n  K\n}"


def test_control_slash_comments_and_uncomments(editor: panel.EditorPanel) -> None:
    editor.set_text("K\nk")
    editor.edit.select(0, 3)
    for expected in ("// K\n// k", "K\nk"):
        QTest.keyClick(editor.edit, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
        assert editor.text() == expected


def test_files_are_saved_and_opened_and_a_failure_keeps_the_text(
    editor: panel.EditorPanel, tmp_path: Path
) -> None:
    editor.set_text("♔ \U0001f600")
    assert editor.save(tmp_path / "q.cql")
    assert not editor.modified
    assert not editor.open_file(tmp_path)
    assert editor.text() == "♔ \U0001f600"
    editor.set_text("")
    assert editor.open_file(tmp_path / "q.cql")
    assert editor.text() == "♔ \U0001f600"
    assert not editor.save(tmp_path / "missing" / "q.cql")


def test_what_another_program_wrote_is_not_lost_without_a_word(
    editor: panel.EditorPanel, tmp_path: Path
) -> None:
    path, said = tmp_path / "q.cql", list[str]()
    editor.failed.connect(said.append)
    path.write_text("check")
    assert editor.open_file(path)
    editor.replace(0, 5, "mate")
    path.write_text("stalemate")
    assert not editor.save()
    assert path.read_text() == "stalemate"
    assert said == [
        "q.cql was changed by another program. Save once more to write over it, or save this query under "
        "another name."
    ]
    assert editor.save()
    assert editor.save()
    assert path.read_text() == "mate"
    link = tmp_path / "link.cql"
    link.symlink_to(path)
    for other in ("// \xfcber mate".encode("cp1252"), "mate".encode("utf-16"), b"stalemate"):
        path.write_bytes(other)
        assert not editor.save(link if other == b"stalemate" else None)
        assert path.read_bytes() == other
        assert editor.save(path)


def test_each_other_change_is_told_once(editor: panel.EditorPanel, tmp_path: Path) -> None:
    path = tmp_path / "q.cql"
    path.write_text("")
    assert editor.open_file(path)
    seen = editor.seen
    assert seen, "an empty file is known, too"
    editor.replace(0, 0, "mate")
    for other in (b"check", b"\xff", b"stalemate"):
        path.write_bytes(other)
        assert not editor.save()
    # A restart knows what the file held when it was opened, not what was told since.
    editor.recall_seen(seen)
    assert not editor.save()
    path.write_bytes(b"")
    assert editor.save(), "as it was"
    path.write_bytes(b"check")
    assert not editor.save()
    path.unlink()
    assert editor.save(), "there is nothing to lose"


def test_saving_keeps_the_line_ends_of_the_file(editor: panel.EditorPanel, tmp_path: Path) -> None:
    path = tmp_path / "q.cql"
    path.write_bytes(b"check\r\nmate\r\n")
    assert editor.open_file(path)
    editor.replace(0, 5, "stalemate\nwtm")
    assert editor.save()
    assert path.read_bytes() == b"stalemate\r\nwtm\r\nmate\r\n"
    assert editor.save(tmp_path / "new.cql")
    assert b"\r" not in (tmp_path / "new.cql").read_bytes()


def test_a_name_that_no_file_can_have_is_refused(editor: panel.EditorPanel, tmp_path: Path) -> None:
    said = list[str]()
    editor.failed.connect(said.append)
    assert not editor.save(f"{tmp_path}/a\0b.cql")
    assert "cannot be the name of a file" in said[0]


def test_what_is_no_ordinary_file_is_not_waited_for(editor: panel.EditorPanel) -> None:
    """A pipe would stop the window until somebody writes to it; a device may never end."""
    editor.set_text("check")
    assert not editor.open_file("/dev/null")
    assert editor.text() == "check"


@pytest.mark.parametrize("hidden", [False, True])
def test_a_query_with_much_front_matter_is_shown_from_its_body_on(
    qtbot: QtBot, editor: panel.EditorPanel, hidden: bool
) -> None:
    editor.resize(330, 180)
    text = "".join(f"// description: line {n}\n" for n in range(30)) + "cql()\nflipcolor {\n  Bh7\n}\nkg8\n"
    editor.setVisible(not hidden)
    editor.set_text(text + "mate\n" * 20)
    editor.show()
    assert editor.text()[editor.caret() :].startswith("cql()")

    def first_line() -> str:
        return editor.edit.firstVisibleBlock().text()

    qtbot.waitUntil(lambda: first_line() == "cql()")
    editor.set_text("// title: short\nmate\n")
    assert (first_line(), editor.caret()) == ("// title: short", 16)
    editor.set_text("mate")
    assert editor.caret() == 0


def test_the_find_bar_counts_and_selects_matches(editor: panel.EditorPanel) -> None:
    editor.set_text("Ra1 ra1 Ra1")
    editor.find_bar.open()
    QTest.keyClicks(editor.find_bar.needle, "Ra1")
    QTest.keyClick(editor.find_bar, Qt.Key.Key_Return)
    QTest.keyClick(editor.find_bar, Qt.Key.Key_Return)
    assert editor.selection() in ((0, 3), (8, 11))


def test_hovering_a_keyword_tells_its_meaning(editor: panel.EditorPanel) -> None:
    editor.set_text("flip Ra1 path check")
    flip, checked_word = (editor.edit.hover_html(editor.text().index(word)) for word in ("flip", "check"))
    assert "All eight rotations" in flip
    assert "in check" in checked_word
    assert editor.edit.hover_html(4) == ""
    editor.set_text("mate pgn eval > 3")
    assert "hundredths of a pawn" in editor.edit.hover_html(10)


def test_completion_leaves_out_words_that_mean_nothing(editor: panel.EditorPanel) -> None:
    QTest.keyClicks(editor.edit, "pa")
    words = editor.edit.completer.words()
    assert "path" in words
    assert "pathdebug" not in words


def test_escape_closes_the_popup_before_anything_else(editor: panel.EditorPanel) -> None:
    QTest.keyClicks(editor.edit, "mat")
    assert editor.edit.completer.words()[0] == "mate"
    QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
    assert editor.edit.completer.words() == []
    assert editor.text() == "mat"
    QTest.keyClick(editor.edit, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(editor.edit, Qt.Key.Key_Tab)
    assert editor.text() == "mate"


def test_brackets_are_not_closed_in_a_string_that_is_being_typed(editor: panel.EditorPanel) -> None:
    QTest.keyClicks(editor.edit, '"a {')
    assert editor.text() == '"a {'


def test_undo_puts_the_caret_where_the_edit_was(editor: panel.EditorPanel) -> None:
    editor.set_text("mate\nwtm\n")
    editor.go_to(7)
    QTest.keyClick(editor.edit, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "mate\n// wtm\n"
    QTest.keyClick(editor.edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "mate\nwtm\n"
    assert 5 <= editor.caret() <= 8


def colour_at(editor: panel.EditorPanel, line: int) -> str:
    block = editor.edit.document().findBlockByNumber(line)
    formats = block.layout().formats()
    return str(formats[0].format.foreground().color().name()) if formats else ""


def test_a_theme_change_colours_the_text_anew_and_keeps_what_was_found(
    qtbot: QtBot, editor: panel.EditorPanel
) -> None:
    theme.theme().apply(theme.Choice.LIGHT)
    checked(qtbot, editor, "flip Ra1 chekc")
    assert colour_at(editor, 0) == theme.LIGHT.transform
    try:
        theme.theme().apply(theme.Choice.DARK)
        assert colour_at(editor, 0) == theme.DARK.transform
        assert len(editor.edit.line_severities()) == 1
    finally:
        theme.theme().apply(theme.Choice.LIGHT)


def test_a_long_query_is_coloured_where_it_is_looked_at(editor: panel.EditorPanel) -> None:
    editor.set_text("\n".join(["/*"] + ["flip Ra1"] * 2_000 + ["*/"] + ["flip Ra1"] * 2_000))
    assert colour_at(editor, 1) != ""
    assert colour_at(editor, 3_900) == ""
    editor.edit.verticalScrollBar().setValue(1_900)
    assert colour_at(editor, 1_905) == colour_at(editor, 1)  # still within the comment
    editor.edit.verticalScrollBar().setValue(3_880)
    assert colour_at(editor, 3_900) not in ("", colour_at(editor, 1_905))


def test_the_panel_works_at_a_width_of_300_pixels(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    editor.set_text("chekc", "a title that is much longer than the panel has room for, by far")
    editor.find_bar.open()
    assert editor.minimumSizeHint().width() <= 300


def test_the_history_filters_and_chooses_by_keys(qtbot: QtBot) -> None:
    @dataclasses.dataclass
    class Run:
        text: str
        base: str
        asked: float
        games: int
        positions: int

    past = history.HistoryPane()
    qtbot.addWidget(past)
    past.show()
    past.set_entries([Run("mate", "sample", 0.0, 1, 2), Run("stalemate wtm", "sample", 0.0, 3, 4)])
    assert past.list.count() == 2
    QTest.keyClicks(past.search, "stale")
    with qtbot.waitSignal(past.chosen) as seen:
        QTest.keyClick(past.search, Qt.Key.Key_Return)
    assert seen.args is not None
    assert seen.args[0] == "stalemate wtm"
    QTest.keyClicks(past.search, "bishop")
    assert not past.list.isVisible()


def test_the_history_changes_only_where_it_changed(qtbot: QtBot) -> None:
    past = history.HistoryPane()
    qtbot.addWidget(past)
    for texts in ("", "abc", "dabc", "bdac", "bdac", "ec", "cfe", ""):
        before = {past.list.item(row).text(): past.list.item(row) for row in range(past.list.count())}
        shown = list(before)
        past.set_entries([entries.Entry(text, text.upper()) for text in texts])
        titles = [past.list.item(row).text() for row in range(past.list.count())]
        assert titles == list(texts.upper())
        if titles[1:] == shown:
            assert [past.list.item(row) for row in range(1, len(titles))] == list(before.values())
    past.set_entries([entries.Entry("mate", "Mate"), entries.Entry("check", "Check")])
    past.search.setText("check")
    past.set_entries([entries.Entry(text, text) for text in ("check here", "mate")])
    assert [past.list.item(row).isHidden() for row in range(2)] == [False, True]


def test_the_history_calls_a_theme_by_its_title(qtbot: QtBot) -> None:
    texts = [
        "// title: Smothered mate\n// description: A knight mates.\ncql()\nmate",
        "// description: Nameless.\n// tags: mates\nmate\n  wtm",
        "// a remark\nmate",
        "// title:\n",
    ]
    past = history.HistoryPane()
    qtbot.addWidget(past)
    past.set_entries(
        [history.read(entry_model.HistoryEntry(text, "", None, None, None, 0.0)) for text in texts]
    )
    titles = [past.list.item(row).text() for row in range(past.list.count())]
    assert titles == ["Smothered mate", "mate wtm", "// a remark mate", "(empty query)"]
    QTest.keyClicks(past.search, "knight mates")
    with qtbot.waitSignal(past.chosen) as seen:
        QTest.keyClick(past.search, Qt.Key.Key_Return)
    assert seen.args == [texts[0], "Smothered mate"]


def test_a_window_that_holds_the_panels_closes_in_the_middle_of_a_check(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    editor, chooser = panel.EditorPanel(window), picker.PickerPanel(window)
    chooser.attach(editor)
    window.setCentralWidget(editor)
    window.show()
    editor.set_text("flip {Ra1 kg8}\n" * 200)
    QTest.keyClicks(editor.edit, "x")
    chooser.shut_down()
    editor.shut_down()
    window.close()
    assert not editor.checking


def test_escape_reaches_popup_and_find_bar_before_the_windows_shortcut(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    editor = panel.EditorPanel(window)
    window.setCentralWidget(editor)
    stopped: list[bool] = []
    stop = QShortcut(QKeySequence("Esc"), window)
    stop.activated.connect(lambda: stopped.append(True))
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    editor.edit.setFocus()
    QTest.keyClicks(editor.edit, "mat")
    QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
    assert editor.edit.completer.words() == []
    QTest.keyClick(editor.edit, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(editor.find_bar.needle, Qt.Key.Key_Escape)
    assert not editor.find_bar.isVisible()
    assert stopped == []
    QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
    assert stopped == [True]
    editor.shut_down()


def test_the_list_of_problems_waits_for_a_pause_in_typing_and_stays_closed(
    qtbot: QtBot, editor: panel.EditorPanel
) -> None:
    with qtbot.waitSignal(editor.diagnostics_changed):
        QTest.keyClicks(editor.edit, "chekc")
    assert editor.edit.line_severities() == {0: "error"}
    assert not editor.problems.isVisible()
    qtbot.waitUntil(editor.problems.isVisible)
    editor._state.click()
    assert not editor.problems.isVisible()
    checked(qtbot, editor, "stalemat")
    assert not editor.problems.isVisible()
    editor._state.click()
    assert editor.problems.isVisible()


def test_an_empty_editor_shows_an_example(qtbot: QtBot, editor: panel.EditorPanel) -> None:
    editor.resize(400, 300)
    editor.show()
    editor.set_text("")
    words = editor.edit.placeholderText()
    assert words
    shown = editor.edit.viewport().grab().toImage()
    editor.edit.setPlaceholderText("")
    assert editor.edit.viewport().grab().toImage() != shown, "something covers the words"


def test_undoing_to_another_text_leads_back_to_its_file(editor: panel.EditorPanel, tmp_path: Path) -> None:
    mate, stale, script = tmp_path / "mate.cql", tmp_path / "stale.cql", tmp_path / "old.cqls"
    mate.write_text("mate", encoding="utf-8")
    stale.write_text("stalemate", encoding="utf-8")
    script.write_text("(match (position Pa4 Nd4 :wtm))", encoding="utf-8")
    for path in (mate, stale, script):
        assert editor.open_file(path)
    editor.set_text("check", "A theme")
    names = [editor.name()]
    for step in (editor.edit.undo, editor.edit.redo):
        for _ in range(4):
            step()
            names.append(editor.name())
            assert editor.path == next((p for p in (mate, stale, script) if p.name == names[-1]), None)
    down = ["old, translated", "old, old script", "stale.cql", "mate.cql"]
    assert names == ["A theme", *down, *down[-2::-1], "A theme"]


def test_what_is_typed_after_undoing_belongs_to_the_text_it_is_typed_into(
    editor: panel.EditorPanel, tmp_path: Path
) -> None:
    mate, other = tmp_path / "mate.cql", tmp_path / "other.cql"
    mate.write_text("mate", encoding="utf-8")
    editor.open_file(mate)
    editor.set_text("check", "A theme")
    editor.edit.undo()
    QTest.keyClicks(editor.edit, " wtm")
    assert editor.name() == "mate.cql"
    assert editor.save(other)
    editor.edit.undo()
    assert editor.text() == "mate"
    assert editor.path == other, "a document that was saved under another name has it as a whole"


def test_redoing_to_a_name_needs_the_text_that_had_it(editor: panel.EditorPanel, tmp_path: Path) -> None:
    mate, check = tmp_path / "mate.cql", tmp_path / "check.cql"
    mate.write_text("mate", encoding="utf-8")
    check.write_text("check", encoding="utf-8")
    editor.open_file(mate)
    editor.open_file(check)
    steps = editor.edit.document().availableUndoSteps()
    editor.edit.undo()
    # As many steps as before, yet another text.
    while editor.edit.document().availableUndoSteps() < steps:
        editor.replace(0, 0, "K ")
    assert editor.path == mate
    assert editor.save()
    assert check.read_text(encoding="utf-8") == "check"
    editor.edit.undo()
    editor.edit.redo()
    assert editor.path == mate


def test_the_same_text_typed_anew_does_not_get_the_name_of_one_that_was_undone(
    editor: panel.EditorPanel, tmp_path: Path
) -> None:
    mate, check = tmp_path / "mate.cql", tmp_path / "check.cql"
    mate.write_text("mate", encoding="utf-8")
    check.write_text("check", encoding="utf-8")
    editor.open_file(mate)
    editor.open_file(check)
    editor.edit.undo()
    cursor = editor.edit.textCursor()
    cursor.select(cursor.SelectionType.Document)
    cursor.insertText("check")
    assert editor.text() == "check"
    assert editor.path == mate


def test_what_is_typed_on_as_one_step_ends_the_names_of_what_was_undone(
    editor: panel.EditorPanel, tmp_path: Path
) -> None:
    mate, empty = tmp_path / "mate.cql", tmp_path / "empty.cql"
    mate.write_text("mate", encoding="utf-8")
    empty.write_text("", encoding="utf-8")
    editor.open_file(mate)
    QTest.keyClick(editor.edit, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(editor.edit, "a")
    document = editor.edit.document()
    before = document.availableUndoSteps()
    editor.open_file(empty)
    steps = document.availableUndoSteps()
    editor.edit.undo()
    QTest.keyClick(editor.edit, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(editor.edit, "b")
    assert editor.text() == "mateab"
    assert document.availableUndoSteps() == before, "Qt makes it one step with the letter before"
    while document.availableUndoSteps() < steps:
        editor.replace(0, 0, "K ")
    assert editor.path == mate


def test_a_text_that_the_editor_takes_over_changed_keeps_its_name_when_redone(
    editor: panel.EditorPanel, tmp_path: Path
) -> None:
    mate, pasted = tmp_path / "mate.cql", tmp_path / "pasted.cql"
    mate.write_text("mate", encoding="utf-8")
    # The editor shows such spaces and line ends as common ones.
    pasted.write_text("check\u00a0wtm\u2028K", encoding="utf-8")
    editor.open_file(mate)
    editor.open_file(pasted)
    editor.edit.undo()
    assert editor.path == mate
    editor.edit.redo()
    assert editor.path == pasted, "saving would write it over another file"


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(["open 0", "open 1", "title", "type", "undo", "redo", "save", "as"]), max_size=14
    )
)
def test_saving_writes_no_text_over_the_file_of_another(steps: list[str]) -> None:
    # What was saved or opened as a file is followed beside the editor, as a plain list of states.
    application = QApplication.instance() or QApplication([])
    assert application is not None
    with tempfile.TemporaryDirectory() as place:
        files = [Path(place, f"{number}.cql") for number in range(3)]
        for number, path in enumerate(files):
            path.write_text(f"file{number}", encoding="utf-8")
        edited = panel.EditorPanel()
        try:
            _walk(edited, files, steps)
        finally:
            edited.shut_down()
            edited.deleteLater()


def _walk(edited: panel.EditorPanel, files: list[Path], steps: list[str]) -> None:
    """Do the steps and compare the editor's file with a model that keeps each state with its owner."""
    owners: list[Path | None] = [None]
    document, marks, here = [("", 0)], owners, 0
    for count, step in enumerate(steps):
        text, owner = document[here]
        if step.startswith("open") or step == "title":
            path = files[int(step[-1])] if step != "title" else None
            if path is not None:
                new = path.read_text(encoding="utf-8")
                assert edited.open_file(path)
            else:
                new = f"title{count}"
                edited.set_text(new, "A theme")
            marks.append(path)
            if new == text:
                # No step of undo: the state itself is another document's now.
                document[here] = (new, len(marks) - 1)
            else:
                document[here + 1 :] = [(new, len(marks) - 1)]
                here += 1
        elif step == "type":
            edited.replace(0, 0, f"n{count} ")
            document[here + 1 :] = [(f"n{count} {text}", owner)]
            here += 1
        elif step == "undo":
            edited.edit.undo()
            here = max(0, here - 1)
        elif step == "redo":
            edited.edit.redo()
            here = min(len(document) - 1, here + 1)
        else:
            target = files[2] if step == "as" else marks[owner]
            if target is not None:
                assert edited.save(target if step == "as" else None)
                assert target.read_text(encoding="utf-8") == text
                marks[owner] = target
        assert edited.text() == document[here][0]
        assert edited.path == marks[document[here][1]]


def test_a_link_that_leads_to_itself_is_not_saved_to(tmp_path: Path) -> None:
    loop = tmp_path / "loop.cql"
    try:
        loop.symlink_to(loop)
    except OSError:
        pytest.skip("no links can be made here")
    with pytest.raises(errors.SourceError, match="leads to itself"):
        files.write(loop, "mate")


def test_both_keys_make_an_undone_change_again(editor: panel.EditorPanel) -> None:
    for key, held in (
        (Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier),
        (Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier),
    ):
        editor.set_text("mate")
        editor.set_text("check")
        QTest.keyClick(editor.edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert editor.text() == "mate"
        QTest.keyClick(editor.edit, key, held)
        assert editor.text() == "check"
