"""Named sets of hits, and what changed between two results, such as two runs of one query.

A game of one base is found in another base, or in the same base after it has changed, as follows. If a file
has the same text in both bases, its games are those at the same places. Other games are compared by White,
Black, event, site, date, round and result, and by their moves, ratings and length. Of several games that
agree in all of these, the first is taken for the first, the second for the second, and so on. Of the games
that are left, two are one game that was changed if no third game has their tags.
"""

from __future__ import annotations

import hashlib
import re
import uuid
import zlib
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from cqlgui.base import arrays, data, errors, progress
from cqlgui.base.data import dataclass, field
from cqlgui.cql.ast import nodes, nodes_facts, nodes_studies
from cqlgui.db import headers
from cqlgui.store import segments
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import sources, workspace
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Columns, FoundGames, Integers
from cqlgui.tasks.search import narrowing

Prints = npt.NDArray[np.uint64]
Truths = npt.NDArray[np.bool_]

MOST_SETS: Final = 40
"""Maximum of named sets. No further set is kept then, because a set that the user kept must not disappear."""
MOST_RUNS: Final = 24
"""Maximum of queries whose last run is remembered."""
MOST_HITS: Final = 20_000_000
"""Maximum of hits in all named sets. A hit takes about 16 bytes."""
MOST_RUN_HITS: Final = 4_000_000
"""Maximum of hits in all remembered runs, and in all dropped sets that can be brought back. They are fewer,
because nobody asked to keep them."""
GONE: Final = 0
"""Stands for a game that is no longer in the base. Games are numbered from 1."""
_DROP: Final = "Drop one first (Delete)."
_TEXTS: Final = ("white", "black", "event", "site", "date", "round", "result")
_CONTENT_BITS: Final = np.uint64(24)
"""Number of bits of a fingerprint that are made from the moves and the other content of a game."""
_WORD: Final = (1 << 32) - 1
_READING: Final = (
    nodes_facts.CommandNumber | nodes_facts.Glyph | nodes_facts.OriginalComment | nodes_facts.Tag
    | nodes_studies.Study | nodes_studies.StudyAward | nodes_studies.StudySort
)  # fmt: skip
"""The filters that read comments, glyphs or any tag."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedSet:
    """A result under a name, with the base and the time of its search (seconds since 1970). `prints` are the
    fingerprints of the games of the base (`fingerprints`), 0 where they are unknown. Without them a set can
    be compared only with sets of the same base. `alone` says for each game whether no other game of the base
    has its tags (`alone_of`). It is needed if some fingerprints are unknown. `whole` says whether the result
    is all that the query found in the base. `lost` says why the hits are missing; it is empty if they are
    there. `key` identifies the set."""

    name: str
    base: base_model.Base
    result: search_model.SearchResult = field(repr=False)
    asked: float
    prints: Prints | None = field(default=None, repr=False)
    whole: bool = False
    lost: str = ""
    counts: tuple[int, int] | None = field(default=None, repr=False)
    """The numbers of games and of hits, if the hits are missing."""
    key: str = field(default_factory=lambda: uuid.uuid4().hex, repr=False)
    alone: Truths | None = field(default=None, repr=False)

    @property
    def query(self) -> str:
        """The text of the query."""
        return self.result.query

    @property
    def games(self) -> int:
        """The number of games with hits, also if the hits are missing."""
        return len(self.result.order) if self.counts is None else self.counts[0]

    @property
    def positions(self) -> int:
        """The number of hits, also if they are missing."""
        return self.result.positions if self.counts is None else self.counts[1]


class OlderStateError(errors.CqlguiError):
    """The numbers of a set's games now mean other games."""


class HitsMissingError(errors.CqlguiError):
    """The hits of a set were not kept."""


class FullError(errors.CqlguiError):
    """There is no room for another set."""


def is_of(one: NamedSet, base: base_model.Base) -> bool:
    """Whether a set has its hits, and they are hits of the texts that `base` has now."""
    return not one.lost and same_games(one.base, base)


