"""Old scripts and what they become: exact texts, messages, designators, ranges, shifts, hostile input."""

# Translations stand on one line, as they are printed.
# ruff: noqa: E501

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.cql.checking import check
from cqlgui.cql.legacy import legacy_rules, translate
from cqlgui.cql.legacy.reading import legacy_designators, legacy_shift
from tests import helpers

SCRIPTS = Path(__file__).with_name("legacy_scripts.txt")


@dataclass(frozen=True)
class Script:
    """A pair of the golden file."""

    name: str
    hits: int
    warnings: list[str]
    old: str
    new: str


def scripts() -> list[Script]:
    found = []
    for block in SCRIPTS.read_text(encoding="utf-8").split("\n\n")[1:]:
        heads = re.findall(r"^# (name|hits|warning): (.*)$", block, re.MULTILINE)
        body = "\n".join(line for line in block.splitlines() if not line.startswith("# "))
        old, new = body.split("\n=>\n")
        values = dict(heads)
        warnings = [text for key, text in heads if key == "warning"]
        found.append(Script(values["name"], int(values["hits"]), warnings, old, new.strip("\n") + "\n"))
    return found


def body(old: str, **options: object) -> str:
    """The translation of what stands in one position list, without the header; there must be no error."""
    found = translate.translate(f"(match (position {old}))", **options)  # type: ignore[arg-type]
    assert not found.failed, found.notes
    header, _, text = found.text.partition("\n")
    assert header.startswith("cql(")
    return text.rstrip("\n")


def errors(script: str) -> list[str]:
    found = translate.translate(script)
    assert found.text == "" or not found.failed
    return [note.message for note in found.notes if note.severity == "error"]


@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.name.split()[0])
def test_scripts_become_exactly_these_texts(script: Script) -> None:
    found = translate.translate(script.old)
    assert found.text == script.new
    assert [(note.severity, note.message) for note in found.notes] == [
        ("warning", text) for text in script.warnings
    ]


def test_there_are_all_the_scripts() -> None:
    assert [script.name.split()[0] for script in scripts()] == [f"T{n:02}" for n in range(1, 26)]


REFUSED = {
    "(match (position Xe4))": ("X", "unknown piece letter X"),
    "(match (position Ke6 be7 :relation (:pattern :shift :originalsamecount 0)))": (
        ":shift",
        ":relation with :shift has no CQL 6 equivalent",
    ),
    "(match (position :evaluation depth 6 mate))": (
        ":evaluation",
        ":evaluation has no CQL 6 equivalent (needs a chess engine)",
    ),
    "(match (position :between Ra1 Kh1))": (":between", "unknown keyword :between"),
    "(match (position :opposition K))": (":opposition", ":opposition has no CQL 6 equivalent"),
}


@pytest.mark.parametrize("script", REFUSED)
def test_what_cql6_cannot_say_is_refused_at_its_place(script: str) -> None:
    found = translate.translate(script)
    (note,) = found.notes
    place = script[note.span.offset : note.span.end]
    assert (found.text, note.severity, place, note.message) == ("", "error", *REFUSED[script])


# --- designators, ranges, the rules for shifts ------------------------------------------------------------

DESIGNATORS = """
e4 | e4
b4 | b4
bb4 | bb4
?b2 | b2
? | .
??? | .
??8 | a-h8
?b? | b1-8
e? | e1-8
U | [Aa]
M | [QR]
i | [bn]
. | _
[MP] | [QRP]
[A.] | [A_]
[KA] | A
[UA.]e4 | e4
K[ ] | false
[ ] | false
R[a-c1] | Ra-c1
P[b3-5] | Pb3-5
[RB][f-h6-8] | [RB]f-h6-8
N[?4-8] | Na-h4-8
N[a-d?] | Na-d1-8
Q[a1, c4, a-h2] | Q[a1-2,b-h2,c4]
[?1,?8] | [a-h1,a-h8]
U[h8,a1,a8,h1] | [Aa][a1,a8,h1,h8]
BL? | (light B)
[BR]D1 | (dark [BR]a-h1)
BaD | (dark Ba1-8)
B[+] | false
B[*] | B
B[+,a1] | Ba1
Q~ | (Q & (piece $m1 in [QRBNqrbn] {position 0:($m1 & [Pp])}))
q~~a8 | (qa8 & ~(piece $m1 in [QRBNqrbn] {position 0:($m1 & [Pp])}))
"""


