"""Compiled queries find what the interpreter finds, in every game about which they are in no doubt."""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.checked import Checked
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.cql.printing import printer
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.engine.passes import orbit_pass
from cqlgui.engine.replaying import games
from cqlgui.jit import native
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import hit_model
from cqlgui.tasks.search import hit_details, planning, sieving
from tests import helpers
from tests.helpers import crossing, kinds, packed_games, planned
from tests.helpers import games as readings
from tests.tools.perf import census

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

GAME_SECONDS = 1.0


class Comparison:
    """Counts what was compared, and collects what differs."""

    def __init__(self, listed: Iterable[readings.Game], each: int | None = None) -> None:
        """Every query is compared in `each` of the games, others each time; None: in all."""
        self.games = list(listed)
        self._each = len(self.games) if each is None else each
        self._source = Random(self._each)
        for number, game in enumerate(self.games, 1):
            # They come from several files.
            game.host.gamenumber = number
        self.packed = packed_games.of_words(
            (game.tree.root.fen() if "FEN" in game.host.tags else None, game.tree.encode())
            for game in self.games
        )
        self.planned = planned.Planned(self.games, self.packed)
        self.counts: collections.Counter[str] = collections.Counter()
        self.reasons: collections.Counter[str] = collections.Counter()
        self.untold: collections.Counter[str] = collections.Counter()
        """Why the interpreter must find details."""
        self.kinds: set[type[nodes.Node]] = set()
        self.differences: list[str] = []

    def add(self, query: nodes.Query, checked: Checked, variations: bool) -> None:
        """Compare a query, the conditions of its header apart."""
        header = nodes.Header(query.header.span, variations=variations or query.header.variations)
        plain = dataclasses.replace(checked, query=dataclasses.replace(query, header=header))
        expanded = transforms.expand(plain)
        if expanded.query is None:
            return
        compiled = compiling.compile_query(expanded)
        self.counts["queries"] += 1
        self.kinds |= crossing.kinds_in(query.body)
        if isinstance(compiled, Unsupported):
            self.counts["refused"] += 1
            self.reasons[compiled.reason] += 1
            return
        self.counts["wholly compiled" if compiled.wholly else "compiled in part"] += 1
        self.reasons.update({one.reason for one in compiled.unsupported})
        chosen = sorted(self._source.sample(range(len(self.games)), self._each))
        table, kept = self.planned.of(expanded, compiled.facts)
        hits, doubtful = found(compiled, self.packed, table, np.array(chosen))
        compiled.tiers.improve()
        if found(compiled, self.packed, table, np.array(chosen)) != (hits, doubtful):
            self.differences.append(f"{checked.text!r}: made with care it finds something else")
        elements = self._elements(compiled, table, np.array(chosen), doubtful)
        straight = sieving._straight(expanded, compiled) if compiled.wholly else None
        separable = sieving._separable(expanded.query, compiled)
        plan = sieving.Plan(compiled, "", None, None, straight, separable)
        details = self._details(expanded, plan, table, hits)
        program = interpreter.Program(expanded)
        compared, matching = 0, 0
        for number in chosen:
            game = self.games[number]
            self.counts["games passed over"] += not kept[number]
            if number in doubtful and kept[number]:
                self.counts["games in doubt"] += 1
                continue
            limit = time.monotonic() + GAME_SECONDS
            try:
                outcome = program.run(game.tree, game.host, functools.partial(_is_over, limit))
                wanted = [] if outcome is None else [hit.positionid for hit in outcome.hits]
            except interpreter.TooSlow:
                continue
            except interpreter.QueryError as fault:
                self.differences.append(f"{checked.text!r}: game {number}: {fault}")
                continue
            compared += 1
            matching += bool(wanted)
            if wanted and not kept[number]:
                self.differences.append(f"{checked.text!r}: game {number}: {wanted} but passed over")
            if elements is not None and outcome is not None and number not in doubtful:
                self.counts["hits with elements compared"] += len(outcome.hits)
                matched = {
                    (number, hit.positionid): [(orbit, element) for orbit, element, *_ in hit.orbit]
                    for hit in outcome.hits
                }
                noted = {place: elements.get(place) for place in matched}
                if matched != noted:
                    self.differences.append(f"{checked.text!r}: game {number}: {matched} but {noted}")
            if number not in doubtful and separable and (outcome is not None or not compiled.wholly):
                self.counts["games interpreted at hits alone"] += 1
                alone = program.run(game.tree, game.host, places=hits[number])
                if alone != outcome:
                    self.differences.append(f"{checked.text!r}: game {number}: {outcome} but alone {alone}")
            told = None if details is None or number in doubtful else details.get(number)
            if told is not None and outcome is not None:
                self.counts["hits with details compared"] += len(outcome.hits)
                if told != outcome:
                    self.differences.append(f"{checked.text!r}: game {number}: {outcome} but {told}")
            if compiled.steady and not compiled.wholly:
                # The hits are candidates.
                agrees = set(wanted) <= set(hits[number])
            else:
                agrees = wanted == hits[number]
            if number not in doubtful and not agrees:
                self.differences.append(f"{checked.text!r}: game {number}: {wanted} but {hits[number]}")
        self.counts["games compared"] += compared
        self.counts["games matching"] += matching
        if compared:
            share = "no game" if not matching else "some games" if matching < compared else "all games"
            self.counts[f"queries matching {share}"] += 1

    def _elements(
        self,
        compiled: compiling.Compiled,
        facts: games.Words,
        numbers: games.Integers,
        doubtful: set[int],
    ) -> dict[tuple[int, int], list[tuple[int, int]]] | None:
        """The orbit elements that matched at each hit, where the engine can tell; adds to `doubtful`."""
        second = compiled.orbit_pass()
        if second is None:
            return None
        self.counts["queries with an orbit pass"] += 1
        elements: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for part in compiled.scan(self.packed, numbers, slice_size=7, facts=facts):
            told = second.tell(self.packed, part.hits, before=0, facts=facts)
            doubtful.update(told.doubtful.tolist())
            begin = 0
            for hit, end in zip(part.hits.tolist(), told.ends.tolist(), strict=True):
                own = told.codes[begin:end].tolist()
                bits = orbit_pass.ELEMENT_BITS
                pairs = [(code >> bits, code & (1 << bits) - 1) for code in own]
                elements[hit >> 32, hit & 0xFFFFFFFF] = pairs
                begin = end
        return elements

    def _details(
        self,
        expanded: transforms.Expanded,
        plan: sieving.Plan,
        facts: games.Words,
        hits: dict[int, list[int]],
    ) -> dict[int, interpreter.GameOutcome] | None:
        """What the interpreter should find in each game with hits, where the engine can tell."""
        asking = hit_details.detail_pass(plan, settings.USUAL)
        assert expanded.query is not None
        if isinstance(asking, Unsupported):
            self.untold[asking.reason] += 1
            return None
        self.counts["queries with details" + ", comments too" * asking.speaks] += 1
        header = expanded.query.header
        marked = settings.match_string(header)
        defaults = found_module.GameDefaults(True, False, marked, not header.silent, (0,))
        part = planning.Part(
            self.packed,
            len(self.games),
            np.arange(len(self.games)),
            np.zeros(len(self.games), np.uint32),
            facts,
            self.planned.texts,
        )
        numbers = [game << 32 | place for game, places in hits.items() for place in places]
        made = sieving.detailed(asking, part, np.array(numbers, np.int64), defaults, before=0, base=0)
        known = found_module.FoundGames(made.columns, {}, defaults)
        return {game: _outcome(one) for game, one in {**known, **made.told}.items()}

    def text(self, text: str) -> None:
        """Compare a query as text, with and without variations."""
        checked = check.check(text)
        if checked.query is not None:
            for variations in (False, True):
                self.add(checked.query, checked, variations)

    @property
    def share_matching(self) -> float:
        """Of the queries compared, how many match in a game at least."""
        none = self.counts["queries matching no game"]
        some = self.counts["queries matching some games"] + self.counts["queries matching all games"]
        return some / (some + none)

    def conclude(self) -> None:
        """Print what was compared; fail where anything differed."""
        print(dict(self.counts))
        for reason, number in self.reasons.most_common():
            print(f"{number:6} {reason}")
        for reason, number in self.untold.most_common():
            print(f"{number:6} details: {reason}")
        assert self.counts["games matching"]
        assert not self.differences, "\n".join(self.differences[:20])


