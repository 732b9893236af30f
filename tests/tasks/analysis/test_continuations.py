"""The tree of moves after hits has the counts of the games, move by move."""

from __future__ import annotations

import collections
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cqlgui.base import data, errors, progress
from cqlgui.board import men, moves, tree
from cqlgui.jit import native
from cqlgui.tasks.analysis import continuations
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
DEPTH = 4
QUERIES = ["check", "flip {Bh7}", "sort #[Aa] initial", "pin from [Rr]", "Kg1 kg8 ply > 20", "mate"]


@pytest.fixture
def base() -> base_model.Base:
    sample = helpers.ROOT / "resources" / "sample" / "sample.pgn"
    return importing.open_base([sample]).base


def shown(played: tree.GameTree, number: int) -> str:
    """The name of the move that leads to a position, made from SAN."""
    text = played.san(number).rstrip("+#")
    board = played.positions[played.parents[number]].squares
    move = played.moves[number]
    man = board[moves.origin(move)]
    if moves.flag(move) not in (moves.NULL, moves.CASTLE) and men.kind(man) != men.PAWN:
        text = text[0] + ("x" if "x" in text else "") + text[-2:]
    return ("..." if played.mover(number) == men.BLACK else "") + text


def expected(base: base_model.Base, result: search_model.SearchResult) -> list[list[str]]:
    """The moves after each hit, as played."""
    found = []
    for game in sorted(result.order):
        played = games.load(base, game).tree
        for hit in result.games[game].hits:
            line, at = [], hit.positionid
            while played.children[at] and len(line) < DEPTH:
                at = played.children[at][0]
                line.append(shown(played, at))
            found.append(line)
    return found


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("variations", [False, True])
def test_each_move_has_the_count_that_the_games_give_it(
    base: base_model.Base, query: str, variations: bool
) -> None:
    result = searching.search(base, query, search_model.SearchOptions(variations=variations))
    lines = expected(base, result)
    assert len(lines) == result.positions > 3
    found = continuations.lines(base, result, DEPTH, normalised=False)
    made = continuations.tree(found, DEPTH)
    assert made["count"] == len(lines)
    first = collections.Counter(line[0] for line in lines if line)
    assert {one["move"]: one["count"] for one in made["children"]} == first
    chooser = random.Random(5)
    for _ in range(20):
        path = chooser.choice(lines)[: chooser.randrange(1, DEPTH)]
        numbers, at = [], found
        for place, name in enumerate(path):
            choices = {one.name: one for one in continuations.node(at, numbers).choices}
            assert name in choices, (path, place)
            numbers.append(choices[name].move)
        wanted = collections.Counter(
            line[len(path)] for line in lines if len(line) > len(path) and same_moves(line, path)
        )
        choices = {one.name: one.count for one in continuations.node(found, numbers).choices}
        assert choices == wanted


def same_moves(line: list[str], path: list[str]) -> bool:
    """Whether a line begins with the moves of a path, each side's moves in any order."""
    begun = line[: len(path)]
    return sorted(begun[::2]) == sorted(path[::2]) and sorted(begun[1::2]) == sorted(path[1::2])


SPECIAL = """[Event "?"]
[Result "1-0"]

1. e4 a6 2. e5 d5 3. exd6 Nc6 (3... e6 4. d7+ Bxd7 (4... Kxd7 5. Nf3) 5. Nf3) 4. dxc7 Bd7 5. Nf3 e6 6. Be2 Be7
7. O-O Nf6 8. cxd8=R+ Rxd8 9. d4 O-O 10. -- Bd6 11. Nc3 1-0

[Event "?"]
[Result "0-1"]
[SetUp "1"]
[FEN "r3k2r/8/8/8/8/8/p7/4K3 b kq - 0 1"]

1... O-O-O 2. Kf1 a1=Q+ 3. Kg2 Qb2+ 0-1
"""


