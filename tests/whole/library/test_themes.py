"""Every theme of the shipped library finds the game that shows it and passes over the near miss.

The games stand beside this file, one PGN file a group of themes: tag `Theme` names the query's file below
`resources/queries`, `Expect` is "match" or "near miss", `Point` says what decides.
"""

from __future__ import annotations

import collections
import re
from pathlib import Path

import pytest

from cqlgui.cql.explaining import explain
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.source import tokens
from cqlgui.cql.syntax.reading import lexer
from cqlgui.tasks.asking import library, queries
from tests import helpers
from tests.helpers import games

QUERIES = helpers.ROOT / "resources" / "queries"
THEMES = sorted(path.relative_to(QUERIES).with_suffix("").as_posix() for path in QUERIES.rglob("*.cql"))
KINDS = ("match", "near miss")
CONSTANTS = frozenset({tokens.Kind.NUMBER, tokens.Kind.STRING, tokens.Kind.RESULT, tokens.Kind.NAME})
"""Tokens of which only the kind belongs to a query's shape."""


def _pairs() -> dict[tuple[str, str], list[games.Game]]:
    found: dict[tuple[str, str], list[games.Game]] = collections.defaultdict(list)
    for path in sorted(Path(__file__).parent.glob("*.pgn")):
        for game in games.from_pgn(path.read_text(encoding="utf-8")):
            theme = game.host.tags["Theme"]
            assert theme.split("/")[0] == path.stem, f"{theme} stands in {path.name}"
            found[theme, game.host.tags["Expect"]].append(game)
    return found


PAIRS = _pairs()


def test_every_theme_has_one_match_and_one_near_miss() -> None:
    assert len(THEMES) >= 125
    assert {key: len(found) for key, found in PAIRS.items()} == {
        (t, kind): 1 for t in THEMES for kind in KINDS
    }
    assert [key for key, (game,) in PAIRS.items() if not game.host.tags.get("Point")] == []


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_finds_its_game_and_passes_over_the_near_miss(theme: str) -> None:
    entry = library.read(QUERIES / f"{theme}.cql")
    assert queries.findings(entry.text) == ()
    expanded = queries.expanded(entry.text)
    assert expanded.query is not None
    program = interpreter.Program(expanded)
    (match,), (near,) = PAIRS[theme, "match"], PAIRS[theme, "near miss"]
    outcome = program.run(match.tree, match.host)
    assert outcome is not None, match.host.tags["Point"]
    assert program.run(near.tree, near.host) is None, near.host.tags["Point"]

    # The diagram shows a position that the query speaks of: one that matches, one that it marks on the way,
    # or, where it looks at the whole game from the start, the game's last position.
    searched = match.tree if expanded.query.header.variations else match.tree.mainline()
    shown = {hit.positionid for hit in outcome.hits} | {place for place, _text in outcome.comments}
    if [hit.positionid for hit in outcome.hits] == [0]:
        shown.add(len(match.tree.mainline()) - 1)
    positions = searched.positions
    assert entry.fen.split()[:2] in [positions[place].fen().split()[:2] for place in sorted(shown)]


WING = re.compile(r"\b[a-h][1-8]\b|\b[a-h]-(pawn|file)|\b(king|queen)'s (side|wing|knight)\b")
"""What a description says where its theme is of one wing only."""


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_is_the_same_for_both_colours(theme: str) -> None:
    program = interpreter.Program(queries.expanded((QUERIES / f"{theme}.cql").read_text(encoding="utf-8")))
    match, near = (games.colours_reversed(PAIRS[theme, kind][0]) for kind in KINDS)
    assert program.run(match.tree, match.host) is not None
    assert program.run(near.tree, near.host) is None


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_is_the_same_on_both_wings_unless_its_description_names_one(theme: str) -> None:
    entry = library.read(QUERIES / f"{theme}.cql")
    expanded = queries.expanded(entry.text)
    assert expanded.query is not None
    program = interpreter.Program(expanded)
    match, near = (games.wings_reversed(PAIRS[theme, kind][0]) for kind in KINDS)
    if match is not None and not WING.search(entry.description):
        assert program.run(match.tree, match.host) is not None
    if near is not None:
        assert program.run(near.tree, near.host) is None


