"""The colours of the window: the program's own light and dark palettes for the style "Fusion", and the
colours of painted widgets.

The palettes are the program's own, because Qt's colour schemes have no effect offscreen and on a bare X11
desktop. The system is only asked whether it prefers light or dark colours. Some colours belong to the board.
Apart from these colours, this module is independent of chess.
"""

from __future__ import annotations

from dataclasses import fields
from enum import Enum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from cqlgui.base.data import dataclass


class Choice(Enum):
    """The scheme that the user chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Colours:
    """Every colour that a painted widget may use. The name of a field is the role of the colour, and the
    value is `#rrggbb`."""

    dark: bool
    window: str
    panel: str
    base: str
    alternate: str
    raised: str
    border: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_text: str
    selection: str
    selection_text: str
    link: str
    # The board.
    light_square: str
    dark_square: str
    board_edge: str
    light_coordinate: str
    dark_coordinate: str
    last_move: str
    ring: str
    ring_halo: str
    line: str
    badge: str
    badge_text: str
    # Notation.
    current_move: str
    current_move_text: str
    hit_move: str
    variation: str
    comment_text: str
    # Messages.
    info: str
    success: str
    warning: str
    error: str
    # The editor.
    keyword: str
    transform: str
    piece: str
    square: str
    number: str
    string: str
    comment: str
    variable: str
    operator: str
    bracket: str
    gutter: str
    gutter_text: str
    current_line: str
    truth_yes: str
    truth_no: str

    def colour(self, role: str) -> QColor:
        """The colour of a role, which is the name of a field."""
        return QColor(getattr(self, role))


LIGHT = Colours(
    dark=False,
    window="#eef0f3",
    panel="#f6f7f9",
    base="#ffffff",
    alternate="#f5f7fa",
    raised="#ffffff",
    border="#cfd5dd",
    text="#1d232b",
    muted="#5b6673",
    disabled="#9aa3ae",
    accent="#1f6feb",
    accent_text="#ffffff",
    selection="#d4e4fc",
    selection_text="#10243f",
    link="#0b57c2",
    light_square="#eeeadf",
    dark_square="#a9b7c4",
    board_edge="#7c8894",
    light_coordinate="#5c6974",
    dark_coordinate="#26303a",
    last_move="#e3b93c",
    ring="#b3134f",
    ring_halo="#ffffff",
    line="#8e1a5a",
    badge="#2b3440",
    badge_text="#ffffff",
    current_move="#1f6feb",
    current_move_text="#ffffff",
    hit_move="#a3124b",
    variation="#4a5663",
    comment_text="#2c6a4a",
    info="#1f6feb",
    success="#1a7f4b",
    warning="#8f5b00",
    error="#c0271a",
    keyword="#0b57c2",
    transform="#8a2be2",
    piece="#9c3d00",
    square="#00696b",
    number="#7a5500",
    string="#1d7a34",
    comment="#65707c",
    variable="#25303c",
    operator="#a3124b",
    bracket="#4a5663",
    gutter="#eef0f3",
    gutter_text="#5f6a77",
    current_line="#f1f6fd",
    truth_yes="#1a7f4b",
    truth_no="#5f6b78",
)

DARK = Colours(
    dark=True,
    window="#1d2127",
    panel="#23282f",
    base="#181b20",
    alternate="#1e2228",
    raised="#2c323a",
    border="#3a424d",
    text="#e3e7ec",
    muted="#a0abb8",
    disabled="#6a7480",
    accent="#4c8dff",
    accent_text="#08152b",
    selection="#2c4a7c",
    selection_text="#f3f7fd",
    link="#7db0ff",
    light_square="#c9cdd1",
    dark_square="#607181",
    board_edge="#0f1216",
    light_coordinate="#46525e",
    dark_coordinate="#f4f7fa",
    last_move="#d9a93a",
    ring="#ff2e7e",
    ring_halo="#1b0711",
    line="#ff5c9a",
    badge="#0f1318",
    badge_text="#f3f5f8",
    current_move="#4c8dff",
    current_move_text="#08152b",
    hit_move="#ff7fae",
    variation="#aab5c1",
    comment_text="#86c9a2",
    info="#4c8dff",
    success="#4cc38a",
    warning="#e0a53a",
    error="#ff7b6e",
    keyword="#7db0ff",
    transform="#c79bff",
    piece="#ffb27a",
    square="#5fd0cf",
    number="#e5c66b",
    string="#8fd694",
    comment="#87929f",
    variable="#dfe4ea",
    operator="#ff8fb4",
    bracket="#aab5c1",
    gutter="#1d2127",
    gutter_text="#84909d",
    current_line="#20262e",
    truth_yes="#4cc38a",
    truth_no="#9aa7b5",
)


class Theme(QObject):
    """The current colours. The signal `changed` is for widgets that paint themselves."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choice = Choice.SYSTEM
        self._colours = LIGHT
        self._watching = False

    @property
    def choice(self) -> Choice:
        """The scheme that the user chose."""
        return self._choice

    @property
    def colours(self) -> Colours:
        """The current colours."""
        return self._colours

    def apply(self, choice: Choice) -> None:
        """Apply the palette to the application. The choice `SYSTEM` follows the desktop if the desktop has a
        preference."""
        self._choice = choice
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        hints = QGuiApplication.styleHints()
        if not self._watching:
            self._watching = True
            hints.colorSchemeChanged.connect(self._system_changed)
            # The style never changes. The style is set only once, because each call of `setStyle` would
            # restyle every widget.
            application.setStyle("Fusion")
        wants_dark = (
            hints.colorScheme() == Qt.ColorScheme.Dark if choice is Choice.SYSTEM else choice is Choice.DARK
        )
        self._colours = DARK if wants_dark else LIGHT
        application.setPalette(palette(self._colours))
        application.setStyleSheet(style_sheet(self._colours))
        self.changed.emit()

    def _system_changed(self) -> None:
        if self._choice is Choice.SYSTEM:
            self.apply(Choice.SYSTEM)


