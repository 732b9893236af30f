"""The quick form of the comparison: some recorded queries on a cluster of two workers."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

from tests.helpers import clusters
from tests.tools.cluster import comparing

EVERY = 60
"""One query in so many is asked."""


def test_recorded_queries_find_the_same_on_a_cluster(shared: Path, tmp_path: Path) -> None:
    files = comparing.divided([shared / "conformance" / "annotated-450.pgn"], tmp_path, 250)
    base = comparing.published_base(files, tmp_path / "pub")
    asked = [one for one in list(comparing.recorded())[::EVERY] if comparing.is_askable(one)]
    results = [(one, comparing.answers(base, one)) for one in asked]
    assert sum(bool(found.order) for _, found in results) > len(results) // 2
    wanted = [(one, comparing.digests(found)) for one, found in results]
    with clusters.started(2, tmp_path / "workers") as address:
        assert comparing.differences(base, address, wanted) == []
