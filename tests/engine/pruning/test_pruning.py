"""Games that are passed over do not match, and what a filter gives lies within what it may be."""

from __future__ import annotations

import collections
import functools
import time
from collections.abc import Iterable
from random import Random
from typing import Any

import numpy as np
import pytest

from cqlgui.cql.ast import nodes, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import compilers, interpreter
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.cql.printing import printer
from cqlgui.cql.transforming import transforms
from cqlgui.engine.pruning import bounds, pruner, signatures
from tests import helpers
from tests.helpers import crossing, packed_games, planned
from tests.helpers import games as readings

SECONDS = 0.5
"""For one query in one game."""


def expand(text: str, *, variations: bool = False) -> transforms.Expanded:
    checked = check.check(("cql(variations) " if variations else "") + text)
    assert checked.query is not None, text
    expanded = transforms.expand(checked)
    assert expanded.query is not None, text
    return expanded


class Pool:
    """Games with their signatures."""

    def __init__(self, listed: Iterable[readings.Game]) -> None:
        self.games = list(listed)
        for number, game in enumerate(self.games, 1):
            # They come from several files.
            game.host.gamenumber = number
        packed = packed_games.of_words(
            (game.tree.root.fen() if "FEN" in game.host.tags else None, game.tree.encode())
            for game in self.games
        )
        self._planned = planned.Planned(self.games, packed)

    def candidates(self, expanded: transforms.Expanded) -> list[bool]:
        """Of each game whether it must be searched."""
        return self._planned.of(expanded)[1]


def pgn(*texts: str) -> Pool:
    return Pool(game for text in texts for game in readings.from_pgn(text))


OPERA = (
    '[White "Morphy"]\n[Black "Allies"]\n[WhiteElo "2700"]\n[Date "1858.11.02"]\n[Result "1-0"]\n\n'
    "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 "
    "10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 "
    "17. Rd8# 1-0\n\n"
)
SHORT = (
    '[White "A"]\n[Black "B"]\n[Result "1/2-1/2"]\n\n1. d4 d5 (1... f5 2. Nc3 (2. -- e5)) 2. c4 1/2-1/2\n\n'
)
ENDING = '[White "C"]\n[FEN "8/P7/8/8/8/k7/8/K7 w - - 0 1"]\n[Result "*"]\n\n1. a8=N Kb4 2. Kb2 *\n\n'

PASSED_OVER = {
    # Query: which of the games above must be searched, without variations and with them.
    "mate": ("100", "110"),
    "Rd8": ("100", "100"),
    "o-o-o": ("100", "100"),
    "Pf5": ("000", "000"),
    "pf5": ("000", "010"),
    "not A": ("000", "000"),
    "not R": ("001", "001"),
    "A < 10": ("001", "001"),
    "#[QqRr] == 0": ("001", "001"),
    "ply > 30": ("100", "100"),
    "K attacks q": ("110", "110"),
    "up 1 Pa6": ("000", "000"),
    "flipvertical {Kc8 kg1}": ("000", "000"),
    "fliphorizontal {Kc8 ke1}": ("100", "100"),
    "flipcolor Kb5": ("001", "001"),
    'player "Morphy"': ("100", "100"),
    'not player "Morphy" K': ("011", "011"),
    "elo > 2600 mate": ("100", "100"),
    "year == 1858 or N&b8": ("100", "100"),
    "result 1/2-1/2": ("010", "010"),
    "gamenumber == 3 K": ("001", "001"),
    "nullmove": ("000", "010"),
    "variation": ("000", "010"),
    "P--a8=Q": ("000", "000"),
    "P--a8=N": ("001", "001"),
    "move promote n": ("001", "001"),
    "move promote Q": ("000", "000"),
    "move previous promote [Nn]": ("001", "001"),
    "path --a6": ("000", "010"),
    "R--d8": ("100", "110"),
    "n[x]B": ("100", "110"),
    "find Na8": ("001", "001"),
    "find 0 3 Na8": ("111", "111"),
    "not find Na8": ("111", "111"),
    "piece x in q {x attacks R}": ("110", "110"),
    "piece all x in Q {x attacks a8}": ("111", "111"),
    "if R then Rd8 else Na8": ("101", "101"),
    "power A > 20 Ka1": ("000", "000"),
    "parent:Na8": ("001", "001"),
    "child:mate": ("100", "110"),
    "puremate": ("100", "110"),
    "true": ("111", "111"),
    "false": ("000", "000"),
}


