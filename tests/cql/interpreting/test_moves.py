"""What moves mean: worked out by hand on small games, and compared with python-chess on random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import chess.pgn
import pytest

from cqlgui.board import attacks, squares
from cqlgui.cql.ast import nodes_moves
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import compilers, interpreter
from cqlgui.cql.interpreting.expressions import closures_output
from cqlgui.cql.interpreting.families import closures_moves
from cqlgui.cql.interpreting.runtime import evaluation, values
from cqlgui.cql.transforming import transforms
from tests.helpers import games


def evaluated(game: games.Game, slots: int = 0) -> evaluation.Evaluation:
    """A fresh evaluation of a whole game, at its root."""
    return evaluation.Evaluation(
        game.tree,
        game.host,
        variables=slots,
        sort_keys=0,
        automatic_comments=True,
        explicit_comments=True,
    )


def printed(expression: str, game: games.Game, positionid: int) -> str:
    """What `str` of the expression prints at a position."""
    expanded = transforms.expand(check.check(expression))
    assert expanded.query is not None, (expression, expanded.diagnostics)
    compiler = compilers.compiler(expanded.names)
    text = closures_output.text_of(compiler, expanded.query.body)
    state = evaluated(game, len(compiler.slots))
    state.goto(positionid)
    return text(state)


def game(moves: str, fen: str = "") -> games.Game:
    """The game of a move text, from a position where one is given."""
    tags = f'[SetUp "1"]\n[FEN "{fen}"]\n\n' if fen else ""
    (only,) = games.from_pgn(f"{tags}{moves} *\n")
    return only


SPANISH = game("1. e4 e5 2. Nf3 (2. Bc4 Nf6) (2. f4) 2... Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6")
PASSING = game("1. e4 a6 2. e5 d5 3. exd6 Qxd6 (3... cxd6)")
PROMOTING = game("1. a8=Q (1. a8=N) (1. axb8=R+) 1... Kd7", "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1")
PASSED = game("1. e4 (1. Z0 e5) 1... e5")
BOTH_WINGS = game("1. O-O-O (1. O-O) (1. Kd2) 1... O-O", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")


@pytest.mark.parametrize(
    ("played", "at", "expression", "expected"),
    [
        # Ties and sets, evaluated where the move begins.
        (SPANISH, 2, "--", "<true>"),
        (SPANISH, 2, "N--", "<true>"),
        (SPANISH, 2, "R--", "<false>"),
        (SPANISH, 2, "B--c4", "<true>"),
        (SPANISH, 2, "--Bc4", "<false>"),
        (SPANISH, 2, "true and --(Bc4)", "<true>"),
        (SPANISH, 2, "P|B--a-h4(to)", "c4"),
        (SPANISH, 2, "--(secondary to)", "[]"),
        (SPANISH, 2, "--(secondary ply)", "3"),
        (SPANISH, 2, "--(secondary currentposition)", "move 2(btm)[11]"),
        (SPANISH, 2, "countmoves --", "3"),
        (SPANISH, 2, "countmoves --(secondary)", "2"),
        (SPANISH, 2, "countmoves N--", "1"),
        (SPANISH, 12, "--(--)", "<false>"),
        (SPANISH, 2, "--(true and --(to&c6))", "<true>"),
        # A set as a value comes from the first move that goes with the sets, a truth from any.
        (SPANISH, 2, "--(to & c4)", "[]"),
        (SPANISH, 2, "not --(to & c4)", "<false>"),
        (SPANISH, 2, "--(#to & c4)", "0"),
        (SPANISH, 2, "--(#to & c4 == 1)", "1"),
        # Captures: the captured man's square counts.
        (SPANISH, 6, "[x]", "<true>"),
        (SPANISH, 6, "B[x]n", "<true>"),
        (SPANISH, 6, "[x]c6", "<true>"),
        (SPANISH, 6, "[x]p", "<false>"),
        (SPANISH, 4, "[x]", "<false>"),
        (SPANISH, 8, "[x]", "<false>"),
        # Castling: king or rook, each with both its squares.
        (SPANISH, 8, "K--g1", "<true>"),
        (SPANISH, 8, "R--f1", "<true>"),
        (SPANISH, 8, "K--f1", "<false>"),
        (SPANISH, 8, "--f1(from)", "h1"),
        (SPANISH, 8, "e1--(to)", "g1"),
        (SPANISH, 8, "h1--(to from)", "h1"),
        (SPANISH, 8, "--(to)", "[f1,g1]"),
        (SPANISH, 8, "K|R--(from)", "[e1,h1]"),
        (SPANISH, 8, "K--(--(parent:to))", "[f1,g1]"),
        (SPANISH, 9, "from", "[e1,h1]"),
        (SPANISH, 9, "to", "[f1,g1]"),
        (SPANISH, 9, "currentmove R--(to)", "f1"),
        (SPANISH, 9, "castle", "<true>"),
        (SPANISH, 9, "o-o", "<true>"),
        (SPANISH, 9, "o-o-o", "<false>"),
        (SPANISH, 8, "move castle from K", "<true>"),
        (SPANISH, 8, "move from K castle", "e1"),
        (SPANISH, 8, "move from R", "[]"),
        (SPANISH, 8, "move to g1 o-o", "g1"),
        (SPANISH, 8, "move o-o-o", "<false>"),
        (SPANISH, 8, "legal --(castle)", "g1"),
        (SPANISH, 8, "legal R--f1(o-o)", "[]"),
        (BOTH_WINGS, 0, "legal --(o-o-o)", "c1"),
        (BOTH_WINGS, 0, "legal --(castle)", "[c1,g1]"),
        (BOTH_WINGS, 0, "countmoves --(castle)", "2"),
        (BOTH_WINGS, 0, "--(o-o-o)", "<true>"),
        # Castling promotes nothing.
        (BOTH_WINGS, 0, "--=Q", "<false>"),
        (BOTH_WINGS, 0, "countmoves --=.", "0"),
        (BOTH_WINGS, 1, "K--", "<false>"),
        (BOTH_WINGS, 1, "k--h8(to)", "[]"),
        (BOTH_WINGS, 0, "K--(to) == c1", "<true>"),
        # The previous move.
        (SPANISH, 0, "currentmove --", "<false>"),
        (SPANISH, 0, "currentmove --(to)", "[]"),
        (SPANISH, 0, "from | to | enpassantsquare", "[]"),
        (SPANISH, 0, "primary or secondary or nullmove or enpassant or castle", "<false>"),
        (SPANISH, 3, "currentmove Ng1--_(to)", "f3"),
        (SPANISH, 3, "previous N--f3", "<true>"),
        (SPANISH, 7, "currentmove [x]n", "<true>"),
        (SPANISH, 7, "currentmove [x]B", "<false>"),
        (SPANISH, 3, "primary", "<true>"),
        (SPANISH, 11, "primary", "<false>"),
        (SPANISH, 13, "secondary", "<true>"),
        (SPANISH, 12, "primary", "<true>"),
        # En passant.
        (PASSING, 4, "P[x]p", "<true>"),
        (PASSING, 4, "P[x]d5", "<true>"),
        (PASSING, 4, "P[x]d6", "<false>"),
        (PASSING, 4, "P--d6", "<true>"),
        (PASSING, 4, "P--p", "<false>"),
        (PASSING, 4, "--(enpassant)", "<true>"),
        (PASSING, 4, "legal --(enpassant)", "d6"),
        (PASSING, 4, "pseudolegal P--(enpassant)", "d6"),
        (PASSING, 2, "legal --(enpassant)", "[]"),
        (PASSING, 4, "move enpassant", "<true>"),
        (PASSING, 4, "move enpassantsquare d5", "<true>"),
        (PASSING, 4, "move enpassantsquare d6", "<false>"),
        (PASSING, 4, "move capture p", "d5"),
        (PASSING, 4, "move to d6 enpassant", "d6"),
        (PASSING, 5, "enpassant", "<true>"),
        (PASSING, 5, "enpassantsquare", "d5"),
        (PASSING, 6, "enpassant", "<false>"),
        (PASSING, 6, "enpassantsquare", "[]"),
        # Promotion: the type alone counts.
        (PROMOTING, 0, "--=Q", "<true>"),
        (PROMOTING, 0, "--=q", "<true>"),
        (PROMOTING, 0, "--=B", "<false>"),
        (PROMOTING, 0, "countmoves --=[RN]", "2"),
        (PROMOTING, 0, "countmoves --=a", "3"),
        (PROMOTING, 0, "countmoves --=.", "3"),
        (PROMOTING, 0, 'countmoves --=""', "3"),
        (PROMOTING, 0, 'countmoves --="qr"', "2"),
        (PROMOTING, 0, 'countmoves --="k?"', "0"),
        (PROMOTING, 0, 'x="N" countmoves --=x', "1"),
        (PROMOTING, 0, "--=K", "<false>"),
        (PROMOTING, 0, "P[x]n=R(check)", "<true>"),
        (PROMOTING, 0, "--a8=Q(check)", "<false>"),
        (PROMOTING, 0, "P--=Q(to)", "a8"),
        (PROMOTING, 1, "--=.", "<false>"),
        (PROMOTING, 0, "move promote [RN]", "<true>"),
        (PROMOTING, 0, "move promote B", "<false>"),
        (PROMOTING, 0, "move from P promote n", "a7"),
        (PROMOTING, 0, "move to . promote R", "b8"),
        # Promotions to one square are one possible move (D23).
        (PROMOTING, 0, "countmoves legal P--", "2"),
        (PROMOTING, 0, "move from P legal count", "2"),
        (PROMOTING, 0, "legal P--", "[a8,b8]"),
        # Null moves stay on the king's square and capture nothing.
        (PASSED, 0, "--(nullmove)", "<true>"),
        (PASSED, 0, "K--K(nullmove)", "<true>"),
        (PASSED, 0, "K--e1", "<true>"),
        (PASSED, 0, "[x]", "<false>"),
        (PASSED, 0, "--=.", "<false>"),
        (PASSED, 0, "move null", "<true>"),
        (PASSED, 0, "move to . null", "e1"),
        (PASSED, 0, "move capture .", "[]"),
        (PASSED, 1, "nullmove", "<false>"),
        (PASSED, 3, "nullmove", "<true>"),
        (PASSED, 3, "from & to", "e1"),
        (PASSED, 3, "move previous null", "<true>"),
        (PASSED, 0, "countmoves legal --", "20"),
        # The older filter.
        (SPANISH, 2, "move", "<true>"),
        (SPANISH, 13, "move", "<false>"),
        (SPANISH, 2, "move from .", "[f1,g1,f2]"),
        (SPANISH, 2, "move to a-h4 from .", "[c4,f4]"),
        (SPANISH, 2, "move secondary from N", "<false>"),
        (SPANISH, 2, "move secondary from B", "<true>"),
        (SPANISH, 2, "move from . primary", "g1"),
        (SPANISH, 3, "move previous from N to f3", "<true>"),
        (SPANISH, 0, "move previous", "<false>"),
        (SPANISH, 6, "move capture n from B", "c6"),
        (SPANISH, 8, "move legal from K", "<true>"),
        (SPANISH, 8, "move to ~A from K legal", "[f1,g1,e2]"),
        (SPANISH, 8, "move from K legal o-o", "e1"),
        (SPANISH, 8, "move legal count from K", "3"),
        (SPANISH, 8, "move pseudolegal castle", "<true>"),
    ],
)
def test_a_move_has_the_value_worked_out_by_hand(
    played: games.Game, at: int, expression: str, expected: str
) -> None:
    assert printed(expression, played, at) == expected


@pytest.mark.parametrize(
    ("fen", "expression", "expected"),
    [
        # Castling and en passant by the fields of the FEN (D7).
        ("r3k2r/8/8/8/8/8/8/R3K2R w K - 0 1", "legal --(castle)", "g1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", "legal --(castle)", "[]"),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "legal --(castle)", "[c8,g8]"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "legal --(enpassant)", "d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "legal --(enpassant)", "[]"),
        # Through check no castling, not even pseudolegally.
        ("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "pseudolegal --(castle)", "[]"),
        # Chess960: the king's own squares, also where he hardly moves.
        ("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", "legal --(o-o)", "g1"),
        ("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", "legal --(o-o-o)", "c1"),
        ("4k3/8/8/8/8/8/8/R5K1 w A - 0 1", "legal K--c1(castle)", "c1"),
        # Pseudolegal moves leave the king in check.
        ("4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1", "legal N--", "[]"),
        ("4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1", "countmoves pseudolegal N--", "6"),
        # Pins: the man between is the only one, and the square behind holds his own side or nothing.
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "pin", "e2"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "pin from r", "e7"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "pin to K from r", "e1"),
        ("4k3/4r3/8/8/4p3/8/4N3/4K3 w - - 0 1", "pin", "[]"),
        ("4k3/4r3/8/8/8/8/4N3/4k2K w - - 0 1", "pin to k", "[]"),
        ("4k3/4r3/8/8/8/8/4N3/4R2K w - - 0 1", "pin through N to R", "e2"),
        ("4k3/4r3/8/8/8/8/4N3/7K w - - 0 1", "pin to e1", "e1"),
        ("4k3/4r3/8/8/8/8/4N3/7K w - - 0 1", "pin through N to . from r", "e2"),
        ("4k3/4b3/8/8/8/8/4N3/4K3 w - - 0 1", "pin", "[]"),
        ("8/6k1/8/4n3/8/2B5/8/K7 w - - 0 1", "pin through n from B to k", "e5"),
        ("8/6k1/8/4n3/8/2B5/8/K7 w - - 0 1", "xray(B n k)", "g7"),
        ("8/6k1/8/4n3/8/2B5/8/K7 w - - 0 1", "xray(B k)", "[]"),
    ],
)
def test_a_position_has_the_moves_worked_out_by_hand(fen: str, expression: str, expected: str) -> None:
    assert printed(expression, games.from_fen(fen), 0) == expected


def test_castling_in_chess960_counts_king_and_rook_with_their_own_squares() -> None:
    castled = game("1. O-O", "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1")
    assert printed("--(from)", castled, 0) == "[f1,g1]"
    assert printed("--(to)", castled, 0) == "[f1,g1]"
    assert printed("K--(to)", castled, 0) == "g1"
    assert printed("R--f1(from)", castled, 0) == "g1"
    assert printed("K--f1", castled, 0) == "<false>"
    assert printed("move to . castle", castled, 0) == "g1"


def outcome(query: str, played: games.Game) -> interpreter.GameOutcome | None:
    return interpreter.Program(transforms.expand(check.check(query))).run(played.tree, played.host)


def hits(query: str, played: games.Game) -> list[int]:
    """The matching positions."""
    found = outcome(query, played)
    return [] if found is None else [hit.positionid for hit in found.hits]


def test_without_variations_only_the_main_line_has_moves() -> None:
    assert hits("--(secondary)", SPANISH) == []
    assert hits("cql(variations) --(secondary)", SPANISH) == [2]
    assert hits("countmoves -- > 1", SPANISH) == []


def test_a_target_holds_as_a_condition_whatever_its_value() -> None:
    assert hits('--(lowercase "a")', SPANISH) == []
    assert hits('--(not lowercase "a")', SPANISH) == hits("--", SPANISH)


def test_the_comment_of_the_older_filter_stands_behind_each_of_its_moves() -> None:
    found = outcome('cql(variations quiet) move from [Pp] comment("by " from)', SPANISH)
    assert found is not None
    texts = dict(entry for entry in found.comments if entry[1].startswith("by"))
    assert texts == {1: "by e2", 2: "by e7", 6: "by a7", 8: "by d7", 10: "by f7", 13: "by f2"}
    silent = outcome('cql(silent) move from P comment("by " from)', SPANISH)
    assert silent is not None
    assert silent.comments == ()


def test_comments_of_targets_that_fail_are_taken_back() -> None:
    found = outcome('cql(variations quiet) positionid==2 --(comment("tried") secondary f4)', SPANISH)
    assert found is not None
    assert [text for _, text in found.comments if text == "tried"] == ["tried"]
    assert outcome('cql(variations quiet) positionid==2 --(comment("tried") mate)', SPANISH) is None


def test_the_position_and_the_cut_come_back_after_a_target() -> None:
    assert hits("{--(to) ply==8 K--(to & g1) not from&[f1,g1]}", SPANISH) == [8]
    assert hits("castle {from==[e1,h1]} parent:{K--(to==g1)} to==[f1,g1]", SPANISH) == [9]


@pytest.mark.parametrize(
    "query",
    [
        "--(Pf4)",
        "flipcolor {--(Pf4)}",
        "flipvertical {true --(Pf4)}",
        "currentmove --(--(Pf4))",
        "flipcolor {currentmove --(--(Pf4))}",
    ],
)
def test_a_later_move_whose_target_matches_counts_within_other_filters(query: str) -> None:
    assert hits(f"cql(variations) {query}", SPANISH) == [2]
    # As a set it is the first move's, which is empty.
    assert hits(f"cql(variations) #({query}) > 0", SPANISH) == []


def test_a_move_is_ringed_at_both_ends() -> None:
    found = outcome("B[x]n", SPANISH)
    assert found is not None
    assert [values.set_text(hit.squares) for hit in found.hits] == ["[b5,c6]"]
    found = outcome("currentmove --(castle)", SPANISH)
    assert found is not None
    assert [values.set_text(hit.squares) for hit in found.hits] == ["[e1,f1,g1,h1]"]


@pytest.mark.parametrize(
    ("query", "elements"),
    [
        ("flipcolor count {true or K--}", 2),
        ("flipcolor count {castle or true}", 1),
        ("flipcolor count {--(castle) or true}", 1),
        ("flipcolor count {true or from&to}", 1),
        ("flip count {true or Ra1--}", 4),
        ("flip count {true or --(Ra1)}", 4),
        ("flip count {true or move from Ra1 to b3}", 8),
        ("flip count {true or pin from Ra1}", 4),
        ("flipvertical count {true or legal Ra1--}", 2),
        ("flipvertical count {true or countmoves legal --Ra1 > 0}", 2),
        ("flipvertical count {true or currentmove --Ra1}", 2),
        ("shift count {true or Ka-h1--Ka-h2}", 7),
    ],
)
def test_transforms_act_on_the_sets_of_moves(query: str, elements: int) -> None:
    assert hits(f"initial {elements} == {query}", SPANISH) == [0]


# --- compared with python-chess and with the definitions ---


def boards(seed: int, count: int) -> Iterator[tuple[chess.Board, games.Game, int]]:
    """Positions of random games, with our game and their positionid."""
    generator = random.Random(seed)
    for _ in range(count):
        board, played = chess.Board(), chess.pgn.Game()
        node: chess.pgn.GameNode = played
        for _ in range(generator.randrange(10, 90)):
            choice = list(board.legal_moves)
            if not choice:
                break
            # Pawns are pushed on, so that some promote and some capture en passant.
            pawns = [move for move in choice if board.piece_type_at(move.from_square) == chess.PAWN]
            move = generator.choice(pawns if pawns and generator.random() < 0.5 else choice)
            node = node.add_variation(move)
            board.push(move)
        (ours,) = games.from_pgn(str(played))
        replay = chess.Board()
        for place, move in enumerate([*board.move_stack, None]):
            yield replay.copy(stack=False), ours, place
            if move is not None:
                replay.push(move)


def test_possible_moves_are_those_of_python_chess() -> None:
    expressions = ["countmoves legal --", "#legal --", "countmoves pseudolegal --", "legal --(enpassant)"]
    seen_en_passant = False
    for board, ours, place in boards(1, 6):
        pairs = {(move.from_square, move.to_square) for move in board.legal_moves}
        loose = {(move.from_square, move.to_square) for move in board.pseudo_legal_moves}
        # python-chess lets a pseudolegal castling move pass through attacked squares; the language doesn't.
        loose -= {
            (move.from_square, move.to_square)
            for move in board.pseudo_legal_moves
            if board.is_castling(move) and not board.is_legal(move)
        }
        passing = sum(1 << move.to_square for move in board.legal_moves if board.is_en_passant(move))
        seen_en_passant |= passing != 0
        goals = {end for _, end in pairs}
        expected = [str(len(pairs)), str(len(goals)), str(len(loose))]
        assert [printed(one, ours, place) for one in expressions[:3]] == expected
        named = printed(expressions[3], ours, place)
        assert (named != "[]") == bool(passing & -passing)
    assert seen_en_passant


def test_played_moves_go_with_the_sets_their_definition_names() -> None:
    """Every kind of man and of square against the definition, spelled out with python-chess."""
    generator = random.Random(2)
    promotions = captures = castlings = 0
    for board, ours, place in boards(3, 8):
        following = ours.tree.children[place]
        if not following:
            continue
        move = _played(ours, place, board)
        left = generator.choice(["A", "a", "K|k", "R|r", "P|p", "[NBQnbq]", "a-h1-4", "."])
        right = generator.choice(["a-d1-8", "_", "[Aa]", "e-h5-8", "g1|f8", "P|p", "."])
        sources, goals = _squares(board, left), _squares(board, right)
        ends = [(move.from_square, move.to_square)]
        castling = board.is_castling(move)
        if castling:
            rank = chess.square_rank(move.from_square)
            short = move.to_square > move.from_square
            files = (7, 5) if short else (0, 3)
            ends.append((chess.square(files[0], rank), chess.square(files[1], rank)))
        cut = [(start, end) for start, end in ends if start in sources and end in goals]
        castlings += castling
        braced = "{" + left + "}--{" + right + "}"
        assert printed(braced, ours, place) == ("<true>" if cut else "<false>")
        expected = ",".join(sorted(map(chess.square_name, [end for _, end in cut]), key=lambda n: n[::-1]))
        assert printed(f"{braced}(to)", ours, place).strip("[]") == expected
        taken = None
        if board.is_capture(move):
            passing = board.is_en_passant(move)
            taken = move.to_square + ((-8 if board.turn else 8) if passing else 0)
            captures += 1
        holds = taken is not None and move.from_square in sources and taken in goals
        assert printed("{" + left + "}[x]{" + right + "}", ours, place) == ("<true>" if holds else "<false>")
        promotions += move.promotion is not None
        kind = "" if move.promotion is None else chess.piece_symbol(move.promotion).upper()
        assert printed("--=[QN]", ours, place) == ("<true>" if kind in ("Q", "N") else "<false>")
    assert min(promotions, captures) > 0


def _played(ours: games.Game, place: int, board: chess.Board) -> chess.Move:
    """The move that follows a position of the main line, as python-chess writes it."""
    target = ours.tree.positions[ours.tree.children[place][0]].placement()
    for move in board.legal_moves:
        board.push(move)
        reached = board.board_fen()
        board.pop()
        if reached == target:
            return move
    raise AssertionError("the game is not what python-chess played")


def _squares(board: chess.Board, text: str) -> set[int]:
    """The squares of one of the sets above."""
    areas = {"a-h1-4": range(32), ".": range(64), "g1|f8": (chess.G1, chess.F8)}
    if text in areas:
        return set(areas[text])
    if text in ("a-d1-8", "e-h5-8"):
        low, bottom = (0, 0) if text[0] == "a" else (4, 4)
        return {square for square in range(64) if low <= square % 8 < low + 4 and square // 8 >= bottom}
    men = {"A": "KQRBNP", "a": "kqrbnp", "[Aa]": "KQRBNPkqrbnp"}.get(text, text.strip("[]"))
    found = set()
    for square in range(64):
        piece = board.piece_at(square)
        if (piece.symbol() in men) if piece else "_" in men:
            found.add(square)
    return found


def test_pins_are_those_of_the_definition() -> None:
    generator = random.Random(4)
    seen = 0
    for _, ours, place in boards(5, 6):
        state = evaluated(ours)
        state.goto(place)
        sets = [generator.choice([squares.ALL, generator.getrandbits(64)]) for _ in range(3)]
        found = set(closures_moves.pins(state, *sets))
        assert found == set(_pins(state, *sets))
        seen += len(found)
    assert seen > 100


def _pins(
    state: evaluation.Evaluation, sources: int, shields: int, goals: int
) -> Iterator[tuple[int, int, int]]:
    """Every triple of squares, tried against the definition."""
    men = state.position.squares
    lines = {3: (1, 3, 5, 7), 4: (0, 2, 4, 6), 5: tuple(range(8))}
    for source in range(64):
        kind = men[source] - 6 if men[source] > 6 else men[source]
        if not sources >> source & 1 or kind not in lines:
            continue
        for goal in range(64):
            direction = attacks.direction_between(source, goal)
            if not goals >> goal & 1 or direction not in lines[kind]:
                continue
            between = [one for one in range(64) if attacks.BETWEEN[source][goal] >> one & 1 and men[one]]
            if len(between) != 1 or not shields >> between[0] & 1:
                continue
            shield = between[0]
            if (men[shield] > 6) == (men[source] > 6):
                continue
            if men[goal] and (men[goal] > 6) != (men[shield] > 6):
                continue
            yield source, shield, goal


def test_castling_counts_from_the_squares_it_is_allowed_to_count_from() -> None:
    checked = check.check("--")
    assert checked.query is not None
    dash = checked.query.body
    assert isinstance(dash, nodes_moves.Dash)
    fit = closures_moves.compile_fit(compilers.compiler(checked.names), dash)
    state = evaluated(SPANISH)
    state.goto(8)
    e1, f1, g1, h1 = (1 << square for square in (4, 5, 6, 7))
    assert fit.fits(state, 9, *fit.head(state), None) == (e1 | h1, f1 | g1)
    assert fit.fits(state, 9, *fit.head(state), e1) == (e1, g1)
    assert fit.fits(state, 9, *fit.head(state), h1 | f1) == (h1, f1)
    assert fit.fits(state, 9, *fit.head(state), f1) is None
    state.goto(2)
    assert fit.fits(state, 3, *fit.head(state), 0) is not None


def test_the_moves_of_a_line_are_those_at_its_own_position() -> None:
    query = check.check(
        "move from A find move from B {not move from N currentposition:move from P} move previous "
        "move legal --(move to A)"
    ).query
    assert query is not None
    found = [one.words for one in closures_moves.future_moves(query.body)]
    assert found == [("from",), ("from",), ("to",)]
