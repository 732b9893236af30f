"""The panes around the board: where they belong, how they follow the width, when they need a title."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QTabWidget, QWidget

NARROW = 1180
"""Below this width in pixels the transforms share the left column with the query."""
LOW = 560
"""Below this height in pixels the results do so, too."""
_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
_BELOW = Qt.DockWidgetArea.BottomDockWidgetArea
_PICKER_WIDTH = 318
_QUERY_WIDTH = 360
_RESULTS_SHARE = 0.27


class Docks(QObject):
    """The five panes of a window: query, library and help left, transforms right (left where it is
    narrow), results
    below.
    """

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
        # Unknown until the panes were placed for the first time.
        self._narrow: bool | None = None
        self._low = False
        self._titles = QTimer(self)
        self._titles.setSingleShot(True)
        self._titles.timeout.connect(self._fit_titles)
        self._raised: QDockWidget | None = None
        self._focus = QTimer(self)
        self._focus.setSingleShot(True)
        self._focus.timeout.connect(self._follow_raised)
        self._width = QTimer(self)
        self._width.setSingleShot(True)
        self._width.timeout.connect(self._fit_size)
        self.query = self._dock("query", "Query", query)
        self.library = self._dock("library", "Library", library)
        self.help = self._dock("help", "Help", help_)
        self.picker = self._dock("picker", "Transforms", picker)
        self.results = self._dock("results", "Results", results)
        self.all = (self.query, self.library, self.help, self.picker, self.results)
        main.setCorner(Qt.Corner.BottomLeftCorner, _BELOW)
        main.setCorner(Qt.Corner.BottomRightCorner, _RIGHT)
        main.setTabPosition(_LEFT, QTabWidget.TabPosition.North)

    def reset(self) -> None:
        """Put every pane where it belongs."""
        main = self._main
        self._narrow, self._low = main.width() < NARROW, main.height() < LOW
        for dock in self.all:
            dock.setFloating(False)
            main.removeDockWidget(dock)
        main.addDockWidget(_LEFT, self.query)
        main.tabifyDockWidget(self.query, self.library)
        main.tabifyDockWidget(self.library, self.help)
        self._place_picker()
        self._place_results()
        for dock in self.all:
            dock.setVisible(True)
        self.query.raise_()
        main.resizeDocks([self.query], [_QUERY_WIDTH], Qt.Orientation.Horizontal)
        self._fit_titles()

    def restored(self) -> None:
        """The panes stand as the user left them; one that was not there then joins the left column."""
        if self._main.dockWidgetArea(self.help) == Qt.DockWidgetArea.NoDockWidgetArea:
            self._main.addDockWidget(_LEFT, self.help)
            self._main.tabifyDockWidget(self.library, self.help)
            self.query.raise_()
        self._narrow, self._low = self._main.width() < NARROW, self._main.height() < LOW
        if self._low and self._results_below():
            self._move_results()
        self._fit_titles()

    def show(self, dock: QDockWidget) -> None:
        """Bring a pane to the front."""
        dock.setVisible(True)
        dock.raise_()

    def window_resized(self) -> None:
        """Let the panes follow a new width of the window, once it has got it."""
        if self._narrow is not None and (self._narrow, self._low) != (
            self._main.width() < NARROW,
            self._main.height() < LOW,
        ):
            self._width.start()

    def _seen(self, dock: QDockWidget, visible: bool) -> None:
        if visible:
            self._raised = dock
            self._focus.start()
        elif self._raised is dock:
            self._raised = None

    def _follow_raised(self) -> None:
        """Keys are for what is seen: they leave a pane that another one has come in front of, and go to the
        search box of that one.
        """
        dock, focus = self._raised, QApplication.focusWidget()
        if dock is None or focus is None:
            return
        if any(behind.isAncestorOf(focus) for behind in self._main.tabifiedDockWidgets(dock)):
            content = dock.widget()
            if isinstance(content, QTabWidget):
                content = content.currentWidget()
            (content.focusProxy() or content).setFocus(Qt.FocusReason.OtherFocusReason)

    def _join_left(self, dock: QDockWidget) -> None:
        """Put a pane among the tabs of the left column; it is hidden then. Added to the column as usual it
        would stand below the others for a moment, for which the window grows beyond a low screen.
        """
        self._main.removeDockWidget(dock)
        self._main.tabifyDockWidget(self.help, dock)

    def _place_picker(self) -> None:
        if self._narrow:
            self._join_left(self.picker)
        else:
            self._main.addDockWidget(_RIGHT, self.picker)
            self._main.resizeDocks([self.picker], [_PICKER_WIDTH], Qt.Orientation.Horizontal)

    def _place_results(self) -> None:
        main = self._main
        if self._low:
            self._join_left(self.results)
        else:
            main.addDockWidget(_BELOW, self.results)
            share = round(main.height() * _RESULTS_SHARE)
            main.resizeDocks([self.results], [share], Qt.Orientation.Vertical)

    def _results_below(self) -> bool:
        """Whether the results stand where they belong in a window that is not low."""
        return not self.results.isFloating() and self._main.dockWidgetArea(self.results) == _BELOW

    def _move_results(self) -> None:
        shown = self.results.toggleViewAction().isChecked()
        self._place_results()
        self.results.setVisible(shown)
        self.query.raise_()

    def _fit_height(self) -> None:
        """Take the results to the left column, or back, in the same way as the transforms."""
        low = self._main.height() < LOW
        if low == self._low:
            return
        self._low = low
        beside = self.library in self._main.tabifiedDockWidgets(self.results)
        if self._results_below() if low else beside:
            self._move_results()
            self._fit_titles()

    def _fit_size(self) -> None:
        self._fit_width()
        self._fit_height()

    def _fit_width(self) -> None:
        """Take the transforms to the left column, or back; only from where they belong at the other width,
        because what the user arranged otherwise stays.
        """
        narrow = self._main.width() < NARROW
        if narrow == self._narrow:
            return
        self._narrow = narrow
        dock = self.picker
        beside = self.library in self._main.tabifiedDockWidgets(dock)
        moves = self._main.dockWidgetArea(dock) == _RIGHT and not beside if narrow else beside
        if dock.isFloating() or not moves:
            return
        shown = dock.toggleViewAction().isChecked()
        self._place_picker()
        dock.setVisible(shown)
        self.query.raise_()
        self._fit_titles()

    def _fit_titles(self) -> None:
        """Hide the title bar of a pane whose tab says its name already."""
        for dock in self.all:
            beside = self._main.tabifiedDockWidgets(dock)
            tabbed = not dock.isFloating() and any(other.toggleViewAction().isChecked() for other in beside)
            bar = dock.titleBarWidget()
            if tabbed and bar is None:
                dock.setTitleBarWidget(QWidget(dock))
            elif not tabbed and bar is not None:
                dock.setTitleBarWidget(None)  # type: ignore[arg-type]  # so Qt puts its own back
                bar.deleteLater()

    def _dock(self, name: str, title: str, content: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self._main)
        dock.setObjectName(f"dock-{name}")
        dock.setWidget(content)
        for changed in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
            # Which panes share a tab bar is known only after Qt has finished moving them.
            changed.connect(lambda _what: self._titles.start())
        dock.visibilityChanged.connect(lambda visible: self._seen(dock, visible))
        return dock
