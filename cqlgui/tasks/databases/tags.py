"""The tags of a segment's games, column by column, cached from one search to the next. They come from the
catalog, or from a published base.

The cache key of a column names the catalog blocks that hold the column. Blocks never change, and no two
blocks have the same number. A cached column is therefore always valid for the blocks in its key.
"""

from __future__ import annotations

import collections
import functools
import sys
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Final, Generic, TypeVar

import numpy as np

from cqlgui.base import errors
from cqlgui.cql.ast import nodes
from cqlgui.cql.interpreting.families import closures_studies
from cqlgui.db import catalog, headers
from cqlgui.db.names import TABLES
from cqlgui.engine.facts import columns, questions
from cqlgui.store import commands as commands_of_games
from cqlgui.store import remarks as remarks_of_games
from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model

MOST_BYTES: Final = 64 << 20
"""Maximum size in bytes of all cached columns and all cached values of filters, and of all cached answers."""
MOST_NUMBERS: Final = 1 << 20
"""Answers are kept by the numbers of texts only for numbers below this one."""


class SegmentTags:
    """`columns.Tags` for `count` games of a source from ordinal `first` on; thread-safe.

    Reading a column raises `errors.SourceError` if the catalog lacks games of the base, or if their source
    was read again.
    """

    def __init__(self, source: base_model.Source, first: int, count: int) -> None:
        self._source = source
        self._headers = sources.headers(source)
        self._place = source.id, first, count

    @property
    def memo(self) -> columns.Memo:
        """The values of filters in these games."""
        return Memo(lambda: self._rows)

    def tag(self, name: str) -> columns.Coded:
        """The values of a tag; None for a game without the tag."""
        return self._column(name, lambda: self._headers.tag_column(*self._place, name))

    def numbered(self, name: str) -> columns.Numbered | None:
        """The numbers that the catalog has for the texts of a tag. None if the tag has no column of texts, if
        the base is published and so has no catalog, or if the numbers are so large that a table of answers by
        number would be too large."""
        column, known = headers.COLUMNS.get(name), self._headers
        if column is None or not isinstance(known, catalog.Catalog):
            return None
        numbers = known.text_numbers(*self._place, column)
        sources.insist(self._source)
        largest = max((int(part.max(initial=0)) for part in numbers), default=0)
        if largest >= MOST_NUMBERS:
            return None

        def texts(wanted: Sequence[int]) -> list[str | None]:
            found = known.texts(column, wanted)
            return [found.get(number) for number in wanted]

        def answers(fact: questions.Fact) -> np.ndarray:
            return _answers((known.numbering, TABLES[column]), fact, largest + 1)

        with_text = functools.partial(known.numbers_with, column)
        return columns.Numbered(numbers, largest + 1, texts, with_text, answers)

    @property
    def result(self) -> columns.Coded:
        """The results at the ends of the games' texts. If a text ends without a result, the value of the tag
        `Result` is used."""
        return self._column(_RESULT, lambda: self._headers.result_column(*self._place))

    @property
    def first_comments(self) -> columns.Coded:
        """The comments at the starting positions."""
        return self._column(_FIRST_COMMENT, self._read_first_comments)

    @property
    def cooked(self) -> columns.Coded:
        """The mark of a cook for each game; None if the text of the game does not contain the mark."""
        return self._column(_COOKED, self._read_cooked)

    @functools.cached_property
    def remarks(self) -> remarks_of_games.Remarks:
        """The comments and the glyphs at the positions of the games."""
        # The import takes a while, and few searches need the module.
        from cqlgui.tasks.databases import remarks

        return remarks.of_segment(self._source, self._place[1])

    @functools.cached_property
    def commands(self) -> commands_of_games.Commands:
        """The numbers of commands at the positions of the games."""
        from cqlgui.tasks.databases import commands

        return commands.of_segment(self._source, self._place[1])

    def _read_first_comments(self) -> headers.Coded:
        known = self.remarks
        at_root = np.flatnonzero(known.ids == 0)
        games = np.searchsorted(known.firsts, at_root, side="right") - 1
        found: list[str | None] = [None] * self._place[2]
        for game, said in zip(games.tolist(), known.said[at_root].tolist(), strict=True):
            found[game] = known.comments[said]
        return headers.Coded.of(found)

    def _read_cooked(self) -> headers.Coded:
        mark = closures_studies.COOK.encode("ascii")
        with sources.opened(self._source) as opened:
            texts = opened.texts(np.arange(*self._ordinals))
        found: list[str | None] = [None] * len(texts.begins)
        if mark in texts.data:
            for game, (begin, end) in enumerate(zip(texts.begins.tolist(), texts.ends.tolist(), strict=True)):
                if texts.data.find(mark, begin, end) >= 0:
                    found[game] = closures_studies.COOK
        return headers.Coded.of(found)

    @property
    def _ordinals(self) -> tuple[int, int]:
        """The first game, and the game after the last one."""
        _, first, count = self._place
        return first, first + count

    @property
    def gamenumbers(self) -> range:
        """The numbers of the games in their source, from 1."""
        _, first, count = self._place
        return range(first + 1, first + count + 1)

    @functools.cached_property
    def game_count(self) -> int:
        """Number of games of the source with a White tag, as in `hosts.GameHost`."""
        count = self._headers.named_count(self._source.id)
        sources.insist(self._source)
        return count

    @functools.cached_property
    def _rows(self) -> Hashable:
        """The cache key of the columns."""
        return self._current()

    def _current(self) -> Hashable:
        """The cache key of the columns, as they are now."""
        source, first, count = self._place
        rows = self._headers.rows(source)
        if rows.path != str(self._source.path) or rows.games < min(first + count, self._source.games):
            raise errors.SourceError(
                f"Headers of {self._source.path.name} are missing in the catalog. Open the file again."
            )
        sources.insist(self._source)
        return first, count, rows.blocks_of(first, count)

    def _column(self, name: str, read: Callable[[], headers.Coded]) -> columns.Coded:
        key = self._rows, name
        found = _kept.get(key)
        if found is None:
            column = read()
            found = columns.Coded(column.places.astype(np.int64), column.texts)
            # The column is cached only if the rows stayed the same while the column was read. If they became
            # those of another text, this raises an error.
            if self._current() == self._rows:
                _kept.put(key, found, _size(found))
        return found