def in_base(one: NamedSet, base: base_model.Base) -> search_model.SearchResult:
    """The hits of a set as hits of a base. If a file of the base has another text now, the games of the set
    must still have their numbers: each of them has the same fingerprint. The query must not read comments or
    tags that fingerprints do not hold. Raises `HitsMissingError` and `OlderStateError`."""
    if one.lost:
        raise HitsMissingError(f"“{one.name}” has no hits: {one.lost}. Search again first.")
    if same_games(one.base, base):
        return one.result
    games = narrowing.in_games(one.result)
    if one.prints is not None and int(games.max(initial=0)) <= base.games:
        known = one.prints[games]
        if known.all() and not _reads_more(one.query) and np.array_equal(known, fingerprints(base)[games]):
            return one.result
    raise OlderStateError(
        f"“{one.name}” is of an older state of the base, and its hits may now be others. Search again first."
    )


def _reads_more(query: str) -> bool:
    """Whether a query reads something that fingerprints do not hold: comments, glyphs, or other tags."""
    try:
        body = queries.checked_query(query).query
    except queries.Rejected:
        return True
    return body is None or any(
        isinstance(one, _READING) or (isinstance(one, nodes.TagText) and one.word not in _TEXTS)
        for one in nodes.walk(body)
    )


def combined(
    way: str, result: search_model.SearchResult, one: NamedSet, base: base_model.Base
) -> search_model.SearchResult:
    """The hits of a result of `base` and of a set, combined in a way of `narrowing.OPERATIONS`; raises the
    errors of `in_base`."""
    return narrowing.OPERATIONS[way](result, in_base(one, base))


@dataclass(frozen=True, slots=True)
class Changes:
    """What is different in a result, compared with an earlier one. The three results hold games of the later
    base, so they can be shown.

    `added` has the hits in games that did not match before. `lost` has the earlier hits in games that match
    no more. `moved` has the hits in games that match as before, but at other positions. `gone` is the number
    of games that matched and are no longer in the base. `altered` is the number of those that were changed
    and match no more, so that their earlier hits cannot be shown. `hits_added` and `hits_lost`
    count single hits, in whatever games they are.
    """

    added: search_model.SearchResult = field(repr=False)
    lost: search_model.SearchResult = field(repr=False)
    moved: search_model.SearchResult = field(repr=False)
    gone: int
    altered: int
    hits_added: int
    hits_lost: int

    def __bool__(self) -> bool:
        return bool(self.added.order or self.lost.order or self.moved.order or self.gone or self.altered)


def fingerprints(base: base_model.Base, *, cancel: progress.CancelToken | None = None) -> Prints:
    """A number for each game of a base by its ordinal: the upper bits are made from what the game's tags say,
    and the lower `_CONTENT_BITS` bits from its moves, its ratings and the length of its text. Other games
    practically always have another number. Raises `errors.Cancelled`, and `CqlguiError` for a base that can
    no longer be read."""
    catalog = workspace.catalog()
    found = np.zeros(base.games + 1, np.uint64)
    for source in base.sources:
        columns = []
        for name in _TEXTS:
            if cancel is not None:
                cancel.raise_if_cancelled()
            columns.append(catalog.coded(source.id, name, _hash, source.games))
        some = np.zeros(len(columns[0]), np.uint64)
        for column in columns:
            some = _mixed(some ^ column.astype(np.uint64))
        # The hits of a query may also depend on ratings, other tags and comments.
        elos = [catalog.numbers(source.id, name, source.games) for name in headers.RATINGS.values()]
        some = some >> _CONTENT_BITS << _CONTENT_BITS | _of_content(source, elos, cancel)
        found[source.first : source.first + len(some)] = some
    return found


