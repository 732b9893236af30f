"""Quick fixes in the editor: finds the fixes at the caret, offers the fixes in a menu, and applies a fix."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolTip

from cqlgui.cql.source import diagnostics
from cqlgui.ui.editor import edit


def at_caret(editor: edit.QueryEdit) -> list[diagnostics.Fix]:
    """The fixes of the findings at the caret. If no finding at the caret has a fix, the result is the fixes
    of the findings on the caret's line. The list is empty if the text has changed since the findings were
    made."""
    if not editor.findings_hold():
        return []
    text, caret = editor.text(), editor.caret()
    touching = [one for one in editor.findings if one.span.offset <= caret <= one.span.end]
    found = [one.fix for one in touching if one.fix is not None]
    if not found:
        line = text.count("\n", 0, caret)
        found = [
            one.fix
            for one in editor.findings
            if one.fix is not None and text.count("\n", 0, min(one.span.offset, len(text))) == line
        ]
    return list(dict.fromkeys(found))


def take(editor: edit.QueryEdit, fix: diagnostics.Fix) -> bool:
    """Apply a fix as one undoable edit. If the text has changed since the fix was found, do nothing and
    return False."""
    if not editor.findings_hold() or all(one.fix != fix for one in editor.findings):
        return False
    editor.replace(fix.span.offset, fix.span.end, fix.new)
    return True


def offer(editor: edit.QueryEdit) -> None:
    """Apply the fix at the caret. If there are several fixes, open a menu. If there is no fix, show a
    tooltip.

    The findings must belong to the current text. If the current text has not been checked,
    `panel.EditorPanel.offer_fixes` checks the text before this call.
    """
    found = at_caret(editor)
    place = editor.viewport().mapToGlobal(editor.cursorRect().bottomLeft())
    if not found:
        QToolTip.showText(place + QPoint(0, 4), "There is nothing to put right here.", editor)
    elif len(found) == 1:
        take(editor, found[0])
    else:
        menu = QMenu(editor)
        fill(menu, editor, found)
        menu.popup(place)


def fill(menu: QMenu, editor: edit.QueryEdit, found: list[diagnostics.Fix]) -> list[QAction]:
    """Add an action for each fix to a menu, and return the actions."""
    made = []
    for fix in found:
        action = menu.addAction(fix.title)
        action.triggered.connect(lambda _checked=False, fix=fix: take(editor, fix))
        made.append(action)
    return made
