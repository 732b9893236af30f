"""The other end of `pool`: a process that reads PGN games and runs queries over slices of an indexed source.

Requests come on stdin and answers go to stdout, in the format of `frames`. Text that is printed by accident
goes to stderr, and the parent logs this text. `{"op": "stop", "id": n}` drops request n, even in the midst of
a game: the listening thread interrupts the working thread. The process ends as soon as its stdin ends, even
in the midst of a request. A worker therefore never outlives its parent.
"""

from __future__ import annotations

import _thread
import base64
import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from cqlgui.base import errors
from cqlgui.board import tree
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import memory, settings
from cqlgui.cql.transforming import transforms
from cqlgui.db import catalog
from cqlgui.pgn import reader
from cqlgui.store import index
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import files, hosts
from cqlgui.tasks.processes import frames
from cqlgui.tasks.results import truth_codec

if sys.platform != "win32":
    import resource

_GAME_SECONDS = 100
_LEAST_SECONDS = 2
_PROGRAMS_KEPT = 8
_MOST_REMEMBERED = 100_000_000
"""Maximum number of characters that a query may keep from game to game."""
_RECURSION = 20_000
_MEMORY = 4 << 30
"""Maximum size in bytes of the process's data, on systems that enforce this limit."""


def main() -> None:
    """Answer requests until stdin ends."""
    # The interpreter's recursion is as deep as the nesting of the query. The checker limits the nesting.
    sys.setrecursionlimit(_RECURSION)
    _limit_memory()
    service = Service()
    # The listening thread interrupts unwanted work. All other interrupts are ignored, because the parent
    # handles the interrupts of the terminal.
    signal.signal(signal.SIGINT, service.interrupted)
    channel = _private_stdout()
    requests: queue.SimpleQueue[frames.Envelope] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests, service), daemon=True).start()
    frames.write(channel, {"ready": True})
    while True:
        request = requests.get()
        try:
            answer = service.answer(request)
        except errors.CqlguiError as error:
            answer = {"error": str(error), "damaged": isinstance(error, errors.IndexDamaged)}
        frames.write(channel, {**answer, "id": request.get("id")})


class _Stopped(BaseException):
    """Raised in the midst of a request that is not wanted any more."""