def _of_content(
    source: base_model.Source, numbers: Sequence[Integers], cancel: progress.CancelToken | None
) -> Prints:
    """A number of `_CONTENT_BITS` bits for each game of a source, made from its start and its tree of moves,
    from the length of its text, and from some numbers."""
    found = np.zeros(source.games, np.uint32)
    with sources.indexed(source) as opened:
        for first, segment in opened.parts:
            if cancel is not None:
                cancel.raise_if_cancelled()
            rows = np.frombuffer(bytes(segment.table()), segments.ROW)[: source.games - first]
            begins = rows["first"].astype(np.int64)
            ends = begins + rows["words"]
            starts = rows["length"].astype(np.int64)
            for column in numbers:
                starts = starts * 10_007 + column[first : first + len(rows)]
            starts &= _WORD
            for game in np.flatnonzero(rows["fen"] != segments.USUAL_START).tolist():
                starts[game] ^= zlib.crc32((segment.start_fen(game) or "").encode("utf-8"))
            words = segment.all_moves()
            found[first : first + len(rows)] = [
                zlib.crc32(words[begin:end], start)
                for begin, end, start in zip(begins.tolist(), ends.tolist(), starts.tolist(), strict=True)
            ]
    return found.astype(np.uint64) >> np.uint64(32) - _CONTENT_BITS


def _hash(text: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7).digest(), "big"
    )


def _mixed(words: Prints) -> Prints:
    """A hash of each number (the finaliser of SplitMix64)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)


def same_games(one: base_model.Base, other: base_model.Base) -> bool:
    """Whether two bases have the same texts in the same order, so that ordinals mean the same games."""
    return _texts(one) == _texts(other)


def _texts(base: base_model.Base) -> list[tuple[str, int, int]]:
    return [(_identity(source), source.first, source.games) for source in base.sources]


def _identity(source: base_model.Source) -> str:
    return source.digest or f"{source.id} {source.path}"


def compare(before: NamedSet, after: NamedSet) -> Changes:
    """What is different in `after`, compared with `before`."""
    former, gone, altered = before.result, 0, np.zeros(0, np.int64)
    if not same_games(before.base, after.base):
        places = _places(before, after)
        former = _renumbered(former, places, after.base)
        games = narrowing.in_games(before.result)
        gone = int(np.count_nonzero(places[games] == GONE))
        altered = _altered(before, after, games, places[games])
    mine, theirs = narrowing.in_games(after.result), narrowing.in_games(former)
    hits, earlier = after.result.games.columns.hits, former.games.columns.hits
    new, old = (
        one[~np.isin(one, other, assume_unique=True)] for one, other in ((hits, earlier), (earlier, hits))
    )
    changed = arrays.distinct(np.concatenate([new, old]) >> found_module.GAME_SHIFT)
    moved = np.intersect1d(changed, np.intersect1d(mine, theirs, assume_unique=True), assume_unique=True)
    lost = np.setdiff1d(theirs, mine, assume_unique=True)
    shown = np.setdiff1d(lost, altered, assume_unique=True)
    return Changes(
        in_games_of(after.result, np.setdiff1d(mine, theirs, assume_unique=True)),
        in_games_of(former, shown),
        in_games_of(after.result, moved),
        gone,
        len(lost) - len(shown),
        len(new),
        len(old) + int(len(before.result.games.columns) - len(earlier)),
    )


def _altered(before: NamedSet, after: NamedSet, games: Integers, places: Integers) -> Integers:
    """Those of some games of the earlier base that were changed, by their ordinals in the later base, which
    are `places`. They ascend."""
    if before.prints is None or after.prints is None:
        return np.zeros(0, np.int64)
    old, new = before.prints[games], after.prints[places]
    return np.sort(places[(places != GONE) & (old != 0) & (old != new)])


def in_games_of(result: search_model.SearchResult, games: Integers) -> search_model.SearchResult:
    """The hits of a result in some games, which ascend."""
    table = np.zeros(int(max(games.max(initial=0), max(result.order, default=0))) + 1, np.bool_)
    table[games] = True
    bare = {game: hits for game, hits in result.games.told.items() if not hits.hits and table[game]}
    return narrowing.kept(result, table[result.games.columns.games], bare)


def _places(before: NamedSet, after: NamedSet) -> Integers:
    """For each game of the earlier base by its ordinal, the ordinal in the later base, or `GONE`."""
    found = np.full(before.base.games + 1, GONE, np.int64)
    left = np.ones(before.base.games + 1, np.bool_)
    free = np.ones(after.base.games + 1, np.bool_)
    left[0] = free[0] = False
    later = {_identity(source): source for source in after.base.sources}
    for source in before.base.sources:
        same = later.get(_identity(source))
        if same is not None and same.games == source.games:
            own = np.arange(source.games)
            found[source.first + own] = same.first + own
            left[source.first : source.first + source.games] = False
            free[same.first : same.first + same.games] = False
    if before.prints is not None and after.prints is not None:
        old, new = np.flatnonzero(left), np.flatnonzero(free)
        # Only the games of its hits are known of a set that was kept for a later start.
        old = old[before.prints[old] != 0]
        found[old] = _matched(before.prints[old], after.prints[new], new)
        # Of the other games, those with tags of their own may have been changed.
        old = old[found[old] == GONE]
        new = new[~np.isin(new, found)]
        tags, known = before.prints[old] >> _CONTENT_BITS, after.prints[new] >> _CONTENT_BITS
        if np.all(before.prints[left]):
            alone = _is_alone(tags)
        elif before.alone is not None:
            alone = before.alone[old]
        else:
            # Another game of the earlier base may have had the tags of one that is known.
            return found
        others = _is_alone(known)
        found[old[alone]] = _matched(tags[alone], known[others], new[others])
    return found


def alone_of(one: NamedSet) -> Truths | None:
    """For each game of a set's base by its ordinal, whether no other game of the base has its tags. None if
    that is not known."""
    if one.alone is not None or one.prints is None or not np.all(one.prints[1:]):
        return one.alone
    return np.concatenate([[False], _is_alone(one.prints[1:] >> _CONTENT_BITS)])


def _is_alone(values: Prints) -> Truths:
    """For each value, whether it occurs once."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    found: Truths = counts[places] == 1
    return found