@pytest.mark.parametrize("row", DESIGNATORS.strip().splitlines())
def test_designators_are_read_and_spelled_canonically(row: str) -> None:
    old, new = row.split(" | ")
    assert body(old) == new


@pytest.mark.parametrize(
    ("word", "place", "message"),
    [
        ("Xe4", "X", "unknown piece letter X"),
        ("[KX]a1", "X", "unknown piece letter X"),
        ("R9", "9", "bad square part 9"),
        ("A4", "4", "bad square part 4"),
        ("?[27]", "27", "bad square part 27"),
        ("Pe[2-4]", "e[2-4]", "bad square part e[2-4]"),
        ("BLD", "LD", "bad square part LD"),
        ("R[c-a1]", "c-a1", "bad square part c-a1"),
    ],
)
def test_wrong_designators_are_told_at_the_wrong_part(word: str, place: str, message: str) -> None:
    script = f"(match (position {word}))"
    (note,) = translate.translate(script).notes
    assert (script[note.span.offset : note.span.end], note.message) == (place, message)


def test_a_bare_rectangle_is_taken_with_a_warning() -> None:
    found = translate.translate("(match (position Q?1-7))")
    assert found.text == "cql()\nQa-h1-7\n"
    assert [note.severity for note in found.notes] == ["warning"]


RANGES = """
3 | A==3
3 5 | 3<=A<=5
5 3 | 3<=A<=5
0 5 | A<=5
0 | A==0
3 unlimited | A>=3
unlimited 5 | A<=5
0 unlimited | true
>2 | A>=3
>=2 | A>=2
<5 | A<=4
<=5 | A<=5
<0 | false
"""


@pytest.mark.parametrize("row", RANGES.strip().splitlines())
def test_ranges(row: str) -> None:
    old, new = row.split(" | ")
    assert body(f":piececount A {old}") == new


def squares(text: str) -> int:
    found = legacy_designators.read(text).designator
    assert found is not None
    return found.squares


SHIFTS = [
    ("Qd4", 1, 0, "Qe4"),
    ("Q[c2,h2]", 1, 0, "Qd2"),
    ("Qa4", 3, 0, "Q[a-d4]"),
    ("Qd4", 3, 0, "Qg4"),
    ("Q[a2,c2,h2]", 1, 0, "Q[a2,b2,d2]"),
    ("Q[b3,c4]", 2, 1, "Q[d4,e5]"),
    ("R[a1,a8,h1,h8]", 0, 1, "R[a1,a2,h1,h2]"),
    ("K[a1-8]", 1, 0, "K[a-b1-8]"),
    ("K[a-h2]", 5, 0, "K[a-h2]"),
    ("Qh4", -2, 0, "Q[f-h4]"),
    ("Qe8", 0, -1, "Q[e7,e8]"),
    ("Qe2", 0, -2, "Q[]"),
    ("Qa1", 1, 1, "Q[a-b1-2]"),
]


@pytest.mark.parametrize(("before", "right", "up", "after"), SHIFTS)
def test_the_edge_that_a_set_is_shifted_from_is_a_source(
    before: str, right: int, up: int, after: str
) -> None:
    assert legacy_shift.shifted(squares(before), right, up) == squares(after)


FLIPS = [
    ("[Aa][a-h1-2,f6,h7]", "reflect_a1h8", "[Aa][a-b1-8,f6,g8]"),
    ("Ra8", "reflect_a8h1", "Ra8"),
    ("[Bb][a1-8]", "reflect_a8h1", "[Bb][a-h8]"),
    ("Uf6", "reflect_v", "Uc6"),
    ("Uf6", "reflect_h", "Uf3"),
]


