"""Parses the filter line of a list of games into terms on the catalog's columns.

    filter = term*                          all terms must hold
    term   = "-" term                       the term must not hold
           | word | "words in quotes"       stands in one of the texts of a game
           | field (: | =) word             stands in the text of that field; quotes as above
           | number (: | =) range           the number is in the range
           | number (< | <= | > | >=) digits
    range  = digits | digits-digits | digits- | -digits

Text fields are white, black, player (White or Black), event, site, round, date, result, eco, opening (the
name of the opening) and file (the name of the file). For eco, `B20-B29` is a range. Number fields are elo (of
either player), whiteelo, blackelo, year and plies. Case is ignored (see `base.folding`). There may be spaces
around a sign such as `>`. Ranges and results may be written with other dashes, and results with `½`. This
module uses no database and no window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from cqlgui.base import errors
from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern

PLAIN: Final = ("white", "black", "event", "site", "date", "eco", "result")
"""The columns that are searched for a word without a field."""
TEXTS: Final = {
    "white": ("white",),
    "black": ("black",),
    "player": ("white", "black"),
    "event": ("event",),
    "site": ("site",),
    "round": ("round",),
    "date": ("date",),
    "result": ("result",),
    "eco": ("eco",),
    "opening": ("opening",),
}
"""The columns of each text field. There is no column `opening`: an opening has its name from the code in the
column `eco`, or from the tags of the game."""
NUMBERS: Final = {
    "elo": ("white_elo", "black_elo"),
    "whiteelo": ("white_elo",),
    "blackelo": ("black_elo",),
    "year": ("date",),
    "plies": ("plies",),
}
"""The columns of each number field; a year is the beginning of a date."""
FILE: Final = "file"
"""The field for the names of files. The catalog has no such column."""
FIELDS: Final = (*TEXTS, FILE, *NUMBERS)
HIGHEST: Final = 2**31 - 1

_DASH: Final = "[-\u2010-\u2015\u2212]"
"""A hyphen, a dash or a minus sign."""
_TERM = pattern(
    rf'({_DASH}(?=\S))?(?:([A-Za-z_]+)\s*(<=|>=|[:=<>])\s*(\d+\s+{_DASH}\s+\d+(?!\S))?)?("[^"]*"?|[^\s"]*)'
)
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„«»", '"'))
"""Quotation marks that a text field of another program may have put in."""
_RANGE = pattern(rf"(\d{{0,9}})({_DASH}?)(\d{{0,9}})")
_CODES = pattern(rf"([A-Ea-e]\d{{0,2}})?{_DASH}([A-Ea-e]\d{{0,2}})?")
_RESULT = pattern(rf"([01½]|1/2)(?:{_DASH}([01½]|1/2))?")


WORDS_FOR: Final = {
    "white": "as White",
    "black": "as Black",
    "player": "as a player",
    "event": "as event",
    "site": "as site",
    "round": "as round",
    "date": "as date",
    "result": "as result",
    "eco": "as ECO code",
    "opening": "as opening",
    FILE: "in the name of its file",
}


class FilterError(errors.CqlguiError):
    """A filter that cannot be understood, or that names a text that no game has. The message says what is
    possible."""


@dataclass(frozen=True, slots=True)
class Words:
    """A term: `text` occurs in one of the columns."""

    columns: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """A term: the number in one of the columns is at least `low` and at most `high`. A missing number meets
    no condition."""

    columns: tuple[str, ...]
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Years:
    """A term: the game was played in one of the years from `low` to `high`."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Codes:
    """A term: the ECO code is between `low` and `high`. Both bounds are in capital letters. A bound may be
    only the beginning of a code."""

    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Files:
    """A term: `text` occurs in the name of the game's file. The catalog does not decide this term."""

    text: str


OfColumns = Words | Numbers | Years | Codes
Condition = OfColumns | Files


@dataclass(frozen=True, slots=True)
class Term:
    """A condition that must hold, or must not hold if it is `negated`."""

    condition: Condition
    negated: bool = False


LONGEST: Final = 10_000
"""Greatest number of letters in a filter. SQLite refuses much longer ones."""
_SURROGATE: Final = pattern("[\ud800-\udfff]")


class Word(NamedTuple):
    """A word of a filter as it stands in the text. Without a field, `field` and `sign` are empty."""

    negated: bool
    field: str
    sign: str
    value: str


def words(text: str) -> Iterator[Word]:
    """The words of a filter; raises the same errors as `pieces`."""
    return (word for _, word in pieces(text))


