"""Assistants ask over standard input and output, with the client of the package mcp."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cqlgui
from cqlgui.mcp_server import answers
from tests import helpers

mcp = pytest.importorskip("mcp", reason="the package mcp is not installed (extra `mcp`)")
anyio = pytest.importorskip("anyio", reason="the package anyio is not installed (extra `mcp`)")

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
QUERY = "flipcolor flipvertical {Bh7 kg8 check}"
FEN = "8/8/8/8/8/8/k7/2K5 w - - 0 1"
ENDLESS = "x=0 while (x<1000000000) x+=1"
"""A query that would take minutes at one position."""
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
Ask = Callable[..., Awaitable[tuple[bool, Any]]]


@contextlib.asynccontextmanager
async def connected(home: Path, *files: Path, seconds: str = "30") -> AsyncIterator[tuple[Any, Ask]]:
    """A client, and a function that calls a tool: whether it failed, and its answer (a sentence for a
    failure)."""
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "cqlgui", "mcp", "--seconds", seconds, *map(str, files)],
        env={"CQLGUI_HOME": str(home), "PYTHONPATH": str(helpers.ROOT)},
        cwd=home,
    )
    with (home / "messages").open("w") as messages:
        async with mcp.Client(mcp.stdio_client(server, errlog=messages)) as client:

            async def ask(tool: str, **arguments: Any) -> tuple[bool, Any]:
                answer = await client.call_tool(tool, arguments)
                (content,) = answer.content
                return answer.is_error, content.text if answer.is_error else json.loads(content.text)

            yield client, ask
    said = (home / "messages").read_text()
    assert helpers.TRACEBACK not in said
    assert "Warning" not in said


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One set of user folders for the module, so that the games are read once."""
    return tmp_path_factory.mktemp("home")


