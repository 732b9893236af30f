"""Prints a whole result, when the search has ended: as JSON, as a tree of moves, as numbers, or as a list of
games."""

from __future__ import annotations

import argparse
from typing import Any

from cqlgui.base import plurals, progress
from cqlgui.cli import terminal
from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model, search_model


def show(
    arguments: argparse.Namespace,
    base: base_model.Base,
    result: search_model.SearchResult,
    cancel: progress.CancelToken,
) -> None:
    """Print the result in the form that the options name. Without such an option, print a list of games, but
    only if no file is written."""
    if arguments.json:
        terminal.put_object(answer(base, result, values=arguments.values))
    elif arguments.tree:
        from cqlgui.tasks.analysis import continuations

        found_lines = continuations.lines(
            base, result, arguments.tree, normalised=arguments.normalise, cancel=cancel
        )
        terminal.put_object(continuations.tree(found_lines, arguments.tree, cancel=cancel))
    elif arguments.count:
        print(f"{plurals.games(len(result.games))}, {plurals.positions(result.positions)}")
    elif arguments.output is None:
        _table(base, result, cancel)


def answer(base: base_model.Base, result: search_model.SearchResult, *, values: bool) -> dict[str, Any]:
    """The JSON object that `search --json` prints; with `values`, the object also has the values of the hits,
    the order of the games and the sort keys."""
    from cqlgui.tasks.export.formats import hit_lines

    found: dict[str, Any] = {
        "games": list(result.order),
        "positions": terminal.Items(hit_lines.positions(result)),
        "count": len(result.order),
        "sources": [
            {"file": str(source.path), "first": source.first, "games": source.games}
            for source in base.sources
        ],
        "bad_games": sum(sources.headers(source).bad_count(source.id) for source in base.sources),
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
    found |= _written(result)
    if result.failed_games:
        found["failed_games"] = [[failed.game, failed.reason] for failed in result.failed_games]
    if result.stopped is not None:
        stop = result.stopped
        found["stopped"] = {"game": stop.game, "message": stop.reason}
        if stop.offset >= 0:
            found["stopped"] |= {"offset": stop.offset, "length": stop.length}
    if result.cancelled:
        found["cancelled"] = True
    if result.left_out:
        found["left_out"] = list(result.left_out)
    if values:
        found["values"] = [
            [game, hit.positionid, hit.value]
            for game in result.order
            for hit in result.games[game].hits
            if hit.value is not None
        ]
        found["order"] = list(result.order)
        if result.sort_keys:
            by_text: dict[str, Any] = {}
            found["sortkeys"] = by_text
            for key, of_games in zip(result.sort_keys, _sort_values(result), strict=True):
                # Two sort keys may have equal texts. For example, a query may give one key the text
                # `matchcount`, and `matchcount` may be the default text of another key.
                name, number = key.doc, 1
                while name in by_text:
                    number += 1
                    name = f"{key.doc} ({number})"
                by_text[name] = of_games
    return found


def _written(result: search_model.SearchResult) -> dict[str, Any]:
    """What the query writes (comments, messages, tags, sort values ...), in output order; empty fields are
    left out."""
    told = result.games.told
    games = [told[game] for game in result.order if game in told]
    from cqlgui.tasks.export.formats import hit_lines

    found: dict[str, Any] = {
        "comments": terminal.Items(hit_lines.comments(result)),
        "messages": [[message.game, message.text] for message in result.messages],
        "tags": [[one.game, name, text] for one in games for name, text in one.tags],
        "removed_comments": [[one.game, positionid] for one in games for positionid in one.removed],
        "sort": [
            {
                "doc": key.doc,
                "order": "descending" if key.descending else "ascending",
                "quiet": key.quiet,
                "values": values,
            }
            for key, values in zip(result.sort_keys, _sort_values(result), strict=True)
        ],
    }
    found["persistent"] = {one.name: one.value for one in result.persistent}
    if result.messages_dropped:
        found["messages_dropped"] = result.messages_dropped
    return {name: value for name, value in found.items() if value}


def _sort_values(result: search_model.SearchResult) -> list[list[list[Any]]]:
    """For each sort key, the pairs [game, value]; games without a value are left out."""
    keys = result.games.sort_keys()
    return [
        [[game, value] for game in result.order if (value := keys[game][place]) is not None]
        for place in range(len(result.sort_keys))
    ]


def _table(base: base_model.Base, result: search_model.SearchResult, cancel: progress.CancelToken) -> None:
    from cqlgui.tasks.databases import games, sources

    for start in range(0, len(result.order), 200):
        if not result.cancelled:
            cancel.raise_if_cancelled()
        chunk = result.order[start : start + 200]
        rows = games.rows(base, chunk)
        sources.insist_all(base, chunk)
        for row in rows:
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
            terminal.row(f"{row.game}: {players} {row.result} {row.date}  at {places}{how}")


def check_sources(
    base: base_model.Base, result: search_model.SearchResult, options: search_model.SearchOptions
) -> None:
    """Raise `SourceError` if details of hits are printed and a source with hits has changed during the
    search."""
    if options.details in (search_model.Details.COMMENTS, search_model.Details.ALL):
        with sources.Readers(base) as readers:
            for source in base.sources:
                if result.games.columns.of_games(source.first, source.first + source.games):
                    readers.of(source.first)[0].check()
