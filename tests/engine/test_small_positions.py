"""Positions of our own, with few men or with men anywhere: the engine finds what the interpreter finds."""

from __future__ import annotations

import re
from random import Random

import chess
import pytest

from cqlgui.cql.checking import check
from cqlgui.jit import native
from tests.cql.interpreting import test_mates
from tests.engine import test_against_interpreter as against
from tests.helpers import games

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

PINS = (
    # Only one side has a man that could pin, or be pinned.
    "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1",
    "4k3/4n3/8/8/8/8/4R3/4K3 w - - 0 1",
    "8/6k1/8/4n3/8/2B5/8/K7 w - - 0 1",
    "k7/8/8/3N4/8/8/6b1/7K b - - 0 1",
    "4k3/4r3/4n3/8/8/4N3/4R3/4K3 w - - 0 1",
    "4k3/4r3/8/8/4p3/8/4N3/4K3 w - - 0 1",
)
PIN_FILTERS = (
    "pin == {squares}",
    "pin from [RrBb] == {squares}",
    "pin through n == {squares}",
)


def compare(fens: tuple[str, ...], texts: list[str]) -> None:
    """Compare each text in the games of all positions."""
    comparison = against.Comparison(games.from_fen(fen, FEN=fen) for fen in fens)
    for text in texts:
        assert check.check(f"cql() {text}").query is not None, text
        comparison.text(f"cql() {text}")
    comparison.conclude()
    assert comparison.counts["wholly compiled"] == comparison.counts["queries"]


def test_pins_of_either_side() -> None:
    squares = ("e2", "e7", "g2", "e5", "d5", "[e2,e7]")
    compare(PINS, [text.format(squares=one) for text in PIN_FILTERS for one in squares])


def scattered(count: int) -> tuple[str, ...]:
    """Positions with men anywhere, also where no game brings them."""
    source = Random(count)
    found = []
    for _ in range(count):
        men = ["K", "k", *source.choices("PPPNBRQpppnbrq", k=30), *"." * 32]
        source.shuffle(men)
        rows = ["".join(men[8 * row : 8 * row + 8]) for row in range(8)]
        placement = "/".join(re.sub(r"\.+", lambda empty: str(len(empty[0])), row) for row in rows)
        found.append(f"{placement} {source.choice('wb')} - - 0 1")
    return tuple(found)


@pytest.mark.parametrize("man", "PNBRQKpnbrqk")
def test_what_each_man_attacks(man: str) -> None:
    targets = "PNBRQK" if man.islower() else "pnbrqk"
    texts = [f"{man} attacks {target}" for target in targets]
    texts += [f"#({man} attacks {target}) == 1" for target in ("[Aa]", "_")]
    compare(scattered(12), [*texts, f"[Aa] attacks {man}", f"{man} -> [Aa] & b1-8"])


CORNERED = (
    # The only man beside the king is pinned, or is not.
    "8/8/8/8/8/7r/5k1B/7K w - - 0 1",
    "8/8/8/8/8/7r/5k1R/7K w - - 0 1",
    "8/8/8/8/7r/8/5k1N/7K w - - 0 1",
    "8/8/8/8/8/8/5k1B/7K w - - 0 1",
    "7k/5K1b/7R/8/8/8/8/8 b - - 0 1",
    "7k/5K1n/8/7Q/8/8/8/8 b - - 0 1",
    "K7/1R6/2k5/8/4b3/8/8/8 w - - 0 1",
)


def test_a_pinned_man_saves_nobody_from_stalemate() -> None:
    compare(CORNERED, ["stalemate", "mate", "legal --", "countmoves legal -- >= 2", "legal [NBRnbr]--"])


def test_economical_mates() -> None:
    """The engine's are those worked out for the interpreter, from either side."""
    fens = [fen for fen, *_ in (*test_mates.MATES, *test_mates.STALEMATES)]
    # Two checks at once, of which both are needed or one would do.
    fens += ["6rk/5Np1/8/8/8/8/8/K6R b - - 0 1", "6rk/5Np1/8/8/8/3B4/8/K6R b - - 0 1"]
    fens += ["6rk/6p1/8/8/8/6N1/1B6/K6R b - - 0 1", "3rkr2/3p1p2/8/1B6/8/8/8/K3R3 b - - 0 1"]
    fens += [chess.Board(fen).mirror().fen() for fen in fens]
    words = [f"{degree}{ending}" for degree in ("pure", "model", "ideal") for ending in ("mate", "stalemate")]
    texts = [f"#{word} >= {count}" for word in words for count in (2, 3, 4, 6)]
    compare(
        tuple(fens),
        [*words, *texts, *(f"{word} & {men}" for word in words for men in ("N", "n", "p", "[BRb]"))],
    )


