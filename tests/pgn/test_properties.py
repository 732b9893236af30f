"""What always holds: spans cover the text, nothing raises, what is written reads back, comments only add."""

import io
import time
from collections.abc import Callable

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.board import tree
from cqlgui.pgn import reader, split, writer

HEAD = b'[Event "x"]\n\n'
_PIECES = [
    b"1. e4 ", b"e5 ", b"Nf3 ", b"(", b")", b"{", b"}", b"\\}", b"*", b"1-0", b"\n", b"\r\n", b"\r", b"\n\n",
    b"[", b"]", b'[Event "x"]\n', b'\n[Event "', b'[White "a\\"', b"; c\n", b"\n% d\n", b"$1 ", b"!? ", b"\0",
    b"\x1a", b"\xff", b"\xef\xbb\xbf", b"O-O ", b"-- ", b"<br />", b"\xe9", b'"', b"1/2",
]  # fmt: skip
_noise = st.one_of(st.binary(max_size=300), st.lists(st.sampled_from(_PIECES), max_size=40).map(b"".join))


@settings(max_examples=300, deadline=None)
@given(_noise)
def test_spans_are_ordered_and_cover_every_byte_and_nothing_raises(data: bytes) -> None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return
    end = 0
    skipped = b""
    for raw in split.games(split.BytesSource(data)):
        assert raw.offset >= end
        assert data[raw.offset : raw.end] == raw.data
        assert raw.line == 1 + split.line_ends(data[: raw.offset] + b" ", 0, raw.offset)
        skipped += data[end : raw.offset]
        end = raw.end
        game = reader.read_raw(raw)
        assert len(tree.GameTree.decode(game.start_fen, game.words)) == game.positions
    skipped += data[end:]
    if not any(line.strip().startswith(b"%") for line in skipped.splitlines()):
        for blank in (b"\xef\xbb\xbf", b"\xc3\xbf", b"\xff", b"\0", b"\x1a", b"<br />"):
            skipped = skipped.replace(blank, b"")
        assert not skipped.strip()


@st.composite
def _games(draw: st.DrawFn) -> str:
    """A random legal game with variations, comments and glyphs, as PGN."""
    text = st.text(
        st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs"), exclude_characters="\\"),
        max_size=8,
    )

    def line(board: chess.Board, depth: int) -> list[str]:
        tokens: list[str] = []
        for _ in range(draw(st.integers(1, 5))):
            legal = sorted(board.legal_moves, key=chess.Move.uci)
            if not legal:
                break
            move = draw(st.sampled_from(legal))
            tokens.append(board.san(move))
            if draw(st.booleans()):
                tokens.append(f"${draw(st.integers(1, 255))}")
            if draw(st.booleans()) and (comment := draw(text).replace("}", "").strip()):
                tokens.append("{" + comment + "}")
            if depth < 2 and draw(st.integers(0, 3)) == 0:
                tokens += ["(", *line(board.copy(), depth + 1), ")"]
            board.push(move)
        return tokens

    return " ".join(line(chess.Board(), 0)) + " *"


