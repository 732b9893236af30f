"""The same queries on one computer and on clusters of several sizes."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cqlgui.base.files import disk
from cqlgui.cql.ast import nodes
from cqlgui.tasks.asking import queries
from cqlgui.tasks.cluster import clients, publishing
from cqlgui.tasks.databases import importing, published
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers
from tests.helpers import searched

RECORDED = helpers.SHARED / "conformance"
SOURCE_GAMES = 300
"""Games of a source. A source of so many games has two parts, and parts are what a cluster hands out."""
_EVENT = re.compile(rb"^(?=\[Event )", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """A query, and whether variations are searched too."""

    name: str
    text: str
    variations: bool


def recorded() -> Iterator[Asked]:
    """The queries of the conformance set that need no files."""
    for line in (RECORDED / "queries.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if "file-access" not in row["tags"]:
            yield Asked(row["id"], row["query"], False)


def divided(files: Iterable[Path], folder: Path, games: int | None = None) -> list[Path]:
    """The games of some files, the first `games` of each, in files of `SOURCE_GAMES` games."""
    made: list[Path] = []
    for file in files:
        texts = [text for text in _EVENT.split(file.read_bytes()) if text.strip()][:games]
        for begin in range(0, len(texts), SOURCE_GAMES):
            made.append(folder / f"{len(made)}-{file.name}")
            disk.replace_file(made[-1], b"".join(texts[begin : begin + SOURCE_GAMES]))
    return made


def published_base(files: Sequence[Path], folder: Path) -> base_model.Base:
    """The files as a published base."""
    publishing.publish(importing.open_base(files).base, str(folder))
    return published.open_base(str(folder), adopt=False).base


def answers(base: base_model.Base, asked: Asked) -> search_model.SearchResult:
    """What one computer finds."""
    return searching.search(base, asked.text, search_model.SearchOptions(variations=asked.variations))


def digests(result: search_model.SearchResult) -> dict[str, str]:
    """A digest of each part of a result, without what may differ between computers."""
    found = searched.plain(result)
    del found["notices"]
    found["games"] = dict(found["games"])
    return {name: hashlib.blake2b(repr(value).encode()).hexdigest() for name, value in found.items()}


def differences(
    base: base_model.Base,
    address: str,
    wanted: Iterable[tuple[Asked, dict[str, str]]],
    told: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """The queries that find something else on a cluster, each with the names of what differs."""
    found: list[str] = []
    with clients.Dask(address) as scheduler:
        for asked, expected in wanted:
            began = time.perf_counter()
            options = search_model.SearchOptions(variations=asked.variations)
            result = searching.search(base, asked.text, options, scheduler=scheduler)
            got = digests(result)
            names = [name for name in expected if got[name] != expected[name]]
            if names:
                found.append(f"{asked.name}: {', '.join(names)}")
                told(found[-1])
            told(f"  {asked.name}: {len(result.order)} games, {time.perf_counter() - began:.2f} s")
    return found


def is_askable(asked: Asked) -> bool:
    """Whether the query is sound and uses no files."""
    try:
        expanded = queries.expanded(asked.text)
    except queries.Rejected:
        return False
    assert isinstance(expanded.query, nodes.Query)
    return not list(queries.file_uses(expanded))
