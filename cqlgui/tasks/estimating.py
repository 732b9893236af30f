"""How many games a query may find, from a random sample of the base, while it is being written.

A sample is taken once for a state of a base and asked by the compiled query; what is not compiled wholly has
no estimate, nor has a query that asks for the numbers of games.
"""

from __future__ import annotations

import collections
import math
import threading
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import progress
from cqlgui.base.data import dataclass
from cqlgui.cql import closures, nodes
from cqlgui.engine import compiling, facts, games, scanning
from cqlgui.engine.lowering import Unsupported
from cqlgui.tasks import model, queries, sieving, sources, tags, workspace

SAMPLE: Final = 2_000
"""Games asked; a base that is not much larger is asked whole."""
_KEPT: Final = 2
_MOST_DOUBTFUL: Final = 0.05
"""The share of the sample that the query may leave in doubt."""
_SLICE: Final = 250


@dataclass(frozen=True, slots=True)
class Estimate:
    """About `games` of the base match, give or take `error` (two standard errors); exact where that is 0.
    Where the sample has none, `error` is what is hardly exceeded."""

    games: int
    error: int

    @property
    def words(self) -> str:
        """As it is shown."""
        if not self.error:
            return f"{self.games:,} game{'' if self.games == 1 else 's'}"
        if not self.games:
            return f"fewer than {_rounded(self.error):,} games"
        return f"about {_rounded(self.games):,} ± {_rounded(self.error):,} games"


def estimate(base: model.Base, text: str, *, cancel: progress.CancelToken | None = None) -> Estimate | None:
    """What a query may find in a base; None where that cannot be told. Raises `Rejected` for a bad query,
    `errors.Cancelled`, and `CqlguiError` for a base that cannot be read."""
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
    compiled = compiling.compile_query(expanded)
    if isinstance(compiled, Unsupported) or not compiled.wholly:
        return None
    sample = _sample(base)
    asker = facts.Asker(compiled.facts, expanded.names, None)
    table = facts.table(compiled.facts, asker.answers(sample), len(sample.asked))
    counts = np.zeros(len(sample.asked), np.int64)
    doubtful = 0
    most = scanning.ALL_HITS if header.matchcount is not None else 1
    for found in compiled.scan(sample.asked, most=most, facts=table, slice_size=_SLICE):
        token.raise_if_cancelled()
        counts += np.bincount(found.hits >> 32, minlength=len(counts))
        doubtful += len(found.doubtful)
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
    return _scaled(int(matching.sum()), asked, base.games)


def _scaled(found: int, asked: int, total: int) -> Estimate | None:
    if not asked:
        return None
    if asked == total:
        return Estimate(found, 0)
    if not found:
        # Of what three in `asked` games have, a sample has none once in twenty times.
        return Estimate(0, math.ceil(3 * total / asked))
    share = found / asked
    left = 1 - asked / total
    error = 2 * total * math.sqrt(share * (1 - share) / asked * left)
    return Estimate(round(total * share), max(1, math.ceil(error)))


def _rounded(number: int) -> int:
    """A number with two digits that count."""
    return round(number, min(0, 2 - len(str(number))))


class _Sample:
    """Some games of a base, one behind the other, and their tags (`facts.Tags`), asked segment by segment."""

    def __init__(
        self, asked: games.Games, parts: Sequence[tuple[tags.SegmentTags, games.Integers]], named: int
    ) -> None:
        """`parts` are the tags of segments, with the numbers of the games chosen there; `named` is how many
        games of the base have a White tag."""
        self.asked = asked
        self._parts = parts
        self.game_count = named
        self.gamenumbers = range(1, len(asked) + 1)
        self.memo: MutableMapping[nodes.Node, facts.Coded] = {}

    def tag(self, name: str) -> facts.Coded:
        """A tag's texts, None for a game without it."""
        return self._chosen(lambda of_segment: of_segment.tag(name))

    @property
    def result(self) -> facts.Coded:
        """The results at the ends of the texts, else those of the tags."""
        return self._chosen(lambda of_segment: of_segment.result)

    def _chosen(self, column: Callable[[tags.SegmentTags], facts.Coded]) -> facts.Coded:
        values: list[Any] = []
        for of_segment, numbers in self._parts:
            whole = column(of_segment)
            values += map(whole.values.__getitem__, whole.codes[numbers].tolist())
        return facts.Coded.of(values)


_samples: collections.OrderedDict[tuple[object, ...], _Sample] = collections.OrderedDict()
_lock = threading.Lock()


def _sample(base: model.Base) -> _Sample:
    """The sample of a base as it is now."""
    listed = [source for source in base.sources if source.games]
    key = tuple((str(source.path), source.games, sources.stamp(source.path)) for source in listed)
    with _lock:
        found = _samples.get(key)
        if found is None:
            found = _samples[key] = _taken(base, listed)
            while len(_samples) > _KEPT:
                _samples.popitem(last=False)
        return found


def _taken(base: model.Base, listed: Sequence[model.Source]) -> _Sample:
    # The same games for the same base, so that what is shown does not waver.
    chosen = np.arange(base.games)
    if base.games > SAMPLE + SAMPLE // 2:
        chosen = np.sort(np.random.default_rng(base.games).choice(base.games, SAMPLE, replace=False))
    chosen = chosen + 1
    parts: list[games.Games] = []
    known: list[tuple[tags.SegmentTags, games.Integers]] = []
    for source in listed:
        stamp = sources.stamp(source.path)
        with sources.indexed(source) as opened:
            for first, segment in opened.parts:
                begin = source.first + first
                end = min(begin + segment.games, source.first + source.games)
                low, high = np.searchsorted(chosen, [begin, end]).tolist()
                if low < high:
                    numbers = chosen[low:high] - begin
                    parts.append(games.some(games.of_segment(segment), numbers))
                    known.append((tags.of_games(source, stamp, first, segment.games), numbers))
    named = sum(workspace.catalog().named_count(source.id) for source in listed)
    return _Sample(games.joined(parts), known, named)