@pytest.mark.parametrize(("before", "name", "after"), FLIPS)
def test_flips_of_the_examples(before: str, name: str, after: str) -> None:
    assert legacy_shift.symmetry(name)(squares(before)) == squares(after)


def test_the_eight_images_of_a_square() -> None:
    images = {legacy_shift.symmetry(name)(squares("Qc2")) for name in legacy_shift.all_flips([":flip"])}
    assert images == {squares(f"Q{name}") for name in ["c2", "b3", "b6", "c7", "f7", "g6", "g3", "f2"]}
    assert legacy_shift.all_flips([":flipdiagonal", ":flipoffdiagonal"]) == (
        "",
        "reflect_a1h8",
        "reflect_a8h1",
        "rotate180",
    )


@given(st.integers(0, 2**64 - 1), st.integers(-7, 7), st.integers(-7, 7))
def test_shifts_of_rows_and_columns_commute(board: int, right: int, up: int) -> None:
    one = legacy_shift.shifted(legacy_shift.shifted(board, right, 0), 0, up)
    assert one == legacy_shift.shifted(legacy_shift.shifted(board, 0, up), right, 0)
    assert one == legacy_shift.shifted(board, right, up)


@given(st.integers(0, 2**64 - 1))
def test_a_spelled_square_set_reads_back(board: int) -> None:
    text = legacy_designators.spelled_squares(board)
    assert squares("K" + text) == board


def test_sets_without_edge_squares_know_no_difference() -> None:
    assert body("Rc3 qg3 :shifthorizontal :flipdiagonal") == (
        "({shifthorizontal {Rc3 qg3}} or {shifthorizontal {Rc3 qc7}})"
    )
    assert body("Rc3 qg3 :shifthorizontal", shift_rule="exact") == (
        "({Rc3 qg3} or {Rd3 qh3} or {Rb3 qf3} or {Ra3 qe3})"
    )


def test_the_shift_rule_is_the_users_choice() -> None:
    script = "Pa4 Nd4 :shifthorizontal"
    assert body(script, shift_rule="cql6") == "shifthorizontal {Pa4 Nd4}"
    many = translate.translate("(match (position Ka1 :shift))")
    assert many.text == "cql()\nshift {Ka1}\n"
    assert [note.message for note in many.notes] == [
        "edge squares: 64 elements under the old shift rule, 64 under the CQL 6 rule, which is used"
    ]
    exact = translate.translate("(match (position Ka1 :shift))", shift_rule="exact")
    assert exact.text.count(" or ") == 63
    assert exact.notes == ()


# --- keywords ---------------------------------------------------------------------------------------------

