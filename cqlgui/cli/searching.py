"""`cqlgui search`: find games and positions, in the forms that the contract names."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cqlgui.base import progress
from cqlgui.cli import opening, terminal
from cqlgui.cql import diagnostics
from cqlgui.tasks import exporting, games, model, orbits, queries, records, searching


def run(arguments: argparse.Namespace) -> int:
    """Search once, or for every line of a batch."""
    if arguments.batch is not None:
        if arguments.output is not None or arguments.jsonl or arguments.csv or arguments.count:
            terminal.say(
                "cqlgui search: --batch prints JSON; -o, --jsonl, --csv and --count do not go with it."
            )
            return terminal.USAGE
        return _batch(arguments)
    text, name = terminal.query_text(arguments.expression, arguments.query_file)
    as_json = arguments.json or arguments.jsonl
    try:
        _refuse_engine(arguments, text)
        queries.expanded(text, arguments.variations)
        if arguments.output is not None:
            exporting.checked_ending(arguments.output)
        with terminal.interruptible() as cancel:
            base = opening.open_base(arguments.files, cancel).base
            if arguments.output is not None:
                # Before the search, which may take long.
                exporting.refuse_source(base, arguments.output)
            return _once(arguments, base, text, cancel)
    except queries.Rejected as rejected:
        return terminal.reject(rejected, name, as_json=as_json)


def _once(arguments: argparse.Namespace, base: model.Base, text: str, cancel: progress.CancelToken) -> int:
    bar = terminal.Bar()
    found_orbits = orbits.orbits(text) if arguments.jsonl or arguments.csv else ()
    if arguments.csv:
        print(exporting.csv_lines([]), end="")

    def stream(found: Sequence[model.GameHits]) -> None:
        bar.end()
        for record in records.records(base, found, found_orbits):
            if arguments.jsonl:
                terminal.put(record)
            else:
                print(exporting.csv_lines([record]).split("\n", 1)[1], end="")

    streaming = arguments.jsonl or arguments.csv
    try:
        result = searching.search(
            base,
            text,
            _options(arguments, arguments.variations),
            cancel=cancel,
            progress=bar,
            on_hits=stream if streaming else None,
        )
    finally:
        bar.end()
    for failed in result.failed_games:
        terminal.say(f"{failed.source}:{failed.line}: game {failed.game} was left out: {failed.reason}")
    if arguments.json:
        terminal.put(answer(base, result, values=arguments.values))
    elif arguments.count:
        print(f"{len(result.games)} games, {result.positions} positions")
    elif not streaming and arguments.output is None:
        _table(base, result)
    if arguments.output is not None and not result.cancelled:
        report = exporting.export(
            base, result, arguments.output, annotate=arguments.annotate, cancel=cancel, progress=bar
        )
        bar.end()
        terminal.say(f"{report.games} games, {report.hits} hits written to {report.path}")
    terminal.say(
        f"{len(result.games)} of {result.games_searched} games match ({result.positions} positions), "
        f"{result.seconds:.2f} seconds, {result.engine}: {result.reason}"
    )
    return terminal.CANCELLED if result.cancelled else terminal.OK


def answer(base: model.Base, result: model.SearchResult, *, values: bool) -> dict[str, Any]:
    """The object of `search --json`."""
    found: dict[str, Any] = {
        "games": list(result.order),
        "positions": [[game, hit.positionid] for game in result.order for hit in result.games[game].hits],
        "count": len(result.order),
        "sources": [
            {"file": str(source.path), "first": source.first, "games": source.games}
            for source in base.sources
        ],
        "bad_games": result.bad_games,
        "orbit": [
            {
                "transform": orbit.transform,
                "span": {"offset": orbit.offset, "length": orbit.length},
                "elements": [
                    {
                        "text": element.text,
                        "transform": element.transform,
                        "words": element.words,
                        "games": element.games,
                        "positions": element.positions,
                    }
                    for element in orbit.elements
                ],
            }
            for orbit in result.orbits
        ],
        "engine": result.engine,
        "reason": result.reason,
        "seconds": round(result.seconds, 6),
    }
    if result.failed_games:
        found["failed_games"] = [[failed.game, failed.reason] for failed in result.failed_games]
    if result.cancelled:
        found["cancelled"] = True
    if values:
        found["values"] = [
            [game, hit.positionid, hit.value]
            for game in result.order
            for hit in result.games[game].hits
            if hit.value is not None
        ]
        found["order"] = list(result.order)
        if result.sort_keys:
            found["sortkeys"] = {
                key.doc: [
                    [game, result.games[game].sort_keys[place]]
                    for game in result.order
                    if result.games[game].sort_keys[place] is not None
                ]
                for place, key in enumerate(result.sort_keys)
            }
    return found


def _batch(arguments: argparse.Namespace) -> int:
    with terminal.interruptible() as cancel:
        lines = _lines(arguments.batch)
        base = opening.open_base(arguments.files, cancel).base
        for number, line in lines:
            if cancel.cancelled:
                break
            if not line.strip():
                continue
            item = _item(line)
            if item is None:
                message = f'line {number} is not an object like {{"id": ..., "query": "..."}}'
                terminal.put({"id": None, "error": _bare_error("batch", message)})
                continue
            found: dict[str, Any]
            try:
                _refuse_engine(arguments, item["query"])
                options = _options(arguments, bool(arguments.variations or item.get("variations")))
                result = searching.search(base, item["query"], options, cancel=cancel)
                if result.cancelled:
                    break
                found = answer(base, result, values=arguments.values)
            except queries.Rejected as rejected:
                found = {"error": terminal.error_object(rejected.text, rejected.diagnostics[0])}
            terminal.put({"id": item.get("id"), **found})
        return terminal.CANCELLED if cancel.cancelled else terminal.OK


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    text = queries.read_query_file(path) if str(path) != "-" else terminal.query_text(None, path)[0]
    # Only line feeds end a line here: a query may hold any other break that `splitlines` knows.
    return enumerate(text.split("\n"), 1)


def _item(line: str) -> dict[str, Any] | None:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) and isinstance(item.get("query"), str) else None


def _options(arguments: argparse.Namespace, variations: bool) -> model.SearchOptions:
    return model.SearchOptions(variations=variations, limit=arguments.limit, workers=arguments.threads)


def _refuse_engine(arguments: argparse.Namespace, text: str) -> None:
    if arguments.engine == "compiled":
        finding = diagnostics.Diagnostic(
            diagnostics.Span(0, 0),
            "not-yet",
            "The compiled engine is not built yet.",
            "Leave --engine out, or use --engine interpreter.",
        )
        raise queries.Rejected(text, [finding])


def _bare_error(code: str, message: str) -> dict[str, Any]:
    finding = diagnostics.Diagnostic(diagnostics.NOWHERE, code, message)
    return terminal.error_object("", finding)


def _table(base: model.Base, result: model.SearchResult) -> None:
    for start in range(0, len(result.order), 200):
        chunk = result.order[start : start + 200]
        for row in games.rows(base, chunk):
            hits = result.games[row.game].hits
            words = {
                result.orbits[match.orbit].elements[match.element].words
                for hit in hits
                for match in hit.matches[:1]
                if 0 <= match.orbit < len(result.orbits)
            }
            how = f"  {', '.join(sorted(words))}" if words else ""
            places = " ".join(str(hit.positionid) for hit in hits[:8]) + (" ..." if len(hits) > 8 else "")
            players = f"{row.white or '?'} - {row.black or '?'}"
            line = f"{row.game}: {players} {row.result} {row.date}  at {places}{how}"
            print(terminal.printable(line))
