"""The pane with the moves that follow the hits: where the user is in the tree, the moves from there, and what
can be done with the hits of this place."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.tasks.analysis import continuations
from cqlgui.tasks.results import base_model, search_model
from cqlgui.ui.continuing import crumbs, model, state, table
from cqlgui.ui.look import labels, theme, wording
from cqlgui.ui.loop import jobs, keys, turns

_PATIENCE_MS: Final = 200
"""After this time the pane says that it counts. Most answers come earlier."""
_NO_RESULT: Final = "The moves that follow the hits of a search are counted here."
_NO_HITS: Final = "The search found no hits, so no moves follow."
_OWN_FRAME: Final = "The moves as the query is written: each hit's transform is taken back (N)"
_NARROW: Final = "Show only the hits that are followed by these moves"
_ALL: Final = "All hits shown are followed by these moves"
_NO_PATH: Final = "Follow a move first: a double click or Enter"


class ContinuationsPane(QWidget):
    """The tree of the moves after the hits of a result.

    `narrowed` carries a function that makes a new result from the result shown, and words for the narrowing,
    like `NarrowButton.chosen`. `widened` is emitted when the user wants all hits again. `line_wanted` carries
    a hit (game and positionid) and a number of plies after it: an example of the path that the user has
    chosen. `line_previewed` carries the same for the move that is current in the table. The position after
    the plies is `positionid + plies`. `frame_wanted` carries whether the user wants to see the query's own
    frame.
    """

    narrowed = Signal(object, str, str)
    widened = Signal()
    line_wanted = Signal(int, int, int)
    line_previewed = Signal(int, int, int)
    frame_wanted = Signal(bool)

    def __init__(self, door: jobs.Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Continuations")
        self.tree = state.Tree(door, self)
        self.model = model.ChoicesModel(self)
        self.table = table.ChoicesView(self.model)
        self.crumbs = crumbs.Crumbs("Hits")
        self.summary = labels.ElidedLabel("", fills=True)
        self.summary.setAccessibleName("Hits at this place")
        self._narrowed = labels.Narrowed()
        self._narrowed.widened.connect(self.widened)
        keys.UndoKey(self, self._narrowed.isVisible, self.widened.emit)
        self.message = labels.Label()
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.message.setWordWrap(True)
        self.message.setMargin(24)
        self.narrow = QPushButton("Show these hits")
        # The path that the table shows. It leads to the row to select when the user goes back.
        self._shown: state.Path = ()
        self._slow = turns.once(self, _PATIENCE_MS, self._say_busy)
        self._lay_out()
        self.tree.changed.connect(self._show)
        self.tree.asked.connect(self._slow.start)
        self.tree.failed.connect(self._fail)
        self.table.deeper.connect(self._follow)
        self.table.moved.connect(self._preview)
        self.table.back.connect(self._back)
        self.table.narrowed.connect(lambda row: self._narrow(self._path_of(row)))
        self.crumbs.chosen.connect(self._go_up)
        self.narrow.clicked.connect(lambda: self._narrow(self.tree.path))
        self.setFocusProxy(self.table)
        theme.theme().changed.connect(self._dress)
        self._dress()
        self._show(False)

    def set_result(self, base: base_model.Base | None, result: search_model.SearchResult | None) -> None:
        """Show the moves after the hits of a result of a base; None if there is no result. The moves are
        counted when the pane is in view."""
        able = result is None or bool(result.orbits)
        self.own_frame.setEnabled(able)
        self.own_frame.setToolTip(wording.plain_tip(_OWN_FRAME if able else wording.ONE_FRAME))
        self.tree.set_result(base, result)

    def set_normalised(self, on: bool) -> None:
        """Show the moves in the query's own frame, or as they were played. `frame_wanted` is not emitted."""
        (self.own_frame if on else self.as_played).setChecked(True)
        self.tree.set_normalised(on)

    def tell_narrowing(self, words: str) -> None:
        """Say to what the hits are narrowed. Empty words mean the whole result."""
        self._narrowed.say(words)

    def clear(self) -> None:
        """Forget the result, because the games are closed or a search has begun."""
        self.set_result(None, None)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(2)
        head = QVBoxLayout()
        head.setContentsMargins(6, 0, 6, 2)
        head.setSpacing(1)
        head.addWidget(self.crumbs)
        line = QHBoxLayout()
        line.setContentsMargins(11, 0, 0, 2)
        line.addWidget(self.summary)
        head.addLayout(line)
        below = QHBoxLayout()
        below.setContentsMargins(11, 0, 0, 2)
        below.addWidget(self._narrowed)
        head.addLayout(below)
        column.addLayout(head)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.table)
        self._pages.addWidget(self.message)
        column.addWidget(self._pages, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 4, 8, 6)
        foot.setSpacing(0)
        group = QButtonGroup(self)
        self.as_played, self.own_frame = QToolButton(), QToolButton()
        for button, words, tip, side in (
            (self.as_played, "As played", "The moves as they were played (N)", "left"),
            (self.own_frame, "Query's frame", _OWN_FRAME, "right"),
        ):
            button.setText(words)
            button.setCheckable(True)
            button.setProperty("side", side)
            button.setToolTip(wording.plain_tip(tip))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            group.addButton(button)
            foot.addWidget(button)
        self.as_played.setChecked(True)
        self.as_played.clicked.connect(lambda: self._choose_frame(False))
        self.own_frame.clicked.connect(lambda: self._choose_frame(True))
        foot.addStretch(1)
        foot.addWidget(self.narrow)
        column.addLayout(foot)

    def _dress(self) -> None:
        colours = theme.colours()
        self.message.setStyleSheet(f"color: {colours.muted};")
        sheet = (
            f"QToolButton {{ border: 1px solid {colours.border}; border-radius: 0; padding: 3px 10px;"
            f" background: {colours.raised}; color: {colours.text}; }}"
            f"QToolButton:checked {{ background: {colours.selection}; color: {colours.selection_text};"
            f" border-color: {colours.accent}; }}"
            f"QToolButton:disabled {{ color: {colours.disabled}; background: {colours.window};"
            f" border-color: {colours.border}; }}"
            f"QToolButton:focus, QToolButton:hover:!checked {{ border-color: {colours.accent}; }}"
        )
        for button in (self.as_played, self.own_frame):
            button.setStyleSheet(sheet)

    # --- what is shown ---

    def _show(self, by_user: bool) -> None:
        """Show the place where the tree is. If the user went there, point at an example."""
        tree = self.tree
        self._slow.stop()
        before, self._shown = self._shown, tree.path
        self.model.show_node(tree.node, tree.path, own_frame=tree.normalised)
        self.crumbs.say(continuations.numbered(tree.path))
        self.summary.say(self._words())
        rest = tree.result is not None and tree.node is not None and tree.node.count < tree.result.positions
        self.narrow.setEnabled(rest and bool(tree.path))
        self.narrow.setToolTip(wording.plain_tip(_NO_PATH if not tree.path else _NARROW if rest else _ALL))
        if tree.facts is not None:
            self.table.show_columns(ratings=tree.facts.rated, years=tree.facts.dated)
        self._say(self._lack())
        if self.model.rowCount():
            came_back = before[: len(tree.path)] == tree.path and len(before) > len(tree.path)
            row = self.model.row_of(before[len(tree.path)]) if came_back else 0
            self.table.select(max(row, 0))
        if by_user and tree.node is not None:
            self._point(tree.node.example, len(tree.path), self.line_wanted)

    def _words(self) -> str:
        node = self.tree.node
        if node is None:
            return ""
        parts = [wording.hits(node.count)]
        if node.ended:
            parts.append(wording.counted(node.ended, "game ends here", "games end here"))
        if node.others:
            parts.append(f"{wording.number(node.others)} by another order of these moves")
        return " · ".join(parts)

    def _lack(self) -> str:
        """Why there are no moves; empty if there are some."""
        result, node = self.tree.result, self.tree.node
        if result is None:
            return _NO_RESULT
        if not result.positions:
            return _NO_HITS
        if node is None or node.choices:
            return ""
        if node.count == 1:
            return "The game ends here."
        return f"All {wording.number(node.count)} games end here."

    def _say(self, words: str) -> None:
        """Show a message in place of the table. Without words, show the table."""
        had = self.table.hasFocus()
        self.message.setText(words)
        self._pages.setCurrentIndex(1 if words else 0)
        if had:
            (self.crumbs.buttons[-1] if words else self.table).setFocus()

    def _say_busy(self) -> None:
        result = self.tree.result
        if result is not None and self.tree.busy:
            self.summary.say(f"Counting the moves after {wording.hits(result.positions)}…")
            self._say("")

    def _fail(self, words: str) -> None:
        self._show(False)
        self._say(words)

    # --- what the user does ---

    def _path_of(self, row: int) -> state.Path:
        return (*self._shown, self.model.choice(row).move)

    def _follow(self, row: int) -> None:
        if not self.tree.go(self._path_of(row)):
            plies = wording.counted(self.tree.deepest, "ply", "plies")
            self.summary.say(f"{self._words()} · lines are followed for {plies}")

    def _back(self, root: bool) -> None:
        if self._shown:
            self.tree.go(() if root else self._shown[:-1])
        elif root and self._narrowed.isVisible():
            self.widened.emit()

    def _go_up(self, steps: int) -> None:
        if steps < len(self._shown):
            self.tree.go(self._shown[:steps])
        self.table.setFocus()

    def _preview(self, row: int) -> None:
        self._point(self.model.choice(row).example, len(self._shown) + 1, self.line_previewed)

    def _point(self, line: int, plies: int, signal: SignalInstance) -> None:
        example = self.tree.example(line, plies)
        if example is not None:
            signal.emit(example.game, example.positionid, example.plies)

    def _narrow(self, path: state.Path) -> None:
        made = self.tree.narrowing(path)
        if made is not None:
            self.narrowed.emit(*made)

    def _choose_frame(self, on: bool) -> None:
        if on != self.tree.normalised:
            self.tree.set_normalised(on)
            self.frame_wanted.emit(on)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The buttons of the pane leave these keys to the pane.
        root = event.key() == Qt.Key.Key_Escape
        if _leads_back(event) and (self._shown or (root and self._narrowed.isVisible())):
            self._back(root)
            event.accept()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # The window may have another use for these keys. It gets them at the root only.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and _leads_back(event)
            and self._shown
        ):
            event.accept()
            return True
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.tree.set_active(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.tree.set_active(False)


def _leads_back(event: QKeyEvent) -> bool:
    """Whether a key leads back in the tree, wherever the focus is in the pane."""
    plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
    return plain and event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Escape)
