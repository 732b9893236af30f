"""The messages between a search and the workers of a cluster: a length, JSON, then arrays of numbers.

Messages are plain bytes. They hold no objects of Python, and no machine code: each worker compiles the query
for its own processor.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays as arrays_module
from cqlgui.base import data, errors
from cqlgui.base.data import dataclass
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.tasks.results import base_model, hit_model, hit_notes, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Columns, Integers
from cqlgui.tasks.search import hit_details, sieving

_LENGTH: Final = struct.Struct("<Q")


def packed(words: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None) -> bytes:
    """A message."""
    listed = {name: np.ascontiguousarray(array) for name, array in (arrays or {}).items()}
    shapes = {name: [array.dtype.str, len(array)] for name, array in listed.items()}
    head = json.dumps({**words, "arrays": shapes}, separators=(",", ":")).encode("ascii")
    return b"".join([_LENGTH.pack(len(head)), head, *(array.tobytes() for array in listed.values())])


def unpacked(message: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The words and the arrays of a message."""
    (length,) = _LENGTH.unpack_from(message)
    at = _LENGTH.size + length
    words: dict[str, Any] = json.loads(message[_LENGTH.size : at])
    arrays: dict[str, np.ndarray] = {}
    for name, (kind, count) in words.pop("arrays").items():
        arrays[name] = np.frombuffer(message, kind, count, at)
        at += arrays[name].nbytes
    return words, arrays


def insist(words: Mapping[str, Any]) -> None:
    """Raise the error that an answer tells, if it tells one."""
    fault = words.get("error")
    if fault is not None:
        kinds = {"damaged": errors.IndexDamaged, "cancelled": errors.Cancelled}
        raise kinds.get(fault, errors.CqlguiError)(words["sentence"])


