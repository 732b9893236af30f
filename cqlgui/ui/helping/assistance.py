"""Help with writing a query: which filters hold, why a position fails, the help pane, the manual, the
spelling with signs or words, quick fixes.

This module connects these helpers with the window's editor, browser and messages. It does not use layouts.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from cqlgui.cql.legacy import old_scripts, translate
from cqlgui.cql.source import diagnostics, tokens
from cqlgui.cql.syntax.reading import lexer
from cqlgui.ui.editor import fixes
from cqlgui.ui.editor import panel as editor_panel
from cqlgui.ui.helping import estimate, live, why
from cqlgui.ui.look import infobar as infobar_module
from cqlgui.ui.loop import jobs as jobs_module
from cqlgui.ui.reference import keywords, manual
from cqlgui.ui.state import browser as browser_module

_OLD, _TRANSLATED = "old script", "translated script"
_MOST_NOTES = 3


class Assistance(QObject):
    """The helpers of a window.

    `run_wanted` carries a query to run and its title. `editor_wanted` means that the query's pane must come
    to the front and get the focus. `query_wanted` means that the query's pane must come to the front, but
    does not need the focus. `help_wanted` means that the help pane must come to the front.
    """

    run_wanted = Signal(str, str)
    editor_wanted = Signal()
    query_wanted = Signal()
    help_wanted = Signal()

    def __init__(
        self,
        jobs: jobs_module.Jobs,
        editor: editor_panel.EditorPanel,
        browser: browser_module.Browser,
        infobar: infobar_module.InfoBar,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._editor = editor
        self._infobar = infobar
        self._manual: manual.ManualDialog | None = None
        self.help = keywords.HelpPane()
        self.live = live.Live(jobs, editor, browser, self)
        self.estimate = estimate.Estimating(jobs, editor, self)
        self.why = why.WhyNot(jobs, editor, browser, infobar, self)
        self.why.named.connect(self.editor_wanted)
        self.help.insert_wanted.connect(self._insert)
        self.help.run_wanted.connect(self.run_wanted)
        editor.edit.menu_opening.connect(self._fill_menu)
        editor.help_requested.connect(self.show_help)
        editor.path_changed.connect(lambda _path: infobar.dismiss(_TRANSLATED))
        editor.translated.connect(self._tell_translated)
        self._offered = ""
        editor.diagnostics_changed.connect(lambda _found: self._offer_translation())

    def show_help(self) -> None:
        """Open the help pane. If there is a keyword at the caret, show the help on this keyword."""
        self.help_wanted.emit()
        if not self.help.show_word(word_at(self._editor.text(), self._editor.caret())):
            self.help.search.setFocus()
            self.help.search.selectAll()

    def show_manual(self) -> None:
        """Open the manual, or bring it to the front."""
        if self._manual is None:
            owner = self.parent()
            self._manual = manual.ManualDialog(owner if isinstance(owner, QWidget) else None)
        self._manual.show()
        self._manual.raise_()
        self._manual.activateWindow()

    def shut_down(self) -> None:
        """Close the manual."""
        if self._manual is not None:
            self._manual.close()

    def respell(self) -> None:
        """Spell the query with signs, or with words if it has signs already."""
        self._editor.respell()

    def fix(self) -> None:
        """Apply or offer the fixes at the caret."""
        self._editor.offer_fixes()

    def _offer_translation(self) -> None:
        """Report once that a text is an old script. The notes of the translation are listed among the
        problems."""
        editor, bar = self._editor, self._infobar
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
        self._tell_old(editor.findings)

    def refuse_old(self, text: str) -> bool:
        """Refuse to run a script of an older CQL; returns False for any other text."""
        if not translate.looks_old(text):
            return False
        self._tell_old(old_scripts.findings(text), asked=True)
        return True

    def _tell_old(self, findings: tuple[diagnostics.Diagnostic, ...], *, asked: bool = False) -> None:
        """Say that a text is a script of an older CQL, and offer its translation. `asked` is True if the user
        wanted to run the script."""
        editor, bar = self._editor, self._infobar
        first, *notes = findings
        words = first.message.replace("This", editor.path.name if editor.path else "This", 1)
        kind = "error" if asked else "info" if first.fix else "warning"
        if first.fix is None:
            errors = sum(one.severity == "error" for one in notes)
            where = "It is" if errors == 1 else "They are"
            bar.show_message(f"{words} {where} listed below the editor.", kind, key=_OLD, front=asked)
            return
        if asked:
            words += " It has to be translated before it can be run."
        if notes:
            words += f" The translation has {_notes(len(notes))}, listed below the editor."
        bar.show_message(words, kind, ("Translate it to CQL 6", self._translate), key=_OLD, front=asked)

    def _tell_translated(self, path: Path, notes: tuple[translate.Note, ...]) -> None:
        words = f"{path.name} is a script of an older CQL and is shown translated; undo brings it back."
        if notes:
            shown = "; ".join(note.message.rstrip(".") for note in notes[:_MOST_NOTES])
            more = len(notes) - _MOST_NOTES
            words += f" {_notes(len(notes))}: {shown}"
            words += f", and {more} more." if more > 0 else "."
        self._infobar.show_message(words, "warning" if notes else "info", key=_TRANSLATED, front=True)

    def _translate(self) -> None:
        editor = self._editor
        found = next((one for one in editor.findings if one.code == old_scripts.CODE), None)
        if found is not None and found.fix is not None:
            if fixes.take(editor.edit, found.fix):
                editor.edit.select(0, 0)
            editor.check_now()
            editor.edit.setFocus()

    def _insert(self, example: str) -> None:
        editor = self._editor
        self.query_wanted.emit()
        start, end = editor.selection()
        before, after = editor.text()[:start], editor.text()[end:]
        lead = "" if not before or before[-1].isspace() or before[-1] in "({" else " "
        tail = "" if not after or after[0].isspace() or after[0] in ")}" else " "
        editor.replace(start, end, lead + example + tail)
        at = start + len(lead)
        editor.edit.select(at, at + len(example))
        editor.edit.setFocus()

    def _fill_menu(self, menu: QMenu, offset: int) -> None:
        word = word_at(self._editor.text(), offset)
        if word:
            menu.addAction(f"Help on {word}").triggered.connect(self.show_help)


def _notes(count: int) -> str:
    return f"{count} note{'' if count == 1 else 's'}"


def word_at(text: str, offset: int) -> str:
    """The keyword or sign at a caret; empty if the caret is not at a keyword or sign."""
    found = ""
    for token in lexer.tokens(text):
        if token.offset > offset:
            break
        if token.end >= offset and token.kind not in tokens.TRIVIA and token.kind is not tokens.Kind.STRING:
            found = token.word if token.word != "designator" else token.text
    return found
