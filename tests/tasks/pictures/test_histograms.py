"""Histograms have the counts that the tags of the games give, and their bars lead to the hits behind them."""

from __future__ import annotations

import collections
import csv
import io
from collections.abc import Callable
from pathlib import Path

import chess.pgn
import pytest

from cqlgui.db import openings
from cqlgui.jit import native
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.databases import importing
from cqlgui.tasks.pictures import histograms, pictures
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
By = histograms.By


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([SAMPLE]).base


def number(text: str) -> int:
    return int(text[:4]) if text[:4].isdecimal() and int(text[:4]) else -1


def mean(headers: chess.pgn.Headers) -> int:
    known = [elo for elo in (number(headers.get(f"{side}Elo", "")) for side in ("White", "Black")) if elo > 0]
    return sum(known) // len(known) if known else -1


VALUES: dict[histograms.By, Callable[[chess.pgn.Headers], object]] = {
    By.YEAR: lambda headers: number(headers["Date"]),
    By.WHITE_ELO: lambda headers: number(headers.get("WhiteElo", "")),
    By.BLACK_ELO: lambda headers: number(headers.get("BlackElo", "")),
    By.MEAN_ELO: mean,
    By.RESULT: lambda headers: headers["Result"],
    By.VOLUME: lambda headers: headers.get("ECO", "?")[:1],
    By.OPENING: lambda headers: getattr(openings.of_code(headers.get("ECO", "?")), "opening", "?"),
}


def headers_of_games() -> list[chess.pgn.Headers]:
    with SAMPLE.open(encoding="utf-8") as file:
        return list(iter(lambda: chess.pgn.read_headers(file), None))  # type: ignore[arg-type]  # ends with None


def belongs(bar: histograms.Bar, by: histograms.By, value: object) -> bool:
    """Whether a value of a game belongs to a bar."""
    if isinstance(value, int):
        return bar.keys[0] <= value < bar.keys[1]
    if by is By.VOLUME:
        return bar.words[:1] == value if value in openings.VOLUMES else bar.words == "unknown"
    return bar.words == ("unknown" if value == "?" and by is By.OPENING else value)


@pytest.mark.parametrize("by", list(VALUES))
@pytest.mark.parametrize("query", ["check", "flipcolor {wtm Rd1 rd8}"])
def test_bars_count_the_hits_of_the_games_with_their_values(
    base: base_model.Base, by: histograms.By, query: str
) -> None:
    result = searching.search(base, query)
    values = [VALUES[by](headers) for headers in headers_of_games()]
    of_games = {game: len(result.games[game].hits) for game in result.order}
    found = histograms.histogram(base, result, by)
    assert found.positions == sum(of_games.values()) == sum(bar.positions for bar in found.shown)
    assert len(found.shown) > 1 or by is not By.RESULT
    for bar in found.shown:
        games = [game for game in of_games if belongs(bar, by, values[game - 1])]
        assert bar.games == len(games), bar
        assert bar.positions == sum(of_games[game] for game in games), bar
        narrowed = histograms.having(base, result, by, [bar.keys])
        assert sorted(narrowed.order) == sorted(games)


def test_plies_are_counted_in_intervals_that_cover_them(base: base_model.Base) -> None:
    result = searching.search(base, "check")
    plies = [hit.positionid for game in result.order for hit in result.games[game].hits]
    found = histograms.histogram(base, result, By.PLY)
    assert len(found.bars) <= histograms.MOST_BARS
    for bar in found.bars:
        first, end = bar.keys
        assert end - first == found.width
        assert bar.positions == sum(first <= ply < end for ply in plies)
    brushed = found.bars[3:6]
    narrowed = histograms.having(base, result, By.PLY, [bar.keys for bar in brushed])
    assert narrowed.positions == sum(bar.positions for bar in brushed)
    assert histograms.words_of(By.PLY, brushed) == f"ply {brushed[0].keys[0]}-{brushed[-1].keys[1] - 1}"
    apart = [brushed[2], brushed[0]]
    assert histograms.words_of(By.PLY, apart) == f"ply {brushed[0].words}, {brushed[2].words}"


def test_plies_are_not_told_in_variations(base: base_model.Base) -> None:
    result = searching.search(base, "check", search_model.SearchOptions(variations=True))
    found = histograms.histogram(base, result, By.PLY)
    assert not found.bars
    assert "variations" in found.note.lower()


@pytest.mark.parametrize(("by", "other"), [(By.RESULT, By.RESULT), (By.WHITE_ELO, By.BLACK_ELO)])
def test_a_frame_that_swaps_the_colours_swaps_the_sides(
    base: base_model.Base, by: histograms.By, other: histograms.By
) -> None:
    def counts(query: str, by: histograms.By, swapped: bool = False) -> collections.Counter[str]:
        found = histograms.histogram(base, searching.search(base, query), by, normalised=True)
        words = {"1-0": "0-1", "0-1": "1-0"} if swapped else {}
        return collections.Counter({words.get(bar.words, bar.words): bar.positions for bar in found.shown})

    # The side to move tells the two elements apart, so no hit matches both.
    one, twin = counts("wtm Ra1 not ra8", by), counts("btm ra8 not Ra1", other, swapped=True)
    assert one
    assert counts("flipcolor {wtm Ra1 not ra8}", by) == one + twin


