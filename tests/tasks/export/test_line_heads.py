"""The beginnings of JSON lines, for headers of all kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.db import own_texts
from cqlgui.jit import native
from cqlgui.tasks.databases import importing
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


def _base(folder: Path, games: int) -> base_model.Base:
    path = folder / "games.pgn"
    parts = []
    for number in range(games):
        tags = "".join(f'[{name} "{_escaped(text)}"]\n' for name, text in _tags(number).items())
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


def test_all_texts_of_a_table_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = _base(tmp_path, 700)
    result = searching.search(base, "initial")
    found, order = result.games, list(result.order)
    parts = hit_table.blocks(base, found, order, result.orbits, variations=False, told=False)
    block = next(parts)
    heads = line_heads.Heads()
    read, whole = heads.of(block), []
    monkeypatch.setattr(line_heads, "_MANY", 5)
    monkeypatch.setattr(line_heads, "_SHARE", 100)
    kept = row_kernel.Pool.add_quoted

    def add_quoted(pool: row_kernel.Pool, text: bytes, ends: object) -> int:
        whole.append(text)
        return kept(pool, text, ends)

    monkeypatch.setattr(row_kernel.Pool, "add_quoted", add_quoted)
    again = line_heads.Heads().of(block)
    assert any(b"Player 600" in text for text in whole)
    assert again.text == read.text
    assert again.ends.tolist() == read.ends.tolist()
