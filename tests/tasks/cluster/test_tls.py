"""Clusters that are reached by TLS, as other computers must be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import helpers
from tests.helpers import clusters

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

QUERY = "flipcolor flipvertical {Bh7 kg8 check}"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a scheduler that asks for a certificate, and the folder with it."""
    folder = tmp_path_factory.mktemp("tls")
    keys = clusters.certified(folder / "keys")
    with clusters.started(1, folder / "workers", tls=keys) as address:
        assert address.startswith("tls://")
        yield address, keys


def holding(monkeypatch: pytest.MonkeyPatch, keys: Path, authority: Path | None = None) -> None:
    """As on a computer whose settings of Dask name the files in `keys`."""
    place = "DASK_DISTRIBUTED__COMM__TLS__"
    monkeypatch.setenv(f"{place}CA_FILE", str((authority or keys) / "cert.pem"))
    monkeypatch.setenv(f"{place}CLIENT__CERT", str(keys / "cert.pem"))
    monkeypatch.setenv(f"{place}CLIENT__KEY", str(keys / "key.pem"))


def test_workers_behind_tls_search_and_read(
    secured: tuple[str, Path], copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, keys = secured
    holding(monkeypatch, keys)
    words = ("search", copies, "-e", QUERY, "--jsonl")
    wanted = helpers.cli(*words, home=tmp_path)
    found = helpers.cli(*words, "--scheduler", address, home=tmp_path)
    assert found.code == 0, found.err
    assert found.out == wanted.out != ""
    there = tmp_path / "there"
    done = helpers.cli("publish", clusters.SAMPLE, "-o", there, "--scheduler", address, home=tmp_path)
    assert done.code == 0, done.err
    counts = [
        helpers.cli("search", one, "-e", QUERY, "--count", home=tmp_path).out
        for one in (there, clusters.SAMPLE)
    ]
    assert counts[0] == counts[1] != ""


def test_a_foreign_certificate_is_refused(
    secured: tuple[str, Path], copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, keys = secured
    holding(monkeypatch, clusters.certified(tmp_path / "foreign"), keys)
    refused = helpers.cli("search", copies, "-e", QUERY, "--count", "--scheduler", address, home=tmp_path)
    assert refused.code == 2
    assert not refused.out
    assert "No Dask scheduler answers at tls://" in refused.err


def test_who_has_no_certificate_is_told_what_is_missing(
    secured: tuple[str, Path], copies: Path, tmp_path: Path
) -> None:
    address, _ = secured
    refused = helpers.cli("search", copies, "-e", QUERY, "--count", "--scheduler", address, home=tmp_path)
    assert refused.code == 2
    assert "tls:// needs a certificate" in refused.err
