"""What the kernel takes, it reads as the splitter and the lenient reader do, bit for bit; what it does not
take it leaves at the end of the game before.
"""

from __future__ import annotations

import functools
import itertools
import random
import string
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.base.files.resources import resource
from cqlgui.db import headers
from cqlgui.jit import native
from cqlgui.pgn import archives, kernel, quick, reader, split
from cqlgui.pgn.kernel import Why
from tests import helpers
from tests.helpers import fenced

DATA = helpers.SHARED / "data"
WHOLE = ["games-small.pgn", "studies.pgn", "annotated.pgn", "chess960.pgn", "setups.pgn"]
LARGE = ["public-domain.pgn.zst", "games-medium.pgn.gz"]

quickly = pytest.mark.skipif(not native.available(), reason="the kernel is slow as plain Python")


@dataclass(frozen=True)
class Outcome:
    """All that is told of a game."""

    place: tuple[int, int, int, int]
    words: list[int]
    start_fen: str | None
    counts: tuple[int, int]
    flags: tuple[bool, bool, bool]
    tags: dict[str, str | None]
    more: str
    ratings: tuple[int, int]
    ending: str


def taken(games: quick.Games) -> Iterator[Outcome]:
    """The games that the kernel took."""
    texts, columns = games.tags()
    fens, more = games.start_fens(), other_tags(games)
    for game, row in enumerate(games.rows.tolist()):
        first, flags = row[kernel.FIRST_WORD], row[kernel.FLAGS]
        yield Outcome(
            (row[kernel.START], row[kernel.LENGTH], row[kernel.LINE], row[kernel.END_LINE]),
            games.words[first : first + row[kernel.WORDS]].tolist(),
            fens.get(game),
            (row[kernel.PLIES], row[kernel.POSITIONS]),
            tuple(bool(flags & bit) for bit in (kernel.CHESS960, kernel.VARIATIONS, kernel.COMMENTS)),
            {name: texts[int(column[game])] for name, column in columns.items()},
            more[game],
            tuple(row[kernel.ELO : kernel.ELO + 2]),
            kernel.RESULTS[row[kernel.RESULT]],
        )


def other_tags(games: quick.Games) -> list[str]:
    """The JSON text of each game's tags outside the columns."""
    texts, ends = games.other_tags()
    return [texts[start:end].decode() for start, end in itertools.pairwise([0, *ends.tolist()])]


def expected(raw: split.RawGame) -> Outcome:
    """A game as it should be, by the lenient reader; fails when that one has anything to say about it."""
    game = reader.read_raw(raw)
    assert game.problems == ()
    assert game.playable
    tags: dict[str, str] = {}
    for name, value in game.tags:
        tags.setdefault(name, value)
    row = headers.from_tags(game.tags, game.plies, False, game.ending)
    return Outcome(
        (raw.offset, raw.length, raw.line, split.end_line(raw)),
        game.words.tolist(),
        game.start_fen,
        (game.plies, game.positions),
        (game.chess960, game.has_variations, bool(game.comments or game.before)),
        {name: tags.get(name) for name in kernel.TEXT_TAGS},
        row.more,
        (row.white_elo or 0, row.black_elo or 0),
        game.ending,
    )


def compare(data: bytes, every: int = 1, piece: int = 0) -> Counter[str]:
    """Read a text by the kernel, and every so manyth game it takes by the lenient reader; counts why not.

    With `piece` the kernel sees that many bytes at a time.
    """
    source = split.BytesSource(data)
    machine = quick.QuickReader(50)
    counts: Counter[str] = Counter()
    end, line = 0, 1
    size = piece or len(data)
    while True:
        part = data[end : end + size]
        final = end + size >= len(data)
        games = machine.read(quick.padded(part), 0, line, final=final)
        at, at_line = end, line
        for outcome in taken(games):
            counts["taken"] += 1
            start, length, *lines = outcome.place
            if counts["taken"] % every == 0:
                found = replace(outcome, place=(end + start, length, *lines))
                assert found == expected(next(split.games(source, at, at_line)))
            at, at_line = end + start + length, lines[1]
        assert (at, at_line) == (end + games.end, games.end_line)
        end, line = at, at_line
        if games.why is Why.END:
            # What is left must be no game for the splitter either.
            assert next(split.games(source, end, line), None) is None
            return counts
        if games.why is Why.FULL or (games.why is Why.MORE and len(games)):
            continue
        if games.why is Why.MORE:
            assert not final
            size *= 2
            continue
        counts[games.why.name] += 1
        raw = next(split.games(source, end, line), None)
        if raw is None:
            return counts
        end, line = raw.end, split.end_line(raw)


