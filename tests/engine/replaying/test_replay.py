"""Replay agrees with `GameTree` on every position, streaming and buffered."""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import gc
import random
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cqlgui.base import heap
from cqlgui.board import legality, moves, tree
from cqlgui.board.position import Position
from cqlgui.cql.checking.check import check as check_query
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.kernels import routines
from cqlgui.engine.replaying import games, layout, replay, scanning, tiers
from cqlgui.jit import native
from cqlgui.pgn import reader, split
from cqlgui.store import segments
from tests import helpers
from tests.helpers import asking, fenced, packed_games, trees

FRAME = layout.LOCALS


def asked(look: Callable[[Sequence[int], bytes, int, Any], bool]) -> tiers.Tiers:
    """What `scanning.scan` asks, from a function of a position's record, board, number and frame."""
    return asking.by(_routine(look))


def _routine(look: Callable[[Sequence[int], bytes, int, Any], bool]) -> Any:
    if not native.available():

        def plain(records: Any, boards: Any, place: int, frame: Any) -> bool:
            first = place * layout.SIZE
            own = list(records[first : first + layout.SIZE])
            return look(own, bytes(boards[place * 64 : place * 64 + 64]), place, frame)

        return plain

    def called(records: int, boards: int, place: int, frame: int) -> bool:
        own = (ctypes.c_uint64 * layout.SIZE).from_address(records + 8 * layout.SIZE * place)
        whole = (ctypes.c_uint64 * FRAME).from_address(frame)
        return look(list(own), ctypes.string_at(boards + 64 * place, 64), place, whole)

    kinds = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
    return ctypes.CFUNCTYPE(ctypes.c_bool, *kinds)(called)


def ends_of(game: tree.GameTree) -> list[int]:
    ends = list(range(1, len(game) + 1))
    for child in range(len(ends) - 1, 0, -1):
        ends[game.parents[child]] = max(ends[game.parents[child]], ends[child])
    return ends


def check(listed: Sequence[tree.GameTree], mode: int) -> int:
    """Compare every position of these games; gives their number."""
    packed = packed_games.of_words(
        (None if game.root.key() == Position.start().key() else game.root.fen(), game.encode())
        for game in listed
    )
    variations = mode & replay.VARIATIONS != 0
    seen: list[tuple[list[int], bytes, int]] = []

    def look(record: Sequence[int], board: bytes, place: int, frame: Any) -> bool:
        seen.append((list(record), board, int(frame[layout.GAMENUMBER])))
        return place % 2 == 0 and record[layout.ID] % 3 != 1

    hits: list[int] = []
    visited = 0
    for found in scanning.scan(asked(look), packed, mode=mode, before=7, frame_size=FRAME, slice_size=3):
        assert not len(found.doubtful)
        hits += found.hits.tolist()
        visited += found.visited
    wanted: list[int] = []
    place = 0
    for number, game in enumerate(listed):
        whole = game if variations else game.mainline()
        streamed = not mode & replay.BUFFERED and not (variations and len(game) > game.mainline_length)
        ends = ends_of(whole)
        for positionid in range(len(whole)):
            record, board, gamenumber = seen[place]
            good, good_board = expected_at(whole, positionid, streamed, ends)
            skipped = (layout.PARENT, layout.SIBLING, layout.END) if streamed else ()
            for word in range(layout.STATES):
                assert word in (*skipped, layout.PASSED) or record[word] == good[word], (
                    number,
                    positionid,
                    word,
                )
            passed: Any = routines.passed_over
            assert passed(np.array(record, np.uint64)) == good[layout.PASSED], (number, positionid)
            assert board == good_board
            assert gamenumber == number + 8
            if (streamed or positionid % 2 == 0) and positionid % 3 != 1:
                wanted.append(number << 32 | positionid)
            place += 1
    assert place == len(seen) == visited
    assert hits == wanted
    return place