@dataclass(frozen=True, slots=True)
class Request:
    """What a worker is asked: the hits of the games `begin` to `end` - 1 (base ordinals) of one source.

    `versions` are those of the program that asks (`versions`). `search` names the search, so that it can be
    stopped. `place` and `check` name the published base. `within` are the games to search; None for all.
    `memory` is what the query remembers of earlier games. With `plainly`, all games are interpreted in a
    process of their own. With `output`, the worker writes the hits there, and the reply has none.
    """

    versions: str
    search: str
    place: str
    check: str
    text: str
    options: search_model.SearchOptions
    begin: int
    end: int
    within: Integers | None = None
    memory: Any = None
    plainly: bool = False
    output: search_model.HitFolder | None = None

    def packed(self) -> bytes:
        """The request as a message."""
        words = {
            "versions": self.versions,
            "search": self.search,
            "place": self.place,
            "check": self.check,
            "text": self.text,
            "settings": self.options.settings.as_words(),
            "variations": self.options.variations,
            "compiled": self.options.compiled,
            "pruned": self.options.pruned,
            "details": self.options.details.name,
            "begin": self.begin,
            "end": self.end,
            "memory": self.memory,
            "plainly": self.plainly,
            "output": None if self.output is None else data.named(self.output),
        }
        return packed(words, {} if self.within is None else {"within": self.within})

    @staticmethod
    def of(words: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> Request:
        """The request that a message holds."""
        options = search_model.SearchOptions(
            variations=words["variations"],
            settings=settings.from_words(words["settings"]),
            compiled=words["compiled"],
            pruned=words["pruned"],
            details=search_model.Details[words["details"]],
        )
        same = ("versions", "search", "place", "check", "text", "begin", "end", "memory", "plainly")
        output = None if words["output"] is None else search_model.HitFolder(**words["output"])
        within = arrays.get("within")
        return Request(**{name: words[name] for name in same}, options=options, within=within, output=output)


def reply(chunks: Sequence[sieving.Chunk], memory: Any, seconds: float) -> bytes:
    """The chunks of one source, in game order, as a message. `memory` is what the query remembers afterwards.
    `seconds` is the time that the work took."""
    whole = found_module.joined([chunk.columns for chunk in chunks if len(chunk.columns)])
    details, arrays = _details(whole.details)
    words = {
        "place": chunks[0].place,
        "begin": chunks[0].begin,
        "end": chunks[-1].end,
        "passed": sum(chunk.passed for chunk in chunks),
        "positions": sum(chunk.passed_positions for chunk in chunks),
        "left": [ordinal for chunk in chunks for ordinal in chunk.left],
        "told": [_told(game) for chunk in chunks for game in chunk.told.values()],
        "details": details,
        "replies": [[*one] for chunk in chunks for one in chunk.replies],
        "lost": [[*one] for chunk in chunks for one in chunk.lost],
        "memory": memory,
        "seconds": seconds,
        "written": None if chunks[0].written is None else _file(chunks[0].written),
    }
    arrays["hits"] = whole.hits
    if len(whole.codes):
        arrays |= {"ends": whole.ends, "codes": whole.codes}
    return packed(words, arrays)


def chunk(words: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> sieving.Chunk:
    """The chunk that a reply holds."""
    hits = arrays["hits"]
    ends = arrays.get("ends", found_module.no_ends(len(hits)))
    told: dict[int, hit_model.GameHits] = {}
    for game, hits_of, log, keys, tags, removed, match_string, unique in words["told"]:
        told[game] = hit_details.game_hits(
            game, hits_of, log, keys, tags, removed, match_string=match_string, unique=unique
        )
    return sieving.Chunk(
        words["place"],
        words["begin"],
        words["end"],
        words["left"],
        Columns(
            hits, ends, arrays.get("codes", found_module.NOTHING.codes), _details_of(words["details"], arrays)
        ),
        words["passed"],
        words["positions"],
        told,
        {},
        [(games, answer) for games, answer in words["replies"]],
        [(game, reason) for game, reason in words["lost"]],
        None if words["written"] is None else _file_of(words["written"]),
    )


def _details(
    found: found_module.HitDetails | None,
) -> tuple[dict[str, Any] | None, dict[str, np.ndarray]]:
    """The details of hits as words and arrays. Millions of hits take no longer than their numbers."""
    if found is None:
        return None, {}
    words: dict[str, Any] = {"kind": None if found.kind is None else found.kind.name}
    arrays: dict[str, np.ndarray] = {"squares": found.squares, "marks": found.marks}
    if found.kind is Type.STRING:
        arrays["values"], words["texts"] = arrays_module.numbered(found.values.tolist())
    else:
        arrays["values"] = found.values
    notes, ends = found.notes, found.game_ends
    words["notes"] = None if notes is None else notes.table
    if notes is not None:
        arrays |= {"note_ends": notes.ends, "note_places": notes.places, "note_texts": notes.texts}
    words["game_ends"] = None if ends is None else [[one.sort_keys, one.comments] for one in ends.table]
    if ends is not None:
        arrays["end_numbers"] = ends.numbers
    return words, arrays


def _details_of(
    words: dict[str, Any] | None, arrays: Mapping[str, np.ndarray]
) -> found_module.HitDetails | None:
    """The details that `_details` put into words and arrays."""
    if words is None:
        return None
    kind = None if words["kind"] is None else Type[words["kind"]]
    values = arrays["values"]
    if kind is Type.STRING:
        texts = np.empty(len(words["texts"]), object)
        texts[:] = words["texts"]
        values = texts[values]
    notes = None
    if words["notes"] is not None:
        places = arrays["note_ends"], arrays["note_places"], arrays["note_texts"]
        notes = hit_notes.HitNotes(*places, words["notes"])
    ends = None
    if words["game_ends"] is not None:
        table = [
            hit_notes.GameEnd(tuple(keys), tuple((place, text) for place, text in comments))
            for keys, comments in words["game_ends"]
        ]
        ends = hit_notes.GameEnds(arrays["end_numbers"], table)
    return found_module.HitDetails(kind, values, arrays["squares"], arrays["marks"], notes, ends)


def _file(file: search_model.HitFile) -> dict[str, Any]:
    """A file of hits, as plain data."""
    failed = [[bad.game, str(bad.source), bad.offset, bad.line, bad.reason] for bad in file.failed]
    said = [[message.game, message.text] for message in file.messages]
    stopped = None if file.stopped is None else data.named(file.stopped)
    return {**data.named(file), "failed": failed, "messages": said, "stopped": stopped}


def _file_of(words: dict[str, Any]) -> search_model.HitFile:
    failed = tuple(base_model.BadGame(game, Path(path), *rest) for game, path, *rest in words["failed"])
    said = tuple(hit_model.QueryMessage(*one) for one in words["messages"])
    stopped = None if words["stopped"] is None else search_model.Stop(**words["stopped"])
    return search_model.HitFile(**{**words, "failed": failed, "messages": said, "stopped": stopped})


def _told(game: hit_model.GameHits) -> list[Any]:
    """A game with its details, as plain data."""
    hits = [
        [
            hit.positionid,
            hit.value,
            hit.squares,
            [[one.orbit, one.element, one.positionid, one.squares] for one in hit.matches],
        ]
        for hit in game.hits
    ]
    log = [list(entry) for entry in game.log]
    tags = [list(pair) for pair in game.tags]
    return [
        game.game, hits, log, list(game.sort_keys), tags, list(game.removed), game.match_string, game.unique,
    ]  # fmt: skip
