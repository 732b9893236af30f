"""The tags of a segment's games from the catalog, column by column, kept from one search to the next."""

from __future__ import annotations

import collections
import threading
from collections.abc import MutableMapping
from typing import Final

import numpy as np

from cqlgui.cql import nodes
from cqlgui.db import headers
from cqlgui.engine import facts
from cqlgui.tasks import model, workspace

_MOST_KEPT: Final = 64
"""Segments of which tags are kept, so that no more than some 50 MB are."""

_Key = tuple[str, int, int]


class SegmentTags:
    """`facts.Tags` for some games of a source that follow each other; for any thread."""

    def __init__(self, source: int, first: int, count: int) -> None:
        self._place = source, first, count
        self._columns: dict[str, facts.Coded] = {}
        self._result: facts.Coded | None = None
        self._named: int | None = None
        self.memo: MutableMapping[nodes.Node, facts.Coded] = {}

    def tag(self, name: str) -> facts.Coded:
        """A tag's texts, None for a game without it."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = _coded(workspace.catalog().tag_column(*self._place, name))
        return found

    @property
    def result(self) -> facts.Coded:
        """The results at the ends of the texts, else those of the tags."""
        if self._result is None:
            self._result = _coded(workspace.catalog().result_column(*self._place))
        return self._result

    @property
    def gamenumbers(self) -> range:
        """The numbers of the games in their source, from 1."""
        _, first, count = self._place
        return range(first + 1, first + count + 1)

    @property
    def game_count(self) -> int:
        """Games of the source with a White tag, as `hosts.GameHost` tells it."""
        if self._named is None:
            self._named = workspace.catalog().named_count(self._place[0])
        return self._named


def _coded(column: headers.Coded) -> facts.Coded:
    return facts.Coded(column.places.astype(np.int64), column.texts)


_kept: collections.OrderedDict[_Key, SegmentTags] = collections.OrderedDict()
_lock = threading.Lock()


def of_games(source: model.Source, stamp: str, first: int, count: int) -> SegmentTags:
    """The tags of `count` games of a source from ordinal `first` on; `stamp` is that of the source, with
    which they change."""
    key = f"{workspace.catalog().path} {source.path} {stamp}", first, count
    with _lock:
        found = _kept.get(key)
        if found is None:
            found = _kept[key] = SegmentTags(source.id, first, count)
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)
        else:
            _kept.move_to_end(key)
    return found
