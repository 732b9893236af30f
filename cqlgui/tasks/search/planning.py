"""Decides for each segment which of its games must be searched, before any position is looked at.

Headers come from the catalog (`tags`), and signatures come from the files beside the segments. Missing
signatures are made and written to these files. An excluded game cannot match (`engine.pruning`).
"""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from cqlgui.base import priority
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from cqlgui.engine.facts import answering, asking, patience, questions, tables
from cqlgui.engine.pruning import pruner, signatures
from cqlgui.engine.replaying import games
from cqlgui.store import segments
from cqlgui.tasks.databases import signing, tags
from cqlgui.tasks.results import base_model

_USELESS: Final = 0.9
"""If more than this share of a segment's games must be searched, the next `_IDLE` segments are not
examined."""
_IDLE: Final = 3
_MOST_ASKED: Final = 10 * segments.LARGEST
"""Questions about tags are asked for at most this number of games together."""
_FEW: Final = 8
"""If fewer than this part of a segment's games must be searched, the other games are not read."""
_MOST_KEPT: Final = 32
"""Number of segments whose signatures stay mapped: more than a group has."""


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a segment that is to be searched. The base has the first `count` games of the segment.
    `numbers` are the games that are to be searched, in order. For these games, `facts` has the data that the
    compiled query needs, in the form that `scanning.scan` takes. `texts` has the texts of these data. `asked`
    may lack other games (`games.of_segment`). If nothing is to be searched, `asked` and `facts` are empty.
    `lengths` has the number of moves that a search of each game of the segment visits; there is one position
    more."""

    asked: games.Games
    count: int
    numbers: games.Integers
    lengths: games.Lengths
    facts: games.Words
    texts: Sequence[str] = ()

    def among(self, within: games.Integers, before: int) -> tuple[games.Integers, int]:
        """The `numbers` that are among the games `within`, and how many games of the part are in `within`.
        `within` has ordinals of the base, ascending; `before` is the number of games before the part."""
        low, high = np.searchsorted(within, [before, before + self.count]).tolist()
        return self.numbers[np.isin(self.numbers, within[low:high] - before)], high - low


class Planner:
    """Plans the search of one query. Only one thread at a time may use a planner. `compiled` are the facts
    that the compiled code needs. If `pruned` is false, no game is excluded."""

    def __init__(
        self, expanded: transforms.Expanded, compiled: Sequence[questions.Fact] = (), *, pruned: bool = True
    ) -> None:
        assert expanded.query is not None
        self.variations = expanded.query.header.variations
        """Whether the whole tree of a game is searched."""
        self._question = pruner.Question(expanded)
        self._compiled = compiled
        self._pruned = pruned and pruner.stand_alone(expanded.query)
        self._source: Path | None = None
        self._useless = False
        self._idle = 0
        known = self._question.facts if self._pruned else []
        asked = list(dict.fromkeys([*compiled, *known]))
        self._asks_ahead = all(questions.reads_tags_alone(fact.node) for fact in asked)
        self._ahead = segments.LARGEST
        self._group: _Group | None = None
        self._asker = asking.Asker(asked, expanded.names, interpreter.last_game(expanded.query.header))

    def part(
        self,
        source: base_model.Source,
        first: int,
        segment: segments.Segment,
        is_over: Callable[[], bool] = patience.never,
    ) -> Part:
        """Plan a segment of a source. `first` is the ordinal, in the source, of the segment's first game.
        Raises `errors.Cancelled` once `is_over` returns True, and `errors.SourceError` if the catalog lacks
        games.
        """
        priority.pause()
        group = self._grouped(source, first, segment.games, is_over)
        return self._part(source, first, segment, group)

    def parts(
        self,
        source: base_model.Source,
        listed: Iterable[tuple[int, segments.Segment]],
        is_over: Callable[[], bool] = patience.never,
    ) -> Iterator[tuple[int, Part]]:
        """Plan several segments of a source, in order. Each part comes with the ordinal of its first game.
        Where the headers leave few games of several segments, these games are tested together, because a test
        of few games takes as long as a test of one game. No more segments are taken from `listed` than that
        needs, since a published base fetches each segment when it is taken, and keeps only some of them open.
        Raises the same errors as `part`."""
        taking = iter(listed)
        following = next(taking, None)
        while following is not None:
            priority.pause()
            first, segment = following
            group = self._grouped(source, first, segment.games, is_over)
            together, following = [following], None
            end = first + segment.games
            while end < group.end:
                following = next(taking, None)
                if following is None or following[0] + following[1].games > group.end:
                    break
                together.append(following)
                end = following[0] + following[1].games
                following = None
            chosen = self._chosen(group, together)
            for (first, segment), numbers in zip(together, chosen, strict=True):
                yield first, self._part(source, first, segment, group, numbers)
            if following is None:
                following = next(taking, None)

    def _chosen(
        self, group: _Group, listed: Sequence[tuple[int, segments.Segment]]
    ) -> Sequence[games.Integers | None]:
        """The games to be searched of each of several segments of a group; None if each segment must be asked
        by itself."""
        if not self._pruned or len(listed) == 1 or not group.has_few(self._question):
            return [None] * len(listed)
        left = group.left(self._question)
        wanted = np.zeros(len(left), np.bool_)
        places = [(first - group.begin, segment) for first, segment in listed]
        for begin, segment in places:
            wanted[begin : begin + segment.games] = left[begin : begin + segment.games]

        def column(number: int, some: games.Integers | None) -> games.Words:
            assert some is not None
            found = [np.zeros(0, np.uint64)]
            for begin, segment in places:
                low, high = np.searchsorted(some, [begin, begin + segment.games]).tolist()
                if low < high:
                    found.append(_column(segment, number, self.variations)[some[low:high] - begin])
            return np.concatenate(found)

        known = pruner.Known(len(left), column, group.begin, group.answers)
        numbers = pruner.candidates(self._question, known, wanted)
        found: list[games.Integers] = []
        for begin, segment in places:
            low, high = np.searchsorted(numbers, [begin, begin + segment.games]).tolist()
            found.append(numbers[low:high] - begin)
        return found

    def _part(
        self,
        source: base_model.Source,
        first: int,
        segment: segments.Segment,
        group: _Group,
        chosen: games.Integers | None = None,
    ) -> Part:
        """The plan of a segment of a group. `chosen` are the games to be searched, if they are known."""
        count = max(min(segment.games, source.games - first), 0)
        numbers: games.Integers
        if chosen is not None:
            numbers = chosen[: np.searchsorted(chosen, count)]
            self._useless = False
        elif self._pruned and not self._is_idle(source):
            left = group.left(self._question)[first - group.begin :][: segment.games]
            numbers = pruner.candidates(self._question, self._known(group, first, segment), left)
            numbers = numbers[: np.searchsorted(numbers, count)]
            self._source, self._useless = source.path, len(numbers) > _USELESS * count
        else:
            numbers = np.arange(count, dtype=np.int64)
        lengths = _lengths(segment, self.variations)
        if not len(numbers):
            # The segment is not read, and need not be proven.
            return Part(games.none(), count, numbers, lengths, np.zeros(0, np.uint64), self._asker.texts)
        segment.prove()
        answers = group.of_segment(first, segment.games)
        table = tables.table(self._compiled, answers, segment.games, numbers)
        # The rows of all games take half a gigabyte for ten million games.
        few = numbers if _FEW * len(numbers) < segment.games else None
        asked = games.of_segment(segment, few, proven=False)
        return Part(asked, count, numbers, lengths, table, self._asker.texts)

    def _is_idle(self, source: base_model.Source) -> bool:
        """Whether to skip the examination of the next segment. Segments are skipped after a segment where
        hardly any game was excluded. After `_IDLE` skipped segments, a segment is examined again."""
        if not self._useless or self._source != source.path or self._idle == _IDLE:
            self._idle = 0
            return False
        self._idle += 1
        return True

    def steps(self) -> list[tuple[str, nodes.Node | None]]:
        """The steps that exclude games, in order. Each step is a pair of a kind (`header`, `catalog` or
        `signature`) and a filter. The kind `header` stands for the conditions of the query's header, and has
        no filter."""
        question, found = self._question, list[tuple[str, nodes.Node | None]]()
        if not self._pruned:
            return found
        if question.results or question.query.header.gamenumber is not None:
            found.append(("header", None))
        for part in pruner.conjuncts(question.query.body):
            if id(part) in question.known:
                found.append(("catalog", part))
            elif pruner.rules_out(question, part):
                found.append(("signature", part))
        return found

    def counts(
        self,
        source: base_model.Source,
        first: int,
        segment: segments.Segment,
        is_over: Callable[[], bool] = patience.never,
    ) -> list[int]:
        """The number of games of a segment that remain after each step, and after all steps together. Raises
        the same errors as `part`."""
        priority.pause()
        known = self._known(self._grouped(source, first, segment.games, is_over), first, segment)
        count = max(min(segment.games, source.games - first), 0)
        inside = left = np.arange(segment.games) < count
        if not self._pruned:
            return [count]
        last, spared = pruner.candidates_and_spared(self._question, known)
        found = []
        for _, part in self.steps():
            left = left & (
                pruner.admitted(self._question, known)
                if part is None
                else pruner.may_hold(self._question, known, part)
            )
            found.append(int((inside & (left | spared)).sum()))
        return [*found, int((inside & last).sum())]

    def _known(self, group: _Group, first: int, segment: segments.Segment) -> pruner.Known:
        """What is known about the games of a segment of a group."""

        def column(number: int, places: games.Integers | None) -> games.Words:
            found = _column(segment, number, self.variations)
            return found if places is None else found[places]

        return pruner.Known(segment.games, column, first, group.of_segment(first, segment.games))

    def _grouped(
        self, source: base_model.Source, first: int, count: int, is_over: Callable[[], bool]
    ) -> _Group:
        """The group with the games of a segment. If the questions are about tags alone, they are asked for
        several segments together, first for few and later for more, because asking takes longer than
        answering."""
        known, end = self._group, first + count
        if known is None or known.path != source.path or not known.begin <= first <= end <= known.end:
            # Each part of a published base has headers of its own, and another computer may search the next
            # part.
            if self._asks_ahead and source.place is None:
                end = max(end, min(first + self._ahead, source.games))
                self._ahead = min(2 * self._ahead, _MOST_ASKED)
            answers = self._asker.answers(tags.SegmentTags(source, first, end - first), is_over)
            known = self._group = _Group(source.path, first, end, answers)
        return known


class _Group:
    """The answers for the games `begin` to `end` - 1 of a source. A group has whole segments. It has one
    segment only if an answer is a `Spread`."""

    def __init__(
        self,
        path: Path,
        begin: int,
        end: int,
        answers: dict[questions.Fact, answering.Answers | answering.Spread],
    ) -> None:
        self.path = path
        self.begin = begin
        self.end = end
        self.answers = answers
        self._left: pruner.Truths | None = None

    def of_segment(
        self, first: int, count: int
    ) -> dict[questions.Fact, answering.Answers | answering.Spread]:
        """The answers for the `count` games of a segment. `first` is the ordinal of its first game."""
        low, high = first - self.begin, first - self.begin + count
        return {
            fact: found if isinstance(found, answering.Spread) else (found[0][low:high], found[1][low:high])
            for fact, found in self.answers.items()
        }

    def left(self, question: pruner.Question) -> pruner.Truths:
        """`pruner.reached` of all games of the group. The question must always be the same."""
        if self._left is None:
            known = pruner.Known(self.end - self.begin, _no_column, self.begin, self.answers)
            self._left = pruner.reached(question, known)
        return self._left

    def has_few(self, question: pruner.Question) -> bool:
        """Whether only few games are `left`."""
        return bool(_FEW * np.count_nonzero(self.left(question)) < self.end - self.begin)


def _no_column(number: int, places: games.Integers | None) -> games.Words:
    raise AssertionError("Headers alone decide which games are left.")


_kept: collections.OrderedDict[tuple[Path, bytes], signatures.Signatures] = collections.OrderedDict()
_lock = threading.Lock()


def _column(segment: segments.Segment, word: int, variations: bool) -> games.Words:
    """One word of the signature of each game of a segment."""
    found = _recalled(segment)
    if found is None:
        found = signing.of_segment(segment)
        with _lock:
            _kept[segment.path, segment.checksum] = found
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)
    return found.column(word, variations)


def _recalled(segment: segments.Segment) -> signatures.Signatures | None:
    key = segment.path, segment.checksum
    with _lock:
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
    return found


def _lengths(segment: segments.Segment, variations: bool) -> games.Lengths:
    """`Part.lengths`. They come from the signatures if these are in memory, because reading the rows would
    bring all rows into memory."""
    known = None if variations else _recalled(segment)
    found = None if known is None else known.lengths()
    return games.lengths(segment, variations=variations) if found is None else found