def _idle(moves: int) -> str:
    """White's and Black's knights go out and back."""
    pairs = ("Nf3 Nf6", "Ng1 Ng8")
    return " ".join(f"{number + 1}. {pairs[number % 2]}" for number in range(moves))


@pytest.mark.parametrize(
    ("theme", "fen", "played"),
    [
        ("castling/the-king-never-moves", "", f"{_idle(14)} 15. Nf3 Nf6 *"),
        ("endings/outside-the-square", "8/8/8/8/8/7k/P7/7K w - - 0 1", "*"),
        ("games-and-players/miniature", "", f"{_idle(20)} 0-1"),
        ("games-and-players/novelty", "", f"{_idle(25)} {{a novelty}} *"),
        ("games-and-players/peaceful-draw", "", f"{_idle(25)} 1/2-1/2"),
        ("journeys/restless-piece", "", "1. a3 a6 2. b3 b6 3. c3 c6 4. d3 d6 5. e3 Nf6 6. f3 Ng8 "
         "7. g3 Nf6 8. h3 Ng8 *"),
        ("mates/bodens-mate", "7K/8/8/5B2/8/B7/3p4/2kr4 b - - 0 1", "*"),
        ("mates/damianos-mate", "8/8/8/kQ6/2P5/8/8/6K1 b - - 0 1", "*"),
        ("mates/epaulette-mate", "8/8/7r/5Q1k/7r/8/8/1K6 b - - 0 1", "*"),
        ("mates/legals-mate", "", "1. a3 e5 2. e4 Nf6 3. Nc3 Bc5 4. d3 Nc6 5. Bg5 h6 6. Bh4 Nxe4 "
         "7. Bxd8 Bxf2+ 8. Ke2 Nd4# *"),
        ("mates/two-bishops-side-by-side", "6K1/8/8/2BB4/8/8/7p/7k b - - 0 1", "*"),
        ("openings/fools-mate-diagonal", "", "1. Nh3 a6 2. Ng1 a5 3. Nh3 a4 4. Ng1 b6 5. a3 c6 6. f3 e5 "
         "7. b3 d6 8. g4 Qh4# *"),
        ("openings/scholars-mate", "", "1. a3 e5 2. a4 Bc5 3. a5 Qf6 4. a6 bxa6 5. b3 a5 6. c3 Qxf2# *"),
        ("pawns/locked-centre", "r2q1rk1/ppp1b1pp/2n1pn2/3pP3/3P4/2N1BN2/PPP3PP/R2Q1RK1 w - - 0 1", "*"),
        ("pawns/storm", "1kr2q1r/ppp2p2/2n1b3/8/PP6/2N2Q2/2P2PPP/R4RK1 b - - 0 1", "*"),
        ("pieces/bishops-eye-to-eye", "4k2B/8/8/8/8/8/8/b3K3 w - - 0 1", "*"),
        ("pieces/octopus", "r1r3k1/3r4/1N6/3p4/p7/8/8/6K1 w - - 0 1", "*"),
        ("pieces/outpost", "4k3/8/8/N7/1P6/8/8/4K3 w - - 0 1", "*"),
    ],
)  # fmt: skip
def test_a_theme_finds_the_other_side_wing_and_edge_too(theme: str, fen: str, played: str) -> None:
    (game,) = games.from_pgn(f'[FEN "{fen}"]\n\n{played}' if fen else f"\n{played}")
    expanded = queries.expanded((QUERIES / f"{theme}.cql").read_text(encoding="utf-8"))
    assert interpreter.Program(expanded).run(game.tree, game.host) is not None


