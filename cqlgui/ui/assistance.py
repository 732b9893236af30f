"""What helps with writing a query: live truth, why not, the help pane, the two spellings, quick fixes.

Puts these together with the window's editor, browser and messages; knows no layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from cqlgui.cql import lexer, old_scripts, tokens
from cqlgui.ui import live, why
from cqlgui.ui.editor import fixes, keywords

if TYPE_CHECKING:
    from cqlgui.ui import window


_OLD = "old script"


class Assistance(QObject):
    """The helpers of a window, made before its menus and connected after its layout."""

    def __init__(self, main: window.MainWindow) -> None:
        super().__init__(main)
        self._main = main
        self.help = keywords.HelpPane()
        self.live = live.Live(main.jobs, main.editor, main.browser, self)
        self.why = why.WhyNot(main.jobs, main.editor, main.browser, main.infobar, self)
        self.help.insert_wanted.connect(self._insert)
        self.help.run_wanted.connect(main.run_text)
        main.library.run_wanted.connect(main.run_text)
        main.editor.edit.menu_opening.connect(self._fill_menu)
        main.editor.help_requested.connect(self.show_help)
        self._offered = ""
        main.editor.diagnostics_changed.connect(lambda _found: self._offer_translation())

    def show_help(self) -> None:
        """Open the help pane, on the keyword at the caret where there is one."""
        self._main.docks.show(self._main.docks.help)
        if not self.help.show_word(word_at(self._main.editor.text(), self._main.editor.caret())):
            self.help.search.setFocus()
            self.help.search.selectAll()

    def respell(self) -> None:
        """Spell the query with signs, or with words where it has signs."""
        self._main.editor.respell()

    def fix(self) -> None:
        """Take or offer the fixes at the caret."""
        self._main.editor.offer_fixes()

    def _offer_translation(self) -> None:
        """Say once of an old script that it is one; what the translation has to say stands in the
        problems.
        """
        editor, bar = self._main.editor, self._main.infobar
        found = next((one for one in editor.findings if one.code == old_scripts.CODE), None)
        if found is None:
            bar.dismiss(_OLD)
            self._offered = ""
            return
        name = editor.path.name if editor.path else "This"
        said = f"{name} {found.fix is not None}"
        if said == self._offered:
            return
        self._offered = said
        words = found.message.replace("This", name, 1)
        notes = len(editor.findings) - 1
        if found.fix is None:
            bar.show_message(f"{words} They are listed below the editor.", "warning", key=_OLD)
            return
        if notes:
            words += f" The translation has {notes} note{'s' if notes > 1 else ''}, listed below the editor."
        bar.show_message(words, "info", ("Translate it to CQL 6", self._translate), _OLD)

    def _translate(self) -> None:
        editor = self._main.editor
        found = next((one for one in editor.findings if one.code == old_scripts.CODE), None)
        if found is not None and found.fix is not None:
            if fixes.take(editor.edit, found.fix):
                editor.edit.select(0, 0)
            editor.check_now()
            editor.edit.setFocus()

    def _insert(self, example: str) -> None:
        editor = self._main.editor
        self._main.docks.show(self._main.docks.query)
        start, end = editor.selection()
        before, after = editor.text()[:start], editor.text()[end:]
        lead = "" if not before or before[-1].isspace() or before[-1] in "({" else " "
        tail = "" if not after or after[0].isspace() or after[0] in ")}" else " "
        editor.replace(start, end, lead + example + tail)
        at = start + len(lead)
        editor.edit.select(at, at + len(example))
        editor.edit.setFocus()

    def _fill_menu(self, menu: QMenu, offset: int) -> None:
        word = word_at(self._main.editor.text(), offset)
        if word:
            menu.addAction(f"Help on {word}").triggered.connect(self.show_help)


def word_at(text: str, offset: int) -> str:
    """The keyword or sign that a caret touches; empty without one."""
    found = ""
    for token in lexer.tokens(text):
        if token.offset > offset:
            break
        if token.end >= offset and token.kind not in tokens.TRIVIA and token.kind is not tokens.Kind.STRING:
            found = token.word if token.word != "designator" else token.text
    return found