@pytest.mark.parametrize("variations", [False, True])
def test_special_moves_have_their_names(tmp_path: Path, variations: bool) -> None:
    (tmp_path / "special.pgn").write_text(SPECIAL, encoding="utf-8")
    special = importing.open_base([tmp_path / "special.pgn"]).base
    result = searching.search(special, "true", search_model.SearchOptions(variations=variations))
    found = continuations.lines(special, result, DEPTH, normalised=False)
    named = [
        [continuations.name(move) for move in line if move != continuations.END]
        for line in found.moves.T.tolist()
    ]
    assert named == expected(special, result)
    assert {"exd6", "O-O", "...O-O-O", "cxd8=R", "...a1=Q", "--"} <= {name for line in named for name in line}


def test_more_plies_of_known_lines_are_those_of_new_lines(base: base_model.Base) -> None:
    result = searching.search(base, "flip {Bh7}")
    whole = continuations.lines(base, result, DEPTH, normalised=True)
    grown = continuations.lines(base, result, 1, normalised=True)
    grown = continuations.lines(base, result, DEPTH, normalised=True, known=grown)
    assert (grown.moves == whole.moves).all()
    assert all(
        (one.swapped == two.swapped).all() for one, two in zip(grown.pieces, whole.pieces, strict=True)
    )


def library() -> list[str]:
    """Some queries of the library, chosen at random."""
    paths = sorted((helpers.ROOT / "resources" / "queries").rglob("*.cql"))
    texts = [path.read_text(encoding="utf-8") for path in random.Random(11).sample(paths, 24)]
    return [text for text in texts if not {"writefile", "readfile"} & set(text.split())]


@pytest.mark.parametrize("normalised", [False, True])
def test_the_counts_of_the_places_add_up_for_queries_of_the_library(
    base: base_model.Base, normalised: bool
) -> None:
    chooser, met = random.Random(3), 0
    for text in library():
        result = searching.search(base, text)
        found = continuations.lines(base, result, 3, normalised=normalised)
        path: list[int] = []
        place = continuations.node(found, path)
        assert place.count == result.positions
        while True:
            assert sum(one.count for one in place.choices) + place.ended == place.count
            assert place.count == len(continuations.reaching(found, path))
            for one in place.choices:
                assert one.wins + one.draws + one.losses <= one.count
            if not place.choices or len(path) == 2:
                break
            chosen = chooser.choice(place.choices)
            path.append(chosen.move)
            place = continuations.node(found, path)
            assert place.count >= chosen.count
            # What more there is came by another order of the moves.
            assert place.count - place.others <= chosen.count
            met += 1
    assert met > 20


def test_scores_ratings_and_years_are_those_of_the_games(base: base_model.Base) -> None:
    result = searching.search(base, "initial")
    place = continuations.node(continuations.lines(base, result, 1, normalised=False), [])
    firsts: dict[str, list[base_model.GameRow]] = {}
    for game in result.order:
        played = games.load(base, game).tree
        if len(played) > 1:
            firsts.setdefault(shown(played, played.children[0][0]), []).extend(games.rows(base, [game]))
    assert len(place.choices) == len(firsts) > 1
    for one in place.choices:
        rows = firsts[one.name]
        results = collections.Counter(row.result for row in rows)
        assert (one.wins, one.draws, one.losses) == (results["1-0"], results["1/2-1/2"], results["0-1"])
        assert one.year == max(int(row.date[:4]) if row.date[:4].isdecimal() else 0 for row in rows)
        ratings = [[elo for elo in (row.white_elo, row.black_elo) if elo] for row in rows]
        means = [sum(pair) / len(pair) for pair in ratings if pair]
        assert one.rating == (pytest.approx(sum(means) / len(means)) if means else None)


