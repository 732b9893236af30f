"""What a worker replies arrives as it was found, with all details of the hits."""

from __future__ import annotations

import numpy as np
import pytest

from cqlgui.base import progress
from cqlgui.jit import native
from cqlgui.tasks.asking import queries
from cqlgui.tasks.cluster import messages
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import scheduling, sieving
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="nothing is compiled without machine code")
SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
QUERIES = (
    "check",
    "flipcolor {check wtm}",
    "sort P",
    'sort "checks" find all check',
    'mate comment("mated by " [Aa]->[Kk]) sort "n" ply',
    'check comment("at " k)',
    'flipcolor {wtm check sort "x" #A}',
    "mate player white",
)


@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("details", [search_model.Details.NONE, search_model.Details.ALL])
def test_details_arrive_as_they_were_found(text: str, details: search_model.Details) -> None:
    base = importing.open_base([SAMPLE]).base
    options = search_model.SearchOptions(details=details)
    job = scheduling.job(base, text, options, queries.expanded(text), progress.CancelToken())
    assert job.straight is not None
    chunks = []
    with sieving.Sieve(job.plan, job.sources, job.straight, threads=1) as sieve:
        while not sieve.exhausted:
            chunk = sieve.take(10)
            if chunk is not None:
                chunks.append(chunk)
    whole = found_module.joined([chunk.columns for chunk in chunks if len(chunk.columns)])
    made = messages.chunk(*messages.unpacked(messages.reply(chunks, None, 0.5)))
    assert (made.begin, made.end) == (0, 500)
    assert np.array_equal(made.columns.hits, whole.hits)
    assert np.array_equal(made.columns.codes, whole.codes)
    assert len(whole) > 0
    assert (made.columns.details is None) == (whole.details is None)
    if details is search_model.Details.ALL:
        assert whole.details is not None
    defaults = scheduling.defaults(base, queries.expanded(text), job.said)
    one, other = (found_module.FoundGames(columns, {}, defaults) for columns in (whole, made.columns))
    assert dict(one) == dict(other)
    if whole.details is not None:
        assert made.columns.details is not None
        assert made.columns.details.kind is whole.details.kind
        assert made.columns.details.values.dtype == whole.details.values.dtype
