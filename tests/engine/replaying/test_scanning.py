"""Slices of a scan cover the games, each once."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.jit import native
from tests.helpers import games, packed_games

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_slices_tell_how_many_games_they_were(size: int) -> None:
    listed = list(games.sparse())
    packed = packed_games.of_words((game.tree.root.fen(), game.tree.encode()) for game in listed)
    query = compiling.compile_query(transforms.expand(check.check("cql() mate")))
    assert not isinstance(query, Unsupported)
    parts = [part.games for part in query.scan(packed, slice_size=size)]
    assert sum(parts) == len(listed)
    assert max(parts) <= size