def _outcome(found: hit_model.GameHits) -> interpreter.GameOutcome:
    """A game's details in the form that the interpreter gives them."""
    hits = tuple(
        interpreter.Hit(
            hit.positionid,
            hit.value,
            tuple((one.orbit, one.element, one.positionid, one.squares) for one in hit.matches),
            hit.squares,
        )
        for hit in found.hits
    )
    return interpreter.GameOutcome(hits, found.log, found.sort_keys, found.tags, found.removed)


def _is_over(limit: float) -> bool:
    return time.monotonic() > limit


def found(
    compiled: compiling.Compiled,
    packed: games.Games,
    facts: games.Words,
    numbers: games.Integers | None = None,
) -> tuple[dict[int, list[int]], set[int]]:
    """The matching positions by game, and the games in doubt."""
    hits: dict[int, list[int]] = collections.defaultdict(list)
    doubtful: set[int] = set()
    for part in compiled.scan(packed, numbers, slice_size=7, facts=facts):
        for hit in part.hits.tolist():
            hits[hit >> 32].append(hit & 0xFFFFFFFF)
        doubtful.update(part.doubtful.tolist())
    return hits, doubtful


def shipped(each: int) -> Iterator[readings.Game]:
    """Games of the sample base and of the themes' games, with and without variations, and sparse ones."""
    library = helpers.ROOT / "tests" / "whole" / "library"
    paths = [helpers.ROOT / "resources" / "sample" / "sample.pgn"]
    paths += [library / f"{name}.pgn" for name in ("studies", "variations", "moves", "endings", "mates")]
    for path in paths:
        yield from readings.from_pgn(path.read_text("utf-8")[: 3_000 * each])[:each]
    yield from readings.sparse()