@quickly
@pytest.mark.parametrize("name", WHOLE)
def test_a_sample_of_real_games(name: str, shared: Path) -> None:
    counts = compare((DATA / name).read_bytes(), every=29)
    print(name, dict(counts))
    assert counts["taken"] > 0.9 * counts.total() or name == "chess960.pgn"


@quickly
def test_files_with_one_oddity_each(shared: Path) -> None:
    for path in sorted((DATA / "torture").glob("*.pgn")):
        data = path.read_bytes()
        if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            compare(data)
            compare(data, piece=1000)


@quickly
@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", WHOLE + LARGE)
def test_every_real_game(name: str, shared: Path, tmp_path: Path) -> None:
    with archives.open_source(DATA / name, tmp_path) as text:
        counts = compare(text.read(0, text.size), piece=1 << 22)
    print(name, dict(counts))
    assert name not in LARGE or counts["taken"] > 0.98 * counts.total()


# --- games made up ------------------------------------------------------------------------------------------

FENS = [
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 5 9",
    "4k3/P6P/8/1pP5/8/8/p6p/4K3 w - b6 0 31",
    "4k3/P6P/8/8/1pP5/8/p6p/4K3 b - c3 0 31",
    "8/8/2k5/8/8/6K1/3R1P2/5r2 w - -",
    "k7/8/8/3q4/8/1N1N1N2/8/K2R3R w - - 1 0",
    "2r1kr2/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1",
    "n1n1k3/1P1P1P2/8/8/8/8/1p1p1p2/N1N1K3 w - - 0 1",
    "PPPPkPPP/8/8/8/8/8/8/ppppKppp b - - 0 1",
]


