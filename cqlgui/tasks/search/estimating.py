"""Estimates from a random sample of the base how many games a query will find, while the user writes the
query.

A sample is taken once for each state of a base, and the compiled query runs over the sample. Only a query
that is compiled wholly gets an estimate. A query that uses game numbers gets no estimate.
"""

from __future__ import annotations

import collections
import hashlib
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import progress
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.engine.facts import asking, columns, tables
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.engine.replaying import games, scanning
from cqlgui.store import commands, remarks
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import sources, tags
from cqlgui.tasks.results import base_model, found
from cqlgui.tasks.search import sieving

SAMPLE: Final = 2_000
"""Number of games in a sample. A base that is not much larger than a sample is searched whole."""
_KEPT: Final = 2
_MOST_DOUBTFUL: Final = 0.05
"""The largest share of the sample that the compiled query may leave undecided."""
_SLICE: Final = 250
_ERRORS: Final = 2.0
"""Number of standard errors between the middle of the estimate and each bound."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """About `games` of `total` games match. The true number is unlikely to lie below `low` or above `high`.
    If both bounds are equal, `games` is exact."""

    games: int
    low: int
    high: int
    total: int

    @property
    def words(self) -> str:
        """The estimate as a text for the user. The text is true for every number from `low` to `high`. The
        numbers in the text are rounded, so that the text does not look more exact than the estimate."""
        if self.low == self.high:
            return f"{self.games:,} game{'' if self.games == 1 else 's'}"
        if not self.games:
            return f"fewer than {self._up(self.high + 1):,} games"
        error = max(self.high - self.games, self.games - self.low)
        unit = _unit(error)
        about = round(self.games / unit) * unit
        error = -(-max(self.high - about, about - self.low) // unit) * unit
        if error < about < self.total - error:
            return f"about {about:,} ± {error:,} games"
        if self.games * 2 <= self.total:
            return f"up to {self._up(self.high):,} games"
        unit = _unit(self.total - self.low)
        least = self.low // unit * unit
        return f"at least {least:,} game{'' if least == 1 else 's'}"

    def _up(self, number: int) -> int:
        """A number of games rounded up, but not above the total."""
        unit = _unit(number)
        return min(-(-number // unit) * unit, self.total)


def estimate(
    base: base_model.Base,
    text: str,
    within: found.Integers | None = None,
    *,
    cancel: progress.CancelToken | None = None,
) -> Estimate | None:
    """The estimate for a base, or only for its games `within` (ascending ordinals). None if no estimate is
    possible. Raises `Rejected` for a bad query, `errors.Cancelled`, and `CqlguiError` for a base that cannot
    be read."""
    token = cancel or progress.CancelToken()
    expanded = queries.expanded(text)
    assert expanded.query is not None
    header = expanded.query.header
    numbered = header.gamenumber is not None or any(
        isinstance(node, nodes.Measure) and "gamenumber" in node.word
        for node in nodes.walk(expanded.query.body)
    )
    if numbered or (header.matchcount is not None and not sieving.wants_hits(header.matchcount)):
        return None
    token.raise_if_cancelled()
    compiled = sieving.compiled(expanded)
    if isinstance(compiled, Unsupported) or not compiled.wholly:
        return None
    total = base.games if within is None else len(within)
    if not total:
        return Estimate(0, 0, 0, 0)
    sample = _sample(base, within)
    asker = asking.Asker(compiled.facts, expanded.names, None)
    table = tables.table(compiled.facts, asker.answers(sample, lambda: token.cancelled), len(sample.asked))
    counts = np.zeros(len(sample.asked), np.int64)
    doubtful = 0
    most = scanning.ALL_HITS if header.matchcount is not None else 1
    for part in compiled.scan(sample.asked, most=most, facts=table, slice_size=_SLICE):
        token.raise_if_cancelled()
        counts += np.bincount(part.hits >> 32, minlength=len(counts))
        doubtful += len(part.doubtful)
    asked = len(counts) - doubtful
    if doubtful > _MOST_DOUBTFUL * len(counts):
        return None
    matching = counts > 0
    if header.matchcount is not None:
        limits = header.matchcount
        matching &= np.array([closures.constant_range(limits, count) for count in counts.tolist()], np.bool_)
    if header.results:
        results = sample.result
        for number in np.flatnonzero(matching).tolist():
            matching[number] = all(
                results.values[results.codes[number]] == result for result in header.results
            )
    return scaled(int(matching.sum()), asked, total)


def scaled(found: int, asked: int, total: int) -> Estimate | None:
    """The estimate from `found` matching games among `asked` games. The `asked` games were chosen at random
    from `total` games. None if `asked` is 0. The true number lies between the bounds for some 95 of 100
    samples.

    The bounds are the Wilson bounds at two standard errors. The Wilson bounds are also valid for few games.
    The usual bounds would fall below zero for few games. The bounds include a finite population correction:
    a sample that is a large part of the base counts as a larger sample.
    """
    if asked == total:
        return Estimate(found, found, found, total)
    if not asked:
        return None
    worth = asked * (total - 1) / (total - asked)
    share = found / asked
    whole = 1 + _ERRORS**2 / worth
    middle = (share + _ERRORS**2 / (2 * worth)) / whole
    half = _ERRORS * math.sqrt(share * (1 - share) / worth + (_ERRORS / (2 * worth)) ** 2) / whole
    # The result for the games of the sample is known, so the bounds must agree with this result.
    low = max(found, math.floor(total * (middle - half)))
    high = min(total - asked + found, math.ceil(total * (middle + half)))
    return Estimate(round(total * share), low, high, total)


def _unit(number: int) -> int:
    """The place value of an error's last significant digit. One digit is significant, or two digits if the
    first digit is 1 or 2."""
    digits = len(str(number))
    return int(10 ** max(0, digits - (2 if str(number)[0] in "12" else 1)))


class _Sample:
    """Some games of a base, one after another, and their tags (`columns.Tags`). The tags are read segment by
    segment."""

    def __init__(
        self, asked: games.Games, parts: Sequence[tuple[tags.SegmentTags, games.Integers]], named: int
    ) -> None:
        """`parts` are the tags of segments, each with the numbers of the games chosen from the segment.
        `named` is the number of games of the base with a White tag."""
        self.asked = asked
        self._parts = parts
        self.game_count = named
        self.gamenumbers = range(1, len(asked) + 1)
        place = object()
        self.memo: columns.Memo = tags.Memo(lambda: place)

    def tag(self, name: str) -> columns.Coded:
        """A tag's texts; None for a game without the tag."""
        return self._chosen(lambda of_segment: of_segment.tag(name))

    def numbered(self, name: str) -> None:
        """No numbers: a few texts are quickly compared."""

    @property
    def result(self) -> columns.Coded:
        """The results at the ends of the games' texts. If a text ends without a result, the value of the tag
        `Result` is used."""
        return self._chosen(lambda of_segment: of_segment.result)

    @property
    def first_comments(self) -> columns.Coded:
        """The comments at the starting positions."""
        return self._chosen(lambda of_segment: of_segment.first_comments)

    @property
    def cooked(self) -> columns.Coded:
        """The marks of cooks in the texts of the games."""
        return self._chosen(lambda of_segment: of_segment.cooked)

    @property
    def remarks(self) -> remarks.Remarks:
        """The comments and the glyphs at the positions of the games."""
        return remarks.Remarks.joined(
            [of_segment.remarks.take(numbers) for of_segment, numbers in self._parts]
        )

    @property
    def commands(self) -> commands.Commands:
        """The numbers of commands at the positions of the games."""
        return commands.Commands.joined(
            [of_segment.commands.take(numbers) for of_segment, numbers in self._parts]
        )

    def _chosen(self, column: Callable[[tags.SegmentTags], columns.Coded]) -> columns.Coded:
        values: list[Any] = []
        for of_segment, numbers in self._parts:
            whole = column(of_segment)
            values += map(whole.values.__getitem__, whole.codes[numbers].tolist())
        return columns.Coded.of(values)