@settings(max_examples=60, deadline=None)
@given(_games())
def test_a_game_that_python_chess_writes_reads_the_same(text: str) -> None:
    game = reader.read_game(text.encode())
    assert not game.bad
    played = chess.pgn.read_game(io.StringIO(text))
    assert played is not None
    again = reader.read_game(str(played).encode())
    assert (again.words, again.comments, again.before, again.nags) == (
        game.words, game.comments, game.before, game.nags,
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(_games(), st.data())
def test_added_comments_only_add(text: str, data: st.DataObject) -> None:
    game = reader.read_game(text.encode())
    chosen = data.draw(st.sets(st.integers(0, game.positions - 1), max_size=4))
    written = writer.annotate(text.encode(), dict.fromkeys(chosen, "CQL } x"))
    again = reader.read_game(written)
    assert again.words == game.words
    assert not again.bad
    for place in range(game.positions):
        old = game.comments.get(place, "")
        expected = f"{old} CQL }} x".strip() if place in chosen else old
        assert again.comments.get(place, "") == expected


def test_braces_in_a_comment_survive_writing() -> None:
    for comment in ("a } b", "{ a } { b }", "ends \\", "[%csl Ga1] }"):
        written = writer.annotate("1. e4 *", {1: comment})
        assert reader.read_game(written.encode()).comments == {1: comment}


def test_a_windows_1252_game_keeps_its_bytes() -> None:
    raw = b'[White "M\xfcller\x81"]\r\n\r\n1. e4 {\xe4} e5 *'
    written = writer.annotate(raw, {2: "CQL"})
    assert written == raw.replace(b"e5 ", b"e5 {CQL} ")


@pytest.mark.parametrize("megabytes", [5, pytest.param(300, marks=pytest.mark.full)])
def test_one_enormous_line_is_cut_in_time(megabytes: int) -> None:
    game = b'[Event "x"] 1. e4 e5 {' + b"a" * 1000 + b"} 2. Nf3 (2. d4 exd4) Nc6 1-0 "
    count = (megabytes << 20) // len(game)
    found = 0
    for raw in split.games(split.BytesSource(game * count)):
        found += 1
        assert raw.line == 1
    assert found == count


@pytest.mark.parametrize("megabytes", [5, 9, pytest.param(300, marks=pytest.mark.full)])
def test_one_enormous_comment_is_one_game(megabytes: int) -> None:
    data = (
        b'[Result "1-0"]\n\n1. e4 {' + b"abcdefg " * (megabytes << 17) + b'} e5 1-0\n\n[Event "x"]\n\n1. d4 *'
    )
    first, second = split.games(split.BytesSource(data))
    assert second.line == 5
    assert reader.read_raw(second).plies == 1
    if megabytes << 20 > split.LONGEST_GAME:
        (problem,) = reader.read_raw(first).problems
        assert "longer than" in problem.reason
        assert first.length > megabytes << 20
    else:
        assert reader.read_raw(first).plies == 2


def test_deep_nesting_and_many_faults_stay_linear() -> None:
    deep = "1. e4 " + "(1. d4 " * 20_000 + ")" * 20_000 + " e5 *"
    game = reader.read_game(deep.encode())
    assert game.plies == 2
    assert len(reader.read_game(("1. e5 " + "( " * 50_000).encode()).problems) <= 100
    assert len(reader.read_game(("{" + "\\}" * 200_000).encode()).comments[0]) == 200_000


class _Drops(split.BytesSource):
    """A text that comes in small pieces."""

    def read(self, offset: int, length: int) -> bytes:
        return super().read(offset, min(length, 3 << 16))


def _seconds(make: Callable[[int], bytes], count: int, source: type[split.BytesSource]) -> float:
    """How long splitting and reading take, in the better of two runs."""
    data = make(count)
    taken = []
    for _ in range(2):
        begun = time.process_time()
        for raw in split.games(source(data)):
            reader.read_raw(raw)
        taken.append(time.process_time() - begun)
    return min(taken)


def test_a_long_comment_is_searched_once_however_it_comes() -> None:
    def comment(count: int) -> bytes:
        return b"1. e4 {" + b"abcdefg " * count + b"} e5 *\n"

    whole, drops = (_seconds(comment, 3 << 20, source) for source in (split.BytesSource, _Drops))
    assert drops < 5 * whole + 0.2


_REPEATED: dict[str, Callable[[int], bytes]] = {
    "empty lines": lambda count: HEAD + b"1. e4 " + b"\n" * count + b"e5 *",
    "empty lines of CR": lambda count: HEAD + b"1. e4 " + b"\r" * count + b"e5 *",
    "brackets": lambda count: HEAD + b"1. e4 " + b"[]" * (count // 10),
    "opening brackets": lambda count: b"[" * count,
    "opening brackets on lines": lambda count: b"[\n" * count,
    "pairs with quotes on one line": lambda count: b'[a "x" y] ' * (count // 10),
    "stray words": lambda count: b"x y " * count,
    "empty games": lambda count: b"*\n" * (count // 20),
    "results": lambda count: HEAD + b"1. e4 " + b"* 1-0 " * (count // 10),
    "comments of lines": lambda count: "; é\n".encode() * (count // 10) + HEAD + b"1. e4 *",
    "variations": lambda count: HEAD + b"1. e4 " + b"(" * count,
    "glyphs": lambda count: HEAD + b"1. e4 " + b"$1 " * (count // 5),
    "first numbers": lambda count: HEAD + b"1. e4 (" + b"\n\n1. " * (count // 10),
}  # fmt: skip


@pytest.mark.parametrize("name", _REPEATED)
def test_four_times_the_text_takes_about_four_times_as_long(name: str) -> None:
    small, large = (_seconds(_REPEATED[name], count, split.BytesSource) for count in (25_000, 100_000))
    assert large < 9 * small + 0.1