REMARKED = """[White "A"]
[Event "1st prize"]

{<or> a start $1} 1. e4! {Better} (1. d4?? {<main> 100 blunders} 1... d5 $2 (1... f5!? {Dutch} 2. e4) 2. c4)
(1. c4 {aside} 1... e5 {<cook>}) 1... e5 {say twice} $14 2. Nf3 ?! {one} {two two} 2... Nc6 3. Bb5 $10 1-0

[White "B"]

$14 1. d4 d5 2. c4 dxc4 *

[White "one"]

1. d4 {[%clk 0:03:00]} 1... d5 {[%clk 0:02:59]} 2. c4 {one} *
"""

ABOUT_REMARKS = (
    "originalcomment",
    "not originalcomment",
    'originalcomment "e"',
    'originalcomment "??"',
    'originalcomment "$10" or originalcomment "!"',
    'originalcomment "$14"',
    'hascomment ~~ "[0-9]+"',
    "#originalcomment >= 5",
    "sort #originalcomment > 3",
    'sort "comment" originalcomment',
    'originalcomment comment("said: " originalcomment)',
    'not originalcomment comment("nothing")',
    'uppercase originalcomment == "ONE"',
    "lowercase originalcomment",
    "originalcomment[0:2]",
    'originalcomment ""',
    'originalcomment < "c"',
    '"wo" in originalcomment',
    'find {originalcomment "a" comment("here")}',
    'flipcolor {[Pp] originalcomment "e"}',
    "line --> . --> originalcomment",
    "path -- -- {originalcomment}",
    'position 0:originalcomment "a"',
    'child:originalcomment and not originalcomment "!"',
    'hhdb "<cook>" or hhdb "<or>"',
    "hhdb variation",
    'hhdb mainline not hhdb "<main>"',
    'terminal hhdb variation comment("loses")',
)
LEFT_OUT = ('originalcomment ~~ "clk 0:0(\\d)" \\1 == "3"', "originalcomment == player white")


