"""The parts of the window and their layout. The controllers of the window work with these parts.

The query is on the left, the game is in the middle, and the results are on the right. This module makes the
widgets and the state objects, and lays out the widgets. The controllers in this package connect the parts
(`queries_kept`, `showing`, `searching`, `opening`, `output`). Each controller gets a `Frame`.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QMainWindow,
    QPushButton,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.tasks.analysis import sets
from cqlgui.tasks.results import base_model, search_model
from cqlgui.ui.board import notation, painting, stage
from cqlgui.ui.board import widget as board_widget
from cqlgui.ui.continuing import pane as continuing_pane
from cqlgui.ui.editor import panel as editor_panel
from cqlgui.ui.facets import pane as facets_pane
from cqlgui.ui.facets import sets_pane
from cqlgui.ui.helping import assistance, here
from cqlgui.ui.likeness import anticipation_pane, duplicates_pane
from cqlgui.ui.look import areas, bars, fitting, infobar, labels, wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import games, hitbar, hits, start_page, waiting
from cqlgui.ui.picker import examples
from cqlgui.ui.picker import panel as picker_panel
from cqlgui.ui.pictures import pane as pictures_pane
from cqlgui.ui.pointing import controller as pointing
from cqlgui.ui.reference import history as history_pane
from cqlgui.ui.reference import library as library_pane
from cqlgui.ui.state import (
    browser,
    cluster,
    earlier,
    exporter,
    live_search,
    marked,
    narrower,
    opener,
    searcher,
    session,
)
from cqlgui.ui.studying import pane as studying_pane
from cqlgui.ui.window import docks, layouts

OPENING, ASKING, EXPORTING, KEEPING = "opening", "asking", "exporting", "query file"
DROPPED, UNSHOWN, FOUND, GAME, NARROWING, FAULT = (
    "dropped",
    "unshown",
    "found",
    "game",
    "narrowing",
    "fault",
)
"""The keys of messages. A key says what a message is about (see `look.infobar`)."""


class Frame(QMainWindow):
    """The parts of the window. The signal `changed` is emitted when actions must be enabled or disabled."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("main")
        self.setWindowTitle("cqlgui")
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        # With animation, each new layout would animate all panes, even the panes that do not move.
        self.setAnimated(False)
        self.jobs = jobs.Jobs(self)
        self.editor = editor_panel.EditorPanel()
        self.library = library_pane.LibraryPane()
        self.history = history_pane.HistoryPane()
        self.picker = picker_panel.PickerPanel()
        self.board = board_widget.BoardWidget(later=self.jobs.turns.ask)
        self.notation = notation.NotationView()
        self.hitbar = hitbar.HitBar()
        self.hits = hits.HitsPanel(self.jobs)
        self.continuing = continuing_pane.ContinuationsPane(self.jobs)
        self.facets = facets_pane.FacetsPane(self.jobs)
        self.sets = sets_pane.SetsPane()
        self.pictures = pictures_pane.PicturesPane(self.jobs)
        self.studying = studying_pane.StudiesPane(self.jobs)
        self.games = games.GamesPanel(self.jobs)
        self.duplicates = duplicates_pane.DuplicatesPane(self.jobs)
        self.anticipation = anticipation_pane.AnticipationPane(self.jobs)
        self.infobar = infobar.InfoBar()
        self.start_page = start_page.StartPage()
        # Whether the user went from the start page to the board, although there are no games.
        self.start_left = False
        self.opener = opener.Opener(self.jobs, self)
        self.searcher = searcher.Searcher(self.jobs, self)
        self.cluster = cluster.Cluster(self.jobs, self)
        self.live = live_search.LiveSearch(self.jobs, self.searcher, self)
        self.narrower = narrower.Narrower(self.jobs, self.hits.narrow, self)
        self.examples = examples.Examples(self.jobs, self.picker, self)
        self.exporter = exporter.Exporter(self.jobs, self)
        self.browser = browser.Browser(self.jobs, self.board, self.notation, self.hits.hits.shown_of, self)
        self.here_bar = here.HereBar()
        self.here = here.Here(self.jobs, self.browser, self.here_bar, self)
        self.marked = marked.Marked(self.jobs, self)
        self.assistance = assistance.Assistance(self.jobs, self.editor, self.browser, self.infobar, self)
        self.pointing = pointing.Controller(self.board, self.editor, self)
        self.waiting = waiting.Waiting(self.infobar, self)
        self.earlier = earlier.Earlier(self.jobs, self)
        self.base: base_model.Base | None = None
        self.result: search_model.SearchResult | None = None
        self.bad_games: tuple[base_model.BadGame, ...] = ()
        # The last session; None after its game is on the board or other games are opened. If the window is
        # closed earlier, or a file is missing, the last session can be saved again.
        self.unrestored: session.Session | None = None
        self.restoring = False
        # Whether files are being opened and no game of these files has been read yet.
        self.opened_anew = False
        # The query of the last session, and the game and the positionid of its current hit (game 0: none).
        self.wanted_hit = ("", 0, 0)
        # The query of the hits that are shown, and whether the search began before the whole base was read.
        self.asked = ""
        self.asked_early = False
        self.folder = ""
        # The texts that were replaced before they were saved, and the time of each replacement; the newest
        # first.
        self.unsaved: tuple[tuple[str, float], ...] = ()
        self._lay_out()
        self._connect_parts()

    def progress(self, done: int, total: int, words: str, rate: float) -> None:
        self.progress_bar.say(done, total)
        self.progress_words.say(words or f"{rate:,.0f} a second")

    def tell(self, words: str) -> None:
        """Show a text in the status bar for a while. The text must be complete, because a second text would
        replace the first text."""
        self.pointing.notice.say(words)

    def _tell_closed(self, title: str) -> None:
        self.tell(_closed(title))

    def _tell_opened(self, title: str) -> None:
        if self.pointing.notice.text() == _closed(title):
            self.tell("")

    def _tell_changed(self, found: sets.Changes, before: sets.NamedSet) -> None:
        """Say that a query finds something else than at its last run. The pane of sets shows what."""
        more = wording.counted(found.hits_added, "more hit", "more hits")
        words = f"{more} and {wording.number(found.hits_lost)} fewer"
        since = wording.moment(before.asked)
        self.infobar.show_message(
            f"Since the last run of this query ({since}): {words}.",
            "info",
            ("Show what changed", lambda: self.tabs.setCurrentWidget(self.sets)),
            key=NARROWING,
        )

    def end_progress(self) -> None:
        """Hide the progress if no files are being read or written."""
        self.progress_box.setVisible(self.opener.busy or self.exporter.busy)

    def reset_layout(self) -> None:
        """Put every pane back in its planned place in the current layout, and reset the divider between the
        board and the notation."""
        self.docks.reset()
        self.split.reset()

    def ask_layout_name(self) -> None:
        """Ask for a name, and save the current layout with this name."""
        name, given = QInputDialog.getText(self, "Save layout", "Name of the layout:")
        name = name.strip()
        if given and name and name not in [layout.value for layout in layouts.Layout]:
            self.docks.keep_as(name)

    def _lay_out(self) -> None:
        self.resize(1366, 768)
        screen = QGuiApplication.primaryScreen()
        if screen is not None:
            room = screen.availableSize()
            self.resize(min(1500, room.width()), min(950, room.height() - fitting.TITLE_BAR))
        self.centre = QWidget()
        column = QVBoxLayout(self.centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        board_side = QWidget()
        board_column = QVBoxLayout(board_side)
        board_column.setContentsMargins(4, 4, 4, 2)
        board_column.setSpacing(2)
        board_column.addWidget(self.board, 1)
        board_column.addWidget(self.pointing.chips)
        board_column.addWidget(self.pointing.steps)
        board_column.addWidget(self.hitbar)
        board_column.addWidget(self.here_bar)
        self.split = stage.Stage(board_side, self.board, self.notation, painting.BADGE_ROOM)
        self.notation.setMinimumWidth(120)
        column.addWidget(self.split, 1)
        column.addWidget(self.start_page, 1)
        self.setCentralWidget(self.centre)
        self.infobar.lie_over(self.centre)

        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.hits, "Hits")
        # The tabs that show the hits of the last search, each in another way.
        self.views = (self.hits, self.facets, self.continuing, self.pictures)
        self.tabs.addTab(self.facets, "Facets")
        self.tabs.addTab(self.continuing, "Moves")
        self.tabs.addTab(self.pictures, "Pictures")
        self.tabs.addTab(self.sets, "Sets")
        self.tabs.addTab(self.games, "All games")
        asked = QTabWidget()
        asked.setDocumentMode(True)
        asked.addTab(self.library, "Library")
        asked.addTab(self.history, "History")
        self.docks = docks.Docks(self, self.editor, asked, self.assistance.help, self.picker, self.tabs)
        self.study_dock = self.docks.add("study", "Study", self.studying)
        self.docks.add("duplicates", "Duplicates", self.duplicates)
        self.docks.add("anticipation", "Anticipation", self.anticipation)
        self.areas = areas.Areas(
            (
                self.infobar,
                self.editor,
                asked,
                self.assistance.help,
                self.start_page,
                self.board,
                self.pointing.chips,
                self.pointing.steps,
                self.notation,
                self.picker,
                self.tabs,
                self.studying,
                self.duplicates,
                self.anticipation,
            ),
            self,
        )
        # These widgets paint their own background. Without this setting, a new text in a widget would also
        # repaint the dock and the window.
        for part in (self.editor, board_side, self.hits, self.facets, self.continuing, self.sets, self.games):
            part.setAutoFillBackground(True)
        self._lay_out_status()

    def _connect_parts(self) -> None:
        """Connect the parts that can be connected without a controller."""
        self.jobs.failed.connect(lambda words: self.infobar.show_message(words, "error", key=FAULT))
        self.editor.failed.connect(lambda text: self.infobar.show_message(text, "error", key=KEEPING))
        # If the text gets another file or is saved, a message about an earlier failure is out of date.
        self.editor.path_changed.connect(lambda _path: self.infobar.dismiss(KEEPING))
        self.editor.path_changed.connect(lambda _path: self.infobar.dismiss(UNSHOWN))
        self.editor.modified_changed.connect(lambda _on: self.infobar.dismiss(KEEPING))
        self.assistance.editor_wanted.connect(self.show_editor)
        self.assistance.query_wanted.connect(lambda: self.docks.show(self.docks.query))
        self.assistance.help_wanted.connect(lambda: self.docks.show(self.docks.help))
        self.assistance.estimate.said.connect(self.pointing.set_count)
        self.library.chosen.connect(self.take_query)
        self.history.chosen.connect(self.take_query)
        self.marked.common.connect(self.take_query)
        self.marked.failed.connect(
            lambda words: self.infobar.show_message(words, "info", key=ASKING, front=True)
        )
        self.picker.attach(self.editor)
        # After a click on an image the board gets the focus, because the arrow keys should step through the
        # game. If the user chooses an image with the keyboard, the focus stays on the images.
        self.picker.image_clicked.connect(self.board.setFocus)
        self.docks.closed.connect(self._tell_closed)
        self.docks.opened.connect(self._tell_opened)
        self.narrower.scoped.connect(self.hits.tell_scope)
        for part in (self.assistance.estimate, self.live, self.here):
            self.narrower.scoped.connect(lambda _games, part=part: part.set_within(self.narrower.within))
        self.narrower.failed.connect(lambda words: self.infobar.show_message(words, "error", key=NARROWING))
        self.narrower.told.connect(lambda words: self.infobar.show_message(words, "info", key=NARROWING))
        self.narrower.sets_wanted.connect(lambda: self.tabs.setCurrentWidget(self.sets))
        self.narrower.changed.connect(self._tell_changed)
        self.narrower.dropped.connect(lambda words: self.pointing.notice.say(words, self.narrower.bring_back))
        self.narrower.join_facets(self.facets)
        self.narrower.join_sets(self.sets)
        self.hits.line.applied.connect(self.narrower.set_games)
        self.narrower.line_left.connect(self.hits.line.leave)
        self.narrower.line_failed.connect(self.hits.tell_line)
        self.duplicates.found.connect(self.games.model.set_duplicates)
        self.duplicates.left_out.connect(self.games.leave_out)
        self.duplicates.left_out.connect(self.narrower.leave_out)
        self.narrower.duplicates_shown.connect(self.duplicates.show_all)
        self.narrower.duplicates_shown.connect(lambda: self.games.leave_out(None))
        self.pictures.narrowed.connect(self.narrower.narrow)
        self.pictures.normalised_changed.connect(self.browser.set_normalised)
        self.browser.normalised_changed.connect(self.pictures.set_normalised)
        self.pictures.told.connect(self.tell)
        self.pictures.failed.connect(lambda words: self.infobar.show_message(words, "error", key=FAULT))
        self.narrower.kept_changed.connect(self.pictures.set_others)
        self.continuing.narrowed.connect(self.narrower.narrow)
        self.continuing.frame_wanted.connect(self.browser.set_normalised)
        self.browser.normalised_changed.connect(self.continuing.set_normalised)
        self.studying.told.connect(self.tell)
        self.hits.copying.told.connect(self.tell)
        self.studying.shown.connect(self.show_study)
        self.hits.narrowing_removed.connect(self.narrower.undo)
        for pane in (self.pictures, self.continuing, self.facets, self.sets):
            self.hits.narrowing_told.connect(pane.tell_narrowing)
            pane.widened.connect(self.narrower.undo)
        self.hits.scope_removed.connect(self.narrower.widen)
        self.searcher.progressed.connect(self.hits.progress)
        self.opener.progressed.connect(self.progress)
        self.exporter.progressed.connect(self.progress)
        self.browser.failed.connect(lambda words: self.infobar.show_message(words, "error", key=GAME))
        self.waiting.changed.connect(lambda: self.hits.tell_waiting(self.waiting.words))

    def show_progress(self, words: str) -> None:
        """Show the progress of reading or writing files."""
        self.progress_box.setVisible(True)
        self.progress_bar.say(0, 0)
        self.progress_words.say(words)

    def _lay_out_status(self) -> None:
        bar = self.statusBar()
        self.games_words = labels.ElidedLabel("", cut=Qt.TextElideMode.ElideMiddle)
        bar.setContentsMargins(6, 0, 0, 0)
        # This label takes all the free width. When progress is shown, the label becomes narrower.
        bar.addWidget(self.games_words, 1)
        self.bad_button = QToolButton()
        self.bad_button.setToolTip("Show the games that could not be read whole")
        bar.addWidget(self.bad_button)
        self.cluster_button = QToolButton()
        bar.addWidget(self.cluster_button)
        bar.addWidget(self.pointing.notice)
        self.progress_box = QWidget()
        row = QHBoxLayout(self.progress_box)
        row.setContentsMargins(0, 0, 0, 0)
        self.progress_words = labels.ElidedLabel("")
        self.progress_bar = bars.Bar(160)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setFlat(True)
        for widget in (self.progress_words, self.progress_bar, self.cancel_button):
            row.addWidget(widget)
        self.progress_box.setVisible(False)
        bar.addPermanentWidget(self.progress_box)

    def take_query(self, text: str, title: str) -> None:
        """Put a query of the library into the editor, as one edit that can be undone.

        The new text belongs to no file, because saving must not overwrite the file that was open.
        """
        self.editor.set_text(text, title)
        self.show_editor()

    def show_study(self) -> None:
        """Show the pane of studies and focus it."""
        self.docks.show(self.study_dock)
        self.studying.setFocus()

    def show_editor(self) -> None:
        """Show the query and focus the editor."""
        self.docks.show(self.docks.query)
        self.editor.edit.setFocus()


def _closed(title: str) -> str:
    return f"{title} closed; the menu View opens it again"