KEYWORDS = """
:nocheck | not check
:not :check | not check
:not (position :check) | not check
:not Ke4 | not {Ke4}
:not (position :flipdiagonal Ke6 ke8) | not ({Ke6 ke8} or {Kf5 kh5})
!:check | not check
!:ischeck | child not child:check
!:enpassant | not move enpassant
:noenpassant | not move enpassant
:attackcount A a 0 | not A attacks a
:attackcount Kd1 a 2 | (a attackedby Kd1)==2
:powerdifference Q q 0 | power Q - power q==0
:powerdifference q 0 | power [] - power q==0
:movenumber 10 20 | 10<=movenumber<=20
:movenumber end | terminal
:halfmovenumber 3 | ply==3
:halfmovenumber end-3 | line --> true{3} --> terminal
:castling [Kq] | (if {fen ~~ " [wb] [^ ]*K"} 1 else 0)+(if {fen ~~ " [wb] [^ ]*q"} 1 else 0)==1
:result 1-0,0-1 | (result 1-0 or result 0-1)
:elo 0 | (not elo white or not elo black)
:whiteelo 2300 2500 | 2300<=elo white<=2500
:repetitioncount 3 unlimited Ke4 | line --> {Ke4}{3,}
:pawncount [Pp] isolated-!blocked >=1 | #(isolatedpawns & P & ~(down p) | isolatedpawns & p & ~(up P))>=1
:pawncount p defended 2 | #(p attackedby p)==2
:exclude (position :check) | not position 0:find {check}
:cut (position :check) | not parent:find <-- {check}
:moveto R[b1-8] :promote Q?8 | move to (Rb1-8 & a-h8) promote Q from A
:promote [] | not move promote [Aa]
:promote [Qr] | (move promote Q from A or move promote r from a)
:promote [Qq] | move promote [Qq]
:iscastling [Kq] | ({wtm move o-o} or {btm move o-o-o})
:line "e2-e4 e7-e5 Ng1-f3" | line --> {move from Pe2 to _e4} --> {move from pe7 to _e5} --> {move from Ng1 to _f3}
:line "Ng1xf3+" | ({wtm line --> {move from Ng1 to af3 child:check}} or {btm line --> {move from ng1 to Af3 child:check}})
:or ((position K[ ]) (position Q)) | {Q}
:sequence ((position K[ ]) (position Q)) | false
:flipcolor :shift Pc3 :accumulate x :sumrange x 2 3 | flipcolor shift 2 3 {Pc3}
:flipcolor :shift Pc3 :accumulate* x :sumrange x 2 3 | flipcolor {true shift 2 3 {Pc3}}
:flipdiagonal Kc3 kc4 :accumulate x :sumrange x 1 2 | 1<=((if {Kc3 kc4} 1 else 0)+(if {Kc3 kd3} 1 else 0))<=2
:inside K e4 Kd4 :shift | shift {K & notransform e4 Kd4}
:flipcolor Rc2 Bh8 :wtm | flipcolor {Rc2 Bh8 wtm}
"""


@pytest.mark.parametrize("row", KEYWORDS.strip().splitlines())
def test_keywords(row: str) -> None:
    old, new = row.split(" | ", 1)
    assert body(old) == new
    whole = translate.translate(f"(match (position {old}))").text
    assert [d for d in check.check(whole).diagnostics if d.severity == "error"] == []


GAMES = r"""
:player Karpov | ("karpov" in lowercase player)
:player "Fis*" | (((lowercase player white) ~~ "^fis.*$") or ((lowercase player black) ~~ "^fis.*$"))
:whiteplayer "!(Ab?c" | (player white ~~ "^\bAb.c$")
:site "a.b" | ((lowercase site) ~~ "^a\.b$")
:tag Opening | (tag "Opening")
:annotator Foo | ("foo" in lowercase tag "Annotator")
:date 2010-10-01 2010-10-31 | (date>="2010.10.01" and date<="2010.10.31")
:date 2010-10-01 .. 2010-10-31 | (date>="2010.10.01" and date<"2010.10.31")
:date 2010-01-31 +1m | (date>="2010.01.31" and date<="2010.02.28")
:date – | (date=="????.??.??")
:eco A00,B00-99 | (eco=="A00" or (eco>="B00" and eco<="B99"))
:plycount 40 unlimited | position 0:find {mainline terminal ply>=40}
:hascomments | position 0:find {originalcomment}
:comment "foo" | position 0:find {("foo" in lowercase originalcomment)}
:averagerating* ELO 2000 2200 | 2000<=((elo white + elo black)/2)<=2200
:whitetitle GM | (tag "WhiteTitle"=="GM")
:result * | not (result 1-0 or result 0-1 or result 1/2-1/2)
:xor ((match :year 1900) (match :elo 1)) | (if {year==1900} 1 else 0)+(if {(elo white==1 or elo black==1)} 1 else 0)==1
!:year 1900 | not {year==1900}
:round 3 | int tag "Round"==3
"""


@pytest.mark.parametrize("row", GAMES.strip().splitlines())
def test_conditions_on_games(row: str) -> None:
    old, new = row.split(" | ")
    found = translate.translate(f"(match {old})")
    assert found.text == f"cql()\ninitial\n{new}\n"
    assert [d for d in check.check(found.text).diagnostics if d.severity == "error"] == []