def test_filters_about_comments_and_glyphs() -> None:
    comparison = Comparison([*readings.from_pgn(REMARKED), *shipped(2)])
    for text in (*ABOUT_REMARKS, *LEFT_OUT):
        before = comparison.counts["games matching"]
        comparison.text(text)
        assert comparison.counts["games matching"] > before or "lowercase" in text, text
    comparison.conclude()
    # Each query is compared without and with variations.
    assert comparison.counts["wholly compiled"] == 2 * len(ABOUT_REMARKS)


def test_known_queries() -> None:
    comparison = Comparison(shipped(2))
    for text in crossing.known_texts()[::6]:
        comparison.text(text)
    comparison.conclude()


DETAILS = (
    "find check",
    "find all [x]",
    "3 <= find all check",
    "find {find check}",
    'path -- check comment("hi")',
    'path -- {comment("in " ply) check} --',
    'path ({comment("a") true} --)+ check',
    'mate comment("final " to)',
    'mate comment("board " fen " " currentposition " " sidetomove)',
    'x = 3 comment("x " x " y " y) check y = 1',
    'player white comment("white " player white) check',
    'comment(typename to " " A " " #a) check',
    'sort "men" #A > 3',
    'sort min "black" #a sort "ply" ply check',
    'check sort "found" find all [x]',
    'sort "white" player white check',
    'initial player white ~~ "^(\\w+)" sort min "name" \\1',
    'sort "echo" echo(s t) {t[<]s check distance(s t)}',
    "echo(s t) {t[<]s check s:check}",
    "echo(s t) consecutivemoves(s t)",
    'sort "common" echo(s t) {variation consecutivemoves(s t) >= 1}',
    'flipcolor {find {Bf1 comment("b")}}',
    "find {flip Pe4}",
    "path -- {flip {Ra1 check}}",
    "not find {flip Pe4} check",
    "flip {path focus N -- --}",
    'flipcolor {max(#A ply) > 3 comment("m " currenttransform)} check',
    "flip (#Ra1 + #Pe4) > 0",
    "removecomment",
    "mate removecomment",
    'stalemate settag("A" str(movenumber))',
    'check settag("B" typename to) settag("C" "x")',
    'flipcolor {check settag("D" currenttransform)}',
    "str (not find removecomment)",
    "(flipcolor path focus K--g1) != 0",
    "(flipcolor #(Ra1)) != 0",
    "not (flipcolor #(Ra1)) != 0",
    'str ((flipcolor #Ra1) != 1) == "true" comment("k")',
    "not ((flipcolor #(Ra1)) > 5)",
    "flipcolor {piece X=K X}",
    "flip {piece X=a1 X}",
    "flipcolor {X=K X check}",
    "flipcolor {piece X=K X attacks [Aa]}",
    "#fen",
    "40 <= #fen <= 55",
    'fen ~~ " b "',
    'fen ~~ " w K"',
    'fen ~~ "8/8"',
    '"e3 0 1" in fen',
    '"e3 0 1x" in fen',
    '"\u00e9" in fen',
    '"" in fen',
    'fen ~~ "KQkq" == "KQkq"',
    'check comment("x" str(not path max depth -- +))',
    "str (not {v4 = ({path max depth primary -- + --{1,3}}) unbind v4 isunbound v4})",
    "path piecepath focus Ng1 -- --",
    'path title "knight" verbose piecepath focus [Nn] --+',
    "flipcolor {path focus K nestban piecepath K--{2,}}",
    "path keepallbest --{2,4} check",
    "path keepallbest max (#A) --{1,3} check",
    "path verbose focus capture [QRq] (-- {true})+",
    'path title "t" piecepath singlecolor --{2}',
    'path title "t" verbose max ply -- * check',
    "line --> check --> . {*} --> [Aa]",
    'line --> {comment("l") check} --> .',
    'initial date ~~ "^(\\d+)" int \\1 >= 1914 \\-1==0',
    'initial s1=eco s1[0]="X" s1[-1:]="!" s1 ~~ "X[0-9]!"',
    'initial n1=0 while (player white ~~ "[A-Z]") n1+=1 sort "capitals" n1>=2',
    'initial player black ~~ "[aeiou][aeiou]" #\\0==2 \\-0 >= 3',
    'str(#A "-" #a) == "1-1"',
    '#str(typename a1 " " #K) > 3',
    'uppercase typename a1 == "N" or typename e4 < "Q"',
    'flipcolor {Kg1 currenttransform ~~ "color"}',
    'makesquare "e4" & P',
    'hhdb composer "K" or hhdb firstcomment or hhdb sound',
)