def expected_at(
    game: tree.GameTree, number: int, streamed: bool, ends: Sequence[int]
) -> tuple[list[int], bytes]:
    """The record and the board of a position as they should be."""
    p = game.positions[number]
    parent, children = game.parents[number], game.children[number]
    sisters = game.children[parent] if number else (number,)
    following = sisters.index(number) + 1
    child = layout.NONE if not children else 0 if streamed else children[0]
    record = [
        *p.men, p.turn, p.castling, 1 << p.ep if p.ep >= 0 else 0, number, game.plies[number],
        game.depths[number], game.moves[number], parent if number else layout.NONE, child,
        sisters[following] if following < len(sisters) else layout.NONE, ends[number],
    ]  # fmt: skip
    return record, bytes(p.squares)


MODES = [0, replay.BUFFERED, replay.VARIATIONS, replay.BUFFERED | replay.VARIATIONS]


def random_tree(source: random.Random, fen: str | None) -> tree.GameTree:
    """A game of any legal moves, null moves among them, with variations anywhere."""
    root = Position.start() if fen is None else Position.from_fen(fen)
    builder = trees.TreeBuilder()
    places = [(0, root)]
    while len(places) < 60:
        handle, before = source.choice(places[-3:] if source.random() < 0.8 else places)
        choice = legality.legal_moves(before)
        if not choice or source.random() < 0.03:
            king = before.men[12 if before.turn else 6].bit_length() - 1
            choice = [moves.pack(max(king, 0), max(king, 0), moves.NULL)]
        special = [move for move in choice if move >> 12]
        move = source.choice(special if special and source.random() < 0.5 else choice)
        after = before.copy()
        after.make(move)
        places.append((builder.add(handle, move), after))
    return tree.GameTree.decode(fen, builder.finish()[0])


FENS = [
    None,
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1",
    "rk5r/8/8/8/8/8/8/RK5R b HAha - 0 1",
    "8/P3p1p1/8/1P3P2/2p1p3/8/pP1P3P/4k2K b - - 0 1",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
    "8/8/8/8/8/8/PPPPPPPP/8 b - - 0 1",
]


@pytest.mark.parametrize("mode", MODES)
def test_random_trees(mode: int) -> None:
    source = random.Random(mode)
    check([random_tree(source, fen) for fen in FENS * 3], mode)


@pytest.mark.parametrize("mode", MODES)
def test_the_sample_base(mode: int) -> None:
    _files([(helpers.ROOT / "resources" / "sample" / "sample.pgn").read_bytes()[:30_000]], mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["chess960.pgn", "annotated.pgn", "studies.pgn"])
def test_shared_games(shared: Path, name: str, mode: int) -> None:
    text = (shared / "data" / name).read_bytes()
    _files([text[:50_000]], mode)


@pytest.mark.full
@pytest.mark.parametrize("mode", MODES)
def test_all_shared_games(shared: Path, mode: int) -> None:
    paths = [*(shared / "data").glob("*.pgn"), *(shared / "data" / "torture").glob("*.pgn")]
    _files([path.read_bytes() for path in paths], mode)


@pytest.mark.parametrize("mode", MODES)
def test_torture(shared: Path, mode: int) -> None:
    paths = sorted((shared / "data" / "torture").glob("*.pgn"))
    _files([path.read_bytes()[:4_000] for path in paths], mode)


def _files(texts: Sequence[bytes], mode: int) -> None:
    """Check games as the reader gives them."""
    listed = []
    for text in texts:
        for raw in split.games(split.BytesSource(text)):
            game = reader.read_raw(raw)
            listed.append(tree.GameTree.decode(game.start_fen, game.words))
    assert check(listed, mode) > 100