def test_an_example_has_the_moves_of_its_place(base: base_model.Base) -> None:
    result = searching.search(base, "initial")
    found = continuations.lines(base, result, 3, normalised=False)
    path: list[int] = []
    for _ in range(2):
        path.append(continuations.node(found, path).choices[0].move)
        place = continuations.node(found, path)
        assert found.moves[: len(path), place.example].tolist() == path
        for one in place.choices:
            line = found.moves[:, one.example].tolist()
            assert sorted(line[: len(path)]) == sorted(path)
            assert line[len(path)] == one.move


def test_an_example_by_another_order_is_taken_if_there_is_no_other(tmp_path: Path) -> None:
    (tmp_path / "two.pgn").write_text(
        "1. d4 Nf6 2. c4 e6 *\n\n1. c4 Nf6 2. d4 g6 *\n\n1. c4 Nf6 2. d4 g6 *\n", encoding="utf-8"
    )
    two = importing.open_base([tmp_path / "two.pgn"]).base
    found = continuations.lines(two, searching.search(two, "initial"), 4, normalised=False)
    place = continuations.node(found, found.moves[:3, 0].tolist())
    assert (place.count, place.others, place.ended, place.example) == (3, 2, 0, 0)
    assert [(one.name, one.count, one.example) for one in place.choices] == [("...g6", 2, 1), ("...e6", 1, 0)]


def test_the_tree_can_be_stopped(base: base_model.Base) -> None:
    found = continuations.lines(base, searching.search(base, "check"), 2, normalised=False)
    token = progress.CancelToken()
    assert continuations.tree(found, 2, cancel=token)["count"] == len(found)
    token.cancel()
    with pytest.raises(errors.Cancelled):
        continuations.tree(found, 2, cancel=token)


def test_a_sorted_result_has_the_same_tree(base: base_model.Base) -> None:
    plain, ordered = searching.search(base, "check"), searching.search(base, "sort ply check")
    assert list(ordered.order) != sorted(ordered.order)
    one, other = (
        continuations.tree(continuations.lines(base, result, 2, normalised=False), 2)
        for result in (plain, ordered)
    )
    assert one == other


@pytest.mark.parametrize("query", ["flip {Bh7}", "sort ply check"])
def test_a_narrowed_result_has_the_hits_of_the_place(base: base_model.Base, query: str) -> None:
    result = searching.search(base, query)
    found = continuations.lines(base, result, 1, normalised=False)
    chosen = continuations.node(found, []).choices[0]
    narrowed = continuations.narrowed(found, [chosen.move], result)
    assert narrowed.positions == chosen.count < result.positions
    again = continuations.node(continuations.lines(base, narrowed, 1, normalised=False), [])
    assert again.choices == (data.replace(chosen, example=0),)
    assert again.ended == 0
    assert set(narrowed.order) <= set(result.order)


def test_hits_of_other_games_are_refused(base: base_model.Base, tmp_path: Path) -> None:
    (tmp_path / "one.pgn").write_text("1. d4 Nf6 *\n", encoding="utf-8")
    one = importing.open_base([tmp_path / "one.pgn"]).base
    with pytest.raises(errors.CqlguiError, match="not those of the open games"):
        continuations.lines(one, searching.search(base, "mate"), 1, normalised=False)


def test_a_cancelled_count_ends(base: base_model.Base) -> None:
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        continuations.lines(base, searching.search(base, "mate"), 1, normalised=False, cancel=token)


def test_moves_of_a_path_are_numbered_from_the_hit(base: base_model.Base) -> None:
    found = continuations.lines(base, searching.search(base, "initial"), 4, normalised=False)
    line = found.moves[:, 0].tolist()
    names = [continuations.name(move).removeprefix("...") for move in line]
    assert continuations.numbered(line) == [f"1.{names[0]}", names[1], f"2.{names[2]}", names[3]]
    assert continuations.numbered(line[1:]) == [f"1...{names[1]}", f"2.{names[2]}", names[3]]
    assert continuations.label(line[1:3], line[3]) == f"2...{names[3]}"


