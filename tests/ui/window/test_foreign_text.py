"""A stranger's words in the window are shown as they are: no markup of theirs is laid out anywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QTableView,
    QTextEdit,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from cqlgui.base.files import folders
from cqlgui.tasks.databases import history
from cqlgui.tasks.results import base_model
from cqlgui.ui.look import wording
from cqlgui.ui.panels import bad_games, export_dialog
from cqlgui.ui.window import main_window, start
from tests import helpers

MARKUP = "<b>own</b> <img src='x.png'> <a href='file:x'>own</a>"
GAMES = f"""[Event "{MARKUP}"]
[White "{MARKUP}"]
[Black "{MARKUP}"]
[Result "0-1"]
[Date "{MARKUP}"]

1. f3 {{{MARKUP}}} e5 2. g4 Qh4# {{{MARKUP}}} 0-1

[Event "{MARKUP}"]
[White "{MARKUP}"]

1. e4 {MARKUP} Ke3 *
"""
QUERY = f'flipcolor (mate or message("{MARKUP}")) comment("{MARKUP}")'
THEME = f"// title: {MARKUP}\n// description: {MARKUP}\n// tags: {MARKUP}\ncql()\nmate\n"
MOST_ROWS = 50


@pytest.fixture
def main(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[main_window.MainWindow]:
    """The window with a stranger's games, queries, history and findings in it."""
    own = folders.data() / "queries" / MARKUP.replace("/", "")
    own.mkdir(parents=True)
    (own / f"{MARKUP.replace('/', '')}.cql").write_text(THEME)
    history.add(f"// {MARKUP}\n  mate", MARKUP, None)
    source = tmp_path / f"{MARKUP.replace('/', '')}.pgn"
    source.write_text(GAMES)
    start.set_up(qapp)
    shown = main_window.MainWindow()
    shown.show()
    with qtbot.waitSignal(shown.opener.opened):
        shown.begin([source])
    with qtbot.waitSignal(shown.searcher.finished):
        shown.searching.run_text(QUERY, MARKUP)
    qtbot.waitUntil(lambda: shown.hits.count > 0)
    yield shown
    shown.close()
    shown.deleteLater()


def test_no_widget_of_the_window_lays_it_out(qtbot: QtBot, main: main_window.MainWindow) -> None:
    main.library.show()
    main.history.show()
    tree = main.library.tree
    tree.expandAll()
    found = tree.findItems(MARKUP, Qt.MatchFlag.MatchRecursive | Qt.MatchFlag.MatchExactly)
    if found:
        tree.setCurrentItem(found[0])
    main.editor.set_text(f'comment("{MARKUP}" {MARKUP}')
    qtbot.waitUntil(lambda: bool(main.editor.problems.count()))
    seen = [
        *(text for label in main.findChildren(QLabel) for text in of_label(label)),
        *(widget.toolTip() for widget in main.findChildren(QWidget)),
        *(tip for view in main.findChildren(QAbstractItemView) for tip in of_view(view)),
        *(action.toolTip() for action in main.actions() if action.toolTip() != action.text()),
    ]
    assert any("&lt;img" in text for text in seen), "it is shown somewhere"
    laid_out = [text for text in seen if GuiQt.mightBeRichText(text) and "<img" in text]
    assert laid_out == []
    for page in main.findChildren(QTextEdit):
        assert "<img" not in page.toHtml()


def test_its_dialogs_do_not_either(qtbot: QtBot, main: main_window.MainWindow) -> None:
    entry = base_model.BadGame(2, Path(MARKUP), 0, 1, MARKUP)
    counts = export_dialog.ExportCounts(1, 1, 1, MARKUP, 1)
    bad = bad_games.BadGamesDialog()
    bad.set_games([entry])
    for dialog in (bad, export_dialog.ExportDialog(None, counts, Path(MARKUP), MARKUP)):
        qtbot.addWidget(dialog)
        seen = [
            *(text for label in dialog.findChildren(QLabel) for text in of_label(label)),
            *(tip for view in dialog.findChildren(QAbstractItemView) for tip in of_view(view)),
        ]
        assert [text for text in seen if GuiQt.mightBeRichText(text) and "<img" in text] == []