LAYOUTS = {
    "(position :check)": "cql()\ncheck\n",
    "(match (position))": "cql()\ntrue\n",
    "(match)": "cql()\ninitial\n",
    "(match :gamenumber >=5 (position))": "cql(gamenumber 5 1000000000)\ntrue\n",
    '(match :pgn "a b.pgn" (position))': 'cql(input "a b.pgn")\ntrue\n',
    "(match :eithercolor :result 1-0 (position Ka1))": "cql()\nflipcolor {result 1-0 Ka1}\n",
    "(match (position :noannotate :mate))": "cql(quiet)\nmate\n",
    "(match :not :year 1900 (position :check))": "cql()\ninitial\nnot {year==1900 find {check}}\n",
    "(match :forany a R :forany b k (position $a[a1]))": (
        "cql()\ninitial\npiece $a in [RP] {find {$a & R} piece $b in k {not $b & $a find {$a & a1}}}\n"
    ),
    "(match (position :variations :check) (position :movefrom A :sequence ((position) (position :mate))))": (
        "cql(variations)\ninitial\nfind {check}\n"
        "find {mainline move from A primary line --> {true} --> {mainline mate}}\n"
    ),
    "(match (position :variationsonly :check))": "cql(variations)\nvariation\ncheck\n",
}


@pytest.mark.parametrize("script", LAYOUTS)
def test_layout(script: str) -> None:
    assert translate.translate(script).text == LAYOUTS[script]


def test_the_start_position_can_be_skipped() -> None:
    script = "(match (position :check) (position :initial))"
    found = translate.translate(script, skip_start=True)
    assert found.text == "cql()\ninitial\nfind {not initial check}\nfind {initial}\n"


def test_all_errors_are_told_in_the_order_of_the_text() -> None:
    script = "(match :country x (position Xe4 $a :opposition K :sumrange y 3 :piececount A :promotion Q"
    assert errors(script) == [
        "unbalanced parenthesis",
        ":country has no CQL 6 equivalent (games in PGN do not carry it)",
        "unbalanced parenthesis",
        "unknown piece letter X",
        "unknown tag $a",
        ":opposition has no CQL 6 equivalent",
        ":sumrange of unknown accumulator y",
        "range expected after :piececount",
        "unknown keyword :promotion (did you mean :promote?)",
    ]


@pytest.mark.parametrize(
    "text", ["cql() mate", "; a remark\ncql(input a.pgn)\nmate", "mate", "(mate or check)"]
)
def test_a_query_of_today_stays_as_it_is(text: str) -> None:
    found = translate.translate(text)
    assert (found.text, [note.severity for note in found.notes]) == (text, ["warning"])
    assert not translate.looks_old(text)


@pytest.mark.parametrize(
    "text",
    [
        "(match)",
        " ; x\n( ; y\n match (position))",
        "(position :check)",
        "; CQL-S 1.0 (x) (y)\n",
        "\ufeff(match)",
    ],
)
def test_old_scripts_are_known_by_their_beginning(text: str) -> None:
    assert translate.looks_old(text)


@pytest.mark.parametrize(
    "text", ["", "(", "cql() (match)", "(position 0:check)", "(matches)", "match", "(mate)"]
)
def test_other_texts_are_not_taken_for_old_ones(text: str) -> None:
    assert not translate.looks_old(text)