_theme: list[Theme] = []


def theme() -> Theme:
    """The only theme of the application."""
    if not _theme:
        _theme.append(Theme())
    return _theme[0]


def colours() -> Colours:
    """The current colours."""
    return theme().colours


def palette(scheme: Colours) -> QPalette:
    """The Qt palette of a scheme, including the colours of disabled widgets."""
    made = QPalette()
    roles = {
        QPalette.ColorRole.Window: scheme.window,
        QPalette.ColorRole.WindowText: scheme.text,
        QPalette.ColorRole.Base: scheme.base,
        QPalette.ColorRole.AlternateBase: scheme.alternate,
        QPalette.ColorRole.ToolTipBase: scheme.raised,
        QPalette.ColorRole.ToolTipText: scheme.text,
        QPalette.ColorRole.PlaceholderText: scheme.muted,
        QPalette.ColorRole.Text: scheme.text,
        QPalette.ColorRole.Button: scheme.raised,
        QPalette.ColorRole.ButtonText: scheme.text,
        QPalette.ColorRole.BrightText: scheme.error,
        QPalette.ColorRole.Highlight: scheme.selection,
        QPalette.ColorRole.HighlightedText: scheme.selection_text,
        QPalette.ColorRole.Link: scheme.link,
        QPalette.ColorRole.LinkVisited: scheme.link,
        QPalette.ColorRole.Accent: scheme.accent,
        QPalette.ColorRole.Light: QColor(scheme.raised).lighter(115).name(),
        QPalette.ColorRole.Midlight: scheme.raised,
        QPalette.ColorRole.Mid: scheme.border,
        QPalette.ColorRole.Dark: scheme.border,
        QPalette.ColorRole.Shadow: "#000000",
    }
    for role, colour in roles.items():
        made.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(scheme.disabled))
    made.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(scheme.border))
    return made


def style_sheet(scheme: Colours) -> str:
    """The style sheet of a scheme. The style sheet has the rules that a palette cannot express: flat docks,
    quiet headers, thin lines and rounded buttons."""
    text = _SHEET
    for entry in fields(scheme):
        text = text.replace(f"@{entry.name}@", str(getattr(scheme, entry.name)))
    return text


