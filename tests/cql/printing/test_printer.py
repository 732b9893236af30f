"""Printing: every node kind has a case, brackets come back by precedence, and prints read back."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.board import directions
from cqlgui.cql.ast import nodes, nodes_moves, nodes_paths, types
from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer, printers
from cqlgui.cql.source import designators
from cqlgui.cql.source.diagnostics import NOWHERE as AT
from tests.helpers import kinds


def test_every_node_kind_has_a_printer_and_a_type() -> None:
    assert set(printers.PRINTERS) == kinds.FILTERS
    assert set(types.RULES) == kinds.FILTERS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(A|a) & P", "(A | a) & P"),
        ("A|(a&P)", "A | a & P"),
        ("(up 1 P)|N", "up 1 P | N"),
        ("#(A|a)", "#A | a"),
        ("(#A) + #a", "#A + #a"),
        ("2==(flipcolor count K)", "2 == flipcolor count K"),
        ("(flipcolor K) & a1", "(flipcolor K) & a1"),
        ("-(3)", "-(3)"),
        ("- -3", "-(-3)"),
        ("~(~A)", "~(~A)"),
        ("{mate}", "mate"),
        ("[a1,a2,b1,b2]", "a-b1-2"),
        ("R[a1,b1,c1,h8]", "R[a-c1,h8]"),
        ("[KQRBNP]", "A"),
        ("{A (-#a)}", "{A (-#a)}"),
        ('(player) ("x")', '{player ("x")}'),
        ("x[element]A check", "square x in A check"),
        ("{(path -- check) mate}", "{(path -- check) mate}"),
        ("path(--)+{ply+1>3} --{*}B[x]ph7 check", "path (--) + {ply + 1 > 3} -- * B[x]ph7 check"),
        ("⊢◎♘ ――□(×▲)?", "path focus N --_ ([x]a) ?"),
        (
            'path title "x" 3 8 max power A nestban -- {--=Q}',
            'path 3 8 max power A nestban title "x" -- {--=Q}',
        ),
        ("line-->check?-->(mate-->.+){2}", "line --> check ? --> (mate --> . {+}) {2}"),
    ],
)
def test_canonical_text(text: str, expected: str) -> None:
    query = check.check(text).query
    assert query is not None
    printed = printer.print_node(query.body)
    assert printed == expected
    assert printer.print_node(check.check(printed).query.body) == expected  # type: ignore[union-attr]


def test_a_body_shows_where_its_paths_end() -> None:
    query = check.check("cql() (path -- check) mate").query
    assert query is not None
    text = printer.print_query(query)
    assert text == "cql()\npath -- check\n\nmate\n"
    assert check.check(text).query == query


def test_unicode_spelling() -> None:
    query = check.check("flipcolor flip {[RN]a1 & . -> k | _ x[element]A x>=1 currentposition}").query
    assert query is not None
    assert printer.print_node(query.body, "unicode") == "⬓ ✵ {♖♘a1 ∩ ▦ → ♚ ∪ □ x∊△ x ≥ 1 ∙}"


def test_an_orbit_prints_for_the_eye() -> None:
    elements = tuple(nodes.Element((), nodes.Designator(AT, designators.ANY_MEN, 1 << i)) for i in range(6))
    assert printer.print_node(nodes.Orbit(AT, elements, None)) == "orbit <a1; b1; c1; d1; and 2 more>"


# --- trees of every kind, well typed ---


class _Maker:
    """Random well-typed trees; `depth` bounds what is left to nest. A plain generator, since one
    strategy for each type would refer to all others."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.one = random.choice

    def flag(self) -> bool:
        return self.random.random() < 0.5

    def range(self) -> nodes.Range | None:
        # Only behind a direction may a second bound be negative; elsewhere its sign is a subtraction.
        low = self.random.randint(-7, 7)
        counted, named = nodes.Range(AT, -100_000, 100_000, True), nodes.Range(AT, "numvar", 5)
        return self.one([None, nodes.Range(AT, low, self.random.randint(max(low, 0), 9)), counted, named])

    def steps(self) -> nodes.Range | None:
        low, high = sorted((self.random.randint(-7, 7), self.random.randint(-7, 7)))
        return self.one([None, nodes.Range(AT, low, high)])

    def several(self, make: Callable[[int], nodes.Node], depth: int) -> tuple[nodes.Node, ...]:
        return tuple(make(depth) for _ in range(self.random.randint(2, 3)))

    def wrapped(self, make: Callable[[int], nodes.Node], depth: int) -> nodes.Node:
        inner = make(depth)
        shape = self.random.randrange(4)
        if shape == 0:
            return nodes.Transform(AT, "flip", AT, None, inner)
        if shape == 1:
            return nodes.NoTransform(AT, inner)
        if shape == 2 and not isinstance(inner, nodes.Number):
            # Filters that share a key agree in direction and type.
            order = self.one(["", "min", "max"])
            return nodes.Sort(AT, self.flag(), order, f"{order} {make.__name__}", inner)
        return nodes.Compound(AT, (self.any(depth), inner))

    def game_text(self) -> nodes.Node:
        tag = self.one(["event", "site", "date", "eventdate", "eco"])
        return self.one([nodes.Player(AT, self.one([None, "white", "black"])), nodes.TagText(AT, tag)])

    def set(self, depth: int) -> nodes.Node:
        squares = self.one([2**64 - 1, 1 << self.random.randrange(64), self.random.randrange(1, 2**64)])
        men = self.one([designators.ANY_MEN, 2, self.random.randint(1, designators.ANY_MEN)])
        leaves = [
            nodes.Designator(AT, men, squares),
            nodes.AllSquares(AT),
            nodes.EmptySet(AT),
            nodes.Name(AT, "setvar"),
        ]
        if depth <= 0:
            return self.one(leaves)
        d = depth - 1
        return self.one([
            lambda: self.one(leaves),
            lambda: nodes.Complement(AT, self.set(d)),
            lambda: nodes.Shade(AT, self.one(["light", "dark"]), self.set(d)),
            lambda: nodes.Direction(AT, self.one(list(directions.WORDS.values())), self.steps(), self.set(d)),
            lambda: nodes.Between(AT, self.set(d), self.set(d)),
            lambda: nodes.Ray(AT, self.random.randint(1, 255), False, None, self.several(self.set, d)),
            lambda: nodes.Ray(AT, 255, self.flag(), None, self.several(self.set, d)),
            lambda: nodes.SetOperation(AT, self.one("&|"), self.set(d), self.set(d)),
            lambda: nodes.SetOperation(AT, "&", self.position(d), self.position(d)),
            lambda: nodes.Attack(AT, self.one(["attacks", "attackedby"]), self.set(d), self.set(d)),
            lambda: nodes.Arrow(AT, self.one(["->", "<-"]), self.several(self.set, d)),
            lambda: nodes.SquareLoop(AT, "sq", False, self.set(d), self.any(d)),
            lambda: nodes.PieceLoop(AT, "pc", False, self.set(d), self.any(d)),
            lambda: self.wrapped(self.set, d),
            lambda: self.move_set(d),
        ])()  # fmt: skip

    def number(self, depth: int) -> nodes.Node:
        word = self.one(["ply", "movenumber", "positionid", "gamenumber", "year"])
        leaves = [
            nodes.Number(AT, self.random.randint(-99, 99)), nodes.Name(AT, "numvar"), nodes.Measure(AT, word),
            nodes.Elo(AT, self.one([None, "white", "black"])),
        ]  # fmt: skip
        if depth <= 0:
            return self.one(leaves)
        d = depth - 1
        return self.one([
            lambda: self.one(leaves),
            lambda: nodes.Negate(AT, self.number(d)),
            lambda: nodes.Count(AT, self.one([self.set, self.string])(d)),
            lambda: nodes.Numeric(AT, self.one(["abs", "sqrt"]), self.number(d)),
            lambda: nodes.Power(AT, self.set(d)),
            lambda: nodes.Extremum(AT, self.one(["max", "min"]), self.several(self.number, d)),
            lambda: nodes.Arithmetic(AT, self.one("+-*/%"), self.number(d), self.number(d)),
            lambda: nodes.Compare(AT, self.one(["==", "<"]), self.number(d), self.set(d)),
            lambda: nodes.Compare(AT, self.one(["==", ">="]), self.number(d), self.number(d)),
            lambda: nodes.Compare(AT, self.one(["==", "<", ">="]), self.set(d), self.number(d)),
            lambda: nodes.Find(AT, self.flag(), True, self.flag(), None, self.any(d)),
            lambda: nodes.Find(AT, self.flag(), False, self.flag(), nodes.Range(AT, 2, 3), self.any(d)),
            lambda: nodes.Ray(AT, 255, self.flag(), nodes.Range(AT, 1, 2), self.several(self.set, d)),
            lambda: nodes.Transform(AT, "shift", AT, self.range() or nodes.Range(AT, 1, 1), self.any(d)),
            lambda: self.wrapped(self.number, d),
            lambda: self.move_number(d),
            lambda: self.sequence(d, last=False),
            lambda: nodes_paths.PathFact(AT, self.one(["pathcount", "pathcountunfocused"])),
        ])()  # fmt: skip

    def string(self, depth: int) -> nodes.Node:
        text = self.one(["", "a", "a b", "x+y", "\n", "\t", '"', "\\"])
        leaves = [
            nodes.String(AT, text),
            self.game_text(),
            nodes.CurrentTransform(AT),
            nodes.Name(AT, "strvar"),
        ]
        if depth <= 0:
            return self.one(leaves)
        d = depth - 1
        return self.one([
            lambda: self.one(leaves),
            lambda: nodes.Arithmetic(AT, "+", self.string(d), self.string(d)),
            lambda: nodes.Extremum(AT, self.one(["max", "min"]), self.several(self.string, d)),
            lambda: nodes.NoTransform(AT, self.string(d)),
        ])()  # fmt: skip

    def position(self, depth: int) -> nodes.Node:
        if depth <= 0:
            return self.one([nodes.CurrentPosition(AT), nodes.Name(AT, "posvar")])
        return self.one([
            lambda: nodes.CurrentPosition(AT),
            lambda: nodes.Find(AT, self.flag(), False, self.flag(), None, self.any(depth - 1)),
            lambda: nodes.NoTransform(AT, self.position(depth - 1)),
            lambda: self.dash(depth - 1, self.position),
            lambda: self.sequence(depth - 1, last=True),
            lambda: nodes_paths.PathFact(AT, self.one(["pathstart", "pathlastposition"])),
        ])()  # fmt: skip

    def plain(self, depth: int) -> nodes.Node:
        leaves = [
            nodes.Truth(AT, self.flag()), nodes.SideToMove(AT, self.one(["white", "black"])),
            nodes.State(AT, self.one(["check", "mate", "o-o", "o-o-o", "castle"])),
            nodes.Result(AT, self.one(["1-0", "0-1", "1/2-1/2"])),
        ]  # fmt: skip
        if depth <= 0:
            return self.one(leaves)
        d = depth - 1
        return self.one([
            lambda: nodes.Not(AT, self.any(d)),
            lambda: nodes.In(AT, self.set(d), self.set(d)),
            lambda: nodes.In(AT, self.string(d), self.string(d)),
            lambda: nodes.Logic(AT, self.one(["and", "or"]), self.any(d), self.any(d)),
            lambda: nodes.Compare(AT, self.one(["==", "!="]), self.set(d), self.set(d)),
            lambda: nodes.Compare(AT, "!=", self.position(d), self.position(d)),
            lambda: nodes.SquareLoop(AT, "sq", True, self.set(d), self.any(d)),
            lambda: nodes.PieceLoop(AT, "pc", True, self.set(d), self.any(d)),
            lambda: nodes.PieceAssign(AT, "piecevar", self.set(d)),
            lambda: nodes.Assign(AT, "setvar", self.one(["=", "=?", "|=", "&="]), self.set(d)),
            lambda: nodes.Assign(AT, "numvar", self.one(["=", "+=", "-=", "*=", "/=", "%="]), self.number(d)),
            lambda: nodes.Comment(AT, self.several(self.any, d), self.flag()),
            lambda: nodes.Transform(AT, "flipcolor", AT, None, self.any(d)),
            lambda: self.move_condition(d),
        ])()  # fmt: skip

    def men(self, depth: int) -> nodes.Node:
        return nodes.Designator(AT, self.random.randint(1, designators.ANY_MEN - 1), 2**64 - 1)

    def dash(self, depth: int, target: Callable[[int], nodes.Node] | None) -> nodes_moves.Dash:
        left, right = self.one([None, self.set(depth)]), self.one([None, self.set(depth)])
        letters = self.one([self.men(depth), nodes.AllSquares(AT), self.string(depth)])
        filters = () if target is None else (target(depth),)
        if target is not None and self.flag():
            filters = (self.any(depth), *filters)
        after = None if not filters else filters[0] if len(filters) == 1 else nodes.Compound(AT, filters)
        return nodes_moves.Dash(AT, self.flag(), left, right, self.one([None, letters]), after)

    def possible(self, depth: int) -> nodes_moves.PossibleMoves:
        left, right = self.one([None, self.set(depth)]), self.one([None, self.set(depth)])
        word = nodes.State(AT, self.one(["castle", "o-o", "o-o-o"]))
        target = self.one([None, word, nodes_moves.PreviousMove(AT, "enpassant")])
        return nodes_moves.PossibleMoves(AT, self.flag(), left, right, target)

    def move(self, first: list[str], depth: int, *, possible: bool = False) -> nodes_moves.Move:
        own = ["legal", "pseudolegal"] if possible else ["null", "capture", "promote", "primary", "previous"]
        free = ["from", "to", "enpassantsquare", "enpassant", "castle", "o-o", "o-o-o"]
        rest = self.random.sample([*free, *own[:1]], 3) if possible else self.random.sample([*free, *own], 4)
        words = list(dict.fromkeys([*first, *rest, *([self.one(own)] if possible else [])]))
        if possible and {"legal", "pseudolegal"} <= set(words):
            words.remove("legal")
        taking = [word for word in words if word in nodes_moves.OPERAND_WORDS]
        operands = tuple(self.men(0) if word == "promote" else self.set(depth) for word in taking)
        comment = None if possible else self.one([None, (self.any(depth),)])
        return nodes_moves.Move(AT, tuple(words), operands, comment)

    def pin(self, depth: int) -> nodes.Node:
        words = self.random.sample(["from", "through", "to"], self.random.randint(0, 3))
        return nodes_moves.Pin(AT, tuple(words), tuple(self.set(depth) for _ in words))

    def move_set(self, depth: int) -> nodes.Node:
        return self.one([
            lambda: nodes_moves.PreviousSquares(AT, self.one(["from", "to", "enpassantsquare"])),
            lambda: self.dash(depth, self.set),
            lambda: nodes_moves.CurrentMove(AT, self.dash(depth, self.set)),
            lambda: self.possible(depth),
            lambda: self.move([self.one(["from", "to", "capture"])], depth),
            lambda: self.move([self.one(["from", "to"])], depth, possible=True),
            lambda: self.pin(depth),
        ])()  # fmt: skip

    def move_number(self, depth: int) -> nodes.Node:
        return self.one([
            lambda: self.dash(depth, self.number),
            lambda: nodes_moves.CurrentMove(AT, self.dash(depth, self.number)),
            lambda: nodes_moves.CountMoves(AT, self.possible(depth)),
            lambda: nodes_moves.CountMoves(AT, self.dash(depth, self.one([None, self.any]))),
            lambda: self.move(["count"], depth, possible=True),
        ])()  # fmt: skip

    def move_condition(self, depth: int) -> nodes.Node:
        words = ["enpassant", "nullmove", "primary", "secondary"]
        return self.one([
            lambda: nodes_moves.PreviousMove(AT, self.one(words)),
            lambda: self.dash(depth, self.one([None, self.plain])),
            lambda: nodes_moves.CurrentMove(AT, self.dash(depth, None)),
            lambda: self.move(["castle"], depth),
            lambda: nodes_moves.Move(AT, (), (), None),
        ])()  # fmt: skip

    def sequence(self, depth: int, *, last: bool) -> nodes.Node:
        return self.path(depth, last) if self.flag() else self.line(depth, last)

    def path(self, depth: int, last: bool) -> nodes_paths.Path:
        focus = self.one([None, self.set(depth)])
        return nodes_paths.Path(
            AT, self.range(), focus, focus is not None and self.flag(), focus is None and self.flag(),
            focus is None and self.flag(), self.one([None, self.number(depth)]), self.flag(), last,
            self.flag(), self.flag(), self.flag(), self.flag(), self.one([None, "", "a + b"]),
            focus is not None and self.flag(), self.constituents(depth),
        )  # fmt: skip

    def constituents(self, depth: int) -> tuple[nodes.Node, ...]:
        found: list[nodes.Node] = []
        for _ in range(self.random.randint(1, 3)):
            # Behind a step a filter would be one of its targets.
            free = not found or not isinstance(found[-1], nodes_paths.Step)
            kinds = [self.step, self.chain, self.repeat] + ([self.any] if free else [])
            found.append(self.one(kinds)(depth))
        return tuple(found)

    def step(self, depth: int) -> nodes_paths.Step:
        targets = tuple(self.any(depth) for _ in range(self.random.randint(0, 2)))
        return nodes_paths.Step(AT, self.dash(depth, None), targets)

    def chain(self, depth: int) -> nodes_paths.Chain:
        rest = self.constituents(depth - 1) if depth > 0 else ()
        moving = nodes_paths.Step | nodes_paths.Chain | nodes_paths.Repeat
        return nodes_paths.Chain(AT, (self.step(depth), *(one for one in rest if isinstance(one, moving))))

    def wildcard(self) -> tuple[int, int | None]:
        return self.one([(0, None), (1, None), (0, 1), (3, 3), (2, None), (0, 4), (2, 5)])

    def repeat(self, depth: int) -> nodes_paths.Repeat:
        inner = self.one([self.step, self.chain])(depth)
        return nodes_paths.Repeat(AT, *self.wildcard(), inner)

    def line(self, depth: int, last: bool) -> nodes_paths.Line:
        back = self.flag()
        order = "" if back else self.one(["", "primary", "secondary"])
        return nodes_paths.Line(
            AT, back, self.range(), order, self.flag(), not back and self.flag(), self.flag(), last,
            self.flag(), self.line_constituents(depth, back, 1),
        )  # fmt: skip

    def line_constituents(self, depth: int, back: bool, least: int) -> tuple[nodes.Node, ...]:
        found: list[nodes.Node] = []
        for _ in range(self.random.randint(least, 3)):
            made: nodes.Node = self.any(depth)
            if depth > 0 and self.flag():
                made = nodes_paths.LineChain(AT, back, self.line_constituents(depth - 1, back, 2))
            if self.flag() and not _can_be_empty(made):
                made = nodes_paths.Repeat(AT, *self.wildcard(), made)
            found.append(made)
        return tuple(found)

    def any(self, depth: int) -> nodes.Node:
        return self.one([self.plain, self.set, self.number, self.string, self.position])(depth)