@pytest.mark.parametrize("text", PASSED_OVER)
def test_what_is_passed_over(text: str) -> None:
    pool = pgn(OPERA, SHORT, ENDING)
    for variations, wanted in zip((False, True), PASSED_OVER[text], strict=True):
        found = pool.candidates(expand(text, variations=variations))
        assert "".join(str(int(one)) for one in found) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # What comes before the failing filter may fault or speak, what comes behind it is never come to.
        ("{false x = 3} or {x > 3 mate}", "111"),
        ("mate {{false x = 3} or x > 3}", "100"),
        ("x = 3 x > 2 mate", "100"),
        ('message "m" mate', "111"),
        ('mate message "m"', "100"),
        ("assert K mate", "111"),
        ("loop {false} mate", "111"),
        ("cql(matchcount 0 3) mate", "111"),
        ("cql(matchcount 2 9) mate", "100"),
        ("cql(gamenumber 2 3) K", "011"),
        ("cql(result 1-0) K", "100"),
        ("cql(result 1-0 result 0-1) K", "000"),
        ("function F(x) {x mate} F(K)", "100"),
        ('settag ("a" "b") mate comment("c" ply)', "100"),
        ("sort #A mate", "100"),
    ],
)
def test_what_is_kept(text: str, wanted: str) -> None:
    found = pgn(OPERA, SHORT.replace("(2. -- e5)", ""), ENDING).candidates(expand(text))
    assert "".join(str(int(one)) for one in found) == wanted


@pytest.mark.parametrize(
    "text", ["sort lowercase player white", 'sort {true uppercase tag "White"}', "sort {wtm lowercase event}"]
)
def test_a_text_in_other_letters_is_sorted_by_though_it_never_holds(text: str) -> None:
    pool = pgn(OPERA)
    assert pool.candidates(expand(text)) == [True]


@pytest.mark.parametrize(
    "text",
    ["hhdb prize", "hhdb award max mate", "cql(silent) {true hhdb prize} K", "if hhdb award true else false"],
)
def test_a_special_award_holds_though_it_has_no_rank_among_the_others(text: str) -> None:
    pool = pgn('[Event "2.sp.p Magyar"]\n' + OPERA, '[Event "Magyar"]\n' + OPERA)
    assert pool.candidates(expand(text))[0]
    assert pool.candidates(expand("hhdb prize < 3")) == [False, False]


ASKED = (
    "result 1-0", "elo white", "elo", "year", "player", "player white", 'player "A"', 'tag "Nope"', "event",
    "site", "lowercase event", "uppercase player black", "event[0]", "event[1:2]", "int site", "#event",
    'ascii "a"', 'indexof ("p" event)', "max (event site)", "min (elo year)", "-elo", "elo < 2600",
    "year == 1858", "year != 1990", 'event == ""', 'event != "?"', 'event + "a"', "str (elo)", "hhdb prize",
    "hhdb award max", "hhdb special award", "hhdb special prize", "hhdb composer", "hhdb diagram",
    "lastgamenumber", "gamenumber", 'site ~~ "1"', 'site in "12"',
)  # fmt: skip
PLACES = (
    "$", "{true $}", "{$ wtm}", "{$ $}", "not {$}", "{$} and wtm", "{$} or false", "if {$} true else false",
    "if true {$} else {$}", "sort {$}", "sort min {true $}", "x = {$}", "x =? {$} isunbound x", "parent:{$}",
    "find {$}", "--({$})", "flipcolor {wtm $}", "notransform {$}", "{$} == 2", "{$} != 2", '{$} == "A"',
    '{$} != "A"', "1 < {$} < 9", "#{$}", "lowercase {$}", "int {$} > 1", "str ({$}) mate",
    'comment ("a" {$})', "path {-- {$}}", "line --> {$}", "square all x in K {$}", "function f() {$} f()",
)  # fmt: skip
"""What is asked of a game, and where it may stand: its truth may be wanted, its value, or both."""


def test_what_is_asked_of_a_game_is_told_wherever_it_stands() -> None:
    pool = pgn(
        OPERA,
        SHORT,
        '[Event "2.sp.p EG#1"]\n[Site "12"]\n[Date "????.??.??"]\n[WhiteElo "?"]\n'
        + OPERA.partition("\n\n")[2],
        '[Event ""]\n[Site "?"]\n' + SHORT,
        '[Event "sp.c"]\n[Site "-7"]\n' + ENDING,
    )
    tried = 0
    for place in PLACES:
        for asked in ASKED:
            text = place.replace("$", asked)
            checked = check.check(text)
            if checked.query is None:
                continue
            tried += 1
            expanded = expand(text)
            program = interpreter.Program(expanded)
            found = [program.run(game.tree.mainline(), game.host) is not None for game in pool.games]
            kept = pool.candidates(expanded)
            assert all(may or not does for may, does in zip(kept, found, strict=True)), text
    assert tried > 600