def test_details() -> None:
    """What the engine finds at hits is what the interpreter finds, and nothing is left to the interpreter."""
    comparison = Comparison(shipped(3))
    for text in DETAILS:
        comparison.text(text)
    comparison.conclude()
    assert not comparison.untold


SEQUENCES = (
    "path focus N -- -- --",
    "path focus capture [Pp] [x] --*",
    "path focus capture (K|R) (--)+ [x]",
    "path focus K -- {o-o or o-o-o} --",
    "path focus if wtm A else a nestban -- check +",
    "path singlecolor -- -- {pathcountunfocused >= 1} --",
    "piece T in [QRBN] path focus T -- --currentposition:T",
    "S = currentposition piece T in [Nn] path focus T -- -- --S:T",
    "path max power A -- * [x]",
    "path max {countmoves legal --} 3 40 --{1,6}",
    "path max if check 1 else 0 -- *",
    "2 <= path nestban (-- check --)+",
    "path nestban [x] [x]\n\npath nestban [x]",
    "loop {x = 0 path nestban --{2} x = 1 false}",
    "flipcolor {path nestban N-- (k--)}",
    "shifthorizontal {path nestban ([Aa]e1|[Aa]e2|[Aa]e3|[Aa]e4|[Aa]e5|[Aa]e6|[Aa]e7|[Aa]e8)-- --}",
    "flipcolor flip {wtm path nestban [x] P--}",
    "path (-- {path [x] --\n} --)+",
    "path {pathcount == 0} --+ {pathcount == 3 path -- {pathcount == 1} --\n}",
    "path -- -- [x]\n\npathcount == 3 pathlastposition:check",
    "(path [x] --)\n\nfind {pathstart:wtm pathcount == 2}",
    "path --+ {#pathstart:A > #A}",
    "path --{2,4} {pathlastposition:wtm or true} [x]",
    "path lastposition firstmatch --{2,5}",
    "initial (path lastposition max ply -- *):mate",
    "(path keepallbest lastposition --{1,3}):check",
    "3 <= path firstmatch --{2,5}",
    "low = 2 path low 4 --+ [x]",
    "atomic c = 0 path (-- {if check c += 1})+ c >= 2",
    "atomic c = 0 path --{3} {c += #a} false\n\nc == 0",
    "c = 0 path --({wtm c += 1})+ [x]",
    "path [x]. {d = to} -- [x]d",
    "path primary -- [x] --",
    "path ([x]{0,1} --){2,3} check",
    "path (-- [x]){2,3} check",
    "line nestban --> check --> .",
    "line <-- . <-- check <-- .{1,3}",
    "line <-- wtm <-- . {*} <-- initial",
    "line singlecolor --> check {2,}",
    "line singlecolor nestban --> . --> N attacks k",
    "line secondary --> wtm --> .",
    "line secondary --> {move from P}",
    "line secondary --> . --> {not move from [Nn]}",
    "path (P)--",
    "path -- (Q|R)--",
    "path --{*} (wtm check)",
    "path focus Q (--){1,2} check",
    "path ({check}){,2} --",
    "path (--?){1,3} check",
    "path (--?){2} check",
    "path ((--?){2} {wtm}){,2}",
    "path nestban (--?){1,3} check",
    "path focus [Nn] (--?){,3} check",
    "path max (#A) --",
    "path max (movenumber) --{1,3}",
    "path -- currentmove --e4 --",
    "path currentmove (N|B)-- --",
    "line primary 2 5 --> . {+} --> check",
    "(line lastposition --> initial --> . --> .):Pe4",
    "3 <= line firstmatch --> . {*} --> check",
    "line --> move from Q --> check",
    "line --> {move capture .} {+} --> .",
    "line --> (. --> wtm){2} --> check",
    "line --> {path [x]\n} --> .",
    "initial piece W = e1 find W & g1",
    "piece Man = [Nn] find Man & [Nn]",
    "piece x in R 3 <= find all x & _a-h8",
    "initial I = pieceid a2 find {pieceid Q == I}",
    "pieceid K < pieceid k",
    "sqrt (#A * #a) >= 12",
    "x = #A * 1000000 y = x * x y * y > 0 or true",
    "x = #A * 100000000 y = 100000 * sqrt x y * y > 0",
    "puremate or modelmate or idealmate or purestalemate",
    "mainline echo (s t) {variation consecutivemoves (s t) >= 2}",
    "gamenumber * 2 <= lastgamenumber",
    'settag ("Theme" "x") mate',
    'player ~~ "a" and not event == "?" check',
    'not player == "x" mate',
)
"""Sequences of every kind, and what else goes with men and positions of the game."""


