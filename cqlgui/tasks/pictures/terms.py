"""Narrowings by moves and in pictures as terms of a text, so that a command line narrows as the window does.

    term     = [ "frame:" ] name "=" value
    then     = the moves after the hit, as the tree of moves names them: 1...Kh8 2.Be4
    year, white_elo, black_elo, mean_elo, ply = numbers and ranges, such as 1990-1999|2005, or unknown
    result, volume, opening                   = words of the picture, such as 1-0|1/2-1/2, or unknown
    men      = MEN SQUARES              where men stand: Nn e5 f7
    arrivals = MEN PLIES SQUARES        where men arrive within so many plies after the hit: any 10 e5
    captures = MEN PLIES SQUARES        where men capture within so many plies after the hit
    path     = MEN ORIGIN PLIES SQUARES where the man on a square goes: N f3 10 e5
    matched  = SQUARES                  the squares that matched

Alternatives are separated by `|`. With `frame:` the hits are seen in the query's own frame, and otherwise as
they were played. Men are letters of FEN, or `any`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Final

from cqlgui.base import errors, progress
from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.board import men, squares
from cqlgui.tasks.analysis import continuations, facet_terms
from cqlgui.tasks.pictures import histograms, square_maps
from cqlgui.tasks.results import base_model, search_model

_FRAME: Final = "frame:"
_THEN: Final = "then"
_PATH: Final = "path"
_BARS: Final = {by.name.lower(): by for by in histograms.By}
_MAPS: Final = {
    "men": square_maps.What.MEN,
    "arrivals": square_maps.What.ARRIVALS,
    "captures": square_maps.What.CAPTURES,
    "matched": square_maps.What.RINGED,
}
_NAMES: Final = (_THEN, *_BARS, *_MAPS, _PATH)
_FRAMED: Final = (_THEN, *(by.name.lower() for by in histograms.FRAMED), *_MAPS, _PATH)
_TERM = pattern(r"(?s)(frame:)?([a-z_]+)\s*=(.+)")
_RANGE = pattern(r"(\d{1,9})(?:-(\d{1,9}))?")
_SPACED = pattern(r"(\d\.(?:\.\.)?)\s+")
_MOVE = pattern(r"(?:\d{1,3}\.(\.\.)?)?(\S+)")
_UNKNOWN: Final = "unknown"
_ANY: Final = "any"
_LETTERS: Final = " PNBRQKpnbrqk"
_LONGEST: Final = 20_000

Keep = Callable[[base_model.Base, search_model.SearchResult, progress.CancelToken], search_model.SearchResult]
"""Makes the narrowed result of a base. Raises `CqlguiError` for a base that can no longer be read, and
`errors.Cancelled`."""


@dataclass(frozen=True, slots=True)
class Term:
    """The parts of a term: its name, whether it is about the query's own frame, and its value."""

    name: str
    framed: bool
    value: str


# --- from terms to hits ---


def split(text: str) -> Term:
    """The parts of a term. Raises `TermError` if there is no such term."""
    match = _TERM.fullmatch(text.strip()[:_LONGEST])
    if match is None:
        raise facet_terms.TermError(
            f"“{text[:40]}” is no condition on hits: write it as then=1...Kh8 2.Be4 or year=1990-1999."
        )
    name, framed = match[2], match[1] is not None
    if name not in _NAMES:
        raise facet_terms.TermError(f"There is no condition {name}: known are {', '.join(_NAMES)}.")
    if framed and name not in _FRAMED:
        raise facet_terms.TermError(f"{name} is the same in each frame: write it without “{_FRAME}”.")
    return Term(name, framed, match[3].strip())


def parse(text: str, base: base_model.Base) -> Keep:
    """What a term asks for, in the games of a base. Raises `TermError`."""
    term = split(text)
    if term.name == _THEN:
        return functools.partial(_followed, moves(term.value), term.framed)
    if term.name not in _BARS:
        return _on_board(term)
    by = _BARS[term.name]
    names = () if by in histograms.NUMERIC else histograms.names_of(base, by)
    listed = [one.strip() for one in term.value.split("|")]
    ranges = [_named(term, names, one) if names else _numbers(term, one) for one in listed]
    return functools.partial(_in_bars, by, ranges, term.framed)


def moves(text: str) -> tuple[int, ...]:
    """The numbers of moves that are written as `continuations.numbered` writes them. The move after a move of
    White needs no number. Raises `TermError`."""
    found: list[int] = []
    for word in _SPACED.sub(r"\1", text).split():
        match = _MOVE.fullmatch(word)
        numbered = match is not None and match[2] != word
        black = match is not None and (
            match[1] is not None or (not numbered and bool(found) and not continuations.is_black(found[-1]))
        )
        if match is None or not (numbered or black):
            raise facet_terms.TermError(f"“{word}” needs a number, as in 1.Be4 or 1...Kh8.")
        move = _move_numbers().get(("..." if black else "") + match[2].rstrip("+#"))
        if move is None:
            raise facet_terms.TermError(
                f"“{word}” is no move as the tree of moves names it: Be4, exd5, e8=Q."
            )
        found.append(move)
    if not 0 < len(found) <= continuations.DEEPEST:
        raise facet_terms.TermError(f"{_THEN} takes 1 to {continuations.DEEPEST} moves.")
    return tuple(found)


@functools.cache
def _move_numbers() -> dict[str, int]:
    """The numbers of all moves, by name."""
    # Of numbers with one name, the smallest one is used.
    return {continuations.name(move): move for move in range(continuations.END - 1, -1, -1)}