@pytest.mark.parametrize(
    ("theme", "fen", "played"),
    [
        # The pawn's double step does not help: the king stands within its square.
        ("endings/outside-the-square", "8/8/8/8/5k2/8/P7/7K w - - 0 1", "*"),
        # The pawn on c2 stands in the way of a lone queen.
        ("endings/rook-and-pawn-fortress", "6k1/6p1/5r2/8/4K1Q1/8/2P5/8 w - - 0 1", "*"),
        ("games-and-players/miniature", "", f"{_idle(20)} 21. Nf3 1-0"),
        # What the king takes is not what was offered.
        ("tactics/decoy-to-mate", "6rk/4N1pp/8/8/4R3/8/8/4K2Q w - - 0 1", "1. Qxh7+ Kxh7 2. Rg4 *"),
        ("pawns/storm", "2kr1q1r/ppp2p2/2n1b3/8/PP6/2N2Q2/2P2PPP/2KR1R2 b - - 0 1", "*"),
    ],
)
def test_a_theme_passes_over_what_its_description_excludes(theme: str, fen: str, played: str) -> None:
    (game,) = games.from_pgn(f'[FEN "{fen}"]\n\n{played}' if fen else f"\n{played}")
    expanded = queries.expanded((QUERIES / f"{theme}.cql").read_text(encoding="utf-8"))
    assert interpreter.Program(expanded).run(game.tree, game.host) is None


@pytest.mark.parametrize("theme", THEMES)
def test_an_explanation_agrees_with_the_search(theme: str) -> None:
    expanded = queries.expanded((QUERIES / f"{theme}.cql").read_text(encoding="utf-8"))
    (match,), (near,) = PAIRS[theme, "match"], PAIRS[theme, "near miss"]
    outcome = interpreter.Program(expanded).run(match.tree, match.host)
    assert outcome is not None
    place = outcome.hits[0].positionid
    assert explain.explain(expanded, match.tree, match.host, place).matched
    assert not explain.explain(expanded, near.tree, near.host, 0).matched


@pytest.mark.parametrize("theme", THEMES)
def test_front_matter_is_complete(theme: str) -> None:
    path = QUERIES / f"{theme}.cql"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("//")]
    fields = [line.split(":")[0] for line in lines if not line.startswith("//  ") and ":" in line]
    assert fields[:4] == ["// title", "// description", "// tags", "// fen"]
    entry = library.read(path)
    assert entry.title
    assert entry.fen
    assert entry.tags
    assert entry.description.endswith(".")
    assert entry.tags == tuple(tag.lower() for tag in entry.tags)


def test_titles_are_all_different() -> None:
    titles = collections.Counter(library.read(QUERIES / f"{t}.cql").title.casefold() for t in THEMES)
    assert [title for title, count in titles.items() if count > 1] == []


def test_no_two_themes_differ_only_by_constants() -> None:
    shapes = collections.defaultdict(list)
    for theme in THEMES:
        shapes[_shape(library.body((QUERIES / f"{theme}.cql").read_text(encoding="utf-8")))].append(theme)
    assert [themes for themes in shapes.values() if len(themes) > 1] == []


def _shape(text: str) -> tuple[str, ...]:
    """What stays of a query when its numbers, texts, results, squares and the names it gives are left out."""
    shape: list[str] = []
    for token in lexer.tokens(text):
        if token.kind in tokens.TRIVIA:
            continue
        if token.kind is tokens.Kind.DESIGNATOR:
            shape.append(f"men {token.men:x}")
        elif token.kind in CONSTANTS:
            shape.append(token.kind)
        else:
            shape.append(token.word or token.text)
    return tuple(shape)


def test_constants_do_not_make_a_shape() -> None:
    assert _shape('X = ra-h6 X -> k sort "a" #X >= 3') == _shape('Y = rc7 Y -> k // b\nsort "c" #Y >= 12')
    assert _shape("ra6 -> k") != _shape("qa6 -> k")
    assert _shape("P >= 3") != _shape("P <= 3")
