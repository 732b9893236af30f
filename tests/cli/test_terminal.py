"""A stranger's words on a terminal: they are seen, and steer nothing. What goes into a file is exact."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cqlgui.base import progress
from cqlgui.cli import arguments, terminal
from tests import helpers

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

STEERING = "\x1b]0;owned\x07\x1b[2J\x9b31m\x85\u202egnp\u2066x\u2069\u200b\u2028\xad\x7f\rlone"
"""Titles, clearing and colours in both spellings, bell, overrides and isolates, what hides, a return."""
FORBIDDEN = set(STEERING) - set("0123456789;[]Jmabcdefghijklmnopqrstuvwxyz")
IN_A_TAG = STEERING.replace("\r", "")
TAGS = f'[White "A{IN_A_TAG}"]\n[Black "B"]\n[Event "{IN_A_TAG}"]\n[Result "0-1"]\n\n'
MATE = TAGS + "1. f3 e5 2. g4 Qh4# 0-1\n\n"
SET_UP = '\n[FEN "8/8/8/8/8/2k5/4R3/K7 w - - 0 1"]\n[SetUp "1"]\n\n*\n\n'
BROKEN = TAGS + f"1. f3 {STEERING} e5 2. Kd8 0-1\n\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.pgn").write_text(MATE + BROKEN, encoding="utf-8")
    (tmp_path / f"a{STEERING}.pgn").write_text(MATE + BROKEN, encoding="utf-8")
    (tmp_path / f"q{STEERING}.cql").write_text(f'cql() player white "{STEERING}" "open', encoding="utf-8")
    (tmp_path / "good.cql").write_text(f'cql() mate message("{STEERING}") comment("{STEERING}")\n')
    for name in ("set.pgn", f"a{STEERING} set.pgn"):
        (tmp_path / name).write_text(TAGS.strip() + SET_UP, encoding="utf-8")
    # JSON spells the control characters as TOML does.
    steering = json.dumps(STEERING)
    asked = f'title = {steering}\nsamples = 1\n[[query]]\nname = {steering}\ntext = "mate"\n'
    (tmp_path / "study.toml").write_text(asked, encoding="utf-8")
    (tmp_path / "bad.toml").write_text(asked.replace("mate", "mat") + f'{steering} = "{IN_A_TAG}"\n')
    (tmp_path / "old.cql").write_text(f"(match (position Pa4 :{STEERING}))")
    return tmp_path


CASES = {
    "import": [
        ["{bad}.pgn"],
        ["a.pgn", "--json"],
        [f"none{STEERING}.pgn"],
        ["a.pgn", "--scheduler", f"tls://{STEERING}:8786"],
    ],
    "info": [["{bad}.pgn"], ["{bad}.pgn", "--json"]],
    "search": [
        ["{bad}.pgn", "-e", "mate"],
        ["{bad}.pgn", "--query-file", "good.cql", "--csv"],
        ["{bad}.pgn", "--query-file", "good.cql", "--jsonl"],
        ["{bad}.pgn", "--query-file", "good.cql", "--json"],
        ["a.pgn", "-e", f'cql(input {STEERING}.pgn output {STEERING}.pgn) "{STEERING}"'],
        ["a.pgn", "--query-file", "{query}.cql"],
        ["a.pgn", f"--option{STEERING}"],
        ["a.pgn", "-e", "mate", "--limit", STEERING],
        ["a.pgn", "-e", "mate", "--allow-read", STEERING],
        ["a.pgn", "-e", "mate", "-o", f"x.{STEERING}"],
    ],
    "duplicates": [
        ["a.pgn", "{bad}.pgn"],
        ["a.pgn", "{bad}.pgn", "--json"],
        ["a.pgn", "-o", f"x.{STEERING}"],
    ],
    "anticipate": [["{bad}.pgn", "a.pgn"], [f"none{STEERING}.pgn", "a.pgn"], ["set.pgn", "{bad} set.pgn"]],
    "publish": [["{bad}.pgn", "-o", "{bad} pub"], [f"none{STEERING}.pgn", "-o", "pub"]],
    "check": [["--query-file", "{query}.cql"], ["-e", STEERING], ["--json", "-e", STEERING]],
    "orbit": [["-e", f'flipcolor (mate message("{STEERING}"))']],
    "explain": [
        ["-e", f'mate "{STEERING}"'],
        ["a.pgn", "--game", "1", "--position", "4", "-e", f'"{STEERING}"'],
    ],
    "format": [["{query}.cql"], ["-e", STEERING]],
    "help": [[f"word{STEERING}"]],
    "lsp": [[f"--option{STEERING}"], [STEERING]],
    "mcp": [["{bad}.pgn"], [f"none{STEERING}.pgn"], ["a.pgn", "--seconds", STEERING]],
    "study": [
        ["study.toml", "{bad}.pgn"],
        ["study.toml", "{bad}.pgn", "--json"],
        ["bad.toml", "a.pgn"],
        ["study.toml", f"none{STEERING}.pgn"],
        [f"none{STEERING}.toml", "a.pgn"],
        ["study.toml", "a.pgn", "-o", f"x.{STEERING}"],
    ],
    "translate": [["old.cql"], [f"none{STEERING}.cql"]],
}


def test_all_subcommands_are_asked() -> None:
    assert set(CASES) == set(arguments.SUBCOMMANDS)


@pytest.mark.parametrize("out_too", [True, False], ids=["both", "messages"])
@pytest.mark.parametrize(
    ("command", "words"), [(command, words) for command, cases in CASES.items() for words in cases]
)
def test_nothing_steers_a_terminal(folder: Path, command: str, words: list[str], out_too: bool) -> None:
    names = {"bad": f"a{STEERING}", "query": f"q{STEERING}"}
    told = [word.format(**names) if word.startswith("{") else word for word in words]
    shown = on_a_terminal([command, *told], folder, out_too=out_too)
    # The bar of the program itself wipes its line and draws it again.
    plain = shown.replace("\r\n", "\n").replace("\r\x1b[K", "")
    assert shown or not out_too
    assert FORBIDDEN & set(plain) == set()


def test_json_stays_json_on_a_terminal(folder: Path) -> None:
    shown = on_a_terminal(["search", f"a{STEERING}.pgn", "-e", "mate", "--jsonl"], folder, out_too=True)
    record = json.loads(shown[shown.index("{") : shown.rindex("}") + 1])
    assert record["white"] == "A" + IN_A_TAG


def on_a_terminal(words: list[str], folder: Path, *, out_too: bool) -> str:
    """What a terminal gets to show; `out_too` if not only messages go there."""
    parent, child = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(helpers.ROOT)}
    with subprocess.Popen(
        [sys.executable, "-m", "cqlgui", *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=child if out_too else subprocess.DEVNULL,
        stderr=child,
    ):
        os.close(child)
        parts = []
        try:
            while part := os.read(parent, 1 << 16):
                parts.append(part)
        except OSError:
            # So Linux tells the end of a terminal.
            pass
        os.close(parent)
    return b"".join(parts).decode("utf-8")


def test_a_file_gets_the_exact_text_and_messages_are_harmless_all_the_same(folder: Path) -> None:
    done = helpers.cli("search", folder / f"a{STEERING}.pgn", "-e", "mate", "--csv")
    (row,) = csv.DictReader(io.StringIO(done.out))
    assert row["white"] == "A" + IN_A_TAG
    assert FORBIDDEN & set(done.err) == set()
    done = helpers.cli("search", folder / f"none{STEERING}.pgn", "-e", "mate", "--csv")
    assert "\\u001b[2J" in done.err
    assert FORBIDDEN & set(done.err) == set()


def test_letters_of_all_scripts_and_their_blanks_are_shown_as_they_are(tmp_path: Path) -> None:
    name = "Ñandú\u00a0Петросян\u3000羽生\u2009שלום"
    source = tmp_path / "a.pgn"
    source.write_text(MATE.replace('"B"', f'"{name}"'), encoding="utf-8")
    assert name in on_a_terminal(["search", str(source), "-e", "mate"], tmp_path, out_too=True)


@pytest.mark.parametrize("form", [[], ["--json"], ["--jsonl"], ["--csv"], ["--count"]])
@pytest.mark.parametrize("closed", [1, 2])
def test_a_search_works_with_a_closed_stream(closed: int, form: list[str], folder: Path) -> None:
    words = [sys.executable, "-m", "cqlgui", "search", str(folder / "a.pgn"), "-e", "mate", *form]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *words],
        cwd=helpers.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    shown, hidden = (done.stderr, done.stdout) if closed == 1 else (done.stdout, done.stderr)
    assert shown
    assert not hidden
    assert "Traceback" not in shown


def test_a_server_does_not_wait_for_answers_that_nobody_awaits() -> None:
    program = (
        "import sys, threading, time\n"
        "from cqlgui.cli import terminal\n"
        "threading.Thread(target=time.sleep, args=(100,)).start()\n"
        "sys.exit(terminal.leave(7, lambda: print('closed', flush=True)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(helpers.ROOT)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "closed\n", "")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_stays_away_while_a_thread_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(terminal, "_REPORT_SECONDS", -1.0)
    bar = terminal.Bar()
    bar(progress.Progress(1, 2, "first"))
    with bar.away():
        before = stream.getvalue()
        assert before.endswith("\r\x1b[K")
        bar(progress.Progress(2, 2, "second"))
        assert stream.getvalue() == before
    bar(progress.Progress(2, 2, "third"))
    drawn = stream.getvalue()
    assert "first" in drawn
    assert "second" not in drawn
    assert drawn.endswith("third")
    bar.end()
    bar.end()
    assert stream.getvalue() == drawn + "\r\x1b[K"


class _ClosedTerminal(_Terminal):
    def write(self, text: str) -> int:
        raise OSError(5, "Input/output error")


def test_a_command_continues_without_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", _ClosedTerminal())
    monkeypatch.setattr(terminal, "_REPORT_SECONDS", -1.0)
    bar = terminal.Bar()
    bar(progress.Progress(1, 2, "first"))
    with bar.away():
        pass
    bar(progress.Progress(2, 2, "second"))
    bar.end()