@pytest.mark.parametrize(
    "words",
    [
        [moves.pack(20, 28)],
        [moves.pack(12, 12)],
        [moves.pack(4, 7, moves.CASTLE)],
        [moves.pack(12, 28, moves.PROMOTE_Q), moves.pack(1, 60, 9)],
        [moves.pack(12, 28), *moves.pack_back(1)],
        [moves.pack(12, 28), *moves.pack_back(2), moves.pack(11, 27)],
        [moves.pack(12, 28), moves.BACK << 12, moves.pack(52, 36)],
    ],
)
def test_words_that_cannot_be_played_leave_the_game_in_doubt(words: list[int]) -> None:
    good = [moves.pack(12, 28)]
    packed = packed_games.of_words([(None, good), (None, words), ("no fen", good), (None, good)])
    always = asked(lambda record, board, place, frame: True)
    for mode in MODES:
        if not mode & replay.VARIATIONS and any(word >> 12 == moves.BACK for word in words):
            # The main line ends before.
            continue
        (found,) = scanning.scan(always, packed, mode=mode, frame_size=FRAME)
        assert found.doubtful.tolist() == [1, 2]
        assert (found.hits >> 32).tolist() == [0, 0, 3, 3]


@pytest.mark.parametrize("mode", MODES)
def test_nothing_beyond_the_arrays_is_touched(mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the words of an altered segment are."""
    source = random.Random(mode)
    listed: list[tuple[str | None, list[int]]] = []
    for fen in FENS * 12:
        words = random_tree(source, fen).encode()
        for _ in range(source.randrange(4)):
            # Now and then a word that goes back.
            places = source.randrange(len(words) + 1), source.randrange(2)
            word = source.choice([source.randrange(1 << 16), moves.BACK << 12 | source.randrange(1 << 12)])
            words[places[0] : sum(places)] = [word]
        listed.append((fen, words))
    packed = packed_games.of_words(listed)
    assert max(len(words) for _, words in listed) + 1 == packed.positions

    def never(*_: object) -> bool:
        return False

    monkeypatch.setattr(replay, "search", functools.partial(fenced.run, replay.search))
    plain = tiers.Tiers(tiers.Functions(never, never, replay.streamed.function, None))
    (found,) = scanning.scan(plain, packed, mode=mode, frame_size=FRAME)
    assert 0 < len(found.doubtful) < len(listed)


def test_hits_that_fill_the_room_are_gone_on_from(monkeypatch: pytest.MonkeyPatch) -> None:
    game = [moves.pack(12, 28), moves.pack(52, 36), moves.pack(6, 21)]
    packed = packed_games.of_words([(None, game)] * 50)
    monkeypatch.setattr(
        games.Workspace,
        "make",
        classmethod(
            lambda cls, positions, size, frame, **options: cls(
                4, np.zeros(5 * layout.SIZE, np.uint64), np.zeros(320, np.uint8), np.zeros(9, np.int64),
                np.zeros(size, np.int64), np.zeros(replay.LINKED + 1, np.int64), np.zeros(frame, np.uint64),
            )
        ),
    )  # fmt: skip
    always = asked(lambda record, board, place, frame: True)
    chosen = np.arange(0, 50, 2, dtype=np.int64)
    for mode in MODES:
        hits = [
            hit
            for found in scanning.scan(
                always, packed, chosen, mode=mode, most=3, frame_size=FRAME, slice_size=7
            )
            for hit in found.hits.tolist()
        ]
        assert hits == [number << 32 | place for number in range(0, 50, 2) for place in range(3)]


def test_a_call_ends_when_it_has_taken_its_time() -> None:
    """However many games it was asked: no kernel can be interrupted."""
    line = [moves.pack(6, 21), moves.pack(62, 45), moves.pack(21, 6), moves.pack(45, 62)] * 15_000
    giants = packed_games.of_words([(None, line)] * 5)
    nowhere = asked(lambda record, board, place, frame: False)
    assert [
        (found.games, found.visited) for found in scanning.scan(nowhere, giants, mode=0, frame_size=FRAME)
    ] == [
        (2, 120_002),
        (2, 120_002),
        (1, 60_001),
    ]

    def dear(record: Any, board: bytes, place: int, frame: Any) -> bool:
        frame[layout.STEPS] = 0
        return place == 1

    packed = packed_games.of_words([(None, line[:3])] * 4)
    parts = list(scanning.scan(asked(dear), packed, mode=replay.BUFFERED, frame_size=FRAME))
    assert [part.games for part in parts] == [1] * 4
    assert [part.hits.tolist() for part in parts] == [[game << 32 | 1] for game in range(4)]


def test_a_segment_gives_the_same_games(tmp_path: Path) -> None:
    source = random.Random(5)
    trees = [random_tree(source, fen) for fen in FENS]
    records = [
        segments.GameRecord(
            0, 0, 1, array("H", game.encode()), fen, game.mainline_length - 1, len(game),
            segments.PLAYABLE | segments.VARIATIONS * (len(game) > game.mainline_length),
        )
        for fen, game in zip(FENS, trees, strict=True)
    ]  # fmt: skip
    segments.write(tmp_path / "a.seg", segments.Block.of(records))
    segment = segments.Segment(tmp_path / "a.seg")
    read = games.of_segment(segment)
    made = packed_games.of_words(zip(FENS, (game.encode() for game in trees), strict=True))
    columns = ("firsts", "counts", "branching", "starts")
    for name in ("packed", "start_records", "start_boards", *columns):
        assert (getattr(read, name) == getattr(made, name)).all(), name
    assert read.positions == made.positions
    mainlines, wholes = (games.lengths(segment, variations=which).tolist() for which in (False, True))
    assert mainlines == [game.mainline_length - 1 for game in trees]
    assert wholes == [len(game) - 1 for game in trees]
    always = asked(lambda record, board, place, frame: True)
    for count in range(len(FENS) + 1):
        numbers = np.sort(np.array(source.sample(range(len(FENS)), count), np.int64))
        some = games.of_segment(segment, numbers)
        assert len(some) == len(read)
        for name in columns:
            own = getattr(some, name)
            if name != "starts":
                assert (own[numbers] == getattr(read, name)[numbers]).all(), name
            assert not np.delete(own, numbers).any() or (name, set(np.delete(own, numbers))) == (
                "starts",
                {-1},
            )
        for mode in MODES:
            expected, found = (
                [
                    part.hits.tolist()
                    for part in scanning.scan(always, one, numbers, mode=mode, frame_size=FRAME)
                ]
                for one in (read, some)
            )
            assert found == expected
    segment.close()


@pytest.mark.parametrize(
    ("first", "words"), [(2**63 - 10, 100), (2**64 - 1, 1), (2**63 + 5, 3), (0, 2**32 - 1), (7, 1), (6, 2)]
)
def test_a_game_whose_words_are_not_there_is_in_doubt_and_takes_no_room(
    tmp_path: Path, first: int, words: int
) -> None:
    line = [moves.pack(12, 28), moves.pack(52, 36), moves.pack(6, 21), moves.pack(57, 42), moves.pack(5, 33)]
    flags = segments.PLAYABLE | segments.VARIATIONS
    block = segments.Block.of(
        [segments.GameRecord(0, 0, 1, array("H", own), None, 0, 1, flags) for own in (line, [], line[:2])]
    )
    rows = block.rows.copy()
    rows["first"][1], rows["words"][1] = first, words
    segments.write(tmp_path / "a.seg", dataclasses.replace(block, rows=rows))
    segment = segments.Segment(tmp_path / "a.seg")
    read = games.of_segment(segment)
    segment.close()
    assert read.positions == len(line) + 1
    always = asked(lambda record, board, place, frame: True)
    for mode in MODES:
        (found,) = scanning.scan(always, read, mode=mode, frame_size=FRAME)
        assert found.doubtful.tolist() == [1]
        assert (found.hits >> 32).tolist() == [0] * 6 + [2] * 3


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
@pytest.mark.skipif(not heap.resident(), reason="the system does not tell how much memory is used")
@pytest.mark.parametrize("count", [80, pytest.param(1_000, marks=pytest.mark.full)])
def test_making_queries_with_care_does_not_leak(count: int) -> None:
    def make_some(number: int) -> None:
        for n in range(number):
            made = compiling.compile_query(transforms.expand(check_query(f"R attacks k movenumber < {n}")))
            assert isinstance(made, compiling.Compiled)
            made.tiers.improve()

    make_some(40)
    gc.collect()
    before = heap.resident()
    make_some(count)
    gc.collect()
    assert heap.resident() - before < 1_500_000 + 10_000 * count
