"""The pane with a picture of the hits shown, and its table beside it or below it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QImage,
    QImageWriter,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base import errors, progress
from cqlgui.base.files import disk
from cqlgui.board import squares
from cqlgui.tasks.pictures import left_over, pictures, square_maps, transitions
from cqlgui.tasks.results import base_model, search_model
from cqlgui.ui.look import fitting, flow, labels, room, theme, wording
from cqlgui.ui.loop import jobs, keys
from cqlgui.ui.pictures import asking, loading, table_model
from cqlgui.ui.tables import view

if TYPE_CHECKING:
    from cqlgui.ui.pictures import canvas as canvas_module

_log = logging.getLogger(__name__)

WIDE: Final = 640
"""From this width in pixels on, the table is beside the picture, and below it otherwise."""
_LOW: Final = 480
_PART, _PART_LOW = 0.55, 0.7
"""The part of the room that the picture gets, and its part in a pane that is lower than `_LOW` pixels."""
_OWN_FRAME: Final = "Undo the transform that matched, so that all hits look as the query is written (N)"
_USUAL_ORIGIN: Final = "from usual square"
_NARROW: Final = 140
"""A column of texts that is wider than this number of pixels shares the room with the first column."""
_PLIES: Final = (1, 2, 3, 4, 6, 8, 10, 15, 20, 30, square_maps.DEEPEST)
_USUAL_PLIES: Final = 10
"""The choices of plies after the hit, and the first choice."""
_JOB, _SAVING, _LOADING = "picture", "save picture", "load pictures"
_STEP: Final = 0.01
"""Seconds after which the window has a turn while drawing code is loaded. One step may take longer."""
_NO_RESULT: Final = "No hits yet. Run a search to see pictures of its hits."
_NO_OTHERS: Final = (
    "There is only one result. Keep the hits of another query (Narrow, Keep these hits), then search again:"
    " the picture shows which query a game matches first, and which one next."
)


class PicturesPane(QWidget):
    """Pictures of a result. `narrowed` carries a function that makes a new result from the result shown, and
    words that describe the narrowing, as `chosen` of `panels.narrow.NarrowButton` does. `widened` is emitted
    when the user wants all hits of the search again. `normalised_changed` carries whether the user wants the
    query's own frame. `told` carries a sentence about something that was done, and `failed` a sentence about
    a fault.

    Nothing is counted while the pane is hidden.
    """

    narrowed = Signal(object, str, str)
    widened = Signal()
    normalised_changed = Signal(bool)
    told = Signal(str)
    failed = Signal(str)

    def __init__(self, door: jobs.Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Pictures")
        self._jobs = door
        self._base: base_model.Base | None = None
        self._result: search_model.SearchResult | None = None
        self._others: tuple[transitions.Named, ...] = ()
        self._canvas: canvas_module.Canvas | None = None
        self._is_loading = False
        self._picture: asking.Picture | None = None
        self._named: tuple[transitions.Named, ...] = ()
        # Whether the picture no longer fits what was asked.
        self._stale = True
        self.folder = Path()
        """The folder where the dialog for saving begins."""
        self._make_controls()
        self._lay_out()
        self._show_options()
        self._say(_NO_RESULT)
        theme.theme().changed.connect(self._dress)
        self._dress()

    # --- what is shown ---

    @property
    def kind(self) -> asking.Kind:
        """The kind of picture that is chosen."""
        found: asking.Kind = self._chooser.currentData()
        return found

    @property
    def picture(self) -> asking.Picture | None:
        """The picture that is shown; None while there is none."""
        return self._picture

    @property
    def canvas(self) -> canvas_module.Canvas | None:
        """The widget with the picture; None until a picture was shown."""
        return self._canvas

    @property
    def is_loading(self) -> bool:
        """Whether the drawing code is being loaded."""
        return self._is_loading

    def choose(self, kind: asking.Kind) -> None:
        """Choose a kind of picture."""
        self._chooser.setCurrentIndex(self._chooser.findData(kind))

    def set_result(self, base: base_model.Base | None, result: search_model.SearchResult | None) -> None:
        """Set the hits to show; None if there are none."""
        if result is not self._result or base is not self._base:
            before, self._base, self._result = self._result, base, result
            self._show_frame()
            with QSignalBlocker(self._origin):
                # The first square belongs to the query. It stays where the hits of the query are narrowed.
                if before is None or result is None or before.query != result.query:
                    self._origin.setCurrentIndex(0)
                self._origin.setItemText(0, _USUAL_ORIGIN)
            self._ask()

    def set_others(self, others: Sequence[transitions.Named]) -> None:
        """Set the results with their names that can be compared with the result shown."""
        self._others = tuple(others)
        if self.kind is asking.Kind.TRANSITIONS:
            self._ask()

    def set_normalised(self, on: bool) -> None:
        """Show the query's own frame, or the games as played. No signal is emitted."""
        if on != self._frame.isChecked():
            with QSignalBlocker(self._frame):
                self._frame.setChecked(on)
            if self.kind in asking.FRAMED:
                self._ask()

    def tell_narrowing(self, words: str) -> None:
        """Say to what the hits are narrowed. Empty words mean the whole result."""
        self._narrowed.say(words)

    # --- the widgets ---

    def _make_controls(self) -> None:
        self._chooser = labels.Chooser(self)
        self._chooser.setAccessibleName("Kind of picture")
        self._chooser.setToolTip("Choose a picture of the hits shown")
        for number, group in enumerate(asking.GROUPS):
            if number:
                self._chooser.insertSeparator(self._chooser.count())
            for kind in group:
                self._chooser.addItem(kind.value, kind)
        self._chooser.setMaxVisibleItems(self._chooser.count())
        self._chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._chooser.setMinimumContentsLength(12)
        self._chooser.currentIndexChanged.connect(self._kind_chosen)
        self._frame = QCheckBox("Query's frame", self)
        self._frame.toggled.connect(self._frame_toggled)
        self._men = labels.Chooser(self)
        self._men.setAccessibleName("Men")
        self._men.setToolTip("The men that count. Colours are those of the frame shown")
        for words, mask in asking.MEN:
            self._men.addItem(words, mask)
        self._men.currentIndexChanged.connect(self._ask)
        self._origin = labels.Chooser(self)
        self._origin.setAccessibleName("First square")
        self._origin.setToolTip("The square where the man stands at the hit")
        # The length is in the widest letters.
        self._origin.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._origin.setMinimumContentsLength(11)
        self._origin.addItem(_USUAL_ORIGIN, None)
        for rank in range(8):
            for file in range(8):
                square = rank * 8 + file
                self._origin.addItem(f"from {squares.NAMES[square]}", square)
        self._origin.currentIndexChanged.connect(self._ask)
        self._plies = labels.Chooser(self)
        self._plies.setAccessibleName("Plies after the hit")
        self._plies.setToolTip("How many plies (half-moves) after the hit count")
        for plies in _PLIES:
            self._plies.addItem(f"within {wording.counted(plies, 'ply', 'plies')}", plies)
        self._plies.setCurrentIndex(self._plies.findData(_USUAL_PLIES))
        self._plies.currentIndexChanged.connect(self._ask)
        self._save = QToolButton(self)
        self._save.setText("Save ▾")
        self._save.setToolTip("Copy or save the picture and its table")
        self._save.setAccessibleName("Copy or save the picture")
        self._save.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        # Qt would draw its own arrow below the text.
        self._save.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self._save.setMenu(self._made_menu())
        self._narrowed = labels.Narrowed(self)
        self._narrowed.widened.connect(self.widened)
        keys.UndoKey(self, self._narrowed.isVisible, self.widened.emit)
        self._summary = labels.Wrapped(self)
        self._summary.setAccessibleName("Sum of the picture")
        self._narrow = QPushButton("Show these hits", self)
        self._narrow.setToolTip("Narrow the hits to the rows selected (Enter)")
        self._narrow.clicked.connect(lambda: self._narrow_to(self.table.selected()))
        self._model = table_model.PictureModel(self)
        self.table: view.TableView = view.TableView("Table of the picture", self)
        self.table.set_form(view.Form.COLUMNS)
        self.table.setModel(self._model)
        self.table.chosen.connect(self._row_opened)
        self._message = labels.Label(self)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setWordWrap(True)
        self._message.setAccessibleName("Why there is no picture")

    def _made_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction("Copy &picture", self.copy_picture)
        menu.addAction("Copy &table", self.copy_table)
        menu.addSeparator()
        menu.addAction("Save picture as P&NG…", lambda: self._ask_path("png"))
        menu.addAction("Save picture as &SVG…", lambda: self._ask_path("svg"))
        menu.addAction("Save table as &CSV…", lambda: self._ask_path("csv"))
        return menu

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._chooser, 1)
        head.addWidget(self._frame)
        head.addWidget(self._save)
        self._options = QWidget(self)
        # With another kind of picture, the pane must not become wider than its place.
        rules = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        rules.setHeightForWidth(True)
        self._options.setSizePolicy(rules)
        options = flow.Flow(self._options, gap=6)
        for widget in (self._men, self._origin, self._plies):
            options.addWidget(widget)
        foot = QHBoxLayout()
        foot.addWidget(self._summary, 1)
        foot.addWidget(self._narrow)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.table)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._message)
        self._stack.addWidget(self._splitter)
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(8, 6, 8, 6)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._options)
        column.addWidget(self._narrowed)
        column.addWidget(self._stack, 1)
        column.addLayout(foot)
        # A picture with its table needs more height than a small screen has at 150 %.
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(room.Room(content, self))

    def _dress(self) -> None:
        self._message.setStyleSheet(f"color: {theme.colours().muted};")

    def _show_options(self) -> None:
        kind = self.kind
        self._men.setVisible(kind in asking.WITH_MEN)
        self._plies.setVisible(kind in asking.WITH_PLIES)
        self._origin.setVisible(kind is asking.Kind.WAYS)
        self._options.setVisible(kind in asking.WITH_MEN)
        # A second click at the same place of a board must not meet another square, so the board keeps its
        # place when the line above it appears.
        rules = self._narrowed.sizePolicy()
        rules.setRetainSizeWhenHidden(kind in asking.BOARDS)
        self._narrowed.setSizePolicy(rules)
        self._show_frame()

    def _show_frame(self) -> None:
        """Offer the query's frame where it differs from the game as played."""
        able = self._result is None or bool(self._result.orbits)
        self._frame.setEnabled(able and self.kind in asking.FRAMED)
        self._frame.setToolTip(wording.plain_tip(_OWN_FRAME if able else wording.ONE_FRAME))

    # --- counting ---

    def _kind_chosen(self) -> None:
        self._show_options()
        self._ask()

    def _frame_toggled(self, on: bool) -> None:
        self.normalised_changed.emit(on)
        if self.kind in asking.FRAMED:
            self._ask()

    def _ask(self) -> None:
        """Make the picture again, now or when the pane is shown."""
        self._jobs.cancel(_JOB, drop=True)
        self._stale = True
        if self.isVisible():
            self._work()

    def _work(self) -> None:
        base, result = self._base, self._result
        self._stale = False
        lack = self._lack()
        if lack or base is None or result is None:
            self._say(lack)
            return
        if self._canvas is None:
            self._say("Counting…")
            if not self._is_loading:
                self._is_loading = True
                QTimer.singleShot(0, self, self._load)
            return
        asked = asking.Asked(
            self.kind,
            self._frame.isChecked(),
            self._men.currentData(),
            self._plies.currentData(),
            self._origin.currentData(),
        )
        others = self._others if asked.kind is asking.Kind.TRANSITIONS else ()
        narrowed = not self._narrowed.isHidden()

        def work(
            token: progress.CancelToken, _sink: object
        ) -> tuple[asking.Picture, tuple[transitions.Named, ...]]:
            named = asking.compared(result, others, narrowed=narrowed)
            return asking.make(asked, base, result, named, token), named

        self._summary.say("Counting…")
        self._jobs.run(work, lambda made: self._show(*made), self._fail, name=_JOB)

    def _lack(self) -> str:
        """What is missing for a picture, in words; empty if nothing is missing."""
        if self._base is None or self._result is None:
            return _NO_RESULT
        if self.kind is asking.Kind.TRANSITIONS and len(asking.compared(self._result, self._others)) < 2:
            return _NO_OTHERS
        return ""

    def _load(self) -> None:
        """Load more of the drawing code. If all of it is there, make the canvas and the picture."""
        try:
            if loading.is_ready():
                self._add_canvas()
            else:
                loading.load(_STEP)
        except Exception as error:  # a damaged package may raise anything
            _log.exception("The drawing code cannot be loaded.")
            self._is_loading = False
            # There may be nothing to draw any more. The next picture tries to load the code again.
            self._say(self._lack() or f"Pictures cannot be drawn: {error}")
            return
        if self._canvas is None:
            QTimer.singleShot(0, self, self._load)
            return
        self._is_loading = False
        if self.isVisible():
            self._work()
        else:
            self._stale = True

    def _add_canvas(self) -> None:
        from cqlgui.ui.pictures import canvas as canvas_module

        self._canvas = canvas_module.Canvas(self)
        self._canvas.picked.connect(self._narrow_to)
        self._canvas.joined.connect(self.table.join)
        self._canvas.moved.connect(self.table.go_to)
        self._canvas.fitted.connect(self._sum_up)
        self._splitter.insertWidget(0, self._canvas)
        self._turn_splitter()
        self._jobs.run(lambda _token, _sink: square_maps.load(), name=_LOADING)

    def _show(self, picture: asking.Picture, named: tuple[transitions.Named, ...]) -> None:
        from cqlgui.ui.pictures import drawings

        assert self._canvas is not None
        self._named = named
        note = picture.note
        table = picture.table
        if note:
            self._say(note)
            return
        self._picture = picture
        if isinstance(picture, square_maps.Ways) and self._origin.currentData() is None:
            name = squares.NAMES[picture.choice.origin]
            self._origin.setItemText(0, f"from {name} (usual)")
        drawing = drawings.of(picture)
        self._model.set_table(table)
        self._fit_columns()
        self.table.selectionModel().selectionChanged.connect(
            self._selection_changed, Qt.ConnectionType.UniqueConnection
        )
        self._canvas.draw(drawing, table, self.kind.value)
        self._stack.setCurrentWidget(self._splitter)
        self._save.setEnabled(True)
        self._narrow.setVisible(self.kind is not asking.Kind.LEFT_OVER)
        self._narrow.setEnabled(False)

    def _sum_up(self) -> None:
        """Say the sum of the picture, and what of it is not drawn."""
        drawing = self._canvas.drawing if self._canvas is not None else None
        if self._picture is not None and drawing is not None:
            words = asking.summary(self._picture)
            self._summary.say(f"{words} · {drawing.caption}" if drawing.caption else words)

    def _say(self, words: str) -> None:
        """Show words in place of a picture."""
        self._picture = None
        self._message.setText(words)
        self._summary.say("")
        self._stack.setCurrentWidget(self._message)
        self._save.setEnabled(False)
        self._narrow.setEnabled(False)

    def _fail(self, error: errors.CqlguiError) -> None:
        self._say(str(error))

    def _fit_columns(self) -> None:
        """Make the columns of numbers as wide as their texts. The columns of texts share the other room."""
        metrics, head, table = self.table.fontMetrics(), self.table.horizontalHeader(), self._model.table
        widths = [_width(metrics, table, column) for column in range(len(table.heads))]
        self.table.set_widths(widths)
        head.setStretchLastSection(False)
        for column in range(len(table.heads)):
            wide = column == 0 or (column not in self._model.on_the_right and widths[column] > _NARROW)
            head.setSectionResizeMode(
                column, QHeaderView.ResizeMode.Stretch if wide else QHeaderView.ResizeMode.Interactive
            )

    # --- narrowing ---

    def _row_opened(self, row: int) -> None:
        chosen = self.table.selected()
        self._narrow_to(chosen if row in chosen else [row])

    def _selection_changed(self) -> None:
        rows = self.table.selected()
        self._narrow.setEnabled(bool(rows) and self._narrowing(rows) is not None)
        if self._canvas is not None:
            self._canvas.select(rows)

    def _narrow_to(self, rows: Sequence[int]) -> None:
        found = self._narrowing(rows)
        if found is not None:
            self.narrowed.emit(*found)
        elif rows and isinstance(self._picture, left_over.LeftOver):
            self.told.emit(asking.NARROWS_NOTHING)

    def _narrowing(self, rows: Sequence[int]) -> asking.Narrowing | None:
        if self._picture is None or self._base is None:
            return None
        return asking.narrowing(self._picture, rows, self._base, self._named)

    # --- copying and saving ---

    def copy_picture(self) -> None:
        """Copy the picture to the clipboard."""
        if self._canvas is not None and self._picture is not None:
            QGuiApplication.clipboard().setImage(self._canvas.image())
            self.told.emit("Picture copied")

    def copy_table(self) -> None:
        """Copy the table to the clipboard, with tabs between the cells."""
        if self._picture is not None:
            QGuiApplication.clipboard().setText(self._picture.table.tabbed())
            self.told.emit("Table copied")

    def save(self, path: Path) -> None:
        """Write the picture (`.png`, `.svg`) or its table (`.csv`) to a file, in the background."""
        picture, canvas = self._picture, self._canvas
        if picture is None or canvas is None:
            return
        made: Callable[[], bytes]
        ending = path.suffix.lower()
        if ending == ".png":
            image = canvas.image()
            made = lambda: _png(image)  # noqa: E731  # one of three
        elif ending == ".svg":
            drawn = canvas.svg()
            made = lambda: drawn  # noqa: E731  # one of three
        else:
            table = picture.table
            made = lambda: table.csv().encode()  # noqa: E731  # one of three

        def work(_token: object, _sink: object) -> None:
            try:
                disk.replace_file(path, made(), follow=True)
            except OSError as error:
                raise errors.CqlguiError(
                    f"{path} cannot be written: {error.strerror or error}. Nothing was saved."
                ) from error

        def done(_nothing: object) -> None:
            self.folder = path.parent
            self.told.emit(f"Saved as {path}.")

        self._jobs.run(work, done, lambda error: self.failed.emit(str(error)), name=_SAVING)

    def _ask_path(self, ending: str) -> None:
        fitting.fit_next()
        name = self.kind.value.lower().replace(" ", "-")
        chosen, _ = QFileDialog.getSaveFileName(
            self, "Save picture", str(self.folder / f"{name}.{ending}"), f"{ending.upper()} (*.{ending})"
        )
        if chosen:
            path = Path(chosen)
            self.save(
                path if path.suffix.lower() == f".{ending}" else path.with_name(f"{path.name}.{ending}")
            )

    # --- Qt ---

    def _turn_splitter(self) -> None:
        wide = self.width() >= WIDE
        way = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self._splitter.orientation() is not way or self._splitter.count() == 2:
            self._splitter.setOrientation(way)
            if self._splitter.count() == 2:
                self._splitter.setStretchFactor(0, 3)
                self._splitter.setStretchFactor(1, 2)
                whole = self.width() if wide else self.height()
                # On a low screen the table has room for a few rows only.
                part = _PART if wide or whole >= _LOW else _PART_LOW
                self._splitter.setSizes([round(whole * part), round(whole * (1 - part))])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._narrowed.isVisible():
            self.widened.emit()
            event.accept()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._work()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= WIDE
        if wide != (self._splitter.orientation() is Qt.Orientation.Horizontal):
            self._turn_splitter()


def _width(metrics: QFontMetrics, table: pictures.Table, column: int) -> int:
    """The width of a column in pixels."""
    texts = [table.heads[column], *(table_model.shown(row[column]) for row in table.rows)]
    return max(metrics.horizontalAdvance(text) for text in texts) + 3 * view.PADDING


def _png(image: QImage) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(data.data())