def test_squares_between_men_anywhere() -> None:
    pairs = ("R k", "[Nn] [Bb]", "A a", "k K", "[Pp] [Qq]")
    compare(scattered(20), [f"#between({pair}) >= {count}" for pair in pairs for count in (1, 3, 6, 10, 20)])


def test_moves_of_men_anywhere() -> None:
    texts = [f"countmoves legal -- >= {count}" for count in (1, 3, 5, 8, 12, 16, 20, 25, 30)]
    texts += [
        f"{which} {man}--" for which in ("legal", "pseudolegal") for man in ("P", "n", "[Bb]", "[Qq]", "K")
    ]
    compare(scattered(40), [*texts, "check", "mate", "stalemate"])


PAWNS = (
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
    "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1",
    # A capture en passant that would leave the king in check.
    "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1",
    "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1",
)
MOVE_FILTERS = [
    f"{which} {move}"
    for which in ("legal", "pseudolegal", "3 >= countmoves legal", "2 <= countmoves pseudolegal")
    for move in (
        "--(enpassant)",
        "--(castle)",
        "--(o-o)",
        "--(o-o-o)",
        "--",
        "[Pp]--",
        "--d6",
        "--[Pp]",
        "[Kk]--",
    )
]


@pytest.mark.parametrize("part", range(3))
def test_possible_moves_of_few_men(part: int) -> None:
    compare(PAWNS, MOVE_FILTERS[part::3])


def test_promotions_and_kinship_in_short_games() -> None:
    comparison = against.Comparison(games.sparse())
    places = [f"position {number}" for number in range(4)]
    texts = [f"--={kinds}" for kinds in ("Q", "q", "[RN]", "b", "a", ".", "K", '"qn"', '""')]
    texts += [f"{word}(currentposition {place})" for word in ("ancestor", "descendant") for place in places]
    texts += [f"(countmoves --) * 1000000 > {count}000000" for count in range(3)]
    # More than a word holds, unless the number of moves is followed.
    texts.append("(countmoves --) * 1073741824 * 1073741824 * 16 > 0")
    for text in texts:
        assert check.check(f"cql() {text}").query is not None, text
        comparison.text(f"cql() {text}")
    comparison.conclude()
    assert comparison.counts["wholly compiled"] == comparison.counts["queries"]


def test_a_piece_is_followed_through_castling() -> None:
    """King and rook of both wings and sides, also where they start on other squares than usual."""
    starts = {
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1": "1. O-O (1. O-O-O) 1... Ke7",
        "r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1": "1... O-O (1... O-O-O) 2. Ke2",
        "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1": "1. O-O (1. O-O-O) 1... Ke7",
    }
    comparison = against.Comparison(
        game for fen, text in starts.items() for game in games.from_pgn(f'[FEN "{fen}"]\n\n{text} *\n')
    )
    for start in ("a1", "h1", "b1", "g1", "e1", "f1", "a8", "h8", "e8"):
        for goal in ("c1", "d1", "f1", "g1", "c8", "d8", "f8", "g8"):
            comparison.text(f"cql() initial piece Man = {start} find Man & {goal}")
    comparison.conclude()
    assert comparison.counts["wholly compiled"] == comparison.counts["queries"]


def test_men_are_followed_to_one_position_after_another() -> None:
    """Loops over positions follow a man on from where he was found last, also past branches and captures."""
    comparison = against.Comparison(
        games.from_pgn(
            "1. e4 (1. Nf3 d5 2. Nc3 d4 3. Nb1) (1. Nc3 Nf6 2. Nf3 Ne4 3. Nd4 Nxc3 4. Nb3) e5 "
            "2. Nf3 (2. Nc3 Bb4 3. Nf3 Bxc3 4. Ng1 Bb4 5. Nf3) Nc6 3. Nc3 Nd4 4. Nb1 (4. Nxd4 exd4 5. Nb1) "
            "Nxf3+ 5. Qxf3 *\n"
        )
    )
    for text in (
        "S=currentposition piece X in N piece Y in N & ~X find X==S:Y",
        "S=currentposition piece X in N find 2 X==S:X",
        "piece X in [Nn] find X & c-f3-5",
        "piece X in [Nn] find <-- X & b-g1-2",
        "piece X in [Nn] find 3 50 not X==g1",
        "piece X in N find (piece Y in n X->Y)",
        "piece X in N piece Y in n find (X->Y and find not Y & n)",
        "piece X in N {Old=X find (X!=Old and find X==Old)}",
        "initial piece Man = b1 find 2 Man & c3",
        "piece X in N path {X--(c-f3-5) -- X--}",
    ):
        assert check.check(f"cql(variations) {text}").query is not None, text
        comparison.text(f"cql(variations) {text}")
    comparison.conclude()
    assert comparison.counts["wholly compiled"] == comparison.counts["queries"]
