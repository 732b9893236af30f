"""Restores the window from its session at the start, and saves the session at the end."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray

from cqlgui.base.files import disk
from cqlgui.tasks.asking import library
from cqlgui.ui.look import fitting, theme
from cqlgui.ui.state import session
from cqlgui.ui.tables import view
from cqlgui.ui.window import actions, docks, frame, layouts


def restore_looks(window: frame.Frame, actions_: actions.Actions, kept: session.Session) -> None:
    """Restore the theme, the board, the columns and the panes."""
    theme.theme().apply(_theme_choice(kept.theme))
    actions_.show_theme()
    window.folder = kept.folder
    # The address is only suggested. Nothing connects with another computer until the user says so.
    window.cluster.last = kept.cluster
    window.board.set_turned(kept.turned)
    window.board.set_coordinates(kept.coordinates)
    actions_.coordinates.setChecked(kept.coordinates)
    window.board.set_animated(kept.animated)
    actions_.animate.setChecked(kept.animated)
    window.notation.set_figurine(kept.figurines)
    actions_.figurines.setChecked(kept.figurines)
    window.live.switch(kept.live)
    window.notation.set_columns(kept.columns)
    window.unsaved = kept.unsaved
    window.studying.set_recent([Path(row[0]) for row in session.rows_of(kept.studies, 1)])
    for panel, columns in ((window.hits, kept.hits_columns), (window.games, kept.games_columns)):
        if columns:
            panel.restore_columns(_bytes(columns))
    window.hits.table.set_form(view.named(kept.rows))
    if kept.geometry:
        window.restoreGeometry(_bytes(kept.geometry))
    _restore_layout(window, kept)
    fitting.fit(window)
    window.split.restore(_bytes(kept.divider))
    if kept.library_split:
        window.library.split.restoreState(_bytes(kept.library_split))


def put_query(window: frame.Frame, kept: session.Session) -> None:
    """Show the query of the session. An unchanged query is read from its file again. If the query had unsaved
    changes, the text of the session is shown. If the file has changed since the session was saved, the first
    attempt to save the query fails."""
    editor = window.editor
    if kept.query_path and disk.is_file(Path(kept.query_path)) and editor.open_file(kept.query_path):
        if kept.query_modified and editor.text() != kept.query:
            editor.replace(0, len(editor.text()), kept.query)
            if kept.query_seen:
                editor.recall_seen(kept.query_seen)
    else:
        editor.set_text(kept.query, library.title(kept.query))
        # If the file is gone, the query now belongs to no file, and counts as changed.
        editor.edit.document().setModified(kept.query_modified or bool(kept.query_path))


def snapshot(window: frame.Frame, actions_: actions.Actions) -> session.Session:
    """The session to save now. Parts of the last session that were not restored yet are saved again."""
    editor = window.editor
    files, game, positionid = _games(window)
    layout, layouts_ = _layouts(window)
    hit_game, hit_place = _hit(window)
    return session.Session(
        files=files,
        query=editor.text(),
        query_path=str(editor.path) if editor.path else "",
        query_modified=editor.modified,
        query_seen=editor.seen,
        hit_game=hit_game,
        hit_place=hit_place,
        game=game,
        positionid=positionid,
        geometry=_text(window.saveGeometry()),
        layout=layout,
        layouts=layouts_,
        divider=_text(window.split.state()),
        library_split=_text(window.library.split.saveState()),
        rows=window.hits.table.form.value,
        hits_columns=_text(window.hits.columns()),
        games_columns=_text(window.games.columns()),
        theme=theme.theme().choice.value,
        turned=window.board.turned,
        coordinates=window.board.coordinates,
        figurines=actions_.figurines.isChecked(),
        animated=window.board.animated,
        live=window.live.on,
        columns=window.notation.columns,
        folder=window.folder,
        cluster=window.cluster.last,
        studies=session.rows_text([(str(path),) for path in window.studying.recent]),
        unsaved=window.unsaved,
    )


def _restore_layout(window: frame.Frame, kept: session.Session) -> None:
    """Restore the panes of all layouts, also of the layouts that are not shown."""
    docks_ = window.docks
    docks_.kept = {
        name: docks.Kept(layouts.named(layout), session.unpacked(state), dragged == "dragged")
        for name, layout, state, dragged in session.rows_of(kept.layouts, 4)
    }
    docks_.name = kept.layout
    found = docks_.kept.get(kept.layout)
    if found is None or not docks_.restore(found):
        docks_.name = layouts.named(kept.layout).value
        docks_.layout = layouts.named(kept.layout)
        window.reset_layout()


def _layouts(window: frame.Frame) -> tuple[str, str]:
    """The name of the layout to show first, and all layouts as the user left them. The layout to show first
    is never "Presenting", because the user chooses "Presenting" only for a while."""
    window.docks.keep()
    rows = [
        (name, kept.layout.value, session.packed(kept.state), "dragged" if kept.dragged else "")
        for name, kept in window.docks.kept.items()
    ]
    return window.docks.last, session.rows_text(rows)


def _games(window: frame.Frame) -> tuple[tuple[str, ...], int, int]:
    """The files, the game on the board and its position. Parts that were not restored yet are taken from the
    last session."""
    kept, base, shown = window.unrestored, window.base, window.browser.game
    if kept is not None:
        files = kept.files
    else:
        files = tuple(map(str, base.paths)) if base else ()
    if shown is not None:
        return files, shown.game, window.browser.positionid
    return files, kept.game if kept else 0, kept.positionid if kept else 0


def _hit(window: frame.Frame) -> tuple[int, int]:
    """The game and the positionid of the current hit; game 0 without a hit. Until the query of the last
    session has been run again, this is the hit of the last session."""
    text, row = window.editor.text(), window.hits.table.row
    query, game, place = window.wanted_hit
    if query == text and game and (window.asked != text or (window.searcher.running and row <= 0)):
        return game, place
    current = window.hits.current()
    # If the hits belong to another query, no hit is saved. A search for the current query would find other
    # hits.
    return (current.game, current.positionid) if current is not None and window.asked == text else (0, 0)


def _text(state: QByteArray) -> str:
    return session.packed(bytes(state.data()))


def _bytes(text: str) -> QByteArray:
    return QByteArray(session.unpacked(text))


def _theme_choice(value: str) -> theme.Choice:
    try:
        return theme.Choice(value)
    except ValueError:
        return theme.Choice.SYSTEM