@pytest.mark.parametrize("part", range(3))
def test_sequences(part: int) -> None:
    comparison = Comparison(shipped(2))
    for text in SEQUENCES[part::3]:
        assert check.check(text).query is not None, text
        comparison.text(text)
    comparison.conclude()
    assert comparison.counts["wholly compiled"] == comparison.counts["queries"]


FAILING_OPERANDS = (
    "(A & flipvertical {btm k}) == 0",
    "((a1 & flipcolor {k}) | flipvertical {Bh7 R}) == 0",
    "((h5 & flip {Ra1}) | flipcolor {P}) < 8",
    "#(a5 & flipcolor {k}) == 0",
    "({wtm flipcolor {Q}} & h5) == 0",
)


def test_matches_in_operands_that_fail() -> None:
    """An empty set fails, and what matched in it is forgotten, although it may be counted."""
    comparison = Comparison(shipped(12))
    for text in FAILING_OPERANDS:
        comparison.text(f"cql() {text}")
    comparison.conclude()
    assert comparison.counts["queries with an orbit pass"] == 2 * len(FAILING_OPERANDS)


def test_rays_through_any_number_of_sets() -> None:
    """A line has room for eight; more are not found, however many they are."""
    open_lines = ("Q6r/8/8/8/8/8/k6K/8 w - - 0 1", "7q/6P1/5n2/8/8/8/1k5K/B7 w - - 0 1")
    comparison = Comparison([*(readings.from_fen(fen, FEN=fen) for fen in open_lines), *shipped(1)])
    for between in (1, 2, 5, 6, 7, 62, 65, 66):
        sets = ". " * between
        for text in (f"ray (A {sets} a)", f"ray attack ([RQB] {sets} A)", f"ray diagonal (A {sets} a) >= 1"):
            comparison.text(text)
    comparison.conclude()