def pieces(text: str) -> Iterator[tuple[str, Word]]:
    """The words of a filter, each behind the piece of the text that means it alone. Raises `FilterError` for
    a minus sign that stands alone, for a text that is longer than `LONGEST`, and for one that cannot be
    written in UTF-8."""
    if len(text) > LONGEST:
        raise FilterError(f"These conditions have {len(text):,} letters, and at most {LONGEST:,} are read.")
    broken = _SURROGATE.search(text)
    if broken is not None:
        raise FilterError(f"The conditions are not valid text (UTF-8) at character {broken.start() + 1}.")
    text = text.translate(_QUOTES)
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = _TERM.match(text, place)
        assert match is not None
        if match.end() == place:
            # The pattern does not match at a quotation mark within a word. This quotation mark is skipped.
            place += 1
            continue
        place = match.end()
        # A range may have spaces around its dash.
        value = "".join(match[4].split()) if match[4] else match[5].strip('"')
        if match[2] is None and match[5] == "-":
            raise FilterError("A minus sign stands directly before what must not hold, as in -result:1-0.")
        if match[2] is None and not value:
            raise FilterError('A text stands between quotation marks, as in "wijk aan zee".')
        if match[2] is not None or value:
            yield match[0], Word(match[1] is not None, match[2] or "", match[3] or "", value)


def parse(text: str) -> tuple[Term, ...]:
    """The terms of a filter. Raises `FilterError` for an unknown field and for an invalid value."""
    return tuple(Term(condition(word), word.negated) for word in words(text))


def condition(word: Word) -> Condition:
    """The condition that a word of a filter means. Raises the same errors as `parse`."""
    _, field, sign, value = word
    if not field:
        return Words(PLAIN, _usual_result(value))
    # The columns of tables are called white_elo and black_elo.
    name = field.lower().replace("_", "")
    if name in TEXTS or name == FILE:
        if sign not in ":=" or not value:
            raise FilterError(f"{name} takes a text, as in {name}:{_EXAMPLES.get(name, 'carlsen')}.")
        if name == FILE:
            return Files(value)
        codes = _CODES.fullmatch(value) if name == "eco" else None
        if codes is not None and (codes[1] or codes[2]):
            low, high = (codes[1] or "A").upper(), (codes[2] or "E").upper()
            if low[: len(high)] > high:
                raise FilterError(f"{name}:{value} goes from the later code to the earlier one.")
            return Codes(low, high)
        if name == "result":
            # Some files have the tag `1/2` for a draw.
            value = _usual_result(value).replace("1/2-1/2", "1/2")
        return Words(TEXTS[name], value)
    if name in NUMBERS:
        low, high = _bounds(name, sign, value)
        return Years(low, high) if name == "year" else Numbers(NUMBERS[name], low, high)
    known = ", ".join(FIELDS)
    raise FilterError(
        f"There is no field {field}: known are {known}. Quotes make it a plain text. Only "
        "`cqlgui import --games` asks for other tags."
    )


_EXAMPLES: Final = {
    "event": "wijk",
    "site": "london",
    "round": "7",
    "date": "1999.12",
    "result": "1-0",
    "eco": "B90",
    "opening": "najdorf",
    "year": "1990-2000",
    "plies": "80",
    FILE: "games.pgn",
}


def _usual_result(value: str) -> str:
    """A result with the signs of PGN; any other text as it is."""
    match = _RESULT.fullmatch(value)
    if match is None:
        return value
    return "-".join(part.replace("½", "1/2") for part in match.groups() if part)


def _bounds(name: str, sign: str, value: str) -> tuple[int, int]:
    """The least and the greatest number that a term allows."""
    match = _RANGE.fullmatch(value)
    if match is None or not (match[1] or match[3]) or (sign not in ":=" and not value.isdigit()):
        rough = f"{name}>{_ROUGH.get(name, 2600)}"
        example = f"{name}:{_EXAMPLES.get(name, '2500-2700')}"
        raise FilterError(f"{name} takes a number or a range, as in {rough} or {example}.")
    if sign in ":=":
        low = int(match[1] or 0)
        high = int(match[3] or HIGHEST) if match[2] else low
        if low > high:
            raise FilterError(f"{name}:{value} goes from the greater number to the less one.")
        return low, high
    number = int(value)
    return {
        "<": (0, number - 1),
        "<=": (0, number),
        ">": (number + 1, HIGHEST),
        ">=": (number, HIGHEST),
    }[sign]


_ROUGH: Final = {"year": 1990, "plies": 80}


def unknown(term: Words | Files, near: str) -> str:
    """The sentence that says that no game has the text of a term. `near` is a text that games have; it may be
    empty."""
    if isinstance(term, Files):
        field = FILE
    else:
        field = next((name for name, columns in TEXTS.items() if columns == term.columns), "")
    where = WORDS_FOR.get(field, "in players, event, site, date, ECO code or result")
    hint = f" Did you mean {near}?" if near else ""
    return f"No game has “{term.text}” {where}.{hint}"
