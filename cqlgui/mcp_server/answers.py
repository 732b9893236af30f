"""The answers to assistants as plain data, each of bounded size.

The functions here know nothing of the protocol. They take what an assistant sends, so they trust no size: a
query, a position and a keyword have a maximum length, and an answer has at most `MOST_CHARACTERS` characters.
What does not fit is left out, and the answer says so under `cut`. Each function raises `CqlguiError` with a
sentence for the assistant.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterable
from typing import Any, Final

from cqlgui.api import asking, bases, faults, results
from cqlgui.base import errors, progress
from cqlgui.board import squares
from cqlgui.cql.vocabulary import registry
from cqlgui.tasks.results import truth_model
from cqlgui.tasks.search import explaining

MOST_ROWS: Final = 200
"""Maximum number of rows in an answer, whatever the assistant asks for."""
MOST_CHARACTERS: Final = 100_000
"""Maximum size of the items in an answer, as JSON."""
ROWS_SECONDS: Final = 4.0
"""Rows have this time, after the search. A call has a second more (`server`)."""
LONGEST_QUERY: Final = 20_000
_LONGEST_WORDS: Final = 1_000
"""Maximum length of the other texts that an assistant sends, and of each text in an answer."""
_MOST_FAILURES: Final = 5
"""Maximum number of games that an answer names because they could not be searched."""
_DEEPEST: Final = 40
"""Filters within filters in an explanation."""


def opened(base: bases.Base) -> dict[str, Any]:
    """The numbers of games and positions, and the files in the order of their games. Folders are not
    told."""
    files = _fitting({"file": path.name} for path in base.paths)
    whole = len(base.paths)
    return {"games": len(base), "positions": base.positions, "files": files, **_cut(len(files), whole)}


def check(query: str) -> dict[str, Any]:
    """The errors and warnings of a query. `sound` says whether the query can be run."""
    found = asking.check(_query(query))
    problems = _fitting(
        {
            "severity": one.severity,
            "code": one.code,
            "message": one.message,
            "hint": one.hint,
            "line": one.line,
            "column": one.column,
            "corrected_query": one.fix,
        }
        for one in found
    )
    sound = not any(one.severity == "error" for one in found)
    return {"sound": sound, "problems": problems, **_cut(len(problems), len(found))}


def explain(query: str, fen: str, cancel: progress.CancelToken) -> dict[str, Any]:
    """Whether a query matches a position, and the truth, value and squares of each part of the query."""
    with faults.told():
        text, position = _query(query), _words(fen, "The position")
        truth = explaining.explain_fen(position, text, apart=True, cancel=cancel)
    room = _Room(MOST_ROWS)
    return {"matches": truth.matched, "explanation": _truth(truth, room, 0), **room.said()}


def orbit(query: str) -> dict[str, Any]:
    """The elements of each outermost transform of a query, as CQL."""
    answers = []
    room = _Room(MOST_ROWS)
    for one in asking.orbit(_query(query)):
        elements = []
        for element in one.elements:
            made = {"query": element.text, "transform": element.transform, "words": element.words}
            if not room.takes(made):
                break
            elements.append(made)
        answers.append(
            {
                "transform": _short(one.transform),
                "distinct": len(one.elements),
                "invalid": len(one.invalid),
                "duplicates": len(one.duplicates),
                "elements": elements,
            }
        )
    return {"orbits": answers[:MOST_ROWS], **room.said()}


def keyword(word: str) -> dict[str, Any]:
    """What a keyword or sign of CQL means. For an empty word, the names of all keywords by kind."""
    if not word:
        kinds: dict[str, list[str]] = {}
        for row in registry.public():
            kinds.setdefault(row.kind, []).append(row.name)
        return {"keywords": kinds}
    found = registry.lookup(_words(word, "The keyword"))
    if found is None:
        near = registry.suggest(word)
        hint = f" Did you mean {near}?" if near else " Without a keyword, `help` lists all of them."
        raise errors.CqlguiError(f"CQL has no word `{_short(word)}`.{hint}")
    return {
        "name": found.name,
        "sign": found.sign,
        "kind": found.kind,
        "type": found.result_type,
        "meaning": found.meaning,
        "forms": list(found.forms),
        "example": found.example,
    }


def search(
    base: bases.Base, query: str, games: str, limit: int, seconds: float, cancel: progress.CancelToken
) -> dict[str, Any]:
    """The numbers of games and positions that match, and the first `limit` positions as rows.

    The rows have the fields of `cqlgui search --jsonl` that are not empty. `cancel` ends the search; the
    answer then has the hits found so far, and says that the search took longer than `seconds`. Rows that
    are not there after `ROWS_SECONDS` are left out, and the answer says so. `failed_games` is the number of
    games that could not be searched, with the first reasons under `failures`.
    """
    if limit < 0:
        raise errors.CqlguiError(f"The limit is a number of rows from 0 to {MOST_ROWS}, and not {limit}.")
    result = base.search(_query(query), _words(games, "The condition on games"), cancel=cancel)
    rows, are_late = _rows(result, min(limit, MOST_ROWS))
    answer: dict[str, Any] = {"games": len(result.games), "positions": len(result), "rows": rows}
    if result.failed:
        answer["failed_games"] = len(result.failed)
        answer["failures"] = [
            {"game": bad.game, "reason": _short(bad.reason)} for bad in result.failed[:_MOST_FAILURES]
        ]
    stopped = []
    if result.cancelled:
        stopped.append(
            f"The search took longer than {seconds:g} seconds and was stopped. These are the hits found "
            "until then, and there may be more. Narrow the games, or ask a simpler query."
        )
    if are_late:
        stopped.append("Some rows took too long and were left out. Ask for fewer, or with a simpler query.")
    if stopped:
        answer["stopped"] = " ".join(stopped)
    return answer | _cut(len(rows), len(result))


def _rows(result: results.Result, wanted: int) -> tuple[list[dict[str, Any]], bool]:
    """The first rows, and whether some of them took too long."""
    token = progress.CancelToken()
    timer = threading.Timer(ROWS_SECONDS, token.cancel)
    timer.daemon = True
    timer.start()
    found: list[dict[str, Any]] = []
    room = _Room(wanted)
    try:
        for row in itertools.islice(result.rows(token), wanted):
            made = _shortened(_row(row))
            if not room.takes(made):
                break
            found.append(made)
    except errors.Cancelled:
        return found, True
    finally:
        timer.cancel()
    return found, False


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A row without empty fields, and without the folder of its file."""
    kept = {name: value for name, value in row.items() if value not in (None, "", [], {})}
    kept["file"] = str(kept["file"]).replace("\\", "/").rpartition("/")[2]
    return kept


