"""Every theme of the shipped library finds the game that shows it and passes over the near miss.

The games stand beside this file, one PGN file a group of themes: tag `Theme` names the query's file below
`resources/queries`, `Expect` is "match" or "near miss", `Point` says what decides.
"""

from __future__ import annotations

import collections
from pathlib import Path

import pytest

from cqlgui.cql import explain, interpreter, lexer, tokens
from cqlgui.tasks import library, queries
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
    program = interpreter.Program(queries.expanded(entry.text))
    (match,), (near,) = PAIRS[theme, "match"], PAIRS[theme, "near miss"]
    outcome = program.run(match.tree, match.host)
    assert outcome is not None, match.host.tags["Point"]
    assert program.run(near.tree, near.host) is None, near.host.tags["Point"]

    # The diagram shows a position that the query speaks of: one that matches, one that it marks on the way,
    # or, where it looks at the whole game from the start, the game's last position.
    searched = match.tree if program.needs_variations else match.tree.mainline()
    shown = {hit.positionid for hit in outcome.hits} | {place for place, _text in outcome.comments}
    if [hit.positionid for hit in outcome.hits] == [0]:
        shown.add(len(match.tree.mainline()) - 1)
    positions = searched.positions
    assert entry.fen.split()[:2] in [positions[place].fen().split()[:2] for place in sorted(shown)]


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
