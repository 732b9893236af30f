"""Numbers in tags that are too large, negative or none: games are read, and what is said is plain English."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cqlgui.board import position
from cqlgui.db import headers
from cqlgui.jit import native
from cqlgui.pgn import kernel, quick, reader, split

_PLACEMENT = "4k3/8/8/8/8/8/4P3/4K3"
_PYTHON = re.compile(
    r"\w+Error|Exception|Traceback|invalid literal|int\(\)|base 10|\bNone|Exceeds the limit|index"
)


def read(text: str) -> reader.ReadGame:
    """The only game of a text."""
    (raw,) = split.games(split.BytesSource(text.encode("utf-8", "surrogatepass")))
    return reader.read_raw(raw)


@pytest.mark.parametrize(
    ("clocks", "meant"),
    [
        ("0 99999999999999999999", "0 9999"),
        ("99999999999999999999 1", "9999 1"),
        ("-5 1", "0 1"),
        ("0 -5", "0 1"),
        ("+3 1", "3 1"),
        ("0 10000", "0 9999"),
        ("0 " + "7" * 10_000, "0 9999"),
        ("-" + "7" * 10_000 + " 1", "0 1"),
        ("- -", "0 1"),
    ],
)
def test_clocks_beyond_all_bounds_are_bounded(clocks: str, meant: str) -> None:
    game = read(f'[FEN "{_PLACEMENT} w - - {clocks}"]\n\n1. e4 Kd7 *\n')
    assert game.start_fen == f"{_PLACEMENT} w - - {meant}"
    assert game.plies == 2
    assert {problem.severity for problem in game.problems} <= {"note"}
    assert [problem.reason[:4] for problem in game.problems] == ([] if clocks == "+3 1" else ["the "])
    assert all(len(problem.reason) < 200 for problem in game.problems)


def test_a_bounded_clock_is_told() -> None:
    game = read(f'[FEN "{_PLACEMENT} w - - -5 99999"]\n\n1. e4 *\n')
    assert [problem.reason for problem in game.problems] == [
        "the halfmove clock -5 of the FEN is read as 0; the move number 99999 of the FEN is read as 9999"
    ]


def test_a_clock_that_is_no_number_breaks_the_fen() -> None:
    for clocks in ("x 1", "0 x", "0 1e3", "½ 1"):
        game = read(f'[FEN "{_PLACEMENT} w - - {clocks}"]\n\n1. e4 *\n')
        assert game.bad
        assert not game.playable


_NUMBER = st.one_of(
    st.integers(-(10**30), 10**30).map(str),
    st.sampled_from(
        ["", "-", "+", "0", "00", "-0", "1_0", "1e9", "nan", "0x1", "٣", "²", "½", "2450?", " 7 "]
    ),
    st.sampled_from([4300, 4301, 10_000]).map("9".__mul__),
    st.text(st.characters(codec="utf-8", exclude_characters='\r\n\\"[]'), max_size=6),
)
_FIELD = st.one_of(
    _NUMBER, st.sampled_from([_PLACEMENT, "w", "b", "-", "KQkq", "HAha", "e3", "e6", "e9", "8" * 9, "~"])
)
_FENS = st.one_of(
    st.tuples(_NUMBER, _NUMBER).map(lambda clocks: f"{_PLACEMENT} w - - {' '.join(clocks)}"),
    st.lists(_FIELD, max_size=8).map(" ".join),
    st.text("kKqQpP12348/ wb-~", max_size=90),
    st.lists(st.text("kKqQrRpP1234589~", max_size=9), min_size=8, max_size=8).map(
        lambda ranks: "/".join(ranks) + " w KQkq - 0 1"
    ),
)
_NAMES = ["WhiteElo", "BlackElo", "Round", "PlyCount", "Date", "EventDate", "SetUp", "WhiteUSCF", "Variant"]


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(_NAMES), _NUMBER, max_size=4), st.none() | _FENS)
@example({}, "k" * 60_000)
@example({"WhiteElo": "9" * 60_000}, None)
def test_no_number_raises_and_nothing_of_python_is_told(tags: dict[str, str], fen: str | None) -> None:
    if fen is not None:
        tags = tags | {"FEN": fen}
    head = '[Event "x"]\n' + "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    text = head + "\n1. e4 *\n"
    game = read(text)
    for problem in game.problems:
        assert not _PYTHON.search(problem.reason.partition("of the FEN")[2] or problem.reason), problem
        assert len(problem.reason) < 300
    if game.start_fen is not None:
        assert position.Position.from_fen(game.start_fen).fen()
    row = headers.from_tags(game.tags, game.plies, game.bad, game.ending)
    assert 0 <= (row.white_elo or 0) < 100_000
    if native.available():
        taken = quick.QuickReader(4).read(quick.padded(text.encode("utf-8", "surrogatepass")))
        if len(taken):
            assert game.problems == ()
            assert taken.start_fens().get(0) == game.start_fen
            assert taken.rows[0, kernel.ELO] == (row.white_elo or 0)