class Author:
    """Writes legal games with all that the kernel takes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def chance(self, one_in: int) -> bool:
        return self.random.randrange(one_in) == 0

    def text(self) -> str:
        """A comment: words, brackets, line ends, letters of other alphabets."""
        pieces = [
            "well",
            "[%clk 0:01:02]",
            "1. e4",
            "1-0",
            "*",
            "(",
            ")",
            ";",
            "%",
            "é",
            "ж",
            "\\",
            "x\ny",
            "$1",
        ]
        return " ".join(self.random.choice(pieces) for _ in range(self.random.randrange(5)))

    def comment(self) -> str:
        if self.chance(6):
            return "; " + self.text().replace("\n", " ") + " x\n"
        words = self.text()
        return "{" + (words + " x" if words.endswith("\\") or not words.isascii() else words) + "}"

    def value(self) -> str:
        letters = string.ascii_letters + string.digits + " .,'/()[]{};%éßжł"
        return "".join(self.random.choice(letters) for _ in range(self.random.randrange(12)))

    def line(self, board: chess.Board, depth: int, length: int) -> list[str]:
        tokens: list[str] = []
        numbered = True
        if depth and self.chance(4):
            tokens.append(self.comment())
        for _ in range(self.random.randrange(length)):
            legal = list(board.legal_moves)
            if not legal:
                break
            if numbered or board.turn or self.chance(5):
                dots = "." if board.turn else self.random.choice(["...", ". ..", "...."])
                tokens.append(f"{board.fullmove_number}{dots}" + self.random.choice([" ", ""]))
            before = board.copy()
            if not board.is_check() and self.chance(15):
                text, move = self.random.choice(["--", "Z0"]), chess.Move.null()
            else:
                castling = [move for move in legal if board.is_castling(move)]
                special = [move for move in legal if board.is_en_passant(move) or move.promotion]
                move = self.random.choice(castling or legal if self.chance(2) else special or legal)
                text = board.san(move)
                if self.chance(8):
                    text = (
                        text.replace("=", "").replace("+", "").replace("x", "" if text[0] in "NBRQK" else "x")
                    )
            board.push(move)
            tokens.append(text + self.random.choice(["", "", "", "!", "?!", "!!", " $14", "$3"]))
            numbered = False
            while self.chance(6):
                tokens.append(self.comment())
            while depth < 4 and self.chance(9):
                tokens += ["(", *self.line(before.copy(), depth + 1, 6), ")"]
                numbered = True
                if self.chance(4):
                    tokens.append(self.comment())
        return tokens

    def game(self) -> str:
        result = self.random.choice(kernel.RESULTS)
        tags = [(name, self.value()) for name in ("Event", "Site", "White", "Black") if not self.chance(5)]
        if not self.chance(5):
            tags.append(("Result", result))
        if self.chance(3):
            tags += [
                ("WhiteElo", self.random.choice(["2500", "0", "?", "02100", ""])),
                ("Annotator", self.value()),
            ]
        board = chess.Board()
        if self.chance(4):
            board = chess.Board.from_chess960_pos(self.random.randrange(960))
            tags += [("Variant", self.random.choice(["Chess960", "fischerandom", "Chess 960"]))]
            tags += [("SetUp", "1"), ("FEN", board.fen())]
        elif self.chance(3):
            fen = self.random.choice(FENS)
            board = chess.Board(fen, chess960=True)
            tags += [("FEN", fen)]
        self.random.shuffle(tags)
        head = "".join(f'[{name} "{value}"]\n' for name, value in tags or [("Event", "?")])
        moves = self.line(board, 0, 40)
        blanks = [" ", " ", " ", "\n", "  ", "\t", "\n%some line 1-0 {\n"]
        text = ""
        for token in moves:
            # Behind an empty line a first move begins another game.
            text += token + (" " if token.endswith(("\n", ".", " ")) else self.random.choice(blanks))
        return head + "\n" + text + result + "\n" * self.random.randrange(1, 4)

    def file(self) -> bytes:
        data = "".join(self.game() for _ in range(self.random.randrange(1, 5))).encode()
        return data.replace(b"\n", b"\r\n") if self.chance(4) else data


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
@quickly
def test_made_up_games_are_all_taken(seed: int) -> None:
    data = Author(seed).file()
    counts = compare(data)
    assert set(counts) <= {"taken"}, data
    assert compare(data, piece=200) == counts


PIECES = [
    b"}", b"{", b"(", b")", b"*", b"1-0", b"0-1", b"1/2-1/2", b"1/2", b"\n", b"\r", b"\n\n", b"\n\n1. ", b"[",
    b"]", b'[Event "x"]', b'\n[Event "', b'\n[Result "1-0"]\n', b'"', b"\\", b"\\}", b";", b"\n%", b"%", b"$",
    b"$999", b"!", b"???", b"\0", b"\x1a", b"\xff", b"\xef\xbb\xbf", b"\xe9", b"\xc2\xa0", b"O-O", b"O-O-O",
    b"0-0", b"--", b"Z0", b"<br>", b".", b",", b" 1 ", b"e4", b"Nf3", b"dxd5", b"e2e4", b"Ra1", b"Kxe8",
    b"e9", b"N", b"+-", b"=", b"+", b"#", b"x", b'[FEN "8/8/8/8/4k3/8/6K1/7R w - -"]\n', b"\t", b"\x0b",
    b"\x85", b"e8=Q", b'[Variant "Atomic"]\n', b'[fen "x"]\n', b'[SetUp "1"]\n',
]  # fmt: skip


def spoilt(author: Author, data: bytes) -> bytes:
    """A text with a few changes."""
    choose = author.random
    for _ in range(choose.randrange(1, 4)):
        start = choose.randrange(len(data) + 1)
        length = choose.choice([0, 0, 1, 1, 2, 20])
        piece = choose.choice(
            [b"", choose.choice(PIECES), bytes([choose.randrange(256)]), data[start : start + 30]]
        )
        data = data[:start] + piece + data[start + length :]
    return data


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 10**9))
@quickly
def test_whatever_is_taken_of_spoilt_games_is_read_alike(seed: int) -> None:
    author = Author(seed)
    data = spoilt(author, author.file())
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        counts = compare(data)
        assert compare(data, piece=100) == counts


def skimmed(data: bytes) -> int:
    """Skim a text by the kernel. Each game that it takes must have the place and the tags that the splitter
    and the lenient reader find, whatever they say of its moves. Gives the number of games taken."""
    source = split.BytesSource(data)
    machine = quick.QuickReader(50)
    end, line, count = 0, 1, 0
    while True:
        games = machine.read(quick.padded(data[end:]), 0, line, skim=True)
        texts, columns = games.tags()
        more = other_tags(games)
        at = end
        for game, row in enumerate(games.rows.tolist()):
            raw = next(split.games(source, at, line))
            start, length, first, line = row[: kernel.END_LINE + 1]
            assert (end + start, length, first, line) == (
                raw.offset,
                raw.length,
                raw.line,
                split.end_line(raw),
            )
            at = raw.end
            found = headers.from_tags(reader.read_raw(raw).tags, 0, False)
            for name, column in headers.COLUMNS.items():
                assert texts[int(columns[name][game])] == getattr(found, column)
            assert more[game] == found.more
            assert row[kernel.ELO : kernel.ELO + 2] == [found.white_elo or 0, found.black_elo or 0]
        count += len(games)
        end = at
        if games.why is Why.END:
            return count
        if games.why is not Why.FULL or not len(games):
            skipped = next(split.games(source, end, line), None)
            if skipped is None:
                return count
            end, line = skipped.end, split.end_line(skipped)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9))
@quickly
def test_skimming_finds_the_places_and_tags_that_the_lenient_reader_finds(seed: int) -> None:
    author = Author(seed)
    data = spoilt(author, author.file())
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        skimmed(data)


@quickly
def test_skimming_takes_games_whose_moves_are_not_legal() -> None:
    one = b'[White "A"]\n\n1. e4 e5 2. Ke3 ({x} 2. Qh8 Qh1) Nc6 1-0\n\n'
    assert len(quick.QuickReader().read(quick.padded(one * 3))) == 0
    assert skimmed(one * 3) == 3


@quickly
def test_skimming_finds_the_games_of_the_sample() -> None:
    data = resource("sample/sample.pgn").read_bytes()
    assert skimmed(data) == data.count(b"[Event ")


JUNK = [
    b"]", b"[", b'"', b";", b"; c\n", b"{c}", b"{[White \"x\"]}", b"junk", b"%", b"\n%", b"\n", b"\n\n",
    b"\n\njunk\n\n", b'\n[Event "y"]\n', b'\n\n[Event "y"]\n', b'\nEvent "y"]\n', b"1-0", b"*", b"1.",
    b" 2. ", b"31.12.", b"--", b"null", b"=",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9))
@quickly
def test_junk_around_tags_and_results_is_left_to_the_lenient_reader(seed: int) -> None:
    author = Author(seed)
    data = author.file()
    for _ in range(author.random.randrange(1, 4)):
        places = [
            place for place in range(len(data) + 1) if data[place - 1 : place] in (b"]", b"\n", b"0", b"*")
        ]
        place = author.random.choice(places)
        data = data[:place] + author.random.choice(JUNK) + data[place:]
    assert compare(data, piece=100) == compare(data)


# --- single points ------------------------------------------------------------------------------------------

HEAD = b'[Event "x"]\n\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'[Annotator "a\\"b"]\n\n*\n', Why.TAG),
        (b'[Result "a\\"b"]\n\n*\n', Why.TAG),
        (b'[WhiteElo "1\\\\"]\n\n*\n', Why.TAG),
        (b'[Event "a\\"]\n\n*\n', Why.TAG),
        (b'[Event "x"] 1. e4 *\n', Why.TAG),
        (b'[fen "x"]\n\n*\n', Why.TAG),
        (b'[White "x"]\n[White "y"]\n\n*\n', Why.TAG_TWICE),
        (b'[Source "x"]\n[Source "x"]\n\n*\n', Why.TAG_TWICE),
        (b'[Result "1-0"]\n\n1. e4 *\n', Why.RESULT_TAG),
        (b'[Result "1/2"]\n\n1. e4 1/2-1/2\n', Why.RESULT_TAG),
        (b'[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]\n\n*\n', Why.FEN),
        (b'[FEN "4k3/8/8/8/8/8/8/4K3 w KQ - 0 1"]\n\n*\n', Why.FEN),
        (b'[FEN "4k3/8/8/8/8/8/8/4K3 w - e6 0 1"]\n\n*\n', Why.FEN),
        (b'[FEN "4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1"]\n\n*\n', Why.FEN),
        (b'[FEN "4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1"]\n\n*\n', Why.FEN),
        (b'[FEN "4k3/8/8/8/3Pp3/8/3P4/4K3 b - d3 0 1"]\n\n*\n', Why.FEN),
        (b'[FEN "4k3/8/8/8/8/8/8/4K3 w  -"]\n\n*\n', Why.FEN),
        (b'[FEN "4k3/8/8/8/8/8/8/4K3 w - - 0 1 "]\n\n*\n', Why.FEN),
        (b'[FEN "4k3/8/8/8/8/8/44/4K3 w - - 0 1"]\n\n*\n', Why.FEN),
        (b'[Variant "Atomic"]\n\n*\n', Why.VARIANT),
        (b'[Variant "Chess960"]\n\n*\n', Why.VARIANT),
        (HEAD + b"1. e4 <br> *\n", Why.BYTE),
        (HEAD + b"1. e4\re5 *\n", Why.BYTE),
        (HEAD + b"1. e4 e5\n\n1. d4 *\n", Why.SECOND_START),
        (HEAD + b"1 e4 *\n", Why.NUMBER),
        (HEAD + b"1. 0-0 *\n", Why.NUMBER),
        (HEAD + b"1. e4 e4 *\n", Why.MOVE),
        (HEAD + b"1. e2e4 *\n", Why.MOVE),
        (HEAD + b"1. e4 d5 2. dxd5 *\n", Why.MOVE),
        # Every kind of man that moves as another one does.
        (HEAD + b"1. f4 f5 2. Bf2 *\n", Why.MOVE),
        (HEAD + b"1. b4 b5 2. Rb2 *\n", Why.MOVE),
        (HEAD + b"1. Qc3 *\n", Why.MOVE),
        (HEAD + b"1. d4 d5 2. Nd2 Nd6 *\n", Why.MOVE),
        (HEAD + b"1. e4 e5 2. Ke3 *\n", Why.MOVE),
        (HEAD + b"1. e4 e5 2. Nd2 *\n", Why.MOVE),
        (HEAD + b"1. e4 f5 2. Qh5+ a6 *\n", Why.MOVE),
        (HEAD + b"1. e4 f5 2. Qh5+ -- *\n", Why.MOVE),
        (HEAD + b"1. e4 e5 2. Ke2 Nf6 3. O-O *\n", Why.MOVE),
        (b'[FEN "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1"]\n\n1. Rxe8 *\n', Why.MOVE),
        (b'[FEN "4k3/3P4/8/8/8/8/8/4K3 w - - 0 1"]\n\n1. dxe8=Q *\n', Why.MOVE),
        (HEAD + b"1. e4??? *\n", Why.GLYPH),
        (HEAD + b"1. e4 $256 *\n", Why.GLYPH),
        (HEAD + b"1. e4 {\\} *\n", Why.COMMENT),
        (HEAD + b'1. e4 {x\n[Event "y"]\n\n*\n', Why.COMMENT),
        (HEAD + b"1. e4 {\xa0} *\n", Why.COMMENT),
        (HEAD + b"(1. d4) *\n", Why.VARIATION),
        (HEAD + b"1. e4 1... (1. d4) *\n", Why.VARIATION),
        (HEAD + b"1. e4 (1. d4 *\n", Why.VARIATION),
        (HEAD + b"1. e4 ) *\n", Why.VARIATION),
        (HEAD + b"1. e4 1-0x\n", Why.RESULT),
        (HEAD + b"1. e4 * *\n", Why.AFTER_RESULT),
        (HEAD + b"1. e4 1-0 {x}\n", Why.AFTER_RESULT),
        (HEAD + b'1. e4 1-0 [Event "y"]\n\n*\n', Why.AFTER_RESULT),
        (HEAD + b"1. e4 e5\n", Why.BYTE),
        (HEAD + b"1. e4 (" * 70, Why.VARIATION),
    ],
)
def test_what_is_left_to_the_lenient_reader(text: bytes, why: Why) -> None:
    first = HEAD + b"1. d4 d5 1-0\n\n"
    games = quick.QuickReader(4).read(quick.padded(first + text))
    assert (games.why, len(games), games.end, games.end_line) == (why, 1, len(first) - 2, 3)
    alone = quick.QuickReader(4).read(quick.padded(first))
    assert (games.words.tolist(), games.more) == (alone.words.tolist(), alone.more)
    assert quick.QuickReader(4).read(quick.padded(text)).why is why
    compare(first + text)


@pytest.mark.parametrize(
    "moves",
    [
        # The king stands safe although the square is attacked to which another man goes.
        "1. e4 d5 2. Qg4 Bxg4 *",
        "1. e4 d5 2. Nh3 Bxh3 *",
        "1. e4 e5 2. Qg4 d5 3. Qd1 Bg4 4. Nf3 Bxf3 *",
        "1. d4 e5 2. Bg5 Bb4+ 3. Nd2 Bxd2+ 4. Qxd2 Qxg5 *",
        "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O O-O *",
        "1. e4 $1 e5 $10 2. Nf3 $146 *",
        "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O O-O-O *",
    ],
)
def test_well_formed_moves_are_taken(moves: str) -> None:
    data = HEAD + moves.encode() + b"\n"
    assert len(quick.QuickReader(4).read(quick.padded(data))) == 1
    compare(data)


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "1. exd6"),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1", "1... exd3"),
    ],
)
def test_captures_en_passant_at_the_start_are_taken(fen: str, move: str) -> None:
    data = f'[FEN "{fen}"]\n\n{move} *\n'.encode()
    assert len(quick.QuickReader(4).read(quick.padded(data))) == 1
    compare(data)


@pytest.mark.parametrize("blanks", [b"", b" ", b"\t", b" \t ", b" \r"])
def test_blanks_behind_a_tag_are_taken(blanks: bytes) -> None:
    data = HEAD.replace(b"]\n", b"]" + blanks + b"\n") + b"1. e4 *\n"
    assert len(quick.QuickReader(4).read(quick.padded(data))) == 1
    compare(data)


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        # Squares that a pawn, a knight or the other king attacks.
        ("4k3/8/8/3p4/8/4K3/8/8 w - - 0 1", "1. Ke4"),
        ("4k3/8/3P4/8/8/8/8/4K3 b - - 0 1", "1... Ke7"),
        ("4k3/8/8/3n4/8/8/4K3/8 w - - 0 1", "1. Ke3"),
        ("8/8/8/3k4/8/3K4/8/8 w - - 0 1", "1. Kd4"),
    ],
)
def test_a_king_that_walks_into_a_check_is_left_to_the_lenient_reader(fen: str, move: str) -> None:
    data = f'[FEN "{fen}"]\n\n{move} *\n'.encode()
    games = quick.QuickReader(4).read(quick.padded(data))
    assert (len(games), games.why) == (0, Why.MOVE)
    assert "check" in reader.read_game(data).problems[0].reason


def test_a_side_whose_king_is_taken_plays_on_in_the_lenient_reader() -> None:
    data = b'[FEN "4k3/p7/8/8/8/8/4Q3/4K3 w - - 0 1"]\n\n1. Qxe8 a5 2. Kd1 a4 *\n'
    assert quick.QuickReader(4).read(quick.padded(data)).why is Why.MOVE
    game = reader.read_game(data)
    assert (game.positions, game.problems) == (5, ())


@pytest.mark.parametrize("before", ["1. e4", "1. e4!", "1. e4 $1", "1. e8=Q", "1. O-O", "1", "1. e4 (1. d4"])
def test_any_byte_may_follow(before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for byte in (0, 1, 31, 32, 127, 128, 254, 255):
        data = quick.padded(HEAD + before.encode() + bytes([byte]) + b" *\n")
        fast = quick.QuickReader(4).read(data)
        with monkeypatch.context() as patch:
            patch.setattr(kernel, "read_games", functools.partial(fenced.run, kernel.read_games))
            plain = quick.QuickReader(4).read(data)
        assert (fast.why, list(taken(fast))) == (plain.why, list(taken(plain)))


def test_a_game_without_tags_is_left_to_the_lenient_reader() -> None:
    assert quick.QuickReader(4).read(quick.padded(b"1. e4 *\n")).why is Why.NO_TAG


def test_text_that_goes_on_is_asked_for() -> None:
    whole = HEAD + b"1. e4 e5 {x} (1... c5) 2. Nf3 *\n"
    for length in range(len(whole)):
        games = quick.QuickReader(4).read(quick.padded(whole[:length]), final=False)
        assert (games.why, len(games), games.end) == (Why.MORE, 0, 0)
    assert len(quick.QuickReader(4).read(quick.padded(whole))) == 1


def test_room_for_games_runs_out() -> None:
    data = quick.padded((HEAD + b"1. e4 e5 *\n\n") * 5)
    machine = quick.QuickReader(2)
    games = machine.read(data)
    assert (games.why, len(games)) == (Why.FULL, 2)
    games = machine.read(data, games.end, games.end_line)
    games = machine.read(data, games.end, games.end_line)
    assert (games.why, len(games), games.end_line) == (Why.END, 1, 19)


@quickly
@given(st.lists(st.text('\\"a]\xe9 ', max_size=6), min_size=1, max_size=4))
def test_backslashes_in_names_mean_what_the_lenient_reader_takes_them_for(values: list[str]) -> None:
    for encoding in ("utf-8", "latin-1"):
        text = "".join(f'[White "{value}"]\n[Site "b{value}"]\n\n1. e4 *\n\n' for value in values)
        compare(text.encode(encoding))


def test_escapes_in_names_are_taken() -> None:
    data = rb"""[White "91\\09"]
