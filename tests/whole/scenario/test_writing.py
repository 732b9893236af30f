"""Writing a query in a real window: mistakes while typing, margin, library, help, both spellings.

With `CQLGUI_SHOTS` naming a folder, the run leaves pictures there, light and dark, in two sizes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QWidget
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.tasks.search import margin
from cqlgui.ui.editor import gutter
from cqlgui.ui.helping import why
from cqlgui.ui.look import theme
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb

HELD_SECONDS = 120


def open_sample(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    qtbot.waitUntil(lambda: main.browser.game is not None)


def shoot(qtbot: QtBot, main: main_window.MainWindow, name: str, pane: QDockWidget | None = None) -> None:
    """Keep pictures of the window in both colours and two sizes."""
    folder = os.environ.get("CQLGUI_SHOTS")
    if not folder:
        return
    before = main.size()
    for size in (QSize(1366, 768), QSize(1024, 700)):
        main.resize(size)
        qtbot.wait(150)
        main.docks.show(pane or main.docks.query)
        for choice in (theme.Choice.DARK, theme.Choice.LIGHT):
            theme.theme().apply(choice)
            QApplication.processEvents()
            main.grab().save(str(Path(folder) / f"{name}-{size.width()}-{choice.value}.png"))
    main.resize(before)
    qtbot.wait(150)
    main.docks.show(pane or main.docks.query)


def write(qtbot: QtBot, main: main_window.MainWindow, text: str) -> None:
    main.editor.set_text(text)
    qtbot.waitUntil(lambda: not main.editor.checking)


def covered(pane: QWidget) -> bool:
    """Whether nothing of it is seen; to Qt a pane behind another one is visible all the same."""
    return pane.visibleRegion().isEmpty()


def known(main: main_window.MainWindow) -> bool:
    return main.editor.edit.gutter.state == gutter.KNOWN and not main.assistance.live.busy


def truth(main: main_window.MainWindow) -> dict[int, bool | None]:
    return {line: row.matched for line, row in main.editor.edit.gutter.rows.items()}


def test_three_mistakes_show_three_squiggles_while_typing(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    edit = main.editor.edit
    qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, 10))
    for line in ("flippcolor Ra1", "chekc", "stalemat"):
        qtbot.keyClicks(edit, line)
        qtbot.keyClick(edit, Qt.Key.Key_Escape)
        qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(main.editor.findings) == 3)
    marked = [edit.text()[one.span.offset : one.span.end] for one in main.editor.findings]
    assert marked == ["flippcolor", "chekc", "stalemat"]
    assert set(edit.line_severities()) == {0, 1, 2}
    qtbot.waitUntil(main.editor.problems.isVisible)
    shoot(qtbot, main, "mistakes")

    # Each is mended by its link, its lamp or the key, and every mend can be undone.
    link = main.editor.problems.link(0).center()
    qtbot.mouseClick(main.editor.problems.viewport(), Qt.MouseButton.LeftButton, pos=link)
    assert edit.text().startswith("flipcolor Ra1")
    qtbot.waitUntil(lambda: len(main.editor.findings) == 2)
    main.editor.go_to(edit.text().index("chekc"))
    qtbot.keyClick(edit, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    assert "check\n" in edit.text()
    qtbot.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert "chekc\n" in edit.text()


def test_the_margin_shows_truth_and_why_not_leads_to_where_it_holds(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    write(qtbot, main, "cql()\nwtm\nflipcolor {\n  Ke1\n  _e2   // free\n}\n#A\nPe4 and Pd4\n")
    qtbot.waitUntil(lambda: known(main))
    assert truth(main) == {1: True, 2: False, 3: True, 4: False, 6: True, 7: False}
    assert main.editor.edit.gutter.rows[6].value == "16"
    shoot(qtbot, main, "margin")
    main.board.setFocus()
    qtbot.keyClick(main.board, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: known(main) and truth(main)[1] is False)

    # A key that makes another text asks anew.
    write(qtbot, main, "wtm\n[Qq] == 1\n")
    qtbot.waitUntil(lambda: known(main) and truth(main) == {0: False, 1: False})
    write(qtbot, main, "[Qq] == 1 Q\n")
    qtbot.waitUntil(lambda: known(main) and truth(main) == {0: False})
    main.infobar.show_message("An older notice.", "warning", key="test")
    qtbot.keyClick(main, Qt.Key.Key_F4)
    qtbot.waitUntil(lambda: main.infobar.waiting == 1)
    message = main.infobar.shown
    assert message is not None
    assert "`[Qq] == 1` fails (line 1)" in message.text
    assert main.editor.selection() == (0, 9)
    shoot(qtbot, main, "why-not")
    write(qtbot, main, "wtm\n")
    assert main.infobar.shown is not None
    assert main.infobar.shown.text == "An older notice."
    main.infobar.clear()
    main.assistance.why.ask()
    qtbot.waitUntil(lambda: main.infobar.shown is not None and main.infobar.shown.action is not None)
    before = main.browser.positionid
    shown = main.infobar.shown
    assert shown is not None
    assert shown.action is not None
    shown.action[1]()
    assert main.browser.positionid == before + 1
    qtbot.waitUntil(lambda: known(main) and truth(main) == {0: True})


def test_the_margin_tells_what_was_looked_at_elsewhere(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    write(qtbot, main, "find {\n  check\n  ply > 4\n}\nwtm")
    qtbot.waitUntil(lambda: known(main) and len(truth(main)) == 4)
    margin_ = main.editor.edit.gutter
    rows = margin_.rows
    assert [line for line, row in rows.items() if row.elsewhere] == [1, 2]
    assert rows[1].matched
    assert f"✓ <code>check</code> at {rows[1].elsewhere}" in margin_.tip(1)
    assert " at move" not in margin_.tip(4)
    assert f"line 2 holds at {rows[1].elsewhere}, " in margin_.accessibleDescription()
    # Its squares belong to another board than the one that is shown.
    with qtbot.waitSignal(margin_.pointed) as told:
        margin_._point(1)
    assert told.args == [0]
    shoot(qtbot, main, "elsewhere")
    write(qtbot, main, "x = 0\nwhile (x < 3) {x += 1}")
    qtbot.waitUntil(lambda: known(main) and 1 in truth(main))
    assert ", 3 rounds" in margin_.tip(1)
    write(qtbot, main, "flipcolor {\n  Kg8\n  Rh1\n  power A > 100\n}")
    qtbot.waitUntil(lambda: known(main) and 3 in truth(main))
    shoot(qtbot, main, "element")
    main.browser.go(len(main.browser.game.tree) - 1 if main.browser.game else 0)
    write(qtbot, main, "find <-- {\n  ply == 1\n  power A + 100\n}\nflipcolor {\n  Qd4\n  check\n}")
    qtbot.waitUntil(lambda: known(main) and 2 in truth(main))
    shoot(qtbot, main, "back")


def test_a_query_that_cannot_be_run_here_says_why(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    write(qtbot, main, "mate\nwhile (true) {x = 1}")
    main.browser.go(0)
    qtbot.waitUntil(lambda: known(main))
    write(qtbot, main, "while (true) {x = 1}\nmate")
    qtbot.waitUntil(lambda: main.editor.edit.gutter.state == gutter.FAULT)
    assert truth(main) == {0: None, 1: None}
    assert "does not end" in main.editor.edit.gutter.tip(0)
    assert main.editor._live.text() == "Cannot be told"
    shoot(qtbot, main, "fault")


def test_a_position_that_a_search_passes_over_is_said_to_be_one(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    games = tmp_path / "games.pgn"
    games.write_text('[White "A"]\n[Result "*"]\n\n1. e4 (1. d4 d5) 1... e5 *\n', encoding="utf-8")
    with qtbot.waitSignal(main.opener.opened):
        main.begin([games])
    qtbot.waitUntil(lambda: main.browser.game is not None)
    write(qtbot, main, "Pd4")
    qtbot.waitUntil(lambda: known(main))
    qtbot.keyClick(main, Qt.Key.Key_F4)
    qtbot.waitUntil(lambda: said(main).endswith("It holds nowhere in the main line."))
    main.browser.go(3)
    qtbot.waitUntil(lambda: known(main) and truth(main) == {0: True})
    assert main.editor._live.text() == "On board, not searched"
    qtbot.keyClick(main, Qt.Key.Key_F4)
    qtbot.waitUntil(lambda: "a search passes over variations" in said(main))
    write(qtbot, main, "cql(variations) Pd4")
    qtbot.waitUntil(lambda: main.editor._live.text() == "On board")


def test_in_pattern_mode_no_verdict_on_the_game_stands_beside_what_is_drawn(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    write(qtbot, main, "Nf5 kg8")
    qtbot.waitUntil(lambda: known(main) and main.editor._live.text() == "Not on board")
    main.pointing.set_active(True)
    qtbot.waitUntil(lambda: main.editor._live.isHidden())
    write(qtbot, main, "Nf5 kg8 check")
    qtbot.waitUntil(lambda: not main.assistance.live.busy and not main.editor.checking)
    assert main.editor._live.isHidden()
    main.pointing.set_active(False)
    qtbot.waitUntil(lambda: known(main) and not main.editor._live.isHidden())


def test_what_a_key_shows_in_the_query_comes_to_the_front(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    script = tmp_path / "old.cql"
    script.write_text(OLD, encoding="utf-8")
    open_sample(qtbot, main)

    def behind() -> None:
        main.docks.show(main.docks.library)
        qtbot.waitUntil(lambda: covered(main.editor) and not covered(main.library))

    def in_front() -> bool:
        return main.editor.edit.hasFocus() and not covered(main.editor)

    behind()
    main.opening.open_files([script])
    qtbot.waitUntil(in_front)
    assert main.editor.text().startswith("cql(")
    write(qtbot, main, "btm")
    behind()
    qtbot.keyClick(main, Qt.Key.Key_F4)
    qtbot.waitUntil(lambda: said(main).startswith("Not here, because `btm` fails (line 1)."))
    qtbot.waitUntil(in_front)
    write(qtbot, main, "path\n--e4 --a6")
    qtbot.keyClick(main, Qt.Key.Key_F4)
    qtbot.waitUntil(lambda: "`--a6` fails at move 1(btm) (line 2)." in said(main))
    write(qtbot, main, "chekc")
    behind()
    qtbot.keyClick(main, Qt.Key.Key_F5)
    qtbot.waitUntil(in_front)
    assert said(main).startswith("The query cannot be run")


def test_a_query_that_takes_too_long_says_so_and_is_given_up(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main)
    nest = "square a_ in . square b_ in . square c_ in . square d_ in . {a_ == b_ c_ == d_ a_ == h8 not K}"
    write(qtbot, main, "btm")
    qtbot.waitUntil(lambda: known(main) and truth(main) == {0: False})
    write(qtbot, main, nest)
    qtbot.waitUntil(lambda: main.editor.edit.gutter.state == gutter.SLOW)
    assert set(truth(main)) == {0}
    write(qtbot, main, f"\n// slow\n\nmate\n{nest}")
    assert truth(main) == {}
    qtbot.waitUntil(lambda: main.editor.edit.gutter.state == gutter.SLOW and bool(truth(main)))
    assert set(truth(main)) == {3, 4}, "the clock stands on the filters of the text as it is"
    write(qtbot, main, "wtm")
    qtbot.waitUntil(lambda: known(main) and truth(main) == {0: True})


def test_the_library_opens_previews_and_runs_a_theme(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    pane = main.library
    qtbot.waitUntil(lambda: bool(pane.titles()))
    main.docks.show(main.docks.library)
    qtbot.waitUntil(pane.isVisible)
    qtbot.keyClicks(pane.search, "greek gift")
    assert all("reek gift" in title for title in pane.titles())
    entry = pane.current
    assert entry is not None
    assert entry.title == "Greek gift"
    assert "Bh7" in pane.preview.text.toPlainText()
    assert "// title" not in pane.preview.text.toPlainText()
    assert pane.preview.diagram.isVisible() == bool(entry.fen)
    shoot(qtbot, main, "library", main.docks.library)
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(pane.search, Qt.Key.Key_Return)
    assert main.hits.count > 0
    assert main.editor.text() == entry.text


def test_keys_go_to_the_pane_in_front(qtbot: QtBot, main: main_window.MainWindow) -> None:
    main.begin([])
    write(qtbot, main, "flipcolor mate")
    main.editor.edit.setFocus()
    qtbot.wait(50)
    assert main.editor.edit.hasFocus()
    main.editor.go_to(2)
    qtbot.keyClick(main.editor.edit, Qt.Key.Key_F1)
    pane = main.assistance.help
    qtbot.waitUntil(pane.search.hasFocus)
    assert pane.current is not None
    assert pane.current.name == "flipcolor"
    main.docks.show(main.docks.query)
    qtbot.waitUntil(main.editor.edit.hasFocus)
    main.docks.show(main.docks.library)
    qtbot.waitUntil(main.library.search.hasFocus)
    qtbot.keyClicks(QApplication.focusWidget(), "greek")
    assert main.library.search.text() == "greek"
    assert main.editor.text() == "flipcolor mate"
    main.board.setFocus()
    main.docks.show(main.docks.help)
    qtbot.wait(50)
    assert main.board.hasFocus(), "a pane takes the keys from its own group only"


def test_help_is_searched_inserted_and_run(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main)
    write(qtbot, main, "wtm flipcolor {mate}")
    main.editor.go_to(6)
    qtbot.keyClick(main.editor.edit, Qt.Key.Key_F1)
    pane = main.assistance.help
    assert pane.current is not None
    assert pane.current.name == "flipcolor"
    qtbot.waitUntil(pane.isVisible)
    shoot(qtbot, main, "help", main.docks.help)
    qtbot.keyClicks(pane.search, "stalemate")
    assert pane.current.name == "stalemate"
    main.editor.go_to(3)
    qtbot.mouseClick(pane.insert, Qt.MouseButton.LeftButton)
    example = pane.current.example
    assert main.editor.text() == f"wtm {example} flipcolor {{mate}}"
    main.docks.show(main.docks.help)
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.mouseClick(pane.run, Qt.MouseButton.LeftButton)
    assert main.editor.text() == example


def test_the_other_spelling_is_one_key_away_and_back(qtbot: QtBot, main: main_window.MainWindow) -> None:
    main.begin([])
    text = "// A stays\nflipcolor {[RN]a1 -> k}  /* so */\npiece x in A x"
    write(qtbot, main, text)
    main.editor.go_to(text.index("k}"))
    main.editor.edit.setFocus()
    qtbot.keyClick(main.editor.edit, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    assert main.editor.text() == "// A stays\n⬓ {♖♘a1 → ♚}  /* so */\n◭x∊△ x"
    assert main.editor.text()[main.editor.caret()] == "♚"
    shoot(qtbot, main, "signs")
    qtbot.keyClick(main.editor.edit, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    assert main.editor.text() == text
    assert main.editor.caret() == text.index("k}")
    qtbot.keyClick(main.editor.edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert "⬓" in main.editor.text()


OLD = """; scripts of this kind are twenty years old
(match :result 1-0
  (position :flipcolor Kg1 .h7 :wtm
    :sequence ((position Qh5) (position :mate))))