def _matched(old: Prints, new: Prints, ordinals: Integers) -> Integers:
    """For each fingerprint of `old`, the ordinal of the game with this fingerprint in `new`, or `GONE`. The
    n-th game with a fingerprint is the n-th game with it."""
    order = np.argsort(new, kind="stable")
    ordered = new[order]
    found = np.full(len(old), GONE, np.int64)
    place = np.searchsorted(ordered, old) + _occurrences(old)
    inside = place < len(ordered)
    inside[inside] = ordered[place[inside]] == old[inside]
    found[inside] = ordinals[order[place[inside]]]
    return found


def _occurrences(values: Prints) -> Integers:
    """For each value, how often it occurs before."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    found = np.zeros(len(values), np.int64)
    found[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return found


def _renumbered(
    result: search_model.SearchResult, places: Integers, base: base_model.Base
) -> search_model.SearchResult:
    """A result with the ordinals of another base. `places` has the new ordinal of each game; games that are
    `GONE` are left out. The hits come in the order of the new ordinals."""
    columns = result.games.columns
    games = places[columns.games]
    hits = games << found_module.GAME_SHIFT | columns.hits & found_module.PLACE_MASK
    order = np.flatnonzero(games != GONE)
    order = order[np.argsort(hits[order], kind="stable")]
    taken = columns.take(order)
    told = {}
    for game, one in result.games.told.items():
        place = int(places[game])
        if place != GONE:
            told[place] = _told_of(one, place)
    untold = result.games.untold
    if untold is not None:
        # A comment may have the game's number in its file.
        untold = data.replace(untold, firsts=tuple(source.first for source in base.sources))
    renewed = FoundGames(Columns(hits[order], taken.ends, taken.codes, taken.details), told, untold)
    kept = sorted({*found_module.each_game(renewed.columns.hits).tolist(), *told})
    return data.replace(
        result, games=renewed, order=tuple(kept), orbits=narrowing.recounted(result.orbits, renewed.columns)
    )


def _told_of(told: hit_model.GameHits, game: int) -> hit_model.GameHits:
    hits = tuple(data.replace(hit, game=game) for hit in told.hits)
    return data.replace(told, game=game, hits=hits)


def key_of(query: str) -> str:
    """What identifies a query: its text, in which all white space is alike."""
    return " ".join(query.split())


def _found_alike(one: NamedSet, other: NamedSet) -> bool:
    """Whether two sets are hits of one query in the same games, and the same hits. Missing hits are the same
    if they are as many."""
    if key_of(one.query) != key_of(other.query) or not same_games(one.base, other.base):
        return False
    if (one.games, one.positions) != (other.games, other.positions):
        return False
    if other.lost:
        return True
    first, second = (np.sort(each.result.games.columns.hits, kind="stable") for each in (one, other))
    return one.result.order == other.result.order and np.array_equal(first, second)


@dataclass(frozen=True, slots=True)
class Shelf:
    """The named sets, the oldest first, and the last run of each query. `dropped` has the sets that were
    dropped, the latest last, each with its place among the sets at that time. A shelf never changes; each
    method returns another shelf."""

    sets: tuple[NamedSet, ...] = ()
    runs: Mapping[str, NamedSet] = field(default_factory=dict)
    dropped: tuple[tuple[int, NamedSet], ...] = ()

    def keeping(self, one: NamedSet) -> Shelf:
        """With a set. It takes the place of a set that the same query found under the same name, if this set
        has the same hits. If a set with other hits has the name already, a number is put behind it."""
        former = self._same(one)
        if former is None:
            return data.replace(self, sets=(*self.sets, data.replace(one, name=self._free(one.name))))
        renewed = data.replace(one, name=former.name, whole=one.whole or former.whole)
        others = [other for other in self.sets if other is not former]
        return data.replace(self, sets=(*others, renewed))

    def check_room(self, one: NamedSet) -> None:
        """Raises `FullError` if a set is one too many, or if it has too many hits beside the other sets."""
        former = self._same(one)
        others = [other for other in self.sets if other is not former]
        if former is None and len(others) >= MOST_SETS:
            raise FullError(f"{len(others)} sets are kept, and there is no room for more. {_DROP}")
        hits = sum(other.result.positions for other in others)
        if others and hits + one.result.positions > MOST_HITS:
            raise FullError(
                f"The sets have {hits:,} hits. With these {one.result.positions:,} they would have more than "
                f"{MOST_HITS:,}. {_DROP}"
            )

    def _same(self, one: NamedSet) -> NamedSet | None:
        """The set that the same query found under the same name, with the same hits."""
        numbered = re.compile(re.escape(one.name) + r"( \(\d+\))?")
        named = (other for other in self.sets if numbered.fullmatch(other.name))
        return next((other for other in named if _found_alike(one, other)), None)

    def _free(self, name: str, but: str = "") -> str:
        """A name that no set has, except the set with the key `but`."""
        taken = {other.name for other in self.sets if other.key != but}
        free, number = name, 2
        while free in taken:
            free, number = f"{name} ({number})", number + 1
        return free

    def renaming(self, one: NamedSet, name: str) -> Shelf:
        """With another name for a set. If another set has this name already, a number is put behind it."""
        free = self._free(name, one.key)
        renamed = [data.replace(other, name=free) if other.key == one.key else other for other in self.sets]
        return data.replace(self, sets=tuple(renamed))

    def with_prints(self, base: base_model.Base, prints: Prints) -> Shelf:
        """With the fingerprints of the games of a base, for the sets and runs that lack them."""

        def told(one: NamedSet) -> NamedSet:
            lacking = one.base is base and one.prints is None
            return data.replace(one, prints=prints) if lacking else one

        return Shelf(
            tuple(map(told, self.sets)),
            {key: told(run) for key, run in self.runs.items()},
            tuple((place, told(one)) for place, one in self.dropped),
        )

    def renewing(self, one: NamedSet, run: NamedSet) -> Shelf:
        """With the hits of a later run in place of those of a set, under the name of the set."""
        renewed = data.replace(run, name=one.name, whole=True)
        return data.replace(
            self, sets=tuple(renewed if other.key == one.key else other for other in self.sets)
        )

    def dropping(self, one: NamedSet) -> Shelf:
        """Without a set. `restoring` brings it back, unless many sets or hits were dropped since."""
        gone = [(place, other) for place, other in enumerate(self.sets) if other.key == one.key]
        dropped = (*self.dropped, *gone)
        held = _bounded([other for _place, other in dropped], MOST_SETS, MOST_RUN_HITS)
        left = tuple(other for other in self.sets if other.key != one.key)
        return data.replace(self, sets=left, dropped=dropped[len(dropped) - len(held) :])

    def restoring(self) -> Shelf:
        """With the set that was dropped last, at its place. If another set has its name now, a number is put
        behind it. The set comes back even if there are `MOST_SETS` sets, because nothing may be lost."""
        if not self.dropped:
            return self
        *dropped, (place, one) = self.dropped
        back = data.replace(one, name=self._free(one.name))
        listed = (*self.sets[:place], back, *self.sets[place:])
        return data.replace(self, sets=listed, dropped=tuple(dropped))

    def last_run(self, query: str, base: base_model.Base | None = None) -> NamedSet | None:
        """The last run of a query; None if it was not run. A set with all that the query found stands for a
        run before the program was started. With `base`, only what can be compared with a run over this base
        counts."""
        key = key_of(query)
        run = self.runs.get(key)
        if run is not None and (base is None or comparable(run, base)):
            return run
        kept = (one for one in reversed(self.sets) if one.whole and not one.lost and key_of(one.query) == key)
        fitting = (one for one in kept if base is None or comparable(one, base))
        return max(fitting, key=lambda one: one.asked, default=None)

    def running(self, one: NamedSet) -> Shelf:
        """With a run as the last run of its query, unless a later run of the query is there."""
        key = key_of(one.query)
        there = self.runs.get(key)
        last = one if there is None or there.asked <= one.asked else there
        others = [run for name, run in self.runs.items() if name != key]
        ordered = sorted([*others, last], key=lambda run: run.asked)
        runs = _bounded(ordered, MOST_RUNS, MOST_RUN_HITS)
        return data.replace(self, runs={key_of(run.query): run for run in runs})


def _bounded(listed: Sequence[NamedSet], most: int, most_hits: int) -> tuple[NamedSet, ...]:
    """The newest of some sets: at most `most`, with at most `most_hits` hits, but at least one."""
    found: list[NamedSet] = []
    hits = 0
    for one in reversed(listed[-most:]):
        hits += one.result.positions
        if found and hits > most_hits:
            break
        found.append(one)
    return tuple(reversed(found))


def comparable(one: NamedSet, base: base_model.Base) -> bool:
    """Whether it makes sense to compare a run with a later one: the bases have a file in common, and the
    games of the former base can be found in the later base."""
    paths = {source.path for source in one.base.sources}
    known = one.prints is not None or same_games(one.base, base)
    return known and any(source.path in paths for source in base.sources)


def asked_alike(one: NamedSet, other: NamedSet) -> bool:
    """Whether two runs searched the same games with the same options, so that they cannot differ."""
    first, second = one.result.options, other.result.options
    within = (
        first.within is second.within
        if first.within is None or second.within is None
        else np.array_equal(first.within, second.within)
    )
    return within and first == second and same_games(one.base, other.base)