DECLARED = 'setvar = A numvar = 1 strvar = "a" posvar = currentposition piece piecevar = K\n'


@settings(max_examples=500, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 4), st.sampled_from(["ascii", "unicode"]))
def test_reading_a_print_gives_the_tree_again(random: Random, depth: int, style: printers.Style) -> None:
    node = _Maker(random).any(depth)
    if _nests_loops(node, frozenset()):
        return
    text = printer.print_node(node, style)
    found = check.check(DECLARED + "{(" + text + ")}")
    assert found.query is not None, (text, found.errors)
    assert isinstance(found.query.body, nodes.Compound)
    assert found.query.body.filters[-1] == node, text


@pytest.mark.parametrize(
    "text", ['player "x"', 'player white "a b"', 'eco "B9"', 'shift count {event "x" eco}']
)
def test_implicit_searches_round_trip(text: str) -> None:
    query = check.check(text).query
    assert query is not None
    assert printer.print_node(query.body) == text


def _can_be_empty(node: nodes.Node) -> bool:
    """A constituent of a line that no wildcard can follow."""
    if isinstance(node, nodes_paths.LineChain):
        return all(_can_be_empty(one) for one in node.constituents)
    return isinstance(node, nodes_paths.Repeat) and (node.low == 0 or _can_be_empty(node.operand))