def _followed(
    path: Sequence[int],
    framed: bool,
    base: base_model.Base,
    result: search_model.SearchResult,
    cancel: progress.CancelToken,
) -> search_model.SearchResult:
    hits = len(result.games.columns)
    if len(path) > continuations.deepest(hits):
        raise errors.CqlguiError(
            f"{hits:,} hits are too many to follow {len(path)} moves. Narrow the search."
        )
    lines = continuations.lines(base, result, len(path), normalised=framed, cancel=cancel)
    return continuations.narrowed(lines, path, result)


def _numbers(term: Term, text: str) -> histograms.Range:
    if text.casefold() == _UNKNOWN:
        return histograms.NO_KEY
    match = _RANGE.fullmatch(text)
    if match is None or int(match[2] or match[1]) < int(match[1]):
        raise facet_terms.TermError(f"“{text[:40]}” is no number and no range for {term.name}, as in 10-19.")
    return int(match[1]), int(match[2] or match[1]) + 1


def _named(term: Term, names: Sequence[str], text: str) -> histograms.Range:
    if text.casefold() == _UNKNOWN:
        return histograms.NO_KEY
    small = [name.casefold() for name in names]
    if text.casefold() not in small:
        raise facet_terms.TermError(facet_terms.unknown(term.name, text, names))
    key = small.index(text.casefold())
    return key, key + 1


def _in_bars(
    by: histograms.By,
    ranges: Sequence[histograms.Range],
    framed: bool,
    base: base_model.Base,
    result: search_model.SearchResult,
    cancel: progress.CancelToken,
) -> search_model.SearchResult:
    if by is histograms.By.PLY and result.variations:
        raise errors.CqlguiError("Variations were searched, and the plies of hits in them are not known.")
    return histograms.having(base, result, by, ranges, normalised=framed, cancel=cancel)


def _on_board(term: Term) -> Keep:
    """What a term about squares asks for."""
    words = term.value.split()
    takes = {"matched": 0, "men": 1, _PATH: 3}.get(term.name, 2)
    given, named = words[:takes], words[takes:]
    wanted = square_maps.ALL_MEN if not takes else _men(given)
    origin = _square(given[1]) if term.name == _PATH and len(given) > 1 else 0
    plies = _plies(given) if takes > 1 else 1
    if not named:
        raise facet_terms.TermError(f"{term.name} names no square.")
    goal = sum(1 << square for square in {_square(word) for word in named})

    def keep(
        base: base_model.Base, result: search_model.SearchResult, cancel: progress.CancelToken
    ) -> search_model.SearchResult:
        if term.name == _PATH:
            way = square_maps.WayChoice(origin, wanted, plies)
            return square_maps.reaching(base, result, way, goal, normalised=term.framed, cancel=cancel)
        choice = square_maps.Choice(_MAPS[term.name], wanted, plies)
        return square_maps.on_squares(base, result, choice, goal, normalised=term.framed, cancel=cancel)

    return keep


def _men(words: Sequence[str]) -> men.ManMask:
    word = words[0] if words else ""
    if word == _ANY:
        return square_maps.ALL_MEN
    if not word or set(word) - set(_LETTERS.strip()):
        raise facet_terms.TermError(f"“{word}” names no men: write letters as in FEN (Nn), or {_ANY}.")
    return sum(1 << _LETTERS.index(letter) for letter in set(word))


def _plies(words: Sequence[str]) -> int:
    word = words[-1] if len(words) > 1 else ""
    match = _RANGE.fullmatch(word)
    if match is None or match[2] or not 0 < int(word) <= square_maps.DEEPEST:
        raise facet_terms.TermError(f"“{word}” is no number of plies from 1 to {square_maps.DEEPEST}.")
    return int(word)


def _square(word: str) -> squares.Square:
    if word not in squares.NAMES:
        raise facet_terms.TermError(f"“{word}” is no square.")
    return squares.NAMES.index(word)


# --- from narrowings to terms ---


def of_moves(path: Sequence[int], *, framed: bool) -> str:
    """The term for hits that are followed by the moves of a path."""
    return _term(_THEN, " ".join(continuations.numbered(path)), framed=framed)


def of_bars(picture: histograms.Histogram, bars: Sequence[histograms.Bar]) -> str:
    """The term for some bars of a histogram; empty if a name of a bar cannot stand in a term."""
    words = [bar.words for bar in bars]
    if any("|" in one for one in words):
        return ""
    name = picture.by.name.lower()
    return _term(name, "|".join(words), framed=picture.normalised and name in _FRAMED)


def of_squares(choice: square_maps.Choice, chosen: Sequence[squares.Square], *, framed: bool) -> str:
    """The term for hits with something on one of the chosen squares of a map."""
    name = next(name for name, what in _MAPS.items() if what is choice.what)
    words = [] if choice.what is square_maps.What.RINGED else [_letters(choice.wanted)]
    if choice.what in (square_maps.What.ARRIVALS, square_maps.What.CAPTURES):
        words.append(str(choice.plies))
    return _term(name, " ".join([*words, *(squares.NAMES[one] for one in chosen)]), framed=framed)


def of_ways(choice: square_maps.WayChoice, chosen: Sequence[squares.Square], *, framed: bool) -> str:
    """The term for hits after which the man reaches one of the chosen squares."""
    words = [_letters(choice.wanted), squares.NAMES[choice.origin], str(choice.plies)]
    return _term(_PATH, " ".join([*words, *(squares.NAMES[one] for one in chosen)]), framed=framed)


def _term(name: str, value: str, *, framed: bool) -> str:
    return f"{_FRAME * framed}{name}={value}"


def _letters(wanted: men.ManMask) -> str:
    if wanted == square_maps.ALL_MEN:
        return _ANY
    return "".join(letter for man, letter in enumerate(_LETTERS) if man and wanted >> man & 1)
