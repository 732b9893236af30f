"""The tags of a segment's games from the catalog, column by column, cached from one search to the next.

The cache key of a column names the catalog blocks that hold the column. Blocks never change, and no two
blocks have the same number. A cached column is therefore always valid for the blocks in its key.
"""

from __future__ import annotations

import collections
import functools
import sys
import threading
from collections.abc import Callable, Hashable
from typing import Final

import numpy as np

from cqlgui.base import errors
from cqlgui.cql.ast import nodes
from cqlgui.cql.interpreting.families import closures_studies
from cqlgui.db import headers
from cqlgui.engine import facts
from cqlgui.store import remarks as remarks_of_games
from cqlgui.store import segments
from cqlgui.tasks.databases import hosts, sources, workspace
from cqlgui.tasks.results import base_model

MOST_BYTES: Final = 64 << 20
"""Maximum size in bytes of all cached columns and all cached values of filters."""


class SegmentTags:
    """`facts.Tags` for `count` games of a source from ordinal `first` on; thread-safe.

    Reading a column raises `errors.SourceError` if the catalog lacks games of the base.
    """

    def __init__(self, source: base_model.Source, first: int, count: int) -> None:
        self._source = source
        self._place = source.id, first, count
        self.memo: facts.Memo = Memo(lambda: self._rows)

    def tag(self, name: str) -> facts.Coded:
        """The values of a tag; None for a game without the tag."""
        return self._column(name, lambda: workspace.catalog().tag_column(*self._place, name))

    @property
    def result(self) -> facts.Coded:
        """The results at the ends of the games' texts. If a text ends without a result, the value of the tag
        `Result` is used."""
        return self._column(_RESULT, lambda: workspace.catalog().result_column(*self._place))

    @property
    def first_comments(self) -> facts.Coded:
        """The comments at the starting positions. Only games with comments are read."""
        return self._column(_FIRST_COMMENT, self._read_first_comments)

    @property
    def cooked(self) -> facts.Coded:
        """The mark of a cook for each game; None if the text of the game does not contain the mark."""
        return self._column(_COOKED, self._read_cooked)

    @functools.cached_property
    def remarks(self) -> remarks_of_games.Remarks:
        """The comments and the glyphs at the positions of the games."""
        # The import takes a while, and few searches need the module.
        from cqlgui.tasks.databases import remarks

        return remarks.of_segment(self._source, self._place[1])

    def _read_first_comments(self) -> headers.Coded:
        with sources.opened(self._source) as opened:
            found: list[str | None] = []
            ordinals = range(*self._ordinals)
            for ordinal in ordinals:
                comment = None
                if opened.index.flags(ordinal) & segments.COMMENTS:
                    comment = hosts.GameHost(opened, ordinal).comment(0)
                found.append(comment)
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
        return workspace.catalog().named_count(self._source.id)

    @functools.cached_property
    def _rows(self) -> Hashable:
        """The cache key of the columns."""
        return self._current()

    def _current(self) -> Hashable:
        source, first, count = self._place
        rows = workspace.catalog().rows(source)
        if rows.path != str(self._source.path) or rows.games < min(first + count, self._source.games):
            raise errors.SourceError(
                f"Headers of {self._source.path.name} are missing in the catalog. Open the file again."
            )
        return first, count, rows.blocks_of(first, count)

    def _column(self, name: str, read: Callable[[], headers.Coded]) -> facts.Coded:
        key = self._rows, name
        found = _kept.get(key)
        if found is None:
            column = read()
            found = facts.Coded(column.places.astype(np.int64), column.texts)
            # The column is cached only if the rows stayed the same while the column was read.
            if self._current() == self._rows:
                _kept.put(key, found)
        return found


class Memo:
    """A `facts.Memo` that keeps its values in the cache of the columns. `owner` returns a part of the cache
    key."""

    def __init__(self, owner: Callable[[], Hashable]) -> None:
        self._owner = owner

    def get(self, node: nodes.Node) -> facts.Coded | None:
        """The values of a filter, if they are still cached."""
        return _kept.get((self._owner(), node))

    def __setitem__(self, node: nodes.Node, values: facts.Coded) -> None:
        _kept.put((self._owner(), node), values)


class _Kept:
    """A cache of the recently used columns, up to `MOST_BYTES`; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: collections.OrderedDict[Hashable, tuple[facts.Coded, int]] = collections.OrderedDict()
        self.bytes = 0

    def get(self, key: Hashable) -> facts.Coded | None:
        with self._lock:
            found = self._known.get(key)
            if found is None:
                return None
            self._known.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, column: facts.Coded) -> None:
        # `_ENTRY` is an estimate of the key's size. A rough estimate is enough, because thousands of games
        # need only a few keys.
        size = _ENTRY + column.codes.nbytes + sum(map(sys.getsizeof, column.values))
        with self._lock:
            _, before = self._known.pop(key, (None, 0))
            self._known[key] = column, size
            self.bytes += size - before
            while self.bytes > MOST_BYTES:
                self.bytes -= self._known.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget all columns."""
        with self._lock:
            self._known.clear()
            self.bytes = 0


_ENTRY: Final = 4_096
_RESULT: Final = "\0result"
_FIRST_COMMENT: Final = "\0first comment"
_COOKED: Final = "\0cooked"
"""The games' results and facts from their texts are cached under these names, as if they were tags. No tag
has one of these names."""
_kept: Final = _Kept()