def test_a_signature_that_is_not_known_excludes_nothing() -> None:
    unknown = planned.columns(signatures.make(packed_games.of_words([("no position", [])])), True)
    assert (unknown == planned.columns(signatures.unknown(1), True)).all()
    for text in PASSED_OVER:
        expanded = expand(text)
        question = pruner.Question(expanded)
        if not question.facts and text not in ("false", "variation", "gamenumber == 3 K"):
            known = pruner.Known(1, lambda word, _places: unknown[word], 0)
            assert pruner.candidates(question, known).tolist() == [0], text


def test_games_that_the_first_facts_leave_are_tested_as_if_all_were(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = shipped(12)
    heads = (
        "year > 1950",
        'player "a"',
        "result 1-0",
        "elo white > 2000 elo",
        "year > 3000",
        "gamenumber < 9",
    )
    few = 0
    for number, text in enumerate(crossing.known_texts()[::7]):
        asked = f"{heads[number % len(heads)]} {text}"
        query = check.check(asked).query
        if query is None or not pruner.stand_alone(query):
            continue
        expanded = expand(asked)
        monkeypatch.setattr(pruner, "_FEW", 1 << 40)
        whole = pool.candidates(expanded)
        monkeypatch.setattr(pruner, "_FEW", 0)
        assert pool.candidates(expanded) == whole, expanded.text
        few += 0 < sum(whole) < len(whole)
    assert few > 20


def test_queries_whose_games_hang_together_are_the_interpreters() -> None:
    for text in crossing.known_texts():
        checked = check.check(text)
        if checked.query is None:
            continue
        expanded = transforms.expand(checked)
        if expanded.query is not None:
            sequential = interpreter.Program(expanded).sequential
            assert pruner.stand_alone(expanded.query) is not sequential, text


# --- every filter -------------------------------------------------------------------------------------------


def joined(one: pruner.May, other: pruner.May) -> pruner.May:
    """What may be the one or the other."""
    return pruner.May(
        one.yes | other.yes, one.no | other.no, one.most | other.most, one.least & other.least,
        np.minimum(one.low, other.low), np.maximum(one.high, other.high),
    )  # fmt: skip


class Watch:
    """Runs queries with every filter watched: each of its values must lie within what the filter may be."""

    def __init__(self, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pool = pool
        self.counts: collections.Counter[str] = collections.Counter()
        self.wrong: list[str] = []
        self._seen: dict[int, tuple[nodes.Node, pruner.May]] = {}
        self._game = 0
        plain = bounds.Pruner.value

        def value(pruner: bounds.Pruner, node: nodes.Node) -> pruner.May:
            found = plain(pruner, node)
            # Elements of an orbit share filters that no transform changes.
            known = self._seen.get(id(node))
            self._seen[id(node)] = node, found if known is None else joined(known[1], found)
            return found

        monkeypatch.setattr(bounds.Pruner, "value", value)
        tested = bounds.TESTED[nodes.Orbit]
        refused = self._refused = set[int]()

        def orbit(pruner: bounds.Pruner, node: nodes.Orbit) -> pruner.May:
            found, kept, left = tested(pruner, node), pruner.kept, pruner._left
            # It stops when nothing more can be told. What elements share may be more in those that are left.
            for element in () if id(node) in refused else node.elements:
                pruner._left = bounds.MOST_NODES
                pruner.test(element.filter)
            pruner.kept, pruner._left = kept, left
            return found

        monkeypatch.setitem(bounds.TESTED, nodes.Orbit, orbit)
        monkeypatch.setattr(pruner, "_tested_orbit", orbit)
        affords = bounds.Pruner.affords

        def affords_or_forgets(pruner: bounds.Pruner, node: nodes.Orbit) -> bool:
            if affords(pruner, node):
                return True
            refused.add(id(node))
            for one in nodes.walk(node):
                # Another element may have asked the filters that both share.
                self._seen[id(one)] = one, bounds.UNKNOWN_SET if pruner.is_set(one) else bounds.UNKNOWN
            return False

        monkeypatch.setattr(bounds.Pruner, "affords", affords_or_forgets)

    def text(self, text: str) -> None:
        """Run a query in all games, with and without variations."""
        checked = check.check(text)
        if checked.query is None:
            return
        for variations in (False, True):
            expanded = (
                expand(text, variations=variations) if "cql(" not in text else transforms.expand(checked)
            )
            if expanded.query is None or not pruner.stand_alone(expanded.query):
                continue
            if any(type(one).__name__ in ("Dictionary", "Echo") for one in nodes.walk(expanded.query.body)):
                # These need more than a plain run, or take long.
                continue
            self._run(text, expanded)

    def _run(self, text: str, expanded: transforms.Expanded) -> None:
        assert expanded.query is not None
        self._seen.clear()
        self._refused.clear()
        kept = self.pool.candidates(expanded)
        compiler = compilers.compiler(expanded.names, functools.partial(self._watched, text, expanded.names))
        body = compiler.compile(expanded.query.body)
        program = interpreter.Program(expanded)
        self.counts["queries"] += 1
        for number, game in enumerate(self.pool.games):
            self._game = number
            searched = game.tree if expanded.query.header.variations else game.tree.mainline()
            limit = time.monotonic() + SECONDS
            s = program.start(searched, game.host, functools.partial(_is_over, limit))
            matched = False
            if interpreter._admits(expanded.query.header, game.host):
                try:
                    for positionid in range(len(searched)):
                        s.step()
                        s.goto(positionid)
                        matched = bool(body.test(s)) or matched
                except (interpreter.TooSlow, interpreter.QueryError) as fault:
                    self.counts[type(fault).__name__] += 1
                    matched = matched or isinstance(fault, interpreter.QueryError)
            self.counts["games"] += 1
            self.counts["passed over"] += not kept[number]
            if matched and not kept[number]:
                self.wrong.append(f"{text!r}: game {number} is passed over")

    def _watched(self, text: str, names: types.Names, node: nodes.Node, code: closures.Code) -> closures.Code:
        seen = self._seen.get(id(node))
        if seen is None:
            return code
        kind = types.infer(node, names)

        def value(s: Any) -> Any:
            found = code.value(s)
            if kind in types.SETS or kind is Type.NUMERIC:
                self._compare(text, seen, kind, found)
            return found

        def test(s: Any) -> Any:
            found = code.test(s)
            self._compare(text, seen, Type.LOGICAL, bool(found))
            return found

        return closures.Code(code.type, value, test, code.logs, code.apart)

    def _compare(self, text: str, seen: tuple[nodes.Node, pruner.May], kind: Type, found: Any) -> None:
        node, may = seen
        yes, no, most, least, low, high = (
            np.asarray(part).reshape(-1)[self._game if np.ndim(part) else 0].item()
            for part in (may.yes, may.no, may.most, may.least, may.low, may.high)
        )
        if kind in types.SETS:
            good = not found & ~most and not least & ~found and low <= found.bit_count() <= high
        elif kind is Type.NUMERIC:
            good = no if found is None else yes and low <= found <= high
        else:
            good = yes if found else no
        self.counts["values"] += 1
        if not good and len(self.wrong) < 20:
            self.wrong.append(f"{text!r}: {printer.print_node(node)} gives {found} in game {self._game}")

    def conclude(self) -> None:
        """Print what was compared; fail where anything was wrong."""
        print(dict(self.counts))
        assert self.counts["passed over"]
        assert self.counts["values"]
        assert not self.wrong, "\n".join(self.wrong)


def _is_over(limit: float) -> bool:
    return time.monotonic() > limit


def shipped(each: int) -> Pool:
    library = helpers.ROOT / "tests" / "whole" / "library"
    paths = [helpers.ROOT / "resources" / "sample" / "sample.pgn"]
    paths += [library / f"{name}.pgn" for name in ("studies", "variations", "moves", "endings", "mates")]
    listed = [
        game for path in paths for game in readings.from_pgn(path.read_text("utf-8")[: 3_000 * each])[:each]
    ]
    return Pool([*listed, *readings.sparse()])


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.full)])
def test_values_of_known_queries(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(shipped(1 if step > 1 else 4), monkeypatch)
    for text in crossing.known_texts()[::step]:
        watch.text(text)
    watch.conclude()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("count", [60, pytest.param(3_000, marks=pytest.mark.full)])
def test_values_of_bred_queries(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(shipped(1), monkeypatch)
    source = Random(count + 1)
    for _ in range(count):
        watch.text(printer.print_query(crossing.bred(source)))
    watch.conclude()
