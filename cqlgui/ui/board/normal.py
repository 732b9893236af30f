"""The query's own frame: the motion that moves a matched pattern back to its squares in the query, and words
for this motion.

This module does not use widgets. A hit matches under a transform. While the query's own frame is on, the
inverse of this transform is applied to the hit and to all other positions of the game.
"""

from __future__ import annotations

from cqlgui.base import data
from cqlgui.board import motions, san, squares
from cqlgui.cql.transforming import geometry, words
from cqlgui.tasks.results import base_model, hit_model

NORMALISED = "Normalised"
AS_WRITTEN = "As the query is written"


class Normal:
    """`on` is True if the user wants the query's frame. `element` is the orbit element of the hit that was
    shown last in the game on the board."""

    def __init__(self) -> None:
        self.on = False
        self.element: hit_model.ElementCount | None = None

    @property
    def applies(self) -> bool:
        """True if the user wants the query's frame and if the transform of `element` can be undone."""
        return self.on and self.element is not None and _motion(self.element) is not None

    @property
    def frame(self) -> motions.Motion:
        """The motion from the game's board to the board that is shown."""
        motion = _motion(self.element) if self.on and self.element is not None else None
        return motions.STILL if motion is None else motion.inverse

    @property
    def outside(self) -> int:
        """The shown squares that do not belong to the game's board."""
        frame = self.frame
        return squares.ALL & ~frame.set(squares.ALL) if frame.shifted else 0

    @property
    def words(self) -> str:
        """The frame and the undone transform in words. The text is empty if the game is shown as it was
        played."""
        if not self.on or self.element is None:
            return ""
        if not self.applies:
            return f"Cannot be turned back: {self.element.words}"
        undone = words.undone(self.element.transform)
        return f"{NORMALISED}: {undone or 'as played'}"

    @property
    def note(self) -> str:
        """The note before the moves of a game that is not shown as it was played."""
        off = f"; {san.OFF} is a square off the board" if self.frame.shifted else ""
        return self.words.replace(NORMALISED, AS_WRITTEN, 1) + off

    def marks(
        self, rings: int, element: hit_model.ElementCount | None
    ) -> tuple[int, tuple[tuple[int, int], ...], tuple[str, str], int]:
        """The arguments of `BoardWidget.set_marks` for a position. `rings` are the squares of the hit at the
        position, and `element` is the orbit element of the hit. If there is no hit, only the badge shows that
        the board has the query's own frame."""
        few = element.squares if element is not None else 0
        if self.applies and self.element is not None:
            # In the query's own frame the pattern is on the squares that the query names, so no lines are
            # drawn.
            frame = self.frame
            return frame.set(rings), (), (self.words, self.element.transform), frame.set(few)
        if element is None:
            return rings, (), ("", ""), 0
        return rings, element.lines, (self.words or element.words, element.transform), few

    def ways(self, shown: int, occupied: int) -> tuple[tuple[int, int], ...]:
        """The (from, to) squares of the animation between the game's board and the query's own frame. `shown`
        are the ringed squares, and `occupied` are the squares with men. The animation moves the rings. If no
        square is ringed, it moves the men."""
        if self.element is None:
            return ()
        lines = self.element.lines
        if self.applies:
            lines = tuple((image, square) for square, image in lines)
        wanted = shown or occupied
        return tuple(pair for pair in lines if wanted >> pair[1] & 1)


def framed(game: base_model.LoadedGame, frame: motions.Motion, note: str) -> base_model.LoadedGame:
    """The game for the notation. The moves are written as they look in `frame`. `note` is put into a comment
    before the first move."""
    if frame == motions.STILL:
        return game
    comment = " ".join(filter(None, (f"{note}.", game.comments.get(0, ""))))
    return data.replace(game, tree=game.tree.framed(frame), comments={**game.comments, 0: comment})


def _motion(element: hit_model.ElementCount) -> motions.Motion | None:
    return geometry.motion(element.transform)
