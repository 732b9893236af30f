"""Holds the current game and the current position; board and notation always show this position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import QObject, Signal

from cqlgui.base import priority
from cqlgui.board import men, motions, moves, position, tree
from cqlgui.tasks.databases import games
from cqlgui.tasks.results import base_model, hit_model
from cqlgui.ui.board import normal as normal_module
from cqlgui.ui.board import notation
from cqlgui.ui.board import widget as board_widget
from cqlgui.ui.loop import jobs

_JOB = "load game"


class Browser(QObject):
    """The game on the board, the position shown, and the hits of the game.

    `shown` is emitted after every change, with the game (or None) and the positionid. `normalised_changed` is
    emitted when hits begin or cease to be shown in the query's own frame.
    """

    shown = Signal(object, int)
    normalised_changed = Signal(bool)
    failed = Signal(str)

    def __init__(
        self,
        door: jobs.Jobs,
        board: board_widget.BoardWidget,
        text: notation.NotationView,
        shown_of: Callable[[hit_model.Hit], tuple[int, hit_model.ElementCount | None]],
        parent: QObject | None = None,
    ) -> None:
        """`shown_of` returns the squares to ring for a hit, and the orbit element of the hit."""
        super().__init__(parent)
        self._jobs = door
        self._board = board
        self._notation = text
        self._shown_of = shown_of
        self._game: base_model.LoadedGame | None = None
        self._base: base_model.Base | None = None
        self._position = 0
        # A position that is shown in the frame of another position's hit, and the position of this hit.
        self._led = 0, 0
        self._hits: dict[int, hit_model.Hit] = {}
        self.normal = normal_module.Normal()
        # The frame of the notation, and the game and position that were shown last.
        self._written = motions.STILL
        self._landed = (0, -1)
        # The game of the last call of `open`, and the game of the hits in `_told`.
        self._asked, self._told_of = 0, 0
        # Hits with new details. They may have come while their game was being loaded.
        self._told: dict[int, hit_model.Hit] = {}
        for source in (board, text):
            source.stepped.connect(self.step)
            source.jumped.connect(self.jump)
        text.position_chosen.connect(self.go)

    @property
    def game(self) -> base_model.LoadedGame | None:
        """The game on the board."""
        return self._game

    @property
    def base(self) -> base_model.Base | None:
        """The base of the game on the board."""
        return self._base

    @property
    def asked(self) -> int:
        """The ordinal of the game on the board or being loaded; 0 for none."""
        return self._asked

    @property
    def busy(self) -> bool:
        """Whether a game is on the board or being loaded."""
        return self._game is not None or self._jobs.active(_JOB)

    @property
    def positionid(self) -> int:
        """The position shown."""
        return self._position

    @property
    def hit(self) -> hit_model.Hit | None:
        """The hit at the position shown, if there is one."""
        return self._hits.get(self._position)

    @property
    def position(self) -> position.Position | None:
        """The position as it was played, even while the query's own frame is shown."""
        return None if self._game is None else self._game.tree.positions[self._position]

    def set_normalised(self, on: bool) -> None:
        """If `on`, show hits in the query's own frame: the inverse of the hit's transform is applied to the
        game. If not `on`, show the game as it was played."""
        if on == self.normal.on:
            return
        priority.hold()
        self.normal.on = on
        self._show()
        self._board.travel(self.normal.ways(self._board.rings, self._board.occupied))
        self.normalised_changed.emit(on)

    def clear(self) -> None:
        """Show no game."""
        self._jobs.cancel(_JOB, drop=True)
        self._game, self._base, self._position, self._hits = None, None, 0, {}
        self._asked = 0
        self._notation.set_game(None)
        self._show()

    def open(
        self,
        base: base_model.Base,
        game: int,
        positionid: int = 0,
        hits: Mapping[int, hit_model.Hit] | None = None,
        plies: int = 0,
    ) -> None:
        """Show a position of a game. A game that is not on the board is loaded in the background first. With
        `plies`, show the position so many plies after the hit at `positionid`, in the frame of this hit."""
        priority.hold()
        shown = self._game is not None and (self._game.game, self._position) == (game, positionid)
        if plies or not shown:
            # The table of hits opens the position again if the line has come to another hit.
            self._led = positionid + plies, positionid
        found = dict(hits or {})
        self._asked, self._told_of = game, 0
        if (
            self._game is not None
            and self._base is not None
            and (self._base.id, self._game.game) == (base.id, game)
        ):
            self._jobs.cancel(_JOB, drop=True)
            self._base, self._hits = base, found
            self._notation.set_hits(found)
            self._position = min(positionid + plies, len(self._game.tree) - 1)
            self._show()
            return

        figurine = self._notation.figurine
        # The frame that the notation will have when the game is loaded. Another thread prepares the notation.
        ahead = normal_module.Normal()
        ahead.on, ahead.element = self.normal.on, self._element(found.get(positionid))[1]
        frame, note = ahead.frame, ahead.note

        def done(made: tuple[base_model.LoadedGame, Iterator[notation.Piece]]) -> None:
            loaded, pieces = made
            self._game, self._base = loaded, base
            self._position = min(positionid + plies, len(loaded.tree) - 1)
            self._hits = found if self._told_of != game else self._told
            self.normal.element = None
            self._take_element()
            same = self._notation.figurine == figurine and frame == self.normal.frame
            self._write(pieces if same else None)
            self._show()

        self._jobs.run(
            lambda _token, _sink: _prepared(games.load(base, game), figurine, frame, note),
            done,
            lambda error: self.failed.emit(str(error)),
            name=_JOB,
        )

    def set_hits(self, hits: Mapping[int, hit_model.Hit]) -> None:
        """Mark these positions of the game as hits, and no other positions."""
        self._hits = dict(hits)
        self.normal.element, self._landed = None, (0, -1)
        self._notation.set_hits(self._hits)
        self._show()

    def tell(self, game: int, hits: Mapping[int, hit_model.Hit]) -> None:
        """Take new details of the hits of a game, if this game is on the board or being loaded. The positions
        of the hits are the same as before."""
        if game == self._asked:
            self._told_of, self._told = game, dict(hits)
            if self._game is not None and self._game.game == game:
                self._hits = dict(hits)
                self._mark()

    def go(self, positionid: int) -> None:
        """Show a position of this game."""
        if self._game is not None and 0 <= positionid < len(self._game.tree):
            priority.hold()
            self._position = positionid
            self._show()

    def step(self, by: int) -> None:
        """Go a ply back (-1) or forward (+1)."""
        if self._game is not None:
            self.go(notation.step(self._game.tree, self._position, by))

    def jump(self, to: int) -> None:
        """Go to the start (-1) of the game or the end (+1) of the current line."""
        if self._game is not None:
            self.go(0 if to < 0 else notation.end(self._game.tree, self._position))

    def branch(self, by: int) -> None:
        """Go to the next (+1) or previous (-1) alternative to the move that led to the position shown."""
        if self._game is None or self._position == 0:
            return
        tree = self._game.tree
        siblings = tree.children[tree.parents[self._position]]
        place = siblings.index(self._position) + by
        if 0 <= place < len(siblings):
            self.go(siblings[place])

    def move_text(self) -> str:
        """The move that led to the position shown, with its number, e.g. `22...Kxh7`; empty at the start."""
        if self._game is None:
            return ""
        return move_text(self._game.tree.framed(self.normal.frame), self._position)

    def point_out(self, named: int) -> None:
        """Ring the squares in `named` for a moment. If `named` is 0, restore the rings of the position."""
        if named:
            self._board.set_marks(self.normal.frame.set(named))
        else:
            self._mark()

    def _element(self, hit: hit_model.Hit | None) -> tuple[int, hit_model.ElementCount | None]:
        """The squares to ring for a hit, and the orbit element of the hit."""
        return self._shown_of(hit) if hit is not None else (0, None)

    def _take_element(self) -> None:
        """Use the element of the hit shown, until another hit of this game is shown. In a line after a hit,
        the element of this hit is used."""
        place = self._led[1] if self._position == self._led[0] else self._position
        self.normal.element = self._element(self._hits.get(place))[1] or self.normal.element

    def _mark(self) -> hit_model.ElementCount | None:
        """Ring the squares of the hit at this position, if there is one. Returns the orbit element of the
        hit."""
        rings, element = self._element(self.hit)
        self._board.set_marks(*self.normal.marks(rings, element))
        return element

    def _write(self, made: Iterator[notation.Piece] | None = None) -> None:
        """Write the notation in the frame that is shown."""
        assert self._game is not None
        self._written = self.normal.frame
        self._notation.set_game(normal_module.framed(self._game, self._written, self.normal.note), made)
        self._notation.set_hits(self._hits)

    def _show(self) -> None:
        game, place = self._game, self._position
        if game is None:
            self._board.set_position(None)
            self._board.set_marks()
            self._board.set_outside(None)
            self._board.describe("")
            self.shown.emit(None, 0)
            return
        self._take_element()
        frame = self.normal.frame
        if frame != self._written:
            self._write()
        move = game.tree.moves[place] if place else None
        ends = None
        if move is not None and moves.flag(move) != moves.NULL:
            ends = (
                moves.origin(move),
                moves.king_target(move) if moves.flag(move) == moves.CASTLE else moves.target(move),
            )
            ends = frame.square(ends[0]), frame.square(ends[1])
        shown = game.tree.positions[place]
        self._board.set_position(shown if frame == motions.STILL else frame.position(shown), ends)
        self._board.set_outside(None if frame == motions.STILL else self.normal.outside)
        element = self._mark()
        self._notation.set_current(place)
        words = f"Hit, {element.words}" if element else ("Hit" if place in self._hits else "")
        self._board.describe(". ".join(filter(None, (self.move_text(), words, self.normal.words))))
        if element is not None and (game.game, place) != self._landed and not self.normal.applies:
            self._board.travel(self.normal.ways(self._board.rings, self._board.occupied))
        self._landed = (game.game, place)
        self.shown.emit(game, place)


def move_text(game: tree.GameTree, positionid: int) -> str:
    """The move that leads to a position, with its number, e.g. `22...Kxh7`; empty at the start."""
    if positionid == 0:
        return ""
    dots = "..." if game.mover(positionid) == men.BLACK else "."
    return f"{game.display_number(positionid)}{dots}{game.san(positionid)}"


def _prepared(
    game: base_model.LoadedGame, figurine: bool, frame: motions.Motion, note: str
) -> tuple[base_model.LoadedGame, Iterator[notation.Piece]]:
    """The game and its notation. The positions and the beginning of the notation are computed here, so that
    the GUI thread need not compute them."""
    len(game.tree.positions)
    return game, notation.begun(normal_module.framed(game, frame, note), figurine)