def _answers(place: Hashable, fact: questions.Fact, size: int) -> np.ndarray:
    """The known answers to a question by the numbers of texts (`columns.Numbered`), for at least `size`
    numbers. `place` identifies the numbers. Threads may write the same answers at the same time."""
    known = _answered.get((place, fact))
    if known is None or known.shape[1] < size:
        # Small tables stay in the processor's cache. A truth value takes a byte.
        larger = np.zeros((2, size + size // 4), np.uint64 if fact.number else np.uint8)
        if known is not None:
            larger[:, : known.shape[1]] = known
        known = larger
        _answered.put((place, fact), known, known.nbytes)
    return known


class Memo:
    """A `columns.Memo` that keeps its values in the cache of the columns. `owner` returns a part of the cache
    key."""

    def __init__(self, owner: Callable[[], Hashable]) -> None:
        self._owner = owner

    def get(self, node: nodes.Node) -> columns.Coded | None:
        """The values of a filter, if they are still cached."""
        return _kept.get((self._owner(), node))

    def __setitem__(self, node: nodes.Node, values: columns.Coded) -> None:
        _kept.put((self._owner(), node), values, _size(values))


T = TypeVar("T")


class _Kept(Generic[T]):
    """A cache of what was used last, up to `MOST_BYTES`; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: collections.OrderedDict[Hashable, tuple[T, int]] = collections.OrderedDict()
        self.bytes = 0

    def get(self, key: Hashable) -> T | None:
        with self._lock:
            found = self._known.get(key)
            if found is None:
                return None
            self._known.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: T, size: int) -> None:
        """Keep a value of `size` bytes."""
        with self._lock:
            _, before = self._known.pop(key, (None, 0))
            self._known[key] = value, size
            self.bytes += size - before
            while self.bytes > MOST_BYTES:
                self.bytes -= self._known.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget all columns."""
        with self._lock:
            self._known.clear()
            self.bytes = 0


def _size(column: columns.Coded) -> int:
    # `_ENTRY` is an estimate of the key's size. A rough estimate is enough, because thousands of games need
    # only a few keys.
    return _ENTRY + column.codes.nbytes + sum(map(sys.getsizeof, column.values))


_ENTRY: Final = 4_096
_RESULT: Final = "\0result"
_FIRST_COMMENT: Final = "\0first comment"
_COOKED: Final = "\0cooked"
"""The games' results and facts from their texts are cached under these names, as if they were tags. No tag
has one of these names."""
_kept: Final = _Kept[columns.Coded]()
_answered: Final = _Kept[np.ndarray]()
"""The answers by the numbers of texts."""