_SHEET = """
QMainWindow::separator { background: @window@; width: 5px; height: 5px; }
QMainWindow::separator:hover { background: @accent@; }
QDockWidget { color: @muted@; }
QDockWidget::title { background: @window@; padding: 5px 8px 4px 8px; }
QStatusBar { border-top: 1px solid @border@; background: @window@; }
QStatusBar::item { border: none; }
QMenuBar { background: @window@; border-bottom: 1px solid @border@; padding: 1px 4px; }
QMenuBar::item { padding: 4px 9px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @selection@; color: @selection_text@; }
QMenu { background: @raised@; border: 1px solid @border@; padding: 4px; }
QMenu::item { padding: 5px 26px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @selection@; color: @selection_text@; }
QMenu::item:disabled { color: @disabled@; }
QMenu::separator { height: 1px; background: @border@; margin: 4px 6px; }
QToolTip { background: @raised@; color: @text@; border: 1px solid @border@; padding: 4px 6px; }
QHeaderView { background: @panel@; border: none; }
QHeaderView::section { background: @panel@; color: @muted@; border: none; border-bottom: 1px solid @border@;
    border-right: 1px solid @border@; padding: 4px 6px; }
QHeaderView::section:last { border-right: none; }
QTableView { background: @base@; alternate-background-color: @alternate@; border: 1px solid @border@;
    gridline-color: transparent; selection-background-color: @selection@; selection-color: @selection_text@; }
QTabWidget::pane { border: none; border-top: 1px solid @border@; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @muted@; border: none; border-bottom: 2px solid transparent;
    padding: 5px 12px 4px 12px; }
QMainWindow > QTabBar::tab { padding: 5px 7px 4px 7px; }
QTabBar::tab:selected { color: @text@; border-bottom: 2px solid @accent@; }
QTabBar::tab:hover:!selected { color: @text@; }
QPushButton { background: @raised@; border: 1px solid @border@; border-radius: 5px; padding: 4px 12px;
    color: @text@; }
QPushButton:hover { border-color: @accent@; }
QPushButton:pressed { background: @selection@; }
QPushButton:focus { border-color: @accent@; }
QPushButton:disabled { color: @disabled@; background: @window@; }
QPushButton:default, QPushButton[primary="true"] { background: @accent@; color: @accent_text@;
    border-color: @accent@; }
QPushButton:default:disabled,
QPushButton[primary="true"]:disabled { background: @window@; color: @disabled@; border-color: @border@; }
QToolButton { border: 1px solid transparent; border-radius: 5px; padding: 3px; background: transparent;
    color: @text@; }
QToolButton:hover { background: @selection@; color: @selection_text@; }
QToolButton:pressed, QToolButton:checked { background: @selection@; color: @selection_text@; }
QToolButton:focus { border-color: @accent@; }
QToolButton:disabled { color: @disabled@; }
QLineEdit { background: @base@; border: 1px solid @border@; border-radius: 5px; padding: 3px 6px;
    selection-background-color: @selection@; selection-color: @selection_text@; }
QLineEdit:focus { border-color: @accent@; }
QPlainTextEdit, QTextEdit, QTextBrowser, QListView, QListWidget, QTreeView { background: @base@;
    border: 1px solid @border@; selection-background-color: @selection@; selection-color: @selection_text@; }
QRadioButton, QCheckBox { spacing: 7px; }
QRadioButton::indicator { width: 12px; height: 12px; border: 1px solid @muted@; border-radius: 7px;
    background: @base@; }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 4px solid @accent@;
    background: @accent_text@; }
QRadioButton::indicator:disabled { border-color: @border@; background: @window@; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid @muted@; border-radius: 3px;
    background: @base@; }
QCheckBox::indicator:checked { width: 6px; height: 6px; border: 4px solid @accent@;
    background: @accent_text@; }
QCheckBox::indicator:disabled { border-color: @border@; background: @window@; }
QRadioButton:disabled, QCheckBox:disabled { color: @disabled@; }
QRadioButton:focus, QCheckBox:focus { color: @link@; }
QComboBox { background: @base@; border: 1px solid @border@; border-radius: 5px; padding: 3px 6px;
    color: @text@; }
QComboBox:focus, QComboBox:on { border-color: @accent@; }
QComboBox::drop-down { border: none; width: 22px; }
QComboBox::down-arrow { width: 0; height: 0; border-left: 4px solid @base@; border-right: 4px solid @base@;
    border-top: 5px solid @muted@; }
QComboBox QAbstractItemView { background: @raised@; border: 1px solid @border@; }
QProgressBar { background: @base@; border: 1px solid @border@; border-radius: 4px; text-align: center;
    color: @text@; min-height: 12px; max-height: 12px; }
QProgressBar::chunk { background: @accent@; border-radius: 3px; }
"""
