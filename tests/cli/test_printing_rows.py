"""Rows are printed by a thread while the search goes on."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import threading
import time
from typing import Any

import pytest

from cqlgui.base import progress
from cqlgui.cli import run, terminal
from cqlgui.cli.searching import rows, saying
from cqlgui.tasks.results import base_model, hit_model
from cqlgui.tasks.search import searching
from tests import helpers

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"


class Full(io.StringIO):
    """A stdout without room."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def printed(stream: io.StringIO, *words: str) -> tuple[int, str]:
    """The exit code and the messages of a search."""
    said = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(said):
        code = run.main(["search", str(SAMPLE), *words])
    return code, said.getvalue()


@pytest.mark.parametrize("form", ["--jsonl", "--csv"])
def test_a_fault_in_printing_ends_the_search(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = searching.search
    ended: list[bool] = []

    def slow(*arguments: Any, on_hits: Any, cancel: progress.CancelToken, **options: Any) -> Any:
        """A search that finds all hits at once, and then searches until it is cancelled."""
        found = real(*arguments, cancel=cancel, **options)
        on_hits(found.games)
        until = time.monotonic() + 20
        while not cancel.cancelled and time.monotonic() < until:
            time.sleep(0.01)
        ended.append(cancel.cancelled)
        return found

    monkeypatch.setattr(searching, "search", slow)
    # The head of a table is printed before the search.
    monkeypatch.setattr(rows.Rows, "begin", lambda _: None)
    code, said = printed(Full(), "-e", "mate", form)
    assert ended == [True]
    assert (code, said) == (2, "cqlgui: The standard output cannot be written: No space left on device.\n")


def test_no_row_is_printed_within_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = terminal.Bar()
    options = argparse.Namespace(spans=False, group=None, jsonl=True, csv=False)
    shown = rows.Rows(
        options, base_model.Base(1, "b", (), 0, 0, True), (), False, None, progress.CancelToken(), bar
    )
    thread = threading.Thread(target=shown._put, args=(iter([b"{}\n"]),))
    done: list[str] = []

    def put(lines: bytes, cancel: progress.CancelToken) -> bool:
        done.append("row")
        return True

    def say(text: str) -> None:
        """Print a message, and take a long time to do so."""
        thread.start()
        thread.join(0.3)
        done.append(text)

    monkeypatch.setattr(terminal, "put_lines", put)
    monkeypatch.setattr(terminal, "say", say)
    saying.messages(bar, [hit_model.QueryMessage(1, "message")])
    thread.join(10)
    assert done == ["message", "row"]


def test_messages_and_rows_are_complete() -> None:
    stream = io.StringIO()
    code, messages = printed(stream, "-e", "cql(gamenumber 1 60) check message(gamenumber)", "--jsonl")
    printed_rows = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert code == 0
    assert len(printed_rows) > 20
    assert messages.count("Game: ") == len(printed_rows)


@pytest.mark.parametrize("is_bytes", [False, True])
def test_pieces_end_with_lines(is_bytes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cut in a line or in a sign of several bytes would be a fault of another program or of Python."""
    lines = [f'{{"n":{n},"text":"{"éa♜"[n % 3] * (n * 7919 % 9000)}"}}\n' for n in range(200)]
    text = "".join(lines)
    raw, pieces = io.BytesIO(), []
    stream = io.TextIOWrapper(raw, "utf-8", newline="")
    results = terminal._Results(stream) if is_bytes else io.StringIO(newline="")
    name = "write_utf8" if is_bytes else "write"
    real = getattr(results, name)

    def write(some: memoryview | str) -> object:
        pieces.append(bytes(some).decode() if is_bytes else some)
        return real(some)

    monkeypatch.setattr(results, name, write)
    monkeypatch.setattr(terminal.sys, "stdout", results)
    assert terminal.put_lines(text.encode(), progress.CancelToken())
    stream.flush()
    assert (raw.getvalue().decode() if is_bytes else results.getvalue()) == text
    assert len(pieces) > 3
    assert all(piece.endswith("\n") for piece in pieces)
    assert len(pieces[0].encode()) >= terminal._PRINTED
    cancelled = progress.CancelToken()
    cancelled.cancel()
    assert not terminal.put_lines(text.encode(), cancelled)
