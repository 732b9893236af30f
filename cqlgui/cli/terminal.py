"""What all subcommands share: exit codes, messages, a progress bar, Ctrl+C, UTF-8 output."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO, cast

from cqlgui.base import errors, progress, visible
from cqlgui.base.files import disk

if TYPE_CHECKING:
    from cqlgui.cql.source import diagnostics
    from cqlgui.tasks.asking import queries

OK = 0
REJECTED = 1
USAGE = 2
INTERNAL = 70
CANCELLED = 130

_BAR = 30
_REPORT_SECONDS = 0.1
_PATIENCE_SECONDS: Final = 0.2
"""A thread that is about to end has this time."""


def say(text: str) -> None:
    """Print a message on stderr."""
    print(text, file=sys.stderr, flush=True)


def row(text: str) -> None:
    """Print one line on stdout for a person to read. Line breaks in `text` are escaped, because `text` may
    contain names from a file."""
    print(one_line(text))


def one_line(text: str) -> str:
    """The text with line breaks and control characters escaped."""
    return visible.visible(text, kept="")


def put(value: Any) -> None:
    """Print a JSON value on one line of stdout."""
    print(json.dumps(value, ensure_ascii=False, separators=(",", ":")), flush=True)


class Items:
    """A JSON list that is written in pieces, because it has too many items to keep as objects. Each piece is
    the JSON text of some items, separated by commas."""

    def __init__(self, pieces: Iterator[str]) -> None:
        first = next(pieces, None)
        self.empty = first is None
        self.pieces = iter(()) if first is None else itertools.chain([first], pieces)

    def __bool__(self) -> bool:
        return not self.empty


def put_lines(lines: bytes | memoryview, cancel: progress.CancelToken) -> bool:
    """Print whole lines in UTF-8 on stdout until `cancel` is cancelled. Returns whether all lines were
    printed. A reader of stdout may be slow, so the lines are printed some at a time."""
    begin, whole = 0, memoryview(lines)
    while begin < len(whole):
        if cancel.cancelled:
            return False
        end = _line_end(whole, begin + _PRINTED)
        some = whole[begin:end]
        if isinstance(sys.stdout, _Results):
            sys.stdout.write_utf8(some)
        else:
            sys.stdout.write(str(some, "utf-8"))
        begin = end
    return True


def _line_end(lines: memoryview, at: int) -> int:
    """The end of the line that has the byte `at`."""
    while at < len(lines):
        found = bytes(lines[at : at + _LOOKED]).find(b"\n")
        if found >= 0:
            return at + found + 1
        at += _LOOKED
    return len(lines)


_LOOKED: Final = 1 << 12
"""Number of bytes in which a line end is looked for at once."""
_PRINTED: Final = 1 << 18
"""The least number of bytes that `put_lines` prints at once. Each call gives up the interpreter lock and has
to wait for it again, so smaller pieces take longer. Larger ones do not stay in the processor's cache."""


def put_object(fields: dict[str, Any]) -> None:
    """Print a JSON object on one line of stdout; a field may be `Items`."""
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


class _Harmless:
    """A stream that escapes terminal control characters in all text: messages, the output of argparse,
    tracebacks."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write the text with control characters escaped."""
        return self.stream.write(visible.visible(text))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write the lines, one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class OutputError(OSError):
    """An error of the system in writing to stdout. A pipe that its reader has closed is no such error."""


class _Results:
    """The stream of results. An error in writing is raised as `OutputError`, so that the message can say that
    it was stdout. Errors of other files are raised without this class. Each flush raises the error again,
    because argparse ignores errors in writing."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._fault: OutputError | None = None

    def write(self, text: str) -> int:
        """Write the text."""
        try:
            return self.stream.write(text)
        except BrokenPipeError:
            raise
        except OSError as fault:
            raise self._named(fault) from fault

    def writelines(self, lines: Iterable[str]) -> None:
        """Write the lines, one after the other."""
        for line in lines:
            self.write(line)

    def write_utf8(self, text: memoryview) -> None:
        """Write a text in UTF-8. Large results are bytes already, and a file or pipe gets them as they
        are."""
        if isinstance(self.stream, _Harmless) or not hasattr(self.stream, "buffer"):
            self.write(str(text, "utf-8"))
            return
        self.flush()
        try:
            self.stream.buffer.write(text)
        except BrokenPipeError:
            raise
        except OSError as fault:
            raise self._named(fault) from fault

    def flush(self) -> None:
        """Write buffered text."""
        try:
            self.stream.flush()
        except BrokenPipeError:
            raise
        except OSError as fault:
            raise self._named(fault) from fault
        if self._fault is not None:
            raise self._fault

    def _named(self, fault: OSError) -> OutputError:
        """The error for an error in writing."""
        self._fault = OutputError(fault.errno, fault.strerror or str(fault))
        return self._fault

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Messages(_Harmless):
    """The stream of messages to the user. Errors in writing messages are ignored, so that the command
    continues."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Write buffered text, and ignore errors."""
        with contextlib.suppress(OSError):
            self.stream.flush()


@contextlib.contextmanager
def outputs() -> Iterator[None]:
    """Within this context, stdout and stderr are UTF-8 in any locale; characters that cannot be encoded are
    replaced by escapes.

    Control characters are escaped on stderr, and on stdout if stdout is a terminal. A file or pipe gets the
    results unchanged. Output to a closed stream is discarded. An error in writing to stdout is `OutputError`.
    """
    before = sys.stdout, sys.stderr
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    if sys.stdout.isatty():
        sys.stdout = cast("TextIO", _Harmless(sys.stdout))
    sys.stdout = cast("TextIO", _Results(sys.stdout))
    sys.stderr = cast("TextIO", _Messages(sys.stderr))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        with contextlib.suppress(OSError, ValueError):
            _leave_messages()


