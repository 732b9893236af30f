"""The menus, the toolbar and the keys of the window. This module also decides when an action is enabled."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QIcon, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QMessageBox, QToolBar, QWidget

from cqlgui import __version__
from cqlgui.base.files import disk
from cqlgui.tasks.databases import bases
from cqlgui.ui.helping import here
from cqlgui.ui.look import naming, theme, wording
from cqlgui.ui.pointing import steps_row
from cqlgui.ui.state import marked
from cqlgui.ui.tables import view
from cqlgui.ui.window import clustering as clustering_module
from cqlgui.ui.window import frame, layouts
from cqlgui.ui.window import opening as opening_module
from cqlgui.ui.window import output as output_module
from cqlgui.ui.window import queries_kept as queries_kept_module
from cqlgui.ui.window import searching as searching_module
from cqlgui.ui.window import showing as showing_module

_RECENT = 12
_FORMS = {
    view.Form.AUTOMATIC: "By the &room",
    view.Form.TWO_LINES: "&Two lines",
    view.Form.COLUMNS: "&Columns",
}
_ABOUT = (
    f"<h3>cqlgui {__version__}</h3><p>Searches chess games with CQL, the Chess Query Language, and shows "
    "which element of a transform's orbit matched.</p><p>Free software under the GNU General Public License, "
    "version 3 or later. Pieces by Colin M. L. Burnett.</p>"
)


class Actions:
    """Every action of the window. The menus, the toolbar and the keys share the actions."""

    def __init__(
        self,
        main: frame.Frame,
        queries_kept: queries_kept_module.QueriesKept,
        showing: showing_module.Showing,
        searching: searching_module.Searching,
        opening: opening_module.Opening,
        output: output_module.Output,
        clustering: clustering_module.Clustering,
    ) -> None:
        self._main = main
        self._queries_kept = queries_kept
        self._showing = showing
        self._searching = searching
        self._opening = opening
        self._output = output
        self._clustering = clustering
        self._icons: dict[str, list[QAction]] = {}
        self._layouts: list[QAction] = []
        self._forms: dict[view.Form, QAction] = {}
        self._make_file()
        self._make_query()
        self._make_position()
        self._make_game()
        self._make_view()
        self._make_toolbar()
        self.enable()

    def set_icons(self, icon: Callable[[str], QIcon]) -> None:
        """Draw the icons again. The window calls this method after a change of colours."""
        for name, found in self._icons.items():
            drawn = icon(name)
            for action in found:
                action.setIcon(drawn)

    def enable(self) -> None:
        """Enable the actions that are possible now, and disable all others."""
        main = self._main
        running = main.searcher.running
        shown = main.browser.game is not None
        self.stop.setEnabled(running or main.waiting.asked is not None or main.assistance.why.busy)
        self.export.setEnabled(main.hits.exportable)
        self.new_base.setEnabled(main.hits.exportable)
        self.copy_command.setEnabled(main.result is not None and main.base is not None)
        for action in (self.next_hit, self.previous_hit):
            action.setEnabled(main.hits.count > 0)
        marks = len(main.marked.all)
        self.common.setEnabled(marks > 1)
        self.common.setText(marked.COMMON if marks < 2 else f"{marked.COMMON} ({marks})")
        self._marked.setEnabled(marks > 0)
        for action in (
            *self.positions,
            *self.moves,
            self.why_not,
            self.copy_fen,
            self.copy_pgn,
            self.copy_picture,
        ):
            action.setEnabled(shown)

    def show_theme(self) -> None:
        """Tick the current theme."""
        self._themes[theme.theme().choice].setChecked(True)

    def show_layout(self) -> None:
        """List the layouts and tick the current layout."""
        main = self._main
        built_in = [layout.value for layout in layouts.Layout]
        for action in self._layouts[len(built_in) :]:
            self._layout_menu.removeAction(action)
            action.deleteLater()
        del self._layouts[len(built_in) :]
        own = sorted(name for name in main.docks.kept if name not in built_in)
        for name in own:
            # In a menu a single `&` would underline the next letter.
            action = QAction(naming.shortened(name).replace("&", "&&"), main)
            action.setCheckable(True)
            action.triggered.connect(lambda _checked, name=name: main.docks.choose(name))
            self._layout_menu.insertAction(self._own_layouts, action)
            self._layouts.append(action)
        for action, name in zip(self._layouts, (*built_in, *own), strict=True):
            action.setChecked(name == main.docks.name)
        self._forget.setEnabled(main.docks.name in own)

    def _make_file(self) -> None:
        main = self._main
        menu = main.menuBar().addMenu("&File")
        self.open = self._action(
            menu, "&Open games...", self._opening.ask_open, QKeySequence.StandardKey.Open, "open"
        )
        self._recent = menu.addMenu("Open &recent")
        self._recent.aboutToShow.connect(self._fill_recent)
        self._action(menu, "Open the sa&mple base", self._opening.open_sample)
        menu.addSeparator()
        self.new_query = self._action(
            menu, "&New query", self._queries_kept.new_query, QKeySequence.StandardKey.New, "new-query"
        )
        self._action(menu, "Open &query...", self._queries_kept.ask_open_query, "Ctrl+Shift+O")
        self._action(
            menu, "&Save query", self._queries_kept.save_query, QKeySequence.StandardKey.Save, "save"
        )
        self._action(menu, "Save query &as...", self._queries_kept.save_query_as, "Ctrl+Shift+S")
        self._action(menu, "Open s&tudy...", main.studying.ask_open)
        menu.addSeparator()
        self.export = self._action(menu, "&Export hits...", self._output.ask_export, "Ctrl+E", "export")
        self.new_base = self._action(menu, "New &base from the games with hits...", self._output.ask_new_base)
        self.copy_command = self._action(
            menu, "&Copy the search as a command line", self._output.copy_command, "Ctrl+Shift+K"
        )
        menu.addSeparator()
        quit_ = self._action(menu, "&Quit", main.close, QKeySequence.StandardKey.Quit)
        quit_.setMenuRole(QAction.MenuRole.QuitRole)

    def _make_query(self) -> None:
        main = self._main
        menu = main.menuBar().addMenu("&Query")
        # This undo is for everything that changes the query: typing, drawing and choosing. Text fields have
        # an undo of their own.
        self.undo = self._action(menu, "&Undo", main.pointing.undo, QKeySequence.StandardKey.Undo)
        self.redo = self._action(menu, "R&edo", main.pointing.redo, QKeySequence.StandardKey.Redo)
        self.redo.setShortcuts([QKeySequence(QKeySequence.StandardKey.Redo), QKeySequence("Ctrl+Y")])
        for action, told in (
            (self.undo, main.editor.edit.undoAvailable),
            (self.redo, main.editor.edit.redoAvailable),
        ):
            action.setEnabled(False)
            told.connect(action.setEnabled)
        menu.addSeparator()
        menu.addAction(self.new_query)
        self.run = self._action(menu, "&Run", self._searching.run, "F5", "run")
        self.stop = self._action(menu, "&Stop", self._searching.stop, "Esc", "stop")
        self.live = self._action(
            menu, "Search while &I ask", lambda: main.live.switch(self.live.isChecked()), "Ctrl+L"
        )
        self.live.setCheckable(True)
        self.live.setChecked(main.live.on)
        main.live.switched.connect(self.live.setChecked)
        self._action(menu, "Search on a &cluster...", self._clustering.ask)
        menu.addSeparator()
        self._action(menu, "&Add the pattern as a step", main.pointing.add_step, steps_row.KEY)
        menu.addSeparator()
        helpers = main.assistance
        self.why_not = self._action(menu, "&Why not?", helpers.why.ask, "F4")
        self._action(menu, "&Fix the mistake at the caret", helpers.fix, "Ctrl+.")
        self._action(menu, "S&igns or words", helpers.respell, "Ctrl+U")
        menu.addSeparator()
        self.next_hit = self._action(menu, "&Next hit", lambda: self._showing.next_hit(1), "F3", "next-hit")
        self.previous_hit = self._action(
            menu, "&Previous hit", lambda: self._showing.next_hit(-1), "Shift+F3", "previous-hit"
        )

    def _make_position(self) -> None:
        """Make the menu of queries about the position on the board."""
        main = self._main
        menu = main.menuBar().addMenu("&Position")
        found = [
            self._action(
                menu,
                f"Find &{kind.title[0].lower()}{kind.title[1:]}",
                functools.partial(main.here.find, place),
                f"Ctrl+Shift+{place + 1}",
            )
            for place, kind in enumerate(here.KINDS)
        ]
        self.twins = self._action(
            menu, "With mirror &twins and colours swapped", main.here_bar.twins.toggle, "Ctrl+Shift+4"
        )
        self.twins.setCheckable(True)
        main.here_bar.twins.toggled.connect(self.twins.setChecked)
        menu.addSeparator()
        mark = self._action(
            menu, "&Mark this position", lambda: main.marked.toggle(main.browser), "M", local=True
        )
        self.common = self._action(menu, marked.COMMON, main.marked.find_common)
        self._marked = menu.addMenu("Mar&ked positions")
        self._marked.aboutToShow.connect(self._fill_marked)
        self.positions = (*found, self.twins, mark)
        main.marked.changed.connect(self.enable)

    def _fill_marked(self) -> None:
        main = self._main
        self._marked.clear()
        for place, one in enumerate(main.marked.all):
            action = self._marked.addAction(f"&{place + 1}  {one.words}".replace("&&", "&"))
            action.triggered.connect(lambda _checked, one=one: self._show_marked(one))
        self._marked.addSeparator()
        self._marked.addAction("Forget them all").triggered.connect(lambda _checked: main.marked.clear())

    def _show_marked(self, one: marked.Place) -> None:
        main = self._main
        if main.base is not None:
            main.browser.open(main.base, one.game, one.positionid, main.hits.hits.hits_of(one.game))

    def _make_game(self) -> None:
        main = self._main
        menu = main.menuBar().addMenu("&Game")
        browser = main.browser
        self.moves = (
            self._action(menu, "&First position", lambda: browser.jump(-1), "Home", "first", local=True),
            self._action(menu, "&Back", lambda: browser.step(-1), "Left", "previous", local=True),
            self._action(menu, "&Forward", lambda: browser.step(1), "Right", "next", local=True),
            self._action(menu, "&Last position", lambda: browser.jump(1), "End", "last", local=True),
            self._action(menu, "Next &variation", lambda: browser.branch(1), "Ctrl+Down"),
            self._action(menu, "Previous v&ariation", lambda: browser.branch(-1), "Ctrl+Up"),
        )
        menu.addSeparator()
        self._action(menu, "Pas&te a position or games", self._opening.paste, "Ctrl+V", local=True)
        self.copy_fen = self._action(menu, "Copy F&EN", self._output.copy_fen, "Ctrl+Shift+F", "copy")
        self.copy_pgn = self._action(menu, "Copy &game (PGN)", self._output.copy_pgn, "Ctrl+Shift+P")
        self.copy_picture = self._action(
            menu, "Copy p&icture of the board", self._output.copy_picture, "Ctrl+Shift+I"
        )

    def _make_view(self) -> None:
        main = self._main
        menu = main.menuBar().addMenu("&View")
        self.pattern = self._action(menu, "&Pattern on the board", main.pointing.toggle, "Ctrl+B")
        self.pattern.setCheckable(True)
        main.pointing.mode_changed.connect(self.pattern.setChecked)
        self.turn = self._action(
            menu,
            "&Turn board",
            lambda: main.board.set_turned(not main.board.turned),
            "F",
            "turn",
            local=True,
        )
        self.coordinates = self._action(
            menu,
            "&Coordinates",
            lambda: main.board.set_coordinates(self.coordinates.isChecked()),
            "C",
            local=True,
        )
        self.coordinates.setCheckable(True)
        self.coordinates.setChecked(True)
        self.normalise = self._action(
            menu,
            "&Normalise: hits as the query is written",
            lambda: main.browser.set_normalised(self.normalise.isChecked()),
            "N",
            local=True,
        )
        self.normalise.setCheckable(True)
        main.browser.normalised_changed.connect(self.normalise.setChecked)
        self.animate = self._action(
            menu,
            "&Animate transforms",
            lambda: main.board.set_animated(self.animate.isChecked()),
        )
        self.animate.setCheckable(True)
        self.animate.setChecked(True)
        self.figurines = self._action(
            menu, "&Figurines", lambda: main.notation.set_figurine(self.figurines.isChecked()), "Ctrl+Shift+N"
        )
        self.figurines.setCheckable(True)
        self.columns = self._action(
            menu, "Moves in t&wo columns", lambda: main.notation.set_columns(self.columns.isChecked())
        )
        self.columns.setCheckable(True)
        main.notation.columns_changed.connect(self.columns.setChecked)
        menu.addSeparator()
        colours = menu.addMenu("C&olours")
        group = QActionGroup(main)
        self._themes: dict[theme.Choice, QAction] = {}
        for choice, title in (
            (theme.Choice.SYSTEM, "As the &system"),
            (theme.Choice.LIGHT, "&Light"),
            (theme.Choice.DARK, "&Dark"),
        ):
            action = colours.addAction(title)
            action.setCheckable(True)
            action.triggered.connect(lambda _checked, choice=choice: theme.theme().apply(choice))
            group.addAction(action)
            self._themes[choice] = action
        self.show_theme()
        menu.addSeparator()
        self._action(menu, "&Next area", lambda: main.areas.go(1), "F6")
        self._action(menu, "&Previous area", lambda: main.areas.go(-1), "Shift+F6")
        menu.addSeparator()
        self._layout_menu = menu.addMenu("&Layout")
        self._layout_menu.aboutToShow.connect(self.show_layout)
        for number, layout in enumerate(layouts.Layout, 1):
            action = self._action(
                self._layout_menu,
                f"&{layout.value}",
                functools.partial(main.docks.choose, layout.value),
                f"Alt+{number}",
            )
            action.setCheckable(True)
            self._layouts.append(action)
        self._own_layouts = self._layout_menu.addSeparator()
        self._layout_menu.addSeparator()
        self._action(self._layout_menu, "Save &as...", main.ask_layout_name)
        self._forget = self._action(
            self._layout_menu, "&Forget this one", lambda: main.docks.forget(main.docks.name)
        )
        self._action(self._layout_menu, "&Reset layout", main.reset_layout)
        rows = menu.addMenu("R&ows of the hits")
        group = QActionGroup(main)
        for form in view.Form:
            action = rows.addAction(_FORMS[form])
            action.setCheckable(True)
            action.triggered.connect(lambda _checked, form=form: main.hits.table.set_form(form))
            group.addAction(action)
            self._forms[form] = action
        rows.aboutToShow.connect(lambda: self._forms[main.hits.table.form].setChecked(True))
        menu.addSeparator()
        self._action(menu, "Stud&y of many queries", main.show_study, "Ctrl+Shift+Y")
        for dock in (*main.docks.all, *main.docks.more):
            if dock is not main.study_dock:
                menu.addAction(dock.toggleViewAction())
        self._action(menu, "Clos&e this pane", self._close_pane, "Ctrl+W")
        about = main.menuBar().addMenu("&Help")
        self._action(about, "&Keywords of CQL", main.assistance.show_help, "F1")
        self._action(about, "&Manual", main.assistance.show_manual, "Shift+F1")
        self._action(about, "&About cqlgui", lambda: QMessageBox.about(main, "About cqlgui", _ABOUT))

    def _make_toolbar(self) -> None:
        bar = _Tools("Tools", self._main.menuBar())
        bar.setObjectName("toolbar")
        bar.setMovable(False)
        bar.setIconSize(QSize(20, 20))
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        for group in (
            (self.open, self.new_query),
            (self.run, self.stop),
            (self.previous_hit, self.next_hit),
            self.moves[:4],
            (self.turn, self.export),
        ):
            if bar.actions():
                bar.addSeparator()
            bar.addActions(list(group))
        if self._main.menuBar().isNativeMenuBar():
            self._main.addToolBar(bar)
        else:
            # The tool bar is put beside the menus. A tool bar below the menus would make the board smaller.
            bar.setIconSize(QSize(18, 18))
            bar.setContentsMargins(0, 0, 0, 0)
            self._main.menuBar().setCornerWidget(bar)

    def _action(
        self,
        menu: QMenu,
        title: str,
        slot: Callable[[], object],
        key: str | QKeySequence.StandardKey = "",
        icon: str = "",
        *,
        local: bool = False,
    ) -> QAction:
        """Make an action in a menu.

        The key of a `local` action works only in the board, the notation and the tables. In a text field or
        in another list, the key would disturb typing.
        """
        action = menu.addAction(title)
        action.triggered.connect(lambda _checked=False: slot())
        if key:
            action.setShortcut(QKeySequence(key))
            name = title.replace("&", "").rstrip(".")
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(wording.plain_tip(f"{name} ({keys})"))
        if local:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            places: tuple[QWidget, ...] = (self._main.centre, self._main.hits, self._main.games)
            for place in places:
                place.addAction(action)
        elif key:
            # The action is added to the window, because the key must also work while the menu bar is hidden.
            self._main.addAction(action)
        if icon:
            self._icons.setdefault(icon, []).append(action)
        return action

    def _close_pane(self) -> None:
        if not self._main.docks.close_current():
            self._main.tell("No pane has the focus")

    def _fill_recent(self) -> None:
        self._recent.clear()
        self._recent.setToolTipsVisible(True)
        found = bases.recent_files()[:_RECENT]
        for paths in found:
            folder = naming.shortened(str(paths[0].parent))
            # In a menu a single `&` would underline the next letter.
            action = self._recent.addAction(f"{naming.title(paths)}   ({folder})".replace("&", "&&"))
            action.setToolTip(wording.plain_tip(naming.listing(paths)))
            action.setEnabled(all(disk.is_file(path) for path in paths))
            action.triggered.connect(lambda _checked=False, paths=paths: self._open(paths))
        if not found:
            self._recent.addAction("Nothing yet").setEnabled(False)

    def _open(self, paths: tuple[Path, ...]) -> None:
        self._opening.open_files(paths)


class _Tools(QToolBar):
    """A tool bar beside the menus. The tool bar uses the width that the menus leave free. Buttons that do not
    fit are in a menu behind an arrow."""

    def __init__(self, title: str, menus: QMenuBar) -> None:
        super().__init__(title, menus)
        self._menus = menus

    def sizeHint(self) -> QSize:
        wanted, menus = super().sizeHint(), self._menus
        # The widths of the menu titles are added up here. `menus.sizeHint()` cannot be used, because it would
        # call this method again.
        titles = [action.text().replace("&", "") for action in menus.actions()]
        taken = sum(menus.fontMetrics().horizontalAdvance(title) + _MENU_PADDING for title in titles)
        room = menus.window().width() - taken - _MENU_PADDING
        return QSize(max(self.minimumSizeHint().width(), min(wanted.width(), room)), wanted.height())


_MENU_PADDING = 22
"""The room beside the title of a menu, in pixels. The room is assumed to be a few pixels larger than in the
style sheet."""
