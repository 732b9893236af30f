"""The quick form of `python -m tests.tools.breeding`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cqlgui.cql.checking import check
from cqlgui.jit import native
from tests.tools.breeding import comparing, growing
from tests.tools.keywords import stages


@pytest.mark.timeout(1200)
@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_the_engines_agree_on_bred_queries(tmp_path: Path) -> None:
    found = comparing.run(comparing.own_games(tmp_path, quick=True), 100, 5)
    print("\n".join(found.report()))
    assert not found.differences
    assert found.counts["accepted"] >= 85
    assert found.counts["compared"] >= 70
    assert found.counts["compiled by default"] >= 30
    assert 15 <= found.counts["matching"] <= 90
    assert found.counts["bytes exported"] > 100_000


@pytest.mark.timeout(1200)
@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_the_engines_agree_on_known_queries_with_a_part_under_a_transform(tmp_path: Path) -> None:
    found = comparing.run(comparing.own_games(tmp_path, quick=True), 100, 5, "flip")
    print("\n".join(found.report()))
    assert not found.differences
    assert found.counts["compared"] >= 80
    assert found.counts["compiled by default"] >= 60
    assert found.counts["matching"] >= 30


def test_nearly_all_bred_queries_are_accepted_and_have_every_spelling() -> None:
    grower = growing.Grower(Random(1))
    seen: set[str] = set()
    accepted = 0
    rows = comparing.rows()
    for _ in range(2_000):
        text = grower.query().text()
        if check.check(text).query is not None:
            accepted += 1
            tokens = stages.token_words(text)
            seen |= {row.name for row in rows if row.name not in seen and stages.occurs(row, text, tokens)}
    missing = sorted({row.name for row in rows} - seen)
    print(f"{accepted} accepted; never bred: {missing}")
    assert accepted >= 1_800
    assert not missing


def test_a_smaller_query_lacks_a_part_and_keeps_the_rest() -> None:
    leaf = growing.Tree("L", ("check",))
    both = growing.Tree("L", (leaf, " and ", growing.Tree("L", ("mate",))))
    query = growing.Query("cql(quiet)", (both, leaf))
    assert query.text() == "cql(quiet)\n\ncheck and mate\n\ncheck\n"
    texts = [one.text() for one in query.smaller()]
    assert "cql()\n\ncheck and mate\n\ncheck\n" in texts
    assert "cql(quiet)\n\ncheck\n" in texts
    assert "cql(quiet)\n\nmate\n\ncheck\n" in texts
    assert all(text != query.text() for text in texts)
