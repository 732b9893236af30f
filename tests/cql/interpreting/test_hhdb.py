"""`hhdb`: marks, comments, texts and awards of the study database."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.families import closures_studies
from cqlgui.cql.transforming import transforms
from tests.helpers import games

STUDY = """[Event "{event}"]
[White "{white}"]
[Black "{black}"]
[Result "1-0"]

{{{first}}} 1. e4 e5 (1... c5 2. Nf3 {{<cook> here}} d6 (2... e6 {{<minor_dual>}}))
(1... e6 {{<main> too}} 2. d4) 2. Nf3 {{<eg> no}} *
"""


def study(**facts: str) -> games.Game:
    usual = {
        "event": "1.p EG#12",
        "white": "Reti=R NN",
        "black": "(+0400.20a1b2) TT",
        "first": "stipulation: win.",
    }
    text = STUDY.format(**{**usual, **facts})
    (game,) = games.from_pgn(text)
    game.host.raw = text
    return game


def values(query: str, **facts: str) -> list[tuple[int, str | None]]:
    """Positions and values of the hits."""
    game = study(**facts)
    outcome = interpreter.Program(transforms.expand(check.check(query))).run(game.tree, game.host)
    return [(hit.positionid, hit.value) for hit in outcome.hits] if outcome else []


def value(filter: str, **facts: str) -> str | None:
    """The value at the start; "" for a match without one, None for no match."""
    found = values(f"cql(variations) initial {filter}", **facts)
    return None if not found else found[0][1] or ""


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("composer", "Reti=R"),
        ("diagram", "12"),
        ("stipulation", "win"),
        ("firstcomment", "stipulation: win."),
        ("search", "1.p EG#12\nReti=R NN\n(+0400.20a1b2) TT\nstipulation: win."),
        ("gbr", "+0400.20a1b2"),
        ("gbr material", "0400.20"),
        ("gbr kings", "a1b2"),
        ("gbr pieces", "0400"),
        ("gbr pawns", "20"),
        ("egdiagram", None),
        ('composer "Reti"', ""),
        ('composer "Troitzky"', None),
        ('gbr kings "b2"', ""),
        ("TT", ""),
        ("theme_tourney", ""),
        ("TW", None),
        ('"(c)"', None),
    ],
)
def test_a_study_tells(key: str, expected: str | None) -> None:
    assert value(f"hhdb {key}") == expected


@pytest.mark.parametrize(
    ("key", "facts", "expected"),
    [
        ("composer", {"black": "MC", "first": "A=B, C=D. More."}, "A=B, C=D"),
        ("composer", {"black": "MC", "first": "no end"}, None),
        ("composer", {"white": ""}, None),
        ("egdiagram", {"first": "(EG#20923)."}, "20923"),
        ("diagram", {"event": "EG"}, None),
        ("diagram", {"event": "EG#12 second"}, "12"),
        ("search", {"event": ""}, None),
        ("search", {"first": ""}, "1.p EG#12\nReti=R NN\n(+0400.20a1b2) TT"),
        ("gbr", {"black": "(0400.20a1b2)"}, None),
        ('"(c)"', {"black": "(=0400.20a1b2) (c)"}, ""),
        ("correction", {"black": "(c)"}, ""),
    ],
)
def test_other_studies_tell(key: str, facts: dict[str, str], expected: str | None) -> None:
    assert value(f"hhdb {key}", **facts) == expected


@pytest.mark.parametrize(
    ("marks", "cook", "holding"),
    [
        ("", False, {"sound"}),
        ("", True, {"sound", "cooked", "unsound"}),
        ("U1", False, {"sound", "dual", "unsound"}),
        ("U2", True, {"dual", "cooked", "unsound"}),
        ("U3", False, {"unsound"}),
        ("U5", True, {"unsound", "cooked"}),
    ],
)
def test_soundness(marks: str, cook: bool, holding: set[str]) -> None:
    game = study(black=marks)
    game.host.raw = "{<cook>}" if cook else ""
    found = set()
    for key in ("cooked", "dual", "sound", "unsound"):
        expanded = transforms.expand(check.check(f"initial hhdb {key}"))
        if interpreter.Program(expanded).run(game.tree, game.host):
            found.add(key)
    assert found == holding


def test_comments_mark_positions_and_main_variations_belong_to_the_solution() -> None:
    # Preorder: 1 e4, 2 e5, 3 Nf3, 4 c5, 5 Nf3, 6 d6, 7 e6, 8 e6, 9 d4.
    def where(key: str) -> list[int]:
        return [place for place, _ in values(f"cql(variations) hhdb {key}")]

    assert where('"<cook>"') == [5]
    assert where('"<minor_dual>"') == [7]
    assert where('"<eg>"') == [3]
    assert where('"<main>"') == [8]
    assert where("variation") == [4, 5, 6, 7]
    assert where("mainline") == [0, 1, 2, 3, 8, 9]


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("1.p Magyar", ("prize", False, 1, 1)),
        ("2/3.hm EG", ("hm", False, 2, 3)),
        ("1.sp.p", ("prize", True, 1, 1)),
        ("sp.c Uralski", ("commendation", True, None, None)),
        (".p EG", ("prize", False, None, None)),
        ("3/2.p", None),
        ("2/2.p", None),
        ("0.p", None),
        ("p EG", None),
        ("EG 1.p", None),
        ("1sp.p", None),
    ],
)
def test_awards_stand_at_the_head_of_the_event(
    event: str, expected: tuple[str, bool, int | None, int | None] | None
) -> None:
    found = closures_studies.award_of(event)
    got = None if found is None else (found.category, found.special, found.low, found.high)
    assert got == expected


@pytest.mark.parametrize(
    ("event", "filter", "expected"),
    [
        ("2/3.hm", "award", "2"),
        ("2/3.hm", "hm max", "3"),
        ("2/3.hm", "prize", None),
        ("1.p", "prize", "1"),
        ("1.p", "special", None),
        ("2.sp.p", "special prize", "2"),
        ("2.sp.p", "prize==2", None),
        ("2.sp.p", "prize", ""),
        ("2.p", "prize", "2"),
        ("sp.c", "special commendation max", "10000"),
        (".c", "commendation", "1"),
        ("EG", "award", None),
    ],
)
def test_ranks(event: str, filter: str, expected: str | None) -> None:
    found = values(f"initial hhdb {filter}", event=event)
    assert (None if not found else found[0][1] or "") == expected


_AROUND = [
    "{}",
    "--({})",
    "{{wtm {}}}",
    "flip {{{}}}",
    "if true {} else 3",
    "currentposition:{}",
    "notransform {}",
]


@pytest.mark.parametrize("around", [*_AROUND, "function f() {{{}}} f()"])
def test_an_award_without_value_matches_wherever_it_stands(around: str) -> None:
    whole = around.format("hhdb award")
    assert len(values(f"{whole} initial", event="2.sp.p")) == 1
    assert [value for _, value in values(f"initial {whole}", event="2.sp.p")] == [None]
    assert [value for _, value in values(f"initial {whole}", event="2.p")] == ["2"]
    assert not values(f"initial {whole}", event="EG")


def test_sorting_by_awards_puts_the_best_first() -> None:
    program = interpreter.Program(transforms.expand(check.check("initial hhdb sort award")))
    assert [(spec.doc, spec.descending, spec.quiet) for spec in program.sort_specs] == [
        ("cql_category", False, True),
        ("cql_truerank", False, True),
        ("cql_maxrank", False, True),
    ]
    keys = []
    for number, event in enumerate(("1.c", "2.hm", "1/2.p", "1.p", "1.sp.p", "sp.hm"), 1):
        game = study(event=event)
        outcome = program.run(game.tree, game.host)
        assert outcome is not None
        keys.append((number, outcome.sort_keys))
        assert [text for _, text in outcome.comments] == ["Game number 1", "CQL"]
    assert program.order(keys) == [4, 3, 5, 2, 6, 1]
    game = study(event="no award")
    assert program.run(game.tree, game.host) is None
    special = interpreter.Program(transforms.expand(check.check("initial hhdb sort special prize")))
    assert special.run(study(event="1.p").tree, study(event="1.p").host) is None


def test_transforms_leave_study_keys_alone() -> None:
    assert len(transforms.expand(check.check("flip hhdb gbr kings")).orbits[0].elements) == 1