NAMED = """
:wtm :btm :check :nocheck :mate :stalemate :initial :terminal :final :and :or :xor :not :cond :piececount :attackcount
:power :powerdifference :ray :rayorthogonal :raydiagonal :rayhorizontal :rayvertical :rayattack :movenumber
:halfmovenumber :fen :castling :insidevariation :doublecheck :contactcheck :endgame :blackcannotwin :whitecannotwin
:matingmaterial :gameisover :result :whiteelo :blackelo :elo :variations :variationsonly :markall :noannotate
:matchcount :pretransformmatchcount :accumulate :sumrange :accumulate* :repetitioncount :halfmoveclock
:threefoldrepetition :fivefoldrepetition :evaluation :moveevaluation :exchangeevaluation :maxswapevaluation
:endgameevaluation :pawncount :pawncountdifference :goodbishop :opposition :losing :mustcapture :captureforced
:takeslastpiece :threechecks :checkcount :kingonthehill :piecedrop :inside :exclude :cut :skip :preceding :following
:match :matchconsecutive :movefrom :moveto :promote :enpassant :noenpassant :iscastling :ischeck :ismate :isstalemate
:isdoublecheck :iscontactcheck :isnull :forced :isillegal :isinvalid :sequence :gappedsequence :line :line* :relation
:tagmatch :flip :flipdihedral :flipvertical :fliphorizontal :flipcolor :flipdiagonal :flipoffdiagonal :shift
:shifthorizontal :shiftvertical :shiftmaindiagonal :shiftoffdiagonal :shiftdiagonal
"""
NAMED_OF_GAMES = r"""
:pgn :output :result :year :gamenumber :player :forany :whiteplayer :blackplayer :event :site :annotator :tag :whiteelo
:blackelo :elo :rating :whiterating :blackrating :averagerating* :ratingdifference :date :eventdate :eco :plycount
:round :subround :hascomments :comment :hasvariations :startposition :variant :title :whitetitle :blacktitle
:eithercolor :and :or :xor :not :cond :country :gender :birthyear :deathyear :iscomputer :ishuman :eventcategory
:eventcountry :eventmode :eventtype :timemode :termination :hasmarker :hasspecialmarker :hasannotation :goodgame
:error :ischess960 :isshufflechess :averagerating
"""


@pytest.mark.parametrize("keyword", NAMED.split())
def test_every_keyword_of_a_position_list_is_known(keyword: str) -> None:
    assert f"unknown keyword {keyword}" not in errors(f"(match (position {keyword}))")


@pytest.mark.parametrize("keyword", NAMED_OF_GAMES.split())
def test_every_keyword_of_a_match_list_is_known(keyword: str) -> None:
    assert f"unknown keyword {keyword}" not in errors(f"(match {keyword})")


# --- hostile input ----------------------------------------------------------------------------------------

_words = st.sampled_from(
    [
        *sorted({*NAMED.split(), *NAMED_OF_GAMES.split()}),
        "Ke4",
        "Pa2",
        "[RQ]?1",
        ".",
        "?",
        "K[",
        "]",
        "BL?",
        "Q~",
        "$c",
        "1",
        "0",
        ">=2",
        "<5",
        "unlimited",
        "*",
        "–",
        "end-2",
        "x",
        '"x"',
        '"e2-e4"',
        "passed",
        "1-0",
        "99999999",
        "!:mate",
    ]
)
_lists = st.recursive(
    st.lists(_words, max_size=6).map(" ".join),
    lambda inner: st.lists(inner, max_size=4).map(
        lambda parts: " ".join(f"(position {part})" for part in parts)
    ),
    max_leaves=12,
)


@given(_lists, st.sampled_from(legacy_rules.SHIFT_RULES), st.booleans())
@settings(max_examples=150)
def test_whatever_is_translated_is_a_query(text: str, rule: translate.ShiftRule, skip: bool) -> None:
    script = f"(match (position {text}))"
    found = translate.translate(script, shift_rule=rule, skip_start=skip)
    assert all(0 <= note.span.offset <= note.span.end <= len(script) for note in found.notes)
    if not found.failed:
        assert [d for d in check.check(found.text).diagnostics if d.severity == "error"] == []


@settings(max_examples=60)
@given(st.one_of(st.text(max_size=60), st.text(alphabet='()[]":;!?. \nKa1$~\\', max_size=80)))
def test_any_text_is_answered(text: str) -> None:
    found = translate.translate(text)
    assert found.text or found.failed or not text


