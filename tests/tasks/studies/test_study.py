"""The table of a study has the numbers that the games have, and a study that was stopped goes on."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest

from cqlgui.base import data
from cqlgui.base import progress as progress_module
from cqlgui.base.files import folders
from cqlgui.jit import native
from cqlgui.tasks.databases import importing
from cqlgui.tasks.search import searching
from cqlgui.tasks.studies import study, study_bases, study_counts, study_table, study_text
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
STUDY = """
title = "T"
samples = 3

[groups]
elo = 150
years = 25

[[query]]
name = "Check"
text = "check"

[[query]]
name = "Pawn ending"
text = "[QRBNqrbn] == 0"

[[query]]
name = "Mate"
text = "mate"

[[query]]
name = "Never"
text = "ply > 5000"

[[query]]
name = "Drawn checks"
text = "check"
games = 'result:1/2 year:1960-'
"""
Test = Callable[[chess.Board], bool]


def no_pieces(board: chess.Board) -> bool:
    kinds = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    return not any(board.pieces(kind, colour) for kind in kinds for colour in chess.COLORS)


TESTS: dict[str, Test] = {
    "Check": chess.Board.is_check,
    "Pawn ending": no_pieces,
    "Mate": chess.Board.is_checkmate,
    "Never": lambda _: False,
    "Drawn checks": chess.Board.is_check,
}


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample base with ratings: of both players, of one, or of none; one game has no known result."""
    numbers = iter(range(10_000))

    def tags(match: re.Match[str]) -> str:
        number = next(numbers)
        white = f'\n[WhiteElo "{2000 + number * 7 % 700}"]' if number % 3 else ""
        black = f'\n[BlackElo "{2100 + number * 13 % 600}"]' if number % 4 else ""
        return match[0] + white + black

    text = re.sub(r"^\[(White|Black)Elo .*\]\n", "", SAMPLE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = re.sub(r"^\[Result .*\]$", tags, text, flags=re.MULTILINE)
    text += '\n[White "A"]\n[Result "*"]\n\n1. e4 e5 2. Bc4 Bc5 3. Bxf7+ *\n'
    path = tmp_path_factory.mktemp("rated") / "rated.pgn"
    path.write_text(text, encoding="utf-8")
    return path


def write(tmp_path: Path, text: str = STUDY) -> study_text.Study:
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    return study_text.read(path)


def opened(*paths: Path) -> list[study.StudyBase]:
    return [study.StudyBase(path.name, importing.open_base([path]).base) for path in paths]


class Game:
    """What python-chess reads of a game."""

    def __init__(self, game: chess.pgn.Game) -> None:
        self.boards = [game.board()]
        for move in game.mainline_moves():
            board = self.boards[-1].copy(stack=False)
            board.push(move)
            self.boards.append(board)
        known = [int(game.headers.get(f"{side}Elo", "0")) for side in ("White", "Black")]
        known = [rating for rating in known if rating]
        self.elo = sum(known) // len(known) if known else 0
        date = game.headers.get("Date", "????")[:4]
        self.year = int(date) if date.isdigit() else 0
        self.result = game.headers["Result"]
        self.white, self.black = game.headers["White"], game.headers["Black"]


@pytest.fixture(scope="module")
def games(rated: Path) -> list[Game]:
    def each() -> Iterator[Game]:
        with rated.open(encoding="utf-8") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                yield Game(game)

    return list(each())


def band(number: int, width: int) -> str:
    return f"{number // width * width}-{number // width * width + width - 1}" if number else "unknown"


def expected(games: list[Game], test: Test, group: str, name: str) -> dict[str, object]:
    """A row of the table."""
    bands = {"": lambda _: "", "elo": lambda game: band(game.elo, 150), "years": lambda g: band(g.year, 25)}
    chosen = [game for game in games if bands[group](game) == name]
    plies = [[ply for ply, board in enumerate(game.boards) if test(board)] for game in chosen]
    hits = [found for found in plies if found]
    scores = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
    points = [
        scores[game.result]
        for game, found in zip(chosen, plies, strict=True)
        if found and game.result in scores
    ]
    total = sum(map(len, hits))
    return {
        "searched": len(chosen),
        "games": len(hits),
        "share": round(len(hits) / len(chosen), 6),
        "positions": total,
        "halfmoves": round(total / len(hits), 6) if hits else None,
        "first_ply": statistics.median(found[0] for found in hits) if hits else None,
        "score": round(sum(points) / len(points), 6) if points else None,
    }  # fmt: skip


def test_the_table_has_the_numbers_that_another_reader_finds(
    tmp_path: Path, rated: Path, games: list[Game]
) -> None:
    report = study.run(write(tmp_path), opened(rated))
    assert (report.faults, report.cancelled, len(report.parts)) == ((), False, 5)
    table = study_table.rows(report)
    for name, test in TESTS.items():
        some = [
            one for one in games if name != "Drawn checks" or (one.result == "1/2-1/2" and one.year >= 1960)
        ]
        wanted = [("", "")]
        for group, values in (("elo", [(g.elo, 150) for g in some]), ("years", [(g.year, 25) for g in some])):
            known = sorted({(number == 0, number // width, band(number, width)) for number, width in values})
            wanted += [(group, words) for _, _, words in known]
        rows = [row for row in table if row["query"] == name]
        assert [(row["group"], row["band"]) for row in rows] == wanted
        assert len(rows) > 5
        for row in rows:
            found = {key: row[key] for key in study_table.FIELDS[4:]}
            assert found == expected(some, test, row["group"], row["band"]), row
    assert {row["base"] for row in table} == {"rated.pgn"}


def test_bands_add_up_to_all_games(tmp_path: Path, rated: Path) -> None:
    for part in study.run(write(tmp_path), opened(rated)).parts:
        whole, *rest = part.found.counts
        for group in ("elo", "years"):
            bands = [one for one in rest if one.group == group]
            for name in ("searched", "games", "positions", "points", "decided"):
                assert sum(getattr(one, name) for one in bands) == getattr(whole, name)


def test_numbers_equal_those_of_a_search(tmp_path: Path, rated: Path) -> None:
    bases = opened(rated, SAMPLE)
    report = study.run(write(tmp_path), bases)
    found = {(row["query"], row["base"]): row for row in study_table.rows(report) if not row["group"]}
    assert len(found) == 10
    for question in report.study.questions[:4]:
        for one in bases:
            result = searching.search(one.base, question.text)
            row = found[question.name, one.name]
            assert (row["games"], row["positions"]) == (len(result.games), result.positions)


def test_first_hits_in_variations_have_their_ply(tmp_path: Path) -> None:
    path = tmp_path / "v.pgn"
    path.write_text('[Result "1-0"]\n\n1. e4 e5 (1... d5 2. Bb5+ c6) 2. Nf3 Nc6 3. d4 1-0\n')
    text = "[[query]]\nname='V'\ntext='check'\nvariations=true\n[[query]]\nname='M'\ntext='check'\n"
    report = study.run(write(tmp_path, "samples = 1\n" + text), opened(path))
    (found,), (main,) = (part.found.counts for part in report.parts)
    assert (found.games, found.first_ply) == (1, 3.0)
    assert (main.games, main.first_ply) == (0, None)
    (sample,) = report.parts[0].found.samples
    board = chess.Board()
    for move in ("e4", "d5", "Bb5+"):
        board.push_san(move)
    assert (sample.ply, sample.fen) == (3, board.fen())
    assert sample.positionid > 3


def test_examples_are_hits_spread_over_the_games(tmp_path: Path, rated: Path, games: list[Game]) -> None:
    report = study.run(write(tmp_path), opened(rated))
    for part in report.parts:
        test = TESTS[part.query]
        count = part.found.counts[0].games
        assert len(part.found.samples) == min(3, count)
        for sample in part.found.samples:
            game = games[sample.gamenumber - 1]
            assert (sample.white, sample.black, sample.result) == (game.white, game.black, game.result)
            assert sample.year == (game.year or None)
            first = next(ply for ply, board in enumerate(game.boards) if test(board))
            assert (sample.ply, sample.positionid) == (first, first)
            # The en passant square of a FEN may be left out where no pawn can take.
            assert sample.fen.split()[:3] == game.boards[first].fen(en_passant="fen").split()[:3]
    by_name = {part.query: part.found.samples for part in report.parts}
    hits = [n for n, game in enumerate(games, 1) if any(map(chess.Board.is_check, game.boards))]
    places = [hits.index(sample.gamenumber) * 3 // len(hits) for sample in by_name["Check"]]
    assert places == [0, 1, 2]


def test_examples_are_the_same_each_time_and_others_for_another_seed(tmp_path: Path, rated: Path) -> None:
    bases = opened(rated)

    def samples(seed: int) -> list[dict[str, object]]:
        return study_table.samples(study.run(write(tmp_path, f"seed = {seed}{STUDY}"), bases))

    assert samples(1) == samples(1)
    assert samples(1) != samples(2)


class Stopper:
    """A sink that stops the study when a query begins."""

    def __init__(self, at: str) -> None:
        self.cancel = progress_module.CancelToken()
        self.at = at

    def __call__(self, report: progress_module.Progress) -> None:
        if report.words.startswith(self.at):
            self.cancel.cancel()


def test_a_stopped_study_goes_on_where_it_stopped(tmp_path: Path, rated: Path) -> None:
    asked, bases = write(tmp_path), opened(rated, SAMPLE)
    stopper = Stopper("Mate")
    before = study.run(asked, bases, cancel=stopper.cancel, progress=stopper)
    assert (before.cancelled, len(before.parts), before.wanted) == (True, 4, 10)
    after = study.run(asked, bases, resume=True)
    assert (after.cancelled, after.again, len(after.parts)) == (False, 4, 10)
    whole = study.run(asked, bases)
    assert whole.again == 0
    assert study_table.answer(after) == study_table.answer(whole)
    assert study.run(asked, bases, resume=True).again == 10


def test_a_study_that_is_stopped_twice_loses_nothing(tmp_path: Path, rated: Path) -> None:
    asked, bases = write(tmp_path), opened(rated)
    for query, done, again in (("Pawn ending", 1, 0), ("Never", 3, 1)):
        stopper = Stopper(query)
        report = study.run(asked, bases, resume=True, cancel=stopper.cancel, progress=stopper)
        assert (len(report.parts), report.again) == (done, again)
    assert study.run(asked, bases, resume=True).again == 3


def test_what_has_changed_is_counted_anew(tmp_path: Path, rated: Path) -> None:
    base = tmp_path / "b.pgn"
    base.write_text('[Result "1-0"]\n\n1. e4 e5 2. Bc4 Bc5 3. Bxf7+ 1-0\n\n')

    def again(text: str) -> int:
        return study.run(write(tmp_path, text), opened(base), resume=True).again

    assert again(STUDY) == 0
    assert again(STUDY) == 5
    assert again(STUDY.replace('text = "mate"', 'text = "stalemate"')) == 4
    assert again(STUDY.replace("year:1960-", "year:1970-")) == 4
    assert again(STUDY.replace("elo = 150", "elo = 100")) == 0
    assert again(STUDY.replace("samples = 3", "samples = 2")) == 0
    # What another state of the study found is still there.
    assert again(STUDY) == 5
    with base.open("a") as file:
        file.write('[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n')
    report = study.run(write(tmp_path), opened(base), resume=True)
    assert (report.again, report.parts[0].found.counts[0].games) == (0, 2)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda _: "",
        lambda _: "[" * 100_000,
        lambda _: '{"version": 1, "done": 5}',
        lambda text: text.replace('"games": ', '"games": "x'[:-1] + '", "x": '),
        lambda text: text.replace('"version": 1', '"version": 99'),
        lambda text: re.sub(r'"counts": \[[^]]*\]', '"counts": []', text),
        lambda text: re.sub(r'"positions": \d+', '"positions": "many"', text),
        lambda text: re.sub(r'"searched": \d+', '"searched": -5', text),
        lambda text: re.sub(r'"games": \d+', '"games": 1000000', text),
        lambda text: re.sub(r'"points": [\d.]+', '"points": Infinity', text),
        lambda text: re.sub(r'"fen": "[^"]*"', '"fen": 7', text).replace('"samples": []', '"samples": 5'),
    ],
)
def test_damaged_numbers_are_counted_anew(tmp_path: Path, rated: Path, damage: Callable[[str], str]) -> None:
    asked, bases = write(tmp_path), opened(rated)
    whole = study.run(asked, bases)
    (kept,) = (folders.cache() / "studies").glob("*.json")
    kept.write_text(damage(kept.read_text()))
    found = study.run(asked, bases, resume=True)
    assert found.again == 0
    assert study_table.answer(found) == study_table.answer(whole)


def test_a_run_that_begins_anew_keeps_what_it_did_not_search(tmp_path: Path, rated: Path) -> None:
    asked = write(tmp_path)
    study.run(asked, opened(rated, SAMPLE))
    assert study.run(asked, opened(rated)).again == 0
    assert study.run(asked, opened(rated, SAMPLE), resume=True).again == 10


def test_the_kept_file_does_not_grow_for_ever(
    tmp_path: Path, rated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_counts, "_MOST_UNUSED", 2)
    study.run(write(tmp_path), opened(rated, SAMPLE))
    study.run(write(tmp_path, STUDY.replace('"mate"', '"stalemate"')), opened(rated), resume=True)
    (kept,) = (folders.cache() / "studies").glob("*.json")
    assert len(json.loads(kept.read_text())["done"]) == 5 + 2


def test_where_nothing_can_be_kept_the_study_goes_on_and_says_so(tmp_path: Path, rated: Path) -> None:
    (folders.cache() / "studies").write_text("")
    report = study.run(write(tmp_path), opened(rated))
    (fault,) = report.faults
    assert fault.message.startswith("What is done cannot be kept: ")
    assert (report.failed, len(report.parts)) == (False, 5)


FAILING = """
[[query]]
name = "Bad"
text = '''
K &
  matte'''
[[query]]
name = "Stops"
text = '''
check
assert ply < 9'''
"""


def test_a_failing_query_is_named_and_the_others_go_on(tmp_path: Path, rated: Path) -> None:
    asked = write(tmp_path, STUDY.replace('[[query]]\nname = "Mate"', FAILING + '[[query]]\nname = "Mate"'))
    told: list[study.Fault] = []
    report = study.run(asked, opened(rated), on_fault=told.append)
    assert [part.query for part in report.parts] == list(TESTS)
    assert report.failed
    assert tuple(told) == report.faults
    bad, stops = told
    line = asked.path.read_text().split("\n").index("  matte'''") + 1
    assert bad.query == "Bad"
    assert bad.message.startswith(f"{asked.path}:{line}:3: error[")
    line = asked.path.read_text().split("\n").index("assert ply < 9'''") + 1
    assert (stops.query, stops.base) == ("Stops", "rated.pgn")
    assert stops.message.startswith(f"{asked.path}:{line}:1: error[stopped]: The search stopped at game ")


def test_a_text_that_no_game_has_is_said(tmp_path: Path, rated: Path) -> None:
    asked = write(tmp_path, f'games = "white:Nobodyski"\n{STUDY}')
    report = study.run(asked, opened(rated))
    assert {fault.fatal for fault in report.faults} == {False}
    said = "rated.pgn: games: No game has “Nobodyski” as White."
    told = f"{tmp_path / 's.toml'}:1: {said}"
    assert report.faults[0].message == told
    # It is said once, and again when the numbers of all queries are known.
    messages = [fault.message for fault in report.faults]
    assert messages.count(told) == 1
    again = study.run(asked, opened(rated), resume=True)
    assert again.again == len(report.parts)
    assert [fault.message for fault in again.faults] == messages
    counts = [part.found.counts[0] for part in report.parts]
    assert [(one.searched, one.games, one.share) for one in counts] == [(0, 0, None)] * 5
    # Each game lacks such a text, so all games that fit the other terms are searched. The word may be a slip.
    expected = study.run(write(tmp_path, f'games = "elo>2300"\n{STUDY}'), opened(rated))
    report = study.run(write(tmp_path, f'games = "-white:Nobodyski elo>2300"\n{STUDY}'), opened(rated))
    assert report.faults[0].message == f"{tmp_path / 's.toml'}:1: {said}"
    counts, others = ([part.found.counts[0] for part in one.parts] for one in (report, expected))
    assert [(one.searched, one.games) for one in counts] == [(one.searched, one.games) for one in others]
    assert counts[0].searched > 0


def test_a_base_with_two_names_is_opened_once(tmp_path: Path, rated: Path) -> None:
    link = tmp_path / "link.pgn"
    link.symlink_to(rated)
    asked = write(tmp_path, f"bases = ['{rated}', '{link}']\n{STUDY}")
    told: list[str] = []
    found = study_bases.open_bases(asked, cancel=progress_module.CancelToken(), on_message=told.append)
    assert ([one.name for one in found.bases], found.files) == (["rated.pgn"], (rated,))
    assert told == [f"{link} is left out, because it is the same file as {rated}."]


def test_a_base_that_changed_is_named_once(tmp_path: Path, rated: Path) -> None:
    base = tmp_path / "b.pgn"
    base.write_text('[Result "1-0"]\n\n1. e4 e5 2. Bc4 Bc5 3. Bxf7+ 1-0\n\n')
    (before,) = opened(base)
    base.write_text('[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n')
    opened(base)
    report = study.run(write(tmp_path), [before, *opened(rated)])
    (fault,) = report.faults
    assert (fault.base, report.failed, len(report.parts)) == ("b.pgn", True, 5)


def test_games_without_hits_count_as_in_a_search(tmp_path: Path, rated: Path) -> None:
    asked = write(tmp_path, "[[query]]\nname = 'M'\ntext = 'cql(matchcount 0 1) check'\n")
    (one,) = opened(rated)
    result = searching.search(one.base, asked.questions[0].text)
    (count,) = study.run(asked, [one]).parts[0].found.counts
    assert (count.games, count.positions) == (len(result.games), result.positions)
    assert count.games > result.positions > 0


def test_a_count_without_games_has_no_shares() -> None:
    count = study_counts.Count("", "", 0, 0, 0, None, 0.0, 0)
    assert (count.share, count.halfmoves, count.score) == (None, None, None)
    assert data.replace(count, searched=4, games=2, positions=5).halfmoves == 2.5
