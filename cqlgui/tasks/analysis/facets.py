"""Facets of a result: the values that its hits have, with counts, and the hits that have chosen values.

The counts of a facet follow the choices in all other facets, so that a user sees what each further value of
this facet would give.

Phases are defined by the board and the ply. The *endgame* begins when at most 12 men are left, kings and
pawns included. Before that, the first 24 plies of a game (12 moves of each side) are the *opening*, and the
rest is the *middlegame*.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from cqlgui.base import arrays, errors, priority, progress
from cqlgui.base.data import dataclass
from cqlgui.cql.transforming import words as transform_words
from cqlgui.engine.kernels import material
from cqlgui.engine.passes import orbit_pass
from cqlgui.jit import native
from cqlgui.tasks.analysis import attributes as attributes_module
from cqlgui.tasks.analysis import frames
from cqlgui.tasks.analysis.attributes import NO_PARENT, Attribute, Attributes, Labels
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import hit_model, search_model
from cqlgui.tasks.results.found import Columns, Integers, Mask
from cqlgui.tasks.search import narrowing

ELEMENT, RESULT, DECADE, RATING, OPENING = "Element", "Result", "Decade", "Rating", "Opening"
PHASE, PLY, PLAYER, FILE = "Phase", "Ply", "Player", "File"
FACETS: Final = (ELEMENT, RESULT, DECADE, RATING, OPENING, PHASE, PLY, PLAYER, FILE)
"""The facets in the order of a list. A facet is left out of the counts if it can say nothing."""
PLY_BAND: Final = 20
OPENING_PLIES: Final = 24
ENDGAME_MEN: Final = 12
MOST_PLAYERS: Final = 50
"""The players with the most games are listed, at most so many."""
_PHASES: Final = ("opening", "middlegame", "endgame", attributes_module.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a facet with the numbers of games and hits that have this value. `parent` is the key of
    the value that contains this one, or `attributes.NO_PARENT`. `note` says more than the words, if there is
    more to say."""

    key: int
    words: str
    games: int
    positions: int
    parent: int = NO_PARENT
    note: str = ""


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet with those of its values that are listed. `others` is the number of values that hits have but
    that are not listed."""

    name: str
    values: tuple[Value, ...]
    others: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """The choice in one facet: hits must have one of the `chosen` values, if there are any, and none of the
    `excluded` values."""

    name: str
    chosen: frozenset[int] = frozenset()
    excluded: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Choice:
    """Chosen and excluded values of facets, in the order in which their facets were first used. A value is
    named by its facet and its key."""

    parts: tuple[Part, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.parts)

    def of(self, name: str) -> Part:
        """The choice in a facet."""
        return next((part for part in self.parts if part.name == name), Part(name))

    def alone(self, name: str, key: int) -> Choice:
        """With this value as the only chosen value of its facet; without it if it is that already."""
        wanted = Part(name, frozenset({key}))
        return self._with(Part(name) if self.of(name) == wanted else wanted)

    def joined(self, name: str, key: int) -> Choice:
        """With this value among the chosen values of its facet; without it if it is chosen already."""
        part = self.of(name)
        return self._with(Part(name, part.chosen ^ {key}, part.excluded - {key}))

    def excluding(self, name: str, key: int) -> Choice:
        """With this value among the excluded values of its facet; without it if it is excluded already."""
        part = self.of(name)
        return self._with(Part(name, part.chosen - {key}, part.excluded ^ {key}))

    def dropping(self, name: str, key: int) -> Choice:
        """Without this value."""
        part = self.of(name)
        return self._with(Part(name, part.chosen - {key}, part.excluded - {key}))

    def _with(self, part: Part) -> Choice:
        parts = [part if one.name == part.name else one for one in self.parts]
        if part not in parts:
            parts.append(part)
        return Choice(tuple(one for one in parts if one.chosen or one.excluded))


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A result with what its facets need. `games` are the matching games in the order of the hits, each with
    the index of its first hit and its number of hits; games that match without a hit come last. `owners` has
    the index into `games` for each hit. `phases` and `bands` have the phase and the band of plies of each
    hit; they are None if they are unknown. `elements` has the number of each element that matched, hit after
    hit, and `element_hits` the index of its hit; elements are numbered through all orbits."""

    result: search_model.SearchResult
    attributes: Attributes
    games: Integers
    starts: Integers
    sizes: Integers
    owners: np.ndarray
    phases: np.ndarray | None
    bands: np.ndarray | None
    elements: np.ndarray
    element_hits: np.ndarray

    @property
    def hits(self) -> int:
        """The number of hits."""
        return len(self.owners)


