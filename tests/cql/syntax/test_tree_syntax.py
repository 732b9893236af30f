"""Filters about positions and squares: what is read, refused, printed and typed."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.cql.ast import nodes, nodes_squares, nodes_tree, types
from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer, printers
from cqlgui.cql.source.diagnostics import NOWHERE as AT
from tests.cql.printing import test_printer

ERRORS = """
A:check | type-mismatch 1
parent: | unexpected-end 7
parent == 3 | type-mismatch 10
child(A):check | type-mismatch 6
child(1 2) | too-many-arguments 8
child() | missing-operand 6
position :check | unexpected-token 9
position A:check | type-mismatch 9
lca(currentposition) | too-few-arguments 19
lca(parent parent parent) | too-many-arguments 18
distance parent child | unexpected-token 9
descendant(parent) | too-few-arguments 17
equal(A) | too-few-arguments 7
parent [<] 3 | type-mismatch 11
A [<] parent | type-mismatch 2
parent | child | type-mismatch 7
echo(x1) true | missing-operand 7
echo(x1 x1) true | duplicate-name 8
echo(x1 y1 z1) true | too-many-arguments 11
echo x1 y1 true | unexpected-token 5
echo(x1 y1) | unexpected-end 11
echo(A y1) true | unexpected-token 5
x1=A echo(x1 y1) true | type-mismatch 10
echo(x1 y1) echo(y1 z1) true | already-bound 17
consecutivemoves(A a) > 2 | unexpected-token 17
x1=3 x2=parent consecutivemoves(x1 x2) | type-mismatch 32
similarposition mate | unexpected-token 16
similarposition "a.txt" | bad-file-name 16
flip {A similarposition "a.pgn"} | misplaced-filter 8
fen "8/8/8" | bad-fen 4
fen "9/8/8/8/8/8/8/8" | bad-fen 4
fen "rnbxkbnr/8/8/8/8/8/8/8" | bad-fen 4
fen "8/8/8/8/8/8/8/7" | bad-fen 4
fen "8/8/8/8/8/8/8/8K" | bad-fen 4
rotate45 fen "8/8/8/8/8/8/8/K7" | rotate45-squares 14
makesquare(4) & K | too-few-arguments 12
makesquare(A 3) | type-mismatch 11
makesquare(1 2 3) | too-many-arguments 15
makesquare("e4" 3) | too-many-arguments 16
makesquare 3 | type-mismatch 11
makesquare() | missing-operand 11
rank 3 == 2 | type-mismatch 5
file | unexpected-end 4
type "a" == 1 | type-mismatch 5
pathdebug | internal-word 0
k attacked Q | unexpected-token 11
"""


@pytest.mark.parametrize("line", ERRORS.strip().splitlines())
def test_error(line: str) -> None:
    text, _, expected = line.rpartition(" | ")
    code, offset = expected.split()
    found = check.check(text)
    assert found.query is None
    assert [(one.code, one.span.offset) for one in found.errors] == [(code, int(offset))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("child:child:ply+1", "child:child:ply + 1"),
        ("child:A&P", "child:A & P"),
        ("#child:P", "#(child:P)"),
        ("child (0):wtm", "child(0):wtm"),
        ("{(child) ((A or mate) and P)}", "{(child) (A or mate) and P}"),
        ("position 3:fen", "(position 3):fen"),
        ("(find check):ply", "(find check):ply"),
        ("parent:(find check)", "parent:find check"),
        ("parent:up 1 K|A", "parent:up 1 K | A"),
        ("parent[<]child==child", "parent [<] child == child"),
        ("echo (s1 t1) in all true", "echo (s1 t1) in all true"),
        ("echo quiet(s1 t1){s1:A mate}", "echo quiet (s1 t1) {s1:A mate}"),
        ('makesquare "e4"', 'makesquare("e4")'),
        ("rank (K&e1)", "rank K & e1"),
        ("(rank K)+1", "rank K + 1"),
        ('fen "8/8/8/8/8/8/8/KBNk4 w - - 0 1"', 'fen "8/8/8/8/8/8/8/KBNk4"'),
        ('fen "r.bqk..r/_p_paA2/8/8/8/8/8/8"', 'fen "r.bqk..r/1p1paA2/8/8/8/8/8/8"'),
        ('similarposition notransform nosort "x.pgn"', 'similarposition nosort notransform "x.pgn"'),
        ("elo {(white)==1}", "{elo (white == 1)}"),
        ('{fen ("x")}', '{fen ("x")}'),
        ("k attacked by Q", "k attackedby Q"),
    ],
)
def test_canonical_text(text: str, expected: str) -> None:
    query = check.check("{" + text + "}").query
    assert query is not None, check.check("{" + text + "}").errors
    printed = printer.print_node(query.body)
    if printed.startswith("{") and not expected.startswith("{"):
        printed = printed[1:-1]
    assert printed == expected
    again = check.check("{" + expected + "}").query
    assert again is not None
    assert again.body == query.body


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("parent:A", types.Type.SET),
        ("parent:check", types.Type.LOGICAL),
        ("parent:ply", types.Type.NUMERIC),
        ("parent:fen", types.Type.STRING),
        ("parent:child", types.Type.POSITION),
        ("echo(s1 t1) ply", types.Type.NUMERIC),
        ("echo(s1 t1) A", types.Type.LOGICAL),
        ("flip parent", types.Type.LOGICAL),
        ("flip parent:A", types.Type.SET),
        ("parent [<=] child", types.Type.POSITION),
        ("ancestor(parent child)", types.Type.LOGICAL),
        ("try", types.Type.NUMERIC),
        ("typename K", types.Type.STRING),
        ("colortype K", types.Type.NUMERIC),
        ('fen "8/8/8/8/8/8/8/8"', types.Type.LOGICAL),
        ("puremate", types.Type.SET),
    ],
)
def test_type(text: str, kind: types.Type) -> None:
    found = check.check(text)
    assert found.query is not None
    assert types.infer(found.query.body, found.names) is kind


def test_a_piece_seen_from_another_position_is_its_square() -> None:
    found = check.check("piece Man in A {parent:Man}")
    assert found.query is not None
    assert isinstance(found.query.body, nodes.PieceLoop)
    assert types.infer(found.query.body.body, found.names) is types.Type.SET


def test_words_with_a_value_of_their_own_are_no_conditions() -> None:
    for text in ("parent:3 A", "lca(parent child) A", "typename K A", "fen A", "sidetomove A"):
        assert [one.code for one in check.check(text).warnings], text
    for text in ("parent:check A", "try A", "distance(parent child) == 2", "puremate A", "depth == 1"):
        assert check.check(text).warnings == (), text


class _Maker(test_printer._Maker):
    """Adds the kinds of this subject to the trees of the general one."""

    def tree_position(self, depth: int) -> nodes.Node:
        d = depth - 1
        lineage: nodes_tree.Lineage = self.one(["[<]", "[<=]", "[>]", "[>=]"])
        leaves = [
            nodes_tree.Parent(AT),
            nodes_tree.Child(AT, None),
            nodes_tree.InitialPosition(AT),
        ]
        if depth <= 0:
            return self.one(leaves)
        return self.one([
            lambda: self.one(leaves),
            lambda: nodes_tree.Child(AT, self.number(d)),
            lambda: nodes_tree.PositionNumber(AT, self.number(d)),
            lambda: nodes_tree.CommonAncestor(AT, self.position(d), self.position(d)),
            lambda: nodes_tree.Descent(AT, lineage, self.position(d), self.position(d)),
            lambda: nodes_tree.At(AT, self.position(d), self.position(d)),
        ])()  # fmt: skip

    def position(self, depth: int) -> nodes.Node:
        return self.tree_position(depth) if self.flag() else super().position(depth)

    def set(self, depth: int) -> nodes.Node:
        if depth <= 0 or self.random.random() < 0.7:
            return super().set(depth)
        d = depth - 1
        return self.one([
            lambda: nodes_tree.At(AT, self.position(d), self.set(d)),
            lambda: nodes_squares.MakeSquare(AT, (self.number(d), self.number(d))),
            lambda: nodes_squares.MakeSquare(AT, (self.string(d),)),
            lambda: nodes_squares.PawnSet(AT, self.one(["passedpawns", "isolatedpawns", "doubledpawns"])),
            lambda: nodes_squares.Picture(AT, self.one(["puremate", "idealmate", "modelstalemate"])),
        ])()  # fmt: skip

    def number(self, depth: int) -> nodes.Node:
        if depth <= 0 or self.random.random() < 0.7:
            return super().number(depth)
        d = depth - 1
        fact: nodes_squares.SquareWord = self.one(["rank", "file", "type", "colortype", "pieceid"])
        return self.one([
            lambda: nodes_tree.At(AT, self.position(d), self.number(d)),
            lambda: nodes_tree.Distance(AT, self.position(d), self.position(d)),
            lambda: nodes_tree.Echo(AT, self.flag(), "here", "there", self.flag(), self.number(d)),
            lambda: nodes_tree.ConsecutiveMoves(AT, self.flag(), self.range(), "posvar", "posvar"),
            lambda: nodes_squares.SquareFact(AT, fact, self.set(d)),
            lambda: nodes_squares.ColourNumber(AT, self.one(["white", "black"])),
            lambda: nodes.Measure(AT, self.one(["depth", "sidetomove", "lastgamenumber", "try"])),
        ])()  # fmt: skip

    def string(self, depth: int) -> nodes.Node:
        if depth <= 0 or self.random.random() < 0.7:
            return super().string(depth)
        d = depth - 1
        return self.one([
            lambda: nodes_tree.At(AT, self.position(d), self.string(d)),
            lambda: nodes_squares.Fen(AT),
            lambda: nodes_squares.SquareFact(AT, self.one(["typename", "piecename"]), self.set(d)),
        ])()  # fmt: skip

    def plain(self, depth: int) -> nodes.Node:
        if depth <= 0 or self.random.random() < 0.6:
            return super().plain(depth)
        d = depth - 1
        return self.one([
            lambda: nodes_tree.At(AT, self.position(d), self.plain(d)),
            lambda: nodes_tree.Kinship(
                AT, self.one(["ancestor", "descendant"]), self.position(d), self.position(d)
            ),
            lambda: nodes_tree.Echo(AT, self.flag(), "here", "there", self.flag(), self.plain(d)),
            lambda: nodes_tree.SimilarPosition(AT, self.flag(), self.flag(), "other.pgn"),
            lambda: nodes_tree.Equal(AT, self.any(d), self.any(d)),
            lambda: self.placement(),
            lambda: nodes.State(AT, self.one(["mainline", "variation", "virtualmainline", "extension"])),
        ])()  # fmt: skip

    def placement(self) -> nodes.Node:
        masks = [1, 1, 1, 2, 1 << 9, 0b1111110, 0b1111110000000, 0b1111111111111]
        return nodes_squares.Placement(
            AT,
            tuple(
                nodes.Designator(AT, self.one(masks), 1 << 8 * rank + file)
                for rank in range(7, -1, -1)
                for file in range(8)
            ),
        )


@settings(max_examples=400, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 4), st.sampled_from(["ascii", "unicode"]))
def test_reading_a_print_gives_the_tree_again(random: Random, depth: int, style: printers.Style) -> None:
    node = _Maker(random).any(depth)
    if test_printer._nests_loops(node, frozenset()) or _unspeakable(node, False, False):
        return
    text = printer.print_node(node, style)
    found = check.check(test_printer.DECLARED + "{(" + text + ")}")
    assert found.query is not None, (text, found.errors)
    assert isinstance(found.query.body, nodes.Compound)
    assert found.query.body.filters[-1] == node, text


def _unspeakable(node: nodes.Node, echoed: bool, transformed: bool) -> bool:
    """Trees that no text spells: an echo in one of the same names, another file's positions under a
    transform."""
    if isinstance(node, nodes_tree.Echo):
        if echoed:
            return True
        echoed = True
    transformed = not isinstance(node, nodes.NoTransform) and (
        transformed or isinstance(node, nodes.Transform)
    )
    if transformed and isinstance(node, nodes_tree.SimilarPosition):
        return True
    return any(_unspeakable(child, echoed, transformed) for child in nodes.children(node))


@pytest.mark.parametrize(
    "text", ["echo (s /* t) {true}", "echo (/* s t) {true}", "consecutivemoves(s /* t) > 1"]
)
def test_an_open_comment_among_the_names_is_reported_with_its_bracket_alone(text: str) -> None:
    bracket, comment = check.check(text).diagnostics
    assert (bracket.code, comment.code) == ("unbalanced-bracket", "unterminated-comment")