def test_assistants_get_answers(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several things that an assistant may do. They share a server, because a server starts slowly."""
    # The library, which is asked the same, uses the index and the compiled code of the server.
    monkeypatch.setenv("CQLGUI_HOME", str(home))

    async def talk() -> None:
        async with connected(home, SAMPLE, seconds="1000") as (client, ask):
            await each_tool_answers_as_the_library_does(client, ask)
            await what_is_wrong_is_told_in_words(ask)
            await long_answers_are_cut_and_say_so(ask)
            await games_that_cannot_be_searched_are_told(ask)
            await a_cancelled_search_ends(ask)

    anyio.run(talk)
    assert not list(home.glob("*.cqo"))


async def each_tool_answers_as_the_library_does(client: Any, ask: Ask) -> None:
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == {"bases", "check", "explain", "search", "orbit", "help"}
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)

    assert await ask("bases") == (
        False,
        {"games": 500, "positions": 42460, "files": [{"file": "sample.pgn"}]},
    )

    failed, answer = await ask("check", query="flip Ra9")
    (problem,) = answer["problems"]
    assert (failed, answer["sound"]) == (False, False)
    assert (problem["code"], problem["line"], problem["column"]) == ("undeclared-name", 1, 6)

    failed, answer = await ask("explain", query="K attacks k or Kc1", fen=FEN)
    assert (failed, answer["matches"]) == (False, True)
    assert [part["matches"] for part in answer["explanation"]["parts"]] == [False, True]

    failed, answer = await ask("orbit", query="flipvertical Ra1")
    assert [element["query"] for element in answer["orbits"][0]["elements"]] == ["Ra1", "Rh1"]

    failed, answer = await ask("help", keyword="flipcolor")
    assert (answer["name"], answer["kind"]) == ("flipcolor", "transform")
    assert "flipcolor" in (await ask("help"))[1]["keywords"]["transform"]

    failed, answer = await ask("search", query=QUERY, games="year:-1990", limit=200)
    found = cqlgui.open(SAMPLE).search(QUERY, "year:-1990")
    assert (answer["games"], answer["positions"]) == (len(found.games), len(found))
    assert [row["fen"] for row in answer["rows"]] == [hit.fen for hit in found]
    assert "cut" not in answer
    assert {row["file"] for row in answer["rows"]} == {"sample.pgn"}


async def what_is_wrong_is_told_in_words(ask: Ask) -> None:
    for tool, arguments, words in [
        ("search", {"query": "mat"}, "did you mean `mate`"),
        ("orbit", {"query": "flip {"}, "error"),
        ("search", {"query": "mate", "games": "colour:red"}, "no field colour"),
        ("explain", {"query": "mate", "fen": "nonsense"}, "not a position"),
        ("help", {"keyword": "flipcolour"}, "Did you mean flipcolor"),
        ("search", {"query": 'readfile "a.pgn"'}, "file-access"),
        ("search", {"query": 'writefile("a.cqo" "x")'}, "file-access"),
        ("search", {"query": 'similarposition "a.pgn"'}, "file-access"),
        ("explain", {"query": 'readfile "a.cqo"', "fen": FEN}, "no folder was allowed"),
        ("search", {"query": "mate " * answers.LONGEST_QUERY}, "at most 20,000 characters"),
        ("search", {"query": "mate", "limit": "many"}, "valid integer"),
        ("search", {"query": "mate", "limit": -1}, "from 0 to 200, and not -1"),
        ("search", {}, "query"),
        (
            "search",
            {"query": "mate", "game": "elo>2900"},
            "no argument 'game'. Its arguments: query, games, limit.",
        ),
        ("bases", {"x" * 200: 1}, "Its arguments: none."),
        ("import", {"files": ["/etc/passwd"]}, "Unknown tool"),
    ]:
        failed, told = await ask(tool, **arguments)
        assert failed
        assert words in told
    assert (await ask("search", query="mate", limit=1))[0] is False


async def long_answers_are_cut_and_say_so(ask: Ask) -> None:
    _, answer = await ask("search", query="check")
    assert len(answer["rows"]) == 20
    assert answer["cut"] == f"Only the first 20 of {answer['positions']:,} are listed."
    _, answer = await ask("search", query="check", limit=0)
    assert (answer["rows"], answer["positions"] > 0) == ([], True)
    _, answer = await ask("search", query="check", limit=1_000_000)
    assert len(answer["rows"]) == answers.MOST_ROWS < answer["positions"]
    # Each row has a comment of the longest kind.
    _, answer = await ask("search", query=f'check comment("{"x" * 10_000}")', limit=200)
    assert 0 < len(answer["rows"]) < 200
    assert len(json.dumps(answer)) < 1.1 * answers.MOST_CHARACTERS
    _, answer = await ask("explain", query="K " * 5_000, fen=FEN)
    assert "left out" in answer["cut"]
    assert len(json.dumps(answer)) < 1.1 * answers.MOST_CHARACTERS


def test_what_takes_too_long_is_stopped(home: Path) -> None:
    async def talk() -> None:
        async with connected(home, SAMPLE, seconds="0.5") as (_, ask):
            failed, answer = await ask("search", query=ENDLESS)
            assert not failed
            assert "longer than 0.5 seconds" in answer["stopped"]
            failed, told = await ask("explain", query=ENDLESS, fen=FEN)
            assert failed
            assert "longer than 0.5 seconds" in told

    anyio.run(talk)


async def games_that_cannot_be_searched_are_told(ask: Ask) -> None:
    poison = "initial {{gamenumber < 8 x=2 while(x>0){x=x*1000000}} or true}"
    failed, answer = await ask("search", query=poison, limit=0)
    assert (failed, answer["games"], answer["failed_games"]) == (False, 493, 7)
    assert [one["game"] for one in answer["failures"]] == [1, 2, 3, 4, 5]
    assert all(one["reason"] for one in answer["failures"])
    assert "failed_games" not in (await ask("search", query="mate", limit=0))[1]


async def a_cancelled_search_ends(ask: Ask) -> None:
    for _ in range(3):
        with anyio.move_on_after(0.3) as scope:
            await ask("search", query=ENDLESS)
        assert scope.cancelled_caught
    # Only two calls run at the same time, so a search that goes on would let this one wait.
    with anyio.fail_after(60):
        failed, answer = await ask("search", query="mate")
    assert (failed, answer["games"] > 0) == (False, True)


def started(home: Path, path: Path = SAMPLE) -> subprocess.Popen[bytes]:
    """A server whose streams are pipes."""
    return subprocess.Popen(
        [sys.executable, "-m", "cqlgui", "mcp", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "CQLGUI_HOME": str(home), "PYTHONPATH": str(helpers.ROOT)},
    )


def test_garbage_is_passed_over_and_the_end_of_input_ends_the_server(home: Path) -> None:
    lines = [
        b"garbage",
        b"\xff\xfe\x00",
        b'{"jsonrpc": "2.0"',
        b"[]",
        b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "\\ud800"}}',
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode(),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode(),
        b"{}",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "nonsense"}).encode(),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "bases"}}).encode(),
    ]
    with started(home) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"\n".join(lines) + b"\n")
        server.stdin.flush()
        told = {}
        while 3 not in told:
            answer = json.loads(server.stdout.readline())
            told[answer.get("id")] = answer
        out, err = server.communicate(timeout=30)
    assert told[1]["result"]["serverInfo"]["name"] == "cqlgui"
    assert "error" in told[2]
    assert json.loads(told[3]["result"]["content"][0]["text"])["games"] == 500
    assert (server.returncode, out) == (0, b"")
    assert helpers.TRACEBACK not in err.decode()


def test_a_search_ends_with_the_input(home: Path) -> None:
    call = {"name": "search", "arguments": {"query": ENDLESS}}
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    done = helpers.cli(
        "mcp",
        SAMPLE,
        "--seconds",
        "1000",
        home=home,
        stdin="".join(f"{json.dumps(one)}\n" for one in asked),
        timeout=60,
    )
    assert done.code == 0
    assert helpers.TRACEBACK not in done.err


def test_an_assistant_that_is_killed_ends_the_server_quietly(home: Path) -> None:
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    call = {"name": "search", "arguments": {"query": "check", "limit": 200}}
    lines += [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call} for n in range(2, 12)]
    with started(home) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        server.stdin.flush()
        server.stdout.readline()
        server.stdout.close()
        server.stdin.close()
        told = server.stderr.read().decode()
        assert server.wait(60) == 0
    assert told.count("\n") == 1


@pytest.mark.skipif(not hasattr(select, "poll"), reason="the system does not tell whether a pipe is read")
def test_the_server_ends_although_nobody_reads_its_answers(home: Path) -> None:
    call = {"name": "search", "arguments": {"query": "check", "limit": 200}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": call} for n in range(2, 12)),
    ]
    with started(home) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            server.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
            server.stdin.flush()
            server.stdout.readline()
            # The first answer of a search is on its way, which is more than a pipe holds.
            server.stdout.read(1)
            server.stdin.close()
            assert server.wait(60) == 0
        finally:
            server.kill()


@pytest.mark.skipif(not hasattr(select, "poll"), reason="the system does not tell whether a pipe is read")
def test_an_import_ends_when_the_assistant_goes(tmp_path: Path) -> None:
    many = tmp_path / "many.pgn"
    many.write_bytes(SAMPLE.read_bytes() * 1000)
    with started(tmp_path, many) as server:
        try:
            assert server.stdin is not None
            assert server.stdout is not None
            assert server.stderr is not None
            server.stdin.close()
            server.stdout.close()
            told = server.stderr.read().decode()
            assert server.wait(60) == 130
        finally:
            server.kill()
    assert "Stopped while indexing" in told
    assert helpers.TRACEBACK not in told


def test_rows_that_take_too_long_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        def rows(self, cancel: cqlgui.CancelToken) -> Iterator[dict[str, Any]]:
            yield {"file": "a/b.pgn", "game": 1, "value": None}
            while not cancel.cancelled:
                time.sleep(0.01)
            raise cqlgui.Cancelled

    monkeypatch.setattr(answers, "ROWS_SECONDS", 0.1)
    slow: Any = Slow()
    assert answers._rows(slow, 5) == ([{"file": "b.pgn", "game": 1}], True)
    assert answers._rows(slow, 1) == ([{"file": "b.pgn", "game": 1}], False)


def test_the_package_that_is_missing_is_named() -> None:
    program = f"""
import sys
sys.modules["mcp"] = None
from cqlgui import __main__
sys.exit(__main__.main(["mcp", {str(SAMPLE)!r}]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=helpers.ROOT
    )
    assert done.returncode == 2
    assert "pip install 'cqlgui[mcp]'" in done.stderr
    assert helpers.TRACEBACK not in done.stderr


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    done = helpers.cli("mcp", tmp_path / "none.pgn")
    assert (done.code, done.out) == (2, "")
    assert "none.pgn" in done.err
