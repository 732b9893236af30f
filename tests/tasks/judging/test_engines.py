"""An engine is asked in the same way for each position, and whatever it does is told in a sentence."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.tasks.judging import engines, judgement
from cqlgui.tasks.judging.judgement import Measure
from tests.helpers import engines as programs

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
ANSWER = 'say("bestmove e2e4")'


def ask(
    path: Path, *positions: str, limit: judgement.Limit | None = None, patience: float = 20.0
) -> list[judgement.Judgement]:
    with engines.Engine(path, limit or judgement.Limit(), patience=patience) as engine:
        return [engine.judge(one, progress_module.CancelToken()) for one in positions]


def test_each_position_is_a_new_game_with_one_thread_and_little_memory(tmp_path: Path) -> None:
    path = programs.scripted(
        tmp_path, 'say("info depth 1 score cp 31")', 'say("info depth 2 score cp 99 lowerbound")', ANSWER
    )
    found = ask(path, START, START, limit=judgement.Limit(Measure.NODES, 500))
    assert found == [judgement.Judgement(eval_cp=31, best="e2e4", best_san="e4")] * 2
    options = programs.told(path, "setoption")
    assert "setoption name Threads value 1" in options
    # The engine takes no less.
    assert "setoption name Hash value 32" in options
    assert programs.told(path, "ucinewgame") == ["ucinewgame"] * 2
    assert programs.told(path, "go") == ["go nodes 500"] * 2


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (judgement.Limit(Measure.DEPTH, 7), "go depth 7"),
        (judgement.Limit(Measure.SECONDS, 0.25), "go movetime 250"),
    ],
)
def test_other_limits_reach_the_engine(tmp_path: Path, limit: judgement.Limit, words: str) -> None:
    path = programs.scripted(tmp_path, ANSWER)
    assert ask(path, START, limit=limit) == [judgement.Judgement()]
    assert programs.told(path, "go") == [words]


@pytest.mark.parametrize(
    ("position", "answer"),
    [
        ("7k/5KQ1/8/8/8/8/8/8 b - -", judgement.Judgement(mate=0)),
        ("7k/5K2/6Q1/8/8/8/8/8 b - -", judgement.Judgement(eval_cp=0)),
        ("8/8/8/8/8/8/8/K7 w - -", judgement.Judgement()),
        ("k7/8/8/8/8/8/8/K6r b - -", judgement.Judgement()),
        ("no position at all", judgement.Judgement()),
    ],
)
def test_what_is_over_or_not_legal_is_not_asked(
    tmp_path: Path, position: str, answer: judgement.Judgement
) -> None:
    path = programs.scripted(tmp_path, "raise SystemExit")
    assert ask(path, position) == [answer]
    assert programs.told(path, "go") == []


def test_a_mate_is_counted_in_moves_of_the_side_to_move(tmp_path: Path) -> None:
    path = programs.scripted(tmp_path, 'say("info score mate -3")', 'say("bestmove a7a6")')
    black = START.replace(" w ", " b ")
    assert ask(path, black) == [judgement.Judgement(mate=-3, best="a7a6", best_san="a6")]


@pytest.mark.parametrize(
    ("go", "words"),
    [
        ("raise SystemExit(3)", "ended at rnbqkbnr/"),
        ("time.sleep(30)", "hangs: it said nothing for 1 seconds at rnbqkbnr/"),
        ('say("bestmove e2e5")', "broke the protocol at rnbqkbnr/"),
    ],
)
def test_an_engine_that_fails_is_told(tmp_path: Path, go: str, words: str) -> None:
    path = programs.scripted(tmp_path, go)
    with pytest.raises(judgement.JudgeError, match=words) as failed:
        ask(path, START, patience=1.0)
    assert str(path) in str(failed.value)


def test_an_engine_that_goes_on_talking_does_not_hang(tmp_path: Path) -> None:
    path = programs.scripted(
        tmp_path,
        "for _ in range(6):",
        "    time.sleep(0.25)",
        '    say("info depth 1 score cp 5")',
        'say("what is this? \\x01")',
        ANSWER,
    )
    assert [one.eval_cp for one in ask(path, START, patience=1.0)] == [5]


@pytest.mark.parametrize("program", ["import time; time.sleep(30)", "print('Hello')"])
def test_a_program_that_is_no_engine_is_told(tmp_path: Path, program: str) -> None:
    path = programs.scripted(tmp_path)
    path.write_text(path.read_text().partition("\n")[0] + f"\n{program}\n")
    with pytest.raises(judgement.JudgeError, match="UCI engine") as failed:
        ask(path, patience=0.5)
    assert str(path) in str(failed.value)


def test_a_missing_program_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(judgement.JudgeError, match="There is no engine"):
        ask(tmp_path / "none")
    (tmp_path / "text").write_text("no program")
    # A program that lies in the current folder may be a stranger's.
    monkeypatch.chdir(tmp_path)
    programs.scripted(tmp_path)
    with pytest.raises(judgement.JudgeError, match="There is no engine engine where a shell looks"):
        ask(Path("engine"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert engines.located(Path("engine")) == tmp_path / "engine"
    for path in (tmp_path, tmp_path / "text"):
        with pytest.raises(judgement.JudgeError, match="is no program that can be started"):
            ask(path)


def test_a_thinking_engine_stops_when_the_user_stops(tmp_path: Path) -> None:
    path = programs.scripted(tmp_path, "time.sleep(30)")
    cancel = progress_module.CancelToken()
    with engines.Engine(path, judgement.Limit()) as engine:
        threading.Timer(0.3, cancel.cancel).start()
        began = time.monotonic()
        with pytest.raises(errors.Cancelled):
            engine.judge(START, cancel)
    assert time.monotonic() - began < 10


def test_stockfish_finds_a_mate_and_says_the_same_in_any_order() -> None:
    path = programs.stockfish()
    limit = judgement.Limit(Measure.NODES, 3000)
    other = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq -"
    first = ask(path, MATE_IN_ONE, other, START, limit=limit)
    assert first[0] == judgement.Judgement(mate=1, best="a1a8", best_san="Ra8#")
    assert first[1] == judgement.Judgement(mate=1, best="f3f7", best_san="Qxf7#")
    assert ask(path, START, other, MATE_IN_ONE, limit=limit) == first[::-1]
    assert first[2].eval_cp is not None
    assert abs(first[2].eval_cp) < 150
