"""Choices in facets as terms of a text, so that a command line can make the choice of the pane of facets.

    term = facet "=" value       the hits have this value of the facet
         | facet "!=" value      the hits do not have it

Values of the same facet with `=` are alternatives. Everything else must hold together. The names of facets
and values may be written with small or capital letters. A value is named by its words in the pane. A value
that lies in another one is named by both (`C Open games: Spanish: Berlin C65-C67`), or by its own words if no
other value has the same. If several values would have the same name, all but the first have a number as well.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from cqlgui.base import errors
from cqlgui.base.patterns import pattern
from cqlgui.tasks.analysis import attributes as attributes_module
from cqlgui.tasks.analysis import facets
from cqlgui.tasks.results import hit_model

_TERM = pattern(r"(?s)([A-Za-z]+)\s*(!?=)(.+)")
_BAND = pattern(r"(\d{1,6})-(\d{1,6})")
_MOST_NAMED: Final = 12
"""A message about an unknown value names at most so many values."""


class TermError(errors.CqlguiError):
    """A term that cannot be understood, or whose facet or value does not exist. The message says what is
    possible."""


def split(text: str) -> tuple[str, bool, str]:
    """The facet of a term (`facets.FACETS`), whether its value is excluded, and the value as it is written.
    Raises `TermError`."""
    match = _TERM.fullmatch(text.strip())
    if match is None:
        raise TermError(f"“{text}” is no choice in a facet: write it as decade=1990s or result!=1-0.")
    name = next((one for one in facets.FACETS if one.casefold() == match[1].casefold()), None)
    if name is None:
        known = ", ".join(one.lower() for one in facets.FACETS)
        raise TermError(f"There is no facet {match[1]}: known are {known}.")
    return name, match[2] == "!=", match[3].strip()


def parse(
    terms: Iterable[str], known: attributes_module.Attributes, orbits: Sequence[hit_model.Orbit]
) -> facets.Choice:
    """The choice that the terms mean, for hits in the games of `known` of a query with these orbits. Raises
    `TermError`."""
    choice = facets.Choice()
    for text in terms:
        name, excluded, value = split(text)
        key = _key(name, value, known, orbits)
        part = choice.of(name)
        if key in (part.chosen if excluded else part.excluded):
            raise TermError(f"{name.lower()}={value} and {name.lower()}!={value} contradict each other.")
        if key not in (part.excluded if excluded else part.chosen):
            choice = choice.excluding(name, key) if excluded else choice.joined(name, key)
    return choice


def spelt(
    choice: facets.Choice, known: attributes_module.Attributes, orbits: Sequence[hit_model.Orbit]
) -> tuple[str, ...]:
    """The terms that mean a choice. `parse` reads them."""
    return tuple(
        f"{part.name.lower()}{sign}{_spelt(part.name, key, known, orbits)}"
        for part in choice.parts
        for keys, sign in ((part.chosen, "="), (part.excluded, "!="))
        for key in sorted(keys)
    )


def of_element(orbits: Sequence[hit_model.Orbit], orbit: int, element: int) -> str:
    """The term that asks for an element of an orbit."""
    key = sum(len(one.elements) for one in orbits[:orbit]) + element
    return f"{facets.ELEMENT.lower()}={_unique(facets.element_labels(orbits))[key]}"


def _spelt(
    name: str, key: int, known: attributes_module.Attributes, orbits: Sequence[hit_model.Orbit]
) -> str:
    if name == facets.PLAYER:
        return known.names([key])[0]
    if name == facets.PLY:
        return f"{key * facets.PLY_BAND}-{(key + 1) * facets.PLY_BAND - 1}"
    return _unique(_labels(name, known, orbits))[key]


def _key(
    name: str, value: str, known: attributes_module.Attributes, orbits: Sequence[hit_model.Orbit]
) -> int:
    if name == facets.PLY:
        return _band(value)
    if name == facets.PLAYER:
        # Number 0 stands for a missing name.
        keys = np.flatnonzero(known.players).tolist()
        names = words = known.names(keys)
    else:
        labels = _labels(name, known, orbits)
        names, words = _unique(labels), list(labels.words)
        keys = list(range(len(names)))
    if value in names:
        return int(keys[names.index(value)])
    for listed in (names, words):
        small = [one.casefold() for one in listed]
        if small.count(value.casefold()) == 1:
            return int(keys[small.index(value.casefold())])
    raise TermError(unknown(f"the facet {name.lower()}", value, names))


def _band(value: str) -> int:
    match = _BAND.fullmatch(value)
    if match is not None:
        first, last = int(match[1]), int(match[2])
        if first % facets.PLY_BAND == 0 and last == first + facets.PLY_BAND - 1:
            return first // facets.PLY_BAND
    raise TermError(
        f"“{value}” is no value of the facet ply: they are 0-{facets.PLY_BAND - 1}, "
        f"{facets.PLY_BAND}-{2 * facets.PLY_BAND - 1} and so on."
    )


def unknown(whose: str, value: str, names: Sequence[str]) -> str:
    """A message about an unknown value of `whose`, with some of the possible values."""
    message = f"“{value}” is no value of {whose}"
    if not names:
        return f"{message}: it has none here."
    if len(names) <= _MOST_NAMED:
        return f"{message}: they are {', '.join(names)}."
    import difflib

    by_small = {one.casefold(): one for one in names}
    inside = sorted((one for small, one in by_small.items() if value.casefold() in small), key=len)
    near = inside[:3] or [by_small[one] for one in difflib.get_close_matches(value.casefold(), by_small, 3)]
    some = ", ".join(names[:_MOST_NAMED])
    return f"{message}. Did you mean {' or '.join(near)}?" if near else f"{message}; some of them are {some}."


def _labels(
    name: str, known: attributes_module.Attributes, orbits: Sequence[hit_model.Orbit]
) -> attributes_module.Labels:
    if name == facets.ELEMENT:
        return facets.element_labels(orbits)
    return facets.PHASE_LABELS if name == facets.PHASE else facets.attribute(known, name).labels


def _unique(labels: attributes_module.Labels) -> list[str]:
    """A name for each value that no other value has."""
    paths = [""] * len(labels.words)
    # A parent has a larger number than what it contains.
    for key in range(len(paths) - 1, -1, -1):
        above = labels.parents[key]
        inside = above != attributes_module.NO_PARENT
        paths[key] = f"{paths[above]}: {labels.words[key]}" if inside else labels.words[key]
    met: collections.Counter[str] = collections.Counter()
    taken = set(paths)
    found = []
    for path in paths:
        met[path] += 1
        name = path
        if met[path] > 1:
            number = met[path]
            while f"{path} ({number})" in taken:
                number += 1
            name = f"{path} ({number})"
            met[path] = number
        taken.add(name)
        found.append(name)
    return found
