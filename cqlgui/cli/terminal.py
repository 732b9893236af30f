"""What subcommands share with the terminal: exit codes, messages, a progress bar, Ctrl+C, UTF-8 output."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from cqlgui.base import progress

if TYPE_CHECKING:
    from cqlgui.cql import diagnostics
    from cqlgui.tasks import queries

OK = 0
REJECTED = 1
USAGE = 2
INTERNAL = 70
CANCELLED = 130

_BAR = 30
_REPORT_SECONDS = 0.1


def say(text: str) -> None:
    """A message on stderr; names of files and parts of queries in it do not steer the terminal."""
    print("\n".join(map(printable, text.split("\n"))), file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """A stranger's text for the terminal: control characters are shown, not obeyed."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)


def put(value: Any) -> None:
    """One JSON value on a line of stdout."""
    print(json.dumps(value, ensure_ascii=False, separators=(",", ":")), flush=True)


class Items:
    """A list of which the items come as JSON, some with each piece: too many to be kept as objects."""

    def __init__(self, pieces: Iterator[str]) -> None:
        first = next(pieces, None)
        self.empty = first is None
        self.pieces = iter(()) if first is None else itertools.chain([first], pieces)

    def __bool__(self) -> bool:
        return not self.empty


def put_object(fields: dict[str, Any]) -> None:
    """One JSON object on a line of stdout; a field may be `Items`."""
    lead = "{"
    for name, value in fields.items():
        sys.stdout.write(f"{lead}{json.dumps(name)}:")
        lead = ","
        if isinstance(value, Items):
            between = "["
            for piece in value.pieces:
                sys.stdout.write(between + piece)
                between = ","
            sys.stdout.write("[]" if between == "[" else "]")
        else:
            sys.stdout.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    print("}" if fields else "{}", flush=True)


def prepare() -> None:
    """Make both outputs UTF-8, whatever the locale says; what cannot be written is replaced, not an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


class Bar:
    """A progress bar on stderr, drawn only on a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._last = 0.0
        self._started = time.monotonic()
        self._drawn = False
        self._lock = threading.Lock()

    def __call__(self, report: progress.Progress) -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < _REPORT_SECONDS:
            return
        with self._lock:
            self._last = now
            self._drawn = True
            rate = report.done / max(now - self._started, 0.001)
            if report.total:
                filled = min(_BAR, _BAR * report.done // report.total)
                left = max(0.0, (report.total - report.done) / rate) if rate else 0.0
                line = f"[{'#' * filled}{'.' * (_BAR - filled)}] {left:4.0f} s left  {report.words}"
            else:
                line = f"{report.done}  {report.words}"
            sys.stderr.write("\r\x1b[K" + line[:100])
            sys.stderr.flush()

    def end(self) -> None:
        """Wipe the bar away."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False


@contextlib.contextmanager
def interruptible() -> Iterator[progress.CancelToken]:
    """A token that Ctrl+C sets; a second Ctrl+C ends the program at once."""
    token = progress.CancelToken()
    if threading.current_thread() is not threading.main_thread():
        yield token
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        if token.cancelled:
            os._exit(CANCELLED)
        token.cancel()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, before)


def error_object(text: str, finding: diagnostics.Diagnostic) -> dict[str, Any]:
    """A diagnostic as the contract's error object."""
    from cqlgui.cql import diagnostics

    line, column = diagnostics.line_and_column(text, finding.span.offset)
    return {
        "offset": finding.span.offset,
        "length": finding.span.length,
        "line": line,
        "column": column,
        "code": finding.code,
        "message": finding.message,
        "hint": finding.hint,
    }


def reject(rejected: queries.Rejected, name: str, *, as_json: bool) -> int:
    """Tell why a query was refused: all errors on stderr; with JSON the first also on stdout."""
    from cqlgui.cql import diagnostics

    for finding in rejected.diagnostics:
        say(diagnostics.render(rejected.text, finding, name))
    if as_json:
        put({"error": error_object(rejected.text, rejected.diagnostics[0])})
    return REJECTED


def query_text(expression: str | None, file: Path | None) -> tuple[str, str]:
    """The query's text and the name to put before its errors."""
    if expression is not None:
        return expression, "query"
    # The language takes a while to load, and much of what a terminal is told is not about it.
    from cqlgui.tasks import queries

    assert file is not None
    if str(file) == "-":
        return sys.stdin.buffer.read(4 * queries.LONGEST_QUERY).decode("utf-8-sig", "replace"), "stdin"
    return queries.read_query_file(file), str(file)