def sheet(
    attributes: Attributes, result: search_model.SearchResult, *, cancel: progress.CancelToken | None = None
) -> Sheet:
    """Prepare a result for facets. Reads the games that have hits, which takes about a second for a million
    hits. Raises `CqlguiError` for a base that can no longer be read, and `errors.Cancelled`."""
    columns = result.games.columns
    starts = found_module.first_hits(columns.hits)
    sizes = np.diff(np.append(starts, len(columns)))
    games = columns.hits[starts] >> found_module.GAME_SHIFT
    bare = np.array([game for game, hits in result.games.told.items() if not hits.hits], np.int64)
    nothing = np.zeros(len(bare), np.int64)
    phases, bands = _standing(attributes, result, cancel or progress.CancelToken())
    return Sheet(
        result,
        attributes,
        # The import may have added games since the attributes were read.
        np.minimum(np.concatenate([games, bare]), len(attributes.white) - 1),
        np.concatenate([starts, nothing + len(columns)]),
        np.concatenate([sizes, nothing]),
        arrays.repeated(np.arange(len(games), dtype=np.int32), sizes),
        phases,
        bands,
        _numbers(columns.codes, result.orbits),
        arrays.repeated(np.arange(len(columns), dtype=np.int32), np.diff(columns.ends, prepend=0))
        if len(columns.codes)
        else np.zeros(0, np.int32),
    )


def _numbers(codes: np.ndarray, orbits: Sequence[hit_model.Orbit]) -> np.ndarray:
    """The number of each element, which is given by its code, through all orbits."""
    if len(orbits) < 2:
        # The orbit's number is 0, so the code is the number.
        return codes
    shifts = np.cumsum([0, *(len(orbit.elements) for orbit in orbits[:-1])], dtype=np.int32)
    found: np.ndarray = shifts[codes >> orbit_pass.ELEMENT_BITS]
    found += codes & (1 << orbit_pass.ELEMENT_BITS) - 1
    return found