HOSTILE = [
    "(" * 5000,
    "(match " + "(position " * 500,
    "(match (position " + ":not (position " * 500 + ")" * 502,
    "(" + "; " * 3000 + "x",
    "; " * 3000 + "\ncq",
    '(match (position "' + "\\" * 5001,
    "(match (position " + ":flipdiagonal :and ((position Ka1 " * 25 + "))" * 25 + "))",
    "(match (position :shift Ka1 " + ":and ((position :shift kb2 " * 20 + "))" * 20 + "))",
    "(match "
    + "".join(
        f"(position :accumulate n{n} :and ((position :sumrange n{n + 1} 1) (position :sumrange n{n + 1} 1)))"
        for n in range(40)
    )
    + "(position :accumulate n40 K))",
    "(match (position :accumulate z :and ((position :sumrange z 1))))",
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
@pytest.mark.timeout(60)
def test_hostile_scripts_end_soon(number: int) -> None:
    found = translate.translate(HOSTILE[number], shift_rule="exact")
    assert len(found.text) < 10_000_000


# --- the command and the games ----------------------------------------------------------------------------


def test_the_command_prints_the_text_and_tells_notes_apart(tmp_path: Path) -> None:
    old = tmp_path / "old.cql"
    old.write_text("(match\n (position Q?1-7))", encoding="utf-8")
    run = helpers.cli("translate", old)
    assert (run.code, run.out) == (0, "cql()\nQa-h1-7\n")
    assert run.err == f"{old}:2:12: warning: square part ?1-7 without square brackets\n"
    old.write_text("(match (position Xe4 R9))", encoding="utf-8")
    run = helpers.cli("translate", old, "-o", tmp_path / "none.cql")
    assert (run.code, run.out) == (1, "")
    assert run.err.splitlines() == [
        f"{old}:1:18: error: unknown piece letter X",
        f"{old}:1:23: error: bad square part 9",
    ]
    assert not (tmp_path / "none.cql").exists()


def test_the_command_writes_a_file_and_reads_standard_input(tmp_path: Path) -> None:
    new = tmp_path / "new.cql"
    script = "(match (position Pa4 Nd4 :shifthorizontal))"
    run = helpers.cli("translate", "-", "--shift-rule=cql6", "--skip-start", "-o", new, stdin=script)
    assert (run.code, run.out, run.err) == (0, "", "")
    assert new.read_text(encoding="utf-8") == "cql()\nnot initial\nshifthorizontal {Pa4 Nd4}\n"
    run = helpers.cli("translate", new, "-o", new)
    assert run.code == 2
    assert "not overwritten" in run.err
    assert helpers.cli("translate", tmp_path / "missing.cql").code == 2
    assert helpers.cli("translate").code == 2


QUICK = {"T03", "T13", "T19", "T20"}
"""Scripts that are cheap to search for; the long form runs all."""


@pytest.mark.parametrize("names", [QUICK, pytest.param(None, marks=pytest.mark.full)], ids=["quick", "full"])
def test_the_translations_find_what_the_reference_finds(
    names: set[str] | None, shared: Path, tmp_path: Path
) -> None:
    chosen = [script for script in scripts() if names is None or script.name.split()[0] in names]
    batch = tmp_path / "scripts.jsonl"
    # Names of files in a header are a matter of rights, not of the search.
    queries = {script.name: re.sub(r"(input|output) \S+?(?=[ )])", "", script.new) for script in chosen}
    batch.write_text(
        "".join(json.dumps({"id": name, "query": text}) + "\n" for name, text in queries.items())
    )
    studies = shared / "spec" / "sample-studies.pgn"
    run = helpers.cli("search", studies, "--batch", batch, timeout=280)
    assert run.code == 0, run.err
    found = [json.loads(line) for line in run.out.splitlines()]
    assert {one["id"]: one.get("count", one.get("error")) for one in found} == {
        script.name: script.hits for script in chosen
    }