def test_huge_results_have_a_limited_depth() -> None:
    assert continuations.deepest(0) == continuations.deepest(1_000_000) == continuations.DEEPEST
    assert continuations.deepest(100_000_000) == 1
    for hits in (7_000_000, 11_000_000, 50_000_000):
        assert 2 * hits * continuations.deepest(hits) <= continuations.MOST_BYTES


def check_sums(node: dict[str, Any]) -> int:
    """Check that the counts of each node add up. Returns the number of nodes with children."""
    if "children" not in node:
        return 0
    total = sum(child["count"] for child in node["children"]) + node["ended"]
    assert total == node.get("joined", node["count"])
    return 1 + sum(map(check_sums, node["children"]))


@pytest.mark.parametrize("query", QUERIES)
def test_the_counts_of_a_node_add_up(base: base_model.Base, query: str) -> None:
    result = searching.search(base, query)
    found = continuations.lines(base, result, DEPTH, normalised=True)
    assert check_sums(continuations.tree(found, DEPTH)) > 0


def test_orders_of_the_same_moves_are_one_node(base: base_model.Base) -> None:
    made = continuations.tree(
        continuations.lines(base, searching.search(base, "initial"), 6, normalised=False), 6
    )
    joins = []

    def look(node: dict[str, Any], path: list[str]) -> None:
        for child in node.get("children", []):
            way = [*path, child["move"]]
            if "joins" in child:
                joins.append(way)
                assert sorted(child["joins"]) == sorted(way)
                assert child["joined"] > child["count"]
                assert "children" not in child
            look(child, way)

    look(made, [])
    assert joins


# The side to move tells the two elements apart, so no hit matches both.
TWINS = [
    ("wtm Ra1 not ra8", "btm ra8 not Ra1"),
    ("btm Bh7 kg8", "wtm bh2 Kg1"),
    ("wtm power A > power a", "btm power a > power A"),
    ("btm check Pe5", "wtm check pe4"),
]


@pytest.mark.parametrize("pair", TWINS)
def test_a_query_and_its_twin_add_up(base: base_model.Base, pair: tuple[str, str]) -> None:
    def counts(query: str) -> collections.Counter[str]:
        result = searching.search(base, query)
        found = continuations.lines(base, result, 2, normalised=True)
        whole: collections.Counter[str] = collections.Counter()
        for one in continuations.node(found, []).choices:
            whole[one.name] += one.count
            whole[f"{one.name} won"] += one.wins
            whole[f"{one.name} lost"] += one.losses
        return whole

    one, twin = (counts(query) for query in pair)
    assert one
    assert twin
    swapped: collections.Counter[str] = collections.Counter()
    for key, count in twin.items():
        name, _, how = key.partition(" ")
        turned = {"won": " lost", "lost": " won", "": ""}[how]
        swapped[other_side(name) + turned] += count
    assert counts(f"flipcolor {{{pair[0]}}}") == one + swapped


def other_side(name: str) -> str:
    """The name of a move with the colours swapped."""
    mirrored = name.removeprefix("...").translate(str.maketrans("12345678", "87654321"))
    return mirrored if name.startswith("...") else f"...{mirrored}"


@pytest.mark.parametrize("query", ["flipcolor {wtm Ra1 not ra8}", "mate", "check"])
def test_a_place_with_one_line_is_like_any_other(
    base: base_model.Base, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = searching.search(base, query)
    found = continuations.lines(base, result, DEPTH, normalised=True)
    made = continuations.tree(found, DEPTH)

    def counted(lines: Any, piece: Any, ply: int, line: int) -> continuations.Node:
        table = continuations._table()
        rows = np.array([line])
        continuations._tally(lines, piece, continuations._NO_ROWS, ply, rows, table)
        return continuations._node(table, piece.moves[ply, rows].astype(np.int64), 0)

    monkeypatch.setattr(continuations, "_single", counted)
    assert continuations.tree(found, DEPTH) == made
