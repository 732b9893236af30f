"""The panes around the board: their places, their sizes when the window is resized, and their title bars."""

from __future__ import annotations

import functools

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QMainWindow,
    QMenu,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from cqlgui.base.data import dataclass
from cqlgui.ui.look import icons, theme, wording
from cqlgui.ui.window import layouts
from cqlgui.ui.window.layouts import Layout, Place

VERSION = 2
"""The version of the panes' state in a session. States of other versions describe other panes."""
_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
_BELOW = Qt.DockWidgetArea.BottomDockWidgetArea
_NOWHERE = Qt.DockWidgetArea.NoDockWidgetArea
_AREAS = {Place.UNDER: _LEFT, Place.RIGHT: _RIGHT, Place.BOTTOM: _BELOW}
_TITLE_BUTTONS = {"qt_dockwidget_closebutton": "close", "qt_dockwidget_floatbutton": "float"}
"""The icons of the buttons that Qt puts on the title of a pane, by Qt's names of these buttons."""
_CLOSER, _PADDING = 18, 20
_LEAST_TITLE = 0.75
"""The titles of tabs may be cut to this share of their width."""
"""The side of the button that closes the pane of a tab, and the room around the texts of a tab, in pixels."""
_ACROSS, _DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


@dataclass(frozen=True, slots=True)
class Kept:
    """A layout as the user left it: the underlying built-in layout, the state of the panes, and whether the
    user resized panes."""

    layout: Layout
    state: bytes
    dragged: bool = False