def _leave_messages() -> None:
    """Discard messages that stderr has buffered and cannot write. Python would try again at exit, and end
    with another exit code."""
    if sys.stderr is not None:
        try:
            sys.stderr.flush()
        except OSError:
            send_nowhere(sys.stderr)


def send_nowhere(stream: TextIO) -> None:
    """Send what a stream has buffered and what follows to the null device. Raises `OSError`."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)


def _nowhere() -> TextIO:
    # The stream stays open until the program ends, so that no other file gets the descriptor of a standard
    # stream.
    return io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")


class Bar:
    """A progress bar on stderr, drawn only on a terminal."""

    def __init__(self) -> None:
        # The bar writes to the raw stream, because `_Harmless` would escape the control characters that move
        # the cursor.
        self._stream: TextIO = getattr(sys.stderr, "stream", sys.stderr)
        self._shown = self._stream.isatty()
        self._last = 0.0
        self._started = time.monotonic()
        self._drawn = False
        self._lock = threading.Lock()

    def __call__(self, report: progress.Progress) -> None:
        now = time.monotonic()
        if not self._shown or now - self._last < _REPORT_SECONDS:
            return
        # The bar is not drawn while another thread prints.
        if not self._lock.acquire(blocking=False):
            return
        try:
            self._last = now
            self._drawn = True
            rate = report.done / max(now - self._started, 0.001)
            if report.total:
                filled = min(_BAR, _BAR * report.done // report.total)
                left = max(0.0, (report.total - report.done) / rate) if rate else 0.0
                line = f"[{'#' * filled}{'.' * (_BAR - filled)}] {left:4.0f} s left  {report.words}"
            else:
                line = f"{report.done}  {report.words}"
            self._write("\r\x1b[K" + one_line(line[:100])[:100])
        finally:
            self._lock.release()

    def end(self) -> None:
        """Erase the bar."""
        with self.away():
            pass

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Erase the bar. It is not drawn within this context."""
        with self._lock:
            if self._drawn:
                self._write("\r\x1b[K")
                self._drawn = False
            yield

    def _write(self, text: str) -> None:
        # The command continues without its bar, as it does without its messages (`_Messages`).
        with contextlib.suppress(OSError):
            self._stream.write(text)
            self._stream.flush()


def leave(code: int, close: Callable[[], None]) -> int:
    """Return the exit code of a server. If threads still work on answers that nobody awaits, end the process
    at once instead, because Python would wait for them. `close` releases what the process uses."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(_PATIENCE_SECONDS)
            if thread.is_alive():
                end(code, close)
    return code


def end(code: int, close: Callable[[], None]) -> NoReturn:
    """End the process at once, whatever its threads do. `close` releases what the process uses."""
    close()
    disk.discard_unfinished()
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
    os._exit(code)


@contextlib.contextmanager
def interruptible() -> Iterator[progress.CancelToken]:
    """A token that Ctrl+C cancels; a second Ctrl+C ends the program at once."""
    token = progress.CancelToken()
    if threading.current_thread() is not threading.main_thread():
        yield token
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        if token.cancelled:
            disk.discard_unfinished()
            os._exit(CANCELLED)
        token.cancel()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, before)


def refuse_existing(output: Path | None, *, overwrite: bool, read: Iterable[Path] = ()) -> None:
    """Raise `CqlguiError` if a file that a command is to write exists, unless the user wants to replace it
    (`--overwrite`), or if its folder is missing. Call this before the work begins, so that nobody waits in
    vain. Files that the command reads (`read`) are never replaced; another message says so."""
    if output is None:
        return
    if not disk.is_folder(output.parent):
        raise errors.CqlguiError(f"{output} cannot be written: there is no folder {output.parent}.")
    if overwrite or not disk.stands(output):
        return
    if not any(disk.is_same(output, one) for one in read):
        raise errors.CqlguiError(f"{output} exists. Add --overwrite to replace it.")


def error_object(text: str, finding: diagnostics.Diagnostic) -> dict[str, Any]:
    """A diagnostic as the JSON error object."""
    from cqlgui.cql.source import diagnostics

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
    """Print all errors of a rejected query on stderr. With `as_json`, also print the first error on stdout.
    Returns the exit code."""
    from cqlgui.cql.source import diagnostics

    for finding in rejected.diagnostics:
        say(diagnostics.render(rejected.text, finding, name))
    if as_json:
        put({"error": error_object(rejected.text, rejected.diagnostics[0])})
    return REJECTED


def valid_text(words: str, name: str) -> str:
    """Return a command-line argument; raises `CqlguiError` if its bytes are not valid UTF-8."""
    try:
        words.encode("utf-8")
    except UnicodeEncodeError as fault:
        raise errors.CqlguiError(
            f"{name} is not valid text (UTF-8) at character {fault.start + 1}."
        ) from fault
    return words


def query_text(expression: str | None, file: Path | None) -> tuple[str, str]:
    """The query's text, and the name to print before each error of the query."""
    if expression is not None:
        return valid_text(expression, "The query"), "query"
    # The module `queries` is imported here, because the import loads all modules of the language. The import
    # takes a while, and many commands do not need these modules.
    from cqlgui.tasks.asking import queries

    assert file is not None
    if str(file) == "-":
        if sys.stdin is None:
            raise errors.CqlguiError("The query cannot be read: there is no standard input.")
        return sys.stdin.buffer.read(4 * queries.LONGEST_QUERY).decode("utf-8-sig", "replace"), "stdin"
    return queries.read_query_file(file), str(file)