[Site "\"\x\\"]

*
"""
    games = quick.QuickReader().read(quick.padded(data))
    texts, places = games.tags()
    assert texts[places["White"][0]] == "91\\09"
    assert texts[places["Site"][0]] == '"\\x\\'


def test_games_in_other_encodings_keep_their_letters() -> None:
    data = '[White "Müller"]\n[Title "é"]\n\n*\n\n'
    games = quick.QuickReader().read(quick.padded(data.encode() + data.encode("latin-1") + data.encode()))
    texts, places = games.tags()
    assert [texts[place] for place in places["White"].tolist()] == ["Müller"] * 3
    assert other_tags(games) == ['{"Title": "é"}'] * 3


def test_names_of_variants_mean_what_the_lenient_reader_makes_of_them() -> None:
    for names, meaning in ((kernel.STANDARD_NAMES, "standard"), (kernel.CHESS960_NAMES, "chess960")):
        assert {reader.variant_of(name) for name in names} == {meaning}


@quickly
def test_many_empty_lines_among_moves_take_no_long_time() -> None:
    blank = b"\n" * 300_000 + b" \r\n" * 10
    data = b'[White "A"]\n\n1. e4' + blank + b"e5 1-0\n"
    began = time.process_time()
    games = quick.QuickReader().read(quick.padded(data))
    assert time.process_time() - began < 2
    assert next(taken(games)) == expected(next(split.games(split.BytesSource(data))))


@quickly
def test_plain_python_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = quick.padded(Author(7).file())
    fast = quick.QuickReader(10).read(data)
    monkeypatch.setattr(kernel, "read_games", functools.partial(fenced.run, kernel.read_games))
    plain = quick.QuickReader(10).read(data)
    assert list(taken(plain)) == list(taken(fast))
    assert len(fast) > 0


FENCED_EXAMPLES = [400, pytest.param(4_000, marks=[pytest.mark.full, pytest.mark.timeout(3600)])]


@pytest.mark.parametrize("count", FENCED_EXAMPLES)
def test_nothing_beyond_the_arrays_is_touched(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "read_games", functools.partial(fenced.run, kernel.read_games))
    for seed in range(count):
        author = Author(seed)
        data = spoilt(author, author.game().encode())
        cut = author.random.randrange(len(data) + 1)
        # Small rooms, that they run out; the second half without what follows, as where a file goes on.
        quick.QuickReader(author.random.choice([1, 2, 50])).read(quick.padded(data))
        quick.QuickReader(1).read(quick.padded(data[:cut]), final=seed % 2 == 0)