def test_a_game_is_copied_in_the_letters_it_is_shown_with(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "old.pgn"
    source.write_bytes('[White "Müller \u2013 Šahović"]\n\n1. e4 {schön} *\n'.encode("cp1252", "replace"))
    main.begin([source])
    qtbot.waitUntil(lambda: main.browser.game is not None and b"1. e4 {" in main.browser.game.raw)
    main.output.copy_pgn()
    assert "Müller \u2013 Š" in QGuiApplication.clipboard().text()
    assert "{schön}" in QGuiApplication.clipboard().text()


@pytest.mark.parametrize("word", ["x", "<", "a b\n"])
def test_a_text_without_end_makes_no_tool_tip_without_end(word: str) -> None:
    # Qt lays out all of it on hovering, a million letters in seconds.
    shown = QTextDocument()
    shown.setHtml(wording.plain_tip(word * 50_000))
    assert 1_000 < len(shown.toPlainText()) < 10_000
    assert shown.toPlainText().endswith("…")


def of_label(label: QLabel) -> list[str]:
    """What the label lays out as rich text, should it look like it."""
    plain = label.textFormat() in (Qt.TextFormat.PlainText, Qt.TextFormat.MarkdownText)
    return [] if plain else [label.text()]


def of_view(view: QAbstractItemView) -> Iterator[str]:
    """The tool tips of the first cells, and those of the heads."""
    model = view.model()
    if model is None:
        return
    # Qt lets nobody ask a list for its only column.
    columns = model.columnCount(QModelIndex()) if isinstance(view, (QTreeView, QTableView)) else 1
    around = [QModelIndex()]
    while around:
        parent = around.pop()
        for row in range(min(model.rowCount(parent), MOST_ROWS)):
            for column in range(columns):
                index = model.index(row, column, parent)
                yield str(model.data(index, Qt.ItemDataRole.ToolTipRole) or "")
            if isinstance(view, QTreeView):
                around.append(model.index(row, 0, parent))
    for section in range(columns):
        yield str(model.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) or "")


@pytest.mark.parametrize(
    "path", sorted((helpers.ROOT / "cqlgui" / "ui").rglob("*.py")), ids=lambda one: one.stem
)
def test_labels_and_tool_tips_are_made_in_one_place(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    wrong = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func)
        if name in ("QLabel", "QTextBrowser", "QTextEdit", "QErrorMessage", "QProgressDialog"):
            wrong.append(f"{path.name}:{call.lineno}: {name}")
        if name.startswith("QMessageBox.") and not all(map(constant, call.args[1:])):
            wrong.append(f"{path.name}:{call.lineno}: {name} shows more than a constant")
        if name.endswith((".setToolTip", ".setWhatsThis", "QToolTip.showText")):
            said = call.args[1] if len(call.args) > 1 else call.args[0]
            if not constant(said) and ast.unparse(said).split("(")[0] not in MAKERS:
                wrong.append(f"{path.name}:{call.lineno}: a tool tip that is not made by `wording`")
    for made in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        bases = {ast.unparse(base) for base in made.bases}
        methods = {part.name for part in made.body if isinstance(part, ast.FunctionDef)}
        if bases & {"QTextEdit", "QTextBrowser"} and "loadResource" not in methods:
            wrong.append(f"{path.name}:{made.lineno}: {made.name} loads what its text names")
    assert wrong == []


MAKERS = ("wording.plain_tip", "wording.markup_tip", "wording.pictured_tip")


def constant(node: ast.expr) -> bool:
    """Whether it is a text of the program itself, and no markup."""
    if isinstance(node, ast.Name) and node.id.isupper():
        return True
    return isinstance(node, ast.Constant) and "<" not in str(node.value)


def test_pages_load_nothing_from_outside(main: main_window.MainWindow) -> None:
    picture = helpers.ROOT / "resources" / "icons" / "cqlgui.svg"
    assert picture.is_file()
    pages = main.findChildren(QTextEdit)
    assert pages
    for page in pages:
        kind = QTextDocument.ResourceType.ImageResource
        found = page.document().resource(kind.value, QUrl.fromLocalFile(str(picture)))
        assert not found
