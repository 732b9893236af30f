"""A published base, and a cluster that searches it, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers import clusters


@pytest.fixture(scope="package")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clusters.published_copies(tmp_path_factory.mktemp("copies"))


@pytest.fixture(scope="package")
def cluster(copies: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[clusters.Cluster]:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    with clusters.flagged(copies, tmp_path_factory.mktemp("cluster")) as running:
        yield running