"""


def test_an_old_script_opens_translated(qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path) -> None:
    script = tmp_path / "old.cql"
    script.write_text(OLD, encoding="utf-8")
    open_sample(qtbot, main)
    main.opening.open_files([script])
    qtbot.waitUntil(lambda: main.infobar.shown is not None)
    message = main.infobar.shown
    assert message is not None
    assert "old.cql is a script of an older CQL and is shown translated" in message.text
    qtbot.waitUntil(lambda: not main.editor.checking)
    assert main.editor.text().startswith("cql(")
    assert [one for one in main.editor.findings if one.severity == "error"] == []
    assert main.editor.path is None, "saving must not write over the script"
    shoot(qtbot, main, "translated")
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    main.editor.edit.undo()
    assert main.editor.text() == OLD

    # The script itself is refused with the way out.
    shoot(qtbot, main, "old-script")
    main.infobar.clear()
    with qtbot.waitSignal(main.searcher.rejected):
        main.searching.run()
    message = main.infobar.shown
    assert message is not None
    assert "script of an older CQL" in message.text
    assert message.action is not None
    assert message.action[0] == "Translate it to CQL 6"
    qtbot.waitUntil(lambda: not main.editor.checking)
    message.action[1]()
    assert main.editor.text().startswith("cql(")
    qtbot.waitUntil(lambda: main.infobar.shown is None)


@pytest.mark.parametrize("way", ["escape", "button", "edit", "step", "clock"])
def test_why_not_of_an_endless_query_can_be_left(
    qtbot: QtBot, main: main_window.MainWindow, way: str
) -> None:
    open_sample(qtbot, main)
    write(qtbot, main, "x = 0 while (x >= 0) {x += 1}")
    if way == "clock":
        main.assistance.why._end.setInterval(1_000)
    qtbot.keyClick(main, Qt.Key.Key_F4)
    assert main.assistance.why.busy
    assert main.actions_.stop.isEnabled()
    if way == "escape":
        qtbot.keyClick(main, Qt.Key.Key_Escape)
    elif way == "button":
        qtbot.waitUntil(lambda: said(main).startswith("Looking"))
        qtbot.mouseClick(main.infobar._action, Qt.MouseButton.LeftButton)
    elif way == "edit":
        qtbot.keyClicks(main.editor.edit, " ")
    elif way == "step":
        main.board.setFocus()
        qtbot.keyClick(main.board, Qt.Key.Key_Right)
    else:
        qtbot.waitUntil(lambda: "too long" in said(main))
    assert not main.assistance.why.busy
    assert not main.actions_.stop.isEnabled()
    if way in ("escape", "button"):
        assert said(main).startswith("Stopped")
    # The worker is free again: it answers another question, and a search runs on all of them. A busy machine
    # may take more than a second for this answer.
    main.assistance.why._end.setInterval(why.GIVE_UP_AFTER)
    write(qtbot, main, "mate")
    qtbot.keyClick(main, Qt.Key.Key_F4)
    qtbot.waitUntil(lambda: said(main).startswith("Not here"))
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)


def said(main: main_window.MainWindow) -> str:
    shown = main.infobar.shown
    return shown.text if shown is not None else ""


def test_waiting_for_a_worker_is_not_the_query_s_slowness(
    qtbot: QtBot, main: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, real = main.assistance.live, margin.margin
    free, done = threading.Event(), threading.Event()
    asked: list[str] = []

    def held(*what: Any, cancel: Any, begun: Callable[[], None]) -> Any:
        asked.append(what[3])
        free.wait(HELD_SECONDS)
        begun()
        done.wait(HELD_SECONDS)
        return real(*what, cancel=cancel)

    open_sample(qtbot, main)
    write(qtbot, main, "wtm")
    qtbot.waitUntil(lambda: known(main) and truth(main) == {0: True})
    monkeypatch.setattr(margin, "margin", held)
    live._slow.setInterval(0)
    write(qtbot, main, "btm")
    qtbot.waitUntil(lambda: main.editor.edit.gutter.state == gutter.PENDING)
    # Checked anew, the same question waits on.
    with qtbot.waitSignal(main.editor.diagnostics_changed):
        main.editor.check_now()
    qtbot.waitUntil(lambda: not live._settle.isActive())
    assert (asked, live.busy) == (["btm"], True)
    assert main.editor.edit.gutter.state == gutter.PENDING
    assert not live._slow.isActive()
    free.set()
    qtbot.waitUntil(lambda: main.editor.edit.gutter.state == gutter.SLOW)
    done.set()
    qtbot.waitUntil(lambda: known(main) and truth(main) == {0: False})


def test_a_truth_that_is_known_is_not_asked_for_again(
    qtbot: QtBot, main: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_sample(qtbot, main)
    write(qtbot, main, "wtm")
    qtbot.waitUntil(lambda: known(main) and truth(main) == {0: True})
    monkeypatch.delattr(margin, "margin")
    with qtbot.waitSignal(main.editor.diagnostics_changed):
        main.editor.check_now()
    assert main.editor.edit.gutter.state == gutter.KNOWN
    qtbot.waitUntil(lambda: not main.assistance.live.busy)
    assert known(main)
    assert truth(main) == {0: True}