def _truth(truth: truth_model.Truth, room: _Room, depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {"filter": " ".join(truth.text.split()), "matches": truth.matched}
    if truth.value is not None:
        made["value"] = truth.value
    elif truth.squares:
        made["squares"] = [squares.square_name(square) for square in squares.bits(truth.squares)]
    if truth.transform:
        made["transform"] = truth.transform
    made = _shortened(made)
    room.takes(made)
    parts = []
    for part in truth.parts:
        if room.full or depth == _DEEPEST:
            room.full = True
            break
        parts.append(_truth(part, room, depth + 1))
    return {**made, "parts": parts} if parts else made


class _Room:
    """The room for items in an answer: a number of items, and their characters as JSON."""

    def __init__(self, items: int) -> None:
        self._items = items
        self._characters = MOST_CHARACTERS
        self.full = False

    def takes(self, item: dict[str, Any]) -> bool:
        """Whether an item still fits. If it does not, no later item fits."""
        self._items -= 1
        self._characters -= len(json.dumps(item, ensure_ascii=False))
        self.full = self.full or self._items < 0 or self._characters < 0
        return not self.full

    def said(self) -> dict[str, str]:
        """The field that says that something was left out; empty if nothing was."""
        return {"cut": "The answer was too long. Some of its parts were left out."} if self.full else {}


def _fitting(items: Iterable[dict[str, Any]], most: int = MOST_ROWS) -> list[dict[str, Any]]:
    """The first items, as many as fit, with long texts shortened."""
    return list(itertools.takewhile(_Room(most).takes, map(_shortened, items)))


def _cut(listed: int, whole: int) -> dict[str, str]:
    """The field that says that only some items are listed; empty if all are."""
    return {"cut": f"Only the first {listed:,} of {whole:,} are listed."} if listed < whole else {}


def _shortened(value: Any) -> Any:
    """A value with long texts and lists in it shortened."""
    if isinstance(value, str):
        return _short(value)
    if isinstance(value, dict):
        some = itertools.islice(value.items(), MOST_ROWS)
        return {_short(name): _shortened(one) for name, one in some}
    if isinstance(value, list | tuple):
        return [_shortened(one) for one in value[:MOST_ROWS]]
    return value


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_WORDS else text[: _LONGEST_WORDS - 1] + "…"


def _query(text: str) -> str:
    if len(text) > LONGEST_QUERY:
        raise errors.CqlguiError(f"A query may have at most {LONGEST_QUERY:,} characters here.")
    return text


def _words(text: str, name: str) -> str:
    if len(text) > _LONGEST_WORDS:
        raise errors.CqlguiError(f"{name} may have at most {_LONGEST_WORDS:,} characters.")
    return text
