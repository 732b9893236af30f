"""The comments that an annotated export writes at the hits of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cqlgui.board import squares
from cqlgui.pgn import writer
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import hit_model


def match_comments(hits: hit_model.GameHits, orbits: Sequence[hit_model.Orbit]) -> dict[int, str]:
    """The comment for each position: the texts that the query writes, in the query's order. The transform,
    the ringed squares and the arrows of the match follow the match string.

    Without a match string (`quiet`, `silent`) matches are not marked.
    """
    match_string = hits.match_string
    marks = {hit.positionid: _mark(hit, orbits, match_string) for hit in hits.hits} if match_string else {}
    texts: dict[int, list[str]] = {}
    for positionid, text in hits.comments:
        parts = texts.setdefault(positionid, [])
        if text != match_string:
            parts.append(text)
        elif positionid in marks:
            parts += marks.pop(positionid)
    # The remaining marks belong to hits that another query found. The comments of this game do not include
    # the match string for these hits.
    for positionid, parts in marks.items():
        texts.setdefault(positionid, []).extend(parts)
    return {positionid: _joined(parts) for positionid, parts in texts.items() if parts}


def _joined(parts: Sequence[str]) -> str:
    return " ".join(parts).replace("}", ")")


def _mark(hit: hit_model.Hit, orbits: Sequence[hit_model.Orbit], match_string: str) -> list[str]:
    words = match_string
    lines: tuple[tuple[int, int], ...] = ()
    if hit.matches:
        match = hit.matches[0]
        element = orbits[match.orbit].elements[match.element]
        words = f"{match_string}: {element.words} {element.transform}"
        lines = element.lines
    parts = [words]
    marked = [f"G{squares.square_name(square)}" for square in squares.bits(hit.squares)]
    if 0 < len(marked) < 64:
        parts.append(f"[%csl {','.join(marked)}]")
    if lines:
        arrows = ",".join(f"Y{squares.square_name(a)}{squares.square_name(b)}" for a, b in lines)
        parts.append(f"[%cal {arrows}]")
    return parts


class Making:
    """Makes the comments for several games, game after game. Equal comments are made only once."""

    def __init__(self, found: found_module.FoundGames, orbits: Sequence[hit_model.Orbit]) -> None:
        self._found = found
        self._firsts = [0]
        self._ids: list[int] = []
        self._chosen: list[int] = []
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self._places: list[int] = (found.columns.hits & found_module.PLACE_MASK).tolist()
        self._marked = self._marks(orbits)
        games, starts, ends = (one.tolist() for one in found.bounds)
        self._stretches: dict[int, tuple[int, int]] = dict(
            zip(games, zip(starts, ends, strict=True), strict=True)
        )

    def _marks(self, orbits: Sequence[hit_model.Orbit]) -> list[int]:
        """The number of each hit's comment, in the order of the hits."""
        columns, untold = self._found.columns, self._found.untold
        details = columns.details
        if details is None or untold is None or not untold.match_string:
            return []
        primary = np.full(len(columns), -1, np.int64)
        some = np.diff(columns.ends, prepend=0) > 0
        primary[some] = columns.codes[columns.starts[some]]
        order = np.lexsort((details.squares, primary))
        fresh = np.ones(len(order), np.bool_)
        sorted_codes, sorted_squares = primary[order], details.squares[order]
        fresh[1:] = (np.diff(sorted_codes) != 0) | (sorted_squares[1:] != sorted_squares[:-1])
        numbers = np.zeros(len(order), np.int64)
        numbers[order] = np.cumsum(fresh) - 1
        texts = []
        for number in order[fresh].tolist():
            hit = next(found_module.hits_of(columns, number, number + 1))
            texts.append(self._number(_joined(_mark(hit, orbits, untold.match_string))))
        return np.array(texts, np.int64)[numbers].tolist()  # type: ignore[no-any-return]  # NumPy's

    def plain(self, game: int) -> int:
        """Add a game whose hits are in the columns. Returns the number of its hits."""
        untold = self._found.untold
        assert untold is not None
        first, end = self._stretches[game]
        ids, chosen = self._places[first:end], self._marked[first:end]
        if not untold.match_string:
            ids = []
        words = untold.number(game)
        # If a position has the same comment twice, the comment is written once.
        if untold.header_comment and words != untold.match_string:
            if ids and ids[0] == 0:
                chosen[0] = self._number(f"{words} {self._texts[chosen[0]]}")
            else:
                ids, chosen = [0, *ids], [self._number(words), *chosen]
        self._add(ids, chosen)
        return end - first

    def told(self, comments: Mapping[int, str]) -> None:
        """Add a game; `comments` has its comments by positionid."""
        self._add(list(comments), list(map(self._number, comments.values())))

    def notes(self) -> writer.Notes:
        """The comments of all games that were added."""
        firsts, ids, chosen = (np.array(one, np.int64) for one in (self._firsts, self._ids, self._chosen))
        return writer.Notes(firsts, ids, chosen, self._texts)

    def _add(self, ids: list[int], chosen: list[int]) -> None:
        self._ids += ids
        self._chosen += chosen
        self._firsts.append(len(self._ids))

    def _number(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        return number
