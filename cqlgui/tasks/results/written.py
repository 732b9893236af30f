"""The comments of many games as columns, in the order of writing. The rules are those of `game_log`. This
module applies them without an object for each comment."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays
from cqlgui.base.data import dataclass
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Columns, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Comments. For each comment, `keys` has the number of its game and the positionid in the form of
    `found.Columns.hits`; the first game is 0. `texts` has the index of the text in `names`, and `marked` the
    index of the hit that the comment marks, or -1. In `names`, the `own` texts of the query come first. The
    texts of the games' numbers follow, and then perhaps the match string."""

    keys: Integers
    texts: Integers
    marked: Integers
    names: Sequence[str]
    own: int
    numbers: int
    """How many texts of games' numbers `names` has. Texts that the query itself writes are not counted."""

    @property
    def rows(self) -> Integers:
        """The number of each comment's game."""
        return self.keys >> found_module.GAME_SHIFT

    @property
    def places(self) -> Integers:
        """The positionid of each comment."""
        return self.keys & found_module.PLACE_MASK


def of(columns: Columns, untold: found_module.GameDefaults, *, ours: bool = True) -> Written:
    """The comments of the games in `columns`. Without `ours`, only comments of the query itself, not the
    numbers of the games and the match string."""
    notes = None if columns.details is None else columns.details.notes
    of_notes, said = _NOTHING if notes is None else notes.coded
    lasts, closing_places, closing = columns.closing()
    starts = found_module.first_hits(columns.hits)
    games = np.arange(len(starts)) << found_module.GAME_SHIFT
    of_hits = np.repeat(games, np.diff(starts, append=len(columns)))
    marking = bool(ours and untold.match_string)
    codes, names = arrays.numbered(itertools.chain(said, closing))
    of_closing, own = codes[len(said) :], len(names)
    of_headers = _NOTHING[0]
    if ours and untold.header_comment:
        headers = untold.numbers(found_module.each_game(columns.hits))
        # The texts of the numbers differ from each other. They are compared with the other texts only if one
        # of these can be equal, because there are many games.
        if any(name.startswith(found_module.NUMBER) for name in (*names, untold.match_string)):
            codes, names = arrays.numbered(itertools.chain(names, headers))
            of_headers = codes[own:]
        else:
            names += headers
            of_headers = np.arange(own, len(names))
    numbers = len(names) - own
    mark = len(names)
    if marking and untold.match_string in names:
        mark = names.index(untold.match_string)
    elif marking:
        names.append(untold.match_string)
    # For each comment its key, its place in the order of writing, the text and the hit that it marks. At a
    # hit, the query's own comments come before the match string.
    before = np.arange(len(columns)) + (0 if notes is None else notes.ends)
    keys = of_hits | columns.hits & found_module.PLACE_MASK
    parts: list[tuple[Any, Any, Any, Any]] = []
    if len(of_headers):
        first = starts + (0 if notes is None else np.concatenate([[0], notes.ends])[starts])
        parts.append((games, first * 3, of_headers, None))
    if notes is not None and len(of_notes):
        owners = notes.owners
        order = np.arange(len(of_notes)) + owners
        parts.append((of_hits[owners] | notes.places, order * 3 + 1, of_notes, None))
    if marking:
        marks = np.full(len(columns), mark)
        parts.append((keys, before * 3 + 1, marks, np.arange(len(columns))))
    if closing:
        parts.append((of_hits[lasts] | closing_places, before[lasts] * 3 + 2, of_closing, None))
    key, order, text, marked = (
        np.concatenate([_column(part, number) for part in parts] or [np.zeros(0, np.int64)])
        for number in range(4)
    )
    if untold.unique and mark < own + numbers:
        # A comment with the text of the match string is itself the mark of a hit.
        hits = {hit: number for number, hit in enumerate(keys.tolist())}
        for at in np.flatnonzero((text == mark) & (marked < 0)).tolist():
            marked[at] = hits.get(int(key[at]), -1)
    sequence = np.argsort(order, kind="stable")
    if untold.unique and (own or mark < numbers):
        sequence = sequence[arrays.first_rows((text, key), order)[sequence]]
    return Written(key[sequence], text[sequence], marked[sequence], names, own, numbers)


_NOTHING: Final[tuple[Integers, list[str]]] = (np.zeros(0, np.int64), [])


def _column(part: Sequence[Any], number: int) -> Any:
    """A column of some comments; a comment that marks no hit has -1 in the last column."""
    return np.full(len(part[0]), -1) if part[number] is None else part[number]
