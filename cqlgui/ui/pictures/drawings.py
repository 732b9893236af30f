"""The pictures as shapes in the coordinates of an axis, with a row of the table behind each shape.

A drawing paints its shapes with the painter that it gets, and answers which row is at a point. It knows
neither axes nor widgets.
"""

from __future__ import annotations

import functools
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from cqlgui.base import plurals
from cqlgui.base.data import dataclass
from cqlgui.tasks.pictures import histograms, left_over, pictures, square_maps, transitions
from cqlgui.ui.look import theme, wording
from cqlgui.ui.pictures import asking, table_model

_MOST_GRID: Final = 6
"""Greatest number of lines behind vertical bars."""
MOST_LINES: Final = 15
"""Greatest number of horizontal bars. The table has the other rows."""
MOST_ARROWS: Final = 16
"""Greatest number of arrows. More would hide each other."""
NO_ROW: Final = -1
HALO: Final = 3
"""The width of the line around words that lie on shapes, in pixels. Half of it is outside of the letters."""
LABELS: Final = 0.42
"""The greatest part of the width that the names of horizontal bars take."""
_BOARD: Final = 8.65
"""The side of the board with its letters and numbers, in squares."""
_LEGEND: Final = 120
"""The least width of a legend in pixels."""
_GAP: Final = 0.3
"""The room between the board and its legend, in squares."""
QUERIES: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")
"""The colours of queries: the palette of Okabe and Ito, which the colour-blind can tell apart."""
_TIES: Final = "#8c8c8c"
"""The colour of the ties that share a block."""
_ARROW: Final = {False: "#d55e00", True: "#ff9d5c"}
"""The colour of arrows on a light and on a dark ground (vermillion of the same palette)."""

_PALE: Final = {False: 0.35, True: 0.5}
"""The part of the colour of a share below arrows, on a light and on a dark ground."""

Ramp = Callable[[float], QColor]
"""The colour of a share from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Look:
    """Colours and font of a picture. `selected` has the rows that are selected in the table, and `hovered`
    the row under the mouse."""

    colours: theme.Colours
    font: QFont
    ramp: Ramp
    selected: Collection[int] = ()
    hovered: int = NO_ROW


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its name, and the texts of its ticks. Without `ticks` the axis has numbers. `grouped` numbers
    have separators."""

    name: str
    ticks: Sequence[tuple[float, str]] | None = None
    grouped: bool = True


class Drawing(ABC):
    """Shapes within `bounds`. A drawing without `bottom` has no axes. `upside_down` means that the vertical
    axis points down; `square` means that both axes have the same scale. A brush selects along x, along y, or
    in both directions (`brushes`). `caption` says what is not drawn."""

    bounds: QRectF
    bottom: Axis | None = None
    left: Axis | None = None
    upside_down = False
    square = False
    brushes = ""
    caption = ""

    def fit(  # noqa: B027  # most drawings fit a field of any size
        self, _width: float, _height: float, _font: QFont
    ) -> None:
        """Choose `bounds` and what is drawn for a field of this size in pixels."""

    @abstractmethod
    def paint(self, painter: QPainter, look: Look) -> None:
        """Paint the shapes in the coordinates of the axes."""

    @abstractmethod
    def row_at(self, point: QPointF) -> int:
        """The row of the table at a point; `NO_ROW` if there is none."""

    def words_at(self, _point: QPointF) -> str:
        """The whole text of the name at a point, for a name that may be elided; empty if there is none."""
        return ""

    def rows_between(self, _one: QPointF, _other: QPointF) -> list[int]:
        """The rows of the shapes that a brush from one point to the other touches."""
        return []


def of(picture: asking.Picture) -> Drawing:
    """The drawing of a picture."""
    match picture:
        case histograms.Histogram():
            if picture.by in (histograms.By.VOLUME, histograms.By.OPENING):
                lines = [(bar.words, bar.positions) for bar in picture.shown]
                return Lines(lines, "Hits", "openings")
            return Columns(picture)
        case left_over.LeftOver():
            return Lines([(step.words, step.games) for step in picture.steps], "Games left", "filters")
        case square_maps.SquareMap():
            return Board(picture.hits, picture.shown, picture.positions, "share of hits")
        case square_maps.Ways():
            return Board(
                picture.hits,
                picture.shown,
                picture.begun,
                "share of these hits",
                origin=picture.choice.origin,
                steps=picture.steps,
            )
        case transitions.Transitions():
            return Flows(picture)


