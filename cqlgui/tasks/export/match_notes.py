"""The comments that an annotated export writes at the hits of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base.patterns import pattern
from cqlgui.board import squares
from cqlgui.cql.interpreting.runtime import game_log
from cqlgui.pgn import writer
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import hit_model, written


def match_comments(hits: hit_model.GameHits, orbits: Sequence[hit_model.Orbit]) -> dict[int, str]:
    """The comment for each position: the texts that the query writes, in the query's order. The transform,
    the ringed squares and the arrows of the match follow the match string.

    Without a match string (`quiet`, `silent`) matches are not marked.
    """
    match_string = hits.match_string
    marks = {hit.positionid: _mark(hit, orbits, match_string) for hit in hits.hits} if match_string else {}
    texts: dict[int, list[str]] = {}
    for positionid, text, said_by in game_log.written(hits.log, hits.unique):
        texts.setdefault(positionid, []).extend(marks.pop(positionid) if said_by == game_log.MARK else [text])
    # If the comments of a game cannot be found, at least its hits are marked.
    for positionid, parts in marks.items():
        texts.setdefault(positionid, []).extend(parts)
    return {positionid: _joined(parts) for positionid, parts in texts.items()}


def _joined(parts: Sequence[str]) -> str:
    """Several texts as one. A closing brace would end the comment in the file: PGN has no escape for it, and
    few readers know one (PGN standard 5)."""
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
    """Makes the comments for several games. Equal comments are made only once."""

    def __init__(self, found: found_module.FoundGames, orbits: Sequence[hit_model.Orbit]) -> None:
        self._found = found
        self._orbits = orbits
        self._texts: list[str] = []
        self._comments: list[bytes] = []
        self._numbers: dict[str, int] = {}
        self._combined: dict[tuple[int, ...], int] = {}
        self._headers: set[int] = set()
        """The numbers of the comments with the numbers of the games."""
        self._ids: list[np.ndarray] = []
        self._chosen: list[np.ndarray] = []
        self._counts: list[np.ndarray] = []

    def plain(self, games: Sequence[int]) -> int:
        """Add games whose hits are in the columns. Returns the number of their hits."""
        found = self._found
        untold = found.untold
        assert untold is not None
        columns = found.columns_of(np.array(games, np.int64))
        said = written.of(columns, untold)
        numbers = self._numbers_of(said)
        chosen = numbers[said.texts]
        marks = said.marked >= 0
        if marks.any():
            chosen[marks] = self._marks(columns, untold.match_string)[said.marked[marks]]
        order: Any = slice(None)
        if said.own:
            # Hits ascend, but a comment may stand at a position before or after its hit.
            order = np.argsort(said.keys, kind="stable")
        self._put(len(games), said.rows[order], said.places[order], chosen[order])
        return len(columns)

    def _numbers_of(self, said: written.Written) -> Any:
        """The numbers of the comments `said.names`, those of marks left out."""
        own, end = said.own, said.own + said.numbers
        first = len(self._texts)
        self._headers.update(range(first, first + said.numbers))
        headers = said.names[own:end]
        self._texts += headers
        # The texts have only letters, digits and blanks, so they need no escapes.
        self._comments += [f"{{{text}}}".encode("ascii") for text in headers]
        made = np.full(len(said.names), -1, np.int64)
        made[own:end] = np.arange(first, first + len(headers))
        made[:own] = np.fromiter(map(self._number, said.names[:own]), np.int64, own)
        return made

    def _put(self, games: int, owners: Any, ids: Any, chosen: Any) -> None:
        """Add comments to the next `games` games, in the order of games and positions. The comments at one
        position become one comment."""
        fresh = np.ones(len(ids), np.bool_)
        fresh[1:] = (owners[1:] != owners[:-1]) | (ids[1:] != ids[:-1])
        heads = np.flatnonzero(fresh)
        sizes = np.diff(heads, append=len(ids))
        made = chosen[heads]
        pairs = np.flatnonzero(sizes == 2)
        made[pairs] = self._pairs(made[pairs].tolist(), chosen[heads[pairs] + 1].tolist())
        for place in np.flatnonzero(sizes > 2).tolist():
            begin = int(heads[place])
            made[place] = self._several(tuple(chosen[begin : begin + int(sizes[place])].tolist()))
        self._ids.append(ids[heads])
        self._chosen.append(made)
        self._counts.append(np.bincount(owners[heads], minlength=games))

    def _pairs(self, first: Sequence[int], second: Sequence[int]) -> list[int]:
        """The numbers of comments that consist of two texts each."""
        texts, comments = self._texts, self._comments
        plain = {one: self._is_plain(one) for one in {*second}}
        found = []
        for one, other in zip(first, second, strict=True):
            # In many games, the first position matches. The number of the game and the match are then one
            # comment.
            if plain[other] and one in self._headers:
                found.append(len(texts))
                texts.append(f"{texts[one]} {texts[other]}")
                comments.append(b"%b %b" % (comments[one][:-1], comments[other][1:]))
            else:
                found.append(self._several((one, other)))
        return found

    def _is_plain(self, number: int) -> bool:
        """Whether a text stands between braces without any change."""
        text = self._texts[number]
        return "}" not in text and self._comments[number] == f"{{{text}}}".encode("utf-8", "replace")

    def _several(self, numbers: tuple[int, ...]) -> int:
        """The number of a comment that consists of several texts."""
        number = self._combined.get(numbers)
        if number is None:
            number = self._unique(_joined([self._texts[one] for one in numbers]))
            self._combined[numbers] = number
        return number

    def _marks(self, columns: found_module.Columns, match_string: str) -> Any:
        """The number of each hit's comment."""
        details = columns.details
        primary = columns.primary()
        squares = np.zeros(len(columns), np.uint64) if details is None else details.squares
        order = np.lexsort((squares, primary))
        fresh = np.ones(len(order), np.bool_)
        sorted_codes, sorted_squares = primary[order], squares[order]
        fresh[1:] = (np.diff(sorted_codes) != 0) | (sorted_squares[1:] != sorted_squares[:-1])
        numbers = np.zeros(len(order), np.int64)
        numbers[order] = np.cumsum(fresh) - 1
        texts = []
        for number in order[fresh].tolist():
            hit = next(found_module.hits_of(columns, number, number + 1))
            texts.append(self._number(_joined(_mark(hit, self._orbits, match_string))))
        return np.array(texts, np.int64)[numbers]

    def told(self, comments: Mapping[int, str]) -> None:
        """Add a game; `comments` has its comments by positionid."""
        self._ids.append(np.fromiter(comments, np.int64, len(comments)))
        self._chosen.append(np.fromiter(map(self._number, comments.values()), np.int64, len(comments)))
        self._counts.append(np.array([len(comments)], np.int64))

    def notes(self) -> writer.Notes:
        """The comments of all games that were added."""
        nothing = [np.zeros(0, np.int64)]
        ids, chosen, counts = (
            np.concatenate(one or nothing) for one in (self._ids, self._chosen, self._counts)
        )
        texts = [_joined([text]) for text in self._texts]
        return writer.Notes(np.cumsum([0, *counts]), ids, chosen, texts, self._comments)

    def _number(self, text: str) -> int:
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = self._unique(text)
        return number

    def _unique(self, text: str) -> int:
        """Add a comment that probably does not occur again. Returns its number."""
        self._texts.append(text)
        # A text without braces, backslashes and line ends needs no escapes.
        made = f"{{{text}}}" if _SIMPLE.fullmatch(text) else writer.comment(_joined([text]))
        self._comments.append(made.encode("utf-8", "replace"))
        return len(self._texts) - 1


_SIMPLE: Final = pattern(r"[A-Za-z0-9 :%,.()\[\]_-]*")
