"""The query's own frame: which motion takes the game on the board back to it, and the words for that.

Does not use widgets. While it is on, a hit is shown through the inverse of the transform under which it
matched, and so are the other positions of its game.
"""

from __future__ import annotations

from cqlgui.base import data
from cqlgui.board import motions, san, squares
from cqlgui.cql.transforming import geometry, words
from cqlgui.tasks.results import base_model, hit_model

NORMALISED = "Normalised"
AS_WRITTEN = "As the query is written"


class Normal:
    """`on` is what the user wants; `element` is the one in force: that of the hit that was shown last in this
    game."""

    def __init__(self) -> None:
        self.on = False
        self.element: hit_model.ElementCount | None = None

    @property
    def applies(self) -> bool:
        """Whether there is an element whose transform can be undone."""
        return self.on and self.element is not None and _motion(self.element) is not None

    @property
    def frame(self) -> motions.Motion:
        """The motion from the game's board to the board that is shown."""
        motion = _motion(self.element) if self.on and self.element is not None else None
        return motions.STILL if motion is None else motion.inverse

    @property
    def outside(self) -> int:
        """The squares shown that do not belong to the game's board."""
        frame = self.frame
        return squares.ALL & ~frame.set(squares.ALL) if frame.shifted else 0

    @property
    def words(self) -> str:
        """Words for the frame and for the transform that was undone; empty if the game is shown as it was
        played."""
        if not self.on or self.element is None:
            return ""
        if not self.applies:
            return f"Cannot be turned back: {self.element.words}"
        undone = words.undone(self.element.transform)
        return f"{NORMALISED}: {undone or 'nothing to take back'}"

    @property
    def note(self) -> str:
        """The note before moves that are not written as they were played."""
        off = f"; {san.OFF} is a square off the board" if self.frame.shifted else ""
        return self.words.replace(NORMALISED, AS_WRITTEN, 1) + off

    def marks(
        self, rings: int, element: hit_model.ElementCount | None
    ) -> tuple[int, tuple[tuple[int, int], ...], tuple[str, str], int]:
        """Rings, lines, badge and single squares for a position with these squares of a hit and its element.
        Without a hit only the badge shows that this is not the game's own board."""
        few = element.squares if element is not None else 0
        if self.applies and self.element is not None:
            # Here the pattern stands where it is written, so there are no lines to draw.
            frame = self.frame
            return frame.set(rings), (), (self.words, self.element.transform), frame.set(few)
        if element is None:
            return rings, (), ("", ""), 0
        return rings, element.lines, (self.words or element.words, element.transform), few

    def ways(self, shown: int, occupied: int) -> tuple[tuple[int, int], ...]:
        """The (from, to) squares of the pattern's way when one frame replaces the other. `shown` are the
        ringed squares, `occupied` those with men. If no square is ringed, the men move."""
        if self.element is None:
            return ()
        lines = self.element.lines
        if self.applies:
            lines = tuple((image, square) for square, image in lines)
        wanted = shown or occupied
        return tuple(pair for pair in lines if wanted >> pair[1] & 1)


def framed(game: base_model.LoadedGame, frame: motions.Motion, note: str) -> base_model.LoadedGame:
    """The game for the notation, with moves written in a frame and a note before them."""
    if frame == motions.STILL:
        return game
    comment = " ".join(filter(None, (f"{note}.", game.comments.get(0, ""))))
    return data.replace(game, tree=game.tree.framed(frame), comments={**game.comments, 0: comment})


def _motion(element: hit_model.ElementCount) -> motions.Motion | None:
    return geometry.motion(element.transform)