_samples: collections.OrderedDict[tuple[object, ...], _Sample] = collections.OrderedDict()
_lock = threading.Lock()


def _sample(base: base_model.Base, within: found.Integers | None) -> _Sample:
    """The sample of a base in its present state, or of some games of the base."""
    listed = [source for source in base.sources if source.games]
    key: tuple[object, ...] = tuple(
        (str(source.path), source.games, sources.stamp(source), sources.headers(source).rows(source.id).state)
        for source in listed
    )
    if within is not None:
        key += (hashlib.blake2b(within.tobytes()).digest(),)
    with _lock:
        known = _samples.get(key)
        if known is None:
            known = _samples[key] = _taken(base, listed, within)
            while len(_samples) > _KEPT:
                _samples.popitem(last=False)
        return known


def _taken(
    base: base_model.Base, listed: Sequence[base_model.Source], within: found.Integers | None
) -> _Sample:
    # The random choice is repeatable, so that the shown number does not change for an unchanged base.
    chosen = np.arange(1, base.games + 1) if within is None else within
    total = len(chosen)
    if total > SAMPLE + SAMPLE // 2:
        chosen = chosen[np.sort(np.random.default_rng(total).choice(total, SAMPLE, replace=False))]
    parts: list[games.Games] = []
    known: list[tuple[tags.SegmentTags, games.Integers]] = []
    for source in listed:
        with sources.indexed(source) as opened:
            for first, segment in opened.parts:
                begin = source.first + first
                end = min(begin + segment.games, source.first + source.games)
                low, high = np.searchsorted(chosen, [begin, end]).tolist()
                if low < high:
                    numbers = chosen[low:high] - begin
                    parts.append(games.some(games.of_segment(segment), numbers))
                    known.append((tags.SegmentTags(source, first, segment.games), numbers))
    named = sum(sources.headers(source).named_count(source.id) for source in listed)
    return _Sample(games.joined(parts), known, named)
