"""Compares names of players in different spellings: `Kasparov, G`, `Garry Kasparov`, `KASPAROV Garri`.

A name without a comma can be read in two ways, because some sources put the surname first. Two names are
compatible if they have the same surname in some reading, and if no initial of a given name contradicts.
"""

from __future__ import annotations

import difflib
import unicodedata
from typing import Final, NamedTuple, TypeAlias

from cqlgui.base import patterns


class Reading(NamedTuple):
    """One way to read a name: the last word of the surname, and the initials of the given names, without case
    and accents."""

    surname: str
    initials: str


Name: TypeAlias = tuple[Reading, ...]
"""All ways to read a name. There are none for an unknown player, and at most two."""

UNKNOWN: Final[Name] = ()


def folded(text: str) -> Name:
    """The name in a tag of a player. Words in brackets, titles and particles such as `van` are left out.

    If the name has a comma, the surname stands before the comma. Otherwise the surname is the last word, the
    last word before initials (`Kasparov G`), or the first word.
    """
    plain = _REMARK.sub(" ", _plain(text))
    before, comma, after = plain.partition(",")
    family, given = _words(before), _words(after)
    if not family or family == ["nn"] or family + given == ["n", "n"]:
        return UNKNOWN
    if any(character.isdigit() for character in plain):
        # The name of a program. Numbers tell its versions apart.
        return (Reading(" ".join([*family, *given]), ""),)
    if comma or len(family) == 1:
        return (_reading(family[-1], given),)
    if len(family[-1]) == 1:
        while len(family) > 1 and len(family[-1]) == 1:
            given.insert(0, family.pop())
        return (_reading(family[-1], [*family[:-1], *given]),)
    last = _reading(family[-1], family[:-1])
    return (last,) if len(family[0]) == 1 else (last, _reading(family[0], family[1:]))


def compatible(one: Name, other: Name, *, alike: bool = False) -> bool:
    """Whether two names may mean the same player. An unknown player may be anybody. With `alike`, the
    surnames may be spelt a little differently (`Korchnoi` and `Kortchnoi`)."""
    if not one or not other:
        return True
    return any(
        (first.surname == second.surname or (alike and _alike(first.surname, second.surname)))
        and all(a == b for a, b in zip(first.initials, second.initials, strict=False))
        for first in one
        for second in other
    )


def _alike(one: str, other: str) -> bool:
    if not one.isalpha() or not other.isalpha():
        # Versions of a program are alike, but they are different players.
        return False
    return difflib.SequenceMatcher(None, one[:_COMPARED], other[:_COMPARED], False).ratio() >= _ALIKE


def _reading(surname: str, given: list[str]) -> Reading:
    return Reading(surname, "".join(word[0] for word in given))


def _plain(text: str) -> str:
    """The text in lower case, with letters of the Latin alphabet in place of their forms with accents, and
    with `u` in place of `ue` and so on, because `ü` has both spellings."""
    plain = text.casefold().translate(_LETTERS)
    if not plain.isascii():
        apart = unicodedata.normalize("NFKD", plain)
        plain = "".join(character for character in apart if not unicodedata.combining(character))
    return _UMLAUT.sub(r"\1", plain)


def _words(text: str) -> list[str]:
    found = _WORD.findall(text)
    kept = [word for word in found if word not in _ADDED]
    return kept or found


_ALIKE: Final = 0.75
"""The share of equal letters from which on two surnames are alike."""
_COMPARED: Final = 40
"""The number of letters that are compared. A tag may be very long."""
_REMARK: Final = patterns.pattern(r"\([^()]*\)|\.")
_WORD: Final = patterns.pattern(r"\w+")
_UMLAUT: Final = patterns.pattern(r"([aou])e")
_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "'": "", "’": "", "`": ""}
)
_ADDED: Final = frozenset(
    (
        *("gm", "im", "fm", "cm", "wgm", "wim", "wfm", "wcm", "jr", "sr", "ii", "iii", "iv"),
        *("van", "von", "der", "den", "de", "del", "di", "da", "dos", "du", "la", "le", "ten", "ter", "el"),
    )
)
"""Titles, additions and particles, which some sources leave out."""