def test_ratings_of_more_than_four_digits_are_unknown(tmp_path: Path) -> None:
    path = tmp_path / "slip.pgn"
    game = '[WhiteElo "{}"]\n[BlackElo "2450"]\n\n1. e4 *\n\n'
    path.write_text("".join(game.format(elo) for elo in (2500, 12345, 9999)), encoding="utf-8")
    own = importing.open_base([path]).base
    result = searching.search(own, "wtm")
    found = histograms.histogram(own, result, By.WHITE_ELO)
    assert (found.unknown.games, sum(bar.games for bar in found.bars)) == (1, 2)
    assert found.bars[0].keys[0] == 2400
    means = histograms.histogram(own, result, By.MEAN_ELO)
    assert sum(bar.games for bar in means.bars) == 3


def test_no_hits_and_no_values_are_said_in_words(base: base_model.Base, tmp_path: Path) -> None:
    assert (
        histograms.histogram(base, searching.search(base, "ply > 5000"), By.YEAR).note
        == "The result has no hits."
    )
    path = tmp_path / "bare.pgn"
    path.write_text('[Result "*"]\n\n1. e4 *\n', encoding="utf-8")
    own = importing.open_base([path]).base
    result = searching.search(own, "wtm")
    for by in (By.YEAR, By.WHITE_ELO, By.MEAN_ELO, By.VOLUME, By.OPENING):
        found = histograms.histogram(own, result, by)
        assert found.note.endswith("is not known for any hit."), by
        assert found.unknown.positions == result.positions == 1


def test_a_far_away_value_makes_no_endless_row_of_bars(tmp_path: Path) -> None:
    path = tmp_path / "dates.pgn"
    games = (f'[Date "{year}.??.??"]\n[Result "*"]\n\n1. e4 *\n\n' for year in ("0001", "1999", "9999"))
    path.write_text("".join(games), encoding="utf-8")
    own = importing.open_base([path]).base
    found = histograms.histogram(own, searching.search(own, "btm"), By.YEAR)
    assert len(found.bars) <= histograms.MOST_BARS
    assert [bar.positions for bar in found.shown] == [1, 1, 1]


def test_the_table_is_written_as_csv_that_is_read_back(base: base_model.Base) -> None:
    found = histograms.histogram(base, searching.search(base, "check"), By.OPENING)
    head, *rows = csv.reader(io.StringIO(found.table.csv()))
    assert head == ["Opening", "Hits", "Share", "Games"]
    assert [(row[0], int(row[1]), int(row[3])) for row in rows] == [
        (bar.words, bar.positions, bar.games) for bar in found.shown
    ]
    assert sum(float(row[2]) for row in rows) == pytest.approx(1, abs=1e-4)


def test_a_cell_is_no_formula_and_a_tabbed_cell_no_new_line() -> None:
    table = pictures.Table(("Filter", "Games"), (("=1+1", 2), ("a\tb\nc", 3)))
    assert "'=1+1,2" in table.csv()
    assert table.tabbed().splitlines() == ["Filter\tGames", "'=1+1\t2", "a b c\t3"]


def test_an_opening_is_that_of_the_games_own_tags_if_there_are_any(tmp_path: Path) -> None:
    heads = (
        '[ECO "B90"]\n[Opening "Sicilian Defense: Najdorf"]',
        '[ECO "B90"]\n[Opening "Sicilian Defense"]\n[Variation "Najdorf"]',
        '[ECO "B90"]\n[Opening "?"]',
        '[Opening "Sicilian Defense"]',
        '[ECO "C57"]',
        '[Event "no opening"]',
    )
    path = tmp_path / "tagged.pgn"
    path.write_text("\n\n".join(f"{head}\n\n1. e4 *" for head in heads), encoding="utf-8")
    own = importing.open_base([path]).base
    result = searching.search(own, "btm")
    sicilian, italian = (found.opening for found in map(openings.of_code, ("B90", "C57")) if found)
    found = histograms.histogram(own, result, By.OPENING)
    assert {bar.words: bar.games for bar in found.shown} == {
        "Sicilian Defense": 3,
        sicilian: 1,
        italian: 1,
        "unknown": 1,
    }
    for bar, wanted in ((found.shown[0], [1, 2, 4]), (found.shown[-1], [6])):
        assert list(histograms.having(own, result, By.OPENING, [bar.keys]).order) == wanted
    # The line that narrows games has the same names.
    assert games_module.fitting(own, 'opening:"Sicilian Defense"').tolist() == [1, 2, 4]
