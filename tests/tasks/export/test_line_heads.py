"""The beginnings of JSON lines, for headers of all kinds."""

from __future__ import annotations

import contextlib
import itertools
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cqlgui.base import errors
from cqlgui.db import catalog, own_texts
from cqlgui.jit import native
from cqlgui.tasks.databases import games, importing, workspace
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.export.formats import hit_lines, line_heads, row_kernel
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import searching

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no machine code here")


def _tags(number: int) -> dict[str, str]:
    """Tags of all kinds: some occur in many games, some in one, and some are missing."""
    tags = {
        "White": f'N. "{number % 7}" \\ é\u2028',
        "Black": f"Player {number % 601}",
        "Site": f"https://example.org/{number:05d}",
        "WhiteElo": str(2400 + number % 3) if number % 5 else "99999999",
        "BlackElo": "2450?",
        "Date": f"{1900 + number % 90}.??.??",
        "ECO": ("B33", "C45", "X99", "")[number % 4],
        "Annotator": f"A: {number % 3}, B",
    }
    if number % 4 == 1:
        tags |= {"Opening": "Own name", "Variation": f"with {number % 5}"}
    if number % 6 == 0:
        del tags["White"]
    if number % 6 == 1:
        del tags["ECO"]
    return tags


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _base(folder: Path, count: int, unusual: str = "") -> base_model.Base:
    """Games with `_tags`. The name of a player in the last game ends with `unusual`."""
    path = folder / "games.pgn"
    parts = []
    for number in range(count):
        known = _tags(number)
        if number == count - 1:
            known["Black"] += unusual
        tags = "".join(f'[{name} "{_escaped(text)}"]\n' for name, text in known.items())
        parts.append(f"{tags}\n1. e4 e5 2. Nf3 *\n\n")
    path.write_text("".join(parts), "utf-8")
    return importing.open_base([path]).base


