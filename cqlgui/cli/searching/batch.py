"""`cqlgui search --batch`: answers many queries, one in each line of a file."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from cqlgui.base import data, errors
from cqlgui.cli import opening, terminal
from cqlgui.cli.searching import answers, asking
from cqlgui.cql.source import diagnostics
from cqlgui.tasks.asking import queries
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import searching


def run(arguments: argparse.Namespace) -> int:
    """Answer the query of each line with one line of JSON. Returns the exit code."""
    with terminal.interruptible() as cancel:
        lines = _lines(arguments.batch)
        opened = opening.open_base(arguments.files, cancel)
        base = opened.base
        within = asking.among(arguments, base, search_model.SearchOptions()).within
        code = opening.outcome(opened)
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
            if not isinstance(item.get("variations", False), bool):
                message = f'"variations" in line {number} must be true or false'
                terminal.put({"id": item.get("id"), "error": _bare_error("batch", message)})
                continue
            found: dict[str, Any]
            try:
                variations = bool(arguments.variations or item.get("variations"))
                options = data.replace(
                    asking.options(arguments, variations, asking.details(arguments)), within=within
                )
                expanded = queries.expanded(item["query"], said=options.settings)
                asking.refuse_engine(arguments, expanded)
                assert expanded.query is not None
                if expanded.query.header.output is not None:
                    terminal.say(f"Line {number}: --batch prints JSON, so the query's output is not written.")
                result = searching.search(base, item["query"], options, cancel=cancel)
                if result.cancelled:
                    break
                answers.check_sources(base, result, options)
                found = answers.answer(base, result, values=arguments.values)
            except queries.Rejected as rejected:
                found = {"error": terminal.error_object(rejected.text, rejected.diagnostics[0])}
            except errors.SourceError as changed:
                # Other queries may have no hits in the file that has changed.
                code, found = terminal.USAGE, {"error": _bare_error("source", str(changed))}
            terminal.put_object({"id": item.get("id"), **found})
        return terminal.CANCELLED if cancel.cancelled else code


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    text = queries.read_query_file(path) if str(path) != "-" else terminal.query_text(None, path)[0]
    # Only a line feed ends a line, because a query may contain other characters that `splitlines` takes for
    # line breaks.
    return enumerate(text.split("\n"), 1)


def _item(line: str) -> dict[str, Any] | None:
    try:
        item = json.loads(line, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) and isinstance(item.get("query"), str) else None


def _finite(word: str) -> float:
    number = float(word)
    return number if math.isfinite(number) else _refuse(word)


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"JSON has no {word}.")


def _bare_error(code: str, message: str) -> dict[str, Any]:
    finding = diagnostics.Diagnostic(diagnostics.NOWHERE, code, message)
    return terminal.error_object("", finding)