def _nests_loops(node: nodes.Node, above: frozenset[str]) -> bool:
    """Trees that no text spells: nested loops of one name."""
    mark = node.name if isinstance(node, nodes.SquareLoop | nodes.PieceLoop) else ""
    if mark and mark in above:
        return True
    return any(_nests_loops(child, above | {mark}) for child in nodes.children(node))


@pytest.mark.parametrize(
    "text",
    [
        'comment({white "Kan"} "x")',
        'message({fen "8/8/8/8/8/8/8/K1k5"})',
        'str({player black "Kan"} ply)',
        'move comment({fen "8/8/8/8/8/8/8/K1k5"})',
        'comment({hhdb composer "K"} "x")',
        'comment({originalcomment "K"} originalcomment "!")',
        "path -- {child} (-- check)",
        "path -- . {child} (--)",
        "square x in {legal --} (not check)",
        "square x in {legal --} (--(check))",
        "x = 1 --{square y in A x = ply}=Q",
        "countmoves legal --{child & path lastposition P}(enpassant)",
        "path {max(ply 2) > 3} --",
        "path quiet {primary} --",
    ],
)
@pytest.mark.parametrize("style", ["ascii", "unicode"])
def test_braces_that_change_the_meaning_are_printed(text: str, style: printers.Style) -> None:
    wanted = check.check(text).query
    assert wanted is not None
    assert check.check(printer.print_node(wanted.body, style)).query == wanted
    bare = check.check(text.replace("{", "").replace("}", "")).query
    assert bare != wanted, "without them the text says something else"


@pytest.mark.parametrize(
    "text",
    [
        "/// A->k flip {///Ra1 Kb1} check",
        "/// not {///A} {///R} mate\n\n ///K",
        "path -- ///ply\n --\n\n mate",
        "find {///A} ///R {find ///K}",
        "if ///A\n then ///K\n else ///Q",
    ],
)
@pytest.mark.parametrize("style", ["ascii", "unicode"])
def test_a_comment_of_slashes_is_printed_within_another(text: str, style: printers.Style) -> None:
    wanted = check.check(text).query
    assert wanted is not None
    found = check.check(printer.print_query(wanted, style)).query
    assert found is not None
    assert found.body == wanted.body