def _standing(
    attributes: Attributes, result: search_model.SearchResult, cancel: progress.CancelToken
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The phase and the band of plies of each hit. Without machine code the men on the board are not counted,
    because that would take minutes."""
    columns = result.games.columns
    if not native.available():
        plies = columns.hits & found_module.PLACE_MASK
        # A positionid in a variation is not a ply.
        return None, None if result.variations else (plies // PLY_BAND).astype(np.int16)
    phases = np.empty(len(columns), np.int8)
    bands = np.empty(len(columns), np.int16)
    for part in frames.parts(attributes.base, columns):
        cancel.raise_if_cancelled()
        here = slice(part.begin, part.end)
        men, plies = material.men_and_plies(part.asked, part.hits, variations=result.variations)
        phases[here] = _phase(men, plies)
        bands[here] = np.maximum(plies, 0) // PLY_BAND
    return phases, bands


def _phase(men: Integers, plies: Integers) -> Integers:
    found = np.where(plies < OPENING_PLIES, 0, 1)
    found[men <= ENDGAME_MEN] = 2
    found[men == material.UNKNOWN] = 3
    return found


def counts(known: Sheet, choice: Choice = Choice()) -> tuple[Facet, ...]:  # noqa: B008  # immutable
    """The facets of a result. The counts of each facet are those of the hits that meet the choices in all
    other facets. A flat facet lists all values of the whole result, also those that have no hits left."""
    state = _Counting(known, choice)
    found = (_facet(state, name) for name in FACETS)
    return tuple(facet for facet in found if facet is not None)


def size(known: Sheet, choice: Choice) -> tuple[int, int]:
    """The numbers of games and of hits that meet a choice."""
    state = _Counting(known, choice)
    games, hits = state.games_but(""), state.hits_of_games
    if state.hit_masks:
        games &= hits > 0
    return int(np.count_nonzero(games)), int(hits[games].sum())


def narrowed(known: Sheet, choice: Choice) -> search_model.SearchResult:
    """The hits that meet a choice. A game that matches without a hit is kept if all choices are about whole
    games. Raises `CqlguiError` for a choice of phases or plies that are not known without machine code."""
    if not choice:
        return known.result
    state = _Counting(known, choice)
    games = state.games_but("")
    hits = arrays.repeated(games, known.sizes) & state.hits_but("")
    bare: dict[int, hit_model.GameHits] = {}
    if not state.hit_masks:
        bare = {
            game: known.result.games.told[game] for game in known.games[games & (known.sizes == 0)].tolist()
        }
    return narrowing.kept(known.result, hits, bare)


def words(known: Sheet, choice: Choice) -> str:
    """A choice in words: `1-0 or 1/2-1/2, not 1990s, ply 20-39`."""
    said = []
    for part in choice.parts:
        chosen, excluded = (
            " or ".join(value_words(known, part.name, key) for key in sorted(keys))
            for keys in (part.chosen, part.excluded)
        )
        said += [chosen] if chosen else []
        said += [f"not {excluded}"] if excluded else []
    return ", ".join(said)


def value_words(known: Sheet, name: str, key: int) -> str:
    """A value in words that can be understood without the name of its facet."""
    if name == PLAYER:
        return known.attributes.names([key])[0]
    labels = _labels(known, name)
    text = labels.words[key]
    if name in (RATING, PLY) or text in (attributes_module.UNKNOWN, "*") or (name == PHASE and key == 0):
        return f"{name.lower()} {text}"
    above = labels.parents[key]
    if name == OPENING and above != NO_PARENT and labels.parents[above] != NO_PARENT:
        return f"{labels.words[above]}: {text}"
    return text


@functools.lru_cache(8)
def _ply_labels(bands: int) -> Labels:
    return Labels.flat([f"{band * PLY_BAND}-{(band + 1) * PLY_BAND - 1}" for band in range(bands)])


def _labels(known: Sheet, name: str) -> Labels:
    match name:
        case "Element":
            return element_labels(known.result.orbits)
        case "Phase":
            return PHASE_LABELS
        case "Ply":
            assert known.bands is not None
            return _ply_labels(int(known.bands.max(initial=0)) + 1)
        case _:
            return attribute(known.attributes, name).labels


PHASE_LABELS: Final = Labels.flat(
    _PHASES,
    (
        f"the first {OPENING_PLIES} plies, with more than {ENDGAME_MEN} men on the board",
        f"from ply {OPENING_PLIES} on, with more than {ENDGAME_MEN} men on the board",
        f"at most {ENDGAME_MEN} men on the board",
        "",
    ),
)


def element_labels(orbits: Sequence[hit_model.Orbit]) -> Labels:
    """The elements of all orbits, one after another. If there are several orbits, the words name the
    transform of each."""
    several = len(orbits) > 1
    listed = [
        (f"{orbit.transform}: {element.words}" if several else element.words, element.transform)
        for orbit in orbits
        for element in orbit.elements
    ]
    return Labels.flat([text for text, _ in listed], [note for _, note in listed])


def attribute(found: Attributes, name: str) -> Attribute:
    """The attribute that a facet of games shows. There is none for the facet of players."""
    return {
        RESULT: found.result,
        DECADE: found.decade,
        RATING: found.rating,
        OPENING: found.opening,
        FILE: found.file,
    }[name]


_OF_HITS: Final = (ELEMENT, PHASE, PLY)
"""The facets that hits of one game may have different values of."""


class _Counting:
    """The masks of a choice: one for each facet with a choice, over the games or over the hits of a sheet."""

    def __init__(self, known: Sheet, choice: Choice) -> None:
        self.known = known
        self.choice = choice
        self.game_masks: dict[str, Mask] = {}
        self.hit_masks: dict[str, Mask] = {}
        for part in choice.parts:
            priority.pause()
            if part.name in _OF_HITS:
                self.hit_masks[part.name] = _hit_mask(known, part)
            else:
                self.game_masks[part.name] = _game_mask(known, part)
        self._left: dict[str, tuple[Mask, np.ndarray]] = {}

    def games_but(self, name: str) -> Mask:
        """The games that meet the choices in all facets of games but one."""
        return _all(self.game_masks, name, len(self.known.games))

    def hits_but(self, name: str) -> Mask:
        """The hits that meet the choices in all facets of hits but one."""
        return _all(self.hit_masks, name, self.known.hits)

    def hits_for(self, name: str) -> tuple[Mask, np.ndarray]:
        """The hits that meet the choices in all facets but one, which is a facet of hits, and the owners of
        these hits."""
        # Most facets have no choice, and share these arrays.
        own = name if name in self.hit_masks else ""
        if own not in self._left:
            mask, owners = self.hits_but(own), self.known.owners
            if self.game_masks:
                mask &= arrays.repeated(self.games_but(""), self.known.sizes)
            parts = [owners[here][mask[here]] for here in _blocks(len(mask))]
            self._left[own] = mask, np.concatenate(parts) if parts else owners
        return self._left[own]

    @functools.cached_property
    def hits_of_games(self) -> Integers:
        """For each game, the number of hits that meet the choices in the facets of hits."""
        if not self.hit_masks:
            return self.known.sizes
        passed = np.zeros(self.known.hits + 1, np.int64)
        np.cumsum(self.hits_but(""), out=passed[1:])
        found: Integers = passed[self.known.starts + self.known.sizes] - passed[self.known.starts]
        return found


def _all(masks: Mapping[str, Mask], name: str, length: int) -> Mask:
    """What all masks but one have in common."""
    found = np.ones(length, np.bool_)
    for other, mask in masks.items():
        if other != name:
            found &= mask
    return found


def _chosen_keys(labels: Labels, keys: Iterable[int]) -> Mask:
    """A mask of values: the values `keys`, and all values that these contain."""
    found = np.zeros(len(labels.words), np.bool_)
    # A band of plies that no hit reaches has no label.
    found[[key for key in keys if key < len(found)]] = True
    # A parent has a larger number than what it contains.
    for key in range(len(found) - 1, -1, -1):
        if labels.parents[key] != NO_PARENT and found[labels.parents[key]]:
            found[key] = True
    return found


def _allowed(labels: Labels, part: Part) -> Mask:
    """A mask of the values that a choice allows."""
    allowed = _chosen_keys(labels, part.chosen) if part.chosen else np.ones(len(labels.words), np.bool_)
    allowed &= ~_chosen_keys(labels, part.excluded)
    return allowed


def _game_mask(known: Sheet, part: Part) -> Mask:
    if part.name != PLAYER:
        own = attribute(known.attributes, part.name)
        return _allowed(own.labels, part)[own.of_games[known.games]]
    white, black = known.attributes.white[known.games], known.attributes.black[known.games]
    mask = np.ones(len(known.games), np.bool_)
    if part.chosen:
        mask = _among(white, part.chosen) | _among(black, part.chosen)
    if part.excluded:
        mask &= ~(_among(white, part.excluded) | _among(black, part.excluded))
    return mask


def _among(column: Integers, keys: Iterable[int]) -> Mask:
    found = np.zeros(len(column), np.bool_)
    for key in keys:
        found |= column == key
    return found


def _hit_mask(known: Sheet, part: Part) -> Mask:
    if part.name != ELEMENT:
        labels = _labels(known, part.name)
        keys = _keys(known, part.name)
        if keys is None:
            raise errors.CqlguiError(
                f"Without machine code, hits cannot be chosen by {part.name.lower()} here."
            )
        allowed = _allowed(labels, part)
        chosen = np.empty(known.hits, np.bool_)
        for here in _blocks(known.hits):
            chosen[here] = allowed[keys[here]]
        return chosen
    mask = np.ones(known.hits, np.bool_)
    if part.chosen:
        mask = _with_element(known, part.chosen)
    if part.excluded:
        mask &= ~_with_element(known, part.excluded)
    return mask


def _with_element(known: Sheet, keys: Iterable[int]) -> Mask:
    """The hits where one of some elements matched."""
    mask = np.zeros(known.hits, np.bool_)
    wanted = list(keys)
    for here in _blocks(len(known.elements)):
        for key in wanted:
            mask[known.element_hits[here][known.elements[here] == key]] = True
    return mask


def _keys(known: Sheet, name: str) -> np.ndarray | None:
    """The value of each hit in the facet of phases or plies."""
    return known.bands if name == PLY else known.phases


def _facet(state: _Counting, name: str) -> Facet | None:
    """A facet with its counts; None if it says nothing about the hits."""
    priority.pause()
    known = state.known
    if not len(known.games):
        return None
    if name == PLAYER:
        return _players(state)
    if name == FILE and len(known.attributes.base.sources) < 2:
        return None
    if name == ELEMENT:
        return _elements(state)
    keys: np.ndarray | None
    if name in _OF_HITS:
        keys = _keys(known, name)
        if keys is None or not known.hits:
            return None
        labels = _labels(known, name)
        games, hits = _of_hits(state, name, keys, len(labels.words))
    else:
        keys = attribute(known.attributes, name).of_games[known.games]
        labels = _labels(known, name)
        games, hits = _of_games(state, name, keys, len(labels.words))
    for key, parent in enumerate(labels.parents):
        if parent != NO_PARENT:
            games[parent] += games[key]
            hits[parent] += hits[key]
    if name == OPENING:
        # There may be a hundred openings, so only those that have games left are listed.
        met = games > 0
        part = state.choice.of(name)
        for key in (*part.chosen, *part.excluded):
            while key != NO_PARENT:
                met[key] = True
                key = labels.parents[key]
    else:
        met = _met(keys, len(labels.words))
    return Facet(
        name,
        tuple(
            Value(
                key,
                labels.words[key],
                int(games[key]),
                int(hits[key]),
                labels.parents[key],
                labels.note(key),
            )
            for key in np.flatnonzero(met).tolist()
        ),
    )


def _met(keys: np.ndarray, length: int) -> Mask:
    """Which of the numbers from 0 to `length` - 1 occur."""
    met = np.zeros(length, np.bool_)
    for here in _blocks(len(keys)):
        met[keys[here]] = True
    return met


def _of_games(state: _Counting, name: str, keys: Integers, length: int) -> tuple[Integers, Integers]:
    """The numbers of games and of hits for each value of a facet of games. `keys` has the value of each
    game."""
    hits = state.hits_of_games
    mask = state.games_but(name)
    if state.hit_masks:
        mask &= hits > 0
    left = keys[mask]
    games = np.bincount(left, minlength=length).astype(np.int64)
    weights = np.bincount(left, hits[mask], length).astype(np.int64)
    return games, weights


def _of_hits(state: _Counting, name: str, keys: np.ndarray, length: int) -> tuple[Integers, Integers]:
    """The numbers of games and of hits for each value of the facet of phases or plies. `keys` has the value
    of each hit."""
    mask, owners = state.hits_for(name)
    hits = np.zeros(length, np.int64)
    met = np.zeros(len(state.known.games) * length, np.bool_)
    at = 0
    for here in _blocks(len(keys)):
        left = keys[here][mask[here]].astype(np.int64)
        hits += np.bincount(left, minlength=length)
        left += owners[at : at + len(left)] * np.int64(length)
        met[left] = True
        at += len(left)
    return np.count_nonzero(met.reshape(-1, length), axis=0).astype(np.int64), hits


def _blocks(length: int) -> Iterator[slice]:
    """The parts of an array of hits or elements that are handled together. NumPy holds the interpreter lock
    while it picks values, and a longer part would block the window."""
    for begin in range(0, length, _TOGETHER):
        priority.pause()
        yield slice(begin, min(begin + _TOGETHER, length))


_TOGETHER: Final = 1 << 18


def _elements(state: _Counting) -> Facet | None:
    known = state.known
    orbits = known.result.orbits
    if sum(len(orbit.elements) for orbit in orbits) < 2 or not len(known.result.games.columns.codes):
        return None
    labels = element_labels(orbits)
    if {*state.game_masks, *state.hit_masks} - {ELEMENT}:
        table = _count_elements(known, state.hits_for(ELEMENT)[0], len(labels.words))
    else:
        table = [(one.games, one.positions) for orbit in orbits for one in orbit.elements]
    met = [one.positions > 0 for orbit in orbits for one in orbit.elements]
    values = [
        Value(key, labels.words[key], games, hits, note=labels.note(key))
        for key, (games, hits) in enumerate(table)
        if met[key]
    ]
    # The element as written comes first, then those with the most hits in the whole result.
    whole = [one.positions for orbit in orbits for one in orbit.elements]
    values.sort(key=lambda one: (one.note != transform_words.AS_WRITTEN, -whole[one.key], one.key))
    return Facet(ELEMENT, tuple(values))


def _count_elements(known: Sheet, mask: Mask, count: int) -> list[tuple[int, int]]:
    """The numbers of games and of hits for each element among the hits of a mask."""
    if len(known.games) * count > _LARGEST_TABLE:
        columns = known.result.games.columns
        plain = Columns(columns.hits, columns.ends, columns.codes).take(mask)
        sizes = [len(orbit.elements) for orbit in known.result.orbits]
        return [(games, hits) for games, hits in found_module.counts(plain, sizes).tolist()]
    hits = np.zeros(count, np.int64)
    met = np.zeros(len(known.games) * count, np.bool_)
    for here in _blocks(len(known.elements)):
        places = known.element_hits[here]
        inside = mask[places]
        elements = known.elements[here][inside].astype(np.int64)
        hits += np.bincount(elements, minlength=count)
        met[known.owners[places[inside]] * np.int64(count) + elements] = True
    games = np.count_nonzero(met.reshape(-1, count), axis=0)
    return list(zip(games.tolist(), hits.tolist(), strict=True))


_LARGEST_TABLE: Final = 1 << 24
"""Maximum size in bytes of the table of games and elements. Larger ones are counted in parts."""


def _players(state: _Counting) -> Facet | None:
    """The players with the most games, whatever their colour, and all chosen and excluded players."""
    known = state.known
    white, black = known.attributes.white[known.games], known.attributes.black[known.games]
    count = len(known.attributes.players)
    games, hits = _of_games(state, PLAYER, white, count)
    # A game of a player against himself counts once.
    others = np.where(white == black, count, black)
    more = _of_games(state, PLAYER, others, count + 1)
    games, hits = games + more[0][:count], hits + more[1][:count]
    met = np.flatnonzero(games)
    # The name that stands for a missing name is no player.
    met = met[known.attributes.players[met] > 0]
    part = state.choice.of(PLAYER)
    order = met[np.lexsort((-hits[met], -games[met]))]
    shown = order[:MOST_PLAYERS].tolist()
    shown += sorted({*part.chosen, *part.excluded} - {*shown})
    if not shown:
        return None
    names = known.attributes.names(shown)
    values = (
        Value(key, name, int(games[key]), int(hits[key])) for key, name in zip(shown, names, strict=True)
    )
    return Facet(PLAYER, tuple(values), max(0, len(order) - MOST_PLAYERS))