FINDS = (
    "find check",
    "find <-- check",
    "not find [x]",
    "not find <-- [x]",
    "btm find {wtm find check}",
    "find <-- {check find <-- [x]}",
    "find {wtm find <-- {btm [x]}}",
    "find check:wtm",
    "parent:find check",
    "child:find <-- check",
    "position 3:{find <-- check} or position 6:find check",
    "find <-- {parent:find check}",
    "distance (find check currentposition) == 2",
    "distance (find <-- check currentposition) == 2",
    "x = find check x:{find <-- btm}:ply >= 2",
    "square x in a-h5 {find {x attacks k}}",
    "square x in R {x attacks k find check}",
    "piece X in N {find {X attacks k}}",
    "find {square x in N {x attacks k}}",
    "echo (s t) {find check not s:find check}",
    "flipcolor {find {K attacks r}}",
    "flip {find <-- {Na-c2-4 wtm}}",
    "shift {find {Pe4 pd5 ke8}}",
    "flipcolor 2 {find [x]A find <-- {check wtm}}",
    "-- {find from} ",
    "--([x] find {to & _a-h8})",
    "find {-- check}",
    "find <-- {currentmove A--}",
    "path -- {find check} -- {find <-- [x]}",
    "path {find {pathcount == 1}} --{1,2}",
    "line --> {find check} --> find <-- wtm",
    "find {path -- check}",
    "find {path nestban [x]}",
    "x = 0 find {x == 0 check} x = 1",
    "if find check {find <-- btm} else find {A attacks k}",
    "loop {find check false}",
    "{find mate} == {find terminal}",
    "find {find all check == 1}",
    "find 2 check find check",
    "find all {find mate}",
    "find <-- 1 2 {find check}",
    "find quiet {check or mate}",
    'find {player "a" or check}',
    "find variation or find <-- variation",
    "find {terminal mainline}",
    "find <-- {depth == 0 [x]}",
    "find terminal:{find <-- [x]}",
    "find {sort ply check}",
    "terminal find <-- {[KPNB]--(find {castle to & f1})}",
    "path --{1,3} [x]\n\nfind {pathcount == 2}",
)
"""Searches of every kind, in all that they can stand in."""


def test_searches() -> None:
    comparison = Comparison(shipped(2))
    for text in FINDS:
        assert check.check(text).query is not None, text
        comparison.text(text)
    comparison.conclude()
    assert comparison.counts["wholly compiled"] == comparison.counts["queries"]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("count", [2, pytest.param(60, marks=pytest.mark.full)])
def test_searches_for_bred_filters(count: int) -> None:
    comparison = Comparison(shipped(2))
    source = Random(count)
    for find in ("find", "find <--"):
        for _ in range(count):
            for before, behind in (("", ""), (f"{find} {{wtm ", "}"), ("flipcolor {", "}"), ("parent:", "")):
                operand = printer.print_node(crossing.satisfiable(source).body)
                comparison.text(f"{before}{find} {{{operand}}}{behind}")
    comparison.conclude()


@pytest.mark.timeout(3600)
@pytest.mark.full
def test_all_known_queries() -> None:
    comparison = Comparison(shipped(12))
    for text in crossing.known_texts():
        comparison.text(text)
    comparison.conclude()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("count", [60, pytest.param(2_000, marks=pytest.mark.full)])
def test_bred_queries(count: int) -> None:
    comparison = Comparison(shipped(2))
    source = Random(count)
    wanted = kinds.FILTERS - {nodes.Orbit}
    for done in range(3 * count):
        # Some kinds are rare: the long form goes on until all of them have come up.
        if done >= count and (count < 2_000 or wanted <= comparison.kinds):
            break
        query = crossing.satisfiable(source)
        # As text, since its variables are known only after it was checked.
        comparison.text(printer.print_query(query))
    comparison.conclude()
    share = comparison.share_matching
    missing = sorted(kind.__name__ for kind in wanted - comparison.kinds)
    print(f"{share:.0%} of the queries match in a game; kinds that came up nowhere: {missing}")
    assert 0.1 <= share <= 0.9
    if count >= 2_000:
        assert not missing


FILES = ("spec/sample-studies.pgn", "conformance/games-2k.pgn", "conformance/annotated-450.pgn")


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.full)])
def test_conformance_queries(shared: Path, step: int) -> None:
    games_of_file = 3 if step > 1 else 2_000
    comparison = Comparison(
        (
            game
            for name in FILES
            for game in readings.from_pgn(
                (shared / name).read_text("utf-8", "replace")[: 8_000 * games_of_file]
            )[:games_of_file]
        ),
        9 if step > 1 else 30,
    )
    for line in (shared / "conformance" / "queries.jsonl").read_text("utf-8").splitlines()[::step]:
        comparison.text(json.loads(line)["query"])
    comparison.conclude()


def test_nearly_all_known_queries_compile_wholly() -> None:
    found = census.of_texts(crossing.known_texts()[::2])
    print(found)
    assert found.plain_share >= 95