class Service:
    """Answers requests, and keeps programs and opened sources from one request to the next."""

    def __init__(self) -> None:
        self._programs: dict[tuple[str, str], tuple[interpreter.Program, bool]] = {}
        self._patient_with: interpreter.Program | None = None
        self._seconds = _GAME_SECONDS
        self._catalogs: dict[Path, catalog.Catalog] = {}
        self._source: hosts.SourceReader | None = None
        # The states of the source, its index and its rows when the source was opened.
        self._state = ("", "")
        self._current = 0
        self._unwanted = 0
        self._working = False
        # Whether the request under way was interrupted in the midst of its work.
        self._torn = False

    def answer(self, request: frames.Envelope) -> frames.Envelope:
        """The reply to one request: `read`, `load`, `search`, `explain`, `explain_fen` or `why`."""
        operations: dict[str, Callable[[frames.Envelope], frames.Envelope]] = {
            "read": self._read,
            "load": self._load,
            "search": self._search,
            "explain": self._explain,
            "explain_fen": self._explain_fen,
            "why": self._why,
        }
        self._current = request["id"]
        try:
            answer = operations[request["op"]](request)
        except BaseException as error:
            if not self._torn and not isinstance(error, _Stopped):
                raise
            answer = {"stopped": True}
        # Only `_torn` reliably tells whether the work was interrupted, because the exception `_Stopped` may
        # be lost. Callbacks of C code swallow exceptions. The standard library may turn `_Stopped` into
        # another exception, and a search would take the other exception for a failed game.
        if self._torn:
            self._torn = False
            self._forget()
            return {"stopped": True}
        return answer

    def _forget(self) -> None:
        """Discard all programs, the source and the catalogs, because the interrupt may have left an object
        half-done. A program may have been compiling a part that was used for the first time. A catalog may
        have been opening its file or reading."""
        self._programs.clear()
        self._patient_with = None
        if self._source is not None:
            self._source.close()
            self._source = None
        while self._catalogs:
            self._catalogs.popitem()[1].close()

    def stop(self, number: int) -> None:
        """Drop request `number`; called from the listening thread."""
        self._unwanted = number
        if self._working:
            _thread.interrupt_main()

    def interrupted(self, _number: int, _frame: FrameType | None) -> None:
        """The handler of interrupts: ends work that is not wanted any more."""
        if self._working and self._unwanted >= self._current:
            self._working = False
            self._torn = True
            raise _Stopped

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """A context for work on one game. The listening thread may interrupt this work. After an interrupt,
        `_forget` is called."""
        self._working = True
        try:
            if self._unwanted >= self._current:
                raise _Stopped
            yield
        finally:
            self._working = False

    def _read(self, request: frames.Envelope) -> frames.Envelope:
        """Read games; each is (text as Latin-1, offset, line, problem of the splitter)."""
        games = []
        for text, *place in request["games"]:
            with self._interruptible():
                games.append(_read_game(text.encode("latin-1"), *place))
        return {"games": games}

    def _search(self, request: frames.Envelope) -> frames.Envelope:
        program, mainline = self._program(request["query"], request["settings"])
        source = self._opened(request)
        hits: list[list[Any]] = []
        failed: list[list[Any]] = []
        messages: list[list[Any]] = []
        stop: list[Any] | None = None
        undone: list[int] = []
        unreadable: list[int] = []
        positions = 0
        before = request.get("memory")
        remembered = None if before is None else memory.unpacked(before)
        allowed = files.Files(
            [Path(folder) for folder in request.get("read", ())],
            [Path(folder) for folder in request.get("write", ())],
            request.get("written"),
            [(Path(name), what) for name, what in request.get("kept", ())],
            Path(request["beside"]) if request.get("beside") else None,
        )
        if program is not self._patient_with:
            self._patient_with, self._seconds = program, _GAME_SECONDS
        listed = request["games"]
        only = request.get("places") or [None] * len(listed)
        for place, (ordinal, places) in enumerate(zip(listed, only, strict=True), 1):
            said: list[str] = []
            limit = time.monotonic() + self._seconds
            try:
                game = tree.GameTree.decode(source.index.start_fen(ordinal), source.index.moves(ordinal))
                positions += game.mainline_length if mainline else len(game)
                host = hosts.GameHost(source, ordinal, allowed, listed[place : place + hosts.AHEAD])
                with self._interruptible():
                    outcome = program.run(game, host, _Deadline(limit), said, remembered, places)
            except interpreter.TooSlow:
                failed.append([ordinal, f"the query took longer than {self._seconds} seconds in this game"])
                # If one game after another is too slow, the query is at fault. The time for a game shrinks,
                # so that the search need not take a day to report the fault.
                self._seconds = max(_LEAST_SECONDS, self._seconds // 2)
                # The slow game is reported at once, because several slow games together would look like a
                # hanging worker.
                undone = request["games"][place:]
                break
            except interpreter.QueryError as error:
                failed.append([ordinal, str(error)])
                if error.stops:
                    span = error.span
                    stop = [ordinal, str(error), *((-1, 0) if span is None else (span.offset, span.length))]
                    break
                continue
            except errors.CqlguiError as error:
                if isinstance(error, errors.IndexDamaged) and request.get("place") is not None:
                    # The part of a published base cannot be made again. It is at fault, and not the game.
                    raise
                if isinstance(error, errors.SourceError) and request.get("place") is None:
                    # The source is at fault, and not the query.
                    unreadable.append(ordinal)
                failed.append([ordinal, str(error)])
                continue
            except MemoryError:
                failed.append([ordinal, "the query needs too much memory in this game"])
                continue
            except RecursionError:
                failed.append([ordinal, "the query nests too deep in this game"])
                continue
            except Exception:
                # Every exception is caught here, so that a bug in the handling of one game costs only that
                # game. The log has the traceback.
                damage = _damage(source, ordinal)
                if not damage:
                    traceback.print_exc()
                    damage = "the program made a mistake in this game; please report it"
                failed.append([ordinal, damage])
                continue
            finally:
                if said:
                    messages.append([ordinal, said])
            self._seconds = _GAME_SECONDS
            if outcome is not None:
                hits.append(
                    [
                        ordinal,
                        [
                            [hit.positionid, hit.value, hit.squares, [list(part) for part in hit.orbit]]
                            for hit in outcome.hits
                        ],
                        [list(entry) for entry in outcome.log],
                        list(outcome.sort_keys),
                        [list(pair) for pair in outcome.tags],
                        list(outcome.removed),
                    ]
                )
        if remembered is not None and remembered.characters > _MOST_REMEMBERED:
            raise errors.CqlguiError("The texts that the query keeps from game to game fill too much memory.")
        return {
            "hits": hits,
            "failed": failed,
            "stop": stop,
            "undone": undone,
            "unreadable": unreadable,
            "messages": messages,
            "positions": positions,
            "memory": None if remembered is None else remembered.packed(),
            "written": allowed.written,
            "match_string": program.match_string,
        }

    def _load(self, request: frames.Envelope) -> frames.Envelope:
        """A game of an indexed source, read from its text. The reply has no moves, because the index has the
        moves."""
        source = self._opened(request)
        with self._interruptible():
            game = source.read(request["games"][0])
        return {
            "tags": game.tags,
            "comments": list(game.comments.items()),
            "before": list(game.before.items()),
            "nags": list(game.nags.items()),
            "playable": game.playable,
        }

    def _explain(self, request: frames.Envelope) -> frames.Envelope:
        """Why a query matches or does not match at a position of a game, in the form of
        `truth_codec.packed`."""
        expanded, game, host = self._asked(request)
        with self._interruptible():
            return {"truth": truth_codec.packed(truth_codec.truth(expanded, game, host, request["position"]))}

    def _explain_fen(self, request: frames.Envelope) -> frames.Envelope:
        """`_explain` for a position without a game."""
        expanded = queries.expanded(request["query"])
        alone = tree.GameTree.decode(request["fen"], ())
        with self._interruptible():
            return {"truth": truth_codec.packed(truth_codec.truth(expanded, alone, hosts.BareHost(), 0))}

    def _why(self, request: frames.Envelope) -> frames.Envelope:
        """The first filter that fails at a position of a game, and the nearest position where the filter
        holds."""
        expanded, game, host = self._asked(request)
        with self._interruptible():
            found = truth_codec.why_not(expanded, game, host, request["position"])
        part = None if found.part is None else truth_codec.packed(found.part)
        return {"part": part, "rest": [found.words, found.transform, found.nearest, found.whole, found.fault]}

    def _asked(self, request: frames.Envelope) -> tuple[transforms.Expanded, tree.GameTree, hosts.GameHost]:
        """The query, the game and the game's host, for a request."""
        source = self._opened(request)
        ordinal = request["games"][0]
        game = tree.GameTree.decode(source.index.start_fen(ordinal), source.index.moves(ordinal))
        expanded = queries.expanded(request["query"], request["variations"])
        return expanded, game, hosts.GameHost(source, ordinal)

    def _program(self, text: str, said: dict[str, Any]) -> tuple[interpreter.Program, bool]:
        """The program of a query, and whether the program looks at main lines only."""
        key = (text, json.dumps(said))
        found = self._programs.pop(key, None)
        if found is None:
            chosen = settings.from_words(said)
            expanded = queries.expanded(text, said=chosen)
            assert expanded.query is not None
            found = interpreter.Program(expanded, chosen), not expanded.query.header.variations
        self._programs[key] = found
        while len(self._programs) > _PROGRAMS_KEPT:
            del self._programs[next(iter(self._programs))]
        return found

    def _opened(self, request: frames.Envelope) -> hosts.SourceReader:
        place = request.get("place")
        folder = Path(request["folder"] if place is None else "/".join(map(str, place)))
        source = self._source
        last = max(request["games"], default=-1)
        state = request["stamp"], request["rows"]
        if source is not None and (
            source.folder != folder
            or source.source != request["source"]
            or source.index.game_count <= last
            or self._state != state
        ):
            source.close()
            source = self._source = None
        if source is None:
            if place is None:
                rows = self._catalog(Path(request["catalog"]), request["source"], request["rows"])
                source = hosts.SourceReader(
                    Path(request["path"]), folder, rows, request["source"], request["digest"]
                )
            else:
                from cqlgui.tasks.databases import published

                source = published.Reader((place[0], place[1]), request["digest"])
            self._source, self._state = source, state
            if source.index.game_count <= last:
                raise errors.IndexDamaged(
                    f"The index of {source.path.name} has fewer games than the catalog."
                )
        return source

    def _catalog(self, path: Path, source: int, state: str) -> catalog.Catalog:
        """The catalog at `path`. If the rows of the source have another state than `state`, the catalog is
        opened again."""
        found = self._catalogs.get(path)
        if found is not None and found.rows(source).state != state:
            # The catalog may have been deleted and made again. An open file does not show this change.
            found.close()
            found = None
        if found is None:
            found = self._catalogs[path] = catalog.Catalog(path, create=False)
        return found


def _damage(source: hosts.SourceReader, game: int) -> str:
    """Why a game of a source could not be evaluated, if its part of the index is damaged; empty otherwise.
    Damage also ends the trust in the index, so that the next start makes this part again."""
    try:
        source.index.part_of(game)[1].verify()
    except errors.IndexDamaged as damage:
        return f"{damage} The next start will make this part again."
    return ""


class _Deadline:
    """A callable that returns True once the time for a game is over."""

    def __init__(self, limit: float) -> None:
        self._limit = limit

    def __call__(self) -> bool:
        return time.monotonic() > self._limit


def _read_game(data: bytes, offset: int, line: int, problem: str) -> list[Any]:
    try:
        game = reader.read_game(data, line, offset, problem)
    except Exception:
        # Every exception is caught here, so that a bug in the handling of one game costs only that game.
        traceback.print_exc()
        reason = "the reader failed on this game"
        return [[], None, "", 1, 0, index.BAD, [[line, offset, reason, "error"]], ""]
    words = game.words
    if sys.byteorder == "big":
        words = words[:]
        words.byteswap()
    flags = (
        index.BAD * game.bad
        | index.CHESS960 * game.chess960
        | index.VARIATIONS * game.has_variations
        | index.PLAYABLE * game.playable
        | index.COMMENTS * bool(game.comments or game.before)
    )
    return [
        [list(pair) for pair in game.tags],
        game.start_fen,
        base64.b64encode(words.tobytes()).decode("ascii"),
        game.positions,
        game.plies,
        flags,
        [[found.line, found.offset, found.reason, found.severity] for found in game.problems],
        game.ending,
    ]


def _listen(stream: BinaryIO, requests: queue.SimpleQueue[frames.Envelope], service: Service) -> None:
    while True:
        request = frames.read(stream)
        if request is None:
            # The parent is gone, so no work is worth finishing.
            os._exit(0)
        if request["op"] == "stop":
            service.stop(request["id"])
        else:
            requests.put(request)


def _limit_memory() -> None:
    """Let an allocation fail before the whole machine runs out of memory.

    The limit counts data and not address space. The mapped index of a large base may take more address space
    than the limit.
    """
    if sys.platform != "win32":
        # The system may refuse the limit, or may already have a lower limit.
        with contextlib.suppress(OSError, ValueError):
            now, most = resource.getrlimit(resource.RLIMIT_DATA)
            limit = _MEMORY if now == resource.RLIM_INFINITY else min(now, _MEMORY)
            resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def _private_stdout() -> BinaryIO:
    """The channel to the parent; file descriptor 1 becomes stderr, so that a stray `print` cannot corrupt a
    message.
    """
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return channel