@pytest.mark.parametrize("piece", [7, hit_table.PIECE])
def test_headers_of_all_kinds(piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = _base(tmp_path, own_texts.LEAST + 200)
    monkeypatch.setattr(hit_table, "PIECE", piece)
    result = searching.search(base, "initial or position 2")
    found, order = result.games, list(result.order)
    assert len(order) == base.games
    expected = [
        hit_lines.quoted(record).encode() + b"\n"
        for record in records.records(base, (found[game] for game in order), result.orbits)
    ]
    # All games at once, and some games at a time.
    for size in (len(order), 97):
        batches = ((order[at : at + size], found) for at in range(0, len(order), size))
        made = b"".join(hit_lines.lines(base, batches, result.orbits, variations=False))
        assert made.splitlines(keepends=True) == expected


def test_texts_that_take_too_much_memory_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = _base(tmp_path, 40)
    result = searching.search(base, "initial")
    found, order = result.games, list(result.order)

    def made() -> list[bytes]:
        batches = (([game], found) for game in order)
        return b"".join(hit_lines.lines(base, batches, result.orbits, variations=False)).splitlines()

    expected, pools = made(), []
    monkeypatch.setattr(line_heads, "_MOST_BYTES", 1)
    monkeypatch.setattr(row_kernel, "Pool", lambda pool=row_kernel.Pool: pools.append(pool()) or pools[-1])
    assert made() == expected
    assert len(pools) == len(order) + 1


@pytest.mark.parametrize("unusual", ["", "\0"])
def test_all_texts_of_a_table_are_read_at_once(
    unusual: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = _base(tmp_path, 90, unusual)
    result = searching.search(base, "initial")
    found, order = result.games, list(result.order)
    expected = [hit_lines.quoted(one) for one in records.of_games(base, found, order, (), variations=False)]
    monkeypatch.setattr(line_heads, "_MANY", 5)
    monkeypatch.setattr(line_heads, "_SHARE", 100)
    tried, usable = [], []
    all_texts = catalog.Catalog.all_texts

    def watched(self: catalog.Catalog, name: str, most: int) -> object:
        read = all_texts(self, name, most)
        tried.append(name)
        usable.extend([] if read is None else [name])
        return read

    monkeypatch.setattr(catalog.Catalog, "all_texts", watched)
    # A few games at a time.
    batches = ((order[at : at + 5], found) for at in range(0, len(order), 5))
    made = b"".join(hit_lines.lines(base, batches, (), variations=False)).decode().split("\n")[:-1]
    assert made == expected
    # A table with an unusual text is tried again only when twice as many of its texts are known.
    assert tried.count("black") == (4 if unusual else 1)
    assert ("black" in usable) is (not unusual)


@pytest.mark.parametrize("removed", [False, True])
def test_an_import_may_remove_games_meanwhile(
    removed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first block of a file has 200 games, and the second one has own texts.
    base = _base(tmp_path, own_texts.LEAST + 200)
    result = searching.search(base, "initial")
    found, order = result.games, list(result.order)
    (source,) = base.sources
    known, numbered = workspace.catalog(), games.numbered
    with contextlib.closing(catalog.Catalog(known.path)) as other:

        def cut(*arguments: Any) -> catalog.Numbered:
            """Another program begins to read the source anew."""
            if removed:
                other.begin(source.id, 0)
                return numbered(*arguments)
            read = numbered(*arguments)
            other.begin(source.id, 0)
            return read

        monkeypatch.setattr(games, "numbered", cut)
        lines = hit_lines.lines(base, [(order, found)], (), variations=False)
        if removed:
            # The snapshot begins with the first statement.
            with pytest.raises(errors.SourceError, match="are missing in the catalog"):
                list(lines)
        else:
            assert b"".join(lines).count(b"\n") == len(order)
            with pytest.raises(errors.SourceError, match="are missing in the catalog"):
                list(hit_lines.lines(base, [(order, found)], (), variations=False))
    assert not list(known.path.parent.glob("*.damaged"))


@pytest.mark.parametrize("read", ["numbered", "columns", "rows"])
def test_an_import_may_replace_games_meanwhile(
    read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row has the moves of one text and the headers of another one."""
    base = _base(tmp_path, 300)
    result = searching.search(base, "initial")
    found, order = result.games, list(result.order)
    (source,) = base.sources
    text = source.path.read_text("utf-8").replace("Annotator", "Commentator").replace("e4 e5", "d4 d5")
    begun: list[threading.Thread] = []
    # Objects come from an index that is open already, so the first of them are read before the import.
    real, calls = getattr(games, read), itertools.count(0 if read == "rows" else 1)

    def replace() -> None:
        source.path.write_text(text, "utf-8")
        importing.open_base([source.path])

    def late(*arguments: Any, **options: Any) -> Any:
        """The headers are read just after another text was imported."""
        if next(calls) == 1:
            begun.append(threading.Thread(target=replace))
            begun[0].start()
            begun[0].join()
        return real(*arguments, **options)

    monkeypatch.setattr(games, read, late)
    made = {
        "numbered": lambda: hit_lines.lines(base, [(order, found)], (), variations=False),
        "columns": lambda: records.of_games(base, found, order, (), variations=False),
        "rows": lambda: records.records(base, map(found.__getitem__, order), ()),
    }
    with pytest.raises(errors.SourceError, match="was read again since this base was opened"):
        list(made[read]())
    assert begun


def test_few_segments_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = _base(tmp_path, 700)
    result = searching.search(base, "initial or position 2")
    # The first segment has 200 games. The order hops between the segments.
    order = [game for pair in zip(range(1, 201), range(201, 401), strict=True) for game in pair]

    def stretches(games: list[int]) -> list[list[int]]:
        return [some.tolist() for some, *_ in hit_table._stretches(base.sources[0], np.array(games))]

    assert stretches(order) == [[game] for game in order]
    assert stretches([*range(150, 700)]) == [[*range(150, 201)], [*range(201, 700)]]
    monkeypatch.setattr(hit_table, "_SEGMENTS", 1)
    assert stretches(order) == [[1]]
    assert stretches([3, 9, 300]) == [[3, 9]]
    found = result.games
    made = b"".join(hit_lines.lines(base, [(order, found)], (), variations=False)).decode().split("\n")
    expected = map(hit_lines.quoted, records.records(base, map(found.__getitem__, order), ()))
    assert made == [*expected, ""]


def test_the_places_of_kept_texts_take_room() -> None:
    kept = line_heads._Kept(object())
    kept._room("player", 99_999)
    assert kept.size >= 4 * 100_000
