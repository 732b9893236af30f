"""The comments that an annotated export writes at the hits of a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays
from cqlgui.base.patterns import pattern
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
        columns = found.columns.take(found.places_of(np.array(games, np.int64)))
        starts = found_module.first_hits(columns.hits)
        owners = np.repeat(np.arange(len(games)), np.diff(starts, append=len(columns)))
        # For each comment: its game, its place in the game's log, the positionid and the text.
        parts: list[tuple[Any, Any, Any, Any]] = []
        headers = self._numbers_of(games, untold) if untold.header_comment else None
        if headers is not None:
            parts.append(headers)
        notes = None if columns.details is None else columns.details.notes
        if notes is not None and len(notes.texts):
            of_hits = notes.owners
            numbers = np.fromiter(map(self._number, notes.texts), np.int64, len(notes.texts))
            order = np.arange(len(notes.texts)) + of_hits
            parts.append((owners[of_hits], order, notes.places, numbers))
        lasts, ids, closing = columns.closing()
        if closing:
            numbers = np.fromiter(map(self._number, closing), np.int64, len(closing))
            parts.append((owners[lasts], _AT_END + np.arange(len(closing)), ids, numbers))
        if untold.match_string:
            if self._numbers.get(untold.match_string) is not None:
                return self._slowly(games, columns)
            places = columns.hits & found_module.PLACE_MASK
            marks = self._marks(columns, untold.match_string)
            if headers is not None and len(parts) == 1:
                # The query writes no comments. The comments are in order, and no position has a comment
                # twice.
                of_games, _, root, numbers = headers
                self._put(
                    len(games),
                    np.insert(owners, starts, of_games),
                    np.insert(places, starts, root),
                    np.insert(marks, starts, numbers),
                )
                return len(columns)
            # The match string of a hit comes after the query's own comments at this hit.
            before = np.arange(len(columns)) + (0 if notes is None else notes.ends)
            parts.append((owners, before, places, marks))
        self._add(len(games), parts)
        return len(columns)

    def _slowly(self, games: Sequence[int], columns: found_module.Columns) -> int:
        """`plain` for games where the query itself writes the match string."""
        for game in games:
            self.told(match_comments(self._found[game], self._orbits))
        return len(columns)

    def _numbers_of(
        self, games: Sequence[int], untold: found_module.GameDefaults
    ) -> tuple[Any, Any, Any, Any]:
        """The comments with the numbers of the games."""
        first = len(self._texts)
        self._headers.update(range(first, first + len(games)))
        texts = list(map(untold.number, games))
        self._texts += texts
        # The texts have only letters, digits and blanks, so they need no escapes.
        self._comments += [f"{{{text}}}".encode("ascii") for text in texts]
        owners = np.arange(len(games))
        return owners, np.full(len(games), -1), np.zeros(len(games), np.int64), first + owners

    def _add(self, games: int, parts: Sequence[tuple[Any, Any, Any, Any]]) -> None:
        """Add comments to the next `games` games, in any order."""
        nothing = np.zeros(0, np.int64)
        owners, order, ids, chosen = map(np.concatenate, zip((nothing,) * 4, *parts, strict=True))
        untold = self._found.untold
        kept = np.arange(len(order))
        if untold is None or untold.unique:
            # If a position has the same comment twice, the comment is written once.
            kept = np.flatnonzero(arrays.first_rows((chosen, ids, owners), order))
        kept = kept[np.lexsort((order[kept], ids[kept], owners[kept]))]
        self._put(games, owners[kept], ids[kept], chosen[kept])

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


_AT_END: Final = 1 << 40
"""The place in a game's log of comments that come after all other comments."""
_SIMPLE: Final = pattern(r"[A-Za-z0-9 :%,.()\[\]_-]*")