class Columns(Drawing):
    """Vertical bars: intervals side by side, or bars with names."""

    brushes = "x"

    def __init__(self, picture: histograms.Histogram) -> None:
        rows = {bar: row for row, bar in enumerate(picture.shown)}
        numeric = picture.by in histograms.NUMERIC
        # A result that no game has needs no room.
        bars = [bar for bar in picture.bars if numeric or bar.positions]
        self._bars: list[tuple[float, float, int, int]] = []
        """Left and right edge, hits and row of each bar."""
        for number, bar in enumerate(bars):
            first, end = bar.keys if numeric else (number, number + 1)
            self._bars.append((first, end, bar.positions, rows.get(bar, NO_ROW)))
        top = max((bar.positions for bar in bars), default=1)
        low, high = self._bars[0][0], self._bars[-1][1]
        margin = (high - low) * 0.01
        self.bounds = QRectF(low - margin, 0, high - low + 2 * margin, top * 1.05)
        name = picture.by.value
        if not numeric:
            self._gap = 0.12
            ticks = [(number + 0.5, bar.words) for number, bar in enumerate(bars)]
            self.bottom = Axis(name, ticks)
        else:
            self._gap = 0.06 if len(self._bars) > 1 else 0.3
            if picture.width > 1:
                name += f", in steps of {picture.width:,}"
            if picture.width == 1 and len(self._bars) <= 12:
                # A bar of one number is named in its middle.
                self.bottom = Axis(name, [(first + 0.5, f"{first:.0f}") for first, *_ in self._bars])
            else:
                self.bottom = Axis(name, grouped=False)
        step = _step(top)
        self._lines = [step * number for number in range(int(self.bounds.bottom() / step) + 1)]
        self.left = Axis("Hits", [(line, f"{line:,}") for line in self._lines])

    def paint(self, painter: QPainter, look: Look) -> None:
        colour = look.colours.colour("accent")
        pen = QPen(look.colours.colour("border"), 1)
        pen.setCosmetic(True)
        painter.setPen(pen)
        for line in self._lines[1:]:
            painter.drawLine(QPointF(self.bounds.left(), line), QPointF(self.bounds.right(), line))
        painter.setPen(Qt.PenStyle.NoPen)
        for first, end, hits, row in self._bars:
            if not hits:
                continue
            gap = (end - first) * self._gap
            shape = QRectF(first + gap, 0, end - first - 2 * gap, hits)
            painter.fillRect(shape, _lit(colour, look, row))

    def row_at(self, point: QPointF) -> int:
        for first, end, _, row in self._bars:
            if first <= point.x() < end and point.y() >= 0:
                return row
        return NO_ROW

    def rows_between(self, one: QPointF, other: QPointF) -> list[int]:
        low, high = sorted((one.x(), other.x()))
        return [row for first, end, _, row in self._bars if first < high and end > low and row != NO_ROW]


