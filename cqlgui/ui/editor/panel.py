"""The query editor as a panel: the file row, the text, the list of problems, the find bar, and the place of
the caret."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QColor, QIcon, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base import errors, priority
from cqlgui.base.files import disk
from cqlgui.cql.editing import spelling, structure
from cqlgui.cql.legacy import old_scripts, translate
from cqlgui.cql.source import diagnostics
from cqlgui.cql.transforming import transforms
from cqlgui.tasks.asking import library
from cqlgui.tasks.results import truth_model
from cqlgui.ui.editor import edit, files, find, fixes, gutter, identity, problems
from cqlgui.ui.look import colours, labels, theme, wording
from cqlgui.ui.loop import latest, turns

CHECK_DELAY = 30  # milliseconds without a key before the text is checked

_BESIDE = 26
"""The width of a button without its text, in pixels."""

_UNSAID_MS = 2_000
"""After this time without an estimate, the name of the query gets its room."""
_PAUSE = 600  # milliseconds without a key before the list of problems appears or disappears


class EditorPanel(QWidget):
    """The query editor that the window embeds. All offsets are code points.

    The signal `diagnostics_changed` carries a tuple of `diagnostics.Diagnostic`. `failed` carries a sentence
    if a file could not be read or written. `why_not_requested` is emitted after a click on the button that
    shows whether the position on the board matches. `help_requested` is emitted for F1. If a script of an
    older CQL was translated on opening, `translated` carries the file and the notes of the translation. If
    another text replaces a text with unsaved changes, `left_unsaved` carries the unsaved text.
    """

    text_changed = Signal(str)
    run_requested = Signal()
    caret_moved = Signal(int)
    modified_changed = Signal(bool)
    diagnostics_changed = Signal(object)
    path_changed = Signal(object)
    failed = Signal(str)
    why_not_requested = Signal()
    help_requested = Signal()
    translated = Signal(object, object)
    left_unsaved = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Query editor")
        self._modified = False
        self._seen = files.Seen()
        self._dragged = False
        self._closed = False
        # The translation of the current text; None if the text is not a script of an older CQL or cannot be
        # translated.
        self._translation: str | None = None
        self._old = False
        self._offer_due = False
        # A half-typed word is an error. Without this pause the list of problems would appear and disappear
        # while the user types, and would move the text.
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self._reveal)
        self._diagnostics: tuple[diagnostics.Diagnostic, ...] = ()
        self.edit = edit.QueryEdit(self)
        self._identities = identity.Identities(self.edit.document())
        self._identity = identity.Identity()
        self.find_bar = find.FindBar(self.edit, self)
        self.problems = problems.ProblemsList(self)
        self._checker = latest.Latest(_check, CHECK_DELAY, self)
        self._name = labels.ElidedLabel("", self, fills=True, cut=Qt.TextElideMode.ElideMiddle)
        self._estimate = labels.ElidedLabel("", self, right=True)
        self._unsaid = turns.once(self, _UNSAID_MS, self._estimate.hide)
        self._name.setAccessibleName("Name of the query")
        self._estimate.setAccessibleName("Estimated number of games")
        self._where = labels.ElidedLabel("", self, fills=True, right=True)
        self._where.setAccessibleName("Place of the caret")
        self._state = QToolButton(self)
        self._state.setAutoRaise(True)
        self._state.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._state.setToolTip("Show or hide the list of problems")
        self._live = QToolButton(self)
        self._live.setAutoRaise(True)
        self._live.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        # This button appears and disappears while the user types. The room of the button stays reserved while
        # the button is hidden. Without this setting, Qt would lay out the rest of the window each time.
        policy = self._live.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._live.setSizePolicy(policy)
        self._live.hide()
        self._keep_widths()
        self._truth: tuple[str, bool | None, bool] = ("", None, False)
        self._run = QPushButton("Run", self)
        self._run.setToolTip("Search with this query (F5 or Ctrl+Enter)")
        self._run.setAccessibleName("Run the query")
        self._lay_out()
        self._connect()
        self._dress()
        self._show_name()
        self._show_place()
        self._show_diagnostics("", ())

    def _keep_widths(self) -> None:
        """Give the buttons the width of their usual texts. Without this width, neighbouring widgets would
        move when a text changes."""
        metrics = self.fontMetrics()
        for button, longest in ((self._state, "Empty query"), (self._live, "Not on board")):
            button.setMinimumWidth(metrics.horizontalAdvance(f"{longest}") + _BESIDE)

    def set_estimate(self, words: str) -> None:
        """Show how many games the query may find; `words` is empty if the number is unknown."""
        # The text of an estimate begins with a letter. A text that begins with a digit is an exact count.
        # The estimate goes with each key and comes again soon. If it stays away, the name of the query gets
        # its room.
        if words:
            self._unsaid.stop()
            self._estimate.show()
        else:
            self._unsaid.start()
        self._estimate.say(words, f"{words}, from a random sample" if words[:1].isalpha() else "")

    # --- text -----------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The query."""
        return self.edit.text()

    def set_text(self, text: str, title: str = "") -> None:
        """Replace the query by a new query, which belongs to no file and may have a title. The user can undo
        the replacement."""
        self._put(text, identity.Identity(title=title))

    def _put(self, text: str, new: identity.Identity) -> None:
        priority.hold()
        former = self.text()
        if self._modified and former.strip() and former != text:
            self.left_unsaved.emit(former)
        self.edit.replace(0, len(former), text)
        self.edit.begin_at(library.body_start(text))
        self.edit.document().setModified(False)
        self._identities.begin(new)
        self._show_identity()
        self.check_now()

    def _show_identity(self) -> None:
        former, self._identity = self._identity, self._identities.current
        self._show_name()
        if self._identity != former:
            self.path_changed.emit(self._identity.path)

    def selection(self) -> tuple[int, int]:
        """The start and the end of the selection. The two offsets are equal if nothing is selected."""
        return self.edit.selection()

    def caret(self) -> int:
        """The offset of the caret."""
        return self.edit.caret()

    def replace(self, start: int, end: int, new: str) -> None:
        """Replace a range as one undoable edit."""
        self.edit.replace(start, end, new)

    def go_to(self, offset: int) -> None:
        """Move the caret to an offset, scroll to the caret, and give the text the focus."""
        self.edit.select(offset, offset)
        self.edit.centerCursor()
        self.edit.setFocus()

    @property
    def findings(self) -> tuple[diagnostics.Diagnostic, ...]:
        """The findings of the last check."""
        return self._diagnostics

    @property
    def checking(self) -> bool:
        """True while the current text has not been checked. The signal `diagnostics_changed` is emitted after
        the check."""
        return self._checker.busy

    def check_now(self) -> None:
        """Check the text without waiting for a pause in typing. The signal `diagnostics_changed` carries the
        result."""
        self._pause.stop()
        self._checker.ask(self.text(), at_once=True)

    def offer_fixes(self) -> None:
        """Apply the fix at the caret, or offer several fixes. If the current text has not been checked, check
        the text first."""
        if self.edit.findings_hold():
            fixes.offer(self.edit)
        else:
            self._offer_due = True
            self.check_now()

    def shut_down(self) -> None:
        """Stop the background check. The window calls this method before closing."""
        self._pause.stop()
        self._checker.close()

    def respell(self) -> None:
        """Spell the query with Unicode signs, or with words if the query already has Unicode signs."""
        self.edit.respell()

    def offer_run(self, offered: bool) -> None:
        """Colour the Run button if `offered` is True, which means that the user will probably run the query
        next."""
        if offered != bool(self._run.property("primary")):
            self._run.setProperty("primary", offered)
            # Qt reads the property for the style sheet only when the style is applied. The style is therefore
            # applied again.
            self._run.style().unpolish(self._run)
            self._run.style().polish(self._run)

    def set_truth(
        self,
        state: str,
        matched: bool | None = None,
        rows: tuple[truth_model.LineTruth, ...] | None = None,
        *,
        left_out: bool = False,
    ) -> None:
        """Show whether the query holds at the position on the board. `state` is one of the states in
        `gutter`, or empty to show no result. If `left_out` is True, a search skips this position."""
        self.edit.gutter.set_truth(state, rows)
        if self._truth != (state, matched, left_out):
            self._truth = (state, matched, left_out)
            self._show_truth()

    # --- files ----------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path | None:
        """The file of the query; None if the query has no file yet."""
        return self._identity.path

    @property
    def seen(self) -> str:
        """The checksum of the query's file when this program last opened or saved the file; empty if the
        query has no file."""
        return "" if self.path is None else self._seen.of(self.path)

    def recall_seen(self, seal: str) -> None:
        """Restore an earlier value of `seen`. If the file holds another text now, the first call of `save`
        fails."""
        if self.path is not None:
            self._seen.recall(self.path, seal)

    @property
    def modified(self) -> bool:
        """True if the text has changed since the text was opened or saved."""
        return self._modified

    def open_file(self, path: Path | str) -> bool:
        """Show a query file. If the file cannot be read, the editor keeps the old text, `failed` carries the
        reason, and the result is False.

        If the file is a script of an older CQL and can be translated, the translation is shown. The
        translation belongs to no file, because saving must not overwrite the script. Undo brings the script
        back.
        """
        # The path is made absolute, because the session stores the path. At the next start of the program, a
        # relative path could lead to another folder.
        path = Path(path).absolute()
        try:
            text = files.read(path)
        except errors.SourceError as fault:
            self.failed.emit(str(fault))
            return False
        found = translate.translate(text) if translate.looks_old(text) else None
        if found is None or found.failed:
            self._put(text, identity.Identity(path))
            self._seen.note(path, text)
            return True
        self._put(text, identity.Identity(title=f"{path.stem}, old script"))
        self._put(found.text, identity.Identity(title=_translated(path)))
        self.translated.emit(path, found.notes)
        return True

    def save(self, path: Path | str | None = None) -> bool:
        """Write the query to `path`, or to the query's own file if `path` is None. If writing fails, `failed`
        carries the reason, and the result is False. If another program has changed the file, the first call
        fails, and a second call overwrites the file."""
        target = Path(path).absolute() if path is not None else self.path
        if target is None:
            self.failed.emit("This query has no file yet: choose a name for it.")
            return False
        own = self.path
        if own is not None and (target == own or disk.is_same(target, own)) and self._seen.changed(own):
            words = f"{target.name} was changed by another program. Save once more to write over it"
            self.failed.emit(f"{words}, or save this query under another name.")
            return False
        try:
            files.write(target, self.text())
        except errors.SourceError as fault:
            self.failed.emit(str(fault))
            return False
        self._seen.note(target, self.text())
        self._identities.rename(identity.Identity(target))
        self._show_identity()
        self.edit.document().setModified(False)
        return True

    # --- parts ----------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(8, 5, 8, 5)
        top.addWidget(self._name, 1)
        top.addWidget(self._estimate)
        top.addSpacing(6)
        top.addWidget(self._run)
        self._split = QSplitter(Qt.Orientation.Vertical, self)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.edit)
        self._split.addWidget(self.problems)
        self._split.setStretchFactor(0, 4)
        self._split.setStretchFactor(1, 1)
        self.problems.setMinimumHeight(44)
        bottom = QHBoxLayout()
        bottom.setContentsMargins(8, 2, 8, 3)
        bottom.addWidget(self._state)
        bottom.addWidget(self._live)
        bottom.addWidget(self._where, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._split, 1)
        column.addWidget(self.find_bar)
        column.addLayout(bottom)
        self.setFocusProxy(self.edit)
        QWidget.setTabOrder(self.edit, self._run)
        QWidget.setTabOrder(self._run, self.problems)
        QWidget.setTabOrder(self.problems, self._state)

    def _dress(self) -> None:
        """Show the estimate in the muted colour, because a strong colour would distract from the query."""
        palette = self._estimate.palette()
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.colours().muted))
        self._estimate.setPalette(palette)

    def _connect(self) -> None:
        theme.theme().changed.connect(self._dress)
        self.edit.changed.connect(self._text_changed)
        self.edit.caret_moved.connect(self._caret_moved)
        self.edit.run_requested.connect(self.run_requested)
        self.edit.find_requested.connect(self.find_bar.open)
        self.edit.document().modificationChanged.connect(self._modification_changed)
        self._split.splitterMoved.connect(lambda *_: self._divider_dragged())
        self._run.clicked.connect(self.run_requested)
        self.problems.chosen.connect(self.go_to)
        self.problems.fix_chosen.connect(self._take_fix)
        self.edit.help_requested.connect(self.help_requested)
        self.edit.fix_requested.connect(self.offer_fixes)
        self.edit.gutter.fixes_wanted.connect(lambda _line: self.offer_fixes())
        self.edit.menu_opening.connect(self._fill_menu)
        self._live.clicked.connect(self.why_not_requested)
        self._state.clicked.connect(self._toggle_problems)
        self._checker.answered.connect(self._show_diagnostics)

    def _text_changed(self) -> None:
        priority.hold()
        text = self.text()
        self._identities.follow()
        script = self._identities.current.path
        if self._old and script is not None and script == self.path and not translate.looks_old(text):
            # The text is no longer the script, and saving the text must not overwrite the script. The
            # script's file therefore no longer belongs to the text.
            title = _translated(script) if text == self._translation else ""
            self._identities.begin(identity.Identity(title=title))
        self._show_identity()
        self._offer_due = False
        self._pause.start()
        self._checker.ask(text)
        self.text_changed.emit(text)

    def _caret_moved(self, offset: int) -> None:
        self._show_place()
        self.caret_moved.emit(offset)

    def _modification_changed(self, modified: bool) -> None:
        self._modified = modified
        self._show_name()
        self.modified_changed.emit(modified)

    def name(self) -> str:
        """The file name or the title of the query."""
        return self.path.name if self.path else self._identity.title or "New query"

    def _show_name(self) -> None:
        name = self.name()
        place = str(self.path) if self.path else "Not saved in a file"
        self._name.say(f"{name}  •  changed" if self._modified else name, place)

    def _show_place(self) -> None:
        cursor = self.edit.textCursor()
        line, column = diagnostics.line_and_column(self.text(), self.edit.caret())
        chosen = self.edit.selection()
        many = f"  ({chosen[1] - chosen[0]:,} selected)" if cursor.hasSelection() else ""
        words = f"Line {line}, column {column}{many}"
        self._where.say(f"{line}:{column}{many}", words)

    def _show_diagnostics(self, text: str, found: tuple[diagnostics.Diagnostic, ...]) -> None:
        if text != self.text():
            return
        self._diagnostics = found
        old = next((one for one in found if one.code == old_scripts.CODE), None)
        self._old = old is not None
        self._translation = old.fix.new if old is not None and old.fix is not None else None
        self.edit.set_diagnostics(found)
        self.problems.set_diagnostics(text, found)
        if not self._pause.isActive():
            self._reveal()
        self._show_state()
        self.diagnostics_changed.emit(found)
        if self._offer_due:
            self._offer_due = False
            fixes.offer(self.edit)

    def _reveal(self) -> None:
        """Show the list of problems if there are problems and the user has not closed the list."""
        self.problems.setVisible(bool(self._diagnostics) and not self._closed)
        self._size_problems()
        # The list is sized again after this call, when the rows have their final width. The width decides how
        # many lines a row takes.
        QTimer.singleShot(0, self, self._size_problems)

    def _size_problems(self) -> None:
        """Give the list as much room as the findings need, but at most a third of the height of text and
        list. If the user has set a size, do not change this size."""
        whole = sum(self._split.sizes())
        if not self._dragged and whole:
            part = min(self.problems.wanted_height(), whole // 3)
            self._split.setSizes([whole - part, part])

    def _divider_dragged(self) -> None:
        self._dragged = True

    def _show_state(self) -> None:
        errors_found = sum(one.severity == "error" for one in self._diagnostics)
        warnings = len(self._diagnostics) - errors_found
        parts = [f"{count:,} {word}{'' if count == 1 else 's'}" for count, word in
                 ((errors_found, "error"), (warnings, "warning")) if count]  # fmt: skip
        words = ", ".join(parts) or ("No problems" if self.text().strip() else "Empty query")
        if words != self._state.text():
            self._state.setText(words)
            self._state.setAccessibleName(words)
            self._show_sign()

    def _show_sign(self) -> None:
        """Show the icon beside the number of problems."""
        if self._diagnostics:
            errors_found = any(one.severity == "error" for one in self._diagnostics)
            worst = "error" if errors_found else "warning"
            self._state.setIcon(problems.severity_icon(worst, colours.of(self, worst)))
        elif self.text().strip():
            self._state.setIcon(problems.good_icon(colours.of(self, "good")))
        else:
            # An empty text is neither right nor wrong.
            self._state.setIcon(QIcon())

    def _show_truth(self) -> None:
        state, matched, left_out = self._truth
        self._live.setVisible(bool(state))
        words, tip = {
            gutter.PENDING: ("Pending", "Looking at the position on the board"),
            gutter.SLOW: ("Too slow", "This takes more than half a second at the position on the board"),
            gutter.FAULT: ("Cannot be told", "At the position on the board the query cannot be run"),
        }.get(state, ("Not on board", "The position on the board does not match: click to see why not (F4)"))
        if state == gutter.KNOWN and matched:
            words, tip = "On board", "The position on the board matches"
            if left_out:
                words += ", not searched"
                tip += ", but a search passes over variations: cql(variations) looks at them too"
        self._live.setText(words)
        self._live.setToolTip(wording.plain_tip(tip))
        self._live.setAccessibleName(f"Position on the board: {words}")
        known = state == gutter.KNOWN
        self._live.setIcon(problems.truth_icon(self, matched) if known and matched is not None else QIcon())

    def _take_fix(self, fix: diagnostics.Fix) -> None:
        # If the text has changed since a link was drawn, a click on the link does nothing. After the next
        # check, the list has links for the current text.
        fixes.take(self.edit, fix)
        self.check_now()
        self.edit.setFocus()

    def _fill_menu(self, menu: QMenu, _offset: int) -> None:
        """Put the fixes at the top of the menu, and other commands at the end of the menu."""
        first = menu.actions()[0] if menu.actions() else None
        offered = QMenu(menu)
        actions = fixes.fill(offered, self.edit, fixes.at_caret(self.edit))
        for action in actions:
            menu.insertAction(first, action)  # type: ignore[arg-type]  # None puts the action at the end
        if actions and first is not None:
            menu.insertSeparator(first)
        menu.addSeparator()
        words = "Spell with words" if spelling.has_signs(self.text()) else "Spell with Unicode signs"
        menu.addAction(words).triggered.connect(self.respell)
        menu.addAction("Why not?").triggered.connect(self.why_not_requested)

    def _toggle_problems(self) -> None:
        self._closed = self.problems.isVisibleTo(self)
        self._reveal()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.shut_down()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_state"):
            self.problems.set_diagnostics(self.text(), self._diagnostics)
            self._show_sign()
            self._show_truth()


def _translated(path: Path) -> str:
    return f"{path.stem}, translated"


def _check(text: str) -> tuple[diagnostics.Diagnostic, ...]:
    # The query is checked with `structure.checked`, which caches the result. The picker needs the same result
    # at every move of the caret.
    if not text.strip():
        return ()
    if translate.looks_old(text):
        return old_scripts.findings(text)
    checked = structure.checked(text)
    return checked.diagnostics if checked.query is None else transforms.expand(checked).diagnostics