class Docks(QObject):
    """The five panes of a window. In the usual layout, query, library and help are tabs on the left. The
    transforms are below these tabs, and the results are on the right. Further panes (`add`) are closed until
    the user opens them; they are tabs beside the results.

    The signal `arranged` is emitted when another layout is shown. `closed` carries the title of a pane that
    the user closes in any way, and `opened` the title of a pane that is open again. `kept` maps the name of a
    layout to the layout as the user left it. Layouts that the user named are included.
    """

    arranged = Signal()
    closed = Signal(str)
    opened = Signal(str)

    def __init__(
        self,
        main: QMainWindow,
        query: QWidget,
        library: QWidget,
        help_: QWidget,
        picker: QWidget,
        results: QWidget,
    ) -> None:
        super().__init__(main)
        self._main = main
        self.layout = Layout.SEARCHING
        self.name = Layout.SEARCHING.value
        self.kept: dict[str, Kept] = {}
        # The current places of the panes; None until the panes are placed for the first time.
        self._plan: layouts.Plan | None = None
        # Whether the user resized the panes. If True, the panes do not get their planned sizes when the
        # window is resized.
        self._dragged = False
        self._before = Layout.SEARCHING.value
        self._titles = self._timer(self._fit_titles)
        # The sizes of the panes before the user began to drag an edge between two panes; empty if no edge is
        # dragged.
        self._drawn: list[tuple[int, int]] = []
        self._raised: QDockWidget | None = None
        self._focus = self._timer(self._follow_raised)
        self._size = self._timer(self._fit_size)
        self._screen = self._timer(self._fit_screen)
        # The size of the window before its panes made it larger than the screen, until it is mended.
        self._former: QSize | None = None
        self.query = self._dock("query", "Query", query)
        self.library = self._dock("library", "Library", library)
        self.help = self._dock("help", "Help", help_)
        self.picker = self._dock("picker", "Transforms", picker)
        self.results = self._dock("results", "Results", results)
        self.all = (self.query, self.library, self.help, self.picker, self.results)
        self.more: tuple[QDockWidget, ...] = ()
        # The user may have moved the results.
        self.results.dockLocationChanged.connect(self._timer(self._gather).start)
        main.installEventFilter(self)
        main.setTabPosition(_LEFT | _RIGHT | _BELOW, QTabWidget.TabPosition.North)
        # Qt gives the buttons its own icons again when the style sheet changes.
        theme.theme().changed.connect(self._titles.start)

    def add(self, name: str, title: str, content: QWidget) -> QDockWidget:
        """Add a pane that is closed until the user opens it. All panes are added before the first layout is
        shown."""
        dock = self._dock(name, title, content)
        # Qt would open the pane in its last place, where the results may no longer be.
        dock.toggleViewAction().triggered.connect(lambda on: self._join_results(dock) if on else None)
        dock.hide()
        self.more = (*self.more, dock)
        return dock

    # --- layouts -------------------------------------------------------------------------------------------

    @property
    def presenting(self) -> bool:
        """Whether the board and the notation are shown alone."""
        return self.layout is Layout.PRESENTING

    def reset(self) -> None:
        """Undo all changes that the user made to the current layout, and put every pane back in its planned
        place."""
        self.kept.pop(self.name, None)
        self._arrange(self.layout)

    def choose(self, name: str) -> None:
        """Show the layout called `name`, with the changes that the user made to the layout."""
        if name == self.name:
            return
        self.keep()
        kept = self.kept.get(name)
        self.name = name
        if kept is None or not self.restore(kept):
            self._arrange(layouts.named(name))

    def leave_presenting(self) -> None:
        """Return to the layout that was shown before the board and the notation were shown alone."""
        if self.presenting:
            self.choose(self._before)

    @property
    def last(self) -> str:
        """The name of the current layout. While the board and the notation are shown alone, this is the name
        of the earlier layout."""
        return self._before if self.presenting else self.name

    def keep(self) -> None:
        """Remember the current state of the layout."""
        if not self.presenting:
            self._before = self.name
            self.kept[self.name] = Kept(self.layout, self.state(), self._dragged)

    def keep_as(self, name: str) -> None:
        """Save the current state of the panes as a layout with a new name."""
        self.keep()
        self.name = name
        self.keep()
        self.arranged.emit()

    def forget(self, name: str) -> None:
        """Forget a layout that the user named."""
        self.kept.pop(name, None)
        if name == self.name:
            self.name = self.layout.value
            self.arranged.emit()

    def state(self) -> bytes:
        """The state of the panes, for `restore`."""
        return bytes(self._main.saveState(VERSION).data())

    def restore(self, kept: Kept) -> bool:
        """Restore a state of the panes. Returns False if the state cannot be read."""
        # The panes are arranged before the state is restored. If restoring the state moved a pane out of a
        # group of tabs, Qt would leave an empty tab.
        size = self._main.size()
        self._arrange(kept.layout)
        if not self._main.restoreState(QByteArray(kept.state), VERSION):
            return False
        self._dragged = kept.dragged
        self._join_missing(kept.state)
        # The window may have become wider for columns of a larger screen.
        self._plan = now = layouts.plan(self.layout, size.width(), size.height())
        for dock, place in ((self.picker, now.picker), (self.results, now.results)):
            # The state may come from a larger window, where the pane was not a tab. In this window the pane
            # becomes a tab.
            if not dock.isFloating() and place is Place.TAB and self._stands(dock) is not place:
                self._move(dock, place)
        self._gather()
        self._fit_columns(size)
        self._fit_titles()
        self._size.start()
        return True

    def _fit_columns(self, size: QSize) -> None:
        """If the columns of a restored state need a wider window than `size`, put the further panes beside
        the results. Then give the window this size again."""
        if self._main.minimumSizeHint().width() > size.width():
            self._gather(opened=True)
        self._resize(size)

    def _note_size(self, former: QSize) -> None:
        """Mend a window that Qt has enlarged beyond the screen, because its panes need so much room."""
        if self._plan is not None and self._former is None and not self._fits(former):
            self._former = former
            self._screen.start()

    def _fits(self, former: QSize) -> bool:
        """Whether the panes need no more room than the screen, or the window before it was enlarged, has."""
        most = former.expandedTo(self._main.screen().availableSize())
        return self._main.minimumSizeHint().expandedTo(most) == most

    def _fit_screen(self) -> None:
        """Put the further panes beside the results. If that is not enough, put all panes in their planned
        places."""
        former = self._former
        assert former is not None
        if not self._fits(former):
            self._gather(opened=True)
        if not self._fits(former):
            self._arrange(self.layout)
        self._resize(former)
        self._former = None

    def _resize(self, size: QSize) -> None:
        main = self._main
        if main.size() != size and not main.isMaximized() and not main.isFullScreen():
            layout = main.layout()
            assert layout is not None
            # Without this call, the columns that are gone would still count.
            layout.activate()
            main.resize(size)

    # --- sizes ---------------------------------------------------------------------------------------------

    def window_resized(self) -> None:
        """Fit the panes to the new size of the window, after the events that are already waiting."""
        self._titles.start()
        if self._plan is not None and self._plan != self._planned():
            self._size.start()

    def show(self, dock: QDockWidget) -> None:
        """Bring a pane to the front."""
        self.leave_presenting()
        if dock in self.more and not dock.toggleViewAction().isChecked():
            self._join_results(dock)
        dock.setVisible(True)
        dock.raise_()

    def _planned(self) -> layouts.Plan:
        return layouts.plan(self.layout, self._main.width(), self._main.height())

    def _shape(self, layout: Layout) -> None:
        """Set which of the columns reach down to the lower edge of the window."""
        self.layout = layout
        wide = layout is Layout.WIDE
        self._main.setCorner(Qt.Corner.BottomLeftCorner, _BELOW if wide else _LEFT)
        self._main.setCorner(Qt.Corner.BottomRightCorner, _RIGHT)

    def _arrange(self, layout: Layout) -> None:
        main = self._main
        self._shape(layout)
        self._dragged = False
        self._plan = now = self._planned()
        opened = [dock for dock in self.more if dock.toggleViewAction().isChecked()]
        for dock in (*self.all, *self.more):
            dock.setFloating(False)
            main.removeDockWidget(dock)
        if layout is not Layout.PRESENTING:
            main.addDockWidget(_LEFT, self.query)
            main.tabifyDockWidget(self.query, self.library)
            main.tabifyDockWidget(self.library, self.help)
            self._place(self.picker, now.picker)
            self._place(self.results, now.results)
            for dock in self.all:
                dock.setVisible(True)
            for dock in self.more:
                # A pane without a place would be open in the saved state of the layout.
                main.tabifyDockWidget(self.results, dock)
                dock.setVisible(dock in opened)
            if opened:
                self.results.raise_()
            self.query.raise_()
            self._apply_sizes()
        self._fit_titles()
        self.arranged.emit()

    def _apply_sizes(self) -> None:
        """Give each pane its planned size if the pane is in its planned place."""
        main, now = self._main, self._plan
        assert now is not None
        right = [dock for dock in (self.picker, self.results) if self._stands(dock) is Place.RIGHT]
        main.resizeDocks([self.query, *right], [now.left, *[now.right] * len(right)], _ACROSS)
        if self._stands(self.results) is Place.BOTTOM:
            main.resizeDocks([self.results], [now.bottom], _DOWN)
        if self._stands(self.picker) is Place.UNDER:
            # The query keeps its least height if there is room for the query and the transforms.
            above = next((dock for dock in (self.library, self.help) if dock is self._raised), self.query)
            room = above.height() + self.picker.height()
            if above is self.query:
                under = max(min(now.under, room - _LEAST_QUERY), room // 2)
            else:
                # The library and the help need much height. The transforms belong to the query, and get
                # little height while the query is not visible.
                under = min(now.under, _LEAST_UNDER)
            main.resizeDocks([above, self.picker], [max(1, room - under), under], _DOWN)

    def _fit_size(self) -> None:
        """After a change of the window's size, move panes into or out of the column of tabs. A pane moves
        only if it is in the planned place for the former size. A pane that the user has moved stays where the
        user put it."""
        former, now = self._plan, self._planned()
        self._plan = now
        if former is None or self.presenting:
            return
        moved = False
        for dock, old, new in (
            (self.picker, former.picker, now.picker),
            (self.results, former.results, now.results),
        ):
            if old is not new and not dock.isFloating() and self._stands(dock) is old:
                self._move(dock, new)
                moved = True
        if moved:
            self.query.raise_()
            self._fit_titles()
        if moved or not self._dragged:
            self._apply_sizes()

    def _stands(self, dock: QDockWidget) -> Place | None:
        """The place of a pane; None if the user has moved the pane to another place."""
        if dock.isFloating():
            return None
        beside = self._main.tabifiedDockWidgets(dock)
        if self.library in beside or self.query in beside:
            return Place.TAB
        area = self._main.dockWidgetArea(dock)
        return next((place for place, wanted in _AREAS.items() if area == wanted), None)

    def _move(self, dock: QDockWidget, place: Place) -> None:
        shown = dock.toggleViewAction().isChecked()
        together = self._main.tabifiedDockWidgets(dock) if dock is self.results else []
        beside = [one for one in self.more if one in together]
        self._place(dock, place)
        dock.setVisible(shown)
        for one in beside:
            self._main.tabifyDockWidget(dock, one)
        if dock is self.results:
            self._gather()

    def _gather(self, *, opened: bool = False) -> None:
        """Put the closed further panes beside the results, where they are opened. Qt opens a pane in its last
        place. In another place the pane would be a column of its own for a moment, and the window would grow
        for this column, also beyond the screen. With `opened`, put the open further panes there, too."""
        if self.results.isFloating() or self._main.dockWidgetArea(self.results) == _NOWHERE:
            return
        for dock in self.more:
            if not dock.isFloating() and (opened or not dock.toggleViewAction().isChecked()):
                self._main.tabifyDockWidget(self.results, dock)

    def _join_results(self, dock: QDockWidget) -> None:
        """Open a pane as the front tab beside the results."""
        self.leave_presenting()
        if not dock.isFloating():
            self._main.tabifyDockWidget(self.results, dock)
        dock.setVisible(True)
        dock.raise_()

    def _place(self, dock: QDockWidget, place: Place) -> None:
        main = self._main
        if place is Place.TAB:
            # `addDockWidget` is not called here. After this call, the pane would be below the other panes for
            # a moment, and on a low screen the window would grow beyond the screen.
            main.removeDockWidget(dock)
            main.tabifyDockWidget(self.help, dock)
        else:
            main.addDockWidget(_AREAS[place], dock)

    def _join_missing(self, state: bytes) -> None:
        """Put the panes that did not exist when the state was saved into their planned places."""
        for dock in self.more:
            # A state has the names of its panes in UTF-16. Qt puts a pane that a state does not name below
            # another pane.
            if dock.objectName().encode("utf-16-be") not in state:
                self._main.tabifyDockWidget(self.results, dock)
                dock.hide()
        for dock in self.all:
            if (
                not dock.isFloating()
                and self._main.dockWidgetArea(dock) == Qt.DockWidgetArea.NoDockWidgetArea
            ):
                self._main.addDockWidget(_LEFT, dock)
                self._main.tabifyDockWidget(self.query, dock)
                self.query.raise_()

    # --- closing -------------------------------------------------------------------------------------------

    def close_current(self) -> str:
        """Close the pane with the keyboard focus. Returns the title of the pane; empty if the focus is in no
        pane."""
        focus = QApplication.focusWidget()
        for dock in (*self.all, *self.more):
            if dock.isVisible() and focus is not None and dock.isAncestorOf(focus):
                dock.close()
                return dock.windowTitle()
        return ""

    def _fit_tabs(self) -> None:
        """Give each tab of panes a menu that closes the pane or makes it a window. A click with the middle
        button closes the pane, too. Where there is room, the tabs of further panes have buttons for this."""
        docks = {dock.windowTitle(): dock for dock in (*self.all, *self.more)}
        right = QTabBar.ButtonPosition.RightSide
        for bar in self._main.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if bar.contextMenuPolicy() != Qt.ContextMenuPolicy.CustomContextMenu:
                bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                bar.customContextMenuRequested.connect(functools.partial(self._ask_about_tab, bar))
                bar.installEventFilter(self)
            tabs = [docks[text] for place in range(bar.count()) if (text := bar.tabText(place)) in docks]
            if len(tabs) < bar.count():
                # Qt is still making the tabs.
                continue
            titles = sum(bar.fontMetrics().horizontalAdvance(dock.windowTitle()) for dock in tabs)
            closed = sum(dock in self.more for dock in tabs)
            room = titles + len(tabs) * _PADDING + closed * (_CLOSER + _PADDING) <= bar.width()
            # Titles that are cut to a letter tell nothing. Arrows move whole titles into view instead.
            fits = _LEAST_TITLE * titles + len(tabs) * _PADDING <= bar.width()
            bar.setElideMode(Qt.TextElideMode.ElideRight if fits else Qt.TextElideMode.ElideNone)
            for place, dock in enumerate(tabs):
                # A narrow tab shows only the beginning of its title.
                bar.setTabToolTip(place, wording.plain_tip(dock.windowTitle()))
                button = bar.tabButton(place, right)
                if button is not None and not room:
                    bar.setTabButton(place, right, None)
                    button.deleteLater()
                elif button is None and room and dock in self.more:
                    button = QToolButton(bar)
                    button.setFixedSize(_CLOSER, _CLOSER)
                    button.setToolTip(wording.plain_tip(f"Close {dock.windowTitle()} (Ctrl+W)"))
                    button.setAccessibleName(f"Close {dock.windowTitle()}")
                    button.clicked.connect(dock.close)
                    bar.setTabButton(place, right, button)
                if isinstance(button, QToolButton) and room:
                    button.setIcon(icons.icon("close", "muted"))

    def _at_tab(self, bar: QTabBar, place: QPoint) -> QDockWidget | None:
        """The pane of the tab at a place; None if there is no tab."""
        index = bar.tabAt(place)
        docks = (*self.all, *self.more)
        return next((dock for dock in docks if index >= 0 and dock.windowTitle() == bar.tabText(index)), None)

    def _ask_about_tab(self, bar: QTabBar, place: QPoint) -> None:
        """Show the menu of a tab."""
        dock = self._at_tab(bar, place)
        if dock is not None:
            menu = QMenu(bar)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addAction(f"&Float {dock.windowTitle()}", functools.partial(self._float, dock))
            menu.addAction(f"&Close {dock.windowTitle()}", dock.close)
            menu.popup(bar.mapToGlobal(place))

    def _float(self, dock: QDockWidget) -> None:
        """Make a pane a window of its own. Its title can be dragged to any edge of the main window."""
        # Qt keeps the panes behind the front tab outside the screen, and would leave them there.
        group = (dock, *self._main.tabifiedDockWidgets(dock))
        front = next((one for one in group if self._main.rect().contains(one.pos())), dock)
        place = QRect(self._main.mapToGlobal(front.pos()), front.size())
        dock.setFloating(True)
        dock.setVisible(True)
        self._fit_titles()
        dock.setGeometry(place)

    def _close_tab(self, bar: QTabBar, event: QMouseEvent) -> bool:
        """Close the pane of a tab if the middle button was released over it. Returns whether it was."""
        released = event.type() is QEvent.Type.MouseButtonRelease
        if not released or event.button() is not Qt.MouseButton.MiddleButton:
            return False
        dock = self._at_tab(bar, event.position().toPoint())
        if dock is not None:
            # Qt removes the tab, and must not do so while it handles the event of the tab.
            QTimer.singleShot(0, dock, dock.close)
        return dock is not None

    # --- keys and titles -----------------------------------------------------------------------------------

    def _seen(self, dock: QDockWidget, visible: bool) -> None:
        if visible:
            former, self._raised = self._raised, dock
            self._focus.start()
            if former is not dock and self._plan is not None:
                self._size.start()
        elif self._raised is dock:
            self._raised = None

    def _follow_raised(self) -> None:
        """Keep the keyboard focus on visible panes. If another pane comes in front of the pane with the
        focus, the front pane gets the focus, for example in its search box."""
        dock, focus = self._raised, QApplication.focusWidget()
        if dock is None or focus is None:
            return
        if any(behind.isAncestorOf(focus) for behind in self._main.tabifiedDockWidgets(dock)):
            content = dock.widget()
            if isinstance(content, QTabWidget):
                content = content.currentWidget()
            (content.focusProxy() or content).setFocus(Qt.FocusReason.OtherFocusReason)

    def _fit_titles(self) -> None:
        """Hide the title bar of a pane if a tab already shows the name of the pane. The buttons of tabs and
        of title bars get icons in the colours of the theme."""
        self._fit_tabs()
        for dock in (*self.all, *self.more):
            beside = self._main.tabifiedDockWidgets(dock)
            tabbed = not dock.isFloating() and any(other.toggleViewAction().isChecked() for other in beside)
            bar = dock.titleBarWidget()
            if tabbed and bar is None:
                dock.setTitleBarWidget(QWidget(dock))
            elif not tabbed and bar is not None:
                dock.setTitleBarWidget(None)  # type: ignore[arg-type]  # Qt shows its own title bar again
                bar.deleteLater()
            for name, icon in _TITLE_BUTTONS.items():
                button = dock.findChild(QAbstractButton, name)
                if button is not None:
                    button.setIcon(icons.icon(icon))

    def _dock(self, name: str, title: str, content: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self._main)
        dock.setObjectName(f"dock-{name}")
        dock.setWidget(content)
        for changed in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
            # The titles are fitted later, when Qt has moved the panes and knows which panes share a tab bar.
            changed.connect(lambda _what: self._titles.start())
        dock.visibilityChanged.connect(lambda visible: self._seen(dock, visible))
        dock.toggleViewAction().toggled.connect(lambda on: self.opened.emit(title) if on else None)
        dock.installEventFilter(self)
        return dock

    def _timer(self, does: object) -> QTimer:
        """A timer that calls a function once, after the events that are already waiting."""
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(does)
        return timer

    def _sizes(self) -> list[tuple[int, int]]:
        return [(dock.width(), dock.height()) for dock in self.all if dock.isVisible()]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QDockWidget):
            # Keys, buttons and menus close a pane by this event, and other layouts hide it without the event.
            if event.type() is QEvent.Type.Close and not watched.isHidden():
                self.closed.emit(watched.windowTitle())
            return False
        if isinstance(watched, QTabBar):
            return isinstance(event, QMouseEvent) and self._close_tab(watched, event)
        if isinstance(event, QResizeEvent):
            self._note_size(event.oldSize())
        # The window itself gets a click only on an edge between two panes.
        if event.type() is QEvent.Type.MouseButtonPress:
            self._drawn = self._sizes()
        elif event.type() is QEvent.Type.MouseButtonRelease and self._drawn:
            self._dragged = self._dragged or self._sizes() != self._drawn
            self._drawn = []
        return False


_LEAST_QUERY = 234
"""The least height of the query pane in pixels, if the transforms are below the query."""
_LEAST_UNDER = 150
"""The height of the transforms in pixels, if the library or the help is above the transforms."""