class Lines(Drawing):
    """Horizontal bars with names and numbers."""

    upside_down = True
    brushes = "y"

    def __init__(self, lines: Sequence[tuple[str, int]], axis: str, what: str) -> None:
        self._all, self._what = lines, what
        self._room = 1.22
        """The width of the field, if the longest bar has the width 1. Its number stands behind it."""
        self.bottom = Axis(axis)
        self._draw(MOST_LINES)

    def _draw(self, most: int) -> None:
        """Draw at most `most` bars, the first ones."""
        self._lines = self._all[:most]
        top = max((count for _, count in self._lines), default=0) or 1
        self.bounds = QRectF(0, 0, top * self._room, max(len(self._lines), min(5, most)))
        ticks = [
            (number + 0.5, wording.straight(" ".join(words.split())))
            for number, (words, _) in enumerate(self._lines)
        ]
        self.left = Axis("", ticks)
        drawn = "is" if most == 1 else "are"
        many = len(self._all) > most
        self.caption = f"the first {most} of {len(self._all)} {self._what} {drawn} drawn" if many else ""

    def fit(self, width: float, height: float, font: QFont) -> None:
        metrics = QFontMetricsF(font)
        names = max((metrics.horizontalAdvance(name) for name, _ in self._all[:MOST_LINES]), default=0)
        field = max(width - min(names, width * LABELS) - 12, 1)
        number = metrics.horizontalAdvance(f" {max((count for _, count in self._all), default=0):,} ")
        self._room = max(1.22, field / max(field - number, field / 4))
        # Names of bars that are lower than a line of text would lie upon each other.
        self._draw(min(MOST_LINES, max(1, int(height / metrics.height()))))

    def paint(self, painter: QPainter, look: Look) -> None:
        colour = look.colours.colour("accent")
        for row, (_, count) in enumerate(self._lines):
            shape = QRectF(0, row + 0.15, count, 0.7)
            painter.fillRect(shape, _lit(colour, look, row))
            room = QRectF(count, row, self.bounds.width() - count, 1)
            write(painter, room, f" {count:,}", look.font, look.colours.colour("text"), left=True)

    def row_at(self, point: QPointF) -> int:
        row = int(point.y() // 1)
        return row if 0 <= row < len(self._lines) and point.x() >= 0 else NO_ROW

    def words_at(self, point: QPointF) -> str:
        row = int(point.y() // 1)
        if not (0 <= row < len(self._lines) and point.x() < 0):
            return ""
        words, count = self._lines[row]
        return f"{words}: {wording.number(count)}"

    def rows_between(self, one: QPointF, other: QPointF) -> list[int]:
        low, high = sorted((one.y(), other.y()))
        return [row for row in range(len(self._lines)) if row < high and row + 1 > low]


class Board(Drawing):
    """A board whose squares have the colours of shares, with a legend, and perhaps with the steps of a man as
    arrows."""

    square = True
    brushes = "xy"

    def __init__(
        self,
        counts: Sequence[int],
        shown: Sequence[int],
        whole: int,
        legend: str,
        *,
        origin: int | None = None,
        steps: Sequence[tuple[int, int, int]] = (),
    ) -> None:
        self._shares = [pictures.share(count, whole) for count in counts]
        self._top = max(self._shares) or 1.0
        self._rows: Mapping[int, int] = {square: row for row, square in enumerate(shown)}
        self._legend = legend
        self._origin = origin
        self._steps = steps[:MOST_ARROWS]
        self._most = max((count for _, _, count in steps), default=1)
        self._beside = False
        """Whether the legend is beside the board. Otherwise it is below the board."""
        self._line = 0.45
        """The height of a line of text, in squares."""
        self.bounds = self._area(0)
        if len(steps) > MOST_ARROWS:
            self.caption = f"the {MOST_ARROWS} most frequent of {len(steps)} moves are drawn"

    def fit(self, width: float, height: float, font: QFont) -> None:
        metrics = QFontMetricsF(_small(font))
        line, legend = metrics.height(), max(metrics.horizontalAdvance(self._legend) + 8, _LEGEND)
        # The side of a square in pixels, with the legend below the board and beside it.
        below = min(width / _BOARD, (height - 2 * line) / (_BOARD + _GAP))
        beside = min(height / _BOARD, (width - legend) / (_BOARD + _GAP))
        self._beside = beside > below
        side = max(below, beside, 1.0)
        self._line = line / side
        self.bounds = self._area(legend / side)

    def _area(self, legend: float) -> QRectF:
        """The board with its letters and numbers, and the legend. `legend` is its width in squares."""
        if self._beside:
            return QRectF(-0.5, -0.5, _BOARD + _GAP + legend, _BOARD)
        room = _GAP + 2 * self._line
        return QRectF(-0.5, -0.5 - room, _BOARD, _BOARD + room)

    def paint(self, painter: QPainter, look: Look) -> None:
        colours = look.colours
        small = _small(look.font)
        for square in range(64):
            area = QRectF(square & 7, square >> 3, 1, 1)
            painter.fillRect(area, self._ground(square, look))
        if self._steps:
            self._paint_steps(painter, look)
        for square in range(64):
            area = QRectF(square & 7, square >> 3, 1, 1)
            if self._shares[square] and self._steps:
                # The arrows meet in the middle, so the number is in the corner.
                corner = QRectF(area.left() + 0.05, area.top() + 0.56, 0.9, 0.42)
                # `100%` is too wide for the squares of a small picture.
                words = plurals.percent(self._shares[square]).replace("100%", "100")
                halo = colours.colour("base")
                write(painter, corner, words, small, colours.colour("text"), left=True, whole=True, halo=halo)
            elif self._shares[square]:
                write(
                    painter,
                    area,
                    plurals.percent(self._shares[square]),
                    small,
                    _on(self._ground(square, look)),
                )
            row = self._rows.get(square, NO_ROW)
            if row != NO_ROW and (row in look.selected or row == look.hovered):
                pen = QPen(colours.colour("ring" if row in look.selected else "accent"), 2.5)
                pen.setCosmetic(True)
                painter.setPen(pen)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(area.adjusted(0.04, 0.04, -0.04, -0.04))
        edge = QPen(colours.colour("board_edge"), 1)
        edge.setCosmetic(True)
        painter.setPen(edge)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(0, 0, 8, 8))
        muted = colours.colour("muted")
        for place in range(8):
            write(painter, QRectF(place, -0.46, 1, 0.46), "abcdefgh"[place], small, muted)
            write(painter, QRectF(-0.5, place, 0.5, 1), str(place + 1), small, muted)
        self._paint_legend(painter, look, small)

    def _ground(self, square: int, look: Look) -> QColor:
        """The colour of a square."""
        empty = _empty(look.colours, ((square & 7) + (square >> 3)) & 1 == 0)
        share = self._shares[square]
        if not share:
            return empty
        full = look.ramp(share / self._top)
        # Below arrows the colours are pale.
        return _mixed(full, empty, _PALE[look.colours.dark]) if self._steps else full

    def _paint_steps(self, painter: QPainter, look: Look) -> None:
        colour = QColor(_ARROW[look.colours.dark])
        painter.setPen(Qt.PenStyle.NoPen)
        for start, goal, count in reversed(self._steps):
            # Rare moves are paler as well as thinner.
            weight = count / self._most
            colour.setAlphaF(0.55 + 0.4 * weight)
            painter.setBrush(colour)
            painter.drawPath(_arrow(_middle(start), _middle(goal), 0.05 + 0.2 * weight))
        if self._origin is not None:
            pen = QPen(QColor(_ARROW[look.colours.dark]), 3)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(_middle(self._origin), 0.2, 0.2)

    def _paint_legend(self, painter: QPainter, look: Look, font: QFont) -> None:
        """Two lines: the colours between the least share and the greatest one, and what the shares are."""
        muted, line = look.colours.colour("muted"), self._line
        left = 8.15 + _GAP if self._beside else 0.0
        top = 8 - line if self._beside else -0.5 - _GAP - line
        width = self.bounds.right() - left if self._beside else 8.0
        metrics = QFontMetricsF(font)
        texts = "> 0 ", f" {plurals.percent(self._top)}"
        scale = line / metrics.height()
        least, most = (metrics.horizontalAdvance(text) * scale + 0.02 for text in texts)
        bar = max(min(3.2, width - least - most), 0.0)
        write(painter, QRectF(left, top, least, line), texts[0], font, muted, left=True)
        cells = 40
        for cell in range(cells):
            place = left + least + bar * cell / cells
            area = QRectF(place, top + line * 0.3, bar / cells * 1.02, line * 0.4)
            painter.fillRect(area, look.ramp((cell + 0.5) / cells))
        write(painter, QRectF(left + least + bar, top, most, line), texts[1], font, muted, left=True)
        write(painter, QRectF(left, top - line, width, line), self._legend, font, muted, left=True)

    def row_at(self, point: QPointF) -> int:
        file, rank = int(point.x() // 1), int(point.y() // 1)
        if not (0 <= file < 8 and 0 <= rank < 8):
            return NO_ROW
        return self._rows.get(rank * 8 + file, NO_ROW)

    def rows_between(self, one: QPointF, other: QPointF) -> list[int]:
        area = QRectF(one, other).normalized()
        return sorted(
            row
            for square, row in self._rows.items()
            if area.intersects(QRectF(square & 7, square >> 3, 1, 1))
        )


class Flows(Drawing):
    """A Sankey diagram: queries as blocks in columns, by their place in the order of a game, and games as
    bands from block to block. The block of a tie has the colours of its queries. The bands to the right that
    taper off are games without a further query."""

    upside_down = True
    _BLOCK: Final = 0.055
    _SLOT: Final = 0.085
    """The greatest room for the name of a block, above the block. All names together get at most the part
    `_NAMES` of the height."""
    _NAMES: Final = 0.7

    def __init__(self, picture: transitions.Transitions) -> None:
        stages = max(node.stage for node in picture.nodes) + 1
        self.bounds = QRectF(-0.02, -0.09, stages - 1 + 0.62, 1.1)
        self._stages = stages
        self._names = picture.names
        self._members = picture.members
        most = max(sum(1 for node in picture.nodes if node.stage == stage) for stage in range(stages))
        self._slot = min(self._SLOT, self._NAMES / most)
        scale = (1 - self._slot * most) / max(picture.games, 1)
        self._blocks: dict[tuple[int, int], QRectF] = {}
        self._games: dict[tuple[int, int], int] = {}
        for stage in range(stages):
            top = 0.0
            for node in (one for one in picture.nodes if one.stage == stage):
                top += self._slot * 0.8
                self._blocks[stage, node.query] = QRectF(stage, top, self._BLOCK, node.games * scale)
                self._games[stage, node.query] = node.games
                top += node.games * scale + self._slot * 0.2
        self._bands: list[tuple[QPainterPath, int, int, bool]] = []
        """Shape, query and row of each band, and whether it ends."""
        out = {key: block.top() for key, block in self._blocks.items()}
        into = dict(out)
        for row, flow in sorted(
            enumerate(picture.flows),
            key=lambda pair: (pair[1].stage, pair[1].one, pair[1].other == transitions.END, pair[1].other),
        ):
            key, height = (flow.stage, flow.one), flow.games * scale
            start = out[key]
            out[key] += height
            ends = flow.other == transitions.END
            if ends:
                shape = _fading(flow.stage + self._BLOCK, start, height)
            else:
                target = flow.stage + 1, flow.other
                shape = _band(flow.stage + self._BLOCK, start, flow.stage + 1, into[target], height)
                into[target] += height
            self._bands.append((shape, flow.one, row, ends))

    def paint(self, painter: QPainter, look: Look) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for shape, query, row, ends in self._bands:
            colour = self._colour(query)
            strong = row in look.selected or row == look.hovered
            colour.setAlphaF((0.30 if ends else 0.45) + (0.3 if strong else 0))
            painter.setBrush(colour)
            painter.drawPath(shape)
        for (_, query), block in self._blocks.items():
            colours = [_query_colour(one) for one in self._members[query]] or [self._colour(query)]
            width = block.width() / len(colours)
            for number, colour in enumerate(colours):
                part = QRectF(block.left() + number * width, block.top(), width, block.height())
                painter.fillRect(part, colour)
        text, muted = look.colours.colour("text"), look.colours.colour("muted")
        for stage in range(self._stages):
            words = ("matched first", "then", "then")[min(stage, 2)]
            write(painter, QRectF(stage, -0.09, self._room(stage), 0.08), words, look.font, muted, left=True)
        for key in self._blocks:
            write(painter, self._label(key), self._name(key), look.font, text, left=True)

    def _label(self, key: tuple[int, int]) -> QRectF:
        """The place of the name of a block."""
        block = self._blocks[key]
        return QRectF(block.left(), block.top() - self._slot * 0.78, self._room(key[0]), self._slot * 0.76)

    def _room(self, stage: int) -> float:
        """The width for the words of a column. Those of the last column end with the picture."""
        return min(0.94, self.bounds.right() - stage)

    def _name(self, key: tuple[int, int]) -> str:
        return f"{wording.number(self._games[key])} · {self._names[key[1]]}"

    def words_at(self, point: QPointF) -> str:
        for key, block in self._blocks.items():
            if block.contains(point) or self._label(key).contains(point):
                return self._name(key)
        return ""

    def _colour(self, query: int) -> QColor:
        """The colour of the bands of a query, or of a tie: the mean of the colours of its queries."""
        members = self._members[query]
        if not members:
            return QColor(_TIES)
        colour = _query_colour(members[0])
        for number, other in enumerate(members[1:], 2):
            colour = _mixed(_query_colour(other), colour, 1 / number)
        return colour

    def row_at(self, point: QPointF) -> int:
        for shape, _, row, _ in reversed(self._bands):
            if shape.contains(point):
                return row
        return NO_ROW


def _query_colour(query: int) -> QColor:
    return QColor(QUERIES[query % len(QUERIES)])


def write(
    painter: QPainter,
    area: QRectF,
    words: str,
    font: QFont,
    colour: QColor,
    *,
    left: bool = False,
    whole: bool = False,
    halo: QColor | None = None,
) -> None:
    """Write words into an area that is given in the coordinates of the axes. The words are upright and have
    the size of the font, whatever the scale of the axes is. Words that are too long are elided, or left out
    with `whole`. A `halo` around the letters keeps words readable that lie on shapes; such words have one
    line."""
    device = painter.worldTransform().mapRect(area)
    metrics = QFontMetricsF(font)
    lines = words.split("\n")
    if metrics.height() > device.height() + 4 and len(lines) == 1 and not left:
        return
    painter.save()
    painter.resetTransform()
    painter.setFont(font)
    painter.setPen(colour)
    side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignHCenter
    shown = [metrics.elidedText(line, Qt.TextElideMode.ElideRight, device.width() + 1) for line in lines]
    height = metrics.height() * len(lines)
    middle = device.center().y()
    room = QRectF(device.left(), middle - height / 2, device.width(), height)
    if (left and not whole) or metrics.horizontalAdvance(words) <= device.width():
        if halo is not None:
            begin = room.left() if left else room.center().x() - metrics.horizontalAdvance(shown[0]) / 2
            outline = _outline(shown[0], font).translated(begin, room.top() + metrics.ascent())
            round_ends = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.strokePath(outline, QPen(halo, HALO, Qt.PenStyle.SolidLine, *round_ends))
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, "\n".join(shown))
    painter.restore()


@functools.lru_cache(256)
def _outline(words: str, font: QFont) -> QPainterPath:
    """The letters of one line, which begins at the point (0, 0). A board has sixty numbers, and their
    outlines were a quarter of the time of a repaint."""
    made = QPainterPath()
    made.addText(QPointF(), font, words)
    return made


def tip(table: pictures.Table, row: int) -> str:
    """The exact numbers of a row."""
    return table_model.tip(table, row)


def _lit(colour: QColor, look: Look, row: int) -> QColor:
    """The colour of a bar, which is stronger if it is selected or under the mouse."""
    if row in look.selected:
        return look.colours.colour("ring")
    if row == look.hovered and row != NO_ROW:
        return colour.lighter(130) if look.colours.dark else colour.darker(125)
    return colour


def _step(top: int) -> int:
    """A round distance of about five lines up to `top`."""
    step = 1
    for factor in itertools.cycle((2, 2.5, 2)):
        if top / step <= _MOST_GRID:
            break
        step = round(step * factor)
    return step


def _small(font: QFont) -> QFont:
    """The font of the texts on a board."""
    small = QFont(font)
    small.setPointSizeF(max(6.0, font.pointSizeF() * 0.85))
    return small


def _empty(colours: theme.Colours, dark_square: bool) -> QColor:
    """The colour of a square without hits. It is a pale form of the colour of the board."""
    square = colours.colour("dark_square" if dark_square else "light_square")
    return _mixed(square, colours.colour("base"), 0.12 if colours.dark else 0.3)


def _mixed(one: QColor, other: QColor, part: float) -> QColor:
    """A mixture of two colours. `part` is the part of the first one, from 0 to 1."""
    pairs = zip((one.red(), one.green(), one.blue()), (other.red(), other.green(), other.blue()), strict=True)
    return QColor(*(round(first * part + second * (1 - part)) for first, second in pairs))


def _on(ground: QColor) -> QColor:
    """Black or white, whichever can be read on a ground."""
    light = 0.299 * ground.redF() + 0.587 * ground.greenF() + 0.114 * ground.blueF()
    return QColor("#101418" if light > 0.5 else "#ffffff")


def _middle(square: int) -> QPointF:
    return QPointF((square & 7) + 0.5, (square >> 3) + 0.5)


def _arrow(start: QPointF, goal: QPointF, width: float) -> QPainterPath:
    """An arrow between the middles of two squares. The width is in squares. It keeps to the right, so that
    the arrow of the way back has room."""
    along = goal - start
    length = (along.x() ** 2 + along.y() ** 2) ** 0.5
    along /= length
    across = QPointF(-along.y(), along.x())
    begin = start + along * 0.2 - across * 0.1
    point = goal - along * 0.14 - across * 0.1
    neck = point - along * (0.16 + width * 0.7)
    half, wide = across * (width / 2), across * (width / 2 + 0.1)
    shape = QPainterPath()
    shape.addPolygon(
        QPolygonF([begin + half, neck + half, neck + wide, point, neck - wide, neck - half, begin - half])
    )
    shape.closeSubpath()
    return shape


def _band(left: float, top: float, right: float, goal: float, height: float) -> QPainterPath:
    """A band of a Sankey diagram."""
    bend = (right - left) / 2
    shape = QPainterPath(QPointF(left, top))
    shape.cubicTo(left + bend, top, right - bend, goal, right, goal)
    shape.lineTo(right, goal + height)
    shape.cubicTo(right - bend, goal + height, left + bend, top + height, left, top + height)
    shape.closeSubpath()
    return shape


def _fading(left: float, top: float, height: float) -> QPainterPath:
    """A short band that ends in a point."""
    shape = QPainterPath(QPointF(left, top))
    shape.lineTo(left + 0.12, top + height / 2)
    shape.lineTo(left, top + height)
    shape.closeSubpath()
    return shape
